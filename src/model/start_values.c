/* Start values: start{...}, start_points{...}, free(guess), solve_for(...). */
#include "model/script.h"

#include <stdio.h>
#include <string.h>


/* The meaning of a key of start: coordinates, or their velocities or momenta, or the angular velocity of a rotation. */
typedef struct {
    kind k;
    uint32_t first, size;
    int is_omega;
} target;

/* ---- keys ---- */

/* Narrows the target to one component. Returns 1 if there is one of that name. */
static int narrow(const group *owner, const char *part, target *t)
{
    const char *letters = owner->type == GROUP_ROTATION ? "wxyz" : owner->size == 3 ? "xyz" : "xy";
    const char *found = part[0] && !part[1] ? strchr(letters, part[0]) : NULL;
    if (!found || owner->type == GROUP_SCALAR || t->size != owner->size) return 0;
    t->first += (uint32_t)(found - letters);
    t->size = 1;
    return 1;
}

/* "a", "a.x", "a.dot", "a.x.dot", "a.dot.x", "r.omega". Returns 1 if it is one of them. `key` is taken apart. */
static int parse_coordinate(lua_State *L, char *key, target *t)
{
    char *part = strchr(key, '.');
    if (part) *part++ = 0;
    const group *owner = taut_declare_find_group(L, key);
    if (!owner) return 0;
    *t = (target){ KIND_Q, owner->first, owner->size, 0 };
    while (part) {
        char *next = strchr(part, '.');
        if (next) *next++ = 0;
        if (strcmp(part, "dot") == 0 && t->k == KIND_Q) t->k = KIND_W;
        else if (strcmp(part, "omega") == 0 && owner->type == GROUP_ROTATION && t->k == KIND_Q && t->size == 4 && !next)
            t->k = KIND_W, t->is_omega = 1;
        else if (!narrow(owner, part, t)) return 0;
        part = next;
    }
    return 1;
}

static void parse_name(lua_State *L, const char *name, target *t)
{
    char key[SCRIPT_LABEL_SIZE];
    if (strlen(name) < sizeof key) {
        strcpy(key, name);
        if (parse_coordinate(L, key, t)) {
            if (t->k == KIND_W) taut_derivative_use_velocity(L);
            return;
        }
        if (strncmp(name, "p.", 2) == 0) {
            strcpy(key, name + 2);
            if (parse_coordinate(L, key, t) && t->k == KIND_Q) {
                t->k = KIND_W;
                taut_derivative_use_momentum(L);
                return;
            }
        }
    }
    size_t length = strcspn(name, ".");
    char first[SCRIPT_LABEL_SIZE];
    snprintf(first, sizeof first, "%.*s", (int)(length < sizeof first ? length : sizeof first - 1), name);
    if (taut_embed_find(L, first))
        taut_script_error(L,
                     "start: '%s' is an embedded point (line %d), which follows from the coordinates; give their start",
                     first, taut_embed_find(L, first)->line);
    taut_script_error(L, "start: unknown name '%s'; give a coordinate or point declared above, as a, a.x, a.dot or p.a",
                 name);
}

/* A key that is a symbol: a, a.x, a.dot, momentum(a), r.omega. Returns 0 when it is an expression of them. */
static int parse_symbol(lua_State *L, int i, target *t)
{
    script *s = taut_script_of(L);
    const expr e = taut_symbols_at(L, i);
    const vector *v = taut_vectors_at(L, i);
    uint32_t index;
    if (v && v->omega_of) {
        const group *owner = &s->model->groups[v->omega_of - 1];
        *t = (target){ KIND_W, owner->first, 4, 1 };
        return 1;
    }
    uint32_t size = v ? v->dimension : e ? 1 : 0;
    if (!size) return 0;
    for (kind k = KIND_Q; k <= KIND_W; k++) {
        if (!taut_symbols_is_variable(s, v ? v->at[0] : e, k, &index)) continue;
        *t = (target){ k, index, size, 0 };
        for (uint32_t j = 1; j < size; j++)
            if (!taut_symbols_is_variable(s, v->at[j], k, &index) || index != t->first + j) return 0;
        return 1;
    }
    return 0;
}

