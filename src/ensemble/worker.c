/* One member as a single run does it. */
#include "ensemble/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void taut_worker_failed(const worker *w, executor_member *found, int status, double t)
{
    found->status = status < 0 ? -status : status;
    found->t = t;
    snprintf(found->reason, sizeof found->reason, "%s", taut_error_text(w->context));
}

void taut_worker_close(worker *w)
{
    X(simulation_destroy)(w->other);
    taut_model_free(w->other_model);
    w->z = w->other = NULL;
    w->other_model = NULL;
}

void taut_worker_destroy(worker *w)
{
    if (!w->context) return;
    taut_worker_close(w);
    X(simulation_destroy)(w->own);
    taut_model_free(w->own_model);
    taut_mem_free(w->context, w->starts);
    taut_mem_free(w->context, w->is_set);
    taut_mem_free(w->context, w->registers);
    taut_mem_free(w->context, w->batch);
    taut_mem_free(w->context, w->row_batch);
    taut_context_destroy(w->context);
}

static int create(const worker *w, model *m, simulation **result)
{
    const executor_options *o = &w->e->options;
    const engine_options options = { .method = o->method, .tolerance = o->tolerance, .start = o->start,
                                     .native = o->native, .step = o->step, .time = o->time, .again = 1 };
    return X(simulation_create)(m, &options, result);
}

/* ---- one simulation for all members ---- */

static int create_own(worker *w)
{
    const executor_options *o = &w->e->options;
    if (w->own) return TAUT_OK;
    if (!w->starts) w->starts = taut_mem_new(w->context, o->vary_count, sizeof *w->starts);
    if (!w->is_set) w->is_set = taut_mem_new(w->context, w->e->m->parameter_count, 1);
    if (!w->starts || !w->is_set) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < o->vary_count; i++)
        if (o->vary[i].kind == VARY_PARAMETER) w->is_set[o->vary[i].index] = 1;
    int status = taut_model_copy(w->context, w->e->m, &w->own_model);
    if (!status) status = create(w, w->own_model, &w->own);
    if (status) {
        taut_model_free(w->own_model);
        w->own_model = NULL;
    }
    return status;
}

int taut_worker_own(worker *w) { return create_own(w); }

static int set_values(worker *w, const double *values, size_t *start_count)
{
    const executor_options *o = &w->e->options;
    model *m = w->own_model;
    *start_count = 0;
    for (size_t i = 0; i < m->parameter_count; i++) m->parameters[i].value = w->e->m->parameters[i].value;
    for (size_t i = 0; i < o->vary_count; i++) {
        const executor_vary *v = &o->vary[i];
        if (!(values[i] - values[i] == 0))
            return taut_fail(w->context, TAUT_NOT_FINITE, "a value of a member is not a finite number");
        if (v->kind == VARY_PARAMETER)
            m->parameters[v->index].value = taut_wide_from_double(values[i]);
        else
            w->starts[(*start_count)++] = (start_setting){ v->kind == VARY_RATE, v->index, values[i] };
    }
    return taut_model_derive_parameters(m, w->is_set);
}

/* *same: as of simulation_become. */
static int become(worker *w, const double *values, int *same)
{
    const executor_options *o = &w->e->options;
    size_t start_count;
    *same = 0;
    if (!w->e->becomes) return TAUT_OK;
    int status = create_own(w);
    if (!status) status = set_values(w, values, &start_count);
    if (!status) status = X(simulation_become)(w->own, w->starts, start_count, o->start, o->time, same);
    return status;
}

/* Members like this one are likely: it takes the place of `own`. */
static void keep_other(worker *w)
{
    simulation *z = w->own;
    model *m = w->own_model;
    w->own = w->other, w->own_model = w->other_model;
    w->other = z, w->other_model = m;
}

int taut_worker_open(worker *w, const job *j, size_t member)
{
    const executor_options *o = &w->e->options;
    executor_member *found = &j->members[member];
    const double *values = j->values + member * o->vary_count;
    int same;
    taut_worker_close(w);
    taut_fail_forget(w->context);
    *found = (executor_member){ .t = (double)o->time };
    int status = become(w, values, &same);
    if (!status && same) w->z = w->own;
    if (!status && !same)
        status = taut_member_model(w->context, w->e->m, o->vary, o->vary_count, values, &w->other_model);
    if (!status && !same) status = create(w, w->other_model, &w->other);
    if (!status && !same) w->z = w->other;
    if (!status && !same && w->e->becomes && X(simulation_can_become)(w->other)) keep_other(w);
    if (status) {
        taut_worker_failed(w, found, status, found->t);
        for (size_t i = 0; j->states && i < w->e->state_size; i++)
            j->states[member * w->e->state_size + i] = (double)NAN;
        return 1;
    }
    if (j->from) taut_worker_set_state(w, j->from + member * w->e->state_size);
    return 0;
}

void taut_worker_set_state(worker *w, const double *numbers)
{
    state *x = &w->z->x;
    x->t = numbers[0], x->t_low = numbers[1];
    memcpy(x->block, numbers + 2, X(state_size)(x) * sizeof *numbers);
    simulation_moved(w->z);
}

int taut_worker_row(worker *w, double *row)
{
    const executor *e = w->e;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < e->chosen_count; i++) {
        const column_stretch *s = &e->chosen[i];
        if (s->first + s->count <= X(simulation_columns_of)(w->z, s->type))
            status = X(simulation_column_values)(w->z, s->type, s->first, s->count, row + s->at);
    }
    return status;
}

int taut_worker_steps(simulation *z, double h, long count, long *done)
{
    int status = TAUT_OK;
    if (count > 0 && !(z->steps && z->h == h)) {
        status = X(simulation_step)(z, h);
        *done += !status;
        count--;
    }
    while (!status && count > 0) {
        long some = 0;
        status = X(simulation_steps)(z, count, &some);
        if (!status) *done += some, count -= some;
    }
    return status;
}

void taut_worker_finish(worker *w, const job *j, size_t member, size_t leg, long step)
{
    executor_member *found = &j->members[member];
    const size_t row_size = w->e->row_size;
    size_t read = 0;
    int status = TAUT_OK;
    for (size_t k = 0; k < leg; k++) read += j->legs[k].reads != 0;
    for (size_t k = leg; !status && k < j->leg_count; k++) {
        const executor_leg *l = &j->legs[k];
        status = taut_worker_steps(w->z, (double)l->h, l->steps - (k == leg ? step : 0), &found->steps);
        if (!status && l->reads) status = taut_worker_row(w, j->rows + (member * j->reads + read++) * row_size);
    }
    found->t = w->z->x.t + w->z->x.t_low;
    if (status) taut_worker_failed(w, found, status, found->t);
    if (j->states) taut_worker_state(w, j->states + member * w->e->state_size);
}
