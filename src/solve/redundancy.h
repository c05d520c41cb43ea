/* Constraints that depend on each other but agree: the motion is unique, the multipliers are not.
 *
 * Then S = G M^-1 G' is singular, and so is every matrix of a step. They are softened: S + D takes the place of S in
 * Newton's matrix, D a small diagonal, and not in the equations. So the equations are solved as before, down to
 * round-off; corrections of the motion shrink by D/S an iteration, which costs one more at most. Of the multipliers
 *     lambda - ((S + D)^-1 D)^k lambda
 * is the one of least size sum_k D_k lambda_k^2 among those that make the same force.
 *
 * D_k = part sum_i G_ki^2 / M_ii at the start: the square of the force of a unit multiplier, coordinate by
 * coordinate in the metric of the kinetic energy. So D_k lambda_k^2 does not depend on the units of constraint,
 * coordinates or masses, and constraints that say the same in other units carry the same force. */
#ifndef TAUT_SOLVE_REDUNDANCY_H
#define TAUT_SOLVE_REDUNDANCY_H

#include "system/system.h"

/* D relative to S: at most, and at least. The motion's corrections shrink by D over the least eigenvalue of S that is
   not zero, in an iteration: long structures need less. Round-off in dependent equations is divided by it. */
#define SOFTENING_MOST 1e-8
#define SOFTENING_LEAST 1e-12
/* k above: leaves (D/S)^k of what is determined to the next corrections. More than round-off would look like the end of
   what they can do. */
enum { REDUNDANCY_PASSES = sizeof(real) > sizeof(double) ? 9 : 3 };

/* Softens the constraints of a system, from here on, by `part`; g: values of BLOCK_G at the start. */
int X(redundancy_soften)(struct system *s, const place *at, const real *g, double part);

/* The same at one place after the other, without memory: for systems whose steps depend on the state alone. `work`
   has redundancy_room(s) numbers; BLOCK_G and redundancy_block(s) are prepared. */
block_id X(redundancy_block)(const struct system *s);
size_t X(redundancy_room)(const struct system *s);
void X(redundancy_diagonal)(const struct system *s, const place *at, const real *g, double part, real *work,
                            double *softening);

#endif
