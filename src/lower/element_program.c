/* From the symbols of an element to tapes: what is known when the phase begins, the residual, and Newton's matrix. */
#include <string.h>

#include "expr/call.h"
#include "lower/element_inside.h"
#include "step/functions.h"

/* Expressions that are not zero, and where they go. */
typedef struct {
    expr *list;
    element_output *rows, *columns;
    size_t count, capacity, row_capacity, column_capacity;
} outputs;

typedef struct {
    const element_part *part;
    element_block *block;
    symbols y;
    outputs residual, matrix, results;
    expr *variables;          /* unknowns of the phase */
    element_output *variable_columns;
    size_t variable_count;
    unsigned char *moves;     /* nodes that depend on them */
    outputs saved;            /* nodes that begin computes */
    uint32_t *saved_at;       /* by node: which of them, from 1; 0: none */
    uint32_t push_count;
    int expressible;
} compiler;

/* ---- what is computed ---- */

static const uint32_t *index_of(const element_shape *s, step_size size, size_t k)
{
    return (size == STEP_C ? s->constraint : s->coordinate) + k * s->stride;
}

static int add_output(compiler *c, outputs *to, expr e, element_output row, element_output column)
{
    taut_context *context = c->y.context;
    if (!e) return TAUT_OUT_OF_MEMORY;
    if (e == c->y.zero) return TAUT_OK;
    if (taut_mem_grow(context, &to->list, &to->capacity, to->count + 1, sizeof *to->list)
        || taut_mem_grow(context, &to->rows, &to->row_capacity, to->count + 1, sizeof *to->rows)
        || taut_mem_grow(context, &to->columns, &to->column_capacity, to->count + 1, sizeof *to->columns))
        return TAUT_OUT_OF_MEMORY;
    to->list[to->count] = e;
    to->rows[to->count] = row;
    to->columns[to->count++] = column;
    return TAUT_OK;
}

static const element_output no_column;

static int has_equation(const element_part *part, int equation)
{
    for (int e = 0; e < part->equation_count; e++)
        if (part->equations[e].equation == equation) return 1;
    return 0;
}

enum { FORCES, OTHERS, ALL_TERMS };

static int add_equations(compiler *c, const element_rows *equations, int equation_count, int which, outputs *to)
{
    const element_shape *shape = c->block->shape;
    int status = TAUT_OK;
    for (int e = 0; !status && e < equation_count; e++) {
        const element_rows *rows = &equations[e];
        const size_t count = rows->size == STEP_C ? shape->c : shape->n;
        expr *out = X(symbol_new)(&c->y, count);
        if (!out) return TAUT_OUT_OF_MEMORY;
        for (size_t k = 0; k < count; k++) out[k] = c->y.zero;
        if (which == ALL_TERMS)
            X(symbol_terms)(&c->y, rows->equation, NULL, out);
        else
            X(symbol_terms_of)(&c->y, rows->equation, which == FORCES, NULL, out);
        for (size_t k = 0; !status && k < count; k++)
            status = add_output(c, to, out[k],
                                (element_output){ (size_t)rows->row, index_of(shape, rows->size, k) }, no_column);
    }
    return c->y.failed ? TAUT_OUT_OF_MEMORY : status;
}

/* h times each force, behind the equations. */
static int add_pushes(compiler *c)
{
    const step_table *t = c->part->table;
    const element_shape *shape = c->block->shape;
    int status = TAUT_OK;
    for (int i = 0; !status && i < t->term_count; i++) {
        const step_term *term = &t->terms[i];
        if (!has_equation(c->part, term->equation) || !X(step_function_pushes)(term->function)
            || X(step_function_empty)(c->y.s, term->function))
            continue;
        expr *out = X(symbol_new)(&c->y, shape->n), factor = X(symbol_factor)(&c->y, term->coefficient, term->power);
        if (!out) return TAUT_OUT_OF_MEMORY;
        X(symbol_function)(&c->y, term->function, term->place, NULL, out);
        for (size_t k = 0; !status && k < shape->n; k++)
            status = add_output(c, &c->residual, taut_expr_mul(c->y.g, factor, out[k]),
                                (element_output){ (size_t)c->part->size + (size_t)c->push_count * c->y.s->n,
                                                  index_of(shape, STEP_N, k) },
                                no_column);
        c->push_count++;
    }
    return c->y.failed ? TAUT_OUT_OF_MEMORY : status;
}

