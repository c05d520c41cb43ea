/* Linear systems: every back end on every kind of matrix that mechanics makes. */
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

static matrix begin(int n, size_t most)
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

static void add(matrix *a, int i, int j, double v)
{
    a->i[a->count] = i;
    a->j[a->count] = j;
    a->v[a->count++] = v;
}

/* Compressed columns with ascending rows: two stable counting sorts, by row and then by column. No entry is added
   twice. */
static void finish(matrix *a)
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

static void end(matrix *a)
{
    void *blocks[] = { a->start, a->row, a->value, a->i, a->j, a->v };
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) free(blocks[k]);
}

/* Knuth's MMIX generator, so that every machine sees the same matrices. In [-1/2, 1/2). */
static double next_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static matrix random_dense(int n, uint64_t seed)
{
    matrix a = begin(n, (size_t)n * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) add(&a, i, j, next_number(&seed));
    finish(&a);
    return a;
}

/* Some five entries per column, no symmetry of pattern or values, a diagonal no better than the rest as pivot. */
static matrix random_sparse(int n, uint64_t seed)
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
static matrix saddle_point(int links, uint64_t seed)
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
static matrix on_tree(int n, const int *parent, double asymmetry, uint64_t seed)
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

static matrix tridiagonal(int n, double asymmetry, uint64_t seed)
{
    int *parent = calloc((size_t)n, sizeof *parent);
    for (int k = 0; k < n; k++) parent[k] = k - 1;
    matrix a = on_tree(n, parent, asymmetry, seed);
    free(parent);
    return a;
}

/* The seven-point Laplacian on a cube with g points to a side. */
static matrix cube(int g)
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

static double *entry(matrix *a, int i, int j)
{
    for (int p = a->start[j]; p < a->start[j + 1]; p++)
        if (a->row[p] == i) return &a->value[p];
    abort();
}

/* ---- checks ---- */

/* max |b - A x| / (|A| |x| + |b|): the backward error. */
static double backward_error(const matrix *a, const double *x, const double *b, int transposed)
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

static void check_solves(linear *solver, const matrix *a, double tolerance)
{
    double *b = malloc(sizeof(double) * (size_t)a->n), *x = malloc(sizeof(double) * (size_t)a->n);
    uint64_t seed = 99;
    for (int i = 0; i < a->n; i++) b[i] = next_number(&seed);
    for (int transposed = 0; transposed < 2; transposed++) {
        memcpy(x, b, sizeof(double) * (size_t)a->n);
        assert_int_equal(transposed ? linear_solve_transposed(solver, x) : linear_solve(solver, x), TAUT_OK);
        assert_true(backward_error(a, x, b, transposed) <= tolerance);
    }
    free(b);
    free(x);
}

static linear *make(taut_context *context, linear_backend backend, const matrix *a, int symmetric)
{
    linear *solver = NULL;
    assert_int_equal(linear_create(context, backend, a->n, a->start, a->row, symmetric, &solver), TAUT_OK);
    return solver;
}

static void check_on(linear_backend backend, const matrix *a, int symmetric, double tolerance)
{
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, backend, a, symmetric);
    for (int time = 0; time < 2; time++) { /* the second may reuse the pivots of the first */
        assert_int_equal(linear_factor(solver, a->value), TAUT_OK);
        assert_int_equal(linear_status(solver)->deficient, -1);
        check_solves(solver, a, tolerance);
    }
    assert_int_equal(linear_status(solver)->solves, 4);
    linear_destroy(solver);
    taut_context_destroy(context);
}

/* ---- tests ---- */

static void random_dense_matrices(void **state)
{
    (void)state;
    for (int n = 1; n <= 40; n += 3)
        for (int k = 0; k < ALL; k++) {
            matrix a = random_dense(n, (uint64_t)n);
            check_on(all[k], &a, 0, small_error);
            end(&a);
        }
}

static void random_sparse_matrices(void **state)
{
    (void)state;
    for (int n = 20; n <= 500; n += 160)
        for (int k = 0; k < ALL; k++) {
            matrix a = random_sparse(n, (uint64_t)n);
            check_on(all[k], &a, 0, loose_error);
            end(&a);
        }
}

