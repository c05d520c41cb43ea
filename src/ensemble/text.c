/* Steps as text: names, instructions, what stands before. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary_text.h"
#include "ensemble/writer.h"
#include "lower/iteration_text.h"
#include "lower/symbols.h"

void taut_text_put(text_writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    taut_builder_put_v(w->out, format, arguments);
    va_end(arguments);
}

/* ---- registers ---- */

text_operand taut_text_name(const text_writer *w, uint32_t r)
{
    static const char *const times[STATE_LEAVES] = { "t0", "t0_low", "t1", "span" };
    const text_program *t = w->t;
    const program *p = t->p;
    const uint32_t time = p->state_first + p->state_count;
    text_operand o;
    if (r >= p->literal_first && r < p->literal_first + p->literal_count)
        X(emit_number)(p->literals[r - p->literal_first], 0, o.text, sizeof o.text);
    else if (t->place[r] != UINT32_MAX && w->is_inside)
        snprintf(o.text, sizeof o.text, "%s(%u)", t->varies[r] ? "ODD" : "EVEN", t->place[r]);
    else if (r >= p->state_first && r < time && w->is_inside)
        snprintf(o.text, sizeof o.text, "x[%u]", r - p->state_first);
    else if (t->place[r] != UINT32_MAX)
        snprintf(o.text, sizeof o.text, "%s%u%c", t->varies[r] ? "o" : "e", t->place[r], 'a' + w->section);
    else if (r >= p->state_first && r < time)
        snprintf(o.text, sizeof o.text, "x%u%c", r - p->state_first, 'a' + w->section);
    else if (r >= time && r < p->unknown_first)
        snprintf(o.text, sizeof o.text, "%s", times[r - time]);
    else if (r >= p->unknown_first && r < p->unknown_first + p->unknown_count)
        snprintf(o.text, sizeof o.text, "u%u", r - p->unknown_first);
    else
        snprintf(o.text, sizeof o.text, "v%u", r);
    return o;
}

text_operand taut_text_vector(const text_writer *w, uint32_t r)
{
    const text_operand name = taut_text_name(w, r);
    text_operand o = name;
    if (w->lanes && !w->varies[r]) snprintf(o.text, sizeof o.text, "all(%.40s)", name.text);
    return o;
}

text_operand taut_text_single(const text_writer *w, uint32_t r)
{
    const text_operand name = taut_text_name(w, r);
    text_operand o = name;
    if (w->t->place[r] != UINT32_MAX && !w->t->varies[r])
        snprintf(o.text, sizeof o.text, "SINGLE(%u)", w->t->place[r]);
    else if (!w->single[r])
        snprintf(o.text, sizeof o.text, "(float)%.40s", name.text);
    return o;
}

const char *taut_text_type(const text_writer *w, uint32_t r)
{
    if (w->single && w->single[r]) return "float";
    return w->lanes && w->varies[r] ? "number" : "double";
}

static void spread(text_writer *w, const segment *tape)
{
    for (uint32_t i = 0; i < tape->count; i++) {
        uint32_t operands[3];
        const int count = taut_text_operands(&tape->code[i], operands);
        for (int k = 0; k < count; k++) w->varies[tape->code[i].target] |= w->varies[operands[k]];
    }
}

/* What computes each value, and about how many registers of the processor that takes (Sethi and Ullman, as if nothing
   were shared). */
static void find_sources(text_writer *w, const segment *tape)
{
    for (uint32_t i = 0; i < tape->count; i++) {
        uint32_t operands[3];
        const int count = taut_text_operands(&tape->code[i], operands);
        unsigned most = 1, equal = 0;
        for (int k = 0; k < count; k++) {
            const unsigned d = w->depth[operands[k]];
            equal = d == most ? equal + 1 : d > most ? 1 : equal;
            if (d > most) most = d;
        }
        most += equal > 1;
        w->depth[tape->code[i].target] = (unsigned char)(most < 255 ? most : 255);
        w->source[tape->code[i].target] = &tape->code[i];
    }
}

int taut_text_begin(text_writer *w, const text_program *t)
{
    const program *p = t->p;
    taut_context *context = w->plan->context;
    w->t = t;
    w->section = 0;
    w->varies = taut_mem_new(context, 4 * (size_t)p->register_count, 1);
    w->source = taut_mem_new(context, 2 * (size_t)p->register_count, sizeof *w->source);
    if (!w->varies || !w->source) {
        taut_text_end(w);
        return TAUT_OUT_OF_MEMORY;
    }
    w->inside = w->source + p->register_count;
    w->written = w->varies + p->register_count;
    w->depth = w->written + p->register_count;
    memcpy(w->varies, t->varies, p->register_count);
    memset(w->varies + p->state_first, 1, p->state_count);
    memset(w->varies + p->unknown_first, 1, p->unknown_count);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        spread(w, &f->begin), spread(w, &f->residual), spread(w, &f->factor), spread(w, &f->solve);
        for (int i = 0; i < f->further_count; i++) spread(w, &f->further[i].tape);
        find_sources(w, &f->begin);
        for (uint32_t i = 0; i < f->factor.count; i++) w->inside[f->factor.code[i].target] = &f->factor.code[i];
    }
    spread(w, &p->results);
    find_sources(w, &p->results);
    return TAUT_OK;
}

