/* RATTLE with constant mass, W = M^-1, and forces of position and time.
 *
 *     P = p0 + h/2 (f0 + G0' lambda),   q1 = q0 + h (W P + v0),   g(q1,t1) = 0       nonlinear in lambda, matrix h^2/2 G1 W G0'
 *     p1 = P + h/2 (f1 + G1' mu),       G1 (W p1 + v0) + g_t = 0                      linear in mu, matrix h/2 G1 W G1'
 *
 * (v0: velocity at zero momentum.) The matrix G1 W G1' of the end of one step is G0 W G0' of the next, near enough for
 * its Newton iteration to begin with: one factorisation a step as a rule. */
#include <string.h>

#include "method/rattle.h"
#include "solve/multiplier.h"

struct rattle_explicit {
    struct system *s;
    newton newton;
    multiplier *matrix;
    real *q, *q_low, *p, *p_low; /* of the new time, being found */
    real *f;               /* force at the current position */
    real *g0, *g1;         /* constraint Jacobians */
    real *lambda, *mu;
    real *kick;            /* work: momenta */
    real *free_move;       /* q1 - q0 without the constraint force */
    real *pull;            /* the rest of q1 - q0: h^2/2 W G0' lambda */
    real *v, *rate;        /* velocity; g_t */
    /* f, g0 and the factored matrix belong to this place: */
    real *known_q, known_t;
    int known, factored;
    /* the step at hand */
    const state *from;
    real h, t1, t1_low;
    real scale;            /* size of the positions, against which corrections are measured */
};

void rattle_explicit_destroy(rattle_explicit *r)
{
    if (!r) return;
    real *arrays[] = { r->q, r->q_low, r->p, r->p_low, r->f, r->g0, r->g1, r->lambda, r->mu, r->kick, r->free_move, r->pull,
                       r->v, r->rate, r->known_q };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(r->s->context, arrays[i]);
    multiplier_destroy(r->matrix);
    newton_clear(&r->newton);
    mem_free(r->s->context, r);
}

int rattle_explicit_create(struct system *s, real tolerance, rattle_explicit **result)
{
    rattle_explicit *r = mem_new(s->context, 1, sizeof *r);
    *result = NULL;
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    int status = system_prepare_block(s, BLOCK_G);
    real **by_n[] = { &r->q, &r->q_low, &r->p, &r->p_low, &r->f,
                      &r->kick, &r->free_move, &r->pull, &r->v, &r->known_q };
    real **by_c[] = { &r->lambda, &r->mu, &r->rate };
    real **by_g[] = { &r->g0, &r->g1 };
    size_t entries = (size_t)s->blocks[BLOCK_G].value_count;
    for (size_t i = 0; !status && i < 10; i++)
        if (!(*by_n[i] = mem_new(s->context, s->n, sizeof(real)))) status = TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < 3; i++)
        if (!(*by_c[i] = mem_new(s->context, s->c, sizeof(real)))) status = TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < 2; i++)
        if (!(*by_g[i] = mem_new(s->context, entries, sizeof(real)))) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = newton_create(s->context, (int)s->c, tolerance, &r->newton);
    if (!status && s->c) status = multiplier_create(s, &r->matrix);
    if (status)
        rattle_explicit_destroy(r);
    else
        *result = r;
    return status;
}

const newton_counts *rattle_explicit_counts(const rattle_explicit *r) { return &r->newton.counts; }

static void name_constraint(void *self, int equation, char *buffer, size_t size)
{
    system_constraint_name(((rattle_explicit *)self)->s, (uint32_t)equation, buffer, size);
}

/* velocity = W (p - a) for a Lagrangian with p = M v + a, W p + a for a Hamiltonian */
static void velocity_of(const struct system *s, const real *p, real *work, real *v)
{
    uint32_t n = s->n;
    if (s->form == FORM_LAGRANGIAN) {
        for (uint32_t i = 0; i < n; i++) work[i] = p[i] - s->offset[i];
        system_apply_inverse_mass(s, work, v);
    } else {
        system_apply_inverse_mass(s, p, v);
        for (uint32_t i = 0; i < n; i++) v[i] += s->offset[i];
    }
}

