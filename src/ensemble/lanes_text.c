/* Steps as C with vector types: a trajectory per lane. Every lane does what the interpreter does for its member: a lane
   whose iteration has ended is not touched again, one whose step is left to the general path stays where it was. */
#include <stdio.h>
#include <string.h>

#include "ensemble/writer.h"

/* iteration_judge of lower/iteration.h for all lanes at once: the lanes that are done, that are hopeless, and that need
   a new matrix; the others go on. The comparisons are the same, in the same order. */
static const char judges[] =
    "typedef struct {\n"
    "    mask ended, hopeless, matrix;\n"
    "} verdicts;\n"
    "INLINE number lane_linear(mask sure, mask sound)\n"
    "{\n"
    "    return pick(sound, all(LINEAR_SOUND), pick(sure, all(LINEAR_SURE), all(LINEAR_ENOUGH)));\n"
    "}\n"
    "INLINE verdicts lane_judge_two(const iteration *f, number first, number second, number unit, mask sure,\n"
    "                               mask sound)\n"
    "{\n"
    "    const mask finite = (first - first == 0) & (second - second == 0);\n"
    "    const mask enough = (first <= f->enough * unit)\n"
    "                        | ((first <= lane_linear(sure, sound) * unit)\n"
    "                           & (second * second <= f->rest * unit * first));\n"
    "    const mask stays = 2 * second > first, low = second <= f->floor * unit;\n"
    "    return (verdicts){ finite & (enough | (stays & low)), ~finite | (~enough & stays & ~low), (mask){ 0 } };\n"
    "}\n"
    "INLINE verdicts lane_judge_further(const iteration *f, number first, number second, number last, number unit,\n"
    "                                   mask sure, mask sound)\n"
    "{\n"
    "    const mask finite = last - last == 0;\n"
    "    const mask enough = (first <= lane_linear(sure, sound) * unit)\n"
    "                        & (2 * second * (2 * last) <= f->rest * unit * first);\n"
    "    return (verdicts){ finite & enough, ~finite, (mask){ 0 } };\n"
    "}\n"
    "INLINE verdicts lane_judge(const iteration *f, int k, number size, number before, number unit, mask fresh,\n"
    "                           mask sure, mask sound)\n"
    "{\n"
    "    if (f->twice) return lane_judge_two(f, before, size, unit, sure, sound);\n"
    "    const mask finite = size - size == 0, none = { 0 };\n"
    "    if (k < f->skip_first) return (verdicts){ none, ~finite, none };\n"
    "    mask enough = size <= f->enough * unit;\n"
    "    if (f->linear) enough |= size <= lane_linear(sure, sound) * unit;\n"
    "    if (k <= f->skip_first) return (verdicts){ finite & enough, ~finite, none };\n"
    "    const number rate = size / before;\n"
    "    enough |= (rate < 1) & ((f->always ? rate * size * rate : rate * size) <= f->rest * unit);\n"
    "    const mask stays = 2 * rate > 1, low = size <= pick(fresh, all(f->floor), all(64 * f->epsilon)) * unit;\n"
    "    mask slow = ~stays & ~((rate * rate * rate * size <= f->enough * unit) | (size <= ITERATION_SMALL * unit));\n"
    "    slow = f->always ? none : slow & ~fresh;\n"
    "    return (verdicts){ finite & (enough | (stays & low)), ~finite | (~enough & stays & ~low & fresh),\n"
    "                       finite & ~enough & ((stays & ~low & ~fresh) | slow) };\n"
    "}\n\n";

static void put_checks(text_writer *w, const program_phase *f, const char *part)
{
    if (!f->check_count) taut_text_put(w, "whole");
    for (uint32_t i = 0; i < f->check_count; i++)
        taut_text_put(w, "%slane_exceeds(%s, %s, %s)", i ? " & " : "", taut_text_vector(w, f->checks[i].pivot).text,
                      part, taut_text_vector(w, f->checks[i].reference).text);
}

