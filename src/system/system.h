/* The constrained system, as methods see it, in the precision of the unit.
 *
 * One set of functions serves Lagrangian, Hamiltonian and rate models. The stage variable w is the velocity of a
 * Lagrangian model and the momentum (the partner z) of the others:
 *     momentum  pi(q,w,t)         L_v            p          z
 *     velocity  nu(q,w,t)         v              H_p        rate of y
 *     force     phi(q,w,t,lambda) L_q + G'lambda + F   -H_q + G'lambda + F   rate of z
 * The equations of motion are  d/dt pi = phi,  d/dt q = nu,  g(q,t) = 0,  and  G nu + g_t = 0  follows.
 *
 * Of a Lagrangian model some of the c constraints may be on velocities: psi(q,v,t) = a(q,t) v + b(q,t) = 0. Their rows
 * of G are a, of g_t they are b, of G v + g_t they are psi, and their rows of g are zero; so that the constraint force
 * is G'lambda, with a'lambda in it, as the principle of Lagrange and d'Alembert has it. */
#ifndef TAUT_SYSTEM_SYSTEM_H
#define TAUT_SYSTEM_SYSTEM_H

#include "field/field.h"
#include "model/form.h"

struct model; /* which methods and solvers do not look into: what they need of it is below */

/* Sparse derivatives of the functions above. */
typedef enum {
    BLOCK_PI_Q, BLOCK_PI_W, BLOCK_NU_Q, BLOCK_NU_W,
    BLOCK_PHI_Q, BLOCK_PHI_W, BLOCK_PHI_LAMBDA,
    BLOCK_G,            /* dg/dq, of velocity constraints a; constraints x coordinates */
    /* phi in two parts, for methods that treat them differently: the free force, and the constraint force G' lambda
       (empty for rates). phi_w is the free force's alone. */
    BLOCK_FREE_Q, BLOCK_FREE_LAMBDA,
    BLOCK_CONSTRAINT_FORCE_Q, BLOCK_CONSTRAINT_FORCE_LAMBDA,
    BLOCK_RATE_Q,       /* d/dq of dg/dt = G v + g_t at fixed v, constraints x coordinates; the place has v for w, in
                           every form */
    /* phi = f + r, in every form (system_prepare_split). f is free of multipliers. */
    BLOCK_APPLIED_Q, BLOCK_APPLIED_W,
    BLOCK_REACTION_Q, BLOCK_REACTION_W, BLOCK_REACTION_LAMBDA,
    BLOCK_POSITION,     /* dg/dq; no entries in the rows of velocity constraints */
    BLOCK_COUNT
} block_id;

/* One summand of a block. */
typedef struct {
    enum { PART_IDENTITY, PART_HESSIAN, PART_JACOBIAN, PART_SLOPE, PART_DISCRETE, PART_DISCRETE_SLOPE } source;
    field *field;
    kind a, b;            /* Hessian by a and b; Jacobian by a; slope of the Jacobian by a along (v, 1) in (q, t), v the
                             place's w */
    int steady;           /* slope along (v, 0) */
    int sign;
    int weighted;         /* Hessian weighted with the multipliers */
    int transposed;       /* the block has the transposed of the pattern */
    const pattern *shape;
    discrete_mode mode;   /* of the discrete ones: Jacobian of D_a, or D_a by variables b of the second place */
} block_part;

#define BLOCK_PARTS 3
typedef struct {
    block_part parts[BLOCK_PARTS];
    int part_count;
    int value_count;      /* entries of all parts together */
    int prepared;
} block_shape;

/* What was found in the model. */
typedef struct {
    int time_dependent;         /* t occurs in L, H, g or the forces */
    int constraint_time;        /* t occurs in g, or a velocity constraint has a part b: constraints do work */
    int has_forces;             /* force() was used */
    int force_position, force_time; /* a force (or the rate of w) depends on q, on t */
    int force_velocity;         /* a force depends on w */
    int force_multiplier;       /* a force (or rate) depends on the multipliers */
    int nonlinear_multiplier;   /* not affinely: r(q,w,t,lambda) is nonlinear in the multipliers */
    int constant_mass;          /* L_vv (or H_pp) is constant */
    int uncoupled;              /* and nothing couples w to q or t: p = M v + a with a constant a */
    int diagonal_mass;
    int largest_block;          /* of the mass matrix's diagonal blocks */
    int quadratic;              /* L or H is of degree 2 in w, at the most */
    int homogeneous;            /* and has no term of degree 1 in w, whatever the constants are */
    int separable;              /* no mixed second derivative of w and q */
    int augmented;              /* the mass matrix is singular alone; multiples of (dg/dt)^2 / 2 were added */
    int explicit_force;         /* uncoupled, mass in small blocks, and forces free of w and lambda, no velocity
                                   constraints: the fast path */
} structure;

/* The start values of the model as numbers; guesses of those that are free. */
typedef struct {
    void *room;                 /* of these arrays */
    real *q, *w;                /* n each; w is zero where none is given */
    real *second;               /* n: the second of the start points; NULL: the model has none */
    real *lambda;               /* c: guesses of the multipliers; NULL: no constraint gives one, all are other_lambda */
    real other_lambda;
    unsigned char *free_q, *free_w, *free_second; /* n each: to be solved for; NULL: none is */
} initial_values;

