/* Gauss-Jordan elimination on formulas. Whether an entry is zero is decided at the samples, which are on the constraint
 * manifold; an entry that is zero there is dropped, so that what comes out holds weakly. */
#include "analysis/dirac_inside.h"

int taut_tableau_create(dirac *d, int rows, int columns, tableau *t)
{
    *t = (tableau){ .rows = rows, .columns = columns };
    size_t r = (size_t)rows, c = (size_t)columns;
    t->m = taut_mem_new(d->context, r * c, sizeof *t->m);
    t->h = taut_mem_new(d->context, r, sizeof *t->h);
    t->pivot_column = taut_mem_new(d->context, r, sizeof *t->pivot_column);
    t->pivot_row = taut_mem_new(d->context, c, sizeof *t->pivot_row);
    if (!t->m || !t->h || !t->pivot_column || !t->pivot_row) {
        taut_tableau_clear(d, t);
        return TAUT_OUT_OF_MEMORY;
    }
    for (int k = 0; k < rows; k++) t->pivot_column[k] = -1;
    for (int j = 0; j < columns; j++) t->pivot_row[j] = -1;
    return TAUT_OK;
}

void taut_tableau_clear(dirac *d, tableau *t)
{
    taut_mem_free(d->context, t->m);
    taut_mem_free(d->context, t->h);
    taut_mem_free(d->context, t->pivot_column);
    taut_mem_free(d->context, t->pivot_row);
    *t = (tableau){ 0 };
}

/* The cost of dividing by an entry: nothing for numbers, then by size. */
static int entry_cost(dirac *d, expr e, size_t *cost)
{
    expr *list;
    *cost = taut_graph_node(d->g, e)->op == OP_CONSTANT ? 0 : 1;
    if (!*cost) return TAUT_OK;
    int status = taut_expr_reachable(d->g, &e, 1, &list, cost);
    if (!status) taut_expr_list_free(d->g, list);
    if (!status && taut_expr_is_constant(d->g, e)) *cost = 1;
    return status;
}

/* Drops entries that are zero on the manifold, finds the cheapest of the others in rows and columns without a pivot. */
static int choose(dirac *d, tableau *t, int *row, int *column)
{
    size_t best = (size_t)-1;
    *row = *column = -1;
    for (int k = 0; k < t->rows; k++)
        for (int j = 0; j < t->columns; j++) {
            expr *e = &t->m[k * t->columns + j];
            weakness weak;
            size_t cost;
            if (t->pivot_column[k] >= 0 || t->pivot_row[j] >= 0 || taut_expr_is_number(d->g, *e, 0)) continue;
            int status = taut_sampler_judge(d->sampler, *e, &weak);
            if (!status && weak == WEAK_ZERO) *e = taut_expr_number(d->g, 0);
            if (!*e) return TAUT_OUT_OF_MEMORY;
            if (weak == WEAK_MIXED) t->mixed = 1;
            if (!status) status = entry_cost(d, *e, &cost);
            if (status) return status;
            if (weak == WEAK_NONZERO && cost < best) best = cost, *row = k, *column = j;
        }
    return TAUT_OK;
}

/* row k -= factor * row p */
static int subtract(dirac *d, tableau *t, int k, int p, int column)
{
    graph *g = d->g;
    expr *row = t->m + k * t->columns, *with = t->m + p * t->columns;
    if (taut_expr_is_number(g, row[column], 0)) return TAUT_OK;
    expr factor = taut_expr_simplify(g, taut_expr_div(g, row[column], with[column]), NULL, NULL);
    for (int j = 0; j < t->columns; j++) {
        if (taut_expr_is_number(g, with[j], 0) && j != column) continue;
        row[j] = j == column
                     ? taut_expr_number(g, 0)
                     : taut_expr_simplify(g, taut_expr_sub(g, row[j], taut_expr_mul(g, factor, with[j])), NULL, NULL);
        if (!row[j]) return TAUT_OUT_OF_MEMORY;
    }
    t->h[k] = taut_expr_simplify(g, taut_expr_sub(g, t->h[k], taut_expr_mul(g, factor, t->h[p])), NULL, NULL);
    return t->h[k] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

int taut_tableau_eliminate(dirac *d, tableau *t)
{
    for (;;) {
        int p, column, status = choose(d, t, &p, &column);
        if (status || p < 0) return status;
        t->pivot_column[p] = column;
        t->pivot_row[column] = p;
        for (int k = 0; !status && k < t->rows; k++)
            if (k != p) status = subtract(d, t, k, p, column);
        if (status) return status;
    }
}
