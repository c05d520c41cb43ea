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
/* The first `left` of them; zero for the others. */
typedef int64_t lane_bits __attribute__((vector_size(BARS_LANES * sizeof(real))));
#define LANES_FIRST(x, left) \
    ((lanes)((lane_bits)(x) & ((lane_bits){ 0, 1, 2, 3 } < (int64_t)(left))))
/* The last one of `before` and all but the last of x; all but the first of x and the first of `after`. Numbers that have
   just been written are not read across two writes: the processor would wait until they are in the cache. */
#ifdef __clang__
#define LANES_MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#define LANES_BEHIND(before, x) __builtin_shufflevector(before, x, 3, 4, 5, 6)
#define LANES_AHEAD(x, after) __builtin_shufflevector(x, after, 1, 2, 3, 4)
#else
#define LANES_MIX(x, y, ...) __builtin_shuffle(x, y, (lane_bits){ __VA_ARGS__ })
#define LANES_BEHIND(before, x) __builtin_shuffle(before, x, (lane_bits){ 3, 4, 5, 6 })
#define LANES_AHEAD(x, after) __builtin_shuffle(x, after, (lane_bits){ 1, 2, 3, 4 })
#endif

/* The largest |x| so far, lane by lane (base/extreme.h), and of all lanes. */
POINTS_INSIDE void lanes_see(lane_bits *most, const lanes *x)
{
    const lane_bits size = (lane_bits)*x & INT64_MAX, larger = size > *most;
    *most ^= (size ^ *most) & larger;
}

POINTS_INSIDE extreme lanes_extreme(const lane_bits *most)
{
    extreme all = 0;
    for (int l = 0; l < BARS_LANES; l++) all = extreme_join(all, (*most)[l]);
    return all;
}

/* BODY for every moving point I from a first one on, with each coordinate c of it: J is its place in arrays of the state. */
#define POINTS_EACH(B, FIRST, BODY)                                               \
    do {                                                                          \
        const size_t begin_ = (B)->begin, count_ = (B)->points;                   \
        if ((B)->spacing == 3) {                                                  \
            for (size_t i_ = (FIRST); i_ < count_; i_++) {                        \
                const size_t I = begin_ + i_, J = 3 * i_;                         \
                BODY(0, J) BODY(1, J + 1) BODY(2, J + 2)                          \
            }                                                                     \
        } else if ((B)->spacing == 2) {                                           \
            for (size_t i_ = (FIRST); i_ < count_; i_++) {                        \
                const size_t I = begin_ + i_, J = 2 * i_;                         \
                BODY(0, J) BODY(1, J + 1)                                         \
            }                                                                     \
        } else {                                                                  \
            for (size_t i_ = (FIRST); i_ < count_; i_++) {                        \
                const size_t I = begin_ + i_, J = (B)->first[I];                  \
                BODY(0, J)                                                        \
                if ((B)->size[I] > 1) { BODY(1, J + 1) }                          \
                if ((B)->size[I] > 2) { BODY(2, J + 2) }                          \
            }                                                                     \
        }                                                                         \
    } while (0)

