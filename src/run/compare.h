/* Several methods on one model, from the same start to the same end: what each keeps, its error, its cost. Independent
   of precision. */
#ifndef TAUT_RUN_COMPARE_H
#define TAUT_RUN_COMPARE_H

#include "run/converge.h"
#include "run/run.h"

enum { COMPARE_METHODS_MOST = 32, COMPARE_STEPS_MOST = 64 };

/* A method with a step. */
typedef struct {
    const char *method;
    wide step;
    /* why it was refused, or did not reach the end (then nothing below is set); otherwise empty */
    char failure[512];
    int refused;             /* before the first step */
    engine_counts counts;    /* steps, Newton iterations, factorisations */
    double seconds;          /* of the steps alone */
    step_code code;          /* what made them; general where it was so for more than half of them */
    long general_steps;      /* of straight-line code: steps (of a composition substeps) that the general path made */
    wide energy, slope;      /* largest |change| of the energy, and its trend per unit of time */
    wide momentum;           /* largest |change| of a conserved momentum */
    int has_momenta;         /* there is one */
    wide position, velocity; /* largest |g|, |dg/dt| */
    wide error[CONVERGE_KINDS];   /* at the end, against the reference */
    int limited[CONVERGE_KINDS];  /* within a factor of ten of what the reference or round-off can show */
} compare_row;

typedef struct {
    const char *const *methods;
    int method_count;
    const wide *steps;       /* each divides until */
    int step_count;
    wide until;
    start_mode start;
    crew crew;               /* rows in several threads; their times are then those of a busy machine */
    /* Some frames of a row's run, evenly spaced, with the first and the last: at the most so many and two more. A
       status other than 0 stops the row. Several threads call it one after the other, rows in any order. NULL:
       none. */
    int (*frame)(void *user, int row, void *engine, const void *values);
    long frames;
    void *user;
    run_progress *progress;  /* NULL: nobody looks */
} compare_options;

typedef struct {
    compare_row *rows;       /* method by method, step by step */
    int count;
    int has_energy;          /* the model conserves one, or */
    int has_balance;         /* energy - work */
    int has_momenta, kinds;  /* conserved momenta; 3 with multipliers, otherwise 2 */
    wide reference_error[CONVERGE_KINDS]; /* estimated; NaN when no method reached the end, or the reference failed: */
    char reference_failure[512];
} compare_result;

/* A method that refuses the model, or fails, has a row that says so; the others continue. Free the result with
   compare_result_clear, also after a failure. reference_api: the precision of the reference, usually the widest. */
int taut_compare_run(model *m, const engine_api *api, const engine_api *reference_api, const compare_options *options,
                compare_result *result);
void taut_compare_result_clear(taut_context *context, compare_result *result);

#endif
