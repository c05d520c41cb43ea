#!/bin/sh
# layers.sh COMPILER: methods, steps and solvers see a compiled system, not the model: names for messages, start values
# and whatever else they need are members or functions of it. So model/model.h is not among the headers that their
# files include, directly or through others; the type of system.m is incomplete there.
set -eu
cd "$(dirname "$0")/.."
files=$(echo src/field/*.c src/solve/*.c src/step/*.c src/method/*.c)
headers=$("$1" -MM -DTAUT_HAVE_QUAD -Iinclude -Isrc $files)
[ "$(echo "$headers" | grep -c 'src/base/real\.h')" -eq "$(echo "$files" | wc -w)" ] ||
    { echo "the compiler does not list the headers of every file"; exit 1; }
bad=$(echo "$headers" | awk '/\.o:/ { unit = $2 } /src\/model\/model\.h/ { print unit }')
[ -z "$bad" ] && exit 0
echo "these files include model/model.h, directly or through another header; system/system.h says what they may know:"
echo "$bad"
exit 1
