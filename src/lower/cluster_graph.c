/* Which clusters a phase has, and which of them are of one kind. Theory: cluster_graph.h. */
#include "lower/cluster_graph.h"

#ifndef TAUT_REAL_QUAD
#include <string.h>

#include "system/nodes.h"

#define NOWHERE CLUSTER_NOWHERE
enum { CLUSTERS_MOST = 24 }; /* that an element touches: its nodes */

typedef struct {
    const element_part *part;
    const element_phase *elements;
    taut_context *context;
    cluster_graph *g;
    uint32_t n, c;
    uint32_t *set, *size;    /* union of coordinates: parents; and coordinates of a set */
    uint32_t *first_element; /* of a shape of the element graph, counted through */
    uint32_t element_count;
    uint32_t *start, *touching; /* elements of a cluster */
    uint32_t *key;
    size_t key_length, key_capacity, kind_capacity, late_capacity;
    uint32_t *local[2], *global[2], counts[2]; /* coordinates, constraints: numbers in a cluster, and back */
    uint32_t *constants;                       /* of the cluster at work, element by element */
    size_t constant_count, constant_capacity;
    uint32_t **keys; /* of kinds: what is compared */
    uint64_t *hashes;
    uint32_t *late_kind_of; /* of an element */
    int unusable;
} making;

enum { COORDINATES, CONSTRAINTS };

/* ---- which there are ---- */

static uint32_t find(uint32_t *set, uint32_t i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

static void join(making *m, uint32_t a, uint32_t b)
{
    a = find(m->set, a), b = find(m->set, b);
    if (a == b) return;
    if (a > b) { /* the smallest number stands for all */
        const uint32_t other = a;
        a = b, b = other;
    }
    m->set[b] = a;
    m->size[a] += m->size[b];
}

/* Coordinates that the kinetic energy couples, which are those of a node. */
static int join_nodes(making *m)
{
    const element_graph *graph = m->part->graph;
    m->set = taut_mem_new(m->context, m->n, sizeof *m->set);
    m->size = taut_mem_new(m->context, m->n, sizeof *m->size);
    if (!m->set || !m->size) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < m->n; i++) m->set[i] = i, m->size[i] = 1;
    for (uint32_t k = 0; k < graph->shape_count; k++) {
        const element_shape *s = &graph->shapes[k];
        for (uint32_t j = 1; j < s->n; j++)
            for (uint32_t e = 0; s->owns_coordinate[0] && s->owns_coordinate[j] && e < s->count; e++)
                join(m, s->coordinate[e], s->coordinate[(size_t)j * s->stride + e]);
    }
    return TAUT_OK;
}

/* The sets that an element touches; at most CLUSTERS_MOST. */
static uint32_t list_sets(making *m, const element_shape *s, uint32_t e, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const uint32_t root = find(m->set, s->coordinate[(size_t)k * s->stride + e]);
        uint32_t i = 0;
        while (i < count && list[i] != root) i++;
        if (i == count && count < CLUSTERS_MOST) list[count++] = root;
    }
    return count;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The coordinates of a point, or of a place of a body. */
static void join_groups(making *m)
{
    for (uint32_t i = 1; i < m->n; i++)
        if (X(system_goes_on)(m->part->s, i)) join(m, i - 1, i);
}

/* Neighbouring coordinates that the same elements touch. Two sets that happen to have the same sum make a larger cluster,
   which is as good. */
static int join_neighbours(making *m)
{
    const element_graph *graph = m->part->graph;
    uint64_t *sum = taut_mem_new(m->context, m->n, sizeof *sum);
    uint32_t list[CLUSTERS_MOST], at = 0;
    if (!sum) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < graph->shape_count; k++)
        for (uint32_t e = 0; e < graph->shapes[k].count; e++) {
            const uint32_t count = list_sets(m, &graph->shapes[k], e, list);
            at++;
            for (uint32_t i = 0; count > 1 && i < count; i++) sum[list[i]] += mix(at);
        }
    for (uint32_t i = 0; i < m->n; i++) sum[i] = sum[m->set[i] == i ? i : find(m->set, i)];
    for (uint32_t i = 1; i < m->n; i++) {
        const uint32_t a = find(m->set, i - 1), b = find(m->set, i);
        if (a != b && sum[i] && sum[i] == sum[i - 1] && m->size[a] + m->size[b] <= CLUSTER_WIDTH_MOST) join(m, a, b);
    }
    taut_mem_free(m->context, sum);
    return TAUT_OK;
}

