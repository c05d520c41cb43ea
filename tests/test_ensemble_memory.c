/* Memory that runs out while an ensemble is run into a file, gone on with, put together or shown on its page: it is
   said, nothing leaks, and the file can be gone on with. Every allocation fails in turn with TAUT_TEST_LONG=1, some
   sixty of them otherwise. */
#include <unistd.h>

#include "report/sweep_page.h"
#include "report/template.h"
#include "support_allocator.h"
#include "support_sweep.h"

static char folder[] = "taut-ensemble-memory-XXXXXX";
static char path[300], merged[300];

static const sweep_recipe recipe = {
    .model = "pendulum", .method = "rattle", .vary = { "g=uniform(9,10)", "l=grid(1,2,2)" }, .vary_count = 2,
    .members = 4, .step = 0.05, .until = 0.2, .at = "0.1,0.2", .stats = STATS_ALL, .paths = 3, .threads = 1,
    .design = DESIGN_LATIN,
};

/* A life of an ensemble: its members (those that are missing), its page, a file put together. */
static int life(taut_context *context)
{
    const sweep_watch watch = { 0 };
    sweep_progress p;
    int status = recorded_sweep_in(context, &recipe, 0, 3, path, access(path, F_OK) == 0, &watch, &p);
    record *r = NULL;
    if (!status) status = taut_record_open(context, path, &r);
    FILE *page = fopen("/dev/null", "w");
    if (!status)
        status =
            taut_sweep_page_write(context, r, (const char *)taut_template_ensemble, taut_template_ensemble_size, page);
    fclose(page);
    taut_record_close(r);
    const char *parts[] = { path, path };
    if (!status) status = taut_sweep_merge(context, parts, 2, merged, 1, &p);
    return status;
}

static void memory_runs_out(void **state)
{
    (void)state;
    char expected[80], found[80];
    counter all = { 0 };
    taut_allocator allocator = { counted_resize, &all };
    taut_context *context = taut_context_create(&allocator);
    if (life(context)) fail_msg("%s", taut_error_text(context));
    taut_context_destroy(context);
    assert_int_equal(all.live, 0);
    digest_of(merged, expected);
    unlink(path);
    const long stride = getenv("TAUT_TEST_LONG") ? 1 : all.calls / 60 + 1;
    int said = 0;
    for (long at = 1; at <= all.calls; at += stride) {
        counter c = { .fail_at = at, .fail_count = 1 };
        allocator.user = &c;
        context = taut_context_create(&allocator);
        if (context) {
            const int status = life(context);
            if (status) {
                if (status != TAUT_OUT_OF_MEMORY && status != TAUT_CANNOT_READ)
                    fail_msg("allocation %ld failed: status %d, %s", at, status, taut_error_text(context));
                said += strlen(taut_error_text(context)) > 0;
            }
            taut_context_destroy(context);
        }
        if (c.live) fail_msg("allocation %ld failed: %ld blocks are left", at, c.live);
        /* the same again, with enough of it: from what there is, or from the beginning */
        context = taut_context_create(NULL);
        record *r = NULL;
        if (taut_record_open(context, path, &r)) unlink(path);
        taut_record_close(r);
        if (life(context)) fail_msg("after allocation %ld failed: %s", at, taut_error_text(context));
        taut_context_destroy(context);
        digest_of(merged, found);
        assert_string_equal(found, expected);
        unlink(path);
    }
    print_message("%ld allocations; %d failures were said\n", all.calls, said);
    assert_true(said > 20);
    unlink(merged);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/a.taut", folder);
    snprintf(merged, sizeof merged, "%s/b.taut", folder);
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_runs_out) };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
