#include "solve/assembly.h"

#include <math.h>
#include <string.h>

#include "base/room.h"

/* A block at its place: where each entry of its parts goes. */
typedef struct {
    const block_shape *block;
    int row, column;
    int *map;
} placed;

struct assembly {
    taut_context *context;
    int size;
    placed *blocks;
    size_t count, capacity;
    int *more_row, *more_column; /* entries that are not those of blocks: until finish, */
    int *more_place;             /* and where they are */
    size_t more_count;
    pattern *columns; /* compressed columns of the matrix = rows of its transpose */
    void *room;       /* of the arrays below */
    double *values;
    double *right;
    double *row_scale, *column_scale; /* powers of two that are in the values, where they are `scaled` */
    int *scaled;                      /* a number, which belongs to the values */
    int *filled;                      /* entries of a row */
    int symmetric;
    linear *solver;        /* NULL: not analysed yet */
    linear_backend backend;
    struct system *s;      /* until then, where nodes are expected: */
    system_nodes nodes;
    int *row_node, *column_node; /* -1: not declared */
};

int X(assembly_create)(taut_context *context, int size, assembly **result)
{
    assembly *a = taut_mem_new(context, 1, sizeof *a);
    *result = NULL;
    if (!a) return TAUT_OUT_OF_MEMORY;
    a->context = context;
    a->size = size;
    a->backend = LINEAR_AUTO;
    *result = a;
    return TAUT_OK;
}

static void forget_nodes(assembly *a)
{
    if (!a->s) return;
    X(system_nodes_clear)(a->s, &a->nodes);
    taut_mem_free(a->context, a->row_node);
    taut_mem_free(a->context, a->column_node);
    a->row_node = a->column_node = NULL;
    a->s = NULL;
}

void X(assembly_destroy)(assembly *a)
{
    if (!a) return;
    forget_nodes(a);
    for (size_t i = 0; i < a->count; i++) taut_mem_free(a->context, a->blocks[i].map);
    taut_mem_free(a->context, a->blocks);
    taut_mem_free(a->context, a->more_row);
    taut_mem_free(a->context, a->more_column);
    taut_mem_free(a->context, a->more_place);
    taut_pattern_destroy(a->context, a->columns);
    room_free(a->context, &a->room);
    taut_linear_destroy(a->solver);
    taut_mem_free(a->context, a);
}

int X(assembly_add)(assembly *a, const block_shape *b, int row, int column, int *id)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->blocks[i].block == b && a->blocks[i].row == row && a->blocks[i].column == column) {
            *id = (int)i;
            return TAUT_OK;
        }
    if (taut_mem_grow(a->context, &a->blocks, &a->capacity, a->count + 1, sizeof *a->blocks)) return TAUT_OUT_OF_MEMORY;
    *id = (int)a->count;
    a->blocks[a->count++] = (placed){ b, row, column, NULL };
    return TAUT_OK;
}

