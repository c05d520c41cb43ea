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
 * the equations are the same (r1 for r0, 1/theta for theta): the method is reversible. r1 - theta r0 is nearly r - 2
 * r0: the iteration has the matrix -2. */
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

typedef struct {
    struct system *s;
    const hamiltonian_form *form;     /* of a Lagrangian model, where H is to be had as a formula; or NULL */
    stepper *stepper;
    state next;
    /* em:project */
    impulse *impulse;
    newton newton;
    state kicked;
    void *room;                       /* of the arrays below */
    real *rates;                      /* unknowns r0 */
    real *nu, *mu, *other, *zero, *arrived, *push, *velocity, *g, *w;
    real scale;                       /* of rates */
    int small;                        /* theta does not count */
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
    X(newton_clear)(&z->newton);
    X(stepper_destroy)(z->stepper);
    taut_mem_free(context, z);
}

static void lay_out(void *self, room_layout *l)
{
    method_state *z = self;
    size_t n = z->s->n, c = z->s->c;
    z->rates = room_reals(l, c);
    z->nu = room_reals(l, c), z->mu = room_reals(l, c);
    z->other = room_reals(l, c), z->zero = room_reals(l, c), z->arrived = room_reals(l, c);
    z->push = room_reals(l, n), z->velocity = room_reals(l, n);
    z->g = room_reals(l, (size_t)z->s->blocks[BLOCK_G].value_count);
    z->w = room_reals(l, n);
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
    return status ? status : X(newton_create)(s->context, (int)s->c, tolerance, &z->newton);
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

/* dg/dt of a state; *size: of its terms. A rounding of g comes divided by the step: a thousandth of that, at the least,
   is the scale. */
static void find_rates(method_state *z, const state *x, real *rates, real *size)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    place at = place_at(s, x->q, x->w, &x->t, NULL);
    X(system_velocity)(s, &at, z->velocity);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    X(system_constraint_rate)(s, &at, rates);
    *size = 0;
    for (uint32_t k = 0; k < s->c; k++) {
        real sum = REAL(fabs)(rates[k]), places = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            sum += REAL(fabs)(z->g[e] * z->velocity[p->index[e]]);
            places += REAL(fabs)(z->g[e] * x->q[p->index[e]]);
        }
        *size = real_most(real_most(*size, sum), places / (1000 * z->h));
    }
    X(block_multiply)(&s->blocks[BLOCK_G], z->g, 1, z->velocity, rates);
}

/* -g_t . mu: the impulse of a moving constraint does work */
static void add_impulse_work(method_state *z, state *x, const real *mu)
{
    struct system *s = z->s;
    if (!s->structure.constraint_time) return;
    place at = place_at(s, x->q, x->w, &x->t, NULL);
    X(system_constraint_rate)(s, &at, z->other);
    real work = -product(z->other, mu, s->c);
    X(add_compensated)(x->work, x->work_low, &work, 1);
}

/* With the unknowns r0: the step, and theta r0 - r1. next is the state at the end. */
static int residual(void *self, const real *r0, real *out)
{
    method_state *z = self;
    struct system *s = z->s;
    uint32_t n = s->n, c = s->c;
    real ignored;
    state *kicked = &z->kicked, *next = &z->next;
    X(state_copy)(z->from, kicked);
    int status =
        X(impulse_find)(z->impulse, kicked->q, kicked->t, kicked->p, kicked->p_low, r0, kicked->w, z->nu, z->push);
    if (status) return status;
    X(add_compensated)(kicked->p, kicked->p_low, z->push, n);
    if (s->form != FORM_LAGRANGIAN) memcpy(kicked->w, kicked->p, n * sizeof(real));
    add_impulse_work(z, kicked, z->nu);
    X(state_copy)(kicked, next);
    status = em_step(z, next, z->h);
    if (status) return status;
    find_rates(z, next, z->arrived, &ignored);
    /* S1^-1 (r0 - r1), then -S1^-1 r1: their difference is S1^-1 r0 */
    memcpy(z->w, next->w, n * sizeof(real));
    status = X(impulse_find)(z->impulse, next->q, next->t, next->p, next->p_low, r0, z->w, z->other, z->push);
    if (!status)
        status = X(impulse_find)(z->impulse, next->q, next->t, next->p, next->p_low, z->zero, next->w, z->mu, z->push);
    if (status) return status;
    real before = product(r0, z->nu, c), after = product(r0, z->other, c) - product(r0, z->mu, c);
    real theta = !z->small && before > 0 && after > 0 ? REAL(sqrt)(before / after) : 1;
    for (uint32_t k = 0; k < c; k++) out[k] = theta * r0[k] - z->arrived[k];
    X(add_compensated)(next->p, next->p_low, z->push, n);
    if (s->form != FORM_LAGRANGIAN) memcpy(next->w, next->p, n * sizeof(real));
    add_impulse_work(z, next, z->mu);
    return TAUT_OK;
}

static int halve(void *self, real *out)
{
    for (uint32_t k = 0; k < ((method_state *)self)->s->c; k++) out[k] /= 2;
    return TAUT_OK;
}

static real measure(void *self, const real *x, const real *change)
{
    method_state *z = self;
    real most = 0;
    (void)x;
    for (uint32_t k = 0; k < z->s->c; k++) most = real_most(most, change[k]);
    return z->scale > 0 ? most / z->scale : most > 0 ? 1 : 0;
}

static void name(void *self, int equation, char *buffer, size_t size)
{
    X(system_constraint_name)(((method_state *)self)->s, (uint32_t)equation, buffer, size);
}

static int project_step(method_state *z, state *x, real h)
{
    uint32_t c = z->s->c;
    z->from = x;
    z->h = h;
    find_rates(z, x, z->arrived, &z->scale);
    memset(z->rates, 0, c * sizeof(real));
    z->small = 1;
    real size;
    int status = residual(z, z->rates, z->newton.residual); /* the scale of a start at rest is that of its first step */
    if (status) return status;
    /* where em arrives with so little the energies of the impulses are below a rounding, and theta is noise */
    real arrived = 0;
    for (uint32_t k = 0; k < c; k++) arrived = real_most(arrived, z->arrived[k]);
    find_rates(z, &z->next, z->other, &size);
    z->scale = real_most(z->scale, size);
    z->small = arrived <= REAL(sqrt)(REAL_EPSILON) * z->scale;
    newton_problem problem = { z, (int)c, residual, NULL, halve, measure, name, NULL, NULL };
    status = X(newton_solve)(&z->newton, &problem, z->rates, 0, x->t, "velocity constraints of the step");
    if (!status) status = residual(z, z->rates, z->newton.residual);
    return status;
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

static const method_code code = { create, step, counts, destroy, parts, steps, NULL, NULL };
const struct method_class X(method_em) = { .info = &info, .refuse = refuse, .declare = declare, .code = &code,
                                           .prepare_tangent = prepare_tangent, .tangent = tangent };
