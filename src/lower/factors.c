#include "lower/factors.h"

#include <string.h>

expr X(factor_split)(symbols *y, expr e, expr *k)
{
    const node *n = taut_graph_node(y->g, e);
    *k = y->one;
    if (n->op != OP_MUL || !n->varies || taut_graph_node(y->g, n->a)->varies) return e;
    *k = n->a;
    return n->b;
}

/* times: a constant; all: also of sums that it is multiplied with. */
static int list_all(symbols *y, expr e, expr times, int all, factor_terms *l)
{
    graph *g = y->g;
    if (!e || !times) return 0;
    const node n = *taut_graph_node(g, e);
    if (n.op == OP_NEG) return list_all(y, n.a, taut_expr_neg(g, times), all, l);
    if (n.varies && (n.op == OP_ADD || n.op == OP_SUB))
        return list_all(y, n.a, times, all, l) &&
               list_all(y, n.b, n.op == OP_SUB ? taut_expr_neg(g, times) : times, all, l);
    expr k = e, rest = y->one;
    if (n.varies) rest = X(factor_split)(y, e, &k);
    const expr constant = taut_expr_mul(g, times, k);
    if (all && rest != e && rest != y->one) return list_all(y, rest, constant, all, l);
    if (l->count == FACTOR_TERMS) return 0;
    l->terms[l->count++] = (factor_term){ constant, rest };
    return constant != 0;
}

int X(factor_list)(symbols *y, expr e, factor_terms *l) { return list_all(y, e, y->one, 0, l); }
int X(factor_list_all)(symbols *y, expr e, factor_terms *l) { return list_all(y, e, y->one, 1, l); }

/* Terms of a sum: constants k times what varies, with signs. */
enum { TERMS_MOST = 64 };
typedef struct {
    size_t count;
    struct {
        expr constant, rest;  /* rest 0: it has been taken in by another term */
        int negative;
    } terms[TERMS_MOST];
} sum_terms;

/* Constants that differ in sign alone are one. */
static expr without_sign(symbols *y, expr k, int *negative)
{
    graph *g = y->g;
    const node n = *taut_graph_node(g, k);
    const expr number = n.op == OP_CONSTANT ? k : n.op == OP_MUL ? n.a : 0;
    const int is_negative = n.op == OP_NEG || (number && taut_graph_node(g, number)->op == OP_CONSTANT &&
                                               taut_graph_constant(g, number) < 0);
    if (!is_negative) return k;
    *negative = !*negative;
    return n.op == OP_MUL ? taut_expr_mul(g, taut_expr_neg(g, number), n.b) : taut_expr_neg(g, k);
}

/* 0: there are too many, or one without a constant: sums of these are left as they are, for others have them, too, and
   because in places they end with what rounding left over. */
static int list_terms(symbols *y, expr e, int negative, sum_terms *s)
{
    const node n = *taut_graph_node(y->g, e);
    if (n.op == OP_NEG) return list_terms(y, n.a, !negative, s);
    if (n.varies && (n.op == OP_ADD || n.op == OP_SUB))
        return list_terms(y, n.a, negative, s) && list_terms(y, n.b, n.op == OP_SUB ? !negative : negative, s);
    if (s->count == TERMS_MOST) return 0;
    expr k, rest = X(factor_split)(y, e, &k);
    if (k == y->one) return 0;
    k = without_sign(y, k, &negative);
    s->terms[s->count].constant = k, s->terms[s->count].rest = rest, s->terms[s->count++].negative = negative;
    return k != 0;
}

static expr add_signed(symbols *y, expr a, expr b, int negative)
{
    return negative ? taut_expr_sub(y->g, a, b) : taut_expr_add(y->g, a, b);
}

expr X(factor_join)(symbols *y, op o, expr a, expr b)
{
    graph *g = y->g;
    sum_terms s = { .count = 0 };
    if (!a || !b) return 0;
    if (!list_terms(y, a, 0, &s) || !list_terms(y, b, o == OP_SUB, &s)) {
        expr k, l, rest_a = X(factor_split)(y, a, &k), rest_b = X(factor_split)(y, b, &l);
        return rest_a == rest_b ? taut_expr_mul(g, taut_expr_binary(g, o, k, l), rest_a) : taut_expr_binary(g, o, a, b);
    }
    expr sum = y->zero;
    for (int by_rest = 1; by_rest >= 0; by_rest--)
        for (size_t i = 0; i < s.count; i++)
            for (size_t k = i + 1; s.terms[i].rest && k < s.count; k++) {
                const int opposite = s.terms[i].negative != s.terms[k].negative;
                const expr constant = s.terms[i].constant, rest = s.terms[i].rest;
                if (!s.terms[k].rest || (by_rest ? rest != s.terms[k].rest : constant != s.terms[k].constant)) continue;
                if (by_rest)
                    s.terms[i].constant = add_signed(y, constant, s.terms[k].constant, opposite);
                else
                    s.terms[i].rest = add_signed(y, rest, s.terms[k].rest, opposite);
                s.terms[k].rest = 0;
                if (!s.terms[i].constant || !s.terms[i].rest) return 0;
            }
    for (size_t i = 0; sum && i < s.count; i++)
        if (s.terms[i].rest)
            sum = add_signed(y, sum, taut_expr_mul(g, s.terms[i].constant, s.terms[i].rest), s.terms[i].negative);
    return sum;
}

