/* What is drawn of a run, as the library has it, its shapes read once. */
#ifndef TAUT_RENDER_DRAWN_RUN_H
#define TAUT_RENDER_DRAWN_RUN_H

#include "base/context.h"
#include "taut/taut.h"

typedef struct {
    taut_context *context;
    taut_file *file;
    size_t frames;
    taut_drawing *drawing;
    taut_drawing_info shown;
    taut_shape *shapes;
} drawn_run;

/* On failure, too, it is to be closed. */
int taut_drawn_run_open(drawn_run *z, taut_context *context, taut_file *file, const char *meshes);
void taut_drawn_run_close(drawn_run *z);

#endif
