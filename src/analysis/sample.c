/* Points near the start, at random and on the constraint manifold, and the values of formulas there with bounds of
   their errors. */
#include "analysis/dirac_inside.h"

#include <string.h>

#include "base/budget.h"

enum { BETWEEN_LOOKS = 4096 }; /* operations in the widest precision, some milliseconds */

#ifdef TAUT_HAVE_QUAD
#define EPSILON 0x1p-112
#else
#define EPSILON 0x1p-63
#endif
#define ATTEMPTS 60

/* What is smaller than this part of the bound of its error counts as zero: far above rounding errors and the rest of
   Newton's iteration, far below any number that a model means (3e-23 in quad). */
wide taut_sample_tolerance(void) { return WIDE(cbrt)((wide)EPSILON * (wide)EPSILON); }

int taut_sampler_create(const model *m, uint32_t n, const wide *base, sampler **result)
{
    taut_context *context = m->context;
    sampler *s = taut_mem_new(context, 1, sizeof *s);
    *result = NULL;
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->g = m->graph;
    s->m = m;
    s->n = n;
    s->seed = 0x9e3779b97f4a7c15ULL;
    s->base.z = taut_mem_new(context, 2 * (size_t)n, sizeof(wide));
    int status = s->base.z ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < SAMPLES; i++)
        if (!(s->points[i].z = taut_mem_new(context, 2 * (size_t)n, sizeof(wide)))) status = TAUT_OUT_OF_MEMORY;
    if (status) {
        taut_sampler_destroy(s);
        return status;
    }
    memcpy(s->base.z, base, 2 * (size_t)n * sizeof(wide));
    for (uint32_t i = 0; i < 2 * n; i++) s->scale[i >= n] = WIDE(fmax)(s->scale[i >= n], WIDE(fabs)(base[i]));
    for (int k = 0; k < 2; k++)
        if (!(s->scale[k] > 0)) s->scale[k] = 1;
    *result = s;
    return TAUT_OK;
}

void taut_sampler_destroy(sampler *s)
{
    if (!s) return;
    taut_context *context = s->m->context;
    for (int i = 0; i < SAMPLES; i++) taut_mem_free(context, s->points[i].z);
    taut_mem_free(context, s->base.z);
    taut_mem_free(context, s->value);
    taut_mem_free(context, s->error);
    taut_mem_free(context, s);
}

/* ---- values and errors ---- */

#define MATH WIDE
#define ERROR_LEAF(NAME, ...) case OP_##NAME: break;
#define ERROR_UNARY(NAME, text, written, value, derivative, quotient, error, ...) case OP_##NAME: return error;
#define ERROR_BINARY(NAME, text, written, value, by_a, by_b, mean_a, mean_b, error, ...) case OP_##NAME: return error;

/* The bound of the error of an operation, not a leaf, from those of its operands. */
static wide error_of(const node *at, wide a, wide ea, wide b, wide eb, wide value)
{
    const wide size = WIDE(fabs)(value);
    const int32_t n = (int32_t)at->b;
    switch ((op)at->op) {
        OPERATIONS(ERROR_LEAF, ERROR_UNARY, ERROR_UNARY, ERROR_BINARY)
    }
    return (wide)NAN;
}

static wide leaf(const sampler *s, const point *x, expr e)
{
    const node *n = taut_graph_node(s->g, e);
    if (n->op == OP_CONSTANT) return taut_graph_constant(s->g, e);
    if (n->op == OP_PARAMETER) return s->m->parameters[n->a].value;
    if (n->b == KIND_Q && n->a < s->n) return x->z[n->a];
    if (n->b == KIND_W && n->a < s->n) return x->z[s->n + n->a];
    return n->b == KIND_T ? x->t : 0;
}

static int make_room(sampler *s)
{
    size_t need = taut_graph_count(s->g);
    if (need <= s->capacity) return TAUT_OK;
    need += need / 2;
    wide *value = taut_mem_resize(s->m->context, s->value, need, sizeof *value);
    if (value) s->value = value;
    wide *error = value ? taut_mem_resize(s->m->context, s->error, need, sizeof *error) : NULL;
    if (!error) return TAUT_OUT_OF_MEMORY;
    s->error = error;
    s->capacity = need;
    return TAUT_OK;
}

