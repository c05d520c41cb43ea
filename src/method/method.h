/* Methods: a name, options, declared properties, and a step. One file per method, one table of them. */
#ifndef TAUT_METHOD_METHOD_H
#define TAUT_METHOD_METHOD_H

#include "method/formulation.h"
#include "lower/program.h"
#include "system/multiplier_growth.h"
#include "step/stepper.h"
#include "system/symmetry.h"

/* What a method keeps; the tests measure each. */
enum {
    KEEPS_SYMPLECTIC = 1,   /* the symplectic form on the constraint manifold */
    KEEPS_ENERGY = 2,       /* exactly, not just nearly */
    KEEPS_MOMENTUM = 4,     /* momenta of affine symmetries */
    KEEPS_REVERSIBLE = 8,   /* a step with -h undoes a step with h */
    KEEPS_POSITION = 16,    /* g(q) = 0 */
    KEEPS_VELOCITY = 32     /* dg/dt = 0 */
};

typedef struct {
    const char *name;       /* key of key=value, or a bare word */
    const char *values;     /* what it may be, for people */
    const char *meaning;
} method_option;

typedef struct method_info {
    const char *name;
    const char *summary;
    const char *source;     /* where it comes from */
    const char *equations;  /* the scheme, a few lines of text */
    const char *slips;      /* what becomes of constraints on velocities, psi(q,v) = A v + b = 0, a line or two; NULL:
                               it does not take them */
    int order;
    int momentum_order;     /* of p and the velocities, where constraints make it another one; 0: the same */
    unsigned keeps;
    unsigned keeps_free;    /* and what besides where a model has no constraints and no contacts; the order there, */
    int order_free;         /* where it is another one; 0: the same */
    const method_option *options;
    int option_count;
    const char *table;      /* the members of a family, lines for people; or NULL */
    int any_start;          /* may start off the constraints: START_AS_IS */
    int variable;           /* takes steps of its own within a step: its error is that of a tolerance, not of h */
    int has_base;           /* made of another method, which its name goes on with: NAME:BASE,... */
    /* What a system makes of the declarations: changes the copy that it is given. NULL: nothing. */
    void (*adapt)(struct system *s, struct method_info *info);
    int discrete_gradients; /* momenta are kept where those are orthogonal to a symmetry (system/symmetry.h) */
    int own_work;           /* a step adds its exact discrete work to the state; for the others the simulation does, by
                               the trapezoidal rule */
    double stable;          /* steps times the frequency of a linear oscillation, below which it stays bounded; 0: any,
                               or not known */
    int midpoint_multipliers; /* the state's multipliers belong to the middle of the last step, and are reported so */
} method_info;

/* A method has an adjoint when the word `adjoint` is among its options: NAME:...,adjoint is the adjoint of NAME:... */
#define METHOD_ADJOINT "adjoint"

/* NAME:word,key=value,... taken apart; the texts point into `text`. */
#define METHOD_OPTIONS 12
typedef struct {
    char text[256];
    const char *name;
    struct {
        const char *key, *value; /* value is NULL for a bare word */
    } options[METHOD_OPTIONS];
    int option_count;
    int is_part;            /* its steps are parts of others, of unequal lengths */
    int is_adjoint;         /* the adjoint of the method that the options describe */
    char base[256];         /* with has_base: the other method as text, with all options that are not ours; empty: none
                               was named */
} method_spec;

/* The contract of a step, whatever makes it. It maps the state x (system/state.h) at t to that at t + h:
 *
 * - It reads t, q, p, w, lambda, trend and change, what compensated summation left over (t_low, q_low, p_low), step
 *   and extra of x, and h, which may be negative; nothing else. A step depends on state and length alone, so that a
 *   resumed run repeats every bit: what a method keeps for speed (a factored matrix, a force) must be what it would
 *   compute again.
 * - It sets t and t_low (state_next_time); q and p with their low parts (add_compensated); w, of a Lagrangian the
 *   velocity that belongs to p, of the others p; lambda, its own multipliers, with which the next step begins, and
 *   their trend where it begins where that leads (state_expect). A method that declares own_work adds the work of the
 *   step; one that declares midpoint_multipliers sets t_lambda; one that chooses its steps sets step.
 * - It leaves extra and, without own_work, the work alone: others set them.
 * - It fails with a positive status and a text in the context. x is then as it was, and a later step from x is as if
 *   nothing had happened.
 * - It never writes or logs, and allocates only what may be made when it is first needed (docs/architecture.md, Plan
 *   and workspace): factors of KLU, the whole matrix behind clusters.
 *
 * tests/test_catalogue.c measures every property that the methods declare. */

