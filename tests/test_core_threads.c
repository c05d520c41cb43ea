/* Many threads, one plan: a model is compiled once, and every thread makes steps with a share of it, in a context of
 * its own. The bits are those of one thread alone. Under ThreadSanitizer (make check builds this program with it)
 * nothing that is shared is written. */
#include "support_method.h"

#include <pthread.h>

enum { THREADS = 4, STEPS = QUAD ? 4 : 25 };

typedef struct {
    const simulation *plan;
    const method_spec *spec;
    real h;
    int status;
    size_t size;
    real *end;                   /* the last state, all of its numbers */
    pthread_t thread;
} worker;

static int steps_on(struct system *s, const simulation *plan, const method_spec *spec, real h, real *end)
{
    method m = { 0 };
    state x = { 0 };
    int status = X(state_create)(s, &x);
    if (!status) X(state_copy)(&plan->begin, &x);
    if (!status) status = X(method_create)(s, spec, 0, &m);
    for (int i = 0; !status && i < STEPS; i++) status = X(method_step)(&m, &x, h);
    if (!status) memcpy(end, x.block, X(state_size)(&x) * sizeof(real));
    X(method_destroy)(&m);
    X(state_clear)(s, &x);
    return status;
}

static void *work(void *user)
{
    worker *w = user;
    taut_context *own = NULL;
    struct system *s = NULL;
    own = taut_context_create(NULL);
    w->status = own ? X(system_share)(w->plan->s, own, &s) : TAUT_OUT_OF_MEMORY;
    if (!w->status) w->status = steps_on(s, w->plan, w->spec, w->h, w->end);
    X(system_destroy)(s);
    taut_context_destroy(own);
    return NULL;
}

static const struct {
    const char *model, *method;
    double h;
} cases[] = {
    { "double-spherical-pendulum", "rattle", 0.01 },
    { "double-spherical-pendulum", "lobatto:s=3", 0.01 },
    { "double-spherical-pendulum", "galerkin:LGL,m=3", 0.01 },
    { "double-spherical-pendulum", "del", 0.01 },
    { "double-spherical-pendulum", "shake", 0.01 },
    { "double-spherical-pendulum", "euler", 0.01 },
    { "double-spherical-pendulum", "compose:rattle,order=4", 0.01 },
    { "double-spherical-pendulum", "dirac:rk4", 0.01 },
    { "double-spherical-pendulum", "dirac:gauss,s=2", 0.01 },
    { "double-spherical-pendulum", "extended:midpoint", 0.01 },
    { "rigid-body", "em", 0.02 },            /* by its Hamiltonian as a formula */
    { "four-particles", "em:project", 0.01 },
    { "slider-crank", "rattle", 0.0005 },    /* mass matrix that depends on q */
    { "damped-pendulum", "rattle", 0.01 },   /* forces of velocities */
    { "papers/jay-simeon-4.1", "rattle", 0.01 },
    { "papers/double-spherical-pendulum-chart", "del", 0.01 },
    { "henon-heiles", "em", 0.1 },
    { "hanging-chain", "rattle", 0.001 },
};

static void one_plan(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        simulation *z = open_with(cases[i].model, cases[i].method);
        size_t size = X(state_size)(&z->x);
        method_spec spec;
        assert_int_equal(X(method_parse)(z->m->context, cases[i].method, &spec), TAUT_OK);
        worker workers[THREADS];
        real *alone = calloc(size, sizeof *alone), h = taut_wide_from_double(cases[i].h);
        assert_int_equal(steps_on(z->s, z, &spec, h, alone), TAUT_OK);
        for (int k = 0; k < THREADS; k++) {
            workers[k] = (worker){ .plan = z, .spec = &spec, .h = h, .size = size, .end = calloc(size, sizeof(real)) };
            assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            pthread_join(workers[k].thread, NULL);
            assert_int_equal(workers[k].status, TAUT_OK);
            if (memcmp(workers[k].end, alone, size * sizeof(real)))
                fail_msg("%s under %s: thread %d ends in other bits", cases[i].model, cases[i].method, k);
            free(workers[k].end);
        }
        free(alone);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_plan) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
