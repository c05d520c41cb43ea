/* Random expressions in three variables, made of every operation, smooth on a neighbourhood of every point in [-1,
   1]. */
#ifndef TAUT_TESTS_SUPPORT_RANDOM_EXPR_H
#define TAUT_TESTS_SUPPORT_RANDOM_EXPR_H

#include "support_expr.h"

enum { VARIABLES = 3 };

static inline expr variable(int i) { return taut_expr_variable(g, KIND_Q, (uint32_t)i); }

static inline expr bounded(expr a) { return unary(OP_SIN, a); }                             /* in [-1, 1] */
static inline expr positive(expr a) { return taut_expr_add(g, number(2), bounded(a)); }          /* in [1, 3] */
static inline expr away(expr a) { return below(2) ? positive(a) : taut_expr_neg(g, positive(a)); } /* not near 0 */

static inline expr leaf(void)
{
    switch (below(8)) {
    case 0: return number(below(5) - 2);
    case 1: return number(uniform(-2, 2));
    case 2: return taut_expr_parameter(g, (uint32_t)below(2));
    default: return variable(below(VARIABLES));
    }
}

/* The operation on operands brought into its domain. */
static inline expr apply(op o, expr a, expr b)
{
    switch (o) {
    case OP_NEG: return taut_expr_neg(g, a);
    case OP_DIV: return taut_expr_div(g, a, away(b));
    case OP_POWI: return taut_expr_powi(g, away(a), below(9) - 4);
    case OP_POW: return taut_expr_pow(g, positive(a), bounded(b));
    case OP_SQRT:
    case OP_LOG: return unary(o, positive(a));
    case OP_EXP:
    case OP_TAN: /* its pole is at 1.57 */
    case OP_SINH:
    case OP_COSH: return unary(o, bounded(a));
    case OP_ATANHC:
    case OP_ASIN:
    case OP_ACOS: return unary(o, taut_expr_mul(g, number(0.5), bounded(a)));
    case OP_CBRT:
    case OP_ABS: return unary(o, away(a));
    case OP_SIGN: return taut_expr_mul(g, unary(o, away(a)), b);
    case OP_ATAN2: return taut_expr_binary(g, o, away(a), b);
    case OP_MIN:
    case OP_MAX: /* [-1, 1] against [2, 4]: never equal */
        a = bounded(a), b = taut_expr_add(g, number(3), bounded(b));
        return below(2) ? taut_expr_binary(g, o, a, b) : taut_expr_binary(g, o, b, a);
    case OP_ADD:
    case OP_SUB:
    case OP_MUL: return taut_expr_binary(g, o, a, b);
    case OP_SIN:
    case OP_COS:
    case OP_ATAN:
    case OP_TANH:
    case OP_SINC:
    case OP_SINHC:
    case OP_ATANC: return unary(o, a); /* all numbers are in the domain */
    CASE_LEAVES
    CASE_CALLS break;
    }
    return 0;
}

static inline expr random_expression(int depth)
{
    if (depth == 0) return leaf();
    op o = (op)(OP_NEG + below(OP_COUNT - OP_NEG));
    expr a = random_expression(depth - 1), b = random_expression(below(depth));
    return apply(o, a, b);
}

#endif
