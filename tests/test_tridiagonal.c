/* Factors and solutions of tridiagonal matrices as those of a chain of bars are: against the product with the matrix,
   in long double. */
#include "linalg/tridiagonal.h"

#include <float.h>
#include <math.h>

#include "support_core.h"

enum { MOST = 200, ROOM = MOST + TRIDIAGONAL_FILLED };

static uint64_t seed = 88172645463325252ULL;

static double next_random(void) /* in (0, 1) */
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return ((double)(seed >> 12) + 0.5) / 4503599627370496.0;
}

static double inverse[ROOM], next[ROOM], skip[ROOM], bends[ROOM];
static double diagonal[MOST], coupling[MOST];

static tridiagonal matrix_of(int n)
{
    return (tridiagonal){ .n = n, .inverse = inverse, .next = next, .skip = skip, .bends = bends };
}

/* Bars of lengths and masses that are some orders of magnitude apart, at angles. */
static void fill(int n, double spread, double straight)
{
    double before = pow(spread, next_random() - 0.5), length = 1;
    for (int k = 0; k < n; k++) {
        const double after = pow(spread, next_random() - 0.5), longer = pow(spread, next_random() - 0.5);
        diagonal[k] = length * length * (before + after);
        coupling[k] = -after * length * longer * (straight + (1 - straight) * (2 * next_random() - 1));
        before = after, length = longer;
    }
}

/* |A x - b| in roundings of |A| |x| + |b|, row by row: the largest. */
static double misses(int n, const double *x, const double *b)
{
    double worst = 0;
    for (int k = 0; k < n; k++) {
        long double sum = (long double)diagonal[k] * x[k] - b[k], size = fabsl((long double)diagonal[k] * x[k]);
        for (int side = -1; side <= 1; side += 2) {
            if (k + side < 0 || k + side >= n) continue;
            const long double term = (long double)coupling[side < 0 ? k - 1 : k] * x[k + side];
            sum += term, size += fabsl(term);
        }
        size += fabs(b[k]);
        if (size > 0) worst = fmax(worst, (double)(fabsl(sum) / (DBL_EPSILON * size)));
    }
    return worst;
}

/* Elimination without pivots is backward stable for these: some roundings a row, whatever the size. Two rows at a time
   everywhere, 370 of them with the largest spread. */
static void solutions(void **unused)
{
    (void)unused;
    static const double spreads[] = { 1, 3, 100, 1e6 };
    double worst = 0;
    for (int n = 3; n <= MOST; n++)
        for (size_t m = 0; m < sizeof spreads / sizeof *spreads; m++)
            for (int straight = 0; straight <= 1; straight++) {
                double x[MOST], b[MOST];
                tridiagonal t = matrix_of(n);
                fill(n, spreads[m], straight);
                for (int k = 0; k < n; k++) x[k] = b[k] = 2 * next_random() - 1;
                assert_int_equal(taut_tridiagonal_factor(&t, diagonal, coupling), 1);
                taut_tridiagonal_solve(&t, x);
                worst = fmax(worst, misses(n, x, b));
            }
    printf("residuals of solutions: at most %.1f roundings of their terms\n", worst);
    assert_true(worst <= 10);
}

/* A bar that does nothing but what others do, somewhere; a pivot that is negative; what is not a number. */
static void matrices_that_are_refused(void **unused)
{
    (void)unused;
    for (int n = 3; n <= 70; n++)
        for (int k = 0; k < n - 1; k++) {
            tridiagonal t = matrix_of(n);
            for (int i = 0; i < n; i++) diagonal[i] = 2, coupling[i] = i == k ? 2 : 0;
            assert_int_equal(taut_tridiagonal_factor(&t, diagonal, coupling), 0);
            coupling[k] = 3;
            assert_int_equal(taut_tridiagonal_factor(&t, diagonal, coupling), 0);
            coupling[k] = (double)NAN;
            assert_int_equal(taut_tridiagonal_factor(&t, diagonal, coupling), 0);
            coupling[k] = 1, diagonal[k] = -2;
            assert_int_equal(taut_tridiagonal_factor(&t, diagonal, coupling), 0);
            diagonal[k] = 2;
            assert_int_equal(taut_tridiagonal_factor(&t, diagonal, coupling), 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(solutions), cmocka_unit_test(matrices_that_are_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
