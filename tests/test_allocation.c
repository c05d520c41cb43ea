/* Memory that runs out at any moment: load, system, start, ten steps and their frames, with the k-th allocation
   failing, and with every allocation from the k-th on failing. It is always said (TAUT_OUT_OF_MEMORY), nothing leaks,
   nothing crashes. Every k with TAUT_TEST_LONG=1, some three hundred a model otherwise. (KLU, AMD, MUMPS and LAPACK
   allocate on their own; these are not counted.) */
#include "run/engine.h"

#include "support_allocator.h"
#include "support_core.h"

enum { COLUMNS = 200 };

typedef struct {
    const char *name;
    double step;
    const char *method; /* NULL: rattle */
} example;

typedef struct {
    wide frame[COLUMNS];  /* the last one */
    long step_calls;      /* allocations in the steps and frames after the first ones */
} outcome;

static int steps(const engine_api *api, void *engine, double h, counter *c, outcome *out)
{
    int status = TAUT_OK;
    for (int n = 0; !status && n < 10; n++) {
        status = api->step(engine, h);
        if (!status) status = api->frame(engine, out->frame);
        if (!status) taut_engine_widen(api, out->frame, api->column_count(engine), out->frame);
        if (n == 0) out->step_calls = c->calls;
    }
    out->step_calls = c->calls - out->step_calls;
    return status;
}

static int load_and_run(const example *e, counter *c, outcome *out)
{
    const taut_allocator allocator = { counted_resize, c };
    const engine_api *api = &taut_engine_double;
    const engine_options options = { .method = e->method ? e->method : "rattle", .threads = 2 }; /* 2: with a pool */
    char path[512];
    model *m = NULL;
    void *engine = NULL;
    memset(out, 0, sizeof *out);
    taut_context *own = taut_context_create(&allocator);
    if (!own) return TAUT_OUT_OF_MEMORY;
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, e->name);
    int status = taut_model_read_file(own, path, NULL, 0, &m);
    if (!status) status = api->create(m, &options, &engine);
    if (!status) assert_true(api->column_count(engine) <= COLUMNS);
    if (!status) status = steps(api, engine, e->step, c, out);
    if (status && (status != TAUT_OUT_OF_MEMORY || !strstr(taut_error_text(own), "memory")))
        print_error("%s: status %d, '%s'\n", e->name, status, taut_error_text(own));
    if (status) assert_non_null(strstr(taut_error_text(own), "memory"));
    if (engine) api->destroy(engine);
    taut_model_free(m);
    taut_context_destroy(own);
    return status;
}

static const example examples[] = {
    { "double-spherical-pendulum", 0.01, NULL },
    { "triple-pendulum", 0.01, NULL },
    { "rigid-body", 0.01, NULL },
    { "driven-pendulum", 0.001, NULL },
    { "chain-molecule", 0.01, NULL },
    { "triple-pendulum", 0.01, "lobatto:s=3" },
    { "henon-heiles", 0.01, "lobatto:s=3" },
    { "papers/double-spherical-pendulum-chart", 0.01, "del" },
    { "rigid-body", 0.01, "shake" },
    { "papers/dirac-second-class", 0.01, "dirac:gauss" },
    { "point-vortices", 0.01, "dirac:rk4" },
    { "heavy-top", 0.001, "extended:gauss" },
    { "chain-molecule", 0.01, "dirac:rkf45,project=both" },
    { "papers/jay-simeon-4.1", 0.01, "euler" },
    { "triple-pendulum", 0.01, "euler:adjoint" },
    { "papers/jay-simeon-4.2", 0.01, "rattle" },
    { "double-spherical-pendulum", 0.01, "compose:euler,order=4" },
    { "driven-pendulum", 0.001, "em" },
    { "nonholonomic/turntable", 0.005, "rattle" },
    { "nonholonomic/snakeboard", 0.05, "em" },
    { "heavy-top", 0.001, "em" },
    { "triple-pendulum", 0.01, "em:project" },
    { "joints/revolute", 0.001, NULL },
    { "joints/plane", 0.001, NULL },
    /* with contacts, and events within the ten steps: these allocate when a phase is met first, and at impacts */
    { "bouncing-ball", 0.1, NULL },
    { "block-incline", 0.05, NULL },
    { "papers/cubic-surface", 0.12, NULL },
    { "newtons-cradle", 0.06, NULL },
    { "table-edge", 0.1, NULL },
    { "falling-chain", 0.04, NULL },
    { "rocking-block", 0.05, NULL },
    { "pyramid", 0.05, NULL },
    { "dice", 0.1, NULL },
};
enum { EXAMPLES = sizeof examples / sizeof *examples, WITH_CONTACTS = 9 };

static long stride(long calls)
{
    return getenv("TAUT_TEST_LONG") ? 1 : 1 + calls / 300;
}

