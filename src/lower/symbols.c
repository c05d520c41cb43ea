#include "lower/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/flat.h"
#include "lower/element_graph.h"
#include "step/functions.h"

/* ---- memory ---- */

void X(symbols_clear)(symbols *y)
{
    if (!y->context) return;
    for (size_t i = 0; i < y->block_count; i++) taut_mem_free(y->context, y->blocks[i]);
    taut_mem_free(y->context, y->blocks);
    taut_mem_free(y->context, y->unknowns);
    taut_mem_free(y->context, y->image);
    taut_mem_free(y->context, y->list);
    taut_mem_free(y->context, y->needed);
    taut_graph_destroy(y->g);
    if (y->s) X(state_clear)(y->s, &y->layout);
    *y = (symbols){ 0 };
}

/* Zeroed; lives as long as the symbols. NULL: none, and y->failed is set. */
static expr *new_vector(symbols *y, size_t count)
{
    if (taut_mem_grow(y->context, &y->blocks, &y->block_capacity, y->block_count + 1, sizeof *y->blocks)) {
        y->failed = 1;
        return NULL;
    }
    expr *made = taut_mem_new(y->context, count ? count : 1, sizeof *made);
    if (made)
        y->blocks[y->block_count++] = made;
    else
        y->failed = 1;
    return made;
}

expr *X(symbol_new)(symbols *y, size_t count) { return new_vector(y, count); }

static expr checked(symbols *y, expr e)
{
    if (!e) y->failed = 1;
    return e;
}

static expr add(symbols *y, expr a, expr b) { return taut_expr_add(y->g, a, b); }
static expr sub(symbols *y, expr a, expr b) { return taut_expr_sub(y->g, a, b); }
static expr mul(symbols *y, expr a, expr b) { return taut_expr_mul(y->g, a, b); }

/* The layout of a state, for its shape alone. */
static int create_layout(symbols *y)
{
    struct system *s = y->s;
    if (y->element) {
        y->layout = (state){ .n = y->n, .c = y->c };
        y->layout.room = y->layout.block = taut_mem_new(s->context, X(state_size)(&y->layout), sizeof(real));
        if (!y->layout.block) return TAUT_OUT_OF_MEMORY;
        X(state_find_members)(&y->layout);
        return TAUT_OK;
    }
    flat_workspace *open = taut_flat_suspend(s->context); /* at once */
    int status = X(state_create)(s, &y->layout);
    taut_flat_resume(s->context, open);
    return status;
}

