/* Constraints that come to depend on each other on the way, where they do not at the start: a run reports it, the exact
   solution refuses to guess; and where redundant constraints stay in the model, neither happens. */
#include "support.h"

#include "run/converge.h"

#define ENGINE X(engine)

/* models/bricard.lua without constraint `left_out` (NULL: with all): one of 30 is redundant, but the rest of a set need
   not stay independent. Without j3u it does not, at t = 1.248. */
static simulation *open_bricard(const char *left_out, const char *method)
{
    static char text[8000];
    FILE *file = fopen(MODELS "/bricard.lua", "r");
    assert_non_null(file);
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "local keep = constraint\n"
                                 "constraint = function(n, e) if n ~= '%s' then return keep(n, e) end end\n",
                                 left_out ? left_out : "");
    at += fread(text + at, 1, sizeof text - 1 - at, file);
    text[at] = 0;
    fclose(file);
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { .method = method };
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    int status = taut_model_read_text(context, "bricard.lua", text, at, NULL, 0, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("%s", taut_error_text(context));
    return z;
}

static void a_run_reports_it(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "em", "lobatto:s=3", "galerkin", "del", "euler" };
    if (QUAD || SANITIZED) skip();
    for (int i = 0; i < 6; i++) {
        char text[TAUT_ERROR_TEXT];
        simulation *z = open_bricard("j3u", methods[i]);
        do_steps(z, 120, (real)0.01);
        if (ENGINE.strain(z, text, sizeof text)) fail_msg("%s: too early, %s", methods[i], text);
        do_steps(z, 10, (real)0.01);
        if (!ENGINE.strain(z, text, sizeof text)) fail_msg("%s: nothing was seen", methods[i]);
        assert_between(z->strain.t, 1.235, 1.285);
        X(simulation_restart)(z);
        assert_false(ENGINE.strain(z, text, sizeof text));
        close_model(z);
        z = open_bricard(NULL, methods[i]);
        do_steps(z, 140, (real)0.01);
        assert_false(ENGINE.strain(z, text, sizeof text));
        close_model(z);
    }
}

/* A four-bar that is nearly a parallelogram, which comes near to a line at t = 1.57, beside others and a chain: more
   constraints than are weighed together. In the sums over all of them its forces would be lost; and the chain, whose
   multipliers grow out of rest, must not be taken for what they are not beside others that carry something. */
static simulation *open_crowd(int copies, int links)
{
    char text[1500];
    snprintf(text, sizeof text,
             "local t = -math.pi/2 + 2.5e-5\n"
             "local x, y = 2 + math.cos(t), math.sin(t)\n"
             "local s = x/(-x*math.sin(t) + (y + 1)*math.cos(t))\n"
             "for i = 1, %d do\n"
             "  local a, b = point('a'..i, 2), point('b'..i, 2)\n"
             "  lagrangian((norm2(a.dot) + norm2(b.dot))/2)\n"
             "  constraint('crank'..i, norm2(a) - 1)\n"
             "  constraint('coupler'..i, norm2(b - a) - (x^2 + (y + 1)^2))\n"
             "  constraint('rocker'..i, norm2(b - {2, 0}) - 1)\n"
             "  start { ['a'..i] = {0, -1}, ['b'..i] = {x, y}, ['a'..i..'.dot'] = {1, 0},\n"
             "          ['b'..i..'.dot'] = {-s*math.sin(t), s*math.cos(t)} }\n"
             "end\n"
             "local before = {0, 0}\n"
             "for i = 1, %d do\n"
             "  local c = point('c'..i, 2)\n"
             "  lagrangian(norm2(c.dot)/2 - 9.81*c.y)\n"
             "  constraint('bar'..i, norm2(c - before) - 1)\n"
             "  start { ['c'..i] = {i, 0} }\n"
             "  before = c\n"
             "end\n", copies, links);
    return open_text(text);
}

static void one_mechanism_among_many(void **state)
{
    (void)state;
    static const struct { int copies, links; } crowds[] = { { 1, 300 }, { 90, 0 }, { 60, 200 } };
    for (int i = 0; i < (QUAD || SANITIZED ? 1 : 3); i++) {
        char told[TAUT_ERROR_TEXT];
        simulation *z = open_crowd(crowds[i].copies, crowds[i].links), *clone;
        taut_context *own = taut_context_create(NULL);
        assert_true(z->s->c > STRAIN_WEIGHED);
        do_steps(z, 149, (real)0.01);
        if (ENGINE.strain(z, told, sizeof told)) fail_msg("%d: too early, %s", i, told);
        assert_int_equal(X(simulation_clone)(z, own, &clone), TAUT_OK);
        do_steps(z, 9, (real)0.01);
        do_steps(clone, 9, (real)0.01);
        if (!ENGINE.strain(z, told, sizeof told)) fail_msg("%d: nothing was seen", i);
        assert_non_null(strstr(told, "'coupler1', 'rocker1' and 'crank1'"));
        assert_between(z->strain.t, 1.5, 1.575);
        assert_true(ENGINE.strain(clone, NULL, 0) && clone->strain.t == z->strain.t);
        X(simulation_restart)(z);
        do_steps(z, 20, (real)0.01);
        assert_false(ENGINE.strain(z, told, sizeof told));
        X(simulation_destroy)(clone);
        taut_context_destroy(own);
        close_model(z);
    }
}

