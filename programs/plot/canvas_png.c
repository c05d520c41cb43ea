/* Pictures as PNG, drawn here: how much of each pixel a shape covers, then colour in that measure. */
#include <math.h>

#include "base/context.h"
#include "image/image.h"
#include "plot/canvas.h"
#include "plot/font.h"

typedef struct {
    int left, top, right, bottom; /* the last two are outside */
} box;

typedef struct {
    canvas base;
    int width, height;       /* in pixels */
    image picture;
    float *cover;            /* a shape's, from 0 to 1; zero between shapes */
    box clip;
} png;

static box all_of(const png *z) { return (box){ 0, 0, z->width, z->height }; }

static box common(box a, box b)
{
    return (box){ a.left > b.left ? a.left : b.left, a.top > b.top ? a.top : b.top,
                  a.right < b.right ? a.right : b.right, a.bottom < b.bottom ? a.bottom : b.bottom };
}

static void grow(box *b, double x, double y, double by)
{
    /* what is far outside stays in the range of int */
    x = fmin(fmax(x, -1e6), 1e6), y = fmin(fmax(y, -1e6), 1e6);
    if (floor(x - by) < b->left) b->left = (int)floor(x - by);
    if (floor(y - by) < b->top) b->top = (int)floor(y - by);
    if (ceil(x + by) + 1 > b->right) b->right = (int)ceil(x + by) + 1;
    if (ceil(y + by) + 1 > b->bottom) b->bottom = (int)ceil(y + by) + 1;
}

static const box nothing = { 1 << 30, 1 << 30, -(1 << 30), -(1 << 30) };

/* Colours what is covered in the box, and takes the cover away. */
static void paint(png *z, box b, colour ink)
{
    for (int y = b.top; y < b.bottom; y++)
        for (int x = b.left; x < b.right; x++) {
            float *cover = &z->cover[(size_t)y * (size_t)z->width + (size_t)x];
            unsigned char *pixel = &z->picture.rgb[3 * ((size_t)y * (size_t)z->width + (size_t)x)];
            const double part = *cover * ink.alpha;
            *cover = 0;
            if (!(part > 0)) continue;
            for (int k = 0; k < 3; k++) {
                const double to = (double)(ink.rgb >> (16 - 8 * k) & 255);
                pixel[k] = (unsigned char)(pixel[k] + part * (to - pixel[k]) + 0.5);
            }
        }
}

/* ---- lines: the distance to a segment says how much of a pixel is covered ---- */

static void cover_segment(png *z, spot a, spot b, double half, box clip)
{
    box reach = nothing;
    grow(&reach, a.x, a.y, half + 1), grow(&reach, b.x, b.y, half + 1);
    reach = common(reach, clip);
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy, length = sqrt(square);
    for (int y = reach.top; y < reach.bottom; y++) {
        int left = reach.left, right = reach.right;
        if (fabs(dy) > 1e-9) { /* where this row is near the line */
            const double middle = a.x + (y + 0.5 - a.y) * dx / dy, room = (half + 1) * length / fabs(dy) + 1;
            if (middle - room > left) left = middle - room < right ? (int)(middle - room) : right;
            if (middle + room < right) right = middle + room > left ? (int)ceil(middle + room) : left;
        }
        for (int x = left; x < right; x++) {
            const double px = x + 0.5 - a.x, py = y + 0.5 - a.y;
            double along = square > 0 ? (px * dx + py * dy) / square : 0;
            along = along < 0 ? 0 : along > 1 ? 1 : along;
            const double ex = px - along * dx, ey = py - along * dy;
            const double cover = half + 0.5 - sqrt(ex * ex + ey * ey);
            float *at = &z->cover[(size_t)y * (size_t)z->width + (size_t)x];
            if (cover > *at) *at = cover < 1 ? (float)cover : 1;
        }
    }
}

static spot in_pixels(spot p) { return (spot){ p.x * CANVAS_SCALE, p.y * CANVAS_SCALE }; }

