#!/bin/sh
# run.sh BUILD SOURCE CC: installs the build into a folder, moves that folder, and builds and runs programs of other
# people against it (programs.sh).
set -eu
build=$1 source=$2 cc=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/first" > "$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
cd "$scratch"
mv first moved
! grep -rI "$scratch" moved/lib/pkgconfig moved/lib/cmake || { echo "the prefix is written into these files"; exit 1; }
status=0
"$source/tests/consumers/programs.sh" "$scratch/moved" "$cc" || status=1
cmake -S "$source/tests/consumers/subdirectory" -B subdirectory -DTAUT_SOURCE="$source" -DCMAKE_C_COMPILER="$cc" \
    > output 2>&1 || { status=1; echo "add_subdirectory does not configure:"; cat output; }
"$scratch/moved/bin/taut" --version > /dev/null || status=1
exit $status
