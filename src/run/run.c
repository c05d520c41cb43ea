#include "run/run.h"

#include <string.h>

typedef struct {
    taut_context *context;
    const engine_api *api;
    void *engine;
    const run_options *options;
    run_result *result;
    wide *values;  /* of the watched quantities */
    wide *frame;
    size_t frame_size;
    double energies;    /* the largest size of the energies while they made sense */
    int looks;        /* at the energy, up to SETTLED */
    int absurd;       /* looks in a row at an energy that makes no sense */
} loop;

/* An error of the energy that is more than half of kinetic and potential energy together says that most of these are
   made by the method. This happens for a moment where a motion begins out of rest. It is no motion of the model any
   more when the error is also ENORMOUS against all energies of the run as long as they made sense; PATIENCE looks in
   a row, or the last one, decide. The first SETTLED looks, at the start and after a step, only take the measure: a
   step from rest may be all error under a method of first order. */
#define ENORMOUS 1e4
#define PATIENCE 5
#define SETTLED 2

/* The number of steps since the origin. partial: the last one is shorter, and ends exactly at `until`. */
static long plan(const run_options *options, wide origin, int *partial)
{
    wide ratio = (options->until - origin) / options->step, whole = WIDE(round)(ratio);
    /* 1e-9: the end was meant to be a multiple of the step */
    *partial = !(whole >= 1 && WIDE(fabs)(ratio - whole) <= (wide)1e-9 * whole);
    return *partial ? (long)WIDE(floor)(ratio) + 1 : (long)whole;
}

