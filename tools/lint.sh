#!/bin/sh
# lint.sh: clang-tidy (.clang-tidy) and cppcheck (.cppcheck-suppressions) over src/, in double precision: clang has no quad.
# Nothing is said, and the exit status is 0, where both have nothing to say.
set -eu
cd "$(dirname "$0")/.."
flags="-std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc $(pkg-config --cflags lua5.4 sqlite3 hdf5-serial 2> /dev/null ||
    pkg-config --cflags lua5.4 sqlite3 hdf5) -I/usr/include/suitesparse -I/usr/include/mumps_seq
    -DTAUT_HDF5_LIBRARY=\"libhdf5.so\" -DTAUT_LAPACKE_FILE=\"liblapacke.so\" -DTAUT_MUMPS_FILE=\"libdmumps.so\"
    -DTAUT_BLAS_FILES=\"libblas.so\" -DTAUT_HAVE_EXPAT"
# src/mpi needs the headers of an MPI
files=$(ls src/*/*.c | grep -v '^src/mpi/')
status=0
clang-tidy --quiet $files -- $flags > lint.log 2> lint.errors || status=1
grep -vE '^$|warnings? (generated|treated)|^[0-9]+ warnings?|Suppressed|Use -' lint.log || true
[ "$status" -eq 0 ] || grep -E 'error:' lint.errors || true
rm -f lint.log lint.errors
cppcheck --quiet --enable=warning,performance,portability --std=c11 --inline-suppr --error-exitcode=1 \
    --suppressions-list=.cppcheck-suppressions -D_GNU_SOURCE -D__x86_64__ -D__GNUC__=12 -Iinclude -Isrc src || status=1
exit $status
