/* Which constraints take part in the multipliers that make no force. */
#include <math.h>
#include <string.h>

#include "base/room.h"
#include "solve/stress.h"

/* A constraint depends on its neighbours when no more of its gradient's length than this is left beside them; as in
   rank.c, or less: the problems are small ones. */
#define DEPENDS ((real)1e-7)
#define INDEPENDENT ((real)1e-6)
#define TAKES_PART 1e-9        /* relative to the largest part */
#define MOST_ROWS 1024         /* coordinates */
#define MOST_WORK 4e9          /* operations, of all of them */

typedef struct {
    int *items;
    size_t count, capacity;
} int_list;

typedef struct {
    const struct system *s;
    const pattern *g;
    pattern *by_coordinate;    /* coordinates x constraints */
    const real *values, *aside;
    int *place;                /* of a constraint in the order of elimination */
    int *by_place;             /* and the other way round */
    int *seen;                 /* c: marks */
    int *row;                  /* n: of a coordinate in the problem at hand; -1 */
    int candidate[STRESS_MOST]; /* in the order of their distance */
    int count, rows;
    int coordinate[MOST_ROWS];
    real *columns, *r;         /* of stress_combine */
    real x[STRESS_MOST], x_aside[STRESS_MOST];
    double work;
    /* what is found */
    int_list start, member, column_rows, entry_start, entry_row;
} search;

static int append(search *z, int_list *l, int item)
{
    int status = taut_mem_grow(z->s->context, &l->items, &l->capacity, l->count + 1, sizeof *l->items);
    if (!status) l->items[l->count++] = item;
    return status;
}

/* ---- one of them ---- */

static int add_coordinates(search *z, int constraint)
{
    for (int e = z->g->start[constraint]; e < z->g->start[constraint + 1]; e++) {
        const int i = z->g->index[e];
        if (z->row[i] >= 0) continue;
        if (z->rows == MOST_ROWS) return 0;
        z->coordinate[z->rows] = i;
        z->row[i] = z->rows++;
    }
    return 1;
}

/* The neighbours of candidates from `first` on that come before k. 0: too many. */
static int add_ring(search *z, int first, int k)
{
    const int end = z->count;
    for (int m = first; m < end; m++)
        for (int e = z->g->start[z->candidate[m]]; e < z->g->start[z->candidate[m] + 1]; e++) {
            const int i = z->g->index[e];
            for (int f = z->by_coordinate->start[i]; f < z->by_coordinate->start[i + 1]; f++) {
                const int other = z->by_coordinate->index[f];
                if (z->seen[other] == k + 1 || z->place[other] > z->place[k]) continue;
                if (z->count == STRESS_MOST) return 0;
                z->seen[other] = k + 1;
                z->candidate[z->count++] = other;
            }
        }
    for (int m = end; m < z->count; m++)
        if (!add_coordinates(z, z->candidate[m])) return 0;
    return 1;
}

static real combine(search *z, const real *values, real *x)
{
    const int rows = z->rows;
    memset(z->columns, 0, (size_t)rows * (size_t)z->count * sizeof(real));
    for (int m = 0; m < z->count; m++)
        for (int e = z->g->start[z->candidate[m]]; e < z->g->start[z->candidate[m] + 1]; e++)
            z->columns[m * rows + z->row[z->g->index[e]]] = values[e];
    z->work += 4.0 * z->count * z->count * rows;
    return X(stress_combine)(rows, z->count, z->columns, z->r, INDEPENDENT, x);
}

static double length_of(const search *z, const real *values, int constraint)
{
    double sum = 0;
    for (int e = z->g->start[constraint]; e < z->g->start[constraint + 1]; e++) sum += (double)(values[e] * values[e]);
    return sqrt(sum);
}

/* Marks in x those that take part at a place. */
static void find_parts(const search *z, const real *values, const real *x, unsigned char *part)
{
    double most = 0;
    for (int m = 0; m < z->count; m++)
        most = fmax(most, fabs((double)x[m]) * length_of(z, values, z->candidate[m]));
    for (int m = 0; m < z->count; m++)
        if (fabs((double)x[m]) * length_of(z, values, z->candidate[m]) > TAKES_PART * most) part[m] = 1;
}

static void clear_rows(search *z)
{
    for (int i = 0; i < z->rows; i++) z->row[z->coordinate[i]] = -1;
    z->rows = 0;
}

/* Only those that take part are kept. What does so aside counts only where it does it all. */
static void trim(search *z)
{
    unsigned char part[STRESS_MOST] = { 1 };
    int kept = 0;
    find_parts(z, z->values, z->x, part);
    if (z->aside && combine(z, z->aside, z->x_aside) <= DEPENDS) find_parts(z, z->aside, z->x_aside, part);
    for (int m = 0; m < z->count; m++)
        if (part[m]) z->candidate[kept++] = z->candidate[m];
    z->count = kept;
    clear_rows(z);
    for (int m = 0; m < kept; m++) add_coordinates(z, z->candidate[m]);
}

