/* limit_chain.c - hand-written RATTLE for J2 in bar vectors d_i = q_i - q_{i-1}, w_i = d_i' (structure of arrays).
   Multipliers: chord Newton on the symmetric tridiagonal matrix S = G M^-1 G^T, factored once per step (the factors of
   the velocity projection serve the next position solve); factors and sweeps run from both ends to the middle.
   Usage: limit_chain j2 twisted|thomas h n tend */
#include "problem.h"

typedef struct {
    int n, mid;
    double *base, *d[3], *w[3], *p[3], *e[3], *mu, *im, *y, *y1, *l2, *iD, *c, *f, *D,
        *L; /* f: right-hand side, then solution */
    double g;
} sim;

static double *take(sim *s, int k)
{
    return s->base + (size_t)k * ((s->n + 2 + 15) & ~7) + 8;
} /* zero pad on both ends */

static sim sim_new(const chain *c, int twisted)
{
    sim s = { .n = c->n, .mid = twisted ? c->n / 2 : c->n - 1, .g = c->g };
    size_t row = (c->n + 2 + 15) & ~7;
    s.base = aligned_alloc(64, (22 * row * sizeof(double) + 63) & ~(size_t)63);
    memset(s.base, 0, 22 * row * sizeof(double));
    for (int k = 0; k < 3; k++)
        s.d[k] = take(&s, k), s.w[k] = take(&s, 3 + k), s.p[k] = take(&s, 6 + k), s.e[k] = take(&s, 9 + k);
    s.mu = take(&s, 12), s.im = take(&s, 13), s.y = take(&s, 14), s.y1 = take(&s, 15);
    s.l2 = take(&s, 16), s.iD = take(&s, 17), s.c = take(&s, 18), s.f = take(&s, 19), s.D = take(&s, 20),
    s.L = take(&s, 21);
    for (int i = 0; i < c->n; i++) {
        for (int k = 0; k < 3; k++) {
            s.d[k][i] = c->q[3 * i + k] - (i ? c->q[3 * i + k - 3] : 0);
            s.w[k][i] = c->v[3 * i + k] - (i ? c->v[3 * i + k - 3] : 0);
        }
        s.im[i] = 1 / c->m[i], s.mu[i] = s.im[i] + (i ? 1 / c->m[i - 1] : 0), s.l2[i] = c->l[i] * c->l[i],
        s.D[i] = s.l2[i] * s.mu[i];
    }
    return s;
}

/* c_i couples i and i+1; elimination runs towards mid. iD: reciprocal pivots, L: coupling towards mid times iD. */
static inline void factor(sim *s)
{
    int n = s->n, mid = s->mid, j = 0, both = mid < n - 1 - mid ? mid : n - 1 - mid;
    const double *restrict D = s->D, *restrict c = s->c;
    double *restrict iD = s->iD, *restrict L = s->L, a = 0, b = 0;
    for (; j < both; j++) {
        int i = j, k = n - 1 - j;
        iD[i] = 1 / (D[i] - c[i - 1] * a), L[i] = a = c[i] * iD[i];
        iD[k] = 1 / (D[k] - c[k] * b), L[k] = b = c[k - 1] * iD[k];
    }
    for (int i = j; i < mid; i++) iD[i] = 1 / (D[i] - c[i - 1] * a), L[i] = a = c[i] * iD[i];
    for (int k = n - 1 - j; k > mid; k--) iD[k] = 1 / (D[k] - c[k] * b), L[k] = b = c[k - 1] * iD[k];
    iD[mid] = 1 / (D[mid] - c[mid - 1] * a - c[mid] * b), L[mid] = 0;
}
static inline void solve(sim *s)
{
    int n = s->n, mid = s->mid, j = 1, both = mid < n - 1 - mid ? mid : n - 1 - mid;
    const double *restrict iD = s->iD, *restrict L = s->L;
    double *restrict f = s->f, a = f[0], b = f[n - 1];
    for (; j < both; j++) {
        int i = j, k = n - 1 - j;
        f[i] = a = f[i] - L[i - 1] * a, f[k] = b = f[k] - L[k + 1] * b;
    }
    for (int i = j; i < mid; i++) f[i] = a = f[i] - L[i - 1] * a;
    for (int k = n - 1 - j; k > mid; k--) f[k] = b = f[k] - L[k + 1] * b;
    if (mid > 0) f[mid] -= L[mid - 1] * f[mid - 1];
    if (mid < n - 1) f[mid] -= L[mid + 1] * f[mid + 1];
    f[mid] = a = b = f[mid] * iD[mid];
    for (j = 1; j <= both; j++) {
        int i = mid - j, k = mid + j;
        f[i] = a = f[i] * iD[i] - L[i] * a, f[k] = b = f[k] * iD[k] - L[k] * b;
    }
    for (int i = mid - j; i >= 0; i--) f[i] = a = f[i] * iD[i] - L[i] * a;
    for (int k = mid + j; k < n; k++) f[k] = b = f[k] * iD[k] - L[k] * b;
}

