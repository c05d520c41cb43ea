/* A picture of curves: title, legend, axes with their numbers, a grid, the curves. */
#include "plot/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/font.h"

/* Colours that people with any colour vision tell apart (Okabe and Ito, 2008), in an order in which neighbours differ
   in lightness as well; those for a dark ground are lighter. */
enum { PALETTE = 7 };
static const struct {
    uint32_t ground, ink, faint, grid, curves[PALETTE];
} themes[THEMES] = {
    { 0xFFFFFF, 0x1B1F24, 0x5B6470, 0xE3E6EA,
      { 0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xB07900, 0x56B4E9, 0x555555 } },
    { 0x15181D, 0xE8EAED, 0x9AA3AF, 0x2C323A,
      { 0x56B4E9, 0xF0803C, 0x2FC59B, 0xE39CC4, 0xE6B422, 0x9CC9F0, 0xB8BEC7 } },
    { 0xFFFFFF, 0x000000, 0x000000, 0xD0D0D0,
      { 0x000000, 0xD55E00, 0x0072B2, 0x009E73, 0xCC79A7, 0xB07900, 0x56B4E9 } },
};

enum { LABEL = 11, TITLE = 15, MARGIN = 14 }; /* sizes of letters; room around */
#define LINE 1.4

typedef struct {
    const figure *f;
    canvas *c;
    axis x, y;
    char x_label[400], y_label[400];
    double left, top, right, bottom; /* of the axes */
    size_t curve;
    int failed;
} drawing;

static colour ink_of(uint32_t rgb, double alpha) { return (colour){ rgb, alpha }; }
static colour ink(const drawing *z) { return ink_of(themes[z->f->theme].ink, 1); }
static colour faint(const drawing *z) { return ink_of(themes[z->f->theme].faint, 1); }

static colour colour_of(const drawing *z, size_t curve, double alpha)
{
    return ink_of(themes[z->f->theme].curves[curve % PALETTE], alpha);
}

/* ---- texts, with raised parts ---- */

/* Draws (c is not NULL) and returns the width. */
static double put_text_parts(canvas *c, double x, double y, double size, const char *text, colour with)
{
    const double begun = x;
    while (*text) {
        char part[400];
        const int raised = *text == AXIS_RAISE;
        const char *from = text + (*text == AXIS_RAISE || *text == AXIS_LOWER);
        const size_t length = strcspn(from, raised ? "\002" : "\001\002");
        snprintf(part, sizeof part, "%.*s", (int)length, from);
        const double here = raised ? 0.72 * size : size;
        if (c && *part) c->kind->text(c, x, y - (raised ? 0.36 * size : 0), here, part, with);
        x += taut_font_width(part, here);
        text = from + length + (raised && from[length] == AXIS_LOWER);
    }
    return x - begun;
}

static double width_of(const char *text, double size)
{
    return put_text_parts(NULL, 0, 0, size, text, (colour){ 0, 1 });
}

/* at: 0 from x on, 1 up to x, 0.5 around it */
static void put_text(drawing *z, double x, double y, double size, const char *text, double at, colour with)
{
    put_text_parts(z->c, x - at * width_of(text, size), y, size, text, with);
}

/* A text that is too wide ends in dots. */
static void put_title(drawing *z, double y, double size, const char *text, colour with)
{
    char part[400];
    const double room = z->f->width - 2 * MARGIN;
    snprintf(part, sizeof part, "%s", text);
    for (size_t length = strlen(part); width_of(part, size) > room && length > 0;) {
        length--;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
        snprintf(part, sizeof part, "%.*s\u2026", (int)length, text);
    }
    put_text(z, MARGIN, y, size, part, 0, with);
}

/* ---- what is above the axes ---- */

enum { SAMPLE = 18, GAP = 16 }; /* of the legend: the line before a name, the room after it */

/* Draws (or measures) the names of curves in rows; returns the y below them. */
static double put_legend(drawing *z, double y, int draw)
{
    double x = MARGIN;
    y += LABEL * LINE;
    for (size_t k = 0; k < z->f->curve_count; k++) {
        const series *s = &z->f->curves[k];
        const double width = SAMPLE + 6 + width_of(s->name, LABEL) + GAP;
        if (x > MARGIN && x + width - GAP > z->f->width - MARGIN) x = MARGIN, y += LABEL * LINE;
        const spot line[] = { { x, y - 0.35 * LABEL }, { x + SAMPLE, y - 0.35 * LABEL } };
        const int dots = z->f->dots;
        if (draw)
            z->c->kind->stroke(z->c, dots ? &line[1] : line, dots ? 1 : 2, dots, dots ? 5 : 2, colour_of(z, k, 1));
        if (draw) put_text(z, x + SAMPLE + 6, y, LABEL, s->name, 0, ink(z));
        x += width;
    }
    return y;
}

