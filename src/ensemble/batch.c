/* Members that are advanced together: into their slots, out of them, and what is done with one alone. */
#include "ensemble/inside.h"

#include <math.h>
#include <string.h>

void taut_batch_store(const worker *w, batch_slot to)
{
    const state *x = &w->z->x;
    const size_t count = X(state_size)(x);
    for (size_t i = 0; i < count; i++) to.x[i * to.stride] = x->block[i];
}

int taut_batch_open(worker *w, const job *j, size_t member, batch_slot to, batch_time *t)
{
    if (taut_worker_open(w, j, member)) return 1;
    const batch_time begin = { w->z->x.t, w->z->x.t_low };
    if (isnan(t->t)) *t = begin;
    if (w->z != w->own || begin.t != t->t || begin.t_low != t->t_low) {
        taut_worker_finish(w, j, member, 0, 0);
        return 1;
    }
    taut_batch_store(w, to);
    if (to.numbers) X(simulation_member_save)(w->own, to.numbers);
    return 0;
}

static void load_state(worker *w, batch_slot from, batch_time t)
{
    state *x = &w->z->x;
    const size_t count = X(state_size)(x);
    x->t = t.t, x->t_low = t.t_low;
    for (size_t i = 0; i < count; i++) x->block[i] = from.x[i * from.stride];
    w->z->steps = 0;
    simulation_moved(w->z);
}

int taut_batch_load(worker *w, const job *j, size_t member, batch_slot from, batch_time t)
{
    executor_member *found = &j->members[member];
    int status = taut_worker_own(w);
    if (status) {
        taut_worker_failed(w, found, status, t.t);
        return 1;
    }
    taut_worker_close(w);
    w->z = w->own;
    if (from.numbers && X(simulation_member_load)(w->own, from.numbers)) {
        const executor_member before = *found;
        if (taut_worker_open(w, j, member)) return 1;
        *found = before;
    }
    load_state(w, from, t);
    return 0;
}

int taut_batch_left(worker *w, const job *j, size_t member, batch_slot at, batch_time t, double h, long made,
                    long steps)
{
    executor_member *found = &j->members[member];
    const batch_time begin = taut_batch_advance(&j->e->plan, t, h, made, NULL);
    long done = 0;
    found->steps += made;
    if (taut_batch_load(w, j, member, at, begin)) return 1;
    int status = taut_worker_steps(w->z, h, steps - made, &done);
    found->steps += done;
    found->left++;
    taut_batch_store(w, at);
    if (!status) return 0;
    const double failed = w->z->x.t + w->z->x.t_low;
    taut_worker_failed(w, found, status, failed);
    if (j->states) taut_worker_state(w, j->states + member * w->e->state_size);
    return 1;
}

/* Columns that are numbers of the state need no simulation. */
static int copy_row(const executor *e, batch_slot from, batch_time t, double *row)
{
    const size_t n = e->plan.n;
    for (size_t i = 0; i < e->chosen_count; i++) {
        const column_stretch *s = &e->chosen[i];
        if (s->type != COLUMN_TIME && s->type != COLUMN_Q && s->type != COLUMN_P) return 0;
        const size_t first = s->type == COLUMN_P ? n : 0;
        for (size_t k = 0; k < s->count; k++)
            row[s->at + k] = s->type == COLUMN_TIME ? t.t : from.x[(first + s->first + k) * from.stride];
    }
    return 1;
}

int taut_batch_read(worker *w, const job *j, size_t member, batch_slot from, batch_time t, size_t read)
{
    double *row = j->rows + (member * j->reads + read) * j->e->row_size;
    if (copy_row(j->e, from, t, row)) return 0;
    if (taut_batch_load(w, j, member, from, t)) return 1;
    const int status = taut_worker_row(w, row);
    if (!status) return 0;
    taut_worker_failed(w, &j->members[member], status, t.t + t.t_low);
    if (j->states) taut_worker_state(w, j->states + member * w->e->state_size);
    return 1;
}

void taut_batch_end(const job *j, size_t member, batch_slot from, batch_time t, long steps)
{
    executor_member *found = &j->members[member];
    const size_t count = j->e->state_size - 2;
    found->t = t.t + t.t_low;
    found->steps = steps;
    if (!j->states) return;
    double *to = j->states + member * j->e->state_size;
    to[0] = t.t, to[1] = t.t_low;
    for (size_t i = 0; i < count; i++) to[2 + i] = from.x[i * from.stride];
}

/* ---- time ---- */

static batch_time next_time(batch_time t, double h)
{
    const double y = h + t.t_low, sum = t.t + y;
    return (batch_time){ sum, y - (sum - t.t) };
}

/* As the parts of the last step set it. */
static double time_of_multipliers(const text_plan *p, batch_time t, double h)
{
    double found = (double)NAN;
    for (int i = 0; i < p->part_count; i++) {
        const text_length *l = &p->lengths[p->parts[i]];
        const double at = p->programs[l->program].p->lambda_time, length = l->halved ? h * l->factor / 2 : h * l->factor;
        if (at >= 0) found = t.t + (at * length + t.t_low);
        t = next_time(t, length);
    }
    return found;
}

batch_time taut_batch_advance(const text_plan *p, batch_time t, double h, long steps, double *t_lambda)
{
    if (t_lambda) *t_lambda = (double)NAN;
    for (long i = 0; i < steps; i++) {
        if (t_lambda && i == steps - 1) *t_lambda = time_of_multipliers(p, t, h);
        t = next_time(t, h);
    }
    return t;
}
