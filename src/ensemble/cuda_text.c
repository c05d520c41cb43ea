/* Steps as CUDA C: a trajectory per thread, its numbers in registers for many steps. */
#include <stdio.h>
#include <string.h>

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

/* Every pivot is more than this part of what it is made of. quickly: those that are made of themselves are left out;
   where they are zero or no numbers, so are corrections. */
static void put_checks(text_writer *w, const program_phase *f, const char *part, int quickly)
{
    int any = 0;
    for (uint32_t i = 0; i < f->check_count; i++)
        if (!quickly || f->checks[i].pivot != f->checks[i].reference)
            taut_text_put(w, "%staut_exceeds(%s, %s, %s)", any++ ? " & " : "",
                          taut_text_name(w, f->checks[i].pivot).text, part,
                          taut_text_name(w, f->checks[i].reference).text);
    if (!any) taut_text_put(w, "1");
}

/* The values of the matrix that are read behind its tape, where it is not formed in every round. */
static void put_matrix(text_writer *w, const program_phase *f, const char *indent)
{
    const int keeps = !f->iteration.always;
    for (uint32_t i = 0; i < f->factor.count; i++) {
        const segment one = { .code = &f->factor.code[i], .count = 1 };
        taut_text_tape(w, &one, indent);
        const text_operand name = taut_text_name(w, f->factor.code[i].target);
        if (keeps) taut_text_put(w, "%sm_%s = %s;\n", indent, name.text, name.text);
    }
    taut_text_put(w, "%ssound = ", indent);
    put_checks(w, f, text_looks_at_pivots(f) ? "PIVOT_SOUND" : "PIVOT_LEAST", 1);
    taut_text_put(w, ";\n");
}

/* Of equal weights the largest change counts, and is multiplied once: rounding does not change which one is larger.
   Changes of no weight do not count; whether they are numbers is seen in the end. */
static void put_sizes(text_writer *w, const program_phase *f, const uint32_t *changes, const char *size)
{
    const char *most = w->roughly ? "taut_about" : "taut_most";
    taut_text_put(w, "        %s = 0;\n", size);
    for (uint32_t i = 0; i < f->size; i++) {
        int equal = taut_text_weighs(w, f->weights[i], 0);
        for (uint32_t k = 0; k < i; k++) equal |= f->weights[k] == f->weights[i];
        if (equal) continue;
        taut_text_put(w, "        %s = %s(%s, ", size, most, size);
        if (!taut_text_weighs(w, f->weights[i], 1)) taut_text_put(w, "%s * ", taut_text_name(w, f->weights[i]).text);
        for (uint32_t k = i + 1; k < f->size; k++)
            if (f->weights[k] == f->weights[i]) taut_text_put(w, "%s(", most);
        taut_text_put(w, "%s", taut_text_name(w, changes[i]).text);
        for (uint32_t k = i + 1; k < f->size; k++)
            if (f->weights[k] == f->weights[i]) taut_text_put(w, ", %s)", taut_text_name(w, changes[k]).text);
        taut_text_put(w, ");\n");
    }
}

void taut_text_cuda_correction(text_writer *w, const program_phase *f)
{
    for (uint32_t k = 0; k < f->size; k++)
        taut_text_put(w, "        %s -= %s;\n", taut_text_name(w, f->unknowns[k]).text,
                      taut_text_name(w, f->changes[k]).text);
    for (uint32_t k = 0; f->iteration.twice && k < f->size; k++)
        taut_text_put(w, "        %s -= %s;\n", taut_text_name(w, f->unknowns[k]).text,
                      taut_text_name(w, f->seconds[k]).text);
}

/* Corrections after two with one matrix. */
static void put_corrections(text_writer *w, const program_phase *f, const program_further *by)
{
    taut_text_tape(w, &by->tape, "        ");
    for (uint32_t k = 0; k < f->size; k++)
        taut_text_put(w, "        %s -= %s;\n", taut_text_name(w, f->unknowns[k]).text,
                      taut_text_name(w, by->sums[k]).text);
}

