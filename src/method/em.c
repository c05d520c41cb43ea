/* The energy-momentum method: the catalogue entry, and em:project.
 *
 * em leaves dg/dt off zero by order h^2 (a rate r0 becomes -r0 + r, r of order h^2). em:project goes from a state with dg/dt = 0 to one
 * with dg/dt = 0 by impulses of the constraints at both ends of the step:
 *     p0^ = p0 + G0' nu   so that dg/dt = r0;   em from (q0, p0^) to (q1, p1^);   p1 = p1^ + G1' mu   so that dg/dt = 0.
 * Impulses change no momentum of a symmetry. With S = G M^-1 G' they change the energy by +1/2 r0'S0^-1 r0 and -1/2 r1'S1^-1 r1, r1 the rate that
 * em arrives with. The c unknowns r0 are determined by the c equations
 *     r1 = theta r0,   theta^2 = (r0'S0^-1 r0)/(r0'S1^-1 r0),
 * so that the two cancel: energy, momenta, position and velocity constraints are all kept. From the other end, with -h, the equations are
 * the same (r1 for r0, 1/theta for theta): the method is reversible. r1 - theta r0 is nearly r - 2 r0: the iteration has the matrix -2. */
#include "method/em.h"

#include <stdio.h>
#include <string.h>

#include "solve/impulse.h"
#include "system/hamiltonian_form.h"

static const method_option options[] = {
    { "project", "", "dg/dt = 0 as well, at the price of several solutions a step" },
};

static const method_info info = {
    .name = "em",
    .summary = "energy-momentum: energy, momenta and constraints kept exactly, for any Hamiltonian and any Lagrangian quadratic in velocities",
    .source = "Gonzalez 1999, (21); discrete gradients by mean partial derivatives",
    .equations = "q1 - q0 = h D_p H,  p1 - p0 = h (-D_q H + Dg' lambda + F_mid),  g(q1) = 0\n"
                 "D f: discrete gradient between the ends, f1 - f0 = D f . (x1 - x0), through the quadratic atoms of f\n"
                 "Lagrangian: q1 - q0 = h (v0 + v1)/2,  p1 - p0 = h (D_q L~ + Dg' lambda + F_mid),  p = L_v(q, v),\n"
                 "            L~ = 1/2 v0'M(q) v1 + a(q).(v0 + v1)/2 - V(q)\n"
                 "lambda belongs to t0 + h/2: frames have it as lambda_mid.NAME, with its time t_mid",
    .order = 2,
    .keeps = KEEPS_ENERGY | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION,
    .options = options,
    .option_count = 1,
    .own_work = 1,
    .midpoint_multipliers = 1,
};

static int is_projected(const method_spec *spec) { return method_has_word(spec, "project"); }

/* L~ shows the atoms of V alone. A mass matrix that depends on q, or terms linear in v, hide a symmetry, unless H is to be had as a formula. */
static void on_lagrangian(struct system *s, method_info *out)
{
    hamiltonian_form *form = NULL;
    if (s->form != FORM_LAGRANGIAN || s->structure.uncoupled) return;
    if (hamiltonian_form_create(s, &form) || !form) out->keeps &= ~(unsigned)KEEPS_MOMENTUM;
    hamiltonian_form_destroy(form);
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
    if (s->form == FORM_RATES) return "it needs an energy, and this model has rates; write the model with lagrangian() or hamiltonian()";
    if (s->form == FORM_LAGRANGIAN && !s->structure.quadratic)
        return "its Lagrangian is not of degree 2 in the velocities; write the model with hamiltonian(), which may be any";
    return NULL;
}

typedef struct {
    struct system *s;
    em *em;
    state next;
    /* em:project */
    impulse *impulse;
    newton newton;
    state kicked;
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
    real *arrays[] = { z->rates, z->nu, z->mu, z->other, z->zero, z->arrived, z->push, z->velocity, z->g, z->w };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(context, arrays[i]);
    state_clear(z->s, &z->next);
    state_clear(z->s, &z->kicked);
    impulse_destroy(z->impulse);
    newton_clear(&z->newton);
    em_destroy(z->em);
    mem_free(context, z);
}

static int create_projection(method_state *z, real tolerance)
{
    struct system *s = z->s;
    if (s->structure.force_multiplier)
        return fail(s->context, TAUT_UNSUPPORTED,
                    "method 'em:project' cannot run this model: a force depends on multipliers, which the impulses are not part of; take em");
    if (!s->structure.quadratic)
        return fail(s->context, TAUT_UNSUPPORTED,
                    "method 'em:project' cannot run this model: its Hamiltonian is not of degree 2 in the momenta; take em");
    struct { real **array; size_t size; } all[] = {
        { &z->rates, s->c }, { &z->nu, s->c }, { &z->mu, s->c }, { &z->other, s->c }, { &z->zero, s->c }, { &z->arrived, s->c },
        { &z->push, s->n }, { &z->velocity, s->n }, { &z->g, (size_t)s->blocks[BLOCK_G].value_count }, { &z->w, s->n },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(s->context, all[i].size, sizeof(real)))) return TAUT_OUT_OF_MEMORY;
    int status = state_create(s, &z->kicked);
    if (!status) status = impulse_create(s, tolerance, &z->impulse);
    return status ? status : newton_create(s->context, (int)s->c, tolerance, &z->newton);
}

