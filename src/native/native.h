/* Native code: C text becomes a function of this process. The C compiler of the machine translates it, in the
 * background; what it makes is kept in the user's cache by its contents, so that the next run has it at once. Where
 * that cannot be done the caller goes on without: nothing here is needed for a result, and the bits are the same
 * (only operations that IEEE 754 rounds in one way, no contraction to fused multiply-add).
 *
 * Text -> code. Independent of precision: what the function computes with is between the text and its caller.
 *
 * The usual way for a stepper that has its step as C text:
 *
 *     create:   status = taut_native_request(s->native, context, text, length, "taut_step", &r->native);
 *     step:     if (!r->code && r->native) r->code = (code_function *)taut_native_take(s->native, r->native);
 *               r->code ? r->code(...) : interpret(...);
 *     destroy:  taut_native_end(r->native);
 *
 * The entry may as well be a table of functions: the name of an object with external linkage.
 * request does what the user's setting says (off: r->native is NULL; on: it waits, and fails with a message), take
 * costs one atomic load and never waits. */
#ifndef TAUT_NATIVE_NATIVE_H
#define TAUT_NATIVE_NATIVE_H

#include "base/context.h"

/* What the text and its caller share: raise it when the type of an entry, or the meaning of what it is given, changes.
   It is part of the cache's key. */
#define NATIVE_ABI 2

typedef enum {
    NATIVE_PENDING, /* not there yet */
    NATIVE_READY,   /* the entry can be called */
    NATIVE_FAILED   /* there will be none: taut_native_reason says why */
} native_state;

/* Why there is no code. */
typedef enum {
    NATIVE_CAUSE_NONE,
    NATIVE_CAUSE_BUILD,       /* this build of Taut, or this system, has none of it */
    NATIVE_CAUSE_NO_COMPILER, /* there is no compiler: nothing is wrong, only slower */
    NATIVE_CAUSE_NOT_CACHED,  /* only the cache was asked */
    NATIVE_CAUSE_COMPILER,    /* there is a compiler, but it failed, took too long or made something else */
    NATIVE_CAUSE_SYSTEM,      /* no thread, no process, no room for a temporary file */
    NATIVE_CAUSE_STOPPED      /* given up before it was there */
} native_cause;

/* All zero is the default. Texts are copied. */
typedef struct {
    const char *compiler;     /* a path, or a name to look for in PATH. NULL: $TAUT_CC, or first of cc, gcc, clang */
    const char *const *flags; /* after Taut's own, so that they win (-O3); a list that ends with NULL. NULL: none */
    const char *folder;       /* of the cache. NULL: $XDG_CACHE_HOME/taut or $HOME/.cache/taut; "": no cache */
    size_t cache_size;        /* bytes that the cache may hold; 0: NATIVE_CACHE_SIZE */
    double limit;             /* seconds that the compiler may take; 0: NATIVE_LIMIT */
    double delay;             /* seconds until the compiler is started, so that a short run never starts one */
    int cache_only;           /* never start the compiler */
} native_options;

#define NATIVE_CACHE_SIZE ((size_t)64 << 20)
#define NATIVE_LIMIT 30.0
#define NATIVE_DELAY 0.02 /* of taut_native_request in the background: runs shorter than this start no compiler */
#define NATIVE_AT_ONCE 2  /* functions of one simulation that are compiled at a time; others come from the cache or
                             not */
#define NATIVE_TEXT 600   /* longest reason */

typedef struct native native;

/* Asks for the function (or object) of this name, made of C text. The cache is looked at before it returns; the
   compiler, if it is needed, runs beside the caller. TAUT_OUT_OF_MEMORY, with *result NULL; whatever else goes wrong is
   a state of the result. The context is used in this call and in taut_native_end only. options may be NULL. */
int taut_native_begin(taut_context *context, const char *text, size_t length, const char *entry,
                      const native_options *options, native **result);
/* How far it is; where it is ready, *entry is the function (NULL otherwise). Any thread may ask. One atomic load. */
native_state taut_native_poll(const native *n, void **entry);
/* The same, when it is no longer pending. */
native_state taut_native_wait(native *n, void **entry);
/* One sentence, without its full stop: why it failed. Empty while it has not. */
const char *taut_native_reason(const native *n);
/* Unloads the function, which must no longer be called. A compiler that is still at work is killed. NULL is allowed. */
void taut_native_end(native *n);

/* For tests and for people. Not while it is pending. */
typedef struct {
    native_cause cause;
    int cached;         /* it came from the cache */
    int refused;        /* the cache had a file for it that was not accepted: damaged, or not the user's own */
    double seconds;     /* from begin until it was ready or had failed */
    size_t size;        /* of the object, bytes */
    char key[65];       /* its name in the cache */
    char cache[NATIVE_TEXT]; /* why the cache is not used, one sentence; empty where it is */
} native_facts;
void taut_native_facts(const native *n, native_facts *facts);

/* ---- machine code without a compiler ---- */

/* A copy of the code that can be executed; NULL where the system has no memory for it or forbids it. */
void *taut_native_pages(const void *code, size_t size);
void taut_native_pages_end(void *pages, size_t size);

/* ---- the setting of a simulation ---- */

/* What the user wants, and what became of it: one for each simulation; the systems that it compiles point to it. Only
   the simulation's thread touches it. */
typedef struct native_use {
    int mode;           /* TAUT_NATIVE_AUTO, _ON or _OFF */
    /* What is asked for. steps 0: not known, so much. */
    double steps;
    double looks;       /* times that something is read off a state between them, */
    double frames;      /* and that all of it is */
    native_options options;
    long asked;         /* functions that were asked for */
    long pending;       /* of them, those of which it is not known what becomes of them */
    long ready, cached; /* those that came, and how many of them from the cache */
    long failed;
    double seconds;     /* the longest time until one was ready */
    native_cause cause; /* of the first failure */
    char reason[NATIVE_TEXT];
} native_use;

/* Sets the mode; TAUT_NATIVE_DEFAULT becomes what the environment says (TAUT_NATIVE=auto, on or off), or auto. */
void taut_native_use_begin(native_use *use, int mode);
/* The mode of this name, or -1. */
int taut_native_mode(const char *name);

/* Does native code save more than it costs, by this setting? Always where it is not known what is asked for. */
int taut_native_pays(const native_use *use, double saves, double costs);

/* From so many steps on a compiler is asked. */
enum { NATIVE_STEPS = 64 };

/* Is a compiler to be asked by this setting? has_machine_code: Taut has written code itself, which is nearly as fast:
   in the background a compiler is then started only where the user names one (TAUT_CC). The same holds where a run is
   too short. */
int taut_native_wants_compiler(const native_use *use, int has_machine_code);
/* taut_native_begin by the user's setting. use NULL, or off: *result is NULL. On: waits for the function; without it
   TAUT_UNSUPPORTED, with a message. */
int taut_native_request(native_use *use, taut_context *context, const char *text, size_t length, const char *entry,
                        native **result);
/* The same for functions that belong to others which are asked for by request, and tell what becomes of both: begins
   without waiting, and is not counted. */
int taut_native_request_more(const native_use *use, taut_context *context, const char *text, size_t length,
                             const char *entry, native **result);
/* The function, or NULL while there is none; notes in use, once, what became of it. */
void *taut_native_take(native_use *use, native *n);
/* taut_native_end of such a function; use may be NULL. */
void taut_native_drop(native_use *use, native *n);

#endif
