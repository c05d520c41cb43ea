# What recording costs: the double spherical pendulum under rattle, all in; and the run of make demo.
for every in 1 10 100; do
    pair "every$every" 0.001 20000 120000 $pendulum -m rattle --every $every -o "$work/run.taut" --force
done > "$work/list"
{
    echo "- $taut run $pendulum -m rattle -s 0.001 -T 0.001 --native on" # so that the code is in the cache
    pair plain 0.001 20000 120000 $pendulum -m rattle
    echo "demo $taut run $pendulum -m rattle -s 0.01 -T 100 -o $work/demo.taut --force"
    cat "$work/list"
    pair chain_plain 0.001 20 120 models/hanging-chain.lua -D N=10000
    pair chain_every10 0.001 20 120 models/hanging-chain.lua -D N=10000 --every 10 -o "$work/chain.taut" --force
} > "$work/all"
measure "$rounds" < "$work/all"
table << 'END'
function line(what, label, plain) {
    printf "| %s | %s | %s | %s |\n", what, digits(1e6*per_step(label)), digits(1e6*wall_step(label)), \
        ratio(per_step(label), per_step(plain))
}
END {
    print "`taut run` as it is by default (`--native auto`), a step all in. Processor time counts all"
    print "threads; wall time includes the disk.\n"
    print "| | us of processor time | us of wall time | to no recording |\n|---|---|---|---|"
    line("J1, no run file", "plain", "plain")
    line("J1, `-o`, a frame every 100 steps", "every100", "plain")
    line("J1, `-o`, a frame every 10 steps", "every10", "plain")
    line("J1, `-o`, a frame every step", "every1", "plain")
    line("chain of 10,000 links, no run file", "chain_plain", "chain_plain")
    line("chain of 10,000 links, `-o`, a frame every 10 steps", "chain_every10", "chain_plain")
    printf "\nThe run of `make demo`, 10,000 steps of J1, each recorded: %s ms of wall time, %s ms of\n", \
        digits(1e3*("demo" in wall ? wall["demo"] : -1)), digits(1e3*("demo" in cpu ? cpu["demo"] : -1))
    print "processor time, for the whole command."
    goal("J1 with every step recorded, all in, a step (wall)", "<=", 1.5, " us", 1e6*wall_step("every1"))
    goal("`make demo`'s 10,000 steps", "<=", 20, " ms", "demo" in wall ? 1e3*wall["demo"] : -1)
}
END
