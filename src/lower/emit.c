#include "lower/emit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lower/pieces.h"
#include "lower/symbols.h"

/* Up to this length the function is one: values stay in registers where they can, and compilers are fast enough. */
enum { WHOLE_MOST = 500 };

/* What is known of a register. */
enum { IS_READ = 1, IS_TRUTH = 2, CHANGES = 4, GOES_OUT = 8, STANDS = 16 };

enum { NESTED_MOST = 4 };     /* loops and conditions in each other */

typedef struct {
    const program *p;
    const step_flow *f;
    builder *out;
    int single;               /* numbers are floats */
    int fixed;                /* what the system gives are literals: the caller has the constants alone */
    uint32_t *setup;          /* number of a register among the values of setup; UINT32_MAX: not one of them */
    unsigned char *facts;     /* CHANGES: it has several values; GOES_OUT: it is read outside of the block that it is
                                 computed in first; STANDS: it is declared */
    uint32_t *block;          /* 1 + where it is computed first */
    uint32_t open[NESTED_MOST], depth, blocks; /* while a flow is gone through: blocks that are open; how many there were */
    const char *name;         /* of the function */
    pieces pieces;            /* slot NULL: the function is one */
    uint32_t piece;           /* that comes next */
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

/* What is handed out, and literals of the flow. */
static void name_of_outside(const emission *e, uint32_t r, operand *o)
{
    const step_flow *f = e->f;
    if (r < f->count_first)
        snprintf(o->text, sizeof o->text, "reported[%u]", r - f->report_first);
    else if (r < f->literal_first)
        snprintf(o->text, sizeof o->text, "counts[%u]", r - f->count_first);
    else
        X(emit_number)((double)f->literals[r - f->literal_first], e->single, o->text, sizeof o->text);
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
    else if (r >= e->f->report_first && r < e->f->value_first)
        name_of_outside(e, r, &o);
    else if (r >= p->literal_first && r < p->register_count)
        X(emit_number)((double)p->literals[r - p->literal_first], e->single, o.text, sizeof o.text);
    else if (e->setup[r] != UINT32_MAX)
        snprintf(o.text, sizeof o.text, cut ? "s[%u]" : "s%u", e->setup[r]);
    else
        snprintf(o.text, sizeof o.text, "v%u", r);
    return o;
}

/* A truth; in the array truths are numbers. */
static operand truth_of(const emission *e, uint32_t r)
{
    const operand name = name_of(e, r);
    operand o = name;
    if (r >= e->f->literal_first && r < e->f->value_first)
        snprintf(o.text, sizeof o.text, "%d", e->f->literals[r - e->f->literal_first] != 0);
    else if (e->pieces.slot && e->pieces.slot[r] != PIECE_INSIDE)
        snprintf(o.text, sizeof o.text, "(%.30s != 0)", name.text);
    return o;
}

/* Where a value goes: the new state, not what was read of the old one. */
static operand target_of(const emission *e, uint32_t r)
{
    operand o = name_of(e, r);
    if (r >= e->p->state_first && r < e->p->state_first + e->p->state_count)
        snprintf(o.text, sizeof o.text, "x[%u]", r - e->p->state_first);
    return o;
}

/* ---- which registers are read, and where ---- */

static void begin_walk(emission *e)
{
    e->depth = e->blocks = 0;
    e->open[0] = e->blocks++;
}

/* A block begins or ends here. */
static void walk(emission *e, uint32_t o)
{
    if (o == FLOW_LOOP || o == FLOW_IF) e->open[++e->depth] = e->blocks++;
    if (o == FLOW_REPEAT || o == FLOW_FI) e->depth--;
}

static int is_open(const emission *e, uint32_t block)
{
    for (uint32_t i = 0; i <= e->depth; i++)
        if (e->open[i] == block) return 1;
    return 0;
}

static void look_at(emission *e, const program_instruction *c)
{
    uint32_t read[3];
    for (int k = X(step_flow_operands)(c, read); k-- > 0;) {
        e->facts[read[k]] |= IS_READ;
        if (e->block[read[k]] && !is_open(e, e->block[read[k]] - 1)) e->facts[read[k]] |= GOES_OUT;
    }
    if (!flow_has_target(c)) return;
    unsigned char *facts = &e->facts[c->target];
    if ((c->op >= FLOW_BELOW && c->op <= FLOW_NOT) || (c->op == PROGRAM_MOVE && e->facts[c->a] & IS_TRUTH))
        *facts |= IS_TRUTH;
    if (e->block[c->target]) {
        *facts |= CHANGES;
        if (!is_open(e, e->block[c->target] - 1)) *facts |= GOES_OUT;
    } else {
        e->block[c->target] = e->open[e->depth] + 1;
    }
}

static void look_at_flow(emission *e)
{
    begin_walk(e);
    for (uint32_t i = 0; i < e->f->count; i++) {
        walk(e, e->f->code[i].op);
        look_at(e, &e->f->code[i]);
    }
}

/* Numbers the values of setup that steps read; all of them, where setup is several functions. */
static uint32_t number_setup(emission *e)
{
    const segment *t = &e->p->setup;
    uint32_t count = 0;
    for (uint32_t r = 0; r < e->f->register_count; r++) e->setup[r] = UINT32_MAX;
    for (uint32_t i = 0; i < t->count; i++)
        if (e->pieces.slot || e->facts[t->code[i].target] & IS_READ) e->setup[t->code[i].target] = count++;
    return count;
}

static int begin(emission *e, const program *p, const step_flow *f)
{
    *e = (emission){ .p = p, .f = f };
    e->setup = taut_mem_new(p->context, 2 * (size_t)f->register_count, sizeof *e->setup);
    e->facts = taut_mem_new(p->context, f->register_count, 1);
    if (!e->setup || !e->facts) return TAUT_OUT_OF_MEMORY;
    e->block = e->setup + f->register_count;
    look_at_flow(e);
    return X(program_length)(p) <= WHOLE_MOST ? TAUT_OK : X(pieces_create)(p, f, &e->pieces);
}

static void end(emission *e)
{
    X(pieces_clear)(e->p, &e->pieces);
    taut_mem_free(e->p->context, e->setup);
    taut_mem_free(e->p->context, e->facts);
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
    const operand a = name_of(e, c->a);
    if (c->op == PROGRAM_MOVE && e->facts[c->target] & IS_TRUTH) {
        put(e, "%s", truth_of(e, c->a).text);
        return;
    }
    if (c->op == PROGRAM_MOVE) {
        put(e, "%s", a.text);
        return;
    }
    const operand b = name_of(e, c->b), d = name_of(e, c->c);
    put(e, "%sfma(%s%s, %s, %s%s)", e->single ? "taut_float_" : "taut_math_",
        c->op == PROGRAM_SUBTRACT_PRODUCT ? "-" : "", a.text, b.text, c->op == PROGRAM_MULTIPLY_SUBTRACT ? "-" : "",
        d.text);
}

/* Verdicts. */
static void put_verdict(emission *e, const program_instruction *c)
{
    uint32_t read[3];
    operand o[3];
    const int of_truths = c->op == FLOW_BOTH || c->op == FLOW_EITHER || c->op == FLOW_NOT;
    for (int k = X(step_flow_operands)(c, read); k-- > 0;)
        o[k] = of_truths || (c->op == FLOW_CHOSEN && k == 0) ? truth_of(e, read[k]) : name_of(e, read[k]);
    switch (c->op) {
    case FLOW_MOST: put(e, "taut_most(%s, %s)", o[0].text, o[1].text); break;
    case FLOW_BELOW: put(e, "%s < %s", o[0].text, o[1].text); break;
    case FLOW_AT_MOST: put(e, "%s <= %s", o[0].text, o[1].text); break;
    case FLOW_IS_NUMBER: put(e, "%s - %s == 0", o[0].text, o[0].text); break;
    case FLOW_EXCEEDS: put(e, "taut_exceeds(%s, %s, %s)", o[0].text, o[1].text, o[2].text); break;
    case FLOW_BOTH: put(e, "%s & %s", o[0].text, o[1].text); break;
    case FLOW_EITHER: put(e, "%s | %s", o[0].text, o[1].text); break;
    case FLOW_NOT: put(e, "!%s", o[0].text); break;
    case FLOW_CHOSEN: put(e, "%s ? %s : %s", o[0].text, o[1].text, o[2].text); break;
    }
}

static void put_value(emission *e, const program_instruction *c)
{
    operand a = name_of(e, c->a), b = { "" };
    if (c->op >= FLOW_MOST) {
        put_verdict(e, c);
        return;
    }
    if (c->op >= OP_COUNT) {
        put_own(e, c);
        return;
    }
    if (!op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2) b = name_of(e, c->b);
    X(emit_operation)(e->out, (op)c->op, a.text, b.text, (int32_t)c->b, e->single);
}

/* Has the target a place already: in an array, or declared before? */
static int stands(const emission *e, const program_instruction *c)
{
    const program *p = e->p;
    const uint32_t r = c->target;
    return (r >= p->state_first && r < p->state_first + p->state_count) ||
           (r >= e->f->report_first && r < e->f->literal_first) || e->facts[r] & STANDS ||
           (e->pieces.slot && (e->pieces.slot[r] != PIECE_INSIDE || e->setup[r] != UINT32_MAX));
}

static const char *type_of(const emission *e, uint32_t r) { return e->facts[r] & IS_TRUTH ? "int" : "number"; }

static void put_instruction(emission *e, const program_instruction *c, const char *indent)
{
    put(e, "%s", indent);
    if (!stands(e, c)) {
        put(e, "%s%s ", e->facts[c->target] & CHANGES ? "" : "const ", type_of(e, c->target));
        e->facts[c->target] |= STANDS;
    }
    /* in the array truths are numbers */
    const int is_number = e->facts[c->target] & IS_TRUTH && e->pieces.slot && e->pieces.slot[c->target] != PIECE_INSIDE;
    put(e, is_number ? "%s = (number)(" : "%s = ", target_of(e, c->target).text);
    put_value(e, c);
    put(e, is_number ? ");\n" : ";\n");
}

/* ---- pieces ---- */

/* The functions of a stretch without exits; name: of all of them. */
static void put_pieces(emission *e, const program_instruction *code, uint32_t count, const char *name, int is_setup)
{
    for (uint32_t first = 0; first < count; first += PIECE_LENGTH) {
        put(e, "TAUT_PIECE %s_%s%u(const number *restrict k, %snumber *restrict s, const number *restrict x,\n"
               "    const number *restrict time, number *restrict v)\n{\n"
               "    (void)k, (void)s, (void)x, (void)time, (void)v;\n",
            e->name, name, ++e->piece, is_setup ? "" : "const ");
        for (uint32_t i = first; i < count && i < first + PIECE_LENGTH; i++) put_instruction(e, &code[i], "    ");
        put(e, "}\n\n");
    }
}

static void put_calls(emission *e, uint32_t count, const char *name, const char *indent)
{
    for (uint32_t first = 0; first < count; first += PIECE_LENGTH)
        put(e, "%s%s_%s%u(k, s, x, time, v);\n", indent, e->name, name, ++e->piece);
}

/* How many instructions are in pieces from here on. */
static uint32_t stretch(const emission *e, uint32_t from)
{
    uint32_t count = 0;
    while (from + count < e->f->count && !X(pieces_stand_around)(e->p, e->f, &e->f->code[from + count])) count++;
    return count;
}

static void put_all_pieces(emission *e)
{
    const step_flow *f = e->f;
    if (!e->pieces.slot) return;
    put_pieces(e, e->p->setup.code, e->p->setup.count, "setup", 1);
    e->piece = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t count = stretch(e, i);
        put_pieces(e, f->code + i, count, "part", 0);
        i += count;
    }
    e->piece = 0;
}