void taut_text_end(text_writer *w)
{
    taut_mem_free(w->plan->context, w->varies);
    taut_mem_free(w->plan->context, w->source);
    taut_mem_free(w->plan->context, w->roughly);
    w->varies = NULL, w->roughly = w->single = NULL;
    w->source = w->inside = NULL;
}

/* ---- instructions ---- */

int taut_text_weighs(const text_writer *w, uint32_t r, double weight)
{
    const program *p = w->t->p;
    return r >= p->literal_first && r < p->literal_first + p->literal_count &&
           p->literals[r - p->literal_first] == weight;
}

/* An operation on vectors. */
static void put_lanes(text_writer *w, const program_instruction *c)
{
    const op o = (op)c->op;
    const text_operand a = taut_text_vector(w, c->a);
    const char *name = o == OP_ADD ? "add" : o == OP_SUB ? "sub" : o == OP_MUL ? "mul" : o == OP_DIV ? "div"
                       : o == OP_NEG ? "neg" : o == OP_ABS ? "fabs" : o == OP_POW ? "pow" : o == OP_POWI ? "powi"
                       : o == OP_SIGN ? "sign" : o == OP_MIN ? "min" : o == OP_MAX ? "max" : taut_op_name(o);
    if (o == OP_POWI && (c->b == 2 || c->b == 3)) { /* as taut_math_powi computes it */
        taut_text_put(w, c->b == 2 ? "lane_mul(%s, %s)" : "lane_mul(lane_mul(%s, %s), %s)", a.text, a.text, a.text);
        return;
    }
    taut_text_put(w, "lane_%s(%s", name, a.text);
    if (op_has_number(o))
        taut_text_put(w, ", %d", (int32_t)c->b);
    else if (taut_op_arity(o) == 2)
        taut_text_put(w, ", %s", taut_text_vector(w, c->b).text);
    taut_text_put(w, ")");
}

/* What computes a value outside of iterations, or with a matrix, where weights are made. */
static const program_instruction *source_of(const text_writer *w, uint32_t r)
{
    return w->source[r] ? w->source[r] : w->inside[r];
}

/* Is it |x|, the larger of such, or a number without a sign? */
static int is_size(const text_writer *w, uint32_t r)
{
    const program *p = w->t->p;
    const program_instruction *c = source_of(w, r);
    if (r >= p->literal_first && r < p->literal_first + p->literal_count)
        return !signbit(p->literals[r - p->literal_first]);
    return c && (c->op == OP_ABS || (c->op == OP_MAX && is_size(w, c->a) && is_size(w, c->b)));
}

static uint32_t without_size(const text_writer *w, uint32_t r)
{
    const program_instruction *c = source_of(w, r);
    return c && c->op == OP_ABS ? c->a : r;
}

/* max(|a|, |b|), which is one operation: its operands. */
static int is_larger_size(const text_writer *w, const program_instruction *c, uint32_t *operands)
{
    if (c->op != OP_MAX || source_of(w, c->target) != c || !is_size(w, c->a) || !is_size(w, c->b)) return 0;
    operands[0] = without_size(w, c->a), operands[1] = without_size(w, c->b);
    return 1;
}

/* Is it a number of the state that does not count: of q_low and p_low, in fast steps? */
static int is_left_over(const text_writer *w, uint32_t r)
{
    const program *p = w->t->p;
    const uint32_t first = p->state_first + 3 * w->plan->n;
    return w->fast && r >= first && r < first + 2 * w->plan->n;
}

/* a b + c, a b - c or c - a b, rounded once. */
static void put_fused(text_writer *w, const program_instruction *c)
{
    const int subtracts = c->op == PROGRAM_MULTIPLY_SUBTRACT, from = c->op == PROGRAM_SUBTRACT_PRODUCT;
    if (is_left_over(w, c->c)) /* a product, which the compiler may fuse with the next sum */
        taut_text_put(w, "%s%s * %s", from ? "-" : "", taut_text_name(w, c->a).text, taut_text_name(w, c->b).text);
    else if (w->lanes && w->varies[c->target])
        taut_text_put(w, "lane_f%s(%s, %s, %s)", subtracts ? "msub" : from ? "nmadd" : "madd",
                      taut_text_vector(w, c->a).text, taut_text_vector(w, c->b).text, taut_text_vector(w, c->c).text);
    else
        taut_text_put(w, "taut_math_fma(%s%s, %s, %s%s)", from ? "-" : "", taut_text_name(w, c->a).text,
                      taut_text_name(w, c->b).text, subtracts ? "-" : "", taut_text_name(w, c->c).text);
}

