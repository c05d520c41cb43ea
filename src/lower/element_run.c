/* Programs over elements, run in lanes: inputs are gathered, a tape is run, outputs are added where they belong, in the
 * order of shapes, elements and outputs. */
#include <string.h>

#include "base/room.h"
#include "lower/element_inside.h"
#include "system/vector.h"

/* ---- creation ---- */

static void lay_out(void *self, room_layout *l)
{
    element_phase *p = self;
    for (uint32_t i = 0; i < p->block_count; i++) {
        element_block *b = &p->blocks[i];
        if (b->begin.tape) b->saved = room_reals(l, (size_t)b->begin.tape->output_count * b->stride);
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
    *p = (element_phase){ .s = part->s, .table = part->table, .size = part->size };
    p->blocks = taut_mem_new(context, part->graph->shape_count, sizeof *p->blocks);
    if (!p->blocks) status = TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && expressible && i < part->graph->shape_count; i++) {
        element_block *b = &p->blocks[p->block_count++];
        b->shape = &part->graph->shapes[i];
        b->stride = (b->shape->count + 7) / 8 * 8;
        status = X(element_compile)(part, b, &p->push_count, &expressible);
    }
    if (!status && expressible) status = room_create(context, lay_out, p, &p->room);
    if (!status && expressible)
        *result = p;
    else
        X(element_phase_destroy)(p);
    return status;
}

static void clear_program(taut_context *context, element_program *p)
{
    taut_tape_destroy(context, p->tape);
    taut_mem_free(context, p->inputs);
}

void X(element_phase_destroy)(element_phase *p)
{
    if (!p) return;
    taut_context *context = p->s->context;
    for (uint32_t i = 0; i < p->block_count; i++) {
        element_block *b = &p->blocks[i];
        clear_program(context, &b->begin);
        clear_program(context, &b->residual);
        clear_program(context, &b->matrix);
        taut_mem_free(context, b->outputs);
        taut_mem_free(context, b->rows);
        taut_mem_free(context, b->columns);
        taut_mem_free(context, b->places);
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
        const uint32_t outputs = b->matrix.tape ? b->matrix.tape->output_count : 0;
        for (uint32_t o = 0; o < outputs; o++)
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
        const size_t count = b->matrix.tape ? (size_t)b->matrix.tape->output_count * b->shape->count : 0;
        b->places = taut_mem_new(p->s->context, count, sizeof *b->places);
        if (!b->places) return TAUT_OUT_OF_MEMORY;
        if (count) memcpy(b->places, place, count * sizeof *place);
        place += count;
    }
    return TAUT_OK;
}

/* ---- a tape over elements ---- */

/* Tapes with many registers are run over fewer elements at a time, so that these stay in the first-level cache. */
static int lanes_of(const tape *t) { return t->register_count > 96 ? 16 : LANES; }

static const real *vector_of(const element_phase *p, const element_input *in, const element_step *now)
{
    const state *x = now->start;
    switch (in->from) {
    case FROM_CONSTANT: return p->s->constants;
    case FROM_OTHER_CONSTANT: return X(field_constants)(p->table->energy);
    case FROM_Q: return x->q;
    case FROM_P: return x->p;
    case FROM_W: return x->w;
    case FROM_Q_LOW: return x->q_low;
    case FROM_P_LOW: return x->p_low;
    case FROM_LAMBDA: return x->lambda;
    case FROM_TREND: return x->trend;
    case FROM_UNKNOWN: return now->unknowns + in->at;
    case FROM_SAVED: case FROM_H: case FROM_TIME: break;
    }
    return NULL;
}