int X(assembly_add_entries)(assembly *a, size_t count, int **row, int **column)
{
    *row = a->more_row = taut_mem_new(a->context, count, sizeof **row);
    *column = a->more_column = taut_mem_new(a->context, count, sizeof **column);
    a->more_count = count;
    return *row && *column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

const int *X(assembly_places)(const assembly *a) { return a->more_place; }
double *X(assembly_values)(assembly *a) { return a->values; }
const pattern *X(assembly_columns_of)(const assembly *a) { return a->columns; }

/* Calls for every entry of a placed block, in the order of its values: k-th entry at (row, column) of the matrix. */
typedef void (*visitor)(void *user, size_t k, int row, int column);

static size_t visit(const placed *p, visitor f, void *user)
{
    size_t k = 0;
    for (int i = 0; i < p->block->part_count; i++) {
        const block_part *part = &p->block->parts[i];
        const pattern *shape = part->shape;
        for (int r = 0; r < shape->rows; r++)
            for (int e = shape->start[r]; e < shape->start[r + 1]; e++, k++) {
                int c = shape->index[e];
                f(user, k, p->row + (part->transposed ? c : r), p->column + (part->transposed ? r : c));
            }
    }
    return k;
}

typedef struct {
    int *row, *column;
} entry_list;

static void list_entry(void *user, size_t k, int row, int column)
{
    entry_list *l = user;
    l->row[k] = row, l->column[k] = column;
}

typedef struct {
    const pattern *columns;
    int *map;
} entry_map;

static void map_entry(void *user, size_t k, int row, int column)
{
    entry_map *m = user;
    m->map[k] = taut_pattern_find(m->columns, column, row);
}

static void lay_out(void *self, room_layout *l)
{
    assembly *a = self;
    a->values = room_take(l, (size_t)pattern_entries(a->columns), sizeof *a->values);
    a->right = room_take(l, (size_t)a->size, sizeof *a->right);
    a->row_scale = room_take(l, (size_t)a->size, sizeof *a->row_scale);
    a->column_scale = room_take(l, (size_t)a->size, sizeof *a->column_scale);
    a->scaled = room_take(l, 1, sizeof *a->scaled);
    a->filled = room_take(l, (size_t)a->size, sizeof *a->filled);
}

/* Made-up values: numbers of either sign and of one size in the blocks, the same ones every time. Elsewhere on the
   diagonal there are zeros. */
static int settle(const assembly *a)
{
    uint64_t seed = 1;
    double *values = taut_mem_new(a->context, (size_t)pattern_entries(a->columns), sizeof *values);
    if (!values) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i <= a->count; i++) {
        const int is_block = i < a->count, *map = is_block ? a->blocks[i].map : a->more_place;
        const size_t count = is_block ? (size_t)a->blocks[i].block->value_count : a->more_count;
        for (size_t k = 0; k < count; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u; /* Knuth's linear congruence */
            double size = 0.5 + (double)(seed >> 11) * 0x1p-53;
            values[map[k]] += (seed >> 10 & 1) ? size : -size;
        }
    }
    taut_linear_settle(a->solver, values);
    taut_mem_free(a->context, values);
    return TAUT_OK;
}

void X(assembly_expect_zeros)(assembly *a) { a->backend = LINEAR_AUTO_COLUMNS; }

int X(assembly_expect_nodes)(assembly *a, struct system *s)
{
    a->s = s;
    a->row_node = taut_mem_new(a->context, (size_t)a->size, sizeof *a->row_node);
    a->column_node = taut_mem_new(a->context, (size_t)a->size, sizeof *a->column_node);
    if (!a->row_node || !a->column_node) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < a->size; i++) a->row_node[i] = a->column_node[i] = -1;
    return X(system_nodes_create)(s, &a->nodes);
}

static void declare(const assembly *a, int *node, int at, int of_constraints)
{
    if (!a->s) return;
    const size_t count = of_constraints ? a->s->c : a->s->n;
    if (count) memcpy(node + at, of_constraints ? a->nodes.constraint : a->nodes.coordinate, count * sizeof *node);
}

void X(assembly_rows)(assembly *a, int row, int of_constraints) { declare(a, a->row_node, row, of_constraints); }

void X(assembly_columns)(assembly *a, int column, int of_constraints)
{
    declare(a, a->column_node, column, of_constraints);
}

/* Are all rows and columns those of some node? */
static int has_nodes(const assembly *a)
{
    for (int i = 0; a->s && i < a->size; i++)
        if (a->row_node[i] < 0 || a->column_node[i] < 0) return 0;
    return a->s != NULL;
}

static int create_solver(assembly *a)
{
    const linear_nodes nodes = { a->nodes.count, a->row_node, a->column_node, a->nodes.late };
    const pattern *columns = a->columns;
    int status = has_nodes(a) ? taut_linear_create_blocks(a->context, a->backend, a->size, columns->start,
                                                          columns->index, &nodes, &a->solver)
                              : taut_linear_create(a->context, a->backend, a->size, columns->start, columns->index,
                                                   a->symmetric, &a->solver);
    forget_nodes(a);
    return status;
}

