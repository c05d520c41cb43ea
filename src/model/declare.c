/* Declarations, the parts of a model: title, param, option, point, coordinate, rotation, momentum, time. */
#include "model/script.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

/* Options are looked up one by one: there are few of them. */
#define OPTIONS 100

/* ---- names ---- */

/* Names become columns of tables: letters, digits and _, and any letters beyond ASCII. */
static int is_identifier(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)name[i];
        if (!(c >= 0x80 || c == '_' || isalpha(c) || (i > 0 && isdigit(c)))) return 0;
    }
    return size > 0 && taut_text_all_visible(name);
}

const char *taut_declare_name(lua_State *L, int i, const char *what)
{
    size_t size;
    if (lua_type(L, i) != LUA_TSTRING)
        taut_script_error(L, "%s needs a name, a string in quotes, got %s; write %s(\"name\"%s", what,
                     taut_symbols_describe(L, i), what,
                     strcmp(what, "point") != 0 && strcmp(what, "coordinate") != 0 && strcmp(what, "rotation") != 0
                         ? ", ...)" : ")");
    const char *name = lua_tolstring(L, i, &size);
    if (size > SCRIPT_NAME_SIZE)
        taut_script_error(L, "this name for %s is longer than %d bytes; choose a shorter one", what, SCRIPT_NAME_SIZE);
    if (!is_identifier(name, size))
        taut_script_error(L, "%s: '%s' cannot be a name; use letters, digits and _, a letter first", what, name);
    return name;
}

const group *taut_declare_find_group(lua_State *L, const char *name)
{
    script *s = taut_script_of(L);
    uint32_t index;
    return taut_names_find(&s->group_names, name, &index) ? &s->model->groups[index] : NULL;
}

static int taken(lua_State *L, const char *name, const char *what, int line)
{
    return taut_script_error(L, "the name '%s' is taken by the %s of line %d; choose another", name, what, line);
}

/* Coordinates, embedded points, parameters and options share their names. */
void taut_declare_check_unused(lua_State *L, const char *name)
{
    script *s = taut_script_of(L);
    uint32_t index;
    if (taut_names_find(&s->group_names, name, &index)) taken(L, name, "coordinate", s->model->groups[index].line);
    if (taut_names_find(&s->parameter_names, name, &index))
        taken(L, name, "parameter", s->model->parameters[index].line);
    if (taut_names_find(&s->embedding_names, name, &index))
        taken(L, name, "embedded point", s->model->embeddings[index].line);
    for (size_t i = 0; i < s->option_count; i++)
        if (strcmp(s->options[i].name, name) == 0) taken(L, name, "option", s->options[i].line);
}

/* ---- title, units, time ---- */

/* units{length = "m", time = "s", mass = "kg"}: names for axes; numbers are as they are. */
static int declare_units(lua_State *L)
{
    static const char *const names[UNITS] = { "length", "time", "mass" };
    model *m = taut_script_of(L)->model;
    if (lua_type(L, 1) != LUA_TTABLE)
        return taut_script_error(L, "units needs a table, got %s; write units { length = \"m\", time = \"s\" }",
                                 taut_symbols_describe(L, 1));
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        int k = 0;
        while (k < UNITS && (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), names[k]) != 0)) k++;
        if (k == UNITS)
            return taut_script_error(L, "units knows length, time and mass, not %s; remove it",
                                     lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "this");
        if (lua_type(L, -1) != LUA_TSTRING || !*lua_tostring(L, -1) || lua_rawlen(L, -1) > 20
            || !taut_text_all_visible(lua_tostring(L, -1)))
            return taut_script_error(L, "the unit of %s needs a short string, got %s; write %s = \"...\"", names[k],
                                     taut_symbols_describe(L, -1), names[k]);
        if (m->units[k]) return taut_script_error(L, "the model has a unit of %s already; give one", names[k]);
        m->units[k] = taut_script_text(L, lua_tostring(L, -1));
    }
    return 0;
}

static int declare_title(lua_State *L)
{
    script *s = taut_script_of(L);
    if (lua_type(L, 1) != LUA_TSTRING)
        return taut_script_error(L, "title needs a string, got %s; write title \"...\"", taut_symbols_describe(L, 1));
    if (strlen(lua_tostring(L, 1)) != lua_rawlen(L, 1) || !taut_text_all_visible(lua_tostring(L, 1)))
        return taut_script_error(
            L, "the title has a character that cannot be seen; write it in one line of plain text");
    if (s->model->title) return taut_script_error(L, "the model has a title already; give one");
    s->model->title = taut_script_text(L, lua_tostring(L, 1));
    return 0;
}