static int number_clusters(making *m)
{
    cluster_graph *g = m->g;
    uint32_t *count = taut_mem_new(m->context, m->n, sizeof *count);
    g->cluster_of = taut_mem_new(m->context, m->n, sizeof *g->cluster_of);
    g->own_number = taut_mem_new(m->context, m->n, sizeof *g->own_number);
    if (!count || !g->cluster_of || !g->own_number) {
        taut_mem_free(m->context, count);
        return TAUT_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        const uint32_t root = find(m->set, i);
        g->cluster_of[i] = root == i ? g->cluster_count++ : g->cluster_of[root];
        g->own_number[i] = count[root]++;
    }
    taut_mem_free(m->context, count);
    return TAUT_OK;
}

/* ---- constraints ---- */

static uint32_t list_clusters(const making *m, const element_shape *s, uint32_t e, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const uint32_t cluster = m->g->cluster_of[s->coordinate[(size_t)k * s->stride + e]];
        uint32_t i = 0;
        while (i < count && list[i] != cluster) i++;
        if (i == count && count < CLUSTERS_MOST) list[count++] = cluster;
    }
    return count;
}

enum { NODE_MOST = 12 };

/* Late constraints, element by element; and how many elements touch each cluster. */
static int place_constraints(making *m)
{
    const element_graph *graph = m->part->graph;
    cluster_graph *g = m->g;
    uint32_t list[CLUSTERS_MOST];
    g->late_number = taut_mem_new(m->context, m->c, sizeof *g->late_number);
    g->late_node = taut_mem_new(m->context, m->c, sizeof *g->late_node);
    m->start = taut_mem_new(m->context, (size_t)g->cluster_count + 2, sizeof *m->start);
    m->first_element = taut_mem_new(m->context, (size_t)graph->shape_count + 1, sizeof *m->first_element);
    if (!g->late_number || !g->late_node || !m->start || !m->first_element) return TAUT_OUT_OF_MEMORY;
    memset(g->late_number, 0xff, m->c * sizeof *g->late_number);
    for (uint32_t k = 0; k < graph->shape_count; k++) {
        const element_shape *s = &graph->shapes[k];
        m->first_element[k] = m->element_count;
        m->element_count += s->count;
        for (uint32_t e = 0; e < s->count; e++) {
            const uint32_t count = list_clusters(m, s, e, list);
            for (uint32_t i = 0; i < count; i++) m->start[list[i] + 2]++;
            uint32_t in_node = 0;
            for (uint32_t j = 0; count > 1 && j < s->c; j++) {
                if (!s->owns_constraint[j]) continue;
                if (in_node++ % NODE_MOST == 0) g->node_count++;
                g->late_node[g->late_count] = g->node_count - 1;
                g->late_number[s->constraint[(size_t)j * s->stride + e]] = g->late_count++;
            }
        }
    }
    m->first_element[graph->shape_count] = m->element_count;
    for (uint32_t k = 0; k < g->cluster_count; k++) m->start[k + 2] += m->start[k + 1];
    return TAUT_OK;
}

/* Are the rows that begin here coordinates? */
static int row_is_coordinate(const making *m, size_t row)
{
    for (int e = 0; e < m->part->equation_count; e++)
        if ((size_t)m->part->equations[e].row == row) return m->part->equations[e].size == STEP_N;
    return 0;
}

static int column_is_coordinate(const making *m, size_t column)
{
    const element_part *p = m->part;
    for (int g = p->first_group; g < p->first_group + p->group_count; g++)
        if (p->offsets[g] - p->offsets[p->first_group] == column) return p->table->groups[g].size == STEP_N;
    return 0;
}

/* Do entries of the matrix connect clusters? */
static int are_connected(const making *m)
{
    const uint32_t *of = m->g->cluster_of;
    for (uint32_t k = 0; k < m->elements->block_count; k++) {
        const element_block *b = &m->elements->blocks[k];
        for (uint32_t o = 0; o < b->matrix.output_count; o++) {
            if (!row_is_coordinate(m, b->rows[o].row) || !column_is_coordinate(m, b->columns[o].row)) continue;
            for (uint32_t e = 0; e < b->shape->count; e++)
                if (of[b->rows[o].index[e]] != of[b->columns[o].index[e]]) return 1;
        }
    }
    return 0;
}

