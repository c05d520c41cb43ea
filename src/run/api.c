/* The public interface (taut.h), a thin layer over models and engines. */
#include <string.h>

#include "method/method.h"
#include "run/engine.h"

struct taut_model {
    model *m;
    long references; /* the user's, and those of its simulations */
};

struct taut_simulation {
    taut_context *context;
    taut_model *model;
    const engine_api *api;
    void *engine;
    size_t columns;
    wide *frame;
    double length;          /* of the last step, when it was given as this number; otherwise NaN */
    taut_event_callback event;
    void *event_user;
    /* events of the step, told when it is over: with each the frame just after it, the high parts and then the low
       ones */
    taut_event *events;     size_t event_count, event_capacity;
    double *event_frames;   size_t event_frame_capacity;
};

/* What every call that can fail begins and ends with: the text is that of the last of them, and a success has none.
   (A call that succeeds may have met failures on its way.) */
static void begin(taut_context *context) { taut_fail_forget(context); }

static int done(taut_context *context, int status)
{
    if (!status) taut_fail_forget(context);
    return status;
}

/* ---- models ---- */

static int copy_settings(taut_context *context, const taut_setting *settings, size_t count, definition **result)
{
    definition *d = taut_mem_new(context, count, sizeof *d);
    *result = d;
    if (!d) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        if (!settings[i].name || !settings[i].value)
            return taut_fail(context, TAUT_BAD_USAGE, "setting %zu has no %s; give both name and value", i + 1,
                settings[i].name ? "value" : "name");
        d[i] = (definition){ settings[i].name, settings[i].value, 0 };
    }
    return TAUT_OK;
}

/* Wraps a loaded model, after a look at its settings. */
static int wrap(taut_context *context, model *m, const definition *d, size_t count, taut_model **result)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++)
        if (!d[i].used)
            status = taut_fail(context, TAUT_BAD_USAGE, "the model has no param or option '%s'", d[i].name);
    taut_model *wrapped = status ? NULL : taut_mem_new(context, 1, sizeof *wrapped);
    if (!status && !wrapped) status = TAUT_OUT_OF_MEMORY;
    if (status) {
        taut_model_free(m);
        return status;
    }
    wrapped->m = m;
    wrapped->references = 1;
    taut_context_keep(context);
    *result = wrapped;
    return TAUT_OK;
}

int taut_model_load_file(taut_context *context, const char *path, const taut_setting *settings, size_t count,
                         taut_model **result)
{
    definition *d;
    model *m = NULL;
    *result = NULL;
    begin(context);
    int status = copy_settings(context, settings, count, &d);
    if (!status) status = taut_model_read_file(context, path, d, count, &m);
    if (!status) status = wrap(context, m, d, count, result);
    taut_mem_free(context, d);
    return done(context, status);
}

int taut_model_load_text(taut_context *context, const char *name, const char *text, size_t size,
                         const taut_setting *settings, size_t count, taut_model **result)
{
    definition *d;
    model *m = NULL;
    *result = NULL;
    begin(context);
    int status = copy_settings(context, settings, count, &d);
    if (!status) status = taut_model_read_text(context, name, text, size, d, count, &m);
    if (!status) status = wrap(context, m, d, count, result);
    taut_mem_free(context, d);
    return done(context, status);
}

void taut_model_destroy(taut_model *wrapped)
{
    if (!wrapped || --wrapped->references) return;
    taut_context *context = wrapped->m->context;
    taut_model_free(wrapped->m);
    taut_mem_free(context, wrapped);
    taut_context_release(context);
}

const char *taut_model_title(const taut_model *wrapped) { return wrapped->m->title; }

/* ---- simulations ---- */

taut_simulation_options taut_simulation_options_default(void)
{
    return (taut_simulation_options){ .method = "rattle", .precision = "double" };
}

static start_mode start_of(const taut_simulation_options *o)
{
    return o->start_as_is ? START_AS_IS : o->project_start ? START_PROJECT : START_STRICT;
}

