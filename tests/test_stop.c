/* A signal or a caller that wants to go on: loops without a bound within a step see it, and the step is not made. */
#include "base/context.h"
#include "support.h"
#include "support_library.h"

typedef struct {
    int asked, patience;
} asker;

static int ask(void *user)
{
    asker *a = user;
    return ++a->asked > a->patience;
}

/* A step of rkf45 that takes thousands of steps of its own; and a ball that bounces as often. */
static void within_a_step(void **state)
{
    (void)state;
    static const struct { const char *model, *method; double h; } cases[] = {
        { "double-spherical-pendulum", "extended:rkf45,tol=1e-12", 1000 }, { "bouncing-ball", "rattle", 5 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        taut_context *context = taut_context_create(NULL);
        taut_model *m = NULL;
        taut_simulation *z = NULL;
        snprintf(path, sizeof path, "%s/%s.lua", MODELS, cases[i].model);
        const taut_options options = { .size = sizeof options, .method = cases[i].method };
        int status = taut_model_load_file(context, path, NULL, 0, &m);
        if (!status) status = taut_simulation_create(context, m, &options, &z);
        if (status) fail_msg("%s", taut_error_text(context));
        double before[64], after[64];
        const size_t n = taut_count(z, TAUT_POSITION);
        assert_int_equal(taut_get(z, TAUT_POSITION, 0, n, before, NULL), TAUT_OK);
        asker a = { .patience = 3 };
        taut_context_stop(context, ask, &a);
        assert_int_equal(taut_step(z, cases[i].h), TAUT_STOPPED);
        assert_int_equal(a.asked, 4);
        assert_true(taut_time(z) == 0);
        assert_int_equal(taut_get(z, TAUT_POSITION, 0, n, after, NULL), TAUT_OK);
        assert_memory_equal(before, after, n * sizeof *before);
        taut_context_stop(context, NULL, NULL);
        assert_int_equal(taut_step(z, 0.001), TAUT_OK);
        taut_simulation_release(z);
        taut_model_release(m);
        taut_context_destroy(context);
    }
}

static taut_simulation *simulation_of_text(taut_context *context, const char *text, const char *method)
{
    taut_model *m = NULL;
    taut_simulation *z = NULL;
    const taut_options options = { .size = sizeof options, .method = method };
    int status = taut_model_load_text(context, "test.lua", text, strlen(text), NULL, 0, &m);
    if (!status) status = taut_simulation_create(context, m, &options, &z);
    if (status) fail_msg("%s", taut_error_text(context));
    taut_model_release(m);
    return z;
}

/* No caller asks, and the step ends nevertheless: rkf45 needs 16 million steps of its own for this one; */
static void variable_steps_have_a_bound(void **state)
{
    (void)state;
    if (SANITIZED) skip(); /* a million steps */
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = simulation_of_text(
        context, "local x = coordinate 'x' lagrangian(x.dot^2/2 - x^2/2) start { x = 1 }", "naive:rkf45");
    assert_int_equal(taut_step(z, 1e6), TAUT_NO_CONVERGENCE);
    assert_non_null(strstr(taut_error_text(context), "a step of 1e+06 takes more than 1000000 steps of its own"));
    assert_true(taut_time(z) == 0);
    assert_int_equal(taut_step(z, 1), TAUT_OK);
    taut_simulation_release(z);
    taut_context_destroy(context);
}

/* and this bar turns so fast that rattle has no solution for more than two thousandths of the step: by substeps, which
   the contact brings, it is made in thousands of parts, and for each of them longer ones fail first. */
static void substeps_have_a_bound(void **state)
{
    (void)state;
    static const char text[] = "local a, b = point('a', 2), coordinate 'b' lagrangian(norm2(a.dot)/2 + b.dot^2/2)\n"
                               "constraint('bar', norm2(a) - 1) local floor = contact('floor', b) %s\n"
                               "start { a = {1, 0}, ['a.dot'] = {0, 4000}, b = 100 }";
    /* with such a force there are no merged steps, and without it they are no way out */
    static const char *const forces[] = { "force(b, -floor*b.dot)", "" };
    for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
        char whole[500];
        snprintf(whole, sizeof whole, text, forces[i]);
        taut_context *context = taut_context_create(NULL);
        taut_simulation *z = simulation_of_text(context, whole, "rattle");
        taut_work work = { .size = sizeof work };
        assert_int_equal(taut_step(z, 1), TAUT_NO_CONVERGENCE);
        assert_non_null(strstr(taut_error_text(context), "try a smaller step"));
        assert_true(taut_time(z) == 0);
        taut_counts(z, &work);
        assert_true(work.newton_iterations < 60 * 1100);
        assert_int_equal(taut_step(z, 1e-5), TAUT_OK);
        taut_simulation_release(z);
        taut_context_destroy(context);
    }
}

/* A script that would run for ever, and catches what it can. */
static void within_a_script(void **state)
{
    (void)state;
    static const char text[] = "while true do pcall(function() while true do end end) end";
    taut_context *context = taut_context_create(NULL);
    taut_model *m = NULL;
    asker a = { .patience = 3 };
    taut_context_stop(context, ask, &a);
    assert_int_equal(taut_model_load_text(context, "loop.lua", text, strlen(text), NULL, 0, &m), TAUT_STOPPED);
    assert_null(m);
    assert_non_null(strstr(taut_error_text(context), "loop.lua:1:"));
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_a_step), cmocka_unit_test(variable_steps_have_a_bound),
        cmocka_unit_test(substeps_have_a_bound), cmocka_unit_test(within_a_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
