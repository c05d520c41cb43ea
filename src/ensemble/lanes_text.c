/* Steps as C with vector types: a trajectory per lane. Every lane does what the interpreter does for its member: a lane
   whose iteration has ended is not touched again, one whose step is left to the general path stays where it was.
 *
 * Short steps whose phases mostly end with their first round are written twice. directN makes one round of each phase
 * for all lanes; where one of them has not ended by it, the step counts as not made, and stepN makes it. Nothing but
 * that round has to be kept in registers, and no lane to be left out. Where that happens directN is not tried for some
 * steps, more of them each time. The operations of a step that is made are the same, and so are its bits. */
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
    "INLINE mask is_finite(number x) { return is_equal(lane_sub(x, x), all(0)); }\n"
    /* Lanes that are seen to have ended by little: with pivots that are sound, and without a division (its rounding
       error is far below the factor 1/2). All others are judged. */
    "INLINE mask lane_quick(const iteration *f, int k, number size, number before, number unit, mask sound)\n"
    "{\n"
    "    if (f->twice)\n"
    "        return sound & is_at_most(before, scaled(LINEAR_SOUND, unit))\n"
    "               & is_at_most(lane_mul(size, size), lane_mul(scaled(f->rest, unit), before));\n"
    "    if (k < f->skip_first) return (mask){ 0 };\n"
    "    if (f->linear) return sound & is_at_most(size, scaled(LINEAR_SOUND, unit));\n"
    "    const mask small = is_at_most(size, scaled(f->enough, unit));\n"
    "    if (k == f->skip_first) return sound & small;\n"
    "    const number bound = lane_mul(scaled(0.5 * f->rest, unit), before), square = lane_mul(size, size);\n"
    "    const mask shrinks = is_below(scaled(2, size), before);\n"
    "    if (!f->always) return sound & (small | (shrinks & is_at_most(square, bound)));\n"
    "    return sound & (small | (shrinks & is_at_most(lane_mul(square, size), lane_mul(bound, before))));\n"
    "}\n"
    /* Lanes that are seen to go on with the matrix they have, if they have not ended so: without a division, too. */
    "INLINE mask lane_goes_on(const iteration *f, int k, number size, number before, number unit, mask sound)\n"
    "{\n"
    "    const mask on = sound & is_below(scaled(f->enough, unit), size) & is_below(size, all(1e300));\n"
    "    if (k <= f->skip_first) return k < f->skip_first ? (mask){ 0 } : on;\n"
    "    const number square = lane_mul(size, size), bound = lane_mul(scaled(2 * f->rest, unit), before);\n"
    "    const mask shrinks = on & is_at_most(scaled(2, size), before);\n"
    "    if (f->always)\n"
    "        return shrinks & is_below(lane_mul(bound, before), lane_mul(square, size));\n"
    "    const number cube = lane_mul(lane_mul(before, before), before);\n"
    "    mask fast = is_at_most(lane_mul(square, square), lane_mul(scaled(0.5 * f->enough, unit), cube));\n"
    "    if (f->rough) fast = ~(mask){ 0 };\n"
    "    return shrinks & fast & is_below(bound, square);\n"
    "}\n"
    /* Of two corrections with one matrix: lanes that one more ends, if they have not ended; that are seen to go on; and
       those that have ended with further ones. */
    "INLINE mask lane_once_more(const iteration *f, number first, number second, number unit, mask sure, mask sound)\n"
    "{\n"
    "    return is_at_most(first, lane_mul(lane_linear(sure, sound), unit))\n"
    "           & is_below(scaled(8, lane_mul(lane_mul(second, second), second)),\n"
    "                      lane_mul(lane_mul(scaled(f->rest, unit), first), first));\n"
    "}\n"
    "INLINE mask lane_goes_further(const iteration *f, number first, number second, number unit, mask sound)\n"
    "{\n"
    "    return sound & is_below(scaled(f->enough, unit), first) & is_at_most(scaled(2, second), first)\n"
    "           & is_below(first, all(1e300));\n"
    "}\n"
    "INLINE mask lane_quick_further(const iteration *f, number first, number second, number last, number unit,\n"
    "                               mask sound)\n"
    "{\n"
    "    return sound & is_at_most(first, scaled(LINEAR_SOUND, unit))\n"
    "           & is_at_most(lane_mul(scaled(2, second), scaled(2, last)), lane_mul(scaled(f->rest, unit), first));\n"
    "}\n"
    "INLINE verdicts lane_judge_two(const iteration *f, number first, number second, number unit, mask sure,\n"
    "                               mask sound)\n"
    "{\n"
    "    const mask finite = is_finite(first) & is_finite(second);\n"
    "    const mask enough = is_at_most(first, scaled(f->enough, unit))\n"
    "                        | (is_at_most(first, lane_mul(lane_linear(sure, sound), unit))\n"
    "                           & is_at_most(lane_mul(second, second), lane_mul(scaled(f->rest, unit), first)));\n"
    "    const mask stays = is_below(first, scaled(2, second)), low = is_at_most(second, scaled(f->floor, unit));\n"
    "    return (verdicts){ finite & (enough | (stays & low)), ~finite | (~enough & stays & ~low), (mask){ 0 } };\n"
    "}\n"
    "INLINE verdicts lane_judge_further(const iteration *f, number first, number second, number last, number unit,\n"
    "                                   mask sure, mask sound)\n"
    "{\n"
    "    const mask finite = is_finite(last);\n"
    "    const mask enough = is_at_most(first, lane_mul(lane_linear(sure, sound), unit))\n"
    "                        & is_at_most(lane_mul(scaled(2, second), scaled(2, last)),\n"
    "                                     lane_mul(scaled(f->rest, unit), first));\n"
    "    return (verdicts){ finite & enough, ~finite, (mask){ 0 } };\n"
    "}\n"
    "INLINE verdicts lane_judge(const iteration *f, int k, number size, number before, number unit, mask fresh,\n"
    "                           mask sure, mask sound)\n"
    "{\n"
    "    if (f->twice) return lane_judge_two(f, before, size, unit, sure, sound);\n"
    "    const mask finite = is_finite(size), none = { 0 };\n"
    "    if (k < f->skip_first) return (verdicts){ none, ~finite, none };\n"
    "    mask enough = is_at_most(size, scaled(f->enough, unit));\n"
    "    if (f->linear) enough |= is_at_most(size, lane_mul(lane_linear(sure, sound), unit));\n"
    "    if (k <= f->skip_first) return (verdicts){ finite & enough, ~finite, none };\n"
    "    const number rate = lane_div(size, before), product = lane_mul(rate, size);\n"
    "    enough |= is_below(rate, all(1))\n"
    "              & is_at_most(f->always ? lane_mul(product, rate) : product, scaled(f->rest, unit));\n"
    "    const mask stays = is_below(all(1), scaled(2, rate));\n"
    "    const mask low = is_at_most(size, lane_mul(pick(fresh, all(f->floor), all(64 * f->epsilon)), unit));\n"
    "    const number later = lane_mul(lane_mul(lane_mul(rate, rate), rate), size);\n"
    "    mask slow = ~stays & ~(is_at_most(later, scaled(f->enough, unit))\n"
    "                           | is_at_most(size, scaled(ITERATION_SMALL, unit)));\n"
    "    if (f->always || f->rough) slow = none;\n"
    "    const mask last = k > ITERATIONS_PATIENT          ? fresh\n"
    "                      : k > (f->always ? 0 : 2) ? fresh & ~is_below(rate, all(1))\n"
    "                                                : none;\n"
    "    return (verdicts){ finite & (enough | (stays & low)), ~finite | (~enough & stays & ~low & last),\n"
    "                       finite & ~enough & ((stays & ~low & ~last) | slow) };\n"
    "}\n\n";

