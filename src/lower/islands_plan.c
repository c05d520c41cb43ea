/* Which islands a matrix has, which of them are of one shape, and where the numbers of each are. */
#include "lower/islands_inside.h"

#ifndef TAUT_REAL_QUAD
#include <string.h>

#define NOWHERE UINT32_MAX

typedef struct {
    const island_matrix *m;
    islands *z;
    taut_context *context;
    uint32_t *set;            /* union of columns (0 ..) and rows (size ..): parents */
    uint32_t *island_of;      /* the same: its island, or NOWHERE: late */
    uint32_t island_count;
    uint32_t *constraint_island; /* the island that a constraint belongs to; NOWHERE: several, or none yet */
    unsigned char *is_shared; /* of a constraint: it is around several */
    int *row_start, *row_column, *row_entry; /* the matrix by rows */
    uint32_t *late_row, *late_column; /* number in S, by row and column */
    uint32_t *shape_of;       /* of each island */
    island *at;               /* work */
    uint32_t *key;
    size_t key_length, key_capacity;
    int unusable;
} making;

/* ---- which there are ---- */

static uint32_t find(uint32_t *set, uint32_t i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

static int is_late_entry(const island_matrix *m, int row, int column)
{
    return m->row_constraint[row] >= 0 || m->column_constraint[column] >= 0;
}

/* Coordinates that entries connect. */
static int connect(making *b)
{
    const island_matrix *m = b->m;
    const uint32_t n = (uint32_t)m->size;
    b->set = taut_mem_new(b->context, 2 * (size_t)n, sizeof *b->set);
    b->island_of = taut_mem_new(b->context, 2 * (size_t)n, sizeof *b->island_of);
    if (!b->set || !b->island_of) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < 2 * n; i++) b->set[i] = i, b->island_of[i] = NOWHERE;
    for (int c = 0; c < m->size; c++)
        for (int p = m->column_start[c]; p < m->column_start[c + 1]; p++)
            if (!is_late_entry(m, m->row_index[p], c)) {
                const uint32_t x = find(b->set, (uint32_t)c), y = find(b->set, n + (uint32_t)m->row_index[p]);
                b->set[x > y ? x : y] = x > y ? y : x;
            }
    for (uint32_t i = 0; i < 2 * n; i++) {
        if ((i < n ? m->column_constraint[i] : m->row_constraint[i - n]) >= 0) continue;
        const uint32_t root = find(b->set, i);
        if (root == i) b->island_of[i] = b->island_count++;
        b->island_of[i] = b->island_of[root];
    }
    return TAUT_OK;
}

static void meet(making *b, int constraint, uint32_t where)
{
    uint32_t *known = &b->constraint_island[constraint];
    if (*known == NOWHERE)
        *known = where;
    else if (*known != where)
        b->is_shared[constraint] = 1;
}

/* Constraints of one island are its own. */
static int place_constraints(making *b)
{
    const island_matrix *m = b->m;
    const uint32_t n = (uint32_t)m->size, c = m->s->c;
    b->constraint_island = taut_mem_new(b->context, c, sizeof *b->constraint_island);
    b->is_shared = taut_mem_new(b->context, c, 1);
    if (!b->constraint_island || !b->is_shared) return TAUT_OUT_OF_MEMORY;
    memset(b->constraint_island, 0xff, c * sizeof *b->constraint_island);
    for (int j = 0; j < m->size; j++)
        for (int p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int i = m->row_index[p], of_row = m->row_constraint[i], of_column = m->column_constraint[j];
            if (of_row >= 0 && of_column < 0) meet(b, of_row, b->island_of[j]);
            if (of_column >= 0 && of_row < 0) meet(b, of_column, b->island_of[n + (uint32_t)i]);
            if (of_row >= 0 && of_column >= 0 && of_row != of_column)
                b->is_shared[of_row] = b->is_shared[of_column] = 1;
        }
    for (uint32_t k = 0; k < c; k++)
        if (b->constraint_island[k] == NOWHERE) b->unusable = 1;
    for (uint32_t i = 0; i < 2 * n && !b->unusable; i++) {
        const int k = i < n ? m->column_constraint[i] : m->row_constraint[i - n];
        if (k >= 0 && !b->is_shared[k]) b->island_of[i] = b->constraint_island[k];
    }
    return TAUT_OK;
}

