/* naive, extended and dirac as methods: orders and what they declare on nonlinear constrained models, starts off the
   constraints, Newton against stiffness, steps as functions of the state. */
#include "support_dirac.h"
#include "run/verify_order.h"

#define ENGINE X(engine)

static simulation *open_formulation(const char *model, int f, const char *options)
{
    char method[120];
    snprintf(method, sizeof method, "%s:%s", formulations[f], options);
    return open_with(model, method);
}

static method_info declared(int f, const char *options)
{
    char text[120];
    method_spec spec;
    taut_context *context = taut_context_create(NULL);
    snprintf(text, sizeof text, "%s:%s", formulations[f], options);
    assert_int_equal(X(method_parse)(context, text, &spec), TAUT_OK);
    method_info info = X(method_declared)(&spec);
    taut_context_destroy(context);
    return info;
}

/* Errors over eight steps against the exact flow, as the step is halved (run/verify_order.c). rkf45 with a tolerance
   that nothing exceeds takes the steps it is given. */
static void orders_are_as_declared(void **unused)
{
    (void)unused;
    static const char *const schemes[] = { "rk4", "gauss,s=3", "midpoint", "rkf45,tol=1e3" };
    static const struct {
        const char *name;
        double h;
    } models[] = {
        /* with forces; time in g; a mass matrix that depends on q; several constraints */
        { "damped-pendulum", 0.05 },
        { "bead-on-hoop", 0.02 },
        { "heavy-top", 0.001 },
        { "double-spherical-pendulum", 0.02 },
    };
    if (!QUAD) skip(); /* double is used up before the orders settle */
    for (int i = 0; i < (SANITIZED ? 2 : 4); i++)
        for (int f = 0; f < FORMULATIONS; f++)
            for (int k = 0; k < (SANITIZED || i > 1 ? 2 : 4); k++) {
                simulation *z = open_model(models[i].name);
                if (f == EXTENDED && z->s->structure.has_forces) {
                    close_model(z);
                    continue;
                }
                char method[60];
                snprintf(method, sizeof method, "%s:%s", formulations[f], schemes[k]);
                use_method(z, method);
                verify_order order;
                if (taut_verify_order_measure(z->m->context, &ENGINE, z, taut_wide_from_double(models[i].h), &order))
                    fail_msg("%s", taut_error_text(z->m->context));
                int expected = declared(f, schemes[k]).order;
                printf("%-26s %-24s order q %.3f p %.3f\n", models[i].name, method, (double)order.parts[0].order,
                       (double)order.parts[1].order);
                for (int part = 0; part < 2; part++)
                    assert_between(order.parts[part].order, expected - 0.2, expected + 0.4);
                close_model(z);
            }
}

/* ---- what is kept ---- */

/* Each bit that is declared, and some that are not, on a double pendulum with a rotation and on a chain with
   translations as well. */
static void kept_as_declared(void **unused)
{
    (void)unused;
    static const char *const schemes[] = { "rk4", "midpoint", "gauss,s=3", "midpoint,project=momentum,eps=1e-9",
                                           "midpoint,project=both" };
    static const struct {
        const char *name;
        double h;
    } models[] = { { "double-spherical-pendulum", 0.02 }, { "chain-molecule", 0.1 } };
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < FORMULATIONS; f++)
            for (int k = 0; k < 5; k++) {
                simulation *z = open_formulation(models[i].name, f, schemes[k]);
                real h = taut_wide_from_double(models[i].h);
                unsigned keeps = declared(f, schemes[k]).keeps;
                engine_follow run;
                engine_return back;
                engine_symplecticity form;
                if (X(simulation_follow)(z, h, 20, &run)) fail_msg("%s", taut_error_text(z->m->context));
                wide momentum = run.momentum.error / run.momentum.scale;
                /* a few ulps a step */
                if (keeps & KEEPS_MOMENTUM) assert_at_most(momentum, 200 * REAL_EPSILON);
                if (k == 0) assert_true(momentum > 1e-12); /* rk4 */
                assert_true(!(keeps & (KEEPS_POSITION | KEEPS_VELOCITY | KEEPS_ENERGY)));
                if (SANITIZED && QUAD) {
                    close_model(z);
                    continue;
                }
                assert_int_equal(X(simulation_return)(z, h, 10, &back), TAUT_OK);
                if (keeps & KEEPS_REVERSIBLE) assert_at_most(back.error, 400 * REAL_EPSILON * back.growth);
                if (k == 0) assert_true(back.error > 1e-10);
                if (i == 0 && k < 3) {
                    assert_int_equal(X(simulation_symplecticity)(z, h, &form), TAUT_OK);
                    if (keeps & KEEPS_SYMPLECTIC)
                        assert_at_most(form.defect, 10 * form.uncertainty);
                    else if (QUAD || k == 0) /* in double six orders of h hide it */
                        assert_true(form.defect > 10 * form.uncertainty);
                }
                close_model(z);
            }
}

