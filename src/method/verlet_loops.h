/* The loops over coordinates of verlet.c, in pieces: numbers from .. end - 1. */
#ifndef TAUT_METHOD_VERLET_LOOPS_H
#define TAUT_METHOD_VERLET_LOOPS_H

#include "linalg/products.h"
#include "method/diagonal_loops.h"

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

/* v = the velocity of p + (half (f + push) + p_low) of a Lagrangian, for a diagonal mass */
static WIDE_LOOPS void diagonal_stage(const struct system *s, const state *x, const real *restrict f,
                                      const real *restrict push, real half, uint32_t from, uint32_t end,
                                      real *restrict v)
{
    const real *restrict p = x->p, *restrict p_low = x->p_low, *restrict w = s->inverse_mass, *restrict a = s->offset;
    for (uint32_t j = from; j < end; j++) v[j] = w[j] * (p[j] + (half * (f[j] + push[j]) + p_low[j]) - a[j]);
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
