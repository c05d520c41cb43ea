/* Errors of base/elementary.h against quad, for a test (few arguments) and for `make ulp` (many): the functions, the
   ranges of their arguments, the bounds. */
#ifndef TAUT_TESTS_ELEMENTARY_ULP_H
#define TAUT_TESTS_ELEMENTARY_ULP_H

#include <math.h>
#include <stdio.h>

#include "base/elementary.h"

typedef _Float128 quad;

/* The even quotients in quad: the template that quad runs use. */
#define EVEN_TYPE quad
#define EVEN_MATH(f) f##f128
#define EVEN_NAME even_quad
#include "base/even.h"

/* How arguments are spread over [low, high]. */
typedef enum {
    EVENLY,
    BY_SIZE,  /* evenly in the logarithm; with both signs where the function has them */
    NEAR_ONE, /* 1 + s, s by size, of both signs */
} ulp_spread;

typedef struct {
    const char *name, *range;
    double (*own)(double x, double y);
    quad (*exact)(double x, double y);
    long double (*near)(double x, double y); /* for a first look */
    ulp_spread spread;
    double low, high;
    ulp_spread spread_y; /* of the second argument, if there is one */
    double low_y, high_y;
    double bound; /* of the error: ulps */
} ulp_row;

#define ULP_UNARY(NAME)                                                                  \
    static double own_##NAME(double x, double y) { return (void)y, taut_math_##NAME(x); } \
    static quad exact_##NAME(double x, double y) { return (void)y, NAME##f128(x); }       \
    static long double near_##NAME(double x, double y) { return (void)y, NAME##l(x); }
#define ULP_BINARY(NAME)                                                         \
    static double own_##NAME(double x, double y) { return taut_math_##NAME(x, y); } \
    static quad exact_##NAME(double x, double y) { return NAME##f128(x, y); }       \
    static long double near_##NAME(double x, double y) { return NAME##l(x, y); }
#define ULP_EVEN(NAME, FUNCTION, F)                                                             \
    static double own_##NAME(double x, double y) { return (void)y, taut_math_##NAME(x, 0); }    \
    static quad exact_##NAME(double x, double y) { return (void)y, even_quad(FUNCTION, x, 0); } \
    static long double near_##NAME(double x, double y) { return (void)y, F##l(x) / x; }

ULP_UNARY(sin)
ULP_UNARY(cos)
ULP_UNARY(tan)
ULP_UNARY(asin)
ULP_UNARY(acos)
ULP_UNARY(atan)
ULP_BINARY(atan2)
ULP_UNARY(exp)
ULP_UNARY(log)
ULP_BINARY(pow)
ULP_UNARY(cbrt)
ULP_UNARY(sinh)
ULP_UNARY(cosh)
ULP_UNARY(tanh)
ULP_UNARY(atanh)
ULP_EVEN(sinc, EVEN_SIN, sin)
ULP_EVEN(sinhc, EVEN_SINH, sinh)
ULP_EVEN(atanc, EVEN_ATAN, atan)
ULP_EVEN(atanhc, EVEN_ATANH, atanh)

