#!/bin/sh
# fuzz.sh SECONDS [TARGET...]: libFuzzer on the targets of tests/fuzz, one after the other, SECONDS each. What it learns is
# kept in build-fuzz/corpus, what crashes in build-fuzz/crashes; build-fuzz/executions.txt counts all executions, a line
# for every run: when, target, executions, seconds, how it ended, seconds of processor time. docs/testing.md says what was
# found.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- vary method import expr step record model
programs=build-fuzz/tests/fuzz
# These, and -entropic=0 below, save four tenths of the processor time of `step`. A crash is repeated with full stacks.
ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=8${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
mkdir -p build-fuzz/crashes
failed=
for target in "$@"; do
    corpus=build-fuzz/corpus/$target
    mkdir -p "$corpus"
    seeds=tests/fuzz/corpus/$target
    depth=5
    case $target in
    model) # small ones: a step of a large one takes as long as a hundred of these
        set_of=build-fuzz/seeds longest=1200 depth=2
        rm -rf $set_of && mkdir $set_of
        find models tests/cli/bad-models tests/joints -name '*.lua' -size -3 |
            while read -r file; do cp "$file" "$set_of/$(echo "$file" | tr / -)"; done ;;
    import) set_of=tests/import; longest=4000 ;;
    step) set_of=; longest=100 ;; # one byte is a node of an expression
    *) set_of=; longest=600 ;;
    esac
    log=build-fuzz/$target.log
    times > build-fuzz/times
    # Models may need more memory than the target allows itself: LAPACK, Lua's parser. Nothing is found by counting it.
    if TAUT_NATIVE=off "$programs/fuzz_$target" -max_total_time="$seconds" -max_len="$longest" -timeout=60 -rss_limit_mb=4096 \
        -entropic=0 -mutate_depth=$depth -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="build-fuzz/crashes/$target-" \
        "$corpus" "$seeds" $set_of > "$log" 2>&1; then
        state=done
    else
        state=failed
        failed="$failed $target"
    fi
    count=$(awk '/number_of_executed_units/ { n = $2 } END { print n + 0 }' "$log")
    spent=$(awk '/^Done/ { n = $(NF - 1) } END { print n + 0 }' "$log")
    times >> build-fuzz/times # its second line of each call: user and system time of the programs that have ended
    work=$(awk 'NR % 2 == 0 { split($1 "m" $2, t, "[ms]+"); w = 60 * t[1] + t[2] + 60 * t[3] + t[4] - w }
                END { printf "%.0f", w }' build-fuzz/times)
    echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $target $count $spent $state $work" >> build-fuzz/executions.txt
    echo "$target: $count executions in $work s of processor time, $state"
done
awk '{ n[$2] += $3; s[$2] += $4; all += $3 } END { for (t in n) printf "%-8s %12d executions %8d s\n", t, n[t], s[t]
     printf "%-8s %12d executions\n", "all", all }' build-fuzz/executions.txt
if [ -n "$failed" ]; then
    for target in $failed; do
        echo "== $target"
        grep -E 'ERROR|SUMMARY|does not hold|runtime error|Test unit' "build-fuzz/$target.log" | head -8
    done
    exit 1
fi
