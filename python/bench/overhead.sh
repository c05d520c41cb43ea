#!/bin/sh
# overhead.sh: instructions of a step, with its row, in C and in Python (callgrind; a long run minus a short one). After
# make python; needs valgrind.
set -eu
cd "$(dirname "$0")/../.."
program=build/python/overhead
cc -O2 -Iinclude python/bench/overhead.c -o $program -Lbuild/lib -ltaut -Wl,-rpath,"$PWD/build/lib"
TAUT_NATIVE=off PYTHONHASHSEED=0
export TAUT_NATIVE PYTHONHASHSEED

count()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | awk '/Collected/ { print $NF }'
}
for language in C Python; do
    case $language in
    C) set -- $program ;;
    *) set -- build/python/venv/bin/python python/bench/overhead.py ;;
    esac
    echo "$language: $((($(count "$@" 11000) - $(count "$@" 1000)) / 10000)) instructions per step"
done
