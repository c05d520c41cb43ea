#include "lower/emit.h"

#include <stdio.h>
#include <string.h>

#include "base/elementary_text.h"
#include "base/text.h"
#include "lower/iteration_text.h"
#include "lower/symbols.h"

/* Compilers take more than linear time: a text this long is a second or so. */
enum { INSTRUCTIONS_MOST = 12000 };

typedef struct {
    const program *p;
    char *text;
    size_t length, capacity;
    int failed;
    uint32_t *setup;          /* number of a register among the values of setup; UINT32_MAX: not one of them */
    unsigned char *used;      /* registers that are read */
} emission;

static void write_v(emission *e, const char *format, va_list arguments)
{
    char line[400];
    int count = taut_text_format_v(line, sizeof line, format, arguments);
    if (count < 0 || (size_t)count >= sizeof line || e->failed
        || taut_mem_grow(e->p->context, &e->text, &e->capacity, e->length + (size_t)count + 1, 1)) {
        e->failed = 1;
        return;
    }
    memcpy(e->text + e->length, line, (size_t)count + 1);
    e->length += (size_t)count;
}

static void __attribute__((format(printf, 2, 3))) put(emission *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_v(e, format, arguments);
    va_end(arguments);
}

static void put_text(emission *e, const char *text, size_t length)
{
    if (e->failed || taut_mem_grow(e->p->context, &e->text, &e->capacity, e->length + length + 1, 1)) {
        e->failed = 1;
        return;
    }
    memcpy(e->text + e->length, text, length);
    e->length += length;
    e->text[e->length] = 0;
}

/* ---- registers ---- */

static const char *const time_names[STATE_LEAVES] = { "t0", "t0_low", "t1", "span" };

/* How a register is written; there are four buffers, for the operands of one line. */
typedef struct {
    char text[40];
} operand;

static operand name_of(const emission *e, uint32_t r)
{
    const program *p = e->p;
    uint32_t h = p->constant_count + p->other_count, times = p->state_first + p->state_count;
    operand o;
    if (r < h)
        snprintf(o.text, sizeof o.text, "k[%u]", r);
    else if (r == h)
        snprintf(o.text, sizeof o.text, "h");
    else if (r < times)
        snprintf(o.text, sizeof o.text, "x%u", r - p->state_first);
    else if (r < p->unknown_first)
        snprintf(o.text, sizeof o.text, "%s", time_names[r - times]);
    else if (r < p->unknown_first + p->unknown_count)
        snprintf(o.text, sizeof o.text, "u%u", r - p->unknown_first);
    else if (r >= p->literal_first)
        taut_text_format(o.text, sizeof o.text, p->literals[r - p->literal_first] < 0 ? "(%a)" : "%a",
                         (double)p->literals[r - p->literal_first]);
    else if (e->setup[r] != UINT32_MAX)
        snprintf(o.text, sizeof o.text, "s%u", e->setup[r]);
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
        for (uint32_t i = 0; i < z->check_count; i++) f(e, z->checks[i].pivot), f(e, z->checks[i].reference);
    }
    visit_segment(e, &p->results, f);
    visit_list(e, p->move, p->s->n, f), visit_list(e, p->push, p->s->n, f);
    visit_list(e, p->w, p->s->n, f), visit_list(e, p->lambda, p->s->c, f), visit_list(e, p->reported, p->s->c, f);
    if (p->has_work) f(e, p->work);
}

static void mark_used(emission *e, uint32_t r) { e->used[r] = 1; }

/* Numbers the values of setup that steps read. */
static uint32_t number_setup(emission *e)
{
    const segment *t = &e->p->setup;
    uint32_t count = 0;
    for (uint32_t r = 0; r < e->p->register_count; r++) e->setup[r] = UINT32_MAX;
    for (uint32_t i = 0; i < t->count; i++)
        if (e->used[t->code[i].target]) e->setup[t->code[i].target] = count++;
    return count;
}

static int begin(emission *e, const program *p)
{
    *e = (emission){ .p = p };
    e->setup = taut_mem_new(p->context, p->register_count + 1, sizeof *e->setup);
    e->used = taut_mem_new(p->context, p->register_count + 1, 1);
    if (!e->setup || !e->used) return TAUT_OUT_OF_MEMORY;
    visit_steps(e, mark_used);
    return TAUT_OK;
}

static void end(emission *e)
{
    taut_mem_free(e->p->context, e->setup);
    taut_mem_free(e->p->context, e->used);
}

uint32_t X(program_setup_count)(const program *p) { return p->setup.count; }

/* ---- instructions ---- */

