/* Unknowns dw = dw/dt, dv = dv/dt, lambda:
 *     pi_w dw + (pi_q v + pi_t) = phi(q,w,t,lambda)
 *     dv = nu_w dw + (nu_q v + nu_t)
 *     G dv + d^2/ds^2 g(q + s v, t + s) = 0
 * Where p = M v + a with constant M and a, and the forces are free of multipliers, dw and dv are eliminated. With the
 * free force f, W = M^-1 and the last term k, what is left is
 *     G W (f + G' lambda) + k = 0
 */
#include "solve/acceleration.h"

#include <stdio.h>
#include <string.h>

#include "base/room.h"
#include "solve/multiplier.h"

struct acceleration {
    struct system *s;
    kkt *kkt;                    /* of all unknowns; or */
    multiplier *multiplier;      /* of lambda alone; neither: lambda alone, and there is none */
    newton newton;
    void *room;                  /* of the arrays below */
    real *x;                     /* dw, dv, lambda */
    real *pi_w, *nu_w;           /* block values */
    real *pi_rate, *nu_rate, *curvature, *velocity;
    /* lambda alone */
    real *pulled;                /* forces of two corrections; where constraints are softened */
    real *force, *jacobian;      /* f; values of BLOCK_G, unless they are given: */
    const real *g;
    const real *q, *w;
    real t;
    const unsigned char *kept;   /* constraints, where only some are solved; NULL: all */
};

static int is_reduced(const struct system *s)
{
    return s->offset && s->form != FORM_RATES && !s->structure.force_multiplier;
}

void X(acceleration_destroy)(acceleration *a)
{
    if (!a) return;
    room_free(a->s->context, &a->room);
    X(kkt_destroy)(a->kkt);
    X(multiplier_destroy)(a->multiplier);
    X(newton_clear)(&a->newton);
    taut_mem_free(a->s->context, a);
}

static void lay_out(void *self, room_layout *l)
{
    acceleration *a = self;
    const struct system *s = a->s;
    a->x = room_reals(l, 2 * (size_t)s->n + s->c);
    a->curvature = room_reals(l, s->c);
    a->velocity = room_reals(l, s->n);
    if (!a->kkt) {
        a->force = room_reals(l, s->n);
        a->jacobian = room_reals(l, (size_t)s->blocks[BLOCK_G].value_count);
        if (a->newton.secants.product) a->pulled = room_reals(l, 2 * (size_t)s->n);
        return;
    }
    a->pi_w = room_reals(l, (size_t)s->blocks[BLOCK_PI_W].value_count);
    a->nu_w = room_reals(l, (size_t)s->blocks[BLOCK_NU_W].value_count);
    a->pi_rate = room_reals(l, s->n);
    a->nu_rate = room_reals(l, s->n);
}

/* Inner products of corrections, by what they move: round-off changes multipliers that make no force. */
static real product(void *self, const real *x, const real *y)
{
    real sum = 0;
    for (uint32_t i = 0; i < ((const acceleration *)self)->s->n; i++) sum += x[i] * y[i];
    return sum;
}

static real reduced_product(void *self, const real *x, const real *y)
{
    acceleration *a = self;
    const block_shape *g = &a->s->blocks[BLOCK_G];
    real *first = a->pulled, *second = a->pulled + a->s->n, sum = 0;
    memset(first, 0, 2 * (size_t)a->s->n * sizeof(real));
    X(block_multiply_transposed)(g, a->g, 1, x, first);
    X(block_multiply_transposed)(g, a->g, 1, y, second);
    for (uint32_t i = 0; i < a->s->n; i++) sum += first[i] * second[i];
    return sum;
}

int X(acceleration_create)(struct system *s, acceleration **result)
{
    acceleration *a = taut_mem_new(s->context, 1, sizeof *a);
    *result = NULL;
    if (!a) return TAUT_OUT_OF_MEMORY;
    a->s = s;
    int reduced = is_reduced(s), unknowns = (int)(reduced ? s->c : 2 * s->n + s->c);
    int status = X(system_prepare_rates)(s);
    if (!status) status = X(system_prepare_block)(s, BLOCK_G);
    if (!status && !reduced) status = X(kkt_create)(s, &a->kkt);
    if (!status && !reduced) status = X(system_prepare_block)(s, BLOCK_PI_W);
    if (!status && !reduced) status = X(system_prepare_block)(s, BLOCK_NU_W);
    if (!status && reduced && s->c) status = X(multiplier_create)(s, NULL, &a->multiplier);
    if (!status) status = X(newton_create)(s->context, unknowns, 0, &a->newton);
    if (!status && s->softening && !s->stresses)
        status = X(newton_keep_secants)(&a->newton, reduced ? reduced_product : product);
    if (!status) status = room_create(s->context, lay_out, a, &a->room);
    if (status)
        X(acceleration_destroy)(a);
    else
        *result = a;
    return status;
}

