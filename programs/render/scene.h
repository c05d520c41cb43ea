/* The scene of a run in one frame, as the page draws it (viewer/src/stage_webgl.ts): the same camera, sizes, colours,
 * trails and shadows. */
#ifndef TAUT_RENDER_SCENE_H
#define TAUT_RENDER_SCENE_H

#include "render/tracer.h"
#include "render/motion.h"

typedef struct {
    int flat, follow;
    double target[3], azimuth, elevation;  /* radians */
    double distance;                       /* in the plane: half the height of the view */
} camera;

/* Length of a pixel at the target. */
double taut_camera_unit(const camera *c, int height);
/* The whole motion in view, in a picture of that shape. Azimuth and elevation are taken as they are. */
void taut_camera_fit(camera *c, const motion *m, int width, int height);

/* A trail: places of the traced points, oldest first, `count` of them each. */
typedef struct {
    const float *places;      /* count x traced x 3 */
    long count;
    int whole;                /* the whole path, which fades less */
} trail;

/* Fills the tracer: taut_tracer_draw makes the picture of it. places: all places of the frame. */
void taut_scene_add(tracer *z, const motion *m, camera *c, int dark, const float *places, const trail *t);

/* Text on top of everything, `size` pixels high, from x, y (its lower left corner). halo: a colour around the letters,
   or NULL. Letters that the font does not have are boxes. */
void taut_letters_add(tracer *z, const char *text, double x, double y, double size, const float *halo,
                      const float *colour);
/* The colour of writing, and its weaker form. */
void taut_scene_ink(int dark, int weak, float *colour);

#endif
