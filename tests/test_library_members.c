/* Members of an ensemble by the public interface: the bits of single runs, statistics, failures, interrupts, a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ensemble/sweep.h"
#include "support_allocator.h"
#include "support_library.h"

static const char PENDULUM[] = "local g, l, k = param('g', 9.81), param('l', 1), input('k', 0)\n"
                               "local twice = param('twice', 2*g)\n"
                               "local a = point('a', 2)\n"
                               "lagrangian(norm2(a.dot)/2 - (g + twice/1000)*a.y)\n"
                               "constraint('rod', norm2(a) - l^2)\n"
                               "observe('bent', a.x^2 + k)\n"
                               "start { a = {l, 0} }\n";

typedef struct {
    taut_context *context;
    taut_model *model;
    taut_simulation *z;
} subject;

static void open_subject(subject *s, const char *text, const char *method)
{
    const taut_options options = { .size = sizeof options, .method = method, .native = TAUT_NATIVE_AUTO };
    *s = (subject){ .context = taut_context_create(NULL) };
    if (taut_model_load_text(s->context, "test", text, strlen(text), NULL, 0, &s->model) ||
        taut_simulation_create(s->context, s->model, &options, &s->z))
        fail_msg("%s", taut_error_text(s->context));
}

static void close_subject(subject *s)
{
    taut_simulation_release(s->z);
    taut_model_release(s->model);
    taut_context_destroy(s->context);
}

static taut_members *members_of(subject *s, const taut_members_spec *spec)
{
    taut_members *m = NULL;
    if (taut_members_create(s->z, spec, &m)) fail_msg("%s", taut_error_text(s->context));
    return m;
}

static taut_members_info about(const taut_members *m)
{
    taut_members_info info = { .size = sizeof info };
    taut_members_about(m, &info);
    return info;
}

/* ---- bits ---- */

static const char *const laws[] = { "g=uniform(5,15)", "k=normal(0,1)" };
enum { MEMBERS = 23 };

static void members_are_single_runs(void **state)
{
    (void)state;
    static const char *const on[] = { "interpreter", "lanes" }, *const methods[] = { "rattle", "em", "naive:rk4" };
    const double at[] = { 0, 0.1, 0.33 };
    for (int k = 0; k < 6; k++) {
        subject s;
        double twice = 3;
        open_subject(&s, PENDULUM, methods[k / 2]);
        const long formula = taut_find(s.z, TAUT_PARAM, "twice");
        /* it does not follow g then */
        assert_int_equal(taut_set(s.z, TAUT_PARAM, (size_t)formula, 1, &twice), TAUT_OK);
        const taut_members_spec spec = { .size = sizeof spec, .h = 0.02, .until = 0.33, .vary = laws, .vary_count = 2,
                                         .count = MEMBERS, .seed = 7, .keep = "energy,a.y,bent,lambda.rod", .at = at,
                                         .at_count = 3, .on = on[k % 2], .threads = 2 };
        taut_members *m = members_of(&s, &spec);
        const taut_members_info info = about(m);
        assert_true(info.count == MEMBERS && info.columns == 5 && info.times == 3 && info.varied == 2);
        if (k < 4) assert_string_equal(info.on, on[k % 2]);
        assert_string_equal(taut_members_column(m, 1), "energy");
        assert_string_equal(taut_members_varied(m, 1), "k");
        assert_true(taut_members_time(m, 2) == 0.33 && isnan(taut_members_time(m, 3)) && !taut_members_column(m, 5));
        double rows[MEMBERS][3][5];
        taut_members_run_options run = { .size = sizeof run, .rows = rows[0][0], .row_capacity = 3 * MEMBERS };
        if (taut_members_run(m, &run)) fail_msg("%s", taut_error_text(s.context));
        assert_true(run.done == MEMBERS && !run.failed && !run.stopped && run.steps == 17.0 * MEMBERS);
        size_t columns[5];
        for (size_t i = 0; i < 5; i++) columns[i] = (size_t)taut_find(s.z, TAUT_ALL, taut_members_column(m, i));
        for (size_t i = 0; i < MEMBERS; i++) {
            double values[2], one[18][5];
            assert_int_equal(taut_members_values(m, i, values), TAUT_OK);
            assert_int_equal(taut_set(s.z, TAUT_PARAM, 0, 1, &values[0]), TAUT_OK);
            assert_int_equal(taut_set(s.z, TAUT_INPUT, 0, 1, &values[1]), TAUT_OK);
            taut_run alone = { .size = sizeof alone, .h = 0.02, .until = 0.33, .columns = columns, .column_count = 5,
                               .rows = one[0], .row_capacity = 18 };
            if (taut_advance(s.z, &alone)) fail_msg("%s", taut_error_text(s.context));
            assert_int_equal(alone.row_count, 18);
            assert_memory_equal(one[0], rows[i][0], sizeof one[0]);
            assert_memory_equal(one[5], rows[i][1], sizeof one[0]);
            assert_memory_equal(one[17], rows[i][2], sizeof one[0]);
        }
        taut_members_release(m);
        close_subject(&s);
    }
}

