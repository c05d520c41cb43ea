#include "solve/multiplier.h"

#include <string.h>

#include "base/loops.h"
#include "base/room.h"
#include "solve/redundancy.h"
#include "solve/stress.h"
#define NUMBER double
#include "linalg/products_sum.h"

/* What the matrices of a system share: it depends on patterns alone. */
typedef struct {
    long users;
    pattern *t;           /* NULL where W is diagonal */
    pattern *columns;     /* of S */
    products *sums;       /* of those whose values of G are in the order of the pattern; NULL: not made yet */
} multiplier_shape;

struct multiplier {
    struct system *s;
    const pattern *g;     /* constraints x coordinates */
    int g_entries;
    const int *order;     /* of the values of g; NULL: as in the pattern */
    multiplier_shape *shape;
    const pattern *t;     /* rows of G0 W: those of g, closed under the blocks of W */
    const pattern *columns;
    linear *solver;
    real *weights;        /* diagonal mass: of the coordinate of each entry of G; NULL where they are */
    unsigned weights_version; /* of the constants, when they were taken */
    int even;             /* all the same, and left out of S: */
    double left_out;
    int *diagonal;        /* of S, its entries among the values: where constraints are softened */
    const double *softening; /* of this matrix alone; NULL: that of the system */
    stress *stress;       /* who chooses among multipliers that make the same force; NULL: softening does */
    void *room;           /* of the arrays below */
    double *t_values;     /* NULL: those of G0 are taken */
    double *g_values;     /* G1 in double, where real is more */
    products *sums;       /* of t and G1, for each entry of S; those of the shape where there is no order */
    double *values;       /* of S */
    int *where_t;         /* position of a coordinate in the row of t at hand */
    double *right;        /* where real is more than double */
    real *spare;          /* c; where constraints are softened */
};

/* G by coordinates, while the object is made. */
typedef struct {
    pattern *shape;       /* coordinates x constraints */
    int *from;            /* entry of g for each of its entries */
    const int *order;     /* of the values of g; NULL: as in the pattern */
} transposed;

void X(multiplier_destroy)(multiplier *m)
{
    if (!m) return;
    taut_context *context = m->s->context;
    if (m->s->multiplier == m) m->s->multiplier = NULL;
    if (m->shape && --m->shape->users == 0) {
        taut_pattern_destroy(context, m->shape->t);
        taut_pattern_destroy(context, m->shape->columns);
        taut_products_destroy(context, m->shape->sums);
        taut_mem_free(context, m->shape);
    }
    taut_mem_free(context, m->weights);
    taut_mem_free(context, m->diagonal);
    X(stress_destroy)(m->stress);
    room_free(context, &m->room);
    if (m->order) taut_products_destroy(context, m->sums);
    taut_linear_destroy(m->solver);
    taut_mem_free(context, m);
}

/* Column l of S: sum over coordinates j of t_lj (column j of G1). a NULL: counts only. Entry e of S has the products
   count[e] .. count[e+1] of entries of t and g. places: of the entries of S, where not as in the pattern. where, c
   numbers: the count of the entry of S in this column and each row. */
static void list_products(const multiplier *m, const transposed *g, const int *places, int **where, int *count, int *a,
                          int *b)
{
    const pattern *t = m->t, *gt = g->shape, *s = m->columns;
    const int *order = g->order, *t_order = m->s->structure.diagonal_mass ? order : NULL; /* t then has that of g */
    for (int l = 0; l < t->rows; l++) {
        for (int entry = s->start[l]; entry < s->start[l + 1]; entry++)
            where[s->index[entry]] = &count[places ? places[entry] : entry];
        for (int e = t->start[l]; e < t->start[l + 1]; e++) {
            const int first = gt->start[t->index[e]], end = gt->start[t->index[e] + 1];
            const int left = t_order ? t_order[e] : e;
            for (int f = first; f < end; f++) {
                const int at = (*where[gt->index[f]])++;
                if (!a) continue;
                a[at] = left;
                b[at] = order ? order[g->from[f]] : g->from[f];
            }
        }
    }
}

