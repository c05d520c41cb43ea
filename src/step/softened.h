/* Newton's matrix of a phase whose constraints depend on each other (solve/redundancy.h). Its Schur complement in the
 * multipliers is, but for what changes along the step, T (x) S: T a small matrix between the groups of multipliers and
 * the equations of constraints, which follows from the table alone, and S = G M^-1 G'. What is added makes it
 * T (x) (S + D), D the softening: entries T_ij D_k between equation k of group i and multiplier k of group j. */
#ifndef TAUT_STEP_SOFTENED_H
#define TAUT_STEP_SOFTENED_H

#include "solve/assembly.h"

enum { SOFTENED_MOST = 16 }; /* groups of multipliers */

typedef struct {
    int count;                /* of groups; 0: nothing is softened */
    int rows[SOFTENED_MOST], columns[SOFTENED_MOST];
    int ids[SOFTENED_MOST * SOFTENED_MOST];
    real t[SOFTENED_MOST * SOFTENED_MOST]; /* for the step at hand */
    struct stress *stress;    /* who chooses among multipliers that make the same force; NULL: the matrix itself */
    int choose;               /* the next correction chooses among multipliers that make the same force */
} softened;

struct step_compiled;
/* Declares the entries, before assembly_finish. */
int X(softened_prepare)(struct step_compiled *p);
/* Puts them into the matrix. */
void X(softened_put)(struct step_compiled *p);
/* T for the step at hand: count x count. */
const real *X(softened_weights)(struct step_compiled *p);
void X(softened_clear)(struct step_compiled *p);
/* How many numbers `spare` of softened_choose has. */
size_t X(softened_room)(const struct step_compiled *p);
/* As multiplier_choose, of a correction of all unknowns of the phase. */
int X(softened_choose)(const struct step_compiled *p, const real *unknowns, real *change, real *spare);

#endif