/* Numbers of one's own, in parts, and with a law beside them. */
static void values_are_those_that_were_given(void **state)
{
    (void)state;
    subject s;
    open_subject(&s, PENDULUM, "rattle");
    static const char *const names[] = { "a.x", "g" };
    double values[9][2], all[9][2], part[3][2];
    for (int i = 0; i < 9; i++) values[i][0] = 0.9 + 0.01 * i, values[i][1] = 9 + 0.1 * i;
    taut_members_spec spec = { .size = sizeof spec, .h = 0.01, .until = 0.1, .names = names, .name_count = 2,
                               .values = values[0], .value_rows = 9, .vary = &laws[1], .vary_count = 1, .seed = 3,
                               .keep = "a.x" };
    taut_members *m = members_of(&s, &spec);
    taut_members_run_options run = { .size = sizeof run, .rows = all[0], .row_capacity = 9 };
    if (taut_members_run(m, &run)) fail_msg("%s", taut_error_text(s.context));
    for (int i = 0; i < 9; i++) {
        double found[3];
        assert_int_equal(taut_members_values(m, (uint64_t)i, found), TAUT_OK);
        assert_memory_equal(found, values[i], sizeof values[i]);
    }
    double none[3];
    assert_int_equal(taut_members_values(m, 9, none), TAUT_BAD_USAGE);
    taut_members_release(m);
    spec.first = 4, spec.count = 3;
    m = members_of(&s, &spec);
    run = (taut_members_run_options){ .size = sizeof run, .rows = part[0], .row_capacity = 3 };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_memory_equal(part, all[4], sizeof part);
    taut_members_release(m);
    spec.count = 0, spec.first = 4, spec.strict = 1; /* off the rod */
    m = members_of(&s, &spec);
    double rest[5][2];
    run = (taut_members_run_options){ .size = sizeof run, .rows = rest[0], .row_capacity = 5 };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    taut_failure failure = { .size = sizeof failure };
    assert_true(run.done == 5 && run.failed == 5 && isnan(rest[0][1]));
    assert_int_equal(taut_members_failure(m, 4, &failure), TAUT_OK);
    assert_true(failure.member == 8 && failure.status == TAUT_BAD_MODEL && failure.time == 0 && !failure.steps);
    assert_true(strlen(failure.reason) > 10);
    assert_int_equal(taut_members_failure(m, 5, &failure), TAUT_BAD_USAGE);
    taut_members_release(m);
    close_subject(&s);
}

