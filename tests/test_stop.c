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
    const struct CMUnitTest tests[] = { cmocka_unit_test(within_a_step), cmocka_unit_test(within_a_script) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
