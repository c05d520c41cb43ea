# J4: 10^5 double spherical pendula, a step of 0.01: hand-written lanes, Taut's lanes, one thread and two.
many=100000
export TAUT_MODELS=$PWD/models
{
    for method in rattle energy; do
        echo "hand_$method env REPS=1 $programs/limit_ensemble j4 $method 0.01 $many 500 1"
    done
    echo "hand_rattle_two env REPS=1 $programs/limit_ensemble j4 rattle 0.01 $many 500 2"
    echo "lanes_rattle $programs/ensemble speed lanes rattle 0.01 $many 500 1"
    echo "lanes_rattle_two $programs/ensemble speed lanes rattle 0.01 $many 500 2"
    echo "lanes_energy $programs/ensemble speed lanes em 0.01 $many 500 1"
    echo "alone_rattle $programs/ensemble speed interpreter rattle 0.01 $((many / 10)) 500 1"
    echo "alone_energy $programs/ensemble speed interpreter em 0.01 $((many / 10)) 500 1"
} > "$work/list"
measure "$rounds" ns/pendulum/step < "$work/list"
table << 'END'
function line(what, a, b) {
    printf "| %s | %s | %s | %s | %s |\n", what, digits(a), ratio(a, hand), digits(b), ratio(b, hand_em)
}
END {
    hand = figure_of("hand_rattle"); hand_em = figure_of("hand_energy")
    lanes = figure_of("lanes_rattle"); lanes_em = figure_of("lanes_energy"); two = figure_of("lanes_rattle_two")
    print "Nanoseconds of wall time per pendulum and step, without starts, and the ratio to hand-written lanes (fused"
    print "multiply-adds, two Newton iterations whatever they leave). Members of Taut have the bits of single runs.\n"
    print "| one thread | RATTLE | ratio | energy-momentum | ratio |\n|---|---|---|---|---|"
    line("hand-written lanes", hand, hand_em)
    line("Taut, lanes", lanes, lanes_em)
    line("Taut, one member after the other", figure_of("alone_rattle"), figure_of("alone_energy"))
    printf "\nTwo threads: hand-written %s, Taut %s times one.\n", digits(to(hand, figure_of("hand_rattle_two"))), \
        digits(to(lanes, two))
    goal("J4 RATTLE in lanes to hand-written lanes, one core", "<=", 1.5, "", to(lanes, hand))
    goal("J4 energy-momentum in lanes to hand-written lanes, one core", "<=", 2, "", to(lanes_em, hand_em))
    goal("J4 RATTLE in lanes, two threads to one", ">=", 1.9, "", to(lanes, two))
}
END
