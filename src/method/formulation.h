/* A formulation of the equations of motion: an ordinary differential equation z' = F(t,z) for z = (q,p), in which the
 * multipliers are functions of z. On the constraint manifold all formulations agree; they differ in what they do off
 * it (Seiler 1997). A scheme (scheme.h) integrates a formulation; naive, extended and dirac are methods made of the two
 * (dirac.c).
 *
 * A new formulation is one file: a private struct and one formulation_class, listed in dirac.c. Functions that return a
 * status leave z alone; evaluation allocates nothing and depends on its arguments and on what `begin` was given, not on
 * history. */
#ifndef TAUT_METHOD_FORMULATION_H
#define TAUT_METHOD_FORMULATION_H

#include "lower/field.h"
#include "solve/newton.h"
#include "system/state.h"

/* What a projection corrects; the bits of project=. */
enum { PROJECT_POSITION = 1, PROJECT_MOMENTUM = 2 };

typedef struct formulation_class {
    const char *name;
    /* NULL if it can be written down for this system, otherwise the reason as a sentence. */
    const char *(*refuse)(const struct system *s);
    int (*create)(struct system *s, void **self);
    void (*destroy)(void *self);

    /* Begins a step: guesses for whatever is solved for by iteration (w, lambda) are taken from the state alone. */
    void (*begin)(void *self, const state *x);
    /* Ends a step: sets x->w and x->lambda to what belongs to the new q, p, t of x. */
    int (*end)(void *self, state *x);
    /* rate := F(t,z); z and rate are (q,p), 2n numbers. To the precision of the unit: linear solves are refined. */
    int (*evaluate)(void *self, real t, const real *z, real *rate);

    /* The constraint functions of the formulation, which F leaves zero where they are: for imposed constraints phi = g
       and psi = G H_p + g_t, c each, in this order. */
    uint32_t (*chi_count)(const void *self);
    int (*chi)(void *self, real t, const real *z, real *out);

    /* Newton's matrix for the stages Z_i = z0 + h sum_j a_ij F(Z_j):  I - h A (x) F', or what comes near enough for the
       iteration to converge. All NULL: only the functional iteration is offered.
       create: once, before the first step; factor: at the stages (t[i], z + i 2n); solve: r := matrix^-1 r, stages x 2n
       numbers. */
    int (*stages_create)(void *self, int stages, const real *a);
    int (*stages_factor)(void *self, real h, const real *t, const real *z);
    int (*stages_solve)(void *self, real *r);

    /* Moves z by *moved (2n, overwritten) onto the constraints named in `which` (one bit) if a residual exceeds eps.
       *done: whether it had to. NULL: no projections. */
    int (*project)(void *self, unsigned which, real eps, real t, const real *z, real *moved, int *done);
    field_type field;       /* the same in symbols */
} formulation_class;

typedef struct {
    const formulation_class *class;
    void *self;
    struct system *s;
    uint32_t size;          /* of z: 2n */
} formulation;

extern const formulation_class X(formulation_naive), X(formulation_extended), X(formulation_dirac);
/* General second-class constraints chi(q,p), of models that the Dirac algorithm was made for. */
extern const formulation_class X(formulation_bracket);

/* The first class of the list (ended by NULL) that does not refuse. A refusal of all is that of the first. */
const char *X(formulation_refusal)(const struct system *s, const formulation_class *const *list);
int X(formulation_create)(struct system *s, const formulation_class *const *list, formulation *f);
void X(formulation_destroy)(formulation *f);

#endif
