#include <stdio.h>
#include <string.h>

#include "method/em.h"
#include "method/em_matrix.h"
#include "system/hamiltonian_form.h"

struct em {
    struct system *s;
    int normal;
    hamiltonian_form *form;
    field *hamiltonian;              /* NULL: a Lagrangian in velocities */
    newton newton;
    em_matrix *matrix;
    real *x;                         /* unknowns */
    real *w1;                        /* p at the end, in the Hamiltonian form */
    real *q_mid, *w_mid;
    real *force, *move, *outer, *rates; /* force line; D_p H; F; D_t g */
    real *sizes;                     /* of the terms of each equation */
    const state *from;
    state *to;
    real h, t_mid;
    real push;                       /* size of the forces of the last residual, times h */
};

void em_destroy(em *z)
{
    if (!z) return;
    real *arrays[] = { z->x, z->w1, z->q_mid, z->w_mid, z->force, z->move, z->outer, z->rates, z->sizes };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(z->s->context, arrays[i]);
    em_matrix_destroy(z->matrix);
    hamiltonian_form_destroy(z->form);
    newton_clear(&z->newton);
    mem_free(z->s->context, z);
}

static int prepare_fields(em *z)
{
    struct system *s = z->s;
    field *energy = z->hamiltonian ? z->hamiltonian : s->energy;
    discrete_mode mode = z->hamiltonian ? DISCRETE_JOINT : DISCRETE_POLARISED;
    int status = field_prepare_discrete(energy, mode, KIND_Q);
    if (!status) status = field_prepare_discrete(energy, mode, KIND_T);
    if (!status && z->hamiltonian) status = field_prepare_discrete(energy, mode, KIND_W);
    if (!status) status = field_prepare_gradient(energy, KIND_W);
    if (!status) status = field_prepare_discrete(s->constraint, DISCRETE_JOINT, KIND_Q);
    if (!status) status = field_prepare_discrete_jacobian(s->constraint, DISCRETE_JOINT, KIND_T);
    return status;
}

int em_create(struct system *s, int normal, real tolerance, em **result)
{
    em *z = mem_new(s->context, 1, sizeof *z);
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s;
    z->normal = normal;
    int status = hamiltonian_form_create(s, &z->form);
    z->hamiltonian = z->form ? z->form->field : s->form == FORM_HAMILTONIAN ? s->energy : NULL;
    size_t n = s->n, unknowns = (z->hamiltonian ? 2 * n : n) + s->c;
    struct { real **array; size_t size; } all[] = {
        { &z->x, unknowns }, { &z->w1, n }, { &z->q_mid, n }, { &z->w_mid, n }, { &z->force, n }, { &z->move, n }, { &z->outer, n },
        { &z->rates, s->c }, { &z->sizes, unknowns },
    };
    for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(s->context, all[i].size, sizeof(real)))) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = prepare_fields(z);
    if (!status) status = em_matrix_create(s, z->hamiltonian, &z->matrix);
    if (!status) status = newton_create(s->context, (int)unknowns, tolerance, &z->newton);
    if (status)
        em_destroy(z);
    else
        *result = z;
    return status;
}

const newton_counts *em_counts(const em *z) { return &z->newton.counts; }

/* ---- the places of a step ---- */

static place start_of(const em *z)
{
    return place_at(z->from->q, z->hamiltonian ? z->from->p : z->from->w, &z->from->t, NULL);
}

static const real *multipliers(const em *z, const real *x) { return x + (z->hamiltonian ? 2 : 1) * z->s->n; }

static place end_of(const em *z, const real *x)
{
    return place_at(z->to->q, z->hamiltonian ? z->w1 : x, &z->to->t, multipliers(z, x));
}

static place middle_of(const em *z, const real *lambda) { return place_at(z->q_mid, z->w_mid, &z->t_mid, lambda); }

/* to->q, and what the forces need half way, from the unknowns. */
static void move_to(em *z, const real *x)
{
    const state *from = z->from;
    state *to = z->to;
    uint32_t n = z->s->n;
    memcpy(to->q, from->q, n * sizeof(real));
    memcpy(to->q_low, from->q_low, n * sizeof(real));
    for (uint32_t i = 0; i < n; i++) z->move[i] = z->hamiltonian ? x[i] : z->h * ((from->w[i] + x[i]) / 2);
    add_compensated(to->q, to->q_low, z->move, n);
    for (uint32_t i = 0; i < n; i++) {
        z->q_mid[i] = from->q[i] + z->move[i] / 2;
        if (z->hamiltonian) z->w1[i] = from->p[i] + (from->p_low[i] + x[n + i]);
        /* velocity half way; of a Hamiltonian model the momentum */
        z->w_mid[i] = z->s->form == FORM_LAGRANGIAN ? z->move[i] / z->h : (from->p[i] + z->w1[i]) / 2;
    }
}

