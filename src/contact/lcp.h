/* Linear complementarity problems, and those that several contacts make: normal and tangential impulses (or forces) at
 * once. */
#ifndef TAUT_CONTACT_LCP_H
#define TAUT_CONTACT_LCP_H

#include "base/context.h"
#include "base/real.h"
#include "base/wide.h"

/* w = M z + q, w >= 0, z >= 0, w'z = 0, by Lemke's method with lexicographic ratios. M is n x n, row-major.
   TAUT_NO_CONVERGENCE when it ends in a ray: there is no solution that it could find. */
int X(lcp_solve)(taut_context *context, int n, const real *M, const real *q, real *z);

#define CONE_SIDES 8 /* directions in which friction may act where the surface has two dimensions */

/* One contact of a cone problem. Its rows in W, b and P: the normal, then the tangential ones. */
typedef struct {
    int first;            /* its normal row */
    int tangents;         /* 0, 1 or 2 */
    int sliding;          /* friction is mu times the normal part against `direction`, not sought */
    real mu;              /* times the normal multiplier: the most that friction can be */
    real direction[2];    /* of slip, when sliding */
    int slips;            /* result: the tangential part is at its limit */
} cone_contact;

/* u = W P + b with   0 <= P_N, 0 <= u_N, P_N u_N = 0   and Coulomb's law: |P_T| <= mu P_N, and P_T = -mu P_N u_T/|u_T|
   where u_T is not 0. In two tangential dimensions a cone with CONE_SIDES sides, turned against the slip a few times,
   finds which contacts act, stick and slip; with that known the round cone is solved by Newton's method (where that
   fails, the answer with sides stays). rows: of W. On TAUT_NO_CONVERGENCE P is inside the cones, and what projected
   Gauss-Seidel sweeps came to. */
int X(cone_solve)(taut_context *context, int count, cone_contact *contacts, int rows, const real *W, const real *b,
               real *P);

#endif
