/* The driver of a graphics processor and its compiler for machines that have none, as tests load them: libcuda.so.1 and
 * libnvrtc.so in a folder of their own. CUDA C becomes C of this machine, a launch calls it for all members, and device
 * memory is memory. So the text of the kernel, and everything that Taut does around it, runs wherever there is a C
 * compiler; only the processor is another one. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- compiler ---- */

typedef struct {
    char *text;
    char path[200];          /* of the shared object: the "code" */
} program;

static const char beginning[] =
    "#define TAUT_STEP static int\n"
    "#define TAUT_SHARED\n"
    "#define TAUT_KERNEL void\n"
    "#define TAUT_LOOP for (long long member = 0; member < count; member++)\n";

EXPORT int nvrtcVersion(int *major, int *minor)
{
    *major = 13, *minor = 0;
    return 0;
}

EXPORT int nvrtcCreateProgram(program **p, const char *text, const char *name, int count, const char *const *headers,
                              const char *const *names)
{
    (void)name, (void)count, (void)headers, (void)names;
    *p = calloc(1, sizeof **p);
    (*p)->text = strdup(text);
    return 0;
}

EXPORT int nvrtcDestroyProgram(program **p)
{
    free((*p)->text);
    free(*p);
    *p = NULL;
    return 0;
}

EXPORT int nvrtcCompileProgram(program *p, int count, const char *const *options)
{
    char command[700], source[220];
    int exact = 0;
    for (int i = 0; i < count; i++) exact |= !strcmp(options[i], "--fmad=false");
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(p->path, sizeof p->path, "%.120s/taut-fake-XXXXXX", folder);
    const int file = mkstemp(p->path);
    if (file < 0) return 6;
    close(file);
    snprintf(source, sizeof source, "%s.c", p->path);
    FILE *out = fopen(source, "w");
    if (!out) return 6;
    fputs(beginning, out);
    if (getenv("TAUT_FAKE_DEFINE")) fprintf(out, "#define %s\n", getenv("TAUT_FAKE_DEFINE"));
    fputs(p->text, out);
    if (fclose(out)) return 6;
    snprintf(command, sizeof command, "${CC:-cc} -std=gnu11 -O1 %s -w -shared -fPIC -o %s %s",
             exact ? "-ffp-contract=off" : "-ffp-contract=fast", p->path, source);
    const int failed = system(command);
    unlink(source);
    return failed ? 6 : 0;
}

EXPORT int nvrtcGetCUBINSize(program *p, size_t *size)
{
    *size = sizeof p->path;
    return 0;
}

EXPORT int nvrtcGetCUBIN(program *p, char *code)
{
    memcpy(code, p->path, sizeof p->path);
    return 0;
}

EXPORT int nvrtcGetProgramLogSize(program *p, size_t *size)
{
    (void)p;
    *size = 1;
    return 0;
}

EXPORT int nvrtcGetProgramLog(program *p, char *log)
{
    (void)p;
    *log = 0;
    return 0;
}

EXPORT const char *nvrtcGetErrorString(int error) { return error ? "it does not compile" : "success"; }

/* ---- driver ---- */

EXPORT int cuInit(unsigned flags)
{
    (void)flags;
    return getenv("TAUT_FAKE_NO_DEVICE") ? 100 : 0;
}

EXPORT int cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}

EXPORT int cuDeviceGet(int *device, int index)
{
    *device = index;
    return 0;
}

EXPORT int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "no graphics processor at all");
    return 0;
}

EXPORT int cuDeviceGetAttribute(int *value, int which, int device)
{
    (void)device;
    *value = which == 75 ? 9 : which == 76 ? 0 : 1;
    return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    static char one;
    (void)device;
    *context = &one;
    return 0;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return 0;
}

EXPORT int cuCtxPushCurrent_v2(void *context)
{
    (void)context;
    return 0;
}

EXPORT int cuCtxPopCurrent_v2(void **context)
{
    *context = NULL;
    return 0;
}

EXPORT int cuModuleLoadData(void **module, const void *code)
{
    *module = dlopen(code, RTLD_NOW | RTLD_LOCAL);
    unlink(code);
    return *module ? 0 : 200;
}

EXPORT int cuModuleUnload(void *module) { return dlclose(module); }

/* A kernel that reads rows has other arguments than one that makes steps. */
typedef struct {
    void *code;
    int reads;
} function;

EXPORT int cuModuleGetFunction(function **result, void *module, const char *name)
{
    static function all[512]; /* they last as long as the process */
    static int count;
    if (count == 512) count = 0;
    *result = &all[count++];
    **result = (function){ dlsym(module, name), strcmp(name, "taut_rows") == 0 };
    return (*result)->code ? 0 : 500;
}

EXPORT int cuModuleGetGlobal_v2(unsigned long long *at, size_t *size, void *module, const char *name)
{
    *at = (unsigned long long)(size_t)dlsym(module, name);
    *size = 0;
    return *at ? 0 : 500;
}

EXPORT int cuMemAlloc_v2(unsigned long long *at, size_t size)
{
    *at = (unsigned long long)(size_t)malloc(size);
    return *at ? 0 : 2;
}

EXPORT int cuMemFree_v2(unsigned long long at)
{
    free((void *)(size_t)at);
    return 0;
}

EXPORT int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size)
{
    memcpy((void *)(size_t)to, from, size);
    return 0;
}

EXPORT int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size)
{
    memcpy(to, (void *)(size_t)from, size);
    return 0;
}

EXPORT int cuMemGetInfo_v2(size_t *left, size_t *all)
{
    *left = *all = (size_t)1 << 30;
    return 0;
}

EXPORT int cuFuncGetAttribute(int *value, int which, void *function)
{
    (void)which, (void)function;
    *value = 0;
    return 0;
}

typedef void step_kernel(double *x, const double *odd, double t, double t_low, double h, long long steps,
                         long long count, long long *done);
typedef void row_kernel(const double *x, const double *odd, double t, double t_low, long long count, double *rows,
                        unsigned char *sure);

EXPORT int cuLaunchKernel(function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **a, void **extra)
{
    (void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
    if ((long long)gx * bx < *(long long *)a[f->reads ? 4 : 6]) return 1;
    if (f->reads)
        ((row_kernel *)f->code)(*(double **)a[0], *(double **)a[1], *(double *)a[2], *(double *)a[3],
                                *(long long *)a[4], *(double **)a[5], *(unsigned char **)a[6]);
    else
        ((step_kernel *)f->code)(*(double **)a[0], *(double **)a[1], *(double *)a[2], *(double *)a[3],
                                 *(double *)a[4], *(long long *)a[5], *(long long *)a[6], *(long long **)a[7]);
    return 0;
}

EXPORT int cuCtxSynchronize(void) { return 0; }

EXPORT int cuGetErrorString(int error, const char **text)
{
    *text = error == 100 ? "no CUDA-capable device is detected" : "an error";
    return 0;
}
