/* Active-set steps, after Jay & Simeon: whole steps of the 'true' symplectic Euler method (3.5), the set of closed contacts judged at
 * their end. A step in contact whose multiplier Psi~1 pulls is taken back and done without the contact; a step that ends below a surface
 * ends with an impact (restitution 0) and is put on the surface, in the metric of the mass matrix. Order 1. (To do the step again with
 * the contact would give its multiplier the whole impact, P/h: forces that are nonlinear in it would not converge.)
 * A gap below zero that opens is left alone: a free Euler step from the surface falls by h^2 a where h^2 a/2 would be right, and ends below it
 * though the contact rightly let go. To close it again would in effect be to judge on Psi0.
 * The judge is Psi~1: Psi0 does not tend to the multiplier of the solution, and on its sign the algorithm does not converge. */
#include <string.h>

#include "contact/active_set.h"
#include "contact/parts.h"
#include "method/euler.h"
#include "solve/start.h"

int active_set_check(const hybrid *z, const struct method_class *class, const method_spec *spec)
{
    const char *others[] = { "natural", "conjugate", "adjoint" };
    int fits = class == &method_euler;
    for (int i = 0; i < 3; i++) fits = fits && !method_has_word(spec, others[i]);
    if (!fits)
        return fail(z->context, TAUT_UNSUPPORTED,
                    "active-set steps are made of the 'true' symplectic Euler method; choose it with -m euler, or leave out --contacts active-set");
    for (size_t i = 0; i < z->count; i++) {
        const contact *c = &z->m->contacts[i];
        if (c->friction && c->law == FRICTION_SET_VALUED)
            return fail(z->context, TAUT_UNSUPPORTED, "%s:%d: contact '%s' sticks and slips, which active-set steps do not; use event-driven steps, or "
                                                      "give it regularised = WIDTH", z->m->file, c->line, c->name);
        if (z->restitution[i] != 0)
            return fail(z->context, TAUT_UNSUPPORTED, "%s:%d: contact '%s' has a restitution, and active-set steps have none; use event-driven steps, "
                                                      "or set it to 0", z->m->file, c->line, c->name);
    }
    return TAUT_OK;
}

/* Opens the closed contact that pulls most, if one does. */
static int let_go(hybrid *z, const phase *ph, state *x)
{
    const real *psi = stepper_reported(ph->method.self);
    long worst = -1;
    for (size_t i = 0; i < z->count; i++) {
        if (ph->first[i] < 0 || !(psi[ph->first[i]] < 0)) continue;
        if (worst < 0 || psi[ph->first[i]] < psi[ph->first[worst]]) worst = (long)i;
    }
    if (worst >= 0) open_contact(x, (size_t)worst);
    return worst >= 0;
}

/* Contacts that are open, below zero and closing; -1 when there is none, else the first. */
static long below(hybrid *z, const state *x, unsigned char *which)
{
    long first = -1;
    watch_look(z->watch, x->q, x->w, x->t, z->h);
    for (size_t i = 0; i < z->count; i++) {
        const touch *t = watch_touch(z->watch, i);
        which[i] = contact_mode_of(x, i) == MODE_OPEN && t->gap < -t->round_off && t->rate < 0;
        if (which[i] && first < 0) first = (long)i;
    }
    return first;
}

/* Closes them: an impact, and x is put onto the surface. */
static int take_hold(hybrid *z, state *x)
{
    for (size_t turn = 0; turn <= z->count; turn++) {
        phase *ph;
        int hit;
        long first = below(z, x, z->leaving);
        if (first < 0) break;
        int status = contact_impact(z, x, first, &hit);
        if (status) return status;
        for (size_t i = 0; i < z->count; i++) {
            if (z->leaving[i]) close_contact(z, x, i);
            if (z->impulse[i] > 0) status = contact_tell(z, i, EVENT_IMPACT, z->impulse[i]);
            if (status) return status;
        }
        status = phases_get(&z->phases, x, &ph);
        if (!status) status = phase_load(ph, x);
        if (!status) status = start_project(ph->s, &ph->begin);
        if (status) return status;
        phase_store(ph, &ph->begin, x);
    }
    return TAUT_OK;
}

int active_set_step(hybrid *z, state *x, real h)
{
    phase *ph;
    contact_remember(z, x);
    memset(z->slip_floor, 0, z->count * sizeof(real));
    for (size_t turn = 0; turn < 10 + 3 * z->count; turn++) {
        int status = phases_get(&z->phases, x, &ph);
        if (!status) status = phase_load(ph, x);
        if (status) return status;
        state_copy(&ph->begin, &ph->end);
        status = method_step(&ph->method, &ph->end, h);
        if (status) return status;
        if (let_go(z, ph, x)) continue;
        phase_store(ph, &ph->end, x);
        status = take_hold(z, x);
        return status ? status : contact_tell_changes(z, x, NULL);
    }
    return fail(z->context, TAUT_NO_CONVERGENCE, "at t = %.9g: no set of closed contacts fits this step; try a smaller one", (double)x->t);
}
