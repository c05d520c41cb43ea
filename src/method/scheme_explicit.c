/* The classical Runge-Kutta method of order 4, and Fehlberg's pair of orders 4 and 5. */
#include "method/scheme.h"

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

int X(scheme_classical)(scheme *r)
{
    const real half = (real)1 / 2, a[4][3] = { { 0 }, { half }, { 0, half }, { 0, 0, 1 } }, c[4] = { 0, half, half, 1 };
    const real b[4] = { (real)1 / 6, (real)1 / 3, (real)1 / 3, (real)1 / 6 };
    for (int i = 0; i < 4; i++) {
        int status = stage(r, i, c[i], a[i]);
        if (status) return status;
    }
    combine(r, b, 4, r->move);
    return TAUT_OK;
}

#define OVER(a, b) ((real)(a) / (b))

/* Hairer, Norsett & Wanner, table II.5.1 */
int X(scheme_fehlberg)(scheme *r)
{
    const real a[6][5] = {
        { 0 },
        { OVER(1, 4) },
        { OVER(3, 32), OVER(9, 32) },
        { OVER(1932, 2197), OVER(-7200, 2197), OVER(7296, 2197) },
        { OVER(439, 216), -8, OVER(3680, 513), OVER(-845, 4104) },
        { OVER(-8, 27), 2, OVER(-3544, 2565), OVER(1859, 4104), OVER(-11, 40) },
    };
    const real c[6] = { 0, OVER(1, 4), OVER(3, 8), OVER(12, 13), 1, OVER(1, 2) };
    const real fifth[6] = { OVER(16, 135), 0, OVER(6656, 12825), OVER(28561, 56430), OVER(-9, 50), OVER(2, 55) };
    /* fifth - fourth */
    const real difference[6] = { OVER(1, 360), 0, OVER(-128, 4275), OVER(-2197, 75240), OVER(1, 50), OVER(2, 55) };
    for (int i = 0; i < 6; i++) {
        int status = stage(r, i, c[i], a[i]);
        if (status) return status;
    }
    combine(r, fifth, 6, r->move);
    combine(r, difference, 6, r->error);
    return TAUT_OK;
}
