/* Flows as text, with loops and conditions. A thread branches; lanes have masks: `going` are those that are in a loop,
 * `some` those of them in a condition, `left` those whose step is left.
 *
 * Values outside of loops are computed when they are needed. Numbers of the new state are written as soon as little is
 * missing to them. */
#include <limits.h>
#include <stdio.h>

#include "ensemble/writer.h"

/* While a flow is written. */
typedef struct {
    text_writer *w;
    uint32_t at;              /* instruction */
    uint32_t *last;           /* of a register: the last instruction that computes it */
    unsigned char *done;      /* of an instruction that makes a number of the new state: it is written */
    uint32_t *parts, part_count; /* of the sum that shows whether the new state is one of numbers */
    int depth;                /* 1: in a loop; 2: in a condition */
    uint32_t round_end;       /* of a straight flow: instruction */
    int has_doubt;            /* whether an iteration has ended may not be sure here */
    char mask[20];            /* of the lanes that are here */
} writing;

/* ---- where values are read ---- */

typedef struct {
    uint32_t loop, condition; /* their numbers; 0: in none */
    int is_known;
} position;

static position walk(position at, const program_instruction *c, uint32_t number)
{
    if (c->op == FLOW_LOOP) at.loop = number;
    if (c->op == FLOW_IF) at.condition = number;
    if (c->op == FLOW_REPEAT) at.loop = 0;
    if (c->op == FLOW_FI) at.condition = 0;
    return at;
}

static int is_within(position at, position home)
{
    return (!home.loop || at.loop == home.loop) && (!home.condition || at.condition == home.condition);
}

/* homes: of registers, where they are computed first. */
static void find_facts(writing *z, position *homes)
{
    text_writer *w = z->w;
    position at = { .is_known = 1 };
    for (uint32_t i = 0; i < w->f->count; i++) {
        const program_instruction *c = &w->f->code[i];
        uint32_t read[3];
        at = walk(at, c, i + 1);
        for (int k = X(step_flow_operands)(c, read); k-- > 0;) {
            if (!is_within(at, homes[read[k]])) w->facts[read[k]] |= TEXT_GOES_OUT;
            if (!at.loop && z->last[read[k]]) w->facts[read[k]] |= TEXT_IS_READ_LATER;
        }
        if (!flow_has_target(c)) continue;
        if (!homes[c->target].is_known) homes[c->target] = at;
        if (!is_within(at, homes[c->target])) w->facts[c->target] |= TEXT_GOES_OUT;
        if (at.loop) z->last[c->target] = i + 1;
    }
    for (uint32_t i = 0; i < w->f->count; i++)
        if (flow_has_target(&w->f->code[i])) z->last[w->f->code[i].target] = i;
}

static int begin(writing *z, text_writer *w)
{
    taut_context *context = w->plan->context;
    const size_t registers = (size_t)w->f->register_count + 1;
    *z = (writing){ .w = w, .mask = "going" };
    position *homes = taut_mem_new(context, registers, sizeof *homes);
    z->last = taut_mem_new(context, registers, sizeof *z->last);
    z->parts = taut_mem_new(context, registers, sizeof *z->parts);
    z->done = taut_mem_new(context, (size_t)w->f->count + 1, 1);
    const int status = homes && z->last && z->parts && z->done ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) find_facts(z, homes);
    taut_mem_free(context, homes);
    return status;
}

static void end(writing *z)
{
    taut_context *context = z->w->plan->context;
    taut_mem_free(context, z->last);
    taut_mem_free(context, z->parts);
    taut_mem_free(context, z->done);
}

/* ---- the new state ---- */

static int is_store(const text_writer *w, const program_instruction *c)
{
    const program *p = w->t->p;
    return c->op == PROGRAM_MOVE && c->target >= p->state_first && c->target < p->state_first + p->state_count &&
           w->plan->stored[c->target - p->state_first];
}

/* How many instructions are missing to a value, up to so many; more than that where it is not known yet. */
static int missing(const writing *z, uint32_t r, int most)
{
    const text_writer *w = z->w;
    uint32_t read[3];
    if (w->writes[r] > 1 && !taut_text_is_put_out(w, r)) return z->last[r] < z->at ? 0 : most + 1;
    if (w->written[r] || !w->source[r]) return 0;
    int count = 1;
    for (int k = X(step_flow_operands)(w->source[r], read); k-- > 0 && count <= most;)
        count += missing(z, read[k], most - count);
    return count;
}

