/* Formulas for people, and small enough to go on with: a rational expression becomes a polynomial over a product of
 * factors, in which common factors are cancelled. Variables, parameters and what is not rational (sin(x), sqrt(x)) are
 * atoms. Nothing is known of relations between atoms, and no greatest common divisors are looked for beyond the factors
 * that denominators brought along. */
#include "expr/graph.h"
#include "expr/polynomial.h"

#include <string.h>

#define FACTORS 8

typedef struct {
    polynomial base;
    int power;
} factor;

/* numerator / product of factors */
typedef struct {
    polynomial numerator;
    factor factors[FACTORS];
    int factor_count;
} fraction;

static fraction whole(polynomial p)
{
    fraction f = { .numerator = p };
    return f;
}

static void times_factor(algebra *a, fraction *f, polynomial base, int power)
{
    for (int i = 0; i < f->factor_count; i++)
        if (taut_polynomial_equal(f->factors[i].base, base)) {
            f->factors[i].power += power;
            return;
        }
    if (f->factor_count == FACTORS)
        taut_algebra_too_large(a);
    else
        f->factors[f->factor_count++] = (factor){ base, power };
}

static polynomial power_of(algebra *a, polynomial p, int n)
{
    polynomial r = taut_polynomial_number(a, 1);
    for (; n > 0 && !a->failed; n--) r = taut_polynomial_multiply(a, r, p);
    return r;
}

static void cancel(algebra *a, fraction *f)
{
    int kept = 0;
    for (int i = 0; i < f->factor_count; i++) {
        factor d = f->factors[i];
        polynomial quotient;
        while (d.power > 0 && !a->failed && taut_polynomial_divide(a, f->numerator, d.base, &quotient)) {
            f->numerator = quotient;
            d.power--;
        }
        if (d.power > 0 && f->numerator.count) f->factors[kept++] = d;
    }
    f->factor_count = kept;
}

static fraction multiply(algebra *a, const fraction *x, const fraction *y)
{
    fraction r = *x;
    for (int i = 0; i < y->factor_count; i++) times_factor(a, &r, y->factors[i].base, y->factors[i].power);
    r.numerator = taut_polynomial_multiply(a, x->numerator, y->numerator);
    cancel(a, &r);
    return r;
}

/* The numerator of x over the denominator of r, which is a multiple of its own. */
static polynomial over(algebra *a, const fraction *x, const fraction *r)
{
    polynomial p = x->numerator;
    for (int i = 0; i < r->factor_count; i++) {
        int missing = r->factors[i].power;
        for (int k = 0; k < x->factor_count; k++)
            if (taut_polynomial_equal(x->factors[k].base, r->factors[i].base)) missing -= x->factors[k].power;
        p = taut_polynomial_multiply(a, p, power_of(a, r->factors[i].base, missing));
    }
    return p;
}

static fraction add(algebra *a, const fraction *x, const fraction *y, wide sign)
{
    fraction r = *x;
    for (int i = 0; i < y->factor_count; i++) {
        int have = 0;
        for (int k = 0; k < r.factor_count; k++)
            if (taut_polynomial_equal(r.factors[k].base, y->factors[i].base)) have = r.factors[k].power;
        if (have < y->factors[i].power) times_factor(a, &r, y->factors[i].base, y->factors[i].power - have);
    }
    polynomial p = over(a, x, &r), q = over(a, y, &r);
    r.numerator = taut_polynomial_add(a, p, taut_polynomial_scale(a, q, sign));
    cancel(a, &r);
    return r;
}

/* What all terms have in common, as a monomial with coefficient 1. */
static monomial content(polynomial p)
{
    monomial m = { 0 };
    if (!p.count) return m;
    m = p.at[0];
    for (size_t i = 1; i < p.count; i++)
        for (int k = 0; k < POLYNOMIAL_ATOMS; k++)
            if (p.at[i].power[k] < m.power[k]) m.power[k] = p.at[i].power[k];
    m.degree = 0;
    for (int k = 0; k < POLYNOMIAL_ATOMS; k++) m.degree = (uint8_t)(m.degree + m.power[k]);
    m.coefficient = 1;
    return m;
}

/* The number by which a factor is divided, so that proportional polynomials become equal: the smallest coefficient when
   the others are whole multiples of it, the first otherwise. The first coefficient becomes positive. */
static wide unit_of(polynomial p)
{
    wide first = p.at[0].coefficient, least = WIDE(fabs)(first);
    for (size_t i = 1; i < p.count; i++) least = WIDE(fmin)(least, WIDE(fabs)(p.at[i].coefficient));
    for (size_t i = 0; i < p.count; i++) {
        wide ratio = p.at[i].coefficient / least;
        if (WIDE(fabs)(ratio - WIDE(rint)(ratio)) > (wide)1e-15 * WIDE(fabs)(ratio)) return first;
    }
    return first < 0 ? -least : least;
}

