/* RATTLE with constant mass, W = M^-1, and forces of position and time.
 *
 *     P = p0 + h/2 (f0 + G0' lambda),   q1 = q0 + h (W P + v0),   g(q1,t1) = 0       nonlinear in lambda, matrix h^2/2 G1 W G0'
 *     p1 = P + h/2 (f1 + G1' mu),       G1 (W p1 + v0) + g_t = 0                      linear in mu, matrix h/2 G1 W G1'
 *
 * (v0: velocity at zero momentum.) The matrix G1 W G1' of the end of one step is G0 W G0' of the next, near enough for
 * its Newton iteration to begin with: one factorisation a step as a rule.
 * SHAKE is this without mu: its lambda is the sum of mu and lambda here, at the same positions. */
#include <string.h>

#include "base/room.h"
#include "method/verlet.h"
#include "solve/multiplier.h"

#define BORROW_ABOVE 12 /* constraints */

typedef struct {
    struct system *s;
    newton newton;
    multiplier *matrix;
    const pattern *gt;     /* G' by coordinates, and where its entries are in G */
    const int *gt_from;
    state next;            /* the state being found; next.lambda is lambda, next.w the velocity while it is sought */
    void *room;            /* of the arrays below */
    real *f;               /* force at the current position */
    real *g0, *g1;         /* constraint Jacobians */
    real *mu, *trial;      /* trial: multipliers after the correction at hand */
    real *kick;            /* work: momenta */
    real *base;            /* q1 - q0 (later: the velocity) without the constraint force */
    real *rate;            /* g_t */
    /* f, g0 and the factored matrix belong to this place: */
    real *known_q, known_t;
    int known, factored;
    /* the step at hand */
    const state *from;
    real h;
    int project;           /* the second half is done; SHAKE leaves it out, and the next lambda takes it along */
} verlet;

int X(verlet_serves)(const struct system *s) { return s->structure.explicit_force; }

static void destroy(void *self)
{
    verlet *r = self;
    if (!r) return;
    taut_mem_free(r->s->context, r->room);
    X(state_clear)(r->s, &r->next);
    X(multiplier_destroy)(r->matrix);
    X(newton_clear)(&r->newton);
    taut_mem_free(r->s->context, r);
}

static void lay_out(void *self, room_layout *l)
{
    verlet *r = self;
    size_t n = r->s->n, c = r->s->c, entries = (size_t)r->s->blocks[BLOCK_G].value_count;
    r->f = room_reals(l, n);
    r->g0 = room_reals(l, entries), r->g1 = room_reals(l, entries);
    r->mu = room_reals(l, c), r->trial = room_reals(l, c);
    r->kick = room_reals(l, n);
    r->base = room_reals(l, n);
    r->rate = room_reals(l, c);
    r->known_q = room_reals(l, n);
}

static int create(struct system *s, int project, real tolerance, void **self)
{
    verlet *r = taut_mem_new(s->context, 1, sizeof *r);
    *self = NULL;
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    r->project = project;
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (!status) status = room_create(s->context, lay_out, r, &r->room);
    if (!status) status = X(state_create)(s, &r->next);
    if (!status) status = X(newton_create)(s->context, (int)s->c, tolerance, &r->newton);
    /* Momenta are kept whatever the multipliers are, and each step solves the constraints from scratch. */
    if (!status) X(newton_relax)(&r->newton);
    if (!status && s->c) status = X(multiplier_create)(s, &r->matrix);
    if (!status && s->c) r->gt = X(multiplier_transposed)(r->matrix, &r->gt_from);
    if (status)
        destroy(r);
    else
        *self = r;
    return status;
}

static int create_projected(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    (void)spec;
    return create(s, 1, tolerance, self);
}

static int create_plain(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    (void)spec;
    return create(s, 0, tolerance, self);
}

static const newton_counts *counts(const void *self) { return &((const verlet *)self)->newton.counts; }

static void name_constraint(void *self, int equation, char *buffer, size_t size)
{
    X(system_constraint_name)(((verlet *)self)->s, (uint32_t)equation, buffer, size);
}

/* velocity = W (p - a) for a Lagrangian with p = M v + a, W p + a for a Hamiltonian */
static void velocity_of(const struct system *s, const real *p, real *work, real *v)
{
    uint32_t n = s->n;
    if (s->form == FORM_LAGRANGIAN) {
        for (uint32_t i = 0; i < n; i++) work[i] = p[i] - s->offset[i];
        X(system_apply_inverse_mass)(s, work, v);
    } else {
        X(system_apply_inverse_mass)(s, p, v);
        for (uint32_t i = 0; i < n; i++) v[i] += s->offset[i];
    }
}

