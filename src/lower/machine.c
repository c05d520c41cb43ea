#include "lower/machine.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(TAUT_REAL_QUAD) && !defined(TAUT_NO_NATIVE)
#include <string.h>

#include "base/elementary.h"
#include "native/native.h"

#define VALUE_TYPE real
#define MATH ELEMENTARY
#define VALUE_ELEMENTARY
#include "expr/values.h"

/* Numbers are in memory at their place among the program's registers, to which rbx points; some of them in a register
   of the processor, too, or instead where only this tape reads them. */
enum { PROCESSOR_REGISTERS = 16 };
#define NEVER UINT32_MAX
#define NOWHERE 0xff

typedef struct {
    uint32_t value;           /* NEVER: it is free */
    uint32_t next;            /* instruction of the tape that reads it next */
    int is_ahead;             /* of what stands in memory */
} processor_register;

typedef struct {
    uint32_t a, b, c, target; /* when operands, and the result, are read again; NEVER: not in this tape */
} next_reads;

typedef struct {
    program *p;
    unsigned char *bytes;
    size_t count, capacity;
    int failed;               /* out of memory */
    unsigned char *lasts;     /* of each value: others than its tape read it */
    unsigned char *where;     /* register of the processor, or NOWHERE */
    uint32_t *last;           /* work: the read that was found last, going backwards */
    next_reads *next;         /* of the instructions of a tape */
    size_t next_capacity;
    processor_register registers[PROCESSOR_REGISTERS];
    unsigned locked;          /* registers that the instruction at hand needs: a mask */
} machine;

/* ---- who reads what ---- */

static int operands(const program_instruction *c, uint32_t list[3])
{
    const int sum = c->op > PROGRAM_MOVE;
    list[0] = c->a, list[1] = c->b, list[2] = c->c;
    return sum ? 3 : c->op < OP_COUNT && !op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2 ? 2 : 1;
}

static void mark_list(machine *m, const uint32_t *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) m->lasts[list[i]] = 1;
}

/* What a tape reads before it computes it comes from another one, or from an earlier round. computed: by this tape, so
   far (its number). */
static void mark_tape(machine *m, const segment *t, uint32_t number)
{
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t read[3];
        for (int k = operands(&t->code[i], read); k-- > 0;)
            if (m->last[read[k]] != number) m->lasts[read[k]] = 1;
        m->last[t->code[i].target] = number;
    }
}

/* All that the last tape computes lasts: it is little, and what it is for is read in several places. */
static void find_lasting(machine *m)
{
    const program *p = m->p;
    uint32_t number = 1;
    mark_tape(m, &p->setup, number++);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        mark_tape(m, &f->begin, number++), mark_tape(m, &f->residual, number++);
        mark_tape(m, &f->factor, number++), mark_tape(m, &f->solve, number++);
        mark_list(m, f->guesses, f->size), mark_list(m, f->residuals, f->size);
        mark_list(m, f->changes, f->size), mark_list(m, f->weights, f->size);
        for (uint32_t i = 0; i < f->check_count; i++)
            m->lasts[f->checks[i].pivot] = m->lasts[f->checks[i].reference] = 1;
    }
    mark_tape(m, &p->results, number);
    for (uint32_t i = 0; i < p->results.count; i++) m->lasts[p->results.code[i].target] = 1;
    const uint32_t n = p->s->n, c = p->s->c;
    mark_list(m, p->move, n), mark_list(m, p->push, n), mark_list(m, p->w, n);
    mark_list(m, p->lambda, c), mark_list(m, p->reported, c);
    m->lasts[p->work] = 1;
}

static void find_next_reads(machine *m, const segment *t)
{
    if (taut_mem_grow(m->p->context, &m->next, &m->next_capacity, (size_t)t->count + 1, sizeof *m->next)) {
        m->failed = 1;
        return;
    }
    memset(m->last, 0xff, m->p->register_count * sizeof *m->last);
    for (uint32_t i = t->count; i-- > 0;) {
        uint32_t read[3], next[3] = { NEVER, NEVER, NEVER };
        const int count = operands(&t->code[i], read);
        const uint32_t target = m->last[t->code[i].target];
        for (int k = 0; k < count; k++) next[k] = m->last[read[k]];
        for (int k = 0; k < count; k++) m->last[read[k]] = i;
        m->next[i] = (next_reads){ next[0], next[1], next[2], target };
    }
}

/* ---- bytes ---- */

static void put(machine *m, unsigned byte)
{
    if (m->failed || taut_mem_grow(m->p->context, &m->bytes, &m->capacity, m->count + 1, 1))
        m->failed = 1;
    else
        m->bytes[m->count++] = (unsigned char)byte;
}

