/* Functions of machine code: tapes one after the other, with what the interpreter does between them. */
#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE
#include <string.h>

static uint32_t enough_of(const machine *m, int phase) { return fixed(m, FIXED_OF_PHASES + 2 * phase); }
static uint32_t rest_of(const machine *m, int phase) { return enough_of(m, phase) + 1; }

/* ---- functions: tapes one after the other ---- */

/* A number of work that was not used for long: what is computed side by side does not share one. */
static uint32_t passing(machine *m)
{
    m->passing = (m->passing + 1) % (PROGRAM_WORK - PROGRAM_PASSING);
    return m->p->register_count + PROGRAM_PASSING + (uint32_t)m->passing;
}

static void add_instruction(machine *m, uint32_t o, uint32_t target, uint32_t a, uint32_t b)
{
    segment *t = &m->joined;
    if (m->failed || taut_mem_grow(m->p->context, &t->code, &t->capacity, (size_t)t->count + 1, sizeof *t->code))
        m->failed = 1;
    else
        t->code[t->count++] = (program_instruction){ o, target, a, b, 0 };
}

/* The function is left unless a > b, or a >= b; it is another one then that may fit. */
static void add_condition(machine *m, uint32_t o, uint32_t a, uint32_t b, program_way way)
{
    const uint32_t target = m->p->register_count + PROGRAM_PASSING; /* of none */
    add_instruction(m, o, target, a, b);
    if (!m->failed) m->joined.code[m->joined.count - 1].c = way;
}

static void add_tape(machine *m, const segment *from)
{
    segment *t = &m->joined;
    if (m->failed || taut_mem_grow(m->p->context, &t->code, &t->capacity, (size_t)t->count + from->count + 1,
                                   sizeof *t->code)) {
        m->failed = 1;
        return;
    }
    if (from->count) memcpy(t->code + t->count, from->code, from->count * sizeof *t->code);
    t->count += from->count;
}

/* What `correct` of program.c does. The size is that of all terms w d, and no number where one of them is none or is
   infinite, which ends the iteration in either case. */
static void add_size(machine *m, const program_phase *f, const uint32_t *changes, uint32_t size)
{
    const uint32_t rest = work(m, WORK_SUM), term = work(m, WORK_TERM), difference = work(m, WORK_DIFFERENCE);
    for (uint32_t i = 0; i < f->size; i++) {
        add_instruction(m, OP_MUL, term, f->weights[i], changes[i]);
        add_instruction(m, OP_SUB, i ? difference : rest, term, term);
        if (i) add_instruction(m, OP_ADD, rest, rest, difference);
        add_instruction(m, OP_ABS, i ? term : size, term, 0);
        if (i) add_instruction(m, OP_MAX, size, size, term);
    }
    if (f->size) add_instruction(m, OP_ADD, size, size, rest);
}

static void add_differences(machine *m, const program_phase *f)
{
    for (uint32_t i = 0; i < f->size; i++)
        add_instruction(m, OP_SUB, f->unknowns[i], f->unknowns[i], f->changes[i]);
    for (uint32_t i = 0; f->iteration.twice && i < f->size; i++)
        add_instruction(m, OP_SUB, f->unknowns[i], f->unknowns[i], f->seconds[i]);
}

static void add_further(machine *m, const program_phase *f, const program_further *by)
{
    add_tape(m, &by->tape);
    for (uint32_t i = 0; i < f->size; i++)
        add_instruction(m, OP_SUB, f->unknowns[i], f->unknowns[i], by->sums[i]);
}

static void add_correction(machine *m, const program_phase *f)
{
    add_differences(m, f);
    if (f->iteration.twice) add_size(m, f, f->changes, work(m, WORK_BEFORE));
    add_size(m, f, f->iteration.twice ? f->seconds : f->changes, work(m, WORK_RETURNED));
}

/* Zero, or no number where one of the changes of the state is none: the state stays as it is. */
static void add_test(machine *m)
{
    const program *p = m->p;
    const uint32_t rest = work(m, WORK_RETURNED), difference = work(m, WORK_DIFFERENCE);
    for (uint32_t i = 0; i < 2 * p->s->n; i++) {
        const uint32_t change = i < p->s->n ? p->move[i] : p->push[i - p->s->n];
        add_instruction(m, OP_SUB, i ? difference : rest, change, change);
        if (i) add_instruction(m, OP_ADD, rest, rest, difference);
    }
    add_instruction(m, MACHINE_LEAVE, difference, rest, 0);
}