int taut_simulation_create(taut_model *wrapped, const taut_simulation_options *options, taut_simulation **result)
{
    taut_context *context = wrapped->m->context;
    const taut_simulation_options usual = taut_simulation_options_default();
    taut_simulation_options used = options ? *options : usual;
    if (!used.method) used.method = usual.method;
    if (!used.precision) used.precision = usual.precision;
    *result = NULL;
    begin(context);
    if (used.native < TAUT_NATIVE_DEFAULT || used.native > TAUT_NATIVE_OFF)
        return taut_fail(context, TAUT_BAD_USAGE, "native is one of TAUT_NATIVE_*, not %d", used.native);
    if (used.threads < 0 || used.threads > TAUT_THREADS_MOST)
        return taut_fail(context, TAUT_BAD_USAGE, "threads is a number from 1 to %d, or 0 for 1, not %d",
                         TAUT_THREADS_MOST, used.threads);
    const engine_api *api = taut_engine_find(used.precision);
    if (!api) return taut_fail(context, TAUT_UNSUPPORTED, "this build has no precision '%s'", used.precision);
    taut_simulation *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->context = context;
    z->api = api;
    z->model = wrapped;
    z->length = NAN;
    wrapped->references++;
    engine_options e = { .method = used.method,
                         .tolerance = taut_wide_from_double(used.tolerance),
                         .start = start_of(&used),
                         .active_set = used.active_set,
                         .native = used.native,
                         .threads = used.threads,
                         .step = taut_wide_from_double(used.step) };
    int status = api->create(wrapped->m, &e, &z->engine);
    if (!status) {
        z->columns = api->column_count(z->engine);
        z->frame = taut_mem_new(context, z->columns, sizeof *z->frame);
        if (!z->frame) status = TAUT_OUT_OF_MEMORY;
    }
    if (status)
        taut_simulation_destroy(z);
    else
        *result = z;
    return done(context, status);
}

void taut_simulation_destroy(taut_simulation *z)
{
    if (!z) return;
    taut_model *model = z->model;
    if (z->engine) z->api->destroy(z->engine);
    taut_mem_free(z->context, z->frame);
    taut_mem_free(z->context, z->events);
    taut_mem_free(z->context, z->event_frames);
    taut_mem_free(z->context, z);
    taut_model_destroy(model); /* its own reference; the last one takes model and context along */
}

static int take_frame(taut_simulation *z)
{
    int status = z->api->frame(z->engine, z->frame);
    if (!status) taut_engine_widen(z->api, z->frame, z->columns, z->frame);
    return status;
}

/* z->frame as sums of two doubles. */
static void split_frame(const taut_simulation *z, double *high, double *low)
{
    for (size_t i = 0; i < z->columns; i++) {
        high[i] = (double)z->frame[i];
        low[i] = isfinite(high[i]) ? (double)(z->frame[i] - high[i]) : 0;
    }
}

/* ---- steps and events ---- */

/* Inside a step: the event is kept. The callback is the user's, who may leave it by longjmp or an exception: it is
   called when the step is over and every object is whole. */
static int on_event(void *user, const engine_event *event)
{
    taut_simulation *z = user;
    size_t at = 2 * z->columns * z->event_count;
    int status = taut_mem_grow(z->context, &z->events, &z->event_capacity, z->event_count + 1, sizeof *z->events);
    if (!status) status = taut_mem_grow(z->context, &z->event_frames, &z->event_frame_capacity, at + 2 * z->columns,
        sizeof *z->event_frames);
    if (!status) status = take_frame(z);
    if (status) return status;
    z->events[z->event_count++] = (taut_event){ .time = (double)event->t,
                                                .contact = event->contact,
                                                .kind = event_kind_name(event->kind),
                                                .impulse = (double)event->impulse };
    split_frame(z, z->event_frames + at, z->event_frames + at + z->columns);
    return TAUT_OK;
}

/* Nothing is held here but the simulation itself, and what it kept of the step is forgotten when the next one
   begins. */
static int tell_events(taut_simulation *z)
{
    for (size_t i = 0; z->event && i < z->event_count; i++) {
        taut_event told = z->events[i];
        told.frame = z->event_frames + 2 * i * z->columns;
        told.frame_low = told.frame + z->columns;
        int status = z->event(z->event_user, &told);
        if (!status) continue;
        z->api->take_back(z->engine);
        return taut_fail(z->context, status,
            "at t = %.9g: the event callback refused the %s of contact '%s' with status %d", told.time, told.kind,
                    told.contact, status);
    }
    return TAUT_OK;
}

static int step(taut_simulation *z, wide h)
{
    z->event_count = 0;
    z->length = NAN;
    int status = z->api->step(z->engine, h);
    return status ? status : tell_events(z);
}

static int step_again(taut_simulation *z)
{
    z->event_count = 0;
    int status = z->api->step_again(z->engine);
    return status ? status : tell_events(z);
}

/* A number is read as its shortest decimal form once, not at every step. */
static int step_of(taut_simulation *z, double h)
{
    if (h == z->length) return step_again(z);
    int status = step(z, taut_wide_from_double(h));
    z->length = h;
    return status;
}

int taut_simulation_step(taut_simulation *z, double h)
{
    begin(z->context);
    if (!(h - h == 0) || h == 0)
        return taut_fail(z->context, TAUT_BAD_USAGE, "the step must be a finite number other than 0");
    return done(z->context, step_of(z, h));
}

