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
    model *m;                /* of `own`, or of the member at hand */
    simulation *z;           /* the member at hand; NULL: none */
    double *numbers;         /* columns: those of one type */
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
    size_t state_size;
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

/* The member's simulation becomes that of the worker, at its start or where the job says. On failure the member says
   why. Returns 0, or 1 on failure. */
int taut_worker_open(worker *w, const job *j, size_t member);
/* Nothing of it is kept. */
void taut_worker_close(worker *w);
/* Takes the member at hand through the legs, from step `step` of leg `leg` on, and writes its rows and its state. */
void taut_worker_finish(worker *w, const job *j, size_t member, size_t leg, long step);
/* The state of the member at hand. */
void taut_worker_state(const worker *w, double *numbers);
void taut_worker_set_state(worker *w, const double *numbers);

#endif
