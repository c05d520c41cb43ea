/* What the files of this folder share. None of them allocates: the work is done in a thread of its own, and the
   context's allocator belongs to another. */
#ifndef TAUT_NATIVE_INSIDE_H
#define TAUT_NATIVE_INSIDE_H

#include "base/sha256.h"
#include "native/native.h"

/* Needs threads, dlopen, memfd_create and /proc. A build may leave it out. */
#if defined(__linux__) && !defined(TAUT_NO_NATIVE)
#define NATIVE_AVAILABLE 1
#else
#define NATIVE_AVAILABLE 0
#endif

/* 1, and the facts without those of the cache, when it is called for the first time after it has ended well or not. */
int taut_native_first_look(native *n, native_facts *facts);

#if NATIVE_AVAILABLE
#include <sys/stat.h>
#include <sys/types.h>

enum { NATIVE_PATH = 1024 };
#define NATIVE_OBJECT_LARGEST ((size_t)64 << 20) /* what is larger is none of ours */

/* Into a fixed buffer; returns 1 where it does not fit, and the buffer is then cut. */
int taut_native_print(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A file name that nobody has yet: prefix and 16 random digits. */
int taut_native_random_name(char *buffer, size_t size, const char *prefix);

/* A descriptor moved above those of the standard streams, which a host may have closed. -1 on failure. */
int taut_native_above(int file);

/* ---- processor.c ---- */

/* What -march=native depends on. */
void taut_native_processor(sha256 *s);

/* ---- object.c: a shared object that is checked, loaded, and cannot change in between ---- */

typedef struct {
    /* A sealed file in memory; -1: none. Open as long as it is loaded: the loader knows objects by their names, and
       this one's is that of the descriptor. */
    int file;
    size_t size;
    void *handle;
} native_object;

/* Copies the first `size` bytes of an open file, and adds them to the digest. Returns 1 with a reason on failure. */
int taut_native_object_copy(native_object *o, int from, size_t size, sha256 *digest, char *reason);
/* Looks whether it is whole, loads it and finds the entry. */
int taut_native_object_load(native_object *o, const char *entry, void **found, char *reason);
void taut_native_object_clear(native_object *o);

/* ---- cache.c ---- */

typedef struct {
    int folder;             /* descriptor; -1: there is no cache */
    char path[NATIVE_PATH];
    char why[NATIVE_TEXT];  /* it is not used, or not as it should be */
} native_cache;

/* folder as in native_options. */
void taut_native_cache_open(native_cache *c, const char *folder);
void taut_native_cache_close(native_cache *c);
enum { NATIVE_FOUND, NATIVE_MISSING, NATIVE_REFUSED };
/* The object of this key, as it was when its digest was computed. */
int taut_native_cache_get(const native_cache *c, const unsigned char key[SHA256_SIZE], native_object *o);
/* Keeps a copy of an object that was loaded, and then at most `most` bytes of all, those used last. */
void taut_native_cache_put(native_cache *c, const unsigned char key[SHA256_SIZE], const native_object *o, size_t most);

/* ---- folder.c: a private folder for temporary files, in the cache or in the system's place for them ---- */

typedef struct {
    int folder;             /* descriptor, locked as long as its owner lives; -1: none */
    int parent;             /* descriptor */
    char name[32];          /* in the parent */
    char path[NATIVE_PATH];
} native_folder;

int taut_native_folder_create(native_folder *f, const native_cache *c, char *reason);
/* With all that is in it. */
void taut_native_folder_remove(native_folder *f);
/* Removes what owners that were killed have left in the cache; without one, among the system's temporary files. */
void taut_native_folder_sweep(const native_cache *c);

/* ---- compiler.c ---- */

typedef struct {
    char path[NATIVE_PATH];
    struct stat identity;
} native_compiler;

/* wanted as in native_options. Returns the cause, with a reason, where there is none. */
native_cause taut_native_compiler_find(native_compiler *c, const char *wanted, char *reason);

typedef struct {
    const char *path;
    char *const *arguments;
    int source;             /* descriptor: its standard input */
    const native_folder *folder; /* where it works */
    int wake;               /* descriptor of an event: look at stop */
    int (*stop)(void *user);
    void *user;
    double limit;           /* seconds */
    int gentle;             /* with lower priority than the process */
} native_job;

/* Runs the compiler and waits for its end. Nothing that it started stays behind. */
native_cause taut_native_compiler_run(const native_job *job, char *reason);
#endif

#endif
