/* Comparisons, and what a plotter or a renderer reads of a run: columns with kinds and units, changes, frames by time,
   statistics of ensembles, what is drawn. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support_allocator.h"
#include "support_library.h"

static const char PENDULUM[] =
    "local length, g = param('length', 1), param('g', 9.81)\n"
    "units { length = 'm', time = 's', mass = 'kg' }\n"
    "local a = point('a', 2)\n"
    "lagrangian(norm2(a.dot)/2 - g*a.y)\n"
    "constraint('rod', norm2(a) - length^2)\n"
    "start { a = {length, 0} }\n"
    "draw { bar(origin, a), ball(a, 0.1):colour 'blue':label 'bob' }\n";

typedef struct {
    taut_context *context;
    taut_model *model;
} fixture;

static fixture load(const char *text)
{
    fixture f = { .context = taut_context_create(NULL) };
    assert_non_null(f.context);
    if (taut_model_load_text(f.context, "test.lua", text, strlen(text), NULL, 0, &f.model))
        fail_msg("%s", taut_error_text(f.context));
    return f;
}

static void drop(fixture f)
{
    taut_model_release(f.model);
    taut_context_destroy(f.context);
}

/* ---- comparison ---- */

static int take_page(void *user, const char *data, size_t size)
{
    char *page = user;
    if (strlen(page) + size >= 1000000) return 1;
    strncat(page, data, size);
    return 0;
}

static int refuse(void *user, const char *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return 1;
}

static const char *const methods[] = { "rattle", "lobatto:s=3", "naive:rk4", "euler" }, *const steps[] = { "0.02",
                                                                                                          "0.01" };

static taut_comparison_spec spec_of(void)
{
    return (taut_comparison_spec){ .size = sizeof(taut_comparison_spec), .methods = methods, .method_count = 3,
                                   .steps = steps, .step_count = 2, .until = "1", .traces = 1 };
}

static void comparison(void **state)
{
    (void)state;
    static char page[1000000];
    fixture f = load(PENDULUM);
    const taut_comparison_spec spec = spec_of();
    taut_comparison *c;
    if (taut_comparison_create(f.context, f.model, &spec, &c)) fail_msg("%s", taut_error_text(f.context));
    taut_comparison_info info = { .size = sizeof info };
    taut_comparison_row row[6];
    assert_int_equal(taut_comparison_page(c, take_page, page), TAUT_BAD_USAGE); /* nothing yet */
    assert_int_equal(taut_comparison_run(c, NULL), TAUT_OK);
    taut_comparison_about(c, &info);
    assert_true(info.rows == 6 && info.kinds == TAUT_ERRORS && info.has_energy && !info.has_balance);
    assert_string_equal(info.reference_failure, "");
    for (size_t i = 0; i < 6; i++) {
        row[i].size = sizeof row[i];
        assert_int_equal(taut_comparison_row_at(c, i, &row[i]), TAUT_OK);
        assert_string_equal(row[i].method, methods[i / 2]);
        assert_string_equal(row[i].failure, "");
        assert_true(row[i].step.high == (i % 2 ? 0.01 : 0.02) && row[i].steps == (i % 2 ? 100 : 50));
        assert_true(row[i].seconds > 0 && row[i].error[TAUT_ERROR_POSITION].high < 0.01);
    }
    /* orders 2 and 4 */
    const double second = row[0].error[0].high / row[1].error[0].high,
                 fourth = row[2].error[0].high / row[3].error[0].high;
    assert_true(fabs(second - 4) < 0.2 && fabs(fourth - 16) < 1);
    assert_true(row[0].newton_iterations >= 50 && !row[0].evaluations && row[4].evaluations >= 200);
    assert_true(row[0].position.high < 1e-13 && row[4].position.high > 1e-13); /* kept, and not */
    assert_int_equal(taut_comparison_row_at(c, 6, &row[0]), TAUT_BAD_USAGE);
    assert_int_equal(taut_comparison_page(c, take_page, page), TAUT_OK);
    assert_non_null(strstr(page, "</html>"));
    assert_non_null(strstr(page, "lobatto:s=3"));
    assert_int_equal(taut_comparison_page(c, refuse, NULL), TAUT_CANNOT_WRITE);
    taut_comparison_release(c);
    drop(f);
}

