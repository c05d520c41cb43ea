/* A member per thread of a graphics processor. The numbers of all members of a block stay on the device, which reads
   their rows, too; the host makes starts, the steps that are left to the general path, and rows where there is no code
   for them. */
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
    void *row_module, *row_kernel; /* NULL: none */
};

/* A block of members. */
typedef struct {
    executor *e;
    const job *j;
    size_t count;
    double *x, *odd, *even, *numbers; /* on the host: [number][member], likewise, numbers, [member][number] */
    float *single;                    /* even, in single precision */
    double *rows, *row_odd;           /* [column][member]; NULL: rows are read by the host */
    unsigned char *sure;              /* of a member: its row counts */
    long long *done;
    unsigned char *over;              /* of a member: it failed, or was run alone */
    device_memory d_x, d_odd, d_done, d_even, d_single, d_rows, d_row_odd, d_sure;
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
    if (!status) status = taut_text_cuda(&e->plan, e->options.blocks, e->options.fast, &text);
    if (!status) status = taut_driver_check(e->context, &g->d, g->d.f.push(g->d.context), "use the device");
    if (!status) {
        status = taut_driver_load(e->context, &g->d, text.text, e->options.fast, CUDA_ENTRY, &g->kernel);
        g->d.f.pop(&(void *){ NULL });
    }
    taut_builder_clear(&text);
    return status;
}

/* Exact whatever the steps are: rows are few. */
int taut_gpu_begin_rows(executor *e)
{
    struct gpu *g = e->gpu;
    driver d = g->d;
    builder text = { .context = e->context };
    d.module = NULL;
    int status = taut_text_cuda_rows(&e->row, &text);
    if (!status) status = taut_driver_check(e->context, &d, d.f.push(d.context), "use the device");
    if (!status) {
        status = taut_driver_load(e->context, &d, text.text, 0, CUDA_ROWS_ENTRY, &g->row_kernel);
        g->row_module = d.module;
        d.f.pop(&(void *){ NULL });
    }
    taut_builder_clear(&text);
    return status;
}

