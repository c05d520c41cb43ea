/* A clone made in the middle of a run goes on with the bits of the original: state, frames, account and what is
 * watched, for every method of the catalogue, lowered and not, after an odd and an even number of steps (rattle
 * exchanges two states in each). The clones run in threads of their own, beside the original; under ThreadSanitizer
 * nothing that they share is written. */
#include "support.h"
#include "support_allocator.h"

#include <limits.h>
#include <pthread.h>

enum { BEFORE = QUAD ? 2 : 6, AFTER = QUAD ? 3 : 9, CLONES = 2 };

typedef struct {
    const char *model, *method;
    double h;
    const char *links;           /* N of the chain; NULL: the model has none */
} example;

static const example examples[] = {
    { "double-spherical-pendulum", "rattle", 0.01, NULL },
    { "double-spherical-pendulum", "shake", 0.01, NULL },
    { "double-spherical-pendulum", "lobatto:s=3", 0.01, NULL },
    { "double-spherical-pendulum", "galerkin:LGL,m=3", 0.01, NULL },
    { "double-spherical-pendulum", "del", 0.01, NULL },
    { "double-spherical-pendulum", "euler", 0.01, NULL },
    { "double-spherical-pendulum", "compose:euler,order=4", 0.01, NULL },
    { "double-spherical-pendulum", "dirac:rk4", 0.01, NULL },
    { "double-spherical-pendulum", "dirac:gauss,s=2", 0.01, NULL },
    { "double-spherical-pendulum", "extended:midpoint", 0.01, NULL },
    { "double-spherical-pendulum", "naive:rkf45", 0.01, NULL },
    { "four-particles", "em", 0.01, NULL },
    { "four-particles", "em:project", 0.01, NULL },
    { "rigid-body", "em", 0.02, NULL },              /* by its Hamiltonian as a formula */
    { "slider-crank", "rattle", 0.0005, NULL },      /* mass matrix that depends on q */
    { "driven-pendulum", "rattle", 0.001, NULL },    /* work of the simulation */
    { "driven-pendulum", "em", 0.001, NULL },        /* and of the method */
    { "papers/jay-simeon-4.1", "rattle", 0.01, NULL },
    { "papers/double-spherical-pendulum-chart", "del", 0.01, NULL },
    { "papers/dirac-second-class", "dirac:gauss", 0.01, NULL },
    { "point-vortices", "dirac:rk4", 0.01, NULL },
    { "henon-heiles", "em", 0.1, NULL },
    { "nonholonomic/turntable", "rattle", 0.005, NULL },
    { "nonholonomic/turntable", "em", 0.005, NULL },
    { "nonholonomic/sleigh", "naive:gauss", 0.05, NULL },
    /* too large to be lowered */
    { "hanging-chain", "rattle", 0.001, "110" },
    { "damped-catenary", "rattle", 0.0005, "210" }, /* forces of velocity, too large to be lowered */
    { "hanging-chain", "shake", 0.001, "110" },
    { "hanging-chain", "lobatto:s=3", 0.001, "110" },
    { "hanging-chain", "galerkin:LGL,m=3", 0.001, "110" },
    { "hanging-chain", "del", 0.001, "110" },
    { "hanging-chain", "euler", 0.001, "110" },
    { "hanging-chain", "em", 0.001, "110" },
    { "hanging-chain", "compose:rattle,order=4", 0.001, "110" },
    { "hanging-chain", "dirac:rk4", 0.001, "110" },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* *m: as it was read; z->m may be one that was derived from it. */
static simulation *open_example(const example *e, model **m)
{
    char path[512];
    simulation *z = NULL;
    definition n = { "N", e->links, 0 };
    engine_options options = { .method = e->method, .native = TAUT_NATIVE_OFF };
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, e->model);
    int status = taut_model_read_file(context, path, &n, e->links != NULL, m);
    if (!status) status = X(simulation_create)(*m, &options, &z);
    if (status) fail_msg("%s, %s: %s", e->model, e->method, taut_error_text(context));
    return z;
}

