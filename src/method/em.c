/* The energy-momentum method, Gonzalez 1999, (21a)-(21c), with discrete gradients D by mean partial derivatives
   (expr/discrete.c).
 *
 * Hamiltonian models, and Lagrangian ones with rotations (system/hamiltonian_form.h):
 *     q1 - q0 = h D_p H,   p1 - p0 = h (-D_q H + Dg' lambda + F),   g(q1) = 0
 * Lagrangian models, of degree 2 in v, with p = L_v at both ends:
 *     q1 - q0 = h (v0 + v1)/2,   p1 - p0 = h (D_q L~ + Dg' lambda + F),   g(q1) = 0
 * where L~(q; v0, v1) is L polarised: 1/2 v0'M(q) v1 + a(q).(v0 + v1)/2 - V(q), D by q and t alone. With
 * E = 1/2 v'M v + V
 *     E1 - E0 = (v0 + v1)/2 . (p1 - p0) - (L~(q1) - L~(q0))
 * is an identity, so that the energy is kept whatever the mass matrix does; with constant mass L~ is -V and nothing
 * else is solved for than v1 and lambda. F is taken half way. With time:
 *     E1 - E0 = h (D_t H or -D_t L~) + F.(q1 - q0) - h lambda.D_t g
 * is the work of the step.
 *
 * em leaves dg/dt off zero by order h^2 (a rate r0 becomes -r0 + r, r of order h^2). em:project goes from a state with
 * dg/dt = 0 to one with dg/dt = 0 by impulses of the constraints at both ends of the step:
 *     p0^ = p0 + G0' nu  so that dg/dt = r0;   em from (q0, p0^) to (q1, p1^);   p1 = p1^ + G1' mu  so that dg/dt = 0.
 * Impulses change no momentum of a symmetry. With S = G M^-1 G' they change the energy by +1/2 r0'S0^-1 r0 and -1/2
 * r1'S1^-1 r1, r1 the rate that em arrives with. The c unknowns r0 are determined by the c equations
 *     r1 = theta r0,   theta^2 = (r0'S0^-1 r0)/(r0'S1^-1 r0),
 * so that the two cancel: energy, momenta, position and velocity constraints are all kept. From the other end, with -h,
 * the equations are the same (r1 for r0, 1/theta for theta): the method is reversible. theta r0 - r1 is nearly 2 r0 -
 * r: the matrix 2 begins the iteration, and Broyden's updates follow. */
#include "method/method.h"

#include <stdio.h>
#include <string.h>

#include "base/room.h"
#include "solve/impulse.h"
#include "system/hamiltonian_form.h"

static const method_option options[] = {
    { "project", "", "dg/dt = 0 as well, at the price of several solutions a step" },
};

static const method_info info = {
    .name = "em",
    .summary = "energy-momentum: energy, momenta and constraints kept exactly, for any Hamiltonian and any Lagrangian "
               "quadratic in velocities",
    .source = "Gonzalez 1999, (21); discrete gradients by mean partial derivatives",
    .equations =
        "q1 - q0 = h D_p H,  p1 - p0 = h (-D_q H + Dg' lambda + F_mid),  g(q1) = 0\n"
        "D f: discrete gradient between the ends, f1 - f0 = D f . (x1 - x0), through the quadratic atoms of f\n"
        "Lagrangian: q1 - q0 = h (v0 + v1)/2,  p1 - p0 = h (D_q L~ + Dg' lambda + F_mid),  p = L_v(q, v),\n"
        "            L~ = 1/2 v0'M(q) v1 + a(q).(v0 + v1)/2 - V(q)\n"
        "lambda belongs to t0 + h/2: frames have it as lambda_mid.NAME, with its time t_mid",
    .slips = "psi((q0 + q1)/2, (q1 - q0)/h) = 0 with the force A' lambda half way: it does no work where b = 0",
    .order = 2,
    .keeps = KEEPS_ENERGY | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION,
    .options = options,
    .option_count = 1,
    .discrete_gradients = 1,
    .own_work = 1,
    .midpoint_multipliers = 1,
};

static int is_projected(const method_spec *spec) { return X(method_has_word)(spec, "project"); }

/* L~ shows the atoms of V alone. A mass matrix that depends on q, or terms linear in v, hide a symmetry, unless H is to
   be had as a formula. */
static void on_lagrangian(struct system *s, method_info *out)
{
    if (s->form != FORM_LAGRANGIAN || s->structure.uncoupled) return;
    if (X(hamiltonian_form_find)(s) || !s->hamiltonian) out->keeps &= ~(unsigned)KEEPS_MOMENTUM;
}

