/* The programs of a kind of clusters, and of elements with late constraints: from symbols to tapes. */
#include "lower/cluster_inside.h"

#ifndef TAUT_REAL_QUAD
#include <string.h>

#include "step/functions.h"

typedef struct {
    const cluster_phase *phase;
    const element_shape *shape;
    uint32_t own_n, own_c; /* none of an element */
    const element_lanes *lanes;
    cluster_block *block; /* NULL: of an element */
    cluster_inputs *inputs;
    symbols y;
    size_t node_count;    /* of the graph, when all expressions are there */
    unsigned char *moves; /* nodes that depend on the unknowns of the phase */
    uint32_t *cut;        /* nodes that are values of places: 1 + place * n + coordinate */
    uint32_t *saved_at;   /* nodes that begin computes: which of them, from 1; 0: none */
    expr *saved;
    size_t saved_count, saved_capacity;
} maker;

/* Expressions of the equations, by own row, then by late row; 0 where nothing. */
typedef struct {
    expr *rows, *places, *matrix, *results, *pushes;
    uint32_t own, all, columns, place_count, result_count, push_count;
} expressions;

/* A program under way: a graph of its own, where rows of the table and inputs are slots. */
typedef struct {
    graph *g;
    expr *image; /* by node of the symbols */
    element_input *inputs;
    size_t input_count, input_capacity;
    uint32_t first_input; /* slots in front of the inputs: rows of the table */
} translation;

typedef enum { AT_BEGIN, AT_PLACES, AFTER_PLACES } program_time;
typedef enum { IS_INNER, IS_LITERAL, IS_LEAF, IS_SAVED, IS_PLACE, IS_UNKNOWN } node_class;

/* ---- what is computed ---- */

static uint32_t count_of(int count, uint32_t each) { return (uint32_t)count * each; }

/* The terms of an equation: forces first, then what they act on (element_inside.h). */
static int add_equation(maker *m, int equation, expr *out, size_t count)
{
    expr *forces = X(symbol_new)(&m->y, count);
    if (!forces) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < count; k++) out[k] = forces[k] = m->y.zero;
    X(symbol_terms_of)(&m->y, equation, 1, NULL, forces);
    X(symbol_terms_of)(&m->y, equation, 0, NULL, out);
    for (size_t k = 0; k < count && !m->y.failed; k++)
        if (!(out[k] = taut_expr_add(m->y.g, forces[k], out[k]))) return TAUT_OUT_OF_MEMORY;
    return m->y.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

/* Of coordinates the own ones; of constraints the own ones into `rows`, late ones behind them. */
static int find_rows(maker *m, expressions *x)
{
    const cluster_phase *p = m->phase;
    const element_shape *s = m->shape;
    const uint32_t around = s->c - m->own_c;
    x->own = count_of(p->n_equation_count, m->own_n) + count_of(p->c_equation_count, m->own_c);
    x->all = x->own + count_of(p->c_equation_count, around);
    x->rows = X(symbol_new)(&m->y, x->all);
    expr *out = X(symbol_new)(&m->y, s->n > s->c ? s->n : s->c);
    if (!x->rows || !out) return TAUT_OUT_OF_MEMORY;
    uint32_t at = 0, late = x->own;
    for (int e = 0; m->own_n && e < p->n_equation_count; e++, at += m->own_n) {
        const int status = add_equation(m, p->n_equations[e], out, s->n);
        if (status) return status;
        memcpy(x->rows + at, out, m->own_n * sizeof *out);
    }
    for (int e = 0; e < p->c_equation_count; e++, at += m->own_c, late += around) {
        const int status = add_equation(m, p->c_equations[e], out, s->c);
        if (status) return status;
        memcpy(x->rows + at, out, m->own_c * sizeof *out);
        memcpy(x->rows + late, out + m->own_c, around * sizeof *out);
    }
    return TAUT_OK;
}

