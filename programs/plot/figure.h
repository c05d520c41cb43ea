/* A picture of curves, with axes, and the same as text. */
#ifndef TAUT_PLOT_FIGURE_H
#define TAUT_PLOT_FIGURE_H

#include "plot/axis.h"
#include "plot/canvas.h"
#include "plot/series.h"

typedef enum { THEME_LIGHT, THEME_DARK, THEME_PRINT, THEMES } figure_theme;

typedef struct {
    const series *curves;
    size_t curve_count;
    const char *title, *subtitle;   /* "" for none */
    int log_x, log_y;
    int change;              /* the curves are changes */
    int dots;
    int equal;               /* a unit is as long in x as in y */
    figure_theme theme;
    double width, height;
} figure;

typedef canvas *(*figure_canvas)(taut_context *context, double width, double height, const char *title,
                                 colour background);

/* Draws and writes. Non-zero: out of memory. */
int taut_figure_write(taut_context *context, const figure *f, figure_canvas make, FILE *file);
/* For a terminal of so many columns and lines. colours: with escape sequences; braille: points in UTF-8, otherwise
   letters. put writes names and titles, which are those of strangers. */
typedef struct {
    int columns, lines, colours, braille;
    void (*put)(FILE *file, const char *text);
} figure_screen;
int taut_figure_text(const figure *f, const figure_screen *screen, FILE *file);

/* For both: axes that show all curves, and their labels. */
void taut_figure_axes(const figure *f, axis *x, axis *y);
/* "energy, J", with what the ticks have taken away. */
void taut_figure_label(const figure *f, const axis *a, int is_y, char *text, size_t size);
/* Spots of curve `index` in a rectangle (y grows downwards), thinned to cells of this size. Non-zero: out of memory. */
int taut_figure_curve(const series *s, const double *values, const axis *x, const axis *y, spot corner, spot size,
                      double cell, int dots, void (*piece)(void *user, const spot *points, size_t count), void *user);

#endif
