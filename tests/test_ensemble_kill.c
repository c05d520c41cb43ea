/* Ensembles that are killed (SIGKILL) at random moments, some of them more than once, and gone on with: nothing that was
   committed is lost, and in the end the file has everything that one has that was never interrupted, bit for bit.
   Two hundred kills with TAUT_TEST_LONG=1. TAUT_TEST_SEED chooses other moments. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "support_sweep.h"

static char folder[] = "taut-ensemble-kill-XXXXXX";

static uint64_t seed;
static double random_number(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static const sweep_recipe recipe = {
    .model = "double-spherical-pendulum", .method = "rattle",
    .vary = { "a.x=uniform(2.7,2.9)", "m2=normal(3.5,0.5)" }, .vary_count = 2,
    .members = SANITIZED ? 24 : 120, .step = 0.01, .until = 1, .keep = "energy,a.x,b.z", .at = "0.5,1",
    .stats = STATS_ALL, .paths = 20, .threads = 1, .design = DESIGN_LATIN,
};

/* 1: it was killed before it was done. */
static int run_and_kill(const char *path, int resume, double after)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        taut_context *context = taut_context_create(NULL);
        const sweep_watch watch = { .interval = 0.02 };
        sweep_progress p;
        int status = recorded_sweep_in(context, &recipe, 0, recipe.members - 1, path, resume, &watch, &p);
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

/* 0: it has not begun. */
static int has_begun(const char *path)
{
    taut_context *context = taut_context_create(NULL);
    record *r = NULL;
    const int status = taut_record_open(context, path, &r);
    taut_record_close(r);
    if (status && !strstr(taut_error_text(context), "No such file") && !strstr(taut_error_text(context), "empty"))
        fail_msg("%s", taut_error_text(context));
    taut_context_destroy(context);
    if (status) unlink(path);
    return !status;
}

static void killed_ensembles_end_in_the_same_bits(void **state)
{
    (void)state;
    const char *text = getenv("TAUT_TEST_SEED");
    const int all = getenv("TAUT_TEST_LONG") ? 200 : SANITIZED ? 4 : 12;
    char whole[300], path[300], expected[80], found[80];
    seed = text ? strtoull(text, NULL, 10) : 1;
    snprintf(whole, sizeof whole, "%s/whole.taut", folder);
    snprintf(path, sizeof path, "%s/killed.taut", folder);
    const double begun = clock_seconds();
    recorded_sweep(&recipe, 0, recipe.members - 1, whole, 0);
    const double duration = clock_seconds() - begun;
    const sweep_digest d = digest_of(whole, expected);
    assert_int_equal(d.members, recipe.members);
    assert_int_equal(d.paths, 20);
    int killed = 0, not_begun = 0;
    while (killed < all) {
        int resume = 0;
        uint64_t least = 0;
        do {
            killed += run_and_kill(path, resume, 1.05 * duration * random_number());
            resume = has_begun(path);
            not_begun += !resume;
            const uint64_t members = resume ? digest_of(path, found).members : 0;
            assert_true(members >= least); /* what was there is there */
            least = members;
        } while (random_number() < 0.4);
        recorded_sweep(&recipe, 0, recipe.members - 1, path, resume);
        digest_of(path, found);
        assert_string_equal(found, expected);
        unlink(path);
    }
    print_message("%d kills of an ensemble (%.2f s), %d of them before the first commit\n", killed, duration, not_begun);
    unlink(whole);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = { cmocka_unit_test(killed_ensembles_end_in_the_same_bits) };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
