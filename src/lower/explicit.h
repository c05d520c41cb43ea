/* Explicit Runge-Kutta schemes of a field (field.h) as programs: its expressions with each stage's place put in. */
#ifndef TAUT_LOWER_EXPLICIT_H
#define TAUT_LOWER_EXPLICIT_H

#include "lower/field.h"
#include "lower/program.h"

enum { EXPLICIT_STAGES = 6 };

/* Z_i = z0 + h sum_j a_ij F(Z_j) at t0 + c_i h,  z1 = z0 + h sum_i b_i F(Z_i). */
typedef struct {
    int stages;
    real a[EXPLICIT_STAGES][EXPLICIT_STAGES], b[EXPLICIT_STAGES], c[EXPLICIT_STAGES];
    real error[EXPLICIT_STAGES]; /* weights of an estimate of the error of z1; zeros: there is no estimate */
} explicit_tableau;

/* What the step must lead to: constraints, and their rates, that are at most eps; otherwise it is left. */
typedef struct {
    int positions, momenta;   /* are they looked at? */
    real eps;
} explicit_limits;

/* A step of h. *result is NULL where it would be too long, or a stage is not the solution of linear equations in a
   fixed order of elimination: TAUT_OK all the same. */
int X(explicit_step_create)(struct system *s, field_type type, const explicit_tableau *t, const explicit_limits *limits,
                             program **result);

/* What a step whose length is the number `step` of the state would do, for schemes with steps of their own. With one
   stage, and 1 for the length, it is the field at the state, for implicit schemes. */
typedef struct explicit_trial explicit_trial;
int X(explicit_trial_create)(struct system *s, field_type type, const explicit_tableau *t, explicit_trial **result);
void X(explicit_trial_destroy)(explicit_trial *r);
/* move and error (of tableaus that have one): 2n; lambda: c, those of the last stage, unless the field leaves them
   alone. 0: not by this program, a pivot has lost too many digits. */
int X(explicit_trial_read)(explicit_trial *r, const state *x, real *move, real *error, real *lambda);

#endif
