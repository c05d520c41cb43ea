/* Steps as C with vector types: a trajectory per lane. Every lane does what the interpreter does for its member: a lane
   whose iteration has ended is not touched again, one whose step is left to the general path stays where it was.
 *
 * A step is written several times. stepN has its loops, and masks. directN_0 is a straight flow (lower/expect.h) for
 * steps with the fewest rounds, directN_1 a mixed one; where one lane goes another way, the step counts as not made,
 * and the next of them makes it. Where that happens it is not tried for some steps, more of them each time. The
 * operations of a step that is made are the same, and so are its bits. */
#include "ensemble/writer.h"
#include "lower/expect.h"

static const char masks[] =
    "#define EVEN(i) even[i]\n"
    "#define ODD(i) odd[i]\n"
    "#define STEP __attribute__((noinline))\n"
    "#define NONE ((mask){ 0 })\n"
    "#define ALL ((mask)~(mask){ 0 })\n"
    "INLINE mask is_finite(number x) { return is_equal(lane_sub(x, x), all(0)); }\n";

static const char *times_of(const text_plan *p)
{
    return p->uses_time ? ", double t0, double t0_low, double t1, double span" : "";
}

/* ---- a step ---- */

/* The lanes that are left, or were before, stay as they were. */
static int put_step(text_writer *w, int index)
{
    const text_plan *z = w->plan;
    int status = taut_text_begin(w, &z->programs[index], &z->programs[index].p->flow);
    if (status) return status;
    taut_text_put(w, "static STEP mask step%d(const number *restrict x, number *restrict y,\n"
                     "    const double *restrict even, const number *restrict odd, mask active%s)\n{\n"
                     "    mask left = NONE;\n    number sum = { 0 };\n    (void)odd, (void)even;\n",
                  index, times_of(z));
    status = taut_text_flow(w);
    taut_text_put(w, "    left |= active & ~is_finite(sum);\n"
                     "    if (__builtin_expect(bits(active & ~left) != ALL_BITS, 0)) {\n"
                     "        const mask made = active & ~left;\n");
    for (uint32_t i = 0; i < z->numbers; i++)
        if (z->stored[i]) taut_text_put(w, "        y[%u] = pick(made, y[%u], x[%u]);\n", i, i, i);
    taut_text_put(w, "    }\n    return left;\n}\n\n");
    taut_text_end(w);
    return status;
}

/* Returns 0 where the step is made, for all lanes. */
static int put_direct(text_writer *w, int index, int mixed, uint32_t *factors)
{
    const text_program *t = &w->plan->programs[index];
    step_flow f;
    int status = taut_text_straight(w, t, &t->p->flow, mixed ? EXPECT_MIXED : 0, &f, factors);
    if (!status) status = taut_text_begin(w, t, &f);
    taut_text_put(w, "static STEP int direct%d_%d(const number *restrict x, number *restrict y,\n"
                     "    const double *restrict even, const number *restrict odd%s)\n{\n"
                     "    number sum = { 0 };\n    mask other = NONE;\n    (void)odd, (void)even;\n",
                  index, mixed, times_of(w->plan));
    if (!f.count) taut_text_put(w, "    other = ALL;\n"); /* there is no such way */
    if (!status && f.count) status = taut_text_flow(w);
    taut_text_put(w, "    other |= ~is_finite(sum);\nend:\n    return (bits(other) & ALL_BITS) != 0;\n}\n\n");
    taut_text_end(w);
    X(step_flow_clear)(w->plan->context, &f);
    return status;
}

static void put_velocities(text_writer *w, const uint32_t *factors)
{
    const uint32_t n = w->plan->n;
    taut_text_put(w, "static void velocities(number *x, const double *restrict even, const number *restrict odd)\n{\n"
                     "    (void)x, (void)even, (void)odd;\n");
    w->is_inside = 1;
    for (uint32_t i = 0; n && factors[0] != UINT32_MAX && i < n; i++)
        taut_text_put(w, "    x[%u] = lane_mul(%s, x[%u]);\n", 2 * n + i, taut_text_vector(w, factors[i]).text, n + i);
    w->is_inside = 0;
    taut_text_put(w, "}\n\n");
}

/* pause: so many times a straight flow is not tried; wait: and so many when it fails again. stale: velocities are those
   of some steps before. */
