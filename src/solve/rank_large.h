/* Which of many constraints are dependent: the matrix of the cosines between their gradients, a little of the identity
   added, is factored in an order that keeps it sparse; what is left of a dependent row is then no more than that. */
#ifndef TAUT_SOLVE_RANK_LARGE_H
#define TAUT_SOLVE_RANK_LARGE_H

#include "system/system.h"

typedef struct large_rank large_rank;

/* values: of BLOCK_G. They are kept, not copied. */
int X(large_rank_create)(const struct system *s, const real *values, large_rank **result);
void X(large_rank_destroy)(large_rank *z);
uint32_t X(large_rank_number)(const large_rank *z);
int X(large_rank_is_dependent)(const large_rank *z, uint32_t k);
const int *X(large_rank_order)(const large_rank *z); /* as rank_order */
/* Whether the gradient of constraint k is zero. */
int X(large_rank_is_zero)(const large_rank *z, uint32_t k);
/* How much of x, c numbers, cannot be G times something; relative to x, each in the units of its constraint. */
double X(large_rank_outside)(large_rank *z, const real *x);
/* Takes out of x, n numbers, what is along the gradients. */
void X(large_rank_remove)(large_rank *z, real *x);

#endif