/* The same with FOUR for the points I .. I + 3 of space, and ONE for all others. */
#define POINTS_FOURS(B, ...)                                                      \
    do {                                                                          \
        const size_t fours_ = (B)->spacing == 3 ? (B)->points / 4 * 4 : 0;        \
        for (size_t i_ = 0; i_ < fours_; i_ += 4) {                               \
            const size_t I = (B)->begin + i_, J = 3 * i_;                         \
            __VA_ARGS__                                                           \
        }                                                                         \
        POINTS_EACH(B, fours_, ONE);                                              \
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

/* Numbers of the state by component: of four points of space at a time, where all points are such. */
static WIDE_LOOPS void points_spread(const bars *b, const real *restrict from, const vectors *to)
{
    real *restrict x0 = to->c[0], *restrict x1 = to->c[1], *restrict x2 = to->c[2];
#define ONE(c, j) x##c[I] = from[j];
    POINTS_FOURS(b, {
        const lanes first = LANES_AT(from + J), second = LANES_AT(from + J + 4), third = LANES_AT(from + J + 8);
        const lanes x = LANES_MIX(first, second, 0, 3, 6, 0), y = LANES_MIX(first, second, 1, 4, 7, 0);
        const lanes z = LANES_MIX(first, second, 2, 5, 0, 0);
        LANES_TO(x0 + I) = LANES_MIX(x, third, 0, 1, 2, 5), LANES_TO(x1 + I) = LANES_MIX(y, third, 0, 1, 2, 6);
        LANES_TO(x2 + I) = LANES_MIX(z, third, 0, 1, 4, 7);
    });
#undef ONE
}

static WIDE_LOOPS void points_collect(const bars *b, const vectors *from, real *restrict to)
{
    const real *restrict x0 = from->c[0], *restrict x1 = from->c[1], *restrict x2 = from->c[2];
#define ONE(c, j) to[j] = x##c[I];
    POINTS_FOURS(b, {
        const lanes x = LANES_AT(x0 + I), y = LANES_AT(x1 + I), z = LANES_AT(x2 + I);
        const lanes xy = LANES_MIX(x, y, 0, 4, 1, 5), yx = LANES_MIX(x, y, 2, 6, 3, 7);
        LANES_TO(to + J) = LANES_MIX(LANES_MIX(xy, z, 0, 1, 4, 2), z, 0, 1, 2, 3);
        LANES_TO(to + J + 4) = LANES_MIX(LANES_MIX(xy, z, 3, 5, 0, 0), yx, 0, 1, 4, 5);
        LANES_TO(to + J + 8) = LANES_MIX(LANES_MIX(yx, z, 6, 2, 3, 7), z, 0, 1, 2, 3);
    });
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
   written later. last: no bars follow, and what is behind them is zero. */
POINTS_INSIDE void points_pull_fresh(const bars *b, const bar_run *run, int last, const real *y, const vectors *ds,
                                     const vectors *fs)
{
    const size_t count = run->count, first = run->first, a = b->a[first];
    const vectors d = { { ds->c[0] + first, ds->c[1] + first, ds->c[2] + first } };
    const vectors f = { { fs->c[0] + a, fs->c[1] + a, fs->c[2] + a } };
    lanes force[BARS_SPACE];
    y += first;
    for (int c = 0; c < BARS_SPACE; c++) force[c] = LANES_AT(y) * LANES_AT(d.c[c]);
    for (size_t k = 0; k < count; k += BARS_LANES) {
        const lanes ahead = LANES_AT(y + k + BARS_LANES);
        for (int c = 0; c < BARS_SPACE; c++) {
            const lanes next = ahead * LANES_AT(d.c[c] + k + BARS_LANES);
            LANES_TO(f.c[c] + k) = force[c] - LANES_AHEAD(force[c], next);
            force[c] = next;
        }
    }
    for (int c = 0; c < BARS_SPACE && !last; c++) f.c[c][count - 1] = y[count - 1] * d.c[c][count - 1];
}

/* All others, of one component. What pulls at the fixed end of the first bar is left out: nothing moves there. */
POINTS_INSIDE void points_pull_rest(const bars *b, const bar_run *run, const real *y, const real *d, real *f)
{
    const size_t first = run->first, end = first + run->count;
    if (run->fresh) {
        if (b->b[first] >= b->begin) f[b->b[first]] -= y[first] * d[first];
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
    for (uint32_t r = 0; r < b->run_count; r++)
        if (b->runs[r].fresh) points_pull_fresh(b, &b->runs[r], r + 1 == b->run_count, y, ds, pushes);
    for (int c = 0; c < BARS_SPACE && !b->one_chain; c++) {
        real *f = pushes->c[c];
        for (uint32_t i = 0; i < b->other_count; i++)
            for (uint32_t k = 0; k < b->others[i].count; k++) f[b->others[i].first + k] = 0;
        for (uint32_t r = 0; r < b->run_count; r++) points_pull_rest(b, &b->runs[r], y, ds->c[c], f);
    }
}

/* q1 = q + (base + factor w push), as low_parts of verlet_loops.h does it; w NULL: 1. Returns how far q1 moved, or, the
   first time, the largest q1. What fills up the points is zero. */
static WIDE_LOOPS extreme points_move(const bars *b, const vectors *qs, const vectors *bases, const real *w,
                                      const vectors *pushes, real factor, int again, const vectors *to)
{
    const lane_bits seen = again ? ~(lane_bits){ 0 } : (lane_bits){ 0 }; /* of what is subtracted */
    const size_t end = b->behind;
    const vectors q = *qs, base = *bases, push = *pushes, q1 = *to;
    lane_bits most[BARS_SPACE] = { { 0 }, { 0 }, { 0 } }; /* one for each component: they do not wait for each other */
    for (size_t i = b->begin; i < end; i += BARS_LANES)
        for (int c = 0; c < BARS_SPACE; c++) {
            lanes motion = LANES_AT(push.c[c] + i);
            if (w) motion *= LANES_AT(w + i);
            const lanes now = LANES_AT(q.c[c] + i) + (LANES_AT(base.c[c] + i) + factor * motion);
            const lanes change = now - (lanes)((lane_bits)LANES_AT(q1.c[c] + i) & seen);
            lanes_see(&most[c], &change);
            LANES_TO(q1.c[c] + i) = now;
        }
    for (int c = 1; c < BARS_SPACE; c++) lanes_see(&most[0], (const lanes *)&most[c]);
    return lanes_extreme(&most[0]);
}

/* BODY for every bar K: in blocks of the linked ones, with a..c the coordinates of ends a in p, q and r, and u..w those of
   ends b, where T is LANES; otherwise one by one, where T is a number. LEFT: so many of the block count. */
#define BARS_EACH(B, P, Q, R, BODY)                                                                      \
    for (uint32_t r_ = 0; r_ < (B)->run_count; r_++) {                                                   \
        const bar_run *run_ = &(B)->runs[r_];                                                            \
        const size_t end_ = (size_t)run_->first + run_->count;                                           \
        if (run_->linked) {                                                                              \
            const size_t a_ = (B)->a[run_->first];                                                       \
            const real *p_ = (P) + a_, *q_ = (Q) + a_, *s_ = (R) + a_;                                   \
            const real at_first[BARS_SPACE] = { p_[-1], q_[-1], s_[-1] };                                \
            lanes pb = { 0 }, qb = { 0 }, rb = { 0 };                                                    \
            pb[BARS_LANES - 1] = at_first[0], qb[BARS_LANES - 1] = at_first[1];                          \
            rb[BARS_LANES - 1] = at_first[2];                                                            \
            for (size_t K = run_->first; K < end_; K += BARS_LANES) {                                    \
                const size_t k_ = K - run_->first, left_ = end_ - K;                                     \
                const lanes pa = LANES_AT(p_ + k_), qa = LANES_AT(q_ + k_), ra = LANES_AT(s_ + k_);      \
                const lanes x0 = pa - LANES_BEHIND(pb, pa), x1 = qa - LANES_BEHIND(qb, qa);              \
                const lanes x2 = ra - LANES_BEHIND(rb, ra);                                              \
                BODY(lanes, LANES_AT, LANES_PUT)                                                         \
                pb = pa, qb = qa, rb = ra;                                                               \
            }                                                                                            \
        } else {                                                                                         \
            BARS_OF_RUN(B, run_, {                                                                       \
                const real x0 = (P)[A] - (P)[B_], x1 = (Q)[A] - (Q)[B_], x2 = (R)[A] - (R)[B_];          \
                BODY(real, ONE_AT, ONE_PUT)                                                              \
            });                                                                                          \
        }                                                                                                \
    }
/* Behind the last bar zeros are written; behind the last one of a run what is written later. */
#define LANES_PUT(x, value) LANES_TO(x) = LANES_FIRST(value, left_)
#define ONE_AT(x) (*(x))
#define ONE_PUT(x, value) *(x) = (value)

/* (|d|^2 - L^2)/2 */
static WIDE_LOOPS void points_stretches(const bars *b, const vectors *qs, real *restrict out)
{
    const real *square = b->square;
#define BODY(type, at, put) put(out + K, (real)0.5 * (x0 * x0 + x1 * x1 + x2 * x2 - at(square + K)));
    BARS_EACH(b, qs->c[0], qs->c[1], qs->c[2], BODY)
#undef BODY
}

/* The vectors of the bars. */
static WIDE_LOOPS void points_bars(const bars *b, const vectors *qs, const vectors *ds)
{
    real *restrict d0 = ds->c[0], *restrict d1 = ds->c[1], *restrict d2 = ds->c[2];
#define BODY(type, at, put) put(d0 + K, x0); put(d1 + K, x1); put(d2 + K, x2);
    BARS_EACH(b, qs->c[0], qs->c[1], qs->c[2], BODY)
#undef BODY
}

POINTS_INSIDE extreme points_largest(uint32_t bars, const real *restrict x)
{
    const uint32_t count = BARS_FILLED(bars);
    extreme most = 0;
    for (uint32_t k = 0; k < count; k++) most = extreme_see(most, x[k]);
    return most;
}

/* d . (v_a - v_b). Returns the largest. */
static WIDE_LOOPS extreme points_rates(const bars *b, const vectors *ds, const vectors *vs, real *restrict out)
{
    const real *restrict d0 = ds->c[0], *restrict d1 = ds->c[1], *restrict d2 = ds->c[2];
#define BODY(type, at, put) put(out + K, at(d0 + K) * x0 + at(d1 + K) * x1 + at(d2 + K) * x2);
    BARS_EACH(b, vs->c[0], vs->c[1], vs->c[2], BODY)
#undef BODY
    return points_largest(b->count, out);
}

/* x -= factor y; what fills them up counts for nothing. */
static WIDE_LOOPS void points_subtract(uint32_t bars, real factor, const real *y, real *x)
{
    for (size_t k = 0; k < bars; k += BARS_LANES) LANES_TO(x + k) -= factor * LANES_AT(y + k);
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
        const real now = y[k] / s[k], change = now - x[k];
        const real room = (real)0.125 * REAL(fabs)(now) - REAL(fabs)(change), enough = room > 0 ? room : 0;
        most = extreme_see(most, now);
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
