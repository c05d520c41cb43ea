/* The discrete Euler-Lagrange equations as a table, for Lagrangian models and discrete Lagrangians given by a
   quadrature rule. */
#ifndef TAUT_METHOD_DEL_H
#define TAUT_METHOD_DEL_H

#include "method/method.h"

enum { DEL_NODES = 2 };
typedef struct {
    int count;                         /* of nodes: weights b, places c along the straight line from q0 to q1 */
    real b[DEL_NODES], c[DEL_NODES];
    real weight;                       /* of the multipliers, in steps: h weight G' lambda */
    int project;                       /* the velocity constraint holds at the end of a step */
} del_rule;

void X(del_table)(const struct system *s, const del_rule *rule, step_table *t);
/* Momenta and velocities of x such that the step of h from x->q leads to q1: p = -D1 L_d(q0,q1) up to constraint
   forces, which make the velocity constraint hold. */
int X(del_start)(struct system *s, const del_rule *rule, state *x, const real *q1, real h);

#endif
