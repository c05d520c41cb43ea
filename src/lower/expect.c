#include "lower/expect.h"

#include <string.h>

/* ---- what is expected ---- */

/* Longer functions gain little. Steps without an iteration are a chain of stages, each of which waits for the one before,
   and gain a fifth from their order. */
enum { WHOLE_LENGTH = 1500, WHOLE_SHORT = 400, WHOLE_KEEPING = 200, WHOLE_STRAIGHT = 3000 };

/* How far corrections go with one matrix: at most, in any of the phases. */
static int most_further(const program *p)
{
    int most = 0;
    for (int k = 0; k < p->phase_count; k++)
        if (p->phases[k].further_count > most) most = p->phases[k].further_count;
    return most;
}

/* Linear equations need a second round where the first moved much: that is in long steps, whose other phases need one
   more, or further corrections, as well. */
int X(expect_rounds)(const program *p, const program_phase *f, int which)
{
    const int further = most_further(p), last = further ? further + 1 : 2;
    int any = 0;
    if (which == EXPECT_MIXED) which = 0;
    for (int k = 0; k < p->phase_count; k++) any |= p->phases[k].size && p->phases[k].iteration.linear;
    if (!f->size) return 0;
    if (f->iteration.linear) return which == last ? 2 : 1;
    if (f->further_count) return 1;
    if (further) which = which > 0;
    return (which == last && any ? 1 : which) + (f->iteration.twice ? 1 : 2);
}

/* Corrections behind the last round: none, one (1) or several (2). */
static int expect_further(const program_phase *f, int which)
{
    return which == EXPECT_MIXED ? 0 : which < f->further_count ? which : f->further_count;
}

/* Not where matrices are rough: that takes more rounds, and another number of them from step to step. The last one is
   the longest and the rarest: longer steps do without it. */
int X(expect_count)(const program *p)
{
    uint32_t length = 0;
    int keeps = 0; /* a matrix for several rounds, whose number is not as likely */
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        if (f->size && (f->iteration.skip_first || f->iteration.rough)) return 0;
        length += f->residual.count + f->factor.count + f->solve.count;
        for (int i = 0; i < f->further_count; i++) length += f->further[i].tape.count;
        keeps |= f->size && !f->iteration.linear && !f->iteration.always;
    }
    if (!p->phase_count) return !p->outputs && p->results.count <= WHOLE_STRAIGHT; /* one way to go */
    if (length > (keeps ? WHOLE_KEEPING : WHOLE_LENGTH)) return 0;
    const int further = most_further(p), all = further ? further + 2 : 3;
    return length > WHOLE_SHORT ? all - 1 : all;
}

/* ---- the way of a step ---- */

/* Of a register of the flow, from its literals on. */
typedef struct {
    uint32_t by;              /* a truth or a choice: 1 + the instruction of the flow that says what it is. It is not
                                 computed unless something asks for it */
    uint32_t same;            /* another register has the value; 0: none */
    int is_known;             /* before the step is made */
    real number;
} fact;

typedef struct {
    const program *p;
    const step_flow *from;
    step_flow *f;
    fact *facts;
    long *counts;
    int which, failed, is_impossible;
    int phase, round, is_inside; /* of the phases that are solved for something; of a loop */
    int has_gone_further;
    uint32_t ended, others;   /* truths of a mixed way: the iteration ends with this round; it ends, or is left, in
                                 other ways than those that are expected */
    uint32_t begun;           /* instruction: where the round began */
    int passing;              /* of PROGRAM_WORK: the last that was given out */
} walk;

static fact *fact_of(const walk *w, uint32_t r)
{
    return r >= w->from->literal_first ? &w->facts[r - w->from->literal_first] : NULL;
}

static uint32_t passing(walk *w)
{
    w->passing = (w->passing + 1) % PROGRAM_WORK;
    return w->from->register_count + (uint32_t)w->passing;
}

static void emit(walk *w, uint32_t o, uint32_t target, uint32_t a, uint32_t b, uint32_t c)
{
    if (!w->failed) w->failed = X(step_flow_add)(w->p->context, w->f, (program_instruction){ o, target, a, b, c }) != TAUT_OK;
}

static void require(walk *w, uint32_t truth, int value, program_way way);

