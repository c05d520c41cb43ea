#!/bin/sh
# check.sh [--update] LIBRARY SOURCE: is LIBRARY (libtaut.so) compatible with programs that were built before?
# - its names and their versions are those of debian/libtaut0.symbols;
# - abidiff finds no change against tests/abi/libtaut.abi that such a program would notice. There may be new
#   functions, and structs that begin with their size may grow at the end. Status 77 where abidiff is not installed.
# --update writes both files: new names get the version of the project, the others keep theirs.
set -eu
update=
if [ "$1" = --update ]; then
    update=yes
    shift
fi
library=$1 source=$2
symbols=$source/debian/libtaut0.symbols reference=$source/tests/abi/libtaut.abi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

version=$(sed -n 's/^project(taut VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
# name@version; the version itself is listed as a symbol too, as dpkg-gensymbols does.
nm -D --defined-only "$library" | awk '{ sub(/@@/, "@", $NF); print $2 == "A" ? $NF "@" $NF : $NF }' |
    sed 's/^\(.*\)@\1@.*/\1@\1/' | LC_ALL=C sort -u > "$scratch/exported"
[ "$(wc -l < "$scratch/exported")" -gt 20 ] || { echo "few names found in $library"; exit 1; }

describe()
{
    abidw --exported-interfaces-only --headers-dir "$source/include/taut" --drop-private-types --drop-undefined-syms \
        --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names --no-architecture \
        --type-id-style hash "$library" | sed "s|path='$source/|path='../|"
}

if [ -n "$update" ]; then
    touch "$symbols"
    {
        echo "$soname libtaut${soname##*.} #MINVER#"
        awk -v version="$version" 'NF == 2 { known[$1] = $2 }
            NF == 1 { print " " $1, $1 in known ? known[$1] : version }' "$symbols" "$scratch/exported"
    } > "$scratch/symbols"
    describe > "$scratch/abi"
    cp "$scratch/symbols" "$symbols"
    cp "$scratch/abi" "$reference"
    exit 0
fi

status=0
awk 'NF == 2 { print $1 }' "$symbols" | LC_ALL=C sort > "$scratch/listed"
if ! diff "$scratch/listed" "$scratch/exported" > "$scratch/difference"; then
    echo "debian/libtaut0.symbols (<) and the library (>) differ; a new function is added by make abi-update:"
    grep '^[<>]' "$scratch/difference"
    status=1
fi
if ! command -v abidiff > /dev/null; then
    [ "$status" -ne 0 ] && exit $status
    echo "abidiff is not installed (package abigail-tools)"
    exit 77
fi
# Two descriptions are compared: abidiff 2.2 crashes on a description and a library. Status 4: changes; others: removed
# functions, or a fault.
describe > "$scratch/abi"
changed=0
abidiff --leaf-changes-only --no-added-syms "$reference" "$scratch/abi" > "$scratch/changes" 2>&1 || changed=$?
if [ "$changed" -eq 4 ] && awk -f "$source/tests/abi/growth.awk" "$reference" "$scratch/changes"; then changed=0; fi
if [ "$changed" -ne 0 ]; then
    cat "$scratch/changes"
    echo "Programs that were built before would notice. If that is meant: make abi-update, and another soname."
    status=1
fi
exit $status
