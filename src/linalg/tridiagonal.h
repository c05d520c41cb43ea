/* A symmetric positive definite tridiagonal matrix, as of a chain of bars: factors and solutions in which rows wait for
 * each other as little as they can.
 *
 * Rows are eliminated from both ends towards the middle. A pivot d_i = D_i - c^2/d_{i-1} would wait for the division
 * before it; with d_i = D_i r_i and r_i = p_i/p_{i-1} it is p_i = p_{i-1} - e_i p_{i-2}, e_i = c^2/(D_i D_{i-1}), which
 * waits for a subtraction, and all divisions follow at once. Solutions go two rows at a time, unless a factor l is
 * large, of neighbours that weigh very differently: rounding errors would grow by it. */
#ifndef TAUT_LINALG_TRIDIAGONAL_H
#define TAUT_LINALG_TRIDIAGONAL_H

#include <stddef.h>

typedef struct {
    int n;
    double *inverse;        /* 1/d; arrays of n + TRIDIAGONAL_FILLED each, of the caller */
    double *next, *skip;    /* l of the row towards the middle, and the product of two of them */
    double *bends;          /* e; work */
    int steep;              /* an l is large */
} tridiagonal;

enum { TRIDIAGONAL_FILLED = 8 };

/* coupling[k]: of rows k and k + 1. Returns 0, with factors that are of no use, where the matrix is not positive
   definite or too near to one that is not. n at least 3. */
int taut_tridiagonal_factor(tridiagonal *t, const double *diagonal, const double *coupling);
/* x := A^-1 x */
void taut_tridiagonal_solve(const tridiagonal *t, double *x);

#endif
