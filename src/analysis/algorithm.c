/* The Dirac algorithm: consistency conditions {chi,H_c} + chi_t + u {chi,phi} = 0 until they hold on the manifold of
   all chi. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/dirac_inside.h"
#include "expr/call.h"

int taut_dirac_verdict_is(dirac *d, dirac_verdict verdict, const char *format, ...)
{
    va_list arguments;
    if (d->verdict != DIRAC_DETERMINED) return TAUT_OK; /* the first reason stays */
    d->verdict = verdict;
    va_start(arguments, format);
    vsnprintf(d->reason, sizeof d->reason, format, arguments);
    va_end(arguments);
    return TAUT_OK;
}

static void warn(dirac *d, const char *text)
{
    size_t at = strlen(d->warning);
    if (!strstr(d->warning, text)) snprintf(d->warning + at, sizeof d->warning - at, "%s%s", at ? "; " : "", text);
}

static int going(const dirac *d) { return d->verdict == DIRAC_DETERMINED; }

int taut_dirac_add(dirac *d, expr value, dirac_constraint like)
{
    if (!value) return TAUT_OUT_OF_MEMORY;
    int status = taut_mem_grow(d->context, &d->chi, &d->capacity, d->count + 1, sizeof *d->chi);
    if (status) return status;
    dirac_constraint *c = &d->chi[d->count];
    *c = like;
    c->value = value;
    c->gradient = taut_mem_new(d->context, 2 * (size_t)d->n, sizeof *c->gradient);
    if (!c->gradient) return TAUT_OUT_OF_MEMORY;
    d->count++;
    return taut_expr_gradient(d->g, value, d->z, 2 * (size_t)d->n, c->gradient);
}

static void drop_last(dirac *d) { taut_mem_free(d->context, d->chi[--d->count].gradient); }

expr taut_dirac_bracket(dirac *d, const expr *f, const expr *g)
{
    uint32_t n = d->n;
    expr sum = taut_expr_number(d->g, 0);
    for (uint32_t i = 0; i < n; i++) {
        sum = taut_expr_add(d->g, sum, taut_expr_mul(d->g, f[i], g[n + i]));
        sum = taut_expr_sub(d->g, sum, taut_expr_mul(d->g, f[n + i], g[i]));
    }
    return taut_expr_simplify(d->g, sum, NULL, NULL);
}

/* {chi,H_c} + chi_t */
static expr rate_of(dirac *d, const dirac_constraint *c, const expr *energy)
{
    expr t = taut_expr_variable(d->g, KIND_T, 0), by_time = taut_expr_derivative(d->g, c->value, t);
    return taut_expr_simplify(d->g, taut_expr_add(d->g, taut_dirac_bracket(d, c->gradient, energy), by_time), NULL,
                              NULL);
}

/* The points are searched around the point of the manifold that the start leads to, so that they are on its branch. */
static int recentre(dirac *d)
{
    wide z[2 * DIRAC_COORDINATES];
    point x = { z, 0 };
    int converged = 0, status = taut_start_point(d, 1, &x);
    if (!status) status = taut_sampler_project(d->sampler, &x, d->chi, d->count, NULL, &converged);
    if (!status && converged) memcpy(d->sampler->base.z, z, 2 * (size_t)d->n * sizeof *z);
    return status;
}

/* New points on all constraints. *none: there are none; points at which the gradients depend on each other do not
   count. */
static int find_points(dirac *d, int *none)
{
    *none = 0;
    if (d->count > 2 * (size_t)d->n)
        return taut_dirac_verdict_is(d, DIRAC_INCONSISTENT, "there are %zu constraints on %u variables", d->count,
                                     2 * d->n);
    int status = d->count ? recentre(d) : TAUT_OK;
    if (!status) status = taut_sampler_spread(d->sampler, &d->hamiltonian, 1, d->chi, d->count);
    if (status) return status;
    if (d->sampler->count >= 2) {
        if (d->sampler->irregular)
            warn(d, "the constraints are not independent everywhere; what is said holds where they are");
        return TAUT_OK;
    }
    *none = !d->sampler->irregular;
    if (*none) return TAUT_OK;
    char text[300];
    taut_dirac_print(d, d->chi[d->count - 1].value, text, sizeof text);
    return taut_dirac_verdict_is(
        d, DIRAC_REFUSED,
        "the constraint %s is not effective: on the manifold its gradient vanishes or depends on the others, "
        "as that of a square does; write it without the power",
        text);
}

