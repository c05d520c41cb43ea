/* limit_dsp.c - hand-specialised integrators for J1 (the "physical limit").
   Usage: limit_dsp j1 rattle|shake|energy|rattle4|rattle6|rattle8 h tend */
#include "problem.h"
#define V double
#define NAME(x) x
#include "dsp_kernel.h"

/* Symmetric compositions of RATTLE: Suzuki order 4 (5 stages), Kahan-Li orders 6 (9) and 8 (17). */
static const double c4[] = { 0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857 };
static const double c6[] = { 0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
                             0.08221359629355080023149045, 0.79854399093482996339895035 };
static const double c8[] = {
    0.13020248308889008087881763, 0.56116298177510838456196441,  -0.38947496264484728640807860,
    0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
    0.25837438768632204729397911, 0.29501172360931029887096624,  -0.60550853383003451169892108
};

static __attribute__((noinline)) void run_rattle(state *s, double h, long n)
{
    state t = *s;
    while (n--) rattle(&t, h);
    *s = t;
}
static __attribute__((noinline)) void run_shake(state *s, double h, long n)
{
    state t = *s;
    while (n--) shake(&t, h);
    *s = t;
}
static __attribute__((noinline)) void run_energy(state *s, double h, long n)
{
    state t = *s;
    while (n--) energy(&t, h);
    *s = t;
}
static __attribute__((noinline)) void run_comp(state *s, double h, long n, const double *c, int m)
{
    state t = *s;
    while (n--) {
        for (int i = 0; i < m; i++) rattle(&t, h * c[i]);
        for (int i = m - 2; i >= 0; i--) rattle(&t, h * c[i]);
    }
    *s = t;
}

static void load(const chain *c, state *s)
{
    memset(s, 0, sizeof *s);
    for (int k = 0; k < 3; k++) {
        s->a[k] = c->q[k], s->b[k] = c->q[3 + k] - c->q[k];
        s->u[k] = c->v[k], s->w[k] = c->v[3 + k] - c->v[k];
    }
}
static void store(const state *s, double *q, double *v)
{
    for (int k = 0; k < 3; k++) {
        q[k] = s->a[k], q[3 + k] = s->a[k] + s->b[k];
        v[k] = s->u[k], v[3 + k] = s->u[k] + s->w[k];
    }
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return fprintf(stderr, "usage: %s j1 rattle|shake|energy|rattle4|rattle6|rattle8 h tend\n", argv[0]), 1;
    const char *var = argv[2];
    chain c = chain_dsp();
    double tend = atof(argv[4]), best = INFINITY, q[6], v[6];
    int per = (int)fmax(1, rint(0.1 / atof(argv[3]))), total = (int)rint(tend / 0.1);
    double h = 0.1 / per;
    monitor mon;
    for (int rep = 0; rep < reps(); rep++) {
        state s, half;
        load(&c, &s);
        monitor_start(&mon, chain_energy(&c, c.q, c.v), total);
        for (int i = 0; i < 6; i++) half = s, rattle(&half, h), s.s1 = half.s1, s.s2 = half.s2; /* multipliers at t=0 */
        if (!strcmp(var, "shake")) /* half-step velocity at -h/2 from the first RATTLE step */
            for (int k = 0; k < 3; k++) {
                s.u[k] = (half.a[k] - s.a[k]) / h - h / M1 * (s.s1 * s.a[k] - s.s2 * s.b[k]) + (k == 2) * h * GR;
                s.w[k] = (half.b[k] - s.b[k]) / h - h / M1 * (KAP * s.s2 * s.b[k] - s.s1 * s.a[k]);
            }
        double t0 = now();
        for (int i = 0; i < total; i++) {
            if (!strcmp(var, "rattle"))
                run_rattle(&s, h, per);
            else if (!strcmp(var, "shake"))
                run_shake(&s, h, per);
            else if (!strcmp(var, "energy"))
                run_energy(&s, h, per);
            else if (!strcmp(var, "rattle4"))
                run_comp(&s, h, per, c4, 3);
            else if (!strcmp(var, "rattle6"))
                run_comp(&s, h, per, c6, 5);
            else
                run_comp(&s, h, per, c8, 9);
            store(&s, q, v);
            monitor_chain(&mon, &c, q, v);
        }
        best = fmin(best, now() - t0);
    }
    report_j1("limit", var, h, tend, (double)total * per, best, &mon, q);
}
