/* Symmetries, found by testing: translations and rotations of all points (rotations turn with them), shifts of scalar
 * coordinates. Those that leave L (or H), every constraint and the forces invariant give conserved momenta  p . xi(q).
 * */
#ifndef TAUT_SYSTEM_SYMMETRY_H
#define TAUT_SYSTEM_SYMMETRY_H

#include "system/system.h"

typedef enum { SYMMETRY_TRANSLATION, SYMMETRY_ROTATION, SYMMETRY_SHIFT } symmetry_type;

typedef struct {
    symmetry_type type;
    uint32_t index; /* axis 0..2, or the coordinate that is shifted */
} symmetry;

#define SYMMETRY_LIMIT 64 /* shifts beyond this many are not looked for */

/* The symmetries of the system, tested at random states around (q, w). Returns a status. */
int X(symmetry_find)(struct system *s, const real *q, const real *w, symmetry *list, int *count);
/* Are the discrete gradients of this energy and of the constraints orthogonal to the symmetries, xi taken half way? Tested
   for pairs of random states around (q, w). What the formulas do not show to them is not (expr/discrete.c). Returns a
   status. */
int X(symmetry_suits_discrete)(struct system *s, field *energy, discrete_mode mode, const real *q, const real *w,
                               const symmetry *list, int count, int *suits);
/* xi(q) = A q + b, the infinitesimal action. */
void X(symmetry_action)(const struct system *s, const symmetry *y, const real *q, real *xi);
/* The momenta that belong to them, one for each symmetry of the list. */
void X(symmetry_momenta)(const struct system *s, const symmetry *list, int count, const real *q, const real *p,
                         real *momenta);
/* "momentum.x", "angular_momentum.z", "p.x" */
void X(symmetry_name)(const struct system *s, const symmetry *y, char *buffer, size_t size);

#endif
