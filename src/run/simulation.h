/* A simulation: a system, a method, a state, and the columns that are recorded of them; in the precision of the
   unit. */
#ifndef TAUT_RUN_SIMULATION_H
#define TAUT_RUN_SIMULATION_H

#include "analysis/dirac.h"
#include "base/flat.h"
#include "contact/hybrid.h"
#include "lower/element_motion.h"
#include "lower/element_reading.h"
#include "lower/reading.h"
#include "method/points_watch.h"
#include "native/native.h"
#include "expr/call.h"
#include "run/engine.h"
#include "solve/acceleration.h"
#include "solve/flow.h"
#include "solve/impulse.h"
#include "solve/legendre.h"
#include "solve/start.h"
#include "system/multiplier_growth.h"
#include "system/symmetry.h"

/* What is read off a state besides the state itself, each with the members of a simulation that hold it. */
enum {
    READING_VELOCITY = 1,      /* v */
    READING_MULTIPLIERS = 2,   /* lambda; with contacts also gaps and observables */
    READING_RESIDUALS = 4,     /* g, g_rate; largest_g, largest_rate; v */
    READING_ENERGY = 8,        /* energy; v, except on phase space */
    READING_MOMENTA = 16,      /* momenta */
    READING_OBSERVABLES = 32,  /* observables */
    READING_POWER = 64,        /* power */
    READING_JACOBIAN = 128,    /* g_values: with the residuals, where these come by the fields */
    READING_DETERMINED = 256   /* lambda, which is then not missing */
};
/* All that a run watches, and all that a frame has. */
#define READING_WATCHED (READING_RESIDUALS | READING_ENERGY | READING_MOMENTA)
#define READING_FRAME (READING_WATCHED | READING_VELOCITY | READING_MULTIPLIERS | READING_OBSERVABLES)

/* Of a watched quantity, over the samples of a run: sums are of value - first, and of t times it. */
typedef struct {
    real first, last, lowest, highest, sum, sum_t;
} watch_sums;
/* Energy, |g|, |dg/dt|, symmetries, energy - work. */
#define WATCH_LIMIT (SYMMETRY_LIMIT + 4)

/* A matrix that the library gives away: a block of the system, its parts added up in compressed rows. */
typedef struct {
    pattern *shape;          /* NULL: not made yet */
    int *place;              /* of each entry of the block in it */
    real *entries;           /* of the block */
} simulation_matrix;
#define STRAIN_WEIGHED 256 /* constraints; of more the largest multiplier stands for all */
/* Of more constraints than that, those that have coordinates in common, directly or by others, are a part: mechanisms
   beside each other, which are watched one by one. */
typedef struct {
    uint32_t count;
    uint32_t *of_constraint, *of_coordinate; /* the part; of a coordinate without constraints UINT32_MAX */
    uint32_t *constraints;   /* of each part, their number */
    real *size;              /* of each part, as of the whole in strain: the largest multiplier after the last step */
    real *calm, *looked;
    real *before;            /* work */
    real *apart, *whole, *forces, *momenta; /* work of a look */
} strain_parts;

/* Steps that were made in two parts (simulation_divided.c). */
typedef struct {
    state start;             /* of the step */
    int possible;            /* there is a state to go back to */
    long count;
    real t;                  /* of the first */
    long doubtful;           /* steps that were accepted although no parts were better, and changed the energy */
    real doubtful_t, change; /* of the one that changed the energy most */
} division;

/* Multipliers that grow while the motion stays as it is (simulation_strain.c). */
typedef struct {
    int watched;             /* 0: the model has none that could */
    multiplier_growth size;             /* of the multipliers after the last step */
    real calm;               /* sum_k |G_k| |lambda_k| / |G' lambda| when they began to grow; 0: they do not */
    int waits;               /* they have grown in one step: calm has yet to be computed, from z->grew and at */
    real at;                 /* this time */
    real looked;             /* the size when that, or a later ratio, was computed */
    int seen;
    real t, grown;           /* when, and by how much */
    char names[120];         /* of the constraints with the largest forces there */
} strain;