/* Every pivot is more than this part of what it is made of. quickly: those that are made of themselves are left out;
   where they are zero or no numbers, so are corrections. */
static void put_checks(text_writer *w, const program_phase *f, const char *part, int quickly)
{
    int any = 0;
    for (uint32_t i = 0; i < f->check_count; i++)
        if (!quickly || f->checks[i].pivot != f->checks[i].reference)
            taut_text_put(w, "%slane_exceeds(%s, %s, %s)", any++ ? " & " : "",
                          taut_text_vector(w, f->checks[i].pivot).text, part,
                          taut_text_vector(w, f->checks[i].reference).text);
    if (!any) taut_text_put(w, "whole");
}

/* Is it judged by more than the least size of its pivots? */
static int looks_at_pivots(const program_phase *f) { return f->iteration.linear || f->iteration.twice; }

/* Is it judged by how fast corrections shrink? */
static int looks_plain(const program_phase *f) { return !looks_at_pivots(f); }

/* The matrix of a phase's only round. */
static void put_first_matrix(text_writer *w, const program_phase *f)
{
    taut_text_tape(w, &f->factor, "        ");
    taut_text_put(w, "        const mask sound = (");
    put_checks(w, f, looks_at_pivots(f) ? "PIVOT_SOUND" : "PIVOT_LEAST", 1);
    taut_text_put(w, ");\n");
}

