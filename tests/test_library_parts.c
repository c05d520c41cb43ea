/* Members of a model, without a simulation, in a file: interrupted and gone on with, claimed by several, made of a
   table; the numbers are those of members that were run at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support_library.h"

static const char PENDULUM[] =
    "local g, l = param('g', 9.81), param('l', 1)\n"
    "local a = point('a', 2)\n"
    "lagrangian(norm2(a.dot)/2 - g*a.y)\n"
    "constraint('rod', norm2(a) - l^2)\n"
    "start { a = {l, 0} }\n";

enum { MEMBERS = 400, COLUMNS = 3, TIMES = 2, WIDTH = TIMES * COLUMNS };

static const char *const laws[] = { "g=uniform(9,10)" };
static const taut_options options = { .size = sizeof options, .method = "em", .native = TAUT_NATIVE_OFF };
static taut_context *context;
static taut_model *model;
static char path[64];

static taut_members_spec spec_of(const char *file)
{
    return (taut_members_spec){ .size = sizeof(taut_members_spec), .h = 0.01, .until = 0.5, .vary = laws,
                                .vary_count = 1, .count = MEMBERS, .seed = 5, .keep = "a.x,a.y", .times = "0.2,0.5",
                                .on = "interpreter", .stats = TAUT_STATS_MEAN, .file = file };
}

static int set_up(void **state)
{
    (void)state;
    strcpy(path, "/tmp/taut-parts-XXXXXX");
    const int file = mkstemp(path);
    close(file);
    context = taut_context_create(NULL);
    return file < 0 || taut_model_load_text(context, "x", PENDULUM, strlen(PENDULUM), NULL, 0, &model);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    taut_model_release(model);
    taut_context_destroy(context);
    return 0;
}

static taut_members *create(const taut_members_spec *spec)
{
    taut_members *m = NULL;
    if (taut_members_of_model(context, model, &options, spec, &m)) fail_msg("%s", taut_error_text(context));
    return m;
}

static taut_members_info about(const taut_members *m)
{
    taut_members_info info = { .size = sizeof info };
    taut_members_about(m, &info);
    return info;
}

/* All at once, in memory; once for all tests. */
static const double *expected(void)
{
    static double rows[MEMBERS * WIDTH];
    const taut_members_spec spec = spec_of(NULL);
    if (rows[2]) return rows;
    taut_members *m = create(&spec);
    taut_members_run_options run = { .size = sizeof run, .rows = rows, .row_capacity = MEMBERS * TIMES };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_true(run.done == MEMBERS && run.here == MEMBERS && !run.failed);
    taut_members_release(m);
    return rows;
}

static void expect_file(void)
{
    static double frames[MEMBERS * TIMES * (COLUMNS + 1)];
    const double *rows = expected();
    int seen[MEMBERS] = { 0 };
    taut_file *file;
    size_t count;
    assert_int_equal(taut_file_open(context, path, &file), TAUT_OK);
    assert_true(taut_file_is_ensemble(file));
    assert_string_equal(taut_file_property(file, "status"), "finished");
    const size_t columns[] = { (size_t)taut_file_find(file, "member"), (size_t)taut_file_find(file, "t"),
                               (size_t)taut_file_find(file, "a.x"), (size_t)taut_file_find(file, "a.y") };
    assert_int_equal(taut_file_frames(file, &count), TAUT_OK);
    assert_int_equal(count, MEMBERS * TIMES);
    assert_int_equal(taut_file_read(file, 0, count, columns, COLUMNS + 1, frames, NULL), TAUT_OK);
    for (size_t i = 0; i < count; i++) { /* members in the order in which they were done */
        const double *frame = frames + i * (COLUMNS + 1);
        const size_t member = (size_t)frame[0];
        assert_memory_equal(frame + 1, rows + member * WIDTH + (size_t)seen[member]++ * COLUMNS,
                            COLUMNS * sizeof *frame);
    }
    for (size_t i = 0; i < MEMBERS; i++) assert_int_equal(seen[i], TIMES);
    taut_file_close(file);
}

/* ---- stopped, and gone on with ---- */

typedef struct {
    uint64_t most, last;
    volatile int stop;
} stopper;

static void stop_at(void *user, const taut_members_progress *p)
{
    stopper *s = user;
    assert_true(p->members == MEMBERS && p->done >= s->last && p->here <= p->done && !p->failed);
    s->last = p->done;
    if (p->done >= s->most) s->stop = 1;
}

static void stopped_and_gone_on_with(void **state)
{
    (void)state;
    const taut_members_spec spec = spec_of(path);
    stopper s = { .most = 1 };
    taut_members *m = create(&spec);
    taut_members_run_options run = { .size = sizeof run, .progress = stop_at, .interrupt = &s.stop, .user = &s };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    const uint64_t first = run.done;
    assert_true(run.stopped && first && first < MEMBERS && run.here == first);
    taut_members_release(m);
    assert_int_equal(taut_members_of_model(context, model, &options, &spec, &m), TAUT_BAD_USAGE); /* it is there */
    assert_int_equal(taut_members_open(context, path, TAUT_NATIVE_OFF, 2, &m), TAUT_OK);
    taut_members_info info = about(m);
    assert_true(info.done == first && info.count == MEMBERS && info.threads == 2 && info.h == 0.01);
    assert_true(info.until == 0.5 && info.times == TIMES && info.columns == COLUMNS && info.varied == 1);
    assert_string_equal(info.method, "em");
    run = (taut_members_run_options){ .size = sizeof run };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_true(run.done == MEMBERS && run.here == MEMBERS - first && !run.stopped);
    taut_members_release(m);
    expect_file();
    assert_int_equal(taut_members_open(context, "/no/such.taut", TAUT_NATIVE_OFF, 1, &m), TAUT_CANNOT_READ);
    assert_int_equal(taut_members_open(context, path, 9, 1, &m), TAUT_BAD_USAGE);
    assert_int_equal(taut_members_open(context, path, TAUT_NATIVE_OFF, -1, &m), TAUT_BAD_USAGE);
}

