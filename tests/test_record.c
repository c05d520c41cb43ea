/* The run file: what is written comes back to the last bit, also by SQL alone. */
#include <limits.h>
#include <sys/stat.h>

#include "record/stage.h"
#include "record/writer.h"

#include "support_run_file.h"

static const double awkward[] = {
    0.1,      -1.0 / 3,  1e300, -1e-300, 4.9e-324, -2.2e-308, 2.2250738585072014e-308, 1.7976931348623157e308,
    INFINITY, -INFINITY, NAN,   0,       12345678, -1
};
enum { AWKWARD = sizeof awkward / sizeof *awkward };

static void columns_by_name(void **state)
{
    (void)state;
    /* SQLite does not tell a.x from A.x; frame, step and exact are the table's own; the last is as odd as an observable
       may be */
    static const record_column columns[] = { { "t", "time" },
                                             { "a.x", "coordinate" },
                                             { "A.x", "coordinate" },
                                             { "frame", "observable" },
                                             { "step", "observable" },
                                             { "Exact", "observable" },
                                             { "we\"ird, 'name", "observable" } };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    for (int quad = 0; quad < 2; quad++) {
        taut_context *context = taut_context_create(NULL);
        writer *w;
        record *r;
        int done;
        wide values[COLUMNS], found[COLUMNS];
        double rounded[COLUMNS];
        fresh(NULL);
        assert_int_equal(taut_writer_create(context, path, 0, columns, COLUMNS, quad, 0, &w), TAUT_OK);
        for (int f = 0; f < AWKWARD; f++) {
            for (int k = 0; k < COLUMNS; k++)
                values[k] = (wide)awkward[(f + k) % AWKWARD] * (quad ? 1 + (wide)1e-18 : 1);
            for (int k = 0; k < COLUMNS; k++) rounded[k] = (double)values[k];
            assert_int_equal(taut_writer_frame(w, 10 * f, quad ? (void *)values : (void *)rounded), TAUT_OK);
        }
        assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
        assert_true(done);
        taut_writer_close(w);
        assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
        assert_int_equal(taut_record_frame_count(r), AWKWARD);
        assert_int_equal(taut_record_column_count(r), COLUMNS);
        size_t order[COLUMNS];
        for (size_t k = 0; k < COLUMNS; k++) {
            order[k] = COLUMNS - 1 - k; /* in another order than that of the table */
            assert_string_equal(taut_record_columns(r)[k].name, columns[k].name);
            assert_string_equal(taut_record_columns(r)[k].kind, columns[k].kind);
            assert_int_equal(taut_record_column_find(r, columns[k].name), k);
        }
        assert_int_equal(taut_record_column_find(r, "b.x"), -1);
        for (int f = 0; f < AWKWARD; f++) {
            assert_int_equal(taut_record_read_wide(r, f, 1, order, COLUMNS, found), TAUT_OK);
            assert_int_equal(taut_record_read(r, f, 1, order, COLUMNS, rounded), TAUT_OK);
            for (int k = 0; k < COLUMNS; k++) {
                wide expected = (wide)awkward[(f + COLUMNS - 1 - k) % AWKWARD] * (quad ? 1 + (wide)1e-18 : 1);
                assert_same_number(rounded[k], (double)expected);
#ifndef TAUT_HAVE_QUAD
                expected = (double)expected; /* such a build writes doubles only, and reads what it can */
#endif
                if (!(found[k] == expected || (found[k] != found[k] && expected != expected)))
                    fail_msg("frame %d, column %d", f, k);
            }
        }
        long steps[AWKWARD];
        assert_int_equal(taut_record_read_steps(r, 0, AWKWARD, steps), TAUT_OK);
        assert_int_equal(steps[3], 30);
        assert_int_equal(taut_record_read(r, AWKWARD - 1, 2, order, 1, rounded), TAUT_BAD_USAGE);
        assert_int_equal(taut_record_read(r, 0, 1, &(size_t){ COLUMNS }, 1, rounded), TAUT_BAD_USAGE);
        taut_record_close(r);
        taut_context_destroy(context);
    }
}

/* More columns than a table takes: coordinates and their like in chunks, which the view `cells` takes apart with SQL
   alone. */
