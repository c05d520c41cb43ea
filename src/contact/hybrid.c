#include "contact/hybrid.h"

#include <string.h>

#include "base/room.h"
#include "contact/active_set.h"
#include "contact/hybrid_inside.h"

void X(hybrid_destroy)(hybrid *self)
{
    if (!self) return;
    taut_context *context = self->context;
    if (self->open) X(state_clear)(self->open->s, &self->step.saved);
    if (self->open) X(state_clear)(self->open->s, &self->event.saved);
    X(response_clear)(context, &self->response);
    X(kinematics_destroy)(self->kinematics);
    X(mode_sets_clear)(&self->sets);
    taut_mem_free(context, self->problem.J);
    taut_mem_free(context, self->problem.W);
    room_free(context, &self->room);
    taut_mem_free(context, self->traits);
    taut_mem_free(context, self);
}

static void lay_out_event(contact_event *event, size_t count, room_layout *l)
{
    event->modes_before = room_take(l, count, 1);
    event->leaving = room_take(l, count, 1);
    event->takes_part = room_take(l, count, 1);
    event->begins = room_take(l, count, 1);
    event->impulse = room_reals(l, count);
    event->rate_noise = room_reals(l, count), event->slip_noise = room_reals(l, count);
}

static void lay_out_problem(contact_problem *problem, size_t count, room_layout *l)
{
    problem->contacts = room_take(l, count, sizeof *problem->contacts);
    problem->cones = room_take(l, count, sizeof *problem->cones);
    problem->b = room_reals(l, 3 * count), problem->P = room_reals(l, 3 * count);
}

static void lay_out_crossing(contact_crossing *crossing, size_t count, room_layout *l)
{
    crossing->value = room_reals(l, 2 * count);
    crossing->start = room_reals(l, 2 * count);
    crossing->tolerance = room_reals(l, 2 * count);
    crossing->rate = room_reals(l, count), crossing->rate_start = room_reals(l, count);
    crossing->ignore = room_take(l, 2 * count, 1);
    crossing->simultaneous = room_take(l, 2 * count, 1);
}

static void lay_out_response(response_work *work, size_t n, size_t c, room_layout *l)
{
    work->a = room_reals(l, n), work->b = room_reals(l, n);
    work->v = room_reals(l, n), work->w = room_reals(l, n), work->kick = room_reals(l, n);
    work->multiplier = room_reals(l, c), work->right = room_reals(l, c);
}

static void lay_out(void *object, room_layout *l)
{
    hybrid *self = object;
    size_t count = self->count;
    self->constants.restitution = room_reals(l, count);
    self->constants.width = room_reals(l, count);
    self->constants.guess = room_reals(l, count);
    self->step.extra = room_reals(l, EXTRA_SIZE * count);
    self->step.held = room_take(l, count, 1), self->step.stopped = room_take(l, count, 1);
    lay_out_event(&self->event, count, l);
    lay_out_problem(&self->problem, count, l);
    lay_out_crossing(&self->crossing, count, l);
    lay_out_response(&self->response, self->n, self->c, l);
}

static int read_constants(hybrid *self, const model *m, struct system *s)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < self->count; i++) {
        const contact *c = &m->contacts[i];
        self->constants.guess[i] = s->start.other_lambda;
        status = X(system_constant)(s, c->restitution, &self->constants.restitution[i]);
        if (!status && c->width) status = X(system_constant)(s, c->width, &self->constants.width[i]);
        if (!status && c->guess) status = X(system_constant)(s, c->guess, &self->constants.guess[i]);
    }
    return status;
}

/* A method that cannot run a mode set with friction is refused at once, not at the first contact. */
static int try_friction(hybrid *self, state *x)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!self->traits[i].has_friction) continue;
        mode_set *set;
        contact_extra(x, i)[EXTRA_MODE] = self->traits[i].closed[1];
        int status = X(mode_sets_get)(&self->sets, x, &set);
        contact_extra(x, i)[EXTRA_MODE] = MODE_OPEN;
        return status;
    }
    return TAUT_OK;
}

