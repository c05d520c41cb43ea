# What a step costs through taut.h and in Python, compared with taut run; what reading and inputs add.
chain="models/hanging-chain.lua"
python=build/python/venv/bin/python
if ! python/check.sh --build build/python > "$work/python.log" 2>&1; then
    echo "the Python package" >> "$work/skipped"
    python=
fi
# several LABEL SHORT LONG COMMAND...: COMMAND has N where the number of steps belongs
several() {
    label=$1 short=$2 long=$3
    shift 3
    for which in short long; do
        eval "count=\$$which"
        echo "${label}_$which $(echo "$*" | sed "s/ N / $count /")"
        echo "${label}_$which $count" >> "$work/steps"
    done
}
{
    pair command 0.001 20000 1020000 $pendulum
    for mode in step advance positions frame with_input input; do
        several $mode 20000 1020000 "$programs/library" $mode N $pendulum
    done
    for mode in rows columns; do
        several $mode 20000 220000 "$programs/library" $mode N $pendulum
        [ -z "$python" ] || several python_$mode 20000 220000 $python bench/library.py $mode N $pendulum
    done
    if [ -n "$python" ]; then
        several python_step 20000 220000 $python bench/library.py step N $pendulum
        several python_positions 20000 220000 $python bench/library.py positions N $pendulum
    fi
    pair chain_command 0.001 20 120 $chain -D N=10000
    for mode in step positions frame; do
        several chain_$mode 20 120 "$programs/library" $mode N $chain N=10000
    done
} > "$work/list"
measure "$rounds" < "$work/list"
table << 'END'
function line(what, label, base, unit) {
    printf "| %s | %s | %s |\n", what, digits(unit*per_step(label)), ratio(per_step(label), per_step(base))
}
function head(unit) { print "| | " unit " a step | ratio |\n|---|---|---|" }
END {
    print "J1 under `rattle`, h = 0.001, native code (`auto`), as all of these do by default. `taut run` and"
    print "`taut_advance` take several steps at a time where nobody looks in between; `taut_step` takes one. Ratios"
    print "are to `taut run`, of a model with an input to the same without `taut_set`, in Python to the same in C.\n"
    head("ns")
    line("`taut run`", "command", "command", 1e9)
    line("`taut_advance`", "advance", "command", 1e9)
    line("`taut_step`", "step", "command", 1e9)
    line("`taut_step`, `taut_get` of the positions", "positions", "command", 1e9)
    line("`taut_step`, `taut_get` of all columns", "frame", "command", 1e9)
    line("with an input: `taut_step`", "with_input", "with_input", 1e9)
    line("with an input: `taut_set` of it, `taut_step`", "input", "with_input", 1e9)
    line("`taut_advance`, all columns of every step into an array", "rows", "command", 1e9)
    line("`taut_advance`, t and the positions", "columns", "command", 1e9)
    line("Python: `run`, all columns of every step into an array", "python_rows", "rows", 1e9)
    line("Python: `run`, t and the positions", "python_columns", "columns", 1e9)
    line("Python: `step`", "python_step", "step", 1e9)
    line("Python: `step`, `q`", "python_positions", "positions", 1e9)
    print "\nA chain of 10,000 links; ratios are to `taut_step`.\n"
    head("us")
    line("`taut run`", "chain_command", "chain_step", 1e6)
    line("`taut_step`", "chain_step", "chain_step", 1e6)
    line("`taut_step`, `taut_get` of the positions", "chain_positions", "chain_step", 1e6)
    line("`taut_step`, `taut_get` of all columns", "chain_frame", "chain_step", 1e6)
    goal("J1 `taut_advance` to `taut run`, a step", "<=", 1.05, "", to(per_step("advance"), per_step("command")))
    goal("J1 Python `run` to C, into arrays", "<=", 1.1, "", to(per_step("python_rows"), per_step("rows")))
}
END