static int declare_time(lua_State *L)
{
    return taut_symbols_push(L, taut_expr_variable(taut_script_of(L)->graph, KIND_T, 0));
}

/* ---- parameters and options ---- */

/* The value that the settings give to this name, or NULL. The last one counts. */
static const char *defined(script *s, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < s->definition_count; i++) {
        if (strcmp(s->definitions[i].name, name) != 0) continue;
        s->definitions[i].used = 1;
        value = s->definitions[i].value;
    }
    return value;
}

/* Inputs change between steps; what else stands on them would no longer be true. */
static void check_no_input(lua_State *L, expr e, int line, const char *where)
{
    script *s = taut_script_of(L);
    expr *list;
    size_t count;
    if (!s->model->input_count || !e) return;
    taut_script_check(L, taut_expr_reachable(s->graph, &e, 1, &list, &count));
    const parameter *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const node *n = taut_graph_node(s->graph, list[i]);
        if (n->op == OP_PARAMETER && s->model->parameters[n->a].is_input) found = &s->model->parameters[n->a];
    }
    taut_expr_list_free(s->graph, list);
    if (found)
        taut_script_error_at(L, line,
                             "input '%s' stands in %s; inputs change between steps, and stand in forces, rates and "
                             "observables only: write force(x, %s)", found->name, where, found->name);
}

static wide defined_number(lua_State *L, const char *name, const char *text)
{
    wide value;
    if (taut_wide_parse(text, &value))
        taut_script_error(L, "setting %s=%s: '%s' is not a number; give a number such as 0.5", name, text, text);
    return value;
}

/* param or input */
static int declare_param(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    const int is_input = taut_functions_which(L);
    const char *what = is_input ? "input" : "param", *name = taut_declare_name(L, 1, what);
    taut_declare_check_unused(L, name);
    if (lua_type(L, 2) != LUA_TNUMBER && !taut_symbols_at(L, 2))
        return taut_script_error(L, "%s '%s' needs a value, a number, got %s; write %s(\"%s\", 1.0)", what, name,
                            taut_symbols_describe(L, 2), what, name);
    if (lua_type(L, 2) == LUA_TNUMBER && !isfinite(lua_tonumber(L, 2)))
        return taut_script_error(L, "%s '%s' is %f; its value must be finite", what, name, lua_tonumber(L, 2));
    expr e = taut_symbols_constant(L, 2, what);
    check_no_input(L, e, taut_script_line(L), "the value of a param or input");
    wide value = taut_symbols_value(L, e);
    const char *text = defined(s, name);
    if (text) value = defined_number(L, name, text);
    if (!(value - value == 0)) return taut_script_error(L, "%s '%s' is not finite; give it a finite value", what, name);
    taut_script_check(L, taut_mem_grow(s->context, &m->parameters, &m->parameter_capacity, m->parameter_count + 1,
                                       sizeof *m->parameters));
    size_t index = m->parameter_count;
    m->parameters[index] = (parameter){ .name = taut_script_text(L, name), .value = value, .is_set = text != NULL,
                                        .otherwise = e, .line = taut_script_line(L), .is_input = is_input };
    m->parameter_count++;
    m->input_count += (size_t)is_input;
    taut_script_check(L, taut_names_add(s->context, &s->parameter_names, index));
    return taut_symbols_push(L, taut_expr_parameter(s->graph, (uint32_t)index));
}

void taut_declare_finish(lua_State *L)
{
    script *s = taut_script_of(L);
    const model *m = s->model;
    if (!m->input_count) return;
    for (size_t i = 0; i < m->summand_count; i++)
        check_no_input(L, m->summands[i].value, m->summands[i].line,
                       m->form == FORM_HAMILTONIAN ? "the Hamiltonian" : "the Lagrangian");
    for (size_t i = 0; i < m->constraint_count; i++)
        check_no_input(L, m->constraints[i].value, m->constraints[i].line, "a constraint");
    for (size_t i = 0; i < m->chart_count; i++) check_no_input(L, m->chart[i], s->last_line, "an embedded point");
    for (size_t i = 0; i < m->contact_count; i++) {
        const contact *c = &m->contacts[i];
        const expr parts[] = { c->gap, c->restitution, c->friction, c->width, c->slide[0], c->slide[1], c->roll,
                               c->roll_width, c->arm[0], c->arm[1], c->arm[2] };
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) check_no_input(L, parts[k], c->line, "a contact");
    }
    for (uint32_t i = 0; i < m->coordinate_count; i++) {
        check_no_input(L, m->start_q[i].value, m->start_q[i].line, "a start value");
        check_no_input(L, m->start_w[i].value, m->start_w[i].line, "a start value");
    }
}

