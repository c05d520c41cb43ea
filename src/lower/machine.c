#include "lower/machine.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(TAUT_REAL_QUAD) && !defined(TAUT_NO_NATIVE)
#include <string.h>

#include "base/elementary.h"
#include "native/native.h"

#define VALUE_TYPE real
#define MATH ELEMENTARY
#define VALUE_ELEMENTARY
#include "expr/values.h"

/* Numbers are in memory at their place among the program's registers, to which rbx points, or in the state's block, to
   which rbp points; some of them in a register of the processor, too, or instead where only one function reads them. */
enum { PROCESSOR_REGISTERS = 32 }; /* with AVX-512; otherwise half of them */
#define NEVER UINT32_MAX
#define NOWHERE 0xff

typedef struct {
    uint32_t value;
    uint32_t next;            /* instruction of the tape that reads it next */
    int is_ahead;             /* of what stands in memory */
} processor_register;

typedef struct {
    uint32_t a, b, c, target; /* when operands, and the result, are read again; NEVER: not in this tape */
} next_reads;

typedef struct {
    program *p;
    unsigned char *bytes;
    size_t count, capacity;
    int failed;               /* out of memory */
    unsigned char *lasts;     /* of each value: others than its tape read it */
    unsigned char *lasts_whole; /* the same where a function is a whole step */
    unsigned char *where;     /* register of the processor, or NOWHERE */
    uint32_t *last;           /* work: the read that was found last, going backwards */
    segment joined;           /* tapes that become one function */
    segment ordered;          /* work: the same in another order */
    int passing;              /* of PROGRAM_PASSING: the last that was given out */
    size_t *leaves;           /* behind jumps to the end of the function */
    size_t leave_count, leave_capacity;
    next_reads *next;         /* of the instructions of a tape */
    size_t next_capacity;
    processor_register registers[PROCESSOR_REGISTERS];
    unsigned all;             /* registers there are: a mask */
    unsigned used;            /* those that hold a value */
    unsigned locked;          /* those that the instruction at hand needs */
    uint32_t now;             /* the instruction at hand */
} machine;

/* Operations of machine code alone: the function ends here where a is no number; unless a > b; unless a >= b. */
enum { MACHINE_LEAVE = PROGRAM_OPERATIONS, MACHINE_ABOVE, MACHINE_NOT_BELOW };

/* Numbers behind those of WORK, which stand before the code. */
enum { FIXED_SOUND, FIXED_LEAST, FIXED_LINEAR, FIXED_TWO, FIXED_ONE, FIXED_OF_PHASES };

static uint32_t fixed(const machine *m, int which) { return m->p->register_count + PROGRAM_WORK + (uint32_t)which; }
static uint32_t enough_of(const machine *m, int phase) { return fixed(m, FIXED_OF_PHASES + 2 * phase); }
static uint32_t rest_of(const machine *m, int phase) { return enough_of(m, phase) + 1; }

/* All that has a place. */
static size_t value_count(const program *p)
{
    return (size_t)p->register_count + PROGRAM_WORK + FIXED_OF_PHASES + 2 * (size_t)p->phase_count;
}

static int operands(const program_instruction *c, uint32_t list[3])
{
    const int sum = c->op > PROGRAM_MOVE && c->op < PROGRAM_END;
    list[0] = c->a, list[1] = c->b, list[2] = c->c;
    if (c->op == OP_ADD || c->op == OP_SUB || c->op == OP_MUL) return 2; /* nearly all of them */
    if (sum) return 3;
    if (c->op >= OP_COUNT) return c->op > MACHINE_LEAVE ? 2 : 1;
    return !op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2 ? 2 : 1;
}

static void mark_list(machine *m, const uint32_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) m->lasts[list[i]] = 1;
}

/* ---- functions: tapes one after the other ---- */

/* Behind the registers. */
enum { WORK_RETURNED, WORK_SUM, WORK_TERM, WORK_DIFFERENCE, WORK_BEFORE = PROGRAM_BEFORE };

/* A number of work that was not used for long: what is computed side by side does not share one. */
static uint32_t passing(machine *m)
{
    m->passing = (m->passing + 1) % (PROGRAM_WORK - PROGRAM_PASSING);
    return m->p->register_count + PROGRAM_PASSING + (uint32_t)m->passing;
}

static uint32_t work(const machine *m, int which) { return m->p->register_count + (uint32_t)which; }

