/* Solids, glass and lines, drawn by following a ray through every sample of the picture: 3 x 3 samples per pixel, of
 * which the mean is taken. The picture is made in bands of rows, by the threads of a pool; its bytes depend on nothing
 * but the list of what is drawn.
 *
 * Coordinates are the camera's: to the right, up, and away from the reader. Colours are from 0 to 1, as a screen takes
 * them (sRGB); light is added up in linear ones. */
#ifndef TAUT_RENDER_TRACER_H
#define TAUT_RENDER_TRACER_H

#include "base/pool.h"
#include "image/image.h"

#define TRACER_SAMPLES 3 /* per pixel, along each side */

/* What comes later covers what came before it, but for depth: solids hide each other by it, glass and trails are
   hidden by solids, text by nothing. */
typedef enum { PASS_SHADOW, PASS_GRID, PASS_SOLID, PASS_GLASS, PASS_TRAIL, PASS_TEXT, PASSES } pass;
typedef enum { DRAWN_SPHERE, DRAWN_FRUSTUM, DRAWN_TRIANGLE, DRAWN_LINE, DRAWN_SHADE } drawn_type;

typedef struct {
    pass when;
    drawn_type type;
    double at[3][3];      /* centre; ends of the axis or line; corners */
    double normal[3][3]; /* of a triangle, at its corners; of a frustum, [0]: its axis; of a shade, [0]: the ground's */
    double radius[2];     /* of a sphere; at both ends of a frustum; of a line: half its width in pixels */
    double length;        /* of a frustum */
    float colour[3];
    float other[3];       /* of a line: at its second end */
    float cover;          /* of glass and lines: 1 hides what is behind */
    float shine;          /* 0: not lit at all; otherwise the exponent of the highlight */
    int low[2], high[2];  /* samples that it may touch */
} drawn;

typedef struct {
    taut_context *context;
    int width, height;              /* pixels */
    int flat;                       /* parallel rays: a picture of the plane */
    double unit;                    /* length of a pixel: of the plane; at depth 1 in space */
    double sun[3], half[3], sky[3]; /* directions: to the light, between it and the reader, up */
    double light[3];                /* of the sun, the sky and all around */
    float paper[3];
    int dark;                       /* trails take the lighter of two colours, else the darker */
    drawn *list;                    size_t count, capacity;
    int status;                     /* the first failure of tracer_add; nothing is added after it */
    float *linear;                  /* 4096 values: what a screen shows of linear light */
    float *band;                    /* per thread: 4 numbers a sample, the last one the depth */
    size_t band_size;
    pool *threads;
} tracer;

int taut_tracer_create(taut_context *context, int width, int height, int threads, tracer **result);
/* NULL is allowed. */
void taut_tracer_destroy(tracer *z);

void taut_tracer_clear(tracer *z);
/* Adds something; what touches no pixel, or has a number that is none, is left out. */
void taut_tracer_add(tracer *z, const drawn *what);
/* Where a place is, in pixels from the upper left corner. */
void taut_tracer_project(const tracer *z, const double *at, double *pixel);
/* The picture of everything that was added. */
int taut_tracer_draw(tracer *z, image *result);

/* A colour as it is written: #rrggbb. */
void taut_colour_read(const char *text, float *colour);

#endif
