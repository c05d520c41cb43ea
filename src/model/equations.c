/* Equations: lagrangian, hamiltonian, rate, constraint, force, observe; and what must hold of them at the end of the
   script. */
#include "model/script.h"

#include <stdio.h>
#include <string.h>

/* The work of a declaration, counted in instructions; it also checks the clock. */
#define DECLARATION_WORK 20

static unsigned kinds_of(lua_State *L, expr e)
{
    taut_script_charge(L, DECLARATION_WORK);
    return taut_symbols_kinds(L, e);
}

static const char *const form_names[] = { "nothing", "lagrangian", "hamiltonian", "rate" };

static void set_form(lua_State *L, form f)
{
    model *m = taut_script_of(L)->model;
    if (m->form == f) return;
    if (m->form != FORM_NONE)
        taut_script_error(L, "%s in a model that has a %s (line %d); a model has one form", form_names[f],
                     form_names[m->form], m->form_line);
    m->form = f;
    m->form_line = taut_script_line(L);
    script *s = taut_script_of(L);
    if (f == FORM_LAGRANGIAN && s->momentum_line)
        taut_script_error(L,
                     "lagrangian in a model with momenta (line %d); write it in velocities (.dot), or use hamiltonian",
                     s->momentum_line);
    if (f != FORM_LAGRANGIAN && s->velocity_line)
        taut_script_error(
            L, "%s in a model with velocities (.dot or omega, line %d); write it in momentum(x), or use lagrangian",
            form_names[f], s->velocity_line);
}

/* ---- lagrangian, hamiltonian ---- */

static int add_summand(lua_State *L, form f)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    if (taut_vectors_is_like(L, 1))
        return taut_script_error(L, "the %s must be a scalar, got %s; use dot, norm2 or a component", form_names[f],
                            taut_symbols_describe(L, 1));
    expr e = taut_symbols_scalar(L, 1, form_names[f]);
    set_form(L, f);
    if (kinds_of(L, e) & 1u << KIND_LAMBDA)
        return taut_script_error(L, "the %s contains a multiplier; multipliers may occur in force and rate only",
                            form_names[f]);
    taut_script_check(
        L, taut_mem_grow(s->context, &m->summands, &m->summand_capacity, m->summand_count + 1, sizeof *m->summands));
    m->summands[m->summand_count++] = (summand){ e, taut_script_line(L) };
    return 0;
}

static int equation_lagrangian(lua_State *L) { return add_summand(L, FORM_LAGRANGIAN); }
static int equation_hamiltonian(lua_State *L) { return add_summand(L, FORM_HAMILTONIAN); }

/* ---- constraint, observe ---- */

void taut_declare_constraint(lua_State *L, const char *name, expr value, int line)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    taut_script_built(L, value);
    uint32_t before;
    if (taut_names_find(&s->constraint_names, name, &before))
        taut_script_error(L, "there is a constraint '%s' already (line %d); names of constraints are unique", name,
                     m->constraints[before].line);
    if (taut_names_find(&s->contact_names, name, &before))
        taut_script_error(L, "there is a contact '%s' already (line %d); contacts and constraints share their names",
                          name, m->contacts[before].line);
    taut_script_check(L, taut_mem_grow(s->context, &m->constraints, &m->constraint_capacity, m->constraint_count + 1,
                             sizeof *m->constraints));
    m->constraints[m->constraint_count] = (constraint){ .name = taut_script_text(L, name), .value = value,
                                                                 .line = line };
    m->constraint_count++;
    size_t index = m->constraint_count - 1;
    taut_script_check(L, taut_names_add(s->context, &s->constraint_names, index));
}

/* In phase space (momentum(x) was used) constraints may contain momenta; such models are for the Dirac algorithm. */
static void check_constraint(lua_State *L, const char *what, const char *name, unsigned kinds)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    int momenta = s->momentum_line && !s->velocity_line && m->form != FORM_LAGRANGIAN && m->form != FORM_RATES;
    if (kinds & 1u << KIND_W && !momenta)
        taut_script_error(L, "%s '%s' contains %s; write it in coordinates and time", what, name,
                          s->velocity_line ? "velocities" : "momenta");
    if (kinds & 1u << KIND_LAMBDA)
        taut_script_error(L, "%s '%s' contains a multiplier; write it in coordinates and time", what, name);
    if (!(kinds & (1u << KIND_Q | 1u << KIND_W)))
        taut_script_error(L, "%s '%s' contains no coordinate; it constrains nothing; remove it", what, name);
    if (kinds & 1u << KIND_W && !m->phase_line) m->phase_line = taut_script_line(L);
}

