/* Executors of ensembles: made, asked, and their work handed out. */
#include "ensemble/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static const char *const names[EXECUTOR_KINDS] = { "interpreter", "lanes", "gpu" };

const char *taut_executor_name(executor_kind kind) { return names[kind]; }

int taut_executor_find(const char *name)
{
    for (int i = 0; i < EXECUTOR_KINDS; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

executor_kind taut_executor_on(const executor *e) { return e->on; }
const char *taut_executor_note(const executor *e) { return e->note; }
size_t taut_executor_width(const executor *e) { return (size_t)e->worker_count; }

/* ---- columns ---- */

size_t taut_executor_columns(const executor *e) { return e->column_count; }

int taut_executor_column_name(const executor *e, size_t column, char *buffer, size_t size)
{
    return X(simulation_column_name)(e->z, column, buffer, size);
}

const char *taut_executor_column_kind(const executor *e, size_t column)
{
    return X(simulation_column_kind)(e->z, column);
}

/* The type of a column, which becomes its index among those of the type. */
static engine_column type_of(const executor *e, size_t *column)
{
    int type = 0;
    for (; *column >= X(simulation_columns_of)(e->z, (engine_column)type); type++)
        *column -= X(simulation_columns_of)(e->z, (engine_column)type);
    return (engine_column)type;
}

int taut_executor_choose(executor *e, const size_t *columns, size_t count)
{
    column_stretch *chosen = taut_mem_new(e->context, count, sizeof *chosen);
    size_t found = 0;
    if (!chosen) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        size_t at = columns[i];
        if (at >= e->column_count) {
            taut_mem_free(e->context, chosen);
            return taut_fail(e->context, TAUT_BAD_USAGE, "there is no column %zu", at);
        }
        const engine_column type = type_of(e, &at);
        column_stretch *last = found ? &chosen[found - 1] : NULL;
        if (last && last->type == type && last->first + last->count == at)
            last->count++;
        else
            chosen[found++] = (column_stretch){ type, at, 1, i };
    }
    taut_mem_free(e->context, e->chosen);
    e->chosen = chosen;
    e->chosen_count = found;
    e->row_size = count;
    return TAUT_OK;
}

size_t taut_executor_state_size(const executor *e) { return e->state_size; }

/* ---- made and destroyed ---- */

void taut_executor_destroy(executor *e)
{
    if (!e) return;
    taut_context *context = e->context;
    taut_pool_destroy(e->pool);
    for (int i = 0; e->workers && i < e->worker_count; i++) taut_worker_destroy(&e->workers[i]);
    taut_mem_free(context, e->workers);
    X(simulation_destroy)(e->z);
    taut_model_free(e->own);
    taut_mem_free(context, e->chosen);
    taut_mem_free(context, e->vary);
    taut_mem_free(context, e->method);
    taut_mem_free(context, e);
}

static int check_vary(const executor *e)
{
    const model *m = e->m;
    for (size_t i = 0; i < e->options.vary_count; i++) {
        const executor_vary *v = &e->vary[i];
        if (v->index >= (v->kind == VARY_PARAMETER ? m->parameter_count : m->coordinate_count))
            return taut_fail(e->context, TAUT_BAD_USAGE, "there is no number %u of this kind to vary", v->index);
        if (v->kind == VARY_RATE && m->start_points_line)
            return taut_fail(e->context, TAUT_BAD_USAGE,
                             "%s:%d: start_points give the velocities: these cannot vary", m->file,
                             m->start_points_line);
    }
    return TAUT_OK;
}

/* Threads of a context with an allocator of its own would need one that is safe for them. */
static int create_workers(executor *e)
{
    const int wanted = e->options.threads > 1 && !taut_context_has_allocator(e->context) ? e->options.threads : 1;
    int status = taut_pool_create(e->context, wanted, &e->pool);
    if (status) return status;
    e->worker_count = e->pool ? taut_pool_threads(e->pool) : 1;
    e->workers = taut_mem_new(e->context, (size_t)e->worker_count, sizeof *e->workers);
    if (!e->workers) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < e->worker_count; i++) {
        e->workers[i] = (worker){ .e = e, .context = taut_context_create(taut_context_allocator(e->context)) };
        if (!e->workers[i].context)
            return taut_fail(e->context, TAUT_OUT_OF_MEMORY, "out of memory for a thread of the ensemble");
    }
    return TAUT_OK;
}

int taut_executor_create(const model *m, const executor_options *options, executor **result)
{
    taut_context *context = m->context;
    executor *e = taut_mem_new(context, 1, sizeof *e);
    *result = NULL;
    if (!e) return TAUT_OUT_OF_MEMORY;
    e->context = context;
    e->m = m;
    e->options = *options;
    e->options.method = e->method = taut_mem_text(context, options->method);
    e->options.vary = e->vary = taut_mem_new(context, options->vary_count, sizeof *e->vary);
    int status = e->method && e->vary ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status && options->vary_count) memcpy(e->vary, options->vary, options->vary_count * sizeof *e->vary);
    if (!status) status = check_vary(e);
    if (!status) status = taut_model_copy(context, m, &e->own);
    const engine_options with = { .method = options->method, .tolerance = options->tolerance, .start = options->start,
                                  .native = options->native, .step = options->step, .time = options->time };
    if (!status) status = X(simulation_create)(e->own, &with, &e->z);
    if (!status) {
        e->column_count = X(simulation_column_count)(e->z);
        e->state_size = 2 + X(state_size)(&e->z->x);
        e->becomes = X(simulation_can_become)(e->z);
        e->member_size = e->becomes ? X(simulation_member_size)(e->z) : 0;
        status = create_workers(e);
    }
    if (status)
        taut_executor_destroy(e);
    else
        *result = e;
    return status;
}

/* ---- work ---- */

static void one_member(void *self, int index, int worker_index)
{
    const job *j = self;
    worker *w = &j->e->workers[worker_index];
    if (!taut_worker_open(w, j, (size_t)index)) taut_worker_finish(w, j, (size_t)index, 0, 0);
    taut_worker_close(w);
}

/* Members that ran out of memory are no result. */
static int check_memory(const job *j)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->members[i].status == TAUT_OUT_OF_MEMORY)
            return taut_fail(j->e->context, TAUT_OUT_OF_MEMORY, "out of memory for a member of the ensemble");
    return TAUT_OK;
}

int taut_executor_run(executor *e, const executor_leg *legs, size_t leg_count, size_t count, const double *values,
                      const double *from, double *rows, executor_member *members, double *states)
{
    job j = { .e = e, .legs = legs, .leg_count = leg_count, .count = count, .values = values, .from = from,
              .rows = rows, .states = states, .members = members };
    for (size_t i = 0; i < leg_count; i++) j.reads += legs[i].reads != 0;
    if (count > INT32_MAX) return taut_fail(e->context, TAUT_BAD_USAGE, "a block has at most 2^31 - 1 members");
    for (size_t i = 0; i < count * j.reads * e->row_size; i++) rows[i] = (double)NAN;
    for (size_t i = 0; states && i < count * e->state_size; i++) states[i] = (double)NAN;
    taut_pool_run(e->pool, (int)count, one_member, &j);
    return check_memory(&j);
}
