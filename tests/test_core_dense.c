/* The small dense LU, in the precision of the unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/dense.h"

enum { MOST = 24 };

/* A linear congruential generator (Knuth's MMIX): the same numbers on every machine. In [-1/2, 1/2). */
static double next_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static void fill_random(int n, real *a, uint64_t seed)
{
    for (int i = 0; i < n * n; i++) a[i] = next_number(&seed);
}

static void fill_hilbert(int n, real *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = (real)1 / (i + j + 1);
}

/* max |b - A x| / (|A| |x| + |b|) in the max norm: the backward error, independent of the condition. */
static real backward_error(int n, const real *a, const real *x, const real *b, int transposed)
{
    real error = 0, norm = 0, size = 0, right = 0;
    for (int i = 0; i < n; i++) {
        real sum = b[i], row = 0;
        for (int j = 0; j < n; j++) {
            real entry = transposed ? a[j * n + i] : a[i * n + j];
            sum -= entry * x[j];
            row += REAL(fabs)(entry);
        }
        if (REAL(fabs)(sum) > error) error = REAL(fabs)(sum);
        if (row > norm) norm = row;
        if (REAL(fabs)(x[i]) > size) size = REAL(fabs)(x[i]);
        if (REAL(fabs)(b[i]) > right) right = REAL(fabs)(b[i]);
    }
    return error / (norm * size + right);
}

/* Partial pivoting is backward stable: error <= c n eps with growth near 1 (Higham, Accuracy and Stability, 9.3). Twice
   n eps leaves room for the growth of these matrices, which stays below 10. */
static real tolerance(int n)
{
    return 2 * n * REAL_EPSILON;
}

static void check_matrix(int n, const real *a)
{
    real lu[MOST * MOST], x[MOST], b[MOST];
    int pivot[MOST];
    uint64_t seed = 7;
    memcpy(lu, a, sizeof(real) * (size_t)(n * n));
    for (int i = 0; i < n; i++) b[i] = next_number(&seed);
    assert_int_equal(X(dense_factor)(n, lu, pivot, 0), 0);

    memcpy(x, b, sizeof x);
    X(dense_solve)(n, lu, pivot, x);
    assert_true(backward_error(n, a, x, b, 0) <= tolerance(n));

    memcpy(x, b, sizeof x);
    X(dense_solve_transposed)(n, lu, pivot, x);
    assert_true(backward_error(n, a, x, b, 1) <= tolerance(n));
}

static void random_matrices_solve_to_the_last_digits(void **state)
{
    (void)state;
    real a[MOST * MOST];
    for (int n = 1; n <= MOST; n++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            fill_random(n, a, seed);
            check_matrix(n, a);
        }
}

/* Condition 1e13 at n = 10: the residual must not know. */
static void hilbert_matrices_solve_to_the_last_digits(void **state)
{
    (void)state;
    real a[MOST * MOST];
    for (int n = 1; n <= 10; n++) {
        fill_hilbert(n, a);
        check_matrix(n, a);
    }
}

/* With a known solution the quad build must reach digits that double cannot hold: condition 1.6e13 (n = 10) times
   the backward error leaves 6e-20 in quad and 0.07 in double. This fails if a quad unit computes in double anywhere. */
static void hilbert_solution_has_the_digits_of_the_precision(void **state)
{
    (void)state;
    enum { N = 10 };
    real a[N * N], b[N] = { 0 };
    int pivot[N];
    fill_hilbert(N, a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) b[i] += a[i * N + j];
    assert_int_equal(X(dense_factor)(N, a, pivot, 0), 0);
    X(dense_solve)(N, a, pivot, b);
    for (int i = 0; i < N; i++) assert_true(REAL(fabs)(b[i] - 1) <= (real)1.6e13 * 2 * N * REAL_EPSILON);
}

/* Unpivoted elimination of this gives x = (0, 1): the pivot 1e-40 swamps the second row. */
static void a_tiny_leading_entry_is_not_taken_as_pivot(void **state)
{
    (void)state;
    real a[4] = { (real)1e-40, 1, 1, 1 };
    check_matrix(2, a);
    real zero_first[9] = { 0, 2, 1, 1, 0, 3, 4, 1, 0 };
    check_matrix(3, zero_first);
}

