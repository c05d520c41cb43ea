/* What the command asks of the library besides simulations: what a model is, convergence, verification, the catalogue,
   exports, what was probably meant, progress, the interrupt of a context. */
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

/* ---- the catalogue, params, what was meant ---- */

static void catalogue(void **state)
{
    (void)state;
    taut_method_info info = { .size = sizeof info };
    taut_method_option option = { .size = sizeof option };
    size_t count = 0, options = 0;
    for (; taut_methods(count, &info) == TAUT_OK; count++) {
        assert_non_null(info.equations);
        assert_true(info.momentum_order >= 1 && info.momentum_order <= info.order);
        assert_int_equal(info.keeps & info.keeps_free, 0);
        for (size_t i = 0; i < info.options; i++, options++) {
            assert_int_equal(taut_method_options(count, i, &option), TAUT_OK);
            assert_true(option.name[0] && option.values && option.meaning[0]);
        }
        assert_int_equal(taut_method_options(count, info.options, &option), TAUT_BAD_USAGE);
        if (strcmp(info.name, "shake") == 0) assert_true(info.order == 2 && info.momentum_order == 1);
    }
    assert_true(count > 8 && options > 8);
    assert_int_equal(taut_method_options(count, 0, &option), TAUT_BAD_USAGE);
    taut_precision p = { .size = sizeof p };
    assert_int_equal(taut_precisions(0, &p), TAUT_OK);
    assert_string_equal(p.name, "double");
    assert_int_equal(p.digits, 17);
    assert_int_equal(taut_precisions(2, &p), TAUT_BAD_USAGE);
}

static void parameters(void **state)
{
    (void)state;
    static const char pushed[] = "local m, f = param('m', 1), input('f', 9.81)\nlocal x = coordinate('x')\n"
                                 "lagrangian(m*x.dot^2/2)\nforce(x, f)\nstart { x = 0 }\n";
    fixture f = load(pushed);
    taut_parameter p = { .size = sizeof p };
    assert_int_equal(taut_model_parameter(f.model, 0, &p), TAUT_OK);
    assert_string_equal(p.name, "m");
    assert_true(p.value.high == 1 && p.value.low == 0 && !p.is_input);
    assert_int_equal(taut_model_parameter(f.model, 1, &p), TAUT_OK);
    assert_true(p.value.high == 9.81 && p.is_input);
    assert_int_equal(taut_model_parameter(f.model, 2, &p), TAUT_BAD_USAGE);
    drop(f);
}

static void what_was_meant(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_model *m;
    taut_error e = { .size = sizeof e };
    const taut_setting wrong = { .name = "lenght", .number = 2 }, far = { .name = "colour", .number = 2 };
    assert_int_equal(taut_model_load_text(f.context, "x", PENDULUM, strlen(PENDULUM), &wrong, 1, &m), TAUT_BAD_USAGE);
    taut_context_error(f.context, &e);
    assert_string_equal(e.item, "lenght");
    assert_string_equal(e.near, "length");
    assert_string_equal(e.text, "the model has no param, input or option 'lenght'; did you mean 'length'?");
    assert_int_equal(taut_model_load_text(f.context, "x", PENDULUM, strlen(PENDULUM), &far, 1, &m), TAUT_BAD_USAGE);
    taut_context_error(f.context, &e);
    assert_string_equal(e.near, "");
    assert_string_equal(e.text, "the model has no param, input or option 'colour'");
    drop(f);
}

/* ---- what a model is ---- */

