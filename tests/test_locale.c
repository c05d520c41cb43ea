/* A host with a decimal comma: what Taut reads and writes is the same, byte for byte, as in the C locale. The
   locale is made here, with localedef (of Debian's libc-bin), from a text that needs no other package. */
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "record/export.h"
#include "report/page.h"
#include "run/verify.h"
#include "support_library.h"
#include "support_record.h"

/* HDF5 brings p11-kit along, which makes a locale when it is loaded, and glibc's newlocale loses the list that it makes
   of LOCPATH. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:__argz_add_sep\n"; }

static char folder[] = "taut-locale-XXXXXX";
static int have_comma;

static char *in_folder(const char *name)
{
    static char paths[8][400];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static char *read_bytes(const char *name, size_t *size)
{
    struct stat found;
    assert_int_equal(stat(in_folder(name), &found), 0);
    char *bytes = malloc((size_t)found.st_size + 1);
    FILE *file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    *size = fread(bytes, 1, (size_t)found.st_size, file);
    assert_int_equal(*size, found.st_size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static void assert_same_files(const char *one, const char *other)
{
    size_t one_size, other_size;
    char *a = read_bytes(one, &one_size), *b = read_bytes(other, &other_size);
    if (one_size != other_size || memcmp(a, b, one_size) != 0) fail_msg("%s and %s differ", one, other);
    assert_true(one_size > 0);
    free(a);
    free(b);
}

static int make_comma(void **state)
{
    (void)state;
    char command[800], root[200];
    assert_non_null(mkdtemp(folder));
    write_text("comma.source",
        "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\n"
                               "END LC_NUMERIC\n");
    write_text("comma.map", "<code_set_name> PLAIN\n<comment_char> %\n<escape_char> /\nCHARMAP\n<U0000>..<U007F> /x00 "
                            "ASCII\nEND CHARMAP\n");
    /* -c: go on although the other categories have no definitions; it then ends with status 1 */
    snprintf(command, sizeof command,
        "cd %s && localedef -c --no-archive -i ./comma.source -f ./comma.map ./comma > localedef.log 2>&1", folder);
    if (system(command) == -1) return 0;
    assert_non_null(getcwd(root, sizeof root));
    snprintf(command, sizeof command, "%s/%s", root, folder);
    setenv("LOCPATH", command, 1);
    have_comma = setlocale(LC_ALL, "comma") != NULL;
    setlocale(LC_ALL, "C");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* The test's own eyes: is this thread in the comma locale? */
static int comma_rules(void)
{
    char text[8];
    snprintf(text, sizeof text, "%g", 1.5);
    return strcmp(text, "1,5") == 0;
}

static void use(const char *name)
{
    assert_non_null(setlocale(LC_ALL, name));
    assert_int_equal(comma_rules(), strcmp(name, "comma") == 0);
}

/* ---- the public interface ---- */

static const char model_text[] = "title('half of ' .. tostring(2.5) .. ' and ' .. string.format('%.2f', 0.25) .. ' and "
                                 "' .. ('1.5' + 0) .. ' and ' .. tostring(4.0))\n"
                                 "print(1.5, tonumber('0.25'), math.pi)\n"
                                 "local g, l, k = param('g', 9.81), param('l', 1.5), option('k', 0.5)\n"
                                 "local a = point('a', 2)\n"
                                 "lagrangian(norm2(a.dot)/2 - g*a.y - k*a.x)\n"
                                 "constraint('rod', norm2(a) - l^2)\n"
                                 "observe('sum', a.x + 0.125*a.y)\n"
                                 "start { a = {1.5, 0}, ['a.dot'] = {0, 0.75} }\n";

typedef struct {
    char title[200], log[400], refused[TAUT_ERROR_TEXT], never[TAUT_ERROR_TEXT];
    int log_in_comma;
    double frame[32], other[32];
} findings;

static void listen(void *user, const char *line)
{
    findings *f = user;
    size_t at = strlen(f->log);
    snprintf(f->log + at, sizeof f->log - at, "%s\n", line);
    f->log_in_comma = comma_rules();
}

static void run_method(taut_context *context, taut_model *model, const char *method, double *frame)
{
    taut_simulation *simulation = NULL;
    taut_options options = { .size = sizeof options };
    options.method = method;
    assert_int_equal(taut_simulation_create(context, model, &options, &simulation), TAUT_OK);
    assert_in_range(columns_of(simulation), 1, 32);
    assert_int_equal(run_to(simulation, 0.01, 0.55), TAUT_OK);
    assert_int_equal(frame_of(simulation, frame), TAUT_OK);
    taut_simulation_release(simulation);
}

