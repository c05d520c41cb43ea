/* An impulse of the constraints: from a momentum p to the momentum p + G' mu whose motion has given rates of the
 * constraints,
 *     pi(q,w) = p + G' mu,   G nu(q,w) + g_t = rates.
 * Rates zero: the projection of momenta onto the tangent space. */
#ifndef TAUT_SOLVE_IMPULSE_H
#define TAUT_SOLVE_IMPULSE_H

#include "solve/kkt.h"
#include "solve/newton.h"

typedef struct impulse impulse;

int X(impulse_create)(struct system *s, real tolerance, impulse **result);
void X(impulse_destroy)(impulse *z);
/* p + p_low is the momentum before. w: a guess in, the stage variable after the impulse out. mu: the impulse out. push:
   G' mu out. again: q is near that of the call before, whose matrix will do to begin with. */
int X(impulse_find)(impulse *z, int again, const real *q, real t, const real *p, const real *p_low, const real *rates,
                    real *w, real *mu, real *push);

#endif