/* gauge("name", expr): a condition that fixes a gauge freedom. */
static int equation_gauge(lua_State *L)
{
    model *m = taut_script_of(L)->model;
    const char *name = taut_declare_name(L, 1, "gauge");
    if (taut_vectors_is_like(L, 2))
        return taut_script_error(L, "gauge '%s' is %s; write one condition per component", name,
                                 taut_symbols_describe(L, 2));
    expr e = taut_symbols_scalar(L, 2, "gauge");
    check_constraint(L, "gauge", name, kinds_of(L, e));
    taut_declare_constraint(L, name, e, taut_script_line(L));
    m->constraints[m->constraint_count - 1].gauge = 1;
    if (!m->phase_line) m->phase_line = taut_script_line(L);
    return 0;
}

/* a(q,t) . v + b(q,t) = 0 */
static void check_velocity_constraint(lua_State *L, const char *name, expr e, unsigned kinds)
{
    script *s = taut_script_of(L);
    const int degree = taut_expr_degree(s->graph, e, 1u << KIND_W | 1u << KIND_EMBEDDED_DOT);
    if (degree < 0) taut_script_stop(L, STOP_OUT_OF_MEMORY);
    if (degree > 1)
        taut_script_error(L,
                          "constraint '%s' is not linear in the velocities; constraints are written in coordinates and "
                          "time, or a(q,t) times velocities plus b(q,t)",
                          name);
    if (kinds & 1u << KIND_LAMBDA)
        taut_script_error(L, "constraint '%s' contains a multiplier; write it in coordinates, velocities and time",
                          name);
}

static int equation_constraint(lua_State *L)
{
    script *s = taut_script_of(L);
    const char *name = taut_declare_name(L, 1, "constraint");
    if (taut_vectors_is_like(L, 2))
        return taut_script_error(L, "constraint '%s' is %s; write one constraint per component", name,
                            taut_symbols_describe(L, 2));
    expr e = taut_symbols_scalar(L, 2, "constraint");
    const unsigned kinds = kinds_of(L, e);
    const int velocity = s->velocity_line && kinds >> KIND_W & 1;
    if (velocity)
        check_velocity_constraint(L, name, e, kinds);
    else
        check_constraint(L, "constraint", name, kinds);
    taut_declare_constraint(L, name, e, taut_script_line(L));
    s->model->constraints[s->model->constraint_count - 1].velocity = velocity;
    return taut_symbols_push(L, taut_expr_variable(s->graph, KIND_LAMBDA, (uint32_t)s->model->constraint_count - 1));
}

/* Like other names, but parts may be joined by dots. */
static const char *observable_name(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING && strchr(lua_tostring(L, 1), '.')) {
        luaL_gsub(L, lua_tostring(L, 1), ".", "_");
        taut_declare_name(L, -1, "observe");
        lua_pop(L, 1);
        return lua_tostring(L, 1);
    }
    return taut_declare_name(L, 1, "observe");
}

/* Columns that every result has, and families of columns. */
static int is_column(const char *name)
{
    static const char *const exact[] = { "t",     "energy",  "constraint", "velocity_constraint", "frame", "step",
                                         "event", "contact", "impulse" };
    static const char *const family[] = { "lambda.", "p.", "momentum.", "angular_momentum.", "gap." };
    size_t size = strlen(name);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(name, exact[i]) == 0) return 1;
    for (size_t i = 0; i < sizeof family / sizeof *family; i++)
        if (strncmp(name, family[i], strlen(family[i])) == 0) return 1;
    return size > 4 && strcmp(name + size - 4, ".dot") == 0;
}

static int equation_observe(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    const char *name = observable_name(L);
    if (taut_vectors_is_like(L, 2))
        return taut_script_error(L, "observable '%s' is %s; observe one component at a time", name,
                                 taut_symbols_describe(L, 2));
    expr e = taut_symbols_scalar(L, 2, "observe");
    taut_script_charge(L, DECLARATION_WORK);
    if (is_column(name))
        return taut_script_error(L, "'%s' is a column of every result; choose another name for this observable", name);
    uint32_t before;
    if (taut_names_find(&s->observable_names, name, &before))
        return taut_script_error(L, "there is an observable '%s' already (line %d); names of observables are unique",
                                 name, m->observables[before].line);
    taut_script_check(L, taut_mem_grow(s->context, &m->observables, &m->observable_capacity, m->observable_count + 1,
                             sizeof *m->observables));
    m->observables[m->observable_count] = (observable){ taut_script_text(L, name), e, taut_script_line(L) };
    m->observable_count++;
    size_t index = m->observable_count - 1;
    taut_script_check(L, taut_names_add(s->context, &s->observable_names, index));
    return 0;
}

