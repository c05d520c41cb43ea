#include "lower/wasm.h"

#ifndef TAUT_REAL_QUAD
#include <string.h>

/* Instructions and types. A number is a local variable of the function, which the engine puts into registers. */
enum {
    BLOCK = 0x02, LOOP = 0x03, IF = 0x04, END = 0x0b, BRANCH = 0x0c, BRANCH_IF = 0x0d, RETURN = 0x0f, CALL = 0x10,
    SELECT = 0x1b, GET = 0x20, SET = 0x21, TEE = 0x22, LOAD = 0x2b, STORE = 0x39,
    WHOLE = 0x41, LONG = 0x42, NUMBER = 0x44, /* literals */
    IS_NOT = 0x45, LONG_IS_ZERO = 0x50, EQUAL = 0x61, DIFFERS = 0x62, BELOW = 0x63, ABOVE = 0x64, AT_MOST = 0x65,
    AT_LEAST = 0x66, BOTH = 0x71, EITHER = 0x72,
    LONG_ADD = 0x7c, LONG_SUB = 0x7d, LONG_AND = 0x83, LONG_XOR = 0x85, LONG_LEFT = 0x86, LONG_RIGHT = 0x88,
    SIZE = 0x99, NEGATE = 0x9a, ROOT = 0x9f, ADD = 0xa0, SUBTRACT = 0xa1, MULTIPLY = 0xa2, DIVIDE = 0xa3,
    FROM_TRUTH = 0xb8, BITS = 0xbd, FROM_BITS = 0xbf
};
enum { TYPE_WHOLE = 0x7f, TYPE_LONG = 0x7e, TYPE_NUMBER = 0x7c, TYPE_NOTHING = 0x40, TYPE_FUNCTION = 0x60 };

/* Types of functions. */
enum { TYPE_STEP, TYPE_UNARY, TYPE_BINARY, TYPE_NUMBERED, TYPE_FMA };
/* Arguments of steps. */
enum { REGISTERS, STATE, ARGUMENTS };

enum { NO_LOCAL = 0 };

typedef struct {
    const program *p;
    builder *out;             /* of the module */
    builder code;             /* of the function that is being written */
    uint32_t functions[OP_COUNT]; /* index of what is imported for the operation; UINT32_MAX: none */
    uint32_t import_count;
    int fuses;
    uint32_t *locals;         /* of a value: its variable, or NO_LOCAL */
    uint32_t local_count, scratch;
    int stores_all;           /* every result goes to memory, too */
} writing;

/* ---- bytes ---- */

static void put(builder *b, unsigned byte) { taut_builder_add(b, (const char[]){ (char)byte }, 1); }

/* LEB128. */
static void put_count(builder *b, uint64_t x)
{
    for (; x > 0x7f; x >>= 7) put(b, (unsigned)(x & 0x7f) | 0x80);
    put(b, (unsigned)x);
}

static void put_signed(builder *b, int64_t x)
{
    for (; x < -64 || x > 63; x = x < 0 ? ~(~x >> 7) : x >> 7) put(b, (unsigned)(x & 0x7f) | 0x80);
    put(b, (unsigned)(x & 0x7f));
}

static void put_number(builder *b, double x)
{
    char bytes[sizeof x]; /* the lowest first, as on all machines of this library */
    memcpy(bytes, &x, sizeof x);
    put(b, NUMBER);
    taut_builder_add(b, bytes, sizeof bytes);
}

static void put_name(builder *b, const char *name)
{
    put_count(b, strlen(name));
    taut_builder_add(b, name, strlen(name));
}

/* What was collected. */
static void put_all(builder *b, builder *content)
{
    if (content->text) taut_builder_add(b, content->text, content->length);
    b->failed |= content->failed;
    taut_builder_clear(content);
}

/* The same with its length before it. */
static void put_with_length(builder *b, builder *content)
{
    put_count(b, content->length);
    put_all(b, content);
}