/* A measure in single precision. */
static void put_single(text_writer *w, const program_instruction *c)
{
    uint32_t operands[3];
    taut_text_operands(c, operands);
    if (is_larger_size(w, c, operands) || c->op == OP_MAX)
        taut_text_put(w, "taut_max_single(%s, %s)", taut_text_single(w, operands[0]).text,
                      taut_text_single(w, operands[1]).text);
    else if (c->op == OP_MUL)
        taut_text_put(w, "%s * %s", taut_text_single(w, c->a).text, taut_text_single(w, c->b).text);
    else
        taut_text_put(w, c->op == OP_ABS ? "taut_abs_single(%s)" : "%s", taut_text_single(w, c->a).text);
}

/* Is it 1/x, in a step without branches? */
static int is_reciprocal(const text_writer *w, const program_instruction *c)
{
    return w->guards && c->op == OP_DIV && taut_text_weighs(w, c->a, 1);
}

static void put_value(text_writer *w, const program_instruction *c)
{
    const text_operand a = taut_text_name(w, c->a);
    uint32_t operands[3];
    const int count = taut_text_operands(c, operands);
    if (w->single && w->single[c->target]) {
        put_single(w, c);
    } else if (is_reciprocal(w, c)) {
        taut_text_put(w, "taut_reciprocal(%s, &usual)", taut_text_name(w, c->b).text);
    } else if (c->op == PROGRAM_MOVE) {
        taut_text_put(w, "%s", a.text);
    } else if (c->op >= OP_COUNT) {
        put_fused(w, c);
    } else if (is_larger_size(w, c, operands)) {
        const int is_vector = w->lanes && w->varies[c->target];
        const int is_rough = w->roughly && w->roughly[c->target];
        taut_text_put(w, "%s(%s, %s)", is_vector ? "lane_max_size" : is_rough ? "taut_about" : "taut_max_size",
                      (is_vector ? taut_text_vector : taut_text_name)(w, operands[0]).text,
                      (is_vector ? taut_text_vector : taut_text_name)(w, operands[1]).text);
    } else if (c->op == OP_MAX && w->roughly && w->roughly[c->target] && (is_size(w, c->a) || is_size(w, c->b))) {
        taut_text_put(w, "taut_about_max(%s, %s)", a.text, taut_text_name(w, c->b).text);
    } else if (w->lanes && w->varies[c->target]) {
        put_lanes(w, c);
    } else {
        const text_operand b = count > 1 ? taut_text_name(w, c->b) : (text_operand){ "" };
        X(emit_operation)(w->out, (op)c->op, a.text, b.text, (int32_t)c->b, 0);
    }
}

static void put_instruction(text_writer *w, const program_instruction *c, const char *indent)
{
    taut_text_put(w, "%sconst %s %s = ", indent, taut_text_type(w, c->target), taut_text_name(w, c->target).text);
    put_value(w, c);
    taut_text_put(w, ";\n");
}

void taut_text_tape(text_writer *w, const segment *tape, const char *indent)
{
    for (uint32_t i = 0; i < tape->count; i++) put_instruction(w, &tape->code[i], indent);
}

/* A number from outside or of the state. */
static void put_load(text_writer *w, uint32_t r)
{
    const text_program *t = w->t;
    const program *p = t->p;
    const text_operand name = taut_text_name(w, r);
    if (t->place[r] != UINT32_MAX)
        taut_text_put(w, t->varies[r] ? "    const number %s = ODD(%u);\n" : "    const double %s = EVEN(%u);\n",
                      name.text, t->place[r]);
    else if (is_left_over(w, r))
        taut_text_put(w, "    const number %s = -0.0;\n", name.text); /* x + -0 is x */
    else if (r >= p->state_first && r < p->state_first + p->state_count)
        taut_text_put(w, "    const number %s = x[%u];\n", name.text, r - p->state_first);
}

void taut_text_need(text_writer *w, uint32_t r)
{
    uint32_t operands[3];
    if (w->written[r]) return;
    w->written[r] = 1;
    const program_instruction *c = w->source[r];
    if (w->speeds && r == w->speeds->size) {
        w->put_speed(w);
        return;
    }
    if (!c) {
        put_load(w, r);
        return;
    }
    const int count = is_larger_size(w, c, operands) ? 2 : taut_text_operands(c, operands);
    for (int k = 1; k < count; k++) /* the one that takes most comes first */
        for (int i = k; i > 0 && w->depth[operands[i]] > w->depth[operands[i - 1]]; i--) {
            const uint32_t other = operands[i];
            operands[i] = operands[i - 1], operands[i - 1] = other;
        }
    for (int k = 0; k < count; k++) taut_text_need(w, operands[k]);
    put_instruction(w, c, "    ");
}

