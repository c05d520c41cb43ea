/* A member per lane of the processor's vectors. Each thread takes a pack of members, some groups of lanes, through all
   legs: their numbers stay in the nearest cache. */
#include "base/clock.h"
#include "ensemble/inside.h"
#include "native/native.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Up to so many instructions, with AVX-512, a step is that of two vectors at a time: longer ones have too few
   registers. */
enum { PACK_MOST = 16, PAIRED_MOST = 600 };

struct lanes {
    native *native;
    lanes_function *run;
    int count, groups;       /* lanes, and groups of them in a pack */
    double *evens;           /* of the run at hand: of its legs, one after the other */
    size_t even_room;
    /* rows; read is NULL while there is no code */
    native *row_native;
    rows_function *read;
    double *row_even;
};

/* ---- code ---- */

static int lanes_of_processor(size_t instructions)
{
    (void)instructions;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512dq")) return instructions > PAIRED_MOST ? 8 : 16;
    if (__builtin_cpu_supports("avx")) return 4;
    return 2;
#else
    return 2;
#endif
}

/* Options of the compiler: these are short functions, and worth it. */
static const char *const flags[] = { "-O1", "-fno-tree-slp-vectorize", NULL };

int taut_lanes_create(executor *e, struct lanes **result)
{
    struct lanes *l = *result = taut_mem_new(e->context, 1, sizeof *l);
    builder text = { .context = e->context };
    const native_options options = { .flags = flags, .limit = 60 };
    native_use use = { 0 };
    void *entry = NULL;
    if (!l) return TAUT_OUT_OF_MEMORY;
    l->count = e->options.lanes ? e->options.lanes : lanes_of_processor(e->plan.instructions);
    l->groups = l->count < PACK_MOST ? 2 : 1;
    taut_native_use_begin(&use, e->options.native);
    if (use.mode == TAUT_NATIVE_OFF) {
        snprintf(e->note, sizeof e->note, "members are run one by one: lanes need native code, which is off");
        return TAUT_OK;
    }
    int status = taut_text_lanes(&e->plan, l->count, l->groups, &text);
    if (!status) status = taut_native_begin(e->context, text.text, text.length, LANES_ENTRY, &options, &l->native);
    taut_builder_clear(&text);
    if (status) return status;
    if (taut_native_wait(l->native, &entry) != NATIVE_READY)
        snprintf(e->note, sizeof e->note, "members are run one by one: lanes need a C compiler: %.200s",
                 taut_native_reason(l->native));
    l->run = (lanes_function *)entry;
    return TAUT_OK;
}

int taut_lanes_begin_rows(executor *e)
{
    struct lanes *l = e->lanes;
    builder text = { .context = e->context };
    const native_options options = { .flags = flags, .limit = 60 };
    double *registers = taut_mem_new(e->context, e->row.plan.registers + PROGRAM_WORK, sizeof *registers);
    l->row_even = taut_mem_new(e->context, e->row.plan.even_count + 1, sizeof *l->row_even);
    int status = registers && l->row_even ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) taut_text_outside(&e->row.plan, e->z->s, 1, registers, l->row_even, NULL, 0);
    taut_mem_free(e->context, registers);
    if (!status) status = taut_text_lane_rows(&e->row, l->count, l->groups, &text);
    if (!status)
        status = taut_native_begin(e->context, text.text, text.length, LANE_ROWS_ENTRY, &options, &l->row_native);
    taut_builder_clear(&text);
    return status;
}

/* Members are read one by one until it is there, or where it never is. */
void taut_lanes_find_rows(executor *e)
{
    struct lanes *l = e->lanes;
    void *entry = NULL;
    if (l->read) return;
    const int found = e->options.rows_least == 1 ? (int)taut_native_wait(l->row_native, &entry)
                                                 : (int)taut_native_poll(l->row_native, &entry);
    if (found == NATIVE_READY) l->read = (rows_function *)entry;
}

void taut_lanes_forget_rows(executor *e)
{
    struct lanes *l = e->lanes;
    taut_native_end(l->row_native);
    taut_mem_free(e->context, l->row_even);
    l->row_native = NULL, l->read = NULL, l->row_even = NULL;
}

void taut_lanes_destroy(executor *e, struct lanes *l)
{
    if (!l) return;
    taut_native_end(l->native);
    taut_mem_free(e->context, l->evens);
    taut_mem_free(e->context, l);
}

int taut_lanes_serve(const struct lanes *l) { return l->run != NULL; }
int taut_lanes_read(const struct lanes *l) { return l->read != NULL; }
size_t taut_lanes_width(const struct lanes *l) { return (size_t)l->count * (size_t)l->groups; }