static void use_library(const char *locale, findings *f)
{
    const taut_setting settings[] = { { "g", "1.62", 0 }, { "k", NULL, 0.25 } }, wrong[] = { { "g", "1,62", 0 } };
    taut_model *model = NULL, *none = NULL;
    taut_simulation *simulation = NULL;
    memset(f, 0, sizeof *f);
    use(locale);
    taut_context *context = taut_context_create(NULL);
    taut_context_log(context, listen, f);
    if (taut_model_load_file(context, in_folder("model.lua"), settings, 2, &model))
        fail_msg("%s: %s", locale, taut_error_text(context));
    snprintf(f->title, sizeof f->title, "%s", taut_model_title(model));
    run_method(context, model, "rattle", f->frame);
    run_method(context, model, "euler:alpha=0.25", f->other);
    assert_int_equal(taut_model_load_file(context, in_folder("model.lua"), wrong, 1, &none), TAUT_BAD_MODEL);
    snprintf(f->refused, sizeof f->refused, "%s", taut_error_text(context));
    assert_int_equal(taut_simulation_create(context, model, NULL, &simulation), TAUT_OK);
    assert_int_equal(run_to(simulation, 0.25, -1.5), TAUT_BAD_USAGE);
    snprintf(f->never, sizeof f->never, "%s", taut_error_text(context));
    taut_simulation_release(simulation);
    taut_model_release(model);
    taut_context_destroy(context);
    assert_int_equal(comma_rules(), strcmp(locale, "comma") == 0); /* the host's locale is as it was */
    use("C");
}

static void the_library_knows_no_comma(void **state)
{
    (void)state;
    if (!have_comma) skip();
    findings plain, comma;
    write_text("model.lua", model_text);
    use_library("C", &plain);
    use_library("comma", &comma);
    assert_string_equal(plain.title, "half of 2.5 and 0.25 and 1.5 and 4.0");
    assert_string_equal(comma.title, plain.title);
    assert_non_null(strstr(plain.log, "1.5\t0.25\t3.14159"));
    assert_string_equal(comma.log, plain.log);
    assert_true(comma.log_in_comma); /* a callback is the host's, and runs in its locale */
    assert_false(plain.log_in_comma);
    assert_memory_equal(comma.frame, plain.frame, sizeof plain.frame);
    assert_memory_equal(comma.other, plain.other, sizeof plain.other);
    assert_non_null(strstr(plain.refused, "1,62"));
    assert_string_equal(comma.refused, plain.refused);
    assert_non_null(strstr(plain.never, "0.25"));
    assert_string_equal(comma.never, plain.never);
}

/* ---- numbers ---- */

static void numbers_come_back(void **state)
{
    (void)state;
    if (!have_comma) skip();
    use("comma");
    char text[WIDE_TEXT];
    wide value;
    assert_true(taut_wide_from_double(0.1) == (wide)1 / 10);
    assert_int_equal(taut_wide_parse("1.62 ", &value), 0);
    taut_wide_format(text, sizeof text, value, 15);
    assert_string_equal(text, "1.62");
    taut_wide_format(text, sizeof text, (wide)1 / 8, WIDE_DIGITS);
    assert_string_equal(text, "0.125");
    taut_wide_shortest(text, sizeof text, value);
    assert_string_equal(text, "1.62");
    /* the fewest digits that bring a number back: one less does not */
    const wide numbers[] = { (wide)1 / 3, (wide)0.1, (wide)1e-300 / 7, (wide)0.25, -(wide)1e22 / 3, (wide)1 / 10 };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char fewer[WIDE_TEXT];
        int digits = 1;
        do taut_wide_format(fewer, sizeof fewer, numbers[i], digits);
        while (taut_wide_parse(fewer, &value) == 0 && value != numbers[i] && ++digits <= WIDE_DIGITS + 2);
        taut_wide_shortest(text, sizeof text, numbers[i]);
        assert_string_equal(text, fewer);
    }
    assert_int_equal(taut_wide_parse("1,62", &value), 1);
    assert_true(taut_text_number("0.5", NULL) == 0.5);
    use("C");
}

/* ---- run files, exports, pages ---- */