uint32_t taut_text_sum(const text_writer *w, uint32_t a, uint32_t b)
{
    for (uint32_t r = 0; r < w->t->p->register_count; r++) {
        const program_instruction *c = w->source[r];
        if (c && c->op == OP_ADD && ((c->a == a && c->b == b) || (c->a == b && c->b == a))) return r;
    }
    return UINT32_MAX;
}

void taut_text_section(text_writer *w)
{
    const text_program *t = w->t;
    const program *p = t->p;
    w->section++;
    if (w->lanes) taut_text_put(w, "    __asm__(\"\" : \"+r\"(x), \"+r\"(even), \"+r\"(odd));\n");
    memset(w->written + p->state_first, 0, p->state_count);
    for (uint32_t r = 0; r < p->register_count; r++)
        if (t->place[r] != UINT32_MAX) w->written[r] = 0;
}

static void need_list(text_writer *w, const uint32_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) taut_text_need(w, list[i]);
}

/* Of what an iteration reads: in lanes it reads from memory itself what is there. */
static void need_before(text_writer *w, const uint32_t *list, size_t count)
{
    const program *p = w->t->p;
    for (size_t i = 0; list && i < count; i++) {
        const int is_there = w->t->place[list[i]] != UINT32_MAX ||
                             (list[i] >= p->state_first && list[i] < p->state_first + p->state_count);
        if (!w->lanes || !is_there) taut_text_need(w, list[i]);
    }
}

/* What an iteration computes itself counts as written. */
static void mark_written(text_writer *w, const segment *tape)
{
    for (uint32_t i = 0; i < tape->count; i++) w->written[tape->code[i].target] = 1;
}

static void need_tape(text_writer *w, const segment *tape)
{
    for (uint32_t i = 0; i < tape->count; i++) {
        uint32_t operands[3];
        const int count = taut_text_operands(&tape->code[i], operands);
        need_before(w, operands, (size_t)count);
    }
}

void taut_text_need_for(text_writer *w, const program_phase *f)
{
    const segment *tapes[] = { &f->residual, &f->factor, &f->solve };
    const uint32_t *lists[] = { f->changes, f->weights, f->seconds, f->lasts };
    for (int i = 0; i < 3; i++) mark_written(w, tapes[i]);
    for (int i = 0; i < f->further_count; i++) mark_written(w, &f->further[i].tape);
    for (int i = 0; i < 3; i++) need_tape(w, tapes[i]);
    for (int i = 0; i < f->further_count; i++) need_tape(w, &f->further[i].tape);
    need_list(w, f->guesses, f->size);
    for (int i = 0; i < 4; i++) need_before(w, lists[i], f->size);
    for (int i = 0; i < f->further_count; i++) need_before(w, f->further[i].sums, f->size);
    need_before(w, &f->unit, f->size > 0);
    for (uint32_t i = 0; i < f->check_count; i++)
        need_before(w, &f->checks[i].pivot, 1), need_before(w, &f->checks[i].reference, 1);
}

/* ---- rough sizes ---- */

enum { READ_EXACTLY = 2 };

/* What something else than a measure reads. */
static void read_exactly(text_writer *w, uint32_t r)
{
    uint32_t operands[3];
    if (w->roughly[r] == READ_EXACTLY) return;
    w->roughly[r] = READ_EXACTLY;
    const int count = w->source[r] ? taut_text_operands(w->source[r], operands) : 0;
    for (int k = 0; k < count; k++) read_exactly(w, operands[k]);
}

static void read_all_exactly(text_writer *w, const uint32_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) read_exactly(w, list[i]);
}

/* A measure: a small relative error of an operand of these is none of more than its size in the value. */
static void read_roughly(text_writer *w, uint32_t r)
{
    uint32_t operands[3];
    const program_instruction *c = w->source[r];
    if (!c || w->roughly[r]) return;
    if (c->op != OP_MUL && c->op != OP_MAX && c->op != OP_ABS && c->op != PROGRAM_MOVE) {
        read_exactly(w, r);
        return;
    }
    w->roughly[r] = 1;
    const int count = taut_text_operands(c, operands);
    for (int k = 0; k < count; k++) read_roughly(w, operands[k]);
}

