#!/bin/sh
# run.sh [ROW...]: measures the rows named (all by default) and writes bench/README.md from their tables, new and old.
# A row is a file of bench/rows; ROUNDS=9 takes more care, ROUNDS=1 less. Other systems are measured where they are
# installed.
set -eu
cd "$(dirname "$0")/.."
all='j1 precision record native library ensemble chain links bodies j5 mechanisms random pile'
for row in "$@"; do
    if [ ! -f "bench/rows/$row.sh" ]; then
        echo "bench: no row is called '$row'; there are: $all" >&2
        exit 2
    fi
done
mkdir -p build/bench/work bench/tables bench/plots
tools/build.sh default "${JOBS:-2}" bench_programs
make -s -C bench/peers OUT="$PWD/build/bench" limits

# What is not installed does not compile or link; the reason is in build/bench/NAME.log.
for peer in lammps sundials mujoco mujoco_bodies ode openmm simbody dart siconos; do
    program=build/bench/peer_$peer
    if ! make -s -C bench/peers OUT="$PWD/build/bench" "$PWD/$program" > "build/bench/peer_$peer.log" 2>&1; then
        rm -f "$program"
        skipped="${skipped:-}${skipped:+, }$peer"
    fi
done
rm -f build/bench/peer_gromacs
if command -v gmx_d > /dev/null && command -v python3 > /dev/null; then
    ln -s ../../bench/peers/peer_gromacs.py build/bench/peer_gromacs
else
    skipped="${skipped:-}${skipped:+, }gromacs"
fi
if [ -n "${skipped:-}" ]; then
    echo "Not installed, skipped: $skipped. 'make bench-peers' installs the Debian packages of all."
fi

. bench/lib.sh
export XDG_CACHE_HOME="$PWD/build/bench/cache"   # native code stays out of the user's cache
unset TAUT_NATIVE TAUT_CC
for row in ${*:-$all}; do
    work=build/bench/work/$row
    rm -rf "$work"
    mkdir -p "$work"
    begun=$(date +%s)
    printf '%s ... ' "$row"
    (. "bench/rows/$row.sh")
    echo "$(($(date +%s) - begun)) s"
done
bench/page.sh > bench/README.md
echo "The tables are in bench/README.md."
