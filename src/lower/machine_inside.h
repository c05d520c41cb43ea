/* Inside of machine.c and its rooms: operations of flows as those of the processor (machine_operations.c), their order
 * (machine_order.c), and the bytes (machine_write.c). */
#ifndef TAUT_LOWER_MACHINE_INSIDE_H
#define TAUT_LOWER_MACHINE_INSIDE_H

#include "lower/machine.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(TAUT_REAL_QUAD) && !defined(TAUT_NO_NATIVE)
#define MACHINE_AVAILABLE 1
#else
#define MACHINE_AVAILABLE 0
#endif

#if MACHINE_AVAILABLE
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
    unsigned all;             /* registers there are: a mask */
    unsigned used;            /* those that hold a value */
    unsigned locked;          /* those that the instruction being written needs */
    uint32_t now;             /* that instruction */
} machine;

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
/* The bytes of m->joined. Returns where they begin. */
size_t X(machine_write)(machine *m);
/* Masks that stand before the code. */
void X(machine_write_masks)(machine *m);
#endif

#endif
