/* A substep: in one mode set, to the first event.
 *
 * A contact that is let go where its multiplier is zero opens like s^3, and the error of a method of order 2 is as
 * large: the free substep may end below the surface. Then it is made along the surface instead, the contact held
 * closed, with a multiplier that is negative by O(h). At the end of the substep it is free again, with an acceleration
 * off the surface: no position is moved and no work is done. Held for a time O(h), one substep or some, by a force O(h)
 * velocities change by O(h^2) for each contact that is let go: the order stays 2. The error of a method of higher order
 * is smaller than s^3, it seldom comes to this. A method of order 1 would hold the contact for a time that does not
 * shrink with h: it is lifted (decide.c).
 *
 * A contact begins to slip like s^2 as well. Friction that does not oppose the displacement of the substep
 * (mode_set_drive) would drive it: then the substep is made with the contact sticking, which moves it by no more than
 * the error of the method would. So friction takes energy in every substep of em, in which its work is force times
 * displacement: as long as the multiplier pushes. That of em may pull where velocities were off the surface before. */
#include <string.h>

#include "contact/hybrid_inside.h"

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

/* The mode set of x, x loaded. Contacts that stick in it for this substep alone may make constraints that depend on
   each other. */
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
        if (self->step.stopped[i] == STOP_SMOOTH) extra[EXTRA_MODE] = MODE_HELD;
        if (self->step.stopped[i] != STOP_STICK) continue;
        extra[EXTRA_MODE] = MODE_STICK;
        extra[EXTRA_LAMBDA + 1] = extra[EXTRA_LAMBDA + 2] = 0;
        X(kinematics_stick_slots)(self->kinematics, i, extra + EXTRA_SLOTS);
    }
    int status = load_mode_set(self, x, result);
    memcpy(x->extra, self->step.extra, x->extra_count * sizeof(real));
    if (status || !(self->step.onto || X(contact_holds)(self) || X(contact_stops)(self))) return status;
    return X(projector_apply)((*result)->projector, &(*result)->begin);
}

/* Marks the contacts that the substep has left below their surfaces. Returns whether there are some. */
static int find_below(const hybrid *self, const mode_set *set, unsigned char *which)
{
    int some = 0;
    for (size_t i = 0; i < self->count; i++)
        if (X(contact_left_below)(self, set, i)) which[i] = some = 1;
    return some;
}

/* Whether friction would drive contact i in this substep: against its direction; or because its multiplier pulls,
   though those at both ends push. A contact that has just begun to slip and cannot counts as driven. */
static enum contact_stop find_drive(const hybrid *self, const mode_set *set, const located *event, size_t i)
{
    int slips = set->modes[i] == MODE_SLIP, ends = event->kind == CROSS_SLIP && event->contact == i;
    if (event->length == 0) return slips && ends && self->event.begins[i] ? STOP_STICK : STOP_NOT;
    if (!slips && !(set->modes[i] == MODE_CLOSED && self->traits[i].has_friction)) return STOP_NOT;
    if (self->traits[i].moves) return STOP_NOT; /* a belt does drive what lies on it */
    real drive = set->drive[set->first[i]], lambda = self->method.midpoint ? set->end.lambda[set->first[i]] : 0;
    if (slips && drive > set->drive_noise) return STOP_STICK;
    return lambda < 0 && drive < -set->drive_noise ? STOP_SMOOTH : STOP_NOT;
}

/* Marks the contacts that friction would drive. Returns whether there are some. Where multipliers pull, velocities that
   are off the constraints are the first to be put right. */
static int find_driven(hybrid *self, const mode_set *set, const located *event)
{
    int some = 0, onto = self->step.onto;
    for (size_t i = 0; i < self->count; i++) {
        enum contact_stop stop = find_drive(self, set, event, i);
        if (stop == STOP_NOT) continue;
        some = 1;
        if (stop == STOP_SMOOTH && !onto) self->step.onto = 1;
        else self->step.stopped[i] = stop;
    }
    return some;
}

