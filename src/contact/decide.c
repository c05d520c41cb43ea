/* Which contacts are closed, and which of them stick. */
#include <string.h>

#include "contact/hybrid_inside.h"

/* ---- modes ---- */

void X(open_contact)(state *x, size_t i)
{
    memset(contact_extra(x, i), 0, EXTRA_SOFTENED * sizeof(real)); /* MODE_OPEN, no multipliers */
}

static void enter(hybrid *self, state *x, size_t i, contact_mode mode)
{
    real *extra = contact_extra(x, i);
    if (extra[EXTRA_MODE] == MODE_OPEN) extra[EXTRA_LAMBDA] = self->constants.guess[i];
    extra[EXTRA_LAMBDA + 1] = extra[EXTRA_LAMBDA + 2] = 0;
    extra[EXTRA_MODE] = mode;
}

int X(contact_slips)(const hybrid *self, size_t i)
{
    const contact_motion *t = X(kinematics_of)(self->kinematics, i);
    real size =
        REAL(sqrt)(t->slip[0] * t->slip[0] + (self->traits[i].slide_count == 2 ? t->slip[1] * t->slip[1] : 0));
    return self->traits[i].slide_count && size > REAL(fmax)(t->slip_round_off, self->event.slip_noise[i]);
}

void X(stick_contact)(hybrid *self, state *x, size_t i)
{
    enter(self, x, i, MODE_STICK);
    X(kinematics_stick_slots)(self->kinematics, i, contact_extra(x, i) + EXTRA_SLOTS);
}

/* Slips against the direction that it has in x, by more than a rounding. */
static int slips_against(const hybrid *self, const state *x, size_t i)
{
    real along = X(kinematics_slip_along)(self->kinematics, i, contact_extra(x, i) + EXTRA_SLOTS);
    return along < -X(kinematics_of)(self->kinematics, i)->slip_round_off;
}

void X(slip_contact)(hybrid *self, state *x, size_t i, const real *direction)
{
    const contact_motion *t = X(kinematics_of)(self->kinematics, i);
    enter(self, x, i, MODE_SLIP);
    self->event.begins[i] = 1;
    real *slots = contact_extra(x, i) + EXTRA_SLOTS;
    X(kinematics_slip_slots)(self->kinematics, i, direction, slots);
    if (self->traits[i].slide_count < 2 || X(contact_slips)(self, i)) return;
    if (slips_against(self, x, i)) { /* it goes the other way before */
        X(kinematics_slip_slots)(self->kinematics, i, t->slip, slots);
        return;
    }
    /* it begins to slip: what slip there is is noise, and has no direction */
    slots[SLOT_KEEP] = 1;
    slots[SLOT_NOISE] = REAL(fmax)(t->slip_round_off, self->event.slip_noise[i]);
}

void X(close_contact)(hybrid *self, state *x, size_t i)
{
    contact_mode mode = self->traits[i].closed[X(contact_slips)(self, i)];
    if (mode == MODE_CLOSED) enter(self, x, i, mode);
    if (mode == MODE_STICK) X(stick_contact)(self, x, i);
    if (mode == MODE_SLIP) X(slip_contact)(self, x, i, X(kinematics_of)(self->kinematics, i)->slip);
}

void X(contact_remember_modes)(hybrid *self, const state *x)
{
    for (size_t i = 0; i < self->count; i++) self->event.modes_before[i] = (unsigned char)contact_mode_of(x, i);
}

int X(contact_report)(hybrid *self, size_t contact, event_kind kind, real impulse)
{
    return self->options.event ? self->options.event(self->options.user, contact, kind, impulse) : TAUT_OK;
}

int X(contact_report_changes)(hybrid *self, const state *x, int *changed)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < self->count; i++) {
        contact_mode was = self->event.modes_before[i], is = contact_mode_of(x, i);
        if (was == is) continue;
        if (changed) *changed = 1;
        status = X(contact_report)(self, i,
                                is == MODE_OPEN    ? EVENT_RELEASE
                                : was == MODE_OPEN ? EVENT_REST
                                : is == MODE_STICK ? EVENT_STICK
                                                   : EVENT_SLIP,
                                0);
    }
    return status;
}

/* ---- correcting the modes ---- */

typedef struct {
    long contact;         /* -1: nothing is wrong */
    enum { WRONG_PULLS, WRONG_STICKS, WRONG_OPEN } what;
    real severity;
    real direction[2];    /* in which a contact that cannot stick begins to slip */
} flaw;

static void consider(flaw *worst, size_t i, int what, real severity)
{
    if (worst->contact >= 0 && severity <= worst->severity) return;
    worst->contact = (long)i;
    worst->what = what;
    worst->severity = severity;
}