/* ---- statistics ---- */

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static int find_statistic(void *user, const sweep_statistic *x)
{
    sweep_statistic *wanted = user;
    static double quantiles[SWEEP_QUANTILES];
    if (x->moment != wanted->moment || x->column != wanted->column) return TAUT_OK;
    memcpy(quantiles, x->quantiles, sizeof quantiles);
    *wanted = *x;
    wanted->quantiles = quantiles;
    return TAUT_OK;
}

/* Those of the rows, and those of a file of the same members, to the bit. */
static void statistics_are_those_of_the_rows_and_of_a_file(void **state)
{
    (void)state;
    enum { COUNT = 41 };
    char path[64]; /* the same test may run beside this one, with other kernels */
    snprintf(path, sizeof path, "test-library-members-%ld.taut", (long)getpid());
    subject s;
    open_subject(&s, PENDULUM, "rattle");
    const double at[] = { 0.5, 1 };
    taut_members_spec spec = { .size = sizeof spec, .h = 0.05, .until = 1, .vary = laws, .vary_count = 2,
                               .count = COUNT, .sample = "latin", .keep = "a.x", .at = at, .at_count = 2, .every = 4,
                               .paths = 9, .stats = 15, .threads = 2 };
    double rows[COUNT][2][2], sorted[COUNT];
    taut_members *m = members_of(&s, &spec);
    taut_members_run_options run = { .size = sizeof run, .rows = rows[0][0], .row_capacity = 2 * COUNT };
    if (taut_members_run(m, &run)) fail_msg("%s", taut_error_text(s.context));
    assert_int_equal(about(m).moments, 7); /* 0, 0.2, 0.4, 0.5, 0.6, 0.8, 1 */
    spec.file = path, spec.replace = 1;
    taut_members *filed = members_of(&s, &spec);
    taut_members_run_options file_run = { .size = sizeof file_run };
    if (taut_members_run(filed, &file_run)) fail_msg("%s", taut_error_text(s.context));
    taut_statistic x = { .size = sizeof x };
    assert_int_equal(taut_members_statistic(filed, 0, 0, &x), TAUT_BAD_USAGE); /* they are in the file */
    taut_members_release(filed);
    record *r = NULL;
    taut_context *context = taut_context_create(NULL);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    for (size_t moment = 0; moment < 7; moment++) {
        sweep_statistic other = { .moment = moment, .column = 1 };
        assert_int_equal(taut_members_statistic(m, moment, 1, &x), TAUT_OK);
        assert_int_equal(taut_sweep_read_statistics(r, find_statistic, &other), TAUT_OK);
        assert_true(x.count == COUNT && x.count == other.count && x.mean == other.mean && x.sd == other.sd);
        assert_true(x.lowest == other.lowest && x.highest == other.highest);
        assert_memory_equal(x.quantiles, other.quantiles, sizeof x.quantiles);
        assert_int_equal(x.kept, moment == 3 || moment == 6);
        uint64_t sum = 0;
        for (size_t i = 0; i < x.bins; i++) sum += x.counts[i];
        assert_int_equal(sum, x.kept ? COUNT : 9); /* all members, or those with paths */
        if (!x.kept) continue;
        double mean = 0;
        for (int i = 0; i < COUNT; i++) sorted[i] = rows[i][moment == 6][1], mean += sorted[i] / COUNT;
        qsort(sorted, COUNT, sizeof *sorted, by_size);
        assert_true(x.lowest == sorted[0] && x.highest == sorted[COUNT - 1] && x.quantiles[2] == sorted[COUNT / 2]);
        assert_true(fabs(x.mean - mean) < 1e-14 * COUNT); /* round-off of a sum of COUNT numbers below 1 */
    }
    assert_int_equal(taut_members_statistic(m, 7, 0, &x), TAUT_BAD_USAGE);
    assert_int_equal(taut_members_statistic(m, 0, 2, &x), TAUT_BAD_USAGE);
    taut_record_close(r);
    taut_context_destroy(context);
    unlink(path);
    taut_members_release(m);
    close_subject(&s);
}