static void declare(const method_spec *spec, method_info *out)
{
    out->adapt = on_lagrangian;
    if (!is_projected(spec)) return;
    out->keeps |= KEEPS_VELOCITY;
    out->summary = "energy-momentum with impulses of the constraints at the ends of a step, for dg/dt = 0";
    out->equations = "p0^ = p0 + G0' nu: dg/dt = r0;  em from (q0,p0^) to (q1,p1^);  p1 = p1^ + G1' mu: dg/dt = 0\n"
                     "em arrives with dg/dt = theta r0,  theta^2 = (r0'S0^-1 r0)/(r0'S1^-1 r0),  S = G M^-1 G'";
}

static const char *refuse(const struct system *s)
{
    if (s->form == FORM_RATES)
        return "it needs an energy, and this model has rates; write the model with lagrangian() or hamiltonian()";
    if (s->form == FORM_LAGRANGIAN && !s->structure.quadratic)
        return "its Lagrangian is not of degree 2 in the velocities; write the model with hamiltonian(), which may be "
               "any";
    return NULL;
}

enum { PASSES = 100, KEPT = 8 };      /* of em:project: solutions of a step at most; changes that updates go back to */

typedef struct {
    struct system *s;
    const hamiltonian_form *form;     /* of a Lagrangian model, where H is to be had as a formula; or NULL */
    stepper *stepper;
    state next;
    /* em:project */
    impulse *impulse, *last_impulse;  /* at the two ends */
    state kicked;
    void *room;                       /* of the arrays below */
    real *rates;                      /* unknowns r0 */
    real *miss;                       /* of their equations, over 2: (theta r0 - r1)/2 */
    real *changes;                    /* of the unknowns in this step, KEPT at most */
    real *nu, *mu, *rate, *zero, *arrived, *push, *velocity, *g;
    real tolerance;                   /* 0: round-off */
    const state *from;
    real h;
} method_state;

static void destroy(void *self)
{
    method_state *z = self;
    if (!z) return;
    taut_context *context = z->s->context;
    room_free(context, &z->room);
    X(state_clear)(z->s, &z->next);
    X(state_clear)(z->s, &z->kicked);
    X(impulse_destroy)(z->impulse);
    X(impulse_destroy)(z->last_impulse);
    X(stepper_destroy)(z->stepper);
    taut_mem_free(context, z);
}

static void lay_out(void *self, room_layout *l)
{
    method_state *z = self;
    size_t n = z->s->n, c = z->s->c;
    z->rates = room_reals(l, c), z->miss = room_reals(l, c), z->changes = room_reals(l, KEPT * c);
    z->nu = room_reals(l, c), z->mu = room_reals(l, c);
    z->rate = room_reals(l, c), z->zero = room_reals(l, c), z->arrived = room_reals(l, c);
    z->push = room_reals(l, n), z->velocity = room_reals(l, n);
    z->g = room_reals(l, (size_t)z->s->blocks[BLOCK_G].value_count);
}

static int create_projection(method_state *z, real tolerance)
{
    struct system *s = z->s;
    if (s->structure.force_multiplier)
        return taut_fail(s->context, TAUT_UNSUPPORTED,
                         "method 'em:project' cannot run this model: a force depends on multipliers, which the "
                         "impulses are not part of; take em");
    if (!s->structure.quadratic)
        return taut_fail(
            s->context, TAUT_UNSUPPORTED,
            "method 'em:project' cannot run this model: its Hamiltonian is not of degree 2 in the momenta; take em");
    int status = room_create(s->context, lay_out, z, &z->room);
    if (!status) status = X(state_create)(s, &z->kicked);
    if (!status) status = X(impulse_create)(s, tolerance, &z->impulse);
    z->tolerance = tolerance;
    return status ? status : X(impulse_create)(s, tolerance, &z->last_impulse);
}

/* ---- the table ---- */

/* p1 - p0 = h (sign D_q + Dg' lambda + F), and the same for an equation, with the other sign. */
static void add_force(step_table *t, int equation, int end, int middle, real energy, real factor)
{
    X(step_add)(t, equation, STEP_D_Q, end, factor * energy, 1);
    X(step_add)(t, equation, STEP_D_BOND, end, factor, 1);
    X(step_add)(t, equation, STEP_SLIP_BOND, middle, factor, 1);
    X(step_add)(t, equation, STEP_FORCE, middle, factor, 1);
}

