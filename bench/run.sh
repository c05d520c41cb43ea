#!/bin/sh
# Measures chains, elementary functions and what recording costs, and keeps the tables. Times depend on the machine; the ratios at the end should not.
set -eu
cd "$(dirname "$0")/.."
tools/build.sh default "${JOBS:-2}" bench_chain
tools/build.sh default "${JOBS:-2}" bench_elementary
machine="$(uname -m), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"

# table FILE TITLE MODEL METHOD FIRST LAST N...: the ratios are those of LAST to FIRST links
table() {
    file=$1 title=$2 model=$3 method=$4 first=$5 last=$6
    shift 6
    { echo "$title under $method, h = 0.001: $machine"; echo; build/bench_chain -m "$method" "$model" "$@"; } | tee "$file"
    awk -v first="$first" -v last="$last" '
        $1 == first { load = $3 + $5; step = $7 }
        $1 == last { printf "\nFrom %d to %d links: load and set-up per link x %.2f, time per link and step x %.2f\n",
                     first, last, ($3 + $5) / load, $7 / step }' "$file" | tee -a "$file"
}

table bench/chain.txt "Hanging chain" models/hanging-chain.lua rattle 1000 100000 100 1000 10000 100000 1000000
table bench/em.txt "Chain with bending springs" models/bending-chain.lua em 1000 10000 100 1000 10000

# One evaluation of the Hamilton-Dirac equations (four a step): linear in the number of constraints.
file=bench/dirac.txt
{
    echo "Hanging chain under dirac:rk4, h = 0.001; last column: us per link and evaluation: $machine"
    echo
    build/bench_chain -m dirac:rk4 models/hanging-chain.lua 100 1000 10000 100000
} | tee "$file"
awk '$1 == 1000 || $1 == 10000 { evaluation[$1] = $10 }
     $1 == 100000 { printf "\nTime per link and evaluation: from 10^3 to 10^4 links x %.2f, from 10^4 to 10^5 links x %.2f\n",
                    evaluation[10000] / evaluation[1000], $10 / evaluation[10000] }' "$file" | tee -a "$file"

{
    echo "Elementary functions beside those of the C library: $machine"
    echo
    build/bench_elementary
} | tee bench/elementary.txt

{
    echo "What recording costs: $machine"
    echo
    bench/record.sh build/taut
} | tee bench/record.txt
