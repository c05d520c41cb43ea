/* The sandbox: which of Lua's own functions a model has, and the ones that are changed because they could run for ever
   inside C, catch a limit, or give other results in another process. */
#include "model/script.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/near.h"

/* ---- texts without addresses, which differ from process to process ---- */

void taut_sandbox_text(lua_State *L, int i)
{
    i = lua_absindex(L, i);
    const int type = lua_type(L, i);
    const int has_address = type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA
                            || type == LUA_TLIGHTUSERDATA || type == LUA_TTHREAD;
    if (!has_address || luaL_getmetafield(L, i, "__tostring") != LUA_TNIL) {
        if (has_address) lua_pop(L, 1);
        luaL_tolstring(L, i, NULL);
        return;
    }
    const int name = luaL_getmetafield(L, i, "__name");
    if (name == LUA_TSTRING) return;
    if (name != LUA_TNIL) lua_pop(L, 1);
    lua_pushstring(L, lua_typename(L, type));
}

static int base_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    taut_sandbox_text(L, 1);
    return 1;
}

/* ---- base ---- */

static int base_print(lua_State *L)
{
    luaL_Buffer line;
    int count = lua_gettop(L);
    lua_settop(L, count);
    luaL_buffinit(L, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1) luaL_addchar(&line, '\t');
        taut_sandbox_text(L, i);
        luaL_addvalue(&line);
    }
    luaL_pushresult(&line);
    script *s = taut_script_of(L);
    uselocale(s->locale.host); /* the log belongs to the host */
    taut_note(s->context, "%s", lua_tostring(L, -1));
    uselocale(s->locale.plain);
    return 0;
}

/* After a failed protected call, with the error on top: fails again if a limit was met. */
static int caught(lua_State *L, int status)
{
    script *s = taut_script_of(L);
    if (status == LUA_ERRMEM && !s->stop) {
        s->stop = s->refusal;
        s->stop_line = s->refusal_line;
    }
    if (s->stop) return lua_error(L);
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
}

static int base_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
    return status ? caught(L, status) : lua_gettop(L);
}

/* The script's handler must not run after a stop: hooks are off inside the hook that stopped, and nothing would end
   it. */
static int guarded_handler(lua_State *L)
{
    if (taut_script_of(L)->stop) return 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int base_xpcall(lua_State *L)
{
    int count = lua_gettop(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, guarded_handler, 1);
    lua_replace(L, 2);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2); /* function, handler, true, function, arguments */
    int status = lua_pcall(L, count - 2, LUA_MULTRET, 2);
    return status ? caught(L, status) : lua_gettop(L) - 2;
}

static int call_original(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* math.random starts from the same seed in every process; only a number reseeds it. */
static int math_randomseed(lua_State *L)
{
    luaL_checknumber(L, 1);
    return call_original(L);
}

/* The functions of base/elementary.h: numbers that a script computes do not depend on the C library either. */
#define MATH_FUNCTION(name)                                        \
    static int math_##name(lua_State *L)                           \
    {                                                              \
        lua_pushnumber(L, taut_math_##name(luaL_checknumber(L, 1))); \
        return 1;                                                  \
    }
MATH_FUNCTION(sin)
MATH_FUNCTION(cos)
MATH_FUNCTION(tan)
MATH_FUNCTION(asin)
MATH_FUNCTION(acos)
MATH_FUNCTION(exp)

static int math_atan(lua_State *L)
{
    lua_pushnumber(L, taut_math_atan2(luaL_checknumber(L, 1), luaL_optnumber(L, 2, 1)));
    return 1;
}

/* With a base it is Lua's own. */
static int math_log(lua_State *L)
{
    if (lua_isnoneornil(L, 2)) {
        lua_pushnumber(L, taut_math_log(luaL_checknumber(L, 1)));
        return 1;
    }
    lua_settop(L, 2);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

/* ---- opening ---- */

static void replace_function(lua_State *L, const char *name, lua_CFunction wrapper)
{
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, wrapper, 1);
    lua_setfield(L, -2, name);
}

static void open_math(lua_State *L)
{
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    static const luaL_Reg elementary[] = { { "sin", math_sin },   { "cos", math_cos },   { "tan", math_tan },
                                           { "asin", math_asin }, { "acos", math_acos }, { "atan", math_atan },
                                           { "exp", math_exp },   { "log", math_log } };
    for (size_t i = 0; i < sizeof elementary / sizeof *elementary; i++)
        replace_function(L, elementary[i].name, elementary[i].func);
    replace_function(L, "randomseed", math_randomseed);
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, 1);
    lua_call(L, 1, 0);
    lua_pop(L, 1);
}

static int unknown_name(lua_State *L)
{
    static const char *const closed[] = { "io",   "os",       "debug",      "package", "coroutine", "utf8",
                                          "load", "loadfile", "loadstring", "dofile",  "require",   "collectgarbage",
                                          "warn" };
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    if (taut_mechanism_find(L, name)) return 1;
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        if (strcmp(name, closed[i]) == 0)
            return taut_script_error(L, "'%s' is not available in models; they have base Lua, math, string and table",
                                     name);
    /* Locals are not known here: what the language itself has, and the script's globals. */
    near_word n = taut_near(name);
    char advice[NEAR_TEXT];
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        if (lua_type(L, -2) == LUA_TSTRING) taut_near_try(&n, lua_tostring(L, -2));
        lua_pop(L, 1);
    }
    return taut_script_error(L, "unknown name '%s'; %scheck the spelling, or set it before this line", name,
                             taut_near_text(&n, "", advice));
}

void taut_sandbox_open(lua_State *L)
{
    static const luaL_Reg base[] = {
        { "print", base_print }, { "pcall", base_pcall }, { "xpcall", base_xpcall },
        { "tostring", base_tostring },
        { "load", NULL },        { "loadfile", NULL },    { "dofile", NULL },
        { "collectgarbage", NULL }, { "warn", NULL },
    };
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    for (size_t i = 0; i < sizeof base / sizeof *base; i++) {
        if (base[i].func) lua_pushcfunction(L, base[i].func);
        else lua_pushnil(L);
        lua_setfield(L, -2, base[i].name);
    }
    lua_newtable(L);
    lua_pushcfunction(L, unknown_name);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "protected");
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    open_math(L);
}
