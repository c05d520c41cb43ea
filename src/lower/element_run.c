/* Programs over elements, run in lanes: inputs are gathered, a tape is run, outputs are added where they belong, in the
 * order of shapes, elements and outputs. */
#include <string.h>

#include "base/loops.h"
#include "base/room.h"
#include "lower/element_inside.h"
#include "native/native.h"
#include "taut/taut.h"
#include "system/vector.h"

/* ---- creation ---- */

/* Where a line of the cache begins: rows of eight numbers are read and written as a whole. */
static real *aligned(real *numbers)
{
    return numbers ? (real *)(((uintptr_t)numbers + FLAT_ALIGNMENT - 1) / FLAT_ALIGNMENT * FLAT_ALIGNMENT) : NULL;
}
enum { ALIGNMENT_NUMBERS = FLAT_ALIGNMENT / sizeof(real) };

static void lay_out(void *self, room_layout *l)
{
    element_phase *p = self;
    for (uint32_t i = 0; i < p->block_count; i++) {
        element_block *b = &p->blocks[i];
        b->saved = aligned(room_reals(l, (size_t)b->groups * b->saved_count * b->width + ALIGNMENT_NUMBERS));
    }
    p->push = room_reals(l, (size_t)p->push_count * p->s->n);
}

static int wants_machine(const struct system *s) { return s->native && s->native->mode != TAUT_NATIVE_OFF; }

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
        b->is_machine = wants_machine(part->s) && X(element_machine_width)(b->shape->count);
        b->width = b->is_machine ? (uint32_t)X(element_machine_width)(b->shape->count)
                                 : X(element_width)(b->shape->count);
        b->groups = (b->shape->count + b->width - 1) / b->width;
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
        const element_program *m = &b->matrix;
        for (uint32_t o = 0; o < m->output_count; o++)
            for (uint32_t e = 0; e < b->shape->count; e++, count++) {
                if (!row) continue;
                row[count] = (int)(m->outputs[o].row + m->outputs[o].index[e]);
                column[count] = (int)(m->columns[o].row + m->columns[o].index[e]);
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
        if (count) memcpy(b->places, place, count * sizeof *place);
        place += count;
    }
    return TAUT_OK;
}

/* ---- a program over elements ---- */

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
    case FROM_H: case FROM_TIME: break;
    }
    return NULL;
}

static WIDE_LOOPS void take_row(const real *restrict from, const uint32_t *restrict index, uint32_t before,
                                uint32_t width, real *restrict row)
{
    if (width == 1) {
        *row = from[*index - before];
        return;
    }
    for (uint32_t i = 0; i < width; i += 4, row += 4, index += 4) {
        row[0] = from[index[0] - before], row[1] = from[index[1] - before];
        row[2] = from[index[2] - before], row[3] = from[index[3] - before];
    }
}

static void gather(const element_phase *p, const element_program *program, const element_step *now, uint32_t first,
                   uint32_t width, real *row)
{
    for (uint32_t k = 0; k < program->input_count; k++, row += width) {
        const element_input *in = &program->inputs[k];
        if (in->index) {
            const uint32_t before = in->from == FROM_OTHER_CONSTANT ? (uint32_t)in->at : 0;
            take_row(vector_of(p, in, now), in->index + first, before, width, row);
        } else {
            const real value = in->from == FROM_H ? now->h : now->times[in->at];
            for (uint32_t i = 0; i < width; i++) row[i] = value;
        }
    }
}

/* Where the rows of a program are; the first ones are saved. */
typedef struct {
    const real *registers, *saved;
} rows;

static inline const real *output_row(const element_program *p, rows r, uint32_t o, uint32_t width)
{
    return (p->results[o] < p->saved_count ? r.saved : r.registers) + (size_t)p->results[o] * width;
}

/* What becomes of the outputs of `lanes` elements from `first` on. */
typedef void put_outputs(const element_block *b, const element_program *p, rows r, uint32_t first, uint32_t lanes,
                         void *out);

/* Literals, and behind the registers all bits of a number but that of the sign, and that one (element_machine.c). */
static void put_literals(const element_program *p, uint32_t width, real *registers)
{
    real *row = registers + (size_t)p->literal_first * width;
    for (uint32_t k = 0; k < p->literal_count; k++, row += width)
        for (uint32_t i = 0; i < width; i++) row[i] = p->literals[k];
    if (!p->machine) return;
    const uint64_t sign = (uint64_t)1 << 63, others = ~sign;
    row = registers + (size_t)p->register_count * width;
    for (uint32_t i = 0; i < width; i++) memcpy(&row[i], &sign, 8), memcpy(&row[width + i], &others, 8);
}