static void put_section(writing *w, unsigned id, builder *content)
{
    put(w->out, id);
    put_with_length(w->out, content);
}

/* ---- numbers ---- */

static int is_of_state(const program *p, uint32_t value)
{
    return value >= p->state_first && value < p->state_first + p->state_count;
}

static void put_address(writing *w, uint32_t value)
{
    put(&w->code, GET), put_count(&w->code, is_of_state(w->p, value) ? STATE : REGISTERS);
}

static void put_offset(writing *w, unsigned operation, uint32_t value)
{
    const uint32_t at = is_of_state(w->p, value) ? value - w->p->state_first : value;
    put(&w->code, operation), put_count(&w->code, 3); /* aligned to 2^3 */
    put_count(&w->code, (uint64_t)at * sizeof(double));
}

static void get(writing *w, uint32_t value) { put(&w->code, GET), put_count(&w->code, w->locals[value]); }

/* What the caller reads. */
static int goes_to_memory(const writing *w, uint32_t value)
{
    const step_flow *f = &w->p->flow;
    return w->stores_all || is_of_state(w->p, value) ||
           (value >= f->report_first && value < f->report_first + f->report_count) ||
           (value >= f->count_first && value < f->count_first + FLOW_COUNTS);
}

/* The result is on the stack. */
static void set(writing *w, uint32_t value)
{
    put(&w->code, SET), put_count(&w->code, w->locals[value]);
    if (!goes_to_memory(w, value)) return;
    put_address(w, value);
    get(w, value);
    put_offset(w, STORE, value);
}

static void add_local(writing *w, uint32_t value)
{
    if (w->locals[value] == NO_LOCAL) w->locals[value] = ARGUMENTS + w->local_count++;
}

static void add_loaded(writing *w, uint32_t value)
{
    if (w->locals[value] != NO_LOCAL) return;
    add_local(w, value);
    put_address(w, value), put_offset(w, LOAD, value);
    put(&w->code, SET), put_count(&w->code, w->locals[value]);
}

/* A variable for each number, and a last one. Those that are read before they are computed, or only computed where the
   flow may not go, are loaded first. */
static void put_locals(writing *w, const program_instruction *code, uint32_t count)
{
    const program *p = w->p;
    memset(w->locals, 0, ((size_t)p->flow.register_count + PROGRAM_WORK) * sizeof *w->locals);
    w->local_count = 0;
    int depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        const program_instruction *c = &code[i];
        uint32_t read[3];
        const int reads = X(step_flow_operands)(c, read);
        for (int k = 0; k < reads; k++) add_loaded(w, read[k]);
        if (flow_has_target(c)) (c->op == FLOW_COUNT || depth ? add_loaded : add_local)(w, c->target);
        depth += c->op == FLOW_LOOP || c->op == FLOW_IF;
        depth -= c->op == FLOW_REPEAT || c->op == FLOW_FI;
    }
    w->scratch = ARGUMENTS + w->local_count++;
    builder whole = { .context = w->p->context };
    put_count(&whole, 1), put_count(&whole, w->local_count), put(&whole, TYPE_NUMBER);
    put_all(&whole, &w->code);
    w->code = whole;
}

/* ---- instructions ---- */

static void put_operation(writing *w, unsigned operation, uint32_t a, uint32_t b)
{
    get(w, a), get(w, b), put(&w->code, operation);
}

/* a a, or a a a. */
static int is_product(const program_instruction *c) { return c->op == OP_POWI && (c->b == 2 || c->b == 3); }

static void put_power(writing *w, const program_instruction *c)
{
    put_operation(w, MULTIPLY, c->a, c->a);
    if (c->b == 3) get(w, c->a), put(&w->code, MULTIPLY);
}

