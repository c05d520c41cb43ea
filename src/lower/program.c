/* The interpreter of lowered steps. */
#include "lower/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/room.h"
#include "lower/emit.h"
#include "lower/machine.h"
#include "lower/symbols.h"
#include "native/native.h"

/* Instructions of programs that keep several step lengths, if they become machine code: otherwise, and of longer ones,
   setup is a small part. */
enum { LENGTHS_UP_TO = 3000 };

static void lay_out(void *self, room_layout *l)
{
    program *p = self;
    for (int i = 0; i < p->length_count; i++)
        p->lengths[i].registers = room_reals(l, (size_t)p->register_count + PROGRAM_WORK);
    p->registers = p->lengths[0].registers;
    p->reports = room_reals(l, p->s->c);
    p->values = room_reals(l, p->output_count);
#ifndef TAUT_REAL_QUAD
    p->setup_values = room_reals(l, X(program_setup_count)(p));
#endif
}

int X(program_room)(program *p)
{
    const int keeps = !p->output_count && X(program_length)(p) <= LENGTHS_UP_TO && p->s->native &&
                      p->s->native->mode != TAUT_NATIVE_OFF && sizeof(real) == sizeof(double);
    p->length_count = keeps ? PROGRAM_LENGTHS : 1;
    for (int i = 0; i < p->length_count; i++) p->lengths[i].expected = -1;
    p->now = p->lengths;
    return room_create(p->context, lay_out, p, &p->room);
}

static void segment_clear(program *p, segment *t) { taut_mem_free(p->context, t->code); }

static void phase_clear(program *p, program_phase *f)
{
    void *all[] = { f->unknowns, f->guesses, f->residuals, f->changes, f->weights, f->seconds,
                    f->lasts, f->checks };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) taut_mem_free(p->context, all[i]);
    segment_clear(p, &f->begin), segment_clear(p, &f->residual);
    segment_clear(p, &f->factor), segment_clear(p, &f->solve);
    for (int i = 0; i < PROGRAM_FURTHER; i++) {
        segment_clear(p, &f->further[i].tape);
        taut_mem_free(p->context, f->further[i].sums);
    }
}

void X(program_destroy)(program *p)
{
    if (!p) return;
    taut_native_drop(p->s->native, p->native);
    taut_native_pages_end(p->pages, p->pages_size);
    room_free(p->context, &p->room);
    void *all[] = { p->literals, p->move, p->push, p->w, p->lambda, p->trend, p->change, p->reported, p->inputs,
                    p->outputs };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) taut_mem_free(p->context, all[i]);
    segment_clear(p, &p->setup), segment_clear(p, &p->results);
    for (int k = 0; k < p->phase_count; k++) phase_clear(p, &p->phases[k]);
    taut_mem_free(p->context, p->phases);
    taut_mem_free(p->context, p);
}

uint32_t X(program_length)(const program *p)
{
    uint32_t count = p->setup.count + p->results.count;
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        count += f->begin.count + f->residual.count + f->factor.count + f->solve.count;
        for (int i = 0; i < f->further_count; i++) count += f->further[i].tape.count;
    }
    return count;
}

/* ---- a phase ---- */

/* The growth of pivots: is every one of them more than PIVOT_LEAST of what it is made of? *sure: 1, if more than
   PIVOT_SURE, 2, if more than PIVOT_SOUND. A NaN is not. */
static int pivots_exceed(const program_phase *f, const real *r, int *sure)
{
    int least = 1, all = 1, sound = 1;
    for (uint32_t i = 0; i < f->check_count; i++) {
        const real pivot = REAL(fabs)(r[f->checks[i].pivot]), reference = REAL(fabs)(r[f->checks[i].reference]);
        least &= pivot > (real)PIVOT_LEAST * reference;
        all &= pivot > (real)PIVOT_SURE * reference;
        sound &= pivot > (real)PIVOT_SOUND * reference;
    }
    *sure = all + sound;
    return least;
}

/* The size of corrections. */
static real measure(const program_phase *f, const real *r, const uint32_t *changes)
{
    real size = 0;
    for (uint32_t i = 0; i < f->size; i++) size = real_most(size, r[f->weights[i]] * r[changes[i]]);
    return size;
}

