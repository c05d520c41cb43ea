/* The loops over coordinates of verlet.c, in pieces: numbers from .. end - 1. */
#ifndef TAUT_METHOD_VERLET_LOOPS_H
#define TAUT_METHOD_VERLET_LOOPS_H

#include "base/extreme.h"
#include "base/loops.h"
#include "linalg/products.h"
#include "method/method.h"
#include "system/state.h"

static WIDE_LOOPS extreme largest(const real *restrict x, uint32_t from, uint32_t to)
{
    extreme most = 0;
    for (uint32_t j = from; j < to; j++) most = extreme_see(most, x[j]);
    return most;
}

/* x = before - scale y, where before may be x, or NULL for zeros. Returns the largest. */
static WIDE_LOOPS extreme subtract(const real *before, const real *restrict y, real scale, uint32_t from, uint32_t to,
                                   real *x)
{
    extreme most = 0;
#define ALL(old)                                \
    for (uint32_t k = from; k < to; k++) {      \
        real now = (old) - scale * y[k];        \
        most = extreme_see(most, now);          \
        x[k] = now;                             \
    }
    if (before)
        ALL(before[k])
    else
        ALL(0)
#undef ALL
    return most;
}

/* q1 = q0 + (base + factor w push). w NULL: 1, as for masses that are equal (then in the factor) or in blocks (then in
   push). push begins with coordinate `from`. Returns how far q1 moved, or, the first time, the largest q1. What the sum
   leaves over is for the last q1 only: see low_parts. */
static WIDE_LOOPS extreme move_positions(uint32_t from, uint32_t end, const state *x, const real *restrict base,
                                         const real *restrict w, const real *restrict push, real factor, int again,
                                         state *next)
{
    const real *restrict q = x->q;
    real *restrict to = next->q;
    extreme most = 0;
#define ALL(motion, seen)                                        \
    for (uint32_t j = from; j < end; j++) {                      \
        real sum = q[j] + (base[j] + factor * (motion));         \
        most = extreme_see(most, seen);                          \
        to[j] = sum;                                             \
    }
    if (w && again)
        ALL(w[j] * push[j - from], sum - to[j])
    else if (w)
        ALL(w[j] * push[j - from], sum)
    else if (again)
        ALL(push[j - from], sum - to[j])
    else
        ALL(push[j - from], sum)
#undef ALL
    return most;
}

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

/* v = the velocity of p + (half (f + push) + p_low) of a Lagrangian, for a diagonal mass */
static WIDE_LOOPS void diagonal_stage(const struct system *s, const state *x, const real *restrict f,
                                      const real *restrict push, real half, uint32_t from, uint32_t end,
                                      real *restrict v)
{
    const real *restrict p = x->p, *restrict p_low = x->p_low, *restrict w = s->inverse_mass, *restrict a = s->offset;
    for (uint32_t j = from; j < end; j++) v[j] = w[j] * (p[j] + (half * (f[j] + push[j]) + p_low[j]) - a[j]);
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

/* velocity = W (p - a) for a Lagrangian with p = M v + a, W p + a for a Hamiltonian */
static inline void velocity_of(const struct system *s, const real *p, real *work, real *v)
{
    uint32_t n = s->n;
    if (s->form == FORM_LAGRANGIAN) {
        for (uint32_t i = 0; i < n; i++) work[i] = p[i] - s->offset[i];
        X(system_apply_inverse_mass)(s, work, v);
    } else {
        X(system_apply_inverse_mass)(s, p, v);
        for (uint32_t i = 0; i < n; i++) v[i] += s->offset[i];
    }
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

/* sum_k |G_k| |lambda_k| of rows from .. to - 1. lists: of G v over these values. */
static WIDE_LOOPS real forces_apart(const products *lists, const real *restrict values, const real *restrict lambda,
                                    int from, int to)
{
    enum { PERIODS = 64 };
    real sum = 0;
    for (size_t n = products_find(lists, from); n < lists->piece_count && lists->pieces[n].first < to; n++) {
        const products_piece *p = &lists->pieces[n];
        const int first = from > p->first ? (from - p->first) / p->period : 0;
        for (int k = first, count; k < p->repeats && p->first + k * p->period < to; k += count) {
            count = p->repeats - k < PERIODS ? p->repeats - k : PERIODS;
            for (int m = 0; m < p->period; m++) {
                real terms[PERIODS] = { 0 };
                for (int e = p->start[m]; e < p->start[m + 1]; e++) {
                    const ptrdiff_t step = lists->entries[e].a_step;
                    const real *restrict a = values + lists->entries[e].a + k * step;
                    for (int i = 0; i < count; i++) terms[i] += a[i * step] * a[i * step];
                }
                for (int i = 0, row = p->first + k * p->period + m; i < count; i++, row += p->period)
                    if (row >= from && row < to) sum += REAL(sqrt)(terms[i]) * REAL(fabs)(lambda[row]);
            }
        }
    }
    return sum;
}

#endif
