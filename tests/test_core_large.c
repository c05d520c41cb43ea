/* Ways of solving that only systems of some size take, against the ways of others: one scheme, two solvers. Chains of
   80 links are above every threshold but that of loops in pieces. */
#include "support_method.h"

#include "base/pool.h"

enum { STEPS = 12, LONG = POOL_NUMBERS / 3 + 400 }; /* LONG: two pieces */
static int links = 80;
static real h = (real)0.01;
static double bend = 0.3; /* of the chains at the start */

static simulation *open_chain(const char *text, const char *method)
{
    simulation *z = open_text(text);
    use_method(z, method);
    return z;
}

static real difference(const simulation *a, const simulation *b)
{
    real most = 0;
    for (uint32_t i = 0; i < a->s->n; i++) {
        most = real_most(most, a->x.q[i] - b->x.q[i]);
        most = real_most(most, a->x.p[i] - b->x.p[i]);
    }
    return most;
}

/* Coordinates of up to N lengths are known to N eps, momenta to that over h where a solver is free to put its
   rounding; times 100 for some steps of a motion in which neighbours pull at each other. Schemes that are not the
   same are 1e-6 apart and more. */
static void compare(const char *name, int steps, const char *a_text, const char *a_method, const char *b_text,
                    const char *b_method)
{
    simulation *a = open_chain(a_text, a_method), *b = open_chain(b_text, b_method);
    real start = a->x.q[3 * links / 2 + 2];
    do_steps(a, steps, h);
    do_steps(b, steps, h);
    real far = difference(a, b);
    printf("%s: %s and %s %.1e eps apart\n", name, a_method, b_method, (double)(far / REAL_EPSILON));
    assert_true(far <= 100 * links * REAL_EPSILON / h);
    assert_true(REAL(fabs)(a->x.q[3 * links / 2 + 2] - start) > 0); /* it moves */
    close_model(a);
    close_model(b);
}

/* A bent chain at rest; its masses, what else belongs to a link, what comes after. */
static const char *chain(char *room, size_t size, const char *kinetic, const char *link, const char *tail)
{
    snprintf(room, size,
             "local N, t = %d, time()\n"
             "local g, d, k = param('g', 9.81), param('d', 0.8), param('k', 400)\n"
             "local before, second, all = origin, nil, {}\n"
             "local x, z = 0, 0\n"
             "for i = 1, N do local a, m = point('a'..i), 1 + i %% 4/8; all[i] = a\n"
             "  x, z = x + cos(%g*sin(i)), z + sin(%g*sin(i))\n"
             "  %s\n  %s\n"
             "  start { ['a'..i] = {x, 0, z} }\n"
             "  second, before = before, a end\n%s",
             links, bend, bend, kinetic, link, tail);
    return room;
}

#define L_PART "lagrangian(m*norm2(a.dot)/2 - m*g*a.z)"
#define H_PART "hamiltonian(norm2(momentum(a))/(2*m) + m*g*a.z)"
#define BAR "constraint('bar'..i, norm2(a - before) - 1)\n"
#define ROOT "constraint('bar'..i, norm(a - before) - 1)\n" /* of the same length, but not for method/points.h */

static char one[2000], other[2000];

/* RATTLE written out (verlet.c) and by its table, which is lobatto:s=2: plain, with a gap between two chains, with a
   loop, a pin that moves, masses that couple neighbours' coordinates, springs, drag; drag so strong that the table does
   these steps, too. */
