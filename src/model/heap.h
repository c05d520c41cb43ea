/* Memory of the Lua state. Symbols, strings and small tables come and go by the million: blocks of a few sizes are cut
   from larger pieces and kept in lists when they are free. */
#ifndef TAUT_MODEL_HEAP_H
#define TAUT_MODEL_HEAP_H

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
/* Frees the pieces. The blocks in them are gone, the larger ones must have been freed. */
void taut_heap_clear(heap *h);

#endif
