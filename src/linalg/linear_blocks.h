/* Block elimination: the order of the nodes and the plan of the elimination, made once per pattern, and the loops that
 * carry it out. Internal to this folder.
 *
 * The unknowns of a mechanism come in nodes: the velocities of a body, the multipliers of a constraint. A node has as
 * many equations as unknowns. The matrix is eliminated node by node in an order that is fixed from the pattern alone.
 * Equations are exchanged for pivots within a node only, so that the order holds whatever the values are.
 *
 * The elimination is multifrontal (Duff and Reid 1983). A front is a dense matrix
 *     [F11 F12]   m rows of its own unknowns
 *     [F21 F22]   w rows of unknowns that are eliminated later
 * that gathers entries of the matrix and what its children leave. D = F11^-1 and E = D F12 are computed, and
 * F22 - F21 E is added to the front of the parent. Then
 *     y = D b1, b2 := b2 - F21 y on the way up the tree, x1 = y - E x2 on the way down,
 * products of matrices by vectors, without divisions. The own unknowns of a front are eliminated in panels, a node each
 * or several that have the same neighbours: D is block diagonal, F21 includes the rows of later panels, and E their
 * columns.
 *
 * Fronts of one shape that do not depend on each other, such as those of the bodies of a chain, are eliminated
 * BLOCKS_LANES at a time: their numbers are interleaved, and each lane of a vector computes one front. Which fronts go
 * together depends on the pattern alone. */
#ifndef TAUT_LINALG_LINEAR_BLOCKS_H
#define TAUT_LINALG_LINEAR_BLOCKS_H

#include <stdint.h>

#include "linalg/linear_backend.h"

enum {
    BLOCKS_MOST = 48,  /* own unknowns of a front, unless a single node has more */
    BLOCKS_PANEL = 12, /* unknowns of a panel, unless a single node has more */
    BLOCKS_FIXED = 6,  /* own unknowns for which loops are compiled, at most */
    BLOCKS_LANES = 4,  /* numbers of a vector */
    BLOCKS_BEHIND = 16, /* zeros behind the unknowns: loops go past these, lanes without a front add zeros there */
    BLOCKS_PAST = BLOCKS_LANES - 1 /* loops over the rows of a single front run so far past its last row, at most */
};

/* Fronts of one shape that are eliminated together: `lanes` is 1 or BLOCKS_LANES; lanes without a front have a unit
 * matrix. A front stands by columns. Rows of later unknowns begin at `rows`, which is m in lanes and otherwise a
 * multiple of BLOCKS_LANES: rows between are zero, as are rows past the last one, so that loops take whole vectors.
 * Column j of lane l begins at
 *     j < m:  at + j * stride + l
 *     j >= m: at + m * stride + (j - m) * later_stride + l
 * and its rows are `lanes` apart. A bare front, in whose F22 no child leaves anything, has no F22: it comes and goes
 * column by column. */
typedef struct {
    int own, later;          /* m and w */
    int rows, lanes;
    int bare;
    int straight;            /* a single front whose later unknowns follow each other in the order, and in the front of
                                its parent */
    int matched;             /* fronts in lanes whose parents are in the same lanes of one group */
    int first_panel, panels; /* in `panel` below: unknowns of each */
    int fixed;               /* m, where loops have been compiled for it: a small number, in one panel; or 0 */
    int first;               /* own unknown k of lane l is the unknown first + k * lanes + l of the order */
    size_t at, stride, later_stride;
    size_t inverses;         /* where those of its panels begin: b columns of taut_blocks_rows(b) numbers per lane */
    size_t indices;          /* where its numbers begin in `index`, `into_row` and `into_column` below */
    size_t runs;             /* and in `run` and `follow` */
} blocks_group;

