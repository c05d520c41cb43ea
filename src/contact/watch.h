/* What the contacts of a model are at a state: gaps, how fast they open, which way is tangential, how fast it slips. */
#ifndef TAUT_CONTACT_WATCH_H
#define TAUT_CONTACT_WATCH_H

#include "model/phase.h"
#include "system/state.h"

/* One contact at the place of the last watch_look. */
typedef struct {
    real gap, rate;        /* and its time derivative */
    real round_off;        /* of the gap, by the sizes of the coordinates in it */
    real rate_round_off;
    real normal;           /* |gradient of the gap| by the coordinates of its point: the normal force over the multiplier; 1 otherwise */
    real mu;               /* friction coefficient */
    real tangent[2][3];    /* of a contact of points */
    real slip[2];          /* velocity along the surface */
    real slip_round_off;
} touch;

typedef struct watch watch;

/* m has contacts. */
int watch_create(const model *m, watch **result);
void watch_destroy(watch *w);
/* Looks at all contacts; h: the step, because round-off of a gap is also that of the way to it. */
void watch_look(watch *w, const real *q, const real *stage, real t, real h);
const touch *watch_touch(const watch *w, size_t contact);
/* Velocities at the place of the last look. */
const real *watch_velocity(const watch *w);

/* The gradient of row r of a contact by all coordinates: the gap (0), the slip in its tangential directions (1, 2). */
void watch_row(const watch *w, size_t contact, int r, real *out);
/* d^2/dt^2 of row r when the velocities change by dv: the gap; the slip of a contact that does not slip. *scale: of its terms, if all coordinates
   were accelerated as the fastest. */
void watch_accelerate(watch *w, const real *dv);
real watch_acceleration(const watch *w, size_t contact, int r, real *scale);

/* Slip along the direction in the slots of a contact; and the slots of a contact that slips along d (tangential), or that sticks here. */
real watch_along(const watch *w, size_t contact, const real *slots);
void watch_direction(const watch *w, size_t contact, const real *d, real *slots);
void watch_anchor(const watch *w, size_t contact, real *slots);
/* The system whose constraints are those of the model and all gaps: its symmetries are those that contacts leave. */
struct system *watch_system(watch *w);
/* The smallest coordinate that has a scale of its own. */
real watch_least(const watch *w);

#endif
