#include "lower/element_graph.h"

#include <stdlib.h>
#include <string.h>

#include "expr/call.h"
#include "system/nodes.h"

#define NOWHERE UINT32_MAX

/* Nodes of an element. A joint of two bodies has eight, one of three bodies twelve. */
enum { NODES_MOST = 24, COORDINATES_MOST = 64, ROLES_MOST = 10 };

typedef struct {
    const family *family;
    store *store;
    element_row_kind rows;
    uint32_t first_constant;
} role;

/* A term, and the element that it goes to. */
typedef struct {
    uint32_t role, batch, index, element;
} located;

typedef struct {
    struct system *s;
    taut_context *context;
    element_graph *graph;
    role roles[ROLES_MOST];
    uint32_t role_count;
    uint32_t *node_of;        /* of a coordinate */
    uint32_t node_count;
    uint32_t *node_start, *node_members; /* coordinates of a node, ascending */
    /* Elements: the first ones are single nodes. Their sets of nodes, ascending, stand one after the other. */
    uint32_t *sets;
    size_t set_length, set_capacity;
    uint32_t *set_start;      /* element_count + 1 */
    size_t start_capacity;
    uint32_t element_count;
    uint32_t *table;          /* element + 1 by hash of its set */
    size_t table_size;
    uint32_t *row_element;    /* of a constraint */
    uint32_t *home;           /* of a node: where its terms go; NULL: to its own element */
    located *terms;
    size_t term_count;
    uint32_t *shape_table;    /* shape + 1 by hash of its key */
    size_t shape_table_size;
    uint32_t *key;            /* of the element at work */
    size_t key_length, key_capacity;
    uint32_t *local[3], *globals[3]; /* coordinates, constraints, constants: local numbers, or NOWHERE; and the reverse */
    uint32_t counts[3];
    int unusable;
} making;

enum { LOCAL_COORDINATE, LOCAL_CONSTRAINT, LOCAL_CONSTANT };

/* ---- what there is ---- */

static void add_role(making *m, field *f, element_row_kind rows)
{
    if (!f) return;
    const family *all = X(field_family)(f);
    for (uint32_t i = 0; i < m->role_count; i++)
        if (m->roles[i].family == all) return;
    store *from = X(field_store)(f);
    m->roles[m->role_count++] =
        (role){ all, from, rows, from == m->s->store ? 0 : (uint32_t)taut_store_constant_count(m->s->store) };
}

static void list_roles(making *m, const step_table *t)
{
    struct system *s = m->s;
    add_role(m, s->constraint, ROWS_CONSTRAINTS);
    add_role(m, s->slip, ROWS_CONSTRAINTS);
    add_role(m, s->pfaffian, ROWS_CONSTRAINTS);
    add_role(m, s->energy, ROWS_NONE);
    add_role(m, t->energy, ROWS_NONE);
    add_role(m, s->force, ROWS_COORDINATES);
    add_role(m, s->applied, ROWS_COORDINATES);
    add_role(m, s->reaction, ROWS_COORDINATES);
    add_role(m, s->rate_q, ROWS_COORDINATES);
    add_role(m, s->rate_w, ROWS_COORDINATES);
}

static int find_nodes(making *m)
{
    const uint32_t n = m->s->n;
    system_nodes nodes = { 0 };
    int status = X(system_nodes_create)(m->s, &nodes);
    m->node_of = taut_mem_new(m->context, n, sizeof *m->node_of);
    m->node_members = taut_mem_new(m->context, n, sizeof *m->node_members);
    m->node_count = status ? 0 : (uint32_t)nodes.count - m->s->c;
    m->node_start = taut_mem_new(m->context, (size_t)m->node_count + 1, sizeof *m->node_start);
    if (!status && (!m->node_of || !m->node_members || !m->node_start)) status = TAUT_OUT_OF_MEMORY;
    if (!status) {
        for (uint32_t i = 0; i < n; i++) m->node_start[(m->node_of[i] = (uint32_t)nodes.coordinate[i]) + 1]++;
        for (uint32_t b = 0; b < m->node_count; b++) m->node_start[b + 1] += m->node_start[b];
        for (uint32_t i = n; i-- > 0;) m->node_members[--m->node_start[m->node_of[i] + 1]] = i;
        /* each start has moved to where the node before it begins */
        memmove(m->node_start, m->node_start + 1, m->node_count * sizeof *m->node_start);
        m->node_start[m->node_count] = n;
    }
    X(system_nodes_clear)(m->s, &nodes);
    return status;
}

