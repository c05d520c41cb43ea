#!/bin/sh
# coverage.sh [JOBS [REGEX]]: builds with gcov (build-coverage; in double, as quad is the same lines) and runs the tests,
# one at a time for each of JOBS, those that match REGEX. tools/coverage.py says what becomes of it.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-2}
regex=${2:-.}
folder=build-coverage
# gcov writes its counters before an exec, and no more after it: not where memory is shared with the child that calls it.
flags="-O1 --coverage -fprofile-update=atomic -fno-builtin-execve"
mkdir -p $folder
cmake -S . -B $folder -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" -DTAUT_MPI=OFF \
    -DTAUT_HAVE_QUAD=OFF -DTAUT_TEST_PREFIX=coverage/ > $folder/configure.log
cmake --build $folder --parallel "$jobs" -- --no-print-directory --quiet > $folder/build.log
exec python3 tools/coverage.py --jobs "$jobs" --tests "$regex"
