/* The multiplier matrix S = G1 W G0' of a system with constant mass, W = M^-1: sparse, formed on a fixed pattern,
 * factored without pivoting (it is close to symmetric positive definite). Linear time for chains and trees. Those of a
 * system that live at the same time share patterns and analysis. */
#ifndef TAUT_SOLVE_MULTIPLIER_H
#define TAUT_SOLVE_MULTIPLIER_H

#include "linalg/linear.h"
#include "linalg/products.h"
#include "system/system.h"

typedef struct multiplier multiplier;

/* An order of the values of BLOCK_G, which must be prepared, in which what repeats from one constraint to the next is
   contiguous: the lists of G v and G' x over it, and field_ordered_jacobian of the constraints prepared for it. The
   caller frees all three, also after a failure. */
int X(multiplier_prepare_order)(struct system *s, int **order, products **rows, products **columns);

/* Whether the matrix of kkt.h and of frames is this one. */
int X(multiplier_is_enough)(const struct system *s);
/* Needs BLOCK_G prepared and constant mass. order: of the values of BLOCK_G that will be given, entry e of the pattern
   at order[e]; NULL as in the pattern. It must stay. */
int X(multiplier_create)(struct system *s, const int *order, multiplier **result);
void X(multiplier_destroy)(multiplier *m);
/* Forms and factors G1 W G0'; the arguments are values of BLOCK_G. */
int X(multiplier_factor)(multiplier *m, const real *g1, const real *g0);
/* G W G' may be summed in parts, each while its part of G is in the cache, where this is 1: that of rows from .. to - 1
   with each other, and of a row with the next one. When all of them are, it can be factored. */
int X(multiplier_by_rows)(const multiplier *m);
void X(multiplier_sum_rows)(multiplier *m, const real *g, uint32_t from, uint32_t to);
void X(multiplier_sum_next)(multiplier *m, const real *g, uint32_t row);
int X(multiplier_factor_summed)(multiplier *m, const real *g);
/* r := scale S^-1 r */
int X(multiplier_solve)(multiplier *m, real scale, real *r);
/* The same, left to the caller to scale, who goes through r anyway: scale becomes the factor that r lacks. */
int X(multiplier_solve_scaled)(multiplier *m, real *scale, real *r);
/* Of softened constraints (redundancy.h), otherwise nothing: changes the correction that multiplier_solve gave such
   that lambda - change is the choice of least size, up to what the next corrections remove. lambda NULL: such that the
   change has no part that makes no force. */
int X(multiplier_choose)(multiplier *m, const real *lambda, real *change);
/* The same with so many passes (redundancy.h). */
int X(multiplier_choose_by)(multiplier *m, int passes, const real *lambda, real *change);
/* Another softening than that of the system from here on, where it has one (c numbers, which must stay); NULL: that. */
void X(multiplier_soften)(multiplier *m, const double *softening);

/* Fails with a text that names constraint `index` as redundant; a general text when the index is out of range. */
int X(redundant_constraint)(const struct system *s, long index);

#endif