/* Does it still hold what instruction i put there? */
static int is_kept(const machine *m, uint32_t i)
{
    const uint32_t target = m->joined.code[i].target;
    for (uint32_t k = i + 1; k < m->joined.count; k++)
        if (m->joined.code[k].target == target) return 0;
    return 1;
}

/* Where the sum of two numbers stands already, whose values are what they were then; NEVER: nowhere. */
static uint32_t find_sum(const machine *m, uint32_t a, uint32_t b)
{
    for (uint32_t i = m->joined.count; !m->failed && i-- > 0;) {
        const program_instruction *c = &m->joined.code[i];
        const int same = (c->a == a && c->b == b) || (c->a == b && c->b == a);
        if (c->target == a || c->target == b) return NEVER; /* also where the sum is one of them */
        if (c->op == OP_ADD && same && c->target < m->p->register_count && is_kept(m, i)) return c->target;
    }
    return NEVER;
}

/* a + b. In the function of a whole step places of the table have some of these sums, too. */
static uint32_t sum_of(machine *m, uint32_t a, uint32_t b, int is_whole)
{
    const uint32_t found = is_whole ? find_sum(m, a, b) : NEVER, sum = found == NEVER ? passing(m) : found;
    if (found == NEVER) add_instruction(m, OP_ADD, sum, a, b);
    return sum;
}

/* x + d with what rounding leaves over, as `add` of program.c; numbers of the state by their places in its block. */
static void add_sum(machine *m, uint32_t x, uint32_t low, uint32_t d, int is_whole)
{
    const uint32_t difference = passing(m);
    x += m->p->state_first, low += m->p->state_first;
    const uint32_t y = sum_of(m, d, low, is_whole), sum = sum_of(m, x, y, is_whole);
    add_instruction(m, OP_SUB, difference, sum, x);
    add_instruction(m, OP_SUB, low, y, difference);
    add_instruction(m, PROGRAM_MOVE, x, sum, 0);
}

/* What `finish` of program.c does. */
static void add_new_state(machine *m, int is_whole)
{
    const program *p = m->p;
    const uint32_t n = p->s->n, c = p->s->c, first = p->state_first;
    for (uint32_t i = 0; i < n; i++) add_sum(m, i, 3 * n + i, p->move[i], is_whole);
    for (uint32_t i = 0; i < n; i++) {
        if (p->sets_momentum) {
            add_instruction(m, PROGRAM_MOVE, first + n + i, p->push[i], 0);
            add_instruction(m, OP_SUB, first + 4 * n + i, p->push[i], p->push[i]); /* zero */
        } else {
            add_sum(m, n + i, 4 * n + i, p->push[i], is_whole);
        }
        add_instruction(m, PROGRAM_MOVE, first + 2 * n + i, p->w ? p->w[i] : first + n + i, 0);
    }
    if (p->has_work) add_sum(m, 5 * n + c + 1, 5 * n + c + 2, p->work, is_whole);
    for (uint32_t k = 0; p->trend && k < c; k++)
        add_instruction(m, PROGRAM_MOVE, first + program_trend_at(n, c) + k, p->trend[k], 0);
    for (uint32_t k = 0; p->change && k < 2 * c; k++)
        add_instruction(m, PROGRAM_MOVE, first + program_trend_at(n, c) + c + k, p->change[k], 0);
    for (uint32_t k = 0; p->lambda && k < c; k++) add_instruction(m, PROGRAM_MOVE, first + 5 * n + k, p->lambda[k], 0);
}

/* From this length of its matrix on, a phase has what comes before its first round apart, and the code of that round
   once. */
enum { APART_FROM = 400 };