/* The matrix of the lanes that need one. */
static void put_matrix(text_writer *w, const program_phase *f, const char *indent)
{
    const int keeps = !f->iteration.always;
    taut_text_tape(w, &f->factor, indent);
    for (uint32_t i = 0; keeps && i < f->factor.count; i++) {
        const uint32_t r = f->factor.code[i].target;
        const text_operand name = taut_text_name(w, r);
        if (w->varies[r])
            taut_text_put(w, "%sm_%s = pick(fresh, %s, m_%s);\n", indent, name.text, name.text, name.text);
        else
            taut_text_put(w, "%sm_%s = %s;\n", indent, name.text, name.text);
    }
    taut_text_put(w, keeps ? "%ssound = (fresh & (" : "%ssound = (", indent);
    put_checks(w, f, looks_at_pivots(f) ? "PIVOT_SOUND" : "PIVOT_LEAST", 1);
    taut_text_put(w, keeps ? ")) | (~fresh & sound);\n" : ");\n");
}

/* Of equal weights the largest change counts, and is multiplied once: rounding does not change which one is larger.
   Changes of no weight do not count; whether they are numbers is seen in the end. */
static void put_sizes(text_writer *w, const program_phase *f, const uint32_t *changes, const char *size)
{
    int any = 0;
    for (uint32_t i = 0; i < f->size; i++) {
        uint32_t equal = taut_text_weighs(w, f->weights[i], 0);
        for (uint32_t k = 0; k < i; k++) equal |= f->weights[k] == f->weights[i];
        if (equal) continue;
        taut_text_put(w, any++ ? "        %s = lane_most(%s, " : "        %s = lane_fabs(%.0s", size, size);
        const int is_one = taut_text_weighs(w, f->weights[i], 1);
        if (!is_one) taut_text_put(w, "lane_mul(%s, ", taut_text_vector(w, f->weights[i]).text);
        for (uint32_t k = i + 1; k < f->size; k++)
            if (f->weights[k] == f->weights[i]) taut_text_put(w, "lane_most("), equal = 1;
        taut_text_put(w, equal ? "lane_fabs(%s)" : "%s", taut_text_vector(w, changes[i]).text);
        for (uint32_t k = i + 1; k < f->size; k++)
            if (f->weights[k] == f->weights[i]) taut_text_put(w, ", %s)", taut_text_vector(w, changes[k]).text);
        taut_text_put(w, is_one ? ");\n" : "));\n");
    }
    if (!any) taut_text_put(w, "        %s = (number){ 0 };\n", size);
}

/* Corrections after two with one matrix, for some lanes. */
static void put_corrections(text_writer *w, const program_phase *f, const program_further *by, const char *lanes)
{
    taut_text_tape(w, &by->tape, "        ");
    for (uint32_t k = 0; k < f->size; k++) {
        const text_operand u = taut_text_name(w, f->unknowns[k]);
        taut_text_put(w, "        %s = pick(%s, lane_sub(%s, %s), %s);\n", u.text, lanes, u.text,
                      taut_text_vector(w, by->sums[k]).text, u.text);
    }
}

/* All lanes have ended, or one more correction ends them: that is seen by little. */
static void put_once(text_writer *w, const program_phase *f)
{
    taut_text_put(w, "        const mask once = lane_once_more(&phase, before, size, %s, (mask){ 0 }, sound) & sound;\n"
                     "        if (__builtin_expect(!bits(going & ~(ended | once)), 1)) {\n"
                     "        const mask these = going & ~ended;\n", taut_text_vector(w, f->unit).text);
    put_corrections(w, f, &f->further[FURTHER_ONCE], "these");
    taut_text_put(w, "        break;\n        }\n");
}

