#!/bin/bash
# gpu-check.sh: ensembles on a machine with a GPU: the bits of single runs, and how fast.
#
#     tools/gpu-check.sh prepare   where Taut is built: puts what is needed into build-gpu/, to be taken along
#     tools/gpu-check.sh [bits|rows|map|drift|speed|counters|all]   on the machine with the GPU, which needs CUDA
#
# Results go to standard output; with $OUT set, to $OUT/gpu-check.txt as well. bits: 1,000 members, 10,000 steps.
set -u
cd "$(dirname "$0")/.." || exit 1
folder=build-gpu

prepare() {
    set -e
    cmake -S . -B build > /dev/null
    cmake --build build --target bench_ensemble --target taut_command -j 2 | tail -1
    rm -rf "$folder"
    mkdir -p "$folder/lib"
    cp build/bench/ensemble "$folder/ensemble"
    cp build/taut "$folder/taut"
    strip "$folder/ensemble" "$folder/taut"
    # all libraries but those of the C library, which every machine has
    ldd build/bench/ensemble build/taut | awk '$3 ~ /^\// { print $3 }' | grep -v '/lib\(c\|m\|dl\|pthread\|rt\)\.so' |
        while read -r library; do cp -L "$library" "$folder/lib/"; done
    if command -v nvcc > /dev/null; then
        nvcc -arch=sm_90 -O3 -o "$folder/limit_fast" bench/peers/limit_ensemble.cu
        nvcc -arch=sm_90 -O3 -fmad=false -o "$folder/limit_exact" bench/peers/limit_ensemble.cu
    fi
    du -sh "$folder"
}

ensemble() { LD_LIBRARY_PATH="$here/$folder/lib:${LD_LIBRARY_PATH:-}" TAUT_MODELS="$here/models" "$here/$folder/ensemble" "$@"; }

bits() {
    echo "## bits: 1,000 members, 10,000 steps, all states"
    for method in rattle em lobatto:s=3 compose:rattle,order=8; do
        ensemble bits $method 0.01 1000 10000 "$threads" lanes gpu || status=1
    done
}

rows() {
    echo "## rows, read together and member by member: all columns against single runs, then how fast"
    for method in rattle em lobatto:s=3; do
        ensemble rows $method 0.01 1000 2000 20 "$threads" all interpreter lanes gpu || status=1
    done
    ensemble rows rattle 0.01 1e5 2000 100 "$threads" kept gpu lanes || status=1
    ensemble rows em 0.01 1e5 2000 100 "$threads" kept gpu || status=1
}

map() {
    echo "## the chaos map of docs/ensembles.md: on the GPU, in lanes, and a small one against the interpreter"
    export LD_LIBRARY_PATH="$here/$folder/lib:${LD_LIBRARY_PATH:-}"
    tools/chaos-map.py --taut "$folder/taut" --on gpu --check lanes ${OUT:+-o "$OUT/chaos-map.png"} || status=1
    tools/chaos-map.py --taut "$folder/taut" --on gpu --size 100 --until 20 --check interpreter || status=1
}

# What --fast loses: the largest change of the angular momentum over the members, and the largest constraint.
drift() {
    local until fast work file
    work=$(mktemp -d) && file=$work/drift
    echo "## drift: 1,000 members, h = 0.01, rattle: exact, then fast"
    export LD_LIBRARY_PATH="$here/$folder/lib:${LD_LIBRARY_PATH:-}"
    for fast in "" --fast; do
        for until in 100 1000 10000; do
            "$folder/taut" ensemble models/double-spherical-pendulum.lua -m rattle -s 0.01 -T $until --members 1000 \
                --vary "m2=uniform(3,4)" --keep t,angular_momentum.z,constraint --at 0,$until --on gpu $fast \
                -o $file.taut --force > /dev/null && "$folder/taut" export $file.taut $file.csv || status=1
            awk -F, -v what="T=$until $fast" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                $at["t"] == 0 { first[$at["member"]] = $at["angular_momentum.z"]; next }
                { d = $at["angular_momentum.z"] - first[$at["member"]]; if (d < 0) d = -d; if (d > most) most = d
                  if ($at["constraint"] > gap) gap = $at["constraint"]; ends++ }
                END { printf "%s: %d members, angular momentum changed by at most %.2g, constraints at most %.2g\n",
                    what, ends, most, gap }' $file.csv || status=1
        done
    done
    rm -rf "$work"
}

