#include "base/flat.h"

#include <stdint.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define FLAT_LARGE ((uintptr_t)1 << 23) /* bytes from which on pages matter */

typedef struct {
    room_list *list;
    room_follow *follow;
    void *self;
    void **room;              /* which it is known by */
} member;

struct flat_workspace {
    taut_context *context;
    flat_workspace *outer;    /* open around this one */
    int open;
    member *members;
    size_t count, capacity;
    void *allocation;
    char *block;              /* in it, aligned */
    size_t size;
};

int taut_flat_begin(taut_context *context, flat_workspace **result)
{
    flat_workspace *w = *result = taut_mem_new(context, 1, sizeof *w);
    if (!w) return TAUT_OUT_OF_MEMORY;
    w->context = context;
    w->outer = taut_context_open(context, w);
    w->open = 1;
    return TAUT_OK;
}

flat_workspace *taut_flat_opened(const taut_context *context) { return taut_context_opened(context); }
flat_workspace *taut_flat_suspend(taut_context *context) { return taut_context_open(context, NULL); }
void taut_flat_resume(taut_context *context, flat_workspace *w) { taut_context_open(context, w); }

static void close_one(flat_workspace *w)
{
    if (w->open) taut_context_open(w->context, w->outer);
    w->open = 0;
}

int taut_flat_join(flat_workspace *w, room_list *list, room_follow *follow, void *self, void **room)
{
    if (taut_mem_grow(w->context, &w->members, &w->capacity, w->count + 1, sizeof *w->members))
        return TAUT_OUT_OF_MEMORY;
    w->members[w->count++] = (member){ list, follow, self, room };
    return TAUT_OK;
}

static int forget(flat_workspace *w, void **room)
{
    for (size_t i = w->count; i-- > 0;)
        if (w->members[i].room == room) {
            memmove(w->members + i, w->members + i + 1, (--w->count - i) * sizeof *w->members);
            return 1;
        }
    return 0;
}

void taut_flat_leave(taut_context *context, void **room)
{
    for (flat_workspace *w = taut_flat_opened(context); w && !forget(w, room);) w = w->outer;
}

void taut_flat_quit(flat_workspace *w, void **room) { forget(w, room); }

/* The parts one after the other; as in room.h, a size that cannot be counted is one that no allocation grants. */
static size_t lay_out(const flat_workspace *w, char *block)
{
    const size_t most = (size_t)PTRDIFF_MAX;
    room_layout l = { block, 0 };
    for (size_t i = 0; i < w->count; i++) {
        w->members[i].list(w->members[i].self, &l);
        if (l.size > most - FLAT_ALIGNMENT) return most + 1;
        l.size = (l.size + FLAT_ALIGNMENT - 1) / FLAT_ALIGNMENT * FLAT_ALIGNMENT;
    }
    return l.size;
}

int taut_flat_place(flat_workspace *w)
{
    close_one(w);
    taut_mem_trim(w->context, &w->members, &w->capacity, w->count, sizeof *w->members);
    w->size = lay_out(w, NULL);
    taut_mem_give_back(w->context); /* steps gain by large pages, which come from the system alone */
    w->allocation = taut_mem_new(w->context, w->size > (size_t)PTRDIFF_MAX ? w->size : w->size + FLAT_ALIGNMENT, 1);
    if (!w->allocation) return TAUT_OUT_OF_MEMORY;
    w->block = (char *)(((uintptr_t)w->allocation + FLAT_ALIGNMENT - 1) / FLAT_ALIGNMENT * FLAT_ALIGNMENT);
    lay_out(w, w->block);
    return TAUT_OK;
}

void taut_flat_large_pages(const taut_context *context, void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)1 << 21, first = ((uintptr_t)block + page - 1) / page * page;
    const uintptr_t last = ((uintptr_t)block + size) / page * page;
    if (!taut_context_has_allocator(context) && last > first) (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
#else
    (void)context, (void)block, (void)size;
#endif
}

void taut_flat_advise(const flat_workspace *w) { taut_flat_advise_part(w, w->block, w->size); }

void taut_flat_advise_part(const flat_workspace *w, void *part, size_t size)
{
    if (w->size >= FLAT_LARGE) taut_flat_large_pages(w->context, part, size);
}

void taut_flat_destroy(flat_workspace *w)
{
    if (!w) return;
    taut_context *context = w->context;
    close_one(w);
    taut_mem_free(context, w->members);
    taut_mem_free(context, w->allocation);
    taut_mem_free(context, w);
}

int taut_flat_copy(const flat_workspace *from, flat_workspace *to)
{
    int same = from->block && to->block && from->size == to->size && from->count == to->count;
    for (size_t i = 0; same && i < from->count; i++) same = from->members[i].list == to->members[i].list;
    if (!same) return taut_fail(to->context, TAUT_BAD_USAGE, "numbers are copied between simulations of one kind only");
    memcpy(to->block, from->block, from->size);
    for (size_t i = 0; i < from->count; i++)
        if (to->members[i].follow)
            to->members[i].follow(to->members[i].self, from->members[i].self, from->block, to->block);
    return TAUT_OK;
}

size_t taut_flat_size(const flat_workspace *w) { return w->size; }
const void *taut_flat_block(const flat_workspace *w) { return w->block; }
