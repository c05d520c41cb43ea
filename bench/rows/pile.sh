# Piles at rest: microseconds per contact and step against the number of contacts; Siconos on the same contacts.
sizes='2 3 4 5 6 7 8 9 10'
arches='7 15 25 51 101'
{
    for r in $sizes; do
        echo "point pyramid $r" >> "$work/results"
        pair "pyramid@$r" 0.01 20 $((20 + 2000 / (r * r))) models/pyramid.lua -D rows=$r
    done
    for n in $arches; do
        echo "point arch $n" >> "$work/results"
        pair "arch@$n" 0.01 20 $((20 + 2000 / n)) models/arch.lua -D n=$n
    done
} > "$work/list"
measure "$rounds" < "$work/list"
if has siconos; then
    for r in $sizes; do
        echo "nsgs@$r $programs/peer_siconos pile nsgs $r 1e-12"
        echo "rough@$r $programs/peer_siconos pile nsgs $r 1e-6"
    done | measure 1 us/contact
    for r in 3 10; do
        echo "lemke@$r $programs/peer_siconos pile lemke $r 1e-12"
    done | measure 1 left
fi
for label in nsgs@10 lemke@3 lemke@10; do
    if [ -s "$work/$label" ]; then echo "point $label $(cat "$work/$label")"; fi
done >> "$work/results"
table << 'END'
function cost(name, size, contacts,  s) { s = per_step(name "@" size); return s < 0 ? -1 : 1e6*s/contacts }
function dot(series, x, y, colour) { if (y > 0) printf "%s\t%d\t%g\t%d\n", series, x, y, colour > points }
function part(text, key,  at) { at = index(text, key "="); return at ? substr(text, at + length(key) + 1) + 0 : -1 }
END {
    print "`rattle`, h = 0.01, `--native auto`: microseconds per contact and step, all that a run does in a step (forces"
    print "inside the friction cones included). A contact has two unknowns. Pyramids of"
    print "[models/pyramid.lua](../models/pyramid.lua), arches of [models/arch.lua](../models/arch.lua)."
    print "Siconos: its numerics library on the contact problem of one Moreau-Jean step of the same pyramid, from"
    print "nothing, the matrix given (projected Gauss-Seidel, `fc2d` NSGS, to a relative error of 1e-6 and of 1e-12).\n"
    print "![cost per contact](plots/pile.svg)\n"
    print "| pyramid: boxes | contacts | Taut, a step | Siconos, 1e-6 | Siconos, 1e-12 |\n|---|---|---|---|---|"
    for (k = 1; k <= point_count; k++) {
        split(point[k], w, " ")
        if (w[1] != "pyramid") continue
        r = w[2]; contacts = 2*r*r; c = cost("pyramid", r, contacts)
        printf "| %d | %d | %s | %s | %s |\n", r*(r + 1)/2, contacts, digits(c), digits(figure_of("rough@" r)), \
            digits(figure_of("nsgs@" r))
        dot("Taut, pyramid", contacts, c, 1)
        dot("Siconos, pyramid, 1e-12", contacts, figure_of("nsgs@" r), 2)
        dot("Siconos, pyramid, 1e-6", contacts, figure_of("rough@" r), 3)
    }
    print "\n| arch: voussoirs | contacts | Taut, a step |\n|---|---|---|"
    for (k = 1; k <= point_count; k++) {
        split(point[k], w, " ")
        if (w[1] != "arch") continue
        contacts = 2*(w[2] + 1); c = cost("arch", w[2], contacts)
        printf "| %d | %d | %s |\n", w[2], contacts, digits(c)
        dot("Taut, arch", contacts, c, 4)
    }
    for (k = 1; k <= point_count; k++) {
        if (point[k] ~ /^nsgs@10/)
            printf "\nAccuracy on 55 boxes: Siconos NSGS leaves velocities of %.1e g h and misses the weight by %.1e of " \
                "it; Taut's boxes do not move by more than some ulps in 1,000 steps, and the floor carries the " \
                "weight to 1e-11 (`test_core_contact_rest`).\n", part(point[k], "left"), part(point[k], "weight")
        if (point[k] ~ /^lemke@/)
            printf "Siconos' Lemke (`fc2d` LEMKE) on %d contacts reports %s and leaves velocities of %.1e g h.\n", \
                part(point[k], "contacts"), part(point[k], "info") ? "failure" : "success", part(point[k], "left")
    }
}
END
awk -f bench/plot.awk -v title="Piles at rest: cost per contact" -v xlabel="contacts" \
    -v ylabel="us per contact and step" "$work/table.points" > bench/plots/pile.svg
