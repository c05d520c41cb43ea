/* A method as a table: what a step solves, written once as data. stepper.h derives everything else from it: residual,
 * Newton's matrix and its pattern, the measure of a correction, the names of equations, the new state.
 *
 * A step is a short sequence of phases. Each has groups of unknowns and as many equations. An equation is a sum of
 * terms
 *     coefficient h^power function(place)
 * and a place (t, q, w, lambda) is an affine combination of the state at the start and of unknowns. Unknowns of earlier
 * phases are known in the later ones. The results are sums of terms too.
 *
 * A table is plain data of fixed size: filling it cannot fail. Terms with coefficient zero are left out, so that
 * tableaus can be written down as they are. */
#ifndef TAUT_STEP_TABLE_H
#define TAUT_STEP_TABLE_H

#include "system/state.h"

/* How long a group of unknowns or an equation is: coordinates, constraints, or components of embedded points. */
typedef enum { STEP_N, STEP_C, STEP_Y, STEP_SIZES } step_size;

/* Vectors: groups of unknowns are 0, 1, ..; these are known when the step begins. P0 and Q0 are with what compensated
   summation left over. */
enum {
    STEP_Q0 = -10, STEP_P0, STEP_W0, STEP_LAMBDA0,
    STEP_TREND0,              /* by how much lambda is expected to change */
    STEP_NU0, STEP_PHI0,      /* nu and phi at the state */
    STEP_W_RATE0,             /* dw/dt there, for guesses: where the mass is constant and w changes little in the step;
                                 otherwise zero */
    STEP_Y0,                  /* the embedded points of the start */
    STEP_Y_RATE0,             /* their mean rate on the way to q0 + h w0 */
    STEP_KNOWN = 10
};

typedef enum {
    STEP_VECTOR,              /* a vector itself; its index stands for the place */
    /* The functions of system.h. PI_CHANGE is pi - p0, for sums with weights that add up to one: small numbers. */
    STEP_PI, STEP_PI_CHANGE, STEP_NU, STEP_PHI,
    STEP_FREE, STEP_BOND,             /* phi in two parts: without the constraint force, and G' lambda */
    STEP_APPLIED, STEP_REACTION,      /* phi = f + r */
    STEP_G,
    STEP_RATE,                /* G w + g_t: w of the place is a velocity, in every form */
    STEP_SLIP,                /* psi(q,w,t) in the rows of velocity constraints, where STEP_G is zero; zero elsewhere */
    STEP_SLIP_BOND,           /* a' lambda, the force of the velocity constraints alone */
    STEP_FORCE,               /* what force() was given */
    /* The gradients of the table's energy by w and q, and discrete gradients from place `from`. With embedded points
       the gradients are n + y numbers and belong to two equations that follow each other. */
    STEP_E_W, STEP_E_W_CHANGE, STEP_E_Q,
    STEP_D_W, STEP_D_Q,
    STEP_D_BOND,              /* Dg' lambda */
    STEP_CHART,               /* the embedded points */
    STEP_CHART_PULL,          /* chart_q' a, a for w of the place */
    /* For the work alone, one number each, over the step: (t1 - t0) D_t of the energy, -(t1 - t0) lambda.D_t g,
       -(t1 - t0) lambda.b, and F.(q1 - q0). */
    STEP_D_T, STEP_D_T_BOND, STEP_SLIP_WORK, STEP_FORCE_WORK,
    /* Derivatives by time of pi and of dg/dt at the state, dw/dt being w of the place: for programs over elements of
       Lagrangian models alone (lower/element_motion.h). */
    STEP_PI_RATE, STEP_RATE_RATE,
    STEP_FUNCTIONS
} step_function;

enum { STEP_PARTS = 12, STEP_GROUPS = 32, STEP_PLACES = 40, STEP_EQUATIONS = 32, STEP_TERMS = 400, STEP_PHASES = 3 };

/* sum of coefficient h^power vector */
typedef struct {
    int vector, power;
    real coefficient;
} step_part;

