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

const char *taut_text_type(const text_writer *w, uint32_t r)
{
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
    w->varies = taut_mem_new(context, 3 * (size_t)p->register_count, 1);
    w->source = taut_mem_new(context, p->register_count, sizeof *w->source);
    if (!w->varies || !w->source) {
        taut_text_end(w);
        return TAUT_OUT_OF_MEMORY;
    }
    w->written = w->varies + p->register_count;
    w->depth = w->written + p->register_count;
    memcpy(w->varies, t->varies, p->register_count);
    memset(w->varies + p->state_first, 1, p->state_count);
    memset(w->varies + p->unknown_first, 1, p->unknown_count);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        spread(w, &f->begin), spread(w, &f->residual), spread(w, &f->factor), spread(w, &f->solve);
        spread(w, &f->further);
        find_sources(w, &f->begin);
    }
    spread(w, &p->results);
    find_sources(w, &p->results);
    return TAUT_OK;
}

void taut_text_end(text_writer *w)
{
    taut_mem_free(w->plan->context, w->varies);
    taut_mem_free(w->plan->context, w->source);
    w->varies = NULL;
    w->source = NULL;
}

/* ---- instructions ---- */

/* An operation on vectors that is no operator. */
static void put_lanes(text_writer *w, const program_instruction *c)
{
    const op o = (op)c->op;
    const text_operand a = taut_text_vector(w, c->a);
    const char *name = o == OP_ABS ? "fabs" : o == OP_POW ? "pow" : o == OP_POWI ? "powi" : o == OP_SIGN ? "sign"
                       : o == OP_MIN ? "min" : o == OP_MAX ? "max" : taut_op_name(o);
    taut_text_put(w, "lane_%s(%s", name, a.text);
    if (op_has_number(o))
        taut_text_put(w, ", %d", (int32_t)c->b);
    else if (taut_op_arity(o) == 2)
        taut_text_put(w, ", %s", taut_text_vector(w, c->b).text);
    taut_text_put(w, ")");
}

static int is_operator(const program_instruction *c)
{
    switch (c->op) {
    case OP_NEG: case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: return 1;
    case OP_POWI: return c->b == 2 || c->b == 3;
    default: return 0;
    }
}

static void put_value(text_writer *w, const program_instruction *c)
{
    const text_operand a = taut_text_name(w, c->a);
    uint32_t operands[3];
    const int count = taut_text_operands(c, operands);
    if (c->op == PROGRAM_MOVE) {
        taut_text_put(w, "%s", a.text);
    } else if (c->op >= OP_COUNT) {
        const text_operand b = taut_text_name(w, c->b), d = taut_text_name(w, c->c);
        if (c->op == PROGRAM_SUBTRACT_PRODUCT)
            taut_text_put(w, "%s - %s * %s", d.text, a.text, b.text);
        else
            taut_text_put(w, "%s * %s %s %s", a.text, b.text, c->op == PROGRAM_MULTIPLY_ADD ? "+" : "-", d.text);
    } else if (w->lanes && w->varies[c->target] && !is_operator(c)) {
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
    const int count = taut_text_operands(c, operands);
    for (int k = 1; k < count; k++) /* the one that takes most comes first */
        for (int i = k; i > 0 && w->depth[operands[i]] > w->depth[operands[i - 1]]; i--) {
            const uint32_t other = operands[i];
            operands[i] = operands[i - 1], operands[i - 1] = other;
        }
    for (int k = 0; k < count; k++) taut_text_need(w, operands[k]);
    put_instruction(w, c, "    ");
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
        need_list(w, operands, (size_t)count);
    }
}

void taut_text_need_for(text_writer *w, const program_phase *f)
{
    const segment *tapes[] = { &f->residual, &f->factor, &f->solve, &f->further };
    const uint32_t *lists[] = { f->guesses, f->changes, f->weights, f->seconds, f->furthers, f->lasts };
    for (int i = 0; i < 4; i++) mark_written(w, tapes[i]);
    for (int i = 0; i < 4; i++) need_tape(w, tapes[i]);
    for (int i = 0; i < 6; i++) need_list(w, lists[i], f->size);
    need_list(w, &f->unit, f->size > 0);
    for (uint32_t i = 0; i < f->check_count; i++)
        taut_text_need(w, f->checks[i].pivot), taut_text_need(w, f->checks[i].reference);
}

/* ---- what stands before ---- */

static const char same_bits[] =
    "#if defined(__clang__)\n"
    "#pragma STDC FP_CONTRACT OFF\n"
    "#elif defined(__GNUC__) && !defined(__CUDACC__)\n"
    "#pragma GCC optimize(\"fp-contract=off\", \"no-tree-slp-vectorize\")\n"
    "#endif\n";

static const char scalars[] =
    "static inline number taut_most(number most, number x)\n"
    "{\n"
    "    const number size = taut_math_fabs(x);\n"
    "    return size > most || size != size ? size : most;\n"
    "}\n"
    "static inline int taut_exceeds(number pivot, number part, number reference)\n"
    "{\n"
    "    return taut_math_fabs(pivot) > part * taut_math_fabs(reference);\n"
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
    const char *names[FUNCTION_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
        if (used->is_used[functions[i]]) names[count++] = function_name(functions[i]);
    const size_t length = taut_elementary_text(names, count, NULL, 0);
    char *text = length == TAUT_ELEMENTARY_UNKNOWN ? NULL : taut_mem_new(out->context, length + 1, 1);
    if (!text) return TAUT_OUT_OF_MEMORY;
    taut_elementary_text(names, count, text, length + 1);
    taut_builder_add(out, text, length);
    taut_mem_free(out->context, text);
    return TAUT_OK;
}

