/* Taut: constrained mechanics without drift. The whole public interface.
 *
 * Every call returns a status: 0 done; positive: it failed, the object is as it was before; negative: it failed and the
 * object is spoiled (destroy it). taut_error_text(context) says what happened, where, and what to try. */
#ifndef TAUT_TAUT_H
#define TAUT_TAUT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAUT_VERSION "0.1.0"
#define TAUT_ERROR_TEXT 2048

enum {
    TAUT_OK = 0,
    TAUT_BAD_USAGE = 1,     /* an argument or option makes no sense */
    TAUT_BAD_MODEL = 2,     /* the model is wrong; the text names file and line */
    TAUT_OUT_OF_MEMORY = 3, /* an allocation failed */
    TAUT_NO_CONVERGENCE = 4,/* an iteration did not converge */
    TAUT_SINGULAR = 5,      /* a matrix is singular: redundant constraints or a singular mass matrix */
    TAUT_NOT_FINITE = 6,    /* a value became infinite or not a number */
    TAUT_CANNOT_READ = 7,   /* a file cannot be read */
    TAUT_UNSUPPORTED = 8    /* this build, or this method, cannot do that for this model */
};

/* The context: allocator, log, error text. Made first, destroyed last; one per thread. */
typedef struct taut_context taut_context;
/* resize(user, NULL, n) allocates, resize(user, p, 0) frees and returns NULL, otherwise as realloc. */
typedef struct taut_allocator {
    void *(*resize)(void *user, void *block, size_t size);
    void *user;
} taut_allocator;
typedef void (*taut_log)(void *user, const char *line);

/* allocator may be NULL for malloc and free. Returns NULL when even the context cannot be allocated. */
taut_context *taut_context_create(const taut_allocator *allocator);
void taut_context_destroy(taut_context *context);
/* Where remarks of the library go (script output, warnings); none by default. */
void taut_context_log(taut_context *context, taut_log log, void *user);
/* The text of the last error in this context; empty if there was none. */
const char *taut_error_text(const taut_context *context);

#ifdef __cplusplus
}
#endif
#endif
