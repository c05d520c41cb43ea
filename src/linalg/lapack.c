#include "linalg/lapack.h"

#include "linalg/exclusive.h"
#include "linalg/full.h"
#include "linalg/library.h"

#define LAPACK_FIND(NAME) { #NAME, offsetof(lapack, NAME) },

int taut_lapack_load(taut_context *context, lapack *l)
{
    static const library_function functions[] = { LAPACK_FUNCTIONS(LAPACK_FIND) };
    return taut_library_load(context, "LAPACK", TAUT_LAPACKE_FILE, functions, sizeof functions / sizeof *functions,
                             l);
}

/* The _work variants neither allocate nor search for NaN. */
int taut_lapack_factor(const lapack *l, int n, double *a, lapack_int *pivot)
{
    lapack_int info;
    TAUT_EXCLUSIVE(info, l->LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n > 1 ? n : 1, pivot));
    return info < 0; /* a zero pivot does not stop it */
}

int taut_lapack_solve(const lapack *l, int n, const double *a, const lapack_int *pivot, double *b, int transposed)
{
    const int leading = n > 1 ? n : 1;
    lapack_int info;
    TAUT_EXCLUSIVE(info, l->LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', n, 1, a, leading, pivot, b,
                                                leading));
    return info != 0;
}

static int failed(taut_context *context, lapack_int info)
{
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory in LAPACK");
    return taut_fail(context, TAUT_NO_CONVERGENCE, "LAPACK fails (%ld)", (long)info);
}

int taut_lapack_least_squares(taut_context *context, int rows, int columns, double *a, double *b, double tolerance)
{
    lapack l;
    lapack_int info, rank, *pivot = taut_mem_new(context, (size_t)columns, sizeof *pivot);
    if (!pivot) return TAUT_OUT_OF_MEMORY;
    int status = taut_lapack_load(context, &l);
    if (!status) {
        TAUT_EXCLUSIVE(info, l.LAPACKE_dgelsy(LAPACK_COL_MAJOR, rows, columns, 1, a, rows, b,
                                              rows > columns ? rows : columns, pivot, tolerance, &rank));
        if (info) status = failed(context, info);
    }
    taut_mem_free(context, pivot);
    return status;
}

int taut_lapack_positive_solve(taut_context *context, int n, double *a, double *b, int *definite)
{
    lapack l;
    lapack_int info;
    int status = taut_lapack_load(context, &l);
    if (status) return status;
    TAUT_EXCLUSIVE(info, l.LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, 1, a, n, b, n));
    *definite = info == 0;
    return TAUT_OK;
}

int taut_eigenvalues(taut_context *context, int n, double *a, double *re, double *im)
{
    lapack l;
    lapack_int info;
    int status = taut_lapack_load(context, &l);
    if (status) return status;
    TAUT_EXCLUSIVE(info, l.LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, re, im, NULL, 1, NULL, 1));
    return info ? failed(context, info) : TAUT_OK;
}
