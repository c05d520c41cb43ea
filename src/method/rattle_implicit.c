/* RATTLE for any system, in the functions pi, nu, phi of system.h (t0 and t1 understood):
 *
 *     pi(q0,w0) = p0 + h/2 phi(q0,w0,lambda)
 *     q1 = q0 + h/2 (nu(q0,w0) + nu(q1,w1)),   pi(q1,w1) = pi(q0,w0),   g(q1) = 0
 *     p1 = pi(q0,w0) + h/2 phi(q1,w1,mu),      G1 nu(q1,w) + g_t = 0 where pi(q1,w) = p1
 *
 * With P = pi(q0,w0) this is the scheme of the catalogue: H_p(q0,P) = nu(q0,w0), -H_q(q0,P) = phi without constraint force.
 * Unknowns of the first half: w0 (n), u (n), lambda (c). For a Lagrangian nu is w itself: u = w1 and q1 = q0 + h/2 (w0 + w1). For
 * the others pi is w itself: w1 = w0 and u = q1 - q0. */
#include <stdio.h>
#include <string.h>

#include "method/rattle.h"
#include "solve/assembly.h"
#include "solve/kkt.h"

struct rattle_implicit {
    struct system *s;
    newton newton;
    int lagrangian;
    assembly *matrix;
    kkt *kkt;
    int id_pi_w0, id_phi_w0, id_phi_lambda;           /* first row of blocks */
    int id_row2_w0[3], id_row2_u[2];                  /* second row */
    int id_g_w0, id_g_u;                              /* third row */
    block_shape identity;
    real *values;
    real *x;                                          /* unknowns of the first half, then of the second */
    real *q, *q_low, *p, *p_low, *w1, *move;
    real *momentum, *force, *force0, *velocity, *v;   /* work */
    real *g1, *rate, *lambda, *mu;
    const state *from;
    real h, t1, t1_low;
};

void rattle_implicit_destroy(rattle_implicit *r)
{
    if (!r) return;
    real *arrays[] = { r->values, r->x, r->q, r->q_low, r->p, r->p_low, r->w1, r->move, r->momentum, r->force, r->force0,
                       r->velocity, r->v, r->g1, r->rate, r->lambda, r->mu };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(r->s->context, arrays[i]);
    assembly_destroy(r->matrix);
    kkt_destroy(r->kkt);
    newton_clear(&r->newton);
    mem_free(r->s->context, r);
}

static int add_second_row(rattle_implicit *r, int n)
{
    struct system *s = r->s;
    assembly *a = r->matrix;
    int status;
    if (r->lagrangian) { /* pi(q1,w1) - pi(q0,w0): -pi_w(0) + h/2 pi_q(1) and pi_w(1) + h/2 pi_q(1) */
        status = assembly_add(a, &s->blocks[BLOCK_PI_W], n, 0, &r->id_row2_w0[0]);
        if (!status) status = assembly_add(a, &s->blocks[BLOCK_PI_Q], n, 0, &r->id_row2_w0[1]);
        if (!status) status = assembly_add(a, &s->blocks[BLOCK_PI_W], n, n, &r->id_row2_u[0]);
        if (!status) status = assembly_add(a, &s->blocks[BLOCK_PI_Q], n, n, &r->id_row2_u[1]);
    } else { /* u - h/2 (nu(q0,w0) + nu(q1,w0)): -h/2 (nu_w(0) + nu_w(1)) and 1 - h/2 nu_q(1) */
        status = assembly_add(a, &s->blocks[BLOCK_NU_W], n, 0, &r->id_row2_w0[0]);
        if (!status) status = assembly_add(a, &r->identity, n, n, &r->id_row2_u[0]);
        if (!status) status = assembly_add(a, &s->blocks[BLOCK_NU_Q], n, n, &r->id_row2_u[1]);
    }
    return status;
}

static int create_matrix(rattle_implicit *r)
{
    struct system *s = r->s;
    int n = (int)s->n, c = (int)s->c;
    assembly *a;
    r->identity.parts[0] = (block_part){ .source = PART_IDENTITY, .shape = s->identity, .sign = 1 };
    r->identity.part_count = 1;
    r->identity.value_count = n;
    int status = assembly_create(s->context, 2 * n + c, &r->matrix);
    if (status) return status;
    a = r->matrix;
    status = assembly_add(a, &s->blocks[BLOCK_PI_W], 0, 0, &r->id_pi_w0);
    if (!status) status = assembly_add(a, &s->blocks[BLOCK_PHI_W], 0, 0, &r->id_phi_w0);
    if (!status) status = assembly_add(a, &s->blocks[BLOCK_PHI_LAMBDA], 0, 2 * n, &r->id_phi_lambda);
    if (!status) status = add_second_row(r, n);
    if (!status && r->lagrangian) status = assembly_add(a, &s->blocks[BLOCK_G], 2 * n, 0, &r->id_g_w0);
    if (!status) status = assembly_add(a, &s->blocks[BLOCK_G], 2 * n, n, &r->id_g_u);
    return status ? status : assembly_finish(a, 0);
}

