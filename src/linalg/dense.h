/* Small dense LU with partial pivoting, in the precision of the unit. Row-major, in place, no allocation. */
#ifndef TAUT_LINALG_DENSE_H
#define TAUT_LINALG_DENSE_H

#include "base/real.h"

/* Factors the n x n matrix a; pivot has n entries. Returns 0, or 1 + the column where no pivot larger than
   threshold * (largest entry of the matrix) was found. */
int X(dense_factor)(int n, real *a, int *pivot, real threshold);
void X(dense_solve)(int n, const real *a, const int *pivot, real *b);
void X(dense_solve_transposed)(int n, const real *a, const int *pivot, real *b);
/* inverse := a^-1 (row-major, not in place); a is overwritten by its factors. work has n entries. As dense_factor. */
int X(dense_invert)(int n, real *a, real *inverse, int *pivot, real *work, real threshold);

#endif