/* ---- kinds ---- */

static uint32_t shape_of(const making *m, uint32_t element)
{
    uint32_t low = 0, high = m->part->graph->shape_count;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (m->first_element[middle] <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where a cluster's coordinates begin in an element. */
static uint32_t role_of(const making *m, uint32_t element, uint32_t cluster)
{
    const uint32_t of = shape_of(m, element);
    const element_shape *s = &m->part->graph->shapes[of];
    uint32_t k = 0;
    while (k < s->n
           && m->g->cluster_of[s->coordinate[(size_t)k * s->stride + element - m->first_element[of]]] != cluster)
        k++;
    return k;
}

/* Elements of a cluster by shape and role, so that clusters of a kind list theirs in one order. */
static void sort_elements(const making *m, uint32_t cluster, uint32_t *list, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t e = list[i], shape = shape_of(m, e), role = role_of(m, e, cluster);
        uint32_t k = i;
        while (k && shape_of(m, list[k - 1]) == shape && role_of(m, list[k - 1], cluster) > role)
            list[k] = list[k - 1], k--;
        list[k] = e;
    }
}

static int list_elements(making *m)
{
    const element_graph *graph = m->part->graph;
    uint32_t list[CLUSTERS_MOST];
    m->touching = taut_mem_new(m->context, m->start[m->g->cluster_count + 1], sizeof *m->touching);
    if (!m->touching) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < graph->shape_count; k++)
        for (uint32_t e = 0; e < graph->shapes[k].count; e++) {
            const uint32_t count = list_clusters(m, &graph->shapes[k], e, list);
            for (uint32_t i = 0; i < count; i++) m->touching[m->start[list[i] + 1]++] = m->first_element[k] + e;
        }
    for (uint32_t k = 0; k < m->g->cluster_count; k++)
        sort_elements(m, k, m->touching + m->start[k], m->start[k + 1] - m->start[k]);
    return TAUT_OK;
}

static uint32_t local_number(making *m, int of, uint32_t global)
{
    uint32_t *local = &m->local[of][global];
    if (*local == NOWHERE) m->global[of][ *local = m->counts[of]++] = global;
    return *local;
}

static void forget_locals(making *m)
{
    for (int of = 0; of < 2; of++) {
        for (uint32_t k = 0; k < m->counts[of]; k++) m->local[of][m->global[of][k]] = NOWHERE;
        m->counts[of] = 0;
    }
    m->key_length = m->constant_count = 0;
}

static int put(making *m, uint32_t number)
{
    if (taut_mem_grow(m->context, &m->key, &m->key_capacity, m->key_length + 1, sizeof *m->key))
        return TAUT_OUT_OF_MEMORY;
    m->key[m->key_length++] = number;
    return TAUT_OK;
}

/* shape; then coordinates and constraints, as they are numbered in the cluster. Constants are numbered element by element:
   that some happen to be equal does not make a kind. */
static int put_element(making *m, uint32_t element)
{
    const uint32_t of = shape_of(m, element), e = element - m->first_element[of];
    const element_shape *s = &m->part->graph->shapes[of];
    int status = put(m, of);
    for (uint32_t k = 0; !status && k < s->n; k++)
        status = put(m, local_number(m, COORDINATES, s->coordinate[(size_t)k * s->stride + e]));
    for (uint32_t k = 0; !status && k < s->c; k++)
        status = put(m, local_number(m, CONSTRAINTS, s->constraint[(size_t)k * s->stride + e]));
    if (!status
        && taut_mem_grow(m->context, &m->constants, &m->constant_capacity, m->constant_count + s->constants,
                         sizeof *m->constants))
        status = TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && k < s->constants; k++)
        m->constants[m->constant_count++] = s->constant[(size_t)k * s->stride + e];
    return status;
}

/* own_n, own_c, n, c, constants, elements; then the elements. Of a cluster. */
enum { KEY_HEAD = 6 };

