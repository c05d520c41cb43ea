/* A simulation of a text with its model and context, for tests of the public interface. Include cmocka.h before. */
#ifndef SUPPORT_FIXTURE_H
#define SUPPORT_FIXTURE_H

#include "support_library.h"

typedef struct {
    taut_context *context;
    taut_model *model;
    taut_simulation *z;
} fixture;

static inline fixture open_text(const char *text, const char *method, const char *precision)
{
    fixture f = { taut_context_create(NULL), NULL, NULL };
    const taut_options options = { .size = sizeof options, .method = method, .precision = precision };
    int status = taut_model_load_text(f.context, "test", text, strlen(text), NULL, 0, &f.model);
    if (!status) status = taut_simulation_create(f.context, f.model, &options, &f.z);
    if (status) fail_msg("%s", taut_error_text(f.context));
    return f;
}

static inline void close_fixture(fixture *f)
{
    taut_simulation_release(f->z);
    taut_model_release(f->model);
    taut_context_destroy(f->context);
}

#define OK(call)                                                                       \
    do {                                                                               \
        int status_of_call = (call);                                                   \
        if (status_of_call) fail_msg("%s: %s", #call, taut_error_text(f.context));     \
    } while (0)

static inline void same_frames(taut_simulation *x, taut_simulation *y)
{
    double one[64], two[64];
    assert_int_equal(columns_of(x), columns_of(y));
    assert_int_equal(frame_of(x, one), TAUT_OK);
    assert_int_equal(frame_of(y, two), TAUT_OK);
    assert_memory_equal(one, two, columns_of(x) * sizeof *one);
}

#endif
