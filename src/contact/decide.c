/* Which contacts are closed, and which of them stick. */
#include <string.h>

#include "contact/parts.h"
#include "solve/start.h"

#define SOME_ROUNDINGS (1000 * REAL_EPSILON) /* relative error of multipliers and accelerations */

/* ---- modes ---- */

void open_contact(state *x, size_t i)
{
    memset(contact_extra(x, i), 0, EXTRA_SIZE * sizeof(real)); /* MODE_OPEN, no multipliers */
}

static void enter(hybrid *z, state *x, size_t i, contact_mode mode)
{
    real *extra = contact_extra(x, i);
    if (extra[EXTRA_MODE] == MODE_OPEN) extra[EXTRA_LAMBDA] = z->guess[i];
    extra[EXTRA_LAMBDA + 1] = extra[EXTRA_LAMBDA + 2] = 0;
    extra[EXTRA_MODE] = mode;
}

void stick_contact(hybrid *z, state *x, size_t i)
{
    enter(z, x, i, MODE_STICK);
    watch_anchor(z->watch, i, contact_extra(x, i) + EXTRA_SLOTS);
}

void slip_contact(hybrid *z, state *x, size_t i, const real *direction)
{
    enter(z, x, i, MODE_SLIP);
    watch_direction(z->watch, i, direction, contact_extra(x, i) + EXTRA_SLOTS);
}

static int slips(const hybrid *z, size_t i)
{
    const touch *t = watch_touch(z->watch, i);
    real size = REAL(sqrt)(t->slip[0] * t->slip[0] + (z->m->contacts[i].slide_count == 2 ? t->slip[1] * t->slip[1] : 0));
    return z->m->contacts[i].slide_count && size > REAL(fmax)(t->slip_round_off, z->slip_floor[i]);
}

void close_contact(hybrid *z, state *x, size_t i)
{
    contact_mode mode = phase_closed_mode(&z->m->contacts[i], slips(z, i));
    if (mode == MODE_CLOSED) enter(z, x, i, mode);
    if (mode == MODE_STICK) stick_contact(z, x, i);
    if (mode == MODE_SLIP) slip_contact(z, x, i, watch_touch(z->watch, i)->slip);
}

void contact_remember(hybrid *z, const state *x)
{
    for (size_t i = 0; i < z->count; i++) z->modes[i] = (unsigned char)contact_mode_of(x, i);
}

int contact_tell(hybrid *z, size_t contact, event_kind kind, real impulse)
{
    return z->options.event ? z->options.event(z->options.user, contact, kind, impulse) : TAUT_OK;
}

int contact_tell_changes(hybrid *z, const state *x, int *changed)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < z->count; i++) {
        contact_mode was = z->modes[i], is = contact_mode_of(x, i);
        if (was == is) continue;
        if (changed) *changed = 1;
        status = contact_tell(z, i, is == MODE_OPEN ? EVENT_RELEASE : was == MODE_OPEN ? EVENT_REST : is == MODE_STICK ? EVENT_STICK : EVENT_SLIP, 0);
    }
    return status;
}

/* ---- mending ---- */

/* An acceleration of a gap that is none: a rounding of its terms, or one that would not move the gap by a rounding in a step. */
static real no_acceleration(const hybrid *z, size_t i, real size)
{
    real of_terms = SOME_ROUNDINGS * size;
    return z->h > 0 ? REAL(fmax)(of_terms, watch_touch(z->watch, i)->round_off / (z->h * z->h)) : of_terms;
}

/* Touches, and does not open or close by more than round-off. The watch has accelerations. */
static int is_touching(const hybrid *z, size_t i)
{
    const touch *t = watch_touch(z->watch, i);
    real rest = contact_rest_speed(t, watch_acceleration(z->watch, i, 0, NULL)), least = REAL(fmax)(t->rate_round_off, z->floor[i]);
    return t->gap <= t->round_off && REAL(fabs)(t->rate) <= REAL(fmax)(least, rest);
}

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