/* The lanes that go on. */
static void put_further(text_writer *w, const program_phase *f)
{
    const text_operand unit = taut_text_vector(w, f->unit);
    taut_text_put(w, "        const mask these = going & lane_once_more(&phase, before, size, %s, sure, sound);\n"
                     "        if (bits(these)) {\n", unit.text);
    put_corrections(w, f, &f->further[FURTHER_ONCE], "these");
    taut_text_put(w, "        going &= ~these;\n"
                     "        if (!bits(going)) break;\n"
                     "        }\n");
    put_corrections(w, f, &f->further[FURTHER_MORE], "going");
    taut_text_put(w, "        number last;\n");
    put_sizes(w, f, f->lasts, "last");
    taut_text_put(w, "        const mask done = lane_quick_further(&phase, before, size, last, %s, sound);\n"
                     "        if (__builtin_expect(!bits(going & ~done), 1)) break;\n", unit.text);
    taut_text_put(w, "        const verdicts now = lane_judge_further(&phase, before, size, last, %s, sure, sound);\n"
                     "        left |= going & now.hopeless;\n"
                     "        going &= ~(now.ended | now.hopeless);\n"
                     "        if (!bits(going)) break;\n", unit.text);
}

/* What the lanes that have not ended by little need. A lane whose pivots have lost too many digits was corrected like
   the others, which does not matter to a step that is left. */
static void put_judgement(text_writer *w, const program_phase *f)
{
    const text_operand unit = taut_text_vector(w, f->unit);
    taut_text_put(w, "        mask matrix = { 0 };\n");
    const int quickly = f->further_count || looks_plain(f);
    if (f->further_count) put_once(w, f);
    if (f->further_count)
        taut_text_put(w, "        const mask on = lane_goes_further(&phase, before, size, %s, sound);\n", unit.text);
    else if (quickly)
        taut_text_put(w, "        const mask on = lane_goes_on(&phase, round, size, before, %s, sound);\n", unit.text);
    if (quickly)
        taut_text_put(w, "        if (__builtin_expect(!bits(going & ~(ended | on)), 1)) {\n"
                         "            going &= ~ended;\n"
                         "        } else {\n");
    taut_text_put(w, "        const mask bad = fresh & going & ~(");
    put_checks(w, f, "PIVOT_LEAST", 0);
    taut_text_put(w, ");\n        left |= bad;\n        going &= ~bad;\n");
    if (looks_at_pivots(f)) {
        taut_text_put(w, "        sure = (fresh & (");
        put_checks(w, f, "PIVOT_SURE", 0);
        taut_text_put(w, ")) | (~fresh & sure);\n");
    }
    taut_text_put(w, "        const verdicts v = lane_judge(&phase, round, size, before, %s, fresh, sure, sound);\n"
                     "        left |= going & v.hopeless;\n"
                     "        going &= ~(v.ended | v.hopeless);\n"
                     "        matrix = v.matrix;\n"
                     "        if (!bits(going)) break;\n", unit.text);
    if (quickly) taut_text_put(w, "        }\n");
    if (f->further_count) put_further(w, f);
    taut_text_put(w, "        if (round == iteration_most(&phase) - 1) {\n"
                     "            left |= going;\n"
                     "            break;\n"
                     "        }\n"
                     "        fresh = %s;\n"
                     "        before = size;\n", f->iteration.always ? "whole" : "matrix");
}

/* lanes: those that are corrected; NULL: all. */
static void put_correction(text_writer *w, const program_phase *f, const char *lanes)
{
    for (uint32_t k = 0; k < f->size; k++) {
        const text_operand u = taut_text_name(w, f->unknowns[k]), change = taut_text_vector(w, f->changes[k]);
        taut_text_put(w, lanes ? "        %s = pick(%s, " : "        %s = %.0s", u.text, lanes ? lanes : "");
        if (f->iteration.twice)
            taut_text_put(w, "lane_sub(lane_sub(%s, %s), %s)", u.text, change.text,
                          taut_text_vector(w, f->seconds[k]).text);
        else
            taut_text_put(w, "lane_sub(%s, %s)", u.text, change.text);
        taut_text_put(w, lanes ? ", %s);\n" : ";\n%.0s", u.text);
    }
}

static void put_phase(text_writer *w, const iteration *i)
{
    taut_text_put(w, "    {\n    const iteration phase = { %d, %d, %d, %d, %d, %a, %a, %a, %a };\n", i->linear,
                  i->always, i->skip_first, i->rough, i->twice, i->enough, i->rest, i->epsilon, i->floor);
}

/* The sizes of the corrections, and which lanes have ended by them. */
static void put_ended(text_writer *w, const program_phase *f, const char *round)
{
    taut_text_put(w, "        number size;\n");
    if (f->iteration.twice) put_sizes(w, f, f->changes, "before");
    put_sizes(w, f, f->iteration.twice ? f->seconds : f->changes, "size");
    taut_text_put(w, "        const mask ended = lane_quick(&phase, %s, size, before, %s, sound);\n", round,
                  taut_text_vector(w, f->unit).text);
}

