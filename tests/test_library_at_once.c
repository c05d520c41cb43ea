/* taut_advance takes several steps at a time where nobody looks: the same bits as one by one, the same rows and
   counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <taut/taut.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), TAUT_OK)
enum { STEPS = 1700, EVERY = 7, ROWS = 1 + STEPS / EVERY + 1, COLUMNS_MOST = 200 };

typedef struct {
    double rows[ROWS * COLUMNS_MOST], frame[COLUMNS_MOST];
    size_t row_count, columns;
    long calls; /* of the hook */
    taut_work work;
} outcome;

static int count_calls(void *user, taut_simulation *z)
{
    (void)z;
    ++*(long *)user;
    return 0;
}

/* In two pieces, the second with the steps left over. */
static void simulate(const char *path, const char *method, int native, int one_by_one, int with_rows, outcome *o)
{
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    const taut_options options = { .size = sizeof options, .method = method, .native = native };
    memset(o, 0, sizeof *o);
    OK(taut_model_load_file(context, path, NULL, 0, &model));
    OK(taut_simulation_create(context, model, &options, &z));
    o->columns = taut_count(z, TAUT_ALL);
    assert_true(o->columns <= COLUMNS_MOST);
    taut_run run = { .size = sizeof run, .h = 0.001, .until = 0.0005, .after = one_by_one ? count_calls : NULL,
                     .user = &o->calls };
    OK(taut_advance(z, &run));
    run.until += 0.001 * STEPS;
    if (with_rows) run.every = EVERY, run.rows = o->rows, run.row_capacity = ROWS;
    OK(taut_advance(z, &run));
    assert_int_equal(run.stopped, 0);
    o->row_count = run.row_count;
    o->work.size = sizeof o->work;
    taut_counts(z, &o->work);
    OK(taut_get(z, TAUT_ALL, 0, o->columns, o->frame, NULL));
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

static void as_one_by_one(void **state)
{
    (void)state;
    static const struct {
        const char *model, *method;
    } list[] = { { MODELS "/double-spherical-pendulum.lua", "rattle" },
                 { MODELS "/double-spherical-pendulum.lua", "em" },
                 { MODELS "/heavy-top.lua", "lobatto:s=2" },
                 { MODELS "/bouncing-ball.lua", "rattle" } };
    static outcome one, several;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int native = TAUT_NATIVE_AUTO; native <= TAUT_NATIVE_OFF; native += TAUT_NATIVE_OFF - TAUT_NATIVE_AUTO)
            for (int rows = 0; rows < 2; rows++) {
                simulate(list[i].model, list[i].method, native, 1, rows, &one);
                simulate(list[i].model, list[i].method, native, 0, rows, &several);
                assert_int_equal(one.calls, 1 + STEPS);
                assert_int_equal(several.calls, 0);
                assert_int_equal(one.row_count, rows ? ROWS : 0);
                assert_int_equal(several.row_count, one.row_count);
                assert_int_equal(several.work.steps, one.work.steps);
                assert_memory_equal(several.frame, one.frame, one.columns * sizeof *one.frame);
                assert_memory_equal(several.rows, one.rows, one.row_count * one.columns * sizeof *one.rows);
            }
}

/* The flag is looked at before each stretch. */
static void an_interrupt_is_seen(void **state)
{
    (void)state;
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    const volatile int flag = 1;
    OK(taut_model_load_file(context, MODELS "/double-spherical-pendulum.lua", NULL, 0, &model));
    OK(taut_simulation_create(context, model, NULL, &z));
    taut_run run = { .size = sizeof run, .h = 0.001, .until = 1e6, .interrupt = &flag };
    OK(taut_advance(z, &run));
    assert_int_equal(run.stopped, 1);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_one_by_one), cmocka_unit_test(an_interrupt_is_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
