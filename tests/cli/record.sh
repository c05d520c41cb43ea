#!/bin/sh
# record.sh TAUT MODELS: run files, from outside: run -o, resume, export, signals.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

ok() { succeeds "$@"; }

# bad TEXT ARGUMENTS..: status 2, one line on stderr with the text, nothing on stdout
bad() {
    text=$1
    shift
    run "$@"
    is "exit status of: taut $*" "$status" 2
    is "stdout of: taut $*" "$(cat out)" ""
    is "lines on stderr of: taut $*" "$(wc -l < err | tr -d ' ')" 1
    grep -qF -- "$text" err || is "stderr of: taut $*" "$(cat err)" "$text"
}

# same WHAT FILE FILE: the same bytes
same() {
    checks=$((checks + 1))
    cmp "$2" "$3" > difference 2>&1 && return
    failures=$((failures + 1))
    echo "FAILED: $1: $(cat difference)"
}

# ---- --csv and export are the same bytes ----
for arguments in "$double -T 2 --every 7" "$pendulum -s 0.03 -T 1" "$models/henon-heiles.lua -m lobatto:s=3 -T 1 --every 4" \
    "$models/papers/jay-simeon-4.1.lua -T 0.1" "$models/hanging-chain.lua -D N=400 -s 0.001 -T 0.01 --every 3" \
    "$models/triple-pendulum.lua -T 0.1 --precision quad" "$models/hanging-chain.lua -D N=300 -s 0.001 -T 0.002 --precision quad"; do
    case $quad$arguments in no*quad) continue ;; esac
    # shellcheck disable=SC2086 # words of the arguments
    ok run $arguments --csv
    cp out plain.csv
    # shellcheck disable=SC2086
    ok run $arguments --csv -o run.taut
    same "--csv with and without -o: $arguments" plain.csv out
    ok export run.taut run.csv
    is "export says nothing: $arguments" "$(cat out)" ''
    same "export: $arguments" plain.csv run.csv
    is "one file is left: $arguments" "$(echo run.taut*)" run.taut
    rm run.taut
done
# ---- threads: the same bytes, and a resumed run may have another number of them ----
chain="$models/hanging-chain.lua -D N=9000 -s 0.001"
# shellcheck disable=SC2086
ok run $chain -T 0.004 --csv --every 4
cp out one.csv
# shellcheck disable=SC2086
ok run $chain -T 0.004 --csv --every 4 --threads 3
same 'three threads' one.csv out
# shellcheck disable=SC2086
ok run $chain -T 0.002 --every 4 -o threads.taut --threads 2
ok resume threads.taut -T 0.004 --threads 3
ok export threads.taut threads.csv
is 'resumed with another number of threads' "$(tail -1 threads.csv)" "$(tail -1 one.csv)"
"$taut" resume threads.taut -T 0.005 --threads -1 > out 2> err
is 'status of a wrong --threads' "$?" 2
rm threads.taut

ok run "$double" -T 1 -o run.taut
has 'summary' '^Double spherical pendulum$'
has 'summary' '^  recorded in run.taut$'
ok export run.taut some.csv --columns b.z,t,energy --every 50
is 'some columns' "$(head -1 some.csv)" 'b.z,t,energy'
is 'every 50th frame' "$(cut -d, -f2 some.csv | tail -n +2 | tr '\n' ' ')" '0 0.5 1 '

# ---- xyz ----
ok export run.taut run.xyz
is 'xyz: points' "$(head -1 run.xyz)" 2
is 'xyz: a frame is four lines' "$(wc -l < run.xyz | tr -d ' ')" 404
is 'xyz: what a line has' "$(sed -n 2p run.xyz | cut -d' ' -f1)" 'Properties=species:S:1:pos:R:3:vel:R:3'
ok export run.taut run.csv
is 'xyz: position and velocity of b at the end' "$(tail -1 run.xyz)" \
    "b $(tail -1 run.csv | cut -d, -f5-7 | tr , ' ') $(tail -1 run.csv | cut -d, -f11-13 | tr , ' ')"
is 'xyz: time' "$(tail -3 run.xyz | sed -n 's/.* Time=\([^ ]*\) .*/\1/p')" "$(tail -1 run.csv | cut -d, -f1)"
ok run "$pendulum" -T 0.1 -o plane.taut
ok export plane.taut plane.xyz
is 'xyz: the plane has z = 0' "$(tail -1 plane.xyz | cut -d' ' -f1,4,7)" 'a 0 0'
ok run "$models/rigid-body.lua" -T 0.1 -o body.taut
bad 'consists of points, and the run has none' export body.taut body.xyz
is 'no file is left after a failure' "$(echo body.xyz*)" 'body.xyz*'

