/* The stage unknowns, chosen so that as little as possible is solved for:
 *
 *     Lagrangian (nu is w):    W_1 .. W_s;                        Q_i = q0 + h sum a_ij W_j
 *     the others (pi is w):    Z_i = h phi_i, i = 1 .. s-1, and U_i = Q_i - q0, i = 2 .. s;    W_i = p0 + sum A_ij Z_j
 *
 * and Lambda_1 .. Lambda_{s-1} after them. */
#include "method/stages.h"

#include <stdio.h>
#include <string.h>

#include "method/stage_matrix.h"
#include "solve/kkt.h"

struct stages {
    struct system *s;
    lobatto_pair pair;
    int count, lagrangian;
    size_t unknowns;               /* blocks of n unknowns before the multipliers */
    newton newton;
    stage_matrix *matrix;
    kkt *kkt;
    real *x;                       /* unknowns of the stages, then of the end */
    real *q, *w, *function, *force; /* stages x n: Q_i, W_i, pi or nu (the one that is not w), phi */
    real t[STAGES_MOST];
    state next;                    /* the state being found */
    real *move;
    real *velocity, *g1, *rate, *mu; /* the end */
    /* the step at hand */
    const state *from;
    real h;
};

void stages_destroy(stages *r)
{
    if (!r) return;
    real *arrays[] = { r->x, r->q, r->w, r->function, r->force, r->move, r->velocity, r->g1, r->rate, r->mu };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(r->s->context, arrays[i]);
    stage_matrix_destroy(r->matrix);
    kkt_destroy(r->kkt);
    state_clear(r->s, &r->next);
    newton_clear(&r->newton);
    mem_free(r->s->context, r);
}

static int create_arrays(stages *r, size_t size)
{
    struct system *s = r->s;
    size_t n = s->n, all_stages = n * (size_t)r->count;
    struct { real **array; size_t size; } all[] = {
        { &r->x, size }, { &r->q, all_stages }, { &r->w, all_stages }, { &r->function, all_stages }, { &r->force, all_stages },
        { &r->move, n }, { &r->velocity, n }, { &r->g1, (size_t)s->blocks[BLOCK_G].value_count }, { &r->rate, s->c }, { &r->mu, s->c },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(s->context, all[i].size, sizeof(real)))) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

static size_t stage_size(const stages *r) { return r->unknowns * r->s->n + (size_t)(r->count - 1) * r->s->c; }

int stages_create(struct system *s, int count, real tolerance, stages **result)
{
    stages *r = mem_new(s->context, 1, sizeof *r);
    *result = NULL;
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    r->count = count;
    r->lagrangian = s->form == FORM_LAGRANGIAN;
    r->unknowns = (size_t)(r->lagrangian ? count : 2 * (count - 1));
    lobatto_pair_find(count, &r->pair);
    size_t end = 2 * (size_t)s->n + s->c, size = stage_size(r) > end ? stage_size(r) : end;
    int status = stage_matrix_create(s, &r->pair, &r->matrix);
    if (!status) status = kkt_create(s, &r->kkt);
    if (!status) status = create_arrays(r, size);
    if (!status) status = state_create(s, &r->next);
    if (!status) status = newton_create(s->context, (int)size, tolerance, &r->newton);
    if (status)
        stages_destroy(r);
    else
        *result = r;
    return status;
}

const newton_counts *stages_counts(const stages *r) { return &r->newton.counts; }

/* ---- the stages ---- */

/* out = factor * sum_j coefficient_j x_j over `count` blocks of n */
static void combine(size_t n, int count, real factor, const real *coefficient, const real *x, real *out)
{
    real first = factor * coefficient[0];
    for (size_t k = 0; k < n; k++) out[k] = first * x[k];
    for (int j = 1; j < count; j++) {
        real f = factor * coefficient[j];
        x += n;
        for (size_t k = 0; k < n; k++) out[k] += f * x[k];
    }
}

