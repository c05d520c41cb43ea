/* The table of operations: everything that Taut knows of an operation stands in its row. CONTRIBUTING.md walks
 * through a new one.
 *
 * A row is LEAF(NAME, text), or one of
 *     UNARY   (NAME, text, written, value, derivative,   quotient,       error, complaint)   of a
 *     NUMBERED(NAME, text, written, value, derivative,   quotient,       error, complaint)   of a, and a number n
 *     BINARY  (NAME, text, written, value, by a, by b,   mean a, mean b, error, complaint)   of a and b
 *
 * NAME        OP_NAME is the operation.
 * text        its name, printed and in the model language.
 * written     OPERATOR(strength)  a sign; the larger the strength, the tighter it binds (expr/value.c)
 *             FUNCTION(meant)     a function of the model language (model/symbols.c); `meant` is what a call with too
 *                                 many arguments was probably meant to be, or NULL
 *             ATAN, LIST          functions that take more arguments than the operation has operands
 *             INTERNAL            not in the model language
 * value       C text over numbers a, b, n of any precision. MATH(f) is the f of <math.h> in it; power and even are
 *             those of expr/values.h.
 * derivative  by a and b: expressions over the operands a, b, the operation e itself, the graph g and the numbers one
 *             and half (expr/derivative.c).
 * quotient    the mean partial derivatives, A and B in  e1 - e0 = A (a1 - a0) + B (b1 - b0),  exact and symmetric in
 *             the two ends: expressions over a, b, z (which is e) as pairs of ends, d = a1 - a0, g, one, half.
 *             expr/discrete.c says what must hold and has the helpers.
 * error       a bound of the error, in units of a rounding, from the errors ea, eb of the operands; `size` is |value|
 *             (analysis/sample.c).
 * complaint   why a value may be not finite though its operands are finite, or NULL when only overflow makes it so.
 *
 * A column is compiled only where a file expands it. */
#ifndef TAUT_EXPR_OPS_H
#define TAUT_EXPR_OPS_H

#define OPERATIONS(LEAF, UNARY, NUMBERED, BINARY)                                                                     \
    OPERATIONS_LEAVES(LEAF)                                                                                           \
    OPERATIONS_CALLS(NUMBERED, BINARY)                                                                                \
    OPERATIONS_OPERATORS(UNARY, NUMBERED, BINARY)                                                                     \
    OPERATIONS_FUNCTIONS(UNARY, BINARY)                                                                               \
    OPERATIONS_EVEN(NUMBERED)

#define OPERATIONS_LEAVES(LEAF)                                                                                       \
    LEAF(NONE, "none")                                                                                                \
    LEAF(CONSTANT, "number")     /* a: index into the constants */                                                    \
    LEAF(PARAMETER, "parameter") /* a: index of the parameter */                                                      \
    LEAF(VARIABLE, "variable")   /* a: index, b: kind */

/* Functions of the user (expr/call.h). A call has a list of arguments, and the number says which function and which of
   its derivatives; a list is an argument and the list of those behind it. Lists have no value, and whoever computes a
   call takes them apart: the columns of these two rows are never used.
 *
 * SHOWN (expr/shown.h) is a in all respects but one: its discrete gradient is that of b, another form of a that shows
 * symmetries. Tapes have none. */
#define OPERATIONS_CALLS(NUMBERED, BINARY)                                                                            \
    BINARY(ARGUMENT, "argument", INTERNAL, ((void)b, a), one, one, one, one, ea, NULL)                                \
    NUMBERED(CALL, "call", INTERNAL, ((void)n, a), one, no_quotient(g, OP_CALL, &status), ea, NULL)                   \
    BINARY(SHOWN, "shown", INTERNAL, ((void)b, a), one, taut_expr_number(g, 0), taut_expr_number(g, 0), one, ea, NULL)

