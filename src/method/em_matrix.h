/* The matrix of an energy-momentum step: the exact derivatives of the equations of em.h by their unknowns. */
#ifndef TAUT_METHOD_EM_MATRIX_H
#define TAUT_METHOD_EM_MATRIX_H

#include "system/system.h"

typedef struct em_matrix em_matrix;

/* hamiltonian: H(q,p), or NULL for a Lagrangian in velocities. */
int em_matrix_create(struct system *s, field *hamiltonian, em_matrix **result);
void em_matrix_destroy(em_matrix *m);
/* Forms and factors it; middle: where the forces are taken. */
int em_matrix_factor(em_matrix *m, const place *from, const place *to, const place *middle, real h);
/* out: |matrix| |y| of each equation, y being the numbers through which the unknowns x enter the equations: q1, p1,
   v1 or lambda. Times the relative rounding error of a number it bounds what rounding them does to the equation. */
void em_matrix_sizes(em_matrix *m, const place *from, const place *to, const place *middle, real h, const real *x,
                     real *out);
/* r := matrix^-1 r */
int em_matrix_solve(em_matrix *m, real *r);

#endif
