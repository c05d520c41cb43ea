#!/bin/sh
# Measures chains and keeps the tables. Times depend on the machine; the ratios at the end should not.
set -eu
cd "$(dirname "$0")/.."
tools/build.sh default "${JOBS:-2}" bench_chain
machine="$(uname -m), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"

# table FILE TITLE MODEL METHOD FIRST LAST N...: the ratios are those of LAST to FIRST links
table() {
    file=$1 title=$2 model=$3 method=$4 first=$5 last=$6
    shift 6
    { echo "$title under $method, h = 0.001: $machine"; echo; build/bench_chain "$model" "$method" "$@"; } | tee "$file"
    awk -v first="$first" -v last="$last" '
        $1 == first { load = $3 + $5; step = $7 }
        $1 == last { printf "\nFrom %d to %d links: load and set-up per link x %.2f, time per link and step x %.2f\n",
                     first, last, ($3 + $5) / load, $7 / step }' "$file" | tee -a "$file"
}

table bench/chain.txt "Hanging chain" models/hanging-chain.lua rattle 1000 100000 100 1000 10000 100000 1000000
table bench/em.txt "Chain with bending springs" models/bending-chain.lua em 1000 10000 100 1000 10000
