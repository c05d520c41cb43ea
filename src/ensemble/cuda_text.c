/* Steps as CUDA C: a trajectory per thread, its numbers in registers for many steps. */
#include "ensemble/writer.h"

static const char beginning[] =
    "/* Written by Taut: steps of many trajectories, one per thread. */\n"
    "#ifdef __CUDACC__\n"
    "#define TAUT_FUNCTION static __device__ __inline__\n"
    "#define TAUT_PART static __device__ __forceinline__\n"
    "#define TAUT_RARE static __device__ __noinline__\n"
    "#define TAUT_TABLE static __device__ const\n"
    "#define TAUT_SQRT __dsqrt_rn\n"
    "#define TAUT_FMA __fma_rn\n"
    /* not by an operation on doubles, which are what a thread waits for: the upper half as a number in single precision
       is none where the double is none, or above 2^1016 */
    "#define TAUT_FINITE_TYPE float\n"
    "#define TAUT_FINITE(all, x) all = __fmaf_rn(__int_as_float(__double2hiint(x)), 0.0f, all)\n"
    "#define TAUT_STEP static __device__ __forceinline__ int\n"
    "#define TAUT_SHARED extern \"C\" __constant__\n"
    "#define TAUT_KERNEL extern \"C\" __global__ void __launch_bounds__(128, TAUT_BLOCKS)\n"
    "#define TAUT_MEMBER ((long long)blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define TAUT_LOOP const long long member = TAUT_MEMBER; if (member < count)\n"
    "#endif\n"
    "#ifndef TAUT_FINITE\n"
    "#define TAUT_FINITE_TYPE number\n"
    "#define TAUT_FINITE(all, x) all += ((x) - (x))\n"
    "#endif\n";

/* ---- steps by rough sizes ----
 *
 * quickN is stepN with sizes of corrections in single precision, relative to what they are compared with: that takes
 * fewer instructions, and none on doubles, of which a processor has least. It believes what exceeds its bound by 2^-14.
 * A step that this does not decide is made by stepN, out of line, from a copy of the state; all others have the
 * operations of stepN, and its bits. */
static const char rough[] =
    "#ifndef UNSURE\n"
    "#define UNSURE 0x1p-14f\n"
    "#endif\n"
    /* of less than this single precision has lost digits */
    "#define TAUT_SINGLE_LEAST 1e-35f\n"
    "#ifdef __CUDACC__\n"
    "static inline float taut_abs_single(float x) { return fabsf(x); }\n"
    "static inline float taut_max_single(float a, float b) { return fmaxf(fabsf(a), fabsf(b)); }\n"
    "static inline float taut_inverse(float x)\n"
    "{\n"
    "    float y;\n"
    "    asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
    "    return y;\n"
    "}\n"
    "static inline int taut_surely_below(float a, float b)\n"
    "{\n"
    "    return __fmaf_rn(b, 1 - UNSURE, -(a)) > TAUT_SINGLE_LEAST;\n"
    "}\n"
    "#define TAUT_TOP(x) __double2hiint(x)\n"
    "#define TAUT_FROM_TOP(i) __hiloint2double(i, 0)\n"
    "#else\n"
    "static inline float taut_abs_single(float x) { return x < 0 ? -(x) : x; }\n"
    "static inline float taut_max_single(float a, float b)\n"
    "{\n"
    "    a = taut_abs_single(a), b = taut_abs_single(b);\n"
    "    return a > b ? a : b;\n"
    "}\n"
    "static inline float taut_inverse(float x) { return 1 / x; }\n"
    "static inline int taut_surely_below(float a, float b) { return b * (1 - UNSURE) - a > TAUT_SINGLE_LEAST; }\n"
    "#define TAUT_TOP(x) ((int)(taut_math_bits(x) >> 32))\n"
    "#define TAUT_FROM_TOP(i) taut_math_number((uint64_t)(uint32_t)(i) << 32)\n"
    "#endif\n"
    /* the larger of two sizes; of two numbers, one of which has no sign. The upper half of a double is a number in
       single precision that is as much larger than others, up to 2^1016: one instruction, signs included. In long steps the
       compiler runs out of registers for it (compose:rattle,order=8, fast: 558 ps a step instead of 389). */
    "#if defined __CUDACC__ && defined TAUT_HALVES\n"
    "#define TAUT_HALF(x) __int_as_float(__double2hiint(x))\n"
    "#define TAUT_FROM_HALF(x) __hiloint2double(__float_as_int(x), 0)\n"
    "static inline double taut_about_max(double a, double b)\n"
    "{\n"
    "    return TAUT_FROM_HALF(fmaxf(TAUT_HALF(a), TAUT_HALF(b)));\n"
    "}\n"
    "static inline double taut_about(double a, double b)\n"
    "{\n"
    "    return TAUT_FROM_HALF(fmaxf(fabsf(TAUT_HALF(a)), fabsf(TAUT_HALF(b))));\n"
    "}\n"
    "#else\n"
    "static inline double taut_about_max(double a, double b)\n"
    "{\n"
    "    const int x = TAUT_TOP(a), y = TAUT_TOP(b);\n"
    "    return TAUT_FROM_TOP(x > y ? x : y);\n"
    "}\n"
    "static inline double taut_about(double a, double b)\n"
    "{\n"
    "    return taut_about_max(taut_math_fabs(a), taut_math_fabs(b));\n"
    "}\n"
    "#endif\n"
    "#define SINGLE(i) single[even_at + i]\n"
    "#define TAUT_SURE(is_so) if (!(is_so)) return 1\n\n";

