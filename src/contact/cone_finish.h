/* The end of a cone problem (lcp.h) whose matrix is singular: contacts that depend on each other. The motion is one,
 * the impulses are one choice of many. */
#ifndef TAUT_CONTACT_CONE_FINISH_H
#define TAUT_CONTACT_CONE_FINISH_H

#include "contact/lcp.h"

/* Whether W is singular to round-off: it is scaled to a diagonal of ones, and eliminated with the largest pivot first.
   work: rows x rows. */
int X(cone_is_singular)(int rows, const real *W, real *work);
/* What is added to the diagonal of W (D of solve/redundancy.h): normal, tangential. */
void X(cone_softening)(int count, const cone_contact *contacts, int rows, const real *W, real *softening);
/* From an approximate solution P to one to round-off: Newton's method on the natural map (P is what the cones make of
   P - r u; Alart and Curnier), of W, with the matrix of W + D. *done: 0 where that does not lead to an end; then P is
   as it was. */
int X(cone_finish)(taut_context *context, int count, cone_contact *contacts, int rows, const real *W, const real *b,
                   const real *softening, real *P, int *done);
/* A first guess when there is none: P := projected Gauss-Seidel sweeps from 0. */
void X(cone_sweep)(int count, const cone_contact *contacts, int rows, const real *W, const real *b, real *P);

#endif
