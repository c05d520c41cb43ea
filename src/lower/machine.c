#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE
#include <string.h>

#include "native/native.h"

/* Operands of each operation: in registers, so not the number of those that have one. */
#define ONE_OPERAND(NAME, ...) [OP_##NAME] = 1,
#define TWO_OPERANDS(NAME, ...) [OP_##NAME] = 2,
static const unsigned char operand_counts[MACHINE_OPERATIONS] = {
    OPERATIONS(ONE_OPERAND, ONE_OPERAND, ONE_OPERAND, TWO_OPERANDS)
    [PROGRAM_MOVE] = 1, [PROGRAM_MULTIPLY_ADD] = 3, [PROGRAM_MULTIPLY_SUBTRACT] = 3, [PROGRAM_SUBTRACT_PRODUCT] = 3,
    [PROGRAM_END] = 1, [MACHINE_LEAVE] = 1, [MACHINE_ABOVE] = 2, [MACHINE_NOT_BELOW] = 2
};

int X(machine_operands)(const program_instruction *c, uint32_t list[3])
{
    list[0] = c->a, list[1] = c->b, list[2] = c->c;
    return operand_counts[c->op];
}

static void mark_list(machine *m, const uint32_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) m->lasts[list[i]] = 1;
}

/* ---- who reads what ---- */

static int is_of_state(const program *p, const uint32_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++)
        if (list[i] >= p->state_first && list[i] < p->state_first + p->state_count) return 1;
    return 0;
}

/* Machine code reads the state where it is. What C reads, and results that could be read when they have changed, must
   not be numbers of it. */
static int can_finish(const program *p)
{
    const uint32_t n = p->s->n, c = p->s->c;
    int any = !p->move || is_of_state(p, p->move, n) || is_of_state(p, p->push, n) || is_of_state(p, p->w, n) ||
              is_of_state(p, p->lambda, c) || is_of_state(p, p->trend, c) || is_of_state(p, p->change, 2 * (size_t)c) ||
              is_of_state(p, p->reported, c) || is_of_state(p, &p->work, 1);
    for (int k = 0; k < p->phase_count; k++) any |= is_of_state(p, &p->phases[k].unit, p->phases[k].size > 0);
    for (int k = 0; k < p->phase_count; k++)
        for (uint32_t i = 0; i < p->phases[k].check_count; i++)
            any |= is_of_state(p, &p->phases[k].checks[i].pivot, 1) ||
                   is_of_state(p, &p->phases[k].checks[i].reference, 1);
    return !any;
}

/* What a function reads before it computes it comes from another one, or from an earlier round. */
static void mark_function(machine *m, const program_phase *f, function_kind kind, uint32_t number)
{
    X(machine_join)(m, f, kind);
    for (uint32_t i = 0; !m->failed && i < m->joined.count; i++) {
        uint32_t read[3];
        for (int k = X(machine_operands)(&m->joined.code[i], read); k-- > 0;)
            if (m->last[read[k]] != number) m->lasts[read[k]] = 1;
        m->last[m->joined.code[i].target] = number;
    }
}

static void find_lasting(machine *m)
{
    const program *p = m->p;
    uint32_t number = 1;
    mark_function(m, NULL, SETUP, number++);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        for (int kind = PREPARED; kind <= BEYOND; kind++)
            if (X(machine_needs)(f, kind)) mark_function(m, f, kind, number++);
        mark_list(m, f->unknowns, f->size);
        mark_list(m, &f->unit, f->size > 0);
        for (uint32_t i = 0; i < f->check_count; i++)
            m->lasts[f->checks[i].pivot] = m->lasts[f->checks[i].reference] = 1;
    }
    mark_function(m, NULL, RESULTS, number);
    for (uint32_t i = 0; i < p->state_count; i++) m->lasts[p->state_first + i] = m->lasts_whole[p->state_first + i] = 1;
    for (int i = 0; i < PROGRAM_WORK; i++) m->lasts[work(m, i)] = i == WORK_RETURNED || i == WORK_BEFORE;
    /* what C reads */
    for (uint32_t i = 0; !p->machine_finishes && i < p->results.count; i++) m->lasts[p->results.code[i].target] = 1;
    mark_list(m, p->reported, p->s->c);
    for (uint32_t k = 0; p->reported && k < p->s->c; k++) m->lasts_whole[p->reported[k]] = 1;
    const uint32_t n = p->machine_finishes ? 0 : p->s->n, c = p->machine_finishes ? 0 : p->s->c;
    mark_list(m, p->move, n), mark_list(m, p->push, n), mark_list(m, p->w, n), mark_list(m, p->lambda, c);
    mark_list(m, p->trend, c), mark_list(m, p->change, 2 * c);
    if (!p->machine_finishes) m->lasts[p->work] = 1;
}

/* ---- the code of a program ---- */

static size_t put_function(machine *m, const program_phase *f, function_kind kind)
{
    X(machine_join)(m, f, kind);
    return X(machine_write)(m, kind);
}

static size_t put_whole(machine *m, int which)
{
    X(machine_join_whole)(m, which);
    return X(machine_write)(m, WHOLE);
}

/* ---- whether it pays ---- */

/* Nanoseconds (docs/performance.md): to write a program at all, and for each instruction; for those of functions for
   whole steps, which are put in order; what an instruction saves each time that it is run, and such a function after a
   step that nobody looks at. */
static const double start_costs = 15e3, writing_costs = 65, ordering_costs = 290;
static const double running_saves = 2, joining_saves = 35;
/* Code must save so many times what it costs: other machines have other figures. */
static const double margin = 2;

