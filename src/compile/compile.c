#include "compile/compile.h"

#include <ctype.h>
#include <string.h>

#include "compile/plan.h"

int taut_compile_prefix_serves(const char *prefix)
{
    size_t length = strspn(prefix, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length > 0 && !prefix[length] && length <= COMPILE_PREFIX && isalpha((unsigned char)*prefix);
}

void taut_compile_clear(taut_context *context, compile_result *r)
{
    taut_mem_free(context, r->source);
    taut_mem_free(context, r->header);
    *r = (compile_result){ 0 };
}

int taut_compile(model *m, const compile_options *options, compile_result *r)
{
    plan p;
    builder source = { .context = m->context }, header = { .context = m->context };
    *r = (compile_result){ 0 };
    int status = taut_plan_create(m, options, &p);
    if (!status) status = taut_compile_source(&p, &source);
    if (!status) taut_compile_header(&p, &header);
    if (!status && header.failed) status = TAUT_OUT_OF_MEMORY;
    taut_plan_clear(&p);
    if (status) {
        taut_builder_clear(&source);
        taut_builder_clear(&header);
        return status;
    }
    *r = (compile_result){ source.text, header.text, source.length, header.length };
    return TAUT_OK;
}
