/* The public interface (taut.h): what a call does at the edges of what it accepts, who keeps whom alive, what the
   error text says when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support_allocator.h"
#include "support_library.h"

static const char pendulum[] = "title 'a pendulum'\n"
                               "local a, g = point('a', 2), param('g', 9.81)\n"
                               "lagrangian(norm2(a.dot)/2 - g*a.y)\n"
                               "constraint('rod', norm2(a) - 1)\n"
                               "observe('height', a.y)\n"
                               "units { length = 'm', time = 's' }\n"
                               "draw { ball(a):colour 'blue':label 'bob' }\n"
                               "start { a = {1, 0} }\n";

static int load(taut_context *context, const char *text, taut_model **model)
{
    return taut_model_load_text(context, "test", text, strlen(text), NULL, 0, model);
}

static taut_simulation *open_pendulum(taut_context *context, taut_model **model)
{
    taut_simulation *simulation = NULL;
    assert_int_equal(load(context, pendulum, model), TAUT_OK);
    assert_int_equal(taut_simulation_create(context, *model, NULL, &simulation), TAUT_OK);
    return simulation;
}

static void columns_and_beyond(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_pendulum(context, &model);
    double value[8];
    const size_t count = columns_of(simulation);
    for (size_t i = 0; i < count; i++) assert_int_equal(column_of(simulation, taut_name(simulation, TAUT_ALL, i)), i);
    assert_string_equal(taut_name(simulation, TAUT_ALL, count - 1), "height");
    const size_t beyond[] = { count, count + 1, 999, SIZE_MAX / 2, SIZE_MAX };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        assert_null(taut_name(simulation, TAUT_ALL, beyond[i]));
        assert_int_equal(taut_get(simulation, TAUT_ALL, beyond[i], 1, value, NULL), TAUT_BAD_USAGE);
        assert_int_equal(taut_get(simulation, TAUT_POSITION, 1, beyond[i], value, NULL), TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(context), "of this kind"));
    }
    for (int kind = -1; kind <= TAUT_KINDS; kind += TAUT_KINDS + 1) {
        assert_int_equal(taut_count(simulation, kind), 0);
        assert_null(taut_name(simulation, kind, 0));
        assert_int_equal(taut_find(simulation, kind, "t"), -1);
        assert_int_equal(taut_get(simulation, kind, 0, 1, value, NULL), TAUT_BAD_USAGE);
    }
    assert_int_equal(taut_get(simulation, TAUT_ALL, count, 0, value, NULL), TAUT_OK);
    assert_string_equal(taut_error_text(context), "");
    assert_int_equal(column_of(simulation, "no such column"), -1);
    taut_simulation_release(simulation);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* Every kind is a stretch of the frame, with its names. */