/* Component j of G' x. */
static inline real constraint_force(const verlet *r, const real *g, const real *x, uint32_t j)
{
    real sum = 0;
    for (int e = r->gt->start[j]; e < r->gt->start[j + 1]; e++) sum += g[r->gt_from[e]] * x[r->gt->index[e]];
    return sum;
}

/* Component j of W G' x is then motion_of(r, g, x, j): for a diagonal mass it needs no pass of its own. */
static void prepare_motion(verlet *r, const real *g, const real *x)
{
    if (r->s->structure.diagonal_mass || !r->s->c) return;
    for (uint32_t j = 0; j < r->s->n; j++) r->kick[j] = constraint_force(r, g, x, j);
    X(system_apply_inverse_mass)(r->s, r->kick, r->kick);
}

static inline real motion_of(const verlet *r, const real *g, const real *x, uint32_t j)
{
    if (!r->s->c) return 0;
    return r->s->structure.diagonal_mass ? r->s->inverse_mass[j] * constraint_force(r, g, x, j) : r->kick[j];
}

/* q1 = q0 + base + h^2/2 W G0' lambda, compensated as in add_compensated. Returns how far q1 moved, relative to its
   size. */
static real place_positions(verlet *r, const real *lambda)
{
    const state *x = r->from;
    real factor = r->h * r->h / 2, moved = 0, scale = r->s->least;
    prepare_motion(r, r->g0, lambda);
    for (uint32_t j = 0; j < r->s->n; j++) {
        real d = r->base[j] + factor * motion_of(r, r->g0, lambda, j) + x->q_low[j], sum = x->q[j] + d;
        moved = real_most(moved, sum - r->next.q[j]);
        scale = real_most(scale, sum);
        r->next.q_low[j] = d - (sum - x->q[j]);
        r->next.q[j] = sum;
    }
    return moved / scale;
}

/* The positions follow the multipliers: r->next.q belongs to the current iterate (see position_measure). */
static int position_residual(void *self, const real *lambda, real *out)
{
    verlet *r = self;
    (void)lambda;
    place at = place_at(r->s, r->next.q, NULL, &r->next.t, NULL);
    X(system_constraints)(r->s, &at, out);
    return TAUT_OK;
}

static int position_factor(void *self, const real *lambda)
{
    verlet *r = self;
    (void)lambda;
    place at = place_at(r->s, r->next.q, NULL, &r->next.t, NULL);
    X(system_block_values)(r->s, BLOCK_G, &at, r->g1);
    r->factored = 0;
    return X(multiplier_factor)(r->matrix, r->g1, r->g0);
}

static int position_solve(void *self, real *out)
{
    verlet *r = self;
    real scale = 2 / (r->h * r->h);
    int status = X(multiplier_solve)(r->matrix, out);
    for (uint32_t k = 0; k < r->s->c; k++) out[k] *= scale;
    return status;
}

/* The correction is about to be subtracted: the positions are moved at once, and that is its measure. */
static real position_measure(void *self, const real *lambda, const real *change)
{
    verlet *r = self;
    for (uint32_t k = 0; k < r->s->c; k++) r->trial[k] = lambda[k] - change[k];
    return place_positions(r, r->trial);
}

/* v = base + h/2 W G1' mu. Returns how much v changed, relative to its size. */
static real place_velocities(verlet *r, const real *mu)
{
    real moved = 0, scale = r->s->least;
    prepare_motion(r, r->g1, mu);
    for (uint32_t j = 0; j < r->s->n; j++) {
        real v = r->base[j] + r->h / 2 * motion_of(r, r->g1, mu, j);
        moved = real_most(moved, v - r->next.w[j]);
        scale = real_most(scale, v);
        r->next.w[j] = v;
    }
    return moved / scale;
}

static int velocity_residual(void *self, const real *mu, real *out)
{
    verlet *r = self;
    struct system *s = r->s;
    (void)mu;
    memcpy(out, r->rate, s->c * sizeof(real));
    X(block_multiply)(&s->blocks[BLOCK_G], r->g1, 1, r->next.w, out);
    return TAUT_OK;
}

static int velocity_factor(void *self, const real *mu)
{
    verlet *r = self;
    (void)mu;
    int status = X(multiplier_factor)(r->matrix, r->g1, r->g1);
    r->factored = !status;
    return status;
}

static int velocity_solve(void *self, real *out)
{
    verlet *r = self;
    int status = X(multiplier_solve)(r->matrix, out);
    for (uint32_t k = 0; k < r->s->c; k++) out[k] *= 2 / r->h;
    return status;
}

static real velocity_measure(void *self, const real *mu, const real *change)
{
    verlet *r = self;
    for (uint32_t k = 0; k < r->s->c; k++) r->trial[k] = mu[k] - change[k];
    return place_velocities(r, r->trial);
}