/* ---- sets of nodes ---- */

static uint64_t hash_of(const uint32_t *numbers, size_t count)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ numbers[i]) * 1099511628211u;
    return hash ^ hash >> 29;
}

static int grow_table(making *m, uint32_t **table, size_t *size, size_t count)
{
    if (2 * count < *size) return 0;
    const size_t larger = *size ? 2 * *size : 64;
    uint32_t *made = taut_mem_new(m->context, larger, sizeof *made);
    if (!made) return TAUT_OUT_OF_MEMORY;
    taut_mem_free(m->context, *table);
    *table = made;
    *size = larger;
    return 1; /* to be filled again */
}

static void enter(uint32_t *table, size_t size, uint64_t hash, uint32_t index)
{
    size_t at = hash & (size - 1);
    while (table[at]) at = (at + 1) & (size - 1);
    table[at] = index + 1;
}

/* The element of a set, which is made if it is new. */
static int find_element(making *m, const uint32_t *set, uint32_t count, uint32_t *element)
{
    const uint64_t hash = hash_of(set, count);
    for (size_t at = hash & (m->table_size - 1); m->table_size && m->table[at]; at = (at + 1) & (m->table_size - 1)) {
        const uint32_t e = m->table[at] - 1, first = m->set_start[e];
        if (m->set_start[e + 1] - first == count && !memcmp(m->sets + first, set, count * sizeof *set)) {
            *element = e;
            return TAUT_OK;
        }
    }
    if (taut_mem_grow(m->context, &m->sets, &m->set_capacity, m->set_length + count, sizeof *m->sets)
        || taut_mem_grow(m->context, &m->set_start, &m->start_capacity, (size_t)m->element_count + 2,
                         sizeof *m->set_start))
        return TAUT_OUT_OF_MEMORY;
    memcpy(m->sets + m->set_length, set, count * sizeof *set);
    m->set_start[m->element_count] = (uint32_t)m->set_length;
    m->set_length += count;
    m->set_start[m->element_count + 1] = (uint32_t)m->set_length;
    *element = m->element_count++;
    const int grown = grow_table(m, &m->table, &m->table_size, m->element_count);
    if (grown != 0 && grown != 1) return grown;
    if (!grown) {
        enter(m->table, m->table_size, hash, *element);
        return TAUT_OK;
    }
    for (uint32_t e = 0; e < m->element_count; e++)
        enter(m->table, m->table_size, hash_of(m->sets + m->set_start[e], m->set_start[e + 1] - m->set_start[e]), e);
    return TAUT_OK;
}

/* Two bodies share one element, whichever of their places a term contains: where a set has two nodes or more of several
   coordinates, these alone tell elements apart. */
static void reduce_set(const making *m, uint32_t *set, uint32_t *count)
{
    uint32_t kept[NODES_MOST], several = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (m->node_start[set[i] + 1] - m->node_start[set[i]] > 1) kept[several++] = set[i];
    if (several < 2) return;
    memcpy(set, kept, several * sizeof *set);
    *count = several;
}