static int boolean_option(lua_State *L, const char *name, const char *text)
{
    int yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    if (!yes && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
        return taut_script_error(L, "setting %s=%s: option '%s' is true or false; give one of them", name, text, name);
    lua_pushboolean(L, yes);
    return 1;
}

static int number_option(lua_State *L, const char *name, const char *text)
{
    double value = (double)defined_number(L, name, text);
    if (!isfinite(value))
        return taut_script_error(L, "setting %s=%s: option '%s' must be finite; give a finite number", name, text,
                                 name);
    if (lua_isinteger(L, 2) && value != floor(value)) { /* 0 may mean 0.0; equality.c checks loops */
        script *s = taut_script_of(L);
        s->fraction = s->options[s->option_count - 1].name;
        s->fraction_value = value;
    }
    if (lua_isinteger(L, 2) && value == floor(value) && fabs(value) < 9e15) lua_pushinteger(L, (lua_Integer)value);
    else lua_pushnumber(L, value);
    return 1;
}

/* option(name, default): a plain value of the script that a setting may change; its type is that of the default. */
static int declare_option(lua_State *L)
{
    script *s = taut_script_of(L);
    const char *name = taut_declare_name(L, 1, "option");
    taut_declare_check_unused(L, name);
    if (s->option_count >= OPTIONS)
        return taut_script_error(L, "more than %d options; a param or a table serves for more", OPTIONS);
    taut_script_check(
        L, taut_mem_grow(s->context, &s->options, &s->option_capacity, s->option_count + 1, sizeof *s->options));
    s->options[s->option_count] = (option_name){ taut_script_text(L, name), taut_script_line(L) };
    s->option_count++;
    const char *text = defined(s, name);
    int type = lua_type(L, 2);
    if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN)
        return taut_script_error(
            L, "option '%s' needs a default, a number, a string or true/false, got %s; write option(\"%s\", 100)", name,
            taut_symbols_describe(L, 2), name);
    if (!text) lua_settop(L, 2);
    else if (type == LUA_TBOOLEAN) boolean_option(L, name, text);
    else if (type == LUA_TNUMBER) number_option(L, name, text);
    else lua_pushstring(L, text);
    return 1;
}

/* ---- coordinates ---- */

/* Columns of the results that a coordinate, or the components of a point, would collide with. */
void taut_declare_check_column(lua_State *L, const char *name)
{
    static const char *const columns[] = { "t",        "energy",          "constraint", "velocity_constraint",
                                           "momentum", "angular_momentum" };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(name, columns[i]) == 0)
            taut_script_error(
                L, "'%s' is a column of every result and cannot be the name of a coordinate; choose another", name);
}

/* Adds a group and its coordinates; returns the index of the first. */
static uint32_t add_group(lua_State *L, const char *what, group_type type, uint32_t size)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    const char *name = taut_declare_name(L, 1, what);
    taut_declare_check_unused(L, name);
    taut_declare_check_column(L, name);
    uint32_t first = m->coordinate_count;
    size_t count = (size_t)first + size;
    taut_script_check(L,
                      taut_mem_grow(s->context, &m->groups, &m->group_capacity, m->group_count + 1, sizeof *m->groups));
    taut_script_check(L, taut_mem_grow(s->context, &m->group_of, &m->group_of_capacity, count, sizeof *m->group_of));
    taut_script_check(L, taut_mem_grow(s->context, &m->start_q, &m->start_q_capacity, count, sizeof *m->start_q));
    taut_script_check(L, taut_mem_grow(s->context, &m->start_w, &m->start_w_capacity, count, sizeof *m->start_w));
    m->groups[m->group_count] = (group){ taut_script_text(L, name), type, first, size, taut_script_line(L), 0 };
    for (size_t i = first; i < count; i++) {
        m->group_of[i] = (uint32_t)m->group_count;
        m->start_q[i] = m->start_w[i] = (start_value){ 0, START_MISSING, 0 };
    }
    m->coordinate_count = (uint32_t)count;
    m->group_count++;
    taut_script_check(L, taut_names_add(s->context, &s->group_names, m->group_count - 1));
    return first;
}

