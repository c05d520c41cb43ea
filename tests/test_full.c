/* Least squares and positive definite systems of small size, without LAPACK: against LAPACK, and what defines them. */
#include <math.h>

#include "linalg/full.h"
#include "linalg/lapack.h"
#include "linear_matrices.h"

enum { MOST = 12 };

/* A random matrix of this rank, with rows and columns of very different size. */
static void random_matrix(double *a, int rows, int columns, int rank, int graded, uint64_t *seed)
{
    double left[MOST * MOST], right[MOST * MOST];
    for (int i = 0; i < MOST * MOST; i++) left[i] = next_number(seed), right[i] = next_number(seed);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int k = 0; k < rank; k++) sum += left[i * MOST + k] * right[j * MOST + k];
            a[j * rows + i] = graded ? ldexp(sum, (i % 3) - 2 * (j % 4)) : sum;
        }
}

/* The same x as LAPACK's, for more rows than columns, fewer, as many; full rank and less. */
static void least_squares_are_those_of_lapack(void **state)
{
    (void)state;
    uint64_t seed = 11;
    taut_context *context = taut_context_create(NULL);
    for (int rows = 1; rows <= 9; rows += 2)
        for (int columns = 1; columns <= 10; columns += 3)
            for (int rank = 0; rank <= (rows < columns ? rows : columns); rank++)
                for (int graded = 0; graded < 2; graded++) {
                    double a[MOST * MOST], copy[MOST * MOST], b[MOST], x[MOST], size = 0;
                    random_matrix(a, rows, columns, rank, graded, &seed);
                    memcpy(copy, a, sizeof a);
                    for (int i = 0; i < MOST; i++) b[i] = x[i] = next_number(&seed);
                    assert_int_equal(taut_least_squares(context, rows, columns, a, x, 1e-12), TAUT_OK);
                    assert_int_equal(taut_lapack_least_squares(context, rows, columns, copy, b, 1e-12), TAUT_OK);
                    for (int i = 0; i < columns; i++) size = fmax(size, fabs(b[i]));
                    /* the condition of these matrices is 10^5 at most: round-off times that */
                    for (int i = 0; i < columns; i++) assert_true(fabs(x[i] - b[i]) <= 1e-9 * (size + 1e-300));
                    if (rank == 0) assert_true(size == 0);
                }
    taut_context_destroy(context);
}

/* Numbers whose squares are beyond the range of a double; and a direction that is lost below the tolerance. */
static void sizes_and_ranks(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    for (int e = -200; e <= 200; e += 400) {
        double a[] = { ldexp(3, 4 * e), 0, 0, ldexp(5, 4 * e) }, b[] = { ldexp(6, 4 * e), ldexp(20, 4 * e) };
        assert_int_equal(taut_least_squares(context, 2, 2, a, b, 1e-12), TAUT_OK);
        assert_true(fabs(b[0] - 2) < 1e-14 && fabs(b[1] - 4) < 1e-14);
    }
    for (int lost = 0; lost < 2; lost++) { /* x + y = 2, and (1 + d)(x + y) + d y = 2 */
        const double d = lost ? 1e-13 : 1e-11;
        double a[] = { 1, 1, 1, 1 + d }, b[] = { 2, 2 + d };
        assert_int_equal(taut_least_squares(context, 2, 2, a, b, 1e-12), TAUT_OK);
        assert_true(fabs(b[0] - 1) < 1e-4 && fabs(b[1] - 1) < 1e-4);
        double c[] = { 1, 1, 1, 1 + d }, e[] = { 2, 2 + 2 * d };
        assert_int_equal(taut_least_squares(context, 2, 2, c, e, 1e-12), TAUT_OK);
        assert_true(lost ? fabs(e[0] - 1) < 1e-4 : fabs(e[0]) < 1e-3 && fabs(e[1] - 2) < 1e-3);
    }
    taut_context_destroy(context);
}

static void positive_systems(void **state)
{
    (void)state;
    uint64_t seed = 5;
    taut_context *context = taut_context_create(NULL);
    for (int n = 1; n <= MOST; n++) {
        double g[MOST * MOST], a[MOST * MOST], copy[MOST * MOST], b[MOST], x[MOST];
        int definite, other;
        random_matrix(g, n, n, n, 0, &seed);
        for (int j = 0; j < n; j++) {
            b[j] = x[j] = next_number(&seed);
            for (int i = 0; i < n; i++) {
                double sum = i == j ? 0.1 : 0;
                for (int k = 0; k < n; k++) sum += g[k * n + i] * g[k * n + j];
                a[j * n + i] = copy[j * n + i] = i < j ? NAN : sum; /* the lower triangle is all that is read */
            }
        }
        assert_int_equal(taut_positive_solve(context, n, a, x, &definite), TAUT_OK);
        for (int j = 0; j < n; j++) /* LAPACKE looks for NaN */
            for (int i = 0; i < j; i++) copy[j * n + i] = 0;
        assert_int_equal(taut_lapack_positive_solve(context, n, copy, b, &other), TAUT_OK);
        assert_true(definite && other);
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] - b[i]) <= 1e-11 * (1 + fabs(b[i])));
    }
    double not_definite[] = { 1, 2, 2, 1 }, not_finite[] = { 1, INFINITY, INFINITY, 1 }, b[] = { 1, 1 };
    int definite = 1;
    assert_int_equal(taut_positive_solve(context, 2, not_definite, b, &definite), TAUT_OK);
    assert_int_equal(definite, 0);
    definite = 1;
    assert_int_equal(taut_positive_solve(context, 2, not_finite, b, &definite), TAUT_OK);
    assert_int_equal(definite, 0);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_are_those_of_lapack), cmocka_unit_test(sizes_and_ranks),
        cmocka_unit_test(positive_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
