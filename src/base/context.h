/* The context: allocator and error text. Every object of the library is made in one; there are no globals. */
#ifndef TAUT_BASE_CONTEXT_H
#define TAUT_BASE_CONTEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/environment.h"
#include "taut/context.h"

/* An object that the user holds keeps its context: it goes with the last of them, though the user may destroy it
   before. */
void taut_context_keep(taut_context *context);
void taut_context_release(taut_context *context);

/* A function that the user gave (taut_define). Plain data: models and tapes have copies. */
typedef struct {
    char name[64];
    uint32_t arguments;
    int order;               /* derivatives it has */
    taut_function function;
    void *user;
} context_function;
/* By name, or NULL. */
const context_function *taut_context_function(const taut_context *context, const char *name);
/* The function failed with this status, or with 0 gave a number that is not finite: a call that fails from now on fails
   for this. The first one counts; any thread may call this. */
void taut_context_fault(taut_context *context, const context_function *f, int status);
/* Whether there was one since it was forgotten last. */
int taut_context_has_fault(const taut_context *context);
void taut_context_forget_fault(taut_context *context);

/* What loading may take (budget.h). */
struct load_budget *taut_context_budget(taut_context *context);

/* Where the environment of the host is kept while a call is under way. */
host_environment *taut_context_environment(taut_context *context);

/* The flat workspace that is open, for flat.c; open exchanges it. */
struct flat_workspace *taut_context_opened(const taut_context *context);
struct flat_workspace *taut_context_open(taut_context *context, struct flat_workspace *w);
const taut_allocator *taut_context_allocator(const taut_context *context);
/* True when the user gave an allocator. */
int taut_context_has_allocator(const taut_context *context);
/* The product of two sizes, or PTRDIFF_MAX where it is larger: an allocation of so many items fails, and adding to it
   does not overflow. */
static inline size_t mem_product(size_t a, size_t b)
{
    return b && a > (size_t)PTRDIFF_MAX / b ? (size_t)PTRDIFF_MAX : a * b;
}
/* Zeroed memory for count items. On failure records an out-of-memory error and returns NULL. */
void *taut_mem_new(taut_context *context, size_t count, size_t size);
/* Resizes an array; contents beyond the old size are not initialised. NULL on failure (the old block stays valid). */
void *taut_mem_resize(taut_context *context, void *block, size_t count, size_t size);
/* Frees; NULL is allowed. */
void taut_mem_free(taut_context *context, void *block);
/* Around a load: large blocks that are freed are kept for others (pages.h), or, with 0, no longer. */
void taut_mem_keep(taut_context *context, int keep);
/* What is kept so far goes back to the system. */
void taut_mem_give_back(taut_context *context);
/* A copy of a text, or NULL. */
char *taut_mem_text(taut_context *context, const char *text);

int taut_mem_enlarge(taut_context *context, void *array, size_t *capacity, size_t need, size_t size);
/* Makes room for at least `need` items in *array (any pointer type), doubling the capacity. Returns a status. */
static inline int taut_mem_grow(taut_context *context, void *array, size_t *capacity, size_t need, size_t size)
{
    return need <= *capacity ? TAUT_OK : taut_mem_enlarge(context, array, capacity, need, size);
}
/* Gives back what lies behind the first `count` items of such an array. */
void taut_mem_trim(taut_context *context, void *array, size_t *capacity, size_t count, size_t size);

/* Records the message and returns the status, so that a caller can write `return fail(...)`. */
int taut_fail(taut_context *context, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int taut_fail_v(taut_context *context, int status, const char *format, va_list arguments);
/* Asked now and then within long computations: other than 0 ends them with TAUT_STOPPED, and a step that was not
   finished is not made. NULL (the default): never. */
typedef int (*taut_stop)(void *user);
void taut_context_stop(taut_context *context, taut_stop stop, void *user);
/* TAUT_STOPPED, with a message, where the user's callback asks for it; otherwise TAUT_OK. For loops without a bound. */
int taut_stopped(taut_context *context);
/* No message, status TAUT_OK. */
void taut_fail_forget(taut_context *context);
/* The failure happened at this time, unless its message names one. */
void taut_fail_at(taut_context *context, double time);
/* What the failure names does not exist, and was probably meant to be this; NULL: nothing is near. */
void taut_fail_near(taut_context *context, const char *word);
/* A call of the public interface ends with this status: the error is that of the last failure on its way, or none. */
int taut_fail_done(taut_context *context, int status);

/* What calls of the public interface begin and end with: taut_fail_forget and taut_fail_done in the default
   environment, and that of the host (environment.h) back afterwards. */
void taut_context_begin(taut_context *context);
int taut_context_done(taut_context *context, int status);

/* A line for the log callback, if there is one. */
void taut_note(taut_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For parts of which one thing has several that say the same: the line is repeated only after note_forget. */
void taut_note_once(taut_context *context, const char *line);
void taut_note_forget(taut_context *context);

#endif