static double put_head(drawing *z, int draw)
{
    double y = MARGIN;
    if (z->f->title[0]) y += TITLE;
    if (draw && z->f->title[0]) put_title(z, y - 2, TITLE, z->f->title, ink(z));
    if (z->f->subtitle[0]) y += LABEL * LINE;
    if (draw && z->f->subtitle[0]) put_title(z, y, LABEL, z->f->subtitle, faint(z));
    if (z->f->curve_count > 1) y = put_legend(z, y + 3, draw);
    return y;
}

/* ---- axes ---- */

static double x_of(const drawing *z, double value)
{
    return z->left + (z->right - z->left) * taut_axis_place(&z->x, value);
}

static double y_of(const drawing *z, double value)
{
    return z->bottom - (z->bottom - z->top) * taut_axis_place(&z->y, value);
}

static void put_line(drawing *z, double x0, double y0, double x1, double y1, double width, colour with)
{
    const spot line[] = { { x0, y0 }, { x1, y1 } };
    z->c->kind->stroke(z->c, line, 2, 0, width, with);
}

static int is_inside(double place) { return place >= -1e-6 && place <= 1 + 1e-6; }

static void put_grid(drawing *z)
{
    const colour grid = ink_of(themes[z->f->theme].grid, 1);
    for (int i = 0; i < z->x.tick_count; i++)
        if (is_inside(taut_axis_place(&z->x, z->x.ticks[i].value)))
            put_line(z, x_of(z, z->x.ticks[i].value), z->top, x_of(z, z->x.ticks[i].value), z->bottom,
                     z->x.ticks[i].text[0] ? 0.75 : 0.35, grid);
    for (int i = 0; i < z->y.tick_count; i++)
        if (is_inside(taut_axis_place(&z->y, z->y.ticks[i].value)))
            put_line(z, z->left, y_of(z, z->y.ticks[i].value), z->right, y_of(z, z->y.ticks[i].value),
                     z->y.ticks[i].text[0] ? 0.75 : 0.35, grid);
}

static void put_numbers(drawing *z)
{
    double taken = -1e9;
    for (int i = 0; i < z->x.tick_count; i++) {
        const double x = x_of(z, z->x.ticks[i].value), half = width_of(z->x.ticks[i].text, LABEL) / 2;
        if (!is_inside(taut_axis_place(&z->x, z->x.ticks[i].value)) || x - half < taken + 4) continue;
        put_text(z, x, z->bottom + 5 + LABEL, LABEL, z->x.ticks[i].text, 0.5, faint(z));
        taken = x + half;
    }
    double last = 1e9;
    for (int i = 0; i < z->y.tick_count; i++) {
        const double y = y_of(z, z->y.ticks[i].value);
        if (!z->y.ticks[i].text[0] || !is_inside(taut_axis_place(&z->y, z->y.ticks[i].value))) continue;
        if (y > last - LABEL) continue;
        put_text(z, z->left - 7, y + 0.35 * LABEL, LABEL, z->y.ticks[i].text, 1, faint(z));
        last = y;
    }
    put_line(z, z->left, z->bottom, z->right, z->bottom, 1, faint(z));
    put_text(z, (z->left + z->right) / 2, z->bottom + 8 + LABEL * (1 + LINE), LABEL, z->x_label, 0.5, ink(z));
    put_text(z, MARGIN, z->top - 0.75 * LABEL, LABEL, z->y_label, 0, ink(z));
}

/* Equal units: the axis that has room shows more. */
static void make_equal(drawing *z)
{
    const double width = z->right - z->left, height = z->bottom - z->top;
    const double x = (z->x.high - z->x.low) / width, y = (z->y.high - z->y.low) / height;
    axis *a = x < y ? &z->x : &z->y;
    const double by = x < y ? (y * width - (a->high - a->low)) / 2 : (x * height - (a->high - a->low)) / 2;
    a->low -= by, a->high += by;
}