static int list_by_rows(making *b)
{
    const island_matrix *m = b->m;
    const size_t entries = (size_t)m->column_start[m->size];
    b->row_start = taut_mem_new(b->context, (size_t)m->size + 2, sizeof *b->row_start);
    b->row_column = taut_mem_new(b->context, entries, sizeof *b->row_column);
    b->row_entry = taut_mem_new(b->context, entries, sizeof *b->row_entry);
    if (!b->row_start || !b->row_column || !b->row_entry) return TAUT_OUT_OF_MEMORY;
    for (size_t p = 0; p < entries; p++) b->row_start[m->row_index[p] + 2]++;
    for (int i = 0; i < m->size; i++) b->row_start[i + 2] += b->row_start[i + 1];
    for (int j = 0; j < m->size; j++)
        for (int p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int at = b->row_start[m->row_index[p] + 1]++;
            b->row_column[at] = j, b->row_entry[at] = p;
        }
    return TAUT_OK;
}

/* ---- the unknowns of S ---- */

static int number_late(making *b)
{
    const island_matrix *m = b->m;
    islands *z = b->z;
    const uint32_t n = (uint32_t)m->size;
    int rows = 0;
    b->late_row = taut_mem_new(b->context, n, sizeof *b->late_row);
    b->late_column = taut_mem_new(b->context, n, sizeof *b->late_column);
    z->is_late = taut_mem_new(b->context, n, 1);
    z->late_rows = taut_mem_new(b->context, n, sizeof *z->late_rows);
    z->late_columns = taut_mem_new(b->context, n, sizeof *z->late_columns);
    if (!b->late_row || !b->late_column || !z->late_rows || !z->late_columns || !z->is_late) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < n; i++) z->is_late[i] = m->column_constraint[i] >= 0;
    for (uint32_t i = 0; i < n; i++) {
        b->late_column[i] = b->late_row[i] = NOWHERE;
        if (b->island_of[i] == NOWHERE) z->late_columns[b->late_column[i] = (uint32_t)z->late_count++] = (int)i;
        if (b->island_of[n + i] == NOWHERE) z->late_rows[b->late_row[i] = (uint32_t)rows++] = (int)i;
    }
    if (rows != z->late_count) b->unusable = 1;
    for (int k = 0; k < rows && !b->unusable; k++) /* they make the diagonal of S */
        if (m->row_constraint[z->late_rows[k]] != m->column_constraint[z->late_columns[k]]) b->unusable = 1;
    return TAUT_OK;
}

/* ---- an island ---- */

/* Adds a number to an ascending list from `first` on; 0: the list is full. */
static int add_sorted(uint32_t *list, uint32_t first, uint32_t *count, uint32_t most, uint32_t number)
{
    uint32_t at = *count;
    while (at > first && list[at - 1] > number) at--;
    if (at > first && list[at - 1] == number) return 1;
    if (*count == most) return 0;
    memmove(list + at + 1, list + at, (*count - at) * sizeof *list);
    list[at] = number;
    ++*count;
    return 1;
}

/* Members of the islands: rows and columns, ascending, those of constraints last. */
static void add_member(making *b, island *of, int is_row, uint32_t number)
{
    const int late = (is_row ? b->m->row_constraint : b->m->column_constraint)[number] >= 0;
    uint32_t *count = is_row ? &of->row_count : &of->column_count;
    if (*count == OWN_MOST) {
        b->unusable = 1;
        return;
    }
    (is_row ? of->rows : of->columns)[(*count)++] = number;
    if (late && !is_row) of->own_late++;
}

static int list_members(making *b)
{
    const island_matrix *m = b->m;
    const uint32_t n = (uint32_t)m->size;
    b->at = taut_mem_new(b->context, b->island_count, sizeof *b->at);
    if (!b->at) return TAUT_OUT_OF_MEMORY;
    for (int late = 0; late < 2; late++)
        for (uint32_t i = 0; i < 2 * n && !b->unusable; i++) {
            const int is_row = i >= n, constraint = is_row ? m->row_constraint[i - n] : m->column_constraint[i];
            if (b->island_of[i] != NOWHERE && (constraint >= 0) == late)
                add_member(b, &b->at[b->island_of[i]], is_row, is_row ? i - n : i);
        }
    for (uint32_t k = 0; k < b->island_count && !b->unusable; k++) {
        island *of = &b->at[k];
        of->own = of->column_count;
        if (of->row_count != of->column_count) b->unusable = 1;
        for (uint32_t i = of->own - of->own_late; i < of->own && !b->unusable; i++)
            if (m->row_constraint[of->rows[i]] < 0) b->unusable = 1;
    }
    return TAUT_OK;
}