/* phi and psi of the Hamilton-Dirac equations are first integrals; quadratic ones are kept by the Gauss methods to
   round-off. */
static void gauss_keeps_quadratic_constraints(void **unused)
{
    (void)unused;
    static const char *const models[] = { "pendulum", "double-spherical-pendulum", "chain-molecule", "hanging-chain" };
    for (int i = 0; i < 4; i++)
        for (int s = 1; s <= 3; s += 2) {
            simulation *z = open_formulation(models[i], DIRAC, s == 1 ? "midpoint" : "gauss,s=3");
            engine_follow run;
            assert_int_equal(X(simulation_follow)(z, (real)1 / 50, i == 3 ? 3 : 50, &run), TAUT_OK);
            assert_at_most(run.position.error / run.position.scale, 40 * REAL_EPSILON);
            assert_at_most(run.velocity.error / run.velocity.scale, 40 * REAL_EPSILON);
            close_model(z);
        }
}

/* ---- starts off the constraints ---- */

#define OFF                                                                                           \
    "local a = point('a', 2)\nlagrangian(norm2(a.dot)/2 - a.y)\nconstraint('rod', (norm2(a) - 1)/2)\n"   \
    "start { a = {1.02, 0}, ['a.dot'] = {0.05, -2} }\n"

static simulation *open_beside(int f, const char *options)
{
    char method[60];
    snprintf(method, sizeof method, "%s:%s", formulations[f], options);
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    simulation *z = NULL;
    engine_options e = { .method = method, .start = START_AS_IS };
    assert_int_equal(taut_model_read_text(context, "test.lua", OFF, strlen(OFF), NULL, 0, &m), TAUT_OK);
    if (X(simulation_create)(m, &e, &z)) fail_msg("%s", taut_error_text(context));
    return z;
}

/* dirac stays where it was; naive has phi = phi0 + psi0 t; extended oscillates about zero. */
static void as_is(void **unused)
{
    (void)unused;
    real phi0 = ((real)102 * 102 / 10000 - 1) / 2, psi0 = (real)102 * 5 / 10000;
    for (int f = 0; f < FORMULATIONS; f++) {
        simulation *z = open_beside(f, "gauss,s=3");
        real at[4], chi[2], lowest[2] = { 1, 1 }, highest[2] = { -1, -1 };
        place_of(z, at);
        chi_at(z, 0, at, chi);
        assert_at_most(REAL(fabs)(chi[0] - phi0), 4 * REAL_EPSILON);
        assert_at_most(REAL(fabs)(chi[1] - psi0), 4 * REAL_EPSILON);
        for (int k = 1; k <= 400; k++) {
            do_steps(z, 1, (real)1 / 20);
            place_of(z, at);
            chi_at(z, z->x.t, at, chi);
            for (int i = 0; i < 2; i++)
                lowest[i] = REAL(fmin)(lowest[i], chi[i]), highest[i] = REAL(fmax)(highest[i], chi[i]);
            if (f == DIRAC) {
                assert_at_most(REAL(fabs)(chi[0] - phi0), 100 * REAL_EPSILON);
                assert_at_most(REAL(fabs)(chi[1] - psi0), 100 * REAL_EPSILON);
            }
            if (f == NAIVE) {
                assert_at_most(REAL(fabs)(chi[1] - psi0), 100 * REAL_EPSILON); /* quadratic */
                assert_at_most(REAL(fabs)(chi[0] - phi0 - psi0 * z->x.t), 1e-6); /* h^6 */
            }
        }
        if (f == EXTENDED)
            for (int i = 0; i < 2; i++) {
                assert_true(lowest[i] < -(real)0.01 && highest[i] > (real)0.01);
                assert_at_most(highest[i] - lowest[i], 0.5);
            }
        close_model(z);
    }
}

