/* embed and start_points in the model language: what becomes of the model, and what methods say of it. */
#include "support_del.h"

static model *load(taut_context *context, const char *text)
{
    model *m = NULL;
    if (taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m))
        fail_msg("%s", taut_error_text(context));
    return m;
}

#define PENDULUM "local th, l = coordinate 'th', param('l', 2)\n" \
                 "local a = embed('a', {l*sin(th), -l*cos(th)})\n"
#define START "start { th = 1, ['th.dot'] = 1/2 }\n"

static char *text_of(model *m, expr e)
{
    static char buffer[400];
    taut_expr_print(m->graph, e, taut_model_namer, m, buffer, sizeof buffer);
    return buffer;
}

/* The Lagrangian in both forms; the other expressions in coordinates. */
static void both_forms_of_the_lagrangian(void **unused)
{
    (void)unused;
    taut_context *context = taut_context_create(NULL);
    model *m = load(context, PENDULUM "local b = embed('b', a + {th, 0})\n"
                             "lagrangian(norm2(a.dot)/2 - b.x)\nlagrangian(th.dot^2)\n"
                             "observe('height', a.y + b.x)\ndraw { bar(origin, a) }\n" START);
    assert_int_equal(m->embedding_count, 2);
    assert_int_equal(m->chart_count, 4);
    assert_int_equal(m->summand_count, 2);
    unsigned front = 1u << KIND_EMBEDDED | 1u << KIND_EMBEDDED_DOT;
    for (size_t i = 0; i < m->summand_count; i++) {
        assert_int_equal(taut_expr_kinds(m->graph, m->summands[i].value) & front, 0);
        assert_int_equal(taut_expr_kinds(m->graph, m->ambient[i].value) & front, 0);
    }
    /* (a.x'^2 + a.y'^2)/2 - b.x, its variables behind the one coordinate */
    assert_int_equal(taut_expr_degree(m->graph, m->ambient[0].value, 1u << KIND_Q | 1u << KIND_W), 2);
    assert_int_equal(taut_expr_degree(m->graph, m->summands[0].value, 1u << KIND_Q), DEGREE_NOT_POLYNOMIAL);
    assert_int_equal(m->ambient[1].value, m->summands[1].value);
    for (size_t i = 0; i < m->chart_count; i++) assert_int_equal(taut_expr_kinds(m->graph, m->chart[i]), 1u << KIND_Q);
    assert_int_equal(m->observable_count, 5); /* height and the places of a and b */
    assert_string_equal(m->observables[1].name, "a.x");
    assert_string_equal(m->observables[4].name, "b.y");
    assert_int_equal(m->observables[1].value, m->chart[0]);
    assert_int_equal(m->places[m->shapes[0].first + 1].at[0], m->chart[0]);
    assert_non_null(strstr(text_of(m, m->observables[0].value), "cos(th)"));
    taut_model_free(m);
    taut_context_destroy(context);
}

/* A Lagrangian without the points is an ordinary one, and del treats it so. */
static void points_only_to_look_at(void **unused)
{
    (void)unused;
    simulation *z = open_with(PENDULUM "lagrangian(l^2*th.dot^2/2 + l*cos(th))\ndraw { a }\n" START, "del", 0);
    assert_null(z->m->ambient);
    assert_int_equal(z->s->embedded, 0);
    do_steps(z, 3, (real)1 / 10);
    close_model(z);
}

/* F on a point is the force F.a_th on the angle. */
static void force_on_an_embedded_point(void **unused)
{
    (void)unused;
    simulation *z = open_with(PENDULUM "lagrangian(norm2(a.dot)/2)\nforce(a, {3, 5*a.x})\n" START, "del", 0);
    real t = 0, th[1] = { (real)7 / 10 }, w[1] = { 0 }, f[1] = { 0 };
    place at = place_at(z->s, th, w, &t, NULL);
    assert_int_equal(z->m->force_count, 2);
    X(system_free_force)(z->s, &at, f);
    real expected = 3 * 2 * REAL(cos)(th[0]) + 10 * REAL(sin)(th[0]) * 2 * REAL(sin)(th[0]);
    assert_at_most(REAL(fabs)(f[0] - expected), 16 * REAL_EPSILON);
    close_model(z);
}

