/* The public interface (taut.h), a thin layer over models and engines. */
#include <string.h>

#include "method/method.h"
#include "run/engine.h"

struct taut_model {
    model *m;
};

struct taut_simulation {
    taut_context *context;
    const engine_api *api;
    void *engine;
    wide *frame;
    taut_event_callback event;
    void *event_user;
};

/* ---- models ---- */

static int copy_settings(taut_context *context, const taut_setting *settings, size_t count, definition **result)
{
    definition *d = mem_new(context, count, sizeof *d);
    *result = d;
    if (!d) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) d[i] = (definition){ settings[i].name, settings[i].value, 0 };
    return TAUT_OK;
}

/* Wraps a loaded model, after a look at its settings. */
static int wrap(taut_context *context, model *m, const definition *d, size_t count, taut_model **result)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++)
        if (!d[i].used)
            status = fail(context, TAUT_BAD_USAGE, "the model has no param or option '%s'", d[i].name);
    taut_model *wrapped = status ? NULL : mem_new(context, 1, sizeof *wrapped);
    if (!status && !wrapped) status = TAUT_OUT_OF_MEMORY;
    if (status) {
        model_destroy(m);
        return status;
    }
    wrapped->m = m;
    *result = wrapped;
    return TAUT_OK;
}

int taut_model_load_file(taut_context *context, const char *path, const taut_setting *settings, size_t count,
                         taut_model **result)
{
    definition *d;
    model *m = NULL;
    *result = NULL;
    int status = copy_settings(context, settings, count, &d);
    if (!status) status = model_load_file(context, path, d, count, &m);
    if (!status) status = wrap(context, m, d, count, result);
    mem_free(context, d);
    return status;
}

int taut_model_load_text(taut_context *context, const char *name, const char *text, size_t size,
                         const taut_setting *settings, size_t count, taut_model **result)
{
    definition *d;
    model *m = NULL;
    *result = NULL;
    int status = copy_settings(context, settings, count, &d);
    if (!status) status = model_load_text(context, name, text, size, d, count, &m);
    if (!status) status = wrap(context, m, d, count, result);
    mem_free(context, d);
    return status;
}

void taut_model_destroy(taut_model *wrapped)
{
    if (!wrapped) return;
    taut_context *context = wrapped->m->context;
    model_destroy(wrapped->m);
    mem_free(context, wrapped);
}

const char *taut_model_title(const taut_model *wrapped) { return wrapped->m->title; }

/* ---- simulations ---- */

taut_simulation_options taut_simulation_options_default(void)
{
    return (taut_simulation_options){ .method = "rattle", .precision = "double" };
}