/* ---- chunks and interrupts ---- */

typedef struct {
    uint64_t next, stop_after;
    double rows[400][2];
    volatile int interrupt;
    int status;
    size_t chunks;
} watcher;

static int watch(void *user, const taut_members_chunk *c)
{
    watcher *w = user;
    assert_true(c->size == sizeof *c && c->first == w->next);
    memcpy(w->rows[c->first], c->rows, c->count * sizeof w->rows[0]);
    w->next += c->count;
    w->chunks++;
    assert_true(c->done == w->next && !c->failed);
    if (w->next < w->stop_after) return 0;
    return w->status;
}

static void a_run_can_be_stopped_and_gone_on_with(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    subject s;
    open_subject(&s, PENDULUM, "rattle");
    const taut_members_spec spec = { .size = sizeof spec, .h = 0.01, .until = 1, .vary = laws, .vary_count = 2,
                                     .count = COUNT, .keep = "a.x", .on = "interpreter", .stats = TAUT_STATS_MEAN };
    double all[COUNT][2];
    watcher *w = calloc(1, sizeof *w);
    taut_statistic whole = { .size = sizeof whole }, joined = whole;
    taut_members *m = members_of(&s, &spec);
    taut_members_run_options run = { .size = sizeof run, .rows = all[0], .row_capacity = COUNT };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_int_equal(taut_members_statistic(m, about(m).moments - 1, 1, &whole), TAUT_OK);
    taut_members_release(m);

    m = members_of(&s, &spec);
    run = (taut_members_run_options){ .size = sizeof run, .chunk = watch, .user = w, .interrupt = &w->interrupt };
    w->interrupt = 1; /* at once */
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_true(!run.done && run.stopped && !w->chunks);
    w->interrupt = 0, w->stop_after = 2, w->status = TAUT_STOP;
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_true(run.done >= 2 && run.done < COUNT && run.stopped);
    w->status = 77;
    assert_int_equal(taut_members_run(m, &run), 77);
    assert_non_null(strstr(taut_error_text(s.context), "the callback returned 77"));
    w->status = 0;
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_true(run.done == COUNT && !run.stopped);
    assert_memory_equal(w->rows, all, sizeof all);
    assert_int_equal(taut_members_statistic(m, about(m).moments - 1, 1, &joined), TAUT_OK);
    assert_true(joined.count == COUNT && joined.mean == whole.mean && isnan(joined.sd) && !joined.bins);
    assert_int_equal(taut_members_run(m, &run), TAUT_OK); /* nothing is left */
    assert_int_equal(run.done, COUNT);
    taut_members_release(m);
    free(w);
    close_subject(&s);
}

/* ---- exponents, notes, refusals ---- */

