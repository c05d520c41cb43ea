/* A merged step: where no set of modes fits, or modes change without end, impacts and forces of a short time are taken
 * together, as in Moreau's time stepping. With s the length, a the accelerations without contacts, u the velocities of
 * gaps and slips:
 *     u+ = u + s a + W P,   0 <= P_N,  0 <= gap/s + u_N+,  P_N (gap/s + u_N+) = 0,   and Coulomb's law for P_T, u_T+,
 * a cone problem of impulses, which has a solution whatever the friction is (Stewart 1998): at a velocity there may be
 * no forces, but there are impulses. Positions follow with the velocities at the end. Then contacts that act are put
 * onto their surfaces, those that stick back to where they were, and velocities onto the constraints of both, in the
 * metric of the mass matrix: of order 2 in s.
 *
 * Impulses take energy, as P'u+ <= 0: with constant forces and masses E falls by at least |v+ - v|^2/2. What curvature
 * adds to it is taken off the velocities, all in the same proportion: no gap closes and no slip turns by that. */
#include <string.h>

#include "contact/hybrid_inside.h"

#define FIRST_LENGTH ((real)1e-4)  /* of the step */
#define GROWTH 8                   /* each one in a step is so much longer than that before */
#define IMPULSIVE 1000             /* impulses so many times those of the accelerations there are */
#define AT_EDGE ((real)1e-9)       /* friction that is at its limit but for this */

real X(contact_energy)(const hybrid *self, const state *x)
{
    const struct system *s = self->open->s;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_velocity)(s, &at, self->response.v);
    return X(system_energy)(s, &at, self->response.v);
}

/* Of the forces of the model; contacts are not among them. */
static real power_of(const hybrid *self, const state *x)
{
    const struct system *s = self->open->s;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_velocity)(s, &at, self->response.v);
    return X(system_power)(s, &at, self->response.v, self->response.right);
}

/* Contacts that are near enough to act within s. The kinematics have accelerations. */
static int find_near(hybrid *self, real s)
{
    int some = 0;
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        real size;
        X(kinematics_acceleration)(self->kinematics, i, 0, &size);
        self->event.takes_part[i] = t->gap <= t->round_off + 2 * s * (REAL(fabs)(t->rate) + s * size);
        some |= self->event.takes_part[i];
    }
    return some;
}

/* Marks the impulses that are none of forces: an impact, though nothing may have closed. */
static void find_impacts(hybrid *self, real s)
{
    const contact_problem *problem = &self->problem;
    for (int i = 0; i < problem->count; i++) {
        size_t index = problem->contacts[i], row = (size_t)problem->cones[i].first;
        real size, P = problem->P[row];
        X(kinematics_acceleration)(self->kinematics, index, 0, &size);
        if (problem->W[row * (size_t)(problem->rows + 1)] * P > IMPULSIVE * s * size) self->step.impulse[index] += P;
    }
}

/* P, and b := u+, for the contacts that take part. */
static int find_impulses(hybrid *self, const state *x, real s)
{
    contact_problem *problem = &self->problem;
    int status = X(problem_collect)(self, x, self->event.takes_part);
    if (status) return status;
    for (int i = 0; i < problem->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, problem->contacts[i]);
        real *b = problem->b + problem->cones[i].first;
        for (int r = 0; r <= problem->cones[i].tangents; r++)
            b[r] = (r ? t->slip[r - 1] : t->rate + (t->gap > t->round_off ? t->gap / s : 0)) +
                   s * X(kinematics_acceleration)(self->kinematics, problem->contacts[i], r, NULL);
    }
    status = X(cone_solve)(self->context, problem->count, problem->cones, problem->rows, problem->W, problem->b,
                           problem->P);
    /* then P is what sweeps have come to: inside the cones, and near enough for a step that ends with a projection */
    if (status && status != TAUT_NO_CONVERGENCE) return status;
    find_impacts(self, s);
    for (int r = 0; r < problem->rows; r++)
        for (int k = 0; k < problem->rows; k++)
            problem->b[r] += problem->W[(size_t)r * (size_t)problem->rows + (size_t)k] * problem->P[k];
    return TAUT_OK;
}

/* The work of friction. */
static real work_of_friction(const contact_problem *problem)
{
    real sum = 0;
    for (int i = 0; i < problem->count; i++)
        for (int r = 1; r <= problem->cones[i].tangents; r++)
            sum += problem->P[problem->cones[i].first + r] * problem->b[problem->cones[i].first + r];
    return sum;
}