static void saddle_points(void **state)
{
    (void)state;
    for (int symmetric = 0; symmetric < 2; symmetric++)
        for (int k = 0; k < ALL; k++) {
            matrix a = saddle_point(60, 5);
            check_on(all[k], &a, symmetric, small_error);
            end(&a);
        }
}

/* Sylvester: [M G'; G 0] with M positive definite and G of full rank has one negative eigenvalue per constraint. */
static void mumps_counts_the_constraints(void **state)
{
    (void)state;
    matrix a = saddle_point(60, 5);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_MUMPS, &a, 1);
    assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
    assert_int_equal(linear_status(solver)->negative_pivots, 60);
    linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* A chain has no fill in its natural order: 2 (n-1) entries off the diagonal and n on it. */
static void a_long_chain_by_ldl_and_by_klu(void **state)
{
    (void)state;
    const int n = 100000;
    for (int skew = 0; skew < 2; skew++) {
        matrix a = tridiagonal(n, 0.3 * skew, 11);
        taut_context *context = taut_context_create(NULL);
        linear *ldl = make(context, LINEAR_LDL, &a, 0), *klu = make(context, LINEAR_KLU, &a, 0);
        assert_int_equal(linear_factor(ldl, a.value), TAUT_OK);
        assert_int_equal(linear_factor(klu, a.value), TAUT_OK);
        assert_int_equal(linear_status(ldl)->backend, LINEAR_LDL);
        assert_int_equal(linear_status(ldl)->factor_nonzeros, 3L * n - 2);
        assert_int_equal(linear_status(ldl)->negative_pivots, 0);
        check_solves(ldl, &a, small_error);
        double *x = malloc(sizeof(double) * (size_t)n), *y = malloc(sizeof(double) * (size_t)n);
        for (int i = 0; i < n; i++) x[i] = y[i] = sin(i);
        linear_solve(ldl, x);
        linear_solve(klu, y);
        /* dominance 0.1 over entries of at most 2.2: the condition is below 40, and some eps per operation */
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) <= 1e-13);
        free(x);
        free(y);
        linear_destroy(ldl);
        linear_destroy(klu);
        taut_context_destroy(context);
        end(&a);
    }
}

/* Trees have an order without fill, and AMD finds it. The star with its hub first would fill completely (1.25e9
   entries) in the natural order, the tree numbered from its root nearly so. */
static void stars_and_trees_have_no_fill(void **state)
{
    (void)state;
    const int n = 50000;
    int *parent = calloc((size_t)n, sizeof *parent);
    for (int kind = 0; kind < 2; kind++) {
        uint64_t seed = 8;
        for (int k = 0; k < n; k++) parent[k] = k == 0 ? -1 : kind == 0 ? 0 : (int)((next_number(&seed) + 0.5) * k);
        matrix a = on_tree(n, parent, 0.2, 21);
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, LINEAR_LDL, &a, 0);
        assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(linear_status(solver)->backend, LINEAR_LDL);
        assert_int_equal(linear_status(solver)->factor_nonzeros, 3L * n - 2);
        check_solves(solver, &a, small_error);
        linear_destroy(solver);
        taut_context_destroy(context);
        end(&a);
    }
    free(parent);
}

/* With fill, in AMD's order, and twice: what a solve leaves in the work arrays must not leak into the next factors. */
static void ldl_with_fill(void **state)
{
    (void)state;
    matrix a = cube(8);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_LDL, &a, 0);
    for (int time = 0; time < 2; time++) {
        assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(linear_status(solver)->backend, LINEAR_LDL);
        assert_true(linear_status(solver)->factor_nonzeros > 2 * (long)a.count);
        check_solves(solver, &a, small_error);
    }
    linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* Only one of (i, j), (j, i) stored; a diagonal entry missing; more than one component. */