static void stroke(canvas *c, const spot *points, size_t count, int dots, double width, colour ink)
{
    png *z = (png *)c;
    const double half = width * CANVAS_SCALE / 2;
    box reach = nothing;
    for (size_t i = 0; i < count; i++) {
        const spot p = in_pixels(points[i]);
        grow(&reach, p.x, p.y, half + 1);
        if (dots || count == 1) cover_segment(z, p, p, half, z->clip);
        else if (i) cover_segment(z, in_pixels(points[i - 1]), p, half, z->clip);
    }
    if (count) paint(z, common(reach, z->clip), ink);
}

/* ---- areas: what each edge adds to the pixels of a row, which a sum from the left turns into cover ---- */

static void cover_row(float *row, int width, double x, double next, double d)
{
    double low = fmin(x, next), high = fmax(x, next);
    low = fmin(fmax(low, 0), width), high = fmin(fmax(high, 0), width);
    const int first = (int)low, last = (int)ceil(high);
    if (last <= first + 1) {
        const double middle = (low + high) / 2 - first;
        if (first < width) row[first] += (float)(d - d * middle);
        if (first + 1 < width) row[first + 1] += (float)(d * middle);
        return;
    }
    double before = 0; /* the part of d that lies to the left of each pixel's right end */
    for (int k = first; k <= last && k < width; k++) {
        const double right = fmin(k + 1, high), left = fmax(k, low);
        /* the mean over the pixel of how far the edge has come: a trapezium, then full */
        double share = 0;
        if (right > left) {
            const double a = (left - low) / (high - low), b = (right - low) / (high - low);
            share = (a + b) / 2 * (right - left) + b * (k + 1 - right);
        } else {
            share = 1;
        }
        row[k] += (float)(d * (share - before));
        before = share;
    }
}

static void cover_edge(png *z, spot a, spot b, box clip)
{
    if (a.y == b.y) return;
    double sign = 1;
    if (a.y > b.y) {
        const spot t = a;
        a = b, b = t, sign = -1;
    }
    const double slope = (b.x - a.x) / (b.y - a.y);
    const int top = a.y > clip.top ? (int)a.y : clip.top;
    for (int y = top; y < clip.bottom && y < b.y; y++) {
        const double from = fmax(a.y, y), to = fmin(b.y, y + 1);
        if (to <= from) continue;
        cover_row(&z->cover[(size_t)y * (size_t)z->width], z->width, a.x + (from - a.y) * slope,
                  a.x + (to - a.y) * slope, sign * (to - from));
    }
}

static void sum_rows(png *z, box b)
{
    for (int y = b.top; y < b.bottom; y++) {
        float *row = &z->cover[(size_t)y * (size_t)z->width], sum = 0;
        for (int x = 0; x < z->width; x++) {
            sum += row[x];
            row[x] = x < b.left || x >= b.right ? 0 : fminf(fabsf(sum), 1);
        }
    }
}

static void fill(canvas *c, const spot *points, size_t count, colour ink)
{
    png *z = (png *)c;
    box reach = nothing;
    for (size_t i = 0; i < count; i++) grow(&reach, in_pixels(points[i]).x, in_pixels(points[i]).y, 0);
    reach = common(reach, z->clip);
    for (size_t i = 0; i < count; i++) cover_edge(z, in_pixels(points[i]), in_pixels(points[(i + 1) % count]), reach);
    sum_rows(z, reach);
    paint(z, reach, ink);
}

/* ---- letters ---- */

typedef struct {
    png *z;
    double x, y, scale;
    box *reach;
    int measure;             /* the box alone, no edges */
} pen;

static spot place(const pen *p, spot s) { return (spot){ p->x + s.x * p->scale, p->y - s.y * p->scale }; }

static void put_edge(const pen *p, spot a, spot b)
{
    a = place(p, a), b = place(p, b);
    if (p->measure) grow(p->reach, a.x, a.y, 1), grow(p->reach, b.x, b.y, 1);
    else cover_edge(p->z, a, b, *p->reach);
}

static void put_curve(const pen *p, spot a, spot control, spot b)
{
    enum { PIECES = 6 };
    spot from = a;
    for (int i = 1; i <= PIECES; i++) {
        const double t = (double)i / PIECES, s = 1 - t;
        const spot to = { s * s * a.x + 2 * s * t * control.x + t * t * b.x,
                          s * s * a.y + 2 * s * t * control.y + t * t * b.y };
        put_edge(p, from, to);
        from = to;
    }
}

