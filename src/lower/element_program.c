/* From the symbols of an element to tapes: what is known when the phase begins, the residual, and Newton's matrix. */
#include <string.h>

#include "expr/call.h"
#include "lower/element_inside.h"
#include "step/functions.h"

typedef struct {
    const element_part *part;
    element_block *block;
    symbols y;
    expr *residual;           /* outputs that are not zero, */
    element_output *outputs;  /* and where they go */
    size_t count, capacity, output_capacity;
    expr *matrix;
    element_output *rows, *columns;
    size_t entry_count, entry_capacity, row_capacity, column_capacity;
    expr *variables;          /* unknowns of the phase */
    element_output *variable_columns;
    size_t variable_count;
    unsigned char *moves;     /* nodes that depend on them */
    expr *saved;              /* nodes that begin computes */
    size_t saved_count, saved_capacity;
    uint32_t push_count;
    int expressible;
} compiler;

/* ---- what is computed ---- */

static const uint32_t *index_of(const element_shape *s, step_size size, size_t k)
{
    return (size == STEP_C ? s->constraint : s->coordinate) + k * s->count;
}

static int add_output(compiler *c, expr e, size_t row, const uint32_t *index)
{
    taut_context *context = c->y.context;
    if (!e) return TAUT_OUT_OF_MEMORY;
    if (e == c->y.zero) return TAUT_OK;
    if (taut_mem_grow(context, &c->residual, &c->capacity, c->count + 1, sizeof *c->residual)
        || taut_mem_grow(context, &c->outputs, &c->output_capacity, c->count + 1, sizeof *c->outputs))
        return TAUT_OUT_OF_MEMORY;
    c->residual[c->count] = e;
    c->outputs[c->count++] = (element_output){ row, index };
    return TAUT_OK;
}

static int has_equation(const element_part *part, int equation)
{
    for (int e = 0; e < part->equation_count; e++)
        if (part->equations[e].equation == equation) return 1;
    return 0;
}

