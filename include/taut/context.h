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
    TAUT_STOPPED = 11       /* inside the library alone: within a step that was told to end */
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

/* What the last call in a context that returns a status said. Strings are valid until the next such call. */
typedef struct taut_error {
    size_t size;      /* set it to sizeof(taut_error) before the call */
    int status;       /* TAUT_OK after a success; the other members are then empty, 0 and NaN */
    const char *text; /* what happened, where, and what to try; never NULL */
    const char *file; /* the model's name where the message names a place in it, otherwise "" */
    const char *item; /* the constraint, coordinate, setting ... that the message names, otherwise "" */
    int line;         /* of file; 0: none */
    double time;      /* the simulation's time where the message names one, otherwise NaN */
} taut_error;
TAUT_API void taut_context_error(const taut_context *context, taut_error *error);
/* Its text alone. */
TAUT_API const char *taut_error_text(const taut_context *context);

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