static void findings(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_findings *z;
    taut_structure s = { .size = sizeof s };
    taut_found item = { .size = sizeof item };
    assert_int_equal(taut_findings_create(f.context, f.model, TAUT_AS_IS, &z), TAUT_BAD_USAGE);
    assert_int_equal(taut_findings_create(f.context, f.model, TAUT_STRICT, &z), TAUT_OK);
    taut_findings_about(z, &s);
    assert_int_equal(s.status, TAUT_OK);
    assert_string_equal(s.failure, "");
    assert_int_equal(s.form, TAUT_FORM_LAGRANGIAN);
    assert_true(s.coordinates == 2 && s.constraints == 1 && s.rank == 1 && s.degrees_of_freedom == 1);
    assert_true(s.constant_mass && s.diagonal_mass && !s.forces && s.energy_conserved && s.fast_path);
    assert_string_equal(s.start_failure, "");
    assert_int_equal(taut_findings_item(z, TAUT_FOUND_START, 0, &item), TAUT_OK);
    assert_string_equal(item.name, "a.x");
    assert_true(item.value.high == 1 && !item.is_free);
    assert_int_equal(taut_findings_item(z, TAUT_FOUND_METHOD, 0, &item), TAUT_OK);
    assert_null(item.text);
    assert_int_equal(taut_findings_item(z, TAUT_FOUND_DEPENDENT, 0, &item), TAUT_BAD_USAGE);
    assert_int_equal(taut_findings_item(z, TAUT_FOUND_KINDS, 0, &item), TAUT_BAD_USAGE);
    taut_dirac_info d = { .size = sizeof d };
    assert_null(taut_findings_dirac_line(z, 0));
    assert_int_equal(taut_findings_dirac(z, NULL, &d), TAUT_OK);
    assert_true(d.covered && !d.asked && d.coordinates == 2);
    assert_non_null(taut_findings_dirac_line(z, 0));
    taut_findings_release(z);
    drop(f);
}

/* A chain of 24 bodies on ball joints. */
static const char BODIES[] =
    "gravity{0, 0, -9.81}\n"
    "local before = world\n"
    "for i = 1, 24 do\n"
    "  local b = body('b' .. i, { mass = 1, inertia = {0.1, 0.2, 0.25}, at = {i - 0.5, 0, 0} })\n"
    "  spherical('j' .. i, before, b, { at = {i - 1, 0, 0} })\n"
    "  before = b\n"
    "end\n";
/* A chain of 30 points. */
static const char POINTS[] =
    "local before, L = origin, 0\n"
    "local start_at = {}\n"
    "for i = 1, 30 do\n"
    "  local a = point('a' .. i, 2)\n"
    "  L = L + norm2(a.dot)/2 - 9.81*a.y\n"
    "  constraint('bar' .. i, norm2(a - before) - 1)\n"
    "  start_at[a] = {i, 0}\n"
    "  before = a\n"
    "end\n"
    "lagrangian(L)\n"
    "start(start_at)\n";
/* The same constraint twice. */
static const char TWICE[] =
    "local a = point('a', 2)\n"
    "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
    "constraint('rod', norm2(a) - 1)\n"
    "constraint('again', 2*norm2(a) - 2)\n"
    "start { a = {1, 0} }\n";

static taut_path path_of(const char *text, const char *method)
{
    fixture f = load(text);
    taut_findings *z;
    taut_path p = { .size = sizeof p };
    assert_int_equal(taut_findings_create(f.context, f.model, TAUT_STRICT, &z), TAUT_OK);
    if (taut_findings_path(z, method, &p)) fail_msg("%s", taut_error_text(f.context));
    taut_findings_release(z);
    drop(f);
    return p;
}

