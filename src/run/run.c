#include "run/run.h"

#include <limits.h>
#include <string.h>

#include "run/guard.h"
#include "run/plan.h"

typedef struct {
    taut_context *context;
    const engine_api *api;
    void *engine;
    const run_options *options;
    run_result *result;
    engine_look seen;
    void *frame;
    size_t frame_size;
    run_walk walk;
    run_guard guard;
    int strained;     /* has been reported */
} loop;

/* From the origin on. */
static run_plan plan_of(const run_options *options, wide origin)
{
    return taut_run_plan(origin, options->until, options->step);
}

void taut_run_expect(const run_options *options, double *steps, double *looks, double *frames)
{
    const run_plan plan = plan_of(options, options->from ? options->from->origin_time : options->begin);
    *steps = (double)plan.steps;
    *frames = options->every ? *steps / (double)options->every : 0;
    *looks = *steps / (double)taut_run_stride(plan.steps, options->samples);
    if (*looks < *frames) *looks = *frames;
}

int taut_run_check_options(taut_context *context, const run_options *options)
{
    char text[64];
    const run_result *from = options->from;
    if (!(options->step > 0) || options->step - options->step != 0) {
        taut_wide_format(text, sizeof text, options->step, 6);
        return taut_fail(context, TAUT_BAD_USAGE, "the step must be a positive number, not %s", text);
    }
    if (!(options->until > options->begin) || options->until - options->until != 0) {
        char begin[64];
        taut_wide_format(text, sizeof text, options->until, 6);
        taut_wide_format(begin, sizeof begin, options->begin, 6);
        return taut_fail(context, TAUT_BAD_USAGE, "the end time must lie after the start at t = %s, not at %s", begin,
                         text);
    }
    const run_plan plan = plan_of(options, options->begin);
    if (plan.steps < 0)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "that is more than 9e18 steps; choose a larger step or an earlier end");
    if (!plan.steps)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "the end time is less than a thousand-millionth of a step after the start; choose a smaller "
                         "step");
    if (from && from->origin_step + plan_of(options, from->origin_time).steps <= from->steps_done) {
        taut_wide_format(text, sizeof text, from->t, 9);
        return taut_fail(context, TAUT_BAD_USAGE, "the run is at t = %s already; give a later end", text);
    }
    return TAUT_OK;
}

void taut_run_result_clear(taut_context *context, run_result *result)
{
    taut_mem_free(context, result->quantities);
    *result = (run_result){ 0 };
}

/* Slopes by least squares over all samples. */
static void fit_slopes(run_result *result)
{
    wide spread = result->samples * result->sum_tt - result->sum_t * result->sum_t;
    for (size_t i = 0; result->quantities && i < result->quantity_count; i++) {
        watched *w = &result->quantities[i];
        w->slope = spread > 0 ? (result->samples * w->sum_t - result->sum_t * w->sum) / spread : 0;
    }
}

void taut_run_result_update(const engine_api *api, void *engine, run_result *result)
{
    engine_samples samples;
    api->samples(engine, &samples);
    result->samples = samples.count, result->sum_t = samples.sum_t, result->sum_tt = samples.sum_tt;
    for (size_t i = 0; i < result->quantity_count; i++) {
        watched *w = &result->quantities[i];
        engine_watched now;
        api->watched(engine, i, &now);
        w->first = now.first, w->last = now.last, w->lowest = now.lowest, w->highest = now.highest;
        w->sum = now.sum, w->sum_t = now.sum_t;
    }
    result->t = api->time(engine);
    fit_slopes(result);
}

/* The engine goes on from the sums in the result: zero at the start. */
static void begin_watching(const loop *z)
{
    const run_result *from = z->result;
    const engine_samples samples = { from->samples, from->sum_t, from->sum_tt };
    z->api->samples_from(z->engine, &samples);
    for (size_t i = 0; i < from->quantity_count; i++) {
        const watched *w = &from->quantities[i];
        const engine_watched sums = { w->first, w->last, w->lowest, w->highest, w->sum, w->sum_t };
        z->api->watch_from(z->engine, i, &sums);
    }
}

static int prepare(loop *z)
{
    size_t count = z->api->watch_count(z->engine);
    z->frame_size = z->options->every ? z->api->column_count(z->engine) : 0;
    z->result->quantities = taut_mem_new(z->context, count, sizeof *z->result->quantities);
    z->result->quantity_count = count;
    z->frame = taut_mem_new(z->context, z->frame_size, z->api->number_size);
    if (!z->result->quantities || !z->frame) return TAUT_OUT_OF_MEMORY;
    const run_result *from = z->options->from;
    if (from && from->quantity_count == count)
        memcpy(z->result->quantities, from->quantities, count * sizeof *from->quantities);
    for (size_t i = 0; i < count; i++)
        z->api->watch_name(z->engine, i, z->result->quantities[i].name, sizeof z->result->quantities[i].name);
    begin_watching(z);
    return TAUT_OK;
}

static int look(loop *z, int last)
{
    z->api->look(z->engine, &z->seen);
    return taut_guard_look(&z->guard, &z->seen, last);
}

