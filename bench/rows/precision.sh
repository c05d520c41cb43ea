# Double spherical pendulum, work against precision: position error at t = 30, and microseconds per simulated second.
: > "$work/points"
# hand NAME VARIANT K...: steps of 0.1/K. The error is that of 30 s, the time that of about 100,000 substeps.
hand() {
    name=$1 stages=$2
    shift 2
    for k in "$@"; do
        h=$(echo "$k" | awk '{ printf "%.12g", 0.1/$1 }')
        until=$(echo "$h $stages" | awk '{ t = int(1e5*$1/$2); print t < 30 ? 30 : t }')
        echo "hand_$name@$k env REPS=1 $programs/limit_dsp j1 $name $h $until"
        error=$("$programs/limit_dsp" j1 "$name" "$h" 30 | sed -n 's/.*err30=\([^ ]*\).*/\1/p')
        echo "hand_$name $k hand_$name@$k $h $error" >> "$work/points"
    done
}
# method NAME EXTRA K...: Taut; EXTRA: steps beyond those of 30 s, for the time
method() {
    name=$1 extra=$2
    shift 2
    for k in "$@"; do
        h=$(echo "$k" | awk '{ printf "%.12g", 0.1/$1 }')
        error=$($taut run $pendulum -m "$name" -s "$h" -T 30 --csv --every 1000000 --native on 2> "$work/message" |
            awk -F , -v exact="$(tr -d ',\n' < bench/peers/ref30.inc | sed 's/-/ -/g')" '
                END { split(exact, q, " "); worst = 0
                      if (NR < 3) { print -1; exit }
                      for (i = 1; i <= 6; i++) { d = $(i + 1) - q[i]; if (d < 0) d = -d; if (d > worst) worst = d }
                      print worst }')
        [ "$error" != -1 ] || sed "s/^/bench: precision: $name, step $h: /" "$work/message" >&2
        short=$(echo "$k" | awk '{ print 300*$1 }')
        pair "$name@$k" "$h" "$short" $((short + extra)) $pendulum -m "$name" --native auto
        echo "$name $k $name@$k $h $error" >> "$work/points"
    done
}
# peer SYSTEM VARIANT SETTING: a setting with an error of about 1e-6, found by trying; the table shows the error
peer() {
    if has "$1"; then echo "$1:$2 env REPS=1 $programs/peer_$1 j1 $2 $3 30"; fi
}
{
    hand rattle 1 40 80 160 320 640 1280
    hand energy 1 40 80 160 320 640 1280
    hand rattle4 5 2 4 8 16 32
    hand rattle6 9 1 2 4 8 16
    hand rattle8 17 1 2 4 8
    method rattle 300000 40 80 160 320 640 1280
    method em 300000 40 80 160 320 640 1280
    method compose:rattle,order=4 60000 2 4 8 16 32
    method compose:rattle,order=6 60000 1 2 4 8 16
    method compose:rattle,order=8 60000 1 2 4 8
    method lobatto:s=3 60000 1 2 4 8 16 32
    method lobatto:s=4 60000 0.5 1 2 4 8
    method lobatto:s=5 60000 0.5 1 2 4
    peer sundials erk5 1e-10
    peer sundials erk8 3.16e-9
    peer sundials cvode-adams 1e-10
    peer sundials cvode-proj 1e-10
    peer sundials ida-klu 2.5e-10
    peer mujoco rk4-hinge 0.004
    peer simbody tree-rkm 3.16e-8
    peer lammps rattle 7.8125e-5
    peer openmm verlet 7.8125e-5
    true
} > "$work/list"
measure 3 us/sim_s < "$work/list"
for label in $(sed -n 's/^\([a-z]*:[^ ]*\) env .*/\1/p' "$work/list"); do
    echo "error_of_$label $(sed -n 's/.*err30=\([^ ]*\).*/\1/p' "$work/$label")"
done >> "$work/steps"
awk '{ print "point", $0 }' "$work/points" > "$work/all"
cat "$work/results" >> "$work/all"
mv "$work/all" "$work/results"
table << 'END'
# The points came before the results, as lines "point SERIES K LABEL STEP ERROR".
BEGIN { goal_at = 1e-6 }
# log-log between the two points around the error wanted; -1: the curve does not get there
function at_error(name, wanted,  i, f) {
    for (i = 1; i < count[name]; i++)
        if (err[name, i] >= wanted && err[name, i + 1] <= wanted) {
            f = log(err[name, i]/wanted)/log(err[name, i]/err[name, i + 1])
            return exp(log(us[name, i])*(1 - f) + log(us[name, i + 1])*f)
        }
    return -1
}
# The same for a method and the hand-written program of it.
function colour(name) {
    if (name ~ /lobatto/) return name ~ /3$/ ? 6 : name ~ /4$/ ? 8 : 9
    return name ~ /rattle$/ ? 1 : name ~ /em$|energy/ ? 2 : name ~ /4$/ ? 3 : name ~ /6$/ ? 4 : 5
}
END {
    for (n = 1; n <= point_count; n++) {
        split(point[n], p, " ")
        name = p[1]; t = name ~ /^hand_/ ? figure_of(p[3]) : 1e6*per_step(p[3])/p[4]
        if (t <= 0 || p[5] < 0 || p[5] == "nan") continue
        if (!(name in count)) names[++series] = name
        i = ++count[name]
        us[name, i] = t; err[name, i] = p[5]
        title = name
        if (sub(/^hand_/, "hand-written ", title)) { sub(/energy/, "em", title); sub(/rattle4/, "order 4", title)
            sub(/rattle6/, "order 6", title); sub(/rattle8/, "order 8", title) }
        printf "%s\t%g\t%g\t%d\n", title, p[5], t, colour(name) > points
        shown[name] = title
    }
    best = -1
    for (s = 3; s <= 5; s++) {
        t = at_error(names[s], goal_at)
        if (t > 0 && (best < 0 || t < best)) best = t
    }
    print "Position error at t = 30 against processor time (native code), from several step lengths each:\n"
    print "![work against precision](plots/precision.svg)\n"
    print "Microseconds per simulated second at an error of 1e-6, between the two measured points around it."
    print "The ratio is to the best composed hand-written program.\n"
    print "| | us per simulated second | ratio |\n|---|---|---|"
    for (s = 1; s <= series; s++) {
        t = at_error(names[s], goal_at)
        printf "| %s | %s | %s |\n", (names[s] ~ /^hand/ ? "" : "Taut, ") shown[names[s]], digits(t), ratio(t, best)
        if (names[s] ~ /^compose/ && t > 0 && (compose == "" || t < compose)) compose = t
        if (names[s] ~ /^lobatto/ && t > 0 && (lobatto == "" || t < lobatto)) lobatto = t
    }
    ours = compose
    if (lobatto != "" && (ours == "" || lobatto < ours)) ours = lobatto
    systems = split("sundials:erk5 sundials:erk8 sundials:cvode-adams sundials:cvode-proj sundials:ida-klu " \
                    "mujoco:rk4-hinge simbody:tree-rkm lammps:rattle openmm:verlet", system_of, " ")
    for (i = 1; i <= systems; i++) {
        label = system_of[i]
        if (!(label in cpu)) continue
        if (!heading++) print "\nOther systems, at settings chosen for an error of about 1e-6 (last column: to the" \
            "\nfastest method of Taut above):\n" \
            "\n| | error | us per simulated second | ratio | to Taut |\n|---|---|---|---|---|"
        printf "| %s | %s | %s | %s | %s |\n", label, steps["error_of_" label], digits(figure[label]), \
            ratio(figure[label], best), ratio(figure[label], ours)
        if (least == "" || figure[label] < least) least = figure[label]
    }
    goal("J1 compose at error 1e-6 to hand-written", "<=", 2, "", compose == "" ? -1 : to(compose, best))
    goal("J1 lobatto at error 1e-6 to hand-written", "<=", 2, "", lobatto == "" ? -1 : to(lobatto, best))
    goal("J1 fastest other system at error 1e-6 to Taut", ">=", 3, "", least == "" || ours == "" ? -1 : least/ours)
}
END
awk -f bench/plot.awk -v title="Double spherical pendulum: work against precision" \
    -v xlabel="position error at t = 30" -v ylabel="us of processor time per simulated second" \
    "$work/table.points" > bench/plots/precision.svg