/* The matrix of the lanes that need one. */
static void put_matrix(text_writer *w, const program_phase *f, const char *indent)
{
    const int keeps = !f->iteration.always, judges_sure = f->iteration.linear || f->iteration.twice;
    taut_text_tape(w, &f->factor, indent);
    for (uint32_t i = 0; keeps && i < f->factor.count; i++) {
        const uint32_t r = f->factor.code[i].target;
        const text_operand name = taut_text_name(w, r);
        if (w->varies[r])
            taut_text_put(w, "%sm_%s = pick(fresh, %s, m_%s);\n", indent, name.text, name.text, name.text);
        else
            taut_text_put(w, "%sm_%s = %s;\n", indent, name.text, name.text);
    }
    taut_text_put(w, "%sconst mask bad = fresh & going & ~(", indent);
    put_checks(w, f, "PIVOT_LEAST");
    taut_text_put(w, ");\n%sleft |= bad;\n%sgoing &= ~bad;\n", indent, indent);
    if (!judges_sure) return;
    taut_text_put(w, "%ssure = (fresh & (", indent);
    put_checks(w, f, "PIVOT_SURE");
    taut_text_put(w, ")) | (~fresh & sure);\n%ssound = (fresh & (", indent);
    put_checks(w, f, "PIVOT_SOUND");
    taut_text_put(w, ")) | (~fresh & sound);\n");
}

static void put_sizes(text_writer *w, const program_phase *f, const uint32_t *changes, const char *size)
{
    for (uint32_t i = 0; i < f->size; i++)
        taut_text_put(w, "        %s = lane_most(%s, %s * %s);\n", size, size, taut_text_vector(w, f->weights[i]).text,
                      taut_text_vector(w, changes[i]).text);
}

/* Corrections after two with one matrix, for the lanes that need them. */
static void put_further(text_writer *w, const program_phase *f)
{
    taut_text_tape(w, &f->further, "        ");
    for (uint32_t k = 0; k < f->size; k++) {
        const text_operand u = taut_text_name(w, f->unknowns[k]);
        taut_text_put(w, "        %s = pick(going, %s - %s, %s);\n", u.text, u.text,
                      taut_text_vector(w, f->furthers[k]).text, u.text);
    }
    taut_text_put(w, "        number last = { 0 };\n");
    put_sizes(w, f, f->lasts, "last");
    taut_text_put(w, "        const verdicts now = lane_judge_further(&phase, before, size, last, %s, sure, sound);\n"
                     "        left |= going & now.hopeless;\n"
                     "        going &= ~(now.ended | now.hopeless);\n"
                     "        if (!bits(going)) break;\n", taut_text_vector(w, f->unit).text);
}

