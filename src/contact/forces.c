/* The complementarity problem of the forces: which contacts act, stick and slip; and, for contacts that depend on each
 * other, whether their forces can be shared out such that each is inside its friction cone. */
#include <string.h>

#include "contact/hybrid_inside.h"

real X(contact_no_acceleration)(const hybrid *self, size_t i, real size)
{
    real of_terms = SOME_ULPS * self->step.relax * size;
    return self->step.h > 0
               ? REAL(fmax)(of_terms, X(kinematics_of)(self->kinematics, i)->round_off / (self->step.h * self->step.h))
               : of_terms;
}

/* A rate of a gap that is none: a rounding; or what the loads would stop within some ulps of the gap. They need not be
   those of its own bodies: the stones of an arch all fall alike. */
static int is_still(const hybrid *self, size_t i)
{
    const contact_motion *t = X(kinematics_of)(self->kinematics, i);
    real size, fastest = X(kinematics_fastest)(self->kinematics);
    X(kinematics_acceleration)(self->kinematics, i, 0, &size);
    if (self->event.pace > fastest && fastest > 0) size *= self->event.pace / fastest;
    real settling = X(contact_settling_speed)(t, -size);
    return REAL(fabs)(t->rate) <= REAL(fmax)(REAL(fmax)(t->rate_round_off, self->event.rate_noise[i]), settling);
}

int X(contact_touches)(const hybrid *self, size_t i)
{
    const contact_motion *t = X(kinematics_of)(self->kinematics, i);
    return t->gap <= t->round_off && is_still(self, i);
}

/* ---- the problem ---- */

/* Friction of a contact that slips, or that is regularised, is given. */
static void set_cone(const hybrid *self, cone_contact *c, size_t index, int slips)
{
    const contact_motion *t = X(kinematics_of)(self->kinematics, index);
    real width = 0, size = 0;
    if (self->traits[index].regularised) width = (real)self->constants.width[index];
    for (int r = 0; r < c->tangents; r++) size += t->slip[r] * t->slip[r];
    size = REAL(sqrt)(size + width * width);
    c->sliding = c->tangents && (width > 0 || slips);
    for (int r = 0; r < c->tangents; r++) c->direction[r] = c->sliding && size > 0 ? t->slip[r] / size : 0;
}

/* b := the accelerations without the contacts, which the kinematics have; what is round-off of them is 0. */
static void set_right_side(hybrid *self)
{
    contact_problem *problem = &self->problem;
    for (int i = 0; i < problem->count; i++) {
        cone_contact *c = &problem->cones[i];
        for (int r = 0; r <= c->tangents; r++) {
            real size, a = X(kinematics_acceleration)(self->kinematics, problem->contacts[i], r, &size);
            real none = r ? SOME_ULPS * size : X(contact_no_acceleration)(self, problem->contacts[i], size);
            problem->b[c->first + r] = REAL(fabs)(a) > none ? a : 0;
        }
    }
}

static int solve(hybrid *self)
{
    contact_problem *problem = &self->problem;
    return X(cone_solve)(self->context, problem->count, problem->cones, problem->rows, problem->W, problem->b,
                         problem->P);
}

/* ---- which contacts act ---- */

/* Modes by the answer. */
static void take_modes(hybrid *self, state *x)
{
    contact_problem *problem = &self->problem;
    for (int i = 0; i < problem->count; i++) {
        size_t index = problem->contacts[i];
        cone_contact *c = &problem->cones[i];
        const real *P = problem->P + c->first;
        if (!(P[0] > 0)) continue;
        real against[2] = { -P[1], c->tangents > 1 ? -P[2] : 0 };
        if (!c->sliding && c->slips && self->traits[index].closed[1] == MODE_SLIP)
            X(slip_contact)(self, x, index, against);
        else X(close_contact)(self, x, index);
        contact_extra(x, index)[EXTRA_LAMBDA] = P[0];
    }
}

int X(contact_find_touching)(hybrid *self, state *x, int *some)
{
    mode_set *open;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    *some = 0;
    int status = X(mode_sets_open)(&self->sets, &open);
    if (!status) status = X(mode_set_load)(open, x);
    if (!status) status = X(mode_set_forces)(open, &open->begin);
    if (status) return status;
    X(kinematics_accelerate)(self->kinematics, open->dv);
    self->event.free = real_largest(open->dv, self->n);
    self->event.pace = real_most(self->event.pace, self->event.free);
    for (size_t i = 0; i < self->count; i++) {
        int closed = contact_mode_of(x, i) != MODE_OPEN;
        self->event.takes_part[i] = closed ? is_still(self, i) : X(contact_touches)(self, i);
        *some += self->event.takes_part[i];
        X(open_contact)(x, i);
    }
    return TAUT_OK;
}

int X(contact_ask)(hybrid *self, state *x)
{
    contact_problem *problem = &self->problem;
    int some;
    problem->count = problem->rows = 0;
    int status = X(contact_find_touching)(self, x, &some);
    if (status || !some) return status;
    status = X(problem_collect)(self, x, self->event.takes_part);
    if (status) return status;
    for (int i = 0; i < problem->count; i++)
        set_cone(self, &problem->cones[i], problem->contacts[i], X(contact_slips)(self, problem->contacts[i]));
    set_right_side(self);
    status = solve(self);
    if (!status) take_modes(self, x);
    return status;
}

/* ---- sharing out ---- */

/* The forces of closed contacts are inside their cones as they are. What is held may pull. */
static int is_inside(const hybrid *self, const mode_set *set)
{
    real none = SOME_ULPS * self->step.relax * real_largest(set->lambda, set->s->c);
    int inside = 1;
    for (size_t i = 0; i < self->count; i++) {
        if (set->modes[i] == MODE_HELD) return 1;
        if (set->first[i] < 0) continue;
        const real *lambda = set->lambda + set->first[i];
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        real size = set->rows[i] < 2 ? 0 : lambda[1] * lambda[1] + (set->rows[i] > 2 ? lambda[2] * lambda[2] : 0);
        inside = inside && lambda[0] >= -none &&
                 (set->rows[i] < 2 || REAL(sqrt)(size) - t->mu * t->normal * lambda[0] <= none);
    }
    return inside;
}

int X(contact_share)(hybrid *self, mode_set *set, const state *at, int *possible)
{
    int found = is_inside(self, set), status = TAUT_OK;
    if (!found) {
        share_cone *cone = X(shares_cones)(set->shares);
        place where = place_at(set->s, at->q, at->w, &at->t, set->lambda);
        for (size_t i = 0; i < self->count; i++) {
            const contact_motion *t = X(kinematics_of)(self->kinematics, i);
            if (set->first[i] >= 0) (cone++)->mu = t->mu * t->normal;
        }
        status = X(shares_solve)(set->shares, &where, set->s->softening, SHARED_ULPS * self->step.relax, set->lambda,
                                 &found);
    }
    if (possible) *possible = found;
    return status;
}
