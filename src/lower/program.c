/* The life of a program: its workspace, what is learnt of its steps, and who executes them. */
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
    program_workspace *w = &p->space;
    for (int i = 0; i < w->length_count; i++)
        w->lengths[i].registers = room_reals(l, (size_t)p->flow.register_count + PROGRAM_WORK);
    w->registers = w->lengths[0].registers;
#ifndef TAUT_REAL_QUAD
    w->setup_values = room_reals(l, X(program_setup_count)(p));
#endif
}

int X(program_room)(program *p)
{
    const int keeps = !p->output_count && X(program_length)(p) <= LENGTHS_UP_TO && p->s->native &&
                      p->s->native->mode != TAUT_NATIVE_OFF && sizeof(real) == sizeof(double);
    program_workspace *w = &p->space;
    w->length_count = keeps ? PROGRAM_LENGTHS : 1;
    for (int i = 0; i < w->length_count; i++) w->lengths[i].learnt.expected = -1;
    w->now = w->lengths;
    return room_create(p->context, lay_out, p, &w->room);
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
    room_free(p->context, &p->space.room);
    X(step_flow_clear)(p->context, &p->flow);
    void *all[] = { p->literals, p->move, p->push, p->w, p->lambda, p->trend, p->change, p->reported, p->inputs,
                    p->outputs, p->checks, p->limits };
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

/* ---- a step ---- */

static int is_up_to_date(const program *p, const program_length *l, real h)
{
    return h == l->h && p->s->constants_version == l->constants_version;
}

/* Another length becomes the one of the step; one that is forgotten, if it is new. Native code has one setup alone. */
static void change_length(program *p, real h)
{
    program_workspace *w = &p->space;
    if (p->code || !w->now->h) return;
    /* the next one and the one before are likely */
    const int count = w->length_count, now = (int)(w->now - w->lengths);
    int which = -1;
    for (int i = 1; which < 0 && i < count; i = i > 0 ? -i : 1 - i) {
        const int at = now + i < 0 ? now + i + count : now + i < count ? now + i : now + i - count;
        if (is_up_to_date(p, &w->lengths[at], h)) which = at;
    }
    if (which < 0) which = w->next_length = (w->next_length + 1) % count;
    w->now = &w->lengths[which], w->registers = w->now->registers;
}

static void put_literals(const program *p, real *r)
{
    if (p->literal_count) memcpy(r + p->literal_first, p->literals, p->literal_count * sizeof(real));
    memcpy(r + p->flow.literal_first, p->flow.literals, p->flow.literal_count * sizeof(real));
}

/* Brings the constants up to date. Was there anything to do? */
static int renew(program *p, real h)
{
    program_workspace *w = &p->space;
    if (is_up_to_date(p, w->now, h)) return 0;
    change_length(p, h);
    if (is_up_to_date(p, w->now, h)) return 0;
    real *r = w->registers;
    if (w->now->h == 0) put_literals(p, r);
    memcpy(r, p->s->constants, p->constant_count * sizeof(real));
    if (p->other_count) memcpy(r + p->constant_count, p->others, p->other_count * sizeof(real));
    r[p->constant_count + p->other_count] = h;
    for (uint32_t i = 0; i < p->given_count; i++)
        r[p->state_first - p->given_count + i] = X(symbol_given_value)(p->s, i);
    w->now->h = h;
    w->now->constants_version = p->s->constants_version;
    w->now->learnt = (program_learnt){ .expected = -1, .last = -1 };
    for (int i = 0; i < PROGRAM_WHOLE; i++) w->now->learnt.after[i] = i;
    return 1;
}

static void set_times(const program *p, const state *x, real t1)
{
    real *times = p->space.registers + p->state_first + p->state_count;
    times[STATE_T0] = x->t, times[STATE_T0_LOW] = x->t_low, times[STATE_T1] = t1, times[STATE_SPAN] = t1 - x->t;
}

static void begin(program *p, const state *x, real h, real t1, const real *inputs)
{
    const int is_new = renew(p, h);
    real *r = p->space.registers;
    set_times(p, x, t1);
    for (uint32_t i = 0; i < p->input_count; i++) r[p->unknown_first + p->inputs[i]] = inputs[p->inputs[i]];
    if (is_new && p->set_up)
        p->set_up(r, x->block);
    else if (is_new)
        X(program_run)(p->setup.code, r);
}

static void add_counts(program_workspace *w, const long *counts)
{
    w->counts.iterations += counts[COUNT_ITERATIONS];
    w->counts.factorisations += counts[COUNT_MATRICES];
    w->counts.calls += counts[COUNT_CALLS];
    w->further += counts[COUNT_FURTHER];
}

/* By machine code, which reads and writes the state where it is, or by the interpreter, which has a copy. */
static int run_flow(program *p, real *block, long *counts)
{
    real *r = p->space.registers, *counters = r + p->flow.count_first;
    for (int i = 0; i < FLOW_COUNTS; i++) counters[i] = 0;
    if (!p->step) memcpy(r + p->state_first, block, p->state_count * sizeof(real));
    const int left = p->step ? p->step(r, block) : X(program_run)(p->flow.code, r);
    if (!p->step && !left && !p->outputs) memcpy(block, r + p->state_first, p->state_count * sizeof(real));
    for (int i = 0; i < FLOW_COUNTS; i++) counts[i] = (long)counters[i];
    return left;
}

/* ---- whole steps: the same with the rounds that are expected, in one straight line (expect.h) ---- */

/* A step went like this: so will the next one, or as it did the last time after such a step. */
static void learn(program_learnt *l, int which)
{
    if (l->last >= 0 && which >= 0) l->after[l->last] = which;
    l->last = which;
    l->expected = which < 0 ? -1 : l->after[which];
}

static void count_whole(program *p, int which)
{
    program_learnt *l = &p->space.now->learnt;
    l->misses = 0;
    if (which != l->last || which != l->expected) learn(l, which);
    add_counts(&p->space, p->whole[which].counts);
}

static program_way way_of(const program *p, const state *x, int which)
{
    if (which < 0 || which >= PROGRAM_WHOLE || !p->whole[which].code) return WAY_OTHER;
    return (program_way)p->whole[which].code(p->space.registers, x->block);
}

/* Does the step go as expected, or with more, or less to do? A function that does not fit is left early. */
static int try_whole(program *p, const state *x)
{
    program_learnt *l = &p->space.now->learnt;
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
    program_learnt *l = &p->space.now->learnt;
    if (l->expected < 0 || l->failed) return 0;
    if (l->pause > 0) {
        l->pause--;
        return 0;
    }
    return try_whole(p, x);
}

/* Steps in a row that go a way for which there is no function, before none is tried. */
enum { EXCEPTIONS = 2 };

/* After a step that went so the next one will be like it; not at once where that is what failed. */
static void expect(program *p, const long *counts)
{
    program_learnt *l = &p->space.now->learnt;
    int which = -1;
    for (int i = 0; i < PROGRAM_WHOLE; i++)
        if (p->whole[i].code && p->whole[i].counts[COUNT_ITERATIONS] == counts[COUNT_ITERATIONS] &&
            p->whole[i].counts[COUNT_FURTHER] == counts[COUNT_FURTHER])
            which = i;
    const int expected = l->expected, exception = l->failed && which < 0 && l->misses < EXCEPTIONS;
    if (l->failed && l->misses < 10) l->misses++;
    if (l->failed && which >= 0 && abs(which - expected) <= 1) l->pause = 1 << l->misses;
    l->failed = 0;
    learn(l, which);
    if (exception) l->expected = expected;
}

static program_outcome interpret(program *p, state *x, real h, real t1, const real *inputs)
{
    long counts[FLOW_COUNTS];
    begin(p, x, h, t1, inputs);
    if (do_whole(p, x)) return PROGRAM_DONE;
    const int left = run_flow(p, x->block, counts);
    add_counts(&p->space, counts);
    if (left) return PROGRAM_LEFT;
    if (p->step) expect(p, counts);
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
    long counts[FLOW_COUNTS] = { 0 };
    program_workspace *w = &p->space;
    const int first = renew(p, h) || w->code_is_new;
    w->code_is_new = 0;
    const int left = ((code_function *)p->code)(first, w->registers, w->setup_values, x->block, time, inputs,
                                                w->registers + p->flow.report_first, counts);
    add_counts(w, counts);
    return left ? PROGRAM_LEFT : PROGRAM_DONE;
}

static int has_code(program *p)
{
    if (p->code || !p->native) return p->code != NULL;
    p->code = taut_native_take(p->s->native, p->native);
    p->space.code_is_new = p->code != NULL;
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
        p->space.left++;
        return outcome;
    }
    if (p->lambda_time >= 0) *x->t_lambda = x->t + (p->lambda_time * h + x->t_low);
    x->t = t1, x->t_low = t1_low;
    return PROGRAM_DONE;
}