static void fill(script *s, vector *v, kind k, uint32_t first, uint32_t size)
{
    *v = (vector){ .dimension = size };
    for (uint32_t i = 0; i < size; i++) v->at[i] = taut_expr_variable(s->graph, k, first + i);
}

static int declare_coordinate(lua_State *L)
{
    uint32_t first = add_group(L, "coordinate", GROUP_SCALAR, 1);
    return taut_symbols_push(L, taut_expr_variable(taut_script_of(L)->graph, KIND_Q, first));
}

static int declare_point(lua_State *L)
{
    vector v;
    uint32_t size = 3;
    if (!lua_isnoneornil(L, 2)) {
        double wanted = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : 0;
        if (wanted != 2 && wanted != 3)
            return taut_script_error(
                L, "a point has 2 or 3 coordinates; write point(\"a\") in space, point(\"a\", 2) in the plane");
        size = (uint32_t)wanted;
    }
    uint32_t first = add_group(L, "point", GROUP_POINT, size);
    fill(taut_script_of(L), &v, KIND_Q, first, size);
    return taut_vectors_push(L, &v);
}

/* Four coordinates, and the constraint that they stay a unit quaternion. */
static int declare_rotation(lua_State *L)
{
    script *s = taut_script_of(L);
    graph *g = s->graph;
    vector r;
    uint32_t first = add_group(L, "rotation", GROUP_ROTATION, 4);
    fill(s, &r, KIND_Q, first, 4);
    expr sum = taut_expr_integer(g, 0);
    for (int i = 0; i < 4; i++) sum = taut_expr_add(g, sum, taut_expr_powi(g, r.at[i], 2));
    taut_declare_constraint(L, lua_tostring(L, 1), taut_expr_sub(g, sum, taut_expr_integer(g, 1)), taut_script_line(L));
    return taut_vectors_push(L, &r);
}

/* momentum(x), momentum(a): the partner of a coordinate, in Hamiltonian and rate models. */
static int declare_momentum(lua_State *L)
{
    script *s = taut_script_of(L);
    const expr e = taut_symbols_at(L, 1);
    const vector *v = taut_vectors_at(L, 1);
    uint32_t index;
    if (e && taut_symbols_is_variable(s, e, KIND_Q, &index)) {
        taut_derivative_use_momentum(L);
        return taut_symbols_push(L, taut_expr_variable(s->graph, KIND_W, index));
    }
    vector p = { .dimension = v ? v->dimension : 0 };
    for (uint32_t i = 0; i < p.dimension; i++) {
        if (!taut_symbols_is_variable(s, v->at[i], KIND_Q, &index)) p.dimension = 0;
        else p.at[i] = taut_expr_variable(s->graph, KIND_W, index);
    }
    if (!p.dimension)
        return taut_script_error(L, "momentum belongs to a coordinate, a point or a rotation; this is %s",
                            e || v ? "an expression of them" : taut_symbols_describe(L, 1));
    taut_derivative_use_momentum(L);
    return taut_vectors_push(L, &p);
}

void taut_declare_open(lua_State *L)
{
    static const script_function functions[] = {
        { "title", declare_title, 1, 0, "join the texts with ..", 0, 0 },
        { "units", declare_units, 1, 0, "put the units in one table: units { length = \"m\", time = \"s\" }", 0, 0 },
        { "time", declare_time, 0, 0, "it is the time itself, a symbol: sin(5*time())", 0, 0 },
        { "param", declare_param, 2, 0, "declare one parameter at a time: param(\"m\", 1.0)", 0, 0 },
        { "input", declare_param, 2, 0, "declare one input at a time: input(\"u\", 0)", 0, 1 },
        { "option", declare_option, 2, 0, "declare one option at a time: option(\"N\", 100)", 0, 0 },
        { "point", declare_point, 2, 1,
          "declare one at a time: point(\"a\", 2); start values are given in start{...}", 0, 0 },
        { "coordinate", declare_coordinate, 1, 0,
          "declare one at a time: local x, y = coordinate(\"x\"), coordinate(\"y\"); start values are given in "
          "start{...}", 0, 0 },
        { "rotation", declare_rotation, 1, 0, "declare one at a time; start values are given in start{...}", 0, 0 },
        { "momentum", declare_momentum, 1, 0, "take one at a time: local p, q = momentum(x), momentum(y)", 0, 0 },
    };
    taut_functions_register(L, functions, sizeof functions / sizeof *functions);
}