void X(machine_join)(machine *m, const program_phase *f, function_kind kind)
{
    m->joined.count = 0;
    if (kind == SETUP || kind == RESULTS) add_tape(m, kind == SETUP ? &m->p->setup : &m->p->results);
    if (kind == RESULTS && m->p->machine_finishes) add_test(m), add_new_state(m, 0);
    if (!f) return;
    if (kind <= FIRST) {
        add_tape(m, &f->begin);
        for (uint32_t i = 0; i < f->size; i++) add_instruction(m, PROGRAM_MOVE, f->unknowns[i], f->guesses[i], 0);
    }
    if (!f->size || kind == PREPARED) return;
    if (kind == ONWARD || kind == BEYOND) {
        add_further(m, f, &f->further[kind - ONWARD]);
        add_size(m, f, kind == ONWARD ? f->further[FURTHER_ONCE].sums : f->lasts, work(m, WORK_RETURNED));
        return;
    }
    add_tape(m, &f->residual);
    if (kind != AGAIN) add_tape(m, &f->factor);
    add_tape(m, &f->solve);
    add_correction(m, f);
}

/* The matrix of an earlier round is never used where it is formed in every one. */
int X(machine_needs)(const program_phase *f, function_kind kind)
{
    const int apart = f->size && f->factor.count >= APART_FROM;
    switch (kind) {
    case PREPARED: return apart;
    case FIRST: return !apart;
    case RENEWED: return f->size > 0;
    case AGAIN: return f->size && !f->iteration.always;
    case ONWARD: case BEYOND: return f->further_count > 0;
    case SETUP: case RESULTS: case WHOLE: break;
    }
    return 0;
}

/* ---- whole steps ---- */

/* Longer functions gain little. */
enum { WHOLE_LENGTH = 1500, WHOLE_SHORT = 400, WHOLE_KEEPING = 200 };

/* How far corrections go with one matrix: at most, in any of the phases. */
static int most_further(const program *p)
{
    int most = 0;
    for (int k = 0; k < p->phase_count; k++)
        if (p->phases[k].further_count > most) most = p->phases[k].further_count;
    return most;
}

/* The rounds of a phase in the i-th function for whole steps. Linear equations need a second one where the first moved
   much: that is in long steps, whose other phases need one more, or further corrections, as well. */
int X(machine_rounds)(const program *p, const program_phase *f, int i)
{
    const int further = most_further(p), last = further ? further + 1 : 2;
    int any = 0;
    for (int k = 0; k < p->phase_count; k++) any |= p->phases[k].size && p->phases[k].iteration.linear;
    if (!f->size) return 0;
    if (f->iteration.linear) return i == last ? 2 : 1;
    if (f->further_count) return 1;
    if (further) i = i > 0;
    return (i == last && any ? 1 : i) + (f->iteration.twice ? 1 : 2);
}

int X(machine_goes_further)(const program_phase *f, int which)
{
    return which < f->further_count ? which : f->further_count;
}

/* Not where matrices are rough: that takes more rounds, and another number of them from step to step. The last one is
   the longest and the rarest: longer steps do without it. */
int X(machine_count_whole)(const program *p)
{
    uint32_t length = 0;
    int keeps = 0; /* a matrix for several rounds, whose number is not as likely */
    if (!p->machine_finishes) return 0;
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        if (f->size && (f->iteration.skip_first || f->iteration.rough)) return 0;
        length += f->residual.count + f->factor.count + f->solve.count;
        for (int i = 0; i < f->further_count; i++) length += f->further[i].tape.count;
        keeps |= f->size && !f->iteration.linear && !f->iteration.always;
    }
    if (!p->phase_count || length > (keeps ? WHOLE_KEEPING : WHOLE_LENGTH)) return 0;
    const int further = most_further(p), all = further ? further + 2 : 3;
    return length > WHOLE_SHORT ? all - 1 : all;
}

/* All pivots are more than this part of what they are made of. */
static void add_pivots(machine *m, const program_phase *f, uint32_t part)
{
    for (uint32_t i = 0; i < f->check_count; i++) {
        const uint32_t a = passing(m), b = passing(m);
        add_instruction(m, OP_ABS, a, f->checks[i].pivot, 0);
        add_instruction(m, OP_ABS, b, f->checks[i].reference, 0);
        add_instruction(m, OP_MUL, b, b, part);
        add_condition(m, MACHINE_ABOVE, a, b, WAY_OTHER);
    }
}