static void put_bytes(machine *m, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++) put(m, ((const unsigned char *)from)[i]);
}

/* Prefixes of the operations that are used, in VEX's code; all are in the map 0F. */
enum { PREFIX_66 = 1, PREFIX_F2 = 3 };
enum { LOAD = 0x10, STORE = 0x11, MOVE = 0x28, SQRT = 0x51, AND = 0x54, XOR = 0x57,
       ADD = 0x58, MULTIPLY = 0x59, SUBTRACT = 0x5c, LESSER = 0x5d, DIVIDE = 0x5e, GREATER = 0x5f };

/* first: xmm register, or 0 where the operation has none; high: second is xmm8 or above */
static void put_vex(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first, int high)
{
    const unsigned rest = (~first & 15) << 3 | prefix;
    if (high)
        put(m, 0xc4), put(m, (target < 8 ? 0x80u : 0) | 0x40 | 1), put(m, rest);
    else
        put(m, 0xc5), put(m, (target < 8 ? 0x80u : 0) | rest);
    put(m, operation);
}

/* target = first operation second, in registers */
static void put_registers(machine *m, unsigned prefix, unsigned operation, unsigned target, unsigned first,
                          unsigned second)
{
    put_vex(m, prefix, operation, target, first, second >= 8);
    put(m, 0xc0 | (target & 7) << 3 | (second & 7));
}

/* The same with a value in memory. */
static void put_memory(machine *m, unsigned operation, unsigned target, unsigned first, uint32_t value)
{
    const uint32_t offset = value * (uint32_t)sizeof(real);
    put_vex(m, PREFIX_F2, operation, target, first, 0);
    put(m, (offset < 128 ? 0x40u : 0x80u) | (target & 7) << 3 | 3); /* rbx and a displacement */
    put_bytes(m, &offset, offset < 128 ? 1 : 4);
}

/* The same with one of the masks at the beginning of the code. */
static void put_mask(machine *m, unsigned operation, unsigned target, unsigned first, uint32_t at)
{
    put_vex(m, PREFIX_66, operation, target, first, 0);
    put(m, (target & 7) << 3 | 5); /* rip and a displacement */
    const uint32_t offset = at - (uint32_t)(m->count + 4);
    put_bytes(m, &offset, 4);
}

/* ---- registers of the processor ---- */

static void write_back(machine *m, unsigned r)
{
    put_memory(m, STORE, r, 0, m->registers[r].value);
    m->registers[r].is_ahead = 0;
}

static void release(machine *m, unsigned r)
{
    if (m->registers[r].value != NEVER) m->where[m->registers[r].value] = NOWHERE;
    m->registers[r] = (processor_register){ NEVER, NEVER, 0 };
}

/* A free one; if there is none, that whose value is read last. */
static unsigned take(machine *m)
{
    unsigned best = PROCESSOR_REGISTERS;
    for (unsigned r = 0; r < PROCESSOR_REGISTERS; r++) {
        if (m->locked >> r & 1) continue;
        if (m->registers[r].value == NEVER) return r;
        if (best == PROCESSOR_REGISTERS || m->registers[r].next > m->registers[best].next) best = r;
    }
    if (m->registers[best].is_ahead) write_back(m, best);
    release(m, best);
    return best;
}

static void hold(machine *m, unsigned r, uint32_t value, uint32_t next, int is_ahead)
{
    m->registers[r] = (processor_register){ value, next, is_ahead };
    m->where[value] = (unsigned char)r;
}

/* The register that has the value, from now on at least until the instruction is over. */
static unsigned get(machine *m, uint32_t value)
{
    unsigned r = m->where[value];
    if (r == NOWHERE) {
        r = take(m);
        put_memory(m, LOAD, r, 0, value);
        hold(m, r, value, 0, 0);
    }
    m->locked |= 1u << r;
    return r;
}

/* An operand was read. */
static void pass(machine *m, uint32_t value, uint32_t next)
{
    const unsigned r = m->where[value];
    if (r == NOWHERE) return;
    m->registers[r].next = next;
    m->locked &= ~(1u << r);
    if (next == NEVER) release(m, r);
}

/* The result stands in r. */
static void set(machine *m, unsigned r, uint32_t value, uint32_t next)
{
    hold(m, r, value, next, 1);
    if (m->lasts[value]) write_back(m, r);
    m->locked = 0;
    if (next == NEVER) release(m, r);
}

/* ---- instructions ---- */

/* Is it better read from memory? */
static int stays_in_memory(const machine *m, uint32_t value, uint32_t next)
{
    return m->where[value] == NOWHERE && next == NEVER;
}

