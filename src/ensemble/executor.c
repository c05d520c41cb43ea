/* Executors of ensembles: made, asked, and their work handed out. */
#include "ensemble/inside.h"
#include "lower/symbols.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static const char *const names[EXECUTOR_KINDS] = { "interpreter", "lanes", "gpu" };

const char *taut_executor_name(executor_kind kind) { return names[kind]; }

int taut_executor_find(const char *name)
{
    for (int i = 0; i < EXECUTOR_KINDS; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

executor_kind taut_executor_on(const executor *e) { return e->on; }
double taut_executor_seconds(const executor *e) { return e->seconds; }
const char *taut_executor_device(const executor *e) { return e->gpu ? taut_gpu_name(e->gpu) : ""; }
int taut_executor_reads_together(const executor *e)
{
    return (e->lanes && taut_lanes_read(e->lanes)) || (e->gpu && taut_gpu_reads(e->gpu));
}
const char *taut_executor_note(const executor *e) { return e->note; }
size_t taut_executor_width(const executor *e)
{
    const size_t threads = (size_t)e->worker_count;
    return e->on == EXECUTOR_GPU ? 100000 : e->on == EXECUTOR_LANES ? threads * taut_lanes_width(e->lanes) : threads;
}

/* ---- columns ---- */

size_t taut_executor_columns(const executor *e) { return e->column_count; }

int taut_executor_column_name(const executor *e, size_t column, char *buffer, size_t size)
{
    return X(simulation_column_name)(e->z, column, buffer, size);
}

const char *taut_executor_column_kind(const executor *e, size_t column)
{
    return X(simulation_column_kind)(e->z, column);
}

/* The type of a column, which becomes its index among those of the type. */
static engine_column type_of(const executor *e, size_t *column)
{
    int type = 0;
    for (; *column >= X(simulation_columns_of)(e->z, (engine_column)type); type++)
        *column -= X(simulation_columns_of)(e->z, (engine_column)type);
    return (engine_column)type;
}

int taut_executor_choose(executor *e, const size_t *columns, size_t count)
{
    column_stretch *chosen = taut_mem_new(e->context, count, sizeof *chosen);
    size_t found = 0;
    if (!chosen) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        size_t at = columns[i];
        if (at >= e->column_count) {
            taut_mem_free(e->context, chosen);
            return taut_fail(e->context, TAUT_BAD_USAGE, "there is no column %zu", at);
        }
        const engine_column type = type_of(e, &at);
        column_stretch *last = found ? &chosen[found - 1] : NULL;
        if (last && last->type == type && last->first + last->count == at)
            last->count++;
        else
            chosen[found++] = (column_stretch){ type, at, 1, i };
    }
    taut_rows_clear(e);
    taut_mem_free(e->context, e->chosen);
    e->chosen = chosen;
    e->chosen_count = found;
    e->row_size = count;
    return TAUT_OK;
}

size_t taut_executor_state_size(const executor *e) { return e->state_size; }

static void put_state(const executor *e, const simulation *z, double *numbers)
{
    numbers[0] = z->x.t, numbers[1] = z->x.t_low;
    memcpy(numbers + 2, z->x.block, (e->state_size - 2) * sizeof *numbers);
}

void taut_executor_state_of(const executor *e, const void *engine, double *state) { put_state(e, engine, state); }
void taut_worker_state(const worker *w, double *numbers) { put_state(w->e, w->z, numbers); }

/* ---- made and destroyed ---- */

void taut_executor_destroy(executor *e)
{
    if (!e) return;
    taut_context *context = e->context;
    taut_pool_destroy(e->pool);
    taut_rows_clear(e);
    taut_gpu_destroy(e->gpu);
    taut_mem_free(context, e->gpu);
    taut_lanes_destroy(e, e->lanes);
    taut_text_plan_clear(&e->plan);
    taut_mem_free(context, e->varies);
    for (int i = 0; e->workers && i < e->worker_count; i++) taut_worker_destroy(&e->workers[i]);
    taut_mem_free(context, e->workers);
    X(simulation_destroy)(e->z);
    taut_model_free(e->own);
    taut_mem_free(context, e->chosen);
    taut_mem_free(context, e->vary);
    taut_mem_free(context, e->method);
    taut_mem_free(context, e);
}

static int check_vary(const executor *e)
{
    const model *m = e->m;
    for (size_t i = 0; i < e->options.vary_count; i++) {
        const executor_vary *v = &e->vary[i];
        if (v->index >= (v->kind == VARY_PARAMETER ? m->parameter_count : m->coordinate_count))
            return taut_fail(e->context, TAUT_BAD_USAGE, "there is no number %u of this kind to vary", v->index);
        if (v->kind == VARY_RATE && m->start_points_line)
            return taut_fail(e->context, TAUT_BAD_USAGE,
                             "%s:%d: start_points give the velocities: these cannot vary", m->file,
                             m->start_points_line);
    }
    return TAUT_OK;
}

/* Threads of a context with an allocator of its own would need one that is safe for them. */
static int create_workers(executor *e)
{
    const int wanted = e->options.threads > 1 && !taut_context_has_allocator(e->context) ? e->options.threads : 1;
    int status = taut_pool_create(e->context, wanted, &e->pool);
    if (status) return status;
    e->worker_count = e->pool ? taut_pool_threads(e->pool) : 1;
    e->workers = taut_mem_new(e->context, (size_t)e->worker_count, sizeof *e->workers);
    if (!e->workers) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < e->worker_count; i++) {
        e->workers[i] = (worker){ .e = e, .context = taut_context_create(taut_context_allocator(e->context)) };
        if (!e->workers[i].context)
            return taut_fail(e->context, TAUT_OUT_OF_MEMORY, "out of memory for a thread of the ensemble");
    }
    return TAUT_OK;
}