int taut_run_check_options(taut_context *context, const run_options *options)
{
    char text[64];
    const run_result *from = options->from;
    int partial;
    if (!(options->step > 0) || options->step - options->step != 0) {
        taut_wide_format(text, sizeof text, options->step, 6);
        return taut_fail(context, TAUT_BAD_USAGE, "the step must be a positive number, not %s", text);
    }
    if (!(options->until > 0) || options->until - options->until != 0) {
        taut_wide_format(text, sizeof text, options->until, 6);
        return taut_fail(context, TAUT_BAD_USAGE, "the end time must lie after the start at t = 0, not at %s", text);
    }
    if (options->until / options->step > (wide)9e18)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "that is more than 9e18 steps; choose a larger step or an earlier end");
    if (from && from->origin_step + plan(options, from->origin_time, &partial) <= from->steps_done) {
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

static int prepare(loop *z)
{
    size_t count = z->api->monitor_count(z->engine);
    z->frame_size = z->options->every ? z->api->column_count(z->engine) : 0;
    z->result->quantities = taut_mem_new(z->context, count, sizeof *z->result->quantities);
    z->result->quantity_count = count;
    z->values = taut_mem_new(z->context, count, sizeof *z->values);
    z->frame = taut_mem_new(z->context, z->frame_size, sizeof *z->frame);
    if (!z->result->quantities || !z->values || !z->frame) return TAUT_OUT_OF_MEMORY;
    const run_result *from = z->options->from;
    if (from && from->quantity_count == count)
        memcpy(z->result->quantities, from->quantities, count * sizeof *from->quantities);
    for (size_t i = 0; i < count; i++)
        z->api->monitor_name(z->engine, i, z->result->quantities[i].name, sizeof z->result->quantities[i].name);
    return TAUT_OK;
}

static int is_number(wide x) { return x - x == 0; }

/* Does the energy in z->values still make sense? */
static int check_energy(loop *z, int last)
{
    wide size = 0;
    int kept = z->api->energy_size(z->engine, NULL), balance = z->api->balance(z->engine);
    size_t index = balance ? z->result->quantity_count - 1 : 0;
    const char *name = balance ? "energy - work" : "the energy";
    double energy = (double)z->values[0], held = index ? (double)z->values[index] : energy; /* orders of magnitude are
                                                                                               what counts */
    if (!(energy - energy == 0) || !(held - held == 0))
        return taut_fail(z->context, TAUT_NOT_FINITE,
                    "at t = %.9g: %s is no longer a finite number: the step is too large; try a smaller one",
                    (double)z->api->time(z->engine), name);
    if (kept == ENGINE_ENERGY_FREE) return TAUT_OK;
    double error = z->result->samples > 0 ? held - (double)z->result->quantities[index].first : 0;
    if (kept == ENGINE_ENERGY_KEPT) error = fabs(error);
    int settling = z->looks < SETTLED, strange = error > z->energies / 4;
    if (settling) z->looks++;
    if (settling || strange) z->api->energy_size(z->engine, &size); /* as dear as the energy itself: looked at when it
                                                                       may matter */
    if (settling || (strange && error <= (double)size / 2)) z->energies = fmax(z->energies, (double)size);
    z->absurd = error > ENORMOUS * z->energies ? z->absurd + 1 : 0;
    if (!z->absurd || (z->absurd < PATIENCE && !last)) return TAUT_OK;
    return taut_fail(z->context, TAUT_NOT_FINITE,
                     "at t = %.9g: %s has changed by %.2g, and kinetic and potential energy were of size %.2g before: "
                     "the step is too "
                     "large; try a smaller one",
                     (double)z->api->time(z->engine), name, error, z->energies);
}

static int look(loop *z, int last)
{
    int status = z->api->monitor(z->engine, z->values);
    return status ? status : check_energy(z, last);
}

static int watch(loop *z, int last)
{
    wide t = z->api->time(z->engine);
    int status = look(z, last);
    if (status) return status;
    for (size_t i = 0; i < z->result->quantity_count; i++) {
        watched *w = &z->result->quantities[i];
        /* not a number: the residual of a state without velocities; the next step says so */
        wide v = is_number(z->values[i]) ? z->values[i] : w->last;
        if (z->result->samples == 0) w->first = w->lowest = w->highest = v;
        if (v < w->lowest) w->lowest = v;
        if (v > w->highest) w->highest = v;
        w->last = v;
        w->sum += v - w->first;
        w->sum_t += t * (v - w->first);
    }
    z->result->samples += 1;
    z->result->sum_t += t;
    z->result->sum_tt += t * t;
    return TAUT_OK;
}

/* A frame every so many steps, and one at the end in any case. */
static int is_recorded(const loop *z, long step)
{
    return z->options->every && (step % z->options->every == 0 || step == z->result->steps_planned);
}

static int record(loop *z, long step)
{
    if (!is_recorded(z, step)) return TAUT_OK;
    int status = z->api->frame(z->engine, z->frame);
    /* no negative zero, and one NaN: not every storage keeps the sign of these */
    for (size_t i = 0; i < z->frame_size; i++) z->frame[i] = z->frame[i] == z->frame[i] ? z->frame[i] + 0 : (wide)NAN;
    return status ? status : z->options->frame(z->options->user, z->frame, z->frame_size);
}

static int after(loop *z)
{
    if (!z->options->after_step) return TAUT_OK;
    z->result->t = z->api->time(z->engine);
    return z->options->after_step(z->options->user, z->result, &z->result->stopped);
}

/* Frames of events are written at once, independent of options->every. */
static int on_event(void *user, const engine_event *event)
{
    loop *z = user;
    if (!z->options->event) return TAUT_OK;
    int status = z->frame_size ? z->api->frame(z->engine, z->frame) : TAUT_OK;
    return status ? status : z->options->event(z->options->user, event, z->frame_size ? z->frame : NULL, z->frame_size);
}

static int begin(loop *z)
{
    if (z->options->from) return look(z, 0);
    int status = watch(z, 0);
    if (!status) status = record(z, 0);
    return status ? status : after(z);
}

static int steps(loop *z, int partial)
{
    run_result *result = z->result;
    long stride = result->sample_stride, count = result->steps_planned;
    int status = begin(z);
    for (long n = result->steps_done + 1; !status && !result->stopped && n <= count; n++) {
        int shorter = partial && n == count;
        status = z->api->step(z->engine, shorter ? z->options->until - z->api->time(z->engine) : z->options->step);
        if (status) break;
        result->steps_done = n;
        if (shorter) result->origin_step = n, result->origin_time = z->api->time(z->engine);
        if (n % stride == 0 || n == count) {
            status = watch(z, n == count);
            const watched *energy = &result->quantities[0];
            if (z->options->progress)
                z->options->progress(z->options->user, n, count, z->api->time(z->engine), energy->last - energy->first);
        } else if (is_recorded(z, n)) {
            status = look(z, 0);
        }
        if (!status) status = record(z, n);
        if (!status) status = after(z);
    }
    return status;
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

int taut_run_loop(taut_context *context, const engine_api *api, void *engine, const run_options *options,
                  run_result *result)
{
    loop z = { .context = context, .api = api, .engine = engine, .options = options, .result = result };
    int partial;
    *result = (run_result){ 0 };
    int status = taut_run_check_options(context, options);
    if (status) return status;
    if (options->from) *result = *options->from;
    result->quantities = NULL;
    result->stopped = 0;
    result->steps_planned = result->origin_step + plan(options, result->origin_time, &partial);
    long stride = 1 + (result->steps_planned - 1) / options->samples;
    if (stride > result->sample_stride) result->sample_stride = stride;
    status = prepare(&z);
    api->on_event(engine, on_event, &z);
    if (!status) status = steps(&z, partial);
    api->on_event(engine, NULL, NULL);
    result->t = api->time(engine);
    fit_slopes(result);
    taut_mem_free(context, z.values);
    taut_mem_free(context, z.frame);
    return status;
}
