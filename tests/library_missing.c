/* LAPACK and MUMPS where they are not installed: compiled with the files of src/linalg that load them, and with names
   that no library has. What does not need them still works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "linalg/full.h"
#include "linalg/linear.h"

#include <cmocka.h>

static void back_ends_say_so(void **state)
{
    (void)state;
    static const struct { linear_backend backend; const char *message; } missing[] = {
        { LINEAR_LAPACK, "LAPACK is not available: 'lapack.so' cannot be loaded (" },
        { LINEAR_MUMPS, "MUMPS is not available: 'mumps.so' cannot be loaded (" },
    };
    const int start[] = { 0, 1, 2 }, row[] = { 0, 1 };
    const double one[] = { 1, 1 };
    taut_context *context = taut_context_create(NULL);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        linear *solver = NULL;
        int status = taut_linear_create(context, missing[i].backend, 2, start, row, 0, &solver);
        assert_int_equal(status, TAUT_UNSUPPORTED);
        assert_non_null(strstr(taut_error_text(context), missing[i].message));
        assert_null(solver);
    }
    linear *solver = NULL;
    double x[] = { 3, 4 };
    assert_int_equal(taut_linear_create(context, LINEAR_KLU, 2, start, row, 0, &solver), TAUT_OK);
    assert_int_equal(taut_linear_factor(solver, one), TAUT_OK);
    assert_int_equal(taut_linear_solve(solver, x), TAUT_OK);
    assert_true(x[0] == 3 && x[1] == 4);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
}

static void full_matrices_say_so(void **state)
{
    (void)state;
    enum { LARGE = 100 };
    double a[LARGE * LARGE] = { 4 }, b[LARGE] = { 8 }, re[1], im[1];
    int definite = 0;
    taut_context *context = taut_context_create(NULL);
    assert_int_equal(taut_least_squares(context, LARGE, LARGE, a, b, 1e-12), TAUT_UNSUPPORTED);
    assert_non_null(strstr(taut_error_text(context), "LAPACK is not available"));
    assert_int_equal(taut_positive_solve(context, LARGE, a, b, &definite), TAUT_UNSUPPORTED);
    assert_int_equal(taut_eigenvalues(context, 1, a, re, im), TAUT_UNSUPPORTED);
    assert_int_equal(taut_least_squares(context, 1, 1, a, b, 1e-12), TAUT_OK);
    assert_true(b[0] == 2);
    a[0] = 4, b[0] = 8;
    assert_int_equal(taut_positive_solve(context, 1, a, b, &definite), TAUT_OK);
    assert_true(definite && b[0] == 2);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(back_ends_say_so), cmocka_unit_test(full_matrices_say_so) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
