/* Newton's matrix for the stages Z_i = z0 + h sum_j a_ij F(Z_j) of a formulation with imposed constraints: I - h A (x) F', solved as a
 * sparse system in which the multipliers and what the mass matrix is inverted for are unknowns of their own. For a change x = (x_q, x_p) of a
 * stage, F' x = y = (y_q, y_p) is
 *
 *     pi_q x_q + pi_w o + G' alpha = x_p,   y_q = nu_q x_q + nu_w o          o: change of w, less pi_w^-1 G' alpha
 *     y_p = phi_q x_q + phi_w o + R' alpha + phi_lambda beta                R = d/dq (G v + g_t) at fixed v
 *     G y_q + R x_q = 0                                                     F keeps g (left out with alpha for the naive form)
 *     pi_w e + pi_q y_q = y_p  (L),   e = nu_q y_q + nu_w y_p  (H)          e: change of dv/dt
 *     G e + 2 R y_q + R_a x_q = 0                                           F keeps psi; R_a = d/dq (G dv/dt) at fixed dv/dt
 *
 * This is F' of the naive and of the Hamilton-Dirac equations on the manifold, exactly, when g is quadratic and the mass constant; otherwise
 * third derivatives of g and L are left out: they bring no stiffness, and the iteration still converges to the roots of the exact residual.
 * The extended equations borrow the matrix of the Hamilton-Dirac ones, which differs by terms with the gradients of g and psi. */
#ifndef TAUT_METHOD_MOTION_MATRIX_H
#define TAUT_METHOD_MOTION_MATRIX_H

#include "method/tableau.h"
#include "system/system.h"

typedef struct motion_matrix motion_matrix;

/* a: stages x stages, copied. */
int motion_matrix_create(struct system *s, int stages, const real *a, int keeps_position, motion_matrix **result);
void motion_matrix_destroy(motion_matrix *m);
/* Begins a new matrix; then the blocks of each stage are put, at its place, with its velocity and acceleration; then it is factored. */
void motion_matrix_clear(motion_matrix *m, real h);
void motion_matrix_put(motion_matrix *m, int stage, const place *at, const real *v, const real *acceleration);
int motion_matrix_factor(motion_matrix *m, real t);
/* r := matrix^-1 r, stages x 2n numbers */
int motion_matrix_solve(motion_matrix *m, real *r);

#endif