static int place_more(assembly *a)
{
    a->more_place = taut_mem_new(a->context, a->more_count, sizeof *a->more_place);
    if (!a->more_place) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < a->more_count; k++)
        a->more_place[k] = taut_pattern_find(a->columns, a->more_column[k], a->more_row[k]);
    taut_mem_free(a->context, a->more_row);
    taut_mem_free(a->context, a->more_column);
    a->more_row = a->more_column = NULL;
    return TAUT_OK;
}

int X(assembly_fix)(assembly *a, int symmetric)
{
    size_t entries = (size_t)a->size + a->more_count, at = 0;
    a->symmetric = symmetric;
    for (size_t i = 0; i < a->count; i++) entries += (size_t)a->blocks[i].block->value_count;
    int *row = taut_mem_new(a->context, entries, sizeof *row),
        *column = taut_mem_new(a->context, entries, sizeof *column);
    int status = row && column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        for (size_t i = 0; i < a->count; i++) {
            entry_list list = { row + at, column + at };
            at += visit(&a->blocks[i], list_entry, &list);
        }
        /* the diagonal is always there: some back ends want it */
        for (int i = 0; i < a->size; i++, at++) row[at] = column[at] = i;
        for (size_t k = 0; k < a->more_count; k++, at++) row[at] = a->more_row[k], column[at] = a->more_column[k];
        status = taut_pattern_create(a->context, a->size, a->size, column, row, entries, &a->columns);
    }
    taut_mem_free(a->context, row);
    taut_mem_free(a->context, column);
    if (status) return status;
    for (size_t i = 0; i < a->count; i++) {
        placed *p = &a->blocks[i];
        p->map = taut_mem_new(a->context, (size_t)p->block->value_count, sizeof *p->map);
        if (!p->map) return TAUT_OUT_OF_MEMORY;
        entry_map map = { a->columns, p->map };
        visit(p, map_entry, &map);
    }
    return place_more(a);
}

int X(assembly_analyse)(assembly *a)
{
    if (a->solver) return TAUT_OK;
    int status = create_solver(a);
    if (!status) status = settle(a);
    if (!status) status = room_create(a->context, lay_out, a, &a->room);
    if (status) {
        taut_linear_destroy(a->solver);
        a->solver = NULL;
    }
    return status;
}

int X(assembly_finish)(assembly *a, int symmetric)
{
    const int status = X(assembly_fix)(a, symmetric);
    return status ? status : X(assembly_analyse)(a);
}

int X(assembly_finish_like)(assembly *a, const assembly *other)
{
    forget_nodes(a);
    a->symmetric = other->symmetric;
    int status = taut_pattern_copy(a->context, other->columns, &a->columns);
    for (size_t i = 0; !status && i < a->count; i++) {
        const size_t count = (size_t)a->blocks[i].block->value_count;
        a->blocks[i].map = taut_mem_new(a->context, count, sizeof *a->blocks[i].map);
        if (!a->blocks[i].map) status = TAUT_OUT_OF_MEMORY;
        else if (count) memcpy(a->blocks[i].map, other->blocks[i].map, count * sizeof *a->blocks[i].map);
    }
    if (!status) status = taut_linear_create_like(other->solver, &a->solver);
    return status ? status : room_create(a->context, lay_out, a, &a->room);
}

void X(assembly_zero)(assembly *a)
{
    memset(a->values, 0, (size_t)pattern_entries(a->columns) * sizeof *a->values);
    *a->scaled = 0;
}

void X(assembly_put)(assembly *a, int id, real factor, const real *values)
{
    const placed *p = &a->blocks[id];
    for (int k = 0; k < p->block->value_count; k++) a->values[p->map[k]] += (double)(factor * values[k]);
}

/* Powers of two for rows and columns after which the entries of each are, in the geometric mean, of size one; on a
   symmetric matrix the same for both, so that it stays one. 0 where they would change little: then units are not to
   blame. */