static void refused(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_comparison *c;
    static const char *const nowhere[] = { "0.3" }, *const nothing[] = { "no-such" };
    taut_comparison_spec wrong[6];
    for (size_t i = 0; i < 6; i++) wrong[i] = spec_of();
    wrong[0].steps = nowhere, wrong[0].step_count = 1;
    wrong[1].methods = nothing, wrong[1].method_count = 1;
    wrong[2].until = "-1";
    wrong[3].method_count = 0;
    wrong[4].step_count = 0;
    wrong[5].start = TAUT_AS_IS;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(taut_comparison_create(f.context, f.model, &wrong[i], &c), TAUT_BAD_USAGE);
        assert_null(c);
    }
    assert_int_equal(taut_method_check(f.context, "lobatto:s=3"), TAUT_OK);
    assert_int_equal(taut_method_check(f.context, "lobatto:zz=3"), TAUT_BAD_USAGE);
    assert_int_equal(taut_method_check(f.context, "lobato"), TAUT_BAD_USAGE);
    /* a method that does not take the model has a row that says so */
    fixture g = load("local x, p = coordinate('x'), nil\np = momentum(x)\nhamiltonian(p^2/2 + x^2/2)\n"
                     "start { x = 1, ['p.x'] = 0 }\n");
    static const char *const some[] = { "rattle", "del" };
    taut_comparison_spec spec = spec_of();
    spec.methods = some, spec.method_count = 2, spec.step_count = 1;
    if (taut_comparison_create(g.context, g.model, &spec, &c)) fail_msg("%s", taut_error_text(g.context));
    assert_int_equal(taut_comparison_run(c, NULL), TAUT_OK);
    taut_comparison_row row = { .size = sizeof row };
    assert_int_equal(taut_comparison_row_at(c, 1, &row), TAUT_OK);
    assert_true(row.refused && row.failure[0]);
    taut_comparison_release(c);
    drop(g);
    drop(f);
}

/* ---- a run file for those who draw ---- */

static char path[64];

static taut_file *record(fixture f, const char *precision)
{
    taut_session *s;
    taut_file *file;
    const taut_session_spec spec = { .size = sizeof spec, .precision = precision, .until = "1", .file = path,
                                     .replace = 1 };
    if (taut_session_create(f.context, f.model, &spec, &s)) fail_msg("%s", taut_error_text(f.context));
    assert_int_equal(taut_session_run(s), TAUT_OK);
    taut_session_release(s);
    if (taut_file_open(f.context, path, &file)) fail_msg("%s", taut_error_text(f.context));
    return file;
}

static void columns(void **state)
{
    (void)state;
    static const struct { const char *name, *kind, *unit; int is_length; } all[] = {
        { "t", "time", "s", 0 },
        { "a.x", "coordinate", "m", 1 },
        { "a.y.dot", "velocity", "m/s", 1 },
        { "p.a.x", "momentum", "kg m/s", 1 },
        { "lambda.rod", "multiplier", "", 0 },
        { "energy", "energy", "J", 0 },
    };
    fixture f = load(PENDULUM);
    taut_file *file = record(f, NULL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        taut_column c = { .size = sizeof c };
        assert_int_equal(taut_file_column_at(file, (size_t)taut_file_find(file, all[i].name), &c), TAUT_OK);
        assert_string_equal(c.name, all[i].name);
        assert_string_equal(c.kind, all[i].kind);
        assert_string_equal(c.unit, all[i].unit);
        assert_int_equal(c.is_length, all[i].is_length);
    }
    taut_column none = { .size = sizeof none };
    assert_int_equal(taut_file_column_at(file, taut_file_columns(file), &none), TAUT_BAD_USAGE);
    size_t frame;
    const struct { double t; int past; size_t frame; } times[] = {
        { -1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 1 }, { 0.495, 0, 50 }, { 2, 0, 101 } };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(taut_file_find_frame(file, times[i].t, times[i].past, &frame), TAUT_OK);
        assert_int_equal(frame, times[i].frame);
    }
    assert_int_equal(taut_file_moments(file, &frame), TAUT_BAD_USAGE); /* a single run */
    taut_file_close(file);
    drop(f);
}

