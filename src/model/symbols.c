/* Scalar symbols: light userdata that are one expression, their operators, and the functions of the model language on
   scalars. */
#include "model/script.h"

#include <math.h>
#include <string.h>

static void push_metatable(lua_State *L, const char *name, const luaL_Reg *methods)
{
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pushliteral(L, "protected");
    lua_setfield(L, -2, "__metatable");
}

void taut_symbols_metatable(lua_State *L, const char *name, const luaL_Reg *methods, symbol_type type)
{
    push_metatable(L, name, methods);
    taut_script_of(L)->metatables[type] = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* The address of a scalar is odd, as that of no block: 2 e + 1. */
static void *address_of(expr e)
{
    _Static_assert(SCRIPT_NODES < UINTPTR_MAX / 2, "an address holds an expression");
    return (void *)((uintptr_t)e * 2 + 1);
}

static int is_scalar(const void *address) { return (uintptr_t)address & 1; }

/* What all userdata begin with. */
typedef union {
    symbol_type type;
    double align;
} symbol_head;

void *taut_symbols_new(lua_State *L, symbol_type type, size_t size, int values)
{
    symbol_head *head = lua_newuserdatauv(L, sizeof *head + size, values);
    head->type = type;
    lua_rawgeti(L, LUA_REGISTRYINDEX, taut_script_of(L)->metatables[type]);
    lua_setmetatable(L, -2);
    return head + 1;
}

void *taut_symbols_userdata(lua_State *L, int i, symbol_type type)
{
    symbol_head *head = lua_touserdata(L, i);
    return head && !is_scalar(head) && head->type == type ? head + 1 : NULL;
}

expr taut_symbols_at(lua_State *L, int i)
{
    const void *address = lua_touserdata(L, i);
    return is_scalar(address) ? (expr)((uintptr_t)address / 2) : 0;
}

int taut_symbols_push(lua_State *L, expr e)
{
    script *s = taut_script_of(L);
    taut_script_built(L, e);
    if (taut_graph_node(s->graph, e)->op == OP_CONSTANT && !taut_graph_is_finite(s->graph, e))
        return taut_script_error(L, "this value is not finite; check the numbers it is made of");
    lua_pushlightuserdata(L, address_of(e));
    return 1;
}

const char *taut_symbols_describe(lua_State *L, int i)
{
    const vector *v = taut_vectors_at(L, i);
    if (v)
        return v->dimension ? lua_pushfstring(L, "a vector of %d", (int)v->dimension)
                            : lua_pushliteral(L, "the origin");
    if (taut_symbols_at(L, i)) return lua_pushliteral(L, "a symbol");
    if (taut_symbols_userdata(L, i, SYMBOL_FREE)) return lua_pushliteral(L, "a free start value");
    if (taut_symbols_userdata(L, i, SYMBOL_SHAPE)) return lua_pushliteral(L, "a shape");
    switch (lua_type(L, i)) {
    case LUA_TNONE: return lua_pushliteral(L, "nothing");
    case LUA_TNIL: return lua_pushliteral(L, "nil");
    case LUA_TTABLE: return lua_pushfstring(L, "a table of %I values", taut_tables_length(L, i));
    case LUA_TSTRING: return lua_pushliteral(L, "a text");
    default: return lua_pushfstring(L, "a %s", luaL_typename(L, i));
    }
}

static expr number_at(lua_State *L, int i, const char *who)
{
    graph *g = taut_script_of(L)->graph;
    double x = lua_tonumber(L, i);
    if (!isfinite(x)) taut_script_error(L, "%s is given the number %f; numbers must be finite", who, x);
    /* whole numbers are exact as they are, and frequent */
    if (x > -9e15 && x < 9e15 && x == (double)(int64_t)x) return taut_script_built(L, taut_expr_integer(g, (int64_t)x));
    wide value = lua_isinteger(L, i) ? (wide)lua_tointeger(L, i) : taut_wide_from_double(x);
    return taut_script_built(L, taut_expr_number(g, value));
}

expr taut_symbols_scalar(lua_State *L, int i, const char *who)
{
    if (lua_type(L, i) == LUA_TNUMBER) return number_at(L, i, who);
    expr e = taut_symbols_at(L, i);
    if (!e)
        taut_script_error(L, "%s needs a number or a scalar symbol here, got %s; %s", who, taut_symbols_describe(L, i),
                     taut_vectors_is_like(L, i) ? "take a component such as a.x, or norm(a)" : "check what was passed");
    return e;
}

static wide parameter_value(void *user, op o, kind k, uint32_t index)
{
    const model *m = user;
    (void)k;
    return o == OP_PARAMETER ? m->parameters[index].value : (wide)NAN;
}

wide taut_symbols_value(lua_State *L, expr e)
{
    script *s = taut_script_of(L);
    wide value = 0;
    if (taut_graph_node(s->graph, e)->op == OP_CONSTANT) return taut_graph_constant(s->graph, e);
    taut_script_check(L, taut_expr_value(s->graph, e, parameter_value, s->model, &value));
    return value;
}

expr taut_symbols_constant(lua_State *L, int i, const char *who)
{
    expr e = taut_symbols_scalar(L, i, who);
    if (!taut_expr_is_constant(taut_script_of(L)->graph, e))
        taut_script_error(L,
                     "%s needs a constant: a number, or an expression of numbers and parameters; it contains "
                     "coordinates or time",
                     who);
    return e;
}

int taut_symbols_is_variable(const script *s, expr e, kind k, uint32_t *index)
{
    const node *n = taut_graph_node(s->graph, e);
    if (n->op != OP_VARIABLE || n->b != (uint32_t)k) return 0;
    *index = n->a;
    return 1;
}

unsigned taut_symbols_kinds(lua_State *L, expr e)
{
    unsigned kinds = taut_expr_kinds(taut_script_of(L)->graph, e);
    /* An embedded point is made of coordinates. */
    if (kinds & 1u << KIND_EMBEDDED) kinds |= 1u << KIND_Q;
    if (kinds & 1u << KIND_CONTACT) kinds |= 1u << KIND_LAMBDA;
    if (kinds & 1u << KIND_EMBEDDED_DOT) kinds |= 1u << KIND_Q | 1u << KIND_W;
    return kinds;
}

/* ---- operators ---- */

static int is_literal(const graph *g, expr e)
{
    return taut_graph_node(g, e)->op == OP_CONSTANT;
}

static int arithmetic(lua_State *L, op o, const char *sign)
{
    graph *g = taut_script_of(L)->graph;
    expr a = taut_symbols_at(L, 1), b = taut_symbols_at(L, 2);
    if (!a || !b) {
        if ((!a && taut_vectors_is_like(L, 1)) || (!b && taut_vectors_is_like(L, 2)))
            return taut_vectors_arithmetic(L, o, sign);
        if (!a) a = taut_symbols_scalar(L, 1, sign);
        if (!b) b = taut_symbols_scalar(L, 2, sign);
    }
    if (o == OP_DIV && taut_expr_is_number(g, b, 0)) return taut_script_error(L, "division by zero; check the divisor");
    expr e = taut_script_built(L, taut_expr_binary(g, o, a, b));
    if (is_literal(g, a) && is_literal(g, b) && !is_literal(g, e)) /* the graph does not fold what is not finite */
        return taut_script_error(L, "%s of these numbers is not finite; check them", sign);
    return taut_symbols_push(L, e);
}

static int operator_add(lua_State *L) { return arithmetic(L, OP_ADD, "'+'"); }
static int operator_sub(lua_State *L) { return arithmetic(L, OP_SUB, "'-'"); }
static int operator_mul(lua_State *L) { return arithmetic(L, OP_MUL, "'*'"); }
static int operator_div(lua_State *L) { return arithmetic(L, OP_DIV, "'/'"); }
static int operator_pow(lua_State *L) { return arithmetic(L, OP_POW, "'^'"); }

static int operator_unm(lua_State *L)
{
    if (taut_vectors_is_like(L, 1)) return taut_vectors_negate(L);
    return taut_symbols_push(L, taut_expr_neg(taut_script_of(L)->graph, taut_symbols_scalar(L, 1, "'-'")));
}

static int operator_len(lua_State *L)
{
    return taut_script_error(L, "a scalar symbol has no length; '#' is for tables, strings, points and vectors");
}

static int operator_index(lua_State *L)
{
    expr e = taut_symbols_at(L, 1);
    const char *field = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    if (e && strcmp(field, "dot") == 0) return taut_symbols_push(L, taut_derivative_of_time(L, e));
    return taut_script_error(L, "a scalar symbol has no field '%s'; it has dot, its time derivative", field);
}

static int operator_newindex(lua_State *L)
{
    return taut_script_error(L, "symbols have no fields to set; start values are given in start{...}");
}

static int operator_tostring(lua_State *L)
{
    script *s = taut_script_of(L);
    char text[TAUT_ERROR_TEXT];
    expr e = taut_symbols_at(L, 1);
    if (!e) return luaL_argerror(L, 1, "symbol expected");
    taut_expr_print(s->graph, e, taut_model_namer, s->model, text, sizeof text);
    lua_pushstring(L, text);
    return 1;
}

/* "a" .. n with a param n would be "an". */
int taut_symbols_concat(lua_State *L)
{
    return taut_script_error(L, "'..' of a symbol: it has no value while the script runs; take option for a number, "
                           "tostring(...) for the formula");
}

/* ---- functions ---- */

static int one_operand(lua_State *L, op o)
{
    graph *g = taut_script_of(L)->graph;
    expr a = taut_symbols_scalar(L, 1, taut_op_name(o)), e = taut_expr_unary(g, o, a);
    if (e && is_literal(g, a) && !is_literal(g, e))
        return taut_script_error(L, "%s of this number is not finite; check its argument", taut_op_name(o));
    return taut_symbols_push(L, e);
}

static int two_operands(lua_State *L, op o)
{
    expr a = taut_symbols_scalar(L, 1, taut_op_name(o)), b = taut_symbols_scalar(L, 2, taut_op_name(o));
    return taut_symbols_push(L, taut_expr_binary(taut_script_of(L)->graph, o, a, b));
}

static int function_plain(lua_State *L)
{
    op o = (op)taut_functions_which(L);
    return taut_op_arity(o) == 1 ? one_operand(L, o) : two_operands(L, o);
}

static int function_atan(lua_State *L)
{
    return lua_isnoneornil(L, 2) ? one_operand(L, OP_ATAN) : two_operands(L, OP_ATAN2);
}

/* An operation on two, along a list: min, max. */
static int function_list(lua_State *L)
{
    op o = (op)taut_functions_which(L);
    int count = lua_gettop(L);
    expr e = taut_symbols_scalar(L, 1, taut_op_name(o));
    for (int i = 2; i <= count; i++)
        e = taut_script_built(
            L, taut_expr_binary(taut_script_of(L)->graph, o, e, taut_symbols_scalar(L, i, taut_op_name(o))));
    return taut_symbols_push(L, e);
}

/* How the functions of expr/ops.h are called: through what, most arguments, how many of them may be missing, what more
   arguments were meant to be. */
#define CALL_1_FUNCTION(meant) function_plain, 1, 0, meant
#define CALL_1_ATAN function_atan, 2, 1, NULL
#define CALL_1_INTERNAL NULL, 0, 0, NULL
#define CALL_2_FUNCTION(meant) function_plain, 2, 0, meant
#define CALL_2_LIST function_list, FUNCTION_ANY, 0, NULL
#define CALL_1(NAME, text, written, ...) { text, CALL_1_##written, 0, OP_##NAME },
#define CALL_2(NAME, text, written, ...) { text, CALL_2_##written, 0, OP_##NAME },

void taut_symbols_open(lua_State *L)
{
    static const luaL_Reg operators[] = {
        { "__add", operator_add },       { "__sub", operator_sub },           { "__mul", operator_mul },
        { "__div", operator_div },       { "__pow", operator_pow },           { "__unm", operator_unm },
        { "__lt", taut_compare_refuse },      { "__le", taut_compare_refuse },          { "__len", operator_len },
        { "__index", operator_index },   { "__newindex", operator_newindex }, { "__tostring", operator_tostring },
        { "__concat", taut_symbols_concat }, { NULL, NULL },
    };
    static const script_function functions[] = { OPERATIONS_FUNCTIONS(CALL_1, CALL_2) };
    script *s = taut_script_of(L);
    lua_pushlightuserdata(L, NULL);
    push_metatable(L, "symbol", operators);
    lua_setmetatable(L, -2); /* of all light ones */
    lua_pop(L, 1);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].call) taut_functions_register(L, &functions[i], 1);
    taut_symbols_push(L, taut_expr_number(s->graph, WIDE_PI));
    lua_setglobal(L, "pi");
}