int taut_sampler_values(sampler *s, const point *x, const expr *roots, size_t count, wide *values, wide *errors)
{
    expr *list;
    size_t length;
    if (!count) return TAUT_OK;
    for (size_t i = 0; i < count; i++)
        if (!roots[i]) return TAUT_OUT_OF_MEMORY;
    int status = make_room(s);
    if (!status) status = taut_expr_reachable(s->g, roots, count, &list, &length);
    if (status) return status;
    for (size_t i = 0; i < length; i++) {
        expr e = list[i];
        const node *n = taut_graph_node(s->g, e);
        if (i % BETWEEN_LOOKS == 0 && (status = taut_budget_check(s->m->context))) break;
        int arity = taut_op_arity(n->op);
        if (arity == 0) {
            s->value[e] = leaf(s, x, e);
            s->error[e] = WIDE(fabs)(s->value[e]);
            /* coordinates may be rounded relative to their typical size */
            if (n->op == OP_VARIABLE && n->b <= KIND_W) s->error[e] += s->scale[n->b];
            continue;
        }
        wide a = s->value[n->a], b = arity == 2 ? s->value[n->b] : 0, eb = arity == 2 ? s->error[n->b] : 0;
        s->value[e] = taut_op_apply(n->op, a, b, (int32_t)n->b);
        s->error[e] = error_of(n, a, s->error[n->a], b, eb, s->value[e]);
    }
    for (size_t i = 0; !status && i < count; i++) values[i] = s->value[roots[i]];
    for (size_t i = 0; !status && errors && i < count; i++) errors[i] = s->error[roots[i]];
    taut_expr_list_free(s->g, list);
    return status;
}

int taut_sampler_judge(sampler *s, expr f, weakness *result)
{
    int zeros = 0;
    *result = WEAK_NOT_FINITE;
    if (!f) return TAUT_OUT_OF_MEMORY;
    if (taut_graph_node(s->g, f)->op == OP_CONSTANT) {
        *result = taut_graph_constant(s->g, f) == 0 ? WEAK_ZERO : WEAK_NONZERO;
        return TAUT_OK;
    }
    for (int i = 0; i < s->count; i++) {
        wide value, error;
        int status = taut_sampler_values(s, &s->points[i], &f, 1, &value, &error);
        if (status) return status;
        if (!(value - value == 0)) return TAUT_OK;
        zeros += WIDE(fabs)(value) <= taut_sample_tolerance() * error;
    }
    *result = zeros == s->count ? WEAK_ZERO : zeros ? WEAK_MIXED : WEAK_NONZERO;
    return TAUT_OK;
}

/* ---- rank and least-change Newton steps ---- */

static wide norm(const wide *x, int n)
{
    wide sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return WIDE(sqrt)(sum);
}

/* Orthonormalises the rows of a in place, the longest first (relative to its first length), and carries r along: a row
   operation on both, so that afterwards the solution of least norm of a x = r is the sum of r_k a_k. Dependent rows
   become zero. Returns the rank. */
static int orthonormalise(wide *a, int rows, int columns, wide *r, wide *length, unsigned char *done)
{
    int rank = 0;
    for (int k = 0; k < rows; k++) length[k] = norm(a + k * columns, columns), done[k] = 0;
    for (;;) {
        int best = -1;
        wide most = WIDE(pow)((wide)EPSILON, (wide)0.5);
        for (int k = 0; k < rows; k++) {
            wide left = done[k] || !(length[k] > 0) ? 0 : norm(a + k * columns, columns) / length[k];
            if (left > most) most = left, best = k;
        }
        if (best < 0) break;
        wide *row = a + best * columns, size = norm(row, columns);
        for (int i = 0; i < columns; i++) row[i] /= size;
        r[best] /= size;
        done[best] = 1;
        rank++;
        for (int k = 0; k < rows; k++) {
            if (done[k]) continue;
            wide dot = 0;
            for (int i = 0; i < columns; i++) dot += row[i] * a[k * columns + i];
            for (int i = 0; i < columns; i++) a[k * columns + i] -= dot * row[i];
            r[k] -= dot * r[best];
        }
    }
    for (int k = 0; k < rows; k++)
        if (!done[k]) memset(a + k * columns, 0, (size_t)columns * sizeof *a), r[k] = 0;
    return rank;
}

int taut_rank_of(wide *a, int rows, int columns)
{
    wide r[2 * DIRAC_COORDINATES + 1] = { 0 }, length[2 * DIRAC_COORDINATES + 1];
    unsigned char done[2 * DIRAC_COORDINATES + 1];
    return rows > 2 * DIRAC_COORDINATES ? -1 : orthonormalise(a, rows, columns, r, length, done);
}

#define ITERATIONS 150 /* a double root is halved each time: 113 halvings are all digits of quad */

static int newton_step(sampler *s, point *x, const expr *f, const expr *gradient, size_t count, const unsigned char *by,
                       wide *work, wide *size)
{
    size_t n2 = 2 * (size_t)s->n;
    wide *a = work, *r = a + count * n2, *length = r + count;
    unsigned char done[2 * DIRAC_COORDINATES + 1];
    int status = taut_sampler_values(s, x, f, count, r, NULL);
    if (!status) status = taut_sampler_values(s, x, gradient, count * n2, a, NULL);
    if (status) return status;
    for (size_t i = 0; i < count * n2; i++) {
        size_t v = i % n2;
        a[i] = by && !by[v] ? 0 : a[i] * s->scale[v >= s->n]; /* steps are measured in the sizes of q and w */
    }
    orthonormalise(a, (int)count, (int)n2, r, length, done);
    *size = 0;
    for (size_t v = 0; v < n2; v++) {
        wide step = 0;
        for (size_t k = 0; k < count; k++) step += r[k] * a[k * n2 + v];
        x->z[v] -= step * s->scale[v >= s->n];
        *size = step - step == 0 ? WIDE(fmax)(*size, WIDE(fabs)(step)) : (wide)HUGE_VAL;
    }
    return TAUT_OK;
}

