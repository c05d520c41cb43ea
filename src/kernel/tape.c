/* From expressions to tapes: topological order is the order of node indices; registers are handed out by last use. */
#include "kernel/tape.h"

#include <string.h>

#include "expr/call.h"
#include "expr/shown.h"

typedef struct {
    graph *g;
    tape *t;
    expr *list;              /* nodes, ascending; marked in the graph, which knows their positions */
    size_t count;
    uint32_t *home;          /* register of each node of the list */
    uint32_t *last_use;      /* position of the last reader; UINT32_MAX for outputs and inputs */
    uint32_t *free_registers;
    size_t free_count;
    int failed;
} compiler;

static size_t position(const compiler *c, expr e) { return taut_expr_position(c->g, e); }

static uint32_t input_register(const tape *t, const node *n)
{
    switch ((kind)n->b) {
    case KIND_SLOT: return n->a;
    case KIND_CONSTANT_SLOT: return t->slots + n->a;
    case KIND_DIRECTION_U: return t->slots + t->constants + n->a;
    default: return 2 * t->slots + t->constants + n->a;
    }
}

/* ---- calls ----
   The calls of one function with one list of arguments, value and derivatives, are one instruction, where the first of
   them stands. Lists have no register. */

static int is_same_call(const node *a, const node *b)
{
    return b->op == OP_CALL && a->a == b->a && call_function_of(a) == call_function_of(b);
}

/* Does an earlier node of the list call the same? */
static int is_called_before(const compiler *c, size_t i)
{
    const node *n = taut_graph_node(c->g, c->list[i]);
    for (size_t k = position(c, n->a) + 1; k < i; k++)
        if (is_same_call(n, taut_graph_node(c->g, c->list[k]))) return 1;
    return 0;
}

static void use_arguments(compiler *c, size_t i)
{
    expr list = taut_graph_node(c->g, c->list[i])->a;
    if (is_called_before(c, i)) return;
    while (list) {
        const size_t a = position(c, taut_call_next(c->g, &list));
        if (c->last_use[a] != UINT32_MAX) c->last_use[a] = (uint32_t)i;
    }
}

static void find_last_uses(compiler *c, const expr *outputs, uint32_t output_count)
{
    for (size_t i = 0; i < c->count; i++) {
        const node *n = taut_graph_node(c->g, c->list[i]);
        int arity = taut_op_arity(n->op);
        c->last_use[i] = arity ? 0 : UINT32_MAX;
        if (n->op == OP_CALL) use_arguments(c, i);
        if (n->op == OP_CALL || n->op == OP_ARGUMENT) continue;
        if (arity >= 1 && c->last_use[position(c, n->a)] != UINT32_MAX) c->last_use[position(c, n->a)] = (uint32_t)i;
        if (arity == 2 && c->last_use[position(c, n->b)] != UINT32_MAX) c->last_use[position(c, n->b)] = (uint32_t)i;
    }
    for (uint32_t o = 0; o < output_count; o++) c->last_use[position(c, outputs[o])] = UINT32_MAX;
}

static void place_leaves(compiler *c)
{
    tape *t = c->t;
    t->first_number = t->slots * (1 + t->directions) + t->constants;
    for (size_t i = 0; i < c->count; i++) {
        const node *n = taut_graph_node(c->g, c->list[i]);
        if (n->op == OP_VARIABLE) c->home[i] = input_register(t, n);
        if (n->op == OP_CONSTANT) {
            c->home[i] = t->first_number + t->number_count;
            t->numbers[t->number_count] = taut_graph_constant(c->g, c->list[i]);
            t->doubles[t->number_count] = (double)t->numbers[t->number_count];
            t->number_count++;
        }
    }
    t->register_count = t->first_number + t->number_count;
}

static void release(compiler *c, size_t operand, size_t reader)
{
    if (c->last_use[operand] != (uint32_t)reader) return;
    c->last_use[operand] = UINT32_MAX; /* once, also for x*x */
    c->free_registers[c->free_count++] = c->home[operand];
}

static void put_number(compiler *c, uint32_t number)
{
    tape *t = c->t;
    c->failed |= taut_mem_grow(taut_graph_context(c->g), &t->call_numbers, &t->call_number_capacity,
                               t->call_number_count + 1, sizeof *t->call_numbers);
    if (!c->failed) t->call_numbers[t->call_number_count++] = number;
}

static uint32_t new_register(compiler *c)
{
    return c->free_count ? c->free_registers[--c->free_count] : c->t->register_count++;
}

static void emit_call(compiler *c, size_t i)
{
    tape *t = c->t;
    const node *n = taut_graph_node(c->g, c->list[i]);
    const context_function *f = taut_graph_called(c->g, call_function_of(n));
    if (is_called_before(c, i)) return;
    c->failed |= taut_mem_grow(taut_graph_context(c->g), &t->calls, &t->call_capacity, t->call_count + 1,
                               sizeof *t->calls);
    if (c->failed) return;
    tape_call *made = &t->calls[t->call_count];
    *made = (tape_call){ .function = *f, .first = (uint32_t)t->call_number_count };
    expr list = n->a;
    while (list) put_number(c, c->home[position(c, taut_call_next(c->g, &list))]);
    for (list = n->a; list;) release(c, position(c, taut_call_next(c->g, &list)), i);
    for (size_t k = i; k < c->count; k++) {
        const node *other = taut_graph_node(c->g, c->list[k]);
        if (!is_same_call(n, other)) continue;
        const int order = call_order(f->arguments, call_component(other));
        c->home[k] = new_register(c);
        put_number(c, (uint32_t)call_place(f->arguments, call_component(other)));
        put_number(c, c->home[k]);
        made->outputs++;
        if (order > made->order) made->order = order;
    }
    const size_t room = f->arguments + call_room(f->arguments, made->order);
    if (room > t->call_room_size) t->call_room_size = room;
    t->code[t->length++] = (instruction){ OP_CALL, 0, (uint32_t)t->call_count++, 0 };
}