int taut_text_begin_roughly(text_writer *w)
{
    const program *p = w->t->p;
    const uint32_t n = w->plan->n, c = w->plan->c;
    w->roughly = taut_mem_new(w->plan->context, p->register_count, 1);
    if (!w->roughly) return TAUT_OUT_OF_MEMORY;
    read_all_exactly(w, p->move, n), read_all_exactly(w, p->push, n);
    read_all_exactly(w, p->w, n), read_all_exactly(w, p->lambda, c), read_all_exactly(w, p->trend, c);
    read_all_exactly(w, p->change, 2 * c);
    if (p->has_work) read_exactly(w, p->work);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        const segment *tapes[] = { &f->residual, &f->factor, &f->solve, &f->further[0].tape, &f->further[1].tape };
        for (int i = 0; i < 3 + f->further_count; i++)
            for (uint32_t j = 0; j < tapes[i]->count; j++) {
                uint32_t operands[3];
                read_all_exactly(w, operands, (size_t)taut_text_operands(&tapes[i]->code[j], operands));
            }
        read_all_exactly(w, f->guesses, f->size);
        for (uint32_t i = 0; i < f->check_count; i++)
            read_exactly(w, f->checks[i].pivot), read_exactly(w, f->checks[i].reference);
    }
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        for (uint32_t i = 0; i < f->size; i++) read_roughly(w, f->weights[i]);
        if (f->size) read_roughly(w, f->unit);
    }
    for (uint32_t r = 0; r < p->register_count; r++) w->roughly[r] &= 1;
    return TAUT_OK;
}

/* ---- what stands before ---- */

static const char same_bits[] =
    "#if defined(__clang__)\n"
    "#pragma STDC FP_CONTRACT OFF\n"
    "#elif defined(__GNUC__) && !defined(__CUDACC__)\n"
    "#pragma GCC optimize(\"fp-contract=off\", \"no-tree-slp-vectorize\")\n"
    /* most iterations have a round or two, and tapes compute nothing twice: what is moved out, or kept instead of
       loaded again, only takes registers */
    "#pragma GCC optimize(\"no-tree-loop-im\", \"no-move-loop-invariants\")\n"
    "#pragma GCC optimize(\"no-tree-fre\", \"no-tree-dominator-opts\")\n"
    "#endif\n";

/* The larger of two sizes, as whole numbers: no number is larger than all numbers. */
static const char sizes[] =
    "static inline double taut_max_size(double a, double b)\n"
    "{\n"
    "    const uint64_t x = taut_math_bits(a) & ~TAUT_SIGN, y = taut_math_bits(b) & ~TAUT_SIGN;\n"
    "    return taut_math_number(x > y ? x : y);\n"
    "}\n";

static const char scalars[] =
    "static inline number taut_most(number most, number x) { return taut_max_size(most, x); }\n"
    "static inline int taut_exceeds(number pivot, number part, number reference)\n"
    "{\n"
    "    return taut_math_fabs(pivot) > part * taut_math_fabs(reference);\n"
    "}\n"
    /* as lane_quick and its like of lanes_text.c */
    "static inline int taut_quick(const iteration *f, int k, number size, number before, number unit, int sound)\n"
    "{\n"
    "    if (f->twice) return sound & (before <= LINEAR_SOUND * unit) & (size * size <= f->rest * unit * before);\n"
    "    if (k < f->skip_first) return 0;\n"
    "    if (f->linear) return sound & (size <= LINEAR_SOUND * unit);\n"
    "    const int small = size <= f->enough * unit;\n"
    "    if (k == f->skip_first) return sound & small;\n"
    "    const number bound = 0.5 * f->rest * unit * before;\n"
    "    if (f->always) return sound & (small | ((2 * size < before) & (size * size * size <= bound * before)));\n"
    "    return sound & (small | ((2 * size < before) & (size * size <= bound)));\n"
    "}\n"
    "static inline int taut_goes_on(const iteration *f, int k, number size, number before, number unit, int sound)\n"
    "{\n"
    "    const int on = sound & (f->enough * unit < size) & (size < 1e300);\n"
    "    if (k <= f->skip_first) return k == f->skip_first ? on : 0;\n"
    "    const number square = size * size, bound = 2 * f->rest * unit * before;\n"
    "    const int shrinks = on & (2 * size <= before);\n"
    "    if (f->always) return shrinks & (bound * before < square * size);\n"
    "    const int fast = f->rough | (square * square <= 0.5 * f->enough * unit * (before * before * before));\n"
    "    return shrinks & fast & (bound < square);\n"
    "}\n"
    "static inline int taut_goes_further(const iteration *f, number first, number second, number unit, int sound)\n"
    "{\n"
    "    return sound & (f->enough * unit < first) & (2 * second <= first) & (first < 1e300);\n"
    "}\n"
    "static inline int taut_once_more(const iteration *f, number first, number second, number unit)\n"
    "{\n"
    "    return (first <= LINEAR_SOUND * unit) & (8 * second * second * second < f->rest * unit * first * first);\n"
    "}\n"
    "static inline int taut_quick_further(const iteration *f, number first, number second, number last, number unit,\n"
    "                                     int sound)\n"
    "{\n"
    "    return sound & (first <= LINEAR_SOUND * unit) & (2 * second * (2 * last) <= f->rest * unit * first);\n"
    "}\n\n";

static const char *function_name(op o)
{
    return o == OP_POW ? "pow" : o == OP_POWI ? "powi" : o == OP_ABS ? "fabs" : taut_op_name(o);
}

