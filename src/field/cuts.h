/* A large batch is evaluated in chunks, by several threads where there are. Colours say which chunks may run at once,
 * because they add to different numbers: 1 all of them, 2 those with even numbers and after them those with odd ones, 0
 * none: the batch is not cut. The order in which the terms of a number are added follows from this, whatever the number
 * of threads. */
#ifndef TAUT_FIELD_CUTS_H
#define TAUT_FIELD_CUTS_H

#include "base/real.h"
#include "kernel/kernel.h"

typedef struct {
    uint32_t length;                 /* instances of a chunk */
    int chunks;
    int rows, variables[KIND_COUNT]; /* colours of what adds to functions, and to variables of a kind */
} cut;

/* run: instances that stay together (tables.h) */
void X(cut_find)(const batch *b, const kernel *k, uint32_t run, cut *c);
/* Colours of what adds to the entries of a table, `width` numbers an instance, and to those of another one, or NULL. */
int X(cut_colours)(const batch *b, const cut *c, uint32_t width, const uint32_t *table, const uint32_t *other);

/* The instance at which a chunk ends. */
static inline uint32_t cut_end(const cut *c, const batch *b, int chunk)
{
    uint32_t first = (uint32_t)chunk * c->length, left = b->count - first;
    return first + (left < c->length ? left : c->length);
}

#endif
