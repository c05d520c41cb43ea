/* Inside of machine.c: operations of flows as those of processors (machine_operations.c), their order
 * (machine_order.c), functions and their registers (machine_write.c), and instructions, which only the targets know
 * (machine_x86.c, machine_arm.c). */
#ifndef TAUT_LOWER_MACHINE_INSIDE_H
#define TAUT_LOWER_MACHINE_INSIDE_H

#include "lower/machine.h"

#include <string.h>

#if (defined(__x86_64__) || defined(__AARCH64EL__)) && defined(__linux__) && !defined(TAUT_REAL_QUAD) && \
    !defined(TAUT_NO_NATIVE)
#define MACHINE_AVAILABLE 1
#else
#define MACHINE_AVAILABLE 0
#endif

#if MACHINE_AVAILABLE
/* Numbers are in memory at their place among the program's registers, or in the state's block; some of them in a
   register of the processor, too, or instead where only one function reads them. */
enum { PROCESSOR_REGISTERS = 32 }; /* at most */
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

typedef struct machine {
    program *p;
    const struct machine_target *target;
    unsigned char *bytes;
    size_t count, capacity;
    int failed;               /* out of memory */
    unsigned char *lasts;     /* of each value: it is read where the processor's registers are not what they were */
    unsigned char *lasts_whole; /* the same in a straight step_flow */
    unsigned char *where;     /* register of the processor, or NOWHERE */
    uint32_t *last;           /* work: the read that was found last, going backwards */
    step_flow joined;              /* what becomes one function: operations that the processor has, and exits */
    step_flow ordered;             /* work: the same in another order */
    uint32_t *order_work;     /* work of machine_order.c */
    size_t order_capacity;
    int passing;              /* of PROGRAM_WORK: the last that was given out */
    struct jump {
        size_t at;            /* behind a jump */
        uint32_t to;          /* instruction; or why the function is left */
        int leaves;
    } *jumps;
    size_t jump_count, jump_capacity;
    size_t *begins;           /* of an instruction: its bytes */
    size_t begin_capacity;
    next_reads *next;         /* of the instructions of a function */
    size_t next_capacity;
    processor_register registers[PROCESSOR_REGISTERS];
    unsigned all;             /* registers for numbers: a mask */
    unsigned used;            /* those that hold a value */
    unsigned locked;          /* those that the instruction being written needs */
    uint32_t now;             /* that instruction */
} machine;

/* What a target is: how it encodes what machine_write.c has decided. Registers are those of the processor that hold
   numbers; all functions write behind the bytes that exist, where there is room for INSTRUCTION_MOST. */
typedef struct machine_target {
    /* The registers that functions may use and need not restore, a mask. 0: the processor lacks what the code needs. */
    unsigned (*registers)(void);
    /* An operand of a sum, a product and the like may stand in memory. */
    int reads_memory;
    /* Data before all functions, or NULL. */
    void (*before)(machine *m);
    /* The first instructions of a function, whose arguments are those of program_code; and the last ones: `why` is what
       it returns. */
    void (*begin)(machine *m);
    void (*end)(machine *m, uint32_t why);
    void (*load)(machine *m, unsigned target, uint32_t value);
    void (*store)(machine *m, unsigned from, uint32_t value);
    /* PROGRAM_MOVE, OP_NEG, OP_ABS, OP_SQRT. */
    void (*unary)(machine *m, uint32_t op, unsigned target, unsigned a);
    /* OP_ADD to OP_DIV; OP_MIN: a < b ? a : b; OP_MAX: a > b ? a : b. b is NOWHERE where the operand is the value in
       memory. */
    void (*binary)(machine *m, uint32_t op, unsigned target, unsigned a, unsigned b, uint32_t value);
    /* An operation that is rounded once, with X(machine_get) and the like: what it replaces depends on the target. */
    void (*fused)(machine *m, const program_instruction *c, const next_reads *next);
    /* 1 where a < b, or a <= b; otherwise, and where one is a NaN, 0. */
    void (*truth)(machine *m, int or_equal, unsigned target, unsigned a, unsigned b);
    /* A jump unless a > b, or a >= b, so also where one is a NaN; and an unconditional one. `complete` sets where it
       goes: `at` is the end of its instruction. */
    void (*jump_unless)(machine *m, int or_equal, unsigned a, unsigned b);
    void (*jump)(machine *m);
    void (*complete)(machine *m, size_t at, size_t to);
    /* Operands are in registers 0 and 1, and the result is in 0. */
    void (*call)(machine *m, uint64_t function, uint32_t n);
} machine_target;

/* That of this processor. */
extern const machine_target X(machine_host);

/* What one instruction of a flow becomes has fewer bytes: a call, before which all registers are stored, has 400. */
enum { INSTRUCTION_MOST = 512 };

static inline void machine_byte(machine *m, unsigned byte) { m->bytes[m->count++] = (unsigned char)byte; }

static inline void machine_bytes(machine *m, const void *from, size_t count)
{
    memcpy(m->bytes + m->count, from, count);
    m->count += count;
}

static inline int machine_is_of_state(const machine *m, uint32_t value)
{
    return value >= m->p->state_first && value < m->p->state_first + m->p->state_count;
}

/* All that has a place. */
static inline size_t value_count(const program *p) { return (size_t)p->flow.register_count + PROGRAM_WORK; }

/* Are the processor's registers unknown behind it? Another way leads there, or away. */
static inline int machine_divides(const program_instruction *c)
{
    return c->op == FLOW_LOOP || c->op == FLOW_REPEAT || c->op == FLOW_IF || c->op == FLOW_FI;
}

/* m->joined becomes a tape, or a flow, in operations that the processor has. */
void X(machine_translate)(machine *m, const program_instruction *code, uint32_t count);
/* Puts m->joined, which is straight, into an order in which few instructions wait for others. */
void X(machine_order)(machine *m);
/* What stands before all functions. */
void X(machine_write_before)(machine *m);
/* The bytes of m->joined. Returns where they begin. */
size_t X(machine_write)(machine *m);

/* ---- registers of the processor, for instructions (machine_write.c) ---- */

/* A value is better read from memory: it is not in a register, and is not read again soon. */
int X(machine_stays_in_memory)(const machine *m, uint32_t value, uint32_t next);
/* The register that holds the value, at least until the instruction is over. */
unsigned X(machine_get)(machine *m, uint32_t value);
/* A free register; if all are used, that whose value is read last. */
unsigned X(machine_take)(machine *m);
/* An operand was read. */
void X(machine_pass)(machine *m, uint32_t value, uint32_t next);
/* r holds the result. */
void X(machine_set)(machine *m, unsigned r, uint32_t value, uint32_t next);
#endif

#endif