/* Subtracts the correction; its size, or that of the second one, with that of the first in *before. */
static double correct(const program_phase *f, real *r, double *before)
{
    const int twice = f->iteration.twice;
    for (uint32_t i = 0; i < f->size; i++) {
        r[f->unknowns[i]] -= r[f->changes[i]];
        if (twice) r[f->unknowns[i]] -= r[f->seconds[i]];
    }
    if (twice) *before = (double)measure(f, r, f->changes);
    return (double)measure(f, r, twice ? f->seconds : f->changes);
}

/* A round of the iteration by its tapes; the size of the correction. */
static double do_round(const program_phase *f, real *r, int is_first, int fresh, double *before)
{
    if (is_first) {
        X(program_run)(&f->begin, r);
        for (uint32_t i = 0; i < f->size; i++) r[f->unknowns[i]] = r[f->guesses[i]];
    }
    if (!f->size) return 0;
    X(program_run)(&f->residual, r);
    if (fresh) X(program_run)(&f->factor, r);
    X(program_run)(&f->solve, r);
    return correct(f, r, before);
}

/* Further corrections with the matrix at hand; the size of the last where there are several. */
static double correct_further(const program_phase *f, int which, real *r)
{
    X(program_run)(&f->further[which].tape, r);
    for (uint32_t i = 0; i < f->size; i++) r[f->unknowns[i]] -= r[f->further[which].sums[i]];
    return which == FURTHER_ONCE ? 0 : (double)measure(f, r, f->lasts);
}

static program_outcome solve_phase(program *p, program_phase *f, real *r, real *state_block)
{
    double before = 0;
    int factor = 1, sure = 0;
    if (f->prepared) f->prepared(r, state_block);
    for (int k = 0;; k++) {
        if (k == iteration_most(&f->iteration)) return PROGRAM_LEFT;
        const int fresh = factor || f->iteration.always;
        program_round *round = k == 0 ? f->first : fresh ? f->renewed : f->again;
        const double size = round ? (double)round(r, state_block) : do_round(f, r, k == 0, fresh, &before);
        if (round && f->iteration.twice) before = (double)r[p->register_count + PROGRAM_BEFORE];
        if (!f->size) return PROGRAM_DONE;
        if (fresh) {
            p->counts.factorisations++;
            if (!pivots_exceed(f, r, &sure)) return PROGRAM_LEFT;
        }
        p->counts.iterations++;
        int verdict = iteration_judge(&f->iteration, k, size, before, (double)r[f->unit], fresh, sure);
        if (verdict == ITERATION_GOES_ON && f->further_count) {
            const double unit = (double)r[f->unit];
            const int is_one = iteration_once_more(&f->iteration, before, size, unit, sure);
            const int which = is_one ? FURTHER_ONCE : FURTHER_MORE;
            program_round *const machine = f->further[which].machine;
            const double last = machine ? (double)machine(r, state_block) : correct_further(f, which, r);
            verdict = which == FURTHER_ONCE
                          ? ITERATION_ENDED
                          : iteration_judge_further(&f->iteration, before, size, last, unit, sure);
            p->further += 1 + which;
        }
        if (verdict == ITERATION_ENDED) break;
        if (verdict == ITERATION_HOPELESS) return PROGRAM_LEFT;
        factor = verdict == ITERATION_NEEDS_MATRIX;
        before = size;
    }
    p->counts.calls++;
    return PROGRAM_DONE;
}

/* ---- a step ---- */

static int is_up_to_date(const program *p, const program_length *l, real h)
{
    return h == l->h && p->s->constants_version == l->constants_version;
}

/* Another length becomes the one at hand; one that is forgotten, if it is new. Native code has one setup alone. */
static void change_length(program *p, real h)
{
    if (p->code || !p->now->h) return;
    /* the next one and the one before are likely */
    const int count = p->length_count, now = (int)(p->now - p->lengths);
    int which = -1;
    for (int i = 1; which < 0 && i < count; i = i > 0 ? -i : 1 - i) {
        const int at = now + i < 0 ? now + i + count : now + i < count ? now + i : now + i - count;
        if (is_up_to_date(p, &p->lengths[at], h)) which = at;
    }
    if (which < 0) which = p->next_length = (p->next_length + 1) % count;
    p->now = &p->lengths[which], p->registers = p->now->registers;
}