/* What is written with a sign. Algebra (degrees, simplification, splitting of sums) knows each of them. */
#define OPERATIONS_OPERATORS(UNARY, NUMBERED, BINARY)                                                                 \
    UNARY(NEG, "-", OPERATOR(3), -a,                                                                                  \
          taut_expr_number(g, -1),                                                                                    \
          taut_expr_number(g, -1),                                                                                    \
          ea, NULL)                                                                                                   \
    BINARY(ADD, "+", OPERATOR(1), a + b,                                                                              \
           one, one,                                                                                                  \
           one, one,                                                                                                  \
           ea + eb + size, NULL)                                                                                      \
    BINARY(SUB, "-", OPERATOR(1), a - b,                                                                              \
           one, taut_expr_number(g, -1),                                                                              \
           one, taut_expr_number(g, -1),                                                                              \
           ea + eb + size, NULL)                                                                                      \
    BINARY(MUL, "*", OPERATOR(2), a * b,                                                                              \
           b, a,                                                                                                      \
           mean(g, b), mean(g, a),                                                                                    \
           MATH(fabs)(a) * eb + MATH(fabs)(b) * ea + size, NULL)                                                      \
    BINARY(DIV, "/", OPERATOR(2), a / b,                                                                              \
           taut_expr_div(g, one, b), taut_expr_neg(g, taut_expr_div(g, e, b)),                                        \
           div_quotient_a(g, b), div_quotient_b(g, a, b),                                                             \
           (ea + size * eb) / MATH(fabs)(b) + size, "division by zero")                                               \
    NUMBERED(POWI, "^", OPERATOR(4), power(a, n),                                                                     \
             taut_expr_mul(g, taut_expr_number(g, n), taut_expr_powi(g, a, n - 1)),                                   \
             power_quotient(g, a, n),                                                                                 \
             a != 0 ? MATH(fabs)(n * value / a) * ea + size : 0, "division by zero")                                  \
    BINARY(POW, "^", OPERATOR(4), MATH(pow)(a, b), /* a > 0 */                                                        \
           taut_expr_mul(g, b, taut_expr_pow(g, a, taut_expr_sub(g, b, one))),                                        \
           taut_expr_mul(g, e, taut_expr_unary(g, OP_LOG, a)),                                                        \
           pow_quotient_a(g, z, a, b), pow_quotient_b(g, z, a, b),                                                    \
           a != 0 ? MATH(fabs)(b * value / a) * ea + MATH(fabs)(value * MATH(log)(MATH(fabs)(a))) * eb + size : 0,    \
           "power of a number that is not positive")

