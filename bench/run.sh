#!/bin/sh
# Measures what recording costs, and the hanging chain, and keeps the tables. Times depend on the machine; the ratios at the end should not.
set -eu
cd "$(dirname "$0")/.."
tools/build.sh default "${JOBS:-2}" bench_chain
out=bench/record.txt
{
    echo "What recording costs: $(uname -m), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
    echo
    bench/record.sh build/taut
} | tee "$out"
out=bench/chain.txt
{
    echo "Hanging chain under rattle, h = 0.001: $(uname -m), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
    echo
    build/bench_chain models/hanging-chain.lua 100 1000 10000 100000 1000000
} | tee "$out"
awk '$1 == 1000 { load = $3 + $5; step = $7 }
     $1 == 100000 { printf "\nFrom 10^3 to 10^5 links: load and set-up per link x %.2f, time per link and step x %.2f\n",
                    ($3 + $5) / load, $7 / step }' "$out" | tee -a "$out"

# One evaluation of the Hamilton-Dirac equations (four a step): linear in the number of constraints.
out=bench/dirac.txt
{
    echo "Hanging chain under dirac:rk4, h = 0.001; last column: us per link and evaluation: $(uname -m), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
    echo
    build/bench_chain -m dirac:rk4 models/hanging-chain.lua 100 1000 10000 100000
} | tee "$out"
awk '$1 == 1000 || $1 == 10000 { evaluation[$1] = $10 }
     $1 == 100000 { printf "\nTime per link and evaluation: from 10^3 to 10^4 links x %.2f, from 10^4 to 10^5 links x %.2f\n",
                    evaluation[10000] / evaluation[1000], $10 / evaluation[10000] }' "$out" | tee -a "$out"
