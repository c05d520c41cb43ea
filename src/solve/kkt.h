/* The saddle-point problem of a constrained system at one place:
 *     pi_w w - phi_lambda lambda = a
 *     v - nu_w w                 = b
 *     G v                        = c
 * Velocity projection, accelerations with their multipliers, and the mass-weighted projection of positions all have
 * this matrix. With constant mass only the multiplier matrix is solved. Solutions are in double precision, to be
 * refined around it. */
#ifndef TAUT_SOLVE_KKT_H
#define TAUT_SOLVE_KKT_H

#include "system/system.h"

typedef struct kkt kkt;

/* While there is one, others of the same system and thread have their analysis from it. */
int X(kkt_create)(struct system *s, kkt **result);
void X(kkt_destroy)(kkt *k);
/* Forms and factors the matrix. TAUT_SINGULAR with a text that names a constraint when the constraints are
   redundant. */
int X(kkt_factor)(kkt *k, const place *at);
/* The same without the forces that depend on multipliers (but not of rates, in which they have their place). */
int X(kkt_factor_without_forces)(kkt *k, const place *at);
/* Overwrites a, b, c by w, v, lambda. */
int X(kkt_solve)(kkt *k, real *a, real *b, real *c);
/* As multiplier_choose, of the correction c of lambda. */
int X(kkt_choose)(kkt *k, const real *lambda, real *c);
int X(kkt_choose_by)(kkt *k, int passes, const real *lambda, real *c);
/* As multiplier_soften. */
void X(kkt_soften)(kkt *k, const double *softening);
/* The values of G at the place of the last factor. */
const real *X(kkt_jacobian)(const kkt *k);

#endif