/* ---- a pack of members ---- */

typedef struct {
    const job *j;
    worker *w;
    const struct lanes *l;
    double *x, *odd, *numbers; /* numbers: member_size of each; NULL: they do not differ */
    double *row_odd, *rows, *row_registers; /* where rows are read together */
    long done[PACK_MOST], sure[PACK_MOST];
    unsigned char over[PACK_MOST];
    size_t first, count;       /* members */
    batch_time t;
    long steps;
    double h;                  /* of odd; 0: none */
    double seconds;
} pack;

static batch_slot slot_of(const pack *p, size_t i)
{
    const size_t lanes = (size_t)p->l->count, numbers = p->j->e->plan.numbers;
    return (batch_slot){ p->x + i / lanes * numbers * lanes + i % lanes, lanes,
                         p->numbers ? p->numbers + i * p->j->e->member_size : NULL };
}

static double *odd_of(const pack *p, size_t i)
{
    const size_t lanes = (size_t)p->l->count;
    return p->odd + i / lanes * p->j->e->plan.odd_count * lanes + i % lanes;
}

static double *row_odd_of(const pack *p, size_t i)
{
    const size_t lanes = (size_t)p->l->count;
    return p->row_odd + i / lanes * p->j->e->row.plan.odd_count * lanes + i % lanes;
}

static double *align(void *block) { return (double *)(((uintptr_t)block + 63) / 64 * 64); }

static int create_rows(const executor *e, worker *w, pack *p)
{
    const text_plan *z = &e->row.plan;
    const size_t width = taut_lanes_width(e->lanes), odd = z->odd_count * width, rows = e->row_size * width;
    if (!w->row_batch)
        w->row_batch = taut_mem_new(w->context, odd + rows + z->registers + PROGRAM_WORK + 16, sizeof(double));
    if (!w->row_batch) return TAUT_OUT_OF_MEMORY;
    p->row_odd = align(w->row_batch);
    p->rows = p->row_odd + odd;
    p->row_registers = p->rows + rows;
    return TAUT_OK;
}

/* Memory of a worker, made when it is first needed. */
static int create_pack(const job *j, worker *w, pack *p)
{
    const executor *e = j->e;
    const text_plan *z = &e->plan;
    const size_t width = taut_lanes_width(e->lanes), x = z->numbers * width, odd = z->odd_count * width;
    *p = (pack){ .j = j, .w = w, .l = e->lanes };
    if (!w->batch)
        w->batch = taut_mem_new(w->context, x + odd + (e->differ ? width * e->member_size : 0) + 16, sizeof(double));
    if (!w->batch) return TAUT_OUT_OF_MEMORY;
    p->x = align(w->batch);
    p->odd = p->x + x;
    if (e->differ) p->numbers = p->odd + odd;
    return e->lanes->read && j->reads ? create_rows(e, w, p) : TAUT_OK;
}

/* The numbers from outside for steps of this length. Empty lanes have those of the first member that there is. */
static void set_length(pack *p, double h)
{
    const text_plan *z = &p->j->e->plan;
    if (!z->odd_count || h == p->h) return;
    p->h = h;
    for (size_t i = 0; i < p->count; i++)
        if (!p->over[i] && !taut_batch_load(p->w, p->j, p->first + i, slot_of(p, i), p->t))
            taut_text_outside(z, p->w->z->s, h, p->w->registers, NULL, odd_of(p, i), (size_t)p->l->count);
}

static void advance(pack *p, const executor_leg *leg, const double *even)
{
    const text_plan *z = &p->j->e->plan;
    const double h = (double)leg->h;
    const size_t width = taut_lanes_width(p->l);
    double time[3] = { p->t.t, p->t.t_low, h }, t_lambda;
    set_length(p, h);
    for (size_t i = 0; i < width; i++) p->done[i] = i >= p->count || p->over[i] ? -1 : 0;
    const double begin = clock_seconds();
    p->l->run(p->x, even, p->odd, time, leg->steps, p->done);
    p->seconds += clock_seconds() - begin;
    for (size_t i = 0; i < p->count; i++) {
        if (p->over[i] || p->done[i] == leg->steps) continue;
        p->j->members[p->first + i].steps = p->steps;
        p->over[i] = (unsigned char)taut_batch_left(p->w, p->j, p->first + i, slot_of(p, i), p->t, h, p->done[i],
                                                    leg->steps);
    }
    p->t = taut_batch_advance(z, p->t, h, leg->steps, &t_lambda);
    p->steps += leg->steps;
    for (size_t i = 0; !isnan(t_lambda) && i < p->count; i++)
        if (!p->over[i]) slot_of(p, i).x[(5 * z->n + z->c) * (size_t)p->l->count] = t_lambda;
}

