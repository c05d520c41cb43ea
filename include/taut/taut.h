/* Taut: constrained mechanics without drift. The whole public interface (docs/library.md).
 *
 * Calls that can fail return a status: 0: success; positive: failure, the object is as it was before; negative:
 * failure, and the object can only be released. taut_context_error(context, &error) says what happened, where, and what
 * to try; it belongs to the last call that returned a status, and a success clears it.
 *
 * A call that is given NULL where it needs something returns TAUT_BAD_USAGE; one that returns no status does nothing, or
 * returns 0, NULL, -1 or NaN.
 *
 * Structs that you fill begin with `size`: set it to sizeof, leave what you do not need zero. They only grow at the
 * end. Arrays carry their capacity. Matrices are row by row. Strings are UTF-8; numbers in strings have a decimal
 * point, whatever locale the program has set.
 *
 * Calls that return a status work in the default floating-point environment, and put back the one of the host: its
 * traps, its rounding direction.
 *
 * Threads: a context and the simulations in it belong to one thread at a time. Threads with contexts of their own do
 * not disturb each other. A model never changes: any number of threads may make simulations of it, each in its own
 * context, keep and release it. */
#ifndef TAUT_TAUT_H
#define TAUT_TAUT_H

#include <stdint.h>

#include "taut/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models ---- */

/* A model: a Lua script (docs/model-language.md) after loading. It does not change any more. */
typedef struct taut_model taut_model;
/* A value for a param, input or option of the model. */
typedef struct taut_setting {
    const char *name;
    const char *text; /* the number as a string with all its digits, or another value of an option; NULL: number */
    double number;    /* read as its shortest decimal form: 0.1 is one tenth, in quad precision, too */
} taut_setting;

/* settings may be NULL when count is 0. A setting for a name that the model does not declare is an error. On failure
   *result is NULL. */
TAUT_API int taut_model_load_file(taut_context *context, const char *path, const taut_setting *settings, size_t count,
                                  taut_model **result);
/* The same from memory; messages use name as the name of the file. */
TAUT_API int taut_model_load_text(taut_context *context, const char *name, const char *text, size_t size,
                                  const taut_setting *settings, size_t count, taut_model **result);
/* One more owner. Returns the model. */
TAUT_API taut_model *taut_model_keep(taut_model *model);
/* One owner less; the last one frees it. NULL is allowed. Simulations are owners: release it when you need it no more,
   before or after them. */
TAUT_API void taut_model_release(taut_model *model);
/* The title, valid as long as the model. */
TAUT_API const char *taut_model_title(const taut_model *model);
/* A number with all digits of quad precision: its value is high + low. low is 0 in double. */
typedef struct taut_value {
    double high, low;
} taut_value;
/* A param or input of the model. The name is valid as long as the model. */
typedef struct taut_parameter {
    size_t size;
    const char *name;
    taut_value value;
    int is_input;
} taut_parameter;
/* The params and inputs, in the order in which the model declares them; TAUT_BAD_USAGE beyond the last. */
TAUT_API int taut_model_parameter(const taut_model *model, size_t index, taut_parameter *parameter);
/* The source as Lua: *size bytes (may be NULL), of which at most capacity - 1 are copied, and a zero. */
TAUT_API int taut_model_source(const taut_model *model, char *buffer, size_t capacity, size_t *size);

/* ---- models from C ----
   The calls of the model language as calls of C. An expression is a number; 0 means that something failed before, and
   passes through: look once, at the status of taut_model_finish. The model has a source (taut_model_source), a script
   that makes the same model: its run files can be resumed and reported. Names have no quotes and backslashes. */
typedef struct taut_builder taut_builder;
typedef uint32_t taut_expr;
/* title may be NULL. */
TAUT_API int taut_model_begin(taut_context *context, const char *title, taut_builder **result);
/* The model, checked as one that is loaded; the builder is gone, whatever the status. result NULL: gives it up. */
TAUT_API int taut_model_finish(taut_builder *builder, taut_model **result);
TAUT_API taut_expr taut_number(taut_builder *builder, double value);
TAUT_API taut_expr taut_param(taut_builder *builder, const char *name, double value);
TAUT_API taut_expr taut_input(taut_builder *builder, const char *name, double value);
/* Time, as a symbol. */
TAUT_API taut_expr taut_time_symbol(taut_builder *builder);
/* Declares coordinates: a scalar (1), a point (2 or 3) or a rotation (a quaternion, 4). They are put into q. */
enum { TAUT_SCALAR, TAUT_POINT, TAUT_ROTATION };
TAUT_API void taut_group(taut_builder *builder, int type, const char *name, size_t dimension, taut_expr *q);
/* out[i] = a[i] op b[i], n times; op is + - * / ^ or a function of the model language ("sin", "atan2"). b is NULL for
   one operand ("-" too). out may be a or b. */
