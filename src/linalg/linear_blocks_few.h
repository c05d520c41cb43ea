/* Elimination of fronts of few own unknowns, in one panel: `own` is a number that the compiler sees. For
 * linear_blocks_eliminate.c, which has what fronts of any size need. */
#ifndef TAUT_LINALG_LINEAR_BLOCKS_FEW_H
#define TAUT_LINALG_LINEAR_BLOCKS_FEW_H

/* The largest multiple of a row that is subtracted where the pivot stays on the diagonal: DIAGONAL_LEAST. */
#define FACTOR_MOST EQUAL(10.0)

/* Makes sizes of the lanes from k on, and zeros of those before. */
static const int64_t sizes_from[][BLOCKS_LANES] = {
    { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX }, { 0, INT64_MAX, INT64_MAX, INT64_MAX },
    { 0, 0, INT64_MAX, INT64_MAX }, { 0, 0, 0, INT64_MAX }, { 0, 0, 0, 0 }
};

/* ---- single fronts of few unknowns ---- */

/* Lane k of x in all lanes. */
#define LANE(x, k) ((vector){ (x)[k], (x)[k], (x)[k], (x)[k] })

/* Step k of Gauss-Jordan elimination, with the pivot on the diagonal. rough: lanes in which it should not be there. Row
   k of the inverse comes about as 0 - (-1) x. */
#define STEP(k)                                                                                                      \
    if ((k) < own) {                                                                                                 \
        enum { AT_VECTOR = (k) / BLOCKS_LANES, AT_LANE = (k) % BLOCKS_LANES };                                       \
        const bits others = ~BITS_AT(one_lane[AT_LANE]);                                                             \
        const vector pivot = LANE(d[k][AT_VECTOR], AT_LANE), by = 1 / pivot;                                         \
        vector column[2] = { d[k][0], d[k][1] };                                                                     \
        column[AT_VECTOR] = CHOSEN(others, column[AT_VECTOR], EQUAL(-1.0));                                          \
        pivots[k] = pivot[0];                                                                                        \
        _Pragma("GCC unroll 6") for (int j = 0; j < own; j++)                                                        \
            if (j != (k)) {                                                                                          \
                const vector x = LANE(d[j][AT_VECTOR], AT_LANE) * by;                                                \
                d[j][AT_VECTOR] = (vector)((bits)d[j][AT_VECTOR] & others);                                          \
                for (int i = 0; i < some; i++) d[j][i] -= column[i] * x;                                             \
            }                                                                                                        \
        for (int i = 0; i < some; i++) d[k][i] = 0 - column[i] * by;                                                 \
        for (int i = AT_VECTOR; i < some; i++)                                                                       \
            rough |= (vector)((bits)d[k][i] & BITS_AT(sizes_from[i > AT_VECTOR ? 0 : AT_LANE + 1])) > FACTOR_MOST;   \
    }

/* As invert_panel. */
INLINE int invert_few(const blocks_numbers *s, const blocks_group *g, double *inverse, const int own)
{
    const int some = (own + BLOCKS_PAST) / BLOCKS_LANES;
    const double *from = s->fronts + g->at, *size = s->size + g->first;
    double pivots[2 * BLOCKS_LANES], sizes[2 * BLOCKS_LANES];
    vector d[BLOCKS_FIXED][2], sum[2] = { { 0 }, { 0 } };
    bits rough = { 0 };
#pragma GCC unroll 6
    for (int j = 0; j < own; j++)
#pragma GCC unroll 2
        for (int i = 0; i < some; i++) {
            d[j][i] = CONST_AT(from + (size_t)j * g->stride + BLOCKS_LANES * i);
            sum[i] += SIZE_OF(d[j][i]);
        }
#pragma GCC unroll 2
    for (int i = 0; i < some; i++) {
        AT(sizes + BLOCKS_LANES * i) = LINEAR_SINGULAR * LARGER_OF(CONST_AT(size + BLOCKS_LANES * i), sum[i]);
        AT(pivots + BLOCKS_LANES * i) = EQUAL(1.0);
    }
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5)
#pragma GCC unroll 2
    for (int i = 0; i < some; i++)
        rough |= ~(SIZE_OF(CONST_AT(pivots + BLOCKS_LANES * i)) > CONST_AT(sizes + BLOCKS_LANES * i));
    if (HAS_SOME(rough)) return invert_panel(s, g, 0, own, inverse, 1);
#pragma GCC unroll 6
    for (int j = 0; j < own; j++)
#pragma GCC unroll 2
        for (int i = 0; i < some; i++) AT(inverse + BLOCKS_LANES * (some * j + i)) = d[j][i];
    return 1;
}

