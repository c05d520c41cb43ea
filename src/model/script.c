/* The script: a Lua state with bounded memory and work, from the source of a model to the model or an error with its
   line. */
#include "model/script.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"

#define HOOK_PERIOD 1000
/* One instruction compares or joins two strings, however long they are: with longer ones than this the hook comes the
   sooner, so that the clock is looked at as often in time. */
#define LONG_STRING ((size_t)64 << 10)
/* The garbage of a small heap costs less than its collection: a cycle begins when the heap has grown by a factor of
   10, and of 2 (Lua's own choice) when it is large. */
#define HEAP_LARGE ((size_t)16 << 20)
#define HEAP_SMALL_PAUSE 1000

static int line_from(lua_State *L, int level)
{
    lua_Debug where;
    const script *s = taut_script_of(L);
    for (; lua_getstack(L, level, &where); level++) {
        if (s->has_texts) { /* lines are counted from the beginning of a function: only where they are wanted */
            lua_getinfo(L, "S", &where);
            if (strcmp(where.source, MECHANISM_CHUNK) == 0) continue;
        }
        lua_getinfo(L, "l", &where);
        if (where.currentline > 0) return where.currentline;
    }
    return s->line;
}

/* Level 0 is the function of the language that asks, which has no line. */
int taut_script_line(lua_State *L) { return line_from(L, 1); }

/* ---- limits ---- */

static void hook(lua_State *L, lua_Debug *where);

/* May be called at any time. */
static void set_hook(script *s)
{
    s->period = s->longest > LONG_STRING * HOOK_PERIOD ? 1
                : s->longest > LONG_STRING            ? (long)(LONG_STRING * HOOK_PERIOD / s->longest)
                                                      : HOOK_PERIOD;
    lua_sethook(s->L, hook, LUA_MASKCOUNT, (int)s->period);
}

static void note_string(script *s, size_t size)
{
    if (size <= s->longest) return;
    s->longest = size;
    if (s->period && size > LONG_STRING) set_hook(s);
}

/* Lua's allocator. For a new block, old_size is what it is for. What it refuses ends in LUA_ERRMEM after one garbage collection; the last refusal is then the
   cause. */
static void *allocate(void *user, void *block, size_t old_size, size_t size)
{
    script *s = user;
    if (!block && old_size == LUA_TSTRING) note_string(s, size);
    if (!block) old_size = 0;
    if (size == 0) {
        if (!heap_push(&s->heap, block, old_size)) taut_heap_resize(&s->heap, block, old_size, 0);
        s->heap_size -= old_size;
        return NULL;
    }
    if (size > old_size && size - old_size > SCRIPT_MEMORY - s->heap_size) {
        s->refusal = STOP_MEMORY_LIMIT;
        s->refusal_line = s->L ? line_from(s->L, 0) : 0;
        return NULL;
    }
    void *result = block ? NULL : heap_pop(&s->heap, size);
    if (!result) result = taut_heap_resize(&s->heap, block, old_size, size);
    if (!result) {
        s->refusal = STOP_OUT_OF_MEMORY;
        return NULL;
    }
    s->heap_size += size - old_size;
    return result;
}

int taut_script_stop(lua_State *L, stop_reason reason)
{
    script *s = taut_script_of(L);
    if (!s->stop) {
        s->stop = reason;
        s->stop_line = line_from(L, 0); /* also of a hook, in a function of the script */
    }
    lua_pushliteral(L, "the script was stopped");
    return lua_error(L);
}

void taut_script_charge(lua_State *L, double work)
{
    script *s = taut_script_of(L);
    if (s->stop) taut_script_stop(L, s->stop);
    if (!(work < (double)SCRIPT_INSTRUCTIONS)) taut_script_stop(L, STOP_INSTRUCTIONS);
    s->instructions += (long long)work;
    if (s->instructions > SCRIPT_INSTRUCTIONS) taut_script_stop(L, STOP_INSTRUCTIONS);
    if (s->instructions < s->clock_due) return;
    s->clock_due = s->instructions + s->period / 2;
    /* instructions differ in cost (comparing two long strings is one): behind the count there is a clock */
    if (taut_budget_is_late(s->context)) taut_script_stop(L, STOP_SECONDS);
    if (taut_stopped(s->context)) taut_script_stop(L, STOP_ASKED);
}