static int create(symbols *y)
{
    struct system *s = y->s;
    const step_table *table = y->table;
    y->g = taut_graph_create(s->context);
    if (create_layout(y) || !y->g) return TAUT_OUT_OF_MEMORY;
    y->zero = taut_expr_number(y->g, 0);
    y->one = taut_expr_number(y->g, 1);
    y->image_size = taut_graph_count(taut_store_shapes(s->store));
    if (table->energy && X(field_store)(table->energy) != s->store) {
        size_t size = taut_graph_count(taut_store_shapes(X(field_store)(table->energy)));
        if (size > y->image_size) y->image_size = size;
    }
    y->h = taut_expr_variable(y->g, (kind)LEAF_CONSTANT, y->constant_count + y->other_count);
    for (int g = 0; g < table->group_count; g++)
        y->offsets[g + 1] = y->offsets[g] + X(symbol_vector_length)(y, g);
    size_t count = y->offsets[table->group_count];
    y->unknowns = taut_mem_new(s->context, count ? count : 1, sizeof *y->unknowns);
    y->image = taut_mem_new(s->context, y->image_size, sizeof *y->image);
    y->list = taut_mem_new(s->context, y->image_size, sizeof *y->list);
    y->needed = taut_mem_new(s->context, y->image_size, 1);
    if (!y->zero || !y->one || !y->h || !y->unknowns || !y->image || !y->list || !y->needed) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        y->unknowns[i] = checked(y, taut_expr_variable(y->g, (kind)LEAF_UNKNOWN, (uint32_t)i));
    return y->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

int X(symbols_create)(struct system *s, const step_table *table, symbols *y)
{
    *y = (symbols){ .s = s, .table = table, .context = s->context, .n = s->n, .c = s->c };
    y->constant_count = (uint32_t)taut_store_constant_count(s->store);
    if (table->energy && X(field_store)(table->energy) != s->store)
        y->other_count = (uint32_t)taut_store_constant_count(X(field_store)(table->energy));
    return create(y);
}

int X(symbols_create_element)(struct system *s, const step_table *table, const element_shape *element, symbols *y)
{
    *y = (symbols){ .s = s, .table = table, .context = s->context, .element = element };
    y->n = element->n;
    y->c = element->c;
    y->constant_count = element->constants;
    return create(y);
}

int X(symbols_status)(const symbols *y, int status)
{
    return y->g && taut_graph_ran_out(y->g) ? TAUT_OUT_OF_MEMORY : status;
}

/* ---- fields: the terms of a family with symbols for their variables ---- */

/* Where a family is taken, and the place discrete gradients end. */
typedef struct {
    const symbol_place *from, *to;
} ends;

/* A term of a family. */
typedef struct {
    store *store;
    const kernel *kernel;
    uint32_t row, first_constant;
    const uint32_t *variables, *constants;
} instance;

static expr leaf_image(symbols *y, const node *n, const instance *of, ends at)
{
    if (n->b == KIND_CONSTANT_SLOT)
        return taut_expr_variable(y->g, (kind)LEAF_CONSTANT, of->first_constant + of->constants[n->a]);
    const symbol_place *p = n->b == KIND_SLOT ? at.from : at.to;
    kind k = (kind)of->kernel->slot_kind[n->a];
    return k == KIND_T ? p->t : p->x[k] ? p->x[k][of->variables[n->a]] : y->zero;
}

static expr node_image(symbols *y, expr e, const instance *of, ends at)
{
    graph *shapes = taut_store_shapes(of->store);
    node n = *taut_graph_node(shapes, e);
    if (n.op == OP_VARIABLE) return leaf_image(y, &n, of, at);
    if (n.op == OP_CONSTANT) return taut_expr_number(y->g, taut_graph_constant(shapes, e));
    if (n.op == OP_SHOWN) return y->image[n.a]; /* that is its value */
    return taut_expr_rebuild(y->g, &n, y->image[n.a], op_has_number((op)n.op) ? 0 : y->image[n.b]);
}

/* What is done with each root of each term: which output it adds to, times what. */
typedef struct field_use {
    enum { USE_VALUES, USE_GRADIENT, USE_SLOPE } use; /* slope: by q and t along (velocity, 1), into rows */
    unsigned by;                       /* kinds of slots, a mask */
    discrete_mode mode;
    int discrete;
    const expr *weights;               /* of rows; NULL: 1 */
    const expr *velocity;
    expr factor;                       /* 0: 1 */
} field_use;

static const expr *roots_of(const kernel *k, const field_use *u)
{
    return u->use == USE_VALUES ? &k->value : u->discrete ? k->discrete[u->mode] : k->gradient;
}

static void put_root(symbols *y, const instance *of, uint32_t slot, expr value, const field_use *u, expr *out)
{
    uint32_t row = of->row, variable = of->kernel->slots ? of->variables[slot] : 0;
    expr *to = u->use == USE_GRADIENT ? &out[variable] : &out[row];
    if (u->use == USE_GRADIENT && u->weights) value = mul(y, u->weights[row], value);
    if (u->use == USE_SLOPE && of->kernel->slot_kind[slot] == KIND_Q) value = mul(y, value, u->velocity[variable]);
    if (u->factor) value = mul(y, u->factor, value);
    *to = checked(y, add(y, *to, value));
}

static void add_term(symbols *y, const instance *of, size_t count, const field_use *u, ends at, expr *out)
{
    const kernel *k = of->kernel;
    const expr *roots = roots_of(k, u);
    for (size_t i = 0; i < count; i++) y->image[y->list[i]] = checked(y, node_image(y, y->list[i], of, at));
    if (u->use == USE_VALUES) {
        put_root(y, of, 0, y->image[*roots], u, out);
        return;
    }
    for (uint32_t slot = 0; slot < k->slots; slot++)
        if (u->by >> k->slot_kind[slot] & 1) put_root(y, of, slot, y->image[roots[slot]], u, out);
}

static int selects(const kernel *k, const field_use *u)
{
    return u->use == USE_VALUES || (k->kinds & u->by);
}

static int ascending(const void *x, const void *y)
{
    const expr a = *(const expr *)x, b = *(const expr *)y;
    return (a > b) - (a < b);
}

static void list_node(symbols *y, expr e, size_t *found)
{
    if (!e || y->needed[e]) return;
    y->needed[e] = 1;
    y->list[(*found)++] = e;
}

/* The nodes below the roots that are used, ascending, into y->list. The store's graph may be shared with other threads:
   nothing of it is touched, its own traversals write. */
static size_t list_nodes(symbols *y, const graph *shapes, const kernel *k, const field_use *u)
{
    const expr *roots = roots_of(k, u);
    const uint32_t count = u->use == USE_VALUES ? 1 : k->slots;
    size_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (u->use == USE_VALUES || (u->by >> k->slot_kind[i] & 1)) list_node(y, roots[i], &found);
    for (size_t i = 0; i < found; i++) {
        const node *n = taut_graph_node(shapes, y->list[i]);
        if (n->op == OP_VARIABLE || n->op == OP_CONSTANT) continue;
        list_node(y, n->a, &found);
        if (!op_has_number((op)n->op) && taut_op_arity((op)n->op) == 2 && n->op != OP_SHOWN)
            list_node(y, n->b, &found);
    }
    for (size_t i = 0; i < found; i++) y->needed[y->list[i]] = 0;
    qsort(y->list, found, sizeof *y->list, ascending);
    return found;
}

/* Terms of an element: their tables are its own. */
static void add_element(symbols *y, const field *f, const field_use *u, ends at, expr *out)
{
    const family *all = X(field_family)(f);
    store *from = X(field_store)(f);
    const kernel *listed = NULL;
    size_t count = 0;
    for (uint32_t i = 0; !y->failed && i < y->element->term_count; i++) {
        const element_term *t = &y->element->terms[i];
        if (t->family != all) continue;
        const kernel *k = taut_store_kernel(from, t->kernel);
        if (!selects(k, u)) continue;
        if (k != listed) count = list_nodes(y, taut_store_shapes(from), k, u);
        listed = k;
        instance of = { from, k, t->row, 0, t->variables, t->constants };
        add_term(y, &of, count, u, at, out);
    }
}

static void add_field(symbols *y, const field *f, const field_use *u, ends at, expr *out)
{
    if (f && y->element) {
        add_element(y, f, u, at, out);
        return;
    }
    const family *all = f ? X(field_family)(f) : NULL;
    store *from = f ? X(field_store)(f) : NULL;
    const uint32_t first_constant = from == y->s->store ? 0 : y->constant_count;
    for (size_t i = 0; f && !y->failed && i < all->batch_count; i++) {
        const batch *b = &all->batches[i];
        const kernel *k = taut_store_kernel(from, b->kernel);
        if (!selects(k, u)) continue;
        size_t count = list_nodes(y, taut_store_shapes(from), k, u);
        for (uint32_t term = 0; !y->failed && term < b->count; term++) {
            instance of = { from, k, b->rows[term], first_constant, b->variables + (size_t)term * k->slots,
                            b->constants + (size_t)term * k->constants };
            add_term(y, &of, count, u, at, out);
        }
    }
}

static void add_values(symbols *y, const field *f, const symbol_place *at, expr *out)
{
    field_use u = { .use = USE_VALUES };
    add_field(y, f, &u, (ends){ at, at }, out);
}

static void add_gradient(symbols *y, const field *f, kind by, const symbol_place *at, const expr *weights, expr factor,
                         expr *out)
{
    field_use u = { .use = USE_GRADIENT, .by = 1u << by, .weights = weights, .factor = factor };
    add_field(y, f, &u, (ends){ at, at }, out);
}

static void add_discrete(symbols *y, const field *f, discrete_mode mode, kind by, ends at, const expr *weights,
                         expr *out)
{
    field_use u = { .use = USE_GRADIENT, .by = 1u << by, .discrete = 1, .mode = mode, .weights = weights };
    add_field(y, f, &u, at, out);
}

/* ---- vectors and places ---- */

expr X(symbol_leaf)(symbols *y, state_leaf leaf)
{
    uint32_t first = (uint32_t)X(state_size)(&y->layout);
    return checked(y, taut_expr_variable(y->g, (kind)LEAF_STATE, first + (uint32_t)leaf));
}

expr X(symbol_state)(symbols *y, const real *member, uint32_t index)
{
    return checked(y, taut_expr_variable(y->g, (kind)LEAF_STATE, (uint32_t)(member - y->layout.block) + index));
}

uint32_t X(symbol_given_count)(const struct system *s)
{
    return 1 + (s->inverse_mass ? (uint32_t)pattern_entries(s->inverse_mass_shape) : 0);
}

real X(symbol_given_value)(const struct system *s, uint32_t index)
{
    return index ? s->inverse_mass[index - 1] : s->least;
}

static expr given(symbols *y, uint32_t index)
{
    return checked(y, taut_expr_variable(y->g, (kind)LEAF_CONSTANT, y->constant_count + y->other_count + 1 + index));
}

expr X(symbol_least)(symbols *y) { return given(y, 0); }
expr X(symbol_inverse_mass)(symbols *y, uint32_t entry) { return given(y, 1 + entry); }

expr X(symbol_factor)(symbols *y, real coefficient, int power)
{
    expr k = taut_expr_number(y->g, (wide)coefficient);
    for (int i = 0; i < power; i++) k = mul(y, k, y->h);
    for (int i = 0; i > power; i--) k = taut_expr_div(y->g, k, y->h);
    return checked(y, k);
}

size_t X(symbol_vector_length)(const symbols *y, int vector)
{
    const struct system *s = y->s;
    if (vector >= 0) {
        step_size size = y->table->groups[vector].size;
        return size == STEP_N ? y->n : size == STEP_C ? y->c : s->embedded;
    }
    if (vector == STEP_LAMBDA0 || vector == STEP_TREND0) return y->c;
    return vector == STEP_Y0 || vector == STEP_Y_RATE0 ? s->embedded : y->n;
}

static void fill(symbols *y, expr *out, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = y->zero;
}

static void system_velocity(symbols *y, const symbol_place *at, expr *out);
static void system_force(symbols *y, const symbol_place *at, expr *out);

/* The place of the state, with its multipliers. */
static symbol_place state_place(symbols *y)
{
    symbol_place p = { .t = X(symbol_leaf)(y, STATE_T0) };
    p.x[KIND_Q] = (expr *)X(symbol_vector)(y, STEP_Q0);
    p.x[KIND_W] = (expr *)X(symbol_vector)(y, STEP_W0);
    p.x[KIND_LAMBDA] = (expr *)X(symbol_vector)(y, STEP_LAMBDA0);
    return p;
}

static expr largest_size(symbols *y, expr most, expr e)
{
    return checked(y, taut_expr_binary(y->g, OP_MAX, most, taut_expr_unary(y->g, OP_ABS, e)));
}

/* dw/dt of a Lagrangian with constant mass, where the step is not too long for it to say much: otherwise times zero. */
static void find_w_rate(symbols *y, expr *out)
{
    const struct system *s = y->s;
    const pattern *p = s->inverse_mass_shape;
    fill(y, out, s->n);
    if (s->form != FORM_LAGRANGIAN || !s->inverse_mass || !s->structure.uncoupled) return;
    symbol_place start = state_place(y);
    expr *force = new_vector(y, s->n), moves = y->zero, changes = y->zero;
    if (!force) return;
    system_force(y, &start, force);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->structure.diagonal_mass)
            out[i] = mul(y, X(symbol_inverse_mass)(y, i), force[i]);
        else
            for (int e = p->start[i]; e < p->start[i + 1]; e++)
                out[i] = add(y, out[i], mul(y, X(symbol_inverse_mass)(y, (uint32_t)e), force[p->index[e]]));
        moves = largest_size(y, moves, start.x[KIND_W][i]);
        changes = largest_size(y, changes, mul(y, y->h, out[i]));
    }
    expr half = taut_expr_number(y->g, (wide)0.5);
    expr left = sub(y, moves, mul(y, taut_expr_number(y->g, 4), changes));
    expr keep = add(y, half, mul(y, half, taut_expr_unary(y->g, OP_SIGN, left)));
    for (uint32_t i = 0; i < s->n; i++) out[i] = checked(y, mul(y, keep, out[i]));
}

