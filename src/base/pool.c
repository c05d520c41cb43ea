/* Each thread has a range of pieces, one after the other in memory, and takes from the others' ranges when its own is
   done. A range is one atomic word: whoever moves its beginning has claimed a piece. The job is over when all pieces
   are done, so that nobody waits for a thread that the system has put aside, unless it holds a piece; a thread that
   comes late finds empty ranges, or those of the next job, and either is right. */
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* Looks at a word before a thread goes to sleep. The jobs of a step follow each other within microseconds, and waking a
   thread takes longer than most of them. */
enum { SPINS = 4000, LINE = 64 };

typedef struct {
    _Alignas(LINE) _Atomic uint64_t range; /* next piece | end of the range << 32 */
    pool *of;
    int worker;
    pthread_t thread;
} member;

struct pool {
    taut_context *context;
    void *block;                      /* to free: the pool itself is aligned in it */
    pid_t owner;                      /* after a fork the child has no threads */
    int threads, spins;
    /* the job */
    pool_work work;
    void *self;
    int pieces;
    _Alignas(LINE) atomic_int done;   /* pieces of it */
    atomic_int waiting;               /* the owner sleeps until all are */
    _Alignas(LINE) atomic_uint jobs;  /* so far */
    atomic_int sleepers, stop;
    pthread_mutex_t lock;             /* of the two conditions */
    pthread_cond_t begun, finished;
    member members[];
};

static inline void pause_shortly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The next piece of a range, -1: none. */
static int claim(member *m)
{
    uint64_t range = atomic_load_explicit(&m->range, memory_order_relaxed);
    while ((uint32_t)range < range >> 32)
        if (atomic_compare_exchange_weak_explicit(&m->range, &range, range + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return (int)(uint32_t)range;
    return -1;
}

/* Pieces of the thread's own range, then of those behind it. The job is looked at when a piece of it is claimed: it
   stays until that piece is done. */
static void work(pool *p, int worker)
{
    for (int k = 0; k < p->threads; k++) {
        member *m = &p->members[(worker + k) % p->threads];
        for (int index; (index = claim(m)) >= 0;) {
            p->work(p->self, index, worker);
            atomic_fetch_add(&p->done, 1);
            if (!atomic_load(&p->waiting)) continue;
            pthread_mutex_lock(&p->lock);
            pthread_cond_signal(&p->finished);
            pthread_mutex_unlock(&p->lock);
        }
    }
}

/* Until there is another job than the one seen last, or the end. */
static unsigned wait_for_job(pool *p, unsigned seen)
{
    for (int k = 0; k < p->spins; k++) {
        if (atomic_load_explicit(&p->jobs, memory_order_acquire) != seen) return atomic_load(&p->jobs);
        pause_shortly();
    }
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1);
    while (atomic_load(&p->jobs) == seen && !atomic_load(&p->stop)) pthread_cond_wait(&p->begun, &p->lock);
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->lock);
    return atomic_load(&p->jobs);
}

static void *live(void *self)
{
    member *m = self;
    pool *p = m->of;
    unsigned seen = 0;
    while (!atomic_load(&p->stop)) {
        seen = wait_for_job(p, seen);
        work(p, m->worker);
    }
    return NULL;
}

static void wait_for_pieces(pool *p)
{
    for (int k = 0; k <= p->spins; k++) { /* at least once: in a child of a fork the lock may be taken for ever */
        if (atomic_load_explicit(&p->done, memory_order_acquire) == p->pieces) return;
        pause_shortly();
    }
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->waiting, 1);
    while (atomic_load(&p->done) < p->pieces) pthread_cond_wait(&p->finished, &p->lock);
    atomic_store(&p->waiting, 0);
    pthread_mutex_unlock(&p->lock);
}

