/* A phase of clusters: its groups and places, the programs of all kinds, where inputs are, and the pattern of S. */
#include "lower/cluster_inside.h"

#ifndef TAUT_REAL_QUAD
#include <string.h>

#include "base/room.h"
#include "linalg/pattern.h"

/* ---- the phase ---- */

static int moves(const element_part *part, const step_sum *sum)
{
    for (int k = 0; k < sum->count; k++)
        if (sum->parts[k].vector >= part->first_group && sum->parts[k].vector < part->first_group + part->group_count)
            return 1;
    return 0;
}

static int is_used(const element_part *part, int place)
{
    const step_table *t = part->table;
    for (int i = 0; i < t->term_count; i++) {
        const step_term *term = &t->terms[i];
        if (term->function == STEP_VECTOR || term->place != place) continue;
        for (int e = 0; e < part->equation_count; e++)
            if (part->equations[e].equation == term->equation) return 1;
    }
    return 0;
}

static int find_places(cluster_phase *p)
{
    static const int slots[] = { STEP_Q, STEP_W };
    const step_table *t = p->part->table;
    for (int place = 0; place < t->place_count; place++)
        for (int i = 0; i < 2; i++) {
            const step_sum *sum = &t->places[place].slots[slots[i]];
            const int is_unknown = sum->count == 1 && sum->parts[0].coefficient == 1 && !sum->parts[0].power;
            if (is_unknown || !moves(p->part, sum) || !is_used(p->part, place)) continue;
            if (p->place_count == CLUSTER_PLACES_MOST) return 0;
            p->places[p->place_count++] = (cluster_place){ place, slots[i] };
        }
    return 1;
}

/* 0 where unknowns and equations do not come in pairs. */
static int describe(cluster_phase *p)
{
    const element_part *part = p->part;
    for (int g = part->first_group; g < part->first_group + part->group_count; g++)
        if (part->table->groups[g].size == STEP_N)
            p->n_groups[p->n_group_count++] = g;
        else if (part->table->groups[g].size == STEP_C)
            p->c_groups[p->c_group_count++] = g;
        else
            return 0;
    for (int e = 0; e < part->equation_count; e++)
        if (part->equations[e].size == STEP_N)
            p->n_equations[p->n_equation_count++] = part->equations[e].equation;
        else if (part->equations[e].size == STEP_C)
            p->c_equations[p->c_equation_count++] = part->equations[e].equation;
        else
            return 0;
    return p->n_group_count == p->n_equation_count && p->c_group_count == p->c_equation_count && find_places(p);
}

/* ---- kinds ---- */

static uint32_t around_of(const cluster_block *b) { return b->kind->all.c - b->kind->own_c; }

/* Constraints around a cluster are late ones, whose multipliers are unknowns of S. */
static int list_late(clusters *z, cluster_block *b, int *usable)
{
    const element_shape *s = &b->kind->all;
    const uint32_t around = around_of(b), groups = (uint32_t)z->phase.c_group_count;
    b->late = taut_mem_new(z->s->context, (size_t)around * groups * s->stride, sizeof *b->late);
    if (!b->late) return TAUT_OUT_OF_MEMORY;
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t k = 0; k < around; k++)
            for (uint32_t i = 0; i < s->stride; i++) {
                const uint32_t late = z->graph.late_number[s->constraint[(size_t)(b->kind->own_c + k) * s->stride + i]];
                if (late == CLUSTER_NOWHERE) *usable = 0;
                b->late[((size_t)g * around + k) * s->stride + i] = late * groups + g;
            }
    return TAUT_OK;
}

static int make_block(clusters *z, cluster_block *b, int *usable)
{
    const element_shape *s = &b->kind->all;
    const cluster_phase *p = &z->phase;
    const uint32_t around = around_of(b);
    b->own_late = (uint32_t)p->c_group_count * b->kind->own_c;
    b->own = (uint32_t)p->n_group_count * b->kind->own_n + b->own_late;
    b->rows = b->columns = b->own + (uint32_t)p->c_group_count * around;
    if (b->own > CLUSTER_OWN_MOST || b->rows - b->own > CLUSTER_AROUND_MOST) {
        *usable = 0;
        return TAUT_OK;
    }
    X(element_lanes_begin)(z->s, s->count, &b->lanes);
    int status = list_late(z, b, usable);
    if (!status && *usable) status = X(cluster_compile)(p, b);
    return status;
}

