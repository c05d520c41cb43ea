#include "system/state.h"

#include <string.h>

#include "base/room.h"
#include "system/vector.h"

void X(state_find_members)(state *x)
{
    real *at = x->block;
    real **arrays[] = { &x->q, &x->p, &x->w, &x->q_low, &x->p_low };
    for (int i = 0; i < 5; i++, at += x->n) *arrays[i] = at;
    x->lambda = at, at += x->c;
    x->t_lambda = at++, x->work = at++, x->work_low = at++, x->step = at++;
    x->trend = at, at += x->c;
    x->change = at, at += 2 * (size_t)x->c;
    x->extra = at;
}

static void lay_out(void *self, room_layout *l)
{
    state *x = self;
    x->block = room_reals(l, X(state_size)(x));
    if (x->block) X(state_find_members)(x);
}

/* States exchange their places (state_swap): the copy is where the other one is by now. */
static void follow(void *self, const void *from, const char *block, char *copy)
{
    state *x = self;
    const state *other = from;
    x->t = other->t, x->t_low = other->t_low;
    x->block = (real *)(copy + ((const char *)other->block - block));
    X(state_find_members)(x);
}

int X(state_create)(const struct system *s, state *x)
{
    flat_workspace *open = taut_flat_opened(s->context);
    *x = (state){ .n = s->n, .c = s->c, .extra_count = s->extra_count, .home = open };
    return open ? taut_flat_join(open, lay_out, follow, x, &x->room)
                : room_create_own(s->context, lay_out, x, &x->room);
}

void X(state_clear)(const struct system *s, state *x)
{
    if (x->home)
        taut_flat_quit(x->home, &x->room);
    else
        room_free(s->context, &x->room);
    *x = (state){ 0 };
}

size_t X(state_size)(const state *x) { return 5 * (size_t)x->n + 4 * (size_t)x->c + 4 + x->extra_count; }

void X(state_copy)(const state *from, state *to)
{
    to->t = from->t;
    to->t_low = from->t_low;
    memcpy(to->block, from->block, X(state_size)(from) * sizeof *from->block);
}

static void exchange(real *x, real *y)
{
    real z = *x;
    *x = *y, *y = z;
}

void X(state_swap)(state *x, state *y)
{
    if (x->home == y->home) {
        state z = *x;
        *x = *y, *y = z;
        return;
    }
    exchange(&x->t, &y->t), exchange(&x->t_low, &y->t_low);
    for (size_t i = 0; i < X(state_size)(x); i++) exchange(&x->block[i], &y->block[i]);
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
        { "trend", x->trend, x->c },
        { "change", x->change, 2 * (size_t)x->c },
        { "contacts", x->extra, x->extra_count },
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

void X(state_expect)(pool *p, const state *x, const real *lambda, int trend, state *after)
{
    const real *const ends[] = { lambda, x->lambda };
    if (trend == TREND_STEADY) {
        X(vector_combine)(p, x->c, 2, (const real[]){ 1, -1 }, ends, after->trend);
        return;
    }
    for (uint32_t k = 0; k < x->c; k++) {
        const real change = lambda[k] - x->lambda[k];
        const real bend = change - x->change[k], trust = (real)0.125 * REAL(fabs)(lambda[k]) - REAL(fabs)(change);
        const real most = trust > 0 ? trust : 0, next = change + x->change[x->c + k];
        after->trend[k] = next > most ? most : next < -most ? -most : next;
        after->change[k] = change, after->change[x->c + k] = bend;
    }
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