static void target_name(const script *s, const target *t, char *buffer, size_t size)
{
    const model *m = s->model;
    const group *owner = &m->groups[m->group_of[t->first]];
    char name[SCRIPT_NAME_SIZE + 8];
    if (t->size == owner->size) snprintf(name, sizeof name, "%s", owner->name);
    else taut_model_coordinate_name(m, t->first, name, sizeof name);
    int momentum = t->k == KIND_W && s->momentum_line;
    snprintf(buffer, size, "%s%s%s", momentum ? "p." : "", name,
             t->is_omega                   ? ".omega"
             : t->k == KIND_W && !momentum ? ".dot"
                                           : "");
}

/* What a value is given for, in messages: coordinates, or the multiplier of a constraint or contact. Its name is made
   when it is needed. */
typedef struct {
    const target *of;       /* NULL: a multiplier */
    const char *constraint;
    int line;               /* of the call */
} purpose;

/* Pushes the name. */
static const char *purpose_name(lua_State *L, const purpose *p)
{
    char name[SCRIPT_LABEL_SIZE];
    if (!p->of) return lua_pushfstring(L, "lambda.%s", p->constraint);
    target_name(taut_script_of(L), p->of, name, sizeof name);
    return lua_pushstring(L, name);
}

/* ---- values ---- */

static void put_value(lua_State *L, start_value *place, kind k, uint32_t index, start_value value)
{
    if (place->type != START_MISSING) {
        char name[SCRIPT_LABEL_SIZE];
        target t = { k, index, 1, 0 };
        target_name(taut_script_of(L), &t, name, sizeof name);
        taut_script_error_at(L, value.line, "the start value of '%s' is given already (line %d); give it once", name,
                        place->line);
    }
    *place = value;
}

static void set_value(lua_State *L, kind k, uint32_t index, start_value value)
{
    model *m = taut_script_of(L)->model;
    put_value(L, k == KIND_Q ? &m->start_q[index] : &m->start_w[index], k, index, value);
}

/* The value on top of the stack: a number, a constant expression, or free(guess). */
static start_value one_value(lua_State *L, const purpose *p)
{
    script *s = taut_script_of(L);
    start_value value = { 0, START_GIVEN, p->line };
    if (lua_type(L, -1) == LUA_TNUMBER) { /* a finite one, or refused */
        value.value = taut_symbols_scalar(L, -1, "start");
        return value;
    }
    int top = lua_gettop(L);
    const expr *guess = taut_symbols_userdata(L, -1, SYMBOL_FREE);
    if (guess) {
        value.value = *guess;
        value.type = START_FREE;
        return value;
    }
    if (!taut_symbols_at(L, -1))
        taut_script_error(L, "start of '%s' needs numbers, got %s; give a number, a constant expression or free(guess)",
                     purpose_name(L, p), taut_symbols_describe(L, top));
    value.value = taut_symbols_scalar(L, -1, "start");
    if (!taut_expr_is_constant(s->graph, value.value))
        taut_script_error(L, "start of '%s' contains coordinates or time; give numbers and parameters, or free(guess)",
                     purpose_name(L, p));
    wide x = taut_symbols_value(L, value.value);
    if (!(x - x == 0)) taut_script_error(L, "start of '%s' is not finite; check the expression", purpose_name(L, p));
    return value;
}

/* The components of the value on top of the stack, `size` in all, at most 4. */
static void component_values(lua_State *L, const purpose *p, uint32_t size, start_value *values)
{
    const vector *v = taut_vectors_at(L, -1);
    const int top = lua_gettop(L), is_table = lua_type(L, top) == LUA_TTABLE;
    if (size == 1 && !v && !is_table) {
        values[0] = one_value(L, p);
        return;
    }
    if (!v && !is_table)
        taut_script_error(L, "start of '%s' needs %d values, got %s; write {%s}", purpose_name(L, p),
                          (int)size, taut_symbols_describe(L, top),
                          size == 2   ? "x, y"
                          : size == 3 ? "x, y, z"
                                      : "w, x, y, z");
    lua_Integer count = v ? (v->dimension ? v->dimension : size) : taut_tables_length(L, -1);
    if (count != size || size == 1)
        taut_script_error(L, size == 1 ? "start of '%s' needs %d number, got %s; give a number, not a table"
                                  : "start of '%s' needs %d values, got %s; give one for each coordinate",
                     purpose_name(L, p), (int)size,
                     size == 1 ? taut_symbols_describe(L, top) : lua_pushfstring(L, "%I", count));
    if (!v) taut_functions_check_list(L, top, "start");
    for (uint32_t i = 0; i < size; i++) {
        if (v) taut_symbols_push(L, v->at[i]);
        else lua_rawgeti(L, top, i + 1);
        values[i] = one_value(L, p);
        lua_settop(L, top);
    }
}

