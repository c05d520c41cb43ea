/* What the fuzz targets share. A target is one function of bytes, as libFuzzer calls it; driver.c calls it without
   libFuzzer, for compilers that have none. */
#ifndef TAUT_TESTS_FUZZ_H
#define TAUT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* A promise that does not hold. */
#define FUZZ_CHECK(condition, ...)                                                                                         \
    do {                                                                                                                   \
        if (!(condition)) {                                                                                                \
            fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition);                                  \
            fprintf(stderr, __VA_ARGS__);                                                                                  \
            fputc('\n', stderr);                                                                                           \
            abort();                                                                                                       \
        }                                                                                                                  \
    } while (0)

/* ---- choices from bytes ---- */

typedef struct {
    const uint8_t *data;
    size_t size, at;
} choices;

/* 0 where there is nothing left: what is built from them ends. */
static inline uint32_t choose(choices *c, uint32_t below)
{
    if (c->at >= c->size || below < 2) return 0;
    uint32_t value = c->data[c->at++];
    if (below > 256 && c->at < c->size) value = value << 8 | c->data[c->at++];
    return value % below;
}

static inline int choices_left(const choices *c) { return c->at < c->size; }

/* ---- a context with bounded memory and time ---- */

enum { FUZZ_BYTES = 400 << 20 };
#ifndef FUZZ_SECONDS_MOST /* a target whose inputs often run for ever sets less */
#define FUZZ_SECONDS_MOST 3.0
#endif

typedef struct {
    size_t used;
    long blocks;
    double began;
    taut_context *context;
} bounds;

/* The size of a block stands before it. */
static inline void *bounded_resize(void *user, void *block, size_t size)
{
    bounds *b = user;
    size_t *old = block ? (size_t *)((char *)block - 16) : NULL, had = old ? *old : 0;
    if (size == 0) {
        b->used -= had, b->blocks -= old != NULL;
        free(old);
        return NULL;
    }
    if (size > FUZZ_BYTES || b->used - had + size > FUZZ_BYTES) return NULL;
    size_t *result = realloc(old, size + 16);
    if (!result) return NULL;
    b->used += size - had, b->blocks += old == NULL;
    *result = size;
    return (char *)result + 16;
}

static inline int bounded_stop(void *user) { return clock_work() - ((bounds *)user)->began > FUZZ_SECONDS_MOST; }

static inline taut_context *bounded_begin(bounds *b)
{
    *b = (bounds){ .began = clock_work() };
    b->context = taut_context_create(&(taut_allocator){ bounded_resize, b });
    FUZZ_CHECK(b->context, "no context");
    taut_context_stop(b->context, bounded_stop, b);
    return b->context;
}

/* Everything was given back. */
static inline void bounded_end(bounds *b)
{
    taut_context_destroy(b->context);
    FUZZ_CHECK(b->blocks == 0 && b->used == 0, "%ld blocks, %zu bytes are left", b->blocks, b->used);
}

/* A failure says why. */
static inline void check_status(taut_context *context, int status)
{
    const char *text = taut_error_text(context);
    if (status) FUZZ_CHECK(text && text[0] && strlen(text) < TAUT_ERROR_TEXT, "status %d without a message", status);
}

/* ---- random numbers of mutators ---- */

static inline uint32_t fuzz_random(uint64_t *state, uint32_t below)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return below ? (uint32_t)(((z ^ (z >> 31)) >> 11) % below) : 0;
}

#endif
