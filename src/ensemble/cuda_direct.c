/* Steps as CUDA C without branches.
 *
 * A thread that branches waits: for what it branches on, and because nothing behind a branch begins before it. directN
 * is quickN (cuda_text.c) in one line: one round of each phase, whose verdicts are numbers that are looked at together,
 * behind everything that takes time, for all threads of a warp at once. Where all of them are sure, their new states
 * are written; if one is not, none is, and the warp makes that step as quickN does. The operations of a step that is
 * made are those of the tapes, so bits do not depend on any of this.
 *
 * direct0 expects that two corrections with a matrix are enough, direct1 makes one more with it where that is needed. A
 * warp goes over to direct1 when a member asks for it, for two steps, and longer as long as that is asked for.
 *
 * Measures are in single precision, relative to the unit of their phase, and so cost nothing in double precision, of
 * which a processor has least. A number that single precision does not hold makes a step unsure, never wrong. */
#include <stdio.h>
#include <string.h>

#include "ensemble/writer.h"

static const char tools[] =
    "#ifdef __CUDACC__\n"
    "#define TAUT_ANY(x) __any_sync(0xffffffffu, x)\n"
    "#define TAUT_TWO_STEPS _Pragma(\"unroll 2\")\n" /* fewer copies from one to the next */
    "#define TAUT_HERE(x) asm volatile(\"\" : \"+d\"(x))\n" /* it is in its place here, and not before */
    /* all threads of a warp take part in its votes, with a member or without */
    "#define TAUT_MEMBERS \\\n"
    "    const int is_one = TAUT_MEMBER < count; const long long member = is_one ? TAUT_MEMBER : count - 1;\n"
    "#define TAUT_TWICE_LESS(a, b) __fma_rn(2.0, a, -(b))\n" /* 2 a - b: the compiler would add a to itself */
    "static inline float taut_abs_single(float x) { return fabsf(x); }\n"
    "static inline float taut_max_single(float a, float b) { return fmaxf(fabsf(a), fabsf(b)); }\n"
    "static inline float taut_inverse(float x)\n"
    "{\n"
    "    float y;\n"
    "    asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
    "    return y;\n"
    "}\n"
    /* 1/x as the compiler makes it, without the branch for numbers that are not usual; fast: it may be off by a unit
       in the last place */
    "static inline double taut_reciprocal(double x, int *usual)\n"
    "{\n"
    "    double r, e;\n"
    "    asm(\"rcp.approx.ftz.f64 %0, %1;\" : \"=d\"(r) : \"d\"(x));\n"
    "    r = __hiloint2double(__double2hiint(r), __double2hiint(x) + 0x300402);\n"
    "    e = __fma_rn(-(x), r, 1.0), e = __fma_rn(e, e, e), r = __fma_rn(r, e, r);\n"
    "    *usual &= 2u * (unsigned)__double2hiint(x) - 0x20000000u < 0xc0000000u;\n"
    "#ifdef TAUT_FAST\n"
    "    return r;\n"
    "#else\n"
    "    e = __fma_rn(-(x), r, 1.0);\n"
    "    return __fma_rn(r, e, r);\n"
    "#endif\n"
    "}\n"
    "#else\n"
    "#define TAUT_ANY(x) (x)\n"
    "#define TAUT_TWO_STEPS\n"
    "#define TAUT_HERE(x) (void)(x)\n"
    "#define TAUT_TWICE_LESS(a, b) (2 * (a) - (b))\n"
    "#define TAUT_MEMBERS const int is_one = 1; TAUT_LOOP\n"
    "static inline float taut_abs_single(float x) { return x < 0 ? -(x) : x; }\n"
    "static inline float taut_max_single(float a, float b)\n"
    "{\n"
    "    a = taut_abs_single(a), b = taut_abs_single(b);\n"
    "    return a > b ? a : b;\n"
    "}\n"
    "static inline float taut_inverse(float x) { return 1 / x; }\n"
    "static inline double taut_reciprocal(double x, int *usual) { (void)usual; return 1 / x; }\n"
    "#endif\n"
    "#ifndef UNSURE\n"
    "#define UNSURE 0x1p-14f\n"
    "#endif\n"
    "#define SINGLE(i) single[even_at + i]\n"
    "#define LESS(x) ((x) * (1 - UNSURE))\n"
    "#define MORE(x) ((x) * (1 + UNSURE))\n\n";

