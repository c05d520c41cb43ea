/* What is left to do when the tapes of a program are there: instructions that nobody reads are dropped, and products
 * that only sums read become one operation with these, which is rounded once. So they are fewer, and processors have
 * them as one instruction. A product that several sums read goes into all of them or into none: what two bodies give to
 * each other stays the same number, rounded or not, in both of their sums. */
#include <string.h>

#include "lower/program.h"

#define NOWHERE UINT32_MAX

/* ---- who reads what ---- */

static int reads_b(const program_instruction *c)
{
    return c->op < OP_COUNT && !op_has_number((op)c->op) && taut_op_arity((op)c->op) == 2;
}

static void count_list(const uint32_t *list, size_t count, uint32_t *reads)
{
    for (size_t i = 0; list && i < count; i++) reads[list[i]]++;
}

static void count_checks(const program_check *checks, uint32_t count, uint32_t *reads)
{
    for (uint32_t i = 0; i < count; i++) reads[checks[i].pivot]++, reads[checks[i].reference]++;
}

static void count_segment(const segment *t, uint32_t *reads)
{
    for (uint32_t i = 0; i < t->count; i++) {
        reads[t->code[i].a]++;
        if (reads_b(&t->code[i])) reads[t->code[i].b]++;
    }
}

static void count_reads(const program *p, uint32_t *reads)
{
    count_segment(&p->setup, reads), count_segment(&p->results, reads);
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        const segment *tapes[] = { &f->begin, &f->residual, &f->factor, &f->solve };
        const uint32_t *lists[] = { f->guesses, f->residuals, f->changes, f->weights, f->seconds, f->lasts };
        for (int i = 0; i < 4; i++) count_segment(tapes[i], reads);
        for (int i = 0; i < 6; i++) count_list(lists[i], f->size, reads);
        for (int i = 0; i < f->further_count; i++)
            count_segment(&f->further[i].tape, reads), count_list(f->further[i].sums, f->size, reads);
        count_list(&f->unit, f->size > 0, reads);
        count_checks(f->checks, f->check_count, reads);
    }
    count_list(p->move, p->s->n, reads), count_list(p->push, p->s->n, reads), count_list(p->w, p->s->n, reads);
    count_list(p->lambda, p->s->c, reads), count_list(p->trend, p->s->c, reads);
    count_list(p->change, 2 * (size_t)p->s->c, reads);
    count_list(p->reported, p->s->c, reads);
    count_list(p->outputs, p->output_count, reads);
    count_checks(p->checks, p->check_count, reads), count_checks(p->limits, p->limit_count, reads);
    reads[p->work]++;
}

/* Instructions whose value nobody reads: of a second correction that is not made. What an instruction reads was
   computed before it, so that one pass, from the end on, finds all of them. */
static void drop_segment(segment *t, uint32_t *reads)
{
    uint32_t kept = t->count;
    for (uint32_t i = t->count; i-- > 0;) {
        const program_instruction c = t->code[i];
        if (reads[c.target]) {
            t->code[--kept] = c;
            continue;
        }
        reads[c.a]--;
        if (reads_b(&c)) reads[c.b]--;
    }
    if (kept) memmove(t->code, t->code + kept, (t->count - kept) * sizeof *t->code);
    t->count -= kept;
}

static void drop_unread(program *p, uint32_t *reads)
{
    drop_segment(&p->results, reads);
    for (int k = p->phase_count; k-- > 0;) {
        program_phase *f = &p->phases[k];
        for (int i = f->further_count; i-- > 0;) drop_segment(&f->further[i].tape, reads);
        drop_segment(&f->solve, reads), drop_segment(&f->factor, reads);
        drop_segment(&f->residual, reads), drop_segment(&f->begin, reads);
    }
    drop_segment(&p->setup, reads);
}

/* ---- sums of products ---- */

typedef struct {
    segment *t;
    const uint32_t *reads;    /* of a register: how often */
    uint32_t *at;             /* of a register: the instruction of this tape that computes it, or NOWHERE */
    uint32_t *takers;         /* of a register: sums of this tape that could take it in */
    uint32_t *ready;          /* of a register: when it is there, in cycles of some processor */
} fusion;

static int is_sum(const program_instruction *c) { return c->op == OP_ADD || c->op == OP_SUB; }

/* Not the sum of a number with itself. */
static int can_take(const program_instruction *c) { return is_sum(c) && c->a != c->b; }

static program_instruction *product_at(const fusion *z, uint32_t r)
{
    program_instruction *m = z->at[r] != NOWHERE ? &z->t->code[z->at[r]] : NULL;
    return m && (m->op == OP_MUL || (m->op == OP_POWI && m->b == 2)) ? m : NULL;
}

/* c takes in the product that stands in register r. */
static void take_in(program_instruction *c, uint32_t r, const program_instruction *m)
{
    const int is_first = c->a == r;
    const uint32_t operation = c->op == OP_ADD ? PROGRAM_MULTIPLY_ADD
                               : is_first      ? PROGRAM_MULTIPLY_SUBTRACT
                                               : PROGRAM_SUBTRACT_PRODUCT;
    *c = (program_instruction){ operation, c->target, m->a, m->op == OP_MUL ? m->b : m->a, is_first ? c->b : c->a };
}

