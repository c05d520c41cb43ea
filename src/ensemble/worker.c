/* One member as a single run does it. */
#include "ensemble/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void set_failure(const worker *w, executor_member *found, int status, double t)
{
    found->status = status < 0 ? -status : status;
    found->t = t;
    snprintf(found->reason, sizeof found->reason, "%s", taut_error_text(w->context));
}

void taut_worker_close(worker *w)
{
    X(simulation_destroy)(w->z);
    taut_model_free(w->m);
    w->z = NULL;
    w->m = NULL;
}

int taut_worker_open(worker *w, const job *j, size_t member)
{
    const executor_options *o = &w->e->options;
    executor_member *found = &j->members[member];
    const engine_options options = { .method = o->method, .tolerance = o->tolerance, .start = o->start,
                                     .native = o->native, .step = o->step, .time = o->time, .again = 1 };
    taut_worker_close(w);
    taut_fail_forget(w->context);
    *found = (executor_member){ .t = (double)o->time };
    int status = taut_member_model(w->context, w->e->m, o->vary, o->vary_count, j->values + member * o->vary_count,
                                   &w->m);
    if (!status) status = X(simulation_create)(w->m, &options, &w->z);
    if (status) {
        set_failure(w, found, status, found->t);
        return 1;
    }
    if (j->from) taut_worker_set_state(w, j->from + member * w->e->state_size);
    return 0;
}

void taut_worker_state(const worker *w, double *numbers)
{
    const state *x = &w->z->x;
    numbers[0] = x->t, numbers[1] = x->t_low;
    memcpy(numbers + 2, x->block, X(state_size)(x) * sizeof *numbers);
}

void taut_worker_set_state(worker *w, const double *numbers)
{
    state *x = &w->z->x;
    x->t = numbers[0], x->t_low = numbers[1];
    memcpy(x->block, numbers + 2, X(state_size)(x) * sizeof *numbers);
    simulation_moved(w->z);
}

static int read_row(worker *w, double *row)
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

static int do_steps(simulation *z, double h, long count, long *done)
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
        status = do_steps(w->z, (double)l->h, l->steps - (k == leg ? step : 0), &found->steps);
        if (!status && l->reads) status = read_row(w, j->rows + (member * j->reads + read++) * row_size);
    }
    found->t = w->z->x.t + w->z->x.t_low;
    if (status) set_failure(w, found, status, found->t);
    if (j->states) taut_worker_state(w, j->states + member * w->e->state_size);
}