/* What the loops need. It depends on the pattern alone, and objects of one pattern share it. */
typedef struct {
    long users;
    int n, entries;          /* of the matrix */
    int unknowns;            /* of the order: n, those of lanes without a front, and the rows between */
    int count;               /* of the groups */
    blocks_group *groups;    /* children before their parents */
    int *panel;
    int *place;              /* of each entry of the matrix: where it stands in the fronts */
    int *ones, one_count;    /* the diagonals of lanes without a front */
    int *index;              /* of a front: its later unknowns in the order, ascending; w times `lanes` */
    int *into_row;           /* and where they stand in a column of the front of the parent; w for each lane */
    size_t *into_column;     /* and where those columns stand; as index */
    unsigned char *run;      /* of a group, w numbers: BLOCKS_LANES where so many rows follow each other in the fronts
                                of all parents, otherwise 1 */
    unsigned char *follow;   /* the same for unknowns: in lanes, whether those of all lanes follow each other */
    int *diagonal;           /* entry of an unknown of the order: where it is in the fronts; without one: a zero */
    int diagonals;           /* how many unknowns have one */
    int *row, *column;       /* of the matrix: their unknown in the order */
    int64_t *late_mask;      /* of an unknown of the order: -1 where its node is late, otherwise 0 */
    size_t front_count;      /* numbers of all fronts */
    size_t inverse_count;
    size_t factor_count;     /* numbers that the factors need */
    int widest;              /* rows + w, at most */
    double operations;       /* of a factorisation */
} blocks_plan;

/* The order of the nodes. */
typedef struct {
    int *at;                 /* neighbours, ascending */
    int count;
    size_t capacity;
} blocks_list;

typedef struct {
    int count, front_count;  /* nodes; fronts as they were found */
    int *size;               /* unknowns of a node */
    blocks_list *near;       /* of a node: those eliminated after it that are then its neighbours */
    int *front;              /* of a node */
    int *member;             /* the nodes in the order of elimination */
    int *first_member;       /* of a front; the node there is the one that has the front's neighbours in `near` */
} blocks_order;

/* size, of the nodes, goes over to the result. */
int taut_blocks_order(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes, int *size,
                      blocks_order *result);
void taut_blocks_order_clear(taut_context *context, blocks_order *o);

/* *result is NULL, with status TAUT_OK, where the nodes do not fit together (a node needs as many equations as
   unknowns), or where the fronts would be enormous. */
int taut_blocks_analyse(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes,
                        blocks_plan **result);
void taut_blocks_plan_destroy(taut_context *context, blocks_plan *plan);

/* The column of an inverse of `unknowns` has so many numbers per lane: loops over single fronts take whole vectors. */
static inline int taut_blocks_rows(int unknowns, int lanes)
{
    return lanes > 1 ? unknowns : (unknowns + BLOCKS_PAST) / BLOCKS_LANES * BLOCKS_LANES;
}

/* The numbers that the loops work on. An array of unknowns has those of the order and one more, which is zero. */
typedef struct {
    const blocks_plan *plan;
    double *image;           /* the matrix, in the places of its fronts, with zeros where it has no entries */
    double *fronts;          /* the same eliminated: F21 and E */
    double *inverses;        /* D */
    double *size;            /* of each unknown: what its pivot is computed from */
    double *work, *more;     /* of `taut_blocks_work` numbers */
    int *pivots;             /* of a panel: of each unknown and lane, the row that is exchanged with it */
} blocks_numbers;

static inline size_t taut_blocks_work(const blocks_plan *plan)
{
    return 2 * BLOCKS_LANES * ((size_t)plan->widest + BLOCKS_PAST);
}

/* Eliminates. 0 when a pivot is nothing but round-off, or when a number is not finite. */
int taut_blocks_eliminate(const blocks_numbers *s);
/* x := A^-1 x in the order of elimination, rows becoming columns; or A'^-1 x. */
void taut_blocks_substitute(const blocks_numbers *s, double *x);
void taut_blocks_substitute_transposed(const blocks_numbers *s, double *x);
/* residual := right - A x, and the largest |x| of unknowns that are not late and of those that are. 1 where every
   residual is at most `limit` times |a||x| + |b| with the diagonal entry a, the largest |x| of its kind, and the right
   side b: the first solution of most matrices that have all of their diagonal. */
int taut_blocks_holds(const blocks_numbers *s, const double *x, const double *right, double *residual, double *most,
                      double limit);
/* sizes += |A| most */
void taut_blocks_sizes(const blocks_numbers *s, const double *most, double *sizes);

#endif
