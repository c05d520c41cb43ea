/* The public interface: states that are set, kicked, saved, restored, cloned; params between runs; runs with hooks,
   rows and files; matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support_allocator.h"
#include "support_fixture.h"

static const char pendulum[] = "title 'a pendulum'\n"
                               "local a, g, m = point('a', 2), param('g', 9.81), param('m', 2)\n"
                               "local l = param('l', m/2)\n"
                               "lagrangian(m*norm2(a.dot)/2 - m*g*a.y)\n"
                               "constraint('rod', norm2(a) - l^2)\n"
                               "observe('height', a.y)\n"
                               "start { a = {l, 0} }\n";
static const char ball[] = "local y = coordinate 'y'\n"
                           "lagrangian(y.dot^2/2 - 10*y)\n"
                           "contact('floor', y, { restitution = 0.5 })\n"
                           "start { y = 1 }\n";

/* ---- states ---- */

static void a_state_is_set(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "em", "lobatto:s=3", "dirac:rk4" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        fixture f = open_text(pendulum, methods[i], "double");
        double q[2] = { 0.6, -0.8 }, v[2] = { 0.8, 0.6 }, p[2], got[2];
        OK(run_to(f.z, 0.1, 0.3));
        OK(taut_set_state(f.z, 5, q, TAUT_VELOCITY, v, TAUT_STRICT));
        assert_true(taut_time(f.z) == 5);
        OK(taut_get(f.z, TAUT_POSITION, 0, 2, got, NULL));
        assert_memory_equal(got, q, sizeof q);
        OK(taut_get(f.z, TAUT_MOMENTUM, 0, 2, p, NULL));
        assert_true(fabs(p[0] - 1.6) < 1e-15 && fabs(p[1] - 1.2) < 1e-15);
        fixture g = open_text(pendulum, methods[i], "double"); /* by momenta, from elsewhere: the same motion */
        OK(run_to(g.z, 0.1, 0.7));
        OK(taut_set_state(g.z, 5, q, TAUT_MOMENTUM, p, TAUT_STRICT));
        for (int k = 0; k < 3; k++) OK(taut_step(f.z, 0.01));
        for (int k = 0; k < 3; k++) OK(taut_step(g.z, 0.01));
        same_frames(f.z, g.z);
        close_fixture(&g);
        close_fixture(&f);
    }
}

static void a_state_off_the_constraints(void **state)
{
    (void)state;
    fixture f = open_text(pendulum, "rattle", "double");
    const double q[2] = { 0.7, -0.8 }, v[2] = { 1, 1 }, bad[2] = { NAN, 0 };
    double before[32], after[32], g[2];
    taut_error error = { .size = sizeof error };
    OK(run_to(f.z, 0.1, 0.3));
    OK(frame_of(f.z, before));
    assert_int_equal(taut_set_state(f.z, 0, q, TAUT_VELOCITY, v, TAUT_STRICT), TAUT_BAD_MODEL);
    taut_context_error(f.context, &error);
    assert_int_equal(error.status, TAUT_BAD_MODEL);
    assert_string_equal(error.item, "rod");
    assert_int_equal(error.line, 5);
    assert_int_equal(taut_set_state(f.z, 0, q, TAUT_VELOCITY, v, TAUT_AS_IS), TAUT_UNSUPPORTED);
    assert_int_equal(taut_set_state(f.z, 0, bad, TAUT_VELOCITY, v, TAUT_PROJECT), TAUT_NOT_FINITE);
    assert_int_equal(taut_set_state(f.z, NAN, q, TAUT_VELOCITY, v, TAUT_PROJECT), TAUT_NOT_FINITE);
    assert_int_equal(taut_set_state(f.z, 0, q, TAUT_ENERGY, v, TAUT_PROJECT), TAUT_BAD_USAGE);
    OK(frame_of(f.z, after));
    assert_memory_equal(before, after, columns_of(f.z) * sizeof *before);
    OK(taut_set_state(f.z, 0, q, TAUT_VELOCITY, v, TAUT_PROJECT));
    OK(taut_get(f.z, TAUT_CONSTRAINT, 0, 1, g, NULL));
    OK(taut_get(f.z, TAUT_CONSTRAINT_RATE, 0, 1, g + 1, NULL));
    assert_true(g[0] < 1e-15 && g[1] < 1e-15);
    close_fixture(&f);
}

