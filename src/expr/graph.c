/* Nodes, hash-consing, and the simplifications that are made while building.
 *
 * Coefficients (expressions without variables) are pulled out of products and quotients to the front: k1*(k2*x) becomes
 * (k1*k2)*x and (k*x)*y becomes k*(x*y). Terms that differ only in their constants then have equal shape, with one
 * constant. */
#include "expr/graph.h"

#include "expr/call.h"

#include <string.h>

graph *taut_graph_create(taut_context *context)
{
    graph *g = taut_mem_new(context, 1, sizeof *g);
    if (!g) return NULL;
    g->context = context;
    g->table_size = 256;
    g->table = taut_mem_new(context, g->table_size, sizeof *g->table);
    g->links = taut_mem_new(context, 256, sizeof *g->links);
    if (!g->table || !g->links || taut_mem_grow(context, &g->nodes, &g->capacity, 256, sizeof *g->nodes)) {
        taut_graph_destroy(g);
        return NULL;
    }
    g->link_capacity = 256;
    memset(g->nodes, 0, sizeof *g->nodes);
    g->count = 1;
    return g;
}

void taut_graph_destroy(graph *g)
{
    if (!g) return;
    taut_mem_free(g->context, g->nodes);
    taut_mem_free(g->context, g->constants);
    taut_mem_free(g->context, g->table);
    taut_mem_free(g->context, g->links);
    taut_mem_free(g->context, g->mark);
    taut_mem_free(g->context, g->functions);
    taut_mem_free(g->context, g->parameters.leaves);
    for (int k = 0; k < VARIABLE_KINDS; k++) taut_mem_free(g->context, g->variables[k].leaves);
    taut_mem_free(g->context, g);
}

taut_context *taut_graph_context(graph *g) { return g->context; }
int taut_graph_ran_out(const graph *g) { return g->ran_out; }
uint32_t taut_graph_count(const graph *g) { return (uint32_t)g->count; }
const node *taut_graph_node(const graph *g, expr e) { return &g->nodes[e]; }
const node *taut_graph_nodes(const graph *g) { return g->nodes; }
wide taut_graph_constant(const graph *g, expr e) { return g->constants[g->nodes[e].a]; }
int taut_expr_is_constant(const graph *g, expr e) { return !g->nodes[e].varies; }

static int is_literal(const graph *g, expr e) { return g->nodes[e].op == OP_CONSTANT; }

int taut_expr_is_number(const graph *g, expr e, double value)
{
    return is_literal(g, e) && taut_graph_constant(g, e) == (wide)value;
}

/* The same for the few numbers of the rules below: equal numbers are one node, which is known once it is there. */
static int is_whole(const graph *g, expr e, int value) { return e == g->whole[value + WHOLE_MOST]; }

static expr whole(graph *g, int value)
{
    expr e = g->whole[value + WHOLE_MOST];
    return e ? e : taut_expr_integer(g, value);
}

/* ---- hash-consing ---- */

static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
}

/* An operation is looked for among the users of the larger of its operands: a model that is built in order touches
   memory in order, and nothing is moved as the graph grows. An operand with very many users would make that slow:
   beyond the first few they are in the table, with the numbers. Variables and parameters are found by their index. */
#define USERS_MOST 16

static int is_commutative(op o) { return o == OP_ADD || o == OP_MUL; }

static uint32_t larger_operand(op o, uint32_t a, uint32_t b) { return a > b || op_has_number(o) ? a : b; }

/* ---- the table ---- */

/* Where to look in it: first a window of a few places, near those of the whole numbers that come before and after; then
   at a place scattered over the whole table. */
#define WINDOW 8
typedef struct {
    uint64_t near, far;
} hash;

/* a + b and b + a are looked for in the same places. */
static hash hash_node(op o, uint32_t a, uint32_t b)
{
    if (is_commutative(o) && a < b) {
        uint32_t swap = a;
        a = b, b = swap;
    }
    uint64_t far = mix(((uint64_t)a << 32 | b) + (uint64_t)o * 0x9e3779b97f4a7c15ULL);
    return (hash){ far, far };
}

