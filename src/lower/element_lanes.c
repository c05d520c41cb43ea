/* The interpreter of programs over elements: one instruction for several elements. Widths are numbers that the compiler
 * sees, so that its loops have no ends to look after. */
#include "base/elementary.h"
#include "base/loops.h"
#include "lower/element_inside.h"

#define VALUE_TYPE real
#define MATH ELEMENTARY
#ifndef TAUT_REAL_QUAD
#define VALUE_ELEMENTARY
#endif
#include "expr/values.h"

/* Rows are the same or have nothing in common. */
#if defined(__GNUC__) && !defined(__clang__)
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif

#define EACH(operands, value)               \
    APART for (uint32_t i = 0; i < width; i++) { \
        operands;                           \
        target[i] = (value);                \
    }                                       \
    break;
#define ELEMENT_LEAF(NAME, ...) case OP_##NAME: break; /* is in its register already */
#define ELEMENT_UNARY(NAME, text, written, value, ...) case OP_##NAME: EACH(const real a = first[i], value)
#define ELEMENT_NUMBERED(NAME, text, written, value, ...)             \
    case OP_##NAME: {                                                 \
        const int32_t number = (int32_t)line->b;                      \
        if (number == 2) {                                            \
            EACH(const int32_t n = 2; const real a = first[i], value) \
        } else if (number == 3) {                                     \
            EACH(const int32_t n = 3; const real a = first[i], value) \
        }                                                             \
        EACH(const int32_t n = number; const real a = first[i], value) \
    }
#define ELEMENT_BINARY(NAME, text, written, value, ...)     \
    case OP_##NAME: {                                       \
        const real *second = registers + line->b;           \
        EACH(const real a = first[i]; const real b = second[i], value) \
    }

static inline __attribute__((always_inline)) void run(const instruction *line, uint32_t length, const uint32_t width,
                                                      real *registers)
{
    for (const instruction *end = line + length; line < end; line++) {
        real *target = registers + line->target;
        const real *first = registers + line->a;
        switch ((op)line->op) {
            OPERATIONS(ELEMENT_LEAF, ELEMENT_UNARY, ELEMENT_NUMBERED, ELEMENT_BINARY)
        }
    }
}

#define RUNNER(WIDTH)                                                                              \
    static WIDE_LOOPS void run_##WIDTH(const instruction *code, uint32_t length, real *registers)  \
    {                                                                                              \
        run(code, length, WIDTH, registers);                                                       \
    }
RUNNER(1)
RUNNER(4)
RUNNER(8)
RUNNER(16)
RUNNER(32)

void X(element_lanes_run)(const instruction *code, uint32_t length, uint32_t width, real *registers)
{
    switch (width) {
    case 1: run_1(code, length, registers); return;
    case 4: run_4(code, length, registers); return;
    case 8: run_8(code, length, registers); return;
    case 16: run_16(code, length, registers); return;
    default: run_32(code, length, registers); return;
    }
}

/* The least work, an instruction being as much as it takes for eight elements besides. */
uint32_t X(element_width)(uint32_t count)
{
    static const uint32_t widths[] = { 1, 4, 8, 16, ELEMENT_WIDTH_MOST };
    uint32_t best = 1;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const uint64_t work = (uint64_t)((count + widths[i] - 1) / widths[i]) * (8 + widths[i]);
        if (work < least) least = work, best = widths[i];
    }
    return best;
}
