/* Inside of clusters.h: cluster_graph.c finds clusters, cluster_program.c writes the programs of a kind, with
 * cluster_eliminate.c, cluster_create.c puts a phase together, clusters.c runs it. */
#ifndef TAUT_LOWER_CLUSTER_INSIDE_H
#define TAUT_LOWER_CLUSTER_INSIDE_H

#include "linalg/linear.h"
#include "lower/cluster_graph.h"
#include "lower/clusters.h"

enum { CLUSTER_OWN_MOST = 48, CLUSTER_AROUND_MOST = 64, CLUSTER_PLACES_MOST = 8 };

/* What a place of the table is, q or w: sums that move with the unknowns, and are more than one of them. */
typedef struct {
    int place, slot;
} cluster_place;

/* The phase, seen from a cluster: groups and equations of coordinates (n) and constraints (c). */
typedef struct {
    const element_part *part;
    int n_groups[STEP_GROUPS], c_groups[STEP_GROUPS], n_group_count, c_group_count;
    int n_equations[STEP_EQUATIONS], c_equations[STEP_EQUATIONS], n_equation_count, c_equation_count; /* of part */
    cluster_place places[CLUSTER_PLACES_MOST];
    int place_count;
} cluster_phase;

/* An input of a program from the table of another cluster, whose address is known when all tables are. */
typedef struct {
    enum { TAKE_UNKNOWN, TAKE_PLACE, TAKE_SHARE } what;
    uint32_t which;   /* group of coordinates, place, or equation of constraints (by order in cluster_phase) */
    uint32_t local;   /* coordinate of the shape, or its constraint */
    uint32_t ordinal; /* of a share: of which cluster */
    uint32_t *index;  /* of each lane: where among the numbers of all tables */
} cluster_input;

typedef struct {
    cluster_input *list;
    size_t count, capacity;
} cluster_inputs;

/* Programs of a kind, and its table: rows
 *
 *     x       own unknowns: groups of coordinates one after the other, then of constraints
 *     places  q or w of places that move, place by place
 *     y       L^-1 r
 *     t       what this leaves to late equations
 *     push    largest force times the step, if it is asked for
 *     d       the correction
 *     saved   what does not depend on the unknowns
 *     factors of A, with rows of C U^-1 and columns of L^-1 B
 *     C A^-1 B, which goes into S with its sign */
typedef struct {
    const cluster_kind *kind;
    element_lanes lanes;
    element_table table;
    uint32_t own, own_late; /* unknowns; those of its own constraints, which are the last */
    uint32_t rows, columns; /* of the matrix around: own, then late equations and multipliers */
    uint32_t at_places, at_y, at_t, at_push, at_d, at_saved, at_factors, at_schur;
    uint32_t saved_count, factor_count, schur_count;
    size_t first; /* where its table begins among the numbers of all */
    element_program begin, predict, places, residual, factor, backward, results;
    cluster_inputs inputs;
    uint32_t *schur_row, *schur_column; /* of outputs: late row and column within the kind */
    uint32_t *unknown;                  /* by own unknown and lane: which of all unknowns */
    uint32_t *late;   /* by late column and lane: which unknown of S; in the end, where its number is */
    uint32_t *result; /* by own coordinate of both results and lane: which number */
} cluster_block;

/* The same of elements with late constraints: its table has saved numbers alone. */
typedef struct {
    const late_kind *kind;
    element_lanes lanes;
    element_table table;
    element_program begin, residual;
    cluster_inputs inputs;
    uint32_t row_count;
    uint32_t *local, *equation; /* of the outputs: constraint, and which of the equations of constraints */
    uint32_t *late;             /* by output and lane: where the number of an equation of S is */
} late_block;

/* Numbers of the tables that are added to values of S: first one for each of these, then for those that have more. */
typedef struct {
    size_t count;
    uint32_t *from, *to;
} cluster_sums;

struct clusters {
    struct system *s;
    cluster_graph graph;
    cluster_phase phase;
    element_part part;
    cluster_block *blocks;
    late_block *lates;
    uint32_t block_count, late_block_count;
    size_t number_count; /* of all tables of clusters */
    real *numbers;
    linear *solver;
    uint32_t late_count;
    linear_places at;              /* where the solver has values of S, equations and unknowns */
    double *late, *chosen, *right; /* at.vector_count numbers; those that belong to nothing are zero */
    cluster_sums first, others;
    uint32_t *softened;         /* by late constraint, equation and group: which value of S; NULL: it is not softened */
    uint32_t *late_constraints; /* by number */
    size_t *late_unknowns;      /* which of all unknowns each of S is */
    int has_results, pushes, is_softened, predicts;
    real worst; /* of the pivots: below 0 where one is not good enough */
    void *room;
};

/* ---- elimination in symbols ---- */

/* Of a matrix of `rows` x `columns` expressions, whose first `own` are eliminated in pairs on the diagonal. */
typedef struct {
    graph *g;
    uint32_t own, own_late, rows, columns;
    expr *a;                                                  /* by rows; 0: nothing there */
    uint32_t order[CLUSTER_OWN_MOST], step[CLUSTER_OWN_MOST]; /* of elimination; and when each is eliminated */
    unsigned char done[CLUSTER_OWN_MOST];
    expr worst; /* of the pivots: below 0 where one has lost too many digits */
} elimination;

static inline expr *elimination_entry(const elimination *e, uint32_t i, uint32_t j)
{
    return &e->a[(size_t)i * e->columns + j];
}

/* Entries become those of L, U and inverse pivots, and what is left. TAUT_UNSUPPORTED: no safe order. */
int X(elimination_run)(elimination *e, taut_context *context);
/* Is this a number that solutions need? */
int X(elimination_is_factor)(const elimination *e, uint32_t i, uint32_t j);
/* right: own right-hand sides; becomes L^-1 of them, and behind these what it leaves to the other rows. */
void X(elimination_forward)(const elimination *e, graph *g, expr *right);
/* found: unknowns of the other columns, behind the first `own`, which become U^-1 (y - ..). */
void X(elimination_backward)(const elimination *e, graph *g, const expr *y, expr *found);

/* ---- programs ---- */

int X(cluster_compile)(const cluster_phase *phase, cluster_block *b);
int X(late_compile)(const cluster_phase *phase, const cluster_graph *g, late_block *b);

#endif
