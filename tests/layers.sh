#!/bin/sh
# layers.sh COMPILER: what the folders of programs/ and src/ may know of each other (docs/architecture.md).
#
# A folder includes headers of folders below it alone, in the order of the lists; so the library (src/) knows no program.
# Only lower and step know each other: a step may be lowered, and lowering reads the step's table.
#
# Methods, steps and solvers see a compiled system, not the model: names for messages, start values and whatever else
# they need are members or functions of it. So model/model.h is not among the headers that their files include,
# directly or through others; the type of system.m is incomplete there.
set -eu
cd "$(dirname "$0")/.."
programs="mpi cli reproduce import plot render image"
library="library ensemble report record compile run contact method step lower solve system field kernel analysis native model
         expr linalg base"
for root in programs src; do
    [ $root = programs ] && list=$programs || list=$library
    [ "$(ls $root | sort)" = "$(printf '%s\n' $list | sort)" ] || {
        echo "the folders of $root/ are not those of the list in tests/layers.sh; put a new one where it belongs"
        exit 1
    }
done
above='' bad=''
for folder in $programs $library; do
    [ -d src/"$folder" ] && root=src || root=programs
    found=$(grep -n '^#include "' $root/"$folder"/*.[ch] | grep -E "\"(${above:-/})/" |
        grep -v '^src/lower/.*"step/' || true)
    bad="$bad$found"
    above="$above${above:+|}$folder"
done
[ -z "$bad" ] || { echo "these files include a header of a folder above theirs:"; echo "$bad"; exit 1; }

# The command is a client of the library: a file of programs/cli knows taut.h, headers of its folder and of the other
# programs that it runs, and the tools below, which know no object of the library (docs/architecture.md, "The command").
# Those programs are clients as well; of base they may also use what allocates memory of a context.
tools="base/clock base/near base/new_file base/text base/wide report/json"
programs=$(echo cli plot render image import/import reproduce/reproduce)
clients=''
for file in programs/cli/*.c; do
    headers=$("$1" -MM -MG -DTAUT_HAVE_QUAD -Iinclude -Isrc -Iprograms "$file" | tr -d '\\' | tr ' ' '\n' |
        sed -nE 's|^(src\|programs)/(.*)\.h$|\2|p' | sort -u)
    more=$(for header in $headers; do
        case " $(echo $tools) $programs " in *" $header "* | *" ${header%/*} "*) continue ;; esac
        echo "$header"
    done)
    [ -z "$more" ] || clients="$clients$file includes$(printf ' %s.h' $more)
"
done
[ -z "$clients" ] || { echo "the command is a client of the library (taut.h):"; printf '%s' "$clients"; exit 1; }
bad=$(grep -n '^#include "' programs/mpi/*.[ch] programs/plot/*.[ch] programs/render/*.[ch] programs/image/*.[ch] \
    programs/import/*.[ch] | grep -vE '"(cli|plot|render|image|import|base|taut)/|"report/choice\.h"' || true)
[ -z "$bad" ] || { echo "these programs know more of the library than taut.h and base:"; echo "$bad"; exit 1; }

files=$(echo src/field/*.c src/solve/*.c src/step/*.c src/method/*.c)
headers=$("$1" -MM -DTAUT_HAVE_QUAD -Iinclude -Isrc $files)
[ "$(echo "$headers" | grep -c 'src/base/real\.h')" -eq "$(echo "$files" | wc -w)" ] ||
    { echo "the compiler does not list the headers of every file"; exit 1; }
bad=$(echo "$headers" | awk '/\.o:/ { unit = $2 } /src\/model\/model\.h/ { print unit }')
[ -z "$bad" ] && exit 0
echo "these files include model/model.h, directly or through another header; system/system.h says what they may know:"
echo "$bad"
exit 1
