/* Forces of contacts that depend on each other, each inside its friction cone: of all lambda that make a given force
 * B lambda = f, the one of least size
 *     1/2 sum_k D_k lambda_k^2,   lambda_N >= 0,  |lambda_T| <= mu lambda_N.
 * There is one, or none: then something must give way. By its dual, the convex function
 *     1/2 |lambda(y)|_D^2 - f'y,   lambda(y) := what the cones leave of D^-1 B'y (projected in the metric D),
 * whose gradient is B lambda(y) - f, and whose y is a motion: Newton's method, with matrices of as many rows as there
 * are coordinates. Where there is no such lambda the function falls without bound, along the motion that begins. */
#ifndef TAUT_CONTACT_SHARE_H
#define TAUT_CONTACT_SHARE_H

#include "system/system.h"

typedef struct {
    int first, rows;      /* among the multipliers: normal, tangential */
    real mu;              /* of rows > 1: the most that lambda_T can be, over lambda_N */
} share_cone;

typedef struct shares shares;

/* For a system whose multipliers are of `free` constraints, then those of `count` cones; first, rows: of each. Prepares
   BLOCK_PHI_LAMBDA. */
int X(shares_create)(struct system *s, uint32_t free, int count, const share_cone *cones, shares **result);
void X(shares_destroy)(shares *self);
/* The cones, in the same order. */
share_cone *X(shares_cones)(shares *self);
/* lambda: of the force f, then the answer. weights: D, of the cones' rows. tolerance: of forces, relative to their
   terms. *found: 0 where there is no answer, and lambda is as it was. */
int X(shares_solve)(shares *self, const place *at, const double *weights, real tolerance, real *lambda, int *found);

#endif
