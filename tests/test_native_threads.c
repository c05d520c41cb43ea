/* Native code asked for by several threads at once, each with a context of its own, all with one cache. */
#include "support_native.h"

#include <pthread.h>

#ifdef TAUT_NO_NATIVE
static void nothing_to_test(void **state)
{
    (void)state;
    skip();
}
#else

#define NEEDS_COMPILER \
    if (system("cc --version > /dev/null 2>&1")) skip()

enum { THREADS = 4, ROUNDS = 6 };

typedef struct {
    int number, failures, cached;
} worker;

/* Every other one is ended while the compiler is at work. */
static void *work(void *user)
{
    worker *w = user;
    taut_context *own = taut_context_create(NULL);
    for (int i = 0; i < ROUNDS; i++) {
        const native_options o = { .folder = cache_folder, .cache_size = 60000 };
        int number = (w->number + i) % 3;
        char text[256];
        size_t length = text_of(text, number);
        native *n;
        void *entry;
        native_facts facts;
        if (taut_native_begin(own, text, length, "f", &o, &n)) {
            w->failures++;
            continue;
        }
        if (i % 2 == 0) {
            if (taut_native_wait(n, &entry) != NATIVE_READY || ((function *)entry)(1) != 1 + number) w->failures++;
            taut_native_facts(n, &facts);
            w->cached += facts.cached;
        } else {
            sleep_ms(10 * w->number);
        }
        taut_native_end(n);
    }
    taut_context_destroy(own);
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    pthread_t threads[THREADS];
    worker workers[THREADS] = { { 0 } };
    int before = count_descriptors();
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].failures, 0);
    }
    assert_int_equal(count_names(cache_folder, "work-") + count_names(cache_folder, "new-"), 0);
    assert_int_equal(count_descriptors(), before);
}

/* One asks all the time, as a run does at every step; the function may be called as soon as it is seen. */
static void *poll_until_ready(void *user)
{
    void *entry;
    native_state found;
    while ((found = taut_native_poll(user, &entry)) == NATIVE_PENDING) {}
    return found == NATIVE_READY && ((function *)entry)(1) == 2 ? user : NULL;
}

static void others_may_look(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    pthread_t threads[2];
    native *n = begin_in(cache_folder, NULL, 1);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, poll_until_ready, n), 0);
    expect_ready(n, 1);
    for (int i = 0; i < 2; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    taut_native_end(n);
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scratch, close_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TAUT_NO_NATIVE
        TEST(nothing_to_test),
#else
        TEST(threads_do_not_disturb_each_other),
        TEST(others_may_look),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
