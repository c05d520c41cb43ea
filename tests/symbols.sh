#!/bin/sh
# symbols.sh LIBRARY: every external name of the library begins with taut_, so that nothing clashes with a program that links it.
set -eu
names=$(nm -g --defined-only "$1" 2> /dev/null | awk 'NF == 3 && $2 != "w" { print $3 }')
[ "$(echo "$names" | wc -l)" -gt 500 ] || { echo "only $(echo "$names" | wc -l) names found in $1"; exit 1; }
if echo "$names" | grep -v '^taut_'; then
    echo "these external names do not begin with taut_: rename them, or make them static"
    exit 1
fi
# Values in double are those of base/elementary.h, whose bits no C library changes.
if nm -u "$1" 2> /dev/null | grep -wE '(sin|cos|sincos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|fma)$'; then
    echo "these functions of the C library are called in double: call those of base/elementary.h"
    exit 1
fi
# Nothing is fused but what the tapes of lowered steps ask for, one number at a time: gcc 12 vectorises neighbouring products and
# sums into vfmaddsub in spite of -ffp-contract=off, where the target has it.
if objdump -d "$1" 2> /dev/null | awk '
    /^[0-9a-f]+ <.*>:$/ { asks = $2 ~ /^<taut_program_run_fused_double/ }
    /[[:space:]]vfn?m(add|sub)/ && !(asks && /[[:space:]]vfn?m(add|sub)(132|213|231)sd/)' | head -n 5 | grep .; then
    echo "these instructions round once where others round twice: another processor would give other bits"
    exit 1
fi
