/* Members of ensembles have the bits of single runs. */
#include "support_allocator.h"
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
    { .model = "pendulum", .method = "rattle", .h = 0.01, .steps = 30, .varied = { PARAMETER("g", 5, 15) } },
    { .model = "driven-pendulum", .method = "rattle", .h = 0.01, .steps = 30,
      .varied = { PARAMETER("w", 150, 250), PARAMETER("A", 0.01, 0.03) } },
    { .model = "driven-pendulum", .method = "em", .h = 0.002, .steps = 30, .varied = { PARAMETER("w", 150, 250) } },
    { .model = "damped-pendulum", .method = "rattle", .h = 0.01, .steps = 30, .varied = { PARAMETER("c", 0.1, 1) } },
    { .model = "damped-pendulum", .method = "em", .h = 0.01, .steps = 30, .varied = { RATE(1, 0.1, 1) } },
    { .model = "heavy-top", .method = "rattle", .h = 0.002, .steps = 10, .varied = { PARAMETER("spin", 100, 160) } },
    { .model = "heavy-top", .method = "lobatto:s=2", .h = 0.002, .steps = 10,
      .varied = { PARAMETER("spin", 100, 160) } },
    { .model = "rigid-body", .method = "rattle", .h = 0.01, .steps = 10, .varied = { PARAMETER("I1", 0.9, 1.9) } },
    { .model = "henon-heiles", .method = "lobatto:s=2", .h = 0.1, .steps = 30, .varied = { RATE(0, 0.1, 0.3) } },
    { .model = "spring-pendulum", .method = "galerkin", .h = 0.02, .steps = 20, .varied = { PARAMETER("g", 0.5, 2) } },
    { .model = "henon-heiles", .method = "naive:rk4", .h = 0.1, .steps = 30, .varied = { RATE(0, 0.1, 0.3) } },
    { .model = DSP, .method = "naive:rk4", .h = 0.01, .steps = 10, .varied = { RATE(0, 2, 4) } },
};

/* Of all cases; returns how many were not left to the interpreter, with rows_least those whose rows were read
   together. */
static size_t check_all(executor_kind on, size_t count, size_t checked, int native, size_t rows_least)
{
    size_t served = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ensemble_run r;
        open_ensemble(&cases[k], count, &r);
        r.rows_least = rows_least;
        executor *e = create_executor(&cases[k], &r, on, 2, native);
        run_ensemble(&cases[k], &r, e);
        for (size_t i = 0; i < count; i++) assert_int_equal(r.members[i].status, TAUT_OK);
        for (size_t i = 0; i < checked; i++) check_member(&cases[k], &r, i * (count - 1) / (checked - 1));
        assert_true((taut_executor_on(e) == on) == (*taut_executor_note(e) == 0));
        served += taut_executor_on(e) == on && (!rows_least || taut_executor_reads_together(e));
        taut_executor_destroy(e);
        close_ensemble(&r);
    }
    return served;
}

static void interpreter_has_the_bits_of_single_runs(void **unused)
{
    (void)unused;
    check_all(EXECUTOR_INTERPRETER, 5, 5, TAUT_NATIVE_DEFAULT, 0);
}

static void lanes_have_the_bits_of_single_runs(void **unused)
{
    (void)unused;
    assert_true(check_all(EXECUTOR_LANES, 37, 7, TAUT_NATIVE_AUTO, 0) >= 8);
}

static void gpu_has_the_bits_of_single_runs(void **unused)
{
    (void)unused;
    if (!getenv("TAUT_TEST_FAKE_CUDA")) skip();
    assert_true(check_all(EXECUTOR_GPU, 70, 5, TAUT_NATIVE_DEFAULT, 1) >= 8);
}

/* Kernels that believe only what exceeds its bound four times, or nothing: steps that single precision does not decide
   are made by the exact ones. */
static void steps_that_rough_sizes_do_not_decide_have_the_same_bits(void **unused)
{
    (void)unused;
    if (!getenv("TAUT_TEST_FAKE_CUDA")) skip();
    static const char *const doubts[] = { "UNSURE 0.75f", "UNSURE 1" };
    for (int i = 0; i < 2; i++) {
        setenv("TAUT_FAKE_DEFINE", doubts[i], 1);
        const size_t checked = check_all(EXECUTOR_GPU, 20, 5, TAUT_NATIVE_DEFAULT, 1);
        unsetenv("TAUT_FAKE_DEFINE");
        assert_true(checked >= 8);
    }
}