static void put_further(text_writer *w, const program_phase *f, int index)
{
    const text_operand unit = taut_text_name(w, f->unit);
    taut_text_put(w, "        if (once) {\n");
    put_corrections(w, f, &f->further[FURTHER_ONCE]);
    taut_text_put(w, "        break;\n        }\n"
                     "        if (verdict == ITERATION_GOES_ON) {\n        number last;\n");
    put_corrections(w, f, &f->further[FURTHER_MORE]);
    put_sizes(w, f, f->lasts, "last");
    taut_text_put(w, "        if (taut_quick_further(&phase%d, before%d, size, last, %s, sound)) break;\n", index,
                  index, unit.text);
    taut_text_put(w, "        verdict = iteration_judge_further(&phase%d, before%d, size, last, %s, sure);\n"
                     "        }\n", index, index, unit.text);
}

/* Where it has not ended by little. */
static void put_judgement(text_writer *w, const program_phase *f, int index)
{
    const text_operand unit = taut_text_name(w, f->unit);
    taut_text_put(w, "        int verdict = ITERATION_GOES_ON;\n");
    const int plain = !text_looks_at_pivots(f);
    if (f->further_count)
        taut_text_put(w, "        int once = sound & taut_once_more(&phase%d, before%d, size, %s);\n"
                         "        if (!once) {\n", index, index, unit.text);
    if (f->further_count)
        taut_text_put(w, "        if (taut_goes_further(&phase%d, before%d, size, %s, sound)) {\n"
                         "        sure = 2;\n        } else {\n", index, index, unit.text);
    else if (plain)
        taut_text_put(w, "        if (!taut_goes_on(&phase%d, round, size, before%d, %s, sound)) {\n", index, index,
                      unit.text);
    taut_text_put(w, "        if (factor && !(");
    put_checks(w, f, "PIVOT_LEAST", 0);
    taut_text_put(w, ")) return 1;\n");
    if (text_looks_at_pivots(f)) {
        taut_text_put(w, "        if (factor) sure = sound + (");
        put_checks(w, f, "PIVOT_SURE", 0);
        taut_text_put(w, ");\n");
    }
    taut_text_put(w, "        verdict = iteration_judge(&phase%d, round, size, before%d, %s, factor, sure);\n", index,
                  index, unit.text);
    if (f->further_count) {
        taut_text_put(w, "        }\n        once = verdict == ITERATION_GOES_ON\n"
                         "               && iteration_once_more(&phase%d, before%d, size, %s, sure);\n"
                         "        }\n", index, index, unit.text);
        put_further(w, f, index);
    } else if (plain) {
        taut_text_put(w, "        }\n");
    }
    taut_text_put(w, "        if (verdict == ITERATION_ENDED) break;\n"
                     "        if (verdict == ITERATION_HOPELESS || round == iteration_most(&phase%d) - 1) return 1;\n"
                     "        factor = %s;\n"
                     "        before%d = size;\n",
                  index, f->iteration.always ? "1" : "verdict == ITERATION_NEEDS_MATRIX", index);
}

static void put_iteration(text_writer *w, const program_phase *f, int index)
{
    const iteration *i = &f->iteration;
    taut_text_put(w, "    {\n    number before%d = 0;\n", index);
    taut_text_put(w, "    const iteration phase%d = { %d, %d, %d, %d, %d, %a, %a, %a, %a };\n", index, i->linear,
                  i->always, i->skip_first, i->rough, i->twice, i->enough, i->rest, i->epsilon, i->floor);
    for (uint32_t k = 0; !i->always && k < f->factor.count; k++)
        taut_text_put(w, "    number m_%s = 0;\n", taut_text_name(w, f->factor.code[k].target).text);
    taut_text_put(w, "    int factor = 1, sound = 0, sure = 0;\n    for (int round = 0;; round++) {\n");
    taut_text_tape(w, &f->residual, "        ");
    if (i->always) {
        put_matrix(w, f, "        ");
    } else {
        taut_text_put(w, "        if (factor) {\n");
        put_matrix(w, f, "            ");
        taut_text_put(w, "        }\n");
        for (uint32_t k = 0; k < f->factor.count; k++) {
            const text_operand name = taut_text_name(w, f->factor.code[k].target);
            taut_text_put(w, "        const number %s = m_%s;\n", name.text, name.text);
        }
    }
    taut_text_tape(w, &f->solve, "        ");
    taut_text_put(w, "        number size;\n");
    taut_text_cuda_correction(w, f);
    char before[24];
    snprintf(before, sizeof before, "before%d", index);
    if (i->twice) put_sizes(w, f, f->changes, before);
    put_sizes(w, f, i->twice ? f->seconds : f->changes, "size");
    taut_text_put(w, "        if (taut_quick(&phase%d, round, size, before%d, %s, sound)) break;\n", index, index,
                  taut_text_name(w, f->unit).text);
    put_judgement(w, f, index);
    taut_text_put(w, "    }\n    }\n");
}

