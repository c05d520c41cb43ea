/* The bounds of docs/accuracy.md hold for some 10^5 arguments a row. `make ulp` measures with more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef TAUT_HAVE_QUAD
#include "elementary_ulp.h"

#if defined(__SANITIZE_ADDRESS__)
enum { COUNT = 10000 };
#else
enum { COUNT = 100000 };
#endif

static void errors_are_within_their_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < ULP_ROWS; i++) {
        const ulp_row *row = &ulp_rows[i];
        const ulp_result r = ulp_measure(row, COUNT, (uint64_t)i + 1, 0);
        if (!(r.most <= row->bound))
            fail_msg("%s, %s: %.4f ulps at %a, %a, not %g", row->name, row->range, r.most, r.x, r.y, row->bound);
        assert_true(r.most > 0.3); /* something was measured */
    }
}

/* Next to multiples of pi/2 the sine, the cosine and the tangent depend on all bits of pi. */
static void near_multiples_of_half_pi(void **state)
{
    (void)state;
    const quad half_pi = 1.57079632679489661923132169163975144F128;
    for (int k = 1; k < 400000; k += 1 + k / 100)
        for (int d = -1; d <= 1; d++) {
            const double x = taut_math_number(taut_math_bits((double)(k * half_pi)) + (uint64_t)(int64_t)d);
            const double s = ulp_error(taut_math_sin(x), sinf128(x)), c = ulp_error(taut_math_cos(x), cosf128(x));
            const double t = ulp_error(taut_math_tan(x), tanf128(x));
            if (!(s <= 0.52 && c <= 0.52 && t <= 0.52)) fail_msg("%a: %g, %g, %g ulps", x, s, c, t);
        }
}

/* Derivatives of the even quotients. Below 1/2 they come from polynomials and series: some eps of their first term,
   since some have a zero there. Beyond, for most n, from x f^(n) = F^(n) - n f^(n-1): the errors that this has where
   every operation rounds, twice. */
static void derivatives_of_quotients(void **state)
{
    (void)state;
    static double (*const own[])(double, int32_t) = { taut_math_sinc, taut_math_sinhc, taut_math_atanc,
                                                      taut_math_atanhc };
    static const char *const names[] = { "sinc", "sinhc", "atanc", "atanhc" };
    for (int f = 0; f < 4; f++)
        for (int n = 1; n < 5; n++)
            for (int i = -500; i <= 500; i++) {
                const double x = i * (f == 3 ? 0.00199 : 0.0173);
                const quad exact = even_quad((even_function)f, x, n);
                quad before = even_quad((even_function)f, x, 0), bound = fabsf128(before);
                for (int k = 1; k <= n; k++) {
                    const quad value = even_quad((even_function)f, x, k), top = x * value + k * before;
                    bound = (2 * fabsf128(top) + k * bound) / fabs(x) + fabsf128(value);
                    before = value;
                }
                const quad first = even_quad((even_function)f, 0, n + n % 2) * (n % 2 ? x : 1);
                bound = fabs(x) < 0.5 ? 4 * (fabsf128(exact) + fabsf128(first)) : 2 * bound;
                const double error = (double)(fabsf128(own[f](x, n) - exact) / DBL_EPSILON);
                if (!(error <= (double)bound))
                    fail_msg("%s, derivative %d at %g: %.3g eps, not %.3g", names[f], n, x, error, (double)bound);
            }
}

#else

static void errors_are_within_their_bounds(void **state)
{
    (void)state;
    skip();
}

static void near_multiples_of_half_pi(void **state)
{
    (void)state;
    skip();
}

static void derivatives_of_quotients(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_within_their_bounds),
        cmocka_unit_test(near_multiples_of_half_pi),
        cmocka_unit_test(derivatives_of_quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
