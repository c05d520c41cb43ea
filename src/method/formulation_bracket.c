/* The Hamilton-Dirac equations of any second-class constraints chi(q,p,t) (Seiler 1997, (13), (17)):
 *
 *     z' = F = J (H_z - chi_z' b),   C b = {chi,H} + chi_t,   C = {chi,chi} = chi_z J chi_z'
 *
 * Every chi is a first integral, wherever it stands (18). Where constraints that are first class are left, and all
 * multipliers are determined (form.h), chi are the others; first-class ones are zero along the motion if they are at
 * its start. The derivative for Newton's iteration needs no third
 * derivatives:
 *     F' = J (S - chi_z' b_z),   C b_z = d/dz (chi_z F + chi_t) at fixed F  +  chi_z J S,   S = H_zz - sum b_k chi_k,zz
 * Such systems come out of the Dirac algorithm (analysis), with some tens of coordinates at most: the matrices are
 * dense. */
#include <string.h>

#include "base/room.h"
#include "linalg/dense.h"
#include "linalg/linear.h"
#include "method/formulation.h"

typedef struct {
    struct system *s;
    uint32_t n, all, k;         /* coordinates; constraints, and how many of them, the first ones, are in C */
    int most;                   /* entries of the largest sparse block */
    void *room;                 /* of the arrays below */
    real *energy;               /* H_z, 2n */
    real *gradient;             /* chi_z, all x 2n */
    real *c, *b;                /* C and its factors, k x k; all, zero where they are not in C */
    int *pivot;
    real *values;               /* entries of a sparse block */
    real *hessian, *slope;      /* S, 2n x 2n; all x 2n: b_z */
    real *jacobian;             /* F', 2n x 2n */
    int stages;
    real a[9 * 9];
    linear *matrix;             /* I - h A (x) F' */
    void *stage_room;           /* of these arrays: */
    double *entries, *right;
} bracket;

static const char *refuse(const struct system *s)
{
    return s->phase_space ? NULL : "the model has no constraints on phase space";
}

static void destroy(void *self)
{
    bracket *f = self;
    if (!f) return;
    taut_context *context = f->s->context;
    taut_linear_destroy(f->matrix);
    room_free(context, &f->stage_room);
    room_free(context, &f->room);
    taut_mem_free(context, f);
}

static const kind kinds[2] = { KIND_Q, KIND_W };

static int larger(int a, int b) { return a > b ? a : b; }

/* Prepares the fields; *most is the largest number of entries of a block. */
static int prepare(struct system *s, int *most)
{
    int status = TAUT_OK;
    *most = 1;
    for (int a = 0; !status && a < 2; a++) {
        status = X(field_prepare_gradient)(s->energy, kinds[a]);
        if (!status) status = X(field_prepare_jacobian)(s->constraint, kinds[a]);
        if (!status) status = X(field_prepare_slope)(s->constraint, kinds[a]);
        if (status) break;
        *most = larger(*most, pattern_entries(X(field_jacobian_pattern)(s->constraint, kinds[a])));
        *most = larger(*most, pattern_entries(X(field_slope_pattern)(s->constraint, kinds[a])));
        for (int b = a; !status && b < 2; b++) {
            status = X(field_prepare_hessian)(s->energy, kinds[a], kinds[b]);
            if (!status) status = X(field_prepare_hessian)(s->constraint, kinds[a], kinds[b]);
            if (status) break;
            *most = larger(*most, pattern_entries(X(field_hessian_pattern)(s->energy, kinds[a], kinds[b])));
            *most = larger(*most, pattern_entries(X(field_hessian_pattern)(s->constraint, kinds[a], kinds[b])));
        }
    }
    return status;
}

static void lay_out(void *self, room_layout *l)
{
    bracket *f = self;
    size_t n2 = 2 * (size_t)f->n, k = f->k, all = f->all;
    f->energy = room_reals(l, n2);
    f->gradient = room_reals(l, all * n2);
    f->c = room_reals(l, k * k), f->b = room_reals(l, all);
    f->pivot = room_take(l, k, sizeof *f->pivot);
    f->values = room_reals(l, (size_t)f->most);
    f->hessian = room_reals(l, n2 * n2), f->slope = room_reals(l, all * n2);
    f->jacobian = room_reals(l, n2 * n2);
}

static int create(struct system *s, void **self)
{
    bracket *f = taut_mem_new(s->context, 1, sizeof *f);
    *self = NULL;
    if (!f) return TAUT_OUT_OF_MEMORY;
    f->s = s;
    f->n = s->n;
    f->all = s->c;
    f->k = s->c - s->phase_space->first;
    int status = prepare(s, &f->most);
    if (!status) status = room_create(s->context, lay_out, f, &f->room);
    if (status)
        destroy(f);
    else
        *self = f;
    return status;
}

static void begin(void *self, const state *x)
{
    (void)self;
    (void)x;
}