/* The forces of the phase are known. */
static flaw find_flaw(hybrid *z, const phase *ph)
{
    flaw worst = { .contact = -1 };
    real scale = real_largest(ph->lambda, ph->s->c);
    for (size_t i = 0; i < z->count; i++) {
        if (ph->first[i] < 0) {
            real size, a = watch_acceleration(z->watch, i, 0, &size);
            if (!z->leaving[i] && is_touching(z, i) && a < -no_acceleration(z, i, size)) consider(&worst, i, WRONG_OPEN, -a / size);
            continue;
        }
        const real *lambda = ph->lambda + ph->first[i];
        const touch *t = watch_touch(z->watch, i);
        if (lambda[0] < -SOME_ROUNDINGS * scale) consider(&worst, i, WRONG_PULLS, -lambda[0] / scale);
        if (ph->modes[i] != MODE_STICK) continue;
        real x = lambda[1], y = ph->rows[i] > 2 ? lambda[2] : 0, size = REAL(sqrt)(x * x + y * y);
        real most = t->mu * t->normal * REAL(fmax)(lambda[0], 0);
        if (!(size - most > SOME_ROUNDINGS * scale)) continue;
        consider(&worst, i, WRONG_STICKS, (size - most) / scale);
        if (worst.contact == (long)i) worst.direction[0] = -x, worst.direction[1] = -y;
    }
    return worst;
}

static void repair(hybrid *z, state *x, const phase *ph, const flaw *f)
{
    size_t i = (size_t)f->contact;
    if (f->what == WRONG_PULLS) open_contact(x, i);
    else if (f->what == WRONG_OPEN) close_contact(z, x, i);
    else {
        /* the multipliers of sticking are along the tangents of the anchor: those that the watch gives here, where it is stuck */
        real direction[2] = { 0, 0 };
        const real *slots = contact_extra(x, i) + EXTRA_SLOTS;
        const touch *t = watch_touch(z->watch, i);
        int given = z->m->contacts[i].slide_type == SLIDE_GIVEN;
        for (int r = 0; r < ph->rows[i] - 1; r++)
            for (int k = 0; k < ph->rows[i] - 1; k++) {
                real overlap = given ? r == k : 0;
                for (int d = 0; !given && d < 3; d++) overlap += slots[SLOT_TANGENT + 3 * r + d] * t->tangent[k][d];
                direction[k] += overlap * f->direction[r];
            }
        slip_contact(z, x, i, direction);
    }
}

/* Onto the constraints that the phase has beyond those before: by round-off. */
static int project(hybrid *z, phase *ph, state *x)
{
    int more = 0;
    for (size_t i = 0; i < z->count; i++)
        more |= (z->modes[i] == MODE_OPEN && ph->modes[i] != MODE_OPEN) || (z->modes[i] != MODE_STICK && ph->modes[i] == MODE_STICK);
    memcpy(ph->begin.lambda, ph->lambda, ph->s->c * sizeof(real));
    int status = more ? start_project(ph->s, &ph->begin) : TAUT_OK;
    if (!status) phase_store(ph, &ph->begin, x);
    return status;
}

/* Too many constraints: the last contact that was closed goes. */
static int open_redundant(hybrid *z, state *x)
{
    for (size_t i = z->count; i-- > 0;)
        if (contact_mode_of(x, i) != MODE_OPEN && z->modes[i] == MODE_OPEN) {
            open_contact(x, i);
            z->leaving[i] = 1;
            return 1;
        }
    return 0;
}

int contact_mend(hybrid *z, state *x)
{
    phase *ph;
    for (size_t turn = 0; turn < 20 + 6 * z->count; turn++) {
        watch_look(z->watch, x->q, x->w, x->t, z->h);
        int status = phases_get(&z->phases, x, &ph);
        if (!status) status = phase_load(ph, x);
        if (!status) status = phase_forces(ph, &ph->begin);
        if (status == TAUT_SINGULAR && open_redundant(z, x)) continue;
        if (status) return status;
        watch_accelerate(z->watch, ph->dv);
        flaw f = find_flaw(z, ph);
        if (f.contact < 0) return project(z, ph, x);
        repair(z, x, ph, &f);
    }
    return fail(z->context, TAUT_NO_CONVERGENCE,
                "at t = %.9g: no set of closed contacts fits the forces (with much friction there may be none); try less friction, or "
                "regularised friction", (double)x->t);
}

/* ---- the complementarity problem of the forces ---- */

/* Friction of a contact that slips, or that is regularised, is given. */
static void set_cone(hybrid *z, cone_contact *c, size_t who)
{
    const contact *k = &z->m->contacts[who];
    const touch *t = watch_touch(z->watch, who);
    real width = 0, size = 0;
    if (k->law == FRICTION_REGULARISED) width = (real)z->width[who];
    for (int r = 0; r < c->tangents; r++) size += t->slip[r] * t->slip[r];
    size = REAL(sqrt)(size + width * width);
    c->sliding = c->tangents && (width > 0 || slips(z, who));
    for (int r = 0; r < c->tangents; r++) c->direction[r] = c->sliding ? t->slip[r] / size : 0;
}

