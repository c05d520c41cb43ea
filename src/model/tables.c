/* Tables whose length and order depend on what they hold and on nothing else. Lua finds the length of a list with holes,
 * and the order of keys, from where they lie in memory; that depends on the seed of its hash, which is another one in
 * every process. Weak tables depend on when garbage is collected, and are refused. */
#include "model/script.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>

/* ---- length ---- */

static int has_place(lua_State *L, int i, lua_Integer place)
{
    const int type = lua_rawgeti(L, i, place);
    lua_pop(L, 1);
    return type != LUA_TNIL;
}

lua_Integer taut_tables_length(lua_State *L, int i)
{
    lua_Integer low = 0, high = 1;
    i = lua_absindex(L, i);
    while (has_place(L, i, high)) {
        low = high;
        if (high == LUA_MAXINTEGER) return high;
        high = high > LUA_MAXINTEGER / 2 ? LUA_MAXINTEGER : 2 * high;
    }
    while (high - low > 1) {
        const lua_Integer middle = low + (high - low) / 2;
        if (has_place(L, i, middle)) low = middle;
        else high = middle;
    }
    return low;
}

/* The length of the value at i as the operator # gives it, pushed. */
static void push_length(lua_State *L, int i)
{
    const int type = lua_type(L, i);
    if (luaL_getmetafield(L, i, "__len") != LUA_TNIL) {
        lua_pushvalue(L, i);
        lua_call(L, 1, 1);
    } else if (type == LUA_TTABLE) {
        taut_script_charge(L, 2);
        lua_pushinteger(L, taut_tables_length(L, i));
    } else if (type == LUA_TSTRING) {
        lua_pushinteger(L, (lua_Integer)lua_rawlen(L, i));
    } else {
        taut_script_error(L, "attempt to get length of a %s value", luaL_typename(L, i));
    }
}

int taut_tables_operator(lua_State *L)
{
    lua_settop(L, 2);
    push_length(L, 2);
    return 1;
}

static int base_rawlen(lua_State *L)
{
    const int type = lua_type(L, 1);
    luaL_argexpected(L, type == LUA_TTABLE || type == LUA_TSTRING, 1, "table or string");
    lua_pushinteger(L, type == LUA_TTABLE ? taut_tables_length(L, 1) : (lua_Integer)lua_rawlen(L, 1));
    return 1;
}

/* ---- metatables ---- */

/* No finalizers: they run with hooks off. */
static int base_setmetatable(lua_State *L)
{
    static const struct { const char *key, *why; } refused[] = {
        { "__gc", "models have no finalizers; remove __gc from the metatable" },
        { "__mode", "models have no weak tables: when they lose values depends on the process; remove __mode from the "
                    "metatable" },
        { "__bor", "tables of models have no operator '|'; remove __bor from the metatable, and call a function "
                   "instead" }, /* equality.c has taken it */
    };
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
    lua_settop(L, 2);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return taut_script_error(L, "this metatable is protected; leave it as it is");
    if (lua_istable(L, 2)) {
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
            lua_pushstring(L, refused[i].key);
            if (lua_rawget(L, 2) != LUA_TNIL) return taut_script_error(L, refused[i].why);
            lua_pop(L, 1);
        }
        lua_pushvalue(L, 2);
        lua_pushinteger(L, taut_script_line(L));
        lua_rawset(L, lua_upvalueindex(1));
    }
    lua_setmetatable(L, 1);
    return 1;
}

/* A metatable may have become one of weak tables after it was set. */
void taut_tables_finish(lua_State *L)
{
    lua_Integer first = 0;
    lua_rawgeti(L, LUA_REGISTRYINDEX, taut_script_of(L)->given_metatables);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        const lua_Integer line = lua_tointeger(L, -1);
        lua_pushliteral(L, "__mode");
        const int is_weak = lua_rawget(L, -3) != LUA_TNIL;
        lua_pop(L, 1);
        if (is_weak && (!first || line < first)) first = line;
    }
    lua_pop(L, 1);
    if (first)
        taut_script_error_at(L, (int)first, "models have no weak tables: when they lose values depends on the process; "
                                            "leave __mode out of this metatable");
}

/* ---- pairs and next: numbers, then strings, then symbols and the rest ---- */

typedef struct {
    enum { KEY_NUMBER, KEY_TEXT, KEY_OTHER } type;
    int is_whole;
    uint32_t place;     /* in the order of the table */
    lua_Integer whole;
    double number;      /* or the expression of a symbol */
    const char *text;   /* kept alive by the table */
    size_t size;
} key;

