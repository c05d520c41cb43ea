/* The same numbers in fewer operations: signs and powers of two are moved to where they cost nothing. */
#ifndef TAUT_LOWER_POLISH_H
#define TAUT_LOWER_POLISH_H

#include "lower/reduce.h"

/* Powers of two are moved where that leaves fewer operations. *result: how many are below these nodes, without those
   that are there already. */
typedef struct {
    int (*count)(void *user, const expr *list, size_t count, size_t *result);
    void *user;
} polish_cost;

/* Residuals may come out with another sign and another power of two; corrections, which contain LEAF_RIGHT for them,
   are made for it. Pivots and their references, which are compared with each other alone, likewise. */
int X(polish_phase)(symbols *y, const polish_cost *cost, reduced_phase *p);
/* Expressions that must keep their values. */
int X(polish)(symbols *y, const polish_cost *cost, expr *list, size_t count);

#endif