/* The embedded points at the start, or their mean rate on the way to q0 + h w0. */
static void find_embedded(symbols *y, int vector, expr *out)
{
    const struct system *s = y->s;
    symbol_place at = state_place(y);
    fill(y, out, s->embedded);
    if (vector == STEP_Y0) {
        add_values(y, s->chart, &at, out);
        return;
    }
    const expr *y0 = X(symbol_vector)(y, STEP_Y0);
    expr *q = new_vector(y, s->n);
    if (!q || !y0) return;
    for (uint32_t i = 0; i < s->n; i++) q[i] = add(y, at.x[KIND_Q][i], mul(y, y->h, at.x[KIND_W][i]));
    at.x[KIND_Q] = q;
    at.t = X(symbol_leaf)(y, STATE_T1);
    add_values(y, s->chart, &at, out);
    for (uint32_t i = 0; i < s->embedded; i++)
        out[i] = checked(y, taut_expr_div(y->g, sub(y, out[i], y0[i]), y->h));
}

static void find_known(symbols *y, int vector, expr *out)
{
    const state *x = &y->layout;
    const real *members[STEP_KNOWN] = { x->q, x->p, x->w, x->lambda, x->trend };
    size_t count = X(symbol_vector_length)(y, vector);
    if (vector <= STEP_TREND0) {
        for (size_t i = 0; i < count; i++) out[i] = X(symbol_state)(y, members[vector + STEP_KNOWN], (uint32_t)i);
        return;
    }
    symbol_place at = state_place(y);
    switch (vector) {
    case STEP_NU0: system_velocity(y, &at, out); break;
    case STEP_PHI0: system_force(y, &at, out); break;
    case STEP_W_RATE0: find_w_rate(y, out); break;
    case STEP_Y0: case STEP_Y_RATE0: find_embedded(y, vector, out); break;
    }
}