static int make_blocks(clusters *z, int *usable)
{
    taut_context *context = z->s->context;
    int status = TAUT_OK;
    z->blocks = taut_mem_new(context, z->graph.kind_count, sizeof *z->blocks);
    z->lates = taut_mem_new(context, z->graph.lates_count, sizeof *z->lates);
    if (!z->blocks || !z->lates) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && *usable && k < z->graph.kind_count; k++) {
        cluster_block *b = &z->blocks[z->block_count++];
        b->kind = &z->graph.kinds[k];
        status = make_block(z, b, usable);
    }
    for (uint32_t k = 0; !status && *usable && k < z->graph.lates_count; k++) {
        late_block *b = &z->lates[z->late_block_count++];
        b->kind = &z->graph.lates[k];
        X(element_lanes_begin)(z->s, b->kind->all.count, &b->lanes);
        status = X(late_compile)(&z->phase, &z->graph, b);
    }
    return status;
}

enum { PREDICTED_MOST = 2 }; /* corrections that a prediction may cost: beyond that, some more of these are cheaper */

static void weigh_prediction(clusters *z)
{
    uint64_t predictions = 0, corrections = 0;
    for (uint32_t k = 0; k < z->block_count; k++) {
        const cluster_block *b = &z->blocks[k];
        predictions += (uint64_t)b->predict.length * b->lanes.groups;
        corrections += ((uint64_t)b->residual.length + b->backward.length) * b->lanes.groups;
    }
    z->predicts = predictions > 0 && predictions <= PREDICTED_MOST * corrections;
    for (uint32_t k = 0; !z->predicts && k < z->block_count; k++) {
        X(element_program_clear)(z->s->context, &z->blocks[k].predict);
        z->blocks[k].predict = (element_program){ 0 };
    }
}

/* ---- where numbers are ---- */

enum { LINE = FLAT_ALIGNMENT / sizeof(real) };

static void place_tables(clusters *z, int *usable)
{
    for (uint32_t k = 0; k < z->block_count; k++) {
        cluster_block *b = &z->blocks[k];
        b->first = z->number_count;
        z->number_count += ((size_t)b->lanes.groups * b->table.rows * b->lanes.width + LINE - 1) / LINE * LINE;
    }
    if (z->number_count > INT32_MAX) *usable = 0;
}

static uint32_t address(const clusters *z, uint32_t cluster, uint32_t row)
{
    const cluster_block *b = &z->blocks[z->graph.kind_of[cluster]];
    const uint32_t i = z->graph.place_of[cluster], width = b->lanes.width;
    return (uint32_t)(b->first + ((size_t)(i / width) * b->table.rows + row) * width + i % width);
}

/* Row of the share of an equation of a late constraint that a cluster has. */
static uint32_t share_row(const clusters *z, uint32_t cluster, uint32_t equation, uint32_t constraint)
{
    const cluster_block *b = &z->blocks[z->graph.kind_of[cluster]];
    const element_shape *s = &b->kind->all;
    uint32_t k = b->kind->own_c;
    while (k + 1 < s->c && s->constraint[(size_t)k * s->stride + z->graph.place_of[cluster]] != constraint) k++;
    return b->at_t + equation * around_of(b) + k - b->kind->own_c;
}

static uint32_t find_address(const clusters *z, const element_shape *s, const uint32_t *ordinal,
                             const cluster_input *in, uint32_t i)
{
    const cluster_graph *g = &z->graph;
    if (in->what == TAKE_SHARE) {
        uint32_t k = 0;
        while (k + 1 < s->n && ordinal[k] != in->ordinal) k++;
        const uint32_t cluster = g->cluster_of[s->coordinate[(size_t)k * s->stride + i]];
        return address(z, cluster, share_row(z, cluster, in->which, s->constraint[(size_t)in->local * s->stride + i]));
    }
    const uint32_t coordinate = s->coordinate[(size_t)in->local * s->stride + i], cluster = g->cluster_of[coordinate];
    const cluster_block *b = &z->blocks[g->kind_of[cluster]];
    return address(z, cluster,
                   (in->what == TAKE_PLACE ? b->at_places : 0) + in->which * b->kind->own_n
                       + g->own_number[coordinate]);
}

static void find_addresses(const clusters *z, const element_shape *s, const uint32_t *ordinal, const cluster_inputs *in)
{
    for (size_t k = 0; k < in->count; k++)
        for (uint32_t i = 0; i < s->stride; i++) in->list[k].index[i] = find_address(z, s, ordinal, &in->list[k], i);
}