static void put_call(writing *w, const program_instruction *c)
{
    uint32_t read[3];
    const int reads = X(step_flow_operands)(c, read);
    for (int i = 0; i < reads; i++) get(w, read[i]);
    if (op_has_number((op)c->op)) put(&w->code, WHOLE), put_signed(&w->code, (int32_t)c->b);
    put(&w->code, CALL), put_count(&w->code, w->functions[c->op]);
}

static void put_fused(writing *w, const program_instruction *c)
{
    get(w, c->a);
    if (c->op == PROGRAM_SUBTRACT_PRODUCT) put(&w->code, NEGATE);
    get(w, c->b), get(w, c->c);
    if (c->op == PROGRAM_MULTIPLY_SUBTRACT) put(&w->code, NEGATE);
    put(&w->code, CALL), put_count(&w->code, w->import_count); /* the first one of the module's own */
}

/* The larger one of a and |b|, or b where it is a NaN. */
static void put_most(writing *w, const program_instruction *c)
{
    get(w, c->b), put(&w->code, SIZE), put(&w->code, TEE), put_count(&w->code, w->scratch);
    get(w, c->a);
    put(&w->code, GET), put_count(&w->code, w->scratch), get(w, c->a), put(&w->code, ABOVE);
    put_operation(w, DIFFERS, c->b, c->b), put(&w->code, EITHER), put(&w->code, SELECT);
}

/* A truth of the flow as one of WebAssembly. */
static void put_truth(writing *w, unsigned comparison, uint32_t a)
{
    get(w, a), put_number(&w->code, 0), put(&w->code, comparison);
}

/* A truth of WebAssembly is on the stack: the function is left with `why` where it is 1. */
static void put_leave(writing *w, uint32_t why)
{
    put(&w->code, IF), put(&w->code, TYPE_NOTHING);
    put(&w->code, WHOLE), put_signed(&w->code, why), put(&w->code, RETURN), put(&w->code, END);
}

/* Of conditions since the loop began, in which this instruction is. */
static uint32_t conditions_around(const program_instruction *c)
{
    uint32_t open = 0, closed = 0, loops = 0;
    for (c--; c->op != FLOW_LOOP || loops; c--) {
        loops += (c->op == FLOW_REPEAT) - (c->op == FLOW_LOOP);
        if (c->op == FLOW_FI) closed++;
        if (c->op == FLOW_IF && closed)
            closed--;
        else if (c->op == FLOW_IF)
            open++;
    }
    return open;
}

static void put_exit(writing *w, const program_instruction *c)
{
    builder *b = &w->code;
    switch (c->op) {
    case FLOW_LEAVE: put_truth(w, EQUAL, c->a), put_leave(w, c->c); break;
    case FLOW_LEAVE_UNLESS_ABOVE: put_operation(w, ABOVE, c->a, c->b), put(b, IS_NOT), put_leave(w, c->c); break;
    case FLOW_LEAVE_UNLESS_LEAST: put_operation(w, AT_LEAST, c->a, c->b), put(b, IS_NOT), put_leave(w, c->c); break;
    case FLOW_NEXT: put_truth(w, DIFFERS, c->a), put(b, BRANCH_IF), put_count(b, conditions_around(c) + 1); break;
    case FLOW_LOOP: put(b, BLOCK), put(b, TYPE_NOTHING), put(b, LOOP), put(b, TYPE_NOTHING); break;
    case FLOW_REPEAT: put(b, BRANCH), put_count(b, 0), put(b, END), put(b, END); break;
    case FLOW_IF: put_truth(w, DIFFERS, c->a), put(b, IF), put(b, TYPE_NOTHING); break;
    case FLOW_FI: put(b, END); break;
    }
}

