#include "render/drawn_run.h"

int taut_drawn_run_open(drawn_run *z, taut_context *context, taut_file *file, const char *meshes)
{
    *z = (drawn_run){ .context = context, .file = file, .shown = { .size = sizeof z->shown } };
    int status = taut_file_frames(file, &z->frames);
    if (!status) status = taut_drawing_create(file, meshes, &z->drawing);
    if (status) return status;
    taut_drawing_about(z->drawing, &z->shown);
    z->shapes = taut_mem_new(context, z->shown.shapes, sizeof *z->shapes);
    if (!z->shapes) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < z->shown.shapes; i++) {
        z->shapes[i].size = sizeof *z->shapes;
        status = taut_drawing_shape(z->drawing, i, &z->shapes[i]);
    }
    return status;
}

void taut_drawn_run_close(drawn_run *z)
{
    taut_drawing_release(z->drawing);
    taut_mem_free(z->context, z->shapes);
    *z = (drawn_run){ 0 };
}