static int list_variables(compiler *c)
{
    const step_table *t = c->part->table;
    const element_shape *shape = c->block->shape;
    size_t count = 0;
    for (int g = c->part->first_group; g < c->part->first_group + c->part->group_count; g++)
        count += X(symbol_vector_length)(&c->y, g);
    c->variables = taut_mem_new(c->y.context, count, sizeof *c->variables);
    c->variable_columns = taut_mem_new(c->y.context, count, sizeof *c->variable_columns);
    if (!c->variables || !c->variable_columns) return TAUT_OUT_OF_MEMORY;
    for (int g = c->part->first_group; g < c->part->first_group + c->part->group_count; g++)
        for (size_t k = 0; k < X(symbol_vector_length)(&c->y, g); k++) {
            c->variables[c->variable_count] = c->y.unknowns[c->y.offsets[g] + k];
            c->variable_columns[c->variable_count++] =
                (element_output){ c->part->offsets[g] - c->part->offsets[c->part->first_group],
                                  index_of(shape, t->groups[g].size, k) };
        }
    return TAUT_OK;
}

static int differentiate(compiler *c, const outputs *equations)
{
    expr *slopes = X(symbol_new)(&c->y, c->variable_count);
    int status = slopes ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < equations->count; i++) {
        status = taut_expr_gradient(c->y.g, equations->list[i], c->variables, c->variable_count, slopes);
        for (size_t k = 0; !status && k < c->variable_count; k++)
            status = add_output(c, &c->matrix, slopes[k], equations->rows[i], c->variable_columns[k]);
    }
    return status;
}

static void clear_outputs(compiler *c, outputs *z)
{
    taut_mem_free(c->y.context, z->list);
    taut_mem_free(c->y.context, z->rows);
    taut_mem_free(c->y.context, z->columns);
    *z = (outputs){ 0 };
}

static int find_matrix(compiler *c)
{
    outputs whole = { 0 };
    int status = add_equations(c, c->part->equations, c->part->equation_count, ALL_TERMS, &whole);
    if (!status) status = differentiate(c, &whole);
    clear_outputs(c, &whole);
    return status;
}

/* ---- when it is computed ---- */

static int find_moving(compiler *c)
{
    graph *g = c->y.g;
    const uint32_t count = taut_graph_count(g);
    const uint32_t first = (uint32_t)c->y.offsets[c->part->first_group],
                   end = (uint32_t)c->y.offsets[c->part->first_group + c->part->group_count];
    c->moves = taut_mem_new(c->y.context, count, 1);
    if (!c->moves) return TAUT_OUT_OF_MEMORY;
    for (expr e = 1; e < count; e++) {
        const node *n = taut_graph_node(g, e);
        const int arity = taut_op_arity((op)n->op);
        if (n->op == OP_VARIABLE)
            c->moves[e] = n->b == (uint32_t)LEAF_UNKNOWN && n->a >= first && n->a < end;
        else if (arity)
            c->moves[e] = c->moves[n->a] || (arity == 2 && c->moves[n->b]);
    }
    return TAUT_OK;
}

/* A program under way: its outputs in a graph of its own, where its inputs are slots. */
typedef struct {
    const outputs *roots;
    int begins;
    graph *g;
    expr *list, *image;       /* nodes that are needed, ascending; by node: what it is */
    size_t count;
    expr *inputs;             /* nodes of the symbols that are slots behind the saved ones */
    uint32_t input_count;
} translation;

/* Inputs of `begin` are leaves; of the others, all that does not move, and the unknowns. */
static int is_input(const compiler *c, expr e, int begins)
{
    const node *n = taut_graph_node(c->y.g, e);
    if (n->op == OP_CONSTANT) return 0;
    return n->op == OP_VARIABLE || (!begins && !c->moves[e]);
}

static int save(compiler *c, expr e)
{
    if (c->saved_at[e]) return TAUT_OK;
    if (taut_mem_grow(c->y.context, &c->saved.list, &c->saved.capacity, c->saved.count + 1, sizeof *c->saved.list))
        return TAUT_OUT_OF_MEMORY;
    c->saved.list[c->saved.count++] = e;
    c->saved_at[e] = (uint32_t)c->saved.count;
    return TAUT_OK;
}