/* Of a number by its value in double. */
static hash hash_value(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    bits = mix(bits ^ 0x5bd1e995u);
    return (hash){ d > -1e15 && d < 1e15 && d == (double)(int64_t)d ? 2 * (uint64_t)(int64_t)d : bits, bits };
}

#ifdef TAUT_HAVE_QUAD
/* By their bits, without arithmetic in software: there is no negative zero here, and one kind of not-a-number is as
   good as another. */
static int same_value(wide x, wide y) { return memcmp(&x, &y, sizeof x) == 0; }

/* The half with sign and exponent. */
static uint64_t upper_half(wide x)
{
    uint64_t half[2];
    memcpy(half, &x, sizeof half);
    return half[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__];
}
static int is_finite(wide x) { return (upper_half(x) >> 48 & 0x7fff) != 0x7fff; }
#else
static int same_value(wide x, wide y) { return x == y || (x != x && y != y); }
static int is_finite(wide x) { return x - x == 0; }
#endif

int taut_graph_is_finite(const graph *g, expr literal) { return is_finite(taut_graph_constant(g, literal)); }

static size_t probe(hash h, size_t attempt, size_t table_size)
{
    if (attempt < WINDOW) return (h.near + attempt) & (table_size - 1);
    uint64_t k = attempt - WINDOW; /* triangular steps: windows that have filled up are long clusters, to be jumped over
                                      */
    return (h.far + k * (k + 1) / 2) & (table_size - 1);
}

static hash hash_of(const graph *g, expr e)
{
    const node *n = &g->nodes[e];
    return n->op == OP_CONSTANT ? hash_value((double)g->constants[n->a]) : hash_node(n->op, n->a, n->b);
}

static void table_enter(graph *g, expr e)
{
    hash h = hash_of(g, e);
    size_t attempt = 0;
    while (g->table[probe(h, attempt, g->table_size)]) attempt++;
    g->table[probe(h, attempt, g->table_size)] = e;
    g->table_count++;
}

/* Room for one more, and at least two places for every node. */
static int table_reserve(graph *g)
{
    size_t before = g->table_size, size = before * 2;
    if (2 * (g->table_count + 1) <= before) return TAUT_OK;
    uint32_t *old = g->table, *table = taut_mem_new(g->context, size, sizeof *table);
    if (!table) return TAUT_OUT_OF_MEMORY;
    g->table = table;
    g->table_size = size;
    g->table_count = 0;
    for (size_t i = 0; i < before; i++)
        if (old[i]) table_enter(g, old[i]);
    taut_mem_free(g->context, old);
    return TAUT_OK;
}

/* ---- users ---- */

static int link_reserve(graph *g)
{
    if (g->link_capacity >= g->capacity) return TAUT_OK;
    user_link *links = taut_mem_resize(g->context, g->links, g->capacity, sizeof *links);
    if (!links) return TAUT_OUT_OF_MEMORY;
    g->links = links;
    g->link_capacity = g->capacity;
    return TAUT_OK;
}

static void link_enter(graph *g, expr e, expr operand)
{
    g->links[e].next = g->links[operand].first;
    g->links[operand].first = e;
}

/* ---- leaves ---- */

/* Where the leaf of that index is kept; NULL when there is no memory. Indices have no gaps. */
static expr *leaf_place(graph *g, leaf_list *l, uint32_t index)
{
    size_t before = l->capacity;
    if (index >= before) {
        if (taut_mem_grow(g->context, &l->leaves, &l->capacity, (size_t)index + 1, sizeof *l->leaves)) return NULL;
        memset(l->leaves + before, 0, (l->capacity - before) * sizeof *l->leaves);
    }
    return &l->leaves[index];
}

static void forget_leaves(graph *g, leaf_list *l)
{
    taut_mem_free(g->context, l->leaves);
    *l = (leaf_list){ NULL, 0 };
}

static leaf_list *leaves_of(graph *g, const node *n)
{
    return n->op == OP_PARAMETER ? &g->parameters : &g->variables[n->b];
}

/* ---- all of it ---- */