/* Sizes are relative to the unit. So small a size as this would be lost in single precision, and does not count. */
#define SCALE_LEAST "1e-18f"
#define WEIGHT_MOST "1e17f"
#define UNIT_LEAST "1e-18f"
#define UNIT_MOST "1e18f"

int taut_text_cuda_is_direct(const text_plan *p)
{
    return p->part_count == 1 && p->program_count == 1 && taut_text_cuda_has_quick(p->programs[0].p);
}

/* ---- velocities (speeds.c) ---- */

/* ---- trends ---- */

static size_t count_reads(const segment *tape, uint32_t r)
{
    size_t reads = 0;
    for (uint32_t i = 0; i < tape->count; i++) {
        uint32_t operands[3];
        for (int k = taut_text_operands(&tape->code[i], operands); k-- > 0;) reads += operands[k] == r;
    }
    return reads;
}

/* Multipliers that begin with lambda + trend, where the trend is the last change: fast steps may keep the sum instead,
   2 lambda - lambda before, if nothing else reads the trend. */
static int can_guess(const text_writer *w)
{
    const program *p = w->t->p;
    const uint32_t n = w->plan->n, c = w->plan->c, first = p->state_first;
    int can = w->fast && p->trend && p->lambda && !p->change;
    for (uint32_t k = 0; can && k < c; k++) {
        const uint32_t lambda = first + 5 * n + k, trend = first + program_trend_at(n, c) + k;
        const program_instruction *change = w->source[p->trend[k]];
        size_t reads = count_reads(&p->results, trend);
        for (int i = 0; i < p->phase_count; i++) reads += count_reads(&p->phases[i].begin, trend);
        can = change && change->op == OP_SUB && change->a == p->lambda[k] && change->b == lambda && reads == 1
              && taut_text_sum(w, lambda, trend) != UINT32_MAX;
    }
    return can;
}

/* The sums are there from the step before. */
static void put_guesses(text_writer *w)
{
    const uint32_t n = w->plan->n, c = w->plan->c, first = w->t->p->state_first;
    for (uint32_t k = 0; w->guesses && k < c; k++) {
        const uint32_t at = program_trend_at(n, c) + k, sum = taut_text_sum(w, first + 5 * n + k, first + at);
        taut_text_put(w, "    const number %s = x[%u];\n", taut_text_name(w, sum).text, at);
        w->written[sum] = 1;
    }
}

/* From trends to sums, or back. */
static void put_turn(text_writer *w, int guesses, const char *sign, const char *indent)
{
    const uint32_t n = w->plan->n, c = w->plan->c;
    for (uint32_t k = 0; guesses && k < c; k++)
        taut_text_put(w, "%sy[%u] %s= y[%u];\n", indent, program_trend_at(n, c) + k, sign, 5 * n + k);
}

/* How a constant is read in the kernel. */
static text_operand constant_name(const text_writer *w, uint32_t r)
{
    text_operand o = taut_text_name(w, r);
    if (w->t->place[r] != UINT32_MAX)
        snprintf(o.text, sizeof o.text, w->t->varies[r] ? "odd[%u * stride + member]" : "EVEN(%u)", w->t->place[r]);
    return o;
}

