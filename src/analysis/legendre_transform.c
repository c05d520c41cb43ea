/* From a Lagrangian, quadratic in the velocities, to H_c and the primary constraints:  A(q) v = p - b(q)  is solved for
 * as many velocities as the rank of A allows; what is left of the equations are the primary constraints, and the other
 * velocities stay free (zero in H_c = p v - L, their multiples of the primary constraints are the u phi of the total
 * Hamiltonian). */
#include "analysis/dirac_inside.h"

static expr sum_of(const dirac *d)
{
    expr sum = taut_expr_number(d->g, 0);
    for (size_t i = 0; i < d->m->summand_count; i++) sum = taut_expr_add(d->g, sum, d->m->summands[i].value);
    return sum;
}

/* Row i of A v + h = 0, with h = b - p. */
static int momentum_row(dirac *d, tableau *t, uint32_t i, const expr *zero)
{
    graph *g = d->g;
    expr *velocities = d->z + d->n, *row = t->m + (size_t)i * d->n;
    int status = taut_expr_gradient(g, d->momentum[i], velocities, d->n, row);
    for (uint32_t j = 0; !status && j < d->n; j++) {
        row[j] = taut_expr_simplify(g, row[j], NULL, NULL);
        if (!row[j]) return TAUT_OUT_OF_MEMORY;
        unsigned kinds = taut_expr_kinds(g, row[j]);
        if (kinds == ~0u) return TAUT_OUT_OF_MEMORY;
        if (kinds & 1u << KIND_W) {
            char name[200];
            taut_model_coordinate_name(d->m, i, name, sizeof name);
            return taut_dirac_verdict_is(
                d, DIRAC_REFUSED,
                "the Lagrangian is not quadratic in the velocities (see '%s'), and the Hamiltonian cannot "
                "be written down; write the model with hamiltonian and momentum",
                name);
        }
    }
    if (status) return status;
    expr b = taut_expr_substitute(g, d->momentum[i], velocities, zero, d->n);
    t->h[i] = taut_expr_simplify(g, taut_expr_sub(g, b, velocities[i]), NULL, NULL);
    return t->h[i] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* The smaller of a formula and its simplified form: what the user wrote may be shorter than a polynomial. */
static int shorter(dirac *d, expr *e)
{
    expr simple = taut_expr_simplify(d->g, *e, NULL, NULL), *list;
    size_t before, after;
    if (!simple) return TAUT_OUT_OF_MEMORY;
    int status = taut_expr_reachable(d->g, e, 1, &list, &before);
    if (status) return status;
    taut_expr_list_free(d->g, list);
    status = taut_expr_reachable(d->g, &simple, 1, &list, &after);
    if (status) return status;
    taut_expr_list_free(d->g, list);
    if (after <= before) *e = simple;
    return TAUT_OK;
}

/* sum -= e, term by term, so that a minus before a bracket does not stay. */
static expr subtract_terms(dirac *d, expr sum, expr e, int depth)
{
    graph *g = d->g;
    if (!e) return 0;
    node n = *taut_graph_node(g, e);
    if (depth > 1000) return taut_expr_sub(g, sum, e);
    if (n.op == OP_ADD) return subtract_terms(d, subtract_terms(d, sum, n.a, depth + 1), n.b, depth + 1);
    if (n.op == OP_SUB) return taut_expr_add(g, subtract_terms(d, sum, n.a, depth + 1), n.b);
    if (n.op == OP_NEG) return taut_expr_add(g, sum, n.a);
    if (n.op == OP_MUL && taut_graph_node(g, n.a)->op == OP_CONSTANT && taut_graph_constant(g, n.a) < 0)
        return taut_expr_add(g, sum, taut_expr_neg(g, e));
    return taut_expr_sub(g, sum, e);
}

/* H_c = (p - b) v / 2 - L(q,0), v zero where it is free. With rows and columns of the pivots the same this is p v - L
   exactly; they are, or H_c is found by putting v into p v - L. */
static int write_hamiltonian(dirac *d, const tableau *t, expr lagrangian, expr *v, const expr *zero)
{
    graph *g = d->g;
    expr *p = d->z + d->n, half = taut_expr_number(g, (wide)0.5), kinetic = taut_expr_number(g, 0), *b = v + d->n;
    int same = 1;
    for (uint32_t j = 0; j < d->n; j++) {
        int row = t->pivot_row[j];
        v[j] = row < 0 ? zero[j]
                       : taut_expr_simplify(
                           g, taut_expr_neg(g, taut_expr_div(g, t->h[row], t->m[(size_t)row * d->n + j])), NULL, NULL);
        same &= (row < 0) == (t->pivot_column[j] < 0);
        b[j] = taut_expr_substitute(g, d->momentum[j], p, zero, d->n);
    }
    for (uint32_t j = 0; j < d->n; j++)
        if (t->pivot_row[j] >= 0)
            kinetic = taut_expr_add(g, kinetic,
                               same ? taut_expr_mul(g, half, taut_expr_mul(g, taut_expr_sub(g, p[j], b[j]), v[j]))
                                    : taut_expr_mul(g, p[j], v[j]));
    kinetic = taut_expr_simplify(g, kinetic, NULL, NULL);
    d->hamiltonian = subtract_terms(d, kinetic, taut_expr_substitute(g, lagrangian, p, same ? zero : v, d->n), 0);
    return d->hamiltonian ? shorter(d, &d->hamiltonian) : TAUT_OUT_OF_MEMORY;
}

static int primary_constraints(dirac *d, const tableau *t)
{
    int status = TAUT_OK;
    for (uint32_t i = 0; !status && i < d->n; i++) {
        expr top;
        if (t->pivot_column[i] >= 0) continue;
        expr phi = taut_expr_simplify(d->g, taut_expr_neg(d->g, t->h[i]), &top, NULL);
        status =
            phi ? taut_dirac_add(d, top,
                            (dirac_constraint){ .generation = 1, .multiplier = d->multiplier_count++, .source = -1 })
                : TAUT_OUT_OF_MEMORY;
        d->singular = 1;
    }
    return status;
}

int taut_dirac_legendre(dirac *d)
{
    tableau t;
    uint32_t n = d->n;
    expr lagrangian = sum_of(d), *work = taut_mem_new(d->context, 3 * (size_t)n, sizeof *work),
         *zero = work ? work + 2 * n : NULL;
    if (!work) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < n; i++) zero[i] = taut_expr_number(d->g, 0);
    int status = lagrangian ? taut_expr_gradient(d->g, lagrangian, d->z + n, n, d->momentum) : TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_tableau_create(d, (int)n, (int)n, &t);
    if (status) {
        taut_mem_free(d->context, work);
        return status;
    }
    for (uint32_t i = 0; !status && d->verdict == DIRAC_DETERMINED && i < n; i++)
        status = momentum_row(d, &t, i, zero);
    if (!status && d->verdict == DIRAC_DETERMINED) {
        status = taut_tableau_eliminate(d, &t);
        if (!status && t.mixed)
            status = taut_dirac_verdict_is(
                d, DIRAC_REFUSED,
                "the rank of the Hessian of the Lagrangian in the velocities changes from place to place");
        if (!status && !t.mixed) status = write_hamiltonian(d, &t, lagrangian, work, zero);
        if (!status && !t.mixed) status = primary_constraints(d, &t);
    }
    taut_tableau_clear(d, &t);
    taut_mem_free(d->context, work);
    return status;
}
