/* The picture of a run: its model, what is drawn, and where it is in any of the recorded frames. */
#ifndef TAUT_REPORT_MOVING_H
#define TAUT_REPORT_MOVING_H

#include "record/record.h"
#include "report/choice.h"
#include "report/mesh.h"
#include "report/picture.h"

typedef struct {
    taut_context *context;
    record *r;
    model *m;
    picture *shown;
    mesh *meshes;      /* per shape of the picture; count 0 where it is none, or its file cannot be read. NULL: no
                          mesh */
    size_t *sources;   /* columns of the record: time and what the picture depends on */
    double *values;
} moving;

/* Loads the model that the run file contains. Relative names of meshes are those of files in the folder `meshes`; NULL:
   beside the run file. A mesh whose file cannot be read is not drawn, and the context is told: a run may be looked at
   elsewhere. On failure, too, taut_moving_close is to be called. */
int taut_moving_open(moving *z, taut_context *context, record *r, const char *meshes);
void taut_moving_close(moving *z);

/* All places of a frame of the run, 3 numbers each, and its time. */
int taut_moving_places(moving *z, long frame, double *t, float *places);
/* The first frame at or after t (with past: after it), by bisection: times only grow. */
int taut_moving_find(moving *z, double t, int past, long *frame);
/* The frames of an animation of so many. */
moving_choice taut_moving_choose(const moving *z, long frames);

#endif