static int find_places(maker *m, expressions *x)
{
    const cluster_phase *p = m->phase;
    x->place_count = count_of(p->place_count, m->own_n);
    x->places = X(symbol_new)(&m->y, x->place_count);
    if (!x->places) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < p->place_count; i++) {
        const symbol_place *at = X(symbol_place_at)(&m->y, p->places[i].place);
        if (!at || m->y.failed) return TAUT_OUT_OF_MEMORY;
        const expr *values = at->x[p->places[i].slot == STEP_Q ? KIND_Q : KIND_W];
        memcpy(x->places + (size_t)i * m->own_n, values, m->own_n * sizeof *values);
    }
    return TAUT_OK;
}

/* Unknowns: own ones, then late multipliers. */
static void list_unknowns(const maker *m, expr *list)
{
    const cluster_phase *p = m->phase;
    for (int i = 0; i < p->n_group_count; i++)
        for (uint32_t k = 0; k < m->own_n; k++) *list++ = m->y.unknowns[m->y.offsets[p->n_groups[i]] + k];
    for (int i = 0; i < p->c_group_count; i++)
        for (uint32_t k = 0; k < m->own_c; k++) *list++ = m->y.unknowns[m->y.offsets[p->c_groups[i]] + k];
    for (int i = 0; i < p->c_group_count; i++)
        for (uint32_t k = m->own_c; k < m->shape->c; k++) *list++ = m->y.unknowns[m->y.offsets[p->c_groups[i]] + k];
}

/* TAUT_UNSUPPORTED: late equations contain late multipliers. */
static int find_matrix(maker *m, expressions *x)
{
    x->columns = m->block->columns;
    expr *unknowns = X(symbol_new)(&m->y, x->columns);
    x->matrix = X(symbol_new)(&m->y, (size_t)x->all * x->columns);
    if (!unknowns || !x->matrix) return TAUT_OUT_OF_MEMORY;
    list_unknowns(m, unknowns);
    int status = TAUT_OK;
    for (uint32_t i = 0; !status && i < x->all; i++) {
        expr *row = x->matrix + (size_t)i * x->columns;
        status = taut_expr_gradient(m->y.g, x->rows[i], unknowns, x->columns, row);
        for (uint32_t j = 0; !status && j < x->columns; j++) {
            if (row[j] == m->y.zero) row[j] = 0;
            if (row[j] && i >= x->own && j >= m->block->own) status = TAUT_UNSUPPORTED;
        }
    }
    return status;
}

