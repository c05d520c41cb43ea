/* The pool: every piece is done once, whatever the threads do; jobs of all sizes, with pauses in which threads fall
   asleep; systems that start no threads, or fewer; a fork. Under ThreadSanitizer in make check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pool.h"
#include "support_allocator.h"

#include <cmocka.h>

/* pthread_create fails from the call on at which `allowed` is used up. */
static int allowed = 1000;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*begin)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*begin)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*begin)(void *), void *user)
{
    return allowed-- > 0 ? __real_pthread_create(thread, with, begin, user) : EAGAIN;
}

enum { PIECES = 500 };

typedef struct {
    int times[PIECES], worker[PIECES];
    atomic_int busy[POOL_THREADS_MOST]; /* a worker is at work */
    atomic_int clashes, unmasked;
    pthread_t owner;
} job;

static void piece(void *self, int index, int worker)
{
    job *j = self;
    if (atomic_exchange(&j->busy[worker], 1)) j->clashes++;
    j->times[index]++;
    j->worker[index] = worker;
    for (volatile int k = 0; k < (index % 7) * 50;) k++;
    if (!pthread_equal(pthread_self(), j->owner)) {
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        if (!sigismember(&mask, SIGINT) || !sigismember(&mask, SIGALRM) || worker == 0) j->unmasked++;
    } else if (worker != 0) {
        j->clashes++;
    }
    atomic_store(&j->busy[worker], 0);
}

static void check_job(pool *p, int pieces)
{
    static job j;
    memset(&j, 0, sizeof j);
    j.owner = pthread_self();
    taut_pool_run(p, pieces, piece, &j);
    for (int i = 0; i < pieces; i++) {
        assert_int_equal(j.times[i], 1);
        assert_in_range(j.worker[i], 0, taut_pool_threads(p) - 1);
    }
    assert_int_equal(j.clashes, 0);
    assert_int_equal(j.unmasked, 0);
}

static void every_piece_once(void **unused)
{
    (void)unused;
    static const int threads[] = { 0, 1, 2, 3, 8, 10000 };
    taut_context *context = taut_context_create(NULL);
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        pool *p;
        assert_int_equal(taut_pool_create(context, threads[k], &p), TAUT_OK);
        assert_int_equal(taut_pool_threads(p), threads[k] < 1 ? 1 : threads[k] > POOL_THREADS_MOST ? POOL_THREADS_MOST
                                                                                               : threads[k]);
        assert_int_equal(p == NULL, threads[k] < 2);
        for (int i = 0; i < 300; i++) {
            check_job(p, i % PIECES);
            if (i % 60 == 59) usleep(3000); /* they fall asleep */
        }
        taut_pool_destroy(p);
    }
    taut_context_destroy(context);
}

/* Two threads do work at the same time: each waits for the other to be there. */
static void meet(void *self, int index, int worker)
{
    atomic_int *there = self;
    (void)index, (void)worker;
    atomic_fetch_add(there, 1);
    while (atomic_load(there) < 2) {}
}

static void two_at_once(void **unused)
{
    (void)unused;
    taut_context *context = taut_context_create(NULL);
    pool *p;
    assert_int_equal(taut_pool_create(context, 2, &p), TAUT_OK);
    for (int i = 0; i < 20; i++) {
        atomic_int there = 0;
        taut_pool_run(p, 2, meet, &there);
        assert_int_equal(there, 2);
        if (i % 5 == 0) usleep(3000);
    }
    taut_pool_destroy(p);
    taut_context_destroy(context);
}

static void count_note(void *user, const char *line)
{
    assert_non_null(strstr(line, " threads could be started"));
    ++*(int *)user;
}

static void threads_that_do_not_start(void **unused)
{
    (void)unused;
    taut_context *context = taut_context_create(NULL);
    int notes = 0;
    taut_context_log(context, count_note, &notes);
    for (int can = 0; can < 4; can++) {
        pool *p;
        allowed = can;
        assert_int_equal(taut_pool_create(context, 4, &p), TAUT_OK);
        allowed = 1000;
        assert_int_equal(taut_pool_threads(p), can + 1);
        assert_int_equal(notes, can < 3 ? can + 1 : 3);
        check_job(p, 100);
        taut_pool_destroy(p);
    }
    taut_context_destroy(context);
}

static void memory_runs_out(void **unused)
{
    (void)unused;
    counter c = { .fail_at = 2, .fail_count = 1 };
    const taut_allocator allocator = { counted_resize, &c };
    taut_context *context = taut_context_create(&allocator);
    pool *p = (pool *)&c;
    assert_int_equal(taut_pool_create(context, 3, &p), TAUT_OUT_OF_MEMORY);
    assert_null(p);
    assert_int_equal(taut_pool_create(context, 3, &p), TAUT_OK);
    check_job(p, 10);
    taut_pool_destroy(p);
    taut_context_destroy(context);
    assert_int_equal(c.live, 0);
}

static void memory_in_pieces(void **unused)
{
    (void)unused;
    enum { SIZE = 40 * POOL_NUMBERS + 13 };
    static char a[SIZE + 1], b[SIZE + 1];
    taut_context *context = taut_context_create(NULL);
    pool *p;
    assert_int_equal(taut_pool_create(context, 3, &p), TAUT_OK);
    for (int i = 0; i <= SIZE; i++) a[i] = (char)(i % 127 + 1);
    taut_pool_copy(p, b, a, SIZE);
    assert_int_equal(memcmp(a, b, SIZE), 0);
    assert_int_equal(b[SIZE], 0);
    taut_pool_clear(p, a, SIZE);
    for (int i = 0; i < SIZE; i++) assert_int_equal(a[i], 0);
    assert_int_not_equal(a[SIZE], 0);
    taut_pool_clear(p, NULL, 0);
    taut_pool_destroy(p);
    taut_context_destroy(context);
}

/* The child has the pool without its threads, and does all pieces itself. */
static void after_a_fork(void **unused)
{
    (void)unused;
    taut_context *context = taut_context_create(NULL);
    for (int asleep = 0; asleep < 2; asleep++) {
        pool *p;
        assert_int_equal(taut_pool_create(context, 3, &p), TAUT_OK);
        check_job(p, 20);
        if (asleep) usleep(20000);
        pid_t child = fork();
        if (child == 0) {
            static job j;
            int wrong = 0;
            j.owner = pthread_self();
            alarm(60);
            for (int k = 0; k < 3; k++) taut_pool_run(p, 50, piece, &j);
            for (int i = 0; i < 50; i++) wrong |= j.times[i] != 3;
            taut_pool_destroy(p);
            _exit(wrong);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        check_job(p, 20);
        taut_pool_destroy(p);
    }
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_once),          cmocka_unit_test(two_at_once),
        cmocka_unit_test(threads_that_do_not_start), cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_in_pieces),          cmocka_unit_test(after_a_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
