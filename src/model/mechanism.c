/* Bodies and joints. They are written in the model language itself (bodies.lua, joints.lua, plane.lua, assembly.lua,
 * which are part of the program): points, rotations, constraints, forces as everybody could write them, so that terms
 * of equal shape share kernels as all others do. The texts are compiled when a script first uses one of their names.
 *
 * Lines of these texts are no lines of the model: taut_script_line passes over them. They see the functions of the
 * language as they were before the script could set a name, and those below, in the table `inside`. */
#include <math.h>
#include <string.h>

#include "model/script.h"

#define TEXTS(T) T(bodies) T(plane) T(joints) T(couplings) T(series) T(assembly)
#define DECLARE_TEXT(name) extern const unsigned char taut_text_##name[]; extern const size_t taut_text_##name##_size;
TEXTS(DECLARE_TEXT)

/* What a script may use of them. */
static const char *const names[] = { "body",     "body2",    "world",      "gravity",   "torque",    "force_at",
                                     "sphere",   "rod",      "fixed",      "revolute",  "prismatic", "cylindrical",
                                     "universal", "spherical", "planar",    "screw",     "gear",      "belt",
                                     "rolling",  "distance", "series" };
#define NAMES (sizeof names / sizeof *names)

/* A constant below this is a rounding error of arithmetic in the widest precision of the build. */
#ifdef TAUT_HAVE_QUAD
#define NOTHING ((wide)1e-32)
#else
#define NOTHING ((wide)1e-17)
#endif

/* ---- functions for the texts ---- */

static int inside_refuse(lua_State *L)
{
    return taut_script_error(L, "%s", luaL_checkstring(L, 1));
}

static int inside_line(lua_State *L)
{
    lua_pushinteger(L, taut_script_line(L));
    return 1;
}

/* After the end of the script: the line that what follows belongs to. */
static int inside_at_line(lua_State *L)
{
    taut_script_of(L)->line = (int)luaL_checkinteger(L, 1);
    return 0;
}

/* Fewer arguments than a name and what follows it would be an error of Lua somewhere in the texts. */
static int inside_name(lua_State *L)
{
    lua_pushstring(L, taut_declare_name(L, 1, luaL_checkstring(L, 2)));
    return 1;
}

static int inside_describe(lua_State *L)
{
    lua_pushstring(L, taut_symbols_describe(L, 1));
    return 1;
}

/* product(a, b): of two quaternions */
static int inside_product(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    vector a, b, c = { .dimension = 4 };
    taut_vectors_get(L, 1, "product", &a);
    taut_vectors_get(L, 2, "product", &b);
    /* (w, u)(v, s) = (w v - u.s, w s + v u + u x s) */
    static const signed char from[4][4] = { { 0, 1, 2, 3 }, { 1, 0, 3, 2 }, { 2, 3, 0, 1 }, { 3, 2, 1, 0 } };
    static const signed char sign[4][4] = { { 1, -1, -1, -1 }, { 1, 1, 1, -1 }, { 1, -1, 1, 1 }, { 1, 1, -1, 1 } };
    for (int i = 0; i < 4; i++) {
        expr sum = taut_expr_number(g, 0);
        for (int k = 0; k < 4; k++) {
            expr term = taut_expr_mul(g, a.at[k], b.at[from[i][k]]);
            sum = sign[i][k] > 0 ? taut_expr_add(g, sum, term) : taut_expr_sub(g, sum, term);
        }
        c.at[i] = sum;
    }
    return taut_vectors_push(L, &c);
}

/* turn(r, v): the vector turned by a quaternion */
static int inside_turn(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    vector r, body, space = { .dimension = 3 };
    taut_vectors_get(L, 1, "turn", &r);
    taut_vectors_get(L, 2, "turn", &body);
    for (int row = 0; row < 3; row++) {
        expr sum = taut_expr_number(g, 0);
        for (int column = 0; column < 3; column++)
            sum = taut_expr_add(g, sum, taut_expr_mul(g, taut_rotation_entry(g, r.at, row, column), body.at[column]));
        space.at[row] = sum;
    }
    return taut_vectors_push(L, &space);
}

/* value(e): a number for decisions; nil when e is not constant */
static int inside_value(lua_State *L)
{
    expr e = taut_symbols_scalar(L, 1, "this");
    if (taut_expr_is_constant(taut_script_of(L)->graph, e)) lua_pushnumber(L, (double)taut_symbols_value(L, e));
    else lua_pushnil(L);
    return 1;
}