static const char vectors[] =
    "typedef double number __attribute__((vector_size(8 * LANES)));\n"
    "typedef long long mask __attribute__((vector_size(8 * LANES)));\n"
    "#define INLINE static inline __attribute__((always_inline, unused))\n"
    "INLINE number all(double x) { return x - (number){ 0 }; }\n"
    "INLINE number pick(mask m, number a, number b) { return (number)(((mask)a & m) | ((mask)b & ~m)); }\n"
    "#if LANES == 8 && defined(__AVX512DQ__)\n"
    "INLINE unsigned bits(mask m) { return (unsigned char)__builtin_ia32_cvtq2mask512(m); }\n"
    "#elif LANES == 4 && defined(__AVX__)\n"
    "INLINE unsigned bits(mask m) { return (unsigned)__builtin_ia32_movmskpd256((number)m); }\n"
    "#elif LANES == 2 && defined(__SSE2__)\n"
    "INLINE unsigned bits(mask m) { return (unsigned)__builtin_ia32_movmskpd((number)m); }\n"
    "#else\n"
    "INLINE unsigned bits(mask m)\n"
    "{\n"
    "    unsigned b = 0;\n"
    "    for (int i = 0; i < LANES; i++) b |= (unsigned)(m[i] & 1) << i;\n"
    "    return b;\n"
    "}\n"
    "#endif\n"
    "#define ALL_BITS ((1u << LANES) - 1)\n"
    "INLINE number lane_fabs(number x) { return (number)((mask)x & 0x7fffffffffffffffLL); }\n"
    /* the instructions of the processor: of two that are equal, or no numbers, the second one */
    "#if LANES == 8 && defined(__AVX512F__) && !defined(__clang__)\n"
    "INLINE number lane_min(number a, number b)\n"
    "{\n"
    "    return __builtin_ia32_minpd512_mask(a, b, a, (unsigned char)-1, 4);\n"
    "}\n"
    "INLINE number lane_max(number a, number b)\n"
    "{\n"
    "    return __builtin_ia32_maxpd512_mask(a, b, a, (unsigned char)-1, 4);\n"
    "}\n"
    "#elif LANES == 4 && defined(__AVX__)\n"
    "INLINE number lane_min(number a, number b) { return __builtin_ia32_minpd256(a, b); }\n"
    "INLINE number lane_max(number a, number b) { return __builtin_ia32_maxpd256(a, b); }\n"
    "#else\n"
    "INLINE number lane_min(number a, number b) { return pick(a < b, a, b); }\n"
    "INLINE number lane_max(number a, number b) { return pick(a > b, a, b); }\n"
    "#endif\n"
    "INLINE number lane_sign(number a) { return __builtin_convertvector((a < 0) - (a > 0), number); }\n"
    "INLINE number lane_most(number most, number x)\n"
    "{\n"
    "    const number size = lane_fabs(x);\n"
    "    return pick((size > most) | (size != size), size, most);\n"
    "}\n"
    "INLINE mask lane_exceeds(number pivot, double part, number reference)\n"
    "{\n"
    "    return lane_fabs(pivot) > part * lane_fabs(reference);\n"
    "}\n"
    "INLINE number lane_sqrt(number x)\n"
    "{\n"
    "#if LANES == 8 && defined(__AVX512F__) && !defined(__clang__)\n"
    "    return __builtin_ia32_sqrtpd512_mask(x, x, (unsigned char)-1, 4);\n"
    "#elif LANES == 4 && defined(__AVX__) && !defined(__clang__)\n"
    "    return __builtin_ia32_sqrtpd256(x);\n"
    "#else\n"
    "    for (int i = 0; i < LANES; i++) x[i] = taut_math_sqrt(x[i]);\n"
    "    return x;\n"
    "#endif\n"
    "}\n";

static void put_lane_functions(const emit_functions *used, builder *out)
{
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        const op o = functions[i];
        const int numbered = op_has_number(o), two = !numbered && taut_op_arity(o) == 2;
        if (!used->is_used[o]) continue;
        taut_builder_put(out, "static number lane_%s(number a%s)\n{\n"
                              "    for (int i = 0; i < LANES; i++) a[i] = taut_math_%s(a[i]%s);\n    return a;\n}\n",
                         function_name(o), numbered ? ", int n" : two ? ", number b" : "", function_name(o),
                         numbered ? ", n" : two ? ", b[i]" : "");
    }
}

int taut_text_prelude(const text_plan *p, int lanes, builder *out)
{
    emit_functions used = { .iterates = 0 };
    for (int k = 0; k < p->program_count; k++) X(program_mark_functions)(p->programs[k].p, &used);
    if (lanes) taut_builder_add(out, same_bits, sizeof same_bits - 1);
    int status = put_elementary(&used, out);
    taut_builder_add(out, "\n", 1);
    taut_builder_add(out, (const char *)taut_iteration_text, taut_iteration_text_size);
    taut_builder_add(out, "\n", 1);
    if (lanes) {
        taut_builder_add(out, vectors, sizeof vectors - 1);
        put_lane_functions(&used, out);
    } else {
        taut_builder_put(out, "typedef double number;\n");
        taut_builder_add(out, scalars, sizeof scalars - 1);
    }
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