/* Own unknowns among all of them, and own results. */
static int list_own(clusters *z, cluster_block *b)
{
    const element_shape *s = &b->kind->all;
    const cluster_phase *p = &z->phase;
    const uint32_t own_n = b->kind->own_n, own_c = b->kind->own_c;
    b->unknown = taut_mem_new(z->s->context, (size_t)b->own * s->stride, sizeof *b->unknown);
    b->result = taut_mem_new(z->s->context, (size_t)2 * own_n * s->stride, sizeof *b->result);
    if (!b->unknown || !b->result) return TAUT_OUT_OF_MEMORY;
    uint32_t *at = b->unknown;
    for (int g = 0; g < p->n_group_count; g++)
        for (size_t k = 0; k < (size_t)own_n * s->stride; k++)
            *at++ = (uint32_t)z->part.offsets[p->n_groups[g]] + s->coordinate[k];
    for (int g = 0; g < p->c_group_count; g++)
        for (size_t k = 0; k < (size_t)own_c * s->stride; k++)
            *at++ = (uint32_t)z->part.offsets[p->c_groups[g]] + s->constraint[k];
    for (uint32_t r = 0; r < 2; r++)
        for (size_t k = 0; k < (size_t)own_n * s->stride; k++)
            b->result[r * (size_t)own_n * s->stride + k] = r * z->s->n + s->coordinate[k];
    return TAUT_OK;
}

static int list_late_rows(clusters *z, late_block *b)
{
    const element_shape *s = &b->kind->all;
    b->late = taut_mem_new(z->s->context, (size_t)b->row_count * s->stride, sizeof *b->late);
    if (!b->late) return TAUT_OUT_OF_MEMORY;
    for (uint32_t o = 0; o < b->row_count; o++)
        for (uint32_t i = 0; i < s->stride; i++)
            b->late[(size_t)o * s->stride + i] =
                (uint32_t)z->at.row[z->graph.late_number[s->constraint[(size_t)b->local[o] * s->stride + i]]
                                        * (uint32_t)z->phase.c_group_count
                                    + b->equation[o]];
    return TAUT_OK;
}

static int find_all(clusters *z)
{
    int status = TAUT_OK;
    for (uint32_t k = 0; !status && k < z->block_count; k++) {
        find_addresses(z, &z->blocks[k].kind->all, NULL, &z->blocks[k].inputs);
        status = list_own(z, &z->blocks[k]);
    }
    for (uint32_t k = 0; !status && k < z->late_block_count; k++) {
        find_addresses(z, &z->lates[k].kind->all, z->lates[k].kind->ordinal, &z->lates[k].inputs);
        status = list_late_rows(z, &z->lates[k]);
    }
    z->late_unknowns = taut_mem_new(z->s->context, z->late_count, sizeof *z->late_unknowns);
    if (!z->late_unknowns) return TAUT_OUT_OF_MEMORY;
    const uint32_t groups = (uint32_t)z->phase.c_group_count;
    z->late_constraints = taut_mem_new(z->s->context, z->graph.late_count, sizeof *z->late_constraints);
    if (!z->late_constraints) return TAUT_OUT_OF_MEMORY;
    for (uint32_t c = 0; c < z->s->c; c++)
        if (z->graph.late_number[c] != CLUSTER_NOWHERE) z->late_constraints[z->graph.late_number[c]] = c;
    for (uint32_t c = 0; c < z->s->c; c++)
        for (uint32_t g = 0; z->graph.late_number[c] != CLUSTER_NOWHERE && g < groups; g++)
            z->late_unknowns[z->graph.late_number[c] * groups + g] = z->part.offsets[z->phase.c_groups[g]] + c;
    return status;
}

/* ---- S ---- */

static size_t list_entries(const clusters *z, int *row, int *column)
{
    size_t count = 0;
    for (uint32_t k = 0; k < z->block_count; k++) {
        const cluster_block *b = &z->blocks[k];
        const uint32_t stride = b->kind->all.stride;
        for (uint32_t o = 0; o < b->schur_count; o++)
            for (uint32_t i = 0; i < b->lanes.count; i++, count++) {
                if (!row) continue;
                row[count] = (int)b->late[(size_t)b->schur_row[o] * stride + i];
                column[count] = (int)b->late[(size_t)b->schur_column[o] * stride + i];
            }
    }
    const uint32_t groups = (uint32_t)z->phase.c_group_count;
    for (uint32_t k = 0; z->is_softened && k < z->graph.late_count; k++)
        for (uint32_t e = 0; e < groups * groups; e++, count++)
            if (row) row[count] = (int)(k * groups + e / groups), column[count] = (int)(k * groups + e % groups);
    return count;
}

