/* Inside of reduce.c and its rooms: matrices without curvature (rough.c), coordinates that multipliers give
 * (nested.c), problems that are too large (forecast.c). */
#ifndef TAUT_LOWER_REDUCE_INSIDE_H
#define TAUT_LOWER_REDUCE_INSIDE_H

#include "lower/reduce.h"

enum { NO_POLYNOMIAL = 3 };

/* Unknowns that are left, and nodes of the graph, at most. Larger problems are better off with the general path:
   straight-line code grows faster than its use. */
enum { REDUCE_LEFT_MOST = 150, REDUCE_NODES_MOST = 60000 };

typedef struct {
    uint32_t size;
    expr *a;                  /* size x size; factored in place: pivots are inverted */
    uint32_t *row, *column;   /* of each pivot, in order */
    unsigned char *row_done, *column_done;
    unsigned char *late;      /* multipliers: their pivots are what the others leave */
    expr *right;
    expr inverse;             /* of the determinant of two equations */
} elimination;

/* Before the equations of a phase are written: TAUT_UNSUPPORTED where too many unknowns will be left. No equation gives
   multipliers, nor velocities whose momenta have coefficients that depend on the state. Sets y->nodes_most. */
int X(reduce_forecast)(symbols *y, int phase);
int X(reduce_elimination)(symbols *y, uint32_t size, elimination *m);
void X(reduce_elimination_clear)(symbols *y, elimination *m);
/* diagonal: as it was */
int X(reduce_eliminate)(symbols *y, reduced_phase *p, elimination *m, const expr *diagonal);
/* out := the solution with the right-hand side `right`, which is overwritten. */
int X(reduce_substitute)(symbols *y, const elimination *m, expr *right, expr *out);

/* A pivot is compared with what it is made of: the entry as it was, or zero. */
void X(reduce_check)(symbols *y, reduced_phase *p, expr pivot, expr was);

/* The size of the group that unknown i of the phase belongs to. */
step_size X(reduce_size)(const symbols *y, const reduced_phase *p, size_t i);
/* Is this coefficient a constant other than zero? */
int X(reduce_is_usable)(symbols *y, expr coefficient, int *usable);
/* The degree of e as a polynomial in unknowns [first, first + some) of the phase; NO_POLYNOMIAL: more than 2, or none.
   Derivatives alone do not tell: that of sign(x) is zero. */
int X(reduce_degree)(symbols *y, const reduced_phase *p, expr e, size_t first, size_t some, int *found);
/* The unknowns of the phase that e contains get mark[i] = 1. */
int X(reduce_mark)(symbols *y, const reduced_phase *p, expr e, unsigned char *mark);

/* Takes what depends on multipliers out of the rows and columns of coordinates of Newton's matrix, size x size, where
   all that is left there is constant: elimination then leaves the equations of the multipliers, and a correction is as
   long as the residual. Corrections shrink by h^2 times the curvature, about as fast as with a full matrix that is
   formed once; not in quad, where they would be many. */
int X(reduce_rough)(symbols *y, reduced_phase *p, expr *matrix);
/* Where the equations of the coordinates that are left are linear in these, with few coefficients that depend on
   multipliers, they are solved in every round, and multipliers are all that is iterated on. */
int X(reduce_nested)(symbols *y, reduced_phase *p);

#endif
