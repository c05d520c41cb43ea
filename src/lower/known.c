#include "lower/known.h"

/* ---- what is known ---- */

/* Is it a square, times a positive number? */
static int is_square(symbols *y, const factor_term *term)
{
    const node *n = taut_graph_node(y->g, term->rest), *k = taut_graph_node(y->g, term->constant);
    return n->op == OP_POWI && (int32_t)n->b % 2 == 0 && k->op == OP_CONSTANT
           && taut_graph_constant(y->g, term->constant) > 0;
}

/* g = constants + terms = 0. The sum of squares is its own size, which hides the sign of the constant: signs would
   cost. */
static int add_sum(symbols *y, known_sums *k, size_t *used, expr g)
{
    factor_terms l = { .count = 0 };
    known_sum *to = &k->sums[k->count];
    if (!X(factor_list)(y, g, &l)) return TAUT_OK;
    *to = (known_sum){ k->terms + *used, 0, y->zero };
    int squares = 1;
    for (size_t i = 0; i < l.count; i++) {
        squares = squares && (l.terms[i].rest == y->one || is_square(y, &l.terms[i]));
        if (l.terms[i].rest == y->one)
            to->value = taut_expr_sub(y->g, to->value, l.terms[i].constant);
        else
            k->terms[*used + to->count++] = l.terms[i];
    }
    if (squares && to->value && to->value != y->zero) to->value = taut_expr_unary(y->g, OP_ABS, to->value);
    if (!to->value) return TAUT_OUT_OF_MEMORY;
    *used += to->count;
    if (to->count) k->count++;
    return TAUT_OK;
}

static int add_place(symbols *y, int condensed, known_sums *k, size_t *used, int place)
{
    const uint32_t c = y->s->c;
    expr *g = X(symbol_new)(y, c);
    if (!g) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < c; i++) g[i] = y->zero;
    X(symbol_function)(y, STEP_G, place, NULL, g);
    int status = y->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
    for (uint32_t i = 0; !status && i < c; i++) {
        if (condensed) status = X(factor_condense)(y, &g[i]);
        if (!status) status = add_sum(y, k, used, g[i]);
    }
    return status;
}

/* The places where g = 0 is known, at most `most`. */
static int list_places(const step_table *t, int phase, int *places, int most)
{
    int count = 0;
    for (int i = 0; i < t->term_count && count < most; i++) {
        const step_term *term = &t->terms[i];
        if (term->equation >= 0 && term->function == STEP_G && t->equations[term->equation].phase < phase)
            places[count++] = term->place;
    }
    return count;
}

int X(known_find)(symbols *y, int phase, int condensed, known_sums *k)
{
    int places[STEP_PLACES], status = TAUT_OK;
    size_t used = 0;
    *k = (known_sums){ 0 };
    const int count = y->s->c ? list_places(y->table, phase, places, STEP_PLACES) : 0;
    if (!count) return TAUT_OK;
    const size_t all = (size_t)count * y->s->c;
    k->sums = taut_mem_new(y->context, all, sizeof *k->sums);
    k->terms = taut_mem_new(y->context, all * FACTOR_TERMS, sizeof *k->terms);
    if (!k->sums || !k->terms) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < count; i++) status = add_place(y, condensed, k, &used, places[i]);
    return status;
}

void X(known_clear)(symbols *y, known_sums *k)
{
    taut_mem_free(y->context, k->sums);
    taut_mem_free(y->context, k->terms);
    *k = (known_sums){ 0 };
}

/* ---- where it stands ---- */

static size_t find_rest(const factor_terms *l, expr rest)
{
    size_t i = 0;
    while (i < l->count && l->terms[i].rest != rest) i++;
    return i;
}

/* Are all terms of the sum among those of l, times one constant? Returns it, and their rests are zero then; 0: no. */
static expr take_out(symbols *y, const known_sum *s, factor_terms *l)
{
    size_t at[FACTOR_TERMS] = { 0 };
    expr factor = 0;
    for (size_t i = 0; i < s->count; i++) {
        at[i] = find_rest(l, s->terms[i].rest);
        if (at[i] == l->count) return 0;
    }
    for (size_t i = 0; i < s->count; i++) {
        const expr ratio = taut_expr_div(y->g, l->terms[at[i]].constant, s->terms[i].constant);
        const expr sorted = X(factor_sort)(y, ratio);
        y->failed |= !sorted;
        if (!sorted || (factor && sorted != factor)) return 0;
        factor = sorted;
    }
    for (size_t i = 0; i < s->count; i++) l->terms[at[i]].rest = 0;
    return factor;
}

/* A sum of which all that is known has been replaced, or the sum itself. */
static expr with_known(symbols *y, const known_sums *k, expr e)
{
    graph *g = y->g;
    factor_terms l = { .count = 0 };
    expr sum = 0;
    if (!X(factor_list)(y, e, &l)) return e;
    for (size_t i = 0; i < k->count; i++) {
        const expr factor = take_out(y, &k->sums[i], &l);
        if (factor) sum = taut_expr_add(g, sum ? sum : y->zero, taut_expr_mul(g, factor, k->sums[i].value));
        y->failed |= factor && !sum;
    }
    if (!sum) return y->failed ? 0 : e;
    for (size_t i = 0; i < l.count; i++)
        if (l.terms[i].rest) sum = taut_expr_add(g, sum, taut_expr_mul(g, l.terms[i].constant, l.terms[i].rest));
    return sum;
}

static expr replace(symbols *y, const known_sums *k, expr e, int depth);

enum { DEEP_MOST = 100 };

/* The same in sums that are multiplied by constants within e. */
static expr replace_within(symbols *y, const known_sums *k, expr e, int depth)
{
    graph *g = y->g;
    if (!e || depth == DEEP_MOST) return e;
    const node n = *taut_graph_node(g, e);
    if (!n.varies) return e;
    if (n.op == OP_NEG) return taut_expr_neg(g, replace_within(y, k, n.a, depth + 1));
    if (n.op == OP_MUL && !taut_graph_node(g, n.a)->varies) {
        const expr b = replace(y, k, n.b, depth + 1);
        return b == n.b ? e : taut_expr_mul(g, n.a, b);
    }
    if (n.op != OP_ADD && n.op != OP_SUB) return e;
    const expr a = replace_within(y, k, n.a, depth + 1), b = replace_within(y, k, n.b, depth + 1);
    return a == n.a && b == n.b ? e : taut_expr_binary(g, (op)n.op, a, b);
}

static expr replace(symbols *y, const known_sums *k, expr e, int depth)
{
    return replace_within(y, k, with_known(y, k, e), depth);
}

int X(known_replace)(symbols *y, const known_sums *k, expr *e)
{
    if (k->count) *e = replace(y, k, *e, 0);
    return *e && !y->failed ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}
