/* What the animation of a page shows: shapes and where their places are. From the model's draw; without one, guessed
 * from distance constraints and points. */
#ifndef TAUT_REPORT_PICTURE_H
#define TAUT_REPORT_PICTURE_H

#include "model/model.h"

/* A coordinate, velocity or multiplier: its column in a run is called what model_namer says. */
typedef struct {
    kind k;
    uint32_t index;
} picture_variable;

typedef struct picture {
    model *m;
    int guessed;
    int flat;                /* z is 0 everywhere: a picture of the plane */
    shape *shapes;           size_t shape_count, shape_capacity; /* first, rows, columns count in `index` */
    uint32_t *index;         size_t index_count, index_capacity; /* of shapes, into places */
    drawn_place *places;     size_t place_count, place_capacity; /* no two are the same */
    uint32_t *moving;        size_t moving_count;                /* those that depend on coordinates or time */
    size_t omitted;          /* shapes left out because there are too many */

    expr *order;             size_t order_count;  /* all nodes of the places, operands first */
    uint32_t *position;      /* of a node in order */
    wide *values;
    picture_variable *coordinates; size_t coordinate_count; /* that the places depend on, ascending */
} picture;

/* Places of a picture at the most: a page must stay small. */
#define PICTURE_PLACES 20000

int taut_picture_create(model *m, picture **result);
/* NULL is allowed. */
void taut_picture_destroy(picture *p);
/* The places at a time: coordinates[i] is the value of coordinate p->coordinates[i]. Writes 3 numbers per place. A
   place whose expression has no value comes out as NaN. */
void taut_picture_places(const picture *p, double t, const double *coordinates, float *places);

/* For picture_create: adds a shape by its places, or counts it as omitted. */
int taut_picture_add(picture *p, const shape *what, const drawn_place *places);
/* guess.c */
int taut_picture_guess(picture *p);

#endif
