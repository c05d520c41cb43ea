#include "lower/emit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lower/pieces.h"
#include "lower/symbols.h"

/* Up to this length the function is one: values stay in registers where they can, and compilers are fast enough. */
enum { WHOLE_MOST = 500 };

typedef struct {
    const program *p;
    builder *out;
    int single;               /* numbers are floats */
    int fixed;                /* what the system gives are literals: the caller has the constants alone */
    uint32_t *setup;          /* number of a register among the values of setup; UINT32_MAX: not one of them */
    unsigned char *used;      /* registers that are read */
    const char *name;         /* of the function */
    pieces pieces;            /* slot NULL: the function is one */
} emission;

static void __attribute__((format(printf, 2, 3))) put(emission *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    taut_builder_put_v(e->out, format, arguments);
    va_end(arguments);
}

/* ---- registers ---- */

static const char *const time_names[STATE_LEAVES] = { "t0", "t0_low", "t1", "span" };

/* How a register is written. */
typedef struct {
    char text[40];
} operand;

void X(emit_number)(double value, int single, char *buffer, size_t size)
{
    if (single) value = (double)(float)value;
    taut_text_format(buffer, size, signbit(value) ? "(%a%s)" : "%a%s", value, single ? "f" : "");
}

static operand name_of(const emission *e, uint32_t r)
{
    const program *p = e->p;
    const uint32_t h = p->constant_count + p->other_count, times = p->state_first + p->state_count;
    const int cut = e->pieces.slot != NULL;
    operand o;
    if (r < h)
        snprintf(o.text, sizeof o.text, "k[%u]", r);
    else if (r == h)
        snprintf(o.text, sizeof o.text, cut ? "time[4]" : "h");
    else if (r < p->state_first && e->fixed)
        X(emit_number)((double)X(symbol_given_value)(p->s, r - h - 1), e->single, o.text, sizeof o.text);
    else if (r < p->state_first)
        snprintf(o.text, sizeof o.text, "k[%u]", r);
    else if (r < times)
        snprintf(o.text, sizeof o.text, cut ? "x[%u]" : "x%u", r - p->state_first);
    else if (r < p->unknown_first && cut)
        snprintf(o.text, sizeof o.text, "time[%u]", r - times);
    else if (r < p->unknown_first)
        snprintf(o.text, sizeof o.text, "%s", time_names[r - times]);
    else if (cut && e->pieces.slot[r] != PIECE_INSIDE)
        snprintf(o.text, sizeof o.text, "v[%u]", e->pieces.slot[r]);
    else if (r < p->unknown_first + p->unknown_count)
        snprintf(o.text, sizeof o.text, "u%u", r - p->unknown_first);
    else if (r >= p->literal_first)
        X(emit_number)((double)p->literals[r - p->literal_first], e->single, o.text, sizeof o.text);
    else if (e->setup[r] != UINT32_MAX)
        snprintf(o.text, sizeof o.text, cut ? "s[%u]" : "s%u", e->setup[r]);
    else
        snprintf(o.text, sizeof o.text, "v%u", r);
    return o;
}

/* ---- which registers are read ---- */

typedef void visit(emission *e, uint32_t r);

static void visit_segment(emission *e, const segment *t, visit *f)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const program_instruction *c = &t->code[i];
        int sum = c->op > PROGRAM_MOVE;
        f(e, c->a);
        if (sum || (c->op < OP_COUNT && !op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2)) f(e, c->b);
        if (sum) f(e, c->c);
    }
}

static void visit_list(emission *e, const uint32_t *list, size_t count, visit *f)
{
    for (size_t i = 0; list && i < count; i++) f(e, list[i]);
}

static void visit_results(emission *e, visit *f);

