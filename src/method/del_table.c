/* The discrete Euler-Lagrange equations. A discrete Lagrangian is a quadrature rule along the straight line from z0 to
   z1,
 *
 *     L_d(q0,q1) = h sum b_i L(z0 + c_i (z1 - z0), (z1 - z0)/h, t0 + c_i h),   z = (q, y),
 *     y = chart(q,t) the embedded points.
 *
 * Without embedded points z is q: (4.1) of Wendlandt & Marsden 1997 for b = 1, c = 1/2; with them this is (4.12).
 * Forces by the discrete Lagrange-d'Alembert principle: f- = h sum b_i (1-c_i) F_i at q0 and f+ = h sum b_i c_i F_i at
 * q1, F in q. With k = weight h
 *
 *     -D1 L_d(q0,q1) - f- = p0 + k G0' lambda,   g(q1) = 0            unknowns v = (q1 - q0)/h and lambda
 *     p1 = D2 L_d(q0,q1) + f+ + k G1' mu,        G1 v(q1,p1) + g_t = 0
 *
 * A normal component of p0 is absorbed by lambda: the positions are those of the two-step form, (4.5), with mu or
 * without it. Momenta come from the sum of the two lines, p1 = p0 + (D1 + D2) L_d + f- + f+ + k (G0' lambda + G1' mu),
 * which adds small numbers to p0 instead of rounding p1 afresh; with embedded points only the second line is there.
 *
 * With embedded points, A = sum b_i (L_z' - h (1-c_i) L_z) and Z = (1, chart_q), -D1 L_d = Z0' A. No product is formed:
 * u = y' and the y-part a of A are unknowns of their own, with the equations u = (chart(q1) - y0)/h and A_y = a. */
#include "method/del.h"

#include <string.h>

/* Node i of the rule between q0 and q0 + h v, with multipliers if the forces need them. */
static int add_node(const struct system *s, const del_rule *rule, int i, int v, int u, int lambda, step_table *t)
{
    int node = X(step_add_place)(t, rule->c[i]);
    X(step_put)(t, node, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, node, STEP_Q, v, rule->c[i], 1);
    X(step_put)(t, node, STEP_W, v, 1, 0);
    if (s->embedded) {
        X(step_put)(t, node, STEP_Q_Y, STEP_Y0, 1, 0), X(step_put)(t, node, STEP_Q_Y, u, rule->c[i], 1);
        X(step_put)(t, node, STEP_W_Y, u, 1, 0);
    }
    if (lambda >= 0 && s->structure.force_multiplier) X(step_put)(t, node, STEP_LAMBDA, lambda, 1, 0);
    return node;
}

/* q0 (end = 0) or q1 = q0 + h v, with w and multipliers where they are given (>= 0). */
static int add_end(int end, int v, int w, int lambda, step_table *t)
{
    int place = X(step_add_place)(t, end);
    X(step_put)(t, place, STEP_Q, STEP_Q0, 1, 0);
    if (end) X(step_put)(t, place, STEP_Q, v, 1, 1);
    if (w >= 0) X(step_put)(t, place, STEP_W, w, 1, 0);
    if (lambda >= 0) X(step_put)(t, place, STEP_LAMBDA, lambda, 1, 0);
    return place;
}

/* u - (chart(q1) - y0)/h */
static void embedded_rate(int phase, int u, int end, step_table *t)
{
    int e = X(step_add_equation)(t, phase, STEP_Y, "motion of ");
    X(step_add)(t, e, STEP_VECTOR, u, 1, 0);
    X(step_add)(t, e, STEP_CHART, end, -1, -1);
    X(step_add)(t, e, STEP_VECTOR, STEP_Y0, 1, -1);
}

/* An explicit phase: (d, a) := sum b_i (L_z' + left_i h L_z), the derivative of L_d by one of its ends before chart_q'
   is applied. */
static void slopes(const del_rule *rule, const int *node, const real *left, int phase, int *d, int *a, step_table *t)
{
    *d = X(step_add_group)(t, phase, STEP_N), *a = X(step_add_group)(t, phase, STEP_Y);
    int e = X(step_add_equation)(t, phase, STEP_N, "momentum of ");
    int e_y = X(step_add_equation)(t, phase, STEP_Y, "momentum of "); /* the rest of what E_W and E_Q put into e */
    X(step_add)(t, e, STEP_VECTOR, *d, 1, 0);
    X(step_add)(t, e_y, STEP_VECTOR, *a, 1, 0);
    for (int i = 0; i < rule->count; i++) {
        X(step_add)(t, e, STEP_E_W, node[i], -rule->b[i], 0);
        X(step_add)(t, e, STEP_E_Q, node[i], -rule->b[i] * left[i], 1);
    }
}

static void add_forces(const del_rule *rule, const int *node, int end, int equation, real factor, step_table *t)
{
    for (int i = 0; i < rule->count; i++)
        X(step_add)(t, equation, STEP_FORCE, node[i], factor * rule->b[i] * (end ? rule->c[i] : 1 - rule->c[i]), 1);
}

