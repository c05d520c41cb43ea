/* contact(name, gap, {...}): an inequality with its laws of impact and friction; impact_law: how several impacts at
   once are taken. */
#include "model/script.h"

#include <string.h>

#define CONTACT_WORK 20

/* ---- the options ---- */

static void read_restitution(lua_State *L, contact *c)
{
    c->restitution = taut_symbols_constant(L, -1, "restitution");
    wide e = taut_symbols_value(L, c->restitution);
    if (!(e >= 0 && e <= 1))
        taut_script_error(L, "the restitution of contact '%s' is %f; it lies between 0 (no rebound) and 1 (no loss)",
                     c->name, (double)e);
}

static void read_friction(lua_State *L, contact *c)
{
    graph *g = taut_script_of(L)->graph;
    c->friction = taut_symbols_scalar(L, -1, "friction");
    if (taut_symbols_kinds(L, c->friction) & 1u << KIND_LAMBDA)
        taut_script_error(
            L,
            "the friction coefficient of contact '%s' contains a multiplier; write such a force with force(), from the "
            "multiplier that contact() returns",
            c->name);
    if (taut_expr_is_constant(g, c->friction) && !(taut_symbols_value(L, c->friction) >= 0))
        taut_script_error(L, "the friction coefficient of contact '%s' is %f; it cannot be negative", c->name,
                     (double)taut_symbols_value(L, c->friction));
    if (taut_expr_is_number(g, c->friction, 0)) c->friction = 0;
}

static void read_width(lua_State *L, contact *c)
{
    c->law = FRICTION_REGULARISED;
    c->width = taut_symbols_constant(L, -1, "regularised");
    if (!(taut_symbols_value(L, c->width) > 0))
        taut_script_error(
            L, "regularised of contact '%s' is %f; give the slip velocity, above zero, below which the friction fades",
            c->name, (double)taut_symbols_value(L, c->width));
}

static void read_slide(lua_State *L, contact *c)
{
    vector v = { .dimension = 1 };
    if (taut_vectors_is_like(L, -1)) taut_vectors_get(L, -1, "slide", &v);
    else v.at[0] = taut_symbols_scalar(L, -1, "slide");
    if (v.dimension < 1 || v.dimension > 2)
        taut_script_error(L, "slide of contact '%s' has %d components; a surface has one or two directions", c->name,
                     (int)v.dimension);
    for (uint32_t i = 0; i < v.dimension; i++) {
        unsigned kinds = taut_symbols_kinds(L, v.at[i]);
        if (kinds & (1u << KIND_W | 1u << KIND_LAMBDA))
            taut_script_error(L,
                         "slide of contact '%s' contains velocities, momenta or multipliers; give the displacement "
                         "along the surface, "
                         "of coordinates and time: its time derivative is the slip velocity",
                         c->name);
        if (!(kinds & 1u << KIND_Q))
            taut_script_error(L, "slide of contact '%s' contains no coordinate; nothing could slide", c->name);
        c->slide[i] = v.at[i];
    }
    c->slide_type = SLIDE_GIVEN;
    c->slide_count = v.dimension;
}

/* body = {c, r, at = place}: a point and a rotation (in the plane an angle) that move together, and where they
   touch. */
