/* Inside of machine.c and its rooms: what becomes one function (machine_join.c), in which order
 * (machine_order.c), and the bytes of it (machine_write.c). */
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
    unsigned char *lasts;     /* of each value: others than its tape read it */
    unsigned char *lasts_whole; /* the same where a function is a whole step */
    unsigned char *where;     /* register of the processor, or NOWHERE */
    uint32_t *last;           /* work: the read that was found last, going backwards */
    segment joined;           /* tapes that become one function */
    segment ordered;          /* work: the same in another order */
    uint32_t *order_work;     /* work of machine_order.c */
    size_t order_capacity;
    int passing;              /* of PROGRAM_PASSING: the last that was given out */
    struct leave {
        size_t at;            /* behind a jump to the end of the function */
        uint32_t way;
    } *leaves;
    size_t leave_count, leave_capacity;
    next_reads *next;         /* of the instructions of a tape */
    size_t next_capacity;
    processor_register registers[PROCESSOR_REGISTERS];
    unsigned all;             /* registers there are: a mask */
    unsigned used;            /* those that hold a value */
    unsigned locked;          /* those that the instruction at hand needs */
    uint32_t now;             /* the instruction at hand */
} machine;

/* Operations of machine code alone: the function ends here where a is no number; unless a > b; unless a >= b. c: what
   it returns then, a program_way. */
enum { MACHINE_LEAVE = PROGRAM_OPERATIONS, MACHINE_ABOVE, MACHINE_NOT_BELOW, MACHINE_OPERATIONS };

/* Numbers behind those of WORK, which stand before the code. */
enum { FIXED_SOUND, FIXED_LEAST, FIXED_LINEAR, FIXED_TWO, FIXED_ONE, FIXED_EIGHT, FIXED_OF_PHASES };

static inline uint32_t fixed(const machine *m, int which)
{
    return m->p->register_count + PROGRAM_WORK + (uint32_t)which;
}

/* All that has a place. */
static inline size_t value_count(const program *p)
{
    return (size_t)p->register_count + PROGRAM_WORK + FIXED_OF_PHASES + 2 * (size_t)p->phase_count;
}

/* Behind the registers. */
enum { WORK_RETURNED, WORK_SUM, WORK_TERM, WORK_DIFFERENCE, WORK_BEFORE = PROGRAM_BEFORE };
static inline uint32_t work(const machine *m, int which) { return m->p->register_count + (uint32_t)which; }

/* Functions of a program. */
typedef enum { SETUP, RESULTS, PREPARED, FIRST, RENEWED, AGAIN, ONWARD, BEYOND, WHOLE } function_kind;
#define KINDS_OF_PHASE 6

/* The registers that an instruction reads: how many. */
int X(machine_operands)(const program_instruction *c, uint32_t list[3]);

/* m->joined becomes the tapes of a function. */
void X(machine_join)(machine *m, const program_phase *f, function_kind kind);
int X(machine_needs)(const program_phase *f, function_kind kind);
/* The same for the which-th function for whole steps, in its order. */
void X(machine_join_whole)(machine *m, int which);
/* How many of them are worth writing. */
int X(machine_count_whole)(const program *p);
/* The rounds of a phase in that function, and whether the last of them goes further. */
int X(machine_rounds)(const program *p, const program_phase *f, int which);
int X(machine_goes_further)(const program_phase *f, int which);

/* Puts m->joined into an order in which few instructions wait for others. */
void X(machine_order)(machine *m);

/* The bytes of m->joined. Returns where they begin. */
size_t X(machine_write)(machine *m, function_kind kind);
/* Numbers that stand before the code. */
void X(machine_write_numbers)(machine *m);
#endif

#endif
