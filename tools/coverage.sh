#!/bin/sh
# coverage.sh [JOBS [REGEX]]: builds with gcov (build-coverage; in double, as quad is the same lines), runs the tests (those that match REGEX), and counts the lines
# of src/ that were run: build-coverage/coverage.txt, the least covered files first. Lines that only a failing allocation
# reaches (`return TAUT_OUT_OF_MEMORY` and the like) are left out; tests/test_allocation.c is about them.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-2}
regex=${2:-.}
folder=build-coverage
mkdir -p $folder
cmake -S . -B $folder -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 --coverage -fprofile-update=atomic" -DTAUT_MPI=OFF -DTAUT_HAVE_QUAD=OFF \
    -DTAUT_TEST_PREFIX=coverage/ > $folder/configure.log
cmake --build $folder --parallel "$jobs" -- --no-print-directory --quiet
find $folder -name '*.gcda' -delete
ctest --test-dir $folder --parallel "$jobs" --timeout 1200 -R "$regex" -E 'symbols|exports|abi|packages' > $folder/tests.log || tail -5 $folder/tests.log
mkdir -p $folder/gcov
cd $folder/gcov
find .. -name '*.gcda' -path '*taut_*' | while read -r data; do gcov --stdout --preserve-paths "$data" 2> /dev/null; done |
    awk -F: '
    $2 + 0 == 0 && $3 == "Source" { file = $4; sub(/^.*\/src\//, "src/", file); wanted = file ~ /^src\// && file !~ /^src\/(mpi|reproduce)/; next }
    !wanted || $2 + 0 == 0 { next }
    { count = $1; gsub(/[ *]/, "", count) }
    count == "-" || /OUT_OF_MEMORY|out of memory/ { next }
    { key = file ":" ($2 + 0); seen[key] = file; if (count !~ /^[#=]/) run[key] = 1 }
    END {
        for (k in seen) { all[seen[k]]++; total++; if (k in run) { hit[seen[k]]++; reached++ } else print k > "missed.txt" }
        for (f in all) printf "%6.1f %% of %5d lines  %s\n", 100 * hit[f] / all[f], all[f], f
        printf "%6.1f %% of %5d lines  all\n", 100 * reached / total, total
    }' | sort -n > ../coverage.txt
tail -1 ../coverage.txt
