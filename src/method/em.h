/* The energy-momentum method, Gonzalez 1999, (21a)-(21c), with discrete gradients D by mean partial derivatives (expr/discrete.c).
 *
 * Hamiltonian models, and Lagrangian ones with rotations (system/hamiltonian_form.h):
 *     q1 - q0 = h D_p H,   p1 - p0 = h (-D_q H + Dg' lambda + F),   g(q1) = 0
 * Lagrangian models, of degree 2 in v, with p = L_v at both ends:
 *     q1 - q0 = h (v0 + v1)/2,   p1 - p0 = h (D_q L~ + Dg' lambda + F),   g(q1) = 0
 * where L~(q; v0, v1) is L polarised: 1/2 v0'M(q) v1 + a(q).(v0 + v1)/2 - V(q), D by q and t alone. With E = 1/2 v'M v + V
 *     E1 - E0 = (v0 + v1)/2 . (p1 - p0) - (L~(q1) - L~(q0))
 * is an identity, so that the energy is kept whatever the mass matrix does; with constant mass L~ is -V and nothing else is solved for than
 * v1 and lambda. F is taken half way. With time:
 *     E1 - E0 = h (D_t H or -D_t L~) + F.(q1 - q0) - h lambda.D_t g
 * is the work of the step. */
#ifndef TAUT_METHOD_EM_H
#define TAUT_METHOD_EM_H

#include "method/method.h"

typedef struct em em;

/* normal: steps may begin with momenta along the constraints (em:project); if not, what round-off leaves there of rotations is taken away. */
int em_create(struct system *s, int normal, real tolerance, em **result);
void em_destroy(em *z);
/* to := the state h after from; they must be two. */
int em_step(em *z, const state *from, state *to, real h);
const newton_counts *em_counts(const em *z);

#endif