/* A step is a sequence of lowered ones: each by `factor` h, and half of that where `halved`. */
typedef struct {
    program *program;
    real factor;
    int halved;
} method_part;
#define METHOD_PARTS 250
#define METHOD_NOT_LOWERED                                                                                \
    "its step is too long for straight-line code, or has no fixed order of elimination, or constraints depend on " \
    "each other; take a smaller " \
    "model, fewer stages, or Taut's library"

/* What a step that succeeded has seen on the way, of the state that it left. */
typedef struct {
    int finite;             /* q and p are; 0: not known */
    real multiplier;        /* the size of the largest one; negative: not known */
} method_outcome;

/* Forces at a state, each as a size: constraint by constraint, sum_k |G_k| |lambda_k|, and added up, |G' lambda|^2; the
   other forces, and the momenta. */
typedef struct {
    real apart, whole;
    real free, momenta;
} method_forces;

/* What makes steps now, and what has made them so far. */
typedef struct {
    step_code code;         /* of several programs the slowest */
    int parts;              /* programs that run in a step */
    long left;              /* runs so far that the general path had to do after all */
} method_execution;

/* Steps that are code of their own: vector fields with their schemes, of which some are lowered as well, compositions,
   and reductions of a table that are written out for speed. */
typedef struct {
    int (*create)(struct system *s, const method_spec *spec, real tolerance, void **self);
    int (*step)(void *self, state *x, real h);
    const newton_counts *(*counts)(const void *self);
    void (*destroy)(void *self);
    /* As method_parts; NULL: it is code. */
    int (*parts)(const void *self, method_part *parts, const char **why);
    /* As method_steps; NULL: one by one. */
    long (*steps)(void *self, state *x, const real *lengths, int stride, long count, multiplier_growth *size);
    /* As method_outcome_of and method_forces_at; NULL: it does not know. */
    method_outcome (*outcome)(const void *self);
    int (*forces)(const void *self, const state *x, method_forces *sums);
    /* As method_execution_of; NULL: by the general path. */
    method_execution (*execution)(const void *self);
    /* As method_path_of; NULL: field by field. */
    step_path (*path)(const void *self);
} method_code;

struct method_class {
    const method_info *info;
    /* Can it run this system? NULL if so, otherwise the reason as a sentence. */
    const char *(*refuse)(const struct system *s);
    /* Order and properties where they depend on the options: changes the copy of the info it is given. May be NULL. */
    void (*declare)(const method_spec *spec, method_info *info);
    /* The step as a table; NULL: it is code. */
    int (*table)(struct system *s, const method_spec *spec, step_table *t);
    const method_code *code;
    /* With both: does the code serve for this system? */
    int (*reduces)(const struct system *s);
    /* Sets the momenta and velocities of x so that a step of h leads to q1; NULL for methods without a discrete
       Lagrangian. */
    int (*start)(struct system *s, const method_spec *spec, state *x, const real *q1, real h);
    /* As method_prepare_tangent and method_tangent, of code; NULL: it has none, unless there is a table. */
    int (*prepare_tangent)(void *self);
    int (*tangent)(void *self, const state *x, real h, size_t count, real *dq, real *dp);
};

typedef struct {
    const struct method_class *class;
    const method_code *code; /* NULL: self is a stepper */
    void *self;
    stepper *tangent;        /* the table of a step that is written out, for its tangent; NULL: not prepared */
} method;

/* The table. */
int X(method_count)(void);
const struct method_class *X(method_at)(int index);
const struct method_class *X(method_find)(const char *name);

