/* Newton's matrix of a phase by static condensation. An island is a set of unknowns that no entry of the matrix connects
 * with those of another, but for multipliers: the stage velocities of a body, with the multiplier of its quaternion. With
 * islands first and multipliers of several of them last the matrix is
 *
 *     [ A  B ]        A: block diagonal, an island a block
 *     [ C  D ]        S = D - C A^-1 B
 *
 * Elimination and solutions of islands of one shape are straight-line programs over all of them (element_inside.h), in an
 * order that the pattern gives; S is left to a linear solver. */
#ifndef TAUT_LOWER_ISLANDS_H
#define TAUT_LOWER_ISLANDS_H

#include "linalg/linear.h"
#include "system/system.h"

/* A matrix in compressed columns, and of each row and column the constraint that it belongs to; -1: a coordinate. */
typedef struct {
    struct system *s;
    int size;
    const int *column_start, *row_index;
    const int *row_constraint, *column_constraint;
} island_matrix;

typedef struct islands islands;

/* *result is NULL, with TAUT_OK, where islands are too large, or have no safe order. Its numbers join the flat workspace
   that is open. */
int X(islands_create)(const island_matrix *m, islands **result);
void X(islands_destroy)(islands *z);
/* The matrix is put into a table of numbers, zero at first: value k of its columns at places[k]. */
const int *X(islands_places)(const islands *z);
double *X(islands_begin)(islands *z);
/* *usable is 0 where a pivot has lost too many digits: then there is nothing to solve with. */
int X(islands_factor)(islands *z, int *usable);
/* r := matrix^-1 r. The first solution with a matrix is looked at: *good is 0, and r as it was, where it does not satisfy
   the equations. */
int X(islands_solve)(islands *z, real *r, int *good);

#endif