/* Changes that a double has no digits for. */
static void changes(void **state)
{
    (void)state;
    taut_precision p = { .size = sizeof p };
    if (taut_precisions(1, &p)) skip();
    fixture f = load(PENDULUM);
    taut_file *file = record(f, "quad");
    const size_t column = (size_t)taut_file_find(file, "constraint"), energy = (size_t)taut_file_find(file, "energy");
    const size_t both[] = { column, energy };
    double change[2 * 101], high[2 * 101], low[2 * 101];
    assert_int_equal(taut_file_changes(file, 0, 101, both, 2, change), TAUT_OK);
    assert_int_equal(taut_file_read(file, 0, 101, both, 2, high, low), TAUT_OK);
    double most = 0;
    for (size_t i = 0; i < 101; i++) {
        const double expected = high[2 * i + 1] - high[1] + (low[2 * i + 1] - low[1]);
        assert_true(fabs(change[2 * i + 1] - expected) <= 1e-30);
        most = fmax(most, fabs(change[2 * i]));
    }
    assert_true(change[0] == 0 && change[1] == 0 && most > 0 && most < 1e-30);
    assert_int_equal(taut_file_changes(file, 100, 2, both, 2, change), TAUT_BAD_USAGE);
    taut_file_close(file);
    drop(f);
}

static void statistics(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    const char *laws[] = { "g=uniform(9,10)" };
    const taut_members_spec spec = { .size = sizeof spec, .h = 0.01, .until = 0.5, .vary = laws, .vary_count = 1,
                                     .count = 60, .keep = "a.x", .stats = TAUT_STATS_MEAN | TAUT_STATS_QUANTILES,
                                     .file = path, .replace = 1 };
    taut_members *m, *same;
    taut_file *file;
    size_t moments;
    taut_members_spec in_memory = spec;
    in_memory.file = NULL;
    assert_int_equal(taut_members_of_model(f.context, f.model, NULL, &spec, &m), TAUT_OK);
    assert_int_equal(taut_members_of_model(f.context, f.model, NULL, &in_memory, &same), TAUT_OK);
    taut_members_run_options run = { .size = sizeof run };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    assert_int_equal(taut_members_run(same, &run), TAUT_OK);
    taut_members_release(m);
    assert_int_equal(taut_file_open(f.context, path, &file), TAUT_OK);
    assert_int_equal(taut_file_moments(file, &moments), TAUT_OK);
    taut_members_info info = { .size = sizeof info };
    taut_members_about(same, &info);
    assert_int_equal(moments, info.moments);
    const size_t column = (size_t)taut_file_find(file, "a.x"), varied = (size_t)taut_file_find(file, "g");
    for (size_t i = 0; i < moments; i++) {
        taut_statistic one = { .size = sizeof one }, other = one;
        assert_int_equal(taut_file_statistic(file, i, column, &one), TAUT_OK);
        assert_int_equal(taut_members_statistic(same, i, 1, &other), TAUT_OK); /* t is 0 */
        assert_true(one.count == 60 && other.count == 60 && one.mean == other.mean && one.time == other.time);
        assert_true(one.kept == other.kept && one.sd != one.sd && one.bins == 0);
        assert_memory_equal(one.quantiles, other.quantiles, sizeof one.quantiles);
    }
    taut_statistic none = { .size = sizeof none };
    assert_int_equal(taut_file_statistic(file, moments, column, &none), TAUT_BAD_USAGE);
    assert_int_equal(taut_file_statistic(file, 0, varied, &none), TAUT_BAD_USAGE);
    taut_drawing *d;
    assert_int_equal(taut_drawing_create(file, NULL, &d), TAUT_BAD_USAGE); /* of a run */
    taut_members_release(same);
    taut_file_close(file);
    drop(f);
}

