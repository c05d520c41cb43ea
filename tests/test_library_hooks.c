/* Calls that hooks, event callbacks and functions of a model may not make. A hook may leave by longjmp, so the library
   cannot know whether a call comes from within: what a hook did is found when it returns, and the run fails with a
   message that names the call. Functions must return, so their calls are refused at once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support_library.h"

static const char PENDULUM[] =
    "local m, f = param('m', 1), input('f', 0)\n"
    "local a = point('a', 2)\n"
    "lagrangian(m*norm2(a.dot)/2 - 9.81*m*a.y)\n"
    "force(a, {f, 0})\n"
    "constraint('rod', norm2(a) - 1)\n"
    "start { a = {1, 0} }\n";

static taut_context *context;
static taut_simulation *simulation;
static char *saved;
static size_t saved_size;
static int inner; /* status of the call in the hook */

static taut_simulation *open_text(const char *text)
{
    taut_model *model;
    taut_simulation *z;
    assert_int_equal(taut_model_load_text(context, "test", text, strlen(text), NULL, 0, &model), TAUT_OK);
    assert_int_equal(taut_simulation_create(context, model, NULL, &z), TAUT_OK);
    taut_model_release(model);
    return z;
}

/* ---- hooks ---- */

static int steps(taut_simulation *z) { return taut_step(z, 0.01); }
static int advances(taut_simulation *z) { return run_to(z, 0.01, 0.5); }
static int flows(taut_simulation *z) { return taut_flow(z, 0.5, 1e-8); }
static int restarts(taut_simulation *z) { return taut_restart(z); }
static int restores(taut_simulation *z) { return taut_restore(z, saved, saved_size); }
static int sets_param(taut_simulation *z) { return taut_set(z, TAUT_PARAM, 0, 1, (double[]){ 2 }); }

static int writes_another(taut_simulation *z)
{
    taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.1, .replace = 1 };
    run.file = "test_library_hooks.other.taut";
    int status = taut_restart(z);
    return status ? status : taut_advance(z, &run);
}

static int sets_input(taut_simulation *z) { return taut_set(z, TAUT_INPUT, 0, 1, (double[]){ 0.5 }); }
static int kicks(taut_simulation *z) { return taut_kick(z, (double[]){ 0, 1e-3 }); }

static int reads(taut_simulation *z)
{
    double values[64], matrix[64];
    taut_simulation *other;
    int status = frame_of(z, values);
    if (!status) status = taut_save(z, saved, saved_size, NULL);
    if (!status) status = taut_values(z, TAUT_JACOBIAN, matrix, 64);
    if (!status) status = taut_linearise(z, 0.01, matrix, NULL);
    if (!status) status = taut_simulation_clone(z, context, &other);
    if (status) return status;
    status = taut_step(other, 0.01); /* another simulation is not this one */
    taut_simulation_release(other);
    return status;
}

typedef struct {
    const char *name;              /* of the call; NULL: a hook may do it */
    int (*call)(taut_simulation *z);
} deed;

static int hook(void *user, taut_simulation *z)
{
    if (taut_time(z) > 0.045 && taut_time(z) < 0.055) inner = ((const deed *)user)->call(z);
    return 0;
}

static const deed deeds[] = {
    { "taut_step", steps },       { "taut_advance", advances },       { "taut_flow", flows },
    { "taut_restart", restarts }, { "taut_restore", restores },       { "taut_set", sets_param },
    { "taut_advance", writes_another }, { NULL, sets_input }, { NULL, kicks }, { NULL, reads },
};

static void hooks_end_the_run(void **state)
{
    (void)state;
    static char file[64];
    snprintf(file, sizeof file, "test_library_hooks.%ld.taut", (long)getpid());
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        for (int way = 0; way < 4; way++) { /* before or after the step, without and with a file */
            taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.1, .user = (void *)&deeds[i], .replace = 1 };
            *(way % 2 ? &run.after : &run.before) = hook;
            if (way >= 2) run.file = file;
            simulation = open_text(PENDULUM);
            assert_int_equal(taut_save(simulation, NULL, 0, &saved_size), TAUT_OK);
            saved = malloc(saved_size);
            assert_non_null(saved);
            assert_int_equal(taut_save(simulation, saved, saved_size, NULL), TAUT_OK);
            inner = -1;
            const int status = taut_advance(simulation, &run);
            assert_int_equal(inner, TAUT_OK);
            if (!deeds[i].name) {
                assert_int_equal(status, TAUT_OK);
                assert_true(fabs(taut_time(simulation) - 0.1) < 1e-12);
            } else {
                assert_int_equal(status, TAUT_BAD_USAGE);
                assert_non_null(strstr(taut_error_text(context), deeds[i].name));
                assert_non_null(strstr(taut_error_text(context), way % 2 ? "hook after" : "hook before"));
            }
            assert_int_equal(taut_restart(simulation), TAUT_OK); /* and it is whole */
            assert_int_equal(run_to(simulation, 0.01, 0.1), TAUT_OK);
            taut_simulation_release(simulation);
            free(saved);
        }
    remove(file);
    remove("test_library_hooks.other.taut");
}

/* A hook that leaves by longjmp may be followed by any call. */
static jmp_buf outside;
static int leave(void *user, taut_simulation *z)
{
    (void)user;
    if (taut_time(z) > 0.05) longjmp(outside, 1);
    return 0;
}