static void gather(const element_phase *p, const element_block *b, const element_program *program,
                   const element_step *now, uint32_t first, int lanes, real *registers)
{
    const int padded = lanes < TAPE_PADDED ? TAPE_PADDED : lanes;
    for (uint32_t k = 0; k < program->tape->slots; k++, registers += LANES) {
        const element_input *in = &program->inputs[k];
        if (in->from == FROM_SAVED) {
            memcpy(registers, b->saved + in->at * b->stride + first, (size_t)lanes * sizeof *registers);
        } else if (in->index) {
            const real *from = vector_of(p, in, now);
            const uint32_t *index = in->index + first;
            const uint32_t before = in->from == FROM_OTHER_CONSTANT ? (uint32_t)in->at : 0;
            for (int i = 0; i < lanes; i++) registers[i] = from[index[i] - before];
        } else {
            const real value = in->from == FROM_H ? now->h : now->times[in->at];
            for (int i = 0; i < lanes; i++) registers[i] = value;
        }
        for (int i = lanes; i < padded; i++) registers[i] = registers[0];
    }
}

typedef void put_outputs(const element_block *b, const tape *t, const real *registers, uint32_t first, int lanes,
                         void *out);

static void run(const element_phase *p, const element_block *b, const element_program *program,
                const element_step *now, put_outputs *put, void *out)
{
    const tape *t = program->tape;
    if (!t) return;
    real *registers = p->s->work->registers;
    const uint32_t count = b->shape->count;
    const int most = lanes_of(t);
    X(tape_numbers)(t, registers, count < (uint32_t)most ? (int)count : most);
    for (uint32_t first = 0; first < count; first += (uint32_t)most) {
        const int lanes = count - first < (uint32_t)most ? (int)(count - first) : most;
        gather(p, b, program, now, first, lanes, registers);
        X(tape_run)(t, registers, lanes, p->s->context);
        put(b, t, registers, first, lanes, out);
    }
}

/* ---- what becomes of outputs ---- */

static void put_saved(const element_block *b, const tape *t, const real *registers, uint32_t first, int lanes, void *out)
{
    (void)out;
    for (uint32_t o = 0; o < t->output_count; o++)
        memcpy(b->saved + (size_t)o * b->stride + first, registers + (size_t)t->outputs[o] * LANES,
               (size_t)lanes * sizeof *registers);
}

void X(element_phase_begin)(element_phase *p, const element_step *now)
{
    for (uint32_t i = 0; i < p->block_count; i++) run(p, &p->blocks[i], &p->blocks[i].begin, now, put_saved, NULL);
}

typedef struct {
    real *out, *push;
    size_t size;
} residual_target;

static void put_residual(const element_block *b, const tape *t, const real *registers, uint32_t first, int lanes,
                         void *target)
{
    const residual_target *to = target;
    for (uint32_t o = 0; o < t->output_count; o++) {
        const real *value = registers + (size_t)t->outputs[o] * LANES;
        const element_output *place = &b->outputs[o];
        const uint32_t *index = place->index + first;
        real *out = place->row < to->size ? to->out + place->row : to->push + (place->row - to->size);
        for (int i = 0; i < lanes; i++) out[index[i]] += value[i];
    }
}

void X(element_phase_residual)(element_phase *p, const element_step *now, real *out, real *push)
{
    const size_t n = p->s->n;
    residual_target to = { out, p->push, (size_t)p->size };
    memset(out, 0, (size_t)p->size * sizeof *out);
    if (p->push_count) memset(p->push, 0, p->push_count * n * sizeof *p->push);
    for (uint32_t i = 0; i < p->block_count; i++)
        run(p, &p->blocks[i], &p->blocks[i].residual, now, put_residual, &to);
    for (size_t k = 0; k < p->push_count * n; k++) *push = real_most(*push, p->push[k]);
}

static void put_matrix(const element_block *b, const tape *t, const real *registers, uint32_t first, int lanes,
                       void *target)
{
    double *values = target;
    const int *place = b->places + first;
    for (uint32_t o = 0; o < t->output_count; o++, place += b->shape->count) {
        const real *value = registers + (size_t)t->outputs[o] * LANES;
        for (int i = 0; i < lanes; i++) values[place[i]] += (double)value[i];
    }
}

void X(element_phase_matrix)(element_phase *p, const element_step *now, double *values)
{
    for (uint32_t i = 0; i < p->block_count; i++)
        run(p, &p->blocks[i], &p->blocks[i].matrix, now, put_matrix, values);
}
