/* Vector symbols: points, velocities, sums of them. A table {x, y, z} serves wherever a vector does. */
#include "model/script.h"

#include <string.h>

vector *taut_vectors_at(lua_State *L, int i)
{
    return taut_symbols_userdata(L, i, SYMBOL_VECTOR);
}

int taut_vectors_is_like(lua_State *L, int i)
{
    const int type = lua_type(L, i);
    return type == LUA_TTABLE || (type == LUA_TUSERDATA && taut_vectors_at(L, i));
}

int taut_vectors_push(lua_State *L, const vector *v)
{
    for (uint32_t i = 0; i < v->dimension; i++) taut_script_built(L, v->at[i]);
    vector *made = taut_symbols_new(L, SYMBOL_VECTOR, sizeof *v, 0);
    *made = *v;
    made->has_form = 0;
    return 1;
}

void taut_vectors_get(lua_State *L, int i, const char *who, vector *v)
{
    const vector *given = taut_vectors_at(L, i);
    if (given) {
        *v = *given;
        v->omega_of = v->has_form = 0;
        return;
    }
    if (lua_type(L, i) != LUA_TTABLE)
        taut_script_error(L, "%s needs a vector here, got %s; give a point, a vector or a table {x, y, z}", who,
                     taut_symbols_describe(L, i));
    const lua_Integer count = taut_tables_length(L, i);
    if (count < 1 || count > 4)
        taut_script_error(L, "%s needs a vector here, got %s; write {x, y} or {x, y, z}", who,
                          taut_symbols_describe(L, i));
    *v = (vector){ .dimension = (uint32_t)count };
    i = lua_absindex(L, i);
    taut_functions_check_list(L, i, who);
    for (int k = 0; k < count; k++) {
        lua_rawgeti(L, i, k + 1);
        v->at[k] = taut_symbols_scalar(L, -1, who);
        lua_pop(L, 1);
    }
}

/* Both vectors of an operation: of equal dimension, or one of them the origin. */
static void get_pair(lua_State *L, const char *who, vector *a, vector *b)
{
    taut_vectors_get(L, 1, who, a);
    taut_vectors_get(L, 2, who, b);
    if (a->dimension == 0) a->dimension = b->dimension;
    if (b->dimension == 0) b->dimension = a->dimension;
    if (a->dimension != b->dimension)
        taut_script_error(L, "%s of a vector of %d and a vector of %d; both need the same dimension", who,
                          (int)a->dimension, (int)b->dimension);
}

static int has_form(lua_State *L, int i)
{
    const vector *v = taut_vectors_at(L, i);
    return v && v->has_form;
}

/* ---- operators ---- */

static int scale(lua_State *L, op o, const char *sign)
{
    graph *g = taut_script_of(L)->graph;
    int place = taut_vectors_is_like(L, 1) ? 1 : 2;
    vector v;
    taut_vectors_get(L, place, sign, &v);
    expr k = taut_symbols_scalar(L, 3 - place, sign);
    vector_form form;
    taut_vector_form_get(L, place, &v, &form);
    if (o == OP_DIV && taut_expr_is_number(g, k, 0)) return taut_script_error(L, "division by zero; check the divisor");
    for (uint32_t i = 0; i < v.dimension; i++)
        v.at[i] = o == OP_DIV ? taut_expr_div(g, v.at[i], k) : taut_expr_mul(g, k, v.at[i]);
    if (taut_expr_is_constant(g, k) && !has_form(L, place)) return taut_vectors_push(L, &v);
    taut_vector_form_scale(g, o == OP_DIV ? taut_expr_div(g, taut_expr_integer(g, 1), k) : k, &form);
    return taut_vector_form_push(L, &v, &form);
}

int taut_vectors_arithmetic(lua_State *L, op o, const char *sign)
{
    graph *g = taut_script_of(L)->graph;
    int first = taut_vectors_is_like(L, 1), second = taut_vectors_is_like(L, 2);
    vector a, b;
    if (o == OP_POW)
        return taut_script_error(L, "a vector has no powers; write norm2(v) for its square, norm(v) for its length");
    if (o == OP_MUL && first && second)
        return taut_script_error(L, "'*' of two vectors; write dot(a, b) or cross(a, b)");
    if (o == OP_DIV && second) return taut_script_error(L, "division by a vector; divide by norm(v) or by a component");
    if (o == OP_MUL || o == OP_DIV) return scale(L, o, sign);
    if (!first || !second)
        return taut_script_error(L, "%s of %s and %s; both must be vectors or both numbers", sign,
                                 taut_symbols_describe(L, 1), taut_symbols_describe(L, 2));
    get_pair(L, sign, &a, &b);
    vector_form form, other;
    taut_vector_form_get(L, 1, &a, &form), taut_vector_form_get(L, 2, &b, &other);
    for (uint32_t i = 0; i < a.dimension; i++) a.at[i] = taut_expr_binary(g, o, a.at[i], b.at[i]);
    if (!has_form(L, 1) || !has_form(L, 2)) return taut_vectors_push(L, &a);
    taut_vector_form_add(g, &form, &other, o == OP_ADD ? 1 : -1);
    return taut_vector_form_push(L, &a, &form);
}

