/* The target x86-64, with AVX and FMA. rbx points to the registers of the program, rbp to the state's block. */
#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE && defined(__x86_64__)
/* Prefixes of the operations that are used, in VEX's code. Operations are in the map 0F; or, with MAP_38, in 0F38. */
enum { PREFIX_66 = 1, PREFIX_F2 = 3 };
enum { LOAD = 0x10, STORE = 0x11, MOVE = 0x28, CONVERT = 0x2a, COMPARE = 0x2e, SQRT = 0x51, AND = 0x54, XOR = 0x57,
       ADD = 0x58, MULTIPLY = 0x59, SUBTRACT = 0x5c, LESSER = 0x5d, DIVIDE = 0x5e, GREATER = 0x5f, MAP_38 = 0x100 };

/* Registers above xmm15 need the prefix of AVX-512. */
static void put_evex(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first, unsigned second)
{
    const unsigned map = operation & MAP_38 ? 2 : 1;
    machine_byte(m, 0x62);
    machine_byte(m, (~target & 8) << 4 | (~second & 16) << 2 | (~second & 8) << 2 | (~target & 16) | map);
    machine_byte(m, 0x80 | (~first & 15) << 3 | 4 | prefix);
    machine_byte(m, (~first & 16) >> 1);
    machine_byte(m, operation & 0xff);
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
        machine_byte(m, 0xc4), machine_byte(m, extended | 2), machine_byte(m, 0x80 | rest);
    else if (second >= 8)
        machine_byte(m, 0xc4), machine_byte(m, extended | 1), machine_byte(m, rest);
    else
        machine_byte(m, 0xc5), machine_byte(m, (target < 8 ? 0x80u : 0) | rest);
    machine_byte(m, operation & 0xff);
}

/* target = first operation second, in registers */
static void put_registers(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first,
                          unsigned second)
{
    put_prefix(m, prefix, operation, target, first, second);
    machine_byte(m, 0xc0 | (target & 7) << 3 | (second & 7));
}

/* The same with what stands before the code. */
static void put_before(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first, uint32_t at)
{
    put_prefix(m, prefix, operation, target, first, 0);
    machine_byte(m, (target & 7) << 3 | 5); /* rip and a displacement */
    const uint32_t offset = at - (uint32_t)(m->count + 4);
    machine_bytes(m, &offset, 4);
}

/* The same with a value in memory. */
static void put_memory(machine *m, unsigned operation, unsigned target, unsigned first, uint32_t value)
{
    const int of_state = machine_is_of_state(m, value);
    const unsigned prefix = operation & MAP_38 ? PREFIX_66 : PREFIX_F2;
    const uint32_t offset = (of_state ? value - m->p->state_first : value) * (uint32_t)sizeof(real);
    put_prefix(m, prefix, operation, target, first, 0);
    const unsigned base = of_state ? 5 : 3; /* rbp or rbx, and a displacement: of AVX-512 in numbers, if it is short */
    const uint32_t unit = needs_evex(target, first, 0) ? sizeof(real) : 1, in_units = offset / unit;
    const int is_short = in_units < 128;
    machine_byte(m, (is_short ? 0x40u : 0x80u) | (target & 7) << 3 | base);
    memcpy(m->bytes + m->count, is_short ? &in_units : &offset, 4);
    m->count += is_short ? 1 : 4;
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
    const int b_stays = X(machine_stays_in_memory)(m, b, next_b), a_stays = X(machine_stays_in_memory)(m, a, next_a);
    if ((a_stays && !b_stays) || (a_stays == b_stays && next_a != NEVER && next_b == NEVER))
        a = c->b, b = c->a, next_a = next->b, next_b = next->a;
    const unsigned first = X(machine_get)(m, a);
    if (!X(machine_stays_in_memory)(m, b, next_b)) X(machine_get)(m, b);
    if (!X(machine_stays_in_memory)(m, c->c, next->c)) X(machine_get)(m, c->c);
    const unsigned third = m->where[c->c];
    unsigned target = first;
    if (third != NOWHERE && next->c == NEVER) {
        target = third;
        put_fused(m, FUSED_231 + signs, target, first, b);
    } else if (next_a == NEVER && (m->where[b] != NOWHERE || third == NOWHERE)) {
        put_fused(m, FUSED_213 + signs, target, X(machine_get)(m, b), c->c);
    } else if (next_a == NEVER) {
        put_fused(m, FUSED_132 + signs, target, third, b);
    } else {
        target = X(machine_take)(m);
        if (third == NOWHERE)
            put_memory(m, LOAD, target, 0, c->c);
        else
            put_registers(m, PREFIX_66, MOVE, target, 0, third);
        put_fused(m, FUSED_231 + signs, target, first, b);
    }
    X(machine_pass)(m, c->a, next->a), X(machine_pass)(m, c->b, next->b), X(machine_pass)(m, c->c, next->c);
    X(machine_set)(m, target, c->target, next->target);
}

/* ---- the table ---- */