/* The bounds are those of docs/accuracy.md: what 10^8 arguments showed, rounded up. */
static const ulp_row ulp_rows[] = {
#define ULP(NAME, range, spread, low, high, bound) \
    { #NAME, range, own_##NAME, exact_##NAME, near_##NAME, spread, low, high, EVENLY, 0, 0, bound }
#define ULP2(NAME, range, spread, low, high, spread_y, low_y, high_y, bound) \
    { #NAME, range, own_##NAME, exact_##NAME, near_##NAME, spread, low, high, spread_y, low_y, high_y, bound }
    ULP(sin, "\\|x\\| <= 10", EVENLY, -10, 10, 0.52),
    ULP(sin, "all sizes", BY_SIZE, 1e-310, 1.7e308, 0.52),
    ULP(cos, "\\|x\\| <= 10", EVENLY, -10, 10, 0.52),
    ULP(cos, "all sizes", BY_SIZE, 1e-310, 1.7e308, 0.52),
    ULP(tan, "\\|x\\| <= 10", EVENLY, -10, 10, 0.52),
    ULP(tan, "all sizes", BY_SIZE, 1e-310, 1.7e308, 0.52),
    ULP(asin, "\\|x\\| <= 1", EVENLY, -1, 1, 0.66),
    ULP(asin, "all sizes", BY_SIZE, 1e-310, 1, 0.66),
    ULP(acos, "\\|x\\| <= 1", EVENLY, -1, 1, 0.66),
    ULP(acos, "all sizes", BY_SIZE, 1e-310, 1, 0.66),
    ULP(atan, "\\|x\\| <= 10", EVENLY, -10, 10, 0.56),
    ULP(atan, "all sizes", BY_SIZE, 1e-310, 1.7e308, 0.56),
    ULP2(atan2, "x, y in [-1, 1]", EVENLY, -1, 1, EVENLY, -1, 1, 0.56),
    ULP2(atan2, "all sizes", BY_SIZE, 1e-310, 1.7e308, BY_SIZE, 1e-310, 1.7e308, 0.56),
    ULP(exp, "\\|x\\| <= 1", EVENLY, -1, 1, 0.54),
    ULP(exp, "[-746, 710]", EVENLY, -746, 710, 0.54),
    ULP(log, "[1/2, 2]", EVENLY, 0.5, 2, 0.51),
    ULP(log, "1 + s, all sizes of s to 1/2", NEAR_ONE, 1e-16, 0.5, 0.51),
    ULP(log, "all sizes", BY_SIZE, 1e-310, 1.7e308, 0.51),
    ULP2(pow, "x in [1/100, 100], \\|y\\| <= 10", BY_SIZE, 0.01, 100, EVENLY, -10, 10, 0.55),
    ULP2(pow, "x near 1, y to 10^6", NEAR_ONE, 1e-10, 1e-3, BY_SIZE, 1, 1e6, 0.57),
    ULP2(pow, "all sizes, \\|y\\| to 10", BY_SIZE, 1e-310, 1.7e308, BY_SIZE, 1e-3, 10, 0.56),
    ULP(cbrt, "all sizes", BY_SIZE, 1e-310, 1.7e308, 0.501),
    ULP(sinh, "\\|x\\| <= 2", EVENLY, -2, 2, 0.6),
    ULP(sinh, "\\|x\\| <= 711", EVENLY, -711, 711, 0.6),
    ULP(cosh, "\\|x\\| <= 2", EVENLY, -2, 2, 0.55),
    ULP(cosh, "\\|x\\| <= 711", EVENLY, -711, 711, 0.55),
    ULP(tanh, "\\|x\\| <= 3", EVENLY, -3, 3, 0.59),
    ULP(tanh, "all sizes", BY_SIZE, 1e-310, 30, 0.59),
    ULP(atanh, "\\|x\\| <= 1", EVENLY, -1, 1, 0.56),
    ULP(sinc, "\\|x\\| <= 2", EVENLY, -2, 2, 0.59),
    ULP(sinhc, "\\|x\\| <= 2", EVENLY, -2, 2, 0.57),
    ULP(atanc, "\\|x\\| <= 2", EVENLY, -2, 2, 0.62),
    ULP(atanhc, "\\|x\\| <= 1", EVENLY, -1, 1, 0.53),
#undef ULP
#undef ULP2
};

enum { ULP_ROWS = sizeof ulp_rows / sizeof *ulp_rows };

typedef struct {
    long count, exact;  /* arguments; correctly rounded results */
    double most, x, y; /* the largest error, and where it is */
} ulp_result;

/* xorshift, from a seed that depends on the row and the part */
static inline double ulp_uniform(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (double)((*seed * 2685821657736338717u) >> 11) * 0x1p-53;
}

static inline double ulp_argument(ulp_spread spread, double low, double high, int positive, uint64_t *seed)
{
    double u = ulp_uniform(seed);
    if (spread == EVENLY) return low + (high - low) * u;
    double size = exp(log(low) + (log(high) - log(low)) * u);
    if (!(size <= high)) size = high;
    int minus = ulp_uniform(seed) < 0.5;
    if (spread == NEAR_ONE) return minus ? 1 - size : 1 + size;
    return minus && !positive ? -size : size;
}

/* In ulps of the exact value: of its double, for a value in the range of the normal numbers. */
static inline double ulp_error(double found, quad exact)
{
    double rounded = (double)exact;
    int exponent;
    if (rounded != rounded || found != found) return (rounded != rounded) == (found != found) ? 0 : INFINITY;
    if (fabs(rounded) > DBL_MAX || fabs(found) > DBL_MAX) return rounded == found ? 0 : INFINITY;
    frexp(rounded, &exponent);
    if (exponent < -1021) exponent = -1021;
    return (double)fabsf128(((quad)found - exact) * ldexpf128(1, 53 - exponent));
}

/* Does the value in long double, good to some of its own ulps, already say that the error is below `most`, and whether
   the result is correctly rounded? 0.01 ulps of a double are 20 of those of the x87 format. */
static inline int ulp_is_clear(double found, long double near, double most, int *exact)
{
    int exponent;
    if (LDBL_MANT_DIG < 64 || !(fabsl(near) <= DBL_MAX && fabs(found) <= DBL_MAX)) return 0;
    frexp((double)near, &exponent);
    if (exponent < -1021) exponent = -1021;
    const double error = (double)fabsl(((long double)found - near) * ldexpl(1, 53 - exponent));
    *exact = error < 0.5;
    return error + 0.01 < most && fabs(error - 0.5) > 0.01 && fabsl(near) > 0 && found != 0;
}

/* quick: quad only where long double leaves a doubt. */
static inline ulp_result ulp_measure(const ulp_row *row, long count, uint64_t seed, int quick)
{
    ulp_result r = { .count = count };
    const int positive = row->own == own_log || row->own == own_pow;
    for (long i = 0; i < count; i++) {
        double x = ulp_argument(row->spread, row->low, row->high, positive, &seed), y = 0;
        if (row->high_y != row->low_y) y = ulp_argument(row->spread_y, row->low_y, row->high_y, 0, &seed);
        const double found = row->own(x, y);
        int is_exact;
        if (quick && ulp_is_clear(found, row->near(x, y), r.most, &is_exact)) {
            r.exact += is_exact;
            continue;
        }
        const quad exact = row->exact(x, y);
        const double error = ulp_error(found, exact);
        if (!(error <= r.most)) r.most = error, r.x = x, r.y = y;
        r.exact += found == (double)exact;
    }
    return r;
}

#endif
