/* The way back of the Legendre transform: from (q,p) to the stage variable, and solves with the mass matrix, to the
 * precision of the unit. No inverse is formed but that of a constant mass in small blocks. */
#ifndef TAUT_SOLVE_LEGENDRE_H
#define TAUT_SOLVE_LEGENDRE_H

#include "solve/assembly.h"
#include "solve/newton.h"

typedef struct legendre legendre;

int X(legendre_create)(struct system *s, legendre **result);
void X(legendre_destroy)(legendre *l);
/* w: guess in; out: pi(q,w,t) = p. */
int X(legendre_stage)(legendre *l, const real *q, const real *p, real t, real *w);
/* x := L_vv^-1 x at the place (Lagrangian models). */
int X(legendre_mass_solve)(legendre *l, const place *at, real *x);

#endif
