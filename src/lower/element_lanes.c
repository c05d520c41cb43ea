/* The interpreter of programs over elements: one instruction for several elements. Widths are numbers that the compiler
 * sees, so that its loops have no ends to look after. */
#include <string.h>

#include "base/elementary.h"
#include "base/loops.h"
#include "lower/element_inside.h"
#include "native/native.h"
#include "taut/taut.h"

#define VALUE_TYPE real
#define MATH ELEMENTARY
#ifndef TAUT_REAL_QUAD
#define VALUE_ELEMENTARY
#endif
#include "expr/values.h"

/* Rows are the same or have nothing in common. */
#if defined(__GNUC__) && !defined(__clang__)
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif

#define EACH(operands, value)               \
    APART for (uint32_t i = 0; i < width; i++) { \
        operands;                           \
        target[i] = (value);                \
    }                                       \
    break;
#define ELEMENT_LEAF(NAME, ...) case OP_##NAME: break; /* is in its register already */
#define ELEMENT_UNARY(NAME, text, written, value, ...) case OP_##NAME: EACH(const real a = first[i], value)
#define ELEMENT_NUMBERED(NAME, text, written, value, ...)             \
    case OP_##NAME: {                                                 \
        const int32_t number = (int32_t)line->b;                      \
        if (number == 2) {                                            \
            EACH(const int32_t n = 2; const real a = first[i], value) \
        } else if (number == 3) {                                     \
            EACH(const int32_t n = 3; const real a = first[i], value) \
        }                                                             \
        EACH(const int32_t n = number; const real a = first[i], value) \
    }
#define ELEMENT_BINARY(NAME, text, written, value, ...)     \
    case OP_##NAME: {                                       \
        const real *second = registers + line->b;           \
        EACH(const real a = first[i]; const real b = second[i], value) \
    }

static inline __attribute__((always_inline)) void run(const instruction *line, uint32_t length, const uint32_t width,
                                                      real *registers)
{
    for (const instruction *end = line + length; line < end; line++) {
        real *target = registers + line->target;
        const real *first = registers + line->a;
        switch ((op)line->op) {
            OPERATIONS(ELEMENT_LEAF, ELEMENT_UNARY, ELEMENT_NUMBERED, ELEMENT_BINARY)
        }
    }
}

#define RUNNER(WIDTH)                                                                              \
    static WIDE_LOOPS void run_##WIDTH(const instruction *code, uint32_t length, real *registers)  \
    {                                                                                              \
        run(code, length, WIDTH, registers);                                                       \
    }
RUNNER(1)
RUNNER(2)
RUNNER(4)
RUNNER(8)
RUNNER(16)
RUNNER(32)

void X(element_lanes_run)(const instruction *code, uint32_t length, uint32_t width, real *registers)
{
    switch (width) {
    case 1: run_1(code, length, registers); return;
    case 2: run_2(code, length, registers); return;
    case 4: run_4(code, length, registers); return;
    case 8: run_8(code, length, registers); return;
    case 16: run_16(code, length, registers); return;
    default: run_32(code, length, registers); return;
    }
}

/* The least work, an instruction being as much as it takes for eight elements besides. */
uint32_t X(element_width)(uint32_t count)
{
    static const uint32_t widths[] = { 1, 4, 8, 16, ELEMENT_WIDTH_MOST };
    uint32_t best = 1;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const uint64_t work = (uint64_t)((count + widths[i] - 1) / widths[i]) * (8 + widths[i]);
        if (work < least) least = work, best = widths[i];
    }
    return best;
}

/* ---- a program over all elements ---- */

/* Where a line of the cache begins: rows of eight numbers are read and written as a whole. */
static real *aligned(real *numbers)
{
    return numbers ? (real *)(((uintptr_t)numbers + FLAT_ALIGNMENT - 1) / FLAT_ALIGNMENT * FLAT_ALIGNMENT) : NULL;
}

