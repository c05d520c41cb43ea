/* The kinds of matrices that mechanics makes, and how a solver is checked on one. */
#ifndef TAUT_TESTS_LINEAR_MATRICES_H
#define TAUT_TESTS_LINEAR_MATRICES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* before cmocka, which makes a macro of `fail` */
#include "linalg/linear.h"

#include <cmocka.h>

static const linear_backend all[] = { LINEAR_AUTO, LINEAR_SMALL, LINEAR_LAPACK, LINEAR_KLU, LINEAR_MUMPS, LINEAR_LDL,
                                      LINEAR_KLU_COLUMNS, LINEAR_AUTO_COLUMNS };
enum { ALL = sizeof all / sizeof *all };

/* ---- matrices ---- */

typedef struct {
    int n, *start, *row;
    double *value;
    size_t count; /* entries added so far, in any order, at i[], j[], v[] */
    int *i, *j;
    double *v;
} matrix;

static inline matrix begin(int n, size_t most)
{
    matrix a = { .n = n, .count = 0 };
    a.start = calloc((size_t)n + 1, sizeof(int));
    a.row = calloc(most + 1, sizeof(int));
    a.value = calloc(most + 1, sizeof(double));
    a.i = calloc(most + 1, sizeof(int));
    a.j = calloc(most + 1, sizeof(int));
    a.v = calloc(most + 1, sizeof(double));
    return a;
}

static inline void add(matrix *a, int i, int j, double v)
{
    a->i[a->count] = i;
    a->j[a->count] = j;
    a->v[a->count++] = v;
}

/* Compressed columns with ascending rows: two stable counting sorts, by row and then by column. No entry is added
   twice. */
static inline void finish(matrix *a)
{
    size_t *by_row = calloc(a->count + 1, sizeof *by_row);
    int *next = calloc((size_t)a->n + 2, sizeof *next);
    for (size_t k = 0; k < a->count; k++) next[a->i[k] + 1]++;
    for (int k = 0; k < a->n; k++) next[k + 1] += next[k];
    for (size_t k = 0; k < a->count; k++) by_row[next[a->i[k]]++] = k;
    for (size_t k = 0; k < a->count; k++) a->start[a->j[k] + 1]++;
    for (int k = 0; k < a->n; k++) a->start[k + 1] += a->start[k];
    memcpy(next, a->start, sizeof(int) * ((size_t)a->n + 1));
    for (size_t k = 0; k < a->count; k++) {
        int slot = next[a->j[by_row[k]]]++;
        a->row[slot] = a->i[by_row[k]];
        a->value[slot] = a->v[by_row[k]];
    }
    free(by_row);
    free(next);
}

static inline void end(matrix *a)
{
    void *blocks[] = { a->start, a->row, a->value, a->i, a->j, a->v };
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) free(blocks[k]);
}

/* Knuth's MMIX generator, so that every machine sees the same matrices. In [-1/2, 1/2). */
static inline double next_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static inline matrix random_dense(int n, uint64_t seed)
{
    matrix a = begin(n, (size_t)n * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) add(&a, i, j, next_number(&seed));
    finish(&a);
    return a;
}

/* Some five entries per column, no symmetry of pattern or values, a diagonal no better than the rest as pivot. */
static inline matrix random_sparse(int n, uint64_t seed)
{
    matrix a = begin(n, 6 * (size_t)n);
    int *seen = calloc((size_t)n, sizeof *seen);
    for (int j = 0; j < n; j++) {
        seen[j] = j + 1;
        add(&a, j, j, next_number(&seed));
        for (int k = 0; k < 5; k++) {
            int i = (int)((next_number(&seed) + 0.5) * n);
            if (seen[i] == j + 1) continue;
            seen[i] = j + 1;
            add(&a, i, j, next_number(&seed));
        }
    }
    free(seen);
    finish(&a);
    return a;
}

/* [M G'; G 0] of a chain of links between points in the plane: the matrix of every constrained method. */
static inline matrix saddle_point(int links, uint64_t seed)
{
    int q = 2 * links, n = 3 * links;
    matrix a = begin(n, (size_t)(2 * links + 8 * links));
    for (int k = 0; k < q; k++) add(&a, k, k, 1 + 0.5 * next_number(&seed));
    for (int k = 0; k < links; k++)
        for (int point = k - 1; point <= k; point++)
            for (int axis = 0; axis < 2 && point >= 0; axis++) {
                double g = next_number(&seed) + (point == k ? 1 : -1);
                add(&a, q + k, 2 * point + axis, g);
                add(&a, 2 * point + axis, q + k, g);
            }
    finish(&a);
    return a;
}

