#include "lower/pieces.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t number, start, end; /* of a register */
} life;

typedef struct {
    const program *p;
    pieces *z;
    uint32_t current;         /* piece, or what stands between two */
} survey;

static void define(survey *v, uint32_t r)
{
    v->z->piece[r] = v->current;
    v->z->start[r] = v->z->end[r] = v->z->position;
}

static void reads(survey *v, uint32_t r)
{
    pieces *z = v->z;
    if (!z->piece[r]) return;
    z->end[r] = z->position;
    z->crosses[r] |= z->piece[r] != v->current;
}

static void survey_tape(survey *v, const segment *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const program_instruction *c = &t->code[i];
        const int sum = c->op > PROGRAM_MOVE;
        if (i % PIECE_LENGTH == 0) v->current++;
        v->z->position++;
        reads(v, c->a);
        if (sum || (c->op < OP_COUNT && !op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2)) reads(v, c->b);
        if (sum) reads(v, c->c);
        define(v, c->target);
    }
    v->current++; /* what follows is no piece */
    v->z->position++;
}

static void survey_list(survey *v, const uint32_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) reads(v, list[i]);
}

/* What lives when the iteration begins is there in all of it; so is a matrix that is not formed every time. */
static void extend(survey *v, uint32_t first, uint32_t matrix_first, uint32_t matrix_end, int always)
{
    pieces *z = v->z;
    for (uint32_t r = 0; r < v->p->register_count; r++) {
        if (!z->piece[r]) continue;
        const int of_matrix = !always && z->start[r] >= matrix_first && z->start[r] < matrix_end;
        if (of_matrix) z->start[r] = first;
        if ((of_matrix || z->start[r] < first) && z->end[r] >= first) z->end[r] = z->position;
    }
}

static void survey_phase(survey *v, const program_phase *f)
{
    survey_tape(v, &f->begin);
    survey_list(v, f->guesses, f->size);
    if (!f->size) return;
    const uint32_t first = ++v->z->position;
    survey_tape(v, &f->residual);
    const uint32_t matrix_first = v->z->position;
    survey_tape(v, &f->factor);
    for (uint32_t i = 0; i < f->check_count; i++) reads(v, f->checks[i].pivot), reads(v, f->checks[i].reference);
    const uint32_t matrix_end = v->z->position;
    survey_tape(v, &f->solve);
    survey_list(v, f->residuals, f->size), survey_list(v, f->changes, f->size), survey_list(v, f->weights, f->size);
    survey_list(v, &f->unit, 1);
    survey_list(v, f->seconds, f->seconds ? f->size : 0);
    for (int i = 0; i < f->further_count; i++) {
        survey_tape(v, &f->further[i].tape);
        survey_list(v, f->further[i].sums, f->size), survey_list(v, f->lasts, i == FURTHER_MORE ? f->size : 0);
        survey_list(v, f->weights, f->size), survey_list(v, &f->unit, 1);
    }
    v->z->position++;
    extend(v, first, matrix_first, matrix_end, f->iteration.always);
}

static int by_start(const void *a, const void *b)
{
    const life *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Gives out places: that which became free last is taken first, because it is in the cache. */
static int give_places(taut_context *context, const life *lives, uint32_t count, pieces *z)
{
    uint32_t positions = z->position + 1, now = 0, free_count = 0;
    uint32_t *ended = taut_mem_new(context, positions, sizeof *ended); /* at each position, the first of a list */
    uint32_t *next = taut_mem_new(context, (size_t)count + 1, sizeof *next);
    uint32_t *stack = taut_mem_new(context, (size_t)count + 1, sizeof *stack);
    int status = ended && next && stack ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) memset(ended, 0xff, positions * sizeof *ended);
    for (uint32_t i = 0; !status && i < count; i++) {
        for (; now <= lives[i].start; now++)
            for (uint32_t k = ended[now]; k != UINT32_MAX; k = next[k])
                stack[free_count++] = z->slot[lives[k].number];
        z->slot[lives[i].number] = free_count ? stack[--free_count] : z->count++;
        next[i] = ended[lives[i].end];
        ended[lives[i].end] = i;
    }
    taut_mem_free(context, ended);
    taut_mem_free(context, next);
    taut_mem_free(context, stack);
    return status;
}

int X(pieces_place)(const program *p, pieces *z)
{
    uint32_t count = 0;
    life *lives = taut_mem_new(p->context, p->register_count, sizeof *lives);
    if (!lives) return TAUT_OUT_OF_MEMORY;
    for (uint32_t r = 0; r < p->register_count; r++)
        if (z->crosses[r]) lives[count++] = (life){ r, z->start[r], z->end[r] };
    qsort(lives, count, sizeof *lives, by_start);
    int status = give_places(p->context, lives, count, z);
    taut_mem_free(p->context, lives);
    return status;
}

int X(pieces_create)(const program *p, pieces *z)
{
    const size_t count = p->register_count;
    survey v = { .p = p, .z = z };
    *z = (pieces){ .slot = taut_mem_new(p->context, 4 * count, sizeof *z->slot),
                   .crosses = taut_mem_new(p->context, count, 1),
                   .count = p->unknown_count };
    if (!z->slot || !z->crosses) return TAUT_OUT_OF_MEMORY;
    z->piece = z->slot + count, z->start = z->piece + count, z->end = z->start + count;
    memset(z->slot, 0xff, count * sizeof *z->slot);
    for (uint32_t i = 0; i < p->unknown_count; i++) z->slot[p->unknown_first + i] = i;
    for (int k = 0; k < p->phase_count; k++) survey_phase(&v, &p->phases[k]);
    survey_tape(&v, &p->results);
    return TAUT_OK;
}

void X(pieces_result)(pieces *z, uint32_t r)
{
    if (z->piece[r]) z->crosses[r] = 1, z->end[r] = z->position;
}

void X(pieces_clear)(const program *p, pieces *z)
{
    taut_mem_free(p->context, z->slot);
    taut_mem_free(p->context, z->crosses);
    *z = (pieces){ 0 };
}