/* A whole number and another number that are equal as double are not equal: the whole one, near 2^63, is less. */
static int compare_numbers(const key *a, const key *b)
{
    if (a->is_whole && b->is_whole) return (a->whole > b->whole) - (a->whole < b->whole);
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return b->is_whole - a->is_whole;
}

static int compare_keys(const void *x, const void *y)
{
    const key *a = x, *b = y;
    int order = 0;
    if (a->type != b->type) return a->type < b->type ? -1 : 1;
    if (a->type == KEY_TEXT) order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    if (a->type == KEY_TEXT && !order) order = (a->size > b->size) - (a->size < b->size);
    if (a->type != KEY_TEXT) order = compare_numbers(a, b);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* The key on top of the stack. */
static key describe_key(lua_State *L, uint32_t place)
{
    key k = { .type = KEY_OTHER, .place = place };
    const expr e = taut_symbols_at(L, -1);
    const vector *v = e ? NULL : taut_vectors_at(L, -1);
    if (lua_type(L, -1) == LUA_TNUMBER) {
        k.type = KEY_NUMBER;
        k.number = lua_tonumber(L, -1);
        k.is_whole = lua_isinteger(L, -1);
        if (k.is_whole) k.whole = lua_tointeger(L, -1);
    } else if (lua_type(L, -1) == LUA_TSTRING) {
        k.type = KEY_TEXT;
        k.text = lua_tolstring(L, -1, &k.size);
    } else if (e) {
        k.number = e;
    } else if (v) {
        k.number = v->at[0] + 0.5;
    } else if (lua_isboolean(L, -1)) {
        k.number = lua_toboolean(L, -1) - 2;
    } else {
        k.number = INFINITY; /* a table or a function, which has nothing but its address */
    }
    return k;
}

/* Of two keys that have no order there is no first one. Two vectors may begin with the same expression. */
static void refuse_unordered(lua_State *L, const key *a, const key *b)
{
    if (a->type == KEY_OTHER && b->type == KEY_OTHER && a->number == b->number)
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
    for (uint32_t i = 1; i < count; i++) refuse_unordered(L, &list[i - 1], &list[i]);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(L, keys, list[i].place + 1);
        lua_rawseti(L, -2, i + 1);
    }
    lua_replace(L, keys);
    lua_settop(L, keys);
}

void taut_tables_keys(lua_State *L, int i)
{
    int is_list = 1;    /* 1, 2, ... as they come */
    uint32_t count = 0; /* the memory limit keeps it far below 2^31 */
    i = lua_absindex(L, i);
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, i);) {
        lua_pop(L, 1);
        is_list &= lua_isinteger(L, -1) && lua_tointeger(L, -1) == (lua_Integer)count + 1;
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, ++count);
    }
    taut_script_charge(L, 20.0 * count);
    if (!is_list && count > 1) sort_keys(L, count);
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
    taut_tables_keys(L, 1);
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

/* ---- the library: lengths are those above, and work is counted before it is done ---- */

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