/* The only round of a phase: where it is not enough for all lanes, the step is not made. */
static void put_round(text_writer *w, const program_phase *f)
{
    put_phase(w, &f->iteration);
    taut_text_put(w, "        number before%s;\n", f->iteration.twice ? "" : " = { 0 }");
    w->is_inside = 1;
    taut_text_tape(w, &f->residual, "        ");
    put_first_matrix(w, f);
    taut_text_tape(w, &f->solve, "        ");
    put_correction(w, f, NULL);
    put_ended(w, f, "0");
    w->is_inside = 0;
    taut_text_put(w, "        if (__builtin_expect(bits(~ended) & ALL_BITS, 0)) return 1;\n    }\n");
}

static void put_iteration(text_writer *w, const program_phase *f, int index)
{
    const iteration *i = &f->iteration;
    put_phase(w, i);
    taut_text_put(w, "    mask going = active & ~left, fresh = whole, sure = { 0 }, sound = { 0 };\n"
                     "    number before = { 0 };\n");
    for (uint32_t k = 0; !i->always && k < f->factor.count; k++) {
        const uint32_t r = f->factor.code[k].target;
        taut_text_put(w, "    %s m_%s = %s;\n", taut_text_type(w, r), taut_text_name(w, r).text,
                      w->varies[r] ? "{ 0 }" : "0");
    }
    taut_text_put(w, "    for (int round = 0;; round++) { /* %d */\n", index + 1);
    w->is_inside = 1;
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
    put_correction(w, f, "going");
    put_ended(w, f, "round");
    taut_text_put(w, "        if (__builtin_expect(!bits(going & ~ended), 1)) break;\n");
    put_judgement(w, f);
    w->is_inside = 0;
    taut_text_put(w, "    }\n    }\n");
}

/* A sum with what rounding leaves over. */
static void put_add(text_writer *w, uint32_t x, uint32_t low, uint32_t d)
{
    const uint32_t first = w->t->p->state_first;
    const uint32_t added = taut_text_sum(w, d, first + low);
    const uint32_t sum = added == UINT32_MAX ? UINT32_MAX : taut_text_sum(w, first + x, added);
    if (sum != UINT32_MAX) { /* a tape has it */
        taut_text_need(w, sum), taut_text_need(w, added), taut_text_need(w, first + x);
        const text_operand name = taut_text_name(w, sum);
        taut_text_put(w, "    y[%u] = %s, y[%u] = lane_sub(%s, lane_sub(%s, %s));\n", x, name.text, low,
                      taut_text_name(w, added).text, name.text, taut_text_name(w, first + x).text);
        return;
    }
    taut_text_need(w, d), taut_text_need(w, first + low), taut_text_need(w, first + x);
    const text_operand from = taut_text_name(w, first + x);
    taut_text_put(w, "    { const number d = lane_add(%s, %s), s = lane_add(%s, d);\n"
                     "      y[%u] = s, y[%u] = lane_sub(d, lane_sub(s, %s)); }\n",
                  taut_text_vector(w, d).text, taut_text_name(w, first + low).text, from.text, x, low, from.text);
}

static void put_finite(text_writer *w, uint32_t d)
{
    taut_text_put(w, "    sum = lane_add(sum, %s);\n", taut_text_vector(w, d).text);
}

/* ---- when a value is known ---- */

/* stage: of each register, how many phases must be solved before it can be computed. */
static void find_stages(const segment *tape, unsigned char least, unsigned char *stage)
{
    for (uint32_t i = 0; i < tape->count; i++) {
        uint32_t operands[3];
        unsigned char most = least;
        for (int k = taut_text_operands(&tape->code[i], operands); k-- > 0;)
            if (stage[operands[k]] > most) most = stage[operands[k]];
        stage[tape->code[i].target] = most;
    }
}

static unsigned char *stages_of(const text_writer *w)
{
    const program *p = w->t->p;
    unsigned char *stage = taut_mem_new(w->plan->context, p->register_count, 1);
    for (int k = 0; stage && k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        const unsigned char then = (unsigned char)(k + 1);
        find_stages(&f->begin, 0, stage);
        for (uint32_t i = 0; i < f->size; i++) stage[f->unknowns[i]] = then;
        find_stages(&f->residual, then, stage), find_stages(&f->factor, then, stage);
        find_stages(&f->solve, then, stage);
        for (int i = 0; i < f->further_count; i++) find_stages(&f->further[i].tape, then, stage);
    }
    if (stage) find_stages(&p->results, 0, stage);
    return stage;
}