int X(hybrid_create)(const model *m, const struct method_class *class, const method_spec *spec, real tolerance,
                  const hybrid_options *options, hybrid **result)
{
    *result = NULL;
    hybrid *self = taut_mem_new(m->context, 1, sizeof *self);
    if (!self) return TAUT_OUT_OF_MEMORY;
    self->context = m->context;
    self->sequential = m->impact_law == IMPACT_SEQUENTIAL;
    self->count = m->contact_count;
    self->options = *options;
    method_info declared = X(method_class_declared)(class, spec);
    self->method.can_hold = declared.order >= 2;
    self->method.midpoint = declared.midpoint_multipliers;
    self->method.velocities_off = (declared.keeps & KEEPS_POSITION) && !(declared.keeps & KEEPS_VELOCITY);
    self->traits = X(contact_traits_create)(m);
    int status = self->traits ? X(mode_sets_create)(m, class, spec, tolerance, &self->sets) : TAUT_OUT_OF_MEMORY;
    self->sets.native = options->native;
    self->sets.pool = options->pool;
    self->sets.softened = options->softened;
    if (!status) status = X(mode_sets_open)(&self->sets, &self->open);
    if (!status) status = X(kinematics_create)(m, self->traits, &self->kinematics);
    if (!status) {
        self->n = self->open->s->n;
        self->c = self->open->s->c;
        struct system with = *self->open->s; /* for the sizes alone */
        with.extra_count = (uint32_t)(EXTRA_SIZE * self->count);
        status = X(state_create)(&with, &self->step.saved);
        if (!status) status = X(state_create)(&with, &self->event.saved);
    }
    if (!status) status = room_create(m->context, lay_out, self, &self->room);
    if (status)
        X(hybrid_destroy)(self);
    else
        *result = self;
    return status;
}

newton_counts X(hybrid_counts)(const hybrid *self) { return X(mode_sets_counts)(&self->sets); }
void X(hybrid_inputs)(hybrid *self) { X(mode_sets_inputs)(&self->sets); }

/* ---- events ---- */

/* Impacts first, then which contacts stay closed; reports both. */
static int touch_down(hybrid *self, state *x, long trigger, int *changed)
{
    int hit;
    real most = 0;
    int status = X(contact_impact)(self, x, trigger, &hit);
    if (!status) status = X(contact_settle)(self, x);
    for (size_t i = 0; hit && i < self->count; i++) most = REAL(fmax)(most, self->event.impulse[i]);
    for (size_t i = 0; !status && hit && i < self->count; i++)
        if (self->event.impulse[i] > 1000 * REAL_EPSILON * most)
            status = X(contact_report)(self, i, EVENT_IMPACT, self->event.impulse[i]);
    /* one that closes by a rounding, and does not stay closed, has changed nothing */
    *changed = 0;
    for (size_t i = 0; hit && i < self->count; i++)
        *changed |= self->event.impulse[i] > 0 && self->crossing.rate[i] < -self->event.rate_noise[i];
    return status ? status : X(contact_report_changes)(self, x, changed);
}

/* What is left of a slip that has come to its end: round-off of what it was, and of the time at which it ended. If
   `settled`, what friction stops on a way of some ulps of the positions, too. */
static int find_slip_noise(hybrid *self, const state *x, int settled)
{
    mode_set *set;
    int status = X(mode_sets_get)(&self->sets, x, &set);
    if (!status) status = X(mode_set_load)(set, x);
    if (!status) status = X(mode_set_forces)(set, &set->begin);
    if (status) return status;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    X(kinematics_accelerate)(self->kinematics, set->dv);
    for (size_t k = 0; k < self->count; k++) {
        real size = 0, *noise = &self->event.slip_noise[k];
        if (contact_mode_of(x, k) != MODE_SLIP) continue;
        X(kinematics_acceleration)(self->kinematics, k, 1, &size);
        *noise = REAL(fmax)(self->crossing.tolerance[2 * k + 1], 16 * size * self->step.shortest);
        if (settled)
            *noise = REAL(fmax)(*noise, X(contact_settling_speed)(X(kinematics_of)(self->kinematics, k), -size));
    }
    return TAUT_OK;
}

/* Those whose slip is noise stick, as does contact i. */
static int stick_together(hybrid *self, state *x, size_t i, int settled)
{
    int status = find_slip_noise(self, x, settled);
    for (size_t k = 0; !status && k < self->count; k++)
        if (contact_mode_of(x, k) == MODE_SLIP && (k == i || !X(contact_slips)(self, k))) X(stick_contact)(self, x, k);
    return status;
}

