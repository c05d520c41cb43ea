/* Programs over elements as machine code of x86-64: an instruction is one of the processor for `width` elements. The
 * operations are those of the program in its order, so the bits are those of the interpreter, which also does what the
 * processor has no instruction for (sin, pow), called line by line.
 *
 *     rbx: registers of the program, rows of `width` numbers      rbp: saved numbers of the group
 *     r12: rows of outputs that are kept                          r13: vectors that inputs are taken from
 *     r14: the first element of the group                         r15: where indices of inputs are
 *
 * Values stay in registers of the processor as long as there are enough; the one that is read last goes to its row.
 * Inputs are gathered when they are first read; literals stand behind the code. */
#include "lower/element_inside.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(TAUT_REAL_QUAD) && !defined(TAUT_NO_NATIVE)
#include <string.h>

#include "native/native.h"

enum { REGISTERS_MOST = 32, NOT_HERE = 0xff, BYTES_MOST = 32, SPILL_MOST = 16 };
#define NEVER UINT32_MAX

typedef struct {
    uint32_t row;             /* whose value it holds */
    uint32_t next;            /* line that reads it next */
    int is_ahead;             /* of what stands in the row */
} holding;

typedef struct {
    taut_context *context;
    const element_program *p;
    uint32_t width, rows;
    unsigned char *bytes;
    size_t count, capacity;
    int failed, can_extend;   /* 32 registers, and registers of 512 bits */
    unsigned all, used, locked;
    holding held[REGISTERS_MOST];
    unsigned char *where;     /* of a row: register, or NOT_HERE */
    uint32_t *last;           /* work */
    struct reads {
        uint32_t a, b, target;
    } *next;                  /* by line: when operands and result are read again */
    uint32_t now;
    uint32_t *outputs;        /* by row: the last kept output that it is, from 1; 0: none */
    uint32_t *others;         /* by kept output: the one before it of the same row */
    uint32_t *defined;        /* by row: the line that computes it for the last time */
    unsigned char *fetched;   /* by input: it has been gathered, and its row written if it left its register */
    struct reference {
        size_t at;            /* of four bytes in the code, relative to what follows them */
        uint32_t constant;    /* behind the code: a mask, or a literal */
    } *references;
    size_t reference_count, reference_capacity;
} writer;

/* ---- bytes ---- */

static int room(writer *w, size_t count)
{
    if (w->failed || taut_mem_grow(w->context, &w->bytes, &w->capacity, w->count + count, 1)) w->failed = 1;
    return !w->failed;
}

static void put(writer *w, unsigned byte) { w->bytes[w->count++] = (unsigned char)byte; }

static void put_bytes(writer *w, const void *from, size_t count)
{
    memcpy(w->bytes + w->count, from, count);
    w->count += count;
}

/* Constants behind the code: MASKS of a line each, then literals. */
enum { MASK_SIGN, MASK_OTHERS, MASKS, MASK_BYTES = 64 };

/* Four bytes that will be the distance to a constant. */
static void put_reference(writer *w, uint32_t constant)
{
    const uint32_t later = 0;
    if (taut_mem_grow(w->context, &w->references, &w->reference_capacity, w->reference_count + 1,
                      sizeof *w->references)) {
        w->failed = 1;
        return;
    }
    w->references[w->reference_count++] = (struct reference){ w->count, constant };
    put_bytes(w, &later, 4);
}

/* Packed double operations; prefix 66 in VEX's code, map 0F. */
enum { LOAD = 0x10, STORE = 0x11, SQRT = 0x51, AND = 0x54, XOR = 0x57, ADD = 0x58, MULTIPLY = 0x59, SUBTRACT = 0x5c,
       LESSER = 0x5d, DIVIDE = 0x5e, GREATER = 0x5f };
enum { BROADCAST = 0x19, GATHER = 0x92, DOUBLES = 0x12 }; /* map 0F38; the last: 0F, with prefix F2 */
enum { PREFIX_66 = 1, PREFIX_F2 = 3 };