void taut_gpu_forget_rows(executor *e)
{
    struct gpu *g = e->gpu;
    if (g->row_module && !g->d.f.push(g->d.context)) {
        g->d.f.unload(g->row_module);
        g->d.f.pop(&(void *){ NULL });
    }
    g->row_module = g->row_kernel = NULL;
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
int taut_gpu_reads(const struct gpu *g) { return g->row_kernel != NULL; }

/* ---- numbers to the device and back ---- */

static int check(const block *b, int error, const char *what)
{
    return taut_driver_check(b->e->context, &b->e->gpu->d, error, what);
}

/* Columns that are numbers of the state need no code. */
static int are_copies(const executor *e)
{
    for (size_t i = 0; i < e->chosen_count; i++)
        if (e->chosen[i].type != COLUMN_TIME && e->chosen[i].type != COLUMN_Q && e->chosen[i].type != COLUMN_P)
            return 0;
    return 1;
}

/* Memory for rows, where the device has them. */
static int create_rows(block *b)
{
    executor *e = b->e;
    const struct driver_functions *f = &e->gpu->d.f;
    const size_t count = b->count, odd = count * e->row.plan.odd_count, rows = count * e->row_size;
    if (!b->j->reads || (!e->gpu->row_kernel && !are_copies(e))) return TAUT_OK;
    b->rows = taut_mem_new(e->context, rows + 1, sizeof *b->rows);
    if (!b->rows) return TAUT_OUT_OF_MEMORY;
    if (!e->gpu->row_kernel) return TAUT_OK;
    b->row_odd = taut_mem_new(e->context, odd + 1, sizeof *b->row_odd);
    b->sure = taut_mem_new(e->context, count, 1);
    if (!b->row_odd || !b->sure) return TAUT_OUT_OF_MEMORY;
    int status = check(b, f->allocate(&b->d_rows, rows * sizeof *b->rows), "allocate memory");
    if (!status && odd) status = check(b, f->allocate(&b->d_row_odd, odd * sizeof *b->row_odd), "allocate memory");
    if (!status) status = check(b, f->allocate(&b->d_sure, count), "allocate memory");
    return status;
}

/* Constants in single precision, where the kernel reads any. */
static int find_single(block *b)
{
    enum { NOT_FOUND = 500 };
    size_t size = 0;
    const int error = b->e->gpu->d.f.global(&b->d_single, &size, b->e->gpu->d.module, "single");
    if (error) b->d_single = 0;
    return error == NOT_FOUND ? TAUT_OK : check(b, error, "find its constants");
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
    b->single = taut_mem_new(context, p->even_count + 1, sizeof *b->single);
    b->done = taut_mem_new(context, count, sizeof *b->done);
    b->over = taut_mem_new(context, count, 1);
    if (e->differ) b->numbers = taut_mem_new(context, count * e->member_size, sizeof *b->numbers);
    if (!b->x || !b->odd || !b->even || !b->single || !b->done || !b->over || (e->differ && !b->numbers))
        return TAUT_OUT_OF_MEMORY;
    int status = check(b, f->allocate(&b->d_x, count * p->numbers * sizeof *b->x), "allocate memory");
    if (!status && p->odd_count)
        status = check(b, f->allocate(&b->d_odd, count * p->odd_count * sizeof *b->odd), "allocate memory");
    if (!status) status = check(b, f->allocate(&b->d_done, count * sizeof *b->done), "allocate memory");
    if (!status) status = check(b, f->global(&b->d_even, &even_size, e->gpu->d.module, "even"), "find its constants");
    if (!status) status = find_single(b);
    return status ? status : create_rows(b);
}

static void clear_block(block *b)
{
    const struct driver_functions *f = &b->e->gpu->d.f;
    void *all[] = { b->x, b->odd, b->even, b->single, b->done, b->over, b->numbers, b->rows, b->row_odd, b->sure };
    const device_memory device[] = { b->d_x, b->d_odd, b->d_done, b->d_rows, b->d_row_odd, b->d_sure };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) taut_mem_free(b->e->context, all[i]);
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        if (device[i]) f->release_memory(device[i]);
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
    for (size_t i = pool_begin(b->count, PIECE, index); i < end; i++) {
        if (taut_batch_open(w, b->j, i, slot_of(b, i), &(batch_time){ b->t.t, b->t.t_low }))
            end_member(b, i);
        else if (b->row_odd && b->e->row.plan.odd_count)
            taut_text_outside(&b->e->row.plan, w->z->s, 1, w->row_batch, NULL, b->row_odd + i, b->count);
    }
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

/* By the host: all members, or those that the device was not sure of. */
static void read_members(void *self, int index, int worker_index)
{
    block *b = self;
    worker *w = &b->e->workers[worker_index];
    const size_t end = pool_begin(b->count, PIECE, index + 1);
    for (size_t i = pool_begin(b->count, PIECE, index); i < end; i++)
        if (!b->over[i] && !(b->rows && (!b->sure || b->sure[i])) &&
            taut_batch_read(w, b->j, i, slot_of(b, i), b->t, b->read))
            end_member(b, i);
}

/* Rows that came from the device. */
static void put_rows(void *self, int index, int worker_index)
{
    const block *b = self;
    const job *j = b->j;
    const size_t size = b->e->row_size, end = pool_begin(b->count, PIECE, index + 1);
    (void)worker_index;
    for (size_t i = pool_begin(b->count, PIECE, index); i < end; i++) {
        if (b->over[i] || (b->sure && !b->sure[i])) continue;
        double *to = j->rows + (i * j->reads + b->read) * size;
        for (size_t k = 0; k < size; k++) to[k] = b->rows[k * b->count + i];
    }
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
    if (!status && b->d_single) {
        for (uint32_t i = 0; i < p->even_count; i++) b->single[i] = (float)b->even[i];
        status = check(b, e->gpu->d.f.to_device(b->d_single, b->single, p->even_count * sizeof *b->single),
                       "copy to the device");
    }
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

/* The time that the multipliers belong to: one number of each member, on both sides. */
static int set_multiplier_time(block *b, double t)
{
    const size_t at = (5 * (size_t)b->e->plan.n + b->e->plan.c) * b->count;
    for (size_t i = 0; i < b->count; i++)
        if (!b->over[i]) b->x[at + i] = t;
    if (!b->on_device) return TAUT_OK;
    return check(b, b->e->gpu->d.f.to_device(b->d_x + at * sizeof *b->x, b->x + at, b->count * sizeof *b->x),
                 "copy to the device");
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
    return isnan(t_lambda) ? TAUT_OK : set_multiplier_time(b, t_lambda);
}

/* ---- rows ---- */

/* What all rows need from outside: what is the same for all members, then what is not. */
static int begin_rows(block *b)
{
    executor *e = b->e;
    const struct driver_functions *f = &e->gpu->d.f;
    const text_plan *p = &e->row.plan;
    device_memory at;
    size_t size;
    if (!b->row_odd) return TAUT_OK;
    double *even = taut_mem_new(e->context, p->even_count + 1, sizeof *even);
    if (!even) return TAUT_OUT_OF_MEMORY;
    taut_text_outside(p, e->z->s, 1, e->workers[0].row_batch, even, NULL, 0);
    int status = check(b, f->global(&at, &size, e->gpu->row_module, "even"), "find its constants");
    if (!status) status = check(b, f->to_device(at, even, p->even_count * sizeof *even), "copy to the device");
    taut_mem_free(e->context, even);
    if (!status && p->odd_count)
        status = check(b, f->to_device(b->d_row_odd, b->row_odd, b->count * p->odd_count * sizeof *b->row_odd),
                       "copy to the device");
    return status;
}

/* A column of the states. */
static int copy_column(block *b, engine_column type, size_t index, double *to)
{
    const size_t count = b->count, at = (type == COLUMN_P ? b->e->plan.n : 0) + index;
    for (size_t i = 0; type == COLUMN_TIME && i < count; i++) to[i] = b->t.t;
    if (type == COLUMN_TIME) return TAUT_OK;
    if (b->on_host) {
        memcpy(to, b->x + at * count, count * sizeof *to);
        return TAUT_OK;
    }
    return check(b, b->e->gpu->d.f.to_host(to, b->d_x + at * count * sizeof *to, count * sizeof *to),
                 "copy from the device");
}

static int copy_columns(block *b)
{
    const executor *e = b->e;
    int status = TAUT_OK;
    for (size_t k = 0; k < e->chosen_count; k++)
        for (size_t i = 0; !status && i < e->chosen[k].count; i++)
            status = copy_column(b, e->chosen[k].type, e->chosen[k].first + i,
                                 b->rows + (e->chosen[k].at + i) * b->count);
    return status;
}

static int compute_columns(block *b)
{
    executor *e = b->e;
    const struct driver_functions *f = &e->gpu->d.f;
    long long count = (long long)b->count;
    void *arguments[] = { &b->d_x, &b->d_row_odd, &b->t.t, &b->t.t_low, &count, &b->d_rows, &b->d_sure };
    int status = to_device(b);
    if (!status)
        status = check(b, f->launch(e->gpu->row_kernel, (unsigned)((b->count + THREADS - 1) / THREADS), 1, 1, THREADS,
                                    1, 1, 0, NULL, arguments, NULL), "read the members");
    if (!status) status = check(b, f->synchronize(), "read the members");
    if (!status)
        status = check(b, f->to_host(b->rows, b->d_rows, b->count * e->row_size * sizeof *b->rows),
                       "copy from the device");
    if (!status) status = check(b, f->to_host(b->sure, b->d_sure, b->count), "copy from the device");
    return status;
}

static int any_unsure(const block *b)
{
    for (size_t i = 0; b->sure && i < b->count; i++)
        if (!b->over[i] && !b->sure[i]) return 1;
    return 0;
}

static int read_rows(block *b)
{
    int status = !b->rows ? TAUT_OK : b->sure ? compute_columns(b) : copy_columns(b);
    if (!status && b->rows) for_members(b, put_rows);
    if (status || (b->rows && !any_unsure(b))) return status;
    status = to_host(b);
    if (!status) for_members(b, read_members);
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
        status = read_rows(b);
        b->read++;
    }
    if (!status && b->j->states) status = to_host(b);
    if (!status) for_members(b, end_members);
    return status;
}

/* Of the programs of rows, for every thread. */
static int create_registers(block *b)
{
    executor *e = b->e;
    for (int i = 0; b->row_odd && i < e->worker_count; i++) {
        worker *w = &e->workers[i];
        if (!w->row_batch)
            w->row_batch = taut_mem_new(w->context, e->row.plan.registers + PROGRAM_WORK, sizeof(double));
        if (!w->row_batch) return taut_fail(e->context, TAUT_OUT_OF_MEMORY, "out of memory");
    }
    return TAUT_OK;
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
    if (!status) status = create_registers(&b);
    if (!status) {
        for_members(&b, open_members);
        status = begin_rows(&b);
        if (!status) status = run_legs(&b);
    }
    clear_block(&b);
    e->gpu->d.f.pop(&ignored);
    return status;
}
