/* The arrays that an object works with stand in one block. A function of the object lists them, each once, and runs
 * twice: first to count, then to place.
 *
 *     static void lay_out(void *self, room_layout *l)
 *     {
 *         thing *z = self;
 *         z->x = room_reals(l, z->s->n);
 *     }
 *     ... room_create(context, lay_out, z, &z->room) ... room_free(context, &z->room)
 *
 * While a flat workspace is open in the context (flat.h), the block is part of that one, and there when it is placed:
 * so an object that is created does not touch its arrays yet. Otherwise it is an allocation of its own, there at
 * once. */
#ifndef TAUT_BASE_ROOM_H
#define TAUT_BASE_ROOM_H

#include "base/flat.h"
#include "base/real.h"

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

/* An allocation of its own in any case, for what is constant or used at once. *room is for room_free; NULL on
   failure. */
static inline int room_create_own(taut_context *context, room_list *list, void *self, void **room)
{
    room_layout l = { 0 };
    list(self, &l);
    *room = l.block = taut_mem_new(context, l.size, 1);
    if (!l.block) return TAUT_OUT_OF_MEMORY;
    l.size = 0;
    list(self, &l);
    return TAUT_OK;
}

/* Room for what the list asks for, zeroed. *room is for room_free, and must stay where it is; NULL on failure, and in a
   flat workspace. */
static inline int room_create(taut_context *context, room_list *list, void *self, void **room)
{
    flat_workspace *open = taut_flat_opened(context);
    *room = NULL;
    return open ? taut_flat_join(open, list, NULL, self, room) : room_create_own(context, list, self, room);
}

/* Also where room_create failed, or was not called. */
static inline void room_free(taut_context *context, void **room)
{
    if (*room)
        taut_mem_free(context, *room);
    else
        taut_flat_leave(context, room);
    *room = NULL;
}

#endif