/* What is needed, down to the inputs, of which those that do not move are saved. */
static int find_needed(compiler *c, translation *t, const outputs *roots, int begins)
{
    graph *g = c->y.g;
    const uint32_t count = taut_graph_count(g);
    t->roots = roots, t->begins = begins;
    if (!roots->count) return TAUT_OK;
    unsigned char *needed = taut_mem_new(c->y.context, count, 1);
    t->list = taut_mem_new(c->y.context, count, sizeof *t->list);
    t->image = taut_mem_new(c->y.context, count, sizeof *t->image);
    t->inputs = taut_mem_new(c->y.context, count, sizeof *t->inputs);
    int status = needed && t->list && t->image && t->inputs ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < roots->count; i++) needed[roots->list[i]] = 1;
    for (expr e = count; !status && e-- > 1;) {
        const node *n = taut_graph_node(g, e);
        if (!needed[e] || is_input(c, e, begins)) continue;
        const int arity = taut_op_arity((op)n->op);
        if (arity) needed[n->a] = 1;
        if (arity == 2) needed[n->b] = 1;
    }
    for (expr e = 1; !status && e < count; e++) {
        if (!needed[e]) continue;
        t->list[t->count++] = e;
        if (is_input(c, e, begins) && !begins && !c->moves[e]) status = save(c, e);
    }
    taut_mem_free(c->y.context, needed);
    return status;
}

