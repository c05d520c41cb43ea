/* Sessions: runs that are watched, written, recorded, interrupted, resumed; members as runs of their own; what a
   simulation says of itself. */
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
    "local a = point('a', 2)\n"
    "lagrangian(norm2(a.dot)/2 - g*a.y)\n"
    "constraint('rod', norm2(a) - length^2)\n"
    "start { a = {length, 0} }\n";
static const char BALL[] =
    "local z = coordinate('z')\n"
    "lagrangian(z.dot^2/2 - 10*z)\n"
    "contact('floor', z, {restitution = 0.5})\n"
    "start { z = 1 }\n";
static const char SPRING[] = "local x = coordinate('x')\nlagrangian(x.dot^2/2 - 450*x^2)\nstart { x = 1 }\n";

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

static taut_session *begin(fixture f, const taut_session_spec *spec)
{
    taut_session *s = NULL;
    if (taut_session_create(f.context, f.model, spec, &s)) fail_msg("%s", taut_error_text(f.context));
    return s;
}

static taut_session_info about(const taut_session *s)
{
    taut_session_info info = { .size = sizeof info };
    taut_session_about(s, &info);
    return info;
}

static void name_file(char name[64])
{
    strcpy(name, "/tmp/taut-session-XXXXXX");
    const int file = mkstemp(name);
    assert_true(file >= 0);
    close(file);
}

/* ---- what is watched ---- */

/* The extremes are those of the frames, since it looks at every step of so short a run. */
static void watched(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    const taut_session_spec spec = { .size = sizeof spec, .until = "2" };
    taut_session *s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    const taut_session_info info = about(s);
    assert_true(info.finished && !info.stopped && info.committed == -1 && info.stride == 1);
    assert_int_equal(info.steps, 200);
    assert_int_equal(info.steps_planned, 200);
    assert_true(info.step.high == 0.01 && info.time.high == taut_time(taut_session_simulation(s)));
    taut_simulation *z;
    assert_int_equal(taut_simulation_create(f.context, f.model, NULL, &z), TAUT_OK);
    static double rows[3 * 201];
    const size_t columns[] = { (size_t)column_of(z, "energy"), (size_t)column_of(z, "constraint"),
                               (size_t)column_of(z, "velocity_constraint") };
    taut_run run = { .size = sizeof run, .h = 0.01, .until = 2, .columns = columns, .column_count = 3, .rows = rows,
                     .row_capacity = 201 };
    assert_int_equal(taut_advance(z, &run), TAUT_OK);
    const int kinds[] = { TAUT_ENERGY, TAUT_CONSTRAINT, TAUT_CONSTRAINT_RATE };
    assert_int_equal(info.watched, 3);
    for (size_t i = 0; i < 3; i++) {
        taut_watched w = { .size = sizeof w };
        char text[TAUT_DIGITS_TEXT];
        double lowest = rows[i], highest = rows[i];
        for (size_t k = 1; k < 201; k++) {
            lowest = fmin(lowest, rows[3 * k + i]);
            highest = fmax(highest, rows[3 * k + i]);
        }
        assert_int_equal(taut_session_watched(s, i, &w), TAUT_OK);
        assert_int_equal(w.kind, kinds[i]);
        assert_true(w.conserved && w.lowest.high == lowest && w.highest.high == highest);
        assert_true(w.first.high == rows[i] && w.last.high == rows[600 + i] && w.slope.high - w.slope.high == 0);
        assert_int_equal(taut_session_digits(s, i, TAUT_WATCHED_HIGHEST, text, sizeof text), TAUT_OK);
        assert_true(strtod(text, NULL) == highest);
        assert_int_equal(taut_session_digits(s, i, 5, text, sizeof text), TAUT_BAD_USAGE);
        assert_int_equal(taut_session_digits(s, i, 0, text, sizeof text - 1), TAUT_BAD_USAGE);
    }
    taut_watched none = { .size = sizeof none };
    assert_int_equal(taut_session_watched(s, 3, &none), TAUT_BAD_USAGE);
    assert_int_equal(taut_session_run(s), TAUT_BAD_USAGE); /* once */
    taut_simulation_release(z);
    taut_session_release(s);
    drop(f);
}

/* ---- frames ---- */

typedef struct {
    char text[100000];
    size_t length, room;
} lines;