static int create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    method_state *z = mem_new(s->context, 1, sizeof *z);
    *self = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s;
    int status = system_prepare_block(s, BLOCK_G);
    if (!status) status = em_create(s, is_projected(spec), tolerance, &z->em);
    if (!status) status = state_create(s, &z->next);
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

/* dg/dt of a state; *size: of its terms. A rounding of g comes divided by the step: a thousandth of that, at the least, is the scale. */
static void find_rates(method_state *z, const state *x, real *rates, real *size)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    place at = place_at(x->q, x->w, &x->t, NULL);
    system_velocity(s, &at, z->velocity);
    system_block_values(s, BLOCK_G, &at, z->g);
    system_constraint_rate(s, &at, rates);
    *size = 0;
    for (uint32_t k = 0; k < s->c; k++) {
        real sum = REAL(fabs)(rates[k]), places = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            sum += REAL(fabs)(z->g[e] * z->velocity[p->index[e]]);
            places += REAL(fabs)(z->g[e] * x->q[p->index[e]]);
        }
        *size = real_most(real_most(*size, sum), places / (1000 * z->h));
    }
    block_multiply(&s->blocks[BLOCK_G], z->g, 1, z->velocity, rates);
}

/* -g_t . mu: the impulse of a moving constraint does work */
static void add_impulse_work(method_state *z, state *x, const real *mu)
{
    struct system *s = z->s;
    if (!s->structure.constraint_time) return;
    place at = place_at(x->q, x->w, &x->t, NULL);
    system_constraint_rate(s, &at, z->other);
    real work = -product(z->other, mu, s->c);
    add_compensated(x->work, x->work_low, &work, 1);
}

/* With the unknowns r0: the step, and theta r0 - r1. next is the state at the end. */
static int residual(void *self, const real *r0, real *out)
{
    method_state *z = self;
    struct system *s = z->s;
    uint32_t n = s->n, c = s->c;
    real ignored;
    state *kicked = &z->kicked, *next = &z->next;
    state_copy(z->from, kicked);
    int status = impulse_find(z->impulse, kicked->q, kicked->t, kicked->p, kicked->p_low, r0, kicked->w, z->nu, z->push);
    if (status) return status;
    add_compensated(kicked->p, kicked->p_low, z->push, n);
    if (s->form != FORM_LAGRANGIAN) memcpy(kicked->w, kicked->p, n * sizeof(real));
    add_impulse_work(z, kicked, z->nu);
    status = em_step(z->em, kicked, next, z->h);
    if (status) return status;
    find_rates(z, next, z->arrived, &ignored);
    /* S1^-1 (r0 - r1), then -S1^-1 r1: their difference is S1^-1 r0 */
    memcpy(z->w, next->w, n * sizeof(real));
    status = impulse_find(z->impulse, next->q, next->t, next->p, next->p_low, r0, z->w, z->other, z->push);
    if (!status) status = impulse_find(z->impulse, next->q, next->t, next->p, next->p_low, z->zero, next->w, z->mu, z->push);
    if (status) return status;
    real before = product(r0, z->nu, c), after = product(r0, z->other, c) - product(r0, z->mu, c);
    real theta = !z->small && before > 0 && after > 0 ? REAL(sqrt)(before / after) : 1;
    for (uint32_t k = 0; k < c; k++) out[k] = theta * r0[k] - z->arrived[k];
    add_compensated(next->p, next->p_low, z->push, n);
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
    system_constraint_name(((method_state *)self)->s, (uint32_t)equation, buffer, size);
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
    newton_problem problem = { z, (int)c, residual, NULL, halve, measure, name, NULL };
    status = newton_solve(&z->newton, &problem, z->rates, 0, x->t, "velocity constraints of the step");
    if (!status) status = residual(z, z->rates, z->newton.residual);
    return status;
}

/* ---- the step ---- */

static int step(void *self, state *x, real h)
{
    method_state *z = self;
    int status = z->impulse ? project_step(z, x, h) : em_step(z->em, x, &z->next, h);
    if (!status) state_copy(&z->next, x);
    return status;
}

static const newton_counts *counts(const void *self)
{
    const method_state *z = self;
    return em_counts(z->em);
}

const struct method_class method_em = { &info, refuse, declare, create, step, counts, destroy, NULL };