/* ---- the new state ---- */

/* New positions that are known after so many phases. They are written as soon as they are: the next phase needs them,
   too. */
static void put_positions(text_writer *w, const unsigned char *stage, int solved)
{
    const program *p = w->t->p;
    const uint32_t n = w->plan->n;
    for (uint32_t i = 0; i < n; i++) {
        if (stage[p->move[i]] != solved) continue;
        put_add(w, i, 3 * n + i, p->move[i]);
    }
}

/* Number by number. A sum that is no number tells that one of them may be none: such a step is left to the general
   path, which sees for itself. A new position times the change of its momentum shows both. */
static void put_results(text_writer *w, int without_velocities)
{
    const program *p = w->t->p;
    const text_plan *z = w->plan;
    const uint32_t n = z->n, c = z->c;
    emit_functions used = { .fuses = 0 };
    X(program_mark_functions)(p, &used);
    for (uint32_t i = 0; i < n; i++) {
        if (p->sets_momentum) {
            taut_text_need(w, p->push[i]);
            taut_text_put(w, "    y[%u] = %s, y[%u] = (number){ 0 };\n", n + i, taut_text_vector(w, p->push[i]).text,
                          4 * n + i);
        } else {
            put_add(w, n + i, 4 * n + i, p->push[i]);
        }
        taut_text_put(w, used.fuses ? "    sum = lane_fmadd(y[%u], %s, sum);\n"
                                    : "    sum = lane_add(lane_mul(y[%u], %s), sum);\n",
                      i, taut_text_vector(w, p->push[i]).text);
        if (without_velocities) continue;
        if (p->w) {
            taut_text_need(w, p->w[i]);
            taut_text_put(w, "    y[%u] = %s;\n", 2 * n + i, taut_text_vector(w, p->w[i]).text);
        } else {
            taut_text_put(w, "    y[%u] = y[%u];\n", 2 * n + i, n + i);
        }
    }
    for (uint32_t k = 0; p->trend && k < c; k++) {
        taut_text_need(w, p->trend[k]);
        taut_text_put(w, "    y[%u] = %s;\n", program_trend_at(n, c) + k, taut_text_vector(w, p->trend[k]).text);
    }
    for (uint32_t k = 0; p->change && k < 2 * c; k++) {
        taut_text_need(w, p->change[k]);
        taut_text_put(w, "    y[%u] = %s;\n", program_trend_at(n, c) + c + k, taut_text_vector(w, p->change[k]).text);
    }
    for (uint32_t k = 0; p->lambda && k < c; k++) {
        taut_text_need(w, p->lambda[k]);
        taut_text_put(w, "    y[%u] = %s;\n", 5 * n + k, taut_text_vector(w, p->lambda[k]).text);
    }
    if (p->has_work && z->own_work) {
        put_add(w, 5 * n + c + 1, 5 * n + c + 2, p->work);
        put_finite(w, p->work);
    }
    for (int k = 0; k < p->phase_count; k++)
        for (uint32_t i = 0; i < p->phases[k].size; i++)
            if (taut_text_weighs(w, p->phases[k].weights[i], 0)) put_finite(w, p->phases[k].unknowns[i]);
}

/* A lane that leads to no numbers is left; and the lanes that are left, or were before, stay as they were. */
static void put_left(text_writer *w)
{
    const text_plan *z = w->plan;
    taut_text_put(w, "    left |= active & ~is_finite(sum);\n"
                     "    if (__builtin_expect(bits(active & ~left) != ALL_BITS, 0)) {\n"
                     "        const mask made = active & ~left;\n");
    for (uint32_t i = 0; i < z->numbers; i++)
        if (z->stored[i]) taut_text_put(w, "        y[%u] = pick(made, y[%u], x[%u]);\n", i, i, i);
    taut_text_put(w, "    }\n    return left;\n}\n\n");
}

/* ---- steps of one round ---- */

static int is_direct(const text_plan *p)
{
    const program *one = p->programs[0].p;
    int direct = p->part_count == 1 && p->program_count == 1;
    for (int k = 0; direct && k < one->phase_count; k++)
        direct = !one->phases[k].size || (looks_at_pivots(&one->phases[k]) && !one->phases[k].iteration.skip_first);
    return direct;
}