/* The larger sizes of the unit: of momenta with equal factors together. */
static void put_speed(text_writer *w, const text_speeds *v, int index, const char *size)
{
    const uint32_t n = w->plan->n;
    for (uint32_t i = 0; i < n; i++) {
        if (!taut_text_is_first(v, i)) continue;
        taut_text_need(w, v->factors[i]);
        taut_text_put(w, "    const float speed%d_%u = %s * (float)", index, i,
                      taut_text_single(w, v->factors[i]).text);
        for (uint32_t k = i + 1; k < n; k++)
            if (taut_text_are_together(v, i, k)) taut_text_put(w, "taut_about(");
        taut_text_put(w, "x[%u]", n + i);
        for (uint32_t k = i + 1; k < n; k++)
            if (taut_text_are_together(v, i, k)) taut_text_put(w, ", x[%u])", n + k);
        taut_text_put(w, ";\n    fits%d |= (%s < LESS((float)LINEAR_SOUND) * taut_abs_single(speed%d_%u))\n"
                         "        & (taut_abs_single(speed%d_%u) < " UNIT_MOST ");\n", index, size, index, i, index, i);
    }
}

static void put_velocities(text_writer *w, const text_speeds *v, const char *indent)
{
    const uint32_t n = w->plan->n;
    for (uint32_t i = 0; v->size != UINT32_MAX && i < n; i++)
        taut_text_put(w, "%sif (made) y[%u] = %s * y[%u];\n", indent, 2 * n + i,
                      constant_name(w, v->factors[i]).text, n + i);
}

/* ---- a step ---- */

/* Products of rough values are in single precision, and what is made of them. */
static int begin_single(text_writer *w, const text_speeds *v)
{
    const program *p = w->t->p;
    int status = taut_text_begin_roughly(w);
    if (status) return status;
    w->single = w->depth + p->register_count;
    if (v->size != UINT32_MAX) w->single[v->size] = w->written[v->size] = 1;
    for (int k = 0; k <= p->phase_count; k++) {
        const segment *tape = k < p->phase_count ? &p->phases[k].begin : &p->results;
        for (uint32_t i = 0; i < tape->count; i++) {
            const program_instruction *c = &tape->code[i];
            uint32_t operands[3];
            int single = c->op == OP_MUL;
            for (int j = taut_text_operands(c, operands); j-- > 0;) single |= w->single[operands[j]];
            if (w->roughly[c->target]) w->single[c->target] |= (unsigned char)single;
        }
    }
    return TAUT_OK;
}

/* Sizes of corrections; weightN_I are there. */
static void put_size(text_writer *w, const program_phase *f, int index, const uint32_t *changes, const char *size)
{
    int any = 0;
    for (uint32_t i = 0; i < f->size; i++) {
        if (taut_text_weighs(w, f->weights[i], 0)) continue;
        taut_text_put(w, any ? "    %s = taut_max_single(%s, weight%d_%u * %s);\n"
                             : "    float %s = %sweight%d_%u * %s;\n",
                      size, any ? size : "", index, i, taut_text_single(w, changes[i]).text);
        any = 1;
    }
    taut_text_put(w, any ? "    %s = taut_abs_single(%s);\n" : "    float %s = 0;\n", size, size);
}

/* What single precision does not hold makes a step unsure: a weight so large would count what it takes for zero. */
static void put_weights(text_writer *w, const program_phase *f, int index)
{
    char scale[24] = "";
    if (f->iteration.twice) {
        taut_text_put(w, "    const float scale%d = taut_inverse(%s);\n    sure &= scale%d > " SCALE_LEAST ";\n", index,
                      taut_text_single(w, f->unit).text, index);
        snprintf(scale, sizeof scale, " * scale%d", index);
    }
    for (uint32_t i = 0; i < f->size; i++) {
        if (taut_text_weighs(w, f->weights[i], 0)) continue;
        taut_text_put(w, "    const float weight%d_%u = %s%s;\n", index, i, taut_text_single(w, f->weights[i]).text,
                      scale);
        taut_text_put(w, "    sure &= taut_abs_single(weight%d_%u) < " WEIGHT_MOST ";\n", index, i);
    }
}

static void put_pivots(text_writer *w, const program_phase *f)
{
    for (uint32_t i = 0; i < f->check_count; i++)
        if (f->checks[i].pivot != f->checks[i].reference)
            taut_text_put(w, "    sure &= taut_abs_single(%s) > MORE((float)PIVOT_SOUND) * taut_abs_single(%s);\n",
                          taut_text_single(w, f->checks[i].pivot).text,
                          taut_text_single(w, f->checks[i].reference).text);
}

