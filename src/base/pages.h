/* Large blocks of memory while a model is loaded and set up. That is a sequence of parts, each with tables and lists of
 * its own, which are as long as the model is large: memory that one part gives back is used by the next, where malloc
 * would give it to the system, which takes longer to clear a page and to hand it out again than most parts take to fill
 * it. Blocks that grow are moved by the system, not copied. Only where the system can (Linux). Any thread may call. */
#ifndef TAUT_BASE_PAGES_H
#define TAUT_BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#define PAGES_LARGE ((size_t)1 << 18) /* bytes from which on a block is one */
#define PAGES_UNIT ((size_t)1 << 16) /* of their sizes: whole pages on any system */
#define PAGES_ALIGNMENT ((size_t)1 << 12) /* of their addresses */

typedef struct page_store page_store;

page_store *taut_pages_create(void); /* NULL: there are none */
/* All blocks must have been freed. NULL is allowed. */
void taut_pages_destroy(page_store *p);
/* Blocks can be taken from now on, and those that are freed are kept for others; or, with 0, no longer, and they are
   given back. */
void taut_pages_keep(page_store *p, int keep);
/* Gives back what is kept so far. */
void taut_pages_give_back(page_store *p);
/* A block of at least PAGES_LARGE bytes; *is_zero: all its bytes are 0. NULL: none; malloc may have one. */
void *taut_pages_take(page_store *p, size_t size, int *is_zero);
/* Bytes of a block, 0: it is none of these. Cheap for nearly all that are none. p may be NULL. */
size_t taut_pages_size(page_store *p, const void *block);
/* Both for blocks that are some of these. NULL: it stays as it is. */
void *taut_pages_resize(page_store *p, void *block, size_t size);
void taut_pages_free(page_store *p, void *block);

#endif
