/* What the files of the consistent start share: the state being made consistent, the search, and the explanation of a
   failure. */
#ifndef TAUT_SOLVE_START_PARTS_H
#define TAUT_SOLVE_START_PARTS_H

#include "solve/start.h"

#define CONSISTENT 1e-9 /* relative displacement that counts as a rounding of the given numbers */
#define POLISH 1e-13    /* relative displacement that is not worth a word */

typedef struct {
    struct system *s;
    kkt *kkt;
    state *x;
    const unsigned char *is_free[2]; /* positions and velocities that are to be solved for; NULL: none */
    int velocity;            /* unknowns are velocities, else positions */
    int factored;            /* kkt is that of the state as it is */
    void *room;              /* of the arrays below */
    uint32_t *free;          /* coordinates being solved for */
    uint32_t count;
    real *r, *trial;         /* residual (c), saved unknowns */
    real *g;                 /* values of BLOCK_G */
    real *nu;                /* values of BLOCK_NU_W */
    real *a, *b, *v;         /* n */
} starter;

static inline place start_here(const starter *z) { return place_at(z->s, z->x->q, z->x->w, &z->x->t, z->x->lambda); }
static inline real *start_unknown(const starter *z) { return z->velocity ? z->x->w : z->x->q; }

/* Numbers in (-1, 1), the same each time. */
static inline double next_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* The first of the largest; of those that are not finite, if there are any. */
uint32_t X(start_worst)(const real *x, uint32_t count);
/* g, or its time derivative. */
void X(start_residual)(starter *z, real *out);
/* The Jacobian of the residual by the unknowns z->free, dense, column-major: G, or G nu_w for velocities. */
void X(start_jacobian)(starter *z, double *dense);

/* Whether each constraint by itself is met: its zeros are no further than CONSISTENT from the state. Overwrites z->r
   with the residual. */
int X(start_is_met)(starter *z);
/* Moves the unknowns z->free to a minimum of the sum of squared distances to the constraints, whatever their rank
   (Levenberg-Marquardt). left: what is left of each constraint (c), in units of its first gradient, or NULL.
   *searched: 0 when the system is too large for this. */
int X(start_settle)(starter *z, double *left, int *searched);
/* Moves the unknowns to the point of the constraints that is nearest to `given` in the metric of the mass matrix,
   beginning where they are. *found: 0 when the iteration does not converge. */
int X(start_nearest)(starter *z, const real *given, int *found);

/* After TAUT_SINGULAR: softens the system where its constraints depend on each other all around the start, and agree.
   The unknowns stay. */
int X(start_soften)(starter *z, start_report *report, int *softened);

/* Fails with a text that says why the state cannot be made consistent: the constraints contradict each other; the
   given values do not meet them, and where the nearest values are that do; or, where they are met, a constraint is
   redundant. `status` is what the projection said; of TAUT_SINGULAR with its text. The unknowns stay. */
int X(start_explain)(starter *z, start_mode mode, int status, start_report *report);

#endif
