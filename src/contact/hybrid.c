#include "contact/hybrid.h"

#include <string.h>

#include "contact/active_set.h"
#include "contact/parts.h"

void hybrid_destroy(hybrid *z)
{
    if (!z) return;
    taut_context *context = z->context;
    kkt_destroy(z->kkt);
    watch_destroy(z->watch);
    phases_clear(&z->phases);
    meeting *k = &z->meeting;
    void *arrays[] = { k->who, k->cones, k->J, k->W, k->b, k->P, z->restitution, z->saved.block, z->leaving, z->held, z->modes, z->takes_part,
                       z->impulse, z->floor, z->slip_floor, z->guess, z->width, z->a, z->b, z->v, z->w, z->kick, z->multiplier, z->right,
                       z->pi_w, z->nu_w, z->force, z->jacobian, z->value, z->start, z->tolerance, z->rate, z->rate_start, z->ignore, z->together };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(context, arrays[i]);
    mem_free(context, z);
}

static int create_arrays(hybrid *z, const struct system *s)
{
    meeting *k = &z->meeting;
    size_t count = z->count, n = s->n, c = s->c, rows = 3 * count;
    struct { void *array; size_t size, item; } all[] = {
        { &k->who, count, sizeof *k->who }, { &k->cones, count, sizeof *k->cones }, { &k->b, rows, sizeof(real) }, { &k->P, rows, sizeof(real) },
        { &z->restitution, count, sizeof(real) }, { &z->impulse, count, sizeof(real) }, { &z->floor, count, sizeof(real) },
        { &z->slip_floor, count, sizeof(real) }, { &z->guess, count, sizeof(real) }, { &z->width, count, sizeof(real) },
        { &z->leaving, count, 1 }, { &z->held, count, 1 }, { &z->modes, count, 1 }, { &z->takes_part, count, 1 }, { &z->ignore, 2 * count, 1 }, { &z->together, 2 * count, 1 },
        { &z->a, n, sizeof(real) }, { &z->b, n, sizeof(real) }, { &z->v, n, sizeof(real) }, { &z->w, n, sizeof(real) },
        { &z->kick, n, sizeof(real) }, { &z->multiplier, c, sizeof(real) }, { &z->right, c, sizeof(real) },
        { &z->value, 2 * count, sizeof(real) }, { &z->start, 2 * count, sizeof(real) }, { &z->tolerance, 2 * count, sizeof(real) },
        { &z->rate, count, sizeof(real) }, { &z->rate_start, count, sizeof(real) },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *block = mem_new(z->context, all[i].size, all[i].item);
        if (!block) return TAUT_OUT_OF_MEMORY;
        memcpy(all[i].array, &block, sizeof block);
    }
    return TAUT_OK;
}

static int read_constants(hybrid *z, struct system *s)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < z->count; i++) {
        const contact *c = &z->m->contacts[i];
        z->guess[i] = z->m->form == FORM_RATES ? 1 : 0;
        status = system_constant(s, c->restitution, &z->restitution[i]);
        if (!status && c->width) status = system_constant(s, c->width, &z->width[i]);
        if (!status && c->guess) status = system_constant(s, c->guess, &z->guess[i]);
    }
    return status;
}

/* A method that cannot run a phase with friction is refused at once, not at the first contact. */
static int try_friction(hybrid *z, state *x)
{
    for (size_t i = 0; i < z->count; i++) {
        if (!z->m->contacts[i].friction) continue;
        phase *ph;
        contact_extra(x, i)[EXTRA_MODE] = phase_closed_mode(&z->m->contacts[i], 1);
        int status = phases_get(&z->phases, x, &ph);
        contact_extra(x, i)[EXTRA_MODE] = MODE_OPEN;
        return status;
    }
    return TAUT_OK;
}