/* Room behind the registers; they are rows of lanes (field/lanes.h). */
static void make_call_room(compiler *c, size_t lanes)
{
    c->t->call_room = c->t->register_count;
    c->t->register_count += (uint32_t)((c->t->call_room_size + lanes - 1) / lanes);
}

static void emit(compiler *c, size_t i)
{
    const node *n = taut_graph_node(c->g, c->list[i]);
    int arity = taut_op_arity(n->op);
    if (n->op == OP_CALL) emit_call(c, i);
    if (arity == 0 || n->op == OP_CALL || n->op == OP_ARGUMENT) return;
    size_t a = position(c, n->a), b = arity == 2 ? position(c, n->b) : a;
    instruction line = { n->op, 0, c->home[a], op_has_number(n->op) ? n->b : c->home[b] };
    release(c, a, i);
    if (arity == 2) release(c, b, i);
    line.target = new_register(c);
    c->home[i] = line.target;
    c->t->code[c->t->length++] = line;
}

static int allocate(compiler *c, taut_context *context, uint32_t output_count)
{
    tape *t = c->t;
    t->code = taut_mem_new(context, c->count, sizeof *t->code);
    t->numbers = taut_mem_new(context, c->count, sizeof *t->numbers);
    t->doubles = taut_mem_new(context, c->count, sizeof *t->doubles);
    t->outputs = taut_mem_new(context, output_count, sizeof *t->outputs);
    t->output_i = taut_mem_new(context, output_count, sizeof *t->output_i);
    t->output_j = taut_mem_new(context, output_count, sizeof *t->output_j);
    c->home = taut_mem_new(context, c->count, sizeof *c->home);
    c->last_use = taut_mem_new(context, c->count, sizeof *c->last_use);
    c->free_registers = taut_mem_new(context, c->count, sizeof *c->free_registers);
    int done = t->code && t->numbers && t->doubles && t->outputs && t->output_i && t->output_j && c->home &&
               c->last_use && c->free_registers;
    return done ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

int taut_tape_create(graph *g, const expr *given, const uint32_t *i, const uint32_t *j, uint32_t output_count,
                     uint32_t slots, uint32_t constants, uint32_t directions, tape **result)
{
    taut_context *context = taut_graph_context(g);
    compiler c = { .g = g };
    *result = NULL;
    expr *outputs = taut_mem_new(context, output_count, sizeof *outputs);
    if (!outputs) return TAUT_OUT_OF_MEMORY;
    for (uint32_t o = 0; o < output_count; o++) {
        outputs[o] = taut_expr_plain(g, given[o]);
        if (!outputs[o]) {
            taut_mem_free(context, outputs);
            return TAUT_OUT_OF_MEMORY;
        }
    }
    c.t = taut_mem_new(context, 1, sizeof *c.t);
    if (!c.t) {
        taut_mem_free(context, outputs);
        return TAUT_OUT_OF_MEMORY;
    }
    *c.t = (tape){ .slots = slots, .constants = constants, .directions = directions, .output_count = output_count };
    int status = taut_expr_reachable(g, outputs, output_count, &c.list, &c.count);
    if (!status) status = allocate(&c, context, output_count);
    if (!status) {
        taut_expr_mark_list(g, c.list, c.count);
        find_last_uses(&c, outputs, output_count);
        place_leaves(&c);
        for (size_t k = 0; k < c.count && !c.failed; k++) emit(&c, k);
        make_call_room(&c, TAPE_LANES);
        if (c.failed) status = TAUT_OUT_OF_MEMORY;
        for (uint32_t o = 0; o < output_count; o++) c.t->outputs[o] = c.home[position(&c, outputs[o])];
        taut_expr_forget_list(g, c.list, c.count);
        if (i && output_count) memcpy(c.t->output_i, i, output_count * sizeof *i);
        if (j && output_count) memcpy(c.t->output_j, j, output_count * sizeof *j);
    }
    taut_mem_free(context, c.home);
    taut_mem_free(context, c.last_use);
    taut_mem_free(context, c.free_registers);
    taut_mem_free(context, outputs);
    taut_expr_list_free(g, c.list);
    if (status)
        taut_tape_destroy(context, c.t);
    else
        *result = c.t;
    return status;
}

void taut_tape_destroy(taut_context *context, tape *t)
{
    if (!t) return;
    taut_mem_free(context, t->code);
    taut_mem_free(context, t->numbers);
    taut_mem_free(context, t->doubles);
    taut_mem_free(context, t->outputs);
    taut_mem_free(context, t->output_i);
    taut_mem_free(context, t->output_j);
    taut_mem_free(context, t->calls);
    taut_mem_free(context, t->call_numbers);
    taut_mem_free(context, t);
}
