# Sourced by run.sh for the rows (bench/rows/*.sh), which run in the root of the repository. $row: the name of the row;
# $work: a scratch folder.
programs=build/bench
taut=build/taut
pendulum=models/double-spherical-pendulum.lua
rounds=${ROUNDS:-5}

# pair LABEL STEP SHORT LONG ARGUMENT...: a run of SHORT steps and one of LONG; the difference has no load and set-up
pair() {
    label=$1 h=$2 short=$3 long=$4
    shift 4
    case $* in
    *'--native on'*) echo "- $taut run $* -s $h -T $h" ;; # compiled, if it was not yet: none of what is measured
    esac
    for which in short long; do
        eval "count=\$$which"
        echo "${label}_$which $taut run $* -s $h -T $(echo "$h $count" | awk '{ printf "%.12g", $1*$2 }')"
        echo "${label}_$which $count" >> "$work/steps"
    done
}

# has NAME: was the driver of this system built? What was not is listed under the table.
has() {
    if [ -x "$programs/peer_$1" ]; then return 0; fi
    grep -qx "$1" "$work/skipped" 2> /dev/null || echo "$1" >> "$work/skipped"
    return 1
}

# Runs the list on standard input in turn, with the rounds and the figure wanted: results go to $work/results.
measure() {
    "$programs/turns" -r "${1:-$rounds}" -f "${2:-none}" -o "$work" > "$work/new"
    cat "$work/new" >> "$work/results"
    sed -n "s/^\(.*\) failed$/bench: $row: '\1' failed/p" "$work/new" >&2
}

# table: the awk program on standard input prints the table of this row from the results
table() {
    touch "$work/steps"
    cat > "$work/program.awk"
    { sed 's/^/@ /' "$work/steps"; cat "$work/results"; } |
        awk -v goals="bench/tables/$row.goals" -v points="$work/table.points" \
            -f bench/lib.awk -f "$work/program.awk" > "$work/table"
    {
        cat "$work/table"
        if [ -s "$work/skipped" ]; then
            printf '\nNot installed, skipped: %s.\n' "$(paste -s -d, "$work/skipped" | sed 's/,/, /g')"
        fi
        printf '\n%s\n' "$(bench/machine.sh)"
    } > "bench/tables/$row.md"
}

# whole LABEL STEP COUNT ARGUMENT...: a `taut run` of COUNT steps that reports the processor time of its stepping
# (measure it with the figure processor_seconds): all that a run does per step, without load and set-up
whole() {
    label=$1 h=$2 count=$3
    shift 3
    echo "$label $taut run $* -s $h -T $(echo "$h $count" | awk '{ printf "%.12g", $1*$2 }') --json"
    echo "$label $count" >> "$work/steps"
}
