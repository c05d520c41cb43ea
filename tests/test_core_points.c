/* Points between bars (method/bars.h): which systems are such, that their steps are those of the table of RATTLE, that
   a step depends on the state alone, and that what is watched is what the fields say. */
#include "support_method.h"

#include "method/verlet_parts.h"

static simulation *open_points(const char *text, const char *method)
{
    simulation *z = open_text(text);
    use_method(z, method);
    return z;
}

/* Who made the last step. */
static int by_points(const simulation *z)
{
    return z->method.code == &X(verlet_projected) || z->method.code == &X(verlet_plain)
               ? ((const verlet *)z->method.self)->by_points
               : 0;
}

#define FREE "lagrangian(m*norm2(a.dot)/2 - m*9.81*a.z)\n"
#define CHAIN                                                                                           \
    "local N, all, x, y, z = 24, {}, 0, 0, 0\n"                                                         \
    "local function place(i) return 0.8*cos(0.3*i), 0.6*sin(0.5*i), 0.2*i end\n"                        \
    "local function square(a, b) local u, v, w = place(a); local x, y, z = place(b)\n"                  \
    "  return (u - x)^2 + (v - y)^2 + (w - z)^2 end\n"                                                  \
    "for i = 1, N do local a, m = point('a'..i), 1 + i % 4/8; all[i] = a\n"                             \
    "  local x, y, z = place(i); start { ['a'..i] = {x, y, z} }\n"
#define LINK(k) "  if i > 1 then constraint('bar'..i, " k "*(norm2(a - all[i-1]) - square(i, i - 1))) end\n"
#define PIN "local x, y, z = place(0); constraint('pin', norm2(all[1] - vector{x, y, z}) - square(1, 0))\n"

/* links that are no chain: every third point hangs at the one two before */
#define BRANCH                                                                                          \
    "  local j = i % 3 == 0 and i - 2 or i - 1\n"                                                        \
    "  if i > 1 then constraint('bar'..i, norm2(a - all[j]) - square(i, j)) end\n"
#define LOOPS                                                                                           \
    "for i = 4, N, 5 do constraint('loop'..i, norm2(all[i] - all[i-3]) - square(i, i - 3)) end\n"
#define PLANE                                                                                           \
    "local N, all = 24, {}\n"                                                                           \
    "for i = 1, N do local a = point('a'..i, 2); all[i] = a\n"                                           \
    "  lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"                                                         \
    "  start { ['a'..i] = {0.8*i, 0.6*(i % 2)} }\n"                                                     \
    "  local u, v = 0.8, i % 2 == 1 and 0.6 or -0.6\n"                                                  \
    "  constraint('bar'..i, norm2(a - (i > 1 and all[i-1] or vector{0, 0})) - (u*u + v*v)) end\n"

static const struct { const char *name, *text; int is; } systems[] = {
    { "chain", CHAIN FREE LINK("1") "end\n" PIN, 1 },
    { "chain that is free", CHAIN FREE LINK("1") "end\n", 1 },
    { "pin first, and another scale", CHAIN FREE "  if i == 1 then local x, y, z = place(0)\n"
                                      "    constraint('pin', (norm2(a - vector{x, y, z}) - square(1, 0))/2) end\n"
                                      LINK("-1.7") "end\n", 1 },
    { "tree", CHAIN FREE BRANCH "end\n" PIN, 1 },
    { "loops", CHAIN FREE LINK("1") "end\n" PIN LOOPS, 1 },
    { "bars backwards", CHAIN FREE "end\n" PIN "for i = N, 2, -1 do local a = all[i]\n" LINK("1") "end\n", 1 },
    { "two chains and a free point", CHAIN FREE "  if i ~= 9 then\n" LINK("1") "end end\n" PIN
                                     "local b = point('b'); lagrangian(norm2(b.dot)); start { b = {7, 8, 9} }", 1 },
    { "springs", CHAIN FREE LINK("1") "  if i > 2 then lagrangian(-20*(norm2(a - all[i-2]) - 1)^2) end end\n" PIN, 1 },
    { "plane", PLANE, 1 },
    { "a scalar beside", PLANE "local s = coordinate 's'; lagrangian(s.dot^2/2 - s^2); start { s = 1 }\n", 1 },
    { "Hamiltonian", CHAIN "  hamiltonian(norm2(momentum(a))/(2*m) + m*9.81*a.z)\n" LINK("1") "end\n" PIN, 1 },
    { "roots", CHAIN FREE "  if i > 1 then\n"
               "    constraint('bar'..i, norm(a - all[i-1]) - square(i, i - 1)^0.5) end end\n" PIN, 0 },
    { "ellipsoid", CHAIN FREE LINK("1") "end\n"
                   "local a = all[1]; local x, y, z = place(1)\n"
                   "constraint('on', a.x^2 + 2*a.y^2 + a.z^2 - (x^2 + 2*y^2 + z^2))\n", 0 },
    { "masses by direction", CHAIN FREE "  lagrangian(a.x.dot^2/7)\n" LINK("1") "end\n" PIN, 0 },
    { "moving pin", CHAIN FREE LINK("1") "end\n" "local t = time(); local x, y, z = place(0)\n"
                    "constraint('pin', norm2(all[1] - vector{x, y + 1 - cos(t), z}) - square(1, 0))\n", 0 },
};

