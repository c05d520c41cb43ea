#include "solve/multiplier.h"

#include <string.h>

#include "base/room.h"
#define NUMBER double
#include "linalg/products_sum.h"

struct multiplier {
    struct system *s;
    const pattern *g;     /* constraints x coordinates */
    pattern *gt;          /* coordinates x constraints */
    int *gt_from;         /* entry of g for each entry of gt */
    pattern *t;           /* rows of G0 W: those of g, closed under the blocks of W */
    pattern *columns;     /* of S */
    linear *solver;
    void *room;           /* of the arrays below */
    double *t_values;
    double *g_values;     /* G1 in double, where real is more */
    products *sums;       /* of t and G1, for each entry of S */
    double *values;       /* of S */
    int *where_t;         /* position of a coordinate in the row of t at hand */
    double *right;
};

void X(multiplier_destroy)(multiplier *m)
{
    if (!m) return;
    taut_context *context = m->s->context;
    taut_pattern_destroy(context, m->gt);
    taut_pattern_destroy(context, m->t);
    taut_pattern_destroy(context, m->columns);
    taut_mem_free(context, m->gt_from);
    taut_mem_free(context, m->room);
    taut_products_destroy(context, m->sums);
    taut_linear_destroy(m->solver);
    taut_mem_free(context, m);
}

/* All (i, k) with a_ij and b_jk present. */
static int product_pattern(taut_context *context, const pattern *a, const pattern *b, pattern **result)
{
    size_t count = 0, at = 0;
    for (int e = 0; e < pattern_entries(a); e++) count += (size_t)(b->start[a->index[e] + 1] - b->start[a->index[e]]);
    int *row = taut_mem_new(context, count, sizeof *row), *column = taut_mem_new(context, count, sizeof *column);
    int status = row && column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < a->rows; i++)
        for (int e = a->start[i]; e < a->start[i + 1]; e++)
            for (int f = b->start[a->index[e]]; f < b->start[a->index[e] + 1]; f++, at++)
                row[at] = i, column[at] = b->index[f];
    if (!status) status = taut_pattern_create(context, a->rows, b->columns, row, column, count, result);
    taut_mem_free(context, row);
    taut_mem_free(context, column);
    return status;
}

/* Column l of S: sum over coordinates j of t_lj (column j of G1). start NULL: counts only. Entry e of S has the products
   start[e] .. start[e+1] of entries of t and g. */
static void list_products(const multiplier *m, int *count, int *a, int *b)
{
    const pattern *t = m->t, *gt = m->gt, *s = m->columns;
    for (int l = 0; l < t->rows; l++)
        for (int e = t->start[l]; e < t->start[l + 1]; e++)
            for (int f = gt->start[t->index[e]]; f < gt->start[t->index[e] + 1]; f++) {
                int at = count[taut_pattern_find(s, l, gt->index[f])]++;
                if (a) a[at] = e, b[at] = m->gt_from[f];
            }
}

static int make_products(multiplier *m)
{
    taut_context *context = m->s->context;
    size_t entries = (size_t)pattern_entries(m->columns);
    int *start = taut_mem_new(context, entries + 2, sizeof *start), *a = NULL, *b = NULL;
    if (!start) return TAUT_OUT_OF_MEMORY;
    list_products(m, start + 2, NULL, NULL);
    for (size_t e = 2; e < entries + 2; e++) start[e] += start[e - 1];
    size_t total = (size_t)start[entries + 1];
    a = taut_mem_new(context, total, sizeof *a), b = taut_mem_new(context, total, sizeof *b);
    int status = a && b ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_products(m, start + 1, a, b); /* moves start[e+1] from the head of list e to its end */
        status = taut_products_create(context, (int)entries, start, a, b, &m->sums);
    }
    taut_mem_free(context, start);
    taut_mem_free(context, a);
    taut_mem_free(context, b);
    return status;
}

static void lay_out(void *self, room_layout *l)
{
    multiplier *m = self;
    m->t_values = room_take(l, (size_t)pattern_entries(m->t), sizeof *m->t_values);
    if (sizeof(real) != sizeof(double))
        m->g_values = room_take(l, (size_t)pattern_entries(m->g), sizeof *m->g_values);
    m->values = room_take(l, (size_t)pattern_entries(m->columns), sizeof *m->values);
    m->where_t = room_take(l, m->s->n, sizeof *m->where_t);
    m->right = room_take(l, m->s->c, sizeof *m->right);
}