static int find_results(maker *m, expressions *x)
{
    static const int results[] = { STEP_RESULT_Q, STEP_RESULT_P };
    expr *out = X(symbol_new)(&m->y, m->shape->n);
    x->result_count = 2 * m->own_n;
    x->results = X(symbol_new)(&m->y, x->result_count);
    if (!out || !x->results) return TAUT_OUT_OF_MEMORY;
    for (int r = 0; r < 2; r++) {
        for (uint32_t k = 0; k < m->shape->n; k++) out[k] = m->y.zero;
        X(symbol_terms)(&m->y, results[r], NULL, out);
        memcpy(x->results + (size_t)r * m->own_n, out, m->own_n * sizeof *out);
    }
    return m->y.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

static int has_equation(const element_part *part, int equation)
{
    for (int e = 0; e < part->equation_count; e++)
        if (part->equations[e].equation == equation) return 1;
    return 0;
}

/* The largest of h times each force on own coordinates. */
static int find_pushes(maker *m, expressions *x)
{
    const step_table *t = m->phase->part->table;
    graph *g = m->y.g;
    x->pushes = X(symbol_new)(&m->y, 1);
    expr *out = X(symbol_new)(&m->y, m->shape->n), most = m->y.zero;
    if (!out || !x->pushes) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < t->term_count; i++) {
        const step_term *term = &t->terms[i];
        if (!has_equation(m->phase->part, term->equation) || !X(step_function_pushes)(term->function)
            || X(step_function_empty)(m->y.s, term->function))
            continue;
        const expr factor = X(symbol_factor)(&m->y, term->coefficient, term->power);
        for (uint32_t k = 0; k < m->shape->n; k++) out[k] = m->y.zero;
        X(symbol_function)(&m->y, term->function, term->place, NULL, out);
        for (uint32_t k = 0; k < m->own_n && !m->y.failed; k++)
            most = taut_expr_binary(g, OP_MAX, most, taut_expr_unary(g, OP_ABS, taut_expr_mul(g, factor, out[k])));
    }
    x->push_count = 1;
    x->pushes[0] = most;
    return most && !m->y.failed ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* ---- when it is computed ---- */

static int find_moving(maker *m)
{
    graph *g = m->y.g;
    const element_part *part = m->phase->part;
    const uint32_t count = taut_graph_count(g), first = (uint32_t)m->y.offsets[part->first_group],
                   end = (uint32_t)m->y.offsets[part->first_group + part->group_count];
    m->node_count = count;
    m->moves = taut_mem_new(m->y.context, count, 1);
    m->cut = taut_mem_new(m->y.context, count, sizeof *m->cut);
    m->saved_at = taut_mem_new(m->y.context, count, sizeof *m->saved_at);
    if (!m->moves || !m->cut || !m->saved_at) return TAUT_OUT_OF_MEMORY;
    for (expr e = 1; e < count; e++) {
        const node *n = taut_graph_node(g, e);
        const int arity = taut_op_arity((op)n->op);
        if (n->op == OP_VARIABLE)
            m->moves[e] = n->b == (uint32_t)LEAF_UNKNOWN && n->a >= first && n->a < end;
        else if (arity)
            m->moves[e] = m->moves[n->a] || (arity == 2 && m->moves[n->b]);
    }
    return TAUT_OK;
}

static int find_cuts(maker *m)
{
    const cluster_phase *p = m->phase;
    for (int i = 0; i < p->place_count; i++) {
        const symbol_place *at = X(symbol_place_at)(&m->y, p->places[i].place);
        if (!at || m->y.failed) return TAUT_OUT_OF_MEMORY;
        const expr *values = at->x[p->places[i].slot == STEP_Q ? KIND_Q : KIND_W];
        for (uint32_t k = 0; k < m->shape->n; k++) {
            const expr e = values[k];
            if (e < m->node_count && m->moves[e] && taut_graph_node(m->y.g, e)->op != OP_VARIABLE && !m->cut[e])
                m->cut[e] = 1 + (uint32_t)i * m->shape->n + k;
        }
    }
    return TAUT_OK;
}

static node_class class_of(const maker *m, expr e, program_time when)
{
    const node *n = taut_graph_node(m->y.g, e);
    if (n->op == OP_CONSTANT) return IS_LITERAL;
    if (when == AT_BEGIN) return n->op == OP_VARIABLE ? IS_LEAF : IS_INNER;
    if (!m->moves[e]) return IS_SAVED;
    if (m->cut[e] && when == AFTER_PLACES) return IS_PLACE;
    return n->op == OP_VARIABLE ? IS_UNKNOWN : IS_INNER;
}

/* needed := nodes down to the inputs */
static int find_needed(const maker *m, const expr *roots, size_t count, program_time when, unsigned char **needed)
{
    *needed = taut_mem_new(m->y.context, m->node_count, 1);
    if (!*needed) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (roots[i]) (*needed)[roots[i]] = 1;
    for (expr e = (expr)m->node_count; e-- > 1;) {
        if (!(*needed)[e] || class_of(m, e, when) != IS_INNER) continue;
        const node *n = taut_graph_node(m->y.g, e);
        const int arity = taut_op_arity((op)n->op);
        if (arity) (*needed)[n->a] = 1;
        if (arity == 2) (*needed)[n->b] = 1;
    }
    return TAUT_OK;
}

/* What a program needs that does not move joins the saved numbers. */
static int save_needed(maker *m, const expr *roots, size_t count, program_time when)
{
    unsigned char *needed = NULL;
    int status = find_needed(m, roots, count, when, &needed);
    for (expr e = 1; !status && e < m->node_count; e++) {
        if (!needed[e] || class_of(m, e, when) != IS_SAVED || m->saved_at[e]) continue;
        if (taut_mem_grow(m->y.context, &m->saved, &m->saved_capacity, m->saved_count + 1, sizeof *m->saved))
            status = TAUT_OUT_OF_MEMORY;
        else
            m->saved[m->saved_count++] = e, m->saved_at[e] = (uint32_t)m->saved_count;
    }
    taut_mem_free(m->y.context, needed);
    return status;
}

/* ---- translation ---- */

static int add_input(maker *m, translation *t, element_input in, uint32_t *slot)
{
    if (taut_mem_grow(m->y.context, &t->inputs, &t->input_capacity, t->input_count + 1, sizeof *t->inputs))
        return TAUT_OUT_OF_MEMORY;
    *slot = t->first_input + (uint32_t)t->input_count;
    t->inputs[t->input_count++] = in;
    return TAUT_OK;
}

/* An input from a table, by addresses that are found later. */
static int add_table_input(maker *m, translation *t, cluster_input in, uint32_t *slot)
{
    in.index = taut_mem_new(m->y.context, m->shape->stride, sizeof *in.index);
    if (!in.index) return TAUT_OUT_OF_MEMORY;
    if (taut_mem_grow(m->y.context, &m->inputs->list, &m->inputs->capacity, m->inputs->count + 1,
                      sizeof *m->inputs->list)) {
        taut_mem_free(m->y.context, in.index);
        return TAUT_OUT_OF_MEMORY;
    }
    m->inputs->list[m->inputs->count++] = in;
    return add_input(m, t, (element_input){ FROM_TABLES, 0, in.index, 0 }, slot);
}

static int unknown_slot(maker *m, translation *t, expr e, uint32_t *slot)
{
    const cluster_phase *p = m->phase;
    const uint32_t number = taut_graph_node(m->y.g, e)->a;
    element_input in;
    for (int i = 0; i < p->n_group_count; i++) {
        const size_t first = m->y.offsets[p->n_groups[i]];
        if (number < first || number >= first + m->shape->n) continue;
        const uint32_t k = number - (uint32_t)first;
        if (k >= m->own_n) return add_table_input(m, t, (cluster_input){ TAKE_UNKNOWN, (uint32_t)i, k, 0, NULL }, slot);
        *slot = (uint32_t)i * m->own_n + k;
        return TAUT_OK;
    }
    for (int i = 0; i < p->c_group_count; i++) {
        const size_t first = m->y.offsets[p->c_groups[i]];
        if (number < first || number >= first + m->own_c) continue;
        *slot = count_of(p->n_group_count, m->own_n) + (uint32_t)i * m->own_c + number - (uint32_t)first;
        return TAUT_OK;
    }
    const element_view view = { p->part, m->shape, &m->y };
    const int status = X(element_find_input)(&view, e, &in);
    return status ? status : add_input(m, t, in, slot);
}

static int place_slot(maker *m, translation *t, expr e, uint32_t *slot)
{
    const uint32_t place = (m->cut[e] - 1) / m->shape->n, k = (m->cut[e] - 1) % m->shape->n;
    if (k >= m->own_n) return add_table_input(m, t, (cluster_input){ TAKE_PLACE, place, k, 0, NULL }, slot);
    *slot = m->block->at_places + place * m->own_n + k;
    return TAUT_OK;
}

static int translate_node(maker *m, translation *t, expr e, program_time when)
{
    const node n = *taut_graph_node(m->y.g, e);
    const element_view view = { m->phase->part, m->shape, &m->y };
    element_input in;
    uint32_t slot = 0;
    int status = TAUT_OK;
    switch (class_of(m, e, when)) {
    case IS_LITERAL: t->image[e] = taut_expr_number(t->g, taut_graph_constant(m->y.g, e)); break;
    case IS_INNER:
        t->image[e] = taut_expr_rebuild(t->g, &n, t->image[n.a], op_has_number((op)n.op) ? 0 : t->image[n.b]);
        break;
    case IS_LEAF:
        status = X(element_find_input)(&view, e, &in);
        if (!status) status = add_input(m, t, in, &slot);
        break;
    case IS_SAVED: slot = (m->block ? m->block->at_saved : 0) + m->saved_at[e] - 1; break;
    case IS_PLACE: status = place_slot(m, t, e, &slot); break;
    case IS_UNKNOWN: status = unknown_slot(m, t, e, &slot); break;
    }
    if (status) return status;
    if (!t->image[e]) t->image[e] = taut_expr_variable(t->g, KIND_SLOT, slot);
    return t->image[e] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* rows: of the table in front of the inputs. The images of the roots are in t->image. */
static int begin_program(maker *m, const expr *roots, size_t count, program_time when, uint32_t rows, translation *t)
{
    unsigned char *needed = NULL;
    t->first_input = rows;
    t->g = taut_graph_create(m->y.context);
    t->image = taut_mem_new(m->y.context, m->node_count, sizeof *t->image);
    int status = t->g && t->image ? find_needed(m, roots, count, when, &needed) : TAUT_OUT_OF_MEMORY;
    for (expr e = 1; !status && e < m->node_count; e++)
        if (needed[e]) status = translate_node(m, t, e, when);
    taut_mem_free(m->y.context, needed);
    return status;
}

/* The first `kept` outputs go to rows of the table, from `first` on. The translation is cleared. */
static int end_program(maker *m, translation *t, const expr *outputs, size_t count, uint32_t first, uint32_t kept,
                       int status, element_program *p)
{
    for (size_t i = 0; !status && i < count; i++)
        if (!outputs[i]) status = TAUT_OUT_OF_MEMORY;
    p->saved_count = t->first_input;
    p->input_count = (uint32_t)t->input_count;
    p->kept_first = first, p->kept_count = kept;
    p->inputs = t->inputs;
    if (!status && count) status = X(element_program_create)(m->y.s, t->g, outputs, count, m->lanes, p);
    if (t->g && taut_graph_ran_out(t->g)) status = TAUT_OUT_OF_MEMORY;
    taut_graph_destroy(t->g);
    taut_mem_free(m->y.context, t->image);
    *t = (translation){ 0 };
    return status;
}

/* A program that has nothing but its roots. */
static int make_program(maker *m, const expr *roots, size_t count, program_time when, uint32_t rows, uint32_t first,
                        uint32_t kept, element_program *p)
{
    translation t = { 0 };
    if (!count) return TAUT_OK;
    expr *outputs = taut_mem_new(m->y.context, count, sizeof *outputs);
    int status = outputs ? begin_program(m, roots, count, when, rows, &t) : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) outputs[i] = t.image[roots[i]];
    status = end_program(m, &t, outputs, outputs ? count : 0, first, kept, status, p);
    taut_mem_free(m->y.context, outputs);
    return status;
}

/* ---- programs of a kind ---- */

static int list_schur(maker *m, elimination *e, expr *outputs, uint32_t *count)
{
    cluster_block *b = m->block;
    const size_t most = (size_t)(e->rows - e->own) * (e->columns - e->own);
    b->schur_row = taut_mem_new(m->y.context, most, sizeof *b->schur_row);
    b->schur_column = taut_mem_new(m->y.context, most, sizeof *b->schur_column);
    if (!b->schur_row || !b->schur_column) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = e->own; i < e->rows; i++)
        for (uint32_t j = e->own; j < e->columns; j++) {
            if (!*elimination_entry(e, i, j)) continue;
            b->schur_row[b->schur_count] = i - e->own, b->schur_column[b->schur_count++] = j - e->own;
            outputs[(*count)++] = *elimination_entry(e, i, j);
        }
    return TAUT_OK;
}