/* What expr/ops.h does not have. */
static void put_own(emission *e, const program_instruction *c)
{
    operand a = name_of(e, c->a);
    if (c->op == PROGRAM_MOVE) {
        put(e, "%s", a.text);
        return;
    }
    operand b = name_of(e, c->b), d = name_of(e, c->c);
    if (c->op == PROGRAM_SUBTRACT_PRODUCT)
        put(e, "%s - %s * %s", d.text, a.text, b.text);
    else
        put(e, "%s * %s %s %s", a.text, b.text, c->op == PROGRAM_MULTIPLY_ADD ? "+" : "-", d.text);
}

static void put_value(emission *e, const program_instruction *c)
{
    operand a = name_of(e, c->a), b = { "" };
    if (c->op >= OP_COUNT) {
        put_own(e, c);
        return;
    }
    if (!op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2) b = name_of(e, c->b);
    switch ((op)c->op) {
    case OP_NEG: put(e, "-%s", a.text); break;
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV:
        put(e, "%s %s %s", a.text, taut_op_name((op)c->op), b.text);
        break;
    case OP_POWI: /* as taut_math_powi computes it */
        if (c->b == 2) put(e, "%s * %s", a.text, a.text);
        else if (c->b == 3) put(e, "%s * %s * %s", a.text, a.text, a.text);
        else put(e, "taut_math_powi(%s, %d)", a.text, (int32_t)c->b);
        break;
    case OP_SQRT: put(e, "taut_math_sqrt(%s)", a.text); break;
    case OP_ABS: put(e, "taut_math_fabs(%s)", a.text); break;
    case OP_SIGN: put(e, "(%s > 0) - (%s < 0)", a.text, a.text); break;
    case OP_MIN: put(e, "%s < %s ? %s : %s", a.text, b.text, a.text, b.text); break;
    case OP_MAX: put(e, "%s > %s ? %s : %s", a.text, b.text, a.text, b.text); break;
    case OP_SINC: case OP_SINHC: case OP_ATANC: case OP_ATANHC:
        put(e, "taut_math_%s(%s, %d)", taut_op_name((op)c->op), a.text, (int32_t)c->b);
        break;
    case OP_POW: put(e, "taut_math_pow(%s, %s)", a.text, b.text); break;
    case OP_ATAN2: put(e, "taut_math_atan2(%s, %s)", a.text, b.text); break;
    case OP_CBRT: case OP_EXP: case OP_LOG: case OP_SIN: case OP_COS: case OP_TAN: case OP_ASIN: case OP_ACOS:
    case OP_ATAN: case OP_SINH: case OP_COSH: case OP_TANH:
        put(e, "taut_math_%s(%s)", taut_op_name((op)c->op), a.text);
        break;
    CASE_LEAVES break;
    }
}

/* declared: the targets have been declared before, outside of a condition */
static void put_segment(emission *e, const segment *t, const char *indent, int declared)
{
    for (uint32_t i = 0; i < t->count; i++) {
        put(e, "%s%s%s = ", indent, declared ? "" : "const double ", name_of(e, t->code[i].target).text);
        put_value(e, &t->code[i]);
        put(e, ";\n");
    }
}

/* ---- the parts of the function ---- */

static void put_setup(emission *e)
{
    const program *p = e->p;
    const segment *t = &p->setup;
    put(e, "    const double h = time[4];\n    (void)h;\n    if (first) {\n");
    for (uint32_t i = 0; i < t->count; i++) {
        put(e, "        const double %s = ", name_of(e, t->code[i].target).text);
        put_value(e, &t->code[i]);
        put(e, ";\n");
    }
    for (uint32_t i = 0; i < t->count; i++)
        if (e->setup[t->code[i].target] != UINT32_MAX)
            put(e, "        s[%u] = s%u;\n", e->setup[t->code[i].target], e->setup[t->code[i].target]);
    put(e, "    }\n");
    for (uint32_t i = 0; i < t->count; i++)
        if (e->setup[t->code[i].target] != UINT32_MAX)
            put(e, "    const double s%u = s[%u];\n", e->setup[t->code[i].target], e->setup[t->code[i].target]);
}

/* What a number of the state's block is. */
static void describe_state(const emission *e, uint32_t i, char *buffer, size_t size)
{
    static const char *const members[] = { "", "momentum of ", "rate of ", "low part of ", "low part of the momentum of " };
    const struct system *s = e->p->s;
    char name[150];
    buffer[0] = 0;
    if (i < 5 * s->n) {
        X(system_coordinate_name)(s, i % s->n, name, sizeof name);
        snprintf(buffer, size, "%s%s", members[i / s->n], name);
    } else if (i < 5 * s->n + s->c) {
        X(system_constraint_name)(s, i - 5 * s->n, name, sizeof name);
        snprintf(buffer, size, "multiplier of %s", name);
    }
    for (char *at = buffer; (at = strstr(at, "*/")); at++) *at = '.'; /* names are the user's: a comment does not end */
}

