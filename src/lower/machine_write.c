/* A function: which of the processor's registers holds which number, and which instructions its target is asked for. */
#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE
#include "base/elementary.h"

#define VALUE_TYPE real
#define MATH ELEMENTARY
#define VALUE_ELEMENTARY
#include "expr/values.h"

/* As far as the processor's registers are known. */
static void find_next_reads(machine *m, const step_flow *t)
{
    const size_t values = value_count(m->p);
    if (taut_mem_grow(m->p->context, &m->next, &m->next_capacity, (size_t)t->count + 1, sizeof *m->next)) {
        m->failed = 1;
        return;
    }
    memset(m->last, 0xff, values * sizeof *m->last);
    for (uint32_t i = t->count; i-- > 0;) {
        const program_instruction *c = &t->code[i];
        uint32_t read[3], next[3] = { NEVER, NEVER, NEVER };
        const int count = X(step_flow_operands)(c, read);
        if (machine_divides(c)) memset(m->last, 0xff, values * sizeof *m->last);
        const uint32_t target = flow_has_target(c) ? m->last[c->target] : NEVER;
        if (flow_has_target(c)) m->last[c->target] = NEVER; /* what it was is not read behind this */
        for (int k = 0; k < count; k++) next[k] = m->last[read[k]];
        for (int k = 0; k < count; k++) m->last[read[k]] = i;
        m->next[i] = (next_reads){ next[0], next[1], next[2], target };
    }
}

/* ---- bytes ---- */

/* Why a function is left: numbers up to this one. */
enum { LEAVES_MOST = (int)WAY_OTHER > (int)FLOW_NOT_FINITE ? (int)WAY_OTHER : (int)FLOW_NOT_FINITE };

/* Room for an instruction; 0: there is none. */
static int room(machine *m)
{
    if (m->capacity - m->count >= INSTRUCTION_MOST && !m->failed) return 1;
    m->failed = m->failed || taut_mem_grow(m->p->context, &m->bytes, &m->capacity, m->count + INSTRUCTION_MOST, 1);
    return !m->failed;
}

/* ---- registers of the processor ---- */

