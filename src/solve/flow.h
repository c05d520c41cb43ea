/* The exact solution to a tolerance, by an integrator that has nothing in common with the methods: a reference to
 * measure them against. The equations of motion with the multipliers eliminated, q' = nu, w' from d^2 g/dt^2 = 0, under
 * the extrapolated midpoint rule (Gragg, Bulirsch and Stoer; Hairer, Norsett & Wanner II.9) with a controlled step. */
#ifndef TAUT_SOLVE_FLOW_H
#define TAUT_SOLVE_FLOW_H

#include "solve/acceleration.h"
#include "system/state.h"

typedef struct flow flow;

int X(flow_create)(struct system *s, flow **result);
/* The same along a field of the caller's, rate := F(t, (q,w)), which must outlive it. */
typedef int flow_field(void *owner, real t, const real *y, real *rate);
int X(flow_create_along)(struct system *s, flow_field *field, void *owner, flow **result);
void X(flow_destroy)(flow *f);
/* x := the state at `until` (not before x->t). tolerance: relative error allowed in each of its steps. */
int X(flow_advance)(flow *f, state *x, real until, real tolerance);
/* *time := the longest step from x that meets the tolerance, to a factor of four: a time that belongs to the motion
   there, in whatever units. 0 where every step does, as in free fall. */
int X(flow_time)(flow *f, const state *x, real tolerance, real *time);

#endif
