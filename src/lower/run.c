/* The interpreter: a printer of flows whose paper is the machine itself. */
#include "base/elementary.h"
#include "lower/program.h"

#define VALUE_TYPE real
#define MATH ELEMENTARY
#ifndef TAUT_REAL_QUAD
#define VALUE_ELEMENTARY
#endif
#include "expr/values.h"

#define RUN_LABEL(NAME, ...) &&run_##NAME,
#define RUN_NEXT         \
    c++;                 \
    goto *labels[c->op]
#define RUN_LEAF(NAME, ...) run_##NAME: RUN_NEXT;
#define RUN_UNARY(NAME, text, written, value, ...) \
    run_##NAME: {                                  \
        const real a = r[c->a];                    \
        r[c->target] = value;                      \
        RUN_NEXT;                                  \
    }
#define RUN_NUMBERED(NAME, text, written, value, ...) \
    run_##NAME: {                                     \
        const real a = r[c->a];                       \
        const int32_t n = (int32_t)c->b;              \
        r[c->target] = value;                         \
        RUN_NEXT;                                     \
    }
#define RUN_BINARY(NAME, text, written, value, ...)  \
    run_##NAME: {                                    \
        const real a = r[c->a], b = r[c->b];         \
        r[c->target] = value;                        \
        RUN_NEXT;                                    \
    }

#ifdef TAUT_REAL_QUAD
/* Software either way: twice rounded is faster. */
#define SUM_OF_PRODUCT(a, b, c) ((a) * (b) + (c))
#else
#define SUM_OF_PRODUCT taut_math_fma
#endif
#define RUN_TAPE int X(program_run_anywhere)
#include "lower/run_tape.h"
#undef RUN_TAPE
#undef SUM_OF_PRODUCT

/* The library is compiled for every processor of its kind. Where not all of them have fused multiply-add, there is a
   second interpreter for those that do. */
#if !defined(TAUT_REAL_QUAD) && defined(__x86_64__) && !defined(TAUT_FMA)
#define SUM_OF_PRODUCT __builtin_fma
#define RUN_TAPE static __attribute__((target("fma"))) int X(program_run_fused)
#include "lower/run_tape.h"

int X(program_run)(const program_instruction *code, real *r)
{
    return (__builtin_cpu_supports("fma") ? X(program_run_fused) : X(program_run_anywhere))(code, r);
}
#else
int X(program_run)(const program_instruction *code, real *r) { return X(program_run_anywhere)(code, r); }
#endif