static int take_lines(void *user, const char *data, size_t size)
{
    lines *l = user;
    if (l->length + size >= l->room) return 1;
    memcpy(l->text + l->length, data, size);
    l->length += size;
    return 0;
}

static void frames(void **state)
{
    (void)state;
    static lines l;
    fixture f = load(PENDULUM);
    taut_session_spec spec = { .size = sizeof spec, .until = "0.1", .every = 4, .write = take_lines, .user = &l };
    l.room = sizeof l.text;
    taut_session *s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    l.text[l.length] = 0;
    char *line = strtok(l.text, "\n");
    assert_int_equal(strncmp(line, "t,a.x,a.y,a.x.dot", 17), 0);
    const double t[] = { 0, 0.04, 0.08, 0.1 };
    double values[64];
    taut_simulation *z = taut_session_simulation(s);
    assert_int_equal(frame_of(z, values), TAUT_OK);
    for (size_t i = 0; i < 4; i++) {
        line = strtok(NULL, "\n");
        assert_non_null(line);
        assert_true(fabs(strtod(line, &line) - t[i]) < 1e-15);
        for (size_t k = 1; i == 3 && k < columns_of(z); k++) assert_true(strtod(line + 1, &line) == values[k]);
    }
    assert_null(strtok(NULL, "\n"));
    taut_session_release(s);
    l.length = 0, l.room = 300; /* some lines fit */
    s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_CANNOT_WRITE);
    const taut_session_info info = about(s);
    assert_true(!info.finished && info.steps < info.steps_planned);
    taut_session_release(s);
    drop(f);
}

static void events(void **state)
{
    (void)state;
    static lines l;
    fixture f = load(BALL);
    const taut_session_spec spec = { .size = sizeof spec, .until = "1", .every = 1000, .write = take_lines,
                                     .user = &l };
    l.length = 0, l.room = sizeof l.text;
    taut_session *s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    l.text[l.length] = 0;
    taut_simulation_info info = { .size = sizeof info };
    taut_simulation_about(taut_session_simulation(s), &info);
    assert_true(info.contacts == 1 && info.events[0] >= 1 && !info.energy_conserved);
    char *line = strtok(l.text, "\n"), *impact = NULL;
    assert_non_null(strstr(line, ",event,contact,impulse"));
    while ((line = strtok(NULL, "\n")) && !impact) impact = strstr(line, ",impact,floor,");
    assert_non_null(impact);
    /* sqrt(20), half of it back: the impulse is 1.5 of it; the step is of second order */
    assert_true(fabs(strtod(impact + strlen(",impact,floor,"), NULL) - 1.5 * sqrt(20)) < 1e-3);
    taut_session_release(s);
    drop(f);
}

/* ---- files ---- */

typedef struct {
    long at;
    volatile int stop;
} stopper;

static void stop_at(void *user, taut_simulation *z, long done, long steps, double energy_change)
{
    stopper *w = user;
    assert_true(done <= steps && energy_change - energy_change == 0 && taut_time(z) > 0);
    if (done >= w->at) w->stop = 1;
}

static size_t read_all(taut_context *context, const char *path, double *values, size_t room)
{
    taut_file *file;
    size_t count;
    assert_int_equal(taut_file_open(context, path, &file), TAUT_OK);
    assert_false(taut_file_is_ensemble(file));
    assert_int_equal(taut_file_check(file), TAUT_OK);
    assert_int_equal(taut_file_frames(file, &count), TAUT_OK);
    assert_true(count * taut_file_columns(file) <= room);
    assert_int_equal(taut_file_read(file, 0, count, NULL, 0, values, NULL), TAUT_OK);
    count *= taut_file_columns(file);
    taut_file_close(file);
    return count;
}

