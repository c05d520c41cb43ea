#include "render/film.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "render/scene.h"

#define TRAIL_POINTS 600
#define PI 3.14159265358979323846

struct film {
    taut_context *context;
    film_options o;
    drawn_run run;
    long first, count;           /* frames of the span */
    motion *m;
    camera eye;
    tracer *z;
    float *places;
    long *kept;                  /* frames of the trail, ascending */
    float *trail_places;         /* of them */
    long kept_count, stride;     /* frames from one to the next */
};

film_options taut_film_default(void)
{
    return (film_options){ .width = 1280, .height = 720, .from = -INFINITY, .to = INFINITY, .azimuth = NAN,
                           .elevation = NAN, .zoom = 1, .trails = TRAIL_SHORT, .clock = 1, .threads = 1 };
}

static int find_span(film *z)
{
    size_t first, end;
    int status = taut_file_find_frame(z->run.file, z->o.from, 0, &first);
    if (!status) status = taut_file_find_frame(z->run.file, z->o.to, 1, &end);
    if (status) return status;
    z->first = (long)first, z->count = (long)end - z->first;
    if (z->count > 0) return TAUT_OK;
    if (!z->run.frames) return taut_fail(z->context, TAUT_BAD_USAGE, "the run has no frames");
    return taut_fail(z->context, TAUT_BAD_USAGE, "the run has no frame with %.9g <= t <= %.9g", z->o.from, z->o.to);
}

static int create(film *z)
{
    int status = find_span(z);
    if (status) return status;
    const drawn_run *p = &z->run;
    if (!p->shown.places)
        return taut_fail(z->context, TAUT_UNSUPPORTED,
                         "there is nothing to draw: the model has no points; write draw{...}");
    status = taut_motion_create(&z->run, z->first, z->count, &z->m);
    if (!status) status = taut_tracer_create(z->context, z->o.width, z->o.height, z->o.threads, &z->z);
    if (status) return status;
    size_t points = TRAIL_POINTS + 2;
    z->places = taut_mem_new(z->context, 3 * p->shown.places, sizeof *z->places);
    z->kept = taut_mem_new(z->context, points, sizeof *z->kept);
    z->trail_places = taut_mem_new(z->context, points * MOTION_TRACED, 3 * sizeof *z->trail_places);
    if (!z->places || !z->kept || !z->trail_places) return TAUT_OUT_OF_MEMORY;
    z->eye = (camera){ .flat = p->shown.flat, .follow = z->m->drifts };
    z->eye.azimuth = (z->o.azimuth == z->o.azimuth ? z->o.azimuth : -62) * PI / 180;
    z->eye.elevation = (z->o.elevation == z->o.elevation ? z->o.elevation : 17) * PI / 180;
    taut_camera_fit(&z->eye, z->m, z->o.width, z->o.height);
    z->eye.distance /= z->o.zoom;
    return TAUT_OK;
}

int taut_film_open(taut_context *context, taut_file *file, const film_options *o, film **result)
{
    film *z = taut_mem_new(context, 1, sizeof *z);
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->context = context;
    z->o = *o;
    int status = taut_drawn_run_open(&z->run, context, file, o->meshes);
    if (!status) status = create(z);
    if (status) taut_film_close(z);
    else *result = z;
    return status;
}

void taut_film_close(film *z)
{
    if (!z) return;
    taut_tracer_destroy(z->z);
    taut_motion_destroy(z->m);
    taut_drawn_run_close(&z->run);
    taut_mem_free(z->context, z->places);
    taut_mem_free(z->context, z->kept);
    taut_mem_free(z->context, z->trail_places);
    taut_mem_free(z->context, z);
}

void taut_film_span(const film *z, double *from, double *to)
{
    *from = z->m->times[0];
    *to = z->m->times[z->m->choice.frames - 1];
    double last;
    const long found = taut_file_find(z->run.file, "t");
    const size_t time = found < 0 ? 0 : (size_t)found; /* the last frame may be one that was left out */
    if (!taut_file_read(z->run.file, (size_t)(z->first + z->count - 1), 1, &time, 1, &last, NULL)) *to = last;
}

