#!/bin/sh
# bench_models.sh TAUT MODELS: the models of bench/models: random mechanisms are what they claim to be, start
# consistent, and keep their constraints; the pinned chain and the gimbal run.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"
bench=$(dirname "$models")/bench/models

# highest QUANTITY: its largest value in the JSON of the last run
highest() { awk -v name="\"$1\"" -F '[:,]' 'index($0, name) { on = 1 } on && /"highest"/ { print $2; exit }' out; }

# keeps WHAT ARGUMENTS..: the run succeeds, with constraints of 0 to some ulps of lengths of about 10
keeps() {
    what=$1
    shift
    succeeds run "$@" -m rattle -s 0.0005 -T 0.005 --json
    is "$what: steps" "$(sed -n 's/^"steps":\(.*\),/\1/p' out)" 10
    is "$what: constraints" "$(highest constraint | awk '{ print ($1 < 1e-12) }')" 1
}

for seed in 1 2 3 4 5 6 7 8; do
    keeps "seed $seed" "$bench/random-mechanism.lua" -D seed=$seed
    title=$(sed -n 's/^"title":"\(.*\)",/\1/p' out)
    case $((seed % 4)) in 1) kind=tree ;; 2) kind=ring ;; 3) kind=rods ;; *) kind=springs ;; esac
    is "seed $seed: kind" "$(echo "$title" | awk '{ print $2 }')" $kind
    bodies=$(echo "$title" | awk '{ print $(NF - 1) }')
    is "seed $seed: 5 to 200 bodies" "$(( bodies >= 5 && bodies <= 200 ))" 1
    succeeds run "$bench/random-mechanism.lua" -D seed=$seed -m rattle -s 0.0005 -T 0.0005 --csv
    turns=$(head -n 1 out | tr , '\n' | grep -c '^b[0-9]*_r\.[wxyz]$')
    is "seed $seed: quaternions of its bodies" "$turns" $((4*bodies))
done
keeps "pinned chain" "$bench/closed-chain.lua" -D N=5
keeps "gimbal" "$bench/gimbal.lua"

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