/* ---- sums of the state ---- */

/* A sum that grows term by term. */
typedef struct {
    text_operand name;
    uint32_t value;          /* the register that has it; UINT32_MAX: none */
    uint32_t number, terms;  /* of the state's numbers; for the names of what it was before */
} growing_sum;

static void add_next(text_writer *w, growing_sum *s, const char *sign, const char *term)
{
    text_operand next;
    snprintf(next.text, sizeof next.text, "s%u_%u", s->number, s->terms++);
    taut_text_put(w, "    const number %s = %s %s %s;\n", next.text, s->name.text, sign, term);
    s->name = next, s->value = UINT32_MAX;
}

static void add_product(text_writer *w, growing_sum *s, uint32_t a, uint32_t b, int negative)
{
    char product[2 * sizeof(text_operand) + 4];
    taut_text_need(w, a), taut_text_need(w, b);
    snprintf(product, sizeof product, "%s * %s", taut_text_name(w, a).text, taut_text_name(w, b).text);
    add_next(w, s, negative ? "-" : "+", product);
}

/* Is the sum with this term already there? */
static int has_sum(const text_writer *w, const growing_sum *s, uint32_t r, int negative, uint32_t *sum)
{
    *sum = s->value == UINT32_MAX || negative ? UINT32_MAX : taut_text_sum(w, s->value, r);
    return *sum != UINT32_MAX && w->written[*sum];
}

/* Fast steps need not keep the order of the tapes: what is a sum of products that nothing has read so far is added
   product by product, each in one operation, and a part of the sum that was computed before is taken from there. */
static void add_term(text_writer *w, growing_sum *s, uint32_t r, int negative)
{
    const program_instruction *c = w->written[r] ? NULL : w->source[r];
    uint32_t sum;
    if (has_sum(w, s, r, negative, &sum)) {
        s->name = taut_text_name(w, sum), s->value = sum;
    } else if (c && (c->op == OP_ADD || c->op == OP_SUB)) {
        const int second = has_sum(w, s, c->b, negative ^ (c->op == OP_SUB), &sum);
        if (!second) add_term(w, s, c->a, negative);
        add_term(w, s, c->b, negative ^ (c->op == OP_SUB));
        if (second) add_term(w, s, c->a, negative);
    } else if (c && c->op == OP_MUL) {
        add_product(w, s, c->a, c->b, negative);
    } else if (c && (c->op == PROGRAM_MULTIPLY_ADD || c->op == PROGRAM_MULTIPLY_SUBTRACT ||
                     c->op == PROGRAM_SUBTRACT_PRODUCT)) {
        add_term(w, s, c->c, negative ^ (c->op == PROGRAM_MULTIPLY_SUBTRACT));
        add_product(w, s, c->a, c->b, negative ^ (c->op == PROGRAM_SUBTRACT_PRODUCT));
    } else {
        taut_text_need(w, r);
        add_next(w, s, negative ? "-" : "+", taut_text_name(w, r).text);
    }
}

/* newI = x[I] + d */
static void put_fast_sum(text_writer *w, uint32_t x, uint32_t d)
{
    const uint32_t value = w->t->p->state_first + x;
    taut_text_need(w, value);
    growing_sum s = { .name = taut_text_name(w, value), .value = value, .number = x };
    add_term(w, &s, d, 0);
    taut_text_put(w, "    const number new%u = %s;\n", x, s.name.text);
}

static void put_add(text_writer *w, uint32_t x, uint32_t low, uint32_t d)
{
    const uint32_t first = w->t->p->state_first;
    if (w->fast) {
        taut_text_put(w, "    x[%u] = new%u;\n", x, x);
        return;
    }
    taut_text_need(w, d), taut_text_need(w, first + low), taut_text_need(w, first + x);
    const text_operand from = taut_text_name(w, first + x);
    taut_text_put(w, "    { const number y = %s + %s, sum = %s + y; x[%u] = y - (sum - %s), x[%u] = sum; }\n",
                  taut_text_name(w, d).text, taut_text_name(w, first + low).text, from.text, low, from.text, x);
}

static void put_finite(text_writer *w, uint32_t d)
{
    taut_text_put(w, "    TAUT_FINITE(finite, %s);\n", taut_text_name(w, d).text);
}