/* After the correction of linear equations. */
static void put_verdict_linear(text_writer *w, const text_speeds *v, const program_phase *f, int index)
{
    const text_operand unit = taut_text_single(w, f->unit);
    char size[24];
    snprintf(size, sizeof size, "size%d", index);
    put_size(w, f, index, f->changes, size);
    taut_text_put(w, "    sure &= (%s > " UNIT_LEAST ") & (%s < " UNIT_MOST ");\n", unit.text, unit.text);
    taut_text_put(w, "    int fits%d = %s < LESS((float)LINEAR_SOUND) * %s;\n", index, size, unit.text);
    if (f->unit == v->unit) put_speed(w, v, index, size);
    taut_text_put(w, "    sure &= fits%d;\n", index);
}

/* After two corrections (iteration_judge_two, iteration_once_more). What exceeds `rest` with a second correction of at
   most 1/16 of the first has a first one that exceeds `enough` (taut_text_cuda_has_quick). Powers of two keep squares
   and cubes of what counts where single precision has them. */
static void put_verdict_two(text_writer *w, const program_phase *f, int index, int once)
{
    const double rest = f->iteration.rest;
    char first[24], second[24];
    snprintf(first, sizeof first, "first%d", index), snprintf(second, sizeof second, "second%d", index);
    put_size(w, f, index, f->changes, first);
    put_size(w, f, index, f->seconds, second);
    taut_text_put(w, "    const float much%d = %s * 0x1p40f, square%d = much%d * much%d;\n", index, second, index,
                  index, index);
    taut_text_put(w, "    const int small%d = %s < LESS((float)LINEAR_SOUND);\n", index, first);
    taut_text_put(w, "    const int ended%d = (%s < LESS(%af)) | (small%d & (square%d < LESS(%af) * %s));\n", index,
                  first, f->iteration.enough, index, index, rest * 0x1p80, first);
    if (!once || !f->further_count) {
        taut_text_put(w, "    sure &= ended%d;\n", index);
        return;
    }
    taut_text_put(w, "    const int once%d = small%d & (16 * %s < %s) & (square%d > MORE(%af) * %s)\n"
                     "        & (8 * square%d * much%d < LESS(%af) * %s * %s);\n", index, index, second, first, index,
                  rest * 0x1p80, first, index, index, rest * 0x1p120, first, first);
    taut_text_put(w, "    sure &= ended%d | once%d;\n    *further |= !ended%d;\n", index, index, index);
    taut_text_tape(w, &f->further[FURTHER_ONCE].tape, "    ");
    for (uint32_t k = 0; k < f->size; k++) {
        const text_operand u = taut_text_name(w, f->unknowns[k]);
        taut_text_put(w, "    %s -= ended%d ? 0 : %s;\n", u.text, index,
                      taut_text_name(w, f->further[FURTHER_ONCE].sums[k]).text);
    }
}

static void put_phase(text_writer *w, const text_speeds *v, const program_phase *f, int index, int once)
{
    taut_text_tape(w, &f->residual, "    ");
    taut_text_tape(w, &f->factor, "    ");
    taut_text_tape(w, &f->solve, "    ");
    taut_text_cuda_correction(w, f);
    put_weights(w, f, index);
    put_pivots(w, f);
    if (f->iteration.twice)
        put_verdict_two(w, f, index, once);
    else
        put_verdict_linear(w, v, f, index);
}