/* Energy of the ball: it begins at another height, and bounces from there. */
static void a_state_with_contacts(void **state)
{
    (void)state;
    fixture f = open_text(ball, "rattle", "double");
    const double high = 5, rest = 0;
    double y;
    OK(run_to(f.z, 0.01, 3));
    OK(taut_set_state(f.z, 1, &high, TAUT_VELOCITY, &rest, TAUT_STRICT));
    OK(run_to(f.z, 0.01, 2.5)); /* falls for a second, hits with 10, leaves with 5 */
    OK(taut_get(f.z, TAUT_POSITION, 0, 1, &y, NULL));
    assert_true(fabs(y - (5 * 0.5 - 5 * 0.25)) < 1e-9);
    close_fixture(&f);
}

/* A start at another time is a state of another time: time occurs in the force. */
static void another_time(void **state)
{
    (void)state;
    static const char driven_now[] = "local x, t = coordinate 'x', time()\n"
                                     "lagrangian(x.dot^2/2 - x^2/2 + x*sin(t))\n"
                                     "start { x = 1 }\n";
    fixture f = open_text(driven_now, "rattle", "double");
    const taut_options late = { .size = sizeof late, .time = 0.7 };
    taut_simulation *z = NULL;
    double x = 1, v = 0;
    OK(taut_simulation_create(f.context, f.model, &late, &z));
    OK(taut_set_state(f.z, 0.7, &x, TAUT_VELOCITY, &v, TAUT_STRICT));
    assert_true(taut_time(z) == 0.7);
    OK(run_to(z, 0.1, 2));
    OK(run_to(f.z, 0.1, 2));
    assert_true(taut_time(z) == 2);
    OK(taut_get(z, TAUT_POSITION, 0, 1, &x, NULL));
    OK(taut_get(f.z, TAUT_POSITION, 0, 1, &v, NULL));
    assert_true(x == v && x != 1);
    OK(taut_restart(z));
    assert_true(taut_time(z) == 0.7);
    taut_simulation_release(z);
    close_fixture(&f);
}

/* Along the rod nothing moves; across it the whole impulse is taken. */
static void a_kick(void **state)
{
    (void)state;
    fixture f = open_text(pendulum, "rattle", "double");
    const double impulse[2] = { 3, 1 };
    double v[2], bad[2] = { INFINITY, 0 };
    OK(taut_kick(f.z, impulse));
    OK(taut_get(f.z, TAUT_VELOCITY, 0, 2, v, NULL));
    assert_true(fabs(v[0]) < 1e-15 && fabs(v[1] - 0.5) < 1e-15);
    assert_int_equal(taut_kick(f.z, bad), TAUT_NOT_FINITE);
    close_fixture(&f);
    f = open_text("local x = coordinate 'x'; lagrangian((1 + x^2)*x.dot^2/2); start { x = 1 }", "rattle", "double");
    OK(taut_kick(f.z, impulse));
    OK(taut_get(f.z, TAUT_VELOCITY, 0, 1, v, NULL));
    assert_true(fabs(v[0] - 1.5) < 1e-15);
    close_fixture(&f);
    f = open_text(ball, "rattle", "double");
    assert_int_equal(taut_kick(f.z, impulse), TAUT_UNSUPPORTED);
    close_fixture(&f);
}

/* ---- the same bits again ---- */

static const struct {
    const char *text, *method;
} MODELS_TO_SAVE[] = { { pendulum, "rattle" }, { pendulum, "em" }, { pendulum, "compose:lobatto,s=2,order=4" },
                       { ball, "rattle" } };