/* Brings the constants up to date. Was there anything to do? */
static int renew(program *p, real h)
{
    if (is_up_to_date(p, p->now, h)) return 0;
    change_length(p, h);
    if (is_up_to_date(p, p->now, h)) return 0;
    real *r = p->registers;
    if (p->now->h == 0 && p->literal_count) memcpy(r + p->literal_first, p->literals, p->literal_count * sizeof(real));
    memcpy(r, p->s->constants, p->constant_count * sizeof(real));
    if (p->other_count) memcpy(r + p->constant_count, p->others, p->other_count * sizeof(real));
    r[p->constant_count + p->other_count] = h;
    for (uint32_t i = 0; i < p->given_count; i++)
        r[p->state_first - p->given_count + i] = X(symbol_given_value)(p->s, i);
    p->now->h = h;
    p->now->constants_version = p->s->constants_version;
    p->now->expected = p->now->last = -1, p->now->failed = p->now->misses = p->now->pause = 0;
    for (int i = 0; i < PROGRAM_WHOLE; i++) p->now->after[i] = i;
    return 1;
}

/* A tape by itself: its code, or the interpreter. */
static real run_tape(const program *p, const segment *t, const state *x)
{
    if (t->machine) return t->machine(p->registers, x->block);
    X(program_run)(t, p->registers);
    return 0;
}

static void begin(program *p, const state *x, real h, real t1, const real *inputs)
{
    const int is_new = renew(p, h);
    real *r = p->registers, *times = r + p->state_first + p->state_count;
    if (!p->machine_finishes) memcpy(r + p->state_first, x->block, p->state_count * sizeof(real));
    times[STATE_T0] = x->t, times[STATE_T0_LOW] = x->t_low, times[STATE_T1] = t1, times[STATE_SPAN] = t1 - x->t;
    for (uint32_t i = 0; i < p->input_count; i++) r[p->unknown_first + p->inputs[i]] = inputs[p->inputs[i]];
    if (is_new) run_tape(p, &p->setup, x);
}

static void add(real *x, real *low, real d)
{
    real y = d + *low, sum = *x + y;
    *low = y - (sum - *x);
    *x = sum;
}

static void finish(const program *p, state *x)
{
    const real *r = p->registers;
    uint32_t n = p->s->n, c = p->s->c;
    for (uint32_t i = 0; i < n; i++) add(&x->q[i], &x->q_low[i], r[p->move[i]]);
    for (uint32_t i = 0; i < n; i++) {
        if (p->sets_momentum)
            x->p[i] = r[p->push[i]], x->p_low[i] = 0;
        else
            add(&x->p[i], &x->p_low[i], r[p->push[i]]);
        x->w[i] = p->w ? r[p->w[i]] : x->p[i];
    }
    if (p->has_work) add(x->work, x->work_low, r[p->work]);
    for (uint32_t k = 0; p->trend && k < c; k++) x->trend[k] = r[p->trend[k]];
    for (uint32_t k = 0; p->change && k < 2 * c; k++) x->change[k] = r[p->change[k]];
    for (uint32_t k = 0; p->lambda && k < c; k++) x->lambda[k] = r[p->lambda[k]];
}

/* A state that is no number is left to the general path, which says so. */
static int is_finite(const program *p)
{
    real sum = 0;
    for (uint32_t i = 0; i < p->s->n; i++) sum += 0 * p->registers[p->move[i]] + 0 * p->registers[p->push[i]];
    return sum == 0;
}

/* ---- whole steps: the same with the rounds that are expected, in one function ---- */

static void report(program *p)
{
    for (uint32_t k = 0; p->reported && k < p->s->c; k++) p->reports[k] = p->registers[p->reported[k]];
}