int taut_simulation_create(taut_model *wrapped, const taut_simulation_options *options, taut_simulation **result)
{
    taut_context *context = wrapped->m->context;
    taut_simulation_options used = options ? *options : taut_simulation_options_default();
    *result = NULL;
    const engine_api *api = engine_find(used.precision);
    if (!api) return fail(context, TAUT_UNSUPPORTED, "this build has no precision '%s'", used.precision);
    taut_simulation *z = mem_new(context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->context = context;
    z->api = api;
    engine_options e = { .method = used.method,
                         .tolerance = wide_from_double(used.tolerance),
                         .project_start = used.project_start,
                         .active_set = used.active_set,
                         .step = wide_from_double(used.step),
                         .start_as_is = used.start_as_is };
    int status = api->create(wrapped->m, &e, &z->engine);
    if (!status) {
        z->frame = mem_new(context, api->column_count(z->engine), sizeof *z->frame);
        if (!z->frame) status = TAUT_OUT_OF_MEMORY;
    }
    if (status)
        taut_simulation_destroy(z);
    else
        *result = z;
    return status;
}

void taut_simulation_destroy(taut_simulation *z)
{
    if (!z) return;
    if (z->engine) z->api->destroy(z->engine);
    mem_free(z->context, z->frame);
    mem_free(z->context, z);
}

int taut_simulation_step(taut_simulation *z, double h)
{
    if (!(h - h == 0) || h == 0)
        return fail(z->context, TAUT_BAD_USAGE, "the step must be a finite number other than 0");
    return z->api->step(z->engine, wide_from_double(h));
}

int taut_simulation_run(taut_simulation *z, double h, double until)
{
    wide step = wide_from_double(h), end = wide_from_double(until), left = end - z->api->time(z->engine);
    if (!(h - h == 0) || !(until - until == 0) || h == 0 || left / step < 0)
        return fail(z->context, TAUT_BAD_USAGE, "steps of %g do not lead from t = %g to t = %g", h,
                    (double)z->api->time(z->engine), until);
    int status = TAUT_OK;
    for (;;) {
        left = end - z->api->time(z->engine);
        /* 1e-9: what is left is a rounding error of the step; a last step shorter than a whole one ends at `until` */
        if (status || left / step <= (wide)1e-9) return status;
        status = z->api->step(z->engine, left / step < 1 + (wide)1e-9 ? left : step);
    }
}

static int on_event(void *user, const engine_event *event)
{
    taut_simulation *z = user;
    const taut_event public_event = { (double)event->t, event->contact, event->kind_name, (double)event->impulse };
    return z->event(z->event_user, &public_event);
}

void taut_simulation_events(taut_simulation *z, taut_event_callback callback, void *user)
{
    z->event = callback;
    z->event_user = user;
    z->api->on_event(z->engine, callback ? on_event : NULL, z);
}

double taut_simulation_time(const taut_simulation *z) { return (double)z->api->time(z->engine); }
size_t taut_simulation_columns(const taut_simulation *z) { return z->api->column_count(z->engine); }

void taut_simulation_column_name(const taut_simulation *z, size_t column, char *buffer, size_t size)
{
    z->api->column_name(z->engine, column, buffer, size);
}

long taut_simulation_column(const taut_simulation *z, const char *name)
{
    char buffer[256];
    for (size_t i = 0; i < taut_simulation_columns(z); i++) {
        taut_simulation_column_name(z, i, buffer, sizeof buffer);
        if (strcmp(buffer, name) == 0) return (long)i;
    }
    return -1;
}

int taut_simulation_frame(taut_simulation *z, double *values)
{
    int status = z->api->frame(z->engine, z->frame);
    for (size_t i = 0; !status && i < taut_simulation_columns(z); i++) values[i] = (double)z->frame[i];
    return status;
}

int taut_simulation_frame_pairs(taut_simulation *z, double *high, double *low)
{
    int status = z->api->frame(z->engine, z->frame);
    for (size_t i = 0; !status && i < taut_simulation_columns(z); i++) {
        high[i] = (double)z->frame[i];
        low[i] = isfinite(high[i]) ? (double)(z->frame[i] - high[i]) : 0;
    }
    return status;
}

void taut_simulation_restart(taut_simulation *z) { z->api->restart(z->engine); }

int taut_simulation_flow(taut_simulation *z, double until, double tolerance)
{
    if (!(until - until == 0) || !(tolerance > 0) || !(tolerance < 1))
        return fail(z->context, TAUT_BAD_USAGE, "the flow needs a finite time and a tolerance between 0 and 1");
    return z->api->flow(z->engine, wide_from_double(until), wide_from_double(tolerance));
}

taut_counts taut_simulation_counts(const taut_simulation *z)
{
    engine_counts c;
    z->api->counts(z->engine, &c);
    return (taut_counts){ c.steps,    c.newton_iterations,    c.factorisations,       c.evaluations,
                          c.rejected, c.position_projections, c.momentum_projections, c.projected_steps };
}

int taut_simulation_symplecticity(taut_simulation *z, double h, taut_symplecticity *result)
{
    engine_symplecticity found = { 0 };
    int status = z->api->symplecticity(z->engine, wide_from_double(h), &found);
    *result = (taut_symplecticity){ (double)found.defect, (double)found.uncertainty, found.pairs };
    return status;
}

/* ---- the catalogue ---- */

int taut_method_count(void) { return engine_double.method_count(); }

const char *taut_method_name(int index)
{
    return index >= 0 && index < taut_method_count() ? engine_double.method_info(index)->name : NULL;
}