static const char *times_of(const text_plan *p)
{
    return p->uses_time ? ", number t0, number t0_low, number t1, number span" : "";
}

/* stepN, or quickN of the relative flow. */
static int put_step(text_writer *w, int index, const step_flow *f, int quick)
{
    int status = taut_text_begin(w, &w->plan->programs[index], f);
    if (!status && quick) status = taut_text_begin_roughly(w);
    taut_text_put(w, "%s%d(number *x, int even_at, const number *odd, long long stride%s)\n{\n%s",
                  quick ? "TAUT_STEP quick" : "TAUT_RARE int step", index, times_of(w->plan),
                  quick ? "    int doubt = 0;\n    (void)doubt;\n" : "");
    if (!status) status = taut_text_flow(w);
    taut_text_put(w, "    return 0;\n}\n\n");
    taut_text_end(w);
    return status;
}

static void put_call(text_writer *w, int program, const char *even_at, const char *odd, const char *indent)
{
    const char *times = w->plan->uses_time ? ", t, t_low, t1, t1 - t" : "";
    const uint32_t numbers = w->plan->numbers;
    taut_text_put(w, "%s{\n%s    left = quick%d(y, %s, %s, count%s);\n", indent, indent, program, even_at, odd, times);
    taut_text_put(w, "%s    if (left) {\n%s        number z[%u];\n", indent, indent, numbers);
    taut_text_put(w, "%s        for (int i = 0; i < %u; i++) z[i] = y[i];\n", indent, numbers);
    taut_text_put(w, "%s        left = step%d(z, %s, %s, count%s);\n", indent, program, even_at, odd, times);
    taut_text_put(w, "%s        for (int i = 0; i < %u; i++) y[i] = z[i];\n%s    }\n%s}\n", indent, numbers, indent,
                  indent);
}

void taut_text_cuda_time(text_writer *w, const char *from, const char *from_low, const char *h, const char *indent)
{
    if (w->plan->uses_time)
        taut_text_put(w, "%sconst number a = %s + %s, t1 = %s + a, t1_low = a - (t1 - %s);\n", indent, h, from_low,
                      from, from);
}

/* A step of several parts. */
static void put_parts(text_writer *w)
{
    const text_plan *p = w->plan;
    if (p->uses_time) taut_text_put(w, "            const number begin = t, begin_low = t_low;\n");
    taut_text_put(w, "            for (int part = 0; part < %d && !left; part++) {\n", p->part_count);
    taut_text_cuda_time(w, "t", "t_low", "h * lengths[part]", "                ");
    if (p->program_count > 1) {
        taut_text_put(w, "                if (programs[part])\n");
        put_call(w, 1, "evens[part]", "odd + odds[part] * count + member", "                    ");
        taut_text_put(w, "                else\n");
        put_call(w, 0, "evens[part]", "odd + odds[part] * count + member", "                    ");
    } else {
        put_call(w, 0, "evens[part]", "odd + odds[part] * count + member", "                ");
    }
    if (p->uses_time) taut_text_put(w, "                t = t1, t_low = t1_low;\n");
    taut_text_put(w, "            }\n");
    if (!p->uses_time) return;
    taut_text_put(w, "            {\n");
    taut_text_cuda_time(w, "begin", "begin_low", "h", "                ");
    taut_text_put(w, "                t = t1, t_low = t1_low;\n            }\n");
}

