/* Accelerations and multipliers that belong to a state: those with d^2 g/dt^2 = 0. The multipliers of a run are
 * reported so, for every method whose own multipliers are less accurate than its state. */
#ifndef TAUT_SOLVE_ACCELERATION_H
#define TAUT_SOLVE_ACCELERATION_H

#include "solve/kkt.h"
#include "solve/newton.h"

typedef struct acceleration acceleration;

int X(acceleration_create)(struct system *s, acceleration **result);
void X(acceleration_destroy)(acceleration *a);
/* lambda: guess in, multipliers out; dv (may be NULL): d/dt of the velocity. */
int X(acceleration_solve)(acceleration *a, const real *q, const real *w, real t, real *lambda, real *dv);
/* The same with the values of BLOCK_G at the place, where they are known already (NULL: they are not). */
int X(acceleration_solve_with)(acceleration *a, const real *q, const real *w, real t, const real *g, real *lambda,
                               real *dv);
/* Of constraints that are softened: solves with some of them from here on, the multipliers of the others are zero.
   kept: c flags, softening: 0 for these, and large for the others (subset.h); both must stay. NULL: with all again. */
void X(acceleration_keep)(acceleration *a, const unsigned char *kept, const double *softening);
/* d/dt of the stage variable w, as found by the last solve. */
const real *X(acceleration_stage_rate)(const acceleration *a);

#endif