typedef struct {
    int v, u, lambda, node[DEL_NODES], start;
} positions;

static void find_positions(const struct system *s, const del_rule *rule, positions *z, step_table *t)
{
    int phase = X(step_add_phase)(t, "positions of the step");
    z->v = X(step_add_group)(t, phase, STEP_N), z->u = X(step_add_group)(t, phase, STEP_Y);
    int a = X(step_add_group)(t, phase, STEP_Y);
    z->lambda = X(step_add_group)(t, phase, STEP_C);
    X(step_guess)(t, z->v, STEP_W0, 1, 0), X(step_guess)(t, z->v, STEP_W_RATE0, (real)0.5, 1);
    X(step_measured)(t, z->v, STEP_MOVES, 1, 1);
    X(step_guess)(t, z->u, STEP_Y_RATE0, 1, 0);
    X(step_guess)(t, z->lambda, STEP_LAMBDA0, 1, 0);
    for (int i = 0; i < rule->count; i++) z->node[i] = add_node(s, rule, i, z->v, z->u, z->lambda, t);
    z->start = add_end(0, z->v, -1, z->lambda, t);
    int end = add_end(1, z->v, -1, -1, t);
    int momentum = X(step_add_equation)(t, phase, STEP_N, "momentum of ");
    int rest = X(step_add_equation)(t, phase, STEP_Y, "momentum of ");
    for (int i = 0; i < rule->count; i++) {
        X(step_add)(t, momentum, STEP_E_W_CHANGE, z->node[i], rule->b[i], 0);
        X(step_add)(t, momentum, STEP_E_Q, z->node[i], -rule->b[i] * (1 - rule->c[i]), 1);
    }
    add_forces(rule, z->node, 0, momentum, -1, t);
    X(step_add)(t, momentum, STEP_BOND, z->start, -rule->weight, 1);
    if (s->embedded) {
        X(step_add)(t, momentum, STEP_CHART_PULL, add_end(0, z->v, a, -1, t), 1, 0);
        X(step_add)(t, rest, STEP_VECTOR, a, -1, 0);
        embedded_rate(phase, z->u, end, t);
    }
    int constraint = X(step_add_equation)(t, phase, STEP_C, "");
    X(step_add)(t, constraint, STEP_G, end, 1, -1);
    for (int i = 0; i < rule->count; i++) X(step_add)(t, constraint, STEP_SLIP, z->node[i], rule->b[i], 0);
    X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, z->v, 1, 1);
}

/* The last phase: w (and mu) at q0 or q1 from an equation for the momentum, whose terms are also the results. */
typedef struct {
    int w, mu, momentum, place;
} velocities;

static void find_velocities(const struct system *s, const del_rule *rule, int end, int v, velocities *z, step_table *t)
{
    int project = rule->project && s->c, phase = X(step_add_phase)(t, project ? "velocity constraints" : "velocities");
    z->w = X(step_add_group)(t, phase, STEP_N);
    z->mu = project ? X(step_add_group)(t, phase, STEP_C) : -1;
    X(step_guess)(t, z->w, v, 1, 0);
    X(step_measured)(t, z->w, STEP_VELOCITY, 1, 0);
    z->place = add_end(end, v, z->w, z->mu, t);
    z->momentum = X(step_add_equation)(t, phase, STEP_N, "momentum of ");
    if (project) X(step_add)(t, X(step_add_equation)(t, phase, STEP_C, ""), STEP_RATE, z->place, 1, 0);
    t->w = z->w;
}

/* A term of p1: subtracted in the equation, added in the result. */
static void add_momentum(const velocities *z, step_function function, int place, real coefficient, int power,
                         step_table *t)
{
    X(step_add)(t, z->momentum, function, place, -coefficient, power);
    X(step_add)(t, STEP_RESULT_P, function, place, coefficient, power);
}

static void add_momentum_of_forces(const velocities *z, const del_rule *rule, const int *node, int end, step_table *t)
{
    add_forces(rule, node, end, z->momentum, -1, t);
    add_forces(rule, node, end, STEP_RESULT_P, 1, t);
}

/* f+ goes with the multipliers of the end, where there are any. */
static void add_arrival(const struct system *s, const del_rule *rule, const positions *q, const velocities *z,
                        step_table *t)
{
    int node[DEL_NODES];
    for (int i = 0; i < rule->count; i++)
        node[i] = s->structure.force_multiplier && z->mu >= 0 ? add_node(s, rule, i, q->v, q->u, z->mu, t) : q->node[i];
    add_momentum_of_forces(z, rule, node, 1, t);
    if (z->mu >= 0) add_momentum(z, STEP_BOND, z->place, rule->weight, 1, t);
    /* Forces that are nonlinear in the multipliers, as friction is, may have no derivative where these are zero. */
    if (z->mu >= 0 && s->structure.force_multiplier) X(step_guess)(t, z->mu, q->lambda, 1, 0);
}