/* A step that leads to what is no number is left. */
static void put_all_finite(text_writer *w)
{
    const program *p = w->t->p;
    taut_text_put(w, "    TAUT_FINITE_TYPE finite = 0;\n");
    for (uint32_t i = 0; i < w->plan->n; i++) put_finite(w, p->move[i]), put_finite(w, p->push[i]);
    for (int k = 0; k < p->phase_count; k++)
        for (uint32_t i = 0; i < p->phases[k].size; i++)
            if (taut_text_weighs(w, p->phases[k].weights[i], 0)) put_finite(w, p->phases[k].unknowns[i]);
    taut_text_put(w, "    if (!(finite == 0)) return 1;\n");
}

/* trendK: the trend of a multiplier; or what the next step begins with, where the state keeps that. */
static void put_trend(text_writer *w, uint32_t k)
{
    const program *p = w->t->p;
    if (w->guesses) {
        taut_text_put(w, "    const number trend%u = TAUT_TWICE_LESS(%s, x[%u]);\n", k,
                      taut_text_name(w, p->lambda[k]).text, 5 * w->plan->n + k);
        return;
    }
    taut_text_need(w, p->trend[k]);
    taut_text_put(w, "    const number trend%u = %s;\n", k, taut_text_name(w, p->trend[k]).text);
}

static void put_fast_sums(text_writer *w)
{
    const program *p = w->t->p;
    const uint32_t n = w->plan->n, c = w->plan->c;
    for (uint32_t i = 0; i < n; i++) {
        put_fast_sum(w, i, p->move[i]);
        if (p->sets_momentum)
            taut_text_need(w, p->push[i]);
        else
            put_fast_sum(w, n + i, p->push[i]);
    }
    if (p->has_work && w->plan->own_work) put_fast_sum(w, 5 * n + c + 1, p->work);
}

/* All that the old state is needed for, then the new one: a step that is left leaves the state as it was. */
void taut_text_cuda_results(text_writer *w, int without_velocities)
{
    const program *p = w->t->p;
    const uint32_t n = w->plan->n, c = w->plan->c;
    for (uint32_t i = 0; i < n; i++) {
        if (!w->fast || !w->single) taut_text_need(w, p->move[i]), taut_text_need(w, p->push[i]);
        if (p->w && !without_velocities) taut_text_need(w, p->w[i]);
    }
    for (uint32_t k = 0; p->lambda && k < c; k++) taut_text_need(w, p->lambda[k]);
    for (uint32_t k = 0; p->trend && k < c; k++) put_trend(w, k);
    for (uint32_t k = 0; p->change && k < 2 * c; k++) taut_text_need(w, p->change[k]);
    if (p->has_work) taut_text_need(w, p->work);
    if (!w->single) put_all_finite(w);
    if (w->fast) put_fast_sums(w);
    for (uint32_t i = 0; i < n; i++) {
        put_add(w, i, 3 * n + i, p->move[i]);
        if (p->sets_momentum)
            taut_text_put(w, "    x[%u] = %s, x[%u] = 0;\n", n + i, taut_text_name(w, p->push[i]).text, 4 * n + i);
        else
            put_add(w, n + i, 4 * n + i, p->push[i]);
        if (p->w && !without_velocities)
            taut_text_put(w, "    x[%u] = %s;\n", 2 * n + i, taut_text_name(w, p->w[i]).text);
        else if (!p->w)
            taut_text_put(w, "    x[%u] = x[%u];\n", 2 * n + i, n + i);
    }
    for (uint32_t k = 0; p->lambda && k < c; k++)
        taut_text_put(w, "    x[%u] = %s;\n", 5 * n + k, taut_text_name(w, p->lambda[k]).text);
    for (uint32_t k = 0; p->trend && k < c; k++)
        taut_text_put(w, "    x[%u] = trend%u;\n", program_trend_at(n, c) + k, k);
    for (uint32_t k = 0; p->change && k < 2 * c; k++)
        taut_text_put(w, "    x[%u] = %s;\n", program_trend_at(n, c) + c + k, taut_text_name(w, p->change[k]).text);
    if (p->has_work && w->plan->own_work) put_add(w, 5 * n + c + 1, 5 * n + c + 2, p->work);
}

