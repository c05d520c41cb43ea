/* Which factors of a product are multiplied first. */
#ifndef TAUT_LOWER_GROUP_H
#define TAUT_LOWER_GROUP_H

#include "lower/reduce.h"

/* out[i] := list[i] with products grouped: k (x u) as (k x) u where u depends on the unknowns of the phase and x does
   not, so that k x is there for all of them; k (u x + v y) as (k u) x + (k v) y for unknowns u and v, which stand
   before more than one x. p: NULL where there is no phase. The list itself may be out. */
int X(group_products)(symbols *y, const reduced_phase *p, const expr *list, size_t count, expr *out);

#endif