/* Where a step is left to the general path, its thread begins again, and ends before that step: the numbers of the
   state need not be kept until a step is known to be made. */
static void put_kernel(text_writer *w)
{
    const text_plan *p = w->plan;
    const int several = p->part_count > 1;
    taut_text_put(w, "TAUT_KERNEL %s(number *x, const number *odd, number t, number t_low, number h, long long steps,\n"
                     "    long long count, long long *done)\n{\n    const number t_begin = t, t_begin_low = t_low;\n"
                     "    TAUT_LOOP {\n"
                     "        int most = (int)steps, made;\n        number y[%u];\n        int left;\n"
                     "        (void)t_begin, (void)t_begin_low, (void)h;\n", CUDA_ENTRY,
                  p->numbers);
    taut_text_put(w, "    again:\n        t = t_begin, t_low = t_begin_low;\n        left = 0;\n");
    for (uint32_t i = 0; i < p->numbers; i++)
        if (p->loaded[i] || p->stored[i]) taut_text_put(w, "        y[%u] = x[%u * count + member];\n", i, i);
    taut_text_put(w, "        for (made = 0; made < most; made++) {\n");
    if (several) {
        put_parts(w);
    } else {
        taut_text_cuda_time(w, "t", "t_low", "h", "            ");
        put_call(w, 0, "0", "odd + member", "            ");
        if (p->uses_time) taut_text_put(w, "            if (!left) t = t1, t_low = t1_low;\n");
    }
    taut_text_put(w, "            if (left) break;\n        }\n");
    taut_text_put(w, "        if (left) {\n            most = made;\n            goto again;\n        }\n");
    for (uint32_t i = 0; i < p->numbers; i++)
        if (p->stored[i]) taut_text_put(w, "        x[%u * count + member] = y[%u];\n", i, i);
    taut_text_put(w, "        done[member] = made;\n    }\n}\n");
}

void taut_text_cuda_begin(int blocks, builder *out)
{
    taut_builder_put(out, "#define TAUT_BLOCKS %d\n", blocks);
    taut_builder_add(out, beginning, sizeof beginning - 1);
}

/* A program's steps; with those that are expected to be usual, the kernel too. */
static int put_program(text_writer *w, int index)
{
    program *p = w->plan->programs[index].p;
    step_flow relative = { 0 };
    int status = put_step(w, index, &p->flow, 0);
    if (!status) status = X(step_flow_relative)(p, &relative);
    if (!status) status = put_step(w, index, &relative, 1);
    if (!status && taut_text_cuda_is_direct(w->plan)) status = taut_text_cuda_direct(w, &relative);
    X(step_flow_clear)(p->context, &relative);
    return status;
}

int taut_text_cuda(const text_plan *p, int blocks, int fast, builder *out)
{
    text_writer w = { .plan = p, .out = out, .fast = fast };
    const int usual = p->instructions > CUDA_LONG ? CUDA_BLOCKS_LONG
                      : fast && taut_text_cuda_is_direct(p) ? CUDA_BLOCKS_FAST : CUDA_BLOCKS;
    taut_text_cuda_begin(blocks > 0 ? blocks : usual, out);
    int status = taut_text_prelude(p, 0, out);
    taut_builder_put(out, "#define EVEN(i) even[even_at + i]\n#define ODD(i) odd[(i) * stride]\n"
                          "TAUT_SHARED double even[%u];\n", p->even_count + 1);
    if (p->part_count > 1) {
        taut_text_table(out, "TAUT_SHARED", "int", "evens", p, TABLE_EVEN);
        taut_text_table(out, "TAUT_SHARED", "long long", "odds", p, TABLE_ODD);
        taut_text_table(out, "TAUT_SHARED", "double", "lengths", p, TABLE_LENGTH);
        taut_text_table(out, "TAUT_SHARED", "int", "programs", p, TABLE_PROGRAM);
    }
    taut_builder_put(out, "TAUT_SHARED float single[%u];\n", p->even_count + 1);
    if (taut_text_cuda_is_direct(p)) taut_builder_put(out, "#define TAUT_HALVES\n");
    taut_builder_add(out, rough, sizeof rough - 1);
    for (int k = 0; !status && k < p->program_count; k++) status = put_program(&w, k);
    if (!taut_text_cuda_is_direct(p)) put_kernel(&w);
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
