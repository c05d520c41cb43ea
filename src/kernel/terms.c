/* From an expression to terms: the top sum is split (a constant factor is distributed over the sum it multiplies), and
 * each summand is written as the code of its shape plus rows of variables and constants. No recursion: sums may be a
 * million deep. */
#include "kernel/store.h"

#include <string.h>

/* A summand still to be taken apart: factor * e; factor 0 stands for 1. */
typedef struct {
    expr e, factor;
} piece;

/* Kernels that a term is compared with before its shape is written: terms of few shapes follow each other. */
#define RECENT 4
/* Larger terms are not compared. */
#define MATCH_LEAVES 24

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
    expr *inner;          size_t inner_capacity;               /* nodes, by inner node of the shape that is compared */
    uint32_t recent[RECENT]; /* the kernels of the last terms, newest first */
    uint32_t recent_count;
    expr plain_factor, plain_before; /* the last two that were found to be plain */
    expr minus_one;       /* 0: not made yet */
    expr product, product_factor, product_constant; /* the last one of two constants */
    uint32_t *batch_of;   size_t batch_of_capacity;            /* by kernel: its last batch, to be checked */
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

/* ---- terms of a shape that is known ---- */

/* The operand e of a shape that refers to it so. Variables become numbers, as write_leaf has them. */
static inline int match_operand(writer *w, const node *nodes, const kernel *k, uint32_t reference, expr e)
{
    const uint32_t i = reference >> 2;
    const node *n = &nodes[e];
    switch (reference & 3) {
    case REF_NODE:
        if (!w->inner[i]) w->inner[i] = e;
        return w->inner[i] == e;
    case REF_VARIABLE:
        if (n->op != OP_VARIABLE || n->b != k->slot_kind[i]) return 0;
        if (w->variables[i] == UINT32_MAX) w->variables[i] = n->a;
        return w->variables[i] == n->a;
    default:
        if (n->varies) return 0;
        if (!w->constants[i]) w->constants[i] = e;
        return w->constants[i] == e;
    }
}

/* Different slots hold different variables and constants: otherwise the shape would be another. Then its inner nodes
   are different as well. */
static int are_different(const writer *w, const kernel *k)
{
    for (uint32_t i = 1; i < k->slots; i++)
        for (uint32_t j = 0; j < i; j++)
            if (w->variables[i] == w->variables[j] && k->slot_kind[i] == k->slot_kind[j]) return 0;
    for (uint32_t i = 1; i < k->constants; i++)
        for (uint32_t j = 0; j < i; j++)
            if (w->constants[i] == w->constants[j]) return 0;
    return 1;
}

/* Is the term factor * e (factor 0: e) of the shape of k? Compares from the root down: in the code of a shape operands
   stand before their operations. On success the variables and constants of the term are in w, as if its shape had been
   written. */
static int match(writer *w, const kernel *k, expr factor, expr e)
{
    if (k->inner_count > w->inner_capacity || k->slots > MATCH_LEAVES || k->constants > MATCH_LEAVES) return 0;
    const node *nodes = taut_graph_nodes(w->s->g), product = { .op = OP_MUL, .varies = 1, .a = factor, .b = e };
    const node *n = factor ? &product : &nodes[e];
    const uint32_t *code = k->code + 3 * (size_t)k->inner_count;
    if (k->inner_count && (code[-3] != n->op || !n->varies)) return 0;
    if (!k->inner_count && taut_op_arity(n->op) && n->varies) return 0;
    for (uint32_t i = 0; i < k->inner_count; i++) w->inner[i] = 0;
    for (uint32_t i = 0; i < k->slots; i++) w->variables[i] = UINT32_MAX;
    for (uint32_t i = 0; i < k->constants; i++) w->constants[i] = 0;
    if (!k->inner_count && !match_operand(w, nodes, k, k->key[0], e)) return 0; /* a variable, or a constant */
    for (uint32_t i = k->inner_count; i > 0;) {
        code -= 3;
        if (code[0] != n->op || !n->varies || !match_operand(w, nodes, k, code[1], n->a)) return 0;
        if (op_has_number(n->op) ? code[2] != n->b
                                 : taut_op_arity(n->op) == 2 && !match_operand(w, nodes, k, code[2], n->b))
            return 0;
        if (--i) n = &nodes[w->inner[i - 1]];
    }
    w->slots = k->slots;
    w->constant_count = k->constants;
    return are_different(w, k);
}

