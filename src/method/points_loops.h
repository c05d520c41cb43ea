/* The loops of points.c over points and bars. Numbers stand by component: x[c][i] of point i. */
#ifndef TAUT_METHOD_POINTS_LOOPS_H
#define TAUT_METHOD_POINTS_LOOPS_H

#include "base/extreme.h"
#include "base/loops.h"
#include "method/bars.h"
#include "system/state.h"

/* Into functions with WIDE_LOOPS around them, which say for which processor. */
#define POINTS_INSIDE static inline __attribute__((always_inline))

typedef struct {
    real *c[BARS_SPACE];
} vectors;

/* body for every point I, with J(c) its coordinate c in arrays of the state. */
#define POINTS_EACH(B, BODY2, BODY3)                                              \
    do {                                                                          \
        const uint32_t count_ = (B)->points;                                      \
        if ((B)->spacing == 3) {                                                  \
            for (uint32_t I = 0; I < count_; I++) {                               \
                const size_t J0 = 3 * (size_t)I, J1 = J0 + 1, J2 = J0 + 2;        \
                BODY2(0, J0) BODY2(1, J1) BODY2(2, J2) BODY3                      \
            }                                                                     \
        } else if ((B)->spacing == 2) {                                           \
            for (uint32_t I = 0; I < count_; I++) {                               \
                const size_t J0 = 2 * (size_t)I, J1 = J0 + 1;                     \
                BODY2(0, J0) BODY2(1, J1) BODY3                                   \
            }                                                                     \
        } else {                                                                  \
            for (uint32_t I = 0; I < count_; I++) {                               \
                const size_t J0 = (B)->first[I], J1 = J0 + 1, J2 = J0 + 2;        \
                BODY2(0, J0)                                                      \
                if ((B)->size[I] > 1) { BODY2(1, J1) }                            \
                if ((B)->size[I] > 2) { BODY2(2, J2) }                            \
                BODY3                                                             \
            }                                                                     \
        }                                                                         \
    } while (0)

/* BODY for every bar K of a run, with the points A and B_ at its ends. */
#define BARS_OF_RUN(B, RUN, ...)                                                  \
    do {                                                                          \
        const size_t first_ = (RUN)->first, end_ = first_ + (RUN)->count;         \
        if ((RUN)->steady) {                                                      \
            const size_t a_ = (B)->a[first_] - first_, b_ = (B)->b[first_] - first_; \
            for (size_t K = first_; K < end_; K++) {                              \
                const size_t A = a_ + K, B_ = b_ + K;                             \
                __VA_ARGS__                                                       \
            }                                                                     \
        } else {                                                                  \
            for (size_t K = first_; K < end_; K++) {                              \
                const size_t A = (B)->a[K], B_ = (B)->b[K];                       \
                __VA_ARGS__                                                       \
            }                                                                     \
        }                                                                         \
    } while (0)

/* base = h v + q_low, v the velocity that belongs to p + (h/2 f + p_low). Returns whether the positions of the state
   are not q. */
