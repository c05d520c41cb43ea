/* Unknowns dw = dw/dt, dv = dv/dt, lambda:
 *     pi_w dw + (pi_q v + pi_t) = phi(q,w,t,lambda)
 *     dv = nu_w dw + (nu_q v + nu_t)
 *     G dv + d^2/ds^2 g(q + s v, t + s) = 0
 */
#include "solve/acceleration.h"

#include <stdio.h>
#include <string.h>

#include "base/room.h"

struct acceleration {
    struct system *s;
    kkt *kkt;
    newton newton;
    void *room;                  /* of the arrays below */
    real *x;                     /* dw, dv, lambda */
    real *pi_w, *nu_w;           /* block values */
    real *pi_rate, *nu_rate, *curvature, *velocity;
    const real *q, *w;
    real t;
};

void X(acceleration_destroy)(acceleration *a)
{
    if (!a) return;
    taut_mem_free(a->s->context, a->room);
    X(kkt_destroy)(a->kkt);
    X(newton_clear)(&a->newton);
    taut_mem_free(a->s->context, a);
}

static void lay_out(void *self, room_layout *l)
{
    acceleration *a = self;
    const struct system *s = a->s;
    a->x = room_reals(l, 2 * (size_t)s->n + s->c);
    a->pi_w = room_reals(l, (size_t)s->blocks[BLOCK_PI_W].value_count);
    a->nu_w = room_reals(l, (size_t)s->blocks[BLOCK_NU_W].value_count);
    a->pi_rate = room_reals(l, s->n);
    a->nu_rate = room_reals(l, s->n);
    a->curvature = room_reals(l, s->c);
    a->velocity = room_reals(l, s->n);
}

int X(acceleration_create)(struct system *s, acceleration **result)
{
    acceleration *a = taut_mem_new(s->context, 1, sizeof *a);
    *result = NULL;
    if (!a) return TAUT_OUT_OF_MEMORY;
    a->s = s;
    int status = X(kkt_create)(s, &a->kkt);
    if (!status) status = X(system_prepare_rates)(s);
    if (!status) status = X(system_prepare_block)(s, BLOCK_PI_W);
    if (!status) status = X(system_prepare_block)(s, BLOCK_NU_W);
    if (!status) status = room_create(s->context, lay_out, a, &a->room);
    if (!status) status = X(newton_create)(s->context, (int)(2 * s->n + s->c), 0, &a->newton);
    if (status)
        X(acceleration_destroy)(a);
    else
        *result = a;
    return status;
}

static int residual(void *self, const real *x, real *out)
{
    acceleration *a = self;
    struct system *s = a->s;
    uint32_t n = s->n;
    place at = place_at(a->s, a->q, a->w, &a->t, x + 2 * n);
    X(system_force)(s, &at, out);
    for (uint32_t i = 0; i < n; i++) out[i] = a->pi_rate[i] - out[i];
    X(block_multiply)(&s->blocks[BLOCK_PI_W], a->pi_w, 1, x, out);
    for (uint32_t i = 0; i < n; i++) out[n + i] = x[n + i] - a->nu_rate[i];
    X(block_multiply)(&s->blocks[BLOCK_NU_W], a->nu_w, -1, x, out + n);
    memcpy(out + 2 * n, a->curvature, s->c * sizeof(real));
    X(block_multiply)(&s->blocks[BLOCK_G], X(kkt_jacobian)(a->kkt), 1, x + n, out + 2 * n);
    return TAUT_OK;
}

static int factor(void *self, const real *x)
{
    acceleration *a = self;
    place at = place_at(a->s, a->q, a->w, &a->t, x + 2 * a->s->n);
    return X(kkt_factor)(a->kkt, &at);
}

static int solve(void *self, real *out)
{
    acceleration *a = self;
    return X(kkt_solve)(a->kkt, out, out + a->s->n, out + 2 * a->s->n);
}

static real measure(void *self, const real *x, const real *change)
{
    acceleration *a = self;
    uint32_t n = a->s->n;
    real motion = X(newton_relative)(x, change, (int)(2 * n));
    real force = X(newton_relative)(x + 2 * n, change + 2 * n, (int)a->s->c);
    return motion != motion ? motion : REAL(fmax)(motion, force);
}

static void name(void *self, int equation, char *buffer, size_t size)
{
    acceleration *a = self;
    int n = (int)a->s->n;
    char text[150];
    if (equation >= 2 * n) {
        X(system_constraint_name)(a->s, (uint32_t)(equation - 2 * n), buffer, size);
        return;
    }
    X(system_coordinate_name)(a->s, (uint32_t)(equation % n), text, sizeof text);
    snprintf(buffer, size, "acceleration of %s", text);
}

int X(acceleration_solve)(acceleration *a, const real *q, const real *w, real t, real *lambda, real *dv)
{
    struct system *s = a->s;
    uint32_t n = s->n;
    a->q = q, a->w = w, a->t = t;
    place at = place_at(a->s, q, w, &a->t, lambda);
    X(system_velocity)(s, &at, a->velocity);
    X(system_momentum_rate)(s, &at, a->velocity, a->pi_rate);
    X(system_velocity_rate)(s, &at, a->velocity, a->nu_rate);
    X(system_constraint_curvature)(s, &at, a->velocity, a->curvature);
    X(system_block_values)(s, BLOCK_PI_W, &at, a->pi_w);
    X(system_block_values)(s, BLOCK_NU_W, &at, a->nu_w);
    memset(a->x, 0, 2 * (size_t)n * sizeof(real));
    memcpy(a->x + 2 * n, lambda, s->c * sizeof(real));
    newton_problem problem = { a, (int)(2 * n + s->c), residual, factor, solve, measure, name, NULL, NULL };
    int status = X(newton_solve)(&a->newton, &problem, a->x, 0, t, "multipliers");
    if (status) return status;
    memcpy(lambda, a->x + 2 * n, s->c * sizeof(real));
    if (dv) memcpy(dv, a->x + n, n * sizeof(real));
    return TAUT_OK;
}

const real *X(acceleration_stage_rate)(const acceleration *a) { return a->x; }