static void kinds_make_up_the_frame(void **state)
{
    (void)state;
    static const char *const first[] = { "t", "a.x", "a.x.dot", "p.a.x", "lambda.rod", NULL, "energy", NULL,
                                         "constraint", "velocity_constraint", NULL, "height", NULL };
    static const size_t sizes[] = { 1, 2, 2, 2, 1, 0, 1, 0, 1, 1, 0, 1, 0 };
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_pendulum(context, &model);
    double frame[32], part[32];
    size_t at = 0;
    assert_int_equal(run_to(simulation, 0.01, 0.1), TAUT_OK);
    assert_int_equal(frame_of(simulation, frame), TAUT_OK);
    for (int kind = TAUT_TIME; kind < TAUT_ALL; kind++) {
        const size_t count = taut_count(simulation, kind);
        const char *name = taut_name(simulation, kind, 0);
        assert_int_equal(count, sizes[kind]);
        if (!first[kind]) {
            assert_null(name);
            continue;
        }
        assert_string_equal(name, first[kind]);
        assert_int_equal(taut_find(simulation, kind, name), 0);
        assert_int_equal(taut_find(simulation, TAUT_ALL, name), at);
        assert_int_equal(taut_find(simulation, kind == TAUT_TIME ? TAUT_POSITION : TAUT_TIME, name), -1);
        assert_int_equal(taut_get(simulation, kind, 0, count, part, NULL), TAUT_OK);
        assert_memory_equal(part, frame + at, count * sizeof *part);
        assert_int_equal(taut_get(simulation, kind, count - 1, 1, part, NULL), TAUT_OK);
        assert_memory_equal(part, frame + at + count - 1, sizeof *part);
        at += count;
    }
    assert_int_equal(at, columns_of(simulation));
    assert_int_equal(taut_count(simulation, TAUT_PARAM), 1);
    assert_string_equal(taut_name(simulation, TAUT_PARAM, 0), "g");
    assert_int_equal(taut_get(simulation, TAUT_PARAM, 0, 1, part, NULL), TAUT_OK);
    assert_true(part[0] == 9.81);
    taut_simulation_release(simulation);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* Of a large system, through the public interface; and numbers of threads that there cannot be. */
static void any_number_of_threads(void **state)
{
    (void)state;
    static const int threads[] = { 0, 1, 2, 5, TAUT_THREADS_MOST };
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    const taut_setting links = { "N", NULL, 9000 };
    assert_int_equal(taut_model_load_file(context, MODELS "/hanging-chain.lua", &links, 1, &model), TAUT_OK);
    size_t columns = 0;
    double *frames[2] = { NULL, NULL };
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        taut_options options = { .size = sizeof options };
        taut_simulation *simulation = NULL;
        options.threads = threads[i];
        assert_int_equal(taut_simulation_create(context, model, &options, &simulation), TAUT_OK);
        assert_int_equal(taut_step(simulation, 0.001), TAUT_OK);
        columns = columns_of(simulation);
        frames[i > 0] = realloc(frames[i > 0], columns * sizeof(double));
        assert_int_equal(frame_of(simulation, frames[i > 0]), TAUT_OK);
        if (i > 0) assert_memory_equal(frames[0], frames[1], columns * sizeof(double));
        taut_simulation_release(simulation);
    }
    for (int bad = -1; bad <= TAUT_THREADS_MOST + 1; bad += TAUT_THREADS_MOST + 2) {
        taut_options options = { .size = sizeof options };
        taut_simulation *simulation = NULL;
        options.threads = bad;
        assert_int_equal(taut_simulation_create(context, model, &options, &simulation), TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(context), "threads is a number from 1 to 64"));
        assert_null(simulation);
    }
    free(frames[0]);
    free(frames[1]);
    taut_model_release(model);
    taut_context_destroy(context);
}

static void zero_is_the_default(void **state)
{
    (void)state;
    const taut_allocator no_allocator = { 0 };
    const taut_options zero = { .size = sizeof zero },
                       usual = { .size = sizeof usual, .method = "rattle", .precision = "double" };
    const taut_options *all[] = { NULL, &usual, &zero };
    double frames[3][32];
    taut_context *context = taut_context_create(&no_allocator);
    assert_non_null(context);
    memset(frames, 0, sizeof frames);
    for (int i = 0; i < 3; i++) {
        taut_model *model = NULL;
        taut_simulation *simulation = NULL;
        assert_int_equal(load(context, pendulum, &model), TAUT_OK);
        assert_int_equal(taut_simulation_create(context, model, all[i], &simulation), TAUT_OK);
        assert_int_equal(run_to(simulation, 0.01, 0.5), TAUT_OK);
        assert_in_range(columns_of(simulation), 1, 32);
        assert_int_equal(frame_of(simulation, frames[i]), TAUT_OK);
        taut_simulation_release(simulation);
        taut_model_release(model);
    }
    assert_memory_equal(frames[0], frames[1], sizeof *frames);
    assert_memory_equal(frames[0], frames[2], sizeof *frames);
    taut_context_destroy(context);
    taut_context_destroy(NULL);
    taut_model_release(NULL);
    taut_simulation_release(NULL);
}

