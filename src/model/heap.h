/* Memory of the Lua state. Symbols, strings and small tables come and go by the million: blocks of a few sizes are cut
   from larger pieces and kept in lists when they are free. */
#ifndef TAUT_MODEL_HEAP_H
#define TAUT_MODEL_HEAP_H

#include <string.h>

#include "base/context.h"

#define HEAP_STEP 16
#define HEAP_CLASSES 16 /* blocks of up to 256 bytes; larger ones come from the context */

/* All zero, but for the context, is an empty heap. */
typedef struct {
    taut_context *context;
    int is_direct;              /* an allocator of the user sees every block */
    void *pieces;               /* each begins with a pointer to the next */
    void *lists[HEAP_CLASSES];  /* free blocks, by size; each begins with a pointer to the next */
    char *at;                   /* of the last piece: where its rest begins */
    size_t left;
} heap;

/* As a lua_Alloc: size 0 frees, block NULL allocates, old_size is what the block was asked with. NULL on failure. */
void *taut_heap_resize(heap *h, void *block, size_t old_size, size_t size);
/* The two most common cases of it, in line: a small block that one in the list serves, NULL where there is none; and
   a small block that is freed, 0 where it is not one. */
static inline void *heap_pop(heap *h, size_t size)
{
    if (size - 1 >= (size_t)HEAP_STEP * HEAP_CLASSES) return NULL;
    void **list = &h->lists[(size - 1) / HEAP_STEP], *block = *list; /* empty where is_direct */
    if (block) memcpy(list, block, sizeof(void *));
    return block;
}
static inline int heap_push(heap *h, void *block, size_t size)
{
    if (h->is_direct || !block || size - 1 >= (size_t)HEAP_STEP * HEAP_CLASSES) return 0;
    void **list = &h->lists[(size - 1) / HEAP_STEP];
    memcpy(block, list, sizeof(void *));
    *list = block;
    return 1;
}
/* Frees the pieces. The blocks in them are gone, the larger ones must have been freed. */
void taut_heap_clear(heap *h);

#endif
