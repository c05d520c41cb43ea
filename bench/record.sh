#!/bin/sh
# record.sh TAUT: what recording costs. The double spherical pendulum under rattle, with and without -o, in turn, the best of each; then a
# chain with many coordinates, whose checkpoints are large. Wall time includes the waiting for the disk, and whatever else the machine does;
# processor time does not.
set -eu
taut=$1
rounds=${ROUNDS:-15}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# measure FILE ARGUMENTS..: adds a line to the file: seconds of the time loop (as the summary tells: all that recording does but the
# opening of the file), and of the processor, user and system, for the whole command
measure() {
    to=$1
    shift
    sh -c '"$@" > "$0"; times' "$scratch/out" "$taut" run "$@" > "$scratch/times"
    echo "$(sed -n 's/.* steps in \([^ ]*\) s .*/\1/p' "$scratch/out") $(tail -n 1 "$scratch/times" | awk '{ split($1, u, /[ms]/); split($2, s, /[ms]/)
        print 60*u[1] + u[2] + 60*s[1] + s[2] }')" >> "$to"
}

# row WHAT MODEL ARGUMENTS..
row() {
    what=$1
    shift
    : > "$scratch/plain"
    : > "$scratch/recorded"
    for _ in $(seq "$rounds"); do
        measure "$scratch/plain" "$@"
        measure "$scratch/recorded" "$@" --every "$every" -o "$scratch/run.taut" --force
    done
    awk -v what="$what" -v every="$every" -v size="$(wc -c < "$scratch/run.taut")" '
        FNR == 1 { file++; wall[file] = $1; cpu[file] = $2 }
        { if ($1 < wall[file]) wall[file] = $1; if ($2 < cpu[file]) cpu[file] = $2 }
        END { printf "%-26s %6d %7.2f %7.2f %+7.1f %% %7.2f %7.2f %+7.1f %% %7.1f\n", what, every, wall[1], wall[2], 100*(wall[2]/wall[1] - 1),
                     cpu[1], cpu[2], 100*(cpu[2]/cpu[1] - 1), size/1048576 }' "$scratch/plain" "$scratch/recorded"
}

printf '%-33s %25s %25s\n' '' 'wall time, seconds' 'processor time, seconds'
printf '%-26s %6s %7s %7s %9s %7s %7s %9s %7s\n' "rattle, best of $rounds" every plain -o cost plain -o cost MiB
pendulum=models/double-spherical-pendulum.lua
every=100 row 'double spherical pendulum' $pendulum -s 0.00001 -T 6
every=10 row 'double spherical pendulum' $pendulum -s 0.00001 -T 6
every=1 row 'double spherical pendulum' $pendulum -s 0.00001 -T 1
every=100 row 'chain of 10000 links' models/hanging-chain.lua -D N=10000 -s 0.001 -T 0.3