/* For the projection: contacts that act stick where they are now, or are held. The kinematics are those of before. */
static void hold_active(hybrid *self, state *x)
{
    const contact_problem *problem = &self->problem;
    for (size_t i = 0; i < self->count; i++) X(open_contact)(x, i);
    for (int i = 0; i < problem->count; i++) {
        const cone_contact *c = &problem->cones[i];
        const real *P = problem->P + c->first;
        size_t index = problem->contacts[i];
        if (!(P[0] > 0)) continue;
        real size = REAL(sqrt)((c->tangents > 0 ? P[1] * P[1] : 0) + (c->tangents > 1 ? P[2] * P[2] : 0));
        if (self->traits[index].closed[0] == MODE_STICK && size < (1 - AT_EDGE) * c->mu * P[0])
            X(stick_contact)(self, x, index);
        else contact_extra(x, index)[EXTRA_MODE] = MODE_HELD;
    }
}

/* Onto the constraints of the modes of x; they may depend on each other. What cannot be met is left. */
static int put_onto(hybrid *self, state *x)
{
    mode_set *set = NULL;
    int status = TAUT_SINGULAR;
    for (int level = 0; contact_may_merge(status) && level <= SOFTENED_LEVELS; level++) {
        contacts_set_softened(x, level);
        status = X(mode_sets_get)(&self->sets, x, &set);
        if (!status) status = X(mode_set_load)(set, x);
        if (!status) status = X(projector_apply)(set->projector, &set->begin);
    }
    if (!status) X(mode_set_store)(set, &set->begin, x);
    return contact_may_merge(status) ? TAUT_OK : status;
}

/* The modes that belong to the impulses, at the new place. */
static void take_modes(hybrid *self, state *x, real s)
{
    const contact_problem *problem = &self->problem;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    for (int i = 0; i < problem->count; i++) {
        const cone_contact *c = &problem->cones[i];
        const real *P = problem->P + c->first;
        size_t index = problem->contacts[i];
        int sticks = contact_mode_of(x, index) == MODE_STICK;
        if (contact_mode_of(x, index) == MODE_OPEN) continue;
        if (!sticks && self->traits[index].closed[1] == MODE_SLIP && !X(contact_slips)(self, index))
            X(slip_contact)(self, x, index, (real[]){ -P[1], c->tangents > 1 ? -P[2] : 0 });
        else if (!sticks) X(close_contact)(self, x, index);
        contact_extra(x, index)[EXTRA_LAMBDA] = P[0] / s;
    }
}

int X(contact_limit_energy)(hybrid *self, state *x, real most)
{
    const struct system *s = self->open->s;
    real with = X(contact_energy)(self, x), small = 64 * REAL_EPSILON * (REAL(fabs)(with) + REAL(fabs)(most));
    if (with <= most + small || self->moves) return 1;
    memcpy(self->response.w, x->w, self->n * sizeof(real));
    memset(x->w, 0, self->n * sizeof(real));
    real rest = X(contact_energy)(self, x), part = most > rest ? REAL(sqrt)((most - rest) / (with - rest)) : 0;
    for (uint32_t i = 0; i < self->n; i++) x->w[i] = part * self->response.w[i];
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_momentum)(s, &at, x->p);
    memset(x->p_low, 0, self->n * sizeof(real));
    return rest <= most + small;
}

/* Moves x by s; *most: the energy before, and what forces have added. *done: 0 where nothing touches. */
static int merged_step(hybrid *self, state *x, real s, real *most, int *done)
{
    mode_set *open;
    contact_problem *problem = &self->problem;
    *done = 0;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    int status = X(mode_sets_open)(&self->sets, &open);
    if (!status) status = X(mode_set_load)(open, x);
    if (!status) status = X(mode_set_forces)(open, &open->begin);
    if (status) return status;
    self->open = open;
    X(kinematics_accelerate)(self->kinematics, open->dv);
    if (!find_near(self, s)) return TAUT_OK;
    real power = power_of(self, x);
    *most = X(contact_energy)(self, x);
    status = find_impulses(self, x, s);
    if (status) return status;
    const real *dw = X(acceleration_stage_rate)(open->acceleration);
    for (uint32_t i = 0; i < self->n; i++) x->w[i] += s * dw[i];
    status = X(problem_apply)(self, x);
    if (status) return status;
    for (uint32_t k = 0; k < self->c; k++) x->lambda[k] = open->lambda[k] + self->response.multiplier[k] / s;
    place at = place_at(open->s, x->q, x->w, &x->t, x->lambda);
    X(system_velocity)(open->s, &at, self->response.v);
    for (uint32_t i = 0; i < self->n; i++) x->q[i] += s * self->response.v[i];
    memset(x->q_low, 0, self->n * sizeof(real));
    X(state_next_time)(x, s, &x->t, &x->t_low);
    hold_active(self, x);
    status = put_onto(self, x);
    if (status) return status;
    take_modes(self, x, s);
    real given = s / 2 * (power + power_of(self, x)), work = given + work_of_friction(problem);
    X(add_compensated)(x->work, x->work_low, &work, 1);
    *most += given;
    *done = 1;
    return TAUT_OK;
}

