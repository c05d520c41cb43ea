/* Clusters of a phase: sets of coordinates such as a body or a point. Coordinates that the kinetic energy couples are in
 * one cluster, and so are neighbouring ones that the same joints touch (the place of a body, and its orientation).
 *
 * A constraint whose element touches one cluster belongs to it. The others are late: they are what is left when the
 * clusters have been eliminated (clusters.h). */
#ifndef TAUT_LOWER_CLUSTER_GRAPH_H
#define TAUT_LOWER_CLUSTER_GRAPH_H

#include "lower/element_inside.h"

#define CLUSTER_NOWHERE UINT32_MAX
enum {
    CLUSTER_WIDTH_MOST = 7, /* coordinates that are joined because the same joints touch them: those of a body */
    CLUSTER_KINDS_MOST = 64
};

/* Clusters with the same terms around them. Their tables are those of an element, made of all elements that touch a
   cluster: its own coordinates and constraints come first, then those of its neighbours, and late constraints. */
typedef struct {
    element_shape all;
    uint32_t own_n, own_c;
} cluster_kind;

/* Elements with late constraints, which touch clusters in the same way. */
typedef struct {
    element_shape all;
    uint32_t *ordinal; /* of a coordinate of the element: which of its clusters, 0, 1, .. */
    uint32_t cluster_count;
} late_kind;

typedef struct {
    uint32_t cluster_count, late_count, node_count;
    int are_connected;                 /* entries of Newton's matrix connect coordinates of several clusters */
    uint32_t *cluster_of, *own_number; /* of a coordinate: its cluster, and its number there */
    uint32_t *kind_of, *place_of;      /* of a cluster: its kind, and which cluster of that kind */
    uint32_t *late_number;             /* of a constraint: which of the late ones; CLUSTER_NOWHERE: none of them */
    uint32_t *late_node;               /* of a late constraint: those of one element are a node */
    cluster_kind *kinds;
    late_kind *lates;
    uint32_t kind_count, lates_count;
} cluster_graph;

/* *usable is 0, with TAUT_OK, where there are too many kinds. */
int X(cluster_graph_create)(const element_part *part, const element_phase *elements, cluster_graph *g, int *usable);
void X(cluster_graph_clear)(taut_context *context, cluster_graph *g);

#endif
