/* The one builder of steps: what stands around the tapes of a program. */
#include "lower/flow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lower/program.h"

typedef struct {
    const program *p;
    step_flow *f;
    int single, relative, failed;
    uint32_t unit, scale;     /* of the phase, what sizes are compared with; and by what they are multiplied */
    uint32_t zero, one;       /* registers of literals; as truths, what is known */
    uint32_t since;           /* instruction: what was computed from there on has been, whatever way was taken */
    uint32_t literal_most;
} building;

/* ---- instructions ---- */

#define NO_OPERANDS(NAME, ...)
#define ONE_OPERAND(NAME, ...) [OP_##NAME] = 1,
#define TWO_OPERANDS(NAME, ...) [OP_##NAME] = 2,
static const unsigned char operand_counts[FLOW_OPERATIONS] = {
    OPERATIONS(NO_OPERANDS, ONE_OPERAND, ONE_OPERAND, TWO_OPERANDS)
    [PROGRAM_MOVE] = 1, [PROGRAM_MULTIPLY_ADD] = 3, [PROGRAM_MULTIPLY_SUBTRACT] = 3, [PROGRAM_SUBTRACT_PRODUCT] = 3,
    [FLOW_MOST] = 2, [FLOW_BELOW] = 2, [FLOW_AT_MOST] = 2, [FLOW_IS_NUMBER] = 1, [FLOW_EXCEEDS] = 3, [FLOW_BOTH] = 2,
    [FLOW_EITHER] = 2, [FLOW_NOT] = 1, [FLOW_CHOSEN] = 3, [FLOW_LEAVE] = 1, [FLOW_LEAVE_UNLESS_ABOVE] = 2,
    [FLOW_LEAVE_UNLESS_LEAST] = 2, [FLOW_NEXT] = 1, [FLOW_IF] = 1
};

int X(step_flow_operands)(const program_instruction *c, uint32_t list[3])
{
    list[0] = c->a, list[1] = c->b, list[2] = c->c;
    return operand_counts[c->op];
}

int X(step_flow_add)(taut_context *context, step_flow *f, program_instruction c)
{
    if (taut_mem_grow(context, &f->code, &f->capacity, (size_t)f->count + 1, sizeof *f->code)) return TAUT_OUT_OF_MEMORY;
    f->code[f->count++] = c;
    return TAUT_OK;
}

static void add(building *b, uint32_t o, uint32_t target, uint32_t x, uint32_t y, uint32_t z)
{
    if (!b->failed) b->failed = X(step_flow_add)(b->p->context, b->f, (program_instruction){ o, target, x, y, z }) != TAUT_OK;
}

static void move(building *b, uint32_t target, uint32_t from) { add(b, PROGRAM_MOVE, target, from, 0, 0); }

static uint32_t new_value(building *b) { return b->f->register_count++; }

static uint32_t number_of(building *b, double x)
{
    step_flow *f = b->f;
    for (uint32_t i = 0; i < f->literal_count; i++)
        if (f->literals[i] == (real)x) return f->literal_first + i;
    if (b->failed || f->literal_count == b->literal_most) {
        b->failed = 1;
        return b->zero;
    }
    f->literals[f->literal_count] = (real)x;
    return f->literal_first + f->literal_count++;
}

/* What is known before the step is made. Returns UINT32_MAX where nothing is. */
static uint32_t known_value(const building *b, uint32_t o, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t zero = b->zero, one = b->one;
    switch (o) {
    case FLOW_BOTH: return x == zero || y == zero ? zero : x == one ? y : y == one ? x : UINT32_MAX;
    case FLOW_EITHER: return x == one || y == one ? one : x == zero ? y : y == zero ? x : UINT32_MAX;
    case FLOW_NOT: return x == zero ? one : x == one ? zero : UINT32_MAX;
    case FLOW_CHOSEN: return x == one || y == z ? y : x == zero ? z : UINT32_MAX;
    case OP_MUL: return x == one ? y : y == one ? x : UINT32_MAX;
    default: return UINT32_MAX;
    }
}

