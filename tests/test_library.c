/* The public interface (taut.h): what a call does at the edges of what it accepts, who keeps whom alive, what the
   error text says when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <taut/taut.h>

#include "support_allocator.h"

static const char pendulum[] = "title 'a pendulum'\n"
                               "local a, g = point('a', 2), param('g', 9.81)\n"
                               "lagrangian(norm2(a.dot)/2 - g*a.y)\n"
                               "constraint('rod', norm2(a) - 1)\n"
                               "observe('height', a.y)\n"
                               "start { a = {1, 0} }\n";

static int load(taut_context *context, const char *text, taut_model **model)
{
    return taut_model_load_text(context, "test", text, strlen(text), NULL, 0, model);
}

static taut_simulation *open_pendulum(taut_context *context, taut_model **model)
{
    taut_simulation *simulation = NULL;
    assert_int_equal(load(context, pendulum, model), TAUT_OK);
    assert_int_equal(taut_simulation_create(*model, NULL, &simulation), TAUT_OK);
    return simulation;
}

static void columns_and_beyond(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_pendulum(context, &model);
    char name[64] = "", small[3] = "zz";
    size_t count = taut_simulation_columns(simulation);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(taut_simulation_column_name(simulation, i, name, sizeof name), TAUT_OK);
        assert_int_equal(taut_simulation_column(simulation, name), i);
    }
    assert_string_equal(name, "height");
    const size_t beyond[] = { count, count + 1, 999, SIZE_MAX / 2, SIZE_MAX };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        strcpy(name, "as before");
        assert_int_equal(taut_simulation_column_name(simulation, beyond[i], name, sizeof name), TAUT_BAD_USAGE);
        assert_string_equal(name, "");
        assert_non_null(strstr(taut_error_text(context), "column"));
        assert_int_equal(taut_simulation_column_name(simulation, beyond[i], NULL, 0), TAUT_BAD_USAGE);
    }
    assert_int_equal(taut_simulation_column_name(simulation, count - 1, small, sizeof small), TAUT_OK);
    assert_string_equal(small, "he");
    assert_int_equal(taut_simulation_column_name(simulation, count - 1, NULL, 0), TAUT_OK);
    assert_string_equal(taut_error_text(context), "");
    assert_int_equal(taut_simulation_column(simulation, "no such column"), -1);
    taut_simulation_destroy(simulation);
    taut_model_destroy(model);
    taut_context_destroy(context);
}

/* Of a large system, through the public interface; and numbers of threads that there cannot be. */
static void any_number_of_threads(void **state)
{
    (void)state;
    static const int threads[] = { 0, 1, 2, 5, TAUT_THREADS_MOST };
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    const taut_setting links = { "N", "9000" };
    assert_int_equal(taut_model_load_file(context, MODELS "/hanging-chain.lua", &links, 1, &model), TAUT_OK);
    size_t columns = 0;
    double *frames[2] = { NULL, NULL };
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        taut_simulation_options options = taut_simulation_options_default();
        taut_simulation *simulation = NULL;
        options.threads = threads[i];
        assert_int_equal(taut_simulation_create(model, &options, &simulation), TAUT_OK);
        assert_int_equal(taut_simulation_step(simulation, 0.001), TAUT_OK);
        columns = taut_simulation_columns(simulation);
        frames[i > 0] = realloc(frames[i > 0], columns * sizeof(double));
        assert_int_equal(taut_simulation_frame(simulation, frames[i > 0]), TAUT_OK);
        if (i > 0) assert_memory_equal(frames[0], frames[1], columns * sizeof(double));
        taut_simulation_destroy(simulation);
    }
    for (int bad = -1; bad <= TAUT_THREADS_MOST + 1; bad += TAUT_THREADS_MOST + 2) {
        taut_simulation_options options = taut_simulation_options_default();
        taut_simulation *simulation = NULL;
        options.threads = bad;
        assert_int_equal(taut_simulation_create(model, &options, &simulation), TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(context), "threads is a number from 1 to 64"));
        assert_null(simulation);
    }
    free(frames[0]);
    free(frames[1]);
    taut_model_destroy(model);
    taut_context_destroy(context);
}