/* Multipliers around an island. */
static void find_around(making *b, island *of)
{
    const island_matrix *m = b->m;
    for (uint32_t k = 0; k < of->own && !b->unusable; k++) {
        const int row = (int)of->rows[k], column = (int)of->columns[k];
        for (int p = b->row_start[row]; p < b->row_start[row + 1]; p++)
            if (b->island_of[b->row_column[p]] == NOWHERE
                && !add_sorted(of->columns, of->own, &of->column_count, of->own + AROUND_MOST - 1,
                               (uint32_t)b->row_column[p]))
                b->unusable = 1;
        for (int p = m->column_start[column]; p < m->column_start[column + 1]; p++)
            if (b->island_of[m->size + m->row_index[p]] == NOWHERE
                && !add_sorted(of->rows, of->own, &of->row_count, of->own + AROUND_MOST - 1,
                               (uint32_t)m->row_index[p]))
                b->unusable = 1;
    }
}

static uint32_t position(const uint32_t *list, uint32_t first, uint32_t end, uint32_t number)
{
    for (uint32_t i = first; i < end; i++)
        if (list[i] == number) return i;
    return NOWHERE;
}

static int put(making *b, uint32_t number)
{
    if (taut_mem_grow(b->context, &b->key, &b->key_capacity, b->key_length + 1, sizeof *b->key))
        return TAUT_OUT_OF_MEMORY;
    b->key[b->key_length++] = number;
    return TAUT_OK;
}

/* own, late, rows, columns; then its entries but those of D, by rows: column and row within the island. The k-th has its
   place at `place` + k `width`, if there are places. */
static int make_key(making *b, const island *of, int *places, size_t place, uint32_t width)
{
    const uint32_t head[KEY_HEAD] = { of->own, of->own_late, of->row_count, of->column_count };
    int status = TAUT_OK;
    b->key_length = 0;
    for (int i = 0; !status && i < KEY_HEAD; i++) status = put(b, head[i]);
    for (uint32_t i = 0; i < of->row_count; i++)
        for (int p = b->row_start[of->rows[i]]; !status && p < b->row_start[of->rows[i] + 1]; p++) {
            const uint32_t end = i < of->own ? of->column_count : of->own;
            const uint32_t j = position(of->columns, 0, end, (uint32_t)b->row_column[p]);
            if (j == NOWHERE) continue; /* of another island around a multiplier, or of D */
            if (places) places[b->row_entry[p]] = (int)place, place += width;
            status = put(b, i * KEY_ROW + j);
        }
    return status;
}

/* ---- shapes ---- */

static int make_inputs(taut_context *context, element_program *p, element_source from, const uint32_t *index,
                       uint32_t stride)
{
    p->inputs = taut_mem_new(context, p->input_count, sizeof *p->inputs);
    if (!p->inputs) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < p->input_count; k++)
        p->inputs[k] = (element_input){ from, 0, index + (size_t)k * stride, 0 };
    return TAUT_OK;
}

static int find_shape(making *b, const island *of, uint32_t *index)
{
    islands *z = b->z;
    int status = make_key(b, of, NULL, 0, 0);
    if (status) return status;
    for (*index = 0; *index < z->shape_count; ++*index) {
        const island_shape *s = &z->shapes[*index];
        if (s->key_length == b->key_length && !memcmp(s->key, b->key, b->key_length * sizeof *b->key)) return TAUT_OK;
    }
    if (taut_mem_grow(b->context, &z->shapes, &z->shape_capacity, (size_t)z->shape_count + 1, sizeof *z->shapes))
        return TAUT_OUT_OF_MEMORY;
    island_shape *made = &z->shapes[z->shape_count++];
    *made = (island_shape){ .first = *of, .key_length = b->key_length };
    made->key = taut_mem_new(b->context, b->key_length, sizeof *made->key);
    if (!made->key) return TAUT_OUT_OF_MEMORY;
    memcpy(made->key, b->key, b->key_length * sizeof *made->key);
    return TAUT_OK;
}

enum { SHAPES_MOST = 64 };