/* force = -D_q H (or D_q L~) + Dg' lambda + F */
static void find_force(em *z, const place *from, const place *to)
{
    struct system *s = z->s;
    const real *lambda = to->x[KIND_LAMBDA];
    place middle = middle_of(z, lambda);
    memset(z->force, 0, s->n * sizeof(real));
    memset(z->outer, 0, s->n * sizeof(real));
    if (z->hamiltonian) {
        field_discrete(z->hamiltonian, DISCRETE_JOINT, KIND_Q, from, to, NULL, z->force);
        for (uint32_t i = 0; i < s->n; i++) z->force[i] = -z->force[i];
    } else {
        field_discrete(s->energy, DISCRETE_POLARISED, KIND_Q, from, to, NULL, z->force);
    }
    z->push = 0;
    for (uint32_t i = 0; i < s->n; i++) z->push = real_most(z->push, z->h * z->force[i]);
    if (s->c) field_discrete(s->constraint, DISCRETE_JOINT, KIND_Q, from, to, lambda, z->force);
    if (!s->structure.has_forces) return;
    field_values(s->force, &middle, z->outer);
    for (uint32_t i = 0; i < s->n; i++) z->force[i] += z->outer[i];
}

/* ---- Newton ---- */

static int residual(void *self, const real *x, real *out)
{
    em *z = self;
    struct system *s = z->s;
    uint32_t n = s->n, at = n;
    real scale = 1;
    move_to(z, x);
    place from = start_of(z), to = end_of(z, x);
    find_force(z, &from, &to);
    if (z->hamiltonian) {
        memset(out, 0, n * sizeof(real));
        field_discrete(z->hamiltonian, DISCRETE_JOINT, KIND_W, &from, &to, NULL, out);
        for (uint32_t i = 0; i < n; i++) out[i] = x[i] - z->h * out[i];
        for (uint32_t i = 0; i < n; i++) out[n + i] = x[n + i] - z->h * z->force[i];
        at = 2 * n;
    } else {
        system_momentum(s, &to, out);
        for (uint32_t i = 0; i < n; i++) out[i] = (out[i] - z->from->p[i]) - (z->h * z->force[i] + z->from->p_low[i]);
        scale = 1 / z->h;
    }
    system_constraints(s, &to, out + at);
    for (uint32_t k = 0; k < s->c; k++) out[at + k] *= scale;
    return TAUT_OK;
}

static int factor(void *self, const real *x)
{
    em *z = self;
    move_to(z, x);
    place from = start_of(z), to = end_of(z, x), middle = middle_of(z, multipliers(z, x));
    int status = em_matrix_factor(z->matrix, &from, &to, &middle, z->h);
    if (status != TAUT_SINGULAR) return status;
    return fail(z->s->context, TAUT_SINGULAR,
                "at t = %.9g: the equations of the step are singular; the constraints or the mass matrix lose rank here, or the step "
                "is too large: try a smaller one, or 'taut check'",
                (double)z->from->t);
}

/* q1 is a rounded number, and its error reaches the constraints and the forces through their slopes: at coordinates
   of 1e4 lengths a bar is known to 1e-12, and v1, which has to undo that in one step, to 1e-12/h. Likewise p, v and
   lambda. Four times: each of these numbers, each product and each sum of them is rounded by at most half of
   REAL_EPSILON. */
static int is_round_off(void *self, const real *x, const real *r)
{
    em *z = self;
    uint32_t n = z->s->n, count = (z->hamiltonian ? 2 * n : n) + z->s->c;
    move_to(z, x);
    place from = start_of(z), to = end_of(z, x), middle = middle_of(z, multipliers(z, x));
    em_matrix_sizes(z->matrix, &from, &to, &middle, z->h, x, z->sizes);
    if (!z->hamiltonian)
        for (uint32_t i = 0; i < n; i++) z->sizes[i] += REAL(fabs)(z->from->p[i]);
    for (uint32_t i = 0; i < count; i++)
        if (!(REAL(fabs)(r[i]) <= 4 * REAL_EPSILON * z->sizes[i])) return 0;
    return 1;
}

static int solve(void *self, real *out) { return em_matrix_solve(((em *)self)->matrix, out); }

static real relative(const real *before, const real *x, const real *change, uint32_t n, real largest)
{
    real most = 0;
    for (uint32_t i = 0; i < n; i++) {
        largest = real_most(real_most(largest, before[i]), x[i]);
        most = real_most(most, change[i]);
    }
    return largest > 0 ? most / largest : most > 0 ? 1 : 0;
}

/* Velocities count as such, not by what they move: the energy depends on them. Where all are nearly zero, a thousandth of what moves the
   coordinates by their least size in a step is their scale; that of momenta is what the forces give in a step. */
static real measure(void *self, const real *x, const real *change)
{
    em *z = self;
    uint32_t n = z->s->n;
    if (!z->hamiltonian) return relative(z->from->w, x, change, n, z->s->least / REAL(fabs)(1000 * z->h));
    real q = relative(z->from->q, x, change, n, z->s->least), p = relative(z->from->p, z->w1, change + n, n, z->push);
    return real_most(q, p);
}