/* out = factor W G' x */
static void constraint_motion(rattle_explicit *r, const real *g, real factor, const real *x, real *out)
{
    struct system *s = r->s;
    memset(out, 0, s->n * sizeof(real));
    block_multiply_transposed(&s->blocks[BLOCK_G], g, factor, x, out);
    system_apply_inverse_mass(s, out, out);
}

/* q1 = q0 + free_move + pull, compensated as in add_compensated */
static void place_positions(rattle_explicit *r)
{
    const state *x = r->from;
    for (uint32_t i = 0; i < r->s->n; i++) {
        real d = r->free_move[i] + r->pull[i] + x->q_low[i], sum = x->q[i] + d;
        r->q_low[i] = d - (sum - x->q[i]);
        r->q[i] = sum;
    }
}

/* The positions follow the multipliers: r->pull and r->q are those of the current iterate (see position_measure). */
static int position_residual(void *self, const real *lambda, real *out)
{
    rattle_explicit *r = self;
    (void)lambda;
    place at = place_at(r->q, NULL, &r->t1, NULL);
    system_constraints(r->s, &at, out);
    return TAUT_OK;
}

static int position_factor(void *self, const real *lambda)
{
    rattle_explicit *r = self;
    (void)lambda;
    place at = place_at(r->q, NULL, &r->t1, NULL);
    system_block_values(r->s, BLOCK_G, &at, r->g1);
    r->factored = 0;
    return multiplier_factor(r->matrix, r->g1, r->g0);
}

static int position_solve(void *self, real *out)
{
    rattle_explicit *r = self;
    real scale = 2 / (r->h * r->h);
    int status = multiplier_solve(r->matrix, out);
    for (uint32_t k = 0; k < r->s->c; k++) out[k] *= scale;
    return status;
}

/* How far a change of the multipliers moves the positions; it is about to be subtracted, so they are moved at once. */
static real position_measure(void *self, const real *lambda, const real *change)
{
    rattle_explicit *r = self;
    real moved = 0;
    (void)lambda;
    constraint_motion(r, r->g0, r->h * r->h / 2, change, r->kick);
    for (uint32_t i = 0; i < r->s->n; i++) {
        r->pull[i] -= r->kick[i];
        moved = real_most(moved, r->kick[i]);
    }
    place_positions(r);
    return moved / r->scale;
}

/* velocity constraint: unknown mu; r->v is the velocity of the current iterate */
static int velocity_residual(void *self, const real *mu, real *out)
{
    rattle_explicit *r = self;
    struct system *s = r->s;
    (void)mu;
    memcpy(out, r->rate, s->c * sizeof(real));
    block_multiply(&s->blocks[BLOCK_G], r->g1, 1, r->v, out);
    return TAUT_OK;
}

static int velocity_factor(void *self, const real *mu)
{
    rattle_explicit *r = self;
    (void)mu;
    int status = multiplier_factor(r->matrix, r->g1, r->g1);
    r->factored = !status;
    return status;
}

static int velocity_solve(void *self, real *out)
{
    rattle_explicit *r = self;
    int status = multiplier_solve(r->matrix, out);
    for (uint32_t k = 0; k < r->s->c; k++) out[k] *= 2 / r->h;
    return status;
}

static real velocity_measure(void *self, const real *mu, const real *change)
{
    rattle_explicit *r = self;
    (void)mu;
    constraint_motion(r, r->g1, r->h / 2, change, r->kick);
    for (uint32_t i = 0; i < r->s->n; i++) r->v[i] -= r->kick[i];
    return newton_relative(r->v, r->kick, (int)r->s->n);
}

/* Force and constraint Jacobian where the step begins, unless they are known from the end of the last one. */
static void begin(rattle_explicit *r, const state *x)
{
    struct system *s = r->s;
    if (r->known && r->known_t == x->t && memcmp(r->known_q, x->q, s->n * sizeof(real)) == 0) return;
    place at = place_at(x->q, NULL, &x->t, NULL);
    system_free_force(s, &at, r->f);
    system_block_values(s, BLOCK_G, &at, r->g0);
    r->factored = 0;
    r->known = 0;
}

/* The force and Jacobian at the end of this step are those at the beginning of the next. */
static void end(rattle_explicit *r, real t)
{
    real *swap = r->g0;
    r->g0 = r->g1, r->g1 = swap;
    memcpy(r->known_q, r->q, r->s->n * sizeof(real));
    r->known_t = t;
    r->known = 1;
}