static int reserve_match(writer *w)
{
    taut_context *context = w->s->context;
    return taut_mem_grow(context, &w->variables, &w->variable_capacity, MATCH_LEAVES, sizeof *w->variables)
           || taut_mem_grow(context, &w->constants, &w->constant_capacity, MATCH_LEAVES, sizeof *w->constants)
           || taut_mem_grow(context, &w->inner, &w->inner_capacity, 64, sizeof *w->inner);
}

/* Puts the kernel of the last term in front. */
static void note_recent(writer *w, uint32_t index)
{
    uint32_t i = 0;
    while (i < w->recent_count && w->recent[i] != index) i++;
    if (i == w->recent_count && i < RECENT) w->recent_count++;
    if (i == RECENT) i--;
    for (; i > 0; i--) w->recent[i] = w->recent[i - 1];
    w->recent[0] = index;
}

/* ---- instances ---- */

static batch *find_batch(writer *w, family *f, uint32_t kernel_index)
{
    store *s = w->s;
    size_t before = w->batch_of_capacity;
    if (taut_mem_grow(s->context, &w->batch_of, &w->batch_of_capacity, (size_t)kernel_index + 1, sizeof *w->batch_of))
        return NULL;
    for (size_t i = before; i < w->batch_of_capacity; i++) w->batch_of[i] = 0;
    uint32_t *known = &w->batch_of[kernel_index];
    if (*known < f->batch_count && f->batches[*known].kernel == kernel_index) return &f->batches[*known];
    for (*known = 0; *known < f->batch_count; ++*known)
        if (f->batches[*known].kernel == kernel_index) return &f->batches[*known];
    if (taut_mem_grow(s->context, &f->batches, &f->batch_capacity, f->batch_count + 1, sizeof *f->batches)) return NULL;
    batch *b = &f->batches[f->batch_count++];
    *b = (batch){ .kernel = kernel_index };
    return b;
}

/* The term in w as an instance of this kernel. */
static int add_instance(writer *w, family *f, uint32_t row, uint32_t kernel_index)
{
    store *s = w->s;
    batch *b = find_batch(w, f, kernel_index);
    if (!b) return TAUT_OUT_OF_MEMORY;
    size_t variables = (size_t)b->count * w->slots, constants = (size_t)b->count * w->constant_count;
    if (taut_mem_grow(s->context, &b->variables, &b->variable_capacity, variables + w->slots, sizeof *b->variables)
        || taut_mem_grow(s->context, &b->constants, &b->constant_capacity, constants + w->constant_count,
                         sizeof *b->constants)
        || taut_mem_grow(s->context, &b->rows, &b->row_capacity, (size_t)b->count + 1, sizeof *b->rows))
        return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < w->slots; i++) b->variables[variables + i] = w->variables[i];
    for (size_t i = 0; i < w->constant_count; i++) {
        uint32_t c = b->count ? b->constants[constants + i - w->constant_count] : UINT32_MAX;
        if (c == UINT32_MAX || s->constants[c] != w->constants[i]) c = taut_store_constant(s, w->constants[i]);
        if (c == UINT32_MAX) return TAUT_OUT_OF_MEMORY;
        b->constants[constants + i] = c;
    }
    b->rows[b->count++] = row;
    return TAUT_OK;
}

static expr times(graph *g, expr factor, expr e) { return factor ? taut_expr_mul(g, factor, e) : e; }

/* The same for constants, of which terms of equal shape have the same ones. */
static expr times_constant(writer *w, expr factor, expr constant)
{
    if (!factor) return constant;
    if (w->product && w->product_factor == factor && w->product_constant == constant) return w->product;
    w->product_factor = factor, w->product_constant = constant;
    return w->product = taut_expr_mul(w->s->g, factor, constant);
}

/* Is it neither 0 nor 1 nor -1? */
static int is_plain_factor(const graph *g, expr factor)
{
    return !taut_expr_is_number(g, factor, 0) && !taut_expr_is_number(g, factor, 1)
           && !taut_expr_is_number(g, factor, -1);
}