/* The later columns of a single front, with `some` vectors of later rows, which the compiler sees. */
INLINE void eliminate_later_few(const blocks_numbers *s, const blocks_group *g, const double *inverse, const int own,
                                const int some)
{
    const int mine = (own + BLOCKS_PAST) / BLOCKS_LANES, bare = g->bare, straight = g->straight;
    const double *left = s->fronts + g->at + BLOCKS_LANES * mine;
    const size_t *into_column = s->plan->into_column + g->indices;
    const int into_row = s->plan->into_row[g->indices];
    double *column = s->fronts + g->at + (size_t)own * g->stride, *known = s->work;
    vector sizes_sum[4];
#pragma GCC unroll 4
    for (int i = 0; i < some; i++) sizes_sum[i] = (vector){ 0 };
    for (int j = 0; j < g->later; j++, column += g->later_stride) {
        vector sum[4];
        product_few(sum, inverse, (size_t)(BLOCKS_LANES * mine), column, own, mine);
#pragma GCC unroll 2
        for (int i = 0; i < mine; i++) AT(column + BLOCKS_LANES * i) = sum[i];
        product_few(sum, left, g->stride, column, own, some);
#pragma GCC unroll 4
        for (int i = 0; i < some; i++)
            if (bare) sum[i] = 0 - sum[i];
            else sum[i] = CONST_AT(column + BLOCKS_LANES * (mine + i)) - sum[i];
        double *to = straight ? s->fronts + into_column[j] + into_row : known;
#pragma GCC unroll 4
        for (int i = 0; i < some; i++) {
            sizes_sum[i] += SIZE_OF(sum[i]);
            if (straight) sum[i] += CONST_AT(to + BLOCKS_LANES * i);
            AT(to + BLOCKS_LANES * i) = sum[i];
        }
        if (!straight) leave_column(s, g, known, into_column + j, 1);
    }
    double *sizes = straight ? s->size + s->plan->index[g->indices] : s->more;
#pragma GCC unroll 4
    for (int i = 0; i < some; i++) {
        if (straight) sizes_sum[i] = LARGER_OF(CONST_AT(sizes + BLOCKS_LANES * i), sizes_sum[i]);
        AT(sizes + BLOCKS_LANES * i) = sizes_sum[i];
    }
    if (!straight) leave_sizes(s, g, sizes, 1);
}

/* ---- fronts of few unknowns, in lanes ---- */

/* As invert_panel. */
INLINE int invert_lanes(const blocks_numbers *s, const blocks_group *g, double *inverse, const int own)
{
    const double *from = s->fronts + g->at, *size = s->size + g->first;
    vector d[BLOCKS_FIXED][BLOCKS_FIXED], sum[BLOCKS_FIXED];
    bits rough = { 0 };
#pragma GCC unroll 6
    for (int j = 0; j < own; j++)
#pragma GCC unroll 6
        for (int i = 0; i < own; i++) {
            d[j][i] = CONST_AT(from + (size_t)j * g->stride + BLOCKS_LANES * i);
            if (j == 0) sum[i] = SIZE_OF(d[j][i]);
            else sum[i] += SIZE_OF(d[j][i]);
        }
#pragma GCC unroll 6
    for (int k = 0; k < own; k++) {
        const vector pivot = d[k][k], by = 1 / pivot;
        rough |= ~(SIZE_OF(pivot) > LINEAR_SINGULAR * LARGER_OF(CONST_AT(size + BLOCKS_LANES * k), sum[k]));
#pragma GCC unroll 6
        for (int j = 0; j < own; j++) {
            if (j == k) continue;
            const vector x = d[j][k] * by;
#pragma GCC unroll 6
            for (int i = 0; i < own; i++)
                if (i != k) d[j][i] -= d[k][i] * x;
            d[j][k] = x;
        }
#pragma GCC unroll 6
        for (int i = 0; i < own; i++) {
            if (i == k) continue;
            d[k][i] = 0 - d[k][i] * by;
            if (i > k) rough |= SIZE_OF(d[k][i]) > FACTOR_MOST;
        }
        d[k][k] = by;
    }
    if (HAS_SOME(rough)) return invert_panel(s, g, 0, own, inverse, BLOCKS_LANES);
#pragma GCC unroll 6
    for (int j = 0; j < own; j++)
#pragma GCC unroll 6
        for (int i = 0; i < own; i++) AT(inverse + BLOCKS_LANES * (own * j + i)) = d[j][i];
    return 1;
}

/* The later columns. */
INLINE void eliminate_later_lanes(const blocks_numbers *s, const blocks_group *g, const double *inverse, const int own)
{
    const int later = g->later, bare = g->bare, matched = g->matched, *into_row = s->plan->into_row + g->indices;
    const double *left = s->fronts + g->at + BLOCKS_LANES * own;
    const size_t *into_column = s->plan->into_column + g->indices, stride = g->stride;
    double *column = s->fronts + g->at + (size_t)own * stride, *known = s->work, *sizes = s->more;
    for (int i = 0; i < later; i++) AT(sizes + BLOCKS_LANES * i) = (vector){ 0 };
    for (int j = 0; j < later; j++, column += g->later_stride, into_column += BLOCKS_LANES) {
        vector found[BLOCKS_FIXED];
        double *to = s->fronts + *into_column;
        product_lanes(found, inverse, (size_t)(BLOCKS_LANES * own), column, own);
#pragma GCC unroll 6
        for (int i = 0; i < own; i++) AT(column + BLOCKS_LANES * i) = found[i];
        for (int i = 0; i < later; i++) {
            vector sum;
            row_lanes(&sum, left + BLOCKS_LANES * i, stride, found, own);
            if (bare) sum = 0 - sum;
            else sum = CONST_AT(column + BLOCKS_LANES * (own + i)) - sum;
            AT(sizes + BLOCKS_LANES * i) += SIZE_OF(sum);
            if (matched) AT(to + into_row[i]) += sum;
            else AT(known + BLOCKS_LANES * i) = sum;
        }
        if (!matched) leave_column(s, g, known, into_column, BLOCKS_LANES);
    }
    leave_sizes(s, g, sizes, BLOCKS_LANES);
}

#endif
