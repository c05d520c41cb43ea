/* The functions that the values of expr/ops.h call besides those of <math.h>. A template: whoever includes this defines
 * VALUE_TYPE and MATH(function) before, and VALUE_ELEMENTARY where they are those of base/elementary.h. */

#ifdef VALUE_ELEMENTARY

typedef enum { EVEN_SIN, EVEN_SINH, EVEN_ATAN, EVEN_ATANH } even_function;

static inline double even(even_function f, double x, int32_t n)
{
    switch (f) {
    case EVEN_SIN: return taut_math_sinc(x, n);
    case EVEN_SINH: return taut_math_sinhc(x, n);
    case EVEN_ATAN: return taut_math_atanc(x, n);
    case EVEN_ATANH: return taut_math_atanhc(x, n);
    }
    return x;
}

static inline double power(double a, int32_t n) { return taut_math_powi(a, n); }

#else

#define EVEN_TYPE VALUE_TYPE
#define EVEN_MATH MATH
#define EVEN_NAME even
#include "base/even.h"

static VALUE_TYPE power_by_squares(VALUE_TYPE a, int32_t n)
{
    int64_t left = n < 0 ? -(int64_t)n : n;
    VALUE_TYPE result = 1;
    for (; left; left >>= 1, a *= a)
        if (left & 1) result *= a;
    return n < 0 ? 1 / result : result;
}

/* a^n. The frequent ones in line, for loops in which n is known. */
static inline VALUE_TYPE power(VALUE_TYPE a, int32_t n)
{
    return n == 2 ? a * a : n == 3 ? a * a * a : power_by_squares(a, n);
}

#endif