/* The value of an operation, computed where it has not been: of registers that do not change meanwhile. */
static uint32_t value3(building *b, uint32_t o, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t known = known_value(b, o, x, y, z);
    if (known != UINT32_MAX) return known;
    for (uint32_t i = b->since; i < b->f->count; i++) {
        const program_instruction *c = &b->f->code[i];
        if (c->op == o && c->a == x && c->b == y && c->c == z && c->target >= b->f->value_first) return c->target;
    }
    const uint32_t target = new_value(b);
    add(b, o, target, x, y, z);
    return target;
}

static uint32_t value(building *b, uint32_t o, uint32_t x, uint32_t y) { return value3(b, o, x, y, 0); }

static void add_exit(building *b, uint32_t o, uint32_t truth, uint32_t c) { add(b, o, 0, truth, 0, c); }

static void leave_unless(building *b, uint32_t truth, uint32_t why)
{
    if (truth != b->one) add_exit(b, FLOW_LEAVE, truth, why);
}

/* A loop, or a condition, begins; returns its instruction. */
static uint32_t open(building *b, uint32_t o, uint32_t truth)
{
    add_exit(b, o, truth, 0);
    b->since = b->f->count;
    return b->f->count - 1;
}

static void close_if(building *b, uint32_t opened)
{
    if (b->failed) return;
    b->f->code[opened].c = b->f->count;
    add_exit(b, FLOW_FI, 0, 0);
    b->since = b->f->count;
}

static void close_loop(building *b, uint32_t opened)
{
    add_exit(b, FLOW_REPEAT, 0, opened);
    for (uint32_t i = opened; !b->failed && i < b->f->count; i++)
        if (b->f->code[i].op == FLOW_NEXT) b->f->code[i].c = b->f->count;
    b->since = b->f->count;
}

static void add_tape(building *b, const segment *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        add(b, t->code[i].op, t->code[i].target, t->code[i].a, t->code[i].b, t->code[i].c);
}

static void note(building *b, const char *what)
{
    b->f->notes[b->f->note_count++] = (flow_note){ b->f->count, what };
}

/* ---- tolerances ---- */

/* Those that are multiples of the epsilon of double become the same of float; others stay, but for a least multiple of
   it. In float stagnation begins higher up: rounding errors of positions come divided by the step where velocities are
   solved for. */
static double single_tolerance(double tolerance, double least)
{
    const double scaled = tolerance / DBL_EPSILON * (double)FLT_EPSILON;
    return tolerance <= 4 * DBL_EPSILON ? scaled : fmax(tolerance, least * (double)FLT_EPSILON);
}

static iteration tolerances(const building *b, const program_phase *z)
{
    iteration i = z->iteration;
    if (!b->single) return i;
    i.enough = single_tolerance(i.enough, 0.5), i.rest = single_tolerance(i.rest, 1 / 2048.0);
    i.epsilon = (double)FLT_EPSILON, i.floor = 16384 * (double)FLT_EPSILON;
    return i;
}

/* Of both precisions. */
static const double pivot_least[] = { PIVOT_LEAST, SINGLE_PIVOT_LEAST }, pivot_sure[] = { PIVOT_SURE, SINGLE_PIVOT_SURE },
                    pivot_sound[] = { PIVOT_SOUND, SINGLE_PIVOT_SOUND },
                    linear_sure[] = { LINEAR_SURE, SINGLE_LINEAR_SURE },
                    linear_sound[] = { LINEAR_SOUND, SINGLE_LINEAR_SOUND },
                    linear_enough[] = { LINEAR_ENOUGH, SINGLE_LINEAR_ENOUGH },
                    small[] = { ITERATION_SMALL, SINGLE_ITERATION_SMALL };

