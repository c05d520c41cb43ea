/* Steps as CUDA C without branches.
 *
 * A thread that branches waits: for what it branches on, and because nothing behind a branch begins before it. direct0
 * is a straight flow (lower/expect.h), whose verdicts are numbers that are looked at together, behind everything that
 * takes time, for all threads of a warp at once. Where all of them are sure, their new states are written; if one is
 * not, none is, and the warp makes that step as quickN does (cuda_text.c). The operations of a step that is made are
 * those of the flow, so bits do not depend on any of this.
 *
 * direct0 expects that the first round of each phase is enough, direct1 makes one more correction with its matrix where
 * that is needed. A warp goes over to direct1 where direct0 ends, for two steps, and longer as long as that helps. */
#include <stdio.h>

#include "ensemble/writer.h"
#include "lower/expect.h"

static const char tools[] =
    "#ifdef __CUDACC__\n"
    "#define TAUT_ANY(x) __any_sync(0xffffffffu, x)\n"
    "#define TAUT_TWO_STEPS _Pragma(\"unroll 2\")\n" /* fewer copies from one to the next */
    "#define TAUT_HERE(x) asm volatile(\"\" : \"+d\"(x))\n" /* it is in its place here, and not before */
    /* all threads of a warp take part in its votes, with a member or without */
    "#define TAUT_MEMBERS \\\n"
    "    const int is_one = TAUT_MEMBER < count; const long long member = is_one ? TAUT_MEMBER : count - 1;\n"
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
    "#define TAUT_MEMBERS const int is_one = 1; TAUT_LOOP\n"
    "static inline double taut_reciprocal(double x, int *usual) { (void)usual; return 1 / x; }\n"
    "#endif\n"
    "#undef TAUT_SURE\n"
    "#define TAUT_SURE(is_so) sure &= is_so\n\n";

int taut_text_cuda_is_direct(const text_plan *p)
{
    const program *one = p->programs[0].p;
    int direct = p->part_count == 1 && p->program_count == 1 && X(expect_count)(one) > 0;
    for (int k = 0; direct && k < one->phase_count; k++)
        direct = !one->phases[k].size || one->phases[k].iteration.linear || one->phases[k].iteration.twice;
    return direct;
}

/* ---- a step ---- */

/* How a constant is read in the kernel. */
static text_operand constant_name(const text_writer *w, uint32_t r)
{
    text_operand o = taut_text_name(w, r);
    const uint32_t place = taut_text_place(w, r);
    if (place != UINT32_MAX)
        snprintf(o.text, sizeof o.text, w->t->varies[r] ? "odd[%u * stride + member]" : "EVEN(%u)", place);
    return o;
}

static void put_velocities(text_writer *w, const uint32_t *factors, const char *indent)
{
    const uint32_t n = w->plan->n;
    for (uint32_t i = 0; n && factors[0] != UINT32_MAX && i < n; i++)
        taut_text_put(w, "%sif (made) y[%u] = %s * y[%u];\n", indent, 2 * n + i, constant_name(w, factors[i]).text,
                      n + i);
}

/* gone: the member is over, whatever becomes of it here. */
static int put_direct(text_writer *w, const step_flow *relative, int mixed, uint32_t *factors)
{
    step_flow f;
    int status = taut_text_straight(w, &w->plan->programs[0], relative, mixed ? EXPECT_MIXED : 0, &f, factors);
    if (!status) status = taut_text_begin(w, &w->plan->programs[0], &f);
    if (!status) status = taut_text_begin_roughly(w);
    taut_text_put(w, "TAUT_STEP direct%d(number *x, int gone, int even_at, const number *odd, long long stride%s)\n{\n"
                     "    int sure = 1, usual = 1;\n", mixed,
                  w->plan->uses_time ? ", number t0, number t0_low, number t1, number span" : "");
    w->guards = 1;
    if (!status && f.count) status = taut_text_flow(w);
    w->guards = 0;
    if (!f.count) taut_text_put(w, "    return 1;\n"); /* there is no such way */
    taut_text_put(w, "    return 0;\n}\n\n");
    taut_text_end(w);
    X(step_flow_clear)(w->plan->context, &f);
    return status;
}

/* ---- the kernel ---- */

static void put_state(text_writer *w, const char *indent, int load)
{
    const text_plan *p = w->plan;
    for (uint32_t i = 0; i < p->numbers; i++) {
        if (load && (p->loaded[i] || p->stored[i]))
            taut_text_put(w, "%sy[%u] = x[%u * count + member];\n", indent, i, i);
        if (!load && p->stored[i]) taut_text_put(w, "%sx[%u * count + member] = y[%u];\n", indent, i, i);
    }
}

/* A step; the warp leaves the loop where it is not made for all. */
static void put_try(text_writer *w, int mixed, const char *indent)
{
    const int uses_time = w->plan->uses_time;
    taut_text_cuda_time(w, "t", "t_low", "h", indent);
    taut_text_put(w, "%sif (direct%d(y, gone, 0, odd + member, count%s)) {\n", indent, mixed,
                  uses_time ? ", t, t_low, t1, t1 - t" : "");
}

static void put_later(text_writer *w, const char *indent)
{
    if (w->plan->uses_time) taut_text_put(w, "%st = t1, t_low = t1_low;\n", indent);
}

