/* The symplectic Euler family on models of every form: f + r is the whole force; one motion written as a Lagrangian, a
   Hamiltonian and rates gives one trajectory; what is declared is kept; a step depends on the state alone, and leaves
   it alone when it fails. */
#include "support_keeps.h"
#include "support_method.h"

#include "method/euler.h"

static const char *const methods[] = { "euler",         "euler:natural",   "euler:conjugate",
                                       "euler:adjoint", "euler:alpha=0.3", "rattle" };
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- f + r ---- */

/* Terms with and without multipliers, a constant factor before a sum, products, friction nonlinear in the
   multiplier. */
static const char mixed[] =
    "local x, y = coordinate 'x', coordinate 'y' lagrangian((x.dot^2 + 2*y.dot^2)/2 - 3*x*y) local t = time()\n"
    "local l = constraint('c', y - x^2/2 - 0.1*sin(t)) force(x, 2*(0.3*l^2*y.dot - x.dot + cos(t)) - x*y) force(y, "
    "-0.2*y.dot)\n"
    "start { x = 0.3, y = free(0), ['x.dot'] = 0.4, ['y.dot'] = free(0), [l] = 1 }";

static simulation *open_any(const char *source, const char *method)
{
    simulation *z = strchr(source, ' ') ? open_text(source) : open_model(source);
    use_method(z, method);
    return z;
}

/* Sums of a handful of terms of size 1: in another order, so a few ulps apart. */
static void the_parts_are_the_whole(void **unused)
{
    (void)unused;
    static const char *const models[] = { mixed,          "papers/jay-simeon-4.1", "papers/jay-simeon-4.2",
                                          "henon-heiles", "damped-pendulum",       "heavy-top" };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        simulation *z = open_any(models[i], "euler");
        struct system *s = z->s;
        real whole[16], f[16], r[16];
        place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, z->x.lambda);
        X(system_force)(s, &at, whole);
        X(system_applied_force)(s, &at, f);
        X(system_reaction)(s, &at, r);
        for (uint32_t k = 0; k < s->n; k++)
            assert_at_most(REAL(fabs)(f[k] + r[k] - whole[k]),
                           8 * REAL_EPSILON * (1 + REAL(fabs)(f[k]) + REAL(fabs)(r[k])));
        close_model(z);
    }
    /* of `mixed`: r_x = -x l + 0.6 l^2 y', r_y = l; f_x = -3 y - 2 x' + 2 cos t - x y */
    simulation *z = open_any(mixed, "euler");
    real f[2], r[2], q[2] = { (real)0.5, (real)0.25 }, w[2] = { 2, 3 }, t = 0, l = 4;
    place at = place_at(z->s, q, w, &t, &l);
    X(system_applied_force)(z->s, &at, f);
    X(system_reaction)(z->s, &at, r);
    assert_at_most(REAL(fabs)(f[0] + (real)2.875), 8 * REAL_EPSILON);
    assert_at_most(REAL(fabs)(r[0] - (real)(-2 + (real)288 / 10)), 40 * REAL_EPSILON);
    assert_at_most(REAL(fabs)(f[1] + (real)1.5 + (real)6 / 10), 8 * REAL_EPSILON);
    assert_at_most(REAL(fabs)(r[1] - 4), 8 * REAL_EPSILON);
    assert_true(z->s->structure.nonlinear_multiplier);
    close_model(z);
}

/* Affine in the multipliers or not: |l| is not, though its second derivative vanishes. */
static void nonlinear_multipliers_are_found(void **unused)
{
    (void)unused;
    static const struct {
        const char *force;
        int nonlinear;
    } cases[] = { { "0.1*l*x.dot + x", 0 }, { "0.1*l^2", 1 },     { "-0.1*abs(l)*x.dot", 1 },
                  { "sqrt(1 + l^2)", 1 },   { "l/(1 + x^2)", 0 }, { "-x.dot", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local x, y = coordinate 'x', coordinate 'y' lagrangian((x.dot^2 + y.dot^2)/2 - y) local l = "
                 "constraint('c', y - x^2)\n"
                 "force(x, %s) start { x = 0.1, y = free(0), ['x.dot'] = 1, ['y.dot'] = free(0) }",
                 cases[i].force);
        simulation *z = open_text(text);
        assert_int_equal(z->s->structure.nonlinear_multiplier, cases[i].nonlinear);
        close_model(z);
    }
}

