/* Exact derivatives: the local partial derivatives of expr/ops.h, used forwards and backwards. */
#include "expr/call.h"
#include "expr/graph.h"

static expr square_sum(graph *g, expr a, expr b)
{
    return taut_expr_add(g, taut_expr_powi(g, a, 2), taut_expr_powi(g, b, 2));
}
static expr half_sign(graph *g, expr half, expr a, expr b)
{
    return taut_expr_mul(g, half, taut_expr_unary(g, OP_SIGN, taut_expr_sub(g, a, b)));
}

#define PARTIAL_LEAF(NAME, ...) case OP_##NAME: break;
#define PARTIAL_UNARY(NAME, text, written, value, derivative, ...) case OP_##NAME: *da = (derivative); break;
#define PARTIAL_BINARY(NAME, text, written, value, by_a, by_b, ...) case OP_##NAME: *da = (by_a), *db = (by_b); break;

/* The partial derivatives of node e, not a leaf, by its operands; *db is 0 for one operand. Returns a status. */
static int local_partials(graph *g, expr e, expr *da, expr *db)
{
    const node at = g->nodes[e];
    const expr a = at.a, b = at.b, one = taut_expr_number(g, 1), half = taut_expr_number(g, (wide)0.5);
    const int32_t n = (int32_t)at.b;
    *da = *db = 0;
    if (!one || !half) return TAUT_OUT_OF_MEMORY;
    switch ((op)at.op) {
        OPERATIONS(PARTIAL_LEAF, PARTIAL_UNARY, PARTIAL_UNARY, PARTIAL_BINARY)
    }
    return *da && (taut_op_arity(at.op) < 2 || *db) ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

void taut_find_active(const walk *w, const expr *variables, size_t count, unsigned char *active)
{
    for (size_t v = 0; v < count; v++)
        if (walk_has(w, variables[v])) active[walk_position(w, variables[v])] = 1;
    for (size_t i = 0; i < w->count; i++) {
        const node *n = taut_graph_node(w->g, w->list[i]);
        int arity = taut_op_arity(n->op);
        if (arity >= 1) active[i] |= active[walk_position(w, n->a)];
        if (arity == 2) active[i] |= active[walk_position(w, n->b)];
    }
}

int taut_accumulate(graph *g, expr *sum, expr adjoint, expr partial)
{
    expr product = taut_expr_mul(g, adjoint, partial);
    *sum = *sum ? taut_expr_add(g, *sum, product) : product;
    return *sum ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* A call passes the adjoint of its list over, and hands on to the arguments. */
static int call_back(walk *w, expr e, const unsigned char *active, expr *adjoint)
{
    expr list = w->g->nodes[e].a;
    const expr own = adjoint[walk_position(w, e)];
    for (uint32_t i = 0; list; i++) {
        const size_t a = walk_position(w, taut_call_next(w->g, &list));
        if (!active[a]) continue;
        const expr partial = taut_call_partial(w->g, e, i);
        if (!partial || taut_accumulate(w->g, &adjoint[a], own, partial)) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

static int call_forward(walk *w, expr e, const unsigned char *active, expr *tangent)
{
    expr list = w->g->nodes[e].a, *own = &tangent[walk_position(w, e)];
    for (uint32_t i = 0; list; i++) {
        const size_t a = walk_position(w, taut_call_next(w->g, &list));
        if (!active[a]) continue;
        const expr partial = taut_call_partial(w->g, e, i);
        if (!partial || taut_accumulate(w->g, own, tangent[a], partial)) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

/* Adjoints from the root down to the leaves. */
static int sweep_back(walk *w, expr f, const unsigned char *active, expr *adjoint)
{
    graph *g = w->g;
    expr one = taut_expr_number(g, 1);
    if (!one) return TAUT_OUT_OF_MEMORY;
    adjoint[walk_position(w, f)] = one;
    for (size_t i = w->count; i-- > 0;) {
        expr e = w->list[i], da, db;
        node n = g->nodes[e];
        if (!adjoint[i] || !active[i] || taut_op_arity(n.op) == 0) continue;
        if (n.op == OP_CALL) {
            if (call_back(w, e, active, adjoint)) return TAUT_OUT_OF_MEMORY;
            continue;
        }
        if (local_partials(g, e, &da, &db)) return TAUT_OUT_OF_MEMORY;
        size_t a = walk_position(w, n.a);
        if (active[a] && taut_accumulate(g, &adjoint[a], adjoint[i], da)) return TAUT_OUT_OF_MEMORY;
        if (taut_op_arity(n.op) < 2 || n.op == OP_SHOWN) continue;
        size_t b = walk_position(w, n.b);
        if (active[b] && taut_accumulate(g, &adjoint[b], adjoint[i], db)) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

int taut_expr_gradient(graph *g, expr f, const expr *variables, size_t count, expr *out)
{
    walk w;
    if (!f || !are_made(variables, count) || taut_walk_begin(&w, g, &f, 1)) return TAUT_OUT_OF_MEMORY;
    expr *adjoint = taut_mem_new(g->context, w.count, sizeof *adjoint);
    unsigned char *active = taut_mem_new(g->context, w.count, 1);
    expr zero = taut_expr_number(g, 0);
    int status = adjoint && active && zero ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        taut_find_active(&w, variables, count, active);
        status = sweep_back(&w, f, active, adjoint);
    }
    for (size_t v = 0; !status && v < count; v++) {
        expr d = walk_has(&w, variables[v]) ? adjoint[walk_position(&w, variables[v])] : 0;
        out[v] = d ? d : zero;
    }
    taut_mem_free(g->context, adjoint);
    taut_mem_free(g->context, active);
    taut_walk_end(&w);
    return status;
}

expr taut_expr_derivative(graph *g, expr f, expr variable)
{
    expr out;
    return taut_expr_gradient(g, f, &variable, 1, &out) ? 0 : out;
}

/* tangent[i]: the directional derivative of node i, or 0 where it does not depend on the variables. */
static int sweep_forward(walk *w, const unsigned char *active, expr *tangent)
{
    graph *g = w->g;
    for (size_t i = 0; i < w->count; i++) {
        expr e = w->list[i], da, db;
        node n = g->nodes[e];
        if (!active[i] || taut_op_arity(n.op) == 0 || n.op == OP_ARGUMENT) continue;
        if (n.op == OP_CALL) {
            if (call_forward(w, e, active, tangent)) return TAUT_OUT_OF_MEMORY;
            continue;
        }
        if (local_partials(g, e, &da, &db)) return TAUT_OUT_OF_MEMORY;
        size_t a = walk_position(w, n.a);
        if (active[a] && taut_accumulate(g, &tangent[i], tangent[a], da)) return TAUT_OUT_OF_MEMORY;
        if (taut_op_arity(n.op) < 2 || n.op == OP_SHOWN) continue;
        size_t b = walk_position(w, n.b);
        if (active[b] && taut_accumulate(g, &tangent[i], tangent[b], db)) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

expr taut_expr_directional(graph *g, expr f, const expr *variables, const expr *directions, size_t count)
{
    walk w;
    if (!f || !are_made(variables, count) || !are_made(directions, count) || taut_walk_begin(&w, g, &f, 1)) return 0;
    expr *tangent = taut_mem_new(g->context, w.count, sizeof *tangent);
    unsigned char *active = taut_mem_new(g->context, w.count, 1);
    expr result = 0;
    if (tangent && active) {
        taut_find_active(&w, variables, count, active);
        for (size_t v = 0; v < count; v++)
            if (walk_has(&w, variables[v])) tangent[walk_position(&w, variables[v])] = directions[v];
        if (!sweep_forward(&w, active, tangent)) {
            size_t root = walk_position(&w, f);
            result = active[root] ? tangent[root] : taut_expr_number(g, 0);
        }
    }
    taut_mem_free(g->context, tangent);
    taut_mem_free(g->context, active);
    taut_walk_end(&w);
    return result;
}
