/* One step of the discrete Euler-Lagrange equations, L_d and f-, f+ as in discrete.h, k = weight h:
 *
 *     -D1 L_d(q0,q1) - f- = p0 + k G0' lambda,   g(q1) = 0            unknowns v = (q1 - q0)/h and lambda
 *     p1 = D2 L_d(q0,q1) + f+ + k G1' mu,        G1 v(q1,p1) + g_t = 0
 *
 * A normal component of p0 is absorbed by lambda: the positions are those of the two-step form, (4.5) of Wendlandt & Marsden 1997,
 * with mu or without it. Momenta come from the sum of the two lines, p1 = p0 + (D1 + D2) L_d + f- + f+ + k (G0' lambda + G1' mu), which
 * adds small numbers to p0 instead of rounding p1 anew; with embedded points only the second line is there. */
#include <stdio.h>
#include <string.h>

#include "method/del.h"
#include "solve/assembly.h"
#include "solve/kkt.h"

struct del {
    struct system *s;
    del_options options;
    newton newton;
    discrete *lagrangian;
    kkt *kkt;                       /* second half with the velocity constraint */
    assembly *mass;                 /* and without */
    int id_mass;
    real *values;
    real *x;                        /* unknowns of the first half, then of the second */
    real *q, *q_low, *p, *p_low;    /* the end of the step */
    real *push, *move;              /* work */
    real *g0, *g1, *rate, *lambda, *mu;
    /* the step at hand */
    const state *from;
    real h, t1, t1_low;
    /* the place of the second half, and whether forces come in there */
    const real *end_q;
    real end_t;
    int forced;
};

void del_destroy(del *d)
{
    if (!d) return;
    taut_context *context = d->s->context;
    real *arrays[] = { d->values, d->x, d->q, d->q_low, d->p, d->p_low, d->push, d->move, d->g0, d->g1, d->rate, d->lambda, d->mu };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(context, arrays[i]);
    discrete_destroy(d->lagrangian);
    kkt_destroy(d->kkt);
    assembly_destroy(d->mass);
    newton_clear(&d->newton);
    mem_free(context, d);
}

static int create_arrays(del *d)
{
    struct system *s = d->s;
    size_t n = s->n, c = s->c, g = (size_t)s->blocks[BLOCK_G].value_count;
    struct { real **array; size_t size; } all[] = {
        { &d->values, (size_t)s->blocks[BLOCK_PI_W].value_count }, { &d->x, 2 * n + c }, { &d->q, n }, { &d->q_low, n },
        { &d->p, n }, { &d->p_low, n }, { &d->push, n }, { &d->move, n }, { &d->g0, g }, { &d->g1, g }, { &d->rate, c },
        { &d->lambda, c }, { &d->mu, c },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(s->context, all[i].size, sizeof(real)))) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

static int create_mass(del *d)
{
    int status = assembly_create(d->s->context, (int)d->s->n, &d->mass);
    if (!status) status = assembly_add(d->mass, &d->s->blocks[BLOCK_PI_W], 0, 0, &d->id_mass);
    return status ? status : assembly_finish(d->mass, 0);
}

int del_create(struct system *s, const del_options *options, real tolerance, del **result)
{
    del *d = mem_new(s->context, 1, sizeof *d);
    *result = NULL;
    if (!d) return TAUT_OUT_OF_MEMORY;
    d->s = s;
    d->options = *options;
    int status = system_prepare_block(s, BLOCK_G);
    if (!status) status = system_prepare_block(s, BLOCK_PI_W);
    if (!status) status = create_arrays(d);
    if (!status) status = discrete_create(s, &options->rule, &d->lagrangian);
    if (!status) status = options->project ? kkt_create(s, &d->kkt) : create_mass(d);
    if (!status) status = newton_create(s->context, (int)(2 * s->n + s->c), tolerance, &d->newton);
    if (status)
        del_destroy(d);
    else
        *result = d;
    return status;
}

const newton_counts *del_counts(const del *d) { return &d->newton.counts; }

/* ---- first half: v, lambda ---- */

static void move_positions(del *d, const real *v)
{
    uint32_t n = d->s->n;
    for (uint32_t i = 0; i < n; i++) d->move[i] = d->h * v[i];
    memcpy(d->q, d->from->q, n * sizeof(real));
    memcpy(d->q_low, d->from->q_low, n * sizeof(real));
    add_compensated(d->q, d->q_low, d->move, n);
}

/* push = f- + k G0' lambda */
static void start_push(del *d, const real *lambda)
{
    memset(d->push, 0, d->s->n * sizeof(real));
    discrete_force(d->lagrangian, 0, lambda, d->push);
    block_multiply_transposed(&d->s->blocks[BLOCK_G], d->g0, d->h * d->options.weight, lambda, d->push);
}

