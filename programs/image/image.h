/* Pictures of red, green and blue, and files of them: PNG, animated GIF. Nothing here depends on other libraries, and
 * the same picture gives the same bytes everywhere. */
#ifndef TAUT_IMAGE_IMAGE_H
#define TAUT_IMAGE_IMAGE_H

#include <stdio.h>

#include "taut/taut.h"

typedef struct {
    int width, height;
    unsigned char *rgb;    /* row after row from the top, 3 bytes per pixel */
    uint32_t per_metre;    /* how many pixels are a metre on paper; 0: not said */
} image;

int taut_image_create(taut_context *context, int width, int height, image *result);
void taut_image_free(taut_context *context, image *z);

/* With up to 256 colours the file has a palette. Check ferror of the file. */
int taut_png_write(taut_context *context, const image *z, FILE *file);

/* ---- few colours ---- */

typedef struct {
    int count;                       /* at most 256 */
    unsigned char colour[256][3];
    unsigned char nearest[32768];    /* per cell of 8 x 8 x 8 colours: number of the colour */
} palette;

/* The `most` colours (2 .. 256) that stand best for those of the pictures, by median cut: the box with the greatest
   spread is cut where its pixels are halved. */
int taut_palette_choose(taut_context *context, const image *const *pictures, int count, int most, palette *p);
static inline int palette_of(const palette *p, const unsigned char *rgb)
{
    return p->nearest[(rgb[0] >> 3) << 10 | (rgb[1] >> 3) << 5 | rgb[2] >> 3];
}
/* Every pixel becomes a colour of the palette. */
void taut_palette_apply(const palette *p, image *z);

/* ---- animated GIF ---- */

typedef struct {
    taut_context *context;
    FILE *file;
    int width, height, delay;        /* hundredths of a second per frame */
    palette *colours;                /* at most 255: the last number means "as before" */
    unsigned char *now, *before;     /* numbers of colours */
    int any;
} gif;

/* The palette must live until the end. Repeats for ever. */
int taut_gif_begin(gif *z, taut_context *context, FILE *file, int width, int height, int delay, palette *colours);
/* Only what changes is written. */
int taut_gif_frame(gif *z, const image *picture);
/* Also after a failure. Check ferror of the file. */
void taut_gif_end(gif *z);

#endif
