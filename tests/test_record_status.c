/* Files that cannot be written give another status than files that cannot be read. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/export.h"
#include "record/writer.h"
#include "report/document.h"
#include "report/page.h"
#include "support_record.h"

static char folder[] = "taut-status-XXXXXX", path[300];
static taut_context *context;
static const recipe run = { .model = "double-spherical-pendulum", .method = "rattle", .step = 0.01, .steps = 20,
    .every = 1, .interval = 1 };
static const char template_text[] = "<html>" PAGE_MARK "</html>";

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.taut", folder);
    context = taut_context_create(NULL);
    recorded_run(&run, path, 0, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    rmdir(folder);
    taut_context_destroy(context);
    return 0;
}

#define assert_says(text)                                                                                          \
    do {                                                                                                           \
        if (!strstr(taut_error_text(context), text)) fail_msg("\"%s\" lacks \"%s\"", taut_error_text(context), text); \
    } while (0)

/* Commits are rare: one that is over before the first is due has one, and one that fails can be resumed all the
   same, from the start. Here the step is too long for the constraints to be solved. */
static void before_the_first_commit(void **state)
{
    (void)state;
    char other[400];
    volatile long committed = 0;
    record *r;
    recipe c = run;
    c.interval = 1000, c.committed = &committed;
    snprintf(other, sizeof other, "%s/short.taut", folder);
    recorded_run(&c, other, 0, 0);
    assert_int_equal(committed, -1);
    assert_int_equal(taut_record_open(context, other, &r), TAUT_OK);
    assert_int_equal(taut_record_frame_count(r), 21);
    taut_record_close(r);
    unlink(other);
    c.step = 40;
    const int failure = recorded_run_in(context, &c, other, 0, 0);
    assert_int_equal(failure, TAUT_NO_CONVERGENCE);
    assert_int_equal(recorded_run_in(context, &c, other, 1, 0), failure);
    unlink(other);
}

static void no_folder_for_a_run(void **state)
{
    (void)state;
    char nowhere[400];
    snprintf(nowhere, sizeof nowhere, "%s/no/run.taut", folder);
    assert_int_equal(recorded_run_in(context, &run, nowhere, 0, 0), TAUT_CANNOT_WRITE);
    assert_says("cannot create");
    record *r;
    assert_int_equal(taut_record_open(context, nowhere, &r), TAUT_CANNOT_READ);
    assert_says("cannot read");
}

static void a_second_writer(void **state)
{
    (void)state;
    writer *one, *two;
    assert_int_equal(taut_writer_open(context, path, &one), TAUT_OK);
    assert_int_equal(taut_writer_open(context, path, &two), TAUT_CANNOT_WRITE);
    assert_says("another process is writing");
    taut_writer_close(one);
}

static void a_file_of_something_else(void **state)
{
    (void)state;
    char other[400];
    record *r;
    writer *w;
    snprintf(other, sizeof other, "%s/other", folder);
    FILE *file = fopen(other, "w");
    for (int i = 0; i < 200; i++) fputs("no run at all\n", file);
    fclose(file);
    assert_int_equal(taut_record_open(context, other, &r), TAUT_CANNOT_READ);
    assert_int_equal(taut_writer_open(context, other, &w), TAUT_CANNOT_READ);
    assert_says("not a run file");
    unlink(other);
}

static void no_place_for_an_export(void **state)
{
    (void)state;
    char nowhere[400], taken[400];
    record *r;
    size_t column = 0;
    const export_options options = { &column, 1, 1 };
    int (*const formats[])(taut_context *, record *, const char *,
                           const export_options *) = { taut_export_csv, taut_export_hdf5, taut_export_xyz };
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    snprintf(nowhere, sizeof nowhere, "%s/no/file", folder);
    snprintf(taken, sizeof taken, "%s/folder", folder); /* a folder is where the file should go */
    mkdir(taken, 0777);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        assert_int_equal(formats[i](context, r, nowhere, &options), TAUT_CANNOT_WRITE);
        assert_says("cannot write");
        assert_int_equal(formats[i](context, r, taken, &options), TAUT_CANNOT_WRITE);
        assert_says("cannot write");
    }
    rmdir(taken);
    taut_record_close(r);
}

/* Files that may not grow are a disk that is full. */
static void a_full_disk_for_a_page(void **state)
{
    (void)state;
    record *r;
    document d;
    char page[400];
    struct rlimit usual, none;
    snprintf(page, sizeof page, "%s/page.html", folder);
    FILE *full = fopen(page, "w");
    assert_non_null(full);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &usual);
    none = usual;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &none);
    assert_int_equal(taut_page_write(context, r, template_text, sizeof template_text - 1, full), TAUT_CANNOT_WRITE);
    assert_says("cannot write the page");
    taut_record_close(r);
    assert_int_equal(taut_document_begin(&d, context, full, template_text, sizeof template_text - 1, "title", NULL),
        TAUT_OK);
    assert_int_equal(taut_document_end(&d), TAUT_CANNOT_WRITE);
    fclose(full);
    setrlimit(RLIMIT_FSIZE, &usual);
    signal(SIGXFSZ, SIG_DFL);
    unlink(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_first_commit),
        cmocka_unit_test(no_folder_for_a_run), cmocka_unit_test(a_second_writer),
        cmocka_unit_test(a_file_of_something_else),
        cmocka_unit_test(no_place_for_an_export), cmocka_unit_test(a_full_disk_for_a_page),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