/* The size of corrections, for numbers: what is none is found in the end. Equal weights count once. */
static void add_whole_size(machine *m, const program_phase *f, const uint32_t *changes, uint32_t size)
{
    int any = 0;
    for (uint32_t i = 0; i < f->size; i++) {
        const uint32_t group = passing(m);
        int is_new = 1, more = 0;
        for (uint32_t k = 0; k < i; k++) is_new &= f->weights[k] != f->weights[i];
        for (uint32_t k = i; is_new && k < f->size; k++) {
            if (f->weights[k] != f->weights[i]) continue;
            const uint32_t term = more ? passing(m) : group;
            add_instruction(m, OP_ABS, term, changes[k], 0);
            if (more++) add_instruction(m, OP_MAX, group, group, term);
        }
        if (!is_new) continue;
        add_instruction(m, OP_MUL, any ? group : size, f->weights[i], group);
        if (any++) add_instruction(m, OP_MAX, size, size, group);
    }
}

/* A tolerance in units of the phase. */
static uint32_t of_unit(machine *m, const program_phase *f, uint32_t tolerance)
{
    const uint32_t product = passing(m);
    add_instruction(m, OP_MUL, product, tolerance, f->unit);
    return product;
}

/* The matrix is good enough for the next round. */
static void add_reuse(machine *m, const program_phase *f, uint32_t enough, uint32_t rate)
{
    const uint32_t product = passing(m);
    add_instruction(m, OP_MUL, product, rate, rate);
    add_instruction(m, OP_MUL, product, product, rate);
    add_instruction(m, OP_MUL, product, product, work(m, WORK_RETURNED));
    add_condition(m, MACHINE_NOT_BELOW, of_unit(m, f, enough), product, WAY_OTHER);
}

/* What iteration_judge says, and with pivots that are sound: the function is left where it is something else. */
static void add_judgement(machine *m, const program_phase *f, int index, int round, int is_last)
{
    const uint32_t size = work(m, WORK_RETURNED), before = work(m, WORK_BEFORE), a = passing(m), b = passing(m);
    const uint32_t enough = enough_of(m, index), rest = rest_of(m, index);
    if (f->iteration.linear && !is_last) {
        add_condition(m, MACHINE_ABOVE, size, of_unit(m, f, fixed(m, FIXED_LINEAR)), WAY_LESS);
    } else if (f->iteration.linear) {
        add_condition(m, MACHINE_NOT_BELOW, of_unit(m, f, fixed(m, FIXED_LINEAR)), size, WAY_MORE);
    } else if (f->iteration.twice) {
        add_instruction(m, OP_MUL, a, size, size);
        add_instruction(m, OP_MUL, b, of_unit(m, f, rest), before);
        if (is_last) {
            add_condition(m, MACHINE_NOT_BELOW, b, a, WAY_MORE);
            add_condition(m, MACHINE_NOT_BELOW, of_unit(m, f, fixed(m, FIXED_LINEAR)), before, WAY_OTHER);
        } else {
            add_condition(m, MACHINE_ABOVE, a, b, WAY_LESS);
            add_condition(m, MACHINE_ABOVE, before, of_unit(m, f, enough), WAY_LESS);
            add_instruction(m, OP_MUL, a, size, fixed(m, FIXED_TWO));
            add_condition(m, MACHINE_NOT_BELOW, before, a, WAY_OTHER);
        }
    } else {
        if (!is_last) add_condition(m, MACHINE_ABOVE, size, of_unit(m, f, enough), WAY_LESS);
        if (round == 0) return;
        const uint32_t rate = passing(m), bound = of_unit(m, f, rest);
        add_instruction(m, OP_DIV, rate, size, before);
        add_instruction(m, OP_MUL, a, rate, size);
        if (f->iteration.always) add_instruction(m, OP_MUL, a, a, rate);
        if (is_last) {
            add_condition(m, MACHINE_NOT_BELOW, bound, a, WAY_MORE);
            add_condition(m, MACHINE_ABOVE, fixed(m, FIXED_ONE), rate, WAY_OTHER);
        } else {
            add_condition(m, MACHINE_ABOVE, a, bound, WAY_LESS);
            add_instruction(m, OP_MUL, a, rate, fixed(m, FIXED_TWO));
            add_condition(m, MACHINE_NOT_BELOW, fixed(m, FIXED_ONE), a, WAY_OTHER);
            if (!f->iteration.always) add_reuse(m, f, enough, rate);
        }
    }
}