int taut_vectors_negate(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    vector v;
    vector_form form;
    taut_vectors_get(L, 1, "'-'", &v);
    taut_vector_form_get(L, 1, &v, &form);
    for (uint32_t i = 0; i < v.dimension; i++) v.at[i] = taut_expr_neg(g, v.at[i]);
    if (!has_form(L, 1)) return taut_vectors_push(L, &v);
    taut_vector_form_scale(g, taut_expr_integer(g, -1), &form);
    return taut_vector_form_push(L, &v, &form);
}

static int operator_add(lua_State *L) { return taut_vectors_arithmetic(L, OP_ADD, "'+'"); }
static int operator_sub(lua_State *L) { return taut_vectors_arithmetic(L, OP_SUB, "'-'"); }
static int operator_mul(lua_State *L) { return taut_vectors_arithmetic(L, OP_MUL, "'*'"); }
static int operator_div(lua_State *L) { return taut_vectors_arithmetic(L, OP_DIV, "'/'"); }
static int operator_pow(lua_State *L) { return taut_vectors_arithmetic(L, OP_POW, "'^'"); }

static int operator_len(lua_State *L)
{
    const vector *v = taut_vectors_at(L, 1);
    lua_pushinteger(L, v ? v->dimension : 0);
    return 1;
}

/* Place of a component by name, or -1. */
static int component(const vector *v, const char *name)
{
    static const char *const names[] = { "xyz", "x", "xy", "xyz", "wxyz" };
    if (!name[0] || name[1]) return -1;
    const char *letters = names[v->dimension], *found = strchr(letters, name[0]);
    return found ? (int)(found - letters) : -1;
}

static int dot_of(lua_State *L, const vector *v)
{
    vector d = { .dimension = v->dimension };
    for (uint32_t i = 0; i < v->dimension; i++) d.at[i] = taut_derivative_of_time(L, v->at[i]);
    if (!v->dimension) d = *v;
    return taut_vectors_push(L, &d);
}

static int operator_index(lua_State *L)
{
    const vector *v = taut_vectors_at(L, 1);
    if (!v) return taut_script_error(L, "this is no vector; call fields on points and vectors");
    if (lua_isinteger(L, 2)) {
        lua_Integer i = lua_tointeger(L, 2);
        if (i >= 1 && i <= (v->dimension ? v->dimension : 3)) return taut_symbols_push(L, v->at[i - 1]);
        return taut_script_error(L, "%s has no component %I; components count from 1", taut_symbols_describe(L, 1), i);
    }
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    int place = component(v, name);
    if (place >= 0) return taut_symbols_push(L, v->at[place]);
    if (strcmp(name, "dot") == 0) return dot_of(L, v);
    if (strcmp(name, "omega") == 0) return taut_rotation_omega(L, v);
    if (strcmp(name, "apply") == 0) {
        static const script_function apply = { "apply", taut_rotation_apply, 1, 0,
                                               "put the components in one table: r:apply{x, y, z}", 1, 0 };
        taut_functions_push(L, &apply);
        return 1;
    }
    return taut_script_error(L, "%s has no field '%s'; it has %s and dot", taut_symbols_describe(L, 1), name,
                        v->dimension == 2 ? "x, y" : v->dimension == 4 ? "w, x, y, z, omega, apply" : "x, y, z");
}

static int operator_newindex(lua_State *L)
{
    return taut_script_error(L, "the components of a vector cannot be set; start values are given in start{...}");
}

static int operator_tostring(lua_State *L)
{
    script *s = taut_script_of(L);
    const vector *v = taut_vectors_at(L, 1);
    char text[TAUT_ERROR_TEXT];
    if (!v) return luaL_argerror(L, 1, "vector expected");
    lua_pushstring(L, v->dimension ? "{" : "origin");
    for (uint32_t i = 0; i < v->dimension; i++) {
        taut_expr_print(s->graph, v->at[i], taut_model_namer, s->model, text, sizeof text);
        lua_pushfstring(L, "%s%s", text, i + 1 < v->dimension ? ", " : "}");
        lua_concat(L, 2);
    }
    return 1;
}


