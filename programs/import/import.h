/* Robot descriptions (URDF, and MJCF of MuJoCo) as models of bodies and joints: Lua files, written for people to go on
   with. */
#ifndef TAUT_IMPORT_IMPORT_H
#define TAUT_IMPORT_IMPORT_H

#include <stdio.h>

#include "taut/context.h"

typedef struct description description;

/* Reads a description, with the files that it includes, and checks that it can be written. After a failure, which the
   context's text explains with file and line, *result is NULL. */
int taut_import_read(taut_context *context, const char *path, description **result);
/* Writes the model of a `description`. Returns a status. */
int taut_import_write(void *of, FILE *file);
/* How many things the written model has a comment for instead. */
int taut_import_left_out(const description *z);
/* NULL is allowed. */
void taut_import_free(description *z);

#endif
