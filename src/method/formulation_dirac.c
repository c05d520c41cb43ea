/* The naive equations (27) with lambda from (28), and the Hamilton-Dirac equations (31), for any H or L, with forces F,
 * and with constraints that depend on time. Derivation: on (q,p), with v = H_p,  psi = G v + g_t = {g,H} + g_t,  Q = G
 * H_pp G':
 *
 *     q' = V = v - H_pp G' a          a = Q^-1 psi
 *     p' = f + G' b                   f = -H_q + F + psi_q' a
 *
 * keeps g for every (q,p): G V + g_t = psi - Q a = 0; and it keeps psi for the one b with
 *     0 = d psi/dt = g''((v,1),(V,1)) + G dv/dt,    dv/dt = v_q V + v_t + H_pp (f + G' b)
 * which is b = Q^-1 (S a - kappa) with S = {psi,psi}, without the matrix S and without a product of matrices. With a =
 * 0 this is the naive form. For a Lagrangian H_pp = L_vv^-1 and v_q = -L_vv^-1 L_vq: both solves have the matrix of
 * kkt.h. */
#include "method/holonomic.h"

#include <string.h>

/* f += psi_q' a: the part of G(q,t) v + g_t, and that of v(q,p): H_qp y with y = G' a, which for a Lagrangian is -L_qv
   u with u = L_vv^-1 y. Both y and u come as the w of the saddle. */
static void add_momentum_gradient(holonomic *f, const place *at, const real *a, const real *w)
{
    struct system *s = f->s;
    real one = 1;
    place motion = direction_of(f->v, NULL, &one), along = direction_of(NULL, w, NULL);
    X(field_slope_gradient)(s->constraint, KIND_Q, at, &motion, a, f->f);
    if (s->structure.separable) return;
    memset(f->other, 0, s->n * sizeof(real));
    X(field_slope_gradient)(s->energy, KIND_Q, at, &along, NULL, f->other);
    real sign = s->form == FORM_LAGRANGIAN ? -1 : 1;
    for (uint32_t i = 0; i < s->n; i++) f->f[i] += sign * f->other[i];
}

/* curvature := g''((v,1),(V,1)) with V = v - u: g''(x,y) = q(x/2 + y/2) - q(x/2 - y/2), and u is small. */
static void find_curvature(holonomic *f, const place *at, const real *u)
{
    struct system *s = f->s;
    for (uint32_t i = 0; i < s->n; i++) f->mean[i] = f->v[i] - (u ? u[i] / 2 : 0);
    X(system_constraint_curvature)(s, at, f->mean, f->curvature);
    if (!u) return;
    place along = direction_of(u, NULL, NULL);
    memset(f->second, 0, s->c * sizeof(real));
    X(field_second)(s->constraint, at, &along, f->second);
    for (uint32_t k = 0; k < s->c; k++) f->curvature[k] -= f->second[k] / 4;
}

/* b, and p' = f + G' b, for q' = V */
static int find_force(holonomic *f, const place *at, const real *V, real *out)
{
    struct system *s = f->s;
    uint32_t n = s->n;
    X(system_momentum_rate)(s, at, V, f->a);
    for (uint32_t i = 0; i < n; i++) f->a[i] = f->f[i] - f->a[i];
    X(system_velocity_rate)(s, at, V, f->b);
    for (uint32_t k = 0; k < s->c; k++) f->c[k] = -f->curvature[k];
    int status = X(saddle_solve)(f->saddle, f->a, f->b, f->c);
    if (status) return status;
    memcpy(f->lambda, f->c, s->c * sizeof(real));
    memcpy(f->rate_of_change, f->b, n * sizeof(real));
    memcpy(out, f->f, n * sizeof(real));
    X(block_multiply_transposed)(&s->blocks[BLOCK_G], X(saddle_jacobian)(f->saddle), 1, f->lambda, out);
    return TAUT_OK;
}

/* ---- naive ---- */

static int naive_evaluate(void *self, real t, const real *z, real *rate)
{
    holonomic *f = self;
    struct system *s = f->s;
    uint32_t n = s->n;
    place at;
    int status = X(holonomic_arrive)(f, t, z, &at);
    if (status) return status;
    memcpy(rate, f->v, n * sizeof(real));
    if (f->acceleration) {
        status = X(acceleration_solve)(f->acceleration, z, f->w, t, f->lambda, f->rate_of_change);
        if (!status) X(system_force)(s, &at, rate + n);
        return status;
    }
    X(system_free_force)(s, &at, f->f);
    find_curvature(f, &at, NULL);
    return find_force(f, &at, f->v, rate + n);
}

static int naive_create(struct system *s, void **self)
{
    return X(holonomic_create)(s, naive_evaluate, MOTION_NAIVE, self);
}

const formulation_class X(formulation_naive) = {
    "naive",
    X(holonomic_refuse),
    naive_create,
    X(holonomic_destroy),
    X(holonomic_begin),
    X(holonomic_end),
    naive_evaluate,
    X(holonomic_chi_count),
    X(holonomic_chi),
    X(holonomic_stages_create),
    X(holonomic_stages_factor),
    X(holonomic_stages_solve),
    X(holonomic_project),
    FIELD_NAIVE,
};

/* ---- dirac ---- */

static const char *dirac_refuse(const struct system *s)
{
    const char *reason = X(holonomic_refuse)(s);
    if (reason) return reason;
    if (s->slip)
        return "it has constraints on velocities; the Dirac bracket would make other motion of them than the principle "
               "of Lagrange and d'Alembert; take rattle, lobatto, del, em or naive";
    return s->structure.force_multiplier ? "a force depends on the multipliers, and the Dirac bracket has them solved "
                                           "from linear equations; naive can do it"
                                         : NULL;
}

static int dirac_evaluate(void *self, real t, const real *z, real *rate)
{
    holonomic *f = self;
    struct system *s = f->s;
    uint32_t n = s->n;
    place at;
    int status = X(holonomic_arrive)(f, t, z, &at);
    if (status) return status;
    X(system_free_force)(s, &at, f->f);
    memcpy(f->c, f->psi, s->c * sizeof(real));
    status = X(holonomic_solve)(f, f->c, f->solved, f->u); /* c: Q^-1 psi, u: H_pp G' of it */
    if (status) return status;
    add_momentum_gradient(f, &at, f->c, f->solved);
    find_curvature(f, &at, f->u);
    for (uint32_t i = 0; i < n; i++) rate[i] = f->v[i] - f->u[i];
    return find_force(f, &at, rate, rate + n);
}

static int dirac_create(struct system *s, void **self)
{
    return X(holonomic_create)(s, dirac_evaluate, MOTION_DIRAC, self);
}

const formulation_class X(formulation_dirac) = {
    "dirac",
    dirac_refuse,
    dirac_create,
    X(holonomic_destroy),
    X(holonomic_begin),
    X(holonomic_end),
    dirac_evaluate,
    X(holonomic_chi_count),
    X(holonomic_chi),
    X(holonomic_stages_create),
    X(holonomic_stages_factor),
    X(holonomic_stages_solve),
    X(holonomic_project),
    FIELD_DIRAC,
};
