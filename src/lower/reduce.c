#include "lower/reduce_inside.h"

#include <string.h>

#include "expr/call.h"
#include "lower/factors.h"

/* An explicit unknown is kept where its replacement would fill the other equations more than that. */
enum { SPREAD_MOST = 36 };

/* Multipliers of a phase that is corrected twice with a matrix. */
enum { TWICE_MOST = 16 };

enum { EXPAND_MOST = 2 }; /* unknowns in which equations of degree 2 are written out: more have too many products */

/* Or not straight-line code: a function of the user. */
static int too_large(const symbols *y) { return taut_graph_count(y->g) > y->nodes_most || taut_graph_has_calls(y->g); }

void X(reduced_clear)(symbols *y, reduced_phase *p)
{
    void *all[] = { p->equations, p->guesses, p->is_explicit, p->left,   p->residual,
                    p->change,    p->second,  p->weights,     p->checks, p->further, p->slopes,
                    p->matrix };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) taut_mem_free(y->context, all[i]);
    X(known_clear)(y, &p->known);
    *p = (reduced_phase){ 0 };
}

expr X(reduce_leaf)(symbols *y, const reduced_phase *p, size_t i)
{
    return taut_expr_variable(y->g, (kind)LEAF_UNKNOWN, (uint32_t)(p->first + i));
}

/* ---- the equations of the phase ---- */

static int create(symbols *y, int phase, reduced_phase *p)
{
    const step_table *t = y->table;
    *p = (reduced_phase){ .first = SIZE_MAX };
    for (int g = t->group_count; g-- > 0;)
        if (t->groups[g].phase == phase) p->first = y->offsets[g], p->count += X(symbol_vector_length)(y, g);
    if (!p->count) p->first = 0;
    size_t room = p->count + 1;
    p->equations = taut_mem_new(y->context, room, sizeof *p->equations);
    p->guesses = taut_mem_new(y->context, room, sizeof *p->guesses);
    p->is_explicit = taut_mem_new(y->context, room, 1);
    p->left = taut_mem_new(y->context, room, sizeof *p->left);
    p->checks = taut_mem_new(y->context, room, sizeof *p->checks);
    return p->equations && p->guesses && p->is_explicit && p->left && p->checks ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int write_equations(symbols *y, int phase, reduced_phase *p)
{
    const step_table *t = y->table;
    size_t row = 0;
    for (size_t i = 0; i < p->count; i++) p->equations[i] = y->zero;
    for (int e = 0; e < t->equation_count; e++) {
        step_size size = t->equations[e].size;
        if (t->equations[e].phase != phase) continue;
        X(symbol_terms)(y, e, NULL, p->equations + row);
        row += size == STEP_N ? y->s->n : size == STEP_C ? y->s->c : y->s->embedded;
    }
    if (row != p->count) return TAUT_UNSUPPORTED;
    for (int g = 0; g < t->group_count; g++)
        if (t->groups[g].phase == phase)
            X(symbol_sum)(y, &t->groups[g].guess, X(symbol_vector_length)(y, g),
                          p->guesses + (y->offsets[g] - p->first));
    return y->failed ? TAUT_OUT_OF_MEMORY : too_large(y) ? TAUT_UNSUPPORTED : TAUT_OK;
}

step_size X(reduce_size)(const symbols *y, const reduced_phase *p, size_t i)
{
    int g = 0;
    while (y->offsets[g + 1] <= p->first + i) g++;
    return y->table->groups[g].size;
}

/* ---- degrees ---- */

static int least(int a, int b) { return a < b ? a : b; }

/* The degree of a node in the unknowns of the phase, from those of its operands. */
static int degree_of(const node *n, int a, int b)
{
    switch ((op)n->op) {
    case OP_NEG: return a;
    case OP_ADD: case OP_SUB: return a > b ? a : b;
    case OP_MUL: return least(a + b, NO_POLYNOMIAL);
    case OP_DIV: return b ? NO_POLYNOMIAL : a;
    case OP_POWI: return !a ? 0 : (int32_t)n->b < 0 ? NO_POLYNOMIAL : least(a * least((int32_t)n->b, 3), NO_POLYNOMIAL);
    case OP_POW:
    CASE_LEAVES
    CASE_CALLS
    CASE_FUNCTIONS break;
    }
    return a || b ? NO_POLYNOMIAL : 0;
}

/* The degree of node n in unknowns [first, first + some) of all, from those of other nodes. */
static unsigned char degree_at(const node *n, const unsigned char *degree, size_t first, size_t some)
{
    if (n->op == OP_VARIABLE) return n->b == (uint32_t)LEAF_UNKNOWN && n->a >= first && n->a < first + some;
    if (n->op == OP_CONSTANT) return 0;
    const int two = !op_has_number((op)n->op) && taut_op_arity((op)n->op) == 2;
    return (unsigned char)degree_of(n, degree[n->a], two ? degree[n->b] : 0);
}

int X(reduce_degree)(symbols *y, const reduced_phase *p, expr e, size_t first, size_t some, int *found)
{
    expr *list;
    size_t count;
    first += p->first;
    unsigned char *degree = taut_mem_new(y->context, taut_graph_count(y->g), 1);
    int status = degree ? taut_expr_reachable(y->g, &e, 1, &list, &count) : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        const node *n = taut_graph_node(y->g, list[i]);
        degree[list[i]] = degree_at(n, degree, first, some);
    }
    if (!status) *found = degree[e], taut_expr_list_free(y->g, list);
    taut_mem_free(y->context, degree);
    return status;
}

