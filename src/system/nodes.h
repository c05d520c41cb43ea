/* The graph of a mechanism, as linear solvers want it: which unknowns belong together. A node is a set of coordinates
 * that the kinetic energy couples (the orientation of a body, one coordinate of a point), or a constraint. */
#ifndef TAUT_SYSTEM_NODES_H
#define TAUT_SYSTEM_NODES_H

#include "system/system.h"

typedef struct {
    int count;
    int *coordinate;          /* n: the node of each */
    int *constraint;          /* c: likewise, each has one of its own */
    unsigned char *late;      /* count: constraints, which are to be eliminated after the coordinates that they touch */
    void *room;
} system_nodes;

int X(system_nodes_create)(struct system *s, system_nodes *nodes);
void X(system_nodes_clear)(struct system *s, system_nodes *nodes);
/* Is coordinate i > 0 one of the same point or rotation as the one before it? */
int X(system_goes_on)(const struct system *s, uint32_t i);

#endif
