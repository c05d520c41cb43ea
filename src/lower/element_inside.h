/* Inside of elements.h: what element_program.c makes and element_run.c runs. */
#ifndef TAUT_LOWER_ELEMENT_INSIDE_H
#define TAUT_LOWER_ELEMENT_INSIDE_H

#include "kernel/tape.h"
#include "lower/elements.h"

/* Where an input of a program comes from. */
typedef enum {
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

/* An output goes to out[row + index[i]] of element i. */
typedef struct {
    size_t row;
    const uint32_t *index;
} element_output;

/* Straight-line code over `width` elements at a time. Its registers are rows of so many numbers; operands say where a row
   begins. The first rows are saved ones, then come inputs, then literals. */
typedef struct {
    instruction *code;
    uint32_t length, register_count;
    uint32_t saved_count;     /* rows that `begin` has computed, the first so many */
    element_input *inputs;
    uint32_t input_count;
    real *literals;
    uint32_t literal_first, literal_count;
    uint32_t *results;        /* rows of the outputs */
    element_output *outputs, *columns; /* where they go; columns: of a matrix */
    uint32_t output_count;
    void (*machine)(real *registers, const real *saved); /* the same as machine code, or NULL */
    void *pages;
    size_t pages_size;
} element_program;

/* The numbers of a group of `width` elements that begin has computed stand together, row by row. */
typedef struct {
    const element_shape *shape;
    uint32_t width, groups;
    int is_machine;           /* programs are machine code, where the system allows it */
    element_program begin, residual, matrix, results;
    int *places;              /* of each output of the matrix and each element; NULL: not placed yet */
    uint32_t saved_count;
    real *saved;              /* groups x saved_count x width */
} element_block;

struct element_phase {
    struct system *s;
    const step_table *table;
    int size;
    element_block *blocks;
    uint32_t block_count;
    int has_results;
    uint32_t push_count;      /* forces whose sizes are asked for */
    real *push;               /* n numbers each */
    void *room;
};

/* The programs of a shape. *expressible: 0 where there are none. */
int X(element_compile)(const element_part *part, element_block *b, uint32_t *push_count, int *expressible);
void X(element_program_clear)(taut_context *context, element_program *p);

/* Machine code for programs of this width, which is one of those for which there is any. Two rows behind the registers
   are its own. element_machine.c */
int X(element_machine_width)(uint32_t count); /* 0: this processor has none */
int X(element_machine_create)(taut_context *context, uint32_t width, element_program *p);
void X(element_machine_clear)(element_program *p);

/* Widths that programs are interpreted with; element_lanes.c. */
uint32_t X(element_width)(uint32_t count);
void X(element_lanes_run)(const instruction *code, uint32_t length, uint32_t width, real *registers);

#endif