/* The largest velocity with the factor of coordinate i. */
static void put_group(text_writer *w, const text_speeds *v, uint32_t i)
{
    const uint32_t n = w->plan->n, momenta = w->t->p->state_first + n;
    taut_text_put(w, "lane_mul(%s, ", taut_text_vector(w, v->factors[i]).text);
    for (uint32_t k = i + 1; k < n; k++)
        if (taut_text_are_together(v, i, k)) taut_text_put(w, "lane_max_size(");
    taut_text_put(w, "%s", taut_text_name(w, momenta + i).text);
    for (uint32_t k = i + 1; k < n; k++)
        if (taut_text_are_together(v, i, k)) taut_text_put(w, ", %s)", taut_text_name(w, momenta + k).text);
    taut_text_put(w, ")");
}

/* The size of the largest velocity, from the momenta. */
static void put_speed(text_writer *w)
{
    const text_speeds *v = w->speeds;
    const uint32_t n = w->plan->n, momenta = w->t->p->state_first + n;
    const text_operand size = taut_text_name(w, v->size);
    int any = 0;
    for (uint32_t i = 0; i < n; i++)
        if (v->counts[i]) taut_text_need(w, v->factors[i]), taut_text_need(w, momenta + i);
    for (uint32_t i = 0; i < n; i++) {
        if (!taut_text_is_first(v, i)) continue;
        taut_text_put(w, any ? "    %s = lane_max_size(%s, " : "    number %s = lane_fabs(%.0s", size.text, size.text);
        put_group(w, v, i);
        taut_text_put(w, ");\n");
        any = 1;
    }
}

static void put_velocities(text_writer *w, const text_speeds *v)
{
    const uint32_t n = w->plan->n, momenta = w->t->p->state_first + n;
    taut_text_put(w, "static void velocities(number *x, const double *restrict even, const number *restrict odd)\n{\n"
                     "    (void)x, (void)even, (void)odd;\n");
    for (uint32_t i = 0; v->size != UINT32_MAX && i < n; i++) {
        taut_text_need(w, v->factors[i]), taut_text_need(w, momenta + i);
        taut_text_put(w, "    x[%u] = lane_mul(%s, %s);\n", 2 * n + i, taut_text_vector(w, v->factors[i]).text,
                      taut_text_name(w, momenta + i).text);
    }
    taut_text_put(w, "}\n\n");
}

/* ---- steps ---- */

static const char *times_of(const text_plan *p)
{
    return p->uses_time ? ", double t0, double t0_low, double t1, double span" : "";
}

/* All that a phase needs from before, and what it begins with. */
static void put_guesses(text_writer *w, const program_phase *f)
{
    taut_text_need_for(w, f);
    for (uint32_t i = 0; i < f->size; i++)
        taut_text_put(w, "    number %s = %s;\n", taut_text_name(w, f->unknowns[i]).text,
                      taut_text_vector(w, f->guesses[i]).text);
}

static void put_direct(text_writer *w, const unsigned char *stage, const text_speeds *v)
{
    const program *p = w->t->p;
    const int without = v->size != UINT32_MAX;
    taut_text_put(w, "static STEP int direct0(const number *restrict x, number *restrict y,\n"
                     "    const double *restrict even, const number *restrict odd%s)\n{\n"
                     "    const mask whole = ~(mask){ 0 };\n    number sum = { 0 };\n"
                     "    (void)whole, (void)odd, (void)even;\n", times_of(w->plan));
    if (without) w->speeds = v, w->put_speed = put_speed;
    put_positions(w, stage, 0);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        put_guesses(w, f);
        if (f->size) {
            put_round(w, f);
            taut_text_section(w);
        }
        put_positions(w, stage, k + 1);
    }
    put_results(w, without);
    w->speeds = NULL;
    taut_text_put(w, "    return (bits(~is_finite(sum)) & ALL_BITS) != 0;\n}\n\n");
}

static void put_step(text_writer *w, int index, const unsigned char *stage)
{
    const program *p = w->t->p;
    taut_text_put(w, "static STEP mask step%d(const number *restrict x, number *restrict y,\n"
                     "    const double *restrict even, const number *restrict odd, mask active%s)\n{\n"
                     "    const mask whole = ~(mask){ 0 };\n    mask left = { 0 };\n    number sum = { 0 };\n"
                     "    (void)whole, (void)odd, (void)even;\n", index, times_of(w->plan));
    put_positions(w, stage, 0);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        put_guesses(w, f);
        if (f->size) {
            put_iteration(w, f, k);
            taut_text_section(w);
        }
        put_positions(w, stage, k + 1);
    }
    put_results(w, 0);
    put_left(w);
}

