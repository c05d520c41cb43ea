/* embed("a", {...}): a point given by a chart of the coordinates.
 *
 * While the script runs, its components are variables of a kind of their own (KIND_EMBEDDED, and KIND_EMBEDDED_DOT for
 * a.dot), so that the Lagrangian is known as the user wrote it. At the end of the script every expression of the model
 * has the chart put in for them; the Lagrangian is kept in the other form too (model.ambient), for methods that
 * discretise in the ambient space. */
#include "model/script.h"

#include <string.h>

const embedding *taut_embed_find(lua_State *L, const char *name)
{
    script *s = taut_script_of(L);
    uint32_t index;
    return taut_names_find(&s->embedding_names, name, &index) ? &s->model->embeddings[index] : NULL;
}

/* ---- putting in the chart ---- */

/* The substitute of a variable of an embedded point: the chart, or the chart's time derivative; 0 for other
   variables. */
static expr chart_of(lua_State *L, const node *n)
{
    script *s = taut_script_of(L);
    if (n->op != OP_VARIABLE) return 0;
    if (n->b == KIND_EMBEDDED) return s->model->chart[n->a];
    if (n->b != KIND_EMBEDDED_DOT) return 0;
    if (!s->chart_rates[n->a]) s->chart_rates[n->a] = taut_derivative_of_time(L, s->model->chart[n->a]);
    return s->chart_rates[n->a];
}

/* The same as a variable behind the coordinates. */
static expr ambient_of(lua_State *L, const node *n)
{
    script *s = taut_script_of(L);
    if (n->op != OP_VARIABLE || (n->b != KIND_EMBEDDED && n->b != KIND_EMBEDDED_DOT)) return 0;
    kind k = n->b == KIND_EMBEDDED ? KIND_Q : KIND_W;
    return taut_script_built(L, taut_expr_variable(s->graph, k, s->model->coordinate_count + n->a));
}

/* The variables in e, in a list that the script owns and the next call overwrites; room for as many again behind
   them. */
static expr *variables_of(lua_State *L, expr e, size_t *count)
{
    script *s = taut_script_of(L);
    expr *list;
    size_t nodes;
    taut_script_check(L, taut_expr_reachable(s->graph, &e, 1, &list, &nodes));
    int status = taut_mem_grow(s->context, &s->scratch, &s->scratch_capacity, 2 * nodes + 1, sizeof *s->scratch);
    *count = 0;
    for (size_t i = 0; !status && i < nodes; i++)
        if (taut_graph_node(s->graph, list[i])->op == OP_VARIABLE) s->scratch[(*count)++] = list[i];
    taut_expr_list_free(s->graph, list);
    taut_script_check(L, status);
    taut_script_charge(L, (double)nodes);
    return s->scratch;
}

/* e with the variables of embedded points replaced. */
static expr replace(lua_State *L, expr e, expr (*by)(lua_State *L, const node *n))
{
    graph *g = taut_script_of(L)->graph;
    size_t count, found = 0;
    expr *variables = variables_of(L, e, &count), *values = variables + count;
    for (size_t i = 0; i < count; i++) {
        node n = *taut_graph_node(g, variables[i]);
        expr value = by(L, &n);
        if (!value) continue;
        variables[found] = variables[i];
        values[found++] = value;
    }
    return found ? taut_script_built(L, taut_expr_substitute(g, e, variables, values, found)) : e;
}

static expr put_in(lua_State *L, expr e) { return replace(L, e, chart_of); }

/* ---- the declaration ---- */

static void check_component(lua_State *L, const char *name, expr e)
{
    unsigned kinds = taut_symbols_kinds(L, e);
    if (kinds & (1u << KIND_W | 1u << KIND_LAMBDA))
        taut_script_error(
            L, "embed '%s' contains velocities, momenta or multipliers; give the point by coordinates and time", name);
}

static int embed_embed(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    const char *name = taut_declare_name(L, 1, "embed");
    vector v;
    taut_declare_check_unused(L, name);
    taut_declare_check_column(L, name);
    if (!strcmp(name, "p") || !strcmp(name, "lambda"))
        return taut_script_error(L, "embed: '%s' is the family of columns of %s; choose another name", name,
                            *name == 'p' ? "the momenta" : "the multipliers");
    taut_vectors_get(L, 2, "embed", &v);
    if (v.dimension < 2 || v.dimension > 3)
        return taut_script_error(
            L, "embed '%s' needs a point of 2 or 3 components, got %s; write embed(\"%s\", {x, y, z})", name,
            taut_symbols_describe(L, 2), name);
    unsigned kinds = 0;
    for (uint32_t i = 0; i < v.dimension; i++) {
        check_component(L, name, v.at[i]);
        kinds |= taut_symbols_kinds(L, v.at[i]);
        v.at[i] = put_in(L, v.at[i]);
    }
    if (!(kinds & 1u << KIND_Q))
        return taut_script_error(
            L, "embed '%s' contains no coordinate; give the point by coordinates, or use vector{...}", name);
    uint32_t first = (uint32_t)m->chart_count;
    size_t count = (size_t)first + v.dimension;
    taut_script_check(L, taut_mem_grow(s->context, &m->embeddings, &m->embedding_capacity, m->embedding_count + 1,
                                       sizeof *m->embeddings));
    taut_script_check(L, taut_mem_grow(s->context, &m->chart, &m->chart_capacity, count, sizeof *m->chart));
    taut_script_check(
        L, taut_mem_grow(s->context, &s->chart_rates, &s->chart_rate_capacity, count, sizeof *s->chart_rates));
    m->embeddings[m->embedding_count] =
        (embedding){ taut_script_text(L, name), first, v.dimension, taut_script_line(L) };
    m->embedding_count++;
    for (uint32_t i = 0; i < v.dimension; i++) {
        m->chart[first + i] = v.at[i];
        s->chart_rates[first + i] = 0;
        v.at[i] = taut_expr_variable(s->graph, KIND_EMBEDDED, first + i);
    }
    m->chart_count = count;
    v.omega_of = 0;
    taut_script_check(L, taut_names_add(s->context, &s->embedding_names, m->embedding_count - 1));
    return taut_vectors_push(L, &v);
}

