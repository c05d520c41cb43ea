/* Inside of elements.h: what element_program.c makes and element_run.c runs. */
#ifndef TAUT_LOWER_ELEMENT_INSIDE_H
#define TAUT_LOWER_ELEMENT_INSIDE_H

#include "base/room.h"
#include "kernel/tape.h"
#include "lower/elements.h"

/* Where an input of a program comes from. */
typedef enum {
    FROM_CONSTANT,            /* the table of constants */
    FROM_OTHER_CONSTANT,      /* that of the table's energy */
    FROM_Q, FROM_P, FROM_W, FROM_Q_LOW, FROM_P_LOW, FROM_LAMBDA, FROM_TREND,
    FROM_UNKNOWN,             /* at: where its group begins */
    FROM_H,
    FROM_TIME,                /* at: state_leaf */
    FROM_TABLES,              /* of clusters: the numbers of all tables, */
    FROM_LATE                 /* and corrections of late multipliers */
} element_source;

typedef struct {
    element_source from;
    size_t at;
    const uint32_t *index;    /* of each element: which number of the vector; NULL for those of all */
    uint32_t before;          /* to be subtracted from these */
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
    uint32_t saved_count;     /* rows that an earlier program has computed, the first so many */
    element_input *inputs;
    uint32_t input_count;
    real *literals;
    uint32_t literal_first, literal_count;
    uint32_t *results;        /* rows of the outputs */
    uint32_t output_count;
    uint32_t kept_first, kept_count; /* the first kept_count outputs are rows of a table, from this one on */
    /* The same as machine code, or NULL. It takes inputs itself, element `first` and those behind it, from vectors
       bases[base_of[input]]; kept outputs go to `kept` at once. */
    void (*machine)(real *registers, const real *saved, real *kept, const real *const *bases, size_t first);
    element_input *bases;
    uint32_t base_count, *base_of;
    const uint32_t **indices;
    void *pages;
    size_t pages_size;
} element_program;

enum { ELEMENT_BASES_MOST = 64 }; /* of machine code */

/* Numbers of all elements: those of a group stand together, row by row, groups x rows x width. */
typedef struct {
    uint32_t rows;
    real *numbers;
} element_table;

/* Elements whose programs are the same, in groups of `width`. */
typedef struct {
    uint32_t count, width, groups;
    int is_machine;           /* programs are machine code, where the system allows it */
    element_table saved;
} element_lanes;

/* Width and groups, by the setting for native code. */
void X(element_lanes_begin)(const struct system *s, uint32_t count, element_lanes *l);
/* Room for a table. */
void X(element_table_lay_out)(const element_lanes *l, element_table *t, room_layout *room);
/* Of outputs in a graph where slot k is saved row k, and those behind it are inputs. These, the counts, and what is kept
   are set before. */
int X(element_program_create)(struct system *s, graph *g, const expr *outputs, size_t count, const element_lanes *l,
                              element_program *p);
void X(element_program_clear)(taut_context *context, element_program *p);

/* A group that has just been computed. */
typedef struct {
    const element_lanes *lanes;
    const element_program *program;
    const real *registers, *saved; /* where the rows of the program are, and the saved ones */
    uint32_t first, count;    /* its elements */
} element_group;

static inline const real *element_value(const element_group *g, uint32_t o)
{
    const uint32_t row = g->program->results[o];
    return (row < g->program->saved_count ? g->saved : g->registers) + (size_t)row * g->lanes->width;
}

/* The vector that an input is taken from; of those for all elements, the number. */
typedef const real *element_vector(const void *user, const element_input *in);
/* What becomes of outputs that are not kept. */
typedef void element_put(const element_group *g, void *user);
/* from, to: where saved rows are, and where outputs are kept; both may be the same. */
void X(element_run)(const struct system *s, const element_lanes *l, const element_program *p, const element_table *from,
                    const element_table *to, element_vector *vector, const void *source, element_put *put, void *out);
/* Outputs are added in blocks of so many elements, output by output within a block: an order of sums that does not depend
   on the width. Widths are multiples of it, or 1 or 2 where there are no more elements. */
enum { ELEMENT_BLOCK = 4 };
/* out[index[i]] += value[i] for the elements of a group from `from` on, a block at most, one after the other: several may
   add to one number. */
void X(element_add)(const element_group *g, uint32_t from, const uint32_t *index, const real *value, real *out);

/* Of an equation of motion the forces of all elements come first, and then what they act on: the other way round the
   forces at the two ends of a light rod would swallow its momentum. So the first outputs of the residual, which are no
   forces, are kept until then. */
typedef struct {
    const element_shape *shape;
    element_lanes lanes;
    element_table others;
    element_program begin, residual, matrix, results;
    element_output *residual_rows, *result_rows, *rows, *columns; /* where outputs go; the last two, of the matrix */
    int *places;              /* of each output of the matrix and each element: in its columns */
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

/* Where leaves of the symbols of a shape are. TAUT_UNSUPPORTED: nowhere. */
typedef struct {
    const element_part *part;
    const element_shape *shape;
    const symbols *y;
} element_view;
int X(element_find_input)(const element_view *v, expr e, element_input *in);
/* Not where places contain forces at the start, of which an element has a part only. */
int X(element_is_expressible)(const element_part *part);

/* The programs of a shape. *expressible: 0 where there are none. */
int X(element_compile)(const element_part *part, element_block *b, uint32_t *push_count, int *expressible);

/* Machine code for programs of this width, which is one of those for which there is any. element_machine.c */
int X(element_machine_width)(uint32_t count); /* 0: this processor has none */
int X(element_machine_create)(taut_context *context, uint32_t width, element_program *p);
void X(element_machine_clear)(element_program *p);

/* Widths that programs are interpreted with; element_lanes.c. */
uint32_t X(element_width)(uint32_t count);
void X(element_lanes_run)(const instruction *code, uint32_t length, uint32_t width, real *registers);

#endif
