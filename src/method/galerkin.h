/* Galerkin variational integrators: what galerkin.c (catalogue, tables) and galerkin_step.c (equations) share. */
#ifndef TAUT_METHOD_GALERKIN_H
#define TAUT_METHOD_GALERKIN_H

#include "method/method.h"

enum { GALERKIN_MOST = 9 }; /* control points */

/* A quadrature rule on [0,1] with the Lagrange polynomials N_k of the control points and their derivatives at its nodes. */
typedef struct {
    real node[GALERKIN_MOST], weight[GALERKIN_MOST];
    real value[GALERKIN_MOST][GALERKIN_MOST];   /* [k][j]: N_k at node j */
    real slope[GALERKIN_MOST][GALERKIN_MOST];
} galerkin_rule;

typedef struct {
    int m;
    real control[GALERKIN_MOST];
    galerkin_rule free, bond;                   /* of the unconstrained and of the constrained action */
} galerkin_tables;

/* name: XYZ, as in the catalogue. */
void galerkin_tables_create(const char *name, int m, galerkin_tables *t);

typedef struct galerkin galerkin;

int galerkin_create(struct system *s, const galerkin_tables *tables, real tolerance, galerkin **result);
int galerkin_step(galerkin *r, state *x, real h);
const newton_counts *galerkin_counts(const galerkin *r);
void galerkin_destroy(galerkin *r);

#endif