/* Interrupted and resumed: the bits of a run that was not. */
static void resumed(void **state)
{
    (void)state;
    char whole[64], parts[64];
    static double one[20000], other[20000];
    fixture f = load(PENDULUM);
    stopper w = { .at = 70 };
    taut_session_spec spec = { .size = sizeof spec, .until = "2", .every = 3, .file = whole };
    name_file(whole), name_file(parts);
    taut_session *s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    taut_session_release(s);
    assert_int_equal(taut_session_create(f.context, f.model, &spec, &s), TAUT_BAD_USAGE); /* it is there */
    spec.file = parts, spec.progress = stop_at, spec.user = &w, spec.interrupt = &w.stop;
    s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    taut_session_info info = about(s);
    assert_true(info.stopped == 1 && !info.finished && info.steps == 70 && info.committed == 70);
    taut_session_release(s);
    s = NULL;
    const taut_session_spec more = { .size = sizeof more };
    if (taut_session_open(f.context, parts, &more, &s)) fail_msg("%s", taut_error_text(f.context));
    assert_int_equal(about(s).steps_before, 70);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    info = about(s);
    assert_true(info.finished && info.steps == 200 && info.steps_before == 70);
    taut_session_release(s);
    const size_t count = read_all(f.context, whole, one, 20000);
    assert_true(count > 500);
    assert_int_equal(read_all(f.context, parts, other, 20000), count);
    assert_memory_equal(one, other, count * sizeof *one);
    /* nothing is left to do */
    s = NULL;
    assert_int_equal(taut_session_open(f.context, parts, NULL, &s), TAUT_OK);
    info = about(s);
    assert_true(info.finished && info.until.high == 2 && !taut_session_simulation(s));
    assert_int_equal(taut_session_run(s), TAUT_OK);
    taut_session_release(s);
    const taut_session_spec later = { .size = sizeof later, .until = "3" };
    assert_int_equal(taut_session_open(f.context, parts, &later, &s), TAUT_OK);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    assert_int_equal(about(s).steps, 300);
    taut_session_release(s);
    const taut_session_spec sooner = { .size = sizeof sooner, .until = "1" };
    assert_int_equal(taut_session_open(f.context, parts, &sooner, &s), TAUT_BAD_USAGE);
    assert_null(s);
    unlink(whole), unlink(parts);
    drop(f);
}

/* Without a file an interrupt is seen, too. */
static void interrupted(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    stopper w = { .at = 1 };
    const taut_session_spec spec = { .size = sizeof spec, .until = "1000", .progress = stop_at, .user = &w,
                                     .interrupt = &w.stop };
    taut_session *s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    const taut_session_info info = about(s);
    assert_true(info.stopped && info.steps < 2000 && info.steps_planned == 100000);
    taut_session_release(s);
    drop(f);
}

static void meddle(void *user, taut_simulation *z, long done, long steps, double energy_change)
{
    const double impulse[2] = { 0, 1 };
    (void)user, (void)steps, (void)energy_change;
    if (done >= 10) assert_int_equal(taut_kick(z, impulse), TAUT_OK);
}

/* What is recorded is the motion of the model alone. */
static void only_read(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    const taut_session_spec spec = { .size = sizeof spec, .until = "1", .progress = meddle };
    taut_session *s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_BAD_USAGE);
    assert_non_null(strstr(taut_error_text(f.context), "taut_kick"));
    assert_int_equal(about(s).steps, 10);
    taut_session_release(s);
    drop(f);
}

static void member(void **state)
{
    (void)state;
    char path[64];
    double kept[3];
    fixture f = load(PENDULUM);
    const char *laws[] = { "g=uniform(9,10)", "a.x=uniform(0.7,0.9)" };
    const taut_members_spec spec = { .size = sizeof spec, .h = 0.01, .until = 1, .vary = laws, .vary_count = 2,
                                     .count = 4, .keep = "a.x,a.y", .file = path, .replace = 1 };
    taut_simulation *z;
    taut_members *m;
    name_file(path);
    assert_int_equal(taut_simulation_create(f.context, f.model, NULL, &z), TAUT_OK);
    assert_int_equal(taut_members_create(z, &spec, &m), TAUT_OK);
    static double rows[4 * 3];
    taut_members_run_options run = { .size = sizeof run, .rows = rows, .row_capacity = 4 };
    assert_int_equal(taut_members_run(m, &run), TAUT_OK);
    taut_members_release(m);
    taut_simulation_release(z);
    taut_session *s;
    if (taut_session_of_member(f.context, path, 2, NULL, &s)) fail_msg("%s", taut_error_text(f.context));
    assert_int_equal(taut_session_run(s), TAUT_OK);
    z = taut_session_simulation(s);
    assert_int_equal(taut_get(z, TAUT_TIME, 0, 1, kept, NULL), TAUT_OK);
    assert_int_equal(taut_get(z, TAUT_POSITION, 0, 2, kept + 1, NULL), TAUT_OK);
    assert_memory_equal(kept, rows + 6, sizeof kept);
    taut_session_release(s);
    assert_int_equal(taut_session_of_member(f.context, path, 4, NULL, &s), TAUT_BAD_USAGE);
    assert_non_null(strstr(taut_error_text(f.context), "members 0 to 3, not 4"));
    assert_int_equal(taut_session_open(f.context, path, NULL, &s), TAUT_CANNOT_READ);
    taut_file *file;
    assert_int_equal(taut_file_open(f.context, path, &file), TAUT_OK);
    assert_true(taut_file_is_ensemble(file));
    taut_file_close(file);
    unlink(path);
    drop(f);
}

