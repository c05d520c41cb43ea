/* Newton's iteration. */
#include "solve/newton.h"

#include "support_system.h"

typedef struct {
    int (*function)(const real *x, real *r);
    void (*matrix)(const real *x, double *j);  /* diagonal */
    int size;
    double diagonal[3];
    int factor_status, residual_status;
} toy;

static int toy_residual(void *self, const real *x, real *r)
{
    toy *z = self;
    z->function(x, r);
    return z->residual_status;
}

static int toy_factor(void *self, const real *x)
{
    toy *z = self;
    z->matrix(x, z->diagonal);
    return z->factor_status;
}

static int toy_solve(void *self, real *r)
{
    toy *z = self;
    for (int i = 0; i < z->size; i++) r[i] = (real)((double)r[i] / z->diagonal[i]);
    return TAUT_OK;
}

static real toy_measure(void *self, const real *x, const real *dx)
{
    return X(newton_relative)(x, dx, ((toy *)self)->size);
}

static void toy_name(void *self, int equation, char *buffer, size_t size)
{
    static const char *const names[] = { "first", "second", "third" };
    (void)self;
    snprintf(buffer, size, "%s", names[equation]);
}

static int run_newton(toy *z, real *x, int has_factor, real tolerance, newton_counts *counts)
{
    newton n;
    newton_problem p = { z, z->size, toy_residual, toy_factor, toy_solve, toy_measure, toy_name,
                         .is_round_off = NULL };
    assert_int_equal(X(newton_create)(context, z->size, tolerance, &n), TAUT_OK);
    int status = X(newton_solve)(&n, &p, x, has_factor, (real)1.5, "the toy");
    if (counts) *counts = n.counts;
    X(newton_clear)(&n);
    return status;
}

static int roots(const real *x, real *r)
{
    for (int i = 0; i < 3; i++) r[i] = x[i] * x[i] - (i + 2);
    return 0;
}

static void roots_matrix(const real *x, double *j)
{
    for (int i = 0; i < 3; i++) j[i] = (double)(2 * x[i]);
}

static void wrong_matrix(const real *x, double *j)
{
    for (int i = 0; i < 3; i++) j[i] = (double)(2 * x[i]) * 1.1;
}

static void assert_roots(const real *x)
{
    for (int i = 0; i < 3; i++) assert_near(x[i], REAL(sqrt)((real)(i + 2)), 2 * REAL_EPSILON, "root", i);
}

static void newton_converges(void **state)
{
    (void)state;
    toy z = { roots, roots_matrix, 3, { 0 }, 0, 0 };
    real x[] = { 1, 2, 2 };
    newton_counts counts;
    assert_int_equal(run_newton(&z, x, 0, 0, &counts), TAUT_OK);
    assert_roots(x);
    assert_int_equal(counts.calls, 1);
    /* double: 1e-1, 1e-3, 1e-6, 1e-12, done; quad goes on with the last matrix, some thirteen digits an iteration */
    assert_in_range(counts.iterations, 4, 9);
    assert_in_range(counts.factorisations, 1, counts.iterations);
}

/* 10 % wrong: the corrections shrink by a factor of ten each. */
static void newton_survives_a_wrong_matrix(void **state)
{
    (void)state;
    toy z = { roots, wrong_matrix, 3, { 0 }, 0, 0 };
    real x[] = { 1, 2, 2 };
    assert_int_equal(run_newton(&z, x, 0, 0, NULL), TAUT_OK);
    assert_roots(x);
}

/* A matrix from far away: found to be slow, rebuilt. */
static void newton_refreshes_an_old_matrix(void **state)
{
    (void)state;
    toy z = { roots, roots_matrix, 3, { 30, 30, 30 }, 0, 0 };
    real x[] = { 1, 2, 2 };
    newton_counts counts;
    assert_int_equal(run_newton(&z, x, 1, 0, &counts), TAUT_OK);
    assert_roots(x);
    assert_in_range(counts.factorisations, 1, 8);
}

