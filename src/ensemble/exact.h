/* Sums of doubles without rounding errors: a fixed-point number that covers the whole range of doubles. So a sum
   depends on its terms alone, not on their order nor on how they were divided among machines. */
#ifndef TAUT_ENSEMBLE_EXACT_H
#define TAUT_ENSEMBLE_EXACT_H

#include <stdint.h>
#include <string.h>

#include "base/wide.h"

/* Word i counts 2^(32 i - 1074). 2098 bits of doubles, and room for 2^60 of them. */
enum { EXACT_WORDS = 68, EXACT_PENDING = 1 << 29 };
typedef struct {
    int64_t word[EXACT_WORDS];
    int32_t pending;            /* terms since the carries were propagated */
} exact_sum;

/* Afterwards every word but the last is in 0 .. 2^32 - 1: equal sums have equal words. */
static inline void exact_carry(exact_sum *s)
{
    for (int i = 0; i + 1 < EXACT_WORDS; i++) {
        const int64_t low = s->word[i] & 0xffffffff;
        s->word[i + 1] += (s->word[i] - low) / ((int64_t)1 << 32);
        s->word[i] = low;
    }
    s->pending = 0;
}

/* x is finite. */
static inline void exact_add(exact_sum *s, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const uint64_t mantissa = (bits & 0xfffffffffffffu) | (exponent ? (uint64_t)1 << 52 : 0);
    const int place = exponent ? exponent - 1 : 0, at = place / 32, shift = place % 32;
    const uint64_t low = mantissa << shift, high = shift ? mantissa >> (64 - shift) : 0;
    const int64_t sign = bits >> 63 ? -1 : 1;
    s->word[at] += sign * (int64_t)(low & 0xffffffff);
    s->word[at + 1] += sign * (int64_t)(low >> 32);
    s->word[at + 2] += sign * (int64_t)high;
    if (++s->pending == EXACT_PENDING) exact_carry(s);
}

static inline void exact_join(exact_sum *s, const exact_sum *other)
{
    exact_sum o = *other;
    exact_carry(&o);
    exact_carry(s);
    for (int i = 0; i < EXACT_WORDS; i++) s->word[i] += o.word[i];
    exact_carry(s);
}

/* Its size, with all words in 0 .. 2^32 - 1; returns 1 where it was negative. */
static inline int exact_size(exact_sum *s)
{
    exact_carry(s);
    if (s->word[EXACT_WORDS - 1] >= 0) return 0;
    for (int i = 0; i < EXACT_WORDS; i++) s->word[i] = -s->word[i];
    exact_carry(s);
    return 1;
}

/* The sum in the widest precision, to the rounding of its leading words. */
static inline wide exact_value(const exact_sum *sum)
{
    exact_sum s = *sum;
    const int negative = exact_size(&s);
    int top = EXACT_WORDS - 1;
    while (top > 0 && !s.word[top]) top--;
    const int bottom = top > 5 ? top - 5 : 0;
    wide value = 0;
    for (int i = top; i >= bottom; i--) value = value * (wide)0x1p32 + (wide)s.word[i];
    for (int i = 33; i < bottom; i++) value *= (wide)0x1p32; /* 1074 = 33 * 32 + 18 */
    for (int i = bottom; i < 33; i++) value *= (wide)0x1p-32;
    value *= (wide)0x1p-18;
    return negative ? -value : value;
}

#endif
