/* Coefficients of Runge-Kutta pairs, to working precision. */
#ifndef TAUT_METHOD_TABLEAU_H
#define TAUT_METHOD_TABLEAU_H

#include "base/real.h"

#define STAGES_MOST 9

/* The Lobatto IIIA-IIIB pair with `stages` stages. The first row of a and the last column of A are zero, the last row
   of a is b, the first column of A is b[0]: exactly, not just to round-off. */
typedef struct {
    int stages;
    real c[STAGES_MOST], b[STAGES_MOST];
    real a[STAGES_MOST][STAGES_MOST]; /* IIIA, for the positions */
    real A[STAGES_MOST][STAGES_MOST]; /* IIIB, for the momenta */
} lobatto_pair;

/* stages from 2 to STAGES_MOST */
void X(lobatto_pair_find)(int stages, lobatto_pair *pair);

#endif