/* Their steps are those of the table, but for what rounding errors make of some steps. */
static void steps(void **unused)
{
    enum { STEPS = 12 };
    const real h = (real)0.005;
    (void)unused;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        simulation *a = open_points(systems[i].text, "rattle"), *b = open_points(systems[i].text, "lobatto:s=2");
        state first = save_state(a);
        do_steps(a, STEPS, h);
        do_steps(b, STEPS, h);
        const uint32_t n = a->s->n;
        const real far = larger(distance(a->x.q, b->x.q, n), distance(a->x.p, b->x.p, n));
        printf("%s: by points %d, %.1e eps from the table\n", systems[i].name, by_points(a),
               (double)(far / REAL_EPSILON));
        assert_int_equal(by_points(a), systems[i].is && !QUAD);
        assert_at_most(far, 2e4 * REAL_EPSILON / h);
        assert_true(distance(a->x.q, first.q, n) > (real)1e-3);
        X(state_clear)(a->s, &first);
        close_model(a);
        close_model(b);
    }
}

/* Steps so long that the matrix of their start is no good: with that of the end Newton's iteration still gets down to
   rounding errors, in 5.5 corrections and velocities a step, as with the general loops. With that matrix transposed it
   did not. */
static void long_steps(void **unused)
{
    enum { STEPS = 30 };
    (void)unused;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        simulation *z = open_points(systems[i].text, "rattle");
        real worst = 0, fastest = 0;
        for (int k = 0; k < STEPS; k++) {
            real position, velocity;
            do_steps(z, 1, (real)0.02);
            X(simulation_residuals)(z, &position, &velocity);
            worst = larger(worst, position), fastest = larger(fastest, velocity);
        }
        const newton_counts done = X(simulation_counts)(z);
        printf("%s: g %.1f eps, dg/dt %.1f eps, %.2f corrections and %.2f matrices a step\n", systems[i].name,
               (double)(worst / REAL_EPSILON), (double)(fastest / REAL_EPSILON), (double)done.iterations / STEPS,
               (double)done.factorisations / STEPS);
        assert_at_most(worst, 200 * REAL_EPSILON);
        assert_at_most(fastest, 200 * REAL_EPSILON);
        if (!QUAD) assert_at_most((double)done.iterations / STEPS, 7);
        close_model(z);
    }
}

/* SHAKE leaves the velocities alone: its positions are those of RATTLE. */
static void steps_of_shake(void **unused)
{
    (void)unused;
    simulation *a = open_points(systems[0].text, "rattle"), *b = open_points(systems[0].text, "shake");
    do_steps(a, 12, (real)0.005);
    do_steps(b, 12, (real)0.005);
    assert_int_equal(by_points(b), !QUAD);
    assert_at_most(distance(a->x.q, b->x.q, a->s->n), 1e4 * REAL_EPSILON / (real)0.005);
    close_model(a);
    close_model(b);
}

static void assert_same_state(const simulation *a, const simulation *b)
{
    state_field of_a[STATE_FIELDS], of_b[STATE_FIELDS];
    state x = a->x, y = b->x;
    const int count = X(state_fields)(&x, of_a);
    X(state_fields)(&y, of_b);
    for (int i = 0; i < count; i++) assert_memory_equal(of_a[i].data, of_b[i].data, of_a[i].count * sizeof(real));
}

