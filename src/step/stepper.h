/* Steps of a method that is given by its table (table.h). */
#ifndef TAUT_STEP_STEPPER_H
#define TAUT_STEP_STEPPER_H

#include "base/step_path.h"
#include "solve/newton.h"
#include "step/table.h"
#include "system/multiplier_growth.h"
#include "system/state.h"

typedef struct stepper stepper;


/* The table is copied. */
int X(stepper_create)(struct system *s, const step_table *table, real tolerance, stepper **result);
void X(stepper_destroy)(stepper *r);
/* x := the state h later; unchanged on failure. Depends on x, h and the inputs alone. */
int X(stepper_step)(stepper *r, state *x, real h);
/* Up to `count` such steps, of lengths[0], lengths[stride], .., where that is faster than one by one; stride: 0 or 1.
   Returns how many: possibly none. size: as in method_steps (method.h). */
long X(stepper_steps)(stepper *r, state *x, const real *lengths, int stride, long count, multiplier_growth *size);
/* Sets a group of phase STEP_INPUT, for the steps that follow. */
void X(stepper_input)(stepper *r, int group, const real *values);
/* The multipliers that the table reports, of the last step; those of the state where it reports none. */
const real *X(stepper_reported)(const stepper *r);
const newton_counts *X(stepper_counts)(stepper *r);

/* Are steps made by straight-line code? */
int X(stepper_is_lowered)(const stepper *r);
/* How they are made. */
step_path X(stepper_path)(const stepper *r);
/* For tests: from now on by the general path, or (which is the default) by straight-line code where there is some. */
void X(stepper_use_lowered)(stepper *r, int use);
/* For tests: residuals and results of the general path field by field, or (the default) by programs over elements. */
void X(stepper_use_elements)(stepper *r, int use);
/* For tests: phases of elements by their whole matrix, or (the default) by clusters where there are some. */
void X(stepper_use_clusters)(stepper *r, int use);
/* For tests: the unknowns of a phase where its problem expects them, after a correction by clusters. */
void X(stepper_write_unknowns)(stepper *r, int phase);
/* For tests: does a phase have these, and is it solved by clusters? */
int X(stepper_has_elements)(const stepper *r, int phase, int *has_clusters);
/* For tests: the straight-line code; NULL: none. */
struct program *X(stepper_program)(stepper *r);

/* Tangent vectors of a step (tangent.h). prepare allocates; TAUT_UNSUPPORTED where the table contains what has no
   derivatives, with a message. */
int X(stepper_prepare_tangent)(stepper *r);
/* dq, dp: `count` rows of n numbers, a tangent vector (dq, dp) each, at the state x: become those at the state h later.
   x is only read. */
int X(stepper_tangent)(stepper *r, const state *x, real h, size_t count, real *dq, real *dp);

/* How many phases a step has. */
int X(stepper_phases)(const stepper *r);
/* For tests: the Newton problem of a phase, at the guess of a step from x. The unknowns are at *unknowns; later phases
   take those of the earlier ones as they are. */
newton_problem X(stepper_problem)(stepper *r, int phase, const state *x, real h, real **unknowns);

#endif
