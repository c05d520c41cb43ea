/* Velocities of steps that keep none.
 *
 * With a constant diagonal mass velocities are momenta times constants, and are read only for the size of the largest,
 * as a part of the unit of linear equations: it can be taken from the momenta, and velocities need not be kept from
 * step to step. Rounding is monotonic, so that the largest of products with one constant is that of the largest
 * momentum, to the last bit. */
#include <string.h>

#include "ensemble/writer.h"

static int is_velocity(const text_writer *w, uint32_t r)
{
    const uint32_t first = w->t->p->state_first + 2 * w->plan->n;
    return r >= first && r < first + w->plan->n;
}

/* The largest of velocities: all that is made of them, by this alone. */
static int is_speed(const text_writer *w, uint32_t r)
{
    const program_instruction *c = w->source[r];
    if (!c) return is_velocity(w, r);
    if (!w->roughly[r] || (c->op != OP_ABS && c->op != OP_MAX)) return 0;
    return is_speed(w, c->a) && (c->op == OP_ABS || is_speed(w, c->b));
}

/* Are these values read for something else than that unit? */
static int reads_others(const text_writer *w, const text_speeds *v, const uint32_t *list, size_t count)
{
    int others = 1;
    for (size_t i = 0; list && i < count; i++) others &= !is_speed(w, list[i]) && list[i] != v->unit;
    return others;
}

static int tape_reads_others(const text_writer *w, const text_speeds *v, const segment *tape)
{
    int others = 1;
    for (uint32_t i = 0; i < tape->count; i++) {
        uint32_t operands[3];
        const uint32_t target = tape->code[i].target;
        const int count = taut_text_operands(&tape->code[i], operands);
        if (!is_speed(w, target) && target != v->unit) others &= reads_others(w, v, operands, (size_t)count);
    }
    return others;
}

static int phase_reads_others(const text_writer *w, const text_speeds *v, const program_phase *f)
{
    const segment *tapes[] = { &f->begin, &f->residual, &f->factor, &f->solve, &f->further[0].tape,
                               &f->further[1].tape };
    const uint32_t *lists[] = { f->guesses, f->changes, f->weights, f->seconds, f->lasts };
    int others = 1;
    for (int i = 0; i < 4 + f->further_count; i++) others &= tape_reads_others(w, v, tapes[i]);
    for (int i = 0; i < 5; i++) others &= reads_others(w, v, lists[i], f->size);
    for (uint32_t i = 0; i < f->check_count; i++)
        others &= reads_others(w, v, (const uint32_t[]){ f->checks[i].pivot, f->checks[i].reference }, 2);
    return others && (!f->size || !f->iteration.twice || reads_others(w, v, &f->unit, 1));
}

/* The unit of linear equations, if the size is a part of it. */
static void find_unit(const text_writer *w, text_speeds *v, const program_phase *f)
{
    const program_instruction *c = f->size && !f->iteration.twice ? w->source[f->unit] : NULL;
    if (!c || c->op != OP_MAX || is_speed(w, c->a) == is_speed(w, c->b)) return;
    v->unit = f->unit, v->size = is_speed(w, c->a) ? c->a : c->b;
}

static int is_constant(const text_writer *w, uint32_t r)
{
    const program *p = w->t->p;
    return w->t->place[r] != UINT32_MAX || (r >= p->literal_first && r < p->literal_first + p->literal_count);
}

/* The constant by which the new momentum is multiplied; UINT32_MAX: the new velocity is something else. */
static uint32_t factor_of(const text_writer *w, uint32_t i)
{
    const program *p = w->t->p;
    const uint32_t n = w->plan->n, first = p->state_first;
    const program_instruction *c = w->source[p->w[i]];
    const uint32_t added = taut_text_sum(w, p->push[i], first + 4 * n + i);
    const uint32_t sum = added == UINT32_MAX ? UINT32_MAX : taut_text_sum(w, first + n + i, added);
    if (sum == UINT32_MAX || !c || c->op != OP_MUL) return UINT32_MAX;
    return c->b == sum && is_constant(w, c->a) ? c->a : c->a == sum && is_constant(w, c->b) ? c->b : UINT32_MAX;
}

static void mark_speeds(const text_writer *w, const text_speeds *v, uint32_t r)
{
    const program_instruction *c = w->source[r];
    if (!c) {
        v->counts[r - w->t->p->state_first - 2 * w->plan->n] = 1;
        return;
    }
    mark_speeds(w, v, c->a);
    if (c->op == OP_MAX) mark_speeds(w, v, c->b);
}

/* v: with room for factors and counts; w: with rough values. */
static void look_for_speeds(const text_writer *w, text_speeds *v)
{
    const program *p = w->t->p;
    const uint32_t n = w->plan->n, c = w->plan->c;
    v->size = v->unit = UINT32_MAX;
    memset(v->counts, 0, n);
    for (int k = 0; k < p->phase_count; k++) find_unit(w, v, &p->phases[k]);
    int fits = v->size != UINT32_MAX && p->w && !p->sets_momentum;
    for (uint32_t i = 0; fits && i < n; i++) fits = (v->factors[i] = factor_of(w, i)) != UINT32_MAX;
    for (int k = 0; fits && k < p->phase_count; k++) fits = phase_reads_others(w, v, &p->phases[k]);
    fits = fits && tape_reads_others(w, v, &p->results) && reads_others(w, v, p->move, n) &&
           reads_others(w, v, p->push, n) && reads_others(w, v, p->lambda, c) && reads_others(w, v, p->trend, c) &&
           reads_others(w, v, p->change, 2 * (size_t)c) && (!p->has_work || reads_others(w, v, &p->work, 1));
    if (!fits) v->size = v->unit = UINT32_MAX;
    if (fits) mark_speeds(w, v, v->size);
}

int taut_text_find_speeds(text_writer *w, text_speeds *v)
{
    taut_context *context = w->plan->context;
    const uint32_t n = w->plan->n;
    *v = (text_speeds){ .size = UINT32_MAX, .unit = UINT32_MAX };
    v->factors = taut_mem_new(context, n + 1, sizeof *v->factors), v->counts = taut_mem_new(context, n + 1, 1);
    int status = v->factors && v->counts ? taut_text_begin_roughly(w) : TAUT_OUT_OF_MEMORY;
    if (!status) look_for_speeds(w, v);
    taut_mem_free(context, w->roughly);
    w->roughly = NULL;
    return status;
}

int taut_text_are_together(const text_speeds *v, uint32_t i, uint32_t k)
{
    return v->counts[i] && v->counts[k] && v->factors[i] == v->factors[k];
}

int taut_text_is_first(const text_speeds *v, uint32_t i)
{
    int first = v->counts[i];
    for (uint32_t k = 0; first && k < i; k++) first = !taut_text_are_together(v, i, k);
    return first;
}

void taut_text_forget_speeds(const text_writer *w, text_speeds *v)
{
    taut_mem_free(w->plan->context, v->factors);
    taut_mem_free(w->plan->context, v->counts);
}