const expr *X(symbol_vector)(symbols *y, int vector)
{
    if (vector >= 0) return y->unknowns + y->offsets[vector];
    expr **known = &y->known[vector + STEP_KNOWN];
    if (*known) return *known;
    expr *made = new_vector(y, X(symbol_vector_length)(y, vector));
    if (made) find_known(y, vector, made);
    return *known = made;
}

/* As state_expect. */
void X(symbol_trend)(symbols *y, const expr *lambda, expr *trend, expr *change)
{
    const uint32_t c = y->s->c;
    const expr eighth = taut_expr_number(y->g, (wide)0.125);
    for (uint32_t k = 0; k < c; k++) {
        const expr d = sub(y, lambda[k], X(symbol_state)(y, y->layout.lambda, k));
        trend[k] = checked(y, d);
        if (!change) continue;
        const expr next = add(y, d, X(symbol_state)(y, y->layout.change, c + k)),
                   share = mul(y, eighth, taut_expr_unary(y->g, OP_ABS, lambda[k])),
                   trust = sub(y, share, taut_expr_unary(y->g, OP_ABS, d)),
                   most = taut_expr_binary(y->g, OP_MAX, trust, y->zero), least = taut_expr_neg(y->g, most);
        change[k] = d;
        change[c + k] = checked(y, sub(y, d, X(symbol_state)(y, y->layout.change, k)));
        trend[k] = checked(y, taut_expr_binary(y->g, OP_MAX, taut_expr_binary(y->g, OP_MIN, next, most), least));
    }
}