/* Slots: the first saved_count numbers that are saved, then the inputs. */
static int translate(compiler *c, translation *t, uint32_t saved_count)
{
    graph *from = c->y.g;
    t->g = taut_graph_create(c->y.context);
    if (!t->g) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < t->count; i++) {
        const expr e = t->list[i];
        const node n = *taut_graph_node(from, e);
        if (n.op == OP_CONSTANT) {
            t->image[e] = taut_expr_number(t->g, taut_graph_constant(from, e));
        } else if (!is_input(c, e, t->begins)) {
            t->image[e] = taut_expr_rebuild(t->g, &n, t->image[n.a], op_has_number((op)n.op) ? 0 : t->image[n.b]);
        } else if (!t->begins && !c->moves[e]) {
            t->image[e] = taut_expr_variable(t->g, KIND_SLOT, c->saved_at[e] - 1);
        } else {
            t->image[e] = taut_expr_variable(t->g, KIND_SLOT, saved_count + t->input_count);
            t->inputs[t->input_count++] = e;
        }
        if (!t->image[e]) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

static void clear_translation(compiler *c, translation *t)
{
    taut_graph_destroy(t->g);
    taut_mem_free(c->y.context, t->list);
    taut_mem_free(c->y.context, t->image);
    taut_mem_free(c->y.context, t->inputs);
}

/* ---- where inputs come from ---- */

static element_input constant_input(const element_view *v, uint32_t k)
{
    const element_shape *shape = v->shape;
    if (k == shape->constants) return (element_input){ FROM_H, 0, NULL, 0 };
    const uint32_t *index = shape->constant + (size_t)k * shape->stride, own = v->y->s->store
                              ? (uint32_t)taut_store_constant_count(v->y->s->store) : 0;
    return index[0] < own ? (element_input){ FROM_CONSTANT, 0, index, 0 }
                          : (element_input){ FROM_OTHER_CONSTANT, 0, index, own };
}

static int state_input(const element_view *v, uint32_t k, element_input *in)
{
    static const element_source vectors[] = { FROM_Q, FROM_P, FROM_W, FROM_Q_LOW, FROM_P_LOW };
    const element_shape *shape = v->shape;
    const state *x = &v->y->layout;
    const size_t size = X(state_size)(x), trend = (size_t)(x->trend - x->block), lambda = 5 * (size_t)shape->n;
    if (k < lambda)
        *in = (element_input){ vectors[k / shape->n], 0, index_of(shape, STEP_N, k % shape->n), 0 };
    else if (k < lambda + shape->c)
        *in = (element_input){ FROM_LAMBDA, 0, index_of(shape, STEP_C, k - lambda), 0 };
    else if (k >= trend && k < trend + shape->c)
        *in = (element_input){ FROM_TREND, 0, index_of(shape, STEP_C, k - trend), 0 };
    else if (k >= size)
        *in = (element_input){ FROM_TIME, k - size, NULL, 0 };
    else
        return 0;
    return 1;
}

int X(element_find_input)(const element_view *v, expr e, element_input *in)
{
    const symbols *y = v->y;
    const node n = *taut_graph_node(y->g, e);
    const element_shape *shape = v->shape;
    if (n.op != OP_VARIABLE) return TAUT_UNSUPPORTED;
    if (n.b == (uint32_t)LEAF_CONSTANT && n.a <= shape->constants) {
        *in = constant_input(v, n.a);
        return TAUT_OK;
    }
    if (n.b == (uint32_t)LEAF_STATE) return state_input(v, n.a, in) ? TAUT_OK : TAUT_UNSUPPORTED;
    if (n.b != (uint32_t)LEAF_UNKNOWN) return TAUT_UNSUPPORTED;
    int g = 0;
    while (n.a >= y->offsets[g + 1]) g++;
    *in = (element_input){ FROM_UNKNOWN, v->part->offsets[g],
                           index_of(shape, v->part->table->groups[g].size, n.a - y->offsets[g]), 0 };
    return TAUT_OK;
}

static int list_inputs(compiler *c, const translation *t, element_program *p)
{
    int status = TAUT_OK;
    p->inputs = taut_mem_new(c->y.context, t->input_count, sizeof *p->inputs);
    if (!p->inputs) return TAUT_OUT_OF_MEMORY;
    const element_view view = { c->part, c->block->shape, &c->y };
    for (uint32_t i = 0; !status && i < t->input_count; i++)
        status = X(element_find_input)(&view, t->inputs[i], &p->inputs[i]);
    return status;
}

/* ---- programs ---- */

/* The tape with operands that say where rows begin. */
static int take_tape(taut_context *context, const tape *t, uint32_t width, element_program *p)
{
    p->code = taut_mem_new(context, t->length, sizeof *p->code);
    p->literals = taut_mem_new(context, t->number_count, sizeof *p->literals);
    p->results = taut_mem_new(context, t->output_count, sizeof *p->results);
    if (!p->code || !p->literals || !p->results) return TAUT_OUT_OF_MEMORY;
    p->length = t->length;
    p->register_count = t->register_count;
    p->literal_first = t->first_number, p->literal_count = t->number_count;
    p->output_count = t->output_count;
    for (uint32_t i = 0; i < t->length; i++) {
        const instruction *line = &t->code[i];
        p->code[i] = (instruction){ line->op, line->target * width, line->a * width,
                                    op_has_number((op)line->op) ? line->b : line->b * width };
    }
    for (uint32_t i = 0; i < t->number_count; i++) p->literals[i] = (real)t->numbers[i];
    for (uint32_t i = 0; i < t->output_count; i++) p->results[i] = t->outputs[i];
    return TAUT_OK;
}

int X(element_program_create)(struct system *s, graph *g, const expr *outputs, size_t count, const element_lanes *l,
                              element_program *p)
{
    tape *made = NULL;
    int status = taut_tape_create(g, outputs, NULL, NULL, (uint32_t)count, p->saved_count + p->input_count, 0, 0, &made);
    if (!status) status = take_tape(s->context, made, l->width, p);
    /* one row more is for alignment */
    if (!status)
        status = X(workspace_reserve)(s->work, ((size_t)p->register_count + 1) * ELEMENT_WIDTH_MOST, 0, 0);
    if (!status && l->is_machine) status = X(element_machine_create)(s->context, l->width, p);
    taut_tape_destroy(s->context, made);
    return status;
}

static int make_program(compiler *c, translation *t, uint32_t saved_count, element_program *p)
{
    const size_t count = t->roots->count;
    if (!count) return TAUT_OK;
    expr *images = taut_mem_new(c->y.context, count, sizeof *images);
    int status = images ? translate(c, t, saved_count) : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) images[i] = t->image[t->roots->list[i]];
    p->saved_count = saved_count;
    p->input_count = t->input_count;
    if (t->begins) p->kept_count = (uint32_t)count;
    if (!status) status = list_inputs(c, t, p);
    if (!status) status = X(element_program_create)(c->y.s, t->g, images, count, &c->block->lanes, p);
    taut_mem_free(c->y.context, images);
    return status;
}

