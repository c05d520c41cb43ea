/* Elimination of the fronts (linear_blocks.h). */
#include "linalg/linear_blocks_loops.h"

/* A pivot on the diagonal is taken where it is so large beside the others of its column. */
static const double DIAGONAL_LEAST = 0.1;

/* Lane k alone. */
static const int64_t one_lane[][BLOCKS_LANES] = { { -1, 0, 0, 0 }, { 0, -1, 0, 0 }, { 0, 0, -1, 0 }, { 0, 0, 0, -1 } };

INLINE double larger(double a, double b) { return b > a ? b : a; }

#define HAS_ALL(mask) (((mask)[0] & (mask)[1] & (mask)[2] & (mask)[3]) != 0)
#define HAS_SOME(mask) (((mask)[0] | (mask)[1] | (mask)[2] | (mask)[3]) != 0)

/* sizes := the larger of sizes and |column|, row by row */
INLINE void measure(double *sizes, const double *column, int vectors)
{
    for (int i = 0; i < vectors; i++, sizes += BLOCKS_LANES, column += BLOCKS_LANES) {
        const vector before = CONST_AT(sizes), size = SIZE_OF(CONST_AT(column));
        AT(sizes) = LARGER_OF(before, size);
    }
}

/* The own rows of a front of several panels, before the first is eliminated. */
INLINE void measure_own(const blocks_numbers *s, const blocks_group *g, int lanes)
{
    for (int j = 0; j < g->own; j++)
        measure(s->size + g->first, s->fronts + g->at + (size_t)j * g->stride, vectors_of(g->own, lanes));
}

/* ---- inverses of panels ---- */

static void exchange(double *a, double *b)
{
    const double other = *a;
    *a = *b, *b = other;
}

/* Exchanges rows of one lane so that the pivot of column k is the largest of those that are left. */
static void choose_pivot(double *d, size_t stride, int own, int k, int *pivot, int lanes)
{
    const double *column = d + (size_t)k * stride;
    int at = k;
    for (int i = k + 1; i < own; i++)
        if (fabs(column[i * lanes]) > fabs(column[at * lanes])) at = i;
    *pivot = at;
    for (int j = 0; at != k && j < own; j++, d += stride) exchange(d + k * lanes, d + at * lanes);
}

static void choose_pivots(double *d, size_t stride, int own, int k, int *pivots, int *exchanged, int lanes)
{
    for (int i = 0; !*exchanged && i < own * lanes; i++) pivots[i] = i / lanes;
    *exchanged = 1;
    for (int l = 0; l < lanes; l++) {
        const double *column = d + (size_t)k * stride + l;
        double most = 0;
        for (int i = k + 1; i < own; i++) most = larger(most, fabs(column[i * lanes]));
        if (!(fabs(column[k * lanes]) >= DIAGONAL_LEAST * most))
            choose_pivot(d + l, stride, own, k, &pivots[k * lanes + l], lanes);
    }
}

/* Are the pivots on the diagonal large enough, in all lanes? */
INLINE int has_pivots(const double *column, int own, int k, int lanes)
{
    if (lanes == 1) {
        double most = 0;
#pragma GCC unroll 8
        for (int i = k + 1; i < own; i++) most = larger(most, fabs(column[i]));
        return fabs(column[k]) >= DIAGONAL_LEAST * most;
    }
    vector most = { 0 };
#pragma GCC unroll 8
    for (int i = k + 1; i < own; i++) {
        const vector size = SIZE_OF(CONST_AT(column + i * lanes));
        most = LARGER_OF(most, size);
    }
    const bits well = SIZE_OF(CONST_AT(column + k * lanes)) >= DIAGONAL_LEAST * most;
    return (well[0] & well[1] & well[2] & well[3]) != 0;
}

/* Column j of a step of Gauss-Jordan elimination, from vector `at` on. held: column k, negated but zero in row k. */
INLINE void eliminate_in(double *column, const vector *held, const vector *x, int is_pivot, int k, int at, int lanes,
                         const int some)
{
    const int pivot_at = (lanes > 1 ? k : k / BLOCKS_LANES) - at;
    const bits pivot_lane = BITS_AT(one_lane[k % BLOCKS_LANES]);
    double *to = column + at * BLOCKS_LANES, *pivot = column + (at + pivot_at) * BLOCKS_LANES;
#pragma GCC unroll 16
    for (int i = 0; i < some; i++) {
        vector before = CONST_AT(to + BLOCKS_LANES * i);
        if (is_pivot) before = (vector){ 0 };
        AT(to + BLOCKS_LANES * i) = before + held[i] * *x;
    }
    if (lanes > 1 && pivot_at >= 0 && pivot_at < some) AT(pivot) = *x;
    if (lanes == 1 && pivot_at >= 0 && pivot_at < some) AT(pivot) = CHOSEN(pivot_lane, *x, CONST_AT(pivot));
}