/* a and b change places where that saves a load. */
static void put_binary(machine *m, unsigned operation, const program_instruction *c, const next_reads *next)
{
    uint32_t a = c->a, b = c->b;
    const int either = operation == ADD || operation == MULTIPLY;
    if (either && stays_in_memory(m, a, next->a) && !stays_in_memory(m, b, next->b)) a = c->b, b = c->a;
    const unsigned first = get(m, a);
    if (!stays_in_memory(m, b, b == c->b ? next->b : next->a)) get(m, b);
    const unsigned second = m->where[b];
    pass(m, c->a, next->a), pass(m, c->b, next->b);
    m->locked = 0;
    const unsigned target = take(m);
    if (second == NOWHERE)
        put_memory(m, operation, target, first, b);
    else
        put_registers(m, PREFIX_F2, operation, target, first, second);
    set(m, target, c->target, next->target);
}

/* a b + c, a b - c or c - a b. */
static void put_sum(machine *m, const program_instruction *c, const next_reads *next)
{
    uint32_t a = c->a, b = c->b;
    if (stays_in_memory(m, a, next->a) && !stays_in_memory(m, b, next->b)) a = c->b, b = c->a;
    const unsigned first = get(m, a);
    if (!stays_in_memory(m, b, b == c->b ? next->b : next->a)) get(m, b);
    const unsigned second = m->where[b];
    if (c->op == PROGRAM_SUBTRACT_PRODUCT || !stays_in_memory(m, c->c, next->c)) get(m, c->c);
    const unsigned third = m->where[c->c];
    if (c->a != c->c) pass(m, c->a, next->a);
    if (c->b != c->c) pass(m, c->b, next->b);
    const unsigned target = take(m);
    m->locked |= 1u << target;
    if (second == NOWHERE)
        put_memory(m, MULTIPLY, target, first, b);
    else
        put_registers(m, PREFIX_F2, MULTIPLY, target, first, second);
    const unsigned operation = c->op == PROGRAM_MULTIPLY_ADD ? ADD : SUBTRACT;
    if (c->op == PROGRAM_SUBTRACT_PRODUCT)
        put_registers(m, PREFIX_F2, SUBTRACT, target, third, target);
    else if (third == NOWHERE)
        put_memory(m, operation, target, target, c->c);
    else
        put_registers(m, PREFIX_F2, operation, target, target, third);
    pass(m, c->c, next->c);
    set(m, target, c->target, next->target);
}

/* One operand in a register; power: a a (2) or a a a (3). */
static void put_unary(machine *m, const program_instruction *c, const next_reads *next)
{
    const unsigned a = get(m, c->a);
    if (!(c->op == OP_POWI && c->b == 3)) pass(m, c->a, next->a);
    const unsigned target = take(m);
    if (c->op == PROGRAM_MOVE) {
        put_registers(m, PREFIX_66, MOVE, target, 0, a);
    } else if (c->op == OP_NEG) {
        put_mask(m, XOR, target, a, 0);
    } else if (c->op == OP_ABS) {
        put_mask(m, AND, target, a, 16);
    } else if (c->op == OP_SQRT) {
        put_registers(m, PREFIX_F2, SQRT, target, a, a);
    } else {
        put_registers(m, PREFIX_F2, MULTIPLY, target, a, a);
        if (c->b == 3) put_registers(m, PREFIX_F2, MULTIPLY, target, target, a), pass(m, c->a, next->a);
    }
    set(m, target, c->target, next->target);
}

/* Functions of C for the other operations. */
typedef real called(real a, real b, int32_t n);
#define CALL_LEAF(NAME, ...)
#define CALL_ENTRY(NAME, ...) [OP_##NAME] = call_##NAME,
#define CALL_FUNCTION(NAME, text, written, value, ...) \
    static real call_##NAME(real a, real b, int32_t n) \
    {                                                  \
        (void)a, (void)b, (void)n;                     \
        return (real)(value);                          \
    }
OPERATIONS(CALL_LEAF, CALL_FUNCTION, CALL_FUNCTION, CALL_FUNCTION)
static called *const functions[OP_COUNT] = { OPERATIONS(CALL_LEAF, CALL_ENTRY, CALL_ENTRY, CALL_ENTRY) };

/* They may use all registers: what is still needed goes to memory. */
static void put_call(machine *m, const program_instruction *c, const next_reads *next)
{
    uint32_t read[3];
    const int count = operands(c, read);
    called *const function = functions[c->op];
    for (unsigned r = 0; r < PROCESSOR_REGISTERS; r++) {
        if (m->registers[r].is_ahead) write_back(m, r);
        release(m, r);
    }
    put_memory(m, LOAD, 0, 0, c->a);
    if (count == 2) put_memory(m, LOAD, 1, 0, c->b);
    put(m, 0xbf), put_bytes(m, &c->b, 4);                        /* mov edi, n */
    put(m, 0x48), put(m, 0xb8), put_bytes(m, &function, 8);      /* mov rax, function */
    put(m, 0xff), put(m, 0xd0);                                  /* call rax */
    set(m, 0, c->target, next->target);
}

