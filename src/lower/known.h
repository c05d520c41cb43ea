/* Values that the constraints give away: where g(q) = 0 has been solved already, |a|^2 of a bar is its length squared.
 * Coefficients of the multipliers may take that for what they would compute; they would be wrong by as much as rounding
 * makes them. Residuals at a place are never replaced: it is they that keep the constraints. */
#ifndef TAUT_LOWER_KNOWN_H
#define TAUT_LOWER_KNOWN_H

#include "lower/factors.h"

/* sum of `count` terms = value, a constant. */
typedef struct {
    const factor_term *terms;
    size_t count;
    expr value;
} known_sum;

typedef struct {
    known_sum *sums;
    size_t count;
    factor_term *terms;       /* of all sums */
} known_sums;

/* What is known when a phase begins, of its symbols: constraints that an earlier phase has solved. (Not those of the
   beginning: a step from a state that misses them must lead back to them.) condensed: as factor_condense writes
   them. */
int X(known_find)(symbols *y, int phase, int condensed, known_sums *k);
/* *e with such sums, or multiples of them, replaced by what they are. */
int X(known_replace)(symbols *y, const known_sums *k, expr *e);
void X(known_clear)(symbols *y, known_sums *k);

#endif