static void add_work(step_table *t, int end, int middle, real energy)
{
    X(step_add)(t, STEP_RESULT_WORK, STEP_D_T, end, -energy, 0);
    X(step_add)(t, STEP_RESULT_WORK, STEP_D_T_BOND, end, 1, 0);
    X(step_add)(t, STEP_RESULT_WORK, STEP_SLIP_WORK, middle, 1, 0);
    X(step_add)(t, STEP_RESULT_WORK, STEP_FORCE_WORK, middle, 1, 0);
}

/* Unknowns v1, lambda */
static void lagrangian_table(step_table *t, int is_part)
{
    const real half = (real)0.5, quarter = (real)0.25;
    int v = X(step_add_group)(t, 0, STEP_N), lambda = X(step_add_group)(t, 0, STEP_C);
    int end = X(step_add_place)(t, 1), middle = X(step_add_place)(t, half);
    /* No acceleration in the guess: it saves two iterations of six, but these also bring the velocities to where
       g(q1) = 0 to the last bit; without them dg/dt of four particles walks off ten times as far. */
    X(step_guess)(t, v, STEP_W0, 1, 0);
    X(step_measured)(t, v, STEP_VELOCITY, 1, 0); /* not by what they move: the energy depends on them */
    X(step_guess_multipliers)(t, lambda, is_part ? TREND_NONE : TREND_ALTERNATING);
    X(step_put)(t, t->from, STEP_W, STEP_W0, 1, 0);
    X(step_put)(t, end, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, middle, STEP_Q, STEP_Q0, 1, 0);
    X(step_put)(t, end, STEP_Q, STEP_W0, half, 1), X(step_put)(t, middle, STEP_Q, STEP_W0, quarter, 1);
    X(step_put)(t, end, STEP_Q, v, half, 1), X(step_put)(t, middle, STEP_Q, v, quarter, 1);
    X(step_put)(t, end, STEP_W, v, 1, 0);
    X(step_put)(t, middle, STEP_W, STEP_W0, half, 0), X(step_put)(t, middle, STEP_W, v, half, 0);
    X(step_put)(t, end, STEP_LAMBDA, lambda, 1, 0), X(step_put)(t, middle, STEP_LAMBDA, lambda, 1, 0);
    int momentum = X(step_add_equation)(t, 0, STEP_N, "momentum of ");
    X(step_add)(t, momentum, STEP_PI_CHANGE, end, 1, 0);
    add_force(t, momentum, end, middle, 1, -1);
    int constraint = X(step_add_equation)(t, 0, STEP_C, "");
    X(step_add)(t, constraint, STEP_G, end, 1, -1);
    X(step_add)(t, constraint, STEP_SLIP, middle, 1, 0);
    X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, STEP_W0, half, 1);
    X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, v, half, 1);
    add_force(t, STEP_RESULT_P, end, middle, 1, 1);
    add_work(t, end, middle, 1);
    t->w = v;
    t->lambda = lambda;
}

/* Unknowns q1 - q0, p1 - p0, lambda. Forces of a Lagrangian model depend on velocities, which are (q1 - q0)/h. */
static void hamiltonian_table(step_table *t, int velocities, int is_part)
{
    const real half = (real)0.5;
    int dq = X(step_add_group)(t, 0, STEP_N), dp = X(step_add_group)(t, 0, STEP_N),
        lambda = X(step_add_group)(t, 0, STEP_C);
    int end = X(step_add_place)(t, 1), middle = X(step_add_place)(t, half);
    X(step_guess)(t, dq, STEP_NU0, 1, 1);
    X(step_measured)(t, dq, STEP_MOVES, 1, 0);
    X(step_measured)(t, dp, STEP_MOMENTUM, 1, 0);
    X(step_guess_multipliers)(t, lambda, is_part ? TREND_NONE : TREND_ALTERNATING);
    X(step_put)(t, t->from, STEP_W, STEP_P0, 1, 0);
    X(step_put)(t, end, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, end, STEP_Q, dq, 1, 0);
    X(step_put)(t, end, STEP_W, STEP_P0, 1, 0), X(step_put)(t, end, STEP_W, dp, 1, 0);
    X(step_put)(t, middle, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, middle, STEP_Q, dq, half, 0);
    if (velocities)
        X(step_put)(t, middle, STEP_W, dq, 1, -1);
    else
        X(step_put)(t, middle, STEP_W, STEP_P0, 1, 0), X(step_put)(t, middle, STEP_W, dp, half, 0);
    X(step_put)(t, end, STEP_LAMBDA, lambda, 1, 0), X(step_put)(t, middle, STEP_LAMBDA, lambda, 1, 0);
    int position = X(step_add_equation)(t, 0, STEP_N, "position of ");
    X(step_add)(t, position, STEP_VECTOR, dq, 1, 0);
    X(step_add)(t, position, STEP_D_W, end, -1, 1);
    int momentum = X(step_add_equation)(t, 0, STEP_N, "momentum of ");
    X(step_add)(t, momentum, STEP_VECTOR, dp, 1, 0);
    add_force(t, momentum, end, middle, -1, -1);
    int constraint = X(step_add_equation)(t, 0, STEP_C, "");
    X(step_add)(t, constraint, STEP_G, end, 1, 0);
    X(step_add)(t, constraint, STEP_SLIP, middle, 1, 1);
    X(step_add)(t, STEP_RESULT_Q, STEP_D_W, end, 1, 1);
    add_force(t, STEP_RESULT_P, end, middle, -1, 1);
    add_work(t, end, middle, -1);
    t->lambda = lambda;
}