/* What the sum of the end consists of. */
static void find_parts(writing *z, uint32_t sum)
{
    const text_writer *w = z->w;
    const program_instruction *c = sum >= w->f->value_first ? w->source[sum] : NULL;
    if (c && c->op == OP_ADD) {
        find_parts(z, c->a);
        sum = c->b;
    }
    z->parts[z->part_count++] = sum;
}

static void add_product(text_writer *w, const char *a, const char *b)
{
    taut_text_put(w, w->fuses ? "    sum = lane_fmadd(%s, %s, sum);\n" : "    sum = lane_add(sum, lane_mul(%s, %s));\n",
                  a, b);
}

/* Products of two show as well whether they are numbers. Unknowns come first, then changes of positions and momenta:
   new positions and momenta show the same (put_number). */
static void add_parts(writing *z)
{
    text_writer *w = z->w;
    const uint32_t changes = 2 * w->plan->n, unknowns = z->part_count > changes ? z->part_count - changes : 0;
    for (uint32_t i = 0; i < unknowns; i += 2)
        add_product(w, taut_text_vector(w, z->parts[i]).text,
                    i + 1 < unknowns ? taut_text_vector(w, z->parts[i + 1]).text : "all(1)");
}

static void put_number(writing *z, uint32_t at)
{
    text_writer *w = z->w;
    const uint32_t n = w->plan->n, first = w->t->p->state_first, number = w->f->code[at].target - first;
    const int is_momentum = number >= n && number < 2 * n;
    char position[16];
    z->done[at] = 1;
    for (uint32_t i = 0; is_momentum && i < at; i++)
        if (!z->done[i] && is_store(w, &w->f->code[i]) && w->f->code[i].target == first + number - n) put_number(z, i);
    taut_text_need(w, w->f->code[at].a);
    const text_operand v = taut_text_vector(w, w->f->code[at].a);
    taut_text_put(w, "    y[%u] = %s;\n", number, v.text);
    snprintf(position, sizeof position, "y[%u]", number - n);
    if (is_momentum) add_product(w, position, v.text);
}

enum { STORE_SOON = 2, STORE_BEHIND_LOOP = 12 };

/* Writes what so little is missing to. What sums leave over comes next. */
static void put_stores(writing *z, int most)
{
    const text_writer *w = z->w;
    for (uint32_t i = 0; i < w->f->count; i++) {
        const program_instruction *c = &w->f->code[i];
        if (z->done[i] || !is_store(w, c) || missing(z, c->a, most) > most) continue;
        put_number(z, i);
        put_stores(z, STORE_SOON);
    }
}

/* ---- the new state of a thread ---- */

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

static void add_multiple(text_writer *w, growing_sum *s, uint32_t a, uint32_t b, int negative)
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
    if (taut_text_is_left_over(w, r)) return;
    if (has_sum(w, s, r, negative, &sum)) {
        s->name = taut_text_name(w, sum), s->value = sum;
    } else if (c && (c->op == OP_ADD || c->op == OP_SUB)) {
        const int second = has_sum(w, s, c->b, negative ^ (c->op == OP_SUB), &sum);
        if (!second) add_term(w, s, c->a, negative);
        add_term(w, s, c->b, negative ^ (c->op == OP_SUB));
        if (second) add_term(w, s, c->a, negative);
    } else if (c && c->op == OP_MUL) {
        add_multiple(w, s, c->a, c->b, negative);
    } else if (c && (c->op == PROGRAM_MULTIPLY_ADD || c->op == PROGRAM_MULTIPLY_SUBTRACT ||
                     c->op == PROGRAM_SUBTRACT_PRODUCT)) {
        add_term(w, s, c->c, negative ^ (c->op == PROGRAM_MULTIPLY_SUBTRACT));
        add_multiple(w, s, c->a, c->b, negative ^ (c->op == PROGRAM_SUBTRACT_PRODUCT));
    } else {
        taut_text_need(w, r);
        add_next(w, s, negative ? "-" : "+", taut_text_name(w, r).text);
    }
}

