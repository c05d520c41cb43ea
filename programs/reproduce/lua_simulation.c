/* The public interface of Taut as an object of Lua:
     local z = simulate("models/pendulum.lua", { method = "rattle", precision = "quad", set = { g = 1 } })
     z:step(0.1, 100)  z:get("a.x", "energy")  z:time()
   Errors of the library become errors of Lua. Values of a run in quad are wide numbers, others plain ones. */
#include "reproduce/reproduce.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taut/taut.h"

#define SIMULATION_TYPE "simulation"
#define SETTINGS_MOST 32

typedef struct {
    taut_context *context;
    taut_model *model;
    taut_simulation *simulation;
    double *high, *low; /* the columns now, when fresh */
    int fresh, precise;
} bound;

static bound *self(lua_State *L)
{
    bound *b = luaL_checkudata(L, 1, SIMULATION_TYPE);
    if (!b->simulation) luaL_error(L, "this simulation is closed");
    return b;
}

static int close_bound(lua_State *L)
{
    bound *b = luaL_checkudata(L, 1, SIMULATION_TYPE);
    taut_simulation_release(b->simulation);
    if (b->model) taut_model_release(b->model);
    if (b->context) taut_context_destroy(b->context);
    free(b->high);
    *b = (bound){ 0 };
    return 0;
}

static void check(lua_State *L, bound *b, int status)
{
    if (status) luaL_error(L, "%s", taut_error_text(b->context));
}

/* ---- making one ---- */

/* The settings of the table on top of the stack. A table of their strings stays on the stack and keeps them alive. */
static size_t read_settings(lua_State *L, taut_setting *settings)
{
    size_t count = 0;
    int table = lua_gettop(L), texts = table + 1;
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, table); lua_settop(L, texts + 1)) {
        if (count == SETTINGS_MOST) luaL_error(L, "more than %d settings", SETTINGS_MOST);
        const char *value = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : numbers_text(L, -1);
        settings[count++] = (taut_setting){ .name = luaL_checkstring(L, texts + 1), .text = value };
        lua_rawseti(L, texts, (lua_Integer)count);
    }
    return count;
}

static const char *text_field(lua_State *L, int table, const char *name, const char *otherwise)
{
    const char *value = lua_getfield(L, table, name) == LUA_TNIL ? otherwise : luaL_checkstring(L, -1);
    return value; /* the string stays on the stack, and alive */
}

static double number_field(lua_State *L, int table, const char *name)
{
    double value = lua_getfield(L, table, name) == LUA_TNIL ? 0 : luaL_checknumber(L, -1);
    lua_pop(L, 1);
    return value;
}

/* simulate(model, options) */
static int simulate(lua_State *L)
{
    taut_setting settings[SETTINGS_MOST];
    taut_options options = { .size = sizeof options, .method = "rattle", .precision = "double" };
    size_t count = 0;
    const char *root = lua_tostring(L, lua_upvalueindex(1)), *name = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    bound *b = lua_newuserdatauv(L, sizeof *b, 0);
    *b = (bound){ 0 };
    luaL_setmetatable(L, SIMULATION_TYPE);
    const char *path = lua_pushfstring(L, "%s/%s", root, name);
    options.method = text_field(L, 2, "method", options.method);
    options.precision = text_field(L, 2, "precision", options.precision);
    options.tolerance = number_field(L, 2, "tolerance");
    options.step = number_field(L, 2, "step");
    if (number_field(L, 2, "start_as_is") != 0) options.start = TAUT_AS_IS;
    if (lua_getfield(L, 2, "set") == LUA_TTABLE) count = read_settings(L, settings);
    b->precise = strcmp(options.precision, "quad") == 0;
    b->context = taut_context_create(NULL);
    if (!b->context) return luaL_error(L, "out of memory");
    check(L, b, taut_model_load_file(b->context, path, settings, count, &b->model));
    check(L, b, taut_simulation_create(b->context, b->model, &options, &b->simulation));
    b->high = calloc(2 * taut_count(b->simulation, TAUT_ALL), sizeof *b->high);
    if (!b->high) return luaL_error(L, "out of memory");
    b->low = b->high + taut_count(b->simulation, TAUT_ALL);
    lua_settop(L, 3);
    return 1;
}

/* ---- what it does ---- */

