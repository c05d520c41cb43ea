#include "lower/pieces.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t number, start, end; /* of a register */
} life;

typedef struct {
    const program *p;
    const step_flow *f;
    pieces *z;
    uint32_t current, length; /* the piece, or what stands between two; its instructions so far */
    uint32_t loop;            /* position where it began */
    int conditions;           /* that are open */
} survey;

int X(pieces_stand_around)(const program *p, const step_flow *f, const program_instruction *c)
{
    const int is_put_out = (c->target >= p->state_first && c->target < p->state_first + p->state_count) ||
                           (c->target >= f->report_first && c->target < f->literal_first);
    return !flow_has_target(c) || is_put_out;
}

static void define(survey *v, uint32_t r)
{
    pieces *z = v->z;
    if (z->slot[r] != PIECE_INSIDE) return;
    if (!z->piece[r]) z->start[r] = z->position;
    z->piece[r] = v->current;
    z->end[r] = z->position;
    z->may_be[r] |= v->conditions > 0;
}

static void reads(survey *v, uint32_t r)
{
    pieces *z = v->z;
    if (!z->piece[r]) return;
    z->end[r] = z->position;
    z->crosses[r] |= z->piece[r] != v->current;
}

/* What lives when the iteration begins is there in all of it; so is what some rounds take from earlier ones. */
static void extend(survey *v)
{
    pieces *z = v->z;
    for (uint32_t r = 0; r < v->f->register_count; r++) {
        if (!z->piece[r]) continue;
        const int stays = z->may_be[r] && z->start[r] >= v->loop;
        if (stays) z->start[r] = v->loop;
        if ((stays || z->start[r] < v->loop) && z->end[r] >= v->loop) z->end[r] = z->position;
    }
}

static void survey_instruction(survey *v, const program_instruction *c)
{
    const int around = X(pieces_stand_around)(v->p, v->f, c);
    uint32_t read[3];
    if (around || v->length == PIECE_LENGTH) v->current++, v->length = 0;
    v->z->position++;
    for (int k = X(step_flow_operands)(c, read); k-- > 0;) reads(v, read[k]);
    if (c->op == FLOW_LOOP) v->loop = v->z->position;
    if (c->op == FLOW_IF || c->op == FLOW_FI) v->conditions += c->op == FLOW_IF ? 1 : -1;
    if (around)
        v->current++; /* what follows is another piece */
    else
        define(v, c->target), v->length++;
    if (c->op == FLOW_REPEAT) extend(v);
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

static int place_all(const program *p, const step_flow *f, pieces *z)
{
    uint32_t count = 0;
    life *lives = taut_mem_new(p->context, f->register_count, sizeof *lives);
    if (!lives) return TAUT_OUT_OF_MEMORY;
    for (uint32_t r = 0; r < f->register_count; r++)
        if (z->crosses[r]) lives[count++] = (life){ r, z->start[r], z->end[r] };
    qsort(lives, count, sizeof *lives, by_start);
    int status = give_places(p->context, lives, count, z);
    taut_mem_free(p->context, lives);
    return status;
}

int X(pieces_create)(const program *p, const step_flow *f, pieces *z)
{
    const size_t count = f->register_count;
    survey v = { .p = p, .f = f, .z = z, .current = 1 };
    *z = (pieces){ .slot = taut_mem_new(p->context, 4 * count, sizeof *z->slot),
                   .crosses = taut_mem_new(p->context, 2 * count, 1),
                   .count = p->unknown_count };
    if (!z->slot || !z->crosses) return TAUT_OUT_OF_MEMORY;
    z->piece = z->slot + count, z->start = z->piece + count, z->end = z->start + count;
    z->may_be = z->crosses + count;
    memset(z->slot, 0xff, count * sizeof *z->slot);
    for (uint32_t i = 0; i < p->unknown_count; i++) z->slot[p->unknown_first + i] = i;
    for (uint32_t i = 0; i < f->count; i++) survey_instruction(&v, &f->code[i]);
    return place_all(p, f, z);
}

void X(pieces_clear)(const program *p, pieces *z)
{
    taut_mem_free(p->context, z->slot);
    taut_mem_free(p->context, z->crosses);
    *z = (pieces){ 0 };
}