/* A step went like this: so will the next one, or as it did the last time after such a step. */
static void learn(program_length *l, int which)
{
    if (l->last >= 0 && which >= 0) l->after[l->last] = which;
    l->last = which;
    l->expected = which < 0 ? -1 : l->after[which];
}

static void count_whole(program *p, int which)
{
    program_length *l = p->now;
    l->misses = 0;
    if (which != l->last || which != l->expected) learn(l, which);
    p->counts.iterations += p->whole[which].rounds;
    p->counts.factorisations += p->whole[which].factorisations;
    p->counts.calls += p->whole[which].calls;
    report(p);
}

static program_way way_of(const program *p, const state *x, int which)
{
    if (which < 0 || which >= PROGRAM_WHOLE || !p->whole[which].code) return WAY_OTHER;
    const real left = p->whole[which].code(p->registers, x->block);
    return left == 0 ? WAY_FITS : left == 1 ? WAY_LESS : left == 2 ? WAY_MORE : WAY_OTHER;
}

/* Does the step go as expected, or with more, or less to do? A function that does not fit is left early. */
static int try_whole(program *p, const state *x)
{
    program_length *l = p->now;
    int which = l->expected;
    const program_way first = way_of(p, x, which);
    program_way way = first;
    while (way == first && (way == WAY_LESS || way == WAY_MORE)) {
        which += way == WAY_MORE ? 1 : -1;
        way = way_of(p, x, which);
    }
    l->failed = way != WAY_FITS;
    if (!l->failed) count_whole(p, which);
    return !l->failed;
}

/* Did the step go as expected? */
static int do_whole(program *p, const state *x)
{
    program_length *l = p->now;
    if (l->expected < 0 || l->failed) return 0;
    if (l->pause > 0) {
        l->pause--;
        return 0;
    }
    return try_whole(p, x);
}

/* Steps in a row that go a way for which there is no function, before none is tried. */
enum { EXCEPTIONS = 2 };

/* After a step of so many rounds the next one will be like it; not at once where that is what failed. */
static void expect(program *p, long rounds, long further)
{
    program_length *l = p->now;
    int which = -1;
    for (int i = 0; i < PROGRAM_WHOLE; i++)
        if (p->whole[i].code && p->whole[i].rounds == rounds && p->whole[i].further == further) which = i;
    const int expected = l->expected, exception = l->failed && which < 0 && l->misses < EXCEPTIONS;
    if (l->failed && l->misses < 10) l->misses++;
    if (l->failed && which >= 0 && abs(which - expected) <= 1) l->pause = 1 << l->misses;
    l->failed = 0;
    learn(l, which);
    if (exception) l->expected = expected;
}

static program_outcome interpret(program *p, state *x, real h, real t1, const real *inputs)
{
    begin(p, x, h, t1, inputs);
    if (do_whole(p, x)) return PROGRAM_DONE;
    const long before = p->counts.iterations, further = p->further;
    for (int k = 0; k < p->phase_count; k++)
        if (solve_phase(p, &p->phases[k], p->registers, x->block) != PROGRAM_DONE) return PROGRAM_LEFT;
    const real rest = run_tape(p, &p->results, x);
    if (p->machine_finishes ? !(rest == 0) : !is_finite(p)) return PROGRAM_LEFT;
    if (!p->machine_finishes) finish(p, x);
    report(p);
    if (p->machine_finishes) expect(p, p->counts.iterations - before, p->further - further);
    return PROGRAM_DONE;
}

/* ---- native code ---- */

#ifndef TAUT_REAL_QUAD
int X(program_compile)(program *p)
{
    static const char name[] = "taut_step";
    char *text = NULL;
    size_t length = 0;
    if (!p->s->native || p->s->native->mode == TAUT_NATIVE_OFF) return TAUT_OK;
    int pays, status = X(machine_create)(p, p->s->native->steps, &pays);
    if (status || !taut_native_wants_compiler(p->s->native, p->pages || !pays)) return status;
    status = X(program_emit)(p, name, &text, &length);
    if (status) return status;
    status = taut_native_request(p->s->native, p->context, text, length, name, &p->native);
    taut_mem_free(p->context, text);
    return status;
}

