/* Taut: constrained mechanics without drift. The whole public interface.
 *
 * Calls that can fail return a status: 0: success; positive: failure, the object is as it was before; negative: failure,
 * and the object can only be destroyed. taut_error_text(context) says what happened, where, and what to try.
 *
 * Threads: a context and everything made in it belong to one thread at a time. Threads with contexts of their own do not
 * disturb each other.
 * Locales: numbers in strings have a decimal point, whatever locale the program has set. */
#ifndef TAUT_TAUT_H
#define TAUT_TAUT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAUT_VERSION "0.1.0"
#define TAUT_ERROR_TEXT 2048

enum {
    TAUT_OK = 0,
    TAUT_BAD_USAGE = 1,     /* an argument or an option is invalid */
    TAUT_BAD_MODEL = 2,     /* the model is wrong; the message names file and line */
    TAUT_OUT_OF_MEMORY = 3, /* an allocation failed */
    TAUT_NO_CONVERGENCE = 4,/* an iteration did not converge */
    TAUT_SINGULAR = 5,      /* a matrix is singular: redundant constraints or a singular mass matrix */
    TAUT_NOT_FINITE = 6,    /* a value became infinite or not a number */
    TAUT_CANNOT_READ = 7,   /* a file cannot be read */
    TAUT_UNSUPPORTED = 8,   /* this build, or this method, cannot do that for this model */
    TAUT_CANNOT_WRITE = 9   /* a file cannot be written */
};

/* The context: allocator, log, error text. */
typedef struct taut_context taut_context;
/* resize(user, NULL, n) allocates, resize(user, p, 0) frees and returns NULL, otherwise as realloc. It must return:
   no longjmp and no exception may leave it. */
typedef struct taut_allocator {
    void *(*resize)(void *user, void *block, size_t size);
    void *user;
} taut_allocator;
/* Called with a line without its newline. It must return, as the allocator. */
typedef void (*taut_log)(void *user, const char *line);

/* allocator may be NULL, or all zero, for malloc and free. Returns NULL when even the context cannot be allocated. */
taut_context *taut_context_create(const taut_allocator *allocator);
/* NULL is allowed. Models and simulations keep their context: destroyed before them, it lasts, without its log, as
   long as the last of them; so must the allocator. Only the functions of those objects may then be called. */
void taut_context_destroy(taut_context *context);
/* Sets the callback for script output and warnings. NULL (the default) disables it. */
void taut_context_log(taut_context *context, taut_log log, void *user);
/* The message of the last call in this context that returned a status: what failed, or an empty string after a
   success. Valid until the next such call. */
const char *taut_error_text(const taut_context *context);

/* ---- models ---- */

/* A model: a Lua script (docs/model-language.md) after loading. It does not change any more; one simulation at a time
   may use it. */
typedef struct taut_model taut_model;
/* A value for a param or option of the model. */
typedef struct taut_setting {
    const char *name;
    const char *value; /* a number as a string, "1.62" */
} taut_setting;

/* settings may be NULL when count is 0. A setting for a name that the model does not declare is an error. On failure
   *result is NULL. */
int taut_model_load_file(taut_context *context, const char *path, const taut_setting *settings, size_t count,
                         taut_model **result);
/* The same from memory; messages use name as the name of the file. */
int taut_model_load_text(taut_context *context, const char *name, const char *text, size_t size,
                         const taut_setting *settings, size_t count, taut_model **result);
/* NULL is allowed. Simulations keep their model: destroyed before them, it lasts as long as the last of them, but
   no new simulation can be made of it. */
void taut_model_destroy(taut_model *model);
/* The title. The string is valid as long as the model. */
const char *taut_model_title(const taut_model *model);

/* ---- simulations ---- */

/* A model under a method: a state that steps forward in time. */
typedef struct taut_simulation taut_simulation;

/* Whether steps are native code: machine code that the library writes itself (x86-64), or C compiled by the machine's
   compiler while the simulation runs (docs/performance.md). The results are the same, to the last bit. */
enum {
    TAUT_NATIVE_DEFAULT = 0, /* what the environment variable TAUT_NATIVE says: auto, on or off; without it auto */
    TAUT_NATIVE_AUTO = 1,    /* the library's own; elsewhere compiled in the background, or else interpreted */
    TAUT_NATIVE_ON = 2,      /* taut_simulation_create waits for the compiler, and fails where there is no such code */
    TAUT_NATIVE_OFF = 3      /* never: no thread, no process, no file */
};

#define TAUT_THREADS_MOST 64

