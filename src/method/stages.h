/* Steps of the constrained Lobatto IIIA-IIIB pair, s stages, for any system, in the functions pi, nu, phi of system.h (stage times
 * t0 + c_i h understood):
 *
 *     Q_i = q0 + h sum_j a_ij nu(Q_j,W_j),   pi(Q_i,W_i) = p0 + h sum_j A_ij phi(Q_j,W_j,Lambda_j),   i = 1..s
 *     g(Q_i) = 0,   i = 2..s
 *     q1 = Q_s,   p1 = p0 + h sum_j b_j phi(Q_j,W_j,Lambda_j),   G1 nu(q1,w) + g_t = 0 where pi(q1,w) = p1
 *
 * Q_1 is q0, and A_is = 0: the stage system has Lambda_1 .. Lambda_{s-1}, one for each stage that meets the constraints; Lambda_s enters
 * p1 alone and belongs to the velocity constraint. Two stages are RATTLE. */
#ifndef TAUT_METHOD_STAGES_H
#define TAUT_METHOD_STAGES_H

#include "method/method.h"
#include "method/tableau.h"

typedef struct stages stages;

/* count: from 2 to STAGES_MOST */
int stages_create(struct system *s, int count, real tolerance, stages **result);
void stages_destroy(stages *r);
/* x := the state h later; unchanged on failure. Depends on x and h alone. */
int stages_step(stages *r, state *x, real h);
const newton_counts *stages_counts(const stages *r);

#endif
