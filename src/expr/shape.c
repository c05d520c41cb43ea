/* Traversal, degrees, quadratic atoms, substitution. */
#include "expr/graph.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *x, const void *y)
{
    expr a = *(const expr *)x, b = *(const expr *)y;
    return (a > b) - (a < b);
}

enum { BITS = 32 };           /* of a word */

/* A mark for each node, and behind them a bit for each, for sort. */
static int reserve_marks(graph *g)
{
    if (g->mark_size >= g->count) return TAUT_OK;
    const size_t bits = g->capacity / BITS + 1;
    uint32_t *mark = taut_mem_resize(g->context, g->mark, g->capacity + bits, sizeof *mark);
    if (!mark) return TAUT_OUT_OF_MEMORY;
    memset(mark + g->mark_size, 0, (g->capacity + bits - g->mark_size) * sizeof *mark);
    g->mark = mark;
    g->mark_size = g->capacity;
    return TAUT_OK;
}

/* Pushes e if it was not seen. The list doubles as the queue of the traversal. */
static int visit(walk *w, size_t *capacity, expr e)
{
    if (w->g->mark[e]) return TAUT_OK;
    if (taut_mem_grow(w->g->context, &w->list, capacity, w->count + 1, sizeof *w->list)) return TAUT_OUT_OF_MEMORY;
    w->g->mark[e] = 1;
    w->list[w->count++] = e;
    return TAUT_OK;
}

/* The nodes of a walk are mostly near each other: looking through the bits between the first and the last is then
   faster than comparing them. */
static void sort(walk *w)
{
    expr first = w->list[0], last = w->list[0];
    for (size_t i = 1; i < w->count; i++) {
        if (w->list[i] < first) first = w->list[i];
        if (w->list[i] > last) last = w->list[i];
    }
    if ((last - first) / BITS > 16 * w->count) {
        qsort(w->list, w->count, sizeof *w->list, ascending);
        return;
    }
    uint32_t *bits = w->g->mark + w->g->mark_size;
    for (size_t i = 0; i < w->count; i++) bits[w->list[i] / BITS] |= (uint32_t)1 << w->list[i] % BITS;
    size_t at = 0;
    for (expr k = first / BITS; k <= last / BITS; k++) {
        for (uint32_t left = bits[k]; left; left &= left - 1) w->list[at++] = k * BITS + (expr)__builtin_ctz(left);
        bits[k] = 0;
    }
}

enum { WALK_FIRST = 128 };    /* room of a walk in the beginning: most are shorter, or much longer */

void taut_expr_mark_list(graph *g, const expr *list, size_t count)
{
    for (size_t i = 0; i < count; i++) g->mark[list[i]] = (uint32_t)i + 1;
}

void taut_expr_forget_list(graph *g, const expr *list, size_t count)
{
    for (size_t i = 0; i < count; i++) g->mark[list[i]] = 0;
}

size_t taut_expr_position(const graph *g, expr e) { return g->mark[e] - 1; }

int taut_walk_begin(walk *w, graph *g, const expr *roots, size_t root_count)
{
    size_t capacity = WALK_FIRST;
    *w = (walk){ g, taut_mem_resize(g->context, NULL, capacity, sizeof *w->list), 0 };
    if (!w->list) return TAUT_OUT_OF_MEMORY;
    int status = reserve_marks(g);
    for (size_t r = 0; !status && r < root_count; r++)
        if (roots[r]) status = visit(w, &capacity, roots[r]);
    for (size_t i = 0; !status && i < w->count; i++) {
        const node *n = &g->nodes[w->list[i]];
        int arity = taut_op_arity(n->op);
        if (arity >= 1) status = visit(w, &capacity, n->a);
        if (!status && arity == 2) status = visit(w, &capacity, n->b);
    }
    if (status) {
        taut_walk_end(w);
        return status;
    }
    if (w->count) sort(w);
    taut_expr_mark_list(g, w->list, w->count);
    return TAUT_OK;
}

void taut_walk_end(walk *w)
{
    taut_expr_forget_list(w->g, w->list, w->count);
    taut_mem_free(w->g->context, w->list);
    w->list = NULL;
    w->count = 0;
}

int taut_expr_reachable(graph *g, const expr *roots, size_t root_count, expr **list, size_t *count)
{
    walk w;
    int status = taut_walk_begin(&w, g, roots, root_count);
    *list = NULL;
    *count = 0;
    if (status) return status;
    taut_expr_forget_list(g, w.list, w.count);
    *list = w.list;
    *count = w.count;
    return TAUT_OK;
}

void taut_expr_list_free(graph *g, expr *list) { taut_mem_free(g->context, list); }

unsigned taut_expr_kinds(const graph *g, expr f) { return g->nodes[f].kinds; }

static int capped(int64_t degree) { return degree >= DEGREE_NOT_POLYNOMIAL ? DEGREE_NOT_POLYNOMIAL : (int)degree; }

