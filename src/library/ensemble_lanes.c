/* Members of taut_ensemble in lanes: the states where they begin are made as for single runs, the steps by an executor.
   A member that fails there, at its start or later, is left to a single run, which says why. */
#include "library/ensemble.h"

#include "ensemble/executor.h"

/* Fewer steps of all members than these do not repay the compiler. */
#define STEPS_LEAST 1e6
enum {
    MEMBERS_LEAST = 16,
    WIDTHS = 16,             /* of the executor, in a chunk */
    STEPS_AT_ONCE = 1 << 24, /* of all members of a chunk between two looks at `interrupt`: some tenths of a second */
    NUMBERS_AT_ONCE = 1 << 21 /* of their rows */
};

typedef struct {
    ensemble *e;
    model *m;
    executor *executor;
    executor_vary *vary;     size_t vary_count;
    executor_leg *legs;      size_t leg_count, leg_capacity;
    size_t columns, state_size, chunk;
    size_t first, count;     /* members at hand */
    double *values, *states, *rows; size_t row_capacity;
    unsigned char *lost;     /* of a member at hand: left to a single run */
    executor_member *members;
} lanes;

/* Which numbers of the model vary; where they are states, these are given as such. */
static int list_varied(lanes *z)
{
    const ensemble *e = z->e;
    const taut_simulation *from = e->prototype;
    z->vary = taut_mem_new(from->context, e->vary_count, sizeof *z->vary);
    if (!z->vary) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < e->vary_count; k++) {
        const taut_vary *v = &e->vary[k];
        if (v->kind != TAUT_PARAM && v->kind != TAUT_INPUT) continue;
        const size_t at = v->kind == TAUT_PARAM ? from->params[v->index] : from->inputs[v->index];
        z->vary[z->vary_count++] = (executor_vary){ VARY_PARAMETER, (uint32_t)at };
    }
    return TAUT_OK;
}

static int add_leg(lanes *z, wide h, long steps, int reads)
{
    int status = taut_mem_grow(z->e->prototype->context, &z->legs, &z->leg_capacity, z->leg_count + 1, sizeof *z->legs);
    if (!status) z->legs[z->leg_count++] = (executor_leg){ h, steps, reads };
    return status;
}

static long every_of(const ensemble *e) { return e->run.every ? e->run.every : 1; }

typedef struct {
    double t, low;
} moment;

static moment next_moment(moment m, double h)
{
    const double y = h + m.low, sum = m.t + y;
    return (moment){ sum, y - (sum - m.t) };
}

/* The steps of taut_advance from the time of the state, with its rows. */
static int list_legs(lanes *z, moment at, const run_plan *plan)
{
    const int reads = z->e->rows != NULL;
    const long most = STEPS_AT_ONCE / (long)z->chunk + 1;
    run_walk walk = taut_run_walk(plan, 0, 0, reads ? every_of(z->e) : 0);
    int status = reads ? add_leg(z, 0, 0, 1) : TAUT_OK;
    while (!status && walk.done < plan->steps) {
        const run_leg leg = taut_run_next(&walk, most);
        const wide length = taut_run_length(plan, &leg, (wide)at.t + at.low);
        status = add_leg(z, length, leg.steps, (taut_run_done(&walk, leg.steps) & RUN_FRAME) != 0);
        for (long i = 0; plan->partial && i < leg.steps; i++) at = next_moment(at, (double)length);
    }
    return status;
}

static int create(lanes *z)
{
    const ensemble *e = z->e;
    const taut_simulation *from = e->prototype;
    const executor_options options = { .on = EXECUTOR_LANES, .method = from->method,
                                       .tolerance = from->options.tolerance, .step = from->options.step,
                                       .time = from->options.time, .start = from->options.start,
                                       .native = from->options.native, .threads = e->worker_count, .vary = z->vary,
                                       .vary_count = z->vary_count };
    int status = taut_library_model(from, from->context, &z->m);
    if (!status) status = taut_executor_create(z->m, &options, &z->executor);
    if (status || taut_executor_on(z->executor) != EXECUTOR_LANES) return status;
    z->columns = e->run.columns ? e->run.column_count : from->columns;
    size_t *all = taut_mem_new(from->context, z->columns, sizeof *all);
    if (!all) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < z->columns; i++) all[i] = e->run.columns ? e->run.columns[i] : i;
    status = taut_executor_choose(z->executor, all, z->columns);
    taut_mem_free(from->context, all);
    z->state_size = taut_executor_state_size(z->executor);
    z->chunk = WIDTHS * taut_executor_width(z->executor);
    if (z->chunk > e->members) z->chunk = e->members;
    z->values = taut_mem_new(from->context, z->chunk * z->vary_count, sizeof *z->values);
    z->states = taut_mem_new(from->context, z->chunk * z->state_size, sizeof *z->states);
    z->members = taut_mem_new(from->context, z->chunk, sizeof *z->members);
    z->lost = taut_mem_new(from->context, z->chunk, 1);
    if (!status && (!z->values || !z->states || !z->members || !z->lost)) status = TAUT_OUT_OF_MEMORY;
    return status;
}

static void clear(lanes *z)
{
    taut_context *context = z->e->prototype->context;
    taut_executor_destroy(z->executor);
    taut_model_free(z->m);
    void *blocks[] = { z->vary, z->legs, z->values, z->states, z->rows, z->lost, z->members };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
}