static void find_momenta(const struct system *s, const del_rule *rule, const positions *q, step_table *t)
{
    velocities z;
    find_velocities(s, rule, 1, q->v, &z, t);
    X(step_add)(t, z.momentum, STEP_PI_CHANGE, z.place, 1, 0);
    for (int i = 0; i < rule->count; i++) add_momentum(&z, STEP_E_Q, q->node[i], rule->b[i], 1, t);
    add_momentum_of_forces(&z, rule, q->node, 0, t);
    add_momentum(&z, STEP_BOND, q->start, rule->weight, 1, t);
    add_arrival(s, rule, q, &z, t);
}

static void find_embedded_momenta(const struct system *s, const del_rule *rule, const positions *q, step_table *t)
{
    velocities z;
    int d, a;
    slopes(rule, q->node, rule->c, X(step_add_phase)(t, "momenta"), &d, &a, t);
    find_velocities(s, rule, 1, q->v, &z, t);
    X(step_add)(t, z.momentum, STEP_PI, z.place, 1, 0);
    add_momentum(&z, STEP_VECTOR, d, 1, 0, t);
    add_momentum(&z, STEP_CHART_PULL, add_end(1, q->v, a, -1, t), 1, 0, t);
    add_arrival(s, rule, q, &z, t);
    t->sets_momentum = 1;
}

void X(del_table)(const struct system *s, const del_rule *rule, step_table *t)
{
    positions q;
    t->energy = s->ambient ? s->ambient : s->energy;
    find_positions(s, rule, &q, t);
    if (s->embedded)
        find_embedded_momenta(s, rule, &q, t);
    else
        find_momenta(s, rule, &q, t);
    t->lambda = q.lambda;
}

/* ---- the start from two points ---- */

/* v is given; p = -D1 L_d(q0,q1) - f- + k G0' mu. Returns the group of v. */
static int start_table(const struct system *s, const del_rule *rule, step_table *t)
{
    velocities z;
    real left[DEL_NODES];
    int node[DEL_NODES], d, a, u = -1, v = X(step_add_group)(t, STEP_INPUT, STEP_N);
    t->energy = s->ambient ? s->ambient : s->energy;
    for (int i = 0; i < rule->count; i++) left[i] = rule->c[i] - 1;
    if (s->embedded) {
        int phase = X(step_add_phase)(t, "embedded points");
        u = X(step_add_group)(t, phase, STEP_Y);
        embedded_rate(phase, u, add_end(1, v, -1, -1, t), t);
    }
    for (int i = 0; i < rule->count; i++) node[i] = add_node(s, rule, i, v, u, -1, t);
    slopes(rule, node, left, X(step_add_phase)(t, "momenta"), &d, &a, t);
    find_velocities(s, rule, 0, v, &z, t);
    X(step_add)(t, z.momentum, STEP_PI, z.place, 1, 0);
    add_momentum(&z, STEP_VECTOR, d, 1, 0, t);
    if (s->embedded) add_momentum(&z, STEP_CHART_PULL, add_end(0, v, a, -1, t), 1, 0, t);
    add_forces(rule, node, 0, z.momentum, 1, t);
    add_forces(rule, node, 0, STEP_RESULT_P, -1, t);
    if (z.mu >= 0) add_momentum(&z, STEP_BOND, z.place, rule->weight, 1, t);
    t->sets_momentum = 1;
    return v;
}

static int start_momenta(struct system *s, const step_table *t, int v, const real *q1, state *begin, state *x, real h)
{
    stepper *r = NULL;
    int status = X(stepper_create)(s, t, 0, &r);
    if (!status) {
        for (uint32_t i = 0; i < s->n; i++) begin->w[i] = (q1[i] - x->q[i]) / h;
        X(stepper_input)(r, v, begin->w);
        status = X(stepper_step)(r, begin, h);
    }
    X(stepper_destroy)(r);
    if (status) return status;
    size_t bytes = s->n * sizeof(real);
    memcpy(x->p, begin->p, bytes), memcpy(x->p_low, begin->p_low, bytes), memcpy(x->w, begin->w, bytes);
    return TAUT_OK;
}

int X(del_start)(struct system *s, const del_rule *rule, state *x, const real *q1, real h)
{
    state begin;
    const origin points = X(system_start_points_origin)(s);
    if (s->structure.force_multiplier)
        return taut_fail(s->context, TAUT_UNSUPPORTED,
                         "%s:%d: start_points in a model with forces that depend on multipliers; give positions and "
                         "velocities in start",
                         points.file, points.line);
    if (s->slip)
        return taut_fail(s->context, TAUT_UNSUPPORTED,
                         "%s:%d: start_points in a model with constraints on velocities, which two points need not "
                         "meet; give positions and velocities in start",
                         points.file, points.line);
    step_table *t = taut_mem_new(s->context, 1, sizeof *t);
    int status = t ? X(state_create)(s, &begin) : TAUT_OUT_OF_MEMORY;
    if (!status) {
        X(step_table_begin)(t);
        X(state_copy)(x, &begin);
        status = start_momenta(s, t, start_table(s, rule, t), q1, &begin, x, h);
        X(state_clear)(s, &begin);
    }
    taut_mem_free(s->context, t);
    return status;
}
