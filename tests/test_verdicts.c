/* One place says when an iteration ends (lower/iteration.h), and every executor does as it says. This file becomes two
   programs, one of them with other constants (changed_verdicts.h): each has the same bits in all executors, and the
   second one needs more iterations. */
#include "support_ensemble.h"

#define DSP "double-spherical-pendulum"
static const ensemble_case cases[] = {
    { .model = DSP, .method = "rattle", .h = 0.01, .steps = 20, .varied = { { VARY_RATE, NULL, 0, 2, 4 } } },
    { .model = DSP, .method = "compose:rattle,order=4", .h = 0.02, .steps = 10,
      .varied = { { VARY_RATE, NULL, 0, 2, 4 } } },
    { .model = "heavy-top", .method = "rattle", .h = 0.002, .steps = 10,
      .varied = { { VARY_PARAMETER, "spin", 0, 100, 160 } } },
};
enum { CASES = sizeof cases / sizeof *cases, MEMBERS = 20, ROOM = 200 };

typedef struct {
    double block[ROOM];
    newton_counts counts;
} outcome;

static void run_alone(const ensemble_case *c, int native, outcome *found)
{
    ensemble_run r;
    simulation *z = NULL;
    open_ensemble(c, 1, &r);
    const engine_options options = { .method = c->method, .step = (wide)c->h, .native = native };
    assert_int_equal(X(simulation_create)(r.m, &options, &z), TAUT_OK);
    for (long k = 0; k < c->steps; k++) assert_int_equal(X(simulation_step)(z, c->h), TAUT_OK);
    const size_t size = X(state_size)(&z->x);
    assert_true(size <= ROOM);
    *found = (outcome){ .counts = X(simulation_counts)(z) };
    memcpy(found->block, z->x.block, size * sizeof *found->block);
    X(simulation_destroy)(z);
    close_ensemble(&r);
}

static void interpreter_machine_code_and_c_agree(void **unused)
{
    static const int natives[] = { TAUT_NATIVE_AUTO, TAUT_NATIVE_ON };
    (void)unused;
    for (int k = 0; k < CASES; k++) {
        outcome first, other;
        run_alone(&cases[k], TAUT_NATIVE_OFF, &first);
        for (int i = 0; i < 2; i++) {
            run_alone(&cases[k], natives[i], &other);
            assert_memory_equal(other.block, first.block, sizeof first.block);
            assert_int_equal(other.counts.iterations, first.counts.iterations);
        }
    }
}

/* The pendulum's positions and velocities take a round each, or two. */
static void iterations_are_as_many_as_it_says(void **unused)
{
    outcome found;
    (void)unused;
    run_alone(&cases[0], TAUT_NATIVE_OFF, &found);
#ifdef CHANGED
    assert_true(found.counts.iterations >= 4 * cases[0].steps);
#else
    assert_true(found.counts.iterations <= 3 * cases[0].steps);
#endif
}

/* None of their steps is left to the general path, which would hide what they do. */
static void check(executor_kind on, int native)
{
    for (int k = 0; k < CASES; k++) {
        ensemble_run r;
        open_ensemble(&cases[k], MEMBERS, &r);
        executor *e = create_executor(&cases[k], &r, on, 1, native);
        run_ensemble(&cases[k], &r, e);
        assert_int_equal(taut_executor_on(e), on);
        for (size_t i = 0; i < MEMBERS; i++) {
            assert_int_equal(r.members[i].left, 0);
            check_member(&cases[k], &r, i);
        }
        taut_executor_destroy(e);
        close_ensemble(&r);
    }
}

static void lanes_agree(void **unused)
{
    (void)unused;
    check(EXECUTOR_LANES, TAUT_NATIVE_AUTO);
}

static void a_gpu_agrees(void **unused)
{
    (void)unused;
    if (!getenv("TAUT_TEST_FAKE_CUDA")) skip();
    check(EXECUTOR_GPU, TAUT_NATIVE_DEFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreter_machine_code_and_c_agree),
        cmocka_unit_test(iterations_are_as_many_as_it_says),
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(a_gpu_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
