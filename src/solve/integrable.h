/* Which velocity constraints are integrable: are the time derivative of a function of coordinates and time, times a
 * factor, by themselves or together with the others. The others are nonholonomic.
 *
 * By the theorem of Frobenius. With the forms w_k = a_k dq + b_k dt (dg_k of the constraints on positions) a set of
 * them is integrable where dw_k(x,y) = 0 for all k of the set and all directions x and y in (q,t) that the set allows.
 * Those that fail leave the set, which allows more directions then, until none fails. */
#ifndef TAUT_SOLVE_INTEGRABLE_H
#define TAUT_SOLVE_INTEGRABLE_H

#include "system/state.h"

/* integrable[k], c of them, becomes 1 for those that are, as far as the start x and states near it tell; *known is 0
   where the system is too large to say. x is as before. */
int X(integrable_find)(struct system *s, const state *x, unsigned char *integrable, int *known);

#endif
