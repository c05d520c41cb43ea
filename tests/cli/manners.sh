#!/bin/sh
# manners.sh TAUT MODELS: --json, --quiet, colour, progress and the next command. Status 77 without script(1), which makes
# the terminal, or python3, which reads the JSON.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"
escape=$(printf '\033')

# ---- JSON ----

# value EXPRESSION: of the document in out, whose value is d
value() { python3 -c 'import json, sys; d = json.load(open("out")); print(eval(sys.argv[1]))' "$1" 2>&1; }

# answers STATUS ARGUMENTS..: one JSON document and nothing else; it says how the command ended
answers() {
    expected=$1
    shift
    run "$@" --json
    is "exit status of: taut $* --json" "$status" "$expected"
    is "stderr of: taut $* --json" "$(cat err)" ""
    is "document of: taut $* --json" "$(value '(d["command"], d["exit_status"], bool(d["errors"]))')" \
        "('$1', $expected, $([ "$expected" = 0 ] && echo False || echo True))"
}

if there python3; then
    answers 0 run "$double" -T 1
    # names may be added, none may go: programs read them
    is 'members of run' "$(value '" ".join(d)')" "taut command model title method precision step until ended t steps \
steps_planned seconds processor_seconds newton_iterations factorisations evaluations rejected_steps position_projections \
momentum_projections sample_stride quantities events start_moved run_file errors warnings exit_status"
    is 'members of a quantity' "$(value '" ".join(d["quantities"][0])')" 'name conserved first last lowest highest slope'
    is 'step of run' "$(value '(d["step"], d["until"], d["steps"], d["ended"], d["run_file"])')" \
        "(0.01, 1, 100, 'finished', None)"
    is 'quantities of run' "$(value '[q["name"] for q in d["quantities"]]')" \
        "['energy', 'constraint', 'velocity_constraint', 'angular_momentum.z']"
    # in full precision: the last energy is that of the last frame
    last=$(value '[q["last"] for q in d["quantities"] if q["name"] == "energy"][0]')
    run run "$double" -T 1 --csv
    is 'energy in JSON and CSV' "$last" "$(python3 -c '
import csv
print(float(list(csv.DictReader(open("out")))[-1]["energy"]))')"
    if [ $quad = yes ]; then
        answers 0 run "$double" -T 0.1 --precision quad
        is 'digits of quad' "$(grep -c '"last":-\{0,1\}[0-9.]\{30,\}' out)" 3 # t, energy and angular momentum
    fi
    answers 0 run "$double" -T 1 -o run.taut
    is 'run_file' "$(value 'd["run_file"]')" run.taut
    answers 0 check "$double"
    is 'check' "$(value '(d["coordinates"], d["constraints"], d["rank"], d["degrees_of_freedom"], d["conserved"], d["form"])')" \
        "(6, 2, 2, 4, ['angular_momentum.z'], 'lagrangian')"
    is 'start of check' "$(value '[s for s in d["start"] if s["name"] == "a.x"]')" "[{'name': 'a.x', 'value': 2.82, 'free': False}]"
    is 'methods of check' "$(value '[m["name"] for m in d["methods"] if m["suits"]][0]')" rattle
    answers 2 check "$here/bad-models/inconsistent-start.lua"
    is 'consistent' "$(value '(d["start_consistent"], len(d["errors"]))')" '(False, 1)'
    answers 2 check "$here/bad-models/unknown-name.lua"
    answers 0 methods
    is 'methods' "$(value '[(m["name"], m["order"]) for m in d["methods"]][0]')" "('rattle', 2)"
    answers 0 methods em
    is 'methods em' "$(value '[m["keeps"] for m in d["methods"]]')" "[['energy', 'momentum', 'reversible', 'position']]"
    answers 2 methods nothing
    answers 0 compare "$pendulum" -m rattle,em -T 1
    is 'compare' "$(value '[(r["method"], r["steps"], r["momenta"], r["ended"]) for r in d["rows"]]')" \
        "[('rattle', 100, None, 'finished'), ('em', 100, None, 'finished')]"
    is 'errors of compare' "$(value 'all(0 < r["error_q"] < 1e-3 for r in d["rows"])')" True
    answers 0 converge "$pendulum" --steps 0.1,0.05 -T 1
    is 'converge' "$(value '[round(d["rows"][1]["order"][k], 1) for k in ("q", "p", "lambda")]')" '[2.0, 2.0, 2.0]'
    is 'first row of converge' "$(value 'd["rows"][0]["order"]["q"]')" None
    answers 0 verify "$pendulum"
    is 'verify' "$(value '[p["verdict"] for p in d["properties"] if p["property"] == "symplectic"]')" "['holds']"
    # errors of the command line, of the model, of the run
    answers 2 run "$pendulum" --nonsense
    answers 2 run
    answers 2 run "$pendulum" --csv
    answers 2 run "$here/bad-models/unknown-name.lua"
    answers 2 run "$pendulum" -s -1
    answers 1 run "$pendulum" -s 0.9 -T 1000
    is 'a failed run' "$(value '(d["ended"], d["steps"] < d["steps_planned"])')" "('failed', True)"
    # what a model prints, and warnings, are in the document
    printf '%s\n' 'local q = coordinate "q"; lagrangian(q.dot^2/2); start { q = 1 }; print("\27[31mred", q)' > printing.lua
    answers 0 run printing.lua -T 0.1
    is 'what it prints' "$(value 'd["warnings"]')" "['\\x1b[31mred\\tq']"
    is 'no control character in it' "$(LC_ALL=C tr -d '[:print:]\n' < out | wc -c)" 0
    # numbers that are not finite
    printf '%s\n' 'local q = coordinate "q"; lagrangian(q.dot^2/2); start { q = 1 }; observe("o", q)' > free.lua
    answers 0 converge free.lua --steps 0.1,0.05 -T 1
    is 'no NaN' "$(grep -ci 'nan\|inf' out)" 0
    run run --json --help
    has 'help is help' '^usage: taut run'
