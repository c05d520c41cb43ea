/* The unknowns of a step of euler.h and the matrix of its equations.
 *
 *     Lagrangian (nu is w):    W0 (if s > 0), W1 (if s < 1), w1;   pi(q0,W0) = Z = pi(q1,W1);   q1 = q0 + h (s W0 + e W1)
 *     the others (pi is w):    Z, D = q1 - q0, z1, u = nu(q1,z1)
 *
 * and A, B after them. Equations in this order: momentum of each W (of Z), of the end, for the others D and u; g(q1), dg/dt. */
#ifndef TAUT_METHOD_EULER_MATRIX_H
#define TAUT_METHOD_EULER_MATRIX_H

#include "method/euler.h"

/* Where functions are evaluated: stages (q0,W0) and (q1,W1); the end (q1,w1); the reactions at the start and at the end, with A and with B;
   the end with the velocity u in place of w. */
enum { AT_STAGE0, AT_STAGE1, AT_END, AT_START_A, AT_START_B, AT_END_A, AT_END_B, AT_RATE, EULER_PLACES };

typedef struct {
    int lagrangian;
    int n, c;
    int stage[2];    /* block of W0 and W1 (of Z, twice); -1 where there is none */
    int move;        /* block of D, -1 for a Lagrangian */
    int end;         /* block of w1 */
    int velocity;    /* block of u; of w1 for a Lagrangian */
    int blocks;      /* of n unknowns; then come two of c */
    int size;
} euler_layout;

typedef struct euler_matrix euler_matrix;

euler_layout euler_layout_of(const struct system *s, const euler_scheme *scheme);
/* The scheme must outlive the matrix. */
int euler_matrix_create(struct system *s, const euler_scheme *scheme, euler_matrix **result);
void euler_matrix_destroy(euler_matrix *m);
int euler_matrix_factor(euler_matrix *m, const place *at, real h);
/* r := matrix^-1 r */
int euler_matrix_solve(euler_matrix *m, real *r);

#endif
