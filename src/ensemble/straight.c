/* Straight flows (lower/expect.h) for texts: every value has a register of its own, and velocities that are momenta
 * times constants are not kept.
 *
 * With a constant diagonal mass velocities are read only for the size of the largest, as a part of the unit of
 * corrections: it can be taken from the momenta. Rounding is monotonic, so the largest of products with one constant is
 * that of the largest momentum, to the last bit. */
#include <string.h>

#include "ensemble/writer.h"
#include "lower/expect.h"

/* ---- values ---- */

/* Of a register of the program's flow: is it computed in a loop? */
static void find_loops(const step_flow *f, unsigned char *is_inside)
{
    int depth = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const program_instruction *c = &f->code[i];
        depth += (c->op == FLOW_LOOP || c->op == FLOW_IF) - (c->op == FLOW_REPEAT || c->op == FLOW_FI);
        if (flow_has_target(c) && depth) is_inside[c->target] = 1;
    }
}

/* Values come in three ranges: those of iterations, from w->in_order to w->in_order_end, those of other tapes, and,
   from f->value_first on, those that stand around tapes. now: of a register, the one that has its value. */
static void rename_values(text_writer *w, step_flow *f, uint32_t own, const unsigned char *is_inside, uint32_t *now)
{
    const uint32_t first = f->register_count;
    uint32_t kept = 0, next[3] = { first, first + f->count, first + 2 * f->count };
    w->in_order = next[0], w->in_order_end = next[1], f->value_first = next[2];
    f->register_count = first + 3 * f->count;
    for (uint32_t r = 0; r < first; r++) now[r] = r;
    for (uint32_t i = 0; i < f->count; i++) {
        program_instruction c = f->code[i];
        uint32_t *const operands[] = { &c.a, &c.b, &c.c }, read[3];
        const int is_out = flow_has_target(&c) && taut_text_is_put_out(w, c.target);
        for (int k = X(step_flow_operands)(&c, read); k-- > 0;) *operands[k] = now[read[k]];
        if (flow_has_target(&c) && !is_out) {
            const uint32_t value = next[c.target >= own ? 2 : !is_inside[c.target]]++;
            now[c.target] = c.op == PROGRAM_MOVE ? c.a : value;
            if (c.op == PROGRAM_MOVE) continue;
            c.target = value;
        }
        f->code[kept++] = c;
    }
    f->count = kept;
}

/* ---- velocities ---- */

typedef struct {
    const text_writer *w;
    step_flow *f;
    uint32_t *made;           /* of a register: 1 + the instruction that computes it */
    uint32_t *factors;        /* of a coordinate */
    int failed;
} velocities;

static uint32_t append(velocities *v, uint32_t o, uint32_t a, uint32_t b)
{
    const uint32_t target = v->f->register_count++;
    v->failed |= X(step_flow_add)(v->w->plan->context, v->f, (program_instruction){ o, target, a, b, 0 }) != TAUT_OK;
    return target;
}

static int is_constant(const text_writer *w, uint32_t r)
{
    double literal;
    return taut_text_place(w, r) != UINT32_MAX || taut_text_literal(w, r, &literal);
}

/* The register that a number of the new state is; UINT32_MAX: it stays as it is. */
static uint32_t find_new(const velocities *v, uint32_t number)
{
    for (uint32_t i = v->f->count; i-- > 0;)
        if (v->f->code[i].op == PROGRAM_MOVE && v->f->code[i].target == v->w->t->p->state_first + number)
            return v->f->code[i].a;
    return UINT32_MAX;
}

static uint32_t factor_of(const velocities *v, uint32_t i)
{
    const uint32_t n = v->w->plan->n, w = find_new(v, 2 * n + i), momentum = find_new(v, n + i);
    if (w == UINT32_MAX || momentum == UINT32_MAX || !v->made[w]) return UINT32_MAX;
    const program_instruction *c = &v->f->code[v->made[w] - 1];
    if (c->op != OP_MUL || (c->a != momentum && c->b != momentum)) return UINT32_MAX;
    const uint32_t other = c->a == momentum ? c->b : c->a;
    return is_constant(v->w, other) ? other : UINT32_MAX;
}

/* The coordinate whose velocity the register is; UINT32_MAX: it is something else. */
static uint32_t velocity_of(const text_writer *w, uint32_t r)
{
    const uint32_t n = w->plan->n, first = w->t->p->state_first + 2 * n;
    return r >= first && r < first + n ? r - first : UINT32_MAX;
}

/* Are velocities read for their size alone? */
static int reads_sizes_alone(const velocities *v)
{
    for (uint32_t i = 0; i < v->f->count; i++) {
        const program_instruction *c = &v->f->code[i];
        uint32_t read[3];
        for (int k = X(step_flow_operands)(c, read); k-- > 0;)
            if (velocity_of(v->w, read[k]) != UINT32_MAX && c->op != OP_ABS) return 0;
    }
    return 1;
}