static void put_value(writing *w, const program_instruction *c)
{
    builder *b = &w->code;
    switch (c->op) {
    case PROGRAM_MOVE: get(w, c->a); break;
    case PROGRAM_MULTIPLY_ADD: case PROGRAM_MULTIPLY_SUBTRACT: case PROGRAM_SUBTRACT_PRODUCT: put_fused(w, c); break;
    case OP_ADD: put_operation(w, ADD, c->a, c->b); break;
    case OP_SUB: put_operation(w, SUBTRACT, c->a, c->b); break;
    case OP_MUL: put_operation(w, MULTIPLY, c->a, c->b); break;
    case OP_DIV: put_operation(w, DIVIDE, c->a, c->b); break;
    case OP_NEG: get(w, c->a), put(b, NEGATE); break;
    case OP_ABS: get(w, c->a), put(b, SIZE); break;
    case OP_SQRT: get(w, c->a), put(b, ROOT); break;
    case OP_MIN: get(w, c->a), get(w, c->b), put_operation(w, BELOW, c->a, c->b), put(b, SELECT); break;
    case OP_MAX: get(w, c->a), get(w, c->b), put_operation(w, ABOVE, c->a, c->b), put(b, SELECT); break;
    case OP_SIGN:
        put_truth(w, ABOVE, c->a), put(b, FROM_TRUTH), put_truth(w, BELOW, c->a), put(b, FROM_TRUTH), put(b, SUBTRACT);
        break;
    case FLOW_MOST: put_most(w, c); break;
    case FLOW_BELOW: put_operation(w, BELOW, c->a, c->b), put(b, FROM_TRUTH); break;
    case FLOW_AT_MOST: put_operation(w, AT_MOST, c->a, c->b), put(b, FROM_TRUTH); break;
    case FLOW_IS_NUMBER:
        put_operation(w, SUBTRACT, c->a, c->a), put_number(b, 0), put(b, EQUAL), put(b, FROM_TRUTH);
        break;
    case FLOW_EXCEEDS:
        get(w, c->a), put(b, SIZE), get(w, c->c), get(w, c->b), put(b, SIZE), put(b, MULTIPLY), put(b, ABOVE);
        put(b, FROM_TRUTH);
        break;
    case FLOW_BOTH: case FLOW_EITHER:
        put_truth(w, DIFFERS, c->a), put_truth(w, DIFFERS, c->b), put(b, c->op == FLOW_BOTH ? BOTH : EITHER);
        put(b, FROM_TRUTH);
        break;
    case FLOW_NOT: put_truth(w, EQUAL, c->a), put(b, FROM_TRUTH); break;
    case FLOW_CHOSEN: get(w, c->b), get(w, c->c), put_truth(w, DIFFERS, c->a), put(b, SELECT); break;
    case FLOW_COUNT: get(w, c->target), put_number(b, 1), put(b, ADD); break;
    default: (is_product(c) ? put_power : put_call)(w, c); break;
    }
}

/* ---- a function ---- */

static void put_function(writing *w, const program_instruction *code, uint32_t count, builder *bodies)
{
    put_locals(w, code, count);
    for (uint32_t i = 0; i < count && code[i].op != PROGRAM_END; i++) {
        if (flow_has_target(&code[i]))
            put_value(w, &code[i]), set(w, code[i].target);
        else
            put_exit(w, &code[i]);
    }
    put(&w->code, WHOLE), put_signed(&w->code, FLOW_DONE), put(&w->code, END);
    put_with_length(bodies, &w->code);
}