/* A chain of rods out of rest: its tension grows from nothing, and cancels from link to link. */
static void tension_out_of_rest_is_ordinary(void **state)
{
    (void)state;
    static const int lengths[] = { 20, 40, 60 };
    if (QUAD || SANITIZED) skip();
    for (int i = 0; i < 3; i++) {
        char text[900], told[TAUT_ERROR_TEXT];
        snprintf(text, sizeof text,
                 "local before = origin\n"
                 "for i = 1, %d do\n"
                 "  local c, r = point('c' .. i), rotation('r' .. i)\n"
                 "  local w = r.omega\n"
                 "  lagrangian(norm2(c.dot)/2 + (0.01*w.x^2 + w.y^2/12 + w.z^2/12)/2 - 9.81*c.z)\n"
                 "  local a, b = c + r:apply{-0.5, 0, 0}, c + r:apply{0.5, 0, 0}\n"
                 "  constraint('x' .. i, a.x - before.x)\n"
                 "  constraint('y' .. i, a.y - before.y)\n"
                 "  constraint('z' .. i, a.z - before.z)\n"
                 "  start { ['c' .. i] = {i - 0.5, 0, 0}, ['r' .. i] = {1, 0, 0, 0} }\n"
                 "  before = b\n"
                 "end\n", lengths[i]);
        simulation *z = open_text(text);
        do_steps(z, 200, (real)0.001);
        if (ENGINE.strain(z, told, sizeof told)) fail_msg("%d rods: %s", lengths[i], told);
        close_model(z);
    }
}

/* A parallelogram in line: the motion passes there, the multipliers of that frame are missing, and observables of them
   with them. Whoever must have them is told why there are none. */
static void undetermined_multipliers_are_missing(void **state)
{
    (void)state;
    static const real q[4] = { 1, 0, 3, 0 }, w[4] = { 0, 1, 0, 1 };
    simulation *z = open_text("local a, b = point('a', 2), point('b', 2)\n"
                              "lagrangian((norm2(a.dot) + norm2(b.dot))/2)\n"
                              "local pull = constraint('crank', norm2(a) - 1)\n"
                              "constraint('coupler', norm2(b - a) - 4)\n"
                              "constraint('rocker', norm2(b - {2, 0}) - 1)\n"
                              "observe('force', 2*pull)\n"
                              "observe('way', a.x + b.x)\n"
                              "start { a = {0, -1}, b = {2, -1}, ['a.dot'] = {1, 0}, ['b.dot'] = {1, 0} }\n");
    real values[40];
    char name[80];
    assert_true(X(simulation_column_count)(z) <= 40);
    for (int singular = 0; singular < 2; singular++) {
        if (singular) memcpy(z->x.q, q, sizeof q), memcpy(z->x.w, w, sizeof w), memcpy(z->x.p, w, sizeof w);
        simulation_moved(z);
        if (X(simulation_frame)(z, values)) fail_msg("%s", taut_error_text(z->m->context));
        for (size_t k = 0; !X(simulation_column_name)(z, k, name, sizeof name); k++) {
            const int missing = singular && (!strncmp(name, "lambda.", 7) || !strcmp(name, "force"));
            if ((values[k] != values[k]) != missing) fail_msg("%d: %s is %g", singular, name, (double)values[k]);
        }
        assert_int_equal(X(simulation_multipliers)(z), singular ? TAUT_SINGULAR : TAUT_OK);
        if (singular) assert_non_null(strstr(taut_error_text(z->m->context), "a singular position"));
    }
    close_model(z);
}

/* Multipliers that begin at zero or pass it grow by any factor, and mean nothing. */
static void growth_out_of_rest_is_none(void **state)
{
    (void)state;
    static const char *const models[] = { "damped-pendulum", "driven-pendulum", "hanging-chain", "slider-crank",
                                          "falling-chain" };
    for (int i = 0; i < 5; i++) {
        char text[TAUT_ERROR_TEXT];
        simulation *z = open_model(models[i]);
        do_steps(z, 20, (real)0.01);
        if (ENGINE.strain(z, text, sizeof text)) fail_msg("%s: %s", models[i], text);
        close_model(z);
    }
}

/* A chain that falls freely, straight: no bar carries anything, and multipliers are round-off. */
static void round_off_is_none(void **state)
{
    (void)state;
    static const char *const directions[] = { "1, 0", "cos(0.3), sin(0.3)", "0, 1" };
    for (int i = 0; i < 6; i++) {
        char model[600], text[TAUT_ERROR_TEXT];
        snprintf(model, sizeof model,
                 "local N, along, previous = %d, vector{%s}\n"
                 "for i = 0, N do\n"
                 "  local a = point('a' .. i, 2)\n"
                 "  lagrangian(norm2(a.dot)/2 - %g*a.y)\n"
                 "  if previous then constraint('bar' .. i, norm2(a - previous) - 1) end\n"
                 "  start { ['a' .. i] = i*along, ['a' .. i .. '.dot'] = {0.3, 0.7} }\n"
                 "  previous = a\n"
                 "end\n",
                 QUAD || SANITIZED ? 10 : 100, directions[i % 3], i < 3 ? 9.81 : 0.0);
        simulation *z = open_text(model);
        do_steps(z, QUAD || SANITIZED ? 30 : 300, (real)0.001);
        if (ENGINE.strain(z, text, sizeof text)) fail_msg("%s: %s", directions[i % 3], text);
        close_model(z);
    }
}

