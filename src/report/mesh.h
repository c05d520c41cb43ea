/* Triangles from a file: STL, binary or text, or OBJ. */
#ifndef TAUT_REPORT_MESH_H
#define TAUT_REPORT_MESH_H

#include "base/context.h"

/* Triangles of a mesh at the most: a page must stay small. */
#define MESH_TRIANGLES 200000

typedef struct {
    float *corners;   /* 9 numbers per triangle; free with mem_free */
    size_t count;     /* of triangles */
} mesh;

/* Reads `name`, beside the file `model` unless it is absolute. Polygons of an OBJ file are cut into fans. On failure
   the mesh is empty. */
int taut_mesh_read(taut_context *context, const char *model, const char *name, mesh *result);

#endif
