# Random mechanisms, which nothing was tuned for: microseconds per body and step beside a hinged chain as long.
seeds='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20'
for seed in $seeds; do
    model="bench/models/random-mechanism.lua -D seed=$seed"
    title=$($taut check $model --json 2> /dev/null | sed -n 's/.*"title":"\([^"]*\)".*/\1/p' | head -n 1)
    bodies=$(echo "$title" | awk '{ print $(NF - 1) }')
    steps=$((40 + 16000/bodies))
    echo "point $seed $bodies $(echo "$title" | awk '{ print $2 }')" >> "$work/results"
    whole "random@$seed" 0.0005 $steps $model -m rattle
    whole "chain@$seed" 0.0005 $steps models/hinged-chain.lua -D N="$bodies" -m rattle
done > "$work/list"
measure "$rounds" processor_seconds < "$work/list"
table << 'END'
END {
    print "Of [random-mechanism.lua](models/random-mechanism.lua) (`-D seed=K`), `rattle`, h = 0.0005, microseconds"
    print "of processor time per body and step of `taut run`, all that it does in its steps, and the ratio to"
    print "a hinged chain of as many bodies, measured in turn. Trees have all kinds of joints, some with springs"
    print "and dampers; rings are closed by ball joints; bodies in a grid are joined by rods; the last kind has"
    print "springs and dampers only, each body with up to three.\n"
    print "| seed | kind | bodies | us per body and step | hinged chain | ratio |\n|---|---|---|---|---|---|"
    worst = -1
    for (k = 1; k <= point_count; k++) {
        split(point[k], w, " ")
        a = 1e6*whole_step("random@" w[1])/w[2]; b = 1e6*whole_step("chain@" w[1])/w[2]
        if (a < 0) { a = -1; stopped = stopped (stopped == "" ? "" : ", ") w[1] }
        printf "| %d | %s | %d | %s | %s | %s |\n", w[1], w[3], w[2], digits(a), digits(b), ratio(a, b)
        r = to(a, b)
        if (r > worst) { worst = r; which = w[1]; kind = w[3]; bodies = w[2] }
    }
    if (worst > 0)
        printf "\nThe worst is seed %d (%s, %d bodies): %s times the chain.\n", which, kind, bodies, ratio(worst, 1)
    if (stopped != "") print "\nRuns that did not reach their end: seeds " stopped "."
    goal("random mechanisms, per body to the hinged chain, worst of 20", "<=", 2, "", worst)
}
END
