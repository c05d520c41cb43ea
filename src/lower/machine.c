#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE
#include "lower/expect.h"
#include "native/native.h"

static void mark_list(machine *m, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) m->lasts[first + i] = m->lasts_whole[first + i] = 1;
}

/* ---- who reads what ---- */

/* What is read where the processor's registers are others than where it was computed stands in memory. */
static uint32_t mark_joined(machine *m, uint32_t number)
{
    for (uint32_t i = 0; !m->failed && i < m->joined.count; i++) {
        const program_instruction *c = &m->joined.code[i];
        uint32_t read[3];
        for (int k = X(step_flow_operands)(c, read); k-- > 0;)
            if (m->last[read[k]] != number) m->lasts[read[k]] = 1;
        if (flow_has_target(c)) m->last[c->target] = number;
        number += machine_divides(c);
    }
    return number + 1;
}

static void join_setup(machine *m) { X(machine_translate)(m, m->p->setup.code, m->p->setup.count); }
static void join_step(machine *m) { X(machine_translate)(m, m->p->flow.code, m->p->flow.count); }

static void find_lasting(machine *m)
{
    const program *p = m->p;
    join_setup(m);
    const uint32_t number = mark_joined(m, 1);
    join_step(m);
    mark_joined(m, number);
    mark_list(m, p->state_first, p->state_count);
    mark_list(m, p->flow.report_first, p->flow.report_count);
    mark_list(m, p->flow.count_first, FLOW_COUNTS);
}

/* ---- whether it pays ---- */

/* Nanoseconds (docs/performance.md): to write a program at all, and for each instruction; for those of functions for
   whole steps, which are put in order; what an instruction saves each time that it is run, and such a function after a
   step that nobody looks at. */
static const double start_costs = 15e3, writing_costs = 65, ordering_costs = 290;
static const double running_saves = 2, joining_saves = 35;
/* Code must save so many times what it costs: other machines have other figures. */
static const double margin = 2;

static double length_of(const program_phase *f) { return f->residual.count + f->factor.count + f->solve.count; }

/* As if an instruction of a phase were written twice, and run as often as in the first straight flow. */
static int pays_off(const program *p, double times)
{
    double written = p->setup.count + p->results.count, run = p->results.count;
    for (int k = 0; k < p->phase_count; k++) {
        const program_phase *f = &p->phases[k];
        const int rounds = X(expect_rounds)(p, f, 0);
        written += 2 * (f->begin.count + length_of(f));
        run += f->begin.count + length_of(f) * (rounds ? rounds : 1);
    }
    return taut_native_pays(p->s->native, times * running_saves * run,
                            margin * (start_costs + writing_costs * written));
}

static int whole_pays(const program *p)
{
    const native_use *use = p->s->native;
    const int count = X(expect_count)(p);
    double written = 0;
    for (int i = 0; i < count; i++) {
        written += p->results.count;
        for (int k = 0; k < p->phase_count; k++)
            written += p->phases[k].begin.count + length_of(&p->phases[k]) * X(expect_rounds)(p, &p->phases[k], i);
    }
    return !use || taut_native_pays(use, (use->steps - use->looks) * joining_saves, written * ordering_costs);
}

/* ---- the code of a program ---- */

#define NOT_THERE SIZE_MAX

/* Where functions begin. */
typedef struct {
    size_t set_up, step, whole[PROGRAM_WHOLE];
} function_places;

static size_t put_whole(machine *m, int which)
{
    program *p = m->p;
    step_flow straight = { 0 };
    memset(p->whole[which].counts, 0, sizeof p->whole[which].counts);
    if (!m->failed) m->failed = X(expect_flow)(p, which, &straight, p->whole[which].counts) != TAUT_OK;
    const int is_there = !m->failed && straight.count;
    if (is_there) X(machine_translate)(m, straight.code, straight.count), X(machine_order)(m);
    X(step_flow_clear)(p->context, &straight);
    return is_there ? X(machine_write)(m) : NOT_THERE;
}

static void put_all(machine *m, function_places *at)
{
    X(machine_write_before)(m);
    join_setup(m);
    at->set_up = X(machine_write)(m);
    join_step(m);
    at->step = X(machine_write)(m);
    const int whole = whole_pays(m->p) ? X(expect_count)(m->p) : 0;
    unsigned char *lasts = m->lasts;
    m->lasts = m->lasts_whole;
    for (int i = 0; i < PROGRAM_WHOLE; i++) at->whole[i] = i < whole ? put_whole(m, i) : NOT_THERE;
    m->lasts = lasts;
}

static program_code *code_at(const program *p, size_t at)
{
    const char *bytes = p->pages && at != NOT_THERE ? (const char *)p->pages + at : NULL;
    program_code *code;
    memcpy(&code, &bytes, sizeof code); /* a function from a pointer to data */
    return code;
}

static void point_to_all(program *p, const function_places *at)
{
    p->set_up = code_at(p, at->set_up), p->step = code_at(p, at->step);
    for (int i = 0; i < PROGRAM_WHOLE; i++) p->whole[i].code = code_at(p, at->whole[i]);
}

static void clear_machine(machine *m)
{
    taut_context *context = m->p->context;
    void *all[] = { m->bytes, m->joined.code, m->ordered.code, m->order_work, m->lasts, m->lasts_whole, m->jumps,
                    m->begins, m->where, m->last, m->next };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) taut_mem_free(context, all[i]);
}

int X(machine_create)(program *p, double times, int *pays)
{
    *pays = 1;
    const unsigned registers = X(machine_host).registers();
    if (!registers || value_count(p) > INT32_MAX / sizeof(real)) return TAUT_OK;
    if (!(*pays = pays_off(p, times))) return TAUT_OK;
    const size_t values = value_count(p);
    machine m = { .p = p,
                  .target = &X(machine_host),
                  .all = registers,
                  .lasts = taut_mem_new(p->context, values, 1),
                  .lasts_whole = taut_mem_new(p->context, values, 1),
                  .where = taut_mem_new(p->context, values, 1),
                  .last = taut_mem_new(p->context, values, sizeof *m.last) };
    function_places at;
    m.failed = !m.lasts || !m.lasts_whole || !m.where || !m.last;
    if (!m.failed) {
        memset(m.where, NOWHERE, values);
        find_lasting(&m);
        put_all(&m, &at);
    }
    if (!m.failed) {
        p->pages = taut_native_pages(m.bytes, p->pages_size = m.count);
        point_to_all(p, &at);
    }
    clear_machine(&m);
    return m.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
#else
int X(machine_create)(program *p, double times, int *pays)
{
    (void)p, (void)times;
    *pays = 1;
    return TAUT_OK;
}
#endif
