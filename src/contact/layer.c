/* Friction and rolling resistance that fade below a velocity of width w, as s/sqrt(s^2 + w^2), turn around while s
 * passes a layer of that width. Where a body goes through it in less than a step (a ball that is thrown without spin:
 * w/|s'| is half a millisecond) a method sees the forces before and after it alone, and the step has an error of order
 * 1. So substeps near the layer are parts of the time in which s changes by what is there of it: they shrink towards
 * the layer and grow behind it, in proportion, and there are few of them. */
#include "contact/hybrid_inside.h"

#define PART ((real)1 / 4)       /* of the time sqrt(s^2 + w^2)/|s'| */
#define LEAST ((real)1 / 1024)   /* of the step: what happens in less than that is small beside its own error */

#define SMOOTH ((real)1 / 32)    /* forces that change by less than this part in a short substep */

/* Contact i has such forces. */
static int is_layered(const hybrid *self, const mode_set *set, size_t i)
{
    int acts = set->modes[i] != MODE_OPEN && set->modes[i] != MODE_HELD;
    return acts && (self->traits[i].regularised || self->constants.roll_width[i] > 0);
}

int X(contact_fades)(const hybrid *self, const mode_set *set, const real *a, const real *b)
{
    real most = 0, changed = 0;
    int some = 0;
    for (size_t i = 0; i < self->count; i++) some |= is_layered(self, set, i);
    for (uint32_t k = 0; some && k < self->n; k++) {
        most = REAL(fmax)(most, REAL(fabs)(a[k]));
        changed = REAL(fmax)(changed, REAL(fabs)(b[k] - a[k]));
    }
    return changed > SMOOTH * most;
}

/* 2 vec(rate conj(r)), its part along the surface; in the plane the rate itself. */
static real turning(const hybrid *self, size_t i, const real *q, const real *rate, real *along)
{
    const contact_traits *c = &self->traits[i];
    const contact_motion *t = X(kinematics_of)(self->kinematics, i);
    const real *r = q + c->turn.first, *dr = rate + c->turn.first;
    along[0] = dr[0], along[1] = 0;
    if (c->turn.size == 1) return REAL(fabs)(dr[0]);
    real spin[3] = { 2 * (r[0] * dr[1] - r[1] * dr[0] + r[2] * dr[3] - r[3] * dr[2]),
                     2 * (r[0] * dr[2] - r[2] * dr[0] + r[3] * dr[1] - r[1] * dr[3]),
                     2 * (r[0] * dr[3] - r[3] * dr[0] + r[1] * dr[2] - r[2] * dr[1]) };
    for (int d = 0; d < 2; d++) {
        along[d] = 0;
        for (int k = 0; k < 3; k++) along[d] += t->tangent[d][k] * spin[k];
    }
    return REAL(sqrt)(along[0] * along[0] + along[1] * along[1]);
}

/* *longest := at most how long a velocity of size s, with an acceleration a, stays what it is but for a part of it. */
static void shorten(real *longest, real s, real w, real a)
{
    real size = PART * REAL(sqrt)(s * s + w * w);
    if (*longest * a > size) *longest = size / a;
}

static real size_of(const real *v, uint32_t count)
{
    return count == 2 ? REAL(sqrt)(v[0] * v[0] + v[1] * v[1]) : REAL(fabs)(v[0]);
}

real X(contact_longest)(hybrid *self, const mode_set *set, real left)
{
    real longest = left, along[2];
    for (size_t i = 0; i < self->count; i++) {
        const contact_traits *c = &self->traits[i];
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        real roll = self->constants.roll_width[i];
        if (!is_layered(self, set, i)) continue;
        if (c->regularised) {
            X(kinematics_accelerate)(self->kinematics, set->dv);
            for (uint32_t r = 0; r < c->slide_count; r++)
                along[r] = X(kinematics_acceleration)(self->kinematics, i, (int)r + 1, NULL);
            shorten(&longest, size_of(t->slip, c->slide_count), self->constants.width[i],
                    size_of(along, c->slide_count));
        }
        if (roll > 0) {
            real speed = turning(self, i, set->begin.q, X(kinematics_velocity)(self->kinematics), along);
            shorten(&longest, speed, roll, turning(self, i, set->begin.q, set->dv, along));
        }
    }
    return REAL(fmin)(left, REAL(fmax)(longest, LEAST * self->step.h));
}
