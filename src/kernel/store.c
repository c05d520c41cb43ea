/* The store of kernels: shapes by hash, constants by expression. */
#include "kernel/store.h"

#include "expr/call.h"

#include <string.h>

store *taut_store_create(taut_context *context, graph *g)
{
    store *s = taut_mem_new(context, 1, sizeof *s);
    if (!s) return NULL;
    s->context = context;
    s->g = g;
    s->table_size = s->constant_table_size = 64;
    s->table = taut_mem_new(context, s->table_size, sizeof *s->table);
    s->constant_of = taut_mem_new(context, s->constant_table_size, sizeof *s->constant_of);
    s->shapes = taut_graph_create(context);
    if (!s->table || !s->constant_of || !s->shapes || taut_graph_take_functions(s->shapes, g)) {
        taut_store_destroy(s);
        return NULL;
    }
    return s;
}

static void kernel_destroy(taut_context *context, kernel *k)
{
    if (!k) return;
    taut_tape_destroy(context, k->values);
    taut_tape_destroy(context, k->second);
    for (int mode = 0; mode < DISCRETE_MODES; mode++) taut_mem_free(context, k->discrete[mode]);
    for (int a = 0; a < KIND_COUNT; a++) {
        taut_tape_destroy(context, k->gradients[a]);
        taut_tape_destroy(context, k->third[a]);
        taut_tape_destroy(context, k->slopes[a]);
        for (int b = 0; b < KIND_COUNT; b++) taut_tape_destroy(context, k->hessians[a][b]);
        for (int mode = 0; mode < DISCRETE_MODES; mode++) {
            taut_tape_destroy(context, k->discretes[mode][a]);
            for (int b = 0; b < KIND_COUNT; b++) taut_tape_destroy(context, k->discrete_slopes[mode][a][b]);
        }
    }
    taut_mem_free(context, k->slot_kind);
    taut_mem_free(context, k->key);
    taut_mem_free(context, k->code);
    taut_mem_free(context, k->gradient);
    taut_mem_free(context, k);
}

void taut_store_destroy(store *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->kernel_count; i++) kernel_destroy(s->context, s->kernels[i]);
    taut_mem_free(s->context, s->kernels);
    taut_mem_free(s->context, s->table);
    taut_mem_free(s->context, s->constants);
    taut_mem_free(s->context, s->constant_of);
    taut_graph_destroy(s->shapes);
    taut_term_writer_destroy(s->writer);
    taut_mem_free(s->context, s);
}

taut_context *taut_store_context(store *s) { return s->context; }
size_t taut_store_kernel_count(const store *s) { return s->kernel_count; }
kernel *taut_store_kernel(store *s, uint32_t index) { return s->kernels[index]; }
graph *taut_store_shapes(store *s) { return s->shapes; }
size_t taut_store_constant_count(const store *s) { return s->constant_count; }
const expr *taut_store_constants(const store *s) { return s->constants; }

static size_t spread(uint32_t x) { return (size_t)(x * 2654435761u); }

static int grow_constant_table(store *s)
{
    size_t size = s->constant_table_size * 2;
    uint32_t *table = taut_mem_new(s->context, size, sizeof *table);
    if (!table) return TAUT_OUT_OF_MEMORY;
    for (size_t c = 0; c < s->constant_count; c++) {
        size_t i = spread(s->constants[c]) & (size - 1);
        while (table[i]) i = (i + 1) & (size - 1);
        table[i] = (uint32_t)c + 1;
    }
    taut_mem_free(s->context, s->constant_of);
    s->constant_of = table;
    s->constant_table_size = size;
    return TAUT_OK;
}

uint32_t taut_store_constant(store *s, expr e)
{
    if (s->constant_count * 2 + 2 > s->constant_table_size && grow_constant_table(s)) return UINT32_MAX;
    size_t mask = s->constant_table_size - 1, i = spread(e) & mask;
    for (; s->constant_of[i]; i = (i + 1) & mask)
        if (s->constants[s->constant_of[i] - 1] == e) return s->constant_of[i] - 1;
    if (taut_mem_grow(s->context, &s->constants, &s->constant_capacity, s->constant_count + 1, sizeof *s->constants))
        return UINT32_MAX;
    s->constants[s->constant_count++] = e;
    s->constant_of[i] = (uint32_t)s->constant_count;
    return (uint32_t)s->constant_count - 1;
}

static uint64_t hash_key(const uint32_t *key, size_t length, const uint8_t *kinds, uint32_t slots)
{
    uint64_t h = 1469598103934665603ULL;
    for (size_t i = 0; i < length; i++) h = (h ^ key[i]) * 1099511628211ULL;
    for (uint32_t i = 0; i < slots; i++) h = (h ^ (kinds[i] + 977u)) * 1099511628211ULL;
    return h ^ (h >> 29);
}

