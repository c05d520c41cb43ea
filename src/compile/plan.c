/* Can the model be written, and what belongs to it. */
#include "compile/plan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void taut_plan_clear(plan *p)
{
    taut_mem_free(p->context, p->names);
    taut_mem_free(p->context, p->parameters);
    X(simulation_destroy)(p->z);
}

/* ---- names ---- */

static int is_taken(const plan_name *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].name, name) == 0) return 1;
    return 0;
}

/* An identifier that no other has: kind_raw, with _ for what is no letter or digit. */
static int add_name(plan *p, plan_name **names, size_t *count, size_t *capacity, const char *kind, const char *raw,
                    const char *what, uint32_t index)
{
    char plain[101];
    if (taut_mem_grow(p->context, names, capacity, *count + 1, sizeof **names)) return TAUT_OUT_OF_MEMORY;
    plan_name *made = &(*names)[*count];
    size_t length = 0;
    for (; length < sizeof plain - 1 && raw[length]; length++)
        plain[length] = isalnum((unsigned char)raw[length]) && (unsigned char)raw[length] < 128 ? raw[length] : '_';
    plain[length] = 0;
    *made = (plan_name){ .index = index };
    snprintf(made->name, sizeof made->name, "%s%s%s", kind, *plain ? "_" : "", plain);
    for (unsigned again = 2; is_taken(*names, *count, made->name); again++)
        snprintf(made->name, sizeof made->name, "%s_%s_%u", kind, plain, again);
    snprintf(made->what, sizeof made->what, "%s%s", what, raw);
    X(emit_comment)(made->what);
    ++*count;
    return TAUT_OK;
}

static int add_number(plan *p, const char *kind, const char *raw, const char *what, uint32_t index)
{
    return add_name(p, &p->names, &p->name_count, &p->name_capacity, kind, raw, what, index);
}

static int name_numbers(plan *p)
{
    const struct system *s = p->z->s;
    const int lagrangian = s->form == FORM_LAGRANGIAN;
    const struct {
        uint32_t first;
        const char *kind, *what;
        int is_there;
    } groups[] = { { 0, "Q", "position ", 1 },
                   { 2 * s->n, "V", "velocity of ", lagrangian },
                   { s->n, "P", s->form == FORM_RATES ? "partner of " : "momentum of ", 1 } };
    char raw[150];
    int status = TAUT_OK;
    for (size_t g = 0; g < 3; g++)
        for (uint32_t i = 0; groups[g].is_there && !status && i < s->n; i++) {
            X(system_coordinate_name)(s, i, raw, sizeof raw);
            status = add_number(p, groups[g].kind, raw, groups[g].what, groups[g].first + i);
        }
    for (uint32_t k = 0; !status && k < s->c; k++) {
        X(system_constraint_name)(s, k, raw, sizeof raw);
        status = add_number(p, "LAMBDA", raw, "multiplier of ", 5 * s->n + k);
    }
    if (!status && p->z->declared.midpoint_multipliers && s->c)
        status = add_number(p, "TIME_OF_LAMBDA", "", "the time that the multipliers belong to", plan_t_lambda(p));
    if (!status && p->z->declared.own_work && X(simulation_has_work)(p->z))
        status = add_number(p, "WORK", "", "of forces and time since the start: energy - work is constant",
                            plan_t_lambda(p) + 1);
    return status ? status : add_number(p, "TIME", "", "", p->numbers);
}

/* ---- constants ---- */

static int name_parameters(plan *p)
{
    const model *m = p->z->m;
    expr *list = NULL;
    size_t count = 0;
    if (!p->constant_count) return TAUT_OK;
    int status = taut_expr_reachable(m->graph, p->constants, p->constant_count, &list, &count);
    for (size_t i = 0; !status && i < count; i++) {
        const node *n = taut_graph_node(m->graph, list[i]);
        if (n->op != OP_PARAMETER) continue;
        status = add_name(p, &p->parameters, &p->parameter_count, &p->parameter_capacity, "PARAMETER",
                          m->parameters[n->a].name, "", n->a);
    }
    if (list) taut_expr_list_free(m->graph, list);
    return status;
}

/* ---- what can be written ---- */

static int refuse(const plan *p, const char *why)
{
    return taut_fail(p->context, TAUT_UNSUPPORTED, "%s: method '%s' cannot be written as C for this model: %s",
                     p->z->m->file, p->options->method, why);
}

static int find_programs(plan *p)
{
    const char *why = "";
    p->part_count = X(method_parts)(&p->z->method, p->parts, &why);
    if (!p->part_count) return refuse(p, why);
    for (int i = 0; i < p->part_count; i++) {
        program *made = p->parts[i].program;
        if (made->input_count || made->other_count)
            return refuse(p, "its steps depend on more than the state; take rattle or lobatto");
        if ((!p->program_count || p->programs[0] != made) && (p->program_count < 2 || p->programs[1] != made))
            p->programs[p->program_count++] = made;
        if (made->reported && made->s->c) p->has_reported = 1;
    }
    return TAUT_OK;
}

static int fits_single(const plan *p, double value, const char *what)
{
    if (!p->options->single || (double)(float)value - (double)(float)value == 0) return TAUT_OK;
    return taut_fail(p->context, TAUT_UNSUPPORTED,
                     "%s: a %s of the model is %.3g, more than single precision holds; take other units, or double",
                     p->z->m->file, what, value);
}

static int check_range(const plan *p)
{
    int status = TAUT_OK;
    for (uint32_t i = 0; !status && i < p->numbers; i++) status = fits_single(p, p->z->x.block[i], "start value");
    for (uint32_t i = 0; !status && i < p->constant_count; i++)
        status = fits_single(p, p->z->s->constants[i], "constant");
    for (int k = 0; !status && k < p->program_count; k++)
        for (uint32_t i = 0; !status && i < p->programs[k]->literal_count; i++)
            status = fits_single(p, p->programs[k]->literals[i], "constant");
    return status;
}

int taut_plan_create(model *m, const compile_options *o, plan *p)
{
    *p = (plan){ .context = m->context, .options = o };
    for (size_t i = 0; i < COMPILE_PREFIX && o->prefix[i]; i++)
        p->upper[i] = (char)toupper((unsigned char)o->prefix[i]);
    const engine_options e = { .method = o->method, .tolerance = o->tolerance, .step = o->step, .start = o->start,
                               .native = TAUT_NATIVE_OFF };
    if (m->contact_count)
        return taut_fail(m->context, TAUT_UNSUPPORTED,
                         "%s:%d: a model with contacts cannot be written as C: events are searched for within steps; "
                         "remove the contacts, or use Taut's library",
                         m->file, m->contacts[0].line);
    int status = X(simulation_create)(m, &e, &p->z);
    if (!status) status = find_programs(p);
    if (status) return status;
    p->n = p->z->s->n, p->c = p->z->s->c;
    p->numbers = 5 * p->n + p->c + 3; /* not the step of methods that choose it, unless the trend is behind it */
    if (p->programs[0]->trend) p->numbers = program_trend_at(p->n, p->c) + p->c;
    if (p->programs[0]->change) p->numbers += 2 * p->c;
    p->constant_count = p->programs[0]->constant_count;
    p->constants = taut_store_constants(p->z->s->store);
    status = check_range(p);
    if (!status) status = name_numbers(p);
    return status ? status : name_parameters(p);
}