TAUT_API void taut_apply(taut_builder *builder, const char *op, size_t n, const taut_expr *a, const taut_expr *b,
                         taut_expr *out);
TAUT_API taut_expr taut_sum(taut_builder *builder, size_t n, const taut_expr *a);
/* A function that taut_define gave, at n arguments. */
TAUT_API taut_expr taut_call(taut_builder *builder, const char *name, size_t n, const taut_expr *x);
/* The derivative of an expression of coordinates and time by time; the velocity of a coordinate. */
TAUT_API taut_expr taut_rate(taut_builder *builder, taut_expr a);
/* The momentum of a scalar coordinate (Hamiltonian and rate models). */
TAUT_API taut_expr taut_momentum_of(taut_builder *builder, taut_expr q);
/* Adds to the model: a summand of L or H; a force on, or the rate of, the coordinate (or momentum) `on`; a constraint
   or an observable with a name. name and on are not read where they are not needed. Returns the multiplier of a
   constraint, otherwise the value. */
enum {
    TAUT_ADD_LAGRANGIAN,
    TAUT_ADD_HAMILTONIAN,
    TAUT_ADD_FORCE,
    TAUT_ADD_RATE,
    TAUT_ADD_CONSTRAINT,
    TAUT_ADD_OBSERVABLE
};
TAUT_API taut_expr taut_add(taut_builder *builder, int role, const char *name, taut_expr on, taut_expr value);
/* A piece of the model language, for what has no call of its own (contacts, units, drawing, embedded points, ...):
   text is the body of a function that is given the n expressions x as x[1] .. x[n]; what it returns is the result,
   which other calls may use where it is an expression, e.g. taut_script(b, "return contact('floor', x[1])", 1,
   &height). Errors name the line of taut_model_source. */
TAUT_API taut_expr taut_script(taut_builder *builder, const char *text, size_t n, const taut_expr *x);
/* The start value of a coordinate, a velocity (taut_rate) or a momentum: a constant expression, or a guess of a value
   that the constraints determine (is_free). */
TAUT_API void taut_start(taut_builder *builder, taut_expr variable, taut_expr value, int is_free);

/* ---- precisions ---- */

/* A precision of this build: "double" first, then "quad" where there is one. The name lasts as long as the library. */
typedef struct taut_precision {
    size_t size;
    const char *name;
    int digits; /* decimal digits that a number needs to be read back as the same */
} taut_precision;
/* TAUT_BAD_USAGE beyond the last. */
TAUT_API int taut_precisions(size_t index, taut_precision *precision);

/* ---- simulations ---- */

/* A model under a method: a state that steps forward in time. */
typedef struct taut_simulation taut_simulation;

/* What becomes of a state that is off the constraints. */
enum {
    TAUT_STRICT = 0,  /* it is refused; the last digits are polished */
    TAUT_PROJECT = 1, /* it is moved onto them, in the metric of the mass matrix */
    TAUT_AS_IS = 2    /* it is taken as it is (methods naive, extended and dirac) */
};

typedef struct taut_options {
    size_t size;           /* sizeof(taut_options) */
    const char *method;    /* a name of the catalogue with its options; NULL: "rattle" */
    const char *precision; /* "double" or "quad"; NULL: "double" */
    double tolerance;      /* of the Newton iterations, relative; 0: down to round-off */
    double step;           /* the first step; only models with start_points need it here */
    double time;           /* of the start */
    int start;             /* TAUT_STRICT, TAUT_PROJECT or TAUT_AS_IS */
    int active_set;        /* nonzero: active-set instead of event-driven steps (models with contacts, method euler) */
    int native;            /* one of TAUT_NATIVE_* */
    int threads;           /* 1 to TAUT_THREADS_MOST: threads that share the steps of a large system, the caller's
                              included; the results are the same, to the last bit. 0: 1 */
} taut_options;

