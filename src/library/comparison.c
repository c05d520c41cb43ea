/* Comparisons of the public interface: run/compare.h, and its page. */
#include "library/measure.h"
#include "report/compare_page.h"

struct taut_comparison {
    measure base;
    const engine_api *api, *reference_api;
    char *methods[COMPARE_METHODS_MOST];
    wide steps[COMPARE_STEPS_MOST];
    compare_options options;
    int traces;
    compare_trace trace;
    compare_result result;
};

static int take_steps(taut_comparison *z, const taut_comparison_spec *spec)
{
    taut_context *context = z->base.context;
    if (!spec->until || !spec->steps || !spec->step_count || spec->step_count > COMPARE_STEPS_MOST)
        return taut_fail(context, TAUT_BAD_USAGE, "give an end time, and steps that divide it, at most %d",
                         COMPARE_STEPS_MOST);
    int status = taut_measure_number(context, "until", spec->until, &z->options.until);
    for (size_t i = 0; !status && i < spec->step_count; i++) {
        if (!spec->steps[i]) return taut_fail(context, TAUT_BAD_USAGE, "step %zu is missing", i + 1);
        status = taut_measure_number(context, "a step", spec->steps[i], &z->steps[i]);
        if (!status && !taut_converge_step_count(z->steps[i], z->options.until))
            status = taut_fail(context, TAUT_BAD_USAGE, "the step %s does not divide the end time %.9g",
                               spec->steps[i], (double)z->options.until);
    }
    z->options.steps = z->steps;
    z->options.step_count = (int)spec->step_count;
    return status;
}

static int take_methods(taut_comparison *z, const taut_comparison_spec *spec)
{
    taut_context *context = z->base.context;
    if (!spec->methods || !spec->method_count || spec->method_count > COMPARE_METHODS_MOST)
        return taut_fail(context, TAUT_BAD_USAGE, "give methods, at most %d", COMPARE_METHODS_MOST);
    for (size_t i = 0; i < spec->method_count; i++) {
        if (!spec->methods[i]) return taut_fail(context, TAUT_BAD_USAGE, "method %zu is missing", i + 1);
        int status = z->api->method_parse(context, spec->methods[i]);
        if (status) return status;
        z->methods[i] = taut_mem_text(context, spec->methods[i]);
        if (!z->methods[i]) return TAUT_OUT_OF_MEMORY;
    }
    z->options.methods = (const char *const *)z->methods;
    z->options.method_count = (int)spec->method_count;
    return TAUT_OK;
}

static int take(taut_comparison *z, const taut_comparison_spec *spec)
{
    taut_context *context = z->base.context;
    int status = taut_measure_engine(context, spec->precision ? spec->precision : "double", &z->api);
    z->reference_api = taut_measure_widest();
    z->traces = spec->traces;
    if (!status) status = take_methods(z, spec);
    if (!status) status = take_steps(z, spec);
    if (!status) status = taut_measure_start(context, spec->start, &z->options.start);
    return status ? status : taut_measure_crew(&z->base, spec->threads, &z->options.crew);
}

int taut_comparison_create(taut_context *context, taut_model *model, const taut_comparison_spec *spec,
                           taut_comparison **result)
{
    taut_comparison_spec s;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, model, "model");
    LIBRARY_NEEDS(context, spec, "spec");
    library_begin(context);
    int status = taut_library_take(context, "taut_comparison_spec", spec, sizeof s, &s);
    taut_comparison *z = status ? NULL : taut_mem_new(context, 1, sizeof *z);
    if (!z) return library_done(context, status ? status : TAUT_OUT_OF_MEMORY);
    status = taut_measure_begin(&z->base, context, model, NULL);
    if (!status) status = take(z, &s);
    if (status) taut_comparison_release(z);
    else *result = z;
    return library_done(context, status);
}

static void forget(taut_comparison *z)
{
    taut_compare_trace_clear(&z->trace);
    taut_compare_result_clear(z->base.context, &z->result);
}

void taut_comparison_release(taut_comparison *z)
{
    if (!z) return;
    taut_context *context = z->base.context;
    measure base = z->base;
    forget(z);
    for (size_t i = 0; i < COMPARE_METHODS_MOST; i++) taut_mem_free(context, z->methods[i]);
    taut_mem_free(context, z);
    taut_measure_end(&base);
}

int taut_comparison_run(taut_comparison *z, taut_progress *progress)
{
    LIBRARY_NEEDS(NULL, z, "comparison");
    library_begin(z->base.context);
    forget(z);
    z->options.progress = progress ? &progress->progress : NULL;
    int status = z->traces ? taut_compare_trace_begin(&z->trace, z->base.m, z->api, &z->options) : TAUT_OK;
    if (!status) status = taut_compare_run(z->base.m, z->api, z->reference_api, &z->options, &z->result);
    if (status) forget(z);
    return library_done(z->base.context, status);
}

static void give_errors(const wide *from, taut_value *to)
{
    for (int k = 0; k < TAUT_ERRORS; k++) to[k] = library_value(from[k]);
}

void taut_comparison_about(const taut_comparison *z, taut_comparison_info *info)
{
    if (!z || !info) return;
    const compare_result *r = &z->result;
    taut_comparison_info found = { .precision = z->api->name, .reference_precision = z->reference_api->name,
                                   .rows = (size_t)r->count, .kinds = r->kinds, .has_energy = r->has_energy,
                                   .has_balance = r->has_balance, .has_momenta = r->has_momenta,
                                   .reference_failure = r->reference_failure };
    give_errors(r->reference_error, found.reference_error);
    taut_library_give(&found, sizeof found, info);
}

int taut_comparison_row_at(const taut_comparison *z, size_t index, taut_comparison_row *row)
{
    LIBRARY_NEEDS(NULL, z, "comparison");
    LIBRARY_NEEDS(z->base.context, row, "row");
    if (index >= (size_t)z->result.count)
        return taut_measure_beyond(z->base.context, "row", index, (size_t)z->result.count);
    const compare_row *r = &z->result.rows[index];
    taut_comparison_row found = { .method = r->method, .step = library_value(r->step), .failure = r->failure,
                                  .refused = r->refused, .steps = r->counts.steps,
                                  .newton_iterations = r->counts.work.iterations,
                                  .factorisations = r->counts.work.factorisations,
                                  .evaluations = r->counts.work.evaluations, .seconds = r->seconds,
                                  .code = (int)r->code, .general_steps = r->general_steps,
                                  .energy = library_value(r->energy), .slope = library_value(r->slope),
                                  .momentum = library_value(r->momentum), .position = library_value(r->position),
                                  .velocity = library_value(r->velocity) };
    give_errors(r->error, found.error);
    memcpy(found.limited, r->limited, sizeof found.limited);
    taut_library_give(&found, sizeof found, row);
    return TAUT_OK;
}

static int make_page(void *self, FILE *memory)
{
    const taut_comparison *z = self;
    return taut_compare_page(z->base.m, z->api, &z->options, &z->result, &z->trace, memory);
}

int taut_comparison_page(taut_comparison *z, int (*write)(void *user, const char *data, size_t size), void *user)
{
    LIBRARY_NEEDS(NULL, z, "comparison");
    taut_context *context = z->base.context;
    LIBRARY_NEEDS(context, write, "write");
    library_begin(context);
    if (!z->result.rows)
        return library_done(context, taut_fail(context, TAUT_BAD_USAGE, "nothing was compared yet; run it first"));
    return library_done(context, taut_library_hand_on(context, make_page, z, write, user));
}