/* A good matrix is kept. */
static void newton_keeps_a_good_matrix(void **state)
{
    (void)state;
    toy z = { roots, roots_matrix, 3, { 2.8284271, 3.4641016, 4 }, 0, 0 };
    real x[] = { (real)1.41421356, (real)1.73205081, (real)2.00000001 }; /* 1e-8 off: the second correction is below
                                                                            1e-15 */
    newton_counts counts;
    assert_int_equal(run_newton(&z, x, 1, 0, &counts), TAUT_OK);
    assert_roots(x);
    assert_int_equal(counts.factorisations, 0);
}

static void newton_stops_at_a_tolerance(void **state)
{
    (void)state;
    toy z = { roots, roots_matrix, 3, { 0 }, 0, 0 };
    real x[] = { 1, 2, 2 };
    newton_counts counts, full;
    assert_int_equal(run_newton(&z, x, 0, (real)1e-4, &counts), TAUT_OK);
    for (int i = 0; i < 3; i++) assert_near(x[i], REAL(sqrt)((real)(i + 2)), 1e-4, "root", i);
    real y[] = { 1, 2, 2 };
    assert_int_equal(run_newton(&z, y, 0, 0, &full), TAUT_OK);
    assert_true(counts.iterations < full.iterations);
}

static int rootless(const real *x, real *r)
{
    r[0] = x[0] - 1, r[1] = x[1] * x[1] + 1, r[2] = x[2] - 3;
    return 0;
}

static void rootless_matrix(const real *x, double *j) { j[0] = j[2] = 1, j[1] = (double)(2 * x[1]); }

static void newton_names_the_equation(void **state)
{
    (void)state;
    toy z = { rootless, rootless_matrix, 3, { 0 }, 0, 0 };
    real x[] = { 0, (real)0.7, 0 };
    assert_int_equal(run_newton(&z, x, 0, 0, NULL), TAUT_NO_CONVERGENCE);
    assert_text_has(taut_error_text(context), "'second'");
    assert_text_has(taut_error_text(context), "t = 1.5");
    assert_text_has(taut_error_text(context), "the toy");
}

/* x^2 = i + 2 with a relative error of random sign, between a half of the noise and all of it. */
static real noise;
static generator noise_source;
static int noisy(const real *x, real *r)
{
    roots(x, r);
    for (int i = 0; i < 3; i++) {
        real y = (real)random_number(&noise_source); /* in (-1, 1) */
        r[i] += (y < 0 ? y - 1 : y + 1) / 2 * noise * (i + 2);
    }
    return 0;
}

static int noise_is_round_off(void *self, const real *x, const real *r)
{
    (void)self;
    (void)x;
    for (int i = 0; i < 3; i++)
        if (!(REAL(fabs)(r[i]) <= 2 * noise * (i + 2))) return 0; /* that of the place before, and the new one */
    return 1;
}

static int run_noisy(int (*is_round_off)(void *, const real *, const real *), real *x)
{
    toy z = { noisy, roots_matrix, 3, { 0 }, 0, 0 };
    newton n;
    newton_problem p = { &z, 3, toy_residual, toy_factor, toy_solve, toy_measure, toy_name, is_round_off,
                         .kind = NULL };
    noise_source = (generator){ 5 };
    assert_int_equal(X(newton_create)(context, 3, 0, &n), TAUT_OK);
    int status = X(newton_solve)(&n, &p, x, 0, (real)1.5, "the toy");
    X(newton_clear)(&n);
    return status;
}

static int never(void *self, const real *x, const real *r)
{
    (void)self, (void)x, (void)r;
    return 0;
}

/* Stagnation above what is round-off of any problem (eps^0.6) ends the iteration where the problem says that its
   residual is round-off, and fails otherwise; it also fails where the corrections are larger than any round-off
   (eps^0.5). */
static void newton_ends_at_the_round_off_of_the_problem(void **state)
{
    (void)state;
    real x[3];
    noise = REAL(pow)(REAL_EPSILON, (real)0.53);
    for (int k = 0; k < 3; k++) {
        x[0] = 1, x[1] = x[2] = 2;
        int status = run_noisy(k == 0 ? noise_is_round_off : k == 1 ? never : NULL, x);
        assert_int_equal(status, k == 0 ? TAUT_OK : TAUT_NO_CONVERGENCE);
        for (int i = 0; k == 0 && i < 3; i++) assert_near(x[i], REAL(sqrt)((real)(i + 2)), 2 * noise, "root", i);
    }
    noise = REAL(pow)(REAL_EPSILON, (real)0.45);
    x[0] = 1, x[1] = x[2] = 2;
    assert_int_equal(run_noisy(noise_is_round_off, x), TAUT_NO_CONVERGENCE);
    assert_null(strstr(taut_error_text(context), "after 50 ")); /* it gave up long before, and says when */
}