static unsigned registers(void)
{
    const int more = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl");
    return !__builtin_cpu_supports("fma") ? 0 : more ? 0xffffffff : 0xffff;
}

/* Masks: the sign, and all but the sign. */
enum { MASK_SIGN = 0, MASK_SIZE = 16 };

static void put_masks(machine *m)
{
    const uint64_t sign = (uint64_t)1 << 63, masks[4] = { sign, sign, ~sign, ~sign };
    machine_bytes(m, masks, sizeof masks);
}

static void put_begin(machine *m)
{
    static const unsigned char begin[] = { 0xf3, 0x0f, 0x1e, 0xfa,  /* endbr64 */
                                           0x53, 0x55, 0x50,        /* push rbx, rbp, and for alignment rax */
                                           0x48, 0x89, 0xfb,        /* mov rbx, rdi */
                                           0x48, 0x89, 0xf5 };      /* mov rbp, rsi */
    machine_bytes(m, begin, sizeof begin);
}

static void put_end(machine *m, uint32_t why)
{
    static const unsigned char done[] = { 0x31, 0xc0 };             /* xor eax, eax */
    static const unsigned char end[] = { 0x59, 0x5d, 0x5b, 0xc3 };  /* pop rcx, rbp, rbx; ret */
    if (why)
        machine_byte(m, 0xb8), machine_bytes(m, &why, 4);           /* mov eax, why */
    else
        machine_bytes(m, done, sizeof done);
    machine_bytes(m, end, sizeof end);
}

static void put_load(machine *m, unsigned target, uint32_t value) { put_memory(m, LOAD, target, 0, value); }
static void put_store(machine *m, unsigned from, uint32_t value) { put_memory(m, STORE, from, 0, value); }

static void put_unary(machine *m, uint32_t op, unsigned target, unsigned a)
{
    if (op == PROGRAM_MOVE)
        put_registers(m, PREFIX_66, MOVE, target, 0, a);
    else if (op == OP_NEG)
        put_before(m, PREFIX_66, XOR, target, a, MASK_SIGN);
    else if (op == OP_ABS)
        put_before(m, PREFIX_66, AND, target, a, MASK_SIZE);
    else
        put_registers(m, PREFIX_F2, SQRT, target, a, a);
}

static void put_binary(machine *m, uint32_t op, unsigned target, unsigned a, unsigned b, uint32_t value)
{
    const unsigned operation = op == OP_ADD   ? ADD
                               : op == OP_SUB ? SUBTRACT
                               : op == OP_MUL ? MULTIPLY
                               : op == OP_DIV ? DIVIDE
                               : op == OP_MIN ? LESSER /* a < b ? a : b, also for a NaN */
                                              : GREATER;
    if (b == NOWHERE)
        put_memory(m, operation, target, a, value);
    else
        put_registers(m, PREFIX_F2, operation, target, a, b);
}

static void put_truth(machine *m, int or_equal, unsigned target, unsigned a, unsigned b)
{
    static const unsigned char extend[] = { 0x0f, 0xb6, 0xc0 };             /* movzx eax, al */
    put_registers(m, PREFIX_66, COMPARE, b, 0, a);
    machine_byte(m, 0x0f), machine_byte(m, or_equal ? 0x93 : 0x97), machine_byte(m, 0xc0); /* setae, seta al */
    machine_bytes(m, extend, sizeof extend);
    put_registers(m, PREFIX_66, XOR, target, target, target);
    put_registers(m, PREFIX_F2, CONVERT, target, target, 0);                /* from eax */
}

static void put_distance(machine *m) { machine_bytes(m, (uint32_t[]){ 0 }, 4); }

static void put_jump_unless(machine *m, int or_equal, unsigned a, unsigned b)
{
    put_registers(m, PREFIX_66, COMPARE, a, 0, b);
    machine_byte(m, 0x0f), machine_byte(m, or_equal ? 0x82 : 0x86), put_distance(m); /* jb, jbe */
}

static void put_jump(machine *m) { machine_byte(m, 0xe9), put_distance(m); } /* jmp */

static void complete(machine *m, size_t at, size_t to)
{
    const uint32_t distance = (uint32_t)(to - at);
    memcpy(m->bytes + at - 4, &distance, 4);
}

static void put_call(machine *m, uint64_t function, uint32_t n)
{
    machine_byte(m, 0xbf), machine_bytes(m, &n, 4);                              /* mov edi, n */
    machine_byte(m, 0x48), machine_byte(m, 0xb8), machine_bytes(m, &function, 8); /* mov rax, function */
    machine_byte(m, 0xff), machine_byte(m, 0xd0);                                /* call rax */
}

const machine_target X(machine_host) = {
    .registers = registers, .reads_memory = 1, .before = put_masks, .begin = put_begin, .end = put_end,
    .load = put_load, .store = put_store, .unary = put_unary, .binary = put_binary, .fused = put_sum,
    .truth = put_truth, .jump_unless = put_jump_unless, .jump = put_jump, .complete = complete, .call = put_call
};
#endif