static void ldl_completes_an_unsymmetric_pattern(void **state)
{
    (void)state;
    const int n = 60;
    matrix a = begin(n, 4 * (size_t)n);
    uint64_t seed = 4;
    for (int k = 0; k < n; k++) {
        add(&a, k, k, 3 + next_number(&seed));
        if (k + 7 < n && k != 20) add(&a, k + 7, k, next_number(&seed));
        if (k + 11 < n && k % 2) add(&a, k, k + 11, next_number(&seed));
    }
    finish(&a);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_LDL, &a, 0);
    assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
    assert_int_equal(linear_status(solver)->backend, LINEAR_LDL);
    check_solves(solver, &a, small_error);
    linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
    /* diag(1, 0) + the other diagonal: regular, though (1, 1) is not even in the pattern */
    matrix corner = begin(2, 3);
    add(&corner, 0, 0, 1);
    add(&corner, 0, 1, 2);
    add(&corner, 1, 0, 3);
    finish(&corner);
    for (int k = 0; k < ALL; k++) check_on(all[k], &corner, 0, small_error);
    end(&corner);
}

/* LDL must not solve saddle points itself: growth or a zero pivot hands them to KLU, and the next good matrix comes
   back. */
static void ldl_hands_over_what_needs_pivoting(void **state)
{
    (void)state;
    matrix a = tridiagonal(50, 0, 3);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_LDL, &a, 0);
    double good = *entry(&a, 10, 10);
    const double bad[] = { 1e-9, 0 }; /* growth 1e8; no pivot at all */
    for (int k = 0; k < 2; k++) {
        /* the row before is decoupled so that the pivot is the entry itself */
        double coupling = *entry(&a, 10, 9);
        *entry(&a, 10, 9) = 0;
        *entry(&a, 10, 10) = bad[k];
        assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(linear_status(solver)->backend, LINEAR_KLU);
        check_solves(solver, &a, small_error);
        *entry(&a, 10, 9) = coupling;
        *entry(&a, 10, 10) = good;
        assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(linear_status(solver)->backend, LINEAR_LDL);
        assert_true(linear_status(solver)->pivot_growth < 2);
        check_solves(solver, &a, small_error);
    }
    linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* Growth off the diagonal alone, which the products l_kj u_jk do not show: 1e7 * 1e7 meets 0 at (1, 2). */
static void ldl_sees_growth_off_the_diagonal(void **state)
{
    (void)state;
    const double value[9] = { 1, 1e7, 0, 0, 1, 0, 1e7, 0, 1 }; /* by columns */
    matrix a = begin(3, 9);
    for (int k = 0; k < 9; k++) add(&a, k % 3, k / 3, value[k]);
    finish(&a);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_LDL, &a, 0);
    assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
    assert_int_equal(linear_status(solver)->backend, LINEAR_KLU);
    linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

static void expect_singular(linear_backend backend, const matrix *regular, const double *singular, int first,
                            int second)
{
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, backend, regular, 0);
    for (int time = 0; time < 2; time++) {
        assert_int_equal(linear_factor(solver, singular), TAUT_SINGULAR);
        long deficient = linear_status(solver)->deficient;
        assert_true(deficient == first || deficient == second);
        assert_true(strstr(taut_error_text(context), "singular") != NULL);
        double b[64] = { 0 };
        assert_int_equal(linear_solve(solver, b), TAUT_BAD_USAGE);
        assert_int_equal(linear_factor(solver, regular->value), TAUT_OK);
        assert_int_equal(linear_status(solver)->deficient, -1);
        check_solves(solver, regular, small_error);
    }
    /* pivots may be kept from regular to singular, once, but never the other way */
    assert_true(linear_status(solver)->refactorisations <= 1);
    linear_destroy(solver);
    taut_context_destroy(context);
}

/* Unknown 17 has nothing in its row and column: only it can be the one. */
static void a_zero_column_is_named(void **state)
{
    (void)state;
    matrix a = tridiagonal(40, 0.2, 17);
    double *singular = malloc(sizeof(double) * a.count);
    memcpy(singular, a.value, sizeof(double) * a.count);
    for (int j = 0; j < a.n; j++)
        for (int p = a.start[j]; p < a.start[j + 1]; p++)
            if (j == 17 || a.row[p] == 17) singular[p] = 0;
    for (int k = 0; k < ALL; k++) expect_singular(all[k], &a, singular, 17, 17);
    free(singular);
    end(&a);
}

/* A star whose hub comes first, so that LDL takes AMD's order and must translate; 11 and 23 stand apart and depend on each
   other. */