static void add_instruction(machine *m, uint32_t o, uint32_t target, uint32_t a, uint32_t b)
{
    segment *t = &m->joined;
    if (m->failed || taut_mem_grow(m->p->context, &t->code, &t->capacity, (size_t)t->count + 1, sizeof *t->code))
        m->failed = 1;
    else
        t->code[t->count++] = (program_instruction){ o, target, a, b, 0 };
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

static void add_correction(machine *m, const program_phase *f)
{
    for (uint32_t i = 0; i < f->size; i++)
        add_instruction(m, OP_SUB, f->unknowns[i], f->unknowns[i], f->changes[i]);
    if (f->iteration.twice) add_size(m, f, f->firsts, work(m, WORK_BEFORE));
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

/* x + d with what rounding leaves over, as `add` of program.c; numbers of the state by their places in its block. */
static void add_sum(machine *m, uint32_t x, uint32_t low, uint32_t d)
{
    const uint32_t y = passing(m), sum = passing(m), difference = passing(m);
    x += m->p->state_first, low += m->p->state_first;
    add_instruction(m, OP_ADD, y, d, low);
    add_instruction(m, OP_ADD, sum, x, y);
    add_instruction(m, OP_SUB, difference, sum, x);
    add_instruction(m, OP_SUB, low, y, difference);
    add_instruction(m, PROGRAM_MOVE, x, sum, 0);
}

/* What `finish` of program.c does. */
static void add_new_state(machine *m)
{
    const program *p = m->p;
    const uint32_t n = p->s->n, c = p->s->c, first = p->state_first;
    for (uint32_t i = 0; i < n; i++) add_sum(m, i, 3 * n + i, p->move[i]);
    for (uint32_t i = 0; i < n; i++) {
        if (p->sets_momentum) {
            add_instruction(m, PROGRAM_MOVE, first + n + i, p->push[i], 0);
            add_instruction(m, OP_SUB, first + 4 * n + i, p->push[i], p->push[i]); /* zero */
        } else {
            add_sum(m, n + i, 4 * n + i, p->push[i]);
        }
        add_instruction(m, PROGRAM_MOVE, first + 2 * n + i, p->w ? p->w[i] : first + n + i, 0);
    }
    if (p->has_work) add_sum(m, 5 * n + c + 1, 5 * n + c + 2, p->work);
    for (uint32_t k = 0; p->lambda && k < c; k++) add_instruction(m, PROGRAM_MOVE, first + 5 * n + k, p->lambda[k], 0);
}

/* Functions of a program. */
typedef enum { SETUP, RESULTS, PREPARED, FIRST, RENEWED, AGAIN, WHOLE } function_kind;
#define KINDS_OF_PHASE 4

/* From this length of its matrix on, a phase has what comes before its first round apart, and the code of that round
   once. */
enum { APART_FROM = 400 };

static void join(machine *m, const program_phase *f, function_kind kind)
{
    m->joined.count = 0;
    if (kind == SETUP || kind == RESULTS) add_tape(m, kind == SETUP ? &m->p->setup : &m->p->results);
    if (kind == RESULTS && m->p->machine_finishes) add_test(m), add_new_state(m);
    if (!f) return;
    if (kind <= FIRST) {
        add_tape(m, &f->begin);
        for (uint32_t i = 0; i < f->size; i++) add_instruction(m, PROGRAM_MOVE, f->unknowns[i], f->guesses[i], 0);
    }
    if (!f->size || kind == PREPARED) return;
    add_tape(m, &f->residual);
    if (kind != AGAIN) add_tape(m, &f->factor);
    add_tape(m, &f->solve);
    add_correction(m, f);
}

/* The matrix of an earlier round is never used where it is formed in every one. */
static int is_needed(const program_phase *f, function_kind kind)
{
    const int apart = f->size && f->factor.count >= APART_FROM;
    switch (kind) {
    case PREPARED: return apart;
    case FIRST: return !apart;
    case RENEWED: return f->size > 0;
    case AGAIN: return f->size && !f->iteration.always;
    case SETUP: case RESULTS: case WHOLE: break;
    }
    return 0;
}

/* ---- whole steps ---- */

/* Longer functions gain little. */
enum { WHOLE_LENGTH = 1500 };

/* The rounds of a phase in the i-th function for whole steps. */
static int rounds_of(const program_phase *f, int i)
{
    if (!f->size) return 0;
    return f->iteration.linear ? 1 : f->iteration.twice ? i + 1 : i + 2;
}

/* Linear phases, and those with a new matrix in every round. */
static int can_be_whole(const program *p)
{
    uint32_t length = 0;
    if (!p->machine_finishes) return 0;
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        if (f->size && !f->iteration.linear && (!f->iteration.always || f->iteration.skip_first)) return 0;
        length += f->residual.count + f->factor.count + f->solve.count;
    }
    return p->phase_count > 0 && length <= WHOLE_LENGTH;
}

/* All pivots are more than this part of what they are made of. */
static void add_pivots(machine *m, const program_phase *f, uint32_t part)
{
    for (uint32_t i = 0; i < f->check_count; i++) {
        const uint32_t a = passing(m), b = passing(m);
        add_instruction(m, OP_ABS, a, f->checks[i].pivot, 0);
        add_instruction(m, OP_ABS, b, f->checks[i].reference, 0);
        add_instruction(m, OP_MUL, b, b, part);
        add_instruction(m, MACHINE_ABOVE, b, a, b);
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

/* What iteration_judge says, and with pivots that are sound: the function is left where it is something else. */
static void add_judgement(machine *m, const program_phase *f, int index, int round, int is_last)
{
    const uint32_t size = work(m, WORK_RETURNED), before = work(m, WORK_BEFORE), a = passing(m), b = passing(m);
    const uint32_t enough = enough_of(m, index), rest = rest_of(m, index);
    if (f->iteration.linear) {
        add_instruction(m, MACHINE_NOT_BELOW, a, fixed(m, FIXED_LINEAR), size);
    } else if (f->iteration.twice) {
        add_instruction(m, OP_MUL, a, size, size);
        add_instruction(m, OP_MUL, b, rest, before);
        if (is_last) {
            add_instruction(m, MACHINE_NOT_BELOW, a, b, a);
            add_instruction(m, MACHINE_NOT_BELOW, a, fixed(m, FIXED_LINEAR), before);
        } else {
            add_instruction(m, MACHINE_ABOVE, a, a, b);
            add_instruction(m, MACHINE_ABOVE, a, before, enough);
            add_instruction(m, OP_MUL, a, size, fixed(m, FIXED_TWO));
            add_instruction(m, MACHINE_NOT_BELOW, a, before, a);
        }
    } else {
        if (!is_last) add_instruction(m, MACHINE_ABOVE, a, size, enough);
        if (round == 0) return;
        const uint32_t rate = passing(m);
        add_instruction(m, OP_DIV, rate, size, before);
        add_instruction(m, OP_MUL, a, rate, size);
        add_instruction(m, OP_MUL, a, a, rate);
        if (is_last) {
            add_instruction(m, MACHINE_NOT_BELOW, b, rest, a);
            add_instruction(m, MACHINE_ABOVE, b, fixed(m, FIXED_ONE), rate);
        } else {
            add_instruction(m, MACHINE_ABOVE, b, a, rest);
            add_instruction(m, OP_MUL, a, rate, fixed(m, FIXED_TWO));
            add_instruction(m, MACHINE_NOT_BELOW, b, fixed(m, FIXED_ONE), a);
        }
    }
}

static void join_whole_phase(machine *m, const program_phase *f, int index, int rounds)
{
    const int twice = f->iteration.twice, plain = !twice && !f->iteration.linear;
    add_tape(m, &f->begin);
    for (uint32_t i = 0; i < f->size; i++) add_instruction(m, PROGRAM_MOVE, f->unknowns[i], f->guesses[i], 0);
    for (int k = 0; k < rounds; k++) {
        const uint32_t size = work(m, WORK_RETURNED), before = work(m, WORK_BEFORE);
        add_tape(m, &f->residual);
        add_tape(m, &f->factor);
        add_tape(m, &f->solve);
        for (uint32_t i = 0; i < f->size; i++)
            add_instruction(m, OP_SUB, f->unknowns[i], f->unknowns[i], f->changes[i]);
        add_pivots(m, f, fixed(m, plain ? FIXED_LEAST : FIXED_SOUND));
        if (twice) add_whole_size(m, f, f->firsts, before);
        if (plain && k > 0) add_instruction(m, PROGRAM_MOVE, before, size, 0);
        add_whole_size(m, f, twice ? f->seconds : f->changes, size);
        add_judgement(m, f, index, k, k == rounds - 1);
    }
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
    add_instruction(m, MACHINE_LEAVE, passing(m), sum, 0);
}

/* ---- the order of instructions ---- */

/* Processors look some hundred instructions ahead, not to the end of a step. So those come first that most others wait
   for, and what only decides whether the iteration has ended goes where they wait themselves: for a division, say. */
typedef struct {
    uint32_t first, left;     /* of its followers in the list of edges; those it waits for */
    uint32_t height, ready;   /* cycles from here to the end; and when its operands are there */
} waiting;

typedef struct {
    uint32_t to, next;
} edge;

typedef struct {
    waiting *w;
    edge *edges;
    size_t edge_count, edge_capacity;
    uint32_t *write, *reads;  /* of a value: the instruction that computed it, and the list of its readers since */
    edge *readers;
    size_t reader_count, reader_capacity;
    uint32_t *ready;          /* instructions that wait for nothing more */
} ordering;

enum { ISSUED = 3 };          /* operations a cycle, or nearly so */

static uint32_t latency(const program_instruction *c)
{
    if (c->op == OP_DIV) return 13;
    if (c->op == OP_SQRT) return 20;
    if (c->op == OP_ABS || c->op == OP_NEG || c->op == PROGRAM_MOVE || c->op > PROGRAM_END) return 1;
    if (c->op > PROGRAM_MOVE || (c->op == OP_POWI && c->b == 3)) return 6;
    return c->op < OP_ADD || c->op > OP_DIV ? 4 : 3;
}

static void add_edge(machine *m, ordering *o, uint32_t from, uint32_t to)
{
    if (from == NEVER || from == to || m->failed) return;
    if (taut_mem_grow(m->p->context, &o->edges, &o->edge_capacity, o->edge_count + 1, sizeof *o->edges)) {
        m->failed = 1;
        return;
    }
    o->edges[o->edge_count] = (edge){ to, o->w[from].first };
    o->w[from].first = (uint32_t)o->edge_count++;
    o->w[to].left++;
}

static void add_reader(machine *m, ordering *o, uint32_t value, uint32_t i)
{
    if (m->failed || taut_mem_grow(m->p->context, &o->readers, &o->reader_capacity, o->reader_count + 1,
                                   sizeof *o->readers)) {
        m->failed = 1;
        return;
    }
    o->readers[o->reader_count] = (edge){ i, o->reads[value] };
    o->reads[value] = (uint32_t)o->reader_count++;
}

/* Who waits for whom: for operands; to overwrite what others read; and to write the state until nothing can be left. */
static void find_edges(machine *m, ordering *o)
{
    const program *p = m->p;
    const segment *t = &m->joined;
    for (uint32_t i = 0; !m->failed && i < t->count; i++) {
        const program_instruction *c = &t->code[i];
        uint32_t read[3];
        for (int k = operands(c, read); k-- > 0;) add_edge(m, o, o->write[read[k]], i), add_reader(m, o, read[k], i);
        if (c->op >= MACHINE_LEAVE) continue;
        const uint32_t target = c->target;
        add_edge(m, o, o->write[target], i);
        for (uint32_t k = o->reads[target]; !m->failed && k != NEVER; k = o->readers[k].next)
            add_edge(m, o, o->readers[k].to, i);
        o->write[target] = i, o->reads[target] = NEVER;
        if (target < p->state_first || target >= p->state_first + p->state_count) continue;
        for (uint32_t k = 0; k < i; k++)
            if (t->code[k].op >= MACHINE_LEAVE) add_edge(m, o, k, i);
    }
}

static void find_heights(const machine *m, ordering *o)
{
    for (uint32_t i = m->joined.count; i-- > 0;) {
        uint32_t most = 0;
        for (uint32_t k = o->w[i].first; k != NEVER; k = o->edges[k].next)
            if (o->w[o->edges[k].to].height > most) most = o->w[o->edges[k].to].height;
        o->w[i].height = most + latency(&m->joined.code[i]);
    }
}

/* Among those whose operands are there, the one that most wait for; if there is none, the one that is first. */
static uint32_t choose(const ordering *o, uint32_t count, uint32_t now)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < count; k++) {
        const waiting *a = &o->w[o->ready[k]], *b = &o->w[o->ready[best]];
        const uint32_t late_a = a->ready > now ? a->ready - now : 0, late_b = b->ready > now ? b->ready - now : 0;
        if (late_a < late_b || (late_a == late_b && a->height > b->height)) best = k;
    }
    return best;
}

static void put_in_order(machine *m, ordering *o)
{
    const uint32_t count = m->joined.count;
    uint32_t ready = 0, done = 0, cycles = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!o->w[i].left) o->ready[ready++] = i;
    while (ready) {
        const uint32_t at = choose(o, ready, cycles / ISSUED), i = o->ready[at], now = cycles / ISSUED;
        const uint32_t begins = o->w[i].ready > now ? o->w[i].ready : now;
        o->ready[at] = o->ready[--ready];
        m->ordered.code[done++] = m->joined.code[i];
        cycles = begins * ISSUED > cycles ? begins * ISSUED + 1 : cycles + 1;
        for (uint32_t k = o->w[i].first; k != NEVER; k = o->edges[k].next) {
            waiting *w = &o->w[o->edges[k].to];
            const uint32_t there = begins + latency(&m->joined.code[i]);
            if (there > w->ready) w->ready = there;
            if (!--w->left) o->ready[ready++] = o->edges[k].to;
        }
    }
    memcpy(m->joined.code, m->ordered.code, count * sizeof *m->joined.code);
}

