/* Runs that were stopped and gone on with: the same file as that of a run which was not. */
#include "record/writer.h"

#include "support_run_file.h"

static int is_count(const char *name) { return strcmp(name, "factorisations") == 0; }

/* The checkpoints of two runs: the same state, the same sums. (A matrix may be factored once more after a resume, to
   the same numbers.) */
static void assert_same_checkpoints(const char *a, const char *b)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    char sql[700];
    assert_int_equal(sqlite3_open(a, &db), SQLITE_OK);
    snprintf(sql, sizeof sql, "attach '%s' as b", b);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_true(sql_number(db, "select count(*) from main.checkpoint") > 15);
    assert_same_number(sql_number(db, "select count(*) from b.checkpoint"),
                       sql_number(db, "select count(*) from main.checkpoint"));
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "select x.name, x.value, y.value from main.checkpoint x left join b.checkpoint "
                                        "y using (name) where x.value is not y.value",
                                        -1, &s, NULL),
                     SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        if (!is_count(name)) fail_msg("checkpoints differ in %s", name);
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
}

static double sql_number_of(const char *file, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    double value = sql_number(db, sql);
    sqlite3_close(db);
    return value;
}

/* Events of a run belong to the step within which they happened, and so do their frames; the checkpoint has as many of
   each kind. Returns how many. */
static long check_events(const recipe *c)
{
    static const struct {
        const char *kind, *count;
    } kinds[] = { { "impact", "impacts" },
                  { "rest", "rests" },
                  { "release", "releases" },
                  { "stick", "sticks" },
                  { "slip", "slips" } };
    taut_context *context = taut_context_create(NULL);
    const record_event *events;
    record *r;
    size_t count, seen[5] = { 0 };
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    assert_int_equal(taut_record_events(r, &events, &count), TAUT_OK);
    for (size_t i = 0; i < count; i++) {
        /* 1e-9: a step's end as a sum of steps is off by a few ulps; no event of these models is so near to one */
        double steps = events[i].t / c->step;
        if (!(steps > (double)events[i].step - 1 + 1e-9 && steps < (double)events[i].step - 1e-9))
            fail_msg("%s: the event at t = %.9g is within step %.6g, not %ld", c->model, events[i].t, ceil(steps),
                     events[i].step);
        for (int k = 0; k < 5; k++) seen[k] += strcmp(events[i].kind, kinds[k].kind) == 0;
    }
    taut_record_close(r);
    taut_context_destroy(context);
    if (!count) return 0;
    for (int k = 0; k < 5; k++) {
        char sql[100];
        snprintf(sql, sizeof sql, "select value from checkpoint where name = '%s'", kinds[k].count);
        assert_same_number(sql_number_of(path, sql), (double)seen[k]);
    }
    assert_same_number(sql_number_of(path, "select count(*) from events e where not exists (select 1 from frames f "
                                           "where f.t = e.t and f.step = e.step)"),
                       0);
    return (long)count;
}

static void stopped_runs_go_on(void **state)
{
    (void)state;
    const recipe recipes[] = {
        { .model = "bouncing-ball",
          .method = "rattle",
          .step = 0.013,
          .steps = 700,
          .every = 9,
          .interval = 1,
          .least_events = 100 },
        { .model = "block-incline",
          .method = "rattle",
          .step = 0.01,
          .steps = 70,
          .every = 5,
          .interval = 1,
          .setting = "mu",
          .value = "0.5",
          .least_events = 1 },
        { .model = "falling-chain",
          .method = "em",
          .step = 0.01,
          .steps = 70,
          .every = 5,
          .interval = 1,
          .least_events = 5 },
        { .model = "double-spherical-pendulum",
          .method = "rattle",
          .step = 0.01,
          .steps = 500,
          .every = 7,
          .interval = 1 },
        { .model = "triple-pendulum",
          .method = "galerkin:LGG,m=3",
          .step = 0.02,
          .steps = 60,
          .every = 1,
          .interval = 1 },
        { .model = "rigid-body", .method = "shake", .step = 0.01, .steps = 100, .every = 9, .interval = 1 },
        { .model = "driven-pendulum",
          .method = "lobatto:s=2",
          .step = 0.001,
          .steps = 100,
          .every = 10,
          .interval = 1 },
        { .model = "chain-molecule", .method = "del", .step = 0.01, .steps = 30, .every = 4, .interval = 1 },
#ifdef TAUT_HAVE_QUAD
        { .model = "triple-pendulum",
          .method = "rattle",
          .precision = "quad",
          .step = 0.01,
          .steps = 60,
          .every = 5,
          .interval = 1 },
#endif
    };
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        const recipe *c = &recipes[i];
        fresh(NULL);
        recorded_run(c, other, 0, 0);
        recorded_run(c, path, 0, c->steps / 7);
        for (int piece = 2; piece <= 7; piece++) recorded_run(c, path, 1, piece < 7 ? c->steps * piece / 7 : 0);
        frames a = read_frames_of(path), b = read_frames_of(other);
        long events = check_events(c);
        assert_true(events >= c->least_events);
        assert_int_equal(a.count, 1 + (c->steps + c->every - 1) / c->every + events);
        assert_same_frames(&a, &b);
        assert_same_checkpoints(path, other);
        free_frames(&a);
        free_frames(&b);
    }
}

/* A finished run taken further: on whole steps as one that had the later end from the beginning, but for the frame at
   the first end. */
static void a_later_end(void **state)
{
    (void)state;
    const recipe whole = {
        .model = "double-spherical-pendulum", .method = "rattle", .step = 0.01, .steps = 300, .every = 1, .interval = 1
    };
    recipe part = whole;
    part.steps = 100;
    recorded_run(&whole, other, 0, 0);
    recorded_run(&part, path, 0, 0);
    recorded_run(&whole, path, 1, 0);
    frames a = read_frames_of(path), b = read_frames_of(other);
    assert_same_frames(&a, &b);
    free_frames(&a);
    free_frames(&b);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)
int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        TEST(stopped_runs_go_on),
        TEST(a_later_end),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    fresh(NULL);
    rmdir(folder);
    return failures;
}