/* Links, leaves and table again, after graph_settle. */
static int restore(graph *g)
{
    g->table = taut_mem_new(g->context, g->table_size, sizeof *g->table);
    g->table_count = 0;
    int status = g->table ? link_reserve(g) : TAUT_OUT_OF_MEMORY;
    for (expr e = 1; !status && e < g->count; e++) {
        const node n = g->nodes[e];
        int users = 0, is_operation = taut_op_arity(n.op) > 0;
        g->links[e] = (user_link){ 0, 0 };
        expr operand = is_operation ? larger_operand(n.op, n.a, n.b) : 0;
        for (expr u = is_operation ? g->links[operand].first : 0; u; u = g->links[u].next) users++;
        if (is_operation && users < USERS_MOST) {
            link_enter(g, e, operand);
        } else if (is_operation || n.op == OP_CONSTANT) {
            status = table_reserve(g);
            if (!status) table_enter(g, e);
        } else {
            expr *place = leaf_place(g, leaves_of(g, &n), n.a);
            if (place) *place = e;
            else status = TAUT_OUT_OF_MEMORY;
        }
    }
    if (!status) return TAUT_OK;
    taut_mem_free(g->context, g->table);
    taut_mem_free(g->context, g->links);
    g->table = NULL;
    g->links = NULL;
    g->link_capacity = 0;
    return status;
}

static inline int is_ready(graph *g) { return g->table || !restore(g); }

/* Small graphs keep everything: they are extended often (contacts), and there is nothing to gain. */
#define SETTLE_NODES 100000

void taut_graph_settle(graph *g)
{
    if (g->count < SETTLE_NODES) return;
    taut_mem_free(g->context, g->table);
    taut_mem_free(g->context, g->links);
    taut_mem_free(g->context, g->mark);
    g->table = g->mark = NULL;
    g->links = NULL;
    g->link_capacity = g->mark_size = 0;
    forget_leaves(g, &g->parameters);
    for (int k = 0; k < VARIABLE_KINDS; k++) forget_leaves(g, &g->variables[k]);
    taut_mem_trim(g->context, &g->nodes, &g->capacity, g->count, sizeof *g->nodes);
    taut_mem_trim(g->context, &g->constants, &g->constant_capacity, g->constant_count, sizeof *g->constants);
}

graph *taut_graph_copy(taut_context *context, const graph *from)
{
    graph *g = taut_mem_new(context, 1, sizeof *g);
    if (!g) return NULL;
    g->context = context;
    g->count = g->capacity = from->count;
    g->constant_count = g->constant_capacity = from->constant_count;
    g->table_size = from->table_size;
    g->has_calls = from->has_calls;
    g->has_shown = from->has_shown;
    memcpy(g->whole, from->whole, sizeof g->whole);
    g->nodes = taut_mem_resize(context, NULL, g->count, sizeof *g->nodes);
    g->constants = taut_mem_resize(context, NULL, g->constant_count, sizeof *g->constants);
    if (!g->nodes || !g->constants || taut_graph_take_functions(g, from)) {
        taut_graph_destroy(g);
        return NULL;
    }
    memcpy(g->nodes, from->nodes, g->count * sizeof *g->nodes);
    if (g->constant_count) memcpy(g->constants, from->constants, g->constant_count * sizeof *g->constants);
    return g;
}

/* Appends a node, which nobody finds yet. */
static expr append(graph *g, node n)
{
    if (g->count >= UINT32_MAX) {
        taut_fail(g->context, TAUT_OUT_OF_MEMORY, "out of memory: the model has more than 2^32 expressions");
        return 0;
    }
    if (g->count >= g->capacity && taut_mem_grow(g->context, &g->nodes, &g->capacity, g->count + 1, sizeof *g->nodes))
        return 0;
    if (g->links) {
        if (g->count >= g->link_capacity && link_reserve(g)) return 0;
        g->links[g->count] = (user_link){ 0, 0 };
    }
    g->nodes[g->count] = n;
    return (expr)g->count++;
}

/* Commutative: an existing b o a serves for a o b. */
static inline int is_node(const node *n, op o, uint32_t a, uint32_t b)
{
    return n->op == o && ((n->a == a && n->b == b) || (n->a == b && n->b == a && is_commutative(o)));
}

