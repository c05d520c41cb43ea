/* Simulations of the public interface: made, cloned, rebuilt with other parameters, released. */
#include "library/library.h"
#include "method/method.h"

/* ---- plans ---- */

void taut_library_plan_release(library_plan *p)
{
    if (!p || atomic_fetch_sub(&p->references, 1) != 1) return;
    taut_context *context = p->context;
    if (p->engine) p->api->destroy(p->engine);
    if (!p->borrows) taut_model_free(p->m);
    taut_mem_free(context, p);
    taut_context_release(context);
}

static int copy_model(const taut_simulation *z, taut_context *context, model **result)
{
    int status = taut_model_copy(context, z->model->m, result);
    for (size_t i = 0; !status && i < (*result)->parameter_count; i++)
        (*result)->parameters[i].value = z->parameters[i];
    return status ? status : taut_model_derive_parameters(*result, z->is_set);
}

int taut_library_plan(const taut_simulation *z, taut_context *context, const engine_api *api,
                      const engine_options *options, library_plan **result)
{
    library_plan *p = taut_mem_new(context, 1, sizeof *p);
    *result = NULL;
    if (!p) return TAUT_OUT_OF_MEMORY;
    p->context = context;
    p->api = api;
    atomic_init(&p->references, 1);
    taut_context_keep(context);
    p->borrows = z->in_place && !z->plan;
    if (p->borrows) p->m = z->model->m;
    int status = p->borrows ? TAUT_OK : copy_model(z, context, &p->m);
    if (!status) status = api->create(p->m, options, &p->engine);
    if (status)
        taut_library_plan_release(p);
    else
        *result = p;
    return status;
}

int taut_library_model(const taut_simulation *z, taut_context *context, model **result)
{
    int status = taut_model_copy(context, z->model->m, result);
    for (size_t i = 0; !status && i < (*result)->parameter_count; i++) {
        (*result)->parameters[i].value = z->parameters[i];
        (*result)->parameters[i].is_set |= z->is_set[i];
    }
    return status;
}

int taut_library_rebuild(taut_simulation *z)
{
    library_plan *p;
    int status = taut_library_plan(z, z->context, z->api, &z->options, &p);
    if (status) return status;
    const size_t columns = z->api->column_count(p->engine);
    wide *frame = taut_mem_resize(z->context, z->frame, columns, sizeof *frame);
    if (!frame) {
        taut_library_plan_release(p);
        return TAUT_OUT_OF_MEMORY;
    }
    z->frame = frame;
    z->columns = columns;
    void *own = z->plan && z->engine != z->plan->engine ? z->engine : NULL;
    if (z->recorder && !z->left_plan) {
        z->left_engine = own, z->left_plan = z->plan;
    } else {
        if (own) z->api->destroy(own);
        taut_library_plan_release(z->plan);
    }
    z->plan = p;
    z->engine = p->engine;
    z->length = NAN;
    z->event_count = 0;
    for (size_t i = 0; i < p->m->parameter_count; i++) z->parameters[i] = p->m->parameters[i].value;
    if (z->event) z->api->on_event(z->engine, taut_library_on_event, z);
    taut_library_names_clear(z);
    return TAUT_OK;
}

int taut_library_enter(taut_simulation *z, const char *call)
{
    if (!z->computing) {
        z->computing = call;
        library_begin(z->context);
        return TAUT_OK;
    }
    return taut_fail(z->context, TAUT_BAD_USAGE,
                     "%s was called by a function of the model, while %s evaluates it; such a function depends on its "
                     "arguments alone", call, z->computing);
}

void taut_library_forget_left(taut_simulation *z)
{
    if (z->left_engine) z->api->destroy(z->left_engine);
    taut_library_plan_release(z->left_plan);
    z->left_engine = NULL;
    z->left_plan = NULL;
}

/* ---- parameters ---- */

static int list_parameters(taut_simulation *z)
{
    const model *m = z->model->m;
    const size_t count = m->parameter_count;
    z->parameters = taut_mem_new(z->context, count, sizeof *z->parameters);
    z->is_set = taut_mem_new(z->context, count, 1);
    z->params = taut_mem_new(z->context, count, sizeof *z->params);
    z->inputs = taut_mem_new(z->context, count, sizeof *z->inputs);
    if (!z->parameters || !z->is_set || !z->params || !z->inputs) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        z->parameters[i] = m->parameters[i].value;
        if (m->parameters[i].is_input) z->inputs[z->input_count++] = i;
        else z->params[z->param_count++] = i;
    }
    return TAUT_OK;
}

int taut_library_inputs(taut_simulation *z)
{
    int changed = 0;
    for (size_t i = 0; i < z->input_count; i++) {
        wide *value = z->api->input(z->engine, z->inputs[i]);
        changed |= *value != z->parameters[z->inputs[i]];
        *value = z->parameters[z->inputs[i]];
    }
    return changed ? z->api->inputs_changed(z->engine) : TAUT_OK;
}

/* ---- simulations ---- */

int taut_library_check_threads(taut_context *context, int threads)
{
    if (threads >= 0 && threads <= TAUT_THREADS_MOST) return TAUT_OK;
    return taut_fail(context, TAUT_BAD_USAGE, "threads is a number from 1 to %d, or 0 for 1, not %d",
                     TAUT_THREADS_MOST, threads);
}