static void zero_is_the_default(void **state)
{
    (void)state;
    const taut_allocator no_allocator = { 0 };
    const taut_simulation_options zero = { 0 }, usual = taut_simulation_options_default();
    const taut_simulation_options *all[] = { NULL, &usual, &zero };
    double frames[3][32];
    taut_context *context = taut_context_create(&no_allocator);
    assert_non_null(context);
    memset(frames, 0, sizeof frames);
    for (int i = 0; i < 3; i++) {
        taut_model *model = NULL;
        taut_simulation *simulation = NULL;
        assert_int_equal(load(context, pendulum, &model), TAUT_OK);
        assert_int_equal(taut_simulation_create(model, all[i], &simulation), TAUT_OK);
        assert_int_equal(taut_simulation_run(simulation, 0.01, 0.5), TAUT_OK);
        assert_in_range(taut_simulation_columns(simulation), 1, 32);
        assert_int_equal(taut_simulation_frame(simulation, frames[i]), TAUT_OK);
        taut_simulation_destroy(simulation);
        taut_model_destroy(model);
    }
    assert_memory_equal(frames[0], frames[1], sizeof *frames);
    assert_memory_equal(frames[0], frames[2], sizeof *frames);
    taut_context_destroy(context);
    taut_context_destroy(NULL);
    taut_model_destroy(NULL);
    taut_simulation_destroy(NULL);
}

static void settings_without_name_or_value(void **state)
{
    (void)state;
    const taut_setting wrong[] = { { "g", NULL }, { NULL, "1" }, { NULL, NULL } };
    taut_context *context = taut_context_create(NULL);
    for (size_t i = 0; i < 3; i++) {
        const taut_setting settings[] = { { "g", "1.5" }, wrong[i] };
        taut_model *model = (taut_model *)settings;
        assert_int_equal(taut_model_load_text(context, "test", pendulum, strlen(pendulum), settings, 2, &model),
            TAUT_BAD_USAGE);
        assert_null(model);
        assert_non_null(strstr(taut_error_text(context), "setting 2"));
    }
    taut_context_destroy(context);
}

/* In which order model, simulations and context are destroyed does not matter: nothing is used after it is freed
   (the build with sanitizers looks), and all of it is freed in the end. */
static void destroyed_in_any_order(void **state)
{
    (void)state;
    static const int orders[][4] = { { 0, 1, 2, 3 }, { 0, 2, 1, 3 }, { 2, 3, 0, 1 }, { 3, 2, 1, 0 }, { 1, 0, 3, 2 },
        { 0, 3, 2, 1 }, { 2, 0, 3, 1 } };
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        counter c = { 0 };
        const taut_allocator allocator = { counted_resize, &c };
        taut_context *context = taut_context_create(&allocator);
        taut_model *model = NULL;
        taut_simulation *simulations[2] = { open_pendulum(context, &model), NULL };
        assert_int_equal(taut_simulation_create(model, NULL, &simulations[1]), TAUT_OK);
        int destroyed[2] = { 0, 0 };
        for (int i = 0; i < 4; i++) {
            switch (orders[o][i]) {
            case 0: taut_model_destroy(model); break;
            case 1: taut_context_destroy(context); break;
            default: taut_simulation_destroy(simulations[orders[o][i] - 2]), destroyed[orders[o][i] - 2] = 1;
            }
            for (int k = 0; k < 2; k++) {
                double frame[32];
                char name[64];
                if (destroyed[k]) continue;
                assert_int_equal(taut_simulation_step(simulations[k], 0.01), TAUT_OK);
                assert_int_equal(taut_simulation_frame(simulations[k], frame), TAUT_OK);
                assert_int_equal(taut_simulation_column_name(simulations[k], 1, name, sizeof name), TAUT_OK);
                assert_string_equal(name, "a.x");
                /* a message is written somewhere */
                assert_int_equal(taut_simulation_step(simulations[k], 0), TAUT_BAD_USAGE);
            }
        }
        assert_int_equal(c.live, 0);
    }
}

static void count_line(void *user, const char *line)
{
    (void)line;
    ++*(int *)user;
}

static void create_and_destroy(taut_model *model, const char *method)
{
    taut_simulation *simulation = NULL;
    taut_simulation_options options = taut_simulation_options_default();
    options.method = method;
    assert_int_equal(taut_simulation_create(model, &options, &simulation), TAUT_OK);
    taut_simulation_destroy(simulation);
}