/* Everything that steps read. */
static void visit_steps(emission *e, visit *f)
{
    const program *p = e->p;
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *z = &p->phases[k];
        visit_segment(e, &z->begin, f), visit_segment(e, &z->residual, f);
        visit_segment(e, &z->factor, f), visit_segment(e, &z->solve, f);
        visit_list(e, z->guesses, z->size, f), visit_list(e, z->residuals, z->size, f);
        visit_list(e, z->changes, z->size, f), visit_list(e, z->weights, z->size, f);
        visit_list(e, z->seconds, z->size, f);
        for (int i = 0; i < z->further_count; i++) {
            visit_segment(e, &z->further[i].tape, f);
            visit_list(e, z->further[i].sums, z->size, f);
        }
        visit_list(e, z->lasts, z->size, f);
        visit_list(e, &z->unit, z->size > 0, f);
        for (uint32_t i = 0; i < z->check_count; i++) f(e, z->checks[i].pivot), f(e, z->checks[i].reference);
    }
    visit_segment(e, &p->results, f);
    visit_results(e, f);
}

/* What the new state is made of. */
static void visit_results(emission *e, visit *f)
{
    const program *p = e->p;
    visit_list(e, p->move, p->s->n, f), visit_list(e, p->push, p->s->n, f);
    visit_list(e, p->w, p->s->n, f), visit_list(e, p->lambda, p->s->c, f);
    visit_list(e, p->trend, p->s->c, f), visit_list(e, p->change, 2 * (size_t)p->s->c, f);
    visit_list(e, p->reported, p->s->c, f);
    visit_list(e, p->outputs, p->output_count, f);
    if (p->has_work) f(e, p->work);
}

static void mark_used(emission *e, uint32_t r) { e->used[r] = 1; }

static void mark_result(emission *e, uint32_t r) { X(pieces_result)(&e->pieces, r); }

/* Numbers the values of setup that steps read; all of them, where setup is several functions. */
static uint32_t number_setup(emission *e)
{
    const segment *t = &e->p->setup;
    uint32_t count = 0;
    for (uint32_t r = 0; r < e->p->register_count; r++) e->setup[r] = UINT32_MAX;
    for (uint32_t i = 0; i < t->count; i++)
        if (e->pieces.slot || e->used[t->code[i].target]) e->setup[t->code[i].target] = count++;
    return count;
}

static int begin(emission *e, const program *p)
{
    *e = (emission){ .p = p };
    e->setup = taut_mem_new(p->context, p->register_count + 1, sizeof *e->setup);
    e->used = taut_mem_new(p->context, p->register_count + 1, 1);
    if (!e->setup || !e->used) return TAUT_OUT_OF_MEMORY;
    visit_steps(e, mark_used);
    if (X(program_length)(p) <= WHOLE_MOST) return TAUT_OK;
    int status = X(pieces_create)(p, &e->pieces);
    if (!status) visit_results(e, mark_result);
    return status ? status : X(pieces_place)(p, &e->pieces);
}

static void end(emission *e)
{
    X(pieces_clear)(e->p, &e->pieces);
    taut_mem_free(e->p->context, e->setup);
    taut_mem_free(e->p->context, e->used);
}

uint32_t X(program_setup_count)(const program *p) { return p->setup.count; }

/* ---- instructions ---- */

void X(emit_operation)(builder *out, op o, const char *a, const char *b, int32_t n, int single)
{
    const char *functions = single ? "taut_float_" : "taut_math_";
    switch (o) {
    case OP_NEG: taut_builder_put(out, "-%s", a); break;
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: taut_builder_put(out, "%s %s %s", a, taut_op_name(o), b); break;
    case OP_POWI: /* as taut_math_powi computes it */
        if (n == 2) taut_builder_put(out, "%s * %s", a, a);
        else if (n == 3) taut_builder_put(out, "%s * %s * %s", a, a, a);
        else taut_builder_put(out, "%spowi(%s, %d)", functions, a, n);
        break;
    case OP_SQRT: taut_builder_put(out, "%ssqrt(%s)", functions, a); break;
    case OP_ABS: taut_builder_put(out, "%sfabs(%s)", functions, a); break;
    case OP_SIGN: taut_builder_put(out, "(number)((%s > 0) - (%s < 0))", a, a); break;
    case OP_MIN: taut_builder_put(out, "%s < %s ? %s : %s", a, b, a, b); break;
    case OP_MAX: taut_builder_put(out, "%s > %s ? %s : %s", a, b, a, b); break;
    case OP_SINC: case OP_SINHC: case OP_ATANC: case OP_ATANHC:
        taut_builder_put(out, "%s%s(%s, %d)", functions, taut_op_name(o), a, n);
        break;
    case OP_POW: taut_builder_put(out, "%spow(%s, %s)", functions, a, b); break;
    case OP_ATAN2: taut_builder_put(out, "%satan2(%s, %s)", functions, a, b); break;
    case OP_CBRT: case OP_EXP: case OP_LOG: case OP_SIN: case OP_COS: case OP_TAN: case OP_ASIN: case OP_ACOS:
    case OP_ATAN: case OP_SINH: case OP_COSH: case OP_TANH:
        taut_builder_put(out, "%s%s(%s)", functions, taut_op_name(o), a);
        break;
    CASE_LEAVES
    CASE_CALLS break;
    }
}

