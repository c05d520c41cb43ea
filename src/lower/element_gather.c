/* The numbers of elements into the rows of a program's inputs. Where four numbers follow each other in a vector, for each
 * of the elements (the coordinates of a body do), a move takes them for four elements at a time and transposes them. */
#include <string.h>

#include "base/loops.h"
#include "lower/element_inside.h"

enum { RUN = ELEMENT_BLOCK };
#ifdef TAUT_REAL_QUAD
enum { IS_QUAD = 1 };
#else
enum { IS_QUAD = 0 };
#endif

/* ---- moves ---- */

static int is_before(const element_input *a, const element_input *b)
{
    if (a->from != b->from) return a->from < b->from;
    if (a->at != b->at) return a->at < b->at;
    return a->index && b->index ? *a->index < *b->index : !a->index && b->index;
}

/* The numbers of inputs, by vector and place. */
static void sort(const element_program *p, uint32_t *order)
{
    for (uint32_t i = 0; i < p->input_count; i++) {
        uint32_t at = i;
        while (at && is_before(&p->inputs[i], &p->inputs[order[at - 1]])) order[at] = order[at - 1], at--;
        order[at] = i;
    }
}

static int follows(const element_input *a, const element_input *b, uint32_t count)
{
    if (a->from != b->from || a->at != b->at || a->before != b->before || !a->index || !b->index) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (b->index[i] != a->index[i] + 1) return 0;
    return 1;
}

/* How many inputs from this one on follow each other. */
static uint32_t length_of(const element_lanes *l, const element_program *p, const uint32_t *order, uint32_t left)
{
    uint32_t length = 1;
    if (IS_QUAD || l->width == 1) return 1;
    while (length < left && follows(&p->inputs[order[length - 1]], &p->inputs[order[length]], l->count)) length++;
    return length < RUN ? 1 : length;
}

int X(element_moves_create)(taut_context *context, const element_lanes *l, element_program *p)
{
    const uint32_t count = p->input_count;
    uint32_t *order = taut_mem_new(context, count, sizeof *order);
    p->moves = taut_mem_new(context, count, sizeof *p->moves);
    p->move_rows = taut_mem_new(context, count, sizeof *p->move_rows);
    const int made = order && p->moves && p->move_rows;
    if (made) sort(p, order);
    for (uint32_t i = 0, length; made && i < count; i += length) {
        length = length_of(l, p, order + i, count - i);
        p->moves[p->move_count++] = (element_move){ p->inputs[order[i]], length, p->move_rows + i };
        for (uint32_t k = i; k < i + length; k++) p->move_rows[k] = (p->saved_count + order[k]) * l->width;
    }
    taut_mem_free(context, order);
    return made ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* ---- a group ---- */

static inline void take_row(const real *restrict from, const uint32_t *restrict index, uint32_t before, uint32_t width,
                            real *restrict row)
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

static inline void take(const real *from, const element_input *in, uint32_t first, uint32_t width, real *row)
{
    if (in->index)
        take_row(from, in->index + first, in->before, width, row);
    else
        for (uint32_t i = 0; i < width; i++) row[i] = *from;
}

#ifndef TAUT_REAL_QUAD
typedef double vector __attribute__((vector_size(8 * RUN), aligned(8), may_alias));

/* Rows of four elements, from where their numbers are. The last four rows may begin with some that are there already. */
static inline __attribute__((always_inline)) void transpose(const real *const *from, const element_move *move,
                                                            real *registers)
{
    for (uint32_t done = 0; done < move->length; done += RUN) {
        const uint32_t k = done + RUN <= move->length ? done : move->length - RUN, *row = move->rows + k;
        const vector a = *(const vector *)(from[0] + k), b = *(const vector *)(from[1] + k),
                     c = *(const vector *)(from[2] + k), d = *(const vector *)(from[3] + k);
        const vector ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7),
                     cd = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
        *(vector *)(registers + row[0]) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
        *(vector *)(registers + row[1]) = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
        *(vector *)(registers + row[2]) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
        *(vector *)(registers + row[3]) = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
    }
}

static inline __attribute__((always_inline)) void take_run(const real *from, const element_move *move, uint32_t first,
                                                           uint32_t width, real *registers)
{
    const uint32_t *index = move->in.index + first, before = move->in.before;
    for (uint32_t i = 0; i < width; i += RUN, index += RUN, registers += RUN) {
        const real *const at[RUN] = { from + (index[0] - before), from + (index[1] - before), from + (index[2] - before),
                                      from + (index[3] - before) };
        transpose(at, move, registers);
    }
}
#else
static void take_run(const real *from, const element_move *move, uint32_t first, uint32_t width, real *registers)
{
    (void)from, (void)move, (void)first, (void)width, (void)registers; /* there are none */
}
#endif

static VECTOR_LOOPS void gather(const element_program *p, element_vector *vector_of, const void *source, uint32_t first,
                                uint32_t width, real *registers)
{
    const real *from = NULL;
    const element_input *last = NULL;
    for (const element_move *move = p->moves, *end = move + p->move_count; move < end; move++) {
        if (!last || move->in.from != last->from || move->in.at != last->at) from = vector_of(source, &move->in);
        last = &move->in;
        if (move->length == 1)
            take(from, last, first, width, registers + move->rows[0]);
        else
            take_run(from, move, first, width, registers);
    }
}

void X(element_gather)(const element_program *p, element_vector *vector_of, const void *source, uint32_t first,
                       uint32_t width, real *registers)
{
    if (p->moves) {
        gather(p, vector_of, source, first, width, registers);
        return;
    }
    const real *from = NULL;
    real *row = registers + (size_t)p->saved_count * width;
    for (const element_input *in = p->inputs, *end = in + p->input_count, *last = NULL; in < end; in++, row += width) {
        if (!last || in->from != last->from || in->at != last->at) from = vector_of(source, last = in);
        take(from, in, first, width, row);
    }
}