/* An acceleration of a gap, or slip, that is none. */
static real no_acceleration(const hybrid *self, const mode_set *set, size_t i, real size)
{
    real slow = real_largest(set->dv, self->n), rest = slow > 0 ? REAL(fmax)(self->event.free / slow, 1) : 1;
    return X(contact_no_acceleration)(self, i, size * rest);
}

/* The forces of the mode set are known; of one that is softened single forces say nothing. */
static flaw find_flaw(hybrid *self, const mode_set *set)
{
    flaw worst = { .contact = -1 };
    real scale = real_largest(set->lambda, set->s->c), none = SOME_ULPS * self->step.relax * scale;
    for (size_t i = 0; i < self->count; i++) {
        if (set->first[i] < 0) {
            real size, a = X(kinematics_acceleration)(self->kinematics, i, 0, &size);
            real little = no_acceleration(self, set, i, size);
            if (!self->event.leaving[i] && X(contact_touches)(self, i) && a < -little)
                consider(&worst, i, WRONG_OPEN, -a / size);
            continue;
        }
        if (set->softened) continue;
        const real *lambda = set->lambda + set->first[i];
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        if (lambda[0] < -none) consider(&worst, i, WRONG_PULLS, -lambda[0] / scale);
        if (set->modes[i] != MODE_STICK) continue;
        real x = lambda[1], y = set->rows[i] > 2 ? lambda[2] : 0, size = REAL(sqrt)(x * x + y * y);
        real most = t->mu * t->normal * REAL(fmax)(lambda[0], 0);
        if (!(size - most > none)) continue;
        consider(&worst, i, WRONG_STICKS, (size - most) / scale);
        if (worst.contact == (long)i) worst.direction[0] = -x, worst.direction[1] = -y;
    }
    return worst;
}

static void repair(hybrid *self, state *x, const flaw *f)
{
    size_t i = (size_t)f->contact;
    if (f->what == WRONG_PULLS) X(open_contact)(x, i);
    else if (f->what == WRONG_OPEN) X(close_contact)(self, x, i);
    else {
        /* the multipliers of sticking are along the tangents of the anchor: those that the kinematics give here, where
         * it is stuck */
        real direction[2];
        X(kinematics_from_stick)(self->kinematics, i, contact_extra(x, i) + EXTRA_SLOTS, f->direction, direction);
        X(slip_contact)(self, x, i, direction);
    }
}

/* Contacts that begin to slip do so from rest: what slip there is is noise, or comes from velocities of others that
   were taken away. It is taken away as if they stuck. */
static int begin_at_rest(hybrid *self, state *x)
{
    mode_set *set;
    int some = 0, status = TAUT_SINGULAR, softened = contacts_softened(x);
    memcpy(self->step.extra, x->extra, x->extra_count * sizeof(real));
    for (size_t i = 0; i < self->count; i++) {
        if (contact_mode_of(x, i) != MODE_SLIP || !self->event.begins[i] || X(contact_slips)(self, i)) continue;
        X(stick_contact)(self, x, i);
        some = 1;
    }
    for (int level = softened; some && status == TAUT_SINGULAR && level <= SOFTENED_LEVELS; level++) {
        contacts_set_softened(x, level);
        status = X(mode_sets_get)(&self->sets, x, &set);
        if (!status) status = X(mode_set_load)(set, x);
        if (!status) status = X(projector_apply)(set->projector, &set->begin);
    }
    memcpy(x->extra, self->step.extra, x->extra_count * sizeof(real));
    if (!some || status == TAUT_SINGULAR || status == TAUT_NO_CONVERGENCE) return TAUT_OK; /* left as it is */
    if (status) return status;
    memcpy(x->w, set->begin.w, self->n * sizeof(real));
    memcpy(x->p, set->begin.p, self->n * sizeof(real));
    memset(x->p_low, 0, self->n * sizeof(real));
    return TAUT_OK;
}

/* Onto the constraints that the mode set has beyond those before, or that an impact has left: by round-off. */
static int project(hybrid *self, mode_set *set, state *x)
{
    int more = 0, moves = 0;
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        moves |= contact_mode_of(x, i) == MODE_SLIP && self->event.begins[i] && slips_against(self, x, i);
        more |= (self->event.modes_before[i] == MODE_OPEN && set->modes[i] != MODE_OPEN) ||
                (self->event.modes_before[i] != MODE_STICK && set->modes[i] == MODE_STICK) ||
                (set->modes[i] != MODE_OPEN && REAL(fabs)(t->rate) > t->rate_round_off);
    }
    memcpy(set->begin.lambda, set->lambda, set->s->c * sizeof(real));
    int status = more ? X(projector_apply)(set->projector, &set->begin) : TAUT_OK;
    if (!status) X(mode_set_store)(set, &set->begin, x);
    return status || !(more || moves) ? status : begin_at_rest(self, x);
}