/* Diagonally dominant, on the edges (k, parent of k); asymmetry 0 makes it symmetric positive definite. */
static inline matrix on_tree(int n, const int *parent, double asymmetry, uint64_t seed)
{
    matrix a = begin(n, 3 * (size_t)n);
    double *diagonal = calloc((size_t)n, sizeof *diagonal);
    for (int k = 0; k < n; k++) {
        if (parent[k] < 0) continue;
        double value = next_number(&seed), skew = asymmetry * next_number(&seed);
        add(&a, k, parent[k], value + skew);
        add(&a, parent[k], k, value - skew);
        diagonal[k] += fabs(value) + fabs(skew);
        diagonal[parent[k]] += fabs(value) + fabs(skew);
    }
    for (int k = 0; k < n; k++) add(&a, k, k, diagonal[k] + 0.1);
    free(diagonal);
    finish(&a);
    return a;
}

static inline matrix tridiagonal(int n, double asymmetry, uint64_t seed)
{
    int *parent = calloc((size_t)n, sizeof *parent);
    for (int k = 0; k < n; k++) parent[k] = k - 1;
    matrix a = on_tree(n, parent, asymmetry, seed);
    free(parent);
    return a;
}

/* The seven-point Laplacian on a cube with g points to a side. */
static inline matrix cube(int g)
{
    int n = g * g * g, step[3] = { 1, g, g * g };
    matrix a = begin(n, 7 * (size_t)n);
    for (int k = 0; k < n; k++) {
        add(&a, k, k, 6.5);
        for (int axis = 0; axis < 3; axis++) {
            if (k / step[axis] % g == g - 1) continue;
            add(&a, k, k + step[axis], -1);
            add(&a, k + step[axis], k, -1);
        }
    }
    finish(&a);
    return a;
}

static inline double *entry(matrix *a, int i, int j)
{
    for (int p = a->start[j]; p < a->start[j + 1]; p++)
        if (a->row[p] == i) return &a->value[p];
    abort();
}

/* ---- checks ---- */

/* max |b - A x| / (|A| |x| + |b|): the backward error. */
static inline double backward_error(const matrix *a, const double *x, const double *b, int transposed)
{
    double *residual = malloc(sizeof(double) * (size_t)a->n), *size = calloc((size_t)a->n, sizeof(double));
    double error = 0, norm = 0, solution = 0, right = 0;
    memcpy(residual, b, sizeof(double) * (size_t)a->n);
    for (int j = 0; j < a->n; j++)
        for (int p = a->start[j]; p < a->start[j + 1]; p++) {
            int to = transposed ? j : a->row[p], from = transposed ? a->row[p] : j;
            residual[to] -= a->value[p] * x[from];
            size[to] += fabs(a->value[p]);
        }
    for (int i = 0; i < a->n; i++) {
        error = fmax(error, fabs(residual[i]));
        norm = fmax(norm, size[i]);
        solution = fmax(solution, fabs(x[i]));
        right = fmax(right, fabs(b[i]));
        if (isnan(x[i])) error = INFINITY; /* fmax would lose it */
    }
    free(residual);
    free(size);
    return a->n ? error / (norm * solution + right) : 0;
}

/* A stable elimination leaves some eps times a growth that is below 100 on matrices with anything like a good
   diagonal. */
static const double small_error = 1e-13;
/* For fill's sake KLU and MUMPS take pivots of 1/1000 and 1/100 of the best. Where the diagonal is no better than the
   rest the factors grow, for KLU up to the 1e4 it is held to: 1e4 eps, and a margin of 5. */
static const double loose_error = 1e-11;

static inline void check_solves(linear *solver, const matrix *a, double tolerance)
{
    double *b = malloc(sizeof(double) * (size_t)a->n), *x = malloc(sizeof(double) * (size_t)a->n);
    uint64_t seed = 99;
    for (int i = 0; i < a->n; i++) b[i] = next_number(&seed);
    for (int transposed = 0; transposed < 2; transposed++) {
        memcpy(x, b, sizeof(double) * (size_t)a->n);
        assert_int_equal(transposed ? taut_linear_solve_transposed(solver, x) : taut_linear_solve(solver, x), TAUT_OK);
        assert_true(backward_error(a, x, b, transposed) <= tolerance);
    }
    free(b);
    free(x);
}

static inline linear *make(taut_context *context, linear_backend backend, const matrix *a, int symmetric)
{
    linear *solver = NULL;
    assert_int_equal(taut_linear_create(context, backend, a->n, a->start, a->row, symmetric, &solver), TAUT_OK);
    return solver;
}

static inline void check_on(linear_backend backend, const matrix *a, int symmetric, double tolerance)
{
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, backend, a, symmetric);
    for (int time = 0; time < 2; time++) { /* the second may reuse the pivots of the first */
        assert_int_equal(taut_linear_factor(solver, a->value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->deficient, -1);
        check_solves(solver, a, tolerance);
    }
    assert_int_equal(taut_linear_status(solver)->solves, 4);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
}

#endif