/* Adds a node to an ascending set of at most NODES_MOST. */
static void add_node(making *m, uint32_t *set, uint32_t *count, uint32_t node)
{
    uint32_t at = *count;
    while (at && set[at - 1] > node) at--;
    if (at && set[at - 1] == node) return;
    if (*count == NODES_MOST) {
        m->unusable = 1;
        return;
    }
    memmove(set + at + 1, set + at, (*count - at) * sizeof *set);
    set[at] = node;
    ++*count;
}

static const uint32_t *variables_of(const batch *b, const kernel *k, uint32_t index)
{
    return b->variables + (size_t)index * k->slots;
}

/* The nodes of the coordinates in a term. */
static void add_term_nodes(making *m, const batch *b, const kernel *k, uint32_t index, uint32_t *set, uint32_t *count)
{
    const uint32_t *variables = variables_of(b, k, index);
    for (uint32_t slot = 0; slot < k->slots; slot++)
        if (k->slot_kind[slot] == KIND_Q || k->slot_kind[slot] == KIND_W)
            add_node(m, set, count, m->node_of[variables[slot]]);
}

/* ---- constraints ---- */

/* Terms of constraints by row: the numbers of their nodes. */
static int list_row_nodes(making *m, uint32_t **start, uint32_t **nodes)
{
    const uint32_t c = m->s->c;
    *start = taut_mem_new(m->context, (size_t)c + 2, sizeof **start);
    *nodes = NULL;
    if (!*start) return TAUT_OUT_OF_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t r = 0; r < m->role_count; r++) {
            const role *of = &m->roles[r];
            for (size_t i = 0; of->rows == ROWS_CONSTRAINTS && i < of->family->batch_count; i++) {
                const batch *b = &of->family->batches[i];
                const kernel *k = taut_store_kernel(of->store, b->kernel);
                for (uint32_t t = 0; t < b->count; t++)
                    for (uint32_t slot = 0; slot < k->slots; slot++) {
                        if (k->slot_kind[slot] != KIND_Q && k->slot_kind[slot] != KIND_W) continue;
                        if (pass)
                            (*nodes)[(*start)[b->rows[t] + 1]++] = m->node_of[variables_of(b, k, t)[slot]];
                        else
                            (*start)[b->rows[t] + 2]++;
                    }
            }
        }
        for (uint32_t k = 0; !pass && k < c; k++) (*start)[k + 2] += (*start)[k + 1];
        if (!pass) *nodes = taut_mem_new(m->context, (size_t)(*start)[c + 1] + 1, sizeof **nodes);
        if (!*nodes) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

/* The first element of several nodes that a node is in becomes its home. */
static void settle(making *m, uint32_t element, const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; m->home && element >= m->node_count && i < count; i++)
        if (m->home[nodes[i]] < m->node_count) m->home[nodes[i]] = element;
}

static int place_constraints(making *m)
{
    uint32_t *start = NULL, *nodes = NULL, set[NODES_MOST];
    m->row_element = taut_mem_new(m->context, m->s->c, sizeof *m->row_element);
    int status = m->row_element ? list_row_nodes(m, &start, &nodes) : TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && !m->unusable && k < m->s->c; k++) {
        uint32_t count = 0;
        for (uint32_t i = start[k]; i < start[k + 1] && !m->unusable; i++) add_node(m, set, &count, nodes[i]);
        if (!count) m->unusable = 1;
        reduce_set(m, set, &count);
        if (!m->unusable) status = find_element(m, set, count, &m->row_element[k]);
        if (!status && !m->unusable) settle(m, m->row_element[k], nodes + start[k], start[k + 1] - start[k]);
    }
    for (uint32_t k = 0; !status && !m->unusable && m->home && k < m->s->c; k++)
        if (m->row_element[k] < m->node_count) m->row_element[k] = m->home[m->row_element[k]];
    taut_mem_free(m->context, start);
    taut_mem_free(m->context, nodes);
    return status;
}

/* ---- terms ---- */

