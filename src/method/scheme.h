/* Integrators of a formulation: explicit and implicit Runge-Kutta schemes on z = (q,p), with corrections back to the
 * constraints after a step where they are asked for. */
#ifndef TAUT_METHOD_SCHEME_H
#define TAUT_METHOD_SCHEME_H

#include "lower/explicit.h"
#include "method/formulation.h"
#include "method/tableau.h"

typedef enum { SCHEME_RK4, SCHEME_RKF45, SCHEME_GAUSS } scheme_type;

typedef struct {
    scheme_type type;
    int stages;             /* of gauss; one is the midpoint rule */
    int functional;         /* gauss: fixed-point iteration instead of Newton's */
    real tolerance;         /* rkf45: error of a step; gauss: of the iteration, 0 for round-off */
    int relative;           /* rkf45: the error of q and of p by the size of q and of p */
    real first;             /* rkf45: the first step to try; 0: the whole step */
    unsigned project;       /* PROJECT_ bits */
    real eps;               /* residual that is corrected */
} scheme_options;

typedef struct scheme scheme;
struct scheme {
    struct system *s;
    formulation *f;
    scheme_options options;
    newton newton;          /* its counts are the scheme's */
    state next;             /* the state being found */
    uint32_t size;          /* 2n */
    int stages;
    real a[STAGES_MOST][STAGES_MOST], b[STAGES_MOST], c[STAGES_MOST]; /* gauss */
    void *room;             /* of the arrays below */
    real *z, *low;          /* where the step began, with the leftovers of compensated summation */
    real *at;               /* stages x 2n: where the field is evaluated */
    real *k;                /* stages x 2n: the field there */
    real *x;                /* stages x 2n: unknowns of the implicit schemes */
    real *move;             /* 2n: what is added to z */
    real *error;            /* 2n */
    real t[STAGES_MOST];
    real t0, t0_low, h;
    /* Straight-line code; NULL: the formulation evaluates the field. */
    program *lowered;       /* rk4: a step that needs no correction */
    explicit_trial *trial;  /* rkf45: one of the steps of its own; gauss: the field */
    state place;            /* gauss: where it is evaluated */
    real *lambda;           /* c: multipliers of the last evaluation */
    int has_lambda;         /* that was straight-line code */
    int general_alone;      /* the code is not to be used */
};

/* f must outlive the scheme. */
int X(scheme_create)(formulation *f, const scheme_options *options, scheme **result);
void X(scheme_destroy)(scheme *r);
/* x := the state h later, by one step, or by as many as the error asks for (rkf45; their size is x->step). */
int X(scheme_step)(scheme *r, state *x, real h);
const newton_counts *X(scheme_counts)(const scheme *r);
/* Up to `count` steps by straight-line code: as method_steps (method.h). */
long X(scheme_steps)(scheme *r, state *x, const real *lengths, int stride, long count, multiplier_growth *size);
/* The step as a program, and nothing else is done in it; or NULL. */
program *X(scheme_program)(const scheme *r);
/* use: 0, the formulation evaluates the field, whatever has been lowered. */
void X(scheme_use_lowered)(scheme *r, int use);

/* ---- for the schemes themselves ---- */
/* k := field at stage i, counted. */
int X(scheme_evaluate)(scheme *r, int i);
extern const explicit_tableau X(scheme_classical), X(scheme_fehlberg), X(scheme_field); /* the last: of one stage */
/* From r->z at time t0 (+ t0_low), which is x: r->move := the change over h, r->error := the estimated error. */
int X(scheme_explicit)(scheme *r, state *x, const explicit_tableau *t);
int X(scheme_implicit_create)(scheme *r);
int X(scheme_implicit)(scheme *r);

#endif
