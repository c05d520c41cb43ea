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

/* So many numbers at once, wherever they stand. */
typedef real lanes __attribute__((vector_size(BARS_LANES * sizeof(real)), aligned(sizeof(real)), may_alias));
#define LANES_AT(x) (*(const lanes *)(x))
#define LANES_TO(x) (*(lanes *)(x))

/* BODY for every point I, with each coordinate c of it: J is its place in arrays of the state. */
#define POINTS_EACH(B, BODY)                                                      \
    do {                                                                          \
        const uint32_t count_ = (B)->points;                                      \
        if ((B)->spacing == 3) {                                                  \
            for (uint32_t I = 0; I < count_; I++) {                               \
                const size_t J = 3 * (size_t)I;                                   \
                BODY(0, J) BODY(1, J + 1) BODY(2, J + 2)                          \
            }                                                                     \
        } else if ((B)->spacing == 2) {                                           \
            for (uint32_t I = 0; I < count_; I++) {                               \
                const size_t J = 2 * (size_t)I;                                   \
                BODY(0, J) BODY(1, J + 1)                                         \
            }                                                                     \
        } else {                                                                  \
            for (uint32_t I = 0; I < count_; I++) {                               \
                const size_t J = (B)->first[I];                                   \
                BODY(0, J)                                                        \
                if ((B)->size[I] > 1) { BODY(1, J + 1) }                          \
                if ((B)->size[I] > 2) { BODY(2, J + 2) }                          \
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

/* Numbers of the state by component. */
static WIDE_LOOPS void points_spread(const bars *b, const real *restrict from, const vectors *to)
{
    real *restrict x0 = to->c[0], *restrict x1 = to->c[1], *restrict x2 = to->c[2];
#define ONE(c, j) x##c[I] = from[j];
    POINTS_EACH(b, ONE);
#undef ONE
}

static WIDE_LOOPS void points_collect(const bars *b, const vectors *from, real *restrict to)
{
    const real *restrict x0 = from->c[0], *restrict x1 = from->c[1], *restrict x2 = from->c[2];
#define ONE(c, j) to[j] = x##c[I];
    POINTS_EACH(b, ONE);
#undef ONE
}

/* Of one component of the bars of a run, y d at one end of each and -y d at the other; f and g: at the ends of the first
   bar. */
POINTS_INSIDE void points_pull(size_t count, const real *restrict y, const real *restrict d, real *f, real *g)
{
#pragma GCC ivdep
    for (size_t k = 0; k < count; k++) f[k] += y[k] * d[k];
#pragma GCC ivdep
    for (size_t k = 0; k < count; k++) g[k] -= y[k] * d[k];
}

/* Of bars that are linked, at their ends a, where nothing is so far: f[k] at that of bar k. Writes a few more, which are
   written later. */
POINTS_INSIDE void points_pull_fresh(uint32_t count, const real *y, const real *d, real *f)
{
    for (uint32_t k = 0; k < count; k += BARS_LANES)
        LANES_TO(f + k) = LANES_AT(y + k) * LANES_AT(d + k) - LANES_AT(y + k + 1) * LANES_AT(d + k + 1);
    f[count - 1] = y[count - 1] * d[count - 1];
}

/* All others. */
POINTS_INSIDE void points_pull_rest(const bars *b, const bar_run *run, const real *y, const real *d, real *f)
{
    const size_t first = run->first, end = first + run->count;
    if (run->fresh) {
        f[b->b[first]] -= y[first] * d[first];
    } else if (run->steady) {
        points_pull(run->count, y + first, d + first, f + b->a[first], f + b->b[first]);
    } else {
        for (size_t k = first; k < end; k++) {
            const real force = y[k] * d[k];
            f[b->a[k]] += force;
            f[b->b[k]] -= force;
        }
    }
}

/* push = sum of y d over the bars of each point, with the sign of its end */
static WIDE_LOOPS void points_push(const bars *b, const real *y, const vectors *ds, const vectors *pushes)
{
    for (int c = 0; c < BARS_SPACE; c++) {
        const real *d = ds->c[c];
        real *f = pushes->c[c];
        for (uint32_t r = 0; r < b->run_count; r++)
            if (b->runs[r].fresh)
                points_pull_fresh(b->runs[r].count, y + b->runs[r].first, d + b->runs[r].first,
                                  f + b->a[b->runs[r].first]);
        for (uint32_t i = 0; i < b->other_count; i++)
            for (uint32_t k = 0; k < b->others[i].count; k++) f[b->others[i].first + k] = 0;
        for (uint32_t r = 0; r < b->run_count; r++) points_pull_rest(b, &b->runs[r], y, d, f);
    }
}

/* q1 = q + (base + factor w push), as low_parts of verlet_loops.h does it; w NULL: 1. Returns how far q1 moved, or, the
   first time, the largest q1. What fills up the points is zero. */
static WIDE_LOOPS extreme points_move(uint32_t points, const vectors *qs, const vectors *bases, const real *restrict w,
                                      const vectors *pushes, real factor, int again, const vectors *to)
{
    const uint32_t count = BARS_FILLED(points);
    extreme most = 0;
    for (int c = 0; c < BARS_SPACE; c++) {
        const real *restrict q = qs->c[c], *restrict base = bases->c[c], *restrict push = pushes->c[c];
        real *restrict q1 = to->c[c];
#define ALL(motion, seen)                                            \
    for (uint32_t i = 0; i < count; i++) {                           \
        const real now = q[i] + (base[i] + factor * (motion));       \
        most = extreme_see(most, seen);                              \
        q1[i] = now;                                                 \
    }
        if (w && again)
            ALL(w[i] * push[i], now - q1[i])
        else if (w)
            ALL(w[i] * push[i], now)
        else if (again)
            ALL(push[i], now - q1[i])
        else
            ALL(push[i], now)
#undef ALL
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

/* x -= factor y; what fills them up counts for nothing. */
static WIDE_LOOPS void points_subtract(uint32_t bars, real factor, const real *restrict y, real *restrict x)
{
    const uint32_t count = BARS_FILLED(bars);
    for (uint32_t k = 0; k < count; k++) x[k] -= factor * y[k];
}

/* y = s (x + trend); trend NULL: 0 */
static WIDE_LOOPS void points_guess(uint32_t count, const real *restrict s, const real *restrict x,
                                    const real *restrict trend, real *restrict y)
{
    if (trend)
        for (uint32_t k = 0; k < count; k++) y[k] = s[k] * (x[k] + trend[k]);
    else
        for (uint32_t k = 0; k < count; k++) y[k] = s[k] * x[k];
}

/* x1 = y / s, and its trend, the change from x, as far as that is small: not at all where it is an eighth of x1, as out of
   rest. From far away Newton's iteration may find another solution. Returns the largest x1. */
static WIDE_LOOPS extreme points_settle(uint32_t count, const real *restrict s, const real *restrict y,
                                        const real *restrict x, real *restrict x1, real *restrict trend)
{
    extreme most = 0;
    for (uint32_t k = 0; k < count; k++) {
        const real now = y[k] / s[k];
        most = extreme_see(most, now);
        const real change = now - x[k], room = (real)0.125 * REAL(fabs)(now) - REAL(fabs)(change);
        const real enough = room > 0 ? room : 0;
        x1[k] = now;
        trend[k] = change > enough ? enough : change < -enough ? -enough : change;
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