/* The name of a new number; in fast steps its sum is made for it. */
static text_operand new_number(text_writer *w, const program_instruction *store)
{
    const uint32_t old = store->target, number = old - w->t->p->state_first;
    const program_instruction *c = w->written[store->a] ? NULL : w->source[store->a];
    const int grows = w->fast && c && c->op == OP_ADD && (c->a == old) != (c->b == old);
    taut_text_need(w, grows ? old : store->a);
    if (!grows) return taut_text_name(w, store->a);
    growing_sum s = { .name = taut_text_name(w, old), .value = old, .number = number };
    add_term(w, &s, c->a == old ? c->b : c->a, 0);
    return s.name;
}

static int is_lost(const text_writer *w, uint32_t number)
{
    const uint32_t n = w->plan->n;
    return w->fast && ((number >= 3 * n && number < 5 * n) || number == 5 * n + w->plan->c + 2);
}

/* All that the old state is needed for comes first: a step that is left leaves the state as it was. */
static void put_thread_stores(writing *z)
{
    text_writer *w = z->w;
    for (int last = 0; last < 2; last++)
        for (uint32_t i = 0; i < w->f->count; i++) {
            const program_instruction *c = &w->f->code[i];
            const uint32_t number = c->target - w->t->p->state_first;
            if (!is_store(w, c) || is_lost(w, number)) continue;
            if (!last)
                taut_text_put(w, "    const number new%u = %s;\n", number, new_number(w, c).text);
            else
                taut_text_put(w, "    x[%u] = new%u;\n", number, number);
        }
}

/* ---- blocks ---- */

/* Is it a verdict that may be neither surely so nor surely not? */
static int is_pair(const text_writer *w, uint32_t r)
{
    double literal;
    return w->roughly && w->facts[r] & TEXT_IS_TRUTH && !taut_text_literal(w, r, &literal);
}

/* Of several reasons to end an iteration one is enough; where none is sure, but one may be, the step is left. */
static void put_doubt(writing *z)
{
    if (z->has_doubt) taut_text_put(z->w, "        if (doubt) return 1;\n");
    z->has_doubt = 0;
}

static void put_unless_sure(writing *z, uint32_t truth)
{
    if (is_pair(z->w, truth))
        taut_text_put(z->w, "        if (!(%s | %s)) return 1;\n", taut_text_truth(z->w, truth, 0).text,
                      taut_text_not(z->w, truth).text);
}

static void declare(writing *z, uint32_t r)
{
    text_writer *w = z->w;
    if (w->facts[r] & TEXT_STANDS) return;
    w->facts[r] |= TEXT_STANDS;
    taut_text_put(w, "    %s %s = %s;\n", taut_text_type(w, r), taut_text_name(w, r).text,
                  w->lanes && w->varies[r] ? "{ 0 }" : "0");
    if (is_pair(w, r)) taut_text_put(w, "    int %s = 0;\n", taut_text_not(w, r).text);
}

/* All that a loop reads from before it, or that is read behind it. In lanes it reads from memory what is there. */
static void need_for_loop(writing *z)
{
    text_writer *w = z->w;
    for (uint32_t i = z->at; w->f->code[i].op != FLOW_REPEAT; i++) {
        const program_instruction *c = &w->f->code[i];
        uint32_t read[3];
        for (int k = X(step_flow_operands)(c, read); k-- > 0;)
            if (w->source[read[k]] || (!w->lanes && !w->inside[read[k]] && w->writes[read[k]] < 2))
                taut_text_need(w, read[k]);
    }
    for (uint32_t i = z->at; w->f->code[i].op != FLOW_REPEAT; i++) {
        const program_instruction *c = &w->f->code[i];
        if (flow_has_target(c) && c->op != FLOW_COUNT && w->facts[c->target] & TEXT_GOES_OUT) declare(z, c->target);
    }
}

static void put_loop(writing *z)
{
    text_writer *w = z->w;
    need_for_loop(z);
    if (w->lanes) put_stores(z, STORE_SOON);
    taut_text_put(w, w->lanes ? "    {\n    mask going = active & ~left;\n    for (;;) {\n" : "    for (;;) {\n");
    w->is_inside = w->lanes;
    z->depth = 1;
}

