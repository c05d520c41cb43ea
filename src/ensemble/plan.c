/* What a text of steps consists of. */
#include <string.h>

#include "ensemble/text.h"
#include "lower/symbols.h"

void taut_text_plan_clear(text_plan *p)
{
    if (!p->context) return;
    for (int k = 0; k < p->program_count; k++) {
        text_program *t = &p->programs[k];
        taut_mem_free(p->context, t->varies);
        taut_mem_free(p->context, t->place);
        taut_mem_free(p->context, t->even);
        taut_mem_free(p->context, t->odd);
    }
    taut_mem_free(p->context, p->lengths);
    taut_mem_free(p->context, p->parts);
    taut_mem_free(p->context, p->loaded);
    *p = (text_plan){ 0 };
}

/* ---- registers ---- */

typedef struct {
    text_plan *plan;
    text_program *t;
    unsigned char *is_setup; /* of every register */
} reads;

int taut_text_operands(const program_instruction *c, uint32_t *operands)
{
    const int sum = c->op > PROGRAM_MOVE, numbered = c->op < OP_COUNT && op_has_number((op)c->op);
    int count = 0;
    operands[count++] = c->a;
    if (sum || (c->op < OP_COUNT && !numbered && taut_op_arity((op)c->op) == 2)) operands[count++] = c->b;
    if (sum) operands[count++] = c->c;
    return count;
}

/* Does a value differ between members if its operands do? Setup alone. */
static void spread(text_program *t, const segment *tape)
{
    for (uint32_t i = 0; i < tape->count; i++) {
        uint32_t operands[3];
        const int count = taut_text_operands(&tape->code[i], operands);
        for (int k = 0; k < count; k++) t->varies[tape->code[i].target] |= t->varies[operands[k]];
    }
}

static void read_register(reads *z, uint32_t r)
{
    text_program *t = z->t;
    const program *p = t->p;
    text_plan *plan = z->plan;
    if (r >= p->literal_first && r < p->literal_first + p->literal_count) return;
    if (r >= p->state_first && r < p->state_first + p->state_count) {
        plan->loaded[r - p->state_first] = 1;
    } else if (r >= p->state_first + p->state_count && r < p->unknown_first) {
        plan->uses_time = 1;
    } else if ((r < p->state_first || z->is_setup[r]) && t->place[r] == UINT32_MAX) {
        uint32_t *count = t->varies[r] ? &t->odd_count : &t->even_count;
        (t->varies[r] ? t->odd : t->even)[*count] = r;
        t->place[r] = (*count)++;
    }
}

static void read_list(reads *z, const uint32_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) read_register(z, list[i]);
}

static void read_tape(reads *z, const segment *tape)
{
    for (uint32_t i = 0; i < tape->count; i++) {
        uint32_t operands[3];
        const int count = taut_text_operands(&tape->code[i], operands);
        read_list(z, operands, (size_t)count);
    }
}

static void read_step(reads *z)
{
    const program *p = z->t->p;
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        read_tape(z, &f->begin), read_tape(z, &f->residual), read_tape(z, &f->factor), read_tape(z, &f->solve);
        const uint32_t *lists[] = { f->guesses, f->residuals, f->changes, f->weights, f->seconds, f->lasts };
        for (int i = 0; i < 6; i++) read_list(z, lists[i], f->size);
        for (int i = 0; i < f->further_count; i++)
            read_tape(z, &f->further[i].tape), read_list(z, f->further[i].sums, f->size);
        read_list(z, &f->unit, f->size > 0);
        for (uint32_t i = 0; i < f->check_count; i++)
            read_register(z, f->checks[i].pivot), read_register(z, f->checks[i].reference);
    }
    read_tape(z, &p->results);
    read_list(z, p->move, p->s->n), read_list(z, p->push, p->s->n), read_list(z, p->w, p->s->n);
    read_list(z, p->lambda, p->s->c), read_list(z, p->trend, p->s->c), read_list(z, p->change, 2 * (size_t)p->s->c);
    if (p->has_work) read_register(z, p->work);
    read_list(z, p->outputs, p->output_count);
}

/* Numbers of the state that a step writes; what is added to is read as well. */
static void mark_stored(text_plan *z, const program *p)
{
    const uint32_t n = z->n, c = z->c;
    memset(z->stored, 1, 5 * (size_t)n);
    memset(z->loaded, 1, n), memset(z->loaded + 3 * n, 1, n);
    if (!p->sets_momentum) memset(z->loaded + n, 1, n), memset(z->loaded + 4 * n, 1, n);
    if (p->lambda) memset(z->stored + 5 * n, 1, c);
    if (p->trend) memset(z->stored + program_trend_at(n, c), 1, c);
    if (p->change) memset(z->stored + program_trend_at(n, c) + c, 1, 2 * (size_t)c);
    if (p->has_work && z->own_work)
        for (uint32_t i = 5 * n + c + 1; i <= 5 * n + c + 2; i++) z->loaded[i] = z->stored[i] = 1;
}

static int add_program(text_plan *z, program *p, const unsigned char *varies)
{
    text_program *t = &z->programs[z->program_count++];
    const uint32_t given = p->state_first - p->given_count;
    const size_t count = p->register_count;
    t->p = p;
    t->varies = taut_mem_new(z->context, count, 1);
    t->place = taut_mem_new(z->context, count, sizeof *t->place);
    t->even = taut_mem_new(z->context, count, sizeof *t->even);
    t->odd = taut_mem_new(z->context, count, sizeof *t->odd);
    unsigned char *is_setup = taut_mem_new(z->context, count, 1);
    int status = t->varies && t->place && t->even && t->odd && is_setup ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        reads all = { z, t, is_setup };
        memset(t->place, 0xff, count * sizeof *t->place);
        memcpy(t->varies, varies, p->constant_count);
        memcpy(t->varies + given, varies + p->constant_count, p->given_count);
        for (uint32_t i = 0; i < p->setup.count; i++) is_setup[p->setup.code[i].target] = 1;
        spread(t, &p->setup);
        read_step(&all);
        if (!p->outputs) mark_stored(z, p);
    }
    taut_mem_free(z->context, is_setup);
    if (count > z->registers) z->registers = count;
    if (X(program_length)(p) > z->instructions) z->instructions = X(program_length)(p);
    return status;
}

