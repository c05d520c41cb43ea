/* The functions of step tables in symbols: what functions.c of src/step computes, as nodes of a graph. */
#ifndef TAUT_LOWER_SYMBOLS_H
#define TAUT_LOWER_SYMBOLS_H

#include "expr/expr.h"
#include "step/table.h"
#include "system/state.h"

/* Leaves of the graph: variables of these kinds. */
enum {
    LEAF_CONSTANT = KIND_CONSTANT_SLOT, /* the system's table of constants, that of the table's energy where it has its
                                           own, h, and other numbers of the system (symbol_given). Products of
                                           constants gather in front, and are computed when h changes, not in
                                           every step. */
    LEAF_STATE = KIND_SLOT,             /* numbers of the state's block, then those of state_leaf */
    LEAF_UNKNOWN = KIND_Q,              /* of all groups of the table */
    LEAF_RIGHT = KIND_W,                /* right-hand side of the phase's linear system */
};

/* Numbers of a step besides those of the state's block. */
typedef enum { STATE_T0, STATE_T0_LOW, STATE_T1, STATE_SPAN, STATE_LEAVES } state_leaf;

/* What a place of the table is. */
typedef struct {
    expr *x[KIND_COUNT];      /* q, w, lambda; NULL: none */
    expr t;
} symbol_place;

typedef struct symbols {
    struct system *s;
    const step_table *table;
    const struct element_shape *element; /* these terms, coordinates and constraints alone; NULL: the whole system */
    uint32_t n, c;            /* coordinates and constraints: of the system, or of the element */
    taut_context *context;
    graph *g;
    uint32_t constant_count, other_count; /* of the system; of the table's energy, if it has its own */
    int is_picky;             /* what was made of the equations would be another one for other values of constants */
    state layout;             /* any state: which number of the block is what */
    expr zero, one, h;
    expr *unknowns;           /* of all groups; what an explicit equation gives stands for it, once it is found */
    size_t offsets[STEP_GROUPS + 1];
    expr *known[STEP_KNOWN];  /* as step_work; NULL: not needed yet */
    symbol_place places[STEP_PLACES];
    void **blocks;            /* memory of places and vectors */
    size_t block_count, block_capacity;
    expr *image, *list;       /* work: of nodes of the store's graph */
    unsigned char *needed;
    size_t image_size;
    size_t nodes_most;        /* of the graph, while a phase is reduced: with more it is not lowered */
    int failed;               /* out of memory */
} symbols;

int X(symbols_create)(struct system *s, const step_table *table, symbols *y);
/* The equations of the table as far as an element contributes to them (element_graph.h). Leaves are numbered within the
   element. */
int X(symbols_create_element)(struct system *s, const step_table *table, const struct element_shape *element,
                              symbols *y);
void X(symbols_clear)(symbols *y);
/* The status, or TAUT_OUT_OF_MEMORY where an expression could not be made: an optimisation may have taken it for one
   that does not fit, and gone on without. */
int X(symbols_status)(const symbols *y, int status);

expr X(symbol_state)(symbols *y, const real *member, uint32_t index); /* member: one of layout's arrays */
expr X(symbol_leaf)(symbols *y, state_leaf leaf);
/* Numbers of the system that depend on parameters or start values, and are no expressions: they are looked up when a
   program runs, so that one program serves for all of them. The size that coordinates have at the least; an entry of
   the inverse mass. */
uint32_t X(symbol_given_count)(const struct system *s);
real X(symbol_given_value)(const struct system *s, uint32_t index);
expr X(symbol_least)(symbols *y);
expr X(symbol_inverse_mass)(symbols *y, uint32_t entry);
/* coefficient h^power */
expr X(symbol_factor)(symbols *y, real coefficient, int power);
size_t X(symbol_vector_length)(const symbols *y, int vector);
/* The trend of multipliers that are to be lambda (c); change: 2c, or NULL. */
void X(symbol_trend)(symbols *y, const expr *lambda, expr *trend, expr *change);
const expr *X(symbol_vector)(symbols *y, int vector);
/* out := the sum, as step_sum_value computes it */
void X(symbol_sum)(symbols *y, const step_sum *sum, size_t length, expr *out);
/* Places are made when they are asked for, and forgotten when unknowns have been replaced. */
const symbol_place *X(symbol_place_at)(symbols *y, int index);
void X(symbols_forget_places)(symbols *y);
/* out := the value of the term's function, without its factor; move: q1 - q0, of STEP_FORCE_WORK alone */
void X(symbol_function)(symbols *y, step_function function, int place, const expr *move, expr *out);
/* What system.h computes at a place besides; v: the velocity there. */
expr X(symbol_energy)(symbols *y, int place, const expr *v);
expr X(symbol_power)(symbols *y, int place, const expr *v);
void X(symbol_observables)(symbols *y, int place, expr *out);
/* A vector that lives as long as the symbols. NULL: no memory. */
expr *X(symbol_new)(symbols *y, size_t count);
/* out[i] += factor of the terms of an equation; out has been set before */
void X(symbol_terms)(symbols *y, int equation, const expr *move, expr *out);
/* The same of those terms that are forces, or of the others. */
void X(symbol_terms_of)(symbols *y, int equation, int forces, const expr *move, expr *out);

#endif