static int end(void *self, state *x)
{
    const bracket *f = self;
    memcpy(x->w, x->p, f->n * sizeof(real));
    return TAUT_OK;
}

/* matrix[row][offset + column] += sign * entry, on the pattern; transposed: also the other way round */
static void spread(const pattern *p, const real *values, real sign, real *matrix, size_t width, size_t row0,
                   size_t column0, int transposed)
{
    for (int r = 0; r < p->rows; r++)
        for (int e = p->start[r]; e < p->start[r + 1]; e++) {
            size_t i = row0 + (size_t)r, j = column0 + (size_t)p->index[e];
            matrix[i * width + j] += sign * values[e];
            if (transposed) matrix[j * width + i] += sign * values[e];
        }
}

static real dot(const real *x, const real *y, uint32_t n)
{
    real sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static int find_rate(bracket *f, real t, const place *at, real *rate)
{
    struct system *s = f->s;
    uint32_t n = f->n, k = f->k;
    size_t n2 = 2 * (size_t)n;
    memset(f->energy, 0, n2 * sizeof(real));
    memset(f->gradient, 0, f->all * n2 * sizeof(real));
    for (int a = 0; a < 2; a++) {
        const pattern *p = X(field_jacobian_pattern)(s->constraint, kinds[a]);
        X(field_gradient)(s->energy, kinds[a], at, NULL, f->energy + (a ? n : 0));
        memset(f->values, 0, (size_t)pattern_entries(p) * sizeof(real));
        X(field_jacobian)(s->constraint, kinds[a], at, f->values);
        spread(p, f->values, 1, f->gradient, n2, 0, a ? n : 0, 0);
    }
    X(system_constraint_rate)(s, at, f->b);
    memset(f->b + k, 0, (f->all - k) * sizeof(real));
    for (uint32_t i = 0; i < k; i++) {
        const real *x = f->gradient + i * n2;
        f->b[i] += dot(x, f->energy + n, n) - dot(x + n, f->energy, n);
        f->c[i * k + i] = 0;
        for (uint32_t j = 0; j < i; j++) {
            const real *y = f->gradient + j * n2;
            f->c[i * k + j] = dot(x, y + n, n) - dot(x + n, y, n);
            f->c[j * k + i] = -f->c[i * k + j];
        }
    }
    if (k && X(dense_factor)((int)k, f->c, f->pivot, 64 * REAL_EPSILON))
        return taut_fail(
            s->context, TAUT_SINGULAR,
            "at t = %.9g: the bracket matrix of the constraints is singular: they are not second class here; try "
            "a smaller step or another start",
            (double)t);
    if (k) X(dense_solve)((int)k, f->c, f->pivot, f->b);
    for (uint32_t i = 0; i < n; i++) {
        rate[i] = f->energy[n + i];
        rate[n + i] = -f->energy[i];
        for (uint32_t j = 0; j < k; j++) {
            rate[i] -= f->gradient[j * n2 + n + i] * f->b[j];
            rate[n + i] += f->gradient[j * n2 + i] * f->b[j];
        }
    }
    return TAUT_OK;
}

static int evaluate(void *self, real t, const real *z, real *rate)
{
    bracket *f = self;
    place at = place_at(f->s, z, z + f->n, &t, NULL);
    return find_rate(f, t, &at, rate);
}

static uint32_t chi_count(const void *self) { return ((const bracket *)self)->k; }

static int chi(void *self, real t, const real *z, real *out)
{
    bracket *f = self;
    place at = place_at(f->s, z, z + f->n, &t, NULL);
    X(system_constraints)(f->s, &at, out);
    return TAUT_OK;
}

/* ---- Newton's matrix ---- */

static void find_hessian(bracket *f, const place *at)
{
    struct system *s = f->s;
    size_t n2 = 2 * (size_t)f->n;
    memset(f->hessian, 0, n2 * n2 * sizeof(real));
    for (int a = 0; a < 2; a++)
        for (int b = a; b < 2; b++)
            for (int which = 0; which < 2; which++) {
                field *from = which ? s->constraint : s->energy;
                const pattern *p = X(field_hessian_pattern)(from, kinds[a], kinds[b]);
                memset(f->values, 0, (size_t)pattern_entries(p) * sizeof(real));
                X(field_hessian)(from, kinds[a], kinds[b], at, which ? f->b : NULL, f->values);
                spread(p, f->values, which ? -1 : 1, f->hessian, n2, a ? f->n : 0, b ? f->n : 0, a != b);
            }
}

/* slope := C^-1 (d/dz (chi_z F + chi_t) + chi_z J S), column by column */
static void find_slope(bracket *f, const place *at, const real *rate)
{
    struct system *s = f->s;
    uint32_t n = f->n, k = f->k;
    size_t n2 = 2 * (size_t)n;
    real one = 1;
    place along = direction_of(rate, rate + n, &one);
    memset(f->slope, 0, f->all * n2 * sizeof(real));
    for (int a = 0; a < 2; a++) {
        const pattern *p = X(field_slope_pattern)(s->constraint, kinds[a]);
        memset(f->values, 0, (size_t)pattern_entries(p) * sizeof(real));
        X(field_slope)(s->constraint, kinds[a], at, &along, f->values);
        spread(p, f->values, 1, f->slope, n2, 0, a ? n : 0, 0);
    }
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < n; i++) {
            real by_q = f->gradient[j * n2 + i], by_p = f->gradient[j * n2 + n + i];
            for (size_t v = 0; v < n2; v++)
                f->slope[j * n2 + v] += by_q * f->hessian[(n + i) * n2 + v] - by_p * f->hessian[i * n2 + v];
        }
    for (size_t v = 0; v < n2; v++) {
        for (uint32_t j = 0; j < k; j++) f->b[j] = f->slope[j * n2 + v];
        X(dense_solve)((int)k, f->c, f->pivot, f->b);
        for (uint32_t j = 0; j < k; j++) f->slope[j * n2 + v] = f->b[j];
    }
}