static const char pace[] =
    "typedef struct { int pause, wait; } turn;\n"
    "typedef struct { turn turns[2]; int stale; } pace;\n"
    "INLINE int is_turn(turn *t) { return t->pause == 0 || t->pause-- < 0; }\n"
    "INLINE int is_made(turn *t, int failed)\n"
    "{\n"
    "    if (__builtin_expect(failed, 0))\n"
    "        t->pause = t->wait, t->wait = t->wait < 64 ? 2 * t->wait : t->wait;\n"
    "    else\n"
    "        t->wait -= t->wait > 1;\n"
    "    return !failed;\n"
    "}\n";

static void put_advance(text_writer *w, int index, int directs)
{
    const char *times = w->plan->uses_time ? ", t0, t0_low, t1, span" : "";
    taut_text_put(w, "static mask advance%d(number *x, number *y, const double *even, const number *odd, mask active,\n"
                     "    pace *p%s)\n{\n    (void)p;\n", index, times_of(w->plan));
    for (int mixed = 0; mixed < directs; mixed++)
        taut_text_put(w, "    if (bits(active) == ALL_BITS && is_turn(&p->turns[%d])\n"
                         "        && is_made(&p->turns[%d], direct%d_%d(x, y, even, odd%s))) {\n"
                         "        p->stale = 1;\n        return NONE;\n    }\n", mixed, mixed, index, mixed, times);
    if (directs) taut_text_put(w, "    if (p->stale) velocities(x, even, odd);\n    p->stale = 0;\n");
    taut_text_put(w, "    return step%d(x, y, even, odd, active%s);\n}\n\n", index, times);
}

/* Velocities of several parts in a step are kept: the next part may read them. */
static int put_program(text_writer *w, int index)
{
    const text_plan *z = w->plan;
    const program *p = z->programs[index].p;
    const int directs = X(expect_count)(p) == 0 ? 0 : text_goes_further(p) ? 2 : 1;
    uint32_t *factors = taut_mem_new(z->context, z->n + 1, sizeof *factors);
    int status = factors ? put_step(w, index) : TAUT_OUT_OF_MEMORY;
    if (!status) factors[0] = UINT32_MAX;
    for (int mixed = 0; !status && mixed < directs; mixed++)
        status = put_direct(w, index, mixed, z->part_count > 1 ? NULL : factors);
    if (!status && !index) status = taut_text_begin(w, &z->programs[index], &z->programs[index].p->flow);
    if (!status && !index) put_velocities(w, factors), taut_text_end(w);
    if (!status) put_advance(w, index, directs);
    taut_mem_free(z->context, factors);
    return status;
}

/* ---- steps ---- */

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
    taut_text_put(w, "static mask parts(const number *restrict x, number *restrict y,\n"
                     "    const double *restrict even, const number *restrict odd, mask active, pace *p, instant t,\n"
                     "    double h)\n{\n"
                     "    number between[2][NUMBERS];\n    number *from = (number *)x;\n    mask left = NONE;\n"
                     "    __builtin_memcpy(between[0], x, sizeof between[0]);\n"
                     "    __builtin_memcpy(between[1], x, sizeof between[1]);\n"
                     "    for (int part = 0; part < PARTS; part++) {\n"
                     "        const instant t1 = later(t, h * lengths[part]);\n"
                     "        number *to = part == PARTS - 1 ? y : between[part & 1];\n"
                     "        const double *const even_of_part = even + evens[part];\n"
                     "        const number *const odd_of_part = odd + odds[part];\n");
    if (p->program_count > 1)
        taut_text_put(w, "        if (programs[part])\n"
                         "            left |= advance1(from, to, even_of_part, odd_of_part, active & ~left,\n"
                         "                             p + part%s);\n"
                         "        else\n    ", times);
    taut_text_put(w, "        left |= advance0(from, to, even_of_part, odd_of_part, active & ~left, p + part%s);\n"
                     "        t = t1, from = to;\n    }\n"
                     "    if (bits(left))\n"
                     "        for (int i = 0; i < NUMBERS; i++) y[i] = pick(left, x[i], y[i]);\n"
                     "    return left;\n}\n\n", times);
}