static void put_iteration(text_writer *w, const program_phase *f, int index)
{
    const iteration *i = &f->iteration;
    taut_text_put(w, "    {\n    const iteration phase = { %d, %d, %d, %d, %a, %a, %a, %a };\n", i->linear, i->always,
                  i->skip_first, i->twice, i->enough, i->rest, i->epsilon, i->floor);
    taut_text_put(w, "    mask going = active & ~left, fresh = whole, sure = { 0 }, sound = { 0 };\n"
                     "    number before = { 0 };\n");
    for (uint32_t k = 0; !i->always && k < f->factor.count; k++) {
        const uint32_t r = f->factor.code[k].target;
        taut_text_put(w, "    %s m_%s = %s;\n", taut_text_type(w, r), taut_text_name(w, r).text,
                      w->varies[r] ? "{ 0 }" : "0");
    }
    taut_text_put(w, "    for (int round = 0;; round++) { /* %d */\n", index + 1);
    taut_text_tape(w, &f->residual, "        ");
    if (i->always) {
        put_matrix(w, f, "        ");
    } else {
        taut_text_put(w, "        if (bits(fresh)) {\n");
        put_matrix(w, f, "            ");
        taut_text_put(w, "        }\n");
        for (uint32_t k = 0; k < f->factor.count; k++) {
            const uint32_t r = f->factor.code[k].target;
            const text_operand name = taut_text_name(w, r);
            taut_text_put(w, "        const %s %s = m_%s;\n", taut_text_type(w, r), name.text, name.text);
        }
    }
    taut_text_tape(w, &f->solve, "        ");
    taut_text_put(w, "        number size = { 0 };\n");
    for (uint32_t k = 0; k < f->size; k++) {
        const text_operand u = taut_text_name(w, f->unknowns[k]);
        const text_operand change = taut_text_name(w, f->changes[k]);
        if (i->twice)
            taut_text_put(w, "        %s = pick(going, %s - %s - %s, %s);\n", u.text, u.text, change.text,
                          taut_text_vector(w, f->seconds[k]).text, u.text);
        else
            taut_text_put(w, "        %s = pick(going, %s - %s, %s);\n", u.text, u.text, change.text, u.text);
    }
    if (i->twice) {
        taut_text_put(w, "        before = (number){ 0 };\n");
        put_sizes(w, f, f->changes, "before");
    }
    put_sizes(w, f, i->twice ? f->seconds : f->changes, "size");
    taut_text_put(w, "        const verdicts v = lane_judge(&phase, round, size, before, %s, fresh, sure, sound);\n"
                     "        left |= going & v.hopeless;\n"
                     "        going &= ~(v.ended | v.hopeless);\n"
                     "        if (!bits(going)) break;\n", taut_text_vector(w, f->unit).text);
    if (f->furthers) put_further(w, f);
    taut_text_put(w, "        if (round == ITERATIONS_MOST - 1) {\n"
                     "            left |= going;\n"
                     "            break;\n"
                     "        }\n"
                     "        fresh = %s;\n"
                     "        before = size;\n"
                     "    }\n    }\n", i->always ? "whole" : "v.matrix");
}

/* A sum with what rounding leaves over. */
static void put_add(text_writer *w, uint32_t x, uint32_t low, uint32_t d)
{
    const uint32_t first = w->t->p->state_first;
    taut_text_need(w, d), taut_text_need(w, first + low), taut_text_need(w, first + x);
    const text_operand from = taut_text_name(w, first + x);
    taut_text_put(w, "    { const number d = %s + %s, s = %s + d; y[%u] = s, y[%u] = d - (s - %s); }\n",
                  taut_text_vector(w, d).text, taut_text_name(w, first + low).text, from.text, x, low, from.text);
}

static void put_finite(text_writer *w, uint32_t d) { taut_text_put(w, "    sum += %s;\n", taut_text_name(w, d).text); }

/* The new state, number by number. A sum that is no number tells that one of them may be none: such a step is left to
   the general path, which sees for itself. */
static void put_results(text_writer *w)
{
    const program *p = w->t->p;
    const text_plan *z = w->plan;
    const uint32_t n = z->n, c = z->c;
    taut_text_put(w, "    number sum = { 0 };\n");
    for (uint32_t i = 0; i < n; i++) {
        put_add(w, i, 3 * n + i, p->move[i]);
        put_finite(w, p->move[i]);
        if (p->sets_momentum) {
            taut_text_need(w, p->push[i]);
            taut_text_put(w, "    y[%u] = %s, y[%u] = (number){ 0 };\n", n + i, taut_text_vector(w, p->push[i]).text,
                          4 * n + i);
        } else {
            put_add(w, n + i, 4 * n + i, p->push[i]);
        }
        put_finite(w, p->push[i]);
        if (p->w) {
            taut_text_need(w, p->w[i]);
            taut_text_put(w, "    y[%u] = %s;\n", 2 * n + i, taut_text_vector(w, p->w[i]).text);
        } else {
            taut_text_put(w, "    y[%u] = y[%u];\n", 2 * n + i, n + i);
        }
    }
    for (uint32_t k = 0; p->lambda && k < c; k++) {
        taut_text_need(w, p->lambda[k]);
        taut_text_put(w, "    y[%u] = %s;\n", 5 * n + k, taut_text_vector(w, p->lambda[k]).text);
    }
    if (p->has_work && z->own_work) {
        put_add(w, 5 * n + c + 1, 5 * n + c + 2, p->work);
        put_finite(w, p->work);
    }
    taut_text_put(w, "    left |= active & ~(sum - sum == 0);\n"
                     "    if (__builtin_expect(bits(active & ~left) != ALL_BITS, 0)) {\n"
                     "        const mask made = active & ~left;\n");
    for (uint32_t i = 0; i < z->numbers; i++)
        if (z->stored[i]) taut_text_put(w, "        y[%u] = pick(made, y[%u], x[%u]);\n", i, i, i);
    taut_text_put(w, "    }\n    return left;\n}\n\n");
}