/* The words of iteration.h as instructions, one operand after the other. */
#undef LINEAR_SURE
#undef LINEAR_SOUND
#undef LINEAR_ENOUGH
#undef ITERATION_SMALL
#define LINEAR_SURE linear_sure[b->single]
#define LINEAR_SOUND linear_sound[b->single]
#define LINEAR_ENOUGH linear_enough[b->single]
#define ITERATION_SMALL small[b->single]
#define NUMBER_OF(constant) number_of(b, constant)
#define IN_ORDER(o, x, y) __extension__({ const uint32_t x_ = (x), y_ = (y); value(b, o, x_, y_); })
#define PRODUCT(x, y) IN_ORDER(OP_MUL, x, y)
#define IS_BELOW(x, y) IN_ORDER(FLOW_BELOW, x, y)
#define IS_AT_MOST(x, y) IN_ORDER(FLOW_AT_MOST, x, y)
#define BOTH(x, y) IN_ORDER(FLOW_BOTH, x, y)
#define EITHER(x, y) IN_ORDER(FLOW_EITHER, x, y)
#define NOT(x) value(b, FLOW_NOT, x, 0)
#define WHERE(flag, x) ((flag) ? (x) : b->zero)
#define CHOSEN(x, y, z) __extension__({ const uint32_t x_ = (x), y_ = (y), z_ = (z); value3(b, FLOW_CHOSEN, x_, y_, z_); })
#define ENDS_WHERE(x) end_where(b, x);
#define QUOTIENT(x, y) value(b, OP_DIV, x, y)
#define IS_NUMBER(x) value(b, FLOW_IS_NUMBER, x, 0)

static void end_where(building *b, uint32_t truth)
{
    if (truth != b->zero) add_exit(b, FLOW_NEXT, truth, 0);
}

/* ---- a phase ---- */

/* The registers of a phase that change from round to round, besides its unknowns. */
typedef struct {
    uint32_t round, before, needs_matrix, linear;
} carried;

static void subtract(building *b, const program_phase *z, const uint32_t *changes)
{
    for (uint32_t i = 0; i < z->size; i++) add(b, OP_SUB, z->unknowns[i], z->unknowns[i], changes[i], 0);
}

/* The largest change of this weight, from the i-th on. */
static uint32_t largest_of_weight(building *b, const program_phase *z, const uint32_t *changes, uint32_t i)
{
    uint32_t largest = value(b, OP_ABS, changes[i], 0);
    for (uint32_t k = i + 1; k < z->size; k++)
        if (z->weights[k] == z->weights[i]) largest = value(b, FLOW_MOST, largest, changes[k]);
    return largest;
}

/* The size of corrections. Of equal weights the largest change counts, and is multiplied once: rounding does not change
   which one is larger. */
static uint32_t size_of(building *b, const program_phase *z, const uint32_t *changes)
{
    uint32_t size = b->zero;
    for (uint32_t i = 0; i < z->size; i++) {
        int is_new = 1;
        for (uint32_t k = 0; k < i; k++) is_new &= z->weights[k] != z->weights[i];
        if (!is_new) continue;
        const uint32_t group = PRODUCT(PRODUCT(z->weights[i], b->scale), largest_of_weight(b, z, changes, i));
        size = size == b->zero ? group : value(b, FLOW_MOST, size, group);
    }
    return size;
}

/* Every pivot is more than this part of what it is made of. */
static uint32_t pivots_exceed(building *b, const program_check *checks, uint32_t count, double part)
{
    uint32_t all = b->one;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t exceeds = value3(b, FLOW_EXCEEDS, checks[i].pivot, checks[i].reference, number_of(b, part));
        all = BOTH(all, exceeds);
    }
    return all;
}

/* Pivots that are not sound are looked at again: rarely, and so in a condition where there is no other around it.
   Returns the largest correction of linear equations that needs no second one. */
static uint32_t put_matrix(building *b, const program_phase *z, const carried *at)
{
    const int decides = z->iteration.linear || z->iteration.twice, apart = decides && z->iteration.always;
    add_tape(b, &z->factor);
    b->since = b->f->count;
    add(b, FLOW_COUNT, b->f->count_first + COUNT_MATRICES, 0, 0, 0);
    const uint32_t sound = decides ? pivots_exceed(b, z->checks, z->check_count, pivot_sound[b->single]) : b->zero;
    if (apart && sound == b->one) return NUMBER_OF(LINEAR_SOUND);
    if (apart) move(b, at->linear, NUMBER_OF(LINEAR_SOUND));
    const uint32_t opened = apart ? open(b, FLOW_IF, NOT(sound)) : 0;
    leave_unless(b, pivots_exceed(b, z->checks, z->check_count, pivot_least[b->single]), FLOW_SINGULAR);
    if (!decides) return b->zero;
    const uint32_t sure = pivots_exceed(b, z->checks, z->check_count, pivot_sure[b->single]);
    if (!apart) return LINEAR_LARGEST(sound, sure);
    move(b, at->linear, LINEAR_LARGEST(b->zero, sure));
    close_if(b, opened);
    return at->linear;
}

