#!/bin/sh
# check-program.sh PROGRAM: the C program of docs/library.md, built, prints what the page says.
set -eu
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk '/^```text$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$here/../../docs/library.md" > "$scratch/expected"
"$1" > "$scratch/output"
awk -f "$here/compare.awk" "$scratch/expected" "$scratch/output"
