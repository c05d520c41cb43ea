/* Executors with several threads: the numbers of one, and nothing that two threads touch at once (ThreadSanitizer). */
#include "support_ensemble.h"

static const ensemble_case several = { .model = "double-spherical-pendulum", .method = "rattle", .h = 0.01, .steps = 20,
                                       .varied = { { VARY_PARAMETER, "m1", 0, 1, 3 }, { VARY_RATE, NULL, 0, 2, 4 } } };

static void check_threads(executor_kind on)
{
    ensemble_run one, many;
    open_ensemble(&several, 70, &one);
    open_ensemble(&several, 70, &many);
    many.rows_least = 1; /* rows are read together, in all threads */
    executor *e = create_executor(&several, &one, on, 1, TAUT_NATIVE_AUTO);
    executor *f = create_executor(&several, &many, on, 4, TAUT_NATIVE_AUTO);
    run_ensemble(&several, &one, e);
    for (int again = 0; again < 2; again++) {
        run_ensemble(&several, &many, f);
        assert_memory_equal(one.states, many.states, one.count * one.state_size * sizeof *one.states);
        assert_memory_equal(one.rows, many.rows, one.count * READS * one.columns * sizeof *one.rows);
    }
    taut_executor_destroy(e);
    taut_executor_destroy(f);
    close_ensemble(&one);
    close_ensemble(&many);
}

static void interpreter_in_threads(void **unused)
{
    (void)unused;
    check_threads(EXECUTOR_INTERPRETER);
}

static void lanes_in_threads(void **unused)
{
    (void)unused;
    check_threads(EXECUTOR_LANES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreter_in_threads),
        cmocka_unit_test(lanes_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