static void put_repeat(writing *z)
{
    text_writer *w = z->w;
    put_doubt(z);
    taut_text_put(w, w->lanes ? "    }\n    }\n" : "    }\n");
    w->is_inside = 0, z->depth = 0;
    taut_text_section(w);
    if (w->lanes) put_stores(z, STORE_BEHIND_LOOP);
}

static void put_condition(writing *z, const program_instruction *c)
{
    text_writer *w = z->w;
    const int is_mask = w->lanes && w->varies[c->a];
    const text_operand truth = taut_text_truth(w, c->a, is_mask);
    if (is_mask) {
        snprintf(z->mask, sizeof z->mask, "some%u", z->at);
        taut_text_put(w, "        const mask %s = going & %s;\n", z->mask, truth.text);
        taut_text_put(w, "        if (bits(%s)) {\n", z->mask);
    } else {
        put_doubt(z), put_unless_sure(z, c->a);
        taut_text_put(w, "        if (%s) {\n", truth.text);
    }
    z->depth = 2;
}

/* ---- exits ---- */

/* Lanes that are here, and where a truth is. */
static text_operand here(const writing *z, uint32_t truth, int is_so)
{
    text_operand o;
    const text_operand t = taut_text_truth(z->w, truth, 1);
    double literal;
    if (taut_text_literal(z->w, truth, &literal) && (literal != 0) == is_so)
        snprintf(o.text, sizeof o.text, "%s", z->mask);
    else
        snprintf(o.text, sizeof o.text, "%s & %s%.24s", z->mask, is_so ? "" : "~", t.text);
    return o;
}

static void put_next(writing *z, const program_instruction *c)
{
    text_writer *w = z->w;
    if (!w->lanes) {
        taut_text_put(w, "        if (%s) break;\n", taut_text_truth(w, c->a, 0).text);
        if (!is_pair(w, c->a)) return;
        taut_text_put(w, "        doubt |= !%s;\n", taut_text_not(w, c->a).text);
        z->has_doubt = 1;
        return;
    }
    taut_text_put(w, "        going &= ~(%s);\n        if (%s) break;\n", here(z, c->a, 1).text,
                  z->depth == 1 ? "__builtin_expect(!bits(going), 1)" : "!bits(going)");
}

/* In lanes corrections that are NaN show when the step is done: they end no iteration, or make unknowns NaN. */
static int is_of_numbers(const text_writer *w, uint32_t truth)
{
    const program_instruction *c = w->inside[truth];
    if (c && c->op == FLOW_BOTH) return is_of_numbers(w, c->a) && is_of_numbers(w, c->b);
    return c && c->op == FLOW_IS_NUMBER;
}

static void put_finite(writing *z)
{
    text_writer *w = z->w;
    taut_text_put(w, "    TAUT_FINITE_TYPE finite = 0;\n");
    for (uint32_t i = 0; i < z->part_count; i++) {
        taut_text_need(w, z->parts[i]);
        taut_text_put(w, "    TAUT_FINITE(finite, %s);\n", taut_text_name(w, z->parts[i]).text);
    }
    taut_text_put(w, "    if (!(finite == 0)) return 1;\n");
}

/* The verdict of a mixed way. */
static void put_sure(writing *z, uint32_t truth)
{
    text_writer *w = z->w;
    taut_text_need(w, truth);
    taut_text_put(w, w->lanes ? "    other |= ~%s;\n" : "    TAUT_SURE(%s);\n",
                  taut_text_truth(w, truth, w->lanes).text);
}

/* The last exit outside of loops shows whether the new state is one of numbers. */
static void put_leave(writing *z, const program_instruction *c)
{
    text_writer *w = z->w;
    if (!z->depth && w->in_order_end) {
        put_sure(z, c->a);
    } else if (!z->depth) {
        if (!w->lanes) put_finite(z);
    } else if (w->lanes && !is_of_numbers(w, c->a)) {
        const text_operand bad = here(z, c->a, 0);
        taut_text_put(w, "        if (__builtin_expect(bits(%s), 0)) {\n            left |= %s, going &= ~left;\n"
                         "            if (!bits(going)) break;\n        }\n", bad.text, bad.text);
    } else if (!w->lanes) {
        put_doubt(z);
        taut_text_put(w, "        if (!%s) return 1;\n", taut_text_truth(w, c->a, 0).text);
    }
}