/* Compiles the model and finds its consistent start. options may be NULL for the defaults. */
TAUT_API int taut_simulation_create(taut_context *context, taut_model *model, const taut_options *options,
                                    taut_simulation **result);
/* A second simulation where this one is, in a context of its own or in the same: it goes on as this one would, to the
   last bit. Both share what is compiled (not with contacts), and may be used by different threads from then on. The
   last of them may be released in any thread; the allocators of their contexts must allow that. A clone steps with one
   thread. It has no event callback. */
TAUT_API int taut_simulation_clone(const taut_simulation *simulation, taut_context *context, taut_simulation **result);
/* NULL is allowed. */
TAUT_API void taut_simulation_release(taut_simulation *simulation);

/* What makes the steps, the slowest first. */
enum {
    TAUT_CODE_GENERAL,     /* loops over the parts of the model */
    TAUT_CODE_PARTLY,      /* straight-line code evaluates the equations; the rest is general */
    TAUT_CODE_INTERPRETED, /* straight-line code, by an interpreter */
    TAUT_CODE_NATIVE       /* straight-line code as instructions of the processor */
};
/* Why there is no native code. */
enum {
    TAUT_NATIVE_LACKS_NOTHING, /* there is, or nobody has asked for it */
    TAUT_NATIVE_LACKS_BUILD,   /* this build, or this system, has none */
    TAUT_NATIVE_LACKS_COMPILER,
    TAUT_NATIVE_LACKS_SUCCESS  /* something is out of order: the compiler failed, or the system gave no thread, ... */
};
typedef struct taut_simulation_info {
    size_t size;
    const char *title;           /* of the model */
    const char *method, *precision;
    size_t coordinates, constraints, contacts;
    int energy_conserved;        /* the model's exact energy is constant */
    taut_value start_moved_positions, start_moved_velocities; /* onto the constraints */
    double stable;               /* length of a step times frequency, below which the method is stable; 0: always, or
                                    not known */
    int code;                    /* one of TAUT_CODE_* */
    int native_lacks;            /* one of TAUT_NATIVE_LACKS_*, and */
    const char *native_reason;   /* a sentence that says why; otherwise "" */
    long events[5];              /* of contacts so far: impact, rest, release, stick, slip */
} taut_simulation_info;
/* The strings are valid as long as the simulation, until a param is set. */
TAUT_API void taut_simulation_about(const taut_simulation *simulation, taut_simulation_info *info);
/* The fastest frequency of small motions around the current state, in radians per unit of time; 0: none was found. It
   takes as long as many steps. limit: 0, or a frequency;
   of one that is far below it the size alone is found, sooner. */
TAUT_API int taut_frequency(taut_simulation *simulation, double limit, double *frequency);

/* ---- what a simulation has ---- */

/* Kinds of numbers. */
enum {
    TAUT_TIME,
    TAUT_POSITION,        /* coordinates */
    TAUT_VELOCITY,
    TAUT_MOMENTUM,
    TAUT_MULTIPLIER,      /* of the constraints, then of the contacts */
    TAUT_GAP,             /* of the contacts */
    TAUT_ENERGY,          /* one number, or none (rate models) */
    TAUT_WORK,            /* one number where forces or time change the energy */
    TAUT_CONSTRAINT,      /* largest |g| */
    TAUT_CONSTRAINT_RATE, /* largest |dg/dt| */
    TAUT_CONSERVED,       /* momenta of the symmetries that were found */
    TAUT_OBSERVABLE,
    TAUT_MIDPOINT,        /* method em: the time and the multipliers of the middle of the last step */
    TAUT_ALL,             /* all of the above, in this order: the columns of a frame and of a run file */
    TAUT_PARAM,
    TAUT_INPUT,
    TAUT_KINDS
};
/* How many numbers of a kind there are. */
TAUT_API size_t taut_count(const taut_simulation *simulation, int kind);
/* The name of one, counted from 0; valid as long as the simulation, until a param is set. NULL where there is none (or
   no memory for names). */
TAUT_API const char *taut_name(taut_simulation *simulation, int kind, size_t index);
/* The index of the one with this name, or -1. */
TAUT_API long taut_find(taut_simulation *simulation, int kind, const char *name);
/* The current values of `count` numbers from `first` on. Only what they need is evaluated. low, if not NULL, gets what
   lies beyond a double in quad precision: the value is high + low. */
