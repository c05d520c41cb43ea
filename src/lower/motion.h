/* Equations of motion in symbols, and linear equations solved as straight-line code: in an order of elimination fixed
 * once, with pivots that are to be compared with what they are made of, and with one step of iterative refinement. */
#ifndef TAUT_LOWER_MOTION_H
#define TAUT_LOWER_MOTION_H

#include "lower/reduce.h"

/* Groups of unknowns and places of the tables that such symbols stand on; others may follow. */
enum { MOTION_RATES, MOTION_LAMBDA, MOTION_GROUPS }; /* dw/dt and multipliers, the unknowns of phase 0 */
enum { MOTION_HERE, MOTION_ALONG, MOTION_PLACES };   /* the state with the multipliers; with the velocity for w */
void X(motion_table)(step_table *t);

/* The variables (q, w, t) of the state: 2n + 1 leaves, and directions in them. */
typedef struct {
    expr *leaves, *along;
    size_t count;
} motion_direction;
/* along: q, w (n each; NULL: zero) and t (0: zero). NULL in it: out of memory. */
motion_direction X(motion_along)(symbols *y, const expr *q, const expr *w, expr t);

/* equations: d pi/dt = phi + more and d/dt (dg/dt) = 0 along (v, dw, 1), n + c, in dw and the multipliers; more: n, or
   NULL. TAUT_UNSUPPORTED where functions of the user are called. */
int X(motion_equations)(symbols *y, const expr *v, const expr *more, expr *equations);
/* The unknowns of the phase become what solves the equations, which are linear in them; p: as from reduce_linear. The
   solution begins with the guesses, one for each unknown. One correction more takes the rounding errors of the
   elimination away. */
int X(motion_solve)(symbols *y, int phase, const expr *equations, const expr *guesses, reduced_phase *p);

/* out[i] := roots[i] with leaves replaced by values, all of them at once; out may be where the roots or values are. */
int X(motion_replace)(symbols *y, const expr *roots, size_t root_count, const expr *leaves, const expr *values,
                      size_t count, expr *out);

#endif