static int create_stepper(method_state *z, real tolerance, int is_part)
{
    struct system *s = z->s;
    int status = X(hamiltonian_form_find)(s);
    z->form = s->hamiltonian;
    step_table *t = taut_mem_new(s->context, 1, sizeof *t);
    if (!t) return TAUT_OUT_OF_MEMORY;
    X(step_table_begin)(t);
    X(step_add_phase)(t, "energy-momentum step");
    t->phases[0].many_zeros = 1;
    t->energy = z->form ? z->form->field : s->energy;
    t->from = X(step_add_place)(t, 0);
    t->lambda_time = (real)0.5;
    X(step_put)(t, t->from, STEP_Q, STEP_Q0, 1, 0);
    if (z->form || s->form == FORM_HAMILTONIAN) {
        t->mode = DISCRETE_JOINT;
        hamiltonian_table(t, s->form == FORM_LAGRANGIAN, is_part);
    } else {
        t->mode = DISCRETE_POLARISED;
        lagrangian_table(t, is_part);
    }
    if (!status && z->form) status = X(field_prepare_gradient)(z->form->field, KIND_W);
    if (!status) status = X(stepper_create)(s, t, tolerance, &z->stepper);
    taut_mem_free(s->context, t);
    return status;
}

/* One step without projection, in place. */
static int em_step(method_state *z, state *x, real h)
{
    struct system *s = z->s;
    int status = X(stepper_step)(z->stepper, x, h);
    if (status || !z->form) return status;
    /* v = H_p at the end. Steps of em:project may begin with momenta along the constraints; of the others, what
       round-off leaves there of rotations is taken away. */
    if (!z->impulse) X(hamiltonian_form_clean)(s, x->q, x->p, x->p_low);
    place at = place_at(s, x->q, x->p, &x->t, NULL);
    memset(x->w, 0, s->n * sizeof(real));
    X(field_gradient)(z->form->field, KIND_W, &at, NULL, x->w);
    return TAUT_OK;
}

static int create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    method_state *z = taut_mem_new(s->context, 1, sizeof *z);
    *self = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s;
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (!status) status = create_stepper(z, tolerance, spec->is_part || is_projected(spec));
    if (!status) status = X(state_create)(s, &z->next);
    if (!status && is_projected(spec) && s->c) status = create_projection(z, tolerance);
    if (status)
        destroy(z);
    else
        *self = z;
    return status;
}

/* ---- em:project ---- */

static real product(const real *x, const real *y, uint32_t count)
{
    real sum = 0;
    for (uint32_t k = 0; k < count; k++) sum += x[k] * y[k];
    return sum;
}

/* What is measured against: of dg/dt, the size of its terms; of the round-off it comes with; of twice the kinetic
   energy. em finds velocities from positions with g = 0, where a rounding of a term of g is that of a rate divided by
   the step. */
typedef struct {
    real terms, round_off, energy;
} scales;

static void widen_scales(method_state *z, const state *x, scales *to)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    place at = place_at(s, x->q, x->w, &x->t, NULL);
    X(system_velocity)(s, &at, z->velocity);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    X(system_constraint_rate)(s, &at, z->rate);
    for (uint32_t k = 0; k < s->c; k++) {
        real sum = REAL(fabs)(z->rate[k]), places = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            sum += REAL(fabs)(z->g[e] * z->velocity[p->index[e]]);
            places += REAL(fabs)(z->g[e] * x->q[p->index[e]]);
        }
        to->terms = real_most(to->terms, sum);
        to->round_off = real_most(real_most(to->round_off, sum), places / REAL(fabs)(z->h));
    }
    real energy = 0;
    for (uint32_t i = 0; i < s->n; i++) energy += REAL(fabs)(z->velocity[i] * x->p[i]);
    to->energy = real_most(to->energy, energy);
}