static int create_arrays(rattle_implicit *r)
{
    struct system *s = r->s;
    size_t largest = s->n;
    for (int b = 0; b < BLOCK_COUNT; b++)
        if ((size_t)s->blocks[b].value_count > largest) largest = (size_t)s->blocks[b].value_count;
    struct { real **array; size_t size; } all[] = {
        { &r->values, largest }, { &r->x, 2 * (size_t)s->n + s->c }, { &r->q, s->n }, { &r->q_low, s->n },
        { &r->p, s->n }, { &r->p_low, s->n }, { &r->w1, s->n }, { &r->move, s->n }, { &r->momentum, s->n },
        { &r->force, s->n }, { &r->force0, s->n }, { &r->velocity, s->n }, { &r->v, s->n },
        { &r->g1, (size_t)s->blocks[BLOCK_G].value_count }, { &r->rate, s->c },
        { &r->lambda, s->c }, { &r->mu, s->c },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(s->context, all[i].size, sizeof(real)))) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

int rattle_implicit_create(struct system *s, real tolerance, rattle_implicit **result)
{
    static const block_id needed[] = { BLOCK_PI_Q, BLOCK_PI_W, BLOCK_NU_Q, BLOCK_NU_W, BLOCK_PHI_W, BLOCK_PHI_LAMBDA, BLOCK_G };
    rattle_implicit *r = mem_new(s->context, 1, sizeof *r);
    *result = NULL;
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    r->lagrangian = s->form == FORM_LAGRANGIAN;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof needed / sizeof *needed; i++) status = system_prepare_block(s, needed[i]);
    if (!status) status = create_arrays(r);
    if (!status) status = create_matrix(r);
    if (!status) status = kkt_create(s, &r->kkt);
    if (!status) status = newton_create(s->context, (int)(2 * s->n + s->c), tolerance, &r->newton);
    if (status)
        rattle_implicit_destroy(r);
    else
        *result = r;
    return status;
}

const newton_counts *rattle_implicit_counts(const rattle_implicit *r) { return &r->newton.counts; }

/* ---- first half: w0, u, lambda ---- */

static void move_positions(rattle_implicit *r, const real *x)
{
    uint32_t n = r->s->n;
    const real *w0 = x, *u = x + n;
    for (uint32_t i = 0; i < n; i++) r->move[i] = r->lagrangian ? r->h / 2 * (w0[i] + u[i]) : u[i];
    memcpy(r->q, r->from->q, n * sizeof(real));
    memcpy(r->q_low, r->from->q_low, n * sizeof(real));
    add_compensated(r->q, r->q_low, r->move, n);
    memcpy(r->w1, r->lagrangian ? u : w0, n * sizeof(real));
}

static int first_residual(void *self, const real *x, real *out)
{
    rattle_implicit *r = self;
    struct system *s = r->s;
    uint32_t n = s->n;
    move_positions(r, x);
    place at0 = place_at(r->from->q, x, &r->from->t, x + 2 * n), at1 = place_at(r->q, r->w1, &r->t1, NULL);
    system_momentum(s, &at0, r->momentum);
    system_force(s, &at0, r->force);
    for (uint32_t i = 0; i < n; i++) out[i] = (r->momentum[i] - r->from->p[i]) - (r->h / 2 * r->force[i] + r->from->p_low[i]);
    if (r->lagrangian) {
        system_momentum(s, &at1, out + n);
        for (uint32_t i = 0; i < n; i++) out[n + i] -= r->momentum[i];
    } else {
        system_velocity(s, &at0, r->velocity);
        system_velocity(s, &at1, r->v);
        for (uint32_t i = 0; i < n; i++) out[n + i] = x[n + i] - r->h / 2 * (r->velocity[i] + r->v[i]);
    }
    system_constraints(s, &at1, out + 2 * n);
    return TAUT_OK;
}

static void put(rattle_implicit *r, block_id id, const place *at, int target, real factor)
{
    system_block_values(r->s, id, at, r->values);
    assembly_put(r->matrix, target, factor, r->values);
}

