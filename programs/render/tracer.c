#include "render/tracer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"

enum { ROWS = 12, LEVELS = 4096 }; /* of a band, in pixels; of the table */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- creation ---- */

/* sRGB's curve (IEC 61966-2-1). */
static double shown(double light)
{
    return light <= 0.0031308 ? 12.92 * light : 1.055 * taut_math_pow(light, 1 / 2.4) - 0.055;
}
static double meant(double colour)
{
    return colour <= 0.04045 ? colour / 12.92 : taut_math_pow((colour + 0.055) / 1.055, 2.4);
}

int taut_tracer_create(taut_context *context, int width, int height, int threads, tracer **result)
{
    tracer *z = taut_mem_new(context, 1, sizeof *z);
    *result = z;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->context = context;
    z->width = width;
    z->height = height;
    int status = taut_pool_create(context, threads, &z->threads);
    if (!status) {
        z->band_size = (size_t)width * TRACER_SAMPLES * ROWS * TRACER_SAMPLES * 4;
        z->linear = taut_mem_new(context, LEVELS, sizeof *z->linear);
        z->band = taut_mem_new(context, (size_t)taut_pool_threads(z->threads) * z->band_size, sizeof *z->band);
        if (!z->linear || !z->band) status = TAUT_OUT_OF_MEMORY;
    }
    for (int i = 0; !status && i < LEVELS; i++) z->linear[i] = (float)shown(i / (double)(LEVELS - 1));
    if (!status) return TAUT_OK;
    taut_tracer_destroy(z);
    *result = NULL;
    return status;
}

void taut_tracer_destroy(tracer *z)
{
    if (!z) return;
    taut_pool_destroy(z->threads);
    taut_mem_free(z->context, z->linear);
    taut_mem_free(z->context, z->band);
    taut_mem_free(z->context, z->list);
    taut_mem_free(z->context, z);
}

void taut_colour_read(const char *text, float *colour)
{
    long value = strtol(text + (text[0] == '#'), NULL, 16);
    for (int k = 0; k < 3; k++) colour[k] = (float)(value >> (16 - 8 * k) & 255) / 255;
}

/* ---- the list ---- */

void taut_tracer_clear(tracer *z)
{
    z->count = 0;
    z->status = TAUT_OK;
}

void taut_tracer_project(const tracer *z, const double *at, double *pixel)
{
    double unit = z->flat ? z->unit : z->unit * at[2];
    pixel[0] = 0.5 * z->width + at[0] / unit;
    pixel[1] = 0.5 * z->height - at[1] / unit;
}

/* The pixels of a place and so much around it. */
static void cover(const tracer *z, const double *at, double radius, double *low, double *high)
{
    double pixel[2], near = z->flat ? 1 : at[2] - radius;
    if (near <= 0) { /* it reaches behind the reader: anywhere */
        low[0] = low[1] = 0;
        high[0] = z->width;
        high[1] = z->height;
        return;
    }
    taut_tracer_project(z, at, pixel);
    /* a ball in perspective is an ellipse, longer away from the middle */
    double lean = z->flat ? 1 : 1 + z->unit * (fabs(pixel[0] - 0.5 * z->width) + fabs(pixel[1] - 0.5 * z->height));
    double around = radius / (z->flat ? z->unit : z->unit * near) * lean + 1;
    for (int k = 0; k < 2; k++) {
        if (pixel[k] - around < low[k]) low[k] = pixel[k] - around;
        if (pixel[k] + around > high[k]) high[k] = pixel[k] + around;
    }
}

static int places_of(const drawn *what)
{
    return what->type == DRAWN_SPHERE ? 1 : what->type == DRAWN_TRIANGLE ? 3 : 2;
}

static void measure(const tracer *z, drawn *what)
{
    double low[2] = { 1e9, 1e9 }, high[2] = { -1e9, -1e9 };
    const int most[2] = { z->width * TRACER_SAMPLES - 1, z->height * TRACER_SAMPLES - 1 };
    double widest = what->radius[0] > what->radius[1] ? what->radius[0] : what->radius[1];
    for (int i = 0; i < places_of(what); i++) {
        if (what->type != DRAWN_LINE) {
            cover(z, what->at[i], what->type == DRAWN_TRIANGLE ? 0 : widest, low, high);
            continue;
        }
        for (int k = 0; k < 2; k++) { /* of a line: pixels */
            if (what->at[i][k] - what->radius[0] < low[k]) low[k] = what->at[i][k] - what->radius[0];
            if (what->at[i][k] + what->radius[0] > high[k]) high[k] = what->at[i][k] + what->radius[0];
        }
    }
    for (int k = 0; k < 2; k++) {
        double first = low[k] * TRACER_SAMPLES - 1, last = high[k] * TRACER_SAMPLES + 1;
        what->low[k] = first > 0 ? first < most[k] + 1 ? (int)first : most[k] + 1 : 0;
        what->high[k] = last < most[k] ? last > -1 ? (int)last : -1 : most[k];
    }
}

