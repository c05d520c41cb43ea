/* What the examples share: the first failure ends the program with its message. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taut/taut.h>

#define CHECK(context, call)                                                                \
    do {                                                                                    \
        if (call) {                                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, taut_error_text(context));   \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

static inline taut_model *load(taut_context *context, const char *name, const char *text)
{
    taut_model *model = NULL;
    CHECK(context, taut_model_load_text(context, name, text, strlen(text), NULL, 0, &model));
    return model;
}

static inline double get(taut_context *context, taut_simulation *z, int kind, size_t index)
{
    double value;
    CHECK(context, taut_get(z, kind, index, 1, &value, NULL));
    return value;
}

static inline void advance(taut_context *context, taut_simulation *z, double h, double until)
{
    taut_run run = { .size = sizeof run, .h = h, .until = until };
    CHECK(context, taut_advance(z, &run));
}

#endif