static int is_zero(symbols *y, expr e) { return e == y->zero; }

/* ---- explicit unknowns ---- */

/* A constant of parameters and h, with the values of today and a step of about a thousandth: is it there at all? */
static wide lookup_constant(void *user, op o, kind k, uint32_t index)
{
    symbols *y = user;
    (void)o, (void)k;
    if (index < y->constant_count) return (wide)y->s->constants[index];
    index -= y->constant_count;
    if (index < y->other_count) return (wide)X(field_constants)(y->table->energy)[index];
    index -= y->other_count;
    return index ? (wide)X(symbol_given_value)(y->s, index - 1) : (wide)0x1p-10;
}

int X(reduce_is_usable)(symbols *y, expr coefficient, int *usable)
{
    wide value = 0;
    *usable = 0;
    if (!coefficient) return TAUT_OUT_OF_MEMORY;
    if (!taut_expr_is_constant(y->g, coefficient)) return TAUT_OK;
    int status = taut_expr_value(y->g, coefficient, lookup_constant, y, &value);
    *usable = value != 0 && value - value == 0;
    y->is_picky |= !*usable;
    return status;
}

int X(reduce_mark)(symbols *y, const reduced_phase *p, expr e, unsigned char *mark)
{
    expr *list;
    size_t count;
    int status = taut_expr_reachable(y->g, &e, 1, &list, &count);
    if (status) return status;
    memset(mark, 0, p->count);
    for (size_t i = 0; i < count; i++) {
        const node *n = taut_graph_node(y->g, list[i]);
        if (n->op == OP_VARIABLE && n->b == (uint32_t)LEAF_UNKNOWN && n->a >= p->first && n->a < p->first + p->count)
            mark[n->a - p->first] = 1;
    }
    taut_expr_list_free(y->g, list);
    return TAUT_OK;
}

/* A round of explicit unknowns: equation i gives unknown i, and none of the others of the round. Multipliers are never
   made explicit, though an equation of a linear constraint may give one: its coefficient is h^2, and the multiplier
   would bring the rounding error of positions, divided by h^2, into all equations in every iteration. */
typedef struct {
    expr *leaves, *values;
    size_t count;
    unsigned char *chosen, *needed;   /* needed: occur in an equation of the round */
    unsigned char *in;                /* [i, k]: unknown k occurs in equation i */
} explicit_round;

static int find_occurrences(symbols *y, const reduced_phase *p, explicit_round *r)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < p->count; i++)
        if (!p->is_explicit[i]) status = X(reduce_mark)(y, p, p->equations[i], r->in + i * p->count);
    return status;
}

/* What becomes of the others when unknown i is replaced: so many unknowns come into so many equations. */
static size_t spread(const reduced_phase *p, const explicit_round *r, size_t i)
{
    size_t unknowns = 0, equations = 0;
    for (size_t k = 0; k < p->count; k++) {
        unknowns += k != i && r->in[i * p->count + k];
        equations += k != i && !p->is_explicit[k] && r->in[k * p->count + i];
    }
    return unknowns * equations;
}

static int choose_explicit(symbols *y, reduced_phase *p, explicit_round *r)
{
    r->count = 0;
    memset(r->chosen, 0, p->count);
    memset(r->needed, 0, p->count);
    int status = find_occurrences(y, p, r);
    for (size_t i = 0; !status && i < p->count; i++) {
        const unsigned char *in = r->in + i * p->count;
        int clear = in[i];
        if (p->is_explicit[i] || r->needed[i] || X(reduce_size)(y, p, i) == STEP_C) continue;
        if (spread(p, r, i) > SPREAD_MOST) continue;
        for (size_t k = 0; k < p->count; k++) clear = clear && !(in[k] && r->chosen[k]);
        if (!clear) continue;
        expr leaf = X(reduce_leaf)(y, p, i), slope = taut_expr_derivative(y->g, p->equations[i], leaf);
        int degree = 0;
        status = X(reduce_is_usable)(y, slope, &clear);
        if (!status && clear) status = X(reduce_degree)(y, p, p->equations[i], i, 1, &degree);
        if (status) return status;
        if (!clear || degree != 1) continue;
        expr others = taut_expr_substitute(y->g, p->equations[i], &leaf, &y->zero, 1);
        expr value = taut_expr_neg(y->g, taut_expr_div(y->g, others, slope));
        if (!value) return TAUT_OUT_OF_MEMORY;
        r->chosen[i] = 1;
        for (size_t k = 0; k < p->count; k++) r->needed[k] |= in[k];
        r->leaves[r->count] = leaf, r->values[r->count++] = value;
    }
    return status;
}

