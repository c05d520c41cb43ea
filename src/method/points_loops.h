/* The loops of points.c. */
#ifndef TAUT_METHOD_POINTS_LOOPS_H
#define TAUT_METHOD_POINTS_LOOPS_H

#include "method/points_lanes.h"

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

/* The other way round. */
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

/* Of one component of the bars of a run, y d at one end of each and -y d at the other; f and g: at the ends of the
   first bar. */
POINTS_INSIDE void points_pull(size_t count, const real *restrict y, const real *restrict d, real *f, real *g)
{
    for (size_t k = 0; k < count; k++) f[k] += y[k] * d[k];
    for (size_t k = 0; k < count; k++) g[k] -= y[k] * d[k];
}

/* Of bars that are linked, at their ends a, where nothing is so far. Writes a few numbers more, which are written later.
   last: no bars follow, and what is behind them is zero. */
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
    const lane_bits none = { 0 }, seen = again ? ~none : none; /* of what is subtracted */
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

/* x1 = y / s, and its trend, the change from x, as far as that is small: not at all where it is an eighth of x1, as out
   of rest. From far away Newton's iteration may find another solution. Returns the largest x1. */
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
