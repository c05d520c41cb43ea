#include "lower/element_reading.h"

#include <string.h>

#include "base/room.h"
#include "lower/element_inside.h"

enum { VELOCITY, WATCHED, POWER, PROGRAMS };
enum { GROUP_VELOCITY, GROUP_LAMBDA, GROUPS }; /* unknowns of the table: they are given */
enum { HERE, ALONG };                          /* places: the state; with the velocity for w */

/* A program, and the one before it: what depends on constants alone is computed when these have changed. */
typedef struct {
    element_program before, program;
    element_table saved;
} reading_program;

typedef struct {
    const element_shape *shape;
    element_lanes lanes;
    reading_program programs[PROGRAMS];
    element_output *velocity_rows;
    int has_g, has_rate, has_energy; /* what is watched, in this order; of the first two a maximum and a sum */
} reading_block;

struct element_reading {
    struct system *s;
    element_graph graph;
    reading_block *blocks;
    uint32_t block_count;
    void *room;
    int is_current;           /* the saved numbers are those of these constants */
    unsigned constants_version;
};

/* ---- what is computed ---- */

typedef struct {
    const element_part *part;
    symbols y;
    reading_block *block;
    expr *outputs;
    element_output *rows;
    size_t count;
} compiler;

/* Velocities of a Lagrangian are its w. */
static int has_velocity(const struct system *s) { return s->form != FORM_LAGRANGIAN; }

static void make_table(const struct system *s, step_table *t)
{
    X(step_table_begin)(t);
    X(step_add_phase)(t, "what is watched");
    X(step_add_group)(t, 0, STEP_N), X(step_add_group)(t, 0, STEP_C);
    X(step_add_place)(t, 0), X(step_add_place)(t, 0);
    X(step_put)(t, HERE, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, HERE, STEP_W, STEP_W0, 1, 0);
    X(step_put)(t, HERE, STEP_LAMBDA, GROUP_LAMBDA, 1, 0);
    X(step_put)(t, ALONG, STEP_Q, STEP_Q0, 1, 0);
    X(step_put)(t, ALONG, STEP_W, has_velocity(s) ? GROUP_VELOCITY : STEP_W0, 1, 0);
}

static void add_output(compiler *c, expr e, const uint32_t *index)
{
    c->rows[c->count] = (element_output){ 0, index };
    c->outputs[c->count++] = e;
}

/* The largest size and, because a maximum may lose what is not a number, the sum of the sizes. Returns whether there
   is anything. */
static int add_largest(compiler *c, const expr *values, size_t count)
{
    graph *g = c->y.g;
    expr most = 0, sum = 0;
    for (size_t k = 0; k < count; k++) {
        if (values[k] == c->y.zero) continue;
        const expr size = taut_expr_unary(g, OP_ABS, values[k]);
        most = most ? taut_expr_binary(g, OP_MAX, most, size) : size;
        sum = sum ? taut_expr_add(g, sum, size) : size;
    }
    if (!most) return 0;
    add_output(c, most, NULL), add_output(c, sum, NULL);
    return 1;
}

static void list_watched(compiler *c, const expr *v, expr *made)
{
    symbols *y = &c->y;
    reading_block *b = c->block;
    X(symbol_function)(y, STEP_G, HERE, NULL, made);
    b->has_g = add_largest(c, made, y->c);
    X(symbol_function)(y, STEP_RATE, ALONG, NULL, made);
    b->has_rate = add_largest(c, made, y->c);
    const expr energy = X(symbol_energy)(y, HERE, v);
    b->has_energy = energy != y->zero;
    if (b->has_energy) add_output(c, energy, NULL);
}

static void list_outputs(compiler *c, int which)
{
    symbols *y = &c->y;
    const element_shape *shape = c->block->shape;
    const expr *v = X(symbol_vector)(y, has_velocity(y->s) ? GROUP_VELOCITY : STEP_W0);
    expr *made = X(symbol_new)(y, (size_t)y->n + y->c);
    c->count = 0;
    if (!made || !v) return;
    if (which == WATCHED) list_watched(c, v, made);
    if (which == POWER && (*made = X(symbol_power)(y, HERE, v)) != y->zero) add_output(c, *made, NULL);
    if (which != VELOCITY) return;
    X(symbol_function)(y, STEP_NU, HERE, NULL, made);
    for (size_t k = 0; k < y->n; k++)
        if (made[k] != y->zero) add_output(c, made[k], shape->coordinate + k * shape->stride);
}

/* ---- programs ---- */

/* Nodes that outputs need, ascending, and those of them that depend on constants alone. */
typedef struct {
    expr *list;
    size_t count;
    unsigned char *still;     /* by node: 1, or 2 where it is saved */
    expr *saved;
    uint32_t saved_count;
    graph *g;                 /* where the program is, and by node what it is there */
    expr *image;
} translation;

