/* Quadrature rules and Lagrange polynomials on [0,1], generated to working precision for any number of points. */
#ifndef TAUT_METHOD_QUADRATURE_H
#define TAUT_METHOD_QUADRATURE_H

#include "base/real.h"

/* n points: Gauss-Legendre (n >= 1, exact to degree 2n-1), Lobatto (n >= 2, ends included, exact to degree 2n-3).
   weights may be NULL. */
void X(gauss_rule)(int n, real *nodes, real *weights);
void X(lobatto_rule)(int n, real *nodes, real *weights);
/* n >= 2 equidistant points, ends included. */
void X(equidistant_nodes)(int n, real *nodes);

/* The m Lagrange polynomials of the nodes at x, and their derivatives (either may be NULL). */
void X(lagrange_at)(int m, const real *nodes, real x, real *values, real *derivatives);
/* integrals[j] = integral of the j-th Lagrange polynomial from 0 to x, exactly (m <= 20). */
void X(lagrange_integrals)(int m, const real *nodes, real x, real *integrals);

#endif
