/* The one place that forms a sparse matrix from blocks: blocks of a system's derivatives are put at row and column
 * offsets, with a factor, into a matrix whose pattern was fixed beforehand. Values are rounded to double here. */
#ifndef TAUT_SOLVE_ASSEMBLY_H
#define TAUT_SOLVE_ASSEMBLY_H

#include "linalg/linear.h"
#include "system/nodes.h"

typedef struct assembly assembly;

/* A block in the matrix: coefficient h^power times its values at (row, column). Methods list theirs. */
typedef struct {
    const block_shape *block;
    int row, column, power;
    real coefficient;
    int id;
} assembly_entry;

int X(assembly_create)(taut_context *context, int size, assembly **result);
void X(assembly_destroy)(assembly *a);
/* Declares that a block will be put at (row, column). *id names it; the same block at the same place has one name. */
int X(assembly_add)(assembly *a, const block_shape *b, int row, int column, int *id);
/* Call before finish for a matrix with many zeros on its diagonal, such as the saddle points of several stages. */
void X(assembly_expect_zeros)(assembly *a);
/* Call before finish for a matrix that may be eliminated node by node. Rows and columns of coordinates and constraints
   are then declared where they begin: n of each of the former, c of the latter. A matrix with other rows or columns, or
   none of the system, is not eliminated so. */
int X(assembly_expect_nodes)(assembly *a, struct system *s);
void X(assembly_rows)(assembly *a, int row, int of_constraints);
void X(assembly_columns)(assembly *a, int column, int of_constraints);
/* Declares further entries, which are not those of blocks; some may be the same. Their values are added to those at
   assembly_values[place[k]], once the pattern is fixed; place belongs to the assembly. */
int X(assembly_add_entries)(assembly *a, size_t count, int **row, int **column);
const int *X(assembly_places)(const assembly *a);
double *X(assembly_values)(assembly *a);
/* The columns of the matrix, once they are fixed. */
const pattern *X(assembly_columns_of)(const assembly *a);
/* Fixes the pattern. */
int X(assembly_fix)(assembly *a, int symmetric);
/* Makes the solver and the numbers, unless they are there: before the matrix is put together. A matrix that may never be
   needed can wait for that until it is; it has a block of its own then. */
int X(assembly_analyse)(assembly *a);
/* Both. */
int X(assembly_finish)(assembly *a, int symmetric);
/* Both, for a matrix in which blocks of the same patterns have been declared as in another one, which is analysed: from
   that one. */
int X(assembly_finish_like)(assembly *a, const assembly *other);

void X(assembly_zero)(assembly *a);
void X(assembly_put)(assembly *a, int id, real factor, const real *values);
int X(assembly_factor)(assembly *a);
/* r := matrix^-1 r; the solution is in double precision */
int X(assembly_solve)(assembly *a, real *r);
const linear_info *X(assembly_status)(const assembly *a);

#endif
