/* What convergence and verification share: a model of their own, engines, numbers that were given as strings. */
#ifndef TAUT_LIBRARY_MEASURE_H
#define TAUT_LIBRARY_MEASURE_H

#include "library/library.h"
#include "run/crew.h"

typedef struct {
    taut_context *context;
    taut_model *model;      /* as given */
    model *m;               /* a copy, for the engines */
    char *method;
} measure;

/* Takes the model. On failure, too, the measure must be ended. */
int taut_measure_begin(measure *z, taut_context *context, taut_model *model, const char *method);
/* After all engines are destroyed. */
void taut_measure_end(measure *z);
/* The precision of this name, or the widest one (NULL). */
int taut_measure_engine(taut_context *context, const char *precision, const engine_api **api);
const engine_api *taut_measure_widest(void);
/* TAUT_BAD_USAGE, with a message: item `index` of what has `count` of them. */
int taut_measure_beyond(taut_context *context, const char *item, size_t index, size_t count);
/* A positive number in a string; *value stays where there is none. */
int taut_measure_number(taut_context *context, const char *name, const char *text, wide *value);
int taut_measure_start(taut_context *context, int start, start_mode *mode);
int taut_measure_crew(const measure *z, int threads, crew *c);

#endif
