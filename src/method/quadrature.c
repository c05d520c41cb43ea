#include "method/quadrature.h"

#include "base/elementary.h"

/* Legendre polynomial P_n and its derivative at x in [-1,1], by the three-term recurrence. */
static void legendre(int n, real x, real *p, real *dp)
{
    real before = 1, now = x;
    if (n == 0) {
        *p = 1, *dp = 0;
        return;
    }
    for (int k = 2; k <= n; k++) {
        real next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now, now = next;
    }
    *p = now;
    *dp = n * (x * now - before) / (x * x - 1); /* the nodes are inside */
}

void X(gauss_rule)(int n, real *nodes, real *weights)
{
    const real pi = ELEMENTARY(acos)((real)-1);
    for (int i = 0; i < n; i++) {
        real x = -ELEMENTARY(cos)(pi * ((real)i + (real)0.75) / ((real)n + (real)0.5)), p, dp;
        for (int k = 0; k < 12; k++) { /* quadratic: a handful of iterations from this start to binary128 */
            legendre(n, x, &p, &dp);
            x -= p / dp;
        }
        if (2 * i + 1 == n) x = 0;
        legendre(n, x, &p, &dp);
        nodes[i] = (1 + x) / 2;
        if (weights) weights[i] = 1 / ((1 - x * x) * dp * dp);
    }
}

/* Inner nodes are the roots of P'_{n-1}; Newton with P'' from Legendre's equation. */
void X(lobatto_rule)(int n, real *nodes, real *weights)
{
    const real pi = ELEMENTARY(acos)((real)-1);
    int m = n - 1;
    for (int i = 0; i < n; i++) {
        real x = -ELEMENTARY(cos)(pi * (real)i / (real)m), p = 1, dp;
        for (int k = 0; i > 0 && i < m && k < 16; k++) {
            legendre(m, x, &p, &dp);
            real ddp = (2 * x * dp - m * (m + 1) * p) / (1 - x * x);
            x -= dp / ddp;
        }
        if (2 * i == m) x = 0;
        if (i > 0 && i < m) legendre(m, x, &p, &dp);
        nodes[i] = i == 0 ? 0 : i == m ? 1 : (1 + x) / 2;
        if (weights) weights[i] = 1 / (n * m * p * p); /* P(+-1)^2 = 1 */
    }
}

void X(equidistant_nodes)(int n, real *nodes)
{
    for (int i = 0; i < n; i++) nodes[i] = (real)i / (real)(n - 1);
}

void X(lagrange_at)(int m, const real *nodes, real x, real *values, real *derivatives)
{
    for (int j = 0; j < m; j++) {
        real value = 1, slope = 0;
        for (int k = 0; k < m; k++) {
            if (k == j) continue;
            real scale = 1 / (nodes[j] - nodes[k]);
            slope = slope * (x - nodes[k]) * scale + value * scale;
            value *= (x - nodes[k]) * scale;
        }
        if (values) values[j] = value;
        if (derivatives) derivatives[j] = slope;
    }
}

/* The polynomials have degree m-1: Gauss quadrature with enough points is exact. */
void X(lagrange_integrals)(int m, const real *nodes, real x, real *integrals)
{
    enum { MOST = 20 };
    real at[MOST], weight[MOST], value[MOST];
    int points = m / 2 + 1;
    X(gauss_rule)(points, at, weight);
    for (int j = 0; j < m; j++) integrals[j] = 0;
    for (int i = 0; i < points; i++) {
        X(lagrange_at)(m, nodes, x * at[i], value, 0);
        for (int j = 0; j < m; j++) integrals[j] += x * weight[i] * value[j];
    }
}