/* Is the length at hand, or one that is known, and known how it goes? */
static int has_expectation(program *p, real h)
{
    const program_workspace *w = &p->space;
    if (!is_up_to_date(p, w->now, h)) change_length(p, h);
    return is_up_to_date(p, w->now, h) && w->now->learnt.expected >= 0 && w->now->learnt.pause == 0;
}

long X(program_steps)(program *p, state *x, const real *lengths, int stride, long count, multiplier_growth *size)
{
    long done = 0;
    if (has_code(p) || p->input_count) return 0;
    for (const real *h = lengths; done < count && has_expectation(p, *h); h += stride) {
        real t1, t1_low;
        X(state_next_time)(x, *h, &t1, &t1_low);
        set_times(p, x, t1);
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
    program_workspace *w = &p->space;
    const int first = renew(p, 1) || w->code_is_new;
    long counts[FLOW_COUNTS];
    w->code_is_new = 0;
    /* only steps write the state */
    ((code_function *)p->code)(first, w->registers, w->setup_values, x->block, time, NULL,
                               w->registers + p->flow.report_first, counts);
}
#endif

void X(program_read)(program *p, const state *x)
{
#ifndef TAUT_REAL_QUAD
    if (has_code(p)) {
        read_native(p, x);
        return;
    }
#endif
    long counts[FLOW_COUNTS];
    begin(p, x, 1, x->t, NULL);
    run_flow(p, x->block, counts);
}

void X(program_reported)(const program *p, real *out)
{
    if (p->reported) memcpy(out, program_reports(p), p->s->c * sizeof(real));
}
