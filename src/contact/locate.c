/* The first event of a step. A step is a function of its length s alone: each event function f(s) is evaluated at the
 * state that a whole step of the method reaches, and its zero is bracketed and found to round-off (Chandrupatla's
 * method: inverse quadratic interpolation, bisection where that is not safe). The state there is that of a step of this
 * length: the method's own order holds. */
#include "contact/locate.h"

#include <string.h>

#include "contact/hybrid_inside.h"

/* Event functions of contact i: 2i: gap, or multiplier; 2i+1: slip, or what friction can hold beyond what it must.
   Single forces of contacts that depend on each other say nothing: the first of them has a function for all, LOADED
   where their forces can be shared out inside the friction cones, OVERLOADED where they cannot. Its "zero" is the first
   length with the smaller value, where the complementarity problem says what gives way. */
#define LOADED ((real)1)
#define OVERLOADED ((real)-0.75)

static cross_kind kind_of(const mode_set *set, size_t f)
{
    contact_mode mode = (contact_mode)set->modes[f / 2];
    if (set->softened && mode != MODE_OPEN && (f % 2 == 0 || mode == MODE_STICK)) {
        size_t first = 0;
        while (set->modes[first] == MODE_OPEN) first++;
        return f == 2 * first ? CROSS_LOAD : CROSS_NONE;
    }
    if (f % 2 == 0) return mode == MODE_OPEN ? CROSS_GAP : CROSS_PULL;
    return mode == MODE_SLIP ? CROSS_SLIP : mode == MODE_STICK ? CROSS_STICK : CROSS_NONE;
}

/* self->crossing.value := the event functions at set->end. */
static int evaluate(hybrid *self, mode_set *set)
{
    const state *x = &set->end;
    int closed = 0;
    for (size_t i = 0; i < self->count; i++) closed |= set->modes[i] != MODE_OPEN;
    int status = closed ? X(mode_set_forces)(set, x) : TAUT_OK, loaded = 1;
    if (status == TAUT_NO_CONVERGENCE && set->softened) { /* their constraints do not agree any more */
        status = TAUT_OK;
        loaded = 0;
    }
    if (status) return status;
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    if (closed && loaded && set->softened && !X(contact_stops)(self))
        status = X(contact_share)(self, set, x, &loaded);
    if (status) return status;
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        const real *lambda = set->first[i] < 0 ? NULL : set->lambda + set->first[i];
        real *f = self->crossing.value + 2 * i, slots[CONTACT_SLOTS];
        self->crossing.rate[i] = t->rate;
        f[0] = lambda ? lambda[0] : t->gap;
        f[1] = 0;
        if (set->modes[i] == MODE_SLIP) {
            X(mode_set_slots)(set, i, slots);
            f[1] = X(kinematics_slip_along)(self->kinematics, i, slots);
        } else if (set->modes[i] == MODE_STICK) {
            real size = lambda[1] * lambda[1] + (set->rows[i] > 2 ? lambda[2] * lambda[2] : 0);
            f[1] = t->mu * t->normal * lambda[0] - REAL(sqrt)(size);
        }
        if (kind_of(set, 2 * i) == CROSS_LOAD) f[0] = loaded ? LOADED : OVERLOADED;
        if (!(f[0] - f[0] == 0) || !(f[1] - f[1] == 0))
            return taut_fail(self->context, TAUT_NOT_FINITE,
                        "at t = %.9g: contact '%s' is no longer finite; try a smaller step", (double)x->t,
                        self->traits[i].origin.name);
    }
    return TAUT_OK;
}

/* eps^(3/8): the third power of a relative displacement so small is below round-off. */
#define SHORT_WAY REAL(sqrt)(REAL(sqrt)(REAL_EPSILON) * REAL(sqrt)(REAL(sqrt)(REAL_EPSILON)))

/* Constraints are met to an ulp of positions: velocities that follow from them in a short substep have this error,
   divided by s, and multipliers have it divided by s^2. Friction brings it into slips, which change their signs by it;
   or a method finds no solution to speak of. There the first terms of the solution's series, with the accelerations at
   both ends, are exact to round-off, unless friction fades within the substep (layer.c). *done: whether the substep is
   so short. */