static int first_residual(void *self, const real *x, real *out)
{
    del *d = self;
    struct system *s = d->s;
    uint32_t n = s->n;
    move_positions(d, x);
    discrete_slopes(d->lagrangian, d->q, x, out, NULL);
    start_push(d, x + n);
    for (uint32_t i = 0; i < n; i++) out[i] = (out[i] - d->from->p[i]) - (d->push[i] + d->from->p_low[i]);
    place end = place_at(d->q, NULL, &d->t1, NULL);
    system_constraints(s, &end, out + n);
    for (uint32_t k = 0; k < s->c; k++) out[n + k] /= d->h;
    return TAUT_OK;
}

static int first_factor(void *self, const real *x)
{
    del *d = self;
    move_positions(d, x);
    discrete_slopes(d->lagrangian, d->q, x, NULL, NULL);
    int status = discrete_factor(d->lagrangian, x + d->s->n, d->h * d->options.weight);
    if (status != TAUT_SINGULAR) return status;
    return fail(d->s->context, TAUT_SINGULAR,
                "at t = %.9g: the equations of the step are singular; the constraints or the mass matrix lose rank here, or the step "
                "is too large: try a smaller one, or 'taut check'",
                (double)d->from->t);
}

static int first_solve(void *self, real *out) { return discrete_solve(((del *)self)->lagrangian, out); }

/* By displacement. */
static real first_measure(void *self, const real *x, const real *change)
{
    del *d = self;
    real largest = d->s->least, moved = 0;
    for (uint32_t i = 0; i < d->s->n; i++) {
        moved = real_most(moved, d->h * change[i]);
        largest = real_most(real_most(largest, d->from->q[i]), d->h * x[i]);
    }
    return moved / largest;
}

static void name_equation(del *d, int equation, int constraints_from, char *buffer, size_t size)
{
    char name[150];
    if (equation >= constraints_from) {
        system_constraint_name(d->s, (uint32_t)(equation - constraints_from), buffer, size);
        return;
    }
    system_coordinate_name(d->s, (uint32_t)(equation % (int)d->s->n), name, sizeof name);
    snprintf(buffer, size, "momentum of %s", name);
}

static void first_name(void *self, int equation, char *buffer, size_t size)
{
    name_equation(self, equation, (int)((del *)self)->s->n, buffer, size);
}

/* ---- second half: w, v and k mu with the velocity constraint; w alone without ---- */

/* push = f+ + k G1' mu */
static void end_push(del *d, const real *scaled_mu)
{
    struct system *s = d->s;
    memset(d->push, 0, s->n * sizeof(real));
    if (d->options.project) {
        for (uint32_t k = 0; k < s->c; k++) d->mu[k] = scaled_mu[k] / (d->h * d->options.weight);
        block_multiply_transposed(&s->blocks[BLOCK_G], d->g1, 1, scaled_mu, d->push);
    }
    if (d->forced) discrete_force(d->lagrangian, 1, d->options.project ? d->mu : d->lambda, d->push);
}

static int second_residual(void *self, const real *x, real *out)
{
    del *d = self;
    struct system *s = d->s;
    uint32_t n = s->n;
    place at = place_at(d->end_q, x, &d->end_t, NULL);
    end_push(d, x + 2 * n);
    system_momentum(s, &at, out);
    for (uint32_t i = 0; i < n; i++) out[i] = (out[i] - d->p[i]) - (d->push[i] + d->p_low[i]);
    if (!d->options.project) return TAUT_OK;
    for (uint32_t i = 0; i < n; i++) out[n + i] = x[n + i] - x[i];
    memcpy(out + 2 * n, d->rate, s->c * sizeof(real));
    block_multiply(&s->blocks[BLOCK_G], d->g1, 1, x + n, out + 2 * n);
    return TAUT_OK;
}

static int second_factor(void *self, const real *x)
{
    del *d = self;
    place at = place_at(d->end_q, x, &d->end_t, d->mu);
    if (d->options.project) return kkt_factor(d->kkt, &at);
    assembly_zero(d->mass);
    system_block_values(d->s, BLOCK_PI_W, &at, d->values);
    assembly_put(d->mass, d->id_mass, 1, d->values);
    int status = assembly_factor(d->mass);
    if (status != TAUT_SINGULAR) return status;
    return fail(d->s->context, TAUT_SINGULAR, "at t = %.9g: the mass matrix is singular at the end of the step; try a smaller one",
                (double)d->from->t);
}

static int second_solve(void *self, real *out)
{
    del *d = self;
    uint32_t n = d->s->n;
    return d->options.project ? kkt_solve(d->kkt, out, out + n, out + 2 * n) : assembly_solve(d->mass, out);
}

static real second_measure(void *self, const real *x, const real *change)
{
    return newton_relative(x, change, (int)((del *)self)->s->n);
}

static void second_name(void *self, int equation, char *buffer, size_t size)
{
    name_equation(self, equation, (int)(2 * ((del *)self)->s->n), buffer, size);
}