static int replace(symbols *y, expr *e, const explicit_round *r)
{
    *e = taut_expr_substitute(y->g, *e, r->leaves, r->values, r->count);
    return *e ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int apply_round(symbols *y, reduced_phase *p, const explicit_round *r)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < p->count; i++) {
        if (r->chosen[i]) p->is_explicit[i] = 1;
        if (!p->is_explicit[i]) status = replace(y, &p->equations[i], r);
        if (!status) status = replace(y, &y->unknowns[p->first + i], r);
        if (!status && too_large(y)) status = TAUT_UNSUPPORTED;
    }
    return status;
}

static int solve_explicit(symbols *y, reduced_phase *p)
{
    size_t room = p->count + 1;
    explicit_round r = { .leaves = taut_mem_new(y->context, room, sizeof(expr)),
                         .values = taut_mem_new(y->context, room, sizeof(expr)),
                         .chosen = taut_mem_new(y->context, 2 * room, 1),
                         .in = taut_mem_new(y->context, mem_product(room, room), 1) };
    int status = r.leaves && r.values && r.chosen && r.in ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) r.needed = r.chosen + room;
    do {
        if (!status) status = choose_explicit(y, p, &r);
        if (!status && r.count) status = apply_round(y, p, &r);
    } while (!status && r.count);
    taut_mem_free(y->context, r.leaves);
    taut_mem_free(y->context, r.values);
    taut_mem_free(y->context, r.chosen);
    taut_mem_free(y->context, r.in);
    return status;
}

/* ---- few equations of degree 2 ---- */

/* A coefficient of the unknowns, with what the constraints say of it. */
static int replace_known(symbols *y, const reduced_phase *p, expr *e)
{
    int status = *e ? X(factor_condense)(y, e) : TAUT_OUT_OF_MEMORY;
    return status ? status : X(known_replace)(y, &p->known, e);
}

/* *e as c + sum b_i x_i + sum a_ij x_i x_j in the unknowns that are left: the coefficients do not depend on them, and
   an iteration has little to do. As it is where it is no such polynomial. Factors are taken out of sums: nothing is
   added up from these coefficients. (Of momenta they must not be: h (f + g) is not the opposite of -h f to the last
   bit.) */
static int expand(symbols *y, const reduced_phase *p, expr *e)
{
    graph *g = y->g;
    expr leaves[EXPAND_MOST], zeros[EXPAND_MOST], slopes[EXPAND_MOST];
    int degree = 0, status = X(reduce_degree)(y, p, *e, 0, p->count, &degree);
    if (status || degree == NO_POLYNOMIAL) return status;
    for (uint32_t i = 0; i < p->size; i++) leaves[i] = X(reduce_leaf)(y, p, p->left[i]), zeros[i] = y->zero;
    status = taut_expr_gradient(g, *e, leaves, p->size, slopes);
    expr sum = status ? 0 : taut_expr_substitute(g, *e, leaves, zeros, p->size);
    for (uint32_t i = 0; !status && i < p->size; i++) {
        expr second[EXPAND_MOST], inner = y->zero;
        status = taut_expr_gradient(g, slopes[i], leaves, p->size, second);
        for (uint32_t k = i; !status && k < p->size; k++) {
            status = replace_known(y, p, &second[k]);
            expr factor = k == i ? taut_expr_mul(g, taut_expr_number(g, (wide)0.5), second[k]) : second[k];
            inner = taut_expr_add(g, inner, taut_expr_mul(g, factor, leaves[k]));
        }
        expr slope = taut_expr_substitute(g, slopes[i], leaves, zeros, p->size);
        if (!status) status = replace_known(y, p, &slope);
        inner = taut_expr_add(g, inner, slope); /* what is found last is added last */
        sum = taut_expr_add(g, sum, taut_expr_mul(g, leaves[i], inner));
    }
    if (!status) status = X(factor_condense)(y, &sum);
    if (!status) *e = sum;
    return status;
}

static int expand_left(symbols *y, reduced_phase *p)
{
    int status = TAUT_OK;
    for (uint32_t i = 0; !status && p->only_multipliers && p->size <= EXPAND_MOST && i < p->size; i++)
        status = expand(y, p, &p->residual[i]);
    return status;
}

/* ---- Newton's matrix, and its elimination ---- */

