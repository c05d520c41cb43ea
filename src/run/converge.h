/* Errors of a method at one time against a reference, step by step, and the orders they show. Independent of
   precision. */
#ifndef TAUT_RUN_CONVERGE_H
#define TAUT_RUN_CONVERGE_H

#include "run/crew.h"
#include "run/engine.h"
#include "run/progress.h"

/* What errors are measured in. */
enum { CONVERGE_Q, CONVERGE_P, CONVERGE_LAMBDA, CONVERGE_KINDS };

typedef struct {
    wide step;
    long steps;
    wide error[CONVERGE_KINDS];   /* largest |difference| at the end */
    wide order[CONVERGE_KINDS];   /* against the row before; NaN where there is none or where a limit hides it */
    int limited[CONVERGE_KINDS];  /* the error is within a factor of ten of what the reference or round-off can show */
    char failure[256];            /* why this step did not get to the end; empty if it did */
    char strain[512];             /* what is said of multipliers that grew; empty if they did not */
} converge_row;

typedef struct {
    const wide *steps;
    int count;
    wide until;
    wide reference_step;          /* of the reference engine's method; 0: the exact flow */
    /* For several threads, each run with an engine of its own: the model, and what the engines were made with. NULL:
       one thread. */
    model *m;
    crew crew;
    const engine_options *engine, *reference;
    run_progress *progress;       /* NULL: nobody looks */
} converge_options;

typedef struct {
    converge_row *rows;
    int count;
    int kinds;                            /* without multipliers: 2 */
    wide reference_error[CONVERGE_KINDS]; /* estimated: the last two refinements differ by this */
    wide reference_fine;                  /* the step, or the tolerance, that it was made with */
    wide reference_coarse;                /* and the one it was compared with */
    char wrong[512];                      /* what is said of a method that converges to another motion; empty if it
                                             does not */
} converge_result;

/* How many steps of h make `until`? 0 when they do not. */
long taut_converge_step_count(wide h, wide until);
/* engine runs the method; reference (which may be of another precision) the reference, both from their start. Free the
   result with converge_result_clear, also after a failure. */
int taut_converge_run(taut_context *context, const engine_api *api, void *engine, const engine_api *reference_api,
                 void *reference, const converge_options *options, converge_result *result);
/* The second half of it: finds the reference and the errors of solutions that are there already. solutions has room for
   two more than the rows of the result, each 2n + c numbers (q, p, lambda); a row with a failure has none. */
int taut_converge_measure(taut_context *context, const engine_api *api, void *engine, const engine_api *reference_api,
                     void *reference, const converge_options *options, wide *solutions, converge_result *result);
void taut_converge_result_clear(taut_context *context, converge_result *result);

#endif
