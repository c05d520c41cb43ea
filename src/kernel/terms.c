/* From an expression to terms: the top sum is split (a constant factor is distributed over the sum it multiplies), and
 * each summand is written as the code of its shape plus rows of variables and constants. No recursion: sums may be a
 * million deep. */
#include "kernel/store.h"

#include <string.h>

/* A summand still to be taken apart: factor * e; factor 0 stands for 1. */
typedef struct {
    expr e, factor;
} piece;

/* Scratch of family_add: pieces of the sum, and the shape of the term at hand. Kept in the store between calls. */
struct writer {
    store *s;
    piece *pieces;        size_t piece_count, piece_capacity;
    uint32_t *key;        size_t key_length, key_capacity;
    expr *variables;      size_t slots, variable_capacity;     /* nodes, by slot */
    uint8_t *kinds;       size_t kind_capacity;
    expr *constants;      size_t constant_count, constant_capacity; /* nodes, by constant slot */
    uint32_t inner_count;
    expr *seen;           /* open addressing: node -> reference of the current term */
    uint32_t *reference;
    size_t seen_size;
    size_t *used;         size_t used_count, used_capacity;    /* filled places of `seen`, to empty it cheaply */
    expr *stack;          size_t stack_count, stack_capacity;
};
typedef struct writer writer;

static size_t place_of(const writer *w, expr e)
{
    size_t mask = w->seen_size - 1, i = (size_t)(e * 2654435761u) & mask;
    while (w->seen[i] && w->seen[i] != e) i = (i + 1) & mask;
    return i;
}

static int remember_grow(writer *w)
{
    size_t old = w->seen_size, size = old ? old * 2 : 64;
    expr *seen = taut_mem_new(w->s->context, size, sizeof *seen);
    uint32_t *reference = taut_mem_new(w->s->context, size, sizeof *reference);
    if (!seen || !reference) {
        taut_mem_free(w->s->context, seen);
        taut_mem_free(w->s->context, reference);
        return TAUT_OUT_OF_MEMORY;
    }
    expr *old_seen = w->seen;
    uint32_t *old_reference = w->reference;
    w->seen = seen, w->reference = reference, w->seen_size = size;
    for (size_t k = 0; k < w->used_count; k++) {
        size_t i = place_of(w, old_seen[w->used[k]]);
        seen[i] = old_seen[w->used[k]];
        reference[i] = old_reference[w->used[k]];
        w->used[k] = i;
    }
    taut_mem_free(w->s->context, old_seen);
    taut_mem_free(w->s->context, old_reference);
    return TAUT_OK;
}

static int remember(writer *w, expr e, uint32_t reference)
{
    if (w->used_count * 2 + 2 > w->seen_size && remember_grow(w)) return TAUT_OUT_OF_MEMORY;
    if (taut_mem_grow(w->s->context, &w->used, &w->used_capacity, w->used_count + 1, sizeof *w->used))
        return TAUT_OUT_OF_MEMORY;
    size_t i = place_of(w, e);
    w->seen[i] = e;
    w->reference[i] = reference;
    w->used[w->used_count++] = i;
    return TAUT_OK;
}

static int known(const writer *w, expr e)
{
    return w->seen_size && w->seen[place_of(w, e)] == e;
}

static int put(writer *w, uint32_t word)
{
    if (taut_mem_grow(w->s->context, &w->key, &w->key_capacity, w->key_length + 1, sizeof *w->key))
        return TAUT_OUT_OF_MEMORY;
    w->key[w->key_length++] = word;
    return TAUT_OK;
}

/* A leaf of the shape: a variable, or any expression without variables. */
static int write_leaf(writer *w, expr e, const node *n)
{
    taut_context *context = w->s->context;
    if (n->varies) {
        if (taut_mem_grow(context, &w->variables, &w->variable_capacity, w->slots + 1, sizeof *w->variables) ||
            taut_mem_grow(context, &w->kinds, &w->kind_capacity, w->slots + 1, 1))
            return TAUT_OUT_OF_MEMORY;
        w->variables[w->slots] = n->a;
        w->kinds[w->slots] = (uint8_t)n->b;
        return remember(w, e, REF(REF_VARIABLE, (uint32_t)w->slots++));
    }
    if (taut_mem_grow(context, &w->constants, &w->constant_capacity, w->constant_count + 1, sizeof *w->constants))
        return TAUT_OUT_OF_MEMORY;
    w->constants[w->constant_count] = e;
    return remember(w, e, REF(REF_CONSTANT, (uint32_t)w->constant_count++));
}