static int is_in_order(const text_writer *w, uint32_t r) { return r >= w->in_order && r < w->in_order_end; }

/* Of an iteration, in a straight flow. */
static int is_last_verdict(const writing *z)
{
    const step_flow *f = z->w->f;
    if (f->code[z->at].c == WAY_OTHER) return 0;
    for (uint32_t i = z->at + 1; i < f->count; i++) {
        if (f->code[i].op >= FLOW_EXITS) return f->code[i].c == WAY_OTHER;
        if (flow_has_target(&f->code[i]) && is_in_order(z->w, f->code[i].target)) return 1;
    }
    return 1;
}

/* A straight flow is left unless a > b, or a >= b. That is found out together with all others, behind it. What is NaN
   shows in the sum. */
static void put_requirement(writing *z, const program_instruction *c)
{
    text_writer *w = z->w;
    if (c->a == c->b) {
        if (!w->lanes) taut_text_put(w, "    if (TAUT_ANY(!(sure & usual) & !gone)) return 1;\n");
        return;
    }
    taut_text_need(w, c->a), taut_text_need(w, c->b);
    if (!w->lanes) {
        taut_text_put(w, "    TAUT_SURE(taut_surely_below(%s, %s));\n", taut_text_single(w, c->b).text,
                      taut_text_single(w, c->a).text);
        if (is_last_verdict(z)) taut_text_section(w);
        return;
    }
    taut_text_put(w, "    other |= ~is_%s(%s, %s);\n", c->op == FLOW_LEAVE_UNLESS_ABOVE ? "below" : "at_most",
                  taut_text_vector(w, c->b).text, taut_text_vector(w, c->a).text);
    put_stores(z, STORE_SOON);
    if (is_last_verdict(z))
        taut_text_put(w, "    if (__builtin_expect(bits(other) & ALL_BITS, 0)) goto end;\n");
    taut_text_section(w);
}

/* ---- values ---- */

/* Is the value changed again before anything else can happen? */
static int is_passing(const writing *z, uint32_t r)
{
    const step_flow *f = z->w->f;
    for (uint32_t i = z->at + 1; f->code[i].op < FLOW_EXITS; i++)
        if (flow_has_target(&f->code[i]) && f->code[i].target == r) return 1;
    return 0;
}

static void put_opposite(writing *z, const program_instruction *c)
{
    taut_text_put(z->w, "        %s = ", taut_text_not(z->w, c->target).text);
    taut_text_rough(z->w, c, 1);
    taut_text_put(z->w, ";\n");
}

/* A value in a loop: of these lanes alone, where the value that others have is read later. */
static void put_assignment(writing *z, const program_instruction *c)
{
    text_writer *w = z->w;
    const uint32_t passing = w->passing[c->target];
    w->passing[c->target] = 0;
    const text_operand name = taut_text_name(w, c->target);
    w->passing[c->target] = passing;
    const int is_mask = w->facts[c->target] & TEXT_IS_TRUTH;
    const int keeps = w->lanes && w->varies[c->target] && (z->depth == 2 || w->facts[c->target] & TEXT_IS_READ_LATER);
    if (c->op == FLOW_CHOSEN) put_unless_sure(z, c->a);
    if (!(w->facts[c->target] & TEXT_STANDS)) {
        taut_text_instruction(w, c, "        ");
        return;
    }
    if (keeps && is_passing(z, c->target)) {
        taut_text_put(w, "        const number t%u = ", z->at);
        taut_text_value(w, c);
        taut_text_put(w, ";\n");
        w->passing[c->target] = z->at;
        return;
    }
    taut_text_put(w, "        %s = ", name.text);
    if (keeps && is_mask) taut_text_put(w, "(~%s & %s) | (%s & (", z->mask, name.text, z->mask);
    if (keeps && !is_mask) taut_text_put(w, "pick(%s, ", z->mask);
    taut_text_value(w, c);
    w->passing[c->target] = 0;
    if (keeps && !is_mask) taut_text_put(w, ", %s)", name.text);
    taut_text_put(w, keeps && is_mask ? "));\n" : ";\n");
    if (is_pair(w, c->target)) put_opposite(z, c);
}