/* Programs copy the first saved numbers as a whole: those of the residual, which runs most often, are the first. */
static int make_programs(compiler *c)
{
    element_block *b = c->block;
    translation residual = { 0 }, results = { 0 }, matrix = { 0 }, begin = { 0 };
    uint32_t counts[3] = { 0 };
    c->saved_at = taut_mem_new(c->y.context, taut_graph_count(c->y.g), sizeof *c->saved_at);
    int status = c->saved_at ? find_moving(c) : TAUT_OUT_OF_MEMORY;
    if (!status) status = find_needed(c, &residual, &c->residual, 0);
    counts[0] = (uint32_t)c->saved.count;
    if (!status) status = find_needed(c, &results, &c->results, 0);
    counts[1] = (uint32_t)c->saved.count;
    if (!status) status = find_needed(c, &matrix, &c->matrix, 0);
    counts[2] = b->lanes.saved.rows = (uint32_t)c->saved.count;
    if (!status) status = find_needed(c, &begin, &c->saved, 1);
    if (!status) status = make_program(c, &residual, counts[0], &b->residual);
    if (!status) status = make_program(c, &results, counts[1], &b->results);
    if (!status) status = make_program(c, &matrix, counts[2], &b->matrix);
    if (!status) status = make_program(c, &begin, 0, &b->begin);
    translation *all[] = { &residual, &results, &matrix, &begin };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) clear_translation(c, all[i]);
    return status;
}

int X(element_is_expressible)(const element_part *part)
{
    const step_table *t = part->table;
    for (int i = 0; i < t->place_count; i++)
        for (int slot = 0; slot < STEP_SLOTS; slot++)
            for (int k = 0; k < t->places[i].slots[slot].count; k++) {
                const int vector = t->places[i].slots[slot].parts[k].vector;
                if (vector < 0 && vector > STEP_TREND0) return 0;
            }
    for (int i = 0; i < t->term_count; i++) {
        const step_term *term = &t->terms[i];
        const int used = has_equation(part, term->equation) || (part->result_count && term->equation < 0);
        if (used && term->function == STEP_VECTOR && term->place < 0 && term->place > STEP_TREND0) return 0;
    }
    return 1;
}

static void clear(compiler *c)
{
    taut_context *context = c->y.context;
    void *const blocks[] = { c->residual.list, c->matrix.list, c->results.list, c->saved.list, c->variables,
                             c->variable_columns, c->moves, c->saved_at, c->residual.columns, c->results.columns };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    X(symbols_clear)(&c->y);
}

void X(element_program_clear)(taut_context *context, element_program *p)
{
    void *const blocks[] = { p->code, p->inputs, p->literals, p->results, p->bases, p->base_of, p->indices };
    X(element_machine_clear)(p);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
}

int X(element_compile)(const element_part *part, element_block *b, uint32_t *push_count, int *expressible)
{
    compiler c = { .part = part, .block = b };
    *expressible = X(element_is_expressible)(part);
    if (!*expressible) return TAUT_OK;
    int status = X(symbols_create_element)(part->s, part->table, b->shape, &c.y);
    if (!status) status = list_variables(&c);
    if (!status) status = add_equations(&c, part->equations, part->equation_count, OTHERS, &c.residual);
    b->residual.kept_count = b->others.rows = (uint32_t)c.residual.count;
    if (!status) status = add_equations(&c, part->equations, part->equation_count, FORCES, &c.residual);
    if (!status) status = find_matrix(&c);
    if (!status && part->pushes) status = add_pushes(&c);
    if (!status) status = add_equations(&c, part->results, part->result_count, ALL_TERMS, &c.results);
    if (!status && taut_graph_has_calls(c.y.g)) status = TAUT_UNSUPPORTED;
    if (!status) status = make_programs(&c);
    status = X(symbols_status)(&c.y, status);
    b->residual_rows = c.residual.rows;
    b->result_rows = c.results.rows;
    b->rows = c.matrix.rows, b->columns = c.matrix.columns;
    *push_count = c.push_count;
    clear(&c);
    *expressible = status != TAUT_UNSUPPORTED;
    return *expressible ? status : TAUT_OK;
}
