/* Native code inside a program that has children, signal handlers, forks and threads of its own: neither disturbs the
   other. */
#include "support_native.h"

#include <pthread.h>
#include <stdatomic.h>

#ifdef TAUT_NO_NATIVE
static void nothing_to_test(void **state)
{
    (void)state;
    skip();
}
#else

#define NEEDS_COMPILER \
    if (system("cc --version > /dev/null 2>&1")) skip()

static int in_child(int (*body)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(body());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) fail_msg("ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* 0: compiled, right, and not from the cache. */
static int compile_once(int number)
{
    void *entry;
    native *n = begin_in(cache_folder, NULL, number);
    int state = taut_native_wait(n, &entry);
    int good = state == NATIVE_READY && ((function *)entry)(1) == 1 + number;
    if (!good) print_error("%s\n", taut_native_reason(n));
    taut_native_end(n);
    return !good;
}

/* ---- children ---- */

static int children_are_ignored(void)
{
    signal(SIGCHLD, SIG_IGN);
    if (compile_once(1)) return 1;
    /* What then shows that a compiler failed is that there is no object. */
    native *n = begin_in(cache_folder, script("badcc", "exit 1"), 2);
    void *entry;
    int state = taut_native_wait(n, &entry);
    taut_native_end(n);
    return state == NATIVE_FAILED ? 0 : 2;
}

static volatile sig_atomic_t reaped;
static void reap_all(int number)
{
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0) reaped++;
}

/* The host's handler takes whatever child ends, ours too. */
static int children_are_taken_away(void)
{
    struct sigaction a = { .sa_handler = reap_all, .sa_flags = SA_RESTART };
    sigaction(SIGCHLD, &a, NULL);
    for (int i = 0; i < 5; i++)
        if (compile_once(i)) return 1;
    return 0;
}

/* And ours leaves the host's alone. */
static int children_are_left_alone(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) _exit(42);
    sleep_ms(20);
    if (compile_once(1)) return 1;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 42) return 2;
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 3; /* none of ours is left */
}

static void hosts_may_have_children(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    assert_int_equal(in_child(children_are_ignored), 0);
    remove_all(cache_folder);
    assert_int_equal(in_child(children_are_taken_away), 0);
    remove_all(cache_folder);
    assert_int_equal(in_child(children_are_left_alone), 0);
}

/* ---- signals ---- */

static atomic_int handled, handled_elsewhere;
static pthread_t main_thread;
static void handle(int number)
{
    (void)number;
    atomic_fetch_add(&handled, 1);
    if (!pthread_equal(pthread_self(), main_thread)) atomic_fetch_add(&handled_elsewhere, 1);
}

/* Ctrl-C goes to the group of the host; a host that goes on after it has its function. Handlers run in the threads of
   the host. */
static int interrupted(void)
{
    struct sigaction a = { .sa_handler = handle };
    setpgid(0, 0);
    main_thread = pthread_self();
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGALRM, &a, NULL);
    native *n = begin_in(cache_folder, script("slowcc", "echo $$ > $scratch/pid\n" WAIT_FOR_GO "exec $real \"$@\""), 1);
    long pid = wait_for_number("pid");
    if (getpgid((pid_t)pid) != pid) return 1;
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGALRM);
    for (int i = 0; i < 20; i++) {
        /* Every other time this thread does not take them: they wait for it, and go to no other. */
        pthread_sigmask(i % 2 ? SIG_BLOCK : SIG_UNBLOCK, &both, NULL);
        kill(0, SIGINT); /* the group */
        kill(getpid(), SIGALRM);
        sleep_ms(5);
    }
    pthread_sigmask(SIG_UNBLOCK, &both, NULL);
    let_go();
    void *entry;
    int found = taut_native_wait(n, &entry);
    if (found != NATIVE_READY) print_error("%s\n", taut_native_reason(n));
    taut_native_end(n);
    if (atomic_load(&handled) < 2 || atomic_load(&handled_elsewhere)) return 2;
    return found == NATIVE_READY ? 0 : 3;
}

/* Signals that the host ignores or blocks are not ignored or blocked in the compiler, which could otherwise not be
   ended by a user. */
static int signals_are_usual(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    signal(SIGTERM, SIG_IGN);
    native *n = begin_in(cache_folder, script("termcc", "kill -TERM $$; exit 0"), 1);
    void *entry;
    taut_native_wait(n, &entry);
    int found = strstr(taut_native_reason(n), "failed with signal 15") != NULL;
    taut_native_end(n);
    return !found;
}

static void signals_are_the_hosts(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    assert_int_equal(in_child(interrupted), 0);
    assert_int_equal(in_child(signals_are_usual), 0);
}

/* ---- descriptors, forks, the end of the host ---- */

static int standard_streams_are_closed(void)
{
    close(0), close(1), close(2);
    for (int i = 0; i < 2; i++) {
        native_facts facts;
        void *entry;
        native *n = begin_in(cache_folder, NULL, 1);
        if (taut_native_wait(n, &entry) != NATIVE_READY || ((function *)entry)(1) != 2) return 1;
        taut_native_facts(n, &facts);
        taut_native_end(n);
        if (facts.cached != i) return 2;
    }
    return open("/dev/null", O_RDONLY); /* 0: all that was opened is closed */
}

static void hosts_may_have_no_standard_streams(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    assert_int_equal(in_child(standard_streams_are_closed), 0);
}

/* None can be opened any more. */
static int no_descriptors(void)
{
    while (dup(0) >= 0) {}
    if (errno != EMFILE) return 77;
    native *n = begin_in(cache_folder, NULL, 1);
    void *entry;
    int found = taut_native_wait(n, &entry);
    const char *reason = taut_native_reason(n);
    int said = strstr(reason, "Too many open files") != NULL;
    if (!said) print_error("'%s'\n", reason);
    taut_native_end(n);
    return found != NATIVE_FAILED || !said;
}

static void hosts_may_have_no_descriptors(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    int found = in_child(no_descriptors);
    if (found == 77) skip();
    assert_int_equal(found, 0);
}

/* A forked child may end what its parent began, and begin its own; the parent's goes on. */
static void hosts_may_fork(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    native *n = begin_in(cache_folder, script("slowcc", WAIT_FOR_GO "exec $real \"$@\""), 1);
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        taut_native_end(n);
        _exit(compile_once(2));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    let_go();
    expect_ready(n, 1);
    taut_native_end(n);
}

/* A host that ends in the middle takes the compiler along. */
static void hosts_may_exit(void **state)
{
    (void)state;
    const char *compiler = script("hangcc", "echo $$ > $scratch/pid; exec sleep 1000");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        begin_in(cache_folder, compiler, 1);
        wait_for_number("pid");
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(is_gone(wait_for_number("pid")));
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scratch, close_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TAUT_NO_NATIVE
        TEST(nothing_to_test),
#else
        TEST(hosts_may_have_children),
        TEST(signals_are_the_hosts),
        TEST(hosts_may_have_no_standard_streams),
        TEST(hosts_may_have_no_descriptors),
        TEST(hosts_may_fork),
        TEST(hosts_may_exit),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
