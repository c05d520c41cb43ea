/* Problems with full matrices, in double, by columns. Small ones are solved here: then LAPACK, which takes longer to
   load than a small model to run, is not needed, and the bits do not depend on the processor. */
#ifndef TAUT_LINALG_FULL_H
#define TAUT_LINALG_FULL_H

#include "base/context.h"

/* Of all x for which |A x - b| is least, the one of least length. a: rows x columns, overwritten; b, with room for the
   larger of the two, becomes x. Columns that are, but for this fraction of the largest, combinations of others count as
   such. Numbers must be finite. */
int taut_least_squares(taut_context *context, int rows, int columns, double *a, double *b, double tolerance);
/* A x = b with the lower triangle of a symmetric matrix, overwritten; b becomes x. *definite is 0 where the matrix is
   not positive definite (or not finite): then there is no x. */
int taut_positive_solve(taut_context *context, int n, double *a, double *b, int *definite);
/* Real and imaginary parts of the eigenvalues of a, which is overwritten. */
int taut_eigenvalues(taut_context *context, int n, double *a, double *re, double *im);

#endif
