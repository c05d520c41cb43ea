/* Every function of the public interface with NULL for each of its pointers, one at a time, each in a process of its
   own: none may crash, and those that return a status refuse what taut.h does not allow. The calls are made from the
   headers (null_calls.cmake), so that none is forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support_library.h"

typedef int (*page_writer)(void *user, const char *data, size_t size);

static const char TEXT[] =
    "local m, f = param('m', 1), input('f', 0)\n"
    "local a = point('a', 2)\n"
    "lagrangian(m*norm2(a.dot)/2 - 9.81*m*a.y)\n"
    "force(a, {f, 0})\n"
    "constraint('rod', norm2(a) - 1)\n"
    "start { a = {1, 0} }\n";

/* ---- what is given where nothing is NULL ---- */

static struct {
    taut_context *context;
    taut_model *model;
    taut_builder *builder;
    taut_simulation *simulation;
    taut_members *members;
    taut_file *file;
    taut_findings *findings;
    taut_progress *progress;
    taut_convergence *convergence;
    taut_verification *verification;
    taut_session *session;
    taut_c_code *code;
    taut_drawing *drawing;
    taut_comparison *comparison;
} objects;
static char path[L_tmpnam + 32];

static int identity(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    (void)user;
    *value = x[0];
    if (order > 0) gradient[0] = 1;
    if (order > 1) hessian[0] = 0;
    return 0;
}

static int take_page(void *user, const char *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return 0;
}

static void take_line(void *user, const char *line) { (void)user, (void)line; }
static int take_event(void *user, const taut_event *event)
{
    (void)user, (void)event;
    return 0;
}

static void set_up(void)
{
    static const char *const law = "m=uniform(1,2)";
    taut_run run = { .size = sizeof run, .h = 0.125, .until = 1, .file = path, .replace = 1 };
    const taut_members_spec spec = { .size = sizeof spec, .h = 0.125, .until = 1, .vary = &law, .vary_count = 1,
                                     .count = 2, .on = "interpreter", .stats = TAUT_STATS_MEAN };
    objects.context = taut_context_create(NULL);
    assert_int_equal(taut_define(objects.context, "x", 1, 2, identity, NULL), TAUT_OK);
    assert_int_equal(taut_model_load_text(objects.context, "x", TEXT, strlen(TEXT), NULL, 0, &objects.model), TAUT_OK);
    assert_int_equal(taut_simulation_create(objects.context, objects.model, NULL, &objects.simulation), TAUT_OK);
    assert_int_equal(taut_advance(objects.simulation, &run), TAUT_OK);
    assert_int_equal(taut_restart(objects.simulation), TAUT_OK);
    assert_int_equal(taut_members_create(objects.simulation, &spec, &objects.members), TAUT_OK);
    assert_int_equal(taut_file_open(objects.context, path, &objects.file), TAUT_OK);
    const char *const steps[] = { "0.5", "0.25" };
    const taut_convergence_spec converge = { .size = sizeof converge, .until = "1", .steps = steps, .step_count = 2 };
    const taut_verification_spec verify = { .size = sizeof verify, .step = "0.01", .until = "0.1" };
    assert_int_equal(taut_findings_create(objects.context, objects.model, TAUT_STRICT, &objects.findings), TAUT_OK);
    assert_int_equal(taut_progress_create(objects.context, &objects.progress), TAUT_OK);
    assert_int_equal(taut_convergence_create(objects.context, objects.model, &converge, &objects.convergence), TAUT_OK);
    assert_int_equal(taut_verification_create(objects.context, objects.model, &verify, &objects.verification), TAUT_OK);
    assert_int_equal(taut_session_create(objects.context, objects.model, NULL, &objects.session), TAUT_OK);
    assert_int_equal(taut_c_create(objects.context, objects.model, NULL, &objects.code), TAUT_OK);
    static const char *const methods[] = { "rattle", "em" };
    const taut_comparison_spec compare = { .size = sizeof compare, .until = "1", .steps = steps, .step_count = 2,
                                           .methods = methods, .method_count = 2 };
    assert_int_equal(taut_drawing_create(objects.file, NULL, &objects.drawing), TAUT_OK);
    assert_int_equal(taut_comparison_create(objects.context, objects.model, &compare, &objects.comparison), TAUT_OK);
    assert_int_equal(taut_model_begin(objects.context, "x", &objects.builder), TAUT_OK);
    assert_int_equal(taut_number(objects.builder, 1), 1);
}