static void exponents_and_notes(void **state)
{
    (void)state;
    subject s;
    open_subject(&s, PENDULUM, "rattle");
    taut_members_spec spec = { .size = sizeof spec, .h = 0.02, .until = 0.4, .vary = laws, .vary_count = 2, .count = 3,
                               .keep = "a.x", .lyapunov = 1 };
    double rows[3][3];
    taut_members *m = members_of(&s, &spec);
    assert_string_equal(taut_members_column(m, 2), "lyapunov");
    taut_members_run_options run = { .size = sizeof run, .rows = rows[0], .row_capacity = 3 };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    for (int i = 0; i < 3; i++) assert_true(isfinite(rows[i][2]));
    taut_members_release(m);
    close_subject(&s);
    open_subject(&s, PENDULUM, "naive:rk4");
    spec.lyapunov = 0;
    m = members_of(&s, &spec);
    assert_string_equal(about(m).on, "interpreter");
    assert_true(strlen(about(m).note) > 20);
    taut_members_release(m);
    close_subject(&s);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const char *const unknown[] = { "nobody=uniform(0,1)" }, *const bad[] = { "g=uniform(1)" };
    const double at = 0.123;
    subject s;
    open_subject(&s, PENDULUM, "rattle");
    const taut_members_spec good = { .size = sizeof good, .h = 0.02, .until = 0.4, .vary = laws, .vary_count = 2,
                                     .count = 3 };
    taut_members_spec specs[12];
    for (int i = 0; i < 12; i++) specs[i] = good;
    specs[0].vary = unknown, specs[0].vary_count = 1;
    specs[1].vary = bad, specs[1].vary_count = 1;
    specs[2].vary_count = 0;
    specs[3].count = 0; /* no law says how many */
    specs[4].at = &at, specs[4].at_count = 1;
    specs[5].keep = "nothing";
    specs[6].sample = "dice";
    specs[7].on = "abacus";
    specs[8].threads = TAUT_THREADS_MOST + 1;
    specs[9].stats = 16;
    specs[10].h = -1;
    specs[11].every = -1;
    for (int i = 0; i < 12; i++) {
        taut_members *m = NULL;
        if (taut_members_create(s.z, &specs[i], &m) != TAUT_BAD_USAGE) fail_msg("case %d", i);
        assert_null(m);
        assert_true(strlen(taut_error_text(s.context)) > 10);
    }
    taut_members *m = members_of(&s, &good);
    double few[2];
    taut_members_run_options run = { .size = sizeof run, .rows = few, .row_capacity = 2 };
    assert_int_equal(taut_members_run(m, &run), TAUT_BAD_USAGE);
    taut_members_release(m);
    taut_simulation *late = NULL;
    const taut_options from = { .size = sizeof from, .time = 1 };
    assert_int_equal(taut_simulation_create(s.context, s.model, &from, &late), TAUT_OK);
    assert_int_equal(taut_members_create(late, &good, &m), TAUT_UNSUPPORTED);
    taut_simulation_release(late);
    close_subject(&s);
}

/* ---- taut_ensemble ---- */

static int look(void *user, taut_simulation *z)
{
    (void)user, (void)z;
    return 0;
}

/* So many steps that lanes are worth it: the same rows and statuses as with a hook, which only single runs have. From
   the start with other params, and from where the simulation is with other velocities and inputs; one member is off the
   constraints. */
static void lanes_of_taut_ensemble_have_the_bits_of_single_runs(void **state)
{
    (void)state;
    enum { COUNT = 37, ROWS = 5, WIDTH = 4 };
    static const struct {
        taut_vary vary[2];
        double from[2], by[2], bad;
    } cases[] = { { { { TAUT_PARAM, 0 }, { TAUT_INPUT, 0 } }, { 5, 0 }, { 0.3, 0.1 }, NAN },
                  { { { TAUT_VELOCITY, 1 }, { TAUT_INPUT, 0 } }, { 0, 0 }, { 0, 0.1 }, 3 } };
    for (int c = 0; c < 2; c++) {
        subject s;
        double rows[2][COUNT][ROWS][WIDTH], values[COUNT][2];
        int statuses[2][COUNT];
        open_subject(&s, PENDULUM, "rattle");
        size_t columns[WIDTH] = { 0, 1, 0, 0 };
        columns[2] = (size_t)column_of(s.z, "energy"), columns[3] = (size_t)column_of(s.z, "bent");
        assert_int_equal(run_to(s.z, 0.013, 0.13), TAUT_OK);
        double speed;
        assert_int_equal(taut_get(s.z, TAUT_VELOCITY, 1, 1, &speed, NULL), TAUT_OK);
        for (int i = 0; i < COUNT; i++)
            for (int k = 0; k < 2; k++)
                values[i][k] = (c && !k ? speed : cases[c].from[k]) + cases[c].by[k] * i;
        values[5][0] = cases[c].bad;
        taut_run run = { .size = sizeof run, .h = 0.001, .until = 28.0005, .every = 8000, .columns = columns,
                         .column_count = WIDTH, .row_capacity = ROWS };
        const int first = taut_ensemble(s.z, &run, COUNT, cases[c].vary, 2, values[0], 2, rows[0][0][0], statuses[0]);
        char message[TAUT_ERROR_TEXT];
        snprintf(message, sizeof message, "%s", taut_error_text(s.context));
        run.after = look;
        const int second = taut_ensemble(s.z, &run, COUNT, cases[c].vary, 2, values[0], 2, rows[1][0][0], statuses[1]);
        assert_int_equal(first, second);
        assert_non_null(strstr(message, "member 5: "));
        assert_string_equal(message, taut_error_text(s.context));
        assert_memory_equal(statuses[0], statuses[1], sizeof statuses[0]);
        for (int i = 0; i < COUNT; i++)
            if (i != 5) assert_memory_equal(rows[0][i], rows[1][i], sizeof rows[0][i]);
        assert_true(!statuses[0][4] && statuses[0][5] && rows[0][4][4][0] == 28.0005 && isnan(rows[0][5][4][0]));
        assert_memory_not_equal(rows[0][1][4], rows[0][2][4], sizeof rows[0][1][4]);
        close_subject(&s);
    }
}

