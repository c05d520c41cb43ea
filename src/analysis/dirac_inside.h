/* Inside of the analysis, for the files of this folder. */
#ifndef TAUT_ANALYSIS_DIRAC_INSIDE_H
#define TAUT_ANALYSIS_DIRAC_INSIDE_H

#include "analysis/dirac.h"

#define SAMPLES 5

/* ---- sample.c: points at which formulas are evaluated ---- */
typedef struct {
    wide *z;    /* 2n */
    wide t;
} point;

struct sampler {
    graph *g;
    const model *m;
    uint32_t n;
    point base;               /* the start as given */
    wide scale[2];            /* typical size of q and of w */
    point points[SAMPLES];
    int count;                /* points found */
    int irregular;            /* points at which the gradients of the constraints depend on each other: left out */
    uint64_t seed;
    wide *value, *error;      /* by node, scratch */
    size_t capacity;
};

typedef enum { WEAK_ZERO, WEAK_NONZERO, WEAK_MIXED, WEAK_NOT_FINITE } weakness;

int taut_sampler_create(const model *m, uint32_t n, const wide *base, sampler **result);
void taut_sampler_destroy(sampler *s);
/* Values at a point, and bounds of their rounding errors in ulps (may be NULL). */
int taut_sampler_values(sampler *s, const point *x, const expr *roots, size_t count, wide *values, wide *errors);
/* Is f zero at the points? */
int taut_sampler_judge(sampler *s, expr f, weakness *result);
/* New points, on chi = 0 and with independent gradients there; s->count is the number found. */
int taut_sampler_spread(sampler *s, const expr *roots, size_t root_count, const dirac_constraint *chi, size_t count);
/* Moves x by Newton's method, least change, onto chi = 0; by[i] = 0 keeps variable i (by may be NULL). *converged:
   whether it did. */
int taut_sampler_project(sampler *s, point *x, const dirac_constraint *chi, size_t count, const unsigned char *by,
                    int *converged);
/* The same for any functions with gradients by (q,w) (count rows of 2n). */
int taut_sampler_solve(sampler *s, point *x, const expr *f, const expr *gradient, size_t count, const unsigned char *by,
                  int *converged);
/* Rank of a dense matrix (destroyed), relative to the sizes of its rows. */
int taut_rank_of(wide *a, int rows, int columns);
wide taut_sample_tolerance(void);

/* ---- eliminate.c ---- */
/* sum_j m_kj u_j + h_k = 0, k rows: Gauss-Jordan, with entries that vanish at the samples taken as zero. */
typedef struct {
    int rows, columns;
    expr *m, *h;              /* rows x columns, rows */
    int *pivot_column;        /* per row, or -1 */
    int *pivot_row;           /* per column, or -1 */
    int mixed;                /* an entry was zero at some samples and not at others: the rank may vary */
} tableau;

int taut_tableau_create(dirac *d, int rows, int columns, tableau *t);
void taut_tableau_clear(dirac *d, tableau *t);
int taut_tableau_eliminate(dirac *d, tableau *t);

/* ---- start_point.c ---- */
/* The start values on phase space; free: those that are free are solved for. */
int taut_start_point(dirac *d, int free, point *x);

/* ---- legendre_transform.c ---- */
/* H_c and the primary constraints of a Lagrangian model. A verdict may come of it. */
int taut_dirac_legendre(dirac *d);

/* ---- velocity.c ---- */
/* What to say of a Lagrangian that lacks the velocities of a coordinate or point; empty if it lacks none. *all: it has
   no velocity at all. */
int taut_missing_velocity(const model *m, char *text, size_t size, int *all);

/* ---- algorithm.c ---- */
int taut_dirac_add(dirac *d, expr value, dirac_constraint like);
int taut_dirac_verdict_is(dirac *d, dirac_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