static void add_omega(lua_State *L, const purpose *p)
{
    script *s = taut_script_of(L);
    omega_start o = { s->model->group_of[p->of->first], { 0, 0, 0 }, p->line };
    start_value values[3];
    component_values(L, p, 3, values);
    for (uint32_t i = 0; i < 3; i++) {
        if (values[i].type == START_FREE)
            taut_script_error(
                L, "free in the start of '%s' is not supported; give numbers, or start values of %s.dot with free",
                purpose_name(L, p), s->model->groups[o.group].name);
        o.value[i] = values[i].value;
    }
    taut_script_check(L,
                      taut_mem_grow(s->context, &s->omegas, &s->omega_capacity, s->omega_count + 1, sizeof *s->omegas));
    s->omegas[s->omega_count++] = o;
}

/* The meaning of the key at -2 of `who`. */
static void get_key(lua_State *L, const char *who, target *t)
{
    if (lua_type(L, -2) == LUA_TSTRING) parse_name(L, lua_tostring(L, -2), t);
    else if (lua_type(L, -2) == LUA_TNUMBER)
        taut_script_error(L, "%s: value %I has no name; write %s { a = {...} }", who, lua_tointeger(L, -2), who);
    else if (!parse_symbol(L, -2, t))
        taut_script_error(
            L, "%s: a key must be a coordinate, a point, a velocity or a momentum, or its name; this is %s", who,
            taut_symbols_at(L, -2) || taut_vectors_at(L, -2) ? "an expression of them" : taut_symbols_describe(L, -2));
}

/* The guess of the multiplier that the key at i is: "lambda.rod1", or the symbol that constraint() or contact() gave,
   with its name. NULL if it is none. */
static expr *multiplier_key(lua_State *L, int i, const char **name)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    uint32_t index;
    int is_contact = 0;
    const expr e = taut_symbols_at(L, i);
    if (e) {
        is_contact = taut_symbols_is_variable(s, e, KIND_CONTACT, &index);
        if (!is_contact && !taut_symbols_is_variable(s, e, KIND_LAMBDA, &index)) return NULL;
    } else {
        if (lua_type(L, i) != LUA_TSTRING || strncmp(lua_tostring(L, i), "lambda.", 7) != 0 ||
            taut_declare_find_group(L, "lambda"))
            return NULL;
        is_contact = taut_names_find(&s->contact_names, lua_tostring(L, i) + 7, &index);
        if (!is_contact && !taut_names_find(&s->constraint_names, lua_tostring(L, i) + 7, &index))
            taut_script_error(L, "start: there is no constraint '%s'; declare it above", lua_tostring(L, i) + 7);
    }
    *name = is_contact ? m->contacts[index].name : m->constraints[index].name;
    return is_contact ? &m->contacts[index].guess : &m->constraints[index].guess;
}

/* The guess of a multiplier: the value on top of the stack. */
static void add_guess(lua_State *L, expr *guess, const char *of, int line)
{
    const purpose p = { NULL, of, line };
    start_value value = one_value(L, &p);
    if (*guess) taut_script_error(L, "the start value of '%s' is given already; give it once", purpose_name(L, &p));
    *guess = value.value;
}

/* One entry of start: the key at -2, the value on top. */
static void add_entry(lua_State *L, int line)
{
    target t;
    get_key(L, "start", &t);
    const purpose p = { &t, NULL, line };
    if (t.is_omega) {
        add_omega(L, &p);
        return;
    }
    start_value values[4];
    component_values(L, &p, t.size, values);
    for (uint32_t i = 0; i < t.size; i++) set_value(L, t.k, t.first + i, values[i]);
}

/* Room for the second points of all coordinates. */
static void reserve_points(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    size_t before = m->start_q1_capacity;
    taut_script_check(L, taut_mem_grow(s->context, &m->start_q1, &m->start_q1_capacity, m->coordinate_count,
                                       sizeof *m->start_q1));
    for (size_t i = before; i < m->start_q1_capacity; i++) m->start_q1[i] = (start_value){ 0, START_MISSING, 0 };
}