/* ---- the parts of the function ---- */

static void put_setup(emission *e)
{
    const program *p = e->p;
    const segment *t = &p->setup;
    if (e->pieces.slot) {
        put(e, "    number v[%u];\n    if (first) {\n", e->pieces.count + 1);
        put_calls(e, t->count, "setup", "        ");
        put(e, "    }\n");
        e->piece = 0;
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
        if (!(e->facts[p->state_first + i] & IS_READ)) continue;
        describe_state(e, i, what, sizeof what);
        if (e->pieces.slot)
            put(e, "    /* x[%u]: %s */\n", i, what);
        else
            put(e, "    const number x%u = x[%u]; /* %s */\n", i, i, what);
    }
    for (int i = 0; !e->pieces.slot && i < STATE_LEAVES; i++)
        if (e->facts[p->state_first + p->state_count + (uint32_t)i] & IS_READ)
            put(e, "    const number %s = time[%d];\n", time_names[i], i);
    for (uint32_t i = 0; i < p->input_count; i++)
        put(e, e->pieces.slot ? "    v[%u] = inputs[%u];\n" : "    const number u%u = inputs[%u];\n", p->inputs[i],
            p->inputs[i]);
}

/* What is computed in a loop, or in a condition in it, and read outside of that. */
static void declare_for_loop(emission *e, uint32_t from, const char *indent)
{
    const step_flow *f = e->f;
    for (uint32_t i = from; f->code[i].op != FLOW_REPEAT; i++) {
        const program_instruction *c = &f->code[i];
        if (!flow_has_target(c) || !(e->facts[c->target] & GOES_OUT) || stands(e, c)) continue;
        put(e, "%s%s %s = 0;\n", indent, type_of(e, c->target), name_of(e, c->target).text);
        e->facts[c->target] |= STANDS;
    }
}

