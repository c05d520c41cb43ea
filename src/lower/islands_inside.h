/* Inside of islands.h: islands_plan.c finds islands and their shapes, islands_program.c writes the programs of a shape,
 * islands.c runs them. */
#ifndef TAUT_LOWER_ISLANDS_INSIDE_H
#define TAUT_LOWER_ISLANDS_INSIDE_H

#include "lower/element_inside.h"
#include "lower/islands.h"

/* Unknowns of an island, and multipliers around it. */
enum { OWN_MOST = 32, AROUND_MOST = 48 };

/* An island, or what is the same of all islands of a shape. Unknowns and equations are numbered within it: `own` ones
   first, in pairs that make the diagonal; then multipliers around it. */
typedef struct {
    uint32_t own, own_late;   /* late: those of its own multipliers, the last of `own` */
    uint32_t row_count, column_count; /* with those around it */
    uint32_t rows[OWN_MOST + AROUND_MOST], columns[OWN_MOST + AROUND_MOST]; /* of the matrix */
} island;

typedef struct {
    island first;             /* an island of the shape */
    uint32_t *key;            /* its pattern */
    size_t key_length;
    element_lanes lanes;
    element_table entries;    /* of the matrix */
    element_program factor, forward, backward, check;
    uint32_t factor_count, schur_count;
    /* By [k * stride + i], for island i of the shape: rows and columns. */
    uint32_t stride;
    uint32_t *rows, *columns;
    uint32_t *schur;          /* where what is left goes among the values of S */
    uint32_t *schur_row, *schur_column; /* of the output: within the island */
} island_shape;

struct islands {
    struct system *s;
    int size;
    island_shape *shapes;
    uint32_t shape_count;
    size_t shape_capacity;
    unsigned char *is_late;   /* columns of the matrix that are multipliers */
    int late_count;           /* unknowns of S */
    int *late_rows, *late_columns; /* of the matrix */
    int direct_count;         /* entries of D: */
    int *direct_to;           /* where they are in S, */
    int *direct_row, *direct_column; /* and in the matrix */
    int *places;              /* of the values of the matrix, in `numbers` */
    size_t number_count;
    real *numbers;            /* entries of all islands, then those of D */
    int schur_entries;
    linear *solver;
    void *room;
    double *schur;            /* values of S */
    real *right, *found;      /* by rows and by columns */
    double *late;
    real *sums, *sizes;       /* of the equations of S in the whole matrix, and of their terms */
    int checked;              /* the first solution has been */
    real worst;               /* of the pivots in this factorisation: below 0 where one is not good enough */
};

/* A key begins with own, late, rows, columns. An entry of it is row * KEY_ROW + column. */
enum { KEY_HEAD = 4, KEY_ROW = OWN_MOST + AROUND_MOST };

/* Of |b - A x| relative to |A||x| + |b|, row by row, with the largest |x| of multipliers and of all others, as
   linear_blocks.c has it. */
#define ISLANDS_ERROR_MOST 1e-12
enum { CHECK_EARLY, CHECK_LATE, CHECK_SIZES }; /* of unknowns: inputs behind the others */

/* The programs of a shape, whose key and numbers of elements are known. TAUT_UNSUPPORTED where there is no safe order. */
int X(islands_compile)(struct system *s, island_shape *shape);

#endif
