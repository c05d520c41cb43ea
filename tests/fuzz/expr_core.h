/* Value and gradient of an expression of KIND_Q by tapes, in one precision: expr_core.c is compiled for each. */
#ifndef TAUT_TESTS_FUZZ_EXPR_CORE_H
#define TAUT_TESTS_FUZZ_EXPR_CORE_H

#include "expr/expr.h"

enum { EXPR_VARIABLES = 3, EXPR_PARAMETERS = 2 };
int taut_fuzz_field_double(graph *g, expr f, expr_lookup lookup, void *user, const wide *x, wide *value, wide *gradient);
int taut_fuzz_field_quad(graph *g, expr f, expr_lookup lookup, void *user, const wide *x, wide *value, wide *gradient);

#endif
