/* Multipliers that make no force, G' x = 0: what engineers call states of self-stress. Constraints that depend on each
 * other have as many of them as there are dependent ones, and in long structures each can be chosen among a few
 * neighbours (the six bars of a bay of a truss). With such a basis N, and D of redundancy.h,
 *     lambda - N (N' D N)^-1 N' D lambda
 * is the choice of least size sum_k D_k lambda_k^2 among the multipliers that make the same force. N' D N is sparse and
 * well conditioned however long the structure is, where S = G M^-1 G' is not: its least eigenvalue, of bending, falls
 * with the fourth power of the length. So this serves where no softening is small enough.
 *
 * Who takes part is a plan, found at the start. N itself follows from G wherever it is wanted, one small problem of
 * least squares for each of its columns. */
#ifndef TAUT_SOLVE_STRESS_H
#define TAUT_SOLVE_STRESS_H

#include "linalg/pattern.h"
#include "solve/rank.h"

enum { STRESS_MOST = 128 }; /* constraints that take part in one of them, at most */

/* One block of memory. */
typedef struct stress_plan {
    int count;              /* columns of N */
    int *start;             /* count + 1 */
    int *member;            /* constraints of a column, the dependent one first */
    int *rows;              /* count: coordinates that a column touches */
    int *entry_start;       /* of each member, and the end */
    int *entry_row;         /* for the entries of its row of G: which of these coordinates */
    pattern shape;          /* of N' D N */
    int *pair_start;        /* for each entry of it: */
    int *pair_a, *pair_b;   /* products of members */
    double *metric;         /* c: D, up to a factor */
    int most_members, most_rows;
} stress_plan;

/* Of the dependent constraints that are found to depend on a few neighbours before them; *result NULL: there are none.
   g: values of BLOCK_G; aside: also those at another place, or NULL (a part that is zero here may not be so there). */
int X(stress_plan_create)(const struct system *s, const rank *found, const real *g, const real *aside,
                          const double *metric, stress_plan **result);

/* Columns 1 .. count - 1 (each of `rows` numbers, one behind the other, in `columns`, which is overwritten) are
   combined to minus column 0: x_0 = 1, x_j the factors. Columns that depend on those before them, up to a part `least`
   of their length, have x_j = 0. r: count * count numbers. Returns what is left of column 0, relative to its length. */
real X(stress_combine)(int rows, int count, real *columns, real *r, real least, real *x);

typedef struct stress stress;

/* *result: NULL where the system has no plan. order: of the values of BLOCK_G, as in multiplier.h. */
int X(stress_create)(const struct system *s, const int *order, stress **result);
void X(stress_destroy)(stress *z);
/* The values of BLOCK_G from here on. They are read when N is first wanted. */
void X(stress_at)(stress *z, const real *g);
/* change += N (N' D N)^-1 N' D (lambda - change), c numbers each; lambda NULL: zero. As multiplier_choose. */
int X(stress_choose)(stress *z, const real *lambda, real *change);

#endif
