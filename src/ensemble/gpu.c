/* A member per thread of a graphics processor. The numbers of all members of a block stay on the device; the host makes
   starts, rows, and the steps that are left to the general path. */
#include "base/clock.h"
#include "ensemble/driver.h"
#include "ensemble/inside.h"

#include <math.h>
#include <string.h>

enum { THREADS = 128 };
/* Steps of a launch, at most: short enough that other programs get their turn, and members that are left to the general
   path soon come back. */
enum { LAUNCH_STEPS = 4000 };

struct gpu {
    driver d;
    void *kernel;
};

/* A block of members. */
typedef struct {
    executor *e;
    const job *j;
    size_t count;
    double *x, *odd, *even, *numbers; /* on the host: [number][member], likewise, numbers, [member][number] */
    long long *done;
    unsigned char *over;              /* of a member: it failed, or was run alone */
    device_memory d_x, d_odd, d_done, d_even;
    int on_host;                      /* x is up to date there */
    int on_device;
    batch_time t;
    double h;                         /* of the step at hand */
    long steps;                       /* made by all */
    long leg_steps;
    size_t read;
} block;

static batch_slot slot_of(const block *b, size_t i)
{
    return (batch_slot){ b->x + i, b->count, b->numbers ? b->numbers + i * b->e->member_size : NULL };
}

/* A member that is over is no number: its thread leaves its first step. */
static void end_member(const block *b, size_t i)
{
    b->over[i] = 1;
    for (size_t k = 0; k < b->e->plan.numbers; k++) b->x[k * b->count + i] = (double)NAN;
}

int taut_gpu_create(executor *e, struct gpu **result)
{
    struct gpu *g = taut_mem_new(e->context, 1, sizeof *g);
    builder text = { .context = e->context };
    *result = g;
    if (!g) return TAUT_OUT_OF_MEMORY;
    int status = taut_driver_open(e->context, &g->d);
    if (!status) status = taut_text_cuda(&e->plan, &text);
    if (!status) status = taut_driver_check(e->context, &g->d, g->d.f.push(g->d.context), "use the device");
    if (!status) {
        status = taut_driver_load(e->context, &g->d, text.text, e->options.fast, CUDA_ENTRY, &g->kernel);
        g->d.f.pop(&(void *){ NULL });
    }
    taut_builder_clear(&text);
    return status;
}

void taut_gpu_destroy(struct gpu *g)
{
    if (!g) return;
    void *ignored;
    if (g->d.context && !g->d.f.push(g->d.context)) {
        if (g->d.module) g->d.f.unload(g->d.module);
        g->d.module = NULL;
        g->d.f.pop(&ignored);
    }
    taut_driver_close(&g->d);
}

const char *taut_gpu_name(const struct gpu *g) { return g->d.name; }

/* ---- numbers to the device and back ---- */

static int check(const block *b, int error, const char *what)
{
    return taut_driver_check(b->e->context, &b->e->gpu->d, error, what);
}

static int create_block(block *b)
{
    executor *e = b->e;
    taut_context *context = e->context;
    const struct driver_functions *f = &e->gpu->d.f;
    const text_plan *p = &e->plan;
    const size_t count = b->count;
    size_t even_size = 0;
    b->x = taut_mem_new(context, count * p->numbers, sizeof *b->x);
    b->odd = taut_mem_new(context, count * p->odd_count + 1, sizeof *b->odd);
    b->even = taut_mem_new(context, p->even_count + 1, sizeof *b->even);
    b->done = taut_mem_new(context, count, sizeof *b->done);
    b->over = taut_mem_new(context, count, 1);
    if (p->odd_count) b->numbers = taut_mem_new(context, count * e->member_size, sizeof *b->numbers);
    if (!b->x || !b->odd || !b->even || !b->done || !b->over || (p->odd_count && !b->numbers)) return TAUT_OUT_OF_MEMORY;
    int status = check(b, f->allocate(&b->d_x, count * p->numbers * sizeof *b->x), "allocate memory");
    if (!status && p->odd_count)
        status = check(b, f->allocate(&b->d_odd, count * p->odd_count * sizeof *b->odd), "allocate memory");
    if (!status) status = check(b, f->allocate(&b->d_done, count * sizeof *b->done), "allocate memory");
    if (!status) status = check(b, f->global(&b->d_even, &even_size, e->gpu->d.module, "even"), "find its constants");
    return status;
}