/* clean(v): with 0 where a literal is nothing but a rounding error of numbers of size 1 */
static int inside_clean(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    vector v;
    taut_vectors_get(L, 1, "clean", &v);
    for (uint32_t i = 0; i < v.dimension; i++) {
        if (taut_graph_node(g, v.at[i])->op != OP_CONSTANT) continue;
        const wide value = taut_graph_constant(g, v.at[i]);
        if (value < NOTHING && value > -NOTHING) v.at[i] = taut_expr_number(g, 0);
    }
    return taut_vectors_push(L, &v);
}

/* conjugate(q), of a quaternion */
static int inside_conjugate(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    vector q;
    taut_vectors_get(L, 1, "conjugate", &q);
    for (uint32_t i = 1; i < q.dimension; i++) q.at[i] = taut_expr_neg(g, q.at[i]);
    return taut_vectors_push(L, &q);
}

/* vector(v, size): v as a vector of that many components; nil where it is none */
static int inside_vector(lua_State *L)
{
    const lua_Integer size = luaL_checkinteger(L, 2);
    const vector *given = taut_vectors_at(L, 1);
    vector v = { 0 };
    if (given || (lua_type(L, 1) == LUA_TTABLE && !lua_getmetatable(L, 1))) taut_vectors_get(L, 1, "vector", &v);
    if (given && v.dimension == 0) v.dimension = (uint32_t)size; /* the origin, whose components are zeros */
    if (!v.dimension || v.dimension != (uint32_t)size) lua_pushnil(L);
    else taut_vectors_push(L, &v);
    return 1;
}

static int inside_is_scalar(lua_State *L)
{
    lua_pushboolean(L, lua_type(L, 1) == LUA_TNUMBER || taut_symbols_at(L, 1));
    return 1;
}

static int inside_symbol(lua_State *L) { return taut_symbols_push(L, taut_symbols_scalar(L, 1, "vector")); }

/* constant(x): a number or constant expression as a symbol; nil where it is none */
static int inside_constant(lua_State *L)
{
    const graph *g = taut_script_of(L)->graph;
    const int is_number = lua_type(L, 1) == LUA_TNUMBER;
    const expr e = is_number ? taut_symbols_scalar(L, 1, "vector") : taut_symbols_at(L, 1);
    if (e && taut_expr_is_constant(g, e)) return taut_symbols_push(L, e);
    lua_pushnil(L);
    return 1;
}

/* is_constant(v): no component of a vector contains coordinates or time */
static int inside_is_constant(lua_State *L)
{
    const graph *g = taut_script_of(L)->graph;
    int constant = 1;
    vector v;
    taut_vectors_get(L, 1, "vector", &v);
    for (uint32_t i = 0; i < v.dimension; i++) constant = constant && taut_expr_is_constant(g, v.at[i]);
    lua_pushboolean(L, constant);
    return 1;
}

/* has_other_keys(options, allowed): some key of options has no value in allowed */
static int inside_has_other_keys(lua_State *L)
{
    int others = 0;
    lua_settop(L, 2);
    for (lua_pushnil(L); !others && lua_next(L, 1);) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        others = lua_rawget(L, 2) == LUA_TNIL;
        lua_pop(L, 1);
    }
    lua_pushboolean(L, others);
    return 1;
}