static const op functions[] = { OP_POW, OP_CBRT, OP_EXP, OP_LOG, OP_SIN, OP_COS, OP_TAN, OP_ASIN, OP_ACOS, OP_ATAN,
                                OP_ATAN2, OP_SINH, OP_COSH, OP_TANH, OP_POWI, OP_SINC, OP_SINHC, OP_ATANC, OP_ATANHC };
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static int put_elementary(const emit_functions *used, builder *out)
{
    const char *names[FUNCTION_COUNT + 1];
    size_t count = 0;
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (used->is_used[functions[i]]) names[count++] = function_name(functions[i]);
    if (used->fuses) names[count++] = "fma";
    const size_t length = taut_elementary_text(names, count, NULL, 0);
    char *text = length == TAUT_ELEMENTARY_UNKNOWN ? NULL : taut_mem_new(out->context, length + 1, 1);
    if (!text) return TAUT_OUT_OF_MEMORY;
    taut_elementary_text(names, count, text, length + 1);
    taut_builder_add(out, text, length);
    taut_mem_free(out->context, text);
    return TAUT_OK;
}

/* Vectors are as long as a register of the processor. With AVX-512 a number may be two of them, whose instructions take
   turns: a step waits for most of its operations, and so waits for both at a time. gcc would keep a vector of that
   length in memory. */
static const char vectors[] =
    "#define INLINE static inline __attribute__((always_inline, unused))\n"
    "#if LANES == 16 && defined(__AVX512DQ__) && !defined(__clang__)\n"
    "#define PAIRS\n"
    "#define WIDTH 8\n"
    "#else\n"
    "#define WIDTH LANES\n"
    "#endif\n"
    "typedef double vector __attribute__((vector_size(8 * WIDTH)));\n"
    "typedef long long integers __attribute__((vector_size(8 * WIDTH)));\n"
    "INLINE vector vector_all(double x) { return x - (vector){ 0 }; }\n"
    "INLINE vector vector_neg(vector a) { return -(a); }\n"
    "INLINE vector vector_add(vector a, vector b) { return a + b; }\n"
    "INLINE vector vector_sub(vector a, vector b) { return a - b; }\n"
    "INLINE vector vector_mul(vector a, vector b) { return a * b; }\n"
    "INLINE vector vector_div(vector a, vector b) { return a / b; }\n"
    "INLINE vector vector_fabs(vector x) { return (vector)((integers)x & 0x7fffffffffffffffLL); }\n"
    "INLINE vector vector_sign(vector a) { return __builtin_convertvector((a < 0) - (a > 0), vector); }\n"
    /* Which lanes: a bit each, as comparisons of AVX-512 put out, or all bits of a number. The extremes are those of
       the processor: of two that are equal, or no numbers, the second one. vector_larger: of sizes, as whole numbers;
       no number is larger than all numbers. */
    "#if WIDTH == 8 && defined(__AVX512DQ__) && !defined(__clang__)\n"
    "typedef unsigned char choice;\n"
    "#define EVERY (unsigned char)-1\n"
    "INLINE vector vector_pick(choice m, vector a, vector b) { return __builtin_ia32_blendmpd_512_mask(b, a, m); }\n"
    "INLINE choice vector_equal(vector a, vector b) { return __builtin_ia32_cmppd512_mask(a, b, 0, EVERY, 4); }\n"
    "INLINE choice vector_below(vector a, vector b) { return __builtin_ia32_cmppd512_mask(a, b, 1, EVERY, 4); }\n"
    "INLINE choice vector_at_most(vector a, vector b) { return __builtin_ia32_cmppd512_mask(a, b, 2, EVERY, 4); }\n"
    "INLINE vector vector_min(vector a, vector b) { return __builtin_ia32_minpd512_mask(a, b, a, EVERY, 4); }\n"
    "INLINE vector vector_max(vector a, vector b) { return __builtin_ia32_maxpd512_mask(a, b, a, EVERY, 4); }\n"
    "INLINE vector vector_max_size(vector a, vector b)\n"
    "{\n"
    "    return __builtin_ia32_rangepd512_mask(a, b, 11, a, EVERY, 4);\n"
    "}\n"
    "INLINE vector vector_larger(vector a, vector b)\n"
    "{\n"
    "    return (vector)__builtin_ia32_pmaxsq512_mask((integers)a, (integers)b, (integers)a, EVERY);\n"
    "}\n"
    "INLINE vector vector_sqrt(vector x) { return __builtin_ia32_sqrtpd512_mask(x, x, EVERY, 4); }\n"
    "#else\n"
    "typedef integers choice;\n"
    "INLINE vector vector_pick(choice m, vector a, vector b)\n"
    "{\n"
    "    return (vector)(((choice)a & m) | ((choice)b & ~m));\n"
    "}\n"
    "INLINE choice vector_equal(vector a, vector b) { return a == b; }\n"
    "INLINE choice vector_below(vector a, vector b) { return a < b; }\n"
    "INLINE choice vector_at_most(vector a, vector b) { return a <= b; }\n"
    "#if WIDTH == 4 && defined(__AVX__)\n"
    "INLINE vector vector_min(vector a, vector b) { return __builtin_ia32_minpd256(a, b); }\n"
    "INLINE vector vector_max(vector a, vector b) { return __builtin_ia32_maxpd256(a, b); }\n"
    "#else\n"
    "INLINE vector vector_min(vector a, vector b) { return vector_pick(a < b, a, b); }\n"
    "INLINE vector vector_max(vector a, vector b) { return vector_pick(a > b, a, b); }\n"
    "#endif\n"
    "INLINE vector vector_max_size(vector a, vector b) { return vector_max(vector_fabs(a), vector_fabs(b)); }\n"
    "INLINE vector vector_larger(vector a, vector b) { return vector_pick((integers)a > (integers)b, a, b); }\n"
    "INLINE vector vector_sqrt(vector x)\n"
    "{\n"
    "#if WIDTH == 4 && defined(__AVX__) && !defined(__clang__)\n"
    "    return __builtin_ia32_sqrtpd256(x);\n"
    "#else\n"
    "    for (int i = 0; i < WIDTH; i++) x[i] = taut_math_sqrt(x[i]);\n"
    "    return x;\n"
    "#endif\n"
    "}\n"
    "#endif\n";

