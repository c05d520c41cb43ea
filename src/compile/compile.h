/* A model and a method as a C file for firmware and other programs: the lowered step (src/lower) as text, with the
 * start that a simulation has, behind an interface of six functions. In double or float; docs/compile.md says what is
 * in it. */
#ifndef TAUT_COMPILE_COMPILE_H
#define TAUT_COMPILE_COMPILE_H

#include "base/words.h"
#include "model/model.h"

typedef struct {
    const char *method;     /* NAME:options */
    wide tolerance;         /* of the Newton iterations; 0: round-off */
    start_mode start;
    wide step;              /* the default, for the header; start_points are so far apart */
    const char *prefix;     /* of all external names: an identifier */
    const char *header;     /* the header's file name, without folders */
    int single;             /* float */
} compile_options;

#define COMPILE_PREFIX 40   /* longest prefix */

/* Allocated in the model's context. */
typedef struct {
    char *source, *header;
    size_t source_length, header_length;
} compile_result;

/* Is it a prefix that C code can have? */
int taut_compile_prefix_serves(const char *prefix);
/* TAUT_UNSUPPORTED, with a message, for models and methods that cannot be written so. */
int taut_compile(model *m, const compile_options *options, compile_result *result);
void taut_compile_clear(taut_context *context, compile_result *result);

#endif
