/* Steps as text: names, instructions, what stands before. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary_text.h"
#include "ensemble/writer.h"
#include "lower/symbols.h"

void taut_text_put(text_writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    taut_builder_put_v(w->out, format, arguments);
    va_end(arguments);
}

/* ---- registers ---- */

int taut_text_literal(const text_writer *w, uint32_t r, double *value)
{
    const program *p = w->t->p;
    const step_flow *f = w->f;
    const int own = r >= p->literal_first && r < p->literal_first + p->literal_count;
    const int of_flow = r >= f->literal_first && r < f->literal_first + f->literal_count;
    if (own || of_flow) *value = own ? p->literals[r - p->literal_first] : f->literals[r - f->literal_first];
    return own || of_flow;
}

uint32_t taut_text_place(const text_writer *w, uint32_t r)
{
    return r < w->t->p->register_count ? w->t->place[r] : UINT32_MAX;
}

text_operand taut_text_name(const text_writer *w, uint32_t r)
{
    static const char *const times[STATE_LEAVES] = { "t0", "t0_low", "t1", "span" };
    const text_program *t = w->t;
    const program *p = t->p;
    const uint32_t time = p->state_first + p->state_count, place = taut_text_place(w, r);
    text_operand o;
    double literal;
    if (w->passing[r])
        snprintf(o.text, sizeof o.text, "t%u", w->passing[r]);
    else if (taut_text_literal(w, r, &literal))
        X(emit_number)(literal, 0, o.text, sizeof o.text);
    else if (place != UINT32_MAX && w->is_inside)
        snprintf(o.text, sizeof o.text, "%s(%u)", t->varies[r] ? "ODD" : "EVEN", place);
    else if (r >= p->state_first && r < time && w->is_inside)
        snprintf(o.text, sizeof o.text, "x[%u]", r - p->state_first);
    else if (place != UINT32_MAX)
        snprintf(o.text, sizeof o.text, "%s%u%c", t->varies[r] ? "o" : "e", place, 'a' + w->section);
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

const char *taut_text_type(const text_writer *w, uint32_t r)
{
    if (w->facts[r] & TEXT_IS_TRUTH) return w->lanes && w->varies[r] ? "mask" : "int";
    if (w->single && w->single[r]) return "float";
    return w->lanes && w->varies[r] ? "number" : "double";
}

/* Marks truths, and what differs between lanes: one of what it is made of does. Returns whether that was news. */
static int spread(text_writer *w)
{
    int news = 0;
    for (uint32_t i = 0; i < w->f->count; i++) {
        const program_instruction *c = &w->f->code[i];
        uint32_t operands[3];
        unsigned char varies = 0;
        if (!flow_has_target(c)) continue;
        if ((c->op >= FLOW_BELOW && c->op <= FLOW_NOT) || (c->op == PROGRAM_MOVE && w->facts[c->a] & TEXT_IS_TRUTH))
            w->facts[c->target] |= TEXT_IS_TRUTH;
        for (int k = X(step_flow_operands)(c, operands); k-- > 0;) varies |= w->varies[operands[k]];
        news |= varies && !w->varies[c->target];
        w->varies[c->target] |= varies;
    }
    return news;
}

/* About how many registers of the processor it takes to compute a value (Sethi and Ullman, as if nothing were
   shared). */
static void measure(text_writer *w, const program_instruction *c)
{
    uint32_t operands[3];
    unsigned most = 1, equal = 0;
    for (int k = X(step_flow_operands)(c, operands); k-- > 0;) {
        const unsigned d = w->depth[operands[k]];
        equal = d == most ? equal + 1 : d > most ? 1 : equal;
        if (d > most) most = d;
    }
    most += equal > 1;
    w->depth[c->target] = (unsigned char)(most < 255 ? most : 255);
}

int taut_text_is_put_out(const text_writer *w, uint32_t r)
{
    const program *p = w->t->p;
    return (r >= p->state_first && r < p->state_first + p->state_count) ||
           (r >= w->f->report_first && r < w->f->count_first);
}

/* What computes each value that has only one. */
static void find_sources(text_writer *w)
{
    int depth = 0;
    for (int second = 0; second < 2; second++)
        for (uint32_t i = 0; i < w->f->count; i++) {
            const program_instruction *c = &w->f->code[i];
            depth += (c->op == FLOW_LOOP || c->op == FLOW_IF) - (c->op == FLOW_REPEAT || c->op == FLOW_FI);
            if (!flow_has_target(c) || c->op == FLOW_COUNT || taut_text_is_put_out(w, c->target)) continue;
            if (!second)
                w->writes[c->target] += w->writes[c->target] < 2;
            else if (w->writes[c->target] == 1 && depth)
                w->inside[c->target] = c;
            else if (w->writes[c->target] == 1)
                w->source[c->target] = c, measure(w, c);
        }
}

int taut_text_begin(text_writer *w, const text_program *t, const step_flow *f)
{
    const program *p = t->p;
    taut_context *context = w->plan->context;
    const size_t count = (size_t)f->register_count + 1;
    w->t = t, w->f = f;
    if (f == &p->flow) w->in_order = w->in_order_end = 0;
    w->section = 0;
    w->varies = taut_mem_new(context, 5 * count, 1);
    w->source = taut_mem_new(context, 2 * count, sizeof *w->source);
    w->passing = taut_mem_new(context, count, sizeof *w->passing);
    if (!w->varies || !w->source || !w->passing) {
        taut_text_end(w);
        return TAUT_OUT_OF_MEMORY;
    }
    w->inside = w->source + count;
    w->written = w->varies + count, w->depth = w->written + count;
    w->writes = w->depth + count, w->facts = w->writes + count;
    memcpy(w->varies, t->varies, p->register_count);
    memset(w->varies + p->state_first, 1, p->state_count);
    memset(w->varies + p->unknown_first, 1, p->unknown_count);
    while (spread(w)) continue;
    find_sources(w);
    return TAUT_OK;
}

void taut_text_end(text_writer *w)
{
    taut_mem_free(w->plan->context, w->varies);
    taut_mem_free(w->plan->context, w->source);
    taut_mem_free(w->plan->context, w->roughly);
    taut_mem_free(w->plan->context, w->passing);
    w->passing = NULL;
    w->varies = NULL, w->roughly = w->single = NULL;
    w->source = w->inside = NULL;
}

/* ---- instructions ---- */

int taut_text_weighs(const text_writer *w, uint32_t r, double weight)
{
    double literal;
    return taut_text_literal(w, r, &literal) && literal == weight;
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

/* Is it |x|, the larger of such, a number without a sign, or the size of a correction? */
static int is_size(const text_writer *w, uint32_t r)
{
    const program_instruction *c = source_of(w, r);
    double literal;
    if (taut_text_literal(w, r, &literal)) return !signbit(literal);
    if (c && c->op == OP_MUL && r >= w->f->value_first) return is_size(w, c->a) || is_size(w, c->b);
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
int taut_text_is_left_over(const text_writer *w, uint32_t r)
{
    const program *p = w->t->p;
    const uint32_t first = p->state_first + 3 * w->plan->n;
    return w->fast && r >= first && r < first + 2 * w->plan->n;
}

/* a b + c, a b - c or c - a b, rounded once. */
static void put_fused(text_writer *w, const program_instruction *c)
{
    const int subtracts = c->op == PROGRAM_MULTIPLY_SUBTRACT, from = c->op == PROGRAM_SUBTRACT_PRODUCT;
    if (taut_text_is_left_over(w, c->c)) /* a product, which the compiler may fuse with the next sum */
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
    X(step_flow_operands)(c, operands);
    const int is_largest = is_larger_size(w, c, operands) || c->op == OP_MAX || c->op == FLOW_MOST;
    if (c->op == FLOW_CHOSEN) {
        taut_text_put(w, "%s ? %s : %s", taut_text_truth(w, c->a, 0).text, taut_text_single(w, c->b).text,
                      taut_text_single(w, c->c).text);
        return;
    }
    const text_operand a = taut_text_single(w, operands[0]), b = taut_text_single(w, operands[1]);
    if (is_largest)
        taut_text_put(w, "taut_max_single(%s, %s)", a.text, b.text);
    else if (c->op == OP_DIV)
        taut_text_put(w, "%s * taut_inverse(%s)", a.text, b.text);
    else
        taut_text_put(w, c->op == OP_MUL ? "%s * %s" : c->op == OP_ABS ? "taut_abs_single(%s)%.0s" : "%s%.0s", a.text,
                      b.text);
}

/* Is it 1/x, in a step without branches? */
static int is_reciprocal(const text_writer *w, const program_instruction *c)
{
    return w->guards && c->op == OP_DIV && taut_text_weighs(w, c->a, 1);
}

text_operand taut_text_truth(const text_writer *w, uint32_t r, int is_mask)
{
    text_operand o = taut_text_name(w, r);
    double literal;
    const text_operand name = o;
    const int is_known = taut_text_literal(w, r, &literal);
    if (is_known)
        snprintf(o.text, sizeof o.text, "%s", !is_mask ? (literal != 0 ? "1" : "0") : literal != 0 ? "ALL" : "NONE");
    else if (is_mask && !w->varies[r])
        snprintf(o.text, sizeof o.text, "(%.20s ? ALL : NONE)", name.text);
    return o;
}

/* Verdicts: of all lanes, or of numbers. */
static void put_verdict(text_writer *w, const program_instruction *c)
{
    if (w->roughly) {
        taut_text_rough(w, c, 0);
        return;
    }
    const int v = w->lanes && w->varies[c->target];
    const int of_truths = c->op == FLOW_BOTH || c->op == FLOW_EITHER || c->op == FLOW_NOT;
    uint32_t read[3];
    text_operand o[3] = { 0 };
    for (int k = X(step_flow_operands)(c, read); k-- > 0;)
        o[k] = of_truths || (c->op == FLOW_CHOSEN && !k) ? taut_text_truth(w, read[k], v)
               : v && !(c->op == FLOW_EXCEEDS && k == 2) ? taut_text_vector(w, read[k])
                                                         : taut_text_name(w, read[k]);
    const char *a = o[0].text, *b = o[1].text, *d = o[2].text;
    switch (c->op) {
    case FLOW_MOST: taut_text_put(w, v ? "lane_most(%s, %s)" : "taut_most(%s, %s)", a, b); break;
    case FLOW_BELOW: taut_text_put(w, v ? "is_below(%s, %s)" : "%s < %s", a, b); break;
    case FLOW_AT_MOST: taut_text_put(w, v ? "is_at_most(%s, %s)" : "%s <= %s", a, b); break;
    case FLOW_IS_NUMBER: taut_text_put(w, v ? "is_finite(%s)%.0s" : "%s - %s == 0", a, a); break;
    case FLOW_EXCEEDS: taut_text_put(w, v ? "lane_exceeds(%s, %s, %s)" : "taut_exceeds(%s, %s, %s)", a, b, d); break;
    case FLOW_BOTH: taut_text_put(w, "%s & %s", a, b); break;
    case FLOW_EITHER: taut_text_put(w, "%s | %s", a, b); break;
    case FLOW_NOT: taut_text_put(w, v ? "~%s" : "!%s", a); break;
    case FLOW_CHOSEN: taut_text_put(w, v ? "pick(%s, %s, %s)" : "%s ? %s : %s", a, b, d); break;
    }
}

void taut_text_value(text_writer *w, const program_instruction *c)
{
    const text_operand a = taut_text_name(w, c->a);
    uint32_t operands[3];
    const int count = X(step_flow_operands)(c, operands);
    if (w->single && w->single[c->target]) {
        put_single(w, c);
    } else if (is_reciprocal(w, c)) {
        taut_text_put(w, "taut_reciprocal(%s, &usual)", taut_text_name(w, c->b).text);
    } else if (c->op >= FLOW_MOST) {
        put_verdict(w, c);
    } else if (c->op == PROGRAM_MOVE) {
        const int is_vector = w->lanes && w->varies[c->target], is_truth = w->facts[c->target] & TEXT_IS_TRUTH;
        taut_text_put(w, "%s", is_truth ? taut_text_truth(w, c->a, is_vector).text
                               : is_vector ? taut_text_vector(w, c->a).text : a.text);
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

void taut_text_instruction(text_writer *w, const program_instruction *c, const char *indent)
{
    const int is_pair = w->roughly && w->facts[c->target] & TEXT_IS_TRUTH;
    taut_text_put(w, "%sconst %s %s = ", indent, taut_text_type(w, c->target), taut_text_name(w, c->target).text);
    taut_text_value(w, c);
    if (is_pair) {
        taut_text_put(w, ", %s = ", taut_text_not(w, c->target).text);
        taut_text_rough(w, c, 1);
    }
    taut_text_put(w, ";\n");
    taut_text_guard(w, c);
}

/* A number from outside or of the state. */
static void put_load(text_writer *w, uint32_t r)
{
    const text_program *t = w->t;
    const program *p = t->p;
    const text_operand name = taut_text_name(w, r);
    const uint32_t place = taut_text_place(w, r);
    if (place != UINT32_MAX)
        taut_text_put(w, t->varies[r] ? "    const number %s = ODD(%u);\n" : "    const double %s = EVEN(%u);\n",
                      name.text, place);
    else if (taut_text_is_left_over(w, r))
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
    if (!c) {
        put_load(w, r);
        return;
    }
    const int count = is_larger_size(w, c, operands) ? 2 : X(step_flow_operands)(c, operands);
    for (int k = 1; k < count; k++) /* the one that takes most comes first */
        for (int i = k; i > 0 && w->depth[operands[i]] > w->depth[operands[i - 1]]; i--) {
            const uint32_t other = operands[i];
            operands[i] = operands[i - 1], operands[i - 1] = other;
        }
    for (int k = 0; k < count; k++) taut_text_need(w, operands[k]);
    taut_text_instruction(w, c, "    ");
}

uint32_t taut_text_sum(const text_writer *w, uint32_t a, uint32_t b)
{
    for (uint32_t r = 0; r < w->f->register_count; r++) {
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
    "static inline int taut_exceeds(number pivot, number reference, number part)\n"
    "{\n"
    "    return taut_math_fabs(pivot) > part * taut_math_fabs(reference);\n"
    "}\n"
    "\n";

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
    "INLINE mask lane_exceeds(number pivot, number reference, double part)\n"
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

void taut_text_table(builder *out, const char *storage, const char *type, const char *name, const text_plan *p,
                     text_table what)
{
    taut_builder_put(out, "%s const %s %s[%d] = {", storage, type, name, p->part_count);
    for (int i = 0; i < p->part_count; i++) {
        const text_length *l = &p->lengths[p->parts[i]];
        if (what == TABLE_LENGTH)
            taut_builder_put(out, " %a,", l->halved ? l->factor / 2 : l->factor);
        else
            taut_builder_put(out, " %u,", what == TABLE_EVEN  ? l->even_at
                                          : what == TABLE_ODD ? l->odd_at
                                                              : (uint32_t)l->program);
    }
    taut_builder_put(out, " };\n");
}
