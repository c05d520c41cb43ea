#!/bin/sh
# elementary.sh TEXT SOURCE: base/elementary.h gives the same bits with every compiler here and at every level, also with the processor's own
# instructions; and every choice of its sections is C that compiles alone without a warning. TEXT is the program elementary_text, SOURCE the
# repository. 77 (skipped) where there is no compiler.
set -eu
text=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
first= compared=0

compilers=
for cc in gcc clang tcc; do
    if command -v "$cc" > /dev/null; then compilers="$compilers $cc"; fi
done
[ -n "$compilers" ] || { echo 'there is no compiler: gcc, clang or tcc'; exit 77; }

bits() {
    "$@" -I"$source/src" -I"$source/tests" "$source/tests/elementary_bits.c" -o bits -lm
    ./bits > bits.now
    [ -s bits.now ] || { echo "no values from: $*"; exit 1; }
    if [ -z "$first" ]; then
        first="$*"
        mv bits.now bits.first
    else
        cmp bits.first bits.now || { echo "other bits: $*, against $first"; exit 1; }
        compared=$((compared + 1))
    fi
}

for cc in $compilers; do
    for level in -O0 -O1 -O2 -O3; do bits "$cc" "$level" -ffp-contract=off; done
    # The fused multiply-add of the processor is there to be taken, and must not be.
    if "$cc" -march=native -x c -c -o native.o - < /dev/null 2> native.log && [ ! -s native.log ]; then
        for level in -O1 -O3; do bits "$cc" "$level" -march=native -ffp-contract=off; done
        bits "$cc" -std=c11 -O2 -march=native
    fi
done
echo "the same bits $compared times: of$compilers"

# The test can fail: contraction changes bits, where there is a fused multiply-add to contract to.
if grep -qw fma /proc/cpuinfo 2> /dev/null && command -v gcc > /dev/null; then
    gcc -O2 -mfma -ffp-contract=fast -I"$source/src" -I"$source/tests" "$source/tests/elementary_bits.c" -o bits -lm
    ./bits > bits.now
    if cmp -s bits.first bits.now; then echo 'contraction changed nothing: what is compared?'; exit 1; fi
fi

# Sections, each alone and all together.
names='sin cos sincos tan asin acos atan atan2 exp log pow powi cbrt sinh cosh tanh atanh sinc sinhc atanc atanhc fma'
call() {
    case $1 in
    sincos) echo 'double s, c; taut_math_sincos(x, &s, &c); return s + c;' ;;
    atan2 | pow) echo "return taut_math_$1(x, 2 * x);" ;;
    fma) echo 'return taut_math_fma(x, 2 * x, -x);' ;;
    powi | sinc | sinhc | atanc | atanhc) echo "return taut_math_$1(x, 3);" ;;
    *) echo "return taut_math_$1(x);" ;;
    esac
}
for cc in $compilers; do
    if [ "$cc" = tcc ]; then continue; fi
    for name in $names "$names"; do
        # shellcheck disable=SC2086
        "$text" $name > one.c
        number=0
        for function in $name; do
            number=$((number + 1))
            echo "double f$number(double x); double f$number(double x) { $(call "$function") }" >> one.c
        done
        "$cc" -std=c11 -O1 -ffreestanding -pedantic -Wall -Wextra -Wconversion -Wshadow -Wundef -Werror -c one.c -o one.o
        # nothing is asked of a library but sqrt, and what compilers may always call
        if nm -u one.o | grep -vwE 'sqrt|memcpy|memset|memmove|_GLOBAL_OFFSET_TABLE_'; then
            echo "$name: needs the names above"
            exit 1
        fi
    done
done
"$text" exp > one.c
if grep -q taut_math_sin one.c; then echo 'exp brings sin along'; exit 1; fi
if "$text" nothing > /dev/null; then echo 'a name that is none is found'; exit 1; fi
# shellcheck disable=SC2086
"$text" $names > all.c
cmp all.c "$source/src/base/elementary.h"