int X(reduce_elimination)(symbols *y, uint32_t count, elimination *m)
{
    const size_t size = count;
    *m = (elimination){ .size = count,
                        .a = taut_mem_new(y->context, mem_product(size, size) + 1, sizeof(expr)),
                        .row = taut_mem_new(y->context, 2 * size + 1, sizeof(uint32_t)),
                        .row_done = taut_mem_new(y->context, 3 * size + 1, 1),
                        .right = taut_mem_new(y->context, 2 * size + 1, sizeof(expr)) };
    if (!m->a || !m->row || !m->row_done || !m->right) return TAUT_OUT_OF_MEMORY;
    m->column = m->row + size;
    m->column_done = m->row_done + size, m->late = m->column_done + size;
    return TAUT_OK;
}

void X(reduce_elimination_clear)(symbols *y, elimination *m)
{
    taut_mem_free(y->context, m->a);
    taut_mem_free(y->context, m->row);
    taut_mem_free(y->context, m->row_done);
    taut_mem_free(y->context, m->right);
}

static expr *entry(const elimination *m, uint32_t i, uint32_t j) { return &m->a[(size_t)i * m->size + j]; }

/* Entries left in a row (or column) besides one. */
static uint32_t others(symbols *y, const elimination *m, uint32_t at, int by_row)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < m->size; k++) {
        int gone = by_row ? m->column_done[k] : m->row_done[k];
        if (!gone && !is_zero(y, by_row ? *entry(m, at, k) : *entry(m, k, at))) count++;
    }
    return count - 1;
}

/* The next pivot: on the diagonal, where mass matrices and their Schur complements are, multipliers last, with the
   least fill; another entry only if there is none. */
static int choose_pivot(symbols *y, const elimination *m, uint32_t *row, uint32_t *column)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < m->size; i++) {
        if (m->row_done[i] || m->column_done[i] || is_zero(y, *entry(m, i, i))) continue;
        uint64_t cost = (uint64_t)others(y, m, i, 1) * others(y, m, i, 0) + (m->late[i] ? (uint64_t)1 << 40 : 0);
        if (cost < best) best = cost, *row = *column = i;
    }
    for (uint32_t i = 0; best == UINT64_MAX && i < m->size; i++)
        for (uint32_t j = 0; !m->row_done[i] && j < m->size; j++) {
            if (m->column_done[j] || is_zero(y, *entry(m, i, j))) continue;
            best = 0, *row = i, *column = j;
            break;
        }
    return best != UINT64_MAX;
}

/* One column of the elimination. Factors stand where zeros would be. */
static int eliminate_one(symbols *y, elimination *m, uint32_t row, uint32_t column)
{
    graph *g = y->g;
    expr inverse = taut_expr_div(g, y->one, *entry(m, row, column));
    for (uint32_t i = 0; i < m->size; i++) {
        if (m->row_done[i] || i == row || is_zero(y, *entry(m, i, column))) continue;
        expr factor = taut_expr_mul_reciprocal(g, *entry(m, i, column), inverse);
        for (uint32_t j = 0; j < m->size; j++) {
            if (m->column_done[j] || j == column || is_zero(y, *entry(m, row, j))) continue;
            *entry(m, i, j) = taut_expr_sub(g, *entry(m, i, j), taut_expr_mul(g, factor, *entry(m, row, j)));
        }
        *entry(m, i, column) = factor;
    }
    *entry(m, row, column) = inverse;
    return !inverse ? TAUT_OUT_OF_MEMORY : too_large(y) ? TAUT_UNSUPPORTED : TAUT_OK;
}

void X(reduce_check)(symbols *y, reduced_phase *p, expr pivot, expr was)
{
    if (!pivot) return; /* out of memory, which is noticed later */
    node n = *taut_graph_node(y->g, pivot);
    expr reference = !is_zero(y, was) ? was : n.op == OP_SUB || n.op == OP_ADD ? n.b : pivot;
    /* a mass matrix that stands alone is not known to be regular, but for its diagonal */
    if (taut_expr_is_constant(y->g, pivot) && (!p->is_rough || pivot == was)) return;
    for (uint32_t i = 0; i < p->check_count; i++)
        if (p->checks[i].pivot == pivot && p->checks[i].reference == reference) return;
    p->checks[p->check_count++] = (pivot_check){ pivot, reference };
}

int X(reduce_eliminate)(symbols *y, reduced_phase *p, elimination *m, const expr *diagonal)
{
    for (uint32_t k = 0; k < m->size; k++) {
        uint32_t row = 0, column = 0;
        if (!choose_pivot(y, m, &row, &column)) return TAUT_UNSUPPORTED;
        X(reduce_check)(y, p, *entry(m, row, column), row == column ? diagonal[row] : y->zero);
        int status = eliminate_one(y, m, row, column);
        if (status) return status;
        m->row[k] = row, m->column[k] = column;
        m->row_done[row] = m->column_done[column] = 1;
    }
    return TAUT_OK;
}