/* What expr/ops.h does not have. */
static void put_own(emission *e, const program_instruction *c)
{
    operand a = name_of(e, c->a);
    if (c->op == PROGRAM_MOVE) {
        put(e, "%s", a.text);
        return;
    }
    const operand b = name_of(e, c->b), d = name_of(e, c->c);
    put(e, "%sfma(%s%s, %s, %s%s)", e->single ? "taut_float_" : "taut_math_",
        c->op == PROGRAM_SUBTRACT_PRODUCT ? "-" : "", a.text, b.text, c->op == PROGRAM_MULTIPLY_SUBTRACT ? "-" : "",
        d.text);
}

static void put_value(emission *e, const program_instruction *c)
{
    operand a = name_of(e, c->a), b = { "" };
    if (c->op >= OP_COUNT) {
        put_own(e, c);
        return;
    }
    if (!op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2) b = name_of(e, c->b);
    X(emit_operation)(e->out, (op)c->op, a.text, b.text, (int32_t)c->b, e->single);
}

/* declared: the targets have been declared before, outside of a condition */
static void put_instructions(emission *e, const program_instruction *code, uint32_t count, const char *indent,
                             int declared)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t target = code[i].target;
        const int stands = e->pieces.slot && (e->pieces.slot[target] != PIECE_INSIDE || e->setup[target] != UINT32_MAX);
        put(e, "%s%s%s = ", indent, declared || stands ? "" : "const number ", name_of(e, target).text);
        put_value(e, &code[i]);
        put(e, ";\n");
    }
}

/* ---- pieces ---- */

/* The name of a tape's pieces. */
static operand name_of_tape(const emission *e, const segment *t)
{
    const program *p = e->p;
    operand o;
    snprintf(o.text, sizeof o.text, t == &p->setup ? "setup" : "results");
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        const char *name = t == &f->begin      ? "begin"
                           : t == &f->residual ? "residual"
                           : t == &f->factor   ? "factor"
                           : t == &f->solve    ? "solve"
                                               : NULL;
        for (int i = 0; i < f->further_count; i++)
            if (t == &f->further[i].tape) name = i == FURTHER_ONCE ? "once" : "more";
        if (name) snprintf(o.text, sizeof o.text, "%s%d", name, k + 1);
    }
    return o;
}

/* The functions of a tape. */
static void put_pieces(emission *e, const segment *t)
{
    for (uint32_t first = 0, k = 1; first < t->count; first += PIECE_LENGTH, k++) {
        const uint32_t left = t->count - first;
        put(e, "TAUT_PIECE %s_%s_%u(const number *restrict k, %snumber *restrict s, const number *restrict x,\n"
               "    const number *restrict time, number *restrict v)\n{\n"
               "    (void)k, (void)s, (void)x, (void)time, (void)v;\n",
            e->name, name_of_tape(e, t).text, k, t == &e->p->setup ? "" : "const ");
        put_instructions(e, t->code + first, left < PIECE_LENGTH ? left : PIECE_LENGTH, "    ", 0);
        put(e, "}\n\n");
    }
}

static void put_all_pieces(emission *e)
{
    const program *p = e->p;
    if (!e->pieces.slot) return;
    put_pieces(e, &p->setup);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        put_pieces(e, &f->begin), put_pieces(e, &f->residual), put_pieces(e, &f->factor), put_pieces(e, &f->solve);
        for (int i = 0; i < f->further_count; i++) put_pieces(e, &f->further[i].tape);
    }
    put_pieces(e, &p->results);
}

