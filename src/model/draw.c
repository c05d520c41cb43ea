/* What to draw: draw{ bar(p, q), spring(p, q), ball(p, radius), a }. */
#include "model/script.h"

/* The place at i as three expressions of coordinates and time. */
static void get_place(lua_State *L, int i, const char *who, expr place[3])
{
    script *s = script_of(L);
    vector v;
    vectors_get(L, i, who, &v);
    if (v.dimension > 3) script_error(L, "%s needs a place, got %s; give a point", who, symbols_describe(L, i));
    for (uint32_t k = 0; k < 3; k++) {
        place[k] = k < v.dimension ? v.at[k] : script_built(L, expr_number(s->graph, 0));
        if (symbols_kinds(L, place[k]) & (1u << KIND_W | 1u << KIND_LAMBDA))
            script_error(L, "%s needs a place made of coordinates and time; this one has velocities, momenta or multipliers", who);
    }
    script_charge(L, 20);
}

static int push_shape(lua_State *L, const shape *what)
{
    shape *copy = lua_newuserdatauv(L, sizeof *copy, 0);
    *copy = *what;
    lua_rawgeti(L, LUA_REGISTRYINDEX, script_of(L)->shape_ref);
    lua_setmetatable(L, -2);
    return 1;
}

static int two_places(lua_State *L, shape_type type, const char *who)
{
    shape what = { .type = type, .line = script_line(L) };
    get_place(L, 1, who, what.from);
    get_place(L, 2, who, what.to);
    return push_shape(L, &what);
}

static int draw_bar(lua_State *L) { return two_places(L, SHAPE_BAR, "bar"); }
static int draw_spring(lua_State *L) { return two_places(L, SHAPE_SPRING, "spring"); }

static void make_ball(lua_State *L, int i, shape *what)
{
    *what = (shape){ .type = SHAPE_BALL, .line = script_line(L) };
    get_place(L, i, "ball", what->from);
    for (int k = 0; k < 3; k++) what->to[k] = what->from[k];
}

/* Radius 0, or none: as large as looks well. */
static int draw_ball(lua_State *L)
{
    shape what;
    make_ball(L, 1, &what);
    if (!lua_isnoneornil(L, 2)) what.radius = (double)symbols_value(L, symbols_constant(L, 2, "the radius of ball"));
    if (!(what.radius >= 0 && what.radius < 1e300))
        return script_error(L, "the radius of a ball must be positive and finite; give such a number");
    return push_shape(L, &what);
}

static int draw_draw(lua_State *L)
{
    script *s = script_of(L);
    model *m = s->model;
    if (lua_type(L, 1) != LUA_TTABLE)
        return script_error(L, "draw needs a table, got %s; write draw { bar(origin, a) }", symbols_describe(L, 1));
    lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, 1, i);
        const shape *given = symbols_userdata(L, -1, s->shape_meta);
        shape what;
        if (given) what = *given;
        else if (vectors_is_like(L, -1)) make_ball(L, -1, &what);
        else
            return script_error(L, "draw: item %I is %s; give bar(p, q), spring(p, q), ball(p, radius) or a point", i,
                                symbols_describe(L, -1));
        script_check(L, mem_grow(s->context, &m->shapes, &m->shape_capacity, m->shape_count + 1, sizeof *m->shapes));
        m->shapes[m->shape_count++] = what;
        lua_pop(L, 1);
    }
    return 0;
}

void draw_open(lua_State *L)
{
    static const luaL_Reg none[] = { { NULL, NULL } };
    script *s = script_of(L);
    symbols_metatable(L, "shape", none, &s->shape_ref, &s->shape_meta);
    lua_register(L, "bar", draw_bar);
    lua_register(L, "spring", draw_spring);
    lua_register(L, "ball", draw_ball);
    lua_register(L, "draw", draw_draw);
}
