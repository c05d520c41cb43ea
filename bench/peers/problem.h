/* problem.h - problem data, monitors, timing and the one-line report shared by all peer drivers.
   A "chain" is n point masses joined by n rigid bars, the first bar pinned at the origin:
   J1 (double spherical pendulum) is a chain of 2, J2 is a chain of n released from horizontal. */
#ifndef PROBLEM_H
#define PROBLEM_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    int n;
    double g, *m, *l, *q, *v;
} chain;

static inline chain chain_new(int n)
{
    chain c = { n, 9.81, NULL, NULL, NULL, NULL };
    c.m = (double *)calloc(n, sizeof(double)), c.l = (double *)calloc(n, sizeof(double));
    c.q = (double *)calloc(3 * n, sizeof(double)), c.v = (double *)calloc(3 * n, sizeof(double));
    return c;
}

/* J1: z and z' follow from the constraints, on the lower branch. */
static inline chain chain_dsp(void)
{
    static const double m[2] = { 2, 3.5 }, l[2] = { 4, 3 };
    static const double xy[2][2] = { { 2.820, 0.025 }, { 5.085, 0.105 } };
    static const double uv[2][2] = { { 3.381, 2.506 }, { 2.497, 10.495 } };
    chain c = chain_new(2);
    for (int i = 0; i < 2; i++) {
        double *q = c.q + 3 * i, *v = c.v + 3 * i;
        double p[3] = { 0 }, u[3] = { 0 };
        if (i) memcpy(p, q - 3, sizeof p), memcpy(u, v - 3, sizeof u);
        double dx = xy[i][0] - p[0], dy = xy[i][1] - p[1], dz = -sqrt(l[i] * l[i] - dx * dx - dy * dy);
        c.m[i] = m[i], c.l[i] = l[i];
        q[0] = xy[i][0], q[1] = xy[i][1], q[2] = p[2] + dz;
        v[0] = uv[i][0], v[1] = uv[i][1];
        v[2] = u[2] - (dx * (v[0] - u[0]) + dy * (v[1] - u[1])) / dz;
    }
    return c;
}

/* J2: unit masses, unit bars, at rest along +x. */
static inline chain chain_horizontal(int n)
{
    chain c = chain_new(n);
    for (int i = 0; i < n; i++) c.m[i] = c.l[i] = 1, c.q[3 * i] = i + 1;
    return c;
}

static inline double chain_energy(const chain *c, const double *q, const double *v)
{
    double e = 0;
    for (int i = 0; i < c->n; i++, q += 3, v += 3)
        e += c->m[i] * (0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + c->g * q[2]);
    return e;
}

/* Largest relative bar-length error, and largest bar elongation rate over bar length. */
static inline void chain_residual(const chain *c, const double *q, const double *v, double *gap, double *slip)
{
    *gap = *slip = 0;
    for (int i = 0; i < c->n; i++) {
        double s = 0, w = 0;
        for (int k = 0; k < 3; k++) {
            double d = q[3 * i + k] - (i ? q[3 * i + k - 3] : 0), u = v[3 * i + k] - (i ? v[3 * i + k - 3] : 0);
            s += d * d, w += d * u;
        }
        *gap = fmax(*gap, fabs(sqrt(s) / c->l[i] - 1));
        *slip = fmax(*slip, fabs(w) / s);
    }
}

/* Acceleration and multipliers of the index-1 form: a_i = -g ez + (d_i lam_i - d_{i+1} lam_{i+1})/m_i with
   d_i = q_i - q_{i-1}; the lam solve a symmetric tridiagonal system. work: 2n doubles. */
static inline void chain_accel(const chain *c, const double *q, const double *v, double *acc, double *lam, double *work)
{
    int n = c->n;
    double *piv = work, *up = work + n, dp[3] = { 0 };
    for (int i = 0; i < n; i++) {
        double d[3], dd = 0, uu = 0, dprev = 0;
        for (int k = 0; k < 3; k++) {
            double u = v[3 * i + k] - (i ? v[3 * i + k - 3] : 0);
            d[k] = q[3 * i + k] - (i ? q[3 * i + k - 3] : 0);
            dd += d[k] * d[k], uu += u * u, dprev += d[k] * dp[k];
        }
        memcpy(dp, d, sizeof d);
        double im = i ? 1 / c->m[i - 1] : 0, off = -dprev * im;
        piv[i] = dd * (im + 1 / c->m[i]), lam[i] = -uu + (i ? 0 : c->g * d[2]);
        if (i) {
            up[i - 1] = off / piv[i - 1];
            piv[i] -= off * up[i - 1];
            lam[i] -= up[i - 1] * lam[i - 1];
        }
    }
    lam[n - 1] /= piv[n - 1];
    for (int i = n - 2; i >= 0; i--) lam[i] = lam[i] / piv[i] - up[i] * lam[i + 1];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double t = lam[i] * (q[3 * i + k] - (i ? q[3 * i + k - 3] : 0));
            if (i + 1 < n) t -= lam[i + 1] * (q[3 * i + k + 3] - q[3 * i + k]);
            acc[3 * i + k] = t / c->m[i] - (k == 2) * c->g;
        }
}