static int make_products(multiplier *m, const transposed *g)
{
    const int *places;
    taut_context *context = m->s->context;
    size_t entries = (size_t)pattern_entries(m->columns);
    int *start = taut_mem_new(context, entries + 2, sizeof *start), *a = NULL, *b = NULL;
    int **where = taut_mem_new(context, m->s->c, sizeof *where);
    int asked = taut_linear_value_order(m->solver, &places);
    if (!start || !where || asked) {
        taut_mem_free(context, start);
        taut_mem_free(context, where);
        return TAUT_OUT_OF_MEMORY;
    }
    list_products(m, g, places, where, start + 2, NULL, NULL);
    for (size_t e = 2; e < entries + 2; e++) start[e] += start[e - 1];
    size_t total = (size_t)start[entries + 1];
    a = taut_mem_new(context, total, sizeof *a), b = taut_mem_new(context, total, sizeof *b);
    int status = a && b ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_products(m, g, places, where, start + 1, a, b); /* moves start[e+1] from the head of list e to its end */
        status = taut_products_create(context, (int)entries, start, a, b, m->order ? &m->sums : &m->shape->sums);
    }
    taut_mem_free(context, start);
    taut_mem_free(context, where);
    taut_mem_free(context, a);
    taut_mem_free(context, b);
    return status;
}

static void lay_out(void *self, room_layout *l)
{
    multiplier *m = self;
    if (!m->even) m->t_values = room_take(l, (size_t)pattern_entries(m->t), sizeof *m->t_values);
    if (sizeof(real) != sizeof(double))
        m->g_values = room_take(l, (size_t)pattern_entries(m->g), sizeof *m->g_values);
    m->values = room_take(l, (size_t)pattern_entries(m->columns), sizeof *m->values);
    if (m->shape->t) m->where_t = room_take(l, m->s->n, sizeof *m->where_t);
    if (sizeof(real) != sizeof(double)) m->right = room_take(l, m->s->c, sizeof *m->right);
    if (m->diagonal) m->spare = room_reals(l, m->s->c);
}

/* The weights of a diagonal mass. */
static int weigh_entries(multiplier *m, const int *order)
{
    const real *inverse = m->s->inverse_mass;
    const int *coordinates = m->g->index;
    m->even = sizeof(real) == sizeof(double) && m->g_entries > 0;
    for (int e = 1; m->even && e < m->g_entries; e++) m->even = inverse[coordinates[e]] == inverse[coordinates[0]];
    if (m->even) m->left_out = (double)inverse[coordinates[0]];
    if (m->even) return TAUT_OK;
    m->weights = taut_mem_new(m->s->context, (size_t)m->g_entries, sizeof *m->weights);
    if (!m->weights) return TAUT_OUT_OF_MEMORY;
    for (int e = 0; e < m->g_entries; e++) m->weights[order ? order[e] : e] = inverse[coordinates[e]];
    return TAUT_OK;
}

/* Other parameters may have led to another mass (system_refresh_mass), which is even where this one was. */
static void weigh_again(multiplier *m)
{
    const real *inverse = m->s->inverse_mass;
    const int *coordinates = m->g->index;
    m->weights_version = m->s->constants_version;
    if (m->even) m->left_out = (double)inverse[coordinates[0]];
    for (int e = 0; m->weights && e < m->g_entries; e++)
        m->weights[m->order ? m->order[e] : e] = inverse[coordinates[e]];
}

static int make_shape(multiplier *m, const transposed *g)
{
    struct system *s = m->s;
    taut_context *context = s->context;
    multiplier_shape *shape = m->shape = taut_mem_new(context, 1, sizeof *shape);
    if (!shape) return TAUT_OUT_OF_MEMORY;
    shape->users = 1;
    int status = TAUT_OK;
    if (!s->structure.diagonal_mass) status = taut_pattern_product(context, m->g, s->inverse_mass_shape, &shape->t);
    if (!status) /* symmetric: rows are columns */
        status = taut_pattern_product(context, shape->t ? shape->t : m->g, g->shape, &shape->columns);
    linear_backend backend = s->c <= 12 ? LINEAR_SMALL : LINEAR_LDL;
    if (!status)
        status = taut_linear_create(context, backend, (int)s->c, shape->columns->start, shape->columns->index, 1,
                                    &m->solver);
    return status;
}

static int share_shape(multiplier *m, const multiplier *other)
{
    m->shape = other->shape;
    m->shape->users++;
    return taut_linear_create_like(other->solver, &m->solver);
}