void X(acceleration_keep)(acceleration *a, const unsigned char *kept, const double *softening)
{
    a->kept = kept;
    if (a->kkt) X(kkt_soften)(a->kkt, softening);
    if (a->multiplier) X(multiplier_soften)(a->multiplier, softening);
}

/* Zeros for the constraints that are left out. */
static void leave_out(const acceleration *a, real *values)
{
    for (uint32_t k = 0; a->kept && k < a->s->c; k++)
        if (!a->kept[k]) values[k] = 0;
}

static int residual(void *self, const real *x, real *out)
{
    acceleration *a = self;
    struct system *s = a->s;
    uint32_t n = s->n;
    place at = place_at(a->s, a->q, a->w, &a->t, x + 2 * n);
    X(system_force)(s, &at, out);
    for (uint32_t i = 0; i < n; i++) out[i] = a->pi_rate[i] - out[i];
    X(block_multiply)(&s->blocks[BLOCK_PI_W], a->pi_w, 1, x, out);
    for (uint32_t i = 0; i < n; i++) out[n + i] = x[n + i] - a->nu_rate[i];
    X(block_multiply)(&s->blocks[BLOCK_NU_W], a->nu_w, -1, x, out + n);
    memcpy(out + 2 * n, a->curvature, s->c * sizeof(real));
    X(block_multiply)(&s->blocks[BLOCK_G], X(kkt_jacobian)(a->kkt), 1, x + n, out + 2 * n);
    leave_out(a, out + 2 * n);
    return TAUT_OK;
}

static int factor(void *self, const real *x)
{
    acceleration *a = self;
    place at = place_at(a->s, a->q, a->w, &a->t, x + 2 * a->s->n);
    return X(kkt_factor)(a->kkt, &at);
}

static int solve(void *self, real *out)
{
    acceleration *a = self;
    int status = X(kkt_solve)(a->kkt, out, out + a->s->n, out + 2 * a->s->n);
    leave_out(a, out + 2 * a->s->n);
    return status || a->kept ? status : X(kkt_choose)(a->kkt, NULL, out + 2 * a->s->n);
}

static real measure(void *self, const real *x, const real *change)
{
    acceleration *a = self;
    uint32_t n = a->s->n;
    real motion = X(newton_relative)(x, change, (int)(2 * n));
    if (a->s->softening) return motion; /* round-off moves multipliers that make no force */
    real force = X(newton_relative)(x + 2 * n, change + 2 * n, (int)a->s->c);
    return motion != motion ? motion : REAL(fmax)(motion, force);
}

/* Of constraints that depend on each other: round-off, divided by the softening, moves multipliers on and on. */
static int is_round_off(void *self, const real *x, const real *r)
{
    const acceleration *a = self;
    const struct system *s = a->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    const real *g = X(kkt_jacobian)(a->kkt);
    const uint32_t n = s->n;
    real speed = real_largest(x + n, n), force = 0;
    if (!s->softening) return 0;
    for (uint32_t k = 0; k < s->c; k++) {
        real row = 0, steepest = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            row += REAL(fabs)(g[e]);
            steepest = real_most(steepest, g[e]);
        }
        if (!(REAL(fabs)(r[2 * n + k]) <= 16 * REAL_EPSILON * (REAL(fabs)(a->curvature[k]) + row * speed))) return 0;
        force = REAL(fmax)(force, steepest * REAL(fabs)(x[2 * n + k]));
    }
    force = real_most(force, real_largest(a->pi_rate, n));
    for (uint32_t i = 0; i < n; i++)
        if (!(REAL(fabs)(r[i]) <= 64 * REAL_EPSILON * force) ||
            !(REAL(fabs)(r[n + i]) <= 64 * REAL_EPSILON * (speed + real_largest(a->nu_rate, n))))
            return 0;
    return 1;
}