static int make_key(making *m, uint32_t cluster, uint32_t root)
{
    const uint32_t *list = m->touching + m->start[cluster], count = m->start[cluster + 1] - m->start[cluster];
    const element_graph *graph = m->part->graph;
    int status = TAUT_OK;
    forget_locals(m);
    for (uint32_t i = root, found = 0; found < m->size[root]; i++)
        if (m->g->cluster_of[i] == cluster) local_number(m, COORDINATES, i), found++;
    const uint32_t own_n = m->counts[COORDINATES];
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t of = shape_of(m, list[k]), e = list[k] - m->first_element[of];
        const element_shape *s = &graph->shapes[of];
        for (uint32_t j = 0; j < s->c; j++) {
            const uint32_t constraint = s->constraint[(size_t)j * s->stride + e];
            if (s->owns_constraint[j] && m->g->late_number[constraint] == NOWHERE)
                local_number(m, CONSTRAINTS, constraint);
        }
    }
    const uint32_t own_c = m->counts[CONSTRAINTS];
    for (int i = 0; !status && i < KEY_HEAD; i++) status = put(m, 0);
    for (uint32_t k = 0; !status && k < count; k++) status = put_element(m, list[k]);
    if (status) return status;
    const uint32_t head[KEY_HEAD] = { own_n, own_c, m->counts[0], m->counts[1], (uint32_t)m->constant_count, count };
    memcpy(m->key, head, sizeof head);
    return TAUT_OK;
}

/* Copies a term with the numbers of the cluster; returns where numbers go on. */
static uint32_t *copy_term(const element_term *from, const uint32_t *const map[2], uint32_t first_constant,
                           element_term *to, uint32_t *numbers)
{
    const kernel *k = from->of;
    *to = *from;
    to->row = from->rows == ROWS_NONE ? 0 : map[from->rows == ROWS_COORDINATES ? COORDINATES : CONSTRAINTS][from->row];
    to->variables = numbers;
    for (uint32_t slot = 0; slot < k->slots; slot++) {
        const uint8_t kind = k->slot_kind[slot];
        *numbers++ = kind == KIND_T ? 0 : map[kind == KIND_LAMBDA ? CONSTRAINTS : COORDINATES][from->variables[slot]];
    }
    to->constants = numbers;
    for (uint32_t slot = 0; slot < k->constants; slot++) *numbers++ = first_constant + from->constants[slot];
    return numbers;
}

/* The terms of a kind, from its key. They stand in shape->key. */
static int read_key(making *m, cluster_kind *kind)
{
    const element_graph *graph = m->part->graph;
    element_shape *shape = &kind->all;
    size_t terms = 0, numbers = 0;
    kind->own_n = m->key[0], kind->own_c = m->key[1];
    shape->n = m->key[2], shape->c = m->key[3], shape->constants = m->key[4];
    const uint32_t *at = m->key + KEY_HEAD;
    for (uint32_t i = 0; i < m->key[5]; i++) {
        const element_shape *s = &graph->shapes[*at];
        terms += s->term_count;
        for (uint32_t t = 0; t < s->term_count; t++) numbers += s->terms[t].of->slots + s->terms[t].of->constants;
        at += 1 + s->n + s->c;
    }
    shape->terms = taut_mem_new(m->context, terms, sizeof *shape->terms);
    shape->key = taut_mem_new(m->context, numbers, sizeof *shape->key);
    shape->owns_coordinate = taut_mem_new(m->context, shape->n, 1);
    shape->owns_constraint = taut_mem_new(m->context, shape->c, 1);
    if (!shape->terms || !shape->key || !shape->owns_coordinate || !shape->owns_constraint) return TAUT_OUT_OF_MEMORY;
    memset(shape->owns_coordinate, 1, kind->own_n);
    memset(shape->owns_constraint, 1, shape->c); /* what is around is complete, too */
    uint32_t *next = shape->key, first_constant = 0;
    shape->key_length = numbers;
    at = m->key + KEY_HEAD;
    for (uint32_t i = 0; i < m->key[5]; i++) {
        const element_shape *s = &graph->shapes[*at];
        const uint32_t *const map[2] = { at + 1, at + 1 + s->n };
        for (uint32_t t = 0; t < s->term_count; t++)
            next = copy_term(&s->terms[t], map, first_constant, &shape->terms[shape->term_count++], next);
        at += 1 + s->n + s->c;
        first_constant += s->constants;
    }
    return TAUT_OK;
}

static uint64_t hash_of(const uint32_t *numbers, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) hash = (hash ^ numbers[i]) * 1099511628211u;
    return mix(hash);
}

