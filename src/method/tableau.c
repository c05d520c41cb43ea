#include "method/tableau.h"

#include <string.h>

#include "method/quadrature.h"

/* IIIA is collocation at the Lobatto nodes: a_ij is the integral of the j-th Lagrange polynomial to c_i. IIIB is what
   symplecticity makes of it: b_i A_ij + b_j a_ji = b_i b_j (Hairer, Lubich & Wanner, IV.2.2 and VI.4). */
void X(lobatto_pair_find)(int stages, lobatto_pair *pair)
{
    int s = stages, last = stages - 1;
    memset(pair, 0, sizeof *pair);
    pair->stages = s;
    X(lobatto_rule)(s, pair->c, pair->b);
    for (int i = 1; i < last; i++) X(lagrange_integrals)(s, pair->c, pair->c[i], pair->a[i]);
    memcpy(pair->a[last], pair->b, sizeof pair->b);
    for (int i = 0; i < s; i++) {
        pair->A[i][0] = pair->b[0];
        for (int j = 1; j < last; j++) pair->A[i][j] = pair->b[j] * (1 - pair->a[j][i] / pair->b[i]);
    }
}
