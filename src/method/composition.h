/* Symmetric compositions: the lengths g_1 .. g_m of substeps, in steps, with which a symmetric method of order `base`
   has order `order`. */
#ifndef TAUT_METHOD_COMPOSITION_H
#define TAUT_METHOD_COMPOSITION_H

#include "base/real.h"

#define COMPOSITION_MOST 125 /* substeps: Suzuki's, from order 2 to 8 */

/* The names of all schemes, for people. */
extern const char X(composition_schemes)[];
/* scheme NULL: the best. Returns the number of substeps, or 0 where the scheme has no such orders. Orders are even. */
int X(composition_find)(const char *scheme, int base, int order, real *steps);
/* The scheme that NULL stands for. */
const char *X(composition_best)(int base, int order);

#endif
