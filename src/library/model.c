/* Models of the public interface: counted, constant. */
#include "base/near.h"
#include "library/library.h"

int taut_library_take(taut_context *context, const char *name, const void *given, size_t known, void *to)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    memset(to, 0, known);
    if (size < sizeof size)
        return taut_fail(context, TAUT_BAD_USAGE, "%s has no size; set its member size to sizeof(%s)", name, name);
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i])
            return taut_fail(context, TAUT_UNSUPPORTED,
                             "%s sets a member that this version of the library does not know", name);
    memcpy(to, given, size < known ? size : known);
    return TAUT_OK;
}

void taut_library_give(const void *from, size_t known, void *to)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (size > known) size = known;
    if (size > sizeof size) memcpy((char *)to + sizeof size, (const char *)from + sizeof size, size - sizeof size);
}

int taut_library_null(taut_context *context, const char *call, const char *name)
{
    if (!context) return TAUT_BAD_USAGE;
    library_begin(context);
    return library_done(context, taut_fail(context, TAUT_BAD_USAGE,
                                           "%s was given NULL for '%s'; taut.h says what it needs there", call, name));
}

/* ---- settings ---- */

void taut_library_settings_free(taut_context *context, definition *settings, size_t count)
{
    for (size_t i = 0; settings && i < count; i++) {
        taut_mem_free(context, (void *)settings[i].name);
        taut_mem_free(context, (void *)settings[i].value);
    }
    taut_mem_free(context, settings);
}

definition *taut_library_settings(taut_context *context, const definition *from, size_t count)
{
    definition *d = taut_mem_new(context, count, sizeof *d);
    for (size_t i = 0; d && i < count; i++) {
        d[i] = (definition){ taut_mem_text(context, from[i].name), taut_mem_text(context, from[i].value), 0 };
        if (d[i].name && d[i].value) continue;
        taut_library_settings_free(context, d, count);
        d = NULL;
    }
    return d;
}

/* The strings of numbers stand in `numbers`. */
static int read_settings(taut_context *context, const taut_setting *settings, size_t count, definition *d,
                         char (*numbers)[WIDE_TEXT])
{
    for (size_t i = 0; i < count; i++) {
        if (!settings[i].name)
            return taut_fail(context, TAUT_BAD_USAGE, "setting %zu has no name; give it one", i + 1);
        if (!settings[i].text)
            taut_wide_shortest(numbers[i], sizeof numbers[i], taut_wide_from_double(settings[i].number));
        d[i] = (definition){ settings[i].name, settings[i].text ? settings[i].text : numbers[i], 0 };
    }
    return TAUT_OK;
}

/* ---- models ---- */

static int no_such_setting(taut_context *context, const model *m, const char *name)
{
    char advice[NEAR_TEXT];
    near_word n = taut_near(name);
    for (size_t i = 0; i < m->parameter_count; i++) taut_near_try(&n, m->parameters[i].name);
    const char *more = taut_near_text(&n, "", advice);
    taut_fail(context, TAUT_BAD_USAGE, "the model has no param, input or option '%s'%s%.*s", name, *more ? "; " : "",
              *more ? (int)strlen(more) - 1 : 0, more);
    taut_fail_near(context, n.word);
    return TAUT_BAD_USAGE;
}

int taut_library_wrap(taut_context *context, model *m, const definition *settings, size_t count, taut_model **result)
{
    taut_model *wrapped = taut_mem_new(context, 1, sizeof *wrapped);
    definition *own = wrapped ? taut_library_settings(context, settings, count) : NULL;
    if (!own) {
        taut_mem_free(context, wrapped);
        taut_model_free(m);
        return TAUT_OUT_OF_MEMORY;
    }
    wrapped->context = context;
    wrapped->m = m;
    wrapped->settings = own;
    wrapped->setting_count = count;
    atomic_init(&wrapped->references, 1);
    taut_context_keep(context);
    *result = wrapped;
    return TAUT_OK;
}

/* A loaded model, after a look at its settings. */
static int finish(taut_context *context, model *m, const definition *d, size_t count, taut_model **result)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++)
        if (!d[i].used) status = no_such_setting(context, m, d[i].name);
    if (!status) return taut_library_wrap(context, m, d, count, result);
    taut_model_free(m);
    return status;
}

/* path, or name and text. */
static int load(taut_context *context, const char *path, const char *name, const char *text, size_t size,
                const taut_setting *settings, size_t count, taut_model **result)
{
    model *m = NULL;
    library_begin(context);
    definition *d = taut_mem_new(context, count, sizeof *d);
    char (*numbers)[WIDE_TEXT] = taut_mem_new(context, count, sizeof *numbers);
    int status = d && numbers ? read_settings(context, settings, count, d, numbers) : TAUT_OUT_OF_MEMORY;
    if (!status)
        status = path ? taut_model_read_file(context, path, d, count, &m)
                      : taut_model_read_text(context, name, text, size, d, count, &m);
    if (!status) status = finish(context, m, d, count, result);
    taut_mem_free(context, d);
    taut_mem_free(context, numbers);
    return library_done(context, status);
}

int taut_model_load_file(taut_context *context, const char *path, const taut_setting *settings, size_t count,
                         taut_model **result)
{
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, path, "path");
    LIBRARY_NEEDS(context, settings || !count, "settings");
    return load(context, path, NULL, NULL, 0, settings, count, result);
}

int taut_model_load_text(taut_context *context, const char *name, const char *text, size_t size,
                         const taut_setting *settings, size_t count, taut_model **result)
{
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, name, "name");
    LIBRARY_NEEDS(context, text || !size, "text");
    LIBRARY_NEEDS(context, settings || !count, "settings");
    return load(context, NULL, name, text, size, settings, count, result);
}

taut_model *taut_model_keep(taut_model *wrapped)
{
    if (wrapped) atomic_fetch_add(&wrapped->references, 1);
    return wrapped;
}

void taut_model_release(taut_model *wrapped)
{
    if (!wrapped || atomic_fetch_sub(&wrapped->references, 1) != 1) return;
    taut_context *context = wrapped->context;
    taut_model_free(wrapped->m);
    taut_library_settings_free(context, wrapped->settings, wrapped->setting_count);
    taut_mem_free(context, wrapped);
    taut_context_release(context);
}

int taut_model_parameter(const taut_model *wrapped, size_t index, taut_parameter *info)
{
    if (!wrapped || !info || index >= wrapped->m->parameter_count) return TAUT_BAD_USAGE;
    const parameter *p = &wrapped->m->parameters[index];
    const taut_parameter found = { .name = p->name, .value = library_value(p->value), .is_input = p->is_input };
    taut_library_give(&found, sizeof found, info);
    return TAUT_OK;
}

const char *taut_model_title(const taut_model *wrapped) { return wrapped ? wrapped->m->title : NULL; }

int taut_model_source(const taut_model *wrapped, char *buffer, size_t capacity, size_t *size)
{
    LIBRARY_NEEDS(NULL, wrapped, "model");
    LIBRARY_NEEDS(NULL, buffer || !capacity, "buffer");
    const size_t length = wrapped->m->source_size, some = length < capacity ? length : capacity ? capacity - 1 : 0;
    if (size) *size = length;
    if (some) memcpy(buffer, wrapped->m->source, some);
    if (capacity) buffer[some] = 0;
    return TAUT_OK;
}
