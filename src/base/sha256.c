#include "base/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* 6.2.2 of the standard. */
static void take_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], v[8];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3);
        w[t] += w[t - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    /* Instead of moving the eight words by one place, each turn names them anew: word i is v[(i - t) mod 8]. */
    for (int t = 0; t < 64; t += 8)
        for (int u = 0; u < 8; u++) {
#define WORD(i) v[((i) - u) & 7]
            uint32_t a = WORD(0), e = WORD(4);
            uint32_t first = WORD(7) + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                             ((e & WORD(5)) ^ (~e & WORD(6))) + constants[t + u] + w[t + u];
            WORD(3) += first;
            WORD(7) = first + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                      ((a & WORD(1)) ^ (a & WORD(2)) ^ (WORD(1) & WORD(2)));
#undef WORD
        }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

void taut_sha256_begin(sha256 *s)
{
    /* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
    static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    memcpy(s->state, start, sizeof start);
    s->length = 0;
}

void taut_sha256_add(sha256 *s, const void *data, size_t size)
{
    const unsigned char *from = data;
    size_t held = (size_t)(s->length % 64);
    s->length += size;
    if (held) {
        size_t taken = size < 64 - held ? size : 64 - held;
        memcpy(s->block + held, from, taken);
        from += taken, size -= taken;
        if (held + taken < 64) return;
        take_block(s->state, s->block);
    }
    for (; size >= 64; from += 64, size -= 64) take_block(s->state, from);
    if (size) memcpy(s->block, from, size);
}

void taut_sha256_end(sha256 *s, unsigned char digest[SHA256_SIZE])
{
    /* A bit 1, zeros up to 8 bytes before the end of a block, the length in bits. */
    unsigned char tail[72] = { 0x80 };
    uint64_t bits = 8 * s->length;
    size_t zeros = (size_t)(119 - s->length % 64) % 64;
    for (int i = 0; i < 8; i++) tail[1 + zeros + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    taut_sha256_add(s, tail, 1 + zeros + 8);
    for (int i = 0; i < 32; i++) digest[i] = (unsigned char)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

void taut_sha256_text(const unsigned char digest[SHA256_SIZE], char text[2 * SHA256_SIZE + 1])
{
    for (int i = 0; i < SHA256_SIZE; i++) {
        text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    text[2 * SHA256_SIZE] = 0;
}
