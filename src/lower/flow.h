/* A step as a flow: instructions over the numbers of a program, some of which are exits. One builder makes it of the
 * tapes (flow.c): rounds, their verdicts (iteration.h), further corrections, the end of the step and the layout of the
 * state stand there and nowhere else. Whoever executes steps prints it: the interpreter (run.c), machine code
 * (machine.c), C (emit.c).
 *
 * Behind the registers of the program come those of the flow: numbers for who called (reports), counters, literals, and
 * values. A truth is 1 or 0. Numbers of the state are the old ones until the last instructions move the new ones there;
 * nothing reads the state behind them, or is left, so that a step that is left has changed nothing.
 *
 * Loops and conditions are nested: LOOP .. REPEAT, with NEXT for its end, and IF .. FI. */
#ifndef TAUT_LOWER_FLOW_H
#define TAUT_LOWER_FLOW_H

#include "base/real.h"
#include "base/context.h"
#include "base/words.h"
#include "expr/expr.h"

/* Operations besides those of expr/ops.h. The sums of products are rounded once (in double), by all who execute them. */
enum {
    PROGRAM_MOVE = OP_COUNT,  /* a */
    PROGRAM_MULTIPLY_ADD,     /* a b + c */
    PROGRAM_MULTIPLY_SUBTRACT, /* a b - c */
    PROGRAM_SUBTRACT_PRODUCT, /* c - a b */
    PROGRAM_END,              /* of a tape, or of a flow: the step is done */
    PROGRAM_OPERATIONS,       /* so far, those of tapes */
    FLOW_MOST = PROGRAM_OPERATIONS, /* the larger of a and |b|; what is no number is the largest */
    FLOW_BELOW,               /* a < b */
    FLOW_AT_MOST,             /* a <= b */
    FLOW_IS_NUMBER,           /* a is finite */
    FLOW_EXCEEDS,             /* |a| > c |b| */
    FLOW_BOTH, FLOW_EITHER, FLOW_NOT,
    FLOW_CHOSEN,              /* a ? b : c; both are finite and not negative */
    FLOW_COUNT,               /* target + 1 */
    FLOW_EXITS,
    FLOW_LEAVE = FLOW_EXITS,  /* the step is left unless a; c: why */
    FLOW_LEAVE_UNLESS_ABOVE,  /* unless a > b */
    FLOW_LEAVE_UNLESS_LEAST,  /* unless a >= b */
    FLOW_NEXT,                /* where a: on behind REPEAT, at instruction c */
    FLOW_LOOP,
    FLOW_REPEAT,              /* back to c */
    FLOW_IF,                  /* unless a: on at c, which is FI */
    FLOW_FI,
    FLOW_OPERATIONS
};

/* Why a step is left to the general path. */
enum { FLOW_DONE, FLOW_NO_CONVERGENCE, FLOW_SINGULAR, FLOW_NOT_FINITE };

/* The first literals. */
enum { FLOW_ZERO, FLOW_ONE };

enum { COUNT_ITERATIONS, COUNT_MATRICES, COUNT_FURTHER, COUNT_CALLS, FLOW_COUNTS };

typedef struct {
    uint32_t op, target, a, b, c; /* registers; b is the number where op_has_number */
} program_instruction;

typedef struct {
    uint32_t at;              /* instruction */
    const char *what;         /* begins there */
} flow_note;

typedef struct {
    program_instruction *code;
    uint32_t count;
    size_t capacity;
    uint32_t register_count;  /* of the program and the step_flow */
    uint32_t report_first, report_count, count_first, literal_first, literal_count, value_first;
    real *literals;
    flow_note *notes;
    uint32_t note_count;
} step_flow;

struct program;
/* single: with the tolerances of float. */
int X(step_flow_create)(const struct program *p, int single, step_flow *f);
/* Sizes of corrections are relative to what they are compared with: for those who judge roughly, in single precision.
   Verdicts near their bounds are others. */
int X(step_flow_relative)(const struct program *p, step_flow *f);
void X(step_flow_clear)(taut_context *context, step_flow *f);
/* The registers that an instruction reads: how many. */
int X(step_flow_operands)(const program_instruction *c, uint32_t list[3]);
/* Does it compute its target? */
static inline int flow_has_target(const program_instruction *c) { return c->op < FLOW_EXITS && c->op != PROGRAM_END; }
int X(step_flow_add)(taut_context *context, step_flow *f, program_instruction c);

#endif