int X(reduce_substitute)(symbols *y, const elimination *m, expr *right, expr *out)
{
    graph *g = y->g;
    for (uint32_t k = 0; k < m->size; k++)
        for (uint32_t l = k + 1; l < m->size; l++) {
            expr factor = *entry(m, m->row[l], m->column[k]);
            if (!is_zero(y, factor))
                right[m->row[l]] = taut_expr_sub(g, right[m->row[l]], taut_expr_mul(g, factor, right[m->row[k]]));
        }
    for (uint32_t k = m->size; k-- > 0;) {
        expr sum = right[m->row[k]];
        for (uint32_t l = k + 1; l < m->size; l++) {
            expr a = *entry(m, m->row[k], m->column[l]);
            if (!is_zero(y, a)) sum = taut_expr_sub(g, sum, taut_expr_mul(g, a, out[m->column[l]]));
        }
        out[m->column[k]] = taut_expr_mul_reciprocal(g, sum, *entry(m, m->row[k], m->column[k]));
        if (!out[m->column[k]]) return TAUT_OUT_OF_MEMORY;
    }
    return too_large(y) ? TAUT_UNSUPPORTED : TAUT_OK;
}

static int write_matrix(symbols *y, reduced_phase *p, elimination *m, expr *diagonal)
{
    expr *leaves = taut_mem_new(y->context, m->size + 1, sizeof *leaves);
    int status = leaves ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < m->size; i++) leaves[i] = X(reduce_leaf)(y, p, p->left[i]);
    for (uint32_t i = 0; !status && i < m->size; i++) {
        if (p->matrix)
            memcpy(entry(m, i, 0), p->matrix + (size_t)i * m->size, m->size * sizeof *p->matrix);
        else
            status = taut_expr_gradient(y->g, p->residual[i], leaves, m->size, entry(m, i, 0));
        for (uint32_t k = 0; !status && p->only_multipliers && m->size > EXPAND_MOST && k < m->size; k++)
            status = X(known_replace)(y, &p->known, entry(m, i, k));
        m->right[i] = taut_expr_variable(y->g, (kind)LEAF_RIGHT, i);
        m->late[i] = X(reduce_size)(y, p, p->left[i]) == STEP_C;
        if (!status && too_large(y)) status = TAUT_UNSUPPORTED;
    }
    if (!status) status = X(reduce_rough)(y, p, m->a);
    for (uint32_t i = 0; !status && i < m->size; i++) diagonal[i] = *entry(m, i, i);
    taut_mem_free(y->context, leaves);
    return status;
}

/* Two equations by their determinant: one division instead of two, one after the other. */
static int invert_two(symbols *y, reduced_phase *p, elimination *m)
{
    graph *g = y->g;
    expr a = *entry(m, 0, 0), b = *entry(m, 0, 1), c = *entry(m, 1, 0), d = *entry(m, 1, 1);
    expr ad = taut_expr_mul(g, a, d), bc = taut_expr_mul(g, b, c), determinant = taut_expr_sub(g, ad, bc);
    m->inverse = taut_expr_div(g, y->one, determinant);
    if (!m->inverse) return TAUT_OUT_OF_MEMORY;
    if (is_zero(y, determinant)) return TAUT_UNSUPPORTED;
    X(reduce_check)(y, p, determinant, is_zero(y, ad) ? bc : ad);
    return TAUT_OK;
}