/* ---- lanes and GPU ---- */

/* The constants of the system, `least` and the inverse mass that differ between members. */
static int find_varying(executor *e, unsigned char **result)
{
    const struct system *s = e->z->s;
    const size_t count = taut_store_constant_count(s->store);
    const expr *constants = taut_store_constants(s->store);
    const uint32_t given = X(symbol_given_count)(s);
    int any = 0, positions = 0, status = TAUT_OK;
    unsigned char *varies = *result = taut_mem_new(e->context, count + given, 1);
    if (!varies) return TAUT_OUT_OF_MEMORY;
    unsigned char *parameters = taut_mem_new(e->context, e->m->parameter_count, 1);
    if (!parameters) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < e->options.vary_count; i++) {
        positions |= e->vary[i].kind == VARY_POSITION;
        if (e->vary[i].kind == VARY_PARAMETER) any = parameters[e->vary[i].index] = 1;
    }
    for (size_t i = 0; any && i < e->m->parameter_count; i++) /* a formula of others may follow them */
        parameters[i] |= e->m->parameters[i].otherwise != 0;
    varies[count] = (unsigned char)(any || positions);
    e->differ = any || positions;
    memset(varies + count + 1, any, given - 1);
    for (size_t i = 0; any && !status && i < count; i++) {
        expr *list = NULL;
        size_t below = 0;
        status = taut_expr_reachable(e->own->graph, &constants[i], 1, &list, &below);
        for (size_t k = 0; !status && k < below; k++) {
            const node *n = taut_graph_node(e->own->graph, list[k]);
            varies[i] |= n->op == OP_PARAMETER && parameters[n->a];
        }
        if (!status) taut_expr_list_free(e->own->graph, list);
    }
    taut_mem_free(e->context, parameters);
    return status;
}

/* Why the model and the method are not for lanes and GPU; NULL: they are. */
static const char *refusal(const executor *e)
{
    const simulation *z = e->z;
    if (!e->becomes) return "its steps are not straight-line code for every member, or depend on more than the state";
    if (X(simulation_has_work)(z) && !z->declared.own_work)
        return "the work of its forces is an integral along the run; take em, which counts it";
    return NULL;
}

static int create_registers(executor *e)
{
    for (int i = 0; i < e->worker_count; i++) {
        worker *w = &e->workers[i];
        w->registers = taut_mem_new(w->context, e->plan.registers + PROGRAM_WORK, sizeof *w->registers);
        if (!w->registers) return taut_fail(e->context, TAUT_OUT_OF_MEMORY, "out of memory");
    }
    return TAUT_OK;
}