/* A tape: its instructions, or calls of its pieces. */
static void put_segment(emission *e, const segment *t, const char *indent, int declared)
{
    if (!e->pieces.slot) {
        put_instructions(e, t->code, t->count, indent, declared);
        return;
    }
    for (uint32_t first = 0, k = 1; first < t->count; first += PIECE_LENGTH, k++)
        put(e, "%s%s_%s_%u(k, s, x, time, v);\n", indent, e->name, name_of_tape(e, t).text, k);
}

/* ---- the parts of the function ---- */

static void put_setup(emission *e)
{
    const program *p = e->p;
    const segment *t = &p->setup;
    if (e->pieces.slot) {
        put(e, "    number v[%u];\n    if (first) {\n", e->pieces.count + 1);
        put_segment(e, t, "        ", 0);
        put(e, "    }\n");
        return;
    }
    put(e, "    const number h = time[4];\n    (void)h;\n    if (first) {\n");
    for (uint32_t i = 0; i < t->count; i++) {
        put(e, "        const number %s = ", name_of(e, t->code[i].target).text);
        put_value(e, &t->code[i]);
        put(e, ";\n");
    }
    for (uint32_t i = 0; i < t->count; i++)
        if (e->setup[t->code[i].target] != UINT32_MAX)
            put(e, "        s[%u] = s%u;\n", e->setup[t->code[i].target], e->setup[t->code[i].target]);
    put(e, "    }\n");
    for (uint32_t i = 0; i < t->count; i++)
        if (e->setup[t->code[i].target] != UINT32_MAX)
            put(e, "    const number s%u = s[%u];\n", e->setup[t->code[i].target], e->setup[t->code[i].target]);
}

/* Names are the user's: nothing in them ends a comment, begins one in it, continues a line or hides what is there. */
void X(emit_comment)(char *text)
{
    for (char *at = text; *at; at++) {
        const int pair = strncmp(at, "*/", 2) == 0 || strncmp(at, "/*", 2) == 0 || strncmp(at, "??", 2) == 0;
        if (pair || *at == '\\' || *at < ' ' || *at > '~') *at = '.';
    }
}

/* What a number of the state's block is. */
static void describe_state(const emission *e, uint32_t i, char *buffer, size_t size)
{
    static const char *const members[] = { "", "momentum of ", "rate of ", "low part of ",
                                           "low part of the momentum of " };
    const struct system *s = e->p->s;
    char name[150];
    buffer[0] = 0;
    if (i < 5 * s->n) {
        X(system_coordinate_name)(s, i % s->n, name, sizeof name);
        snprintf(buffer, size, "%s%s", members[i / s->n], name);
    } else if (i < 5 * s->n + s->c) {
        X(system_constraint_name)(s, i - 5 * s->n, name, sizeof name);
        snprintf(buffer, size, "multiplier of %s", name);
    } else if (i >= program_trend_at(s->n, s->c) && i < program_trend_at(s->n, s->c) + 3 * s->c) {
        static const char *const changes[] = { "expected change", "change", "change of the change" };
        i -= program_trend_at(s->n, s->c);
        X(system_constraint_name)(s, i % s->c, name, sizeof name);
        snprintf(buffer, size, "%s of the multiplier of %s", changes[i / s->c], name);
    }
    X(emit_comment)(buffer);
}

static void put_state(emission *e)
{
    const program *p = e->p;
    char what[200];
    for (uint32_t i = 0; i < p->state_count; i++) {
        if (!e->used[p->state_first + i]) continue;
        describe_state(e, i, what, sizeof what);
        if (e->pieces.slot)
            put(e, "    /* x[%u]: %s */\n", i, what);
        else
            put(e, "    const number x%u = x[%u]; /* %s */\n", i, i, what);
    }
    for (int i = 0; !e->pieces.slot && i < STATE_LEAVES; i++)
        if (e->used[p->state_first + p->state_count + (uint32_t)i])
            put(e, "    const number %s = time[%d];\n", time_names[i], i);
    for (uint32_t i = 0; i < p->input_count; i++)
        put(e, e->pieces.slot ? "    v[%u] = inputs[%u];\n" : "    const number u%u = inputs[%u];\n", p->inputs[i],
            p->inputs[i]);
}