/* What is written name(a) or name(a, b). To algebra they are opaque: a new one needs nothing but its row. */
#define OPERATIONS_FUNCTIONS(UNARY, BINARY)                                                                           \
    UNARY(SQRT, "sqrt", FUNCTION(NULL), MATH(sqrt)(a),                                                                \
          taut_expr_div(g, half, e),                                                                                  \
          taut_expr_div(g, one, taut_expr_add(g, z.at0, z.at1)),                                                      \
          (value > 0 ? 1 / (2 * value) : 0) * ea + size, "square root of a negative number")                          \
    UNARY(CBRT, "cbrt", FUNCTION(NULL), MATH(cbrt)(a),                                                                \
          taut_expr_div(g, one, taut_expr_mul(g, taut_expr_number(g, 3), taut_expr_powi(g, e, 2))),                   \
          taut_expr_div(g, one, power_quotient(g, z, 3)), /* of the inverse function */                               \
          (value != 0 ? 1 / (3 * value * value) : 0) * ea + size, NULL)                                               \
    UNARY(EXP, "exp", FUNCTION(NULL), MATH(exp)(a),                                                                   \
          e,                                                                                                          \
          exp_quotient(g, a),                                                                                         \
          value * ea + size, NULL)                                                                                    \
    UNARY(LOG, "log", FUNCTION("it is the natural logarithm; for another base divide: log(x)/log(base)"),             \
          MATH(log)(a),                                                                                               \
          taut_expr_div(g, one, a),                                                                                   \
          log_quotient(g, a),                                                                                         \
          1 / MATH(fabs)(a) * ea + size, "logarithm of a number that is not positive")                                \
    UNARY(SIN, "sin", FUNCTION(NULL), MATH(sin)(a),                                                                   \
          taut_expr_unary(g, OP_COS, a),                                                                              \
          taut_expr_mul(g, taut_expr_unary(g, OP_COS, mean(g, a)), even_of(g, OP_SINC, half_of(g, d))),               \
          ea + size, NULL)                                                                                            \
    UNARY(COS, "cos", FUNCTION(NULL), MATH(cos)(a),                                                                   \
          taut_expr_neg(g, taut_expr_unary(g, OP_SIN, a)),                                                            \
          taut_expr_neg(g,                                                                                            \
              taut_expr_mul(g, taut_expr_unary(g, OP_SIN, mean(g, a)), even_of(g, OP_SINC, half_of(g, d)))),          \
          ea + size, NULL)                                                                                            \
    UNARY(TAN, "tan", FUNCTION(NULL), MATH(tan)(a),                                                                   \
          taut_expr_add(g, one, taut_expr_powi(g, e, 2)),                                                             \
          taut_expr_div(g, even_of(g, OP_SINC, d), both(g, OP_COS, a)), /* sin(d)/(cos a0 cos a1) */                  \
          (1 + value * value) * ea + size, NULL)                                                                      \
    UNARY(ASIN, "asin", FUNCTION(NULL), MATH(asin)(a),                                                                \
          taut_expr_div(g, one, taut_expr_unary(g, OP_SQRT, taut_expr_sub(g, one, taut_expr_powi(g, a, 2)))),         \
          asin_quotient(g, a),                                                                                        \
          1 / MATH(sqrt)(MATH(fmax)(1 - a * a, EPSILON)) * ea + size, "argument outside [-1, 1]")                     \
    UNARY(ACOS, "acos", FUNCTION(NULL), MATH(acos)(a),                                                                \
          taut_expr_neg(g,                                                                                            \
              taut_expr_div(g, one, taut_expr_unary(g, OP_SQRT, taut_expr_sub(g, one, taut_expr_powi(g, a, 2))))),    \
          taut_expr_neg(g, asin_quotient(g, a)),                                                                      \
          1 / MATH(sqrt)(MATH(fmax)(1 - a * a, EPSILON)) * ea + size, "argument outside [-1, 1]")                     \
    UNARY(ATAN, "atan", ATAN, MATH(atan)(a), /* in the language atan(y, x) is atan2(y, x) */                          \
          taut_expr_div(g, one, taut_expr_add(g, one, taut_expr_powi(g, a, 2))),                                      \
          angle_quotient(g, d, taut_expr_add(g, one, taut_expr_mul(g, a.at0, a.at1))),                                \
          ea + size, NULL)                                                                                            \
    BINARY(ATAN2, "atan2", FUNCTION(NULL), MATH(atan2)(a, b), /* a is y, b is x */                                    \
           taut_expr_div(g, b, square_sum(g, a, b)), taut_expr_neg(g, taut_expr_div(g, a, square_sum(g, a, b))),      \
           atan2_quotient_a(g, a, b), atan2_quotient_b(g, a, b),                                                      \
           (ea + eb) / MATH(fmax)(MATH(hypot)(a, b), EPSILON) + size, NULL)                                           \
    UNARY(SINH, "sinh", FUNCTION(NULL), MATH(sinh)(a),                                                                \
          taut_expr_unary(g, OP_COSH, a),                                                                             \
          taut_expr_mul(g, taut_expr_unary(g, OP_COSH, mean(g, a)), even_of(g, OP_SINHC, half_of(g, d))),             \
          (1 + size) * ea + size, NULL)                                                                               \
    UNARY(COSH, "cosh", FUNCTION(NULL), MATH(cosh)(a),                                                                \
          taut_expr_unary(g, OP_SINH, a),                                                                             \
          taut_expr_mul(g, taut_expr_unary(g, OP_SINH, mean(g, a)), even_of(g, OP_SINHC, half_of(g, d))),             \
          (1 + size) * ea + size, NULL)                                                                               \
    UNARY(TANH, "tanh", FUNCTION(NULL), MATH(tanh)(a),                                                                \
          taut_expr_sub(g, one, taut_expr_powi(g, e, 2)),                                                             \
          taut_expr_div(g, even_of(g, OP_SINHC, d), both(g, OP_COSH, a)),                                             \
          ea + size, NULL)                                                                                            \
    UNARY(ABS, "abs", FUNCTION("write norm{x, y} for the length of a vector"), MATH(fabs)(a),                         \
          taut_expr_unary(g, OP_SIGN, a),                                                                             \
          abs_quotient(g, a),                                                                                         \
          ea + size, NULL)                                                                                            \
    UNARY(SIGN, "sign", INTERNAL, (a > 0) - (a < 0), /* the derivative of abs */                                      \
          taut_expr_number(g, 0),                                                                                     \
          taut_expr_number(g, 0), /* no difference but at a jump */                                                   \
          ea + size, NULL)                                                                                            \
    BINARY(MIN, "min", LIST, a < b ? a : b, /* half of each where a = b */                                            \
           taut_expr_sub(g, half, half_sign(g, half, a, b)), taut_expr_add(g, half, half_sign(g, half, a, b)),        \
           taut_expr_sub(g, half, corner_quotient(g, a, b)), taut_expr_add(g, half, corner_quotient(g, a, b)),        \
           ea + eb + size, NULL)                                                                                      \
    BINARY(MAX, "max", LIST, a > b ? a : b,                                                                           \
           taut_expr_add(g, half, half_sign(g, half, a, b)), taut_expr_sub(g, half, half_sign(g, half, a, b)),        \
           taut_expr_add(g, half, corner_quotient(g, a, b)), taut_expr_sub(g, half, corner_quotient(g, a, b)),        \
           ea + eb + size, NULL)