static void read_body(lua_State *L, contact *c)
{
    script *s = taut_script_of(L);
    const model *m = s->model;
    const char *shape = "give body = {c, r, at = place}: a point and the rotation of the body (in the plane an angle), "
                        "and the place where it touches";
    vector at, centre;
    uint32_t q;
    if (lua_type(L, -1) != LUA_TTABLE)
        taut_script_error(L, "the body of contact '%s' is %s; %s", c->name, taut_symbols_describe(L, -1), shape);
    lua_getfield(L, -1, "at");
    lua_rawgeti(L, -2, 1);
    lua_rawgeti(L, -3, 2);
    if (!taut_vectors_is_like(L, -3) || !taut_vectors_is_like(L, -2))
        taut_script_error(L, "the body of contact '%s' has no point, or no place at which it touches; %s", c->name,
                          shape);
    taut_vectors_get(L, -3, "at", &at);
    taut_vectors_get(L, -2, "body", &centre);
    if (!taut_symbols_is_variable(s, centre.at[0], KIND_Q, &q) || m->groups[m->group_of[q]].type != GROUP_POINT ||
        centre.dimension < 2 || at.dimension != centre.dimension)
        taut_script_error(L, "the body of contact '%s' begins with %s, or touches at a place of another dimension; %s",
                          c->name, taut_symbols_describe(L, -2), shape);
    c->point[0] = m->group_of[q];
    expr turn = 0;
    if (centre.dimension == 3) {
        vector r;
        if (taut_vectors_is_like(L, -1)) {
            taut_vectors_get(L, -1, "body", &r);
            turn = r.at[0];
        }
    } else if (!taut_vectors_is_like(L, -1)) {
        turn = taut_symbols_scalar(L, -1, "body");
    }
    if (!turn || !taut_symbols_is_variable(s, turn, KIND_Q, &q) ||
        (centre.dimension == 3) != (m->groups[m->group_of[q]].type == GROUP_ROTATION))
        taut_script_error(L, "the body of contact '%s' turns by %s; %s", c->name, taut_symbols_describe(L, -1), shape);
    c->turn = m->group_of[q];
    for (uint32_t k = 0; k < at.dimension; k++)
        if (taut_symbols_kinds(L, at.at[k]) & (1u << KIND_W | 1u << KIND_LAMBDA))
            taut_script_error(L,
                              "the place at which the body of contact '%s' touches contains velocities, momenta or "
                              "multipliers; write it in coordinates and time",
                              c->name);
    for (uint32_t k = 0; k < at.dimension; k++)
        c->arm[k] = taut_script_built(L, taut_expr_sub(s->graph, at.at[k], centre.at[k]));
    lua_pop(L, 3);
    c->slide_type = SLIDE_BODY;
    c->slide_count = centre.dimension - 1;
}

/* roll = {rho, w}: a length, and an angular velocity. */
static void read_roll(lua_State *L, contact *c)
{
    vector v = { .dimension = 1 };
    if (taut_vectors_is_like(L, -1)) taut_vectors_get(L, -1, "roll", &v);
    if (v.dimension != 2)
        taut_script_error(L,
                     "roll of contact '%s' is %s; give roll = {rho, w}: the torque is rho times the normal force at "
                     "most, and fades below the angular velocity w",
                     c->name, taut_symbols_describe(L, -1));
    const graph *g = taut_script_of(L)->graph;
    c->roll = v.at[0];
    c->roll_width = v.at[1];
    if (taut_symbols_kinds(L, c->roll) & (1u << KIND_LAMBDA | 1u << KIND_W))
        taut_script_error(L, "roll of contact '%s' contains velocities, momenta or multipliers; give a length",
                          c->name);
    if (taut_expr_is_constant(g, c->roll) && !(taut_symbols_value(L, c->roll) >= 0))
        taut_script_error(L, "roll of contact '%s' begins with %f; it cannot be negative", c->name,
                     (double)taut_symbols_value(L, c->roll));
    if (!taut_expr_is_constant(g, c->roll_width) || !(taut_symbols_value(L, c->roll_width) > 0))
        taut_script_error(L,
                     "the second number of roll of contact '%s' is not a constant above zero; give the angular "
                     "velocity below which the resistance fades",
                     c->name);
    if (taut_expr_is_number(g, c->roll, 0)) c->roll = 0;
}