static int keep(search *z)
{
    int status = append(z, &z->column_rows, z->rows);
    for (int m = 0; !status && m < z->count; m++) {
        const int constraint = z->candidate[m];
        status = append(z, &z->member, constraint);
        for (int e = z->g->start[constraint]; !status && e < z->g->start[constraint + 1]; e++)
            status = append(z, &z->entry_row, z->row[z->g->index[e]]);
        if (!status) status = append(z, &z->entry_start, (int)z->entry_row.count);
    }
    return status ? status : append(z, &z->start, (int)z->member.count);
}

/* Neighbours of neighbours, until constraint k depends on those that come before it. */
static int look_around(search *z, int k)
{
    int first = 0, status = TAUT_OK;
    z->count = 1, z->candidate[0] = k, z->seen[k] = k + 1;
    int open = add_coordinates(z, k);
    while (open && z->work < MOST_WORK) {
        const int before = z->count;
        open = add_ring(z, first, k);
        if (!open || z->count == before) break;
        first = before;
        if (combine(z, z->values, z->x) > DEPENDS) continue;
        trim(z);
        status = keep(z);
        break;
    }
    clear_rows(z);
    return status;
}

/* ---- the plan ---- */

/* Products of members of the same constraint: entry (i, j) of N' D N is the sum of those of columns i and j. */
typedef struct {
    int_list row, column, a, b;
} pair_list;

static int list_pairs(search *z, pair_list *l)
{
    const int members = (int)z->member.count, columns = (int)z->column_rows.count;
    taut_context *context = z->s->context;
    pattern *users = NULL;     /* constraints x members */
    int *index = taut_mem_new(context, (size_t)members, sizeof *index);
    int *column = taut_mem_new(context, (size_t)members, sizeof *column);
    int status = index && column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < columns; i++)
        for (int m = z->start.items[i]; m < z->start.items[i + 1]; m++) index[m] = m, column[m] = i;
    if (!status)
        status = taut_pattern_create(context, (int)z->s->c, members, z->member.items, index, (size_t)members, &users);
    for (int m = 0; !status && m < members; m++) {
        const int constraint = z->member.items[m];
        for (int e = users->start[constraint]; !status && e < users->start[constraint + 1]; e++) {
            status = append(z, &l->row, column[m]);
            if (!status) status = append(z, &l->column, column[users->index[e]]);
            if (!status) status = append(z, &l->a, m);
            if (!status) status = append(z, &l->b, users->index[e]);
        }
    }
    taut_pattern_destroy(context, users);
    taut_mem_free(context, index);
    taut_mem_free(context, column);
    return status;
}

/* The plan and its arrays, in one block: counted, and placed (base/room.h). */
static stress_plan *list_arrays(const search *z, size_t entries, size_t pairs, room_layout *l)
{
    const size_t columns = z->column_rows.count, size = sizeof(int);
    stress_plan p = { 0 }, *at = room_take(l, 1, sizeof p);
    p.start = room_take(l, z->start.count, size);
    p.member = room_take(l, z->member.count, size);
    p.rows = room_take(l, columns, size);
    p.entry_start = room_take(l, z->entry_start.count, size);
    p.entry_row = room_take(l, z->entry_row.count, size);
    p.shape.start = room_take(l, columns + 1, size);
    p.shape.index = room_take(l, entries, size);
    p.pair_start = room_take(l, entries + 1, size);
    p.pair_a = room_take(l, pairs, size);
    p.pair_b = room_take(l, pairs, size);
    p.metric = room_take(l, z->s->c, sizeof *p.metric);
    if (at) *at = p;
    return at;
}

static void copy_ints(int *to, const int_list *from) { memcpy(to, from->items, from->count * sizeof(int)); }