/* ---- one motion in three forms ---- */

/* b is a param: b^2 in the model's precision, not in Lua's */
#define CUBIC \
    "local b, y1, y2 = param('b', 0.01), coordinate 'y1', coordinate 'y2' "
static const char cubic_lagrangian[] =
    CUBIC "lagrangian((y1.dot^2 + y2.dot^2)/2 - 9.81*y2) local psi = constraint('surface', y2 - b*y1^3)\n"
          "local friction = 0.1*((1 + 9*b^2*y1^4)*psi^2)^0.425/sqrt(y1.dot^2 + y2.dot^2) force(y1, -friction*y1.dot) "
          "force(y2, -friction*y2.dot)\n"
          "start { y1 = 10, y2 = 10, ['y1.dot'] = -3.6, ['y2.dot'] = -10.8, [psi] = 1 }";
static const char cubic_hamiltonian[] =
    CUBIC "local z1, z2 = momentum(y1), momentum(y2) hamiltonian((z1^2 + z2^2)/2 + 9.81*y2)\n"
          "local psi = constraint('surface', y2 - b*y1^3) local friction = 0.1*((1 + "
          "9*b^2*y1^4)*psi^2)^0.425/sqrt(z1^2 + z2^2)\n"
          "force(y1, -friction*z1) force(y2, -friction*z2) start { y1 = 10, y2 = 10, ['p.y1'] = -3.6, ['p.y2'] = "
          "-10.8, [psi] = 1 }";

/* A bead on a moving curve in polar coordinates: mass that depends on position, time in the constraint, friction that
   is quadratic in the multiplier, damping, a drive. */
#define BEAD \
    "local r, a = coordinate 'r', coordinate 'a' local t = time() local c = constraint('curve', r - 1 - 0.2*cos(2*a) " \
    "- 0.1*sin(t))\n"
static const char bead_lagrangian[] = BEAD "lagrangian((r.dot^2 + r^2*a.dot^2)/2 - 9.81*r*sin(a)) force(r, -0.1*r.dot) "
                                           "force(a, -0.02*c^2*a.dot*r + 0.5*cos(3*t) - 0.1*a.dot)\n"
                                           "start { r = free(1), a = 0.4, ['r.dot'] = free(0), ['a.dot'] = 1.5 }";
static const char bead_hamiltonian[] = BEAD "local p, l = momentum(r), momentum(a) local w = l/r^2 hamiltonian((p^2 + "
                                            "l^2/r^2)/2 + 9.81*r*sin(a)) force(r, -0.1*p)\n"
                                            "force(a, -0.02*c^2*w*r + 0.5*cos(3*t) - 0.1*w) start { r = free(1), a = "
                                            "0.4, ['p.r'] = free(0), ['p.a'] = 2.0404067120198774 }";
static const char bead_rates[] = BEAD "local p, l = momentum(r), momentum(a) local w = l/r^2 rate(r, p) rate(a, w) "
                                      "rate(p, l^2/r^3 - 9.81*sin(a) - 0.1*p + c)\n"
                                      "rate(l, -9.81*r*cos(a) - 0.02*c^2*w*r + 0.5*cos(3*t) - 0.1*w + 0.4*sin(2*a)*c)\n"
                                      "start { r = free(1), a = 0.4, ['p.r'] = free(0), ['p.a'] = 2.0404067120198774 }";