static int short_step(hybrid *self, mode_set *set, real s, int *done)
{
    const state *from = &set->begin;
    state *to = &set->end;
    struct system *z = set->s;
    real *v = self->response.v, *dv = self->response.a, *dw = self->response.w, *rates = set->end.lambda;
    uint32_t n = self->n;
    real size = real_most(real_largest(from->q, n), X(kinematics_smallest_scale)(self->kinematics));
    place at = place_at(z, from->q, from->w, &from->t, from->lambda);
    *done = 0;
    X(system_velocity)(z, &at, v);
    if (!(s * real_largest(v, n) < SHORT_WAY * size)) return TAUT_OK;
    int status = X(mode_set_forces)(set, from);
    if (status) return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK;
    if (!(s * (real_largest(v, n) + s * real_largest(set->dv, n)) < SHORT_WAY * size)) return TAUT_OK;
    memcpy(dv, set->dv, n * sizeof(real));
    memcpy(dw, X(acceleration_stage_rate)(set->acceleration), n * sizeof(real));
    X(state_copy)(from, to);
    at = place_at(z, from->q, from->w, &from->t, set->lambda);
    real power = X(system_power)(z, &at, v, rates);
    for (int turn = 0; turn < 2; turn++) {
        const real *dv1 = set->dv, *dw1 = X(acceleration_stage_rate)(set->acceleration);
        if (turn && X(contact_fades)(self, set, dw, dw1)) return TAUT_OK;
        memcpy(to->q_low, from->q_low, n * sizeof(real));
        for (uint32_t i = 0; i < n; i++) {
            to->q[i] = from->q[i] + s * (v[i] + s / 6 * (2 * dv[i] + dv1[i]));
            to->w[i] = from->w[i] + s / 2 * (dw[i] + dw1[i]);
        }
        memcpy(to->lambda, set->lambda, z->c * sizeof(real));
        X(state_next_time)(from, s, &to->t, &to->t_low);
        status = turn ? X(projector_apply)(set->projector, to) : TAUT_OK; /* of the first, forces alone are asked for */
        if (!status) status = X(mode_set_forces)(set, to);
        if (status) return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK;
    }
    at = place_at(z, to->q, to->w, &to->t, set->lambda);
    X(system_velocity)(z, &at, v);
    real work = s / 2 * (power + X(system_power)(z, &at, v, rates));
    X(add_compensated)(to->work, to->work_low, &work, 1);
    memcpy(to->lambda, set->lambda, z->c * sizeof(real));
    if (self->method.midpoint) *to->t_lambda = to->t;
    *done = 1;
    return TAUT_OK;
}

/* set->end := a step of length s from set->begin. *projected: it is on the constraints, with its velocities. */
static int reach(hybrid *self, mode_set *set, real s, int *projected)
{
    int status = TAUT_OK;
    *projected = 0;
    X(state_copy)(&set->begin, &set->end);
    if (s == 0) return TAUT_OK;
    if (s < self->step.h) status = short_step(self, set, s, projected);
    if (status || *projected) return status;
    X(state_copy)(&set->begin, &set->end);
    return X(method_step)(&set->method, &set->end, s);
}

/* The same, with its event functions. A method that leaves velocities off the constraints leaves the rounding of
   positions, divided by s, there as well: after a part of a step they are put onto them, and the energy falls by that;
   and where a contact is held, for it is free from there on. */
static int attempt(hybrid *self, mode_set *set, real s)
{
    int projected, status = reach(self, set, s, &projected);
    if (!status && s > 0) X(mode_set_drive)(set, s);
    if (!status && self->method.velocities_off && s > 0 && !projected &&
        (s < self->step.h || X(contact_holds)(self) || X(contact_stops)(self)))
        status = X(projector_apply)(set->projector, &set->end);
    return status ? status : evaluate(self, set);
}