/* Slip has come to its end: it sticks, or goes on the other way. Others whose slip is about to end have come to rest
   with it, if that fits as it is. */
static int slip_ends(hybrid *self, state *x, size_t i)
{
    int changed = 0, fits = 0;
    X(state_copy)(x, &self->event.saved);
    int status = stick_together(self, x, i, 1);
    if (!status) status = X(contact_try_modes)(self, x, &fits);
    if (!status && !fits) {
        X(state_copy)(&self->event.saved, x);
        status = stick_together(self, x, i, 0);
        if (!status) status = X(contact_correct_modes)(self, x);
    }
    if (!status) status = X(contact_report_changes)(self, x, &changed);
    if (!status && contact_mode_of(x, i) == MODE_SLIP) status = X(contact_report)(self, i, EVENT_SLIP, 0);
    return status;
}

/* Sticking has come to its limit. */
static int stick_ends(hybrid *self, state *x, size_t i)
{
    real force[2];
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    X(kinematics_from_stick)(self->kinematics, i, contact_extra(x, i) + EXTRA_SLOTS,
                             contact_extra(x, i) + EXTRA_LAMBDA + 1, force);
    X(slip_contact)(self, x, i, (real[]){ -force[0], -force[1] });
    int status = X(contact_correct_modes)(self, x);
    return status ? status : X(contact_report_changes)(self, x, NULL);
}

/* Contacts that stick do not slip: whatever slip there is is noise. */
static void find_stick_noise(hybrid *self, const state *x)
{
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    for (size_t k = 0; k < self->count; k++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, k);
        self->event.slip_noise[k] = 0;
        for (uint32_t r = 0; contact_mode_of(x, k) == MODE_STICK && r < self->traits[k].slide_count; r++)
            self->event.slip_noise[k] += 2 * REAL(fabs)(t->slip[r]);
    }
}

static int handle_event(hybrid *self, state *x, const located *event, int *changed)
{
    size_t i = event->contact;
    int status;
    *changed = 1;
    memset(self->event.rate_noise, 0, self->count * sizeof(real));
    find_stick_noise(self, x);
    self->event.free = self->event.pace = 0;
    memset(self->event.leaving, 0, self->count);
    X(contact_remember_modes)(self, x);
    switch (event->kind) {
    case CROSS_GAP: return touch_down(self, x, (long)i, changed);
    case CROSS_PULL:
        X(open_contact)(x, i);
        self->event.leaving[i] = 1;
        status = X(contact_correct_modes)(self, x);
        return status ? status : X(contact_report_changes)(self, x, NULL);
    case CROSS_SLIP: return slip_ends(self, x, i);
    case CROSS_LOAD:
        *changed = 0;
        status = X(contact_correct_modes)(self, x);
        return status ? status : X(contact_report_changes)(self, x, changed);
    default: return stick_ends(self, x, i);
    }
}

/* ---- steps ---- */

#define PATIENCE 12               /* events at one time before forces are judged less strictly */

static int advance(hybrid *self, state *x, real h)
{
    real left = h;
    long still = 0, most = 200 + 20 * (long)self->count, events = 0, substeps = 0;
    memset(self->crossing.ignore, 0, 2 * self->count);
    memset(self->event.begins, 0, self->count);
    self->step.relax = 1;
    while (left > 0) {
        located event;
        int status = taut_stopped(self->context);
        if (!status) status = X(contact_substep)(self, x, left, &event);
        if (!status && event.kind != CROSS_GAP) status = X(contact_lift)(self, x);
        if (status) return status;
        left = event.kind == CROSS_NONE && !event.partial ? 0 : left - event.length;
        if (left < self->step.shortest) left = 0;
        still = event.length > 0 ? 0 : still + 1;
        if (event.length > 0) memset(self->event.begins, 0, self->count);
        self->step.relax = still < PATIENCE ? 1 : REAL(fmin)(8 * self->step.relax, RELAX_MOST);
        if (event.kind != CROSS_NONE) {
            int changed;
            events++;
            status = handle_event(self, x, &event, &changed);
            if (status) return status;
            /* a gap that is below zero by rounding, and neither closes nor is pressed: not to be asked again in this
             * step */
            if (!changed && event.length == 0) self->crossing.ignore[2 * event.contact] = 1;
        }
        if (still > most || ++substeps > 100000)
            return taut_fail(
                self->context, TAUT_NO_CONVERGENCE,
                "at t = %.9g: contacts change without end (%ld events in one step); try less restitution, regularised "
                "friction, or another start",
                (double)x->t, events);
    }
    return TAUT_OK;
}