static void drawing(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_file *file = record(f, NULL);
    taut_drawing *d;
    taut_drawing_info info = { .size = sizeof info };
    taut_shape bar = { .size = sizeof bar }, ball = bar;
    if (taut_drawing_create(file, NULL, &d)) fail_msg("%s", taut_error_text(f.context));
    taut_drawing_about(d, &info);
    assert_true(info.shapes == 2 && info.places == 2 && info.moving == 1 && info.flat && !info.guessed);
    assert_string_equal(info.time_unit, "s");
    assert_int_equal(taut_drawing_shape(d, 0, &bar), TAUT_OK);
    assert_int_equal(taut_drawing_shape(d, 1, &ball), TAUT_OK);
    assert_int_equal(taut_drawing_shape(d, 2, &ball), TAUT_BAD_USAGE);
    assert_true(bar.type == TAUT_SHAPE_BAR && bar.rows * bar.columns == 2 && !bar.label && !bar.triangles);
    assert_true(ball.type == TAUT_SHAPE_BALL && ball.radius == 0.1 && ball.places[0] == bar.places[1]);
    assert_int_equal(info.moves[0], ball.places[0]);
    assert_string_equal(ball.colour, "blue");
    assert_string_equal(ball.label, "bob");
    const size_t xy[] = { (size_t)taut_file_find(file, "a.x"), (size_t)taut_file_find(file, "a.y") };
    for (size_t frame = 0; frame <= 100; frame += 20) {
        float places[6];
        double t, at[2];
        assert_int_equal(taut_drawing_places(d, frame, &t, places), TAUT_OK);
        assert_int_equal(taut_file_read(file, frame, 1, xy, 2, at, NULL), TAUT_OK);
        assert_true(fabs(t - (double)frame / 100) < 1e-12);
        const float *bob = places + 3 * ball.places[0];
        assert_true(bob[0] == (float)at[0] && bob[1] == (float)at[1] && bob[2] == 0);
    }
    float places[6];
    double t;
    assert_int_equal(taut_drawing_places(d, 101, &t, places), TAUT_BAD_USAGE);
    taut_drawing_release(d);
    taut_file_close(file);
    drop(f);
}

/* ---- without memory ---- */

static int compare(taut_context *context, taut_model *model)
{
    taut_comparison_spec spec = spec_of();
    taut_comparison *c;
    spec.method_count = 1, spec.step_count = 1, spec.until = "0.1";
    static char page[1000000];
    int status = taut_comparison_create(context, model, &spec, &c);
    page[0] = 0;
    if (!status) status = taut_comparison_run(c, NULL);
    if (!status) status = taut_comparison_page(c, take_page, page);
    taut_comparison_release(c);
    return status;
}

static int draw(taut_context *context, taut_model *model)
{
    taut_file *file;
    taut_drawing *d = NULL;
    taut_column c = { .size = sizeof c };
    float places[6];
    double t;
    (void)model;
    int status = taut_file_open(context, path, &file);
    if (!status) status = taut_file_column_at(file, 0, &c);
    if (!status) status = taut_file_changes(file, 0, 1, &(size_t){ 1 }, 1, &t);
    if (!status) status = taut_drawing_create(file, NULL, &d);
    if (!status) status = taut_drawing_places(d, 1, &t, places);
    taut_drawing_release(d);
    taut_file_close(file);
    return status;
}

static void memory(void **state)
{
    (void)state;
    enum { ENDLESS = 1000000000, STRIDE = 11 };
    int (*const calls[])(taut_context *, taut_model *) = { compare, draw };
    fixture f = load(PENDULUM);
    taut_file_close(record(f, NULL));
    drop(f);
    for (size_t i = 0; i < 2; i++)
        for (long k = 1, done = 0; !done; k += STRIDE) {
            counter c = { .fail_at = ENDLESS };
            taut_context *context = taut_context_create(&(taut_allocator){ counted_resize, &c });
            taut_model *model;
            assert_int_equal(taut_model_load_text(context, "x", PENDULUM, strlen(PENDULUM), NULL, 0, &model), TAUT_OK);
            c.fail_at = c.calls + k, c.fail_count = ENDLESS;
            done = !calls[i](context, model);
            taut_model_release(model);
            taut_context_destroy(context);
            assert_int_equal(c.live, 0);
        }
}

static int set_up(void **state)
{
    (void)state;
    strcpy(path, "/tmp/taut-compare-XXXXXX");
    const int file = mkstemp(path);
    return file < 0 || close(file);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparison), cmocka_unit_test(refused), cmocka_unit_test(columns), cmocka_unit_test(changes),
        cmocka_unit_test(statistics), cmocka_unit_test(drawing), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