/* Subtracts multiples of column k from the others, in some rows from vector `at` on, so that row k becomes zero, and
   puts the row and the column of the inverse in their place. column: its rows negated, but zero in row k. by: the
   inverse of the pivot. factors: row k divided by the pivot, a vector each; NULL: not known, and row k is among the
   rows. */
INLINE void eliminate_some(double *d, size_t stride, const double *column, const double *factors, int own, int k,
                           const vector *by, int at, int lanes, const int some)
{
    vector held[HELD];
    column += at * BLOCKS_LANES;
#pragma GCC unroll 16
    for (int i = 0; i < some; i++) held[i] = CONST_AT(column + BLOCKS_LANES * i);
    for (int j = 0; j < own; j++) {
        double *to = d + (size_t)j * stride;
        vector x = *by;
        if (j == k) continue;
        if (factors)
            x = CONST_AT(factors + BLOCKS_LANES * j);
        else
            x *= FACTOR(to + k * lanes, lanes);
        eliminate_in(to, held, &x, 0, k, at, lanes, some);
    }
    eliminate_in(d + (size_t)k * stride, held, by, 1, k, at, lanes, some);
}

/* A step of Gauss-Jordan elimination. more: room for two columns. */
INLINE void eliminate_column(double *d, size_t stride, int own, int k, double *more, int vectors, int lanes)
{
    const double *column = d + (size_t)k * stride, *row = d + k * lanes;
    const vector by = 1 / FACTOR(column + k * lanes, lanes);
    const bits pivot_lane = BITS_AT(lanes > 1 ? first_lanes[BLOCKS_LANES] : one_lane[k % BLOCKS_LANES]);
    double *pivot = more + BLOCKS_LANES * (lanes > 1 ? k : k / BLOCKS_LANES);
    for (int i = 0; i < vectors; i++) AT(more + BLOCKS_LANES * i) = -CONST_AT(column + BLOCKS_LANES * i);
    AT(pivot) = (vector)((bits)CONST_AT(pivot) & ~pivot_lane);
    if (vectors <= MOST_HELD(lanes)) {
#define SOME(some) eliminate_some(d, stride, more, NULL, own, k, &by, 0, lanes, some)
        FOR_VECTORS(vectors, lanes)
#undef SOME
        return;
    }
    double *factors = more + BLOCKS_LANES * vectors;
    int at = 0;
    for (int j = 0; j < own; j++) AT(factors + j * BLOCKS_LANES) = FACTOR(row + (size_t)j * stride, lanes) * by;
#define SOME(some) (eliminate_some(d, stride, more, factors, own, k, &by, at, lanes, some), at += some)
    FOR_VECTORS(vectors, lanes)
#undef SOME
}

/* The columns of the inverse go where the rows were exchanged. */
static void exchange_columns(double *d, size_t stride, int own, const int *pivots, int lanes)
{
    for (int k = own - 1; k >= 0; k--)
        for (int l = 0; l < lanes; l++) {
            double *column = d + (size_t)k * stride + l, *other = d + (size_t)pivots[k * lanes + l] * stride + l;
            for (int i = 0; i < own && other != column; i++) exchange(column + i * lanes, other + i * lanes);
        }
}

/* Inverts by Gauss-Jordan elimination with exchanges of rows. 0 when a pivot is nothing but round-off, or not a
   number. */
INLINE int invert(const blocks_numbers *s, double *d, int own, const double *sizes, int lanes)
{
    const int vectors = vectors_of(own, lanes);
    const size_t stride = (size_t)(BLOCKS_LANES * vectors);
    int exchanged = 0;
    bits regular = BITS_AT(first_lanes[BLOCKS_LANES]);
    for (int k = 0; k < own; k++) {
        const double *column = d + (size_t)k * stride;
        if (!has_pivots(column, own, k, lanes))
            choose_pivots(d, stride, own, k, s->pivots, &exchanged, lanes);
        const vector pivot = FACTOR(column + k * lanes, lanes), size = FACTOR(sizes + k * lanes, lanes);
        eliminate_column(d, stride, own, k, s->more, vectors, lanes);
        regular &= SIZE_OF(pivot) > LINEAR_SINGULAR * size;
    }
    if (exchanged) exchange_columns(d, stride, own, s->pivots, lanes);
    return HAS_ALL(regular);
}