static int write_inner(writer *w, expr e, const node *n)
{
    int status = put(w, n->op);
    if (!status) status = put(w, w->reference[place_of(w, n->a)]);
    if (!status && op_has_number(n->op)) status = put(w, n->b);
    if (!status && taut_op_arity(n->op) == 2) status = put(w, w->reference[place_of(w, n->b)]);
    return status ? status : remember(w, e, REF(REF_NODE, w->inner_count++));
}

static int push(writer *w, expr e)
{
    if (taut_mem_grow(w->s->context, &w->stack, &w->stack_capacity, w->stack_count + 1, sizeof *w->stack))
        return TAUT_OUT_OF_MEMORY;
    w->stack[w->stack_count++] = e;
    return TAUT_OK;
}

/* Writes the shape of the term in post-order. */
static int write_shape(writer *w, expr root)
{
    for (size_t k = 0; k < w->used_count; k++) w->seen[w->used[k]] = 0;
    w->used_count = w->key_length = w->slots = w->constant_count = w->stack_count = 0;
    w->inner_count = 0;
    int status = push(w, root);
    while (!status && w->stack_count) {
        expr e = w->stack[w->stack_count - 1];
        const node n = *taut_graph_node(w->s->g, e);
        int arity = n.varies ? taut_op_arity(n.op) : 0;
        if (known(w, e)) {
            w->stack_count--;
        } else if (arity == 0) {
            status = write_leaf(w, e, &n);
        } else if (!known(w, n.a)) {
            status = push(w, n.a);
        } else if (arity == 2 && !known(w, n.b)) {
            status = push(w, n.b);
        } else {
            status = write_inner(w, e, &n);
        }
    }
    return status ? status : put(w, w->reference[place_of(w, root)]);
}

static batch *find_batch(store *s, family *f, uint32_t kernel_index)
{
    for (size_t b = f->batch_count; b-- > 0;)
        if (f->batches[b].kernel == kernel_index) return &f->batches[b];
    if (taut_mem_grow(s->context, &f->batches, &f->batch_capacity, f->batch_count + 1, sizeof *f->batches)) return NULL;
    batch *b = &f->batches[f->batch_count++];
    *b = (batch){ .kernel = kernel_index };
    return b;
}

static int add_term(writer *w, family *f, uint32_t row, expr e)
{
    store *s = w->s;
    int status = write_shape(w, e);
    if (status) return status;
    uint32_t index =
        taut_store_find(s, w->key, w->key_length, (uint32_t)w->slots, (uint32_t)w->constant_count, w->kinds);
    batch *b = index == UINT32_MAX ? NULL : find_batch(s, f, index);
    if (!b) return TAUT_OUT_OF_MEMORY;
    size_t variables = (size_t)b->count * w->slots, constants = (size_t)b->count * w->constant_count;
    if (taut_mem_grow(s->context, &b->variables, &b->variable_capacity, variables + w->slots, sizeof *b->variables)
        || taut_mem_grow(s->context, &b->constants, &b->constant_capacity, constants + w->constant_count,
                         sizeof *b->constants)
        || taut_mem_grow(s->context, &b->rows, &b->row_capacity, (size_t)b->count + 1, sizeof *b->rows))
        return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < w->slots; i++) b->variables[variables + i] = w->variables[i];
    for (size_t i = 0; i < w->constant_count; i++) {
        uint32_t c = taut_store_constant(s, w->constants[i]);
        if (c == UINT32_MAX) return TAUT_OUT_OF_MEMORY;
        b->constants[constants + i] = c;
    }
    b->rows[b->count++] = row;
    return TAUT_OK;
}

/* ---- splitting the top sum ---- */

static int push_piece(writer *w, expr e, expr factor)
{
    if (taut_mem_grow(w->s->context, &w->pieces, &w->piece_capacity, w->piece_count + 1, sizeof *w->pieces))
        return TAUT_OUT_OF_MEMORY;
    w->pieces[w->piece_count++] = (piece){ e, factor };
    return TAUT_OK;
}

static expr times(graph *g, expr factor, expr e) { return factor ? taut_expr_mul(g, factor, e) : e; }

static int is_sum(const graph *g, expr e)
{
    op o = taut_graph_node(g, e)->op;
    return taut_graph_node(g, e)->varies && (o == OP_ADD || o == OP_SUB || o == OP_NEG || o == OP_MUL);
}