/* Steps in pairs as long as all threads are sure: the second step reads the numbers where the first one has put them,
   and no number is copied. The compiler would copy them all before a branch that is hardly ever taken, if it could. A
   last one alone is left. */
static void put_pairs(text_writer *w)
{
    static const char indent[] = "                ";
    const text_plan *p = w->plan;
    taut_text_put(w, "            for (; made + 1 < most && !mixed; made += 2) {\n");
    for (int second = 0; second < 2; second++) {
        taut_text_put(w, "                {\n");
        put_try(w, 0, indent);
        for (uint32_t i = 0; second && i < p->numbers; i++)
            if (p->stored[i]) taut_text_put(w, "%s    TAUT_HERE(y[%u]);\n", indent, i);
        taut_text_put(w, "%s    made += %d;\n%s    break;\n%s}\n", indent, second, indent, indent);
        put_later(w, indent);
        taut_text_put(w, "                }\n");
    }
    taut_text_put(w, "            }\n");
}

/* Where steps by direct0 end, direct1 is next, for a window of steps: a longer one each time that direct0 made none in
   between. */
static void put_mixed(text_writer *w)
{
    static const char indent[] = "                    ";
    taut_text_put(w, "            if (made < most && !mixed) {\n"
                     "                window = made - begun >= 2 ? 2 : window < 64 ? 2 * window : window;\n"
                     "                mixed = 1;\n                continue;\n            }\n"
                     "            if (mixed) {\n"
                     "                const int until = window < most - made ? made + window : most;\n"
                     "                mixed = 0;\n"
                     "                TAUT_TWO_STEPS\n                for (; made < until; made++) {\n");
    put_try(w, 1, indent);
    taut_text_put(w, "%s    break;\n%s}\n", indent, indent);
    put_later(w, indent);
    taut_text_put(w, "                }\n                if (made == until && made < most) continue;\n            }\n");
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

/* made, mixed, window and span are the same for all threads of a warp. */
static void put_kernel(text_writer *w, const uint32_t *factors)
{
    const text_plan *p = w->plan;
    taut_text_put(w, "TAUT_KERNEL %s(number *x, const number *odd, number t, number t_low, number h, long long steps,\n"
                     "    long long count, long long *done)\n{\n    const number t_begin = t, t_begin_low = t_low;\n"
                     "    const int most = (int)steps, even_at = 0;\n    const long long stride = count;\n"
                     "    TAUT_MEMBERS {\n"
                     "        number y[%u];\n"
                     "        int made = 0, mixed = 0, window = 2, span = 1, gone, lost = 0;\n"
                     "        t = t_begin, t_low = t_begin_low;\n        (void)even_at, (void)stride, (void)h;\n"
                     "        (void)mixed, (void)window;\n",
                  CUDA_ENTRY, p->numbers);
    put_state(w, "        ", 1);
    taut_text_put(w, "        gone = !taut_numbers(y);\n        if (gone && is_one) done[member] = 0;\n"
                     "        while (made < most) {\n            const int begun = made;\n");
    put_pairs(w);
    if (text_goes_further(w->t->p)) put_mixed(w);
    taut_text_put(w, "            if (made == most) break;\n"
                     "            span = made - begun >= span ? 1 : span < 256 ? 2 * span : span;\n");
    put_velocities(w, factors, "            ");
    taut_text_put(w, "            {\n                const int end = span < most - made ? made + span : most;\n"
                     "                number all[%u], clock[2] = { t, t_low };\n"
                     "                for (int i = 0; i < %u; i++) all[i] = y[i];\n"
                     "                const int became = usual0(all, clock, made, end, gone, is_one, h, x, odd, count, "
                     "member, done);\n"
                     "                for (int i = 0; i < %u; i++) y[i] = all[i];\n"
                     "                t = clock[0], t_low = clock[1], made = end;\n"
                     "                gone = became & 1, lost |= became >> 1;\n"
                     "            }\n        }\n", p->numbers, p->numbers, p->numbers);
    put_velocities(w, factors, "        ");
    taut_text_put(w, "        lost |= !gone && !taut_numbers(y);\n");
    put_careful(w);
    taut_text_put(w, "        if (is_one && (lost || !gone)) {\n");
    put_state(w, "            ", 0);
    taut_text_put(w, "            done[member] = made;\n        }\n    }\n}\n");
}

int taut_text_cuda_direct(text_writer *w, const step_flow *relative)
{
    const text_program *t = &w->plan->programs[0];
    uint32_t *factors = taut_mem_new(w->plan->context, w->plan->n + 1, sizeof *factors);
    int status = factors ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (w->fast) taut_builder_put(w->out, "#define TAUT_FAST\n");
    taut_builder_add(w->out, tools, sizeof tools - 1);
    for (int mixed = 0; !status && mixed <= text_goes_further(t->p); mixed++)
        status = put_direct(w, relative, mixed, factors);
    if (!status) status = taut_text_begin(w, t, &t->p->flow);
    if (!status) {
        put_numbers(w);
        put_usual(w);
        put_kernel(w, factors);
        taut_text_end(w);
    }
    taut_mem_free(w->plan->context, factors);
    return status;
}