void X(symbol_sum)(symbols *y, const step_sum *sum, size_t length, expr *out)
{
    const state *x = &y->layout;
    const real *base = NULL, *low = NULL;
    fill(y, out, length);
    for (int i = 0; i < sum->count; i++) {
        const step_part *part = &sum->parts[i];
        if (part->vector == STEP_Q0) {
            base = x->q, low = x->q_low;
        } else if (part->vector == STEP_P0) {
            base = x->p, low = x->p_low;
        } else {
            const expr *v = X(symbol_vector)(y, part->vector);
            expr factor = X(symbol_factor)(y, part->coefficient, part->power);
            for (size_t k = 0; v && k < length; k++) out[k] = add(y, out[k], mul(y, factor, v[k]));
        }
    }
    for (size_t k = 0; k < length; k++) {
        if (base)
            out[k] = add(y, X(symbol_state)(y, base, (uint32_t)k),
                         add(y, out[k], X(symbol_state)(y, low, (uint32_t)k)));
        checked(y, out[k]);
    }
}

static expr *slot_of(symbols *y, const step_place *p, step_slot slot, const step_sum *more)
{
    const step_sum *sum = &p->slots[slot];
    if (!sum->count) return NULL;
    size_t length = X(symbol_vector_length)(y, sum->parts[0].vector), extra = more && more->count ? y->s->embedded : 0;
    expr *out = new_vector(y, length + extra);
    if (!out) return NULL;
    int plain = sum->count == 1 && sum->parts[0].coefficient == 1 && !sum->parts[0].power && !extra;
    if (plain) { /* a vector as it stands, without what compensated summation left over */
        const expr *v = X(symbol_vector)(y, sum->parts[0].vector);
        for (size_t k = 0; v && k < length; k++) out[k] = v[k];
    } else {
        X(symbol_sum)(y, sum, length, out);
        if (extra) X(symbol_sum)(y, more, extra, out + length);
    }
    return out;
}

const symbol_place *X(symbol_place_at)(symbols *y, int index)
{
    const step_place *p = &y->table->places[index];
    symbol_place *made = &y->places[index];
    if (made->t) return made;
    made->x[KIND_Q] = slot_of(y, p, STEP_Q, &p->slots[STEP_Q_Y]);
    made->x[KIND_W] = slot_of(y, p, STEP_W, &p->slots[STEP_W_Y]);
    made->x[KIND_LAMBDA] = slot_of(y, p, STEP_LAMBDA, NULL);
    made->t = X(symbol_leaf)(y, p->time == 1 ? STATE_T1 : STATE_T0);
    if (p->time != 1 && p->time != 0) {
        expr low = X(symbol_leaf)(y, STATE_T0_LOW);
        made->t = checked(y, add(y, made->t, add(y, X(symbol_factor)(y, p->time, 1), low)));
    }
    return made;
}

void X(symbols_forget_places)(symbols *y) { memset(y->places, 0, sizeof y->places); }

/* ---- the functions of system.h ---- */

/* Numbers of an element that are its own; what is no sum of terms is in one element alone. */
static int owns(const symbols *y, step_size size, size_t k)
{
    const element_shape *e = y->element;
    return !e || (size == STEP_C ? e->owns_constraint : e->owns_coordinate)[k];
}