/* Corrections of given sizes, in units of REAL_EPSILON, halved from the last one on. */
typedef struct {
    const double *sizes;
    int count, at;
} scripted;

static int scripted_residual(void *self, const real *x, real *r)
{
    (void)self, (void)x;
    *r = 0;
    return TAUT_OK;
}

static int scripted_solve(void *self, real *r)
{
    (void)self, (void)r;
    return TAUT_OK;
}

static real scripted_measure(void *self, const real *x, const real *dx)
{
    scripted *z = self;
    int k = z->at++, last = z->count - 1;
    (void)x, (void)dx;
    return (real)(k < last ? z->sizes[k] : z->sizes[last] / (double)(1 << (k - last))) * REAL_EPSILON;
}

static long corrections_of(int equations, const double *sizes, int count, int relaxed)
{
    scripted z = { sizes, count, 0 };
    newton n;
    real *x = calloc((size_t)equations, sizeof *x);
    newton_problem p = { &z, equations, scripted_residual, NULL, scripted_solve, scripted_measure, toy_name, NULL,
                         .kind = NULL };
    assert_non_null(x);
    assert_int_equal(X(newton_create)(context, equations, 0, &n), TAUT_OK);
    if (relaxed) X(newton_relax)(&n);
    assert_int_equal(X(newton_solve)(&n, &p, x, 1, 0, "the list"), TAUT_OK);
    long used = n.counts.iterations;
    X(newton_clear)(&n);
    free(x);
    return used;
}

static long corrections(const double *sizes, int count, int relaxed)
{
    return corrections_of(1, sizes, count, relaxed);
}

/* Where what is left out does not add up, rounding errors are not iterated on: with a rate of 1/128 before them, what
   is left after a correction of 8 eps is 1/16 eps, though that correction is a quarter of the last one. Not so above
   the size of rounding errors (64 eps), and not where nothing may be left out. */
static void newton_does_not_iterate_on_rounding_errors(void **state)
{
    (void)state;
    const double noisy_end[] = { 4096, 32, 8 }, slower[] = { 4096, 3000, 2900 * 128. / 4096, 2000 / 64. };
    const double far[] = { 4096 * 256, 32 * 256, 8 * 256 };
    assert_int_equal(corrections(noisy_end, 3, 1), 3);
    assert_true(corrections(noisy_end, 3, 0) > 3);
    assert_true(corrections(far, 3, 1) > 3);
    assert_true(corrections(slower, 4, 1) > 4);
}

/* Rounding errors of c equations add up to sqrt(c): what may be left out is eps/8 up to 256 of them, and grows with
   sqrt(c)/16 from there on. Corrections of 4096 and 64 eps leave 1 eps: too much for 256 and 4,096 equations (1/8 and
   1/2), little enough for 65,536 (2). */
static void newton_leaves_out_more_of_many_equations(void **state)
{
    (void)state;
    static const double sizes[] = { 4096, 64, 1 };
    assert_int_equal(corrections_of(1, sizes, 3, 1), 3);
    assert_int_equal(corrections_of(256, sizes, 3, 1), 3);
    assert_int_equal(corrections_of(4096, sizes, 3, 1), 3);
    assert_int_equal(corrections_of(65536, sizes, 3, 1), 2);
    /* not where nothing may be left out */
    assert_int_equal(corrections_of(65536, sizes, 3, 0), corrections_of(1, sizes, 3, 0));
    assert_true(corrections_of(65536, sizes, 3, 0) > 2);
}

static int broken_at;
static int broken(const real *x, real *r)
{
    for (int i = 0; i < 3; i++) r[i] = i == broken_at ? REAL(sqrt)(x[i] - 1000) : x[i] - 1;
    return 0;
}

static void unit_matrix(const real *x, double *j)
{
    (void)x;
    for (int i = 0; i < 3; i++) j[i] = 1;
}