static int place_term(making *m, uint32_t r, const batch *b, const kernel *k, located *t)
{
    const role *of = &m->roles[r];
    uint32_t set[NODES_MOST], count = 0;
    const uint32_t row = b->rows[t->index];
    if (of->rows == ROWS_CONSTRAINTS) {
        t->element = m->row_element[row];
        return TAUT_OK;
    }
    if (of->rows == ROWS_COORDINATES) add_node(m, set, &count, m->node_of[row]);
    add_term_nodes(m, b, k, t->index, set, &count);
    for (uint32_t slot = 0; slot < k->slots; slot++) {
        if (k->slot_kind[slot] != KIND_LAMBDA) continue;
        const uint32_t e = m->row_element[variables_of(b, k, t->index)[slot]];
        for (uint32_t i = m->set_start[e]; i < m->set_start[e + 1]; i++) add_node(m, set, &count, m->sets[i]);
    }
    reduce_set(m, set, &count);
    t->element = 0; /* of a term without coordinates */
    const int status = count && !m->unusable ? find_element(m, set, count, &t->element) : TAUT_OK;
    if (m->home && t->element < m->node_count) t->element = m->home[t->element];
    return status;
}

static int place_terms(making *m)
{
    size_t count = 0;
    int status = TAUT_OK;
    for (uint32_t r = 0; r < m->role_count; r++)
        for (size_t i = 0; i < m->roles[r].family->batch_count; i++) count += m->roles[r].family->batches[i].count;
    if (count >= NOWHERE) m->unusable = 1;
    m->terms = taut_mem_new(m->context, count, sizeof *m->terms);
    if (!m->terms) return TAUT_OUT_OF_MEMORY;
    for (uint32_t r = 0; r < m->role_count; r++)
        for (size_t i = 0; i < m->roles[r].family->batch_count; i++) {
            const batch *b = &m->roles[r].family->batches[i];
            const kernel *k = taut_store_kernel(m->roles[r].store, b->kernel);
            for (uint32_t t = 0; !status && !m->unusable && t < b->count; t++) {
                located *at = &m->terms[m->term_count++];
                *at = (located){ r, (uint32_t)i, t, 0 };
                status = place_term(m, r, b, k, at);
            }
        }
    return status;
}

/* Terms by element, in the order of roles, kernels and instances. */
static int sort_terms(making *m, located **sorted, uint32_t **start)
{
    *sorted = taut_mem_new(m->context, m->term_count, sizeof **sorted);
    *start = taut_mem_new(m->context, (size_t)m->element_count + 2, sizeof **start);
    if (!*sorted || !*start) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < m->term_count; i++) (*start)[m->terms[i].element + 2]++;
    for (uint32_t e = 0; e < m->element_count; e++) (*start)[e + 2] += (*start)[e + 1];
    for (size_t i = 0; i < m->term_count; i++) (*sorted)[(*start)[m->terms[i].element + 1]++] = m->terms[i];
    return TAUT_OK;
}

/* ---- shapes ---- */

static uint32_t local_number(making *m, int of, uint32_t global)
{
    uint32_t *local = &m->local[of][global];
    if (*local == NOWHERE) m->globals[of][*local = m->counts[of]++] = global;
    return *local;
}

static void begin_element(making *m)
{
    for (int of = 0; of < 3; of++) {
        for (uint32_t k = 0; k < m->counts[of]; k++) m->local[of][m->globals[of][k]] = NOWHERE;
        m->counts[of] = 0;
    }
    m->key_length = 0;
}

static int put(making *m, uint32_t number)
{
    if (taut_mem_grow(m->context, &m->key, &m->key_capacity, m->key_length + 1, sizeof *m->key))
        return TAUT_OUT_OF_MEMORY;
    m->key[m->key_length++] = number;
    return TAUT_OK;
}

static uint32_t row_number(making *m, const role *of, uint32_t row)
{
    if (of->rows == ROWS_NONE) return 0;
    return local_number(m, of->rows == ROWS_COORDINATES ? LOCAL_COORDINATE : LOCAL_CONSTRAINT, row);
}