static void copy(const symbols *y, const expr *from, expr *out)
{
    for (size_t k = 0; from && k < y->n; k++)
        if (owns(y, STEP_N, k)) out[k] = from[k];
}

static void system_momentum(symbols *y, const symbol_place *at, expr *out)
{
    if (y->s->form == FORM_LAGRANGIAN)
        add_gradient(y, y->s->energy, KIND_W, at, NULL, 0, out);
    else
        copy(y, at->x[KIND_W], out);
}

static void system_velocity(symbols *y, const symbol_place *at, expr *out)
{
    fill(y, out, y->n);
    if (y->s->form == FORM_LAGRANGIAN)
        copy(y, at->x[KIND_W], out);
    else if (y->s->form == FORM_HAMILTONIAN)
        add_gradient(y, y->s->energy, KIND_W, at, NULL, 0, out);
    else
        add_values(y, y->s->rate_q, at, out);
}

static void energy_force(symbols *y, const symbol_place *at, expr *out)
{
    expr sign = y->s->form == FORM_HAMILTONIAN ? taut_expr_number(y->g, -1) : 0;
    add_gradient(y, y->s->energy, KIND_Q, at, NULL, sign, out);
}

static void constraint_force(symbols *y, const symbol_place *at, expr *out)
{
    kind by;
    field *slopes = system_slopes(y->s, &by);
    if (at->x[KIND_LAMBDA]) add_gradient(y, slopes, by, at, at->x[KIND_LAMBDA], 0, out);
}

static void free_force(symbols *y, const symbol_place *at, expr *out)
{
    energy_force(y, at, out);
    add_values(y, y->s->force, at, out);
}

static void system_force(symbols *y, const symbol_place *at, expr *out)
{
    fill(y, out, y->n);
    if (y->s->form == FORM_RATES) {
        add_values(y, y->s->rate_w, at, out);
        return;
    }
    free_force(y, at, out);
    constraint_force(y, at, out);
}

static void constraint_rate(symbols *y, const symbol_place *at, expr *out)
{
    field_use u = { .use = USE_SLOPE, .by = 1u << KIND_Q | 1u << KIND_T, .velocity = at->x[KIND_W] };
    add_field(y, y->s->constraint, &u, (ends){ at, at }, out);
    add_values(y, y->s->slip, at, out);
}

static void subtract_start(symbols *y, expr *out)
{
    const state *x = &y->layout;
    for (uint32_t i = 0; i < y->n; i++)
        if (owns(y, STEP_N, i))
            out[i] = checked(y, sub(y, sub(y, out[i], X(symbol_state)(y, x->p, i)), X(symbol_state)(y, x->p_low, i)));
}

/* ---- energy, power and observables, of system/evaluate.c ---- */

static expr dot_product(symbols *y, const expr *a, const expr *b, size_t count, expr sum)
{
    for (size_t i = 0; i < count; i++) sum = add(y, sum, mul(y, a[i], b[i]));
    return checked(y, sum);
}

expr X(symbol_energy)(symbols *y, int place, const expr *v)
{
    const struct system *s = y->s;
    const symbol_place *at = X(symbol_place_at)(y, place);
    expr value = y->zero, *momentum = new_vector(y, y->n);
    if (!momentum) return 0;
    add_values(y, s->energy, at, &value);
    if (s->form != FORM_LAGRANGIAN) return value;
    fill(y, momentum, y->n);
    system_momentum(y, at, momentum);
    return checked(y, sub(y, dot_product(y, v, momentum, y->n, y->zero), value)); /* E = v . L_v - L */
}

/* b of the velocity constraints */
static void add_slip_at_rest(symbols *y, const symbol_place *at, expr *out)
{
    symbol_place rest = *at;
    rest.x[KIND_W] = NULL;
    add_values(y, y->s->slip, &rest, out);
}

expr X(symbol_power)(symbols *y, int place, const expr *v)
{
    const struct system *s = y->s;
    const symbol_place *at = X(symbol_place_at)(y, place);
    expr power = y->zero, *force = new_vector(y, y->n), *rates = new_vector(y, y->c);
    if (!s->energy || !force || !rates) return power;
    expr sign = s->form == FORM_LAGRANGIAN ? taut_expr_number(y->g, -1) : 0;
    add_gradient(y, s->energy, KIND_T, at, NULL, sign, &power);
    fill(y, force, y->n), fill(y, rates, y->c);
    add_values(y, s->force, at, force);
    power = dot_product(y, v, force, y->n, power);
    if (!s->structure.constraint_time) return power;
    const expr *lambda = at->x[KIND_LAMBDA];
    if (!lambda) return 0; /* memory ran out when the place was made */
    field_use u = { .use = USE_SLOPE, .by = 1u << KIND_T };
    add_field(y, s->constraint, &u, (ends){ at, at }, rates);
    add_slip_at_rest(y, at, rates);
    return checked(y, sub(y, power, dot_product(y, lambda, rates, y->c, y->zero)));
}

