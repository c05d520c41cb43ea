#include "import/lua_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *lua_identifier(const char *name, char buffer[LUA_NAME])
{
    static const char *const words[] = { "and",   "break", "do",  "else", "elseif", "end",    "false", "for",
                                         "function", "goto", "if", "in",   "local",  "nil",    "not",   "or",
                                         "repeat", "return", "then", "true", "until", "while" };
    size_t n = 0;
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') buffer[n++] = '_';
    for (; *name && n + 2 < LUA_NAME; name++) buffer[n++] = (char)(isalnum((unsigned char)*name) ? *name : '_');
    buffer[n] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(buffer, words[i]) == 0) strcat(buffer, "_");
    return buffer;
}

void lua_put_list(FILE *f, const double *x, int count)
{
    fputc('{', f);
    for (int i = 0; i < count; i++) fprintf(f, "%s%.12g", i ? ", " : "", fabs(x[i]) < 1e-13 ? 0 : x[i]);
    fputc('}', f);
}

void lua_put_words(FILE *f, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        fputc(c < ' ' || c == 127 || c == '"' || c == '\\' ? ' ' : c, f);
    }
}

/* ---- names: a table of places by hash, of twice as many as there are names ---- */

static size_t place_of(const lua_names *list, const char *name)
{
    size_t hash = 14695981039346656037u;
    for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    size_t at = hash & (list->room - 1);
    while (list->names[at][0] && strcmp(list->names[at], name) != 0) at = (at + 1) & (list->room - 1);
    return at;
}

static int grow(lua_names *list)
{
    lua_names larger = { .count = list->count, .room = list->room ? 2 * list->room : 64 };
    larger.names = calloc(larger.room, sizeof *larger.names);
    if (!larger.names) return -1;
    for (size_t i = 0; i < list->room; i++)
        if (list->names[i][0]) strcpy(larger.names[place_of(&larger, list->names[i])], list->names[i]);
    free(list->names);
    *list = larger;
    return 0;
}

int lua_names_take(lua_names *list, const char *wanted, char buffer[LUA_NAME])
{
    char name[LUA_NAME];
    if (2 * (list->count + 1) > list->room && grow(list)) return -1;
    lua_identifier(wanted, name);
    strcpy(buffer, name);
    /* a number that is small, if that is quickly found */
    for (size_t k = 2; list->names[place_of(list, buffer)][0]; k = k < 20 || k > list->count ? k + 1 : list->count)
        snprintf(buffer, LUA_NAME, "%.*s_%zu", LUA_NAME - 25, name, k);
    strcpy(list->names[place_of(list, buffer)], buffer);
    list->count++;
    return 0;
}

void lua_names_clear(lua_names *list)
{
    free(list->names);
    *list = (lua_names){ 0 };
}
