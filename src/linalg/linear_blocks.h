/* The two halves of block elimination: the symbolic one, once per pattern, and the numeric one. Internal to this
 * folder.
 *
 * The unknowns of a mechanism come in nodes: the velocities of a body, the multipliers of a constraint. A node has as
 * many equations as unknowns. The matrix is eliminated node by node in an order that is fixed from the pattern alone.
 * Equations are exchanged for pivots within a front only, never between fronts, so that the order holds whatever the
 * values are.
 *
 * The elimination is multifrontal (Duff and Reid 1983). A front is a dense matrix
 *     [F11 F12]   m rows of its own unknowns
 *     [F21 F22]   w rows of unknowns that are eliminated later
 * that gathers entries of the matrix and what its children leave. F11 = P'LU is factored, and F22 - F21 F11^-1 F12 is
 * added to the front of the parent. */
#ifndef TAUT_LINALG_LINEAR_BLOCKS_H
#define TAUT_LINALG_LINEAR_BLOCKS_H

#include "linalg/linear_backend.h"

enum { BLOCKS_MOST = 48 }; /* own unknowns of a front, unless a single node has more */

/* One entry of the matrix: its number among the values, and its place in the front, which stands by columns. */
typedef struct {
    int value, at;
} blocks_entry;

typedef struct {
    int first;               /* its unknowns are first .. first + own - 1 in the order of elimination */
    int own, later;          /* m and w */
    int children;            /* fronts whose remainders it takes; in postorder they come just before it */
    int first_entry, entry_count;
    size_t indices;          /* where its numbers begin in `index` and `into` below */
    size_t factors;          /* the same in `factors`: m columns of m + w numbers, then w columns of m */
} blocks_front;

/* What the numeric half needs. It depends on the pattern alone, and objects of one pattern share it. */
typedef struct {
    long users;
    int n, count;            /* unknowns, fronts */
    blocks_front *fronts;    /* in postorder */
    blocks_entry *entries;
    int *index;              /* of a front, w numbers: its later unknowns, in the order of elimination, ascending */
    int *into;               /* and where they stand in the front of the parent */
    int *row, *column;       /* of the matrix, of the k-th unknown of the order */
    unsigned char *is_late;  /* of the k-th unknown: its node */
    size_t factor_count;     /* numbers of all factors */
    size_t stack_most;       /* numbers of remainders that wait at a time, at most */
    int widest;              /* m + w, at most */
    double operations;       /* of a factorisation */
} blocks_plan;

/* *result is NULL, with status TAUT_OK, where the nodes do not fit together (a node needs as many equations as
   unknowns). */
int taut_blocks_analyse(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes,
                        blocks_plan **result);
void taut_blocks_plan_destroy(taut_context *context, blocks_plan *plan);

#endif