static void a_dependent_pair_is_named_in_the_original_numbering(void **state)
{
    (void)state;
    const int n = 30;
    matrix a = begin(n, 4 * (size_t)n);
    for (int k = 0; k < n; k++) {
        add(&a, k, k, k == 0 ? n : 2);
        if (k == 0 || k == 11 || k == 23) continue;
        add(&a, k, 0, 1);
        add(&a, 0, k, 1);
    }
    add(&a, 11, 23, 1);
    add(&a, 23, 11, 1);
    finish(&a);
    double singular[120];
    memcpy(singular, a.value, sizeof(double) * a.count);
    *entry(&a, 11, 23) = *entry(&a, 23, 11) = 2;
    for (size_t p = 0; p < a.count; p++)
        if (a.value[p] != singular[p]) singular[p] = 2;
    *entry(&a, 11, 23) = *entry(&a, 23, 11) = 1;
    for (int k = 0; k < ALL; k++) expect_singular(all[k], &a, singular, 11, 23);
    end(&a);
}

/* Redundant constraints: G M^-1 G' in which rows 4 and 9 of G are parallel; entries with rounding, so that the vanished
   pivot is some eps and not zero. Either of the two may be named. */
static void parallel_constraints_are_named(void **state)
{
    (void)state;
    enum { N = 14, Q = 30 };
    for (int k = 0; k < ALL; k++) {
        double g[N][Q], singular[N * N];
        uint64_t seed = 77;
        matrix a = begin(N, N * N);
        for (int redundant = 0; redundant < 2; redundant++) {
            for (int i = 0; i < N; i++)
                for (int m = 0; m < Q; m++) g[i][m] = redundant && i == 9 ? 0.3 * g[4][m] : next_number(&seed);
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++) {
                    double sum = 0;
                    for (int m = 0; m < Q; m++) sum += g[i][m] * g[j][m] / (1 + m);
                    if (redundant) singular[j * N + i] = sum;
                    else add(&a, i, j, sum);
                }
        }
        finish(&a);
        expect_singular(all[k], &a, singular, 4, 9);
        end(&a);
    }
}

/* Powers of ten from 1e-9 to 1e9 on rows and columns: badly scaled is not singular. The solution is known through the
   unscaled system, so that a row's error counts in the row's own scale. */
static void scaling_does_not_make_singular(void **state)
{
    (void)state;
    const int n = 30;
    for (int k = 0; k < ALL; k++) {
        matrix a = tridiagonal(n, 0.2, 6);
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, all[k], &a, 0);
        double b[30] = { 0 }, x[30];
        uint64_t seed = 12;
        double row[30], column[30];
        for (int i = 0; i < n; i++) row[i] = pow(10, 18 * next_number(&seed));
        for (int i = 0; i < n; i++) column[i] = pow(10, 18 * next_number(&seed));
        for (int j = 0; j < n; j++)
            for (int p = a.start[j]; p < a.start[j + 1]; p++) {
                a.value[p] *= row[a.row[p]] * column[j];
                b[a.row[p]] += a.value[p] / column[j];
            }
        assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
        memcpy(x, b, sizeof x);
        linear_solve(solver, x);
        /* the condition of the unscaled matrix is below 40 */
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] * column[i] - 1) <= 1e-12);
        linear_destroy(solver);
        taut_context_destroy(context);
        end(&a);
    }
}

/* The first values make the diagonal the best pivots; the next make it 1e-14 of the rest, so that the kept pivots would
   leave a backward error near 1e-2. */
static void klu_notices_pivots_gone_bad(void **state)
{
    (void)state;
    matrix a = random_sparse(200, 31);
    double *good = malloc(sizeof(double) * a.count), *mild = malloc(sizeof(double) * a.count);
    for (int j = 0; j < a.n; j++)
        for (int p = a.start[j]; p < a.start[j + 1]; p++) {
            good[p] = a.row[p] == j ? 10 : a.value[p];
            mild[p] = a.row[p] == j ? 11 : a.value[p];
            if (a.row[p] == j) a.value[p] *= 1e-14;
        }
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_KLU, &a, 0);
    const linear_info *info = linear_status(solver);
    assert_int_equal(linear_factor(solver, good), TAUT_OK);
    assert_int_equal(linear_factor(solver, mild), TAUT_OK);
    assert_int_equal(info->refactorisations, 1);
    assert_int_equal(info->factorisations, 1);
    assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
    assert_int_equal(info->refactorisations, 1);
    assert_true(info->factorisations > 1);
    assert_true(info->pivot_growth < 1e6);
    check_solves(solver, &a, small_error);
    linear_destroy(solver);
    taut_context_destroy(context);
    free(good);
    free(mild);
    end(&a);
}