static void saved_and_restored(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof MODELS_TO_SAVE / sizeof *MODELS_TO_SAVE; i++) {
        fixture f = open_text(MODELS_TO_SAVE[i].text, MODELS_TO_SAVE[i].method, "double"),
                g = open_text(MODELS_TO_SAVE[i].text, MODELS_TO_SAVE[i].method, "double"),
                other = open_text(ball, "euler", "double");
        size_t size = 0;
        OK(run_to(f.z, 0.03, 0.6));
        OK(taut_save(f.z, NULL, 0, &size));
        char *bytes = malloc(size);
        assert_int_equal(taut_save(f.z, bytes, size - 1, NULL), TAUT_BAD_USAGE);
        OK(taut_save(f.z, bytes, size, NULL));
        OK(run_to(f.z, 0.03, 1.2));
        OK(taut_restore(g.z, bytes, size));
        OK(run_to(g.z, 0.03, 1.2));
        same_frames(f.z, g.z);
        assert_int_equal(steps_of(f.z), steps_of(g.z));
        OK(taut_restore(f.z, bytes, size)); /* and back, in the same one */
        assert_true(fabs(taut_time(f.z) - 0.6) < 1e-12);
        OK(run_to(f.z, 0.03, 1.2));
        same_frames(f.z, g.z);
        assert_int_equal(taut_restore(other.z, bytes, size), TAUT_BAD_USAGE);
        assert_int_equal(taut_restore(f.z, bytes, size - 1), TAUT_BAD_USAGE);
        assert_int_equal(taut_restore(f.z, bytes, 3), TAUT_BAD_USAGE);
        bytes[0] = 'X';
        assert_int_equal(taut_restore(f.z, bytes, size), TAUT_BAD_USAGE);
        free(bytes);
        close_fixture(&f);
        close_fixture(&g);
        close_fixture(&other);
    }
}

static void cloned(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof MODELS_TO_SAVE / sizeof *MODELS_TO_SAVE; i++) {
        fixture f = open_text(MODELS_TO_SAVE[i].text, MODELS_TO_SAVE[i].method, "double");
        taut_context *context = taut_context_create(NULL);
        taut_simulation *clone = NULL, *second = NULL;
        const double impulse[2] = { 0, 1 };
        OK(run_to(f.z, 0.03, 0.6));
        OK(taut_simulation_clone(f.z, context, &clone));
        OK(taut_simulation_clone(f.z, f.context, &second));
        if (strcmp(MODELS_TO_SAVE[i].text, ball) != 0) OK(taut_kick(second, impulse)); /* goes its own way */
        OK(run_to(second, 0.03, 1));
        OK(run_to(f.z, 0.03, 1.2));
        OK(run_to(clone, 0.03, 1.2));
        same_frames(f.z, clone);
        taut_simulation_release(f.z); /* before those that share its plan */
        f.z = NULL;
        OK(run_to(clone, 0.03, 1.5));
        OK(run_to(second, 0.03, 1.5));
        taut_simulation_release(second);
        close_fixture(&f);
        assert_int_equal(run_to(clone, 0.03, 1.6), TAUT_OK);
        taut_simulation_release(clone);
        taut_context_destroy(context);
    }
}

/* ---- params ---- */

/* As if the model had been loaded with them: l follows m, unless it was set. */
static void params_between_runs(void **state)
{
    (void)state;
    static const struct {
        const char *name[2];
        double value[2];
    } cases[] = { { { "g", "m" }, { 1.62, 3 } }, { { "l", "m" }, { 0.1, 0.7 } }, { { "m", NULL }, { 4, 0 } } };
    static const char *const precisions[] = { "double", "quad" };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const char *precision = precisions[i % 2];
        fixture f = open_text(pendulum, "rattle", "double"), g = { taut_context_create(NULL), NULL, NULL };
        taut_options options = { .size = sizeof options, .precision = precision };
        taut_setting settings[2];
        size_t count = 0;
        taut_simulation_release(f.z);
        f.z = NULL;
        if (taut_simulation_create(f.context, f.model, &options, &f.z) == TAUT_UNSUPPORTED) { /* no quad */
            close_fixture(&f);
            taut_context_destroy(g.context);
            continue;
        }
        OK(run_to(f.z, 0.01, 0.5));
        for (; count < 2 && cases[i / 2].name[count]; count++) {
            const long at = taut_find(f.z, TAUT_PARAM, cases[i / 2].name[count]);
            assert_true(at >= 0);
            OK(taut_set(f.z, TAUT_PARAM, (size_t)at, 1, &cases[i / 2].value[count]));
            settings[count] = (taut_setting){ cases[i / 2].name[count], NULL, cases[i / 2].value[count] };
        }
        assert_true(taut_time(f.z) == 0);
        OK(taut_model_load_text(g.context, "test", pendulum, strlen(pendulum), settings, count, &g.model));
        OK(taut_simulation_create(g.context, g.model, &options, &g.z));
        OK(run_to(f.z, 0.01, 0.5));
        OK(run_to(g.z, 0.01, 0.5));
        same_frames(f.z, g.z);
        close_fixture(&f);
        close_fixture(&g);
    }
}