static void paths(void **state)
{
    (void)state;
    taut_path p = path_of(PENDULUM, "rattle");
    assert_int_equal(p.kind, TAUT_PATH_STRAIGHT);
    assert_true(!p.why[0] && !p.why_fields[0] && !p.phases);
    p = path_of(BODIES, "rattle");
    assert_int_equal(p.kind, TAUT_PATH_ELEMENTS);
    assert_true(p.phases == 2 && p.condensed == 2 && p.shapes > 0);
    assert_non_null(strstr(p.why, "too long"));
    p = path_of(BODIES, "compose:rattle,order=4");
    assert_true(p.kind == TAUT_PATH_ELEMENTS && p.condensed == 2);
    assert_int_equal(path_of(BODIES, "em").kind, TAUT_PATH_ELEMENTS);
    assert_int_equal(path_of(BODIES, "naive").kind, TAUT_PATH_FIELDS);
    assert_int_equal(path_of(POINTS, "rattle").kind, TAUT_PATH_WRITTEN_OUT);
    p = path_of(TWICE, "lobatto:s=3");
    assert_int_equal(p.kind, TAUT_PATH_FIELDS);
    assert_string_equal(p.why, "constraints depend on each other");
    assert_string_equal(p.why_fields, "its mass matrix is constant, in small blocks");
    assert_int_equal(path_of(PENDULUM, "dirac:rk4").kind, TAUT_PATH_STRAIGHT);
    fixture f = load(PENDULUM);
    taut_findings *z;
    assert_int_equal(taut_findings_create(f.context, f.model, TAUT_STRICT, &z), TAUT_OK);
    assert_int_equal(taut_findings_path(NULL, "rattle", &p), TAUT_BAD_USAGE);
    assert_int_equal(taut_findings_path(z, NULL, &p), TAUT_BAD_USAGE);
    assert_int_equal(taut_findings_path(z, "rattle", NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_findings_path(z, "nonsense", &p), TAUT_BAD_USAGE);
    taut_findings_release(z);
    drop(f);
}

/* Neither a model that cannot run nor a start off the constraints is a failure of the call. */
static void findings_of_bad_models(void **state)
{
    static const char singular[] =
        "local x, y = coordinate('x'), coordinate('y')\nlagrangian(x.dot^2/2 + x*y)\nstart { x = 1, y = 0 }\n";
    (void)state;
    taut_structure s = { .size = sizeof s };
    taut_dirac_info d = { .size = sizeof d };
    taut_findings *z;
    fixture f = load(singular);
    assert_int_equal(taut_findings_create(f.context, f.model, TAUT_STRICT, &z), TAUT_OK);
    taut_findings_about(z, &s);
    if (s.status) assert_true(s.failure[0]);
    else assert_true(s.phase_space || s.start_failure[0]);
    assert_int_equal(taut_findings_dirac(z, "more", &d), TAUT_OK);
    assert_true(d.singular);
    taut_findings_release(z);
    drop(f);
    static const char off[] = "local a = point('a', 2)\nlagrangian(norm2(a.dot)/2)\nconstraint('rod', norm2(a) - 1)\n"
                              "start { a = {2, 0} }\n";
    f = load(off);
    assert_int_equal(taut_findings_create(f.context, f.model, TAUT_STRICT, &z), TAUT_OK);
    taut_findings_about(z, &s);
    assert_int_equal(s.status, TAUT_OK);
    assert_non_null(strstr(s.start_failure, "rod"));
    taut_findings_release(z);
    drop(f);
}

/* ---- measurements ---- */

static void convergence(void **state)
{
    static const char *const steps[] = { "0.02", "0.01", "0.005" };
    (void)state;
    fixture f = load(PENDULUM);
    taut_convergence_spec spec = { .size = sizeof spec, .method = "rattle", .until = "0.2", .steps = steps,
                                   .step_count = 3 };
    taut_convergence_info info = { .size = sizeof info };
    taut_convergence_row row = { .size = sizeof row };
    taut_progress_state progress = { .size = sizeof progress };
    taut_convergence *z;
    taut_progress *p;
    assert_int_equal(taut_convergence_create(f.context, f.model, &spec, &z), TAUT_OK);
    assert_int_equal(taut_progress_create(f.context, &p), TAUT_OK);
    taut_convergence_about(z, &info);
    assert_int_equal(info.rows, 0);
    assert_int_equal(taut_convergence_run(z, p), TAUT_OK);
    taut_progress_read(p, &progress);
    assert_non_null(progress.doing);
    taut_convergence_about(z, &info);
    assert_true(info.rows == 3 && info.kinds == TAUT_ERRORS);
    assert_string_equal(info.wrong, "");
    assert_string_equal(info.precision, "double");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(taut_convergence_row_at(z, i, &row), TAUT_OK);
        assert_string_equal(row.failure, "");
        assert_true(row.steps == 10 << i);
        assert_true(row.error[TAUT_ERROR_POSITION].high > 0);
        if (i) assert_true(fabs(row.order[TAUT_ERROR_POSITION].high - 2) < 0.1); /* RATTLE is of order 2 */
    }
    assert_int_equal(taut_convergence_row_at(z, 3, &row), TAUT_BAD_USAGE);
    taut_progress_release(p);
    taut_convergence_release(z);
    spec.until = "0.21";
    assert_int_equal(taut_convergence_create(f.context, f.model, &spec, &z), TAUT_BAD_USAGE);
    assert_null(z);
    assert_string_equal(taut_error_text(f.context), "the step 0.02 does not divide the end time 0.21");
    spec.until = "soon";
    assert_int_equal(taut_convergence_create(f.context, f.model, &spec, &z), TAUT_BAD_USAGE);
    spec.until = "0.2", spec.precision = "half";
    assert_int_equal(taut_convergence_create(f.context, f.model, &spec, &z), TAUT_UNSUPPORTED);
    assert_int_equal(taut_step_count(0.01, 0.2), 20);
    assert_int_equal(taut_step_count(0.03, 0.2), 0);
    drop(f);
}