/* How long vectors are, in EVEX's and in VEX's code. */
static unsigned evex_length(const writer *w) { return w->width == 8 ? 0x40 : w->width == 4 ? 0x20 : 0; }
static unsigned vex_length(const writer *w) { return w->width == 2 ? 0 : 4; }

static int is_extended(const writer *w, unsigned target, unsigned first, unsigned second)
{
    return w->width == 8 || (target | first | second) > 15;
}

static void put_operation(writer *w, unsigned operation, unsigned target, unsigned first, unsigned second)
{
    if (is_extended(w, target, first, second)) {
        put(w, 0x62);
        put(w, (~target & 8) << 4 | (~second & 16) << 2 | (~second & 8) << 2 | (~target & 16) | 1);
        put(w, 0x80 | (~first & 15) << 3 | 4 | PREFIX_66);
        put(w, evex_length(w) | (~first & 16) >> 1);
    } else if (second < 8) {
        put(w, 0xc5), put(w, (target < 8 ? 0x80u : 0) | (~first & 15) << 3 | vex_length(w) | PREFIX_66);
    } else {
        put(w, 0xc4), put(w, (target < 8 ? 0x80u : 0) | 0x40 | 1);
        put(w, (~first & 15) << 3 | vex_length(w) | PREFIX_66);
    }
    put(w, operation);
}

/* target = first operation second; first is 0 where the operation has none. */
static void put_registers(writer *w, unsigned operation, unsigned target, unsigned first, unsigned second)
{
    if (!room(w, BYTES_MOST)) return;
    put_operation(w, operation, target, first, second);
    put(w, 0xc0 | (target & 7) << 3 | (second & 7));
}

/* The same with a row in memory; home: its own row among the registers, also of a saved number. */
static void put_memory(writer *w, unsigned operation, unsigned target, unsigned first, uint32_t row, int home)
{
    if (!room(w, BYTES_MOST)) return;
    put_operation(w, operation, target, first, 0);
    const int is_saved = row < w->p->saved_count && !home;
    const uint32_t offset = row * w->width * (uint32_t)sizeof(double);
    const uint32_t unit = is_extended(w, target, first, 0) ? w->width * (uint32_t)sizeof(double) : 1;
    const int is_short = offset / unit < 128;
    put(w, (is_short ? 0x40u : 0x80u) | (target & 7) << 3 | (is_saved ? 5u : 3u));
    const uint32_t shown = is_short ? offset / unit : offset;
    put_bytes(w, &shown, is_short ? 1 : 4);
}

/* target = first operation a mask */
static void put_mask(writer *w, unsigned operation, unsigned target, unsigned first, uint32_t mask)
{
    if (!room(w, BYTES_MOST)) return;
    put_operation(w, operation, target, first, 0);
    put(w, (target & 7) << 3 | 5);
    put_reference(w, mask);
}

/* The first bytes of a load from map 0F38: gather, or one number for all. W: EVEX has 1, VEX what it is given. */
static void put_load(writer *w, unsigned operation, unsigned target, unsigned index, unsigned mask, int vex_w)
{
    const int doubles = operation == BROADCAST && w->width == 2; /* one number into two has an instruction of its own */
    const unsigned map = doubles ? 1 : 2, prefix = doubles ? PREFIX_F2 : PREFIX_66;
    if (w->can_extend) {
        put(w, 0x62);
        put(w, (~target & 8) << 4 | (~index & 8) << 3 | 0x20 | (~target & 16) | map);
        put(w, 0xfc | prefix);
        put(w, evex_length(w) | (~index & 16) >> 1 | (operation == GATHER));
    } else {
        put(w, 0xc4), put(w, (~target & 8) << 4 | (~index & 8) << 3 | 0x20 | map);
        put(w, (vex_w ? 0x80u : 0) | (~mask & 15) << 3 | vex_length(w) | prefix);
    }
    put(w, doubles ? DOUBLES : operation);
}

