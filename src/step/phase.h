/* One phase of a step table, compiled: which functions are evaluated where, which equations they go into, which blocks
 * Newton's matrix has. And the workspace of a step, which its phases share. */
#ifndef TAUT_STEP_PHASE_H
#define TAUT_STEP_PHASE_H

#include "lower/clusters.h"
#include "solve/assembly.h"
#include "solve/kkt.h"
#include "solve/newton.h"
#include "step/functions.h"
#include "step/softened.h"

enum { STEP_POWERS = 3 }; /* h^-3 .. h^3 */

/* The step at hand. */
typedef struct {
    const step_functions *functions;
    const step_table *table;
    struct system *s;
    const element_graph *graph;       /* of the system; NULL: everything is evaluated field by field */
    step_circumstances now;
    element_step elements;            /* the same for them */
    int by_fields;                    /* all the same, but for Newton's matrix */
    int by_whole_matrices;            /* without clusters */
    real h, powers[2 * STEP_POWERS + 1];
    real t1, t1_low;
    real *x;                          /* all groups of unknowns */
    size_t offsets[STEP_GROUPS + 1];  /* of the groups in x */
    real *known[STEP_KNOWN];          /* vectors by index + STEP_KNOWN; Q0 to TREND0 belong to the state */
    real *rooms[STEP_PLACES][3];      /* q, w, lambda of places where they are not vectors as they stand */
    real times[STEP_PLACES];
    place at[STEP_PLACES];
    real *value, *block;              /* work: of a function, and of a block of derivatives */
    real push;                        /* largest of h times a force, in the residual at hand */
} step_work;

static inline real step_factor(const step_work *w, real coefficient, int power)
{
    return coefficient * w->powers[power + STEP_POWERS];
}
const real *X(step_vector)(const step_work *w, int vector);
size_t X(step_vector_length)(const step_work *w, int vector);
/* out := the sum, `length` numbers */
void X(step_sum_value)(const step_work *w, const step_sum *sum, size_t length, real *out);
/* Does this slot of a place need room of its own? Not if it is empty, or a vector as it stands. */
int X(step_slot_needs_room)(const step_place *p, step_slot slot);
/* Brings a place up to date with the unknowns. */
void X(step_find_place)(step_work *w, int place);

typedef struct {
    int row;                          /* of the phase */
    int power;
    real coefficient;
} step_use;

typedef struct {
    assembly_entry at;
    kind by;
} step_entry;

/* A function at a place, once, with what it is for: uses in equations, entries of the matrix (those by one kind of
   variables together). */
typedef struct {
    step_function function;
    int place;                        /* or a vector */
    int constant;                     /* does not depend on the phase's unknowns */
    int first_use, use_count, first_entry, entry_count;
    size_t length;
} step_evaluation;

typedef struct step_compiled {
    step_work *w;
    int index;                        /* in the table; -1: the results */
    int first_group, group_count;
    int size;                         /* unknowns, and equations */
    step_evaluation *evaluations;
    step_use *uses;
    step_entry *entries;
    int evaluation_count, use_count, entry_count;
    int places[STEP_PLACES], place_count, moving_count; /* that occur; the first moving_count depend on the unknowns */
    int rows[STEP_EQUATIONS];         /* of equations, -1: not here */
    real *fixed;                      /* sum of the constant terms */
    real *sizes;                      /* of the terms of each equation, and of one function */
    real *g;                          /* values of BLOCK_G for STEP_RATE */
    int measured[STEP_MEASURES];      /* some group is */
    real largest[STEP_MEASURES];      /* what corrections are compared with, from the state at the start */
    int g_fixed;                      /* its q does not depend on the unknowns */
    /* How corrections are found: by the sparse matrix; by the saddle-point solver, which knows constant mass; or not at
       all, each equation being its unknown minus constants. */
    enum { STEP_SPARSE, STEP_SADDLE, STEP_EXPLICIT } solver;
    assembly *matrix;
    element_phase *elements;          /* who evaluates residual and matrix; NULL: fields */
    clusters *clusters;               /* who solves the phase by static condensation; NULL: nobody */
    int clusters_at_work, clusters_failed; /* the unknowns are theirs; they are not good enough for this step */
    int elements_begun;               /* elements know what does not move in this phase */
    cluster_size sizes_by_group[STEP_GROUPS]; /* of the last correction */
    softened softened;                /* constraints that depend on each other */
    struct chord *chord;              /* a rough matrix to begin with (chord.h), or NULL */
    int chord_tried;                  /* in this step: 1 as a matrix, 2 to settle */
    newton_matrix at_work;            /* what the last factor has made */
    real correction;                  /* size of the last one */
    kkt *kkt;
    int saddle_momentum, saddle_force; /* evaluations: of pi, and of the constraint force */
    const assembly_entry *saddle_multiplier;
    real *saddle_room;
    real *spare;                      /* of softened.h */
} step_compiled;

/* Which phase of the table, or -1 for the results: rows q, p, then the work. Memory is the context's; the numbers that
   it needs in the workspace are in `numbers`, to be set afterwards by step_phase_place. */
int X(step_phase_compile)(step_work *w, int index, step_compiled *p);
size_t X(step_phase_numbers)(const step_compiled *p);
void X(step_phase_place)(step_compiled *p, real *numbers);
void X(step_phase_clear)(step_compiled *p);

/* Places and terms that stay, once the phase's guess is in the unknowns. */
void X(step_phase_begin)(step_compiled *p);
/* Brings places that move up to date with the unknowns. */
void X(step_move_places)(step_compiled *p);
/* Is r, the equations at the unknowns, no more than their round-off? As newton_problem has it. phase_sizes.c */
int X(step_phase_is_round_off)(void *self, const real *x, const real *r);
/* The equations at the unknowns in the workspace. */
void X(step_phase_residual)(step_compiled *p, real *out);
newton_problem X(step_phase_problem)(step_compiled *p);
/* The unknowns in the workspace are the solution, whoever had them. */
void X(step_phase_end)(step_compiled *p);
/* out := the results (2n + 1 numbers), by the programs of the last phase. 0: it has none. */
int X(step_phase_results)(step_compiled *p, real *out);
/* An inner product of two of its corrections. */
real X(step_phase_product)(void *self, const real *a, const real *b);

#endif