/* Would factor * e be this product, and nothing simpler? */
static int stays_product(writer *w, expr factor, expr e)
{
    const graph *g = w->s->g;
    const node *n = taut_graph_node(g, e);
    if (!n->varies || n->op == OP_NEG || (n->op == OP_MUL && !taut_graph_node(g, n->a)->varies)) return 0;
    if (factor == w->plain_factor || factor == w->plain_before) return 1;
    if (!is_plain_factor(g, factor)) return 0;
    w->plain_before = w->plain_factor;
    w->plain_factor = factor;
    return 1;
}

/* Adds the term factor * e. The product is made only when its shape is new. */
static int add_term(writer *w, family *f, uint32_t row, expr factor, expr e)
{
    store *s = w->s;
    if (reserve_match(w)) return TAUT_OUT_OF_MEMORY;
    const node *n = taut_graph_node(s->g, e);
    if (factor && n->op == OP_MUL && n->varies && !taut_graph_node(s->g, n->a)->varies) { /* factor * (k * x) */
        e = n->b;
        factor = times_constant(w, factor, n->a);
        if (!factor) return TAUT_OUT_OF_MEMORY;
    }
    if (factor && !stays_product(w, factor, e)) {
        e = times(s->g, factor, e);
        factor = 0;
    }
    for (uint32_t i = 0; e && i < w->recent_count; i++) {
        uint32_t index = w->recent[i];
        if (!match(w, s->kernels[index], factor, e)) continue;
        note_recent(w, index);
        return add_instance(w, f, row, index);
    }
    e = times(s->g, factor, e);
    if (!e) return TAUT_OUT_OF_MEMORY;
    if (taut_expr_is_number(s->g, e, 0)) return TAUT_OK;
    int status = write_shape(w, e);
    if (status) return status;
    uint32_t index =
        taut_store_find(s, w->key, w->key_length, (uint32_t)w->slots, (uint32_t)w->constant_count, w->kinds);
    if (index == UINT32_MAX) return TAUT_OUT_OF_MEMORY;
    note_recent(w, index);
    return add_instance(w, f, row, index);
}

/* ---- splitting the top sum ---- */

static int push_piece(writer *w, expr e, expr factor)
{
    if (taut_mem_grow(w->s->context, &w->pieces, &w->piece_capacity, w->piece_count + 1, sizeof *w->pieces))
        return TAUT_OUT_OF_MEMORY;
    w->pieces[w->piece_count++] = (piece){ e, factor };
    return TAUT_OK;
}

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
        if (!p.factor && !w->minus_one) w->minus_one = taut_expr_number(g, -1);
        minus = p.factor ? taut_expr_neg(g, p.factor) : w->minus_one;
        if (!minus) return -1;
    }
    switch ((op)n.op) {
    case OP_ADD: return push_piece(w, n.b, p.factor) || push_piece(w, n.a, p.factor) ? -1 : 1;
    case OP_SUB: return push_piece(w, n.b, minus) || push_piece(w, n.a, p.factor) ? -1 : 1;
    case OP_NEG: return push_piece(w, n.a, minus) ? -1 : 1;
    case OP_MUL: {
        if (taut_graph_node(g, n.a)->varies || !is_sum(g, n.b)) return 0;
        expr factor = times_constant(w, p.factor, n.a);
        return !factor || push_piece(w, n.b, factor) ? -1 : 1;
    }
    case OP_DIV:
    case OP_POWI:
    case OP_POW:
    CASE_LEAVES
    CASE_CALLS
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
    taut_mem_free(context, w->inner);
    taut_mem_free(context, w->batch_of);
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
        if (parts == 0) status = add_term(w, f, row, p.factor, p.e);
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

void taut_family_trim(store *s, family *f)
{
    for (size_t i = 0; i < f->batch_count; i++) {
        batch *b = &f->batches[i];
        const kernel *k = s->kernels[b->kernel];
        size_t variables = (size_t)b->count * k->slots, constants = (size_t)b->count * k->constants;
        taut_mem_trim(s->context, &b->variables, &b->variable_capacity, variables, sizeof *b->variables);
        taut_mem_trim(s->context, &b->constants, &b->constant_capacity, constants, sizeof *b->constants);
        taut_mem_trim(s->context, &b->rows, &b->row_capacity, b->count, sizeof *b->rows);
    }
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