/* taut_math_fma_parts of base/elementary.h: a, b and c are the arguments. */
static void put_fma(builder *bodies)
{
#define HALF(x) GET, x, BITS, LONG, 0x80, 0x80, 0x80, 0x20, LONG_ADD, LONG, 0x80, 0x80, 0x80, 0x40, LONG_AND, FROM_BITS
#define POWER(exponent) NUMBER, 0, 0, 0, 0, 0, 0, (((exponent) + 1023) & 15) << 4, ((exponent) + 1023) >> 4
    enum { A, B, C, P, A1, A2, B1, B2, LOW, SUM, REST, LEFT, OTHER, LOST, LEFT_BITS };
    static const unsigned char body[] = {
        2, 11, TYPE_NUMBER, 1, TYPE_LONG, /* variables from P on */
        GET, A, GET, B, MULTIPLY, SET, P,
        HALF(A), SET, A1, GET, A, GET, A1, SUBTRACT, SET, A2,
        HALF(B), SET, B1, GET, B, GET, B1, SUBTRACT, SET, B2,
        /* low = a2 b2 - ((p - a1 b1) - (a1 b2 + a2 b1)) */
        GET, A2, GET, B2, MULTIPLY, GET, P, GET, A1, GET, B1, MULTIPLY, SUBTRACT, GET, A1, GET, B2, MULTIPLY, GET, A2,
        GET, B1, MULTIPLY, ADD, SUBTRACT, SUBTRACT, SET, LOW,
        /* sum = p + c, other = sum - p, rest = (p - (sum - other)) + (c - other), left = rest + low */
        GET, P, GET, C, ADD, TEE, SUM, GET, P, SUBTRACT, SET, OTHER,
        GET, P, GET, SUM, GET, OTHER, SUBTRACT, SUBTRACT, GET, C, GET, OTHER, SUBTRACT, ADD, TEE, REST,
        GET, LOW, ADD, TEE, LEFT,
        BITS, TEE, LEFT_BITS, LONG, 16, LONG_LEFT, LONG_IS_ZERO, IF, TYPE_NOTHING,
        /* other = left - rest, lost = (rest - (left - other)) + (low - other) */
        GET, LEFT, GET, REST, SUBTRACT, SET, OTHER,
        GET, REST, GET, LEFT, GET, OTHER, SUBTRACT, SUBTRACT, GET, LOW, GET, OTHER, SUBTRACT, ADD, TEE, LOST,
        POWER(-1023), DIFFERS, IF, TYPE_NOTHING,
        GET, LEFT_BITS, LONG, 1, LONG_ADD, GET, LEFT_BITS, GET, LOST, BITS, LONG_XOR, LONG, 63, LONG_RIGHT, LONG, 1,
        LONG_LEFT, LONG_SUB, FROM_BITS, SET, LEFT, END, END,
        /* the result, where 2^-960 <= |p| < 2^960 and it is below 2^1000 itself */
        GET, SUM, GET, LEFT, ADD, SET, LEFT,
        GET, P, SIZE, POWER(-960), AT_LEAST, GET, P, SIZE, POWER(960), BELOW, BOTH, GET, LEFT, SIZE, POWER(1000), BELOW,
        BOTH, IF, TYPE_NOTHING, GET, LEFT, RETURN, END,
        /* frequent, too: a product that is exactly 0 */
        GET, A, POWER(-1023), EQUAL, GET, B, POWER(-1023), EQUAL, EITHER, IF, TYPE_NOTHING,
        GET, P, GET, C, ADD, RETURN, END,
        GET, A, GET, B, GET, C, CALL, 0, END /* imported first */
    };
    put_count(bodies, sizeof body);
    taut_builder_add(bodies, (const char *)body, sizeof body);
}

/* ---- the module ---- */

static void put_types(writing *w)
{
    static const unsigned char types[] = {
        5,
        TYPE_FUNCTION, 2, TYPE_WHOLE, TYPE_WHOLE, 1, TYPE_WHOLE,
        TYPE_FUNCTION, 1, TYPE_NUMBER, 1, TYPE_NUMBER,
        TYPE_FUNCTION, 2, TYPE_NUMBER, TYPE_NUMBER, 1, TYPE_NUMBER,
        TYPE_FUNCTION, 2, TYPE_NUMBER, TYPE_WHOLE, 1, TYPE_NUMBER,
        TYPE_FUNCTION, 3, TYPE_NUMBER, TYPE_NUMBER, TYPE_NUMBER, 1, TYPE_NUMBER
    };
    builder all = { .context = w->p->context };
    taut_builder_add(&all, (const char *)types, sizeof types);
    put_section(w, 1, &all);
}