/* gone: the member is over, whatever becomes of it here. */
static void put_direct(text_writer *w, const text_speeds *v, int once)
{
    const program *p = w->t->p;
    taut_text_put(w, "TAUT_STEP direct%d(number *x, int *further, int gone, int even_at, const number *odd,\n"
                     "    long long stride%s)\n{\n    int sure = 1, usual = 1;\n", once,
                  w->plan->uses_time ? ", number t0, number t0_low, number t1, number span" : "");
    if (v->size != UINT32_MAX)
        taut_text_put(w, "    const float %s = 0;\n", taut_text_name(w, v->size).text);
    w->guards = 1;
    put_guesses(w);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        taut_text_need_for(w, f);
        if (!f->size) continue;
        for (uint32_t i = 0; i < f->size; i++)
            taut_text_put(w, "    number %s = %s;\n", taut_text_name(w, f->unknowns[i]).text,
                          taut_text_name(w, f->guesses[i]).text);
        put_phase(w, v, f, k, once);
        taut_text_section(w);
    }
    w->guards = 0;
    taut_text_put(w, "    if (TAUT_ANY(!(sure & usual) & !gone)) return 1;\n");
    taut_text_cuda_results(w, v->size != UINT32_MAX);
    taut_text_put(w, "    return 0;\n}\n\n");
}

/* ---- the kernel ---- */

static int goes_further(const program *p)
{
    for (int k = 0; k < p->phase_count; k++)
        if (p->phases[k].iteration.twice && p->phases[k].further_count) return 1;
    return 0;
}

static void put_state(text_writer *w, const char *indent, int load)
{
    const text_plan *p = w->plan;
    for (uint32_t i = 0; i < p->numbers; i++) {
        if (load && (p->loaded[i] || p->stored[i]))
            taut_text_put(w, "%sy[%u] = x[%u * count + member];\n", indent, i, i);
        if (!load && p->stored[i]) taut_text_put(w, "%sx[%u * count + member] = y[%u];\n", indent, i, i);
    }
}

/* One step: `left` if it was not made. */
static void put_try(text_writer *w, int once, const char *indent)
{
    taut_text_cuda_time(w, "t", "t_low", "h", indent);
    taut_text_put(w, "%sconst int left = direct%d(y, &further, gone, 0, odd + member, count%s);\n", indent, once,
                  w->plan->uses_time ? ", t, t_low, t1, t1 - t" : "");
}

static void put_later(text_writer *w, const char *indent)
{
    if (w->plan->uses_time) taut_text_put(w, "%st = t1, t_low = t1_low;\n", indent);
}

/* Steps as long as all threads are sure. */
static void put_loop(text_writer *w, int once, const char *indent)
{
    char deeper[40];
    snprintf(deeper, sizeof deeper, "%s    ", indent);
    taut_text_put(w, "%sTAUT_TWO_STEPS\n%sfor (; made < most; made++) {\n", indent, indent);
    put_try(w, once, deeper);
    taut_text_put(w, "%sif (left) break;\n", deeper);
    put_later(w, deeper);
    if (once)
        taut_text_put(w, "%sif (made + 1 == until) {\n%s    if (!TAUT_ANY(further & !gone)) {\n"
                         "%s        made++, expects = 0, window = 2;\n%s        break;\n%s    }\n"
                         "%s    window = window < 64 ? 2 * window : window;\n"
                         "%s    until += window, further = 0;\n%s}\n",
                      deeper, deeper, deeper, deeper, deeper, deeper, deeper, deeper);
    taut_text_put(w, "%s}\n", indent);
}

/* The same in pairs: the second step reads the numbers where the first one has put them, and no number is copied. The
   compiler would copy them all before a branch that is hardly ever taken, if it could. A last one alone is left. */
static void put_pairs(text_writer *w, const char *indent)
{
    const text_plan *p = w->plan;
    char deeper[40], last[40];
    snprintf(deeper, sizeof deeper, "%s    ", indent), snprintf(last, sizeof last, "%s        ", indent);
    taut_text_put(w, "%sfor (; made + 1 < most; made += 2) {\n", indent);
    for (int second = 0; second < 2; second++) {
        taut_text_put(w, "%s{\n", deeper);
        put_try(w, 0, last);
        taut_text_put(w, "%sif (left) {\n", last);
        for (uint32_t i = 0; second && i < p->numbers; i++)
            if (p->stored[i]) taut_text_put(w, "%s    TAUT_HERE(y[%u]);\n", last, i);
        taut_text_put(w, "%s    made += %d;\n%s    break;\n%s}\n", last, second, last, last);
        put_later(w, last);
        taut_text_put(w, "%s}\n", deeper);
    }
    taut_text_put(w, "%s}\n", indent);
}