/* ---- steps by rough sizes ----
 *
 * quickN is stepN with sizes of corrections that are known to some 2^-18: the upper halves of numbers are compared,
 * which takes fewer instructions and none on doubles, and nothing has to be ready for verdicts that hardly any step
 * needs. It believes what exceeds its bound by 2^-16. A step that this does not decide is made by stepN, out of line,
 * from a copy of the state; all others have the operations of stepN, and its bits. */
static const char surely[] =
    "#ifndef SURE\n"
    "#define SURE 16\n"
    "#endif\n"
    "#ifdef __CUDACC__\n"
    "#define TAUT_TOP(x) __double2hiint(x)\n"
    "#define TAUT_FROM_TOP(i) __hiloint2double(i, 0)\n"
    "#else\n"
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
    /* surely a > 2^octaves b, of numbers without a sign; where one is none, the step is not made in the end */
    "static inline int taut_above(double a, double b, int octaves)\n"
    "{\n"
    "    return TAUT_TOP(a) - SURE - octaves * (1 << 20) >= TAUT_TOP(b);\n"
    "}\n\n";

/* After two corrections (iteration_judge_two): where second is at most 1/16 of first, and exceeds what ends the
   iteration, first exceeds enough of unit as well, since rest is at least 1/256 of enough. */
enum { MUCH = 16, MUCH_OCTAVES = 4 };

int taut_text_cuda_has_quick(const program *p)
{
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        if (f->size && (f->iteration.skip_first || !text_looks_at_pivots(f))) return 0;
        if (f->size && f->iteration.twice && f->iteration.enough > MUCH * MUCH * f->iteration.rest) return 0;
    }
    return 1;
}

/* Two corrections, and further ones: ends the loop, goes on, or leaves the step. */
static void put_quick_verdict(text_writer *w, const program_phase *f)
{
    const text_operand unit = taut_text_name(w, f->unit);
    taut_text_put(w, "        number first;\n");
    put_sizes(w, f, f->changes, "first");
    taut_text_put(w, "        const number left = size * size, right = %a * %s * first;\n"
                     "        const int small = taut_above(most, first, 0);\n"
                     "        if (small & taut_above(right, left, 0)) break;\n", f->iteration.rest, unit.text);
    taut_text_put(w, "        const int goes_on = taut_above(first, size, %d) & taut_above(left, right, 0);\n"
                     "        if (!goes_on && taut_above(%a * %s, first, 0)) break;\n"
                     "        if (!goes_on) return 1;\n", MUCH_OCTAVES, f->iteration.enough, unit.text);
    if (f->further_count) {
        taut_text_put(w, "        const number cube = left * size, bound = right * first;\n" /* 8 of it count */
                         "        if (small & taut_above(bound, cube, 3)) {\n");
        put_corrections(w, f, &f->further[FURTHER_ONCE]);
        taut_text_put(w, "        break;\n        }\n"
                         "        const int large = taut_above(first, most, 0);\n"
                         "        if (!(large | taut_above(cube, bound, -3))) return 1;\n        number last;\n");
        put_corrections(w, f, &f->further[FURTHER_MORE]);
        put_sizes(w, f, f->lasts, "last");
        taut_text_put(w, "        const number rest = size * last;\n" /* 4 of it count */
                         "        if (small & taut_above(right, rest, 2)) break;\n"
                         "        if (!(large | taut_above(rest, right, -2))) return 1;\n");
    }
    taut_text_put(w, "        if (round == ITERATIONS_MOST - 1) return 1;\n");
}

/* Pivots that are surely sound; the others are looked at again. */
static void put_quick_checks(text_writer *w, const program_phase *f)
{
    const text_operand unit = taut_text_name(w, f->unit);
    int any = 0;
    taut_text_put(w, "        if (!(");
    for (uint32_t i = 0; i < f->check_count; i++)
        if (f->checks[i].pivot != f->checks[i].reference)
            taut_text_put(w, "%staut_above(taut_math_fabs(%s), taut_math_fabs(PIVOT_SOUND * %s), 0)",
                          any++ ? " & " : "", taut_text_name(w, f->checks[i].pivot).text,
                          taut_text_name(w, f->checks[i].reference).text);
    taut_text_put(w, "%s)) {\n            if (!(", any ? "" : "1");
    put_checks(w, f, "PIVOT_LEAST", 0);
    taut_text_put(w, ")) return 1;\n            if (!(");
    put_checks(w, f, "PIVOT_SOUND", 1);
    taut_text_put(w, "))\n                most = (");
    put_checks(w, f, "PIVOT_SURE", 0);
    taut_text_put(w, ") ? LINEAR_SURE * %s : LINEAR_ENOUGH * %s;\n        }\n", unit.text, unit.text);
}

