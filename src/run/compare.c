#include "run/compare.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "run/plan.h"

typedef struct {
    model *m;
    const engine_api *api, *reference_api;
    const compare_options *options;
    compare_result *result;
    wide *solutions;   /* per row, and two more for the reference */
    size_t size;       /* 2n + c; 0 while no method has accepted the model */
    uint32_t n;
    pthread_mutex_t *frames; /* handed on by one thread at a time */
} table;

void taut_compare_result_clear(taut_context *context, compare_result *result)
{
    taut_mem_free(context, result->rows);
    *result = (compare_result){ 0 };
}

/* Steps and nothing else: the cost of a method. A short time is measured three times and the minimum taken, since the
   machine does other things too. */
static int time_steps(const table *z, void *engine, compare_row *row)
{
    long steps = taut_converge_step_count(row->step, z->options->until);
    wide h = z->options->until / steps;
    engine_counts before, after;
    int parts;
    long left_before, left;
    run_progress *progress = z->options->progress;
    int status = TAUT_OK;
    for (int time = 0; !status && (time == 0 || (time < 3 && row->seconds < 0.1)); time++) {
        z->api->restart(engine);
        z->api->counts(engine, &before);
        z->api->execution(engine, &parts, &left_before);
        progress_stage(progress, row->method, steps);
        double begun = clock_seconds();
        for (long k = 0; !status && k < steps; k++) {
            status = z->api->step(engine, h);
            progress_step(progress);
        }
        double used = clock_seconds() - begun;
        if (time == 0 || used < row->seconds) row->seconds = used;
        z->api->counts(engine, &after);
    }
    row->code = z->api->execution(engine, &parts, &left);
    row->general_steps = left - left_before;
    if (2 * row->general_steps > steps * parts) row->code = CODE_GENERAL;
    row->counts = (engine_counts){ .steps = steps,
                                   .work = { .iterations = after.work.iterations - before.work.iterations,
                                             .factorisations = after.work.factorisations - before.work.factorisations,
                                             .evaluations = after.work.evaluations - before.work.evaluations } };
    return status;
}

typedef struct {
    const table *z;
    int row;
    void *engine;
} watcher;

static int hand_on(void *user, const void *values, size_t count)
{
    const watcher *w = user;
    (void)count;
    pthread_mutex_lock(w->z->frames);
    const int status = w->z->options->frame(w->z->options->user, w->row, w->engine, values);
    pthread_mutex_unlock(w->z->frames);
    return status;
}

/* The same steps once more, watched. Frames are taken at steps that are watched anyway, so that the row does not
   depend on them. */
static int watch_steps(const table *z, taut_context *context, void *engine, compare_row *row)
{
    enum { SAMPLES = 20000 };
    watcher who = { z, (int)(row - z->result->rows), engine };
    run_options options = { .step = row->step, .until = z->options->until, .samples = SAMPLES, .user = &who };
    if (z->options->frame) {
        const long steps = taut_converge_step_count(row->step, z->options->until),
                   stride = taut_run_stride(steps, SAMPLES);
        options.every = stride * taut_run_stride(steps / stride, z->options->frames);
        options.frame = hand_on;
    }
    run_result watched_run;
    z->api->restart(engine);
    int status = taut_run_loop(context, z->api, engine, &options, &watched_run);
    const watched *w = watched_run.quantities;
    if (!status) {
        row->energy = WIDE(fmax)(w[0].highest - w[0].first, w[0].first - w[0].lowest);
        row->slope = w[0].slope;
        row->position = w[1].highest;
        row->velocity = w[2].highest;
        size_t end = watched_run.quantity_count - (size_t)z->api->balance(engine);
        for (size_t i = 3; i < end; i++)
            row->momentum = WIDE(fmax)(row->momentum, WIDE(fmax)(w[i].highest - w[i].first, w[i].first - w[i].lowest));
        row->has_momenta = end > 3;
    }
    taut_run_result_clear(context, &watched_run);
    return status;
}

