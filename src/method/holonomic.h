/* What the formulations of a system with imposed constraints g(q,t) = 0 share: the way from (q,p) to velocities and
 * residuals, the saddle-point matrix behind Q = G H_pp G', projections, and Newton's matrix of the stages. */
#ifndef TAUT_METHOD_HOLONOMIC_H
#define TAUT_METHOD_HOLONOMIC_H

#include "method/formulation.h"
#include "method/motion_matrix.h"
#include "solve/acceleration.h"
#include "solve/legendre.h"
#include "solve/saddle.h"

typedef struct holonomic {
    struct system *s;
    int (*evaluate)(void *self, real t, const real *z, real *rate);
    motion_type type;
    legendre *legendre;
    saddle *saddle;             /* NULL with forces that depend on the multipliers: naive alone, by way of: */
    acceleration *acceleration;
    motion_matrix *matrix;
    int stages;
    void *room;                 /* of the arrays below */
    /* the place at hand */
    real t;
    const real *q;
    real *w, *v;                /* n */
    real *lambda;               /* c: b of the last evaluation */
    real *rate_of_change;       /* n: dv/dt of the last evaluation */
    real *phi, *psi;            /* c */
    real *jacobian;             /* G, where no saddle keeps it */
    /* work: n */
    real *a, *b, *u, *f, *mean, *solved, *other;
    real *c, *curvature, *second;   /* c */
    real *stage_rate;           /* 2n */
    real *extra;                /* more work of n and c: see extended */
} holonomic;

#define HOLONOMIC_EXTRA 8       /* vectors of max(n, c) in `extra` */

/* The reason why imposed constraints of this system cannot be treated so, or NULL. */
const char *X(holonomic_refuse)(const struct system *s);
int X(holonomic_create)(struct system *s, int (*evaluate)(void *, real, const real *, real *), motion_type type,
                        void **self);
void X(holonomic_destroy)(void *self);
void X(holonomic_begin)(void *self, const state *x);
int X(holonomic_end)(void *self, state *x);
uint32_t X(holonomic_chi_count)(const void *self);
int X(holonomic_chi)(void *self, real t, const real *z, real *out);
int X(holonomic_project)(void *self, unsigned which, real eps, real t, const real *z, real *moved, int *done);
int X(holonomic_stages_create)(void *self, int stages, const real *a);
int X(holonomic_stages_factor)(void *self, real h, const real *t, const real *z);
int X(holonomic_stages_solve)(void *self, real *r);

/* Goes to (t,z): finds w, v, psi = G v + g_t and, if there is a saddle, factors its matrix there. */
int X(holonomic_arrive)(holonomic *f, real t, const real *z, place *at);
/* Solves the saddle with a = b = 0: right becomes Q^-1 right, w := pi_w^-1 G' right, v := H_pp G' right. */
int X(holonomic_solve)(holonomic *f, real *right, real *w, real *v);

#endif