/* base + low + d, as add_compensated leaves it */
static void displace(size_t n, const real *base, const real *low, const real *d, real *out)
{
    for (size_t k = 0; k < n; k++) out[k] = base[k] + (d[k] + low[k]);
}

/* Where the stages are: positions and w from the unknowns. */
static void find_places(stages *r, const real *x, place *at)
{
    const state *from = r->from;
    size_t n = r->s->n, c = r->s->c;
    int s = r->count;
    const real *lambda = x + r->unknowns * n, *u = x + (size_t)(s - 1) * n;
    for (int i = 0; i < s; i++) {
        real *q = r->q + (size_t)i * n, *w = r->w + (size_t)i * n;
        if (r->lagrangian && i) {
            combine(n, s, r->h, r->pair.a[i], x, r->move);
            displace(n, from->q, from->q_low, r->move, q);
        } else if (!r->lagrangian) {
            combine(n, s - 1, 1, r->pair.A[i], x, r->move);
            displace(n, from->p, from->p_low, r->move, w);
            if (i) displace(n, from->q, from->q_low, u + (size_t)(i - 1) * n, q);
        }
        at[i] = place_at(i ? q : from->q, r->lagrangian ? x + (size_t)i * n : w, &r->t[i],
                         i < s - 1 ? lambda + (size_t)i * c : NULL);
    }
}

static int stage_residual(void *self, const real *x, real *out)
{
    stages *r = self;
    struct system *s = r->s;
    const state *from = r->from;
    size_t n = s->n, c = s->c;
    int last = r->count - 1;
    place at[STAGES_MOST];
    find_places(r, x, at);
    for (int i = 0; i < last; i++) {
        system_force(s, &at[i], r->force + (size_t)i * n);
        system_constraints(s, &at[i + 1], out + r->unknowns * n + (size_t)i * c);
    }
    for (int i = 0; i <= last; i++) {
        if (r->lagrangian)
            system_momentum(s, &at[i], out + (size_t)i * n);
        else
            system_velocity(s, &at[i], r->function + (size_t)i * n);
    }
    for (int i = 0; r->lagrangian && i <= last; i++, out += n) { /* pi(i) - p0 - h sum A_ij phi(j) */
        combine(n, last, r->h, r->pair.A[i], r->force, r->move);
        for (size_t k = 0; k < n; k++) out[k] = (out[k] - from->p[k]) - (r->move[k] + from->p_low[k]);
    }
    for (int i = 0; !r->lagrangian && i < last; i++, out += n, x += n) { /* Z_i - h phi(i), U_i - h sum a_ij nu(j) */
        real *motion = out + (size_t)last * n;
        const real *force = r->force + (size_t)i * n, *u = x + (size_t)last * n;
        combine(n, last + 1, r->h, r->pair.a[i + 1], r->function, r->move);
        for (size_t k = 0; k < n; k++) out[k] = x[k] - r->h * force[k], motion[k] = u[k] - r->move[k];
    }
    return TAUT_OK;
}

static int stage_factor(void *self, const real *x)
{
    stages *r = self;
    place at[STAGES_MOST];
    find_places(r, x, at);
    int status = stage_matrix_factor(r->matrix, at, r->h);
    if (status != TAUT_SINGULAR) return status;
    return fail(r->s->context, TAUT_SINGULAR,
                "at t = %.9g: the equations of the step are singular; the constraints or the mass matrix lose rank here, or the step "
                "is too large: try a smaller one, or 'taut check'",
                (double)r->from->t);
}

static int stage_solve(void *self, real *out) { return stage_matrix_solve(((stages *)self)->matrix, out); }

static real relative_to(real least, const real *base, size_t n, real scale, const real *x, const real *change, size_t count)
{
    real largest = least, moved = 0;
    for (size_t k = 0; k < n; k++) largest = real_most(largest, base[k]);
    for (size_t k = 0; k < count; k++) {
        largest = real_most(largest, scale * x[k]);
        moved = real_most(moved, scale * change[k]);
    }
    return moved / largest;
}

