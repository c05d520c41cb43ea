/* `real` is the precision that this translation unit is compiled in. The numerical core (field, system, solve, step,
   method, contact, the simulation of run) is compiled once per precision. Its external names are written X(name),
   taut_name_double or taut_name_quad, so that a unit of the wrong precision fails at link time; all other external
   names begin with taut_.

   REAL(f) is the f of <math.h>: for what is exact or correctly rounded everywhere (fabs, sqrt, floor). ELEMENTARY(f) is
   for the rest (sin, exp, pow): in double those of base/elementary.h, whose bits no library or processor changes; a
   unit that calls them includes it. */
#ifndef TAUT_BASE_REAL_H
#define TAUT_BASE_REAL_H

#include <float.h>
#include <math.h>
#include <stddef.h>

#ifdef TAUT_REAL_QUAD
typedef _Float128 real;
#define REAL(function) function##f128
#define ELEMENTARY(function) function##f128
#define REAL_EPSILON 1.92592994438723585305597794258492732e-34F128
#define REAL_LARGEST 1.18973149535723176508575932662800702e4932F128
#define X(name) taut_##name##_quad
#define REAL_DIGITS 34
#else
typedef double real;
#define REAL(function) function
#define ELEMENTARY(function) taut_math_##function
#define REAL_EPSILON DBL_EPSILON
#define REAL_LARGEST DBL_MAX
#define X(name) taut_##name##_double
#define REAL_DIGITS 17
#endif

/* max(most, |x|), inlined; a NaN wins, so that it is seen. */
static inline real real_most(real most, real x)
{
    real size = x < 0 ? -x : x;
    return size > most || size != size ? size : most; /* with most a NaN both are false: it stays */
}

/* The largest |x_i|; 0 of none. */
static inline real real_largest(const real *x, size_t count)
{
    real most = 0;
    for (size_t i = 0; i < count; i++) most = real_most(most, x[i]);
    return most;
}

#endif
