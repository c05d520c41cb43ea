# J5, bodies on hinges: nanoseconds per body and step beside the hand-written program and MuJoCo, other methods, equal
# error, load and set-up.
chain=models/hinged-chain.lua
closed=bench/models/closed-chain.lua
# Seconds of motion, and steps, of a chain of N links
until_of() { [ "$1" -lt 1000 ] && echo 0.5 || echo 0.1; }
steps_of() { [ "$1" -lt 1000 ] && echo 1000 || echo 200; }
hand() { echo "$1@$2 env REPS=1 $programs/limit_bodies j5 $1 0.0005 $2 $(until_of "$2")"; } # VARIANT N
both() {
    for n in "$@"; do
        whole "rattle@$n" 0.0005 "$(steps_of "$n")" $chain -D N=$n -m rattle
        hand table "$n"
        hand maximal "$n"
        if [ "$n" -gt 2 ]; then
            whole "pinned@$n" 0.0005 "$(steps_of "$n")" $closed -D N=$n -m rattle
            hand closed "$n"
        fi
        if [ "$n" -le 20 ] && has mujoco_bodies; then
            echo "euler@$n env REPS=1 $programs/peer_mujoco_bodies $n Euler 0.0005 0.5"
            echo "rk4@$n env REPS=1 $programs/peer_mujoco_bodies $n RK4 0.0005 0.5"
        fi
        if [ "$n" -le 20 ] && has ode; then
            echo "ode@$n env REPS=1 $programs/peer_ode j5 step 0.0005 $n 0.5"
        fi
        if [ "$n" -le 100 ] && has simbody; then
            echo "verlet@$n env REPS=1 $programs/peer_simbody j5 verlet 0.0005 $n 0.5"
            echo "rkm@$n env REPS=1 $programs/peer_simbody j5 rkm 0.0005 $n 0.5"
        fi
    done
}
both 2 3 5 10 | measure $((3*rounds)) processor_seconds,us/step
{
    both 20 100
    for n in 20 100; do
        whole "em@$n" 0.0005 1000 $chain -D N=$n -m em
        whole "lobatto@$n" 0.0005 1000 $chain -D N=$n -m lobatto:s=3
    done
} | measure "$rounds" processor_seconds,us/step
both 1000 | measure 3 processor_seconds,us/step

# Equal error: position of the end of 20 links at t = 1 (lobatto:s=4 with steps of 0.001 and 0.0005 agree to 1e-11).
exact=-0.371244324451
# trial NAME STEPS: Taut with 1/STEPS; no line where the method does not converge
trial() {
    label=equal_$1@$2 h=$(echo "$2" | awk '{ printf "%.15g", 1/$1 }')
    error=$($taut run $chain -D N=20 -m "$1" -s "$h" -T 1 --csv --every 1000000 2> "$work/message" |
        awk -F , -v exact=$exact 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "link20.z") c = i }
            END { d = $c - exact; print ($1 < 0.999999 ? -1 : d < 0 ? -d : d) }')
    [ "$error" != -1 ] || return 0
    echo "point equal $1 $2 $error" >> "$work/results"
    whole "$label" "$h" "$2" $chain -D N=20 -m "$1"
}
# other NAME STEPS PEER ARGUMENT...: another system with 1/STEPS, which takes the place of STEP in the arguments
other() {
    name=$1 steps=$2 h=$(echo "$2" | awk '{ printf "%.15g", 1/$1 }')
    shift 2
    command="env REPS=1 $programs/peer_$(echo "$*" | sed "s/STEP/$h/")"
    error=$($command | awk -F end_height= -v exact=$exact '{ d = $2 - exact; print (d < 0 ? -d : d) }')
    echo "point equal $name $steps $error" >> "$work/results"
    echo "equal_$name@$steps $command"
}
{
    for k in 100 112 125 140 160 200 1000 1250 1600; do trial rattle $k; done
    for m in lobatto:s=3 lobatto:s=4 compose:rattle,order=4; do
        for k in 100 112 125 140 160 200; do trial $m $k; done
    done
    if has mujoco_bodies; then
        for k in 100 112 125 140 160 200 250 280 320 360 400; do other mujoco $k mujoco_bodies 20 RK4 STEP 1; done
    fi
    if has simbody; then
        for k in 100 125 140 160 200 250; do other simbody $k simbody j5 rkm STEP 20 1; done
    fi
} > "$work/list"
measure "$rounds" processor_seconds,us/step < "$work/list"

