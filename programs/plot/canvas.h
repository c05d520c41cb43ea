/* What a picture is drawn on: SVG, PDF or PNG. Lengths are in points (of SVG: pixels), y goes down. */
#ifndef TAUT_PLOT_CANVAS_H
#define TAUT_PLOT_CANVAS_H

#include <stdint.h>
#include <stdio.h>

#include "taut/taut.h"

typedef struct canvas canvas;

typedef struct {
    uint32_t rgb;
    double alpha;
} colour;

typedef struct {
    double x, y;
} spot;

typedef struct {
    /* A line through points, with round joins and ends; dots: a dot at each of them instead. */
    void (*stroke)(canvas *c, const spot *points, size_t count, int dots, double width, colour ink);
    void (*fill)(canvas *c, const spot *points, size_t count, colour ink);
    /* UTF-8, from the left end of its base line on. */
    void (*text)(canvas *c, double x, double y, double size, const char *text, colour ink);
    /* What is drawn from now on is cut to a rectangle, until unclip. */
    void (*clip)(canvas *c, double x, double y, double width, double height);
    void (*unclip)(canvas *c);
    /* Writes the whole; frees the canvas. Returns non-zero when memory was lacking at any time. */
    int (*finish)(canvas *c, FILE *file);
    void (*discard)(canvas *c);
} canvas_class;

/* Every kind begins with this. */
struct canvas {
    const canvas_class *kind;
    taut_context *context;
    double width, height;
    int failed;              /* out of memory */
};

/* NULL: out of memory. The background fills it. title: for readers that show one. */
canvas *taut_canvas_svg(taut_context *context, double width, double height, const char *title, colour background);
canvas *taut_canvas_pdf(taut_context *context, double width, double height, const char *title, colour background);
canvas *taut_canvas_png(taut_context *context, double width, double height, const char *title, colour background);

/* Pixels a point is made of in PNG. */
enum { CANVAS_SCALE = 2 };

#endif
