/* A substep: in one mode set, to the first event.
 *
 * A contact that is let go where its multiplier is zero opens like s^3, and the error of a method of order 2 is as
 * large: the free substep may end below the surface. Then it is made along the surface instead, the contact held
 * closed, with a multiplier that is negative by O(h). At the end of the substep it is free again, with an acceleration
 * off the surface: no position is moved and no work is done. Held for a time O(h), one substep or some, by a force O(h)
 * velocities change by O(h^2) for each contact that is let go: the order stays 2. The error of a method of higher order
 * is smaller than s^3, it seldom comes to this. A method of order 1 would hold the contact for a time that does not
 * shrink with h: it is lifted (decide.c). */
#include <string.h>

#include "contact/hybrid_inside.h"
#include "solve/start.h"

#define SHORTER_SUBSTEPS 6 /* a free substep is tried down to 4^-6 of its length */

/* ---- directions of slip ---- */

/* Directions of slip on a surface of two dimensions follow the slip. */
static void turn_directions(hybrid *self, state *x)
{
    int any = 0;
    for (size_t i = 0; i < self->count; i++)
        any |= contact_mode_of(x, i) == MODE_SLIP && self->traits[i].slide_count == 2;
    if (!any) return;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        if (contact_mode_of(x, i) != MODE_SLIP || self->traits[i].slide_count != 2) continue;
        real size = REAL(sqrt)(t->slip[0] * t->slip[0] + t->slip[1] * t->slip[1]);
        if (size > REAL(fmax)(t->slip_round_off, contact_extra(x, i)[EXTRA_SLOTS + SLOT_NOISE]))
            X(kinematics_slip_slots)(self->kinematics, i, t->slip, contact_extra(x, i) + EXTRA_SLOTS);
    }
}

/* A body that sticks rolls: how far it has moved along the surface is measured from where it was not long ago. At rest
   that stays the same place, so that nothing creeps. */
static void move_anchors(hybrid *self, state *x)
{
    int evaluated = 0;
    for (size_t i = 0; i < self->count; i++) {
        const contact_traits *c = &self->traits[i];
        real *slots = contact_extra(x, i) + EXTRA_SLOTS, turned = 0;
        if (contact_mode_of(x, i) != MODE_STICK || c->slide_type != SLIDE_BODY) continue;
        for (uint32_t k = 0; k < c->turn.size; k++)
            turned = real_most(turned, x->q[c->turn.first + k] - slots[SLOT_TURN + k]);
        if (!(turned > REAL(sqrt)(REAL_EPSILON))) continue;
        if (!evaluated) X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
        evaluated = 1;
        X(kinematics_stick_slots)(self->kinematics, i, slots);
    }
}

/* All slips of two dimensions keep their directions. Returns whether one of them did not. */
static int keep_directions(hybrid *self, state *x)
{
    int some = 0;
    for (size_t i = 0; i < self->count; i++) {
        real *keep = contact_extra(x, i) + EXTRA_SLOTS + SLOT_KEEP;
        if (contact_mode_of(x, i) != MODE_SLIP || self->traits[i].slide_count != 2 || *keep != 0) continue;
        *keep = some = 1;
    }
    return some;
}

/* ---- holding ---- */

int X(contact_holds)(const hybrid *self)
{
    int some = 0;
    for (size_t i = 0; i < self->count; i++) some |= self->step.held[i];
    return some;
}

int X(contact_stops)(const hybrid *self)
{
    int some = 0;
    for (size_t i = 0; i < self->count; i++) some |= self->step.stopped[i];
    return some;
}

/* The mode set of x, x loaded. Contacts that stick in it for this substep alone may make constraints that depend on each
   other. */
static int load_mode_set(hybrid *self, state *x, mode_set **result)
{
    int softened = contacts_softened(x), stops = X(contact_stops)(self), level = softened, status;
    do {
        contacts_set_softened(x, level);
        status = X(mode_sets_get)(&self->sets, x, result);
        if (!status) status = X(mode_set_load)(*result, x);
        if (!status && stops) status = X(mode_set_forces)(*result, &(*result)->begin);
    } while (stops && status == TAUT_SINGULAR && ++level <= SOFTENED_LEVELS);
    contacts_set_softened(x, softened);
    return status;
}

/* The mode set of x with the held contacts closed, and with those that are stopped sticking where they are. What their
   velocities are off the surface, or along it, O(h^2), is taken away as by a plastic impact. */