static void mark_saved(translation *t, expr e)
{
    if (t->still[e] == 1) t->still[e] = 2;
}

static int find_still(compiler *c, translation *t)
{
    graph *g = c->y.g;
    t->still = taut_mem_new(c->y.context, taut_graph_count(g), 1);
    t->saved = taut_mem_new(c->y.context, t->count, sizeof *t->saved);
    if (!t->still || !t->saved) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < t->count; i++) {
        const expr e = t->list[i];
        const node *n = taut_graph_node(g, e);
        const int arity = taut_op_arity((op)n->op);
        if (n->op == OP_CONSTANT) continue;
        if (n->op == OP_VARIABLE) t->still[e] = n->b == (uint32_t)LEAF_CONSTANT;
        else
            t->still[e] = (t->still[n->a] || taut_graph_node(g, n->a)->op == OP_CONSTANT)
                          && (arity < 2 || t->still[n->b] || taut_graph_node(g, n->b)->op == OP_CONSTANT);
        if (t->still[e] || n->op == OP_VARIABLE) continue;
        mark_saved(t, n->a);
        if (arity == 2) mark_saved(t, n->b);
    }
    for (size_t k = 0; k < c->count; k++) mark_saved(t, c->outputs[k]);
    for (size_t i = 0; i < t->count; i++)
        if (t->still[t->list[i]] == 2) t->saved[t->saved_count++] = t->list[i];
    return TAUT_OK;
}

static int list_inputs(compiler *c, translation *t, int still, element_program *p)
{
    const element_view view = { c->part, c->block->shape, &c->y };
    p->inputs = taut_mem_new(c->y.context, t->count, sizeof *p->inputs);
    if (!p->inputs) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < t->count; i++) {
        const expr e = t->list[i];
        if (taut_graph_node(c->y.g, e)->op != OP_VARIABLE || (t->still[e] > 0) != still) continue;
        t->image[e] = taut_expr_variable(t->g, KIND_SLOT, p->saved_count + p->input_count);
        const int status = X(element_find_input)(&view, e, &p->inputs[p->input_count++]);
        if (status) return status;
    }
    return TAUT_OK;
}

/* The program of what is still, or of all else; the roots are replaced by their images. */
static int make_half(compiler *c, translation *t, int still, expr *roots, size_t count, element_program *p)
{
    graph *from = c->y.g;
    t->g = taut_graph_create(c->y.context);
    if (!t->g) return TAUT_OUT_OF_MEMORY;
    memset(t->image, 0, taut_graph_count(from) * sizeof *t->image);
    for (uint32_t k = 0; k < p->saved_count; k++) t->image[t->saved[k]] = taut_expr_variable(t->g, KIND_SLOT, k);
    int status = list_inputs(c, t, still, p);
    for (size_t i = 0; !status && i < t->count; i++) {
        const expr e = t->list[i];
        const node n = *taut_graph_node(from, e);
        if (n.op == OP_CONSTANT)
            t->image[e] = taut_expr_number(t->g, taut_graph_constant(from, e));
        else if (n.op != OP_VARIABLE && (t->still[e] > 0) == still)
            t->image[e] = taut_expr_rebuild(t->g, &n, t->image[n.a], op_has_number((op)n.op) ? 0 : t->image[n.b]);
        else
            continue;
        if (!t->image[e]) status = TAUT_OUT_OF_MEMORY;
    }
    for (size_t k = 0; k < count; k++) roots[k] = t->image[roots[k]];
    if (!status) status = X(element_program_create)(c->y.s, t->g, roots, count, &c->block->lanes, p);
    taut_graph_destroy(t->g);
    return status;
}

static int make_program(compiler *c, reading_program *p)
{
    taut_context *context = c->y.context;
    translation t = { 0 };
    if (!c->count) return TAUT_OK;
    int status = taut_expr_reachable(c->y.g, c->outputs, c->count, &t.list, &t.count);
    if (status) return status;
    t.image = taut_mem_new(context, taut_graph_count(c->y.g), sizeof *t.image);
    status = t.image ? find_still(c, &t) : TAUT_OUT_OF_MEMORY;
    p->program.saved_count = p->before.kept_count = p->saved.rows = t.saved_count;
    if (!status) status = make_half(c, &t, 0, c->outputs, c->count, &p->program);
    if (!status && t.saved_count) status = make_half(c, &t, 1, t.saved, t.saved_count, &p->before);
    taut_expr_list_free(c->y.g, t.list);
    taut_mem_free(context, t.image);
    taut_mem_free(context, t.still);
    taut_mem_free(context, t.saved);
    return status;
}

