/* The total time derivative: x.dot of any expression of coordinates and time. */
#include "model/script.h"

static int both_error(lua_State *L, int velocity_line, int momentum_line)
{
    return taut_script_error(L,
                        "velocities (.dot, omega; line %d) and momenta (momentum, hamiltonian, rate; line %d) in one "
                        "model; use .dot with lagrangian, momentum() with hamiltonian and rate",
                        velocity_line, momentum_line);
}

void taut_derivative_use_velocity(lua_State *L)
{
    script *s = taut_script_of(L);
    const model *m = s->model;
    if (s->velocity_line) return;
    int momentum = s->momentum_line                                       ? s->momentum_line
                   : m->form == FORM_HAMILTONIAN || m->form == FORM_RATES ? m->form_line
                                                                          : 0;
    s->velocity_line = taut_script_line(L);
    if (momentum) both_error(L, s->velocity_line, momentum);
}

void taut_derivative_use_momentum(lua_State *L)
{
    script *s = taut_script_of(L);
    if (s->momentum_line) return;
    s->momentum_line = taut_script_line(L);
    s->model->has_momenta = 1;
    if (s->velocity_line) both_error(L, s->velocity_line, s->momentum_line);
    if (s->model->form == FORM_LAGRANGIAN)
        taut_script_error(L, "momentum in a model with a Lagrangian (line %d); use .dot, or a hamiltonian instead",
                     s->model->form_line);
}

/* Sums, differences and multiples of coordinates, to a small depth: no traversal, no memory. Returns 0 for other
   expressions. */
static expr linear(graph *g, expr e, int depth)
{
    if (taut_expr_is_constant(g, e)) return taut_expr_integer(g, 0);
    node n = *taut_graph_node(g, e);
    if (n.op == OP_VARIABLE && n.b == KIND_Q) return taut_expr_variable(g, KIND_W, n.a);
    if (n.op == OP_VARIABLE && n.b == KIND_EMBEDDED) return taut_expr_variable(g, KIND_EMBEDDED_DOT, n.a);
    if (depth == 0) return 0;
    switch ((op)n.op) {
    case OP_NEG: return taut_expr_neg(g, linear(g, n.a, depth - 1));
    case OP_ADD: return taut_expr_add(g, linear(g, n.a, depth - 1), linear(g, n.b, depth - 1));
    case OP_SUB: return taut_expr_sub(g, linear(g, n.a, depth - 1), linear(g, n.b, depth - 1));
    case OP_MUL: return taut_expr_is_constant(g, n.a) ? taut_expr_mul(g, n.a, linear(g, n.b, depth - 1)) : 0;
    case OP_DIV:
    case OP_POWI:
    case OP_POW:
    CASE_LEAVES
    CASE_CALLS
    CASE_FUNCTIONS break;
    }
    return 0;
}

/* Fills in the variables of `list` and their time derivatives; returns their number, or -1 for one that has none. */
static long find_rates(graph *g, const expr *list, size_t count, expr *variables, expr *rates)
{
    long found = 0;
    for (size_t i = 0; i < count; i++) {
        node n = *taut_graph_node(g, list[i]);
        if (n.op != OP_VARIABLE) continue;
        if (n.b != KIND_Q && n.b != KIND_T && n.b != KIND_EMBEDDED) return -1;
        variables[found] = list[i];
        rates[found++] = n.b == KIND_T ? taut_expr_integer(g, 1)
                                       : taut_expr_variable(g, n.b == KIND_Q ? KIND_W : KIND_EMBEDDED_DOT, n.a);
    }
    return found;
}

expr taut_derivative_of_time(lua_State *L, expr e)
{
    script *s = taut_script_of(L);
    graph *g = s->graph;
    taut_derivative_use_velocity(L);
    expr quick = linear(g, e, 6);
    if (quick) return quick;
    expr *list, *variables;
    size_t count;
    taut_script_check(L, taut_expr_reachable(g, &e, 1, &list, &count));
    variables = taut_mem_new(s->context, count, 2 * sizeof *variables);
    long found = variables ? find_rates(g, list, count, variables, variables + count) : 0;
    expr result =
        variables && found >= 0 ? taut_expr_directional(g, e, variables, variables + count, (size_t)found) : 0;
    taut_mem_free(s->context, variables);
    taut_expr_list_free(g, list);
    if (found < 0)
        taut_script_error(L,
                          ".dot of an expression with velocities or multipliers; take it of coordinates and time only");
    taut_script_charge(L, (double)count);
    return taut_script_built(L, result);
}
