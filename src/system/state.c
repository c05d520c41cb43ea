#include "system/state.h"

#include <string.h>

int X(state_create)(const struct system *s, state *x)
{
    *x = (state){ .n = s->n, .c = s->c, .extra_count = s->extra_count };
    x->block = taut_mem_new(s->context, X(state_size)(x), sizeof *x->block);
    if (!x->block) return TAUT_OUT_OF_MEMORY;
    real *at = x->block;
    real **arrays[] = { &x->q, &x->p, &x->w, &x->q_low, &x->p_low };
    for (int i = 0; i < 5; i++, at += s->n) *arrays[i] = at;
    x->lambda = at, at += s->c;
    x->t_lambda = at++, x->work = at++, x->work_low = at++, x->step = at++;
    x->extra = at;
    return TAUT_OK;
}

void X(state_clear)(const struct system *s, state *x)
{
    taut_mem_free(s->context, x->block);
    *x = (state){ 0 };
}

size_t X(state_size)(const state *x) { return 5 * (size_t)x->n + x->c + 4 + x->extra_count; }

void X(state_copy)(const state *from, state *to)
{
    to->t = from->t;
    to->t_low = from->t_low;
    memcpy(to->block, from->block, X(state_size)(from) * sizeof *from->block);
}

void X(state_swap)(state *x, state *y)
{
    state swap = *x;
    *x = *y;
    *y = swap;
}

int X(state_fields)(state *x, state_field *fields)
{
    const state_field all[] = {
        { "t", &x->t, 1 },
        { "t_low", &x->t_low, 1 },
        { "q", x->q, x->n },
        { "p", x->p, x->n },
        { "w", x->w, x->n },
        { "lambda", x->lambda, x->c },
        { "q_low", x->q_low, x->n },
        { "p_low", x->p_low, x->n },
        { "t_lambda", x->t_lambda, 1 },
        { "work", x->work, 1 },
        { "work_low", x->work_low, 1 },
        { "step", x->step, 1 },
        { "contacts", x->extra, x->extra_count },
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Kahan: the rounding error of each addition is carried to the next one. */
void X(add_compensated)(real *x, real *low, const real *d, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        real y = d[i] + low[i], sum = x[i] + y;
        low[i] = y - (sum - x[i]);
        x[i] = sum;
    }
}

void X(state_next_time)(const state *x, real h, real *t, real *t_low)
{
    const real y = h + x->t_low, sum = x->t + y; /* as add_compensated */
    *t_low = y - (sum - x->t);
    *t = sum;
}