/* Where iterations begin. Other values come when they are needed. */
static void put_outside(writing *z, const program_instruction *c)
{
    text_writer *w = z->w;
    if (w->writes[c->target] < 2 || taut_text_is_put_out(w, c->target)) return;
    taut_text_need(w, c->a);
    const char *type = w->facts[c->target] & TEXT_STANDS ? "" : taut_text_type(w, c->target);
    taut_text_put(w, "    %s %s = ", type, taut_text_name(w, c->target).text);
    taut_text_value(w, c);
    taut_text_put(w, ";\n");
    if (is_pair(w, c->target)) {
        taut_text_put(w, "    %s", *type ? "int" : "");
        put_opposite(z, c);
    }
    w->facts[c->target] |= TEXT_STANDS;
}

static void need_early(writing *z, uint32_t r)
{
    taut_text_need(z->w, r);
    if (z->w->lanes) put_stores(z, STORE_SOON);
}

/* All that the instructions up to the verdicts on them read from before. */
static void need_for_round(writing *z)
{
    text_writer *w = z->w;
    uint32_t i = z->at;
    for (; i < w->f->count && (w->f->code[i].op < FLOW_EXITS || w->f->code[i].c == WAY_OTHER); i++) {
        const program_instruction *c = &w->f->code[i];
        uint32_t read[3];
        if (!flow_has_target(c) || !is_in_order(w, c->target)) continue;
        for (int k = X(step_flow_operands)(c, read); k-- > 0;)
            if (w->source[read[k]] && !is_in_order(w, read[k])) need_early(z, read[k]);
    }
    z->round_end = i;
}

/* As in an iteration. */
static void put_in_order(writing *z, const program_instruction *c)
{
    text_writer *w = z->w;
    uint32_t read[3];
    if (z->at >= z->round_end) need_for_round(z);
    if (w->written[c->target]) return;
    if (c->op == FLOW_CHOSEN && is_pair(w, c->a)) {
        taut_text_need(w, c->a);
        taut_text_put(w, "    TAUT_SURE(%s | %s);\n", taut_text_truth(w, c->a, 0).text, taut_text_not(w, c->a).text);
    }
    for (int k = X(step_flow_operands)(c, read); k-- > 0;)
        taut_text_need(w, read[k]);
    w->written[c->target] = 1;
    taut_text_instruction(w, c, "    ");
}

static void put(writing *z, const program_instruction *c)
{
    switch (c->op) {
    case FLOW_LOOP: put_loop(z); break;
    case FLOW_REPEAT: put_repeat(z); break;
    case FLOW_IF: put_condition(z, c); break;
    case FLOW_FI:
        taut_text_put(z->w, "        }\n");
        z->depth = 1;
        snprintf(z->mask, sizeof z->mask, "going");
        break;
    case FLOW_NEXT: put_next(z, c); break;
    case FLOW_LEAVE: put_leave(z, c); break;
    case FLOW_LEAVE_UNLESS_ABOVE: case FLOW_LEAVE_UNLESS_LEAST: put_requirement(z, c); break;
    case FLOW_COUNT: case PROGRAM_END: break;
    default:
        if (z->depth)
            put_assignment(z, c);
        else if (is_in_order(z->w, c->target))
            put_in_order(z, c);
        else
            put_outside(z, c);
        break;
    }
}

int taut_text_flow(text_writer *w)
{
    writing z;
    const int status = begin(&z, w);
    for (uint32_t i = 0; !status && i < w->f->count; i++) { /* the last exit */
        const program_instruction *c = &w->f->code[i];
        const int is_last = w->in_order_end ? c->op == FLOW_LEAVE_UNLESS_LEAST && c->a == c->b : c->op == FLOW_LEAVE;
        if (is_last && w->source[c->a]) find_parts(&z, w->source[c->a]->a);
    }
    for (; !status && z.at < w->f->count; z.at++) put(&z, &w->f->code[z.at]);
    if (!status && w->lanes)
        put_stores(&z, INT_MAX), add_parts(&z);
    else if (!status)
        put_thread_stores(&z);
    end(&z);
    return status;
}
