/* Points between bars, whose lists of G' x (products.h) have two products each: a bar pulls both its ends, so that the
 * second factor of a point is the first one of the next with the other sign, where the constraint depends on the
 * difference of the ends alone. Whether it does is looked at in the numbers, to the last bit: for double alone. */
#ifndef TAUT_LINALG_PRODUCTS_OPPOSITE_H
#define TAUT_LINALG_PRODUCTS_OPPOSITE_H

#include <stdint.h>
#include <string.h>

#include "base/loops.h"
#include "linalg/products.h"

/* The piece of points that has at least half of all lists; NULL: there is none. size: numbers of a. */
static inline const products_piece *products_most_points(const products *p, int size)
{
    for (size_t n = 0; n < p->piece_count; n++) {
        const products_piece *piece = &p->pieces[n];
        if (piece->period * piece->repeats < p->lists / 2 || !products_are_points(piece, p->entries)) continue;
        for (int m = 0; m < 3; m++)
            if (p->entries[piece->start[m]].a + piece->repeats >= size) return NULL;
        return piece;
    }
    return NULL;
}

/* y = -x */
static WIDE_LOOPS int opposite_numbers(const double *restrict x, const double *restrict y, int count)
{
    uint64_t differs = 0;
    for (int k = 0; k < count; k++) {
        uint64_t bits, other;
        memcpy(&bits, &x[k], sizeof bits), memcpy(&other, &y[k], sizeof other);
        differs |= bits ^ other ^ (uint64_t)1 << 63;
    }
    return differs == 0;
}

/* For the second factors that meet numbers from .. to - 1 of b. */
static inline int products_are_opposite(const products *p, const products_piece *piece, const double *a, int from,
                                        int to)
{
    int are = 1;
    for (int m = 0; are && m < 3; m++) {
        const products_entry *e = p->entries + piece->start[m];
        const int first = from > e[1].b ? from - e[1].b : 0;
        const int end = to - e[1].b < piece->repeats ? to - e[1].b : piece->repeats;
        if (end > first) are = opposite_numbers(a + e[0].a + 1 + first, a + e[1].a + first, end - first);
    }
    return are;
}

#endif