void X(element_lanes_begin)(const struct system *s, uint32_t count, element_lanes *l)
{
    const int machine = s->native && s->native->mode != TAUT_NATIVE_OFF ? X(element_machine_width)(count) : 0;
    *l = (element_lanes){ .count = count, .is_machine = machine > 0 };
    l->width = machine ? (uint32_t)machine : X(element_width)(count);
    l->groups = (count + l->width - 1) / l->width;
}

void X(element_table_lay_out)(const element_lanes *l, element_table *t, room_layout *room)
{
    const size_t count = (size_t)l->groups * t->rows * l->width;
    t->numbers = aligned(room_reals(room, count + FLAT_ALIGNMENT / sizeof(real)));
}

static void take_row(const real *restrict from, const uint32_t *restrict index, uint32_t before, uint32_t width,
                     real *restrict row)
{
    if (width < 4) {
        for (uint32_t i = 0; i < width; i++) row[i] = from[index[i] - before];
        return;
    }
    for (uint32_t i = 0; i < width; i += 4, row += 4, index += 4) {
        row[0] = from[index[0] - before], row[1] = from[index[1] - before];
        row[2] = from[index[2] - before], row[3] = from[index[3] - before];
    }
}

static void gather(const element_program *p, element_vector *vector, const void *source, uint32_t first, uint32_t width,
                   real *row)
{
    const real *from = NULL;
    for (const element_input *in = p->inputs, *end = in + p->input_count, *last = NULL; in < end; in++, row += width) {
        if (!last || in->from != last->from || in->at != last->at) from = vector(source, last = in);
        if (in->index)
            take_row(from, in->index + first, in->before, width, row);
        else
            for (uint32_t i = 0; i < width; i++) row[i] = *from;
    }
}

static void put_literals(const element_program *p, uint32_t width, real *registers)
{
    real *row = registers + (size_t)p->literal_first * width;
    for (uint32_t k = 0; k < p->literal_count; k++, row += width)
        for (uint32_t i = 0; i < width; i++) row[i] = p->literals[k];
}

/* What machine code has done already. */
static void keep(const element_group *g, real *to)
{
    const element_program *p = g->program;
    for (uint32_t o = 0; o < p->kept_count; o++, to += g->lanes->width)
        memcpy(to, element_value(g, o), g->lanes->width * sizeof *to);
}

void X(element_run)(const struct system *s, const element_lanes *l, const element_program *p, const element_table *from,
                    const element_table *to, element_vector *vector, const void *source, element_put *put, void *out)
{
    const uint32_t width = l->width;
    const size_t saved_size = (size_t)p->saved_count * width;
    real *registers = aligned(s->work->registers), *inputs = registers + saved_size;
    const real *bases[ELEMENT_BASES_MOST];
    if (!p->output_count) return;
    if (!p->machine) put_literals(p, width, registers);
    for (uint32_t k = 0; p->machine && k < p->base_count; k++)
        bases[k] = vector(source, &p->bases[k]) - p->bases[k].before;
    for (uint32_t group = 0, first = 0; group < l->groups; group++, first += width) {
        const real *saved = from ? from->numbers + (size_t)group * from->rows * width : registers;
        real *kept = p->kept_count ? to->numbers + ((size_t)group * to->rows + p->kept_first) * width : NULL;
        const element_group g = { l, p, registers, p->machine ? saved : registers, first,
                                  l->count - first < width ? l->count - first : width };
        if (p->machine) {
            p->machine(registers, saved, kept, bases, first);
        } else {
            gather(p, vector, source, first, width, inputs);
            if (saved_size) memcpy(registers, saved, saved_size * sizeof *registers);
            X(element_lanes_run)(p->code, p->length, width, registers);
            keep(&g, kept);
        }
        if (put) put(&g, out);
    }
}

void X(element_add)(const element_group *g, uint32_t from, const uint32_t *index, const real *value, real *out)
{
    index += g->first + from, value += from;
    if (g->count >= from + ELEMENT_BLOCK) {
        out[index[0]] += value[0], out[index[1]] += value[1];
        out[index[2]] += value[2], out[index[3]] += value[3];
        return;
    }
    for (uint32_t i = 0; i < g->count - from; i++) out[index[i]] += value[i];
}