/* The inverse of the panel whose first row is `row`. */
INLINE int invert_panel(const blocks_numbers *s, const blocks_group *g, int row, int own, double *inverse, int lanes)
{
    const double *from = s->fronts + g->at + (size_t)row * g->stride + (size_t)(row * lanes);
    const int vectors = vectors_of(own, lanes), rows = BLOCKS_LANES * vectors;
    const bits last = BITS_AT(first_lanes[lanes > 1 ? BLOCKS_LANES : (own - 1) % BLOCKS_LANES + 1]);
    double *sizes = s->size + g->first + row * lanes, *to = inverse;
    for (int j = 0; j < own; j++, to += rows, from += g->stride) {
        for (int i = 0; i < vectors - 1; i++) AT(to + BLOCKS_LANES * i) = CONST_AT(from + BLOCKS_LANES * i);
        AT(to + rows - BLOCKS_LANES) = (vector)((bits)CONST_AT(from + rows - BLOCKS_LANES) & last);
        measure(sizes, to, vectors);
    }
    return invert(s, inverse, own, sizes, lanes);
}

/* ---- what is left for the parents ---- */

/* Adds a later column to the fronts of the parents. run: how many rows follow each other there, 1 or BLOCKS_LANES, from
   each row on. */
INLINE void leave_column(const blocks_numbers *s, const blocks_group *g, const double *from,
                         const size_t *into_column, int lanes)
{
    const int later = g->later, *into_row = s->plan->into_row + g->indices;
    const unsigned char *run = s->plan->run + g->runs;
    if (lanes > 1 && g->matched) {
        double *column = s->fronts + *into_column;
        for (int i = 0; i < later; i++) AT(column + into_row[i]) += CONST_AT(from + lanes * i);
        return;
    }
    for (int l = 0; l < lanes; l++, into_row += later) {
        double *column = s->fronts + into_column[l];
        const double *left = from + l;
        for (int i = 0; i < later;) {
            double *to = column + into_row[i];
            if (run[i] > 1) {
                AT(to) += (vector){ left[0], left[lanes], left[2 * lanes], left[3 * lanes] };
                i += BLOCKS_LANES, left += BLOCKS_LANES * lanes;
            } else {
                *to += *left;
                i++, left += lanes;
            }
        }
    }
}

/* The sizes of what was left, row by row. */
INLINE void leave_sizes(const blocks_numbers *s, const blocks_group *g, const double *sizes, int lanes)
{
    const int *index = s->plan->index + g->indices;
    const unsigned char *follow = s->plan->follow + g->runs;
    for (int i = 0; i < g->later;)
        if (follow[i] > 1) {
            double *to = s->size + index[i * lanes];
            AT(to) = LARGER_OF(CONST_AT(to), CONST_AT(sizes + i * lanes));
            i += lanes > 1 ? 1 : BLOCKS_LANES;
        } else {
            for (int l = 0; l < lanes; l++)
                s->size[index[i * lanes + l]] = larger(s->size[index[i * lanes + l]], sizes[i * lanes + l]);
            i++;
        }
}

#include "linalg/linear_blocks_few.h"

/* ---- elimination ---- */

/* Leaves F22 - F21 E to the parents. */
INLINE void leave_later(const blocks_numbers *s, const blocks_group *g, int lanes)
{
    const size_t *into_column = s->plan->into_column + g->indices;
    const int vectors = vectors_of(g->later, lanes);
    const double *left = s->fronts + g->at + g->rows * lanes;
    const double *column = s->fronts + g->at + (size_t)g->own * g->stride;
    double *most = s->more;
    for (int i = 0; i < vectors; i++) AT(most + BLOCKS_LANES * i) = (vector){ 0 };
    for (int j = 0; j < g->later; j++, column += g->later_stride, into_column += lanes) {
        const double *from = column + g->rows * lanes;
        if (g->bare) {
            from = s->work;
            multiply(s->work, NULL, left, g->stride, column, g->own, vectors, lanes, -1);
        }
        measure(most, from, vectors);
        leave_column(s, g, from, into_column, lanes);
    }
    leave_sizes(s, g, most, lanes);
}