/* stepN, or direct0 and what belongs to it. */
static int put_steps(text_writer *w, int index, int direct)
{
    text_speeds v = { .size = UINT32_MAX };
    int status = taut_text_begin(w, &w->plan->programs[index]);
    if (!status && direct) status = taut_text_find_speeds(w, &v);
    unsigned char *stage = status ? NULL : stages_of(w);
    if (!status && !stage) status = TAUT_OUT_OF_MEMORY;
    if (!status && direct)
        put_direct(w, stage, &v);
    else if (!status)
        put_step(w, index, stage);
    taut_mem_free(w->plan->context, stage);
    taut_text_end(w);
    if (!status && direct) status = taut_text_begin(w, &w->plan->programs[index]);
    if (!status && direct) {
        put_velocities(w, &v);
        taut_text_end(w);
    }
    taut_text_forget_speeds(w, &v);
    return status;
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
    taut_text_put(w, "static mask parts(const number *restrict x, number *restrict y,\n"
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

/* A step of a group, by direct0 or by step0. */
static const char direct_step[] =
    "static mask advance(number *x, number *y, const double *even, const number *odd, mask active, pace *p,\n"
    "    instant t, instant t1)\n"
    "{\n"
    "    (void)t, (void)t1;\n"
    "    if (p->pause > 0) {\n"
    "        p->pause--;\n"
    "    } else if (bits(active) == ALL_BITS) {\n"
    "        if (__builtin_expect(!direct0(x, y, even, odd TIMES), 1)) {\n"
    "            p->stale = 1, p->wait -= p->wait / 2;\n"
    "            return (mask){ 0 };\n"
    "        }\n"
    "        p->pause = p->wait, p->wait = p->wait < 64 ? 2 * p->wait : p->wait;\n"
    "    }\n"
    "    if (p->stale) velocities(x, even, odd);\n"
    "    p->stale = 0;\n"
    "    return step0(x, y, even, odd, active TIMES);\n"
    "}\n\n";

/* stale: velocities are those of some steps before; pause: so many steps are left to step0; wait: and so many when
   direct0 fails again. */
static const char pace[] = "typedef struct { int stale, pause, wait; } pace;\n";

/* States go back and forth between two places: a step writes to the other one. */
static const char entry[] =
    "{\n"
    "    number (*x)[NUMBERS] = (number (*)[NUMBERS])xs, y[GROUPS][NUMBERS];\n"
    "    const number *odd = (const number *)odds_of_all;\n"
    "    mask active[GROUPS];\n"
    "    pace paces[GROUPS];\n"
    "    instant t = { time[0], time[1] };\n"
    "    const double h = time[2];\n"
    "    for (int g = 0; g < GROUPS; g++)\n"
    "    {\n"
    "        active[g] = (mask){ 0 };\n"
    "        paces[g] = (pace){ 0, 0, 1 };\n"
    "        for (int i = 0; i < LANES; i++)\n"
    "            if (done[g * LANES + i] >= 0) active[g] |= lane(i);\n"
    "    }\n"
    "    __builtin_memcpy(y, x, sizeof y);\n"
    "    for (long k = 0; k < steps; k++) {\n"
    "        const instant t1 = later(t, h);\n"
    "        for (int g = 0; g < GROUPS; g++) {\n"
    "            number *from = k & 1 ? y[g] : x[g], *to = k & 1 ? x[g] : y[g];\n"
    "            const mask left = whole_step(from, to, even, odd + g * ODDS, active[g], &paces[g], t, t1, h);\n"
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
    "        if (paces[g].stale) velocities(x[g], even, odd + g * ODDS);\n"
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
    const int direct = is_direct(p);
    taut_text_put(w, "#define TIMES %s\n", p->uses_time ? ", t.t, t.low, t1.t, t1.t - t.t" : "");
    taut_builder_add(w->out, pace, sizeof pace - 1);
    if (direct)
        taut_builder_add(w->out, direct_step, sizeof direct_step - 1);
    else
        taut_text_put(w, "#define velocities(x, even, odd) (void)0\n");
    if (p->part_count > 1) put_parts(w);
    taut_text_put(w, "%s %s\n", step, p->part_count > 1 ? "parts(x, y, even, odd, active, t, h)"
                                       : direct          ? "advance(x, y, even, odd, active, p, t, t1)"
                                                         : "step0(x, y, even, odd, active TIMES)");
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
    for (int k = 0; !status && k < p->program_count; k++) status = put_steps(&w, k, 0);
    if (!status && is_direct(p)) status = put_steps(&w, 0, 1);
    put_entry(&w);
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