typedef struct {
    step_part parts[STEP_PARTS];
    int count;
} step_sum;

/* What a place is made of; Q_Y and W_Y are what follows the n numbers of q and w where there are embedded points. */
typedef enum { STEP_Q, STEP_W, STEP_LAMBDA, STEP_Q_Y, STEP_W_Y, STEP_SLOTS } step_slot;

typedef struct {
    real time;                /* t0 + time h; 1 is the end of the step */
    step_sum slots[STEP_SLOTS];
} step_place;

/* How much a correction counts. */
typedef enum {
    STEP_NOT_MEASURED,
    STEP_MOVES,               /* as a displacement, scale times the unknown, relative to the positions */
    STEP_VELOCITY,            /* relative to the velocities */
    STEP_MOMENTUM,            /* relative to the momenta, and to what forces give in the step */
    STEP_MEASURES
} step_measure;

typedef struct {
    int phase;                /* STEP_INPUT: set from outside before the step */
    step_size size;
    step_sum guess;           /* of known vectors and of groups of earlier phases */
    step_measure measure;
    step_part scale;          /* of STEP_MOVES; its vector is not used */
} step_group;
enum { STEP_INPUT = -1 };

typedef struct {
    int phase;
    step_size size;
    const char *name;         /* for messages, before that of the coordinate or constraint: "momentum of " */
    int point;                /* if not zero, "at point N" is added */
} step_equation;

typedef struct {
    int equation;             /* or one of the following */
    step_function function;
    int place;
    int power;
    real coefficient;
} step_term;
/* Results: what is added to q0 and p0, and to the work. */
enum { STEP_RESULT_Q = -3, STEP_RESULT_P, STEP_RESULT_WORK };

typedef struct {
    const char *what;         /* is solved for, for messages */
    int many_zeros;           /* on the diagonal of the matrix: see assembly_expect_zeros */
    int improve_guess;        /* the first correction is of lower order in h than the next ones, which would look slow
                                 after it: it is made before the iteration */
} step_phase;

typedef struct {
    field *energy;            /* of STEP_E_* and STEP_D_*; NULL: there are none */
    discrete_mode mode;
    int from;                 /* where discrete gradients begin */
    step_group groups[STEP_GROUPS];
    step_place places[STEP_PLACES];
    step_equation equations[STEP_EQUATIONS];
    step_term terms[STEP_TERMS];
    step_phase phases[STEP_PHASES];
    int group_count, place_count, equation_count, term_count, phase_count;
    int sets_momentum;        /* STEP_RESULT_P is p1, not what is added to p0 */
    int w;                    /* the group that is w at the end; not read for models whose w is p */
    int lambda;               /* the group that the state keeps as its multipliers; -1: none */
    int trend;                /* how they are expected to change: TREND_* of system/state.h */
    int reported;             /* the group of multipliers that belong to the end of the step, where these are others;
                                 -1: none */
    real lambda_time;         /* its time, as of a place; negative: the method does not say */
} step_table;

/* An empty table. */
void X(step_table_begin)(step_table *t);
int X(step_add_phase)(step_table *t, const char *what);
/* A group begins with the guess zero, and is not measured. */
int X(step_add_group)(step_table *t, int phase, step_size size);
void X(step_guess)(step_table *t, int group, int vector, real coefficient, int power);
/* Multipliers begin with those of the state and their trend. */
void X(step_guess_multipliers)(step_table *t, int group, int trend);
void X(step_measured)(step_table *t, int group, step_measure measure, real coefficient, int power);
int X(step_add_place)(step_table *t, real time);
/* Adds coefficient h^power vector to a slot of the place. */
void X(step_put)(step_table *t, int place, step_slot slot, int vector, real coefficient, int power);
int X(step_add_equation)(step_table *t, int phase, step_size size, const char *name);
void X(step_add)(step_table *t, int equation, step_function function, int place, real coefficient, int power);

#endif