double taut_film_speed(const film *z) { return z->m->speed; }

/* ---- trails: places of earlier frames, read as the film goes on ---- */

static int keep_trail(film *z, long frame)
{
    double t;
    int status = taut_drawing_places(z->run.drawing, (size_t)frame, &t, z->places);
    float *to = z->trail_places + 3 * (size_t)z->kept_count * (size_t)z->m->traced_count;
    for (int k = 0; !status && k < z->m->traced_count; k++, to += 3)
        memcpy(to, z->places + 3 * z->m->traced[k], 3 * sizeof *to);
    if (!status) z->kept[z->kept_count++] = frame;
    return status;
}

/* Frames first .. last - 1 that `stride` divides are wanted; what is there of them stays. */
static void drop_trail(film *z, long first, long last, long stride)
{
    size_t size = 3 * (size_t)z->m->traced_count;
    long count = 0;
    for (long i = 0; i < z->kept_count; i++) {
        if (z->kept[i] < first || z->kept[i] >= last || z->kept[i] % stride) continue;
        memmove(z->trail_places + (size_t)count * size, z->trail_places + (size_t)i * size, size * sizeof(float));
        z->kept[count++] = z->kept[i];
    }
    z->kept_count = count;
}

static int make_trail(film *z, long frame)
{
    double length = z->o.trails == TRAIL_ALL || !(z->m->travel > 0) ? (double)frame
                    : ceil((z->o.trails == TRAIL_SHORT ? 2.2 : 12) * z->m->size / z->m->travel);
    long back = length < 8 ? 8 : length < (double)(frame - z->first) ? (long)length : frame - z->first, stride = 1;
    long first = frame - back < z->first ? z->first : frame - back;
    while ((frame - first) / stride >= TRAIL_POINTS) stride *= 2; /* so that those of before remain some of them */
    long from = (first + stride - 1) / stride * stride;
    drop_trail(z, first, frame, stride);
    if (z->kept_count && (z->kept[0] > from || stride < z->stride)) z->kept_count = 0; /* the film went back */
    z->stride = stride;
    int status = TAUT_OK;
    for (long k = z->kept_count ? z->kept[z->kept_count - 1] + stride : from; !status && k < frame; k += stride)
        status = keep_trail(z, k);
    return status ? status : keep_trail(z, frame);
}

/* ---- pictures ---- */

static void add_clock(film *z, double t, double step)
{
    char number[64], text[128];
    const char *unit = z->run.shown.time_unit;
    float colour[3];
    int digits = 0;
    for (double size = step; step > 0 && size < 0.999 && digits < 9; size *= 10) digits++;
    if (step > 0) snprintf(number, sizeof number, "%.*f", digits, t);
    else snprintf(number, sizeof number, "%.6g", t);
    snprintf(text, sizeof text, "t = %s%s%.40s", number, *unit ? " " : "", unit);
    double size = fmax(12, 0.03 * z->o.height);
    taut_scene_ink(z->o.dark, 1, colour);
    taut_letters_add(z->z, text, 0.9 * size, z->o.height - 0.9 * size, size, NULL, colour);
}

int taut_film_draw(film *z, double t, double step, image *result)
{
    const long last = z->first + z->count - 1;
    size_t end;
    double at;
    int status = taut_file_find_frame(z->run.file, t + 1e-9 * step, 1, &end);
    if (status) return status;
    const long found = (long)end - 1, frame = found > last ? last : found < z->first ? z->first : found;
    trail path = { .whole = z->o.trails == TRAIL_ALL };
    if (z->o.trails != TRAIL_OFF && z->m->traced_count) status = make_trail(z, frame);
    if (!status) status = taut_drawing_places(z->run.drawing, (size_t)frame, &at, z->places);
    if (status) return status;
    path.places = z->trail_places;
    path.count = z->kept_count;
    taut_tracer_clear(z->z);
    taut_scene_add(z->z, z->m, &z->eye, z->o.dark, z->places, path.count > 1 ? &path : NULL);
    if (z->o.clock) add_clock(z, at, step);
    return taut_tracer_draw(z->z, result);
}
