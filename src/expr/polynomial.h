/* Sparse polynomials in atoms (nodes of the graph), for the simplifier. Work is bounded: what grows beyond the limits
 * marks the algebra as failed, every later result is empty, and the caller keeps its expression as it was. All memory
 * belongs to the algebra. */
#ifndef TAUT_EXPR_POLYNOMIAL_H
#define TAUT_EXPR_POLYNOMIAL_H

#include "expr/expr.h"

#define POLYNOMIAL_ATOMS 48
#define POLYNOMIAL_TERMS 3000   /* of one polynomial */
#define POLYNOMIAL_DEGREE 120

typedef struct {
    uint8_t power[POLYNOMIAL_ATOMS];
    uint8_t degree;             /* the sum of the powers */
    wide coefficient;
} monomial;

/* Terms in descending order: by degree, then by the powers of the first atoms. No term is zero. */
typedef struct {
    monomial *at;
    size_t count;
} polynomial;

typedef struct algebra {
    graph *g;
    expr atoms[POLYNOMIAL_ATOMS];
    int atom_count;
    void **blocks;
    size_t block_count, block_capacity, bytes;
    size_t work;
    int failed;                 /* 0, or the status: TAUT_UNSUPPORTED when it grew too large */
} algebra;

void taut_algebra_begin(algebra *a, graph *g);
void taut_algebra_end(algebra *a);
void *taut_algebra_memory(algebra *a, size_t count, size_t size);
void taut_algebra_too_large(algebra *a);

polynomial taut_polynomial_number(algebra *a, wide value);
polynomial taut_polynomial_atom(algebra *a, expr e);
polynomial taut_polynomial_scale(algebra *a, polynomial p, wide factor);
polynomial taut_polynomial_add(algebra *a, polynomial p, polynomial q);
polynomial taut_polynomial_multiply(algebra *a, polynomial p, polynomial q);
/* p = q * *quotient exactly: 1, or 0 when q does not divide p. */
int taut_polynomial_divide(algebra *a, polynomial p, polynomial q, polynomial *quotient);
int taut_polynomial_equal(polynomial p, polynomial q);
int taut_polynomial_is_number(polynomial p, wide value);

#endif
