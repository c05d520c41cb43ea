# J2 with few links: nanoseconds per mass and step of whole runs beside the hand-written program.
sizes='3 5 10 20 100 500 1000'
for n in $sizes; do
    steps=$((n < 100 ? 2000 : 1000))
    whole "rattle@$n" 0.001 $steps models/hanging-chain.lua -D N=$n -m rattle
    echo "hand@$n env REPS=1 $programs/limit_chain j2 twisted 1e-3 $n $(echo $steps | awk '{ print $1/1000 }')"
done > "$work/list"
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
    sizes = split("3 5 10 20 100 500 1000", size, " ")
    print "Nanoseconds of processor time per mass and step, h = 0.001, until t = 2 (from 100 links on: 1), of"
    print "`taut run` all that it does in its steps (the section above leaves out energies).\n"
    print "| links | 3 | 5 | 10 | 20 | 100 | 500 | 1,000 |\n|---|---|---|---|---|---|---|---|"
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
}
END
