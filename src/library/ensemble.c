/* Ensembles: copies of a simulation that differ in some numbers, in several threads. Many members that nobody looks at
   on their way are computed in lanes (ensemble_lanes.c), with the bits of the single runs that all others are. */
#include "library/ensemble.h"

#include <stdio.h>

static int set_state(ensemble_worker *w, const double *values)
{
    const ensemble *e = w->e;
    taut_simulation *z = w->z;
    const size_t n = taut_count(z, TAUT_POSITION);
    int status = taut_get(z, TAUT_POSITION, 0, n, w->state, NULL);
    if (!status) status = taut_get(z, e->w_kind, 0, n, w->state + n, NULL);
    for (size_t k = 0; k < e->vary_count; k++) {
        if (e->vary[k].kind == TAUT_POSITION) w->state[e->vary[k].index] = values[k];
        if (e->vary[k].kind == e->w_kind) w->state[n + e->vary[k].index] = values[k];
    }
    if (status) return status;
    return taut_library_set_state(z, z->api->time(z->engine), w->state, e->w_kind, w->state + n, TAUT_STRICT);
}

/* All params of a member at once: the model is compiled once. */
static int set_params(ensemble_worker *w, const double *values)
{
    taut_simulation *z = w->z;
    for (size_t i = 0; i < z->input_count; i++) /* a hook may have set those of the member before */
        z->parameters[z->inputs[i]] = w->e->prototype->parameters[z->inputs[i]];
    for (size_t k = 0; k < w->e->vary_count; k++) {
        if (w->e->vary[k].kind != TAUT_PARAM) continue;
        const size_t at = z->params[w->e->vary[k].index];
        if (!(values[k] - values[k] == 0))
            return taut_fail(z->context, TAUT_NOT_FINITE, "param '%s' must be a finite number",
                             z->model->m->parameters[at].name);
        z->parameters[at] = taut_wide_from_double(values[k]);
        z->is_set[at] = 1;
    }
    return taut_library_rebuild(z);
}

int taut_ensemble_open(ensemble_worker *w, size_t member)
{
    const ensemble *e = w->e;
    const double *values = e->values + member * e->vary_count;
    int status = e->varies_param ? set_params(w, values) : taut_restore(w->z, e->saved, e->saved_size);
    for (size_t k = 0; !status && k < e->vary_count; k++)
        if (e->vary[k].kind == TAUT_INPUT) status = taut_set(w->z, TAUT_INPUT, e->vary[k].index, 1, &values[k]);
    return status || !e->varies_state ? status : set_state(w, values);
}

static void run_member(ensemble_worker *w, size_t i)
{
    ensemble *e = w->e;
    taut_run run = e->run;
    double *rows = e->rows ? e->rows + i * e->row_size : NULL;
    for (size_t k = 0; rows && k < e->row_size; k++) rows[k] = (double)NAN;
    run.rows = rows;
    int status = taut_ensemble_open(w, i);
    if (!status) status = taut_advance(w->z, &run);
    if (e->statuses) e->statuses[i] = status;
    if (!status || (w->status && w->failed < i)) return;
    w->failed = i;
    w->status = status;
    snprintf(w->message, sizeof w->message, "%s", taut_error_text(w->context));
}

static void one_member(void *self, int index, int worker)
{
    ensemble *e = self;
    const size_t member = e->first + (size_t)index;
    if (!e->done[member]) run_member(&e->workers[worker], member);
}

static int check(ensemble *e)
{
    const taut_simulation *z = e->prototype;
    e->w_kind = TAUT_VELOCITY;
    int kinds = 0;
    for (size_t k = 0; k < e->vary_count; k++) {
        const int kind = e->vary[k].kind;
        if ((kind != TAUT_PARAM && kind != TAUT_INPUT && kind != TAUT_POSITION && kind != TAUT_VELOCITY
             && kind != TAUT_MOMENTUM) || e->vary[k].index >= taut_count(z, kind))
            return taut_fail(z->context, TAUT_BAD_USAGE, "there is no number %zu of kind %d to vary", e->vary[k].index,
                             kind);
        e->varies_param |= kind == TAUT_PARAM;
        e->varies_state |= kind == TAUT_POSITION || kind == TAUT_VELOCITY || kind == TAUT_MOMENTUM;
        kinds |= kind == TAUT_VELOCITY ? 1 : kind == TAUT_MOMENTUM ? 2 : 0;
        if (kind == TAUT_MOMENTUM) e->w_kind = TAUT_MOMENTUM;
    }
    if (kinds == 3) return taut_fail(z->context, TAUT_BAD_USAGE, "velocities and momenta cannot both vary");
    if (e->run.file) return taut_fail(z->context, TAUT_BAD_USAGE, "an ensemble has no run file");
    return TAUT_OK;
}

