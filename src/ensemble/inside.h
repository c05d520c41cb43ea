/* What the executors share. */
#ifndef TAUT_ENSEMBLE_INSIDE_H
#define TAUT_ENSEMBLE_INSIDE_H

#include "base/pool.h"
#include "ensemble/executor.h"
#include "ensemble/text.h"
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
    double *registers;       /* plan.registers numbers */
    void *batch, *row_batch; /* memory of lanes, and of their rows */
    double seconds;          /* of steps, in this run */
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
    double seconds;
    simulation *z;           /* of the model as it is: for names, sizes, and what is compiled */
    model *own;              /* of z */
    size_t column_count;     /* of a frame */
    column_stretch *chosen;
    size_t chosen_count, row_size;
    size_t state_size, member_size; /* numbers of a member: of its state, of its system */
    int becomes;             /* a simulation can become one member after the other */
    text_plan plan;          /* of lanes and GPU; its context is NULL where there is none */
    unsigned char *varies;   /* between members: of the system's constants, and of what else it gives (symbols.h) */
    int differ;              /* any of them does */
    struct lanes *lanes;
    struct gpu *gpu;
    /* rows of many members at once (rows.c) */
    row_text row;
    row_column *row_columns;
    enum { ROWS_UNKNOWN, ROWS_NONE, ROWS_ASKED } row_state;
    size_t rows_read;        /* since the columns were chosen */
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
int taut_worker_row(worker *w, double *row);
int taut_worker_steps(simulation *z, double h, long count, long *done);
void taut_worker_failed(const worker *w, executor_member *found, int status, double t);

/* ---- members that are advanced together (batch.c) ---- */

/* The numbers of a member among those of others: number i is x[i * stride]. */
typedef struct {
    double *x;               /* of the state's block */
    size_t stride;
    double *numbers;         /* of its system (simulation_member.c); NULL: those of all */
} batch_slot;

typedef struct {
    double t, t_low;
} batch_time;

/* Puts the start of a member into its slot. Returns 0; 1 where it needs nothing more: it failed, or it is of another
   kind than the others and was run alone. */
int taut_batch_open(worker *w, const job *j, size_t member, batch_slot to, batch_time *t);
/* Makes w->z the member as it stands in its slot. Returns 1 where it fails, as above. */
int taut_batch_load(worker *w, const job *j, size_t member, batch_slot from, batch_time t);
void taut_batch_store(const worker *w, batch_slot to);
/* Steps of the member in its slot, the first by the general path: of `steps` it has made `made`. Returns 1 where it
   failed. */
int taut_batch_left(worker *w, const job *j, size_t member, batch_slot at, batch_time t, double h, long made,
                    long steps);
/* A row of the member. Returns 1 where it failed. */
int taut_batch_read(worker *w, const job *j, size_t member, batch_slot from, batch_time t, size_t read);
/* The end of a member: its state. */
void taut_batch_end(const job *j, size_t member, batch_slot from, batch_time t, long steps);
/* The time after so many steps, and the time that the multipliers belong to (NaN: as it was). */
batch_time taut_batch_advance(const text_plan *p, batch_time t, double h, long steps, double *t_lambda);
/* Numbers that are the same for members that were not opened yet. */
int taut_worker_own(worker *w);

/* ---- rows (rows.c) ---- */

/* Fewer rows than these do not repay a compiler. */
enum { ROWS_LEAST = 20000 };
/* So many rows more will be read: is there code for them? */
int taut_rows_look(executor *e, size_t more);
/* Other columns are chosen. */
void taut_rows_clear(executor *e);

/* ---- executors ---- */

int taut_gpu_create(executor *e, struct gpu **result);
void taut_gpu_destroy(struct gpu *g);
const char *taut_gpu_name(const struct gpu *g);
int taut_gpu_run(executor *e, const job *j);
int taut_gpu_begin_rows(executor *e);
int taut_gpu_reads(const struct gpu *g);
void taut_gpu_forget_rows(executor *e);
int taut_lanes_create(executor *e, struct lanes **result);
void taut_lanes_destroy(executor *e, struct lanes *l);
/* 0: there is no code, and the note of the executor says why. */
int taut_lanes_serve(const struct lanes *l);
size_t taut_lanes_width(const struct lanes *l); /* members at a time */
int taut_lanes_run(executor *e, const job *j);
int taut_lanes_begin_rows(executor *e);
int taut_lanes_read(const struct lanes *l);
void taut_lanes_find_rows(executor *e); /* the code may be there by now */
void taut_lanes_forget_rows(executor *e);

#endif