static int put_step(text_writer *w, int index)
{
    const program *p = w->plan->programs[index].p;
    int status = taut_text_begin(w, &w->plan->programs[index]);
    if (status) return status;
    taut_text_put(w, "static STEP mask step%d(const number *restrict x, number *restrict y,\n"
                     "    const double *restrict even, const number *restrict odd, mask active%s)\n{\n"
                     "    const mask whole = ~(mask){ 0 };\n    mask left = { 0 };\n"
                     "    (void)whole, (void)odd, (void)even;\n", index,
                  w->plan->uses_time ? ", double t0, double t0_low, double t1, double span" : "");
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        taut_text_need_for(w, f);
        if (!f->size) continue;
        for (uint32_t i = 0; i < f->size; i++)
            taut_text_put(w, "    number %s = %s;\n", taut_text_name(w, f->unknowns[i]).text,
                          taut_text_vector(w, f->guesses[i]).text);
        put_iteration(w, f, k);
        taut_text_section(w);
    }
    put_results(w);
    taut_text_end(w);
    return TAUT_OK;
}

static void put_table(builder *out, const char *type, const char *name, const text_plan *p, int what)
{
    taut_builder_put(out, "static const %s %s[%d] = {", type, name, p->part_count);
    for (int i = 0; i < p->part_count; i++) {
        const text_length *l = &p->lengths[p->parts[i]];
        if (what == 2)
            taut_builder_put(out, " %a,", l->halved ? l->factor / 2 : l->factor);
        else
            taut_builder_put(out, " %u,", what == 0 ? l->even_at : what == 1 ? l->odd_at : (uint32_t)l->program);
    }
    taut_builder_put(out, " };\n");
}

static const char time_step[] =
    "typedef struct { double t, low; } instant;\n"
    "static inline instant later(instant t, double h)\n"
    "{\n"
    "    const double y = h + t.low, sum = t.t + y;\n"
    "    return (instant){ sum, y - (sum - t.t) };\n"
    "}\n";

/* A step of a group, of several parts: where one is left to the general path, so is the whole step. */
static void put_parts(text_writer *w)
{
    const text_plan *p = w->plan;
    const char *times = p->uses_time ? ", t.t, t.low, t1.t, t1.t - t.t" : "";
    taut_text_put(w, "static mask whole_step(const number *restrict x, number *restrict y,\n"
                     "    const double *restrict even, const number *restrict odd, mask active, instant t, double h)\n{\n"
                     "    number between[2][NUMBERS];\n    const number *from = x;\n    mask left = { 0 };\n"
                     "    __builtin_memcpy(between[0], x, sizeof between[0]);\n"
                     "    __builtin_memcpy(between[1], x, sizeof between[1]);\n"
                     "    for (int part = 0; part < %d; part++) {\n"
                     "        const instant t1 = later(t, h * lengths[part]);\n"
                     "        number *to = part == %d ? y : between[part & 1];\n", p->part_count, p->part_count - 1);
    if (p->program_count > 1)
        taut_text_put(w, "        left |= programs[part]\n"
                         "            ? step1(from, to, even + evens[part], odd + odds[part], active & ~left%s)\n"
                         "            : step0(from, to, even + evens[part], odd + odds[part], active & ~left%s);\n",
                      times, times);
    else
        taut_text_put(w, "        left |= step0(from, to, even + evens[part], odd + odds[part], active & ~left%s);\n",
                      times);
    taut_text_put(w, "        t = t1, from = to;\n    }\n"
                     "    if (bits(left))\n"
                     "        for (int i = 0; i < NUMBERS; i++) y[i] = pick(left, x[i], y[i]);\n"
                     "    return left;\n}\n\n");
}