static fraction reciprocal(algebra *a, const fraction *x)
{
    fraction r = whole(taut_polynomial_number(a, 1));
    polynomial p = x->numerator, quotient;
    if (a->failed || !p.count) { /* division by zero stays what it is */
        taut_algebra_too_large(a);
        return r;
    }
    monomial m = content(p);
    polynomial common = { &m, 1 };
    if (m.degree && taut_polynomial_divide(a, p, common, &quotient)) p = quotient;
    if (a->failed || !p.count) return r;
    wide unit = unit_of(p);
    p = taut_polynomial_scale(a, p, 1 / unit);
    r.numerator = taut_polynomial_scale(a, r.numerator, 1 / unit);
    for (int i = 0; i < x->factor_count; i++)
        r.numerator = taut_polynomial_multiply(a, r.numerator, power_of(a, x->factors[i].base, x->factors[i].power));
    for (int k = 0; k < POLYNOMIAL_ATOMS; k++)
        if (m.power[k]) times_factor(a, &r, taut_polynomial_atom(a, a->atoms[k]), m.power[k]);
    if (!taut_polynomial_is_number(p, 1)) times_factor(a, &r, p, 1);
    cancel(a, &r);
    return r;
}

static fraction power(algebra *a, const fraction *x, int32_t n)
{
    fraction base = n < 0 ? reciprocal(a, x) : *x, r = whole(taut_polynomial_number(a, 1));
    if (n > POLYNOMIAL_DEGREE || n < -POLYNOMIAL_DEGREE) taut_algebra_too_large(a);
    for (int32_t k = n < 0 ? -n : n; k > 0 && !a->failed; k--) r = multiply(a, &r, &base);
    return r;
}

/* ---- back to expressions ---- */

/* coefficient m / under */
static expr build_monomial(algebra *a, const monomial *m, wide coefficient, const monomial *under)
{
    expr e = 0, below = 0;
    for (int k = 0; k < a->atom_count; k++) {
        int power = m->power[k] - (under ? under->power[k] : 0);
        if (!power) continue;
        expr factor = taut_expr_powi(a->g, a->atoms[k], power < 0 ? -power : power), *side = power < 0 ? &below : &e;
        *side = *side ? taut_expr_mul(a->g, *side, factor) : factor;
    }
    expr number = taut_expr_number(a->g, coefficient);
    e = e ? taut_expr_mul(a->g, number, e) : number;
    return below ? taut_expr_div(a->g, e, below) : e;
}

static expr build_sum(algebra *a, polynomial p, const monomial *under)
{
    size_t first = 0;
    while (first < p.count && p.at[first].coefficient < 0) first++;
    if (first == p.count) first = 0;
    expr e = p.count ? build_monomial(a, &p.at[first], p.at[first].coefficient, under) : taut_expr_number(a->g, 0);
    for (size_t i = 0; i < p.count; i++) {
        if (i == first) continue;
        wide c = p.at[i].coefficient;
        expr term = build_monomial(a, &p.at[i], WIDE(fabs)(c), under);
        e = c < 0 ? taut_expr_sub(a->g, e, term) : taut_expr_add(a->g, e, term);
    }
    return e;
}

/* Parameters below the line, which go into the terms: m*g*y + p^2/(2*m), not (2*m^2*g*y + p^2)/(2*m). */
static int is_parameter_factor(const algebra *a, const factor *f)
{
    for (int k = 0; f->base.count == 1 && k < a->atom_count; k++)
        if (f->base.at[0].power[k]) return taut_graph_node(a->g, a->atoms[k])->op == OP_PARAMETER;
    return 0;
}

static monomial parameters_below(const algebra *a, const fraction *f)
{
    monomial m = { 0 };
    for (int i = 0; i < f->factor_count; i++)
        for (int k = 0; is_parameter_factor(a, &f->factors[i]) && k < a->atom_count; k++)
            m.power[k] = (uint8_t)(m.power[k] + f->factors[i].base.at[0].power[k] * f->factors[i].power);
    return m;
}

static expr build_numerator(algebra *a, const fraction *f)
{
    polynomial p = f->numerator;
    monomial m = content(p), below = parameters_below(a, f);
    polynomial common = { &m, 1 }, quotient;
    wide unit = p.count ? unit_of(p) : 1;
    if (p.count > 1 && m.degree && taut_polynomial_divide(a, p, common, &quotient)) {
        quotient = taut_polynomial_scale(a, quotient, 1 / unit);
        for (int k = 0; k < POLYNOMIAL_ATOMS; k++) { /* what the common factor leaves of them */
            uint8_t taken = m.power[k] < below.power[k] ? m.power[k] : below.power[k];
            m.power[k] = (uint8_t)(m.power[k] - taken);
            below.power[k] = (uint8_t)(below.power[k] - taken);
        }
        return taut_expr_mul(a->g, build_monomial(a, &m, unit, NULL), build_sum(a, quotient, &below));
    }
    return build_sum(a, p, &below);
}

static expr build_denominator(algebra *a, const fraction *f)
{
    expr e = taut_expr_number(a->g, 1);
    for (int i = 0; i < f->factor_count; i++)
        if (!is_parameter_factor(a, &f->factors[i]))
            e = taut_expr_mul(a->g, e,
                              taut_expr_powi(a->g, build_sum(a, f->factors[i].base, NULL), f->factors[i].power));
    return e;
}