static void many_columns(void **state)
{
    (void)state;
    enum { MANY = 12345, FRAMES = 3 };
    static record_column columns[MANY + 3];
    static char names[MANY][24];
    static wide values[MANY + 3];
    static double all[FRAMES][MANY + 3], found[FRAMES * (MANY + 3)];
    static size_t order[MANY + 3];
    uint64_t seed = 3;
    for (int quad = 0; quad < 2; quad++) {
        taut_context *context = taut_context_create(NULL);
        writer *w;
        record *r;
        int done;
        columns[0] = (record_column){ "t", "time" };
        for (int i = 0; i < MANY; i++) {
            snprintf(names[i], sizeof names[i], "a%d.x", i);
            columns[1 + i] = (record_column){ names[i], "coordinate" };
        }
        columns[MANY + 1] = (record_column){ "energy", "energy" };
        columns[MANY + 2] = (record_column){ "speed", "observable" };
        fresh(NULL);
        assert_int_equal(taut_writer_create(context, path, 0, columns, MANY + 3, quad, 0, &w), TAUT_OK);
        for (int f = 0; f < FRAMES; f++) {
            for (int k = 0; k < MANY + 3; k++) { /* any bits at all, and the awkward ones; t and energy are to be read
                                                    by eye */
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                memcpy(&all[f][k], &seed, 8);
                if (k % 100 < AWKWARD) all[f][k] = awkward[k % 100];
                if (k == 0 || k > MANY) all[f][k] = f + k;
                values[k] = all[f][k];
            }
            assert_int_equal(taut_writer_frame(w, f, quad ? (void *)values : (void *)all[f]), TAUT_OK);
        }
        assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
        taut_writer_close(w);
        for (int k = 0; k < MANY + 3; k++) order[k] = (size_t)(k * 7919) % (MANY + 3);
        assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
        assert_int_equal(taut_record_read(r, 0, FRAMES, order, MANY + 3, found), TAUT_OK);
        for (int f = 0; f < FRAMES; f++)
            for (int k = 0; k < MANY + 3; k++) assert_same_number(found[f * (MANY + 3) + k], all[f][order[k]]);
        taut_record_close(r);

        sqlite3 *db;
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        assert_same_number(sql_number(db, "select sum(t + energy) from frames"),
                           3 * (MANY + 1) + 6); /* of f + 0 and f + MANY + 1 */
        for (int k = 1; k <= MANY; k += k < 20 ? 1 : 397)
            for (int f = 0; f < FRAMES; f++) {
                char sql[120];
                snprintf(sql, sizeof sql, "select value from cells where name = 'a%d.x' and frame = %d", k - 1, f);
                assert_same_number(sql_number(db, sql), all[f][k]);
            }
        sqlite3_close(db);
        taut_context_destroy(context);
    }
}

static void properties_settings_events(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    writer *w;
    record *r;
    int done;
    const char *name, *value;
    const record_event *events;
    size_t count;
    const record_column t = { "t", "time" };
    assert_int_equal(taut_writer_create(context, path, 0, &t, 1, 0, 0, &w), TAUT_OK);
    assert_int_equal(taut_writer_property(w, "method", "rattle"), TAUT_OK);
    assert_int_equal(taut_writer_property(w, "method", "del"), TAUT_OK); /* the last one counts */
    assert_int_equal(taut_writer_setting(w, 0, "m", "2"), TAUT_OK);
    assert_int_equal(taut_writer_setting(w, 1, "g", "0.1"), TAUT_OK);
    assert_int_equal(taut_writer_event(w, &(record_event){ 3, 0.5, "floor", "touch", 1.25 }), TAUT_OK);
    assert_int_equal(taut_writer_event(w, &(record_event){ 4, 0.625, "floor", "leave", NAN }), TAUT_OK);
    assert_int_equal(taut_writer_event(w, &(record_event){ 5, 1, "floor", "touch", 1 }), TAUT_OK);
    assert_int_equal(taut_writer_frame(w, 4, &(double){ 0.75 }), TAUT_OK);
    assert_int_equal(taut_writer_frame(w, 5, &(double){ 1 }), TAUT_OK);
    assert_int_equal(taut_writer_drop_after(w, 4), TAUT_OK);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    taut_writer_close(w);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    assert_string_equal(taut_record_property(r, "method"), "del");
    assert_null(taut_record_property(r, "colour"));
    assert_int_equal(taut_record_setting_count(r), 2);
    taut_record_setting(r, 1, &name, &value);
    assert_string_equal(name, "g");
    assert_string_equal(value, "0.1");
    assert_int_equal(taut_record_frame_count(r), 1);
    for (int time = 0; time < 2; time++) {
        assert_int_equal(taut_record_events(r, &events, &count), TAUT_OK);
        assert_int_equal(count, 2);
        assert_true(events[0].step == 3 && events[0].t == 0.5 && events[0].impulse == 1.25 && isnan(events[1].impulse));
        assert_string_equal(events[1].kind, "leave");
    }
    taut_record_close(r);
    taut_context_destroy(context);
}