static void clear_block(block *b)
{
    const struct driver_functions *f = &b->e->gpu->d.f;
    void *all[] = { b->x, b->odd, b->even, b->done, b->over, b->numbers };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) taut_mem_free(b->e->context, all[i]);
    if (b->d_x) f->release_memory(b->d_x);
    if (b->d_odd) f->release_memory(b->d_odd);
    if (b->d_done) f->release_memory(b->d_done);
}

static int to_device(block *b)
{
    if (b->on_device) return TAUT_OK;
    b->on_device = 1;
    return check(b, b->e->gpu->d.f.to_device(b->d_x, b->x, b->count * b->e->plan.numbers * sizeof *b->x),
                 "copy to the device");
}

static int to_host(block *b)
{
    if (b->on_host) return TAUT_OK;
    b->on_host = 1;
    return check(b, b->e->gpu->d.f.to_host(b->x, b->d_x, b->count * b->e->plan.numbers * sizeof *b->x),
                 "copy from the device");
}

/* ---- pieces of work on the host ---- */

enum { PIECE = 64 };

static void for_members(block *b, pool_work work) { taut_pool_run(b->e->pool, pool_pieces(b->count, PIECE), work, b); }

static void open_members(void *self, int index, int worker_index)
{
    block *b = self;
    worker *w = &b->e->workers[worker_index];
    const size_t end = pool_begin(b->count, PIECE, index + 1);
    for (size_t i = pool_begin(b->count, PIECE, index); i < end; i++)
        if (taut_batch_open(w, b->j, i, slot_of(b, i), &(batch_time){ b->t.t, b->t.t_low })) end_member(b, i);
}

static void set_outside(void *self, int index, int worker_index)
{
    block *b = self;
    worker *w = &b->e->workers[worker_index];
    const text_plan *p = &b->e->plan;
    const size_t end = pool_begin(b->count, PIECE, index + 1);
    for (size_t i = pool_begin(b->count, PIECE, index); i < end; i++)
        if (!b->over[i] && !taut_batch_load(w, b->j, i, slot_of(b, i), b->t))
            taut_text_outside(p, w->z->s, b->h, w->registers, NULL, b->odd + i, b->count);
}

static void read_members(void *self, int index, int worker_index)
{
    block *b = self;
    worker *w = &b->e->workers[worker_index];
    const size_t end = pool_begin(b->count, PIECE, index + 1);
    for (size_t i = pool_begin(b->count, PIECE, index); i < end; i++)
        if (!b->over[i] && taut_batch_read(w, b->j, i, slot_of(b, i), b->t, b->read)) end_member(b, i);
}

static void left_members(void *self, int index, int worker_index)
{
    block *b = self;
    worker *w = &b->e->workers[worker_index];
    const size_t end = pool_begin(b->count, PIECE, index + 1);
    for (size_t i = pool_begin(b->count, PIECE, index); i < end; i++) {
        if (b->over[i] || b->done[i] == b->leg_steps) continue;
        b->j->members[i].steps = b->steps;
        if (taut_batch_left(w, b->j, i, slot_of(b, i), b->t, b->h, (long)b->done[i], b->leg_steps)) end_member(b, i);
    }
}

static void end_members(void *self, int index, int worker_index)
{
    block *b = self;
    (void)worker_index;
    const size_t end = pool_begin(b->count, PIECE, index + 1);
    for (size_t i = pool_begin(b->count, PIECE, index); i < end; i++)
        if (!b->over[i]) taut_batch_end(b->j, i, slot_of(b, i), b->t, b->steps);
}

/* ---- legs ---- */