/* dg/dt of a state */
static void find_rates(method_state *z, const state *x, real *rates)
{
    struct system *s = z->s;
    place at = place_at(s, x->q, x->w, &x->t, NULL);
    X(system_velocity)(s, &at, z->velocity);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    X(system_constraint_rate)(s, &at, rates);
    X(block_multiply)(&s->blocks[BLOCK_G], z->g, 1, z->velocity, rates);
}

/* The impulse that gives x these rates; -g_t . mu: that of a moving constraint does work. */
static int kick(method_state *z, impulse *by, int again, state *x, const real *rates, real *mu)
{
    struct system *s = z->s;
    int status = X(impulse_find)(by, again, x->q, x->t, x->p, x->p_low, rates, x->w, mu, z->push);
    if (status) return status;
    X(add_compensated)(x->p, x->p_low, z->push, s->n);
    if (s->form != FORM_LAGRANGIAN) memcpy(x->w, x->p, s->n * sizeof(real));
    if (!s->structure.constraint_time) return TAUT_OK;
    place at = place_at(s, x->q, x->w, &x->t, NULL);
    X(system_constraint_rate)(s, &at, z->rate);
    real work = -product(z->rate, mu, s->c);
    X(add_compensated)(x->work, x->work_low, &work, 1);
    return TAUT_OK;
}

/* theta, from S0^-1 r0 = nu and S1^-1 r1 = -mu. For r0 in S1^-1 r0, which would take another solution, stands r1 over
   (r1.S1^-1 r1)/(r0.S1^-1 r1): the same where r1 = theta r0, and near it up to second order. 1 where r0 and r1 are not
   alike: far from the end of the iteration, or among rounding errors. */
static real find_theta(const method_state *z)
{
    const uint32_t c = z->s->c;
    const real start = product(z->rates, z->nu, c), end = -product(z->arrived, z->mu, c),
               both = -product(z->rates, z->mu, c);
    if (!(start > 0 && end > 0 && both > 0)) return 1;
    const real theta = REAL(sqrt)(start * end) / both;
    return theta > (real)0.5 && theta < 2 ? theta : 1;
}

/* The step with the unknowns r0; next is the state at the end. */
static int pass(method_state *z, int again)
{
    struct system *s = z->s;
    state *kicked = &z->kicked, *next = &z->next;
    X(state_copy)(z->from, kicked);
    int status = kick(z, z->impulse, again, kicked, z->rates, z->nu);
    if (status) return status;
    X(state_copy)(kicked, next);
    status = em_step(z, next, z->h);
    if (status) return status;
    find_rates(z, next, z->arrived);
    status = kick(z, z->last_impulse, again, next, z->zero, z->mu);
    if (status) return status;
    const real theta = find_theta(z);
    for (uint32_t k = 0; k < s->c; k++) z->miss[k] = (theta * z->rates[k] - z->arrived[k]) / 2;
    return TAUT_OK;
}

/* The next change of the unknowns, after `count` of them: Broyden's method, in the form that keeps the changes alone
   (Kelley 1995, section 7.3). Returns how many there are now. */
static int change_rates(method_state *z, int count)
{
    const uint32_t c = z->s->c;
    if (count == KEPT) count = 0;
    real *change = z->changes + (size_t)count * c, part = 0;
    for (uint32_t k = 0; k < c; k++) change[k] = -z->miss[k];
    for (int j = 0; j < count; j++) {
        const real *at = z->changes + (size_t)j * c, *then = at + c;
        part = product(at, change, c) / product(at, at, c);
        for (uint32_t k = 0; k < c && j + 1 < count; k++) change[k] += part * then[k];
    }
    if (!(1 - part > (real)0.1)) { /* the changes so far do not foretell this one */
        change = z->changes, part = 0, count = 0;
        for (uint32_t k = 0; k < c; k++) change[k] = -z->miss[k];
    }
    for (uint32_t k = 0; k < c; k++) z->rates[k] += change[k] /= 1 - part;
    return count + 1;
}

