/* Members of ensembles have the bits of single runs. */
#include "support_ensemble.h"

#define PARAMETER(name, a, b) { VARY_PARAMETER, name, 0, a, b }
#define POSITION(i, a, b) { VARY_POSITION, NULL, i, a, b }
#define RATE(i, a, b) { VARY_RATE, NULL, i, a, b }

#define DSP "double-spherical-pendulum"
static const ensemble_case cases[] = {
    { .model = DSP, .method = "rattle", .h = 0.01, .steps = 40, .varied = { RATE(0, 2, 4), RATE(3, 1, 3) } },
    { .model = DSP, .method = "rattle", .h = 0.01, .steps = 40,
      .varied = { PARAMETER("m1", 1, 3), PARAMETER("l2", 2.9, 3.1), POSITION(0, 2.7, 2.9) } },
    { .model = DSP, .method = "em", .h = 0.02, .steps = 30, .varied = { PARAMETER("m2", 1, 5), RATE(1, -2, 3) } },
    { .model = DSP, .method = "lobatto:s=3", .h = 0.02, .steps = 20, .varied = { PARAMETER("g", 5, 15) } },
    { .model = DSP, .method = "compose:rattle,order=8", .h = 0.05, .steps = 10,
      .varied = { PARAMETER("m2", 1, 5), RATE(1, -2, 3) } },
    { .model = DSP, .method = "rattle", .h = 0.01, .steps = 40, .tolerance = 1e-10, .varied = { RATE(0, 2, 4) } },
    { .model = "driven-pendulum", .method = "rattle", .h = 0.01, .steps = 30, .varied = { RATE(0, 0.1, 1) } },
    { .model = "damped-pendulum", .method = "rattle", .h = 0.01, .steps = 30, .varied = { RATE(0, 0.1, 1) } },
    { .model = "damped-pendulum", .method = "em", .h = 0.01, .steps = 30, .varied = { RATE(0, 0.1, 1) } },
    { .model = "heavy-top", .method = "rattle", .h = 0.01, .steps = 10, .varied = { RATE(1, 0.1, 0.2) } },
    { .model = "henon-heiles", .method = "lobatto:s=2", .h = 0.1, .steps = 30, .varied = { RATE(0, 0.1, 0.3) } },
    { .model = "spring-pendulum", .method = "galerkin", .h = 0.02, .steps = 20, .varied = { RATE(0, 0.1, 0.3) } },
    { .model = DSP, .method = "naive:rk4", .h = 0.01, .steps = 10, .varied = { RATE(0, 2, 4) } },
};

/* Of all cases; returns how many were not left to the interpreter. */
static size_t check_all(executor_kind on, size_t count, size_t checked, int native)
{
    size_t served = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ensemble_run r;
        open_ensemble(&cases[k], count, &r);
        executor *e = create_executor(&cases[k], &r, on, 2, native);
        run_ensemble(&cases[k], &r, e);
        for (size_t i = 0; i < checked; i++) check_member(&cases[k], &r, i * (count - 1) / (checked - 1));
        assert_true((taut_executor_on(e) == on) == (*taut_executor_note(e) == 0));
        served += taut_executor_on(e) == on;
        taut_executor_destroy(e);
        close_ensemble(&r);
    }
    return served;
}

static void interpreter_has_the_bits_of_single_runs(void **unused)
{
    (void)unused;
    check_all(EXECUTOR_INTERPRETER, 5, 5, TAUT_NATIVE_DEFAULT);
}

static void lanes_have_the_bits_of_single_runs(void **unused)
{
    (void)unused;
    assert_true(check_all(EXECUTOR_LANES, 37, 7, TAUT_NATIVE_DEFAULT) >= 8);
}

static void gpu_has_the_bits_of_single_runs(void **unused)
{
    (void)unused;
    if (!getenv("TAUT_TEST_FAKE_CUDA")) skip();
    assert_true(check_all(EXECUTOR_GPU, 70, 5, TAUT_NATIVE_DEFAULT) >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreter_has_the_bits_of_single_runs),
        cmocka_unit_test(lanes_have_the_bits_of_single_runs),
        cmocka_unit_test(gpu_has_the_bits_of_single_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