static void write_back(machine *m, unsigned r)
{
    m->target->store(m, r, m->registers[r].value);
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

unsigned X(machine_take)(machine *m)
{
    const unsigned free = m->all & ~(m->used | m->locked);
    if (free) return (unsigned)__builtin_ctz(free);
    unsigned others = m->all & ~m->locked, best = (unsigned)__builtin_ctz(others);
    uint32_t furthest = distance(m, best);
    while (others &= others - 1) {
        const unsigned r = (unsigned)__builtin_ctz(others);
        const uint32_t far = distance(m, r);
        if (far > furthest) best = r, furthest = far;
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

unsigned X(machine_get)(machine *m, uint32_t value)
{
    unsigned r = m->where[value];
    if (r == NOWHERE) {
        r = X(machine_take)(m);
        m->target->load(m, r, value);
        hold(m, r, value, 0, 0);
    }
    m->locked |= 1u << r;
    return r;
}

void X(machine_pass)(machine *m, uint32_t value, uint32_t next)
{
    const unsigned r = m->where[value];
    if (r == NOWHERE) return;
    m->registers[r].next = next;
    m->locked &= ~(1u << r);
    if (next == NEVER) release(m, r);
}

void X(machine_set)(machine *m, unsigned r, uint32_t value, uint32_t next)
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

int X(machine_stays_in_memory)(const machine *m, uint32_t value, uint32_t next)
{
    return m->target->reads_memory && m->where[value] == NOWHERE && (next == NEVER || next - m->now > FAR);
}

/* a and b change places where that saves a load. */
static void put_binary(machine *m, const program_instruction *c, const next_reads *next)
{
    uint32_t a = c->a, b = c->b;
    const int either = c->op == OP_ADD || c->op == OP_MUL, a_stays = X(machine_stays_in_memory)(m, a, next->a);
    if (either && a_stays && !X(machine_stays_in_memory)(m, b, next->b)) a = c->b, b = c->a;
    const unsigned first = X(machine_get)(m, a);
    if (!X(machine_stays_in_memory)(m, b, b == c->b ? next->b : next->a)) X(machine_get)(m, b);
    const unsigned second = m->where[b];
    X(machine_pass)(m, c->a, next->a), X(machine_pass)(m, c->b, next->b);
    m->locked = 0;
    const unsigned target = X(machine_take)(m);
    m->target->binary(m, c->op, target, first, second, b);
    X(machine_set)(m, target, c->target, next->target);
}

/* A copy that is only read from memory later on. */
static void put_copy(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned a = X(machine_get)(m, c->a);
    m->target->store(m, a, c->target);
    if (m->where[c->target] != NOWHERE) release(m, m->where[c->target]); /* what it was */
    X(machine_pass)(m, c->a, next->a);
    m->locked = 0;
}

/* One operand in a register. */
static void put_unary(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned a = X(machine_get)(m, c->a);
    X(machine_pass)(m, c->a, next->a);
    const unsigned target = X(machine_take)(m);
    m->target->unary(m, c->op, target, a);
    X(machine_set)(m, target, c->target, next->target);
}

/* a a, or a a a. */
static void put_power(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned a = X(machine_get)(m, c->a);
    if (c->b != 3) X(machine_pass)(m, c->a, next->a);
    const unsigned target = X(machine_take)(m);
    m->target->binary(m, OP_MUL, target, a, a, c->a);
    if (c->b == 3) m->target->binary(m, OP_MUL, target, target, a, c->a), X(machine_pass)(m, c->a, next->a);
    X(machine_set)(m, target, c->target, next->target);
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
    const int count = X(step_flow_operands)(c, read);
    called *const function = functions[c->op];
    for (unsigned r = 0; r < PROCESSOR_REGISTERS; r++) {
        if (m->registers[r].is_ahead) write_back(m, r);
        release(m, r);
    }
    m->target->load(m, 0, c->a);
    if (count == 2) m->target->load(m, 1, c->b);
    m->target->call(m, (uint64_t)(uintptr_t)function, c->b);
    X(machine_set)(m, 0, c->target, next->target);
}

/* The jump that was put is to be completed. */
static void add_jump(machine *m, uint32_t to, int leaves)
{
    if (taut_mem_grow(m->p->context, &m->jumps, &m->jump_capacity, m->jump_count + 1, sizeof *m->jumps))
        m->failed = 1;
    else
        m->jumps[m->jump_count++] = (struct jump){ m->count, to, leaves };
}

/* Unless a > b, or a >= b; also where one is no number. */
static void put_unless(machine *m, int or_equal, uint32_t a, uint32_t b, uint32_t to, int leaves)
{
    const unsigned first = X(machine_get)(m, a);
    m->target->jump_unless(m, or_equal, first, X(machine_get)(m, b));
    add_jump(m, to, leaves);
}

/* What the registers of the processor hold is in memory, too, where it is read again. */
static void forget_registers(machine *m)
{
    for (unsigned r = 0; r < PROCESSOR_REGISTERS; r++) release(m, r);
}

static void put_exit(machine *m, const program_instruction *c, const next_reads *next)
{
    const uint32_t zero = m->p->flow.literal_first + FLOW_ZERO;
    const int leaves = c->op == FLOW_LEAVE_UNLESS_ABOVE || c->op == FLOW_LEAVE_UNLESS_LEAST;
    if (leaves) {
        put_unless(m, c->op == FLOW_LEAVE_UNLESS_LEAST, c->a, c->b, c->c, 1);
        X(machine_pass)(m, c->a, next->a);
        if (c->b != c->a) X(machine_pass)(m, c->b, next->b);
    } else if (c->op == FLOW_NEXT) { /* a truth: unless 0 >= a */
        put_unless(m, 1, zero, c->a, c->c, 0);
        X(machine_pass)(m, c->a, next->a);
        if (m->where[zero] != NOWHERE) release(m, m->where[zero]);
    } else if (c->op == FLOW_IF) {
        put_unless(m, 0, c->a, zero, c->c, 0);
    } else if (c->op == FLOW_REPEAT) {
        m->target->jump(m);
        add_jump(m, c->c, 0);
    }
    if (machine_divides(c)) forget_registers(m);
    m->locked = 0;
}

/* target = 1 where a < b, or a <= b; otherwise 0. */
static void put_truth(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned a = X(machine_get)(m, c->a), b = X(machine_get)(m, c->b);
    X(machine_pass)(m, c->a, next->a);
    if (c->b != c->a) X(machine_pass)(m, c->b, next->b);
    m->locked = 0;
    const unsigned target = X(machine_take)(m);
    m->target->truth(m, c->op == FLOW_AT_MOST, target, a, b);
    X(machine_set)(m, target, c->target, next->target);
}

static void put_instruction(machine *m, const program_instruction *c, const next_reads *next)
{
    m->locked = 0;
    switch (c->op) {
    case PROGRAM_MULTIPLY_ADD: case PROGRAM_MULTIPLY_SUBTRACT: case PROGRAM_SUBTRACT_PRODUCT:
        m->target->fused(m, c, next);
        break;
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: case OP_MIN: case OP_MAX: put_binary(m, c, next); break;
    case OP_NEG: case OP_ABS: case OP_SQRT: put_unary(m, c, next); break;
    case PROGRAM_MOVE: (next->target == NEVER ? put_copy : put_unary)(m, c, next); break;
    case OP_POWI: (c->b == 2 || c->b == 3 ? put_power : put_call)(m, c, next); break;
    case FLOW_BELOW: case FLOW_AT_MOST: put_truth(m, c, next); break;
    default: (c->op >= FLOW_EXITS ? put_exit : put_call)(m, c, next); break;
    }
}

/* ---- a function ---- */

/* Where they go, by the instructions of the function; those that leave it go to what says why. */
static void complete_jumps(machine *m)
{
    for (size_t i = 0; i < m->jump_count; i++)
        if (!m->jumps[i].leaves) m->target->complete(m, m->jumps[i].at, m->begins[m->jumps[i].to]);
    for (uint32_t why = 1; why <= LEAVES_MOST; why++) {
        int any = 0;
        for (size_t i = 0; i < m->jump_count; i++)
            if (m->jumps[i].leaves && m->jumps[i].to == why)
                m->target->complete(m, m->jumps[i].at, m->count), any = 1;
        if (any) m->target->end(m, why);
    }
    m->jump_count = 0;
}

size_t X(machine_write)(machine *m)
{
    const size_t at = m->count;
    const step_flow *f = &m->joined;
    find_next_reads(m, f);
    if (taut_mem_grow(m->p->context, &m->begins, &m->begin_capacity, (size_t)f->count + 1, sizeof *m->begins)) m->failed = 1;
    if (!room(m)) return at;
    m->target->begin(m);
    for (uint32_t i = 0; room(m) && i < f->count; i++) {
        m->now = i, m->begins[i] = m->count;
        put_instruction(m, &f->code[i], &m->next[i]);
    }
    if (!room(m)) return at;
    m->begins[f->count] = m->count;
    m->target->end(m, 0);
    complete_jumps(m);
    forget_registers(m);
    return at;
}

void X(machine_write_before)(machine *m)
{
    if (m->target->before && room(m)) m->target->before(m);
}
#endif
