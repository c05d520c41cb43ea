#include "lower/literals.h"

static void fix_register(const program *p, uint32_t *r)
{
    if (*r & PROGRAM_LITERAL && *r != UINT32_MAX) *r = p->literal_first + (*r & ~PROGRAM_LITERAL);
}

static void fix_registers(const program *p, uint32_t *r, size_t count)
{
    for (size_t i = 0; r && i < count; i++) fix_register(p, &r[i]);
}

static void fix_checks(const program *p, program_check *checks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) fix_register(p, &checks[i].pivot), fix_register(p, &checks[i].reference);
}

static void fix_segment(const program *p, segment *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        program_instruction *c = &t->code[i];
        fix_register(p, &c->a);
        if (c->op >= OP_COUNT || !op_has_number((op)c->op)) fix_register(p, &c->b);
    }
}

static void fix_phase(const program *p, program_phase *f)
{
    segment *tapes[] = { &f->begin, &f->residual, &f->factor, &f->solve };
    uint32_t *lists[] = { f->guesses, f->residuals, f->changes, f->weights, f->seconds, f->lasts };
    for (int i = 0; i < 4; i++) fix_segment(p, tapes[i]);
    for (int i = 0; i < 6; i++) fix_registers(p, lists[i], f->size);
    for (int i = 0; i < f->further_count; i++) {
        fix_segment(p, &f->further[i].tape);
        fix_registers(p, f->further[i].sums, f->size);
    }
    fix_register(p, &f->unit);
    fix_checks(p, f->checks, f->check_count);
}

/* Literals go behind everything else. */
void X(program_place_literals)(program *p)
{
    uint32_t n = p->s->n, c = p->s->c;
    p->literal_first = p->register_count;
    p->register_count += p->literal_count;
    fix_segment(p, &p->setup), fix_segment(p, &p->results);
    for (int k = 0; k < p->phase_count; k++) fix_phase(p, &p->phases[k]);
    fix_registers(p, p->move, n), fix_registers(p, p->push, n), fix_registers(p, p->w, n);
    fix_registers(p, p->lambda, c), fix_registers(p, p->trend, c), fix_registers(p, p->change, 2 * (size_t)c);
    fix_registers(p, p->reported, c);
    fix_registers(p, p->outputs, p->output_count);
    fix_checks(p, p->checks, p->check_count), fix_checks(p, p->limits, p->limit_count);
    fix_register(p, &p->work);
}

/* ---- the end of tapes ---- */

/* Tapes end with an instruction that says so. */
static int end_segment(program *p, segment *t)
{
    if (taut_mem_grow(p->context, &t->code, &t->capacity, (size_t)t->count + 1, sizeof *t->code))
        return TAUT_OUT_OF_MEMORY;
    t->code[t->count] = (program_instruction){ .op = PROGRAM_END };
    return TAUT_OK;
}

int X(program_end_segments)(program *p)
{
    int status = end_segment(p, &p->setup);
    if (!status) status = end_segment(p, &p->results);
    for (int k = 0; !status && k < p->phase_count; k++) {
        program_phase *f = &p->phases[k];
        segment *tapes[] = { &f->begin, &f->residual, &f->factor, &f->solve };
        for (int i = 0; !status && i < 4; i++) status = end_segment(p, tapes[i]);
        for (int i = 0; !status && i < f->further_count; i++) status = end_segment(p, &f->further[i].tape);
    }
    return status;
}