static int same_shape(const kernel *k, const uint32_t *key, size_t length, uint32_t slots, uint32_t constants,
                      const uint8_t *kinds, uint64_t hash)
{
    return k->hash == hash && k->key_length == length && k->slots == slots && k->constants == constants
           && (!length || memcmp(k->key, key, length * sizeof *key) == 0)
           && (!slots || memcmp(k->slot_kind, kinds, slots) == 0);
}

static expr operand(store *s, const expr *nodes, uint32_t reference)
{
    uint32_t index = reference >> 2;
    switch (reference & 3) {
    case REF_VARIABLE: return taut_expr_variable(s->shapes, KIND_SLOT, index);
    case REF_CONSTANT: return taut_expr_variable(s->shapes, KIND_CONSTANT_SLOT, index);
    default: return nodes[index];
    }
}

/* Plays the code of a shape in the shape graph. The last operand reference of the key is the root. */
static expr play(store *s, const uint32_t *key, size_t length)
{
    expr *nodes = taut_mem_new(s->context, length, sizeof *nodes);
    uint32_t count = 0;
    size_t at = 0;
    if (!nodes) return 0;
    while (at + 1 < length) {
        op o = key[at];
        expr a = operand(s, nodes, key[at + 1]);
        if (op_has_number(o))
            nodes[count++] = taut_expr_numbered(s->shapes, o, a, (int32_t)key[at + 2]), at += 3;
        else if (taut_op_arity(o) == 2)
            nodes[count++] = taut_expr_binary(s->shapes, o, a, operand(s, nodes, key[at + 2])), at += 3;
        else
            nodes[count++] = taut_expr_unary(s->shapes, o, a), at += 2;
    }
    expr root = operand(s, nodes, key[at]);
    taut_mem_free(s->context, nodes);
    return root;
}

/* Words per inner node: its operation, and what stands behind it. */
static uint32_t words_of(op o) { return op_has_number(o) || taut_op_arity(o) == 2 ? 3 : 2; }

static int write_code(store *s, kernel *k)
{
    for (size_t at = 0; at + 1 < k->key_length; at += words_of((op)k->key[at])) k->inner_count++;
    uint32_t *code = k->code = taut_mem_new(s->context, k->inner_count, 3 * sizeof *code);
    if (!code) return TAUT_OUT_OF_MEMORY;
    for (size_t at = 0; at + 1 < k->key_length; at += words_of((op)k->key[at]), code += 3)
        memcpy(code, k->key + at, words_of((op)k->key[at]) * sizeof *code);
    return TAUT_OK;
}

static kernel *kernel_create(store *s, const uint32_t *key, size_t length, uint32_t slots, uint32_t constants,
                             const uint8_t *kinds, uint64_t hash)
{
    kernel *k = taut_mem_new(s->context, 1, sizeof *k);
    if (!k) return NULL;
    k->slots = slots;
    k->constants = constants;
    k->key_length = length;
    k->hash = hash;
    k->slot_kind = taut_mem_new(s->context, slots, 1);
    k->key = taut_mem_new(s->context, length, sizeof *k->key);
    k->value = play(s, key, length);
    if (!k->slot_kind || !k->key || !k->value) {
        kernel_destroy(s->context, k);
        return NULL;
    }
    if (slots) memcpy(k->slot_kind, kinds, slots);
    memcpy(k->key, key, length * sizeof *key);
    if (write_code(s, k)) {
        kernel_destroy(s->context, k);
        return NULL;
    }
    for (uint32_t i = 0; i < slots; i++) k->kinds |= 1u << kinds[i];
    return k;
}

static int grow_table(store *s)
{
    size_t size = s->table_size * 2;
    uint32_t *table = taut_mem_new(s->context, size, sizeof *table);
    if (!table) return TAUT_OUT_OF_MEMORY;
    for (size_t n = 0; n < s->kernel_count; n++) {
        size_t i = s->kernels[n]->hash & (size - 1);
        while (table[i]) i = (i + 1) & (size - 1);
        table[i] = (uint32_t)n + 1;
    }
    taut_mem_free(s->context, s->table);
    s->table = table;
    s->table_size = size;
    return TAUT_OK;
}

uint32_t taut_store_find(store *s, const uint32_t *key, size_t length, uint32_t slots, uint32_t constants,
                         const uint8_t *kinds)
{
    if (s->kernel_count * 2 + 2 > s->table_size && grow_table(s)) return UINT32_MAX;
    uint64_t hash = hash_key(key, length, kinds, slots);
    size_t mask = s->table_size - 1, i = hash & mask;
    for (; s->table[i]; i = (i + 1) & mask)
        if (same_shape(s->kernels[s->table[i] - 1], key, length, slots, constants, kinds, hash)) return s->table[i] - 1;
    if (taut_mem_grow(s->context, &s->kernels, &s->kernel_capacity, s->kernel_count + 1, sizeof *s->kernels))
        return UINT32_MAX;
    kernel *k = kernel_create(s, key, length, slots, constants, kinds, hash);
    if (!k) return UINT32_MAX;
    s->kernels[s->kernel_count++] = k;
    s->table[i] = (uint32_t)s->kernel_count;
    return (uint32_t)s->kernel_count - 1;
}
