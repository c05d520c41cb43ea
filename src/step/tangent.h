/* The tangent of a step: how (q,p) after it changes with (q,p) before it.
 *
 * The phases of a step table are equations R(u, earlier u, state) = 0 for unknowns u. Their derivatives along tangent
 * vectors are linear equations for du, with Newton's matrix at the solution and right-hand sides made of the same blocks
 * (the implicit function theorem); the results are differentiated likewise. So the tangent is exact, to round-off: no
 * differences. Discrete gradients are symmetric in their ends, so that their derivatives by the first place are those by
 * the second with the places exchanged. */
#ifndef TAUT_STEP_TANGENT_H
#define TAUT_STEP_TANGENT_H

#include "base/real.h"

typedef struct step_tangent step_tangent;

void X(step_tangent_destroy)(step_tangent *t);

#endif
