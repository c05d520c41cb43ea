/* How far a computation of many runs is, for a thread that looks on. Whoever computes writes it, at no cost worth
   mentioning; several threads may. A pointer to one that is NULL: nobody looks. */
#ifndef TAUT_RUN_PROGRESS_H
#define TAUT_RUN_PROGRESS_H

#include <stdatomic.h>

typedef struct run_progress {
    _Atomic(const char *) doing;  /* a text that lasts: what was begun last */
    atomic_int part, parts;       /* finished pieces of all; 0 pieces: not known */
    atomic_long step, steps;      /* of the piece or the pieces at hand; 0 steps: not known */
} run_progress;

/* Another piece begins. steps: 0 where nobody knows. */
static inline void progress_stage(run_progress *p, const char *doing, long steps)
{
    if (!p) return;
    atomic_store_explicit(&p->doing, doing, memory_order_relaxed);
    atomic_store_explicit(&p->steps, steps, memory_order_relaxed);
    atomic_store_explicit(&p->step, 0, memory_order_relaxed);
}

static inline void progress_parts(run_progress *p, int parts)
{
    if (!p) return;
    atomic_store_explicit(&p->part, 0, memory_order_relaxed);
    atomic_store_explicit(&p->parts, parts, memory_order_relaxed);
}

static inline void progress_part_done(run_progress *p)
{
    if (p) atomic_fetch_add_explicit(&p->part, 1, memory_order_relaxed);
}

/* Not one operation: two threads may count a step as one, but nothing locks the bus while steps are timed. */
static inline void progress_step(run_progress *p)
{
    if (!p) return;
    const long step = atomic_load_explicit(&p->step, memory_order_relaxed);
    atomic_store_explicit(&p->step, step + 1, memory_order_relaxed);
}

#endif
