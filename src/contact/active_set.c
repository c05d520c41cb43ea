/* Active-set steps, after Jay & Simeon: whole steps of the 'true' symplectic Euler method (3.5), the set of closed
 * contacts judged at their end. A step in contact whose multiplier Psi~1 pulls is taken back and done without the
 * contact; a step that ends below a surface ends with an impact (restitution 0) and is put on the surface, in the
 * metric of the mass matrix. Order 1. (To do the step again with the contact would give its multiplier the whole
 * impact, P/h: forces that are nonlinear in it would not converge.) A gap below zero that opens is left alone: a free
 * Euler step from the surface falls by h^2 a where h^2 a/2 would be right, and ends below it though the contact rightly
 * let go. To close it again would in effect be to judge on Psi0. The judge is Psi~1: Psi0 does not tend to the
 * multiplier of the solution, and on its sign the algorithm does not converge. */
#include <string.h>

#include "contact/active_set.h"
#include "contact/hybrid_inside.h"
#include "method/euler.h"

int X(active_set_check)(const hybrid *self, const struct method_class *class, const method_spec *spec)
{
    const char *others[] = { "natural", "conjugate", "adjoint" };
    int fits = class == &X(method_euler);
    for (int i = 0; i < 3; i++) fits = fits && !X(method_has_word)(spec, others[i]);
    if (!fits)
        return taut_fail(
            self->context, TAUT_UNSUPPORTED,
            "active-set steps are made of the 'true' symplectic Euler method; choose the method 'euler', or "
            "event-driven steps");
    for (size_t i = 0; i < self->count; i++) {
        const origin of = self->traits[i].origin;
        if (self->traits[i].has_friction && !self->traits[i].regularised)
            return taut_fail(
                self->context, TAUT_UNSUPPORTED,
                "%s:%d: contact '%s' sticks and slips, which active-set steps do not; use event-driven steps, or "
                "give it regularised = WIDTH",
                of.file, of.line, of.name);
        if (self->constants.restitution[i] != 0)
            return taut_fail(
                self->context, TAUT_UNSUPPORTED,
                "%s:%d: contact '%s' has a restitution, and active-set steps have none; use event-driven steps, "
                "or set it to 0",
                of.file, of.line, of.name);
    }
    return TAUT_OK;
}

/* Opens the closed contact that pulls most, if one does. */
static int let_go(hybrid *self, const mode_set *set, state *x)
{
    const real *psi = X(stepper_reported)(set->method.self);
    long worst = -1;
    for (size_t i = 0; i < self->count; i++) {
        if (set->first[i] < 0 || !(psi[set->first[i]] < 0)) continue;
        if (worst < 0 || psi[set->first[i]] < psi[set->first[worst]]) worst = (long)i;
    }
    if (worst >= 0) X(open_contact)(x, (size_t)worst);
    return worst >= 0;
}

/* Contacts that are open, below zero and closing; -1 when there is none, else the first. */
static long below(hybrid *self, const state *x, unsigned char *which)
{
    long first = -1;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        which[i] = contact_mode_of(x, i) == MODE_OPEN && t->gap < -t->round_off && t->rate < 0;
        if (which[i] && first < 0) first = (long)i;
    }
    return first;
}

/* Closes them: an impact, and x is put onto the surface. */
static int take_hold(hybrid *self, state *x)
{
    for (size_t turn = 0; turn <= self->count; turn++) {
        mode_set *set;
        int hit;
        long first = below(self, x, self->event.leaving);
        if (first < 0) break;
        int status = X(contact_impact)(self, x, first, &hit);
        if (status) return status;
        for (size_t i = 0; i < self->count; i++) {
            if (self->event.leaving[i]) X(close_contact)(self, x, i);
            if (self->event.impulse[i] > 0) status = X(contact_report)(self, i, EVENT_IMPACT, self->event.impulse[i]);
            if (status) return status;
        }
        status = X(mode_sets_get)(&self->sets, x, &set);
        if (!status) status = X(mode_set_load)(set, x);
        if (!status) status = X(projector_apply)(set->projector, &set->begin);
        if (status) return status;
        X(mode_set_store)(set, &set->begin, x);
    }
    return TAUT_OK;
}

int X(active_set_step)(hybrid *self, state *x, real h)
{
    mode_set *set;
    X(contact_remember_modes)(self, x);
    memset(self->event.slip_noise, 0, self->count * sizeof(real));
    for (size_t turn = 0; turn < 10 + 3 * self->count; turn++) {
        int status = X(mode_sets_get)(&self->sets, x, &set);
        if (!status) status = X(mode_set_load)(set, x);
        if (status) return status;
        X(state_copy)(&set->begin, &set->end);
        status = X(method_step)(&set->method, &set->end, h);
        if (status) return status;
        if (let_go(self, set, x)) continue;
        X(mode_set_store)(set, &set->end, x);
        status = take_hold(self, x);
        return status ? status : X(contact_report_changes)(self, x, NULL);
    }
    return taut_fail(self->context, TAUT_NO_CONVERGENCE,
                "at t = %.9g: no set of closed contacts fits this step; try a smaller one", (double)x->t);
}