/* euler:natural makes a remark when it is created on a force that is nonlinear in a multiplier. */
static void a_log_ends_with_its_context(void **state)
{
    (void)state;
    int lines = 0;
    taut_model *model = NULL;
    taut_context *context = taut_context_create(NULL);
    taut_context_log(context, count_line, &lines);
    assert_int_equal(taut_model_load_file(context, MODELS "/papers/jay-simeon-4.1.lua", NULL, 0, &model), TAUT_OK);
    create_and_destroy(model, "euler:natural");
    assert_int_equal(lines, 1);
    taut_context_destroy(context);
    create_and_destroy(model, "euler:natural");
    assert_int_equal(lines, 1);
    taut_model_destroy(model);
}

/* The text is that of the last call that returned a status. */
static void a_success_clears_the_text(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL, *bad = NULL;
    taut_simulation *simulation = NULL;
    double frame[32], low[32];
    char name[32];
    taut_symplecticity form;
#define FAILS_THEN(call)                                                               \
    do {                                                                               \
        assert_int_equal(load(context, "no Lua at all", &bad), TAUT_BAD_MODEL);        \
        assert_string_not_equal(taut_error_text(context), "");                         \
        assert_int_equal(call, TAUT_OK);                                               \
        assert_string_equal(taut_error_text(context), "");                             \
    } while (0)
    assert_string_equal(taut_error_text(context), "");
    FAILS_THEN(load(context, pendulum, &model));
    FAILS_THEN(taut_simulation_create(model, NULL, &simulation));
    FAILS_THEN(taut_simulation_step(simulation, 0.01));
    FAILS_THEN(taut_simulation_run(simulation, 0.01, 0.1));
    FAILS_THEN(taut_simulation_run(simulation, 0.01, 0.1)); /* nothing to do, whichever way 0.1 was rounded */
    FAILS_THEN(taut_simulation_frame(simulation, frame));
    FAILS_THEN(taut_simulation_frame_pairs(simulation, frame, low));
    FAILS_THEN(taut_simulation_column_name(simulation, 0, name, sizeof name));
    FAILS_THEN(taut_simulation_flow(simulation, 0.2, 1e-6));
    FAILS_THEN(taut_simulation_symplecticity(simulation, 0.01, &form));
#undef FAILS_THEN
    taut_simulation_destroy(simulation);
    taut_model_destroy(model);
    /* A singular Lagrangian is first refused as an ordinary system, and then runs by the Dirac algorithm: a success
       all the same. */
    static const char singular[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                                   "lagrangian(x.dot*y - (x^2 + y^2)/2)\n"
                                   "start { x = 1, y = 0 }\n";
    taut_simulation_options options = taut_simulation_options_default();
    options.method = "dirac:rk4";
    assert_int_equal(load(context, singular, &model), TAUT_OK);
    assert_int_equal(taut_simulation_create(model, &options, &simulation), TAUT_OK);
    assert_string_equal(taut_error_text(context), "");
    taut_simulation_destroy(simulation);
    taut_model_destroy(model);
    taut_context_destroy(context);
}

/* To run to where it is already is to do nothing, whichever way that time was rounded. */
static void run_to_the_present(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_pendulum(context, &model);
    for (int i = 1; i <= 40; i++) {
        double t = i / 10.0;
        assert_int_equal(taut_simulation_step(simulation, 0.1), TAUT_OK);
        if (taut_simulation_run(simulation, 0.1, t)) fail_msg("t = %.17g: %s", t, taut_error_text(context));
        assert_int_equal(taut_simulation_counts(simulation).steps, i);
    }
    assert_int_equal(taut_simulation_run(simulation, 0.1, 3.9), TAUT_BAD_USAGE);
    taut_simulation_destroy(simulation);
    taut_model_destroy(model);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_and_beyond), cmocka_unit_test(zero_is_the_default),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(settings_without_name_or_value),
        cmocka_unit_test(destroyed_in_any_order), cmocka_unit_test(a_log_ends_with_its_context),
        cmocka_unit_test(a_success_clears_the_text),
        cmocka_unit_test(run_to_the_present),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