/* Corrections after two with one matrix, where these are not enough. */
static void put_further(building *b, const program_phase *z, const iteration *i, uint32_t first, uint32_t second,
                        uint32_t linear)
{
    if (!z->further_count) return;
    const uint32_t counter = b->f->count_first + COUNT_FURTHER;
    const uint32_t once = ONE_MORE_ENDS(i, first, second, b->unit, linear);
    const uint32_t opened = open(b, FLOW_IF, once);
    add_tape(b, &z->further[FURTHER_ONCE].tape);
    subtract(b, z, z->further[FURTHER_ONCE].sums);
    add(b, FLOW_COUNT, counter, 0, 0, 0);
    end_where(b, b->one);
    close_if(b, opened);
    add_tape(b, &z->further[FURTHER_MORE].tape);
    subtract(b, z, z->further[FURTHER_MORE].sums);
    for (int k = 0; k < 2; k++) add(b, FLOW_COUNT, counter, 0, 0, 0);
    const uint32_t last = size_of(b, z, z->lasts);
    leave_unless(b, IS_NUMBER(last), FLOW_NOT_FINITE);
    end_where(b, FURTHER_ENDED(i, first, second, last, b->unit, linear));
}

static void judge_two(building *b, const program_phase *z, const iteration *i, uint32_t linear)
{
    const uint32_t first = size_of(b, z, z->changes), second = size_of(b, z, z->seconds);
    leave_unless(b, BOTH(IS_NUMBER(first), IS_NUMBER(second)), FLOW_NOT_FINITE);
    TWO_END(i, first, second, b->unit, linear)
    leave_unless(b, NOT(TWO_STAY(first, second)), FLOW_NO_CONVERGENCE);
    put_further(b, z, i, first, second, linear);
}

static void judge_plain(building *b, const program_phase *z, const iteration *i, const carried *from)
{
    const uint32_t size = size_of(b, z, z->changes);
    const uint32_t fresh = i->always ? b->one : from->needs_matrix;
    const uint32_t counts = i->skip_first ? IS_AT_MOST(NUMBER_OF(i->skip_first), from->round) : b->one;
    const uint32_t later = IS_BELOW(NUMBER_OF(i->skip_first), from->round);
    leave_unless(b, IS_NUMBER(size), FLOW_NOT_FINITE);
    PLAIN_ENDS(i, counts, later, size, QUOTIENT(size, from->before), b->unit, from->linear, fresh)
    const uint32_t rate = QUOTIENT(size, from->before);
    leave_unless(b, NOT(PLAIN_HOPELESS(i, from->round, later, rate, fresh)), FLOW_NO_CONVERGENCE);
    if (!i->always) move(b, from->needs_matrix, PLAIN_NEEDS_MATRIX(i, later, size, rate, b->unit));
    move(b, from->before, size);
}

static void put_round(building *b, const program_phase *z, const iteration *i, carried *at)
{
    add_tape(b, &z->residual);
    if (i->always) {
        at->linear = put_matrix(b, z, at);
    } else {
        const uint32_t opened = open(b, FLOW_IF, at->needs_matrix);
        const uint32_t linear = put_matrix(b, z, at);
        if (linear != b->zero) move(b, at->linear, linear);
        close_if(b, opened);
    }
    add_tape(b, &z->solve);
    b->since = b->f->count;
    subtract(b, z, z->changes);
    if (i->twice) subtract(b, z, z->seconds);
    add(b, FLOW_COUNT, b->f->count_first + COUNT_ITERATIONS, 0, 0, 0);
    if (i->twice)
        judge_two(b, z, i, at->linear);
    else
        judge_plain(b, z, i, at);
}