/* The matrix and its elimination. Entries of e become slots of the factors, for the programs behind it. */
static int make_factor(maker *m, const expressions *x, elimination *e)
{
    cluster_block *b = m->block;
    const size_t cells = (size_t)e->rows * e->columns;
    translation t = { 0 };
    expr *outputs = taut_mem_new(m->y.context, cells + 1, sizeof *outputs);
    uint32_t count = 0;
    int status = outputs ? begin_program(m, x->matrix, cells, AFTER_PLACES, b->at_factors, &t) : TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; !status && k < cells; k++) e->a[k] = x->matrix[k] ? t.image[x->matrix[k]] : 0;
    e->g = t.g;
    if (!status) status = X(elimination_run)(e, m->y.context);
    for (uint32_t i = 0; !status && i < e->rows; i++)
        for (uint32_t j = 0; j < e->columns; j++)
            if (X(elimination_is_factor)(e, i, j)) outputs[count++] = *elimination_entry(e, i, j);
    b->factor_count = count;
    if (!status) status = list_schur(m, e, outputs, &count);
    if (!status) outputs[count++] = e->worst;
    status = end_program(m, &t, outputs, count, b->at_factors, b->factor_count + b->schur_count, status, &b->factor);
    taut_mem_free(m->y.context, outputs);
    return status;
}