static void every_allocation(long fail_count)
{
    for (int i = 0; i < EXAMPLES; i++) {
        counter whole = { 0 };
        outcome expected, found;
        assert_int_equal(load_and_run(&examples[i], &whole, &expected), TAUT_OK);
        assert_int_equal(whole.live, 0);
        for (long k = 1; k <= whole.calls; k += stride(whole.calls)) {
            counter c = { .fail_at = k, .fail_count = fail_count };
            int status = load_and_run(&examples[i], &c, &found);
            if (c.live) print_error("%s, allocation %ld: %ld blocks leak\n", examples[i].name, k, c.live);
            assert_int_equal(c.live, 0);
            /* Lua's tables grow by hashes whose seed is another each time: a few allocations more or less, and the last
               may not come. */
            assert_true(c.failures > 0 || k > whole.calls - 8);
            if (c.failures == 0) assert_int_equal(status, TAUT_OK);
            /* Lua collects its garbage and tries again when an allocation fails: a single failure may pass without
               harm, but then it must be without harm. */
            if (status || (fail_count > 1 && c.failures)) assert_int_equal(status, TAUT_OUT_OF_MEMORY);
            for (int n = 0; !status && n < COLUMNS; n++) {
                if (found.frame[n] != expected.frame[n])
                    print_error("%s, %s: allocation %ld of %ld fails unnoticed and changes the result\n",
                                examples[i].name, examples[i].method ? examples[i].method : "rattle", k, whole.calls);
                assert_true(found.frame[n] == expected.frame[n]);
            }
        }
    }
}

static void one_allocation_fails(void **state)
{
    (void)state;
    every_allocation(1);
}

static void all_allocations_fail_from_some_moment_on(void **state)
{
    (void)state;
    every_allocation(1000000000);
}

static void steps_do_not_allocate(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        counter c = { 0 };
        outcome out;
        assert_int_equal(load_and_run(&examples[i], &c, &out), TAUT_OK);
        assert_true(out.step_calls == 0 || i >= EXAMPLES - WITH_CONTACTS);
    }
}

/* ---- the check command's way ---- */

static void told_start(void *user, const char *name, wide value, int free)
{
    (void)user, (void)name, (void)value, (void)free;
}
static void told_redundant(void *user, uint32_t constraint, const char *on) { (void)user, (void)constraint, (void)on; }
static void told_conserved(void *user, const char *name) { (void)user, (void)name; }
static void told_method(void *user, const char *name, const char *refusal) { (void)user, (void)name, (void)refusal; }

static int load_and_check(const char *text, counter *c, engine_check *found)
{
    const taut_allocator allocator = { counted_resize, c };
    model *m = NULL;
    taut_context *own = taut_context_create(&allocator);
    if (!own) return TAUT_OUT_OF_MEMORY;
    int status = taut_model_read_text(own, "test.lua", text, strlen(text), NULL, 0, &m);
    if (!status)
        status = taut_engine_double.check(m, 0, found, told_start, told_redundant, told_conserved, told_method, NULL);
    taut_model_free(m);
    taut_context_destroy(own);
    return status;
}

static void check_runs_out_of_memory(void **state)
{
    (void)state;
#define POINTS "local a, b = point 'a', point 'b'; lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2 - a.z)\n"
    static const struct { const char *text; int status; uint32_t rank;
    } table[] = {
        /* a dependent constraint, so that all of check is seen; and a singular position */
        { POINTS
          "constraint('one', norm2(a) - 1); constraint('two', norm2(a - b) - 1); constraint('three', 2*norm2(a) - 2)\n"
          "observe('height', a.z); start { a = {1, 0, 0}, b = {2, 0, 0} }",
          TAUT_OK, 2 },
        { POINTS
          "constraint('one', norm2(a) - 1); constraint('two', norm2(a - {2, 0, 0}) - 1)\n"
          "start { a = {1, 0, 0}, b = {2, 0, 0} }",
          TAUT_SINGULAR, 1 },
        /* contradictory ones, and a start from which the nearest consistent one has to be searched for: all of a failed
           start */
        { POINTS "constraint('one', norm2(a) - 1); constraint('two', norm2(a) - 2); start { a = {free(1), 0, 0}, b = "
                 "{2, 0, 0} }",
          TAUT_BAD_MODEL, 2 },
        { POINTS "constraint('one', norm2(a) - 1); start { a = {0, 0, 0}, b = {2, 0, 0} }", TAUT_BAD_MODEL, 1 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *text = table[i].text;
        counter whole = { 0 };
        engine_check expected, found;
        assert_int_equal(load_and_check(text, &whole, &expected), TAUT_OK);
        assert_int_equal(whole.live, 0);
        assert_int_equal(expected.rank, table[i].rank);
        assert_int_equal(expected.start_status, table[i].status);
        for (long k = 1; k <= whole.calls; k += stride(whole.calls))
            for (int all = 0; all < 2; all++) {
                counter c = { .fail_at = k, .fail_count = all ? 1000000000 : 1 };
                int status = load_and_check(text, &c, &found);
                if (c.live || (status != TAUT_OUT_OF_MEMORY && all && c.failures))
                    print_error("allocation %ld: status %d, %ld leak\n", k, status, c.live);
                assert_int_equal(c.live, 0);
                if (status == TAUT_OK && (!all || (c.failures == 0 && k > whole.calls - 8))) {
                    assert_int_equal(found.rank, table[i].rank);
                    assert_int_equal(found.start_status, table[i].status);
                } else
                    assert_int_equal(status, TAUT_OUT_OF_MEMORY);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_allocation_fails), cmocka_unit_test(all_allocations_fail_from_some_moment_on),
        cmocka_unit_test(steps_do_not_allocate), cmocka_unit_test(check_runs_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