/* Once, a note. */
static void report_strain(loop *z)
{
    char text[TAUT_ERROR_TEXT];
    if (z->api->strain(z->engine, text, sizeof text)) taut_note(z->context, "%s", text);
    z->strained = 1;
}

/* At the end: of all of them. */
static void report_divided(loop *z)
{
    char text[TAUT_ERROR_TEXT];
    if (z->api->divided(z->engine, text, sizeof text)) taut_note(z->context, "%s", text);
}

static int watch(loop *z, int last)
{
    int status = look(z, last);
    if (!z->strained && z->api->strain(z->engine, NULL, 0)) report_strain(z);
    if (!status) z->api->watch(z->engine);
    return status;
}

/* A frame at the state, without negative zeros and with one NaN: not every storage keeps the sign of these. */
static int take_frame(loop *z)
{
    int status = z->api->frame(z->engine, z->frame);
    double *values = z->frame;
    wide *wides = z->frame;
    if (z->api->number_size == sizeof *values)
        for (size_t i = 0; i < z->frame_size; i++) values[i] = values[i] == values[i] ? values[i] + 0 : (double)NAN;
    else
        for (size_t i = 0; i < z->frame_size; i++) wides[i] = wides[i] == wides[i] ? wides[i] + 0 : (wide)NAN;
    return status;
}

static int record(loop *z)
{
    int status = take_frame(z);
    return status ? status : z->options->frame(z->options->user, z->frame, z->frame_size);
}

static int after(loop *z)
{
    if (!z->options->after_step) return TAUT_OK;
    return z->options->after_step(z->options->user, z->result, &z->result->stopped);
}

/* Frames of events are written at once, independent of options->every. Events are watched whether or not there are
   frames: what is said of a run does not depend on its being recorded. */
static int on_event(void *user, const engine_event *event)
{
    loop *z = user;
    z->api->watch(z->engine);
    if (!z->options->event) return TAUT_OK;
    int status = z->frame_size ? take_frame(z) : TAUT_OK;
    return status ? status : z->options->event(z->options->user, event, z->frame_size ? z->frame : NULL, z->frame_size);
}

static int begin(loop *z)
{
    if (z->options->from) return look(z, 0);
    int status = watch(z, 0);
    if (!status && z->options->every) status = record(z);
    return status ? status : after(z);
}

/* What is due after a step: a sample every so many steps and with every frame, a frame every so many, and both at the
   end in any case. So what was watched covers all frames: a page of them says the same as the summary. */
static int follow_step(loop *z, int due)
{
    run_result *result = z->result;
    int status = due ? watch(z, (due & RUN_END) != 0) : TAUT_OK;
    if (due & RUN_LOOK && z->options->progress)
        z->options->progress(z->options->user, result->steps_done, result->steps_planned, z->seen.change);
    if (!status && due & RUN_FRAME) status = record(z);
    return status;
}

/* The next steps: those that nothing looks at but the last of them, or one. *taken: how many. */
static int advance(loop *z, int first, long *taken)
{
    const long most = !z->options->after_step ? LONG_MAX : z->options->at_once ? z->options->at_once : 1;
    const run_leg leg = taut_run_next(&z->walk, first ? 1 : most);
    *taken = 1;
    if (!first && !leg.shorter) return z->api->steps_again(z->engine, leg.steps, taken);
    return z->api->step(z->engine, taut_run_length(&z->walk.plan, &leg, z->api->time(z->engine)));
}

static int steps(loop *z)
{
    run_result *result = z->result;
    const run_plan *plan = &z->walk.plan;
    const long begun = result->steps_done;
    int status = begin(z);
    for (long taken; !status && !result->stopped && z->walk.done < plan->steps;) {
        status = advance(z, z->walk.done == begun, &taken);
        if (status) break;
        const int due = taut_run_done(&z->walk, taken);
        result->steps_done = z->walk.done;
        if (plan->partial && due & RUN_END)
            result->origin_step = result->steps_done, result->origin_time = z->api->time(z->engine);
        status = follow_step(z, due);
        if (!status) status = after(z);
    }
    return status;
}

int taut_run_loop(taut_context *context, const engine_api *api, void *engine, const run_options *options,
                  run_result *result)
{
    loop z = { .context = context, .api = api, .engine = engine, .options = options, .result = result };
    taut_guard_begin(&z.guard, context, api, engine);
    *result = (run_result){ 0 };
    int status = taut_run_check_options(context, options);
    if (status) return status;
    if (options->from) *result = *options->from;
    else result->origin_time = options->begin;
    result->quantities = NULL;
    result->stopped = 0;
    run_plan plan = plan_of(options, result->origin_time);
    plan.steps += result->origin_step;
    result->steps_planned = plan.steps;
    long stride = taut_run_stride(plan.steps, options->samples);
    if (stride > result->sample_stride) result->sample_stride = stride;
    z.walk = taut_run_walk(&plan, result->steps_done, result->sample_stride, options->every);
    status = prepare(&z);
    api->on_event(engine, on_event, &z);
    if (!status) status = steps(&z);
    api->on_event(engine, NULL, NULL);
    report_divided(&z);
    if (result->quantities) taut_run_result_update(api, engine, result);
    result->t = api->time(engine);
    taut_mem_free(context, z.frame);
    return status;
}
