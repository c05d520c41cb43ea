#include "ensemble/sobol.h"

#include "ensemble/counter.h"

/* Degree and coefficients of a primitive polynomial, and the first direction numbers: S. Joe and F. Y. Kuo,
   Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30, 2635-2654 (2008). The
   first dimension needs none. */
static const struct {
    int degree;
    unsigned coefficients;
    unsigned m[7];
} table[SOBOL_DIMENSIONS - 1] = {
    { 1, 0, { 1 } },
    { 2, 1, { 1, 3 } },
    { 3, 1, { 1, 3, 1 } },
    { 3, 2, { 1, 1, 1 } },
    { 4, 1, { 1, 1, 3, 3 } },
    { 4, 4, { 1, 3, 5, 13 } },
    { 5, 2, { 1, 1, 5, 5, 17 } },
    { 5, 4, { 1, 1, 5, 5, 5 } },
    { 5, 7, { 1, 1, 7, 11, 19 } },
    { 5, 11, { 1, 1, 5, 1, 1 } },
    { 5, 13, { 1, 1, 1, 3, 11 } },
    { 5, 14, { 1, 3, 5, 5, 31 } },
    { 6, 1, { 1, 3, 3, 9, 7, 49 } },
    { 6, 13, { 1, 1, 1, 15, 21, 21 } },
    { 6, 16, { 1, 3, 1, 13, 27, 49 } },
    { 6, 19, { 1, 1, 1, 15, 7, 5 } },
    { 6, 22, { 1, 3, 1, 15, 13, 25 } },
    { 6, 25, { 1, 1, 5, 5, 19, 61 } },
    { 7, 1, { 1, 3, 7, 11, 23, 15, 103 } },
    { 7, 4, { 1, 3, 7, 13, 13, 15, 69 } },
    { 7, 7, { 1, 1, 3, 13, 7, 35, 63 } },
    { 7, 8, { 1, 3, 5, 9, 1, 25, 53 } },
    { 7, 14, { 1, 3, 1, 13, 9, 35, 107 } },
    { 7, 19, { 1, 3, 1, 5, 27, 61, 31 } },
    { 7, 21, { 1, 1, 5, 11, 19, 41, 61 } },
    { 7, 28, { 1, 3, 5, 3, 3, 13, 69 } },
    { 7, 31, { 1, 1, 7, 13, 1, 19, 1 } },
    { 7, 32, { 1, 3, 7, 5, 13, 19, 59 } },
    { 7, 37, { 1, 1, 3, 9, 25, 29, 41 } },
    { 7, 41, { 1, 3, 5, 13, 23, 1, 55 } },
    { 7, 42, { 1, 3, 7, 3, 13, 59, 17 } },
};

static uint32_t reversed(uint32_t x)
{
    x = x << 16 | x >> 16;
    x = (x & 0x00ff00ffu) << 8 | (x & 0xff00ff00u) >> 8;
    x = (x & 0x0f0f0f0fu) << 4 | (x & 0xf0f0f0f0u) >> 4;
    x = (x & 0x33333333u) << 2 | (x & 0xccccccccu) >> 2;
    return (x & 0x55555555u) << 1 | (x & 0xaaaaaaaau) >> 1;
}

uint32_t taut_sobol_point(uint32_t index, int dimension)
{
    if (!dimension) return reversed(index);
    const int s = table[dimension - 1].degree;
    const unsigned a = table[dimension - 1].coefficients;
    uint32_t v[32], x = 0;
    for (int i = 0; i < 32 && index >> i; i++) {
        if (i < s) {
            v[i] = (uint32_t)table[dimension - 1].m[i] << (31 - i);
        } else {
            v[i] = v[i - s] ^ v[i - s] >> s;
            for (int k = 1; k < s; k++)
                if (a >> (s - 1 - k) & 1) v[i] ^= v[i - k];
        }
        if (index >> i & 1) x ^= v[i];
    }
    return x;
}

/* Every bit is flipped or not by a function of the bits above it: B. Burley, Practical hash-based Owen scrambling,
   J. Comput. Graph. Tech. 9 (4), 2020; in reversed order a product with an even number carries upwards only. */
static uint32_t scramble(uint32_t x, uint32_t key)
{
    x = reversed(x);
    x += key;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return reversed(x);
}

double taut_sobol_scrambled(uint64_t seed, uint32_t index, int dimension)
{
    const uint32_t key = (uint32_t)counter_bits(seed, 0, (uint32_t)dimension, 0x200u);
    return ((double)scramble(taut_sobol_point(index, dimension), key) + 0.5) * 0x1p-32;
}