static int solve_two(symbols *y, const elimination *m, const expr *right, expr *out)
{
    graph *g = y->g;
    expr a = *entry(m, 0, 0), b = *entry(m, 0, 1), c = *entry(m, 1, 0), d = *entry(m, 1, 1), r = right[0], s = right[1];
    expr top = taut_expr_sub(g, taut_expr_mul(g, r, d), taut_expr_mul(g, s, b));
    out[0] = taut_expr_mul_reciprocal(g, top, m->inverse);
    top = taut_expr_sub(g, taut_expr_mul(g, s, a), taut_expr_mul(g, r, c));
    out[1] = taut_expr_mul_reciprocal(g, top, m->inverse);
    return out[0] && out[1] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int solve(symbols *y, const elimination *m, expr *right, expr *out)
{
    return m->size == 2 ? solve_two(y, m, right, out) : X(reduce_substitute)(y, m, right, out);
}

/* ---- a second correction ---- */

/* Nodes with the unknowns replaced by their corrections: what is of degree 1 and what is of degree 2 in these. */
typedef struct {
    expr *linear, *square;
    unsigned char *degree;
} leading_parts;

/* Those of a node, from those of its operands: of degree 2 in all, so that a product has at most one operand of degree
   2, whose other operand does not depend on the unknowns. */
static void lead(symbols *y, expr e, const leading_parts *l)
{
    graph *g = y->g;
    node n = *taut_graph_node(g, e);
    const expr zero = y->zero, a1 = l->linear[n.a], a2 = l->square[n.a];
    expr *to1 = &l->linear[e], *to2 = &l->square[e];
    *to1 = *to2 = zero;
    switch ((op)n.op) {
    case OP_NEG:
        *to1 = taut_expr_neg(g, a1), *to2 = taut_expr_neg(g, a2);
        break;
    case OP_ADD: case OP_SUB:
        *to1 = taut_expr_binary(g, (op)n.op, a1, l->linear[n.b]);
        *to2 = taut_expr_binary(g, (op)n.op, a2, l->square[n.b]);
        break;
    case OP_MUL:
        if (l->degree[n.a] == 1 && l->degree[n.b] == 1)
            *to2 = taut_expr_mul(g, a1, l->linear[n.b]);
        else if (l->degree[n.a])
            *to1 = taut_expr_mul(g, a1, n.b), *to2 = taut_expr_mul(g, a2, n.b);
        else
            *to1 = taut_expr_mul(g, n.a, l->linear[n.b]), *to2 = taut_expr_mul(g, n.a, l->square[n.b]);
        break;
    case OP_DIV:
        *to1 = taut_expr_div(g, a1, n.b), *to2 = taut_expr_div(g, a2, n.b);
        break;
    case OP_POWI:
        *to2 = taut_expr_powi(g, a1, 2);
        break;
    case OP_POW:
    CASE_LEAVES
    CASE_CALLS
    CASE_FUNCTIONS break; /* of nothing that depends on the unknowns */
    }
}

/* right[i] := the part of residual i that is of degree 2, at the corrections. */
static int find_squares(symbols *y, const reduced_phase *p, expr *right)
{
    expr *list;
    size_t count, nodes = taut_graph_count(y->g);
    leading_parts l = { taut_mem_new(y->context, nodes, sizeof(expr)), taut_mem_new(y->context, nodes, sizeof(expr)),
                        taut_mem_new(y->context, nodes, 1) };
    int status = l.linear && l.square && l.degree ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_expr_reachable(y->g, p->residual, p->size, &list, &count);
    for (size_t i = 0; !status && i < count; i++) {
        const expr e = list[i];
        const node n = *taut_graph_node(y->g, e);
        l.degree[e] = degree_at(&n, l.degree, p->first, p->count);
        if (l.degree[e] && n.op != OP_VARIABLE)
            lead(y, e, &l);
        else
            l.linear[e] = l.square[e] = y->zero;
        if (!l.linear[e] || !l.square[e]) status = TAUT_OUT_OF_MEMORY;
        for (uint32_t k = 0; l.degree[e] && n.op == OP_VARIABLE && k < p->size; k++)
            if (p->left[k] + p->first == n.a) l.linear[e] = p->change[k];
    }
    for (uint32_t i = 0; !status && i < p->size; i++) right[i] = l.square[p->residual[i]];
    if (l.linear && l.square && l.degree) taut_expr_list_free(y->g, list);
    taut_mem_free(y->context, l.linear);
    taut_mem_free(y->context, l.square);
    taut_mem_free(y->context, l.degree);
    return status;
}

/* The coefficients of x x, x y and y y in a residual of two unknowns. */
static int find_quadratic(symbols *y, const reduced_phase *p, expr residual, expr out[3])
{
    graph *g = y->g;
    const expr leaves[] = { X(reduce_leaf)(y, p, p->left[0]), X(reduce_leaf)(y, p, p->left[1]) };
    const expr half = taut_expr_number(g, (wide)0.5);
    expr slopes[2], by_first[2], by_second[2];
    int status = taut_expr_gradient(g, residual, leaves, 2, slopes);
    if (!status) status = taut_expr_gradient(g, slopes[0], leaves, 2, by_first);
    if (!status) status = taut_expr_gradient(g, slopes[1], leaves, 2, by_second);
    if (status) return status;
    out[0] = taut_expr_mul(g, half, by_first[0]), out[1] = by_first[1], out[2] = taut_expr_mul(g, half, by_second[1]);
    for (int i = 0; !status && i < 3; i++) status = out[i] ? X(factor_condense)(y, &out[i]) : TAUT_OUT_OF_MEMORY;
    return status;
}

/* The part of degree 2 of two residuals, at e: out[k] = e0 (of[k][0] e0 + of[k][1] e1) + of[k][2] e1^2. */
static void square_two(symbols *y, const expr of[2][3], const expr *e, expr *out)
{
    graph *g = y->g;
    const expr square = taut_expr_mul(g, e[1], e[1]);
    for (int k = 0; k < 2; k++) {
        const expr sum = taut_expr_add(g, taut_expr_mul(g, of[k][0], e[0]), taut_expr_mul(g, of[k][1], e[1]));
        out[k] = taut_expr_add(g, taut_expr_mul(g, of[k][2], square), taut_expr_mul(g, e[0], sum));
    }
}

/* Its slope at e: out[k][i] = d square[k] / d e[i]. Twice a number is added twice: sums take products in, and one of
   these sums is there already. */
static void slope_two(symbols *y, const expr of[2][3], const expr *e, expr out[2][2])
{
    graph *g = y->g;
    for (int k = 0; k < 2; k++) {
        const expr first = taut_expr_mul(g, of[k][0], e[0]), last = taut_expr_mul(g, of[k][2], e[1]);
        out[k][0] = taut_expr_add(g, taut_expr_add(g, first, taut_expr_mul(g, of[k][1], e[1])), first);
        out[k][1] = taut_expr_add(g, taut_expr_add(g, last, taut_expr_mul(g, of[k][1], e[0])), last);
    }
}

static void times_two(symbols *y, const expr a[2][2], const expr *x, expr *out)
{
    for (int k = 0; k < 2; k++)
        out[k] = taut_expr_add(y->g, taut_expr_mul(y->g, a[k][0], x[0]), taut_expr_mul(y->g, a[k][1], x[1]));
}

/* The corrections for the part k x of two right-hand sides, with one x that varies: (k0 d - k1 b) (x/determinant) and
   its like, so that what waits for the division is short. */
static int solve_two_alike(symbols *y, const elimination *m, const expr *right, expr *out)
{
    graph *g = y->g;
    expr k, l, x = X(factor_split)(y, right[0], &k);
    if (x != X(factor_split)(y, right[1], &l) || !taut_graph_node(g, x)->varies) return solve_two(y, m, right, out);
    const expr a = *entry(m, 0, 0), b = *entry(m, 0, 1), c = *entry(m, 1, 0), d = *entry(m, 1, 1);
    const expr part = taut_expr_mul_reciprocal(g, x, m->inverse);
    out[0] = taut_expr_mul(g, taut_expr_sub(g, taut_expr_mul(g, k, d), taut_expr_mul(g, l, b)), part);
    out[1] = taut_expr_mul(g, taut_expr_sub(g, taut_expr_mul(g, l, a), taut_expr_mul(g, k, c)), part);
    return out[0] && out[1] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* One correction after the second, where that is enough. With J d = residual and J y = square(d) two corrections leave
   square(d + y) - square(d), which is slope(d) y but for far less: the correction after this one would be four times as
   large as that. */
static int correct_once(symbols *y, const reduced_phase *p, const elimination *m, const expr of[2][3], expr *sum)
{
    expr slope[2][2], right[2];
    slope_two(y, of, p->change, slope);
    times_two(y, (const expr(*)[2])slope, p->second, right);
    return solve_two(y, m, right, sum);
}

/* Three of them, where one would not be enough. With form = J^-1 square, the corrections so far are e = d + form(d).
   What is left is y = form(e + y) + d - e: but for the square of y, r + slope y with r = form(e) + d - e. */
static int correct_more(symbols *y, const reduced_phase *p, const elimination *m, const expr of[2][3], expr *sum,
                        expr *last)
{
    graph *g = y->g;
    expr form[2][3], to[2], e[2], r[2], slope[2][2], next[2];
    for (int i = 0; i < 3; i++) {
        const expr right[] = { of[0][i], of[1][i] };
        int status = solve_two_alike(y, m, right, to);
        if (status) return status;
        form[0][i] = to[0], form[1][i] = to[1];
    }
    for (int k = 0; k < 2; k++) e[k] = taut_expr_add(g, p->change[k], p->second[k]);
    const expr squares[] = { taut_expr_mul(g, e[0], e[0]), taut_expr_mul(g, e[0], e[1]),
                             taut_expr_mul(g, e[1], e[1]) };
    for (int k = 0; k < 2; k++) {
        const expr first = taut_expr_mul(g, form[k][0], squares[0]), mixed = taut_expr_mul(g, form[k][1], squares[1]);
        const expr rest = taut_expr_mul(g, form[k][2], squares[2]);
        sum[k] = r[k] = taut_expr_add(g, taut_expr_sub(g, first, p->second[k]), taut_expr_add(g, mixed, rest));
    }
    slope_two(y, (const expr(*)[3])form, e, slope);
    for (int i = 0; i < 2; i++) {
        times_two(y, (const expr(*)[2])slope, sum, next);
        for (int k = 0; k < 2; k++) {
            next[k] = taut_expr_add(g, r[k], next[k]);
            last[k] = taut_expr_sub(g, next[k], sum[k]), sum[k] = next[k];
        }
    }
    return sum[0] && sum[1] && last[0] && last[1] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* Corrections after the second one with the same matrix J. In long steps the first multipliers are some percent off,
   and a correction leaves a ten thousandth of the one before: some more do where a new matrix was needed, with its
   division. */
static int correct_further(symbols *y, reduced_phase *p, const elimination *m, const expr of[2][3])
{
    p->further = taut_mem_new(y->context, 6, sizeof *p->further);
    if (!p->further) return TAUT_OUT_OF_MEMORY;
    int status = correct_once(y, p, m, of, p->further);
    if (!status) status = correct_more(y, p, m, of, p->further + 2, p->further + 4);
    p->has_further = !status;
    return status;
}

static int solve_two_squares(symbols *y, const reduced_phase *p, const elimination *m, expr of[2][3], expr *out)
{
    expr right[2];
    int status = find_quadratic(y, p, p->residual[0], of[0]);
    if (!status) status = find_quadratic(y, p, p->residual[1], of[1]);
    if (status) return status;
    square_two(y, (const expr(*)[3])of, p->change, right);
    return solve_two(y, m, right, out);
}

/* Equations of degree 2 have a residual that is known without a new evaluation when they have been corrected: the part
   of degree 2, at the correction. A second one with the same matrix makes the convergence cubic for one division, and
   does not wait for positions. Not where positions are unknowns themselves: the last residual of em must be that of
   the positions that come out, to the last bit, or its energy walks off further. */
static int correct_twice(symbols *y, reduced_phase *p, const elimination *m)
{
    expr of[2][3];
    if (p->degree != 2 || !p->only_multipliers || p->size > TWICE_MOST) return TAUT_OK;
    p->second = taut_mem_new(y->context, (size_t)p->size + 1, sizeof *p->second);
    int status = p->second ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status && p->size == 2) {
        status = solve_two_squares(y, p, m, of, p->second);
    } else if (!status) {
        status = find_squares(y, p, m->right);
        if (!status) status = solve(y, m, m->right, p->second);
    }
    uint32_t zeros = 0;
    while (!status && zeros < p->size && is_zero(y, p->second[zeros])) zeros++;
    if (status || zeros == p->size) return status; /* of degree 2 by its parts alone */
    p->has_second = 1;
    return p->size == 2 ? correct_further(y, p, m, (const expr(*)[3])of) : TAUT_OK;
}

static int eliminate_left(symbols *y, reduced_phase *p)
{
    const size_t size = p->size;
    elimination m;
    int status = X(reduce_elimination)(y, p->size, &m);
    if (!status) status = write_matrix(y, p, &m, m.right + size);
    if (!status) status = size == 2 ? invert_two(y, p, &m) : X(reduce_eliminate)(y, p, &m, m.right + size);
    if (!status) status = solve(y, &m, m.right, p->change);
    if (!status) status = correct_twice(y, p, &m);
    X(reduce_elimination_clear)(y, &m);
    return status;
}

/* ---- all of it ---- */

static int list_left(symbols *y, reduced_phase *p)
{
    p->only_multipliers = 1;
    for (size_t i = 0; i < p->count; i++)
        if (!p->is_explicit[i]) {
            p->left[p->size++] = (uint32_t)i;
            if (X(reduce_size)(y, p, i) != STEP_C) p->only_multipliers = 0;
        }
    if (p->size > REDUCE_LEFT_MOST) return TAUT_UNSUPPORTED;
    p->residual = taut_mem_new(y->context, p->size + 1, sizeof *p->residual);
    p->change = taut_mem_new(y->context, p->size + 1, sizeof *p->change);
    p->weights = taut_mem_new(y->context, p->size + 1, sizeof *p->weights);
    if (!p->residual || !p->change || !p->weights) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < p->size; i++) p->residual[i] = p->equations[p->left[i]];
    return TAUT_OK;
}

static int find_degrees(symbols *y, reduced_phase *p)
{
    int status = TAUT_OK, degree;
    for (uint32_t i = 0; !status && i < p->size; i++) {
        status = X(reduce_degree)(y, p, p->residual[i], 0, p->count, &degree);
        if (!status && degree > p->degree) p->degree = degree;
    }
    return status;
}

int X(reduce_linear)(symbols *y, int phase, const expr *equations, reduced_phase *p)
{
    int status = create(y, phase, p);
    y->nodes_most = REDUCE_NODES_MOST;
    if (!status) memcpy(p->equations, equations, p->count * sizeof *equations);
    if (!status) status = solve_explicit(y, p);
    if (!status) status = list_left(y, p);
    if (!status) status = find_degrees(y, p);
    if (!status && p->degree > 1) status = TAUT_UNSUPPORTED;
    if (!status) status = eliminate_left(y, p);
    return status;
}

int X(reduce_phase)(symbols *y, int phase, reduced_phase *p)
{
    int status = create(y, phase, p);
    X(symbols_forget_places)(y);
    if (!status) status = X(reduce_forecast)(y, phase);
    if (!status) status = write_equations(y, phase, p);
    if (!status) status = solve_explicit(y, p);
    if (!status) status = X(reduce_nested)(y, p);
    if (!status) status = list_left(y, p);
    if (!status) status = find_degrees(y, p);
    if (!status && p->only_multipliers) status = X(known_find)(y, phase, p->size <= EXPAND_MOST, &p->known);
    if (!status) status = expand_left(y, p);
    if (!status) status = eliminate_left(y, p);
    if (!status) status = X(reduce_weigh)(y, phase, p);
    return status;
}
