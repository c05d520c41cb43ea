/* What the tests of the run file share: a recorded run of a model, from the start or from its checkpoint. */
#ifndef TAUT_TESTS_SUPPORT_RECORD_H
#define TAUT_TESTS_SUPPORT_RECORD_H

#include "record/recorder.h"

#include "support.h"

typedef struct {
    const char *model, *method, *precision;
    double step;
    long steps, every;
    const char *setting, *value;  /* of -D, or NULL */
    double interval;              /* between commits, seconds */
    volatile long *committed;     /* set after every step; or NULL */
    long least_events;            /* of contacts, that the run is known to have */
    long samples;                 /* of what is watched, at the most; 0: as the command */
} recipe;

typedef struct {
    recorder *recorder;
    volatile long *committed;
    long stop_at;                 /* a step, or 0 */
} observer;

static inline int observe_frame(void *user, const void *values, size_t count)
{
    (void)count;
    return taut_recorder_frame(((observer *)user)->recorder, values);
}

static inline int observe_event(void *user, const engine_event *event, const void *values, size_t count)
{
    (void)count;
    return taut_recorder_event(((observer *)user)->recorder, event->t, event->contact, event_kind_name(event->kind),
                               event->impulse, values);
}

static inline int observe_step(void *user, const run_result *so_far, int *stop)
{
    observer *o = user;
    int status = taut_recorder_after_step(o->recorder, so_far);
    if (o->committed) *o->committed = taut_recorder_committed(o->recorder);
    *stop = o->stop_at && so_far->steps_done >= o->stop_at;
    return status;
}

/* Runs (or, resume, goes on) in this context; stop_at: ends there as on a signal. */
static inline int recorded_run_in(taut_context *context, const recipe *c, const char *path, int resume, long stop_at)
{
    const engine_api *api = taut_engine_find(c->precision ? c->precision : "double");
    char file[512];
    model *m = NULL;
    void *engine = NULL;
    observer o = { NULL, c->committed, stop_at };
    run_result from = { 0 }, result = { 0 };
    definition d = { c->setting, c->value, 0 };
    const wide h = taut_wide_from_double(c->step);
    run_options run = { .step = h,
                        .until = h * c->steps,
                        .every = c->every,
                        .samples = c->samples ? c->samples : 20000,
                        .frame = observe_frame,
                        .event = observe_event,
                        .after_step = observe_step,
                        .user = &o };
    const engine_options e = { .method = c->method, .step = h };
    snprintf(file, sizeof file, "%s/%s.lua", MODELS, c->model);
    int status = resume ? taut_recorder_open(context, path, &o.recorder) : TAUT_OK;
    if (!status) status = taut_model_read_file(context, file, &d, c->setting ? 1 : 0, &m);
    if (!status) status = api->create(m, &e, &engine);
    const recorder_subject subject = { m, &d, c->setting ? 1 : 0, api, &e, &run };
    if (!status && !resume) status = taut_recorder_create(context, path, 0, &subject, engine, &o.recorder);
    if (!status) taut_recorder_interval(o.recorder, c->interval, c->interval);
    if (!status && resume) status = taut_recorder_restore(o.recorder, api, engine, run.until, &from);
    if (resume) run.from = &from;
    if (!status && resume && from.steps_done == c->steps) run.from = NULL, status = -1; /* nothing left to do */
    if (!status) {
        status = taut_run_loop(context, api, engine, &run, &result);
        int recorded = taut_recorder_finish(o.recorder, &result, status);
        if (!status) status = recorded;
    }
    if (status == -1) status = TAUT_OK;
    taut_recorder_close(o.recorder);
    taut_run_result_clear(context, &from);
    taut_run_result_clear(context, &result);
    if (engine) api->destroy(engine);
    taut_model_free(m);
    return status;
}

static inline void recorded_run(const recipe *c, const char *path, int resume, long stop_at)
{
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    int status = recorded_run_in(context, c, path, resume, stop_at);
    if (status) fail_msg("%s", taut_error_text(context));
    taut_context_destroy(context);
}

/* The frames of a run, in full precision. */
typedef struct {
    long count, *steps;
    size_t width;
    wide *values;
} frames;

static inline frames read_frames_of(const char *path)
{
    taut_context *context = taut_context_create(NULL);
    record *r;
    frames f = { 0 };
    if (taut_record_open(context, path, &r)) fail_msg("%s", taut_error_text(context));
    f.count = taut_record_frame_count(r);
    f.width = taut_record_column_count(r);
    f.steps = malloc(((size_t)f.count + 1) * sizeof *f.steps);
    f.values = malloc(((size_t)f.count * f.width + 1) * sizeof *f.values);
    size_t *columns = malloc((f.width + 1) * sizeof *columns);
    for (size_t i = 0; i < f.width; i++) columns[i] = i;
    if (taut_record_read_steps(r, 0, f.count, f.steps)) fail_msg("%s", taut_error_text(context));
    if (taut_record_read_wide(r, 0, f.count, columns, f.width, f.values)) fail_msg("%s", taut_error_text(context));
    free(columns);
    taut_record_close(r);
    taut_context_destroy(context);
    return f;
}

static inline void free_frames(frames *f)
{
    free(f->steps);
    free(f->values);
}

/* All bits of all frames. (A long double has bytes that mean nothing: numbers are compared one by one.) */
static inline void assert_same_frames(const frames *a, const frames *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->width, b->width);
    for (long i = 0; i < a->count; i++) {
        if (a->steps[i] != b->steps[i]) fail_msg("frame %ld: step %ld, not %ld", i, a->steps[i], b->steps[i]);
        for (size_t k = 0; k < a->width; k++) {
            wide x = a->values[(size_t)i * a->width + k], y = b->values[(size_t)i * a->width + k];
            if (!(x == y || (x != x && y != y)))
                fail_msg("frame %ld, column %zu: %.17g, not %.17g", i, k, (double)x, (double)y);
        }
    }
}

#endif