/* The end of each function that makes nodes. */
static inline expr made(graph *g, expr e)
{
    if (!e) g->ran_out = 1;
    return e;
}

/* An operation whose larger operand has many users. */
static expr cons_crowded(graph *g, op o, uint32_t a, uint32_t b, node n)
{
    hash h = hash_node(o, a, b);
    if (table_reserve(g)) return 0;
    for (size_t attempt = 0;; attempt++) {
        expr *place = &g->table[probe(h, attempt, g->table_size)];
        if (*place && !is_node(&g->nodes[*place], o, a, b)) continue;
        if (*place) return *place;
        *place = append(g, n);
        if (*place) g->table_count++;
        return *place;
    }
}

static expr cons(graph *g, op o, uint32_t a, uint32_t b, int varies)
{
    expr operand = larger_operand(o, a, b), e;
    int users = 0;
    if (!is_ready(g)) return made(g, 0);
    for (e = g->links[operand].first; e; e = g->links[e].next, users++)
        if (is_node(&g->nodes[e], o, a, b)) return e;
    const uint16_t kinds = (uint16_t)(g->nodes[a].kinds | (op_has_number(o) ? 0 : g->nodes[b].kinds));
    const node n = { (uint8_t)o, (uint8_t)varies, kinds, a, b };
    if (users >= USERS_MOST) return made(g, cons_crowded(g, o, a, b, n));
    e = append(g, n);
    if (e) link_enter(g, e, operand);
    return made(g, e);
}

static expr cons_number(graph *g, wide value, hash h)
{
    size_t i, attempt = 0;
    if (!is_ready(g) || table_reserve(g)) return made(g, 0);
    for (; g->table[i = probe(h, attempt, g->table_size)]; attempt++) {
        expr e = g->table[i];
        if (is_literal(g, e) && same_value(taut_graph_constant(g, e), value)) return e;
    }
    if (taut_mem_grow(g->context, &g->constants, &g->constant_capacity, g->constant_count + 1, sizeof *g->constants))
        return made(g, 0);
    g->constants[g->constant_count] = value;
    expr e = append(g, (node){ .op = OP_CONSTANT, .a = (uint32_t)g->constant_count });
    if (!e) return made(g, 0);
    g->table[i] = e;
    g->table_count++;
    g->constant_count++;
    const int64_t half = (int64_t)h.near / 2; /* of a whole number: its value */
    if (half >= -WHOLE_MOST && half <= WHOLE_MOST && value == half) g->whole[half + WHOLE_MOST] = e;
    return e;
}

expr taut_expr_number(graph *g, wide value)
{
    if (value == 0) value = 0; /* no negative zero */
    return cons_number(g, value, hash_value((double)value));
}

expr taut_expr_integer(graph *g, int64_t value)
{
    if (value >= -WHOLE_MOST && value <= WHOLE_MOST && g->whole[value + WHOLE_MOST])
        return g->whole[value + WHOLE_MOST];
    return cons_number(g, (wide)value, hash_value((double)value));
}

static expr cons_leaf(graph *g, node n)
{
    expr *e = is_ready(g) ? leaf_place(g, leaves_of(g, &n), n.a) : NULL;
    if (e && !*e) *e = append(g, n);
    return made(g, e ? *e : 0);
}

expr taut_expr_parameter(graph *g, uint32_t index) { return cons_leaf(g, (node){ .op = OP_PARAMETER, .a = index }); }

expr taut_expr_variable(graph *g, kind k, uint32_t index)
{
    return cons_leaf(g, (node){ OP_VARIABLE, k != KIND_CONSTANT_SLOT, (uint16_t)(1u << k), index, k });
}

static expr cons_unary(graph *g, op o, expr a)
{
    return cons(g, o, a, 0, g->nodes[a].varies);
}

static expr cons_binary(graph *g, op o, expr a, expr b)
{
    return cons(g, o, a, b, g->nodes[a].varies | g->nodes[b].varies);
}

