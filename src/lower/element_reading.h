/* What a run watches, by programs over elements (element_graph.h), for systems that are too large for straight-line code
 * (reading.h): of all elements of one shape a program computes velocities, residuals of constraints, their rates, and
 * the part in the energy and in the power. Energy and power are summed in an order that depends on the elements
 * alone. The fields of the system give the same but for rounding errors. */
#ifndef TAUT_LOWER_ELEMENT_READING_H
#define TAUT_LOWER_ELEMENT_READING_H

#include "system/state.h"

typedef struct element_reading element_reading;

typedef struct {
    real energy, largest_g, largest_rate; /* the largest |g| and |dg/dt| */
} element_watched;

/* *result is NULL, with TAUT_OK, where the system has what elements cannot express. has_power: it will be asked for. */
int X(element_reading_create)(struct system *s, int has_power, element_reading **result);
void X(element_reading_destroy)(element_reading *r);
void X(element_reading_velocity)(element_reading *r, const state *x, real *v);
/* v: the velocity at the state; lambda: the multipliers there */
element_watched X(element_reading_watched)(element_reading *r, const state *x, const real *v);
real X(element_reading_power)(element_reading *r, const state *x, const real *v, const real *lambda);

#endif
