/* The matrix of a step of the Lobatto pair: derivatives of the stage equations of stages.h by the stage unknowns. */
#ifndef TAUT_METHOD_STAGE_MATRIX_H
#define TAUT_METHOD_STAGE_MATRIX_H

#include "method/tableau.h"
#include "system/system.h"

typedef struct stage_matrix stage_matrix;

/* The pair must outlive the matrix. */
int stage_matrix_create(struct system *s, const lobatto_pair *pair, stage_matrix **result);
void stage_matrix_destroy(stage_matrix *m);
/* Forms and factors it; at[i]: where stage i is, with its multipliers. */
int stage_matrix_factor(stage_matrix *m, const place *at, real h);
/* r := matrix^-1 r */
int stage_matrix_solve(stage_matrix *m, real *r);

#endif
