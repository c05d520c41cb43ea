/* States on the constraints near a given one, as a smooth function of the displacement: finite differences along them
 * see the method, not the projection. (Newton's matrix at each state, rounded to double, would leave a random 1e-16 in
 * the tangent.)
 *     q = q0 + dq + B r,  w = w0 + dw + A r'   with  g(q) = 0,  G nu + g_t = 0
 * where A and B, the answers of the saddle-point matrix at the given state, are the same for all, to the precision of
 * the unit. For models without forces. */
#ifndef TAUT_SOLVE_NEARBY_H
#define TAUT_SOLVE_NEARBY_H

#include "solve/kkt.h"
#include "system/state.h"

typedef struct nearby nearby;

/* base must satisfy the constraints and outlive the object. */
int X(nearby_create)(struct system *s, const state *base, nearby **result);
void X(nearby_destroy)(nearby *z);
/* x := the state at base + part (dq, dw). TAUT_NO_CONVERGENCE when that is too far away. */
int X(nearby_state)(nearby *z, real part, const real *dq, const real *dw, state *x);

#endif
