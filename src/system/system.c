/* From a model to a system: families, constants, fields. */
#include "base/room.h"
#include "expr/call.h"
#include "system/hamiltonian_form.h"
#include "system/system_inside.h"

#include <stdio.h>
#include <string.h>

static wide parameter_value(void *user, op o, kind k, uint32_t index)
{
    const model *m = user;
    (void)k;
    return o == OP_PARAMETER ? m->parameters[index].value : 0;
}

int X(system_constant)(struct system *s, expr e, real *value)
{
    wide exact;
    if (taut_graph_node(s->m->graph, e)->op == OP_CONSTANT) {
        *value = (real)taut_graph_constant(s->m->graph, e);
        return TAUT_OK;
    }
    int status = taut_expr_value(s->m->graph, e, parameter_value, s->m, &exact);
    if (!status) *value = (real)exact;
    return status;
}

int X(system_evaluate_constants)(struct system *s)
{
    size_t count = taut_store_constant_count(s->store);
    const expr *constants = taut_store_constants(s->store);
    real *values = taut_mem_resize(s->context, s->constants, count, sizeof *values);
    if (!values) return TAUT_OUT_OF_MEMORY;
    s->constants = values;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++) status = X(system_constant)(s, constants[i], &values[i]);
    return status;
}

int X(system_refresh_constants)(struct system *s)
{
    size_t count = taut_store_constant_count(s->store);
    const expr *constants = taut_store_constants(s->store);
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++) {
        const real before = s->constants[i];
        status = X(system_constant)(s, constants[i], &s->constants[i]);
        if (!(s->constants[i] == before)) s->mass_is_current = 0;
    }
    if (status) s->mass_is_current = 0;
    s->constants_version++;
    return status;
}

/* Without the scratch of taut_expr_value, which shares have in common; the same operations. */
static wide input_value(const model *m, expr e)
{
    const node *n = taut_graph_node(m->graph, e);
    if (n->op == OP_CONSTANT) return taut_graph_constant(m->graph, e);
    if (n->op == OP_PARAMETER) return m->parameters[n->a].value;
    const int numbered = op_has_number((op)n->op), two = !numbered && taut_op_arity((op)n->op) == 2;
    const wide a = input_value(m, n->a), b = two ? input_value(m, n->b) : 0;
    return taut_op_apply((op)n->op, a, b, numbered ? (int32_t)n->b : 0);
}

void X(system_refresh_inputs)(struct system *s)
{
    const expr *constants = taut_store_constants(s->store);
    for (size_t i = 0; i < s->input_constant_count; i++)
        s->constants[s->input_constants[i]] = (real)input_value(s->m, constants[s->input_constants[i]]);
    s->mass_is_current = 0;
    s->constants_version++;
}

static int find_input_constants(struct system *s)
{
    const size_t count = taut_store_constant_count(s->store);
    const expr *constants = taut_store_constants(s->store);
    if (!s->m->input_count) return TAUT_OK;
    s->input_constants = taut_mem_new(s->context, count, sizeof *s->input_constants);
    int status = s->input_constants ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        expr *list;
        size_t below, is_input = 0;
        status = taut_expr_reachable(s->m->graph, &constants[i], 1, &list, &below);
        for (size_t k = 0; !status && k < below; k++) {
            const node *n = taut_graph_node(s->m->graph, list[k]);
            is_input |= n->op == OP_PARAMETER && s->m->parameters[n->a].is_input;
        }
        if (!status) taut_expr_list_free(s->m->graph, list);
        if (is_input) s->input_constants[s->input_constant_count++] = (uint32_t)i;
    }
    return status;
}

/* A share with inputs: parameters and constants of its own. */
static int own_inputs(struct system *s)
{
    const size_t count = taut_store_constant_count(s->store);
    const real *shared = s->constants;
    const model *plan = s->m;
    s->constants = NULL;
    s->m = NULL;
    model *m = taut_mem_new(s->context, 1, sizeof *m);
    if (!m) return TAUT_OUT_OF_MEMORY;
    *m = *plan;
    m->parameters = taut_mem_new(s->context, m->parameter_count, sizeof *m->parameters);
    s->m = m;
    s->constants = taut_mem_new(s->context, count, sizeof *s->constants);
    if (!m->parameters || !s->constants) return TAUT_OUT_OF_MEMORY;
    memcpy(m->parameters, plan->parameters, m->parameter_count * sizeof *m->parameters);
    memcpy(s->constants, shared, count * sizeof *s->constants);
    if (s->work) s->work->plan_constants = s->plan->constants, s->work->constants = s->constants;
    return TAUT_OK;
}