static int is_whole(const drawn *what)
{
    double sum = what->radius[0] + what->radius[1];
    for (int i = 0; i < places_of(what); i++) sum += dot(what->at[i], what->at[i]);
    return sum - sum == 0;
}

/* A line between places: pixels, and depth as its inverse, which is linear along it. */
static int flatten(const tracer *z, drawn *what)
{
    for (int i = 0; i < 2; i++) {
        double pixel[2], depth = what->at[i][2];
        if (what->when == PASS_TEXT) continue;
        if (!z->flat && depth < 1e-6) return 0;
        taut_tracer_project(z, what->at[i], pixel);
        what->at[i][0] = pixel[0];
        what->at[i][1] = pixel[1];
        what->at[i][2] = z->flat ? depth : 1 / depth;
    }
    return 1;
}

void taut_tracer_add(tracer *z, const drawn *what)
{
    drawn d = *what;
    if (z->status || !is_whole(&d) || (d.type == DRAWN_LINE && !flatten(z, &d))) return;
    if (d.type == DRAWN_FRUSTUM) {
        for (int k = 0; k < 3; k++) d.normal[0][k] = d.at[1][k] - d.at[0][k];
        d.length = sqrt(dot(d.normal[0], d.normal[0]));
        if (!(d.length > 0)) return;
        for (int k = 0; k < 3; k++) d.normal[0][k] /= d.length;
    }
    measure(z, &d);
    if (d.low[0] > d.high[0] || d.low[1] > d.high[1]) return;
    if (d.shine > 0)
        for (int k = 0; k < 3; k++) d.colour[k] = (float)meant(d.colour[k]);
    z->status = taut_mem_grow(z->context, &z->list, &z->capacity, z->count + 1, sizeof *z->list);
    if (!z->status) z->list[z->count++] = d;
}

/* ---- light ---- */

typedef struct {
    double from[3], to[3];  /* of a ray: from + depth to */
} ray;

static ray ray_through(const tracer *z, int x, int y)
{
    double u = ((x + 0.5) / TRACER_SAMPLES - 0.5 * z->width) * z->unit;
    double v = (0.5 * z->height - (y + 0.5) / TRACER_SAMPLES) * z->unit;
    return z->flat ? (ray){ { u, v, 0 }, { 0, 0, 1 } } : (ray){ { 0, 0, 0 }, { u, v, 1 } };
}

static float on_screen(const tracer *z, double light)
{
    int level = (int)(light * (LEVELS - 1) + 0.5);
    return z->linear[level < 0 ? 0 : level < LEVELS ? level : LEVELS - 1];
}