static void record_and_export(const char *locale, const char *run)
{
    char name[100];
    const recipe c = { .model = "double-spherical-pendulum", .method = "rattle", .step = 0.01, .steps = 40, .every = 1,
        .interval = 1,
                       .setting = "m1", .value = "2.5" };
    use(locale);
    snprintf(name, sizeof name, "%s.taut", run);
    recorded_run(&c, in_folder(name), 0, 20);
    recorded_run(&c, in_folder(name), 1, 0); /* the checkpoint is read in this locale too */
    use("C");
}

static void export_all(const char *locale, const char *run)
{
    static const char template_text[] = "<html>" PAGE_MARK "</html>";
    size_t columns[100];
    char name[100], target[100];
    record *r;
    use(locale);
    taut_context *context = taut_context_create(NULL);
    snprintf(name, sizeof name, "%s.taut", run);
    assert_int_equal(taut_record_open(context, in_folder(name), &r), TAUT_OK);
    size_t width = taut_record_column_count(r);
    assert_in_range(width, 1, 100);
    for (size_t i = 0; i < width; i++) columns[i] = i;
    const export_options all = { columns, width, 1 };
    snprintf(target, sizeof target, "%s-%s.csv", run, locale);
    assert_int_equal(taut_export_csv(context, r, in_folder(target), &all), TAUT_OK);
    snprintf(target, sizeof target, "%s-%s.xyz", run, locale);
    assert_int_equal(taut_export_xyz(context, r, in_folder(target), &all), TAUT_OK);
    snprintf(target, sizeof target, "%s-%s.h5", run, locale);
    assert_int_equal(taut_export_hdf5(context, r, in_folder(target), &all), TAUT_OK);
    snprintf(target, sizeof target, "%s-%s.html", run, locale);
    FILE *page = fopen(in_folder(target), "w");
    assert_non_null(page);
    if (taut_page_write(context, r, template_text, sizeof template_text - 1, page))
        fail_msg("%s", taut_error_text(context));
    assert_int_equal(fclose(page), 0);
    taut_record_close(r);
    taut_context_destroy(context);
    use("C");
}

static void files_are_the_same(void **state)
{
    (void)state;
    if (!have_comma) skip();
    record_and_export("C", "plain");
    record_and_export("comma", "comma");
    frames plain = read_frames_of(in_folder("plain.taut")), comma = read_frames_of(in_folder("comma.taut"));
    assert_same_frames(&plain, &comma);
    free_frames(&plain);
    free_frames(&comma);
    /* of one run file, read in both locales; a page also holds the hour of the run */
    export_all("C", "plain");
    export_all("comma", "plain");
    export_all("C", "comma");
    assert_same_files("plain-C.csv", "plain-comma.csv");
    assert_same_files("plain-C.csv", "comma-C.csv");
    assert_same_files("plain-C.xyz", "plain-comma.xyz");
    assert_same_files("plain-C.xyz", "comma-C.xyz");
    assert_same_files("plain-C.html", "plain-comma.html");
}

/* ---- verify: rows of text ---- */

static void verify_in(const char *locale, verify_result *result)
{
    use(locale);
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    void *engine = NULL;
    const engine_options options = { .method = "rattle" };
    assert_int_equal(taut_model_read_file(context, MODELS "/double-spherical-pendulum.lua", NULL, 0, &m), TAUT_OK);
    assert_int_equal(taut_engine_double.create(m, &options, &engine), TAUT_OK);
    const verify_options what = { .api = &taut_engine_double, .engine = engine, .long_api = &taut_engine_double,
        .long_engine = engine,
                                  .step = (wide)1 / 128, .until = 1 };
    if (taut_verify_run(context, &what, result)) fail_msg("%s", taut_error_text(context));
    taut_engine_double.destroy(engine);
    taut_model_free(m);
    taut_context_destroy(context);
    assert_int_equal(comma_rules(), strcmp(locale, "comma") == 0);
    use("C");
}

static void verdicts_are_the_same(void **state)
{
    (void)state;
    if (!have_comma) skip();
    verify_result plain, comma;
    verify_in("C", &plain);
    verify_in("comma", &comma);
    assert_int_equal(comma.count, plain.count);
    for (int i = 0; i < plain.count; i++) {
        assert_string_equal(comma.rows[i].measured, plain.rows[i].measured);
        assert_string_equal(comma.rows[i].note, plain.rows[i].note);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_knows_no_comma), cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(files_are_the_same),
        cmocka_unit_test(verdicts_are_the_same),
    };
    return cmocka_run_group_tests(tests, make_comma, remove_folder);
}