static void put_phase(building *b, const program_phase *z)
{
    const iteration i = tolerances(b, z);
    carried at = { new_value(b), new_value(b), new_value(b), new_value(b) };
    note(b, z->what);
    add_tape(b, &z->begin);
    for (uint32_t k = 0; k < z->size; k++) move(b, z->unknowns[k], z->guesses[k]);
    if (!z->size) return;
    b->unit = b->relative ? b->one : z->unit;
    b->scale = b->relative ? QUOTIENT(b->one, z->unit) : b->one;
    move(b, at.round, b->zero);
    if (!i.twice) move(b, at.before, b->zero);
    if (!i.always) move(b, at.needs_matrix, b->one);
    const uint32_t opened = open(b, FLOW_LOOP, 0);
    put_round(b, z, &i, &at);
    add(b, OP_ADD, at.round, at.round, b->one, 0);
    b->since = b->f->count;
    leave_unless(b, IS_BELOW(at.round, NUMBER_OF(iteration_most(&i))), FLOW_NO_CONVERGENCE);
    close_loop(b, opened);
    add(b, FLOW_COUNT, b->f->count_first + COUNT_CALLS, 0, 0, 0);
}

/* ---- the end of a step ---- */

/* The registers that numbers of the new state stand in; 0: it stays as it was. */
typedef struct {
    building *b;
    uint32_t *at;
} new_state;

static void set(const new_state *x, uint32_t number, uint32_t value) { x->at[number] = value; }

/* Tapes have some of the sums that make the new state. Outside of loops each of their values is computed once. */
static uint32_t sum_of(building *b, uint32_t x, uint32_t y)
{
    int depth = 0;
    for (uint32_t i = b->f->count; i-- > 0;) {
        const program_instruction *c = &b->f->code[i];
        depth += (c->op == FLOW_REPEAT || c->op == FLOW_FI) - (c->op == FLOW_LOOP || c->op == FLOW_IF);
        if (!flow_has_target(c)) continue;
        if (c->target == x || c->target == y) break;
        if (!depth && c->op == OP_ADD && c->target < b->p->register_count &&
            ((c->a == x && c->b == y) || (c->a == y && c->b == x)))
            return c->target;
    }
    return value(b, OP_ADD, x, y);
}

/* x + d with what rounding leaves over. */
static void set_sum(const new_state *x, uint32_t number, uint32_t low, uint32_t d)
{
    building *b = x->b;
    const uint32_t first = b->p->state_first;
    const uint32_t y = sum_of(b, d, first + low), sum = sum_of(b, first + number, y);
    const uint32_t difference = value(b, OP_SUB, sum, first + number);
    set(x, number, sum), set(x, low, value(b, OP_SUB, y, difference));
}

/* The layout of the state's block: q, p, w, q_low, p_low, lambda, t_lambda, work, work_low, step, trend, change. */
static void set_state(const new_state *x)
{
    const program *p = x->b->p;
    const uint32_t n = p->s->n, c = p->s->c, trend = program_trend_at(n, c);
    for (uint32_t i = 0; i < n; i++) set_sum(x, i, 3 * n + i, p->move[i]);
    for (uint32_t i = 0; i < n; i++) {
        if (p->sets_momentum)
            set(x, n + i, p->push[i]), set(x, 4 * n + i, x->b->zero);
        else
            set_sum(x, n + i, 4 * n + i, p->push[i]);
        set(x, 2 * n + i, p->w ? p->w[i] : x->at[n + i]);
    }
    if (p->has_work) set_sum(x, 5 * n + c + 1, 5 * n + c + 2, p->work);
    for (uint32_t k = 0; p->trend && k < c; k++) set(x, trend + k, p->trend[k]);
    for (uint32_t k = 0; p->change && k < 2 * c; k++) set(x, trend + c + k, p->change[k]);
    for (uint32_t k = 0; p->lambda && k < c; k++) set(x, 5 * n + k, p->lambda[k]);
}

static int is_of_state(const program *p, uint32_t r) { return r >= p->state_first && r < p->state_first + p->state_count; }

/* A step that leads to what is no number is left: all that was found by iteration, and all that changes. A sum that is
   too large is taken for that, too. */
static void leave_unless_finite(building *b)
{
    const program *p = b->p;
    uint32_t sum = b->zero;
    for (int k = 0; k < p->phase_count; k++)
        for (uint32_t i = 0; i < p->phases[k].size; i++) {
            const uint32_t unknown = p->phases[k].unknowns[i];
            sum = sum == b->zero ? unknown : value(b, OP_ADD, sum, unknown);
        }
    for (uint32_t i = 0; i < p->s->n; i++) {
        sum = sum == b->zero ? p->move[i] : value(b, OP_ADD, sum, p->move[i]);
        sum = value(b, OP_ADD, sum, p->push[i]);
    }
    leave_unless(b, IS_NUMBER(sum), FLOW_NOT_FINITE);
}

