/* Phases by programs over elements: what goes in, and where outputs are added, in the order of shapes, elements and
 * outputs. */
#include <string.h>

#include "base/room.h"
#include "lower/element_inside.h"
#include "system/vector.h"

/* ---- creation ---- */

static void lay_out(void *self, room_layout *l)
{
    element_phase *p = self;
    for (uint32_t i = 0; i < p->block_count; i++) {
        element_lanes *lanes = &p->blocks[i].lanes;
        X(element_table_lay_out)(lanes, &lanes->saved, l);
        X(element_table_lay_out)(lanes, &p->blocks[i].others, l);
    }
    p->push = room_reals(l, (size_t)p->push_count * p->s->n);
}

int X(element_phase_create)(const element_part *part, element_phase **result)
{
    taut_context *context = part->s->context;
    element_phase *p = taut_mem_new(context, 1, sizeof *p);
    int status = TAUT_OK, expressible = 1;
    *result = NULL;
    if (!p) return TAUT_OUT_OF_MEMORY;
    *p = (element_phase){ .s = part->s, .table = part->table, .size = part->size,
                          .has_results = part->result_count > 0 };
    p->blocks = taut_mem_new(context, part->graph->shape_count, sizeof *p->blocks);
    if (!p->blocks) status = TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && expressible && i < part->graph->shape_count; i++) {
        element_block *b = &p->blocks[p->block_count++];
        b->shape = &part->graph->shapes[i];
        X(element_lanes_begin)(part->s, b->shape->count, &b->lanes);
        status = X(element_compile)(part, b, &p->push_count, &expressible);
    }
    if (!status && expressible) status = room_create(context, lay_out, p, &p->room);
    if (!status && expressible)
        *result = p;
    else
        X(element_phase_destroy)(p);
    return status;
}

void X(element_phase_destroy)(element_phase *p)
{
    if (!p) return;
    taut_context *context = p->s->context;
    for (uint32_t i = 0; i < p->block_count; i++) {
        element_block *b = &p->blocks[i];
        element_program *const programs[] = { &b->begin, &b->residual, &b->matrix, &b->results };
        for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
            X(element_program_clear)(context, programs[k]);
        void *const lists[] = { b->residual_rows, b->result_rows, b->rows, b->columns, b->places };
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) taut_mem_free(context, lists[k]);
    }
    taut_mem_free(context, p->blocks);
    room_free(context, &p->room);
    taut_mem_free(context, p);
}

size_t X(element_phase_entries)(const element_phase *p, int *row, int *column)
{
    size_t count = 0;
    for (uint32_t i = 0; i < p->block_count; i++) {
        const element_block *b = &p->blocks[i];
        for (uint32_t o = 0; o < b->matrix.output_count; o++)
            for (uint32_t e = 0; e < b->shape->count; e++, count++) {
                if (!row) continue;
                row[count] = (int)(b->rows[o].row + b->rows[o].index[e]);
                column[count] = (int)(b->columns[o].row + b->columns[o].index[e]);
            }
    }
    return count;
}

int X(element_phase_place)(element_phase *p, const int *place)
{
    for (uint32_t i = 0; i < p->block_count; i++) {
        element_block *b = &p->blocks[i];
        const size_t count = (size_t)b->matrix.output_count * b->shape->count;
        b->places = taut_mem_new(p->s->context, count, sizeof *b->places);
        if (!b->places) return TAUT_OUT_OF_MEMORY;
        for (size_t k = 0; k < count; k++) b->places[k] = *place++;
    }
    return TAUT_OK;
}

/* ---- a phase ---- */

typedef struct {
    const element_phase *p;
    const element_step *now;
} source;

static const real *vector_of(const void *user, const element_input *in)
{
    const source *from = user;
    const state *x = from->now->start;
    switch (in->from) {
    case FROM_CONSTANT: return from->p->s->constants;
    case FROM_OTHER_CONSTANT: return X(field_constants)(from->p->table->energy);
    case FROM_Q: return x->q;
    case FROM_P: return x->p;
    case FROM_W: return x->w;
    case FROM_Q_LOW: return x->q_low;
    case FROM_P_LOW: return x->p_low;
    case FROM_LAMBDA: return x->lambda;
    case FROM_TREND: return x->trend;
    case FROM_UNKNOWN: return from->now->unknowns + in->at;
    case FROM_H: return &from->now->h;
    case FROM_TIME: return &from->now->times[in->at];
    case FROM_TABLES:
    case FROM_LATE: break;
    }
    return NULL;
}