/* gcc has no operation for it on vectors of any length. Left to itself it computes the opposite of what is subtracted
   beforehand; clang does not, and does not have the other two. */
static const char fused[] =
    "#if WIDTH == 8 && defined(__AVX512F__)\n"
    "#define FUSED(name, a, b, c) __builtin_ia32_v##name##pd512_mask(a, b, c, (unsigned char)-1, 4)\n"
    "#elif WIDTH == 4 && defined(__FMA__)\n"
    "#define FUSED(name, a, b, c) __builtin_ia32_v##name##pd256(a, b, c)\n"
    "#elif WIDTH == 2 && defined(__FMA__)\n"
    "#define FUSED(name, a, b, c) __builtin_ia32_v##name##pd(a, b, c)\n"
    "#endif\n"
    "INLINE vector vector_fmadd(vector a, vector b, vector c)\n"
    "{\n"
    "#ifdef FUSED\n"
    "    return FUSED(fmadd, a, b, c);\n"
    "#else\n"
    "    for (int i = 0; i < WIDTH; i++) c[i] = taut_math_fma(a[i], b[i], c[i]);\n"
    "    return c;\n"
    "#endif\n"
    "}\n"
    "#if defined(FUSED) && !defined(__clang__)\n"
    "INLINE vector vector_fmsub(vector a, vector b, vector c) { return FUSED(fmsub, a, b, c); }\n"
    "INLINE vector vector_fnmadd(vector a, vector b, vector c) { return FUSED(fnmadd, a, b, c); }\n"
    "#else\n"
    "INLINE vector vector_fmsub(vector a, vector b, vector c) { return vector_fmadd(a, b, -(c)); }\n"
    "INLINE vector vector_fnmadd(vector a, vector b, vector c) { return vector_fmadd(-(a), b, c); }\n"
    "#endif\n";

