# Rigid bodies, joints, friction and damping: microseconds a RATTLE step.
models='damped-catenary:200-link_catenary_with_damping hinged-plates:two_rigid_bodies_on_a_hinge
        billiard-ball:sphere_with_friction stewart-platform:Stewart_platform,_legs_prescribed
        spatial-four-bar:four-bar_linkage_in_space rigid-body:free_rigid_body heavy-top:heavy_top
        slider-crank:slider-crank four-bar:plane_four-bar_linkage'
for entry in $models; do
    name=${entry%%:*}
    echo "point $name $(echo "${entry#*:}" | tr _ ' ')" >> "$work/results"
    pair "$name:on" 0.0005 200 6200 models/$name.lua -m rattle --native on
    pair "$name:own" 0.0005 200 6200 models/$name.lua -m rattle --native auto
    pair "$name:off" 0.0005 200 2200 models/$name.lua -m rattle --native off
done > "$work/list"
measure "$rounds" 2> "$work/failures" < "$work/list"
grep -v ':on_' "$work/failures" >&2 || true # no native code for this model: the table says so
table << 'END'
END {
    print "Microseconds a step of `rattle`, h = 0.0005: native as C (`--native on`; a dash: Taut makes no native"
    print "code for this model) and as machine code of Taut (`auto`), and interpreted.\n"
    print "| model | what | C | machine code | interpreted |\n|---|---|---|---|---|"
    for (n = 1; n <= point_count; n++) {
        name = what = point[n]
        sub(/ .*/, "", name); sub(/^[^ ]* /, "", what)
        on[name] = 1e6*per_step(name ":on"); off = 1e6*per_step(name ":off")
        own = on[name] < 0 ? -1 : 1e6*per_step(name ":own")
        printf "| `%s` | %s | %s | %s | %s |\n", name, what, digits(on[name]), digits(own), digits(off)
        if (own >= 0 && own < on[name]) on[name] = own
    }
    goal("Stewart platform, native RATTLE step", "<=", 5, " us", on["stewart-platform"])
    goal("four-bar linkage in space, native RATTLE step", "<=", 15, " us", on["spatial-four-bar"])
}
END
