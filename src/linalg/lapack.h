/* LAPACK, called here and nowhere else: loaded when it is first needed (linalg/library.h), and by one thread at a time
   (linalg/exclusive.h). Matrices are in double, by columns. */
#ifndef TAUT_LINALG_LAPACK_H
#define TAUT_LINALG_LAPACK_H

#include <lapacke.h>

#include "base/context.h"

#define LAPACK_FUNCTIONS(F)                                                                                            \
    F(LAPACKE_dgetrf_work) F(LAPACKE_dgetrs_work) F(LAPACKE_dgelsy) F(LAPACKE_dposv) F(LAPACKE_dgeev)
#define LAPACK_MEMBER(NAME) __typeof__(&NAME) NAME;

typedef struct {
    LAPACK_FUNCTIONS(LAPACK_MEMBER)
} lapack;

int taut_lapack_load(taut_context *context, lapack *l);

/* LU with pivots; neither allocates nor looks for NaN. Nonzero where LAPACK refuses. */
int taut_lapack_factor(const lapack *l, int n, double *a, lapack_int *pivot);
int taut_lapack_solve(const lapack *l, int n, const double *a, const lapack_int *pivot, double *b, int transposed);

/* As in linalg/full.h. */
int taut_lapack_least_squares(taut_context *context, int rows, int columns, double *a, double *b, double tolerance);
int taut_lapack_positive_solve(taut_context *context, int n, double *a, double *b, int *definite);

#endif
