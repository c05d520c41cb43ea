/* Loops over coordinates of systems with a diagonal mass, for verlet.c and points.c: numbers from .. end - 1. */
#ifndef TAUT_METHOD_DIAGONAL_LOOPS_H
#define TAUT_METHOD_DIAGONAL_LOOPS_H

#include "base/extreme.h"
#include "base/loops.h"
#include "method/method.h"
#include "system/state.h"

/* What the sums q0 + d of move_positions, the same once more, leave over: q1_low = d - (q1 - q0). known: q1 */
static WIDE_LOOPS void low_parts(uint32_t from, uint32_t end, const real *restrict q, const real *restrict base,
                                 const real *restrict w, const real *restrict push, real factor, real *restrict low,
                                 real *restrict known)
{
#define ALL(motion)                                              \
    for (uint32_t j = from; j < end; j++) {                      \
        real d = base[j] + factor * (motion), sum = q[j] + d;    \
        low[j] = d - (sum - q[j]);                               \
        known[j] = sum;                                          \
    }
    if (w)
        ALL(w[j] * push[j - from])
    else
        ALL(push[j - from])
#undef ALL
}

/* base = h v + q_low, v the velocity that belongs to p + (h/2 f + p_low), for a diagonal mass; f begins with coordinate
   `from` */
static WIDE_LOOPS void diagonal_base(const struct system *s, int even, const state *x, const real *restrict f, real h,
                                     uint32_t from, uint32_t end, real *restrict base)
{
    const real *restrict p = x->p, *restrict p_low = x->p_low, *restrict w = s->inverse_mass;
    const real *restrict offset = s->offset, *restrict q_low = x->q_low, all = s->inverse_mass[0], half = h / 2;
#define ALL(velocity)                                              \
    for (uint32_t j = from; j < end; j++) {                        \
        const real kick = p[j] + (half * f[j - from] + p_low[j]);  \
        base[j] = h * (velocity) + q_low[j];                       \
    }
    if (even)
        ALL(all * kick)
    else if (s->form == FORM_LAGRANGIAN)
        ALL(w[j] * (kick - offset[j]))
    else
        ALL(w[j] * kick + offset[j])
#undef ALL
}

/* With a diagonal mass: sum = a + b + c, each from its coordinate `from` on, v = the velocity of p + (factor sum +
   p_low). Returns the largest. */
static WIDE_LOOPS extreme diagonal_start(const struct system *s, int even, const state *x, const real *a,
                                         const real *b, const real *c, real factor, uint32_t from, uint32_t end,
                                         real *restrict sum, real *restrict v)
{
    const real *restrict p = x->p, *restrict p_low = x->p_low, *restrict w = s->inverse_mass;
    const real *restrict offset = s->offset, all = s->inverse_mass[0];
    extreme most = 0;
#define ALL(velocity)                                                    \
    for (uint32_t j = from; j < end; j++) {                              \
        real force = a[j - from] + b[j - from] + c[j - from];            \
        real p1 = p[j] + (factor * force + p_low[j]), now = velocity;    \
        sum[j] = force;                                                  \
        most = extreme_see(most, now);                                   \
        v[j] = now;                                                      \
    }
    if (even)
        ALL(all * p1)
    else if (s->form == FORM_LAGRANGIAN)
        ALL(w[j] * (p1 - offset[j]))
    else
        ALL(w[j] * p1 + offset[j])
#undef ALL
    return most;
}

/* sum = a + b + c */
static WIDE_LOOPS void sum_forces(const real *a, const real *b, const real *c, uint32_t count, real *restrict sum)
{
    for (uint32_t j = 0; j < count; j++) sum[j] = a[j] + b[j] + c[j];
}

/* With a diagonal mass: p1 = p0 + (factor (force + push) + p_low), compensated, where the force is in the place of p1
   and push begins with coordinate `from`; and its velocity v. Returns how much v changed. */
static WIDE_LOOPS extreme diagonal_momenta(const struct system *s, int even, const state *x,
                                           const real *restrict push, real factor, uint32_t from, uint32_t end,
                                           state *next)
{
    const real *restrict p = x->p, *restrict p_low = x->p_low, *restrict w = s->inverse_mass;
    const real *restrict offset = s->offset, all = s->inverse_mass[0];
    real *restrict to = next->p, *restrict to_low = next->p_low, *restrict v = next->w;
    extreme most = 0;
#define ALL(velocity)                                                                \
    for (uint32_t j = from; j < end; j++) {                                          \
        real d = factor * (to[j] + push[j - from]) + p_low[j], p1 = p[j] + d;        \
        real now = velocity;                                                         \
        to_low[j] = d - (p1 - p[j]);                                                 \
        to[j] = p1;                                                                  \
        most = extreme_see(most, now - v[j]);                                        \
        v[j] = now;                                                                  \
    }
    if (even)
        ALL(all * p1)
    else if (s->form == FORM_LAGRANGIAN)
        ALL(w[j] * (p1 - offset[j]))
    else
        ALL(w[j] * p1 + offset[j])
#undef ALL
    return most;
}

/* One loop: each sum waits for its additions, but not for the others. */
static inline void add_forces(const real *push, const real *free, const real *p, uint32_t count, method_forces *sums)
{
    real whole = sums->whole, others = sums->free, momenta = sums->momenta;
    for (uint32_t j = 0; j < count; j++) {
        whole += push[j] * push[j];
        others += REAL(fabs)(free[j]);
        momenta += REAL(fabs)(p[j]);
    }
    sums->whole = whole, sums->free = others, sums->momenta = momenta;
}

#endif
