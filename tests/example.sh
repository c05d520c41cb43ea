#!/bin/sh
# example.sh PROGRAM EXPECTED: runs an example (with names of files for those that write some) and compares what it prints,
# number by number, as the examples of the docs are (docs/compare.awk).
set -eu
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" "$scratch/run.taut" "$scratch/page.html" > "$scratch/output"
awk -f "$here/docs/compare.awk" "$2" "$scratch/output"
