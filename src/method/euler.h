/* Symplectic Euler methods for systems whose forces may be nonlinear in the multipliers, the class (3.1) of Jay &
 * Simeon: with phi = f + r as system_prepare_split finds them, and Z a momentum between p0 and p1,
 *
 *     Z  = p0 + h s f(q0,Z) + h (a0 r(q0,p0,A) + a1 r(q0,p0,B)),     q1 = q0 + h (s nu(q0,Z) + e nu(q1,Z)),   g(q1) = 0
 *     p1 = Z  + h e f(q1,Z) + h (b0 r(q1,p1,A) + b1 r(q1,p1,B)),     G1 nu(q1,p1) + g_t = 0,                  s + e = 1
 *
 * A and B are two sets of multipliers. Times go with the positions. The schemes are tables of s, a, b. */
#ifndef TAUT_METHOD_EULER_H
#define TAUT_METHOD_EULER_H

#include "method/method.h"

typedef struct {
    real start;      /* s; e is 1 - s */
    real a[2], b[2]; /* weights of r with A and with B, at the start and at the end */
} euler_scheme;

/* The step that undoes the scheme's step with -h. */
euler_scheme X(euler_adjoint)(const euler_scheme *scheme);

/* The state keeps A as its multipliers, and B is what the table reports: of the 'true' scheme (3.5) A is Psi0, which
   does not tend to the multipliers of the solution, and B is Psi~1, which does. Contacts are decided on B. */
void X(euler_table)(const struct system *s, const euler_scheme *scheme, step_table *t);

#endif
