/* Newton's matrix for the stages Z_i = z0 + h sum_j a_ij F(Z_j) of a formulation with imposed constraints: I - h A (x)
 * F', solved as a sparse system in which the multipliers and what the mass matrix is inverted for are unknowns of their
 * own. For a change x = (x_q, x_p) of a stage, y = F' x follows from the changes v of H_p, b of lambda, e of dv/dt; R =
 * d/dq (G v + g_t) at fixed v, R_a = d/dq (G dv/dt) at fixed dv/dt; w is v (L) or x_p (H), phi the force with its
 * multipliers:
 *
 *     pi_q x_q + pi_w v = x_p (L),  v = nu_q x_q + nu_w x_p (H);     f = phi_q x_q + phi_w w + phi_lambda b
 *     likewise e from y_q and y_p;   G e + R v + R y_q + R_a x_q = 0
 *   naive:     y_q = v,  y_p = f
 *   dirac:     y_q = v - H_pp G' a,  y_p = f - phi_w pi_w^-1 G' a + R' a,   G H_pp G' a = G v + R x_q
 *   extended:  e from v and f, as for naive; a as for dirac;  G H_pp G' c = G x_q;  c_v = H_pp G' c,  c_w = pi_w^-1 G'
 *   c
 *              pi_w s = pi_q c_v - phi_w c_w + 2 R' c - 2 G' a;   y_q = v + nu_w s - nu_q c_v;
 *              y_p = f + 2 R' a - R_a' c - phi_q c_v + phi_w s
 *
 * This is F' on the manifold, exactly, when g is quadratic and the mass constant; otherwise third derivatives of g, L
 * and H are left out: the iteration still converges to the roots of the exact residual, linearly. */
#ifndef TAUT_METHOD_MOTION_MATRIX_H
#define TAUT_METHOD_MOTION_MATRIX_H

#include "method/tableau.h"
#include "system/system.h"

typedef struct motion_matrix motion_matrix;
typedef enum { MOTION_NAIVE, MOTION_EXTENDED, MOTION_DIRAC } motion_type;

/* a: stages x stages, copied. */
int X(motion_matrix_create)(struct system *s, int stages, const real *a, motion_type type, motion_matrix **result);
void X(motion_matrix_destroy)(motion_matrix *m);
/* Begins a new matrix; then the blocks of each stage are put, at its place, with its velocity and acceleration; then it
   is factored. */
void X(motion_matrix_clear)(motion_matrix *m, real h);
void X(motion_matrix_put)(motion_matrix *m, int stage, const place *at, const real *v, const real *acceleration);
int X(motion_matrix_factor)(motion_matrix *m, real t);
/* r := matrix^-1 r, stages x 2n numbers */
int X(motion_matrix_solve)(motion_matrix *m, real *r);

#endif