static void tear_down(void)
{
    taut_model_finish(objects.builder, NULL);
    taut_comparison_release(objects.comparison);
    taut_drawing_release(objects.drawing);
    taut_c_release(objects.code);
    taut_session_release(objects.session);
    taut_verification_release(objects.verification);
    taut_convergence_release(objects.convergence);
    taut_progress_release(objects.progress);
    taut_findings_release(objects.findings);
    taut_file_close(objects.file);
    taut_members_release(objects.members);
    taut_simulation_release(objects.simulation);
    taut_model_release(objects.model);
    taut_context_destroy(objects.context);
}

/* Something that a pointer of this type may point to. */
static void *valid(const char *type, const char *name)
{
    static double numbers[4096];
    static size_t sizes[64];
    static taut_expr expressions[8];
    static void *results[8];
    static char minus[] = "-", letter[] = "x";
    static const char *names[] = { path };
    static taut_vary vary;
    static taut_setting setting = { .name = "m", .number = 1 };
    static union { size_t size; char bytes[4096]; taut_options options; taut_run run; taut_work work; } structs;
    memset(&structs, 0, sizeof structs);
    expressions[0] = 1;
    vary.kind = TAUT_INPUT;
    if (strcmp(type, "taut_log") == 0) return (void *)take_line;
    if (strcmp(type, "taut_function") == 0) return (void *)identity;
    if (strcmp(type, "taut_event_callback") == 0) return (void *)take_event;
    if (strcmp(type, "page_writer") == 0) return (void *)take_page;
    if (strstr(type, "**")) return results;
    if (strstr(type, "taut_context *")) return objects.context;
    if (strstr(type, "taut_model *")) return objects.model;
    if (strstr(type, "taut_builder *")) return objects.builder;
    if (strstr(type, "taut_simulation *")) return objects.simulation;
    if (strstr(type, "taut_members *")) return objects.members;
    if (strstr(type, "taut_file *")) return objects.file;
    if (strstr(type, "taut_findings *")) return objects.findings;
    if (strstr(type, "taut_progress *")) return objects.progress;
    if (strstr(type, "taut_convergence *")) return objects.convergence;
    if (strstr(type, "taut_verification *")) return objects.verification;
    if (strstr(type, "taut_session *")) return objects.session;
    if (strstr(type, "taut_drawing *")) return objects.drawing;
    if (strstr(type, "taut_comparison *")) return objects.comparison;
    if (strstr(type, "taut_c_code *")) return objects.code;
    if (strstr(type, "char *const *")) return names;
    if (strstr(type, "taut_expr *")) return expressions;
    if (strstr(type, "taut_vary *")) return &vary;
    if (strstr(type, "taut_setting *")) return &setting;
    if (strstr(type, "taut_allocator *")) return results; /* all zero: malloc */
    if (strstr(type, "double *")) return numbers;
    if (strstr(type, "size_t *") || strstr(type, "int *")) return sizes;
    if (strstr(type, "char *")) return strcmp(name, "path") == 0 ? path : strcmp(name, "op") == 0 ? minus : letter;
    if (strcmp(type, "void *") == 0 || strcmp(type, "const void *") == 0) return structs.bytes;
    structs.size = 4096;
    if (strstr(type, "taut_options *")) structs.size = sizeof(taut_options);
    if (strstr(type, "taut_run *")) structs.run.size = sizeof(taut_run), structs.run.h = 0.125, structs.run.until = 1;
    if (strstr(type, "taut_members_spec *")) structs.size = sizeof(taut_members_spec);
    if (strstr(type, "taut_session_spec *")) structs.size = sizeof(taut_session_spec);
    if (strstr(type, "taut_c_spec *")) structs.size = sizeof(taut_c_spec);
    if (strstr(type, "taut_members_run_options *")) structs.size = sizeof(taut_members_run_options);
    return structs.bytes;
}