/* Force and constraint Jacobian where the step begins, unless they are known from the end of the last one. */
static void begin(verlet *r, const state *x)
{
    struct system *s = r->s;
    if (r->known && r->known_t == x->t && memcmp(r->known_q, x->q, s->n * sizeof(real)) == 0) return;
    place at = place_at(s, x->q, NULL, &x->t, NULL);
    X(system_free_force)(s, &at, r->f);
    X(system_block_values)(s, BLOCK_G, &at, r->g0);
    r->factored = 0;
    r->known = 0;
}

/* The force and Jacobian at the end of this step are those at the beginning of the next. */
static void end(verlet *r, const state *x)
{
    real *swap = r->g0;
    r->g0 = r->g1, r->g1 = swap;
    memcpy(r->known_q, x->q, r->s->n * sizeof(real));
    r->known_t = x->t;
    r->known = 1;
}

/* p += h/2 (f + G' x), compensated; f or g may be NULL */
static void push_momenta(verlet *r, const real *f, const real *g, const real *x)
{
    for (uint32_t j = 0; j < r->s->n; j++) {
        real force = (f ? f[j] : 0) + (g ? constraint_force(r, g, x, j) : 0);
        X(add_compensated)(&r->next.p[j], &r->next.p_low[j], &(real){ r->h / 2 * force }, 1);
    }
}

static int find_positions(verlet *r, const state *x)
{
    struct system *s = r->s;
    uint32_t n = s->n;
    memcpy(r->next.p, x->p, n * sizeof(real));
    memcpy(r->next.p_low, x->p_low, n * sizeof(real));
    push_momenta(r, r->f, NULL, NULL);
    velocity_of(s, r->next.p, r->kick, r->base);
    for (uint32_t j = 0; j < n; j++) r->base[j] *= r->h;
    memcpy(r->next.lambda, x->lambda, s->c * sizeof(real));
    place_positions(r, r->next.lambda);
    if (!s->c) return TAUT_OK;
    newton_problem problem = { r, (int)s->c, position_residual, position_factor, position_solve, position_measure,
                               name_constraint, NULL };
    /* The iteration begins with the matrix G0 W G0' of the start of the step, formed here when the last step did not
       leave it. A small matrix is cheaper than the corrections it saves: there it begins with G1 W G0' at the guess. */
    int borrow = s->c > BORROW_ABOVE, status = TAUT_OK;
    if (borrow && !r->factored) status = X(multiplier_factor)(r->matrix, r->g0, r->g0);
    if (!status)
        status =
            X(newton_solve)(&r->newton, &problem, r->next.lambda, borrow, x->t, "constraints at the new positions");
    if (!status) push_momenta(r, NULL, r->g0, r->next.lambda);
    return status;
}

static int find_momenta(verlet *r)
{
    struct system *s = r->s;
    place at = place_at(s, r->next.q, NULL, &r->next.t, NULL);
    X(system_free_force)(s, &at, r->f);
    push_momenta(r, r->f, NULL, NULL);
    if (r->project) velocity_of(s, r->next.p, r->kick, r->base);
    if (s->c) X(system_block_values)(s, BLOCK_G, &at, r->g1);
    if (!r->project) r->factored = 0;
    if (s->c && r->project) {
        X(system_constraint_rate)(s, &at, r->rate);
        memcpy(r->mu, r->next.lambda, s->c * sizeof(real));
        place_velocities(r, r->mu);
        newton_problem problem = { r, (int)s->c, velocity_residual, velocity_factor, velocity_solve, velocity_measure,
                                   name_constraint, NULL };
        int status = X(newton_solve)(&r->newton, &problem, r->mu, 0, r->next.t, "velocity constraints");
        if (status) return status;
        push_momenta(r, NULL, r->g1, r->mu);
    }
    if (s->form == FORM_LAGRANGIAN)
        velocity_of(s, r->next.p, r->kick, r->next.w);
    else
        memcpy(r->next.w, r->next.p, s->n * sizeof(real));
    return TAUT_OK;
}

static int step(void *self, state *x, real h)
{
    verlet *r = self;
    r->from = x;
    r->h = h;
    X(state_next_time)(x, h, &r->next.t, &r->next.t_low);
    begin(r, x);
    r->known = 0; /* r->f is overwritten on the way */
    int status = find_positions(r, x);
    if (!status) status = find_momenta(r);
    if (status) {
        r->factored = 0;
        return status;
    }
    X(state_swap)(x, &r->next);
    end(r, x);
    return TAUT_OK;
}

const method_code X(verlet_projected) = { create_projected, step, counts, destroy, NULL };
const method_code X(verlet_plain) = { create_plain, step, counts, destroy, NULL };
