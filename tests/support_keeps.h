/* What a run keeps, in units of round-off: constraints, their time derivative, momenta; and how well it comes back. */
#ifndef TAUT_TESTS_SUPPORT_KEEPS_H
#define TAUT_TESTS_SUPPORT_KEEPS_H

#include "support.h"

/* ---- constraints ---- */

/* Round-off of g_k: a stored q is a rounding of the exact root, so that g_k is uncertain by eps/2 sum_i |G_ki| |q|, and
   evaluating it costs as much again; + |g_t t| for the rounding of t. Likewise dg_k/dt, with |v| for |q|. Max norms,
   taken over the whole run: what passes through zero was not small before. */
typedef struct {
    real g, rate;             /* largest so far */
    real g_scale, rate_scale;
} constraint_round_off;

static inline void look_at_constraints(simulation *z, constraint_round_off *worst)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    real g, rate, q = largest_of(z->x.q, s->n);
    X(simulation_residuals)(z, &g, &rate); /* leaves G in z->g_values, G v + g_t in z->g_rate, v in z->v */
    real v = largest_of(z->v, s->n);
    worst->g = larger(worst->g, g);
    worst->rate = larger(worst->rate, rate);
    for (uint32_t k = 0; k < s->c; k++) {
        real row = 0, g_t = z->g_rate[k];
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            row += REAL(fabs)(z->g_values[e]);
            g_t -= z->g_values[e] * z->v[p->index[e]];
        }
        worst->g_scale = larger(worst->g_scale, row * q + REAL(fabs)(g_t * z->x.t));
        worst->rate_scale = larger(worst->rate_scale, row * v + REAL(fabs)(g_t));
    }
}

/* ---- momenta ---- */

/* sum |p_i| |xi_i| is at most this, for the terms whose rounding errors are in p . xi(q) */
static inline real momentum_scale(const simulation *z, const symmetry *y)
{
    real sum = 0, reach = y->type == SYMMETRY_ROTATION ? largest_of(z->x.q, z->s->n) : 1;
    for (uint32_t i = 0; i < z->s->n; i++) sum += REAL(fabs)(z->x.p[i]);
    return sum * reach;
}

typedef struct {
    real position, velocity, momentum; /* largest errors, in units of eps times the scale */
} kept;

static inline kept follow(simulation *z, real h, long steps)
{
    real first[SYMMETRY_LIMIT], scale[SYMMETRY_LIMIT], change[SYMMETRY_LIMIT] = { 0 };
    kept worst = { 0, 0, 0 };
    for (int i = 0; i < z->symmetry_count; i++) {
        first[i] = momentum_of(z->s, &z->symmetries[i], z->x.q, z->x.p);
        scale[i] = momentum_scale(z, &z->symmetries[i]);
    }
    constraint_round_off seen = { 0 };
    for (long n = 0; n <= steps; n++) {
        if (n) do_steps(z, 1, h);
        look_at_constraints(z, &seen);
        for (int i = 0; i < z->symmetry_count; i++) {
            real now = momentum_of(z->s, &z->symmetries[i], z->x.q, z->x.p);
            change[i] = larger(change[i], REAL(fabs)(now - first[i]));
            scale[i] = larger(scale[i], momentum_scale(z, &z->symmetries[i]));
        }
    }
    if (z->s->c) worst.position = seen.g / (REAL_EPSILON * seen.g_scale);
    if (z->s->c) worst.velocity = seen.rate / (REAL_EPSILON * seen.rate_scale);
    for (int i = 0; i < z->symmetry_count; i++)
        worst.momentum = larger(worst.momentum, change[i] / (REAL_EPSILON * scale[i]));
    return worst;
}

/* ---- reversibility ---- */

/* Distance to the start, relative to the sizes of q and p at the start or half way. sign: of the momenta. */
static inline real return_error(const simulation *z, const state *start, int sign, real q_size, real p_size)
{
    real q = 0, p = 0;
    for (uint32_t i = 0; i < z->s->n; i++) {
        q = larger(q, REAL(fabs)(z->x.q[i] - start->q[i]));
        p = larger(p, REAL(fabs)(sign * z->x.p[i] - start->p[i]));
    }
    return larger(q / q_size, p / p_size);
}

static inline void turn_round(state *x)
{
    for (uint32_t i = 0; i < x->n; i++) x->p[i] = -x->p[i], x->p_low[i] = -x->p_low[i], x->w[i] = -x->w[i];
}

#endif