/* Takes one piece apart: pushes its parts and returns 1, or 0 if it is a term, or -1 without memory. */
static int split(writer *w, piece p)
{
    graph *g = w->s->g;
    const node n = *taut_graph_node(g, p.e);
    if (!n.varies) return 0;
    expr minus = 0;
    if (n.op == OP_SUB || n.op == OP_NEG) {
        minus = p.factor ? taut_expr_neg(g, p.factor) : taut_expr_number(g, -1);
        if (!minus) return -1;
    }
    switch ((op)n.op) {
    case OP_ADD: return push_piece(w, n.b, p.factor) || push_piece(w, n.a, p.factor) ? -1 : 1;
    case OP_SUB: return push_piece(w, n.b, minus) || push_piece(w, n.a, p.factor) ? -1 : 1;
    case OP_NEG: return push_piece(w, n.a, minus) ? -1 : 1;
    case OP_MUL: {
        if (taut_graph_node(g, n.a)->varies || !is_sum(g, n.b)) return 0;
        expr factor = times(g, p.factor, n.a);
        return !factor || push_piece(w, n.b, factor) ? -1 : 1;
    }
    case OP_DIV:
    case OP_POWI:
    case OP_POW:
    CASE_LEAVES
    CASE_FUNCTIONS break;
    }
    return 0;
}

void taut_term_writer_destroy(writer *w)
{
    if (!w) return;
    taut_context *context = w->s->context;
    taut_mem_free(context, w->pieces);
    taut_mem_free(context, w->key);
    taut_mem_free(context, w->variables);
    taut_mem_free(context, w->kinds);
    taut_mem_free(context, w->constants);
    taut_mem_free(context, w->seen);
    taut_mem_free(context, w->reference);
    taut_mem_free(context, w->used);
    taut_mem_free(context, w->stack);
    taut_mem_free(context, w);
}

static writer *writer_of(store *s)
{
    if (!s->writer) s->writer = taut_mem_new(s->context, 1, sizeof *s->writer);
    if (s->writer) s->writer->s = s;
    return s->writer;
}

int taut_family_add(store *s, family *f, uint32_t row, expr e)
{
    writer *w = writer_of(s);
    if (!w) return TAUT_OUT_OF_MEMORY;
    /* A sum that shares its parts can have exponentially many summands: past this bound the rest stays whole. */
    size_t budget = 4 * (size_t)taut_graph_count(s->g) + 1000;
    w->piece_count = 0;
    int status = push_piece(w, e, 0);
    while (!status && w->piece_count) {
        piece p = w->pieces[--w->piece_count];
        int parts = budget ? split(w, p) : 0;
        if (budget) budget--;
        if (parts < 0) status = TAUT_OUT_OF_MEMORY;
        if (parts != 0) continue;
        expr term = times(s->g, p.factor, p.e);
        if (!term)
            status = TAUT_OUT_OF_MEMORY;
        else if (!taut_expr_is_number(s->g, term, 0))
            status = add_term(w, f, row, term);
    }
    if (row >= f->row_count) f->row_count = row + 1;
    return status;
}

void taut_family_clear(store *s, family *f)
{
    for (size_t b = 0; b < f->batch_count; b++) {
        taut_mem_free(s->context, f->batches[b].variables);
        taut_mem_free(s->context, f->batches[b].constants);
        taut_mem_free(s->context, f->batches[b].rows);
    }
    taut_mem_free(s->context, f->batches);
    *f = (family){ 0 };
}

int taut_family_part(store *s, const family *f, unsigned kinds, int with, family *part)
{
    *part = (family){ .row_count = f->row_count, .batch_capacity = f->batch_count };
    part->batches = taut_mem_new(s->context, f->batch_count, sizeof *part->batches);
    if (!part->batches) return TAUT_OUT_OF_MEMORY;
    for (size_t b = 0; b < f->batch_count; b++)
        if (((s->kernels[f->batches[b].kernel]->kinds & kinds) != 0) == with)
            part->batches[part->batch_count++] = f->batches[b];
    return TAUT_OK;
}

void taut_family_part_clear(store *s, family *part)
{
    taut_mem_free(s->context, part->batches);
    *part = (family){ 0 };
}

unsigned taut_family_kinds(store *s, const family *f)
{
    unsigned kinds = 0;
    for (size_t b = 0; b < f->batch_count; b++) kinds |= s->kernels[f->batches[b].kernel]->kinds;
    return kinds;
}
