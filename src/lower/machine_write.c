/* The bytes of a function: registers of the processor, instructions of x86-64. */
#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE
#include <string.h>

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

/* What one instruction becomes has fewer bytes: a call, before which 32 registers are stored, has 400. */
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

/* Prefixes of the operations that are used, in VEX's code. Operations are in the map 0F; or, with MAP_38, in 0F38. */
enum { PREFIX_66 = 1, PREFIX_F2 = 3 };
enum { LOAD = 0x10, STORE = 0x11, MOVE = 0x28, CONVERT = 0x2a, COMPARE = 0x2e, SQRT = 0x51, AND = 0x54, XOR = 0x57,
       ADD = 0x58, MULTIPLY = 0x59, SUBTRACT = 0x5c, LESSER = 0x5d, DIVIDE = 0x5e, GREATER = 0x5f, MAP_38 = 0x100 };

/* Registers above xmm15 need the prefix of AVX-512. */
static void put_evex(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first, unsigned second)
{
    const unsigned map = operation & MAP_38 ? 2 : 1;
    put(m, 0x62);
    put(m, (~target & 8) << 4 | (~second & 16) << 2 | (~second & 8) << 2 | (~target & 16) | map);
    put(m, 0x80 | (~first & 15) << 3 | 4 | prefix);
    put(m, (~first & 16) >> 1);
    put(m, operation & 0xff);
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
    const unsigned extended = (target < 8 ? 0x80u : 0) | 0x40 | (second < 8 ? 0x20u : 0);
    if (operation & MAP_38)
        put(m, 0xc4), put(m, extended | 2), put(m, 0x80 | rest);
    else if (second >= 8)
        put(m, 0xc4), put(m, extended | 1), put(m, rest);
    else
        put(m, 0xc5), put(m, (target < 8 ? 0x80u : 0) | rest);
    put(m, operation & 0xff);
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
    const unsigned prefix = operation & MAP_38 ? PREFIX_66 : PREFIX_F2;
    const uint32_t offset = (of_state ? value - p->state_first : value) * (uint32_t)sizeof(real);
    put_prefix(m, prefix, operation, target, first, 0);
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

/* Fused: the digits say which of target, first and second operand are factors, and which is added. */
enum { FUSED_132 = MAP_38 | 0x99, FUSED_213 = MAP_38 | 0xa9, FUSED_231 = MAP_38 | 0xb9 };

static void put_fused(machine *m, unsigned operation, unsigned target, unsigned first, uint32_t value)
{
    const unsigned second = m->where[value];
    if (second == NOWHERE)
        put_memory(m, operation, target, first, value);
    else
        put_registers(m, PREFIX_66, operation, target, first, second);
}

/* a b + c, a b - c or c - a b. The result replaces an operand that is not read again; if there is none, a copy of c. */
static void put_sum(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned signs = c->op == PROGRAM_MULTIPLY_ADD ? 0 : c->op == PROGRAM_MULTIPLY_SUBTRACT ? 2 : 4;
    uint32_t a = c->a, b = c->b, next_a = next->a, next_b = next->b;
    /* a is in a register, and is the one that is replaced if it can be */
    const int b_stays = stays_in_memory(m, b, next_b), a_stays = stays_in_memory(m, a, next_a);
    if ((a_stays && !b_stays) || (a_stays == b_stays && next_a != NEVER && next_b == NEVER))
        a = c->b, b = c->a, next_a = next->b, next_b = next->a;
    const unsigned first = get(m, a);
    if (!stays_in_memory(m, b, next_b)) get(m, b);
    if (!stays_in_memory(m, c->c, next->c)) get(m, c->c);
    const unsigned third = m->where[c->c];
    unsigned target = first;
    if (third != NOWHERE && next->c == NEVER) {
        target = third;
        put_fused(m, FUSED_231 + signs, target, first, b);
    } else if (next_a == NEVER && (m->where[b] != NOWHERE || third == NOWHERE)) {
        put_fused(m, FUSED_213 + signs, target, get(m, b), c->c);
    } else if (next_a == NEVER) {
        put_fused(m, FUSED_132 + signs, target, third, b);
    } else {
        target = take(m);
        if (third == NOWHERE)
            put_memory(m, LOAD, target, 0, c->c);
        else
            put_registers(m, PREFIX_66, MOVE, target, 0, third);
        put_fused(m, FUSED_231 + signs, target, first, b);
    }
    pass(m, c->a, next->a), pass(m, c->b, next->b), pass(m, c->c, next->c);
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
    const int count = X(step_flow_operands)(c, read);
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

/* A jump to be completed. */
static void put_jump(machine *m, uint32_t to, int leaves)
{
    put_bytes(m, (uint32_t[]){ 0 }, 4);
    if (taut_mem_grow(m->p->context, &m->jumps, &m->jump_capacity, m->jump_count + 1, sizeof *m->jumps))
        m->failed = 1;
    else
        m->jumps[m->jump_count++] = (struct jump){ m->count, to, leaves };
}

static void complete_jump(machine *m, const struct jump *j, size_t to)
{
    const uint32_t distance = (uint32_t)(to - j->at);
    memcpy(m->bytes + j->at - 4, &distance, 4);
}

/* Unless a > b, or a >= b; also where one is no number. */
static void put_unless(machine *m, int or_equal, uint32_t a, uint32_t b, uint32_t to, int leaves)
{
    put_registers(m, PREFIX_66, COMPARE, get(m, a), 0, get(m, b));
    put(m, 0x0f), put(m, or_equal ? 0x82 : 0x86), put_jump(m, to, leaves); /* jb, jbe */
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
        pass(m, c->a, next->a);
        if (c->b != c->a) pass(m, c->b, next->b);
    } else if (c->op == FLOW_NEXT) { /* a truth: unless 0 >= a */
        put_unless(m, 1, zero, c->a, c->c, 0);
        pass(m, c->a, next->a);
        if (m->where[zero] != NOWHERE) release(m, m->where[zero]);
    } else if (c->op == FLOW_IF) {
        put_unless(m, 0, c->a, zero, c->c, 0);
    } else if (c->op == FLOW_REPEAT) {
        put(m, 0xe9), put_jump(m, c->c, 0); /* jmp */
    }
    if (machine_divides(c)) forget_registers(m);
    m->locked = 0;
}

/* target = 1 where a < b, or a <= b; otherwise 0. */
static void put_truth(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned a = get(m, c->a), b = get(m, c->b);
    put_registers(m, PREFIX_66, COMPARE, b, 0, a);
    put(m, 0x0f), put(m, c->op == FLOW_BELOW ? 0x97 : 0x93), put(m, 0xc0); /* seta, setae al */
    put(m, 0x0f), put(m, 0xb6), put(m, 0xc0);                              /* movzx eax, al */
    pass(m, c->a, next->a);
    if (c->b != c->a) pass(m, c->b, next->b);
    m->locked = 0;
    const unsigned target = take(m);
    put_registers(m, PREFIX_66, XOR, target, target, target);
    put_registers(m, PREFIX_F2, CONVERT, target, target, 0);               /* from eax */
    set(m, target, c->target, next->target);
}

static void put_instruction(machine *m, const program_instruction *c, const next_reads *next)
{
    const uint32_t o = c->op;
    m->locked = 0;
    if (o >= FLOW_EXITS) {
        put_exit(m, c, next);
    } else if (o == FLOW_BELOW || o == FLOW_AT_MOST) {
        put_truth(m, c, next);
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

/* ---- a function ---- */

/* Where they go, by the instructions of the function; those that leave it go to what says why. */
static void complete_jumps(machine *m, const unsigned char *end, size_t end_size)
{
    for (size_t i = 0; i < m->jump_count; i++)
        if (!m->jumps[i].leaves) complete_jump(m, &m->jumps[i], m->begins[m->jumps[i].to]);
    for (uint32_t why = 1; why <= LEAVES_MOST; why++) {
        int any = 0;
        for (size_t i = 0; i < m->jump_count; i++)
            if (m->jumps[i].leaves && m->jumps[i].to == why) complete_jump(m, &m->jumps[i], m->count), any = 1;
        if (any) put(m, 0xb8), put_bytes(m, &why, 4), put_bytes(m, end, end_size); /* mov eax, why */
    }
    m->jump_count = 0;
}

size_t X(machine_write)(machine *m)
{
    static const unsigned char begin[] = { 0xf3, 0x0f, 0x1e, 0xfa,  /* endbr64 */
                                           0x53, 0x55, 0x50,        /* push rbx, rbp, and for alignment rax */
                                           0x48, 0x89, 0xfb,        /* mov rbx, rdi */
                                           0x48, 0x89, 0xf5 };      /* mov rbp, rsi */
    static const unsigned char done[] = { 0x31, 0xc0 };             /* xor eax, eax */
    static const unsigned char end[] = { 0x59, 0x5d, 0x5b, 0xc3 };  /* pop rcx, rbp, rbx; ret */
    const size_t at = m->count;
    const step_flow *f = &m->joined;
    find_next_reads(m, f);
    if (taut_mem_grow(m->p->context, &m->begins, &m->begin_capacity, (size_t)f->count + 1, sizeof *m->begins)) m->failed = 1;
    if (!room(m)) return at;
    put_bytes(m, begin, sizeof begin);
    for (uint32_t i = 0; room(m) && i < f->count; i++) {
        m->now = i, m->begins[i] = m->count;
        put_instruction(m, &f->code[i], &m->next[i]);
    }
    if (!room(m)) return at;
    m->begins[f->count] = m->count;
    put_bytes(m, done, sizeof done), put_bytes(m, end, sizeof end);
    complete_jumps(m, end, sizeof end);
    forget_registers(m);
    return at;
}

void X(machine_write_masks)(machine *m)
{
    const uint64_t sign = (uint64_t)1 << 63, masks[4] = { sign, sign, ~sign, ~sign };
    if (room(m)) put_bytes(m, masks, sizeof masks);
}
#endif