# ---- hdf5 (its numbers are read back in test_export) ----
ok export run.taut run.h5
is 'hdf5: signature' "$(head -c 4 run.h5 | tail -c 3)" HDF

# ---- SQL ----
if there sqlite3; then
    is 'select t, energy' "$(sqlite3 run.taut 'select count(t), count(energy) from frames')" '101|101'
    is 'columns by name' "$(sqlite3 run.taut 'select "a.x" from frames where step = 0')" 2.82
    is 'integrity' "$(sqlite3 run.taut 'pragma integrity_check')" ok
    is 'the step as it was given' "$(sqlite3 run.taut "select value from run where name = 'step'")" 0.01
fi

# ---- resume ----
ok resume run.taut
has 'a finished run' '^run.taut is finished, at t = 1\. To continue: taut resume run.taut -T END$'
ok resume run.taut -T 3
has 'resume' '^  method rattle   step 0.01   t = 0 .. 3   200 steps in '
has 'resume' '^  recorded in run.taut$'
ok export run.taut run.csv
ok run "$double" -T 3 --csv
same 'a finished run, taken further' out run.csv
cp "$double" mine.lua
ok run mine.lua -T 1 -D m1=3 -o mine.taut
rm mine.lua
ok resume mine.taut -T 2
ok export mine.taut mine.csv
ok run "$double" -T 2 -D m1=3 --csv
same 'model and settings come from the file' out mine.csv
# The summary goes on too: range and slope of the energy over both parts, as if there had been one.
ok run "$double" -T 2 -D m1=3
grep -v ' method ' out > whole
ok run "$double" -T 1 -D m1=3 -o sum.taut
ok resume sum.taut -T 2
grep -v ' method \| recorded ' out > parts
same 'the summary of a run in two parts' whole parts
# Models with contacts: so do the counts of events, and the kind of step.
for arguments in "$models/bouncing-ball.lua" "$models/bouncing-ball.lua -D e=0 -m euler --contacts active-set"; do
    # shellcheck disable=SC2086 # words of the arguments
    ok run $arguments -T 3
    grep -v ' method ' out > whole
    is "there are events: $arguments" "$(grep -c '^  events  *[1-9]' whole)" 1
    # shellcheck disable=SC2086
    ok run $arguments -T 3 --csv
    cut -d, -f1-5 out > whole.csv
    rm -f hit.taut
    # shellcheck disable=SC2086
    ok run $arguments -T 1.3 -o hit.taut # there are events before and after
    is "events of the first part: $arguments" "$(grep -c '^  events  *[1-9]' out)" 1
    ok resume hit.taut -T 3
    grep -v ' method \| recorded ' out > parts
    same "the summary of a run with events in two parts: $arguments" whole parts
    ok export hit.taut hit.csv
    cut -d, -f1-5 hit.csv > parts.csv
    same "its frames: $arguments" whole.csv parts.csv
done
# A last step that was shortened stays: from there whole steps go on.
ok run "$pendulum" -s 0.3 -T 1 -o short.taut
ok resume short.taut -T 2
ok export short.taut short.csv --columns t
is 'times after a shortened step' "$(tr '\n' ' ' < short.csv)" 't 0 0.29999999999999999 0.59999999999999998 0.89999999999999991 1 1.3 1.6000000000000001 1.8999999999999999 2 '

# ---- stopped by a signal, or killed ----
# so much computing that it takes a second or more, or 30,000 steps where these take longer (sanitizers)
begun=$(date +%s%N)
ok run "$double" -s 0.0005 -T 15
end=15
if [ $(($(date +%s%N) - begun)) -lt 600000000 ]; then
    begun=$(date +%s%N)
    ok run "$double" -s 0.0005 -T 100
    end=$((100 * 4000000000 / ($(date +%s%N) - begun)))
    [ $end -lt 8000 ] || end=8000
fi
ok run "$double" -s 0.0005 -T $end --every 500 --csv
cp out whole.csv
for signal in TERM INT KILL TERM KILL; do
    rm -f s.taut
    env --default-signal=INT "$taut" run "$double" -s 0.0005 -T $end --every 500 -o s.taut > out 2> err &
    child=$!
    while [ ! -s s.taut ]; do sleep 0.02; done
    sleep 0.2
    kill -s $signal $child
    wait $child
    status=$?
    case $signal in
    KILL) is 'killed' $status 137 ;;
    *)
        # a fast machine may have come to the end
        [ $status -eq 0 ] || is "exit status after SIG$signal" $status "$([ $signal = INT ] && echo 130 || echo 143)"
        [ $status -eq 0 ] || is "what is said after SIG$signal" "$(grep -c "^taut: stopped at t = .* after .* of $((end * 2000)) steps; to continue: taut resume s.taut\$" err)" 1 ;;
    esac
    ok resume s.taut
    ok export s.taut s.csv
    same "resumed after SIG$signal" s.csv whole.csv
