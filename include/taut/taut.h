/* Taut: constrained mechanics without drift. The whole public interface.
 *
 * Calls that can fail return a status. 0: success; positive: the call failed and the object is unchanged; negative:
 * the call failed and the object can only be destroyed. taut_error_text(context) says what happened, where, and what
 * to try. */
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
    TAUT_UNSUPPORTED = 8    /* this build, or this method, cannot do that for this model */
};

/* The context holds the allocator, the log and the error message. Create it first, destroy it last; use one per
   thread. */
typedef struct taut_context taut_context;
/* resize(user, NULL, n) allocates, resize(user, p, 0) frees and returns NULL; otherwise it works like realloc. */
typedef struct taut_allocator {
    void *(*resize)(void *user, void *block, size_t size);
    void *user;
} taut_allocator;
typedef void (*taut_log)(void *user, const char *line);

/* allocator may be NULL for malloc and free. Returns NULL when the context cannot be allocated. */
taut_context *taut_context_create(const taut_allocator *allocator);
void taut_context_destroy(taut_context *context);
/* Sets the callback for script output and warnings. NULL (the default) discards them. */
void taut_context_log(taut_context *context, taut_log log, void *user);
/* The message of the last error in this context; empty if there was none. */
const char *taut_error_text(const taut_context *context);

/* ---- models ---- */

/* A model: a Lua script (docs/model-language.md) after loading. It does not change any more; one simulation at a time
   may use it. */
typedef struct taut_model taut_model;
/* A value for a param or an option of the model. */
typedef struct taut_setting {
    const char *name;
    const char *value; /* a number as a string; for an option also a string, or true or false */
} taut_setting;

/* settings may be NULL when count is 0. A setting for a name that the model does not declare is an error. On failure
   *result is NULL. */
int taut_model_load_file(taut_context *context, const char *path, const taut_setting *settings, size_t count,
                         taut_model **result);
/* The same from memory; messages use name as the name of the file. */
int taut_model_load_text(taut_context *context, const char *name, const char *text, size_t size,
                         const taut_setting *settings, size_t count, taut_model **result);
/* NULL is allowed. Simulations of the model must be destroyed first. */
void taut_model_destroy(taut_model *model);
/* The title. The string is valid as long as the model. */
const char *taut_model_title(const taut_model *model);

/* ---- simulations ---- */

/* A model under a method: a state that steps forward in time. */
typedef struct taut_simulation taut_simulation;

typedef struct taut_simulation_options {
    const char *method;    /* a method with its options, as in "rattle" or "lobatto:s=4" */
    const char *precision; /* "double" or "quad" */
    double tolerance;      /* relative, of the Newton iterations; 0: down to round-off */
    int project_start;     /* nonzero: move an inconsistent start onto the constraints */
    double step;           /* the first step; only models with start_points need it here */
    int active_set;        /* nonzero: active-set instead of event-driven steps (models with contacts, method euler) */
    int start_as_is;       /* nonzero: take the start as given, on the constraints or not (naive, extended, dirac) */
} taut_simulation_options;

/* Method rattle, double precision, tolerance 0, and a start that must satisfy the constraints. */
taut_simulation_options taut_simulation_options_default(void);

/* Compiles the model and finds its consistent start (t = 0). options may be NULL for the defaults. */
int taut_simulation_create(taut_model *model, const taut_simulation_options *options, taut_simulation **result);
void taut_simulation_destroy(taut_simulation *simulation);

/* Takes one step of length h. A negative h steps back in time, in models without contacts. On a positive status the
   state is unchanged. */
int taut_simulation_step(taut_simulation *simulation, double h);
/* Takes steps of length h up to the time `until`; the last one is shortened to end there. */
int taut_simulation_run(taut_simulation *simulation, double h, double until);
double taut_simulation_time(const taut_simulation *simulation);

/* An event of a contact, inside a step (docs/contacts.md). */
typedef struct taut_event {
    double time;
    const char *contact;   /* the name, valid as long as the model */
    const char *kind;      /* "impact", "rest", "release", "stick" or "slip" */
    double impulse;        /* impacts: the impulse of the multiplier; otherwise 0 */
} taut_event;
/* Called during a step. It may call taut_simulation_time and taut_simulation_frame, which give the time and the state
   just after the event, and no other function of the simulation. Return 0 to continue. A positive status ends the step,
   which returns that status and leaves the state as it was before the step. */
typedef int (*taut_event_callback)(void *user, const taut_event *event);
/* Sets the event callback for a model with contacts. NULL (the default) disables it. */
void taut_simulation_events(taut_simulation *simulation, taut_event_callback callback, void *user);

/* The number of columns of a frame: t, coordinates, velocities, momenta, multipliers, energy and so on
   (docs/model-language.md). */
size_t taut_simulation_columns(const taut_simulation *simulation);
/* Writes the name of a column into the buffer, truncated to size. */
void taut_simulation_column_name(const taut_simulation *simulation, size_t column, char *buffer, size_t size);
/* The index of the column with this name, or -1. */
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