static void run(const element_phase *p, const element_block *b, const element_program *program,
                const element_step *now, put_outputs *put, void *out)
{
    const uint32_t width = b->width, count = b->shape->count;
    const size_t saved_size = (size_t)program->saved_count * width;
    real *registers = aligned(p->s->work->registers), *inputs = registers + saved_size;
    const real *saved = b->saved;
    if (!program->output_count) return;
    put_literals(program, width, registers);
    for (uint32_t first = 0; first < count; first += width, saved += (size_t)b->saved_count * width) {
        const uint32_t lanes = count - first < width ? count - first : width;
        gather(p, program, now, first, width, inputs);
        if (program->machine) {
            program->machine(registers, saved);
        } else {
            memcpy(registers, saved, saved_size * sizeof *registers);
            X(element_lanes_run)(program->code, program->length, width, registers);
        }
        put(b, program, (rows){ registers, program->machine ? saved : registers }, first, lanes, out);
    }
}

static void put_saved(const element_block *b, const element_program *p, rows r, uint32_t first, uint32_t lanes,
                      void *out)
{
    const uint32_t width = b->width;
    real *to = b->saved + (size_t)(first / width) * b->saved_count * width;
    (void)lanes;
    (void)out;
    for (uint32_t o = 0; o < p->output_count; o++, to += width)
        memcpy(to, output_row(p, r, o, width), width * sizeof *to);
}

void X(element_phase_begin)(element_phase *p, const element_step *now)
{
    for (uint32_t i = 0; i < p->block_count; i++) run(p, &p->blocks[i], &p->blocks[i].begin, now, put_saved, NULL);
}

/* One after the other: several elements may add to one number. */
static void add_row(real *out, const uint32_t *index, uint32_t lanes, const real *value)
{
    uint32_t i = 0;
    for (; i + 4 <= lanes; i += 4) {
        out[index[i]] += value[i], out[index[i + 1]] += value[i + 1];
        out[index[i + 2]] += value[i + 2], out[index[i + 3]] += value[i + 3];
    }
    for (; i < lanes; i++) out[index[i]] += value[i];
}

typedef struct {
    real *out, *push;
    size_t size;
} residual_target;

static void put_residual(const element_block *b, const element_program *p, rows r, uint32_t first, uint32_t lanes,
                         void *target)
{
    const residual_target *to = target;
    for (uint32_t o = 0; o < p->output_count; o++) {
        const real *value = output_row(p, r, o, b->width);
        const element_output *place = &p->outputs[o];
        const uint32_t *index = place->index + first;
        real *out = place->row < to->size ? to->out + place->row : to->push + (place->row - to->size);
        add_row(out, index, lanes, value);
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

int X(element_phase_has_results)(const element_phase *p) { return p->has_results; }

void X(element_phase_results)(element_phase *p, const element_step *now, real *out)
{
    residual_target to = { out, NULL, SIZE_MAX };
    for (uint32_t i = 0; i < p->block_count; i++)
        run(p, &p->blocks[i], &p->blocks[i].results, now, put_residual, &to);
}

static void put_matrix(const element_block *b, const element_program *p, rows r, uint32_t first, uint32_t lanes,
                       void *target)
{
    double *values = target;
    const int *place = b->places + first;
    for (uint32_t o = 0; o < p->output_count; o++, place += b->shape->count) {
        const real *value = output_row(p, r, o, b->width);
        uint32_t i = 0;
        for (; i + 4 <= lanes; i += 4) {
            values[place[i]] += (double)value[i], values[place[i + 1]] += (double)value[i + 1];
            values[place[i + 2]] += (double)value[i + 2], values[place[i + 3]] += (double)value[i + 3];
        }
        for (; i < lanes; i++) values[place[i]] += (double)value[i];
    }
}

void X(element_phase_matrix)(element_phase *p, const element_step *now, double *values)
{
    for (uint32_t i = 0; i < p->block_count; i++)
        run(p, &p->blocks[i], &p->blocks[i].matrix, now, put_matrix, values);
}