int X(hybrid_step)(hybrid *self, state *x, real h)
{
    if (!(h > 0))
        return taut_fail(self->context, TAUT_BAD_USAGE,
                    "a model with contacts is stepped forward in time: the step must be positive");
    X(state_copy)(x, &self->step.saved);
    self->step.h = h;
    self->step.relax = 1;
    int status = self->options.active_set ? X(active_set_step)(self, x, h) : advance(self, x, h);
    if (status)
        X(state_copy)(&self->step.saved, x);
    else
        X(state_next_time)(&self->step.saved, h, &x->t, &x->t_low); /* as if it had been one step */
    return status;
}

void X(hybrid_take_back)(const hybrid *self, state *x) { X(state_copy)(&self->step.saved, x); }

int X(hybrid_start)(hybrid *self, state *x)
{
    const mode_sets *sets = &self->sets;
    int status = read_constants(self, sets->m, self->open->s);
    if (!status && self->options.active_set) status = X(active_set_check)(self, sets->class, sets->spec);
    if (!status) status = try_friction(self, &self->step.saved);
    if (status) return status;
    self->step.h = 0;
    self->step.relax = 1;
    self->event.free = self->event.pace = 0;
    memset(self->event.leaving, 0, self->count);
    for (size_t i = 0; i < self->count; i++) X(open_contact)(x, i);
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, 0);
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        const origin of = self->traits[i].origin;
        /* 1e-9 of the coordinates: what counts as a rounding of the given numbers, as for constraints */
        real given = REAL(fmax)(t->round_off, t->round_off / (16 * REAL_EPSILON) * (real)1e-9);
        if (t->gap < -given)
            return taut_fail(self->context, TAUT_BAD_MODEL,
                        "%s:%d: the start lies below the surface: the gap of contact '%s' is %.3g; correct the start "
                        "values",
                        of.file, of.line, of.name, (double)t->gap);
        if (!(t->gap - t->gap == 0))
            return taut_fail(self->context, TAUT_NOT_FINITE,
                        "%s:%d: the gap of contact '%s' is not finite at the start; correct the formula or the start "
                        "values",
                        of.file, of.line, of.name);
    }
    memset(self->event.rate_noise, 0, self->count * sizeof(real));
    memset(self->event.slip_noise, 0, self->count * sizeof(real));
    X(contact_remember_modes)(self, x);
    return X(contact_settle)(self, x);
}

int X(hybrid_symmetries)(hybrid *self, const state *x, symmetry *list, int *count)
{
    symmetry left[SYMMETRY_LIMIT];
    int left_count, kept = 0;
    int status = X(symmetry_find)(X(kinematics_system)(self->kinematics), x->q, x->w, left, &left_count);
    if (status) return status;
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < left_count; k++)
            if (left[k].type == list[i].type && left[k].index == list[i].index) {
                list[kept++] = list[i];
                break;
            }
    *count = kept;
    return TAUT_OK;
}

int X(hybrid_measure)(hybrid *self, const state *x, real *lambda, real *gaps, real *observables)
{
    mode_set *set;
    int status = X(mode_sets_get)(&self->sets, x, &set);
    if (!status) status = X(mode_set_load)(set, x);
    if (!status && set->s->c) status = X(mode_set_forces)(set, &set->begin);
    if (status) return status;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, 0);
    if (set->softened && (lambda || observables)) status = X(contact_share)(self, set, &set->begin, NULL);
    if (status) return status;
    for (uint32_t k = 0; lambda && k < self->c; k++) lambda[k] = set->lambda[k];
    for (size_t i = 0; i < self->count; i++) {
        if (lambda) lambda[self->c + i] = set->first[i] < 0 ? 0 : set->lambda[set->first[i]];
        if (gaps) gaps[i] = X(kinematics_of)(self->kinematics, i)->gap;
    }
    place at = place_at(set->s, set->begin.q, set->begin.w, &set->begin.t, set->lambda);
    if (observables) X(system_observables)(set->s, &at, observables);
    return TAUT_OK;
}
