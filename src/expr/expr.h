/* The expression graph: hash-consed, append-only, exact derivatives.
 *
 * A node is named by an `expr`, an index into the graph. Children always have smaller indices than their parents, so
 * ascending order of indices is a topological order. Equal expressions are one node. Node 0 means "none": every
 * function that builds returns 0 when memory ran out (the error is recorded in the context), and accepts 0 operands by
 * returning 0, so that a caller may build a whole formula and look at the result once. */
#ifndef TAUT_EXPR_EXPR_H
#define TAUT_EXPR_EXPR_H

#include <stdint.h>

#include "base/context.h"
#include "base/wide.h"
#include "expr/ops.h"

typedef uint32_t expr;

/* OP_NONE, OP_CONSTANT, ...: the rows of expr/ops.h, in its order. */
#define OP_MEMBER(NAME, ...) OP_##NAME,
#define OP_ONE_MORE(...) + 1
typedef enum { OPERATIONS(OP_MEMBER, OP_MEMBER, OP_MEMBER, OP_MEMBER) } op;
#define OP_COUNT (0 OPERATIONS(OP_ONE_MORE, OP_ONE_MORE, OP_ONE_MORE, OP_ONE_MORE)) /* not an op: no case of a switch */

/* What a variable is. The graph does not care; fields and systems do. */
typedef enum {
    KIND_Q,        /* coordinate */
    KIND_W,        /* velocity (Lagrangian models) or momentum (Hamiltonian and rate models) */
    KIND_T,        /* time, index 0 */
    KIND_LAMBDA,   /* multiplier */
    KIND_COUNT,
    KIND_SLOT = 8, /* variable slot of a kernel */
    KIND_CONSTANT_SLOT, /* constant slot of a kernel: a parameter-only value, never differentiated */
    KIND_DIRECTION_U,   /* directions of directional derivatives */
    KIND_DIRECTION_W,
    KIND_EMBEDDED,      /* component of an embedded point, and its rate: in the front end only, replaced when the script
                           ends */
    KIND_EMBEDDED_DOT,
    KIND_CONTACT        /* multiplier of a contact: in the model only, replaced in the model of a mode set
                           (model/contact_mode.h) */
} kind;

typedef struct {
    uint8_t op;
    uint8_t varies; /* contains a variable: not a constant expression of literals and parameters */
    uint16_t kinds; /* mask (1u << kind) of the kinds of variables in it */
    uint32_t a, b;
} node;

typedef struct graph graph;

graph *taut_graph_create(taut_context *context);
void taut_graph_destroy(graph *g);
/* The same nodes under the same indices, in another context. `from` is only read. NULL: out of memory. */
graph *taut_graph_copy(taut_context *context, const graph *from);
/* Gives back memory that is needed only while expressions are made. More can be made afterwards: what they need is then
   rebuilt. */
void taut_graph_settle(graph *g);
taut_context *taut_graph_context(graph *g);
/* Was there a node that could not be made for want of memory? Whoever takes an expression that is missing for one that
   does not fit asks this in the end. */
int taut_graph_ran_out(const graph *g);
/* Number of nodes; indices run from 1 to count-1. */
uint32_t taut_graph_count(const graph *g);
const node *taut_graph_node(const graph *g, expr e);
const node *taut_graph_nodes(const graph *g); /* all of them, by index, until the next one is made */
wide taut_graph_constant(const graph *g, expr e); /* value of an OP_CONSTANT node */
int taut_graph_is_finite(const graph *g, expr literal);
/* True (1) when e contains no variable: a literal, or an expression of literals and parameters. */
int taut_expr_is_constant(const graph *g, expr e);
int taut_expr_is_number(const graph *g, expr e, double value); /* a literal with exactly this value */

int taut_op_arity(op o);            /* number of operands: 0, 1, 2 (OP_POWI: 1) */
/* The second number of such a node is no operand, but an exponent (OP_POWI) or an order (OP_SINC and beyond). */
#define OP_IS_NUMBERED(NAME, ...) || o == OP_##NAME
#define OP_IS_NOT(...)
static inline int op_has_number(op o) { return 0 OPERATIONS(OP_IS_NOT, OP_IS_NOT, OP_IS_NUMBERED, OP_IS_NOT); }
const char *taut_op_name(op o);     /* as in the model language: "sin", "+" */

/* ---- building; all simplify (constant folding, 0/1 rules) ---- */
expr taut_expr_number(graph *g, wide value);
expr taut_expr_integer(graph *g, int64_t value); /* of at most 53 bits; the same node, sooner */
expr taut_expr_parameter(graph *g, uint32_t index);
expr taut_expr_variable(graph *g, kind k, uint32_t index);
expr taut_expr_neg(graph *g, expr a);
expr taut_expr_add(graph *g, expr a, expr b);
expr taut_expr_sub(graph *g, expr a, expr b);
expr taut_expr_mul(graph *g, expr a, expr b);
expr taut_expr_div(graph *g, expr a, expr b);
/* a b where b is a reciprocal that others use, too: mul would make a division of it. */
expr taut_expr_mul_reciprocal(graph *g, expr a, expr b);
/* a b as one product of these two, whatever constants they begin with: for what is computed where. Neither is zero or
   one. */
