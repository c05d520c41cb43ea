/* Runs: steps with hooks, rows of columns, a run file. */
#include "library/library.h"

enum { AT_ONCE = 500 };

typedef struct {
    taut_simulation *z;
    taut_run run;            /* as the user gave it */
    size_t stretch_count, row_size;
    run_walk walk;           /* its frames are the rows */
    long done;               /* steps */
    size_t rows;
    int stop;
    run_options options;     /* of a run with a file */
} runner;

run_plan taut_library_run_plan(wide begin, const taut_run *run)
{
    return taut_run_plan(begin, taut_wide_from_double(run->until), taut_wide_from_double(run->h));
}

long taut_step_count(double h, double until)
{
    const run_plan plan = taut_run_plan(0, taut_wide_from_double(until), taut_wide_from_double(h));
    return h > 0 ? taut_run_plan_divides(&plan) : 0;
}

size_t taut_run_rows(const taut_simulation *z, const taut_run *given)
{
    taut_run run;
    if (!z || !given || taut_library_take(z->context, "taut_run", given, sizeof run, &run)) return 0;
    library_again(z->context);
    const run_plan plan = taut_library_run_plan(z->api->time(z->engine), &run);
    library_leave(z->context);
    return taut_run_plan_rows(plan.steps, run.every > 0 ? run.every : 1);
}

/* ---- rows ---- */

/* The columns as stretches of one type each. */
static int find_stretches(runner *r)
{
    taut_simulation *z = r->z;
    const taut_run *run = &r->run;
    const size_t count = run->columns ? run->column_count : z->columns;
    r->row_size = count;
    for (size_t i = 0; i < count; i++) {
        size_t column = run->columns ? run->columns[i] : i;
        int type = 0;
        for (; type < COLUMN_TYPES && column >= z->api->columns_of(z->engine, (engine_column)type); type++)
            column -= z->api->columns_of(z->engine, (engine_column)type);
        if (type == COLUMN_TYPES)
            return taut_fail(z->context, TAUT_BAD_USAGE, "there is no column %zu: the simulation has %zu, counted "
                             "from 0", run->columns[i], z->columns);
        library_stretch *last = r->stretch_count ? &z->stretches[r->stretch_count - 1] : NULL;
        if (last && (int)last->type == type && last->first + last->count == column) {
            last->count++;
            continue;
        }
        int status = taut_mem_grow(z->context, &z->stretches, &z->stretch_capacity, r->stretch_count + 1,
                                   sizeof *z->stretches);
        if (status) return status;
        z->stretches[r->stretch_count++] = (library_stretch){ (engine_column)type, column, 1 };
    }
    return TAUT_OK;
}

static int put_row(runner *r)
{
    taut_simulation *z = r->z;
    const int is_double = z->api->number_size == sizeof(double);
    double *to = r->run.rows + r->rows * r->row_size;
    int status = TAUT_OK;
    library_read_begin(z);
    for (size_t i = 0; !status && i < r->stretch_count; i++) {
        const library_stretch *s = &z->stretches[i];
        status = z->api->column_values(z->engine, s->type, s->first, s->count,
                                       is_double ? (void *)to : (void *)z->frame);
        for (size_t k = 0; !is_double && k < s->count; k++) to[k] = (double)z->frame[k];
        to += s->count;
    }
    status = taut_library_read_done(z, status, r->run.rows + r->rows * r->row_size, r->row_size);
    if (!status) r->rows++;
    return status;
}

/* ---- hooks ---- */

static int call(runner *r, taut_hook hook, const char *which)
{
    taut_simulation *z = r->z;
    if (!hook) return TAUT_OK;
    z->computing = z->moved_by = NULL;
    library_leave(z->context);
    int status = hook(r->run.user, z);
    library_again(z->context);
    z->computing = "taut_advance";
    if (z->moved_by)
        return taut_fail(z->context, TAUT_BAD_USAGE,
                         "at t = %.9g: the hook %s the step called %s; a hook may read the simulation, set inputs, "
                         "kick and set the state of the next step", taut_time(z), which, z->moved_by);
    if (!status) return TAUT_OK;
    if (status == TAUT_STOP) {
        r->stop = 1;
        return TAUT_OK;
    }
    taut_error error = { .size = sizeof error };
    taut_context_error(z->context, &error);
    if (error.status == status) return status; /* of a call that failed in it: its own message */
    return taut_fail(z->context, status, "at t = %.9g: the hook %s the step returned %d", taut_time(z), which, status);
}