static void read_options(lua_State *L, contact *c)
{
    static const struct { const char *name; void (*read)(lua_State *L, contact *c); } known[] = {
        { "restitution", read_restitution }, { "friction", read_friction }, { "regularised", read_width },
        { "slide", read_slide }, { "body", read_body }, { "roll", read_roll },
    };
    if (lua_isnoneornil(L, 3)) return;
    if (lua_type(L, 3) != LUA_TTABLE)
        taut_script_error(L,
                     "contact '%s' takes a table of options third, got %s; write {restitution = 0.9, friction = 0.3}",
                     c->name, taut_symbols_describe(L, 3));
    size_t found = 0, all = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        lua_getfield(L, 3, known[i].name);
        if (!lua_isnil(L, -1)) known[i].read(L, c), found++;
        lua_pop(L, 1);
    }
    for (lua_pushnil(L); lua_next(L, 3); lua_pop(L, 1)) all++;
    if (all == found) return;
    taut_tables_keys(L, 3);
    for (lua_Integer k = 1; k <= (lua_Integer)all; k++) {
        lua_rawgeti(L, -1, k);
        if (lua_type(L, -1) != LUA_TSTRING)
            taut_script_error(L, "contact '%s' has an option without a name; write {restitution = 0.9, friction = 0.3}",
                         c->name);
        const char *key = lua_tostring(L, -1);
        int is_known = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) is_known |= strcmp(key, known[i].name) == 0;
        if (!is_known)
            taut_script_error(L,
                              "contact '%s' has no option '%s'; it has restitution, friction, regularised, slide, "
                              "body, roll",
                              c->name, key);
        lua_pop(L, 1);
    }
}

/* ---- what slides ---- */

/* The points whose coordinates occur in the gap: one, or two of the same dimension. Returns 0 otherwise. */
static int find_points(lua_State *L, contact *c)
{
    script *s = taut_script_of(L);
    const model *m = s->model;
    expr *list;
    size_t nodes;
    int good = 1;
    taut_script_check(L, taut_expr_reachable(s->graph, &c->gap, 1, &list, &nodes));
    for (size_t i = 0; i < nodes; i++) {
        uint32_t q;
        node n = *taut_graph_node(s->graph, list[i]);
        if (n.op != OP_VARIABLE || n.b == KIND_T) continue;
        if (!taut_symbols_is_variable(s, list[i], KIND_Q, &q) || m->groups[m->group_of[q]].type != GROUP_POINT) {
            good = 0;
            break;
        }
        uint32_t owner = m->group_of[q], k = 0;
        while (k < c->point_count && c->point[k] != owner) k++;
        if (k < c->point_count) continue;
        if (k == 2 || (k && m->groups[c->point[0]].size != m->groups[owner].size)) {
            good = 0;
            break;
        }
        c->point[c->point_count++] = owner;
    }
    taut_expr_list_free(s->graph, list);
    taut_script_charge(L, (double)nodes);
    return good && c->point_count > 0;
}

static void find_slide(lua_State *L, contact *c)
{
    if (c->law == FRICTION_REGULARISED && !c->friction)
        taut_script_error(L, "contact '%s' is regularised but has no friction; add friction = ...", c->name);
    if (c->roll && (!c->friction || c->slide_type != SLIDE_BODY))
        taut_script_error(L, "contact '%s' has roll, but no %s; a ball that rolls has both", c->name,
                          c->friction ? "body = {c, r, at = place}" : "friction");
    if (c->friction && c->slide_type == SLIDE_BODY) {
        c->point_count = 1;
        return;
    }
    int points = find_points(L, c);
    if (!points) c->point_count = 0; /* the gradient of the gap is then taken for a unit vector */
    if (!c->friction) {
        c->slide_type = SLIDE_NONE;
        c->slide_count = 0;
    } else if (c->slide_type == SLIDE_NONE) {
        if (!points)
            taut_script_error(L,
                         "contact '%s' has friction, but its gap is not of one point or two, so that the slip is not "
                         "known; add body = {c, r, at = place}, or slide = the "
                         "displacement along the surface (one expression, or two)",
                         c->name);
        c->slide_type = SLIDE_POINTS;
        c->slide_count = taut_script_of(L)->model->groups[c->point[0]].size - 1;
    }
}

/* ---- declarations ---- */