static double power(double base, int exponent)
{
    double result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

/* Lambert's law under a sun and a sky that is darker below, and a highlight; normals need not have length 1. */
static void shade(const tracer *z, const drawn *d, const double *normal, const ray *r, float *colour)
{
    if (!(d->shine > 0)) {
        memcpy(colour, d->colour, 3 * sizeof *colour);
        return;
    }
    double size = sqrt(dot(normal, normal)), side = dot(normal, r->to) > 0 ? -1 : 1; /* the one that is seen */
    if (size > 0) side /= size;
    double sun = side * dot(normal, z->sun), half = side * dot(normal, z->half), sky = side * dot(normal, z->sky);
    double all = z->light[2] + z->light[1] * (0.66 + 0.34 * sky), gloss = 0;
    if (sun > 0) {
        all += z->light[0] * sun;
        if (half > 0) gloss = z->light[0] * 0.04 * (d->shine + 8) / 8 * power(half, (int)d->shine) * sun;
    }
    for (int k = 0; k < 3; k++) colour[k] = on_screen(z, d->colour[k] * all + gloss);
}

/* ---- where a ray meets a thing ---- */

/* Nearest hit; the normal, too. Depth -1: none. */
static double hit_sphere(const drawn *d, const ray *r, double *normal)
{
    double o[3] = { r->from[0] - d->at[0][0], r->from[1] - d->at[0][1], r->from[2] - d->at[0][2] };
    double a = dot(r->to, r->to), b = dot(o, r->to), c = dot(o, o) - d->radius[0] * d->radius[0], root = b * b - a * c;
    if (root < 0) return -DBL_MAX;
    double depth = (-b - sqrt(root)) / a;
    for (int k = 0; k < 3; k++) normal[k] = o[k] + depth * r->to[k];
    return depth;
}

static double hit_end(const drawn *d, const ray *r, int end, double *normal)
{
    double o[3] = { d->at[end][0] - r->from[0], d->at[end][1] - r->from[1], d->at[end][2] - r->from[2] };
    double along = dot(r->to, d->normal[0]);
    if (along == 0 || d->radius[end] == 0) return -DBL_MAX;
    double depth = dot(o, d->normal[0]) / along, far = 0;
    for (int k = 0; k < 3; k++) far += (depth * r->to[k] - o[k]) * (depth * r->to[k] - o[k]);
    memcpy(normal, d->normal[0], 3 * sizeof *normal);
    return far <= d->radius[end] * d->radius[end] ? depth : -DBL_MAX;
}

/* A cylinder or a cone: |p - a|^2 - s^2 = (r0 + m s)^2, where s is the distance along the axis. */
static double hit_side(const drawn *d, const ray *r, double *normal)
{
    const double *k = d->normal[0];
    double o[3] = { r->from[0] - d->at[0][0], r->from[1] - d->at[0][1], r->from[2] - d->at[0][2] };
    double m = (d->radius[1] - d->radius[0]) / d->length, grow = 1 + m * m;
    double os = dot(o, k), vs = dot(r->to, k), r0 = d->radius[0];
    double a = dot(r->to, r->to) - grow * vs * vs, b = dot(o, r->to) - grow * os * vs - m * r0 * vs;
    double c = dot(o, o) - grow * os * os - 2 * m * r0 * os - r0 * r0, root = b * b - a * c;
    if (root < 0 || a == 0) return -DBL_MAX;
    double width = sqrt(root), first = (-b - width) / a, second = (-b + width) / a;
    if (first > second) {
        double held = first;
        first = second, second = held;
    }
    double depth = first, s = os + first * vs;
    if (s < 0 || s > d->length) depth = second, s = os + second * vs;
    if (s < 0 || s > d->length || r0 + m * s < 0) return -DBL_MAX;
    for (int i = 0; i < 3; i++) normal[i] = o[i] + depth * r->to[i] - (s * grow + m * r0) * k[i];
    return depth;
}

static double hit_frustum(const drawn *d, const ray *r, double *normal)
{
    double best = hit_side(d, r, normal);
    for (int end = 0; end < 2; end++) {
        double other[3], depth = hit_end(d, r, end, other);
        if (depth == -DBL_MAX || (best != -DBL_MAX && depth >= best)) continue;
        best = depth;
        memcpy(normal, other, sizeof other);
    }
    return best;
}

static double hit_triangle(const drawn *d, const ray *r, double *normal)
{
    double e[3], f[3], p[3], o[3], n[3];
    for (int k = 0; k < 3; k++) {
        e[k] = d->at[1][k] - d->at[0][k];
        f[k] = d->at[2][k] - d->at[0][k];
        o[k] = r->from[k] - d->at[0][k];
    }
    cross(r->to, f, p);
    double area = dot(e, p);
    if (area == 0) return -DBL_MAX;
    double u = dot(o, p) / area;
    if (u < 0 || u > 1) return -DBL_MAX;
    cross(o, e, n);
    double v = dot(r->to, n) / area;
    if (v < 0 || u + v > 1) return -DBL_MAX;
    for (int k = 0; k < 3; k++) normal[k] = (1 - u - v) * d->normal[0][k] + u * d->normal[1][k] + v * d->normal[2][k];
    return dot(f, n) / area;
}

/* The shadow of a round thing on the ground: near enough to the axis there. */
static double hit_shade(const drawn *d, const ray *r)
{
    double o[3], e[3], p[3], along = dot(r->to, d->normal[0]);
    for (int k = 0; k < 3; k++) o[k] = d->at[0][k] - r->from[k], e[k] = d->at[1][k] - d->at[0][k];
    if (along == 0) return -DBL_MAX;
    double depth = dot(o, d->normal[0]) / along, length = dot(e, e);
    for (int k = 0; k < 3; k++) p[k] = depth * r->to[k] - o[k];
    double s = length > 0 ? dot(p, e) / length : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int k = 0; k < 3; k++) p[k] -= s * e[k];
    return dot(p, p) <= d->radius[0] * d->radius[0] ? depth : -DBL_MAX;
}

/* ---- painting ---- */

static void blend(const tracer *z, const drawn *d, const float *colour, float cover, float *sample)
{
    for (int k = 0; k < 3; k++) {
        if (d->when != PASS_TRAIL) sample[k] += cover * (colour[k] - sample[k]);
        else if (z->dark ? colour[k] > sample[k] : colour[k] < sample[k]) sample[k] = colour[k];
    }
}

