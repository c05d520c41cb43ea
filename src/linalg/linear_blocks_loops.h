/* What the loops of block elimination are made of (linear_blocks.h): vectors of BLOCKS_LANES numbers, rows of a
 * single front or a row of several fronts, and products by them. `lanes` is a number that the compiler sees, so that
 * both are one function. */
#ifndef TAUT_LINALG_LINEAR_BLOCKS_LOOPS_H
#define TAUT_LINALG_LINEAR_BLOCKS_LOOPS_H

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

/* The first k lanes. */
static const int64_t first_lanes[][BLOCKS_LANES] = { { 0, 0, 0, 0 }, { -1, 0, 0, 0 }, { -1, -1, 0, 0 },
                                                     { -1, -1, -1, 0 }, { -1, -1, -1, -1 } };

#define AT(numbers) (*(vector *)(numbers))
#define CONST_AT(numbers) (*(const vector *)(numbers))
#define BITS_AT(masks) (*(const bits *)(masks))
#define EQUAL(x) ((vector){ (x), (x), (x), (x) })
#define SIZE_OF(x) ((vector)((bits)(x) & INT64_MAX)) /* |x| */
#define CHOSEN(mask, a, b) ((vector)(((bits)(a) & (mask)) | ((bits)(b) & ~(mask))))
#define LARGER_OF(a, b) CHOSEN((b) > (a), b, a)
/* The factor of a column: of each lane, or the same for all rows of a single front. */
#define FACTOR(v, lanes) ((lanes) > 1 ? CONST_AT(v) : EQUAL(*(v)))

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

/* sum := matrix v, for a single front, with numbers of columns and of vectors that the compiler sees */
INLINE void product_few(vector *sum, const double *matrix, size_t stride, const double *v, const int count,
                        const int some)
{
#pragma GCC unroll 6
    for (int k = 0; k < count; k++) {
        const vector x = EQUAL(v[k]);
#pragma GCC unroll 4
        for (int i = 0; i < some; i++) {
            const vector product = CONST_AT(matrix + (size_t)k * stride + BLOCKS_LANES * i) * x;
            if (k == 0) sum[i] = product;
            else sum[i] += product;
        }
    }
}

/* sum := a square matrix times v, in lanes */
INLINE void product_lanes(vector *sum, const double *matrix, size_t stride, const double *v, const int count)
{
#pragma GCC unroll 6
    for (int k = 0; k < count; k++) {
        const vector x = CONST_AT(v + BLOCKS_LANES * k);
#pragma GCC unroll 6
        for (int i = 0; i < count; i++) {
            const vector product = CONST_AT(matrix + (size_t)k * stride + BLOCKS_LANES * i) * x;
            if (k == 0) sum[i] = product;
            else sum[i] += product;
        }
    }
}

/* sum := a row of a matrix times v, in lanes */
INLINE void row_lanes(vector *sum, const double *row, size_t stride, const vector *v, const int count)
{
    *sum = CONST_AT(row) * v[0];
#pragma GCC unroll 6
    for (int k = 1; k < count; k++) *sum += CONST_AT(row + (size_t)k * stride) * v[k];
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

/* The function of a group: for few own unknowns, whose number the compiler sees, or for any number; in lanes or not. */
#define BY_NUMBER(g, lanes, FUNCTION)                                                                                \
    switch ((g)->fixed) {                                                                                            \
    case 1: FUNCTION(lanes, 1); break;                                                                               \
    case 2: FUNCTION(lanes, 2); break;                                                                               \
    case 3: FUNCTION(lanes, 3); break;                                                                               \
    case 4: FUNCTION(lanes, 4); break;                                                                               \
    case 5: FUNCTION(lanes, 5); break;                                                                               \
    case 6: FUNCTION(lanes, 6); break;                                                                               \
    default: FUNCTION(lanes, 0);                                                                                     \
    }
#define BY_SHAPE(g, FUNCTION)                                                                                        \
    if ((g)->lanes > 1)                                                                                              \
        BY_NUMBER(g, BLOCKS_LANES, FUNCTION)                                                                         \
    else                                                                                                             \
        BY_NUMBER(g, 1, FUNCTION)

#endif