static int find_jacobian(bracket *f, real t, const real *z)
{
    uint32_t n = f->n;
    size_t n2 = 2 * (size_t)n;
    place at = place_at(f->s, z, z + n, &t, NULL);
    real *rate = f->jacobian; /* its first row, until it is filled */
    int status = find_rate(f, t, &at, rate);
    if (status) return status;
    find_hessian(f, &at);
    if (f->k) find_slope(f, &at, rate);
    for (uint32_t i = 0; i < n; i++)
        for (size_t v = 0; v < n2; v++) {
            real q = f->hessian[(n + i) * n2 + v], p = -f->hessian[i * n2 + v];
            for (uint32_t j = 0; j < f->k; j++) {
                q -= f->gradient[j * n2 + n + i] * f->slope[j * n2 + v];
                p += f->gradient[j * n2 + i] * f->slope[j * n2 + v];
            }
            f->jacobian[i * n2 + v] = q;
            f->jacobian[(n + i) * n2 + v] = p;
        }
    return TAUT_OK;
}

static void lay_out_stages(void *self, room_layout *l)
{
    bracket *f = self;
    size_t size = (size_t)f->stages * 2 * f->n;
    f->entries = room_take(l, size * size, sizeof *f->entries);
    f->right = room_take(l, size, sizeof *f->right);
}

static int stages_create(void *self, int stages, const real *a)
{
    bracket *f = self;
    taut_context *context = f->s->context;
    int size = stages * 2 * (int)f->n;
    f->stages = stages;
    memcpy(f->a, a, (size_t)(stages * stages) * sizeof *a);
    int *start = taut_mem_new(context, (size_t)size + 1, sizeof *start),
        *index = taut_mem_new(context, (size_t)size * (size_t)size, sizeof *index);
    int status = start && index ? room_create(context, lay_out_stages, f, &f->stage_room) : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i <= size; i++) start[i] = i * size;
    for (int i = 0; !status && i < size * size; i++) index[i] = i % size;
    if (!status)
        status =
            taut_linear_create(context, size <= 16 ? LINEAR_SMALL : LINEAR_LAPACK, size, start, index, 0, &f->matrix);
    taut_mem_free(context, start);
    taut_mem_free(context, index);
    return status;
}

static int stages_factor(void *self, real h, const real *t, const real *z)
{
    bracket *f = self;
    size_t n2 = 2 * (size_t)f->n, size = (size_t)f->stages * n2;
    for (int j = 0; j < f->stages; j++) {
        int status = find_jacobian(f, t[j], z + (size_t)j * n2);
        if (status) return status;
        for (int i = 0; i < f->stages; i++)
            for (size_t r = 0; r < n2; r++)
                for (size_t c = 0; c < n2; c++)
                    f->entries[((size_t)j * n2 + c) * size + (size_t)i * n2 + r] =
                        (double)((i == j && r == c ? 1 : 0) - h * f->a[i * f->stages + j] * f->jacobian[r * n2 + c]);
    }
    return taut_linear_factor(f->matrix, f->entries);
}

static int stages_solve(void *self, real *r)
{
    bracket *f = self;
    size_t size = (size_t)f->stages * 2 * f->n;
    for (size_t i = 0; i < size; i++) f->right[i] = (double)r[i];
    int status = taut_linear_solve(f->matrix, f->right);
    for (size_t i = 0; i < size; i++) r[i] = f->right[i];
    return status;
}

const formulation_class X(formulation_bracket) = {
    "bracket", refuse, create,        destroy,       begin,        end,  evaluate,
    chi_count, chi,    stages_create, stages_factor, stages_solve, NULL, FIELD_BRACKET,
};