/* ---- a chunk ---- */

static void open_member(void *self, int index, int worker)
{
    lanes *z = self;
    ensemble_worker *w = &z->e->workers[worker];
    const size_t i = (size_t)index;
    z->lost[i] = (unsigned char)(taut_ensemble_open(w, z->first + i) != TAUT_OK);
    taut_executor_state_of(z->executor, z->lost[i] ? z->e->prototype->engine : w->z->engine,
                           z->states + i * z->state_size);
}

static void take_values(lanes *z)
{
    const ensemble *e = z->e;
    double *to = z->values;
    for (size_t i = 0; i < z->count; i++)
        for (size_t k = 0; k < e->vary_count; k++)
            if (e->vary[k].kind == TAUT_PARAM || e->vary[k].kind == TAUT_INPUT)
                *to++ = e->values[(z->first + i) * e->vary_count + k];
}

/* Legs from `leg` on that are run in one call, and how many of them read. */
static size_t some_legs(const lanes *z, size_t leg, size_t *reads)
{
    size_t end = leg;
    long steps = 0;
    *reads = 0;
    do {
        steps += z->legs[end].steps;
        *reads += z->legs[end].reads != 0;
        end++;
    } while (end < z->leg_count && (steps + z->legs[end].steps) * (long)z->count <= STEPS_AT_ONCE &&
             (*reads + 1) * z->columns * z->count <= NUMBERS_AT_ONCE);
    return end - leg;
}

/* Rows of the last call, which are those from `read` on of each member. */
static void put_rows(const lanes *z, size_t read, size_t reads)
{
    const ensemble *e = z->e;
    const size_t size = reads * z->columns;
    for (size_t i = 0; i < z->count; i++)
        if (size && !z->lost[i])
            memcpy(e->rows + (z->first + i) * e->row_size + read * z->columns, z->rows + i * size,
                   size * sizeof(double));
}

static int is_interrupted(const lanes *z) { return z->e->run.interrupt && *z->e->run.interrupt; }

/* With params that vary, members begin at the start that the executor finds for them. */
static int run_chunk(lanes *z)
{
    ensemble *e = z->e;
    const double *from = e->varies_param ? NULL : z->states;
    int status = TAUT_OK;
    memset(z->lost, 0, z->count);
    take_values(z);
    for (size_t i = 0; e->rows && i < z->count * e->row_size; i++) e->rows[z->first * e->row_size + i] = (double)NAN;
    if (from) taut_pool_run(e->pool, (int)z->count, open_member, z);
    for (size_t leg = 0, read = 0, reads, some; !status && leg < z->leg_count && !is_interrupted(z); leg += some) {
        some = some_legs(z, leg, &reads);
        status = taut_mem_grow(e->prototype->context, &z->rows, &z->row_capacity,
                               mem_product(mem_product(z->count, reads), z->columns) + 1, sizeof *z->rows);
        if (!status)
            status = taut_executor_run(z->executor, z->legs + leg, some, z->count, z->values, from, z->rows, z->members,
                                       z->states);
        if (status) return status;
        for (size_t i = 0; i < z->count; i++) z->lost[i] |= z->members[i].status != TAUT_OK;
        put_rows(z, read, reads);
        read += reads;
        from = z->states;
    }
    for (size_t i = 0; !status && i < z->count; i++) {
        e->done[z->first + i] = !z->lost[i];
        if (e->statuses) e->statuses[z->first + i] = TAUT_OK;
    }
    return status;
}

/* What lanes do not see: hooks, events, functions of the user, quad. With params and states both, the model would be
   compiled for each member to find where it begins. */
static int is_worth_it(const ensemble *e, const run_plan *plan)
{
    const taut_simulation *z = e->prototype;
    return z->api->number_size == sizeof(double) && !z->model->m->contact_count && !e->run.before && !e->run.after &&
           !(e->varies_param && e->varies_state) && e->run.every >= 0 && e->members >= MEMBERS_LEAST &&
           (double)e->members * (double)plan->steps >= STEPS_LEAST &&
           (!e->rows || taut_run_plan_rows(plan->steps, every_of(e)) <= e->run.row_capacity);
}

/* Where members begin: at the start, or where the prototype is. */
static moment beginning(const lanes *z)
{
    const taut_simulation *from = z->e->prototype;
    const double t = (double)from->options.time;
    if (z->e->varies_param) return (moment){ t, (double)(from->options.time - t) };
    taut_executor_state_of(z->executor, from->engine, z->states);
    return (moment){ z->states[0], z->states[1] };
}

int taut_ensemble_lanes(ensemble *e)
{
    const taut_simulation *from = e->prototype;
    const wide begin = e->varies_param ? from->options.time : from->api->time(from->engine);
    const run_plan plan = taut_library_run_plan(begin, &e->run);
    lanes z = { .e = e };
    if (!is_worth_it(e, &plan)) return TAUT_OK;
    int status = list_varied(&z);
    if (!status) status = create(&z);
    if (!status && taut_executor_on(z.executor) == EXECUTOR_LANES) status = list_legs(&z, beginning(&z), &plan);
    while (!status && z.leg_count && z.first < e->members && !is_interrupted(&z)) {
        z.count = e->members - z.first < z.chunk ? e->members - z.first : z.chunk;
        status = run_chunk(&z);
        z.first += z.count;
    }
    clear(&z);
    return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK;
}