/* p (as far as it is known) becomes the momentum at (q,t), x the velocity that belongs to it. The guess for w is in x. */
static int find_velocity(del *d, const real *q, real t, int forced)
{
    struct system *s = d->s;
    uint32_t n = s->n;
    place at = place_at(q, NULL, &t, NULL);
    d->end_q = q, d->end_t = t, d->forced = forced;
    system_block_values(s, BLOCK_G, &at, d->g1);
    system_constraint_rate(s, &at, d->rate);
    memcpy(d->x + n, d->x, n * sizeof(real));
    memcpy(d->mu, d->lambda, s->c * sizeof(real));
    for (uint32_t k = 0; k < s->c; k++) d->x[2 * n + k] = d->h * d->options.weight * d->mu[k];
    newton_problem problem = { d, (int)(d->options.project ? 2 * n + s->c : n), second_residual, second_factor, second_solve,
                               second_measure, second_name, NULL };
    int status = newton_solve(&d->newton, &problem, d->x, 0, t, d->options.project ? "velocity constraints" : "velocities");
    if (status) return status;
    end_push(d, d->x + 2 * n);
    add_compensated(d->p, d->p_low, d->push, n);
    return TAUT_OK;
}

/* ---- the step ---- */

static int find_positions(del *d)
{
    struct system *s = d->s;
    uint32_t n = s->n;
    const state *x = d->from;
    place at = place_at(x->q, NULL, &x->t, NULL);
    system_block_values(s, BLOCK_G, &at, d->g0);
    discrete_begin(d->lagrangian, x->q, x->t, d->t1, d->h);
    memcpy(d->x, x->w, n * sizeof(real));
    memcpy(d->x + n, x->lambda, s->c * sizeof(real));
    newton_problem problem = { d, (int)(n + s->c), first_residual, first_factor, first_solve, first_measure,
                               first_name, NULL };
    int status = newton_solve(&d->newton, &problem, d->x, 0, x->t, "positions of the step");
    if (status) return status;
    move_positions(d, d->x);
    memcpy(d->lambda, d->x + n, s->c * sizeof(real));
    return TAUT_OK;
}

/* The momentum but for what happens at the end of the step. */
static void carry_momenta(del *d)
{
    uint32_t n = d->s->n;
    discrete_slopes(d->lagrangian, d->q, d->x, NULL, d->move);
    if (d->s->embedded) {
        memcpy(d->p, d->move, n * sizeof(real));
        memset(d->p_low, 0, n * sizeof(real));
        return;
    }
    start_push(d, d->lambda);
    for (uint32_t i = 0; i < n; i++) d->move[i] += d->push[i];
    memcpy(d->p, d->from->p, n * sizeof(real));
    memcpy(d->p_low, d->from->p_low, n * sizeof(real));
    add_compensated(d->p, d->p_low, d->move, n);
}

int del_step(del *d, state *x, real h)
{
    size_t bytes = d->s->n * sizeof(real);
    d->from = x;
    d->h = h;
    state_next_time(x, h, &d->t1, &d->t1_low);
    int status = find_positions(d);
    if (status) return status;
    carry_momenta(d);
    status = find_velocity(d, d->q, d->t1, 1);
    if (status) return status;
    memcpy(x->q, d->q, bytes);
    memcpy(x->q_low, d->q_low, bytes);
    memcpy(x->p, d->p, bytes);
    memcpy(x->p_low, d->p_low, bytes);
    memcpy(x->w, d->x, bytes);
    memcpy(x->lambda, d->lambda, d->s->c * sizeof(real));
    x->t = d->t1, x->t_low = d->t1_low;
    return TAUT_OK;
}

int del_start(del *d, state *x, const real *q1, real h)
{
    struct system *s = d->s;
    uint32_t n = s->n;
    if (s->structure.force_multiplier)
        return fail(s->context, TAUT_UNSUPPORTED,
                    "%s:%d: start_points in a model with forces that depend on multipliers; give positions and velocities in start",
                    s->m->file, s->m->start_points_line);
    d->from = x;
    d->h = h;
    state_next_time(x, h, &d->t1, &d->t1_low);
    discrete_begin(d->lagrangian, x->q, x->t, d->t1, h);
    for (uint32_t i = 0; i < n; i++) d->x[i] = (q1[i] - x->q[i]) / h;
    discrete_slopes(d->lagrangian, q1, d->x, d->p, NULL);
    memset(d->p_low, 0, n * sizeof(real));
    memset(d->push, 0, n * sizeof(real));
    discrete_force(d->lagrangian, 0, NULL, d->push);
    for (uint32_t i = 0; i < n; i++) d->p[i] -= d->push[i];
    memset(d->lambda, 0, s->c * sizeof(real));
    int status = find_velocity(d, x->q, x->t, 0);
    if (status) return status;
    memcpy(x->p, d->p, n * sizeof(real));
    memcpy(x->p_low, d->p_low, n * sizeof(real));
    memcpy(x->w, d->x, n * sizeof(real));
    return TAUT_OK;
}