/* At the end of the substep, where the kinematics are: the direction in which what holds a contact that was stopped
   prevents it from slipping. Returns whether friction is not enough for that. */
static int find_direction(const hybrid *self, const mode_set *set, size_t i, real *direction)
{
    const contact_motion *t = X(kinematics_of)(self->kinematics, i);
    real slots[CONTACT_SLOTS], force[2] = { 0, 0 };
    const real *lambda = set->lambda + set->first[i];
    X(mode_set_slots)(set, i, slots);
    for (int r = 1; r < set->rows[i]; r++) force[r - 1] = -lambda[r];
    X(kinematics_from_stick)(self->kinematics, i, slots, force, direction);
    return REAL(sqrt)(force[0] * force[0] + force[1] * force[1]) > t->mu * t->normal * lambda[0];
}

/* A contact may have been stopped because its direction was noise, no force being there when it began to slip. If what
   holds it points elsewhere at the end, it is to slip that way instead. Returns whether there is one. */
static int turn_stopped(hybrid *self, state *x, const mode_set *set)
{
    int some = 0;
    for (size_t i = 0; !set->softened && i < self->count; i++) {
        real direction[2], turned[CONTACT_SLOTS], *slots = contact_extra(x, i) + EXTRA_SLOTS, cosine = 0;
        if (self->step.stopped[i] != STOP_STICK || !find_direction(self, set, i, direction)) continue;
        X(kinematics_slip_slots)(self->kinematics, i, direction, turned);
        for (int k = 0; k < 3; k++) cosine += turned[SLOT_DIRECTION + k] * slots[SLOT_DIRECTION + k];
        if (cosine > (real)0.99) continue;
        memcpy(slots + SLOT_DIRECTION, turned + SLOT_DIRECTION, 3 * sizeof(real));
        slots[SLOT_KEEP] = 1;
        self->step.stopped[i] = STOP_NOT;
        some = 1;
    }
    return some;
}

/* Contacts that were stopped slip from here on, against what would hold them. */
static void slip_again(hybrid *self, state *x, const mode_set *set)
{
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    for (size_t i = 0; !set->softened && i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        real direction[2];
        if (self->step.stopped[i] != STOP_STICK) continue;
        find_direction(self, set, i, direction);
        self->event.slip_noise[i] = 2 * (REAL(fabs)(t->slip[0]) + REAL(fabs)(t->slip[1]));
        X(slip_contact)(self, x, i, direction);
    }
}

/* The substep from x up to `left`, or to the first event, is the end of *result. Where it cannot be made with the
   contacts held (near a singular position, say) shorter free ones are tried; where it cannot be made with contacts
   stopped, they slip. */
static int find_substep(hybrid *self, state *x, real left, located *event, mode_set **result)
{
    int shorter = self->method.can_hold ? 0 : SHORTER_SUBSTEPS, may_stop = self->method.can_hold,
        may_turn = 1;
    real end = left;
    for (;;) {
        int status = held_mode_set(self, x, result);
        if (!status) status = X(contact_locate)(self, *result, end, event);
        if (status > 0 && status != TAUT_OUT_OF_MEMORY && (self->step.onto || X(contact_stops)(self))) {
            memset(self->step.stopped, STOP_NOT, self->count);
            self->step.onto = may_stop = 0;
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
        if (may_turn && X(contact_stops)(self)) {
            may_turn = 0;
            if (turn_stopped(self, x, *result)) continue;
        }
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

int X(contact_substep)(hybrid *self, state *x, real left, located *event)
{
    mode_set *set;
    turn_directions(self, x);
    move_anchors(self, x);
    memset(self->step.held, 0, self->count);
    memset(self->step.stopped, STOP_NOT, self->count);
    self->step.onto = 0;
    int status = find_substep(self, x, left, event, &set);
    if (status) return status;
    X(mode_set_store)(set, &set->end, x);
    if (X(contact_stops)(self)) slip_again(self, x, set);
    for (size_t i = 0; i < self->count; i++)
        if (self->step.held[i]) X(open_contact)(x, i);
    return TAUT_OK;
}