static int first_factor(void *self, const real *x)
{
    rattle_implicit *r = self;
    struct system *s = r->s;
    uint32_t n = s->n;
    real half = r->h / 2;
    move_positions(r, x);
    place at0 = place_at(r->from->q, x, &r->from->t, x + 2 * n), at1 = place_at(r->q, r->w1, &r->t1, x + 2 * n);
    assembly_zero(r->matrix);
    put(r, BLOCK_PI_W, &at0, r->id_pi_w0, 1);
    if (r->lagrangian) assembly_put(r->matrix, r->id_row2_w0[0], -1, r->values);
    put(r, BLOCK_PHI_W, &at0, r->id_phi_w0, -half);
    put(r, BLOCK_PHI_LAMBDA, &at0, r->id_phi_lambda, -half);
    if (r->lagrangian) {
        put(r, BLOCK_PI_Q, &at1, r->id_row2_w0[1], half);
        assembly_put(r->matrix, r->id_row2_u[1], half, r->values);
        put(r, BLOCK_PI_W, &at1, r->id_row2_u[0], 1);
    } else {
        put(r, BLOCK_NU_W, &at0, r->id_row2_w0[0], -half);
        put(r, BLOCK_NU_W, &at1, r->id_row2_w0[0], -half);
        for (uint32_t i = 0; i < n; i++) r->values[i] = 1;
        assembly_put(r->matrix, r->id_row2_u[0], 1, r->values);
        put(r, BLOCK_NU_Q, &at1, r->id_row2_u[1], -half);
    }
    put(r, BLOCK_G, &at1, r->id_g_u, r->lagrangian ? half : 1);
    if (r->lagrangian) assembly_put(r->matrix, r->id_g_w0, half, r->values);
    int status = assembly_factor(r->matrix);
    if (status != TAUT_SINGULAR) return status;
    return fail(s->context, TAUT_SINGULAR,
                "at t = %.9g: the equations of the step are singular; the constraints or the mass matrix lose rank here, or the step "
                "is too large: try a smaller one, or 'taut check'",
                (double)r->from->t);
}

static int first_solve(void *self, real *out) { return assembly_solve(((rattle_implicit *)self)->matrix, out); }

/* By displacement: the new positions, and what w0 moves in a step. */
static real first_measure(void *self, const real *x, const real *change)
{
    rattle_implicit *r = self;
    uint32_t n = r->s->n;
    real largest = (real)1e-3, moved = 0;
    for (uint32_t i = 0; i < n; i++) {
        real d = r->lagrangian ? r->h / 2 * (change[i] + change[n + i]) : change[n + i];
        real stage = r->lagrangian ? r->h * change[i] : change[i];
        real size = r->lagrangian ? r->h * x[i] : x[i];
        moved = real_most(real_most(moved, d), stage);
        largest = real_most(real_most(largest, r->from->q[i]), size);
    }
    return moved / largest;
}

static void first_name(void *self, int equation, char *buffer, size_t size)
{
    rattle_implicit *r = self;
    int n = (int)r->s->n;
    char name[150];
    if (equation >= 2 * n) {
        system_constraint_name(r->s, (uint32_t)(equation - 2 * n), buffer, size);
        return;
    }
    model_coordinate_name(r->s->m, (uint32_t)(equation % n), name, sizeof name);
    snprintf(buffer, size, equation < n ? "momentum of %s" : "motion of %s", name);
}

/* ---- second half: w, v, mu (times h/2) ---- */

/* p1 = P + h/2 phi(q1,w1,mu) as increments; leaves the force in r->force */
static void end_force(rattle_implicit *r, const real *scaled_mu)
{
    struct system *s = r->s;
    for (uint32_t k = 0; k < s->c; k++) r->mu[k] = scaled_mu[k] * 2 / r->h;
    place at = place_at(r->q, r->w1, &r->t1, r->mu);
    system_force(s, &at, r->force);
}

static int second_residual(void *self, const real *x, real *out)
{
    rattle_implicit *r = self;
    struct system *s = r->s;
    uint32_t n = s->n;
    end_force(r, x + 2 * n);
    place at = place_at(r->q, x, &r->t1, NULL);
    system_momentum(s, &at, out);
    for (uint32_t i = 0; i < n; i++) out[i] = (out[i] - r->p[i]) - (r->h / 2 * r->force[i] + r->p_low[i]);
    system_velocity(s, &at, r->velocity);
    for (uint32_t i = 0; i < n; i++) out[n + i] = x[n + i] - r->velocity[i];
    memcpy(out + 2 * n, r->rate, s->c * sizeof(real));
    block_multiply(&s->blocks[BLOCK_G], r->g1, 1, x + n, out + 2 * n);
    return TAUT_OK;
}