/* role, kernel, row, variables, constants */
static int put_term(making *m, const located *t)
{
    const role *of = &m->roles[t->role];
    const batch *b = &of->family->batches[t->batch];
    const kernel *k = taut_store_kernel(of->store, b->kernel);
    const uint32_t *variables = variables_of(b, k, t->index), *constants = b->constants + (size_t)t->index * k->constants;
    int status = put(m, t->role);
    if (!status) status = put(m, b->kernel);
    if (!status) status = put(m, row_number(m, of, b->rows[t->index]));
    for (uint32_t slot = 0; !status && slot < k->slots; slot++) {
        const uint8_t kind = k->slot_kind[slot];
        status = put(m, kind == KIND_T        ? 0
                        : kind == KIND_LAMBDA ? local_number(m, LOCAL_CONSTRAINT, variables[slot])
                                              : local_number(m, LOCAL_COORDINATE, variables[slot]));
    }
    for (uint32_t slot = 0; !status && slot < k->constants; slot++)
        status = put(m, local_number(m, LOCAL_CONSTANT, of->first_constant + constants[slot]));
    return status;
}

/* n, c, constants, terms; who owns what; the terms. */
enum { KEY_HEAD = 4 };

static int make_key(making *m, uint32_t element, const located *terms, uint32_t count)
{
    const int is_node = element < m->node_count;
    int status = TAUT_OK;
    begin_element(m);
    for (uint32_t i = is_node ? m->node_start[element] : 0; is_node && i < m->node_start[element + 1]; i++)
        local_number(m, LOCAL_COORDINATE, m->node_members[i]);
    for (int i = 0; !status && i < KEY_HEAD; i++) status = put(m, 0);
    for (uint32_t i = 0; !status && i < count; i++) status = put_term(m, &terms[i]);
    for (uint32_t k = 0; !status && k < m->counts[LOCAL_COORDINATE]; k++) status = put(m, (uint32_t)is_node);
    for (uint32_t k = 0; !status && k < m->counts[LOCAL_CONSTRAINT]; k++)
        status = put(m, m->row_element[m->globals[LOCAL_CONSTRAINT][k]] == element);
    if (status) return status;
    for (int of = 0; of < 3; of++) m->key[of] = m->counts[of];
    m->key[3] = count;
    return TAUT_OK;
}

static int read_key(making *m, element_shape *shape)
{
    const uint32_t *at = shape->key + KEY_HEAD;
    shape->n = shape->key[0], shape->c = shape->key[1], shape->constants = shape->key[2];
    shape->term_count = shape->key[3];
    shape->terms = taut_mem_new(m->context, shape->term_count, sizeof *shape->terms);
    shape->owns_coordinate = taut_mem_new(m->context, shape->n, 1);
    shape->owns_constraint = taut_mem_new(m->context, shape->c, 1);
    if (!shape->terms || !shape->owns_coordinate || !shape->owns_constraint) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < shape->term_count; i++) {
        const role *of = &m->roles[at[0]];
        const kernel *k = taut_store_kernel(of->store, at[1]);
        shape->terms[i] = (element_term){ of->family, k, of->rows, at[1], at[2], at + 3, at + 3 + k->slots };
        at += 3 + k->slots + k->constants;
    }
    for (uint32_t k = 0; k < shape->n; k++) shape->owns_coordinate[k] = (unsigned char)*at++;
    for (uint32_t k = 0; k < shape->c; k++) shape->owns_constraint[k] = (unsigned char)*at++;
    return TAUT_OK;
}

