#include "report/compare_trace.h"

#include <string.h>

/* Frames of a run, and numbers of all animations together, at the most. */
#define TRACE_FRAMES 1000
#define TRACE_VALUES 600000

enum { SOURCE_TIME, SOURCE_ENERGY, SOURCE_WORK, SOURCE_COORDINATES };

static int take(void *user, int row, void *engine, const void *values);

int taut_compare_trace_begin(compare_trace *z, model *m, const engine_api *api, compare_options *options)
{
    taut_context *context = m->context;
    *z = (compare_trace){ .context = context, .api = api, .options = options };
    z->run_count = options->method_count * options->step_count;
    int status = taut_picture_create(m, &z->shown);
    if (status) return status;
    const picture *p = z->shown;
    long room = TRACE_VALUES / (3 * (long)(p->moving_count + 1) * options->method_count);
    z->runs = taut_mem_new(context, (size_t)z->run_count, sizeof *z->runs);
    z->still = taut_mem_new(context, 3 * p->place_count, sizeof *z->still);
    z->places = taut_mem_new(context, 3 * p->place_count, sizeof *z->places);
    z->values = taut_mem_new(context, p->coordinate_count, sizeof *z->values);
    if (!z->runs || !z->still || !z->places || !z->values) return TAUT_OUT_OF_MEMORY;
    options->frames = room > TRACE_FRAMES ? TRACE_FRAMES : room < 50 ? 50 : room;
    options->frame = take;
    options->user = z;
    return TAUT_OK;
}

void taut_compare_trace_clear(compare_trace *z)
{
    for (int i = 0; z->runs && i < z->run_count; i++) {
        taut_mem_free(z->context, z->runs[i].t);
        taut_mem_free(z->context, z->runs[i].energy);
        taut_mem_free(z->context, z->runs[i].motion);
        taut_mem_free(z->context, z->runs[i].sources);
    }
    if (!z->context) return;
    taut_mem_free(z->context, z->runs);
    taut_mem_free(z->context, z->still);
    taut_mem_free(z->context, z->places);
    taut_mem_free(z->context, z->values);
    taut_picture_destroy(z->shown);
    *z = (compare_trace){ 0 };
}

/* The column with this name, or the number of columns. */
static size_t find(const compare_trace *z, void *engine, const char *name)
{
    char text[256];
    size_t count = z->api->column_count(engine);
    for (size_t i = 0; i < count; i++) {
        z->api->column_name(engine, i, text, sizeof text);
        if (strcmp(text, name) == 0) return i;
    }
    return count;
}

static void find_sources(const compare_trace *z, void *engine, size_t *sources)
{
    char name[256];
    sources[SOURCE_TIME] = find(z, engine, "t");
    sources[SOURCE_ENERGY] = find(z, engine, "energy");
    sources[SOURCE_WORK] = find(z, engine, "work");
    for (size_t i = 0; i < z->shown->coordinate_count; i++) {
        const picture_variable *v = &z->shown->coordinates[i];
        taut_model_namer(z->shown->m, OP_VARIABLE, v->k, v->index, name, sizeof name);
        sources[SOURCE_COORDINATES + i] = find(z, engine, name);
    }
}

/* NaN beyond the last column. */
static wide value(const compare_trace *z, void *engine, const void *values, size_t column)
{
    if (column >= z->api->column_count(engine)) return (wide)NAN;
    return z->api->number_size == sizeof(double) ? (wide)((const double *)values)[column]
                                                 : ((const wide *)values)[column];
}

/* compare_options says how many frames there are at the most. */
static int make_room(compare_trace *z, trace *r)
{
    size_t moving = 3 * z->shown->moving_count;
    if (r->capacity) return TAUT_OK;
    r->capacity = z->options->frames + 2;
    r->t = taut_mem_new(z->context, (size_t)r->capacity, sizeof *r->t);
    r->energy = taut_mem_new(z->context, (size_t)r->capacity, sizeof *r->energy);
    r->motion = taut_mem_new(z->context, (size_t)r->capacity * moving, sizeof *r->motion);
    r->sources = taut_mem_new(z->context, SOURCE_COORDINATES + z->shown->coordinate_count, sizeof *r->sources);
    return r->t && r->energy && r->motion && r->sources ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int take(void *user, int row, void *engine, const void *values)
{
    compare_trace *z = user;
    const picture *p = z->shown;
    trace *r = &z->runs[row];
    if (row % z->options->step_count != 0) return TAUT_OK;
    int status = make_room(z, r);
    if (status || r->count == r->capacity) return status;
    if (r->count == 0) find_sources(z, engine, r->sources);
    wide energy = value(z, engine, values, r->sources[SOURCE_ENERGY]);
    wide work = value(z, engine, values, r->sources[SOURCE_WORK]);
    if (work == work) energy -= work;
    if (r->count == 0) r->first = energy;
    r->t[r->count] = (double)value(z, engine, values, r->sources[SOURCE_TIME]);
    r->energy[r->count] = (double)(energy - r->first);
    for (size_t i = 0; i < p->coordinate_count; i++)
        z->values[i] = (double)value(z, engine, values, r->sources[SOURCE_COORDINATES + i]);
    if (p->place_count) taut_picture_places(p, r->t[r->count], z->values, z->places);
    if (r->count == 0) memcpy(z->still, z->places, 3 * p->place_count * sizeof *z->still);
    for (size_t k = 0; k < p->moving_count; k++)
        memcpy(r->motion + 3 * ((size_t)r->count * p->moving_count + k), z->places + 3 * p->moving[k],
               3 * sizeof *z->places);
    r->count++;
    return TAUT_OK;
}