/* What counts as zero of each function: round-off of the gap, of the largest multiplier, of the velocities. */
static void set_tolerances(hybrid *self, const mode_set *set)
{
    real force = self->step.relax * real_largest(set->lambda, set->s->c);
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        int open = set->modes[i] == MODE_OPEN;
        self->crossing.tolerance[2 * i] = open ? t->round_off : 1000 * REAL_EPSILON * force;
        self->crossing.tolerance[2 * i + 1] =
            set->modes[i] == MODE_SLIP ? t->slip_round_off : 1000 * REAL_EPSILON * force * (1 + t->mu * t->normal);
        if (kind_of(set, 2 * i) == CROSS_LOAD) self->crossing.tolerance[2 * i] = LOADED / 2;
    }
}

/* Positions are moved by v s. Where that is less than their rounding the step of a method is noise: what brings the
   rounded positions onto the constraints, divided by s, is its velocity. (At rest: a thousand ulps of the whole
   step.) */
static void set_shortest(hybrid *self, const mode_set *set)
{
    const real *v = X(kinematics_velocity)(self->kinematics);
    real size = real_most(real_largest(set->begin.q, self->n), X(kinematics_smallest_scale)(self->kinematics)),
         speed = real_largest(v, self->n);
    self->step.shortest = REAL_EPSILON * size / REAL(fmax)(speed, size / (1000 * self->step.h));
}

static int is_violated(const hybrid *self, const mode_set *set, size_t f)
{
    cross_kind kind = kind_of(set, f);
    if (self->crossing.ignore[f] || self->step.held[f / 2] || kind == CROSS_NONE ||
        self->step.stopped[f / 2] >= (f % 2 ? STOP_STICK : STOP_SMOOTH) ||
        !(self->crossing.value[f] < -self->crossing.tolerance[f]))
        return 0;
    /* A gap that begins at zero, or below by the error of a step that let it go, and opens. */
    return !(kind == CROSS_GAP && self->crossing.start[f] <= self->crossing.tolerance[f] &&
             (self->crossing.rate[f / 2] > 0 || self->crossing.value[f] >= self->crossing.start[f]));
}

int X(contact_left_below)(const hybrid *self, const mode_set *set, size_t i)
{
    size_t f = 2 * i;
    return kind_of(set, f) == CROSS_GAP && self->crossing.value[f] < -self->crossing.tolerance[f] &&
           !is_violated(self, set, f);
}

/* ---- one zero ---- */

/* A value that crosses zero between a (>= 0) and b (< 0), as a function of the length of the step. */
typedef struct {
    hybrid *hybrid;
    mode_set *set;
    const real *value;   /* where `attempt` leaves it */
    real enough;         /* so small it is a zero */
    long gap;            /* of which contact it is the gap, or -1: then neither forces nor velocities are asked for */
} crossing;

static int value_at(const crossing *c, real s, real *f)
{
    int projected, status = c->gap < 0 ? attempt(c->hybrid, c->set, s) : reach(c->hybrid, c->set, s, &projected);
    const state *end = &c->set->end;
    if (!status && c->gap >= 0)
        X(kinematics_evaluate)(c->hybrid->kinematics, end->q, end->w, end->t, c->hybrid->step.h);
    *f = c->gap < 0 ? *c->value : X(kinematics_of)(c->hybrid->kinematics, (size_t)c->gap)->gap;
    return status;
}

/* (a, fa) and (b, fb) have different signs. *root: where it is zero, to round-off. No step is tried that is shorter
 * than the shortest. */