/* ---- functions ---- */

static int function_vector(lua_State *L)
{
    vector v;
    taut_vectors_get(L, 1, "vector", &v);
    return taut_vectors_push(L, &v);
}

static int function_dot(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    vector a, b;
    get_pair(L, "dot", &a, &b);
    expr sum = taut_expr_integer(g, 0);
    for (uint32_t i = 0; i < a.dimension; i++) sum = taut_expr_add(g, sum, taut_expr_mul(g, a.at[i], b.at[i]));
    if (!has_form(L, 1) && !has_form(L, 2)) return taut_symbols_push(L, sum);
    vector_form x, y;
    taut_vector_form_get(L, 1, &a, &x), taut_vector_form_get(L, 2, &b, &y);
    return taut_symbols_push(L, taut_vector_form_dot(g, &x, &y, taut_script_built(L, sum)));
}

static expr minor(graph *g, const vector *a, const vector *b, int i, int j)
{
    return taut_expr_sub(g, taut_expr_mul(g, a->at[i], b->at[j]), taut_expr_mul(g, a->at[j], b->at[i]));
}

static int function_cross(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    vector a, b;
    get_pair(L, "cross", &a, &b);
    if (a.dimension == 2) return taut_symbols_push(L, minor(g, &a, &b, 0, 1));
    if (a.dimension != 3)
        return taut_script_error(L, "cross of vectors of %d; it needs 3 dimensions, or 2", (int)a.dimension);
    vector c = { 3, 0, { minor(g, &a, &b, 1, 2), minor(g, &a, &b, 2, 0), minor(g, &a, &b, 0, 1), 0 }, 0 };
    vector_form x, y, form;
    taut_vector_form_get(L, 1, &a, &x), taut_vector_form_get(L, 2, &b, &y);
    taut_vector_form_cross(g, &x, &y, &form);
    return taut_vector_form_push(L, &c, &form);
}

static expr square(lua_State *L, const char *who)
{
    graph *g = taut_script_of(L)->graph;
    vector a;
    taut_vectors_get(L, 1, who, &a);
    expr sum = taut_expr_integer(g, 0);
    for (uint32_t i = 0; i < a.dimension; i++) sum = taut_expr_add(g, sum, taut_expr_powi(g, a.at[i], 2));
    if (!has_form(L, 1)) return taut_script_built(L, sum);
    vector_form form;
    taut_vector_form_get(L, 1, &a, &form);
    return taut_script_built(L, taut_vector_form_dot(g, &form, &form, taut_script_built(L, sum)));
}

static int function_norm2(lua_State *L) { return taut_symbols_push(L, square(L, "norm2")); }

static int function_norm(lua_State *L)
{
    return taut_symbols_push(L, taut_expr_unary(taut_script_of(L)->graph, OP_SQRT, square(L, "norm")));
}

void taut_vectors_open(lua_State *L)
{
    static const luaL_Reg operators[] = {
        { "__add", operator_add },     { "__sub", operator_sub },           { "__mul", operator_mul },
        { "__div", operator_div },     { "__pow", operator_pow },           { "__unm", taut_vectors_negate },
        { "__lt", taut_compare_refuse },    { "__le", taut_compare_refuse },          { "__len", operator_len },
            { "__index", operator_index },       { "__newindex", operator_newindex },
        { "__tostring", operator_tostring }, { "__concat", taut_symbols_concat }, { NULL, NULL },
    };
    static const script_function functions[] = {
        { "vector", function_vector, 1, 0, "put the components in one table: vector{x, y, z}", 0, 0 },
        { "dot", function_dot, 2, 0, "it is the product of two vectors: dot(a, b)", 0, 0 },
        { "cross", function_cross, 2, 0, "it is the product of two vectors: cross(a, b)", 0, 0 },
        { "norm2", function_norm2, 1, 0,
          "put the components in one table, norm2{x, y}, or take the difference, norm2(a - b)", 0, 0 },
        { "norm", function_norm, 1, 0,
          "put the components in one table, norm{x, y}, or take the difference, norm(a - b)", 0, 0 },
    };
    script *s = taut_script_of(L);
    taut_symbols_metatable(L, "vector", operators, SYMBOL_VECTOR);
    taut_functions_register(L, functions, sizeof functions / sizeof *functions);
    expr zero = taut_script_built(L, taut_expr_integer(s->graph, 0));
    taut_vectors_push(L, &(vector){ 0, 0, { zero, zero, zero, zero }, 0 });
    lua_setglobal(L, "origin");
}