/* Impacts with restitution, which merged steps do not have. */
static int restitute(hybrid *self, state *x)
{
    int hit, status = X(contact_impact)(self, x, -1, &hit);
    for (size_t i = 0; i < self->count; i++) self->step.impulse[i] = !status && hit ? self->event.impulse[i] : 0;
    return contact_may_merge(status) ? TAUT_OK : status;
}

/* All that came of merged steps. */
static int report(hybrid *self, const state *x)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < self->count; i++)
        if (self->step.impulse[i] > 0) status = X(contact_report)(self, i, EVENT_IMPACT, self->step.impulse[i]);
    memcpy(self->event.modes_before, self->step.modes, self->count);
    return status ? status : X(contact_report_changes)(self, x, NULL);
}

/* After a merged step: the modes of its impulses, or those of the forces, or none yet. */
static int settle(hybrid *self, state *x, int *settled)
{
    X(state_copy)(x, &self->step.merged);
    memset(self->event.modes_before, MODE_OPEN, self->count); /* all of them are put onto their constraints */
    memset(self->event.rate_noise, 0, self->count * sizeof(real));
    memset(self->event.slip_noise, 0, self->count * sizeof(real));
    memset(self->event.leaving, 0, self->count);
    self->event.free = self->event.pace = 0;
    int status = X(contact_try_modes)(self, x, settled);
    if (*settled || (status && !contact_may_merge(status))) return status;
    X(state_copy)(&self->step.merged, x);
    status = X(contact_settle)(self, x);
    *settled = !status;
    if (!contact_may_merge(status)) return status;
    X(state_copy)(&self->step.merged, x);
    X(contact_put_off)(self, x);
    return TAUT_OK;
}

void X(contact_put_off)(hybrid *self, state *x)
{
    for (size_t i = 0; i < self->count; i++) {
        real lambda = REAL(fmax)(contact_extra(x, i)[EXTRA_LAMBDA], 0);
        X(open_contact)(x, i);
        contact_extra(x, i)[EXTRA_LAMBDA] = lambda;
    }
    contacts_set_softened(x, 0);
}

/* Bodies that have not even the energy to be put onto their surfaces: they are at rest where they were. */
static void stay(hybrid *self, state *x, real s)
{
    X(state_copy)(&self->step.unmerged, x);
    X(state_next_time)(&self->step.unmerged, s, &x->t, &x->t_low);
    memset(x->w, 0, self->n * sizeof(real));
    memset(x->p_low, 0, self->n * sizeof(real));
    place at = place_at(self->open->s, x->q, x->w, &x->t, x->lambda);
    X(system_momentum)(self->open->s, &at, x->p);
    for (size_t i = 0; i < self->count; i++) X(open_contact)(x, i);
}

/* One merged step of length s, with the modes that follow. *done: 0 where it cannot be made. */
static int merge_once(hybrid *self, state *x, real s, int *done, int *settled)
{
    real most;
    int status = merged_step(self, x, s, &most, done);
    if (!status && *done) status = X(contact_lift)(self, x);
    /* modes are those of the velocities that are left */
    if (!status && *done && !X(contact_limit_energy)(self, x, most)) stay(self, x, s);
    if (!status && *done) status = settle(self, x, settled);
    if (!status && *done) *done = X(contact_limit_energy)(self, x, most);
    if (!contact_may_merge(status)) return status;
    *done = 0;
    return TAUT_OK;
}

int X(contact_merge)(hybrid *self, state *x, real *left)
{
    int settled = 0, done = 0;
    X(contact_remember_modes)(self, x);
    memcpy(self->step.modes, self->event.modes_before, self->count);
    int status = restitute(self, x);
    while (!status && !settled && *left > 0) {
        real *s = &self->step.merge;
        real first = REAL(fmax)(FIRST_LENGTH * self->step.h, 64 * self->step.shortest);
        *s = REAL(fmin)(REAL(fmax)(GROWTH * *s, first), *left);
        X(state_copy)(x, &self->step.unmerged);
        status = merge_once(self, x, *s, &done, &settled);
        if (status) return status;
        if (!done) { /* a longer one may do */
            if (*s == *left) return TAUT_NO_CONVERGENCE;
            X(state_copy)(&self->step.unmerged, x);
            settled = 0;
            continue;
        }
        *left = *s < *left ? *left - *s : 0;
    }
    return status ? status : report(self, x);
}