static int find_diagonal(multiplier *m)
{
    const int *places;
    m->diagonal = taut_mem_new(m->s->context, m->s->c, sizeof *m->diagonal);
    if (!m->diagonal || taut_linear_value_order(m->solver, &places)) return TAUT_OUT_OF_MEMORY;
    for (int k = 0; k < m->columns->rows; k++) {
        int entry = taut_pattern_find(m->columns, k, k);
        m->diagonal[k] = places ? places[entry] : entry;
    }
    return TAUT_OK;
}

static int make(multiplier *m, transposed *g)
{
    struct system *s = m->s;
    int shared = s->multiplier && s->multiplier->shape->sums && !m->order, status = TAUT_OK;
    if (m->order && s->multiplier && s->multiplier->shape->sums) { /* the same products, of values in another order */
        status = taut_products_renumber(s->context, s->multiplier->shape->sums,
                                        s->structure.diagonal_mass ? m->order : NULL, m->order, &m->sums);
        shared = m->sums != NULL;
    }
    if (!status && !shared) status = taut_pattern_transpose(s->context, m->g, &g->shape, &g->from);
    if (!status) status = s->multiplier ? share_shape(m, s->multiplier) : make_shape(m, g);
    if (status) return status;
    taut_linear_use(m->solver, s->work->pool);
    m->columns = m->shape->columns;
    m->t = m->shape->t ? m->shape->t : m->g;
    m->left_out = 1;
    m->weights_version = s->constants_version;
    if (s->structure.diagonal_mass) status = weigh_entries(m, g->order);
    if (!status && s->softening) status = find_diagonal(m);
    if (!status) status = X(stress_create)(s, g->order, &m->stress);
    if (!status) status = room_create(s->context, lay_out, m, &m->room);
    if (!status && !shared) status = make_products(m, g);
    if (!status && !m->order) m->sums = m->shape->sums;
    return status;
}

int X(multiplier_is_enough)(const struct system *s) { return s->inverse_mass && !s->structure.force_multiplier; }

int X(multiplier_create)(struct system *s, const int *order, multiplier **result)
{
    taut_context *context = s->context;
    transposed g = { .order = order };
    *result = NULL;
    if (s->c == 0) return taut_fail(context, TAUT_BAD_USAGE, "a multiplier matrix needs constraints");
    multiplier *m = taut_mem_new(context, 1, sizeof *m);
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    m->g = s->blocks[BLOCK_G].parts[0].shape;
    m->g_entries = pattern_entries(m->g);
    m->order = order;
    int status = make(m, &g);
    taut_pattern_destroy(context, g.shape);
    taut_mem_free(context, g.from);
    if (status) {
        X(multiplier_destroy)(m);
        return status;
    }
    if (!s->multiplier) s->multiplier = m;
    *result = m;
    return TAUT_OK;
}

static int list_rows_and_columns(taut_context *context, const pattern *g, int *index, int *order, products **rows,
                                 products **columns)
{
    pattern *gt = NULL;
    int *from = NULL, entries = pattern_entries(g);
    products *natural = NULL;
    for (int e = 0; e < entries; e++) index[e] = e;
    int status = taut_products_create(context, g->rows, g->start, index, g->index, &natural);
    if (!status) taut_products_order(natural, order);
    if (!status) status = taut_products_renumber(context, natural, order, NULL, rows);
    taut_products_destroy(context, natural);
    if (!status && !*rows) status = taut_products_create(context, g->rows, g->start, order, g->index, rows);
    if (!status) status = taut_pattern_transpose(context, g, &gt, &from);
    for (int e = 0; !status && e < entries; e++) index[e] = order[from[e]];
    if (!status) status = taut_products_create(context, gt->rows, gt->start, index, gt->index, columns);
    taut_pattern_destroy(context, gt);
    taut_mem_free(context, from);
    return status;
}

int X(multiplier_prepare_order)(struct system *s, int **order, products **rows, products **columns)
{
    const pattern *g = s->blocks[BLOCK_G].parts[0].shape;
    size_t entries = (size_t)pattern_entries(g);
    int *index = taut_mem_new(s->context, entries, sizeof *index);
    *order = taut_mem_new(s->context, entries, sizeof **order);
    *rows = *columns = NULL;
    int status = index && *order ? list_rows_and_columns(s->context, g, index, *order, rows, columns)
                                 : TAUT_OUT_OF_MEMORY;
    taut_mem_free(s->context, index);
    kind by;
    field *slopes = system_slopes(s, &by);
    return status ? status : X(field_prepare_ordered_jacobian)(slopes, by, *order);
}