/* Velocities that were taken away as settled, of gaps and of contacts that stick from now on, may have made others slip
   against the direction in which they were to begin: they slip as they do until that ends. Returns how many. */
static int turn_slips(hybrid *self, state *x)
{
    int turned = 0;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    for (size_t i = 0; i < self->count; i++) {
        if (contact_mode_of(x, i) != MODE_SLIP || !X(contact_slips)(self, i) || !slips_against(self, x, i)) continue;
        X(slip_contact)(self, x, i, X(kinematics_of)(self->kinematics, i)->slip);
        turned++;
    }
    return turned;
}

/* The forces of the modes of x; of constraints that depend on each other too, where they agree. */
static int find_forces(hybrid *self, state *x, mode_set **set)
{
    int status = TAUT_SINGULAR, dependent = 0;
    for (int softened = 0; softened <= SOFTENED_LEVELS; softened++) {
        if (status != TAUT_SINGULAR && !(softened > 1 && status == TAUT_NO_CONVERGENCE)) break;
        contacts_set_softened(x, softened);
        status = X(mode_sets_get)(&self->sets, x, set);
        if (!status) status = X(mode_set_load)(*set, x);
        if (!status && !softened) status = X(mode_set_dependent)(*set, &(*set)->begin, &dependent);
        if (!status) status = dependent && !softened ? TAUT_SINGULAR : X(mode_set_forces)(*set, &(*set)->begin);
    }
    return status;
}

/* Contacts of bodies that others carry may touch without a force. They are closed: open, they would be hit by round-off
   again and again. Returns how many there are. */
static int close_idle(hybrid *self, const mode_set *set, state *x)
{
    int found = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (set->first[i] >= 0 || self->event.leaving[i] || !X(contact_touches)(self, i)) continue;
        int idle = 1, rows = X(contact_slips)(self, i) ? 0 : (int)self->traits[i].slide_count;
        for (int r = 0; idle && r <= rows; r++) {
            real size, a = X(kinematics_acceleration)(self->kinematics, i, r, &size);
            idle = REAL(fabs)(a) <= no_acceleration(self, set, i, size);
        }
        if (!idle) continue;
        X(close_contact)(self, x, i);
        found++;
    }
    return found;
}

/* What is wrong with the modes of x, and whether forces that are shared out are possible. agree: 0 where
   constraints depend on each other and do not. */
typedef struct {
    flaw flaw;
    int together, agree, possible;
} verdict;

static int judge(hybrid *self, state *x, mode_set **set, verdict *v)
{
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    int status = find_forces(self, x, set);
    *v = (verdict){ .flaw.contact = 0, .together = contacts_softened(x), .possible = 1 };
    v->agree = !(v->together && (status == TAUT_SINGULAR || status == TAUT_NO_CONVERGENCE));
    if (!v->agree) return TAUT_OK;
    if (status) return status;
    X(kinematics_accelerate)(self->kinematics, (*set)->dv);
    self->event.pace = real_most(self->event.pace, X(kinematics_fastest)(self->kinematics));
    v->flaw = find_flaw(self, *set);
    if (!v->together || v->flaw.contact >= 0) return TAUT_OK;
    return X(contact_share)(self, *set, &(*set)->begin, &v->possible);
}

static int is_right(const verdict *v) { return v->flaw.contact < 0 && v->possible; }

/* The largest rate of the closed contacts, and slip of those that stick; *noise: what round-off there is in them. */
static real largest_left(const hybrid *self, const state *x, real *noise)
{
    real most = 0;
    *noise = 0;
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        if (contact_mode_of(x, i) == MODE_OPEN) continue;
        most = real_most(most, t->rate);
        *noise = real_most(*noise, t->rate_round_off);
        for (uint32_t r = 0; contact_mode_of(x, i) == MODE_STICK && r < self->traits[i].slide_count; r++) {
            most = real_most(most, t->slip[r]);
            *noise = real_most(*noise, t->slip_round_off);
        }
    }
    return most;
}

int X(contact_try_modes)(hybrid *self, state *x, int *fits)
{
    mode_set *set;
    verdict v;
    int status = judge(self, x, &set, &v);
    *fits = 0;
    if (status == TAUT_SINGULAR || status == TAUT_NO_CONVERGENCE) return TAUT_OK;
    if (status || !is_right(&v)) return status;
    if (v.together && close_idle(self, set, x)) {
        status = judge(self, x, &set, &v);
        if (status || !is_right(&v)) return status;
    }
    /* velocities of constraints that depend on each other need not agree */
    real noise, ignored, before = largest_left(self, x, &noise);
    status = project(self, set, x);
    if (status == TAUT_SINGULAR || status == TAUT_NO_CONVERGENCE) return TAUT_OK;
    if (status || turn_slips(self, x)) return status;
    *fits = largest_left(self, x, &ignored) <= REAL(fmax)(16 * noise, (real)1e-6 * before);
    return TAUT_OK;
}