/* A compiled model, constant once everything that is evaluated has been prepared, with the context and the workspace of
   one thread. Other threads have shares: the same fields, patterns and constants, with a context and a workspace of
   their own. */
struct system {
    taut_context *context;
    struct model *m;      /* for those who compile it: its graph grows meanwhile; otherwise constant */
    form form;
    uint32_t n, c;        /* coordinates, constraints */
    uint32_t extra_count; /* further numbers of a state: of a model with contacts */
    store *store;
    family energy_family, constraint_family, force_family, rate_q_family, rate_w_family, observable_family,
        chart_family, ambient_family, slip_family, pfaffian_family;
    real *constants;
    unsigned constants_version; /* changes when they do */
    int mass_is_current;       /* system_refresh_mass has seen these constants, and all was well */
    uint32_t *input_constants; /* those that inputs of the model stand in */
    size_t input_constant_count;
    field *energy;        /* L or H; NULL for rate models */
    field *constraint, *force, *rate_q, *rate_w, *observable;
    /* With velocity constraints: psi in their rows (and nothing in the others), and dg/dt or psi in all rows. NULL:
       there are none. */
    field *slip, *pfaffian;
    uint32_t slip_count;  /* velocity constraints */
    /* Parts of force (of rate_w, in a rate model): the terms without multipliers and those with. NULL until
       system_prepare_split. */
    family applied_family, reaction_family;
    field *applied, *reaction;
    /* Embedded points: their places y = chart(q,t) and, for methods that make use of them, the Lagrangian as the user
       wrote it, a function of (q,y) and (q',y'): variables n and up of its KIND_Q and KIND_W. All other fields are in q
       alone. */
    uint32_t embedded;    /* components of y */
    field *chart;         /* NULL without embedded points */
    field *ambient;       /* NULL where it would be energy: without embedded points, unless L was augmented */
    pattern *identity;    /* n x n */
    block_shape blocks[BLOCK_COUNT];
    structure structure;
    initial_values start;
    /* Of an augmented mass matrix: of each coordinate its singular block, from 1, or 0; how much was added; how many
       times such blocks were looked for. */
    int *singular;
    real augmented_by;
    real *light;                  /* c: what it was for the constraints of light coordinates; 0: augmented_by */
    int augmentations;
    const phase_info *phase_space; /* the constraints are those of the Dirac algorithm; NULL: they have
                                      multipliers */
    /* Constant mass in small diagonal blocks: W = M^-1; NULL otherwise. Uncoupled as well: the momentum (velocity) at
       w = 0. */
    pattern *inverse_mass_shape;
    real *inverse_mass;
    real *offset;         /* L: p = M v + offset;  H: v = W p + offset; NULL where it depends on q or t */
    struct hamiltonian_form *hamiltonian; /* H as a formula, where it was asked for and there is one
                                             (hamiltonian_form.h) */
    int hamiltonian_sought;
    double *softening;    /* c: of constraints that depend on each other (solve/redundancy.h); NULL: independent */
    struct stress_plan *stresses; /* of those that are left out of matrices (solve/stress.h); one block; NULL: none */
    real least;           /* coordinates all below this have no scale of their own: a thousandth of the largest start
                             value */
    workspace *work;      /* what evaluations write: of the thread that uses this struct */
    int careful;          /* NEWTON_... of solve/newton.h: when a step of this thread is doubtful */
    struct multiplier *multiplier; /* a multiplier matrix whose analysis others share (solve/multiplier.c); of this
                                      thread; NULL: there is none */
    struct kkt *kkt;      /* likewise a saddle-point matrix (solve/kkt.c) */
    /* The user's setting for native code (native/native.h): a stepper asks with taut_native_request(s->native, ...).
       NULL (never) where no simulation set it, and in shares, because it belongs to one thread. */
    struct native_use *native;
    const struct system *plan; /* of a share: whose compiled model this is; NULL for a system of its own */
};

/* Compiles the model, which must outlive the system. *result is NULL on failure. */
int X(system_create)(struct model *m, struct system **result);
void X(system_destroy)(struct system *s);
/* The same compiled model for another thread. The plan must outlive its shares, and must not be prepared further while
   it has any: create one of whatever will be used first. */
int X(system_share)(const struct system *plan, taut_context *context, struct system **result);

static inline place place_at(const struct system *s, const real *q, const real *w, const real *t, const real *lambda)
{
    return (place){ .x = { [KIND_Q] = q, [KIND_W] = w, [KIND_T] = t, [KIND_LAMBDA] = lambda }, .work = s->work };
}