/* z:step(h [, count]) */
static int step(lua_State *L)
{
    bound *b = self(L);
    double h = luaL_checknumber(L, 2);
    lua_Integer count = luaL_optinteger(L, 3, 1);
    b->fresh = 0;
    for (lua_Integer i = 0; i < count; i++) check(L, b, taut_step(b->simulation, h));
    return 0;
}

static int run(lua_State *L)
{
    bound *b = self(L);
    b->fresh = 0;
    taut_run how = { .size = sizeof how, .h = luaL_checknumber(L, 2), .until = luaL_checknumber(L, 3) };
    check(L, b, taut_advance(b->simulation, &how));
    return 0;
}

static int flow(lua_State *L)
{
    bound *b = self(L);
    b->fresh = 0;
    check(L, b, taut_flow(b->simulation, luaL_checknumber(L, 2), luaL_checknumber(L, 3)));
    return 0;
}

static int restart(lua_State *L)
{
    bound *b = self(L);
    b->fresh = 0;
    check(L, b, taut_restart(b->simulation));
    return 0;
}

static int get_time(lua_State *L)
{
    lua_pushnumber(L, taut_time(self(L)->simulation));
    return 1;
}

static void refresh(lua_State *L, bound *b)
{
    const size_t count = taut_count(b->simulation, TAUT_ALL);
    if (!b->fresh) check(L, b, taut_get(b->simulation, TAUT_ALL, 0, count, b->high, b->low));
    b->fresh = 1;
}

static void push_column(lua_State *L, const bound *b, size_t column)
{
    if (b->precise)
        numbers_push(L, b->high[column], b->low[column]);
    else
        lua_pushnumber(L, b->high[column]);
}

/* z:get(name, ...): the values of these columns */
static int get(lua_State *L)
{
    bound *b = self(L);
    int count = lua_gettop(L) - 1;
    refresh(L, b);
    luaL_checkstack(L, count, "columns");
    for (int i = 0; i < count; i++) {
        long column = taut_find(b->simulation, TAUT_ALL, luaL_checkstring(L, i + 2));
        if (column < 0) return luaL_error(L, "there is no column '%s'", lua_tostring(L, i + 2));
        push_column(L, b, (size_t)column);
    }
    return count;
}

/* z:columns(): their names; z:frame(): their values */
static int columns(lua_State *L)
{
    bound *b = self(L);
    lua_newtable(L);
    for (size_t i = 0; i < taut_count(b->simulation, TAUT_ALL); i++) {
        lua_pushstring(L, taut_name(b->simulation, TAUT_ALL, i));
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int frame(lua_State *L)
{
    bound *b = self(L);
    refresh(L, b);
    lua_newtable(L);
    for (size_t i = 0; i < taut_count(b->simulation, TAUT_ALL); i++) {
        push_column(L, b, i);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static void set_count(lua_State *L, const char *name, long value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

static int counts(lua_State *L)
{
    taut_work c = { .size = sizeof c };
    taut_counts(self(L)->simulation, &c);
    lua_newtable(L);
    set_count(L, "steps", c.steps);
    set_count(L, "newton_iterations", c.newton_iterations);
    set_count(L, "factorisations", c.factorisations);
    set_count(L, "evaluations", c.evaluations);
    set_count(L, "rejected", c.rejected);
    set_count(L, "position_projections", c.position_projections);
    set_count(L, "momentum_projections", c.momentum_projections);
    set_count(L, "projected_steps", c.projected_steps);
    return 1;
}

/* z:symplecticity(h): the defect of the symplectic form over a step, and its uncertainty */
static int symplecticity(lua_State *L)
{
    bound *b = self(L);
    double defect, uncertainty;
    check(L, b, taut_symplectic_defect(b->simulation, luaL_checknumber(L, 2), &defect, &uncertainty, NULL));
    lua_pushnumber(L, defect);
    lua_pushnumber(L, uncertainty);
    return 2;
}

static const luaL_Reg methods[] = {
    { "step", step }, { "run", run }, { "flow", flow }, { "restart", restart }, { "time", get_time }, { "get", get },
    { "columns", columns }, { "frame", frame }, { "counts", counts }, { "symplecticity", symplecticity },
    { "close", close_bound },
    { NULL, NULL },
};

void simulations_open(lua_State *L, const char *root)
{
    luaL_newmetatable(L, SIMULATION_TYPE);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, close_bound);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    lua_pushstring(L, root);
    lua_pushcclosure(L, simulate, 1);
    lua_setglobal(L, "simulate");
}