static void the_exact_solution_refuses(void **state)
{
    (void)state;
    if (SANITIZED) skip();
    simulation *z = open_bricard("j3u", "rattle");
    assert_int_equal(X(simulation_flow)(z, 2, QUAD ? 1e-11 : 1e-9), TAUT_SINGULAR);
    assert_non_null(strstr(taut_error_text(z->context), "at t = 1.24"));
    assert_non_null(strstr(taut_error_text(z->context), "come to depend on each other"));
    close_model(z);
}

/* With the redundant constraint, and with a set that stays independent up to there. */
static void the_exact_solution_with_redundancy(void **state)
{
    (void)state;
    const real until = QUAD || SANITIZED ? (real)0.3 : (real)1.5, tolerance = QUAD ? (real)1e-18 : (real)1e-11;
    simulation *all = open_bricard(NULL, "rattle"), *some = open_bricard("j6v", "rattle");
    assert_int_equal(all->s->c, some->s->c + 1);
    assert_int_equal(X(simulation_flow)(all, until, tolerance), TAUT_OK);
    assert_int_equal(X(simulation_flow)(some, until, tolerance), TAUT_OK);
    for (uint32_t i = 0; i < all->s->n; i++) {
        assert_at_most(REAL(fabs)(all->x.q[i] - some->x.q[i]), 1000 * tolerance);
        assert_at_most(REAL(fabs)(all->x.p[i] - some->x.p[i]), 1000 * tolerance);
    }
    /* on all constraints, and with multipliers */
    real g, rate;
    X(simulation_residuals)(all, &g, &rate);
    assert_at_most(g, 64 * REAL_EPSILON);
    assert_at_most(rate, 64 * REAL_EPSILON);
    assert_int_equal(X(simulation_multipliers)(all), TAUT_OK);
    assert_between(largest_of(all->lambda, all->s->c), 10, 60);
    close_model(all);
    close_model(some);
}

/* ---- converge ---- */

static int elsewhere(void *self, wide *q, wide *p, wide *lambda)
{
    int status = ENGINE.solution(self, q, p, lambda);
    if (ENGINE.time(self) > (wide)0.25) q[0] += (wide)0.48; /* it has changed its branch there */
    return status;
}

static wide last_tolerance;
static int astray(void *self, wide until, wide tolerance)
{
    last_tolerance = tolerance;
    return ENGINE.flow(self, until, tolerance);
}
static int unsteady(void *self, wide *q, wide *p, wide *lambda)
{
    int status = ENGINE.solution(self, q, p, lambda);
    q[0] += (wide)1e4 * WIDE(sqrt)(last_tolerance); /* changes with every refinement */
    return status;
}

static void converge_with(const engine_api *reference_api, int status, const char *says)
{
    simulation *z = open_model("double-spherical-pendulum"), *other = open_model("double-spherical-pendulum");
    wide steps[] = { (wide)1 / 50, (wide)1 / 100 };
    converge_options o = { .until = (wide)1 / 2, .steps = steps, .count = 2 };
    converge_result r;
    assert_int_equal(taut_converge_run(z->context, &ENGINE, z, reference_api, other, &o, &r), status);
    if (status && !strstr(taut_error_text(z->context), says))
        fail_msg("'%s' is not in '%s'", says, taut_error_text(z->context));
    taut_converge_result_clear(z->context, &r);
    close_model(z);
    close_model(other);
}

/* A reference that is exact, and another motion; one that never settles. */
static void a_reference_on_another_branch(void **state)
{
    (void)state;
    engine_api other = ENGINE;
    converge_with(&ENGINE, TAUT_OK, "");
    other.solution = elsewhere;
    converge_with(&other, TAUT_NO_CONVERGENCE, "it is another motion than that of the method");
    other.solution = unsteady;
    other.flow = astray;
    other.epsilon = (wide)1e-10; /* floor of the tolerances: 5e-5 */
    converge_with(&other, TAUT_NO_CONVERGENCE, "it does not agree with itself");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_reports_it),
        cmocka_unit_test(one_mechanism_among_many),
        cmocka_unit_test(tension_out_of_rest_is_ordinary),
        cmocka_unit_test(undetermined_multipliers_are_missing),
        cmocka_unit_test(growth_out_of_rest_is_none),
        cmocka_unit_test(round_off_is_none),
        cmocka_unit_test(the_exact_solution_refuses),
        cmocka_unit_test(the_exact_solution_with_redundancy),
        cmocka_unit_test(a_reference_on_another_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