static void params_that_do_not_work(void **state)
{
    (void)state;
    fixture f = open_text(pendulum, "rattle", "double");
    const double zero = 0, none = NAN;
    double before[32], after[32], value;
    OK(run_to(f.z, 0.01, 0.5));
    OK(frame_of(f.z, before));
    const size_t m = (size_t)taut_find(f.z, TAUT_PARAM, "m");
    assert_int_equal(taut_set(f.z, TAUT_PARAM, m, 1, &none), TAUT_NOT_FINITE);
    assert_int_not_equal(taut_set(f.z, TAUT_PARAM, m, 1, &zero), TAUT_OK); /* no mass */
    assert_int_equal(taut_set(f.z, TAUT_PARAM, 9, 1, &zero), TAUT_BAD_USAGE);
    assert_int_equal(taut_set(f.z, TAUT_POSITION, 0, 1, &zero), TAUT_BAD_USAGE);
    assert_int_equal(taut_set(f.z, TAUT_INPUT, 0, 1, &zero), TAUT_BAD_USAGE);
    OK(frame_of(f.z, after));
    assert_memory_equal(before, after, columns_of(f.z) * sizeof *before);
    OK(taut_get(f.z, TAUT_PARAM, m, 1, &value, NULL));
    assert_true(value == 2);
    close_fixture(&f);
}

/* ---- runs ---- */

typedef struct {
    int before, after, stop_after, fail_after, jump_after;
    jmp_buf out;
} hooks;

static int before(void *user, taut_simulation *z)
{
    hooks *h = user;
    (void)z;
    assert_int_equal(h->before, h->after);
    h->before++;
    return TAUT_OK;
}

static int after(void *user, taut_simulation *z)
{
    hooks *h = user;
    assert_int_equal(steps_of(z), h->before);
    h->after++;
    if (h->after == h->jump_after) longjmp(h->out, 1);
    return h->after == h->stop_after ? TAUT_STOP : h->after == h->fail_after ? 77 : TAUT_OK;
}

static void rows_and_hooks(void **state)
{
    (void)state;
    fixture f = open_text(pendulum, "rattle", "double"), g = open_text(pendulum, "rattle", "double");
    const size_t columns[] = { (size_t)column_of(f.z, "energy"), 0, 1, 2 };
    double rows[20][4], frame[32];
    hooks h = { 0 };
    taut_run run = { .size = sizeof run, .h = 0.1, .until = 1.05, .every = 3, .columns = columns, .column_count = 4,
                     .rows = rows[0], .row_capacity = 20, .before = before, .after = after, .user = &h };
    assert_int_equal(taut_run_rows(f.z, &run), 5); /* steps 0, 3, 6, 9, 11 */
    run.h = -0.1;
    assert_int_equal(taut_run_rows(f.z, &run), 0); /* the wrong way */
    run.h = 0.1;
    run.row_capacity = 4;
    assert_int_equal(taut_advance(f.z, &run), TAUT_BAD_USAGE);
    assert_true(taut_time(f.z) == 0);
    run.row_capacity = 5;
    OK(taut_advance(f.z, &run));
    assert_int_equal(run.row_count, 5);
    assert_int_equal(run.stopped, 0);
    assert_int_equal(h.before, 11);
    assert_int_equal(h.after, 11);
    for (size_t i = 0; i < 5; i++) {
        OK(run_to(g.z, 0.1, i < 4 ? 0.3 * (double)i : 1.05));
        OK(frame_of(g.z, frame));
        assert_true(fabs(rows[i][1] - frame[0]) < 1e-12);
        assert_true(fabs(rows[i][2] - frame[1]) < 1e-9 && fabs(rows[i][3] - frame[2]) < 1e-9);
        assert_true(fabs(rows[i][0] - frame[columns[0]]) < 1e-9);
    }
    assert_int_equal(taut_run_rows(f.z, &run), 1);
    OK(taut_advance(f.z, &run)); /* there already: a row of the present */
    assert_int_equal(run.row_count, 1);
    const size_t wrong = 999;
    run.columns = &wrong, run.column_count = 1, run.until = 2;
    run.row_capacity = 20;
    assert_int_equal(taut_advance(f.z, &run), TAUT_BAD_USAGE);
    close_fixture(&f);
    close_fixture(&g);
}

