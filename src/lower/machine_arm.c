/* The target aarch64. x19 points to the registers of the program, x20 to the state's block; x9 and x16 are free for a
 * moment. */
#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE && defined(__AARCH64EL__)
/* d8 to d15 would have to be restored. */
static unsigned registers(void) { return 0xffff00ff; }

enum { BASE = 19, BASE_OF_STATE = 20, WORK = 9, CALLED = 16 };
/* Conditions; none of them holds where one is a NaN. */
enum { BELOW = 4, AT_MOST = 9, AT_LEAST = 10, ABOVE = 12 };

static void put(machine *m, uint32_t instruction) { machine_bytes(m, &instruction, sizeof instruction); }

/* target = first operation second */
static void put_three(machine *m, uint32_t operation, unsigned target, unsigned first, unsigned second)
{
    put(m, operation | second << 16 | first << 5 | target);
}

/* A whole number in a general register, 16 bits at a time. */
static void put_whole(machine *m, unsigned target, uint64_t x)
{
    put(m, 0xd2800000 | (uint32_t)(x & 0xffff) << 5 | target);                    /* movz */
    for (unsigned i = 1; x >>= 16; i++)
        if (x & 0xffff) put(m, 0xf2800000 | i << 21 | (uint32_t)(x & 0xffff) << 5 | target); /* movk */
}

/* Offsets are in numbers, and 12 bits long; longer ones are in a register. */
static void put_memory(machine *m, int is_store, unsigned r, uint32_t value)
{
    const int of_state = machine_is_of_state(m, value);
    const unsigned base = of_state ? BASE_OF_STATE : BASE;
    const uint32_t at = of_state ? value - m->p->state_first : value;
    if (at >> 12) {
        put_whole(m, WORK, at);
        put_three(m, is_store ? 0xfc207800 : 0xfc607800, r, base, WORK);          /* str, ldr d, [base, work, lsl 3] */
    } else {
        put(m, (is_store ? 0xfd000000 : 0xfd400000) | at << 10 | base << 5 | r);  /* str, ldr d, [base, at] */
    }
}

static void put_load(machine *m, unsigned target, uint32_t value) { put_memory(m, 0, target, value); }
static void put_store(machine *m, unsigned from, uint32_t value) { put_memory(m, 1, from, value); }

static void put_begin(machine *m)
{
    put(m, 0xd503245f);                                     /* bti c */
    put(m, 0xa9be7bfd), put(m, 0x910003fd);                 /* stp x29, x30, [sp, -32]!; mov x29, sp */
    put(m, 0xa90153f3);                                     /* stp x19, x20, [sp, 16] */
    put(m, 0xaa0003f3), put(m, 0xaa0103f4);                 /* mov x19, x0; mov x20, x1 */
}

static void put_end(machine *m, uint32_t why)
{
    put_whole(m, 0, why);
    put(m, 0xa94153f3), put(m, 0xa8c27bfd);                 /* ldp x19, x20, [sp, 16]; ldp x29, x30, [sp], 32 */
    put(m, 0xd65f03c0);                                     /* ret */
}

static void put_unary(machine *m, uint32_t op, unsigned target, unsigned a)
{
    const uint32_t operation = op == PROGRAM_MOVE ? 0x1e604000 /* fmov */
                               : op == OP_NEG     ? 0x1e614000
                               : op == OP_ABS     ? 0x1e60c000
                                                  : 0x1e61c000; /* fsqrt */
    put(m, operation | a << 5 | target);
}

static void put_compare(machine *m, unsigned a, unsigned b) { put_three(m, 0x1e602000, 0, a, b); }

/* b is in a register. Not fmin and fmax, which treat zeros and NaNs in another way. */
static void put_binary(machine *m, uint32_t op, unsigned target, unsigned a, unsigned b, uint32_t value)
{
    (void)value;
    switch (op) {
    case OP_ADD: put_three(m, 0x1e602800, target, a, b); break;
    case OP_SUB: put_three(m, 0x1e603800, target, a, b); break;
    case OP_MUL: put_three(m, 0x1e600800, target, a, b); break;
    case OP_DIV: put_three(m, 0x1e601800, target, a, b); break;
    default:
        put_compare(m, a, b);
        put_three(m, 0x1e600c00 | (op == OP_MIN ? BELOW : ABOVE) << 12, target, a, b); /* fcsel */
    }
}

/* Factors, what is added and the result are each in a register of their own. */
static void put_fused(machine *m, const program_instruction *c, const next_reads *next)
{
    const uint32_t operation = c->op == PROGRAM_MULTIPLY_ADD        ? 0x1f400000  /* fmadd */
                               : c->op == PROGRAM_MULTIPLY_SUBTRACT ? 0x1f608000  /* fnmsub */
                                                                    : 0x1f408000; /* fmsub */
    const unsigned a = X(machine_get)(m, c->a), b = X(machine_get)(m, c->b), added = X(machine_get)(m, c->c);
    X(machine_pass)(m, c->a, next->a), X(machine_pass)(m, c->b, next->b), X(machine_pass)(m, c->c, next->c);
    m->locked = 0;
    const unsigned target = X(machine_take)(m);
    put_three(m, operation | added << 10, target, a, b);
    X(machine_set)(m, target, c->target, next->target);
}

static void put_truth(machine *m, int or_equal, unsigned target, unsigned a, unsigned b)
{
    const unsigned condition = or_equal ? AT_MOST : BELOW;
    put_compare(m, a, b);
    put(m, 0x1a9f07e0 | (condition ^ 1) << 12 | WORK);      /* cset */
    put(m, 0x1e630000 | WORK << 5 | target);                /* ucvtf */
}

static void put_jump(machine *m) { put(m, 0x14000000); }

/* Conditional jumps reach 1 MB; this one goes over one that reaches farther. */
static void put_jump_unless(machine *m, int or_equal, unsigned a, unsigned b)
{
    put_compare(m, a, b);
    put(m, 0x54000000 | 2 << 5 | (or_equal ? AT_LEAST : ABOVE));
    put_jump(m);
}

static void complete(machine *m, size_t at, size_t to)
{
    const uint32_t jump = 0x14000000 | ((uint32_t)((to - (at - 4)) / 4) & 0x3ffffff);
    memcpy(m->bytes + at - 4, &jump, sizeof jump);
}

static void put_call(machine *m, uint64_t function, uint32_t n)
{
    put_whole(m, 0, n);
    put_whole(m, CALLED, function);
    put(m, 0xd63f0000 | CALLED << 5);                       /* blr */
}

const machine_target X(machine_host) = {
    .registers = registers, .begin = put_begin, .end = put_end, .load = put_load, .store = put_store,
    .unary = put_unary, .binary = put_binary, .fused = put_fused, .truth = put_truth, .jump_unless = put_jump_unless,
    .jump = put_jump, .complete = complete, .call = put_call
};
#endif