static void hook(lua_State *L, lua_Debug *where)
{
    script *s = taut_script_of(L);
    (void)where;
    taut_script_charge(L, (double)s->period);
    if (s->heap_size > HEAP_LARGE && !s->heap_is_large) {
        s->heap_is_large = 1;
        lua_gc(L, LUA_GCINC, 200, 0, 0);
    }
}

void taut_script_check(lua_State *L, int status)
{
    if (status) taut_script_stop(L, STOP_OUT_OF_MEMORY);
}

int taut_script_unbuilt(lua_State *L, expr e) { return taut_script_stop(L, e ? STOP_NODES : STOP_OUT_OF_MEMORY); }

char *taut_script_text(lua_State *L, const char *text)
{
    char *copy = taut_model_text(taut_script_of(L)->model, text);
    if (!copy) taut_script_stop(L, STOP_OUT_OF_MEMORY);
    return copy;
}

/* ---- errors ---- */

static int raise_at(lua_State *L, int line, const char *format, va_list arguments)
{
    lua_pushfstring(L, "%s:%d: ", taut_script_of(L)->short_name, line);
    lua_pushvfstring(L, format, arguments);
    lua_concat(L, 2);
    return lua_error(L);
}

int taut_script_error(lua_State *L, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    raise_at(L, taut_script_line(L), format, arguments);
    va_end(arguments);
    return 0;
}

int taut_script_error_at(lua_State *L, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    raise_at(L, line, format, arguments);
    va_end(arguments);
    return 0;
}

#define LOOP_HINT \
    "a symbol has no value while the script runs: for a number that the script itself needs take option(\"N\", 100), " \
    "not param"

/* Lua says what is wrong; these say what to do about it. The first fit is taken. */
static const struct { const char *part, *hint; } hints[] = {
    { "limit (number expected, got symbol", LOOP_HINT },
    { "initial value (number expected, got symbol", LOOP_HINT },
    { "step (number expected, got symbol", LOOP_HINT },
    { "number expected, got symbol", "use the functions without `math.`: sin(x), sqrt(x), max(x, y) take symbols" },
    { "number has no integer representation", "give a whole number" },
    { "bad argument", "see what this function takes" },
    { "attempt to call", "only functions can be called; check the spelling and the brackets" },
    { "(a nil value)", "it was never set; check the spelling, or set it before this line" },
    { "nil value", "it was never set; check the spelling, or set it before this line" },
    { "attempt to index", "only points, vectors, rotations and tables have fields" },
    { "attempt to compare", "compare numbers with numbers; symbols have no value while the script runs" },
    { "arithmetic on", "use numbers, symbols, points or vectors here" },
    { "attempt to concatenate", "use tostring(...)" },
    { "stack overflow", "a function calls itself without end" },
    { "too many local", "leave out `local`, or keep them in a table" },
    { " near ", "fix the Lua syntax at or just before this line" },
    { "goto", "fix the Lua syntax at this line" },
    { "malformed number", "write numbers as 1, 0.5 or 1e-3" },
    { "table index is", "a key of a table must have a value; check the name between [ ]" },
    { "get length", "only tables, strings, points and vectors have a length" },
    { "'for'", "a loop needs numbers: for i = 1, 10 do" },
    { "attempt to", "check what the names on this line are" },
    { "wrong number of arguments", "see what this function takes" },
    { "too large", "use smaller tables and strings" },
    { "out of", "stay within the range" },
    { "invalid", "see what this function takes" },
    { "error object", "call error with a text" },
};

