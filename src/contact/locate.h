/* Where inside a step something happens to a contact. */
#ifndef TAUT_CONTACT_LOCATE_H
#define TAUT_CONTACT_LOCATE_H

#include "contact/modes.h"

struct hybrid;

/* What crosses zero: the gap of an open contact; the multiplier of a closed one; slip along its direction; what
 * friction can hold; of closed contacts that depend on each other together, whether they can carry the load. */
typedef enum { CROSS_NONE, CROSS_GAP, CROSS_PULL, CROSS_SLIP, CROSS_STICK, CROSS_LOAD } cross_kind;

typedef struct {
    cross_kind kind;
    size_t contact;
    real length;       /* of the step to there */
    int partial;       /* nothing happened, but only a part of the step could be done */
    int keep;          /* not located: slip of `contact`, of two dimensions, ends somewhere; it is to keep its direction
                          (SLOT_KEEP) */
} located;

/* Steps from set->begin by `left`, or to the first event in between; the result is set->end. */
int X(contact_locate)(struct hybrid *self, mode_set *set, real left, located *event);
/* After that: an open contact whose gap is below zero though no event is to be made of it, for it opens. */
int X(contact_left_below)(const struct hybrid *self, const mode_set *set, size_t contact);

#endif