static void others_need_the_constraints(void **unused)
{
    (void)unused;
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    simulation *z = NULL;
    engine_options e = { .method = "rattle", .start = START_AS_IS };
    assert_int_equal(taut_model_read_text(context, "test.lua", OFF, strlen(OFF), NULL, 0, &m), TAUT_OK);
    assert_int_equal(X(simulation_create)(m, &e, &z), TAUT_UNSUPPORTED);
    assert_non_null(strstr(taut_error_text(context), "'rattle' keeps the constraints and needs a start on them"));
    e = (engine_options){ .method = "dirac" };
    assert_int_equal(X(simulation_create)(m, &e, &z), TAUT_BAD_MODEL); /* strict */
    taut_model_free(m);
    taut_context_destroy(context);
}

/* ---- steps ---- */

/* A spring of frequency 1e4 hangs on the rod: h times that is 100, and Newton's matrix has it. */
static void newton_meets_stiffness(void **unused)
{
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++)
        for (int s = 1; s <= 2; s++) {
            char method[60];
            snprintf(method, sizeof method, "%s:gauss,s=%d", formulations[f], s);
            simulation *z =
                open_text_with("local a, b = point('a', 2), point('b', 2)\n"
                               "lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2 - a.y - b.y - 1e8/2*(norm(b - a) - 1)^2)\n"
                               "constraint('rod', (norm2(a) - 1)/2)\n"
                               "start { a = {1, 0}, b = {2, 0}, ['a.dot'] = {0, -0.1}, ['b.dot'] = {0, -0.2} }\n",
                               method);
            do_steps(z, 50, (real)1 / 100);
            double iterations = (double)X(method_counts)(&z->method)->iterations / 50;
            printf("%-20s %.1f iterations a step\n", method, iterations);
            assert_at_most(iterations, QUAD ? 30 : 20);
            close_model(z);
        }
}

static void assert_unchanged(const state *before, const state *now)
{
    assert_true(before->t == now->t && before->t_low == now->t_low);
    assert_memory_equal(before->block, now->block, X(state_size)(before) * sizeof(real));
}

/* A step that fails leaves the state: the functional iteration diverges, and no step is short enough for an error of
   1e-300. */
static void failure_leaves_the_state(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "dirac:midpoint,solver=functional", "dirac:rkf45,tol=1e-300",
                                           "naive:rkf45,tol=1e-300" };
    for (int i = 0; i < 3; i++) {
        simulation *z = open_with("chain-molecule", methods[i]);
        state before = save_state(z);
        assert_true(X(simulation_step)(z, 10) > 0);
        assert_unchanged(&before, &z->x);
        assert_true(strlen(taut_error_text(z->m->context)) > 20);
        X(state_clear)(z->s, &before);
        close_model(z);
    }
}

/* What comes next depends on the state alone, of which the step size of rkf45 is a part: a fresh simulation goes on
   with the same bits. */
static void goes_on_from_a_copy(void **unused)
{
    (void)unused;
    static const char *const methods[] = {
        "dirac:rk4",      "dirac:rkf45,tol=1e-6",   "extended:gauss",
        "naive:midpoint", "dirac:rk4,project=both", "extended:rkf45,tol=1e-6,project=momentum",
        "dirac:gauss,s=3"
    };
    static const char *const models[] = { "chain-molecule", "heavy-top", "bead-on-hoop" };
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 3; k++) {
            simulation *a = open_with(models[k], methods[i]), *b = open_with(models[k], methods[i]);
            real h = k == 0 ? (real)1 / 3 : (real)1 / 500;
            do_steps(a, 4, h);
            X(state_copy)(&a->x, &b->x);
            do_steps(a, 4, h);
            do_steps(b, 4, h);
            assert_unchanged(&a->x, &b->x);
            close_model(a);
            close_model(b);
        }
}

/* The same end, however the way is cut; never a step that is short without need: after an end the size before goes
   on. */
static void fehlberg_in_pieces(void **unused)
{
    (void)unused;
    simulation *a = open_with("pendulum", "dirac:rkf45,tol=1e-9"),
               *b = open_with("pendulum", "dirac:rkf45,tol=1e-9,first=0.1");
    do_steps(a, 1, 10);
    do_steps(b, 40, (real)1 / 4);
    assert_true(a->x.t == 10 && b->x.t == 10);
    assert_at_most(distance(a->x.q, b->x.q, 2), 1e-6);
    long one = X(method_counts)(&a->method)->evaluations, many = X(method_counts)(&b->method)->evaluations;
    assert_at_most((double)many, 1.6 * (double)one);
    do_steps(a, 1, -10); /* and back */
    assert_at_most(REAL(fabs)(a->x.q[0] - 1), 1e-5);
    close_model(a);
    close_model(b);
}

