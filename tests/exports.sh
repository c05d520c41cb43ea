#!/bin/sh
# exports.sh COMPILER HEADER SHARED STATIC: both libraries export exactly the functions that taut.h declares with TAUT_API.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" -E -P -DTAUT_API=TAUT_EXPORTED -I"$(dirname "$2")/.." -x c "$2" | tr '\n' ' ' | grep -o 'TAUT_EXPORTED[^(]*(' | sed 's/ *($//; s/.*[ *]//' |
    LC_ALL=C sort > "$scratch/header"
[ "$(wc -l < "$scratch/header")" -gt 20 ] || { echo "few functions found in $2"; exit 1; }
nm -D --defined-only "$3" | awk '$2 != "A" { sub(/@.*/, ""); print $NF }' | LC_ALL=C sort > "$scratch/shared"
nm -g --defined-only "$4" 2> /dev/null | awk 'NF == 3 { print $3 }' | LC_ALL=C sort > "$scratch/static"
status=0
for library in shared static; do
    diff "$scratch/header" "$scratch/$library" > "$scratch/difference" && continue
    echo "taut.h (<) and the $library library (>) differ:"
    grep '^[<>]' "$scratch/difference"
    status=1
done
readelf -d "$3" | grep -q 'SONAME.*\[libtaut\.so\.[0-9]*\]' || { echo "no soname"; status=1; }
exit $status