static void fill(const search *z, const pattern *shape, const pair_list *l, const double *metric, stress_plan *p)
{
    p->count = (int)z->column_rows.count;
    memcpy(p->metric, metric, z->s->c * sizeof *metric);
    copy_ints(p->start, &z->start), copy_ints(p->member, &z->member), copy_ints(p->rows, &z->column_rows);
    copy_ints(p->entry_start, &z->entry_start), copy_ints(p->entry_row, &z->entry_row);
    p->shape.rows = p->shape.columns = p->count;
    memcpy(p->shape.start, shape->start, ((size_t)p->count + 1) * sizeof(int));
    memcpy(p->shape.index, shape->index, (size_t)pattern_entries(shape) * sizeof(int));
    for (int i = 0; i < p->count; i++) {
        if (p->rows[i] > p->most_rows) p->most_rows = p->rows[i];
        if (p->start[i + 1] - p->start[i] > p->most_members) p->most_members = p->start[i + 1] - p->start[i];
    }
    const int entries = pattern_entries(shape);
    for (size_t k = 0; k < l->a.count; k++)
        p->pair_start[taut_pattern_find(shape, l->row.items[k], l->column.items[k]) + 1]++;
    for (int e = 0; e < entries; e++) p->pair_start[e + 1] += p->pair_start[e];
    for (size_t k = 0; k < l->a.count; k++) {
        const int at = p->pair_start[taut_pattern_find(shape, l->row.items[k], l->column.items[k])]++;
        p->pair_a[at] = l->a.items[k], p->pair_b[at] = l->b.items[k];
    }
    for (int e = entries; e > 0; e--) p->pair_start[e] = p->pair_start[e - 1]; /* from the ends of lists to the heads */
    p->pair_start[0] = 0;
}

static int make_plan(search *z, const double *metric, stress_plan **result)
{
    taut_context *context = z->s->context;
    const int count = (int)z->column_rows.count;
    pair_list l = { 0 };
    pattern *shape = NULL;
    int status = list_pairs(z, &l);
    if (!status)
        status = taut_pattern_create(context, count, count, l.row.items, l.column.items, l.row.count, &shape);
    if (!status) {
        const size_t entries = (size_t)pattern_entries(shape);
        room_layout room = { 0 };
        list_arrays(z, entries, l.a.count, &room);
        room.block = taut_mem_new(context, room.size, 1);
        room.size = 0;
        if (room.block) fill(z, shape, &l, metric, *result = list_arrays(z, entries, l.a.count, &room));
        status = room.block ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    }
    taut_pattern_destroy(context, shape);
    int_list *lists[] = { &l.row, &l.column, &l.a, &l.b };
    for (int i = 0; i < 4; i++) taut_mem_free(context, lists[i]->items);
    return status;
}

static int begin(search *z, const rank *found)
{
    const struct system *s = z->s;
    taut_context *context = s->context;
    z->place = taut_mem_new(context, s->c, sizeof *z->place);
    z->by_place = taut_mem_new(context, s->c, sizeof *z->by_place);
    z->seen = taut_mem_new(context, s->c, sizeof *z->seen);
    z->row = taut_mem_new(context, s->n, sizeof *z->row);
    z->columns = taut_mem_new(context, (size_t)STRESS_MOST * MOST_ROWS, sizeof *z->columns);
    z->r = taut_mem_new(context, (size_t)STRESS_MOST * STRESS_MOST, sizeof *z->r);
    if (!z->place || !z->by_place || !z->seen || !z->row || !z->columns || !z->r) return TAUT_OUT_OF_MEMORY;
    const int *order = X(rank_order)(found);
    for (uint32_t k = 0; k < s->c; k++) z->by_place[k] = order ? order[k] : (int)k;
    for (uint32_t k = 0; k < s->c; k++) z->place[z->by_place[k]] = (int)k;
    for (uint32_t i = 0; i < s->n; i++) z->row[i] = -1;
    int status = taut_pattern_transpose(context, z->g, &z->by_coordinate, NULL);
    if (!status) status = append(z, &z->start, 0);
    return status ? status : append(z, &z->entry_start, 0);
}

static void end(search *z)
{
    taut_context *context = z->s->context;
    int_list *lists[] = { &z->start, &z->member, &z->column_rows, &z->entry_start, &z->entry_row };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) taut_mem_free(context, lists[i]->items);
    taut_pattern_destroy(context, z->by_coordinate);
    taut_mem_free(context, z->place);
    taut_mem_free(context, z->by_place);
    taut_mem_free(context, z->seen);
    taut_mem_free(context, z->row);
    taut_mem_free(context, z->columns);
    taut_mem_free(context, z->r);
}

int X(stress_plan_create)(const struct system *s, const rank *found, const real *g, const real *aside,
                          const double *metric, stress_plan **result)
{
    search *z = taut_mem_new(s->context, 1, sizeof *z);
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s, z->g = s->blocks[BLOCK_G].parts[0].shape, z->values = g, z->aside = aside;
    int status = begin(z, found);
    for (uint32_t i = 0; !status && i < s->c; i++)
        if (X(rank_is_dependent)(found, (uint32_t)z->by_place[i])) status = look_around(z, z->by_place[i]);
    if (!status && z->column_rows.count) status = make_plan(z, metric, result);
    end(z);
    taut_mem_free(s->context, z);
    return status;
}
