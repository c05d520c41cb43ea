/* Random numbers without a state: each is a function of (seed, member, dimension) alone, so that any machine may
   compute any of them in any order. Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
   1, 2, 3, SC11, 2011). */
#ifndef TAUT_ENSEMBLE_COUNTER_H
#define TAUT_ENSEMBLE_COUNTER_H

#include <stdint.h>

typedef struct {
    uint32_t word[4];
} counter_block;

static inline counter_block counter_philox(counter_block x, uint64_t key)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const uint64_t a = (uint64_t)0xD2511F53u * x.word[0], b = (uint64_t)0xCD9E8D57u * x.word[2];
        x = (counter_block){ { (uint32_t)(b >> 32) ^ x.word[1] ^ k0, (uint32_t)b,
                               (uint32_t)(a >> 32) ^ x.word[3] ^ k1, (uint32_t)a } };
    }
    return x;
}

/* 64 random bits. purpose tells numbers apart that are used for different things. */
static inline uint64_t counter_bits(uint64_t seed, uint64_t member, uint32_t dimension, uint32_t purpose)
{
    const counter_block x = { { (uint32_t)member, (uint32_t)(member >> 32), dimension, purpose } };
    const counter_block y = counter_philox(x, seed);
    return (uint64_t)y.word[1] << 32 | y.word[0];
}

/* Uniform in (0,1), never 0 or 1: the middles of 2^52 intervals. */
static inline double counter_uniform(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

/* A permutation of 0 .. count-1 that belongs to (seed, dimension): a network of Feistel on the bits of count - 1,
   walked until it comes back into the range. */
static inline uint64_t counter_permute(uint64_t seed, uint32_t dimension, uint64_t count, uint64_t index)
{
    int half = 1;
    while (half < 32 && (count - 1) >> (2 * half)) half++;
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = index >> half, right = index & mask;
        for (uint32_t round = 0; round < 8; round++) {
            const uint64_t next = left ^ (counter_bits(seed, right, dimension, 0x100u + round) & mask);
            left = right;
            right = next;
        }
        index = left << half | right;
    } while (index >= count);
    return index;
}

#endif
