/* Inside of elements.h: what element_program.c makes and element_run.c runs. */
#ifndef TAUT_LOWER_ELEMENT_INSIDE_H
#define TAUT_LOWER_ELEMENT_INSIDE_H

#include "field/lanes.h"
#include "lower/elements.h"

/* Where an input of a tape comes from. */
typedef enum {
    FROM_SAVED,               /* what `begin` has computed: row `at` of the saved numbers */
    FROM_CONSTANT,            /* the table of constants */
    FROM_OTHER_CONSTANT,      /* that of the table's energy */
    FROM_Q, FROM_P, FROM_W, FROM_Q_LOW, FROM_P_LOW, FROM_LAMBDA, FROM_TREND,
    FROM_UNKNOWN,             /* at: where its group begins */
    FROM_H,
    FROM_TIME                 /* at: state_leaf */
} element_source;

typedef struct {
    element_source from;
    size_t at;
    const uint32_t *index;    /* of each element: which number of the vector; NULL for those of all */
} element_input;

typedef struct {
    tape *tape;               /* NULL: there is nothing to compute */
    element_input *inputs;    /* tape->slots */
} element_program;

/* An output goes to out[row + index[i]] of element i. */
typedef struct {
    size_t row;
    const uint32_t *index;
} element_output;

typedef struct {
    const element_shape *shape;
    element_program begin, residual, matrix;
    element_output *outputs;  /* of the residual */
    element_output *rows, *columns; /* of each output of the matrix */
    int *places;              /* of each output of the matrix and each element; NULL: not placed yet */
    uint32_t stride;          /* of a row of saved numbers */
    real *saved;              /* outputs of begin, in rows */
} element_block;

struct element_phase {
    struct system *s;
    const step_table *table;
    int size;
    element_block *blocks;
    uint32_t block_count;
    uint32_t push_count;      /* forces whose sizes are asked for */
    real *push;               /* n numbers each */
    void *room;
};

/* The programs of a shape. *expressible: 0 where there are none. */
int X(element_compile)(const element_part *part, element_block *b, uint32_t *push_count, int *expressible);

#endif