/* More columns than a table holds: what is taken back goes with its chunks, and is written again. */
static void large_frames_are_taken_back(void **state)
{
    (void)state;
    enum { COLUMNS = 3000 };
    static char names[COLUMNS][16];
    static record_column columns[COLUMNS];
    static double values[COLUMNS];
    taut_context *context = taut_context_create(NULL);
    writer *w;
    record *r;
    int done;
    for (int k = 0; k < COLUMNS; k++) {
        snprintf(names[k], sizeof names[k], "c%d", k);
        columns[k] = (record_column){ names[k], k ? "observable" : "time" };
    }
    assert_int_equal(taut_writer_create(context, path, 0, columns, COLUMNS, 0, 0, &w), TAUT_OK);
    for (int step = 1; step <= 3; step++) {
        for (int k = 0; k < COLUMNS; k++) values[k] = 10000 * step + k;
        assert_int_equal(taut_writer_frame(w, step < 3 ? step : 2, values), TAUT_OK);
        if (step == 2) assert_int_equal(taut_writer_drop_after(w, 1), TAUT_OK);
    }
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    taut_writer_close(w);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    assert_int_equal(taut_record_frame_count(r), 2);
    for (size_t k = 0; k < COLUMNS; k++) {
        double found[2];
        assert_int_equal(taut_record_read(r, 0, 2, &k, 1, found), TAUT_OK);
        assert_true(found[0] == 10000 + (double)k && found[1] == 30000 + (double)k);
    }
    taut_record_close(r);
    taut_context_destroy(context);
}

/* A file that was removed meanwhile: what is committed to it would be lost, and that is an error. */
/* ---- many frames at once ---- */

static double any_number(uint64_t *seed)
{
    double value;
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    memcpy(&value, seed, 8);
    return *seed >> 60 ? value : awkward[(*seed >> 32) % AWKWARD];
}

/* Steps whose numbers take 0 to 8 bytes in the file; to 4 where a long has no more. */
static long step_of(long frame)
{
    static const long scale[] = { 0, 1, 127, 128, 32767, 32768, 8388607, 8388608, 2147483647,
#if LONG_MAX > 2147483647
                                  2147483648, 140737488355327, 140737488355328
#endif
    };
    return scale[frame % (long)(sizeof scale / sizeof *scale)];
}

static char answer[200];

static int keep_answer(void *user, int count, char **values, char **names)
{
    (void)user, (void)count, (void)names;
    snprintf(answer, sizeof answer, "%s", values[0] ? values[0] : "");
    return 0;
}

