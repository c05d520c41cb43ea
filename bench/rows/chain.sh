# Chains: nanoseconds per mass and step against the number of links, load and set-up, memory, threads.
chain=models/hanging-chain.lua
: > "$work/list"
job() { echo "$1 $programs/chain -m $2 $3 $4" >> "$work/list"; }   # LABEL METHOD MODEL N
# both(N, STEPS): the hand-written program and Taut over the same steps
both() {
    echo "hand@$1 env REPS=1 $programs/limit_chain j2 twisted 1e-3 $1 $(awk "BEGIN { print $2 / 1000 }")"
    echo "rattle@$1 $programs/chain -m rattle -n $2 $chain $1"
}
{ both 1000 1000; both 10000 300; both 100000 60; } >> "$work/list"
for n in 1000 10000; do
    job em@$n em $chain $n
    job lobatto@$n lobatto:s=3 $chain $n
    job galerkin@$n galerkin $chain $n
    job bending@$n em models/bending-chain.lua $n
    job dirac@$n dirac:rk4 $chain $n
    # long enough for its own set-up, which it counts, to be small
    if has gromacs; then echo "gromacs@$n $programs/peer_gromacs j2 lincs 1e-3 $n 1"; fi >> "$work/list"
    if has sundials; then
        echo "adams@$n env REPS=1 $programs/peer_sundials j2 cvode-adams 1e-6 $n 0.1 1e-3" >> "$work/list"
    fi
done
measure 3 ns/mass/step < "$work/list"
{
    both 1000000 20
    echo "dirac@100000 $programs/chain -m dirac:rk4 $chain 100000"
} | measure 3 ns/mass/step
for threads in 1 2; do
    for m in rattle lobatto:s=3; do
        echo "${m%:*}_threads$threads $programs/chain -m $m -t $threads $chain 100000"
    done
done | measure "$rounds" ns/mass/step
for label in rattle@1000000; do
    if [ -s "$work/$label" ]; then echo "point $label $(cat "$work/$label")"; fi
done >> "$work/results"
table << 'END'
function value(name, n) { return figure_of(name "@" n) }
function line(what, name,  i, text, shown) {
    shown = what; gsub(/`/, "", shown); sub(/,? ?(elim|step|\(four).*/, "", shown); sub(/^Taut, /, "", shown)
    text = "| " what " |"; colour++
    for (i = 1; i <= sizes; i++) {
        text = text " " digits(value(name, size[i])) " |"
        if (value(name, size[i]) > 0) printf "%s\t%d\t%g\t%d\n", shown, size[i], value(name, size[i]), colour > points
    }
    for (i = 1; i <= sizes; i++) any[name] += (name "@" size[i]) in cpu
    if (any[name]) print text
}
function part(key,  at) { at = index(point[1], key "="); return at ? substr(point[1], at + length(key) + 1) + 0 : -1 }
END {
    sizes = split("1000 10000 100000 1000000", size, " ")
    print "Nanoseconds per mass and step, h = 0.001, released from rest along a line:\n"
    print "![cost against the number of links](plots/chain.svg)\n"
    print "| links | 1,000 | 10,000 | 100,000 | 1,000,000 |\n|---|---|---|---|---|"
    line("hand-written, elimination from both ends", "hand")
    line("Taut, `rattle`", "rattle")
    text = "| Taut, `rattle`, to hand-written |"
    for (i = 1; i <= sizes; i++) text = text " " ratio(value("rattle", size[i]), value("hand", size[i])) " |"
    print text
    line("Taut, `lobatto:s=3`", "lobatto")
    line("Taut, `galerkin`", "galerkin")
    line("Taut, `em`", "em")
    line("Taut, `em`, with bending springs", "bending")
    line("Taut, `dirac:rk4` (four evaluations)", "dirac")
    line("GROMACS, LINCS", "gromacs")
    line("SUNDIALS, CVODE Adams, step at most 0.001", "adams")
    hand = to(value("hand", 1000000), value("hand", 1000))
    if (hand > 0)
        printf "\nPer mass, 10^6 to 10^3 links: the hand-written program %s, Taut %s. What is above 1 is memory: at " \
            "10^6 links all arrays come from it, at 10^3 none.\n", ratio(hand, 1), \
            ratio(value("rattle", 1000000), value("rattle", 1000))
    million = part("load") < 0 ? -1 : part("load") + part("ready")
    printf "\nA million links: the model is loaded in %s s and set up in %s s; peak memory %s MiB.\n", \
        digits(part("load")), digits(part("ready")), digits("rattle@1000000" in mib ? mib["rattle@1000000"] : -1)
    two = to(figure_of("rattle_threads1"), figure_of("rattle_threads2"))
    lobatto = to(figure_of("lobatto_threads1"), figure_of("lobatto_threads2"))
    if (two > 0)
        printf "\nTwo threads at 100,000 links: `rattle` %s times as fast as one thread, `lobatto:s=3` %s times " \
            "(wall time, the least of single steps in alternating runs).\n", digits(two), digits(lobatto)
    worst = -1
    for (i = 1; i <= 3; i++)
        if (to(value("rattle", size[i]), value("hand", size[i])) > worst)
            worst = to(value("rattle", size[i]), value("hand", size[i]))
    flat = to(value("rattle", 1000000), value("rattle", 1000))
    goal("J2 RATTLE to hand-written, worst of 10^3 to 10^5 links", "<=", 4, "", worst)
    goal("J2 RATTLE per mass, 10^6 to 10^3 links", "<=", 1.5, "", flat)
    goal("J2 GROMACS LINCS to Taut, 10^4 links", ">=", 4, "", to(value("gromacs", 10000), value("rattle", 10000)))
    goal("J2 two threads to one, 10^5 links", ">=", 1.6, "", two)
    goal("J2 `em`, per mass and step, 10^4 links", "<=", 1000, " ns", value("em", 10000))
    goal("J2 `lobatto:s=3`, per mass and step, 10^4 links", "<=", 1000, " ns", value("lobatto", 10000))
    goal("10^6 links: load and set-up", "<=", 6, " s", million)
    goal("10^6 links: memory", "<=", 2048, " MiB", "rattle@1000000" in mib ? mib["rattle@1000000"] : -1)
}
END
awk -f bench/plot.awk -v title="Hanging chain: cost against the number of links" -v xlabel="links" \
    -v ylabel="ns per mass and step" "$work/table.points" > bench/plots/chain.svg