typedef struct {
    taut_context *context;
    model *m;                /* as given, or derived */
    model *derived;          /* on phase space, from the Dirac algorithm; NULL for ordinary models */
    /* of a model with contacts: the one with all of them open, of which s is made; NULL otherwise */
    model *open;
    struct system *s;
    hybrid *hybrid;          /* steps of a model with contacts; NULL otherwise */
    method_spec spec;
    real tolerance;          /* of the method */
    method method;
    method_info declared;    /* with what the options make of it */
    native_use native;       /* of all systems of this simulation */
    pool *pool;              /* likewise; NULL: one thread */
    state x;
    state begin;             /* the start */
    division divided;
    flow *flow;              /* made when first asked for */
    legendre *legendre;      /* likewise */
    impulse *impulse;        /* likewise */
    simulation_matrix matrices[ENGINE_MATRICES]; /* likewise */
    start_report start;
    acceleration *acceleration;
    reading *reading;        /* frames as straight-line code; NULL: none */
    element_reading *elements; /* what is watched by programs over elements, where there is no other code; NULL: none */
    element_motion *motion;  /* multipliers by elements, likewise; NULL: none, or not sought yet */
    int motion_sought;
    points_watch *points;    /* what is watched of points between bars; NULL: the system is another one */
    symmetry symmetries[SYMMETRY_LIMIT];
    int symmetry_count;
    int column_symmetries;   /* those with a column of their own: translations and rotations, which come first */
    long steps;
    int has_calls;           /* the model calls functions of the user */
    real h;                  /* of the last step */
    engine_on_event on_event; /* callback for events of contacts; NULL: none */
    void *on_event_user;
    long event_counts[EVENT_KINDS];
    long counts_before[EVENT_KINDS]; /* the last step */
    newton_counts work_before; /* of the run that this one goes on from */
    flat_workspace *flat;    /* all numbers that steps and frames work on (docs/architecture.md) */
    /* work for frames */
    void *room;              /* of these arrays */
    real *grew;              /* q, w, p and lambda when multipliers began to grow (strain) */
    real *v, *lambda, *g, *g_rate, *g_values, *observables, *gaps; /* lambda: of the constraints, then of the contacts
                                                                      */
    real *phase_work, *phase_entries; /* (q,p) and its rate; entries of the Jacobians of chi */
    unsigned known;          /* readings that belong to the state at hand */
    real largest_g, largest_rate, energy, power, momenta[SYMMETRY_LIMIT];
    real *weights;           /* of the multipliers in strain.size */
    strain strain;
    strain_parts *parts;     /* of the constraints; NULL: they are few, or all of them are one part */
    /* what is watched during a run */
    watch_sums watched[WATCH_LIMIT];
    real samples, sum_t, sum_tt; /* their count; sums of t and t^2 */
} simulation;

static inline place simulation_place(const simulation *z) { return place_at(z->s, z->x.q, z->x.w, &z->x.t, z->lambda); }

/* Compiles z->m into z->s, by way of z->derived if need be. */
int X(simulation_system)(simulation *z, start_mode start);

/* The arrays of z. */
int X(simulation_workspace)(simulation *z);
/* Begins z->flat and creates all that works on it; it is not placed yet. */
int X(simulation_parts)(simulation *z, const struct method_class *class);

int X(simulation_create)(model *m, const engine_options *options, simulation **result);
/* With a method that need not be in the table (options->method is then not read). */
int X(simulation_create_with)(model *m, const engine_options *options, const struct method_class *class,
                           simulation **result);
/* One that goes on as z does, to the bit, in a context of its own: for another thread, say. It shares what is compiled,
   and must go before z does. TAUT_UNSUPPORTED with contacts, whose mode sets are compiled during the run. */
