/* The functions of the model language as Lua sees them: one wrapper refuses arguments that a function would ignore. */
#include "model/script.h"

static const script_function *called(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

int taut_functions_which(lua_State *L) { return called(L)->which; }

static int too_many(lua_State *L, const script_function *f, int count)
{
    const char *takes = "no arguments";
    if (f->most)
        takes = lua_pushfstring(L, "%s%d argument%s", f->optional ? "at most " : "", f->most, f->most == 1 ? "" : "s");
    return taut_script_error(L, "%s takes %s, got %d; %s", f->name, takes, count,
                        f->meant ? f->meant : "take the others out, or check the brackets");
}

static int call(lua_State *L)
{
    const script_function *f = called(L);
    int count = lua_gettop(L) - f->method;
    if (f->most != FUNCTION_ANY && count > f->most) return too_many(L, f, count);
    return f->call(L);
}

void taut_functions_push(lua_State *L, const script_function *f)
{
    lua_pushlightuserdata(L, (void *)f);
    lua_pushcclosure(L, call, 1);
}

void taut_functions_register(lua_State *L, const script_function *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        taut_functions_push(L, &list[i]);
        lua_setglobal(L, list[i].name);
    }
}

void taut_functions_check_list(lua_State *L, int i, const char *who)
{
    const lua_Integer count = taut_tables_length(L, i);
    i = lua_absindex(L, i);
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        const lua_Integer place = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
        if (place >= 1 && place <= count) continue;
        if (lua_type(L, -2) == LUA_TSTRING)
            taut_script_error(L,
                              "%s takes a list here, and '%s = ...' has no place in it; write the values one after the "
                              "other",
                              who, lua_tostring(L, -2));
        taut_script_error(L,
                          "%s takes a list here, and something in it has no place, or is missing before it; write the "
                          "values one after the other",
                          who);
    }
}
