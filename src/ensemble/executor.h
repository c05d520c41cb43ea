/* Executors: many members of an ensemble, each a trajectory of one model with numbers of its own, advanced by one
 * method. A member is what `taut_member_model` makes of its values, and its numbers are those of a single run of that
 * model, to the bit, whoever computes them and whatever the other members are:
 *
 *     interpreter  one member after the other, as a single run does it; models and methods of every kind
 *     lanes        a member per lane of the processor's vectors, on the tapes of the lowered step (src/lower)
 *     gpu          a member per thread of a graphics processor, on the same tapes, by the driver of the machine
 *
 * A member whose step is left to the general path (lower/lower.h) is taken out, makes that step as a single run does,
 * and goes on. A member that fails is recorded with its time and reason; the others go on.
 *
 * In double. The usual way:
 *
 *     taut_executor_create(m, &options, &e);
 *     taut_executor_choose(e, columns, column_count);               (columns of a frame, by their index)
 *     for each block of members:
 *         taut_executor_run(e, legs, leg_count, members, values, NULL, rows, found, NULL);
 *     taut_executor_destroy(e);
 */
#ifndef TAUT_ENSEMBLE_EXECUTOR_H
#define TAUT_ENSEMBLE_EXECUTOR_H

#include "base/words.h"
#include "model/model.h"

typedef enum {
    EXECUTOR_INTERPRETER,
    EXECUTOR_LANES,
    EXECUTOR_GPU,
    EXECUTOR_KINDS
} executor_kind;

/* What varies from member to member. */
typedef enum {
    VARY_PARAMETER,         /* a param or an input; index among the model's parameters */
    VARY_POSITION,          /* a start value of a coordinate, index among the model's; a guess where it is free */
    VARY_RATE               /* that of its velocity (momentum of a Hamiltonian model), likewise */
} vary_kind;
typedef struct {
    vary_kind kind;
    uint32_t index;
} executor_vary;

typedef struct {
    executor_kind on;
    const char *method;     /* NAME:options */
    wide tolerance;         /* of the Newton iterations; 0: round-off */
    wide step;              /* of the run; only models with start_points need it here */
    wide time;              /* of the start */
    start_mode start;
    int native;             /* one of TAUT_NATIVE_*; off: nothing is compiled */
    int threads;            /* 0: 1 */
    int fast;               /* on the GPU: contraction of products and sums, no compensated sums: other bits */
    int blocks;             /* of threads on a multiprocessor of the GPU, which its compiler is to make room for; 0: the
                               default. More of them hide what others wait for, and leave fewer registers to each */
    size_t rows_least;      /* rows from which on code is made that reads them for many members at once; 0: the default.
                               (1: and it is waited for) */
    int lanes;              /* 2, 4, 8 or 16; 0: as suits the processor and the step. The bits are the same */
    const executor_vary *vary;
    size_t vary_count;
} executor_options;

/* So many steps of this length, one after the other; then, if `reads`, a row of the chosen columns. A leg of no steps
   reads where it is. */
typedef struct {
    wide h;
    long steps;
    int reads;
} executor_leg;

#define EXECUTOR_REASON 200

/* What became of a member. */
typedef struct {
    int status;             /* TAUT_OK, or how it failed (positive) */
    double t;               /* where it is, or failed */
    long steps;             /* done */
    long left;              /* of them by the general path though there is a lowered one, as far as that is counted */
    char reason[EXECUTOR_REASON];
} executor_member;

typedef struct executor executor;

/* Name of an executor, and the one of this name or -1. */
const char *taut_executor_name(executor_kind kind);
int taut_executor_find(const char *name);

/* The model as it is for a member: a copy with its values (vary_count numbers), with which a single run repeats it. */
int taut_member_model(taut_context *context, const model *m, const executor_vary *vary, size_t vary_count,
                      const double *values, model **result);

/* Compiles the model and looks what can advance it. The model must outlive the executor and stay as it is. Fails with
   TAUT_UNSUPPORTED, with a message, where a GPU is asked for and there is none, or none of its libraries. Where lanes
   or GPU do not serve the model or the method, another executor does it, and `note` says which and why. */
int taut_executor_create(const model *m, const executor_options *options, executor **result);
void taut_executor_destroy(executor *e);
/* Which one is at work, and a sentence why it is not the one that was asked for; empty where it is. */
executor_kind taut_executor_on(const executor *e);
const char *taut_executor_note(const executor *e);
/* Seconds that the steps of the last run took on the device or in the lanes, of all threads together; 0: not counted.
   Not those of starts, rows and members that were run alone. */
double taut_executor_seconds(const executor *e);
/* Does code read the rows of many members at once, by now? */
int taut_executor_reads_together(const executor *e);
/* The device, for people; empty without one. */
const char *taut_executor_device(const executor *e);
/* Members that should be in a block, at the least, to make use of it: a multiple of what is done at a time. */
size_t taut_executor_width(const executor *e);

/* The columns of a frame of the model and method, as in run/engine.h. */
size_t taut_executor_columns(const executor *e);
int taut_executor_column_name(const executor *e, size_t column, char *buffer, size_t size);
const char *taut_executor_column_kind(const executor *e, size_t column);
/* Those that rows consist of; none at first. */
int taut_executor_choose(executor *e, const size_t *columns, size_t count);

/* Numbers of a state: t, what compensated summation left over of it, then the block of system/state.h. */
size_t taut_executor_state_size(const executor *e);
/* Those of an engine in double (run/engine.h) of the same model and method. */
void taut_executor_state_of(const executor *e, const void *engine, double *state);

/* Runs `count` members through the legs. values: vary_count numbers of each. from: their states (state_size numbers
   each), instead of a start; may be NULL. rows: for each member a row for every leg that reads, NaN where it did not
   get that far; may be NULL if no leg reads. members: what became of each. states: where they are in the end (NaN where
   there was no start); may be NULL, or `from`. Fails only where nothing more can be done: out of memory, the device
   gone. The numbers of a member depend on its values alone, not on block, order or threads. */
int taut_executor_run(executor *e, const executor_leg *legs, size_t leg_count, size_t count, const double *values,
                      const double *from, double *rows, executor_member *members, double *states);

#endif
