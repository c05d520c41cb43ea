/* The loops of block elimination (linear_blocks.h): over fronts alone, four rows to a vector, and over fronts of one
 * shape, a front to each lane. Both are the same functions: `lanes` is a number that the compiler sees. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/loops.h"
#include "linalg/linear_blocks.h"

#define INLINE static inline __attribute__((always_inline))

typedef double vector __attribute__((vector_size(8 * BLOCKS_LANES), aligned(8), may_alias));
typedef int64_t bits __attribute__((vector_size(8 * BLOCKS_LANES), aligned(8), may_alias));

/* Vectors that an inner loop keeps in registers, at most. */
enum { HELD = 10 };

/* A pivot on the diagonal is taken where it is so large beside the others of its column. */
static const double DIAGONAL_LEAST = 0.1;

/* The first k lanes, and lane k alone. */
static const int64_t first_lanes[][BLOCKS_LANES] = { { 0, 0, 0, 0 }, { -1, 0, 0, 0 }, { -1, -1, 0, 0 },
                                                     { -1, -1, -1, 0 }, { -1, -1, -1, -1 } };
static const int64_t one_lane[][BLOCKS_LANES] = { { -1, 0, 0, 0 }, { 0, -1, 0, 0 }, { 0, 0, -1, 0 }, { 0, 0, 0, -1 } };

#define AT(numbers) (*(vector *)(numbers))
#define CONST_AT(numbers) (*(const vector *)(numbers))
#define BITS_AT(masks) (*(const bits *)(masks))
#define EQUAL(x) ((vector){ (x), (x), (x), (x) })
#define SIZE_OF(x) ((vector)((bits)(x) & INT64_MAX)) /* |x| */
#define CHOSEN(mask, a, b) ((vector)(((bits)(a) & (mask)) | ((bits)(b) & ~(mask))))
#define LARGER_OF(a, b) CHOSEN((b) > (a), b, a)
/* The factor of a column: of each lane, or the same for all rows of a single front. */
#define FACTOR(v, lanes) ((lanes) > 1 ? CONST_AT(v) : EQUAL(*(v)))

INLINE double larger(double a, double b) { return b > a ? b : a; }

INLINE int vectors_of(int rows, int lanes) { return lanes > 1 ? rows : (rows + BLOCKS_PAST) / BLOCKS_LANES; }

INLINE void copy(double *to, const double *from, int count)
{
    for (; count >= BLOCKS_LANES; count -= BLOCKS_LANES, to += BLOCKS_LANES, from += BLOCKS_LANES)
        AT(to) = CONST_AT(from);
#pragma GCC unroll 4
    for (int i = 0; i < (count & BLOCKS_PAST); i++) to[i] = from[i];
}

/* Calls the macro SOME(n) with numbers that the compiler sees and whose sum is `vectors`: few different ones for single
   fronts, of which there are several versions. */
#define MOST_HELD(lanes) ((lanes) > 1 ? HELD : 4)
#define FOR_VECTORS(vectors, lanes)                                                                                  \
    for (; (vectors) > MOST_HELD(lanes); (vectors) -= (lanes) > 1 ? 8 : 4) SOME((lanes) > 1 ? 8 : 4);                \
    switch (vectors) {                                                                                               \
    case 1: SOME(1); break;                                                                                          \
    case 2: SOME(2); break;                                                                                          \
    case 3: SOME(3); break;                                                                                          \
    case 4: SOME(4); break;                                                                                          \
    case 5: if ((lanes) > 1) SOME(5); break;                                                                         \
    case 6: if ((lanes) > 1) SOME(6); break;                                                                         \
    case 7: if ((lanes) > 1) SOME(7); break;                                                                         \
    case 8: if ((lanes) > 1) SOME(8); break;                                                                         \
    case 9: if ((lanes) > 1) SOME(9); break;                                                                         \
    case 10: if ((lanes) > 1) SOME(10); break;                                                                       \
    }

/* sum := sum + or - a column times x, of some vectors */
INLINE void add_column(vector *sum, const double *column, const vector *x, int sign, const int some)
{
#pragma GCC unroll 16
    for (int i = 0; i < some; i++) {
        const vector product = CONST_AT(column + BLOCKS_LANES * i) * *x;
        sum[i] = sign > 0 ? sum[i] + product : sum[i] - product;
    }
}

