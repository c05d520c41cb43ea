/* base/elementary.h: special values, symmetry, ends, bits. How large the errors are: test_elementary_ulp.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/elementary_text.h"
#include "elementary_bits.h"

#define SAME(found, expected) assert_same(found, expected, #found)

static void assert_same(double found, double expected, const char *what)
{
    if (expected != expected ? found == found : taut_math_bits(found) != taut_math_bits(expected))
        fail_msg("%s = %a, not %a", what, found, expected);
}

static const double inf = (double)INFINITY, tiny = 0x1p-1074, pi = 0x1.921fb54442d18p1;

/* ---- special values: C11, F.10, and where a function over- and underflows ---- */

static void zeros_keep_their_sign(void **state)
{
    (void)state;
#define ODD(f) SAME(taut_math_##f(0.0), 0.0), SAME(taut_math_##f(-0.0), -0.0), SAME(taut_math_##f(tiny), tiny), \
               SAME(taut_math_##f(-tiny), -tiny), SAME(taut_math_##f(0x1p-1022), 0x1p-1022), \
               SAME(taut_math_##f(0x1.8p-30), 0x1.8p-30)
    ODD(sin), ODD(tan), ODD(asin), ODD(atan), ODD(sinh), ODD(tanh), ODD(atanh);
    SAME(taut_math_cbrt(0.0), 0.0), SAME(taut_math_cbrt(-0.0), -0.0);
    SAME(taut_math_cos(-0.0), 1), SAME(taut_math_cosh(tiny), 1), SAME(taut_math_exp(-0.0), 1);
    SAME(taut_math_exp(tiny), 1);
    SAME(taut_math_sinc(0, 0), 1), SAME(taut_math_sinhc(tiny, 0), 1), SAME(taut_math_atanc(-0.0, 0), 1);
    SAME(taut_math_atanhc(0, 0), 1), SAME(taut_math_sinc(0, 1), -0.0), SAME(taut_math_sinc(0, 2), -1.0 / 3);
    SAME(taut_math_sinhc(0, 2), 1.0 / 3), SAME(taut_math_atanhc(0, 2), 2.0 / 3), SAME(taut_math_sinc(0, 4), 0.2);
    SAME(taut_math_log(1), 0), SAME(taut_math_acos(1), 0);
}

static void not_finite(void **state)
{
    (void)state;
    const double nan = (double)NAN;
#define OF_NAN(f) SAME(taut_math_##f(nan), nan), SAME(taut_math_##f(-nan), nan)
    OF_NAN(sin), OF_NAN(cos), OF_NAN(tan), OF_NAN(asin), OF_NAN(acos), OF_NAN(atan), OF_NAN(exp), OF_NAN(log);
    OF_NAN(cbrt);
    OF_NAN(sinh), OF_NAN(cosh), OF_NAN(tanh), OF_NAN(atanh);
    for (int n = 0; n < 4; n++) {
        SAME(taut_math_sinc(nan, n), nan), SAME(taut_math_sinhc(nan, n), nan);
        SAME(taut_math_atanc(nan, n), nan), SAME(taut_math_atanhc(nan, n), nan);
    }
    SAME(taut_math_sin(inf), nan), SAME(taut_math_cos(-inf), nan), SAME(taut_math_tan(inf), nan);
    SAME(taut_math_asin(0x1.0000000000001p0), nan), SAME(taut_math_acos(-0x1.0000000000001p0), nan);
    SAME(taut_math_atanh(1), inf), SAME(taut_math_atanh(-1), -inf), SAME(taut_math_atanh(2), nan);
    SAME(taut_math_log(0.0), -inf), SAME(taut_math_log(-0.0), -inf), SAME(taut_math_log(-tiny), nan);
    SAME(taut_math_log(inf), inf), SAME(taut_math_log(-inf), nan);
    SAME(taut_math_exp(inf), inf), SAME(taut_math_exp(-inf), 0), SAME(taut_math_cbrt(-inf), -inf);
    SAME(taut_math_sinh(-inf), -inf), SAME(taut_math_cosh(-inf), inf), SAME(taut_math_tanh(-inf), -1);
    SAME(taut_math_atan(inf), pi / 2), SAME(taut_math_atan(-inf), -pi / 2);
    SAME(taut_math_sinhc(-inf, 0), inf), SAME(taut_math_atanc(inf, 0), 0);
    double s, c;
    taut_math_sincos(inf, &s, &c);
    SAME(s, nan), SAME(c, nan);
    /* always the same NaN */
    assert_true(taut_math_bits(taut_math_sin(inf)) == 0x7ff8000000000000u);
    assert_true(taut_math_bits(taut_math_log(-1)) == 0x7ff8000000000000u);
    assert_true(taut_math_bits(taut_math_pow(-1, 0.5)) == 0x7ff8000000000000u);
}

/* The last argument with a finite or nonzero result, and the next one: from quad. */
static void ranges_end(void **state)
{
    (void)state;
    SAME(taut_math_exp(0x1.62e42fefa39efp9), 0x1.fffffffffff2ap1023), SAME(taut_math_exp(0x1.62e42fefa39f0p9), inf);
    SAME(taut_math_exp(-0x1.74910d52d3051p9), tiny), SAME(taut_math_exp(-0x1.74910d52d3052p9), 0);
    SAME(taut_math_exp(-0x1.6232bdd7abcd2p9), 0x1.000000000007cp-1022);
    SAME(taut_math_exp(-0x1.6232bdd7abcd3p9), 0x0.ffffffffffe7cp-1022);
    SAME(taut_math_sinh(0x1.633ce8fb9f87dp9), 0x1.ffffffffffd3bp1023), SAME(taut_math_sinh(0x1.633ce8fb9f87ep9), inf);
    SAME(taut_math_cosh(-0x1.633ce8fb9f87dp9), 0x1.ffffffffffd3bp1023), SAME(taut_math_cosh(0x1.633ce8fb9f87ep9), inf);
    SAME(taut_math_tanh(19), 0x1.fffffffffffffp-1), SAME(taut_math_tanh(19.1), 1), SAME(taut_math_tanh(22), 1);
    SAME(taut_math_tanh(1e300), 1);
    SAME(taut_math_log(DBL_MAX), 0x1.62e42fefa39efp9), SAME(taut_math_log(tiny), -0x1.74385446d71c3p9);
    SAME(taut_math_cbrt(DBL_MAX), 0x1.428a2f98d728bp341), SAME(taut_math_cbrt(0x1p-1074), 0x1p-358);
    SAME(taut_math_cbrt(-27), -3), SAME(taut_math_cbrt(0x1p-1020), 0x1p-340);
    SAME(taut_math_asin(1), pi / 2), SAME(taut_math_asin(-1), -pi / 2), SAME(taut_math_acos(-1), pi);
    SAME(taut_math_acos(0.0), pi / 2), SAME(taut_math_atan(1), pi / 4), SAME(taut_math_atan(DBL_MAX), pi / 2);
}

/* Next to a multiple of pi/2, and large: values from quad. */
static void far_and_hard_angles(void **state)
{
    (void)state;
    SAME(taut_math_sin(pi), 0x1.1a62633145c07p-53), SAME(taut_math_cos(pi / 2), 0x1.1a62633145c07p-54);
    SAME(taut_math_sin(2 * pi), -0x1.1a62633145c07p-52), SAME(taut_math_tan(pi / 2), 0x1.d02967c31cdb5p53);
    SAME(taut_math_sin(0x1.921fb54442d18p19), -0x1.1a62633145c07p-35);
    SAME(taut_math_cos(0x1.6ac5b262ca1ffp849), -0x1.14ae72e6ba22fp-61); /* the nearest of all to a multiple of pi/2 */
    SAME(taut_math_sin(0x1.6ac5b262ca1ffp849), 1);
    SAME(taut_math_sin(1e22), -0x1.b453ab76bf397p-1), SAME(taut_math_cos(1e22), 0x1.0be2cef01c8f4p-1);
    SAME(taut_math_tan(1e22), -0x1.a0f79c1b6b257p0), SAME(taut_math_sin(DBL_MAX), 0x1.452fc98b34e97p-8);
}

static void angles_of_two(void **state)
{
    (void)state;
    static const double signs[2] = { 1, -1 };
    for (int i = 0; i < 2; i++) { /* of y */
        const double s = signs[i];
        SAME(taut_math_atan2(s * 0.0, 0.0), s * 0.0), SAME(taut_math_atan2(s * 0.0, -0.0), s * pi);
        SAME(taut_math_atan2(s * 0.0, 1), s * 0.0), SAME(taut_math_atan2(s * 0.0, -1), s * pi);
        SAME(taut_math_atan2(s, 0.0), s * pi / 2), SAME(taut_math_atan2(s, -0.0), s * pi / 2);
        SAME(taut_math_atan2(s * inf, 1), s * pi / 2), SAME(taut_math_atan2(s * inf, -inf), s * 0x1.2d97c7f3321d2p1);
        SAME(taut_math_atan2(s * inf, inf), s * pi / 4), SAME(taut_math_atan2(s, inf), s * 0.0);
        SAME(taut_math_atan2(s, -inf), s * pi), SAME(taut_math_atan2(s * tiny, DBL_MAX), s * 0.0);
        SAME(taut_math_atan2(s * tiny, tiny), s * pi / 4), SAME(taut_math_atan2(s * DBL_MAX, DBL_MAX), s * pi / 4);
        SAME(taut_math_atan2(s * DBL_MAX, -DBL_MAX), s * 0x1.2d97c7f3321d2p1);
        SAME(taut_math_atan2(s * 3 * tiny, 2), s * 2 * tiny), SAME(taut_math_atan2(s * tiny, 1), s * tiny);
        SAME(taut_math_atan2(s * DBL_MAX, tiny), s * pi / 2), SAME(taut_math_atan2(s * 2, 2), s * pi / 4);
        SAME(taut_math_atan2(s * (double)NAN, 1), (double)NAN), SAME(taut_math_atan2(s, (double)NAN), (double)NAN);
    }
}

static void powers(void **state)
{
    (void)state;
    const double nan = (double)NAN;
    SAME(taut_math_pow(nan, 0), 1), SAME(taut_math_pow(1, nan), 1), SAME(taut_math_pow(nan, 1), nan);
    SAME(taut_math_pow(2, nan), nan);
    SAME(taut_math_pow(0.0, 2), 0), SAME(taut_math_pow(-0.0, 3), -0.0), SAME(taut_math_pow(-0.0, 2), 0);
    SAME(taut_math_pow(-0.0, 0.5), 0);
    SAME(taut_math_pow(0.0, -1), inf), SAME(taut_math_pow(-0.0, -3), -inf), SAME(taut_math_pow(-0.0, -2), inf);
    SAME(taut_math_pow(inf, 2), inf), SAME(taut_math_pow(inf, -2), 0), SAME(taut_math_pow(-inf, 3), -inf);
    SAME(taut_math_pow(-inf, -3), -0.0);
    SAME(taut_math_pow(-inf, 2), inf), SAME(taut_math_pow(-inf, 0.5), inf), SAME(taut_math_pow(-1, inf), 1);
    SAME(taut_math_pow(-1, -inf), 1);
    SAME(taut_math_pow(2, inf), inf), SAME(taut_math_pow(0.5, inf), 0), SAME(taut_math_pow(0.5, -inf), inf);
    SAME(taut_math_pow(-2, -inf), 0);
    SAME(taut_math_pow(-2, 0.5), nan), SAME(taut_math_pow(-2, 3), -8), SAME(taut_math_pow(-2, 4), 16);
    SAME(taut_math_pow(-2, -1), -0.5);
    SAME(taut_math_pow(-1, 0x1.fffffffffffffp52), -1), SAME(taut_math_pow(-1, 0x1p53), 1);
    SAME(taut_math_pow(-1, DBL_MAX), 1);
    SAME(taut_math_pow(0x1.0000000000001p0, DBL_MAX), inf), SAME(taut_math_pow(0x1.fffffffffffffp-1, DBL_MAX), 0);
    SAME(taut_math_pow(2, 1023), 0x1p1023), SAME(taut_math_pow(2, 1024), inf), SAME(taut_math_pow(2, -1074), tiny);
    SAME(taut_math_pow(2, -1075), 0);
    SAME(taut_math_pow(-2, -1075), -0.0), SAME(taut_math_pow(-2, 1025), -inf), SAME(taut_math_pow(tiny, -1), inf);
    SAME(taut_math_pow(tiny, 0.5), 0x1p-537);
    SAME(taut_math_pow(2, tiny), 1), SAME(taut_math_pow(DBL_MAX, -tiny), 1), SAME(taut_math_pow(3, 4), 81);
    SAME(taut_math_pow(10, 22), 1e22);
    SAME(taut_math_powi(3, 5), 243), SAME(taut_math_powi(2, -3), 0.125), SAME(taut_math_powi(0, 0), 1);
    SAME(taut_math_powi(-2, 3), -8);
    SAME(taut_math_powi(1, INT32_MIN), 1), SAME(taut_math_powi(2, INT32_MIN), 0);
}

/* ---- a b + c, rounded once ---- */

static uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return *seed;
}

/* Any bits; near one; below the least normal number; special; few bits and any exponent; products near underflow; whole
   numbers. */
static double factor(uint64_t *seed)
{
    static const double special[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1074, 0x1p-1022,
                                      DBL_MAX, -DBL_MAX, 0x1p-537, 0x1p-538, 0x1.0000000000001p0, 0x1.fffffffffffffp-1, 0x1p106,
                                      0x1p-106, 0x1.ffffffffffffep-1023, 0x1p-511, 0x1p512 };
    const uint64_t bits = draw(seed), mantissa = bits & 0x800fffffffffffffu;
    switch (draw(seed) % 7) {
    case 0: return taut_math_number(bits);
    case 1: return taut_math_number(mantissa | (1019 + draw(seed) % 9) << 52);
    case 2: return taut_math_number(mantissa);
    case 3: return special[bits % (sizeof special / sizeof *special)];
    case 4: return taut_math_number((mantissa & ~(((uint64_t)1 << draw(seed) % 53) - 1)) | draw(seed) % 2047 << 52);
    case 5: return taut_math_number(mantissa | (483 + draw(seed) % 20) << 52);
    default: return (double)((int64_t)bits >> draw(seed) % 63);
    }
}

/* Most of them cancel, or are far apart, or halfway between two numbers. */
static double summand(uint64_t *seed, double a, double b)
{
    const int nearly = (int)(draw(seed) % 9) - 4;
    switch (draw(seed) % 4) {
    case 0: return -a * b;
    case 1: return -a * b * (1 + 0x1p-52 * nearly);
    case 2: return a * b * ldexp(1 + 0x1p-52 * (draw(seed) % 3), (int)(draw(seed) % 240) - 120);
    default: return factor(seed);
    }
}

static void compare_sum(double a, double b, double c)
{
    const double expected = fma(a, b, c), found[] = { taut_math_fma_whole(a, b, c), taut_math_fma_parts(a, b, c) };
    for (int i = 0; i < 2; i++)
        if (expected != expected ? found[i] == found[i] : taut_math_bits(found[i]) != taut_math_bits(expected))
            fail_msg("%a %a + %a = %a %s, not %a", a, b, c, found[i], i ? "of parts" : "of whole numbers", expected);
}

/* Products (1 + e)(1 - e) miss a power of two by e^2, so that with some c the sum misses the middle between two numbers
   by as little, or by nothing. Some of them are near the largest or the smallest numbers. */
static void compare_halfway(uint64_t *seed)
{
    const int near = (int)(draw(seed) % 6), power = near == 0 ? 960 : near == 1 ? -1000 : 0;
    const int of_a = power + (int)(draw(seed) % 30), of_b = (int)(draw(seed) % 30);
    const double e = ldexp((double)(1 + draw(seed) % 3), -(int)(draw(seed) % 54));
    const double a = ldexp(1 + e, of_a), b = ldexp(draw(seed) & 1 ? 1 - e : 1 + e, of_b);
    const double c = ldexp(0x1p53 + (double)(draw(seed) % 8), of_a + of_b + (int)(draw(seed) % 4) - 2);
    compare_sum(a, b, c), compare_sum(a, -b, c);
}

/* Against the C library's, which is another program or the processor's. */
static void sum_of_a_product_is_rounded_once(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (long i = 0; i < (getenv("TAUT_TEST_LONG") ? 10000000 : 1000000); i++) {
        const double a = factor(&seed), b = factor(&seed), c = summand(&seed, a, b);
        compare_sum(a, b, c);
        if (i % 4 == 0) compare_halfway(&seed);
    }
    static const double ends[] = { 0, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1022, 0x1p-538, 0x1p-480, 0x1.8p-53, 1,
                                   0x1.fffffffffffffp0, 0x1p53, 0x1.fffffffffffffp511, 0x1p480, 0x1p960, DBL_MAX,
                                   (double)INFINITY, (double)NAN };
    enum { ENDS = sizeof ends / sizeof *ends };
    for (int i = 0; i < ENDS * ENDS * ENDS * 8; i++) {
        const int k = i / 8;
        compare_sum(i & 1 ? -ends[k % ENDS] : ends[k % ENDS], i & 2 ? -ends[k / ENDS % ENDS] : ends[k / ENDS % ENDS],
                    i & 4 ? -ends[k / ENDS / ENDS] : ends[k / ENDS / ENDS]);
    }
    /* halfway but for 2^-60: the sum of what is left is rounded to the middle */
    SAME(taut_math_fma_parts(1 + 0x1p-30, 1 - 0x1p-30, 0x1p53 + 2), 0x1p53 + 2);
    SAME(taut_math_fma_whole(0x1.0000001p0, 0x1.0000001p0, -0x1.0000002p0), 0x1p-56);
    SAME(taut_math_fma_whole(1, -1, 1), 0), SAME(taut_math_fma_whole(-0.0, 1, -0.0), -0.0);
    SAME(taut_math_fma_whole(tiny, 0.25, -0.0), 0), SAME(taut_math_fma_whole(DBL_MAX, 2, -DBL_MAX), DBL_MAX);
    SAME(taut_math_fma(3, 4, 5), 17);
}

/* ---- symmetry ---- */

static void odd_and_even_to_the_last_bit(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int i = 0; i < 20000; i++) {
        const double x = bits_argument(i, &seed), y = bits_argument(i + 1, &seed);
        double s, c;
        if (x != x || y != y) continue;
#define IS_ODD(f) SAME(f(-x), -f(x)) /* any NaN is the same to it */
#define IS_EVEN(f) SAME(f(-x), f(x))
        IS_ODD(taut_math_sin), IS_ODD(taut_math_tan), IS_ODD(taut_math_asin), IS_ODD(taut_math_atan);
        IS_ODD(taut_math_sinh), IS_ODD(taut_math_tanh), IS_ODD(taut_math_atanh), IS_ODD(taut_math_cbrt);
        IS_EVEN(taut_math_cos), IS_EVEN(taut_math_cosh);
        SAME(taut_math_atan2(-x, y), -taut_math_atan2(x, y));
        for (int n = 0; n < 5; n++) {
#define PARITY(f) SAME(f(-x, n), n % 2 ? -f(x, n) : f(x, n))
            PARITY(taut_math_sinc), PARITY(taut_math_sinhc), PARITY(taut_math_atanc), PARITY(taut_math_atanhc);
        }
        taut_math_sincos(x, &s, &c);
        SAME(s, taut_math_sin(x)), SAME(c, taut_math_cos(x));
    }
}