int X(simulation_clone)(const simulation *z, taut_context *context, simulation **result);
void X(simulation_destroy)(simulation *z);
/* As redundancy of engine.h. */
uint32_t X(simulation_redundancy)(const simulation *z, char *text, size_t size);
int X(simulation_step)(simulation *z, real h);
/* Up to `count` steps of the length of the last one, at least one; *done: how many. */
int X(simulation_steps)(simulation *z, long count, long *done);
/* The parts, if there are several. */
int X(simulation_strain_create)(simulation *z);
void X(simulation_strain_destroy)(simulation *z);
void X(simulation_strain_copy)(const simulation *from, simulation *z);
/* What is known of the parts. */
void X(simulation_strain_forget)(simulation *z);
/* At the start. */
void X(simulation_strain_begin)(simulation *z);
/* After a step, of several parts. */
void X(simulation_strain_parts)(simulation *z);
/* After a step in which multipliers have grown. */
void X(simulation_strain_look)(simulation *z);
real X(simulation_strain_of_many)(const simulation *z);
static inline void simulation_strain_after(simulation *z)
{
    if (z->strain.size.grown && !z->strain.seen)
        X(simulation_strain_look)(z);
    else
        z->strain.calm = 0, z->strain.waits = 0;
}
/* After each step: next to nothing, unless they have. */
static inline void simulation_strain(simulation *z)
{
    if (z->parts) {
        if (!z->strain.seen) X(simulation_strain_parts)(z);
        return;
    }
    if (z->s->c > STRAIN_WEIGHED)
        multiplier_growth_to(&z->strain.size, X(simulation_strain_of_many)(z));
    else
        multiplier_growth_step(&z->strain.size, z->x.lambda);
    simulation_strain_after(z);
}
/* A step of a model without contacts. */
int X(simulation_divided_create)(simulation *z);
void X(simulation_divided_destroy)(simulation *z);
int X(simulation_smooth_step)(simulation *z, real h);
int X(simulation_divided_text)(const simulation *z, char *text, size_t size);
/* To be called when z->x has changed in any other way: what was read off the old state is forgotten. */
static inline void simulation_moved(simulation *z) { z->known = 0; }
/* The last step, which succeeded, taken back: for models with contacts, whose events may be refused when they are
   told. */
void X(simulation_take_back)(simulation *z);
/* As off, is_still and step_error of engine.h (simulation_guard.c). */
void X(simulation_off)(simulation *z, engine_off *position, engine_off *velocity);
int X(simulation_is_still)(simulation *z);
int X(simulation_step_error)(simulation *z, double *error);
/* Back to the start. */
void X(simulation_restart)(simulation *z);
/* z->flow, if it is not there yet. */
int X(simulation_make_flow)(simulation *z);
/* After z->x was set to the state of another run of the same model and method. */
int X(simulation_restored)(simulation *z, const engine_counts *counts);
/* The state moved along the exact solution, to the tolerance, without the method. */
/* A time that belongs to the motion at the start, whatever the units; 0: none is known. */
int X(simulation_time)(simulation *z, real *time);
int X(simulation_flow)(simulation *z, real until, real tolerance);
/* Position, momentum, and the multipliers that belong to them. */
int X(simulation_solution)(simulation *z, wide *q, wide *p, wide *lambda);

/* No contact takes energy: no friction, restitution 1. */
int X(simulation_lossless)(const simulation *z);
/* Fails for a model with contacts; `what` does not go with them. */
int X(simulation_without_contacts)(const simulation *z, const char *what);
/* Work of the method. */
newton_counts X(simulation_counts)(const simulation *z);
/* Makes z->motion, unless it has been sought before. */
int X(simulation_find_motion)(simulation *z);
/* Reads everything that `wanted` names off the state, once per state. Fails where multipliers cannot be found. */
int X(simulation_read)(simulation *z, unsigned wanted);
/* The following read the state as it is now, whatever was known. Largest |g| and |dg/dt|, by the fields: leaves G in
   z->g_values. */
void X(simulation_residuals)(simulation *z, real *position, real *velocity);
real X(simulation_energy)(simulation *z);
/* Does the model change its energy, by forces or time? Then the work since the start; energy - work is constant. */
int X(simulation_has_work)(const simulation *z);
real X(simulation_work)(const simulation *z);
/* The multipliers that belong to the state, into z->lambda. */
int X(simulation_multipliers)(simulation *z);