/* The register that has the value. Of a choice it is what is usually chosen, and what it depends on is required. */
static uint32_t resolve(walk *w, uint32_t r)
{
    for (fact *x; (x = fact_of(w, r)) && (x->same || x->by);) {
        if (!x->same) {
            const program_instruction *c = &w->from->code[x->by - 1];
            if (c->op != FLOW_CHOSEN) break;
            require(w, c->a, 1, WAY_OTHER);
            x->same = c->b;
        }
        r = x->same;
    }
    return r;
}

/* Where the same pivot is compared with more already, nothing is to do; where it is with less, that becomes more. */
static int is_compared(walk *w, const program_instruction *c, uint32_t pivot, uint32_t reference)
{
    for (uint32_t i = w->begun; i + 3 < w->f->count; i++) {
        program_instruction *at = &w->f->code[i];
        if (at[0].op != OP_ABS || at[0].a != pivot || at[1].op != OP_ABS || at[1].a != reference ||
            at[2].op != OP_MUL || at[2].a != at[1].target || at[3].op != FLOW_LEAVE_UNLESS_ABOVE)
            continue;
        if (fact_of(w, c->c)->number > fact_of(w, at[2].b)->number) at[2].b = c->c;
        return 1;
    }
    return 0;
}

static void require_pivot(walk *w, const program_instruction *c, program_way way)
{
    const uint32_t pivot = resolve(w, c->a), reference = resolve(w, c->b);
    if (is_compared(w, c, pivot, reference)) return;
    const uint32_t size = passing(w), bound = passing(w);
    emit(w, OP_ABS, size, pivot, 0, 0);
    emit(w, OP_ABS, bound, reference, 0, 0);
    emit(w, OP_MUL, bound, bound, c->c, 0);
    emit(w, FLOW_LEAVE_UNLESS_ABOVE, 0, size, bound, way);
}

/* What no round has found to be no number spoils the sum of the end. */
static void require_number(walk *w, uint32_t r, program_way way)
{
    if (w->is_inside) return;
    const uint32_t zero = passing(w);
    emit(w, OP_SUB, zero, resolve(w, r), resolve(w, r), 0);
    emit(w, FLOW_LEAVE_UNLESS_LEAST, 0, zero, zero, way);
}

static int is_known_as(const walk *w, uint32_t truth, int value)
{
    const fact *x = fact_of(w, truth);
    return x && x->is_known && (x->number != 0) == value;
}

static void require_parts(walk *w, const program_instruction *c, int both, int value, program_way way)
{
    if (both == value) { /* all of it */
        require(w, c->a, value, way), require(w, c->b, value, way);
    } else if (both) { /* the one that decides is the last */
        require(w, is_known_as(w, c->b, 1) ? c->a : c->b, 0, way);
    } else { /* the usual one is the first */
        require(w, is_known_as(w, c->a, 0) ? c->b : c->a, 1, way);
    }
}

static void require_comparison(walk *w, const program_instruction *c, int value, program_way way)
{
    const uint32_t a = resolve(w, c->a), b = resolve(w, c->b);
    const int is_strict = (c->op == FLOW_BELOW) == value; /* a < b, or a > b */
    emit(w, is_strict ? FLOW_LEAVE_UNLESS_ABOVE : FLOW_LEAVE_UNLESS_LEAST, 0, value ? b : a, value ? a : b, way);
}

/* The flow is left unless it is so. */
static void require(walk *w, uint32_t truth, int value, program_way way)
{
    fact *x = fact_of(w, truth);
    if (!x || (!x->is_known && !x->by)) {
        w->is_impossible = 1;
        return;
    }
    if (x->is_known) {
        w->is_impossible |= (x->number != 0) != value;
        return;
    }
    const program_instruction *c = &w->from->code[x->by - 1];
    switch (c->op) {
    case FLOW_BELOW: case FLOW_AT_MOST: require_comparison(w, c, value, way); break;
    case FLOW_IS_NUMBER: require_number(w, c->a, way); break;
    case FLOW_EXCEEDS: require_pivot(w, c, way); break;
    case FLOW_BOTH: case FLOW_EITHER: require_parts(w, c, c->op == FLOW_BOTH, value, way); break;
    case FLOW_NOT: require(w, c->a, !value, way); break;
    default: w->is_impossible = 1; break;
    }
    if (c->op == FLOW_IS_NUMBER || c->op == FLOW_EXCEEDS) w->is_impossible |= !value;
    x->is_known = 1, x->number = value;
}

