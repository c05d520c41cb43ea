/* The letters of pictures: widths, which are those of Helvetica and of the fonts that stand for it, and outlines, for
   pictures in pixels. Lengths are in 2048ths of the size. */
#ifndef TAUT_PLOT_FONT_H
#define TAUT_PLOT_FONT_H

#include <stddef.h>
#include <stdint.h>

#define FONT_EM 2048

typedef struct {
    uint16_t code, advance, first; /* of its points; they end where those of the next one begin */
} font_glyph;

/* Sorted by their codes; the points of one more end the last one. */
extern const font_glyph taut_font_glyphs[];
extern const int taut_font_glyph_count;
/* Pairs 4 x + 2 (ends a contour) + (on the curve), y: quadratic curves. */
extern const int16_t taut_font_points[];

/* The code at the beginning of a text of UTF-8, and the bytes to go on after; what is not valid or not to be seen is
   U+FFFD. 0 at the end. */
uint32_t taut_font_next(const char **text);
/* Never NULL: what the font lacks is U+FFFD. */
const font_glyph *taut_font_find(uint32_t code);
double taut_font_width(const char *text, double size);

#endif