expr taut_expr_mul_apart(graph *g, expr a, expr b);
expr taut_expr_powi(graph *g, expr a, int32_t exponent);
/* Any operation with op_has_number: a power, or OP_SINC .. OP_ATANHC of that order. */
expr taut_expr_numbered(graph *g, op o, expr a, int32_t number);
expr taut_expr_pow(graph *g, expr a, expr b);   /* picks powi and sqrt where it can */
expr taut_expr_unary(graph *g, op o, expr a);   /* OP_SQRT .. OP_SIGN and OP_NEG */
expr taut_expr_binary(graph *g, op o, expr a, expr b); /* any two-operand op */
/* The operation of n, not a leaf, with its number, if any, on other operands (b: of two-operand ops). */
expr taut_expr_rebuild(graph *g, const node *n, expr a, expr b);

/* ---- derivatives ---- */
/* out[i] = d f / d variables[i] (variables are OP_VARIABLE nodes). Reverse mode. Returns a status. */
int taut_expr_gradient(graph *g, expr f, const expr *variables, size_t count, expr *out);
/* sum_i (df/d variables[i]) directions[i]. Forward mode. 0 on failure. */
expr taut_expr_directional(graph *g, expr f, const expr *variables, const expr *directions, size_t count);
/* df / d variable */
expr taut_expr_derivative(graph *g, expr f, expr variable);
/* The discrete gradient by mean partial derivatives: f(to) - f(from) = sum_i out[i] (to[i] - from[i]), exactly but for
   round-off and with no difference of values of f; symmetric in from and to; the gradient half way for polynomials of
   degree 2. `from` are variables of f, `to` any expressions. expr/discrete.c says what else holds. Returns a status. */
int taut_expr_discrete_gradient(graph *g, expr f, const expr *from, const expr *to, size_t count, expr *out);
/* e with variables[i] replaced by values[i]. 0 on failure. */
expr taut_expr_substitute(graph *g, expr e, const expr *variables, const expr *values, size_t count);

/* ---- simplification ---- */
/* e as a polynomial over a product of factors, common factors cancelled; the same input gives the same result. e itself
   when that would be too large. numerator and denominator may be NULL. 0 on failure (no memory). */
expr taut_expr_simplify(graph *g, expr e, expr *numerator, expr *denominator);

/* ---- structure ---- */
#define DEGREE_NOT_POLYNOMIAL 1000
/* Total polynomial degree of f in the variables whose kind is in the mask (1u << kind); other variables and parameters
   count as constants. DEGREE_NOT_POLYNOMIAL if it is none. Negative on failure (no memory). */
int taut_expr_degree(graph *g, expr f, unsigned kinds);
/* Mask (1u << kind) of the kinds of variables in f. */
unsigned taut_expr_kinds(const graph *g, expr f);
/* The quadratic atoms of f: its maximal subexpressions that are polynomials of degree 1 or 2 in the given kinds.
   `outer` is f with atom i replaced by the variable (KIND_SLOT, i). *atoms is allocated in the context, *count long.
   Returns a status. */
int taut_expr_atoms(graph *g, expr f, unsigned kinds, expr *outer, expr **atoms, size_t *count);
/* All nodes that roots depend on, roots included, ascending. *list is allocated. Returns a status. */
int taut_expr_reachable(graph *g, const expr *roots, size_t root_count, expr **list, size_t *count);
/* The position of a node in such a list, between mark and forget; no walk through the graph may come in between (of
   those above: gradients, substitution, degrees and lists). */
void taut_expr_mark_list(graph *g, const expr *list, size_t count);
size_t taut_expr_position(const graph *g, expr e);
void taut_expr_forget_list(graph *g, const expr *list, size_t count);
/* Frees what expr_atoms and expr_reachable allocated. */
void taut_expr_list_free(graph *g, expr *list);

/* ---- values and text ---- */
/* Looks up a variable or parameter: op is OP_VARIABLE (kind, index) or OP_PARAMETER (index). */
typedef wide (*expr_lookup)(void *user, op o, kind k, uint32_t index);
wide taut_op_apply(op o, wide a, wide b, int32_t exponent);
/* The value of f. Returns a status. */
int taut_expr_value(graph *g, expr f, expr_lookup lookup, void *user, wide *value);
/* Why the value of f is not a number of at most this size: the first node that is not while its operands are, and what
   is wrong with it ("division by zero", "overflow"). The culprit is 0 where nothing is. */
typedef struct {
    expr culprit;
    const char *complaint;
} expr_fault;
int taut_expr_fault(graph *g, expr f, expr_lookup lookup, void *user, wide largest, expr_fault *fault);
/* Names a variable or parameter into the buffer. */
typedef void (*expr_namer)(void *user, op o, kind k, uint32_t index, char *buffer, size_t size);
/* Infix text of f, cut with "..." to the size. Returns the length. */
size_t taut_expr_print(graph *g, expr f, expr_namer namer, void *user, char *buffer, size_t size);

#endif
