/* A tape: straight-line code for some outputs over the slots of a kernel. The interpreter (src/field) runs it over
 * lanes of instances; registers are rows of lanes. Independent of precision. */
#ifndef TAUT_KERNEL_TAPE_H
#define TAUT_KERNEL_TAPE_H

#include "expr/expr.h"

/* Instances evaluated together: registers of a typical kernel (30 or so) stay in the first-level cache. Many lengths of
   groups (field/tables.h) divide it. */
#define TAPE_LANES 48

typedef struct {
    uint32_t op;           /* an op of expr.h, OP_NEG and beyond; or OP_CALL */
    uint32_t target, a, b; /* registers; b is the number where op_has_number. OP_CALL: a is the index of a tape_call */
} instruction;

/* A function of the user at some arguments: everything that the tape needs of it there. */
typedef struct {
    context_function function;
    int order;
    uint32_t first;          /* of tape.call_numbers: the registers of its arguments, then for each output the place
                                among what expr/call.h evaluates, and the register */
    uint32_t outputs;
} tape_call;

/* Register layout: variable slots, constant slots, directions u, directions w (one per variable slot, when used), then
   numbers, then temporaries, which are reused when their value is dead. */
typedef struct {
    instruction *code;
    uint32_t length;
    uint32_t slots, constants;   /* inputs */
    uint32_t directions;         /* 0, 1 or 2 blocks of directions, each `slots` long */
    uint32_t first_number, number_count;
    wide *numbers;
    double *doubles;             /* the same, rounded once */
    uint32_t register_count;
    uint32_t output_count;
    uint32_t *outputs;           /* register of each output */
    uint32_t *output_i, *output_j; /* which derivative it is: slots, by the caller's meaning */
    tape_call *calls;
    size_t call_count, call_capacity;
    uint32_t *call_numbers;
    size_t call_number_count, call_number_capacity;
    uint32_t call_room;          /* first of the registers that calls work in; they are call_room_size doubles */
    size_t call_room_size;
} tape;

/* Compiles outputs (expressions over KIND_SLOT, KIND_CONSTANT_SLOT and KIND_DIRECTION_* variables). i and j are copied
   with them and may be NULL. */
int taut_tape_create(graph *g, const expr *outputs, const uint32_t *i, const uint32_t *j, uint32_t output_count,
                     uint32_t slots, uint32_t constants, uint32_t directions, tape **result);
void taut_tape_destroy(taut_context *context, tape *t);

#endif
