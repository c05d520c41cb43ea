/* Inside of the expression graph, for the files of this folder. */
#ifndef TAUT_EXPR_GRAPH_H
#define TAUT_EXPR_GRAPH_H

#include "expr/expr.h"

/* Variables of a kind, or parameters, by index; 0: not made yet. */
typedef struct {
    expr *leaves;
    size_t capacity;
} leaf_list;

#define VARIABLE_KINDS (KIND_CONTACT + 1)
#define WHOLE_MOST 2

/* The operations whose larger operand is this node, and the next one with the same operand as this one. */
typedef struct {
    expr first, next;
} user_link;

/* An operation on literals and what it gave; all 0: none. */
typedef struct {
    uint32_t op, a, b;
    expr result;
} folded;
#define FOLDS 16 /* a power of two */

struct graph {
    taut_context *context;
    node *nodes;
    size_t count, capacity;
    wide *constants;
    size_t constant_count, constant_capacity;
    /* What finds nodes again (graph.c); NULL: not needed for the time being */
    uint32_t *table;      /* open addressing: node indices, 0 empty */
    size_t table_size;    /* a power of two */
    size_t table_count;
    user_link *links;     /* by node */
    size_t link_capacity;
    uint32_t *mark;       /* scratch, zero between calls: position + 1 of a node in the list of a traversal */
    size_t mark_size;
    leaf_list variables[VARIABLE_KINDS], parameters;
    expr whole[2 * WHOLE_MOST + 1];  /* the numbers -2 .. 2; 0: not made yet */
    folded folds[FOLDS];             /* operations on literals that were made lately */
    context_function *functions;     /* that calls name (call.h) */
    size_t function_count, function_capacity;
    int has_calls, is_refused;
    int has_shown;                   /* second forms (shown.h) */
    int ran_out;                     /* a node could not be made for want of memory */
};

/* A traversal: the nodes below some roots, ascending, and their positions in that list through g->mark. */
typedef struct {
    graph *g;
    expr *list;
    size_t count;
} walk;

/* image[i] is preset for replaced nodes; fills in the rest, bottom up. Returns a status. */
int taut_rebuild_walk(walk *w, expr *image);
/* active[i]: node i of the walk depends on one of the variables. */
void taut_find_active(const walk *w, const expr *variables, size_t count, unsigned char *active);
/* *sum += adjoint * partial; a sum of 0 is empty. */
int taut_accumulate(graph *g, expr *sum, expr adjoint, expr partial);

/* False when one of them could not be made for want of memory. */
static inline int are_made(const expr *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list[i]) return 0;
    return 1;
}

int taut_walk_begin(walk *w, graph *g, const expr *roots, size_t root_count);
void taut_walk_end(walk *w);
/* Position of a node of the walk in its list. */
static inline size_t walk_position(const walk *w, expr e)
{
    return w->g->mark[e] - 1;
}
static inline int walk_has(const walk *w, expr e)
{
    return e < w->g->mark_size && w->g->mark[e] != 0;
}

#endif