size_t X(simulation_column_count)(const simulation *z);
/* Returns 0; 1 and an empty name beyond the last column. */
int X(simulation_column_name)(const simulation *z, size_t column, char *buffer, size_t size);
/* What it is, a word; NULL beyond the last. */
const char *X(simulation_column_kind)(const simulation *z, size_t column);
int X(simulation_frame)(simulation *z, real *values);
/* Columns of one type. Values: only what these need is evaluated. */
size_t X(simulation_columns_of)(const simulation *z, engine_column type);
int X(simulation_column_values)(simulation *z, engine_column type, size_t first, size_t count, real *values);

/* For the library (engine.h says what each does). */
int X(simulation_set_state)(simulation *z, wide t, const wide *q, const wide *w, int by_momentum, start_mode start);
int X(simulation_kick)(simulation *z, const wide *impulse);
/* Tangent vectors: dq and dp have `count` rows of n numbers, at the state; they become those after a step of h, by its
   exact tangent (method.h). The state stays. TAUT_UNSUPPORTED for methods without one, and with contacts. What it needs
   is allocated by the first call. */
int X(simulation_tangent)(simulation *z, real h, size_t count, real *dq, real *dp);
/* The same, and the step: for Lyapunov exponents. On a failure of the step the state is as before, the vectors are
   not. */
int X(simulation_step_tangent)(simulation *z, real h, size_t count, real *dq, real *dp);
int X(simulation_set_point)(simulation *z, const wide *q, const wide *p);
int X(simulation_matrix_pattern)(simulation *z, engine_matrix which, int *rows, int *columns, const int **start,
                                 const int **index);
int X(simulation_matrix_values)(simulation *z, engine_matrix which, real *values);
int X(simulation_inputs_changed)(simulation *z);
void X(simulation_matrices_clear)(simulation *z);

/* For members of ensembles (simulation_member.c). Can the simulation take other parameters and start values without
   being compiled again? Then the same for those that are in its model now, and for start values that others replace. */
int X(simulation_can_become)(const simulation *z);
/* *same is 0 where it cannot for these: one must be created for them, and z is good for others. */
int X(simulation_become)(simulation *z, const start_setting *others, size_t other_count, start_mode mode, wide t,
                         int *same);
/* Numbers of the system in which members differ, besides their states. */
size_t X(simulation_member_size)(const simulation *z);
void X(simulation_member_save)(const simulation *z, real *numbers);
/* Returns 1, and does nothing, where it cannot (as *same above). */
int X(simulation_member_load)(simulation *z, const real *numbers);

/* What a run watches (engine.h); the state is looked at, then added to the sums. */
size_t X(simulation_watch_count)(const simulation *z);
void X(simulation_watch_name)(const simulation *z, size_t index, char *buffer, size_t size);
void X(simulation_look)(simulation *z, engine_look *found);
void X(simulation_watch)(simulation *z);
void X(simulation_watched)(const simulation *z, size_t index, engine_watched *quantity);
void X(simulation_watch_from)(simulation *z, size_t index, const engine_watched *quantity);

int X(simulation_check)(model *m, start_mode mode, engine_check *result,
                        void (*start)(void *user, const char *name, wide value, int free),
                        void (*redundant)(void *user, uint32_t constraint, const char *on),
                        void (*conserved)(void *user, const char *name),
                        void (*method)(void *user, const char *name, const char *refusal), void *user);

/* What `taut verify` measures, from the state at hand (engine.h says what each is). */
int X(simulation_follow)(simulation *z, real h, long steps, engine_follow *result);
/* The same, and says how far it is; progress may be NULL. */
int X(simulation_follow_watched)(simulation *z, real h, long steps, struct run_progress *progress,
                                 engine_follow *result);
int X(simulation_return)(simulation *z, real h, long steps, engine_return *result);
int X(simulation_symplecticity)(simulation *z, real h, engine_symplecticity *result);
int X(simulation_growth)(simulation *z, real h, long steps, long from, long stride, engine_growth *result);
/* Of the motion near the state, 0 where it does not swing; after that the state is as it was. */
int X(simulation_frequency)(simulation *z, real limit, real *frequency);
int X(simulation_stability)(simulation *z, real h, real period, real until, engine_stability *result);

#endif
