/* What the contacts of a model are at a state: gaps, how fast they open, which way is tangential, how fast it slips. */
#ifndef TAUT_CONTACT_KINEMATICS_H
#define TAUT_CONTACT_KINEMATICS_H

#include "contact/traits.h"
#include "system/state.h"

/* One contact at the place of the last kinematics_evaluate. */
typedef struct {
    real gap, rate;        /* and its time derivative */
    real round_off;        /* of the gap, by the sizes of the coordinates in it */
    real rate_round_off;
    real normal; /* |gradient of the gap| by the coordinates of its point: the normal force over the multiplier; 1
                    otherwise */
    real mu;               /* friction coefficient */
    real tangent[2][3];    /* of a contact of points */
    real slip[2];          /* velocity along the surface */
    real slip_round_off;
} contact_motion;

typedef struct kinematics kinematics;

/* m has contacts, with these traits, which must outlive the object. */
int X(kinematics_create)(const model *m, const contact_traits *traits, kinematics **result);
void X(kinematics_destroy)(kinematics *self);
/* Looks at all contacts; h: the step, because round-off of a gap is also that of the way to it. */
void X(kinematics_evaluate)(kinematics *self, const real *q, const real *stage, real t, real h);
const contact_motion *X(kinematics_of)(const kinematics *self, size_t contact);
/* Velocities at the place of the last look. */
const real *X(kinematics_velocity)(const kinematics *self);

/* The gradient of row r of a contact by all coordinates: the gap (0), the slip in its tangential directions (1, 2). */
void X(kinematics_row)(const kinematics *self, size_t contact, int r, real *out);
/* d^2/dt^2 of row r when the velocities change by dv: the gap; the slip of a contact that does not slip. *scale: of its
   terms, if all coordinates were accelerated as the fastest. */
void X(kinematics_accelerate)(kinematics *self, const real *dv);
real X(kinematics_acceleration)(const kinematics *self, size_t contact, int r, real *scale);
/* The largest of dv. */
real X(kinematics_fastest)(const kinematics *self);

/* Slip along the direction in the slots of a contact; and the slots of a contact that slips along d (tangential), or
 * that sticks here. */
real X(kinematics_slip_along)(const kinematics *self, size_t contact, const real *slots);
void X(kinematics_slip_slots)(const kinematics *self, size_t contact, const real *d, real *slots);
void X(kinematics_stick_slots)(const kinematics *self, size_t contact, real *slots);
/* A tangential vector from the tangents of a contact that sticks, in its slots, to those of here. */
void X(kinematics_from_stick)(const kinematics *self, size_t contact, const real *slots, const real *from, real *to);
/* The system whose constraints are those of the model and all gaps: its symmetries are those that contacts leave. */
struct system *X(kinematics_system)(kinematics *self);
/* The smallest coordinate that has a scale of its own. */
real X(kinematics_smallest_scale)(const kinematics *self);

#endif
