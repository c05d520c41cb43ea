/* Numbers of the widest precision as Lua values. A Lua number combined with one of them means its shortest decimal
   form, as in models. */
#include "reproduce/reproduce.h"

#include <lauxlib.h>
#include <string.h>

#include "base/wide.h"

#define WIDE_TYPE "wide"

static wide *push_new(lua_State *L, wide value)
{
    wide *x = lua_newuserdatauv(L, sizeof *x, 0);
    memcpy(x, &value, sizeof value);
    luaL_setmetatable(L, WIDE_TYPE);
    return x;
}

static wide check(lua_State *L, int i)
{
    wide value;
    const void *x = luaL_testudata(L, i, WIDE_TYPE);
    if (x) {
        memcpy(&value, x, sizeof value);
        return value;
    }
    return taut_wide_from_double(luaL_checknumber(L, i));
}

void numbers_push(lua_State *L, double high, double low) { push_new(L, (wide)high + low); }

static void push_text(lua_State *L, int i, int digits)
{
    char buffer[80];
    taut_wide_format(buffer, sizeof buffer, check(L, i), digits);
    lua_pushstring(L, buffer);
}

const char *numbers_text(lua_State *L, int i)
{
    push_text(L, i, luaL_testudata(L, i, WIDE_TYPE) ? WIDE_DIGITS : 17);
    return lua_tostring(L, -1);
}

/* ---- arithmetic ---- */

static int add(lua_State *L) { push_new(L, check(L, 1) + check(L, 2)); return 1; }
static int subtract(lua_State *L) { push_new(L, check(L, 1) - check(L, 2)); return 1; }
static int multiply(lua_State *L) { push_new(L, check(L, 1) * check(L, 2)); return 1; }
static int divide(lua_State *L) { push_new(L, check(L, 1) / check(L, 2)); return 1; }
static int power(lua_State *L) { push_new(L, WIDE(pow)(check(L, 1), check(L, 2))); return 1; }
static int negate(lua_State *L) { push_new(L, -check(L, 1)); return 1; }
static int equal(lua_State *L) { lua_pushboolean(L, check(L, 1) == check(L, 2)); return 1; }
static int less(lua_State *L) { lua_pushboolean(L, check(L, 1) < check(L, 2)); return 1; }
static int at_most(lua_State *L) { lua_pushboolean(L, check(L, 1) <= check(L, 2)); return 1; }
static int to_text(lua_State *L) { push_text(L, 1, WIDE_DIGITS); return 1; }

static const luaL_Reg operators[] = {
    { "__add", add }, { "__sub", subtract }, { "__mul", multiply }, { "__div", divide }, { "__pow", power },
    { "__unm", negate },
    { "__eq", equal }, { "__lt", less }, { "__le", at_most }, { "__tostring", to_text }, { NULL, NULL },
};

/* ---- functions ---- */

/* wide("0.1"), wide(0.1): one tenth */
static int make_wide(lua_State *L)
{
    wide value;
    if (lua_type(L, 1) != LUA_TSTRING)
        value = check(L, 1);
    else if (taut_wide_parse(lua_tostring(L, 1), &value))
        return luaL_error(L, "'%s' is not a number", lua_tostring(L, 1));
    push_new(L, value);
    return 1;
}

static int is_wide(lua_State *L, int i) { return luaL_testudata(L, i, WIDE_TYPE) != NULL; }

/* A function of either kind of number, of the same kind. */
static int apply(lua_State *L, wide (*to_wide)(wide), double (*to_double)(double))
{
    if (is_wide(L, 1))
        push_new(L, to_wide(check(L, 1)));
    else
        lua_pushnumber(L, to_double(luaL_checknumber(L, 1)));
    return 1;
}

static int absolute(lua_State *L) { return apply(L, WIDE(fabs), fabs); }
static int root(lua_State *L) { return apply(L, WIDE(sqrt), sqrt); }

/* number(x): in double */
static int to_number(lua_State *L)
{
    lua_pushnumber(L, is_wide(L, 1) ? (double)check(L, 1) : luaL_checknumber(L, 1));
    return 1;
}

/* text(x, digits): all of them without the second argument */
static int format(lua_State *L)
{
    if (lua_isnoneornil(L, 2))
        numbers_text(L, 1);
    else
        push_text(L, 1, (int)luaL_checkinteger(L, 2));
    return 1;
}

void numbers_open(lua_State *L)
{
    luaL_newmetatable(L, WIDE_TYPE);
    luaL_setfuncs(L, operators, 0);
    lua_pop(L, 1);
    lua_register(L, "wide", make_wide);
    lua_register(L, "abs", absolute);
    lua_register(L, "sqrt", root);
    lua_register(L, "number", to_number);
    lua_register(L, "text", format);
}
