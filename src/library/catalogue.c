/* What the library has, of the public interface: methods and precisions. */
#include "library/library.h"
#include "method/method.h"

static const method_info *method_at(size_t index)
{
    return index < (size_t)taut_engine_double.method_count() ? taut_engine_double.method_info((int)index) : NULL;
}

int taut_methods(size_t index, taut_method_info *info)
{
    const method_info *m = method_at(index);
    if (!info || !m) return TAUT_BAD_USAGE;
    const taut_method_info found = { .name = m->name,
                                     .summary = m->summary,
                                     .source = m->source,
                                     .order = m->order,
                                     .keeps = m->keeps,
                                     .momentum_order = m->momentum_order ? m->momentum_order : m->order,
                                     .keeps_free = m->keeps_free & ~m->keeps,
                                     .options = (size_t)m->option_count,
                                     .equations = m->equations,
                                     .slips = m->slips,
                                     .family = m->table };
    taut_library_give(&found, sizeof found, info);
    return TAUT_OK;
}

int taut_method_options(size_t method, size_t index, taut_method_option *option)
{
    const method_info *m = method_at(method);
    if (!option || !m || index >= (size_t)m->option_count) return TAUT_BAD_USAGE;
    const method_option *o = &m->options[index];
    const taut_method_option found = { .name = o->name, .values = o->values, .meaning = o->meaning };
    taut_library_give(&found, sizeof found, option);
    return TAUT_OK;
}

int taut_precisions(size_t index, taut_precision *precision)
{
    const engine_api *const all[] = { &taut_engine_double,
#ifdef TAUT_HAVE_QUAD
                                      &taut_engine_quad
#endif
    };
    if (!precision || index >= sizeof all / sizeof *all) return TAUT_BAD_USAGE;
    const taut_precision found = { .name = all[index]->name, .digits = all[index]->digits };
    taut_library_give(&found, sizeof found, precision);
    return TAUT_OK;
}

int taut_method_check(taut_context *context, const char *method)
{
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, method, "method");
    library_begin(context);
    return library_done(context, taut_engine_double.method_parse(context, method));
}
