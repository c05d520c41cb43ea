#include "native/inside.h"

#if NATIVE_AVAILABLE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

enum { ARGUMENTS = 64, FLAGS_LENGTH = 1000, ENTRY_LENGTH = 128 };

struct native {
    taut_context *context;
    pid_t owner;                 /* after a fork the child has no thread to wait for */
    atomic_int state, stop, urgent;
    void *function;
    native_object object;
    native_cache cache;
    native_compiler compiler;
    native_options options;      /* the numbers */
    unsigned char key[SHA256_SIZE];
    char entry[ENTRY_LENGTH];
    char flags[FLAGS_LENGTH];    /* those of the options, one after the other */
    const char *arguments[ARGUMENTS];
    int source, wake;            /* the text; an event for the thread: look at stop and urgent */
    pthread_t thread;
    int has_thread;
    pthread_mutex_t lock;        /* with the condition: state and finished change */
    pthread_cond_t changed;
    int finished;                /* the thread has nothing more to do */
    int seen;                    /* of taut_native_first_look */
    double begun;
    native_facts facts;
    char reason[NATIVE_TEXT];
};

/* -O1 compiles a long straight line fast, and its code is as fast as that of more. None of these may change a bit:
   -ffp-contract=off forbids what may, -fno-math-errno only lets sqrt be an instruction. */
static const char *const flags_always[] = {
    "-x", "c", "-std=c11", "-O1", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared", "-w", "-pipe",
#if defined(__x86_64__) || defined(__i386__)
    "-march=native",
#endif
#ifdef __i386__
    "-msse2", "-mfpmath=sse", /* the arithmetic of the library itself (base/elementary.h) */
#endif
};
static const char *const flags_after[] = { "-o", "object.so", "-", "-lm", NULL };

/* ---- states ---- */

static void settle(native *n, native_state state, native_cause cause)
{
    pthread_mutex_lock(&n->lock);
    n->facts.cause = cause;
    n->facts.seconds = clock_seconds() - n->begun;
    n->facts.size = n->object.size;
    if (state == NATIVE_READY) n->reason[0] = 0;
    atomic_store_explicit(&n->state, state, memory_order_release);
    pthread_cond_broadcast(&n->changed);
    pthread_mutex_unlock(&n->lock);
}

native_state taut_native_poll(const native *n, void **entry)
{
    native_state state = (native_state)atomic_load_explicit(&((native *)n)->state, memory_order_acquire);
    *entry = state == NATIVE_READY ? n->function : NULL;
    return state;
}

static void wake(native *n)
{
    const uint64_t one = 1;
    if (n->wake >= 0 && write(n->wake, &one, sizeof one) < 0) {} /* full: it is awake */
}

native_state taut_native_wait(native *n, void **entry)
{
    atomic_store(&n->urgent, 1);
    wake(n);
    pthread_mutex_lock(&n->lock);
    while (atomic_load(&n->state) == NATIVE_PENDING && n->owner == getpid()) pthread_cond_wait(&n->changed, &n->lock);
    pthread_mutex_unlock(&n->lock);
    return taut_native_poll(n, entry);
}

const char *taut_native_reason(const native *n)
{
    void *entry;
    return taut_native_poll(n, &entry) == NATIVE_FAILED ? n->reason : "";
}

void taut_native_facts(const native *n, native_facts *facts)
{
    native *z = (native *)n;
    pthread_mutex_lock(&z->lock);
    while (z->has_thread && !z->finished) pthread_cond_wait(&z->changed, &z->lock);
    *facts = z->facts;
    memcpy(facts->cache, z->cache.why, sizeof facts->cache);
    pthread_mutex_unlock(&z->lock);
}

int taut_native_first_look(native *n, native_facts *facts)
{
    void *entry;
    if (taut_native_poll(n, &entry) == NATIVE_PENDING || n->seen) return 0;
    n->seen = 1;
    *facts = (native_facts){ .cause = n->facts.cause, .cached = n->facts.cached, .refused = n->facts.refused,
                             .seconds = n->facts.seconds, .size = n->facts.size };
    return 1;
}

/* ---- the thread ---- */

static int is_stopped(void *user) { return atomic_load(&((native *)user)->stop); }

/* Until it is time to start the compiler. */
static void linger(native *n)
{
    double end = clock_seconds() + n->options.delay, left = n->options.delay;
    for (; left > 0 && !atomic_load(&n->stop) && !atomic_load(&n->urgent); left = end - clock_seconds()) {
        struct pollfd wait = { .fd = n->wake, .events = POLLIN };
        uint64_t count;
        if (poll(&wait, 1, 1 + (int)(1000 * (left < 10 ? left : 10))) > 0 && read(n->wake, &count, sizeof count) < 0) {}
    }
}