/* One Newton step onto |d_i| = l_i (vel=0) or d_i.u_i = 0 (vel=1) in the mass metric; moves x (q or v).
   Returns the largest relative residual before the step. work: 3n doubles. */
static inline double chain_project(const chain *c, const double *q, double *x, int vel, double *work)
{
    int n = c->n;
    double *piv = work, *up = work + n, *lam = work + 2 * n, dp[3] = { 0 }, res = 0;
    for (int i = 0; i < n; i++) {
        double d[3], dd = 0, du = 0, dprev = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = q[3 * i + k] - (i ? q[3 * i + k - 3] : 0);
            if (vel) du += d[k] * (x[3 * i + k] - (i ? x[3 * i + k - 3] : 0));
            dd += d[k] * d[k], dprev += d[k] * dp[k];
        }
        memcpy(dp, d, sizeof d);
        double im = i ? 1 / c->m[i - 1] : 0, off = -dprev * im;
        piv[i] = dd * (im + 1 / c->m[i]), lam[i] = vel ? -du : 0.5 * (c->l[i] * c->l[i] - dd);
        res = fmax(res, fabs(lam[i]) / (c->l[i] * c->l[i]));
        if (i) {
            up[i - 1] = off / piv[i - 1];
            piv[i] -= off * up[i - 1];
            lam[i] -= up[i - 1] * lam[i - 1];
        }
    }
    lam[n - 1] /= piv[n - 1];
    for (int i = n - 2; i >= 0; i--) lam[i] = lam[i] / piv[i] - up[i] * lam[i + 1];
    double dcur[3], dnext[3];
    for (int k = 0; k < 3; k++) dcur[k] = q[k];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) dnext[k] = i + 1 < n ? q[3 * i + k + 3] - q[3 * i + k] : 0;
        for (int k = 0; k < 3; k++)
            x[3 * i + k] += (lam[i] * dcur[k] - (i + 1 < n ? lam[i + 1] : 0) * dnext[k]) / c->m[i];
        memcpy(dcur, dnext, sizeof dcur);
    }
    return res;
}

/* J1 state at t=30, from ref.c (binary128 extrapolation, digits agreed by two step sizes). */
static const double dsp_ref30[6] = {
#include "ref30.inc"
};
static inline double dsp_err30(const double *q)
{
    double e = 0;
    for (int k = 0; k < 6; k++) e = fmax(e, fabs(q[k] - dsp_ref30[k]));
    return e;
}

/* Largest deviation, and drift (mean of the last tenth minus mean of the first tenth), both over |e0|. */
typedef struct {
    double e0, dmax, head, tail, gap, slip;
    int k, total;
} monitor;

static inline void monitor_start(monitor *s, double e0, int total)
{
    memset(s, 0, sizeof *s);
    s->e0 = e0, s->total = total;
}
static inline void monitor_energy(monitor *s, double e)
{
    int w = s->total / 10 > 0 ? s->total / 10 : 1;
    double d = (e - s->e0) / fabs(s->e0);
    if (!(fabs(d) <= s->dmax)) s->dmax = fabs(d);
    if (s->k < w) s->head += d / w;
    if (s->k >= s->total - w) s->tail += d / w;
    s->k++;
}
static inline void monitor_chain(monitor *s, const chain *c, const double *q, const double *v)
{
    double gap, slip;
    chain_residual(c, q, v, &gap, &slip);
    s->gap = fmax(s->gap, gap), s->slip = fmax(s->slip, slip);
    monitor_energy(s, chain_energy(c, q, v));
}