/* One entry of start_points: the key at -2, on top a table of two values, at t = 0 and a step later. */
static void add_points(lua_State *L, int line)
{
    model *m = taut_script_of(L)->model;
    target t;
    char name[SCRIPT_LABEL_SIZE];
    get_key(L, "start_points", &t);
    const purpose p = { &t, NULL, line };
    target_name(taut_script_of(L), &t, name, sizeof name);
    if (t.k != KIND_Q)
        taut_script_error(L, "start_points gives positions, not '%s'; the momenta follow from the two points", name);
    if (lua_type(L, -1) != LUA_TTABLE || taut_tables_length(L, -1) != 2)
        taut_script_error(L, "start_points of '%s' needs two %s, at t = 0 and a step later, got %s; write %s", name,
                     t.size == 1 ? "values" : "points", taut_symbols_describe(L, -1),
                     t.size == 1 ? "{x0, x1}" : "{{...}, {...}}");
    taut_functions_check_list(L, -1, "start_points");
    reserve_points(L);
    for (int point = 0; point < 2; point++) {
        start_value values[4];
        lua_rawgeti(L, -1, point + 1);
        component_values(L, &p, t.size, values);
        for (uint32_t i = 0; i < t.size; i++)
            put_value(L, (point ? m->start_q1 : m->start_q) + t.first + i, KIND_Q, t.first + i, values[i]);
        lua_pop(L, 1);
    }
}

/* Pushes key and value when the table at 1 has one entry. */
static int has_one_entry(lua_State *L)
{
    lua_settop(L, 1);
    lua_pushnil(L);
    if (!lua_next(L, 1)) return 0;
    lua_pushvalue(L, 2);
    if (!lua_next(L, 1)) return 1;
    lua_settop(L, 1);
    return 0;
}

/* The entry whose key and value are on top. */
static void use_entry(lua_State *L, void (*add)(lua_State *L, int line), int line)
{
    const char *name;
    expr *guess = multiplier_key(L, -2, &name);
    if (guess) add_guess(L, guess, name, line);
    else add(L, line);
}

/* Calls add for every entry of the table; guesses of multipliers are the same in start and in start_points. */
static int each_entry(lua_State *L, void (*add)(lua_State *L, int line))
{
    int line = taut_script_line(L);
    if (has_one_entry(L)) { /* most often, when a loop makes a model: no list of keys is needed */
        taut_script_charge(L, 20);
        use_entry(L, add, line);
        return 0;
    }
    taut_tables_keys(L, 1);
    int keys = lua_gettop(L);
    const lua_Integer count = taut_tables_length(L, keys);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, 1);
        use_entry(L, add, line);
        lua_settop(L, keys);
    }
    return 0;
}

static int start_start(lua_State *L)
{
    script *s = taut_script_of(L);
    if (lua_type(L, 1) != LUA_TTABLE)
        return taut_script_error(L, "start needs a table, got %s; write start { a = {0, 0, 1} }",
                                 taut_symbols_describe(L, 1));
    if (s->model->start_points_line)
        return taut_script_error(L, "start in a model with start_points (line %d); give one of them",
                            s->model->start_points_line);
    if (!s->start_line) s->start_line = taut_script_line(L);
    return each_entry(L, add_entry);
}

static int start_start_points(lua_State *L)
{
    script *s = taut_script_of(L);
    if (lua_type(L, 1) != LUA_TTABLE)
        return taut_script_error(L,
                            "start_points needs a table, got %s; write start_points { a = {{0, 0, 1}, {0, 0.1, 1}} }",
                            taut_symbols_describe(L, 1));
    if (s->start_line)
        return taut_script_error(L, "start_points in a model with start (line %d); give one of them", s->start_line);
    if (!s->model->start_points_line) s->model->start_points_line = taut_script_line(L);
    return each_entry(L, add_points);
}

static int start_free(lua_State *L)
{
    script *s = taut_script_of(L);
    expr guess = lua_isnoneornil(L, 1) ? taut_script_built(L, taut_expr_integer(s->graph, 0))
                                       : taut_symbols_constant(L, 1, "free");
    *(expr *)taut_symbols_new(L, SYMBOL_FREE, sizeof guess, 0) = guess;
    return 1;
}

