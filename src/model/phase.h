/* Phases: a model with contacts is, as long as none of them changes, a model with constraints. The model of a phase has
 * the contacts that are closed as constraints after its own, those that stick with constraints along the surface as
 * well, those that slip with their friction as a force; open contacts are not there and their multipliers are 0.
 * Methods never hear of contacts.
 *
 * What a phase needs to know beyond its modes (the direction of slip, the place where a point sticks) are parameters of
 * its model, CONTACT_SLOTS for each contact, behind those of the user. */
#ifndef TAUT_MODEL_PHASE_H
#define TAUT_MODEL_PHASE_H

#include "model/model.h"

typedef enum {
    MODE_OPEN,
    MODE_CLOSED,  /* without friction, or with regularised friction */
    MODE_SLIP,    /* set-valued friction against the direction of slip */
    MODE_STICK,
    /* a constraint and nothing else: no friction, and other forces see no multiplier (rates, in which it has its place,
       do) */
    MODE_HELD
} contact_mode;

/* The parameters of a contact. Slip: the direction, one sign or a vector, and whether friction keeps it (1) or follows
   the slip (0). Stick: two tangents of three components and where they began. */
enum { SLOT_DIRECTION = 0, SLOT_KEEP = 3, SLOT_TANGENT = 0, SLOT_ANCHOR = 6, CONTACT_SLOTS = 8 };

/* Shares everything but its lists with m, which must outlive it. */
int phase_model_create(const model *m, const unsigned char *modes, model **result);
/* For measuring: the constraints of m, then all gaps, then all given slides as constraints, then coordinates of points
   that rub against the surroundings (they break symmetries); friction coefficients as observables. */
int phase_watch_create(const model *m, model **result);
void phase_model_destroy(model *phase);

/* How many constraints a contact is in this mode: the gap first, then the directions in which it sticks. */
uint32_t phase_rows(const contact *c, contact_mode mode);
/* The mode of a closed contact with slip (1) or without (0). */
contact_mode phase_closed_mode(const contact *c, int slips);

#endif
