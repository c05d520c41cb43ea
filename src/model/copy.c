/* A model once more: every simulation of the public interface has its own, so that a loaded model never changes and any
   number of threads may make simulations of it. */
#include <string.h>

#include "model/model.h"

typedef struct {
    taut_context *context;
    model *to;
    int failed;
} copier;

static void *copy_array(copier *c, const void *from, size_t count, size_t size)
{
    if (!from) return NULL;
    void *to = taut_mem_resize(c->context, NULL, count, size);
    if (to && count) memcpy(to, from, count * size);
    c->failed |= !to;
    return to;
}

static char *copy_text(copier *c, const char *from)
{
    char *to = from ? taut_model_text(c->to, from) : NULL;
    c->failed |= from && !to;
    return to;
}

#define COPY(array, length, capacity) \
    (to->array = copy_array(&c, from->array, from->length, sizeof *from->array), to->capacity = from->length)
/* Its names are the copy's own from here on, or NULL. */
#define COPY_NAMED(array, length, capacity)                                              \
    do {                                                                                 \
        COPY(array, length, capacity);                                                   \
        if (!to->array) to->length = 0;                                                  \
        for (size_t i = 0; i < to->length; i++) to->array[i].name = copy_text(&c, from->array[i].name); \
    } while (0)

int taut_model_copy(taut_context *context, const model *from, model **result)
{
    *result = NULL;
    model *to = taut_mem_new(context, 1, sizeof *to);
    if (!to) return TAUT_OUT_OF_MEMORY;
    copier c = { context, to, 0 };
    *to = *from;
    to->context = context;
    to->text_pieces = to->text_at = NULL;
    to->text_left = 0;
    to->phase = NULL;
    to->graph = taut_graph_copy(context, from->graph);
    c.failed |= !to->graph;
    to->file = copy_text(&c, from->file);
    to->title = copy_text(&c, from->title);
    to->source = copy_array(&c, from->source, from->source_size + 1, 1);
    COPY_NAMED(groups, group_count, group_capacity);
    COPY(group_of, coordinate_count, group_of_capacity);
    COPY_NAMED(parameters, parameter_count, parameter_capacity);
    COPY(summands, summand_count, summand_capacity);
    COPY_NAMED(embeddings, embedding_count, embedding_capacity);
    COPY(chart, chart_count, chart_capacity);
    to->ambient = copy_array(&c, from->ambient, from->summand_count, sizeof *from->ambient);
    COPY_NAMED(constraints, constraint_count, constraint_capacity);
    COPY_NAMED(contacts, contact_count, contact_capacity);
    COPY(forces, force_count, force_capacity);
    COPY(rates, rate_count, rate_capacity);
    COPY_NAMED(observables, observable_count, observable_capacity);
    COPY(start_q, coordinate_count, start_q_capacity);
    COPY(start_w, coordinate_count, start_w_capacity);
    COPY(start_q1, coordinate_count, start_q1_capacity);
    to->texts = taut_mem_new(context, from->text_count, sizeof *to->texts);
    to->text_count = to->text_capacity = to->texts ? from->text_count : 0;
    c.failed |= !to->texts;
    for (size_t i = 0; i < to->text_count; i++) to->texts[i] = copy_text(&c, from->texts[i]);
    for (int i = 0; i < UNITS; i++) to->units[i] = copy_text(&c, from->units[i]);
    COPY(shapes, shape_count, shape_capacity);
    COPY(places, place_count, place_capacity);
    if (c.failed) {
        taut_model_free(to);
        return TAUT_OUT_OF_MEMORY;
    }
    *result = to;
    return TAUT_OK;
}