static int name_factors(const cluster_block *b, elimination *e, graph *g)
{
    uint32_t at = b->at_factors;
    for (uint32_t i = 0; i < e->rows; i++)
        for (uint32_t j = 0; j < e->columns; j++)
            if (X(elimination_is_factor)(e, i, j)
                && !(*elimination_entry(e, i, j) = taut_expr_variable(g, KIND_SLOT, at++)))
                return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

/* Own equations, y, what is left to late ones, and the largest force. */
static int make_residual(maker *m, const expressions *x, elimination *e)
{
    cluster_block *b = m->block;
    translation t = { 0 };
    const size_t most = (size_t)x->own + x->push_count, count = b->rows + x->push_count;
    expr *roots = taut_mem_new(m->y.context, most, sizeof *roots),
         *outputs = taut_mem_new(m->y.context, count, sizeof *outputs);
    int status = roots && outputs ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        memcpy(roots, x->rows, x->own * sizeof *roots);
        if (x->push_count) roots[x->own] = x->pushes[0];
        status = begin_program(m, roots, most, AFTER_PLACES, b->table.rows, &t);
    }
    if (!status) status = name_factors(b, e, t.g);
    for (uint32_t i = 0; !status && i < x->own; i++) outputs[i] = t.image[roots[i]];
    if (!status) X(elimination_forward)(e, t.g, outputs);
    if (!status && x->push_count) outputs[b->rows] = t.image[roots[x->own]];
    status = end_program(m, &t, outputs, outputs ? count : 0, b->at_y, (uint32_t)count, status, &b->residual);
    taut_mem_free(m->y.context, roots);
    taut_mem_free(m->y.context, outputs);
    return status;
}

