/* Which constraints are dependent: a dense test of the rows of G, in the order of declaration. */
#ifndef TAUT_SOLVE_RANK_H
#define TAUT_SOLVE_RANK_H

#include "system/system.h"

typedef struct rank rank;

/* The test takes constraints^2 x coordinates operations: not 0 when that is a second or less. */
int X(rank_is_affordable)(const struct system *s);
/* values: of BLOCK_G. */
int X(rank_create)(const struct system *s, const real *values, rank **result);
void X(rank_destroy)(rank *z);
uint32_t X(rank_number)(const rank *z);
int X(rank_is_dependent)(const rank *z, uint32_t k);
/* The gradient of dependent constraint k is the sum of c_j times that of constraint j < k. Returns c, valid until the
   next call. */
const double *X(rank_coefficients)(rank *z, uint32_t k);
/* Takes out of x, n numbers, what is along the gradients. */
void X(rank_remove)(const rank *z, real *x);
/* The names of the constraints on which dependent constraint k depends, in quotes; empty when its own gradient is
   zero. */
void X(rank_names)(rank *z, uint32_t k, char *text, size_t size);

#endif