/* ---- instructions ---- */

static void know(fact *x, real number) { *x = (fact){ .is_known = 1, .number = number }; }

/* What is known of a truth whose operands are. */
static void find_truth(walk *w, const program_instruction *c, uint32_t at)
{
    fact *x = fact_of(w, c->target);
    const fact *a = fact_of(w, c->a), *b = fact_of(w, c->b);
    const int knows_a = a && a->is_known, knows_b = b && b->is_known;
    const real first = knows_a ? a->number : 0, second = knows_b ? b->number : 0;
    *x = (fact){ .by = at + 1 };
    if ((c->op == FLOW_BELOW || c->op == FLOW_AT_MOST) && knows_a && knows_b)
        know(x, c->op == FLOW_BELOW ? first < second : first <= second);
    else if (c->op == FLOW_BOTH && ((knows_a && first == 0) || (knows_b && second == 0)))
        know(x, 0);
    else if (c->op == FLOW_EITHER && ((knows_a && first != 0) || (knows_b && second != 0)))
        know(x, 1);
    else if ((c->op == FLOW_BOTH || c->op == FLOW_EITHER) && knows_a && knows_b)
        know(x, c->op == FLOW_BOTH);
    else if (c->op == FLOW_NOT && knows_a)
        know(x, first == 0);
    else if (c->op == FLOW_CHOSEN && knows_a)
        *x = (fact){ .same = first != 0 ? c->b : c->c };
}

/* Does it still hold what instruction i put there? */
static int is_kept(const walk *w, uint32_t i)
{
    const uint32_t target = w->f->code[i].target;
    for (uint32_t k = i + 1; k < w->f->count; k++)
        if (flow_has_target(&w->f->code[k]) && w->f->code[k].target == target) return 0;
    return 1;
}

/* Where the sum of two numbers stands already, whose values are what they were then; 0: nowhere. Places of the table
   have some of the sums that make the new state. */
static uint32_t find_sum(const walk *w, uint32_t a, uint32_t b)
{
    for (uint32_t i = w->f->count; !w->failed && i-- > 0;) {
        const program_instruction *c = &w->f->code[i];
        const int same = (c->a == a && c->b == b) || (c->a == b && c->b == a);
        if (!flow_has_target(c)) continue;
        if (c->target == a || c->target == b) return 0; /* also where the sum is one of them */
        if (c->op == OP_ADD && same && c->target < w->p->register_count && is_kept(w, i)) return c->target;
    }
    return 0;
}

static int is_mixed(const walk *w) { return w->which == EXPECT_MIXED && w->p->phases[w->phase].further_count; }

static int is_unknown(const walk *w, uint32_t r)
{
    return r >= w->p->unknown_first && r < w->p->unknown_first + w->p->unknown_count;
}

/* A number is computed as in the flow. */
static void compute(walk *w, const program_instruction *c)
{
    uint32_t read[3] = { c->a, c->b, c->c };
    const int count = X(step_flow_operands)(c, read);
    for (int k = 0; k < count; k++) read[k] = resolve(w, read[k]);
    fact *x = fact_of(w, c->target);
    const fact *a = fact_of(w, read[0]), *b = count > 1 ? fact_of(w, read[1]) : NULL;
    const fact first = a ? *a : (fact){ 0 }, second = b ? *b : (fact){ 0 };
    if (x) *x = (fact){ 0 };
    if (x && c->op == PROGRAM_MOVE && a && first.is_known && read[0] < w->from->value_first) {
        *x = (fact){ .same = read[0], .is_known = 1, .number = first.number };
        return;
    }
    if (c->op == FLOW_MOST) {
        const uint32_t size = passing(w);
        emit(w, OP_ABS, size, read[1], 0, 0);
        emit(w, OP_MAX, c->target, read[0], size, 0);
        return;
    }
    const uint32_t sum = x && c->op == OP_ADD && !w->is_inside ? find_sum(w, read[0], read[1]) : 0;
    if (sum) {
        x->same = sum;
        return;
    }
    if (w->is_inside && w->has_gone_further && is_mixed(w) && is_unknown(w, c->target)) {
        const uint32_t corrected = passing(w);
        emit(w, c->op, corrected, read[0], read[1], read[2]);
        emit(w, FLOW_CHOSEN, c->target, w->ended, c->target, corrected);
        return;
    }
    emit(w, c->op, c->target, read[0], read[1], read[2]);
    if (x && c->op == PROGRAM_MOVE && first.is_known) know(x, first.number);
    if (x && c->op == OP_ADD && first.is_known && second.is_known) know(x, first.number + second.number);
}