/* The order of the first writing is kept, constants in front. */
static expr cons_commutative(graph *g, op o, expr a, expr b)
{
    if (!g->nodes[b].varies && g->nodes[a].varies) {
        expr swap = a;
        a = b, b = swap;
    }
    return cons_binary(g, o, a, b);
}

/* The operation on literals as a literal. What is not finite stays an operation, for the evaluation to point at. A loop
   asks for the same ones again and again, and their arithmetic may be one in software: the last ones are kept. */
static expr fold(graph *g, op o, expr a, expr b, int32_t exponent)
{
    const uint32_t second = op_has_number(o) ? (uint32_t)exponent : b;
    folded *last = &g->folds[(a * 5 + second * 3 + (uint32_t)o) & (FOLDS - 1)];
    if (last->a == a && last->b == second && last->op == (uint32_t)o) return last->result;
    wide value = taut_op_apply(o, taut_graph_constant(g, a), b ? taut_graph_constant(g, b) : 0, exponent);
    if (!is_finite(value)) return cons(g, o, a, second, 0);
    expr e = taut_expr_number(g, value);
    if (e) *last = (folded){ (uint32_t)o, a, second, e };
    return e;
}

/* If e = k * x with k free of variables, splits it: *k and the result x. Otherwise *k = 0 and e itself. */
static expr split_coefficient(const graph *g, expr e, expr *k)
{
    const node *n = &g->nodes[e];
    *k = 0;
    if (n->op != OP_MUL || !n->varies || g->nodes[n->a].varies) return e;
    *k = n->a;
    return n->b;
}

expr taut_expr_neg(graph *g, expr a)
{
    if (!a) return 0;
    node n = g->nodes[a];
    if (n.op == OP_CONSTANT) return fold(g, OP_NEG, a, 0, 0);
    if (n.op == OP_NEG) return n.a;
    if (n.op == OP_SUB) return taut_expr_sub(g, n.b, n.a);
    if (n.op == OP_MUL && !g->nodes[n.a].varies && (n.varies || is_literal(g, n.a)))
        return taut_expr_mul(g, taut_expr_neg(g, n.a), n.b);
    return cons_unary(g, OP_NEG, a);
}

expr taut_expr_add(graph *g, expr a, expr b)
{
    if (!a || !b) return 0;
    if (is_whole(g, a, 0)) return b;
    if (is_whole(g, b, 0)) return a;
    node x = g->nodes[a], y = g->nodes[b];
    if (x.op == OP_CONSTANT && y.op == OP_CONSTANT) return fold(g, OP_ADD, a, b, 0);
    if (y.op == OP_NEG) return taut_expr_sub(g, a, y.a);
    if (x.op == OP_NEG) return taut_expr_sub(g, b, x.a);
    if (a == b) return taut_expr_mul(g, whole(g, 2), a);
    return cons_commutative(g, OP_ADD, a, b);
}

expr taut_expr_sub(graph *g, expr a, expr b)
{
    if (!a || !b) return 0;
    if (is_whole(g, b, 0)) return a;
    if (is_literal(g, a) && is_literal(g, b)) return fold(g, OP_SUB, a, b, 0);
    if (a == b) return whole(g, 0);
    if (is_whole(g, a, 0)) return taut_expr_neg(g, b);
    if (g->nodes[b].op == OP_NEG) return taut_expr_add(g, a, g->nodes[b].a);
    if (g->nodes[a].op == OP_NEG) return taut_expr_neg(g, taut_expr_add(g, g->nodes[a].a, b));
    return cons_binary(g, OP_SUB, a, b);
}

/* True if a * b = x^m * x^n, where each may be a plain x, is worth writing as one power of *base. */
static int common_power(const graph *g, expr a, expr b, expr *base, int32_t *exponent)
{
    node x = g->nodes[a], y = g->nodes[b];
    expr base_b = y.op == OP_POWI ? y.a : b;
    *base = x.op == OP_POWI ? x.a : a;
    if (*base != base_b) return 0;
    int64_t m = x.op == OP_POWI ? (int32_t)x.b : 1, n = y.op == OP_POWI ? (int32_t)y.b : 1;
    if (m + n > 64 || m + n < -64 || (m < 0) != (n < 0)) return 0;
    *exponent = (int32_t)(m + n);
    return 1;
}