/* A hook stops, fails, jumps out of the run: the state is always that of a whole step. */
static void runs_that_end_early(void **state)
{
    (void)state;
    fixture f = open_text(pendulum, "rattle", "double");
    volatile int interrupt = 1;
    taut_error error = { .size = sizeof error };
    hooks h = { .stop_after = 3 };
    taut_run run = { .size = sizeof run, .h = 0.1, .until = 2, .after = after, .before = before, .user = &h };
    OK(taut_advance(f.z, &run));
    assert_int_equal(run.stopped, 1);
    assert_true(fabs(taut_time(f.z) - 0.3) < 1e-12);
    h.fail_after = 5;
    assert_int_equal(taut_advance(f.z, &run), 77);
    taut_context_error(f.context, &error);
    assert_non_null(strstr(error.text, "the hook after the step returned 77"));
    assert_true(error.status == 77 && fabs(error.time - 0.5) < 1e-9);
    h.jump_after = 7;
    if (!setjmp(h.out)) {
        taut_advance(f.z, &run);
        fail();
    }
    assert_true(fabs(taut_time(f.z) - 0.7) < 1e-12);
    run.interrupt = &interrupt;
    OK(taut_advance(f.z, &run));
    assert_true(run.stopped == 1 && fabs(taut_time(f.z) - 0.7) < 1e-12);
    interrupt = 0;
    OK(taut_advance(f.z, &run));
    assert_true(taut_time(f.z) == 2);
    run.until = 1;
    assert_int_equal(taut_advance(f.z, &run), TAUT_BAD_USAGE);
    run.h = -0.1;
    OK(taut_advance(f.z, &run)); /* and back */
    run.h = 0;
    assert_int_equal(taut_advance(f.z, &run), TAUT_BAD_USAGE);
    close_fixture(&f);
}

static int collect(void *user, const char *data, size_t size)
{
    *(size_t *)user += size;
    return size < 10 || strncmp(data, "<!", 2) != 0;
}

static int refuse(void *user, const char *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return 1;
}

static void a_run_file_and_its_page(void **state)
{
    (void)state;
    char path[] = "/tmp/taut-library-XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    for (int contacts = 0; contacts < 2; contacts++) {
        fixture f = open_text(contacts ? ball : pendulum, "rattle", "double");
        const double heavier = 3;
        hooks h = { 0 };
        taut_run run = { .size = sizeof run, .h = 0.05, .until = 1, .every = 2, .file = path, .replace = 1,
                         .after = after, .before = before, .user = &h };
        if (!contacts) OK(taut_set(f.z, TAUT_PARAM, (size_t)taut_find(f.z, TAUT_PARAM, "m"), 1, &heavier));
        OK(taut_advance(f.z, &run));
        assert_int_equal(h.after, 20);
        assert_int_equal(taut_advance(f.z, &run), TAUT_BAD_USAGE); /* not at the start */
        taut_file *file = NULL;
        size_t frames, events, bytes = 0;
        double t[11], low[11], frame[32], last[32];
        OK(taut_file_open(f.context, path, &file));
        OK(taut_file_frames(file, &frames));
        OK(taut_file_events(file, &events));
        assert_int_equal(frames, 11 + events); /* each event has a frame of its own */
        assert_int_equal(taut_file_columns(file), columns_of(f.z));
        assert_string_equal(taut_file_column(file, 0), "t");
        assert_null(taut_file_column(file, 999));
        assert_int_equal(taut_file_find(file, "energy"), column_of(f.z, "energy"));
        const size_t time = 0, beyond = 999;
        if (!contacts) OK(taut_file_read(file, 0, 11, &time, 1, t, low));
        for (int i = 0; !contacts && i < 11; i++) assert_true(fabs(t[i] - 0.1 * i) < 1e-12 && low[i] == 0);
        OK(taut_file_read(file, frames - 1, 1, NULL, 0, last, NULL));
        OK(frame_of(f.z, frame));
        for (size_t i = 0; i < columns_of(f.z); i++) assert_true(last[i] == frame[i]);
        assert_int_equal(taut_file_read(file, frames - 1, 2, NULL, 0, last, NULL), TAUT_BAD_USAGE);
        assert_int_equal(taut_file_read(file, 0, 1, &beyond, 1, last, NULL), TAUT_BAD_USAGE);
        assert_string_equal(taut_file_property(file, "status"), "finished");
        assert_true(contacts ? events > 0 : events == 0);
        taut_file_event event = { .size = sizeof event };
        if (contacts) {
            OK(taut_file_event_at(file, 0, &event));
            assert_string_equal(event.contact, "floor");
            assert_string_equal(event.kind, "impact");
            assert_true(fabs(event.time - sqrt(0.2)) < 1e-9 && event.impulse > 0);
        }
        assert_int_equal(taut_file_event_at(file, events, &event), TAUT_BAD_USAGE);
        OK(taut_page(file, collect, &bytes));
        assert_true(bytes > 10000);
        assert_int_equal(taut_page(file, refuse, NULL), TAUT_CANNOT_WRITE);
        taut_file_close(file);
        close_fixture(&f);
    }
    taut_context *context = taut_context_create(NULL);
    taut_file *file = NULL;
    assert_int_equal(taut_file_open(context, "no/such/file.taut", &file), TAUT_CANNOT_READ);
    assert_null(file);
    taut_context_destroy(context);
    unlink(path);
}