/* KLU's preference for the diagonal lets this matrix grow by 2e4; partial pivoting does not. */
static void klu_gives_up_a_bad_diagonal(void **state)
{
    (void)state;
    matrix a = random_sparse(180, 180);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_KLU, &a, 0);
    assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
    assert_true(linear_status(solver)->pivot_growth <= 1e3);
    check_solves(solver, &a, small_error);
    linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

static void solve_bits(linear *solver, const matrix *a, double *x)
{
    for (int i = 0; i < a->n; i++) x[i] = cos(i);
    assert_int_equal(linear_solve(solver, x), TAUT_OK);
}

/* Two objects, with the process's random numbers moved on between them (orderings may draw on those). */
static void the_same_input_gives_the_same_bits(void **state)
{
    (void)state;
    matrix a = cube(12);
    size_t size = sizeof(double) * (size_t)a.n;
    double *x = malloc(size), *y = malloc(size);
    for (int k = 0; k < ALL; k++) {
        if (all[k] == LINEAR_SMALL) continue; /* 1728 unknowns are too slow there, and it has no ordering */
        taut_context *context = taut_context_create(NULL);
        for (int time = 0; time < 2; time++) {
            linear *solver = make(context, all[k], &a, all[k] == LINEAR_MUMPS);
            assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
            solve_bits(solver, &a, time ? y : x);
            linear_destroy(solver);
            rand();
        }
        assert_memory_equal(x, y, size);
        taut_context_destroy(context);
    }
    free(x);
    free(y);
    end(&a);
}

/* With pivots kept from other values KLU gives other bits (the test would be empty if it did not); after linear_forget
   those of a new object. */
static void forgetting_is_like_starting_anew(void **state)
{
    (void)state;
    matrix a = random_sparse(300, 41);
    size_t size = sizeof(double) * (size_t)a.n;
    double *x = malloc(size), *y = malloc(size), *z = malloc(size), *before = malloc(sizeof(double) * a.count);
    uint64_t seed = 1;
    for (size_t p = 0; p < a.count; p++) before[p] = a.value[p] * (1 + 0.5 * next_number(&seed));
    taut_context *context = taut_context_create(NULL);
    linear *old = make(context, LINEAR_KLU, &a, 0), *new = make(context, LINEAR_KLU, &a, 0);
    assert_int_equal(linear_factor(new, a.value), TAUT_OK);
    assert_int_equal(linear_factor(old, before), TAUT_OK);
    assert_int_equal(linear_factor(old, a.value), TAUT_OK);
    assert_int_equal(linear_status(old)->refactorisations, 1);
    solve_bits(new, &a, x);
    solve_bits(old, &a, y);
    linear_forget(old);
    assert_int_equal(linear_factor(old, a.value), TAUT_OK);
    solve_bits(old, &a, z);
    assert_memory_not_equal(x, y, size);
    assert_memory_equal(x, z, size);
    linear_destroy(old);
    linear_destroy(new);
    taut_context_destroy(context);
    free(x);
    free(y);
    free(z);
    free(before);
    end(&a);
}

static void automatic_choices(void **state)
{
    (void)state;
    struct {
        matrix a;
        linear_backend expected;
    } cases[] = { { random_dense(10, 1), LINEAR_SMALL },
                  { random_dense(60, 1), LINEAR_LAPACK },
                  { tridiagonal(1000, 0, 1), LINEAR_KLU },
                  { saddle_point(500, 1), LINEAR_KLU },
                  { cube(22), LINEAR_MUMPS } }; /* AMD's factors have more than 2e6 entries, the matrix 7e4 */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, LINEAR_AUTO, &cases[k].a, 1);
        assert_int_equal(linear_status(solver)->backend, cases[k].expected);
        assert_int_equal(linear_factor(solver, cases[k].a.value), TAUT_OK);
        assert_int_equal(linear_status(solver)->backend, cases[k].expected);
        check_solves(solver, &cases[k].a, small_error);
        linear_destroy(solver);
        taut_context_destroy(context);
        end(&cases[k].a);
    }
}

