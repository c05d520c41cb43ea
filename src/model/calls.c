/* call("name", x, y): a function that the program gave (taut_define), as a symbol. */
#include "expr/call.h"

#include "model/script.h"

static int function_call(lua_State *L)
{
    script *s = taut_script_of(L);
    if (lua_type(L, 1) != LUA_TSTRING)
        return taut_script_error(L, "call needs the name of a function first, got %s; write call(\"f\", x, y)",
                                 taut_symbols_describe(L, 1));
    const char *name = lua_tostring(L, 1);
    const context_function *f = taut_context_function(s->context, name);
    if (!f)
        return taut_script_error(L, "there is no function '%s' here; the program that loads the model gives it, with "
                                 "taut_define", name);
    expr arguments[TAUT_ARGUMENTS_MOST];
    size_t count = 0;
    for (int i = 2; i <= lua_gettop(L); i++) {
        vector v = { .dimension = 1 };
        if (taut_vectors_is_like(L, i)) taut_vectors_get(L, i, "call", &v);
        else v.at[0] = taut_symbols_scalar(L, i, "call");
        for (uint32_t k = 0; k < v.dimension; k++, count++)
            if (count < TAUT_ARGUMENTS_MOST) arguments[count] = v.at[k];
    }
    if (count != f->arguments)
        return taut_script_error(L, "the function '%s' has %d arguments, got %d; a point counts with its components",
                                 name, (int)f->arguments, (int)count);
    const int number = taut_graph_function(s->graph, f);
    if (number < 0) return taut_script_stop(L, STOP_OUT_OF_MEMORY);
    return taut_symbols_push(L, taut_expr_call(s->graph, (uint32_t)number, arguments, count));
}

/* ---- which derivatives it must have ---- */

/* The call itself is a derivative of this order, and the equations contain `more` derivatives of what it stands in. */
static void check(lua_State *L, const node *n, int more, int line, const char *where)
{
    const context_function *f = taut_graph_called(taut_script_of(L)->graph, call_function_of(n));
    const int needed = call_order(f->arguments, call_component(n)) + more;
    if (needed > 2)
        taut_script_error_at(L, line, "the function '%s' stands in %s as a derivative, so that its third derivatives "
                             "would be needed; write its formula in the model", f->name, where);
    if (needed > f->order)
        taut_script_error_at(L, line, "the function '%s' stands in %s and needs derivatives of order %d; it was given "
                             "with order %d: give them, too", f->name, where, needed, f->order);
}

/* with_rates: derivatives by velocities or momenta count once more, because they make the mass matrix. */
static void check_all(lua_State *L, expr e, int more, int with_rates, int line, const char *where)
{
    graph *g = taut_script_of(L)->graph;
    expr *list;
    size_t count;
    if (!e) return;
    taut_script_check(L, taut_expr_reachable(g, &e, 1, &list, &count));
    for (size_t i = 0; i < count; i++) {
        const node n = *taut_graph_node(g, list[i]);
        if (n.op != OP_CALL) continue;
        const unsigned kinds = with_rates ? taut_expr_kinds(g, list[i]) : 0;
        const int rates = kinds != ~0u && kinds >> KIND_W & 1;
        const context_function *f = taut_graph_called(g, call_function_of(&n));
        const int needed = call_order(f->arguments, call_component(&n)) + more + rates;
        if (needed <= 2 && needed <= f->order) continue;
        taut_expr_list_free(g, list);
        check(L, &n, more + rates, line, where);
        return;
    }
    taut_expr_list_free(g, list);
}

void taut_calls_finish(lua_State *L)
{
    script *s = taut_script_of(L);
    const model *m = s->model;
    if (!taut_graph_has_calls(s->graph)) return;
    for (size_t i = 0; i < m->summand_count; i++)
        check_all(L, m->summands[i].value, 1, 1, m->summands[i].line,
                  m->form == FORM_HAMILTONIAN ? "the Hamiltonian" : "the Lagrangian");
    for (size_t i = 0; i < m->constraint_count; i++)
        check_all(L, m->constraints[i].value, 2, 0, m->constraints[i].line, "a constraint");
    for (size_t i = 0; i < m->chart_count; i++)
        check_all(L, m->chart[i], 2, 0, s->last_line, "an embedded point");
    for (size_t i = 0; i < m->contact_count; i++) {
        const contact *c = &m->contacts[i];
        const expr parts[] = { c->gap, c->slide[0], c->slide[1], c->arm[0], c->arm[1], c->arm[2] };
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) check_all(L, parts[k], 2, 0, c->line, "a contact");
    }
    for (size_t i = 0; i < m->force_count; i++)
        check_all(L, m->forces[i].value, 0, 0, m->forces[i].line, "a force");
    for (size_t i = 0; i < m->rate_count; i++)
        check_all(L, m->rates[i].value, 0, 0, m->rates[i].line, "a rate");
    for (size_t i = 0; i < m->observable_count; i++)
        check_all(L, m->observables[i].value, 0, 0, m->observables[i].line, "an observable");
}

void taut_calls_open(lua_State *L)
{
    static const script_function functions[] = { { "call", function_call, FUNCTION_ANY, 0, NULL, 0, 0 } };
    taut_functions_register(L, functions, 1);
}