static int all_small(sampler *s, const point *x, const expr *f, size_t count, wide *values, int *small)
{
    wide *errors = values + count;
    int status = taut_sampler_values(s, x, f, count, values, errors);
    *small = !status;
    for (size_t k = 0; !status && k < count; k++)
        *small &= WIDE(fabs)(values[k]) <= taut_sample_tolerance() * errors[k];
    return status;
}

int taut_sampler_solve(sampler *s, point *x, const expr *f, const expr *gradient, size_t count, const unsigned char *by,
                  int *converged)
{
    size_t n2 = 2 * (size_t)s->n;
    *converged = 1;
    if (!count) return TAUT_OK;
    *converged = 0;
    if (count > 2 * DIRAC_COORDINATES) return TAUT_OK;
    wide *work = taut_mem_new(s->m->context, count * (n2 + 2), sizeof *work), size = 1;
    int status = work ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int k = 0; !status && k < ITERATIONS; k++) {
        status = newton_step(s, x, f, gradient, count, by, work, &size);
        if (!(size < (wide)1e6) || size <= 64 * (wide)EPSILON) break;
    }
    if (!status && size < (wide)1e6) status = all_small(s, x, f, count, work, converged);
    taut_mem_free(s->m->context, work);
    return status;
}

int taut_sampler_project(sampler *s, point *x, const dirac_constraint *chi, size_t count, const unsigned char *by,
                    int *converged)
{
    size_t n2 = 2 * (size_t)s->n;
    expr *f = taut_mem_new(s->m->context, count * (n2 + 1) + 1, sizeof *f), *gradient = f ? f + count : NULL;
    if (!f) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < count; k++) {
        f[k] = chi[k].value;
        memcpy(gradient + k * n2, chi[k].gradient, n2 * sizeof *f);
    }
    int status = taut_sampler_solve(s, x, f, gradient, count, by, converged);
    taut_mem_free(s->m->context, f);
    return status;
}

/* ---- points ---- */

/* In (-1, 1). */
static wide random_number(sampler *s)
{
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 7;
    s->seed ^= s->seed << 17;
    return (wide)((double)(s->seed >> 11) * 0x1p-52 - 1);
}

static int is_finite_at(sampler *s, const point *x, const expr *roots, size_t count, int *finite)
{
    *finite = 1;
    for (size_t i = 0; i < count; i++) {
        wide value;
        int status = taut_sampler_values(s, x, &roots[i], 1, &value, NULL);
        if (status) return status;
        *finite &= value - value == 0;
    }
    return TAUT_OK;
}

static int is_regular_at(sampler *s, const point *x, const dirac_constraint *chi, size_t count, int *regular)
{
    size_t n2 = 2 * (size_t)s->n;
    wide *a = taut_mem_new(s->m->context, (count + 1) * n2, sizeof *a);
    int status = a ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; !status && k < count; k++) {
        wide *errors = a + count * n2;
        status = taut_sampler_values(s, x, chi[k].gradient, n2, a + k * n2, errors);
        for (size_t v = 0; v < n2; v++) /* a gradient of rounding errors is none */
            a[k * n2 + v] = WIDE(fabs)(a[k * n2 + v]) <= taut_sample_tolerance() * errors[v]
                                ? 0
                                : a[k * n2 + v] * s->scale[v >= s->n];
    }
    if (!status) *regular = taut_rank_of(a, (int)count, (int)n2) == (int)count;
    taut_mem_free(s->m->context, a);
    return status;
}

int taut_sampler_spread(sampler *s, const expr *roots, size_t root_count, const dirac_constraint *chi, size_t count)
{
    int status = TAUT_OK;
    s->count = s->irregular = 0;
    for (int attempt = 0; !status && attempt < ATTEMPTS && s->count < SAMPLES; attempt++) {
        point *x = &s->points[s->count];
        int converged = 0, finite = 0, regular = 0;
        wide spread = (wide)(attempt % 3 == 0 ? 0.25 : attempt % 3 == 1 ? 0.1 : 0.5);
        for (uint32_t i = 0; i < 2 * s->n; i++)
            x->z[i] = s->base.z[i] + spread * s->scale[i >= s->n] * random_number(s);
        x->t = spread * (1 + random_number(s)) / 2;
        status = taut_sampler_project(s, x, chi, count, NULL, &converged);
        if (!status && converged) status = is_finite_at(s, x, roots, root_count, &finite);
        if (!status && converged && finite) status = is_regular_at(s, x, chi, count, &regular);
        s->count += regular;
        s->irregular += converged && finite && !regular;
    }
    return status;
}
