/* The largest |x| of many, in a form that vectorises without leave to reorder: sizes of doubles compare like the
   integers that their bits are, and what is not a number is larger than all. */
#ifndef TAUT_BASE_EXTREME_H
#define TAUT_BASE_EXTREME_H

#include <stdint.h>
#include <string.h>

#include "base/real.h"

#ifdef TAUT_REAL_QUAD
typedef real extreme;
static inline extreme extreme_see(extreme most, real x) { return real_most(most, x); }
static inline real extreme_value(extreme most) { return most; }
static inline extreme extreme_join(extreme a, extreme b) { return real_most(a, b); }
#else
typedef int64_t extreme;
static inline extreme extreme_see(extreme most, real x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= INT64_MAX;
    return bits > most ? bits : most;
}
static inline real extreme_value(extreme most)
{
    real x;
    memcpy(&x, &most, sizeof x);
    return x;
}
/* The larger of two: of whatever parts, in whatever order. */
static inline extreme extreme_join(extreme a, extreme b) { return a > b ? a : b; }
#endif

#endif