void X(symbol_observables)(symbols *y, int place, expr *out)
{
    fill(y, out, X(field_rows)(y->s->observable));
    add_values(y, y->s->observable, X(symbol_place_at)(y, place), out);
}

/* ---- work over the step, one number each ---- */

static expr moving_constraints(symbols *y, ends at)
{
    const struct system *s = y->s;
    expr *slopes = new_vector(y, s->c), sum = y->zero;
    field_use u = { .use = USE_SLOPE, .by = 1u << KIND_T, .discrete = 1, .mode = DISCRETE_JOINT };
    if (!slopes) return 0;
    fill(y, slopes, s->c);
    add_field(y, s->constraint, &u, at, slopes);
    for (uint32_t k = 0; k < s->c; k++) sum = add(y, sum, mul(y, at.to->x[KIND_LAMBDA][k], slopes[k]));
    return taut_expr_neg(y->g, mul(y, X(symbol_leaf)(y, STATE_SPAN), sum));
}

static expr slip_work(symbols *y, const symbol_place *at)
{
    const struct system *s = y->s;
    expr *slips = new_vector(y, s->c), sum = y->zero;
    if (!slips) return 0;
    fill(y, slips, s->c);
    add_slip_at_rest(y, at, slips);
    for (uint32_t k = 0; k < s->c; k++) sum = add(y, sum, mul(y, at->x[KIND_LAMBDA][k], slips[k]));
    return taut_expr_neg(y->g, mul(y, X(symbol_leaf)(y, STATE_SPAN), sum));
}

static expr force_work(symbols *y, const symbol_place *at, const expr *move)
{
    expr *force = new_vector(y, y->s->n), sum = y->zero;
    if (!force) return 0;
    fill(y, force, y->s->n);
    add_values(y, y->s->force, at, force);
    for (uint32_t i = 0; i < y->s->n; i++) sum = add(y, sum, mul(y, force[i], move[i]));
    return sum;
}

/* ---- derivatives by time ---- */

/* Each of `out` becomes its derivative along the motion from the state: (w, rates, 1) in (q, w, t). */
static void advance(symbols *y, const expr *rates, expr *out, size_t count)
{
    const size_t n = y->n;
    expr *leaves = new_vector(y, 2 * n + 1), *along = new_vector(y, 2 * n + 1);
    if (!leaves || !along || y->failed) return;
    for (uint32_t i = 0; i < n; i++) {
        leaves[i] = X(symbol_state)(y, y->layout.q, i);
        leaves[n + i] = along[i] = X(symbol_state)(y, y->layout.w, i);
        along[n + i] = rates[i];
    }
    leaves[2 * n] = X(symbol_leaf)(y, STATE_T0);
    along[2 * n] = y->one;
    for (size_t k = 0; k < count && !y->failed; k++)
        out[k] = checked(y, taut_expr_directional(y->g, out[k], leaves, along, 2 * n + 1));
}

/* ---- the functions of tables ---- */

static size_t function_length(const symbols *y, step_function function)
{
    return X(step_function_length)(y->n, y->c, y->s->embedded, function);
}