/* ---- monotone, and within the range ---- */

static const double turns[] = { 0x1p-900, 0x1p-27, 0.04, 0.0625, 0.125,     0.25, 0.5, 0.69140625, 0.99609375, 1,
                                1.0078125, 1.5,    2,    8,      22 };

/* Over 2000 neighbours around each place where a function may pass from one formula to another. The arithmetic is the
   same everywhere, so that this holds everywhere or nowhere. */
static void monotone(double (*f)(double), double low, double high, int sign, const char *name)
{
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++)
        for (int minus = 0; minus < 2; minus++) {
            double before = 0;
            for (int i = -1000, any = 0; i < 1000; i++) {
                double x = taut_math_number(taut_math_bits(turns[k]) + (uint64_t)(int64_t)i), value;
                if (minus) x = -x;
                if (x < low || x > high) continue;
                value = f(x);
                if (any++ && (minus ? -sign : sign) * (value - before) < 0) fail_msg("%s turns back at %a", name, x);
                before = value;
            }
        }
}

static void monotone_where_formulas_change(void **state)
{
    (void)state;
#define MONOTONE(f, low, high, sign) monotone(taut_math_##f, low, high, sign, #f)
    MONOTONE(exp, -800, 800, 1);
    MONOTONE(log, tiny, DBL_MAX, 1);
    MONOTONE(cbrt, -DBL_MAX, DBL_MAX, 1);
    MONOTONE(sin, -1.57, 1.57, 1);
    MONOTONE(cos, 0, 3.14, -1);
    MONOTONE(tan, -1.57, 1.57, 1);
    MONOTONE(asin, -1, 1, 1);
    MONOTONE(acos, -1, 1, -1);
    MONOTONE(atan, -DBL_MAX, DBL_MAX, 1);
    MONOTONE(sinh, -800, 800, 1);
    MONOTONE(cosh, 0, 800, 1);
    MONOTONE(tanh, -800, 800, 1);
    MONOTONE(atanh, -1, 1, 1);
}

