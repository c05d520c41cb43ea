/* The public interface (taut.h), a thin layer over models, engines, run files and pages: what its files share. */
#ifndef TAUT_LIBRARY_LIBRARY_H
#define TAUT_LIBRARY_LIBRARY_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "record/recorder.h"
#include "run/engine.h"
#include "run/plan.h"
#include "run/progress.h"
#include "taut/taut.h"

/* What every call that can fail begins and ends with: the error is that of the last of them, and a success has none.
   (A call that succeeds may have met failures on its way.) */
static inline void library_begin(taut_context *context) { taut_context_begin(context); }
static inline int library_done(taut_context *context, int status) { return taut_context_done(context, status); }
/* After another call of the public interface on the way, which has ended with library_done. */
static inline void library_again(taut_context *context) { environment_enter(taut_context_environment(context)); }
/* Around callbacks that may leave by longjmp, and find their own environment. */
static inline void library_leave(taut_context *context) { environment_leave(taut_context_environment(context)); }

/* A call that is given NULL for what it needs fails with TAUT_BAD_USAGE, and with a message where there is a context. */
int taut_library_null(taut_context *context, const char *call, const char *name);
#define LIBRARY_NEEDS(context, pointer, name) \
    do { \
        if (!(pointer)) return taut_library_null(context, __func__, name); \
    } while (0)

struct taut_model {
    taut_context *context;
    model *m;                /* constant */
    definition *settings;    /* as given; the strings are its own */
    size_t setting_count;
    atomic_long references;  /* the user's, and those of its simulations */
};

/* An engine with the model it was compiled from. Clones share it. */
typedef struct {
    taut_context *context;
    const engine_api *api;
    void *engine;
    model *m;
    int borrows;             /* m is that of the simulation's taut_model */
    atomic_long references;
} library_plan;

/* A stretch of columns of one type. */
typedef struct {
    engine_column type;
    size_t first, count;     /* within the type */
} library_stretch;

struct taut_simulation {
    taut_context *context;
    taut_model *model;
    const engine_api *api;
    void *engine;            /* plan->engine, or that of a clone */
    library_plan *plan;
    engine_options options;
    char *method;            /* of the options */
    start_mode start;
    wide *parameters;        /* of all params and inputs */
    unsigned char *is_set;   /* by taut_set */
    size_t *params, *inputs; /* their indices among the parameters */
    size_t param_count, input_count;
    size_t columns;
    wide *frame;
    /* The call that computes, unless it waits for a hook or an event callback, which may leave by longjmp. Functions of
       the model must return, so a call that finds another one here comes from such a function. */
    const char *computing;
    const char *moved_by;    /* the last call that hooks may not make, or event callbacks; forgotten before one */
    const char *changed_by;  /* the same of calls that hooks may make and event callbacks may not */
    void *left_engine;       /* of a run into a file, from before a hook set params; and its plan */
    library_plan *left_plan;
    double length;           /* of the last step, when it was given as this number; otherwise NaN */
    int in_place;            /* the first plan uses the model as it is: it has no other owner */
    taut_event_callback event;
    void *event_user;
    /* events of the step, reported when it is over: with each the frame just after it, the high parts and then the low
       ones */
    taut_event *events;      size_t event_count, event_capacity;
    double *event_frames;    size_t event_frame_capacity;
    /* names, made when first asked for (access.c) */
    char *names;
    size_t *name_at;         /* of columns, params, inputs */
    uint32_t *name_table;    size_t name_table_size;
    /* of a run (advance.c); kept here, because a hook may leave by longjmp */
    library_stretch *stretches; size_t stretch_capacity;
    recorder *recorder;
};

/* Copies a struct that begins with its size into one of `known` bytes; what is not given is zero. */
int taut_library_take(taut_context *context, const char *name, const void *given, size_t known, void *to);
/* Copies out as much of a struct as the user's has room for; its size stays. */
void taut_library_give(const void *from, size_t known, void *to);