/* Where an exit, or a condition, goes: is it so? */
static int decide(walk *w, uint32_t truth, int expected, program_way way)
{
    const fact *x = fact_of(w, truth);
    if (x && x->is_known) return x->number != 0;
    require(w, truth, expected, way);
    return expected;
}

/* ---- mixed ways ----
 *
 * Some steps end an iteration with one round, others need one more correction with its matrix. A mixed way is right for
 * both: the correction is made, and counts where it is needed. */

/* The register of a truth that is computed. */
static uint32_t compute_truth(walk *w, uint32_t truth)
{
    const fact *x = fact_of(w, truth);
    if (!x || (!x->is_known && !x->by)) w->is_impossible = 1;
    if (w->is_impossible) return w->from->literal_first;
    if (x->is_known) return w->from->literal_first + (x->number != 0 ? FLOW_ONE : FLOW_ZERO);
    const program_instruction *c = &w->from->code[x->by - 1];
    const int of_truths = c->op == FLOW_BOTH || c->op == FLOW_EITHER || c->op == FLOW_NOT;
    const uint32_t a = (of_truths ? compute_truth : resolve)(w, c->a);
    const uint32_t b = c->op == FLOW_NOT ? 0 : (of_truths ? compute_truth : resolve)(w, c->b);
    emit(w, c->op, c->target, a, b, 0);
    return c->target;
}

static uint32_t combine(walk *w, uint32_t o, uint32_t a, uint32_t b)
{
    const uint32_t target = passing(w);
    emit(w, o, target, a, b, 0);
    return target;
}

/* The iteration ends here; the first of the reasons is the usual one. */
static void mix_end(walk *w, uint32_t truth)
{
    const uint32_t ends = compute_truth(w, truth);
    if (!w->ended)
        w->ended = ends;
    else
        w->others = w->others ? combine(w, FLOW_EITHER, w->others, ends) : ends;
}

/* What is behind the condition is for those that have not ended. */
static void mix_correction(walk *w, uint32_t truth)
{
    const uint32_t once = compute_truth(w, truth);
    const uint32_t alone = w->others ? combine(w, FLOW_BOTH, once, combine(w, FLOW_NOT, w->others, 0)) : once;
    emit(w, FLOW_LEAVE, 0, combine(w, FLOW_EITHER, w->ended, alone), 0, WAY_OTHER);
    w->has_gone_further = 1;
}

/* ---- verdicts on the way ---- */

/* Does the iteration end here? Otherwise it does with fewer rounds, or with more. */
static int ends(walk *w, uint32_t truth)
{
    const program_phase *f = &w->p->phases[w->phase];
    const int is_last = w->round + 1 == X(expect_rounds)(w->p, f, w->which);
    const int expected = is_last && (w->has_gone_further || !expect_further(f, w->which));
    return decide(w, truth, expected, expected ? WAY_MORE : WAY_LESS);
}

static int has_end(const step_flow *f, uint32_t opened)
{
    for (uint32_t i = opened; f->code[i].op != FLOW_FI; i++)
        if (f->code[i].op == FLOW_NEXT) return 1;
    return 0;
}

/* A condition: corrections that go on with one matrix, with one more, or several; a matrix is kept; or pivots that are
   not sound, which is not expected. */
static int goes_into(walk *w, uint32_t opened)
{
    const uint32_t truth = w->from->code[opened].a;
    if (!has_end(w->from, opened)) return decide(w, truth, 0, WAY_OTHER);
    const int further = expect_further(&w->p->phases[w->phase], w->which);
    w->has_gone_further |= further > 0;
    return decide(w, truth, further == FURTHER_ONCE + 1, further == FURTHER_ONCE + 1 ? WAY_MORE
                                                         : further               ? WAY_LESS
                                                                                 : WAY_OTHER);
}