static int fail_to_project(const method_state *z)
{
    uint32_t worst = 0;
    char name[200];
    for (uint32_t k = 0; k < z->s->c; k++)
        if (!(REAL(fabs)(z->miss[k]) <= REAL(fabs)(z->miss[worst]))) worst = k;
    X(system_constraint_name)(z->s, worst, name, sizeof name);
    return taut_fail(z->s->context, TAUT_NO_CONVERGENCE,
                     "at t = %.9g: velocity constraints of the step: no convergence after %d solutions of it; equation "
                     "'%s' misses by %.3g; try a smaller step",
                     (double)z->from->t, PASSES, name, (double)(2 * z->miss[worst]));
}

/* Solved: the equations hold as well as em knows the rates it arrives with, and what is left of them changes the energy
   by a small part of a rounding, as it may have the same sign in every step. Or the misses, all round-off, shrink no
   more. */
static int is_projected_enough(const method_state *z, const scales *of, real size, real before)
{
    const real enough = z->tolerance > 0 ? z->tolerance : REAL_EPSILON;
    const real energy = REAL(fabs)(product(z->nu, z->miss, z->s->c));
    if (size <= enough * of->round_off && energy <= enough / 64 * of->energy) return 1;
    return size > before / 2 && size <= 1024 * REAL_EPSILON * of->round_off;
}

static int project_step(method_state *z, state *x, real h)
{
    const uint32_t c = z->s->c;
    scales of = { 0 };
    real before = 0;
    z->from = x;
    z->h = h;
    memset(z->rates, 0, c * sizeof(real));
    widen_scales(z, x, &of);
    for (int k = 0, count = 0; k < PASSES; k++) {
        int status = pass(z, k > 0);
        if (status) return status;
        if (k == 0) widen_scales(z, &z->next, &of); /* the scale of a start at rest is that of its first step */
        real size = 0;
        for (uint32_t i = 0; i < c; i++) size = real_most(size, z->miss[i]);
        if (is_projected_enough(z, &of, size, k ? before : REAL_LARGEST)) return TAUT_OK;
        if (!(size - size == 0)) break;
        before = size;
        count = change_rates(z, count);
    }
    return fail_to_project(z);
}

/* ---- the step ---- */

static int step(void *self, state *x, real h)
{
    method_state *z = self;
    if (!z->impulse) return em_step(z, x, h);
    int status = project_step(z, x, h);
    if (!status) X(state_copy)(&z->next, x);
    return status;
}

static const newton_counts *counts(const void *self)
{
    return X(stepper_counts)(((const method_state *)self)->stepper);
}

static int parts(const void *self, method_part *out, const char **why)
{
    const method_state *z = self;
    program *lowered = X(stepper_program)(z->stepper);
    *why = z->impulse ? "impulses at the ends of its steps are code, not a table of equations; take em without "
                        "project"
           : z->form  ? "with rotations, or masses that depend on positions, em finds velocities by code after its "
                        "step; take rattle or lobatto"
                      : METHOD_NOT_LOWERED;
    if (!lowered || z->impulse || z->form) return 0;
    *out = (method_part){ lowered, 1, 0 };
    return 1;
}

static long steps(void *self, state *x, const real *lengths, int stride, long count, multiplier_growth *size)
{
    method_state *z = self;
    return z->impulse || z->form ? 0 : X(stepper_steps)(z->stepper, x, lengths, stride, count, size);
}

static method_execution execution(const void *self)
{
    const method_state *z = self;
    method_execution e = X(method_execution_by)(X(stepper_program)(z->stepper));
    if (e.code > CODE_PARTLY && (z->impulse || z->form)) e.code = CODE_PARTLY;
    return e;
}

static step_path path(const void *self) { return X(stepper_path)(((const method_state *)self)->stepper); }

static int prepare_tangent(void *self)
{
    const method_state *z = self;
    if (!z->impulse && !z->form) return X(stepper_prepare_tangent)(z->stepper);
    return taut_fail(z->s->context, TAUT_UNSUPPORTED,
                     "steps of em:project, and of em with rotations or masses that depend on positions, have no "
                     "tangent in closed form; take rattle or lobatto");
}

static int tangent(void *self, const state *x, real h, size_t count, real *dq, real *dp)
{
    return X(stepper_tangent)(((method_state *)self)->stepper, x, h, count, dq, dp);
}

static const method_code code = { create, step, counts, destroy, parts, steps, NULL, NULL, execution, path };
const struct method_class X(method_em) = { .info = &info, .refuse = refuse, .declare = declare, .code = &code,
                                           .prepare_tangent = prepare_tangent, .tangent = tangent };
