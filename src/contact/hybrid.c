#include "contact/hybrid.h"

#include <stdio.h>
#include <string.h>

#include "base/room.h"
#include "contact/active_set.h"
#include "contact/hybrid_inside.h"

void X(hybrid_destroy)(hybrid *self)
{
    if (!self) return;
    taut_context *context = self->context;
    state *states[] = { &self->step.saved, &self->step.before, &self->step.unmerged, &self->step.merged,
                        &self->event.saved };
    for (size_t i = 0; self->open && i < sizeof states / sizeof *states; i++)
        X(state_clear)(self->open->s, states[i]);
    X(response_clear)(context, &self->response);
    X(kinematics_destroy)(self->kinematics);
    X(mode_sets_clear)(&self->sets);
    taut_mem_free(context, self->problem.J);
    taut_mem_free(context, self->problem.W);
    room_free(context, &self->room);
    taut_mem_free(context, self->traits);
    taut_mem_free(context, self);
}

/* Merged steps know of no forces that multipliers of contacts make, but for friction. */
static int is_mergeable(const model *m)
{
    int can = m->form != FORM_RATES;
    for (size_t i = 0; can && i < m->force_count; i++)
        can = !(taut_expr_kinds(m->graph, m->forces[i].value) & 1u << KIND_CONTACT);
    return can;
}

/* A surface does, or slides over it are measured from something that does; or a constraint. */
static int has_moving_surface(const model *m)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < m->constraint_count; i++) kinds |= taut_expr_kinds(m->graph, m->constraints[i].value);
    for (size_t i = 0; i < m->contact_count; i++) {
        kinds |= taut_expr_kinds(m->graph, m->contacts[i].gap);
        for (uint32_t k = 0; m->contacts[i].slide_type == SLIDE_GIVEN && k < m->contacts[i].slide_count; k++)
            kinds |= taut_expr_kinds(m->graph, m->contacts[i].slide[k]);
    }
    return (kinds & 1u << KIND_T) != 0;
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
    self->constants.width = room_reals(l, count), self->constants.roll_width = room_reals(l, count);
    self->constants.guess = room_reals(l, count);
    self->step.extra = room_reals(l, EXTRA_SIZE * count);
    self->step.held = room_take(l, count, 1), self->step.stopped = room_take(l, count, 1);
    self->step.modes = room_take(l, count, 1);
    self->step.impulse = room_reals(l, count);
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
        if (!status && c->roll) status = X(system_constant)(s, c->roll_width, &self->constants.roll_width[i]);
        if (!status && c->width) status = X(system_constant)(s, c->width, &self->constants.width[i]);
        if (!status && c->guess) status = X(system_constant)(s, c->guess, &self->constants.guess[i]);
    }
    return status;
}

/* Closes the contacts whose multipliers stand in e. */
static int close_those_in(hybrid *self, expr e, state *x)
{
    expr *list;
    size_t length;
    int status = taut_expr_reachable(self->sets.m->graph, &e, 1, &list, &length);
    if (status) return status;
    for (size_t k = 0; k < length; k++) {
        const node *n = taut_graph_node(self->sets.m->graph, list[k]);
        if (n->op == OP_VARIABLE && n->b == KIND_CONTACT)
            contact_extra(x, n->a)[EXTRA_MODE] = self->traits[n->a].closed[1];
    }
    taut_expr_list_free(self->sets.m->graph, list);
    return TAUT_OK;
}

/* One contact with friction, and those of one force with multipliers of contacts, are closed. */
int X(hybrid_strictest)(hybrid *self, const struct system **result)
{
    const model *m = self->sets.m;
    state *x = &self->step.saved;
    size_t friction = 0, force = 0;
    int status = TAUT_OK;
    mode_set *set = NULL;
    while (friction < self->count && !self->traits[friction].has_friction) friction++;
    while (force < m->force_count && !(taut_expr_kinds(m->graph, m->forces[force].value) & 1u << KIND_CONTACT)) force++;
    if (friction < self->count) contact_extra(x, friction)[EXTRA_MODE] = self->traits[friction].closed[1];
    if (force < m->force_count) status = close_those_in(self, m->forces[force].value, x);
    if (!status) status = X(mode_sets_get)(&self->sets, x, &set);
    for (size_t i = 0; i < self->count; i++) contact_extra(x, i)[EXTRA_MODE] = MODE_OPEN;
    if (!status) *result = set->s;
    return status;
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
    self->mergeable = is_mergeable(m);
    self->moves = has_moving_surface(m);
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
        state *states[] = { &self->step.saved, &self->step.before, &self->step.unmerged, &self->step.merged,
                            &self->event.saved };
        for (size_t i = 0; !status && i < sizeof states / sizeof *states; i++)
            status = X(state_create)(&with, states[i]);
    }
    if (!status) status = room_create(m->context, lay_out, self, &self->room);
    if (status)
        X(hybrid_destroy)(self);
    else
        *result = self;
    return status;
}

