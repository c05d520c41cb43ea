/* Runs that are killed (SIGKILL) at random moments, some of them more than once, and resumed: the file opens, has every
   frame that was committed, and in the end all frames of a run that was never interrupted, bit for bit. TAUT_TEST_SEED
   chooses other moments; with TAUT_TEST_LONG=1 there are 1,000 kills. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "support_record.h"

static char folder[] = "taut-kill-XXXXXX";
static volatile long *committed; /* shared with the children */

static uint64_t seed;
static double random_number(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* Runs in a process of its own, which is killed after so many seconds unless it is done by then. 1: it was killed. */
static int run_and_kill(const recipe *c, const char *path, int resume, double after)
{
    *committed = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        taut_context *context = taut_context_create(NULL);
        int status = recorded_run_in(context, c, path, resume, 0);
        if (status) fprintf(stderr, "child: %s\n", taut_error_text(context));
        _exit(status ? 1 : 0);
    }
    struct timespec wait = { (time_t)after, (long)(1e9 * (after - (double)(time_t)after)) };
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    int end;
    assert_int_equal(waitpid(child, &end, 0), child);
    if (WIFEXITED(end)) assert_int_equal(WEXITSTATUS(end), 0);
    return WIFSIGNALED(end);
}

/* The file holds what the child said was committed. 0: it has not begun. */
static int check_committed(const recipe *c, const char *path, const frames *whole)
{
    taut_context *context = taut_context_create(NULL);
    record *r;
    int status = taut_record_open(context, path, &r);
    taut_record_close(status ? NULL : r);
    if (status) {
        const char *text = taut_error_text(context);
        if (*committed >= 0 || !(strstr(text, "No such file") || strstr(text, "empty")))
            fail_msg("step %ld was committed, but: %s", *committed, text);
        taut_context_destroy(context);
        unlink(path);
        return 0;
    }
    taut_context_destroy(context);
    frames f = read_frames_of(path);
    assert_true(f.count >= 1 && f.count <= whole->count);
    if (f.steps[f.count - 1] < *committed - *committed % c->every)
        fail_msg("step %ld was committed, the last frame is of %ld", *committed, f.steps[f.count - 1]);
    frames begin = *whole;
    begin.count = f.count;
    assert_same_frames(&f, &begin);
    free_frames(&f);
    return 1;
}

static int kill_some(const recipe *c, int kills)
{
    char whole_path[300], path[300];
    snprintf(whole_path, sizeof whole_path, "%s/whole.taut", folder);
    snprintf(path, sizeof path, "%s/killed.taut", folder);
    double begun = clock_seconds();
    recorded_run(c, whole_path, 0, 0);
    double duration = clock_seconds() - begun;
    frames whole = read_frames_of(whole_path);
    int killed = 0, begun_again = 0;
    while (killed < kills) {
        int resume = 0;
        do {
            killed += run_and_kill(c, path, resume, 1.05 * duration * random_number());
            resume = check_committed(c, path, &whole);
            begun_again += !resume;
        } while (random_number() < 0.3);
        recorded_run(c, path, resume, 0);
        frames f = read_frames_of(path);
        assert_same_frames(&f, &whole);
        free_frames(&f);
        unlink(path);
    }
    print_message("%s under %s (%.2f s): %d kills, %d of them before the first commit\n", c->model, c->method, duration,
                  killed, begun_again);
    free_frames(&whole);
    unlink(whole_path);
    return killed;
}

static void killed_runs_end_in_the_same_bits(void **state)
{
    (void)state;
    const char *text = getenv("TAUT_TEST_SEED");
    seed = text ? strtoull(text, NULL, 10) : 1;
    print_message("seed %llu\n", (unsigned long long)seed);
    const recipe recipes[] = {
        { .model = "double-spherical-pendulum",
          .method = "rattle",
          .step = 0.001,
          .steps = SANITIZED ? 8000 : 60000,
          .every = 7,
          .committed = committed },
        { .model = "triple-pendulum",
          .method = "lobatto:s=3",
          .step = 0.002,
          .steps = SANITIZED ? 500 : 4000,
          .every = 3,
          .committed = committed },
        { .model = "hanging-chain",
          .method = "rattle",
          .step = 0.001,
          .steps = SANITIZED ? 50 : 400,
          .every = 20,
          .setting = "N",
          .value = "500",
          .committed = committed },
        { .model = "bouncing-ball",
          .method = "rattle",
          .step = 0.001,
          .steps = SANITIZED ? 500 : 4000,
          .every = 5,
          .committed = committed },
        { .model = "double-spherical-pendulum",
          .method = "dirac:rkf45,tol=1e-9",
          .step = 0.01,
          .steps = SANITIZED ? 100 : 1000,
          .every = 4,
          .committed = committed },
        { .model = "heavy-top",
          .method = "em",
          .step = 0.001,
          .steps = SANITIZED ? 300 : 3000,
          .every = 6,
          .committed = committed },
        { .model = "four-bar",
          .method = "compose:rattle,order=4",
          .step = 0.001,
          .steps = SANITIZED ? 300 : 3000,
          .every = 9,
          .committed = committed },
#ifdef TAUT_HAVE_QUAD
        { .model = "double-spherical-pendulum",
          .method = "del",
          .precision = "quad",
          .step = 0.01,
          .steps = SANITIZED ? 100 : 600,
          .every = 2,
          .committed = committed },
#endif
    };
    const int count = sizeof recipes / sizeof *recipes, all = getenv("TAUT_TEST_LONG") ? 1000 : SANITIZED ? 8 : 50;
    int killed = 0;
    for (int i = 0; i < count; i++) killed += kill_some(&recipes[i], (all + count - 1) / count);
    assert_true(killed >= all);
}

int main(void)
{
    committed = mmap(NULL, sizeof *committed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (committed == MAP_FAILED || !mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = { cmocka_unit_test(killed_runs_end_in_the_same_bits) };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
