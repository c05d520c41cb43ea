/* The classical Runge-Kutta method of order 4, and Fehlberg's pair of orders 4 and 5. */
#include "method/scheme.h"

#include <string.h>

#define OVER(a, b) ((real)(a) / (b))

const explicit_tableau X(scheme_classical) = {
    .stages = 4,
    .a = { { 0 }, { OVER(1, 2) }, { 0, OVER(1, 2) }, { 0, 0, 1 } },
    .b = { OVER(1, 6), OVER(1, 3), OVER(1, 3), OVER(1, 6) },
    .c = { 0, OVER(1, 2), OVER(1, 2), 1 },
};

/* Hairer, Norsett & Wanner, table II.5.1; the error is that of the fifth order minus the fourth */
const explicit_tableau X(scheme_fehlberg) = {
    .stages = 6,
    .a = { { 0 },
           { OVER(1, 4) },
           { OVER(3, 32), OVER(9, 32) },
           { OVER(1932, 2197), OVER(-7200, 2197), OVER(7296, 2197) },
           { OVER(439, 216), -8, OVER(3680, 513), OVER(-845, 4104) },
           { OVER(-8, 27), 2, OVER(-3544, 2565), OVER(1859, 4104), OVER(-11, 40) } },
    .b = { OVER(16, 135), 0, OVER(6656, 12825), OVER(28561, 56430), OVER(-9, 50), OVER(2, 55) },
    .c = { 0, OVER(1, 4), OVER(3, 8), OVER(12, 13), 1, OVER(1, 2) },
    .error = { OVER(1, 360), 0, OVER(-128, 4275), OVER(-2197, 75240), OVER(1, 50), OVER(2, 55) },
};

const explicit_tableau X(scheme_field) = { .stages = 1, .b = { 1 } };

/* Stage i at z + h sum_j a_j k_j, time t0 + c h; then the field there. */
static int stage(scheme *r, int i, real c, const real *a)
{
    size_t size = r->size;
    real *at = r->at + (size_t)i * size;
    for (size_t j = 0; j < size; j++) {
        real sum = 0;
        for (int k = 0; k < i; k++) sum += a[k] * r->k[(size_t)k * size + j];
        at[j] = r->z[j] + (r->h * sum + r->low[j]);
    }
    r->t[i] = r->t0 + (c * r->h + r->t0_low);
    return X(scheme_evaluate)(r, i);
}

/* out := h sum_i b_i k_i */
static void combine(const scheme *r, const real *b, int count, real *out)
{
    for (uint32_t j = 0; j < r->size; j++) {
        real sum = 0;
        for (int i = 0; i < count; i++) sum += b[i] * r->k[(size_t)i * r->size + j];
        out[j] = r->h * sum;
    }
}

/* What the step would do by straight-line code, whose length is a number of the state. */
static int try_lowered(scheme *r, state *x)
{
    const real step = *x->step;
    *x->step = r->h;
    const int done = X(explicit_trial_read)(r->trial, x, r->move, r->error, r->lambda);
    *x->step = step;
    return done;
}

int X(scheme_explicit)(scheme *r, state *x, const explicit_tableau *t)
{
    r->has_lambda = r->trial && !r->general_alone && try_lowered(r, x);
    if (r->has_lambda) {
        r->newton.counts.evaluations += t->stages;
        return TAUT_OK;
    }
    for (int i = 0; i < t->stages; i++) {
        int status = stage(r, i, t->c[i], t->a[i]);
        if (status) return status;
    }
    combine(r, t->b, t->stages, r->move);
    combine(r, t->error, t->stages, r->error);
    return TAUT_OK;
}
