/* A pool of threads for the loops of one simulation. A job is cut into pieces, whose number and boundaries depend on
 * the problem alone; which thread does which piece, and when, changes nothing that a piece computes. So bits do not
 * depend on the number of threads, and one thread does the same pieces one after the other.
 *
 * A pool belongs to one thread, that of the simulation, which works along: `threads` includes it. Pieces write to
 * memory of their own and to nothing else; in particular no context, and no error text. */
#ifndef TAUT_BASE_POOL_H
#define TAUT_BASE_POOL_H

#include <string.h>

#include "base/context.h"

enum { POOL_THREADS_MOST = TAUT_THREADS_MOST };

typedef struct pool pool;

/* Piece `index` of a job. worker: 0 .. threads - 1, for scratch memory: no two pieces run at once with the same one. */
typedef void (*pool_work)(void *self, int index, int worker);

/* *result is NULL, which is a pool of one thread, for one thread or less, and where the system starts no thread. Where
   it starts fewer than asked for, there are fewer. */
int taut_pool_create(taut_context *context, int threads, pool **result);
/* Ends the threads and waits for them. */
void taut_pool_destroy(pool *p);
int taut_pool_threads(const pool *p);

/* Does pieces 0 .. pieces - 1, in any order, and returns when all are done. */
void taut_pool_run(pool *p, int pieces, pool_work work, void *self);

/* Pieces of `length` items each of which `count` items have, and where piece `index` begins; it ends where the next one
   begins. */
static inline int pool_pieces(size_t count, size_t length) { return (int)((count + length - 1) / length); }
static inline size_t pool_begin(size_t count, size_t length, int index)
{
    return (size_t)index * length < count ? (size_t)index * length : count;
}

/* Numbers of a piece of a loop over arrays: long against what it takes to hand a piece out, short against the arrays of
   systems that are worth threads. Points of space are not cut. */
enum { POOL_NUMBERS = 3 * 2048 };

/* memcpy, memset to 0; of no bytes at NULL, too. */
enum { POOL_BYTES = 8 * POOL_NUMBERS };
void taut_pool_copy(pool *p, void *to, const void *from, size_t size);
void taut_pool_clear(pool *p, void *to, size_t size);

/* The same, short where there is but one piece. */
static inline void pool_copy(pool *p, void *to, const void *from, size_t size)
{
    if (size > POOL_BYTES)
        taut_pool_copy(p, to, from, size);
    else if (size)
        memcpy(to, from, size);
}

static inline void pool_clear(pool *p, void *to, size_t size)
{
    if (size > POOL_BYTES)
        taut_pool_clear(p, to, size);
    else if (size)
        memset(to, 0, size);
}

#endif
