/* The equations of the extended Hamiltonian (32), with the signs of the multipliers put right:
 *
 *     H_e = H - lambda.g + mu.psi,   lambda = -Q^-1 kappa,   mu = -Q^-1 psi,   psi = G H_p + g_t,
 *     kappa = {psi,H} + psi_t
 *     dH_e = dH - lambda.dg + 2 mu.dpsi + c.dkappa + c' dQ lambda + mu' dQ mu,   c = Q^-1 g,   weights frozen in each d
 *
 * so that only gradients of scalars are needed: directional second and third derivatives of g and H (or L). With X =
 * (v, -H_q, 1) the free motion, alpha = dv/dt along it, y = G' c, l = G' lambda, m = G' mu, and V = (v,1) in (q,t):
 *
 *     c.kappa = c.g''(V,V) + y.alpha,    y.alpha = H''((0,y,0), X),    c' Q lambda = H''((0,y,0), (0,l,0))
 *
 * H and L below are differentiated along directions (q,w,t). */
#include "method/holonomic.h"

#include <string.h>

static const char *extended_refuse(const struct system *s)
{
    const char *reason = X(holonomic_refuse)(s);
    if (reason) return reason;
    if (s->slip)
        return "it has constraints on velocities, and motion by the principle of Lagrange and d'Alembert has no "
               "Hamiltonian; take rattle, lobatto, del, em or naive";
    return s->structure.has_forces
               ? "the extended Hamiltonian describes motion without forces; naive and dirac take them"
               : NULL;
}

/* Results of the three solves; vectors are those of holonomic's work space. */
typedef struct {
    real *lambda, *mu, *c;  /* c numbers each */
    real *w1;               /* L: alpha + H_pp l;  H: -H_q + l */
    real *v1;               /* alpha + H_pp l */
    real *y, *u_y;          /* w and v of c: (L: H_pp y) H: y;  H_pp y */
    real *m, *u_m;          /* likewise of mu */
} solutions;

static int find_multipliers(holonomic *f, const place *at, solutions *x)
{
    struct system *s = f->s;
    size_t n = s->n, c = s->c, larger = n > c ? n : c;
    *x = (solutions){ f->lambda,
                      f->c,
                      f->phi,
                      f->extra,
                      f->extra + larger,
                      f->extra + 2 * larger,
                      f->extra + 3 * larger,
                      f->extra + 4 * larger,
                      f->extra + 5 * larger };
    X(system_free_force)(s, at, x->w1);
    X(system_momentum_rate)(s, at, f->v, f->a);
    for (size_t i = 0; i < n; i++) x->w1[i] -= f->a[i];
    X(system_velocity_rate)(s, at, f->v, x->v1);
    X(system_constraint_curvature)(s, at, f->v, x->lambda);
    for (size_t k = 0; k < c; k++) x->lambda[k] = -x->lambda[k];
    int status = X(saddle_solve)(f->saddle, x->w1, x->v1, x->lambda);
    X(system_constraints)(s, at, x->c);
    if (!status) status = X(holonomic_solve)(f, x->c, x->y, x->u_y);
    for (size_t k = 0; k < c; k++) x->mu[k] = -f->psi[k];
    if (!status) status = X(holonomic_solve)(f, x->mu, x->m, x->u_m);
    memcpy(f->rate_of_change, x->v1, n * sizeof(real));
    return status;
}

/* out += factor d/dq of (weights.g)' along (dq, dt) */
static void add_slope(const holonomic *f, const place *at, const real *dq, real dt, const real *weights, real factor,
                      real *work, real *out)
{
    place along = direction_of(dq, NULL, &dt);
    memset(work, 0, f->s->n * sizeof(real));
    X(field_slope_gradient)(f->s->constraint, KIND_Q, at, &along, weights, work);
    for (uint32_t i = 0; i < f->s->n; i++) out[i] += factor * work[i];
}

/* The terms in which g is differentiated, by q (the same for H and L):
   2 mu.g'(V) + 2 mu.g'(u_m) + c.g''(V,V) + c.g'(alpha + u_l) + lambda.g'(u_y) */
static void constraint_terms(holonomic *f, const place *at, const solutions *x, real *by_q)
{
    struct system *s = f->s;
    real one = 1, *work = f->other;
    place motion = direction_of(f->v, NULL, &one);
    memset(by_q, 0, s->n * sizeof(real));
    for (uint32_t i = 0; i < s->n; i++) f->mean[i] = f->v[i] + x->u_m[i];
    add_slope(f, at, f->mean, 1, x->mu, 2, work, by_q);
    add_slope(f, at, x->v1, 0, x->c, 1, work, by_q);
    add_slope(f, at, x->u_y, 0, x->lambda, 1, work, by_q);
    X(field_third)(s->constraint, KIND_Q, at, &motion, &motion, x->c, by_q);
}

/* out += sign * (the third derivatives of H or L along ((0,y,0), (v,w1,1)) and ((0,m,0), (0,m,0))) */
static void third_terms(holonomic *f, const place *at, const solutions *x, kind by, real sign, real *out)
{
    struct system *s = f->s;
    real one = 1;
    place along_y = direction_of(NULL, x->y, NULL), along_m = direction_of(NULL, x->m, NULL);
    place motion = direction_of(f->v, x->w1, &one);
    memset(f->other, 0, s->n * sizeof(real));
    X(field_third)(s->energy, by, at, &along_y, &motion, NULL, f->other);
    X(field_third)(s->energy, by, at, &along_m, &along_m, NULL, f->other);
    for (uint32_t i = 0; i < s->n; i++) out[i] += sign * f->other[i];
}