static int is_call(const program_instruction *c)
{
    switch (c->op) {
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: case OP_NEG: case OP_ABS: case OP_SQRT: case OP_MIN:
    case OP_MAX: case OP_SIGN: return 0;
    default: return c->op < OP_COUNT && !is_product(c);
    }
}

static void put_import(builder *b, const char *name, unsigned type)
{
    put_name(b, "taut"), put_name(b, name), put(b, 0), put_count(b, type);
}

static void mark_calls(const program_instruction *code, uint32_t count, unsigned char *used, int *fuses)
{
    for (uint32_t i = 0; i < count; i++) {
        *fuses |= code[i].op > PROGRAM_MOVE && code[i].op < PROGRAM_END;
        if (is_call(&code[i])) used[code[i].op] = 1;
    }
}

static void put_imports(writing *w, const step_flow *step)
{
    unsigned char used[OP_COUNT] = { 0 };
    builder names = { .context = w->p->context }, all = names;
    mark_calls(w->p->setup.code, w->p->setup.count, used, &w->fuses);
    mark_calls(step->code, step->count, used, &w->fuses);
    if (w->fuses) put_import(&names, "fma", TYPE_FMA), w->import_count++;
    for (uint32_t o = 0; o < OP_COUNT; o++) {
        if (!used[o]) continue;
        uint32_t read[3];
        const int reads = X(step_flow_operands)(&(program_instruction){ .op = o }, read);
        const char *name = o == OP_POW ? "pow" : o == OP_POWI ? "powi" : taut_op_name((op)o);
        put_import(&names, name, op_has_number((op)o) ? TYPE_NUMBERED : reads == 2 ? TYPE_BINARY : TYPE_UNARY);
        w->functions[o] = w->import_count++;
    }
    put_count(&all, w->import_count + 1);
    put_name(&all, "taut"), put_name(&all, "memory"), put(&all, 2), put(&all, 0), put_count(&all, 1);
    put_all(&all, &names);
    put_section(w, 2, &all);
}

static void put_declarations(writing *w)
{
    builder types = { .context = w->p->context }, exports = types;
    put_count(&types, w->fuses ? 3 : 2);
    if (w->fuses) put_count(&types, TYPE_FMA);
    put_count(&types, TYPE_STEP), put_count(&types, TYPE_STEP);
    put_section(w, 3, &types);
    const uint32_t first = w->import_count + (w->fuses != 0);
    put_count(&exports, 2);
    put_name(&exports, "set_up"), put(&exports, 0), put_count(&exports, first);
    put_name(&exports, "step"), put(&exports, 0), put_count(&exports, first + 1);
    put_section(w, 7, &exports);
}

static void put_code(writing *w, const step_flow *step)
{
    builder bodies = { .context = w->p->context };
    put_count(&bodies, w->fuses ? 3 : 2);
    if (w->fuses) put_fma(&bodies);
    w->stores_all = 1;
    put_function(w, w->p->setup.code, w->p->setup.count, &bodies);
    w->stores_all = 0;
    put_function(w, step->code, step->count, &bodies);
    put_section(w, 10, &bodies);
}

int X(program_wasm)(const program *p, const step_flow *step, builder *out)
{
    static const char begin[] = { 0, 'a', 's', 'm', 1, 0, 0, 0 };
    writing w = { .p = p, .out = out, .code = { .context = p->context } };
    w.locals = taut_mem_new(p->context, (size_t)p->flow.register_count + PROGRAM_WORK, sizeof *w.locals);
    if (!w.locals) return TAUT_OUT_OF_MEMORY;
    taut_builder_add(out, begin, sizeof begin);
    put_types(&w);
    put_imports(&w, step);
    put_declarations(&w);
    put_code(&w, step);
    taut_mem_free(p->context, w.locals);
    return out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
#endif