/* Matrix, bars and forces of the last step are used where it ended here, and nowhere else. */
static void the_state_alone(void **unused)
{
    static const double lengths[] = { 1e-3, 1e-3, 2e-2, 1e-5, 1e-3 };
    (void)unused;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        if (!systems[i].is) continue;
        simulation *a = open_points(systems[i].text, "rattle");
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            simulation *b = open_points(systems[i].text, "rattle");
            X(state_copy)(&a->x, &b->x);
            do_steps(a, 1, (real)lengths[k]);
            do_steps(b, 1, (real)lengths[k]);
            assert_same_state(a, b);
            a->x.q[a->s->n - 1] += (real)1e-9 * (real)(k % 2); /* not where the step ended */
            close_model(b);
        }
        close_model(a);
    }
}

/* With other values of the parameters a constraint is a distance of another length, or none any more; then the general
   loops make the step, and leave no trend of the multipliers behind that an earlier state had. */
static void other_constants(void **unused)
{
    static const char text[] = "local k, l = param('k', 1), param('l', 1)\n" CHAIN FREE
                               "  if i > 1 then local d = a - all[i-1]\n"
                               "    constraint('bar'..i, (k*d[1])^2 + d[2]^2 + d[3]^2 - l*square(i, i - 1))\n"
                               "  end end\n" PIN;
    (void)unused;
    static const struct { double k, l; int is; } cases[] = {
        { 1, 1, 1 }, { 1, 1.001, 1 }, { 1.002, 1, 0 }, { 1, 1, 1 }
    };
    simulation *z = open_points(text, "rattle");
    const long k = taut_model_find_parameter(z->m, "k"), l = taut_model_find_parameter(z->m, "l");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        real position = 0, velocity = 0;
        z->m->parameters[k].value = (wide)cases[i].k, z->m->parameters[l].value = (wide)cases[i].l;
        assert_int_equal(X(system_refresh_constants)(z->s), TAUT_OK);
        simulation_moved(z);
        /* out of a state off these constraints a short step leads onto them */
        do_steps(z, cases[i].is ? 12 : 1, (real)0.001);
        X(simulation_residuals)(z, &position, &velocity);
        assert_int_equal(by_points(z), cases[i].is && !QUAD);
        assert_at_most(position, 1e3 * REAL_EPSILON);
        if (!QUAD) assert_int_equal(largest_of(z->x.trend, z->s->c) > 0, cases[i].is);
    }
    close_model(z);
}

/* Energy, residuals and momenta are those of the fields, but for rounding errors of their sums. */
static void what_is_watched(void **unused)
{
    (void)unused;
    if (QUAD) return;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        simulation *z = open_text(systems[i].text);
        do_steps(z, 5, (real)0.005);
        const points_watched *found = z->points ? X(points_watch_read)(z->points, &z->x) : NULL;
        assert_int_equal(found != NULL, systems[i].is);
        if (found) {
            real position, velocity;
            X(simulation_residuals)(z, &position, &velocity);
            place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, NULL);
            X(system_velocity)(z->s, &at, z->v);
            const real energy = X(system_energy)(z->s, &at, z->v);
            assert_at_most(REAL(fabs)(found->position - position), 100 * REAL_EPSILON);
            assert_at_most(REAL(fabs)(found->velocity - velocity), 1000 * REAL_EPSILON);
            if (X(points_watch_has_energy)(z->points))
                assert_at_most(REAL(fabs)(found->energy - energy), 1e5 * REAL_EPSILON);
            for (int k = 0; k < z->symmetry_count; k++)
                assert_at_most(REAL(fabs)(found->momenta[k]
                                          - momentum_of(z->s, &z->symmetries[k], z->x.q, z->x.p)),
                               1e4 * REAL_EPSILON);
            /* off the constraints, where residuals are no rounding errors */
            z->x.q[3] += (real)0.25, z->x.w[4] += (real)0.5, z->x.p[4] = z->x.w[4] / z->s->inverse_mass[4];
            if (z->s->form != FORM_LAGRANGIAN) z->x.w[4] = z->x.p[4];
            X(simulation_residuals)(z, &position, &velocity);
            found = X(points_watch_read)(z->points, &z->x);
            assert_at_most(REAL(fabs)(found->position - position), 1e3 * REAL_EPSILON);
            assert_at_most(REAL(fabs)(found->velocity - velocity), 1e3 * REAL_EPSILON);
            assert_true(position > (real)1e-3 && velocity > (real)1e-3);
        }
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(long_steps),
        cmocka_unit_test(steps_of_shake),
        cmocka_unit_test(the_state_alone),
        cmocka_unit_test(other_constants),
        cmocka_unit_test(what_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