int X(redundant_constraint)(const struct system *s, long index)
{
    if (index < 0 || index >= (long)s->c)
        return taut_fail(s->context, TAUT_SINGULAR,
                         "the equations for the multipliers are singular: constraints are redundant, or the mass "
                         "matrix is singular; look for constraints that say the same, and for coordinates without "
                         "mass");
    const origin of = X(system_constraint_origin)(s, (uint32_t)index);
    return taut_fail(s->context, TAUT_SINGULAR,
                     "%s:%d: a singular position: the gradient of constraint '%s' is zero here or depends on the "
                     "others, so its multiplier is not determined; if the motion passes it, another step length may "
                     "step over it",
                     of.file, of.line, of.name);
}

/* ---- loops ---- */

/* Numbers of a loop, and one of its arrays. */
typedef struct {
    const multiplier *m;
    size_t count;
    const real *from;
    double *to;
    real *values, factor;
} loop_job;

static size_t loop_piece(const loop_job *j, int index, size_t *begin)
{
    *begin = pool_begin(j->count, POOL_NUMBERS, index);
    return pool_begin(j->count, POOL_NUMBERS, index + 1) - *begin;
}

static void run_loop(loop_job *j, pool_work piece)
{
    taut_pool_run(j->m->s->work->pool, pool_pieces(j->count, POOL_NUMBERS), piece, j);
}

static WIDE_LOOPS void weigh(size_t count, const real *restrict g, const real *restrict weights, double *restrict t)
{
    for (size_t e = 0; e < count; e++) t[e] = (double)(g[e] * weights[e]);
}

static void weigh_piece(void *self, int index, int worker)
{
    const loop_job *j = self;
    size_t begin, count = loop_piece(j, index, &begin);
    (void)worker;
    weigh(count, j->from + begin, j->m->weights + begin, j->to + begin);
}

/* t = G0 W, row by row. */
static void form_t(multiplier *m, const real *g0)
{
    const pattern *g = m->g, *w = m->s->inverse_mass_shape, *t = m->t;
    const real *inverse = m->s->inverse_mass;
    if (m->weights) {
        loop_job j = { .m = m, .count = (size_t)m->g_entries, .from = g0, .to = m->t_values };
        run_loop(&j, weigh_piece);
        return;
    }
    memset(m->t_values, 0, (size_t)pattern_entries(t) * sizeof *m->t_values);
    for (int l = 0; l < g->rows; l++) {
        for (int e = t->start[l]; e < t->start[l + 1]; e++) m->where_t[t->index[e]] = e;
        for (int e = g->start[l]; e < g->start[l + 1]; e++)
            for (int f = w->start[g->index[e]]; f < w->start[g->index[e] + 1]; f++)
                m->t_values[m->where_t[w->index[f]]] += (double)(g0[m->order ? m->order[e] : e] * inverse[f]);
    }
}

void X(multiplier_soften)(multiplier *m, const double *softening) { m->softening = softening; }

static const double *softening_of(const multiplier *m) { return m->softening ? m->softening : m->s->softening; }

/* A singular matrix is one of redundant constraints. */
static int judged(const multiplier *m, int status)
{
    return status == TAUT_SINGULAR ? X(redundant_constraint)(m->s, taut_linear_status(m->solver)->deficient) : status;
}

#ifdef TAUT_REAL_QUAD
/* Not by rows: the factors have to be made double first, and are summed when the matrix is factored. */
int X(multiplier_by_rows)(const multiplier *m) { return (void)m, 0; }
void X(multiplier_sum_rows)(multiplier *m, const real *g, uint32_t from, uint32_t to)
{
    (void)m, (void)g, (void)from, (void)to;
}
void X(multiplier_sum_next)(multiplier *m, const real *g, uint32_t row) { (void)m, (void)g, (void)row; }
int X(multiplier_factor_summed)(multiplier *m, const real *g) { return X(multiplier_factor)(m, g, g); }
#else
/* The values of one triangle that are enough where both are the same sums; 0: all are needed. */
static int one_triangle(const multiplier *m)
{
    return m->even && !m->diagonal ? taut_linear_takes_lower(m->solver) : 0;
}

int X(multiplier_by_rows)(const multiplier *m) { return one_triangle(m) > 0; }