static int find_kind(making *m, uint32_t *index)
{
    cluster_graph *g = m->g;
    const uint64_t hash = hash_of(m->key, m->key_length);
    for (*index = 0; *index < g->kind_count; ++*index)
        if (m->hashes[*index] == hash && m->keys[*index][0] == m->key_length
            && !memcmp(m->keys[*index] + 1, m->key, m->key_length * sizeof *m->key))
            return TAUT_OK;
    if (g->kind_count == CLUSTER_KINDS_MOST) {
        m->unusable = 1;
        return TAUT_OK;
    }
    if (taut_mem_grow(m->context, &g->kinds, &m->kind_capacity, (size_t)g->kind_count + 1, sizeof *g->kinds))
        return TAUT_OUT_OF_MEMORY;
    g->kinds[g->kind_count] = (cluster_kind){ 0 };
    uint32_t *key = m->keys[g->kind_count] = taut_mem_new(m->context, m->key_length + 1, sizeof *key);
    if (!key) return TAUT_OUT_OF_MEMORY;
    key[0] = (uint32_t)m->key_length;
    memcpy(key + 1, m->key, m->key_length * sizeof *key);
    m->hashes[g->kind_count] = hash;
    return read_key(m, &g->kinds[g->kind_count++]);
}

static int make_stride(taut_context *context, element_shape *s)
{
    s->stride = (s->count + ELEMENT_WIDTH_MOST - 1) / ELEMENT_WIDTH_MOST * ELEMENT_WIDTH_MOST;
    s->coordinate = taut_mem_new(context, (size_t)s->n * s->stride, sizeof *s->coordinate);
    s->constraint = taut_mem_new(context, (size_t)s->c * s->stride, sizeof *s->constraint);
    s->constant = taut_mem_new(context, (size_t)s->constants * s->stride, sizeof *s->constant);
    return s->coordinate && s->constraint && s->constant ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* Lanes without an element repeat the last one. */
static void put_numbers(const element_shape *s, uint32_t at, const uint32_t *numbers, uint32_t count, uint32_t *table)
{
    const uint32_t end = at + 1 == s->count ? s->stride : at + 1;
    for (uint32_t k = 0; k < count; k++, table += s->stride)
        for (uint32_t i = at; i < end; i++) table[i] = numbers[k];
}

static int same_constants(const element_shape *s, uint32_t j, uint32_t k)
{
    return !memcmp(s->constant + (size_t)j * s->stride, s->constant + (size_t)k * s->stride,
                   s->stride * sizeof *s->constant);
}

/* Constants that are the same in all clusters of a kind become one. */
static int join_constants(making *m, element_shape *s)
{
    uint32_t *map = taut_mem_new(m->context, s->constants, sizeof *map), count = 0;
    if (!map) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < s->constants; k++) {
        uint32_t j = 0;
        while (j < count && !same_constants(s, j, k)) j++;
        map[k] = j;
        if (j < count) continue;
        memmove(s->constant + (size_t)count++ * s->stride, s->constant + (size_t)k * s->stride,
                s->stride * sizeof *s->constant);
    }
    uint32_t *number = s->key; /* the numbers of the terms, one after the other */
    for (uint32_t t = 0; t < s->term_count; t++) {
        number += s->terms[t].of->slots;
        for (uint32_t slot = 0; slot < s->terms[t].of->constants; slot++, number++) *number = map[*number];
    }
    s->constants = count;
    taut_mem_free(m->context, map);
    return TAUT_OK;
}

static int make_kinds(making *m)
{
    cluster_graph *g = m->g;
    int status = TAUT_OK;
    uint32_t *roots = taut_mem_new(m->context, g->cluster_count, sizeof *roots);
    g->kind_of = taut_mem_new(m->context, g->cluster_count, sizeof *g->kind_of);
    g->place_of = taut_mem_new(m->context, g->cluster_count, sizeof *g->place_of);
    if (!roots || !g->kind_of || !g->place_of) status = TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < m->n; i++)
        if (find(m->set, i) == i) roots[g->cluster_of[i]] = i;
    for (uint32_t k = 0; !status && !m->unusable && k < g->cluster_count; k++) {
        status = make_key(m, k, roots[k]);
        if (!status) status = find_kind(m, &g->kind_of[k]);
        if (!status && !m->unusable) g->place_of[k] = g->kinds[g->kind_of[k]].all.count++;
    }
    for (uint32_t i = 0; !status && !m->unusable && i < g->kind_count; i++)
        status = make_stride(m->context, &g->kinds[i].all);
    for (uint32_t k = 0; !status && !m->unusable && k < g->cluster_count; k++) {
        const element_shape *s = &g->kinds[g->kind_of[k]].all;
        status = make_key(m, k, roots[k]);
        put_numbers(s, g->place_of[k], m->global[COORDINATES], s->n, s->coordinate);
        put_numbers(s, g->place_of[k], m->global[CONSTRAINTS], s->c, s->constraint);
        put_numbers(s, g->place_of[k], m->constants, s->constants, s->constant);
    }
    for (uint32_t i = 0; !status && !m->unusable && i < g->kind_count; i++)
        status = join_constants(m, &g->kinds[i].all);
    taut_mem_free(m->context, roots);
    return status;
}