/* All digits of a number. */
static inline taut_value library_value(wide x)
{
    const double high = (double)x;
    return (taut_value){ high, high - high == 0 ? (double)(x - high) : 0 };
}

/* A computation of many runs, for another thread. */
struct taut_progress {
    taut_context *context;
    run_progress progress;
};

/* model.c */
definition *taut_library_settings(taut_context *context, const definition *from, size_t count);
void taut_library_settings_free(taut_context *context, definition *settings, size_t count);
/* The model with a reference of its own; copies the settings. Frees m on failure. */
int taut_library_wrap(taut_context *context, model *m, const definition *settings, size_t count, taut_model **result);

/* simulation.c */
/* options->method is copied. in_place: the engine uses the model as it is, and adds to its expressions: the caller has
   the only reference, and gives it to the simulation where the call succeeds. */
int taut_library_simulation(taut_context *context, taut_model *model, const engine_api *api,
                            const engine_options *options, int in_place, taut_simulation **result);
int taut_library_check_threads(taut_context *context, int threads);
int taut_library_check_options(taut_context *context, const taut_options *o, const engine_api **api);
/* Begins and ends a call that computes with the simulation; z is not NULL. */
int taut_library_enter(taut_simulation *z, const char *call);
static inline int library_exit(taut_simulation *z, int status)
{
    z->computing = NULL;
    return library_done(z->context, status);
}
void taut_library_forget_left(taut_simulation *z);
/* Another plan with the values in z->parameters; the simulation is at its start. On failure it is as before. */
int taut_library_rebuild(taut_simulation *z);
/* An engine of its own on a copy of the simulation's model, with all values. */
int taut_library_plan(const taut_simulation *z, taut_context *context, const engine_api *api,
                      const engine_options *options, library_plan **result);
void taut_library_plan_release(library_plan *p);
/* A copy of the simulation's model, with all values; what was set does not follow formulas of other params. */
int taut_library_model(const taut_simulation *z, taut_context *context, model **result);
/* Tells the engine the inputs in z->parameters. */
int taut_library_inputs(taut_simulation *z);

/* advance.c */
/* The steps of taut_advance from a time on. */
run_plan taut_library_run_plan(wide begin, const taut_run *run);
/* The settings with which the model can be loaded again: those of its loading, and what was set since. Both arrays
   belong to the context of the simulation, on failure, too; numbers has the strings of the latter. */
int taut_library_list_settings(const taut_simulation *z, definition **list, size_t *count,
                               char (**numbers)[WIDE_TEXT]);

/* access.c */
/* Numbers of the frame that depend on functions of the user, before and after they are evaluated. */
static inline void library_read_begin(taut_simulation *z) { taut_context_forget_fault(z->context); }
int taut_library_read_done(taut_simulation *z, int status, const double *values, size_t count);
/* A failure of something that happens where the simulation is. */
int taut_library_failed(taut_simulation *z, int status);
/* taut_set_state at a time of more digits: members of an ensemble begin exactly when their simulation is. */
int taut_library_set_state(taut_simulation *z, wide t, const double *q, int kind, const double *w, int how);
void taut_library_names_clear(taut_simulation *z);
/* First and last type of column of a public kind; 0 where it is none. */
int taut_library_columns(int kind, engine_column *first, engine_column *last);

/* file.c */
/* A page is made in memory and handed to `write`: so nothing is handed on of one that fails. */
typedef int library_page(void *self, FILE *memory);
int taut_library_hand_on(taut_context *context, library_page *make, void *self,
                         int (*write)(void *user, const char *data, size_t size), void *user);

/* step.c */
int taut_library_step(taut_simulation *z, wide h);
int taut_library_step_of(taut_simulation *z, double h);
int taut_library_on_event(void *user, const engine_event *event);
int taut_library_tell_events(taut_simulation *z);

#endif