/* The stage itself is a sound database, also at the edges: one page and several, short and long lists of types. */
static void a_stage_is_a_database(void **state)
{
    (void)state;
    static const struct { size_t width, count; } cases[] = { { 1, 1 }, { 1, 9000 }, { 25, 300 }, { 124, 100 },
                                                             { 125, 700 }, { 1000, 50 } };
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taut_context *context = taut_context_create(NULL);
        database d;
        stage s = { 0 };
        const size_t width = cases[i].width, count = cases[i].count;
        char *definition = malloc(20 * width + 100);
        int attached, copied, at = sprintf(definition, "CREATE TABLE frames (frame integer primary key, step integer");
        for (size_t k = 0; k < width; k++) at += sprintf(definition + at, ", c%zu real", k);
        strcpy(definition + at, ")");
        double *values = malloc((count + 1) * width * sizeof *values), *found = values + count * width;
        for (size_t k = 0; k < count * width; k++) values[k] = any_number(&seed);
        assert_true(taut_stage_suits(definition, width, 0));
        for (int again = 0; again < 2; again++) { /* the memory of the first time serves again */
            taut_stage_empty(&s);
            for (size_t f = 0; f < count; f++)
                assert_int_equal(taut_stage_add(context, &s, 100 + (int64_t)f, step_of((long)f), values + f * width,
                                                width), TAUT_OK);
        }
        assert_int_equal(taut_database_open(context, ":memory:", SQLITE_OPEN_READWRITE, &d), TAUT_OK);
        assert_int_equal(taut_database_run(&d, definition), TAUT_OK);
        assert_int_equal(taut_database_run(&d, "begin immediate"), TAUT_OK);
        assert_int_equal(taut_stage_copy(&d, &s, 3, definition, &attached, &copied), TAUT_OK);
        assert_true(attached && copied);
        stage_leaf reading = { 0 };
        for (size_t f = 0; f < count; f++) {
            int64_t step;
            taut_stage_next(&s, &reading, &step, found, width);
            assert_true(step == step_of((long)f));
            for (size_t k = 0; k < width; k++) assert_same_number(found[k], values[f * width + k]);
        }
        assert_int_equal(sqlite3_exec(d.handle, "pragma stage3.integrity_check", keep_answer, NULL, NULL), SQLITE_OK);
        assert_string_equal(answer, "ok");
        assert_int_equal(sqlite3_exec(d.handle, "select count(*) || ' ' || min(frame) || ' ' || max(frame) from "
                                                "main.frames", keep_answer, NULL, NULL), SQLITE_OK);
        char expected[100];
        snprintf(expected, sizeof expected, "%zu 100 %zu", count, 99 + count);
        assert_string_equal(answer, expected);
        assert_int_equal(taut_database_run(&d, "commit"), TAUT_OK);
        assert_int_equal(taut_stage_detach(&d, 3), TAUT_OK);
        taut_database_close(&d);
        taut_stage_clear(context, &s);
        free(definition);
        free(values);
        taut_context_destroy(context);
    }
}

static void write_frames(writer *w, long from, long to, size_t width, double *values)
{
    for (long f = from; f < to; f++)
        assert_int_equal(taut_writer_frame(w, step_of(f), values + (size_t)f * width), TAUT_OK);
}

static void assert_frames(const char *file, long count, size_t width, const double *values)
{
    taut_context *context = taut_context_create(NULL);
    record *r;
    double *found = malloc((size_t)count * width * sizeof *found);
    long *steps = malloc((size_t)count * sizeof *steps);
    size_t *order = malloc(width * sizeof *order);
    for (size_t k = 0; k < width; k++) order[k] = k;
    assert_int_equal(taut_record_open(context, file, &r), TAUT_OK);
    assert_int_equal(taut_record_frame_count(r), count);
    assert_int_equal(taut_record_read(r, 0, count, order, width, found), TAUT_OK);
    assert_int_equal(taut_record_read_steps(r, 0, count, steps), TAUT_OK);
    for (long f = 0; f < count; f++) assert_int_equal(steps[f], step_of(f));
    for (size_t i = 0; i < (size_t)count * width; i++) assert_same_number(found[i], values[i]);
    taut_record_close(r);
    taut_context_destroy(context);
    free(found);
    free(steps);
    free(order);
}

/* Commits of few and of many frames; a reader that is in the way more often than there are stages; then the reader has
   gone. Any bits come back, and by SQL they are doubles or NULL. */
