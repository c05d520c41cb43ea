/* What a run watches of points between bars (bars.h), read off a state in two passes: the largest g and dg/dt, energy,
   momenta of symmetries. The values are those of the fields but for rounding errors. */
#ifndef TAUT_METHOD_POINTS_WATCH_H
#define TAUT_METHOD_POINTS_WATCH_H

#include "system/state.h"
#include "system/symmetry.h"

typedef struct points_watch points_watch;

typedef struct {
    real position, velocity; /* the largest |g|, |dg/dt| */
    real energy;
    real momenta[SYMMETRY_LIMIT];
} points_watched;

/* *result is NULL where the system is another one. */
int X(points_watch_create)(struct system *s, const symmetry *symmetries, int count, points_watch **result);
void X(points_watch_destroy)(points_watch *w);
/* Does it find the energy, too? It does where forces are the same everywhere. */
int X(points_watch_has_energy)(const points_watch *w);
/* NULL where the constants of now make another system of it; until the next call. */
const points_watched *X(points_watch_read)(points_watch *w, const state *x);

#endif