static real apart(const char *one, const char *other, const char *method, real h, long steps)
{
    simulation *a = open_any(one, method), *b = open_any(other, method);
    X(state_copy)(&a->x, &b->x); /* the same start to the last bit */
    if (b->s->form != FORM_LAGRANGIAN) memcpy(b->x.w, b->x.p, b->s->n * sizeof(real));
    do_steps(a, steps, h);
    do_steps(b, steps, h);
    real far = larger(distance(a->x.q, b->x.q, a->s->n) / largest_of(a->x.q, a->s->n),
                      distance(a->x.p, b->x.p, a->s->n) / largest_of(a->x.p, a->s->n));
    close_model(a);
    close_model(b);
    return far;
}

/* 500 ulps: 30 steps with a few each, which grow tenfold along these motions at most. */
static void three_forms_of_one_motion(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *one, *other;
    } pairs[] = {
        { "cubic, L and rates", cubic_lagrangian, "papers/jay-simeon-4.2" },
        { "cubic, L and H", cubic_lagrangian, cubic_hamiltonian },
        { "bead, L and H", bead_lagrangian, bead_hamiltonian },
        { "bead, L and rates", bead_lagrangian, bead_rates },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int k = 0; k < METHODS; k++) {
            real far = apart(pairs[i].one, pairs[i].other, methods[k], (real)0.02, 30);
            printf("%-20s %-16s %.1f eps apart\n", pairs[i].name, methods[k], (double)(far / REAL_EPSILON));
            assert_at_most(far, 500 * REAL_EPSILON);
        }
}

/* ---- Newton ---- */

/* With exact matrices a step takes few iterations, also a large one. With any one of the blocks left out (tried one by
   one) some model takes 8.4 to 20 in double. */
static void matrices_are_exact(void **unused)
{
    (void)unused;
    static const struct {
        const char *model;
        double h;
    } cases[] = { { bead_lagrangian, 0.05 },
                  { bead_hamiltonian, 0.05 },
                  { bead_rates, 0.05 },
                  { cubic_lagrangian, 0.05 },
                  { "double-spherical-pendulum", 0.05 },
                  { "heavy-top", 0.005 },
                  { "papers/jay-simeon-4.1", 0.02 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < METHODS - 1; k++) {
            simulation *z = open_any(cases[i].model, methods[k]);
            X(stepper_use_lowered)(z->method.self, 0); /* whose matrices are derivatives of its equations */
            do_steps(z, 20, (real)cases[i].h);
            const newton_counts *c = X(method_counts)(&z->method);
            printf("%.20s... %-16s %.1f iterations, %.1f matrices a step\n", cases[i].model, methods[k],
                   (double)c->iterations / 20, (double)c->factorisations / 20);
            assert_at_most((double)c->iterations / 20, QUAD ? 9 : 8);
            close_model(z);
        }
}

/* ---- what is kept ---- */

static void declarations_hold(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double h;
    } models[] = { { "double-spherical-pendulum", 0.01 },
                   { "heavy-top", 0.0005 },
                   { "triple-pendulum", 0.02 },
                   { "driven-pendulum", 0.001 } };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int k = 0; k < METHODS - 1; k++) {
            simulation *z = open_with(models[i].name, methods[k]);
            engine_symplecticity form;
            do_steps(z, 5, (real)models[i].h);
            assert_int_equal(X(simulation_symplecticity)(z, (real)models[i].h, &form), TAUT_OK);
            kept worst = follow(z, (real)models[i].h, SANITIZED ? 50 : 200);
            printf("%-26s %-16s form %.1e (seen from %.1e)  g %.1f  dg/dt %.1f  momenta %.1f eps\n", models[i].name,
                   methods[k], (double)form.defect, (double)form.uncertainty, (double)worst.position,
                   (double)worst.velocity, (double)worst.momentum);
            assert_at_most(form.defect, form.uncertainty);
            assert_at_most(form.uncertainty, QUAD ? 1e-24 : 1e-9); /* or nothing is seen */
            assert_at_most(worst.position, 4);
            assert_at_most(worst.velocity, 8);
            assert_at_most(worst.momentum, 20); /* 200 steps with a rounding each, compensated */
            close_model(z);
        }
}

