#include "linalg/library.h"

#include <dlfcn.h>
#include <string.h>

static const char *name_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* In the folder where the build found it, then wherever the system looks: what DT_RPATH does for libraries that are
   linked. */
static void *open_library(const char *file)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    return handle ? handle : dlopen(name_of(file), RTLD_NOW | RTLD_LOCAL);
}

/* A library that is loaded serves all that ask for its name later, so these come before those that need them. One that
   is missing is missed by those, who say so. */
static void load_blas(void)
{
    static const char *const files[] = { TAUT_BLAS_FILES };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) open_library(files[i]);
}

int taut_library_load(taut_context *context, const char *title, const char *file, const library_function *functions,
                      size_t count, void *table)
{
    load_blas();
    void *handle = open_library(file), *found = handle;
    for (size_t i = 0; found && i < count; i++)
        if ((found = dlsym(handle, functions[i].name)))
            memcpy((char *)table + functions[i].at, &found, sizeof found);
    if (found) return TAUT_OK;
    const char *why = dlerror();
    return taut_fail(context, TAUT_UNSUPPORTED, "%s is not available: '%s' cannot be loaded (%s); install it", title,
                     name_of(file), why ? why : "no reason given");
}