static int before_step(runner *r)
{
    if (r->run.interrupt && *r->run.interrupt) r->stop = 1;
    return r->stop ? TAUT_OK : call(r, r->run.before, "before");
}

/* ---- without a file ---- */

static int follow_step(runner *r, int due)
{
    int status = due & RUN_FRAME ? put_row(r) : TAUT_OK;
    return status ? status : call(r, r->run.after, "after");
}

/* Steps that nobody looks at in between may be taken at once. Some hundred at the most, so that an interrupt is seen
   soon. */
static long at_once(const runner *r)
{
    return r->run.before || r->run.after || r->run.h != r->z->length ? 1 : AT_ONCE;
}

/* *done: how many were taken. */
static int some_steps(runner *r, long *done)
{
    taut_simulation *z = r->z;
    const run_leg leg = taut_run_next(&r->walk, at_once(r));
    *done = 1;
    if (leg.shorter)
        return taut_library_step(z, taut_run_length(&r->walk.plan, &leg, z->api->time(z->engine)));
    if (leg.steps == 1) return taut_library_step_of(z, r->run.h);
    z->event_count = 0;
    int status = z->api->steps_again(z->engine, leg.steps, done);
    return status ? status : taut_library_tell_events(z);
}

static int run_plain(runner *r)
{
    int status = r->run.rows ? put_row(r) : TAUT_OK;
    while (!status && r->done < r->walk.plan.steps) {
        status = before_step(r);
        if (status || r->stop) break;
        long taken;
        status = some_steps(r, &taken);
        if (status) break;
        const int due = taut_run_done(&r->walk, taken);
        r->done = r->walk.done;
        status = follow_step(r, due);
        if (r->stop) break;
    }
    return status;
}

/* ---- into a file ---- */

static int file_frame(void *user, const void *values, size_t count)
{
    runner *r = user;
    (void)count;
    int status = taut_recorder_frame(r->z->recorder, values);
    if (!status && r->run.rows && r->rows < r->run.row_capacity) status = put_row(r);
    return status;
}

static int file_event(void *user, const engine_event *event, const void *values, size_t count)
{
    runner *r = user;
    (void)count;
    int status = taut_recorder_event(r->z->recorder, event->t, event->contact, event_kind_name(event->kind),
                                     event->impulse, values);
    return status || !r->z->event ? status : taut_library_on_event(r->z, event);
}

/* After the start and after every step: the hooks between them. */
static int file_step(void *user, const run_result *so_far, int *stop)
{
    runner *r = user;
    int status = taut_recorder_after_step(r->z->recorder, so_far);
    if (!status && so_far->steps_done) {
        status = taut_library_tell_events(r->z);
        if (!status) status = call(r, r->run.after, "after");
    }
    r->z->event_count = 0;
    r->done = so_far->steps_done;
    if (!status && !r->stop && so_far->steps_done < so_far->steps_planned) status = before_step(r);
    *stop = r->stop;
    return status;
}

int taut_library_list_settings(const taut_simulation *z, definition **list, size_t *count,
                               char (**numbers)[WIDE_TEXT])
{
    const model *m = z->model->m;
    const size_t given = z->model->setting_count;
    *list = taut_mem_new(z->context, given + m->parameter_count, sizeof **list);
    *numbers = taut_mem_new(z->context, m->parameter_count, sizeof **numbers);
    if (!*list || !*numbers) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < given; i++) (*list)[(*count)++] = z->model->settings[i];
    for (size_t i = 0; i < m->parameter_count; i++) {
        if (!z->is_set[i] && z->parameters[i] == m->parameters[i].value) continue;
        taut_wide_shortest((*numbers)[i], WIDE_TEXT, z->parameters[i]);
        (*list)[(*count)++] = (definition){ m->parameters[i].name, (*numbers)[i], 0 };
    }
    return TAUT_OK;
}

