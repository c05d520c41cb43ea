#include "library/measure.h"

int taut_measure_begin(measure *z, taut_context *context, taut_model *model, const char *method)
{
    z->context = context;
    z->model = taut_model_keep(model);
    taut_context_keep(context);
    z->method = taut_mem_text(context, method ? method : "rattle");
    return z->method ? taut_model_copy(context, model->m, &z->m) : TAUT_OUT_OF_MEMORY;
}

void taut_measure_end(measure *z)
{
    taut_model_free(z->m);
    taut_mem_free(z->context, z->method);
    taut_model_release(z->model);
    taut_context_release(z->context);
}

const engine_api *taut_measure_widest(void)
{
    const engine_api *quad = taut_engine_find("quad");
    return quad ? quad : &taut_engine_double;
}

int taut_measure_engine(taut_context *context, const char *precision, const engine_api **api)
{
    *api = precision ? taut_engine_find(precision) : taut_measure_widest();
    if (*api) return TAUT_OK;
    return taut_fail(context, TAUT_UNSUPPORTED, "this build has no precision '%s'", precision);
}

int taut_measure_beyond(taut_context *context, const char *item, size_t index, size_t count)
{
    library_begin(context);
    return library_done(context, taut_fail(context, TAUT_BAD_USAGE, "there is no %s %zu: there are %zu, counted from 0",
                                           item, index, count));
}

int taut_measure_number(taut_context *context, const char *name, const char *text, wide *value)
{
    if (!text || (!taut_wide_parse(text, value) && *value > 0 && *value - *value == 0)) return TAUT_OK;
    return taut_fail(context, TAUT_BAD_USAGE, "%s is a positive number, not '%s'", name, text);
}

int taut_measure_start(taut_context *context, int start, start_mode *mode)
{
    *mode = (start_mode)start;
    if (start == TAUT_STRICT || start == TAUT_PROJECT) return TAUT_OK;
    return taut_fail(context, TAUT_BAD_USAGE, "start is TAUT_STRICT or TAUT_PROJECT, not %d", start);
}

int taut_measure_crew(const measure *z, int threads, crew *c)
{
    int status = taut_library_check_threads(z->context, threads);
    if (status) return status;
    *c = (crew){ .threads = threads, .definitions = z->model->settings, .definition_count = z->model->setting_count };
    return TAUT_OK;
}