/* A grid whose diagonal is useless: exchanging rows fills KLU's factors tenfold beyond the forecast, and AUTO changes
   its mind. MUMPS in turn needs more memory than it had foreseen. */
static void automatic_changes_its_mind(void **state)
{
    (void)state;
    const int g = 90, n = g * g;
    uint64_t seed = 5;
    matrix a = begin(n, 5 * (size_t)n);
    for (int k = 0; k < n; k++) {
        add(&a, k, k, 1e-6 * next_number(&seed));
        for (int step = 1; step <= g; step += g - 1) {
            if (step == 1 ? k % g == g - 1 : k + g >= n) continue;
            add(&a, k, k + step, next_number(&seed));
            add(&a, k + step, k, next_number(&seed));
        }
    }
    finish(&a);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_AUTO, &a, 0);
    assert_int_equal(linear_status(solver)->backend, LINEAR_KLU);
    for (int time = 0; time < 2; time++) {
        assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(linear_status(solver)->backend, LINEAR_MUMPS);
        check_solves(solver, &a, loose_error);
    }
    linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    const double bad[] = { NAN, INFINITY, -INFINITY };
    matrix a = tridiagonal(40, 0.2, 2);
    for (int k = 0; k < ALL; k++) {
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, all[k], &a, 0);
        for (size_t p = 0; p < a.count; p++) {
            double kept = a.value[p];
            a.value[p] = bad[p % 3];
            assert_int_equal(linear_factor(solver, a.value), TAUT_NOT_FINITE);
            a.value[p] = kept;
        }
        assert_int_equal(linear_factor(solver, a.value), TAUT_OK);
        check_solves(solver, &a, small_error);
        linear_destroy(solver);
        taut_context_destroy(context);
    }
    end(&a);
}

static void bad_usage_is_refused(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    linear *solver = NULL;
    const int start[] = { 0, 2, 3 }, descending[] = { 1, 0, 1 }, twice[] = { 0, 0, 1 }, outside[] = { 0, 2, 1 };
    const int *rows[] = { descending, twice, outside };
    for (int k = 0; k < ALL; k++) {
        for (int r = 0; r < 3; r++)
            assert_int_equal(linear_create(context, all[k], 2, start, rows[r], 0, &solver), TAUT_BAD_USAGE);
        const int right[] = { 0, 1, 1 };
        double b[2] = { 1, 1 };
        assert_int_equal(linear_create(context, all[k], 2, start, right, 0, &solver), TAUT_OK);
        assert_int_equal(linear_solve(solver, b), TAUT_BAD_USAGE);
        assert_int_equal(linear_solve_transposed(solver, b), TAUT_BAD_USAGE);
        linear_destroy(solver);
    }
    assert_int_equal(linear_create(context, (linear_backend)99, 2, start, outside, 0, &solver), TAUT_BAD_USAGE);
    linear_destroy(NULL);
    taut_context_destroy(context);
}

static void nothing_is_a_system_too(void **state)
{
    (void)state;
    for (int k = 0; k < ALL; k++) {
        matrix a = random_dense(0, 1);
        check_on(all[k], &a, 1, small_error);
        end(&a);
    }
}

/* Structurally singular: column 1 is empty. Never regular, but never worse than that. */
static void an_empty_column_is_singular(void **state)
{
    (void)state;
    for (int k = 0; k < ALL; k++) {
        const int start[] = { 0, 2, 2, 4 }, row[] = { 0, 1, 1, 2 };
        const double value[] = { 1, 2, 3, 4 };
        taut_context *context = taut_context_create(NULL);
        linear *solver = NULL;
        assert_int_equal(linear_create(context, all[k], 3, start, row, 0, &solver), TAUT_OK);
        for (int time = 0; time < 2; time++) {
            assert_int_equal(linear_factor(solver, value), TAUT_SINGULAR);
            assert_int_equal(linear_status(solver)->deficient, 1);
        }
        linear_destroy(solver);
        taut_context_destroy(context);
    }
}

