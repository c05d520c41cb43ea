/* What the files of verlet.h share. */
#ifndef TAUT_METHOD_VERLET_PARTS_H
#define TAUT_METHOD_VERLET_PARTS_H

#include <stdatomic.h>

#include "base/extreme.h"
#include "linalg/row_cuts.h"
#include "method/points.h"
#include "method/verlet.h"
#include "solve/multiplier.h"
#include "solve/newton.h"
#include "step/stepper.h"
#include "system/state.h"

typedef struct {
    struct system *s;
    newton newton;
    multiplier *matrix;
    int *order;            /* of the values of G: entry e of BLOCK_G at order[e] */
    row_cuts cuts;         /* of the constraints */
    int by_pieces;         /* G1 and G1 v are found piece by piece; */
    int by_rows, summed;   /* and so is G1 W G1'; it has been */
    products *rows;        /* G v */
    products *columns;     /* G' x */
    const products_piece *points; /* of it, which may be opposite; NULL: none */
    atomic_int opposite0, opposite1; /* they are, in g0 and in g1 */
    uint32_t piece;        /* of a loop: coordinates, or constraints */
    real *pushes;          /* as push, for each of the other threads: how many there are does not change the room */
    state next;            /* the state being found; next.lambda is lambda */
    void *room;            /* of the arrays below */
    real *f, *f1;          /* free forces at the beginning and at the end, unless they are the same everywhere */
    real *g0, *g1;         /* constraint Jacobians */
    real *mu;
    real *push;            /* constraint forces of a piece, for the first thread */
    /* Not where forces are summed in pieces: */
    real *push0, *push1;   /* constraint forces G0' lambda and G1' mu */
    real *kick, *work;     /* work: momenta */
    real *base;            /* q1 - q0 without the constraint force, with q_low; not in pieces: later the sum of all
                              forces but push1 */
    real *rate, *velocity_error; /* g_t; G v + g_t */
    int pieces;            /* forces are summed in pieces: a diagonal mass */
    int drag;              /* forces depend on velocities: */
    stepper *table;        /* for steps that converge slowly */
    points *points_of;     /* makes the steps of points between bars; NULL: the system is another one */
    int by_points;         /* it has made the last one */
    real *drift, *stage;   /* velocity without the constraint force, W (p0 + h/2 f0), not in pieces; V */
    real last;             /* size of the last correction; 0: none */
    int slow;              /* corrections do not shrink fast enough */
    newton_counts total;   /* of both ways */
    /* what the loops of a step leave to later ones (their arguments are structs of verlet.c) */
    const real *lambda;               /* the multipliers of the positions: those of x before the first correction */
    real scale;                       /* of the correction of multipliers that was solved for last */
    int begun;                        /* velocities are begun for the current positions, */
    int forces;                       /* and next.p is the sum of all forces but push1 */
    extreme fastest[POOL_THREADS_MOST]; /* the largest of these velocities, by threads */
    int corrections, usual;           /* of lambda, in this step so far and in the last one */
    atomic_int differs;               /* the positions of the state are not known_q */
    real size, speed;      /* of the positions and the velocities */
    int terms;             /* the most entries of a row of G */
    int choose;            /* the next correction of lambda chooses among those that make the same force */
    int even;              /* all masses are equal, and momenta vanish with the velocities */
    int steady_force;      /* the free force is the same everywhere and always */
    int repeated;          /* and that of every piece of the coordinates is that of the first one */
    real lambda_size;      /* the largest multiplier */
    int finite;            /* positions and velocities have been seen to be */
    atomic_int wild;       /* a velocity was not */
    /* f, g0 and the factored matrix belong to this place, if known: */
    real *known_q, known_t;
    int known, factored;
    unsigned known_constants; /* inputs change the force */
    /* the arguments of this step */
    const state *from;
    real h;
    int project;           /* the second half is done; SHAKE leaves it out, and the next lambda takes it along */
} verlet;

/* verlet_create.c. project: the second half is done. */
int X(verlet_create)(struct system *s, const method_spec *spec, int project, real tolerance, void **self);
void X(verlet_destroy)(void *self);

#endif