static void declare_targets(emission *e, const segment *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        put(e, "%s%s = 0%s", i % 12 ? ", " : "    number ", name_of(e, t->code[i].target).text,
            i % 12 == 11 || i + 1 == t->count ? ";\n" : "");
}

/* Every pivot is more than this part of what it is made of. */
static void put_checks(emission *e, const program_phase *f, const char *part)
{
    if (!f->check_count) put(e, "1");
    for (uint32_t i = 0; i < f->check_count; i++)
        put(e, "%staut_exceeds(%s, %s, %s)", i ? " & " : "", name_of(e, f->checks[i].pivot).text, part,
            name_of(e, f->checks[i].reference).text);
}

static void put_matrix(emission *e, const program_phase *f, const char *indent)
{
    put_segment(e, &f->factor, indent, !f->iteration.always);
    put(e, "%sif (!(", indent);
    put_checks(e, f, "PIVOT_LEAST");
    put(e, ")) return %d;\n", CODE_SINGULAR);
    if (f->iteration.linear || f->iteration.twice) {
        put(e, "%ssure = (", indent);
        put_checks(e, f, "PIVOT_SURE");
        put(e, ") + (");
        put_checks(e, f, "PIVOT_SOUND");
        put(e, ");\n");
    }
    put(e, "%scounts[1]++;\n", indent);
}

static void put_sizes(emission *e, const program_phase *f, const uint32_t *changes, const char *size,
                      const char *indent)
{
    for (uint32_t i = 0; i < f->size; i++)
        put(e, "%s%s = taut_most(%s, %s * %s);\n", indent, size, size, name_of(e, f->weights[i]).text,
            name_of(e, changes[i]).text);
}

static void put_correction(emission *e, const program_phase *f, int index)
{
    char before[24];
    put(e, "        number size = 0;\n");
    for (uint32_t i = 0; i < f->size; i++)
        put(e, "        %s -= %s;\n", name_of(e, f->unknowns[i]).text, name_of(e, f->changes[i]).text);
    for (uint32_t i = 0; f->iteration.twice && i < f->size; i++)
        put(e, "        %s -= %s;\n", name_of(e, f->unknowns[i]).text, name_of(e, f->seconds[i]).text);
    snprintf(before, sizeof before, "before%d", index);
    if (f->iteration.twice) {
        put(e, "        %s = 0;\n", before);
        put_sizes(e, f, f->changes, before, "        ");
    }
    put_sizes(e, f, f->iteration.twice ? f->seconds : f->changes, "size", "        ");
}

/* Tolerances that are multiples of the epsilon of double become the same of float; others stay, but for a least
   multiple of it. */
static double single_tolerance(double tolerance, double least)
{
    const double scaled = tolerance / DBL_EPSILON * (double)FLT_EPSILON;
    return tolerance <= 4 * DBL_EPSILON ? scaled : fmax(tolerance, least * (double)FLT_EPSILON);
}

/* In float stagnation begins higher up: rounding errors of positions come divided by the step where velocities are
   solved for. */
#define SINGLE_FLOOR (16384 * (double)FLT_EPSILON)

/* Corrections after two with one matrix. */
static void put_further(emission *e, const program_phase *f, int index)
{
    const operand unit = name_of(e, f->unit);
    if (!f->further_count) return;
    for (int k = 0; k < PROGRAM_FURTHER; k++) {
        const program_further *by = &f->further[k];
        if (k == FURTHER_ONCE)
            put(e, "        if (verdict == ITERATION_GOES_ON &&\n"
                   "            iteration_once_more(&phase%d, before%d, size, %s, sure)) {\n", index, index, unit.text);
        else
            put(e, "        } else if (verdict == ITERATION_GOES_ON) {\n");
        put_segment(e, &by->tape, "            ", 0);
        for (uint32_t i = 0; i < f->size; i++)
            put(e, "            %s -= %s;\n", name_of(e, f->unknowns[i]).text, name_of(e, by->sums[i]).text);
        if (k == FURTHER_ONCE) put(e, "            verdict = ITERATION_ENDED;\n");
    }
    put(e, "            number last = 0;\n");
    put_sizes(e, f, f->lasts, "last", "            ");
    put(e, "            verdict = iteration_judge_further(&phase%d, before%d, size, last, %s, sure);\n        }\n",
        index, index, unit.text);
}