TAUT_API int taut_get(taut_simulation *simulation, int kind, size_t first, size_t count, double *high, double *low);
/* The current value of one number as a string that reads back as the same in the precision of the simulation (low has
   some bits less). capacity is at least TAUT_DIGITS_TEXT. */
#define TAUT_DIGITS_TEXT 64
TAUT_API int taut_digits(taut_simulation *simulation, int kind, size_t index, char *buffer, size_t capacity);
/* The current time: of TAUT_TIME. */
TAUT_API double taut_time(const taut_simulation *simulation);

/* ---- changing it ---- */

/* Sets inputs or params. An input is held over steps until it is set again; the state stays. Params are constants of
   the motion: the simulation is compiled again and returns to its start, as if the model had been loaded with these
   values, bit by bit. Params whose default is a formula of others follow them, unless they were set themselves. What
   was found (TAUT_CONSERVED, say) may change. On failure everything is as before. */
TAUT_API int taut_set(taut_simulation *simulation, int kind, size_t first, size_t count, const double *values);
/* Another state: time, all positions, and all velocities or momenta (kind is TAUT_VELOCITY or TAUT_MOMENTUM; w NULL:
   zero). how is TAUT_STRICT, TAUT_PROJECT or TAUT_AS_IS. Not on phase space. */
TAUT_API int taut_set_state(taut_simulation *simulation, double t, const double *q, int kind, const double *w, int how);
/* The momenta change by this impulse (one number per coordinate), and by that of the constraints which it provokes. Not
   with contacts, nor on phase space. */
TAUT_API int taut_kick(taut_simulation *simulation, const double *impulse);
/* Everything that later steps depend on, as bytes: *size (may be NULL) says how many. capacity 0 asks for the size;
   otherwise TAUT_BAD_USAGE where they do not fit. For simulations of the same model and method, by the same build. */
TAUT_API int taut_save(taut_simulation *simulation, void *buffer, size_t capacity, size_t *size);
/* Goes on where the other one was saved, to the last bit. */
TAUT_API int taut_restore(taut_simulation *simulation, const void *buffer, size_t size);
/* Returns to the start; inputs have the values of the model again, params keep theirs. */
TAUT_API int taut_restart(taut_simulation *simulation);

/* ---- motion ---- */

/* Takes one step of length h. A negative h steps back in time, in models without contacts. On a positive status the
   state is unchanged. */
TAUT_API int taut_step(taut_simulation *simulation, double h);

/* Called before or after each step of taut_advance, when the state is that of a whole step. It may read the simulation,
   set inputs, kick, set the state of the next step. It may not release it, and where it steps, advances, restarts or
   restores it, or sets params, taut_advance ends with TAUT_BAD_USAGE when the hook returns. TAUT_STOP ends the run with
   status 0, another number other than 0 ends it with that status. It may leave by longjmp or by an exception. */
typedef int (*taut_hook)(void *user, taut_simulation *simulation);
#define TAUT_STOP (-1000)

typedef struct taut_run {
    size_t size;             /* sizeof(taut_run) */
    /* Steps of h up to the time `until`, the last one shortened to end there; all are whole where h divides the time up
       to 1e-9 of it. */
    double h, until;
    long every;              /* a row every so many steps, besides those of the beginning and of the end; 0: 1 */
    const size_t *columns;   /* of a row: indices of TAUT_ALL; NULL: all columns */
    size_t column_count;     /* with columns NULL: not read */
    double *rows;            /* row by row; NULL: none */
    size_t row_capacity;     /* in rows: at least taut_run_rows */
    size_t row_count;        /* out */
    const char *file;        /* a run file to be written, from the simulation's start on; NULL: none */
    int replace;             /* nonzero: an existing run file is replaced */
    int stopped;             /* out: nonzero when it ended before `until`, by TAUT_STOP or interrupt */
    taut_hook before, after; /* NULL: none */
    void *user;              /* for the hooks */
    const volatile int *interrupt; /* looked at before each step and within long ones: nonzero ends the run, at
                                      the last whole step, with status 0. NULL: none */
} taut_run;

/* Advances the simulation; nothing happens where it is at `until` already. On failure the state is that before the step
   that failed, and the rows until then are there. */