/* Further corrections behind the last round, with what iteration_once_more and iteration_judge_further say. */
static void join_further(machine *m, const program_phase *f, int which, int index)
{
    const uint32_t first = work(m, WORK_BEFORE), second = work(m, WORK_RETURNED), last = work(m, WORK_TERM);
    const uint32_t a = passing(m), b = passing(m), c = passing(m);
    add_instruction(m, OP_MUL, c, second, fixed(m, FIXED_EIGHT));
    add_instruction(m, OP_MUL, c, c, second);
    add_instruction(m, OP_MUL, c, c, second);
    add_instruction(m, OP_MUL, b, of_unit(m, f, rest_of(m, index)), first);
    add_instruction(m, OP_MUL, a, b, first);
    if (which == FURTHER_ONCE)
        add_condition(m, MACHINE_ABOVE, a, c, WAY_MORE);
    else
        add_condition(m, MACHINE_NOT_BELOW, c, a, WAY_LESS);
    add_condition(m, MACHINE_NOT_BELOW, of_unit(m, f, fixed(m, FIXED_LINEAR)), first, WAY_OTHER);
    add_further(m, f, &f->further[which]);
    if (which == FURTHER_ONCE) return;
    add_whole_size(m, f, f->lasts, last);
    add_instruction(m, OP_MUL, a, second, fixed(m, FIXED_TWO));
    add_instruction(m, OP_MUL, c, last, fixed(m, FIXED_TWO));
    add_instruction(m, OP_MUL, a, a, c);
    add_condition(m, MACHINE_NOT_BELOW, b, a, WAY_OTHER);
}

static void join_whole_phase(machine *m, const program_phase *f, int index, int rounds, int further)
{
    const int twice = f->iteration.twice, plain = !twice && !f->iteration.linear;
    add_tape(m, &f->begin);
    for (uint32_t i = 0; i < f->size; i++) add_instruction(m, PROGRAM_MOVE, f->unknowns[i], f->guesses[i], 0);
    for (int k = 0; k < rounds; k++) {
        const uint32_t size = work(m, WORK_RETURNED), before = work(m, WORK_BEFORE);
        const int fresh = k == 0 || f->iteration.always;
        add_tape(m, &f->residual);
        if (fresh) add_tape(m, &f->factor);
        add_tape(m, &f->solve);
        add_differences(m, f);
        if (fresh) add_pivots(m, f, fixed(m, plain ? FIXED_LEAST : FIXED_SOUND));
        if (twice) add_whole_size(m, f, f->changes, before);
        if (plain && k > 0) add_instruction(m, PROGRAM_MOVE, before, size, 0);
        add_whole_size(m, f, twice ? f->seconds : f->changes, size);
        add_judgement(m, f, index, k, k == rounds - 1 && !further);
    }
    if (further) join_further(m, f, further - 1, index);
}

/* The function is left where a change of the state, or an unknown, is no number. */
static void add_whole_test(machine *m)
{
    const program *p = m->p;
    const uint32_t sum = work(m, WORK_SUM);
    add_instruction(m, OP_ADD, sum, p->move[0], p->push[0]);
    for (uint32_t i = 1; i < p->s->n; i++)
        add_instruction(m, OP_ADD, sum, sum, p->move[i]), add_instruction(m, OP_ADD, sum, sum, p->push[i]);
    for (int k = 0; k < p->phase_count; k++)
        for (uint32_t i = 0; i < p->phases[k].size; i++)
            add_instruction(m, OP_ADD, sum, sum, p->phases[k].unknowns[i]);
    add_instruction(m, OP_SUB, sum, sum, sum);
    add_condition(m, MACHINE_LEAVE, sum, 0, WAY_OTHER);
}

void X(machine_join_whole)(machine *m, int which)
{
    const program *p = m->p;
    m->joined.count = 0;
    for (int k = 0; k < p->phase_count; k++)
        join_whole_phase(m, &p->phases[k], k, X(machine_rounds)(p, &p->phases[k], which),
                         X(machine_goes_further)(&p->phases[k], which));
    add_tape(m, &p->results);
    add_whole_test(m);
    add_new_state(m, 1);
    X(machine_order)(m);
}
#endif