/* register := the literal, in all lanes */
static void put_literal(writer *w, unsigned target, uint32_t literal)
{
    if (!room(w, BYTES_MOST)) return;
    put_load(w, BROADCAST, target, 0, 0, 0);
    put(w, (target & 7) << 3 | 5);
    put_reference(w, MASKS + literal);
}

/* rax := where the vector of an input is */
static void put_base(writer *w, uint32_t input)
{
    const uint32_t offset = w->p->base_of[input] * (uint32_t)sizeof(real *);
    put(w, 0x49), put(w, 0x8b), put(w, 0x85), put_bytes(w, &offset, 4);
}

/* [r12 + ..] := register */
static void put_kept(writer *w, unsigned r, uint32_t output)
{
    if (!room(w, BYTES_MOST)) return;
    const uint32_t offset = output * w->width * (uint32_t)sizeof(double);
    if (is_extended(w, r, 0, 0)) {
        put(w, 0x62), put(w, (~r & 8) << 4 | 0x40 | (~r & 16) | 1), put(w, 0x80 | 15 << 3 | 4 | PREFIX_66);
        put(w, evex_length(w) | 8);
    } else {
        put(w, 0xc4), put(w, (r < 8 ? 0x80u : 0) | 0x40 | 1), put(w, 15 << 3 | vex_length(w) | PREFIX_66);
    }
    put(w, STORE), put(w, 0x80 | (r & 7) << 3 | 4), put(w, 0x24); /* a base of r12 needs this byte */
    put_bytes(w, &offset, 4);
}

/* ---- registers of the processor ---- */

static void write_back(writer *w, unsigned r)
{
    put_memory(w, STORE, r, 0, w->held[r].row, 1);
    w->held[r].is_ahead = 0;
}

static void release(writer *w, unsigned r)
{
    if (w->used >> r & 1) w->where[w->held[r].row] = NOT_HERE;
    w->used &= ~(1u << r);
    w->held[r].is_ahead = 0;
}

/* A free register; if there is none, that whose value is read last, those that need not be stored sooner. */
static unsigned take(writer *w)
{
    const unsigned free = w->all & ~(w->used | w->locked);
    if (free) return (unsigned)__builtin_ctz(free);
    unsigned best = 0;
    uint64_t furthest = 0;
    for (unsigned others = w->all & ~w->locked; others; others &= others - 1) {
        const unsigned r = (unsigned)__builtin_ctz(others);
        const uint64_t far = (uint64_t)(w->held[r].next - w->now) * (w->held[r].is_ahead ? 1 : 2) + 1;
        if (far > furthest) best = r, furthest = far;
    }
    if (w->held[best].is_ahead) write_back(w, best);
    release(w, best);
    return best;
}

static void hold(writer *w, unsigned r, uint32_t row, uint32_t next, int is_ahead)
{
    if (w->where[row] != NOT_HERE) release(w, w->where[row]); /* what stood there before is not read any more */
    w->held[r] = (holding){ row, next, is_ahead };
    w->used |= 1u << r;
    w->where[row] = (unsigned char)r;
}

static int is_literal(const writer *w, uint32_t row)
{
    return row >= w->p->literal_first && row < w->p->literal_first + w->p->literal_count;
}

/* An input that has not been gathered: nothing is in its row. */
static int is_ahead_of(const writer *w, uint32_t row)
{
    const element_program *p = w->p;
    return row >= p->saved_count && row < p->saved_count + p->input_count && !w->fetched[row - p->saved_count];
}

/* register := [rcx + 4 r14], `width` indices; rcx := where they are, before that */
static void put_indices(writer *w, unsigned target, uint32_t input)
{
    const uint32_t offset = input * (uint32_t)sizeof(uint32_t *);
    put(w, 0x49), put(w, 0x8b), put(w, 0x8f), put_bytes(w, &offset, 4);
    if (w->can_extend) {
        put(w, 0x62), put(w, (~target & 8) << 4 | 0x20 | (~target & 16) | 1), put(w, 0x7e);
        put(w, w->width == 8 ? 0x28 : 0x08);
    } else {
        put(w, 0xc4), put(w, (~target & 8) << 4 | 0x20 | 1), put(w, 0x7a);
    }
    put(w, 0x6f), put(w, (target & 7) << 3 | 4), put(w, 0xb1);
}

