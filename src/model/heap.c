#include "model/heap.h"

#define HEAP_PIECE ((size_t)64 << 10)

static size_t class_of(size_t size) { return (size - 1) / HEAP_STEP; }

static void *take(heap *h, size_t class)
{
    size_t size = (class + 1) * HEAP_STEP;
    void *block = heap_pop(h, size);
    if (block) return block;
    if (h->left < size) { /* the rest of the last piece is lost: less than one block */
        char *piece = taut_mem_resize(h->context, NULL, HEAP_PIECE, 1);
        if (!piece) return NULL;
        memcpy(piece, &h->pieces, sizeof h->pieces);
        h->pieces = piece;
        h->at = piece + HEAP_STEP;
        h->left = HEAP_PIECE - HEAP_STEP;
    }
    block = h->at;
    h->at += size;
    h->left -= size;
    return block;
}

void *taut_heap_resize(heap *h, void *block, size_t old_size, size_t size)
{
    size_t limit = (size_t)HEAP_STEP * HEAP_CLASSES;
    if (h->is_direct) limit = 0;
    int was_small = block && old_size && old_size <= limit, is_small = size && size <= limit;
    if (block && !was_small && !is_small) {
        if (size) return taut_mem_resize(h->context, block, size, 1);
        taut_mem_free(h->context, block);
        return NULL;
    }
    if (was_small && is_small && class_of(old_size) == class_of(size)) return block;
    void *result = NULL;
    if (size) {
        result = is_small ? take(h, class_of(size)) : taut_mem_resize(h->context, NULL, size, 1);
        if (!result) return NULL;
    }
    if (!block) return result;
    if (size) memcpy(result, block, old_size < size ? old_size : size);
    if (was_small) heap_push(h, block, old_size);
    else taut_mem_free(h->context, block);
    return result;
}

void taut_heap_clear(heap *h)
{
    while (h->pieces) {
        void *next;
        memcpy(&next, h->pieces, sizeof next);
        taut_mem_free(h->context, h->pieces);
        h->pieces = next;
    }
    *h = (heap){ .context = h->context };
}