/* Takes the name apart and checks it against the table. */
int X(method_parse)(taut_context *context, const char *text, method_spec *spec);
/* The copy stands by itself. */
void X(method_spec_copy)(const method_spec *from, method_spec *to);
/* The info with what its options make of it. */
method_info X(method_declared)(const method_spec *spec);
/* Options: a whole number key=N within bounds (context may be NULL: no message); whether a bare word was given. */
int X(method_whole_option)(taut_context *context, const method_spec *spec, const char *key, int otherwise, int least,
                           int most, int *value);
int X(method_has_word)(const method_spec *spec, const char *word);
/* A number key=X, finite. */
int X(method_real_option)(taut_context *context, const method_spec *spec, const char *key, real otherwise, real *value);
/* Options that the catalogue describes without values are words, the others have values: fails with a message where
   that is not so. */
int X(method_check_words)(taut_context *context, const method_spec *spec);
/* Why the method cannot run this system, a sentence, or NULL. */
const char *X(method_refusal)(const struct method_class *class, const struct system *s);
int X(method_create)(struct system *s, const method_spec *spec, real tolerance, method *m);
/* What the system makes of the declarations. constrained: it has constraints, or contacts that may close. */
void X(method_adapt)(struct system *s, int constrained, method_info *info);
/* And to its symmetries, found around (q, w). Returns a status. */
int X(method_adapt_to_symmetries)(struct system *s, const real *q, const real *w, const symmetry *list, int count,
                                  method_info *info);
/* For a class that need not stand in the table. */
method_info X(method_class_declared)(const struct method_class *class, const method_spec *spec);
int X(method_create_with)(struct system *s, const struct method_class *class, const method_spec *spec, real tolerance,
                          method *m);
void X(method_destroy)(method *m);
/* x := the state h later. On a positive status x is as it was. */
int X(method_step)(const method *m, state *x, real h);
/* Up to `count` steps, of lengths[0], lengths[stride], .., where that is faster than one by one; stride: 0 or 1.
   Returns how many: possibly none. size (NULL: of no interest) is kept, and the last step is one in which it has grown
   much, if there is one. */
long X(method_steps)(const method *m, state *x, const real *lengths, int stride, long count, multiplier_growth *size);
/* Of the last step, which succeeded. */
method_outcome X(method_outcome_of)(const method *m);
/* Of x as the last step left it, where the method still has what it takes: then 1. Without memory of its own: that of a
   large system is more than a step takes when it is first touched. */
int X(method_forces_at)(const method *m, const state *x, method_forces *sums);
const newton_counts *X(method_counts)(const method *m);
method_execution X(method_execution_of)(const method *m);
step_path X(method_path_of)(const method *m);
/* Of steps that this program makes; NULL: the general path does. */
method_execution X(method_execution_by)(const program *p);
/* Of steps that both make in turns. */
method_execution X(method_execution_join)(method_execution a, method_execution b);
/* The tangent of a step, exact (step/tangent.h). prepare may allocate, and is done once; spec and tolerance are those
   of the method. TAUT_UNSUPPORTED, with a message, for methods that have none. */
int X(method_prepare_tangent)(struct system *s, const method_spec *spec, real tolerance, method *m);
/* dq, dp: `count` rows of n numbers, tangent vectors at x: become those at the state h later. x is only read. */
int X(method_tangent)(const method *m, const state *x, real h, size_t count, real *dq, real *dp);
/* The lowered steps that a step consists of, METHOD_PARTS at the most; nothing else is done in it but that t is set.
   Returns how many; 0 where it is more than that, with the reason and what to do. */
int X(method_parts)(const method *m, method_part *parts, const char **why);

extern const struct method_class X(method_naive), X(method_extended), X(method_dirac);
/* The equations that such a method integrates; NULL for the others. */
formulation *X(method_formulation)(const method *m);
struct scheme;
struct scheme *X(method_scheme)(const method *m); /* and how it does so */

extern const struct method_class X(method_rattle), X(method_shake), X(method_lobatto), X(method_del),
    X(method_galerkin), X(method_em);
extern const struct method_class X(method_euler), X(method_compose);

#endif
