/* What RATTLE keeps at every step, to round-off: constraints, their time derivative, momenta; and that it runs backwards. */
#include "support.h"

typedef struct {
    const char *name;
    double h;
    int symmetries; /* conserved momenta that the model must have */
} problem;

/* Steps of about 1/40 of the fastest period. */
static const problem problems[] = {
    { "pendulum", 0.05, 0 },          { "double-spherical-pendulum", 0.02, 1 }, { "triple-pendulum", 0.05, 0 },
    { "rigid-body", 0.02, 3 },        { "slider-crank", 0.001, 0 },             { "four-bar", 0.005, 0 },
    { "driven-pendulum", 0.0005, 0 }, { "heavy-top", 0.0005, 1 },               { "henon-heiles", 0.05, 0 },
    { "damped-pendulum", 0.02, 0 },   { "bead-on-hoop", 0.01, 0 },              { "spring-pendulum", 0.05, 0 },
    { "four-particles", 0.005, 6 },   { "six-balls", 0.02, 3 },                 { "chain-molecule", 0.02, 3 },
    { "water", 0.0005, 3 },           { "hanging-chain", 0.01, 1 },
};
#define PROBLEMS (sizeof problems / sizeof *problems)

/* ---- constraints ---- */

/* Round-off of g_k: a stored q is a rounding of the exact root, so that g_k is uncertain by eps/2 sum_i |G_ki| |q|, and evaluating
   it costs as much again; + |g_t t| for the rounding of t. Likewise dg_k/dt, with |v| for |q|. Max norms, taken over the whole run:
   what passes through zero was not small before. */
typedef struct {
    real g, rate;             /* largest so far */
    real g_scale, rate_scale;
} constraint_round_off;

static void look_at_constraints(simulation *z, constraint_round_off *worst)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    real g, rate, q = largest_of(z->x.q, s->n);
    simulation_residuals(z, &g, &rate); /* leaves G in z->g_values, G v + g_t in z->g_rate, v in z->v */
    real v = largest_of(z->v, s->n);
    worst->g = larger(worst->g, g);
    worst->rate = larger(worst->rate, rate);
    for (uint32_t k = 0; k < s->c; k++) {
        real row = 0, g_t = z->g_rate[k];
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            row += REAL(fabs)(z->g_values[e]);
            g_t -= z->g_values[e] * z->v[p->index[e]];
        }
        worst->g_scale = larger(worst->g_scale, row * q + REAL(fabs)(g_t * z->x.t));
        worst->rate_scale = larger(worst->rate_scale, row * v + REAL(fabs)(g_t));
    }
}

/* ---- momenta ---- */

/* sum |p_i| |xi_i| is at most this, for the terms whose roundings are in p . xi(q) */
static real momentum_scale(const simulation *z, const symmetry *y)
{
    real sum = 0, reach = y->type == SYMMETRY_ROTATION ? largest_of(z->x.q, z->s->n) : 1;
    for (uint32_t i = 0; i < z->s->n; i++) sum += REAL(fabs)(z->x.p[i]);
    return sum * reach;
}

typedef struct {
    real position, velocity, momentum; /* largest errors, in units of eps times the scale */
} kept;

static kept follow(simulation *z, real h, long steps)
{
    real first[SYMMETRY_LIMIT], scale[SYMMETRY_LIMIT], change[SYMMETRY_LIMIT] = { 0 };
    kept worst = { 0, 0, 0 };
    for (int i = 0; i < z->symmetry_count; i++) {
        first[i] = symmetry_momentum(z->s, &z->symmetries[i], z->x.q, z->x.p);
        scale[i] = momentum_scale(z, &z->symmetries[i]);
    }
    constraint_round_off seen = { 0 };
    for (long n = 0; n <= steps; n++) {
        if (n) do_steps(z, 1, h);
        look_at_constraints(z, &seen);
        for (int i = 0; i < z->symmetry_count; i++) {
            real now = symmetry_momentum(z->s, &z->symmetries[i], z->x.q, z->x.p);
            change[i] = larger(change[i], REAL(fabs)(now - first[i]));
            scale[i] = larger(scale[i], momentum_scale(z, &z->symmetries[i]));
        }
    }
    if (z->s->c) worst.position = seen.g / (REAL_EPSILON * seen.g_scale);
    if (z->s->c) worst.velocity = seen.rate / (REAL_EPSILON * seen.rate_scale);
    for (int i = 0; i < z->symmetry_count; i++) worst.momentum = larger(worst.momentum, change[i] / (REAL_EPSILON * scale[i]));
    return worst;
}

static void kept_at_every_step(void **unused)
{
    (void)unused;
    long steps = QUAD ? 200 : 5000;
    if (SANITIZED) steps /= 10;
    if (getenv("N")) steps=atol(getenv("N"));
    for (size_t i = 0; i < PROBLEMS; i++) {
        simulation *z = open_model(problems[i].name);
        assert_int_equal(z->symmetry_count, problems[i].symmetries);
        kept worst = follow(z, wide_from_double(problems[i].h), steps);
        printf("%-26s in units of round-off: g %.2f  dg/dt %.2f  momenta %.2f\n", problems[i].name, (double)worst.position,
               (double)worst.velocity, (double)worst.momentum);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_at_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