static int find_zero(const crossing *c, real a, real fa, real b, real fb, real *root)
{
    real t = fa / (fa - fb), x3 = a, f3 = fa, first = c->hybrid->step.shortest / REAL(fabs)(b - a);
    if (first < (real)0.5) t = REAL(fmin)(REAL(fmax)(t, first), 1 - first);
    *root = REAL(fabs)(fa) < REAL(fabs)(fb) ? a : b;
    for (int k = 0; first < (real)0.5 && k < 400; k++) {
        real x = a + t * (b - a), f;
        int status = value_at(c, x, &f);
        if (status) return status;
        if ((f > 0) == (fa > 0)) {
            x3 = a, f3 = fa;
        } else {
            x3 = b, f3 = fb;
            b = a, fb = fa;
        }
        a = x, fa = f;
        *root = REAL(fabs)(fa) < REAL(fabs)(fb) ? a : b;
        real best = REAL(fmin)(REAL(fabs)(fa), REAL(fabs)(fb)), width = REAL(fabs)(b - a);
        real shortest = (2 * REAL_EPSILON * REAL(fabs)(*root) + c->hybrid->step.shortest) / width;
        if (best <= c->enough || !(shortest < (real)0.5)) return TAUT_OK;
        /* inverse quadratic interpolation where the three values are well apart, else the middle */
        real xi = (a - b) / (x3 - b), phi = (fa - fb) / (f3 - fb);
        t = (real)0.5;
        if (REAL(sqrt)(xi) > phi && 1 - REAL(sqrt)(1 - xi) < phi)
            t = fa / (fb - fa) * f3 / (fb - f3) + (x3 - a) / (b - a) * fa / (f3 - fa) * fb / (f3 - fb);
        t = REAL(fmin)(REAL(fmax)(t, shortest), 1 - shortest);
    }
    return TAUT_OK;
}

/* The zero of function f before `end`, where it is below zero. It may begin at zero, or be a gap that opens to begin
   with: then it is looked for where it has risen, and when it has not, the event is at once (length 0). */
static int find_crossing(hybrid *self, mode_set *set, size_t f, real end, real f_end, real *length)
{
    int load = kind_of(set, f) == CROSS_LOAD, gap = kind_of(set, f) == CROSS_GAP;
    crossing c = { self, set, &self->crossing.value[f], load ? 0 : self->crossing.tolerance[f] / 16,
                   gap ? (long)(f / 2) : -1 };
    real lower = 0, f_lower = self->crossing.start[f];
    *length = 0;
    int opens = gap && self->crossing.rate_start[f / 2] > 0;
    if (f_lower <= self->crossing.tolerance[f] || opens) {
        real smallest = gap ? 64 * REAL_EPSILON : (real)1e-7;
        if (gap && !opens) return TAUT_OK;
        for (lower = end / 8;; lower /= 8) {
            if (lower < REAL(fmax)(smallest * end, self->step.shortest)) return TAUT_OK;
            int status = value_at(&c, lower, &f_lower);
            if (status) return status;
            if (f_lower > self->crossing.tolerance[f]) break;
            if (f_lower < 0) end = lower, f_end = f_lower;
        }
    }
    return find_zero(&c, lower, f_lower, end, f_end, length);
}

/* ---- gaps that close and open again within the step ---- */

/* The least value of the cubic with these values and slopes at the ends, where the slope goes from below to above
 * zero. */
static real cubic_minimum(real h, real f0, real d0, real f1, real d1)
{
    real least = REAL(fmin)(f0, f1);
    for (int k = 1; k < 32; k++) {
        real s = (real)k / 32, r = 1 - s;
        least = REAL(fmin)(least,
                           f0 * r * r * (1 + 2 * s) + f1 * s * s * (1 + 2 * r) + h * (d0 * s * r * r - d1 * r * s * s));
    }
    return least;
}

/* Where the tangents at both ends meet. A function that is convex in between (the distance from a ball, on a straight
   way) is nowhere less: it may be far below the cubic when the step is longer than what is passed. */
static real tangents_meet(real h, real f0, real d0, real f1, real d1)
{
    real s = (f0 - f1 + h * d1) / (d1 - d0);
    return f0 + d0 * REAL(fmin)(REAL(fmax)(s, 0), h);
}

/* Looks for an open contact that dips below zero before `end`. If there is one: *length with its gap below zero,
 * self->crossing.value of there. */