/* ---- matrices ---- */

static void matrices(void **state)
{
    (void)state;
    fixture f = open_text(pendulum, "rattle", "double");
    size_t rows;
    const int *start, *column;
    double values[4];
    OK(taut_pattern(f.z, TAUT_MASS, &rows, &start, &column));
    assert_int_equal(rows, 2);
    assert_int_equal(start[2], 2);
    OK(taut_values(f.z, TAUT_MASS, values, 4));
    assert_true(values[0] == 2 && values[1] == 2 && column[0] == 0 && column[1] == 1);
    OK(taut_pattern(f.z, TAUT_JACOBIAN, &rows, &start, &column));
    assert_int_equal(rows, 1);
    assert_int_equal(start[1], 2);
    OK(taut_values(f.z, TAUT_JACOBIAN, values, 4));
    assert_true(values[0] == 2 && values[1] == 0);
    assert_int_equal(taut_values(f.z, TAUT_JACOBIAN, values, 1), TAUT_BAD_USAGE);
    assert_int_equal(taut_pattern(f.z, TAUT_MATRICES, &rows, &start, &column), TAUT_BAD_USAGE);
    close_fixture(&f);
    f = open_text("local x = coordinate 'x'; local p = momentum(x); hamiltonian(p^2/2); start { x = 1 }", "rattle",
        "double");
    assert_int_equal(taut_pattern(f.z, TAUT_MASS, &rows, &start, &column), TAUT_UNSUPPORTED);
    close_fixture(&f);
}

/* Of Stoermer-Verlet on m x'' = -k x, where the step is a matrix. */
static void the_tangent_of_a_step(void **state)
{
    (void)state;
    const double m = 2, k = 3, h = 0.1, c = 1 - h * h * k / m / 2;
    fixture f = open_text("local x = coordinate 'x'; lagrangian(2*x.dot^2/2 - 3*x^2/2); start { x = 1 }", "rattle",
        "double");
    const double expected[4] = { c, h / m, -h * k * (1 - h * h * k / m / 4), c };
    double a[4], before[32], after_it[32];
    OK(frame_of(f.z, before));
    OK(taut_linearise(f.z, h, a, NULL));
    for (int i = 0; i < 4; i++) assert_true(fabs(a[i] - expected[i]) < 1e-14); /* exact, but for round-off */
    OK(frame_of(f.z, after_it));
    assert_memory_equal(before, after_it, columns_of(f.z) * sizeof *before);
    assert_int_equal(taut_linearise(f.z, 0, a, NULL), TAUT_BAD_USAGE);
    close_fixture(&f);
    f = open_text(ball, "rattle", "double");
    assert_int_equal(taut_linearise(f.z, h, a, NULL), TAUT_UNSUPPORTED);
    close_fixture(&f);
}

static void the_catalogue(void **state)
{
    (void)state;
    taut_method_info info = { .size = sizeof info };
    size_t count = 0;
    int rattle = 0;
    for (; taut_methods(count, &info) == TAUT_OK; count++) {
        assert_true(info.name && info.summary && info.order > 0);
        rattle |= strcmp(info.name, "rattle") == 0 && info.order == 2 && info.keeps & TAUT_KEEPS_SYMPLECTIC;
    }
    assert_true(count > 5 && rattle);
    assert_int_equal(taut_methods(SIZE_MAX, &info), TAUT_BAD_USAGE);
    assert_string_equal(taut_status_name(-TAUT_NOT_FINITE), "TAUT_NOT_FINITE");
    assert_string_equal(taut_status_name(1234), "TAUT_UNKNOWN");
    assert_int_equal(taut_version(), TAUT_VERSION_NUMBER);
}