/* What stands around pieces: an exit, a counter, or a number that is handed out. */
static void put_exit(emission *e, const program_instruction *c, const char *indent)
{
    const operand truth = truth_of(e, c->a);
    switch (c->op) {
    case FLOW_LEAVE: put(e, "%sif (!%s) return %u;\n", indent, truth.text, c->c); break;
    case FLOW_NEXT: put(e, strcmp(truth.text, "1") ? "%sif (%s) break;\n" : "%sbreak;\n", indent, truth.text); break;
    case FLOW_LOOP: put(e, "%sfor (;;) {\n", indent); break;
    case FLOW_IF: put(e, "%sif (%s) {\n", indent, truth.text); break;
    case FLOW_REPEAT: case FLOW_FI: put(e, "%s}\n", indent); break;
    case FLOW_COUNT: put(e, "%s%s++;\n", indent, name_of(e, c->target).text); break;
    case PROGRAM_END: put(e, "%sreturn 0;\n", indent); break;
    default: put_instruction(e, c, indent); break;
    }
}

static void put_notes(emission *e, uint32_t at, uint32_t *next)
{
    for (; *next < e->f->note_count && e->f->notes[*next].at <= at; ++*next)
        put(e, "\n    /* %s */\n", e->f->notes[*next].what);
}