/* Corrections of late multipliers are inputs. */
static int make_backward(maker *m, elimination *e)
{
    cluster_block *b = m->block;
    translation t = { 0 };
    expr y[CLUSTER_OWN_MOST], found[CLUSTER_OWN_MOST + CLUSTER_AROUND_MOST];
    int status = begin_program(m, NULL, 0, AFTER_PLACES, b->table.rows, &t);
    if (!status) status = name_factors(b, e, t.g);
    for (uint32_t k = 0; !status && k < b->own; k++)
        if (!(y[k] = taut_expr_variable(t.g, KIND_SLOT, b->at_y + k))) status = TAUT_OUT_OF_MEMORY;
    for (uint32_t j = b->own; !status && j < b->columns; j++) {
        const element_input in = { FROM_LATE, 0, b->late + (size_t)(j - b->own) * m->shape->stride, 0 };
        uint32_t slot = 0;
        status = add_input(m, &t, in, &slot);
        if (!status && !(found[j] = taut_expr_variable(t.g, KIND_SLOT, slot))) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) X(elimination_backward)(e, t.g, y, found);
    return end_program(m, &t, found, b->own, b->at_d, b->own, status, &b->backward);
}

/* A^-1 r where the phase begins: what the multipliers of the guess make of the own unknowns. Where A does not move, one
   correction is exact, and nothing is predicted. */