static int is_reciprocal(const graph *g, node n)
{
    return n.op == OP_DIV && is_whole(g, n.a, 1);
}

expr taut_expr_mul(graph *g, expr a, expr b)
{
    if (!a || !b) return 0;
    if (is_whole(g, a, 0) || is_whole(g, b, 0)) return whole(g, 0);
    if (is_whole(g, a, 1)) return b;
    if (is_whole(g, b, 1)) return a;
    if (is_whole(g, a, -1)) return taut_expr_neg(g, b);
    if (is_whole(g, b, -1)) return taut_expr_neg(g, a);
    if (is_literal(g, a) && is_literal(g, b)) return fold(g, OP_MUL, a, b, 0);
    if (g->nodes[a].varies && !g->nodes[b].varies) {
        expr swap = a;
        a = b, b = swap;
    }
    node x = g->nodes[a], y = g->nodes[b];
    if (y.op == OP_NEG && x.varies != y.varies) return taut_expr_mul(g, taut_expr_neg(g, a), y.a);
    if (x.op == OP_NEG && x.varies == y.varies) return taut_expr_neg(g, taut_expr_mul(g, x.a, b));
    if (y.op == OP_NEG) return taut_expr_neg(g, taut_expr_mul(g, a, y.a));
    if (x.varies || y.varies) {
        expr ka, kb, rest_a = split_coefficient(g, a, &ka), rest_b = split_coefficient(g, b, &kb);
        if (!x.varies && kb) return taut_expr_mul(g, taut_expr_mul(g, a, kb), rest_b);
        if (x.varies && (ka || kb)) {
            expr k = ka && kb ? taut_expr_mul(g, ka, kb) : ka ? ka : kb;
            return taut_expr_mul(g, k, taut_expr_mul(g, rest_a, rest_b));
        }
    }
    if (x.varies == y.varies) { /* k * (1/x) stays: it is what k/x becomes */
        if (is_reciprocal(g, x) && is_reciprocal(g, y)) return taut_expr_div(g, x.a, taut_expr_mul(g, x.b, y.b));
        if (is_reciprocal(g, x)) return taut_expr_div(g, b, x.b);
        if (is_reciprocal(g, y)) return taut_expr_div(g, a, y.b);
    }
    expr base;
    int32_t exponent;
    if (common_power(g, a, b, &base, &exponent)) return taut_expr_powi(g, base, exponent);
    return cons_commutative(g, OP_MUL, a, b);
}

expr taut_expr_mul_reciprocal(graph *g, expr a, expr b)
{
    if (!a || !b) return 0;
    if (!g->nodes[a].varies || !is_reciprocal(g, g->nodes[b]) || !g->nodes[b].varies) return taut_expr_mul(g, a, b);
    return cons_commutative(g, OP_MUL, a, b);
}

expr taut_expr_mul_apart(graph *g, expr a, expr b) { return a && b ? cons_commutative(g, OP_MUL, a, b) : 0; }

expr taut_expr_div(graph *g, expr a, expr b)
{
    if (!a || !b) return 0;
    if (is_literal(g, a) && is_literal(g, b)) return fold(g, OP_DIV, a, b, 0);
    if (is_whole(g, b, 0)) return cons_binary(g, OP_DIV, a, b); /* for the evaluation to point at */
    if (a == b) return whole(g, 1);
    if (is_whole(g, a, 0)) return a;
    if (is_whole(g, b, 1)) return a;
    node x = g->nodes[a], y = g->nodes[b];
    if (x.varies && !y.varies) return taut_expr_mul(g, taut_expr_div(g, whole(g, 1), b), a);
    if (x.op == OP_NEG) return taut_expr_neg(g, taut_expr_div(g, x.a, b));
    if (y.op == OP_NEG) return taut_expr_neg(g, taut_expr_div(g, a, y.a));
    if (y.varies) {
        expr ka, kb, rest_a = split_coefficient(g, a, &ka), rest_b = split_coefficient(g, b, &kb);
        if (!x.varies && !is_whole(g, a, 1)) ka = a, rest_a = whole(g, 1);
        if (ka || kb) {
            expr k = ka ? ka : whole(g, 1);
            if (kb) k = taut_expr_div(g, k, kb);
            return taut_expr_mul(g, k, taut_expr_div(g, rest_a, rest_b));
        }
    }
    return cons_binary(g, OP_DIV, a, b);
}

