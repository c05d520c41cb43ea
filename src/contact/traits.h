/* What the contacts of a model are like, whatever the state: read from the model once. Only modes.c and kinematics.c
   look into a model after that, to compile others from it. */
#ifndef TAUT_CONTACT_TRAITS_H
#define TAUT_CONTACT_TRAITS_H

#include "model/contact_mode.h"
#include "system/system.h"

typedef struct {
    origin origin;              /* for messages; its texts are the model's */
    slide_type slide_type;
    uint32_t slide_count;
    uint32_t point_count;
    struct {
        uint32_t first, size;   /* coordinates */
    } point[2];
    struct {
        uint32_t first, size;   /* SLIDE_BODY: the coordinates of its rotation */
    } turn;
    int has_friction;
    contact_mode closed[2];     /* its mode when closed: without slip, and with */
    int regularised;
    int moves;                  /* its surface does: time stands in the gap, or in a slide */
} contact_traits;

/* An array, one for each contact; NULL without memory. */
contact_traits *X(contact_traits_create)(const model *m);

#endif
