#include "lower/group.h"

typedef struct {
    symbols *y;
    const reduced_phase *p;
    expr *image;
    unsigned char *inside;    /* of a node: it depends on the unknowns of the phase */
    int failed;               /* out of memory */
} grouping;

static expr made(grouping *z, expr e)
{
    z->failed |= !e;
    return e;
}

static int is_inside(const grouping *z, const node *n)
{
    if (n->op == OP_CONSTANT || n->op == OP_PARAMETER) return 0;
    if (n->op == OP_VARIABLE)
        return z->p && (n->b == (uint32_t)LEAF_RIGHT || (n->b == (uint32_t)LEAF_UNKNOWN && n->a >= z->p->first &&
                                                         n->a < z->p->first + z->p->count));
    const int two = !op_has_number((op)n->op) && taut_op_arity((op)n->op) == 2;
    return z->inside[n->a] || (two && z->inside[n->b]);
}

static int is_unknown(const symbols *y, expr e)
{
    const node *n = taut_graph_node(y->g, e);
    return n->op == OP_VARIABLE && n->b == (uint32_t)LEAF_UNKNOWN;
}

/* k (x u) as (k x) u; 0: it is none of these. */
static expr group_outside(grouping *z, const node *n)
{
    graph *g = z->y->g;
    const node b = *taut_graph_node(g, n->b);
    if (taut_graph_node(g, n->a)->varies || b.op != OP_MUL || z->inside[b.a] == z->inside[b.b]) return 0;
    const expr x = z->inside[b.a] ? b.b : b.a, u = z->inside[b.a] ? b.a : b.b;
    if (!taut_graph_node(g, x)->varies) return 0;
    return made(z, taut_expr_mul_apart(g, taut_expr_mul(g, z->image[n->a], z->image[x]), z->image[u]));
}

enum { DEEP_MOST = 12 };

/* k e as a sum of (k u) x; 0: e is no sum of such products and constants. */
static expr distribute(grouping *z, expr k, expr e, int depth)
{
    graph *g = z->y->g;
    const node n = *taut_graph_node(g, e);
    if (!made(z, k) || depth == DEEP_MOST) return 0;
    if (!n.varies) return made(z, taut_expr_mul(g, k, e));
    if (n.op == OP_NEG) {
        const expr a = distribute(z, k, n.a, depth + 1);
        return a ? made(z, taut_expr_neg(g, a)) : 0;
    }
    if (n.op == OP_ADD || n.op == OP_SUB) {
        const expr a = distribute(z, k, n.a, depth + 1), b = a ? distribute(z, k, n.b, depth + 1) : 0;
        return b ? made(z, taut_expr_binary(g, (op)n.op, a, b)) : 0;
    }
    if (n.op != OP_MUL) return 0;
    if (!taut_graph_node(g, n.a)->varies) return distribute(z, taut_expr_mul(g, k, n.a), n.b, depth + 1);
    const expr u = is_unknown(z->y, n.a) ? n.a : n.b, x = u == n.a ? n.b : n.a;
    return is_unknown(z->y, u) ? made(z, taut_expr_mul_apart(g, taut_expr_mul(g, k, u), z->image[x])) : 0;
}

static expr image_of(grouping *z, expr e)
{
    graph *g = z->y->g;
    const node n = *taut_graph_node(g, e);
    if (n.op == OP_VARIABLE || n.op == OP_CONSTANT || n.op == OP_PARAMETER) return e;
    const int two = !op_has_number((op)n.op) && taut_op_arity((op)n.op) == 2;
    expr grouped = 0;
    if (n.op == OP_MUL && n.varies) {
        grouped = group_outside(z, &n);
        if (!grouped && !taut_graph_node(g, n.a)->varies) grouped = distribute(z, n.a, n.b, 0);
    }
    if (grouped || z->failed) return grouped;
    const expr a = z->image[n.a], b = two ? z->image[n.b] : 0;
    if (a == n.a && (!two || b == n.b)) return e;
    if (n.op == OP_MUL && taut_graph_node(g, a)->varies && taut_graph_node(g, b)->varies)
        return taut_expr_mul_apart(g, a, b);
    return taut_expr_rebuild(g, &n, a, b);
}

int X(group_products)(symbols *y, const reduced_phase *p, const expr *list, size_t count, expr *out)
{
    const uint32_t nodes = taut_graph_count(y->g); /* those that are made meanwhile are not asked for */
    grouping z = { .y = y, .p = p };
    z.image = taut_mem_new(y->context, nodes, sizeof *z.image), z.inside = taut_mem_new(y->context, nodes, 1);
    expr *below;
    size_t found;
    int status = z.image && z.inside ? taut_expr_reachable(y->g, list, count, &below, &found) : TAUT_OUT_OF_MEMORY;
    if (!status) {
        for (size_t i = 0; !status && i < found; i++) {
            z.inside[below[i]] = (unsigned char)is_inside(&z, taut_graph_node(y->g, below[i]));
            z.image[below[i]] = image_of(&z, below[i]);
            if (!z.image[below[i]] || z.failed) status = TAUT_OUT_OF_MEMORY;
        }
        for (size_t i = 0; !status && i < count; i++) out[i] = z.image[list[i]];
        taut_expr_list_free(y->g, below);
    }
    taut_mem_free(y->context, z.image);
    taut_mem_free(y->context, z.inside);
    return status;
}