static void put_gather(writer *w, unsigned target, unsigned index, unsigned mask)
{
    if (w->can_extend) { /* kxnorw k1, k1, k1 */
        put(w, 0xc5), put(w, 0xf4), put(w, 0x46), put(w, 0xc9);
    } else { /* vpcmpeqd mask, mask, mask */
        put(w, 0xc4), put(w, (~mask & 8) << 4 | 0x40 | (~mask & 8) << 2 | 1);
        put(w, (~mask & 15) << 3 | 4 | PREFIX_66), put(w, 0x76), put(w, 0xc0 | (mask & 7) << 3 | (mask & 7));
    }
    put_load(w, GATHER, target, index, mask, 1);
    put(w, (target & 7) << 3 | 4), put(w, 0xc0 | (index & 7) << 3);
}

/* A gather must not write what it reads: its registers are three. */
static unsigned fetch(writer *w, uint32_t row)
{
    const uint32_t input = row - w->p->saved_count;
    const unsigned locked = w->locked, r = take(w);
    w->fetched[input] = 1;
    w->locked |= 1u << r;
    if (!w->p->inputs[input].index) {
        if (!room(w, 2 * BYTES_MOST)) return r;
        put_base(w, input);
        put_load(w, BROADCAST, r, 0, 0, 0);
        put(w, (r & 7) << 3);
    } else {
        const unsigned index = take(w);
        w->locked |= 1u << index;
        const unsigned mask = w->can_extend ? 0 : take(w);
        if (!room(w, 4 * BYTES_MOST)) return r;
        put_indices(w, index, input);
        put_base(w, input);
        put_gather(w, r, index, mask);
    }
    w->locked = locked;
    return r;
}

static unsigned get(writer *w, uint32_t row)
{
    unsigned r = w->where[row];
    if (r == NOT_HERE) {
        const int is_input = is_ahead_of(w, row);
        r = is_input ? fetch(w, row) : take(w);
        if (is_literal(w, row)) put_literal(w, r, row - w->p->literal_first);
        else if (!is_input) put_memory(w, LOAD, r, 0, row, 0);
        hold(w, r, row, w->now, is_input);
    }
    w->locked |= 1u << r;
    return r;
}

/* Puts a row where memory is read that no instruction has written. */
static void put_home(writer *w, uint32_t row)
{
    const unsigned r = get(w, row);
    put_memory(w, STORE, r, 0, row, 1);
    w->held[r].is_ahead = 0;
    w->locked &= ~(1u << r);
}

/* An operand was read. */
static void pass(writer *w, uint32_t row, uint32_t next)
{
    const unsigned r = w->where[row];
    if (r == NOT_HERE) return;
    w->held[r].next = next;
    w->locked &= ~(1u << r);
    if (next == NEVER) release(w, r);
}

/* ---- lines ---- */

static unsigned operation_of(const instruction *c)
{
    switch ((op)c->op) {
    case OP_ADD: return ADD;
    case OP_SUB: return SUBTRACT;
    case OP_MUL: return MULTIPLY;
    case OP_DIV: return DIVIDE;
    case OP_MIN: return LESSER; /* a < b ? a : b, also for a NaN */
    case OP_MAX: return GREATER;
    case OP_NEG: return XOR;
    case OP_ABS: return AND;
    case OP_SQRT: return SQRT;
    case OP_POWI: return c->b == 2 || c->b == 3 ? MULTIPLY : 0;
    default: return 0;
    }
}

static int is_binary(const instruction *c) { return !op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2; }