/* The numbers from outside for steps of this length. */
static int set_length(block *b, double h)
{
    executor *e = b->e;
    const text_plan *p = &e->plan;
    if (h == b->h) return TAUT_OK;
    b->h = h;
    taut_text_outside(p, e->z->s, h, e->workers[0].registers, b->even, NULL, 0);
    int status = check(b, e->gpu->d.f.to_device(b->d_even, b->even, p->even_count * sizeof *b->even),
                       "copy to the device");
    if (status || !p->odd_count) return status;
    status = to_host(b);
    if (status) return status;
    for_members(b, set_outside);
    return check(b, e->gpu->d.f.to_device(b->d_odd, b->odd, b->count * p->odd_count * sizeof *b->odd),
                 "copy to the device");
}

static int launch(block *b, long steps)
{
    executor *e = b->e;
    const struct driver_functions *f = &e->gpu->d.f;
    long long many = steps, count = (long long)b->count;
    void *arguments[] = { &b->d_x, &b->d_odd, &b->t.t, &b->t.t_low, &b->h, &many, &count, &b->d_done };
    int status = to_device(b);
    if (status) return status;
    b->on_host = 0;
    const double begin = clock_seconds();
    status = check(b, f->launch(e->gpu->kernel, (unsigned)((b->count + THREADS - 1) / THREADS), 1, 1, THREADS, 1, 1, 0,
                                NULL, arguments, NULL), "start the steps");
    if (!status) status = check(b, f->synchronize(), "make the steps");
    e->seconds += clock_seconds() - begin;
    if (!status) status = check(b, f->to_host(b->done, b->d_done, b->count * sizeof *b->done), "make the steps");
    return status;
}

static int any_left(const block *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (!b->over[i] && b->done[i] != b->leg_steps) return 1;
    return 0;
}

static int advance(block *b, long steps)
{
    const text_plan *p = &b->e->plan;
    double t_lambda;
    b->leg_steps = steps;
    int status = launch(b, steps);
    if (status) return status;
    if (any_left(b)) {
        status = to_host(b);
        if (status) return status;
        for_members(b, left_members);
        b->on_device = 0;
    }
    b->t = taut_batch_advance(p, b->t, b->h, steps, &t_lambda);
    b->steps += steps;
    if (isnan(t_lambda)) return TAUT_OK;
    status = to_host(b);
    for (size_t i = 0; i < b->count; i++)
        if (!b->over[i]) b->x[(5 * p->n + p->c) * b->count + i] = t_lambda;
    b->on_device = 0;
    return status;
}

static int run_legs(block *b)
{
    const job *j = b->j;
    int status = TAUT_OK;
    for (size_t k = 0; !status && k < j->leg_count; k++) {
        const executor_leg *l = &j->legs[k];
        if (l->steps) status = set_length(b, (double)l->h);
        for (long left = l->steps; !status && left > 0; left -= LAUNCH_STEPS)
            status = advance(b, left < LAUNCH_STEPS ? left : LAUNCH_STEPS);
        if (status || !l->reads) continue;
        status = to_host(b);
        if (!status) for_members(b, read_members);
        b->read++;
    }
    if (!status) status = to_host(b);
    if (!status) for_members(b, end_members);
    return status;
}

int taut_gpu_run(executor *e, const job *j)
{
    block b = { .e = e, .j = j, .count = j->count, .on_host = 1, .t = { (double)NAN, (double)NAN } };
    void *ignored;
    if (!j->count) return TAUT_OK;
    int status = taut_driver_check(e->context, &e->gpu->d, e->gpu->d.f.push(e->gpu->d.context), "use the device");
    if (status) return status;
    status = create_block(&b);
    b.t = j->from ? (batch_time){ j->from[0], j->from[1] }
                  : (batch_time){ e->z->begin.t, e->z->begin.t_low };
    if (!status) {
        for_members(&b, open_members);
        status = run_legs(&b);
    }
    clear_block(&b);
    e->gpu->d.f.pop(&ignored);
    return status;
}