/* ---- the functions; they overwrite out ---- */
void X(system_momentum)(const struct system *s, const place *at, real *out);
void X(system_velocity)(const struct system *s, const place *at, real *out);
void X(system_force)(const struct system *s, const place *at, real *out);        /* with the constraint force */
void X(system_free_force)(const struct system *s, const place *at, real *out);   /* without it (not for rates) */
void X(system_constraint_force)(const struct system *s, const place *at, real *out); /* G' lambda (not for rates) */
/* phi = f + r: r is the constraint force (not for rates) plus every term of a force, or of the rate of w, in which a
   multiplier stands; f is the rest. A term is a summand of the expression's top sum, constant factors multiplied out.
   Need system_prepare_split. */
int X(system_prepare_split)(struct system *s);
void X(system_applied_force)(const struct system *s, const place *at, real *out);
void X(system_reaction)(const struct system *s, const place *at, real *out);
void X(system_constraints)(const struct system *s, const place *at, real *out);
/* out = g_t (b) */
void X(system_constraint_rate)(const struct system *s, const place *at, real *out);
/* out = d^2/ds^2 g(q + s v, t + s), of velocity constraints d/ds psi(q + s v, v, t + s) */
void X(system_constraint_curvature)(const struct system *s, const place *at, const real *v, real *out);
/* out = d/dt at fixed w of pi (or nu): pi_q v + pi_t */
void X(system_momentum_rate)(const struct system *s, const place *at, const real *v, real *out);
void X(system_velocity_rate)(const struct system *s, const place *at, const real *v, real *out);
real X(system_energy)(const struct system *s, const place *at, const real *v);
/* The rate at which forces, time in L or H, and moving constraints change the energy: F.v - L_t (or + H_t) -
   lambda.g_t. rates: work, c long. */
real X(system_power)(const struct system *s, const place *at, const real *v, real *rates);
int X(system_prepare_power)(struct system *s);
void X(system_observables)(const struct system *s, const place *at, real *out);

/* The field whose derivatives by *by are BLOCK_G. */
static inline field *system_slopes(const struct system *s, kind *by)
{
    *by = s->pfaffian ? KIND_W : KIND_Q;
    return s->pfaffian ? s->pfaffian : s->constraint;
}
/* Is constraint k one on velocities? */
int X(system_is_velocity_constraint)(const struct system *s, uint32_t k);

/* ---- derivatives ---- */
int X(system_prepare_block)(struct system *s, block_id id);
int X(system_prepare_rates)(struct system *s); /* for the *_rate and curvature functions */
/* Values of all parts of the block, one after the other; values has value_count entries. */
void X(system_block_values)(const struct system *s, block_id id, const place *at, real *values);
/* The same for a block that a method describes itself by its parts (all but their shapes). */
int X(block_prepare)(struct system *s, block_shape *b);
void X(block_values)(const block_shape *b, const place *at, real *values);
/* With discrete parts, which are between two places; the other parts and the multipliers are taken at the second. */
void X(block_values_between)(const block_shape *b, const place *from, const place *to, real *values);
/* out += scale * block * x (or its transpose); _by: several threads, with the same bits */
void X(block_multiply)(const block_shape *b, const real *values, real scale, const real *x, real *out);
void X(block_multiply_by)(pool *by, const block_shape *b, const real *values, real scale, const real *x, real *out);
void X(block_multiply_transposed)(const block_shape *b, const real *values, real scale, const real *x, real *out);

/* out = W x, only with constant mass; out may be x */
void X(system_apply_inverse_mass)(const struct system *s, const real *x, real *out);

/* ---- names for messages ----
   They are read from the model's own lists when a message is written: a system of a million links has no second set of
   names. */
typedef struct {
    const char *file, *name;
    int line;
} origin;
const char *X(system_file)(const struct system *s);
/* The first lagrangian, hamiltonian or rate; its name is empty. */
origin X(system_form_origin)(const struct system *s);
/* Line 0: the model has none. */
origin X(system_start_points_origin)(const struct system *s);
origin X(system_constraint_origin)(const struct system *s, uint32_t k);
/* "rod1", "a.x" */
void X(system_constraint_name)(const struct system *s, uint32_t k, char *buffer, size_t size);
void X(system_coordinate_name)(const struct system *s, uint32_t i, char *buffer, size_t size);
/* If an expression of the model is not finite at this place, fails with its line and the culprit; TAUT_OK otherwise. */
int X(system_check_finite)(struct system *s, const place *at, const char *when);
/* Evaluates an expression of literals and parameters. */
int X(system_constant)(struct system *s, expr e, real *value);
/* The model's parameters have other values now: evaluates all constants again. Not for parameters in the mass
   matrix. */
int X(system_refresh_constants)(struct system *s);
/* The start values, with the parameters of now, and some numbers in the place of the model's. */
typedef struct {
    int is_rate;          /* of a velocity or momentum */
    uint32_t index;       /* of the coordinate */
    real value;
} start_setting;
int X(system_refresh_start)(struct system *s, const start_setting *others, size_t other_count);
/* After both: the inverse mass. *same is 0 where the system would be another one than it is: its mass matrix is
   singular, or not a number, or would be made regular by other terms; the caller creates one. */
int X(system_refresh_mass)(struct system *s, int *same);
/* Its inputs have other values now: the same for the constants that they stand in. Allocates nothing, and does not
   write to what shares have in common. */
void X(system_refresh_inputs)(struct system *s);

#endif