/* ---- whose the model is ---- */

static void takes_model(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_session_spec spec = { .size = sizeof spec, .until = "1", .method = "no-such", .takes_model = 1 };
    taut_session *s;
    assert_int_equal(taut_session_create(f.context, f.model, &spec, &s), TAUT_BAD_USAGE);
    assert_string_equal(taut_model_title(f.model), "test.lua"); /* still the caller's */
    spec.method = "rattle";
    taut_model_keep(f.model); /* another owner: it is copied, and does not change */
    s = begin(f, &spec);
    assert_int_equal(taut_session_run(s), TAUT_OK);
    taut_session_release(s);
    s = begin(f, &spec); /* the last reference */
    f.model = NULL;
    assert_int_equal(taut_session_run(s), TAUT_OK);
    const double g = 1.62;
    taut_simulation *z = taut_session_simulation(s);
    assert_int_equal(taut_set(z, TAUT_PARAM, 1, 1, &g), TAUT_OK); /* a copy from here on */
    assert_int_equal(run_to(z, 0.01, 1), TAUT_OK);
    taut_session_release(s);
    drop(f);
}

/* ---- what a simulation says of itself ---- */

static void simulation(void **state)
{
    (void)state;
    fixture f = load(SPRING);
    taut_simulation *z;
    taut_simulation_info info = { .size = sizeof info };
    const taut_options options = { .size = sizeof options, .native = TAUT_NATIVE_OFF };
    double frequency;
    assert_int_equal(taut_simulation_create(f.context, f.model, &options, &z), TAUT_OK);
    taut_simulation_about(z, &info);
    assert_string_equal(info.method, "rattle");
    assert_string_equal(info.precision, "double");
    assert_true(info.coordinates == 1 && !info.constraints && !info.contacts && info.energy_conserved);
    assert_true(info.stable == 2); /* Verlet: omega h < 2 */
    assert_true(info.code == TAUT_CODE_INTERPRETED && info.native_lacks == TAUT_NATIVE_LACKS_NOTHING);
    assert_string_equal(info.native_reason, "");
    assert_int_equal(taut_frequency(z, 0, &frequency), TAUT_OK);
    assert_true(fabs(frequency - 30) < 1e-6);
    taut_simulation_release(z);
    drop(f);
}

/* All digits, where high and low have not all of them. */
static void digits(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_simulation *z;
    taut_precision p = { .size = sizeof p };
    if (taut_precisions(1, &p)) skip();
    const taut_options options = { .size = sizeof options, .precision = "quad" };
    char text[TAUT_DIGITS_TEXT];
    assert_int_equal(taut_simulation_create(f.context, f.model, &options, &z), TAUT_OK);
    assert_int_equal(taut_digits(z, TAUT_PARAM, 1, text, sizeof text), TAUT_OK);
    assert_string_equal(text, "9.81");
    assert_int_equal(run_to(z, 0.01, 0.03), TAUT_OK);
    assert_int_equal(taut_digits(z, TAUT_TIME, 0, text, sizeof text), TAUT_OK);
    assert_string_equal(text, "0.03");
    assert_int_equal(taut_digits(z, TAUT_POSITION, 1, text, sizeof text), TAUT_OK);
    assert_int_equal(strspn(text, "-0.123456789"), strlen(text));
    assert_true(strlen(text) > 33);
    assert_int_equal(taut_digits(z, TAUT_POSITION, 2, text, sizeof text), TAUT_BAD_USAGE);
    assert_int_equal(taut_digits(z, TAUT_TIME, 0, text, 10), TAUT_BAD_USAGE);
    taut_simulation_release(z);
    drop(f);
}