static void put_iteration(emission *e, const program_phase *f, int index)
{
    const iteration *i = &f->iteration;
    operand enough, rest, epsilon, floor;
    X(emit_number)(e->single ? single_tolerance(i->enough, 0.5) : i->enough, e->single, enough.text,
                   sizeof enough.text);
    X(emit_number)(e->single ? single_tolerance(i->rest, 1 / 2048.0) : i->rest, e->single, rest.text, sizeof rest.text);
    X(emit_number)(e->single ? (double)FLT_EPSILON : i->epsilon, e->single, epsilon.text, sizeof epsilon.text);
    X(emit_number)(e->single ? SINGLE_FLOOR : i->floor, e->single, floor.text, sizeof floor.text);
    put(e, "    static const iteration phase%d = { %d, %d, %d, %d, %d, %s, %s, %s, %s };\n", index, i->linear,
        i->always, i->skip_first, i->rough, i->twice, enough.text, rest.text, epsilon.text, floor.text);
    if (!i->always && !e->pieces.slot) declare_targets(e, &f->factor);
    put(e, "    for (int round = 0, factor = 1, sure = 0, verdict = 0; verdict != ITERATION_ENDED; round++) {\n");
    put(e, "        if (round == iteration_most(&phase%d)) return %d;\n", index, CODE_NO_CONVERGENCE);
    put_segment(e, &f->residual, "        ", 0);
    if (i->always) {
        put_matrix(e, f, "        ");
        put(e, "        factor = 1;\n");
    } else {
        put(e, "        if (factor) {\n");
        put_matrix(e, f, "            ");
        put(e, "        }\n");
    }
    put_segment(e, &f->solve, "        ", 0);
    put_correction(e, f, index);
    put(e, "        counts[0]++;\n");
    put(e, "        verdict = iteration_judge(&phase%d, round, size, before%d, %s, factor, sure);\n", index, index,
        name_of(e, f->unit).text);
    put_further(e, f, index);
    put(e, "        if (verdict == ITERATION_HOPELESS) return size - size == 0 ? %d : %d;\n", CODE_NO_CONVERGENCE,
        CODE_NOT_FINITE);
    put(e, "        factor = verdict == ITERATION_NEEDS_MATRIX;\n        before%d = size;\n    }\n", index);
}

static void put_phase(emission *e, const program_phase *f, int index)
{
    put(e, "\n    /* %s */\n", f->what);
    put_segment(e, &f->begin, "    ", 0);
    if (!f->size) return;
    for (uint32_t i = 0; i < f->size; i++)
        put(e, "    %s%s = %s;\n", e->pieces.slot ? "" : "number ", name_of(e, f->unknowns[i]).text,
            name_of(e, f->guesses[i]).text);
    put(e, "    number before%d = 0;\n", index);
    put_iteration(e, f, index);
}

/* What the new state is made of: numbers of the old one are copied before they change. */
static operand result(const emission *e, uint32_t r)
{
    const program *p = e->p;
    operand o = name_of(e, r);
    if (e->pieces.slot && r >= p->state_first && r < p->state_first + p->state_count)
        snprintf(o.text, sizeof o.text, "x%u", r - p->state_first);
    return o;
}

static void put_copies(emission *e)
{
    const program *p = e->p;
    if (!e->pieces.slot) return;
    memset(e->used, 0, p->register_count);
    visit_results(e, mark_used);
    for (uint32_t i = 0; i < p->state_count; i++)
        if (e->used[p->state_first + i]) put(e, "    const number x%u = x[%u];\n", i, i);
}