/* ---- the end of the script ---- */

/* A force F on an embedded component y = chart(q,t) is the force (d chart/dq_i) F on every coordinate q_i. */
static void spread_force(lua_State *L, action a)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    expr chart = m->chart[a.target];
    size_t count;
    const expr *variables = variables_of(L, chart, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t index;
        if (!taut_symbols_is_variable(s, variables[i], KIND_Q, &index)) continue;
        expr lever = taut_script_built(L, taut_expr_derivative(s->graph, chart, variables[i]));
        expr value = taut_script_built(L, taut_expr_mul(s->graph, lever, a.value));
        taut_script_check(
            L, taut_mem_grow(s->context, &m->forces, &m->force_capacity, m->force_count + 1, sizeof *m->forces));
        m->forces[m->force_count++] = (action){ KIND_Q, index, value, a.line };
    }
}

static void finish_forces(lua_State *L)
{
    model *m = taut_script_of(L)->model;
    size_t given = m->force_count, kept = 0;
    for (size_t i = 0; i < given; i++) {
        m->forces[i].value = put_in(L, m->forces[i].value);
        if (m->forces[i].target_kind == KIND_EMBEDDED) spread_force(L, m->forces[i]);
    }
    for (size_t i = 0; i < m->force_count; i++)
        if (m->forces[i].target_kind != KIND_EMBEDDED) m->forces[kept++] = m->forces[i];
    m->force_count = kept;
}

/* The Lagrangian in ambient variables, if it has any. */
static void finish_lagrangian(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    int embedded = 0;
    if (m->form == FORM_LAGRANGIAN && m->summand_count) {
        m->ambient = taut_mem_new(s->context, m->summand_count, sizeof *m->ambient);
        taut_script_check(L, m->ambient ? TAUT_OK : TAUT_OUT_OF_MEMORY);
    }
    for (size_t i = 0; i < m->summand_count; i++) {
        expr before = m->summands[i].value;
        m->summands[i].value = put_in(L, before);
        if (m->ambient) m->ambient[i] = (summand){ replace(L, before, ambient_of), m->summands[i].line };
        embedded |= m->summands[i].value != before;
    }
    if (embedded) return;
    taut_mem_free(s->context, m->ambient);
    m->ambient = NULL;
}

/* The places of embedded points are columns of the results. */
static void observe_points(lua_State *L)
{
    script *s = taut_script_of(L);
    model *m = s->model;
    for (size_t e = 0; e < m->embedding_count; e++)
        for (uint32_t k = 0; k < m->embeddings[e].size; k++) {
            char name[SCRIPT_LABEL_SIZE];
            uint32_t component = m->embeddings[e].first + k, before;
            taut_model_namer(m, OP_VARIABLE, KIND_EMBEDDED, component, name, sizeof name);
            if (taut_names_find(&s->observable_names, name, &before))
                taut_script_error_at(L, m->observables[before].line,
                                "observable '%s' has the name of an embedded point's component (line %d); "
                                "choose another",
                                name, m->embeddings[e].line);
            taut_script_check(L, taut_mem_grow(s->context, &m->observables, &m->observable_capacity,
                                               m->observable_count + 1, sizeof *m->observables));
            m->observables[m->observable_count] =
                (observable){ taut_script_text(L, name), m->chart[component], m->embeddings[e].line };
            m->observable_count++;
            taut_script_check(L, taut_names_add(s->context, &s->observable_names, m->observable_count - 1));
        }
}

void taut_embed_finish(lua_State *L)
{
    model *m = taut_script_of(L)->model;
    if (!m->embedding_count) return;
    finish_lagrangian(L);
    finish_forces(L);
    for (size_t i = 0; i < m->constraint_count; i++) m->constraints[i].value = put_in(L, m->constraints[i].value);
    for (size_t i = 0; i < m->contact_count; i++) {
        contact *c = &m->contacts[i];
        c->gap = put_in(L, c->gap);
        if (c->friction) c->friction = put_in(L, c->friction);
        for (uint32_t k = 0; c->slide_type == SLIDE_GIVEN && k < c->slide_count; k++)
            c->slide[k] = put_in(L, c->slide[k]);
        for (uint32_t k = 0; c->slide_type == SLIDE_BODY && k < m->groups[c->point[0]].size; k++)
            c->arm[k] = put_in(L, c->arm[k]);
    }
    for (size_t i = 0; i < m->rate_count; i++) m->rates[i].value = put_in(L, m->rates[i].value);
    for (size_t i = 0; i < m->observable_count; i++) m->observables[i].value = put_in(L, m->observables[i].value);
    for (size_t i = 0; i < m->place_count; i++)
        for (int k = 0; k < 3; k++) m->places[i].at[k] = put_in(L, m->places[i].at[k]);
    observe_points(L);
}

void taut_embed_open(lua_State *L)
{
    static const script_function embed = { "embed", embed_embed, 2, 0,
                                           "put the components in one table: embed(\"a\", {x, y, z})", 0, 0 };
    taut_functions_register(L, &embed, 1);
}
