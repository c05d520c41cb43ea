/* The saddle-point problem of kkt.h, solved to the precision of the unit: in quad the solutions of the double factors
 * are refined with residuals in quad. For explicit evaluations, which have no Newton iteration around them that would
 * do it. Not for forces that depend on the multipliers. */
#ifndef TAUT_SOLVE_SADDLE_H
#define TAUT_SOLVE_SADDLE_H

#include "solve/kkt.h"

typedef struct saddle saddle;

int X(saddle_create)(struct system *s, saddle **result);
void X(saddle_destroy)(saddle *k);
int X(saddle_factor)(saddle *k, const place *at);
/* Overwrites a, b, c by w, v, lambda with  pi_w w - G' lambda = a,  v - nu_w w = b,  G v = c. */
int X(saddle_solve)(saddle *k, real *a, real *b, real *c);
/* The values of G at the place of the last factor. */
const real *X(saddle_jacobian)(const saddle *k);

#endif