static void verification(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_verification_spec spec = { .size = sizeof spec, .precision = "double", .step = "0.01", .until = "2" };
    taut_verification_info info = { .size = sizeof info };
    taut_verification_row row = { .size = sizeof row };
    taut_verification *z;
    int holds = 0;
    assert_int_equal(taut_verification_create(f.context, f.model, &spec, &z), TAUT_OK);
    assert_int_equal(taut_verification_run(z, NULL), TAUT_OK);
    taut_verification_about(z, &info);
    assert_string_equal(info.step, "0.01");
    assert_string_equal(info.until, "2");
    assert_true(info.rows > 5);
    for (size_t i = 0; i < info.rows; i++) {
        assert_int_equal(taut_verification_row_at(z, i, &row), TAUT_OK);
        assert_true(row.verdict >= 0 && row.verdict < TAUT_VERDICTS && row.verdict != TAUT_VERDICT_FAILS);
        assert_true(row.property[0] && row.verdict_text[0]);
        holds += row.verdict == TAUT_VERDICT_HOLDS;
    }
    assert_true(holds >= 3);
    assert_int_equal(taut_verification_row_at(z, info.rows, &row), TAUT_BAD_USAGE);
    taut_verification_release(z);
    spec.step = "-1";
    assert_int_equal(taut_verification_create(f.context, f.model, &spec, &z), TAUT_BAD_USAGE);
    spec.step = NULL, spec.method = "no-such";
    assert_int_equal(taut_verification_create(f.context, f.model, &spec, &z), TAUT_BAD_USAGE);
    drop(f);
}

/* ---- a failing allocation ---- */

static int find(taut_context *context, taut_model *model)
{
    taut_findings *z;
    int status = taut_findings_create(context, model, TAUT_STRICT, &z);
    if (!status) status = taut_findings_dirac(z, NULL, NULL);
    taut_findings_release(z);
    return status;
}

static int converge(taut_context *context, taut_model *model)
{
    static const char *const steps[] = { "0.05", "0.025" };
    const taut_convergence_spec spec = { .size = sizeof spec, .until = "0.1", .steps = steps, .step_count = 2 };
    taut_convergence *z;
    int status = taut_convergence_create(context, model, &spec, &z);
    if (!status) status = taut_convergence_run(z, NULL);
    taut_convergence_release(z);
    return status;
}

static int verify(taut_context *context, taut_model *model)
{
    const taut_verification_spec spec = { .size = sizeof spec, .precision = "double", .step = "0.01", .until = "0.1" };
    taut_verification *z;
    int status = taut_verification_create(context, model, &spec, &z);
    if (!status) status = taut_verification_run(z, NULL);
    taut_verification_release(z);
    return status;
}

/* One in some allocations fails, and all after it: the status says so, and nothing is left over. */
static void failing_allocations(void **state)
{
    enum { STRIDE = 43, ENDLESS = 1 << 30 };
    int (*const calls[])(taut_context *, taut_model *) = { find, converge, verify };
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (long k = 1, done = 0; !done; k += STRIDE) {
            counter c = { .fail_at = ENDLESS };
            taut_context *context = taut_context_create(&(taut_allocator){ counted_resize, &c });
            taut_model *model;
            assert_int_equal(taut_model_load_text(context, "x", PENDULUM, strlen(PENDULUM), NULL, 0, &model), TAUT_OK);
            c.fail_at = c.calls + k, c.fail_count = ENDLESS;
            const int status = calls[i](context, model);
            if (abs(status) != TAUT_OUT_OF_MEMORY) assert_int_equal(status, TAUT_OK);
            done = !status;
            taut_model_release(model);
            taut_context_destroy(context);
            assert_int_equal(c.live, 0);
        }
}