/* States go back and forth between two places: a step writes to the other one. */
static const char entry[] =
    "{\n"
    "    number (*x)[NUMBERS] = (number (*)[NUMBERS])xs, y[GROUPS][NUMBERS];\n"
    "    const number *odd = (const number *)odds_of_all;\n"
    "    mask active[GROUPS];\n"
    "    pace paces[GROUPS][PARTS];\n"
    "    instant t = { time[0], time[1] };\n"
    "    const double h = time[2];\n"
    "    for (int g = 0; g < GROUPS; g++)\n"
    "    {\n"
    "        active[g] = (mask){ 0 };\n"
    "        for (int i = 0; i < PARTS; i++) paces[g][i] = (pace){ { { 0, 1 }, { 0, 1 } }, 0 };\n"
    "        for (int i = 0; i < LANES; i++)\n"
    "            if (done[g * LANES + i] >= 0) active[g] |= lane(i);\n"
    "    }\n"
    "    __builtin_memcpy(y, x, sizeof y);\n"
    "    for (long k = 0; k < steps; k++) {\n"
    "        const instant t1 = later(t, h);\n"
    "        for (int g = 0; g < GROUPS; g++) {\n"
    "            number *from = k & 1 ? y[g] : x[g], *to = k & 1 ? x[g] : y[g];\n"
    "            const mask left = whole_step(from, to, even, odd + g * ODDS, active[g], paces[g], t, t1, h);\n"
    "            if (__builtin_expect(bits(left) != 0, 0)) {\n"
    "                for (int i = 0; i < LANES; i++)\n"
    "                    if (bits(left) >> i & 1) done[g * LANES + i] = k;\n"
    "                active[g] &= ~left;\n"
    "            }\n"
    "        }\n"
    "        t = t1;\n"
    "    }\n"
    "    if (steps & 1) __builtin_memcpy(x, y, sizeof y);\n"
    "    for (int g = 0; g < GROUPS; g++) {\n"
    "        if (PARTS == 1 && paces[g]->stale) velocities(x[g], even, odd + g * ODDS);\n"
    "        for (int i = 0; i < LANES; i++)\n"
    "            if (bits(active[g]) >> i & 1) done[g * LANES + i] = steps;\n"
    "    }\n"
    "}\n";

static void put_entry(text_writer *w)
{
    static const char arguments[] =
        "(double *xs, const double *even, const double *odds_of_all, double *time, long steps, long *done)";
    static const char step[] = "#define whole_step(x, y, even, odd, active, p, t, t1, h)";
    const text_plan *p = w->plan;
    if (p->part_count > 1) put_parts(w);
    taut_text_put(w, "%s %s%s)\n", step, p->part_count > 1 ? "parts(x, y, even, odd, active, p, t, h"
                                                           : "advance0(x, y, even, odd, active, p",
                  p->uses_time && p->part_count == 1 ? ", t.t, t.low, t1.t, t1.t - t.t" : "");
    taut_text_put(w, "void %s%s;\nvoid %s%s\n", LANES_ENTRY, arguments, LANES_ENTRY, arguments);
    taut_builder_add(w->out, entry, sizeof entry - 1);
}

int taut_text_lanes(const text_plan *p, int lanes, int groups, builder *out)
{
    text_writer w = { .plan = p, .out = out, .lanes = lanes };
    emit_functions used = { .fuses = 0 };
    for (int k = 0; k < p->program_count; k++) X(program_mark_functions)(p->programs[k].p, &used);
    w.fuses = used.fuses;
    taut_builder_put(out, "/* Written by Taut: steps of many trajectories, one per lane. */\n"
                          "#define LANES %d\n#define GROUPS %d\n#define NUMBERS %u\n#define ODDS %u\n"
                          "#define PARTS %d\n", lanes, groups, p->numbers, p->odd_count, p->part_count);
    int status = taut_text_prelude(p, lanes, out);
    taut_builder_add(out, masks, sizeof masks - 1);
    taut_builder_add(out, time_step, sizeof time_step - 1);
    taut_builder_add(out, pace, sizeof pace - 1);
    if (p->part_count > 1) {
        taut_text_table(out, "static", "int", "evens", p, TABLE_EVEN);
        taut_text_table(out, "static", "int", "odds", p, TABLE_ODD);
        taut_text_table(out, "static", "double", "lengths", p, TABLE_LENGTH);
        taut_text_table(out, "static", "int", "programs", p, TABLE_PROGRAM);
    }
    for (int k = 0; !status && k < p->program_count; k++) status = put_program(&w, k);
    put_entry(&w);
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
