/* What loading a model, and setting it up, may take: bytes and seconds of processor time. Models come from strangers;
 * whatever grows without bound in a load does so by memory of the context, so the places that give it are where both
 * are looked at. Steps have no budget. */
#ifndef TAUT_BASE_BUDGET_H
#define TAUT_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/context.h"

/* 8 GiB; of an address space of 4 GiB half. */
#define BUDGET_BYTES (sizeof(size_t) > 4 ? (size_t)((uint64_t)8 << 30) : (size_t)2 << 30)
#define BUDGET_SECONDS 600.0

typedef struct load_budget {
    size_t bytes_most;
    double seconds_most;
    atomic_llong bytes;  /* of the context, in use; other threads may release some. Not counted with the user's
                            allocator, who can count himself */
    int depth;           /* of loads inside of each other; 0: none, and no limit */
    double began;        /* processor time of the thread */
    double in_time;      /* until this moment on the wall it cannot have spent its seconds */
    unsigned asked;      /* how many times memory was asked for: the clock is looked at now and then */
    const char *part;    /* what is being done: "the script" */
} load_budget;

void taut_budget_init(load_budget *b);
/* Around a load. part names what is done first, for messages; a load inside another one spends of that one. */
void taut_budget_begin(taut_context *context, const char *part);
void taut_budget_part(taut_context *context, const char *part);
void taut_budget_end(taut_context *context);
/* TAUT_OUT_OF_MEMORY with a message where `size` bytes more are too many, or the time is up. */
int taut_budget_take(taut_context *context, size_t size);
/* For loops that ask for no memory, once in a while (a look costs some 25 ns): TAUT_OUT_OF_MEMORY with a message where
   the time is up. */
int taut_budget_check(taut_context *context);
/* The same after each piece of work: *done grows by `operations`, and the clock is looked at once in a million. */
int taut_budget_count(taut_context *context, size_t *done, size_t operations);
/* Whether the time is up: for those who have messages of their own. */
int taut_budget_is_late(taut_context *context);
double taut_budget_seconds(const taut_context *context);
/* Before so many floating-point operations that nothing interrupts: TAUT_UNSUPPORTED with a message where there is no
   time for them. what: "a matrix of 10000 rows". */
int taut_budget_work(taut_context *context, double operations, const char *what);

#endif
