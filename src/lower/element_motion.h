/* Multipliers that belong to a state, those with d^2 g/dt^2 = 0, by static condensation (clusters.h): for systems of
 * bodies what solve/acceleration.h solves as a whole. */
#ifndef TAUT_LOWER_ELEMENT_MOTION_H
#define TAUT_LOWER_ELEMENT_MOTION_H

#include "system/state.h"

typedef struct element_motion element_motion;

/* *result is NULL, with TAUT_OK, where the equations of motion of the system cannot be solved so. */
int X(element_motion_create)(struct system *s, element_motion **result);
void X(element_motion_destroy)(element_motion *m);
/* lambda (c) := the multipliers at the state, which has others to begin with. Returns 0, and lambda is as before, where
   the elimination is not safe or the solution does not converge: near singular positions. */
int X(element_motion_multipliers)(element_motion *m, const state *x, real *lambda);

#endif