static void run(const element_phase *p, const element_block *b, const element_program *program,
                const element_step *now, const element_table *kept, element_put *put, void *out)
{
    const source from = { p, now };
    X(element_run)(p->s, &b->lanes, program, &b->lanes.saved, kept, vector_of, &from, put, out);
}

void X(element_phase_begin)(element_phase *p, const element_step *now)
{
    for (uint32_t i = 0; i < p->block_count; i++)
        run(p, &p->blocks[i], &p->blocks[i].begin, now, &p->blocks[i].lanes.saved, NULL, NULL);
}

typedef struct {
    const element_output *rows;
    real *out, *push;
    size_t size;
} row_target;

static void put_rows(const element_group *g, void *target)
{
    const row_target *to = target;
    for (uint32_t from = 0; from < g->count; from += ELEMENT_BLOCK)
        for (uint32_t o = g->program->kept_count; o < g->program->output_count; o++) {
            const element_output *place = &to->rows[o];
            real *out = place->row < to->size ? to->out + place->row : to->push + (place->row - to->size);
            X(element_add)(g, from, place->index, element_value(g, o), out);
        }
}

/* What is no force, in the same blocks. */
static void add_others(const element_block *b, real *out)
{
    const uint32_t width = b->lanes.width, count = b->lanes.count;
    for (uint32_t first = 0; first < count; first += ELEMENT_BLOCK) {
        const real *value = b->others.numbers + (size_t)(first / width) * b->others.rows * width + first % width;
        const uint32_t end = count - first < ELEMENT_BLOCK ? count - first : ELEMENT_BLOCK;
        for (uint32_t o = 0; o < b->others.rows; o++, value += width) {
            const uint32_t *index = b->residual_rows[o].index + first;
            real *row = out + b->residual_rows[o].row;
            for (uint32_t i = 0; i < end; i++) row[index[i]] += value[i];
        }
    }
}

void X(element_phase_residual)(element_phase *p, const element_step *now, real *out, real *push)
{
    const size_t n = p->s->n;
    memset(out, 0, (size_t)p->size * sizeof *out);
    if (p->push_count) memset(p->push, 0, p->push_count * n * sizeof *p->push);
    for (uint32_t i = 0; i < p->block_count; i++) {
        row_target to = { p->blocks[i].residual_rows, out, p->push, (size_t)p->size };
        run(p, &p->blocks[i], &p->blocks[i].residual, now, &p->blocks[i].others, put_rows, &to);
    }
    for (uint32_t i = 0; i < p->block_count; i++) add_others(&p->blocks[i], out);
    for (size_t k = 0; k < p->push_count * n; k++) *push = real_most(*push, p->push[k]);
}

int X(element_phase_has_results)(const element_phase *p) { return p->has_results; }

void X(element_phase_results)(element_phase *p, const element_step *now, real *out)
{
    for (uint32_t i = 0; i < p->block_count; i++) {
        row_target to = { p->blocks[i].result_rows, out, NULL, SIZE_MAX };
        run(p, &p->blocks[i], &p->blocks[i].results, now, NULL, put_rows, &to);
    }
}

typedef struct {
    const int *places;
    double *values;
} matrix_target;

static void put_matrix(const element_group *g, void *target)
{
    const matrix_target *to = target;
    const uint32_t count = g->lanes->count;
    for (uint32_t from = 0; from < g->count; from += ELEMENT_BLOCK) {
        const int *place = to->places + g->first + from;
        const uint32_t block = g->count - from < ELEMENT_BLOCK ? g->count - from : ELEMENT_BLOCK;
        for (uint32_t o = 0; o < g->program->output_count; o++, place += count) {
            const real *value = element_value(g, o) + from;
            for (uint32_t i = 0; i < block; i++) to->values[place[i]] += (double)value[i];
        }
    }
}

void X(element_phase_matrix)(element_phase *p, const element_step *now, double *values)
{
    for (uint32_t i = 0; i < p->block_count; i++) {
        const element_block *b = &p->blocks[i];
        matrix_target to = { b->places, values };
        run(p, b, &b->matrix, now, NULL, put_matrix, &to);
    }
}