int hybrid_create(const model *m, const struct method_class *class, const method_spec *spec, real tolerance, const hybrid_options *options,
                  hybrid **result)
{
    *result = NULL;
    hybrid *z = mem_new(m->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->m = m;
    z->context = m->context;
    z->count = m->contact_count;
    z->options = *options;
    method_info declared = method_class_declared(class, spec);
    z->can_hold = declared.order >= 2;
    z->beside = (declared.keeps & KEEPS_POSITION) && !(declared.keeps & KEEPS_VELOCITY);
    int status = phases_create(m, class, spec, tolerance, &z->phases);
    if (!status) status = phases_open(&z->phases, &z->open);
    if (!status) status = watch_create(m, &z->watch);
    if (!status) {
        z->n = z->open->s->n;
        z->c = z->open->s->c;
        struct system with = *z->open->s; /* for the sizes alone */
        with.extra_count = (uint32_t)(EXTRA_SIZE * z->count);
        status = state_create(&with, &z->saved);
    }
    if (!status) status = create_arrays(z, z->open->s);
    if (!status) status = read_constants(z, z->open->s);
    if (!status && options->active_set) status = active_set_check(z, class, spec);
    if (!status) status = try_friction(z, &z->saved);
    if (status)
        hybrid_destroy(z);
    else
        *result = z;
    return status;
}

newton_counts hybrid_counts(const hybrid *z) { return phases_counts(&z->phases); }

/* ---- events ---- */

/* Impacts first, then which contacts stay closed; tells of both. */
static int touch_down(hybrid *z, state *x, long trigger, int *changed)
{
    int hit;
    real most = 0;
    int status = contact_impact(z, x, trigger, &hit);
    if (!status) status = contact_settle(z, x);
    for (size_t i = 0; hit && i < z->count; i++) most = REAL(fmax)(most, z->impulse[i]);
    for (size_t i = 0; !status && hit && i < z->count; i++)
        if (z->impulse[i] > 1000 * REAL_EPSILON * most) status = contact_tell(z, i, EVENT_IMPACT, z->impulse[i]);
    /* one that closes by a rounding, and does not stay closed, has changed nothing */
    *changed = 0;
    for (size_t i = 0; hit && i < z->count; i++) *changed |= z->impulse[i] > 0 && z->rate[i] < -z->floor[i];
    return status ? status : contact_tell_changes(z, x, changed);
}

/* Slip has come to its end: it sticks, or goes on the other way. */
static int slip_ends(hybrid *z, state *x, size_t i)
{
    int status, changed = 0;
    watch_look(z->watch, x->q, x->w, x->t, z->h);
    stick_contact(z, x, i);
    status = contact_mend(z, x);
    if (!status) status = contact_tell_changes(z, x, &changed);
    if (!status && contact_mode_of(x, i) == MODE_SLIP) status = contact_tell(z, i, EVENT_SLIP, 0);
    return status;
}

/* Sticking has come to its limit. */
static int stick_ends(hybrid *z, state *x, size_t i)
{
    const real *lambda = contact_extra(x, i) + EXTRA_LAMBDA;
    const real *slots = contact_extra(x, i) + EXTRA_SLOTS;
    real direction[2] = { 0, 0 };
    watch_look(z->watch, x->q, x->w, x->t, z->h);
    const touch *t = watch_touch(z->watch, i);
    uint32_t rows = z->m->contacts[i].slide_count;
    int given = z->m->contacts[i].slide_type == SLIDE_GIVEN;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < rows; k++) {
            real overlap = given ? r == k : 0;
            for (int d = 0; !given && d < 3; d++) overlap += slots[SLOT_TANGENT + 3 * r + (uint32_t)d] * t->tangent[k][d];
            direction[k] -= overlap * lambda[1 + r];
        }
    slip_contact(z, x, i, direction);
    int status = contact_mend(z, x);
    return status ? status : contact_tell_changes(z, x, NULL);
}

static int happen(hybrid *z, state *x, const located *event, int *changed)
{
    size_t i = event->contact;
    int status;
    *changed = 1;
    memset(z->floor, 0, z->count * sizeof(real));
    memset(z->slip_floor, 0, z->count * sizeof(real));
    memset(z->leaving, 0, z->count);
    contact_remember(z, x);
    switch (event->kind) {
    case CROSS_GAP: return touch_down(z, x, (long)i, changed);
    case CROSS_PULL:
        open_contact(x, i);
        z->leaving[i] = 1;
        status = contact_mend(z, x);
        return status ? status : contact_tell_changes(z, x, NULL);
    case CROSS_SLIP: return slip_ends(z, x, i);
    default: return stick_ends(z, x, i);
    }
}

/* ---- steps ---- */