static int second_factor(void *self, const real *x)
{
    rattle_implicit *r = self;
    for (uint32_t k = 0; k < r->s->c; k++) r->mu[k] = x[2 * r->s->n + k] * 2 / r->h;
    place at = place_at(r->q, r->w1, &r->t1, r->mu);
    return kkt_factor(r->kkt, &at);
}

static int second_solve(void *self, real *out)
{
    rattle_implicit *r = self;
    uint32_t n = r->s->n;
    return kkt_solve(r->kkt, out, out + n, out + 2 * n);
}

static real second_measure(void *self, const real *x, const real *change)
{
    uint32_t n = ((rattle_implicit *)self)->s->n;
    real w = newton_relative(x, change, (int)n), v = newton_relative(x + n, change + n, (int)n);
    return w != w ? w : REAL(fmax)(w, v);
}

static void second_name(void *self, int equation, char *buffer, size_t size)
{
    first_name(self, equation, buffer, size);
}

static int find_positions(rattle_implicit *r, const state *x)
{
    struct system *s = r->s;
    uint32_t n = s->n;
    place at = place_at(x->q, x->w, &x->t, NULL);
    system_velocity(s, &at, r->v);
    memcpy(r->x, x->w, n * sizeof(real));
    for (uint32_t i = 0; i < n; i++) r->x[n + i] = r->lagrangian ? x->w[i] : r->h * r->v[i];
    memcpy(r->x + 2 * n, x->lambda, s->c * sizeof(real));
    newton_problem problem = { r, (int)(2 * n + s->c), first_residual, first_factor, first_solve, first_measure, first_name };
    int status = newton_solve(&r->newton, &problem, r->x, 0, x->t, "positions of the step");
    if (status) return status;
    move_positions(r, r->x);
    /* P = p0 + h/2 phi0: from the force line, so that momenta add up to round-off */
    place at0 = place_at(x->q, r->x, &x->t, r->x + 2 * n);
    system_force(s, &at0, r->force0);
    for (uint32_t i = 0; i < n; i++) r->move[i] = r->h / 2 * r->force0[i];
    memcpy(r->p, x->p, n * sizeof(real));
    memcpy(r->p_low, x->p_low, n * sizeof(real));
    add_compensated(r->p, r->p_low, r->move, n);
    return TAUT_OK;
}

static int find_momenta(rattle_implicit *r)
{
    struct system *s = r->s;
    uint32_t n = s->n;
    place at = place_at(r->q, r->w1, &r->t1, NULL);
    memcpy(r->lambda, r->x + 2 * n, s->c * sizeof(real));
    system_block_values(s, BLOCK_G, &at, r->g1);
    system_constraint_rate(s, &at, r->rate);
    memcpy(r->x, r->w1, n * sizeof(real));
    system_velocity(s, &at, r->x + n);
    for (uint32_t k = 0; k < s->c; k++) r->x[2 * n + k] = r->h / 2 * r->lambda[k];
    newton_problem problem = { r, (int)(2 * n + s->c), second_residual, second_factor, second_solve, second_measure,
                               second_name };
    int status = newton_solve(&r->newton, &problem, r->x, 0, r->t1, "velocity constraints");
    if (status) return status;
    end_force(r, r->x + 2 * n);
    for (uint32_t i = 0; i < n; i++) r->move[i] = r->h / 2 * r->force[i];
    add_compensated(r->p, r->p_low, r->move, n);
    return TAUT_OK;
}

int rattle_implicit_step(rattle_implicit *r, state *x, real h)
{
    struct system *s = r->s;
    size_t bytes = s->n * sizeof(real);
    r->from = x;
    r->h = h;
    state_next_time(x, h, &r->t1, &r->t1_low);
    int status = find_positions(r, x);
    if (!status) status = find_momenta(r);
    if (status) return status;
    memcpy(x->q, r->q, bytes);
    memcpy(x->q_low, r->q_low, bytes);
    memcpy(x->p, r->p, bytes);
    memcpy(x->p_low, r->p_low, bytes);
    memcpy(x->w, s->form == FORM_LAGRANGIAN ? r->x : r->p, bytes);
    memcpy(x->lambda, r->lambda, s->c * sizeof(real));
    x->t = r->t1, x->t_low = r->t1_low;
    return TAUT_OK;
}