/* All of a state that tells whether it is one of numbers: what is none stays none. */
static void put_numbers(text_writer *w)
{
    const text_plan *p = w->plan;
    taut_text_put(w, "TAUT_FUNCTION int taut_numbers(const number *y)\n{\n    number sum = 0;\n");
    for (uint32_t i = 0; i < 2 * p->n; i++) taut_text_put(w, "    sum += y[%u] - y[%u];\n", i, i);
    for (uint32_t i = 5 * p->n; i < 5 * p->n + p->c; i++)
        if (p->loaded[i] || p->stored[i]) taut_text_put(w, "    sum += y[%u] - y[%u];\n", i, i);
    taut_text_put(w, "    return sum == 0;\n}\n\n");
}

/* Steps of each thread by itself, out of line, so that they take no registers from the others; where one is left, the
   member stays where it is. */
static void put_usual(text_writer *w)
{
    const char *times = w->plan->uses_time ? ", t, t_low, t1, t1 - t" : "";
    const uint32_t numbers = w->plan->numbers;
    taut_text_put(w, "TAUT_RARE int usual0(number *all, number *clock, int made, int end, int gone, int is_one,\n"
                     "    number h, number *x, const number *odd, long long count, long long member, long long *done)\n{\n"
                     "    number y[%u], t = clock[0], t_low = clock[1];\n    int lost = 0;\n"
                     "    (void)h, (void)t, (void)t_low;\n"
                     "    for (int i = 0; i < %u; i++) y[i] = all[i];\n"
                     "    for (; made < end; made++) {\n", numbers, numbers);
    taut_text_cuda_time(w, "t", "t_low", "h", "        ");
    taut_text_put(w, "        if (!gone && quick0(y, 0, odd + member, count%s)) {\n"
                     "            number z[%u];\n            for (int i = 0; i < %u; i++) z[i] = y[i];\n"
                     "            gone = step0(z, 0, odd + member, count%s);\n"
                     "            for (int i = 0; !gone && i < %u; i++) y[i] = z[i];\n"
                     "            lost = gone && !taut_numbers(y);\n"
                     "            if (gone && !lost && is_one) {\n", times, numbers, numbers, times, numbers);
    put_state(w, "                ", 0);
    taut_text_put(w, "                done[member] = made;\n            }\n        }\n");
    if (w->plan->uses_time) taut_text_put(w, "        t = t1, t_low = t1_low;\n");
    taut_text_put(w, "    }\n    for (int i = 0; i < %u; i++) all[i] = y[i];\n    clock[0] = t, clock[1] = t_low;\n"
                     "    return gone + 2 * lost;\n}\n\n", numbers);
}

/* Steps with a test for numbers in each: for a member that was lost without notice. */
static void put_careful(text_writer *w)
{
    const uint32_t numbers = w->plan->numbers;
    taut_text_put(w, "        if (lost) {\n");
    put_state(w, "            ", 1);
    taut_text_put(w, "            t = t_begin, t_low = t_begin_low;\n"
                     "            for (made = 0; made < most; made++) {\n"
                     "                number z[%u];\n                for (int i = 0; i < %u; i++) z[i] = y[i];\n",
                  numbers, numbers);
    taut_text_cuda_time(w, "t", "t_low", "h", "                ");
    taut_text_put(w, "                if (step0(z, 0, odd + member, count%s)) break;\n"
                     "                for (int i = 0; i < %u; i++) y[i] = z[i];\n",
                  w->plan->uses_time ? ", t, t_low, t1, t1 - t" : "", numbers);
    if (w->plan->uses_time) taut_text_put(w, "                t = t1, t_low = t1_low;\n");
    taut_text_put(w, "            }\n        }\n");
}

