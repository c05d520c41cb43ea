#include "run/run.h"

#include <string.h>

/* Sums for the least-squares slope of each quantity against time, relative to the first sample. */
typedef struct {
    wide n, t, tt;
    wide *y, *ty;
} fit;

typedef struct {
    taut_context *context;
    const engine_api *api;
    void *engine;
    const run_options *options;
    run_result *result;
    wide *values;  /* of the watched quantities */
    wide *frame;
    size_t frame_size;
    fit fit;
} loop;

int run_check_options(taut_context *context, const run_options *options)
{
    char text[64];
    if (!(options->step > 0) || options->step - options->step != 0) {
        wide_format(text, sizeof text, options->step, 6);
        return fail(context, TAUT_BAD_USAGE, "the step must be a positive number, not %s; give one with -s", text);
    }
    if (!(options->until > 0) || options->until - options->until != 0) {
        wide_format(text, sizeof text, options->until, 6);
        return fail(context, TAUT_BAD_USAGE, "the end time must lie after the start at t = 0, not at %s; give one with -T", text);
    }
    if (options->until / options->step > (wide)9e18)
        return fail(context, TAUT_BAD_USAGE, "that is more than 9e18 steps; give a larger step with -s or an earlier end with -T");
    return TAUT_OK;
}

void run_result_clear(taut_context *context, run_result *result)
{
    mem_free(context, result->quantities);
    *result = (run_result){ 0 };
}

static int prepare(loop *z)
{
    size_t count = z->api->monitor_count(z->engine);
    z->frame_size = z->options->every ? z->api->column_count(z->engine) : 0;
    z->result->quantities = mem_new(z->context, count, sizeof *z->result->quantities);
    z->result->quantity_count = count;
    z->values = mem_new(z->context, count, sizeof *z->values);
    z->fit.y = mem_new(z->context, count, sizeof *z->fit.y);
    z->fit.ty = mem_new(z->context, count, sizeof *z->fit.ty);
    z->frame = mem_new(z->context, z->frame_size, sizeof *z->frame);
    if (!z->result->quantities || !z->values || !z->fit.y || !z->fit.ty || !z->frame) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        z->api->monitor_name(z->engine, i, z->result->quantities[i].name, sizeof z->result->quantities[i].name);
    return TAUT_OK;
}

static int watch(loop *z)
{
    wide t = z->api->time(z->engine);
    int status = z->api->monitor(z->engine, z->values);
    if (status) return status;
    for (size_t i = 0; i < z->result->quantity_count; i++) {
        watched *w = &z->result->quantities[i];
        wide v = z->values[i];
        if (z->fit.n == 0) w->first = w->lowest = w->highest = v;
        if (v < w->lowest) w->lowest = v;
        if (v > w->highest) w->highest = v;
        w->last = v;
        z->fit.y[i] += v - w->first;
        z->fit.ty[i] += t * (v - w->first);
    }
    z->fit.n += 1;
    z->fit.t += t;
    z->fit.tt += t * t;
    return TAUT_OK;
}

/* A frame every so many steps, and one at the end in any case. */
static int record(loop *z, long step)
{
    if (!z->options->every || (step % z->options->every && step != z->result->steps_planned)) return TAUT_OK;
    int status = z->api->frame(z->engine, z->frame);
    return status ? status : z->options->frame(z->options->user, z->frame, z->frame_size);
}

/* The number of steps. partial: the last one is shorter, and ends exactly at `until`. */
static long plan(const run_options *options, int *partial)
{
    wide ratio = options->until / options->step, whole = WIDE(round)(ratio);
    /* 1e-9: the end was meant to be a multiple of the step */
    *partial = !(whole >= 1 && WIDE(fabs)(ratio - whole) <= (wide)1e-9 * whole);
    return *partial ? (long)WIDE(floor)(ratio) + 1 : (long)whole;
}

/* Frames of events are written at once, whatever --every says. */
static int on_event(void *user, const engine_event *event)
{
    loop *z = user;
    if (!z->options->event) return TAUT_OK;
    int status = z->frame_size ? z->api->frame(z->engine, z->frame) : TAUT_OK;
    return status ? status : z->options->event(z->options->user, event, z->frame_size ? z->frame : NULL, z->frame_size);
}

static int steps(loop *z, long count, int partial)
{
    long stride = z->result->sample_stride;
    int status = watch(z);
    if (!status) status = record(z, 0);
    for (long n = 1; !status && n <= count; n++) {
        wide h = partial && n == count ? z->options->until - z->api->time(z->engine) : z->options->step;
        status = z->api->step(z->engine, h);
        if (status) break;
        z->result->steps_done = n;
        if (n % stride == 0 || n == count) {
            status = watch(z);
            const watched *energy = &z->result->quantities[0];
            if (z->options->progress)
                z->options->progress(z->options->user, n, count, z->api->time(z->engine), energy->last - energy->first);
        }
        if (!status) status = record(z, n);
    }
    return status;
}

int run_loop(taut_context *context, const engine_api *api, void *engine, const run_options *options, run_result *result)
{
    loop z = { .context = context, .api = api, .engine = engine, .options = options, .result = result };
    int partial;
    *result = (run_result){ 0 };
    int status = run_check_options(context, options);
    if (status) return status;
    result->steps_planned = plan(options, &partial);
    result->sample_stride = 1 + (result->steps_planned - 1) / options->samples;
    status = prepare(&z);
    api->on_event(engine, on_event, &z);
    if (!status) status = steps(&z, result->steps_planned, partial);
    api->on_event(engine, NULL, NULL);
    result->t = api->time(engine);
    wide spread = z.fit.n * z.fit.tt - z.fit.t * z.fit.t;
    for (size_t i = 0; result->quantities && z.fit.ty && z.fit.y && i < result->quantity_count; i++)
        result->quantities[i].slope = spread > 0 ? (z.fit.n * z.fit.ty[i] - z.fit.t * z.fit.y[i]) / spread : 0;
    mem_free(context, z.values);
    mem_free(context, z.fit.y);
    mem_free(context, z.fit.ty);
    mem_free(context, z.frame);
    return status;
}
