/* How a run moves, and what follows from it: how large the scene is, whether the camera had better follow, which places
 * leave a trail, how fast a film should be. viewer/src/motion.ts has the same rules for the page. */
#ifndef TAUT_RENDER_MOTION_H
#define TAUT_RENDER_MOTION_H

#include "render/drawn_run.h"
#include "report/choice.h"

#define MOTION_TRACED 7

typedef struct {
    double low[3], high[3];
} extent;

typedef struct motion {
    taut_context *context;
    drawn_run *run;
    long first;                   /* frame of the run that is the first here */
    moving_choice choice;
    int32_t *slot;                /* per place: its number among those that move, or -1 */
    float *still, *motion;        /* all places of the first frame; the moving ones of the chosen frames */
    double *times;                /* of those */
    uint32_t *counted;            size_t counted_count;  /* places that the camera must show */
    float *scratch;               /* all places of a frame */

    extent box;                   /* around everything, in all frames */
    double centre[3], span;       /* of it, and its diagonal */
    double size;                  /* largest extent in a single frame */
    double reach;                 /* radius of a ball about the centre that holds everything */
    double view;                  /* radius of what the camera shows when it follows */
    int drifts;                   /* what moves is held by nothing, and goes much farther than it is large */
    float *cloud;                 size_t cloud_count, cloud_capacity; /* some of the places that are taken */
    uint32_t traced[MOTION_TRACED]; int traced_count;
    double shortest;              /* bar; INFINITY: none */
    double travel;                /* mean path length per recorded frame of a traced place */
    double arrow_most;            /* length of the longest arrow without a scale of its own */
    double speed;                 /* time per second at which the motion is well seen */
} motion;

/* Of frames first .. first + count - 1 of the run. */
int taut_motion_create(drawn_run *run, long first, long count, motion **result);
/* NULL is allowed. */
void taut_motion_destroy(motion *z);

static inline int motion_moves(const motion *z, uint32_t place) { return z->slot[place] >= 0; }
/* All places of one of the chosen frames. */
void taut_motion_fill(const motion *z, long i, float *places);
/* Middle of what moves, from all places of a frame. */
void taut_motion_middle(const motion *z, const float *places, double *middle);
/* Length in the picture of an arrow of one unit. */
double taut_motion_arrow(const motion *z, const taut_shape *s);

#endif
