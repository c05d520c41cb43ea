/* The string library, with a bound on patterns: a match can backtrack forever without running one Lua instruction. */
#include "model/script.h"

#include <lualib.h>
#include <string.h>

/* More steps than this in one call (about a second) are refused before they start. */
#define PATTERN_STEPS 3e8

static int call_original(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* How many places of a pattern can be tried in several ways: * + - ? and %b and %1. One that nothing follows but
   closing brackets is never tried twice. */
static int count_choices(const char *pattern, size_t size)
{
    int choices = 0, last = 0;
    for (size_t i = 0; i < size; i++) {
        int choice = 0;
        if (pattern[i] == '%' && i + 1 < size) {
            i++;
            choice = pattern[i] == 'b' || (pattern[i] >= '0' && pattern[i] <= '9');
        } else if (i > 0 && memchr("*+-?", pattern[i], 4)) {
            choice = 1;
        } else if (pattern[i] == ')') {
            continue;
        }
        choices += choice;
        last = choice;
    }
    return choices - last;
}

/* Ways to choose the start of a match and the ends of its choices in a string of n: C(n + k + 1, k + 1), each with a
   stretch of the pattern to compare. */
static double worst_case(double n, int choices, double pattern_size)
{
    double ways = 1;
    for (int i = 1; i <= choices + 1 && ways < 1e300; i++) ways *= (n + i) / i;
    return ways * (1 + pattern_size / (choices + 1));
}

static void check_pattern(lua_State *L, int plain)
{
    size_t text_size, pattern_size;
    luaL_checklstring(L, 1, &text_size);
    const char *pattern = luaL_checklstring(L, 2, &pattern_size);
    int choices = plain ? 0 : count_choices(pattern, pattern_size);
    if (worst_case((double)text_size, choices, (double)pattern_size) > PATTERN_STEPS)
        taut_script_error(L,
                     "this pattern may take too long on a string of %I characters; use fewer of * + - ? in it, or "
                     "shorter strings",
                     (lua_Integer)text_size);
    taut_script_charge(L, (double)(text_size + pattern_size) / 8);
}

static int string_find(lua_State *L)
{
    check_pattern(L, lua_toboolean(L, 4));
    return call_original(L);
}

static int string_pattern(lua_State *L)
{
    check_pattern(L, 0);
    return call_original(L);
}

/* Addresses differ from process to process: no %p, and %s of a table is the word. */
static int string_format(lua_State *L)
{
    const char *format = luaL_checkstring(L, 1);
    int argument = 1;
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at++;
        if (*at == '%') {
            at++;
            continue;
        }
        at += strspn(at, "-+ #0123456789.");
        argument++;
        if (*at == 'p') return taut_script_error(L, "string.format has no %%p in models; leave addresses out");
        if (*at == 's' && argument <= lua_gettop(L)) {
            taut_sandbox_text(L, argument);
            lua_replace(L, argument);
        }
    }
    return call_original(L);
}


/* An empty string repeated 2^60 times is a long loop that makes nothing. */
static int string_rep(lua_State *L)
{
    size_t size, separator = 0;
    luaL_checklstring(L, 1, &size);
    luaL_optlstring(L, 3, "", &separator);
    if (size + separator == 0) {
        luaL_checkinteger(L, 2);
        lua_pushliteral(L, "");
        return 1;
    }
    call_original(L);
    taut_script_charge(L, (double)lua_rawlen(L, -1) / 16);
    return 1;
}

void taut_patterns_open(lua_State *L)
{
    static const luaL_Reg wrapped[] = { { "find", string_find },
                                        { "match", string_pattern },
                                        { "gmatch", string_pattern },
                                        { "gsub", string_pattern },
                                        { "rep", string_rep },
                                        { "format", string_format } };
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++) {
        lua_getfield(L, -1, wrapped[i].name);
        lua_pushcclosure(L, wrapped[i].func, 1);
        lua_setfield(L, -2, wrapped[i].name);
    }
    lua_pushnil(L);
    lua_setfield(L, -2, "dump");
    lua_pop(L, 1);
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1)) { /* s:rep(n) finds the functions above: its __index is the same table */
        lua_pushliteral(L, "protected");
        lua_setfield(L, -2, "__metatable");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
