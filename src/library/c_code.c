/* C code of the public interface. */
#include "compile/compile.h"
#include "library/measure.h"

struct taut_c_code {
    taut_context *context;
    compile_result text;
};

static int read_spec(taut_context *context, const taut_c_spec *spec, compile_options *o)
{
    *o = (compile_options){ .method = spec->method ? spec->method : "rattle", .single = spec->single,
                            .prefix = spec->prefix ? spec->prefix : "model",
                            .header = spec->header ? spec->header : "model.h", .step = (wide)1 / 100 };
    if (!taut_compile_prefix_serves(o->prefix))
        return taut_fail(context, TAUT_BAD_USAGE,
                         "'%.60s' cannot begin names of C: at most %d letters, digits and _, a letter first", o->prefix,
                         COMPILE_PREFIX);
    for (const char *at = o->header; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ' || strncmp(at, "*/", 2) == 0)
            return taut_fail(context, TAUT_BAD_USAGE, "a C program cannot include a file of that name; take another");
    if (spec->tolerance && (taut_wide_parse(spec->tolerance, &o->tolerance) ||
                            !(o->tolerance >= 0 && o->tolerance < TOLERANCE_BELOW)))
        return taut_fail(context, TAUT_BAD_USAGE, "tolerance is a number between 0 and 0.1, not '%s'", spec->tolerance);
    int status = taut_measure_number(context, "step", spec->step, &o->step);
    return status ? status : taut_measure_start(context, spec->start, &o->start);
}

static int write(taut_c_code *z, const taut_model *model, const taut_c_spec *spec)
{
    compile_options o;
    taut_c_spec given = { 0 };
    struct model *m = NULL;
    int status = spec ? taut_library_take(z->context, "taut_c_spec", spec, sizeof given, &given) : TAUT_OK;
    if (!status) status = read_spec(z->context, &given, &o);
    if (!status) status = taut_model_copy(z->context, model->m, &m);
    if (!status) status = taut_compile(m, &o, &z->text);
    taut_model_free(m);
    return status;
}

int taut_c_create(taut_context *context, taut_model *model, const taut_c_spec *spec, taut_c_code **result)
{
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, model, "model");
    library_begin(context);
    taut_c_code *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return library_done(context, TAUT_OUT_OF_MEMORY);
    z->context = context;
    taut_context_keep(context);
    int status = write(z, model, spec);
    if (status)
        taut_c_release(z);
    else
        *result = z;
    return library_done(context, status);
}

void taut_c_release(taut_c_code *z)
{
    if (!z) return;
    taut_context *context = z->context;
    taut_compile_clear(context, &z->text);
    taut_mem_free(context, z);
    taut_context_release(context);
}

const char *taut_c_header(const taut_c_code *z, size_t *size)
{
    if (size) *size = z ? z->text.header_length : 0;
    return z ? z->text.header : NULL;
}

const char *taut_c_source(const taut_c_code *z, size_t *size)
{
    if (size) *size = z ? z->text.source_length : 0;
    return z ? z->text.source : NULL;
}