static void find_next_reads(writer *w)
{
    const element_program *p = w->p;
    for (uint32_t o = p->kept_count; o < p->output_count; o++) w->last[p->results[o]] = p->length;
    for (uint32_t i = p->length; i-- > 0;) {
        const instruction *c = &p->code[i];
        const uint32_t target = c->target / w->width, a = c->a / w->width, b = is_binary(c) ? c->b / w->width : a;
        w->next[i].target = w->last[target];
        w->last[target] = NEVER;
        w->next[i].a = w->last[a], w->next[i].b = w->last[b];
        w->last[a] = w->last[b] = i;
    }
}

static void put_native(writer *w, const instruction *c, unsigned operation)
{
    const struct reads *next = &w->next[w->now];
    const uint32_t target = c->target / w->width, a = c->a / w->width, b = is_binary(c) ? c->b / w->width : a;
    const int exchanges = (c->op == OP_ADD || c->op == OP_MUL) && w->where[a] == NOT_HERE && w->where[b] != NOT_HERE;
    const uint32_t first = exchanges ? b : a, second = exchanges ? a : b;
    unsigned x = get(w, first), r;
    if (c->op == OP_NEG || c->op == OP_ABS) {
        pass(w, a, next->a);
        r = take(w);
        put_mask(w, operation, r, x, c->op == OP_ABS ? MASK_OTHERS : MASK_SIGN);
    } else if (c->op == OP_SQRT) {
        pass(w, a, next->a);
        r = take(w);
        put_registers(w, operation, r, 0, x);
    } else if (c->op == OP_POWI) {
        r = take(w);
        put_registers(w, operation, r, x, x);
        if (c->b == 3) put_registers(w, operation, r, r, x);
        pass(w, a, next->a);
    } else if (first != second && w->where[second] == NOT_HERE && (exchanges ? next->a : next->b) == NEVER
               && !is_literal(w, second) && !is_ahead_of(w, second)) {
        pass(w, first, exchanges ? next->b : next->a);
        r = take(w);
        put_memory(w, operation, r, x, second, 0);
    } else {
        const unsigned y = get(w, second);
        pass(w, a, next->a);
        if (a != b) pass(w, b, next->b);
        r = take(w);
        put_registers(w, operation, r, x, y);
    }
    hold(w, r, target, next->target, 1);
    if (w->defined[target] == w->now)
        for (uint32_t o = w->outputs[target]; o; o = w->others[o - 1]) put_kept(w, r, o - 1);
    if (next->target == NEVER) release(w, r);
}

/* Kept outputs that no instruction of the processor has computed: inputs, and what was called. */
static void keep_others(writer *w)
{
    const element_program *p = w->p;
    for (uint32_t o = 0; o < p->kept_count; o++) {
        const uint32_t row = p->results[o], line = w->defined[row];
        if (line != NEVER && operation_of(&p->code[line])) continue;
        w->locked = 0;
        put_kept(w, get(w, row), o);
    }
}

/* rdi, esi, edx, rcx: the line, 1, the width, the registers. */
static void put_call(writer *w, const instruction *c)
{
    void (*const function)(const instruction *, uint32_t, uint32_t, real *) = X(element_lanes_run);
    const uint32_t operands[] = { c->a / w->width, is_binary(c) ? c->b / w->width : c->a / w->width };
    for (int i = 0; i < 2; i++) /* to where the interpreter looks for them */
        if (operands[i] < w->p->saved_count || is_literal(w, operands[i]) || is_ahead_of(w, operands[i]))
            put_home(w, operands[i]);
    for (unsigned r = 0; r < REGISTERS_MOST; r++)
        if ((w->used >> r & 1) && w->held[r].is_ahead) write_back(w, r);
    for (unsigned r = 0; r < REGISTERS_MOST; r++)
        if (w->used >> r & 1) release(w, r);
    if (!room(w, 64)) return;
    put(w, 0xc5), put(w, 0xf8), put(w, 0x77); /* vzeroupper */
    put(w, 0x48), put(w, 0xbf), put_bytes(w, &c, 8);
    put(w, 0xbe), put(w, 1), put(w, 0), put(w, 0), put(w, 0);
    put(w, 0xba), put_bytes(w, &w->width, 4);
    put(w, 0x48), put(w, 0x89), put(w, 0xd9);
    put(w, 0x48), put(w, 0xb8), put_bytes(w, &function, 8);
    put(w, 0xff), put(w, 0xd0);
}