static int open_file(runner *r)
{
    taut_simulation *z = r->z;
    definition *settings = NULL;
    char (*numbers)[WIDE_TEXT] = NULL;
    size_t count = 0;
    int status = taut_library_list_settings(z, &settings, &count, &numbers);
    if (!status) {
        const recorder_subject subject = { z->model->m, settings, count, z->api, &z->options, &r->options };
        status = taut_recorder_create(z->context, r->run.file, r->run.replace, &subject, z->engine, &z->recorder);
    }
    taut_mem_free(z->context, settings);
    taut_mem_free(z->context, numbers);
    return status;
}

static int run_into_file(runner *r)
{
    taut_simulation *z = r->z;
    run_result result = { 0 };
    const run_plan *plan = &r->walk.plan;
    r->options = (run_options){ .step = plan->step, .until = plan->until, .begin = z->api->time(z->engine),
                                .every = r->run.every, .samples = 20000, .frame = file_frame, .event = file_event,
                                .after_step = file_step, .user = r };
    int status = taut_run_check_options(z->context, &r->options);
    if (!status) status = open_file(r);
    if (status) return status;
    z->event_count = 0;
    z->length = NAN;
    status = taut_run_loop(z->context, z->api, z->engine, &r->options, &result);
    taut_context_stop(z->context, NULL, NULL); /* what was computed is kept */
    /* a hook that ran another file has closed this one */
    int recorded = z->recorder ? taut_recorder_finish(z->recorder, &result, status) : TAUT_OK;
    if (!status) status = recorded;
    taut_run_result_clear(z->context, &result);
    taut_recorder_close(z->recorder);
    z->recorder = NULL;
    taut_library_forget_left(z);
    if (z->event) z->api->on_event(z->engine, taut_library_on_event, z);
    return status;
}

/* ---- both ---- */

static int is_interrupted(void *user) { return *((const runner *)user)->run.interrupt; }

static int prepare(runner *r)
{
    taut_simulation *z = r->z;
    taut_run *run = &r->run;
    taut_recorder_close(z->recorder); /* of a run whose hook never returned */
    z->recorder = NULL;
    taut_library_forget_left(z);
    if (run->every < 0) return taut_fail(z->context, TAUT_BAD_USAGE, "every is a number of steps, not %ld", run->every);
    if (!run->every) run->every = 1;
    const run_plan plan = taut_library_run_plan(z->api->time(z->engine), run);
    if (plan.steps < 0)
        return taut_fail(z->context, TAUT_BAD_USAGE, "steps of %g do not lead from t = %g to t = %g", run->h,
                         taut_time(z), run->until);
    const size_t rows = taut_run_plan_rows(plan.steps, run->every);
    if (run->rows && rows > run->row_capacity)
        return taut_fail(z->context, TAUT_BAD_USAGE, "the run has %zu rows, and there is room for %zu", rows,
                         run->row_capacity);
    r->walk = taut_run_walk(&plan, 0, 0, run->rows ? run->every : 0);
    if (run->file && z->api->time(z->engine) != z->options.time)
        return taut_fail(z->context, TAUT_BAD_USAGE,
                         "a run file begins at the start of the simulation, t = %g, and it is at t = %g; restart it",
                         (double)z->options.time, taut_time(z));
    return run->rows ? find_stretches(r) : TAUT_OK;
}

int taut_advance(taut_simulation *z, taut_run *given)
{
    runner r = { .z = z };
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, given, "run");
    int status = taut_library_enter(z, "taut_advance");
    if (status) return status;
    status = taut_library_take(z->context, "taut_run", given, sizeof r.run, &r.run);
    if (!status) status = prepare(&r);
    if (!status && r.run.interrupt) taut_context_stop(z->context, is_interrupted, &r);
    if (!status) status = r.run.file ? run_into_file(&r) : run_plain(&r);
    taut_context_stop(z->context, NULL, NULL);
    if (status == TAUT_STOPPED) r.stop = 1, status = TAUT_OK;
    r.run.row_count = r.rows;
    r.run.stopped = !status && r.stop && r.done < r.walk.plan.steps;
    taut_library_give(&r.run, sizeof r.run, given);
    z->moved_by = "taut_advance";
    return library_exit(z, status);
}