static const char *hint_for(const char *message)
{
    if (strstr(message, "; ")) return NULL; /* ours say it themselves */
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(message, hints[i].part)) return hints[i].hint;
    return NULL;
}

static int has_position(const script *s, const char *message)
{
    size_t length = strlen(s->short_name);
    return strncmp(message, s->short_name, length) == 0 && message[length] == ':';
}

/* In Lua's own messages: a light userdata, which only scalar symbols are, has no other name there. */
static void name_symbol(lua_State *L, const char *called, const char *is)
{
    const char *message = lua_tostring(L, 1), *found = strstr(message, called);
    if (!found) return;
    lua_pushlstring(L, message, (size_t)(found - message));
    lua_pushfstring(L, "%s%s", is, found + strlen(called));
    lua_concat(L, 2);
    lua_replace(L, 1);
}

/* Adds file and line to messages that have none; runs where the error happened. */
static int message_handler(lua_State *L)
{
    script *s = taut_script_of(L);
    if (s->stop) return 1;
    if (lua_type(L, 1) == LUA_TSTRING) {
        name_symbol(L, " a userdata value", " a symbol value");
        name_symbol(L, "number expected, got userdata", "number expected, got symbol");
    }
    if (lua_type(L, 1) != LUA_TSTRING) {
        lua_pushfstring(L, "%s:%d: the script raised an error that is not a text; call error with a text",
                        s->short_name, taut_script_line(L));
    } else if (!has_position(s, lua_tostring(L, 1))) {
        lua_pushfstring(L, "%s:%d: %s", s->short_name, taut_script_line(L), lua_tostring(L, 1));
    }
    return 1;
}

/* Turns what the protected call left into the context's error. */
static int report(script *s, int status)
{
    const char *file = s->model->file;
    if (status == LUA_ERRMEM && !s->stop) {
        s->stop = s->refusal;
        s->stop_line = s->refusal_line;
    }
    switch (s->stop) {
    case STOP_OUT_OF_MEMORY:
        return TAUT_OUT_OF_MEMORY; /* the message was recorded where it happened */
    case STOP_MEMORY_LIMIT:
        return taut_fail(s->context, TAUT_BAD_MODEL,
                    "%s:%d: the script needs more than %d MiB of memory; make fewer or smaller tables and strings",
                    file, s->stop_line, SCRIPT_MEMORY_MIB);
    case STOP_INSTRUCTIONS:
        return taut_fail(s->context, TAUT_BAD_MODEL,
                    "%s:%d: the script ran more than 1e9 instructions without ending; look for an endless loop", file,
                    s->stop_line);
    case STOP_SECONDS:
        return taut_fail(s->context, TAUT_BAD_MODEL,
                    "%s:%d: the script ran for more than %g seconds without ending; look for an endless loop", file,
                    s->stop_line, taut_budget_seconds(s->context));
    case STOP_NODES:
        return taut_fail(
            s->context, TAUT_BAD_MODEL,
            "%s:%d: the script makes more than %u expressions; look for an endless loop, or make a smaller model", file,
            s->stop_line, SCRIPT_NODES);
    case STOP_ASKED:
        return taut_fail(s->context, TAUT_STOPPED, "%s:%d: the script was stopped from outside", file, s->stop_line);
    case STOP_NONE:
        break;
    }
    const char *message = lua_type(s->L, -1) == LUA_TSTRING ? lua_tostring(s->L, -1) : "unknown error";
    const char *hint = hint_for(message);
    const char *before = hint ? "; " : "", *advice = hint ? hint : "";
    if (has_position(s, message)) { /* the place is part of the format: it becomes that of taut_error */
        char *rest;
        const char *number = message + strlen(s->short_name) + 1;
        const long line = strtol(number, &rest, 10);
        if (rest > number && *rest == ':' && line > 0 && line < INT_MAX)
            return taut_fail(s->context, TAUT_BAD_MODEL, "%s:%d:%s%s%s", file, (int)line, rest + 1, before, advice);
        return taut_fail(s->context, TAUT_BAD_MODEL, "%s:%s%s%s", file, number, before, advice);
    }
    return taut_fail(s->context, TAUT_BAD_MODEL, "%s: %s%s%s", file, message, before, advice);
}

