/* Pictures of a run at any of its times: what `taut render` writes. */
#ifndef TAUT_RENDER_FILM_H
#define TAUT_RENDER_FILM_H

#include "image/image.h"

typedef enum { TRAIL_OFF, TRAIL_SHORT, TRAIL_LONG, TRAIL_ALL } trail_kind;

typedef struct {
    int width, height;
    double from, to;             /* times; -INFINITY and INFINITY: the run's own */
    double azimuth, elevation;   /* of the view, in degrees; NAN: as the page begins */
    double zoom;                 /* 1: everything is in view */
    trail_kind trails;
    int dark;
    int clock;                   /* the time, in a corner */
    int threads;
    const char *meshes;          /* the folder of the meshes; NULL: beside the run file */
} film_options;

film_options taut_film_default(void);

typedef struct film film;

/* The file must live as long. No frame in the span, or nothing to draw, is an error. */
int taut_film_open(taut_context *context, taut_file *file, const film_options *o, film **result);
/* NULL is allowed. */
void taut_film_close(film *z);

/* Times of the first and the last frame. */
void taut_film_span(const film *z, double *from, double *to);
/* Time per second at which the motion is well seen. */
double taut_film_speed(const film *z);
/* The last recorded frame that is not after t, or the first. step: time between pictures, for the digits of the clock;
   0: a single picture. Pictures in the order of time take least. */
int taut_film_draw(film *z, double t, double step, image *result);

#endif