/* ---- force, rate ---- */

/* The target at 1 and the value at 2: scalars, or vectors of equal length. Returns the count of components. */
static uint32_t get_action(lua_State *L, const char *who, vector *target, vector *value)
{
    const vector *v = taut_vectors_at(L, 1);
    const expr e = taut_symbols_at(L, 1);
    if (e) {
        *target = (vector){ 1, 0, { e, 0, 0, 0 }, 0 };
        if (taut_vectors_is_like(L, 2))
            taut_script_error(L, "%s on one coordinate, but the value is %s; give a scalar", who,
                              taut_symbols_describe(L, 2));
        *value = (vector){ 1, 0, { taut_symbols_scalar(L, 2, who), 0, 0, 0 }, 0 };
        return 1;
    }
    if (!v || !v->dimension)
        taut_script_error(L, "%s needs a coordinate or a point first, got %s; write %s(a, {...})", who,
                     taut_symbols_describe(L, 1), who);
    *target = *v;
    taut_vectors_get(L, 2, who, value);
    if (value->dimension == 0 && v->dimension < 4) value->dimension = v->dimension;
    if (value->dimension != v->dimension)
        taut_script_error(L, "%s on %d coordinates, but the value is %s; give %d components", who, (int)v->dimension,
                     taut_symbols_describe(L, 2), (int)v->dimension);
    return v->dimension;
}

static void add_action(lua_State *L, action **list, size_t *count, size_t *capacity, action a)
{
    taut_script_check(L, taut_mem_grow(taut_script_of(L)->context, list, capacity, *count + 1, sizeof **list));
    (*list)[(*count)++] = a;
}

/* A force f on an expression e of coordinates and time does the work f de: on each coordinate it is f de/dq. */
typedef struct {
    expr *nodes;     /* all that the target is made of; then its variables */
    expr *slopes;    /* derivatives of one component by the variables */
    expr *sums;      /* the force on each of them */
    size_t count;
} lever;

static void lever_clear(script *s, lever *l)
{
    taut_expr_list_free(s->graph, l->nodes);
    taut_mem_free(s->context, l->slopes);
    taut_mem_free(s->context, l->sums);
}

/* Returns a status; nothing here raises, because the lever's memory is known to the caller alone. */
static int lever_fill(script *s, const vector *target, const vector *value, lever *l)
{
    size_t reached;
    int status = taut_expr_reachable(s->graph, target->at, target->dimension, &l->nodes, &reached);
    for (size_t i = 0; !status && i < reached; i++) {
        const node *n = taut_graph_node(s->graph, l->nodes[i]);
        if (n->op == OP_VARIABLE && (n->b == KIND_Q || n->b == KIND_EMBEDDED)) l->nodes[l->count++] = l->nodes[i];
    }
    if (status || !l->count) return status;
    l->slopes = taut_mem_new(s->context, l->count, sizeof *l->slopes);
    l->sums = taut_mem_new(s->context, l->count, sizeof *l->sums);
    if (!l->slopes || !l->sums) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < l->count; i++) l->sums[i] = taut_expr_number(s->graph, 0);
    for (uint32_t k = 0; !status && k < target->dimension; k++) {
        status = taut_expr_gradient(s->graph, target->at[k], l->nodes, l->count, l->slopes);
        for (size_t i = 0; !status && i < l->count; i++) {
            l->sums[i] = taut_expr_add(s->graph, l->sums[i], taut_expr_mul(s->graph, value->at[k], l->slopes[i]));
            if (!l->sums[i]) status = TAUT_OUT_OF_MEMORY;
        }
    }
    return status;
}

static void add_lever(lua_State *L, const vector *target, const vector *value)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    lever l = { 0 };
    int line = taut_script_line(L);
    unsigned kinds = 0;
    for (uint32_t i = 0; i < target->dimension; i++) kinds |= kinds_of(L, target->at[i]);
    if (kinds & (1u << KIND_W | 1u << KIND_LAMBDA))
        taut_script_error(L, "force on an expression with velocities, momenta or multipliers; it acts on coordinates, "
                             "points, and expressions of coordinates and time");
    if (!(kinds & 1u << KIND_Q))
        taut_script_error(L, "force on an expression without coordinates does nothing; name the coordinate");
    int status = lever_fill(s, target, value, &l);
    if (!status)
        status = taut_mem_grow(s->context, &m->forces, &m->force_capacity, m->force_count + l.count, sizeof *m->forces);
    for (size_t i = 0; !status && i < l.count; i++) {
        const node *n = taut_graph_node(s->graph, l.nodes[i]);
        if (taut_expr_is_number(s->graph, l.sums[i], 0)) continue;
        m->forces[m->force_count++] = (action){ (kind)n->b, n->a, l.sums[i], line };
    }
    lever_clear(s, &l);
    taut_script_check(L, status);
    taut_script_charge(L, DECLARATION_WORK);
}