static int held_mode_set(hybrid *self, state *x, mode_set **result)
{
    memcpy(self->step.extra, x->extra, x->extra_count * sizeof(real));
    if (X(contact_stops)(self)) X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    for (size_t i = 0; i < self->count; i++) {
        real *extra = contact_extra(x, i);
        if (self->step.held[i]) extra[EXTRA_MODE] = MODE_HELD;
        if (!self->step.stopped[i]) continue;
        extra[EXTRA_MODE] = MODE_STICK;
        extra[EXTRA_LAMBDA + 1] = extra[EXTRA_LAMBDA + 2] = 0;
        X(kinematics_stick_slots)(self->kinematics, i, extra + EXTRA_SLOTS);
    }
    int status = load_mode_set(self, x, result);
    memcpy(x->extra, self->step.extra, x->extra_count * sizeof(real));
    if (status || !(X(contact_holds)(self) || X(contact_stops)(self))) return status;
    return X(start_project)((*result)->s, &(*result)->begin);
}

/* Marks the contacts that the substep has left below their surfaces. Returns whether there are some. */
static int find_below(const hybrid *self, const mode_set *set, unsigned char *which)
{
    int some = 0;
    for (size_t i = 0; i < self->count; i++)
        if (X(contact_left_below)(self, set, i)) which[i] = some = 1;
    return some;
}

/* Marks the contacts that slip and that friction would drive in this substep, or that have just begun to slip and cannot.
   Returns whether there are some. */
static int find_driven(const hybrid *self, const mode_set *set, const located *event)
{
    int some = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (set->modes[i] != MODE_SLIP || !self->traits[i].slide_count) continue;
        int cannot = event->length == 0 && event->kind == CROSS_SLIP && event->contact == i && self->event.begins[i];
        if (!cannot && !(event->length > 0 && set->drive[set->first[i]] > set->drive_noise)) continue;
        self->step.stopped[i] = 1;
        some = 1;
    }
    return some;
}

/* The substep from x up to `left`, or to the first event, is the end of *result. Where it cannot be made with the
   contacts held (near a singular position, say) shorter free ones are tried; where it cannot be made with contacts
   stopped, they slip. */
static int find_substep(hybrid *self, state *x, real left, located *event, mode_set **result)
{
    int shorter = self->method.can_hold ? 0 : SHORTER_SUBSTEPS, may_stop = self->method.can_hold;
    real end = left;
    for (;;) {
        int status = held_mode_set(self, x, result);
        if (!status) status = X(contact_locate)(self, *result, end, event);
        if (status > 0 && status != TAUT_OUT_OF_MEMORY && X(contact_stops)(self)) {
            memset(self->step.stopped, 0, self->count);
            may_stop = 0;
            continue;
        }
        if (status > 0 && status != TAUT_OUT_OF_MEMORY && X(contact_holds)(self)) {
            memset(self->step.held, 0, self->count);
            shorter = status == TAUT_SINGULAR ? SHORTER_SUBSTEPS : 1; /* they follow from others that are closed */
            if (shorter == 1) end /= 4;
            continue;
        }
        if (status > 0 && status != TAUT_OUT_OF_MEMORY && keep_directions(self, x)) continue;
        if (status) return status;
        event->partial |= end < left;
        if (!event->keep && may_stop && find_driven(self, *result, event)) continue;
        if (event->keep) {
            contact_extra(x, event->contact)[EXTRA_SLOTS + SLOT_KEEP] = 1;
        } else if (shorter == SHORTER_SUBSTEPS ||
                   !find_below(self, *result, shorter ? self->event.takes_part : self->step.held)) {
            return TAUT_OK;
        } else if (shorter) {
            shorter++;
            end /= 4;
        }
    }
}

/* Contacts that were stopped slip from here on, against what would hold them. */
static void slip_again(hybrid *self, state *x, const mode_set *set)
{
    real slots[CONTACT_SLOTS], lambda[2], against[2];
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    for (size_t i = 0; i < self->count; i++) {
        if (!self->step.stopped[i]) continue;
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        if (set->softened) continue;
        X(mode_set_slots)(set, i, slots);
        for (int r = 0; r < 2; r++) lambda[r] = r + 1 < set->rows[i] ? set->lambda[set->first[i] + 1 + r] : 0;
        X(kinematics_from_stick)(self->kinematics, i, slots, lambda, against);
        self->event.slip_noise[i] = 2 * (REAL(fabs)(t->slip[0]) + REAL(fabs)(t->slip[1]));
        for (int r = 0; r < 2; r++) against[r] = -against[r];
        X(slip_contact)(self, x, i, against);
    }
}

int X(contact_substep)(hybrid *self, state *x, real left, located *event)
{
    mode_set *set;
    turn_directions(self, x);
    move_anchors(self, x);
    memset(self->step.held, 0, self->count);
    memset(self->step.stopped, 0, self->count);
    int status = find_substep(self, x, left, event, &set);
    if (status) return status;
    X(mode_set_store)(set, &set->end, x);
    if (X(contact_stops)(self)) slip_again(self, x, set);
    for (size_t i = 0; i < self->count; i++)
        if (self->step.held[i]) X(open_contact)(x, i);
    return TAUT_OK;
}