static void many_frames(void **state)
{
    (void)state;
    enum { WIDTH = 7, BATCH = 500, BLOCKED = STAGE_LIMIT + 3, TOTAL = (BLOCKED + 2) * BATCH };
    taut_context *context = taut_context_create(NULL);
    record_column columns[WIDTH] = { { "t", "time" } };
    char names[WIDTH][16];
    double *values = malloc(TOTAL * WIDTH * sizeof *values);
    uint64_t seed = 7;
    writer *w;
    sqlite3 *db;
    int done;
    for (int k = 1; k < WIDTH; k++) {
        snprintf(names[k], sizeof names[k], "c%d", k);
        columns[k] = (record_column){ names[k], "observable" };
    }
    for (size_t i = 0; i < TOTAL * WIDTH; i++) values[i] = any_number(&seed);
    assert_int_equal(taut_writer_create(context, path, 0, columns, WIDTH, 0, 0, &w), TAUT_OK);
    write_frames(w, 0, 3, WIDTH, values);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_true(done);
    write_frames(w, 3, BATCH, WIDTH, values);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_true(done);
    assert_frames(path, BATCH, WIDTH, values);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "begin; select * from frames", NULL, NULL, NULL), SQLITE_OK);
    for (int i = 1; i <= BLOCKED; i++) {
        write_frames(w, i * BATCH, (i + 1) * BATCH, WIDTH, values);
        assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
        assert_false(done);
    }
    assert_int_equal(sqlite3_exec(db, "end", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_true(done);
    write_frames(w, TOTAL - BATCH, TOTAL, WIDTH, values);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_true(done);
    taut_writer_close(w);
    assert_frames(path, TOTAL, WIDTH, values);
    assert_int_equal(sqlite3_exec(db, "pragma integrity_check", keep_answer, NULL, NULL), SQLITE_OK);
    assert_string_equal(answer, "ok");
    static const char other_types[] = "select count(*) from frames where typeof(t) not in ('real', 'null')";
    assert_int_equal(sqlite3_exec(db, other_types, keep_answer, NULL, NULL), SQLITE_OK);
    assert_string_equal(answer, "0");
    sqlite3_close(db);
    taut_context_destroy(context);
    free(values);
}

/* The first commit is written as a whole: without frames and with some, one leaf and several, more than a root lists
   and beside more pages than a stage has room for; at once, or when a reader of the empty file has gone. Then
   others. */
static void first_commits(void **state)
{
    (void)state;
    enum { MORE = 40 };
    static const struct { size_t width, count, properties; double frames; int blocked; } cases[] = {
        { 1, 0, 1, 0, 0 },      { 1, 1, 1, 0, 0 },       { 7, 10, 1, 0, 1 },    { 7, 500, 1, 0, 0 },
        { 7, 500, 1, 0, 1 },    { 7, 500, 1, 1e6, 0 },   { 7, 9000, 1, 1e6, 1 }, { 100, 1500, 1, 0, 0 },
        { 100, 1500, 1, 0, 1 }, { 100, 1500, 1, 1e6, 0 }, { 7, 500, 60, 0, 0 },  { 7, 500, 60, 0, 1 },
        { 510, 60, 1, 0, 0 },   { 510, 60, 1, 1e6, 0 },
    };
    char *large = malloc(5001), name[40];
    memset(large, 'x', 5000);
    large[5000] = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t width = cases[i].width, count = cases[i].count;
        taut_context *context = taut_context_create(NULL);
        record_column *columns = malloc(width * sizeof *columns);
        char (*names)[24] = malloc(width * sizeof *names);
        double *values = malloc((count + MORE) * width * sizeof *values);
        uint64_t seed = i;
        writer *w;
        sqlite3 *db;
        int done;
        for (size_t k = 0; k < width; k++) {
            snprintf(names[k], sizeof names[k], "c%zu", k);
            columns[k] = (record_column){ names[k], k ? "observable" : "time" };
        }
        for (size_t k = 0; k < (count + MORE) * width; k++) values[k] = any_number(&seed);
        assert_int_equal(taut_writer_create(context, path, 1, columns, width, 0, cases[i].frames, &w), TAUT_OK);
        for (size_t k = 0; k < cases[i].properties; k++) {
            snprintf(name, sizeof name, "large%zu", k);
            assert_int_equal(taut_writer_property(w, name, large), TAUT_OK);
        }
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        if (cases[i].blocked) {
            write_frames(w, 0, (long)count / 2, width, values);
            assert_int_equal(sqlite3_exec(db, "begin; select * from sqlite_schema", NULL, NULL, NULL), SQLITE_OK);
            for (int again = 0; again < 2; again++) {
                assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
                assert_false(done);
                assert_true(taut_writer_is_whole(w));
            }
            assert_int_equal(sqlite3_exec(db, "end", NULL, NULL, NULL), SQLITE_OK);
        }
        write_frames(w, cases[i].blocked ? (long)count / 2 : 0, (long)count, width, values);
        assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
        assert_true(done);
        assert_frames(path, (long)count, width, values);
        write_frames(w, (long)count, (long)count + MORE, width, values);
        assert_int_equal(taut_writer_property(w, "large0", "small"), TAUT_OK);
        assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
        assert_true(done);
        taut_writer_close(w);
        assert_frames(path, (long)count + MORE, width, values);
        assert_int_equal(sqlite3_exec(db, "pragma integrity_check", keep_answer, NULL, NULL), SQLITE_OK);
        assert_string_equal(answer, "ok");
        assert_int_equal(sqlite3_exec(db, "select count(*) || ' ' || min(value) from run", keep_answer, NULL, NULL),
                         SQLITE_OK);
        snprintf(name, sizeof name, "%zu small", cases[i].properties);
        assert_string_equal(answer, name);
        sqlite3_close(db);
        taut_context_destroy(context);
        free(columns);
        free(names);
        free(values);
    }
    free(large);
}