# The same trajectory: `table` has the equations of Taut's method.
for n in 3 20; do
    echo "point height $n $($taut run $chain -D N=$n -m rattle -s 0.0005 -T 0.2 --csv --every 1000000 |
        awk -F , -v name="link$n.z" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } END { print $c }') $(
        "$programs/limit_bodies" j5 table 0.0005 $n 0.2 | sed 's/.*end_height=//')" >> "$work/results"
done

echo "start@20 $programs/chain -n 1 $chain 20" | measure $((3*rounds)) start
{
    echo "start@10000 $programs/chain -n 1 $chain 10000"
    echo "start@100000 $programs/chain -n 1 $chain 100000"
} | measure 1 start
if grep -q 'loading the model takes more than' "$work/start@100000"; then
    echo "point memory" >> "$work/results"
fi
table << 'END'
function ns(name, n,  v) { # per body and step
    if (name == "rattle" || name == "pinned" || name == "em" || name == "lobatto") v = 1e6*whole_step(name "@" n)
    else v = figure_of(name "@" n)
    return v < 0 ? -1 : 1e3*v/n
}
function line(what, name,  i, text) {
    text = "| " what " |"
    for (i = 1; i <= sizes; i++) text = text " " digits(ns(name, size[i])) " |"
    print text
}
function ratios(what, a, b,  i, text, r) { # leaves the largest in `worst`
    text = "| " what " |"; worst = -1
    for (i = 1; i <= sizes; i++) {
        r = to(ns(a, size[i]), ns(b, size[i]))
        if (r > worst) worst = r
        text = text " " ratio(ns(a, size[i]), ns(b, size[i])) " |"
    }
    print text
}
# Microseconds of the cheapest setting of a method whose error is at most `bound`; -1: there is none.
function cheapest(method, bound,  k, w, cost, best) {
    best = -1
    for (k = 1; k <= point_count; k++) {
        split(point[k], w, " ")
        if (w[1] != "equal" || w[2] != method || w[4] > bound) continue
        label = "equal_" method "@" w[3]
        cost = w[3]*(label in steps ? 1e6*whole_step(label) : figure_of(label))
        if (cost > 0 && (best < 0 || cost < best)) { best = cost; chosen = w[3] }
    }
    return best
}
function equal(what, method,  a, b, text) {
    a = cheapest(method, 1e-3); text = a < 0 ? "-" : digits(a) " (1/" chosen ")"
    b = cheapest(method, 1e-5); text = text " | " (b < 0 ? "-" : digits(b) " (1/" chosen ")")
    if (method == "mujoco") { mujoco[1] = a; mujoco[2] = b }
    if (what ~ /^Taut/) {
        if (a > 0 && (!(1 in least) || a < least[1])) least[1] = a
        if (b > 0 && (!(2 in least) || b < least[2])) least[2] = b
    }
    print "| " what " | " text " | " ratio(a, mujoco[1]) " | " ratio(b, mujoco[2]) " |"
}
END {
    sizes = split("2 3 5 10 20 100 1000", size, " ")
    print "[models/hinged-chain.lua](../models/hinged-chain.lua) of N links, h = 0.0005, until t = 0.5 (1,000 links:"
    print "0.1): nanoseconds of processor time per body and step, of `taut run` all that it does in its steps."
    print "`table` is hand-written for the very equations that Taut's `rattle` solves, `maximal` for another"
    print "discretisation of rotations, `closed` is `maximal` with the end of the chain pinned"
    print "([closed-chain.lua](models/closed-chain.lua)). MuJoCo and Simbody have joint angles: a body is one"
    print "unknown there.\n"
    print "| links | 2 | 3 | 5 | 10 | 20 | 100 | 1,000 |\n|---|---|---|---|---|---|---|---|"
    line("hand-written, `table`", "table")
    line("hand-written, `maximal`", "maximal")
    line("Taut, `rattle`", "rattle")
    ratios("Taut to `table`", "rattle", "table"); chain = worst
    ratios("Taut to `maximal`", "rattle", "maximal")
    line("pinned: hand-written, `closed`", "closed")
    line("pinned: Taut, `rattle`", "pinned")
    ratios("pinned: Taut to `closed`", "pinned", "closed"); closed = worst
    line("Taut, `em`", "em")
    line("Taut, `lobatto:s=3`", "lobatto")
    line("MuJoCo, Euler (order 1)", "euler")
    line("MuJoCo, RK4", "rk4")
    line("ODE, `dWorldStep` (order 1)", "ode")
    line("Simbody, Verlet", "verlet")
    line("Simbody, Runge-Kutta-Merson", "rkm")
    for (k = 1; k <= point_count; k++) {
        split(point[k], w, " ")
        if (w[1] == "memory") memory = 1
        if (w[1] != "height") continue
        d = w[3] - w[4]; if (d < 0) d = -d
        far = far (far == "" ? "" : ", ") sprintf("%.1e with %d links", d, w[2])
    }
    print "\nThe end is at the same height at t = 0.2 in Taut and in `table` but for " far "."
    print "\nEqual error: microseconds of processor time for one second of 20 links, with the cheapest measured"
    print "step (in brackets) for which the end's height at t = 1 has at most the error named:\n"
    print "| | 1e-3 | 1e-5 | to MuJoCo, 1e-3 | 1e-5 |\n|---|---|---|---|---|"
    mujoco[1] = mujoco[2] = -1
    equal("MuJoCo, RK4", "mujoco")
    equal("Simbody, Runge-Kutta-Merson", "simbody")
    equal("Taut, `rattle`", "rattle")
    equal("Taut, `compose:rattle,order=4`", "compose:rattle,order=4")
    equal("Taut, `lobatto:s=3`", "lobatto:s=3")
    equal("Taut, `lobatto:s=4`", "lobatto:s=4")
    small = figure_of("start@20"); big = figure_of("start@100000")
    printf "\nLoad and set-up, processor time: %s ms of 20 bodies, %s s of 10,000", \
        digits(small < 0 ? -1 : 1e3*small), digits(figure_of("start@10000"))
    print memory ? "; 100,000 bodies need more than the 8 GiB\nthat a model may take (`TAUT_LOAD_MEMORY`)." : \
        ", " digits(big) " s of 100,000."
    goal("J5 RATTLE to hand-written `table`, worst of 2 to 1,000 bodies", "<=", 3, "", chain)
    goal("J5 RATTLE, end pinned, to hand-written `closed`, worst", "<=", 4, "", closed)
    goal("J5 20 bodies, a step to MuJoCo's Euler step", "<=", 1.5, "", to(ns("rattle", 20), ns("euler", 20)))
    goal("J5 20 bodies, a step to MuJoCo's RK4 step", "<=", 0.4, "", to(ns("rattle", 20), ns("rk4", 20)))
    goal("J5 20 bodies, error 1e-3, to MuJoCo", "<=", 0.3, "", 1 in least ? to(least[1], mujoco[1]) : -1)
    goal("J5 20 bodies, error 1e-5, to MuJoCo", "<=", 0.3, "", 2 in least ? to(least[2], mujoco[2]) : -1)
    goal("J5 20 bodies, `em` to `rattle`", "<=", 1.6, "", to(ns("em", 20), ns("rattle", 20)))
    goal("J5 20 bodies, `lobatto:s=3` to `rattle`", "<=", 3.5, "", to(ns("lobatto", 20), ns("rattle", 20)))
    goal("J5 20 bodies: load and set-up", "<=", 1, " ms", small < 0 ? -1 : 1e3*small)
    if (memory) print "| J5 100,000 bodies: load and set-up | <= 3 s | more than 8 GiB | **no** |" > goals
    else goal("J5 100,000 bodies: load and set-up", "<=", 3, " s", big)
}
END