/* to := from + or - (matrix with `stride` from column to column) v, of some vectors that stay in registers. */
INLINE void multiply_some(double *to, const double *from, const double *matrix, size_t stride, const double *v,
                          int count, int lanes, int sign, const int some)
{
    vector sum[HELD];
#pragma GCC unroll 16
    for (int i = 0; i < some; i++) sum[i] = from ? CONST_AT(from + BLOCKS_LANES * i) : (vector){ 0 };
    if (lanes > 1)
        for (int k = 0; k < count; k++) {
            const vector x = CONST_AT(v + k * lanes);
            add_column(sum, matrix + (size_t)k * stride, &x, sign, some);
        }
    else {
#pragma GCC unroll 6
        for (int k = 0; k < count; k++) {
            const vector x = EQUAL(v[k]);
            add_column(sum, matrix + (size_t)k * stride, &x, sign, some);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < some; i++) AT(to + BLOCKS_LANES * i) = sum[i];
}

/* The same for any number of vectors. from: NULL, for zeros, or any place that `to` does not reach into. */
INLINE void multiply(double *to, const double *from, const double *matrix, size_t stride, const double *v, int count,
                     int vectors, int lanes, int sign)
{
    int at = 0;
#define SOME(some)                                                                                                   \
    (multiply_some(to + at, from ? from + at : NULL, matrix + at, stride, v, count, lanes, sign, some),              \
     at += (some) * BLOCKS_LANES)
    FOR_VECTORS(vectors, lanes)
#undef SOME
}

/* sum := sum - matrix v, sizes := sizes + |matrix| large */
INLINE void multiply_both(double *sum, double *sizes, const double *matrix, size_t stride, const double *v,
                          const double *large, int count, int vectors, int lanes)
{
    for (int i = 0; i < vectors; i++, sum += BLOCKS_LANES, sizes += BLOCKS_LANES, matrix += BLOCKS_LANES) {
        const double *column = matrix;
        vector found = AT(sum), size = AT(sizes);
#pragma GCC unroll 4
        for (int k = 0; k < count; k++, column += stride) {
            found -= CONST_AT(column) * FACTOR(v + k * lanes, lanes);
            size += SIZE_OF(CONST_AT(column)) * FACTOR(large + k * lanes, lanes);
        }
        AT(sum) = found, AT(sizes) = size;
    }
}

/* ---- elimination ---- */

/* sizes[k] := the largest of sizes[k] and the sizes in column k. Rows past the last one are zeros. */
INLINE void measure_column(double *sizes, const double *column, int vectors, int lanes)
{
    vector most = SIZE_OF(CONST_AT(column));
    for (int i = 1; i < vectors; i++) {
        const vector size = SIZE_OF(CONST_AT(column + BLOCKS_LANES * i));
        most = LARGER_OF(most, size);
    }
    if (lanes > 1) {
        const vector before = CONST_AT(sizes);
        AT(sizes) = LARGER_OF(before, most);
    } else
        *sizes = larger(*sizes, larger(larger(most[0], most[1]), larger(most[2], most[3])));
}

/* Of the unknowns of panels, before others are eliminated. */
INLINE void measure_panels(const blocks_numbers *s, const blocks_group *g, int lanes)
{
    const int *panel = s->plan->panel + g->first_panel;
    for (int p = 0, row = 0; p < g->panels; row += panel[p++])
        for (int k = row; k < row + panel[p]; k++) {
            const double *column = s->fronts + g->at + (size_t)k * g->stride;
            for (int i = row * lanes; i < (row + panel[p]) * lanes; i++) {
                double *size = &s->size[g->first + k * lanes + (i & (lanes - 1))];
                *size = larger(*size, fabs(column[i]));
            }
        }
}

/* Of the later unknowns, what the children brought. */
INLINE void measure_later(const blocks_numbers *s, const blocks_group *g, int own, int lanes)
{
    const int *index = s->plan->index + g->indices;
    const double *column = s->fronts + g->at + (size_t)own * g->stride + (size_t)(own * lanes);
    for (int j = 0; j < g->later; j++, column += g->later_stride, index += lanes) {
        double most[BLOCKS_LANES];
        for (int l = 0; l < lanes; l++) most[l] = s->size[index[l]];
        measure_column(most, column, vectors_of(g->later, lanes), lanes);
        for (int l = 0; l < lanes; l++) s->size[index[l]] = most[l];
    }
}

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
                           const vector *by, int at, int lanes, int fixed, const int some)
{
    vector held[HELD];
    column += at * BLOCKS_LANES;
#pragma GCC unroll 16
    for (int i = 0; i < some; i++) held[i] = CONST_AT(column + BLOCKS_LANES * i);
    if (fixed) {
#pragma GCC unroll 8
        for (int j = 0; j < own; j++, d += stride) {
            vector x = *by;
            if (j != k) x *= FACTOR(d + k * lanes, lanes);
            eliminate_in(d, held, &x, j == k, k, at, lanes, some);
        }
        return;
    }
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
INLINE void eliminate_column(double *d, size_t stride, int own, int k, double *more, int vectors, int lanes, int fixed)
{
    const double *column = d + (size_t)k * stride, *row = d + k * lanes;
    const vector by = 1 / FACTOR(column + k * lanes, lanes);
    const bits pivot_lane = BITS_AT(lanes > 1 ? first_lanes[BLOCKS_LANES] : one_lane[k % BLOCKS_LANES]);
    double *pivot = more + BLOCKS_LANES * (lanes > 1 ? k : k / BLOCKS_LANES);
#pragma GCC unroll 8
    for (int i = 0; i < vectors; i++) AT(more + BLOCKS_LANES * i) = -CONST_AT(column + BLOCKS_LANES * i);
    AT(pivot) = (vector)((bits)CONST_AT(pivot) & ~pivot_lane);
    if (vectors <= MOST_HELD(lanes)) {
#define SOME(some) eliminate_some(d, stride, more, NULL, own, k, &by, 0, lanes, fixed, some)
        FOR_VECTORS(vectors, lanes)
#undef SOME
        return;
    }
    double *factors = more + BLOCKS_LANES * vectors;
    int at = 0;
    for (int j = 0; j < own; j++) AT(factors + j * BLOCKS_LANES) = FACTOR(row + (size_t)j * stride, lanes) * by;
#define SOME(some) (eliminate_some(d, stride, more, factors, own, k, &by, at, lanes, fixed, some), at += some)
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

/* The same with the choice of the pivot. regular: in which lanes all were more than round-off. */
INLINE void invert_column(const blocks_numbers *s, double *d, int own, int k, const double *sizes, int *exchanged,
                          bits *regular, int lanes, int fixed)
{
    const int vectors = vectors_of(own, lanes);
    const size_t stride = (size_t)(BLOCKS_LANES * vectors);
    const double *column = d + (size_t)k * stride;
    if (!has_pivots(column, own, k, lanes))
        choose_pivots(d, stride, own, k, s->pivots, exchanged, lanes);
    const vector pivot = FACTOR(column + k * lanes, lanes), size = FACTOR(sizes + k * lanes, lanes);
    eliminate_column(d, stride, own, k, s->more, vectors, lanes, fixed);
    *regular &= SIZE_OF(pivot) > LINEAR_SINGULAR * size; /* false, too, for what is not a number */
}

/* Inverts by Gauss-Jordan elimination. 0 when a pivot is nothing but round-off. */
INLINE int invert(const blocks_numbers *s, double *d, int own, const double *sizes, int lanes, int fixed)
{
    int exchanged = 0;
    bits regular = BITS_AT(first_lanes[BLOCKS_LANES]);
    if (fixed) {
#pragma GCC unroll 8
        for (int k = 0; k < own; k++) invert_column(s, d, own, k, sizes, &exchanged, &regular, lanes, 1);
    } else
        for (int k = 0; k < own; k++) invert_column(s, d, own, k, sizes, &exchanged, &regular, lanes, 0);
    if (exchanged)
        exchange_columns(d, (size_t)(BLOCKS_LANES * vectors_of(own, lanes)), own, s->pivots, lanes);
    return (regular[0] & regular[1] & regular[2] & regular[3]) != 0;
}

/* The inverse of the panel whose first row is `row`. */
INLINE int invert_panel(const blocks_numbers *s, const blocks_group *g, int row, int own, double *inverse, int lanes,
                        int fixed)
{
    const double *from = s->fronts + g->at + (size_t)row * g->stride + (size_t)(row * lanes);
    const int vectors = vectors_of(own, lanes), rows = BLOCKS_LANES * vectors;
    const bits last = BITS_AT(first_lanes[lanes > 1 ? BLOCKS_LANES : (own - 1) % BLOCKS_LANES + 1]);
    double *sizes = s->size + g->first + row * lanes, *to = inverse;
    for (int j = 0; j < own; j++, to += rows, from += g->stride, sizes += lanes) {
        for (int i = 0; i < vectors - 1; i++) AT(to + BLOCKS_LANES * i) = CONST_AT(from + BLOCKS_LANES * i);
        AT(to + rows - BLOCKS_LANES) = (vector)((bits)CONST_AT(from + rows - BLOCKS_LANES) & last);
        measure_column(sizes, to, vectors, lanes);
    }
    return invert(s, inverse, own, s->size + g->first + row * lanes, lanes, fixed);
}

/* Adds what is left of a later column to the fronts of the parents. run: how many rows follow each other there, 1 or
   BLOCKS_LANES, from each row on. */
INLINE void leave_to_parents(const blocks_numbers *s, const double *from, const int *into_row,
                             const size_t *into_column, const unsigned char *run, int later, int lanes)
{
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

/* fixed: the number of own unknowns, all in one panel, where the compiler sees it; or 0. */
INLINE int eliminate_group(const blocks_numbers *s, const blocks_group *g, int lanes, int fixed)
{
    const int own = fixed ? fixed : g->own, later = g->later, width = own + later, panels = fixed ? 1 : g->panels;
    const int *panel = s->plan->panel + g->first_panel;
    double *front = s->fronts + g->at, *inverse = s->inverses + g->inverses, *found = s->work;
    if (!g->is_leaf) measure_later(s, g, own, lanes);
    if (panels > 1) measure_panels(s, g, lanes);
    for (int p = 0, row = 0, of_panel; p < panels; row += of_panel, p++) {
        of_panel = fixed ? fixed : panel[p];
        const int rest = row + of_panel, vectors = vectors_of(of_panel, lanes);
        const double *left = front + (size_t)row * g->stride + rest * lanes;
        if (!invert_panel(s, g, row, of_panel, inverse, lanes, fixed)) return 0;
        for (int j = rest; j < width; j++) {
            double *column = front + (j < own ? (size_t)j * g->stride
                                              : (size_t)own * g->stride + (size_t)(j - own) * g->later_stride);
            const int end = g->is_leaf && j >= own ? own : width;
            multiply(found, NULL, inverse, (size_t)(BLOCKS_LANES * vectors), column + row * lanes, of_panel, vectors,
                     lanes, 1);
            copy(column + row * lanes, found, of_panel * lanes);
            if (end > rest)
                multiply(column + rest * lanes, column + rest * lanes, left, g->stride, found, of_panel,
                         vectors_of(end - rest, lanes), lanes, -1);
        }
        inverse += of_panel * BLOCKS_LANES * vectors;
    }
    const size_t *into_column = s->plan->into_column + g->indices;
    const double *column = front + (size_t)own * g->stride, *left = front + own * lanes;
    for (int j = 0; j < later; j++, column += g->later_stride, into_column += lanes) {
        const double *from = column + own * lanes;
        if (g->is_leaf) {
            from = s->work;
            multiply(s->work, NULL, left, g->stride, column, own, vectors_of(later, lanes), lanes, -1);
        }
        leave_to_parents(s, from, s->plan->into_row + g->indices, into_column, s->plan->run + g->runs, later, lanes);
    }
    return 1;
}

/* The function of a group: for a single front with a small number of own unknowns that the compiler sees, for a single
   front of any size, or for fronts in lanes. */
#define BY_SHAPE(g, FUNCTION)                                                                                        \
    switch ((g)->lanes > 1 ? -1 : (g)->fixed) {                                                                      \
    case -1: FUNCTION(BLOCKS_LANES, 0); break;                                                                       \
    case 1: FUNCTION(1, 1); break;                                                                                   \
    case 2: FUNCTION(1, 2); break;                                                                                   \
    case 3: FUNCTION(1, 3); break;                                                                                   \
    case 4: FUNCTION(1, 4); break;                                                                                   \
    case 5: FUNCTION(1, 5); break;                                                                                   \
    case 6: FUNCTION(1, 6); break;                                                                                   \
    default: FUNCTION(1, 0);                                                                                         \
    }

static VECTOR_LOOPS int eliminate(const blocks_numbers *s)
{
    const blocks_plan *plan = s->plan;
    double *image = s->image;
    for (int i = 0; i < plan->one_count; i++) image[plan->ones[i]] = 1;
    for (size_t i = 0; i < plan->front_count; i += 2 * BLOCKS_LANES) { /* its end may be past the last front */
        AT(s->fronts + i) = CONST_AT(image + i);
        AT(s->fronts + i + BLOCKS_LANES) = CONST_AT(image + i + BLOCKS_LANES);
    }
    for (int i = 0; i < plan->unknowns; i += BLOCKS_LANES) AT(s->size + i) = (vector){ 0 };
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

/* ---- solving ---- */

INLINE void forward(const blocks_numbers *s, const blocks_group *g, double *x, int lanes, int fixed)
{
    const int own = fixed ? fixed : g->own, later = g->later, panels = fixed ? 1 : g->panels;
    const int *index = s->plan->index + g->indices, *panel = s->plan->panel + g->first_panel;
    const double *front = s->fronts + g->at, *inverse = s->inverses + g->inverses;
    double *known = s->work, *found = s->more, *mine = x + g->first;
    for (int p = 0, row = 0, of_panel; p < panels; row += of_panel, p++) {
        of_panel = fixed ? fixed : panel[p];
        const int rest = row + of_panel, vectors = vectors_of(of_panel, lanes);
        const int others = vectors_of(own + later - rest, lanes);
        const double *left = front + (size_t)row * g->stride + rest * lanes;
        multiply(found, NULL, inverse, (size_t)(BLOCKS_LANES * vectors), mine + row * lanes, of_panel, vectors, lanes,
                 1);
        copy(mine + row * lanes, found, of_panel * lanes);
        if (panels == 1)
            multiply(known, NULL, left, g->stride, found, of_panel, others, lanes, -1);
        else {
            if (p == 0)
                for (int i = 0; i < (own + later) * lanes; i++) known[i] = 0;
            multiply(known + rest * lanes, known + rest * lanes, left, g->stride, found, of_panel, others, lanes, -1);
            if (p + 1 < panels)
                for (int i = rest * lanes; i < (rest + panel[p + 1]) * lanes; i++) mine[i] += known[i];
        }
        inverse += of_panel * BLOCKS_LANES * vectors;
    }
    if (panels > 1) known += own * lanes;
    for (int i = 0; i < later * lanes; i++) x[index[i]] += known[i];
}

INLINE void backward(const blocks_numbers *s, const blocks_group *g, double *x, int lanes, int fixed)
{
    const int own = fixed ? fixed : g->own, later = g->later, panels = fixed ? 1 : g->panels;
    const int *index = s->plan->index + g->indices, *panel = s->plan->panel + g->first_panel;
    const double *front = s->fronts + g->at;
    double *known = s->work, *found = s->more, *mine = x + g->first;
    for (int i = 0; i < later * lanes; i++) known[i] = x[index[i]];
    for (int p = panels - 1, row = own; p >= 0; p--) {
        const int of_panel = fixed ? fixed : panel[p], rest = row, vectors = vectors_of(of_panel, lanes);
        row -= of_panel;
        multiply(found, mine + row * lanes, front + (size_t)own * g->stride + row * lanes, g->later_stride, known,
                 later, vectors, lanes, -1);
        if (!fixed && rest < own)
            multiply(found, found, front + (size_t)rest * g->stride + row * lanes, g->stride, mine + rest * lanes,
                     own - rest, vectors, lanes, -1);
        copy(mine + row * lanes, found, of_panel * lanes);
    }
}

static VECTOR_LOOPS void substitute(const blocks_numbers *s, double *x)
{
    const blocks_plan *plan = s->plan;
    for (int k = 0; k < plan->count; k++) {
        const blocks_group *g = &plan->groups[k];
#define FORWARD(lanes, fixed) forward(s, g, x, lanes, fixed)
        BY_SHAPE(g, FORWARD)
#undef FORWARD
    }
    for (int k = plan->count - 1; k >= 0; k--) {
        const blocks_group *g = &plan->groups[k];
#define BACKWARD(lanes, fixed) backward(s, g, x, lanes, fixed)
        BY_SHAPE(g, BACKWARD)
#undef BACKWARD
    }
}

void taut_blocks_substitute(const blocks_numbers *s, double *x) { substitute(s, x); }

/* ---- the transposed: x2 := x2 - E'x1 on the way up, x1 := D'(x1 - F21'x2) on the way down ---- */

/* A number of a front, in its row and column. */
static const double *entry(const blocks_numbers *s, const blocks_group *g, int row, int column)
{
    const size_t at = column < g->own ? (size_t)column * g->stride
                                      : (size_t)g->own * g->stride + (size_t)(column - g->own) * g->later_stride;
    return s->fronts + g->at + at + row * g->lanes;
}

static int unknown_of(const blocks_numbers *s, const blocks_group *g, int k, int lane)
{
    return k < g->own ? g->first + k * g->lanes + lane
                      : s->plan->index[g->indices + (size_t)((k - g->own) * g->lanes + lane)];
}

static void forward_transposed(const blocks_numbers *s, const blocks_group *g, double *x, int lane)
{
    const int *panel = s->plan->panel + g->first_panel;
    for (int p = 0, row = 0; p < g->panels; row += panel[p++])
        for (int j = row + panel[p]; j < g->own + g->later; j++) {
            const double *e = entry(s, g, row, j) + lane;
            double *to = x + unknown_of(s, g, j, lane);
            for (int i = 0; i < panel[p]; i++) *to -= e[i * g->lanes] * x[unknown_of(s, g, row + i, lane)];
        }
}

static void backward_transposed(const blocks_numbers *s, const blocks_group *g, double *x, int lane)
{
    const int *panel = s->plan->panel + g->first_panel, lanes = g->lanes;
    const double *inverse = s->inverses + g->inverses;
    for (int p = 0; p < g->panels; p++) inverse += panel[p] * taut_blocks_rows(panel[p], lanes) * lanes;
    for (int p = g->panels - 1, row = g->own; p >= 0; p--) {
        const int of_panel = panel[p], rest = row, rows = taut_blocks_rows(of_panel, lanes) * lanes;
        row -= of_panel;
        inverse -= of_panel * rows;
        for (int k = 0; k < of_panel; k++) {
            double sum = x[unknown_of(s, g, row + k, lane)];
            for (int i = rest; i < g->own + g->later; i++)
                sum -= entry(s, g, i, row + k)[lane] * x[unknown_of(s, g, i, lane)];
            s->work[k] = sum;
        }
        for (int k = 0; k < of_panel; k++) {
            double sum = 0;
            for (int i = 0; i < of_panel; i++) sum += inverse[k * rows + i * lanes + lane] * s->work[i];
            x[unknown_of(s, g, row + k, lane)] = sum;
        }
    }
}

void taut_blocks_substitute_transposed(const blocks_numbers *s, double *x)
{
    const blocks_plan *plan = s->plan;
    for (int k = 0; k < plan->count; k++)
        for (int l = 0; l < plan->groups[k].lanes; l++) forward_transposed(s, &plan->groups[k], x, l);
    for (int k = plan->count - 1; k >= 0; k--)
        for (int l = 0; l < plan->groups[k].lanes; l++) backward_transposed(s, &plan->groups[k], x, l);
}

/* ---- the residual ---- */

INLINE void add_residual(const blocks_numbers *s, const blocks_group *g, const double *x, const double *size,
                         double *residual, double *sums, int lanes)
{
    const int own = g->own, later = g->later, *index = s->plan->index + g->indices;
    const int all = vectors_of(own + later, lanes), mine = vectors_of(own, lanes), most = BLOCKS_LANES * all;
    const double *left = s->image + g->at, *right = left + (size_t)own * g->stride;
    double *known = s->work, *found = known + most, *large = s->more, *sum = large + most;
    copy(known, x + g->first, own * lanes);
    copy(large, size + g->first, own * lanes);
    for (int i = 0; i < later * lanes; i++)
        known[own * lanes + i] = x[index[i]], large[own * lanes + i] = size[index[i]];
    for (int i = 0; i < most; i++) found[i] = sum[i] = 0;
    multiply_both(found, sum, left, g->stride, known, large, own, all, lanes);
    multiply_both(found, sum, right, g->later_stride, known + own * lanes, large + own * lanes, later, mine, lanes);
    for (int i = 0; i < own * lanes; i++) residual[g->first + i] += found[i], sums[g->first + i] += sum[i];
    for (int i = 0; i < later * lanes; i++)
        residual[index[i]] += found[own * lanes + i], sums[index[i]] += sum[own * lanes + i];
}

static VECTOR_LOOPS void residual_of(const blocks_numbers *s, const double *x, const double *size, double *residual,
                                   double *sums)
{
    const blocks_plan *plan = s->plan;
    for (int k = 0; k < plan->count; k++) {
        const blocks_group *g = &plan->groups[k];
        if (g->lanes > 1)
            add_residual(s, g, x, size, residual, sums, BLOCKS_LANES);
        else
            add_residual(s, g, x, size, residual, sums, 1);
    }
}

void taut_blocks_residual(const blocks_numbers *s, const double *x, const double *size, double *residual,
                          double *sums)
{
    residual_of(s, x, size, residual, sums);
}
