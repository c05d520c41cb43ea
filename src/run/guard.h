/* Whether a run is still one of the model. A step that is far too large, or a method that a model is too hard for,
 * gives numbers without a failing equation; a guard looks at them whenever the run does, and ends the run:
 *
 *     energy        (energy - work, where forces or time change it) most of it is error, and this stays so
 *     constraints   positions or velocities are off them by as much as the terms that they consist of
 *     growth        a model of rates, which has no energy, grows, and the exact solution does not go where steps go
 *
 * Errors that are large but honest, and drifts of methods that are known to drift, pass: a run ends when what it
 * computes has nothing to do with the model. */
#ifndef TAUT_RUN_GUARD_H
#define TAUT_RUN_GUARD_H

#include "run/engine.h"

typedef struct {
    taut_context *context;
    const engine_api *api;
    void *engine;
    int kept;           /* one of ENGINE_ENERGY_* */
    const char *held;   /* the name of what is kept */
    long looks;
    double energies;    /* the largest size of the energies while they made sense */
    double sum, samples; /* for their mean */
    int absurd, far;    /* looks in a row at an energy that makes no sense, or is far off */
    int aside;          /* it began off the constraints */
    double next_position, next_velocity; /* residuals from which on the constraints are looked at */
    int off, leaves;    /* looks in a row at positions and velocities that do not meet the constraints */
    double rates;       /* the largest size of the terms of a constraint's derivative */
    double size;        /* of models of rates: what the state may grow from */
    int unresolved;     /* looks in a row at steps that do not resolve its growth */
} run_guard;

void taut_guard_begin(run_guard *g, taut_context *context, const engine_api *api, void *engine);
/* What was seen after a step, or at the start. last: it is the last look, which decides what others would wait for.
   TAUT_NOT_FINITE, with a message: the run is over. */
int taut_guard_look(run_guard *g, const engine_look *seen, int last);

#endif