static int find_shapes(making *b)
{
    int status = TAUT_OK;
    b->shape_of = taut_mem_new(b->context, b->island_count, sizeof *b->shape_of);
    if (!b->shape_of) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && k < b->island_count && !b->unusable; k++) {
        find_around(b, &b->at[k]);
        if (!b->unusable) status = find_shape(b, &b->at[k], &b->shape_of[k]);
        if (!status && !b->unusable) b->z->shapes[b->shape_of[k]].lanes.count++;
        if (b->z->shape_count > SHAPES_MOST) b->unusable = 1;
    }
    return status;
}

/* The tables of a shape; the last island also stands for lanes without one. */
static int make_tables(making *b, uint32_t index)
{
    island_shape *shape = &b->z->shapes[index];
    const island *first = &shape->first;
    const uint32_t count = shape->lanes.count,
                   stride = shape->stride = (count + ELEMENT_WIDTH_MOST - 1) / ELEMENT_WIDTH_MOST * ELEMENT_WIDTH_MOST;
    const size_t begin = b->z->number_count;
    shape->entries.rows = (uint32_t)(shape->key_length - KEY_HEAD);
    b->z->number_count += (size_t)shape->lanes.groups * shape->entries.rows * shape->lanes.width;
    shape->rows = taut_mem_new(b->context, (size_t)first->row_count * stride, sizeof *shape->rows);
    shape->columns = taut_mem_new(b->context, (size_t)first->column_count * stride, sizeof *shape->columns);
    if (!shape->rows || !shape->columns) return TAUT_OUT_OF_MEMORY;
    if (b->z->number_count > INT32_MAX) b->unusable = 1;
    int status = TAUT_OK;
    uint32_t i = 0;
    for (uint32_t k = 0; !status && k < b->island_count; k++) {
        if (b->shape_of[k] != index) continue;
        const island *of = &b->at[k];
        const uint32_t width = shape->lanes.width, group = i / width;
        status = make_key(b, of, b->z->places, begin + (size_t)group * shape->entries.rows * width + i % width, width);
        for (uint32_t r = 0; r < of->row_count; r++) shape->rows[(size_t)r * stride + i] = of->rows[r];
        for (uint32_t c = 0; c < of->column_count; c++) shape->columns[(size_t)c * stride + i] = of->columns[c];
        i++;
    }
    uint32_t *const tables[] = { shape->rows, shape->columns };
    const uint32_t lengths[] = { first->row_count, first->column_count };
    for (int t = 0; t < 2; t++)
        for (uint32_t k = 0; k < lengths[t]; k++)
            for (uint32_t j = count; j < stride; j++)
                tables[t][(size_t)k * stride + j] = tables[t][(size_t)k * stride + count - 1];
    return status;
}

/* Right-hand sides of its own rows, all its unknowns, and the largest ones. */
static int make_check_inputs(taut_context *context, island_shape *s)
{
    const uint32_t own = s->first.own, columns = s->first.column_count;
    int status = make_inputs(context, &s->check, FROM_RIGHT, s->rows, 0);
    for (uint32_t k = 0; !status && k < s->check.input_count; k++) {
        element_input *in = &s->check.inputs[k];
        if (k < own)
            *in = (element_input){ FROM_RIGHT, 0, s->rows + (size_t)k * s->stride, 0 };
        else if (k < own + columns)
            *in = (element_input){ FROM_UNKNOWN, 0, s->columns + (size_t)(k - own) * s->stride, 0 };
        else
            *in = (element_input){ FROM_TIME, k - own - columns, NULL, 0 };
    }
    return status;
}

static int make_shapes(making *b)
{
    islands *z = b->z;
    z->places = taut_mem_new(b->context, (size_t)b->m->column_start[b->m->size], sizeof *z->places);
    int status = z->places ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && !b->unusable && k < z->shape_count; k++) {
        island_shape *shape = &z->shapes[k];
        X(element_lanes_begin)(b->m->s, shape->lanes.count, &shape->lanes);
        status = make_tables(b, k);
        if (!status) status = X(islands_compile)(b->m->s, shape);
        if (!status) status = make_inputs(b->context, &shape->forward, FROM_RIGHT, shape->rows, shape->stride);
        if (!status)
            status = make_inputs(b->context, &shape->backward, FROM_RIGHT,
                                 shape->columns + (size_t)shape->first.own * shape->stride, shape->stride);
        if (!status) status = make_check_inputs(b->context, shape);
    }
    return status;
}

/* ---- S ---- */