static int is_any_left(const pack *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!p->over[i]) return 1;
    return 0;
}

/* Rows of all members, together where there is code for it, and alone where its numbers do not count. */
static void read_members(pack *p, size_t read)
{
    const job *j = p->j;
    const size_t size = j->e->row_size, lanes = (size_t)p->l->count;
    const double time[2] = { p->t.t, p->t.t_low };
    if (p->rows) p->l->read(p->x, p->l->row_even, p->row_odd, time, p->rows, p->sure);
    for (size_t i = 0; i < p->count; i++) {
        if (p->over[i]) continue;
        if (!p->rows || !p->sure[i]) {
            p->over[i] = (unsigned char)taut_batch_read(p->w, j, p->first + i, slot_of(p, i), p->t, read);
            continue;
        }
        double *to = j->rows + ((p->first + i) * j->reads + read) * size;
        const double *from = p->rows + i / lanes * size * lanes + i % lanes;
        for (size_t k = 0; k < size; k++) to[k] = from[k * lanes];
    }
}

static void run_legs(pack *p, const double *even)
{
    const job *j = p->j;
    size_t read = 0;
    for (size_t k = 0; k < j->leg_count && is_any_left(p); k++, even += j->e->plan.even_count) {
        if (j->legs[k].steps > 0) advance(p, &j->legs[k], even);
        if (!j->legs[k].reads) continue;
        read_members(p, read++);
    }
    for (size_t i = 0; i < p->count; i++)
        if (!p->over[i]) taut_batch_end(j, p->first + i, slot_of(p, i), p->t, p->steps);
}

/* Lanes without a member compute with the numbers of another one, so that nothing is slow or no number. */
static void fill_empty(const pack *p)
{
    const size_t width = taut_lanes_width(p->l), numbers = p->j->e->plan.numbers, odds = p->j->e->plan.odd_count;
    size_t from = 0;
    while (from < p->count && p->over[from]) from++;
    for (size_t i = 0; from < p->count && i < width; i++) {
        if (i < p->count && !p->over[i]) continue;
        const batch_slot a = slot_of(p, from), b = slot_of(p, i);
        for (size_t k = 0; k < numbers; k++) b.x[k * b.stride] = a.x[k * a.stride];
        for (size_t k = 0; k < odds; k++) odd_of(p, i)[k * b.stride] = 1;
        for (size_t k = 0; p->rows && k < p->j->e->row.plan.odd_count; k++) row_odd_of(p, i)[k * b.stride] = 1;
    }
}

static void one_pack(void *self, int index, int worker_index)
{
    const job *j = self;
    executor *e = j->e;
    worker *w = &e->workers[worker_index];
    const size_t width = taut_lanes_width(e->lanes);
    pack p;
    int status = create_pack(j, w, &p);
    p.first = (size_t)index * width;
    p.count = j->count - p.first < width ? j->count - p.first : width;
    p.t = j->from ? (batch_time){ j->from[p.first * e->state_size], j->from[p.first * e->state_size + 1] }
                  : (batch_time){ e->z->begin.t, e->z->begin.t_low };
    for (size_t i = 0; i < p.count; i++) {
        if (status)
            taut_worker_failed(w, &j->members[p.first + i], status, 0);
        else
            p.over[i] = (unsigned char)taut_batch_open(w, j, p.first + i, slot_of(&p, i), &p.t);
        if (!status && !p.over[i] && p.rows && e->row.plan.odd_count)
            taut_text_outside(&e->row.plan, w->z->s, 1, p.row_registers, NULL, row_odd_of(&p, i),
                              (size_t)e->lanes->count);
    }
    if (status) return;
    fill_empty(&p);
    run_legs(&p, e->lanes->evens);
    taut_worker_close(w);
    w->seconds += p.seconds;
}

int taut_lanes_run(executor *e, const job *j)
{
    struct lanes *l = e->lanes;
    const size_t size = e->plan.even_count, width = taut_lanes_width(l);
    if (taut_mem_grow(e->context, &l->evens, &l->even_room, j->leg_count * size + 1, sizeof *l->evens))
        return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < j->leg_count; k++)
        if (j->legs[k].steps > 0)
            taut_text_outside(&e->plan, e->z->s, (double)j->legs[k].h, e->workers[0].registers, l->evens + k * size,
                              NULL, 0);
    for (int i = 0; i < e->worker_count; i++) e->workers[i].seconds = 0;
    taut_pool_run(e->pool, pool_pieces(j->count, width), one_pack, (job *)j);
    for (int i = 0; i < e->worker_count; i++) e->seconds += e->workers[i].seconds;
    return TAUT_OK;
}