/* p += factor G' x, compensated */
static void push_momenta(rattle_explicit *r, const real *g, real factor, const real *x)
{
    memset(r->kick, 0, r->s->n * sizeof(real));
    block_multiply_transposed(&r->s->blocks[BLOCK_G], g, factor, x, r->kick);
    add_compensated(r->p, r->p_low, r->kick, r->s->n);
}

static int find_positions(rattle_explicit *r, const state *x)
{
    struct system *s = r->s;
    uint32_t n = s->n;
    real h = r->h;
    for (uint32_t i = 0; i < n; i++) r->kick[i] = h / 2 * r->f[i];
    memcpy(r->p, x->p, n * sizeof(real));
    memcpy(r->p_low, x->p_low, n * sizeof(real));
    add_compensated(r->p, r->p_low, r->kick, n);
    velocity_of(s, r->p, r->kick, r->free_move);
    r->scale = (real)1e-3; /* as in newton_relative */
    for (uint32_t i = 0; i < n; i++) {
        r->free_move[i] *= h;
        r->scale = real_most(r->scale, x->q[i]);
    }
    memcpy(r->lambda, x->lambda, s->c * sizeof(real));
    constraint_motion(r, r->g0, h * h / 2, r->lambda, r->pull);
    place_positions(r);
    if (!s->c) return TAUT_OK;
    newton_problem problem = { r, (int)s->c, position_residual, position_factor, position_solve, position_measure,
                               name_constraint };
    /* The matrix at the start of the step is G0 W G0': formed here when the last step did not leave it. */
    int status = r->factored ? TAUT_OK : multiplier_factor(r->matrix, r->g0, r->g0);
    if (!status) status = newton_solve(&r->newton, &problem, r->lambda, 1, x->t, "constraints at the new positions");
    if (!status) push_momenta(r, r->g0, h / 2, r->lambda);
    return status;
}

static int find_momenta(rattle_explicit *r)
{
    struct system *s = r->s;
    uint32_t n = s->n;
    place at = place_at(r->q, NULL, &r->t1, NULL);
    system_free_force(s, &at, r->f);
    for (uint32_t i = 0; i < n; i++) r->kick[i] = r->h / 2 * r->f[i];
    add_compensated(r->p, r->p_low, r->kick, n);
    velocity_of(s, r->p, r->kick, r->v);
    if (!s->c) return TAUT_OK;
    system_block_values(s, BLOCK_G, &at, r->g1);
    system_constraint_rate(s, &at, r->rate);
    memcpy(r->mu, r->lambda, s->c * sizeof(real));
    constraint_motion(r, r->g1, r->h / 2, r->mu, r->kick);
    for (uint32_t i = 0; i < n; i++) r->v[i] += r->kick[i];
    newton_problem problem = { r, (int)s->c, velocity_residual, velocity_factor, velocity_solve, velocity_measure,
                               name_constraint };
    int status = newton_solve(&r->newton, &problem, r->mu, 0, r->t1, "velocity constraints");
    if (status) return status;
    push_momenta(r, r->g1, r->h / 2, r->mu);
    velocity_of(s, r->p, r->kick, r->v);
    return TAUT_OK;
}

int rattle_explicit_step(rattle_explicit *r, state *x, real h)
{
    struct system *s = r->s;
    size_t bytes = s->n * sizeof(real);
    r->from = x;
    r->h = h;
    state_next_time(x, h, &r->t1, &r->t1_low);
    begin(r, x);
    r->known = 0; /* r->f is overwritten on the way */
    int status = find_positions(r, x);
    if (!status) status = find_momenta(r);
    if (status) {
        r->factored = 0;
        return status;
    }
    memcpy(x->q, r->q, bytes);
    memcpy(x->q_low, r->q_low, bytes);
    memcpy(x->p, r->p, bytes);
    memcpy(x->p_low, r->p_low, bytes);
    memcpy(x->w, s->form == FORM_LAGRANGIAN ? r->v : r->p, bytes);
    memcpy(x->lambda, r->lambda, s->c * sizeof(real));
    x->t = r->t1, x->t_low = r->t1_low;
    end(r, x->t);
    return TAUT_OK;
}
