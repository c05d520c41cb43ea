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

/* No finalizers: they run with hooks off. */
static int base_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
    lua_settop(L, 2);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return taut_script_error(L, "this metatable is protected; leave it as it is");
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return taut_script_error(L, "models have no finalizers; remove __gc from the metatable");
        lua_pop(L, 1);
        lua_pushliteral(L, "__bor"); /* equality.c has taken it */
        if (lua_rawget(L, 2) != LUA_TNIL)
            return taut_script_error(
                L, "tables of models have no operator '|'; remove __bor from the metatable, and call a "
                   "function instead");
        lua_pop(L, 1);
    }
    lua_setmetatable(L, 1);
    return 1;
}

/* ---- pairs, in the same order in every process ---- Lua hashes texts with a seed that differs from process to
   process. A model whose points are declared in a loop over pairs would then have another order of coordinates when a
   run is resumed. */

/* How a key is ordered: numbers, then strings, then symbols and the rest. */
typedef struct {
    enum { KEY_NUMBER, KEY_TEXT, KEY_OTHER } type;
    uint32_t place;     /* in the order of the table */
    double number;      /* or the expression of a symbol */
    const char *text;   /* kept alive by the table */
    size_t size;
} key;

static int compare_keys(const void *x, const void *y)
{
    const key *a = x, *b = y;
    int order = 0;
    if (a->type != b->type) return a->type < b->type ? -1 : 1;
    if (a->type == KEY_TEXT) order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    if (a->type == KEY_TEXT && !order) order = (a->size > b->size) - (a->size < b->size);
    if (a->type != KEY_TEXT) order = (a->number > b->number) - (a->number < b->number);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* The key on top of the stack. */
static key describe_key(lua_State *L, uint32_t place)
{
    key k = { .type = KEY_OTHER, .place = place };
    const expr e = taut_symbols_at(L, -1);
    const vector *v = e ? NULL : taut_vectors_at(L, -1);
    if (lua_type(L, -1) == LUA_TNUMBER) k.type = KEY_NUMBER, k.number = lua_tonumber(L, -1);
    else if (lua_type(L, -1) == LUA_TSTRING) k.type = KEY_TEXT, k.text = lua_tolstring(L, -1, &k.size);
    else if (e) k.number = e;
    else if (v) k.number = v->at[0] + 0.5;
    else if (lua_isboolean(L, -1)) k.number = lua_toboolean(L, -1) - 2;
    else k.number = INFINITY; /* a table or a function, which has nothing but its address */
    return k;
}

/* Of two keys that have no order there is no first one. */
static void refuse_unordered(lua_State *L, const key *a, const key *b)
{
    if (a->type == KEY_OTHER && b->type == KEY_OTHER && a->number == b->number && a->number == (double)INFINITY)
        taut_script_error(L, "keys that are tables or functions have no order; use numbers, strings or coordinates");
}

/* Puts the array of keys on top of the stack in order. */
static void sort_keys(lua_State *L, uint32_t count)
{
    int keys = lua_gettop(L);
    key *list = lua_newuserdatauv(L, count * sizeof *list, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(L, keys, i + 1);
        list[i] = describe_key(L, i);
        lua_pop(L, 1);
    }
    qsort(list, count, sizeof *list, compare_keys);
    if (count > 1) refuse_unordered(L, &list[count - 2], &list[count - 1]);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(L, keys, list[i].place + 1);
        lua_rawseti(L, -2, i + 1);
    }
    lua_replace(L, keys);
    lua_settop(L, keys);
}

void taut_sandbox_keys(lua_State *L, int i)
{
    int texts = 0;
    uint32_t count = 0; /* the memory limit keeps it far below 2^31 */
    i = lua_absindex(L, i);
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, i);) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TNUMBER) texts = 1;
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, ++count);
    }
    taut_script_charge(L, 20.0 * count);
    if (texts && count > 1) sort_keys(L, count); /* numbers alone come in an order that depends on the table only */
}

