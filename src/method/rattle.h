/* RATTLE where it is explicit but for the multipliers; in general see stages.h. */
#ifndef TAUT_METHOD_RATTLE_H
#define TAUT_METHOD_RATTLE_H

#include "method/method.h"

typedef struct rattle_explicit rattle_explicit; /* constant mass, forces of position and time: only multipliers are solved for */
/* project: with the velocity constraint at the end of a step; 0 is SHAKE. */
int rattle_explicit_create(struct system *s, int project, real tolerance, rattle_explicit **result);
int rattle_explicit_step(rattle_explicit *r, state *x, real h);
const newton_counts *rattle_explicit_counts(const rattle_explicit *r);
void rattle_explicit_destroy(rattle_explicit *r);

#endif