static int advance(hybrid *z, state *x, real h)
{
    real left = h;
    long still = 0, most = 200 + 20 * (long)z->count, events = 0, pieces = 0;
    memset(z->ignore, 0, 2 * z->count);
    while (left > 0) {
        located event;
        int status = contact_piece(z, x, left, &event);
        if (!status && event.kind != CROSS_GAP) status = contact_lift(z, x);
        if (status) return status;
        left = event.kind == CROSS_NONE && !event.partial ? 0 : left - event.length;
        if (left < z->shortest) left = 0;
        still = event.length > 0 ? 0 : still + 1;
        if (event.kind != CROSS_NONE) {
            int changed;
            events++;
            status = happen(z, x, &event, &changed);
            if (status) return status;
            /* a gap that is below zero by rounding, and neither closes nor is pressed: not to be asked again in this step */
            if (!changed && event.length == 0) z->ignore[2 * event.contact] = 1;
        }
        if (still > most || ++pieces > 100000)
            return fail(z->context, TAUT_NO_CONVERGENCE,
                        "at t = %.9g: contacts change without end (%ld events in one step); try less restitution, regularised friction, or "
                        "another start", (double)x->t, events);
    }
    return TAUT_OK;
}

int hybrid_step(hybrid *z, state *x, real h)
{
    if (!(h > 0)) return fail(z->context, TAUT_BAD_USAGE, "a model with contacts is stepped forward in time: the step must be positive");
    state_copy(x, &z->saved);
    z->h = h;
    int status = z->options.active_set ? active_set_step(z, x, h) : advance(z, x, h);
    if (status)
        state_copy(&z->saved, x);
    else
        state_next_time(&z->saved, h, &x->t, &x->t_low); /* as if it had been one step */
    return status;
}

void hybrid_take_back(const hybrid *z, state *x) { state_copy(&z->saved, x); }

int hybrid_start(hybrid *z, state *x)
{
    z->h = 0;
    memset(z->leaving, 0, z->count);
    for (size_t i = 0; i < z->count; i++) open_contact(x, i);
    watch_look(z->watch, x->q, x->w, x->t, 0);
    for (size_t i = 0; i < z->count; i++) {
        const touch *t = watch_touch(z->watch, i);
        /* 1e-9 of the coordinates: what counts as a rounding of the given numbers, as for constraints */
        real given = REAL(fmax)(t->round_off, t->round_off / (16 * REAL_EPSILON) * (real)1e-9);
        if (t->gap < -given)
            return fail(z->context, TAUT_BAD_MODEL, "%s:%d: the start lies below the surface: the gap of contact '%s' is %.3g; correct the start "
                                                    "values", z->m->file, z->m->contacts[i].line, z->m->contacts[i].name, (double)t->gap);
        if (!(t->gap - t->gap == 0))
            return fail(z->context, TAUT_NOT_FINITE, "%s:%d: the gap of contact '%s' is not finite at the start; correct the formula or the start "
                                                     "values", z->m->file, z->m->contacts[i].line, z->m->contacts[i].name);
    }
    memset(z->floor, 0, z->count * sizeof(real));
    memset(z->slip_floor, 0, z->count * sizeof(real));
    contact_remember(z, x);
    return contact_settle(z, x);
}

int hybrid_symmetries(hybrid *z, const state *x, symmetry *list, int *count)
{
    symmetry left[SYMMETRY_LIMIT];
    int left_count, kept = 0;
    int status = symmetry_find(watch_system(z->watch), x->q, x->w, left, &left_count);
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

int hybrid_measure(hybrid *z, const state *x, real *lambda, real *gaps, real *observables)
{
    phase *ph;
    int status = phases_get(&z->phases, x, &ph);
    if (!status) status = phase_load(ph, x);
    if (!status && ph->s->c) status = phase_forces(ph, &ph->begin);
    if (status) return status;
    watch_look(z->watch, x->q, x->w, x->t, 0);
    for (uint32_t k = 0; lambda && k < z->c; k++) lambda[k] = ph->lambda[k];
    for (size_t i = 0; i < z->count; i++) {
        if (lambda) lambda[z->c + i] = ph->first[i] < 0 ? 0 : ph->lambda[ph->first[i]];
        if (gaps) gaps[i] = watch_touch(z->watch, i)->gap;
    }
    place at = place_at(ph->s, ph->begin.q, ph->begin.w, &ph->begin.t, ph->lambda);
    if (observables) system_observables(ph->s, &at, observables);
    return TAUT_OK;
}
