/* What is drawn of a run: report/moving.h for others. */
#include "library/file.h"
#include "library/measure.h"
#include "report/moving.h"

struct taut_drawing {
    taut_context *context;
    taut_file *file;
    moving run;
};

_Static_assert((int)TAUT_SHAPE_MESH == (int)SHAPE_MESH && (int)TAUT_SHAPE_CYLINDER == (int)SHAPE_CYLINDER, "shapes");

int taut_drawing_create(taut_file *file, const char *meshes, taut_drawing **result)
{
    taut_context *context = file ? file->context : NULL;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, file, "file");
    library_begin(context);
    taut_drawing *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return library_done(context, TAUT_OUT_OF_MEMORY);
    z->context = context;
    z->file = file;
    taut_context_keep(context);
    int status = taut_sweep_is(file->r)
                     ? taut_fail(context, TAUT_BAD_USAGE, "the file is that of an ensemble; a drawing is of a run")
                     : taut_moving_open(&z->run, context, file->r, meshes);
    if (status)
        taut_drawing_release(z);
    else
        *result = z;
    return library_done(context, status);
}

void taut_drawing_release(taut_drawing *z)
{
    if (!z) return;
    taut_context *context = z->context;
    if (z->run.context) taut_moving_close(&z->run);
    taut_mem_free(context, z);
    taut_context_release(context);
}

void taut_drawing_about(const taut_drawing *z, taut_drawing_info *info)
{
    if (!z || !info) return;
    const picture *p = z->run.shown;
    const char *unit = z->run.m->units[UNIT_TIME];
    const taut_drawing_info found = { .shapes = p->shape_count, .places = p->place_count, .moving = p->moving_count,
                                      .moves = p->moving, .omitted = p->omitted, .flat = p->flat,
                                      .guessed = p->guessed, .time_unit = unit ? unit : "" };
    taut_library_give(&found, sizeof found, info);
}

/* A text of the model; 0: none. */
static const char *text_of(const taut_drawing *z, uint32_t number)
{
    return number ? z->run.m->texts[number - 1] : NULL;
}

int taut_drawing_shape(const taut_drawing *z, size_t index, taut_shape *given)
{
    LIBRARY_NEEDS(NULL, z, "drawing");
    LIBRARY_NEEDS(z->context, given, "shape");
    const picture *p = z->run.shown;
    if (index >= p->shape_count) return taut_measure_beyond(z->context, "shape", index, p->shape_count);
    const shape *s = &p->shapes[index];
    const mesh *m = z->run.meshes ? &z->run.meshes[index] : NULL;
    const taut_shape found = { .type = (int)s->type, .places = p->index + s->first, .rows = s->rows,
                               .columns = s->columns, .radius = s->radius, .scale = s->scale,
                               .colour = text_of(z, s->colour), .label = text_of(z, s->label),
                               .corners = m ? m->corners : NULL, .triangles = m ? m->count : 0 };
    taut_library_give(&found, sizeof found, given);
    return TAUT_OK;
}

int taut_drawing_places(taut_drawing *z, size_t frame, double *t, float *places)
{
    LIBRARY_NEEDS(NULL, z, "drawing");
    LIBRARY_NEEDS(z->context, t, "t");
    LIBRARY_NEEDS(z->context, places, "places");
    library_begin(z->context);
    const size_t frames = (size_t)taut_record_frame_count(z->run.r);
    int status = frame < frames ? taut_moving_places(&z->run, (long)frame, t, places)
                                : taut_fail(z->context, TAUT_BAD_USAGE, "there is no frame %zu: the run has %zu", frame,
                                            frames);
    return library_done(z->context, status);
}