static int make_predict(maker *m, const expressions *x)
{
    cluster_block *b = m->block;
    const uint32_t own = b->own;
    const size_t cells = (size_t)own * own, count = cells + own;
    expr *roots = taut_mem_new(m->y.context, count, sizeof *roots), found[CLUSTER_OWN_MOST];
    elimination e = { .own = own, .own_late = b->own_late, .rows = own, .columns = own };
    translation t = { 0 };
    int status = TAUT_OK, is_nonlinear = 0;
    e.a = taut_mem_new(m->y.context, cells, sizeof *e.a);
    if (!roots || !e.a) status = TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < own; i++)
        for (uint32_t j = 0; j < own; j++) {
            const expr entry = roots[i * own + j] = x->matrix[(size_t)i * x->columns + j];
            is_nonlinear |= entry && m->moves[entry];
        }
    if (!status) memcpy(roots + cells, x->rows, own * sizeof *roots);
    if (!status && is_nonlinear) {
        status = begin_program(m, roots, count, AFTER_PLACES, b->at_factors, &t);
        for (size_t k = 0; !status && k < cells; k++) e.a[k] = roots[k] ? t.image[roots[k]] : 0;
        e.g = t.g;
        if (!status) status = X(elimination_run)(&e, m->y.context);
        for (uint32_t k = 0; !status && k < own; k++) found[k] = t.image[roots[cells + k]];
        if (!status) X(elimination_forward)(&e, t.g, found);
        if (!status) X(elimination_backward)(&e, t.g, found, found);
        status = end_program(m, &t, found, own, b->at_d, own, status, &b->predict);
    }
    taut_mem_free(m->y.context, roots);
    taut_mem_free(m->y.context, e.a);
    return status;
}

/* Rows of the table; those of the factors are not known yet. */
static void place_rows(maker *m, const expressions *x)
{
    cluster_block *b = m->block;
    b->at_places = b->own;
    b->at_y = b->at_places + x->place_count;
    b->at_t = b->at_y + b->own;
    b->at_push = b->at_t + b->rows - b->own;
    b->at_d = b->at_push + x->push_count;
    b->at_saved = b->at_d + b->own;
    b->saved_count = (uint32_t)m->saved_count;
    b->at_factors = b->at_saved + b->saved_count;
}

static int save_all(maker *m, const expressions *x)
{
    int status = save_needed(m, x->rows, x->own, AFTER_PLACES);
    if (!status) status = save_needed(m, x->pushes, x->push_count, AFTER_PLACES);
    if (!status) status = save_needed(m, x->places, x->place_count, AT_PLACES);
    if (!status) status = save_needed(m, x->results, x->result_count, AFTER_PLACES);
    if (!status) status = save_needed(m, x->matrix, (size_t)x->all * x->columns, AFTER_PLACES);
    return status;
}

static int make_programs(maker *m, const expressions *x)
{
    cluster_block *b = m->block;
    elimination e = { .own = b->own, .own_late = b->own_late, .rows = b->rows, .columns = b->columns };
    e.a = taut_mem_new(m->y.context, (size_t)e.rows * e.columns, sizeof *e.a);
    int status = e.a ? save_all(m, x) : TAUT_OUT_OF_MEMORY;
    place_rows(m, x);
    if (!status)
        status = make_program(m, m->saved, m->saved_count, AT_BEGIN, 0, b->at_saved, b->saved_count, &b->begin);
    if (!status)
        status = make_program(m, x->places, x->place_count, AT_PLACES, b->at_factors, b->at_places, x->place_count,
                              &b->places);
    if (!status) status = make_program(m, x->results, x->result_count, AFTER_PLACES, b->at_factors, 0, 0, &b->results);
    if (!status) status = make_predict(m, x);
    if (!status) status = make_factor(m, x, &e);
    b->at_schur = b->at_factors + b->factor_count;
    b->table.rows = b->at_schur + b->schur_count;
    if (!status) status = make_residual(m, x, &e);
    if (!status) status = make_backward(m, &e);
    taut_mem_free(m->y.context, e.a);
    return status;
}

static void clear(maker *m)
{
    void *const blocks[] = { m->moves, m->cut, m->saved_at, m->saved };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(m->y.context, blocks[i]);
    X(symbols_clear)(&m->y);
}