fi

# ---- quiet ----
for arguments in "run $pendulum -T 1" "run $pendulum -T 1 -o q.taut" "check $pendulum" "verify $pendulum" \
    "compare $pendulum -m rattle,em -T 1" "converge $pendulum --steps 0.1,0.05 -T 1" "report q.taut" \
    "resume q.taut -T 2"; do
    # shellcheck disable=SC2086
    succeeds $arguments --quiet
    is "stdout of: taut $arguments --quiet" "$(cat out)" ""
done
is 'the page is there' "$(test -s q.html && echo yes)" yes
run run "$models/papers/jay-simeon-4.1.lua" -m euler:natural -s 0.1 -T 0.5 -q
is 'a warning, quiet' "$status $(cat out err)" '0 '
run run "$pendulum" -s -1 -q
is 'an error, quiet' "$status $(wc -l < err)" '2 1'
succeeds run "$pendulum" -T 0.1 --csv -q
is 'what was asked for, quiet' "$(wc -l < out)" 12
succeeds methods -q
has 'the catalogue, quiet' '^rattle'

# ---- colour ----
is 'no colour in files' "$(grep -c "$escape" out)" 0
succeeds check "$pendulum" --color always
is 'colour always' "$(head -n 1 out)" "${escape}[1mPendulum${escape}[0m"
run run "$pendulum" -s -1 --color always
is 'an error in colour' "$(cut -c 1-16 err)" "${escape}[1;31mtaut:${escape}[0m"
run check "$pendulum" --color sometimes
is 'no such colour' "$(cat err)" "taut: option --color is auto, always or never, not 'sometimes'"

# on ENVIRONMENT ARGUMENTS: what a terminal of 80 columns shows
on() {
    env -u NO_COLOR TERM=xterm sh -c "$1 script -qec \"stty cols 80 rows 24; '$taut' $2\" typescript < /dev/null" | tr -d '\r'
}
if there script && there stty; then
    is 'colour on a terminal' "$(on '' "check $pendulum" | head -n 1)" "${escape}[1mPendulum${escape}[0m"
    is 'NO_COLOR' "$(on NO_COLOR=1 "check $pendulum" | head -n 1)" Pendulum
    is 'NO_COLOR that is empty' "$(on NO_COLOR= "check $pendulum" | head -n 1)" "${escape}[1mPendulum${escape}[0m"
    is 'TERM=dumb' "$(on TERM=dumb "check $pendulum" | head -n 1)" Pendulum
    is 'colour never' "$(on '' "check $pendulum --color never" | head -n 1)" Pendulum
    is 'JSON on a terminal' "$(on '' "check $pendulum --json" | python3 -c 'import json, sys
print(json.load(sys.stdin)["title"])')" Pendulum

    # ---- the next command ----
    is 'after -o' "$(on NO_COLOR=1 "run $pendulum -T 1 -o next.taut" | tail -n 1)" \
        'next: taut report next.taut   or: taut plot next.taut'
    is 'a name with a blank' "$(on NO_COLOR=1 "run $pendulum -T 1 -o 'a b.taut'" | tail -n 1)" \
        "next: taut report 'a b.taut'   or: taut plot 'a b.taut'"
    is 'after -o, quiet' "$(on NO_COLOR=1 "run $pendulum -T 1 -o quiet.taut --quiet")" ''
    succeeds run "$pendulum" -T 1 -o file.taut # nothing on a stderr that is a file
    # ---- messages end lines between words ----
    on NO_COLOR=1 "run $pendulum -m nothing" > shown
    is 'width of a message' "$(awk 'length($0) > 80' shown)" ''
    is 'words of a message' "$(tr -s '\n ' '  ' < shown)" "taut: there is no method 'nothing'; the methods are: rattle, \
shake, lobatto, del, galerkin, em, naive, extended, dirac, euler, compose "
    # ---- progress: one line, as wide as the terminal at the most, and it is gone at the end ----
    # Each of these would take hours; after two seconds there is progress to look at.
    for command in "run $pendulum -s 1e-6 -T 1e4" "verify $pendulum -s 0.001 -T 1e6" \
        "compare $pendulum -m rattle,em -s 1e-6 -T 1e4" "converge $pendulum --steps 1e-6 -T 1e4" \
        "ensemble $pendulum --vary 'g=uniform(9,10)' --members 1000000 -T 1000 -o many.taut --force"; do
        TERM=xterm script -qec "stty cols 80 rows 24; timeout 2 '$taut' $command" typescript < /dev/null > raw
        is "progress of: $command" "$(grep -c "$escape\[K" raw | sed 's/^[1-9][0-9]*$/some/')" some
        is "width of the progress of: $command" \
            "$(tr '\r' '\n' < raw | sed "s/$escape\[[0-9;]*[mK]//g" | awk 'length($0) > 79 && !/^taut:/')" ''
    done
    TERM=xterm script -qec "stty cols 80 rows 24; timeout 2 '$taut' run $pendulum -s 1e-6 -T 1e4 -q" typescript \
        < /dev/null > raw
    is 'progress, quiet' "$(grep -c "$escape" raw)" 0
fi
finish 100
