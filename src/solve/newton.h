/* The Newton iteration that everything uses.
 *
 * Residuals are in the precision of the unit, matrices are factored in double: in quad this is a simplified Newton
 * iteration that gains some ten digits a step. The matrix is rebuilt only when the corrections shrink slowly. The
 * iteration runs down to round-off: it ends when the next correction would not count, when the corrections stagnate at
 * a size that can only be round-off, or when they stagnate and the problem knows that its residual is round-off.
 * Anything else is an error that names the equation.
 *
 * Softened matrices (redundancy.h) leave a few directions in which corrections shrink slowly: those in which the
 * constraints nearly depend on each other, beside a singular position. The corrections with one matrix show what it
 * misses there (secant equations, as of Anderson's and Broyden's methods), and further ones make up for it. */
#ifndef TAUT_SOLVE_NEWTON_H
#define TAUT_SOLVE_NEWTON_H

#include "base/context.h"
#include "base/pool.h"
#include "base/real.h"
#include "base/words.h"

typedef enum { NEWTON_EXACT, NEWTON_ROUGH, NEWTON_SETTLES } newton_matrix;

typedef struct newton_problem {
    void *self;
    int size;
    int (*residual)(void *self, const real *x, real *r);
    /* Forms and factors the matrix at x. NULL: there is but one, and convergence may be slow. */
    int (*factor)(void *self, const real *x);
    /* r := matrix^-1 r */
    int (*solve)(void *self, real *r);
    /* The size of a correction relative to the unknowns (or to what they move). Called once per correction, before x -=
       dx: a problem may keep what follows from x up to date here. */
    real (*measure)(void *self, const real *x, const real *dx);
    /* Name of an equation for messages. */
    void (*name)(void *self, int equation, char *buffer, size_t size);
    /* Is r, the residual at x, no more than the round-off of computing it? Asked when the corrections stagnate above
       the level that is taken for round-off of any problem. NULL: such a stagnation is a failure. */
    int (*is_round_off)(void *self, const real *x, const real *r);
    /* What the last factor has made. NULL: the matrix. A rough one will be replaced by a better and much dearer one
       when the corrections shrink slowly; before that, when they are small, a factor may make one that only settles:
       some corrections that remove what the rough one left in equations it does not know well, after which the
       residual must be round-off. */
    newton_matrix (*kind)(void *self);
    /* r := the equations at x, for messages and for is_round_off, where residual leaves them elsewhere. NULL: residual. */
    int (*whole)(void *self, const real *x, real *r);
    /* Has solve made the correction itself, in numbers of its own? NULL: no. */
    int (*corrects)(void *self);
} newton_problem;

enum { NEWTON_SECANTS = 6 };
/* So many zeros are behind the residual, and stay there: problems may work on whole vectors. */
enum { NEWTON_FILLED = 8 };

/* Pairs of what x moved by and what the correction changed by, with one matrix: the changes are orthonormal. */
typedef struct {
    void *room;          /* of the arrays; NULL: no secants */
    real (*product)(void *self, const real *a, const real *b); /* of the problem: decides how they are combined */
    real *moved[NEWTON_SECANTS], *changed[NEWTON_SECANTS];
    real *before, *done; /* the last correction as the matrix gave it, and as it was done */
    int length, count, begun;
} newton_secants;

/* Solutions that are doubtful: who asks has another way. No message is written. */
enum {
    NEWTON_NOISE = 1,    /* its last digits are lost: corrections stagnate far above round-off */
    NEWTON_STRAYS = 2    /* it would be another one: a correction was much larger than the first */
};
/* The status then; x is the solution, or where the iteration was given up. They stay within a step. */
enum { NEWTON_NOISY = 1000, NEWTON_STRAYED };

typedef struct {
    taut_context *context;
    int most;            /* iterations before giving up */
    real enough;         /* a relative correction that is small enough to be the last */
    real rest;           /* the same for the estimated one that is left out */
    real floor;          /* stagnation below this is round-off of an ill-conditioned problem */
    int relaxed;         /* see newton_relax */
    int careful;         /* which solutions are doubtful: NEWTON_NOISE, NEWTON_STRAYS; 0: none */
    int largest;         /* problem */
    void *room;          /* of the arrays below */
    real *residual;      /* work, as long as the largest problem */
    real *start;         /* where the iteration began, of problems with rough matrices */
    newton_counts counts;
    newton_secants secants;
    pool *pool;          /* who corrects; NULL, as at first: one thread */
    int corrected;       /* by the problems: measure subtracts dx, or dx times a factor that it knows, from x itself */
} newton;

/* tolerance 0: down to round-off. n must stay where it is. */
int X(newton_create)(taut_context *context, int largest, real tolerance, newton *n);
/* From here on secants are kept; `product` gives an inner product of two corrections of the problem. Before the first
   solve. */
int X(newton_keep_secants)(newton *n, real (*product)(void *self, const real *a, const real *b));
/* Round-off, for problems in which what is left out does not add up over the steps: saves an iteration or two. */
void X(newton_relax)(newton *n);
void X(newton_clear)(newton *n);
/* Solves from the start x. has_factor: the matrix of an earlier factor call is good enough to begin with. time and what
   are for messages. */
int X(newton_solve)(newton *n, const newton_problem *p, real *x, int has_factor, real time, const char *what);

/* x -= residual */
void X(newton_correct)(const newton *n, real *x, int count);
/* max |dx_i| / max(1e-3, |x|): the usual measure */
real X(newton_relative)(const real *x, const real *dx, int count);

#endif
