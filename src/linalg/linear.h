/* Linear systems: one interface, several back ends.
 *
 * A matrix is square and sparse, in compressed columns with ascending row indices. The pattern is analysed once;
 * factor takes new values for the same pattern; solve overwrites the right-hand side. All in double: quad precision is
 * reached by the Newton iteration around it (residuals in quad, factors in double). No allocation in factor and solve
 * after the first factor. */
#ifndef TAUT_LINALG_LINEAR_H
#define TAUT_LINALG_LINEAR_H

#include "base/context.h"
#include "base/pool.h"

typedef enum {
    LINEAR_AUTO,     /* chosen from size, density and fill */
    LINEAR_SMALL,    /* own dense LU, partial pivoting; for sizes up to some 16 */
    LINEAR_LAPACK,   /* dense LU */
    LINEAR_KLU,      /* sparse LU; refactored with the first pivots while their growth stays bounded, anew otherwise */
    LINEAR_MUMPS,    /* multifrontal, for large fill; symmetric indefinite when told so */
    LINEAR_LDL,      /* symmetric pattern, no pivoting, AMD ordering (natural when that has no more fill): the
                        multiplier matrix G1 M^-1 G0', close to symmetric positive definite; values may be unsymmetric.
                        Linear time for trees. Measures its growth and hands other matrices to KLU */
    LINEAR_KLU_COLUMNS, /* KLU with its columns ordered for whatever rows the pivots are in (COLAMD), where KLU hopes
                        for the diagonal (AMD): for saddle points of several stages, whose many zeros there ruin the
                        other order */
    LINEAR_AUTO_COLUMNS, /* as LINEAR_AUTO, with KLU_COLUMNS for KLU */
    LINEAR_BLOCKS    /* elimination node by node (taut_linear_create_blocks), in an order fixed from the pattern, without
                        pivoting between nodes. Measures its error and hands other matrices to KLU */
} linear_backend;

typedef struct linear linear;

typedef struct {
    linear_backend backend; /* at work now: LDL says KLU after a factorisation that needed pivoting */
    long factor_nonzeros;   /* entries of the factors */
    long factorisations, refactorisations, solves;
    double pivot_growth;    /* of the last factorisation: 1 is harmless, large is bad; 0 when not measured (MUMPS) */
    double smallest_pivot;  /* |smallest| / |largest| pivot of the last factorisation, a rough sign of singularity */
    long deficient;         /* column (original numbering) in which the last failed factorisation broke down, or -1 */
    long negative_pivots;   /* of the last factorisation by MUMPS (symmetric) or LDL: the inertia; -1 when not known */
} linear_info;

/* Analyses the n x n pattern (column_start has n+1 entries; both arrays are copied). backend LINEAR_AUTO picks;
   symmetric promises that values will be symmetric: MUMPS then reads one triangle. */
int taut_linear_create(taut_context *context, linear_backend backend, int n, const int *column_start,
                       const int *row_index, int symmetric, linear **result);
/* Unknowns and equations that belong together, such as the velocities of a body: the node of each row and each column of
   the matrix. A node has as many rows as columns, and those of nodes that are not late make a regular matrix by
   themselves. A late node (the multipliers of a constraint) gets its pivots from the nodes around it: it is eliminated
   after all of these. */
typedef struct {
    int count;
    const int *row, *column;
    const unsigned char *late;
} linear_nodes;
/* By LINEAR_BLOCKS where the nodes allow it at no more work, and otherwise as taut_linear_create. */
int taut_linear_create_blocks(taut_context *context, linear_backend otherwise, int n, const int *column_start,
                              const int *row_index, const linear_nodes *nodes, linear **result);
/* Another one for the same pattern, with the back end and the analysis of `like`, which both then own; in one
   context. */
int taut_linear_create_like(const linear *like, linear **result);
/* The order in which the back end reads values fastest, entry p of the pattern at order[p]; NULL: that of the pattern.
   Who asks agrees: from now on factor takes its values in that order. The array belongs to the solver. To be asked
   before another one is created like it. */
int taut_linear_value_order(linear *solver, const int **order);
/* How many values, the first ones in that order, are the lower triangle of a symmetric matrix with its diagonal; 0:
   they are not told apart. taut_linear_factor_lower is taut_linear_factor for such a matrix, given these values alone;
   it may complete them. */
int taut_linear_takes_lower(const linear *solver);
int taut_linear_factor_lower(linear *solver, double *values);
/* Who factors and solves, where the back end can make use of several threads (LDL of a chain). NULL, as at first: one
   thread. The results do not depend on it. The pool must outlive the solver. */
void taut_linear_use(linear *solver, pool *p);
/* TAUT_SINGULAR when the matrix is numerically singular (info says where), TAUT_NOT_FINITE when a value is not finite.
   The object stays usable. */
int taut_linear_factor(linear *solver, const double *values);
/* The next factor chooses its pivots anew, as that of a new object would. For checkpoints: a resumed run gets the same
   bits as an uninterrupted one only if both forget here. */
void taut_linear_forget(linear *solver);
/* Settles an automatic choice with values made up for the purpose: where exchanging rows fills KLU's factors far beyond
   the forecast, MUMPS takes over here, and not at some matrix on the way, which another run, or the same one resumed,
   may not meet first. */
void taut_linear_settle(linear *solver, const double *values);
/* b := A^-1 b (or A'^-1 b). Needs a successful factor. */
int taut_linear_solve(linear *solver, double *b);
int taut_linear_solve_transposed(linear *solver, double *b);
/* LDL only, of a symmetric positive definite matrix with ones on its diagonal: which unknowns (original numbering) have
   pivots of at most `limit`, the square of what is left of them beside those eliminated before. Returns how many; the
   next solve needs another factor. */
int taut_linear_small_pivots(linear *solver, const double *values, double limit, unsigned char *small);
/* LDL only: the order of elimination, unknown order[k] as the k-th; NULL: the natural one. Belongs to the solver. */
const int *taut_linear_elimination(const linear *solver);
/* The same without copies: the caller puts values, and the numbers of right-hand sides, where the back end works on
   them. Entry p of the pattern is number entry[p] of the values, equation i is number row[i] of a vector, and unknown j
   is number column[j] of it. Two of them never share a number; a number that belongs to none is zero, and stays so. The
   arrays belong to the solver. Back ends without an order of their own
   have that of the pattern. */
typedef struct {
    const int *entry, *row, *column;
    int value_count, vector_count;
} linear_places;
/* Once for each solver, at set-up: TAUT_OUT_OF_MEMORY. */
int taut_linear_places(linear *solver, linear_places *places);
/* The array of values, to be filled before taut_linear_factor_placed and left alone while that factorisation is used;
   after taut_linear_factor its contents are undefined. taut_linear_begin makes all of them zero, for callers that add.
   Where arrays of the solver are in a flat workspace, they are there, and do not move, once it is placed. */
double *taut_linear_values(linear *solver);
double *taut_linear_begin(linear *solver);
/* As taut_linear_factor with these values, and as taut_linear_solve with x in its places: equations become unknowns. */
int taut_linear_factor_placed(linear *solver);
int taut_linear_solve_placed(linear *solver, double *x);
const linear_info *taut_linear_status(const linear *solver);
const char *taut_linear_backend_name(linear_backend backend);
void taut_linear_destroy(linear *solver);

#endif
