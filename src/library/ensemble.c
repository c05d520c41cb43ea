/* Ensembles: copies of a simulation that differ in some numbers, in several threads. */
#include "library/library.h"

#include <pthread.h>
#include <stdio.h>

typedef struct {
    const taut_simulation *prototype;
    taut_run run;
    size_t members, row_size;    /* row_size: numbers of all rows of a member */
    const taut_vary *vary;
    size_t vary_count;
    const double *values;
    double *rows;
    int *statuses;
    void *saved;                 /* the prototype */
    size_t saved_size;
    int varies_param, varies_state, w_kind;
    atomic_size_t next;          /* member */
} ensemble;

typedef struct {
    ensemble *e;
    taut_context *context;
    taut_simulation *z;
    double *state;               /* q, then w */
    pthread_t thread;
    int started;
    /* of the first member that failed in this thread */
    size_t failed;
    int status;
    char message[TAUT_ERROR_TEXT];
} worker;

static int set_state(worker *w, const double *values)
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
    return status ? status : taut_set_state(z, taut_time(z), w->state, e->w_kind, w->state + n, TAUT_STRICT);
}

/* All params of a member at once: the model is compiled once. */
static int set_params(worker *w, const double *values)
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

static int prepare_member(worker *w, const double *values)
{
    const ensemble *e = w->e;
    int status = e->varies_param ? set_params(w, values) : taut_restore(w->z, e->saved, e->saved_size);
    for (size_t k = 0; !status && k < e->vary_count; k++)
        if (e->vary[k].kind == TAUT_INPUT) status = taut_set(w->z, TAUT_INPUT, e->vary[k].index, 1, &values[k]);
    return status || !e->varies_state ? status : set_state(w, values);
}

static void run_member(worker *w, size_t i)
{
    ensemble *e = w->e;
    taut_run run = e->run;
    double *rows = e->rows ? e->rows + i * e->row_size : NULL;
    for (size_t k = 0; rows && k < e->row_size; k++) rows[k] = (double)NAN;
    run.rows = rows;
    int status = prepare_member(w, e->values + i * e->vary_count);
    if (!status) status = taut_advance(w->z, &run);
    if (e->statuses) e->statuses[i] = status;
    if (!status || (w->status && w->failed < i)) return;
    w->failed = i;
    w->status = status;
    snprintf(w->message, sizeof w->message, "%s", taut_error_text(w->context));
}

static void *work(void *user)
{
    worker *w = user;
    for (size_t i; (i = atomic_fetch_add(&w->e->next, 1)) < w->e->members;) run_member(w, i);
    return NULL;
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

static int create_worker(ensemble *e, worker *w)
{
    taut_context *home = e->prototype->context;
    *w = (worker){ .e = e, .context = taut_context_create(taut_context_allocator(home)) };
    if (!w->context) return taut_fail(home, TAUT_OUT_OF_MEMORY, "out of memory for a thread of the ensemble");
    int status = taut_simulation_clone(e->prototype, w->context, &w->z);
    if (!status) w->state = taut_mem_new(w->context, 2 * taut_count(w->z, TAUT_POSITION), sizeof *w->state);
    if (!status && !w->state) status = TAUT_OUT_OF_MEMORY;
    return status ? taut_fail(home, status, "%s", taut_error_text(w->context)) : TAUT_OK;
}

static void destroy_worker(worker *w)
{
    if (!w->context) return;
    taut_mem_free(w->context, w->state);
    taut_simulation_release(w->z);
    taut_context_destroy(w->context);
}

/* The first of the workers is this thread. */
static int run_all(ensemble *e, worker *workers, int count)
{
    for (int i = 1; i < count; i++) workers[i].started = !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    work(&workers[0]);
    const worker *first = NULL;
    for (int i = 0; i < count; i++) {
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
        if (workers[i].status && (!first || workers[i].failed < first->failed)) first = &workers[i];
    }
    if (!first) return TAUT_OK;
    return taut_fail(e->prototype->context, first->status < 0 ? -first->status : first->status, "member %zu: %s",
                     first->failed, first->message);
}

int taut_ensemble(taut_simulation *z, const taut_run *run, size_t members, const taut_vary *vary, size_t vary_count,
                  const double *values, int threads, double *rows, int *statuses)
{
    ensemble e = { .prototype = z, .members = members, .vary = vary, .vary_count = vary_count, .values = values,
                   .rows = rows, .statuses = statuses };
    worker *workers = NULL;
    library_begin(z->context);
    int status = taut_library_take(z->context, "taut_run", run, sizeof e.run, &e.run);
    if (!status && (threads < 0 || threads > TAUT_THREADS_MOST))
        status = taut_fail(z->context, TAUT_BAD_USAGE, "threads is a number from 1 to %d, or 0 for 1, not %d",
                           TAUT_THREADS_MOST, threads);
    if (!status) status = check(&e);
    size_t count = threads ? (size_t)threads : 1, made = 0;
    if (count > members) count = members ? members : 1;
    e.row_size = e.run.row_capacity * (e.run.columns ? e.run.column_count : z->columns);
    if (!status) status = taut_save(z, NULL, 0, &e.saved_size);
    library_again(z->context);
    if (!status) {
        e.saved = taut_mem_new(z->context, e.saved_size, 1);
        workers = taut_mem_new(z->context, count, sizeof *workers);
        if (!e.saved || !workers) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) status = taut_save(z, e.saved, e.saved_size, NULL);
    library_again(z->context);
    while (!status && made < count) status = create_worker(&e, &workers[made++]);
    if (!status) status = run_all(&e, workers, (int)count);
    for (size_t i = 0; i < made; i++) destroy_worker(&workers[i]);
    taut_mem_free(z->context, workers);
    taut_mem_free(z->context, e.saved);
    return library_done(z->context, status);
}
