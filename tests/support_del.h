/* Simulations with a method by name, for the tests of discrete Euler-Lagrange methods. */
#ifndef TAUT_TESTS_SUPPORT_DEL_H
#define TAUT_TESTS_SUPPORT_DEL_H

#include "support.h"

/* source: the text of a model, or a file of models/ when it has no blank in it. h: for models with start_points. */
static inline simulation *open_with(const char *source, const char *method, real h)
{
    char path[512];
    model *m = NULL;
    simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, source);
    int status = strchr(source, ' ') ? taut_model_read_text(context, "test.lua", source, strlen(source), NULL, 0, &m)
                                     : taut_model_read_file(context, path, NULL, 0, &m);
    engine_options options = { .method = method, .step = h };
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("%s", taut_error_text(context));
    return z;
}

/* Momenta from two points that the test has computed. */
static inline void start_at(simulation *z, const real *q0, const real *q1, real h)
{
    memcpy(z->x.q, q0, z->s->n * sizeof(real));
    memset(z->x.q_low, 0, z->s->n * sizeof(real));
    assert_int_equal(z->method.class->start(z->s, &z->spec, &z->x, q1, h), TAUT_OK);
}

#endif
