/* Values of every function of base/elementary.h for many arguments, which come from whole numbers alone: to compare
   bits. Needs no library. */
#ifndef TAUT_TESTS_ELEMENTARY_BITS_H
#define TAUT_TESTS_ELEMENTARY_BITS_H

#include "base/elementary.h"

static inline uint64_t bits_random(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return *seed * 2685821657736338717u;
}

/* In turn: anything, NaN and infinity too; of common size; in [-1, 1]; near multiples of 1/8, where functions pass from
   one formula to another. */
static inline double bits_argument(int i, uint64_t *seed)
{
    const uint64_t r = bits_random(seed);
    const double u = (double)(r >> 11) * 0x1p-53, s = r & 1 ? -1 : 1;
    switch (i & 3) {
    case 0: return taut_math_number(r);
    case 1: return s * u * (double)(1u << (r >> 1 & 15)) / 32;
    case 2: return s * u;
    }
    return s * taut_math_number(taut_math_bits((double)(r >> 60) / 8) + (r >> 1 & 7) - 4);
}

enum { BITS_VALUES = 31 };

static inline void bits_values(double x, double y, double *v)
{
    double *first = v;
    *v++ = taut_math_sin(x);
    *v++ = taut_math_cos(x);
    taut_math_sincos(x, v, v + 1);
    v += 2;
    *v++ = taut_math_tan(x);
    *v++ = taut_math_asin(x);
    *v++ = taut_math_acos(x);
    *v++ = taut_math_atan(x);
    *v++ = taut_math_atan2(x, y);
    *v++ = taut_math_exp(x);
    *v++ = taut_math_log(x);
    *v++ = taut_math_log(taut_math_fabs(x));
    *v++ = taut_math_pow(x, y);
    *v++ = taut_math_pow(taut_math_fabs(x), y);
    *v++ = taut_math_cbrt(x);
    *v++ = taut_math_sinh(x);
    *v++ = taut_math_cosh(x);
    *v++ = taut_math_tanh(x);
    *v++ = taut_math_atanh(x);
    for (int n = 0; n < 3; n++) {
        *v++ = taut_math_sinc(x, n);
        *v++ = taut_math_sinhc(x, n);
        *v++ = taut_math_atanc(x, n);
        *v++ = taut_math_atanhc(x, n);
    }
    /* Sums and products may overflow here to a NaN of the processor's choice. */
    for (; first < v; first++)
        if (*first != *first) *first = taut_math_nan();
}

#endif