speed() {
    echo "## peak of double precision"
    "$limits/limit_fast" peak 1 2e6 20000
    "$limits/limit_fast" peak -1 2e6 20000
    echo "## hand-written steps, bit-exact (no fused multiply-add), then fast"
    for method in rattle energy; do
        for copies in 1e4 1e5 1e6; do
            "$limits/limit_exact" $method 0.01 $copies 2000
            "$limits/limit_fast" $method 0.01 $copies 2000
        done
    done
    echo "## Taut on the GPU, bit-exact, then fast"
    for method in rattle em lobatto:s=3 compose:rattle,order=8; do
        for members in 1e4 1e5 1e6; do
            ensemble speed gpu $method 0.01 $members 2000 "$threads"
            ensemble speed gpu $method 0.01 $members 2000 "$threads" fast
        done
    done
    echo "## the same with more or fewer blocks of threads on a multiprocessor (the default is 3, and 2 for long steps)"
    for method in rattle em lobatto:s=3; do
        for blocks in 1 2 4; do
            echo -n "blocks=$blocks "
            BLOCKS=$blocks ensemble speed gpu $method 0.01 1e6 2000 "$threads"
        done
    done
    echo "## Taut in lanes, on one thread and on all"
    ensemble speed lanes rattle 0.01 1e5 1000 1
    ensemble speed lanes rattle 0.01 1e5 1000 "$threads"
    ensemble speed lanes em 0.01 1e5 1000 1
    echo "## the same step in JAX"
    for copies in 1e5 1e6; do timeout 100 python3 bench/peers/ensemble_jax.py rattle 0.01 $copies 2000 2>&1 | tail -1; done
}

# Instructions in double precision that the kernel executes, its time and registers, by Nsight Compute.
counters() {
    local of=smsp__sass_thread_inst_executed_op more=gpu__time_duration.sum,launch__registers_per_thread
    for method in rattle em lobatto:s=3 compose:rattle,order=8; do
        for fast in "" fast; do
            echo "$method $fast"
            LD_LIBRARY_PATH="$here/$folder/lib:${LD_LIBRARY_PATH:-}" TAUT_MODELS="$here/models" ncu --clock-control none \
                --launch-count 1 --metrics "${of}_dadd_pred_on.sum,${of}_dmul_pred_on.sum,${of}_dfma_pred_on.sum,$more" \
                "$here/$folder/ensemble" speed gpu $method 0.01 4e5 200 "$threads" $fast | grep -E 'op_d|duration|registers'
        done
    done
}

if [ "${1:-all}" = prepare ]; then
    prepare
    exit
fi
[ -n "${OUT:-}" ] && exec > >(tee "$OUT/gpu-check.txt") 2>&1
here=$PWD
threads=$(nproc)
status=0
limits=$(mktemp -d)
export PATH="$PATH:/usr/local/cuda/bin"
echo "# $(nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader 2> /dev/null), $threads threads"
for fast in true false; do
    name=$([ $fast = true ] && echo limit_fast || echo limit_exact)
    nvcc -arch=native -O3 -fmad=$fast -o "$limits/$name" bench/peers/limit_ensemble.cu 2> /dev/null ||
        cp "$folder/$name" "$limits/$name"
done
ensemble bits rattle 0.01 64 100 "$threads" gpu || { echo "the program does not run here"; ldd "$folder/ensemble"; status=1; }
case ${1:-all} in
bits) bits ;;
rows) rows ;;
map) map ;;
drift) drift ;;
speed) speed ;;
counters) counters ;;
*) bits; rows; map; drift; speed ;;
esac
rm -rf "$limits"
exit $status