/* Degree of a node from the degrees of its operands. */
static int node_degree(const node *n, unsigned kinds, int a, int b)
{
    if (n->op == OP_SHOWN) return a;
    switch ((op)n->op) {
    case OP_NONE:
    case OP_CONSTANT:
    case OP_PARAMETER: return 0;
    case OP_VARIABLE: return (kinds >> n->b) & 1;
    case OP_NEG: return a;
    case OP_ADD:
    case OP_SUB: return a > b ? a : b;
    case OP_MUL: return capped(a + b);
    case OP_DIV: return b == 0 ? a : DEGREE_NOT_POLYNOMIAL;
    case OP_POWI: return a == 0 ? 0 : (int32_t)n->b < 0 ? DEGREE_NOT_POLYNOMIAL : capped((int64_t)a * (int32_t)n->b);
    case OP_POW:
    CASE_CALLS
    CASE_FUNCTIONS break;
    }
    return a == 0 && b == 0 ? 0 : DEGREE_NOT_POLYNOMIAL;
}

static int *walk_degrees(const walk *w, unsigned kinds)
{
    int *degree = taut_mem_new(w->g->context, w->count, sizeof *degree);
    for (size_t i = 0; degree && i < w->count; i++) {
        const node *n = &w->g->nodes[w->list[i]];
        int arity = taut_op_arity(n->op);
        int a = arity >= 1 ? degree[walk_position(w, n->a)] : 0;
        int b = arity == 2 ? degree[walk_position(w, n->b)] : 0;
        degree[i] = node_degree(n, kinds, a, b);
    }
    return degree;
}

int taut_expr_degree(graph *g, expr f, unsigned kinds)
{
    walk w;
    if (!f || taut_walk_begin(&w, g, &f, 1)) return -1;
    int *degree = walk_degrees(&w, kinds);
    int result = degree ? degree[walk_position(&w, f)] : -1;
    taut_mem_free(g->context, degree);
    taut_walk_end(&w);
    return result;
}

int taut_rebuild_walk(walk *w, expr *image)
{
    for (size_t i = 0; i < w->count; i++) {
        node n = w->g->nodes[w->list[i]];
        int arity = taut_op_arity(n.op);
        if (image[i]) continue;
        if (arity == 0) {
            image[i] = w->list[i];
            continue;
        }
        expr a = image[walk_position(w, n.a)], b = arity == 2 ? image[walk_position(w, n.b)] : 0;
        int same = a == n.a && (arity < 2 || b == n.b);
        image[i] = same ? w->list[i] : taut_expr_rebuild(w->g, &n, a, b);
        if (!image[i]) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

expr taut_expr_substitute(graph *g, expr e, const expr *variables, const expr *values, size_t count)
{
    walk w;
    expr result = 0;
    if (!e || !are_made(variables, count) || !are_made(values, count) || taut_walk_begin(&w, g, &e, 1)) return 0;
    expr *image = taut_mem_new(g->context, w.count, sizeof *image);
    if (image) {
        for (size_t v = 0; v < count; v++)
            if (walk_has(&w, variables[v])) image[walk_position(&w, variables[v])] = values[v];
        if (!taut_rebuild_walk(&w, image)) result = image[walk_position(&w, e)];
    }
    taut_mem_free(g->context, image);
    taut_walk_end(&w);
    return result;
}

/* Marks as atoms the nodes of degree 1 or 2 that are the root or have a parent of higher degree (reached from the root
   without passing through an atom), and replaces them by slots in image. */
static int mark_atoms(walk *w, const int *degree, expr root, expr *image, expr *atoms, size_t *count)
{
    graph *g = w->g;
    unsigned char *needed = taut_mem_new(g->context, w->count, 1);
    int status = TAUT_OK;
    if (!needed) return TAUT_OUT_OF_MEMORY;
    needed[walk_position(w, root)] = 1;
    for (size_t i = w->count; !status && i-- > 0;) {
        const node n = g->nodes[w->list[i]];
        if (!needed[i] || degree[i] == 0) continue;
        if (degree[i] <= 2) {
            image[i] = taut_expr_variable(g, KIND_SLOT, (uint32_t)*count);
            atoms[(*count)++] = w->list[i];
            if (!image[i]) status = TAUT_OUT_OF_MEMORY;
            continue;
        }
        if (taut_op_arity(n.op) >= 1) needed[walk_position(w, n.a)] = 1;
        if (taut_op_arity(n.op) == 2) needed[walk_position(w, n.b)] = 1;
    }
    taut_mem_free(g->context, needed);
    return status;
}

int taut_expr_atoms(graph *g, expr f, unsigned kinds, expr *outer, expr **atoms, size_t *count)
{
    walk w;
    *outer = 0;
    *atoms = NULL;
    *count = 0;
    if (!f || taut_walk_begin(&w, g, &f, 1)) return TAUT_OUT_OF_MEMORY;
    int *degree = walk_degrees(&w, kinds);
    expr *image = taut_mem_new(g->context, w.count, sizeof *image);
    expr *found = taut_mem_new(g->context, w.count, sizeof *found);
    int status = degree && image && found ? mark_atoms(&w, degree, f, image, found, count) : TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_rebuild_walk(&w, image);
    if (!status) *outer = image[walk_position(&w, f)];
    if (status) {
        taut_mem_free(g->context, found);
        *count = 0;
    } else {
        *atoms = found;
    }
    taut_mem_free(g->context, degree);
    taut_mem_free(g->context, image);
    taut_walk_end(&w);
    return status;
}