/* Powers and constant factors do not matter for the place where a constraint vanishes, but a square has no gradient
   there. */
static expr root_of(dirac *d, expr e)
{
    node n = *taut_graph_node(d->g, e);
    while (n.op == OP_NEG || (n.op == OP_MUL && taut_expr_is_constant(d->g, n.a)))
        n = *taut_graph_node(d->g, n.op == OP_NEG ? n.a : n.b);
    if (n.op != OP_POWI || (int32_t)n.b < 2) return e;
    warn(d, "a condition came as a power (an ineffective constraint): its base is used");
    return root_of(d, n.a);
}

static int inconsistent(dirac *d, size_t parent, expr f)
{
    char text[400], name[40], of[300];
    taut_dirac_print(d, f, text, sizeof text);
    taut_dirac_name(d, parent, name, sizeof name);
    taut_dirac_print(d, d->chi[parent].value, of, sizeof of);
    if (taut_expr_kinds(d->g, f) & (1u << KIND_Q | 1u << KIND_W))
        return taut_dirac_verdict_is(
            d, DIRAC_INCONSISTENT,
            "%s = %s stays zero only if %s = 0, and no point near the start satisfies that together with "
            "the other constraints",
            name, of, text);
    return taut_dirac_verdict_is(d, DIRAC_INCONSISTENT,
                            "%s = %s changes at the rate %s, which is never zero: no motion satisfies the equations",
                            name, of, text);
}

/* A condition that must hold: nothing, a new constraint, or a contradiction. */
static int condition(dirac *d, size_t parent, expr h, int *added)
{
    expr f;
    weakness weak;
    int none = 0;
    if (!taut_expr_simplify(d->g, h, &f, NULL)) return TAUT_OUT_OF_MEMORY;
    int status = taut_sampler_judge(d->sampler, f, &weak);
    if (status || weak == WEAK_ZERO) return status;
    if (weak == WEAK_NOT_FINITE) {
        char text[300];
        taut_dirac_print(d, f, text, sizeof text);
        return taut_dirac_verdict_is(d, DIRAC_REFUSED, "the condition %s = 0 is not finite near the start", text);
    }
    unsigned kinds = taut_expr_kinds(d->g, f);
    if (kinds == ~0u) return TAUT_OUT_OF_MEMORY;
    if (!(kinds & (1u << KIND_Q | 1u << KIND_W))) return inconsistent(d, parent, f);
    const dirac_constraint *from = &d->chi[parent];
    dirac_constraint like = {
        .generation = from->generation + 1, .multiplier = -1, .source = -1, .gauge = from->gauge
    };
    status = taut_dirac_add(d, root_of(d, f), like);
    if (!status) status = find_points(d, &none);
    *added = 1;
    if (!status && none) {
        drop_last(d);
        return inconsistent(d, parent, f);
    }
    return status;
}

static int build_tableau(dirac *d, tableau *t)
{
    int status = taut_tableau_create(d, (int)d->count, d->multiplier_count, t);
    expr *energy = taut_mem_new(d->context, 2 * (size_t)d->n, sizeof *energy);
    if (!status && !energy) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_expr_gradient(d->g, d->hamiltonian, d->z, 2 * (size_t)d->n, energy);
    for (size_t k = 0; !status && k < d->count; k++) {
        t->h[k] = rate_of(d, &d->chi[k], energy);
        for (size_t j = 0; t->h[k] && j < d->count; j++) {
            int u = d->chi[j].multiplier;
            if (u >= 0) t->m[(int)k * t->columns + u] = taut_dirac_bracket(d, d->chi[k].gradient, d->chi[j].gradient);
            if (u >= 0 && !t->m[(int)k * t->columns + u]) status = TAUT_OUT_OF_MEMORY;
        }
        if (!t->h[k]) status = TAUT_OUT_OF_MEMORY;
    }
    taut_mem_free(d->context, energy);
    return status;
}

