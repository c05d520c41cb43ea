/* Operations as functions: names, values, text. */
#include "expr/call.h"
#include "expr/graph.h"

#include <stdio.h>
#include <string.h>

/* Binding strength. */
#define STRENGTH_OPERATOR(strength) strength
#define STRENGTH_FUNCTION(meant) STRENGTH_NAME
#define STRENGTH_ATAN STRENGTH_NAME
#define STRENGTH_LIST STRENGTH_NAME
#define STRENGTH_INTERNAL STRENGTH_NAME
#define STRENGTH_NAME 5 /* nothing binds tighter than a name */

#define TRAITS_LEAF(NAME, text) { text, 0, STRENGTH_NAME, NULL },
#define TRAITS_UNARY(NAME, text, written, value, derivative, quotient, error, complaint) \
    { text, 1, STRENGTH_##written, complaint },
#define TRAITS_BINARY(NAME, text, written, value, by_a, by_b, mean_a, mean_b, error, complaint) \
    { text, 2, STRENGTH_##written, complaint },

static const struct {
    const char *name;
    int arity, strength;
    const char *complaint;
} operations[OP_COUNT] = { OPERATIONS(TRAITS_LEAF, TRAITS_UNARY, TRAITS_UNARY, TRAITS_BINARY) };

int taut_op_arity(op o) { return operations[o].arity; }
const char *taut_op_name(op o) { return operations[o].name; }
/* Why its value may be not finite. */
static const char *op_complaint(op o)
{
    return operations[o].complaint ? operations[o].complaint : "not a finite number";
}
static int strength(op o) { return operations[o].strength; }

#define VALUE_TYPE wide
#define MATH WIDE
#include "expr/values.h"

#define VALUE_LEAF(NAME, ...) case OP_##NAME: break;
#define VALUE_OPERATION(NAME, text, written, value, ...) case OP_##NAME: return value;

wide taut_op_apply(op o, wide a, wide b, int32_t n)
{
    switch (o) {
        OPERATIONS(VALUE_LEAF, VALUE_OPERATION, VALUE_OPERATION, VALUE_OPERATION)
    }
    return (wide)NAN; /* leaves have values of their own */
}

static int is_finite(wide x) { return x - x == 0; }

static wide leaf_value(const graph *g, expr e, expr_lookup lookup, void *user)
{
    const node *n = &g->nodes[e];
    if (n->op == OP_CONSTANT) return g->constants[n->a];
    return lookup(user, n->op, n->op == OP_VARIABLE ? (kind)n->b : KIND_Q, n->a);
}

/* The value of a call, from those of its arguments. */
static wide call_value(const graph *g, const walk *w, const node *n, const wide *values)
{
    const context_function *f = taut_graph_called(g, call_function_of(n));
    const int order = call_order(f->arguments, call_component(n));
    double *x = taut_mem_new(g->context, f->arguments + call_room(f->arguments, order), sizeof *x);
    if (!x) return (wide)NAN;
    expr list = n->a;
    for (uint32_t i = 0; list; i++) x[i] = (double)values[walk_position(w, taut_call_next(g, &list))];
    taut_call_evaluate(g->context, f, order, x, x + f->arguments);
    const wide value = x[f->arguments + call_place(f->arguments, call_component(n))];
    taut_mem_free(g->context, x);
    return value;
}

/* Small expressions without memory and marks. Returns 0 when it is not small, or not finite. */
static int small_value(const graph *g, expr e, expr_lookup lookup, void *user, int *budget, wide *value)
{
    const node *n = &g->nodes[e];
    int arity = taut_op_arity(n->op);
    wide a = 0, b = 0;
    if (--*budget < 0 || n->op == OP_CALL) return 0;
    if (arity >= 1 && !small_value(g, n->a, lookup, user, budget, &a)) return 0;
    if (arity == 2 && !small_value(g, n->b, lookup, user, budget, &b)) return 0;
    *value = arity ? taut_op_apply(n->op, a, b, (int32_t)n->b) : leaf_value(g, e, lookup, user);
    return is_finite(*value);
}

/* Of an operation whose operands are good: too large, or not defined there. A power of zero divides by it. */
static const char *complaint_of(op o, wide value, wide a, wide b)
{
    const int undefined = o == OP_DIV    ? b == 0
                          : o == OP_POWI ? a == 0
                          : o == OP_POW  ? a <= 0
                                         : !operations[o].arity || operations[o].complaint;
    return value != value || (undefined && !is_finite(value)) ? op_complaint(o) : "overflow";
}

/* Every node of f. A value above `largest` is bad; *fault is the first bad one whose operands are good, where f itself
   is bad. */
static int evaluate(graph *g, expr f, expr_lookup lookup, void *user, wide largest, wide *value, expr_fault *fault)
{
    walk w;
    *fault = (expr_fault){ 0 };
    if (!f || taut_walk_begin(&w, g, &f, 1)) return TAUT_OUT_OF_MEMORY;
    wide *values = taut_mem_new(g->context, w.count, sizeof *values);
    for (size_t i = 0; values && i < w.count; i++) {
        const node *n = &g->nodes[w.list[i]];
        int arity = taut_op_arity(n->op);
        wide a = arity >= 1 ? values[walk_position(&w, n->a)] : 0;
        wide b = arity == 2 ? values[walk_position(&w, n->b)] : 0;
        values[i] = n->op == OP_CALL ? call_value(g, &w, n, values)
                    : arity          ? taut_op_apply(n->op, a, b, (int32_t)n->b)
                                     : leaf_value(g, w.list[i], lookup, user);
        const int good = WIDE(fabs)(a) <= largest && WIDE(fabs)(b) <= largest;
        if (!fault->culprit && good && !(WIDE(fabs)(values[i]) <= largest))
            *fault = (expr_fault){ w.list[i], complaint_of(n->op, values[i], a, b) };
    }
    if (values) *value = values[walk_position(&w, f)];
    if (values && WIDE(fabs)(*value) <= largest) *fault = (expr_fault){ 0 };
    int status = values ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    taut_mem_free(g->context, values);
    taut_walk_end(&w);
    return status;
}

int taut_expr_value(graph *g, expr f, expr_lookup lookup, void *user, wide *value)
{
    expr_fault ignored;
    int budget = 64;
    if (f && small_value(g, f, lookup, user, &budget, value)) return TAUT_OK;
    return evaluate(g, f, lookup, user, (wide)INFINITY, value, &ignored);
}

int taut_expr_fault(graph *g, expr f, expr_lookup lookup, void *user, wide largest, expr_fault *fault)
{
    wide value;
    return evaluate(g, f, lookup, user, largest, &value, fault);
}

/* ---- text ---- */

typedef struct {
    graph *g;
    expr_namer namer;
    void *user;
    char *buffer;
    size_t size, length;
    int depth;
} printer;

static void put(printer *p, const char *text)
{
    size_t n = strlen(text);
    if (p->length < p->size) {
        size_t room = p->size - p->length, copied = n < room ? n : room;
        memcpy(p->buffer + p->length, text, copied);
    }
    p->length += n;
}

static void print_node(printer *p, expr e, int outer);

static void print_leaf(printer *p, expr e)
{
    const node *n = &p->g->nodes[e];
    char text[256];
    if (n->op == OP_CONSTANT) {
        wide value = p->g->constants[n->a];
        for (int digits = 6; digits <= WIDE_DIGITS; digits += 2) {
            wide again;
            taut_wide_format(text, sizeof text, value, digits);
            if (!taut_wide_parse(text, &again) && (again == value || (digits >= 17 && (double)again == (double)value)))
                break;
        }
    } else {
        p->namer(p->user, n->op, n->op == OP_VARIABLE ? (kind)n->b : KIND_Q, n->a, text, sizeof text);
    }
    put(p, text);
}

static void print_operator(printer *p, const node *n)
{
    char exponent[16];
    int s = strength(n->op);
    if (n->op == OP_NEG) {
        put(p, "-");
        print_node(p, n->a, s);
    } else if (n->op == OP_POWI) {
        print_node(p, n->a, s + 1);
        snprintf(exponent, sizeof exponent, "^%d", (int32_t)n->b);
        put(p, exponent);
    } else {
        print_node(p, n->a, n->op == OP_POW ? s + 1 : s);
        put(p, s == 1 ? " " : "");
        put(p, taut_op_name(n->op));
        put(p, s == 1 ? " " : "");
        print_node(p, n->b, n->op == OP_ADD || n->op == OP_MUL ? s : s + 1);
    }
}

/* name(x, y), name_1(x, y), name_1_2(x, y): the function and its derivatives. */
static void print_call(printer *p, const node *n)
{
    const context_function *f = taut_graph_called(p->g, call_function_of(n));
    uint32_t component = call_component(n), row = 0;
    char indices[32] = "";
    if (component > f->arguments) {
        for (component -= 1 + f->arguments; component > row; component -= ++row) {}
        snprintf(indices, sizeof indices, "_%u_%u", component + 1, row + 1);
    } else if (component) {
        snprintf(indices, sizeof indices, "_%u", component);
    }
    put(p, f->name);
    put(p, indices);
    put(p, "(");
    expr list = n->a;
    for (int first = 1; list; first = 0) {
        put(p, first ? "" : ", ");
        print_node(p, taut_call_next(p->g, &list), 0);
    }
    put(p, ")");
}

static void print_node(printer *p, expr e, int outer)
{
    if (p->g->nodes[e].op == OP_SHOWN) e = p->g->nodes[e].a;
    const node *n = &p->g->nodes[e];
    if (!e || p->length >= p->size || p->depth > 2000) {
        put(p, "...");
        return;
    }
    p->depth++;
    if (taut_op_arity(n->op) == 0) {
        int negative = n->op == OP_CONSTANT && p->g->constants[n->a] < 0 && outer > 1;
        put(p, negative ? "(" : "");
        print_leaf(p, e);
        put(p, negative ? ")" : "");
    } else if (n->op == OP_CALL) {
        print_call(p, n);
    } else if (strength(n->op) < STRENGTH_NAME) {
        int brackets = strength(n->op) < outer;
        put(p, brackets ? "(" : "");
        print_operator(p, n);
        put(p, brackets ? ")" : "");
    } else {
        put(p, taut_op_name(n->op));
        put(p, "(");
        print_node(p, n->a, 0);
        if (taut_op_arity(n->op) == 2) {
            put(p, ", ");
            print_node(p, n->b, 0);
        }
        put(p, ")");
    }
    p->depth--;
}

size_t taut_expr_print(graph *g, expr f, expr_namer namer, void *user, char *buffer, size_t size)
{
    if (!size) return 0;
    printer p = { g, namer, user, buffer, size - 1, 0, 0 };
    print_node(&p, f, 0);
    if (p.length > p.size) {
        p.length = p.size;
        if (p.size >= 3) memcpy(buffer + p.size - 3, "...", 3);
    }
    buffer[p.length] = 0;
    return p.length;
}
