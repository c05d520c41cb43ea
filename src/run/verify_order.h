/* The order of a method on a model: errors over a few steps against the exact flow, halving by halving. */
#ifndef TAUT_RUN_VERIFY_ORDER_H
#define TAUT_RUN_VERIFY_ORDER_H

#include "run/engine.h"

typedef struct {
    wide order, previous;  /* of the last two halvings that show one */
    int count;             /* halvings that do */
    int settled;           /* the two agree */
    int exact;             /* even the first error is round-off */
    wide error, floor;     /* relative: of the first step size; what can be seen */
    wide finest;           /* the smallest step used */
} verify_order_part;

typedef struct {
    verify_order_part parts[2]; /* q, p */
    wide coarsest;
    int no_reference;           /* the exact flow failed, the error text says why: nothing else is set */
} verify_order;

/* Begins with step h; with smaller ones when the orders do not settle from there. */
int taut_verify_order_measure(taut_context *context, const engine_api *api, void *engine, wide h, verify_order *result);

#endif
