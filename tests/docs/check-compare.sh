#!/bin/sh
# check-compare.sh: what compare.awk calls equal, and what not.
set -eu
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

# judge WANTED EXPECTED PRINTED: \n ends a line
judge()
{
    printf '%b\n' "$2" > expected
    printf '%b\n' "$3" > printed
    found=equal
    awk -f "$here/compare.awk" expected printed > /dev/null || found=different
    [ "$found" = "$1" ] && return
    failed=1
    echo "found $found, expected $1: '$2' and '$3'"
}

# round-off: its size counts, not its digits and not its sign
judge equal 'at most 8.9e-15' 'at most 2.1e-15'
judge equal 'slope -2e-17' 'slope +3e-17'
judge equal 'error 0 .. 2.2e-16' 'error -4.4e-16 .. 0'
judge different 'at most 8.9e-15' 'at most 3e-10'
judge different 'at most 8.9e-15' 'at most 2e-16'
judge different 'at most 1.1e-33' 'at most 8e-15'
judge different 'at most 0' 'at most 3e-13'
judge different 'at most 8e-10' 'at most 1.2e-9'
# other numbers: the last digit shown may be rounded the other way, or the tenth
judge equal '1.330e-04' '1.331e-04'
judge equal '0.1 and 1e-04' '0.0999999 and 9.99e-05'
judge equal '0.064805611180395878' '0.064805611180405981'
judge different '1.330e-04' '1.332e-04'
judge different '-0.0057' '-0.0059'
judge different '-0.0057' '+0.0057'
judge different '0.064805611180' '0.064805711180'
judge different '2.5' '6.2'
judge different '1.7e-2' '1.5e-2'
# counts are exact, and so is everything else
judge different '4000 of the equations' '4001 of the equations'
judge different '5 kernels' '6 kernels'
judge different 'holds' 'does not hold'
judge different 'one\ntwo' 'one'
judge different 'one' 'one\ntwo'
# times and what is left out
judge equal '1000 steps in 0.0248 s (24.8 us each, 24.7 us of processor time, 0.0 Newton' '1000 steps in 1.5 s (1500 us each, 25 us of processor time, 0.0 Newton'
judge equal 'one\n...\nthree' 'one\ntwo\n2.5\nthree'
judge different 'one\n...\nthree' 'one\ntwo'
judge equal 'one two...' 'one two three'
exit "$failed"