static int compile(compiler *c, int has_power)
{
    const size_t most = (size_t)c->y.n + 5;
    int status = TAUT_OK;
    c->outputs = X(symbol_new)(&c->y, most);
    c->rows = taut_mem_new(c->y.context, most, sizeof *c->rows);
    if (!c->outputs || !c->rows) return TAUT_OUT_OF_MEMORY;
    for (int which = 0; !status && which < PROGRAMS; which++) {
        if (which == VELOCITY ? !has_velocity(c->y.s) : which == POWER && !has_power) continue;
        list_outputs(c, which);
        status = c->y.failed ? TAUT_OUT_OF_MEMORY : make_program(c, &c->block->programs[which]);
        if (which != VELOCITY) continue;
        c->block->velocity_rows = c->rows;
        c->rows = taut_mem_new(c->y.context, most, sizeof *c->rows);
        if (!c->rows) return TAUT_OUT_OF_MEMORY;
    }
    return status;
}

static int compile_shape(const element_part *part, int has_power, reading_block *b)
{
    compiler c = { .part = part, .block = b };
    X(element_lanes_begin)(part->s, b->shape->count, &b->lanes);
    int status = X(symbols_create_element)(part->s, part->table, b->shape, &c.y);
    if (!status) status = compile(&c, has_power);
    status = X(symbols_status)(&c.y, status);
    taut_mem_free(part->s->context, c.rows);
    X(symbols_clear)(&c.y);
    return status;
}

/* ---- creation ---- */

void X(element_reading_destroy)(element_reading *r)
{
    if (!r) return;
    taut_context *context = r->s->context;
    for (uint32_t i = 0; i < r->block_count; i++) {
        for (int which = 0; which < PROGRAMS; which++) {
            X(element_program_clear)(context, &r->blocks[i].programs[which].before);
            X(element_program_clear)(context, &r->blocks[i].programs[which].program);
        }
        taut_mem_free(context, r->blocks[i].velocity_rows);
    }
    taut_mem_free(context, r->blocks);
    X(element_graph_clear)(context, &r->graph);
    room_free(context, &r->room);
    taut_mem_free(context, r);
}

static void lay_out(void *self, room_layout *l)
{
    element_reading *r = self;
    for (uint32_t i = 0; i < r->block_count; i++)
        for (int which = 0; which < PROGRAMS; which++)
            X(element_table_lay_out)(&r->blocks[i].lanes, &r->blocks[i].programs[which].saved, l);
}

static int create(element_reading *r, const step_table *t, int has_power, int *usable)
{
    static const size_t offsets[GROUPS + 1] = { GROUP_VELOCITY, GROUP_LAMBDA, GROUPS }; /* they only tell groups apart */
    const element_part part = { .s = r->s, .table = t, .graph = &r->graph, .offsets = offsets };
    int status = X(element_graph_create)(r->s, t, 1, &r->graph, usable);
    if (status || !*usable) return status;
    r->blocks = taut_mem_new(r->s->context, r->graph.shape_count, sizeof *r->blocks);
    if (!r->blocks) return TAUT_OUT_OF_MEMORY;
    while (!status && r->block_count < r->graph.shape_count) {
        reading_block *b = &r->blocks[r->block_count];
        b->shape = &r->graph.shapes[r->block_count++];
        status = compile_shape(&part, has_power, b);
    }
    return status ? status : room_create(r->s->context, lay_out, r, &r->room);
}

int X(element_reading_create)(struct system *s, int has_power, element_reading **result)
{
    step_table *t = taut_mem_new(s->context, 1, sizeof *t);
    element_reading *r = taut_mem_new(s->context, 1, sizeof *r);
    int usable = 0, status = t && r ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    *result = NULL;
    if (r) r->s = s;
    if (!status) make_table(s, t);
    if (!status) status = create(r, t, has_power, &usable);
    taut_mem_free(s->context, t);
    if (!status && usable)
        *result = r;
    else
        X(element_reading_destroy)(r);
    return status == TAUT_UNSUPPORTED ? TAUT_OK : status;
}

/* ---- reading ---- */

typedef struct {
    const struct system *s;
    const state *x;
    const real *v, *lambda;
} source;

static const real *vector_of(const void *user, const element_input *in)
{
    const source *from = user;
    switch (in->from) {
    case FROM_CONSTANT: return from->s->constants;
    case FROM_Q: return from->x->q;
    case FROM_W: return from->x->w;
    case FROM_UNKNOWN: return in->at == GROUP_LAMBDA ? from->lambda : from->v;
    case FROM_TIME: return &from->x->t;
    default: return NULL;
    }
}

static void begin(element_reading *r)
{
    const source from = { r->s, NULL, NULL, NULL };
    if (r->is_current && r->constants_version == r->s->constants_version) return;
    for (uint32_t i = 0; i < r->block_count; i++)
        for (int which = 0; which < PROGRAMS; which++) {
            reading_program *p = &r->blocks[i].programs[which];
            X(element_run)(r->s, &r->blocks[i].lanes, &p->before, NULL, &p->saved, vector_of, &from, NULL, NULL);
        }
    r->is_current = 1;
    r->constants_version = r->s->constants_version;
}