/* ---- elements with late constraints ---- */

/* Which of its clusters each coordinate of an element is in. */
static uint32_t find_ordinals(const making *m, const element_shape *s, uint32_t e, uint32_t *ordinal)
{
    uint32_t list[CLUSTERS_MOST];
    const uint32_t count = list_clusters(m, s, e, list);
    for (uint32_t k = 0; k < s->n; k++) {
        const uint32_t cluster = m->g->cluster_of[s->coordinate[(size_t)k * s->stride + e]];
        for (ordinal[k] = 0; ordinal[k] + 1 < count && list[ordinal[k]] != cluster;) ordinal[k]++;
    }
    return count;
}

static int find_late_kind(making *m, const element_shape *s, uint32_t first, uint32_t e, uint32_t *ordinal,
                          uint32_t *index)
{
    cluster_graph *g = m->g;
    const uint32_t count = find_ordinals(m, s, e, ordinal);
    for (*index = first; *index < g->lates_count; ++*index)
        if (!memcmp(g->lates[*index].ordinal, ordinal, s->n * sizeof *ordinal)) return TAUT_OK;
    if (taut_mem_grow(m->context, &g->lates, &m->late_capacity, (size_t)g->lates_count + 1, sizeof *g->lates))
        return TAUT_OUT_OF_MEMORY;
    late_kind *made = &g->lates[g->lates_count++];
    *made = (late_kind){ .all = { .n = s->n,
                                  .c = s->c,
                                  .constants = s->constants,
                                  .terms = s->terms,
                                  .term_count = s->term_count,
                                  .owns_coordinate = s->owns_coordinate,
                                  .owns_constraint = s->owns_constraint },
                         .cluster_count = count };
    made->ordinal = taut_mem_new(m->context, s->n, sizeof *made->ordinal);
    if (!made->ordinal) return TAUT_OUT_OF_MEMORY;
    memcpy(made->ordinal, ordinal, s->n * sizeof *ordinal);
    return TAUT_OK;
}

static int is_late(const making *m, const element_shape *s, uint32_t e)
{
    for (uint32_t j = 0; j < s->c; j++)
        if (s->owns_constraint[j] && m->g->late_number[s->constraint[(size_t)j * s->stride + e]] != NOWHERE) return 1;
    return 0;
}

static void copy_element(const element_shape *from, uint32_t e, const element_shape *to, uint32_t at)
{
    const uint32_t *const tables[] = { from->coordinate, from->constraint, from->constant };
    uint32_t *const targets[] = { to->coordinate, to->constraint, to->constant };
    const uint32_t counts[] = { from->n, from->c, from->constants }, end = at + 1 == to->count ? to->stride : at + 1;
    for (int t = 0; t < 3; t++)
        for (uint32_t k = 0; k < counts[t]; k++)
            for (uint32_t i = at; i < end; i++)
                targets[t][(size_t)k * to->stride + i] = tables[t][(size_t)k * from->stride + e];
}