/* ---- the state ---- */

static void the_state_is_all_there_is(void **unused)
{
    (void)unused;
    for (int k = 0; k < METHODS; k++) {
        simulation *z = open_any(bead_lagrangian, methods[k]);
        do_steps(z, 7, (real)0.01);
        state middle = save_state(z);
        do_steps(z, 7, (real)0.01);
        state end = save_state(z);
        use_method(z, methods[k]); /* a fresh one, that has seen nothing */
        X(state_copy)(&middle, &z->x);
        simulation_moved(z);
        do_steps(z, 7, (real)0.01);
        for (size_t i = 0; i < X(state_size)(&end); i++) assert_true(z->x.block[i] == end.block[i]);
        X(state_clear)(z->s, &middle);
        X(state_clear)(z->s, &end);
        close_model(z);
    }
}

/* Far from the origin and nearly at rest the rounding errors of the positions are large against the velocities; a
   step must end all the same. */
static void far_away_and_slow(void **unused)
{
    (void)unused;
    static const char text[] = "local a = point('a', 2) lagrangian(norm2(a.dot)/2 - 9.81*a.y) constraint('rod', (a.x - "
                               "100000)^2 + a.y^2 - 1)\n"
                               "start { a = {100000, -1}, ['a.dot'] = {0.00001, 0} }";
    for (int k = 0; k < METHODS; k++) {
        simulation *z = open_any(text, methods[k]);
        kept worst = follow(z, (real)0.0001, 50);
        printf("%-16s g %.1f  dg/dt %.1f eps\n", methods[k], (double)worst.position, (double)worst.velocity);
        assert_at_most(worst.position, 4);
        assert_at_most(worst.velocity, 1000); /* |q| / |v| h is 1e8 at the most; the fast path of rattle leaves 28 */
        close_model(z);
    }
}

static void a_failed_step_changes_nothing(void **unused)
{
    (void)unused;
    for (int k = 0; k < METHODS; k++) {
        simulation *z = open_with("double-spherical-pendulum", methods[k]);
        state before = save_state(z);
        /* no constraint force of the start leads back to the sphere from there */
        int status = X(simulation_step)(z, 100);
        assert_true(status > 0);
        assert_true(strlen(taut_error_text(z->m->context)) > 20);
        assert_true(z->x.t == before.t);
        for (size_t i = 0; i < X(state_size)(&before); i++) assert_true(z->x.block[i] == before.block[i]);
        do_steps(z, 1, (real)0.01);
        X(state_clear)(z->s, &before);
        close_model(z);
    }
}

/* Psi~1 of (3.5) tends to the multiplier of the solution, Psi0 does not: at t = 0 of (4.1) psi = 1, and Psi0 solves
   Psi^2 + Psi = 1, which is (3.3) with alpha = 1/2. */
static void multipliers_of_a_step(void **unused)
{
    (void)unused;
    simulation *z = open_with("papers/jay-simeon-4.1", "euler");
    do_steps(z, 1, (real)1e-4); /* in double Psi0 is known to eps / h^2 */
    const real *first = z->x.lambda, *second = X(stepper_reported)(z->method.self);
    printf("Psi0 = %.9f, Psi~1 = %.9f\n", (double)first[0], (double)second[0]);
    assert_at_most(fabs((double)first[0] - (sqrt(5) - 1) / 2), 1e-3);
    assert_at_most(fabs((double)second[0] - 1), 1e-3);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_are_the_whole),
        cmocka_unit_test(nonlinear_multipliers_are_found),
        cmocka_unit_test(three_forms_of_one_motion),
        cmocka_unit_test(matrices_are_exact),
        cmocka_unit_test(declarations_hold),
        cmocka_unit_test(the_state_is_all_there_is),
        cmocka_unit_test(far_away_and_slow),
        cmocka_unit_test(a_failed_step_changes_nothing),
        cmocka_unit_test(multipliers_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