static WIDE_LOOPS int points_begin(const bars *b, const state *x, real h, const real *restrict w, const vectors *fs,
                                   const vectors *qs, const vectors *bases)
{
    const real *restrict p = x->p, *restrict p_low = x->p_low, *restrict q_low = x->q_low, *restrict q = x->q;
    const real *restrict f0 = fs->c[0], *restrict f1 = fs->c[1], *restrict f2 = fs->c[2], half = h / 2;
    const real *restrict q0 = qs->c[0], *restrict q1 = qs->c[1], *restrict q2 = qs->c[2];
    real *restrict base0 = bases->c[0], *restrict base1 = bases->c[1], *restrict base2 = bases->c[2];
    int64_t differs = 0;
#define ONE(c, j)                                                                        \
    base##c[I] = h * (w[I] * (p[j] + (half * f##c[I] + p_low[j]))) + q_low[j];           \
    differs |= !(q##c[I] == q[j]);
    POINTS_EACH(b, ONE, );
#undef ONE
    return differs != 0;
}

/* Numbers of the state by component. */
static WIDE_LOOPS void points_spread(const bars *b, const real *restrict from, const vectors *to)
{
    real *restrict x0 = to->c[0], *restrict x1 = to->c[1], *restrict x2 = to->c[2];
#define ONE(c, j) x##c[I] = from[j];
    POINTS_EACH(b, ONE, );
#undef ONE
}

static WIDE_LOOPS void points_collect(const bars *b, const vectors *from, real *restrict to)
{
    const real *restrict x0 = from->c[0], *restrict x1 = from->c[1], *restrict x2 = from->c[2];
#define ONE(c, j) to[j] = x##c[I];
    POINTS_EACH(b, ONE, );
#undef ONE
}

/* push = sum of y d over the bars of each point, with the sign of its end */
static WIDE_LOOPS void points_push(const bars *b, const real *restrict y, const vectors *ds, const vectors *pushes)
{
    const real *restrict d0 = ds->c[0], *restrict d1 = ds->c[1], *restrict d2 = ds->c[2];
    real *restrict f0 = pushes->c[0], *restrict f1 = pushes->c[1], *restrict f2 = pushes->c[2];
    const size_t size = (b->points + b->fixed) * sizeof(real);
    memset(f0, 0, size), memset(f1, 0, size), memset(f2, 0, size);
    for (uint32_t r = 0; r < b->run_count; r++) {
        BARS_OF_RUN(b, &b->runs[r], {
            (void)B_;
            f0[A] += y[K] * d0[K], f1[A] += y[K] * d1[K], f2[A] += y[K] * d2[K];
        });
        BARS_OF_RUN(b, &b->runs[r], {
            (void)A;
            f0[B_] -= y[K] * d0[K], f1[B_] -= y[K] * d1[K], f2[B_] -= y[K] * d2[K];
        });
    }
}

/* q1 = q + (base + factor w push). Returns how far q1 moved, or, the first time, the largest q1. */
static WIDE_LOOPS extreme points_move(uint32_t count, const vectors *qs, const vectors *bases, const real *restrict w,
                                      const vectors *pushes, real factor, int again, const vectors *to)
{
    extreme most = 0;
    for (int c = 0; c < BARS_SPACE; c++) {
        const real *restrict q = qs->c[c], *restrict base = bases->c[c], *restrict push = pushes->c[c];
        real *restrict q1 = to->c[c];
        if (again)
            for (uint32_t i = 0; i < count; i++) {
                const real now = q[i] + (base[i] + factor * (w[i] * push[i]));
                most = extreme_see(most, now - q1[i]);
                q1[i] = now;
            }
        else
            for (uint32_t i = 0; i < count; i++) {
                const real now = q[i] + (base[i] + factor * (w[i] * push[i]));
                most = extreme_see(most, now);
                q1[i] = now;
            }
    }
    return most;
}

/* (|d|^2 - L^2)/2 */
static WIDE_LOOPS void points_stretches(const bars *b, const vectors *qs, real *restrict out)
{
    const real *restrict x = qs->c[0], *restrict y = qs->c[1], *restrict z = qs->c[2], *restrict square = b->square;
    for (uint32_t r = 0; r < b->run_count; r++)
        BARS_OF_RUN(b, &b->runs[r], {
            const real u = x[A] - x[B_], v = y[A] - y[B_], w = z[A] - z[B_];
            out[K] = (real)0.5 * (u * u + v * v + w * w - square[K]);
        });
}

/* The vectors of the bars. */
static WIDE_LOOPS void points_bars(const bars *b, const vectors *qs, const vectors *ds)
{
    const real *restrict x = qs->c[0], *restrict y = qs->c[1], *restrict z = qs->c[2];
    real *restrict d0 = ds->c[0], *restrict d1 = ds->c[1], *restrict d2 = ds->c[2];
    for (uint32_t r = 0; r < b->run_count; r++)
        BARS_OF_RUN(b, &b->runs[r], { d0[K] = x[A] - x[B_], d1[K] = y[A] - y[B_], d2[K] = z[A] - z[B_]; });
}

/* d . (v_a - v_b). Returns the largest. */
static WIDE_LOOPS extreme points_rates(const bars *b, const vectors *ds, const vectors *vs, real *restrict out)
{
    const real *restrict x = vs->c[0], *restrict y = vs->c[1], *restrict z = vs->c[2];
    const real *restrict d0 = ds->c[0], *restrict d1 = ds->c[1], *restrict d2 = ds->c[2];
    extreme most = 0;
    for (uint32_t r = 0; r < b->run_count; r++)
        BARS_OF_RUN(b, &b->runs[r], {
            const real now = d0[K] * (x[A] - x[B_]) + d1[K] * (y[A] - y[B_]) + d2[K] * (z[A] - z[B_]);
            most = extreme_see(most, now);
            out[K] = now;
        });
    return most;
}

/* The positions are the last ones: q1 and what their sums leave over into the state, all forces but those at the end of
   the bars there, and the velocities that belong to these. Returns the largest velocity. */
static WIDE_LOOPS extreme points_turn(const bars *b, const state *x, real h, const real *restrict w, const vectors *qs,
                                      const vectors *bases, const vectors *pushes, const vectors *fs,
                                      const vectors *ends, const vectors *sums, const vectors *vs, state *next)
{
    const real *restrict p = x->p, *restrict p_low = x->p_low, factor = h * h / 2, half = h / 2;
    const real *restrict q0 = qs->c[0], *restrict q1 = qs->c[1], *restrict q2 = qs->c[2];
    const real *restrict base0 = bases->c[0], *restrict base1 = bases->c[1], *restrict base2 = bases->c[2];
    const real *restrict push0 = pushes->c[0], *restrict push1 = pushes->c[1], *restrict push2 = pushes->c[2];
    const real *f0 = fs->c[0], *f1 = fs->c[1], *f2 = fs->c[2];
    const real *end0 = ends->c[0], *end1 = ends->c[1], *end2 = ends->c[2];
    real *restrict sum0 = sums->c[0], *restrict sum1 = sums->c[1], *restrict sum2 = sums->c[2];
    real *restrict v0 = vs->c[0], *restrict v1 = vs->c[1], *restrict v2 = vs->c[2];
    real *restrict to = next->q, *restrict low = next->q_low;
    extreme most = 0;
#define ONE(c, j)                                                                \
    {                                                                            \
        const real d = base##c[I] + factor * (w[I] * push##c[I]);                \
        const real at = q##c[I] + d, force = f##c[I] + push##c[I] + end##c[I];   \
        const real v = w[I] * (p[j] + (half * force + p_low[j]));                \
        to[j] = at;                                                              \
        low[j] = d - (at - q##c[I]);                                             \
        sum##c[I] = force;                                                       \
        v##c[I] = v;                                                             \
        most = extreme_see(most, v);                                             \
    }
    POINTS_EACH(b, ONE, );
#undef ONE
    return most;
}

/* p1 = p + (h/2 (sum + push) + p_low), compensated, and its velocities. Returns how much these changed. */
static WIDE_LOOPS extreme points_end(const bars *b, const state *x, real h, const real *restrict w,
                                     const vectors *sums, const vectors *pushes, const vectors *vs, state *next)
{
    const real *restrict p = x->p, *restrict p_low = x->p_low, half = h / 2;
    const real *restrict sum0 = sums->c[0], *restrict sum1 = sums->c[1], *restrict sum2 = sums->c[2];
    const real *restrict push0 = pushes->c[0], *restrict push1 = pushes->c[1], *restrict push2 = pushes->c[2];
    real *restrict v0 = vs->c[0], *restrict v1 = vs->c[1], *restrict v2 = vs->c[2];
    real *restrict to = next->p, *restrict to_low = next->p_low, *restrict to_w = next->w;
    extreme most = 0;
#define ONE(c, j)                                                                \
    {                                                                            \
        const real d = half * (sum##c[I] + push##c[I]) + p_low[j];               \
        const real p1 = p[j] + d, v = w[I] * p1;                                 \
        to_low[j] = d - (p1 - p[j]);                                             \
        to[j] = p1;                                                              \
        to_w[j] = v;                                                             \
        most = extreme_see(most, v - v##c[I]);                                   \
        v##c[I] = v;                                                             \
    }
    POINTS_EACH(b, ONE, );
#undef ONE
    return most;
}

/* x = before - factor y. Returns the largest. */
static WIDE_LOOPS extreme points_subtract(uint32_t count, const real *before, real factor, const real *restrict y,
                                          real *x)
{
    extreme most = 0;
    for (uint32_t k = 0; k < count; k++) {
        const real now = before[k] - factor * y[k];
        most = extreme_see(most, now);
        x[k] = now;
    }
    return most;
}

static WIDE_LOOPS void points_scale(uint32_t count, real factor, const real *restrict by, const real *restrict from,
                                    real *restrict to)
{
    for (uint32_t k = 0; k < count; k++) to[k] = factor * by[k] * from[k];
}

/* to = from / by. Returns the largest. */
static WIDE_LOOPS extreme points_divide(uint32_t count, const real *restrict by, const real *restrict from,
                                        real *restrict to)
{
    extreme most = 0;
    for (uint32_t k = 0; k < count; k++) {
        const real now = from[k] / by[k];
        most = extreme_see(most, now);
        to[k] = now;
    }
    return most;
}

/* The diagonal of the matrix of the multipliers: weights |d|^2 */
static WIDE_LOOPS void points_diagonal(uint32_t count, const real *restrict weights, const vectors *rows,
                                       const vectors *columns, real *restrict to)
{
    const real *x = rows->c[0], *y = rows->c[1], *z = rows->c[2];
    const real *u = columns->c[0], *v = columns->c[1], *w = columns->c[2];
    for (uint32_t k = 0; k < count; k++) to[k] = weights[k] * (x[k] * u[k] + y[k] * v[k] + z[k] * w[k]);
}

/* Between neighbours of a chain: weights[k] rows[k + row] . columns[k + column] */
static WIDE_LOOPS void points_next(uint32_t count, const real *restrict weights, const vectors *rows, uint32_t row,
                                   const vectors *columns, uint32_t column, real *restrict to)
{
    const real *x = rows->c[0] + row, *y = rows->c[1] + row, *z = rows->c[2] + row;
    const real *u = columns->c[0] + column, *v = columns->c[1] + column, *w = columns->c[2] + column;
    for (uint32_t k = 0; k < count; k++) to[k] = weights[k] * (x[k] * u[k] + y[k] * v[k] + z[k] * w[k]);
}

#endif