/* ---- files ---- */

static char run_path[64], export_path[80];

static int count_bytes(void *user, const char *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return 0;
}

static int lines_of(const char *path)
{
    int lines = 0, c;
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    while ((c = getc(file)) != EOF) lines += c == '\n';
    fclose(file);
    return lines;
}

static void files(void **state)
{
    (void)state;
    fixture f = load(PENDULUM);
    taut_simulation *z;
    taut_file *file;
    taut_run run = { .size = sizeof run, .h = 0.1, .until = 1, .file = run_path, .replace = 1 };
    assert_int_equal(taut_simulation_create(f.context, f.model, NULL, &z), TAUT_OK);
    assert_int_equal(taut_advance(z, &run), TAUT_OK);
    taut_simulation_release(z);
    assert_int_equal(taut_file_open(f.context, run_path, &file), TAUT_OK);
    assert_string_equal(taut_export_ending(0), ".csv");
    assert_null(taut_export_ending(99));
    assert_int_equal(taut_file_export(file, export_path, NULL), TAUT_OK);
    assert_int_equal(lines_of(export_path), 12);
    const size_t columns[] = { 1, 0 };
    taut_export some = { .size = sizeof some, .columns = columns, .column_count = 2, .every = 5 };
    assert_int_equal(taut_file_export(file, export_path, &some), TAUT_OK);
    assert_int_equal(lines_of(export_path), 4);
    some.every = -1;
    assert_int_equal(taut_file_export(file, export_path, &some), TAUT_BAD_USAGE);
    assert_int_equal(taut_file_export(file, "run.nothing", NULL), TAUT_BAD_USAGE);
    size_t whole = 0, part = 0;
    const double from = 0.35, beyond = 7;
    taut_page_options options = { .size = sizeof options, .from = &from };
    assert_int_equal(taut_page(file, count_bytes, &whole), TAUT_OK);
    assert_int_equal(taut_page_part(file, &options, count_bytes, &part), TAUT_OK);
    assert_true(part > 0 && part != whole);
    options.from = &beyond;
    assert_true(taut_page_part(file, &options, count_bytes, &part) > 0);
    /* an interrupt that is set ends it, and the old file stays */
    volatile int interrupt = 1;
    taut_context_interrupt(f.context, &interrupt);
    assert_int_equal(taut_file_export(file, export_path, NULL), TAUT_STOPPED);
    assert_int_equal(lines_of(export_path), 4);
    interrupt = 0;
    assert_int_equal(taut_file_export(file, export_path, NULL), TAUT_OK);
    assert_int_equal(lines_of(export_path), 12);
    taut_context_interrupt(f.context, NULL);
    taut_members_merged merged = { .size = sizeof merged };
    const char *const parts[] = { run_path, NULL };
    assert_true(taut_members_merge(f.context, parts, 1, export_path, 0, &merged) > 0); /* no ensemble */
    assert_int_equal(taut_members_merge(f.context, parts, 2, export_path, 0, &merged), TAUT_BAD_USAGE);
    assert_int_equal(taut_members_merge(f.context, parts, 0, export_path, 0, &merged), TAUT_BAD_USAGE);
    taut_file_close(file);
    drop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(catalogue),    cmocka_unit_test(parameters),
        cmocka_unit_test(what_was_meant), cmocka_unit_test(findings),      cmocka_unit_test(paths),
        cmocka_unit_test(findings_of_bad_models), cmocka_unit_test(convergence),
        cmocka_unit_test(verification), cmocka_unit_test(failing_allocations),
        cmocka_unit_test(files),
    };
    snprintf(run_path, sizeof run_path, "test_library_measure.%ld.taut", (long)getpid());
    snprintf(export_path, sizeof export_path, "%s.csv", run_path);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(run_path);
    remove(export_path);
    return failed;
}