/* ---- loading ---- */

/* Runs protected: everything that may raise. */
static int build(lua_State *L)
{
    script *s = taut_script_of(L);
    const char *text = s->model->source;
    size_t size = s->model->source_size;
    taut_sandbox_open(L);
    taut_tables_open(L);
    taut_patterns_open(L);
    taut_compare_open(L);
    taut_symbols_open(L);
    taut_vectors_open(L);
    taut_declare_open(L);
    taut_equations_open(L);
    taut_start_open(L);
    taut_draw_open(L);
    taut_embed_open(L);
    taut_contact_open(L);
    taut_calls_open(L);
    taut_mechanism_open(L);

    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, size -= 3; /* byte order mark */
    if (size && text[0] == '#') /* #! line; its newline stays, for the count of lines */
        while (size && *text != '\n') text++, size--;
    if (size && text[0] == LUA_SIGNATURE[0])
        return taut_script_error_at(L, 1, "this is compiled Lua, not text; give the source of the model");
    static const char database[] = "SQLite format 3"; /* the zero behind it belongs to it */
    if (size >= sizeof database && memcmp(text, database, sizeof database) == 0)
        return taut_script_error_at(L, 1, "this is a database, such as a recorded run, not the source of a model; give "
                                          "the Lua file of the model");
    const char *name = lua_pushfstring(L, "=%s", s->short_name);
    if (luaL_loadbufferx(L, text, size, name, "t")) return lua_error(L);
    const char *checked = taut_compare_rewrite(L, text, &size);
    if (checked) { /* the first compilation was for errors in the source as it is */
        lua_remove(L, -3);
        if (luaL_loadbufferx(L, checked, size, name, "t")) return lua_error(L);
        lua_replace(L, -3);
        lua_pop(L, 1);
    }
    set_hook(s);
    lua_call(L, 0, 0);
    taut_tables_finish(L);
    taut_mechanism_finish(L);
    lua_sethook(L, NULL, 0, 0);
    s->period = 0;
    taut_embed_finish(L);
    taut_equations_finish(L);
    taut_contact_finish(L);
    taut_start_finish(L);
    taut_declare_finish(L);
    taut_calls_finish(L);
    return 0;
}

