#!/bin/sh
# long.sh [STEPS]: long runs of the double spherical pendulum (bench/long.c): docs/figures/long-runs.svg, and the table
# of docs/accuracy.md on standard output. 10^8 steps of each method take some two minutes.
set -eu
cd "$(dirname "$0")/.."
steps=${1:-1e8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for method in rattle em galerkin:LLL,m=3; do
    build/bench/long models/double-spherical-pendulum.lua $method 0.0078125 "$steps" > "$work/$method"
done
awk -F'\t' '
    $1 == "end" { next }
    FNR == 1 { hue++; next_point = 0 }
    $2 < next_point { next }
    { next_point = 1.9*$2; name = $1; sub(/:LLL,/, " ", name); print name ", momentum\t" $2 "\t" $3 "\t" hue }
    $1 == "em" { more = more $1 ", energy\t" $2 "\t" $4 "\t4\n" }
    END { printf "%s", more; for (n = 1e3; n < 2e8; n *= 10) print "square root of the steps\t" n "\t" 1e-17*sqrt(n) "\t7" }
' "$work/rattle" "$work/em" "$work/galerkin:LLL,m=3" |
    awk -f bench/plot.awk -v title="What should be kept, over $steps steps" -v xlabel=steps -v ylabel="largest error so far, relative" \
    > docs/figures/long-runs.svg
awk -F'\t' '
    FNR == 1 { n = 1e4 }
    $1 != "end" && $2 >= n { m[$1, n] = $3; e[$1, n] = $4; n *= 10 }
    $1 != "end" { last[$1] = $3; last_e[$1] = $4 }
    $1 == "end" {
        printf "| `%s` | %s | %s | %s | %s | %s | t^%s | %s, t^%s | %s +- %s | %s, %s |\n", $2, m[$2, 1e4], m[$2, 1e5], m[$2, 1e6],
               m[$2, 1e7], last[$2], $3, last_e[$2], $4, $5, $6, $7, $8
    }
' "$work/rattle" "$work/em" "$work/galerkin:LLL,m=3"