void taut_pool_run(pool *p, int pieces, pool_work piece, void *self)
{
    if (!p || pieces < 2) {
        for (int i = 0; i < pieces; i++) piece(self, i, 0);
        return;
    }
    p->work = piece, p->self = self, p->pieces = pieces;
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    for (int k = 0; k < p->threads; k++) {
        uint64_t first = (uint64_t)pieces * (uint64_t)k / (uint64_t)p->threads;
        uint64_t end = (uint64_t)pieces * (uint64_t)(k + 1) / (uint64_t)p->threads;
        atomic_store_explicit(&p->members[k].range, first | end << 32, memory_order_release);
    }
    atomic_fetch_add(&p->jobs, 1);
    if (atomic_load(&p->sleepers) && p->owner == getpid()) {
        pthread_mutex_lock(&p->lock);
        pthread_cond_broadcast(&p->begun);
        pthread_mutex_unlock(&p->lock);
    }
    work(p, 0);
    wait_for_pieces(p);
}

int taut_pool_threads(const pool *p) { return p ? p->threads : 1; }

static pool *allocate(taut_context *context, int threads)
{
    void *block = taut_mem_new(context, sizeof(pool) + (size_t)threads * sizeof(member) + LINE, 1);
    if (!block) return NULL;
    pool *p = (pool *)(((uintptr_t)block + LINE - 1) / LINE * LINE);
    p->context = context;
    p->block = block;
    return p;
}

/* Signals are for the threads of the host. A thread that has begun looks at p->threads only when there is a job. */
static void start_threads(pool *p, int threads)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p->threads = 1;
    for (int k = 1; k < threads; k++) {
        member *m = &p->members[p->threads];
        m->of = p;
        m->worker = p->threads;
        if (pthread_create(&m->thread, NULL, live, m)) break;
        p->threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int taut_pool_create(taut_context *context, int threads, pool **result)
{
    *result = NULL;
    if (threads < 2) return TAUT_OK;
    if (threads > POOL_THREADS_MOST) threads = POOL_THREADS_MOST;
    pool *p = allocate(context, threads);
    if (!p) return TAUT_OUT_OF_MEMORY;
    p->owner = getpid();
    p->spins = threads <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0; /* who spins keeps others from their work */
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begun, NULL);
    pthread_cond_init(&p->finished, NULL);
    start_threads(p, threads);
    if (p->threads < threads)
        taut_note(context, "%d of %d threads could be started; the results are the same", p->threads, threads);
    if (p->threads > 1)
        *result = p;
    else
        taut_pool_destroy(p);
    return TAUT_OK;
}

/* A child of a fork has a copy of the memory, and nobody else to look at it. */
void taut_pool_destroy(pool *p)
{
    if (!p) return;
    if (p->owner == getpid()) {
        pthread_mutex_lock(&p->lock);
        atomic_store(&p->stop, 1);
        atomic_fetch_add(&p->jobs, 1);
        pthread_cond_broadcast(&p->begun);
        pthread_mutex_unlock(&p->lock);
        for (int k = 1; k < p->threads; k++) pthread_join(p->members[k].thread, NULL);
        pthread_cond_destroy(&p->begun);
        pthread_cond_destroy(&p->finished);
        pthread_mutex_destroy(&p->lock);
    }
    taut_mem_free(p->context, p->block);
}

/* ---- memory ---- */

typedef struct {
    char *to;
    const char *from;
    size_t size;
} memory_job;

static size_t memory_piece(const memory_job *j, int index, size_t *begin)
{
    *begin = pool_begin(j->size, POOL_BYTES, index);
    return pool_begin(j->size, POOL_BYTES, index + 1) - *begin;
}

static void copy_piece(void *self, int index, int worker)
{
    const memory_job *j = self;
    size_t begin, size = memory_piece(j, index, &begin);
    (void)worker;
    memcpy(j->to + begin, j->from + begin, size);
}

static void clear_piece(void *self, int index, int worker)
{
    const memory_job *j = self;
    size_t begin, size = memory_piece(j, index, &begin);
    (void)worker;
    memset(j->to + begin, 0, size);
}

static void run_memory(pool *p, memory_job *j, pool_work piece)
{
    taut_pool_run(p, pool_pieces(j->size, POOL_BYTES), piece, j);
}

void taut_pool_copy(pool *p, void *to, const void *from, size_t size)
{
    memory_job j = { .to = to, .from = from, .size = size };
    run_memory(p, &j, copy_piece);
}

void taut_pool_clear(pool *p, void *to, size_t size)
{
    memory_job j = { .to = to, .size = size };
    run_memory(p, &j, clear_piece);
}