static void the_source(void **state)
{
    (void)state;
    fixture f = open_text(pendulum, "rattle", "double");
    char text[sizeof pendulum], few[6];
    size_t size;
    OK(taut_model_source(f.model, text, sizeof text, &size));
    assert_int_equal(size, sizeof pendulum - 1);
    assert_string_equal(text, pendulum);
    OK(taut_model_source(f.model, few, sizeof few, NULL));
    assert_string_equal(few, "title");
    OK(taut_model_source(f.model, NULL, 0, &size));
    close_fixture(&f);
}

/* ---- every allocation may fail ---- */

static int use_everything(taut_context *context)
{
    taut_model *model = NULL;
    taut_simulation *z = NULL, *clone = NULL;
    const double q[2] = { 0.6, -0.8 }, v[2] = { 0, 0 }, impulse[2] = { 1, 1 }, value = 2.5;
    double rows[40], a[16];
    char bytes[4096];
    size_t size, count;
    const int *start, *column;
    const size_t columns[] = { 0, 3, 1 };
    taut_run run = { .size = sizeof run, .h = 0.1, .until = 0.3, .columns = columns, .column_count = 3, .rows = rows,
                     .row_capacity = 10 };
    int status = taut_model_load_text(context, "test", pendulum, strlen(pendulum), NULL, 0, &model);
    if (!status) status = taut_simulation_create(context, model, NULL, &z);
    if (!status) status = taut_set_state(z, 0, q, TAUT_VELOCITY, v, TAUT_STRICT);
    if (!status) status = taut_kick(z, impulse);
    if (!status) status = taut_advance(z, &run);
    if (!status) status = taut_simulation_clone(z, context, &clone);
    if (!status) status = taut_step(clone, 0.1);
    if (!status) status = taut_save(clone, bytes, sizeof bytes, &size);
    if (!status) status = taut_set(z, TAUT_PARAM, 1, 1, &value);
    if (!status) status = taut_restore(z, bytes, size);
    if (!status) status = taut_pattern(z, TAUT_JACOBIAN, &count, &start, &column);
    if (!status) status = taut_values(z, TAUT_JACOBIAN, rows, 40);
    if (!status) status = taut_linearise(z, 0.1, a, NULL);
    if (!status && taut_find(z, TAUT_ALL, "energy") < 0) status = TAUT_OUT_OF_MEMORY;
    taut_simulation_release(z);
    taut_simulation_release(clone);
    taut_model_release(model);
    return status;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    long calls = 0;
    for (long k = 0, step = 1; k == 0 || k <= calls; k += step) {
        counter c = { .fail_at = k, .fail_count = k > 0 };
        const taut_allocator allocator = { counted_resize, &c };
        taut_context *context = taut_context_create(&allocator);
        if (!context) continue;
        int status = use_everything(context);
        if (k == 0) {
            assert_int_equal(status, TAUT_OK);
            calls = c.calls;
            step = calls / 300 + 1; /* a sample: test_allocation fails each one of the rest */
        }
        if (status && status != TAUT_OUT_OF_MEMORY)
            fail_msg("allocation %ld: status %d, %s", k, status, taut_error_text(context));
        taut_context_destroy(context);
        if (c.live) fail_msg("allocation %ld: %ld blocks leak", k, c.live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_set), cmocka_unit_test(a_state_off_the_constraints),
        cmocka_unit_test(a_state_with_contacts), cmocka_unit_test(another_time), cmocka_unit_test(a_kick),
        cmocka_unit_test(saved_and_restored), cmocka_unit_test(cloned), cmocka_unit_test(params_between_runs),
        cmocka_unit_test(params_that_do_not_work), cmocka_unit_test(rows_and_hooks),
        cmocka_unit_test(runs_that_end_early), cmocka_unit_test(a_run_file_and_its_page), cmocka_unit_test(matrices),
        cmocka_unit_test(the_tangent_of_a_step), cmocka_unit_test(the_catalogue), cmocka_unit_test(the_source),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