newton_counts X(hybrid_counts)(const hybrid *self) { return X(mode_sets_counts)(&self->sets); }
method_execution X(hybrid_execution)(const hybrid *self) { return X(mode_sets_execution)(&self->sets); }
void X(hybrid_inputs)(hybrid *self) { X(mode_sets_inputs)(&self->sets); }

/* ---- events ---- */

/* Impacts first, then which contacts stay closed; reports both. */
static int touch_down(hybrid *self, state *x, long trigger, int *changed)
{
    int hit;
    real most = 0;
    int status = X(contact_impact)(self, x, trigger, &hit);
    if (!status) status = X(contact_settle)(self, x);
    if (!status) X(contact_limit_energy)(self, x, self->step.energy);
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

/* Other modes were found: reports what became of them, with the state that is left. */
static int report_modes(hybrid *self, state *x, int *changed)
{
    X(contact_limit_energy)(self, x, self->step.energy);
    return X(contact_report_changes)(self, x, changed);
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
    if (!status) status = report_modes(self, x, &changed);
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
    return status ? status : report_modes(self, x, NULL);
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
        return status ? status : report_modes(self, x, NULL);
    case CROSS_SLIP: return slip_ends(self, x, i);
    case CROSS_LOAD:
        *changed = 0;
        status = X(contact_correct_modes)(self, x);
        return status ? status : report_modes(self, x, changed);
    default: return stick_ends(self, x, i);
    }
}

/* ---- steps ---- */

#define PATIENCE 12               /* events at one time before forces are judged less strictly */

/* Merged steps, where a status says that others fail, or where there are too many (TAUT_OK). If there are none either,
   it is left at that. */
static int merge(hybrid *self, state *x, int status, real *left)
{
    char text[512];
    if (!self->mergeable) return status;
    snprintf(text, sizeof text, "%s", status ? taut_error_text(self->context) : "");
    if (*left == 0) { /* the event is the first one of the next step */
        X(contact_put_off)(self, x);
        return TAUT_OK;
    }
    long still = self->step.still;
    X(state_copy)(x, &self->step.before);
    self->step.relax = 1;
    self->step.still = 0;
    int merged = X(contact_merge)(self, x, left);
    if (!contact_may_merge(merged)) return merged;
    X(state_copy)(&self->step.before, x);
    self->step.still = still; /* events that go on at this time end the run */
    return status ? taut_fail(self->context, status, "%s", text) : TAUT_OK;
}

/* A substep with the event at its end. What happens at one time adds no energy: positions that are lifted onto
   surfaces, velocities that are put onto constraints that depend on each other, and need not agree. */
static int advance_once(hybrid *self, state *x, real *left, located *event)
{
    X(state_copy)(x, &self->step.before);
    real most = X(contact_energy)(self, x);
    int changed, status = taut_stopped(self->context);
    if (!status) status = X(contact_substep)(self, x, *left, event);
    if (!status && event->length > 0) most = X(contact_energy)(self, x);
    if (!status && event->kind != CROSS_GAP) status = X(contact_lift)(self, x);
    if (status) return status;
    X(contact_limit_energy)(self, x, most);
    *left = event->kind == CROSS_NONE && !event->partial ? 0 : *left - event->length;
    if (*left < self->step.shortest) *left = 0;
    self->step.still = event->length > 0 ? 0 : self->step.still + 1;
    if (event->length > 0) memset(self->event.begins, 0, self->count);
    self->step.relax = self->step.still < PATIENCE ? 1 : REAL(fmin)(8 * self->step.relax, RELAX_MOST);
    if (event->kind == CROSS_NONE) return TAUT_OK;
    X(state_copy)(x, &self->step.before);
    self->step.energy = most;
    status = handle_event(self, x, event, &changed);
    /* a gap that is below zero by rounding, and neither closes nor is pressed: not to be asked again in this step */
    if (!status && !changed && event->length == 0) self->crossing.ignore[2 * event->contact] = 1;
    return status;
}

