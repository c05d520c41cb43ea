/* The driver of a graphics processor and its compiler, loaded when they are asked for: neither is needed to build or
 * run Taut without them. The few functions and constants of CUDA that are used are declared here. */
#ifndef TAUT_ENSEMBLE_DRIVER_H
#define TAUT_ENSEMBLE_DRIVER_H

#include "base/context.h"

typedef unsigned long long device_memory; /* CUdeviceptr */

typedef struct {
    void *driver, *compiler; /* handles of dlopen */
    void *context, *module;
    int device, major, minor, processors;
    char name[128];
    int version;             /* of the compiler: 1000 major + minor */
    struct driver_functions {
        int (*init)(unsigned);
        int (*count)(int *);
        int (*get)(int *, int);
        int (*name)(char *, int, int);
        int (*attribute)(int *, int, int);
        int (*retain)(void **, int);
        int (*release)(int);
        int (*push)(void *);
        int (*pop)(void **);
        int (*load)(void **, const void *);
        int (*unload)(void *);
        int (*function)(void **, void *, const char *);
        int (*global)(device_memory *, size_t *, void *, const char *);
        int (*allocate)(device_memory *, size_t);
        int (*release_memory)(device_memory);
        int (*to_device)(device_memory, const void *, size_t);
        int (*to_host)(void *, device_memory, size_t);
        int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                      void **);
        int (*synchronize)(void);
        int (*text)(int, const char **);
        int (*room)(size_t *, size_t *);
        int (*function_attribute)(int *, int, void *);
    } f;
    struct compiler_functions {
        int (*version)(int *, int *);
        int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
        int (*destroy)(void **);
        int (*compile)(void *, int, const char *const *);
        int (*size)(void *, size_t *);
        int (*code)(void *, char *);
        int (*log_size)(void *, size_t *);
        int (*log)(void *, char *);
        const char *(*text)(int);
    } c;
} driver;

/* TAUT_UNSUPPORTED, with a message that says what is missing. */
int taut_driver_open(taut_context *context, driver *d);
void taut_driver_close(driver *d);
/* The compiler alone: the text becomes code for this processor (major, minor); *code is allocated. */
int taut_driver_compiler(taut_context *context, driver *d);
int taut_driver_compile(taut_context *context, driver *d, const char *text, int fast, char **code, size_t *size);
/* A function of the text becomes one of the device. */
int taut_driver_load(taut_context *context, driver *d, const char *text, int fast, const char *entry, void **function);
/* Fails with a message where the driver reports an error. */
int taut_driver_check(taut_context *context, const driver *d, int error, const char *what);

#endif