/* out = in + M-weighted constraint direction of multipliers y on bars d: (S-like) mu y d - im y' d' */
#define PUSH(k, in, y) \
    (in[k][i] + mu[i] * y[i] * d[k][i] - im[i - 1] * y[i - 1] * d[k][i - 1] - im[i] * y[i + 1] * d[k][i + 1])

/* Couplings and pivots at the current bars, then project the velocities. */
static void velocity(sim *s)
{
    int n = s->n;
    double *const *d = s->d, *const *w = s->w, *const *e = s->e, *restrict c = s->c, *restrict f = s->f;
    const double *restrict im = s->im, *restrict mu = s->mu;
#pragma GCC ivdep
    for (int i = 0; i < n; i++) {
        c[i] = -im[i] * (d[0][i] * d[0][i + 1] + d[1][i] * d[1][i + 1] + d[2][i] * d[2][i + 1]);
        f[i] = -(d[0][i] * w[0][i] + d[1][i] * w[1][i] + d[2][i] * w[2][i]);
    }
    factor(s);
    solve(s);
    for (int k = 0; k < 3; k++)
#pragma GCC ivdep
        for (int i = 0; i < n; i++) e[k][i] = PUSH(k, w, f);
    for (int k = 0; k < 3; k++) {
        double *t = s->w[k];
        s->w[k] = s->e[k], s->e[k] = t;
    }
}

/* One step; returns the number of multiplier iterations. Stops at a residual whose next iterate is below rounding. */
static int step(sim *s, double h)
{
    int n = s->n, it = 0;
    double *const *d = s->d, *const *w = s->w, *const *p = s->p, *const *e = s->e, hg = 0.5 * h * s->g, r = 1;
    double *restrict y = s->y, *restrict y1 = s->y1, *restrict f = s->f;
    const double *restrict im = s->im, *restrict mu = s->mu, *restrict l2 = s->l2;
    for (int k = 0; k < 3; k++)
#pragma GCC ivdep
        for (int i = 0; i < n; i++) p[k][i] = d[k][i] + h * w[k][i];
    p[2][0] -= h * hg;
#pragma GCC ivdep
    for (int i = 0; i < n; i++) {
        double t = 2 * y[i] - y1[i];
        y1[i] = y[i], y[i] = t;
    }
    while (r > 1e-12 && it < 30) {
        r = 0;
#pragma GCC ivdep
        for (int i = 0; i < n; i++) {
            double a = PUSH(0, p, y), b = PUSH(1, p, y), c = PUSH(2, p, y), g = 0.5 * (l2[i] - a * a - b * b - c * c);
            f[i] = g, r = fmax(r, fabs(g));
        }
        solve(s);
#pragma GCC ivdep
        for (int i = 0; i < n; i++) y[i] += f[i];
        it++;
    }
    double ih = 1 / h;
    for (int k = 0; k < 3; k++) {
        double *restrict wk = w[k], *restrict ek = e[k];
#pragma GCC ivdep
        for (int i = 0; i < n; i++) ek[i] = PUSH(k, p, y), wk[i] += ih * (ek[i] - p[k][i]);
    }
    w[2][0] -= 2 * hg;
    for (int k = 0; k < 3; k++) {
        double *t = s->d[k];
        s->d[k] = s->e[k], s->e[k] = t;
    }
    velocity(s);
    return it;
}

int main(int argc, char **argv)
{
    if (argc < 6) return fprintf(stderr, "usage: %s j2 twisted|thomas h n tend\n", argv[0]), 1;
    int n = atoi(argv[4]);
    double h = atof(argv[3]), tend = atof(argv[5]), best = INFINITY;
    chain c = chain_horizontal(n);
    double *q = calloc(3 * n, sizeof *q), *v = calloc(3 * n, sizeof *v);
    long steps = lrint(tend / h), its = 0;
    for (int rep = 0; rep < reps(); rep++) {
        sim s = sim_new(&c, !strcmp(argv[2], "twisted"));
        velocity(&s);
        its = 0;
        double t0 = now();
        for (long i = 0; i < steps; i++) its += step(&s, h);
        best = fmin(best, now() - t0);
        for (int i = 0; i < 3 * n; i++) {
            q[i] = s.d[i % 3][i / 3] + (i > 2 ? q[i - 3] : 0);
            v[i] = s.w[i % 3][i / 3] + (i > 2 ? v[i - 3] : 0);
        }
        free(s.base);
    }
    report_j2("limit", argv[2], h, n, tend, steps, best, &c, q, v);
    printf("   iterations per step %.2f\n", (double)its / steps);
}