static void put_start(writer *w)
{
    static const unsigned char start[] = {
        0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, /* push rbx, rbp, r12, r13, r14, r15 */
        0x48, 0x83, 0xec, 0x08,                                     /* sub rsp, 8 */
        0x48, 0x89, 0xfb, 0x48, 0x89, 0xf5, 0x49, 0x89, 0xd4,       /* mov rbx, rdi; mov rbp, rsi; mov r12, rdx */
        0x49, 0x89, 0xcd, 0x4d, 0x89, 0xc6, 0x49, 0xbf              /* mov r13, rcx; mov r14, r8; mov r15, .. */
    };
    const uint32_t *const *indices = w->p->indices;
    if (!room(w, 2 * BYTES_MOST)) return;
    put_bytes(w, start, sizeof start);
    put_bytes(w, &indices, 8);
}

static void put_end(writer *w)
{
    static const unsigned char end[] = { 0xc5, 0xf8, 0x77, 0x48, 0x83, 0xc4, 0x08, 0x41, 0x5f, 0x41, 0x5e,
                                         0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3 };
    const element_program *p = w->p;
    for (uint32_t o = p->kept_count; o < p->output_count; o++) {
        w->locked = 0;
        if (is_literal(w, p->results[o]) || is_ahead_of(w, p->results[o])) put_home(w, p->results[o]);
    }
    for (uint32_t o = p->kept_count; o < p->output_count; o++) {
        const unsigned r = w->where[p->results[o]];
        if (r != NOT_HERE && w->held[r].is_ahead) write_back(w, r);
    }
    if (room(w, BYTES_MOST)) put_bytes(w, end, sizeof end);
}

static void find_kept(writer *w)
{
    const element_program *p = w->p;
    memset(w->defined, 0xff, w->rows * sizeof *w->defined);
    for (uint32_t i = 0; i < p->length; i++) w->defined[p->code[i].target / w->width] = i;
    for (uint32_t o = 0; o < p->kept_count; o++) {
        const uint32_t row = p->results[o], line = w->defined[row];
        w->others[o] = w->outputs[row];
        w->outputs[row] = o + 1;
        /* what is stored in the end lives as long */
        if (line == NEVER || !operation_of(&p->code[line])) w->last[row] = p->length;
    }
}

static void write_all(writer *w)
{
    const element_program *p = w->p;
    memset(w->last, 0xff, w->rows * sizeof *w->last);
    find_kept(w);
    find_next_reads(w);
    put_start(w);
    for (w->now = 0; w->now < p->length && !w->failed; w->now++) {
        const instruction *c = &p->code[w->now];
        const unsigned operation = operation_of(c);
        w->locked = 0;
        if (operation)
            put_native(w, c, operation);
        else
            put_call(w, c);
    }
    keep_others(w);
    put_end(w);
}

/* Masks and literals behind the code, and where the code refers to them. */
static void put_constants(writer *w)
{
    static const uint64_t masks[MASKS] = { (uint64_t)1 << 63, ~((uint64_t)1 << 63) };
    const element_program *p = w->p;
    const size_t padding = (MASK_BYTES - w->count % MASK_BYTES) % MASK_BYTES,
                 size = padding + MASKS * MASK_BYTES + p->literal_count * sizeof(double);
    if (!room(w, size)) return;
    for (size_t i = 0; i < padding; i++) put(w, 0xcc);
    const size_t first = w->count;
    for (int k = 0; k < MASKS; k++)
        for (size_t i = 0; i < MASK_BYTES / sizeof masks[k]; i++) put_bytes(w, &masks[k], sizeof masks[k]);
    put_bytes(w, p->literals, p->literal_count * sizeof(double));
    for (size_t k = 0; k < w->reference_count; k++) {
        const struct reference *of = &w->references[k];
        const size_t to = first + (of->constant < MASKS ? of->constant * (size_t)MASK_BYTES
                                                        : MASKS * (size_t)MASK_BYTES + (of->constant - MASKS) * sizeof(double));
        const uint32_t distance = (uint32_t)(to - of->at - 4);
        memcpy(w->bytes + of->at, &distance, 4);
    }
}