static void leave_beyond_limits(building *b)
{
    const program *p = b->p;
    for (uint32_t i = 0; i < p->limit_count; i++) {
        const uint32_t size = value(b, OP_ABS, p->limits[i].pivot, 0);
        leave_unless(b, IS_AT_MOST(size, p->limits[i].reference), FLOW_NO_CONVERGENCE);
    }
}

/* Numbers of the old state that the new one, or a report, has elsewhere are copied before they change. */
static uint32_t kept(building *b, uint32_t r)
{
    return is_of_state(b->p, r) ? value(b, PROGRAM_MOVE, r, 0) : r;
}

static void put_end(building *b)
{
    const program *p = b->p;
    uint32_t *at = taut_mem_new(p->context, (size_t)p->state_count + 1, sizeof *at);
    b->failed |= !at;
    if (b->failed) {
        taut_mem_free(p->context, at);
        return;
    }
    leave_unless(b, pivots_exceed(b, p->checks, p->check_count, pivot_least[b->single]), FLOW_SINGULAR);
    leave_beyond_limits(b);
    leave_unless_finite(b);
    set_state(&(new_state){ b, at });
    for (uint32_t i = 0; i < p->state_count; i++)
        if (at[i]) at[i] = kept(b, at[i]);
    for (uint32_t k = 0; p->reported && k < p->s->c; k++) move(b, b->f->report_first + k, p->reported[k]);
    for (uint32_t i = 0; i < p->state_count; i++)
        if (at[i]) move(b, p->state_first + i, at[i]);
    taut_mem_free(p->context, at);
}

/* ---- the whole ---- */

/* Registers: reports, counters, literals, values. So many literals have a phase and what stands around phases. */
enum { LITERALS_OF_PHASE = 16, LITERALS_OF_END = 3 };

static int begin(building *b)
{
    const program *p = b->p;
    step_flow *f = b->f;
    f->report_count = p->outputs ? p->output_count : p->reported ? p->s->c : 0;
    f->report_first = p->register_count;
    f->count_first = f->report_first + f->report_count;
    f->literal_first = f->count_first + FLOW_COUNTS;
    b->literal_most = LITERALS_OF_END + LITERALS_OF_PHASE * (uint32_t)p->phase_count;
    f->value_first = f->register_count = f->literal_first + b->literal_most;
    f->literals = taut_mem_new(p->context, b->literal_most, sizeof *f->literals);
    f->notes = taut_mem_new(p->context, (size_t)p->phase_count + 1, sizeof *f->notes);
    if (!f->literals || !f->notes) return TAUT_OUT_OF_MEMORY;
    b->zero = number_of(b, 0), b->one = number_of(b, 1); /* FLOW_ZERO, FLOW_ONE */
    return TAUT_OK;
}

static int create(const program *p, int single, int relative, step_flow *f)
{
    building b = { .p = p, .f = f, .single = single, .relative = relative };
    *f = (step_flow){ 0 };
    int status = begin(&b);
    if (!status) {
        for (int k = 0; k < p->phase_count; k++) put_phase(&b, &p->phases[k]);
        note(&b, p->outputs ? "outputs" : "the new state");
        add_tape(&b, &p->results);
        b.since = f->count;
        for (uint32_t i = 0; p->outputs && i < p->output_count; i++) move(&b, f->report_first + i, p->outputs[i]);
        if (!p->outputs) put_end(&b);
        add(&b, PROGRAM_END, 0, 0, 0, 0);
        status = b.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
    }
    if (status) X(step_flow_clear)(p->context, f);
    return status;
}

int X(step_flow_create)(const program *p, int single, step_flow *f) { return create(p, single, 0, f); }
int X(step_flow_relative)(const program *p, step_flow *f) { return create(p, 0, 1, f); }

void X(step_flow_clear)(taut_context *context, step_flow *f)
{
    taut_mem_free(context, f->code);
    taut_mem_free(context, f->literals);
    taut_mem_free(context, f->notes);
    *f = (step_flow){ 0 };
}
