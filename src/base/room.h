/* The arrays that an object works with stand in one block: one allocation, one free. A function of the object lists
 * them, each once, and runs twice: first to count, then to place.
 *
 *     static void lay_out(void *self, room_layout *l)
 *     {
 *         thing *z = self;
 *         z->x = room_reals(l, z->s->n);
 *     }
 *     ... room_create(context, lay_out, z, &z->room) ... mem_free(context, z->room)
 */
#ifndef TAUT_BASE_ROOM_H
#define TAUT_BASE_ROOM_H

#include "base/context.h"
#include "base/real.h"

typedef struct {
    char *block; /* NULL while counting */
    size_t size; /* bytes so far; beyond PTRDIFF_MAX, which no allocation grants, once they cannot be counted */
} room_layout;

/* The next array of the list, aligned for anything; NULL while counting. */
static inline void *room_take(room_layout *l, size_t count, size_t item)
{
    const size_t most = (size_t)PTRDIFF_MAX, unit = _Alignof(max_align_t);
    void *at = l->block ? l->block + l->size : NULL;
    if (l->size > most - unit || count > (most - unit - l->size) / item)
        l->size = most + 1;
    else
        l->size += (count * item + unit - 1) / unit * unit;
    return at;
}

static inline real *room_reals(room_layout *l, size_t count) { return room_take(l, count, sizeof(real)); }

/* Allocates what the list asks for, zeroed, and places it. *block is what to free; NULL on failure. */
static inline int room_create(taut_context *context, void (*list)(void *self, room_layout *l), void *self, void **block)
{
    room_layout l = { 0 };
    list(self, &l);
    *block = l.block = taut_mem_new(context, l.size, 1);
    if (!l.block) return TAUT_OUT_OF_MEMORY;
    l.size = 0;
    list(self, &l);
    return TAUT_OK;
}

#endif