TAUT_API int taut_advance(taut_simulation *simulation, taut_run *run);
/* The rows that taut_advance would write, from the current time on; 0 where h does not lead there. */
TAUT_API size_t taut_run_rows(const taut_simulation *simulation, const taut_run *run);
/* How many steps of length h lead from 0 to the time `until`, up to 1e-9 of it; 0 where no number of steps does. */
TAUT_API long taut_step_count(double h, double until);
/* Moves the state along the exact solution to the time `until`, as a reference for the errors of methods. It uses an
   extrapolation method that none of the methods uses. The tolerance is relative, per step. */
TAUT_API int taut_flow(taut_simulation *simulation, double until, double tolerance);

/* ---- ensembles ---- */

/* A number that differs from member to member: kind is TAUT_PARAM, TAUT_INPUT, TAUT_POSITION, TAUT_VELOCITY or
   TAUT_MOMENTUM (not both of the last two). */
typedef struct taut_vary {
    int kind;
    size_t index;
} taut_vary;
/* Runs `members` copies of the prototype, as taut_advance would. Member i begins where the prototype is (where params
   vary: at the start with these), with the numbers values[i * vary_count + k] in place of those that vary[k] names;
   positions and velocities must be on the constraints. Its rows are those from rows + i * rows_of_a_member * columns
   on, run->row_capacity is that of one member; run->rows is not read. What a member does not reach is NaN.
   statuses[i], if statuses is not NULL, is its status; the call returns that of the first member that failed, with its
   message. The results do not depend on `threads` (0: 1, at most TAUT_THREADS_MOST), which share the members; hooks,
   and an allocator of yours, are called by all of them at the same time. Many steps without hooks are computed in lanes
   of the processor's vectors, where the options allow native code; the bits are the same, and `interrupt` is looked at
   a few times a second. The prototype is unchanged; it is used by this call alone meanwhile. */
TAUT_API int taut_ensemble(taut_simulation *prototype, const taut_run *run, size_t members, const taut_vary *vary,
                           size_t vary_count, const double *values, int threads, double *rows, int *statuses);

/* ---- members of an ensemble ----
   Many members of a model, which differ in params, inputs or start values (docs/ensembles.md): sampled or given, in
   lanes of the processor's vectors, on a GPU or one after the other, with the bits of `taut run` and taut_advance.
   Their kept values go to memory of yours or to a callback, chunk by chunk; statistics are made of all of them. A file
   is not needed. */
typedef struct taut_members taut_members;

enum { TAUT_STATS_MEAN = 1, TAUT_STATS_SD = 2, TAUT_STATS_QUANTILES = 4, TAUT_STATS_HISTOGRAM = 8 };

typedef struct taut_members_spec {
    size_t size;             /* sizeof(taut_members_spec) */
    double h, until;         /* as those of taut_run */
    /* What varies: a param, an input, a coordinate or a velocity (a.x.dot; a momentum p.x of a Hamiltonian model). By a
       law, "a.x=uniform(2.7,2.9)", as the option --vary of the command has it; or by numbers of yours, where
       values[i * name_count + k] is that of names[k] in member i. */
    const char *const *vary;
    size_t vary_count;
    const char *const *names;
    size_t name_count;
    const double *values;
    size_t value_rows;
    const char *sample;      /* "random", "latin" or "sobol": how laws are spread over the members; NULL: random */
    uint64_t seed;           /* member k is a function of seed and k */
    uint64_t first, count;   /* members first .. first + count - 1; count 0: those that grids or values have */
    uint64_t of;             /* of a part: how many there are in all, for "latin"; 0: first + count */
    int strict;              /* nonzero: a start off the constraints is a failure; otherwise start values that vary are
                                made consistent */
    /* What is kept of a member: columns with commas between their names, t before them in any case; NULL: t,
       coordinates and energy. At these times, multiples of h or `until`; none: at the end. */
    const char *keep;
    const double *at;
    size_t at_count;
    unsigned stats;          /* over the members: a sum of TAUT_STATS_*; 0: none */
    long every;              /* steps between their moments; 0: a hundredth of the run */
    size_t paths;            /* members that quantiles and histograms between the times of `at` are made of; 0: 2000 */
    int lyapunov;            /* nonzero: one more column, "lyapunov", the finite-time exponent so far */
    const char *on;          /* "lanes", "gpu" or "interpreter"; NULL: lanes */
    int threads;             /* 1 to TAUT_THREADS_MOST; the results do not depend on it. 0: 1 */
    int fast;                /* nonzero: the GPU contracts products and sums and compensates none: other last digits */
    const char *file;        /* a file as the command writes it; statistics are then in it. NULL: none */
    int replace;             /* nonzero: an existing file is replaced */
    const char *times;       /* `at` as a string with commas between the times; NULL: see there */
    /* More that varies: CSV, a member per line, the first one names what. Messages call it table_name. NULL: none */
    const char *table, *table_name;
    const char *start;       /* "strict", "project" or "as-is", whatever varies; NULL: see `strict` */
    int resume;              /* nonzero: an existing file is gone on with, if it is of the same ensemble */
    int part;                /* nonzero: these members are a part, and of how many is not known where `of` is 0 */
    int no_paths;            /* nonzero: `paths` is 0 */
} taut_members_spec;