static int find_shape(making *m, uint32_t *index)
{
    element_graph *g = m->graph;
    const uint64_t hash = hash_of(m->key, m->key_length);
    const size_t mask = m->shape_table_size - 1;
    for (size_t at = hash & mask; m->shape_table_size && m->shape_table[at]; at = (at + 1) & mask) {
        const element_shape *s = &g->shapes[*index = m->shape_table[at] - 1];
        if (s->key_length == m->key_length && !memcmp(s->key, m->key, m->key_length * sizeof *m->key)) return TAUT_OK;
    }
    if (taut_mem_grow(m->context, &g->shapes, &g->shape_capacity, (size_t)g->shape_count + 1, sizeof *g->shapes))
        return TAUT_OUT_OF_MEMORY;
    element_shape *made = &g->shapes[*index = g->shape_count++];
    *made = (element_shape){ .key_length = m->key_length };
    made->key = taut_mem_new(m->context, m->key_length, sizeof *made->key);
    if (!made->key) return TAUT_OUT_OF_MEMORY;
    memcpy(made->key, m->key, m->key_length * sizeof *made->key);
    const int status = read_key(m, made),
              grown = status ? 0 : grow_table(m, &m->shape_table, &m->shape_table_size, g->shape_count);
    if (status || (grown != 0 && grown != 1)) return status ? status : grown;
    for (uint32_t i = grown ? 0 : *index; i < g->shape_count; i++)
        enter(m->shape_table, m->shape_table_size, hash_of(g->shapes[i].key, g->shapes[i].key_length), i);
    return TAUT_OK;
}

static void put_numbers(const element_shape *s, uint32_t at, const uint32_t *numbers, uint32_t count, uint32_t *table)
{
    const uint32_t end = at + 1 == s->count ? s->stride : at + 1;
    for (uint32_t k = 0; k < count; k++, table += s->stride)
        for (uint32_t i = at; i < end; i++) table[i] = numbers[k];
}

/* Which elements are of which shape, and what their numbers are, in two passes: to count, and to write. */
static int fill_shapes(making *m, const located *terms, const uint32_t *start, const uint32_t *shape_of)
{
    element_graph *g = m->graph;
    int status = TAUT_OK;
    for (uint32_t i = 0; i < g->shape_count; i++) {
        element_shape *s = &g->shapes[i];
        s->stride = (s->count + ELEMENT_WIDTH_MOST - 1) / ELEMENT_WIDTH_MOST * ELEMENT_WIDTH_MOST;
        s->coordinate = taut_mem_new(m->context, (size_t)s->n * s->stride, sizeof *s->coordinate);
        s->constraint = taut_mem_new(m->context, (size_t)s->c * s->stride, sizeof *s->constraint);
        s->constant = taut_mem_new(m->context, (size_t)s->constants * s->stride, sizeof *s->constant);
        if (!s->coordinate || !s->constraint || !s->constant) return TAUT_OUT_OF_MEMORY;
    }
    uint32_t *filled = taut_mem_new(m->context, g->shape_count, sizeof *filled);
    if (!filled) return TAUT_OUT_OF_MEMORY;
    for (uint32_t e = 0; !status && e < m->element_count; e++) {
        if (shape_of[e] == NOWHERE) continue;
        element_shape *s = &g->shapes[shape_of[e]];
        const uint32_t at = filled[shape_of[e]]++;
        status = make_key(m, e, terms + start[e], start[e + 1] - start[e]);
        put_numbers(s, at, m->globals[LOCAL_COORDINATE], s->n, s->coordinate);
        put_numbers(s, at, m->globals[LOCAL_CONSTRAINT], s->c, s->constraint);
        put_numbers(s, at, m->globals[LOCAL_CONSTANT], s->constants, s->constant);
    }
    taut_mem_free(m->context, filled);
    return status;
}

