/* What may go wrong with a run file does no harm. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "record/writer.h"

#include "support_run_file.h"

static void expect_refusal(const char *text)
{
    taut_context *context = taut_context_create(NULL);
    record *r = NULL;
    writer *w = NULL;
    assert_int_not_equal(taut_record_open(context, path, &r), TAUT_OK);
    assert_null(r);
    if (!strstr(taut_error_text(context), text)) fail_msg("'%s', not '%s'", taut_error_text(context), text);
    assert_int_not_equal(taut_writer_open(context, path, &w), TAUT_OK);
    assert_null(w);
    if (!strstr(taut_error_text(context), text)) fail_msg("'%s', not '%s'", taut_error_text(context), text);
    taut_context_destroy(context);
}

static void write_bytes(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void run_sql(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static const recipe small = {
    .model = "pendulum", .method = "rattle", .step = 0.01, .steps = 50, .every = 1, .interval = 1
};

static void files_that_are_no_runs(void **state)
{
    (void)state;
    expect_refusal("No such file");
    write_bytes("", 0);
    expect_refusal("is empty");
    char text[5000];
    memset(text, 'x', sizeof text);
    write_bytes(text, sizeof text);
    expect_refusal("is not a run file (no SQLite database)");
    unlink(path);
    run_sql("create table t (x)");
    expect_refusal("an SQLite database, but not a run file");
    unlink(path);
    recorded_run(&small, path, 0, 0);
    run_sql("pragma user_version = 2");
    expect_refusal("written by a later Taut (layout 2, this one knows up to 1)");
    run_sql("pragma user_version = 1; drop table frames");
    expect_refusal("does not have what a run file has");
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    expect_refusal("Is a directory");
    rmdir(path);
}

static void a_damaged_file(void **state)
{
    (void)state;
    recorded_run(&small, path, 0, 0);
    struct stat size;
    assert_int_equal(stat(path, &size), 0);
    assert_int_equal(truncate(path, size.st_size / 2), 0);
    taut_context *context = taut_context_create(NULL);
    record *r = NULL;
    double value[51];
    int status = taut_record_open(context, path, &r);
    if (!status) status = taut_record_read(r, 0, taut_record_frame_count(r), &(size_t){ 0 }, 1, value);
    assert_int_not_equal(status, TAUT_OK);
    if (!strstr(taut_error_text(context), "damaged")) fail_msg("%s", taut_error_text(context));
    taut_record_close(r);
    taut_context_destroy(context);
}

static void one_writer_at_a_time(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    writer *first, *second = NULL;
    int done;
    const record_column t = { "t", "time" };
    assert_int_equal(taut_writer_create(context, path, 0, &t, 1, 0, 0, &first), TAUT_OK);
    assert_int_equal(taut_writer_frame(first, 0, &(double){ 0 }), TAUT_OK);
    /* the file is still empty: nothing is committed */
    assert_int_not_equal(taut_writer_create(context, path, 0, &t, 1, 0, 0, &second), TAUT_OK);
    assert_non_null(strstr(taut_error_text(context), "another process is writing"));
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(taut_writer_commit(first, 0, &done), TAUT_OK);
    assert_int_not_equal(taut_writer_open(context, path, &second), TAUT_OK);
    assert_non_null(strstr(taut_error_text(context), "another process is writing"));
    assert_int_not_equal(taut_writer_create(context, path, 0, &t, 1, 0, 0, &second), TAUT_OK);
    assert_non_null(strstr(taut_error_text(context), "exists"));
    /* not even with --force */
    assert_int_not_equal(taut_writer_create(context, path, 1, &t, 1, 0, 0, &second), TAUT_OK);
    assert_non_null(strstr(taut_error_text(context), "another process is writing"));
    assert_null(second);
    assert_int_equal(taut_writer_frame(first, 1, &(double){ 1 }), TAUT_OK); /* undisturbed */
    assert_int_equal(taut_writer_commit(first, 0, &done), TAUT_OK);
    assert_true(done);
    taut_writer_close(first);
    assert_int_equal(taut_writer_create(context, path, 1, &t, 1, 0, 0, &second), TAUT_OK);
    taut_writer_close(second);
    write_bytes("a letter", 8); /* --force replaces runs, nothing else */
    assert_int_not_equal(taut_writer_create(context, path, 1, &t, 1, 0, 0, &second), TAUT_OK);
    assert_non_null(strstr(taut_error_text(context), "not a run file"));
    taut_context_destroy(context);
}