static void hooks_may_leave(void **state)
{
    (void)state;
    simulation = open_text(PENDULUM);
    taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.1, .after = leave };
    if (!setjmp(outside)) taut_advance(simulation, &run);
    assert_int_equal(taut_step(simulation, 0.01), TAUT_OK);
    assert_int_equal(taut_restart(simulation), TAUT_OK);
    assert_int_equal(run_to(simulation, 0.01, 0.1), TAUT_OK);
    taut_simulation_release(simulation);
}

/* ---- events ---- */

static int on_event(void *user, const taut_event *event)
{
    (void)event;
    inner = ((const deed *)user)->call(simulation);
    return 0;
}

static void event_callbacks_only_read(void **state)
{
    (void)state;
    static const deed tried[] = { { "taut_step", steps }, { "taut_restart", restarts }, { "taut_kick", kicks } };
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        simulation = open_text("local x = coordinate 'x' lagrangian(x.dot^2/2 - 10*x) contact('floor', x, "
                               "{restitution = 1}) start { x = 0.1 }");
        taut_events(simulation, on_event, (void *)&tried[i]);
        assert_int_equal(run_to(simulation, 0.01, 0.2), TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(context), "the event callback called"));
        taut_events(simulation, NULL, NULL);
        assert_int_equal(taut_restart(simulation), TAUT_OK);
        assert_int_equal(run_to(simulation, 0.01, 0.2), TAUT_OK);
        taut_simulation_release(simulation);
    }
}

/* ---- functions ---- */

static int depth, refused;

static int (*inside)(taut_simulation *z);
static int reenters(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    (void)user, (void)order, (void)gradient, (void)hessian;
    assert_true(++depth < 3); /* it would go on until the stack is full */
    if (simulation && inside(simulation) == TAUT_BAD_USAGE)
        refused += strstr(taut_error_text(context), "a function of the model") != NULL;
    *value = -x[0];
    depth--;
    return 0;
}

static int gets(taut_simulation *z)
{
    double x;
    return taut_get(z, TAUT_POSITION, 0, 1, &x, NULL);
}

static void functions_do_not_reenter(void **state)
{
    (void)state;
    static int (*const calls[])(taut_simulation *) = { steps, advances, flows, restarts, restores, sets_param, kicks,
                                                       gets };
    assert_int_equal(taut_define(context, "own", 1, 0, reenters, NULL), TAUT_OK);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        inside = calls[i];
        saved = (char[]){ 0 }, saved_size = 1;
        simulation = NULL;
        simulation = open_text("local m, x = param('m', 1), coordinate 'x' lagrangian(m*x.dot^2/2) "
                               "force(x, call('own', x)) start { x = 1 }");
        refused = 0;
        assert_int_equal(taut_step(simulation, 0.01), TAUT_OK);
        assert_true(refused > 0);
        assert_true(fabs(taut_time(simulation) - 0.01) < 1e-15);
        taut_simulation *z = simulation;
        simulation = NULL;
        taut_simulation_release(z);
    }
}

/* A value, a first and a second derivative that are NaN, and a value that is beside x. */
static int which;
static int broken(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    (void)user;
    *value = which == 0 ? NAN : which == 3 && x[0] != 1 ? NAN : x[0] * x[0] + x[1];
    if (order > 0) gradient[0] = which == 1 ? NAN : 2 * x[0], gradient[1] = 1;
    if (order > 1) hessian[0] = 2, hessian[1] = 0, hessian[2] = which == 2 ? INFINITY : 0, hessian[3] = 0;
    return 0;
}

static void what_is_no_number_is_reported(void **state)
{
    (void)state;
    double worst;
    assert_int_equal(taut_define(context, "broken", 2, 2, broken, NULL), TAUT_OK);
    for (which = 0; which < 4; which++) {
        assert_int_equal(taut_check_function(context, "broken", (double[]){ 1, 2 }, &worst), TAUT_NOT_FINITE);
        assert_non_null(strstr(taut_error_text(context), "'broken'"));
        assert_true(isnan(worst));
    }
    assert_int_equal(taut_check_function(context, "broken", (double[]){ 1, 2 }, &worst), TAUT_OK);
    assert_true(worst < 1e-9); /* of a polynomial the differences are exact, but for round-off */
}

/* Strings and arrays within a struct. */
static void arrays_that_are_missing(void **state)
{
    (void)state;
    const char *const none = NULL, *const names[] = { "m", NULL };
    const taut_members_spec specs[] = {
        { .size = sizeof specs[0], .h = 0.1, .until = 1, .vary_count = 1 },
        { .size = sizeof specs[0], .h = 0.1, .until = 1, .vary = &none, .vary_count = 1 },
        { .size = sizeof specs[0], .h = 0.1, .until = 1, .name_count = 1, .value_rows = 1 },
        { .size = sizeof specs[0], .h = 0.1, .until = 1, .names = names, .name_count = 2, .value_rows = 0 },
        { .size = sizeof specs[0], .h = 0.1, .until = 1, .names = names, .name_count = 1, .value_rows = 1 },
        { .size = sizeof specs[0], .h = 0.1, .until = 1, .names = names, .name_count = 1, .values = (double[]){ 1 },
          .value_rows = 1, .at_count = 1 },
    };
    simulation = open_text(PENDULUM);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        taut_members *members;
        assert_int_equal(taut_members_create(simulation, &specs[i], &members), TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(context), "NULL"));
        assert_null(members);
    }
    taut_simulation_release(simulation);
}

static int set_up(void **state)
{
    (void)state;
    context = taut_context_create(NULL);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    taut_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hooks_end_the_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hooks_may_leave, set_up, tear_down),
        cmocka_unit_test_setup_teardown(event_callbacks_only_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_do_not_reenter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_number_is_reported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arrays_that_are_missing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