static void name(void *self, int equation, char *buffer, size_t size)
{
    acceleration *a = self;
    int n = (int)a->s->n;
    char text[150];
    if (equation >= 2 * n) {
        X(system_constraint_name)(a->s, (uint32_t)(equation - 2 * n), buffer, size);
        return;
    }
    X(system_coordinate_name)(a->s, (uint32_t)(equation % n), text, sizeof text);
    snprintf(buffer, size, "acceleration of %s", text);
}

/* a->x := what it is without the forces that depend on multipliers: a guess where they are too far from linear for
   another, or have no derivative at zero. */
static int guess(acceleration *a)
{
    struct system *s = a->s;
    uint32_t n = s->n;
    real *dw = a->x, *dv = a->x + n, *lambda = a->x + 2 * n;
    memset(lambda, 0, s->c * sizeof(real));
    place at = place_at(s, a->q, a->w, &a->t, lambda);
    int status = X(kkt_factor_without_forces)(a->kkt, &at);
    if (status) return status;
    X(system_free_force)(s, &at, dw);
    for (uint32_t i = 0; i < n; i++) dw[i] -= a->pi_rate[i];
    memcpy(dv, a->nu_rate, n * sizeof(real));
    for (uint32_t k = 0; k < s->c; k++) lambda[k] = -a->curvature[k];
    return X(kkt_solve)(a->kkt, dw, dv, lambda);
}

static int no_guess(const acceleration *a, int status)
{
    const origin of = X(system_constraint_origin)(a->s, 0);
    return taut_fail(a->s->context, status,
                     "at t = %.9g: the multipliers, on which forces depend, were found neither from the start values "
                     "nor from those without these forces; give a guess: start { [m] = number }, m what constraint() "
                     "or contact() returns (%s:%d: '%s', for one)",
                     (double)a->t, of.file, of.line, of.name);
}

/* All unknowns. */
static int solve_full(acceleration *a, real *lambda)
{
    struct system *s = a->s;
    uint32_t n = s->n;
    place at = place_at(a->s, a->q, a->w, &a->t, lambda);
    X(system_velocity)(s, &at, a->velocity);
    X(system_momentum_rate)(s, &at, a->velocity, a->pi_rate);
    X(system_velocity_rate)(s, &at, a->velocity, a->nu_rate);
    X(system_constraint_curvature)(s, &at, a->velocity, a->curvature);
    X(system_block_values)(s, BLOCK_PI_W, &at, a->pi_w);
    X(system_block_values)(s, BLOCK_NU_W, &at, a->nu_w);
    memset(a->x, 0, 2 * (size_t)n * sizeof(real));
    memcpy(a->x + 2 * n, lambda, s->c * sizeof(real));
    if (s->softening) memset(a->x + 2 * n, 0, s->c * sizeof(real)); /* from zero to the least of all choices */
    newton_problem problem = { a, (int)(2 * n + s->c), residual, factor, solve, measure, name, is_round_off,
                               NULL, NULL, NULL };
    int status = X(newton_solve)(&a->newton, &problem, a->x, 0, a->t, "multipliers");
    if ((status == TAUT_NOT_FINITE || status == TAUT_NO_CONVERGENCE) && s->structure.force_multiplier &&
        s->form != FORM_RATES) {
        int why = status;
        status = guess(a);
        if (!status) status = X(newton_solve)(&a->newton, &problem, a->x, 0, a->t, "multipliers");
        if (status > 0 && status != TAUT_OUT_OF_MEMORY) status = no_guess(a, why);
    }
    if (!status) memcpy(lambda, a->x + 2 * n, s->c * sizeof(real));
    return status;
}

/* ---- lambda alone ---- */

/* d/dt of momentum and velocity into a->x: f + G' lambda, and W of it; one of them is dw. */
static void accelerate(acceleration *a, const real *lambda)
{
    const struct system *s = a->s;
    real *force = a->x, *dv = a->x + s->n;
    memcpy(force, a->force, s->n * sizeof(real));
    X(block_multiply_transposed)(&s->blocks[BLOCK_G], a->g, 1, lambda, force);
    X(system_apply_inverse_mass)(s, force, dv);
}

static int reduced_residual(void *self, const real *lambda, real *out)
{
    acceleration *a = self;
    accelerate(a, lambda);
    memcpy(out, a->curvature, a->s->c * sizeof(real));
    X(block_multiply)(&a->s->blocks[BLOCK_G], a->g, 1, a->x + a->s->n, out);
    leave_out(a, out);
    return TAUT_OK;
}