static void name(void *self, int equation, char *buffer, size_t size)
{
    em *z = self;
    int n = (int)z->s->n, constraints = z->hamiltonian ? 2 * n : n;
    char text[150];
    if (equation >= constraints) {
        system_constraint_name(z->s, (uint32_t)(equation - constraints), buffer, size);
        return;
    }
    system_coordinate_name(z->s, (uint32_t)(equation % n), text, sizeof text);
    snprintf(buffer, size, "%s of %s", z->hamiltonian && equation < n ? "position" : "momentum", text);
}

/* ---- the step ---- */

/* A guess from the state alone. */
static void begin(em *z)
{
    const state *from = z->from;
    uint32_t n = z->s->n;
    real *lambda = z->x + (z->hamiltonian ? 2 * n : n);
    memcpy(lambda, from->lambda, z->s->c * sizeof(real));
    if (!z->hamiltonian) {
        memcpy(z->x, from->w, n * sizeof(real));
        return;
    }
    place at = place_at(from->q, from->w, &from->t, NULL);
    system_velocity(z->s, &at, z->x);
    for (uint32_t i = 0; i < n; i++) z->x[i] *= z->h, z->x[n + i] = 0;
}

/* (t1 - t0) (D_t H or -D_t L~ - lambda.D_t g) + F.(q1 - q0); t1 - t0 as rounded: energy and constraints are taken at these times */
static real work_of(em *z, const place *from, const place *to)
{
    struct system *s = z->s;
    real change = 0, sum = 0;
    if (!s->structure.time_dependent && !s->structure.has_forces) return 0;
    if (z->hamiltonian)
        field_discrete(z->hamiltonian, DISCRETE_JOINT, KIND_T, from, to, NULL, &change);
    else
        field_discrete(s->energy, DISCRETE_POLARISED, KIND_T, from, to, NULL, &change);
    if (!z->hamiltonian) change = -change;
    if (s->structure.constraint_time) {
        const pattern *p = field_discrete_pattern(s->constraint, DISCRETE_JOINT, KIND_T);
        memset(z->rates, 0, s->c * sizeof(real));
        field_discrete_jacobian(s->constraint, DISCRETE_JOINT, KIND_T, from, to, z->rates);
        for (uint32_t k = 0; k < s->c; k++)
            if (p->start[k + 1] > p->start[k]) change -= to->x[KIND_LAMBDA][k] * z->rates[p->start[k]];
    }
    for (uint32_t i = 0; i < s->n; i++) sum += z->outer[i] * z->move[i];
    return (z->to->t - z->from->t) * change + sum;
}

/* The force line (21b) gives the momenta: small numbers added to p0. */
static void finish(em *z)
{
    struct system *s = z->s;
    const state *from = z->from;
    state *to = z->to;
    uint32_t n = s->n;
    const real *lambda = multipliers(z, z->x);
    move_to(z, z->x);
    place start = start_of(z), end = end_of(z, z->x);
    find_force(z, &start, &end);
    if (z->hamiltonian) {
        memset(z->move, 0, n * sizeof(real));
        field_discrete(z->hamiltonian, DISCRETE_JOINT, KIND_W, &start, &end, NULL, z->move);
        for (uint32_t i = 0; i < n; i++) z->move[i] *= z->h;
        memcpy(to->q, from->q, n * sizeof(real));
        memcpy(to->q_low, from->q_low, n * sizeof(real));
        add_compensated(to->q, to->q_low, z->move, n);
    }
    real work = work_of(z, &start, &end);
    for (uint32_t i = 0; i < n; i++) z->force[i] *= z->h;
    memcpy(to->p, from->p, n * sizeof(real));
    memcpy(to->p_low, from->p_low, n * sizeof(real));
    add_compensated(to->p, to->p_low, z->force, n);
    *to->work = *from->work, *to->work_low = *from->work_low;
    add_compensated(to->work, to->work_low, &work, 1);
    memcpy(to->lambda, lambda, s->c * sizeof(real));
    *to->t_lambda = z->t_mid;
    if (!z->hamiltonian) {
        memcpy(to->w, z->x, n * sizeof(real));
    } else if (z->form) { /* v = H_p at the end */
        if (!z->normal) hamiltonian_form_clean(s, to->q, to->p, to->p_low);
        place at = place_at(to->q, to->p, &to->t, NULL);
        memset(to->w, 0, n * sizeof(real));
        field_gradient(z->hamiltonian, KIND_W, &at, NULL, to->w);
    } else {
        memcpy(to->w, to->p, n * sizeof(real));
    }
}

int em_step(em *z, const state *from, state *to, real h)
{
    struct system *s = z->s;
    z->from = from, z->to = to, z->h = h;
    state_next_time(from, h, &to->t, &to->t_low);
    z->t_mid = from->t + (h / 2 + from->t_low);
    begin(z);
    int unknowns = (int)((z->hamiltonian ? 2 * s->n : s->n) + s->c);
    newton_problem problem = { z, unknowns, residual, factor, solve, measure, name, is_round_off };
    int status = newton_solve(&z->newton, &problem, z->x, 0, from->t, "energy-momentum step");
    if (!status) finish(z);
    return status;
}