static program_outcome run_native(program *p, state *x, real h, real t1, const real *inputs)
{
    const double time[] = { x->t, x->t_low, t1, t1 - x->t, h };
    long counts[2] = { 0, 0 };
    int first = renew(p, h) || p->code_is_new;
    p->code_is_new = 0;
    int left = ((code_function *)p->code)(first, p->registers, p->setup_values, x->block, time, inputs, p->reports,
                                          counts);
    for (int k = 0; k < p->phase_count; k++) p->counts.calls += p->phases[k].size > 0;
    p->counts.iterations += counts[0];
    p->counts.factorisations += counts[1];
    return left ? PROGRAM_LEFT : PROGRAM_DONE;
}

static int has_code(program *p)
{
    if (p->code || !p->native) return p->code != NULL;
    p->code = taut_native_take(p->s->native, p->native);
    p->code_is_new = p->code != NULL;
    return p->code != NULL;
}
#else
int X(program_compile)(program *p)
{
    (void)p;
    return TAUT_OK; /* quad is software arithmetic: there is little to gain */
}

static program_outcome run_native(program *p, state *x, real h, real t1, const real *inputs)
{
    return interpret(p, x, h, t1, inputs);
}

static int has_code(const program *p)
{
    (void)p;
    return 0;
}
#endif

program_outcome X(program_step)(program *p, state *x, real h, const real *inputs)
{
    real t1, t1_low;
    X(state_next_time)(x, h, &t1, &t1_low);
    program_outcome outcome = (has_code(p) ? run_native : interpret)(p, x, h, t1, inputs);
    if (outcome != PROGRAM_DONE) {
        p->left++;
        return outcome;
    }
    if (p->lambda_time >= 0) *x->t_lambda = x->t + (p->lambda_time * h + x->t_low);
    x->t = t1, x->t_low = t1_low;
    return PROGRAM_DONE;
}

/* Is the length at hand, or one that is known, and known how it goes? */
static int has_expectation(program *p, real h)
{
    if (!is_up_to_date(p, p->now, h)) change_length(p, h);
    return is_up_to_date(p, p->now, h) && p->now->expected >= 0 && p->now->pause == 0;
}

long X(program_steps)(program *p, state *x, const real *lengths, int stride, long count, multiplier_growth *size)
{
    long done = 0;
    if (has_code(p) || p->input_count) return 0;
    for (const real *h = lengths; done < count && has_expectation(p, *h); h += stride) {
        real t1, t1_low, *times = p->registers + p->state_first + p->state_count;
        X(state_next_time)(x, *h, &t1, &t1_low);
        times[STATE_T0] = x->t, times[STATE_T0_LOW] = x->t_low, times[STATE_T1] = t1, times[STATE_SPAN] = t1 - x->t;
        if (!try_whole(p, x)) break;
        if (p->lambda_time >= 0) *x->t_lambda = x->t + (p->lambda_time * *h + x->t_low);
        x->t = t1, x->t_low = t1_low;
        done++;
        if (!size) continue;
        multiplier_growth_step(size, x->lambda);
        if (size->grown) break;
    }
    return done;
}

#ifndef TAUT_REAL_QUAD
static void read_native(program *p, const state *x)
{
    const double time[] = { x->t, x->t_low, x->t, 0, 1 };
    int first = renew(p, 1) || p->code_is_new;
    p->code_is_new = 0;
    /* only steps write the state */
    ((code_function *)p->code)(first, p->registers, p->setup_values, x->block, time, NULL, p->values, NULL);
}
#endif

void X(program_read)(program *p, const state *x)
{
#ifndef TAUT_REAL_QUAD
    if (p->code) {
        read_native(p, x);
        return;
    }
#endif
    begin(p, x, 1, x->t, NULL);
    run_tape(p, &p->results, x);
    for (uint32_t i = 0; i < p->output_count; i++) p->values[i] = p->registers[p->outputs[i]];
}

void X(program_reported)(const program *p, real *out)
{
    if (p->reported) memcpy(out, p->reports, p->s->c * sizeof(real));
}