static int find_scales(assembly *a)
{
    enum { SWEEPS = 8, EXPONENT_MOST = 500 };
    const double least = 20; /* bits */
    const int n = a->size, *start = a->columns->start, *index = a->columns->index;
    double *row = a->row_scale, *column = a->column_scale, lowest = INFINITY, highest = -INFINITY;
    for (int j = 0; j < n; j++) column[j] = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) { /* in logarithms of base 2 */
        for (int i = 0; i < n; i++) row[i] = 0, a->filled[i] = 0;
        for (int j = 0; j < n; j++)
            for (int p = start[j]; p < start[j + 1]; p++) {
                int exponent;
                if (a->values[p] == 0 || !isfinite(a->values[p])) continue;
                frexp(a->values[p], &exponent);
                row[index[p]] -= exponent + column[j];
                a->filled[index[p]]++;
            }
        for (int i = 0; i < n; i++) row[i] /= a->filled[i] ? a->filled[i] : 1;
        for (int j = 0; j < n; j++) {
            int count = 0;
            double sum = 0;
            for (int p = start[j]; p < start[j + 1]; p++) {
                int exponent;
                if (a->values[p] == 0 || !isfinite(a->values[p])) continue;
                frexp(a->values[p], &exponent);
                sum -= exponent + row[index[p]];
                count++;
            }
            column[j] = sum / (count ? count : 1);
        }
    }
    for (int i = 0; i < n; i++) {
        if (a->symmetric) row[i] = column[i] = (row[i] + column[i]) / 2;
        lowest = fmin(lowest, fmin(row[i], column[i])), highest = fmax(highest, fmax(row[i], column[i]));
    }
    for (int i = 0; i < n; i++) {
        row[i] = ldexp(1, (int)fmax(fmin(row[i], EXPONENT_MOST), -EXPONENT_MOST));
        column[i] = ldexp(1, (int)fmax(fmin(column[i], EXPONENT_MOST), -EXPONENT_MOST));
    }
    return highest - lowest >= least;
}

static void scale(assembly *a)
{
    for (int j = 0; j < a->size; j++)
        for (int p = a->columns->start[j]; p < a->columns->start[j + 1]; p++)
            a->values[p] *= a->row_scale[a->columns->index[p]] * a->column_scale[j];
    *a->scaled = 1;
}

/* The values as they were: the scales are powers of two. */
static void scale_back(assembly *a)
{
    for (int j = 0; j < a->size; j++)
        for (int p = a->columns->start[j]; p < a->columns->start[j + 1]; p++)
            a->values[p] /= a->row_scale[a->columns->index[p]] * a->column_scale[j];
    *a->scaled = 0;
}

/* Pivots are chosen again each time: a step must depend on its state alone, not on the matrices of earlier steps.
   Solvers judge pivots against the other entries, and masses of 1e-27 beside lengths of 1e-10 count as nothing then: a
   matrix that seems singular is tried again in units of its own. */
int X(assembly_factor)(assembly *a)
{
    taut_linear_forget(a->solver);
    int status = taut_linear_factor(a->solver, a->values);
    if (status != TAUT_SINGULAR || *a->scaled || !find_scales(a)) return status;
    scale(a);
    taut_linear_forget(a->solver);
    status = taut_linear_factor(a->solver, a->values);
    if (status != TAUT_SINGULAR) return status;
    scale_back(a); /* for the message, which names a column */
    taut_linear_forget(a->solver);
    return taut_linear_factor(a->solver, a->values);
}

int X(assembly_solve)(assembly *a, real *r)
{
    for (int i = 0; i < a->size; i++) a->right[i] = *a->scaled ? (double)r[i] * a->row_scale[i] : (double)r[i];
    int status = taut_linear_solve(a->solver, a->right);
    for (int i = 0; !status && i < a->size; i++) r[i] = *a->scaled ? a->right[i] * a->column_scale[i] : a->right[i];
    return status;
}

const linear_info *X(assembly_status)(const assembly *a) { return taut_linear_status(a->solver); }