static void run(const element_reading *r, uint32_t block, int which, const source *from, element_put *put, void *out)
{
    const reading_block *b = &r->blocks[block];
    const reading_program *p = &b->programs[which];
    X(element_run)(r->s, &b->lanes, &p->program, p->saved.rows ? &p->saved : NULL, NULL, vector_of, from, put, out);
}

typedef struct {
    const element_output *rows;
    real *v;
} velocity_target;

static void put_velocity(const element_group *g, void *target)
{
    const velocity_target *to = target;
    for (uint32_t from = 0; from < g->count; from += ELEMENT_BLOCK)
        for (uint32_t o = 0; o < g->program->output_count; o++)
            X(element_add)(g, from, to->rows[o].index, element_value(g, o), to->v);
}

void X(element_reading_velocity)(element_reading *r, const state *x, real *v)
{
    const source from = { r->s, x, NULL, NULL };
    if (!has_velocity(r->s)) {
        memcpy(v, x->w, r->s->n * sizeof *v);
        return;
    }
    begin(r);
    memset(v, 0, r->s->n * sizeof *v);
    for (uint32_t i = 0; i < r->block_count; i++) {
        velocity_target to = { r->blocks[i].velocity_rows, v };
        run(r, i, VELOCITY, &from, put_velocity, &to);
    }
}

/* Element i adds to sum i mod ELEMENT_BLOCK: an order that does not depend on the width. */
static void add_up(const element_group *g, uint32_t output, real *sums)
{
    const real *value = element_value(g, output);
    uint32_t i = 0;
    for (; i + ELEMENT_BLOCK <= g->count; i += ELEMENT_BLOCK)
        for (uint32_t k = 0; k < ELEMENT_BLOCK; k++) sums[k] += value[i + k];
    for (uint32_t k = 0; i < g->count; i++, k++) sums[k] += value[i];
}

static real total_of(const real *sums) { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }

/* Of lanes: the largest number of those that are one, and a sum that is none if one of them is none. */
typedef struct {
    real most[ELEMENT_BLOCK], sum[ELEMENT_BLOCK];
} largest;

typedef struct {
    const reading_block *block;
    real sums[ELEMENT_BLOCK];
    largest g, rate;
} watched_target;

static inline void see_lanes(const real *restrict most, const real *restrict sum, uint32_t count, largest *restrict to)
{
    for (uint32_t k = 0; k < count; k++) {
        to->most[k] = most[k] > to->most[k] ? most[k] : to->most[k];
        to->sum[k] += sum[k];
    }
}

/* Lanes without an element repeat the last one. */
static void see(const element_group *g, uint32_t output, largest *to)
{
    const real *most = element_value(g, output), *sum = element_value(g, output + 1);
    const uint32_t width = g->lanes->width;
    if (width < ELEMENT_BLOCK) see_lanes(most, sum, width, to);
    for (uint32_t i = 0; i + ELEMENT_BLOCK <= width; i += ELEMENT_BLOCK)
        see_lanes(most + i, sum + i, ELEMENT_BLOCK, to);
}

static void put_watched(const element_group *g, void *target)
{
    watched_target *to = target;
    uint32_t o = 0;
    if (to->block->has_g) see(g, 0, &to->g), o = 2;
    if (to->block->has_rate) see(g, o, &to->rate), o += 2;
    if (to->block->has_energy) add_up(g, o, to->sums);
}

static real largest_of(const largest *of)
{
    const real sum = total_of(of->sum);
    return sum == sum ? real_largest(of->most, ELEMENT_BLOCK) : sum;
}

element_watched X(element_reading_watched)(element_reading *r, const state *x, const real *v)
{
    const source from = { r->s, x, v, NULL };
    watched_target to = { 0 };
    real energy = 0;
    begin(r);
    for (uint32_t i = 0; i < r->block_count; i++) {
        to.block = &r->blocks[i];
        memset(to.sums, 0, sizeof to.sums);
        run(r, i, WATCHED, &from, put_watched, &to);
        energy += total_of(to.sums);
    }
    return (element_watched){ energy, largest_of(&to.g), largest_of(&to.rate) };
}

static void put_power(const element_group *g, void *sums) { add_up(g, 0, sums); }

real X(element_reading_power)(element_reading *r, const state *x, const real *v, const real *lambda)
{
    const source from = { r->s, x, v, lambda };
    real power = 0;
    begin(r);
    for (uint32_t i = 0; i < r->block_count; i++) {
        real sums[ELEMENT_BLOCK] = { 0 };
        run(r, i, POWER, &from, put_power, sums);
        power += total_of(sums);
    }
    return power;
}