static void begin_loop(walk *w)
{
    do w->phase++;
    while (!w->p->phases[w->phase].size);
    w->round = w->has_gone_further = 0, w->is_inside = 1;
    w->ended = w->others = 0;
    w->begun = w->f->count;
}

/* Returns the instruction that comes behind the i-th. */
static uint32_t follow(walk *w, uint32_t i)
{
    const program_instruction *c = &w->from->code[i];
    fact *from = fact_of(w, c->a);
    switch (c->op) {
    case FLOW_LOOP: begin_loop(w); break;
    case FLOW_REPEAT:
        w->round++, w->begun = w->f->count;
        return c->c + 1;
    case FLOW_NEXT:
        if (is_mixed(w) && !w->has_gone_further) {
            mix_end(w, c->a);
            break;
        }
        if (!ends(w, c->a)) break;
        w->is_inside = 0;
        return c->c;
    case FLOW_IF:
        if (!is_mixed(w) || !has_end(w->from, i)) return goes_into(w, i) ? i + 1 : c->c;
        mix_correction(w, c->a);
        break;
    case FLOW_FI: break;
    case FLOW_LEAVE:
        if (w->is_inside && is_mixed(w) && w->ended)
            w->others = combine(w, FLOW_EITHER, w->others, combine(w, FLOW_NOT, compute_truth(w, c->a), 0));
        else
            require(w, c->a, 1, WAY_OTHER);
        break;
    case FLOW_COUNT: w->counts[c->target - w->from->count_first]++; break;
    case FLOW_BELOW: case FLOW_AT_MOST: case FLOW_IS_NUMBER: case FLOW_EXCEEDS: case FLOW_BOTH: case FLOW_EITHER:
    case FLOW_NOT: case FLOW_CHOSEN:
        find_truth(w, c, i);
        break;
    default:
        if (c->op == PROGRAM_MOVE && from && from->by && fact_of(w, c->target))
            *fact_of(w, c->target) = *from;
        else
            compute(w, c);
        break;
    }
    return i + 1;
}

/* ---- what nobody reads ---- */

static int is_put_out(const walk *w, uint32_t r)
{
    const program *p = w->p;
    return (r >= p->state_first && r < p->state_first + p->state_count) ||
           (r >= w->from->report_first && r < w->from->count_first);
}

/* reads: room for all registers. */
static void drop_unread(walk *w, unsigned char *reads)
{
    step_flow *f = w->f;
    uint32_t kept = f->count;
    for (uint32_t i = f->count; i-- > 0;) {
        const program_instruction c = f->code[i];
        uint32_t read[3];
        if (flow_has_target(&c) && !reads[c.target] && !is_put_out(w, c.target)) continue;
        if (flow_has_target(&c)) reads[c.target] = 0;
        for (int k = X(step_flow_operands)(&c, read); k-- > 0;) reads[read[k]] = 1;
        f->code[--kept] = c;
    }
    f->count -= kept;
    if (kept) memmove(f->code, f->code + kept, f->count * sizeof *f->code);
}

static void know_literals(walk *w)
{
    for (uint32_t i = 0; i < w->from->literal_count; i++) know(&w->facts[i], w->from->literals[i]);
}

int X(expect_flow)(const program *p, int which, step_flow *f, long *counts)
{
    return X(expect_flow_of)(p, &p->flow, which, f, counts);
}

int X(expect_flow_of)(const program *p, const step_flow *from, int which, step_flow *f, long *counts)
{
    const size_t registers = (size_t)from->register_count + PROGRAM_WORK;
    walk w = { .p = p, .from = from, .f = f, .counts = counts, .which = which, .phase = -1 };
    w.facts = taut_mem_new(p->context, from->register_count - from->literal_first, sizeof *w.facts);
    unsigned char *reads = taut_mem_new(p->context, registers, 1);
    f->count = 0;
    f->register_count = from->register_count;
    w.failed = !w.facts || !reads;
    if (!w.failed) know_literals(&w);
    for (uint32_t i = 0; !w.failed && !w.is_impossible && from->code[i].op != PROGRAM_END;) i = follow(&w, i);
    if (!w.failed && w.is_impossible) f->count = 0;
    if (!w.failed && !w.is_impossible) drop_unread(&w, reads);
    taut_mem_free(p->context, w.facts);
    taut_mem_free(p->context, reads);
    return w.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