static int start_solve_for(lua_State *L)
{
    script *s = taut_script_of(L);
    int count = lua_gettop(L);
    if (!count)
        return taut_script_error(L, "solve_for got nothing; name what is to be solved for: solve_for(a.x, \"b.dot\")");
    for (int i = 1; i <= count; i++) {
        target t;
        if (lua_type(L, i) == LUA_TSTRING) parse_name(L, lua_tostring(L, i), &t);
        else if (!parse_symbol(L, i, &t))
            return taut_script_error(
                L, "solve_for takes coordinates, points, velocities or momenta; argument %d is %s", i,
                taut_symbols_at(L, i) || taut_vectors_at(L, i) ? "an expression of them" : taut_symbols_describe(L, i));
        if (t.is_omega)
            return taut_script_error(L,
                                "solve_for of an angular velocity is not supported; solve for the components of r.dot");
        for (uint32_t j = 0; j < t.size; j++) {
            taut_script_check(L, taut_mem_grow(s->context, &s->free_marks, &s->free_mark_capacity,
                                               s->free_mark_count + 1, sizeof *s->free_marks));
            s->free_marks[s->free_mark_count++] = (free_mark){ t.k, t.first + j, taut_script_line(L) };
        }
    }
    return 0;
}

/* ---- the end of the script ---- */

static void finish_omega(lua_State *L, const omega_start *o)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    const group *owner = &m->groups[o->group];
    expr r[4], velocity[4];
    for (uint32_t i = 0; i < 4; i++) {
        const start_value *value = &m->start_q[owner->first + i];
        if (value->type != START_GIVEN)
            taut_script_error_at(
                L, o->line,
                "the start of '%s.omega' needs the start of '%s' as numbers; add %s = {w, x, y, z} to start",
                owner->name, owner->name, owner->name);
        r[i] = value->value;
    }
    taut_rotation_velocity(s->graph, r, o->value, velocity);
    for (uint32_t i = 0; i < 4; i++)
        set_value(L, KIND_W, owner->first + i,
                  (start_value){ taut_script_built(L, velocity[i]), START_GIVEN, o->line });
}

void taut_start_finish(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    char name[SCRIPT_LABEL_SIZE];
    expr zero = taut_script_built(L, taut_expr_integer(s->graph, 0));
    for (size_t i = 0; i < s->omega_count; i++) finish_omega(L, &s->omegas[i]);
    if (m->start_points_line) reserve_points(L);
    for (size_t i = 0; i < s->free_mark_count; i++) {
        const free_mark *mark = &s->free_marks[i];
        start_value *value = mark->k == KIND_Q ? &m->start_q[mark->index] : &m->start_w[mark->index];
        if (value->type == START_MISSING) *value = (start_value){ zero, START_FREE, mark->line };
        value->type = START_FREE;
        if (m->start_points_line && mark->k == KIND_Q && m->start_q1[mark->index].type != START_MISSING)
            m->start_q1[mark->index].type = START_FREE;
    }
    if (m->start_points_line && m->form != FORM_LAGRANGIAN)
        taut_script_error_at(L, m->start_points_line,
                        "start_points needs a Lagrangian, from which the momenta follow; give momenta in start "
                        "instead");
    for (uint32_t i = 0; i < m->coordinate_count; i++) {
        const group *owner = &m->groups[m->group_of[i]];
        if (m->start_w[i].type == START_MISSING) m->start_w[i].value = zero;
        if (m->start_q[i].type != START_MISSING) continue;
        taut_model_coordinate_name(m, i, name, sizeof name);
        if (m->start_points_line)
            taut_script_error_at(L, owner->line, "no start value for '%s'; add %s = %s to start_points", name,
                                 owner->name, owner->type == GROUP_SCALAR ? "{x0, x1}" : "{{...}, {...}}");
        taut_script_error_at(L, owner->line, "no start value for '%s'; add %s = %s to start", name, owner->name,
                        owner->type == GROUP_SCALAR ? "0" : "{...}");
    }
}

void taut_start_open(lua_State *L)
{
    static const luaL_Reg none[] = { { NULL, NULL } };
    taut_symbols_metatable(L, "free value", none, SYMBOL_FREE);
    static const script_function functions[] = {
        { "start", start_start, 1, 0,
          "put all in one table, start { a = {0, 0, 1}, b = {1, 0, 0} }, or call it several times", 0, 0 },
        { "start_points", start_start_points, 1, 0, "put all in one table, or call it several times", 0, 0 },
        { "free", start_free, 1, 1, "it is one value: a = {free(1), free(2)}", 0, 0 },
        { "solve_for", start_solve_for, FUNCTION_ANY, 0, NULL, 0, 0 },
    };
    taut_functions_register(L, functions, sizeof functions / sizeof *functions);
}