/* Compiles the model of the prototype, with its method, options, params and inputs, for members that begin at the start
   of the model, at time 0, in double. The prototype is not needed afterwards. Where lanes or a GPU do not serve the
   model or the method, the members are computed one by one, and taut_members_info.note says why. */
TAUT_API int taut_members_create(taut_simulation *prototype, const taut_members_spec *spec, taut_members **result);
/* The same without a simulation: method, tolerance, start and native are those of options (NULL: the defaults). */
TAUT_API int taut_members_of_model(taut_context *context, taut_model *model, const taut_options *options,
                                   const taut_members_spec *spec, taut_members **result);
/* The members of a file, to go on with those that are missing: all else is as it says. native is one of
   TAUT_NATIVE_*. */
TAUT_API int taut_members_open(taut_context *context, const char *path, int native, int threads,
                               taut_members **result);
/* NULL is allowed. */
TAUT_API void taut_members_release(taut_members *members);

typedef struct taut_members_info {
    size_t size;             /* sizeof(taut_members_info) */
    uint64_t first, count;   /* members */
    size_t columns;          /* of a row */
    size_t times;            /* rows of a member */
    size_t moments;          /* of the statistics */
    size_t varied;           /* numbers that vary */
    const char *on;          /* what computes them */
    const char *note;        /* why it is not what was asked for; "" where it is */
    const char *device;      /* of a GPU; "" without one */
    const char *title, *method; /* of the model; with its options */
    double h, until;
    size_t width;            /* so many are computed at the same time */
    int threads;
    uint64_t done, failed;   /* members, so far */
} taut_members_info;
/* The strings are valid as long as the members. */
TAUT_API void taut_members_about(const taut_members *members, taut_members_info *info);
/* Names of the columns and of what varies; NULL beyond the last. Times of the rows of a member; NaN beyond the last. */
TAUT_API const char *taut_members_column(const taut_members *members, size_t index);
TAUT_API const char *taut_members_varied(const taut_members *members, size_t index);
TAUT_API double taut_members_time(const taut_members *members, size_t index);
/* The numbers that vary in a member (`varied` of them). TAUT_BAD_USAGE where it is none of the members. */
TAUT_API int taut_members_values(taut_members *members, uint64_t member, double *values);

/* Members that are done. */
typedef struct taut_members_chunk {
    size_t size;
    uint64_t first, count;
    const double *values;    /* count x varied */
    const double *rows;      /* count x times x columns; what a member did not reach is NaN */
    uint64_t done, failed;   /* of all members so far */
    double seconds;          /* since the run began */
} taut_members_chunk;

typedef struct taut_members_progress {
    size_t size;
    uint64_t members, done, failed; /* of all; done counts those that failed */
    uint64_t here;           /* done in this call, */
    double steps, seconds;   /* and what they took */
} taut_members_progress;

