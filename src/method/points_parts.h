/* What the files of points.h share. */
#ifndef TAUT_METHOD_POINTS_PARTS_H
#define TAUT_METHOD_POINTS_PARTS_H

#include "linalg/linear.h"
#include "linalg/tridiagonal.h"
#include "method/points.h"

/* Two bars with a point in common: entries of the matrix. */
typedef struct {
    uint32_t k, l;
    int below, above; /* where entries (l, k) and (k, l) are among the values */
    real weight;      /* of the points that they share, with the signs of the ends */
} coupling;

struct points {
    struct system *s;
    bars *b;
    newton *newton;
    int project, steady_force;
    int trend;             /* multipliers begin where their last change leads */
    linear *solver;
    coupling *couplings;
    uint32_t coupling_count;
    int *diagonal;         /* places of entries (k, k) among the values */
    int chain;             /* values are the diagonal, and two bands of the couplings of neighbours */
    unsigned weighed;      /* the version of the constants that weights belong to; */
    int served, weighs;    /* they have been found; each point has one mass, and momenta vanish with velocities */
    void *room;
    vectors q, q1, d, d1;  /* of the start and the end of a step: points, with fixed ends, and bars */
    vectors base, push, v;
    real *w;               /* inverse masses */
    real *weights, *between; /* of the diagonal; of a chain, of its couplings */
    real *y, *mu, *rest;   /* s lambda; multipliers of velocities; right-hand sides */
    /* As the state has its numbers: */
    real *known_q;         /* of the state that the last step left */
    real *f, *f1;          /* free forces at the start and the end; f1: f where it is the same everywhere */
    real *motion, *pull;   /* base and push */
    double *values;
    tridiagonal bands;     /* factors of a symmetric matrix of a chain: */
    int banded;            /* the matrix that was factored last is one */
    int even;              /* all masses are equal */
    const state *from;
    state *next;
    real h, size, speed, reach; /* reach: no more than the largest entry of D */
    real known_t, multiplier;
    int known, factored, left; /* q, d and f are those of the state that the last step left; the matrix is theirs; this
                                  step is for verlet.c */
    int summed;            /* next->p is the sum of the forces */
    int finite;
};

#endif