static void settings_are_checked(void **state)
{
    (void)state;
    const taut_setting settings[] = { { "g", "1.5", 0 }, { NULL, "1", 0 } }, unknown[] = { { "gg", NULL, 1 } };
    taut_context *context = taut_context_create(NULL);
    taut_model *model = (taut_model *)settings;
    taut_error error = { .size = sizeof error };
    assert_int_equal(taut_model_load_text(context, "test", pendulum, strlen(pendulum), settings, 2, &model),
        TAUT_BAD_USAGE);
    assert_null(model);
    assert_non_null(strstr(taut_error_text(context), "setting 2"));
    assert_int_equal(taut_model_load_text(context, "test", pendulum, strlen(pendulum), unknown, 1, &model),
        TAUT_BAD_USAGE);
    taut_context_error(context, &error);
    assert_string_equal(error.item, "gg");
    taut_context_destroy(context);
}

/* Structs without their size, and with members that this version does not know. */
static void sizes_of_structs(void **state)
{
    (void)state;
    struct {
        taut_options known;
        int more;
    } later = { { .size = sizeof later }, 0 };
    taut_options none = { 0 }, shorter = { .size = offsetof(taut_options, precision), .threads = -1 };
    taut_run run = { 0 };
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_pendulum(context, &model), *other = NULL;
    assert_int_equal(taut_simulation_create(context, model, &none, &other), TAUT_BAD_USAGE);
    assert_non_null(strstr(taut_error_text(context), "sizeof(taut_options)"));
    assert_int_equal(taut_advance(simulation, &run), TAUT_BAD_USAGE);
    assert_int_equal(taut_simulation_create(context, model, &shorter, &other), TAUT_OK); /* threads lies beyond it */
    taut_simulation_release(other);
    assert_int_equal(taut_simulation_create(context, model, &later.known, &other), TAUT_OK);
    taut_simulation_release(other);
    later.more = 1;
    assert_int_equal(taut_simulation_create(context, model, &later.known, &other), TAUT_UNSUPPORTED);
    assert_null(other);
    taut_simulation_release(simulation);
    taut_model_release(model);
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
        assert_int_equal(taut_simulation_create(context, model, NULL, &simulations[1]), TAUT_OK);
        int destroyed[2] = { 0, 0 };
        for (int i = 0; i < 4; i++) {
            switch (orders[o][i]) {
            case 0: taut_model_release(model); break;
            case 1: taut_context_destroy(context); break;
            default: taut_simulation_release(simulations[orders[o][i] - 2]), destroyed[orders[o][i] - 2] = 1;
            }
            for (int k = 0; k < 2; k++) {
                double frame[32];
                if (destroyed[k]) continue;
                assert_int_equal(taut_step(simulations[k], 0.01), TAUT_OK);
                assert_int_equal(frame_of(simulations[k], frame), TAUT_OK);
                assert_string_equal(taut_name(simulations[k], TAUT_ALL, 1), "a.x");
                /* a message is written somewhere */
                assert_int_equal(taut_step(simulations[k], 0), TAUT_BAD_USAGE);
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

static void create_and_destroy(taut_context *context, taut_model *model, const char *method)
{
    taut_simulation *simulation = NULL;
    taut_options options = { .size = sizeof options };
    options.method = method;
    assert_int_equal(taut_simulation_create(context, model, &options, &simulation), TAUT_OK);
    taut_simulation_release(simulation);
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
    create_and_destroy(context, model, "euler:natural");
    assert_int_equal(lines, 1);
    taut_context_destroy(context);
    context = taut_context_create(NULL);
    create_and_destroy(context, model, "euler:natural"); /* the model belongs to the context that is gone */
    assert_int_equal(lines, 1);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* The text is that of the last call that returned a status. */
static void a_success_clears_the_text(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL, *bad = NULL;
    taut_simulation *simulation = NULL;
    double frame[32], low[32], defect;
    taut_error error = { .size = sizeof error };
#define FAILS_THEN(call)                                                               \
    do {                                                                               \
        assert_int_equal(load(context, "no Lua at all", &bad), TAUT_BAD_MODEL);        \
        assert_string_not_equal(taut_error_text(context), "");                         \
        assert_int_equal(call, TAUT_OK);                                               \
        assert_string_equal(taut_error_text(context), "");                             \
    } while (0)
    assert_string_equal(taut_error_text(context), "");
    assert_int_equal(load(context, "local x = 1\nlagrangian(y^2)\n", &bad), TAUT_BAD_MODEL);
    taut_context_error(context, &error);
    assert_string_equal(error.file, "test");
    assert_string_equal(error.item, "y");
    assert_int_equal(error.line, 2);
    FAILS_THEN(load(context, pendulum, &model));
    FAILS_THEN(taut_simulation_create(context, model, NULL, &simulation));
    FAILS_THEN(taut_step(simulation, 0.01));
    FAILS_THEN(run_to(simulation, 0.01, 0.1));
    FAILS_THEN(run_to(simulation, 0.01, 0.1)); /* nothing to do, whichever way 0.1 was rounded */
    FAILS_THEN(frame_of(simulation, frame));
    FAILS_THEN(taut_get(simulation, TAUT_ALL, 0, columns_of(simulation), frame, low));
    taut_context_error(context, &error);
    assert_int_equal(error.status, TAUT_OK);
    assert_string_equal(error.file, "");
    assert_true(error.line == 0 && error.time != error.time);
    FAILS_THEN(taut_flow(simulation, 0.2, 1e-6));
    FAILS_THEN(taut_symplectic_defect(simulation, 0.01, &defect, NULL, NULL));
#undef FAILS_THEN
    taut_simulation_release(simulation);
    taut_model_release(model);
    /* A singular Lagrangian is first refused as an ordinary system, and then runs by the Dirac algorithm: a success
       all the same. */
    static const char singular[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                                   "lagrangian(x.dot*y - (x^2 + y^2)/2)\n"
                                   "start { x = 1, y = 0 }\n";
    taut_options options = { .size = sizeof options };
    options.method = "dirac:rk4";
    assert_int_equal(load(context, singular, &model), TAUT_OK);
    assert_int_equal(taut_simulation_create(context, model, &options, &simulation), TAUT_OK);
    assert_string_equal(taut_error_text(context), "");
    taut_simulation_release(simulation);
    taut_model_release(model);
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
        assert_int_equal(taut_step(simulation, 0.1), TAUT_OK);
        if (run_to(simulation, 0.1, t)) fail_msg("t = %.17g: %s", t, taut_error_text(context));
        assert_int_equal(steps_of(simulation), i);
    }
    assert_int_equal(run_to(simulation, 0.1, 3.9), TAUT_BAD_USAGE);
    taut_simulation_release(simulation);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* A simulation copies its model, with its texts and units: no memory for any part of it. */
static void no_memory_for_the_copy(void **state)
{
    (void)state;
    int finished = 0;
    for (long k = 1; !finished && k < 200; k++) {
        counter c = { 0 };
        const taut_allocator allocator = { counted_resize, &c };
        taut_context *context = taut_context_create(&allocator);
        taut_model *model = NULL;
        taut_simulation *simulation = NULL;
        assert_int_equal(load(context, pendulum, &model), TAUT_OK);
        c.fail_at = c.calls + k;
        c.fail_count = 1;
        int status = taut_simulation_create(context, model, NULL, &simulation);
        assert_true(c.failures == 0 || status == TAUT_OUT_OF_MEMORY || status == TAUT_OK);
        finished = c.failures == 0;
        taut_simulation_release(simulation);
        taut_model_release(model);
        taut_context_destroy(context);
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_and_beyond), cmocka_unit_test(kinds_make_up_the_frame),
        cmocka_unit_test(sizes_of_structs), cmocka_unit_test(zero_is_the_default),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(destroyed_in_any_order), cmocka_unit_test(a_log_ends_with_its_context),
        cmocka_unit_test(a_success_clears_the_text),
        cmocka_unit_test(run_to_the_present), cmocka_unit_test(no_memory_for_the_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
