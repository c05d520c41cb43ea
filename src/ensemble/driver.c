#include "ensemble/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__) && !defined(TAUT_NO_NATIVE)
#include <dlfcn.h>

enum { ATTRIBUTE_PROCESSORS = 16, ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };

/* ---- loading ---- */

typedef struct {
    void *target;
    const char *name;
} wanted;

static int find_all(void *library, const wanted *all, size_t count, const char **missing)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, all[i].name);
        *missing = all[i].name;
        if (!found) return 0;
        memcpy(all[i].target, &found, sizeof found);
    }
    return 1;
}

static void *open_compiler(void)
{
    static const char *const names[] = { "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2" };
    const char *given = getenv("CUDA_PATH");
    const char *const folders[] = { "", given ? given : "", "/usr/local/cuda" };
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char path[600];
            if (k && !*folders[k]) continue;
            snprintf(path, sizeof path, "%s%s%s", folders[k], k ? "/lib64/" : "", names[i]);
            void *found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (found) return found;
        }
    return NULL;
}

int taut_driver_compiler(taut_context *context, driver *d)
{
    const wanted all[] = {
        { &d->c.version, "nvrtcVersion" },       { &d->c.create, "nvrtcCreateProgram" },
        { &d->c.destroy, "nvrtcDestroyProgram" }, { &d->c.compile, "nvrtcCompileProgram" },
        { &d->c.size, "nvrtcGetCUBINSize" },     { &d->c.code, "nvrtcGetCUBIN" },
        { &d->c.log_size, "nvrtcGetProgramLogSize" }, { &d->c.log, "nvrtcGetProgramLog" },
        { &d->c.text, "nvrtcGetErrorString" },
    };
    const char *missing;
    int major = 0, minor = 0;
    d->compiler = open_compiler();
    if (!d->compiler)
        return taut_fail(context, TAUT_UNSUPPORTED,
                         "the GPU's compiler is missing: no library libnvrtc.so; install CUDA's NVRTC, or set "
                         "LD_LIBRARY_PATH or CUDA_PATH to where it is");
    if (!find_all(d->compiler, all, sizeof all / sizeof *all, &missing))
        return taut_fail(context, TAUT_UNSUPPORTED, "the library libnvrtc.so has no function %s: it is too old", missing);
    d->c.version(&major, &minor);
    d->version = 1000 * major + minor;
    return TAUT_OK;
}

int taut_driver_check(taut_context *context, const driver *d, int error, const char *what)
{
    const char *text = NULL;
    if (!error) return TAUT_OK;
    if (d->f.text) d->f.text(error, &text);
    return taut_fail(context, TAUT_UNSUPPORTED, "the GPU's driver fails to %s: %s (error %d)", what,
                     text ? text : "no reason given", error);
}

static int open_driver(taut_context *context, driver *d)
{
    const wanted all[] = {
        { &d->f.init, "cuInit" },
        { &d->f.count, "cuDeviceGetCount" },
        { &d->f.get, "cuDeviceGet" },
        { &d->f.name, "cuDeviceGetName" },
        { &d->f.attribute, "cuDeviceGetAttribute" },
        { &d->f.retain, "cuDevicePrimaryCtxRetain" },
        { &d->f.release, "cuDevicePrimaryCtxRelease_v2" },
        { &d->f.push, "cuCtxPushCurrent_v2" },
        { &d->f.pop, "cuCtxPopCurrent_v2" },
        { &d->f.load, "cuModuleLoadData" },
        { &d->f.unload, "cuModuleUnload" },
        { &d->f.function, "cuModuleGetFunction" },
        { &d->f.global, "cuModuleGetGlobal_v2" },
        { &d->f.allocate, "cuMemAlloc_v2" },
        { &d->f.release_memory, "cuMemFree_v2" },
        { &d->f.to_device, "cuMemcpyHtoD_v2" },
        { &d->f.to_host, "cuMemcpyDtoH_v2" },
        { &d->f.launch, "cuLaunchKernel" },
        { &d->f.synchronize, "cuCtxSynchronize" },
        { &d->f.text, "cuGetErrorString" },
        { &d->f.room, "cuMemGetInfo_v2" },
        { &d->f.function_attribute, "cuFuncGetAttribute" },
    };
    const char *missing;
    d->driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!d->driver)
        return taut_fail(context, TAUT_UNSUPPORTED,
                         "there is no GPU that Taut can use: the library libcuda.so.1 of NVIDIA's driver is missing; "
                         "take lanes");
    if (!find_all(d->driver, all, sizeof all / sizeof *all, &missing))
        return taut_fail(context, TAUT_UNSUPPORTED, "the GPU's driver has no function %s: it is too old", missing);
    return TAUT_OK;
}

