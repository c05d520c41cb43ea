/* Calls of functions that the user gave (taut_define), as nodes of the graph.
 *
 * CALL(list, number): the list is ARGUMENT(x1, ARGUMENT(x2, ... xn)), for one argument x1 itself; the number is
 * function << 16 | component, the function one of the graph's table, the component 0 for the value, 1 + i for the
 * derivative by argument i, 1 + n + i(i+1)/2 + j for that by i and j <= i. So derivatives of a call are calls with the
 * same list, and a tape (kernel/tape.h) asks the function for all that it needs at once. */
#ifndef TAUT_EXPR_CALL_H
#define TAUT_EXPR_CALL_H

#include "expr/expr.h"

#define CALL_FUNCTIONS 32768

static inline uint32_t call_function_of(const node *n) { return n->b >> 16; }
static inline uint32_t call_component(const node *n) { return n->b & 0xffff; }
/* Which derivative a component is, of a function of n arguments. */
static inline int call_order(uint32_t n, uint32_t component) { return component == 0 ? 0 : component <= n ? 1 : 2; }

/* The number of this function in the table of the graph, which it joins. -1: no memory, or too many. */
int taut_graph_function(graph *g, const context_function *f);
const context_function *taut_graph_called(const graph *g, uint32_t function);
/* The table of another graph as well: calls mean the same in both. */
int taut_graph_take_functions(graph *g, const graph *from);
/* Whether there is a call. */
int taut_graph_has_calls(const graph *g);
/* Whether a third derivative of a function was asked for: what returned 0 or a status since then did so for this, and
   the message says it. */
int taut_graph_is_refused(const graph *g);

expr taut_expr_call(graph *g, uint32_t function, const expr *arguments, size_t count);
/* The next argument of a list, which becomes the rest of it; 0 behind the last. */
expr taut_call_next(const graph *g, expr *list);
/* The derivative of the call e by its argument i. 0: no memory, or there is none, with a message. */
expr taut_call_partial(graph *g, expr e, uint32_t i);

/* How many numbers a value with its derivatives up to this order is, and the room that evaluate needs. */
static inline size_t call_size(size_t n, int order) { return order == 0 ? 1 : order == 1 ? 1 + n : 1 + n + n * n; }
static inline size_t call_room(size_t n, int order) { return (order ? 3 : 1) * call_size(n, order); }
/* Value, gradient and Hessian (n x n, its lower triangle) one behind the other at the beginning of the room, as far as
   `order` says; what the function does not give by differences. What it fails to give is NaN, and recorded in the
   context. x is moved on the way, and as before at the end. */
void taut_call_evaluate(taut_context *context, const context_function *f, int order, double *x, double *room);
static inline size_t call_place(uint32_t n, uint32_t component)
{
    if (component <= n) return component;
    uint32_t i = 0, at = component - 1 - n;
    while (at > i) at -= ++i;
    return 1 + n + (size_t)i * n + at;
}

#endif