/* Which numbers make the values of S, in the order of the clusters. */
static int place_entries(clusters *z, const pattern *columns, const int *row, const int *column, size_t count)
{
    taut_context *context = z->s->context;
    const size_t values = (size_t)pattern_entries(columns);
    size_t at = 0;
    z->first = (cluster_sums){ values, taut_mem_new(context, values, sizeof *z->first.from),
                               taut_mem_new(context, values, sizeof *z->first.to) };
    z->others.from = taut_mem_new(context, count - values, sizeof *z->others.from);
    z->others.to = taut_mem_new(context, count - values, sizeof *z->others.to);
    if (!z->first.from || !z->first.to || !z->others.from || !z->others.to) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < values; k++)
        z->first.from[k] = (uint32_t)z->number_count /* a zero */, z->first.to[k] = (uint32_t)z->at.entry[k];
    for (uint32_t k = 0; k < z->block_count; k++) {
        const cluster_block *b = &z->blocks[k];
        const uint32_t width = b->lanes.width;
        for (uint32_t o = 0; o < b->schur_count; o++)
            for (uint32_t i = 0; i < b->lanes.count; i++, at++) {
                const uint32_t value = (uint32_t)taut_pattern_find(columns, column[at], row[at]);
                const size_t group = i / width, place = (group * b->table.rows + b->at_schur + o) * width + i % width;
                const uint32_t from = (uint32_t)(b->first + place);
                if (z->first.from[value] == z->number_count)
                    z->first.from[value] = from;
                else
                    z->others.from[z->others.count] = from,
                    z->others.to[z->others.count++] = (uint32_t)z->at.entry[value];
            }
    }
    if (!z->is_softened) return TAUT_OK;
    z->softened = taut_mem_new(context, count - at, sizeof *z->softened);
    if (!z->softened) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; at + k < count; k++)
        z->softened[k] = (uint32_t)z->at.entry[taut_pattern_find(columns, column[at + k], row[at + k])];
    return TAUT_OK;
}

/* Multipliers of the constraints of one element are a node. */
static int create_solver(clusters *z, const pattern *columns)
{
    taut_context *context = z->s->context;
    const uint32_t groups = (uint32_t)z->phase.c_group_count;
    int *node = taut_mem_new(context, z->late_count, sizeof *node);
    unsigned char *late = taut_mem_new(context, z->graph.node_count, 1);
    int status = node && late ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && k < z->late_count; k++) node[k] = (int)z->graph.late_node[k / groups];
    const linear_nodes nodes = { (int)z->graph.node_count, node, node, late };
    if (!status)
        status = taut_linear_create_blocks(context, LINEAR_AUTO, (int)z->late_count, columns->start, columns->index,
                                           &nodes, &z->solver);
    taut_mem_free(context, node);
    taut_mem_free(context, late);
    return status;
}

/* Late columns are numbers of a vector of the solver from here on. */
static void place_unknowns(const clusters *z)
{
    for (uint32_t k = 0; k < z->block_count; k++) {
        const cluster_block *b = &z->blocks[k];
        const size_t count = (size_t)(b->columns - b->own) * b->kind->all.stride;
        for (size_t i = 0; i < count; i++) b->late[i] = (uint32_t)z->at.column[b->late[i]];
    }
}

static int make_schur(clusters *z)
{
    taut_context *context = z->s->context;
    pattern *columns = NULL;
    if (!z->late_count) return TAUT_OK;
    const size_t count = list_entries(z, NULL, NULL);
    int *row = taut_mem_new(context, count, sizeof *row), *column = taut_mem_new(context, count, sizeof *column);
    int status = row && column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_entries(z, row, column);
        status = taut_pattern_create(context, (int)z->late_count, (int)z->late_count, column, row, count, &columns);
    }
    if (!status) status = create_solver(z, columns);
    if (!status) status = taut_linear_places(z->solver, &z->at);
    if (!status) status = place_entries(z, columns, row, column, count);
    if (!status) place_unknowns(z);
    taut_pattern_destroy(context, columns);
    taut_mem_free(context, row);
    taut_mem_free(context, column);
    return status;
}

