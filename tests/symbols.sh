#!/bin/sh
# symbols.sh LIBRARY: every external name of the library begins with taut_, so that nothing clashes with a program that links it.
set -eu
names=$(nm -g --defined-only "$1" 2> /dev/null | awk 'NF == 3 && $2 != "w" { print $3 }')
[ "$(echo "$names" | wc -l)" -gt 500 ] || { echo "only $(echo "$names" | wc -l) names found in $1"; exit 1; }
if echo "$names" | grep -v '^taut_'; then
    echo "these external names do not begin with taut_: rename them, or make them static"
    exit 1
fi