int taut_simulation_run(taut_simulation *z, double h, double until)
{
    wide length = taut_wide_from_double(h), end = taut_wide_from_double(until), left = end - z->api->time(z->engine);
    begin(z->context);
    /* 1e-9: what is left is a rounding error of the step, and may have either sign */
    const wide nothing = (wide)1e-9;
    if (!(h - h == 0) || !(until - until == 0) || h == 0 || left / length < -nothing)
        return taut_fail(z->context, TAUT_BAD_USAGE, "steps of %g do not lead from t = %g to t = %g", h,
                    (double)z->api->time(z->engine), until);
    int status = TAUT_OK;
    /* whole steps, until the end is near enough to be looked at */
    for (wide whole = left / length - 2; !status && whole > 0;) {
        long many = whole < (wide)1e9 ? (long)whole : 1000000000;
        whole -= many ? many : 1;
        for (long k = 0; !status && k < many; k++) status = step_of(z, h);
    }
    for (;;) {
        left = end - z->api->time(z->engine);
        if (status || left / length <= nothing) return done(z->context, status);
        /* a last step shorter than a whole one ends at `until` */
        status = step(z, left / length < 1 + nothing ? left : length);
    }
}

void taut_simulation_events(taut_simulation *z, taut_event_callback callback, void *user)
{
    z->event = callback;
    z->event_user = user;
    z->api->on_event(z->engine, callback ? on_event : NULL, z);
}

double taut_simulation_time(const taut_simulation *z) { return (double)z->api->time(z->engine); }
size_t taut_simulation_columns(const taut_simulation *z) { return z->columns; }

int taut_simulation_column_name(const taut_simulation *z, size_t column, char *buffer, size_t size)
{
    begin(z->context);
    if (!z->api->column_name(z->engine, column, buffer, size)) return TAUT_OK;
    return taut_fail(z->context, TAUT_BAD_USAGE, "there is no column %zu: the simulation has %zu, counted from 0",
                     column, z->columns);
}

long taut_simulation_column(const taut_simulation *z, const char *name)
{
    char buffer[256];
    for (size_t i = 0; i < z->columns; i++) {
        z->api->column_name(z->engine, i, buffer, sizeof buffer);
        if (strcmp(buffer, name) == 0) return (long)i;
    }
    return -1;
}

int taut_simulation_frame(taut_simulation *z, double *values)
{
    begin(z->context);
    int is_double = z->api->number_size == sizeof *values;
    int status = is_double ? z->api->frame(z->engine, values) : take_frame(z);
    for (size_t i = 0; !is_double && !status && i < z->columns; i++) values[i] = (double)z->frame[i];
    return done(z->context, status);
}

int taut_simulation_frame_pairs(taut_simulation *z, double *high, double *low)
{
    begin(z->context);
    int status = take_frame(z);
    if (!status) split_frame(z, high, low);
    return done(z->context, status);
}

void taut_simulation_restart(taut_simulation *z) { z->api->restart(z->engine); }

int taut_simulation_flow(taut_simulation *z, double until, double tolerance)
{
    begin(z->context);
    if (!(until - until == 0) || !(tolerance > 0) || !(tolerance < 1))
        return taut_fail(z->context, TAUT_BAD_USAGE, "the flow needs a finite time and a tolerance between 0 and 1");
    return done(z->context, z->api->flow(z->engine, taut_wide_from_double(until), taut_wide_from_double(tolerance)));
}

taut_counts taut_simulation_counts(const taut_simulation *z)
{
    engine_counts c;
    z->api->counts(z->engine, &c);
    const newton_counts *w = &c.work;
    return (taut_counts){ .steps = c.steps, .newton_iterations = w->iterations, .factorisations = w->factorisations,
                          .evaluations = w->evaluations, .rejected = w->rejected,
                          .position_projections = w->position_projections,
                          .momentum_projections = w->momentum_projections, .projected_steps = w->projected_steps };
}

int taut_simulation_symplecticity(taut_simulation *z, double h, taut_symplecticity *result)
{
    engine_symplecticity found = { 0 };
    begin(z->context);
    int status = z->api->symplecticity(z->engine, taut_wide_from_double(h), &found);
    *result = (taut_symplecticity){ (double)found.defect, (double)found.uncertainty, found.pairs };
    return done(z->context, status);
}

/* ---- the catalogue ---- */

int taut_method_count(void) { return taut_engine_double.method_count(); }

const char *taut_method_name(int index)
{
    return index >= 0 && index < taut_method_count() ? taut_engine_double.method_info(index)->name : NULL;
}