/* The first method that accepts the model gives its size. */
static int make_room(table *z, void *engine)
{
    uint32_t c;
    if (z->size) return TAUT_OK;
    z->api->sizes(engine, &z->n, &c);
    z->size = 2 * (size_t)z->n + c;
    z->result->kinds = c ? 3 : 2;
    z->result->has_energy = z->api->energy_conserved(engine);
    z->result->has_balance = z->api->balance(engine);
    z->solutions = taut_mem_new(z->m->context, ((size_t)z->result->count + 2) * z->size, sizeof *z->solutions);
    return z->solutions ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static engine_options options_of(const table *z, int index)
{
    const compare_row *row = &z->result->rows[index];
    return (engine_options){ .method = row->method, .start = z->options->start, .step = row->step, .again = index > 0 };
}

/* Before threads fill the rows. */
static int make_room_first(table *z)
{
    int status = TAUT_OK;
    for (int i = 0; !status && !z->size && i < z->result->count; i++) {
        const engine_options e = options_of(z, i);
        void *engine = NULL;
        if (z->api->create(z->m, &e, &engine)) continue;
        status = make_room(z, engine);
        z->api->destroy(engine);
    }
    return status;
}

static int fill_row(void *self, int index, model *m)
{
    table *z = self;
    compare_row *row = &z->result->rows[index];
    const engine_options e = options_of(z, index);
    void *engine = NULL;
    int status = z->api->create(m, &e, &engine);
    row->refused = status != TAUT_OK;
    if (!status && make_room(z, engine)) status = TAUT_OUT_OF_MEMORY;
    wide *x = z->size ? z->solutions + (size_t)index * z->size : NULL;
    if (!status) status = time_steps(z, engine, row);
    if (!status) status = z->api->solution(engine, x, x + z->n, x + 2 * z->n);
    if (!status) status = watch_steps(z, m->context, engine, row);
    if (engine) z->api->destroy(engine);
    progress_part_done(z->options->progress);
    if (status == TAUT_OUT_OF_MEMORY) return status;
    if (status) snprintf(row->failure, sizeof row->failure, "%.511s", taut_error_text(m->context));
    return TAUT_OK;
}

/* The rows as converge sees them. */
static int measure_errors(table *z, const char *method)
{
    taut_context *context = z->m->context;
    const engine_options e = { .method = method, .start = z->options->start, .step = z->options->steps[0],
                               .again = 1 };
    const converge_options options = { .until = z->options->until, .count = z->result->count,
                                       .progress = z->options->progress };
    converge_result measured = { .count = z->result->count };
    void *engine = NULL, *reference = NULL;
    measured.rows = taut_mem_new(context, (size_t)measured.count, sizeof *measured.rows);
    int status = measured.rows ? z->api->create(z->m, &e, &engine) : TAUT_OUT_OF_MEMORY;
    if (!status) status = z->reference_api->create(z->m, &e, &reference);
    for (int i = 0; !status && i < measured.count; i++) {
        measured.rows[i].step = z->result->rows[i].step;
        snprintf(measured.rows[i].failure, sizeof measured.rows[i].failure, "%.255s", z->result->rows[i].failure);
    }
    if (!status)
        status = taut_converge_measure(context, z->api, engine, z->reference_api, reference, &options, z->solutions,
                                       &measured);
    for (int i = 0; !status && i < measured.count; i++) {
        memcpy(z->result->rows[i].error, measured.rows[i].error, sizeof measured.rows[i].error);
        memcpy(z->result->rows[i].limited, measured.rows[i].limited, sizeof measured.rows[i].limited);
    }
    if (!status) memcpy(z->result->reference_error, measured.reference_error, sizeof measured.reference_error);
    if (engine) z->api->destroy(engine);
    if (reference) z->reference_api->destroy(reference);
    taut_converge_result_clear(context, &measured);
    return status;
}

/* Without a reference the rest of the table is still valid. */
static int find_errors(table *z)
{
    compare_result *result = z->result;
    const char *method = NULL;
    for (int k = 0; k < CONVERGE_KINDS; k++) result->reference_error[k] = (wide)NAN;
    for (int i = 0; i < result->count; i++) {
        if (!method && !result->rows[i].failure[0]) method = result->rows[i].method;
        for (int k = 0; k < CONVERGE_KINDS; k++) result->rows[i].error[k] = (wide)NAN;
    }
    if (!method) return TAUT_OK;
    int status = measure_errors(z, method);
    if (status == TAUT_OUT_OF_MEMORY) return status;
    if (status)
        snprintf(result->reference_failure, sizeof result->reference_failure, "%.511s", taut_error_text(z->m->context));
    return TAUT_OK;
}

int taut_compare_run(model *m, const engine_api *api, const engine_api *reference_api, const compare_options *options,
                compare_result *result)
{
    pthread_mutex_t frames = PTHREAD_MUTEX_INITIALIZER;
    table z = { .m = m, .api = api, .reference_api = reference_api, .options = options, .result = result,
                .frames = &frames };
    *result = (compare_result){ .count = options->method_count * options->step_count, .kinds = 2 };
    result->rows = taut_mem_new(m->context, (size_t)result->count, sizeof *result->rows);
    int status = result->rows ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < result->count; i++) {
        result->rows[i].method = options->methods[i / options->step_count];
        result->rows[i].step = options->steps[i % options->step_count];
    }
    progress_parts(options->progress, result->count);
    if (!status && taut_crew_is_several(&options->crew, m)) status = make_room_first(&z);
    if (!status) status = taut_crew_run(&options->crew, m, result->count, fill_row, &z);
    for (int i = 0; !status && i < result->count; i++) /* the last one that reached the end */
        if (!result->rows[i].failure[0]) result->has_momenta = result->rows[i].has_momenta;
    if (!status) status = find_errors(&z);
    taut_mem_free(m->context, z.solutions);
    return status;
}