static void close_example(simulation *z, model *m)
{
    taut_context *context = z->context;
    X(simulation_destroy)(z);
    taut_model_free(m);
    taut_context_destroy(context);
}

/* All that can be seen of a run, in one array. */
typedef struct {
    real *numbers;
    size_t count;
    int status;
    newton_counts work;
    long steps;
} trace;

static trace trace_create(const simulation *z)
{
    size_t row = 2 + X(state_size)(&z->x) + X(simulation_column_count)(z);
    trace t = { .count = AFTER * row + WATCH_LIMIT * (sizeof *z->watched / sizeof(real)) };
    t.numbers = calloc(t.count, sizeof(real));
    assert_non_null(t.numbers);
    return t;
}

static void go_on(simulation *z, real h, trace *t)
{
    real *at = t->numbers;
    size_t size = X(state_size)(&z->x);
    for (int n = 0; !t->status && n < AFTER; n++) {
        t->status = X(simulation_step)(z, h);
        *at++ = z->x.t, *at++ = z->x.t_low;
        memcpy(at, z->x.block, size * sizeof(real));
        at += size;
        if (!t->status) t->status = X(simulation_frame)(z, at);
        at += X(simulation_column_count)(z);
        X(simulation_watch)(z);
    }
    memcpy(at, z->watched, sizeof z->watched);
    t->steps = z->steps;
    t->work = X(simulation_counts)(z);
    newton_counts_add(&t->work, &z->work_before);
}

typedef struct {
    taut_context *context;
    simulation *z;
    real h;
    trace seen;
    pthread_t thread;
} worker;

static void *work(void *user)
{
    worker *w = user;
    go_on(w->z, w->h, &w->seen);
    return NULL;
}

static void clone_after(const example *e, int steps)
{
    model *m = NULL;
    simulation *z = open_example(e, &m);
    real h = taut_wide_from_double(e->h), *frame = calloc(X(simulation_column_count)(z), sizeof *frame),
         *again = calloc(X(simulation_column_count)(z), sizeof *again);
    worker clones[CLONES];
    assert_true(frame && again);
    for (int n = 0; n < steps; n++) {
        do_steps(z, 1, h);
        assert_int_equal(X(simulation_frame)(z, frame), TAUT_OK);
        X(simulation_watch)(z);
    }
    for (int k = 0; k < CLONES; k++) {
        worker *w = &clones[k];
        *w = (worker){ .context = taut_context_create(NULL), .h = h, .seen = trace_create(z) };
        assert_non_null(w->context);
        /* the second one is a clone of the first */
        int status = X(simulation_clone)(k ? clones[k - 1].z : z, w->context, &w->z);
        if (status) fail_msg("%s, %s: %s", e->model, e->method, taut_error_text(w->context));
        assert_memory_equal(w->z->x.block, z->x.block, X(state_size)(&z->x) * sizeof(real));
        assert_memory_equal(w->z->begin.block, z->begin.block, X(state_size)(&z->x) * sizeof(real));
        /* what was read off the state is known */
        assert_int_equal(X(simulation_frame)(w->z, again), TAUT_OK);
        assert_memory_equal(again, frame, X(simulation_column_count)(z) * sizeof *frame);
    }
    trace alone = trace_create(z);
    for (int k = 0; k < CLONES; k++)
        assert_int_equal(pthread_create(&clones[k].thread, NULL, work, &clones[k]), 0);
    go_on(z, h, &alone);
    assert_int_equal(alone.status, TAUT_OK);
    for (int k = 0; k < CLONES; k++) {
        pthread_join(clones[k].thread, NULL);
        const trace *seen = &clones[k].seen;
        assert_int_equal(seen->status, TAUT_OK);
        if (memcmp(seen->numbers, alone.numbers, alone.count * sizeof(real)))
            fail_msg("%s under %s, cloned after %d steps: other bits", e->model, e->method, steps);
        assert_int_equal(seen->steps, alone.steps);
        assert_memory_equal(&seen->work, &alone.work, sizeof alone.work);
    }
    /* both begin again from the same start */
    X(simulation_restart)(z), X(simulation_restart)(clones[0].z);
    do_steps(z, 1, h), do_steps(clones[0].z, 1, h);
    assert_memory_equal(clones[0].z->x.block, z->x.block, X(state_size)(&z->x) * sizeof(real));
    for (int k = CLONES; k-- > 0;) {
        X(simulation_destroy)(clones[k].z);
        taut_context_destroy(clones[k].context);
        free(clones[k].seen.numbers);
    }
    free(alone.numbers);
    free(frame), free(again);
    close_example(z, m);
}