/* ---- the calls ---- */

static int wanted; /* which pointer is NULL */

#define P(k, type, text, name) ((k) == wanted ? (type)0 : (type)valid(text, name))
#define N(type) ((type)1)


#define STATUS(call) return call
#define NOTHING(call) call; return 0
#define VALUE(call) (void)call; return 0
#define FUNCTION(what, name, count, arguments, ...) static int call_##name(void) { what(name arguments); }
#include "null_calls.h"
#undef FUNCTION

typedef struct {
    const char *name;
    int is_status, count;
    int (*call)(void);
    const char *pointers[12];
} function;

#define STATUS_IS 1
#define NOTHING_IS 0
#define VALUE_IS 0
static const function functions[] = {
#define FUNCTION(what, name, count, arguments, ...) { #name, what##_IS, count, call_##name, { __VA_ARGS__ } },
#include "null_calls.h"
};

/* Where taut.h says what NULL means. */
static int may_be_null(const char *function, const char *pointer)
{
    static const char *const allowed[] = {
        "taut_model_begin title", "taut_model_finish result", "taut_simulation_create options", "taut_get low",
        "taut_set_state w", "taut_save size", "taut_model_source size", "taut_linearise a", "taut_linearise b",
        "taut_symplectic_defect uncertainty", "taut_symplectic_defect pairs", "taut_file_read columns",
        "taut_file_read low", "taut_ensemble rows", "taut_ensemble statuses", "taut_members_merge merged",
        "taut_file_export what", "taut_convergence_run progress", "taut_verification_run progress",
        "taut_findings_dirac more", "taut_findings_dirac info", "taut_session_create spec", "taut_session_open spec",
        "taut_session_of_member spec", "taut_file_is_ensemble file", "taut_members_of_model options",
        "taut_c_create spec", "taut_drawing_create meshes",
        "taut_comparison_run progress", "taut_file_changes columns",
    };
    char both[128];
    snprintf(both, sizeof both, "%s %s", function, pointer);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strcmp(allowed[i], both) == 0) return 1;
    return strcmp(pointer, "user") == 0;
}

/* In a child: 0 where all is well, 1 where NULL was taken, 2 where the message does not say what is missing. */
static int try(const function *f, int which)
{
    wanted = which;
    const int status = f->call();
    const char *name = f->pointers[which], *said = taut_error_text(objects.context);
    if (!f->is_status || may_be_null(f->name, name)) return 0;
    if (status != TAUT_BAD_USAGE) return 1;
    /* the first pointer is the object that has the context; models are of all threads, the methods of nobody */
    const int has_context = which > 0 && strcmp(name, "context") != 0 && strcmp(f->name, "taut_model_source") != 0 &&
                            strcmp(f->name, "taut_model_parameter") != 0;
    return has_context && !(strstr(said, f->name) && strstr(said, name)) ? 2 : 0;
}

static void nothing_crashes(void **state)
{
    (void)state;
    int bad = 0;
    set_up();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int k = 0; k < functions[i].count; k++) {
            int status = 0;
            fflush(NULL);
            const pid_t child = fork();
            if (!child) _exit(try(&functions[i], k));
            assert_true(child > 0 && waitpid(child, &status, 0) == child);
            if (WIFEXITED(status) && !WEXITSTATUS(status)) continue;
            bad++;
            print_message("%s with NULL for %s: %s\n", functions[i].name, functions[i].pointers[k],
                          !WIFEXITED(status)          ? "a crash"
                          : WEXITSTATUS(status) == 1 ? "it is taken"
                                                      : "the message does not say so");
        }
    tear_down();
    print_message("%zu functions\n", sizeof functions / sizeof *functions);
    assert_true(sizeof functions / sizeof *functions >= 135); /* as many as there were in November 2026 */
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_crashes) };
    snprintf(path, sizeof path, "test_library_null.%ld.taut", (long)getpid());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