static int find_dip(hybrid *self, mode_set *set, real end, real *length, int *found)
{
    *found = 0;
    for (size_t i = 0; i < self->count; i++) {
        real f0 = self->crossing.start[2 * i], d0 = self->crossing.rate_start[i], f1 = self->crossing.value[2 * i],
             d1 = self->crossing.rate[i];
        if (kind_of(set, 2 * i) != CROSS_GAP || self->crossing.ignore[2 * i] || !(d0 < 0 && d1 > 0) ||
            f0 <= self->crossing.tolerance[2 * i])
            continue;
        if (cubic_minimum(end, f0, d0, f1, d1) > REAL(fmin)(f0, f1) / 4 && tangents_meet(end, f0, d0, f1, d1) > 0)
            continue;
        crossing c = { self, set, &self->crossing.rate[i], 0, -1 };
        int status = find_zero(&c, 0, d0, end, d1, length);
        if (!status) status = attempt(self, set, *length);
        if (status) return status;
        *found = *length < end - self->step.shortest && is_violated(self, set, 2 * i);
        if (*found) return TAUT_OK;
        status = attempt(self, set, end);
        if (status) return status;
    }
    return TAUT_OK;
}

/* ---- the step ---- */

/* The first of the functions that are below zero at `end`, where the last attempt went: the zero of one, then of those
   that are below zero even there. Those whose zeros are the same to within the shortest substep would send each other
   back and forth. */
static int first_crossing(hybrid *self, mode_set *set, real end, located *event)
{
    size_t all = 2 * self->count;
    int crossed = 0;
    memset(self->crossing.simultaneous, 0, all);
    for (size_t round = 0; round < 4 * all + 16; round++) {
        size_t f = 0;
        while (f < all && (self->crossing.simultaneous[f] || !is_violated(self, set, f))) f++;
        if (f == all) break;
        real before = crossed ? end : 2 * end; /* of the zero that was found, if one was */
        crossed = 1;
        event->kind = kind_of(set, f);
        event->contact = f / 2;
        int status = find_crossing(self, set, f, end, self->crossing.value[f], &end);
        event->length = end;
        if (!status) status = attempt(self, set, end);
        if (status || end == 0) return status;
        if (!(end > before - self->step.shortest)) memset(self->crossing.simultaneous, 0, all);
        self->crossing.simultaneous[f] = 1;
    }
    return TAUT_OK;
}

#define DIPS 1000 /* that are looked for, each earlier than the one before */

/* The first event up to `end`. */
static int locate_before(hybrid *self, mode_set *set, real end, located *event)
{
    *event = (located){ .kind = CROSS_NONE, .length = end };
    int status = attempt(self, set, end);
    if (status) return status;
    for (size_t i = 0; i < self->count; i++)
        if (kind_of(set, 2 * i + 1) == CROSS_SLIP && self->traits[i].slide_count == 2 &&
            is_violated(self, set, 2 * i + 1)) {
            real slots[CONTACT_SLOTS];
            X(mode_set_slots)(set, i, slots);
            if (slots[SLOT_KEEP] != 0) continue;
            event->keep = 1;
            event->contact = i;
            return TAUT_OK;
        }
    /* Before the event that shows at the end, or that a dip led to, another gap may have dipped. */
    for (int dips = 1, round = 0; dips; round++) {
        status = first_crossing(self, set, end, event);
        if (status || event->length == 0 || round == DIPS) return status;
        status = find_dip(self, set, event->length, &end, &dips);
        if (status) return status;
    }
    return TAUT_OK;
}

/* Where the step, or one on the way to its first event, fails, a part of it is tried: what comes before an event may be
   smooth when the way through it is not. */
int X(contact_locate)(hybrid *self, mode_set *set, real left, located *event)
{
    int status = attempt(self, set, 0);
    if (status) return status;
    set_tolerances(self, set);
    set_shortest(self, set);
    memcpy(self->crossing.start, self->crossing.value, 2 * self->count * sizeof(real));
    memcpy(self->crossing.rate_start, self->crossing.rate, self->count * sizeof(real));
    for (size_t i = 0; i < self->count; i++)
        if (self->crossing.start[2 * i] > 64 * self->crossing.tolerance[2 * i])
            self->crossing.ignore[2 * i] = 0; /* it has left the surface since */
    real end = X(contact_longest)(self, set, left);
    for (int k = 0;; k++, end /= 4) {
        status = locate_before(self, set, end, event);
        event->partial = end < left;
        if (status <= 0 || status == TAUT_OUT_OF_MEMORY || k == 6) return status;
        if (++self->step.failures > CONTACT_FAILURES) return status;
    }
}
