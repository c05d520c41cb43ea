/* What a frame holds and a run watches, as straight-line code: programs whose inputs are the numbers of a state.
 *
 *     watched      v, g, dg/dt, the energy, momenta of symmetries; nothing in it can fail
 *     multipliers  those with d^2 g/dt^2 = 0 at the state, and the observables, which may contain them
 *     power        of forces, of time in L or H and of moving constraints; with multipliers where it depends on them
 *
 * The multipliers and the rates of w solve linear equations, in an order of elimination fixed once and with one step of
 * iterative refinement. Where a pivot has lost too many digits, where the equations are not linear, and for systems
 * that are too large, there is no value: the caller has the fields of the system, which give the same but for rounding
 * errors. */
#ifndef TAUT_LOWER_READING_H
#define TAUT_LOWER_READING_H

#include "lower/program.h"
#include "system/symmetry.h"

typedef struct reading reading;

/* *result is NULL for a system that is too large; of others, too, part of it may be missing. has_power: it will be
   asked for. Native code is asked for by the setting of the system; reading_wait waits for it, where the setting
   demands it. */
int X(reading_create)(struct system *s, const symmetry *symmetries, int symmetry_count, int has_power,
                      reading **result);
int X(reading_wait)(reading *r);
/* Makes the program of the multipliers, unless it has been tried before: not every run has frames. */
int X(reading_prepare)(reading *r);
void X(reading_destroy)(reading *r);

/* Each returns numbers that last until the next call, or NULL: not by this program. */
const real *X(reading_watched)(reading *r, const state *x);     /* v (n), g (c), dg/dt (c), energy, momenta */
const real *X(reading_multipliers)(reading *r, const state *x); /* lambda (c), observables; needs
                                                                   reading_prepare */
const real *X(reading_power)(reading *r, const state *x);       /* power; lambda (c), if reading_power_solves */
int X(reading_power_solves)(const reading *r);
int X(reading_has_power)(const reading *r); /* is there a program of it? */
/* The programs themselves, for those who write them out for many states; NULL: there is none. checks: so many pairs of
   a pivot and its reference are the last outputs, and values count only where every pivot is larger than PIVOT_LEAST
   times its reference. The second needs reading_prepare. */
program *X(reading_watched_program)(const reading *r);
program *X(reading_multiplier_program)(const reading *r, size_t *checks);
/* Is it native code that reads? */
int X(reading_is_native)(const reading *r);

#endif