/* Modes by the answer. */
static void take_modes(hybrid *z, state *x)
{
    meeting *all = &z->meeting;
    for (int i = 0; i < all->count; i++) {
        size_t who = all->who[i];
        cone_contact *c = &all->cones[i];
        const real *P = all->P + c->first;
        if (!(P[0] > 0)) continue;
        real against[2] = { -P[1], c->tangents > 1 ? -P[2] : 0 };
        if (!c->sliding && c->slips && phase_closed_mode(&z->m->contacts[who], 1) == MODE_SLIP) slip_contact(z, x, who, against);
        else close_contact(z, x, who);
        contact_extra(x, who)[EXTRA_LAMBDA] = P[0];
    }
}

int contact_settle(hybrid *z, state *x)
{
    phase *open;
    meeting *all = &z->meeting;
    watch_look(z->watch, x->q, x->w, x->t, z->h);
    int status = phases_open(&z->phases, &open), some = 0;
    if (!status) status = phase_load(open, x);
    if (!status) status = phase_forces(open, &open->begin);
    if (status) return status;
    watch_accelerate(z->watch, open->dv);
    for (size_t i = 0; i < z->count; i++) {
        const touch *t = watch_touch(z->watch, i);
        int closed = contact_mode_of(x, i) != MODE_OPEN;
        z->takes_part[i] = is_touching(z, i) ||
                           (closed && REAL(fabs)(t->rate) <= REAL(fmax)(REAL(fmax)(t->rate_round_off, z->floor[i]),
                                                                        contact_rest_speed(t, watch_acceleration(z->watch, i, 0, NULL))));
        some |= z->takes_part[i];
        open_contact(x, i);
    }
    if (!some) return contact_mend(z, x);
    status = meeting_collect(z, x, z->takes_part);
    if (status) return status;
    for (int i = 0; i < all->count; i++) {
        cone_contact *c = &all->cones[i];
        set_cone(z, c, all->who[i]);
        for (int r = 0; r <= c->tangents; r++) {
            real size, a = watch_acceleration(z->watch, all->who[i], r, &size);
            all->b[c->first + r] = REAL(fabs)(a) > (r ? SOME_ROUNDINGS * size : no_acceleration(z, all->who[i], size)) ? a : 0;
        }
    }
    status = cone_solve(z->context, all->count, all->cones, all->rows, all->W, all->b, all->P);
    if (status == TAUT_NO_CONVERGENCE) { /* begin with all of them, and mend */
        for (int i = 0; i < all->count; i++) close_contact(z, x, all->who[i]);
        status = TAUT_OK;
    } else if (!status) {
        take_modes(z, x);
    }
    return status ? status : contact_mend(z, x);
}

/* Positions are moved in the metric of the mass matrix as if the contacts were closed; then velocities, by as little, onto the
   constraints of the phase. */
int contact_lift(hybrid *z, state *x)
{
    phase *ph;
    int some = 0;
    watch_look(z->watch, x->q, x->w, x->t, z->h);
    contact_remember(z, x);
    for (size_t i = 0; i < z->count; i++) {
        const touch *t = watch_touch(z->watch, i);
        if (z->modes[i] != MODE_OPEN || !(t->gap < -t->round_off)) continue;
        contact_extra(x, i)[EXTRA_MODE] = MODE_HELD;
        some = 1;
    }
    if (!some) return TAUT_OK;
    int status = phases_get(&z->phases, x, &ph);
    if (!status) status = phase_load(ph, x);
    if (!status) status = start_project(ph->s, &ph->begin);
    if (!status) memcpy(x->q, ph->begin.q, z->n * sizeof(real));
    if (!status) memset(x->q_low, 0, z->n * sizeof(real));
    for (size_t i = 0; i < z->count; i++) contact_extra(x, i)[EXTRA_MODE] = z->modes[i];
    if (status == TAUT_SINGULAR) return TAUT_OK; /* more surfaces than can be told apart: they stay as they are */
    if (!status) status = phases_get(&z->phases, x, &ph);
    if (!status) status = phase_load(ph, x);
    if (!status) status = start_project(ph->s, &ph->begin);
    if (!status) phase_store(ph, &ph->begin, x);
    return status;
}