/* ---- creation ---- */

static void lay_out(void *self, room_layout *l)
{
    clusters *z = self;
    const element_lanes one = { .groups = 1, .width = (uint32_t)z->number_count + 1 }; /* a zero behind them */
    element_table all = { 1, NULL };
    X(element_table_lay_out)(&one, &all, l);
    z->numbers = all.numbers;
    for (uint32_t k = 0; k < z->block_count; k++)
        z->blocks[k].table.numbers = z->numbers ? z->numbers + z->blocks[k].first : NULL;
    for (uint32_t k = 0; k < z->late_block_count; k++)
        X(element_table_lay_out)(&z->lates[k].lanes, &z->lates[k].table, l);
    const size_t vector = (size_t)z->at.vector_count;
    z->late = room_take(l, vector, sizeof *z->late);
    z->chosen = room_take(l, z->is_softened ? vector : 0, sizeof *z->chosen);
    z->right = room_take(l, z->is_softened ? z->late_count : 0, sizeof *z->right);
}

int X(clusters_create)(const element_part *part, const element_phase *elements, int is_softened, clusters **result)
{
    taut_context *context = part->s->context;
    int usable = X(element_is_expressible)(part), status = TAUT_OK;
    *result = NULL;
    if (!usable) return TAUT_OK;
    clusters *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = part->s;
    z->part = *part;
    z->phase.part = &z->part;
    z->pushes = part->pushes;
    z->is_softened = is_softened;
    z->has_results = part->result_count > 0;
    usable = describe(&z->phase);
    if (usable) status = X(cluster_graph_create)(&z->part, elements, &z->graph, &usable);
    z->late_count = z->graph.late_count * (uint32_t)z->phase.c_group_count;
    if (!status && usable) status = make_blocks(z, &usable);
    if (!status && usable) weigh_prediction(z);
    if (!status && usable) place_tables(z, &usable);
    if (!status && usable) status = make_schur(z);
    if (!status && usable) status = find_all(z);
    if (status == TAUT_UNSUPPORTED) status = TAUT_OK, usable = 0;
    if (!status && usable) status = room_create(context, lay_out, z, &z->room);
    if (status || !usable)
        X(clusters_destroy)(z);
    else
        *result = z;
    return status;
}

static void clear_inputs(taut_context *context, cluster_inputs *in)
{
    for (size_t k = 0; k < in->count; k++) taut_mem_free(context, in->list[k].index);
    taut_mem_free(context, in->list);
}

static void clear_block(taut_context *context, cluster_block *b)
{
    element_program *const programs[] = { &b->begin,  &b->predict,  &b->places, &b->residual,
                                          &b->factor, &b->backward, &b->results };
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) X(element_program_clear)(context, programs[k]);
    clear_inputs(context, &b->inputs);
    void *const lists[] = { b->schur_row, b->schur_column, b->unknown, b->late, b->result };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) taut_mem_free(context, lists[k]);
}

static void clear_late(taut_context *context, late_block *b)
{
    X(element_program_clear)(context, &b->begin);
    X(element_program_clear)(context, &b->residual);
    clear_inputs(context, &b->inputs);
    taut_mem_free(context, b->local);
    taut_mem_free(context, b->equation);
    taut_mem_free(context, b->late);
}

void X(clusters_destroy)(clusters *z)
{
    if (!z) return;
    taut_context *context = z->s->context;
    for (uint32_t k = 0; k < z->block_count; k++) clear_block(context, &z->blocks[k]);
    for (uint32_t k = 0; k < z->late_block_count; k++) clear_late(context, &z->lates[k]);
    taut_mem_free(context, z->blocks);
    taut_mem_free(context, z->lates);
    void *const lists[] = { z->late_unknowns, z->first.from, z->first.to,        z->others.from,
                            z->others.to,     z->softened,   z->late_constraints };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) taut_mem_free(context, lists[k]);
    X(cluster_graph_clear)(context, &z->graph);
    taut_linear_destroy(z->solver);
    room_free(context, &z->room);
    taut_mem_free(context, z);
}
#else
/* Matrices are factored in double in both precisions: software arithmetic has nothing to gain from lanes. */
int X(clusters_create)(const element_part *part, const element_phase *elements, int is_softened, clusters **result)
{
    (void)part, (void)elements, (void)is_softened;
    *result = NULL;
    return TAUT_OK;
}

void X(clusters_destroy)(clusters *z) { (void)z; }
#endif