/* Contacts of bodies that rock and slide against each other may change their modes again and again, in shorter and
   shorter times. Where so many changes come in a small part of a step, a merged step of that length does instead. (One
   contact that bounces does not change its mode until it comes to rest: these impacts are all made.) */
typedef struct {
    long events;              /* all */
    long changes;             /* events in which modes changed, since the window began */
    real left;                /* of the step, when it began */
} crowd;

#define CHANGES 24            /* and a half for each contact */
#define CROWDED ((real)1/16)  /* of a step, in which there are so many */

static int is_crowded(hybrid *self, const state *x, crowd *c, real left)
{
    int changed = 0;
    for (size_t i = 0; i < self->count; i++) changed |= self->event.modes_before[i] != contact_mode_of(x, i);
    if (!changed || ++c->changes < CHANGES + (long)self->count / 2) return 0;
    real length = c->left - left;
    c->changes = 0;
    c->left = left;
    if (!(length < CROWDED * self->step.h) || !self->mergeable || left == 0) return 0;
    self->step.merge = REAL(fmax)(self->step.merge, length);
    return 1;
}

static int endless(const hybrid *self, const state *x, long events)
{
    return taut_fail(
        self->context, TAUT_NO_CONVERGENCE,
        "at t = %.9g: contacts change without end (%ld events in one step); try less restitution, regularised "
        "friction, or another start",
        (double)x->t, events);
}

#define SUBSTEPS 100000 /* in a step of the run; with so many something is wrong with its length */

/* Not a merged step instead: it would end impacts that all happen, one after the other, in one plastic one. */
static int too_many(const hybrid *self, const state *x)
{
    return taut_fail(self->context, TAUT_NO_CONVERGENCE,
                     "at t = %.9g: a step of %.3g takes more than %d substeps between contacts that change or fade; "
                     "take a smaller step",
                     (double)x->t, (double)self->step.h, SUBSTEPS);
}

static int advance(hybrid *self, state *x, real h)
{
    real left = h;
    long most = self->mergeable ? 32 + 2 * (long)self->count : 200 + 20 * (long)self->count, substeps = 0;
    crowd events = { .left = h };
    memset(self->crossing.ignore, 0, 2 * self->count);
    memset(self->event.begins, 0, self->count);
    while (left > 0) {
        located event = { .kind = CROSS_NONE };
        int status = advance_once(self, x, &left, &event), crowded = 0;
        events.events += event.kind != CROSS_NONE;
        if (status && self->step.failures > CONTACT_FAILURES) return status; /* nor here: the step is too long */
        if (contact_may_merge(status)) X(state_copy)(&self->step.before, x);
        else if (!status && self->step.still > most) status = endless(self, x, events.events);
        else if (!status && ++substeps > SUBSTEPS) return too_many(self, x);
        else if (!status) crowded = event.kind != CROSS_NONE && is_crowded(self, x, &events, left);
        if (contact_may_merge(status) || crowded) status = merge(self, x, status, &left);
        if (status) return status;
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
    self->step.merge = 0;
    self->step.still = self->step.failures = 0;
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
    /* a method that cannot run a mode set is refused at once, not at the first contact */
    const struct system *strictest;
    if (!status) status = X(hybrid_strictest)(self, &strictest);
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

/* Ends with a merged step: its multipliers are those of the state. */
static int was_merged(const hybrid *self, const state *x)
{
    int some = 0;
    for (size_t i = 0; i < self->count; i++)
        some |= contact_mode_of(x, i) == MODE_OPEN && contact_extra(x, i)[EXTRA_LAMBDA] > 0;
    return some;
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
    if (was_merged(self, x)) memcpy(set->lambda, x->lambda, self->c * sizeof(real));
    for (uint32_t k = 0; lambda && k < self->c; k++) lambda[k] = set->lambda[k];
    for (size_t i = 0; i < self->count; i++) {
        if (lambda)
            lambda[self->c + i] =
                set->first[i] < 0 ? contact_extra(x, i)[EXTRA_LAMBDA] : set->lambda[set->first[i]];
        if (gaps) gaps[i] = X(kinematics_of)(self->kinematics, i)->gap;
    }
    place at = place_at(set->s, set->begin.q, set->begin.w, &set->begin.t, set->lambda);
    if (observables) X(system_observables)(set->s, &at, observables);
    return TAUT_OK;
}
