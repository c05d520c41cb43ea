/* What taut.h begins with: statuses, the context, the log, errors. Include taut.h. */
#ifndef TAUT_CONTEXT_H
#define TAUT_CONTEXT_H

#include <stddef.h>

/* What the library exports: nothing else leaves it. */
#if defined(__GNUC__) && !defined(TAUT_API)
#define TAUT_API __attribute__((visibility("default")))
#elif !defined(TAUT_API)
#define TAUT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TAUT_VERSION "0.1.0"
#define TAUT_VERSION_NUMBER 100 /* 10000 major + 100 minor + patch */
#define TAUT_ERROR_TEXT 2048    /* bytes of a message, at the most */

/* The version of the library at run time, as TAUT_VERSION_NUMBER is that of the header. */
TAUT_API int taut_version(void);

/* Statuses. */
enum {
    TAUT_OK = 0,
    TAUT_BAD_USAGE = 1,     /* an argument or an option is invalid */
    TAUT_BAD_MODEL = 2,     /* the model is wrong; the message names file and line */
    TAUT_OUT_OF_MEMORY = 3, /* an allocation failed */
    TAUT_NO_CONVERGENCE = 4,/* an iteration did not converge */
    TAUT_SINGULAR = 5,      /* a matrix is singular: redundant constraints or a singular mass matrix */
    TAUT_NOT_FINITE = 6,    /* a value became infinite or not a number */
    TAUT_CANNOT_READ = 7,   /* a file cannot be read */
    TAUT_UNSUPPORTED = 8,   /* this build, or this method, cannot do that for this model */
    TAUT_CANNOT_WRITE = 9,  /* a file cannot be written */
    TAUT_REFUSED = 10,      /* a callback of yours failed */
    TAUT_STOPPED = 11       /* a call ended because the interrupt of its context was set (taut_context_interrupt) */
};
/* "TAUT_BAD_MODEL"; of a negative status that of its positive one; "TAUT_UNKNOWN" for other numbers. */
TAUT_API const char *taut_status_name(int status);

/* The context: allocator, log, error. */
typedef struct taut_context taut_context;
/* resize(user, NULL, n) allocates, resize(user, p, 0) frees and returns NULL, otherwise as realloc. It must return:
   no longjmp and no exception may leave it. */
typedef struct taut_allocator {
    void *(*resize)(void *user, void *block, size_t size);
    void *user;
} taut_allocator;
/* Called with a line without its newline. It must return, as the allocator. */
typedef void (*taut_log)(void *user, const char *line);

/* allocator may be NULL, or all zero, for malloc and free. Returns NULL when even the context cannot be allocated. */
TAUT_API taut_context *taut_context_create(const taut_allocator *allocator);
/* NULL is allowed. What was made in a context keeps it: destroyed before, it lasts, without its log, as long as the
   last of them; so must the allocator. Only the functions of those objects may then be called. */
TAUT_API void taut_context_destroy(taut_context *context);
/* Sets the callback for script output and warnings. NULL (the default) disables it. */
TAUT_API void taut_context_log(taut_context *context, taut_log log, void *user);

/* Long calls in this context look at *interrupt now and then. Nonzero ends them with TAUT_STOPPED; a file that they
   write is removed. NULL (the default): they run to their end. It must last as long as the context. Runs and ensembles
   also have an interrupt of their own, which is no failure. */
TAUT_API void taut_context_interrupt(taut_context *context, const volatile int *interrupt);

/* What loading a model, and setting up a simulation of it, may each take of this context: bytes that are in use
   (counted where the memory is that of malloc), and seconds of processor time. 0: the default, 8 GiB and 600 s. Beyond,
   the call fails with TAUT_OUT_OF_MEMORY or TAUT_UNSUPPORTED and a message that says what took it. For models of
   strangers; steps have no such limit. */
TAUT_API void taut_context_limit(taut_context *context, size_t bytes, double seconds);

/* What the last call in a context that returns a status said. Strings are valid until the next such call. */
typedef struct taut_error {
    size_t size;      /* set it to sizeof(taut_error) before the call */
    int status;       /* TAUT_OK after a success; the other members are then empty, 0 and NaN */
    const char *text; /* what happened, where, and what to try; never NULL */
    const char *file; /* the model's name where the message names a place in it, otherwise "" */
    const char *item; /* the constraint, coordinate, setting ... that the message names, otherwise "" */
    int line;         /* of file; 0: none */
    double time;      /* the simulation's time where the message names one, otherwise NaN */
    const char *near; /* what was probably meant where `item` does not exist, otherwise "" */
} taut_error;
TAUT_API void taut_context_error(const taut_context *context, taut_error *error);
/* Its text alone. */
TAUT_API const char *taut_error_text(const taut_context *context);

/* A function of yours that a model may call by its name: call("name", x, y) in a script, taut_call from C. It puts the
   value at the arguments x into *value; where order is 1 or 2 also the first partial derivatives into gradient[i], and
   where order is 2 the second ones into hessian[i * n + j] (i >= j is read), n being the number of arguments. It
   returns 0; any other number says that it has no value there, and the step, or whatever needs it, fails with
   TAUT_REFUSED and a message that names the function and the time. A value that is not finite is TAUT_NOT_FINITE
   likewise. It must depend on x alone, and be smooth where the motion goes. It is called for any finite arguments, also
   for places that the motion never reaches, and many times a step. It must return, as the allocator. Calls of the
   library that compute with the simulation that calls it, or change it, fail there with TAUT_BAD_USAGE. */
typedef int (*taut_function)(void *user, int order, const double *x, double *value, double *gradient, double *hessian);
#define TAUT_ARGUMENTS_MOST 256
/* Gives the models that are loaded or built in this context from now on the function `name`, of `arguments` numbers. A
   name that was given before has the new meaning for them. order says up to which one it has derivatives (2, 1, 0:
   none; it is never asked for more). Lagrangians and Hamiltonians need the first, with velocities or momenta among the
   arguments both, constraints and contacts both, forces, rates and observables none. What is missing for the matrices
   of Newton's iteration is found by differences: results do not contain their error, the tangents of taut_linearise do.
   `user` is given back with each call, and must last as long as the models. Threads: simulations in several threads,
   the members of an ensemble, and the threads that share a large step call it at the same time. TAUT_BAD_USAGE for
   what is no name or no number of arguments or order. */
TAUT_API int taut_define(taut_context *context, const char *name, size_t arguments, int order, taut_function function,
                         void *user);
/* Calls the function `name` at x with the derivatives that it has and compares them with differences of fourth order:
   *worst is the largest difference, relative to the largest derivative of that order (or to 1). Right ones give 1e-6 or
   less where x is about 1 in size and the function is smooth there. TAUT_NOT_FINITE, and NaN, where the function gives
   a number at x, or beside it, that is not finite. */
TAUT_API int taut_check_function(taut_context *context, const char *name, const double *x, double *worst);

/* Whether steps are native code: machine code that the library writes itself (x86-64), or C compiled by the machine's
   compiler while the simulation runs (docs/performance.md). The results are the same, to the last bit. */
enum {
    TAUT_NATIVE_DEFAULT = 0, /* what the environment variable TAUT_NATIVE says: auto, on or off; without it auto */
    TAUT_NATIVE_AUTO = 1,    /* the library's own; elsewhere compiled in the background, or else interpreted */
    TAUT_NATIVE_ON = 2,      /* taut_simulation_create waits for the compiler, and fails where there is no such code */
    TAUT_NATIVE_OFF = 3      /* never: no thread, no process, no file */
};

#define TAUT_THREADS_MOST 64

#ifdef __cplusplus
}
#endif
#endif
