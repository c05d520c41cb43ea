/* Memory that runs out while a run file is written or read, in SQLite or in Taut: it is said, nothing leaks, and the
   file has all of the frames of the last commit or none. Every allocation fails in turn with TAUT_TEST_LONG=1, some
   hundred of them otherwise. */
#include <sqlite3.h>
#include <unistd.h>

#include "record/record.h"
#include "record/writer.h"

#include "support.h"
#include "support_allocator.h"

static char path[] = "taut-record-memory-XXXXXX";

/* ---- SQLite's memory, counted as support_allocator.h counts Taut's ---- */

static counter sqlite_memory;
static sqlite3_mem_methods plain;

static int fails_now(void)
{
    counter *c = &sqlite_memory;
    c->calls++;
    int now = c->calls >= c->fail_at && c->calls - c->fail_at < c->fail_count;
    c->failures += now;
    return now;
}

static void *counted_malloc(int size) { return fails_now() ? NULL : plain.xMalloc(size); }
static void *counted_realloc(void *block, int size) { return fails_now() ? NULL : plain.xRealloc(block, size); }

static int install(void)
{
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain)) return 1;
    sqlite3_mem_methods counted = plain;
    counted.xMalloc = counted_malloc;
    counted.xRealloc = counted_realloc;
    /* lookaside would hide allocations */
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &counted) || sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0)
           || sqlite3_initialize();
}

/* ---- a short life of a file ---- */

/* Enough columns for chunks; enough frames to be copied from a stage. */
enum { MOST_COLUMNS = 1100, MOST_FRAMES = 100 };
static const struct { int frames, columns; } shapes[] = { { 5, MOST_COLUMNS }, { MOST_FRAMES, 5 } };
static int frame_count, column_count; /* of the shape at hand */
static record_column columns[MOST_COLUMNS];

static int write_file(taut_context *context)
{
    static double values[MOST_COLUMNS];
    writer *w = NULL;
    int done, status = taut_writer_create(context, path, 0, columns, (size_t)column_count, 0, 0, &w);
    if (!status) status = taut_writer_property(w, "method", "rattle");
    for (int f = 0; !status && f < frame_count; f++) {
        values[3] = f;
        status = taut_writer_frame(w, f, values);
    }
    if (!status) status = taut_writer_event(w, &(record_event){ 1, 0.5, "floor", "touch", 1 });
    if (!status) status = taut_writer_checkpoint_numbers(w, "state.q", values, 100, sizeof(double));
    if (!status) status = taut_writer_commit(w, 0, &done);
    taut_writer_close(w);
    return status;
}

static int read_file(taut_context *context, long *found)
{
    record *r = NULL;
    const record_event *events;
    size_t count;
    double values[MOST_FRAMES * 2];
    *found = -1;
    int status = taut_record_open(context, path, &r);
    if (!status) status = taut_record_events(r, &events, &count);
    if (!status) *found = taut_record_frame_count(r);
    if (!status) status = taut_record_read(r, 0, *found, (size_t[]){ 3, 0 }, 2, values);
    for (long f = 0; !status && f < *found; f++) assert_true(values[2 * f] == (double)f && values[2 * f + 1] == 0);
    taut_record_close(r);
    return status;
}

/* Writes, then reads. */
static int life(counter *taut, int *written, long *found)
{
    const taut_allocator allocator = { counted_resize, taut };
    taut_context *context = taut_context_create(&allocator);
    *written = 0;
    if (!context) return TAUT_OUT_OF_MEMORY;
    int status = write_file(context);
    *written = status == TAUT_OK;
    if (!status) status = read_file(context, found);
    if (status == TAUT_OUT_OF_MEMORY) assert_non_null(strstr(taut_error_text(context), "memory"));
    if (status && status != TAUT_OUT_OF_MEMORY) print_error("status %d: %s\n", status, taut_error_text(context));
    taut_context_destroy(context);
    return status;
}

static void check_file(int written)
{
    taut_context *context = taut_context_create(NULL);
    long found;
    int status = access(path, F_OK) ? TAUT_CANNOT_READ : read_file(context, &found);
    if (written) assert_true(!status && found == frame_count);
    else assert_true(status || found == frame_count); /* the commit may have come through before the failure */
    taut_context_destroy(context);
    unlink(path);
}

static void fail_each(counter *which, counter *taut, long calls)
{
    long stride = getenv("TAUT_TEST_LONG") ? 1 : 1 + calls / (SANITIZED ? 40 : 100);
    for (long k = 1; k <= calls; k += stride)
        for (int all = 0; all < 2; all++) {
            int written;
            long found;
            *taut = sqlite_memory = (counter){ 0 };
            *which = (counter){ .fail_at = k, .fail_count = all ? 1000000000 : 1 };
            int status = life(taut, &written, &found);
            long failures = which->failures;
            sqlite_memory.fail_count = taut->fail_count = 0;
            assert_true(failures > 0);
            /* SQLite does without some of the memory that it asks for */
            if (status && status != TAUT_OUT_OF_MEMORY) fail_msg("allocation %ld: status %d", k, status);
            if (which == taut) assert_int_equal(status, TAUT_OUT_OF_MEMORY);
            assert_int_equal(taut->live, 0);
            check_file(written);
        }
    assert_int_equal(sqlite3_memory_used(), 0);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        counter taut = { 0 };
        int written;
        long found;
        frame_count = shapes[i].frames, column_count = shapes[i].columns;
        sqlite_memory = (counter){ 0 };
        assert_int_equal(life(&taut, &written, &found), TAUT_OK);
        assert_int_equal(found, frame_count);
        unlink(path);
        long taut_calls = taut.calls, sqlite_calls = sqlite_memory.calls;
        assert_true(taut_calls > column_count && sqlite_calls > 500); /* names of columns; statements, pages */
        fail_each(&taut, &taut, taut_calls);
        fail_each(&sqlite_memory, &taut, sqlite_calls);
    }
}

int main(void)
{
    static char names[MOST_COLUMNS][16];
    if (install() || mkstemp(path) < 0) return 1;
    unlink(path);
    for (int i = 0; i < MOST_COLUMNS; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        columns[i] = (record_column){ names[i], i ? "coordinate" : "time" };
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