int taut_library_check_options(taut_context *context, const taut_options *o, const engine_api **api)
{
    if (o->native < TAUT_NATIVE_DEFAULT || o->native > TAUT_NATIVE_OFF)
        return taut_fail(context, TAUT_BAD_USAGE, "native is one of TAUT_NATIVE_*, not %d", o->native);
    int status = taut_library_check_threads(context, o->threads);
    if (status) return status;
    if (o->start < TAUT_STRICT || o->start > TAUT_AS_IS)
        return taut_fail(context, TAUT_BAD_USAGE, "start is TAUT_STRICT, TAUT_PROJECT or TAUT_AS_IS, not %d", o->start);
    if (!(o->time - o->time == 0) || !(o->tolerance >= 0) || !(taut_wide_from_double(o->tolerance) < TOLERANCE_BELOW))
        return taut_fail(context, TAUT_BAD_USAGE,
                         "the time of the start is a finite number, the tolerance one between 0 and 0.1");
    *api = taut_engine_find(o->precision ? o->precision : "double");
    if (!*api) return taut_fail(context, TAUT_UNSUPPORTED, "this build has no precision '%s'", o->precision);
    return TAUT_OK;
}

static taut_simulation *make(taut_context *context, taut_model *model, const char *method)
{
    taut_simulation *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return NULL;
    taut_context_keep(context);
    z->context = context;
    z->model = taut_model_keep(model);
    z->length = NAN;
    z->method = taut_mem_text(context, method);
    if (z->method && !list_parameters(z)) return z;
    taut_simulation_release(z);
    return NULL;
}

int taut_library_simulation(taut_context *context, taut_model *model, const engine_api *api,
                            const engine_options *options, int in_place, taut_simulation **result)
{
    taut_simulation *z = make(context, model, options->method ? options->method : "rattle");
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->api = api;
    z->in_place = in_place;
    z->options = *options;
    z->options.method = z->method;
    int status = taut_library_rebuild(z);
    if (status) taut_fail_at(context, (double)options->time);
    if (status)
        taut_simulation_release(z);
    else
        *result = z;
    if (!status && in_place) taut_model_release(model); /* the simulation has it now */
    return status;
}

int taut_simulation_create(taut_context *context, taut_model *model, const taut_options *options,
                           taut_simulation **result)
{
    taut_options o = { 0 };
    const engine_api *api = NULL;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, model, "model");
    library_begin(context);
    int status = options ? taut_library_take(context, "taut_options", options, sizeof o, &o) : TAUT_OK;
    if (!status) status = taut_library_check_options(context, &o, &api);
    if (status) return library_done(context, status);
    const engine_options e = { .method = o.method,
                               .tolerance = taut_wide_from_double(o.tolerance),
                               .start = (start_mode)o.start,
                               .active_set = o.active_set,
                               .native = o.native,
                               .threads = o.threads,
                               .step = taut_wide_from_double(o.step),
                               .time = taut_wide_from_double(o.time) };
    return library_done(context, taut_library_simulation(context, model, api, &e, 0, result));
}

/* With contacts nothing is shared: what they compile on their way is their own. */
static int clone_whole(const taut_simulation *from, taut_simulation *z)
{
    size_t size;
    int status = taut_library_rebuild(z);
    if (!status) status = taut_save((taut_simulation *)from, NULL, 0, &size);
    void *bytes = status ? NULL : taut_mem_new(z->context, size, 1);
    if (!status && !bytes) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_save((taut_simulation *)from, bytes, size, NULL);
    if (!status) status = taut_restore(z, bytes, size);
    library_again(z->context);
    taut_mem_free(z->context, bytes);
    return status;
}

static int clone_engine(const taut_simulation *from, taut_simulation *z)
{
    atomic_fetch_add(&from->plan->references, 1);
    z->plan = from->plan;
    z->columns = from->columns;
    z->frame = taut_mem_new(z->context, z->columns, sizeof *z->frame);
    if (!z->frame) return TAUT_OUT_OF_MEMORY;
    int status = from->api->clone(from->engine, z->context, &z->engine);
    return status;
}

int taut_simulation_clone(const taut_simulation *from, taut_context *context, taut_simulation **result)
{
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, from, "simulation");
    library_begin(context);
    taut_simulation *z = make(context, from->model, from->method);
    if (!z) return library_done(context, TAUT_OUT_OF_MEMORY);
    z->api = from->api;
    z->options = from->options;
    z->options.method = z->method;
    memcpy(z->parameters, from->parameters, from->model->m->parameter_count * sizeof *z->parameters);
    memcpy(z->is_set, from->is_set, from->model->m->parameter_count);
    int status = from->model->m->contact_count ? clone_whole(from, z) : clone_engine(from, z);
    if (status)
        taut_simulation_release(z);
    else
        *result = z;
    return library_done(context, status);
}

void taut_simulation_release(taut_simulation *z)
{
    if (!z || z->computing) return; /* a function of the model cannot release what evaluates it */
    taut_context *context = z->context;
    taut_recorder_close(z->recorder);
    taut_library_forget_left(z);
    if (z->engine && z->engine != z->plan->engine) z->api->destroy(z->engine);
    taut_library_plan_release(z->plan);
    taut_library_names_clear(z);
    void *blocks[] = { z->method, z->parameters, z->is_set, z->params, z->inputs, z->frame, z->events,
                       z->event_frames, z->stretches };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    taut_model_release(z->model);
    taut_mem_free(context, z);
    taut_context_release(context);
}

/* ---- the rest ---- */

void taut_counts(const taut_simulation *z, taut_work *work)
{
    engine_counts c;
    if (!z || !work) return;
    z->api->counts(z->engine, &c);
    const newton_counts *w = &c.work;
    const taut_work found = { .steps = c.steps, .newton_iterations = w->iterations,
                              .factorisations = w->factorisations, .evaluations = w->evaluations,
                              .rejected = w->rejected, .position_projections = w->position_projections,
                              .momentum_projections = w->momentum_projections,
                              .projected_steps = w->projected_steps };
    taut_library_give(&found, sizeof found, work);
}
