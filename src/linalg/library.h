/* Libraries that few models need are loaded when a call first needs them: linking LAPACK, BLAS and MUMPS took two
   thirds of the start of every command. They stay loaded. Any number of threads may load them at the same time;
   nothing is kept between calls but what the dynamic linker keeps. */
#ifndef TAUT_LINALG_LIBRARY_H
#define TAUT_LINALG_LIBRARY_H

#include <stddef.h>

#include "base/context.h"

/* A function of a library, and where its address goes in the caller's table. */
typedef struct {
    const char *name;
    size_t at;
} library_function;

/* Loads the library, whose file has the name that linking would have recorded, and fills the table. title: what
   messages call it. The BLAS of the build comes first, with all that its folder has of what LAPACK and MUMPS ask for,
   so that one process never has two of them. TAUT_UNSUPPORTED where a library or a function is missing. */
int taut_library_load(taut_context *context, const char *title, const char *file, const library_function *functions,
                      size_t count, void *table);

#endif
