/* A phase of a step by static condensation, in lanes. With clusters (cluster_graph.h) first and late multipliers last
 * Newton's equations are
 *
 *     [ A  B ] [dx     ]   [r  ]      A: block diagonal, a cluster a block
 *     [ C  0 ] [dlambda] = [rho]
 *
 * so S dlambda = rho - C A^-1 r with S = -C A^-1 B, and dx = A^-1 (r - B dlambda). All numbers of a cluster stand in a
 * table of its own: unknowns, equations, factors of A, rows of C A^-1. Programs over all clusters of a kind
 * (element_inside.h) read and write these; only what passes between clusters is gathered. S goes to a linear solver.
 *
 * Where clusters meet in other ways (dampers, forces of constraints between the stages of a step), A leaves that out: the
 * matrix is rough, and corrections shrink by a factor. Where it is too large, the whole matrix takes over. */
#ifndef TAUT_LOWER_CLUSTERS_H
#define TAUT_LOWER_CLUSTERS_H

#include "lower/elements.h"

typedef struct clusters clusters;

/* How large the unknowns and corrections of a group are. */
typedef struct {
    real largest, moved;
} cluster_size;

/* *result is NULL, with TAUT_OK, where clusters are too large, have no safe order of elimination, or equations of
   late constraints contain multipliers. Its numbers join the flat workspace that is open. is_softened: S is
   (step/softened.h). */
int X(clusters_create)(const element_part *part, const element_phase *elements, int is_softened, clusters **result);
void X(clusters_destroy)(clusters *z);

/* What does not depend on the unknowns of the phase; these begin with those of `now`. */
void X(clusters_begin)(clusters *z, const element_step *now);
/* Where the unknowns should begin, by the multipliers that are expected: the sizes of what would change, by group of the
   phase; 0: nothing is predicted. The change is made by clusters_accept: of bodies of almost no weight a small error of
   their multipliers makes any velocity. */
int X(clusters_predict)(clusters *z, const element_step *now, cluster_size *sizes);
void X(clusters_accept)(clusters *z);
/* Does the matrix leave out what connects clusters? */
int X(clusters_are_rough)(const clusters *z);
/* The matrix at the unknowns, and its factors. t: what is added to S for softened constraints, by equation and group of
   multipliers, times their softening; NULL: nothing. *usable is 0 where a pivot has lost too many digits. */
int X(clusters_factor)(clusters *z, const element_step *now, const real *t, int *usable);
/* The equations at the unknowns. *push, if sizes of forces are asked for: the largest force times the step. */
void X(clusters_residual)(clusters *z, const element_step *now, real *push);
/* The correction; its multipliers, as numbers of a vector of the phase, may be looked at and changed before it is made. */
int X(clusters_solve)(clusters *z, const element_step *now);
void X(clusters_take_multipliers)(const clusters *z, real *change);
void X(clusters_put_multipliers)(clusters *z, const real *change);
/* Chooses among late multipliers that make the same force, by S itself (solve/redundancy.h): those before the correction
   are in `unknowns`; t as for clusters_factor. */
int X(clusters_choose)(clusters *z, const real *t, const real *unknowns);
/* Makes it: late multipliers in `unknowns`, those of all groups, the others in the tables. By group of the phase: sizes
   before it, and of it. */
void X(clusters_correct)(clusters *z, real *unknowns, cluster_size *sizes);
/* Puts the unknowns of the tables where `unknowns` has them. */
void X(clusters_write)(const clusters *z, real *unknowns);
/* out := results of the step, as element_phase_results adds them; only of a phase that has them. */
int X(clusters_have_results)(const clusters *z);
void X(clusters_results)(clusters *z, const element_step *now, real *out);

#endif
