/* An allocator that counts, and fails when it is told to. */
#ifndef TAUT_TESTS_SUPPORT_ALLOCATOR_H
#define TAUT_TESTS_SUPPORT_ALLOCATOR_H

#include <stddef.h>
#include <stdlib.h>

typedef struct {
    long calls, fail_at, fail_count; /* allocations number fail_at .. fail_at + fail_count - 1 fail; the first is 1 */
    long failures, live;
} counter;

static inline void *counted_resize(void *user, void *block, size_t size)
{
    counter *c = user;
    if (size == 0) {
        c->live -= block != NULL;
        free(block);
        return NULL;
    }
    c->calls++;
    if (c->calls >= c->fail_at && c->calls - c->fail_at < c->fail_count) {
        c->failures++;
        return NULL;
    }
    void *result = realloc(block, size);
    if (result && !block) c->live++;
    return result;
}

#endif