static int make_lates(making *m)
{
    const element_graph *graph = m->part->graph;
    cluster_graph *g = m->g;
    uint32_t most = 0, *ordinal, *filled = NULL;
    int status = TAUT_OK;
    for (uint32_t k = 0; k < graph->shape_count; k++) most = graph->shapes[k].n > most ? graph->shapes[k].n : most;
    ordinal = taut_mem_new(m->context, most, sizeof *ordinal);
    m->late_kind_of = taut_mem_new(m->context, m->element_count, sizeof *m->late_kind_of);
    if (!ordinal || !m->late_kind_of) status = TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && k < graph->shape_count; k++) {
        const uint32_t first = g->lates_count;
        for (uint32_t e = 0; !status && e < graph->shapes[k].count; e++) {
            uint32_t *index = &m->late_kind_of[m->first_element[k] + e];
            *index = NOWHERE;
            if (!is_late(m, &graph->shapes[k], e)) continue;
            status = find_late_kind(m, &graph->shapes[k], first, e, ordinal, index);
            if (!status) g->lates[*index].all.count++;
        }
    }
    filled = taut_mem_new(m->context, g->lates_count, sizeof *filled);
    if (!filled) status = TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < g->lates_count; i++) status = make_stride(m->context, &g->lates[i].all);
    for (uint32_t k = 0; !status && k < graph->shape_count; k++)
        for (uint32_t e = 0; e < graph->shapes[k].count; e++) {
            const uint32_t index = m->late_kind_of[m->first_element[k] + e];
            if (index != NOWHERE) copy_element(&graph->shapes[k], e, &g->lates[index].all, filled[index]++);
        }
    taut_mem_free(m->context, ordinal);
    taut_mem_free(m->context, filled);
    if (g->lates_count > CLUSTER_KINDS_MOST) m->unusable = 1;
    return status;
}

/* ---- creation ---- */

static int make_locals(making *m)
{
    const size_t sizes[2] = { m->n, m->c };
    for (int of = 0; of < 2; of++) {
        m->local[of] = taut_mem_new(m->context, sizes[of], sizeof(uint32_t));
        m->global[of] = taut_mem_new(m->context, sizes[of], sizeof(uint32_t));
        if (!m->local[of] || !m->global[of]) return TAUT_OUT_OF_MEMORY;
        memset(m->local[of], 0xff, sizes[of] * sizeof(uint32_t));
    }
    m->keys = taut_mem_new(m->context, CLUSTER_KINDS_MOST, sizeof *m->keys);
    m->hashes = taut_mem_new(m->context, CLUSTER_KINDS_MOST, sizeof *m->hashes);
    return m->keys && m->hashes ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static void clear_making(making *m)
{
    for (uint32_t k = 0; m->keys && k < m->g->kind_count; k++) taut_mem_free(m->context, m->keys[k]);
    void *const blocks[] = { m->set, m->size, m->first_element, m->start,        m->touching,
                             m->key, m->keys, m->hashes,        m->late_kind_of, m->constants };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(m->context, blocks[i]);
    for (int of = 0; of < 2; of++) taut_mem_free(m->context, m->local[of]), taut_mem_free(m->context, m->global[of]);
}

int X(cluster_graph_create)(const element_part *part, const element_phase *elements, cluster_graph *g, int *usable)
{
    making m = {
        .part = part, .elements = elements, .context = part->s->context, .g = g, .n = part->s->n, .c = part->s->c
    };
    *g = (cluster_graph){ 0 };
    int status = join_nodes(&m);
    if (!status) join_groups(&m);
    if (!status) status = join_neighbours(&m);
    if (!status) status = number_clusters(&m);
    if (!status) status = place_constraints(&m);
    if (!status) status = list_elements(&m);
    if (!status) status = make_locals(&m);
    if (!status) status = make_kinds(&m);
    if (!status && !m.unusable) status = make_lates(&m);
    *usable = !status && !m.unusable;
    if (*usable) g->are_connected = are_connected(&m);
    clear_making(&m);
    if (!*usable) X(cluster_graph_clear)(m.context, g);
    return status;
}

static void clear_tables(taut_context *context, element_shape *s)
{
    taut_mem_free(context, s->coordinate);
    taut_mem_free(context, s->constraint);
    taut_mem_free(context, s->constant);
}

void X(cluster_graph_clear)(taut_context *context, cluster_graph *g)
{
    for (uint32_t i = 0; i < g->kind_count; i++) {
        element_shape *s = &g->kinds[i].all;
        clear_tables(context, s);
        void *const blocks[] = { s->owns_coordinate, s->owns_constraint, s->terms, s->key };
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) taut_mem_free(context, blocks[k]);
    }
    for (uint32_t i = 0; i < g->lates_count; i++) {
        clear_tables(context, &g->lates[i].all);
        taut_mem_free(context, g->lates[i].ordinal);
    }
    void *const blocks[] = { g->cluster_of,  g->own_number, g->kind_of, g->place_of,
                             g->late_number, g->late_node,  g->kinds,   g->lates };
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) taut_mem_free(context, blocks[k]);
    *g = (cluster_graph){ 0 };
}
#endif