static expr build(algebra *a, const fraction *f)
{
    return taut_expr_div(a->g, build_numerator(a, f), build_denominator(a, f));
}

/* ---- from expressions ---- */

/* What is not rational becomes an atom, of simplified operands. */
static fraction convert_function(algebra *a, const node *n, const fraction *x, const fraction *y)
{
    expr first = build(a, x), atom = taut_expr_rebuild(a->g, n, first, taut_op_arity(n->op) == 2 ? build(a, y) : 0);
    if (!atom) a->failed = TAUT_OUT_OF_MEMORY;
    if (a->failed) return whole((polynomial){ NULL, 0 });
    if (taut_graph_node(a->g, atom)->op == OP_CONSTANT)
        return whole(taut_polynomial_number(a, taut_graph_constant(a->g, atom)));
    return whole(taut_polynomial_atom(a, atom));
}

static fraction convert(algebra *a, expr e, const fraction *x, const fraction *y)
{
    node n = *taut_graph_node(a->g, e);
    if (n.op == OP_SHOWN) return *x;
    switch ((op)n.op) {
    case OP_CONSTANT: return whole(taut_polynomial_number(a, taut_graph_constant(a->g, e)));
    case OP_PARAMETER:
    case OP_VARIABLE: return whole(taut_polynomial_atom(a, e));
    case OP_NEG: {
        fraction r = *x;
        r.numerator = taut_polynomial_scale(a, x->numerator, -1);
        return r;
    }
    case OP_ADD: return add(a, x, y, 1);
    case OP_SUB: return add(a, x, y, -1);
    case OP_MUL: return multiply(a, x, y);
    case OP_DIV: {
        fraction r = reciprocal(a, y);
        return multiply(a, x, &r);
    }
    case OP_POWI: return power(a, x, (int32_t)n.b);
    case OP_NONE:
    case OP_POW:
    CASE_CALLS
    CASE_FUNCTIONS break;
    }
    return convert_function(a, &n, x, y);
}

/* Atoms in the order in which formulas are read: parameters, coordinates, momenta, the rest as it comes. */
static int rank_of(const graph *g, expr e)
{
    node n = *taut_graph_node(g, e);
    return n.op == OP_PARAMETER ? 0 : n.b == KIND_Q ? 1 : n.b == KIND_W ? 2 : 3;
}

static void declare_atoms(algebra *a, const expr *list, size_t count)
{
    for (int rank = 0; rank < 4; rank++)
        for (;;) { /* ascending by index */
            expr best = 0;
            for (size_t i = 0; i < count; i++) {
                node n = *taut_graph_node(a->g, list[i]);
                if ((n.op != OP_PARAMETER && n.op != OP_VARIABLE) || rank_of(a->g, list[i]) != rank) continue;
                int known = 0;
                for (int k = 0; k < a->atom_count; k++) known |= a->atoms[k] == list[i];
                if (!known && (!best || n.a < taut_graph_node(a->g, best)->a)) best = list[i];
            }
            if (!best || a->failed) break;
            taut_polynomial_atom(a, best);
        }
}

#define SIMPLIFY_NODES 20000

static int convert_all(algebra *a, expr e, fraction *result)
{
    expr *list;
    size_t count;
    int status = taut_expr_reachable(a->g, &e, 1, &list, &count);
    if (status) return status;
    uint32_t *index = NULL; /* positions by node: list is ascending, so a search finds them */
    if (count > SIMPLIFY_NODES) taut_algebra_too_large(a);
    declare_atoms(a, list, a->failed ? 0 : count);
    fraction *all = a->failed ? NULL : taut_algebra_memory(a, count, sizeof *all);
    index = all ? taut_algebra_memory(a, (size_t)e + 1, sizeof *index) : NULL;
    for (size_t i = 0; index && i < count; i++) index[list[i]] = (uint32_t)i;
    for (size_t i = 0; index && !a->failed && i < count; i++) {
        node n = *taut_graph_node(a->g, list[i]);
        int arity = taut_op_arity(n.op);
        all[i] = convert(a, list[i], arity >= 1 ? &all[index[n.a]] : NULL, arity == 2 ? &all[index[n.b]] : NULL);
    }
    if (index && !a->failed) *result = all[count - 1];
    taut_expr_list_free(a->g, list);
    return a->failed;
}

expr taut_expr_simplify(graph *g, expr e, expr *numerator, expr *denominator)
{
    algebra a;
    fraction f = { 0 };
    if (!e) return 0;
    taut_algebra_begin(&a, g);
    int status = convert_all(&a, e, &f);
    expr result = e, top = e, bottom = taut_expr_number(g, 1);
    if (!status) {
        top = build_numerator(&a, &f);
        bottom = build_denominator(&a, &f);
        result = taut_expr_div(g, top, bottom);
        status = a.failed;
    }
    if (status == TAUT_UNSUPPORTED) result = top = e, bottom = taut_expr_number(g, 1);
    if (status == TAUT_OUT_OF_MEMORY) result = 0;
    taut_algebra_end(&a);
    if (numerator) *numerator = top;
    if (denominator) *denominator = bottom;
    return result && top && bottom ? result : 0;
}
