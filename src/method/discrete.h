/* Discrete Lagrangians: a quadrature rule along the straight line from z0 to z1,
 *
 *     L_d(q0,q1) = h sum b_i L(z0 + c_i (z1 - z0), (z1 - z0)/h, t0 + c_i h),   z = (q, y),  y = chart(q,t) the embedded points.
 *
 * Without embedded points z is q: (4.1) of Wendlandt & Marsden 1997 for b = 1, c = 1/2; with them this is (4.12).
 * Forces by the discrete Lagrange-d'Alembert principle: f- = h sum b_i (1-c_i) F_i at q0 and f+ = h sum b_i c_i F_i at q1, F in q. */
#ifndef TAUT_METHOD_DISCRETE_H
#define TAUT_METHOD_DISCRETE_H

#include "system/system.h"

#define DISCRETE_NODES 2
typedef struct {
    int count;
    real b[DISCRETE_NODES], c[DISCRETE_NODES];
} discrete_rule;

typedef struct discrete discrete;

int discrete_create(struct system *s, const discrete_rule *rule, discrete **result);
void discrete_destroy(discrete *d);

/* The interval: its start, its length, its end in time (compensated by the caller). The arrays must stay. */
void discrete_begin(discrete *d, const real *q0, real t0, real t1, real h);
/* For q1 = q0 + h v:  departure = -D1 L_d,  arrival = D2 L_d, or without embedded points D1 L_d + D2 L_d = h sum b_i L_q.
   Each may be NULL. Must be called before the following ones. */
void discrete_slopes(discrete *d, const real *q1, const real *v, real *departure, real *arrival);
/* out += f- (end = 0) or f+ (end = 1) with these multipliers; nothing without forces */
void discrete_force(discrete *d, int end, const real *lambda, real *out);

/* The matrix of  -D1 L_d - f- - weight G0' lambda = .,  g(q1)/h = .  by (v, lambda), at the place of discrete_slopes. */
int discrete_factor(discrete *d, const real *lambda, real weight);
/* r := matrix^-1 r, n + c numbers */
int discrete_solve(discrete *d, real *r);

#endif
