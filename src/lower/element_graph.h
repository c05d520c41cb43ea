/* A system as a graph of elements, for steps of systems that are too large for straight-line code.
 *
 * A node is a set of coordinates that the kinetic energy couples (system/nodes.h). An element is a set of nodes with all
 * that concerns exactly these: the terms of L or H and of the forces that contain variables of each of them, and the
 * constraints whose equations do, with all their terms; all that two bodies have in common is one element. A free point
 * has an element for each coordinate; a hinge is an element of eight nodes. Every function of a step table is a sum over the elements, but for the numbers
 * that are no sum of terms (vectors as they stand): each of these belongs to one element, which owns it.
 *
 * Elements are of one shape if they have the same terms in the same order, up to the names of variables and constants. A
 * chain of a thousand links has as many shapes as one of ten. */
#ifndef TAUT_LOWER_ELEMENT_GRAPH_H
#define TAUT_LOWER_ELEMENT_GRAPH_H

#include "step/table.h"
#include "system/system.h"

enum { ELEMENT_WIDTH_MOST = 32 }; /* elements that are computed together, at the most; a power of two */

/* What the rows of a family are. */
typedef enum { ROWS_NONE, ROWS_COORDINATES, ROWS_CONSTRAINTS } element_row_kind;

/* A term of an element. Variables, constants and rows are numbered within it. */
typedef struct {
    const family *family;
    const kernel *of;
    element_row_kind rows;
    uint32_t kernel;          /* of the store of the family */
    uint32_t row;             /* a coordinate, a constraint or nothing, by the family */
    const uint32_t *variables, *constants; /* by slot of the kernel */
} element_term;

typedef struct element_shape {
    uint32_t n, c, constants; /* coordinates, constraints, constants of an element */
    unsigned char *owns_coordinate, *owns_constraint;
    element_term *terms;
    uint32_t term_count;
    uint32_t count;           /* elements of this shape */
    uint32_t stride;          /* that, rounded up: lanes without an element repeat the last one */
    /* Which of the system they are: number k of element i stands at [k * stride + i]. Constants of the table's energy,
       where it has a store of its own, follow those of the system. */
    uint32_t *coordinate, *constraint, *constant;
    uint32_t *key;            /* what makes the shape */
    size_t key_length;
} element_shape;

typedef struct {
    element_shape *shapes;
    uint32_t shape_count;
    size_t shape_capacity;
    uint32_t element_count;
} element_graph;

/* *usable is 0, with TAUT_OK, where some element would have too many nodes, or the system has what elements cannot
   express: embedded points, functions of the program. joined: what concerns one node is in the element of a constraint
   that it is in, if there is one; there are fewer elements then, and sums over all of them take less. */
int X(element_graph_create)(struct system *s, const step_table *t, int joined, element_graph *g, int *usable);
void X(element_graph_clear)(taut_context *context, element_graph *g);

#endif
