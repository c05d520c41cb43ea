/* Phases of a step by programs over elements (element_graph.h): the residual and Newton's matrix of all elements of one
 * shape are one tape each, run over the elements in lanes. What does not depend on the unknowns of the phase is computed
 * when it begins. The general path, field by field, gives the same numbers to round-off. */
#ifndef TAUT_LOWER_ELEMENTS_H
#define TAUT_LOWER_ELEMENTS_H

#include "lower/element_graph.h"
#include "lower/symbols.h"

/* An equation, or a result, and its first row. */
typedef struct {
    int equation, row;
    step_size size;
} element_rows;

/* Which part of a table it is: a phase, with the results if it is the last one. */
typedef struct {
    struct system *s;
    const step_table *table;
    const element_graph *graph;
    element_rows equations[STEP_EQUATIONS], results[2];
    int equation_count, result_count;
    const size_t *offsets;    /* of all groups among the unknowns of the table */
    int first_group, group_count;
    int size;                 /* of the phase */
    int pushes;               /* the sizes of forces are asked for */
} element_part;

/* The step at work. */
typedef struct {
    const state *start;
    const real *unknowns;     /* of all groups */
    real h, times[STATE_LEAVES];
} element_step;

typedef struct element_phase element_phase;

/* *result is NULL, with TAUT_OK, where the phase has what elements cannot express. Its numbers join the flat workspace
   that is open. */
int X(element_phase_create)(const element_part *part, element_phase **result);
void X(element_phase_destroy)(element_phase *p);
/* Rows and columns of all contributions to Newton's matrix, count of them; one entry may have several. */
size_t X(element_phase_entries)(const element_phase *p, int *row, int *column);
/* Where contribution k goes, in the same order: number place[k] of the values that element_phase_matrix gets. */
int X(element_phase_place)(element_phase *p, const int *place);

/* With unknowns of earlier phases and the state; before the others. */
void X(element_phase_begin)(element_phase *p, const element_step *now);
/* out (size numbers) := the equations at the unknowns. *push, if asked for: the largest force times the step. */
void X(element_phase_residual)(element_phase *p, const element_step *now, real *out, real *push);
/* values += the matrix */
void X(element_phase_matrix)(element_phase *p, const element_step *now, double *values);
/* out += the results at the unknowns; only of a phase that has them */
int X(element_phase_has_results)(const element_phase *p);
void X(element_phase_results)(element_phase *p, const element_step *now, real *out);

#endif