/* set_metatable(table, metatable): those of the texts are known to be sound */
static int inside_set_metatable(lua_State *L)
{
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

/* gradient(e, v): derivatives by a coordinate, or by those of a point or rotation */
static int inside_gradient(lua_State *L)
{
    script *s = taut_script_of(L);
    expr e = taut_symbols_scalar(L, 1, "gradient");
    const expr one = taut_symbols_at(L, 2);
    vector by, slope = { 0 };
    if (one) by = (vector){ 1, 0, { one, 0, 0, 0 }, 0 };
    else taut_vectors_get(L, 2, "gradient", &by);
    taut_script_check(L, taut_expr_gradient(s->graph, e, by.at, by.dimension, slope.at));
    slope.dimension = by.dimension;
    return one ? taut_symbols_push(L, slope.at[0]) : taut_vectors_push(L, &slope);
}

/* initially(e): e at t = 0 */
static int inside_initially(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    expr e = taut_symbols_scalar(L, 1, "this"), t = taut_expr_variable(g, KIND_T, 0), zero = taut_expr_number(g, 0);
    return taut_symbols_push(L, taut_expr_substitute(g, e, &t, &zero, 1));
}

/* guess(x): of free(guess); nil for other values */
static int inside_guess(lua_State *L)
{
    const expr *guess = taut_symbols_userdata(L, 1, SYMBOL_FREE);
    if (guess) return taut_symbols_push(L, *guess);
    lua_pushnil(L);
    return 1;
}

static int inside_is_coordinate(lua_State *L)
{
    const expr e = taut_symbols_at(L, 1);
    uint32_t index;
    lua_pushboolean(L, e && taut_symbols_is_variable(taut_script_of(L), e, KIND_Q, &index));
    return 1;
}

static int inside_is_rotation(lua_State *L)
{
    const vector *r = taut_vectors_at(L, 1);
    lua_pushboolean(L, taut_rotation_is(L, r));
    return 1;
}

/* thin(r): the rotation belongs to a body that may turn about itself without inertia */
static int inside_thin(lua_State *L)
{
    script *s = taut_script_of(L);
    const vector *r = taut_vectors_at(L, 1);
    uint32_t index;
    if (r && taut_symbols_is_variable(s, r->at[0], KIND_Q, &index))
        s->model->groups[s->model->group_of[index]].is_thin = 1;
    return 0;
}

/* begun(x, is_rate): the start value of a coordinate that the script gave, and whether it is free; nil without one */
static int inside_begun(lua_State *L)
{
    script *s = taut_script_of(L);
    const expr e = taut_symbols_at(L, 1);
    uint32_t index;
    if (!e || !taut_symbols_is_variable(s, e, KIND_Q, &index)) return 0;
    const start_value *place = lua_toboolean(L, 2) ? &s->model->start_w[index] : &s->model->start_q[index];
    if (place->type == START_MISSING) return 0;
    lua_pushboolean(L, place->type == START_FREE);
    taut_symbols_push(L, place->value);
    lua_insert(L, -2);
    return 2;
}

/* begin(x, value, is_rate, is_free): a start value, where the script gave none */
static int inside_begin(lua_State *L)
{
    script *s = taut_script_of(L);
    const expr one = taut_symbols_at(L, 1);
    vector of, value;
    uint32_t index;
    if (one) {
        of = (vector){ 1, 0, { one, 0, 0, 0 }, 0 };
        value = (vector){ 1, 0, { taut_symbols_scalar(L, 2, "start"), 0, 0, 0 }, 0 };
    } else {
        taut_vectors_get(L, 1, "start", &of);
        taut_vectors_get(L, 2, "start", &value);
    }
    const int line = taut_script_line(L);
    for (uint32_t i = 0; i < of.dimension; i++) {
        if (!taut_symbols_is_variable(s, of.at[i], KIND_Q, &index)) continue;
        start_value *place = lua_toboolean(L, 3) ? &s->model->start_w[index] : &s->model->start_q[index];
        if (place->type != START_MISSING) continue;
        *place = (start_value){ value.at[i], lua_toboolean(L, 4) ? START_FREE : START_GIVEN, line };
    }
    return 0;
}

/* twist(r, torque, in_body): the forces of a torque on the four coordinates of a rotation. A turning with omega moves
   them by r' = r (0, omega)/2 = (0, Omega) r/2, so the torque acts as 2 r (0, torque), or 2 (0, torque) r. */
static int inside_twist(lua_State *L)
{
    script *s = taut_script_of(L);
    graph *g = s->graph;
    const vector *given = taut_vectors_at(L, 1);
    vector r, torque;
    expr two = taut_expr_number(g, 2), force[4];
    uint32_t index;
    if (!given || !taut_rotation_is(L, given))
        return taut_script_error(L, "torque acts on a body or a rotation, got %s", taut_symbols_describe(L, 1));
    r = *given;
    taut_vectors_get(L, 2, "torque", &torque);
    if (torque.dimension == 0) torque.dimension = 3;
    if (torque.dimension != 3)
        return taut_script_error(L, "torque needs a vector of 3, got %s; write torque(b, {x, y, z})",
                                 taut_symbols_describe(L, 2));
    expr along = taut_expr_number(g, 0), sign = taut_expr_number(g, lua_toboolean(L, 3) ? 1 : -1);
    for (int i = 0; i < 3; i++) along = taut_expr_add(g, along, taut_expr_mul(g, r.at[i + 1], torque.at[i]));
    force[0] = taut_expr_neg(g, along);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        expr cross = taut_expr_sub(g, taut_expr_mul(g, r.at[j + 1], torque.at[k]),
                                   taut_expr_mul(g, r.at[k + 1], torque.at[j]));
        force[i + 1] = taut_expr_add(g, taut_expr_mul(g, r.at[0], torque.at[i]), taut_expr_mul(g, sign, cross));
    }
    for (uint32_t i = 0; i < 4; i++) {
        expr value = taut_script_built(L, taut_expr_mul(g, two, force[i]));
        taut_symbols_is_variable(s, r.at[i], KIND_Q, &index);
        if (!taut_expr_is_number(g, value, 0)) taut_equations_act(L, index, value);
    }
    return 0;
}