typedef struct taut_members_run_options {
    size_t size;             /* sizeof(taut_members_run_options) */
    double *rows;            /* members x times x columns, from the first member on; NULL: none */
    size_t row_capacity;     /* in rows: at least members x times */
    int (*chunk)(void *user, const taut_members_chunk *chunk); /* after every chunk, some tenths of a second of work.
                                TAUT_STOP ends the run with status 0, another number other than 0 with that status.
                                NULL: none. It may not leave by longjmp */
    void *user;
    const volatile int *interrupt; /* looked at between chunks: nonzero ends the run with status 0. NULL: none */
    uint64_t done, failed;   /* out: of all members */
    double steps, seconds;   /* out: of this call */
    int stopped;             /* out: nonzero when members are missing */
    void (*progress)(void *user, const taut_members_progress *progress); /* before the first chunk and after each;
                                NULL: none */
    /* The next members to be done, instead of those that are missing in order: *count 0 ends the run. What is done is
       committed to the file before the next call. For processes that share an ensemble. NULL: in order */
    int (*claim)(void *user, uint64_t *first, uint64_t *count);
    int unlisted;            /* nonzero: taut_members_failure has none of this call; a file has them */
    uint64_t here;           /* out: members that were done in this call */
} taut_members_run_options;
/* Runs the members that are not done yet. Members that fail are no failure of the call: what they did not reach is NaN,
   and taut_members_failure has the reasons. */
TAUT_API int taut_members_run(taut_members *members, taut_members_run_options *run);

typedef struct taut_failure {
    size_t size;             /* sizeof(taut_failure) */
    uint64_t member;
    int status;
    double time;             /* how far it came */
    uint64_t steps;
    const char *reason;      /* valid until the next call of taut_members_run */
} taut_failure;
/* The members that failed, counted from 0 in the order in which they were done; TAUT_BAD_USAGE beyond the last. */
TAUT_API int taut_members_failure(taut_members *members, size_t index, taut_failure *failure);

typedef struct taut_statistic {
    size_t size;             /* sizeof(taut_statistic) */
    double time;             /* of the moment */
    int kept;                /* nonzero: it is one of the times of `at`, and quantiles are those of all members */
    uint64_t count;          /* of members that got there */
    double mean, sd, lowest, highest; /* NaN: not asked for, or of too few members */
    double quantiles[5];     /* 5, 25, 50, 75 and 95 % */
    double low, high;        /* of the histogram */
    size_t bins;             /* of equal width between them; 0: none */
    uint64_t counts[50];
} taut_statistic;
/* Of a column at a moment, over the members that are done; of members without a file. */
TAUT_API int taut_members_statistic(taut_members *members, size_t moment, size_t column, taut_statistic *statistic);

/* Files of parts of one ensemble become one file: they have the same model, settings and seed, and members that two of
   them have agree, to the last bit. The parts stay as they are. */
typedef struct taut_members_merged {
    size_t size;
    uint64_t members;        /* of the whole ensemble */
    uint64_t done, failed;   /* in the file */
} taut_members_merged;
/* replace nonzero: an existing file is replaced. merged may be NULL. */
TAUT_API int taut_members_merge(taut_context *context, const char *const *parts, size_t count, const char *path,
                                int replace, taut_members_merged *merged);

/* ---- events and work ---- */

/* An event of a contact, inside a step (docs/contacts.md). */
typedef struct taut_event {
    double time;
    const char *contact;   /* the name, valid as long as the simulation */
    const char *kind;      /* "impact", "rest", "release", "stick" or "slip" */
    double impulse;        /* of the multiplier, for impacts; 0 otherwise */
    /* The columns (TAUT_ALL) just after the event; valid during the call. */
    const double *frame, *frame_low;
} taut_event;
/* Called once for each event, in their order, when the step in which they happened is over: the simulation is at the
   end of the step. The callback may read the simulation and change the callback, but not release it; where it changes
   the simulation, the call that steps ends with TAUT_BAD_USAGE when the callback returns.
   A positive status takes the whole step back and is returned by taut_step or taut_advance; the remaining events of
   the step are not reported. The callback may also leave by longjmp or, in C++, by an exception: the simulation is then
   at the end of the step, the remaining events of the step are not reported, and it can go on, or be released. (The
   library is compiled with -fexceptions.) */
typedef int (*taut_event_callback)(void *user, const taut_event *event);
/* Sets the event callback of a model with contacts. NULL (the default) disables it. */
TAUT_API void taut_events(taut_simulation *simulation, taut_event_callback callback, void *user);

