/* A simulation: a system, a method, a state, and the columns that are recorded of them; in the precision of the unit. */
#ifndef TAUT_RUN_SIMULATION_H
#define TAUT_RUN_SIMULATION_H

#include "method/method.h"
#include "run/engine.h"
#include "solve/acceleration.h"
#include "solve/start.h"
#include "system/symmetry.h"

typedef struct {
    model *m;
    struct system *s;
    method method;
    state x;
    start_report start;
    acceleration *acceleration;
    symmetry symmetries[SYMMETRY_LIMIT];
    int symmetry_count;
    int column_symmetries;   /* those with a column of their own: translations and rotations, which come first */
    long steps;
    /* work for frames */
    real *v, *lambda, *g, *g_rate, *g_values, *observables;
} simulation;

int simulation_create(model *m, const engine_options *options, simulation **result);
void simulation_destroy(simulation *z);
int simulation_step(simulation *z, real h);

/* Largest |g| and |dg/dt| of the state. */
void simulation_residuals(simulation *z, real *position, real *velocity);
real simulation_energy(simulation *z);
/* The multipliers that belong to the state, into z->lambda. */
int simulation_multipliers(simulation *z);

size_t simulation_column_count(const simulation *z);
void simulation_column_name(const simulation *z, size_t column, char *buffer, size_t size);
int simulation_frame(simulation *z, wide *values);

int simulation_check(model *m, int project_start, engine_check *result, void (*start)(void *user, const char *name, wide value, int free),
                     void (*redundant)(void *user, uint32_t constraint, const char *on),
                     void (*conserved)(void *user, const char *name),
                     void (*method)(void *user, const char *name, const char *refusal), void *user);

#endif