/* Upvalues: the table, its keys, the place. Keys that were removed meanwhile are passed over. */
static int next_pair(lua_State *L)
{
    lua_Integer place = lua_tointeger(L, lua_upvalueindex(3));
    for (;;) {
        place++;
        if (lua_rawgeti(L, lua_upvalueindex(2), place) == LUA_TNIL) return 1;
        lua_pushvalue(L, -1);
        if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) break;
        lua_pop(L, 2);
    }
    lua_pushinteger(L, place);
    lua_replace(L, lua_upvalueindex(3));
    return 2;
}

static int base_pairs(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 3);
        return 3;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_pushvalue(L, 1);
    taut_sandbox_keys(L, 1);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 3);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

/* next(t, k): the key after k in that order, by looking at all of them. */
static int base_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    const int first = lua_isnil(L, 2);
    key before = { 0 }, best = { 0 };
    uint32_t count = 0;
    if (!first) before = describe_key(L, 0);
    lua_pushnil(L); /* 3: the best so far */
    for (lua_pushnil(L); lua_next(L, 1); count++) {
        lua_pop(L, 1);
        key k = describe_key(L, 0);
        if (!first && !lua_rawequal(L, -1, 2)) refuse_unordered(L, &k, &before);
        if (!first && compare_keys(&k, &before) <= 0) continue;
        if (!lua_isnil(L, 3)) refuse_unordered(L, &k, &best);
        if (!lua_isnil(L, 3) && compare_keys(&k, &best) >= 0) continue;
        best = k;
        lua_pushvalue(L, -1);
        lua_replace(L, 3);
    }
    taut_script_charge(L, 20.0 * count);
    if (lua_isnil(L, 3)) return 1;
    lua_pushvalue(L, 3);
    lua_pushvalue(L, 3);
    lua_rawget(L, 1);
    return 2;
}

/* ---- table: the length of the work is counted before it is done ---- */

/* With metamethods a length could be anything, and differ from call to call. */
static void plain_table(lua_State *L, int i)
{
    luaL_checktype(L, i, LUA_TTABLE);
    if (lua_getmetatable(L, i)) taut_script_error(L, "functions of table take plain tables; this one has a metatable");
}

static int call_original(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* insert(t, [place,] value), remove(t, [place]): they move what lies behind the place. A table with holes can have a
   length of 2^62. */
static int table_shift(lua_State *L)
{
    plain_table(L, 1);
    if (lua_isinteger(L, 2)) {
        double moved = (double)lua_rawlen(L, 1) - (double)lua_tointeger(L, 2);
        if (moved > 0) taut_script_charge(L, moved);
    }
    return call_original(L);
}

static int table_concat(lua_State *L)
{
    plain_table(L, 1);
    double from = (double)luaL_optinteger(L, 3, 1), to = (double)luaL_optinteger(L, 4, (lua_Integer)lua_rawlen(L, 1));
    if (to > from) taut_script_charge(L, to - from);
    return call_original(L);
}

static int table_move(lua_State *L)
{
    plain_table(L, 1);
    if (!lua_isnoneornil(L, 5)) plain_table(L, 5);
    double from = (double)luaL_checkinteger(L, 2), to = (double)luaL_checkinteger(L, 3);
    if (to > from) taut_script_charge(L, to - from);
    return call_original(L);
}

static int value_less(lua_State *L)
{
    taut_script_charge(L, 1);
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
}

/* The comparison is ours when none is given: comparing long strings takes time, and each comparison checks the
   clock. */
static int table_sort(lua_State *L)
{
    plain_table(L, 1);
    double count = (double)lua_rawlen(L, 1);
    taut_script_charge(L, count);
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_pushcfunction(L, value_less);
        lua_replace(L, 2);
    }
    return call_original(L);
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

static void open_table(lua_State *L)
{
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    replace_function(L, "insert", table_shift);
    replace_function(L, "remove", table_shift);
    replace_function(L, "concat", table_concat);
    replace_function(L, "move", table_move);
    replace_function(L, "sort", table_sort);
    lua_pop(L, 1);
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
        { "setmetatable", base_setmetatable },
        { "pairs", base_pairs }, { "next", base_next },   { "tostring", base_tostring },
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
    open_table(L);
    open_math(L);
}
