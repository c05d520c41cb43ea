/* Models that are written for people: names, lists and comments of Lua. */
#ifndef TAUT_IMPORT_LUA_TEXT_H
#define TAUT_IMPORT_LUA_TEXT_H

#include <stddef.h>
#include <stdio.h>

#define LUA_NAME 100

/* A name of Lua: letters, digits and _; longer ones are cut. */
const char *lua_identifier(const char *name, char buffer[LUA_NAME]);
/* {x, y, ...} with 12 digits; rounding errors of zero are zero. */
void lua_put_list(FILE *f, const double *x, int count);
/* A text for a comment or a string: what could end either becomes a space. */
void lua_put_words(FILE *f, const char *text);

/* Names that are taken. */
typedef struct {
    char (*names)[LUA_NAME];
    size_t count, room;
} lua_names;

/* An identifier that no other has: where it is taken, with a number. Non-zero when memory is out. */
int lua_names_take(lua_names *list, const char *wanted, char buffer[LUA_NAME]);
void lua_names_clear(lua_names *list);

#endif