/* The largest of sizes of velocities: the coordinates are added to those. Returns whether it is one. */
static int list_speeds(const velocities *v, uint32_t r, unsigned char *those)
{
    const program_instruction *c = v->made[r] ? &v->f->code[v->made[r] - 1] : NULL;
    if (!c) return 0;
    if (c->op == OP_MAX) return list_speeds(v, c->a, those) && list_speeds(v, c->b, those);
    const uint32_t i = c->op == OP_ABS ? velocity_of(v->w, c->a) : UINT32_MAX;
    if (i != UINT32_MAX) those[i] = 1;
    return i != UINT32_MAX;
}

static uint32_t larger(velocities *v, uint32_t a, uint32_t b) { return a == UINT32_MAX ? b : append(v, OP_MAX, a, b); }

/* Makes the instruction one of momenta: of equal factors the largest momentum counts. */
static void put_speed(velocities *v, uint32_t at, unsigned char *those)
{
    const uint32_t n = v->w->plan->n, momenta = v->w->t->p->state_first + n;
    uint32_t all = UINT32_MAX, last = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t most = UINT32_MAX;
        for (uint32_t k = i; those[i] && k < n; k++)
            if (k == i || (those[k] && v->factors[k] == v->factors[i]))
                most = larger(v, most, append(v, OP_ABS, momenta + k, 0)), those[k] = k == i;
        if (most == UINT32_MAX) continue;
        if (last != UINT32_MAX) all = larger(v, all, append(v, OP_ABS, last, 0));
        last = append(v, OP_MUL, v->factors[i], most), those[i] = 0;
    }
    program_instruction *c = &v->f->code[at];
    if (all == UINT32_MAX) {
        *c = (program_instruction){ OP_ABS, c->target, last, 0, 0 };
    } else {
        const uint32_t target = c->target, size = append(v, OP_ABS, last, 0);
        v->f->code[at] = (program_instruction){ OP_MAX, target, all, size, 0 };
    }
}

static int is_velocity_store(const velocities *v, const program_instruction *c)
{
    return flow_has_target(c) && velocity_of(v->w, c->target) != UINT32_MAX;
}

/* From the last on: what is larger contains what is smaller. Instructions are added behind; their order says when
   exits are asked for, and nothing else. */
static void take_from_momenta(velocities *v, unsigned char *those)
{
    const uint32_t count = v->f->count;
    for (uint32_t i = count; i-- > 0 && !v->failed;) {
        const program_instruction c = v->f->code[i];
        memset(those, 0, v->w->plan->n);
        if ((c.op == OP_MAX || c.op == OP_ABS) && list_speeds(v, c.target, those)) put_speed(v, i, those);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < v->f->count; i++)
        if (!is_velocity_store(v, &v->f->code[i])) v->f->code[kept++] = v->f->code[i];
    v->f->count = kept;
}

/* factors: of coordinates; factors[0] is UINT32_MAX where velocities are kept. */
static int forget_velocities(const text_writer *w, step_flow *f, uint32_t *factors)
{
    const uint32_t n = w->plan->n;
    velocities v = { .w = w, .f = f, .factors = factors };
    unsigned char *those = taut_mem_new(w->plan->context, n + 1, 1);
    v.made = taut_mem_new(w->plan->context, f->register_count, sizeof *v.made);
    v.failed = !v.made || !those;
    for (uint32_t i = 0; !v.failed && i < f->count; i++)
        if (flow_has_target(&f->code[i])) v.made[f->code[i].target] = i + 1;
    int fits = !v.failed && n && f->count && reads_sizes_alone(&v);
    for (uint32_t i = 0; fits && i < n; i++) fits = (factors[i] = factor_of(&v, i)) != UINT32_MAX;
    if (fits)
        take_from_momenta(&v, those);
    else
        factors[0] = UINT32_MAX;
    taut_mem_free(w->plan->context, v.made);
    taut_mem_free(w->plan->context, those);
    return v.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

int taut_text_straight(text_writer *w, const text_program *t, const step_flow *from, int which, step_flow *f,
                       uint32_t *factors)
{
    const program *p = t->p;
    taut_context *context = w->plan->context;
    long counts[FLOW_COUNTS] = { 0 };
    *f = (step_flow){ .report_first = from->report_first, .count_first = from->count_first,
                        .literal_first = from->literal_first, .literal_count = from->literal_count };
    int status = X(expect_flow_of)(p, from, which, f, counts);
    f->literals = status ? NULL : taut_mem_new(context, from->literal_count + 1, sizeof *f->literals);
    if (!status && !f->literals) status = TAUT_OUT_OF_MEMORY;
    if (!status) memcpy(f->literals, from->literals, from->literal_count * sizeof *f->literals);
    w->t = t, w->f = f;
    f->register_count += PROGRAM_WORK;
    uint32_t *now = taut_mem_new(context, f->register_count, sizeof *now);
    unsigned char *is_inside = taut_mem_new(context, f->register_count, 1);
    if (!status && !(now && is_inside)) status = TAUT_OUT_OF_MEMORY;
    if (!status) find_loops(from, is_inside), rename_values(w, f, from->value_first, is_inside, now);
    if (!status && factors) status = forget_velocities(w, f, factors);
    taut_mem_free(context, now);
    taut_mem_free(context, is_inside);
    return status;
}