/* ---- parts ---- */

static int program_of(const text_plan *z, const program *p)
{
    for (int k = 0; k < z->program_count; k++)
        if (z->programs[k].p == p) return k;
    return -1;
}

static int length_of(text_plan *z, int program, const method_part *part)
{
    for (int i = 0; i < z->length_count; i++) {
        const text_length *l = &z->lengths[i];
        if (l->program == program && l->factor == part->factor && l->halved == part->halved) return i;
    }
    const text_program *t = &z->programs[program];
    z->lengths[z->length_count] = (text_length){ program, part->factor, part->halved, z->even_count, z->odd_count };
    z->even_count += t->even_count, z->odd_count += t->odd_count;
    return z->length_count++;
}

static int find_parts(text_plan *z, const method_part *parts, const unsigned char *varies)
{
    int status = TAUT_OK;
    for (int i = 0; !status && i < z->part_count; i++) {
        int which = program_of(z, parts[i].program);
        if (which < 0 && z->program_count == TEXT_PROGRAMS) return TAUT_UNSUPPORTED;
        if (which < 0) status = add_program(z, parts[i].program, varies), which = z->program_count - 1;
        if (!status) z->parts[i] = length_of(z, which, &parts[i]);
    }
    return status;
}

static uint32_t numbers_of(const struct system *s)
{
    return (uint32_t)X(state_size)(&(state){ .n = s->n, .c = s->c, .extra_count = s->extra_count });
}

int taut_text_plan_create(taut_context *context, const method *m, const struct system *s, int own_work,
                          const unsigned char *varies, text_plan *p, const char **why)
{
    *p = (text_plan){ .context = context, .n = s->n, .c = s->c, .own_work = own_work };
    p->numbers = numbers_of(s);
    method_part *parts = taut_mem_new(context, METHOD_PARTS, sizeof *parts);
    p->lengths = taut_mem_new(context, METHOD_PARTS, sizeof *p->lengths);
    p->parts = taut_mem_new(context, METHOD_PARTS, sizeof *p->parts);
    p->loaded = taut_mem_new(context, 2 * (size_t)p->numbers, 1);
    int status = parts && p->lengths && p->parts && p->loaded ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    p->stored = p->loaded + p->numbers;
    if (!status) p->part_count = X(method_parts)(m, parts, why);
    if (!status && !p->part_count) status = TAUT_UNSUPPORTED;
    for (int i = 0; !status && i < p->part_count; i++)
        if (parts[i].program->input_count || parts[i].program->other_count) {
            *why = "its steps depend on more than the state";
            status = TAUT_UNSUPPORTED;
        } else if (parts[i].program->check_count) {
            *why = "it looks at pivots outside of an iteration";
            status = TAUT_UNSUPPORTED;
        }
    if (!status) status = find_parts(p, parts, varies);
    taut_mem_free(context, parts);
    if (status)
        taut_text_plan_clear(p);
    else
        *why = NULL;
    return status;
}

int taut_text_plan_readings(taut_context *context, const struct system *s, program *const *programs, int count,
                            const unsigned char *varies, text_plan *p)
{
    *p = (text_plan){ .context = context, .n = s->n, .c = s->c };
    p->numbers = numbers_of(s);
    p->lengths = taut_mem_new(context, TEXT_PROGRAMS, sizeof *p->lengths);
    p->loaded = taut_mem_new(context, 2 * (size_t)p->numbers, 1);
    int status = p->lengths && p->loaded ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    p->stored = p->loaded + p->numbers;
    for (int i = 0; !status && i < count; i++) {
        status = add_program(p, programs[i], varies);
        if (!status) length_of(p, i, &(method_part){ .program = programs[i], .factor = 1 });
    }
    if (status) taut_text_plan_clear(p);
    return status;
}

/* ---- numbers ---- */

static void fill(const text_length *l, const text_program *t, const struct system *s, double h, double *r,
                 double *even, double *odd, size_t stride)
{
    const program *p = t->p;
    const uint32_t at_h = p->constant_count + p->other_count;
    h *= l->factor;
    memcpy(r, s->constants, p->constant_count * sizeof *r);
    r[at_h] = l->halved ? h / 2 : h;
    for (uint32_t i = 0; i < p->given_count; i++) r[at_h + 1 + i] = X(symbol_given_value)(s, i);
    if (p->literal_count) memcpy(r + p->literal_first, p->literals, p->literal_count * sizeof *r);
    X(program_run)(p->setup.code, r);
    for (uint32_t i = 0; even && i < t->even_count; i++) even[l->even_at + i] = r[t->even[i]];
    for (uint32_t i = 0; odd && i < t->odd_count; i++) odd[(l->odd_at + i) * stride] = r[t->odd[i]];
}

void taut_text_outside(const text_plan *p, const struct system *s, double h, double *registers, double *even,
                       double *odd, size_t stride)
{
    for (int i = 0; i < p->length_count; i++)
        fill(&p->lengths[i], &p->programs[p->lengths[i].program], s, h, registers, even, odd, stride);
}