/* ---- memory ---- */

static int life(counter *c, double *rows)
{
    const taut_allocator allocator = { counted_resize, c };
    static const char *const names[] = { "a.x" };
    const double values[] = { 0.9, 0.95, 1.1 }, at[] = { 0.1, 0.2 };
    const taut_members_spec spec = { .size = sizeof spec, .h = 0.1, .until = 0.2, .names = names, .name_count = 1,
                                     .values = values, .value_rows = 3, .vary = laws, .vary_count = 1, .at = at,
                                     .at_count = 2, .keep = "a.x", .stats = 15, .paths = 2, .on = "interpreter" };
    taut_members_run_options run = { .size = sizeof run, .rows = rows, .row_capacity = 6 };
    taut_statistic x = { .size = sizeof x };
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_members *m = NULL;
    const long fail_at = c->fail_at;
    c->fail_at = 0;
    taut_context *context = taut_context_create(&allocator);
    int status = taut_model_load_text(context, "test", PENDULUM, strlen(PENDULUM), NULL, 0, &model);
    if (!status) status = taut_simulation_create(context, model, NULL, &z);
    c->calls = 0, c->fail_at = fail_at;
    if (!status) status = taut_members_create(z, &spec, &m);
    if (!status) status = taut_members_run(m, &run);
    if (!status) status = taut_members_statistic(m, 1, 1, &x);
    if (status) assert_non_null(strstr(taut_error_text(context), "memory"));
    taut_members_release(m);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    return status;
}

static void memory_that_runs_out_is_told(void **state)
{
    (void)state;
    counter all = { 0 };
    double first[12], rows[12];
    long told = 0, failed = 0;
    assert_int_equal(life(&all, first), TAUT_OK);
    assert_int_equal(all.live, 0);
    const long stride = getenv("TAUT_TEST_LONG") ? 1 : all.calls / 150 + 1;
    for (long k = 1; k <= all.calls; k += stride) {
        counter c = { .fail_at = k, .fail_count = 1 };
        const int status = life(&c, rows);
        assert_true(status == TAUT_OK || status == TAUT_OUT_OF_MEMORY);
        if (!status) assert_memory_equal(rows, first, sizeof first);
        told += status != TAUT_OK, failed += c.failures;
        assert_int_equal(c.live, 0);
    }
    assert_true(failed > 50 && 10 * told > 9 * failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_single_runs),
        cmocka_unit_test(values_are_those_that_were_given),
        cmocka_unit_test(statistics_are_those_of_the_rows_and_of_a_file),
        cmocka_unit_test(a_run_can_be_stopped_and_gone_on_with),
        cmocka_unit_test(exponents_and_notes),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(lanes_of_taut_ensemble_have_the_bits_of_single_runs),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