/* most: the largest correction that pivots allow (iteration_linear). */
static void put_quick_phase(text_writer *w, const program_phase *f)
{
    taut_text_put(w, "    for (int round = 0;; round++) {\n        number size, most = LINEAR_SOUND * %s;\n",
                  taut_text_name(w, f->unit).text);
    taut_text_tape(w, &f->residual, "        ");
    taut_text_tape(w, &f->factor, "        ");
    put_quick_checks(w, f);
    taut_text_tape(w, &f->solve, "        ");
    taut_text_cuda_correction(w, f);
    put_sizes(w, f, f->iteration.twice ? f->seconds : f->changes, "size");
    if (f->iteration.twice)
        put_quick_verdict(w, f);
    else /* a second correction of linear equations is the last */
        taut_text_put(w, "        if (taut_above(most, size, 0)) break;\n"
                         "        if (round || !taut_above(size, most, 0)) return 1;\n");
    taut_text_put(w, "    }\n");
}

/* stepN, or quickN. */
static int put_step(text_writer *w, int index, int quick)
{
    const program *p = w->plan->programs[index].p;
    int status = taut_text_begin(w, &w->plan->programs[index]);
    if (!status && quick) status = taut_text_begin_roughly(w);
    if (status) {
        taut_text_end(w);
        return status;
    }
    taut_text_put(w, "%s%d(number *x, int even_at, const number *odd, long long stride%s)\n{\n",
                  quick                         ? "TAUT_STEP quick"
                  : taut_text_cuda_has_quick(p) ? "TAUT_RARE int step"
                                                : "TAUT_STEP step", index,
                  w->plan->uses_time ? ", number t0, number t0_low, number t1, number span" : "");
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        taut_text_need_for(w, f);
        if (!f->size) continue;
        for (uint32_t i = 0; i < f->size; i++)
            taut_text_put(w, "    number %s = %s;\n", taut_text_name(w, f->unknowns[i]).text,
                          taut_text_name(w, f->guesses[i]).text);
        if (quick)
            put_quick_phase(w, f);
        else
            put_iteration(w, f, k);
        taut_text_section(w);
    }
    taut_text_cuda_results(w, 0);
    taut_text_put(w, "    return 0;\n}\n\n");
    taut_text_end(w);
    return TAUT_OK;
}

/* The table of a part: where its numbers are, its length and its program. */
static void put_table(builder *out, const char *type, const char *name, const text_plan *p, int what)
{
    taut_builder_put(out, "TAUT_SHARED const %s %s[%d] = {", type, name, p->part_count);
    for (int i = 0; i < p->part_count; i++) {
        const text_length *l = &p->lengths[p->parts[i]];
        if (what == 2)
            taut_builder_put(out, " %a,", l->halved ? l->factor / 2 : l->factor);
        else
            taut_builder_put(out, " %u,", what == 0 ? l->even_at : what == 1 ? l->odd_at : (uint32_t)l->program);
    }
    taut_builder_put(out, " };\n");
}

static void put_call(text_writer *w, int program, const char *even_at, const char *odd, const char *indent)
{
    const char *times = w->plan->uses_time ? ", t, t_low, t1, t1 - t" : "";
    const uint32_t numbers = w->plan->numbers;
    if (!taut_text_cuda_has_quick(w->plan->programs[program].p)) {
        taut_text_put(w, "%sleft = step%d(y, %s, %s, count%s);\n", indent, program, even_at, odd, times);
        return;
    }
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
        put_table(out, "int", "evens", p, 0);
        put_table(out, "long long", "odds", p, 1);
        put_table(out, "double", "lengths", p, 2);
        put_table(out, "int", "programs", p, 3);
    }
    if (taut_text_cuda_is_direct(p)) taut_builder_put(out, "#define TAUT_HALVES\n");
    taut_builder_add(out, surely, sizeof surely - 1);
    for (int k = 0; !status && k < p->program_count; k++) {
        status = put_step(&w, k, 0);
        if (!status && taut_text_cuda_has_quick(p->programs[k].p)) status = put_step(&w, k, 1);
    }
    if (!status && taut_text_cuda_is_direct(p))
        status = taut_text_cuda_direct(&w);
    else
        put_kernel(&w);
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