static int reduced_factor(void *self, const real *lambda)
{
    acceleration *a = self;
    (void)lambda;
    return X(multiplier_factor)(a->multiplier, a->g, a->g);
}

static int reduced_solve(void *self, real *out)
{
    acceleration *a = self;
    int status = X(multiplier_solve)(a->multiplier, 1, out);
    leave_out(a, out);
    return status || a->kept ? status : X(multiplier_choose)(a->multiplier, NULL, out);
}

/* The force that a correction adds, relative to the free force and the whole one, in any units. */
static real reduced_measure(void *self, const real *lambda, const real *change)
{
    acceleration *a = self;
    uint32_t n = a->s->n;
    real *added = a->velocity; /* not needed any more */
    (void)lambda;
    memset(added, 0, n * sizeof(real));
    X(block_multiply_transposed)(&a->s->blocks[BLOCK_G], a->g, 1, change, added);
    real moved = real_largest(added, n), scale = real_most(real_largest(a->force, n), real_largest(a->x, n));
    return scale > 0 ? moved / scale : moved > 0 ? 1 : moved;
}

/* Whether r is no more than the rounding errors of G W (f + G' lambda) + k: long structures carry forces of many times
   what moves a joint. */
static int reduced_is_round_off(void *self, const real *lambda, const real *r)
{
    acceleration *a = self;
    const struct system *s = a->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    real *sizes = a->velocity, *moved = a->x + s->n; /* not needed any more */
    for (uint32_t i = 0; i < s->n; i++) sizes[i] = REAL(fabs)(a->force[i]);
    for (int k = 0; k < p->rows; k++)
        for (int e = p->start[k]; e < p->start[k + 1]; e++) sizes[p->index[e]] += REAL(fabs)(a->g[e] * lambda[k]);
    X(system_apply_inverse_mass)(s, sizes, moved);
    for (int k = 0; k < p->rows; k++) {
        real sum = REAL(fabs)(a->curvature[k]);
        for (int e = p->start[k]; e < p->start[k + 1]; e++) sum += REAL(fabs)(a->g[e] * moved[p->index[e]]);
        if (!(REAL(fabs)(r[k]) <= 4 * REAL_EPSILON * sum)) return 0;
    }
    return 1;
}

static void reduced_name(void *self, int equation, char *buffer, size_t size)
{
    X(system_constraint_name)(((acceleration *)self)->s, (uint32_t)equation, buffer, size);
}

static int solve_reduced(acceleration *a, const real *g, real *lambda)
{
    struct system *s = a->s;
    place at = place_at(a->s, a->q, a->w, &a->t, lambda);
    int status = TAUT_OK;
    X(system_free_force)(s, &at, a->force);
    a->g = g ? g : a->jacobian;
    if (!g) X(system_block_values)(s, BLOCK_G, &at, a->jacobian);
    if (s->c) {
        newton_problem problem = { a, (int)s->c, reduced_residual, reduced_factor, reduced_solve, reduced_measure,
                                   reduced_name, reduced_is_round_off, NULL, NULL, NULL };
        X(system_velocity)(s, &at, a->velocity);
        X(system_constraint_curvature)(s, &at, a->velocity, a->curvature);
        if (s->softening) memset(lambda, 0, s->c * sizeof(real)); /* from zero to the least of all choices */
        status = X(newton_solve)(&a->newton, &problem, lambda, 0, a->t, "multipliers");
    }
    accelerate(a, lambda);
    if (s->form == FORM_LAGRANGIAN) memcpy(a->x, a->x + s->n, s->n * sizeof(real)); /* dw is dv */
    return status;
}

int X(acceleration_solve_with)(acceleration *a, const real *q, const real *w, real t, const real *g, real *lambda,
                               real *dv)
{
    a->q = q, a->w = w, a->t = t;
    int status = a->kkt ? solve_full(a, lambda) : solve_reduced(a, g, lambda);
    if (!status && dv) memcpy(dv, a->x + a->s->n, a->s->n * sizeof(real));
    return status;
}

int X(acceleration_solve)(acceleration *a, const real *q, const real *w, real t, real *lambda, real *dv)
{
    return X(acceleration_solve_with)(a, q, w, t, NULL, lambda, dv);
}

const real *X(acceleration_stage_rate)(const acceleration *a) { return a->x; }