/* ---- claimed ---- */

typedef struct {
    const uint64_t (*parts)[2];
    size_t at, count;
} claims;

static int claim(void *user, uint64_t *first, uint64_t *count)
{
    claims *c = user;
    *count = 0;
    if (c->at < c->count) *first = c->parts[c->at][0], *count = c->parts[c->at++][1];
    return 0;
}

static int refuse(void *user, uint64_t *first, uint64_t *count)
{
    (void)user, (void)first, (void)count;
    return TAUT_REFUSED;
}

static int sum_members(void *user, uint64_t member, int failed)
{
    uint64_t *sum = user;
    sum[0] += member, sum[1]++, sum[2] += failed != 0;
    return 0;
}

static void claimed(void **state)
{
    (void)state;
    static const uint64_t ends[][2] = { { 390, 10 }, { 0, 5 } }, middle[][2] = { { 5, 385 } };
    claims some = { ends, 0, 2 }, rest = { middle, 0, 1 };
    taut_members_spec spec = spec_of(path);
    spec.resume = 1;
    unlink(path);
    taut_members *m = create(&spec);
    taut_members_run_options run = { .size = sizeof run, .claim = claim, .user = &some };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_true(run.stopped && run.done == 15);
    taut_members_release(m);
    taut_file *file;
    uint64_t sum[3] = { 0 };
    assert_int_equal(taut_file_open(context, path, &file), TAUT_OK);
    assert_int_equal(taut_file_members(file, sum_members, sum), TAUT_OK);
    assert_true(sum[0] == 10 + 3945 && sum[1] == 15 && !sum[2]); /* 0 + .. + 4 and 390 + .. + 399 */
    taut_file_close(file);
    m = create(&spec);
    assert_int_equal(about(m).done, 15);
    run = (taut_members_run_options){ .size = sizeof run, .claim = refuse };
    assert_int_equal(taut_members_run(m, &run), TAUT_REFUSED);
    taut_members_release(m);
    m = create(&spec);
    run = (taut_members_run_options){ .size = sizeof run, .claim = claim, .user = &rest };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_true(!run.stopped && run.done == MEMBERS && run.here == 385);
    taut_members_release(m);
    expect_file();
    spec.seed = 6; /* another ensemble */
    assert_int_equal(taut_members_of_model(context, model, &options, &spec, &m), TAUT_BAD_USAGE);
}

/* ---- what varies ---- */

static void tables_and_starts(void **state)
{
    (void)state;
    static const char table[] = "g,a.x\n9.5,0.8\n9.7,0.9\n";
    double values[2], rows[2 * WIDTH];
    taut_members_spec spec = spec_of(NULL);
    spec.vary = NULL, spec.vary_count = 0, spec.count = 0;
    spec.table = table, spec.table_name = "members.csv";
    taut_members *m = create(&spec); /* a start that varies is made consistent: */
    assert_int_equal(about(m).count, 2);
    assert_int_equal(taut_members_values(m, 1, values), TAUT_OK);
    assert_true(values[0] == 9.7 && values[1] == 0.9);
    taut_members_run_options run = { .size = sizeof run, .rows = rows, .row_capacity = 2 * TIMES };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_int_equal(run.failed, 0);
    taut_members_release(m);
    spec.start = "strict";
    m = create(&spec);
    run.unlisted = 1;
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_int_equal(run.failed, 2);
    taut_failure failure = { .size = sizeof failure };
    assert_int_equal(taut_members_failure(m, 0, &failure), TAUT_BAD_USAGE); /* as asked for */
    taut_members_release(m);
    spec.start = "soft";
    assert_int_equal(taut_members_of_model(context, model, &options, &spec, &m), TAUT_BAD_USAGE);
    spec.start = NULL, spec.table = "g\nx\n";
    assert_int_equal(taut_members_of_model(context, model, &options, &spec, &m), TAUT_BAD_USAGE);
    assert_non_null(strstr(taut_error_text(context), "members.csv"));
    spec = spec_of(NULL);
    spec.sample = "latin", spec.part = 1; /* of how many? */
    assert_int_equal(taut_members_of_model(context, model, &options, &spec, &m), TAUT_BAD_USAGE);
    const taut_options quad = { .size = sizeof quad, .precision = "quad" };
    spec = spec_of(NULL);
    assert_int_equal(taut_members_of_model(context, model, &quad, &spec, &m), TAUT_UNSUPPORTED);
    assert_null(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stopped_and_gone_on_with, set_up, tear_down),
        cmocka_unit_test_setup_teardown(claimed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_and_starts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
