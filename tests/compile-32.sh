#!/bin/sh
# compile-32.sh COMPILER FLAGS..: reads every source file of src/ and programs/, and what the tests load into programs,
# as a compiler for 32 bits does, with all warnings as errors: sizes that do not fit (8 GiB in a size_t is 0), shifts and
# formats of long. FLAGS are -I and -isystem. No code is made, and the headers of libraries are those of this machine, so
# that no package for i386 is needed: where the C library has headers for 64 bits alone they serve here, too. Status 77
# (for CTest: skipped) where the compiler has no -m32, or the headers do not take it.
set -u
cd "$(dirname "$0")/.."
compiler=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/gnu"
: > "$work/gnu/stubs-32.h" # which Debian's libc6-dev lacks: it lists functions that do nothing
cat > "$work/try.c" << 'END'
#include <stdint.h>
#include <stdio.h>
#include <stdatomic.h>
#include <unistd.h>
int four[sizeof(size_t) == 4 && sizeof(long) == 4 ? 1 : -1];
END
headers=$(gcc -print-multiarch 2> /dev/null)
flags="-m32 -msse2 -mfpmath=sse -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -DTAUT_HAVE_EXPAT
       -isystem /usr/include/$headers -I$work"
# shellcheck disable=SC2086 # several words
"$compiler" $flags -fsyntax-only "$work/try.c" 2> "$work/said" ||
    { echo "skipped: $compiler -m32 does not compile here: $(head -1 "$work/said")"; exit 77; }
failed=0 files=0
for file in src/*/*.c programs/*/*.c tests/fault/*.c; do
    [ "${file#programs/mpi/}" = "$file" ] || continue
    files=$((files + 1))
    # what is not used is seen where code is made; that of the library is, in make check
    case $file in tests/*) code="-S -o $work/code" ;; *) code=-fsyntax-only ;; esac
    # shellcheck disable=SC2086
    "$compiler" $flags $code -DTAUT_HAVE_QUAD -DTAUT_HDF5_LIBRARY='"hdf5"' -DTAUT_BLAS_FILES='"blas"' -DTAUT_LAPACKE_FILE='"lapacke"' \
        -DTAUT_MUMPS_FILE='"mumps"' "$@" "$file" > "$work/said" 2>&1 && continue
    failed=$((failed + 1))
    grep -E 'error|warning' "$work/said"
done
echo "$files files, $failed do not compile for 32 bits"
[ "$failed" -eq 0 ] && [ "$files" -gt 370 ]