/* Products that are read once. Of two the sum takes in the one that comes later: so it waits less. */
static void fuse_single(const fusion *z)
{
    for (uint32_t i = 0; i < z->t->count; i++) {
        program_instruction *c = &z->t->code[i];
        if (!can_take(c)) continue;
        program_instruction *const a = z->reads[c->a] == 1 ? product_at(z, c->a) : NULL;
        program_instruction *const b = z->reads[c->b] == 1 ? product_at(z, c->b) : NULL;
        program_instruction *const m = a && (!b || z->ready[c->a] > z->ready[c->b]) ? a : b;
        if (!m) continue;
        take_in(c, m->target, m);
        m->op = PROGRAM_END; /* is left out */
    }
}

static uint32_t cycles(const program_instruction *c)
{
    if (c->op == OP_DIV || c->op == OP_SQRT) return 13;
    return c->op == OP_ABS || c->op == OP_NEG || c->op == PROGRAM_MOVE ? 1 : 3;
}

static void find_ready(const fusion *z)
{
    for (uint32_t i = 0; i < z->t->count; i++) {
        const program_instruction *c = &z->t->code[i];
        uint32_t last = z->ready[c->a];
        if (reads_b(c) && z->ready[c->b] > last) last = z->ready[c->b];
        z->ready[c->target] = last + cycles(c);
    }
}

static void count_takers(const fusion *z)
{
    for (uint32_t i = 0; i < z->t->count; i++) z->takers[z->t->code[i].target] = 0;
    for (uint32_t i = 0; i < z->t->count; i++) {
        const program_instruction *c = &z->t->code[i];
        if (!can_take(c)) continue;
        if (product_at(z, c->a)) z->takers[c->a]++;
        if (product_at(z, c->b)) z->takers[c->b]++;
    }
}

/* Those that several sums of this tape read, and nothing else. A sum that takes one in is lost to the other one. */
static void fuse_several(const fusion *z)
{
    count_takers(z);
    for (uint32_t i = 0; i < z->t->count; i++) {
        program_instruction *m = &z->t->code[i];
        const uint32_t r = m->target;
        if (product_at(z, r) != m || !z->takers[r] || z->takers[r] != z->reads[r]) continue;
        for (uint32_t k = i + 1, left = z->takers[r]; left > 0; k++) {
            program_instruction *c = &z->t->code[k];
            if (!can_take(c) || (c->a != r && c->b != r)) continue;
            const uint32_t other = c->a == r ? c->b : c->a;
            if (product_at(z, other)) z->takers[other]--;
            take_in(c, r, m);
            left--;
        }
        m->op = PROGRAM_END;
    }
}

/* arrays: of the program's registers, four one after the other */
static void fuse_segment(segment *t, uint32_t *arrays, uint32_t register_count)
{
    uint32_t *const at = arrays + register_count, kept = 0;
    const fusion z = { t, arrays, at, at + register_count, at + 2 * (size_t)register_count };
    find_ready(&z);
    for (uint32_t i = 0; i < t->count; i++) at[t->code[i].target] = i;
    fuse_single(&z);
    fuse_several(&z);
    for (uint32_t i = 0; i < t->count; i++) {
        at[t->code[i].target] = NOWHERE;
        if (t->code[i].op != PROGRAM_END) t->code[kept++] = t->code[i];
    }
    t->count = kept;
}

/* Unknowns are there when they have been corrected. */
static void find_unknowns(const program_phase *f, uint32_t *ready)
{
    for (uint32_t i = 0; i < f->size; i++)
        ready[f->unknowns[i]] = ready[f->iteration.twice ? f->seconds[i] : f->changes[i]] + 3;
}

int X(program_fuse)(program *p)
{
    const uint32_t count = p->register_count;
    uint32_t *arrays = taut_mem_new(p->context, 4 * (size_t)count, sizeof *arrays);
    if (!arrays) return TAUT_OUT_OF_MEMORY;
    memset(arrays + count, 0xff, count * sizeof *arrays);
    count_reads(p, arrays);
    drop_unread(p, arrays);
    fuse_segment(&p->setup, arrays, count);
    memset(arrays + 3 * (size_t)count, 0, count * sizeof *arrays); /* setup is over when a step begins */
    for (int k = 0; k < p->phase_count; k++) {
        program_phase *f = &p->phases[k];
        segment *tapes[] = { &f->begin, &f->residual, &f->factor, &f->solve };
        for (int i = 0; i < 4; i++) fuse_segment(tapes[i], arrays, count);
        for (int i = 0; i < f->further_count; i++) fuse_segment(&f->further[i].tape, arrays, count);
        find_unknowns(f, arrays + 3 * (size_t)count);
    }
    fuse_segment(&p->results, arrays, count);
    taut_mem_free(p->context, arrays);
    return TAUT_OK;
}