/* insert(t, [place,] value) */
static int table_insert(lua_State *L)
{
    plain_table(L, 1);
    const lua_Integer size = taut_tables_length(L, 1), end = size < LUA_MAXINTEGER ? size + 1 : size;
    const int count = lua_gettop(L);
    if (count != 2 && count != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
    const lua_Integer place = count == 2 ? end : luaL_checkinteger(L, 2);
    luaL_argcheck(L, (lua_Unsigned)place - 1 < (lua_Unsigned)end, 2, "position out of bounds");
    taut_script_charge(L, (double)end - (double)place);
    for (lua_Integer i = end; i > place; i--) {
        lua_rawgeti(L, 1, i - 1);
        lua_rawseti(L, 1, i);
    }
    lua_settop(L, count);
    lua_rawseti(L, 1, place);
    return 0;
}

/* remove(t, [place]): the value that was there. */
static int table_remove(lua_State *L)
{
    plain_table(L, 1);
    const lua_Integer size = taut_tables_length(L, 1), place = luaL_optinteger(L, 2, size);
    if (!lua_isnoneornil(L, 2)) /* the place behind the last one may be named, and 0 of an empty table */
        luaL_argcheck(L, (size == 0 && place == 0) || (place >= 1 && place - 1 <= size), 2, "position out of bounds");
    if (place < size) taut_script_charge(L, (double)size - (double)place);
    lua_rawgeti(L, 1, place);
    for (lua_Integer i = place; i < size; i++) {
        lua_rawgeti(L, 1, i + 1);
        lua_rawseti(L, 1, i);
    }
    lua_pushnil(L);
    lua_rawseti(L, 1, place < size ? size : place);
    return 1;
}

/* Puts the length where the last place was left out, argument `last`. */
static void set_last(lua_State *L, int last)
{
    if (!lua_isnoneornil(L, last)) return;
    lua_settop(L, last - 1);
    push_length(L, 1);
}

static int table_concat(lua_State *L)
{
    plain_table(L, 1);
    if (lua_gettop(L) > 4) lua_settop(L, 4);
    set_last(L, 4);
    double from = (double)luaL_optinteger(L, 3, 1), to = (double)luaL_checkinteger(L, 4);
    if (to > from) taut_script_charge(L, to - from);
    return call_original(L);
}

static int table_unpack(lua_State *L)
{
    luaL_checkany(L, 1);
    if (lua_gettop(L) > 3) lua_settop(L, 3);
    set_last(L, 3);
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

/* Is item `right` of the table at `from` less than item `left`? By the function at 2, if one is given. Comparing long
   strings takes time: each comparison checks the clock. */
static int is_less(lua_State *L, int from, lua_Integer right, lua_Integer left)
{
    taut_script_charge(L, 1);
    if (lua_isnil(L, 2)) {
        lua_rawgeti(L, from, right);
        lua_rawgeti(L, from, left);
        const int less = lua_compare(L, -2, -1, LUA_OPLT);
        lua_pop(L, 2);
        return less;
    }
    lua_pushvalue(L, 2);
    lua_rawgeti(L, from, right);
    lua_rawgeti(L, from, left);
    lua_call(L, 2, 1);
    const int less = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return less;
}

/* Merges the sorted items begin..middle-1 and middle..end-1 of one table into another. */
static void merge(lua_State *L, int from, int to, lua_Integer begin, lua_Integer middle, lua_Integer end)
{
    lua_Integer left = begin, right = middle;
    for (lua_Integer i = begin; i < end; i++) {
        const int take_right = right < end && (left == middle || is_less(L, from, right, left));
        lua_rawgeti(L, from, take_right ? right++ : left++);
        lua_rawseti(L, to, i);
    }
}

/* Lua's own sort takes its pivots by the clock where a table is long and badly divided, so that items that are equal
   end in any order. This one is stable. */
static int table_sort(lua_State *L)
{
    plain_table(L, 1);
    const lua_Integer count = taut_tables_length(L, 1);
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    taut_script_charge(L, (double)count);
    lua_createtable(L, (int)count, 0);
    lua_createtable(L, (int)count, 0);
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_rawgeti(L, 1, i) == LUA_TNIL)
            return taut_script_error(L, "sort takes a list without holes, and item %I is nil; leave none out", i);
        lua_rawseti(L, 3, i);
    }
    int from = 3;
    for (lua_Integer width = 1; width < count; width *= 2, from = 7 - from)
        for (lua_Integer begin = 1; begin <= count; begin += 2 * width) {
            const lua_Integer middle = begin + width, end = middle + width;
            merge(L, from, 7 - from, begin, middle <= count ? middle : count + 1, end <= count ? end : count + 1);
        }
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, from, i);
        lua_rawseti(L, 1, i);
    }
    return 0;
}

/* ---- opening ---- */

static void open_library(lua_State *L)
{
    static const luaL_Reg library[] = { { "insert", table_insert }, { "remove", table_remove },
                                        { "concat", table_concat }, { "unpack", table_unpack },
                                        { "move", table_move },     { "sort", table_sort } };
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
        lua_getfield(L, -1, library[i].name);
        lua_pushcclosure(L, library[i].func, 1);
        lua_setfield(L, -2, library[i].name);
    }
    lua_pop(L, 1);
}

/* The metatables that were set, with the line. Weak, so that it keeps none of them. */
static void open_metatables(lua_State *L)
{
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    taut_script_of(L)->given_metatables = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushcclosure(L, base_setmetatable, 1);
    lua_setglobal(L, "setmetatable");
}

void taut_tables_open(lua_State *L)
{
    lua_register(L, "pairs", base_pairs);
    lua_register(L, "next", base_next);
    lua_register(L, "rawlen", base_rawlen);
    open_library(L);
    open_metatables(L);
}
