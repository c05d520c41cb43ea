#include "render/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"

#define PI 3.14159265358979323846
#define FOV (32 * PI / 180)
#define THINNEST 2    /* pixels: bars and lines are never thinner */
#define MANY_BARS 1500

/* ---- colours: those of viewer/src/theme.ts ---- */

typedef struct {
    const char *paper, *ink, *muted, *bar, *body, *coil, *shadow, *grid, *colours[8];
} theme;

static const theme LIGHT = { "#f6f7f8", "#1a1e22", "#5a636c", "#7c8791", "#9fb4c7", "#8f7637", "#e3e6e9", "#aeb6be",
    { "#0072b2", "#d55e00", "#00845f", "#b4568c", "#c28400", "#3a97cf", "#4d4d4d", "#8a6d3b" } };
static const theme DARK = { "#191d21", "#e6e9ec", "#98a2ac", "#9aa5b0", "#6d8299", "#b8a06a", "#111417", "#59636d",
    { "#4fa8e0", "#f28a48", "#35c49b", "#dd8fbd", "#e8b23c", "#8fd0f5", "#c7ccd1", "#c4a26a" } };

static const char *named(const theme *t, const char *name)
{
    static const char *const names[8] = { "blue", "orange", "green", "purple", "yellow", "sky", "black", "brown" };
    if (strcmp(name, "grey") == 0) return t->bar;
    if (strcmp(name, "black") == 0) return t->ink;
    for (int i = 0; i < 8; i++)
        if (strcmp(name, names[i]) == 0) return t->colours[i];
    return name;
}

void taut_scene_ink(int dark, int weak, float *colour)
{
    const theme *t = dark ? &DARK : &LIGHT;
    taut_colour_read(weak ? t->muted : t->ink, colour);
}

/* ---- camera ---- */