/* made, expects, window and span are the same for all threads of a warp. */
static void put_kernel(text_writer *w, const text_speeds *v, int guesses)
{
    const text_plan *p = w->plan;
    const int further = goes_further(w->t->p);
    taut_text_put(w, "TAUT_KERNEL %s(number *x, const number *odd, number t, number t_low, number h, long long steps,\n"
                     "    long long count, long long *done)\n{\n    const number t_begin = t, t_begin_low = t_low;\n"
                     "    const int most = (int)steps, even_at = 0;\n    const long long stride = count;\n"
                     "    TAUT_MEMBERS {\n"
                     "        number y[%u];\n"
                     "        int made = 0, further = 0, expects = 0, window = 2, span = 1, gone, lost = 0;\n"
                     "        t = t_begin, t_low = t_begin_low;\n        (void)even_at, (void)stride, (void)h;\n",
                  CUDA_ENTRY, p->numbers);
    put_state(w, "        ", 1);
    put_turn(w, guesses, "+", "        ");
    taut_text_put(w, "        gone = !taut_numbers(y);\n        if (gone && is_one) done[member] = 0;\n");
    taut_text_put(w, "        while (made < most) {\n            const int begun = made;\n");
    if (further) taut_text_put(w, "            if (expects == 0) {\n");
    if (further)
        put_pairs(w, "                ");
    else
        put_loop(w, 0, "            ");
    if (further) {
        taut_text_put(w, "                expects = 1;\n            } else {\n"
                         "                int until = made + window;\n                further = 0;\n");
        put_loop(w, 1, "                ");
        taut_text_put(w, "                if (made < most && expects) expects = 2;\n            }\n"
                         "            if (expects < 2) continue;\n            expects = 1;\n");
    }
    taut_text_put(w, "            if (made == most) break;\n"
                     "            span = made - begun >= span ? 1 : span < 256 ? 2 * span : span;\n");
    put_velocities(w, v, "            ");
    put_turn(w, guesses, "-", "            ");
    taut_text_put(w, "            {\n                const int end = span < most - made ? made + span : most;\n"
                     "                number all[%u], clock[2] = { t, t_low };\n"
                     "                for (int i = 0; i < %u; i++) all[i] = y[i];\n"
                     "                const int became = usual0(all, clock, made, end, gone, is_one, h, x, odd, count, "
                     "member, done);\n"
                     "                for (int i = 0; i < %u; i++) y[i] = all[i];\n"
                     "                t = clock[0], t_low = clock[1], made = end;\n"
                     "                gone = became & 1, lost |= became >> 1;\n"
                     "            }\n", p->numbers, p->numbers, p->numbers);
    put_turn(w, guesses, "+", "            ");
    taut_text_put(w, "        }\n");
    put_velocities(w, v, "        ");
    put_turn(w, guesses, "-", "        ");
    taut_text_put(w, "        lost |= !gone && !taut_numbers(y);\n");
    put_careful(w);
    taut_text_put(w, "        if (is_one && (lost || !gone)) {\n");
    put_state(w, "            ", 0);
    taut_text_put(w, "            done[member] = made;\n        }\n    }\n}\n");
}

int taut_text_cuda_direct(text_writer *w)
{
    const text_program *t = &w->plan->programs[0];
    text_speeds v = { .size = UINT32_MAX };
    int status = TAUT_OK, guesses = 0;
    if (w->fast) taut_builder_put(w->out, "#define TAUT_FAST\n");
    taut_builder_add(w->out, tools, sizeof tools - 1);
    taut_builder_put(w->out, "TAUT_SHARED float single[%u];\n", w->plan->even_count + 1);
    for (int once = 0; !status && once <= goes_further(t->p); once++) {
        status = taut_text_begin(w, t);
        if (!status && !once) status = taut_text_find_speeds(w, &v);
        if (!status) status = begin_single(w, &v);
        if (!status) w->guesses = can_guess(w);
        if (!status) put_direct(w, &v, once);
        guesses = w->guesses, w->guesses = 0;
        taut_text_end(w);
    }
    if (!status) status = taut_text_begin(w, t);
    if (!status) {
        put_numbers(w);
        put_usual(w);
        put_kernel(w, &v, guesses);
        taut_text_end(w);
    }
    taut_text_forget_speeds(w, &v);
    return status;
}