/* States of members on the GPU. */
static void run_on_gpu(const ensemble_case *c, int fast, ensemble_run *r)
{
    open_ensemble(c, 20, r);
    r->fast = fast;
    executor *e = create_executor(c, r, EXECUTOR_GPU, 2, TAUT_NATIVE_DEFAULT);
    run_ensemble(c, r, e);
    taut_executor_destroy(e);
}

/* The largest difference of a position or a momentum, relative to the largest of its member. */
static double largest_difference(const ensemble_run *a, const ensemble_run *b)
{
    double most = 0;
    for (size_t i = 0; i < a->count; i++) {
        const double *x = a->states + i * a->state_size + 2, *y = b->states + i * b->state_size + 2;
        double scale = 0, error = 0;
        assert_true(a->members[i].status == TAUT_OK && b->members[i].status == TAUT_OK);
        for (uint32_t k = 0; k < 2 * a->m->coordinate_count; k++) {
            assert_true(isfinite(x[k]) && isfinite(y[k]));
            scale = fmax(scale, fabs(x[k])), error = fmax(error, fabs(x[k] - y[k]));
        }
        most = fmax(most, error / scale);
    }
    return most;
}

/* Fast steps add in another order, and what sums leave over is lost: they differ by rounding errors, and no more. */
static void fast_steps_differ_by_rounding_errors(void **unused)
{
    (void)unused;
    if (!getenv("TAUT_TEST_FAKE_CUDA")) skip();
    size_t others = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ensemble_run exact, fast;
        if (cases[k].tolerance > 0) continue; /* what it allows is more than rounding errors */
        run_on_gpu(&cases[k], 0, &exact), run_on_gpu(&cases[k], 1, &fast);
        const double difference = largest_difference(&exact, &fast);
        print_message("%s %s: %g\n", cases[k].model, cases[k].method, difference);
        assert_true(difference < 1e-12);
        others += difference > 0;
        close_ensemble(&exact), close_ensemble(&fast);
    }
    assert_true(others > 5);
}

static void rows_that_are_read_together_have_the_bits_of_single_runs(void **unused)
{
    (void)unused;
    assert_true(check_all(EXECUTOR_LANES, 37, 7, TAUT_NATIVE_AUTO, 1) >= 8);
}

/* Columns that are chosen again, some of them numbers of the state alone, and in another order than in a frame. */
static void other_columns_can_be_chosen(void **unused)
{
    (void)unused;
    const ensemble_case *c = &cases[1];
    const int last = getenv("TAUT_TEST_FAKE_CUDA") ? EXECUTOR_GPU : EXECUTOR_LANES;
    static const size_t choices[][4] = { { 0, 3, 1, 13 }, { 24, 0, 2, 21 }, { 1, 2, 3, 4 } };
    for (int on = EXECUTOR_LANES; on <= last; on++) {
        ensemble_run r;
        open_ensemble(c, 21, &r);
        r.rows_least = 1;
        executor *e = create_executor(c, &r, (executor_kind)on, 2, TAUT_NATIVE_AUTO);
        run_ensemble(c, &r, e);
        for (int k = 0; k < 3; k++) {
            double rows[21][READS][4];
            executor_leg legs[4];
            fill_legs(c, legs);
            assert_int_equal(taut_executor_choose(e, choices[k], 4), TAUT_OK);
            assert_int_equal(taut_executor_run(e, legs, 4, 21, r.values, NULL, rows[0][0], r.members, NULL), TAUT_OK);
            for (size_t i = 0; i < 21; i++)
                for (size_t a = 0; a < READS * 4; a++)
                    assert_memory_equal(&rows[i][a / 4][a % 4],
                                        &r.rows[(i * READS + a / 4) * r.columns + choices[k][a % 4]], sizeof(double));
        }
        taut_executor_destroy(e);
        close_ensemble(&r);
    }
}

/* Steps that are far too long for some members: their iterations fail, here or there, and the others go on. Starts that
   the constraints do not allow. */