/* out := d/d(by) of H' (or L') along (dq, dw, 0) */
static void energy_slope(const holonomic *f, const place *at, const real *dq, const real *dw, kind by, real *out)
{
    place along = direction_of(dq, dw, NULL);
    memset(out, 0, f->s->n * sizeof(real));
    X(field_slope_gradient)(f->s->energy, by, at, &along, NULL, out);
}

/* By p and by q of everything but H - lambda.g, frozen as above:
   y.alpha: H'' of (0,y,0) and X, whose v and -H_q change too: r.dv - u_y.dH_q with r = H_qp y. */
static void hamiltonian_terms(holonomic *f, const place *at, const solutions *x, real *by_q, real *by_p)
{
    struct system *s = f->s;
    real one = 1, *dw = f->f, *dq = f->mean;
    constraint_terms(f, at, x, by_q);
    energy_slope(f, at, NULL, x->y, KIND_Q, dw);
    place motion = direction_of(f->v, NULL, &one);
    memset(f->a, 0, s->n * sizeof(real));
    X(field_slope_gradient)(s->constraint, KIND_Q, at, &motion, x->c, f->a);
    for (uint32_t i = 0; i < s->n; i++) dw[i] += 2 * (x->m[i] + f->a[i]), dq[i] = -x->u_y[i];
    energy_slope(f, at, dq, dw, KIND_Q, f->other);
    for (uint32_t i = 0; i < s->n; i++) by_q[i] += f->other[i];
    energy_slope(f, at, dq, dw, KIND_W, by_p);
    third_terms(f, at, x, KIND_Q, 1, by_q);
    third_terms(f, at, x, KIND_W, 1, by_p);
}

/* The same from a Lagrangian: derivatives of scalars sigma(q,v) first, then sigma_p = L_vv^-1 sigma_v and
   sigma_q at fixed p = sigma_q - L_qv sigma_p. With u = u_y and w1 = alpha + u_l,
   y.dalpha = d( u.L_q - L''((0,u,0),(v,alpha,1)) ),  c' dQ lambda = -d L''((0,u,0),(0,u_l,0)), u, alpha, u_l frozen. */
static int lagrangian_terms(holonomic *f, const place *at, const solutions *x, real *by_q, real *by_p)
{
    struct system *s = f->s;
    real one = 1;
    constraint_terms(f, at, x, by_q);
    place motion = direction_of(f->v, NULL, &one);
    memset(by_p, 0, s->n * sizeof(real));
    X(field_slope_gradient)(s->constraint, KIND_Q, at, &motion, x->c, by_p);
    for (uint32_t i = 0; i < s->n; i++) by_p[i] *= 2;
    for (uint32_t k = 0; k < s->c; k++) f->second[k] = 2 * x->mu[k];
    X(block_multiply_transposed)(&s->blocks[BLOCK_G], X(saddle_jacobian)(f->saddle), 1, f->second, by_p);
    energy_slope(f, at, x->u_y, NULL, KIND_Q, f->other);
    for (uint32_t i = 0; i < s->n; i++) by_q[i] += f->other[i];
    if (!s->structure.uncoupled) {
        energy_slope(f, at, x->u_y, NULL, KIND_W, f->other);
        for (uint32_t i = 0; i < s->n; i++) by_p[i] += f->other[i];
        energy_slope(f, at, NULL, x->u_y, KIND_Q, f->other);
        for (uint32_t i = 0; i < s->n; i++) by_p[i] -= f->other[i];
        third_terms(f, at, x, KIND_Q, -1, by_q);
        third_terms(f, at, x, KIND_W, -1, by_p);
    }
    int status = X(legendre_mass_solve)(f->legendre, at, by_p);
    if (status || s->structure.separable) return status;
    energy_slope(f, at, NULL, by_p, KIND_Q, f->other);
    for (uint32_t i = 0; i < s->n; i++) by_q[i] -= f->other[i];
    return TAUT_OK;
}

static int extended_evaluate(void *self, real t, const real *z, real *rate)
{
    holonomic *f = self;
    struct system *s = f->s;
    uint32_t n = s->n;
    place at;
    solutions x;
    int status = X(holonomic_arrive)(f, t, z, &at);
    if (!status) status = find_multipliers(f, &at, &x);
    if (status) return status;
    if (s->form == FORM_LAGRANGIAN)
        status = lagrangian_terms(f, &at, &x, f->b, f->u);
    else
        hamiltonian_terms(f, &at, &x, f->b, f->u);
    if (status) return status;
    X(system_free_force)(s, &at, rate + n);
    X(block_multiply_transposed)(&s->blocks[BLOCK_G], X(saddle_jacobian)(f->saddle), 1, x.lambda, rate + n);
    for (uint32_t i = 0; i < n; i++) rate[i] = f->v[i] + f->u[i], rate[n + i] -= f->b[i];
    return TAUT_OK;
}

static int extended_create(struct system *s, void **self)
{
    int status = X(holonomic_create)(s, extended_evaluate, MOTION_EXTENDED, self);
    if (!status) status = X(field_prepare_third)(s->constraint, KIND_Q);
    if (!status) status = X(field_prepare_slope_gradient)(s->energy, KIND_W);
    if (!status) status = X(field_prepare_third)(s->energy, KIND_Q);
    if (!status) status = X(field_prepare_third)(s->energy, KIND_W);
    if (status) {
        X(holonomic_destroy)(*self);
        *self = NULL;
    }
    return status;
}

const formulation_class X(formulation_extended) = {
    "extended",
    extended_refuse,
    extended_create,
    X(holonomic_destroy),
    X(holonomic_begin),
    X(holonomic_end),
    extended_evaluate,
    X(holonomic_chi_count),
    X(holonomic_chi),
    X(holonomic_stages_create),
    X(holonomic_stages_factor),
    X(holonomic_stages_solve),
    X(holonomic_project),
    FIELD_EXTENDED,
};
