# J2 with few links: nanoseconds per mass and step of whole runs beside the hand-written program; and points between bars
# of other shapes, which nothing was tuned for, beside a hanging chain of as many bars.
sizes='3 5 10 20 50 100 500 1000'
kinds='1:30 2:85 3:100 4:40 5:40'
for n in $sizes; do
    steps=$((n < 100 ? 2000 : 1000))
    whole "rattle@$n" 0.001 $steps models/hanging-chain.lua -D N=$n -m rattle
    echo "hand@$n env REPS=1 $programs/limit_chain j2 twisted 1e-3 $n $(echo $steps | awk '{ print $1/1000 }')"
done > "$work/list"
for kind in $kinds; do
    k=${kind%:*} bars=${kind#*:}
    whole "kind@$k" 0.001 500 bench/models/points.lua -D kind="$k" -m rattle
    whole "beside@$k" 0.001 500 models/hanging-chain.lua -D N="$bars" -m rattle
done >> "$work/list"
measure $((2*rounds)) processor_seconds,us/step < "$work/list"
table << 'END'
function ns(name, n,  v) {
    v = name == "rattle" ? 1e6*whole_step(name "@" n) : figure_of(name "@" n)
    return v < 0 ? -1 : 1e3*v/n
}
function line(what, name,  i, text) {
    text = "| " what " |"
    for (i = 1; i <= sizes; i++) text = text " " digits(ns(name, size[i])) " |"
    print text
}
END {
    sizes = split("3 5 10 20 50 100 500 1000", size, " ")
    print "Nanoseconds of processor time per mass and step, h = 0.001, until t = 2 (from 100 links on: 1), of"
    print "`taut run` all that it does in its steps (the section above leaves out energies).\n"
    print "| links | 3 | 5 | 10 | 20 | 50 | 100 | 500 | 1,000 |\n|---|---|---|---|---|---|---|---|---|"
    line("hand-written, elimination from both ends", "hand")
    line("Taut, `rattle`", "rattle")
    text = "| Taut to hand-written |"; worst = -1
    for (i = 1; i <= sizes; i++) {
        r = to(ns("rattle", size[i]), ns("hand", size[i]))
        if (r > worst) worst = r
        text = text " " ratio(ns("rattle", size[i]), ns("hand", size[i])) " |"
    }
    print text
    goal("J2 `taut run` to hand-written, worst of 3 to 1,000 links", "<=", 2.5, "", worst)
    print "\nPoints between bars of other shapes, which nothing was tuned for"
    print "([points.lua](models/points.lua), `-D kind=K`): nanoseconds per bar and step until t = 0.5, and the"
    print "ratio to a hanging chain of as many bars, measured in turn.\n"
    print "| kind | shape | bars | ns per bar and step | hanging chain | ratio |\n|---|---|---|---|---|---|"
    shapes = split("tree,net with loops,cloth of threads and springs,between two pins,the same in the plane", shape, ",")
    split("30 85 100 40 40", bars, " ")
    worst = -1
    for (k = 1; k <= shapes; k++) {
        a = 1e9*whole_step("kind@" k)/bars[k]; b = 1e9*whole_step("beside@" k)/bars[k]
        printf "| %d | %s | %d | %s | %s | %s |\n", k, shape[k], bars[k], digits(a), digits(b), ratio(a, b)
        r = to(a, b)
        if (r > worst) worst = r
    }
    goal("points between bars of five other shapes, per bar to the hanging chain, worst", "<=", 2, "", worst)
}
END