static void put_instruction(machine *m, const program_instruction *c, const next_reads *next)
{
    const uint32_t o = c->op;
    m->locked = 0;
    if (o > PROGRAM_MOVE) {
        put_sum(m, c, next);
    } else if (o == PROGRAM_MOVE || o == OP_NEG || o == OP_ABS || o == OP_SQRT ||
               (o == OP_POWI && (c->b == 2 || c->b == 3))) {
        put_unary(m, c, next);
    } else {
        const unsigned operation = o == OP_ADD   ? ADD
                                   : o == OP_SUB ? SUBTRACT
                                   : o == OP_MUL ? MULTIPLY
                                   : o == OP_DIV ? DIVIDE
                                   : o == OP_MIN ? LESSER /* a < b ? a : b, also for a NaN */
                                   : o == OP_MAX ? GREATER
                                                 : 0;
        if (operation)
            put_binary(m, operation, c, next);
        else
            put_call(m, c, next);
    }
}

/* ---- tapes ---- */

static size_t put_tape(machine *m, const segment *t)
{
    static const unsigned char begin[] = { 0xf3, 0x0f, 0x1e, 0xfa,  /* endbr64 */
                                           0x53, 0x48, 0x89, 0xfb };/* push rbx; mov rbx, rdi */
    static const unsigned char end[] = { 0x5b, 0xc3 };              /* pop rbx; ret */
    const size_t at = m->count;
    for (unsigned r = 0; r < PROCESSOR_REGISTERS; r++) m->registers[r] = (processor_register){ NEVER, NEVER, 0 };
    find_next_reads(m, t);
    put_bytes(m, begin, sizeof begin);
    for (uint32_t i = 0; !m->failed && i < t->count; i++) put_instruction(m, &t->code[i], &m->next[i]);
    put_bytes(m, end, sizeof end);
    for (unsigned r = 0; r < PROCESSOR_REGISTERS; r++) release(m, r);
    return at;
}

static void put_masks(machine *m)
{
    const uint64_t sign = (uint64_t)1 << 63, masks[4] = { sign, sign, ~sign, ~sign };
    put_bytes(m, masks, sizeof masks);
}

/* at: where each of them begins */
static void put_all(machine *m, size_t *at)
{
    const program *p = m->p;
    *at++ = put_tape(m, &p->setup), *at++ = put_tape(m, &p->results);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        *at++ = put_tape(m, &f->begin), *at++ = put_tape(m, &f->residual);
        *at++ = put_tape(m, &f->factor), *at++ = put_tape(m, &f->solve);
    }
}

static void point(segment *t, const void *pages, size_t at)
{
    const char *code = (const char *)pages + at;
    if (pages) memcpy(&t->machine, &code, sizeof code);
}

static void point_all(program *p, const size_t *at)
{
    point(&p->setup, p->pages, *at++), point(&p->results, p->pages, *at++);
    for (int k = 0; k < p->phase_count; k++) {
        program_phase *f = &p->phases[k];
        point(&f->begin, p->pages, *at++), point(&f->residual, p->pages, *at++);
        point(&f->factor, p->pages, *at++), point(&f->solve, p->pages, *at++);
    }
}

int X(machine_create)(program *p)
{
    if (!__builtin_cpu_supports("avx") || p->register_count > INT32_MAX / sizeof(real)) return TAUT_OK;
    const size_t values = p->register_count, tapes = 2 + 4 * (size_t)p->phase_count;
    machine m = { .p = p,
                  .lasts = taut_mem_new(p->context, values, 1),
                  .where = taut_mem_new(p->context, values, 1),
                  .last = taut_mem_new(p->context, values, sizeof *m.last) };
    size_t *at = taut_mem_new(p->context, tapes, sizeof *at);
    m.failed = !m.lasts || !m.where || !m.last || !at;
    if (!m.failed) {
        memset(m.where, NOWHERE, values);
        find_lasting(&m);
        put_masks(&m);
        put_all(&m, at);
    }
    if (!m.failed) {
        p->pages = taut_native_pages(m.bytes, p->pages_size = m.count);
        point_all(p, at);
    }
    taut_mem_free(p->context, m.bytes);
    taut_mem_free(p->context, m.lasts);
    taut_mem_free(p->context, m.where);
    taut_mem_free(p->context, m.last);
    taut_mem_free(p->context, m.next);
    taut_mem_free(p->context, at);
    return m.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
#else
int X(machine_create)(program *p)
{
    (void)p;
    return TAUT_OK;
}
#endif