#define TURNS 8 /* of asking for modes before forces are judged less strictly */

int X(contact_correct_modes)(hybrid *self, state *x)
{
    mode_set *set;
    verdict v;
    int idle = 0, asked = 0;
    real strict = self->step.relax;
    for (size_t turn = 0; turn < 20 + 6 * self->count; turn++) {
        int status = judge(self, x, &set, &v);
        if (status) return status;
        if (is_right(&v) && v.together && !idle && (idle = close_idle(self, set, x))) continue;
        if (is_right(&v)) {
            status = project(self, set, x);
            if (!status && turn_slips(self, x)) continue;
            self->step.relax = strict;
            return status;
        }
        if (v.together) status = X(contact_ask)(self, x);
        else repair(self, x, &v.flaw);
        /* what is asked for again and again fits but for round-off */
        if (v.together && ++asked > TURNS) self->step.relax = REAL(fmin)(8 * self->step.relax, RELAX_MOST);
        if (status == TAUT_NO_CONVERGENCE) break;
        if (status) return status;
    }
    self->step.relax = strict;
    return taut_fail(
        self->context, TAUT_NO_CONVERGENCE,
        "at t = %.9g: no set of closed contacts fits the forces (with much friction there may be none); try less "
        "friction, or regularised friction",
        (double)x->t);
}

/* More contacts than can be independent, all of them closed: where their forces can be shared out, nothing gives way.
   It is found with much less work than by the complementarity problem. *done: 0 where it must be asked. */
static int close_all(hybrid *self, state *x, int *done)
{
    mode_set *set;
    size_t rows = self->c;
    int some, right;
    *done = 0;
    int status = X(contact_find_touching)(self, x, &some);
    if (status || some < 2) return status;
    for (size_t i = 0; i < self->count; i++)
        if (self->event.takes_part[i]) rows += 1 + (X(contact_slips)(self, i) ? 0 : self->traits[i].slide_count);
    if (rows <= self->n) return TAUT_OK;
    for (size_t i = 0; i < self->count; i++)
        if (self->event.takes_part[i]) X(close_contact)(self, x, i);
    status = find_forces(self, x, &set);
    if (status == TAUT_SINGULAR || status == TAUT_NO_CONVERGENCE) return TAUT_OK;
    if (status || !contacts_softened(x)) return status;
    X(kinematics_accelerate)(self->kinematics, set->dv);
    if (find_flaw(self, set).contact >= 0) return TAUT_OK;
    status = X(contact_share)(self, set, &set->begin, &right);
    if (status || !right) return status;
    *done = 1;
    return project(self, set, x);
}

int X(contact_settle)(hybrid *self, state *x)
{
    int done, status = close_all(self, x, &done);
    if (status || done) return status;
    status = X(contact_ask)(self, x);
    if (status == TAUT_NO_CONVERGENCE) { /* begin with all of them, and correct */
        contact_problem *problem = &self->problem;
        for (int i = 0; i < problem->count; i++) X(close_contact)(self, x, problem->contacts[i]);
        status = TAUT_OK;
    }
    return status ? status : X(contact_correct_modes)(self, x);
}

/* Positions are moved in the metric of the mass matrix as if the contacts were closed; then velocities, by as little,
   onto the constraints of the mode set. */
int X(contact_lift)(hybrid *self, state *x)
{
    mode_set *set;
    int some = 0;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    X(contact_remember_modes)(self, x);
    memcpy(self->step.extra, x->extra, x->extra_count * sizeof(real));
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        if (self->event.modes_before[i] != MODE_OPEN || !(t->gap < -t->round_off)) continue;
        enter(self, x, i, MODE_HELD); /* with the guess: rates may have no derivative where multipliers are zero */
        some = 1;
    }
    if (!some) return TAUT_OK;
    int status = X(mode_sets_get)(&self->sets, x, &set);
    if (!status) status = X(mode_set_load)(set, x);
    if (!status) status = X(projector_apply)(set->projector, &set->begin);
    if (!status) memcpy(x->q, set->begin.q, self->n * sizeof(real));
    if (!status) memset(x->q_low, 0, self->n * sizeof(real));
    memcpy(x->extra, self->step.extra, x->extra_count * sizeof(real));
    if (status == TAUT_SINGULAR) return TAUT_OK; /* more surfaces than can be distinguished: they stay as they are */
    if (!status) status = X(mode_sets_get)(&self->sets, x, &set);
    if (!status) status = X(mode_set_load)(set, x);
    if (!status) status = X(projector_apply)(set->projector, &set->begin);
    if (!status) X(mode_set_store)(set, &set->begin, x);
    return status;
}