int X(multiplier_create)(struct system *s, multiplier **result)
{
    taut_context *context = s->context;
    multiplier *m = taut_mem_new(context, 1, sizeof *m);
    *result = NULL;
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    m->g = s->blocks[BLOCK_G].parts[0].shape;
    int status = taut_pattern_transpose(context, m->g, &m->gt, &m->gt_from);
    if (!status) status = product_pattern(context, m->g, s->inverse_mass_shape, &m->t);
    if (!status) status = product_pattern(context, m->t, m->gt, &m->columns); /* symmetric: rows are columns */
    if (!status) status = make_products(m);
    if (!status) status = room_create(context, lay_out, m, &m->room);
    if (s->c == 0) status = taut_fail(context, TAUT_BAD_USAGE, "a multiplier matrix needs constraints");
    linear_backend backend = s->c <= 12 ? LINEAR_SMALL : LINEAR_LDL;
    if (!status)
        status = taut_linear_create(context, backend, (int)s->c, m->columns->start, m->columns->index, 1, &m->solver);
    if (status)
        X(multiplier_destroy)(m);
    else
        *result = m;
    return status;
}

int X(redundant_constraint)(const struct system *s, long index)
{
    if (index < 0 || index >= (long)s->c)
        return taut_fail(s->context, TAUT_SINGULAR,
                         "the equations for the multipliers are singular: constraints are redundant, or the mass "
                         "matrix is singular; "
                         "'taut check' tells which");
    return taut_fail(s->context, TAUT_SINGULAR,
                     "%s:%d: constraint '%s' is redundant: its gradient is zero or depends on the others here, so its "
                     "multiplier is not "
                     "determined; remove it "
                     "('taut check' shows the rank)",
                     s->m->file, s->m->constraints[index].line, s->m->constraints[index].name);
}

/* t = G0 W, row by row. */
static void form_t(multiplier *m, const real *g0)
{
    const pattern *g = m->g, *w = m->s->inverse_mass_shape, *t = m->t;
    const real *inverse = m->s->inverse_mass;
    if (m->s->structure.diagonal_mass) {
        for (int e = 0; e < pattern_entries(g); e++) m->t_values[e] = (double)(g0[e] * inverse[g->index[e]]);
        return;
    }
    memset(m->t_values, 0, (size_t)pattern_entries(t) * sizeof *m->t_values);
    for (int l = 0; l < g->rows; l++) {
        for (int e = t->start[l]; e < t->start[l + 1]; e++) m->where_t[t->index[e]] = e;
        for (int e = g->start[l]; e < g->start[l + 1]; e++)
            for (int f = w->start[g->index[e]]; f < w->start[g->index[e] + 1]; f++)
                m->t_values[m->where_t[w->index[f]]] += (double)(g0[e] * inverse[f]);
    }
}

int X(multiplier_factor)(multiplier *m, const real *g1, const real *g0)
{
    form_t(m, g0);
#ifdef TAUT_REAL_QUAD
    for (int e = 0; e < pattern_entries(m->g); e++) m->g_values[e] = (double)g1[e];
    products_sum(m->sums, m->t_values, m->g_values, m->values);
#else
    products_sum(m->sums, m->t_values, g1, m->values);
#endif
    int status = taut_linear_factor(m->solver, m->values);
    return status == TAUT_SINGULAR ? X(redundant_constraint)(m->s, taut_linear_status(m->solver)->deficient) : status;
}

const pattern *X(multiplier_transposed)(const multiplier *m, const int **from)
{
    *from = m->gt_from;
    return m->gt;
}

int X(multiplier_solve)(multiplier *m, real *r)
{
    for (uint32_t i = 0; i < m->s->c; i++) m->right[i] = (double)r[i];
    int status = taut_linear_solve(m->solver, m->right);
    for (uint32_t i = 0; !status && i < m->s->c; i++) r[i] = m->right[i];
    return status;
}
