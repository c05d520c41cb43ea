/* The picture of a run: its model, what is drawn, and where it is in any of the recorded frames. */
#ifndef TAUT_REPORT_MOVING_H
#define TAUT_REPORT_MOVING_H

#include "record/record.h"
#include "report/mesh.h"
#include "report/picture.h"

/* Largest numbers of values and of frames in an animation. Systems with many places get few frames, but not fewer than
   the last. */
#define MOTION_VALUES 1500000
#define MOTION_FRAMES 6000
#define MOTION_FRAMES_LEAST 60
/* An animation that would have to leave out more than every so manyth frame, and can have at least so many, begins with
   half of them one after the other: what passes between frames that are far apart cannot be seen. */
#define MOTION_STRIDE 4
#define MOTION_FRAMES_DENSE 500

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

/* Which frames an animation of many has: the first `dense` ones, then every so manyth, `frames` in all. */
typedef struct {
    long frames, dense, every;
} moving_choice;

/* Loads the model that the run file contains. Relative names of meshes are those of files in the folder `meshes`; NULL:
   beside the run file. A mesh whose file cannot be read is not drawn, and the context is told: a run may be looked at
   elsewhere. On failure, too, taut_moving_close is to be called. */
int taut_moving_open(moving *z, taut_context *context, record *r, const char *meshes);
void taut_moving_close(moving *z);

/* All places of a frame of the run, 3 numbers each, and its time. */
int taut_moving_places(moving *z, long frame, double *t, float *places);
/* The first frame at or after t (with past: after it), by bisection: times only grow. */
int taut_moving_find(moving *z, double t, int past, long *frame);
/* Of so many frames. */
moving_choice taut_moving_choose(const moving *z, long frames);
static inline long moving_frame(const moving_choice *c, long i)
{
    return i < c->dense ? i : c->dense + (i - c->dense) * c->every;
}

#endif