int X(cluster_compile)(const cluster_phase *phase, cluster_block *b)
{
    const element_part *part = phase->part;
    maker m = { .phase = phase,
                .shape = &b->kind->all,
                .own_n = b->kind->own_n,
                .own_c = b->kind->own_c,
                .lanes = &b->lanes,
                .block = b,
                .inputs = &b->inputs };
    expressions x = { 0 };
    int status = X(symbols_create_element)(part->s, part->table, m.shape, &m.y);
    if (!status) status = find_rows(&m, &x);
    if (!status) status = find_places(&m, &x);
    if (!status) status = find_matrix(&m, &x);
    if (!status && part->pushes) status = find_pushes(&m, &x);
    if (!status && part->result_count) status = find_results(&m, &x);
    if (!status) status = find_moving(&m);
    if (!status) status = find_cuts(&m);
    if (!status) status = make_programs(&m, &x);
    status = X(symbols_status)(&m.y, status);
    clear(&m);
    return status;
}

/* ---- elements with late constraints ---- */

/* The equations, with what clusters leave to them: shares are added in the order of the clusters. */
static int make_late(maker *m, const cluster_graph *g, const expr *rows, late_block *b)
{
    translation t = { 0 };
    expr *outputs = taut_mem_new(m->y.context, b->row_count, sizeof *outputs);
    int status = outputs ? begin_program(m, rows, b->row_count, AFTER_PLACES, b->table.rows, &t) : TAUT_OUT_OF_MEMORY;
    (void)g;
    for (uint32_t o = 0; !status && o < b->row_count; o++) {
        outputs[o] = t.image[rows[o]];
        for (uint32_t k = 0; !status && k < b->kind->cluster_count; k++) {
            uint32_t slot = 0;
            status = add_table_input(m, &t, (cluster_input){ TAKE_SHARE, b->equation[o], b->local[o], k, NULL }, &slot);
            if (!status) outputs[o] = taut_expr_add(t.g, outputs[o], taut_expr_variable(t.g, KIND_SLOT, slot));
        }
    }
    status = end_program(m, &t, outputs, outputs ? b->row_count : 0, 0, 0, status, &b->residual);
    taut_mem_free(m->y.context, outputs);
    return status;
}

/* Rows of late constraints that the element owns. */
static int list_late_rows(maker *m, const cluster_graph *g, const expressions *x, late_block *b, expr **rows)
{
    const element_shape *s = m->shape;
    const uint32_t equations = (uint32_t)m->phase->c_equation_count;
    *rows = X(symbol_new)(&m->y, (size_t)equations * s->c);
    b->local = taut_mem_new(m->y.context, (size_t)equations * s->c, sizeof *b->local);
    b->equation = taut_mem_new(m->y.context, (size_t)equations * s->c, sizeof *b->equation);
    if (!*rows || !b->local || !b->equation) return TAUT_OUT_OF_MEMORY;
    for (uint32_t e = 0; e < equations; e++)
        for (uint32_t k = 0; k < s->c; k++) {
            if (!s->owns_constraint[k] || g->late_number[s->constraint[(size_t)k * s->stride]] == CLUSTER_NOWHERE)
                continue;
            (*rows)[b->row_count] = x->rows[x->own + e * s->c + k];
            b->local[b->row_count] = k, b->equation[b->row_count++] = e;
        }
    return TAUT_OK;
}

int X(late_compile)(const cluster_phase *phase, const cluster_graph *g, late_block *b)
{
    const element_part *part = phase->part;
    maker m = { .phase = phase, .shape = &b->kind->all, .lanes = &b->lanes, .inputs = &b->inputs };
    expressions x = { 0 };
    expr *rows = NULL;
    int status = X(symbols_create_element)(part->s, part->table, m.shape, &m.y);
    if (!status) status = find_rows(&m, &x);
    if (!status) status = list_late_rows(&m, g, &x, b, &rows);
    if (!status) status = find_moving(&m);
    if (!status) status = find_cuts(&m);
    if (!status) status = save_needed(&m, rows, b->row_count, AFTER_PLACES);
    b->table.rows = (uint32_t)m.saved_count;
    if (!status) status = make_program(&m, m.saved, m.saved_count, AT_BEGIN, 0, 0, b->table.rows, &b->begin);
    if (!status) status = make_late(&m, g, rows, b);
    status = X(symbols_status)(&m.y, status);
    clear(&m);
    return status;
}
#endif
