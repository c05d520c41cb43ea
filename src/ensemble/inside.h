/* What the executors share. */
#ifndef TAUT_ENSEMBLE_INSIDE_H
#define TAUT_ENSEMBLE_INSIDE_H

#include "base/pool.h"
#include "ensemble/executor.h"
#include "run/simulation.h"

/* What a thread works with. */
typedef struct {
    const executor *e;
    taut_context *context;
    simulation *z;           /* the member at hand: `own`, or `other`; NULL: none */
    /* that becomes one member after the other, with its model; NULL: not made yet, or the executor has none */
    simulation *own;
    model *own_model;
    /* of a member that needs one of its own */
    simulation *other;
    model *other_model;
    start_setting *starts;    /* vary_count: the start values of the member at hand */
    unsigned char *is_set;   /* of parameters: those that vary */
} worker;

/* The chosen columns: stretches of one type each. */
typedef struct {
    engine_column type;
    size_t first, count;     /* within the type */
    size_t at;               /* in a row */
} column_stretch;

struct executor {
    taut_context *context;
    const model *m;
    executor_options options;
    char *method;
    executor_vary *vary;
    executor_kind on;
    char note[300];
    simulation *z;           /* of the model as it is: for names, sizes, and what is compiled */
    model *own;              /* of z */
    size_t column_count;     /* of a frame */
    column_stretch *chosen;
    size_t chosen_count, row_size;
    size_t state_size, member_size; /* numbers of a member: of its state, of its system */
    int becomes;             /* a simulation can become one member after the other */
    pool *pool;
    worker *workers;
    int worker_count;
};

/* One call of taut_executor_run. */
typedef struct {
    executor *e;
    const executor_leg *legs;
    size_t leg_count, count, reads; /* reads: rows of a member */
    const double *values, *from;
    double *rows, *states;
    executor_member *members;
} job;

/* Makes w->z the member's, at its start or where the job says. On failure the member says why. Returns 0, or 1 on
   failure. */
int taut_worker_open(worker *w, const job *j, size_t member);
/* Nothing of the member at hand is kept. */
void taut_worker_close(worker *w);
void taut_worker_destroy(worker *w);
/* Takes the member at hand through the legs, from step `step` of leg `leg` on, and writes its rows and its state. */
void taut_worker_finish(worker *w, const job *j, size_t member, size_t leg, long step);
/* The state of the member at hand. */
void taut_worker_state(const worker *w, double *numbers);
void taut_worker_set_state(worker *w, const double *numbers);

#endif