/* By displacement: what the unknowns move positions and momenta, relative to those. */
static real stage_measure(void *self, const real *x, const real *change)
{
    stages *r = self;
    size_t n = r->s->n, half = (size_t)(r->count - 1) * n;
    if (r->lagrangian) return relative_to(r->s->least, r->from->q, n, r->h, x, change, r->unknowns * n);
    real p = relative_to(r->s->least, r->from->p, n, 1, x, change, half);
    real q = relative_to(r->s->least, r->from->q, n, 1, x + half, change + half, half);
    return real_most(p, q);
}

static void name_equation(stages *r, int equation, int momenta, int motions, char *buffer, size_t size)
{
    int n = (int)r->s->n;
    char name[150];
    if (equation >= momenta + motions) {
        system_constraint_name(r->s, (uint32_t)(equation - momenta - motions) % r->s->c, buffer, size);
        return;
    }
    system_coordinate_name(r->s, (uint32_t)(equation % n), name, sizeof name);
    snprintf(buffer, size, equation < momenta ? "momentum of %s" : "motion of %s", name);
}

static void stage_name(void *self, int equation, char *buffer, size_t size)
{
    stages *r = self;
    int all = (int)r->unknowns * (int)r->s->n, motions = r->lagrangian ? 0 : all / 2;
    name_equation(r, equation, all - motions, motions, buffer, size);
}

/* The guess comes from the state alone, so that a resumed run repeats every bit: the velocity and the force of the start go on. */
static void guess_stages(stages *r, const state *x)
{
    struct system *s = r->s;
    size_t n = s->n, c = s->c;
    int last = r->count - 1;
    place start = place_at(x->q, x->w, &x->t, x->lambda);
    real *unknown = r->x;
    if (r->lagrangian) {
        for (int i = 0; i <= last; i++, unknown += n) memcpy(unknown, x->w, n * sizeof(real));
    } else {
        system_force(s, &start, r->force);
        system_velocity(s, &start, r->velocity);
        for (int i = 0; i < last; i++, unknown += n)
            for (size_t k = 0; k < n; k++) {
                unknown[k] = r->h * r->force[k];
                unknown[(size_t)last * n + k] = r->pair.c[i + 1] * r->h * r->velocity[k];
            }
        unknown += (size_t)last * n;
    }
    for (int i = 0; i < last; i++, unknown += c) memcpy(unknown, x->lambda, c * sizeof(real));
}

/* Positions of the end; momenta of the end but for the force of the last stage, from the force line, so that momenta add up to
   round-off. */
static int find_stages(stages *r, const state *x)
{
    struct system *s = r->s;
    size_t n = s->n;
    int last = r->count - 1;
    place at[STAGES_MOST];
    guess_stages(r, x);
    newton_problem problem = { r, (int)stage_size(r), stage_residual, stage_factor, stage_solve, stage_measure,
                               stage_name, NULL };
    int status = newton_solve(&r->newton, &problem, r->x, 0, x->t, "positions of the step");
    if (status) return status;
    find_places(r, r->x, at);
    state_copy(x, &r->next);
    if (r->lagrangian) combine(n, r->count, r->h, r->pair.b, r->x, r->move);
    add_compensated(r->next.q, r->next.q_low, r->lagrangian ? r->move : r->x + (2 * (size_t)last - 1) * n, s->n);
    for (int i = 0; i < last; i++) system_force(s, &at[i], r->force + (size_t)i * n);
    combine(n, last, r->h, r->pair.b, r->force, r->move);
    add_compensated(r->next.p, r->next.p_low, r->move, s->n);
    memcpy(r->next.w, at[last].x[KIND_W], n * sizeof(real));
    memcpy(r->next.lambda, at[last - 1].x[KIND_LAMBDA], s->c * sizeof(real));
    return TAUT_OK;
}

/* ---- the end: w, v, and the multipliers of the last stage (times h b_s) ---- */