static void order(machine *m)
{
    taut_context *context = m->p->context;
    const size_t values = value_count(m->p), count = m->joined.count;
    ordering o = { .w = taut_mem_new(context, count + 1, sizeof *o.w),
                   .write = taut_mem_new(context, 2 * values, sizeof *o.write),
                   .ready = taut_mem_new(context, count + 1, sizeof *o.ready) };
    if (!o.w || !o.write || !o.ready ||
        taut_mem_grow(context, &m->ordered.code, &m->ordered.capacity, count + 1, sizeof *m->ordered.code))
        m->failed = 1;
    if (!m->failed) {
        o.reads = o.write + values;
        memset(o.write, 0xff, 2 * values * sizeof *o.write);
        for (size_t i = 0; i < count; i++) o.w[i].first = NEVER;
        find_edges(m, &o);
    }
    if (!m->failed) find_heights(m, &o), put_in_order(m, &o);
    taut_mem_free(context, o.w);
    taut_mem_free(context, o.edges);
    taut_mem_free(context, o.write);
    taut_mem_free(context, o.readers);
    taut_mem_free(context, o.ready);
}

static void join_whole(machine *m, int which)
{
    const program *p = m->p;
    m->joined.count = 0;
    for (int k = 0; k < p->phase_count; k++) join_whole_phase(m, &p->phases[k], k, rounds_of(&p->phases[k], which));
    add_tape(m, &p->results);
    add_whole_test(m);
    add_new_state(m);
    order(m);
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
              is_of_state(p, p->lambda, c) || is_of_state(p, p->reported, c) || is_of_state(p, &p->work, 1);
    for (int k = 0; k < p->phase_count; k++)
        for (uint32_t i = 0; i < p->phases[k].check_count; i++)
            any |= is_of_state(p, &p->phases[k].checks[i].pivot, 1) ||
                   is_of_state(p, &p->phases[k].checks[i].reference, 1);
    return !any;
}

