/* Convergence of a method, of the public interface: run/converge.h with engines of its own. */
#include "library/measure.h"
#include "run/converge.h"

struct taut_convergence {
    measure base;
    const engine_api *api, *reference_api;
    void *engine, *reference;
    engine_options of_engine, of_reference;
    char *reference_method;
    wide *steps;
    converge_options options;
    converge_result result;
};

_Static_assert((int)TAUT_ERRORS == (int)CONVERGE_KINDS && (int)TAUT_ERROR_MULTIPLIER == (int)CONVERGE_LAMBDA, "errors");

static int check_divides(const taut_convergence *z, const char *name, const char *text, wide step)
{
    if (taut_converge_step_count(step, z->options.until)) return TAUT_OK;
    return taut_fail(z->base.context, TAUT_BAD_USAGE, "%s %s does not divide the end time %.9g", name, text,
                     (double)z->options.until);
}

static int take_steps(taut_convergence *z, const taut_convergence_spec *spec)
{
    taut_context *context = z->base.context;
    if (!spec->until || !spec->steps || !spec->step_count || spec->step_count > 1000)
        return taut_fail(context, TAUT_BAD_USAGE, "give an end time, and steps that divide it, at most 1000");
    z->steps = taut_mem_new(context, spec->step_count, sizeof *z->steps);
    if (!z->steps) return TAUT_OUT_OF_MEMORY;
    z->options.steps = z->steps;
    z->options.count = (int)spec->step_count;
    int status = taut_measure_number(context, "until", spec->until, &z->options.until);
    for (size_t i = 0; !status && i < spec->step_count; i++) {
        if (!spec->steps[i]) return taut_fail(context, TAUT_BAD_USAGE, "step %zu is missing", i + 1);
        status = taut_measure_number(context, "a step", spec->steps[i], &z->steps[i]);
        if (!status) status = check_divides(z, "the step", spec->steps[i], z->steps[i]);
    }
    return status;
}

static int take_reference(taut_convergence *z, const taut_convergence_spec *spec)
{
    taut_context *context = z->base.context;
    z->of_reference = z->of_engine;
    z->of_reference.again = 1;
    if (!spec->reference_method != !spec->reference_step)
        return taut_fail(context, TAUT_BAD_USAGE, "a reference by a method needs reference_method and reference_step");
    if (!spec->reference_method) return TAUT_OK;
    z->reference_method = taut_mem_text(context, spec->reference_method);
    if (!z->reference_method) return TAUT_OUT_OF_MEMORY;
    z->of_reference.method = z->reference_method;
    int status = taut_measure_number(context, "reference_step", spec->reference_step, &z->options.reference_step);
    return status ? status
                  : check_divides(z, "the reference's step", spec->reference_step, z->options.reference_step);
}

static int take(taut_convergence *z, const taut_convergence_spec *spec)
{
    taut_context *context = z->base.context;
    int status = taut_measure_engine(context, spec->precision ? spec->precision : "double", &z->api);
    z->reference_api = taut_measure_widest();
    z->of_engine.method = z->base.method;
    if (!status) status = taut_measure_start(context, spec->start, &z->of_engine.start);
    if (!status) status = take_steps(z, spec);
    if (!status) status = take_reference(z, spec);
    z->options.m = z->base.m;
    z->options.engine = &z->of_engine, z->options.reference = &z->of_reference;
    return status ? status : taut_measure_crew(&z->base, spec->threads, &z->options.crew);
}

int taut_convergence_create(taut_context *context, taut_model *model, const taut_convergence_spec *spec,
                            taut_convergence **result)
{
    taut_convergence_spec s;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, model, "model");
    LIBRARY_NEEDS(context, spec, "spec");
    library_begin(context);
    int status = taut_library_take(context, "taut_convergence_spec", spec, sizeof s, &s);
    taut_convergence *z = status ? NULL : taut_mem_new(context, 1, sizeof *z);
    if (!z) return library_done(context, status ? status : TAUT_OUT_OF_MEMORY);
    status = taut_measure_begin(&z->base, context, model, s.method);
    if (!status) status = take(z, &s);
    if (!status) status = z->api->create(z->base.m, &z->of_engine, &z->engine);
    if (!status) status = z->reference_api->create(z->base.m, &z->of_reference, &z->reference);
    if (status) taut_convergence_release(z);
    else *result = z;
    return library_done(context, status);
}

void taut_convergence_release(taut_convergence *z)
{
    if (!z) return;
    taut_context *context = z->base.context;
    measure base = z->base;
    if (z->engine) z->api->destroy(z->engine);
    if (z->reference) z->reference_api->destroy(z->reference);
    taut_converge_result_clear(context, &z->result);
    taut_mem_free(context, z->steps);
    taut_mem_free(context, z->reference_method);
    taut_mem_free(context, z);
    taut_measure_end(&base);
}

int taut_convergence_run(taut_convergence *z, taut_progress *progress)
{
    LIBRARY_NEEDS(NULL, z, "convergence");
    taut_context *context = z->base.context;
    library_begin(context);
    taut_converge_result_clear(context, &z->result);
    z->options.progress = progress ? &progress->progress : NULL;
    int status = taut_converge_run(context, z->api, z->engine, z->reference_api, z->reference, &z->options, &z->result);
    if (status) taut_converge_result_clear(context, &z->result);
    return library_done(context, status);
}

static void give_errors(const wide *from, taut_value *to)
{
    for (int k = 0; k < TAUT_ERRORS; k++) to[k] = library_value(from[k]);
}

void taut_convergence_about(const taut_convergence *z, taut_convergence_info *info)
{
    if (!z || !info) return;
    const converge_result *r = &z->result;
    taut_convergence_info found = { .precision = z->api->name,
                                    .reference_precision = z->reference_api->name,
                                    .kinds = r->kinds,
                                    .rows = (size_t)r->count,
                                    .reference_fine = library_value(r->reference_fine),
                                    .reference_coarse = library_value(r->reference_coarse),
                                    .wrong = r->wrong };
    give_errors(r->reference_error, found.reference_error);
    taut_library_give(&found, sizeof found, info);
}

int taut_convergence_row_at(const taut_convergence *z, size_t index, taut_convergence_row *row)
{
    LIBRARY_NEEDS(NULL, z, "convergence");
    LIBRARY_NEEDS(z->base.context, row, "row");
    if (index >= (size_t)z->result.count)
        return taut_measure_beyond(z->base.context, "row", index, (size_t)z->result.count);
    const converge_row *r = &z->result.rows[index];
    taut_convergence_row found = { .step = library_value(r->step), .steps = r->steps, .failure = r->failure };
    give_errors(r->error, found.error);
    give_errors(r->order, found.order);
    memcpy(found.limited, r->limited, sizeof found.limited);
    taut_library_give(&found, sizeof found, row);
    return TAUT_OK;
}
