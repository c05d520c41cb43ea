/* The Gauss methods, s stages, order 2s: Z_i = z0 + h sum_j a_ij F(Z_j), z1 = z0 + h sum_j b_j F(Z_j). The unknowns are
 * Z_i - z0. Newton's iteration with the formulation's matrix, or the functional iteration, which is the same with the
 * identity for a matrix. Given a tolerance, the latter ends as in section 7 of the paper: when z1 changes by less than
 * that in the max norm, with the z1 found last. */
#include "method/scheme.h"

#include <stdio.h>
#include <string.h>

#include "method/quadrature.h"

static int by_tolerance(const scheme *r) { return r->options.functional && r->options.tolerance > 0; }

int X(scheme_implicit_create)(scheme *r)
{
    int s = r->stages;
    real a[STAGES_MOST * STAGES_MOST];
    X(gauss_rule)(s, r->c, r->b);
    for (int i = 0; i < s; i++) {
        X(lagrange_integrals)(s, r->c, r->c[i], r->a[i]);
        memcpy(a + i * s, r->a[i], (size_t)s * sizeof(real));
    }
    if (by_tolerance(r)) r->newton.rest = 0; /* no forecasts */
    if (s == 1) r->c[0] = r->a[0][0] = a[0] = (real)1 / 2, r->b[0] = 1;
    return r->options.functional ? TAUT_OK : r->f->class->stages_create(r->f->self, s, a);
}

static void find_places(scheme *r, const real *x)
{
    size_t size = r->size;
    for (size_t i = 0; i < (size_t)r->stages; i++)
        for (size_t j = 0; j < size; j++) r->at[i * size + j] = r->z[j] + (x[i * size + j] + r->low[j]);
}

static int residual(void *self, const real *x, real *out)
{
    scheme *r = self;
    size_t size = r->size;
    find_places(r, x);
    for (int i = 0; i < r->stages; i++) {
        int status = X(scheme_evaluate)(r, i);
        if (status) return status;
    }
    for (size_t i = 0; i < (size_t)r->stages; i++)
        for (size_t j = 0; j < size; j++) {
            real sum = 0;
            for (int k = 0; k < r->stages; k++) sum += r->a[i][k] * r->k[(size_t)k * size + j];
            out[i * size + j] = x[i * size + j] - r->h * sum;
        }
    return TAUT_OK;
}

static int factor(void *self, const real *x)
{
    scheme *r = self;
    if (r->options.functional) return TAUT_OK;
    find_places(r, x);
    r->newton.counts.evaluations += r->stages;
    return r->f->class->stages_factor(r->f->self, r->h, r->t, r->at);
}

static int solve(void *self, real *x)
{
    scheme *r = self;
    return r->options.functional ? TAUT_OK : r->f->class->stages_solve(r->f->self, x);
}

/* The change of the positions relative to the largest of them, and the same for the momenta. */
static real measure(void *self, const real *x, const real *change)
{
    const scheme *r = self;
    size_t n = r->s->n;
    real worst = 0;
    /* stages lie within the step: what moves one of them by d moves its end by some 2 d, by just that for the midpoint
       rule */
    for (size_t i = 0; by_tolerance(r) && i < (size_t)r->stages * 2 * n; i++) worst = real_most(worst, 2 * change[i]);
    if (by_tolerance(r)) return worst;
    for (size_t part = 0; part < 2; part++) {
        real size = r->s->least, most = 0;
        for (size_t j = 0; j < n; j++) size = real_most(size, r->z[part * n + j]);
        for (size_t i = 0; i < (size_t)r->stages; i++)
            for (size_t j = 0; j < n; j++) {
                size = real_most(size, x[(2 * i + part) * n + j]);
                most = real_most(most, change[(2 * i + part) * n + j]);
            }
        worst = real_most(worst, most / size);
    }
    return worst;
}

static void name(void *self, int equation, char *buffer, size_t size)
{
    scheme *r = self;
    uint32_t n = r->s->n, i = (uint32_t)equation % r->size;
    char text[150];
    X(system_coordinate_name)(r->s, i % n, text, sizeof text);
    snprintf(buffer, size, i < n ? "motion of %s" : "momentum of %s", text);
}

int X(scheme_implicit)(scheme *r)
{
    size_t size = r->size;
    for (int i = 0; i < r->stages; i++) r->t[i] = r->t0 + (r->c[i] * r->h + r->t0_low);
    /* the guess: the field at the start goes on */
    real first = r->t[0];
    r->t[0] = r->t0;
    for (size_t j = 0; j < size; j++) r->at[j] = r->z[j];
    int status = X(scheme_evaluate)(r, 0);
    r->t[0] = first;
    if (status) return status;
    for (size_t i = 0; i < (size_t)r->stages; i++)
        for (size_t j = 0; j < size; j++) r->x[i * size + j] = r->c[i] * r->h * r->k[j];
    newton_problem problem = { r, r->stages * (int)size, residual, factor, solve, measure, name, NULL, NULL, NULL, NULL };
    status = X(newton_solve)(&r->newton, &problem, r->x, 0, r->t0, "stages of the step");
    if (status) return status;
    find_places(r, r->x);
    for (int i = 0; i < r->stages && !by_tolerance(r); i++)
        if ((status = X(scheme_evaluate)(r, i))) return status;
    for (size_t j = 0; j < size; j++) {
        real sum = 0;
        for (int i = 0; i < r->stages; i++) sum += r->b[i] * r->k[(size_t)i * size + j];
        r->move[j] = r->h * sum;
    }
    return TAUT_OK;
}