int taut_driver_open(taut_context *context, driver *d)
{
    int count = 0;
    *d = (driver){ 0 };
    int status = open_driver(context, d);
    if (!status) status = taut_driver_check(context, d, d->f.init(0), "start");
    if (!status) status = taut_driver_check(context, d, d->f.count(&count), "count devices");
    if (!status && !count) status = taut_fail(context, TAUT_UNSUPPORTED, "there is no GPU on this machine; take lanes");
    if (!status) status = taut_driver_check(context, d, d->f.get(&d->device, 0), "open the device");
    if (!status) status = taut_driver_check(context, d, d->f.retain(&d->context, d->device), "open the device");
    if (status) return status;
    d->f.name(d->name, sizeof d->name, d->device);
    d->f.attribute(&d->major, ATTRIBUTE_MAJOR, d->device);
    d->f.attribute(&d->minor, ATTRIBUTE_MINOR, d->device);
    d->f.attribute(&d->processors, ATTRIBUTE_PROCESSORS, d->device);
    return taut_driver_compiler(context, d);
}

void taut_driver_close(driver *d)
{
    if (d->module) d->f.unload(d->module);
    if (d->context) d->f.release(d->device);
    if (d->compiler) dlclose(d->compiler);
    if (d->driver) dlclose(d->driver);
    *d = (driver){ 0 };
}

/* ---- compiling ---- */

/* The compiler has no headers of its own. */
static const char *const header_names[] = { "float.h", "stdint.h" };
static const char *const headers[] = {
    "#define DBL_MAX 0x1.fffffffffffffp1023\n#define DBL_MIN 0x1p-1022\n#define DBL_EPSILON 0x1p-52\n",
    "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\ntypedef int int32_t;\ntypedef unsigned int uint32_t;\n"
    "typedef long long int64_t;\ntypedef unsigned long long uint64_t;\n"
};

static int fail_with_log(taut_context *context, driver *d, void *program, int error)
{
    size_t size = 0;
    char *log = NULL;
    if (!d->c.log_size(program, &size) && size) log = taut_mem_new(context, size + 1, 1);
    if (log) d->c.log(program, log);
    int status = taut_fail(context, TAUT_UNSUPPORTED, "the GPU's compiler fails: %s: %.300s", d->c.text(error),
                           log ? log : "");
    taut_mem_free(context, log);
    return status;
}

int taut_driver_compile(taut_context *context, driver *d, const char *text, int fast, char **code, size_t *size)
{
    char processor[40];
    snprintf(processor, sizeof processor, "--gpu-architecture=sm_%d%d", d->major, d->minor);
    const char *const options[] = { processor, fast ? "--fmad=true" : "--fmad=false", "--device-as-default-execution-space",
                                    "--std=c++17" };
    void *program = NULL;
    *code = NULL;
    int error = d->c.create(&program, text, "taut.cu", 2, headers, header_names), status = TAUT_OK;
    if (error) return taut_fail(context, TAUT_UNSUPPORTED, "the GPU's compiler fails: %s", d->c.text(error));
    error = d->c.compile(program, sizeof options / sizeof *options, options);
    if (error) status = fail_with_log(context, d, program, error);
    if (!status && (d->c.size(program, size) || !*size))
        status = taut_fail(context, TAUT_UNSUPPORTED, "the GPU's compiler makes no code for %s", processor);
    if (!status) *code = taut_mem_new(context, *size, 1);
    if (!status && !*code) status = TAUT_OUT_OF_MEMORY;
    if (!status) d->c.code(program, *code);
    d->c.destroy(&program);
    return status;
}

int taut_driver_load(taut_context *context, driver *d, const char *text, int fast, const char *entry, void **function)
{
    char *code;
    size_t size;
    int status = taut_driver_compile(context, d, text, fast, &code, &size);
    if (!status) status = taut_driver_check(context, d, d->f.load(&d->module, code), "load the code");
    if (!status)
        status = taut_driver_check(context, d, d->f.function(function, d->module, entry), "find the function");
    taut_mem_free(context, code);
    return status;
}

#else

int taut_driver_open(taut_context *context, driver *d)
{
    *d = (driver){ 0 };
    return taut_fail(context, TAUT_UNSUPPORTED, "this build of Taut has no GPU: it loads no libraries");
}

void taut_driver_close(driver *d) { *d = (driver){ 0 }; }
int taut_driver_compiler(taut_context *context, driver *d) { return taut_driver_open(context, d); }

int taut_driver_compile(taut_context *context, driver *d, const char *text, int fast, char **code, size_t *size)
{
    (void)text, (void)fast, (void)code, (void)size;
    return taut_driver_open(context, d);
}

int taut_driver_load(taut_context *context, driver *d, const char *text, int fast, const char *entry, void **function)
{
    (void)text, (void)fast, (void)entry, (void)function;
    return taut_driver_open(context, d);
}

int taut_driver_check(taut_context *context, const driver *d, int error, const char *what)
{
    (void)d, (void)error, (void)what;
    return taut_fail(context, TAUT_UNSUPPORTED, "this build of Taut has no GPU");
}

#endif