expr taut_expr_powi(graph *g, expr a, int32_t exponent)
{
    if (!a) return 0;
    if (exponent == 0) return whole(g, 1);
    if (exponent == 1) return a;
    node x = g->nodes[a];
    if (x.op == OP_CONSTANT) return fold(g, OP_POWI, a, 0, exponent);
    if (exponent == -1) return taut_expr_div(g, whole(g, 1), a);
    if (x.op == OP_NEG)
        return exponent % 2 ? taut_expr_neg(g, taut_expr_powi(g, x.a, exponent)) : taut_expr_powi(g, x.a, exponent);
    if (x.op == OP_SQRT && exponent == 2) return x.a;
    if (x.op == OP_MUL && x.varies && !g->nodes[x.a].varies)
        return taut_expr_mul(g, taut_expr_powi(g, x.a, exponent), taut_expr_powi(g, x.b, exponent));
    return cons(g, OP_POWI, a, (uint32_t)exponent, x.varies);
}

expr taut_expr_numbered(graph *g, op o, expr a, int32_t number)
{
    if (o == OP_POWI) return taut_expr_powi(g, a, number);
    if (!a) return 0;
    if (o == OP_CALL) { /* never folded, and never a constant: only tapes and expr_value can compute it */
        g->has_calls = 1;
        return cons(g, o, a, (uint32_t)number, 1);
    }
    if (is_literal(g, a)) return fold(g, o, a, 0, number);
    return cons(g, o, a, (uint32_t)number, g->nodes[a].varies);
}

expr taut_expr_pow(graph *g, expr a, expr b)
{
    if (!a || !b) return 0;
    if (is_literal(g, b)) {
        wide n = taut_graph_constant(g, b);
        if (n > -1000 && n < 1000 && n == (wide)(int32_t)n) return taut_expr_powi(g, a, (int32_t)n);
        if (n == (wide)0.5) return taut_expr_unary(g, OP_SQRT, a);
        if (is_literal(g, a)) return fold(g, OP_POW, a, b, 0);
    }
    return cons_binary(g, OP_POW, a, b);
}

expr taut_expr_unary(graph *g, op o, expr a)
{
    if (!a) return 0;
    if (o == OP_NEG) return taut_expr_neg(g, a);
    if (is_literal(g, a)) return fold(g, o, a, 0, 0);
    return cons_unary(g, o, a);
}

expr taut_expr_binary(graph *g, op o, expr a, expr b)
{
    switch (o) {
    case OP_ADD: return taut_expr_add(g, a, b);
    case OP_SUB: return taut_expr_sub(g, a, b);
    case OP_MUL: return taut_expr_mul(g, a, b);
    case OP_DIV: return taut_expr_div(g, a, b);
    case OP_POW: return taut_expr_pow(g, a, b);
    case OP_ARGUMENT: return a && b ? cons(g, o, a, b, 1) : 0;
    case OP_SHOWN:
        if (a && b) g->has_shown = 1;
        break;
    case OP_CALL:
    case OP_NEG:
    case OP_POWI:
    CASE_LEAVES
    CASE_FUNCTIONS break;
    }
    if (!a || !b) return 0;
    if (is_literal(g, a) && is_literal(g, b)) return fold(g, o, a, b, 0);
    return cons_binary(g, o, a, b);
}

expr taut_expr_rebuild(graph *g, const node *n, expr a, expr b)
{
    if (op_has_number(n->op)) return taut_expr_numbered(g, n->op, a, (int32_t)n->b);
    return taut_op_arity(n->op) == 1 ? taut_expr_unary(g, n->op, a) : taut_expr_binary(g, n->op, a, b);
}