/* ---- loading ---- */

static void push_inside(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "refuse", inside_refuse },     { "line", inside_line },         { "at_line", inside_at_line },
        { "name", inside_name },         { "describe", inside_describe }, { "product", inside_product },
        { "turn", inside_turn },         { "value", inside_value },       { "clean", inside_clean },
        { "conjugate", inside_conjugate }, { "vector", inside_vector },   { "is_scalar", inside_is_scalar },
        { "symbol", inside_symbol },     { "constant", inside_constant }, { "is_constant", inside_is_constant },
        { "has_other_keys", inside_has_other_keys }, { "set_metatable", inside_set_metatable },
        { "gradient", inside_gradient }, { "initially", inside_initially }, { "guess", inside_guess },
        { "is_coordinate", inside_is_coordinate }, { "is_rotation", inside_is_rotation },
        { "thin", inside_thin },
        { "begun", inside_begun },       { "begin", inside_begin },       { "twist", inside_twist },
        { NULL, NULL },
    };
    luaL_newlib(L, functions);
}

/* Runs a text with the table on top of the stack as its names. */
static void run_text(lua_State *L, const unsigned char *text, size_t size)
{
    if (luaL_loadbufferx(L, (const char *)text, size, MECHANISM_CHUNK, "t")) lua_error(L);
    lua_pushvalue(L, -2);
    lua_setupvalue(L, -2, 1);
    lua_call(L, 0, 0);
}

/* Pushes the table of the names of the texts; runs them the first time. */
static void push_texts(lua_State *L)
{
    script *s = taut_script_of(L);
    if (s->mechanism) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, s->mechanism);
        return;
    }
    lua_newtable(L);
    lua_newtable(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->language);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    push_inside(L);
    lua_setfield(L, -2, "inside");
    s->has_texts = 1;
#define RUN_TEXT(name) run_text(L, taut_text_##name, taut_text_##name##_size);
    TEXTS(RUN_TEXT)
    lua_pushvalue(L, -1);
    s->mechanism = luaL_ref(L, LUA_REGISTRYINDEX);
}

int taut_mechanism_find(lua_State *L, const char *name)
{
    size_t i = 0;
    while (i < NAMES && strcmp(names[i], name) != 0) i++;
    if (i == NAMES) return 0;
    push_texts(L);
    lua_pushglobaltable(L);
    for (i = 0; i < NAMES; i++) { /* all, but for those that the script has set */
        lua_pushstring(L, names[i]);
        if (lua_rawget(L, -2) == LUA_TNIL) {
            lua_getfield(L, -3, names[i]);
            lua_setfield(L, -3, names[i]);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    return 1;
}

int taut_mechanism_solid(lua_State *L, const char *name)
{
    push_texts(L);
    lua_getfield(L, -1, "solid");
    lua_pushstring(L, name);
    lua_pushvalue(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

void taut_mechanism_finish(lua_State *L)
{
    if (!taut_script_of(L)->mechanism) return;
    push_texts(L);
    lua_getfield(L, -1, "finish");
    lua_call(L, 0, 0);
    lua_pop(L, 1);
    taut_script_of(L)->line = 0;
}

/* Keeps the names of the language as they are before the script runs. */
void taut_mechanism_open(lua_State *L)
{
    lua_newtable(L);
    lua_pushglobaltable(L);
    for (lua_pushnil(L); lua_next(L, -2);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -5);
    }
    lua_pop(L, 1);
    taut_script_of(L)->language = luaL_ref(L, LUA_REGISTRYINDEX);
}