static const char numbers[] =
    "#ifdef PAIRS\n"
    "typedef struct { vector a, b; } number;\n"
    "typedef unsigned short mask;\n"
    "INLINE number all(double x) { return (number){ vector_all(x), vector_all(x) }; }\n"
    "INLINE number pick(mask m, number x, number y)\n"
    "{\n"
    "    return (number){ vector_pick((choice)m, x.a, y.a), vector_pick((choice)(m >> 8), x.b, y.b) };\n"
    "}\n"
    "INLINE mask lane(int i) { return (mask)(1 << i); }\n"
    "INLINE unsigned bits(mask m) { return m; }\n"
    "#define OF_ONE(name) \\\n"
    "    INLINE number lane_##name(number x) { return (number){ vector_##name(x.a), vector_##name(x.b) }; }\n"
    "#define OF_TWO(name) \\\n"
    "    INLINE number lane_##name(number x, number y) \\\n"
    "    { \\\n"
    "        return (number){ vector_##name(x.a, y.a), vector_##name(x.b, y.b) }; \\\n"
    "    }\n"
    "#define OF_THREE(name) \\\n"
    "    INLINE number lane_##name(number x, number y, number z) \\\n"
    "    { \\\n"
    "        return (number){ vector_##name(x.a, y.a, z.a), vector_##name(x.b, y.b, z.b) }; \\\n"
    "    }\n"
    "#define COMPARISON(name) \\\n"
    "    INLINE mask is_##name(number x, number y) \\\n"
    "    { \\\n"
    "        return (mask)(vector_##name(x.a, y.a) | vector_##name(x.b, y.b) << 8); \\\n"
    "    }\n"
    "#else\n"
    "typedef vector number;\n"
    "typedef choice mask;\n"
    "INLINE number all(double x) { return vector_all(x); }\n"
    "INLINE number pick(mask m, number x, number y) { return vector_pick(m, x, y); }\n"
    "INLINE mask lane(int i)\n"
    "{\n"
    "#ifdef EVERY\n"
    "    return (mask)(1 << i);\n"
    "#else\n"
    "    mask m = { 0 };\n"
    "    m[i] = -1;\n"
    "    return m;\n"
    "#endif\n"
    "}\n"
    "INLINE unsigned bits(mask m)\n"
    "{\n"
    "#if defined(EVERY)\n"
    "    return m;\n"
    "#elif LANES == 8 && defined(__AVX512DQ__)\n"
    "    return (unsigned char)__builtin_ia32_cvtq2mask512(m);\n"
    "#elif LANES == 4 && defined(__AVX__)\n"
    "    return (unsigned)__builtin_ia32_movmskpd256((number)m);\n"
    "#elif LANES == 2 && defined(__SSE2__)\n"
    "    return (unsigned)__builtin_ia32_movmskpd((number)m);\n"
    "#else\n"
    "    unsigned b = 0;\n"
    "    for (int i = 0; i < LANES; i++) b |= (unsigned)(m[i] & 1) << i;\n"
    "    return b;\n"
    "#endif\n"
    "}\n"
    "#define OF_ONE(name) INLINE number lane_##name(number x) { return vector_##name(x); }\n"
    "#define OF_TWO(name) INLINE number lane_##name(number x, number y) { return vector_##name(x, y); }\n"
    "#define OF_THREE(name) \\\n"
    "    INLINE number lane_##name(number x, number y, number z) { return vector_##name(x, y, z); }\n"
    "#define COMPARISON(name) INLINE mask is_##name(number x, number y) { return vector_##name(x, y); }\n"
    "#endif\n"
    "#define ALL_BITS ((1u << LANES) - 1)\n"
    "OF_ONE(neg) OF_ONE(fabs) OF_ONE(sign) OF_ONE(sqrt)\n"
    "OF_TWO(add) OF_TWO(sub) OF_TWO(mul) OF_TWO(div) OF_TWO(min) OF_TWO(max) OF_TWO(max_size) OF_TWO(larger)\n"
    "COMPARISON(equal) COMPARISON(below) COMPARISON(at_most)\n"
    "INLINE number lane_most(number most, number x) { return lane_larger(most, lane_fabs(x)); }\n"
    "INLINE number scaled(double a, number x) { return lane_mul(all(a), x); }\n"
    "INLINE mask lane_exceeds(number pivot, double part, number reference)\n"
    "{\n"
    "    return is_below(scaled(part, lane_fabs(reference)), lane_fabs(pivot));\n"
    "}\n"
    "#define ELEMENT(x, i) ((double *)&(x))[i]\n";

static void put_lane_functions(const emit_functions *used, builder *out)
{
    if (used->fuses) taut_builder_put(out, "OF_THREE(fmadd) OF_THREE(fmsub) OF_THREE(fnmadd)\n");
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        const op o = functions[i];
        const int numbered = op_has_number(o), two = !numbered && taut_op_arity(o) == 2;
        if (!used->is_used[o]) continue;
        taut_builder_put(out, "static number lane_%s(number a%s)\n{\n"
                              "    for (int i = 0; i < LANES; i++) ELEMENT(a, i) = taut_math_%s(ELEMENT(a, i)%s);\n"
                              "    return a;\n}\n",
                         function_name(o), numbered ? ", int n" : two ? ", number b" : "", function_name(o),
                         numbered ? ", n" : two ? ", ELEMENT(b, i)" : "");
    }
}

int taut_text_prelude(const text_plan *p, int lanes, builder *out)
{
    emit_functions used = { .fuses = 0 };
    for (int k = 0; k < p->program_count; k++) X(program_mark_functions)(p->programs[k].p, &used);
    if (lanes) taut_builder_add(out, same_bits, sizeof same_bits - 1);
    int status = put_elementary(&used, out);
    taut_builder_add(out, "\n", 1);
    taut_builder_add(out, (const char *)taut_iteration_text, taut_iteration_text_size);
    taut_builder_add(out, (const char *)taut_iteration_words_text, taut_iteration_words_text_size);
    taut_builder_add(out, "\n", 1);
    taut_builder_add(out, sizes, sizeof sizes - 1);
    if (lanes) {
        taut_builder_add(out, vectors, sizeof vectors - 1);
        if (used.fuses) taut_builder_add(out, fused, sizeof fused - 1);
        taut_builder_add(out, numbers, sizeof numbers - 1);
        put_lane_functions(&used, out);
    } else {
        taut_builder_put(out, "typedef double number;\n");
        taut_builder_add(out, scalars, sizeof scalars - 1);
    }
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
