/* The multiplier matrix S = G1 W G0' of a system with constant mass, W = M^-1: sparse, formed on a fixed pattern,
 * factored without pivoting (it is close to symmetric positive definite). Linear time for chains and trees. */
#ifndef TAUT_SOLVE_MULTIPLIER_H
#define TAUT_SOLVE_MULTIPLIER_H

#include "linalg/linear.h"
#include "system/system.h"

typedef struct multiplier multiplier;

/* Needs BLOCK_G prepared and constant mass. */
int X(multiplier_create)(struct system *s, multiplier **result);
void X(multiplier_destroy)(multiplier *m);
/* Forms and factors G1 W G0'; the arguments are values of BLOCK_G. */
int X(multiplier_factor)(multiplier *m, const real *g1, const real *g0);
/* G' as a pattern (coordinates x constraints), and the entry of BLOCK_G for each of its entries. */
const pattern *X(multiplier_transposed)(const multiplier *m, const int **from);
/* r := S^-1 r */
int X(multiplier_solve)(multiplier *m, real *r);

/* Fails with a text that names constraint `index` as redundant; a general text when the index is out of range. */
int X(redundant_constraint)(const struct system *s, long index);

#endif
