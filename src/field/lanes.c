#include "field/lanes.h"

#include "base/elementary.h"
#include "base/loops.h"
#include "expr/call.h"

void X(tape_numbers)(const tape *t, real *registers, int lanes)
{
    if (lanes < TAPE_PADDED) lanes = TAPE_PADDED;
#ifdef TAUT_REAL_QUAD
    const real *numbers = t->numbers;
#else
    const real *numbers = t->doubles;
#endif
    for (uint32_t n = 0; n < t->number_count; n++) {
        real *row = registers + (size_t)(t->first_number + n) * LANES;
        for (int i = 0; i < lanes; i++) row[i] = numbers[n];
    }
}

#define VALUE_TYPE real
#define MATH ELEMENTARY
#ifndef TAUT_REAL_QUAD
#define VALUE_ELEMENTARY
#endif
#include "expr/values.h"

#define EACH(operands, value)                  \
    for (int i = 0; i < lanes; i++) {          \
        operands;                              \
        target[i] = (value);                   \
    }                                          \
    break;
#define LANES_LEAF(NAME, ...) case OP_##NAME: break; /* is in its register already */
#define LANES_UNARY(NAME, text, written, value, ...) case OP_##NAME: EACH(const real a = first[i], value)
/* Squares and cubes are frequent, and vectorise where the compiler sees the number. */
#define LANES_NUMBERED(NAME, text, written, value, ...)               \
    case OP_##NAME: {                                                 \
        const int32_t number = (int32_t)line->b;                      \
        if (number == 2) {                                            \
            EACH(const int32_t n = 2; const real a = first[i], value) \
        } else if (number == 3) {                                     \
            EACH(const int32_t n = 3; const real a = first[i], value) \
        }                                                             \
        EACH(const int32_t n = number; const real a = first[i], value) \
    }
#define LANES_BINARY(NAME, text, written, value, ...)           \
    case OP_##NAME: {                                           \
        const real *second = registers + (size_t)line->b * LANES; \
        EACH(const real a = first[i]; const real b = second[i], value) \
    }

/* A function of the user, lane by lane. Doubles, whatever the precision is: quad refuses such models. */
static void run_call(const tape *t, const tape_call *call, real *registers, int lanes, taut_context *context)
{
    const uint32_t n = call->function.arguments, *arguments = t->call_numbers + call->first, *outputs = arguments + n;
    double *x = (double *)(registers + (size_t)t->call_room * LANES), *found = x + n;
    for (int i = 0; i < lanes; i++) {
        for (uint32_t k = 0; k < n; k++) x[k] = (double)registers[(size_t)arguments[k] * LANES + i];
        taut_call_evaluate(context, &call->function, call->order, x, found);
        for (uint32_t k = 0; k < call->outputs; k++)
            registers[(size_t)outputs[2 * k + 1] * LANES + i] = (real)found[outputs[2 * k]];
    }
}

/* lanes: a number that the compiler sees where there are few. */
static inline __attribute__((always_inline)) void run(const tape *t, real *registers, int lanes, int called,
                                                      taut_context *context)
{
    const instruction *line = t->code, *end = line + t->length;
    for (; line < end; line++) {
        if (line->op == OP_CALL) {
            run_call(t, &t->calls[line->a], registers, called, context);
            continue;
        }
        real *target = registers + (size_t)line->target * LANES;
        const real *first = registers + (size_t)line->a * LANES;
        switch ((op)line->op) {
            OPERATIONS(LANES_LEAF, LANES_UNARY, LANES_NUMBERED, LANES_BINARY)
        }
    }
}

/* The loops over one, two or four lanes have no counter: most terms of a mechanism are the only ones of their shape. */
WIDE_LOOPS void X(tape_run)(const tape *t, real *registers, int lanes, taut_context *context)
{
    if (lanes == 1)
        run(t, registers, 1, lanes, context);
    else if (lanes == 2)
        run(t, registers, 2, lanes, context);
    else if (lanes <= TAPE_PADDED)
        run(t, registers, TAPE_PADDED, lanes, context);
    else
        run(t, registers, lanes, lanes, context);
}
