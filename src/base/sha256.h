/* SHA-256 (FIPS 180-4): names of things by their contents. */
#ifndef TAUT_BASE_SHA256_H
#define TAUT_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32

typedef struct {
    uint32_t state[8];
    uint64_t length;           /* bytes so far */
    unsigned char block[64];   /* the last one, while it is not full */
} sha256;

void taut_sha256_begin(sha256 *s);
void taut_sha256_add(sha256 *s, const void *data, size_t size);
/* The digest of all that was added. s must begin again after it. */
void taut_sha256_end(sha256 *s, unsigned char digest[SHA256_SIZE]);
/* A digest as 64 hexadecimal digits and a zero. */
void taut_sha256_text(const unsigned char digest[SHA256_SIZE], char text[2 * SHA256_SIZE + 1]);

#endif