static void paint_line(const tracer *z, const drawn *d, int x, int y, float *sample)
{
    double px = (x + 0.5) / TRACER_SAMPLES - d->at[0][0], py = (y + 0.5) / TRACER_SAMPLES - d->at[0][1];
    double ex = d->at[1][0] - d->at[0][0], ey = d->at[1][1] - d->at[0][1], length = ex * ex + ey * ey;
    double s = length > 0 ? (px * ex + py * ey) / length : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    px -= s * ex;
    py -= s * ey;
    if (px * px + py * py > d->radius[0] * d->radius[0]) return;
    double depth = d->at[0][2] + s * (d->at[1][2] - d->at[0][2]);
    if (!z->flat && d->when != PASS_TEXT) depth = 1 / depth;
    if (d->when == PASS_SOLID) depth -= 1.5 * (z->flat ? z->unit : z->unit * depth); /* edges lie before their faces */
    if (d->when != PASS_TEXT && d->when != PASS_GRID && depth > sample[3]) return;
    float colour[3];
    for (int k = 0; k < 3; k++) colour[k] = d->colour[k] + (float)s * (d->other[k] - d->colour[k]);
    blend(z, d, colour, d->cover, sample);
    if (d->when == PASS_SOLID) sample[3] = (float)depth;
}

static void paint(const tracer *z, const drawn *d, int x, int y, float *sample)
{
    if (d->type == DRAWN_LINE) {
        paint_line(z, d, x, y, sample);
        return;
    }
    double normal[3] = { 0, 0, 0 };
    ray r = ray_through(z, x, y);
    double depth = d->type == DRAWN_SPHERE    ? hit_sphere(d, &r, normal)
                   : d->type == DRAWN_FRUSTUM ? hit_frustum(d, &r, normal)
                   : d->type == DRAWN_SHADE   ? hit_shade(d, &r)
                                              : hit_triangle(d, &r, normal);
    if (depth == -DBL_MAX || depth >= sample[3] || (!z->flat && depth <= 0)) return;
    float colour[3];
    shade(z, d, normal, &r, colour);
    blend(z, d, colour, d->when == PASS_GLASS ? d->cover : 1, sample);
    if (d->when == PASS_SOLID) sample[3] = (float)depth;
}

typedef struct {
    tracer *z;
    image *result;
} drawing;

static void draw_band(void *self, int index, int worker)
{
    const drawing *job = self;
    const tracer *z = job->z;
    float *band = z->band + (size_t)worker * z->band_size;
    int first = index * ROWS, last = first + ROWS < z->height ? first + ROWS : z->height;
    int wide = z->width * TRACER_SAMPLES, top = first * TRACER_SAMPLES, bottom = last * TRACER_SAMPLES - 1;
    for (size_t i = 0; i < (size_t)wide * (size_t)(bottom - top + 1); i++) {
        memcpy(band + 4 * i, z->paper, sizeof z->paper);
        band[4 * i + 3] = FLT_MAX;
    }
    for (int when = 0; when < PASSES; when++)
        for (size_t i = 0; i < z->count; i++) {
            const drawn *d = &z->list[i];
            if ((int)d->when != when || d->low[1] > bottom || d->high[1] < top) continue;
            int from = d->low[1] > top ? d->low[1] : top, to = d->high[1] < bottom ? d->high[1] : bottom;
            for (int y = from; y <= to; y++)
                for (int x = d->low[0]; x <= d->high[0]; x++)
                    paint(z, d, x, y, band + 4 * ((size_t)(y - top) * (size_t)wide + (size_t)x));
        }
    for (int y = first; y < last; y++)
        for (int x = 0; x < z->width; x++) {
            float sum[3] = { 0, 0, 0 };
            for (int j = 0; j < TRACER_SAMPLES; j++)
                for (int i = 0; i < TRACER_SAMPLES; i++) {
                    size_t row = (size_t)((y - first) * TRACER_SAMPLES + j);
                    const float *sample = band + 4 * (row * (size_t)wide + (size_t)(x * TRACER_SAMPLES + i));
                    for (int k = 0; k < 3; k++) sum[k] += sample[k];
                }
            unsigned char *to = job->result->rgb + 3 * ((size_t)y * (size_t)z->width + (size_t)x);
            for (int k = 0; k < 3; k++) {
                float level = sum[k] / (TRACER_SAMPLES * TRACER_SAMPLES) * 255 + 0.5f;
                to[k] = (unsigned char)(level > 255 ? 255 : level);
            }
        }
}

int taut_tracer_draw(tracer *z, image *result)
{
    drawing job = { z, result };
    if (z->status) return z->status;
    taut_pool_run(z->threads, (z->height + ROWS - 1) / ROWS, draw_band, &job);
    return TAUT_OK;
}
