/* A flat workspace: the numbers that many objects work on, in one block. Objects join while they are created; when all
 * have, the block is allocated and each gets its part. Which numbers an object has is a list of its own (room.h), so it
 * need not know whether they stand in a flat workspace or in a block of their own.
 *
 *     status = taut_flat_begin(context, &flat);   every room_create in this context joins from now on
 *     ... objects are created ...                 none of their numbers may be touched
 *     status = taut_flat_place(flat);             they are there, all zero
 *     ... objects are destroyed ...
 *     taut_flat_destroy(flat);
 */
#ifndef TAUT_BASE_FLAT_H
#define TAUT_BASE_FLAT_H

#include "base/context.h"

#define FLAT_ALIGNMENT 64 /* of the block, and of the part of each object: lines of a cache */

typedef struct {
    char *block; /* NULL while counting */
    size_t size; /* bytes so far; beyond PTRDIFF_MAX, which no allocation grants, once they cannot be counted */
} room_layout;

/* The arrays of an object, each once; called twice, to count and to place. */
typedef void room_list(void *self, room_layout *l);
/* Of objects that keep numbers or places besides: from takes part in the block `block`, and self in a copy of that
   block, `copy`, is to be what `from` is. */
typedef void room_follow(void *self, const void *from, const char *block, char *copy);

typedef struct flat_workspace flat_workspace;

/* One may be begun while another is open: objects then join the inner one. */
int taut_flat_begin(taut_context *context, flat_workspace **result);
/* Nothing joins any more; the block is allocated and the parts are placed. */
int taut_flat_place(flat_workspace *w);
/* For a large block that is about to be worked on: asks the system for large pages where nothing has been written so
   far. Steps of long chains go through tens of arrays, and where a page of 4 KiB ends, the processor loses track of
   them. A hint, which changes no number; of memory that the host gave out nothing is asked. */
void taut_flat_advise(const flat_workspace *w);
/* The same for a part of it that will be written sooner than the others. */
void taut_flat_advise_part(const flat_workspace *w, void *part, size_t size);
/* The same for a block of one's own, unless the program has an allocator: one fault of the processor instead of 512. */
void taut_flat_large_pages(const taut_context *context, void *block, size_t size);
/* After its objects, of which it knows nothing any more. NULL is allowed. */
void taut_flat_destroy(flat_workspace *w);
/* The numbers of `from` for the same objects, created in the same order. TAUT_BAD_USAGE where they are others. */
int taut_flat_copy(const flat_workspace *from, flat_workspace *to);
size_t taut_flat_size(const flat_workspace *w);  /* bytes */
const void *taut_flat_block(const flat_workspace *w);

/* For room.h: the workspace that is open, or NULL. `room`, a member of the object, stands for it; follow may be
   NULL. */
flat_workspace *taut_flat_opened(const taut_context *context);
int taut_flat_join(flat_workspace *w, room_list *list, room_follow *follow, void *self, void **room);
/* An object goes before its part was placed. */
void taut_flat_leave(taut_context *context, void **room);
/* One that follows goes, whether or not it was: there is nothing to copy any more. */
void taut_flat_quit(flat_workspace *w, void **room);

/* For what is made and used while a workspace is open: none is, until resume gets what suspend returned. */
flat_workspace *taut_flat_suspend(taut_context *context);
void taut_flat_resume(taut_context *context, flat_workspace *w);

#endif
