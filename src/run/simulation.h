/* A simulation: a system, a method, a state, and the columns that are recorded of them; in the precision of the
   unit. */
#ifndef TAUT_RUN_SIMULATION_H
#define TAUT_RUN_SIMULATION_H

#include "analysis/dirac.h"
#include "contact/hybrid.h"
#include "native/native.h"
#include "run/engine.h"
#include "solve/acceleration.h"
#include "solve/flow.h"
#include "solve/start.h"
#include "system/symmetry.h"

typedef struct {
    model *m;                /* as given, or derived */
    model *derived;          /* on phase space, from the Dirac algorithm; NULL for ordinary models */
    /* of a model with contacts: the one with all of them open, of which s is made; NULL otherwise */
    model *open;
    struct system *s;
    hybrid *hybrid;          /* steps of a model with contacts; NULL otherwise */
    method_spec spec;
    method method;
    method_info declared;    /* with what the options make of it */
    native_use native;       /* of all systems of this simulation */
    state x;
    state begin;             /* the start */
    flow *flow;              /* made when first asked for */
    start_report start;
    acceleration *acceleration;
    symmetry symmetries[SYMMETRY_LIMIT];
    int symmetry_count;
    int column_symmetries;   /* those with a column of their own: translations and rotations, which come first */
    long steps;
    engine_on_event on_event; /* callback for events of contacts; NULL: none */
    void *on_event_user;
    long event_counts[EVENT_KINDS];
    long counts_before[EVENT_KINDS]; /* the last step */
    newton_counts work_before; /* of the run that this one goes on from */
    /* work for frames */
    void *room;              /* of these arrays */
    real *v, *lambda, *g, *g_rate, *g_values, *observables, *gaps; /* lambda: of the constraints, then of the contacts
                                                                      */
    real *phase_work, *phase_entries; /* (q,p) and its rate; entries of the Jacobians of chi */
} simulation;

static inline place simulation_place(const simulation *z) { return place_at(z->s, z->x.q, z->x.w, &z->x.t, z->lambda); }

/* Compiles z->m into z->s, by way of z->derived if need be. */
int X(simulation_system)(simulation *z, start_mode start);

/* The arrays of z. */
int X(simulation_workspace)(simulation *z);

int X(simulation_create)(model *m, const engine_options *options, simulation **result);
/* With a method that need not be in the table (options->method is then not read). */
int X(simulation_create_with)(model *m, const engine_options *options, const struct method_class *class,
                           simulation **result);
void X(simulation_destroy)(simulation *z);
int X(simulation_step)(simulation *z, real h);
/* The last step, which succeeded, taken back: for models with contacts, whose events may be refused when they are
   told. */
void X(simulation_take_back)(simulation *z);
/* Back to the start. */
void X(simulation_restart)(simulation *z);
/* z->flow, if it is not there yet. */
int X(simulation_make_flow)(simulation *z);
/* After z->x was set to the state of another run of the same model and method. */
void X(simulation_restored)(simulation *z, const engine_counts *counts);
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
/* Largest |g| and |dg/dt| of the state. */
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
int X(simulation_frame)(simulation *z, wide *values);

int X(simulation_check)(model *m, start_mode mode, engine_check *result,
                        void (*start)(void *user, const char *name, wide value, int free),
                        void (*redundant)(void *user, uint32_t constraint, const char *on),
                        void (*conserved)(void *user, const char *name),
                        void (*method)(void *user, const char *name, const char *refusal), void *user);

/* What `taut verify` measures, from the state at hand (engine.h says what each is). */
int X(simulation_follow)(simulation *z, real h, long steps, engine_follow *result);
int X(simulation_return)(simulation *z, real h, long steps, engine_return *result);
int X(simulation_symplecticity)(simulation *z, real h, engine_symplecticity *result);
int X(simulation_growth)(simulation *z, real h, long steps, long from, long stride, engine_growth *result);
int X(simulation_stability)(simulation *z, real h, real period, real until, engine_stability *result);

#endif
