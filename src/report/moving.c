#include "report/moving.h"

#include <string.h>

static int load_the_model(moving *z)
{
    const char *source = taut_record_property(z->r, "source"), *name = taut_record_property(z->r, "model");
    size_t count = taut_record_setting_count(z->r);
    definition *settings = taut_mem_new(z->context, count, sizeof *settings);
    if (!settings) return TAUT_OUT_OF_MEMORY;
    if (!source) {
        taut_mem_free(z->context, settings);
        return taut_fail(z->context, TAUT_CANNOT_READ, "the run file has no model source; it is damaged");
    }
    for (size_t i = 0; i < count; i++) taut_record_setting(z->r, i, &settings[i].name, &settings[i].value);
    int status =
        taut_model_read_text(z->context, name ? name : "model", source, strlen(source), settings, count, &z->m);
    taut_mem_free(z->context, settings);
    return status;
}

/* Columns of the record for the time and the coordinates of the picture. */
static int find_sources(moving *z)
{
    char name[256];
    size_t count = 1 + z->shown->coordinate_count;
    z->sources = taut_mem_new(z->context, count, sizeof *z->sources);
    z->values = taut_mem_new(z->context, count, sizeof *z->values);
    if (!z->sources || !z->values) return TAUT_OUT_OF_MEMORY;
    long found = taut_record_column_find(z->r, "t");
    z->sources[0] = found < 0 ? 0 : (size_t)found;
    for (size_t i = 0; i + 1 < count; i++) {
        const picture_variable *v = &z->shown->coordinates[i];
        taut_model_namer(z->m, OP_VARIABLE, v->k, v->index, name, sizeof name);
        found = taut_record_column_find(z->r, name);
        if (found < 0)
            return taut_fail(z->context, TAUT_CANNOT_READ,
                        "the run file has no column '%s', a coordinate of its model; it is damaged", name);
        z->sources[1 + i] = (size_t)found;
    }
    return TAUT_OK;
}

/* A file beside which the meshes are. Older run files say where the model was. */
static char *place_of_meshes(const moving *z, const char *folder)
{
    const char *beside = strchr(z->m->file, '/') ? z->m->file : taut_record_path(z->r);
    const size_t length = strlen(folder ? folder : beside);
    char *place = taut_mem_new(z->context, length + 2, 1);
    if (place) memcpy(place, folder ? folder : beside, length);
    if (place && folder) place[length] = '/';
    return place;
}

static int read_all(moving *z, const char *place)
{
    for (size_t i = 0; i < z->shown->shape_count; i++) {
        const shape *s = &z->shown->shapes[i];
        if (!s->file) continue;
        int status = taut_mesh_read(z->context, place, z->m->texts[s->file - 1], &z->meshes[i]);
        if (status == TAUT_OUT_OF_MEMORY) return status;
        if (status) taut_note(z->context, "%s; it is not drawn", taut_error_text(z->context));
    }
    return TAUT_OK;
}

static int read_meshes(moving *z, const char *folder)
{
    int any = 0;
    for (size_t i = 0; i < z->shown->shape_count; i++) any |= z->shown->shapes[i].file != 0;
    if (!any) return TAUT_OK;
    z->meshes = taut_mem_new(z->context, z->shown->shape_count, sizeof *z->meshes);
    char *place = place_of_meshes(z, folder);
    int status = z->meshes && place ? read_all(z, place) : TAUT_OUT_OF_MEMORY;
    taut_mem_free(z->context, place);
    return status;
}

int taut_moving_open(moving *z, taut_context *context, record *r, const char *meshes)
{
    *z = (moving){ .context = context, .r = r };
    int status = load_the_model(z);
    if (!status) status = taut_picture_create(z->m, &z->shown);
    if (!status) status = find_sources(z);
    if (!status) status = read_meshes(z, meshes);
    return status;
}

void taut_moving_close(moving *z)
{
    for (size_t i = 0; z->meshes && i < z->shown->shape_count; i++) taut_mem_free(z->context, z->meshes[i].corners);
    taut_mem_free(z->context, z->meshes);
    taut_mem_free(z->context, z->sources);
    taut_mem_free(z->context, z->values);
    taut_picture_destroy(z->shown);
    taut_model_free(z->m);
    *z = (moving){ 0 };
}

int taut_moving_places(moving *z, long frame, double *t, float *places)
{
    int status = taut_record_read(z->r, frame, 1, z->sources, 1 + z->shown->coordinate_count, z->values);
    if (status) return status;
    *t = z->values[0];
    taut_picture_places(z->shown, z->values[0], z->values + 1, places);
    return TAUT_OK;
}

int taut_moving_find(moving *z, double t, int past, long *frame)
{
    long low = 0, high = taut_record_frame_count(z->r);
    while (low < high) {
        long middle = low + (high - low) / 2;
        double at;
        int status = taut_record_read(z->r, middle, 1, z->sources, 1, &at);
        if (status) return status;
        if (at < t || (past && at == t)) low = middle + 1;
        else high = middle;
    }
    *frame = low;
    return TAUT_OK;
}

moving_choice taut_moving_choose(const moving *z, long frames)
{
    return moving_choose(z->shown->moving_count, frames);
}
