/* Random tapes: all operations, operands near and far. */
#ifndef TAUT_TESTS_SUPPORT_TAPE_H
#define TAUT_TESTS_SUPPORT_TAPE_H

#include "lower/program.h"

static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

/* An instruction of any kind; operands are near, or far, or inputs. */
static inline program_instruction draw_instruction(uint64_t *seed, uint32_t target)
{
    uint32_t o, of[3];
    do o = draw(seed, PROGRAM_END);
    while (o == OP_NONE || o == OP_CONSTANT || o == OP_PARAMETER || o == OP_VARIABLE || o == OP_ARGUMENT
           || o == OP_CALL || o == OP_SHOWN);
    if (draw(seed, 3)) { /* mostly sums and products, as in steps */
        static const uint32_t often[] = { OP_ADD, OP_SUB, OP_MUL, PROGRAM_MULTIPLY_ADD, PROGRAM_MULTIPLY_SUBTRACT,
                                          PROGRAM_SUBTRACT_PRODUCT };
        o = often[draw(seed, 6)];
    }
    for (int k = 0; k < 3; k++) of[k] = draw(seed, 2) && target > 24 ? target - 1 - draw(seed, 24) : draw(seed, target);
    if (draw(seed, 8) == 0) of[1] = of[0];
    if (draw(seed, 8) == 0) of[2] = of[draw(seed, 2)];
    if (o < OP_COUNT && op_has_number((op)o)) of[1] = o == OP_POWI ? draw(seed, 7) - 2 : draw(seed, 3);
    return (program_instruction){ o, target, of[0], of[1], of[2] };
}

/* So many instructions, and an end; the first one computes register `first`. */
static inline void draw_tape(uint64_t *seed, segment *t, program_instruction *code, uint32_t first, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) code[i] = draw_instruction(seed, first + i);
    code[length] = (program_instruction){ .op = PROGRAM_END };
    *t = (segment){ .code = code, .count = length };
}

/* Zeros of both signs, and numbers between -2 and 2. */
static inline double draw_input(uint64_t *seed, int i)
{
    return i == 0 ? 0 : i == 1 ? -0.0 : (double)draw(seed, 1u << 30) * 0x1p-28 - 2;
}

#endif