static void within_their_ranges(void **state)
{
    (void)state;
    for (int i = -2000; i <= 2000; i++) { /* around pi/2, pi, 1, 19: where sin, cos, asin, acos, tanh end */
        const int64_t d = i;
        const double x = taut_math_number(taut_math_bits(pi / 2) + (uint64_t)d);
        const double y = taut_math_number(taut_math_bits(pi) + (uint64_t)d);
        const double u = taut_math_number(taut_math_bits(1) - (uint64_t)(d + 2000)), t = 19 + i * 0x1p-9;
        assert_true(taut_math_sin(x) <= 1 && taut_math_sin(x) >= 0x1.fffffffffffffp-1);
        assert_true(taut_math_cos(y) >= -1 && taut_math_cos(y) <= -0x1.fffffffffffffp-1);
        assert_true(taut_math_asin(u) <= pi / 2 && taut_math_acos(-u) <= pi && taut_math_acos(u) >= 0);
        assert_true(taut_math_tanh(t) <= 1 && taut_math_tanh(t) >= 1 - 0x1p-40);
        assert_true(taut_math_atan(ldexp(1, i / 2)) <= pi / 2);
        assert_true(taut_math_cosh(i * 0x1p-30) >= 1 && taut_math_sinc(i * 0x1p-30, 0) <= 1);
    }
}

