/* The functions of step tables: their values at a place, and the sparse blocks that are their derivatives. */
#ifndef TAUT_STEP_FUNCTIONS_H
#define TAUT_STEP_FUNCTIONS_H

#include "step/table.h"
#include "system/state.h"

/* What is fixed for a table on a system: which blocks there are. */
typedef struct {
    struct system *s;
    const step_table *table;
    block_shape own[STEP_FUNCTIONS][3]; /* of functions that the system has no blocks for; by q, w, lambda */
    block_shape identities[STEP_SIZES];
    pattern *identity_y;
    pattern *identity_c;              /* c x c, where constraints are softened */
} step_functions;

/* Prepares what the table's terms need. */
int X(step_functions_create)(struct system *s, const step_table *table, step_functions *f);
void X(step_functions_clear)(step_functions *f);

/* Numbers of a value, of so many coordinates, constraints and components of embedded points. */
size_t X(step_function_length)(size_t n, size_t c, size_t embedded, step_function function);
/* Is there nothing to evaluate: no constraints, no forces, no embedded points? */
int X(step_function_empty)(const struct system *s, step_function function);
/* A force, for the scale of momenta. */
int X(step_function_pushes)(step_function function);
/* The derivative by the kind of variables of the place; NULL: none. */
const block_shape *X(step_function_block)(const step_functions *f, step_function function, kind by);

/* out := the value. `from`: the state at the start, and where discrete gradients begin; span: t1 - t0; move: q1 - q0.
   g: values of BLOCK_G at the place, of STEP_RATE alone. */
typedef struct {
    const state *start;
    const place *from;
    real span;
    const real *move;
    const real *g;
    real *scratch;            /* n and c numbers, whichever is more */
} step_circumstances;
void X(step_function_value)(const step_functions *f, step_function function, const step_circumstances *c,
                            const place *at, real *out);

#endif