static double length_of(const program_phase *f) { return f->residual.count + f->factor.count + f->solve.count; }

/* As if an instruction of a phase stood in two functions, and were run as often as in the first function for whole
   steps. */
static int pays_off(const program *p, double times)
{
    double written = p->setup.count + p->results.count, run = p->results.count;
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        const int rounds = X(machine_rounds)(p, f, 0);
        written += 2 * (f->begin.count + length_of(f));
        run += f->begin.count + length_of(f) * (rounds ? rounds : 1);
    }
    return taut_native_pays(p->s->native, times * running_saves * run,
                            margin * (start_costs + writing_costs * written));
}

static int whole_pays(const program *p)
{
    const native_use *use = p->s->native;
    const int count = X(machine_count_whole)(p);
    double written = 0;
    for (int i = 0; i < count; i++) {
        written += p->results.count;
        for (int k = 0; k < p->phase_count; k++)
            written += p->phases[k].begin.count + length_of(&p->phases[k]) * X(machine_rounds)(p, &p->phases[k], i);
    }
    return !use || taut_native_pays(use, (use->steps - use->looks) * joining_saves, written * ordering_costs);
}

/* at: where each of them begins; 0: it is not there */
static void put_all(machine *m, size_t *at)
{
    const program *p = m->p;
    X(machine_write_numbers)(m);
    *at++ = put_function(m, NULL, SETUP), *at++ = put_function(m, NULL, RESULTS);
    for (int k = 0; k < p->phase_count; k++)
        for (int kind = PREPARED; kind <= BEYOND; kind++)
            *at++ = X(machine_needs)(&p->phases[k], kind) ? put_function(m, &p->phases[k], kind) : 0;
    const int whole = whole_pays(p) ? X(machine_count_whole)(p) : 0;
    unsigned char *lasts = m->lasts;
    m->lasts = m->lasts_whole;
    for (int i = 0; i < PROGRAM_WHOLE; i++) *at++ = i < whole ? put_whole(m, i) : 0;
    m->lasts = lasts;
}

static program_round *round_at(const program *p, size_t at)
{
    const char *code = p->pages && at ? (const char *)p->pages + at : NULL;
    program_round *round;
    memcpy(&round, &code, sizeof round); /* a function from a pointer to data */
    return round;
}

static void point_to_all(program *p, const size_t *at)
{
    p->setup.machine = round_at(p, *at++), p->results.machine = round_at(p, *at++);
    for (int k = 0; k < p->phase_count; k++, at += KINDS_OF_PHASE) {
        program_phase *f = &p->phases[k];
        f->prepared = round_at(p, at[0]), f->renewed = round_at(p, at[2]), f->again = round_at(p, at[3]);
        f->first = f->prepared ? f->renewed : round_at(p, at[1]);
        for (int i = 0; i < PROGRAM_FURTHER; i++) f->further[i].machine = round_at(p, at[4 + i]);
    }
    for (int i = 0; i < PROGRAM_WHOLE; i++) {
        p->whole[i].code = round_at(p, at[i]);
        p->whole[i].rounds = p->whole[i].factorisations = p->whole[i].calls = p->whole[i].further = 0;
        for (int k = 0; k < p->phase_count; k++) {
            const int rounds = X(machine_rounds)(p, &p->phases[k], i);
            p->whole[i].rounds += rounds, p->whole[i].calls += rounds > 0;
            p->whole[i].factorisations += p->phases[k].iteration.always ? rounds : rounds > 0;
            p->whole[i].further += X(machine_goes_further)(&p->phases[k], i);
        }
    }
}

int X(machine_create)(program *p, double times, int *pays)
{
    *pays = 1;
    if (!__builtin_cpu_supports("fma") || p->register_count > INT32_MAX / sizeof(real)) return TAUT_OK;
    if (!(*pays = pays_off(p, times))) return TAUT_OK;
    const size_t values = value_count(p);
    const size_t functions_count = 2 + KINDS_OF_PHASE * (size_t)p->phase_count + PROGRAM_WHOLE;
    machine m = { .p = p,
                  .lasts = taut_mem_new(p->context, values, 1),
                  .lasts_whole = taut_mem_new(p->context, values, 1),
                  .where = taut_mem_new(p->context, values, 1),
                  .last = taut_mem_new(p->context, values, sizeof *m.last) };
    const int more = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl");
    m.all = more ? 0xffffffff : 0xffff;
    size_t *at = taut_mem_new(p->context, functions_count, sizeof *at);
    m.failed = !m.lasts || !m.lasts_whole || !m.where || !m.last || !at;
    if (!m.failed) {
        memset(m.where, NOWHERE, values);
        p->machine_finishes = can_finish(p);
        find_lasting(&m);
        put_all(&m, at);
    }
    if (!m.failed) {
        p->pages = taut_native_pages(m.bytes, p->pages_size = m.count);
        p->machine_finishes &= p->pages != NULL;
        point_to_all(p, at);
    }
    taut_mem_free(p->context, m.bytes);
    taut_mem_free(p->context, m.joined.code);
    taut_mem_free(p->context, m.ordered.code);
    taut_mem_free(p->context, m.order_work);
    taut_mem_free(p->context, m.lasts);
    taut_mem_free(p->context, m.lasts_whole);
    taut_mem_free(p->context, m.leaves);
    taut_mem_free(p->context, m.where);
    taut_mem_free(p->context, m.last);
    taut_mem_free(p->context, m.next);
    taut_mem_free(p->context, at);
    return m.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
#else
int X(machine_create)(program *p, double times, int *pays)
{
    (void)p, (void)times;
    *pays = 1;
    return TAUT_OK;
}
#endif