static void put_state(emission *e)
{
    const program *p = e->p;
    char what[200];
    for (uint32_t i = 0; i < p->state_count; i++) {
        if (!e->used[p->state_first + i]) continue;
        describe_state(e, i, what, sizeof what);
        put(e, "    const double x%u = x[%u]; /* %s */\n", i, i, what);
    }
    for (int i = 0; i < STATE_LEAVES; i++)
        if (e->used[p->state_first + p->state_count + (uint32_t)i])
            put(e, "    const double %s = time[%d];\n", time_names[i], i);
    for (uint32_t i = 0; i < p->input_count; i++)
        put(e, "    const double u%u = inputs[%u];\n", p->inputs[i], p->inputs[i]);
}

static void declare_targets(emission *e, const segment *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        put(e, "%s%s%s", i % 12 ? ", " : "    double ", name_of(e, t->code[i].target).text,
            i % 12 == 11 || i + 1 == t->count ? ";\n" : "");
}

/* Every pivot is more than this part of what it is made of. */
static void put_checks(emission *e, const program_phase *f, const char *part)
{
    if (!f->check_count) put(e, "1");
    for (uint32_t i = 0; i < f->check_count; i++)
        put(e, "%s(taut_math_fabs(%s) > %s * taut_math_fabs(%s))", i ? " & " : "",
            name_of(e, f->checks[i].pivot).text, part, name_of(e, f->checks[i].reference).text);
}

static void put_matrix(emission *e, const program_phase *f, const char *indent)
{
    put_segment(e, &f->factor, indent, !f->iteration.always);
    put(e, "%sif (!(", indent);
    put_checks(e, f, "PIVOT_LEAST");
    put(e, ")) return 1;\n");
    if (f->iteration.linear) {
        put(e, "%ssure = ", indent);
        put_checks(e, f, "PIVOT_SURE");
        put(e, ";\n");
    }
    put(e, "%scounts[1]++;\n", indent);
}

static void put_correction(emission *e, const program_phase *f)
{
    put(e, "        double size = 0;\n");
    for (uint32_t i = 0; i < f->size; i++) {
        operand u = name_of(e, f->unknowns[i]), d = name_of(e, f->changes[i]), w = name_of(e, f->weights[i]);
        put(e, "        %s -= %s;\n        size = taut_most(size, %s * %s);\n", u.text, d.text, w.text, d.text);
    }
}

static void put_iteration(emission *e, const program_phase *f, int index)
{
    const iteration *i = &f->iteration;
    put(e, "    static const iteration phase%d = { %d, %d, %d, %a, %a, %a };\n", index, i->linear, i->always,
        i->skip_first, i->enough, i->rest, i->epsilon);
    if (!i->always) declare_targets(e, &f->factor);
    put(e, "    for (int round = 0, factor = 1, sure = 0, verdict = 0; verdict != ITERATION_ENDED; round++) {\n");
    put(e, "        if (round == ITERATIONS_MOST) return 1;\n");
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
    put_correction(e, f);
    put(e, "        counts[0]++;\n");
    put(e, "        verdict = iteration_judge(&phase%d, round, size, before%d, factor, sure);\n", index, index);
    put(e, "        if (verdict == ITERATION_HOPELESS) return 1;\n");
    put(e, "        factor = verdict == ITERATION_NEEDS_MATRIX;\n        before%d = size;\n    }\n", index);
}

static void put_phase(emission *e, const program_phase *f, int index)
{
    put(e, "\n    /* %s */\n", f->what);
    put_segment(e, &f->begin, "    ", 0);
    if (!f->size) return;
    for (uint32_t i = 0; i < f->size; i++)
        put(e, "    double %s = %s;\n", name_of(e, f->unknowns[i]).text, name_of(e, f->guesses[i]).text);
    put(e, "    double before%d = 0;\n", index);
    put_iteration(e, f, index);
}

