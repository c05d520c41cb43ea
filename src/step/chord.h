/* A rough Newton matrix of a phase, for systems with constant mass: forces are taken not to depend on q and w, and the
 * constraint Jacobian to be what it is half a step ahead, as far as the velocities at the start tell. What is left out
 * is smaller by h (constraints, damping) or h^2 (forces of position). Then the matrix is made of few numbers and of M
 * and G alone,
 *
 *     [ A (x) M   B (x) G' ]        A, B, C: by groups of unknowns and equations, powers of h in them
 *     [ C (x) G       0    ]        (x): Kronecker product
 *
 * and is solved by the multiplier matrix S = G M^-1 G' of one place:
 *     (C A^-1 B) (x) S  lambda = (C A^-1) (x) (G W)  r_n - r_c,     x = A^-1 (x) W (r_n - B (x) G' lambda).
 * An iteration costs some products with G instead of a sparse factorisation of everything; where it converges slowly,
 * newton.c turns to the full matrix. */
#ifndef TAUT_STEP_CHORD_H
#define TAUT_STEP_CHORD_H

#include "step/phase.h"

typedef struct chord chord;

/* *result is NULL where the phase is not of this kind. */
int X(chord_create)(const step_compiled *p, chord **result);
void X(chord_destroy)(chord *c);
/* For the step at hand. *usable 0: the small matrices are singular. */
int X(chord_factor)(chord *c, int *usable);
/* r := matrix^-1 r. settle: the multipliers stay, and the constraints are not looked at: r_n := A^-1 (x) W r_n,
   r_c := 0 */
int X(chord_solve)(chord *c, int settle, real *r);
/* As multiplier_choose, of a correction of all unknowns. */
int X(chord_choose)(chord *c, const real *unknowns, real *change);

#endif