static int make_shapes(making *m)
{
    located *terms = NULL;
    uint32_t *start = NULL, *shape_of = taut_mem_new(m->context, m->element_count, sizeof *shape_of);
    int status = shape_of ? sort_terms(m, &terms, &start) : TAUT_OUT_OF_MEMORY;
    for (uint32_t e = 0; !status && !m->unusable && e < m->element_count; e++) {
        shape_of[e] = NOWHERE;
        if (e >= m->node_count && start[e] == start[e + 1]) continue;
        status = make_key(m, e, terms + start[e], start[e + 1] - start[e]);
        if (!status) status = find_shape(m, &shape_of[e]);
        if (m->counts[LOCAL_COORDINATE] > COORDINATES_MOST) m->unusable = 1;
        if (!status) m->graph->shapes[shape_of[e]].count++, m->graph->element_count++;
    }
    if (!status && !m->unusable) status = fill_shapes(m, terms, start, shape_of);
    taut_mem_free(m->context, terms);
    taut_mem_free(m->context, start);
    taut_mem_free(m->context, shape_of);
    return status;
}

static int make_locals(making *m)
{
    size_t constants = 0;
    for (uint32_t r = 0; r < m->role_count; r++) {
        const size_t end = m->roles[r].first_constant + taut_store_constant_count(m->roles[r].store);
        if (end > constants) constants = end;
    }
    const size_t sizes[3] = { m->s->n, m->s->c, constants };
    for (int of = 0; of < 3; of++) {
        m->local[of] = taut_mem_new(m->context, sizes[of], sizeof(uint32_t));
        m->globals[of] = taut_mem_new(m->context, sizes[of], sizeof(uint32_t));
        if (!m->local[of] || !m->globals[of]) return TAUT_OUT_OF_MEMORY;
        memset(m->local[of], 0xff, sizes[of] * sizeof(uint32_t));
    }
    return TAUT_OK;
}

static void clear_making(making *m)
{
    void *const blocks[] = { m->node_of, m->node_start, m->node_members, m->sets, m->set_start, m->table,
                             m->row_element, m->home, m->terms, m->shape_table, m->key };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(m->context, blocks[i]);
    for (int of = 0; of < 3; of++) {
        taut_mem_free(m->context, m->local[of]);
        taut_mem_free(m->context, m->globals[of]);
    }
}

static int make_homes(making *m)
{
    m->home = taut_mem_new(m->context, m->node_count, sizeof *m->home);
    for (uint32_t b = 0; m->home && b < m->node_count; b++) m->home[b] = b;
    return m->home ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

int X(element_graph_create)(struct system *s, const step_table *t, int joined, element_graph *g, int *usable)
{
    making m = { .s = s, .context = s->context, .graph = g };
    *g = (element_graph){ 0 };
    *usable = 0;
    if (s->embedded || !s->n || taut_graph_has_calls(taut_store_shapes(s->store))) return TAUT_OK;
    if (t->energy && taut_graph_has_calls(taut_store_shapes(X(field_store)(t->energy)))) return TAUT_OK;
    list_roles(&m, t);
    int status = find_nodes(&m);
    for (uint32_t b = 0; !status && b < m.node_count; b++) {
        uint32_t element;
        status = find_element(&m, &b, 1, &element);
    }
    if (!status && joined) status = make_homes(&m);
    if (!status) status = place_constraints(&m);
    if (!status && !m.unusable) status = place_terms(&m);
    if (!status && !m.unusable) status = make_locals(&m);
    if (!status && !m.unusable) status = make_shapes(&m);
    *usable = !status && !m.unusable;
    clear_making(&m);
    if (!*usable) X(element_graph_clear)(s->context, g);
    return status;
}

void X(element_graph_clear)(taut_context *context, element_graph *g)
{
    for (uint32_t i = 0; i < g->shape_count; i++) {
        element_shape *s = &g->shapes[i];
        void *const blocks[] = { s->owns_coordinate, s->owns_constraint, s->terms, s->coordinate, s->constraint,
                                 s->constant, s->key };
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) taut_mem_free(context, blocks[k]);
    }
    taut_mem_free(context, g->shapes);
    *g = (element_graph){ 0 };
}
