/* What stands before the functions of emit.c: elementary functions, the type `number`. */
#include "lower/emit.h"

#include "base/elementary_text.h"

static void mark(const program_instruction *code, uint32_t count, emit_functions *used)
{
    for (uint32_t i = 0; i < count; i++) {
        const program_instruction *c = &code[i];
        used->fuses |= c->op > PROGRAM_MOVE && c->op < PROGRAM_END;
        used->measures |= c->op == FLOW_MOST;
        used->checks |= c->op == FLOW_EXCEEDS;
        if (c->op < OP_COUNT && (c->op != OP_POWI || (c->b != 2 && c->b != 3))) /* squares and cubes are products */
            used->is_used[c->op] = 1;
    }
}

void X(program_mark_functions)(const program *p, emit_functions *used)
{
    mark(p->setup.code, p->setup.count, used), mark(p->flow.code, p->flow.count, used);
}

static const char *function_name(op o)
{
    return o == OP_POW ? "pow" : o == OP_POWI ? "powi" : o == OP_ABS ? "fabs" : taut_op_name(o);
}

/* The sections of base/elementary.h. */
static void put_double_functions(builder *out, const emit_functions *used, const op *all, size_t all_count, int fuses)
{
    const char *names[OP_COUNT + 1];
    size_t count = 0;
    for (size_t i = 0; i < all_count; i++)
        if (used->is_used[all[i]]) names[count++] = function_name(all[i]);
    if (fuses) names[count++] = "fma";
    size_t length = taut_elementary_text(names, count, NULL, 0);
    char *text = length == TAUT_ELEMENTARY_UNKNOWN ? NULL : taut_mem_new(out->context, length + 1, 1);
    if (text) {
        taut_elementary_text(names, count, text, length + 1);
        taut_builder_add(out, text, length);
    }
    out->failed |= !text;
    taut_mem_free(out->context, text);
}

/* Those of the C library; the four that it does not have in double. */
static void put_single_functions(builder *out, const emit_functions *used, const op *even, size_t even_count)
{
    static const op all[] = { OP_SQRT, OP_ABS, OP_CBRT, OP_EXP, OP_LOG, OP_SIN, OP_COS, OP_TAN, OP_ASIN, OP_ACOS,
                              OP_ATAN, OP_SINH, OP_COSH, OP_TANH };
    int any = 0;
    for (size_t i = 0; i < even_count; i++) any |= used->is_used[even[i]];
    taut_builder_put(out, "#include <math.h>\n\n");
    if (any) put_double_functions(out, used, even, even_count, 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (used->is_used[all[i]] || (all[i] == OP_ABS && (used->measures || used->checks)))
            taut_builder_put(out, "static inline float taut_float_%s(float x) { return %sf(x); }\n",
                             function_name(all[i]), function_name(all[i]));
    if (used->is_used[OP_POW])
        taut_builder_put(out, "static inline float taut_float_pow(float x, float y) { return powf(x, y); }\n");
    if (used->is_used[OP_ATAN2])
        taut_builder_put(out, "static inline float taut_float_atan2(float y, float x) { return atan2f(y, x); }\n");
    for (size_t i = 0; i < even_count; i++)
        if (used->is_used[even[i]])
            taut_builder_put(out, "static inline float taut_float_%s(float x, int n) "
                                  "{ return (float)taut_math_%s((double)x, n); }\n",
                             taut_op_name(even[i]), taut_op_name(even[i]));
    /* in software it would be slow, and floats promise no bits */
    if (used->fuses)
        taut_builder_put(out, "#if defined(FP_FAST_FMAF) || defined(__FP_FAST_FMAF) || defined(__FMA__)\n"
                              "#define TAUT_FLOAT_FMA(a, b, c) fmaf(a, b, c)\n"
                              "#else\n"
                              "#define TAUT_FLOAT_FMA(a, b, c) ((a) * (b) + (c))\n"
                              "#endif\n"
                              "static inline float taut_float_fma(float a, float b, float c)\n"
                              "{\n"
                              "    return TAUT_FLOAT_FMA(a, b, c);\n"
                              "}\n");
    if (used->is_used[OP_POWI])
        taut_builder_put(out, "static inline float taut_float_powi(float x, int n)\n"
                              "{\n"
                              "    float result = 1;\n"
                              "    unsigned left = n < 0 ? 0u - (unsigned)n : (unsigned)n;\n"
                              "    for (; left; left >>= 1, x *= x)\n"
                              "        if (left & 1) result *= x;\n"
                              "    return n < 0 ? 1 / result : result;\n"
                              "}\n");
}

static const char adding[] =
    "\n/* x + d, with what rounding leaves over. */\n"
    "static inline void taut_add(number *x, number *low, number d)\n"
    "{\n"
    "    const number y = d + *low, sum = *x + y;\n"
    "    *low = y - (sum - *x);\n"
    "    *x = sum;\n"
    "}\n\n";

static const char cutting[] =
    "\n/* A part of a step, which compilers are to take by itself. */\n"
    "#ifdef __GNUC__\n"
    "#define TAUT_PIECE static __attribute__((noinline)) void\n"
    "#else\n"
    "#define TAUT_PIECE static void\n"
    "#endif\n";

static const char measuring[] =
    "/* The larger of most and |x|; a NaN wins. */\n"
    "static inline number taut_most(number most, number x)\n"
    "{\n"
    "    const number size = taut_size(x);\n"
    "    return size > most || size != size ? size : most;\n"
    "}\n\n";

static const char checking[] =
    "/* A NaN does not. */\n"
    "static inline int taut_exceeds(number pivot, number reference, number part)\n"
    "{\n"
    "    return taut_size(pivot) > part * taut_size(reference);\n"
    "}\n\n";

/* gcc 12 makes vfmaddsub of neighbouring products and sums when it vectorises, whatever is said of contraction. */
static const char same_bits[] =
    "/* The same bits everywhere: a product and a sum are rounded one after the other, unless they are one fma. */\n"
    "#if defined(__clang__)\n"
    "#pragma STDC FP_CONTRACT OFF\n"
    "#elif defined(__GNUC__)\n"
    "#pragma GCC optimize(\"fp-contract=off\", \"no-tree-slp-vectorize\")\n"
    "#endif\n\n";

void X(emit_prelude)(builder *out, const emit_functions *used, int single)
{
    taut_builder_add(out, same_bits, sizeof same_bits - 1);
    static const op all[] = { OP_POW, OP_CBRT, OP_EXP, OP_LOG, OP_SIN, OP_COS, OP_TAN, OP_ASIN, OP_ACOS, OP_ATAN,
                              OP_ATAN2, OP_SINH, OP_COSH, OP_TANH, OP_POWI, OP_SINC, OP_SINHC, OP_ATANC, OP_ATANHC };
    const size_t count = sizeof all / sizeof *all, even_count = 4;
    if (single)
        put_single_functions(out, used, all + count - even_count, even_count);
    else
        put_double_functions(out, used, all, count, used->fuses);
    taut_builder_put(out, "\ntypedef %s number;\n", single ? "float" : "double");
    taut_builder_add(out, cutting, sizeof cutting - 1);
    taut_builder_add(out, adding, sizeof adding - 1);
    if (!used->measures && !used->checks) return;
    taut_builder_put(out, "\nstatic inline number taut_size(number x) { return %sfabs(x); }\n\n",
                     single ? "taut_float_" : "taut_math_");
    if (used->measures) taut_builder_add(out, measuring, sizeof measuring - 1);
    if (used->checks) taut_builder_add(out, checking, sizeof checking - 1);
}