/* d^n/da^n of F(a)/a, F = sin, sinh, atan, atanh: parts of quotients (base/even.h), which have none themselves. */
#define OPERATIONS_EVEN(NUMBERED)                                                                                     \
    NUMBERED(SINC, "sinc", INTERNAL, even(EVEN_SIN, a, n), taut_expr_numbered(g, OP_SINC, a, n + 1),                  \
             no_quotient(g, OP_SINC, &status),                                                                        \
             MATH(fabs)(taut_op_apply(OP_SINC, a, 0, n + 1)) * ea + size, NULL)                                       \
    NUMBERED(SINHC, "sinhc", INTERNAL, even(EVEN_SINH, a, n), taut_expr_numbered(g, OP_SINHC, a, n + 1),              \
             no_quotient(g, OP_SINHC, &status),                                                                       \
             MATH(fabs)(taut_op_apply(OP_SINHC, a, 0, n + 1)) * ea + size, NULL)                                      \
    NUMBERED(ATANC, "atanc", INTERNAL, even(EVEN_ATAN, a, n), taut_expr_numbered(g, OP_ATANC, a, n + 1),              \
             no_quotient(g, OP_ATANC, &status),                                                                       \
             MATH(fabs)(taut_op_apply(OP_ATANC, a, 0, n + 1)) * ea + size, NULL)                                      \
    NUMBERED(ATANHC, "atanhc", INTERNAL, even(EVEN_ATANH, a, n), taut_expr_numbered(g, OP_ATANHC, a, n + 1),          \
             no_quotient(g, OP_ATANHC, &status),                                                                      \
             MATH(fabs)(taut_op_apply(OP_ATANHC, a, 0, n + 1)) * ea + size, NULL)

/* Cases of a switch over operations, for one that treats all leaves or all functions alike. No switch over operations
   has a `default:`: the compiler (-Wswitch) lists what a new operator needs. */
#define OPERATION_CASE(NAME, ...) case OP_##NAME:
#define CASE_LEAVES OPERATIONS_LEAVES(OPERATION_CASE)
#define CASE_CALLS OPERATIONS_CALLS(OPERATION_CASE, OPERATION_CASE)
#define CASE_FUNCTIONS OPERATIONS_FUNCTIONS(OPERATION_CASE, OPERATION_CASE) OPERATIONS_EVEN(OPERATION_CASE)

#endif
