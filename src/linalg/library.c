#include "linalg/library.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "linalg/exclusive.h"

/* What OpenBLAS takes at its first call, for good, and what the libraries take themselves. Where there is less it asks
   for it again and again, without end. */
#define BLAS_MEMORY ((size_t)(128 + 64) << 20)

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

static int has_memory(void)
{
    void *probe = mmap(NULL, BLAS_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) return 0;
    munmap(probe, BLAS_MEMORY);
    return 1;
}

/* Has the work area allocated while there is memory: a factorisation of one number. */
static void take_work_area(void *blas)
{
    typedef void factor(const int *rows, const int *columns, double *a, const int *stride, int *pivots, int *info);
    void *found = blas ? dlsym(blas, "dgetrf_") : NULL;
    factor *call;
    const int one = 1;
    int pivot, info;
    double a = 1;
    if (!found) return;
    memcpy(&call, &found, sizeof call);
    taut_exclusive_begin();
    call(&one, &one, &a, &one, &pivot, &info);
    taut_exclusive_end();
}

/* A library that is loaded serves all that ask for its name later, so these come before those that need them. One that
   is missing is missed by those, who say so. */
static int load_blas(taut_context *context, const char *title)
{
    static const char *const files[] = { TAUT_BLAS_FILES };
    void *there = dlopen(files[0], RTLD_NOW | RTLD_NOLOAD);
    if (!there) there = dlopen(name_of(files[0]), RTLD_NOW | RTLD_NOLOAD);
    if (there) {
        dlclose(there);
        return TAUT_OK;
    }
    if (!has_memory())
        return taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory: %s needs %zu MiB that cannot be had", title,
                         BLAS_MEMORY >> 20);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        void *blas = open_library(files[i]);
        if (!i) take_work_area(blas);
    }
    return TAUT_OK;
}

int taut_library_load(taut_context *context, const char *title, const char *file, const library_function *functions,
                      size_t count, void *table)
{
    int status = load_blas(context, title);
    if (status) return status;
    void *handle = open_library(file), *found = handle;
    for (size_t i = 0; found && i < count; i++)
        if ((found = dlsym(handle, functions[i].name)))
            memcpy((char *)table + functions[i].at, &found, sizeof found);
    if (found) return TAUT_OK;
    const char *why = dlerror();
    return taut_fail(context, TAUT_UNSUPPORTED, "%s is not available: '%s' cannot be loaded (%s); install it", title,
                     name_of(file), why ? why : "no reason given");
}