/* All zero is the default, too. */
typedef struct taut_simulation_options {
    const char *method;    /* a name of the catalogue with its options; NULL: "rattle" */
    const char *precision; /* "double" or "quad"; NULL: "double" */
    double tolerance;      /* of the Newton iterations, relative; 0: down to round-off */
    int project_start;     /* not 0: move an inconsistent start onto the constraints */
    double step;           /* the first step; only models with start_points need it here */
    int active_set;        /* nonzero: active-set instead of event-driven steps (models with contacts, method euler) */
    int start_as_is;       /* nonzero: take the start as given, on the constraints or not (naive, extended, dirac) */
    int native;            /* one of TAUT_NATIVE_* */
    int threads;           /* 1 to TAUT_THREADS_MOST: threads that share the steps of a large system, the caller's
                              included; the results are the same, to the last bit. 0: 1 */
} taut_simulation_options;

/* Method rattle, double precision, tolerance 0, and a start that must satisfy the constraints. */
taut_simulation_options taut_simulation_options_default(void);

/* Compiles the model and finds its consistent start (t = 0). options may be NULL for the defaults. */
int taut_simulation_create(taut_model *model, const taut_simulation_options *options, taut_simulation **result);
/* NULL is allowed. */
void taut_simulation_destroy(taut_simulation *simulation);

/* Takes one step of length h. A negative h steps back in time, in models without contacts. On a positive status the
   state is unchanged. */
int taut_simulation_step(taut_simulation *simulation, double h);
/* Steps of h up to the time `until`, the last one shortened to end there; none where the simulation is there
   already. On failure the state is that before the step that failed. */
int taut_simulation_run(taut_simulation *simulation, double h, double until);
double taut_simulation_time(const taut_simulation *simulation);

/* An event of a contact, inside a step (docs/contacts.md). */
typedef struct taut_event {
    double time;
    const char *contact;   /* the name, valid as long as the model */
    const char *kind;      /* "impact", "rest", "release", "stick" or "slip" */
    double impulse;        /* of the multiplier, for impacts; 0 otherwise */
    /* The columns just after the event, as from taut_simulation_frame_pairs; valid during the call. */
    const double *frame, *frame_low;
} taut_event;
/* Called once for each event, in their order, when the step in which they happened is over: taut_simulation_time
   and taut_simulation_frame are those at the end of the step. The callback may read the simulation (time, columns,
   frame, counts) and change the callback, but not step, restart or destroy it. A positive status takes the whole
   step back and is returned by taut_simulation_step or taut_simulation_run; the remaining events of the step are
   not reported. The callback may also leave by longjmp or, in C++, by an exception: the simulation is then at the
   end of the step, the remaining events of the step are not reported, and it can go on, or be destroyed. (The
   library is compiled with -fexceptions.) */
typedef int (*taut_event_callback)(void *user, const taut_event *event);
/* Sets the event callback of a model with contacts. NULL (the default) disables it. */
void taut_simulation_events(taut_simulation *simulation, taut_event_callback callback, void *user);

/* The number of columns of a frame: t, coordinates, velocities, momenta, multipliers, energy and so on
   (docs/model-language.md). */
size_t taut_simulation_columns(const taut_simulation *simulation);
/* Writes the name of a column, counted from 0, into the buffer, cut to size (0: nothing is written, and buffer may
   be NULL). TAUT_BAD_USAGE and an empty string where there is no such column. */
int taut_simulation_column_name(const taut_simulation *simulation, size_t column, char *buffer, size_t size);
/* Index of the column with this name, or -1. */
long taut_simulation_column(const taut_simulation *simulation, const char *name);
/* The current values of all columns. */
int taut_simulation_frame(taut_simulation *simulation, double *values);
/* The same with 31 digits of a simulation in quad precision: each value is high[i] + low[i]. */
int taut_simulation_frame_pairs(taut_simulation *simulation, double *high, double *low);
/* Returns to the start, t = 0. */
void taut_simulation_restart(taut_simulation *simulation);
/* Moves the state along the exact solution to the time `until`, as a reference for the errors of methods. It uses an
   extrapolation method that none of the methods uses. The tolerance is relative, per step. */
int taut_simulation_flow(taut_simulation *simulation, double until, double tolerance);

/* Work since the simulation was created. */
typedef struct taut_counts {
    long steps, newton_iterations, factorisations;
    /* Of methods that evaluate a vector field: evaluations, rejected steps, projections onto the constraints, and steps
       with a projection. */
    long evaluations, rejected, position_projections, momentum_projections, projected_steps;
} taut_counts;
taut_counts taut_simulation_counts(const taut_simulation *simulation);

/* Measures how a step of length h from the current state changes the symplectic form, on pairs of tangent vectors of
   the constraint manifold. The state is unchanged. */
typedef struct taut_symplecticity {
    double defect;      /* largest change of the form, relative to the terms of its sum */
    double uncertainty; /* of the defect, from differences of another order and round-off */
    int pairs;          /* of tangent vectors; 0 where the manifold has none */
} taut_symplecticity;
int taut_simulation_symplecticity(taut_simulation *simulation, double h, taut_symplecticity *result);

/* ---- methods ---- */

int taut_method_count(void);
/* The name of a method, or NULL beyond the last. */
const char *taut_method_name(int index);

#ifdef __cplusplus
}
#endif
#endif
