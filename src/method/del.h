/* The discrete Euler-Lagrange equations as a one-step map on (q,p), for Lagrangian models and any discrete Lagrangian. */
#ifndef TAUT_METHOD_DEL_H
#define TAUT_METHOD_DEL_H

#include "method/discrete.h"
#include "method/method.h"

typedef struct del del;

typedef struct {
    discrete_rule rule;
    real weight;       /* of the multipliers, in steps: h weight G' lambda */
    int project;       /* the velocity constraint holds at the end of a step */
} del_options;

int del_create(struct system *s, const del_options *options, real tolerance, del **result);
/* x := the state h later. */
int del_step(del *d, state *x, real h);
/* Momenta and velocities of x such that the step of h from x->q leads to q1: p = -D1 L_d(q0,q1) up to constraint forces, which
   make the velocity constraint hold. */
int del_start(del *d, state *x, const real *q1, real h);
const newton_counts *del_counts(const del *d);
void del_destroy(del *d);

#endif
