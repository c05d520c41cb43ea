/* A model with contacts is, as long as none of them changes its mode, a model with constraints. The model of a set of
 * modes has the contacts that are closed as constraints after its own, those that stick with constraints along the
 * surface as well, those that slip with their friction as a force; open contacts are not there and their multipliers
 * are 0. Methods never hear of contacts.
 *
 * What it needs to know beyond the modes (the direction of slip, the place where a point sticks) are parameters of its
 * model, CONTACT_SLOTS for each contact, behind those of the user. */
#ifndef TAUT_MODEL_CONTACT_MODE_H
#define TAUT_MODEL_CONTACT_MODE_H

#include "model/model.h"

typedef enum {
    MODE_OPEN,
    MODE_CLOSED, /* without friction, or with regularised friction */
    MODE_SLIP,   /* set-valued friction against the direction of slip */
    MODE_STICK,
    MODE_HELD /* a constraint and nothing else: no friction, and other forces see no multiplier (rates, in which it has
                 its place, do) */
} contact_mode;

/* The parameters of a contact. Slip: the direction, one sign or a vector, whether friction keeps it (1) or follows
 * the slip (0), and how much slip is noise when it begins. Stick: two tangents of three components and where they
 * began; of a body where its point, its rotation and its arm were. */
enum { SLOT_DIRECTION = 0, SLOT_KEEP = 3, SLOT_NOISE = 4, SLOT_TANGENT = 0, SLOT_ANCHOR = 6, SLOT_CENTRE = 6,
       SLOT_TURN = 9, SLOT_ARM = 13, CONTACT_SLOTS = 16 };

/* Shares everything but its lists with m, which must outlive it. */
int taut_mode_model_create(const model *m, const unsigned char *modes, model **result);
/* For measuring: the constraints of m, then all gaps, then all given slides as constraints, then those of bodies, then
   coordinates of points that rub against the surroundings (they break symmetries); friction coefficients, then the arms
   of bodies, as observables. */
int taut_gap_model_create(const model *m, model **result);
void taut_mode_model_destroy(model *m);

/* How many constraints a contact is in this mode: the gap first, then the directions in which it sticks. */
uint32_t taut_contact_rows(const contact *c, contact_mode mode);
/* The mode of a closed contact with slip (1) or without (0). */
contact_mode taut_contact_closed_mode(const contact *c, int slips);

#endif