/* Divides the rows of a panel from row `row` on, in the columns to its right, by the panel, and subtracts from the rows
   below. */
INLINE void eliminate_panel(const blocks_numbers *s, const blocks_group *g, const double *inverse, int row,
                            int of_panel, int lanes)
{
    const int own = g->own, rest = row + of_panel, vectors = vectors_of(of_panel, lanes);
    const int below = g->panels > 1 || g->bare ? rest : g->rows;
    double *front = s->fronts + g->at, *found = s->work;
    const double *left = front + (size_t)row * g->stride + below * lanes;
    for (int j = rest; j < own + g->later; j++) {
        double *column = front + (j < own ? (size_t)j * g->stride
                                          : (size_t)own * g->stride + (size_t)(j - own) * g->later_stride);
        const int end = g->bare && j >= own ? own : g->rows + g->later;
        multiply(found, NULL, inverse, (size_t)(BLOCKS_LANES * vectors), column + row * lanes, of_panel, vectors,
                 lanes, 1);
        copy(column + row * lanes, found, of_panel * lanes);
        if (end > below)
            multiply(column + below * lanes, column + below * lanes, left, g->stride, found, of_panel,
                     vectors_of(end - below, lanes), lanes, -1);
    }
}

INLINE void eliminate_later_few_of(const blocks_numbers *s, const blocks_group *g, const double *inverse,
                                   const int own)
{
    switch (vectors_of(g->later, 1)) {
    case 0: return;
    case 1: eliminate_later_few(s, g, inverse, own, 1); return;
    case 2: eliminate_later_few(s, g, inverse, own, 2); return;
    case 3: eliminate_later_few(s, g, inverse, own, 3); return;
    case 4: eliminate_later_few(s, g, inverse, own, 4); return;
    }
    eliminate_panel(s, g, inverse, 0, own, 1);
    leave_later(s, g, 1);
}

/* fixed: the number of own unknowns, all in one panel, where the compiler sees it; or 0. */
INLINE int eliminate_group(const blocks_numbers *s, const blocks_group *g, int lanes, const int fixed)
{
    const int *panel = s->plan->panel + g->first_panel;
    double *inverse = s->inverses + g->inverses;
    if (fixed && lanes > 1) {
        if (!invert_lanes(s, g, inverse, fixed)) return 0;
        eliminate_later_lanes(s, g, inverse, fixed);
        return 1;
    }
    if (fixed) {
        if (!invert_few(s, g, inverse, fixed)) return 0;
        eliminate_later_few_of(s, g, inverse, fixed);
        return 1;
    }
    if (g->panels > 1) measure_own(s, g, lanes);
    for (int p = 0, row = 0; p < g->panels; row += panel[p++]) {
        if (!invert_panel(s, g, row, panel[p], inverse, lanes)) return 0;
        eliminate_panel(s, g, inverse, row, panel[p], lanes);
        inverse += panel[p] * taut_blocks_rows(panel[p], lanes) * lanes;
    }
    if (g->later) leave_later(s, g, lanes);
    return 1;
}

static VECTOR_LOOPS int eliminate(const blocks_numbers *s)
{
    const blocks_plan *plan = s->plan;
    double *image = s->image;
    for (int i = 0; i < plan->one_count; i++) image[plan->ones[i]] = 1;
    double *fronts = s->fronts, *size = s->size;
    const size_t count = plan->front_count, unknowns = (size_t)plan->unknowns;
    for (size_t i = 0; i < count; i += 4 * BLOCKS_LANES) /* its end may be past the last front */
#pragma GCC unroll 4
        for (size_t k = i; k < i + 4 * BLOCKS_LANES; k += BLOCKS_LANES) AT(fronts + k) = CONST_AT(image + k);
    for (size_t i = 0; i < unknowns; i += BLOCKS_LANES) AT(size + i) = (vector){ 0 };
    for (int k = 0; k < plan->count; k++) {
        const blocks_group *g = &plan->groups[k];
        int regular;
#define ELIMINATE(lanes, fixed) regular = eliminate_group(s, g, lanes, fixed)
        BY_SHAPE(g, ELIMINATE)
#undef ELIMINATE
        if (!regular) return 0;
    }
    return 1;
}

int taut_blocks_eliminate(const blocks_numbers *s) { return eliminate(s); }