static spot between(spot a, spot b) { return (spot){ (a.x + b.x) / 2, (a.y + b.y) / 2 }; }

/* Between two points off the curve lies one on it. */
static void put_contour(const pen *p, const int16_t *points, int count)
{
#define POINT(i) ((spot){ floor(points[2 * ((i) % count)] / 4.0), points[2 * ((i) % count) + 1] })
#define IS_ON(i) (points[2 * ((i) % count)] & 1)
    const spot begin = IS_ON(0) ? POINT(0) : IS_ON(count - 1) ? POINT(count - 1) : between(POINT(0), POINT(count - 1));
    spot now = begin;
    for (int i = IS_ON(0) ? 1 : 0; i < count; i++) {
        if (IS_ON(i)) {
            put_edge(p, now, POINT(i));
            now = POINT(i);
        } else {
            const spot end = i + 1 == count ? begin : IS_ON(i + 1) ? POINT(i + 1) : between(POINT(i), POINT(i + 1));
            put_curve(p, now, POINT(i), end);
            now = end;
        }
    }
    put_edge(p, now, begin);
#undef POINT
#undef IS_ON
}

static void put_glyph(const pen *p, const font_glyph *g)
{
    for (int first = g[0].first, i = first; i < g[1].first; i++)
        if (taut_font_points[2 * i] & 2) {
            put_contour(p, &taut_font_points[2 * first], i + 1 - first);
            first = i + 1;
        }
}

static void text(canvas *c, double x, double y, double size, const char *words, colour ink)
{
    png *z = (png *)c;
    pen p = { z, x * CANVAS_SCALE, y * CANVAS_SCALE, size * CANVAS_SCALE / FONT_EM, NULL, 0 };
    for (uint32_t code; (code = taut_font_next(&words));) {
        const font_glyph *g = taut_font_find(code);
        box reach = nothing;
        p.reach = &reach;
        p.measure = 1;
        put_glyph(&p, g);
        reach = common(reach, z->clip);
        p.measure = 0;
        put_glyph(&p, g);
        sum_rows(z, reach);
        paint(z, reach, ink);
        p.x += g->advance * p.scale;
    }
}

/* ---- the file ---- */

static void clip(canvas *c, double x, double y, double width, double height)
{
    png *z = (png *)c;
    const box inside = { (int)floor(x * CANVAS_SCALE), (int)floor(y * CANVAS_SCALE),
                         (int)ceil((x + width) * CANVAS_SCALE), (int)ceil((y + height) * CANVAS_SCALE) };
    z->clip = common(inside, all_of(z));
}

static void unclip(canvas *c) { ((png *)c)->clip = all_of((png *)c); }

static void discard(canvas *c)
{
    png *z = (png *)c;
    taut_image_free(c->context, &z->picture);
    taut_mem_free(c->context, z->cover);
    taut_mem_free(c->context, z);
}

static int finish(canvas *c, FILE *file)
{
    const int failed = taut_png_write(c->context, &((png *)c)->picture, file) != TAUT_OK;
    discard(c);
    return failed;
}

canvas *taut_canvas_png(taut_context *context, double width, double height, const char *title, colour background)
{
    static const canvas_class kind = { stroke, fill, text, clip, unclip, finish, discard };
    png *z = taut_mem_new(context, 1, sizeof *z);
    (void)title;
    if (!z) return NULL;
    z->base = (canvas){ &kind, context, width, height, 0 };
    z->width = (int)(width * CANVAS_SCALE);
    z->height = (int)(height * CANVAS_SCALE);
    const size_t count = (size_t)z->width * (size_t)z->height;
    z->cover = taut_mem_new(context, count, sizeof *z->cover);
    z->clip = all_of(z);
    if (taut_image_create(context, z->width, z->height, &z->picture) || !z->cover) {
        discard(&z->base);
        return NULL;
    }
    z->picture.per_metre = 72 * CANVAS_SCALE * 10000 / 254;
    for (size_t i = 0; i < 3 * count; i++) z->picture.rgb[i] = (unsigned char)(background.rgb >> (16 - 8 * (i % 3)));
    return &z->base;
}