/* Embedded points in a Hamiltonian, in constraints and under a constraint of their own. */
static void embedded_points_everywhere(void **unused)
{
    (void)unused;
    simulation *z =
        open_with("local th, x = coordinate 'th', coordinate 'x'\nlocal a = embed('a', {cos(th), sin(th)})\n"
                  "hamiltonian((momentum(th)^2 + momentum(x)^2)/2 + a.y)\nconstraint('above', x - a.x)\n"
                  "start { th = 1, x = cos(abs(1)) }\n",
                  "rattle", 0);
    do_steps(z, 10, (real)1 / 10);
    assert_at_most(REAL(fabs)(z->x.q[1] - REAL(cos)(z->x.q[0])), 4 * REAL_EPSILON);
    close_model(z);
    /* chart and constraint together, with del */
    z = open_with("local th, ph, t = coordinate 'th', coordinate 'ph', time()\n"
                  "local a = embed('a', {sin(th)*cos(ph), sin(th)*sin(ph), -cos(th)})\n"
                  "lagrangian(norm2(a.dot)/2 - a.z)\nconstraint('plane', a.x + a.y/2 - 1/2)\n"
                  "start { th = asin(abs(1)/2), ph = 0, ['th.dot'] = 0, ['ph.dot'] = 0 }\n", "del", 0);
    real g, rate;
    do_steps(z, 50, (real)1 / 20);
    X(simulation_residuals)(z, &g, &rate);
    assert_at_most(g, 8 * REAL_EPSILON);
    assert_at_most(rate, 16 * REAL_EPSILON);
    assert_between(z->x.t, 2.4, 2.6);
    close_model(z);
}

/* ---- start_points ---- */

static void two_points(void **unused)
{
    (void)unused;
    static const char *const text =
        "local a, x = point('a', 2), coordinate 'x'\n"
        "lagrangian(norm2(a.dot)/2 - a.y + x.dot^2/2)\nconstraint('rod', norm2(a) - 1)\n"
        "start_points { a = {{1, 0}, {free(0.9), 1/16}}, x = {0, 1/32}, ['lambda.rod'] = -1 }\n";
    static const char *const methods[] = { "del", "del:left", "shake" };
    for (int m = 0; m < 3; m++) {
        real h = (real)1 / 16, g, rate;
        simulation *z = open_with(text, methods[m], h);
        assert_true(z->x.t == 0 && z->x.q[0] == 1 && z->x.q[1] == 0 && z->x.q[2] == 0);
        assert_int_equal(z->start.free_q, 1);
        X(simulation_residuals)(z, &g, &rate);
        if (strcmp(methods[m], "shake")) assert_at_most(rate, 4 * REAL_EPSILON);
        /* x moves freely: p = 1/2 */
        assert_at_most(REAL(fabs)(z->x.p[2] - (real)1 / 2), 4 * REAL_EPSILON);
        do_steps(z, 1, h); /* the second point */
        assert_at_most(REAL(fabs)(z->x.q[0] - REAL(sqrt)((real)255 / 256)), 4 * REAL_EPSILON);
        assert_at_most(REAL(fabs)(z->x.q[1] - (real)1 / 16), 4 * REAL_EPSILON);
        assert_at_most(REAL(fabs)(z->x.q[2] - (real)1 / 32), 4 * REAL_EPSILON);
        close_model(z);
    }
}

/* The two-step form (4.8) itself, without constraints: q2 - 2 q1 + q0 = -h^2/2 (V'((q0 + q1)/2) + V'((q1 + q2)/2)), V =
   q^4/4. */
static void the_two_step_form(void **unused)
{
    (void)unused;
    real h = (real)1 / 8, q[12] = { 1, (real)15 / 16 };
    simulation *z = open_with(
        "local q = coordinate 'q'\nlagrangian(q.dot^2/2 - q^4/4)\nstart_points { q = {1, 15/16} }\n", "del", h);
    for (int k = 1; k < 12; k++) {
        do_steps(z, 1, h);
        q[k] = z->x.q[0];
        if (k < 2) continue;
        real a = (q[k - 2] + q[k - 1]) / 2, b = (q[k - 1] + q[k]) / 2;
        assert_at_most(REAL(fabs)(q[k] - 2 * q[k - 1] + q[k - 2] + h * h / 2 * (a * a * a + b * b * b)),
                       8 * REAL_EPSILON);
    }
    close_model(z);
}