static int create_worker(ensemble *e, ensemble_worker *w)
{
    taut_context *home = e->prototype->context;
    *w = (ensemble_worker){ .e = e, .context = taut_context_create(taut_context_allocator(home)) };
    if (!w->context) return taut_fail(home, TAUT_OUT_OF_MEMORY, "out of memory for a thread of the ensemble");
    int status = taut_simulation_clone(e->prototype, w->context, &w->z);
    if (!status) w->state = taut_mem_new(w->context, 2 * taut_count(w->z, TAUT_POSITION), sizeof *w->state);
    if (!status && !w->state) status = TAUT_OUT_OF_MEMORY;
    return status ? taut_fail(home, status, "%s", taut_error_text(w->context)) : TAUT_OK;
}

static void destroy_worker(ensemble_worker *w)
{
    if (!w->context) return;
    taut_mem_free(w->context, w->state);
    taut_simulation_release(w->z);
    taut_context_destroy(w->context);
}

static int run_all(ensemble *e)
{
    enum { PIECES = 1 << 20 };
    for (e->first = 0; e->first < e->members; e->first += PIECES)
        taut_pool_run(e->pool, e->members - e->first < PIECES ? (int)(e->members - e->first) : PIECES, one_member, e);
    const ensemble_worker *first = NULL;
    for (int i = 0; i < e->worker_count; i++)
        if (e->workers[i].status && (!first || e->workers[i].failed < first->failed)) first = &e->workers[i];
    if (!first) return TAUT_OK;
    return taut_fail(e->prototype->context, first->status < 0 ? -first->status : first->status, "member %zu: %s",
                     first->failed, first->message);
}

static int create_workers(ensemble *e, int threads)
{
    taut_context *context = e->prototype->context;
    int status = taut_pool_create(context, threads, &e->pool);
    if (status) return status;
    const int count = e->pool ? taut_pool_threads(e->pool) : 1;
    e->workers = taut_mem_new(context, (size_t)count, sizeof *e->workers);
    if (!e->workers) return TAUT_OUT_OF_MEMORY;
    while (!status && e->worker_count < count) status = create_worker(e, &e->workers[e->worker_count++]);
    library_again(context);
    return status;
}

static void clear(ensemble *e)
{
    taut_context *context = e->prototype->context;
    taut_pool_destroy(e->pool);
    for (int i = 0; i < e->worker_count; i++) destroy_worker(&e->workers[i]);
    taut_mem_free(context, e->workers);
    taut_mem_free(context, e->saved);
    taut_mem_free(context, e->done);
}

int taut_ensemble(taut_simulation *z, const taut_run *run, size_t members, const taut_vary *vary, size_t vary_count,
                  const double *values, int threads, double *rows, int *statuses)
{
    ensemble e = { .prototype = z, .members = members, .vary = vary, .vary_count = vary_count, .values = values,
                   .rows = rows, .statuses = statuses };
    LIBRARY_NEEDS(NULL, z, "prototype");
    LIBRARY_NEEDS(z->context, run, "run");
    LIBRARY_NEEDS(z->context, vary || !vary_count, "vary");
    LIBRARY_NEEDS(z->context, values || !vary_count || !members, "values");
    library_begin(z->context);
    int status = taut_library_take(z->context, "taut_run", run, sizeof e.run, &e.run);
    if (!status && (threads < 0 || threads > TAUT_THREADS_MOST))
        status = taut_fail(z->context, TAUT_BAD_USAGE, "threads is a number from 1 to %d, or 0 for 1, not %d",
                           TAUT_THREADS_MOST, threads);
    if (!status) status = check(&e);
    size_t count = threads ? (size_t)threads : 1;
    if (count > members) count = members ? members : 1;
    e.row_size = mem_product(e.run.row_capacity, e.run.columns ? e.run.column_count : z->columns);
    if (!status && rows && mem_product(members, e.row_size) > PTRDIFF_MAX / sizeof *rows)
        status = taut_fail(z->context, TAUT_BAD_USAGE, "%zu members with %zu rows each cannot be in memory", members,
                           e.run.row_capacity);
    if (!status) status = taut_save(z, NULL, 0, &e.saved_size);
    library_again(z->context);
    if (!status) {
        e.saved = taut_mem_new(z->context, e.saved_size, 1);
        e.done = taut_mem_new(z->context, members, 1);
        if (!e.saved || !e.done) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) status = taut_save(z, e.saved, e.saved_size, NULL);
    library_again(z->context);
    if (!status) status = create_workers(&e, (int)count);
    if (!status) status = taut_ensemble_lanes(&e);
    if (!status) status = run_all(&e);
    clear(&e);
    return library_done(z->context, status);
}
