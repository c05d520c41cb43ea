/* Operations as functions: names, values, text. */
#include "expr/graph.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int arity;
} operations[OP_COUNT] = {
    [OP_NONE] = { "none", 0 },   [OP_CONSTANT] = { "number", 0 }, [OP_PARAMETER] = { "parameter", 0 },
    [OP_VARIABLE] = { "variable", 0 }, [OP_NEG] = { "-", 1 },     [OP_ADD] = { "+", 2 },
    [OP_SUB] = { "-", 2 },       [OP_MUL] = { "*", 2 },           [OP_DIV] = { "/", 2 },
    [OP_POWI] = { "^", 1 },      [OP_POW] = { "^", 2 },           [OP_SQRT] = { "sqrt", 1 },
    [OP_EXP] = { "exp", 1 },     [OP_LOG] = { "log", 1 },         [OP_SIN] = { "sin", 1 },
    [OP_COS] = { "cos", 1 },     [OP_TAN] = { "tan", 1 },         [OP_ASIN] = { "asin", 1 },
    [OP_ACOS] = { "acos", 1 },   [OP_ATAN] = { "atan", 1 },       [OP_ATAN2] = { "atan2", 2 },
    [OP_SINH] = { "sinh", 1 },   [OP_COSH] = { "cosh", 1 },       [OP_TANH] = { "tanh", 1 },
    [OP_ABS] = { "abs", 1 },     [OP_SIGN] = { "sign", 1 },       [OP_MIN] = { "min", 2 },
    [OP_MAX] = { "max", 2 },         [OP_SINC] = { "sinc", 1 },         [OP_SINHC] = { "sinhc", 1 },
    [OP_ATANC] = { "atanc", 1 },     [OP_ATANHC] = { "atanhc", 1 },
};

int op_arity(op o) { return operations[o].arity; }
const char *op_name(op o) { return operations[o].name; }

#define EVEN_TYPE wide
#define EVEN_MATH WIDE
#define EVEN_NAME even_value
#include "base/even.h"

static wide power(wide a, int32_t exponent)
{
    int64_t n = exponent < 0 ? -(int64_t)exponent : exponent;
    wide result = 1;
    for (; n; n >>= 1, a *= a)
        if (n & 1) result *= a;
    return exponent < 0 ? 1 / result : result;
}

wide op_apply(op o, wide a, wide b, int32_t exponent)
{
    switch (o) {
    case OP_NEG: return -a;
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_POWI: return power(a, exponent);
    case OP_POW: return WIDE(pow)(a, b);
    case OP_SQRT: return WIDE(sqrt)(a);
    case OP_EXP: return WIDE(exp)(a);
    case OP_LOG: return WIDE(log)(a);
    case OP_SIN: return WIDE(sin)(a);
    case OP_COS: return WIDE(cos)(a);
    case OP_TAN: return WIDE(tan)(a);
    case OP_ASIN: return WIDE(asin)(a);
    case OP_ACOS: return WIDE(acos)(a);
    case OP_ATAN: return WIDE(atan)(a);
    case OP_ATAN2: return WIDE(atan2)(a, b);
    case OP_SINH: return WIDE(sinh)(a);
    case OP_COSH: return WIDE(cosh)(a);
    case OP_TANH: return WIDE(tanh)(a);
    case OP_ABS: return WIDE(fabs)(a);
    case OP_SIGN: return (a > 0) - (a < 0);
    case OP_MIN: return a < b ? a : b;
    case OP_MAX: return a > b ? a : b;
    case OP_SINC:
    case OP_SINHC:
    case OP_ATANC:
    case OP_ATANHC: return even_value((even_function)(o - OP_SINC), a, exponent);
    default: return 0;
    }
}

static int is_finite(wide x) { return x - x == 0; }

static wide leaf_value(const graph *g, expr e, expr_lookup lookup, void *user)
{
    const node *n = &g->nodes[e];
    if (n->op == OP_CONSTANT) return g->constants[n->a];
    return lookup(user, n->op, n->op == OP_VARIABLE ? (kind)n->b : KIND_Q, n->a);
}

int expr_value(graph *g, expr f, expr_lookup lookup, void *user, wide *value, expr *culprit)
{
    walk w;
    if (culprit) *culprit = 0;
    if (!f || walk_begin(&w, g, &f, 1)) return TAUT_OUT_OF_MEMORY;
    wide *values = mem_new(g->context, w.count, sizeof *values);
    for (size_t i = 0; values && i < w.count; i++) {
        const node *n = &g->nodes[w.list[i]];
        int arity = op_arity(n->op);
        wide a = arity >= 1 ? values[walk_position(&w, n->a)] : 0;
        wide b = arity == 2 ? values[walk_position(&w, n->b)] : 0;
        values[i] = arity ? op_apply(n->op, a, b, (int32_t)n->b) : leaf_value(g, w.list[i], lookup, user);
        if (culprit && !*culprit && !is_finite(values[i]) && is_finite(a) && is_finite(b)) *culprit = w.list[i];
    }
    if (values) *value = values[walk_position(&w, f)];
    if (values && culprit && is_finite(*value)) *culprit = 0;
    int status = values ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    mem_free(g->context, values);
    walk_end(&w);
    return status;
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

/* Binding strength: sums 1, products 2, minus 3, powers 4, the rest 5. */
static int strength(op o)
{
    switch (o) {
    case OP_ADD:
    case OP_SUB: return 1;
    case OP_MUL:
    case OP_DIV: return 2;
    case OP_NEG: return 3;
    case OP_POWI:
    case OP_POW: return 4;
    default: return 5;
    }
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
            wide_format(text, sizeof text, value, digits);
            if (!wide_parse(text, &again) && (again == value || (digits >= 17 && (double)again == (double)value))) break;
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
        put(p, op_name(n->op));
        put(p, s == 1 ? " " : "");
        print_node(p, n->b, n->op == OP_ADD || n->op == OP_MUL ? s : s + 1);
    }
}

static void print_node(printer *p, expr e, int outer)
{
    const node *n = &p->g->nodes[e];
    if (!e || p->length >= p->size || p->depth > 2000) {
        put(p, "...");
        return;
    }
    p->depth++;
    if (op_arity(n->op) == 0) {
        int negative = n->op == OP_CONSTANT && p->g->constants[n->a] < 0 && outer > 1;
        put(p, negative ? "(" : "");
        print_leaf(p, e);
        put(p, negative ? ")" : "");
    } else if (strength(n->op) < 5) {
        int brackets = strength(n->op) < outer;
        put(p, brackets ? "(" : "");
        print_operator(p, n);
        put(p, brackets ? ")" : "");
    } else {
        put(p, op_name(n->op));
        put(p, "(");
        print_node(p, n->a, 0);
        if (op_arity(n->op) == 2) {
            put(p, ", ");
            print_node(p, n->b, 0);
        }
        put(p, ")");
    }
    p->depth--;
}

size_t expr_print(graph *g, expr f, expr_namer namer, void *user, char *buffer, size_t size)
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