/* ---- C code ---- */

static void c_code(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_c_code *code;
    const taut_c_spec spec = { .size = sizeof spec, .prefix = "swing", .header = "swing.h", .step = "0.002" };
    size_t size;
    if (taut_c_create(f.context, f.model, &spec, &code)) fail_msg("%s", taut_error_text(f.context));
    const char *header = taut_c_header(code, &size), *source = taut_c_source(code, NULL);
    assert_int_equal(strlen(header), size);
    assert_non_null(strstr(header, "0.002"));
    assert_non_null(strstr(header, "swing_step("));
    assert_non_null(strstr(source, "#include \"swing.h\""));
    taut_c_release(code);
    const taut_c_spec wrong[] = {
        { .size = sizeof *wrong, .prefix = "9a" },     { .size = sizeof *wrong, .prefix = "" },
        { .size = sizeof *wrong, .header = "a\"b.h" }, { .size = sizeof *wrong, .step = "0" },
        { .size = sizeof *wrong, .tolerance = "1" },   { .size = sizeof *wrong, .start = TAUT_AS_IS },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(taut_c_create(f.context, f.model, &wrong[i], &code), TAUT_BAD_USAGE);
        assert_null(code);
    }
    const taut_c_spec none = { .size = sizeof none, .method = "em:project" };
    assert_int_equal(taut_c_create(f.context, f.model, &none, &code), TAUT_UNSUPPORTED);
    drop(f);
}

/* ---- refused, and without memory ---- */

static void refused(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_session *s;
    const taut_session_spec wrong[] = {
        { .size = sizeof *wrong, .step = "x" },          { .size = sizeof *wrong, .step = "0" },
        { .size = sizeof *wrong, .until = "-1" },        { .size = sizeof *wrong, .tolerance = "0.1" },
        { .size = sizeof *wrong, .every = -1 },          { .size = sizeof *wrong, .threads = -1 },
        { .size = sizeof *wrong, .native = 9 },          { .size = sizeof *wrong, .start = 3 },
        { .size = sizeof *wrong, .tolerance = "quite" }, { .size = 0 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(taut_session_create(f.context, f.model, &wrong[i], &s), TAUT_BAD_USAGE);
        assert_null(s);
    }
    const taut_session_spec none = { .size = sizeof none, .precision = "half" };
    assert_int_equal(taut_session_create(f.context, f.model, &none, &s), TAUT_UNSUPPORTED);
    assert_int_equal(taut_session_open(f.context, "/no/such.taut", NULL, &s), TAUT_CANNOT_READ);
    drop(f);
}

static void memory(void **state)
{
    (void)state;
    enum { ENDLESS = 1000000000, STRIDE = 7 };
    for (int takes = 0; takes < 2; takes++)
        for (long k = 1, done = 0; !done; k += STRIDE) {
            counter c = { .fail_at = ENDLESS };
            taut_context *context = taut_context_create(&(taut_allocator){ counted_resize, &c });
            taut_model *model;
            taut_session *s;
            const taut_session_spec spec = { .size = sizeof spec, .until = "0.1", .takes_model = takes };
            assert_int_equal(taut_model_load_text(context, "x", PENDULUM, strlen(PENDULUM), NULL, 0, &model), TAUT_OK);
            c.fail_at = c.calls + k, c.fail_count = ENDLESS;
            int status = taut_session_create(context, model, &spec, &s);
            if (status || !takes) taut_model_release(model);
            if (!status) status = taut_session_run(s);
            if (status) assert_int_equal(status, TAUT_OUT_OF_MEMORY);
            done = !status;
            taut_session_release(s);
            taut_context_destroy(context);
            assert_int_equal(c.live, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watched),     cmocka_unit_test(frames),      cmocka_unit_test(events),
        cmocka_unit_test(resumed),     cmocka_unit_test(interrupted), cmocka_unit_test(member),
        cmocka_unit_test(takes_model), cmocka_unit_test(simulation),  cmocka_unit_test(digits),
        cmocka_unit_test(c_code),      cmocka_unit_test(only_read),   cmocka_unit_test(refused),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