/* What the compiler wrote, loaded. */
static native_cause load(native *n, const native_folder *f)
{
    struct stat st;
    int file = openat(f->folder, "object.so", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || fstat(file, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
        (uint64_t)st.st_size > NATIVE_OBJECT_LARGEST) {
        taut_native_print(n->reason, sizeof n->reason, "the compiler '%.200s' ended well but wrote no object",
                          n->compiler.path);
        if (file >= 0) close(file);
        return NATIVE_CAUSE_COMPILER;
    }
    int failed = taut_native_object_copy(&n->object, file, (size_t)st.st_size, NULL, n->reason);
    close(file);
    if (failed) return NATIVE_CAUSE_SYSTEM;
    return taut_native_object_load(&n->object, n->entry, &n->function, n->reason) ? NATIVE_CAUSE_COMPILER
                                                                                  : NATIVE_CAUSE_NONE;
}

static native_cause compile(native *n, native_folder *f)
{
    if (taut_native_folder_create(f, &n->cache, n->reason)) return NATIVE_CAUSE_SYSTEM;
    const native_job job = { .path = n->compiler.path,
                             .arguments = (char *const *)n->arguments,
                             .source = n->source,
                             .folder = f,
                             .wake = n->wake,
                             .stop = is_stopped,
                             .user = n,
                             .limit = n->options.limit,
                             .gentle = !atomic_load(&n->urgent) };
    native_cause cause = taut_native_compiler_run(&job, n->reason);
    return cause ? cause : load(n, f);
}

static void *work(void *user)
{
    native *n = user;
    native_folder f = { .folder = -1, .parent = -1 };
    native_cause cause = NATIVE_CAUSE_STOPPED;
    linger(n);
    if (is_stopped(n))
        taut_native_print(n->reason, sizeof n->reason, "it was stopped before it was ready");
    else
        cause = compile(n, &f);
    if (cause) taut_native_object_clear(&n->object);
    settle(n, cause ? NATIVE_FAILED : NATIVE_READY, cause);
    /* The rest is for later runs. */
    taut_native_folder_remove(&f);
    native_cache cache = n->cache; /* why may change, and is read by others */
    if (!cause) taut_native_cache_put(&cache, n->key, &n->object, n->options.cache_size);
    taut_native_folder_sweep(&cache);
    taut_native_cache_close(&cache);
    close(n->source);
    pthread_mutex_lock(&n->lock);
    n->source = -1;
    n->cache = cache;
    n->finished = 1;
    pthread_cond_broadcast(&n->changed);
    pthread_mutex_unlock(&n->lock);
    return NULL;
}

/* Signals are for the threads of the host. */
static int start_thread(native *n)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&n->thread, NULL, work, n);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    n->has_thread = !failed;
    return failed;
}

/* ---- begin ---- */

/* The command line; returns 1 where there are more flags than it takes. */
static int list_arguments(native *n, const char *const *more)
{
    size_t count = 0, used = 0, always = sizeof flags_always / sizeof *flags_always;
    n->arguments[count++] = n->compiler.path;
    for (size_t i = 0; i < always; i++) n->arguments[count++] = flags_always[i];
    for (; more && *more; more++) {
        size_t size = strlen(*more) + 1;
        if (used + size > sizeof n->flags || count + sizeof flags_after / sizeof *flags_after >= ARGUMENTS) return 1;
        memcpy(n->flags + used, *more, size);
        n->arguments[count++] = n->flags + used;
        used += size;
    }
    memcpy(n->arguments + count, flags_after, sizeof flags_after);
    return 0;
}

static void add_text(sha256 *s, const void *text, size_t length)
{
    const uint64_t size = length; /* before it, so that no two lists of texts are the same */
    taut_sha256_add(s, &size, sizeof size);
    taut_sha256_add(s, text, length);
}

/* All that the object depends on. The compiler is known by its file: asking it for its version would take longer than
   all the rest. */
