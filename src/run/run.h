/* The time loop: steps, frames, and the quantities watched during the run. Independent of precision. */
#ifndef TAUT_RUN_RUN_H
#define TAUT_RUN_RUN_H

#include "run/engine.h"

/* What became of one watched quantity. Slope: least-squares change per unit of time over all samples. */
typedef struct {
    char name[256];
    wide first, last, lowest, highest;
    wide slope;
    wide sum, sum_t;         /* of value - first, and of t times it: the slope is made of them */
} watched;

/* The progress of a run and what was watched. Together with the engine's state this is enough to continue it. While the
   run is under way the engine has the time and what was watched; run_result_update copies them here. */
typedef struct {
    long steps_done, steps_planned;
    long sample_stride;
    watched *quantities;     /* energy, constraint, velocity_constraint, conserved momenta */
    size_t quantity_count;
    wide t;
    wide samples, sum_t, sum_tt;
    /* since then (0, or the shortened last step of a run that was continued) all steps are whole */
    long origin_step;
    wide origin_time;
    int stopped;             /* because the caller asked for it */
} run_result;

typedef struct {
    wide step, until;
    wide begin;              /* the time of the start */
    long every;              /* a frame every K steps; 0: no frames */
    long samples;            /* evaluate the watched quantities at most this often; every step when there are fewer */
    /* A frame: numbers of the engine's precision. A status other than 0 stops the run. May be NULL. */
    int (*frame)(void *user, const void *values, size_t count);
    /* An event of a contact, with the frame just after it (NULL, 0 when there are no frames); a status other than 0
       stops the run. May be NULL. */
    int (*event)(void *user, const engine_event *event, const void *values, size_t count);
    /* Called whenever the watched quantities were looked at. May be NULL. */
    void (*progress)(void *user, long done, long steps, double energy_error);
    /* Called after the start and after every step, or at least every `at_once` steps where that is not 0, when the
       frame has been taken; *stop ends the run here. May be NULL. */
    long at_once;
    int (*after_step)(void *user, const run_result *so_far, int *stop);
    /* Continue from here; the engine must have been restored to the state that belongs to it. NULL: from the start. */
    const run_result *from;
    void *user;
} run_options;

/* Checks step and end; with options->from also that the end lies ahead. */
int taut_run_check_options(taut_context *context, const run_options *options);
/* Of a run with sound options: how many steps it has, how often it looks at what it watches, and its frames. */
void taut_run_expect(const run_options *options, double *steps, double *looks, double *frames);
/* Runs the engine to options->until. On failure the result says how far it came. Free the result with
   run_result_clear. A run that computes nothing of its model any more is a failure (run/guard.h). What was computed
   until then is kept. */
int taut_run_loop(taut_context *context, const engine_api *api, void *engine, const run_options *options,
                  run_result *result);
/* The time and what was watched so far, from the engine. */
void taut_run_result_update(const engine_api *api, void *engine, run_result *result);
void taut_run_result_clear(taut_context *context, run_result *result);

#endif
