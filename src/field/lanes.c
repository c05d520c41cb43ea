#include "field/lanes.h"

#include "base/elementary.h"
#include "base/loops.h"

void X(tape_numbers)(const tape *t, real *registers)
{
#ifdef TAUT_REAL_QUAD
    const real *numbers = t->numbers;
#else
    const real *numbers = t->doubles;
#endif
    for (uint32_t n = 0; n < t->number_count; n++) {
        real *row = registers + (size_t)(t->first_number + n) * LANES;
        for (int i = 0; i < LANES; i++) row[i] = numbers[n];
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

WIDE_LOOPS void X(tape_run)(const tape *t, real *registers, int lanes)
{
    const instruction *line = t->code, *end = line + t->length;
    for (; line < end; line++) {
        real *target = registers + (size_t)line->target * LANES;
        const real *first = registers + (size_t)line->a * LANES;
        switch ((op)line->op) {
            OPERATIONS(LANES_LEAF, LANES_UNARY, LANES_NUMBERED, LANES_BINARY)
        }
    }
}
