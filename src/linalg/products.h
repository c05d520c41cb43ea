/* Sums of products through fixed lists: out_r = sum over e of a[i_e] b[j_e], e in list r.
 *
 * Sparse matrices times vectors and products of sparse matrices are such sums. Lists that repeat (list r + period is
 * list r with every index moved by a distance of its own, as in a chain) are kept once, and summed in loops without
 * index arrays. Independent of precision; products_sum.h is the summation. */
#ifndef TAUT_LINALG_PRODUCTS_H
#define TAUT_LINALG_PRODUCTS_H

#include "linalg/pattern.h"

/* Lists first .. first + period * repeats - 1. Those of the first period are written out, list m of it in
   start[m] .. start[m+1]. */
typedef struct {
    int first, period, repeats;
    const int *start;
    int start_at; /* in products.start, for building */
} products_piece;

typedef struct {
    int a, b;           /* indices in the first period */
    int a_step, b_step; /* from one period to the next */
} products_entry;

typedef struct {
    int lists;
    products_piece *pieces;
    size_t piece_count, piece_capacity;
    int *start;
    size_t start_count, start_capacity;
    products_entry *entries;
    size_t entry_count, entry_capacity;
} products;

/* list r: entries start[r] .. start[r+1]; the lists are not kept. */
int taut_products_create(taut_context *context, int lists, const int *start, const int *a, const int *b,
                         products **result);
/* The same lists with other numbers for their a and b, a_to[a] and b_to[b]; NULL: as they are. *result is NULL, and the
   status TAUT_OK, where lists that repeat hardly do so then. */
int taut_products_renumber(taut_context *context, const products *p, const int *a_to, const int *b_to,
                           products **result);
/* For lists whose a are 0, 1, 2, ... (the entries of a matrix by rows): another order of these, order[e] the place of
   e, in which those that repeat stand one behind the other. */
void taut_products_order(const products *p, int *order);
/* The piece that list r is in. */
static inline size_t products_find(const products *p, int r)
{
    size_t low = 0, high = p->piece_count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (p->pieces[middle].first <= r)
            low = middle;
        else
            high = middle;
    }
    return low;
}
void taut_products_destroy(taut_context *context, products *p);

#endif
