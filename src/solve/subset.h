/* Constraints that are independent of each other at a place, as many as there are, those first that add most: a set
 * with which the equations of motion have one solution, also a little beside the constraints, where those that depend
 * on each other contradict each other. And how far the set is from being dependent itself.
 *
 * In the metric of redundancy.h: gradients of length one, coordinate by coordinate in that of the kinetic energy. */
#ifndef TAUT_SOLVE_SUBSET_H
#define TAUT_SOLVE_SUBSET_H

#include "system/system.h"

typedef struct subset subset;

/* *result: NULL where there are no constraints, or too many for an elimination that is not sparse. */
int X(subset_create)(struct system *s, subset **result);
void X(subset_destroy)(subset *z);
/* Looks at the gradients at a place. The first look counts how many are independent where constraints are softened
   (all, where they are not); later ones keep the number. Returns what is left of the last gradient of the set, of
   length one, beside the others. */
double X(subset_look)(subset *z, const place *at);
/* Of the last look. */
uint32_t X(subset_number)(const subset *z);
const unsigned char *X(subset_kept)(const subset *z);       /* c flags */
const double *X(subset_leaving)(const subset *z);           /* softening that leaves out the others (c) */
/* The constraints that take the largest part in multipliers: 'a', 'b' and 'c'. */
void X(subset_names)(subset *z, const real *lambda, char *text, size_t size);

#endif