static void free_own_inputs(struct system *s)
{
    if (s->m) taut_mem_free(s->context, s->m->parameters);
    taut_mem_free(s->context, s->m);
    taut_mem_free(s->context, s->constants);
}

int X(system_make_field)(struct system *s, family *f, field **result)
{
    uint32_t n = f == &s->ambient_family ? s->n + s->embedded : s->n, sizes[KIND_COUNT] = { n, n, 1, s->c };
    X(field_destroy)(*result);
    *result = NULL;
    return X(field_create)(s->store, f, sizes, s->constants, s->work, result);
}

static int build_families(struct system *s)
{
    model *m = s->m;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < m->summand_count; i++)
        status = taut_family_add(s->store, &s->energy_family, 0, m->summands[i].value);
    for (uint32_t i = 0; !status && i < s->c; i++)
        status = taut_family_add(s->store, m->constraints[i].velocity ? &s->slip_family : &s->constraint_family, i,
                                 m->constraints[i].value);
    for (uint32_t i = 0; !status && s->slip_count && i < s->c; i++) {
        const expr rate = X(system_rate_formula)(s, i);
        status = rate ? taut_family_add(s->store, &s->pfaffian_family, i, rate) : TAUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; !status && i < m->force_count; i++)
        status = taut_family_add(s->store, &s->force_family, m->forces[i].target, m->forces[i].value);
    for (size_t i = 0; !status && i < m->rate_count; i++)
        status = taut_family_add(s->store, m->rates[i].target_kind == KIND_Q ? &s->rate_q_family : &s->rate_w_family,
                            m->rates[i].target, m->rates[i].value);
    for (size_t i = 0; !status && i < m->observable_count; i++)
        status = taut_family_add(s->store, &s->observable_family, (uint32_t)i, m->observables[i].value);
    for (size_t i = 0; !status && i < s->embedded; i++)
        status = taut_family_add(s->store, &s->chart_family, (uint32_t)i, m->chart[i]);
    for (size_t i = 0; !status && s->embedded && i < m->summand_count; i++)
        status = taut_family_add(s->store, &s->ambient_family, 0, m->ambient[i].value);
    s->chart_family.row_count = s->embedded;
    s->ambient_family.row_count = 1;
    s->energy_family.row_count = 1;
    s->constraint_family.row_count = s->slip_family.row_count = s->pfaffian_family.row_count = s->c;
    s->force_family.row_count = s->rate_q_family.row_count = s->rate_w_family.row_count = s->n;
    s->observable_family.row_count = (uint32_t)m->observable_count;
    family *all[] = { &s->energy_family, &s->constraint_family, &s->force_family, &s->rate_q_family,
                      &s->rate_w_family, &s->observable_family, &s->chart_family, &s->ambient_family,
                      &s->slip_family, &s->pfaffian_family };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) taut_family_trim(s->store, all[i]);
    taut_graph_settle(m->graph);
    return status;
}

static int build_fields(struct system *s)
{
    int status = X(system_make_field)(s, &s->constraint_family, &s->constraint);
    if (!status && s->form != FORM_RATES) status = X(system_make_field)(s, &s->energy_family, &s->energy);
    if (!status) status = X(system_make_field)(s, &s->force_family, &s->force);
    if (!status) status = X(system_make_field)(s, &s->rate_q_family, &s->rate_q);
    if (!status) status = X(system_make_field)(s, &s->rate_w_family, &s->rate_w);
    if (!status) status = X(system_make_field)(s, &s->observable_family, &s->observable);
    if (!status && s->embedded) status = X(system_make_field)(s, &s->chart_family, &s->chart);
    if (!status && s->embedded) status = X(system_make_field)(s, &s->ambient_family, &s->ambient);
    if (!status && s->slip_count) status = X(system_make_field)(s, &s->slip_family, &s->slip);
    if (!status && s->slip_count) status = X(system_make_field)(s, &s->pfaffian_family, &s->pfaffian);
    if (!status && s->slip_count) status = X(field_prepare_values)(s->slip);
    if (!status && s->slip_count) status = X(field_prepare_values)(s->pfaffian);
    if (!status && s->slip_count) status = X(field_prepare_gradient)(s->pfaffian, KIND_W);
    if (!status) status = X(field_prepare_values)(s->constraint);
    if (!status) status = X(field_prepare_gradient)(s->constraint, KIND_Q);
    if (!status) status = X(field_prepare_jacobian)(s->constraint, KIND_T);
    if (!status) status = X(field_prepare_values)(s->force);
    if (!status) status = X(field_prepare_values)(s->rate_q);
    if (!status) status = X(field_prepare_values)(s->rate_w);
    return status ? status : X(field_prepare_values)(s->observable);
}