static void make_key(native *n, const char *text, size_t length)
{
    const struct stat *c = &n->compiler.identity;
    const uint64_t numbers[] = { NATIVE_ABI,          (uint64_t)c->st_dev,          (uint64_t)c->st_ino,
                                 (uint64_t)c->st_size, (uint64_t)c->st_mtim.tv_sec, (uint64_t)c->st_mtim.tv_nsec };
    sha256 s;
    taut_sha256_begin(&s);
    add_text(&s, TAUT_VERSION, sizeof TAUT_VERSION);
    add_text(&s, numbers, sizeof numbers);
    taut_native_processor(&s);
    for (const char *const *a = n->arguments; *a; a++) add_text(&s, *a, strlen(*a));
    add_text(&s, n->entry, strlen(n->entry));
    add_text(&s, text, length);
    taut_sha256_end(&s, n->key);
    taut_sha256_text(n->key, n->facts.key);
}

/* 1: it is there and loaded. */
static int try_cache(native *n, const char *folder)
{
    taut_native_cache_open(&n->cache, folder);
    int found = taut_native_cache_get(&n->cache, n->key, &n->object);
    n->facts.refused = found == NATIVE_REFUSED;
    if (found != NATIVE_FOUND) return 0;
    if (taut_native_object_load(&n->object, n->entry, &n->function, n->reason)) {
        taut_native_object_clear(&n->object);
        n->facts.refused = 1;
        return 0;
    }
    n->facts.cached = 1;
    taut_native_cache_close(&n->cache);
    return 1;
}

/* The text as a file for the compiler's standard input, and the thread. */
static native_cause try_compiler(native *n, const char *text, size_t length)
{
    n->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    n->source = taut_native_above(memfd_create("taut-native-source", MFD_CLOEXEC));
    int failed = n->wake < 0 || n->source < 0 ? errno : 0;
    for (size_t at = 0; !failed && at < length;) {
        ssize_t put = write(n->source, text + at, length - at);
        if (put > 0) at += (size_t)put;
        if (put < 0 && errno != EINTR) failed = errno;
    }
    if (!failed) failed = start_thread(n);
    if (!failed) return NATIVE_CAUSE_NONE;
    taut_native_print(n->reason, sizeof n->reason, "no thread can be started for the compiler: %s", strerror(failed));
    return NATIVE_CAUSE_SYSTEM;
}

/* As far as it can be done at once. Settles it, or leaves it to the thread. */
static void begin(native *n, const char *text, size_t length, const char *entry, const native_options *o)
{
    native_cause cause = taut_native_compiler_find(&n->compiler, o->compiler, n->reason);
    if (!cause && (list_arguments(n, o->flags) || taut_native_print(n->entry, sizeof n->entry, "%s", entry))) {
        taut_native_print(n->reason, sizeof n->reason, "the compiler's flags or the name of the entry are too long");
        cause = NATIVE_CAUSE_SYSTEM;
    }
    if (!cause) {
        make_key(n, text, length);
        if (try_cache(n, o->folder)) {
            settle(n, NATIVE_READY, cause);
            return;
        }
        if (o->cache_only) {
            taut_native_print(n->reason, sizeof n->reason, "it is not in the cache");
            cause = NATIVE_CAUSE_NOT_CACHED;
        }
    }
    if (!cause) cause = try_compiler(n, text, length);
    if (cause) settle(n, NATIVE_FAILED, cause);
}

int taut_native_begin(taut_context *context, const char *text, size_t length, const char *entry,
                      const native_options *options, native **result)
{
    static const native_options usual;
    double begun = clock_seconds();
    native *n = *result = taut_mem_new(context, 1, sizeof *n);
    if (!n) return TAUT_OUT_OF_MEMORY;
    n->context = context;
    n->owner = getpid();
    n->begun = begun;
    n->source = n->wake = n->cache.folder = n->object.file = -1;
    n->options = options ? *options : usual;
    if (!(n->options.limit > 0)) n->options.limit = NATIVE_LIMIT;
    if (!n->options.cache_size) n->options.cache_size = NATIVE_CACHE_SIZE;
    pthread_mutex_init(&n->lock, NULL);
    pthread_cond_init(&n->changed, NULL);
    begin(n, text, length, entry, options ? options : &usual);
    return TAUT_OK;
}

void taut_native_end(native *n)
{
    if (!n) return;
    if (n->has_thread && n->owner == getpid()) {
        atomic_store(&n->stop, 1);
        wake(n);
        pthread_join(n->thread, NULL);
    }
    taut_native_object_clear(&n->object);
    taut_native_cache_close(&n->cache);
    if (n->source >= 0) close(n->source);
    if (n->wake >= 0) close(n->wake);
    if (n->owner == getpid()) {
        pthread_cond_destroy(&n->changed);
        pthread_mutex_destroy(&n->lock);
    }
    taut_mem_free(n->context, n);
}
#endif