void X(symbol_function)(symbols *y, step_function function, int place, const expr *move, expr *out)
{
    const struct system *s = y->s;
    const step_table *t = y->table;
    const symbol_place *at = X(symbol_place_at)(y, place), *from = t->from >= 0 ? X(symbol_place_at)(y, t->from) : at;
    ends both = { from, at };
    fill(y, out, function_length(y, function));
    switch (function) {
    case STEP_PI: system_momentum(y, at, out); break;
    case STEP_PI_CHANGE:
        system_momentum(y, at, out);
        subtract_start(y, out);
        break;
    case STEP_NU: system_velocity(y, at, out); break;
    case STEP_PHI: system_force(y, at, out); break;
    case STEP_FREE: free_force(y, at, out); break;
    case STEP_BOND: constraint_force(y, at, out); break;
    case STEP_APPLIED:
        energy_force(y, at, out);
        add_values(y, s->applied, at, out);
        break;
    case STEP_REACTION:
        if (s->form != FORM_RATES) constraint_force(y, at, out);
        add_values(y, s->reaction, at, out);
        break;
    case STEP_G: add_values(y, s->constraint, at, out); break;
    case STEP_RATE: constraint_rate(y, at, out); break;
    case STEP_SLIP: add_values(y, s->slip, at, out); break;
    case STEP_SLIP_BOND: add_gradient(y, s->slip, KIND_W, at, at->x[KIND_LAMBDA], 0, out); break;
    case STEP_FORCE: add_values(y, s->force, at, out); break;
    case STEP_E_W: add_gradient(y, t->energy, KIND_W, at, NULL, 0, out); break;
    case STEP_E_W_CHANGE:
        add_gradient(y, t->energy, KIND_W, at, NULL, 0, out);
        subtract_start(y, out);
        break;
    case STEP_E_Q: add_gradient(y, t->energy, KIND_Q, at, NULL, 0, out); break;
    case STEP_D_W: add_discrete(y, t->energy, t->mode, KIND_W, both, NULL, out); break;
    case STEP_D_Q: add_discrete(y, t->energy, t->mode, KIND_Q, both, NULL, out); break;
    case STEP_D_BOND: add_discrete(y, s->constraint, DISCRETE_JOINT, KIND_Q, both, at->x[KIND_LAMBDA], out); break;
    case STEP_CHART: add_values(y, s->chart, at, out); break;
    case STEP_CHART_PULL: add_gradient(y, s->chart, KIND_Q, at, at->x[KIND_W], 0, out); break;
    case STEP_D_T:
        add_discrete(y, t->energy, t->mode, KIND_T, both, NULL, out);
        *out = checked(y, mul(y, X(symbol_leaf)(y, STATE_SPAN), *out));
        break;
    case STEP_D_T_BOND: *out = checked(y, moving_constraints(y, both)); break;
    case STEP_SLIP_WORK: *out = checked(y, slip_work(y, at)); break;
    case STEP_FORCE_WORK: *out = checked(y, force_work(y, at, move)); break;
    case STEP_PI_RATE: {
        const symbol_place start = state_place(y);
        system_momentum(y, &start, out);
        advance(y, at->x[KIND_W], out, y->n);
        break;
    }
    case STEP_RATE_RATE: {
        const symbol_place start = state_place(y);
        constraint_rate(y, &start, out);
        advance(y, at->x[KIND_W], out, y->c);
        break;
    }
    case STEP_VECTOR: case STEP_FUNCTIONS: break;
    }
}

static void add_scaled(symbols *y, expr factor, const expr *value, size_t count, expr *out)
{
    for (size_t k = 0; value && k < count; k++) out[k] = checked(y, add(y, out[k], mul(y, factor, value[k])));
}

static int is_of_constraints(const symbols *y, int vector)
{
    return vector >= 0 ? y->table->groups[vector].size == STEP_C : vector == STEP_LAMBDA0 || vector == STEP_TREND0;
}

static void add_vector(symbols *y, expr factor, int vector, expr *out)
{
    const size_t count = X(symbol_vector_length)(y, vector);
    const expr *value = X(symbol_vector)(y, vector);
    const step_size size = is_of_constraints(y, vector) ? STEP_C : STEP_N;
    for (size_t k = 0; value && k < count; k++) {
        if (!owns(y, size, k)) continue;
        out[k] = checked(y, add(y, out[k], mul(y, factor, value[k])));
        if (vector != STEP_P0) continue;
        out[k] = checked(y, add(y, out[k], mul(y, factor, X(symbol_state)(y, y->layout.p_low, (uint32_t)k))));
    }
}

static void add_terms(symbols *y, const step_term *term, const expr *move, expr *out)
{
    const expr factor = X(symbol_factor)(y, term->coefficient, term->power);
    if (term->function == STEP_VECTOR) {
        add_vector(y, factor, term->place, out);
        return;
    }
    size_t count = function_length(y, term->function);
    expr *value = new_vector(y, count);
    if (!value) return;
    X(symbol_function)(y, term->function, term->place, move, value);
    add_scaled(y, factor, value, count, out);
}

void X(symbol_terms)(symbols *y, int equation, const expr *move, expr *out)
{
    const step_table *t = y->table;
    for (int i = 0; !y->failed && i < t->term_count; i++)
        if (t->terms[i].equation == equation && !X(step_function_empty)(y->s, t->terms[i].function))
            add_terms(y, &t->terms[i], move, out);
}

static int is_force(step_function function)
{
    return X(step_function_pushes)(function) || function == STEP_BOND || function == STEP_SLIP_BOND
           || function == STEP_REACTION || function == STEP_D_BOND;
}

void X(symbol_terms_of)(symbols *y, int equation, int forces, const expr *move, expr *out)
{
    const step_table *t = y->table;
    for (int i = 0; !y->failed && i < t->term_count; i++)
        if (t->terms[i].equation == equation && is_force(t->terms[i].function) == forces
            && !X(step_function_empty)(y->s, t->terms[i].function))
            add_terms(y, &t->terms[i], move, out);
}