static int prepare_energy(struct system *s)
{
    if (!s->energy) return TAUT_OK;
    int status = X(field_prepare_values)(s->energy);
    if (!status) status = X(field_prepare_gradient)(s->energy, KIND_Q);
    return status ? status : X(field_prepare_gradient)(s->energy, KIND_W);
}

static int create_workspace(struct system *s)
{
    s->work = taut_mem_new(s->context, 1, sizeof *s->work);
    if (!s->work) return TAUT_OUT_OF_MEMORY;
    s->work->context = s->context;
    return X(workspace_reserve)(s->work, 0, s->n, 0);
}

static void destroy_workspace(struct system *s)
{
    if (s->work) X(workspace_clear)(s->work);
    taut_mem_free(s->context, s->work);
}

int X(system_share)(const struct system *plan, taut_context *context, struct system **result)
{
    struct system *s = taut_mem_new(context, 1, sizeof *s);
    *result = NULL;
    if (!s) return TAUT_OUT_OF_MEMORY;
    *s = *plan;
    s->plan = plan;
    s->native = NULL;
    s->multiplier = NULL;
    s->kkt = NULL;
    s->context = context;
    int status = create_workspace(s);
    if (plan->m->input_count) {
        const int owned = own_inputs(s);
        if (!status) status = owned;
    }
    if (!status)
        status = X(workspace_reserve)(s->work, plan->work->register_count, plan->work->vector_count,
                                      plan->work->entry_count);
    if (status)
        X(system_destroy)(s);
    else
        *result = s;
    return status;
}

int X(system_create)(model *m, struct system **result)
{
    *result = NULL;
#ifdef TAUT_REAL_QUAD
    if (taut_graph_has_calls(m->graph))
        return taut_fail(m->context, TAUT_UNSUPPORTED,
                         "the model calls the function '%s', which gives doubles; quad precision needs its formula",
                         taut_graph_called(m->graph, 0)->name);
#endif
    struct system *s = taut_mem_new(m->context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = m->context;
    s->m = m;
    s->form = m->form;
    s->phase_space = m->phase;
    s->n = m->coordinate_count;
    s->c = (uint32_t)m->constraint_count;
    for (uint32_t k = 0; k < s->c; k++) s->slip_count += m->constraints[k].velocity != 0;
    s->embedded = m->ambient ? (uint32_t)m->chart_count : 0;
    s->store = taut_store_create(m->context, m->graph);
    int status = create_workspace(s);
    if (!status && !s->store) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = build_families(s);
    if (!status) status = X(system_evaluate_constants)(s);
    if (!status) status = find_input_constants(s);
    if (!status) status = X(system_evaluate_start)(s);
    if (!status) status = build_fields(s);
    if (!status) status = taut_pattern_identity(s->context, (int)s->n, &s->identity);
    if (!status) status = prepare_energy(s);
    if (!status) status = X(system_find_structure)(s);
    if (!status) status = prepare_energy(s); /* again: the Lagrangian may have been augmented */
    taut_graph_settle(m->graph);             /* likewise */
    if (status)
        X(system_destroy)(s);
    else
        *result = s;
    return status;
}

void X(system_destroy)(struct system *s)
{
    if (!s) return;
    destroy_workspace(s);
    if (s->plan) {
        if (s->plan->m->input_count) free_own_inputs(s);
        taut_mem_free(s->context, s);
        return;
    }
    field *fields[] = { s->energy,     s->constraint, s->force,   s->rate_q,  s->rate_w,
                        s->observable, s->chart,      s->ambient, s->applied, s->reaction,
                        s->slip,       s->pfaffian };
    family *families[] = { &s->energy_family, &s->constraint_family, &s->force_family, &s->rate_q_family,
                           &s->rate_w_family, &s->observable_family, &s->chart_family, &s->ambient_family,
                           &s->slip_family, &s->pfaffian_family };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) X(field_destroy)(fields[i]);
    for (size_t i = 0; s->store && i < sizeof families / sizeof *families; i++)
        taut_family_clear(s->store, families[i]);
    if (s->store) taut_family_part_clear(s->store, &s->applied_family);
    if (s->store) taut_family_part_clear(s->store, &s->reaction_family);
    taut_store_destroy(s->store);
    taut_pattern_destroy(s->context, s->identity);
    taut_pattern_destroy(s->context, s->inverse_mass_shape);
    taut_mem_free(s->context, s->constants);
    taut_mem_free(s->context, s->input_constants);
    taut_mem_free(s->context, s->softening);
    taut_mem_free(s->context, s->stresses);
    taut_mem_free(s->context, s->singular);
    taut_mem_free(s->context, s->light);
    room_free(s->context, &s->start.room);
    taut_mem_free(s->context, s->inverse_mass);
    taut_mem_free(s->context, s->offset);
    X(hamiltonian_form_destroy)(s->hamiltonian);
    taut_mem_free(s->context, s);
}