/* right, up, towards the reader */
static void axes(const camera *c, double (*axis)[3])
{
    double ca = taut_math_cos(c->azimuth), sa = taut_math_sin(c->azimuth);
    double ce = taut_math_cos(c->elevation), se = taut_math_sin(c->elevation);
    const double space[3][3] = { { -sa, ca, 0 }, { -ca * se, -sa * se, ce }, { ca * ce, sa * ce, se } };
    const double plane[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    memcpy(axis, c->flat ? plane : space, sizeof space);
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double radius_of(const camera *c, const motion *m) { return c->follow ? m->view : m->reach; }

double taut_camera_unit(const camera *c, int height)
{
    return 2 * c->distance * (c->flat ? 1 : taut_math_tan(FOV / 2)) / height;
}

/* The least distance at which every place of the motion is in view, with a margin. */
static double fit(const camera *c, const motion *m, double aspect)
{
    double axis[3][3], half = 0.88 * taut_math_tan(FOV / 2), distance = 0.5 * m->size;
    axes(c, axis);
    for (size_t i = 0; i < m->cloud_count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = m->cloud[3 * i + (size_t)k] - c->target[k];
        double need = dot(d, axis[2]) + fmax(fabs(dot(d, axis[1])), fabs(dot(d, axis[0])) / aspect) / half;
        if (need > distance) distance = need;
    }
    return distance;
}

void taut_camera_fit(camera *c, const motion *m, int width, int height)
{
    double aspect = (double)width / height, radius = radius_of(c, m);
    memcpy(c->target, m->centre, sizeof c->target);
    if (c->flat) {
        double w = c->follow ? radius : (m->box.high[0] - m->box.low[0]) / 2;
        double h = c->follow ? radius : (m->box.high[1] - m->box.low[1]) / 2;
        double most = fmax(h, w / aspect);
        c->distance = (most > 0 ? most : radius > 0 ? radius : 1) * 1.18;
    } else {
        c->distance = c->follow ? radius / taut_math_sin(FOV / 2) / fmin(1, aspect) : fit(c, m, aspect);
    }
}

/* ---- drawing ---- */

typedef struct {
    tracer *z;
    const motion *m;
    const camera *c;
    const theme *t;
    const float *places;
    double axis[3][3], unit;
    double ground;           /* its height */
    int shadows;
    double bar, joint, ball, spring; /* radii */
} scene;

static void to_camera(const scene *s, const double *at, double *out)
{
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = at[k] - s->c->target[k];
    out[0] = dot(d, s->axis[0]);
    out[1] = dot(d, s->axis[1]);
    out[2] = (s->c->flat ? 0 : s->c->distance) - dot(d, s->axis[2]);
}

static void turn(const scene *s, const double *v, double *out)
{
    out[0] = dot(v, s->axis[0]);
    out[1] = dot(v, s->axis[1]);
    out[2] = -dot(v, s->axis[2]);
}

static void place(const scene *s, uint32_t number, double *out)
{
    for (int k = 0; k < 3; k++) out[k] = s->places[3 * number + k];
}

/* The colour that the model names, or this one. */
static void paint(const scene *s, const taut_shape *what, const char *otherwise, float *colour)
{
    const char *name = what ? what->colour : NULL;
    taut_colour_read(name ? named(s->t, name) : otherwise, colour);
}

static void on_ground(const scene *s, const double *at, double *out)
{
    to_camera(s, (const double[3]){ at[0], at[1], s->ground }, out);
}

/* On the ground, what is round: straight below it. */
static void add_shade(const scene *s, const double *a, const double *b, double radius)
{
    drawn d = { .when = PASS_SHADOW, .type = DRAWN_SHADE, .radius = { radius, radius } };
    if (!s->shadows) return;
    on_ground(s, a, d.at[0]);
    on_ground(s, b, d.at[1]);
    turn(s, (const double[3]){ 0, 0, 1 }, d.normal[0]);
    taut_colour_read(s->t->shadow, d.colour);
    taut_tracer_add(s->z, &d);
}

static void add_sphere(const scene *s, const double *at, double radius, const float *colour, float shine)
{
    drawn d = { .when = PASS_SOLID, .type = DRAWN_SPHERE, .radius = { radius, 0 }, .shine = shine };
    to_camera(s, at, d.at[0]);
    memcpy(d.colour, colour, sizeof d.colour);
    taut_tracer_add(s->z, &d);
    add_shade(s, at, at, radius);
}

static void add_frustum(const scene *s, const double *a, const double *b, double ra, double rb, const float *colour,
                        float shine)
{
    drawn d = { .when = PASS_SOLID, .type = DRAWN_FRUSTUM, .radius = { ra, rb }, .shine = shine };
    to_camera(s, a, d.at[0]);
    to_camera(s, b, d.at[1]);
    memcpy(d.colour, colour, sizeof d.colour);
    taut_tracer_add(s->z, &d);
    add_shade(s, a, b, ra > rb ? ra : rb);
}

static void add_line(const scene *s, pass when, const double *a, const double *b, double width, const float *ca,
                     const float *cb, float cover)
{
    drawn d = { .when = when, .type = DRAWN_LINE, .radius = { width / 2, 0 }, .cover = cover };
    to_camera(s, a, d.at[0]);
    to_camera(s, b, d.at[1]);
    memcpy(d.colour, ca, sizeof d.colour);
    memcpy(d.other, cb, sizeof d.other);
    taut_tracer_add(s->z, &d);
}

/* Corners in space, normals at them (NULL: the triangle's own). cover < 1: glass. */
static void add_triangle(const scene *s, const double (*corner)[3], const double (*normal)[3], const float *colour,
                         float shine, float cover)
{
    drawn d = { .when = cover < 1 ? PASS_GLASS : PASS_SOLID, .type = DRAWN_TRIANGLE, .shine = shine, .cover = cover };
    double e[3], f[3], n[3];
    for (int k = 0; k < 3; k++) e[k] = corner[1][k] - corner[0][k], f[k] = corner[2][k] - corner[0][k];
    for (int k = 0; k < 3; k++) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    for (int i = 0; i < 3; i++) {
        to_camera(s, corner[i], d.at[i]);
        turn(s, normal ? normal[i] : n, d.normal[i]);
    }
    memcpy(d.colour, colour, sizeof d.colour);
    taut_tracer_add(s->z, &d);
    if (!s->shadows || cover < 1) return;
    d.when = PASS_SHADOW;
    d.shine = 0;
    taut_colour_read(s->t->shadow, d.colour);
    for (int i = 0; i < 3; i++) on_ground(s, corner[i], d.at[i]);
    taut_tracer_add(s->z, &d);
}

/* ---- shapes ---- */

/* Two directions across another: lengths are 1. */
static void across(const double *along, double *u, double *v)
{
    double length = sqrt(dot(along, along)), n[3] = { along[0] / length, along[1] / length, along[2] / length };
    double raw[3] = { -n[1], n[0], 0 };
    if (fabs(n[2]) >= 0.9) raw[0] = n[2], raw[1] = 0, raw[2] = -n[0];
    length = sqrt(dot(raw, raw));
    for (int k = 0; k < 3; k++) u[k] = raw[k] / length;
    for (int k = 0; k < 3; k++) v[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
}

/* A wire round the axis, straight at both ends. */
static void add_spring(const scene *s, const taut_shape *what)
{
    enum { TURNS = 11, EACH = 14 };
    double a[3], b[3], e[3], u[3], v[3], before[3];
    float colour[3];
    place(s, what->places[0], a);
    place(s, what->places[1], b);
    for (int k = 0; k < 3; k++) e[k] = b[k] - a[k];
    double length = sqrt(dot(e, e)), wire = fmax(0.17 * s->spring, 0.6 * s->unit),
           radius = fmax(s->spring, 3 * s->unit);
    if (!(length > 0)) return;
    across(e, u, v);
    paint(s, what, s->t->coil, colour);
    memcpy(before, a, sizeof before);
    for (int i = 0; i <= TURNS * EACH + 1; i++) {
        double part = i == 0 ? 0.1 : i > TURNS * EACH ? 1 : 0.1 + 0.8 * i / (TURNS * EACH), at[3];
        double turned = (part - 0.1) / 0.8,
               wide = turned <= 0 || turned >= 1 ? 0 : fmin(1, fmin(12 * turned, 12 * (1 - turned)));
        double angle = 2 * PI * i / EACH, c = wide * radius * taut_math_cos(angle),
               d = wide * radius * taut_math_sin(angle);
        for (int k = 0; k < 3; k++) at[k] = a[k] + part * e[k] + c * u[k] + d * v[k];
        add_frustum(s, before, at, wire, wire, colour, 20);
        add_sphere(s, at, wire, colour, 20);
        memcpy(before, at, sizeof before);
    }
}

static void add_bar(const scene *s, const taut_shape *what, int lines)
{
    double a[3], b[3];
    float colour[3];
    place(s, what->places[0], a);
    place(s, what->places[1], b);
    paint(s, what, s->t->bar, colour);
    double pixels = 2 * s->bar / s->unit;
    if (lines) add_line(s, PASS_SOLID, a, b, fmax(THINNEST, fmin(pixels, 12)), colour, colour, 1);
    else add_frustum(s, a, b, s->bar, s->bar, colour, 20);
}

static void add_rod(const scene *s, const taut_shape *what)
{
    double a[3], b[3];
    float colour[3];
    place(s, what->places[0], a);
    place(s, what->places[1], b);
    paint(s, what, s->t->body, colour);
    add_frustum(s, a, b, what->radius, what->radius, colour, 9);
    if (what->type != TAUT_SHAPE_CAPSULE) return;
    add_sphere(s, a, what->radius, colour, 9);
    add_sphere(s, b, what->radius, colour, 9);
}

/* Centre and half axes; a flat body gets a little thickness. */
static void body_axes(const scene *s, const taut_shape *what, double *centre, double (*half)[3])
{
    const uint32_t *at = what->places;
    place(s, at[0], centre);
    for (int i = 0; i < 3; i++) {
        place(s, at[1 + i], half[i]);
        for (int k = 0; k < 3; k++) half[i][k] -= centre[k];
    }
    if (dot(half[2], half[2]) > 0) return;
    for (int k = 0; k < 3; k++)
        half[2][k] = half[0][(k + 1) % 3] * half[1][(k + 2) % 3] - half[0][(k + 2) % 3] * half[1][(k + 1) % 3];
    double length = sqrt(dot(half[2], half[2]));
    for (int k = 0; length > 0 && k < 3; k++) half[2][k] *= 0.5 * s->bar / length;
}

static void point_of(const double *centre, const double (*half)[3], double x, double y, double z, double *out)
{
    for (int k = 0; k < 3; k++) out[k] = centre[k] + x * half[0][k] + y * half[1][k] + z * half[2][k];
}

static void add_box(const scene *s, const taut_shape *what)
{
    static const int faces[6][4] = { { 0, 1, 3, 2 }, { 4, 6, 7, 5 }, { 0, 4, 5, 1 },
                                     { 2, 3, 7, 6 }, { 0, 2, 6, 4 }, { 1, 5, 7, 3 } };
    double centre[3], half[3][3], corner[8][3];
    float colour[3];
    body_axes(s, what, centre, half);
    paint(s, what, s->t->body, colour);
    for (int i = 0; i < 8; i++)
        point_of(centre, (const double (*)[3])half, i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1, corner[i]);
    for (int f = 0; f < 6; f++)
        for (int i = 1; i < 3; i++) {
            double three[3][3];
            memcpy(three[0], corner[faces[f][0]], sizeof three[0]);
            memcpy(three[1], corner[faces[f][i]], sizeof three[1]);
            memcpy(three[2], corner[faces[f][i + 1]], sizeof three[2]);
            add_triangle(s, (const double (*)[3])three, NULL, colour, 9, 1);
        }
    for (int k = 0; k < 3; k++) colour[k] *= 0.7f; /* edges, so that boxes side by side are not one */
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            if (!(i >> k & 1)) add_line(s, PASS_SOLID, corner[i], corner[i | 1 << k], 1.2, colour, colour, 1);
}

/* Both faces as fans, the rim smooth. */
static void add_disc(const scene *s, const taut_shape *what)
{
    enum { CORNERS = 64 };
    double centre[3], half[3][3], length[2];
    float colour[3];
    body_axes(s, what, centre, half);
    paint(s, what, s->t->body, colour);
    const double (*const axis)[3] = (const double (*)[3])half;
    for (int k = 0; k < 2; k++) length[k] = dot(half[k], half[k]);
    for (int i = 0; i < CORNERS; i++) {
        double rim[4][3], outward[4][3], three[3][3], normal[3][3]; /* round the piece: below, above, above, below */
        for (int n = 0; n < 4; n++) {
            double angle = 2 * PI * (i + (n > 1)) / CORNERS, x = taut_math_cos(angle), y = taut_math_sin(angle);
            point_of(centre, axis, x, y, n == 1 || n == 2 ? 1 : -1, rim[n]);
            for (int k = 0; k < 3; k++) outward[n][k] = x * half[0][k] / length[0] + y * half[1][k] / length[1];
        }
        for (int n = 0; n < 2; n++) {
            memcpy(three[0], rim[0], sizeof three[0]), memcpy(normal[0], outward[0], sizeof normal[0]);
            memcpy(three[1], rim[1 + n], sizeof three[1]), memcpy(normal[1], outward[1 + n], sizeof normal[1]);
            memcpy(three[2], rim[2 + n], sizeof three[2]), memcpy(normal[2], outward[2 + n], sizeof normal[2]);
            add_triangle(s, (const double (*)[3])three, (const double (*)[3])normal, colour, 9, 1);
            point_of(centre, axis, 0, 0, n ? 1 : -1, three[0]);
            memcpy(three[1], rim[n], sizeof three[1]);
            memcpy(three[2], rim[3 - n], sizeof three[2]);
            add_triangle(s, (const double (*)[3])three, NULL, colour, 9, 1);
        }
    }
}

static void add_mesh(const scene *s, const taut_shape *what)
{
    double centre[3], half[3][3], three[3][3];
    float colour[3];
    body_axes(s, what, centre, half);
    paint(s, what, s->t->body, colour);
    for (size_t i = 0; i < what->triangles; i++) {
        const float *corner = what->corners + 9 * i;
        for (int k = 0; k < 3; k++)
            point_of(centre, (const double (*)[3])half, corner[3 * k], corner[3 * k + 1], corner[3 * k + 2], three[k]);
        add_triangle(s, (const double (*)[3])three, NULL, colour, 9, 1);
    }
}

static void add_path(const scene *s, const taut_shape *what)
{
    float colour[3];
    paint(s, what, s->t->muted, colour);
    for (uint32_t i = 0; i + 1 < what->rows * what->columns; i++) {
        double a[3], b[3];
        place(s, what->places[i], a);
        place(s, what->places[i + 1], b);
        add_line(s, PASS_SOLID, a, b, 1.6, colour, colour, 1);
    }
}

/* Glass with wires, some twelve each way. */
static void add_surface(const scene *s, const taut_shape *what)
{
    uint32_t rows = what->rows, columns = what->columns, row_step = (rows + 5) / 12, column_step = (columns + 5) / 12;
    const uint32_t *at = what->places;
    float colour[3], wire[3];
    paint(s, what, s->t->body, colour);
    taut_colour_read(s->t->bar, wire);
    if (!row_step) row_step = 1;
    if (!column_step) column_step = 1;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++) {
            double p[4][3];
            uint32_t i = r * columns + c;
            int right = c + 1 < columns, below = r + 1 < rows;
            place(s, at[i], p[0]);
            if (right) place(s, at[i + 1], p[1]);
            if (below) place(s, at[i + columns], p[2]);
            if (right && below) {
                place(s, at[i + columns + 1], p[3]);
                add_triangle(s, (const double (*)[3])p, NULL, colour, 6, 0.4f);
                add_triangle(s, (const double (*)[3])(p + 1), NULL, colour, 6, 0.4f);
            }
            if (right && (r % row_step == 0 || r == rows - 1))
                add_line(s, PASS_GLASS, p[0], p[1], 1, wire, wire, 0.45f);
            if (below && (c % column_step == 0 || c == columns - 1))
                add_line(s, PASS_GLASS, p[0], p[2], 1, wire, wire, 0.45f);
        }
}

/* The visible part of a plane: in the plane what lies below its line, in space a square. */
static void add_plane(const scene *s, const taut_shape *what)
{
    const int flat = s->c->flat, ground = what->type == TAUT_SHAPE_GROUND;
    double at[3] = { 0, flat ? what->radius : 0, flat ? 0 : what->radius }, n[3] = { 0, flat, !flat }, corner[4][3];
    float colour[3];
    if (ground && !flat) return; /* the grid is it */
    if (!ground) {
        place(s, what->places[0], at);
        place(s, what->places[1], n);
        for (int k = 0; k < 3; k++) n[k] -= at[k];
    }
    double length = sqrt(dot(n, n)), u[3], v[3], middle[3], away = 0;
    if (!(length > 0)) return;
    for (int k = 0; k < 3; k++) n[k] /= length;
    for (int k = 0; k < 3; k++) away += (s->c->target[k] - at[k]) * n[k];
    for (int k = 0; k < 3; k++) middle[k] = s->c->target[k] - away * n[k];
    double far = flat ? 40 * fmax(s->c->distance, s->m->span) : 1.3 * radius_of(s->c, s->m);
    if (flat) u[0] = n[1], u[1] = -n[0], u[2] = 0;
    else across(n, u, v);
    for (int i = 0; i < 4; i++) {
        double x = i == 1 || i == 2 ? far : -far, y = flat ? i > 1 ? -far : 0 : i > 1 ? far : -far;
        for (int k = 0; k < 3; k++) corner[i][k] = middle[k] + x * u[k] + y * (flat ? n[k] : v[k]);
        if (flat) corner[i][2] = -0.3 * s->m->size; /* a little behind what moves in it */
    }
    paint(s, what, s->t->bar, colour);
    double other[3][3];
    memcpy(other[0], corner[0], sizeof other[0]);
    memcpy(other[1], corner[2], sizeof other[1]);
    memcpy(other[2], corner[3], sizeof other[2]);
    add_triangle(s, (const double (*)[3])corner, NULL, colour, 0, 0.28f);
    add_triangle(s, (const double (*)[3])other, NULL, colour, 0, 0.28f);
    for (int i = 0; i < (flat ? 1 : 4); i++)
        add_line(s, PASS_GLASS, corner[i], corner[(i + 1) % 4], 1.4, colour, colour, 0.9f);
}

static void add_arrow(const scene *s, const taut_shape *what)
{
    double foot[3], head[3], e[3], neck[3], scale = taut_motion_arrow(s->m, what);
    float colour[3];
    place(s, what->places[0], foot);
    place(s, what->places[1], head);
    for (int k = 0; k < 3; k++) e[k] = scale * (head[k] - foot[k]);
    double length = sqrt(dot(e, e)), width = fmax(0.006 * fmin(s->m->size, s->m->span), s->unit),
           tip = fmin(7 * width, 0.6 * length);
    if (!(length > 1e-9 * s->m->span)) return;
    for (int k = 0; k < 3; k++) head[k] = foot[k] + e[k], neck[k] = foot[k] + e[k] * (1 - tip / length);
    paint(s, what, s->t->colours[1], colour);
    add_frustum(s, foot, neck, width, width, colour, 12);
    add_frustum(s, neck, head, fmin(2.6 * width, 0.4 * tip), 0, colour, 12);
}

/* ---- balls, and small ones at the ends of bars ---- */

static int traced_as(const motion *m, uint32_t number)
{
    for (int i = 0; i < m->traced_count; i++)
        if (m->traced[i] == number) return i;
    return -1;
}

static void add_ball(const scene *s, const taut_shape *what)
{
    uint32_t number = what->places[0];
    int colour_of = traced_as(s->m, number);
    double at[3];
    float colour[3];
    place(s, number, at);
    paint(s, what, colour_of >= 0 ? s->t->colours[colour_of % 8] : s->t->bar, colour);
    add_sphere(s, at, fmax(what->radius > 0 ? what->radius : s->ball, (colour_of >= 0 ? 3 : 1.5) * s->unit), colour,
               46);
}

/* done: per place, whether it has a ball already. */
static void add_ends(const scene *s, const taut_shape *what, int lines, unsigned char *done)
{
    for (int i = 0; i < 2; i++) {
        uint32_t number = what->places[i];
        int colour_of = traced_as(s->m, number), moves = motion_moves(s->m, number), joint = moves && colour_of < 0;
        double at[3];
        float colour[3];
        if (done[number]++ || (joint && lines)) continue;
        place(s, number, at);
        taut_colour_read(!moves ? s->t->ink : colour_of >= 0 ? s->t->colours[colour_of % 8] : s->t->bar, colour);
        add_sphere(s, at, fmax(colour_of >= 0 ? 2.5 * s->bar : s->joint, joint ? 0 : 3 * s->unit), colour, 46);
    }
}

static int add_knobs(const scene *s, int lines)
{
    const drawn_run *p = s->m->run;
    unsigned char *done = taut_mem_new(s->z->context, p->shown.places, 1);
    if (!done) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < p->shown.shapes; i++)
        if (p->shapes[i].type == TAUT_SHAPE_BALL) {
            add_ball(s, &p->shapes[i]);
            done[p->shapes[i].places[0]] = 1;
        }
    for (size_t i = 0; i < p->shown.shapes; i++)
        if (p->shapes[i].type == TAUT_SHAPE_BAR || p->shapes[i].type == TAUT_SHAPE_SPRING)
            add_ends(s, &p->shapes[i], lines, done);
    taut_mem_free(s->z->context, done);
    return TAUT_OK;
}

/* ---- the ground ---- */

/* 1, 2 or 5 times a power of ten, about a tenth of the length. */
static double grid_step(double length)
{
    double raw = length / 10, power = 1;
    while (power * 10 <= raw) power *= 10;
    while (power > raw) power /= 10;
    double digit = raw / power;
    return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
}

static double ground_height(const scene *s)
{
    const drawn_run *p = s->m->run;
    if (s->c->flat) return -0.5 * s->m->size;
    for (size_t i = 0; i < p->shown.shapes; i++)
        if (p->shapes[i].type == TAUT_SHAPE_GROUND) return p->shapes[i].radius;
    return s->c->follow ? fmin(s->c->target[2], s->m->centre[2]) - 1.05 * s->m->view
                        : s->m->box.low[2] - 0.04 * s->m->size;
}

static void grid_line(const scene *s, const double *a, const double *b, const double *middle, double extent, int strong)
{
    float paper[3], ink[3], colour[2][3];
    const double *end[2] = { a, b };
    int seen = 0;
    taut_colour_read(s->t->paper, paper);
    taut_colour_read(s->t->grid, ink);
    for (int i = 0; i < 2; i++) {
        double x = (end[i][0] - middle[0]) / extent, y = (end[i][1] - middle[1]) / extent, far = x * x + y * y;
        double share = (s->c->flat ? 0.35 : fmax(0, 1 - far) * 0.75) * (strong ? 1.45 : 1);
        for (int k = 0; k < 3; k++) {
            colour[i][k] = paper[k] + (float)share * (ink[k] - paper[k]);
            seen |= colour[i][k] != paper[k];
        }
    }
    if (!seen) return;
    add_line(s, PASS_GRID, a, b, 1, colour[0], colour[1], 1);
}

static void add_grid(const scene *s)
{
    const camera *c = s->c;
    double aspect = (double)s->z->width / s->z->height, radius = radius_of(c, s->m);
    double extent = c->flat ? c->distance * fmax(1, aspect) : 1.7 * radius,
           step = grid_step(extent * (c->flat ? 1.6 : 2));
    const double *middle = c->flat || c->follow ? c->target : s->m->centre;
    double nx = round(middle[0] / step), ny = round(middle[1] / step);
    int n = (int)ceil(extent / step) + (c->flat ? 1 : 0);
    for (int i = -n; i <= n; i++)
        for (int j = -n; j < n; j++) {
            double x = (nx + i) * step, y = (ny + i) * step;
            grid_line(s, (const double[3]) { x, (ny + j) * step, s->ground },
                      (const double[3]) { x, (ny + j + 1) * step, s->ground }, middle, extent, nx + i == 0);
            grid_line(s, (const double[3]) { (nx + j) * step, y, s->ground },
                      (const double[3]) { (nx + j + 1) * step, y, s->ground }, middle, extent, ny + i == 0);
        }
}

/* ---- trails and labels ---- */

static void add_trails(const scene *s, const trail *t)
{
    float paper[3], full[3], colour[2][3];
    taut_colour_read(s->t->paper, paper);
    for (int p = 0; p < s->m->traced_count; p++) {
        taut_colour_read(s->t->colours[p % 8], full);
        for (long i = 0; i + 1 < t->count; i++) {
            double end[2][3];
            for (int k = 0; k < 2; k++) {
                double age = (double)(i + k) / (double)(t->count - 1);
                float share = (float)(t->whole ? 0.35 + 0.65 * age * age * age : 0.08 + 0.92 * taut_math_pow(age, 1.1));
                const float *at = t->places + 3 * ((size_t)(i + k) * (size_t)s->m->traced_count + (size_t)p);
                for (int c = 0; c < 3; c++) end[k][c] = at[c], colour[k][c] = paper[c] + share * (full[c] - paper[c]);
            }
            add_line(s, PASS_TRAIL, end[0], end[1], 1.8, colour[0], colour[1], 1);
        }
    }
}

/* Beside the middle of a shape with two ends, beside the first place of another, at the head of an arrow. */
static void add_label(const scene *s, const taut_shape *what)
{
    int two = what->type == TAUT_SHAPE_BAR || what->type == TAUT_SHAPE_SPRING || what->type == TAUT_SHAPE_CYLINDER ||
              what->type == TAUT_SHAPE_CAPSULE || what->type == TAUT_SHAPE_ARROW;
    double a[3], b[3], at[3], pixel[2], scale = what->type == TAUT_SHAPE_ARROW ? taut_motion_arrow(s->m, what) : 0.5;
    float colour[3], paper[3];
    place(s, what->places[0], a);
    place(s, what->places[two ? 1 : 0], b);
    for (int k = 0; two && k < 3; k++) a[k] += scale * (b[k] - a[k]);
    to_camera(s, a, at);
    if (!s->c->flat && at[2] <= 0) return;
    taut_tracer_project(s->z, at, pixel);
    double away = what->type == TAUT_SHAPE_BALL ? fmax(6, what->radius / s->unit) : 6;
    taut_colour_read(s->t->ink, colour);
    taut_colour_read(s->t->paper, paper);
    taut_letters_add(s->z, what->label, pixel[0] + away, pixel[1] - away,
                  fmax(11, 0.022 * s->z->height), paper, colour);
}

/* ---- all of it ---- */

static void set_light(scene *s, int dark)
{
    tracer *z = s->z;
    z->flat = s->c->flat;
    z->unit = s->c->flat ? s->unit : s->unit / s->c->distance;
    z->dark = dark;
    /* from over the reader's left shoulder; strengths as three.js takes those of the page, over pi */
    const double sun[3] = { -0.9, 1.4, -1.6 };
    double length = sqrt(dot(sun, sun)), half = 0;
    for (int k = 0; k < 3; k++) z->sun[k] = sun[k] / length, z->half[k] = z->sun[k] - (k == 2);
    half = sqrt(dot(z->half, z->half));
    for (int k = 0; k < 3; k++) z->half[k] /= half;
    turn(s, (const double[3]){ 0, s->c->flat, !s->c->flat }, z->sky);
    z->light[0] = (dark ? 2.0 : 2.2) / PI;
    z->light[1] = (dark ? 1.0 : 1.5) / PI;
    z->light[2] = 0.35 / PI;
    taut_colour_read(s->t->paper, z->paper);
}

static void add_shape(const scene *s, size_t i, int lines)
{
    const taut_shape *what = &s->m->run->shapes[i];
    switch (what->type) {
    case TAUT_SHAPE_BAR: add_bar(s, what, lines); break;
    case TAUT_SHAPE_SPRING: add_spring(s, what); break;
    case TAUT_SHAPE_BALL: break; /* among the knobs */
    case TAUT_SHAPE_BOX: add_box(s, what); break;
    case TAUT_SHAPE_DISC: add_disc(s, what); break;
    case TAUT_SHAPE_PATH: add_path(s, what); break;
    case TAUT_SHAPE_SURFACE: add_surface(s, what); break;
    case TAUT_SHAPE_CYLINDER:
    case TAUT_SHAPE_CAPSULE: add_rod(s, what); break;
    case TAUT_SHAPE_PLANE:
    case TAUT_SHAPE_GROUND: add_plane(s, what); break;
    case TAUT_SHAPE_ARROW: add_arrow(s, what); break;
    case TAUT_SHAPE_MESH: if (what->triangles) add_mesh(s, what); break;
    }
    if (what->label) add_label(s, what);
}

void taut_scene_add(tracer *z, const motion *m, camera *c, int dark, const float *places, const trail *t)
{
    const drawn_run *p = m->run;
    size_t bars = 0;
    if (c->follow) taut_motion_middle(m, places, c->target);
    scene s = { .z = z, .m = m, .c = c, .t = dark ? &DARK : &LIGHT, .places = places };
    axes(c, s.axis);
    s.unit = taut_camera_unit(c, z->height);
    double scale = m->drifts ? m->size : fmin(m->size, m->span);
    s.bar = fmin(0.013 * scale, 0.11 * m->shortest);
    s.joint = 1.7 * s.bar;
    s.ball = fmin(0.032 * scale, 0.28 * m->shortest);
    s.spring = fmin(0.026 * scale, 0.2 * m->shortest);
    s.ground = ground_height(&s);
    s.shadows = !c->flat;
    set_light(&s, dark);
    for (size_t i = 0; i < p->shown.shapes; i++) bars += p->shapes[i].type == TAUT_SHAPE_BAR;
    int lines = 2 * s.bar / s.unit < THINNEST || bars > MANY_BARS;
    add_grid(&s);
    for (size_t i = 0; i < p->shown.shapes; i++) add_shape(&s, i, lines);
    int status = add_knobs(&s, lines);
    if (status && !z->status) z->status = status;
    if (t) add_trails(&s, t);
}