static place last_stage(stages *r, const real *scaled_mu)
{
    real weight = r->h * r->pair.b[r->count - 1];
    for (uint32_t k = 0; k < r->s->c; k++) r->mu[k] = scaled_mu[k] / weight;
    return place_at(r->next.q, r->next.w, &r->next.t, r->mu);
}

/* h b_s phi(Q_s,W_s,mu) into r->move */
static void last_impulse(stages *r, const real *scaled_mu)
{
    place at = last_stage(r, scaled_mu);
    real weight = r->h * r->pair.b[r->count - 1];
    system_force(r->s, &at, r->force);
    for (uint32_t i = 0; i < r->s->n; i++) r->move[i] = weight * r->force[i];
}

static int end_residual(void *self, const real *x, real *out)
{
    stages *r = self;
    struct system *s = r->s;
    const state *next = &r->next;
    uint32_t n = s->n;
    last_impulse(r, x + 2 * n);
    place at = place_at(next->q, x, &next->t, NULL);
    system_momentum(s, &at, out);
    for (uint32_t i = 0; i < n; i++) out[i] = (out[i] - next->p[i]) - (r->move[i] + next->p_low[i]);
    system_velocity(s, &at, r->velocity);
    for (uint32_t i = 0; i < n; i++) out[n + i] = x[n + i] - r->velocity[i];
    memcpy(out + 2 * n, r->rate, s->c * sizeof(real));
    block_multiply(&s->blocks[BLOCK_G], r->g1, 1, x + n, out + 2 * n);
    return TAUT_OK;
}

static int end_factor(void *self, const real *x)
{
    stages *r = self;
    place at = last_stage(r, x + 2 * r->s->n);
    return kkt_factor(r->kkt, &at);
}

static int end_solve(void *self, real *out)
{
    stages *r = self;
    uint32_t n = r->s->n;
    return kkt_solve(r->kkt, out, out + n, out + 2 * n);
}

static real end_measure(void *self, const real *x, const real *change)
{
    uint32_t n = ((stages *)self)->s->n;
    return real_most(newton_relative(x, change, (int)n), newton_relative(x + n, change + n, (int)n));
}

static void end_name(void *self, int equation, char *buffer, size_t size)
{
    stages *r = self;
    name_equation(r, equation, (int)r->s->n, (int)r->s->n, buffer, size);
}

static int find_end(stages *r)
{
    struct system *s = r->s;
    uint32_t n = s->n;
    state *next = &r->next;
    real weight = r->h * r->pair.b[r->count - 1];
    place at = place_at(next->q, next->w, &next->t, NULL);
    system_block_values(s, BLOCK_G, &at, r->g1);
    system_constraint_rate(s, &at, r->rate);
    memcpy(r->x, next->w, n * sizeof(real));
    system_velocity(s, &at, r->x + n);
    for (uint32_t k = 0; k < s->c; k++) r->x[2 * n + k] = weight * next->lambda[k];
    newton_problem problem = { r, (int)(2 * n + s->c), end_residual, end_factor, end_solve, end_measure,
                               end_name, NULL };
    int status = newton_solve(&r->newton, &problem, r->x, 0, next->t, "velocity constraints");
    if (status) return status;
    last_impulse(r, r->x + 2 * n);
    add_compensated(next->p, next->p_low, r->move, n);
    memcpy(next->w, r->lagrangian ? r->x : next->p, n * sizeof(real));
    return TAUT_OK;
}

int stages_step(stages *r, state *x, real h)
{
    int last = r->count - 1;
    r->from = x;
    r->h = h;
    for (int i = 0; i < last; i++) r->t[i] = x->t + (r->pair.c[i] * h + x->t_low);
    real t, t_low;
    state_next_time(x, h, &t, &t_low);
    r->t[last] = t;
    int status = find_stages(r, x);
    r->next.t = t, r->next.t_low = t_low;
    if (!status) status = find_end(r);
    if (!status) state_copy(&r->next, x);
    return status;
}
