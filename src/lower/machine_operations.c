/* Operations of flows in terms of those that the processor has. */
#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE
static void add(machine *m, uint32_t o, uint32_t target, uint32_t a, uint32_t b, uint32_t c)
{
    if (!m->failed)
        m->failed = X(step_flow_add)(m->p->context, &m->joined, (program_instruction){ o, target, a, b, c }) != TAUT_OK;
}

/* A number of work that was not used for long: what is computed side by side does not share one. */
static uint32_t passing(machine *m)
{
    m->passing = (m->passing + 1) % PROGRAM_WORK;
    return m->p->flow.register_count + (uint32_t)m->passing;
}

/* a, or |b| where that is more; max is its second operand where one is no number, so what a is must be added. */
static void add_most(machine *m, const program_instruction *c)
{
    const uint32_t size = passing(m), nothing = passing(m);
    add(m, OP_ABS, size, c->b, 0, 0);
    add(m, OP_MAX, size, c->a, size, 0);
    add(m, OP_SUB, nothing, c->a, c->a, 0);
    add(m, OP_ADD, c->target, size, nothing, 0);
}

static void add_exceeds(machine *m, const program_instruction *c)
{
    const uint32_t size = passing(m), bound = passing(m);
    add(m, OP_ABS, size, c->a, 0, 0);
    add(m, OP_ABS, bound, c->b, 0, 0);
    add(m, OP_MUL, bound, bound, c->c, 0);
    add(m, FLOW_BELOW, c->target, bound, size, 0);
}

/* One of both is times zero. */
static void add_chosen(machine *m, const program_instruction *c, uint32_t one)
{
    const uint32_t first = passing(m), second = passing(m);
    add(m, OP_MUL, first, c->a, c->b, 0);
    add(m, OP_SUB, second, one, c->a, 0);
    add(m, OP_MUL, second, second, c->c, 0);
    add(m, OP_ADD, c->target, first, second, 0);
}

static void add_instruction(machine *m, const program_instruction *c)
{
    const uint32_t zero = m->p->flow.literal_first + FLOW_ZERO, one = m->p->flow.literal_first + FLOW_ONE;
    switch (c->op) {
    case PROGRAM_END: break;
    case FLOW_MOST: add_most(m, c); break;
    case FLOW_EXCEEDS: add_exceeds(m, c); break;
    case FLOW_CHOSEN: add_chosen(m, c, one); break;
    case FLOW_IS_NUMBER: {
        const uint32_t nothing = passing(m);
        add(m, OP_SUB, nothing, c->a, c->a, 0);
        add(m, FLOW_AT_MOST, c->target, nothing, nothing, 0);
        break;
    }
    case FLOW_BOTH: add(m, OP_MIN, c->target, c->a, c->b, 0); break;
    case FLOW_EITHER: add(m, OP_MAX, c->target, c->a, c->b, 0); break;
    case FLOW_NOT: add(m, OP_SUB, c->target, one, c->a, 0); break;
    case FLOW_COUNT: add(m, OP_ADD, c->target, c->target, one, 0); break;
    case FLOW_LEAVE: add(m, FLOW_LEAVE_UNLESS_ABOVE, 0, c->a, zero, c->c); break;
    default: add(m, c->op, c->target, c->a, c->b, c->c); break;
    }
}

void X(machine_translate)(machine *m, const program_instruction *code, uint32_t count)
{
    step_flow *f = &m->joined;
    f->count = 0;
    /* where each instruction begins, so that jumps find theirs */
    if (taut_mem_grow(m->p->context, &m->begins, &m->begin_capacity, (size_t)count + 1, sizeof *m->begins)) m->failed = 1;
    for (uint32_t i = 0; !m->failed && i < count; i++) {
        m->begins[i] = f->count;
        add_instruction(m, &code[i]);
    }
    for (uint32_t i = 0; !m->failed && i < f->count; i++) {
        program_instruction *c = &f->code[i];
        if (c->op == FLOW_NEXT || c->op == FLOW_REPEAT || c->op == FLOW_IF) c->c = (uint32_t)m->begins[c->c];
    }
}
#endif