done
# exported while it is being written: lines of the whole
rm -f s.taut
"$taut" run "$double" -s 0.0005 -T $end --every 500 -o s.taut > out 2> err &
child=$!
while [ ! -s s.taut ]; do sleep 0.02; done
sleep 0.3
"$taut" export s.taut s.csv 2> problem
is 'export while it is written' "$?$(cat problem)" 0
run resume s.taut
[ "$(cat err out | grep -c 'is finished')" -eq 1 ] || is 'resume while it is written' "$status $(grep -c "^taut: another process is writing to 's.taut'$" err)" '2 1'
wait $child
is 'the run does not mind' $? 0
head -n "$(wc -l < s.csv)" whole.csv > begin.csv
same 'what was exported while it was written' s.csv begin.csv

# ---- a run that fails keeps what it has, and fails again ----
run run "$here/bad-models/runs-away.lua" -o away.taut
is 'status of a run that fails' $status 1
grep -q "^taut: stopped after 104 of 1000 steps: .*; 'away.taut' can be resumed from step [0-9]*$" err || is 'message of a run that fails' "$(cat err)" ''
ok export away.taut away.csv
is 'header, start and the 104 good frames' "$(wc -l < away.csv | tr -d ' ')" 106
run resume away.taut
is 'it fails again' "$status" 1
ok export away.taut again.csv
same 'with the same frames' away.csv again.csv

# ---- what may go wrong ----
bad "'run.taut' exists: 'taut resume' continues its run, --force replaces it" run "$pendulum" -o run.taut
ok run "$pendulum" -T 0.1 -o run.taut --force
echo 'not a run' > text.taut
bad "'text.taut' is not a run file" run "$pendulum" -o text.taut --force
is 'nothing is spoiled' "$(cat text.taut)" 'not a run'
bad "'text.taut' is not a run file" resume text.taut
bad "'text.taut' is not a run file" export text.taut text.csv
bad "cannot create 'nowhere/run.taut': No such file or directory" run "$pendulum" -o nowhere/run.taut
bad "cannot read 'none.taut': No such file or directory" resume none.taut
bad "cannot read 'none.taut': No such file or directory" export none.taut none.csv
bad 'needs one run file' resume
bad 'needs a run file and the file to write' export run.taut
bad "the name of an export ends in .csv, .h5 or .xyz" export run.taut run.txt
bad "the run has no column 'c.x'" export run.taut c.csv --columns t,c.x
bad "the run is at t = 0.1 already; give a later end" resume run.taut -T 0.05
bad 'needs a number' resume run.taut -T soon
bad 'option --force needs -o' run "$pendulum" --force
bad 'option --every needs --csv or -o' run "$pendulum" --every 2
bad 'the step must be a positive number' run "$pendulum" -s 0 -o never.taut
is 'no file of a run that cannot start' "$(echo never*)" 'never*'
bad 'constraint' run "$here/bad-models/inconsistent-start.lua" -o never.taut
is 'no file of a model that cannot start' "$(echo never*)" 'never*'
if there sqlite3; then
    sqlite3 run.taut 'pragma user_version = 99'
    bad "'run.taut' was written by a later Taut (layout 99" resume run.taut
    bad "'run.taut' was written by a later Taut (layout 99" export run.taut new.csv
    sqlite3 run.taut 'pragma user_version = 1' "delete from checkpoint where name = 'state.q'"
    bad "its checkpoint has no 'state.q'" resume run.taut -T 1
    # a text in a column that the picture does not show and the checkpoint does not have
    ok run "$models/pendulum.lua" -T 1 -o cell.taut
    sqlite3 cell.taut "update frames set energy = 'much' where frame = 5"
    bad "'cell.taut' is damaged: frame 5" report cell.taut -o cell.html
    bad "'cell.taut' is damaged: frame 5" resume cell.taut -T 2
    bad "'cell.taut' is damaged: frame 5" render cell.taut --size 64x64 -o cell.gif
fi
# a file that may not grow stands for a full disk; it has room for some commits (1/20 s of frames), not for all
(ulimit -f 4000 && exec "$taut" run "$double" -s 0.0005 -T $end --every 500 -o full.taut) > out 2> err
is 'exit status on a full disk' $? 1
grep -q "^taut: stopped after .*'full.taut'.*; 'full.taut' can be resumed from step" err || is 'message on a full disk' "$(cat err)" ''
ok resume full.taut
ok export full.taut full.csv
same 'resumed when there is room' full.csv whole.csv
bad "'full.taut' is a recorded run, not a model; 'taut resume' continues it" run full.taut
bad "'full.taut' is a recorded run, not a model" check full.taut

finish 150