/* Work since the simulation was created. */
typedef struct taut_work {
    size_t size; /* sizeof(taut_work) */
    long steps, newton_iterations, factorisations;
    /* Of methods that evaluate a vector field: evaluations, rejected steps, projections onto the constraints, and steps
       with a projection. */
    long evaluations, rejected, position_projections, momentum_projections, projected_steps;
} taut_work;
TAUT_API void taut_counts(const taut_simulation *simulation, taut_work *work);

/* ---- matrices ---- */

enum {
    TAUT_MASS,     /* d momentum / d velocity, coordinates x coordinates; of Lagrangian models. Where L alone has a
                      singular one, with the multiples of constraints that make it regular (docs/methods.md) */
    TAUT_JACOBIAN, /* dg/dq, of a constraint on velocities its derivative by these; constraints x coordinates */
    TAUT_MATRICES
};
/* The pattern in compressed rows: the entries of row i are those from row_start[i] to row_start[i+1] - 1, with their
   columns ascending. The arrays belong to the simulation, until a param is set. */
TAUT_API int taut_pattern(taut_simulation *simulation, int matrix, size_t *rows, const int **row_start,
                          const int **column);
/* The entries at the current state; capacity is at least row_start[rows]. */
TAUT_API int taut_values(taut_simulation *simulation, int matrix, double *values, size_t capacity);
/* The tangent of a step of length h from the current state: a (2n x 2n) is the derivative of (q,p) after it by (q,p)
   before it, b (2n x inputs) that by the inputs; n is taut_count(TAUT_POSITION). Either may be NULL. a is exact, to
   round-off: the derivative of the equations of the step. For methods that are code (naive, extended, dirac,
   em:project, em with rotations, embedded points) and for b it is found by differences of fourth order in the widest
   precision of the build, to 1e-10 or better (in double where the model calls functions). The state is unchanged. Not
   with contacts, nor on phase space. */
TAUT_API int taut_linearise(taut_simulation *simulation, double h, double *a, double *b);
/* Measures how a step of length h from the current state changes the symplectic form, on pairs of tangent vectors of
   the constraint manifold: the largest change, relative to the terms of its sum; its uncertainty, from differences of
   another order and round-off; how many pairs (0: the manifold has none). The last two may be NULL. The state is
   unchanged. */
TAUT_API int taut_symplectic_defect(taut_simulation *simulation, double h, double *defect, double *uncertainty,
                                    int *pairs);

/* ---- methods ---- */

enum {
    TAUT_KEEPS_SYMPLECTIC = 1, /* the symplectic form on the constraint manifold */
    TAUT_KEEPS_ENERGY = 2,     /* exactly, not just nearly */
    TAUT_KEEPS_MOMENTUM = 4,   /* momenta of affine symmetries */
    TAUT_KEEPS_REVERSIBLE = 8, /* a step with -h undoes a step with h */
    TAUT_KEEPS_POSITION = 16,  /* g(q) = 0 */
    TAUT_KEEPS_VELOCITY = 32   /* dg/dt = 0 */
};
/* A method of the catalogue with its default options. The strings last as long as the library. */
typedef struct taut_method_info {
    size_t size; /* sizeof(taut_method_info) */
    const char *name, *summary, *source;
    int order;
    unsigned keeps; /* a sum of TAUT_KEEPS_* */
    int momentum_order;         /* of momenta and velocities */
    unsigned keeps_free;        /* what it keeps besides where a model has neither constraints nor contacts */
    size_t options;             /* how many it has */
    const char *equations;      /* the scheme, a few lines */
    const char *slips;          /* what becomes of constraints on velocities, a few lines; NULL: it refuses them */
    const char *family;         /* the members of a family of methods, a few lines; NULL: it is one method */
} taut_method_info;
/* TAUT_BAD_USAGE beyond the last. */
TAUT_API int taut_methods(size_t index, taut_method_info *info);
/* An option of a method: NAME:key=value, or NAME:word. The strings are for people. */
typedef struct taut_method_option {
    size_t size;
    const char *name, *values, *meaning;
} taut_method_option;
/* Option `index` of method `method`; TAUT_BAD_USAGE beyond the last. */
TAUT_API int taut_method_options(size_t method, size_t index, taut_method_option *option);
/* Whether this is a method with options that it has, as "lobatto:s=3". Their values are looked at with a model. */
TAUT_API int taut_method_check(taut_context *context, const char *method);

#ifdef __cplusplus
}
#endif

#include "taut/analysis.h"
#include "taut/files.h"

#endif