/* ---- where a value is not finite ---- */

typedef struct {
    const struct system *s;
    const place *at;
} lookup_place;

static wide value_at(void *user, op o, kind k, uint32_t index)
{
    const lookup_place *l = user;
    if (o == OP_PARAMETER) return l->s->m->parameters[index].value;
    const real *x = l->at->x[k];
    return x ? (wide)x[index] : 0;
}

static int check_expression(struct system *s, expr e, int line, const char *what, const place *at, const char *when)
{
    lookup_place user = { s, at };
    expr_fault fault;
    int status = taut_expr_fault(s->m->graph, e, value_at, &user, REAL_LARGEST, &fault);
    if (status || !fault.culprit) return status;
    char text[200];
    taut_expr_print(s->m->graph, fault.culprit, taut_model_namer, s->m, text, sizeof text);
    return taut_fail(s->context, TAUT_NOT_FINITE,
                     "%s:%d: %s is not finite %s: %s in %s; change the start values or the formula", s->m->file, line,
                     what, when, fault.complaint, text);
}

/* The common case, cheaply: everything is finite. */
static int all_finite(struct system *s, const place *at, int *bad_coordinate)
{
    real sum = 0, *work = s->work->vector;
    *bad_coordinate = -1;
    if (s->energy) X(field_values)(s->energy, at, &sum);
    sum -= sum;
    X(system_force)(s, at, work);
    for (uint32_t i = 0; i < s->n; i++)
        if (!(work[i] - work[i] == 0)) {
            *bad_coordinate = (int)i;
            break;
        }
    real *g = taut_mem_new(s->context, s->c, sizeof *g);
    if (!g) return TAUT_OUT_OF_MEMORY;
    X(system_constraints)(s, at, g);
    for (uint32_t k = 0; k < s->c; k++) sum += g[k] - g[k];
    taut_mem_free(s->context, g);
    return sum == 0 && *bad_coordinate < 0 ? TAUT_OK : TAUT_NOT_FINITE;
}

static int find_culprit(struct system *s, const place *at, const char *when)
{
    model *m = s->m;
    char what[200];
    int status = TAUT_OK;
    const char *name = s->form == FORM_LAGRANGIAN ? "the Lagrangian" : "the Hamiltonian";
    for (size_t i = 0; !status && i < m->summand_count; i++)
        status = check_expression(s, m->summands[i].value, m->summands[i].line, name, at, when);
    for (size_t i = 0; !status && i < m->constraint_count; i++) {
        snprintf(what, sizeof what, "constraint '%s'", m->constraints[i].name);
        status = check_expression(s, m->constraints[i].value, m->constraints[i].line, what, at, when);
    }
    for (size_t i = 0; !status && i < m->force_count; i++)
        status = check_expression(s, m->forces[i].value, m->forces[i].line, "a force", at, when);
    for (size_t i = 0; !status && i < m->rate_count; i++)
        status = check_expression(s, m->rates[i].value, m->rates[i].line, "a rate", at, when);
    return status;
}

int X(system_check_finite)(struct system *s, const place *at, const char *when)
{
    int coordinate;
    int status = all_finite(s, at, &coordinate);
    if (status != TAUT_NOT_FINITE) return status;
    status = find_culprit(s, at, when);
    if (status) return status;
    char name[200] = "?";
    if (coordinate >= 0) taut_model_coordinate_name(s->m, (uint32_t)coordinate, name, sizeof name);
    return taut_fail(s->context, TAUT_NOT_FINITE,
                     "%s:%d: the force on '%s' is not finite %s, though the formulas have values there (a square root "
                     "or norm of zero has no "
                     "derivative); change the start values or the formula",
                     s->m->file, s->m->form_line, name, when);
}