static void same_bits(void **unused)
{
    (void)unused;
    for (int i = 0; i < EXAMPLES; i++) {
        if (QUAD && examples[i].links && strcmp(examples[i].method, "rattle") != 0) continue;
        for (int odd = 0; odd < 2; odd++) clone_after(&examples[i], BEFORE + odd);
    }
}

static void every_method(void **unused)
{
    (void)unused;
    for (int i = 0; i < X(method_count)(); i++) {
        const char *name = X(method_at)(i)->info->name;
        size_t length = strlen(name);
        int found = 0;
        for (int k = 0; k < EXAMPLES; k++)
            found |= strncmp(examples[k].method, name, length) == 0
                     && (examples[k].method[length] == 0 || examples[k].method[length] == ':');
        if (!found) fail_msg("no example has the method '%s'", name);
    }
}

/* Mode sets of contacts are compiled on the way, from a model that grows. */
static void not_with_contacts(void **unused)
{
    (void)unused;
    const example e = { "bouncing-ball", "rattle", 0.1, NULL };
    model *m = NULL;
    simulation *z = open_example(&e, &m), *clone = NULL;
    taut_context *own = taut_context_create(NULL);
    assert_int_equal(X(simulation_clone)(z, own, &clone), TAUT_UNSUPPORTED);
    assert_null(clone);
    assert_non_null(strstr(taut_error_text(own), "contacts"));
    taut_context_destroy(own);
    close_example(z, m);
}

/* Memory that runs out at any moment: it is said, nothing leaks, and the original goes on. */
static int clone_in(const simulation *z, counter *c)
{
    int status = TAUT_OUT_OF_MEMORY;
    const taut_allocator allocator = { counted_resize, c };
    taut_context *own = taut_context_create(&allocator);
    simulation *clone = NULL;
    if (own) {
        status = X(simulation_clone)(z, own, &clone);
        if (status)
            assert_null(clone);
        else
            assert_memory_equal(clone->x.block, z->x.block, X(state_size)(&z->x) * sizeof(real));
        X(simulation_destroy)(clone);
        taut_context_destroy(own);
    }
    assert_int_equal(c->live, 0);
    return status;
}

static void out_of_memory(void **unused)
{
    (void)unused;
    static const example some[] = {
        { "double-spherical-pendulum", "rattle", 0.01, NULL },
        { "double-spherical-pendulum", "em:project", 0.01, NULL },
        { "hanging-chain", "rattle", 0.001, "14" },  /* LDL */
        { "papers/jay-simeon-4.1", "compose:euler", 0.01, NULL },
        { "papers/dirac-second-class", "dirac:gauss", 0.01, NULL },
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        model *m = NULL;
        simulation *z = open_example(&some[i], &m);
        counter whole = { 0 };
        do_steps(z, 3, (real)some[i].h);
        assert_int_equal(clone_in(z, &whole), TAUT_OK);
        for (long k = 1; k <= whole.calls; k += 1 + whole.calls / 300) {
            counter one = { .fail_at = k, .fail_count = 1 }, all = { .fail_at = k, .fail_count = LONG_MAX };
            int status = clone_in(z, &one); /* an array that could not be made smaller does no harm */
            assert_true(status == TAUT_OUT_OF_MEMORY || status == TAUT_OK);
            assert_int_equal(one.failures, 1);
            assert_int_equal(clone_in(z, &all), TAUT_OUT_OF_MEMORY);
        }
        do_steps(z, 1, (real)some[i].h);
        close_example(z, m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_bits), cmocka_unit_test(every_method),
                                        cmocka_unit_test(not_with_contacts), cmocka_unit_test(out_of_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