/* The room for numbers depends on the ticks, and these on the room: twice is enough. */
static void lay_out(drawing *z)
{
    z->top = put_head(z, 0) + LABEL * 2 + 6;
    z->bottom = z->f->height - MARGIN - 8 - LABEL * (1 + LINE);
    z->right = z->f->width - MARGIN - 6;
    z->left = MARGIN + 40;
    const int wanted_y = (int)fmax(2, (z->bottom - z->top) / 48);
    for (int time = 0; time < 2; time++) {
        const int wanted_x = (int)fmax(2, (z->right - z->left) / (z->f->equal ? (z->bottom - z->top) / wanted_y : 90));
        double widest = 0;
        if (!time) {
            taut_axis_settle(&z->x, wanted_x, !z->f->equal && strcmp(z->f->curves[0].x_column, "t") == 0);
            taut_axis_settle(&z->y, wanted_y, 0);
        } else {
            if (z->f->equal) make_equal(z);
            taut_axis_ticks(&z->x, wanted_x);
            taut_axis_ticks(&z->y, wanted_y);
        }
        for (int i = 0; i < z->y.tick_count; i++) widest = fmax(widest, width_of(z->y.ticks[i].text, LABEL));
        z->left = MARGIN + widest + 7;
    }
    taut_figure_label(z->f, &z->x, 0, z->x_label, sizeof z->x_label);
    taut_figure_label(z->f, &z->y, 1, z->y_label, sizeof z->y_label);
    if (!z->y_label[0] && !z->f->equal) z->top -= LABEL + 2;
}

/* ---- curves ---- */

static void put_piece(void *user, const spot *points, size_t count)
{
    drawing *z = user;
    const int print = z->f->theme == THEME_PRINT;
    const double width = z->f->dots ? 2.2 : print ? 1.2 : 1.5;
    z->c->kind->stroke(z->c, points, count, z->f->dots, width, colour_of(z, z->curve, 1));
}

static void put_band(drawing *z, const series *s, const double *low, const double *high, double alpha)
{
    spot *outline = malloc(2 * s->count * sizeof *outline);
    if (!outline) {
        z->failed = 1;
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < 2 * s->count; i++) {
        const size_t k = i < s->count ? i : 2 * s->count - 1 - i;
        const spot p = { x_of(z, s->x[k]), y_of(z, (i < s->count ? low : high)[k]) };
        if (isfinite(p.x) && isfinite(p.y)) outline[count++] = p;
    }
    if (count > 2) z->c->kind->fill(z->c, outline, count, colour_of(z, z->curve, alpha));
    free(outline);
}

static void put_curves(drawing *z)
{
    const spot corner = { z->left, z->top }, size = { z->right - z->left, z->bottom - z->top };
    z->c->kind->clip(z->c, z->left - 1, z->top - 1, z->right - z->left + 2, z->bottom - z->top + 2);
    for (z->curve = 0; z->curve < z->f->curve_count; z->curve++) {
        const series *s = &z->f->curves[z->curve];
        if (!s->bands[0]) continue;
        put_band(z, s, s->bands[BAND_LOW], s->bands[BAND_HIGH], 0.16);
        put_band(z, s, s->bands[BAND_LOW_INSIDE], s->bands[BAND_HIGH_INSIDE], 0.26);
    }
    for (z->curve = 0; z->curve < z->f->curve_count; z->curve++) {
        const series *s = &z->f->curves[z->curve];
        z->failed |= taut_figure_curve(s, s->y, &z->x, &z->y, corner, size, 0.5, z->f->dots, put_piece, z);
    }
    z->c->kind->unclip(z->c);
}

int taut_figure_write(taut_context *context, const figure *f, figure_canvas make, FILE *file)
{
    drawing *z = calloc(1, sizeof *z);
    if (!z) return 1;
    z->f = f;
    z->c = make(context, f->width, f->height, f->title, ink_of(themes[f->theme].ground, 1));
    if (!z->c) {
        free(z);
        return 1;
    }
    taut_figure_axes(f, &z->x, &z->y);
    lay_out(z);
    put_head(z, 1);
    put_grid(z);
    put_curves(z);
    put_numbers(z);
    int failed = z->failed;
    if (failed) z->c->kind->discard(z->c);
    else failed = z->c->kind->finish(z->c, file);
    free(z);
    return failed;
}