/* What a function reads before it computes it comes from another one, or from an earlier round. */
static void mark_function(machine *m, const program_phase *f, function_kind kind, uint32_t number)
{
    join(m, f, kind);
    for (uint32_t i = 0; !m->failed && i < m->joined.count; i++) {
        uint32_t read[3];
        for (int k = operands(&m->joined.code[i], read); k-- > 0;)
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
        for (int kind = PREPARED; kind <= AGAIN; kind++)
            if (is_needed(f, kind)) mark_function(m, f, kind, number++);
        mark_list(m, f->unknowns, f->size);
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
    if (!p->machine_finishes) m->lasts[p->work] = 1;
}

static void find_next_reads(machine *m, const segment *t)
{
    const size_t values = value_count(m->p);
    if (taut_mem_grow(m->p->context, &m->next, &m->next_capacity, (size_t)t->count + 1, sizeof *m->next)) {
        m->failed = 1;
        return;
    }
    memset(m->last, 0xff, values * sizeof *m->last);
    for (uint32_t i = t->count; i-- > 0;) {
        uint32_t read[3], next[3] = { NEVER, NEVER, NEVER };
        const int count = operands(&t->code[i], read);
        const uint32_t target = m->last[t->code[i].target];
        if (t->code[i].op < MACHINE_LEAVE) m->last[t->code[i].target] = NEVER; /* what it was is not read behind this */
        for (int k = 0; k < count; k++) next[k] = m->last[read[k]];
        for (int k = 0; k < count; k++) m->last[read[k]] = i;
        m->next[i] = (next_reads){ next[0], next[1], next[2], target };
    }
}

/* ---- bytes ---- */

/* What one instruction of a tape becomes has fewer bytes: a call, before which 32 registers are stored, has 400. */
enum { ROOM = 512 };

/* Room for an instruction; 0: there is none. */
static int room(machine *m)
{
    if (m->capacity - m->count >= ROOM && !m->failed) return 1;
    if (m->failed || taut_mem_grow(m->p->context, &m->bytes, &m->capacity, m->count + ROOM, 1)) m->failed = 1;
    return !m->failed;
}

/* These need room. */
static void put(machine *m, unsigned byte) { m->bytes[m->count++] = (unsigned char)byte; }

static void put_bytes(machine *m, const void *from, size_t count)
{
    memcpy(m->bytes + m->count, from, count);
    m->count += count;
}

/* Prefixes of the operations that are used, in VEX's code; all are in the map 0F. */
enum { PREFIX_66 = 1, PREFIX_F2 = 3 };
enum { MASKS = 32 };          /* bytes before the numbers that stand before the code */
enum { LOAD = 0x10, STORE = 0x11, MOVE = 0x28, COMPARE = 0x2e, SQRT = 0x51, AND = 0x54, XOR = 0x57,
       ADD = 0x58, MULTIPLY = 0x59, SUBTRACT = 0x5c, LESSER = 0x5d, DIVIDE = 0x5e, GREATER = 0x5f };

/* Registers above xmm15 need the prefix of AVX-512. */
static void put_evex(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first, unsigned second)
{
    put(m, 0x62);
    put(m, (~target & 8) << 4 | (~second & 16) << 2 | (~second & 8) << 2 | (~target & 16) | 1);
    put(m, 0x80 | (~first & 15) << 3 | 4 | prefix);
    put(m, (~first & 16) >> 1);
    put(m, operation);
}

static int needs_evex(unsigned target, unsigned first, unsigned second) { return (target | first | second) > 15; }

/* first: xmm register, or 0 where the operation has none; second: the same, and 0 where it is in memory */
static void put_prefix(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first,
                       unsigned second)
{
    const unsigned rest = (~first & 15) << 3 | prefix;
    if (needs_evex(target, first, second)) {
        put_evex(m, prefix, operation, target, first, second);
        return;
    }
    if (second >= 8)
        put(m, 0xc4), put(m, (target < 8 ? 0x80u : 0) | 0x40 | 1), put(m, rest);
    else
        put(m, 0xc5), put(m, (target < 8 ? 0x80u : 0) | rest);
    put(m, operation);
}

/* target = first operation second, in registers */
static void put_registers(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first,
                          unsigned second)
{
    put_prefix(m, prefix, operation, target, first, second);
    put(m, 0xc0 | (target & 7) << 3 | (second & 7));
}

/* The same with what stands before the code. */
static void put_before(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first, uint32_t at)
{
    put_prefix(m, prefix, operation, target, first, 0);
    put(m, (target & 7) << 3 | 5); /* rip and a displacement */
    const uint32_t offset = at - (uint32_t)(m->count + 4);
    put_bytes(m, &offset, 4);
}

/* The same with a value in memory. */
static void put_memory(machine *m, unsigned operation, unsigned target, unsigned first, uint32_t value)
{
    const program *p = m->p;
    const int of_state = value >= p->state_first && value < p->state_first + p->state_count;
    if (value >= fixed(m, 0)) {
        put_before(m, PREFIX_F2, operation, target, first, MASKS + (value - fixed(m, 0)) * (uint32_t)sizeof(real));
        return;
    }
    const uint32_t offset = (of_state ? value - p->state_first : value) * (uint32_t)sizeof(real);
    put_prefix(m, PREFIX_F2, operation, target, first, 0);
    const unsigned base = of_state ? 5 : 3; /* rbp or rbx, and a displacement: of AVX-512 in numbers, if it is short */
    const uint32_t unit = needs_evex(target, first, 0) ? sizeof(real) : 1, in_units = offset / unit;
    const int is_short = in_units < 128;
    put(m, (is_short ? 0x40u : 0x80u) | (target & 7) << 3 | base);
    memcpy(m->bytes + m->count, is_short ? &in_units : &offset, 4);
    m->count += is_short ? 1 : 4;
}

/* ---- registers of the processor ---- */

static void write_back(machine *m, unsigned r)
{
    put_memory(m, STORE, r, 0, m->registers[r].value);
    m->registers[r].is_ahead = 0;
}

static void release(machine *m, unsigned r)
{
    if (m->used >> r & 1) m->where[m->registers[r].value] = NOWHERE;
    m->used &= ~(1u << r);
    m->registers[r].is_ahead = 0;
}

/* How well a register is given up: by how far away the next read of its value is. What must be stored for it counts
   half. */
static uint32_t distance(const machine *m, unsigned r)
{
    const uint32_t next = m->registers[r].next;
    if (next == NEVER || next < m->now) return NEVER;
    return (next - m->now) * (m->registers[r].is_ahead ? 1 : 2);
}

/* A free one; if there is none, that whose value is read last. */
static unsigned take(machine *m)
{
    const unsigned free = m->all & ~(m->used | m->locked);
    if (free) return (unsigned)__builtin_ctz(free);
    unsigned others = m->all & ~m->locked, best = (unsigned)__builtin_ctz(others);
    while (others &= others - 1) {
        const unsigned r = (unsigned)__builtin_ctz(others);
        if (distance(m, r) > distance(m, best)) best = r;
    }
    if (m->registers[best].is_ahead) write_back(m, best);
    release(m, best);
    return best;
}

static void hold(machine *m, unsigned r, uint32_t value, uint32_t next, int is_ahead)
{
    m->registers[r] = (processor_register){ value, next, is_ahead };
    m->used |= 1u << r;
    m->where[value] = (unsigned char)r;
}

/* The register that has the value, from now on at least until the instruction is over. */
static unsigned get(machine *m, uint32_t value)
{
    unsigned r = m->where[value];
    if (r == NOWHERE) {
        r = take(m);
        put_memory(m, LOAD, r, 0, value);
        hold(m, r, value, 0, 0);
    }
    m->locked |= 1u << r;
    return r;
}

/* An operand was read. */
static void pass(machine *m, uint32_t value, uint32_t next)
{
    const unsigned r = m->where[value];
    if (r == NOWHERE) return;
    m->registers[r].next = next;
    m->locked &= ~(1u << r);
    if (next == NEVER) release(m, r);
}

/* The result stands in r. */
static void set(machine *m, unsigned r, uint32_t value, uint32_t next)
{
    if (m->where[value] != NOWHERE) release(m, m->where[value]); /* what it was */
    hold(m, r, value, next, 1);
    if (m->lasts[value]) write_back(m, r);
    m->locked = 0;
    if (next == NEVER) release(m, r);
}

/* ---- instructions ---- */

/* Reads that are further apart are both from memory. */
enum { FAR = 12 };

/* Is it better read from memory? */
static int stays_in_memory(const machine *m, uint32_t value, uint32_t next)
{
    return m->where[value] == NOWHERE && (next == NEVER || next - m->now > FAR);
}

/* a and b change places where that saves a load. */
static void put_binary(machine *m, unsigned operation, const program_instruction *c, const next_reads *next)
{
    uint32_t a = c->a, b = c->b;
    const int either = operation == ADD || operation == MULTIPLY;
    if (either && stays_in_memory(m, a, next->a) && !stays_in_memory(m, b, next->b)) a = c->b, b = c->a;
    const unsigned first = get(m, a);
    if (!stays_in_memory(m, b, b == c->b ? next->b : next->a)) get(m, b);
    const unsigned second = m->where[b];
    pass(m, c->a, next->a), pass(m, c->b, next->b);
    m->locked = 0;
    const unsigned target = take(m);
    if (second == NOWHERE)
        put_memory(m, operation, target, first, b);
    else
        put_registers(m, PREFIX_F2, operation, target, first, second);
    set(m, target, c->target, next->target);
}

/* a b + c, a b - c or c - a b. */
static void put_sum(machine *m, const program_instruction *c, const next_reads *next)
{
    uint32_t a = c->a, b = c->b;
    if (stays_in_memory(m, a, next->a) && !stays_in_memory(m, b, next->b)) a = c->b, b = c->a;
    const unsigned first = get(m, a);
    if (!stays_in_memory(m, b, b == c->b ? next->b : next->a)) get(m, b);
    const unsigned second = m->where[b];
    if (c->op == PROGRAM_SUBTRACT_PRODUCT || !stays_in_memory(m, c->c, next->c)) get(m, c->c);
    const unsigned third = m->where[c->c];
    if (c->a != c->c) pass(m, c->a, next->a);
    if (c->b != c->c) pass(m, c->b, next->b);
    const unsigned target = take(m);
    m->locked |= 1u << target;
    if (second == NOWHERE)
        put_memory(m, MULTIPLY, target, first, b);
    else
        put_registers(m, PREFIX_F2, MULTIPLY, target, first, second);
    const unsigned operation = c->op == PROGRAM_MULTIPLY_ADD ? ADD : SUBTRACT;
    if (c->op == PROGRAM_SUBTRACT_PRODUCT)
        put_registers(m, PREFIX_F2, SUBTRACT, target, third, target);
    else if (third == NOWHERE)
        put_memory(m, operation, target, target, c->c);
    else
        put_registers(m, PREFIX_F2, operation, target, target, third);
    pass(m, c->c, next->c);
    set(m, target, c->target, next->target);
}

/* A copy that is only read from memory later on. */
static void put_copy(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned a = get(m, c->a);
    put_memory(m, STORE, a, 0, c->target);
    if (m->where[c->target] != NOWHERE) release(m, m->where[c->target]); /* what it was */
    pass(m, c->a, next->a);
    m->locked = 0;
}

/* One operand in a register; power: a a (2) or a a a (3). */
static void put_unary(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned a = get(m, c->a);
    if (!(c->op == OP_POWI && c->b == 3)) pass(m, c->a, next->a);
    const unsigned target = take(m);
    if (c->op == PROGRAM_MOVE) {
        put_registers(m, PREFIX_66, MOVE, target, 0, a);
    } else if (c->op == OP_NEG) {
        put_before(m, PREFIX_66, XOR, target, a, 0);
    } else if (c->op == OP_ABS) {
        put_before(m, PREFIX_66, AND, target, a, 16);
    } else if (c->op == OP_SQRT) {
        put_registers(m, PREFIX_F2, SQRT, target, a, a);
    } else {
        put_registers(m, PREFIX_F2, MULTIPLY, target, a, a);
        if (c->b == 3) put_registers(m, PREFIX_F2, MULTIPLY, target, target, a), pass(m, c->a, next->a);
    }
    set(m, target, c->target, next->target);
}

/* Functions of C for the other operations. */
typedef real called(real a, real b, int32_t n);
#define CALL_LEAF(NAME, ...)
#define CALL_ENTRY(NAME, ...) [OP_##NAME] = call_##NAME,
#define CALL_FUNCTION(NAME, text, written, value, ...) \
    static real call_##NAME(real a, real b, int32_t n) \
    {                                                  \
        (void)a, (void)b, (void)n;                     \
        return (real)(value);                          \
    }
OPERATIONS(CALL_LEAF, CALL_FUNCTION, CALL_FUNCTION, CALL_FUNCTION)
static called *const functions[OP_COUNT] = { OPERATIONS(CALL_LEAF, CALL_ENTRY, CALL_ENTRY, CALL_ENTRY) };

/* They may use all registers: what is still needed goes to memory. */
static void put_call(machine *m, const program_instruction *c, const next_reads *next)
{
    uint32_t read[3];
    const int count = operands(c, read);
    called *const function = functions[c->op];
    for (unsigned r = 0; r < PROCESSOR_REGISTERS; r++) {
        if (m->registers[r].is_ahead) write_back(m, r);
        release(m, r);
    }
    put_memory(m, LOAD, 0, 0, c->a);
    if (count == 2) put_memory(m, LOAD, 1, 0, c->b);
    put(m, 0xbf), put_bytes(m, &c->b, 4);                        /* mov edi, n */
    put(m, 0x48), put(m, 0xb8), put_bytes(m, &function, 8);      /* mov rax, function */
    put(m, 0xff), put(m, 0xd0);                                  /* call rax */
    set(m, 0, c->target, next->target);
}

static void put_leave(machine *m, const program_instruction *c, const next_reads *next)
{
    static const unsigned char jumps[] = { 0x8a, 0x86, 0x82 }; /* jp, jbe, jb: the latter two also for a NaN */
    const uint32_t second = c->op == MACHINE_LEAVE ? c->a : c->b;
    const unsigned a = get(m, c->a), b = get(m, second);
    put_registers(m, PREFIX_66, COMPARE, a, 0, b);
    put(m, 0x0f), put(m, jumps[c->op - MACHINE_LEAVE]), put_bytes(m, (uint32_t[]){ 0 }, 4); /* to be completed */
    if (taut_mem_grow(m->p->context, &m->leaves, &m->leave_capacity, m->leave_count + 1, sizeof *m->leaves))
        m->failed = 1;
    else
        m->leaves[m->leave_count++] = m->count;
    pass(m, c->a, next->a);
    if (second != c->a) pass(m, second, next->b);
    m->locked = 0;
}

/* The end of the function is here. */
static void complete_leaves(machine *m)
{
    for (size_t i = 0; !m->failed && i < m->leave_count; i++) {
        const uint32_t distance = (uint32_t)(m->count - m->leaves[i]);
        memcpy(m->bytes + m->leaves[i] - 4, &distance, 4);
    }
    m->leave_count = 0;
}

static void put_instruction(machine *m, const program_instruction *c, const next_reads *next)
{
    const uint32_t o = c->op;
    m->locked = 0;
    if (o >= MACHINE_LEAVE) {
        put_leave(m, c, next);
    } else if (o > PROGRAM_MOVE) {
        put_sum(m, c, next);
    } else if (o == PROGRAM_MOVE && next->target == NEVER) {
        put_copy(m, c, next);
    } else if (o == PROGRAM_MOVE || o == OP_NEG || o == OP_ABS || o == OP_SQRT ||
               (o == OP_POWI && (c->b == 2 || c->b == 3))) {
        put_unary(m, c, next);
    } else {
        const unsigned operation = o == OP_ADD   ? ADD
                                   : o == OP_SUB ? SUBTRACT
                                   : o == OP_MUL ? MULTIPLY
                                   : o == OP_DIV ? DIVIDE
                                   : o == OP_MIN ? LESSER /* a < b ? a : b, also for a NaN */
                                   : o == OP_MAX ? GREATER
                                                 : 0;
        if (operation)
            put_binary(m, operation, c, next);
        else
            put_call(m, c, next);
    }
}

/* ---- the code of a program ---- */

/* rounds: of a whole step */
static size_t put_function(machine *m, const program_phase *f, function_kind kind, int rounds)
{
    static const unsigned char begin[] = { 0xf3, 0x0f, 0x1e, 0xfa,  /* endbr64 */
                                           0x53, 0x55, 0x50,        /* push rbx, rbp, and for alignment rax */
                                           0x48, 0x89, 0xfb,        /* mov rbx, rdi */
                                           0x48, 0x89, 0xf5 };      /* mov rbp, rsi */
    static const unsigned char end[] = { 0x58, 0x5d, 0x5b, 0xc3 };  /* pop rax, rbp, rbx; ret */
    const size_t at = m->count;
    if (kind == WHOLE)
        join_whole(m, rounds);
    else
        join(m, f, kind);
    find_next_reads(m, &m->joined);
    if (!room(m)) return at;
    put_bytes(m, begin, sizeof begin);
    for (uint32_t i = 0; room(m) && i < m->joined.count; i++)
        m->now = i, put_instruction(m, &m->joined.code[i], &m->next[i]);
    if (!room(m)) return at;
    if (kind == WHOLE) {
        put_registers(m, PREFIX_66, XOR, 0, 0, 0);
        put_bytes(m, end, sizeof end);
        complete_leaves(m);
        put_memory(m, LOAD, 0, 0, fixed(m, FIXED_ONE));
    } else {
        complete_leaves(m);
        if (kind != SETUP) put_memory(m, LOAD, 0, 0, work(m, WORK_RETURNED));
    }
    put_bytes(m, end, sizeof end);
    for (unsigned r = 0; r < PROCESSOR_REGISTERS; r++) release(m, r);
    return at;
}

static void put_masks(machine *m)
{
    const uint64_t sign = (uint64_t)1 << 63, masks[4] = { sign, sign, ~sign, ~sign };
    const real numbers[FIXED_OF_PHASES] = { [FIXED_SOUND] = PIVOT_SOUND, [FIXED_LEAST] = PIVOT_LEAST,
                                            [FIXED_LINEAR] = LINEAR_SOUND, [FIXED_TWO] = 2, [FIXED_ONE] = 1 };
    if (!room(m)) return;
    put_bytes(m, masks, sizeof masks);
    put_bytes(m, numbers, sizeof numbers);
    for (int k = 0; k < m->p->phase_count && room(m); k++) {
        const iteration *i = &m->p->phases[k].iteration;
        put_bytes(m, (const double[]){ i->enough, i->rest }, 2 * sizeof(double));
    }
}

/* at: where each of them begins; 0: it is not there */
static void put_all(machine *m, size_t *at)
{
    const program *p = m->p;
    put_masks(m);
    *at++ = put_function(m, NULL, SETUP, 0), *at++ = put_function(m, NULL, RESULTS, 0);
    for (int k = 0; k < p->phase_count; k++)
        for (int kind = PREPARED; kind <= AGAIN; kind++)
            *at++ = is_needed(&p->phases[k], kind) ? put_function(m, &p->phases[k], kind, 0) : 0;
    unsigned char *lasts = m->lasts;
    m->lasts = m->lasts_whole;
    for (int i = 0; i < PROGRAM_WHOLE; i++) *at++ = can_be_whole(p) ? put_function(m, NULL, WHOLE, i) : 0;
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
    }
    for (int i = 0; i < PROGRAM_WHOLE; i++) {
        p->whole[i].code = round_at(p, at[i]);
        p->whole[i].rounds = p->whole[i].factorisations = p->whole[i].calls = 0;
        for (int k = 0; k < p->phase_count; k++) {
            const int rounds = rounds_of(&p->phases[k], i);
            p->whole[i].rounds += rounds, p->whole[i].factorisations += rounds, p->whole[i].calls += rounds > 0;
        }
    }
}

int X(machine_create)(program *p)
{
    if (!__builtin_cpu_supports("avx") || p->register_count > INT32_MAX / sizeof(real)) return TAUT_OK;
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
int X(machine_create)(program *p)
{
    (void)p;
    return TAUT_OK;
}
#endif