/* ---- allocations that fail ---- */

typedef struct {
    long calls, fail_at, live;
} account;

static void *counted_resize(void *user, void *block, size_t size)
{
    account *count = user;
    if (size == 0) {
        if (block) count->live--;
        free(block);
        return NULL;
    }
    if (++count->calls == count->fail_at) return NULL;
    if (!block) count->live++;
    return realloc(block, size);
}

/* Returns nonzero once the whole life of a solver passes without the failure coming up. */
static int live_through(linear_backend backend, const matrix *a, const double *second, long fail_at)
{
    account count = { 0, fail_at, 0 };
    taut_allocator allocator = { counted_resize, &count };
    taut_context *context = taut_context_create(&allocator);
    if (!context) {
        assert_int_equal(count.live, 0);
        return 0;
    }
    linear *solver = NULL;
    int status = linear_create(context, backend, a->n, a->start, a->row, 0, &solver);
    if (status) assert_null(solver);
    if (!status) status = linear_factor(solver, a->value);
    if (!status) check_solves(solver, a, small_error);
    if (!status) status = linear_factor(solver, second);
    if (status) assert_int_equal(status, TAUT_OUT_OF_MEMORY);
    if (status && solver) { /* memory came back: the object must be whole */
        assert_int_equal(linear_factor(solver, a->value), TAUT_OK);
        check_solves(solver, a, small_error);
    }
    linear_destroy(solver);
    assert_int_equal(count.live, 1); /* the context alone */
    taut_context_destroy(context);
    assert_int_equal(count.live, 0);
    return status == TAUT_OK;
}

/* A chain numbered so that LDL takes AMD's order, and second values that send LDL to KLU: every allocation is met. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { N = 25 };
    for (int k = 0; k < ALL; k++) {
        int parent[N];
        for (int i = 0; i < N; i++) parent[i] = i == 0 ? -1 : i / 3;
        matrix a = on_tree(N, parent, 0.1, 3);
        double second[3 * N];
        memcpy(second, a.value, sizeof(double) * a.count);
        for (int j = 0; j < N; j++)
            for (int p = a.start[j]; p < a.start[j + 1]; p++)
                if (a.row[p] == j) second[p] = j < 9 ? 1 : 1e-8;
        long fail_at = 1;
        while (!live_through(all[k], &a, second, fail_at)) assert_true(++fail_at < 1000);
        assert_true(fail_at > 5); /* the context, the solver, its pattern's two arrays and a state at least */
        end(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_dense_matrices),
        cmocka_unit_test(random_sparse_matrices),
        cmocka_unit_test(saddle_points),
        cmocka_unit_test(mumps_counts_the_constraints),
        cmocka_unit_test(a_long_chain_by_ldl_and_by_klu),
        cmocka_unit_test(stars_and_trees_have_no_fill),
        cmocka_unit_test(ldl_with_fill),
        cmocka_unit_test(ldl_completes_an_unsymmetric_pattern),
        cmocka_unit_test(ldl_hands_over_what_needs_pivoting),
        cmocka_unit_test(ldl_sees_growth_off_the_diagonal),
        cmocka_unit_test(a_zero_column_is_named),
        cmocka_unit_test(a_dependent_pair_is_named_in_the_original_numbering),
        cmocka_unit_test(parallel_constraints_are_named),
        cmocka_unit_test(scaling_does_not_make_singular),
        cmocka_unit_test(klu_notices_pivots_gone_bad),
        cmocka_unit_test(klu_gives_up_a_bad_diagonal),
        cmocka_unit_test(the_same_input_gives_the_same_bits),
        cmocka_unit_test(forgetting_is_like_starting_anew),
        cmocka_unit_test(automatic_choices),
        cmocka_unit_test(automatic_changes_its_mind),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(bad_usage_is_refused),
        cmocka_unit_test(nothing_is_a_system_too),
        cmocka_unit_test(an_empty_column_is_singular),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