/* ---- bits ---- */

/* The digest was taken with gcc and clang on x86-64; every processor must give it, since the operations are those of
   IEEE 754 in a fixed order. A change of a function changes it: take it anew from the message. */
static void bits_are_these_everywhere(void **state)
{
    (void)state;
    uint64_t seed = 7654321, digest = 0xcbf29ce484222325u;
    double values[BITS_VALUES];
    for (int i = 0; i < 20000; i++) {
        const double x = bits_argument(i, &seed), y = bits_argument(i / 4, &seed);
        bits_values(x, y, values);
        for (int k = 0; k < BITS_VALUES; k++) digest = (digest ^ taut_math_bits(values[k])) * 1099511628211u;
    }
    if (digest != 0x4a6e7e723122e47du) fail_msg("the digest of the bits is 0x%016llx", (unsigned long long)digest);
}

/* ---- as text ---- */

static void text_has_what_is_asked_for(void **state)
{
    (void)state;
    static const char *const tanh_alone[] = { "tanh" }, *const unknown[] = { "tanh", "half" };
    static char text[200000];
    size_t length = taut_elementary_text(tanh_alone, 1, text, sizeof text);
    assert_true(length < sizeof text && length == strlen(text) && length < taut_elementary_source_size / 2);
    assert_non_null(strstr(text, "double taut_math_tanh(double x)"));
    assert_non_null(strstr(text, "taut_exp_table[64]"));
    assert_null(strstr(text, "taut_math_sin("));
    assert_null(strstr(text, "taut_math_exp("));
    assert_non_null(strstr(text, "#endif\n"));
    assert_true(taut_elementary_text(unknown, 2, text, sizeof text) == TAUT_ELEMENTARY_UNKNOWN);
    /* cut off as snprintf does */
    char small[50], all[50];
    memcpy(all, text, sizeof all);
    assert_true(taut_elementary_text(tanh_alone, 1, small, sizeof small) == length);
    assert_true(strlen(small) == sizeof small - 1 && !memcmp(small, all, sizeof small - 1));
    assert_true(taut_elementary_text(tanh_alone, 1, NULL, 0) == length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_keep_their_sign),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(ranges_end),
        cmocka_unit_test(far_and_hard_angles),
        cmocka_unit_test(angles_of_two),
        cmocka_unit_test(powers),
        cmocka_unit_test(sum_of_a_product_is_rounded_once),
                                        cmocka_unit_test(odd_and_even_to_the_last_bit),
        cmocka_unit_test(monotone_where_formulas_change),
        cmocka_unit_test(within_their_ranges),
        cmocka_unit_test(bits_are_these_everywhere),
        cmocka_unit_test(text_has_what_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
