#include "solve/impulse.h"

#include <stdio.h>
#include <string.h>

#include "base/room.h"

struct impulse {
    struct system *s;
    kkt *kkt;
    newton newton;
    void *room;             /* of the arrays below */
    real *x;                /* w, v, mu */
    real *g, *rate, *push, *velocity;
    /* the problem at hand */
    const real *q, *p, *p_low, *target;
    real t;
};

void X(impulse_destroy)(impulse *z)
{
    if (!z) return;
    room_free(z->s->context, &z->room);
    X(kkt_destroy)(z->kkt);
    X(newton_clear)(&z->newton);
    taut_mem_free(z->s->context, z);
}

static void lay_out(void *self, room_layout *l)
{
    impulse *z = self;
    const struct system *s = z->s;
    z->x = room_reals(l, 2 * (size_t)s->n + s->c);
    z->g = room_reals(l, (size_t)s->blocks[BLOCK_G].value_count);
    z->rate = room_reals(l, s->c);
    z->push = room_reals(l, s->n);
    z->velocity = room_reals(l, s->n);
}

int X(impulse_create)(struct system *s, real tolerance, impulse **result)
{
    impulse *z = taut_mem_new(s->context, 1, sizeof *z);
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s;
    int status = X(kkt_create)(s, &z->kkt);
    if (!status) status = room_create(s->context, lay_out, z, &z->room);
    if (!status) status = X(newton_create)(s->context, (int)(2 * s->n + s->c), tolerance, &z->newton);
    if (status)
        X(impulse_destroy)(z);
    else
        *result = z;
    return status;
}

static void find_push(impulse *z, const real *mu)
{
    memset(z->push, 0, z->s->n * sizeof(real));
    X(block_multiply_transposed)(&z->s->blocks[BLOCK_G], z->g, 1, mu, z->push);
}

static int residual(void *self, const real *x, real *out)
{
    impulse *z = self;
    struct system *s = z->s;
    uint32_t n = s->n;
    place at = place_at(z->s, z->q, x, &z->t, NULL);
    find_push(z, x + 2 * n);
    X(system_momentum)(s, &at, out);
    for (uint32_t i = 0; i < n; i++) out[i] = (out[i] - z->p[i]) - (z->push[i] + z->p_low[i]);
    X(system_velocity)(s, &at, z->velocity);
    for (uint32_t i = 0; i < n; i++) out[n + i] = x[n + i] - z->velocity[i];
    for (uint32_t k = 0; k < s->c; k++) out[2 * n + k] = z->rate[k] - z->target[k];
    X(block_multiply)(&s->blocks[BLOCK_G], z->g, 1, x + n, out + 2 * n);
    return TAUT_OK;
}

static int factor(void *self, const real *x)
{
    impulse *z = self;
    place at = place_at(z->s, z->q, x, &z->t, NULL);
    return X(kkt_factor)(z->kkt, &at);
}

static int solve(void *self, real *out)
{
    impulse *z = self;
    uint32_t n = z->s->n;
    int status = X(kkt_solve)(z->kkt, out, out + n, out + 2 * n);
    return status ? status : X(kkt_choose)(z->kkt, NULL, out + 2 * n);
}

static real measure(void *self, const real *x, const real *change)
{
    uint32_t n = ((impulse *)self)->s->n;
    return real_most(X(newton_relative)(x, change, (int)n), X(newton_relative)(x + n, change + n, (int)n));
}

static void name(void *self, int equation, char *buffer, size_t size)
{
    impulse *z = self;
    int n = (int)z->s->n;
    char text[150];
    if (equation >= 2 * n) {
        X(system_constraint_name)(z->s, (uint32_t)(equation - 2 * n), buffer, size);
        return;
    }
    X(system_coordinate_name)(z->s, (uint32_t)(equation % n), text, sizeof text);
    snprintf(buffer, size, "momentum of %s", text);
}

int X(impulse_find)(impulse *z, int again, const real *q, real t, const real *p, const real *p_low, const real *rates,
                    real *w, real *mu, real *push)
{
    struct system *s = z->s;
    uint32_t n = s->n;
    z->q = q, z->t = t, z->p = p, z->p_low = p_low, z->target = rates;
    place at = place_at(z->s, q, w, &z->t, NULL);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    X(system_constraint_rate)(s, &at, z->rate);
    memcpy(z->x, w, n * sizeof(real));
    X(system_velocity)(s, &at, z->x + n);
    memset(z->x + 2 * n, 0, s->c * sizeof(real));
    newton_problem problem = { z, (int)(2 * n + s->c), residual, factor, solve, measure, name, NULL, NULL, NULL, NULL };
    int status = X(newton_solve)(&z->newton, &problem, z->x, again, t, "velocity constraints");
    if (status) return status;
    find_push(z, z->x + 2 * n);
    memcpy(w, z->x, n * sizeof(real));
    memcpy(mu, z->x + 2 * n, s->c * sizeof(real));
    memcpy(push, z->push, n * sizeof(real));
    return TAUT_OK;
}