/* u from the rows with a pivot; u that have none are free. */
static int record_multipliers(dirac *d, tableau *t)
{
    graph *g = d->g;
    taut_mem_free(d->context, d->multiplier);
    d->multiplier = taut_mem_new(d->context, (size_t)d->multiplier_count, sizeof *d->multiplier);
    if (!d->multiplier) return TAUT_OUT_OF_MEMORY;
    for (int j = 0; j < t->columns; j++) {
        int row = t->pivot_row[j];
        if (row < 0) continue;
        expr sum = t->h[row];
        for (int k = 0; k < t->columns; k++) {
            weakness weak;
            expr e = t->m[row * t->columns + k];
            if (t->pivot_row[k] >= 0) continue;
            int status = taut_sampler_judge(d->sampler, e, &weak);
            if (status) return status;
            if (weak != WEAK_ZERO)
                sum = taut_expr_add(g, sum, taut_expr_mul(g, e, taut_expr_variable(g, KIND_LAMBDA, (uint32_t)k)));
        }
        weakness weak;
        int status = taut_sampler_judge(d->sampler, sum, &weak);
        if (status) return status;
        if (weak == WEAK_ZERO && !(taut_expr_kinds(g, sum) & 1u << KIND_LAMBDA)) sum = taut_expr_number(g, 0);
        d->multiplier[j] =
            taut_expr_simplify(g, taut_expr_neg(g, taut_expr_div(g, sum, t->m[row * t->columns + j])), NULL, NULL);
        if (!d->multiplier[j]) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

static int no_point(dirac *d)
{
    return taut_dirac_verdict_is(d, DIRAC_INCONSISTENT, "no point near the start satisfies the %zu constraint%s",
                                 d->count, d->count == 1 ? "" : "s");
}

#define NODES 3000000 /* nodes that the algorithm may add to the graph */

static int close_under_time(dirac *d)
{
    uint32_t nodes = taut_graph_count(d->g);
    int none, status = find_points(d, &none), added = 1;
    if (!status && none) return no_point(d);
    while (!status && going(d) && added) {
        tableau t;
        added = 0;
        if (taut_graph_count(d->g) - nodes > NODES)
            return taut_dirac_verdict_is(d, DIRAC_REFUSED,
                                    "the formulas of the Dirac algorithm grow too large for this model");
        status = build_tableau(d, &t);
        if (!status) status = taut_tableau_eliminate(d, &t);
        for (int k = 0; !status && going(d) && k < t.rows; k++)
            if (t.pivot_column[k] < 0) status = condition(d, (size_t)k, t.h[k], &added);
        if (!status && going(d) && !added) {
            if (t.mixed) warn(d, "the rank of the brackets changes from place to place");
            status = record_multipliers(d, &t);
        }
        taut_tableau_clear(d, &t);
    }
    return status;
}

/* ---- classes ---- */

/* a := values of C, and their errors behind them; k x k each. */
static int bracket_values(dirac *d, const point *x, const expr *c, wide *a)
{
    const size_t all = d->count * d->count;
    int status = taut_sampler_values(d->sampler, x, c, all, a, a + all);
    for (size_t j = 0; !status && j < all; j++)
        if (WIDE(fabs)(a[j]) <= taut_sample_tolerance() * a[all + j]) a[j] = 0;
    return status;
}

static int bracket_rank(dirac *d, const expr *c, int *least, int *most)
{
    size_t k = d->count;
    wide *a = taut_mem_new(d->context, 2 * k * k, sizeof *a);
    int status = a ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    *least = (int)k;
    *most = 0;
    for (int i = 0; !status && i < d->sampler->count; i++) {
        status = bracket_values(d, &d->sampler->points[i], c, a);
        int rank = status ? 0 : taut_rank_of(a, (int)k, (int)k);
        *least = rank < *least ? rank : *least;
        *most = rank > *most ? rank : *most;
    }
    taut_mem_free(d->context, a);
    return status;
}

/* First-class combinations: rows of the bracket matrix are eliminated with chi as the right-hand side. */
static int find_generators(dirac *d, const expr *c)
{
    size_t k = d->count, found = 0;
    tableau t;
    taut_mem_free(d->context, d->generator);
    d->generator = taut_mem_new(d->context, (size_t)d->first, sizeof *d->generator);
    if (!d->generator) return TAUT_OUT_OF_MEMORY;
    int status = taut_tableau_create(d, (int)k, (int)k, &t);
    if (status) return status;
    memcpy(t.m, c, k * k * sizeof *c);
    for (size_t i = 0; i < k; i++) {
        int zero = 1;
        t.h[i] = d->chi[i].value;
        for (size_t j = 0; !status && j < k; j++) {
            weakness weak;
            status = taut_sampler_judge(d->sampler, c[i * k + j], &weak);
            zero &= weak == WEAK_ZERO;
        }
        d->chi[i].first_class = zero;
    }
    if (!status) status = taut_tableau_eliminate(d, &t);
    for (size_t i = 0; !status && i < k; i++)
        if (t.pivot_column[i] < 0 && found < (size_t)d->first)
            d->generator[found++] = d->chi[i].first_class ? d->chi[i].value : t.h[i];
    taut_tableau_clear(d, &t);
    return status;
}

/* row -= its part along `unit`, which has length 1 */
static void remove_part(wide *row, const wide *unit, size_t k)
{
    wide sum = 0;
    for (size_t j = 0; j < k; j++) sum += row[j] * unit[j];
    for (size_t j = 0; j < k; j++) row[j] -= sum * unit[j];
}

static wide length_of(const wide *row, size_t k)
{
    wide sum = 0;
    for (size_t j = 0; j < k; j++) sum += row[j] * row[j];
    return WIDE(sqrt)(sum);
}

/* The row that has most left of its first length, without those that were taken; d->count: none has anything left. */
static size_t most_independent(const dirac *d, const wide *a, const wide *length, int with_multiplier)
{
    const size_t k = d->count;
    size_t best = k;
    wide most = WIDE(sqrt)(taut_sample_tolerance());
    for (size_t i = 0; i < k; i++) {
        if (d->chi[i].in_bracket || !(length[i] > 0) || (with_multiplier && d->chi[i].multiplier < 0)) continue;
        const wide left = length_of(a + i * k, k) / length[i];
        if (left > most) most = left, best = i;
    }
    return best;
}

/* Marks rows of C that are a basis of its rows, those with multipliers first. Returns how many. a: the values,
   destroyed. */
static int mark_basis(dirac *d, wide *a, wide *length)
{
    const size_t k = d->count;
    int marked = 0;
    for (size_t i = 0; i < k; i++) length[i] = length_of(a + i * k, k), d->chi[i].in_bracket = 0;
    for (int with_multiplier = 1; with_multiplier >= 0; with_multiplier--)
        for (size_t best; (best = most_independent(d, a, length, with_multiplier)) < k; marked++) {
            wide *unit = a + best * k, size = length_of(unit, k);
            for (size_t j = 0; j < k; j++) unit[j] /= size;
            d->chi[best].in_bracket = 1;
            for (size_t i = 0; i < k; i++)
                if (!d->chi[i].in_bracket) remove_part(a + i * k, unit, k);
        }
    return marked;
}

/* The constraints S of the Dirac bracket: all where C is regular. Otherwise those with multipliers, and others until
   their rows are a basis of the rows of C: C is antisymmetric, so that {S,S} is regular then. If the multipliers u are
   determined, their rows are independent, and the u are those that keep S: the motion by the bracket of S is that of
   the total Hamiltonian H_c + u phi, which keeps the others, too. */
static int choose_bracket(dirac *d, const expr *c)
{
    const size_t k = d->count;
    for (size_t i = 0; i < k; i++) d->chi[i].in_bracket = 1;
    if (!d->first) return TAUT_OK;
    wide *a = taut_mem_new(d->context, 2 * k * k + k, sizeof *a);
    int status = a ? TAUT_OK : TAUT_OUT_OF_MEMORY, marked = -1;
    for (int i = 0; !status && marked < d->second && i < d->sampler->count; i++) {
        status = bracket_values(d, &d->sampler->points[i], c, a);
        if (!status) marked = mark_basis(d, a, a + 2 * k * k);
    }
    taut_mem_free(d->context, a);
    return status;
}

static int classify(dirac *d)
{
    size_t k = d->count;
    int least = 0, most = 0;
    if (!k) return TAUT_OK;
    expr *c = taut_mem_new(d->context, k * k, sizeof *c);
    if (!c) return TAUT_OUT_OF_MEMORY;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < k; i++) {
        c[i * k + i] = taut_expr_number(d->g, 0);
        for (size_t j = i + 1; j < k; j++) {
            c[i * k + j] = taut_dirac_bracket(d, d->chi[i].gradient, d->chi[j].gradient);
            c[j * k + i] = taut_expr_neg(d->g, c[i * k + j]);
            if (!c[j * k + i]) status = TAUT_OUT_OF_MEMORY;
        }
    }
    if (!status) status = bracket_rank(d, c, &least, &most);
    d->second = most;
    d->first = (int)k - most;
    if (!status && least < most) warn(d, "the rank of the bracket matrix changes from place to place");
    if (!status && d->first) status = find_generators(d, c);
    if (!status) status = choose_bracket(d, c);
    taut_mem_free(d->context, c);
    return status;
}

/* ---- the whole ---- */

static int add_primary(dirac *d, size_t k)
{
    weakness weak = WEAK_NONZERO;
    const constraint *c = &d->m->constraints[k];
    int none, status = find_points(d, &none);
    if (!status && none) return no_point(d);
    if (!status && going(d)) status = taut_sampler_judge(d->sampler, c->value, &weak);
    if (status || !going(d)) return status;
    if (weak == WEAK_ZERO) {
        char text[200];
        snprintf(text, sizeof text, "%s '%.100s' says nothing new", c->gauge ? "gauge condition" : "constraint",
                 c->name);
        warn(d, text);
        return TAUT_OK;
    }
    return taut_dirac_add(d, c->value,
                     (dirac_constraint){ .generation = 1,
                                         .multiplier = c->gauge ? -1 : d->multiplier_count++,
                                         .source = (int)k,
                                         .gauge = c->gauge });
}

static int add_constraints(dirac *d, int gauge, int *count)
{
    int status = TAUT_OK;
    *count = 0;
    for (size_t k = 0; !status && going(d) && k < d->m->constraint_count; k++)
        if (d->m->constraints[k].gauge == gauge) status = add_primary(d, k), ++*count;
    return status;
}

/* Gauge conditions, where there is something to fix. */
static int add_gauges(dirac *d, int *count)
{
    int status, given = 0;
    *count = 0;
    for (size_t k = 0; k < d->m->constraint_count; k++) given += d->m->constraints[k].gauge;
    if (!given) return TAUT_OK;
    if (!d->first)
        return taut_dirac_verdict_is(
            d, DIRAC_REFUSED,
            "there is no gauge freedom that gauge conditions could fix: no constraint is first class; take "
            "gauge() out, or write constraint()");
    status = add_constraints(d, 1, count);
    for (size_t k = 0; k < d->count; k++) d->chi[k].first_class = 0;
    return status;
}

static int some_multiplier_is_free(const dirac *d)
{
    int some = 0;
    for (int j = 0; j < d->multiplier_count; j++) some |= !d->multiplier[j];
    return some;
}

static void gauge_reason(dirac *d)
{
    char moved[200] = "", which[400] = "";
    for (int i = 0; i < d->first; i++) {
        char text[150], more[150];
        taut_dirac_print(d, d->generator[i], text, sizeof text);
        taut_dirac_moved(d, d->generator[i], more, sizeof more);
        size_t at = strlen(which);
        snprintf(which + at, sizeof which - at, "%s%s", at ? ", " : "", text);
        at = strlen(moved);
        snprintf(moved + at, sizeof moved - at, "%s%s", at ? "; " : "", more);
    }
    taut_dirac_verdict_is(
        d, DIRAC_UNDETERMINED,
        "%d constraint%s first class (%s) and generate%s a gauge freedom, which moves %s: the motion is not "
        "determined; add conditions that fix it, gauge(\"name\", expr)",
        d->first, d->first == 1 ? " is" : "s are", which, d->first == 1 ? "s" : "", moved);
}

/* The start values as numbers: zero where there are none. */
static int base_values(dirac *d, sampler *s, wide *base)
{
    int status = TAUT_OK;
    for (uint32_t i = 0; !status && i < 2 * d->n; i++) {
        expr e = i < d->n ? d->m->start_q[i].value : d->m->start_w[i - d->n].value;
        if (e) status = taut_sampler_values(s, &s->base, &e, 1, &base[i], NULL);
        if (!(base[i] - base[i] == 0)) base[i] = 0;
    }
    return status;
}

static int make_sampler(dirac *d, const wide *base)
{
    taut_sampler_destroy(d->sampler);
    return taut_sampler_create(d->m, d->n, base, &d->sampler);
}

static int find_hamiltonian(dirac *d, wide *base)
{
    model *m = d->m;
    d->hamiltonian = taut_expr_number(d->g, 0);
    for (size_t i = 0; i < m->summand_count; i++)
        d->hamiltonian = taut_expr_add(d->g, d->hamiltonian, m->summands[i].value);
    int none = 0, status = d->hamiltonian ? find_points(d, &none) : TAUT_OUT_OF_MEMORY;
    if (!status && none)
        return taut_dirac_verdict_is(d, DIRAC_REFUSED,
                                     "no point was found near the start at which the formulas are finite");
    if (status || m->form == FORM_HAMILTONIAN) return status;
    d->momentum = taut_mem_new(d->context, d->n, sizeof *d->momentum);
    if (!d->momentum) return TAUT_OUT_OF_MEMORY;
    status = taut_dirac_legendre(d);
    if (status || !going(d)) return status;
    status = taut_sampler_values(d->sampler, &d->sampler->base, d->momentum, d->n, base + d->n, NULL);
    for (uint32_t i = d->n; i < 2 * d->n; i++)
        if (!(base[i] - base[i] == 0)) base[i] = 0;
    return status ? status : make_sampler(d, base);
}

static int run_algorithm(dirac *d, wide *base)
{
    int gauges = 0, constraints;
    int status = make_sampler(d, base);
    if (!status) status = base_values(d, d->sampler, base);
    if (!status) status = make_sampler(d, base);
    if (!status) status = find_hamiltonian(d, base);
    if (!status && going(d)) status = add_constraints(d, 0, &constraints);
    if (!status && going(d)) status = close_under_time(d);
    if (!status && going(d)) status = classify(d);
    if (!status && going(d)) status = add_gauges(d, &gauges);
    if (!status && going(d) && gauges) status = close_under_time(d);
    if (!status && going(d) && gauges) status = classify(d);
    if (!status && going(d) && some_multiplier_is_free(d)) gauge_reason(d);
    return status;
}

static const char *not_covered(const model *m)
{
    if (m->form == FORM_RATES) return "a model of rates has no Hamiltonian";
    for (size_t k = 0; k < m->constraint_count; k++)
        if (m->constraints[k].velocity)
            return "the model has constraints on velocities; as constraints on momenta they would make other motion "
                   "than the principle of Lagrange and d'Alembert";
    if (m->force_count) return "the model has forces, which the Dirac algorithm does not cover";
    if (taut_graph_has_calls(m->graph))
        return "the model calls a function of the program, and the Dirac algorithm needs formulas";
    if (m->coordinate_count > DIRAC_COORDINATES)
        return "the model is too large for the Dirac algorithm (more than 40 coordinates)";
    return NULL;
}

int taut_dirac_analyse(model *m, dirac **result)
{
    *result = NULL;
    dirac *d = taut_mem_new(m->context, 1, sizeof *d);
    if (!d) return TAUT_OUT_OF_MEMORY;
    d->m = m;
    d->g = m->graph;
    d->context = m->context;
    d->n = m->coordinate_count;
    const char *reason = not_covered(m);
    int status = TAUT_OK;
    if (reason) {
        taut_dirac_verdict_is(d, DIRAC_REFUSED, "%s", reason);
    } else {
        size_t n2 = 2 * (size_t)d->n;
        wide *base = taut_mem_new(m->context, n2, sizeof *base);
        d->z = taut_mem_new(m->context, n2, sizeof *d->z);
        status = base && d->z ? TAUT_OK : TAUT_OUT_OF_MEMORY;
        for (size_t i = 0; !status && i < n2; i++)
            if (!(d->z[i] = taut_expr_variable(d->g, i < d->n ? KIND_Q : KIND_W, (uint32_t)(i % d->n))))
                status = TAUT_OUT_OF_MEMORY;
        if (!status) status = run_algorithm(d, base);
        taut_mem_free(m->context, base);
        char missing[sizeof m->phase->missing];
        int all = 0;
        if (!status) status = taut_missing_velocity(m, missing, sizeof missing, &all);
        if (all) warn(d, missing);
    }
    if (status)
        taut_dirac_destroy(d);
    else
        *result = d;
    return status;
}

void taut_dirac_destroy(dirac *d)
{
    if (!d) return;
    for (size_t k = 0; k < d->count; k++) taut_mem_free(d->context, d->chi[k].gradient);
    taut_mem_free(d->context, d->chi);
    taut_mem_free(d->context, d->z);
    taut_mem_free(d->context, d->momentum);
    taut_mem_free(d->context, d->multiplier);
    taut_mem_free(d->context, d->generator);
    taut_sampler_destroy(d->sampler);
    taut_mem_free(d->context, d);
}