static const ensemble_case hard[] = {
    { .model = DSP, .method = "rattle", .h = 0.35, .steps = 25, .varied = { RATE(0, 0.1, 12), RATE(4, 0.1, 14) } },
    { .model = DSP, .method = "em", .h = 0.35, .steps = 25, .varied = { RATE(0, 0.1, 12), RATE(4, 0.1, 14) } },
    { .model = DSP, .method = "compose:rattle,order=4", .h = 0.35, .steps = 15,
      .varied = { RATE(0, 0.1, 12), PARAMETER("m2", 0.5, 20) } },
    { .model = DSP, .method = "rattle", .h = 0.02, .steps = 15,
      .varied = { POSITION(0, 3, 4.5), PARAMETER("m1", 1, 2) } },
};

typedef struct {
    size_t failed, left, ended;
} ends;

static void check_hard_case(const ensemble_case *c, executor_kind on, int native, size_t rows_least, ends *found)
{
    ensemble_run r;
    open_ensemble(c, 26, &r);
    r.rows_least = rows_least;
    executor *e = create_executor(c, &r, on, 2, native);
    run_ensemble(c, &r, e);
    for (size_t i = 0; i < r.count; i++) {
        check_member(c, &r, i);
        found->failed += r.members[i].status != TAUT_OK;
        found->ended += r.members[i].status == TAUT_OK;
        found->left += r.members[i].left > 0;
    }
    assert_int_equal(taut_executor_on(e), on);
    taut_executor_destroy(e);
    close_ensemble(&r);
}

static void check_hard(executor_kind on, int native, size_t rows_least)
{
    ends found = { 0 };
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++)
        check_hard_case(&hard[k], on, native, rows_least, &found);
    assert_true(found.failed > 5 && found.ended > 5); /* most of either kind are far from the boundary */
    if (on != EXECUTOR_INTERPRETER) assert_true(found.left > 0);
}

/* Vectors of all lengths that any processor has, and pairs of the longest: compilers make shorter ones of them. */
static void any_number_of_lanes_gives_the_same(void **unused)
{
    (void)unused;
    ends found = { 0 };
    for (int lanes = 2; lanes <= 16; lanes *= 2) {
        ensemble_case c = hard[lanes == 4 || lanes == 16];
        c.lanes = lanes;
        check_hard_case(&c, EXECUTOR_LANES, TAUT_NATIVE_AUTO, 1, &found);
    }
    assert_true(found.failed > 5 && found.ended > 5 && found.left > 0);
}

static void members_that_fail_are_told_and_the_others_go_on(void **unused)
{
    (void)unused;
    check_hard(EXECUTOR_INTERPRETER, TAUT_NATIVE_DEFAULT, 0);
    check_hard(EXECUTOR_LANES, TAUT_NATIVE_AUTO, 0);
    check_hard(EXECUTOR_LANES, TAUT_NATIVE_AUTO, 1);
    if (getenv("TAUT_TEST_FAKE_CUDA")) check_hard(EXECUTOR_GPU, TAUT_NATIVE_DEFAULT, 0);
}

/* A run that goes on from states of another one. */
static void states_are_all_that_a_member_is(void **unused)
{
    (void)unused;
    const ensemble_case *c = &cases[1];
    for (int on = EXECUTOR_INTERPRETER; on <= EXECUTOR_LANES; on++) {
        ensemble_run r;
        open_ensemble(c, 19, &r);
        executor *e = create_executor(c, &r, (executor_kind)on, 1, TAUT_NATIVE_AUTO);
        const executor_leg legs[] = { { .h = (wide)c->h, .steps = 30 }, { .h = (wide)c->h, .steps = 13 } };
        const size_t size = r.count * r.state_size;
        double *half = calloc(size, sizeof *half);
        assert_int_equal(taut_executor_run(e, legs, 2, r.count, r.values, NULL, NULL, r.members, r.states), TAUT_OK);
        assert_int_equal(taut_executor_run(e, legs, 1, r.count, r.values, NULL, NULL, r.members, half), TAUT_OK);
        assert_int_equal(taut_executor_run(e, legs + 1, 1, r.count, r.values, half, NULL, r.members, half), TAUT_OK);
        assert_memory_equal(half, r.states, size * sizeof *half);
        free(half);
        taut_executor_destroy(e);
        close_ensemble(&r);
    }
}

/* Created and run, in a context whose allocations fail as the counter says, once the model is there (Lua survives
   some). */