/* Column 3 is the sum of columns 0 and 1; the entries are integers, so that the pivot is round-off of the elimination
   only, some eps, against a threshold of 100 eps. */
static void a_dependent_column_is_named(void **state)
{
    (void)state;
    enum { N = 6 };
    real a[N * N];
    int pivot[N];
    uint64_t seed = 3;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) a[i * N + j] = (real)(int)(20 * next_number(&seed));
        a[i * N + 3] = a[i * N] + a[i * N + 1];
    }
    assert_int_equal(X(dense_factor)(N, a, pivot, 100 * REAL_EPSILON), 1 + 3);
}

static void a_zero_column_is_named_without_a_threshold(void **state)
{
    (void)state;
    real a[9] = { 1, 0, 2, 3, 0, 4, 5, 0, 7 }, zero[4] = { 0, 0, 0, 0 };
    int pivot[3];
    assert_int_equal(X(dense_factor)(3, a, pivot, 0), 1 + 1);
    assert_int_equal(X(dense_factor)(2, zero, pivot, 0), 1 + 0);
}

static void what_is_not_a_number_is_no_pivot(void **state)
{
    (void)state;
    real a[4] = { 1, 2, 3, 4 };
    int pivot[2];
    a[3] = (real)NAN;
    assert_int_equal(X(dense_factor)(2, a, pivot, 0), 1 + 1);
}

/* The threshold is relative to the largest entry: 1e-6 next to 1e6 is 1e-12 of it. */
static void the_threshold_is_relative(void **state)
{
    (void)state;
    int pivot[2];
    real a[4] = { (real)1e6, 0, 0, (real)1e-6 }, b[4] = { (real)1e6, 0, 0, (real)1e-6 };
    assert_int_equal(X(dense_factor)(2, a, pivot, (real)1e-11), 1 + 1);
    assert_int_equal(X(dense_factor)(2, b, pivot, (real)1e-13), 0);
}

/* |A X - 1|: each column of X is backward stable, so the error is n eps |A||X|; the norms are measured. */
static void the_inverse_inverts(void **state)
{
    (void)state;
    real a[MOST * MOST], kept[MOST * MOST], inverse[MOST * MOST], work[MOST];
    int pivot[MOST];
    for (int n = 1; n <= MOST; n++) {
        fill_random(n, a, 100 + (uint64_t)n);
        memcpy(kept, a, sizeof a);
        assert_int_equal(X(dense_invert)(n, a, inverse, pivot, work, 0), 0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                real sum = i == j ? -1 : 0, size = 1;
                for (int k = 0; k < n; k++) {
                    sum += kept[i * n + k] * inverse[k * n + j];
                    for (int m = 0; m < n; m++) size = REAL(fmax)(size, REAL(fabs)(inverse[m * n + j]));
                }
                assert_true(REAL(fabs)(sum) <= 2 * n * n * size * REAL_EPSILON);
            }
    }
    real singular[4] = { 1, 2, 2, 4 };
    assert_int_equal(X(dense_invert)(2, singular, inverse, pivot, work, 0), 1 + 1);
}

static void nothing_is_a_matrix_too(void **state)
{
    (void)state;
    real a[1], b[1] = { 5 };
    int pivot[1];
    assert_int_equal(X(dense_factor)(0, a, pivot, 0), 0);
    X(dense_solve)(0, a, pivot, b);
    X(dense_solve_transposed)(0, a, pivot, b);
    assert_true(b[0] == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_solve_to_the_last_digits),
        cmocka_unit_test(hilbert_matrices_solve_to_the_last_digits),
        cmocka_unit_test(hilbert_solution_has_the_digits_of_the_precision),
        cmocka_unit_test(a_tiny_leading_entry_is_not_taken_as_pivot),
        cmocka_unit_test(a_dependent_column_is_named),
        cmocka_unit_test(a_zero_column_is_named_without_a_threshold),
        cmocka_unit_test(what_is_not_a_number_is_no_pivot),
        cmocka_unit_test(the_threshold_is_relative),
        cmocka_unit_test(the_inverse_inverts),
        cmocka_unit_test(nothing_is_a_matrix_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
