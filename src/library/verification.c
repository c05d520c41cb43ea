/* Verification of what a method declares, of the public interface: run/verify.h with engines of its own. */
#include "library/measure.h"
#include "run/verify.h"

struct taut_verification {
    measure base;
    engine_options engine;
    void *narrow, *wide;     /* engines; narrow is NULL where one does for both */
    verify_options options;
    verify_result result;
    char step[WIDE_TEXT], until[WIDE_TEXT]; /* of the result */
};

_Static_assert((int)TAUT_VERDICT_HOLDS == (int)VERDICT_HOLDS && (int)TAUT_VERDICT_NO_TREND == (int)VERDICT_NO_TREND &&
                   (int)TAUT_VERDICT_MEASURED == (int)VERDICT_MEASURED,
               "verdicts");

static int take(taut_verification *z, const taut_verification_spec *spec)
{
    taut_context *context = z->base.context;
    verify_options *o = &z->options;
    int status = taut_measure_engine(context, spec->precision, &o->api);
    o->long_api = spec->precision ? o->api : &taut_engine_double;
    if (!status) status = taut_measure_number(context, "step", spec->step, &o->step);
    if (!status) status = taut_measure_number(context, "until", spec->until, &o->until);
    if (!status) status = taut_measure_number(context, "period", spec->period, &o->period);
    if (!status) status = taut_measure_start(context, spec->start, &z->engine.start);
    z->engine.method = z->base.method;
    z->engine.step = o->step;
    o->m = z->base.m;
    o->create = &z->engine;
    return status ? status : taut_measure_crew(&z->base, spec->threads, &o->crew);
}

static int create_engines(taut_verification *z)
{
    verify_options *o = &z->options;
    int status = o->api->create(z->base.m, &z->engine, &z->wide);
    z->engine.again = 1;
    if (!status && o->long_api != o->api) status = o->long_api->create(z->base.m, &z->engine, &z->narrow);
    o->engine = z->wide;
    o->long_engine = z->narrow ? z->narrow : z->wide;
    return status;
}

int taut_verification_create(taut_context *context, taut_model *model, const taut_verification_spec *spec,
                             taut_verification **result)
{
    taut_verification_spec s;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, model, "model");
    LIBRARY_NEEDS(context, spec, "spec");
    library_begin(context);
    int status = taut_library_take(context, "taut_verification_spec", spec, sizeof s, &s);
    taut_verification *z = status ? NULL : taut_mem_new(context, 1, sizeof *z);
    if (!z) return library_done(context, status ? status : TAUT_OUT_OF_MEMORY);
    status = taut_measure_begin(&z->base, context, model, s.method);
    if (!status) status = take(z, &s);
    if (!status) status = create_engines(z);
    if (status) taut_verification_release(z);
    else *result = z;
    return library_done(context, status);
}

void taut_verification_release(taut_verification *z)
{
    if (!z) return;
    measure base = z->base;
    if (z->narrow) z->options.long_api->destroy(z->narrow);
    if (z->wide) z->options.api->destroy(z->wide);
    taut_mem_free(base.context, z);
    taut_measure_end(&base);
}

int taut_verification_run(taut_verification *z, taut_progress *progress)
{
    LIBRARY_NEEDS(NULL, z, "verification");
    taut_context *context = z->base.context;
    library_begin(context);
    z->options.progress = progress ? &progress->progress : NULL;
    int status = taut_verify_run(context, &z->options, &z->result);
    z->step[0] = z->until[0] = 0;
    if (status) {
        z->result.count = 0;
    } else {
        taut_wide_shortest(z->step, sizeof z->step, z->result.step);
        taut_wide_shortest(z->until, sizeof z->until, z->result.until);
    }
    return library_done(context, status);
}

void taut_verification_about(const taut_verification *z, taut_verification_info *info)
{
    if (!z || !info) return;
    const taut_verification_info found = { .precision = z->options.api->name,
                                           .energy_precision = z->options.long_api->name,
                                           .rows = (size_t)z->result.count,
                                           .step = z->step,
                                           .until = z->until,
                                           .steps = z->result.steps };
    taut_library_give(&found, sizeof found, info);
}

int taut_verification_row_at(const taut_verification *z, size_t index, taut_verification_row *row)
{
    LIBRARY_NEEDS(NULL, z, "verification");
    LIBRARY_NEEDS(z->base.context, row, "row");
    if (index >= (size_t)z->result.count)
        return taut_measure_beyond(z->base.context, "row", index, (size_t)z->result.count);
    const verify_row *r = &z->result.rows[index];
    const taut_verification_row found = { .property = r->property,
                                          .declared = r->declared,
                                          .measured = r->measured,
                                          .note = r->note,
                                          .value = library_value(r->value),
                                          .limit = library_value(r->limit),
                                          .verdict = (int)r->verdict,
                                          .verdict_text = taut_verdict_text(r->verdict) };
    taut_library_give(&found, sizeof found, row);
    return TAUT_OK;
}