static int add_equations(compiler *c)
{
    const element_shape *shape = c->block->shape;
    int status = TAUT_OK;
    for (int e = 0; !status && e < c->part->equation_count; e++) {
        const element_rows *rows = &c->part->equations[e];
        const size_t count = rows->size == STEP_C ? shape->c : shape->n;
        expr *out = X(symbol_new)(&c->y, count);
        if (!out) return TAUT_OUT_OF_MEMORY;
        for (size_t k = 0; k < count; k++) out[k] = c->y.zero;
        X(symbol_terms)(&c->y, rows->equation, NULL, out);
        for (size_t k = 0; !status && k < count; k++)
            status = add_output(c, out[k], (size_t)rows->row, index_of(shape, rows->size, k));
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
            status = add_output(c, taut_expr_mul(c->y.g, factor, out[k]),
                                (size_t)c->part->size + (size_t)c->push_count * c->y.s->n,
                                index_of(shape, STEP_N, k));
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

static int add_entry(compiler *c, expr e, const element_output *row, const element_output *column)
{
    taut_context *context = c->y.context;
    if (!e) return TAUT_OUT_OF_MEMORY;
    if (e == c->y.zero) return TAUT_OK;
    if (taut_mem_grow(context, &c->matrix, &c->entry_capacity, c->entry_count + 1, sizeof *c->matrix)
        || taut_mem_grow(context, &c->rows, &c->row_capacity, c->entry_count + 1, sizeof *c->rows)
        || taut_mem_grow(context, &c->columns, &c->column_capacity, c->entry_count + 1, sizeof *c->columns))
        return TAUT_OUT_OF_MEMORY;
    c->matrix[c->entry_count] = e;
    c->rows[c->entry_count] = *row;
    c->columns[c->entry_count++] = *column;
    return TAUT_OK;
}

static int differentiate(compiler *c, size_t equations)
{
    expr *slopes = X(symbol_new)(&c->y, c->variable_count);
    int status = slopes ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < equations; i++) {
        status = taut_expr_gradient(c->y.g, c->residual[i], c->variables, c->variable_count, slopes);
        for (size_t k = 0; !status && k < c->variable_count; k++)
            status = add_entry(c, slopes[k], &c->outputs[i], &c->variable_columns[k]);
    }
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

/* A tape under way: its outputs in a graph of its own, where its inputs are slots. */
typedef struct {
    graph *g;
    expr *list, *image;       /* nodes that are needed, ascending; by node: what it is */
    size_t count;
    expr *inputs;             /* nodes of the symbols that are slots */
    uint32_t input_count;
} translation;

/* Inputs of `begin` are leaves; of the others, all that does not move, and the unknowns. */
static int is_input(const compiler *c, expr e, int begins)
{
    const node *n = taut_graph_node(c->y.g, e);
    if (n->op == OP_CONSTANT) return 0;
    return n->op == OP_VARIABLE || (!begins && !c->moves[e]);
}

/* What is needed, down to the inputs. */
static int find_needed(compiler *c, translation *t, const expr *roots, size_t root_count, int begins)
{
    graph *g = c->y.g;
    const uint32_t count = taut_graph_count(g);
    unsigned char *needed = taut_mem_new(c->y.context, count, 1);
    t->list = taut_mem_new(c->y.context, count, sizeof *t->list);
    t->image = taut_mem_new(c->y.context, count, sizeof *t->image);
    t->inputs = taut_mem_new(c->y.context, count, sizeof *t->inputs);
    int status = needed && t->list && t->image && t->inputs ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < root_count; i++) needed[roots[i]] = 1;
    for (expr e = count; !status && e-- > 1;) {
        const node *n = taut_graph_node(g, e);
        if (!needed[e] || is_input(c, e, begins)) continue;
        const int arity = taut_op_arity((op)n->op);
        if (arity) needed[n->a] = 1;
        if (arity == 2) needed[n->b] = 1;
    }
    for (expr e = 1; !status && e < count; e++)
        if (needed[e]) t->list[t->count++] = e;
    taut_mem_free(c->y.context, needed);
    return status;
}

static int translate(compiler *c, translation *t, int begins)
{
    graph *from = c->y.g;
    t->g = taut_graph_create(c->y.context);
    if (!t->g) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < t->count; i++) {
        const expr e = t->list[i];
        const node n = *taut_graph_node(from, e);
        if (n.op == OP_CONSTANT)
            t->image[e] = taut_expr_number(t->g, taut_graph_constant(from, e));
        else if (is_input(c, e, begins)) {
            t->image[e] = taut_expr_variable(t->g, KIND_SLOT, t->input_count);
            t->inputs[t->input_count++] = e;
        } else
            t->image[e] = taut_expr_rebuild(t->g, &n, t->image[n.a], op_has_number((op)n.op) ? 0 : t->image[n.b]);
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

static int save(compiler *c, expr e, size_t *at)
{
    for (*at = 0; *at < c->saved_count; ++*at)
        if (c->saved[*at] == e) return TAUT_OK;
    if (taut_mem_grow(c->y.context, &c->saved, &c->saved_capacity, c->saved_count + 1, sizeof *c->saved))
        return TAUT_OUT_OF_MEMORY;
    c->saved[c->saved_count++] = e;
    return TAUT_OK;
}

/* ---- where inputs come from ---- */

static element_input constant_input(const compiler *c, uint32_t k)
{
    const element_shape *shape = c->block->shape;
    if (k == shape->constants) return (element_input){ FROM_H, 0, NULL };
    const uint32_t *index = shape->constant + (size_t)k * shape->count, own = c->y.s->store
                              ? (uint32_t)taut_store_constant_count(c->y.s->store) : 0;
    return index[0] < own ? (element_input){ FROM_CONSTANT, 0, index } : (element_input){ FROM_OTHER_CONSTANT, own, index };
}

static int state_input(const compiler *c, uint32_t k, element_input *in)
{
    static const element_source vectors[] = { FROM_Q, FROM_P, FROM_W, FROM_Q_LOW, FROM_P_LOW };
    const element_shape *shape = c->block->shape;
    const state *x = &c->y.layout;
    const size_t size = X(state_size)(x), trend = (size_t)(x->trend - x->block), lambda = 5 * (size_t)shape->n;
    if (k < lambda)
        *in = (element_input){ vectors[k / shape->n], 0, index_of(shape, STEP_N, k % shape->n) };
    else if (k < lambda + shape->c)
        *in = (element_input){ FROM_LAMBDA, 0, index_of(shape, STEP_C, k - lambda) };
    else if (k >= trend && k < trend + shape->c)
        *in = (element_input){ FROM_TREND, 0, index_of(shape, STEP_C, k - trend) };
    else if (k >= size)
        *in = (element_input){ FROM_TIME, k - size, NULL };
    else
        return 0;
    return 1;
}

static int find_input(compiler *c, expr e, element_input *in)
{
    const node n = *taut_graph_node(c->y.g, e);
    const element_shape *shape = c->block->shape;
    const step_table *t = c->part->table;
    if (n.op != OP_VARIABLE) return TAUT_UNSUPPORTED;
    if (n.b == (uint32_t)LEAF_CONSTANT && n.a <= shape->constants) {
        *in = constant_input(c, n.a);
        return TAUT_OK;
    }
    if (n.b == (uint32_t)LEAF_STATE) return state_input(c, n.a, in) ? TAUT_OK : TAUT_UNSUPPORTED;
    if (n.b != (uint32_t)LEAF_UNKNOWN) return TAUT_UNSUPPORTED;
    int g = 0;
    while (n.a >= c->y.offsets[g + 1]) g++;
    *in = (element_input){ FROM_UNKNOWN, c->part->offsets[g],
                           index_of(shape, t->groups[g].size, n.a - c->y.offsets[g]) };
    return TAUT_OK;
}

static int list_inputs(compiler *c, const translation *t, int begins, element_program *p)
{
    int status = TAUT_OK;
    p->inputs = taut_mem_new(c->y.context, t->input_count, sizeof *p->inputs);
    if (!p->inputs) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < t->input_count; i++) {
        const expr e = t->inputs[i];
        if (begins || c->moves[e]) {
            status = find_input(c, e, &p->inputs[i]);
        } else {
            p->inputs[i] = (element_input){ FROM_SAVED, 0, NULL };
            status = save(c, e, &p->inputs[i].at);
        }
    }
    return status;
}

static int make_program(compiler *c, const expr *roots, size_t count, int begins, element_program *p)
{
    translation t = { 0 };
    if (!count) return TAUT_OK;
    expr *outputs = taut_mem_new(c->y.context, count, sizeof *outputs);
    int status = outputs ? find_needed(c, &t, roots, count, begins) : TAUT_OUT_OF_MEMORY;
    if (!status) status = translate(c, &t, begins);
    if (!status) status = list_inputs(c, &t, begins, p);
    for (size_t i = 0; !status && i < count; i++) outputs[i] = t.image[roots[i]];
    if (!status)
        status = taut_tape_create(t.g, outputs, NULL, NULL, (uint32_t)count, t.input_count, 0, 0, &p->tape);
    if (!status)
        status = X(workspace_reserve)(c->y.s->work, (size_t)p->tape->register_count * LANES, 0, 0);
    clear_translation(c, &t);
    taut_mem_free(c->y.context, outputs);
    return status;
}

static int make_programs(compiler *c)
{
    element_block *b = c->block;
    int status = find_moving(c);
    if (!status) status = make_program(c, c->residual, c->count, 0, &b->residual);
    if (!status) status = make_program(c, c->matrix, c->entry_count, 0, &b->matrix);
    return status ? status : make_program(c, c->saved, c->saved_count, 1, &b->begin);
}

/* Not where places contain forces at the start, of which an element has a part only; nor is work a sum over
   elements. */
static int is_expressible(const element_part *part)
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
        if (!has_equation(part, term->equation) && (part->group_count || term->equation != STEP_RESULT_WORK)) continue;
        if (term->function == STEP_VECTOR && term->place < 0 && term->place > STEP_TREND0) return 0;
        if (term->equation == STEP_RESULT_WORK && !X(step_function_empty)(part->s, term->function)) return 0;
    }
    return 1;
}

static void clear(compiler *c)
{
    taut_context *context = c->y.context;
    void *const blocks[] = { c->residual, c->matrix, c->variables, c->variable_columns, c->moves, c->saved };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    X(symbols_clear)(&c->y);
}

int X(element_compile)(const element_part *part, element_block *b, uint32_t *push_count, int *expressible)
{
    compiler c = { .part = part, .block = b };
    *expressible = is_expressible(part);
    if (!*expressible) return TAUT_OK;
    int status = X(symbols_create_element)(part->s, part->table, b->shape, &c.y);
    if (!status) status = list_variables(&c);
    if (!status) status = add_equations(&c);
    const size_t equations = c.count;
    if (!status) status = differentiate(&c, equations);
    if (!status && part->pushes) status = add_pushes(&c);
    if (!status && taut_graph_has_calls(c.y.g)) status = TAUT_UNSUPPORTED;
    if (!status) status = make_programs(&c);
    status = X(symbols_status)(&c.y, status);
    b->outputs = c.outputs;
    b->rows = c.rows;
    b->columns = c.columns;
    *push_count = c.push_count;
    clear(&c);
    *expressible = status != TAUT_UNSUPPORTED;
    return *expressible ? status : TAUT_OK;
}