/* The vectors that inputs are taken from, each once. */
static int list_bases(taut_context *context, element_program *p)
{
    p->bases = taut_mem_new(context, p->input_count, sizeof *p->bases);
    p->base_of = taut_mem_new(context, p->input_count, sizeof *p->base_of);
    p->indices = taut_mem_new(context, p->input_count, sizeof *p->indices);
    if (!p->bases || !p->base_of || !p->indices) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < p->input_count; i++) {
        const element_input *in = &p->inputs[i];
        uint32_t k = 0;
        while (k < p->base_count
               && (p->bases[k].from != in->from || p->bases[k].at != in->at || p->bases[k].before != in->before))
            k++;
        if (k == p->base_count) p->bases[p->base_count++] = *in;
        p->base_of[i] = k;
        p->indices[i] = in->index;
    }
    return TAUT_OK;
}

int X(element_machine_width)(uint32_t count)
{
    if (!__builtin_cpu_supports("avx2")) return 0;
    if (count <= 2) return 2;
    return count > 4 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
                   && __builtin_cpu_supports("avx512vl") ? 8 : 4;
}

int X(element_machine_create)(taut_context *context, uint32_t width, element_program *p)
{
    const int more = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
                     && __builtin_cpu_supports("avx512vl");
    writer w = { .context = context, .p = p, .width = width, .rows = p->register_count, .can_extend = more,
                 .all = more ? 0xffffffffu : 0xffffu };
    if (!p->output_count || (uint64_t)w.rows * width * sizeof(double) > INT32_MAX) return TAUT_OK;
    if (list_bases(context, p)) return TAUT_OUT_OF_MEMORY;
    if (p->base_count > ELEMENT_BASES_MOST) return TAUT_OK;
    w.where = taut_mem_new(context, w.rows, 1);
    w.last = taut_mem_new(context, w.rows, sizeof *w.last);
    w.next = taut_mem_new(context, p->length, sizeof *w.next);
    w.outputs = taut_mem_new(context, w.rows, sizeof *w.outputs);
    w.defined = taut_mem_new(context, w.rows, sizeof *w.defined);
    w.others = taut_mem_new(context, p->kept_count, sizeof *w.others);
    w.fetched = taut_mem_new(context, p->input_count, 1);
    w.failed = !w.fetched || !w.where || !w.last || !w.next || !w.outputs || !w.defined || !w.others;
    if (!w.failed) {
        memset(w.where, NOT_HERE, w.rows);
        write_all(&w);
        put_constants(&w);
    }
    if (!w.failed && (p->pages = taut_native_pages(w.bytes, p->pages_size = w.count)))
        memcpy(&p->machine, &p->pages, sizeof p->machine); /* a function from a pointer to data */
    void *const blocks[] = { w.bytes, w.where, w.last, w.next, w.outputs, w.defined, w.others, w.fetched, w.references };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    return w.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

void X(element_machine_clear)(element_program *p)
{
    if (p->pages) taut_native_pages_end(p->pages, p->pages_size);
    p->pages = NULL;
}
#else
int X(element_machine_width)(uint32_t count)
{
    (void)count;
    return 0;
}

int X(element_machine_create)(taut_context *context, uint32_t width, element_program *p)
{
    (void)context, (void)width, (void)p;
    return TAUT_OK;
}

void X(element_machine_clear)(element_program *p) { (void)p; }
#endif
