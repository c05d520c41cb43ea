/* What a back end of linear.h is: five functions and a state of its own. Internal to this folder. */
#ifndef TAUT_LINALG_LINEAR_BACKEND_H
#define TAUT_LINALG_LINEAR_BACKEND_H

#include "linalg/linear.h"

/* The matrix's pattern, owned by the solver and alive as long as the back end's state. */
typedef struct {
    int n, entries, symmetric;
    int *column_start, *row_index;
} linear_pattern;

typedef struct {
    const char *name;
    /* Analyses; on failure nothing is left behind and *state is NULL. */
    int (*create)(taut_context *context, const linear_pattern *pattern, void **state);
    /* anew: forget the pivots of earlier factorisations, so that the result depends on the values alone. Fills the
       part of info that concerns this factorisation; on TAUT_SINGULAR info->deficient. */
    int (*factor)(void *state, const double *values, int anew, linear_info *info);
    int (*solve)(void *state, double *b);
    int (*solve_transposed)(void *state, double *b);
    void (*destroy)(void *state);
    /* Nonzero: factor itself notices values that are not finite; otherwise they are looked for beforehand. */
    int checks_values;
    /* As create, sharing the analysis of another state; NULL: by create. */
    int (*create_like)(const void *other, const linear_pattern *pattern, void **state);
} linear_operations;

extern const linear_operations taut_linear_small, taut_linear_lapack, taut_linear_klu, taut_linear_klu_columns,
    taut_linear_mumps, taut_linear_ldl, taut_linear_blocks;

/* BLOCKS's create: *state is NULL, with status TAUT_OK, where the nodes do not fit. Operations of a factorisation, and
   numbers that it needs. */
int taut_blocks_create(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes,
                       double *operations, double *entries, void **state);

/* BLOCKS's parts of taut_linear_places and what belongs to it. */
void taut_blocks_places(const void *state, linear_places *places);
double *taut_blocks_values(const void *state);
int taut_blocks_factor_placed(void *state, linear_info *info);
int taut_blocks_solve_placed(void *state, double *x);

/* LDL's parts of taut_linear_value_order, taut_linear_takes_lower and taut_linear_use. */
int taut_ldl_value_order(void *state, const int **order);
int taut_ldl_takes_lower(const void *state);
int taut_ldl_factor_lower(void *state, double *values, linear_info *info);
int taut_ldl_small_pivots(void *state, const double *values, double limit, unsigned char *small);
/* As taut_linear_elimination. */
const int *taut_ldl_elimination(const void *state);
void taut_ldl_use(void *state, pool *p);

/* A pivot below this fraction of what it was computed from has lost all but three digits to cancellation: the matrix is
   singular to working precision. One number for every back end, so that they agree on what singular means. */
#define LINEAR_SINGULAR 1e-13

/* row_scale[i]: the power of two that brings the largest entry of row i into [1/2, 1) (1 for a zero row);
   column_size[j]: the largest entry of column j after that. Pivots are judged against column_size: scaling a row or a
   column of the matrix then does not change whether it counts as singular. */
void taut_linear_scales(const linear_pattern *pattern, const double *values, double *row_scale, double *column_size);

/* The usual end of a failed factorisation. */
int taut_linear_singular(taut_context *context, linear_info *info, long column);

/* Nonzero when all values are finite. */
int taut_linear_finite(long count, const double *values);

/* KLU's forecast of entries and operations of the factors, from the pattern alone (no exchange of pivots assumed). */
void taut_linear_klu_forecast(const void *state, double *entries, double *operations);
/* Nonzero when rows and columns can be paired through entries of the pattern: not structurally singular. */
int taut_linear_klu_matches(const linear_pattern *pattern);

#endif
