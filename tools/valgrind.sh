#!/bin/sh
# valgrind.sh TEST [FOLDER]: a program of FOLDER/tests (build/tests), or `command`, the command taut, under memcheck. LAPACK and
# MUMPS choose their code by the processor, in ways that valgrind does not always know: tests of them are not among those
# that tests/CMakeLists.txt names.
set -eu
test=$1
build=${2:-$(dirname "$0")/../build}
build=$(cd "$build" && pwd)
cd "$(dirname "$0")/.."
export TAUT_NATIVE=off
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v valgrind > /dev/null; then
    echo 'valgrind is not installed: tools/setup.sh lint installs it' >&2
    exit 1
fi
run() {
    if ! valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@" > "$work/log" 2>&1; then
        tail -60 "$work/log"
        exit 1
    fi
}
if [ "$test" = command ]; then
    run "$build/taut" run models/double-spherical-pendulum.lua -m rattle -s 0.01 -T 0.1 -o "$work/run.taut"
    run "$build/taut" resume "$work/run.taut" -T 0.2
    run "$build/taut" export "$work/run.taut" "$work/run.csv"
    run "$build/taut" report "$work/run.taut" -o "$work/run.html"
else
    run "$build/tests/$test"
fi
echo "$test: clean"