/* Wherever the NaN stands among finite numbers. */
static void newton_reports_what_is_not_finite(void **state)
{
    (void)state;
    static const char *const names[] = { "'first'", "'second'", "'third'" };
    toy z = { broken, unit_matrix, 3, { 0 }, 0, 0 };
    for (broken_at = 0; broken_at < 3; broken_at++) {
        real x[] = { 0, 0, 0 };
        assert_int_equal(run_newton(&z, x, 0, 0, NULL), TAUT_NOT_FINITE);
        assert_text_has(taut_error_text(context), names[broken_at]);
    }
}

static void newton_passes_failures_on(void **state)
{
    (void)state;
    real x[] = { 1, 2, 2 };
    toy z = { roots, roots_matrix, 3, { 0 }, TAUT_SINGULAR, 0 };
    assert_int_equal(run_newton(&z, x, 0, 0, NULL), TAUT_SINGULAR);
    toy y = { roots, roots_matrix, 3, { 0 }, 0, TAUT_UNSUPPORTED };
    assert_int_equal(run_newton(&y, x, 0, 0, NULL), TAUT_UNSUPPORTED);
}

static void relative_measure(void **state)
{
    (void)state;
    real x[] = { 0, -4, 1 }, dx[] = { 1, -2, 0 }, tiny[] = { 0, 0, 0 };
    assert_true(X(newton_relative)(x, dx, 3) == (real)0.5);
    assert_true(X(newton_relative)(tiny, dx, 3) == 2 / (real)1e-3);
    for (int i = 0; i < 3; i++) {
        real bad[] = { 1, -2, 0 }, size;
        bad[i] = REAL(sqrt)((real)-1);
        size = X(newton_relative)(x, bad, 3);
        assert_true(size != size);
    }
}

/* A matrix that is a thousand times too large in one direction, as softened ones are beside a singular position:
   corrections along it are a thousandth of what they should be. */
static int two_lines_and_a_slow_curve(const real *x, real *r)
{
    r[0] = (real)1e-3 * (x[0] - 2) + (real)1e-5 * (x[0] * x[0] - 4);
    r[1] = 2 * (x[1] - x[0]);
    r[2] = 3 * (x[2] - 1);
    return TAUT_OK;
}

static void softened_diagonal(const real *x, double *j)
{
    (void)x;
    j[0] = 1, j[1] = 2, j[2] = 3;
}

static real toy_product(void *self, const real *a, const real *b)
{
    (void)self;
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void secants_make_up_for_a_softened_matrix(void **state)
{
    (void)state;
    for (int secants = 0; secants < 2; secants++) {
        toy z = { two_lines_and_a_slow_curve, softened_diagonal, 3, { 0 }, 0, 0 };
        real x[3] = { 1, 1, 0 };
        newton n;
        newton_problem p = { &z, 3, toy_residual, toy_factor, toy_solve, toy_measure, toy_name,
                         .is_round_off = NULL };
        assert_int_equal(X(newton_create)(context, 3, 0, &n), TAUT_OK);
        if (secants) assert_int_equal(X(newton_keep_secants)(&n, toy_product), TAUT_OK);
        assert_int_equal(X(newton_solve)(&n, &p, x, 0, 0, "the toy"), secants ? TAUT_OK : TAUT_NO_CONVERGENCE);
        if (secants) {
            assert_true(n.counts.iterations <= (sizeof(real) > sizeof(double) ? 24 : 12));
            for (int i = 0; i < 3; i++) assert_true(REAL(fabs)(x[i] - (i < 2 ? 2 : 1)) <= (real)1e-12);
        }
        X(newton_clear)(&n);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(newton_converges),
        TEST(newton_survives_a_wrong_matrix),
        TEST(newton_refreshes_an_old_matrix),
        TEST(newton_keeps_a_good_matrix),
        TEST(newton_stops_at_a_tolerance),
        TEST(newton_names_the_equation),
        TEST(newton_ends_at_the_round_off_of_the_problem),
        TEST(newton_does_not_iterate_on_rounding_errors),
        TEST(newton_leaves_out_more_of_many_equations),
        TEST(newton_reports_what_is_not_finite),
        TEST(newton_passes_failures_on),
        TEST(relative_measure),
        TEST(secants_make_up_for_a_softened_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
