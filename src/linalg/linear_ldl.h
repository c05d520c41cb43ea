/* The two halves of the LDL back end: the symbolic one, once per pattern, and the numeric one. Internal to this
   folder. */
#ifndef TAUT_LINALG_LINEAR_LDL_H
#define TAUT_LINALG_LINEAR_LDL_H

#include "linalg/linear_backend.h"

/* Where the entries (k, column) and (column, k) of the matrix stand among its values; -1: not in the pattern, zero. */
typedef struct {
    int column, lower, upper;
} ldl_source;

/* The matrix in some order of elimination, as the numeric half reads it. */
typedef struct {
    int *diagonal;           /* place of the k-th diagonal entry among the values, -1: not in the pattern */
    int *start;              /* n+1; row k left of the diagonal, and column k above it: */
    ldl_source *entry;
} ldl_sources;

/* An entry of a row of L: its column, and its slot in the arrays by columns. */
typedef struct {
    int column, slot;
} ldl_link;

/* A = L D U in the order of elimination; L and U' are unit lower triangular and share one pattern. */
typedef struct {
    taut_context *context;
    const linear_pattern *pattern;
    pool *pool;              /* NULL: one thread */
    int n;
    long *users;             /* of the arrays up to row_index, and of value_order */
    int *order;              /* order[k]: the k-th unknown to be eliminated; NULL for the natural order */
    ldl_sources sources;
    int *row_start;          /* n+1; row k of L, columns ascending: */
    ldl_link *row;
    int *column_start;       /* n+1; column j of L, rows ascending: */
    int *row_index;
    void *room;              /* of the numbers below */
    double *lower, *upper;   /* at slot (i, j): l_ij and u_ji */
    double *inverse;         /* 1/d_k */
    double *x, *y;           /* all zero between calls; not those of chains, where no row has fill to be zero before */
    void *klu;               /* for matrices that need pivoting; made when the first one comes */
    int klu_at_work;         /* nonzero: the last factorisation is KLU's */
    int chain;               /* tridiagonal: */
    double *far_lower, *far_upper; /* of a long chain, see linear_ldl_chain.c: x and y; NULL: not one */
    int *value_order;        /* values are given in this order; NULL: in that of the pattern */
    double *pattern_values;  /* for KLU, which wants the latter */
    int chain_at_work;       /* nonzero: the last factorisation is that of linear_ldl_chain.c, */
    int symmetric;           /* of a symmetric matrix: u is l, and not kept */
} ldl;

/* What the numeric phase found. */
typedef struct {
    double growth, least, most;
    int negative;
    int stopped; /* the row of the first vanished pivot, or n */
} ldl_outcome;

/* Fills everything up to row_index from context, pattern and n. The caller frees, also after a failure. */
int taut_ldl_analyse(ldl *s);

/* linear_ldl_chain.c. The matrix must have at least three unknowns. A vanished pivot is reported in row 0: which one it
   was, the general elimination tells. */
int taut_ldl_is_chain(const ldl *s);
int taut_ldl_chain_is_long(int n);
int taut_ldl_chain_order(ldl *s);
/* Of a symmetric matrix (s->symmetric) the entries (k, k+1) are not read. */
ldl_outcome taut_ldl_chain_eliminate(ldl *s, const double *values);
void taut_ldl_chain_substitute(const ldl *s, const double *lower, const double *upper, double *x);

#endif