/* CPU seconds of this process: steadier than wall time on a shared machine, equal to it for one thread. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
static inline double now_wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
static inline int reps(void)
{
    const char *s = getenv("REPS");
    return s ? atoi(s) : 3;
}

static inline void report_j1(const char *peer, const char *variant, double set, double tend, double steps, double cpu,
                             const monitor *s, const double *q)
{
    printf("j1 %-8s %-12s set=%-8.3g T=%-5g steps=%-9.0f us/sim_s=%-9.4g ns/step=%-8.4g err30=%-9.2e "
           "dEmax=%-9.2e drift=%-10.2e gap=%-9.2e slip=%.2e\n",
           peer, variant, set, tend, steps, 1e6 * cpu / tend, 1e9 * cpu / steps, tend == 30 ? dsp_err30(q) : NAN,
           s->dmax, s->tail - s->head, s->gap, s->slip);
    fflush(stdout);
}
static inline void report_j2(const char *peer, const char *variant, double set, int n, double tend, double steps,
                             double cpu, const chain *c, const double *q, const double *v)
{
    double gap, slip, e0 = c->g * c->m[0] * c->n * c->l[0] * c->n / 2; /* energy scale: n m g L/2 */
    chain_residual(c, q, v, &gap, &slip);
    printf("j2 %-8s %-12s set=%-8.3g N=%-6d T=%-5g steps=%-7.0f us/step=%-9.4g ns/mass/step=%-8.4g us/sim_ms=%-9.4g "
           "dE=%-9.2e gap=%-9.2e tip=(%.9f %.9f)\n",
           peer, variant, set, n, tend, steps, 1e6 * cpu / steps, 1e9 * cpu / steps / n, 1e6 * cpu / (1e3 * tend),
           (chain_energy(c, q, v) - chain_energy(c, c->q, c->v)) / e0, gap, q[3 * n - 3], q[3 * n - 1]);
    fflush(stdout);
}

/* J5: flat links on hinges along y, on a slope (models/hinged-chain.lua): sizes of a link, mass, slope. */
static const double link_size[3] = { 0.05, 0.1, 0.01 }, link_mass = 0.1, link_slope = 0.3, link_gravity = 9.81;

/* end: height of the centre of the last link */
static inline void report_j5(const char *peer, const char *variant, double h, int n, double tend, double steps,
                             double cpu, double end)
{
    printf("j5 %-8s %-12s set=%-8.3g N=%-5d T=%-5g steps=%-7.0f us/step=%-9.4g ns/body/step=%-8.4g end_height=%.15f\n",
           peer, variant, h, n, tend, steps, 1e6 * cpu / steps, 1e9 * cpu / steps / n, end);
}

/* J3: free body, inertia diag(1,2,3), omega0=(0,3,4) in the body frame = the world frame at t=0. */
static const double rb_inertia[3] = { 1, 2, 3 }, rb_omega[3] = { 0, 3, 4 };
typedef struct {
    double emax, eend, lmax, lend, lnorm;
} rb_monitor;

/* R: row-major body-to-world rotation; w: angular velocity in the world frame. */
static inline void rb_sample(rb_monitor *s, const double R[9], const double w[3])
{
    static const double L0[3] = { 0, 6, 12 };
    double L[3] = { 0 }, T = 0, d = 0, n = 0, l0 = sqrt(180.0);
    for (int j = 0; j < 3; j++) {
        double wb = R[j] * w[0] + R[3 + j] * w[1] + R[6 + j] * w[2];
        T += 0.5 * rb_inertia[j] * wb * wb;
        for (int i = 0; i < 3; i++) L[i] += R[3 * i + j] * rb_inertia[j] * wb;
    }
    for (int i = 0; i < 3; i++) d += (L[i] - L0[i]) * (L[i] - L0[i]), n += L[i] * L[i];
    s->eend = T / 33 - 1, s->lend = sqrt(d) / l0, s->lnorm = sqrt(n) / l0 - 1;
    s->emax = fmax(s->emax, fabs(s->eend)), s->lmax = fmax(s->lmax, s->lend);
}
static inline void report_j3(const char *peer, const char *variant, double h, double steps, double cpu,
                             const rb_monitor *s)
{
    printf("j3 %-8s %-12s set=%-8.3g steps=%-6.0f ns/step=%-8.4g dE_end=%-10.2e dE_max=%-9.2e |dL|_end=%-9.2e "
           "|dL|_max=%-9.2e d|L|_end=%.2e\n",
           peer, variant, h, steps, 1e9 * cpu / steps, s->eend, s->emax, s->lend, s->lmax, s->lnorm);
    fflush(stdout);
}
#endif
