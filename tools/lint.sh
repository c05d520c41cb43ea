#!/bin/sh
# lint.sh [tidy|cppcheck]: clang-tidy (.clang-tidy), cppcheck (.cppcheck-suppressions), or both, over src/ and programs/, in double
# precision: clang has no quad. Nothing is said, and the exit status is 0, where they have nothing to say. TAUT_LINT_CACHE is a
# folder where cppcheck keeps what it has found, so that files that did not change are not read again.
set -eu
cd "$(dirname "$0")/.."
which=${1:-both}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in clang-tidy cppcheck; do
    if ! command -v $tool > /dev/null; then
        echo "$tool is not installed: tools/setup.sh lint installs it" >&2
        exit 1
    fi
done
status=0
if [ "$which" != cppcheck ]; then
    flags="-std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc -Iprograms $(pkg-config --cflags lua5.4 sqlite3 hdf5-serial 2> /dev/null ||
        pkg-config --cflags lua5.4 sqlite3 hdf5) -I/usr/include/suitesparse -I/usr/include/mumps_seq
        -DTAUT_HDF5_LIBRARY=\"libhdf5.so\" -DTAUT_LAPACKE_FILE=\"liblapacke.so\" -DTAUT_MUMPS_FILE=\"libdmumps.so\"
        -DTAUT_BLAS_FILES=\"libblas.so\" -DTAUT_HAVE_EXPAT"
    # programs/mpi needs the headers of an MPI
    files=$(ls src/*/*.c programs/*/*.c | grep -v '^programs/mpi/')
    clang-tidy --quiet $files -- $flags > "$work/found" 2> "$work/errors" || status=1
    grep -vE '^$|warnings? (generated|treated)|^[0-9]+ warnings?|Suppressed|Use -' "$work/found" || true
    [ "$status" -eq 0 ] || grep -E 'error:|not found' "$work/errors" || true
fi
if [ "$which" != tidy ]; then
    cache=${TAUT_LINT_CACHE:-$work}
    mkdir -p "$cache"
    cppcheck --quiet --enable=warning,performance,portability --std=c11 --inline-suppr --error-exitcode=1 \
        --suppressions-list=.cppcheck-suppressions --cppcheck-build-dir="$cache" \
        -D_GNU_SOURCE -D__x86_64__ -D__GNUC__=12 -Iinclude -Isrc -Iprograms src programs || status=1
fi
exit $status