static void rattle_by_hand_and_by_table(void **unused)
{
    (void)unused;
    static const struct { const char *name, *kinetic, *link, *tail; } cases[] = {
        { "chain", L_PART, BAR, "" },
        { "chain of roots", L_PART, ROOT, "" },
        { "two chains", L_PART, "if i ~= 40 then " BAR " end", "" },
        { "loop", L_PART, BAR, "local function at(i) local u, w = 0, 0; for j = 1, i do u, w = u + cos(0.3*sin(j)), "
                               "w + sin(0.3*sin(j)) end; return {u, 0, w} end\n"
                               "local p, q = at(20), at(60); constraint('loop', norm2(all[20] - all[60]) - "
                               "norm2{p[1] - q[1], 0, p[3] - q[3]})" },
        { "moving pin", L_PART, "if i > 1 then " BAR " else constraint('bar1', norm2(a - "
                                "vector{sin(t)/10 - t/10, 0, 0}) - 1) end", "" },
        { "coupled masses", L_PART "; lagrangian(a.x.dot*a.y.dot/5)", BAR, "" },
        { "drag", L_PART, BAR "force(a, -d*norm(a.dot + vector{1, 0, 0})*a.dot)", "" },
        { "drag, coupled masses", L_PART "; lagrangian(a.x.dot*a.y.dot/5)", BAR "force(a, -d*a.dot)", "" },
        { "drag, moving pin", L_PART, "force(a, -d*a.dot); if i > 1 then " BAR " else constraint('bar1', norm2(a - "
                                      "vector{sin(t)/10 - t/10, 0, 0}) - 1) end", "" },
        { "strong drag", L_PART, BAR "force(a, -50*d*a.dot)", "" },
        { "stronger drag", L_PART, BAR "force(a, -500*d*a.dot)", "" },
        { "springs", L_PART, BAR, "for i = 3, N do lagrangian(-2*(norm2(all[i] - all[i-2]) - 3)^2) end" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        chain(one, sizeof one, cases[i].kinetic, cases[i].link, cases[i].tail);
        compare(cases[i].name, STEPS, one, "rattle", one, "lobatto:s=2");
    }
}

#define EVEN "lagrangian(norm2(a.dot)/2 - g*a.z)"
#define LATER(length, first, last, by) \
    "for i = " first ", " last ", " by " do constraint('bar'..i, " length "(all[i] - (all[i-1] or origin)) - 1) end\n"

/* The same for chains so long that their loops are cut: constraints in the order of the chain, against it, and in one
   in which no piece has its own (row_cuts.h). */
static void rattle_in_pieces(void **unused)
{
    (void)unused;
    static const struct { const char *name, *kinetic, *link, *tail; } cases[] = {
        { "long chain", L_PART, BAR, "" },
        { "equal masses", EVEN, BAR, "" },
        { "roots", L_PART, ROOT, "" },
        { "roots, equal masses", EVEN, ROOT, "" },
        { "drag", EVEN, BAR "force(a, -d*a.dot)", "" },
        { "bars backwards", EVEN, "", LATER("norm2", "N", "1", "-1") },
        { "bars mixed up", EVEN, "", LATER("norm2", "1", "N", "2") LATER("norm2", "2", "N", "2") },
        { "roots backwards", EVEN, "", LATER("norm", "N", "1", "-1") },
        { "roots mixed up", EVEN, "", LATER("norm", "1", "N", "2") LATER("norm", "2", "N", "2") },
    };
    links = LONG;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        chain(one, sizeof one, cases[i].kinetic, cases[i].link, cases[i].tail);
        compare(cases[i].name, 2, one, "rattle", one, "lobatto:s=2");
    }
    links = 80;
}

/* Of a straight chain the velocities need a second correction from the third of these steps on: its condition grows
   with the square of the length. */
static void velocities_corrected_twice(void **unused)
{
    (void)unused;
    links = LONG, bend = 0, h = (real)0.03;
    chain(one, sizeof one, EVEN, BAR, "");
    compare("straight chain", 4, one, "rattle", one, "lobatto:s=2");
    chain(one, sizeof one, EVEN, ROOT, "");
    compare("straight chain of roots", 4, one, "rattle", one, "lobatto:s=2");
    links = 80, bend = 0.3, h = (real)0.01;
}

/* A step depends on the state alone: what the last one left is used only where it ended here. The last coordinate is in
   the last piece of its loops. */
static void move_a_state(const char *bar)
{
    links = LONG;
    chain(one, sizeof one, EVEN, bar, "");
    simulation *a = open_chain(one, "rattle"), *b = open_chain(one, "rattle");
    do_steps(a, 1, h);
    a->x.q[a->s->n - 1] += (real)1e-6;
    X(state_copy)(&a->x, &b->x);
    do_steps(a, 1, h);
    do_steps(b, 1, h);
    assert_memory_equal(a->x.q, b->x.q, a->s->n * sizeof(real));
    assert_memory_equal(a->x.q_low, b->x.q_low, a->s->n * sizeof(real));
    assert_memory_equal(a->x.p, b->x.p, a->s->n * sizeof(real));
    close_model(a);
    close_model(b);
    links = 80;
}

static void a_moved_state(void **unused)
{
    (void)unused;
    move_a_state(BAR);
    move_a_state(ROOT);
}

static void same_numbers(const simulation *a, const simulation *b)
{
    state_field of_a[STATE_FIELDS], of_b[STATE_FIELDS];
    state x = a->x, y = b->x;
    const int count = X(state_fields)(&x, of_a);
    X(state_fields)(&y, of_b);
    for (int i = 0; i < count; i++) assert_memory_equal(of_a[i].data, of_b[i].data, of_a[i].count * sizeof(real));
}

/* Velocities are begun with the positions that seem to be the last ones: after as many corrections as in the step
   before. Steps of different lengths need more and fewer, and are those of a simulation that has seen no other. */