static void refusal(const char *text, const char *method, double h, int expected, const char *part)
{
    taut_context *context = taut_context_create(NULL);
    model *m = load(context, text);
    simulation *z = NULL;
    engine_options options = { .method = method, .step = taut_wide_from_double(h) };
    assert_int_equal(X(simulation_create)(m, &options, &z), expected);
    assert_null(z);
    if (!strstr(taut_error_text(context), part)) fail_msg("'%s' lacks '%s'", taut_error_text(context), part);
    taut_model_free(m);
    taut_context_destroy(context);
}

static void refusals(void **unused)
{
    (void)unused;
#define POINTS "local a = point('a', 2)\nlagrangian(norm2(a.dot)/2)\nlocal k = constraint('rod', norm2(a) - 1)\n"
#define TWO "start_points { a = {{1, 0}, {0.8, 0.6}} }\n"
    refusal(POINTS TWO, "rattle", 0.1, TAUT_UNSUPPORTED,
            "method 'rattle' cannot run this model: the model gives start_points");
    refusal(POINTS TWO, "del", 0, TAUT_BAD_USAGE, "test.lua:4: start_points are a step apart");
    refusal(POINTS TWO "force(a, k*a.dot)", "del", 0.1, TAUT_UNSUPPORTED,
            "test.lua:4: start_points in a model with forces that depend on");
    refusal(POINTS "start_points { a = {{1, 0}, {0.8, 0.7}} }", "del", 0.1, TAUT_BAD_MODEL,
            "constraint 'rod' misses by 0.13");
    refusal(POINTS "start { a = {1, 0} }\nforce(a, k*a.dot)", "del:left", 0.1, TAUT_UNSUPPORTED,
            "a force depends on multipliers");
    refusal(POINTS "start { a = {1, 0} }\nforce(a, k*a.dot)", "shake", 0.1, TAUT_UNSUPPORTED,
            "a force depends on multipliers");
    refusal("henon = coordinate 'x'\nhamiltonian(momentum(henon)^2/2)\nstart { x = 1 }", "del", 0.1, TAUT_UNSUPPORTED,
            "it needs a Lagrangian, and this model has a Hamiltonian");
    refusal("local x = coordinate 'x'\nrate(x, momentum(x))\nrate(momentum(x), -x)\nstart { x = 1 }", "del", 0.1,
            TAUT_UNSUPPORTED, "it needs a Lagrangian, and this model has rates");
    refusal("local x = coordinate 'x'\nrate(x, momentum(x))\nrate(momentum(x), -x)\nstart { x = 1 }", "shake", 0.1,
            TAUT_UNSUPPORTED, "this model has rates");
    refusal("local x = coordinate 'x'\nhamiltonian(x^2*momentum(x)^2/2)\nstart { x = 1 }", "shake", 0.1,
            TAUT_UNSUPPORTED, "with a Hamiltonian it needs a constant mass matrix");
}

/* Friction through the multiplier, F = -mu |lambda| v: del runs it and stays on the constraint. */
static void forces_of_multipliers(void **unused)
{
    (void)unused;
    real g, rate;
    simulation *z = open_with(POINTS "force(a, -abs(k)*a.dot/10)\nstart { a = {1, 0}, ['a.dot'] = {0, 1} }", "del", 0);
    do_steps(z, 100, (real)1 / 50);
    X(simulation_residuals)(z, &g, &rate);
    assert_at_most(g, 8 * REAL_EPSILON);
    assert_at_most(rate, 8 * REAL_EPSILON);
    /* a bead on a ring: lambda = -v^2/2, v' = -v^3/20, v = 1/sqrt(1 + t/10); h = 1/50 leaves 1e-4 */
    assert_at_most(
        REAL(fabs)(REAL(sqrt)(z->x.w[0] * z->x.w[0] + z->x.w[1] * z->x.w[1]) - 1 / REAL(sqrt)((real)12 / 10)), 1e-3);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_the_lagrangian), cmocka_unit_test(points_only_to_look_at),
        cmocka_unit_test(force_on_an_embedded_point),   cmocka_unit_test(embedded_points_everywhere),
        cmocka_unit_test(two_points),                   cmocka_unit_test(the_two_step_form),
        cmocka_unit_test(refusals),                     cmocka_unit_test(forces_of_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