/* States go back and forth between two places: a step writes to the other one. */
static const char entry[] =
    "{\n"
    "    number (*x)[NUMBERS] = (number (*)[NUMBERS])xs, y[GROUPS][NUMBERS];\n"
    "    const number *odd = (const number *)odds_of_all;\n"
    "    mask active[GROUPS];\n"
    "    instant t = { time[0], time[1] };\n"
    "    const double h = time[2];\n"
    "    for (int g = 0; g < GROUPS; g++)\n"
    "        for (int i = 0; i < LANES; i++) active[g][i] = done[g * LANES + i] < 0 ? 0 : -1;\n"
    "    __builtin_memcpy(y, x, sizeof y);\n"
    "    for (long k = 0; k < steps; k++) {\n"
    "        const instant t1 = later(t, h);\n"
    "        for (int g = 0; g < GROUPS; g++) {\n"
    "            const mask left = k & 1 ? whole_step(y[g], x[g], even, odd + g * ODDS, active[g], t, h)\n"
    "                                    : whole_step(x[g], y[g], even, odd + g * ODDS, active[g], t, h);\n"
    "            if (__builtin_expect(bits(left) != 0, 0)) {\n"
    "                for (int i = 0; i < LANES; i++)\n"
    "                    if (left[i]) done[g * LANES + i] = k;\n"
    "                active[g] &= ~left;\n"
    "            }\n"
    "        }\n"
    "        t = t1;\n"
    "    }\n"
    "    if (steps & 1) __builtin_memcpy(x, y, sizeof y);\n"
    "    for (int g = 0; g < GROUPS; g++)\n"
    "        for (int i = 0; i < LANES; i++)\n"
    "            if (active[g][i]) done[g * LANES + i] = steps;\n"
    "}\n";

static void put_entry(text_writer *w)
{
    static const char arguments[] =
        "(double *xs, const double *even, const double *odds_of_all, double *time, long steps, long *done)";
    const text_plan *p = w->plan;
    if (p->part_count > 1)
        put_parts(w);
    else
        taut_text_put(w, "#define whole_step(x, y, even, odd, active, t, h) step0(x, y, even, odd, active%s)\n",
                      p->uses_time ? ", t.t, t.low, t1.t, t1.t - t.t" : "");
    taut_text_put(w, "void %s%s;\nvoid %s%s\n", LANES_ENTRY, arguments, LANES_ENTRY, arguments);
    taut_builder_add(w->out, entry, sizeof entry - 1);
}

int taut_text_lanes(const text_plan *p, int lanes, int groups, builder *out)
{
    text_writer w = { .plan = p, .out = out, .lanes = lanes };
    taut_builder_put(out, "/* Written by Taut: steps of many trajectories, one per lane. */\n"
                          "#define LANES %d\n#define GROUPS %d\n#define NUMBERS %u\n#define ODDS %u\n", lanes, groups,
                     p->numbers, p->odd_count);
    int status = taut_text_prelude(p, lanes, out);
    taut_builder_add(out, judges, sizeof judges - 1);
    taut_builder_add(out, time_step, sizeof time_step - 1);
    taut_builder_put(out, "#define EVEN(i) even[i]\n#define ODD(i) odd[i]\n#define STEP __attribute__((noinline))\n");
    if (p->part_count > 1) {
        put_table(out, "int", "evens", p, 0);
        put_table(out, "int", "odds", p, 1);
        put_table(out, "double", "lengths", p, 2);
        put_table(out, "int", "programs", p, 3);
    }
    for (int k = 0; !status && k < p->program_count; k++) status = put_step(&w, k);
    put_entry(&w);
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