void taut_equations_act(lua_State *L, uint32_t coordinate, expr value)
{
    model *m = taut_script_of(L)->model;
    add_action(L, &m->forces, &m->force_count, &m->force_capacity,
               (action){ KIND_Q, coordinate, value, taut_script_line(L) });
}

static int equation_force(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    vector target, value;
    if (taut_rotation_is(L, taut_vectors_at(L, 1)) && taut_vectors_is_like(L, 2)) {
        taut_vectors_get(L, 2, "force", &value);
        if (value.dimension != 4)
            return taut_script_error(L, "force on a rotation acts on its four coordinates; for a torque write "
                                        "torque(r, {x, y, z}), in the axes of space, or torque(r, {x, y, z}, "
                                        "\"body\")");
    }
    uint32_t size = get_action(L, "force", &target, &value), index;
    int line = taut_script_line(L), are_coordinates = 1;
    taut_script_charge(L, DECLARATION_WORK);
    for (uint32_t i = 0; i < size; i++)
        are_coordinates &= taut_symbols_is_variable(s, target.at[i], KIND_EMBEDDED, &index) ||
                           taut_symbols_is_variable(s, target.at[i], KIND_Q, &index);
    if (!are_coordinates) {
        add_lever(L, &target, &value);
        return 0;
    }
    for (uint32_t i = 0; i < size; i++) {
        kind k = taut_symbols_is_variable(s, target.at[i], KIND_EMBEDDED, &index) ? KIND_EMBEDDED : KIND_Q;
        if (k == KIND_Q) taut_symbols_is_variable(s, target.at[i], KIND_Q, &index);
        if (taut_expr_is_number(s->graph, value.at[i], 0)) continue;
        add_action(L, &m->forces, &m->force_count, &m->force_capacity, (action){ k, index, value.at[i], line });
    }
    return 0;
}

/* The line of the rate of a variable, 0 when it has none yet. */
static int *rate_line(lua_State *L, kind k, uint32_t index)
{
    script *s = taut_script_of(L);
    size_t before = s->rate_capacity[k];
    taut_script_check(
        L, taut_mem_grow(s->context, &s->rate_lines[k], &s->rate_capacity[k], (size_t)index + 1, sizeof(int)));
    if (s->rate_capacity[k] > before)
        memset(s->rate_lines[k] + before, 0, (s->rate_capacity[k] - before) * sizeof(int));
    return &s->rate_lines[k][index];
}

static int equation_rate(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    vector target, value;
    uint32_t size = get_action(L, "rate", &target, &value), index;
    int line = taut_script_line(L);
    set_form(L, FORM_RATES);
    for (uint32_t i = 0; i < size; i++) {
        kind k = KIND_Q;
        if (!taut_symbols_is_variable(s, target.at[i], KIND_Q, &index)) {
            k = KIND_W;
            if (!taut_symbols_is_variable(s, target.at[i], KIND_W, &index))
                return taut_script_error(L, "rate belongs to a coordinate or to momentum(coordinate), "
                                       "not to an expression of them; name the coordinate");
        }
        if (k == KIND_Q && kinds_of(L, value.at[i]) & 1u << KIND_LAMBDA)
            return taut_script_error(L,
                                     "the rate of a coordinate contains a multiplier; multipliers act on momentum(x)");
        int *before = rate_line(L, k, index);
        if (*before) {
            char name[SCRIPT_LABEL_SIZE];
            taut_model_namer(m, OP_VARIABLE, k, index, name, sizeof name);
            return taut_script_error(L, "the rate of '%s' is given already (line %d); give it once", name, *before);
        }
        *before = line;
        add_action(L, &m->rates, &m->rate_count, &m->rate_capacity, (action){ k, index, value.at[i], line });
    }
    return 0;
}

/* ---- the end of the script ---- */

