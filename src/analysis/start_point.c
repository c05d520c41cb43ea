/* The start as the user gave it, in phase space: free values from the constraints, momenta from velocities. */
#include <string.h>

#include "analysis/dirac_inside.h"

/* chi as functions of what the user gives: of (q,v) for a Lagrangian, p = L_v put in. */
static int given_functions(dirac *d, expr *f, expr *gradient)
{
    int status = TAUT_OK;
    for (size_t k = 0; !status && k < d->count; k++) {
        f[k] =
            d->momentum ? taut_expr_substitute(d->g, d->chi[k].value, d->z + d->n, d->momentum, d->n) : d->chi[k].value;
        status =
            f[k] ? taut_expr_gradient(d->g, f[k], d->z, 2 * (size_t)d->n, gradient + k * 2 * d->n) : TAUT_OUT_OF_MEMORY;
    }
    return status;
}

/* The nearest solution in the free values; remaining residuals are reported by the code that needs them zero. */
static int solve_free(dirac *d, point *x)
{
    uint32_t n = d->n;
    size_t n2 = 2 * (size_t)n;
    unsigned char by[2 * DIRAC_COORDINATES] = { 0 }, any = 0;
    wide before[2 * DIRAC_COORDINATES];
    for (uint32_t i = 0; i < n; i++) {
        any |= by[i] = d->m->start_q[i].type == START_FREE;
        any |= by[n + i] = d->m->start_w[i].type == START_FREE;
    }
    if (!any || !d->count) return TAUT_OK;
    memcpy(before, x->z, n2 * sizeof *before);
    expr *f = taut_mem_new(d->context, d->count * (n2 + 1), sizeof *f);
    int converged, status = f ? given_functions(d, f, f + d->count) : TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_sampler_solve(d->sampler, x, f, f + d->count, d->count, by, &converged);
    for (size_t i = 0; !status && i < n2; i++)
        if (!(x->z[i] - x->z[i] == 0)) memcpy(x->z, before, n2 * sizeof *before);
    taut_mem_free(d->context, f);
    return status;
}

int taut_start_point(dirac *d, int free, point *x)
{
    uint32_t n = d->n;
    wide p[DIRAC_COORDINATES];
    int status = TAUT_OK;
    memset(x->z, 0, 2 * (size_t)n * sizeof *x->z);
    x->t = 0;
    for (uint32_t i = 0; !status && i < 2 * n; i++) {
        expr e = i < n ? d->m->start_q[i].value : d->m->start_w[i - n].value;
        if (e) status = taut_sampler_values(d->sampler, x, &e, 1, &x->z[i], NULL);
    }
    if (!status && free) status = solve_free(d, x);
    if (status || !d->momentum) return status;
    status = taut_sampler_values(d->sampler, x, d->momentum, n, p, NULL);
    if (!status) memcpy(x->z + n, p, n * sizeof *p);
    return status;
}
