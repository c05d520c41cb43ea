#include "ensemble/lyapunov.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/pool.h"
#include "ensemble/counter.h"
#include "run/engine.h"

typedef struct {
    taut_context *context;
    double *vector;          /* dq, then dp */
} worker;

struct lyapunov {
    taut_context *context;
    const model *m;
    executor_options options;
    char *method;
    executor_vary *vary;
    uint32_t n;              /* coordinates */
    pool *pool;
    worker *workers;
    int worker_count;
};

typedef struct {
    lyapunov *l;
    const executor_leg *legs;
    size_t leg_count, reads;
    const double *values;
    double *rows;
    int *statuses;
} job;

static const engine_api *const api = &taut_engine_double;

static engine_options options_of(const lyapunov *l, int again)
{
    const executor_options *o = &l->options;
    return (engine_options){ .method = l->method, .tolerance = o->tolerance, .start = o->start, .native = o->native,
                             .step = o->step, .time = o->time, .again = again };
}

/* The same for all members. */
static void begin_vector(double *vector, uint32_t n)
{
    for (uint32_t i = 0; i < 2 * n; i++) vector[i] = counter_uniform(counter_bits(0, i, 0, 0x400u)) - 0.5;
}

/* To length one; returns the length. */
static double normalise(double *vector, uint32_t n)
{
    double square = 0;
    for (uint32_t i = 0; i < 2 * n; i++) square += vector[i] * vector[i];
    const double length = TAUT_SQRT(square);
    for (uint32_t i = 0; i < 2 * n; i++) vector[i] /= length;
    return length;
}

/* The legs of a member that is at its start. */
static int follow(const job *j, worker *w, void *engine, double *row)
{
    const uint32_t n = j->l->n;
    double sum = 0, begun = 0;
    int status = TAUT_OK, counts = 0;
    begin_vector(w->vector, n);
    for (size_t k = 0, read = 0; !status && k < j->leg_count; k++) {
        const executor_leg *leg = &j->legs[k];
        for (long i = 0; !status && i < leg->steps; i++) {
            status = api->step_tangent(engine, leg->h, 1, w->vector, w->vector + n);
            const double length = normalise(w->vector, n);
            if (counts) sum += taut_math_log(length);
            else begun = (double)api->time(engine);
            counts = 1;
        }
        const double t = (double)api->time(engine);
        if (!status && leg->reads) row[read++] = t > begun && counts ? sum / (t - begun) : (double)NAN;
    }
    return status;
}

static void one_member(void *self, int index, int worker_index)
{
    const job *j = self;
    const lyapunov *l = j->l;
    worker *w = &l->workers[worker_index];
    const engine_options with = options_of(l, 1);
    model *m = NULL;
    void *engine = NULL;
    double *row = j->rows + (size_t)index * j->reads;
    for (size_t i = 0; i < j->reads; i++) row[i] = (double)NAN;
    taut_fail_forget(w->context);
    int status = taut_member_model(w->context, l->m, l->vary, l->options.vary_count,
                                   j->values + (size_t)index * l->options.vary_count, &m);
    if (!status) status = api->create(m, &with, &engine);
    if (!status) status = follow(j, w, engine, row);
    if (engine) api->destroy(engine);
    taut_model_free(m);
    j->statuses[index] = status;
}

int taut_lyapunov_run(lyapunov *l, const executor_leg *legs, size_t leg_count, size_t count, const double *values,
                      double *rows)
{
    job j = { .l = l, .legs = legs, .leg_count = leg_count, .values = values, .rows = rows };
    for (size_t i = 0; i < leg_count; i++) j.reads += legs[i].reads != 0;
    j.statuses = taut_mem_new(l->context, count + 1, sizeof *j.statuses);
    if (!j.statuses) return TAUT_OUT_OF_MEMORY;
    taut_pool_run(l->pool, (int)count, one_member, &j);
    int status = TAUT_OK; /* a member that failed has said so to its executor; without memory it has not */
    for (size_t i = 0; i < count; i++)
        if (j.statuses[i] == TAUT_OUT_OF_MEMORY) status = TAUT_OUT_OF_MEMORY;
    taut_mem_free(l->context, j.statuses);
    return status ? taut_fail(l->context, status, "out of memory for an exponent of a member") : TAUT_OK;
}

/* ---- made and destroyed ---- */

void taut_lyapunov_destroy(lyapunov *l)
{
    if (!l) return;
    taut_context *context = l->context;
    taut_pool_destroy(l->pool);
    for (int i = 0; l->workers && i < l->worker_count; i++) {
        if (!l->workers[i].context) continue;
        taut_mem_free(l->workers[i].context, l->workers[i].vector);
        taut_context_destroy(l->workers[i].context);
    }
    taut_mem_free(context, l->workers);
    taut_mem_free(context, l->vary);
    taut_mem_free(context, l->method);
    taut_mem_free(context, l);
}

/* Whether there is a tangent: of the model as it is. */
static int probe(lyapunov *l)
{
    model *m = NULL;
    void *engine = NULL;
    uint32_t constraints;
    const engine_options with = options_of(l, 1);
    int status = taut_model_copy(l->context, l->m, &m);
    if (!status) status = api->create(m, &with, &engine);
    double *vector = NULL;
    if (!status) {
        api->sizes(engine, &l->n, &constraints);
        vector = taut_mem_new(l->context, 2 * (size_t)l->n + 1, sizeof *vector);
        if (!vector) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) {
        begin_vector(vector, l->n);
        status = api->tangent(engine, l->options.step, 1, vector, vector + l->n);
    }
    taut_mem_free(l->context, vector);
    if (engine) api->destroy(engine);
    taut_model_free(m);
    return status;
}

static int create_workers(lyapunov *l)
{
    const int wanted = l->options.threads > 1 && !taut_context_has_allocator(l->context) ? l->options.threads : 1;
    int status = taut_pool_create(l->context, wanted, &l->pool);
    if (status) return status;
    l->worker_count = l->pool ? taut_pool_threads(l->pool) : 1;
    l->workers = taut_mem_new(l->context, (size_t)l->worker_count, sizeof *l->workers);
    for (int i = 0; l->workers && i < l->worker_count; i++) {
        worker *w = &l->workers[i];
        w->context = taut_context_create(taut_context_allocator(l->context));
        w->vector = w->context ? taut_mem_new(w->context, 2 * (size_t)l->n + 1, sizeof *w->vector) : NULL;
        if (!w->vector) return taut_fail(l->context, TAUT_OUT_OF_MEMORY, "out of memory for a thread of the ensemble");
    }
    return l->workers ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

int taut_lyapunov_create(const model *m, const executor_options *options, lyapunov **result)
{
    taut_context *context = m->context;
    lyapunov *l = taut_mem_new(context, 1, sizeof *l);
    *result = NULL;
    if (!l) return TAUT_OUT_OF_MEMORY;
    l->context = context;
    l->m = m;
    l->options = *options;
    l->method = taut_mem_text(context, options->method);
    l->vary = taut_mem_new(context, options->vary_count + 1, sizeof *l->vary);
    int status = l->method && l->vary ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status && options->vary_count) memcpy(l->vary, options->vary, options->vary_count * sizeof *l->vary);
    if (!status) status = probe(l);
    if (!status) status = create_workers(l);
    if (status)
        taut_lyapunov_destroy(l);
    else
        *result = l;
    return status;
}