/* A product of constants: a number, and other factors with their exponents, ascending. */
enum { FACTORS_MOST = 16 };
typedef struct {
    wide number;
    int count;
    expr factors[FACTORS_MOST];
    int32_t exponents[FACTORS_MOST];
} monomial;

/* 0: there are too many factors. */
static int multiply_factor(monomial *m, expr e, int32_t exponent)
{
    int i = 0;
    while (i < m->count && m->factors[i] < e) i++;
    if (i == m->count || m->factors[i] != e) {
        if (m->count == FACTORS_MOST) return 0;
        memmove(m->factors + i + 1, m->factors + i, (size_t)(m->count - i) * sizeof *m->factors);
        memmove(m->exponents + i + 1, m->exponents + i, (size_t)(m->count - i) * sizeof *m->exponents);
        m->factors[i] = e, m->exponents[i] = 0, m->count++;
    }
    m->exponents[i] += exponent;
    return 1;
}

static int multiply(symbols *y, monomial *m, expr e, int32_t exponent)
{
    const node n = *taut_graph_node(y->g, e);
    if (n.op == OP_CONSTANT) {
        const wide number = taut_graph_constant(y->g, e);
        m->number = exponent > 0 ? m->number * number : m->number / number;
        return number != 0;
    }
    if (n.op == OP_NEG) {
        m->number = -m->number;
        return multiply(y, m, n.a, exponent);
    }
    if (n.op == OP_MUL) return multiply(y, m, n.a, exponent) && multiply(y, m, n.b, exponent);
    if (n.op == OP_DIV) return multiply(y, m, n.a, exponent) && multiply(y, m, n.b, -exponent);
    return multiply_factor(m, e, exponent);
}

expr X(factor_sort)(symbols *y, expr e)
{
    graph *g = y->g;
    monomial m = { .number = 1 };
    if (!e || !multiply(y, &m, e, 1)) return e;
    expr above = y->one, below = y->one;
    for (int i = 0; i < m.count; i++) {
        expr *to = m.exponents[i] > 0 ? &above : &below;
        for (int32_t k = m.exponents[i] > 0 ? m.exponents[i] : -m.exponents[i]; k > 0; k--)
            *to = taut_expr_mul(g, *to, m.factors[i]);
    }
    return taut_expr_mul(g, taut_expr_number(g, m.number), taut_expr_div(g, above, below));
}

int X(factor_condense)(symbols *y, expr *e)
{
    expr *list, *image;
    size_t count;
    uint32_t nodes = taut_graph_count(y->g);
    if (!*e) return TAUT_OUT_OF_MEMORY;
    int status = taut_expr_reachable(y->g, e, 1, &list, &count);
    if (status) return status;
    image = taut_mem_new(y->context, nodes, sizeof *image);
    for (size_t i = 0; image && i < count; i++) {
        node n = *taut_graph_node(y->g, list[i]);
        int leaf = n.op == OP_VARIABLE || n.op == OP_CONSTANT || n.op == OP_PARAMETER;
        int two = !leaf && !op_has_number((op)n.op) && taut_op_arity((op)n.op) == 2;
        expr a = leaf ? 0 : image[n.a], b = two ? image[n.b] : 0;
        image[list[i]] = leaf                                            ? list[i]
                         : (n.op == OP_ADD || n.op == OP_SUB) && a && b ? X(factor_join)(y, (op)n.op, a, b)
                                                                        : taut_expr_rebuild(y->g, &n, a, b);
        if (!n.varies && (n.op == OP_MUL || n.op == OP_DIV || n.op == OP_NEG))
            image[list[i]] = X(factor_sort)(y, image[list[i]]);
    }
    if (image) *e = image[*e];
    taut_expr_list_free(y->g, list);
    taut_mem_free(y->context, image);
    return image && *e ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}
