/* The step of verlet.c for points between bars (bars.h), by components and bars instead of fields: no kernels, no lists
 * of products. Differences and dot products are those of the vectors d of the bars,
 *
 *     G' lambda = sum y d with y = s lambda,   (|d|^2 - L^2)/2 = 0,   d . (v_a - v_b) = 0,
 *
 * and the matrix D W D' with D of the bars' vectors. A step with matrices that are hard to solve, or of constants with
 * which a constraint is no distance any more, is left to verlet.c; the state and these constants alone decide. */
#ifndef TAUT_METHOD_POINTS_H
#define TAUT_METHOD_POINTS_H

#include "method/bars.h"
#include "method/method.h"
#include "solve/newton.h"

typedef struct points points;

/* Whether it may be such a system, and not so large that pieces of loops and threads pay. */
int X(points_may_serve)(const struct system *s);
typedef struct {
    int project;      /* RATTLE; otherwise SHAKE */
    int steady_force; /* the free force is the same everywhere and always */
    int trend;        /* steps are of equal length: multipliers begin where their last change leads */
} points_options;
/* *result is NULL where the system is another one. Newton's iteration and its account are those of the caller. */
int X(points_create)(struct system *s, const points_options *o, newton *n, points **result);
void X(points_destroy)(points *r);
/* The state after x into next, which has the time. *done is 0, and next is as good as new, where verlet.c has to make
   the step. */
int X(points_step)(points *r, const state *x, real h, state *next, int *done);
/* As method_outcome_of and method_forces_at, after a step that was done. */
method_outcome X(points_outcome)(const points *r);
int X(points_forces)(const points *r, const state *x, method_forces *sums);

#endif