/* Large files have large pages, small ones small pages. */
static void pages_suit_the_size(void **state)
{
    (void)state;
    static const struct { double frames; const char *page; } cases[] = { { 0, "4096" }, { 100, "4096" },
                                                                         { 1e6, "16384" } };
    const record_column t = { "t", "time" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taut_context *context = taut_context_create(NULL);
        writer *w;
        sqlite3 *db;
        int done;
        fresh(NULL);
        assert_int_equal(taut_writer_create(context, path, 0, &t, 1, 0, cases[i].frames, &w), TAUT_OK);
        assert_int_equal(taut_writer_frame(w, 0, &(double){ 0 }), TAUT_OK);
        assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
        taut_writer_close(w);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, "pragma page_size", keep_answer, NULL, NULL), SQLITE_OK);
        assert_string_equal(answer, cases[i].page);
        sqlite3_close(db);
        taut_context_destroy(context);
    }
}

/* Frames that wait for the commit are taken back like others. */
static void gathered_frames_are_taken_back(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    taut_context *context = taut_context_create(NULL);
    const record_column t = { "t", "time" };
    record *r;
    writer *w;
    int done;
    double found[51];
    assert_int_equal(taut_writer_create(context, path, 0, &t, 1, 0, 0, &w), TAUT_OK);
    for (int f = 0; f < COUNT; f++) assert_int_equal(taut_writer_frame(w, f, &(double){ f }), TAUT_OK);
    assert_int_equal(taut_writer_drop_after(w, 49), TAUT_OK);
    assert_int_equal(taut_writer_frame(w, 50, &(double){ -50 }), TAUT_OK);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    taut_writer_close(w);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    assert_int_equal(taut_record_frame_count(r), 51);
    assert_int_equal(taut_record_read(r, 0, 51, &(size_t){ 0 }, 1, found), TAUT_OK);
    for (int f = 0; f < 51; f++) assert_true(found[f] == (f < 50 ? f : -50));
    taut_record_close(r);
    taut_context_destroy(context);
}

static void removed_file_is_noticed(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    const record_column t = { "t", "time" };
    writer *w;
    int done;
    assert_int_equal(taut_writer_create(context, path, 0, &t, 1, 0, 0, &w), TAUT_OK);
    assert_int_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_int_equal(taut_writer_frame(w, 1, &(double){ 1 }), TAUT_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_not_equal(taut_writer_commit(w, 0, &done), TAUT_OK);
    assert_false(done);
    taut_writer_close(w);
    taut_context_destroy(context);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)
int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        TEST(columns_by_name),
        TEST(many_columns),
        TEST(properties_settings_events),
        TEST(large_frames_are_taken_back),
        TEST(a_stage_is_a_database),
        TEST(many_frames),
        TEST(first_commits),
        TEST(pages_suit_the_size),
        TEST(gathered_frames_are_taken_back),
        TEST(removed_file_is_noticed),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    fresh(NULL);
    rmdir(folder);
    return failures;
}