static void guess_wrongly(const char *bar)
{
    static const double lengths[] = { 1e-3, 3e-2, 1e-5, 3e-2, 1e-2, 1e-5 };
    long least = 1000, most = 0;
    links = LONG;
    chain(one, sizeof one, EVEN, bar, "");
    simulation *a = open_chain(one, "rattle");
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        simulation *b = open_chain(one, "rattle");
        const long before = X(simulation_counts)(a).iterations;
        X(state_copy)(&a->x, &b->x);
        do_steps(a, 1, (real)lengths[k]);
        do_steps(b, 1, (real)lengths[k]);
        same_numbers(a, b);
        const long corrections = X(simulation_counts)(a).iterations - before;
        least = corrections < least ? corrections : least;
        most = corrections > most ? corrections : most;
        close_model(b);
    }
    printf("%ld to %ld corrections a step\n", least, most);
    assert_true(most > least);
    close_model(a);
    links = 80;
}

static void a_guess_that_was_wrong(void **unused)
{
    (void)unused;
    guess_wrongly(BAR);
    guess_wrongly(ROOT);
}

/* Newton's rough matrix (step/chord.h) is for Lagrangian models; the same ones with a Hamiltonian have the full matrix.
   Drag, which the rough matrix leaves out; and springs too stiff for it. */
static void rough_and_full_matrices(void **unused)
{
    (void)unused;
    static const char *methods[] = { "lobatto:s=2", "lobatto:s=3", "em" };
    static const struct { const char *name, *l, *h, *tail_l, *tail_h; } cases[] = {
        { "chain", BAR, BAR, "", "" },
        { "drag", BAR "force(a, -d*a.dot)", BAR "force(a, -d*momentum(a)/m)", "", "" },
        { "stiff springs", BAR, BAR, "for i = 3, N do lagrangian(-k*(norm2(all[i] - all[i-2]) - 3)^2) end",
          "for i = 3, N do hamiltonian(k*(norm2(all[i] - all[i-2]) - 3)^2) end" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            chain(one, sizeof one, L_PART, cases[i].l, cases[i].tail_l);
            chain(other, sizeof other, H_PART, cases[i].h, cases[i].tail_h);
            compare(cases[i].name, STEPS, one, methods[m], other, methods[m]);
        }
}

static void galerkin_and_lobatto(void **unused)
{
    (void)unused;
    chain(one, sizeof one, L_PART, BAR, "");
    chain(other, sizeof other, H_PART, BAR, "");
    compare("chain", STEPS, one, "galerkin:LLL,m=3", other, "lobatto:s=3");
}

/* Newton's iteration may leave out more of many constraints (crowd_of in solve/newton.c). It must not show: bars of a
   chain far from the origin are known to the rounding errors of its coordinates, some N eps. A bent chain in long
   steps, where corrections shrink slowly: 1.94 N eps, as with nothing more left out (and 5.30 instead of 5.43
   corrections a step); 7.1 with 16 times as much, 177 with 256 times. */
static void many_constraints_are_kept(void **state)
{
    enum { MANY = 4000 };
    (void)state;
    char text[400];
    snprintf(text, sizeof text,
             "local before, x, z = origin, 0, 0\n"
             "for i = 1, %d do local a = point('a'..i); lagrangian(norm2(a.dot)/2 - 9.81*a.z)\n"
             "  x, z = x + cos(0.5*sin(i)), z + sin(0.5*sin(i))\n"
             "  constraint('bar'..i, norm2(a - before) - 1); start { ['a'..i] = {x, 0, z} }; before = a end\n", MANY);
    simulation *z = open_chain(text, "rattle");
    const int steps = QUAD || SANITIZED ? 10 : 300;
    real worst = 0, fastest = 0;
    for (int k = 0; k < steps; k++) {
        real position, velocity;
        do_steps(z, 1, (real)0.01);
        X(simulation_residuals)(z, &position, &velocity);
        worst = real_most(worst, position), fastest = real_most(fastest, velocity);
    }
    printf("%d links, %d steps: g %.3f N eps, dg/dt %.3f eps, %.3f corrections a step\n", MANY, steps,
           (double)(worst / (MANY * REAL_EPSILON)), (double)(fastest / REAL_EPSILON),
           (double)X(simulation_counts)(z).iterations / steps);
    assert_true(worst <= 3 * MANY * REAL_EPSILON);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rattle_by_hand_and_by_table),
        cmocka_unit_test(rattle_in_pieces),
        cmocka_unit_test(velocities_corrected_twice),
        cmocka_unit_test(a_moved_state),
        cmocka_unit_test(a_guess_that_was_wrong),
        cmocka_unit_test(rough_and_full_matrices),
        cmocka_unit_test(galerkin_and_lobatto),
        cmocka_unit_test(many_constraints_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