typedef struct {
    int *row, *column;
    size_t count;
} entry_list;

/* Entries of D, then those that islands leave, shape by shape. */
static void list_late(making *b, entry_list *l)
{
    const island_matrix *m = b->m;
    const islands *z = b->z;
    l->count = 0;
    for (int j = 0; j < m->size; j++)
        for (int p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int i = m->row_index[p];
            if (b->late_column[j] == NOWHERE || b->late_row[i] == NOWHERE) continue;
            if (l->row) l->row[l->count] = (int)b->late_row[i], l->column[l->count] = (int)b->late_column[j];
            l->count++;
        }
    for (uint32_t k = 0; k < z->shape_count; k++) {
        const island_shape *s = &z->shapes[k];
        for (uint32_t o = 0; o < s->schur_count; o++)
            for (uint32_t i = 0; i < s->lanes.count; i++, l->count++) {
                if (!l->row) continue;
                l->row[l->count] = (int)b->late_row[s->rows[(size_t)s->schur_row[o] * s->stride + i]];
                l->column[l->count] = (int)b->late_column[s->columns[(size_t)s->schur_column[o] * s->stride + i]];
            }
    }
}

static int place_late(making *b, const pattern *columns, const entry_list *l, size_t direct)
{
    const island_matrix *m = b->m;
    islands *z = b->z;
    size_t at = 0;
    z->direct_to = taut_mem_new(b->context, direct, sizeof *z->direct_to);
    z->direct_row = taut_mem_new(b->context, direct, sizeof *z->direct_row);
    z->direct_column = taut_mem_new(b->context, direct, sizeof *z->direct_column);
    if (!z->direct_to || !z->direct_row || !z->direct_column) return TAUT_OUT_OF_MEMORY;
    for (int j = 0; j < m->size; j++)
        for (int p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            if (b->late_column[j] != NOWHERE && b->late_row[m->row_index[p]] != NOWHERE) {
                z->places[p] = (int)(z->number_count + (size_t)z->direct_count);
                z->direct_row[z->direct_count] = m->row_index[p], z->direct_column[z->direct_count] = j;
                z->direct_to[z->direct_count++] = taut_pattern_find(columns, l->column[at], l->row[at]);
                at++;
            }
    for (uint32_t k = 0; k < z->shape_count; k++) {
        island_shape *s = &z->shapes[k];
        s->schur = taut_mem_new(b->context, (size_t)s->schur_count * s->stride, sizeof *s->schur);
        if (!s->schur) return TAUT_OUT_OF_MEMORY;
        for (uint32_t o = 0; o < s->schur_count; o++)
            for (uint32_t i = 0; i < s->lanes.count; i++, at++)
                s->schur[(size_t)o * s->stride + i] = (uint32_t)taut_pattern_find(columns, l->column[at], l->row[at]);
    }
    return TAUT_OK;
}

enum { NODE_MOST = 12 };

static int same_column(const pattern *columns, int a, int b)
{
    const int count = columns->start[a + 1] - columns->start[a];
    return count == columns->start[b + 1] - columns->start[b]
           && !memcmp(columns->index + columns->start[a], columns->index + columns->start[b],
                      (size_t)count * sizeof *columns->index);
}

/* Multipliers of one constraint are a node, and so are those that meet the same others: all of a joint. */
static int list_nodes(making *b, const pattern *columns, int *node, int *count)
{
    const island_matrix *m = b->m;
    const islands *z = b->z;
    int *known = taut_mem_new(b->context, m->s->c, sizeof *known),
        *size = taut_mem_new(b->context, (size_t)z->late_count, sizeof *size);
    const int status = known && size ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    *count = 0;
    for (int k = 0; !status && k < z->late_count; k++) {
        int *const of = &known[m->column_constraint[z->late_columns[k]]];
        for (int p = columns->start[k]; !*of && p < columns->start[k + 1] && columns->index[p] < k; p++) {
            const int other = columns->index[p];
            if (size[node[other]] < NODE_MOST && same_column(columns, k, other)) *of = node[other] + 1;
        }
        if (!*of) *of = ++*count;
        size[node[k] = *of - 1]++;
    }
    taut_mem_free(b->context, known);
    taut_mem_free(b->context, size);
    return status;
}

static int create_solver(making *b, const pattern *columns)
{
    islands *z = b->z;
    const size_t n = (size_t)z->late_count;
    int *node = taut_mem_new(b->context, n, sizeof *node), count = 0;
    unsigned char *late = taut_mem_new(b->context, n, 1);
    int status = node && late ? list_nodes(b, columns, node, &count) : TAUT_OUT_OF_MEMORY;
    const linear_nodes nodes = { count, node, node, late };
    if (!status)
        status = taut_linear_create_blocks(b->context, LINEAR_AUTO, z->late_count, columns->start, columns->index,
                                           &nodes, &z->solver);
    taut_mem_free(b->context, node);
    taut_mem_free(b->context, late);
    return status;
}

static int make_late(making *b)
{
    islands *z = b->z;
    entry_list l = { 0 };
    pattern *columns = NULL;
    if (!z->late_count) return TAUT_OK;
    list_late(b, &l);
    const size_t count = l.count;
    size_t direct = count;
    for (uint32_t k = 0; k < z->shape_count; k++)
        direct -= (size_t)z->shapes[k].schur_count * z->shapes[k].lanes.count;
    l.row = taut_mem_new(b->context, count, sizeof *l.row);
    l.column = taut_mem_new(b->context, count, sizeof *l.column);
    int status = l.row && l.column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_late(b, &l);
        status = taut_pattern_create(b->context, z->late_count, z->late_count, l.column, l.row, count, &columns);
    }
    if (!status) status = place_late(b, columns, &l, direct);
    if (!status) status = create_solver(b, columns);
    if (!status) z->schur_entries = pattern_entries(columns);
    taut_pattern_destroy(b->context, columns);
    taut_mem_free(b->context, l.row);
    taut_mem_free(b->context, l.column);
    return status;
}