static int contact_contact(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    uint32_t before;
    const char *name = taut_declare_name(L, 1, "contact");
    if (taut_vectors_is_like(L, 2))
        return taut_script_error(L, "contact '%s' is %s; write one contact per component", name,
                                 taut_symbols_describe(L, 2));
    contact c = { .gap = taut_symbols_scalar(L, 2, "contact"), .line = taut_script_line(L) };
    taut_script_charge(L, CONTACT_WORK);
    unsigned kinds = taut_symbols_kinds(L, c.gap);
    if (kinds & (1u << KIND_W | 1u << KIND_LAMBDA))
        return taut_script_error(
            L, "the gap of contact '%s' contains velocities, momenta or multipliers; write it in coordinates and time",
            name);
    if (!(kinds & 1u << KIND_Q))
        return taut_script_error(L, "the gap of contact '%s' contains no coordinate; nothing could touch; remove it",
                                 name);
    if (taut_names_find(&s->contact_names, name, &before))
        return taut_script_error(L, "there is a contact '%s' already (line %d); names of contacts are unique", name,
                            m->contacts[before].line);
    if (taut_names_find(&s->constraint_names, name, &before))
        return taut_script_error(L,
                            "there is a constraint '%s' already (line %d); contacts and constraints share their names",
                            name, m->constraints[before].line);
    c.restitution = taut_script_built(L, taut_expr_number(s->graph, 0));
    taut_script_check(
        L, taut_mem_grow(s->context, &m->contacts, &m->contact_capacity, m->contact_count + 1, sizeof *m->contacts));
    size_t index = m->contact_count;
    c.name = taut_script_text(L, name);
    m->contacts[m->contact_count++] = c; /* the model owns the name from here on */
    read_options(L, &c);
    find_slide(L, &c);
    m->contacts[index] = c;
    taut_script_check(L, taut_names_add(s->context, &s->contact_names, index));
    return taut_symbols_push(L, taut_expr_variable(s->graph, KIND_CONTACT, (uint32_t)index));
}

static int contact_impact_law(lua_State *L)
{
    model *m = taut_script_of(L)->model;
    const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
    if (strcmp(text, "simultaneous") != 0 && strcmp(text, "sequential") != 0)
        return taut_script_error(
            L, "impact_law is \"simultaneous\" or \"sequential\", not %s; write one of them in quotes",
            *text ? text : taut_symbols_describe(L, 1));
    if (m->impact_law_line)
        return taut_script_error(L, "the impact_law is given already (line %d); give it once", m->impact_law_line);
    m->impact_law = strcmp(text, "sequential") == 0 ? IMPACT_SEQUENTIAL : IMPACT_SIMULTANEOUS;
    m->impact_law_line = taut_script_line(L);
    return 0;
}

void taut_contact_finish(lua_State *L)
{
    const model *m = taut_script_of(L)->model;
    for (size_t k = 0; m->contact_count && k < m->constraint_count; k++)
        if (m->constraints[k].velocity)
            taut_script_error_at(L, m->constraints[k].line,
                                 "constraint '%s' is one on velocities, and the model has contacts (line %d); Taut "
                                 "does not do both in one model; write the contact as a constraint, or remove one of "
                                 "them",
                                 m->constraints[k].name, m->contacts[0].line);
    for (size_t i = 0; i < m->contact_count; i++) {
        if (m->form == FORM_RATES && m->contacts[i].friction)
            taut_script_error_at(
                L, m->contacts[i].line,
                "friction of a contact in a model of rates; write it into the rate of momentum(x), with the "
                "multiplier that contact() returns");
        if (m->start_points_line)
            taut_script_error_at(L, m->contacts[i].line,
                            "contacts in a model with start_points (line %d); give positions and velocities in start",
                            m->start_points_line);
    }
    if (m->impact_law_line && !m->contact_count)
        taut_script_error_at(L, m->impact_law_line,
                        "impact_law in a model without contacts; declare one with contact(), or remove it");
}

void taut_contact_open(lua_State *L)
{
    static const script_function functions[] = {
        { "contact", contact_contact, 3, 1,
          "give a name, the gap and one table: contact(\"floor\", a.z, {restitution = 0.5, friction = 0.3})", 0, 0 },
        { "impact_law", contact_impact_law, 1, 0, "write impact_law \"sequential\"", 0, 0 },
    };
    taut_functions_register(L, functions, sizeof functions / sizeof *functions);
}