/* The file's name in Lua's messages: its end, when it is long. */
static void shorten(char *buffer, size_t size, const char *name)
{
    size_t length = strlen(name);
    if (length < size - 1) snprintf(buffer, size, "%s", name);
    else snprintf(buffer, size, "...%s", name + length - (size - 5));
    for (char *c = buffer; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
}

static int run(script *s)
{
    shorten(s->short_name, sizeof s->short_name - 1, s->model->file);
    s->last_line = 1;
    for (size_t i = 0; i + 1 < s->model->source_size; i++) s->last_line += s->model->source[i] == '\n';
    s->heap = (heap){ .context = s->context, .is_direct = taut_context_has_allocator(s->context) };
    lua_State *L = lua_newstate(allocate, s);
    if (!L) {
        taut_heap_clear(&s->heap);
        return TAUT_OUT_OF_MEMORY;
    }
    /* Lua writes, reads and sorts by the locale: a script means the same in every host */
    s->locale = text_locale_enter();
    s->L = L;
    *(script **)lua_getextraspace(L) = s;
    lua_gc(L, LUA_GCINC, HEAP_SMALL_PAUSE, 0, 0);
    lua_pushcfunction(L, message_handler);
    lua_pushcfunction(L, build);
    int status = lua_pcall(L, 0, 0, 1);
    if (status) status = report(s, status);
    lua_close(L);
    taut_heap_clear(&s->heap);
    text_locale_leave(s->locale);
    taut_mem_free(s->context, s->rate_lines[0]);
    taut_mem_free(s->context, s->rate_lines[1]);
    taut_mem_free(s->context, s->free_marks);
    taut_mem_free(s->context, s->omegas);
    taut_mem_free(s->context, s->options);
    taut_names_free(s->context, &s->group_names);
    taut_names_free(s->context, &s->parameter_names);
    taut_names_free(s->context, &s->constraint_names);
    taut_names_free(s->context, &s->observable_names);
    taut_names_free(s->context, &s->embedding_names);
    taut_names_free(s->context, &s->contact_names);
    taut_mem_free(s->context, s->chart_rates);
    taut_mem_free(s->context, s->scratch);
    return status;
}

/* Takes over `text` (allocated in the context), also when it fails. */
static int load(taut_context *context, const char *name, char *text, size_t size, definition *definitions, size_t count,
                model **result)
{
    *result = NULL;
    model *m = taut_mem_new(context, 1, sizeof *m);
    if (!m) {
        taut_mem_free(context, text);
        return TAUT_OUT_OF_MEMORY;
    }
    m->context = context;
    m->source = text;
    m->source_size = size;
    m->file = taut_model_text(m, name);
    m->graph = m->file ? taut_graph_create(context) : NULL;
    script s = {
        .context = context, .model = m, .graph = m->graph, .definitions = definitions, .definition_count = count,
        .group_names = NAMES_OF(m->groups), .parameter_names = NAMES_OF(m->parameters),
        .constraint_names = NAMES_OF(m->constraints), .observable_names = NAMES_OF(m->observables),
        .embedding_names = NAMES_OF(m->embeddings), .contact_names = NAMES_OF(m->contacts)
    };
    taut_budget_begin(context, "the script");
    int status = m->graph ? run(&s) : TAUT_OUT_OF_MEMORY;
    taut_budget_end(context);
    if (!status && !m->title) {
        const char *slash = strrchr(name, '/');
        m->title = taut_model_text(m, slash ? slash + 1 : name);
        if (!m->title) status = TAUT_OUT_OF_MEMORY;
    }
    if (status) {
        taut_model_free(m);
        return status;
    }
    taut_model_trim(m);
    *result = m;
    return TAUT_OK;
}

int taut_model_read_text(taut_context *context, const char *name, const char *text, size_t size,
                         definition *definitions, size_t definition_count, model **result)
{
    *result = NULL;
    char *copy = taut_mem_new(context, size + 1, 1);
    if (!copy) return TAUT_OUT_OF_MEMORY;
    memcpy(copy, text, size);
    return load(context, name, copy, size, definitions, definition_count, result);
}

/* Reads a whole file, of any kind (a pipe too), with a 0 behind it. */
static int read_text(taut_context *context, FILE *file, const char *path, char **text, size_t *size)
{
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    for (;;) {
        if (taut_mem_grow(context, text, &capacity, *size + 4096, 1)) return TAUT_OUT_OF_MEMORY;
        errno = 0;
        size_t got = fread(*text + *size, 1, capacity - *size - 1, file);
        *size += got;
        if (*size > SCRIPT_MEMORY / 4)
            return taut_fail(context, TAUT_BAD_MODEL, "%s:1: the file is larger than %d MiB; a model is a Lua script",
                             path, SCRIPT_MEMORY_MIB / 4);
        if (got == 0) break;
    }
    if (ferror(file)) return taut_fail(context, TAUT_CANNOT_READ, "cannot read '%s': %s", path, strerror(errno));
    (*text)[*size] = 0;
    return TAUT_OK;
}

int taut_model_read_file(taut_context *context, const char *path, definition *definitions, size_t definition_count,
                    model **result)
{
    *result = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return taut_fail(context, TAUT_CANNOT_READ, "cannot read '%s': %s; check the path", path, strerror(errno));
    char *text;
    size_t size;
    int status = read_text(context, file, path, &text, &size);
    fclose(file);
    if (status) {
        taut_mem_free(context, text);
        return status;
    }
    return load(context, path, text, size, definitions, definition_count, result);
}