static void put_results(emission *e)
{
    const program *p = e->p;
    uint32_t n = p->s->n, c = p->s->c;
    put(e, "\n    /* the new state */\n");
    put_segment(e, &p->results, "    ", 0);
    put(e, "    double finite = 0;\n");
    for (uint32_t i = 0; i < n; i++)
        put(e, "    finite += 0 * %s + 0 * %s;\n", name_of(e, p->move[i]).text, name_of(e, p->push[i]).text);
    put(e, "    if (!(finite == 0)) return 1;\n");
    for (uint32_t i = 0; i < n; i++)
        put(e, "    taut_add(&x[%u], &x[%u], %s);\n", i, 3 * n + i, name_of(e, p->move[i]).text);
    for (uint32_t i = 0; i < n; i++) {
        operand push = name_of(e, p->push[i]);
        if (p->sets_momentum)
            put(e, "    x[%u] = %s, x[%u] = 0;\n", n + i, push.text, 4 * n + i);
        else
            put(e, "    taut_add(&x[%u], &x[%u], %s);\n", n + i, 4 * n + i, push.text);
        if (p->w)
            put(e, "    x[%u] = %s;\n", 2 * n + i, name_of(e, p->w[i]).text);
        else
            put(e, "    x[%u] = x[%u];\n", 2 * n + i, n + i);
    }
    for (uint32_t k = 0; p->lambda && k < c; k++)
        put(e, "    x[%u] = %s;\n", 5 * n + k, name_of(e, p->lambda[k]).text);
    if (p->has_work) put(e, "    taut_add(&x[%u], &x[%u], %s);\n", 5 * n + c + 1, 5 * n + c + 2, name_of(e, p->work).text);
    for (uint32_t k = 0; p->reported && k < c; k++)
        put(e, "    reported[%u] = %s;\n", k, name_of(e, p->reported[k]).text);
    put(e, "    return 0;\n}\n");
}

static const char prelude[] =
    "\n/* The larger of most and |x|; a NaN wins. */\n"
    "static inline double taut_most(double most, double x)\n"
    "{\n"
    "    const double size = taut_math_fabs(x);\n"
    "    return size > most || size != size ? size : most;\n"
    "}\n\n"
    "/* x + d, with what rounding leaves over. */\n"
    "static inline void taut_add(double *x, double *low, double d)\n"
    "{\n"
    "    const double y = d + *low, sum = *x + y;\n"
    "    *low = y - (sum - *x);\n"
    "    *x = sum;\n"
    "}\n\n";

/* ---- elementary functions ---- */

static void mark_functions(const segment *t, unsigned char *used)
{
    for (uint32_t i = 0; i < t->count; i++) used[t->code[i].op] = 1;
}

/* The sections of base/elementary.h that the instructions need. */
static void put_functions(emission *e)
{
    static const op all[] = { OP_POW, OP_CBRT, OP_EXP, OP_LOG, OP_SIN, OP_COS, OP_TAN, OP_ASIN, OP_ACOS, OP_ATAN, OP_ATAN2,
                              OP_SINH, OP_COSH, OP_TANH, OP_SINC, OP_SINHC, OP_ATANC, OP_ATANHC };
    const program *p = e->p;
    unsigned char used[PROGRAM_OPERATIONS] = { 0 };
    const char *names[OP_COUNT];
    size_t count = 0;
    mark_functions(&p->setup, used), mark_functions(&p->results, used);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        mark_functions(&f->begin, used), mark_functions(&f->residual, used);
        mark_functions(&f->factor, used), mark_functions(&f->solve, used);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (used[all[i]]) names[count++] = all[i] == OP_POW ? "pow" : taut_op_name(all[i]);
    if (used[OP_POWI]) names[count++] = "powi";
    size_t length = taut_elementary_text(names, count, NULL, 0);
    char *text = length == TAUT_ELEMENTARY_UNKNOWN ? NULL : taut_mem_new(p->context, length + 1, 1);
    if (!text) {
        e->failed = 1;
        return;
    }
    taut_elementary_text(names, count, text, length + 1);
    put_text(e, text, length);
    taut_mem_free(p->context, text);
}

static uint32_t instruction_count(const program *p)
{
    uint32_t count = p->setup.count + p->results.count;
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        count += f->begin.count + f->residual.count + f->factor.count + f->solve.count;
    }
    return count;
}

static void put_function(emission *e, const char *name)
{
    static const char arguments[] = "(int first, const double *k, double *restrict s, double *restrict x, const double *time,\n"
                                    "    const double *inputs, double *reported, long *counts)";
    const program *p = e->p;
    put(e, "int %s%s;\n", name, arguments);
    put(e, "int %s%s\n{\n    (void)k, (void)inputs, (void)reported;\n", name, arguments);
    put_setup(e);
    put_state(e);
    for (int k = 0; k < p->phase_count; k++) put_phase(e, &p->phases[k], k);
    put_results(e);
}

int X(program_emit)(const program *p, const char *name, char **text, size_t *length)
{
    emission e;
    *text = NULL;
    *length = 0;
    if (instruction_count(p) > INSTRUCTIONS_MOST) return TAUT_OK;
    int status = begin(&e, p);
    if (!status) {
        number_setup(&e);
        put_functions(&e);
        put_text(&e, (const char *)taut_iteration_text, taut_iteration_text_size);
        put_text(&e, prelude, sizeof prelude - 1);
        put_function(&e, name);
        status = e.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
    }
    end(&e);
    if (status)
        taut_mem_free(p->context, e.text);
    else
        *text = e.text, *length = e.length;
    return status;
}
