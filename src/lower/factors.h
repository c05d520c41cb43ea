/* Constant factors of expressions. */
#ifndef TAUT_LOWER_FACTORS_H
#define TAUT_LOWER_FACTORS_H

#include "lower/symbols.h"

/* If e = k * x with a constant k, *k and x; otherwise *k is one, and e itself. */
expr X(factor_split)(symbols *y, expr e, expr *k);
/* The terms of a sum: constant rest, where the rest of a constant is one. */
enum { FACTOR_TERMS = 64 };
typedef struct {
    expr constant, rest;
} factor_term;
typedef struct {
    factor_term terms[FACTOR_TERMS];
    size_t count;
} factor_terms;
/* Those of e; of a constant times a sum as well, or its terms times that. 0: there are too many, or no memory. */
int X(factor_list)(symbols *y, expr e, factor_terms *l);
int X(factor_list_all)(symbols *y, expr e, factor_terms *l);
/* A constant as number (a b ..)/(c d ..): those that are equal but for the order of their factors become one, and what
   they are factors of can be joined. */
expr X(factor_sort)(symbols *y, expr e);
/* a + b or a - b: k a + k b = k (a + b), and k a + l a = (k + l) a, constants k and l, wherever they stand in a sum. */
expr X(factor_join)(symbols *y, op o, expr a, expr b);
/* *e with factors of sums taken out. */
int X(factor_condense)(symbols *y, expr *e);

#endif
