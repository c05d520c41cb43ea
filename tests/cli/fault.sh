#!/bin/sh
# fault.sh TAUT MODELS SHIM: one call of the system after the other fails (tests/fault/shim.c) while runs are recorded, resumed,
# exported, reported, and ensembles run. Whatever fails: the exit status says so, with one message; nothing crashes; what was
# there before is there afterwards, no half file is left, and a run that began can be resumed to the same numbers.
# Of the calls some are tried; TAUT_TEST_LONG=1 tries all.
set -eu
taut=$(realpath "$1")
models=$(realpath "$2")
shim=$(realpath "$3")
export TAUT_NATIVE=off
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "$what ($fault): $1"
    cat errors
    ls -l work
    exit 1
}

# faulted ARGUMENTS: the command with the fault; its status in $status
faulted() {
    status=0
    LD_PRELOAD=$shim TAUT_FAULT=$fault "$taut" "$@" > output 2> errors || status=$?
    [ "$status" -ne 99 ] || { echo "SKIPPED: $(cat errors)"; exit 77; }
    [ "$status" -lt 126 ] || fail "exit status $status"
    [ "$status" -eq 0 ] || [ "$(grep -c '^taut: ' errors)" -eq 1 ] || fail "status $status without one message"
    [ "$status" -eq 0 ] || failures=$((failures + 1))
}

# An HDF5 file has the time in it: its size is compared.
same() {
    case $1 in
    *.h5) [ "$(wc -c < "$1")" -eq "$(wc -c < "$2")" ] || fail "$1 is not $2" ;;
    *) cmp -s "$1" "$2" || fail "$1 is not $2" ;;
    esac
}

# calls ARGUMENTS: how many calls of each kind the command makes
calls() { LD_PRELOAD=$shim TAUT_FAULT_COUNT=counts "$taut" "$@" > output 2>&1; }

# each FUNCTION: calls it with $fault for some or all calls that were counted
each() {
    failures=0 tried=0
    while read -r kind count; do
        # HDF5 brings libraries along (curl, GnuTLS) that do not survive a failing allocation while they are loaded
        case $what-$kind in *h5-malloc | *h5-mmap) continue ;; esac
        [ -n "${TAUT_TEST_LONG:-}" ] && most=1000000 || { [ "$kind" = malloc ] && most=10 || most=7; }
        for at in $(awk -v n="$count" -v most="$most" 'BEGIN { last = 0; for (i = 1; i <= most && last < n; i++) {
                at = n <= most ? i : int(1 + (n - 1) * (i - 1) / (most - 1) + 0.5); if (at > last) print at; last = at } }'); do
            # every third one, and all after it: as on a disk that is full and stays so
            case $((tried % 3)) in
            2) fault=$kind:$at+ ;;
            *) fault=$kind:$at ;;
            esac
            tried=$((tried + 1))
            rm -rf work
            mkdir work
            "$1"
        done
    done < counts
    echo "$what: $tried calls failed, and $failures times the command"
    [ "$failures" -gt 5 ] || fail "only $failures failures are seen"
}

model=$models/double-spherical-pendulum.lua
"$taut" run "$model" -m rattle -s 0.01 -T 0.1 -o half.taut > output
"$taut" run "$model" -m rattle -s 0.01 -T 0.2 -o whole.taut > output
"$taut" export whole.taut whole.csv > output

whole_run() { # FILE: is, or can be made, the whole run
    "$taut" resume "$1" -T 0.2 > output 2> errors || grep -q "at t = 0.2 already" errors || fail "cannot be resumed"
    "$taut" export "$1" work/after.csv > output 2> errors || fail "cannot be exported"
    same work/after.csv whole.csv
    rm -f work/after.csv
}

what="taut run"
try_run() {
    faulted run "$model" -m rattle -s 0.01 -T 0.2 -o work/run.taut
    [ "$status" -ne 0 ] || [ -s work/run.taut ] || fail "there is no run"
    if [ -s work/run.taut ]; then
        # rolled back by who opens it first; then there may be nothing
        if "$taut" export work/run.taut work/x.csv > output 2> errors; then whole_run work/run.taut
        else grep -q "is empty" errors || fail "cannot be opened"; fi
    fi
    rm -f work/run.taut work/x.csv work/run.taut-journal
    [ -z "$(ls work)" ] || fail "files are left"
}
mkdir -p work
calls run "$model" -m rattle -s 0.01 -T 0.2 -o work/run.taut
each try_run

what="taut resume"
try_resume() {
    cp half.taut work/run.taut
    faulted resume work/run.taut -T 0.2
    whole_run work/run.taut
    rm -f work/run.taut
    [ -z "$(ls work)" ] || fail "files are left"
}
rm -rf work && mkdir work
cp half.taut work/run.taut
calls resume work/run.taut -T 0.2
each try_resume

# try_file COMMAND...: writes work/new.X over what is there
try_file() {
    echo before > "work/$new"
    faulted "$@" "work/$new"
    # as before, or whole: what fails after that is to say so
    [ "$status" -ne 0 ] && [ "$(head -c 7 "work/$new")" = before ] || same "work/$new" "new-$new"
    rm -f "work/$new"
    [ -z "$(ls work)" ] || fail "files are left: $(ls work)"
}
for new in page.html run.csv run.xyz run.h5; do
    rm -rf work && mkdir work
    case $new in
    page.html)
        what="taut report"
        try_new() { try_file report whole.taut -o; }
        "$taut" report whole.taut -o "new-$new" > output
        calls report whole.taut -o "work/$new"
        ;;
    *)
        what="taut export $new"
        try_new() { try_file export whole.taut; }
        "$taut" export whole.taut "new-$new" > output
        calls export whole.taut "work/$new"
        ;;
    esac
    each try_new
done

what="taut ensemble"
ensemble() { "$1" ensemble "$model" -m rattle -s 0.01 -T 0.1 --vary "g=uniform(9,10)" --members 4 --threads 1 -o "$2"; }
"$taut" ensemble "$model" -m rattle -s 0.01 -T 0.1 --vary "g=uniform(9,10)" --members 4 --threads 1 -o all.taut > output
"$taut" export all.taut all.csv > output
try_ensemble() {
    ensemble faulted work/all.taut
    if [ -s work/all.taut ] && "$taut" export work/all.taut work/x.csv > output 2> errors; then
        "$taut" resume work/all.taut > output 2> errors || fail "cannot be resumed"
        "$taut" export work/all.taut work/all.csv > output 2> errors || fail "cannot be exported"
        same work/all.csv all.csv
    elif [ -s work/all.taut ]; then grep -q "is empty" errors || fail "cannot be opened"; fi
    rm -f work/all.taut work/x.csv work/all.csv work/all.taut-journal
    [ -z "$(ls work)" ] || fail "files are left: $(ls work)"
}
rm -rf work && mkdir work
ensemble calls work/all.taut
each try_ensemble
