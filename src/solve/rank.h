/* Which constraints are dependent: the rows of G one after the other in the order of declaration; of many in another
   order (rank_large.h), and then it is not known on which they depend. */
#ifndef TAUT_SOLVE_RANK_H
#define TAUT_SOLVE_RANK_H

#include "system/system.h"

typedef struct rank rank;

/* values: of BLOCK_G, which must stay. */
int X(rank_create)(const struct system *s, const real *values, rank **result);
void X(rank_destroy)(rank *z);
uint32_t X(rank_number)(const rank *z);
int X(rank_is_dependent)(const rank *z, uint32_t k);
/* The order in which they were looked at, c numbers; NULL: that of declaration. Belongs to z. */
const int *X(rank_order)(const rank *z);
/* Whether x, c numbers, can be G times something: whether the dependent ones of them follow from the others. Otherwise
   *k is one that does not. */
int X(rank_reaches)(rank *z, const real *x, uint32_t *k);
/* Takes out of x, n numbers, what is along the gradients. */
void X(rank_remove)(const rank *z, real *x);
/* The names of the constraints on which dependent constraint k depends, in quotes; empty when its own gradient is
   zero, "others" when there are many constraints. */
void X(rank_names)(rank *z, uint32_t k, char *text, size_t size);

#endif