static int choose_executor(executor *e)
{
    const char *why = refusal(e);
    int status = TAUT_OK;
    if (e->options.on == EXECUTOR_INTERPRETER) return TAUT_OK;
    if (!why) status = find_varying(e, &e->varies);
    if (!why && !status)
        status = taut_text_plan_create(e->context, &e->z->method, e->z->s, e->z->declared.own_work, e->varies, &e->plan,
                                       &why);
    if (status == TAUT_UNSUPPORTED) status = TAUT_OK;
    if (!status && !why && e->plan.instructions > TEXT_LONGEST) why = "its step is too long for straight-line code";
    if (!status && !why) status = create_registers(e);
    if (!status && !why && e->options.on == EXECUTOR_GPU) status = taut_gpu_create(e, &e->gpu);
    if (why) {
        snprintf(e->note, sizeof e->note, "members are run one by one: method '%s' on this model is not for %s: %s",
                 e->method, names[e->options.on], why);
        return TAUT_OK;
    }
    if (!status && e->options.on == EXECUTOR_LANES) {
        status = taut_lanes_create(e, &e->lanes);
        if (!status && !taut_lanes_serve(e->lanes)) return TAUT_OK;
    }
    if (!status) e->on = e->options.on;
    return status;
}

int taut_executor_create(const model *m, const executor_options *options, executor **result)
{
    taut_context *context = m->context;
    executor *e = taut_mem_new(context, 1, sizeof *e);
    *result = NULL;
    if (!e) return TAUT_OUT_OF_MEMORY;
    e->context = context;
    e->m = m;
    e->options = *options;
    e->options.method = e->method = taut_mem_text(context, options->method);
    e->options.vary = e->vary = taut_mem_new(context, options->vary_count, sizeof *e->vary);
    int status = e->method && e->vary ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status && options->vary_count) memcpy(e->vary, options->vary, options->vary_count * sizeof *e->vary);
    if (!status) status = check_vary(e);
    if (!status) status = taut_model_copy(context, m, &e->own);
    const engine_options with = { .method = options->method, .tolerance = options->tolerance, .start = options->start,
                                  .native = options->native, .step = options->step, .time = options->time };
    if (!status) status = X(simulation_create)(e->own, &with, &e->z);
    if (!status) {
        e->column_count = X(simulation_column_count)(e->z);
        e->state_size = 2 + X(state_size)(&e->z->x);
        e->becomes = X(simulation_can_become)(e->z);
        e->member_size = e->becomes ? X(simulation_member_size)(e->z) : 0;
        status = create_workers(e);
        if (!status) status = choose_executor(e);
    }
    if (status)
        taut_executor_destroy(e);
    else
        *result = e;
    return status;
}

/* ---- work ---- */

static void one_member(void *self, int index, int worker_index)
{
    const job *j = self;
    worker *w = &j->e->workers[worker_index];
    if (!taut_worker_open(w, j, (size_t)index)) taut_worker_finish(w, j, (size_t)index, 0, 0);
    taut_worker_close(w);
}

/* Members that ran out of memory are no result. */
static int check_memory(const job *j)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->members[i].status == TAUT_OUT_OF_MEMORY)
            return taut_fail(j->e->context, TAUT_OUT_OF_MEMORY, "out of memory for a member of the ensemble");
    return TAUT_OK;
}

int taut_executor_run(executor *e, const executor_leg *legs, size_t leg_count, size_t count, const double *values,
                      const double *from, double *rows, executor_member *members, double *states)
{
    job j = { .e = e, .legs = legs, .leg_count = leg_count, .count = count, .values = values, .from = from,
              .rows = rows, .states = states, .members = members };
    for (size_t i = 0; i < leg_count; i++) j.reads += legs[i].reads != 0;
    if (count > INT32_MAX) return taut_fail(e->context, TAUT_BAD_USAGE, "a block has at most 2^31 - 1 members");
    for (size_t i = 0; i < count * j.reads * e->row_size; i++) rows[i] = (double)NAN;
    e->seconds = 0;
    int status = j.reads ? taut_rows_look(e, count * j.reads) : TAUT_OK;
    if (status) return status;
    if (e->on == EXECUTOR_GPU)
        status = taut_gpu_run(e, &j);
    else if (e->on == EXECUTOR_LANES)
        status = taut_lanes_run(e, &j);
    else
        taut_pool_run(e->pool, (int)count, one_member, &j);
    return status ? status : check_memory(&j);
}
