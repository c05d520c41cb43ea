/* A piece of a step: in one phase, to the first event.
 *
 * A contact that is let go where its multiplier is zero opens like s^3, and the error of a method of order 2 is as large: the free piece may
 * end below the surface. Then it is made along the surface instead, the contact held closed, with a multiplier that is negative by O(h). At
 * the end of the piece it is free again, with an acceleration off the surface: no position is moved and no work is done. Held for a time
 * O(h), one piece or some, by a force O(h) velocities change by O(h^2) for each contact that is let go: the order stays 2. The error of a
 * method of higher order is smaller than s^3, it seldom comes to this. A method of order 1 would hold the contact for a time that does not shrink with h: it is
 * lifted (decide.c). */
#include <string.h>

#include "contact/parts.h"
#include "solve/start.h"

#define SHORTER_PIECES 6 /* a free piece is tried down to 4^-6 of its length */

/* ---- directions of slip ---- */

/* Directions of slip on a surface of two dimensions follow the slip. */
static void turn_directions(hybrid *z, state *x)
{
    int any = 0;
    for (size_t i = 0; i < z->count; i++) any |= contact_mode_of(x, i) == MODE_SLIP && z->m->contacts[i].slide_count == 2;
    if (!any) return;
    watch_look(z->watch, x->q, x->w, x->t, z->h);
    for (size_t i = 0; i < z->count; i++) {
        const touch *t = watch_touch(z->watch, i);
        if (contact_mode_of(x, i) != MODE_SLIP || z->m->contacts[i].slide_count != 2) continue;
        real size = REAL(sqrt)(t->slip[0] * t->slip[0] + t->slip[1] * t->slip[1]);
        if (size > t->slip_round_off) watch_direction(z->watch, i, t->slip, contact_extra(x, i) + EXTRA_SLOTS);
    }
}

/* All slips of two dimensions keep their directions. Returns whether one of them did not. */
static int keep_directions(hybrid *z, state *x)
{
    int some = 0;
    for (size_t i = 0; i < z->count; i++) {
        real *keep = contact_extra(x, i) + EXTRA_SLOTS + SLOT_KEEP;
        if (contact_mode_of(x, i) != MODE_SLIP || z->m->contacts[i].slide_count != 2 || *keep != 0) continue;
        *keep = some = 1;
    }
    return some;
}

/* ---- holding ---- */

int contact_holds(const hybrid *z)
{
    int some = 0;
    for (size_t i = 0; i < z->count; i++) some |= z->held[i];
    return some;
}

/* The phase of x with the held contacts closed, x loaded. What their velocities are beside the surface, O(h^2), is taken away as by a plastic
   impact. */
static int held_phase(hybrid *z, state *x, phase **result)
{
    for (size_t i = 0; i < z->count; i++)
        if (z->held[i]) contact_extra(x, i)[EXTRA_MODE] = MODE_HELD;
    int status = phases_get(&z->phases, x, result);
    if (!status) status = phase_load(*result, x);
    for (size_t i = 0; i < z->count; i++)
        if (z->held[i]) contact_extra(x, i)[EXTRA_MODE] = MODE_OPEN;
    return status || !contact_holds(z) ? status : start_project((*result)->s, &(*result)->begin);
}

/* Marks the contacts that the piece has left below their surfaces. Returns whether there are some. */
static int find_below(const hybrid *z, const phase *ph, unsigned char *which)
{
    int some = 0;
    for (size_t i = 0; i < z->count; i++)
        if (contact_left_below(z, ph, i)) which[i] = some = 1;
    return some;
}

/* The piece from x up to `left`, or to the first event, is the end of *result. Where it cannot be made with the contacts held (near a singular
   position, say) shorter free ones are tried. */
static int find_piece(hybrid *z, state *x, real left, located *event, phase **result)
{
    int shorter = z->can_hold ? 0 : SHORTER_PIECES;
    real end = left;
    for (;;) {
        int status = held_phase(z, x, result);
        if (!status) status = contact_locate(z, *result, end, event);
        if (status > 0 && status != TAUT_OUT_OF_MEMORY && contact_holds(z)) {
            memset(z->held, 0, z->count);
            shorter = status == TAUT_SINGULAR ? SHORTER_PIECES : 1; /* they follow from others that are closed */
            if (shorter == 1) end /= 4;
            continue;
        }
        if (status > 0 && status != TAUT_OUT_OF_MEMORY && keep_directions(z, x)) continue;
        if (status) return status;
        event->partial |= end < left;
        if (event->keep) {
            contact_extra(x, event->contact)[EXTRA_SLOTS + SLOT_KEEP] = 1;
        } else if (shorter == SHORTER_PIECES || !find_below(z, *result, shorter ? z->takes_part : z->held)) {
            return TAUT_OK;
        } else if (shorter) {
            shorter++;
            end /= 4;
        }
    }
}

int contact_piece(hybrid *z, state *x, real left, located *event)
{
    phase *ph;
    turn_directions(z, x);
    memset(z->held, 0, z->count);
    int status = find_piece(z, x, left, event, &ph);
    if (status) return status;
    phase_store(ph, &ph->end, x);
    for (size_t i = 0; i < z->count; i++)
        if (z->held[i]) open_contact(x, i);
    return TAUT_OK;
}
