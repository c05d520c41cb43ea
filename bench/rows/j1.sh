# Double spherical pendulum, a step of 0.001: hand-written C, Taut, other systems.
{
    echo "hand_rattle env REPS=1 $programs/limit_dsp j1 rattle 0.001 1000"
    pair rattle_on 0.001 20000 1020000 $pendulum -m rattle --native on
    pair rattle_own 0.001 20000 1020000 $pendulum -m rattle --native auto
    pair rattle_off 0.001 20000 220000 $pendulum -m rattle --native off
    echo "hand_em env REPS=1 $programs/limit_dsp j1 energy 0.001 1000"
    pair em_on 0.001 20000 520000 $pendulum -m em --native on
    pair em_own 0.001 20000 520000 $pendulum -m em --native auto
    pair em_off 0.001 20000 120000 $pendulum -m em --native off
    has lammps && echo "lammps env REPS=1 $programs/peer_lammps j1 rattle 0.001 30"
    has gromacs && echo "gromacs $programs/peer_gromacs j1 lincs 0.001 30"
    has openmm && echo "openmm env REPS=1 $programs/peer_openmm j1 verlet 0.001 30"
    has ode && echo "ode env REPS=1 $programs/peer_ode j1 step 0.001 30"
    has mujoco && echo "mujoco env REPS=1 $programs/peer_mujoco j1 euler 0.001 30"
    has dart && echo "dart env REPS=1 $programs/peer_dart j1 ball 0.001 30"
    has simbody && echo "simbody env REPS=1 $programs/peer_simbody j1 tree-verlet-fixed 0.001 10"
    has siconos && echo "siconos env REPS=1 $programs/peer_siconos j1 velocity 0.001 10"
    true
} > "$work/list"
measure "$rounds" ns/step < "$work/list"
table << 'END'
function least_of(a, b) { return a < 0 || (b >= 0 && b < a) ? b : a }
function line(what, a, b) {
    printf "| %s | %s | %s | %s | %s |\n", what, digits(a), ratio(a, hand), digits(b), ratio(b, hand_em)
}
function peer(label, what) {
    if (!(label in cpu)) return
    if (!heading++) print "\nOther systems, whatever scheme they have for it (the next section compares at equal" \
        "\nerror):\n\n| system | ns a step | to hand-written | to Taut, native |\n|---|---|---|---|"
    printf "| %s | %s | %s | %s |\n", what, digits(figure[label]), ratio(figure[label], hand), \
        ratio(figure[label], native)
    if (least == "" || figure[label] < least) least = figure[label]
}
END {
    hand = figure_of("hand_rattle"); hand_em = figure_of("hand_em")
    native = 1e9*per_step("rattle_on"); native_em = 1e9*per_step("em_on")
    own = 1e9*per_step("rattle_own"); own_em = 1e9*per_step("em_own")
    off = 1e9*per_step("rattle_off"); off_em = 1e9*per_step("em_off")
    print "Nanoseconds a step, and the ratio to the hand-written program.\n"
    print "| | RATTLE | ratio | energy-momentum | ratio |\n|---|---|---|---|---|"
    line("hand-written C", hand, hand_em)
    line("Taut, native: C (`--native on`)", native, native_em)
    line("Taut, native: its own machine code (`auto`)", own, own_em)
    native = least_of(native, own); native_em = least_of(native_em, own_em)
    line("Taut, interpreted", off, off_em)
    peer("lammps", "LAMMPS, fix rattle")
    peer("gromacs", "GROMACS, velocity Verlet with LINCS")
    peer("openmm", "OpenMM, leapfrog with CCMA")
    peer("ode", "ODE, `dWorldStep` (order 1)")
    peer("mujoco", "MuJoCo, Euler, ball joints (order 1)")
    peer("dart", "DART, ball joints (order 1)")
    peer("simbody", "Simbody, Verlet, joint coordinates")
    peer("siconos", "Siconos, Moreau-Jean (order 1)")
    goal("J1 RATTLE interpreted, a step", "<=", 1200, " ns", off)
    goal("J1 RATTLE native to hand-written", "<=", 1.5, "", to(native, hand))
    goal("J1 energy-momentum native to hand-written", "<=", 2.5, "", to(native_em, hand_em))
    goal("J1 fastest other system to Taut native, a step", ">=", 3, "", least == "" ? -1 : to(least, native))
}
END