static void put_flow(emission *e)
{
    static const char indents[] = "                    ";
    const step_flow *f = e->f;
    uint32_t next_note = 0;
    begin_walk(e);
    for (uint32_t i = 0; i < f->count; i++) {
        const char *indent = indents + sizeof indents - 1 - 4 * (e->depth + 1);
        put_notes(e, i, &next_note);
        const uint32_t count = e->pieces.slot ? stretch(e, i) : 0;
        put_calls(e, count, "part", indent);
        i += count;
        const program_instruction *c = &f->code[i];
        if (c->op == FLOW_LOOP && !e->depth) declare_for_loop(e, i, indent);
        if (c->op == FLOW_REPEAT || c->op == FLOW_FI) indent += 4;
        put_exit(e, c, indent);
        walk(e, c->op);
    }
    put(e, "}\n");
}

static void put_function(emission *e, const char *name, int is_static)
{
    static const char arguments[] =
        "(int first, const number *k, number *restrict s, number *restrict x, const number *time,\n"
        "    const number *inputs, number *reported, long *counts)";
    e->name = name;
    put_all_pieces(e);
    if (!is_static) put(e, "int %s%s;\n", name, arguments);
    put(e, "%sint %s%s\n{\n", is_static ? "static " : "", name, arguments);
    put(e, "    (void)k, (void)s, (void)inputs, (void)reported, (void)counts;\n");
    put_setup(e);
    put_state(e);
    put_flow(e);
}

int X(program_emit_function)(const program *p, const char *name, int is_static, int single, int fixed,
                             uint32_t *setup_count, builder *out)
{
    emission e;
    step_flow of_floats = { 0 };
    int status = single ? X(step_flow_create)(p, 1, &of_floats) : TAUT_OK;
    if (status) return status;
    status = begin(&e, p, single ? &of_floats : &p->flow);
    e.out = out;
    e.single = single;
    e.fixed = fixed;
    if (!status) {
        *setup_count = number_setup(&e);
        put_function(&e, name, is_static);
        status = out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
    }
    end(&e);
    X(step_flow_clear)(p->context, &of_floats);
    return status;
}

int X(program_emit)(const program *p, const char *name, char **text, size_t *length)
{
    builder out = { .context = p->context };
    emit_functions used = { .fuses = 0 };
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