/* Values from .. to - 1. */
static void sum_values(multiplier *m, const real *g, uint32_t from, uint32_t to)
{
    const products_job j = { .p = m->sums, .a = g, .b = g, .out = m->values + from };
    if (to > from) products_some(&j, (int)from, (int)to);
}

/* The triangle is the diagonal, and behind it row by row the coupling with the next one. */
void X(multiplier_sum_rows)(multiplier *m, const real *g, uint32_t from, uint32_t to)
{
    sum_values(m, g, from, to);
    if (to > from) sum_values(m, g, m->s->c + from, m->s->c + to - 1);
}

void X(multiplier_sum_next)(multiplier *m, const real *g, uint32_t row)
{
    if (row + 1 < m->s->c) sum_values(m, g, m->s->c + row, m->s->c + row + 1);
}

int X(multiplier_factor_summed)(multiplier *m, const real *g)
{
    if (m->weights_version != m->s->constants_version) weigh_again(m);
    X(stress_at)(m->stress, g);
    return judged(m, taut_linear_factor_lower(m->solver, m->values));
}
#endif

int X(multiplier_factor)(multiplier *m, const real *g1, const real *g0)
{
    if (m->weights_version != m->s->constants_version) weigh_again(m);
    X(stress_at)(m->stress, g0);
#ifdef TAUT_REAL_QUAD
    form_t(m, g0);
    for (int e = 0; e < m->g_entries; e++) m->g_values[e] = (double)g1[e];
    products_sum(m->s->work->pool, m->sums, m->t_values, m->g_values, m->values);
#else
    /* Both triangles are the same sums where both factors are the same. */
    const int lower = g1 == g0 ? one_triangle(m) : 0;
    if (!m->even) form_t(m, g0);
    products_sum_first(m->s->work->pool, m->sums, lower ? lower : m->sums->lists, m->even ? g0 : m->t_values, g1,
                       m->values);
    if (lower) return judged(m, taut_linear_factor_lower(m->solver, m->values));
#endif
    if (m->diagonal)
        for (uint32_t k = 0; k < m->s->c; k++) m->values[m->diagonal[k]] += softening_of(m)[k] / m->left_out;
    return judged(m, taut_linear_factor(m->solver, m->values));
}

static WIDE_LOOPS void scale_by(size_t count, real scale, real *restrict x)
{
    for (size_t i = 0; i < count; i++) x[i] *= scale;
}

static void scale_piece(void *self, int index, int worker)
{
    const loop_job *j = self;
    size_t begin, count = loop_piece(j, index, &begin);
    (void)worker;
    scale_by(count, j->factor, j->values + begin);
}

int X(multiplier_solve_scaled)(multiplier *m, real *scale, real *r)
{
#ifdef TAUT_REAL_QUAD
    const uint32_t c = m->s->c;
    (void)scale;
    for (uint32_t i = 0; i < c; i++) m->right[i] = (double)r[i];
    int status = taut_linear_solve(m->solver, m->right);
    for (uint32_t i = 0; !status && i < c; i++) r[i] = m->right[i];
#else
    int status = taut_linear_solve(m->solver, r);
    *scale /= m->left_out;
#endif
    return status;
}

int X(multiplier_solve)(multiplier *m, real scale, real *r)
{
    int status = X(multiplier_solve_scaled)(m, &scale, r);
    loop_job j = { .m = m, .count = m->s->c, .values = r, .factor = scale };
    if (!status && scale != 1) run_loop(&j, scale_piece);
    return status;
}

int X(multiplier_choose_by)(multiplier *m, int passes, const real *lambda, real *change)
{
    const uint32_t c = m->s->c;
    int status = TAUT_OK;
    if (!m->diagonal) return TAUT_OK;
    if (m->stress) return X(stress_choose)(m->stress, lambda, change);
    for (uint32_t k = 0; k < c; k++) m->spare[k] = (lambda ? lambda[k] : 0) - change[k];
    for (int pass = 0; !status && pass < passes; pass++) {
        for (uint32_t k = 0; k < c; k++) m->spare[k] *= softening_of(m)[k];
        status = X(multiplier_solve)(m, 1, m->spare);
    }
    for (uint32_t k = 0; !status && k < c; k++) change[k] += m->spare[k];
    return status;
}

int X(multiplier_choose)(multiplier *m, const real *lambda, real *change)
{
    return X(multiplier_choose_by)(m, REDUNDANCY_PASSES, lambda, change);
}