/* The error that rtol asks for knows no units: what differs is round-off, also in the number of evaluations. tol alone
   is absolute, as in the literature. */
static void relative_error_has_no_units(void **unused)
{
    (void)unused;
    static const char text[] =
        "local m, l = param('m', %s), param('l', %s)\n"
        "local a, b = point('a', 3), point('b', 3)\n"
        "lagrangian(m/2*(norm2(a.dot) + norm2(b.dot)) - m*l*(a.z + b.z))\n"
        "constraint('first', (norm2(a) - l^2)/2)\n"
        "constraint('second', (norm2(b - a) - l^2)/2)\n"
        "start { a = {l, 0, 0}, b = {l, l, 0}, ['a.dot'] = {0, l/8, l/4}, ['b.dot'] = {l/8, l/8, 0} }\n";
    static const char *const units[][2] = { { "1", "1" }, { "2^-90", "2^-33" }, { "2^100", "2^37" } };
    long evaluations = 0;
    real first[6] = { 0 };
    for (int i = 0; i < 3; i++) {
        char model[600];
        snprintf(model, sizeof model, text, units[i][0], units[i][1]);
        simulation *z = open_text_with(model, "naive:rkf45");
        const real length = z->x.q[0];
        do_steps(z, 20, (real)1 / 10);
        const long count = X(method_counts)(&z->method)->evaluations;
        for (int k = 0; k < 6; k++) {
            if (!i) first[k] = z->x.q[k];
            assert_at_most(REAL(fabs)(z->x.q[k] / length - first[k]), 1000 * REAL_EPSILON);
        }
        if (!i) evaluations = count;
        assert_int_equal(count, evaluations);
        close_model(z);
    }
}

static void without_constraints_they_are_one(void **unused)
{
    (void)unused;
    simulation *z[FORMULATIONS];
    for (int f = 0; f < FORMULATIONS; f++) {
        z[f] = open_formulation("henon-heiles", f, "gauss,s=2");
        do_steps(z[f], 10, (real)1 / 10);
        assert_at_most(distance(z[f]->x.q, z[0]->x.q, z[0]->s->n), 8 * REAL_EPSILON);
    }
    for (int f = 0; f < FORMULATIONS; f++) close_model(z[f]);
}

static void bad_options(void **unused)
{
    (void)unused;
    static const struct {
        const char *method, *text;
    } all[] = {
        { "dirac:rk4,rkf45", "one scheme" },           { "dirac:euler", "no option 'euler'" },
        { "dirac:rk4=2", "a word without a value" },   { "dirac:rk4,s=2", "it belongs to gauss" },
        { "dirac:gauss,s=0", "s=N with N from 1 to 9" }, { "dirac:rkf45,tol=0", "greater than zero" },
        { "dirac:rkf45,tol=x", "needs a number" },     { "dirac:gauss,solver=magic", "newton or functional" },
        { "dirac:project=all", "none, position, momentum or both" }, { "dirac:eps=1e-3", "eps needs project" },
        { "dirac:rk4,tol=1e-3", "rkf45, midpoint and gauss" }, { "dirac:gauss,first=1", "belongs to rkf45" },
        { "dirac:gauss,rtol=1", "belongs to rkf45" },  { "dirac:rkf45,tol=1,rtol=1", "not both" },
    };
    simulation *z = open_model("pendulum");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        method_spec spec;
        method m = { 0 };
        int status = X(method_parse)(z->m->context, all[i].method, &spec);
        if (!status) status = X(method_create)(z->s, &spec, 0, &m);
        assert_int_equal(status, TAUT_BAD_USAGE);
        if (!strstr(taut_error_text(z->m->context), all[i].text))
            fail_msg("%s: %s", all[i].method, taut_error_text(z->m->context));
    }
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_as_declared),
        cmocka_unit_test(kept_as_declared),
        cmocka_unit_test(gauss_keeps_quadratic_constraints),
        cmocka_unit_test(as_is),
        cmocka_unit_test(others_need_the_constraints),
        cmocka_unit_test(newton_meets_stiffness),
        cmocka_unit_test(failure_leaves_the_state),
        cmocka_unit_test(goes_on_from_a_copy),
        cmocka_unit_test(fehlberg_in_pieces),
        cmocka_unit_test(relative_error_has_no_units),
        cmocka_unit_test(without_constraints_they_are_one),
        cmocka_unit_test(bad_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