static void check_rates(lua_State *L)
{
    script *s = taut_script_of(L);
    char name[SCRIPT_LABEL_SIZE];
    for (uint32_t i = 0; i < s->model->coordinate_count; i++)
        for (kind k = KIND_Q; k <= KIND_W; k++) {
            if (*rate_line(L, k, i)) continue;
            taut_model_coordinate_name(s->model, i, name, sizeof name);
            taut_script_error_at(L, s->model->groups[s->model->group_of[i]].line,
                            "no rate for '%s%s'; add rate(%s%s%s, ...)", k == KIND_W ? "p." : "", name,
                            k == KIND_W ? "momentum(" : "", name, k == KIND_W ? ")" : "");
        }
}

/* An observable "a.x" and a point a would give two columns of one name. */
static void check_observables(lua_State *L)
{
    const model *m = taut_script_of(L)->model;
    for (size_t i = 0; i < m->observable_count; i++) {
        char name[SCRIPT_NAME_SIZE + 1], column[SCRIPT_LABEL_SIZE];
        snprintf(name, sizeof name, "%s", m->observables[i].name);
        name[strcspn(name, ".")] = 0;
        const group *owner = taut_declare_find_group(L, name);
        for (uint32_t k = 0; owner && k < owner->size; k++) {
            taut_model_coordinate_name(m, owner->first + k, column, sizeof column);
            if (strcmp(column, m->observables[i].name) == 0)
                taut_script_error_at(L, m->observables[i].line,
                                "observable '%s' has the name of a coordinate (line %d); choose another", column,
                                owner->line);
        }
    }
}

/* Points called p and lambda: p.x is also the momentum of a coordinate x, lambda.x the multiplier of a constraint x. */
static void check_families(lua_State *L)
{
    script *s = taut_script_of(L);
    const group *p = taut_declare_find_group(L, "p"), *lambda = taut_declare_find_group(L, "lambda");
    for (int i = 0; i < 4; i++) {
        char component[] = { "wxyz"[i], 0 };
        uint32_t index;
        const group *other = taut_declare_find_group(L, component);
        if (p && p->size > 1 && other && other->type == GROUP_SCALAR)
            taut_script_error_at(L, p->line,
                            "'p.%s' would be a coordinate of '%s' and the momentum of '%s' (line %d); rename one",
                            component, p->name, component, other->line);
        if (lambda && lambda->size > 1 && taut_names_find(&s->constraint_names, component, &index))
            taut_script_error_at(L, lambda->line,
                            "'lambda.%s' would be a coordinate and the multiplier of constraint '%s'; rename one",
                            component, component);
    }
}

void taut_equations_finish(lua_State *L)
{
    script *s = taut_script_of(L);
    const model *m = s->model;
    if (m->coordinate_count == 0)
        taut_script_error_at(L, s->last_line,
                        "the model has no coordinates; declare some with point, coordinate or rotation");
    if (m->form == FORM_NONE)
        taut_script_error_at(L, s->last_line,
                        "the model has no equations of motion; give a lagrangian, a hamiltonian or rates");
    if (m->form == FORM_RATES) check_rates(L);
    if (m->form == FORM_RATES && m->phase_line)
        taut_script_error_at(L, m->phase_line,
                        "rate models have no constraints on momenta and no gauge(); they are for hamiltonian");
    if (m->form == FORM_RATES && m->force_count)
        taut_script_error_at(L, m->forces[0].line,
                             "rate models have no force(); write it into the rate of momentum(x)");
    check_observables(L);
    check_families(L);
}

void taut_equations_open(lua_State *L)
{
    static const script_function functions[] = {
        { "lagrangian", equation_lagrangian, 1, 0,
          "did you mean their sum, lagrangian(a + b)? Several calls add up too", 0, 0 },
        { "hamiltonian", equation_hamiltonian, 1, 0,
          "did you mean their sum, hamiltonian(a + b)? Several calls add up too", 0, 0 },
        { "constraint", equation_constraint, 2, 0,
          "give a name and one expression that stays zero: constraint(\"rod\", left - right), and each constraint its "
          "own call", 0, 0 },
        { "gauge", equation_gauge, 2, 0,
          "give a name and one expression that stays zero, and each condition its own call", 0, 0 },
        { "observe", equation_observe, 2, 0, "give a name and one expression, and each observable its own call", 0, 0 },
        { "force", equation_force, 2, 0, "put the components in one table: force(a, {fx, fy, fz})", 0, 0 },
        { "rate", equation_rate, 2, 0, "put the components in one table: rate(a, {vx, vy, vz})", 0, 0 },
    };
    taut_functions_register(L, functions, sizeof functions / sizeof *functions);
}