static void readers_beside_a_writer(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    writer *w;
    record *r;
    sqlite3 *db;
    int done;
    double value[3];
    const record_column t = { "t", "time" };
    assert_int_equal(taut_writer_create(context, path, 0, &t, 1, 0, 0, &w), TAUT_OK);
    assert_int_equal(taut_writer_frame(w, 0, &(double){ 0 }), TAUT_OK);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_int_equal(taut_writer_frame(w, 1, &(double){ 1 }), TAUT_OK);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    assert_int_equal(taut_record_frame_count(r), 1); /* what is committed */
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "begin; select * from frames", NULL, NULL, NULL),
                     SQLITE_OK); /* a reader that takes its time */
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_false(done);
    assert_int_equal(taut_writer_frame(w, 2, &(double){ 2 }), TAUT_OK);
    assert_int_equal(sqlite3_exec(db, "end", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_true(done);
    assert_int_equal(taut_record_refresh(r), TAUT_OK);
    assert_int_equal(taut_record_frame_count(r), 3); /* nothing was lost */
    assert_int_equal(taut_record_read(r, 0, 3, &(size_t){ 0 }, 1, value), TAUT_OK);
    assert_true(value[1] == 1 && value[2] == 2);
    sqlite3_close(db);
    taut_record_close(r);
    taut_writer_close(w);
    taut_context_destroy(context);
}

static void a_file_that_is_taken_away(void **state)
{
    (void)state;
    for (int replaced = 0; replaced < 2; replaced++) {
        taut_context *context = taut_context_create(NULL);
        writer *w;
        int done;
        const record_column t = { "t", "time" };
        fresh(NULL);
        assert_int_equal(taut_writer_create(context, path, 0, &t, 1, 0, 0, &w), TAUT_OK);
        assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
        unlink(path);
        if (replaced) write_bytes("something else", 14);
        int status = taut_writer_frame(w, 0, &(double){ 0 }); /* SQLite looks itself when it begins to write */
        if (!status) status = taut_writer_commit(w, 0, &done);
        assert_int_not_equal(status, TAUT_OK);
        assert_non_null(strstr(taut_error_text(context), "was removed, moved or replaced"));
        taut_writer_close(w);
        taut_context_destroy(context);
    }
}

/* A file that may not grow any more stands for a full disk: the run ends and says so, what was committed stays, and
   when there is room the run goes on to the same bits. */
static void a_full_disk(void **state)
{
    (void)state;
    const recipe c = { .model = "double-spherical-pendulum",
                       .method = "rattle",
                       .step = 0.001,
                       .steps = 3000,
                       .every = 1,
                       .interval = 0 };
    struct rlimit before, limit;
    recorded_run(&c, other, 0, 0);
    frames whole = read_frames_of(other);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int kilobytes = 8; kilobytes <= 512; kilobytes *= 4) {
        taut_context *context = taut_context_create(NULL);
        fresh(NULL);
        limit = before;
        limit.rlim_cur = (rlim_t)kilobytes * 1024;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        int status = recorded_run_in(context, &c, path, 0, 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_not_equal(status, TAUT_OK);
        if (!strstr(taut_error_text(context), path) || !strstr(taut_error_text(context), "write"))
            fail_msg("%s", taut_error_text(context));
        int resume = access(path, F_OK) == 0; /* not when the file could not even begin */
        struct stat size = { 0 };
        if (resume) assert_int_equal(stat(path, &size), 0);
        if (resume && size.st_size == 0) resume = 0;
        assert_int_equal(resume, kilobytes > 60);
        recorded_run(&c, path, resume, 0);
        frames f = read_frames_of(path);
        assert_same_frames(&f, &whole);
        free_frames(&f);
        taut_context_destroy(context);
    }
    signal(SIGXFSZ, handler);
    free_frames(&whole);
}

/* As another user: root may write anywhere. That user must be able to get there, which he may not where the tests run
   (a home). */
static void a_folder_without_permission(void **state)
{
    (void)state;
    char locked[320], inside[340];
    snprintf(locked, sizeof locked, "%s/taut-locked-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(locked));
    snprintf(inside, sizeof inside, "%s/run.taut", locked);
    recorded_run(&small, inside, 0, 20);
    assert_int_equal(chmod(inside, 0444), 0);
    assert_int_equal(chmod(locked, 0555), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        taut_context *context = taut_context_create(NULL);
        const record_column t = { "t", "time" };
        record *r = NULL;
        writer *w = NULL;
        char new[360];
        snprintf(new, sizeof new, "%s/new.taut", locked);
        if (geteuid() == 0 && (setgid(65534) || setuid(65534))) _exit(10);
        if (!taut_writer_create(context, new, 0, &t, 1, 0, 0, &w) || !strstr(taut_error_text(context), "cannot create"))
            _exit(11);
        if (!taut_writer_open(context, inside, &w) || !strstr(taut_error_text(context), "read-only")) _exit(12);
        /* reading needs no permission to write */
        if (taut_record_open(context, inside, &r) || taut_record_frame_count(r) != 21) _exit(13);
        taut_record_close(r);
        taut_context_destroy(context);
        _exit(0);
    }
    int end;
    assert_int_equal(waitpid(child, &end, 0), child);
    chmod(locked, 0777);
    unlink(inside);
    rmdir(locked);
    assert_int_equal(WEXITSTATUS(end), 0);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)
int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        TEST(files_that_are_no_runs),
        TEST(a_damaged_file),
        TEST(one_writer_at_a_time),
        TEST(readers_beside_a_writer),
        TEST(a_file_that_is_taken_away),
        TEST(a_full_disk),
        TEST(a_folder_without_permission),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    fresh(NULL);
    rmdir(folder);
    return failures;
}