static void put_results(emission *e)
{
    const program *p = e->p;
    uint32_t n = p->s->n, c = p->s->c;
    put(e, "\n    /* the new state */\n");
    put_segment(e, &p->results, "    ", 0);
    put_copies(e);
    put(e, "    number finite = 0;\n");
    for (uint32_t i = 0; i < n; i++)
        put(e, "    finite += 0 * %s + 0 * %s;\n", result(e, p->move[i]).text, result(e, p->push[i]).text);
    put(e, "    if (!(finite == 0)) return %d;\n", CODE_NOT_FINITE);
    for (uint32_t i = 0; i < n; i++)
        put(e, "    taut_add(&x[%u], &x[%u], %s);\n", i, 3 * n + i, result(e, p->move[i]).text);
    for (uint32_t i = 0; i < n; i++) {
        operand push = result(e, p->push[i]);
        if (p->sets_momentum)
            put(e, "    x[%u] = %s, x[%u] = 0;\n", n + i, push.text, 4 * n + i);
        else
            put(e, "    taut_add(&x[%u], &x[%u], %s);\n", n + i, 4 * n + i, push.text);
        if (p->w)
            put(e, "    x[%u] = %s;\n", 2 * n + i, result(e, p->w[i]).text);
        else
            put(e, "    x[%u] = x[%u];\n", 2 * n + i, n + i);
    }
    for (uint32_t k = 0; p->trend && k < c; k++)
        put(e, "    x[%u] = %s;\n", program_trend_at(n, c) + k, result(e, p->trend[k]).text);
    for (uint32_t k = 0; p->change && k < 2 * c; k++)
        put(e, "    x[%u] = %s;\n", program_trend_at(n, c) + c + k, result(e, p->change[k]).text);
    for (uint32_t k = 0; p->lambda && k < c; k++)
        put(e, "    x[%u] = %s;\n", 5 * n + k, result(e, p->lambda[k]).text);
    if (p->has_work)
        put(e, "    taut_add(&x[%u], &x[%u], %s);\n", 5 * n + c + 1, 5 * n + c + 2, result(e, p->work).text);
    for (uint32_t k = 0; p->reported && k < c; k++)
        put(e, "    reported[%u] = %s;\n", k, result(e, p->reported[k]).text);
    put(e, "    return 0;\n}\n");
}

/* Of a program that reads a state: no number of it changes. */
static void put_outputs(emission *e)
{
    const program *p = e->p;
    put(e, "    (void)x;\n");
    put_segment(e, &p->results, "    ", 0);
    for (uint32_t i = 0; i < p->output_count; i++)
        put(e, "    reported[%u] = %s;\n", i, name_of(e, p->outputs[i]).text);
    put(e, "    return 0;\n}\n");
}

static void put_function(emission *e, const char *name, int is_static)
{
    static const char arguments[] =
        "(int first, const number *k, number *restrict s, number *restrict x, const number *time,\n"
        "    const number *inputs, number *reported, long *counts)";
    const program *p = e->p;
    e->name = name;
    put_all_pieces(e);
    if (!is_static) put(e, "int %s%s;\n", name, arguments);
    put(e, "%sint %s%s\n{\n", is_static ? "static " : "", name, arguments);
    put(e, "    (void)k, (void)s, (void)inputs, (void)reported, (void)counts;\n");
    put_setup(e);
    put_state(e);
    for (int k = 0; k < p->phase_count; k++) put_phase(e, &p->phases[k], k);
    if (p->outputs)
        put_outputs(e);
    else
        put_results(e);
}

int X(program_emit_function)(const program *p, const char *name, int is_static, int single, int fixed,
                             uint32_t *setup_count, builder *out)
{
    emission e;
    int status = begin(&e, p);
    e.out = out;
    e.single = single;
    e.fixed = fixed;
    if (!status) {
        *setup_count = number_setup(&e);
        put_function(&e, name, is_static);
        status = out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
    }
    end(&e);
    return status;
}

int X(program_emit)(const program *p, const char *name, char **text, size_t *length)
{
    builder out = { .context = p->context };
    emit_functions used = { .iterates = 0 };
    *text = NULL;
    *length = 0;
    X(program_mark_functions)(p, &used);
    X(emit_prelude)(&out, &used, 0);
    uint32_t setup_count;
    int status = X(program_emit_function)(p, name, 0, 0, 0, &setup_count, &out);
    if (status)
        taut_builder_clear(&out);
    else
        *text = out.text, *length = out.length;
    return status;
}
