/* Independent runs on one model, in several threads. Each piece of work has a context, a model and engines of its own,
   read from the same text: nothing is shared, and what a piece finds does not depend on who does it or when. */
#ifndef TAUT_RUN_CREW_H
#define TAUT_RUN_CREW_H

#include "model/model.h"

typedef struct {
    int threads;                   /* 0 or 1: the caller's alone, with its model and its context */
    const definition *definitions; /* with which the model was read */
    size_t definition_count;
} crew;

/* Piece `index`, with the model that it may use. A failure is in the context of the model. */
typedef int (*crew_work)(void *self, int index, model *m);

/* Does all pieces; pieces write to memory of their own. Fails with the first failure, by index, and its message in the
   model's context. Other threads allocate as the C library does: a model in a context with an allocator of its own is
   left to one thread. */
int taut_crew_run(const crew *c, model *m, int pieces, crew_work work, void *self);
/* 1 when several threads will be at work. */
int taut_crew_is_several(const crew *c, const model *m);

#endif