static int run_counted(executor_kind on, counter *c, double *rows)
{
    const taut_allocator allocator = { counted_resize, c };
    const executor_vary vary[] = { { VARY_PARAMETER, 1 }, { VARY_RATE, 0 } };
    const double values[] = { 2, 3, 2.5, 3.1, 1, 2.9 }; /* three members */
    const executor_options options = { .on = on, .method = "rattle", .native = TAUT_NATIVE_AUTO, .vary = vary,
                                       .vary_count = 2, .rows_least = 1 };
    const executor_leg legs[] = { { .h = 1 / (wide)64, .steps = 5, .reads = 1 } };
    const size_t columns[] = { 1, 2, 24 };
    executor_member found[3];
    char path[512];
    model *m = NULL;
    executor *e = NULL;
    const long fail_at = c->fail_at;
    c->fail_at = 0;
    taut_context *context = taut_context_create(&allocator);
    assert_non_null(context);
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, DSP);
    int status = taut_model_read_file(context, path, NULL, 0, &m);
    c->calls = 0, c->failures = 0, c->fail_at = fail_at;
    if (!status) status = taut_executor_create(m, &options, &e);
    if (!status) status = taut_executor_choose(e, columns, 3);
    if (!status) status = taut_executor_run(e, legs, 1, 3, values, NULL, rows, found, NULL);
    if (status) assert_non_null(strstr(taut_error_text(context), "memory"));
    taut_executor_destroy(e);
    taut_model_free(m);
    taut_context_destroy(context);
    return status;
}

/* With the k-th allocation failing: it is said, nothing leaks and nothing crashes. */
static void memory_that_runs_out_is_told(void **unused)
{
    long told = 0, failed = 0;
    (void)unused;
    for (int on = EXECUTOR_INTERPRETER; on <= EXECUTOR_LANES; on++) {
        counter all = { 0 };
        double first[9], rows[9];
        assert_int_equal(run_counted((executor_kind)on, &all, first), TAUT_OK);
        assert_int_equal(all.live, 0);
        const long stride = getenv("TAUT_TEST_LONG") ? 1 : all.calls / 150 + 1;
        for (long k = 1; k <= all.calls; k += stride) {
            counter c = { .fail_at = k, .fail_count = 1 };
            const int status = run_counted((executor_kind)on, &c, rows);
            assert_true(status == TAUT_OK || status == TAUT_OUT_OF_MEMORY);
            /* memory that could not be given back does no harm */
            if (!status) assert_memory_equal(rows, first, sizeof first);
            told += status != TAUT_OK, failed += c.failures;
            assert_int_equal(c.live, 0);
        }
    }
    assert_true(failed > 100 && 10 * told > 9 * failed);
}

static void a_gpu_that_is_missing_is_said_to_be(void **unused)
{
    (void)unused;
    ensemble_run r;
    open_ensemble(&cases[0], 1, &r);
    executor *e;
    const executor_options options = { .on = EXECUTOR_GPU, .method = "rattle" };
    if (getenv("TAUT_TEST_FAKE_CUDA")) setenv("TAUT_FAKE_NO_DEVICE", "1", 1);
    const int status = taut_executor_create(r.m, &options, &e);
    unsetenv("TAUT_FAKE_NO_DEVICE");
    if (status) assert_int_equal(status, TAUT_UNSUPPORTED);
    if (status) assert_true(strlen(taut_error_text(r.context)) > 20);
    if (getenv("TAUT_TEST_FAKE_CUDA")) assert_non_null(strstr(taut_error_text(r.context), "no CUDA-capable device"));
    taut_executor_destroy(e);
    close_ensemble(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreter_has_the_bits_of_single_runs),
        cmocka_unit_test(lanes_have_the_bits_of_single_runs),
        cmocka_unit_test(gpu_has_the_bits_of_single_runs),
        cmocka_unit_test(steps_that_rough_sizes_do_not_decide_have_the_same_bits),
        cmocka_unit_test(fast_steps_differ_by_rounding_errors),
        cmocka_unit_test(rows_that_are_read_together_have_the_bits_of_single_runs),
        cmocka_unit_test(other_columns_can_be_chosen),
        cmocka_unit_test(members_that_fail_are_told_and_the_others_go_on),
        cmocka_unit_test(any_number_of_lanes_gives_the_same),
        cmocka_unit_test(states_are_all_that_a_member_is),
        cmocka_unit_test(memory_that_runs_out_is_told),
        cmocka_unit_test(a_gpu_that_is_missing_is_said_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