/* ---- creation ---- */

static void lay_out(void *self, room_layout *l)
{
    islands *z = self;
    /* groups are multiples of a line of the cache */
    element_table all = { 1, NULL };
    const element_lanes one = { .groups = 1, .width = (uint32_t)(z->number_count + (size_t)z->direct_count) };
    X(element_table_lay_out)(&one, &all, l);
    z->numbers = all.numbers;
    real *at = z->numbers;
    for (uint32_t k = 0; k < z->shape_count; k++) {
        island_shape *s = &z->shapes[k];
        X(element_table_lay_out)(&s->lanes, &s->lanes.saved, l);
        s->entries.numbers = at;
        if (at) at += (size_t)s->lanes.groups * s->entries.rows * s->lanes.width;
    }
    z->schur = room_take(l, (size_t)z->schur_entries, sizeof *z->schur);
    z->late = room_take(l, (size_t)z->late_count, sizeof *z->late);
    z->sums = room_reals(l, (size_t)z->size), z->sizes = room_reals(l, (size_t)z->size);
    z->right = room_reals(l, (size_t)z->size);
    z->found = room_reals(l, (size_t)z->size);
}

static void clear_making(making *b)
{
    void *const blocks[] = { b->set, b->island_of, b->constraint_island, b->is_shared, b->row_start, b->row_column,
                             b->row_entry, b->late_row, b->late_column, b->shape_of, b->at, b->key };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(b->context, blocks[i]);
}

int X(islands_create)(const island_matrix *m, islands **result)
{
    taut_context *context = m->s->context;
    islands *z = taut_mem_new(context, 1, sizeof *z);
    making b = { .m = m, .z = z, .context = context };
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = m->s;
    z->size = m->size;
    int status = connect(&b);
    if (!status) status = place_constraints(&b);
    if (!status && !b.unusable) status = list_by_rows(&b);
    if (!status && !b.unusable) status = list_members(&b);
    if (!status && !b.unusable) status = number_late(&b);
    if (!status && !b.unusable) status = find_shapes(&b);
    if (!status && !b.unusable) status = make_shapes(&b);
    if (!status && !b.unusable) status = make_late(&b);
    if (status == TAUT_UNSUPPORTED) status = TAUT_OK, b.unusable = 1; /* no safe order */
    if (!status && !b.unusable) status = room_create(context, lay_out, z, &z->room);
    clear_making(&b);
    if (status || b.unusable)
        X(islands_destroy)(z);
    else
        *result = z;
    return status;
}
#else
/* Matrices are factored in double in both precisions: software arithmetic has nothing to gain from lanes. */
int X(islands_create)(const island_matrix *m, islands **result)
{
    (void)m;
    *result = NULL;
    return TAUT_OK;
}
#endif
