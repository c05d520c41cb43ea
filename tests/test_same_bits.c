/* The same bits, whoever makes a step: the interpreter, native code of gcc and clang at -O0 to -O3, and the C file of
 * `taut compile`. All models and all methods with tables; after N steps the memory of the states is compared. A step
 * that is left to the general path must be refused by the C file, at the same step, with its state as it was. And who
 * reads a state for frames: the interpreter and native code.
 *
 * Models and methods are spread over compilers and levels; with TAUT_TEST_LONG=1 all of them meet all. */
#include "support_native.h"

#include <dlfcn.h>

#include "compile/compile.h"
#include "lower/emit.h"
#include "support.h"

static const char *const methods[] = { "rattle", "shake", "lobatto:s=3", "galerkin", "del", "em", "euler",
                                       "compose:rattle,order=4", "compose:euler,order=4", "naive", "extended", "dirac" };
enum { METHODS = sizeof methods / sizeof *methods, CONFIGURATIONS = 8, MODELS_MOST = 100, PROGRAMS = 2 };
static double h = 0.005;
/* With fused multiply-add where there is one: it must not be used. */
#ifdef __x86_64__
#define MACHINE "-march=native"
#elif defined(__i386__)
#define MACHINE "-msse2 -mfpmath=sse"
#else
#define MACHINE ""
#endif

static int is_long(void) { return getenv("TAUT_TEST_LONG") != NULL; }
static long steps_of_a_run(void) { return is_long() ? 1000 : 200; }
/* A compiler needs more than linear time. */
static uint32_t instructions_most(void) { return is_long() ? 4000 : 1500; }

/* ---- compilers ---- */

typedef struct {
    const char *compiler, *level;
} configuration;

static int is_installed(const char *name)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s > /dev/null", name);
    return system(command) == 0;
}

static int find_configurations(configuration *all)
{
    static const char *const compilers[] = { "gcc", "clang" }, *const levels[] = { "-O0", "-O1", "-O2", "-O3" };
    int count = 0;
    for (int c = 0; c < 2; c++)
        for (int l = 0; l < 4 && is_installed(compilers[c]); l++)
            all[count++] = (configuration){ compilers[c], levels[l] };
    return count;
}

/* ---- models ---- */

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static int list_models(char (*paths)[300])
{
    static const char *const folders[] = { MODELS, MODELS "/papers" };
    int count = 0;
    for (int f = 0; f < 2; f++) {
        DIR *d = opendir(folders[f]);
        assert_non_null(d);
        for (struct dirent *e; (e = readdir(d)) && count < MODELS_MOST;)
            if (strstr(e->d_name, ".lua")) snprintf(paths[count++], sizeof *paths, "%s/%s", folders[f], e->d_name);
        closedir(d);
    }
    qsort(paths, (size_t)count, sizeof *paths, by_name);
    return count;
}

/* ---- the three ways ---- */

typedef struct {
    model *m;
    simulation *z;
    program *programs[PROGRAMS];
    int program_count;
    long steps;         /* of the run; fewer than asked for where the general path would have to help */
    state end;
} subject;

static long left_of(const subject *s)
{
    long sum = 0;
    for (int k = 0; k < s->program_count; k++) sum += s->programs[k]->space.left;
    return sum;
}

static void find_programs(subject *s)
{
    method_part parts[METHOD_PARTS];
    const char *why;
    int count = X(method_parts)(&s->z->method, parts, &why);
    for (int i = 0; i < count; i++)
        if (!s->program_count || (s->programs[0] != parts[i].program && s->program_count == 1))
            s->programs[s->program_count++] = parts[i].program;
}

static uint32_t instructions(const subject *s)
{
    uint32_t count = 0;
    for (int p = 0; p < s->program_count; p++) count += X(program_length)(s->programs[p]);
    return count;
}

/* By the interpreter, up to the first step that it leaves to the general path. */
static void run_interpreter(subject *s)
{
    state *x = &s->z->x;
    for (s->steps = 0; s->steps < steps_of_a_run(); s->steps++) {
        X(state_copy)(x, &s->end);
        long before = left_of(s);
        int status = X(method_step)(&s->z->method, x, h);
        if (left_of(s) > before || status) return;
    }
    X(state_copy)(x, &s->end);
}

static void check_same(const subject *s, const state *x, const char *who)
{
    size_t size = X(state_size)(x) * sizeof(double);
    if (x->t == s->end.t && x->t_low == s->end.t_low && !memcmp(x->block, s->end.block, size)) return;
    fail_msg("%s, %s: %s differs after %ld steps", s->m->file, s->z->spec.name, who, s->steps);
}

static void run_native(subject *s, const configuration *with)
{
    const char *flags[] = { with->level, NULL };
    native_options options = { .compiler = with->compiler, .flags = flags, .folder = "", .limit = 300 };
    native *code[PROGRAMS] = { NULL };
    for (int k = 0; k < s->program_count; k++) {
        program *p = s->programs[k];
        char *text = NULL;
        size_t length = 0;
        assert_int_equal(X(program_emit)(p, "taut_step", &text, &length), TAUT_OK);
        assert_non_null(text);
        assert_int_equal(taut_native_begin(context, text, length, "taut_step", &options, &code[k]), TAUT_OK);
        taut_mem_free(context, text);
        if (taut_native_wait(code[k], &p->code) != NATIVE_READY)
            fail_msg("%s: %s", s->m->file, taut_native_reason(code[k]));
        if (!p->space.setup_values) p->space.setup_values = taut_mem_new(context, X(program_setup_count)(p) + 1, sizeof(double));
        assert_non_null(p->space.setup_values);
        p->space.code_is_new = 1;
    }
    X(simulation_restart)(s->z);
    for (long i = 0; i < s->steps; i++) assert_int_equal(X(method_step)(&s->z->method, &s->z->x, h), TAUT_OK);
    check_same(s, &s->z->x, with->compiler);
    for (int k = 0; k < s->program_count; k++) s->programs[k]->code = NULL, taut_native_end(code[k]);
}

static void write_file(const char *name, const char *text, size_t length)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Its struct begins with t, t_low and the numbers of the state. */
typedef struct {
    void *library;
    void (*init)(void *z);
    int (*step)(void *z, double h);
    double *memory;
} compiled;

static void *find(const compiled *c, const char *name)
{
    void *found = dlsym(c->library, name);
    assert_non_null(found);
    return found;
}

static void open_compiled(const subject *s, const char *method, const configuration *with, compiled *c)
{
    static int number;
    char command[600], path[128];
    const compile_options options = { .method = method, .step = (wide)h, .prefix = "it", .header = "it.h" };
    compile_result text;
    assert_int_equal(taut_compile(s->m, &options, &text), TAUT_OK);
    write_file("it.c", text.source, text.source_length);
    write_file("it.h", text.header, text.header_length);
    taut_compile_clear(context, &text);
    snprintf(path, sizeof path, "%s/it%d.so", scratch, number++); /* dlopen knows files by their names */
    snprintf(command, sizeof command,
             "cd %s && %s -std=c11 %s %s -Wall -Wextra -Wconversion -Werror -shared -fPIC it.c -o %s -lm 2>&1",
             scratch, with->compiler, with->level, MACHINE, path);
    if (system(command))
        fail_msg("%s, %s: does not compile with %s %s", s->m->file, method, with->compiler, with->level);
    c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    assert_non_null(c->library);
    *(void **)&c->init = find(c, "it_init");
    *(void **)&c->step = find(c, "it_step");
    c->memory = calloc(100000, sizeof *c->memory);
    assert_non_null(c->memory);
}

static void run_compiled(const subject *s, const char *method, const configuration *with)
{
    compiled c;
    const uint32_t n = s->end.n, work = 5 * n + s->end.c + 1;
    open_compiled(s, method, with, &c);
    c.init(c.memory);
    for (long i = 0; i < s->steps; i++)
        if (c.step(c.memory, h)) fail_msg("%s, %s: the C file fails at step %ld", s->m->file, method, i);
    if (s->steps < steps_of_a_run()) assert_int_not_equal(c.step(c.memory, h), 0);
    const double *t = c.memory, *x = c.memory + 2;
    if (t[0] != s->end.t || t[1] != s->end.t_low || memcmp(x, s->end.block, work * sizeof(double)) != 0 ||
        (s->z->declared.own_work && memcmp(x + work, s->end.work, 2 * sizeof(double)) != 0))
        fail_msg("%s, %s: the C file by %s %s differs after %ld steps", s->m->file, method, with->compiler, with->level,
                 s->steps);
    free(c.memory);
    dlclose(c.library);
}

/* ---- one model and method ---- */

static int open_subject(const char *path, const char *method, subject *s)
{
    const engine_options options = { .method = method, .step = (wide)h, .native = TAUT_NATIVE_OFF };
    *s = (subject){ 0 };
    assert_int_equal(taut_model_read_file(context, path, NULL, 0, &s->m), TAUT_OK);
    if (s->m->contact_count || X(simulation_create)(s->m, &options, &s->z)) return 0;
    find_programs(s);
    if (!s->program_count || instructions(s) > instructions_most()) return 0;
    assert_int_equal(X(state_create)(s->z->s, &s->end), TAUT_OK);
    return 1;
}

static void close_subject(subject *s)
{
    if (s->z) X(state_clear)(s->z->s, &s->end);
    X(simulation_destroy)(s->z);
    taut_model_free(s->m);
}

/* In the short form every method on the first of the models, and a third of the others. */
static int is_wanted(int model, int method) { return is_long() || model == 0 || (model + method) % 3 == 0; }

static void all_executors_agree(void **state)
{
    (void)state;
    static char paths[MODELS_MOST][300];
    configuration all[CONFIGURATIONS];
    int configurations = find_configurations(all), count = list_models(paths), compared = 0, left = 0;
    if (!configurations) skip();
    assert_true(count > 20);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < METHODS; k++) {
            subject s;
            if (is_wanted(i, k) && open_subject(paths[i], methods[k], &s)) {
                run_interpreter(&s);
                for (int c = 0; c < (is_long() ? configurations : 1); c++) {
                    run_native(&s, &all[(compared + c) % configurations]);
                    run_compiled(&s, methods[k], &all[(compared + c + 3) % configurations]);
                }
                compared++;
                left += s.steps < steps_of_a_run();
                close_subject(&s);
            } else if (is_wanted(i, k)) {
                close_subject(&s);
            }
        }
    print_message("%d pairs of models and methods, %d of them up to a step that is left to the general path\n",
                  compared, left);
    assert_true(compared >= (is_long() ? 100 : 30) && left < compared / 2);
}

/* The area of a triangle has a second form (expr/shown.h), and its value is in the forces: programs have the first. */
static void second_forms_agree(void **state)
{
    (void)state;
    static const char film[] =
        "local a, b = point 'a', point 'b'\n"
        "lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2 - norm2(a) - norm2(b) - sqrt(1 + norm2(cross(a, b))))\n"
        "start { a = {1, 0, 0}, b = {0, 1, 0.5}, ['a.dot'] = {0, 0.1, 0.2} }\n";
    static const char *const of_film[] = { "rattle", "em", "lobatto" };
    configuration all[CONFIGURATIONS];
    char path[128];
    if (!find_configurations(all)) skip();
    write_file("film.lua", film, sizeof film - 1);
    snprintf(path, sizeof path, "%s/film.lua", scratch);
    for (int i = 0; i < 3; i++) {
        subject s;
        assert_true(open_subject(path, of_film[i], &s));
        run_interpreter(&s);
        assert_int_equal(s.steps, steps_of_a_run());
        run_native(&s, &all[0]);
        run_compiled(&s, of_film[i], &all[0]);
        close_subject(&s);
    }
    unlink(path);
}

/* Steps so long that two corrections with one matrix are not enough: one more is (of 0.02, mostly), or several are. */
static void long_steps_agree(void **state)
{
    (void)state;
    static const double lengths[] = { 0.02, 0.04, 0.06 };
    configuration all[CONFIGURATIONS];
    const int configurations = find_configurations(all);
    const double usual = h;
    if (!configurations) skip();
    for (int i = 0; i < 3; i++) {
        subject s;
        h = lengths[i];
        assert_true(open_subject(MODELS "/double-spherical-pendulum.lua", "rattle", &s));
        run_interpreter(&s);
        assert_int_equal(s.steps, steps_of_a_run());
        const long further = s.programs[0]->space.further; /* one counts once, several twice */
        print_message("h = %g: %ld further corrections in %ld steps\n", h, further, s.steps);
        assert_true(further > s.steps / 2 && (i == 0) == (further <= s.steps));
        for (int c = 0; c < (is_long() ? configurations : 2 < configurations ? 2 : configurations); c++) {
            run_native(&s, &all[c]);
            run_compiled(&s, "rattle", &all[c]);
        }
        close_subject(&s);
    }
    h = usual;
}

/* ---- frames ---- */

/* Numbers that two executors read off a state, NULL where there is no program. */
static int are_same(const double *a, const double *b, size_t count)
{
    return !a || !b ? !a && !b : memcmp(a, b, count * sizeof *a) == 0;
}

static int reads_same(simulation *z, reading *other)
{
    const size_t n = z->s->n, c = z->s->c, solved = X(reading_power_solves)(other) ? c : 0;
    return are_same(X(reading_watched)(z->reading, &z->x), X(reading_watched)(other, &z->x),
                    n + 2 * c + 1 + (size_t)z->symmetry_count) &&
           are_same(X(reading_multipliers)(z->reading, &z->x), X(reading_multipliers)(other, &z->x),
                    c + z->m->observable_count) &&
           are_same(X(reading_power)(z->reading, &z->x), X(reading_power)(other, &z->x), 1 + solved);
}

/* Along the first steps of a run; other: by native code. */
static void compare_frames(simulation *z, const configuration *with)
{
    const char *flags[] = { with->level, NULL };
    native_use use = { .mode = TAUT_NATIVE_ON };
    reading *other = NULL;
    use.options = (native_options){ .compiler = with->compiler, .flags = flags, .folder = "", .limit = 300 };
    z->s->native = &use;
    int status = X(reading_create)(z->s, z->symmetries, z->symmetry_count,
                                   X(simulation_has_work)(z) && !z->declared.own_work, &other);
    if (!status) status = X(reading_wait)(other);
    if (!status) status = X(reading_prepare)(other);
    if (!status) status = X(reading_prepare)(z->reading);
    z->s->native = &z->native;
    if (status) fail_msg("%s: %s", z->m->file, taut_error_text(context));
    for (int i = 0; i < 20; i++) {
        if (!reads_same(z, other))
            fail_msg("%s: frame %d by %s %s differs", z->m->file, i, with->compiler, with->level);
        if (X(simulation_step)(z, h)) break;
    }
    assert_true(X(reading_is_native)(other) && !X(reading_is_native)(z->reading));
    X(reading_destroy)(other);
}

static void frames_agree(void **state)
{
    (void)state;
    static char paths[MODELS_MOST][300];
    configuration all[CONFIGURATIONS];
    int configurations = find_configurations(all), count = list_models(paths), compared = 0;
    if (!configurations) skip();
    for (int i = 0; i < count; i++) {
        const engine_options options = { .method = "rattle", .step = (wide)h, .native = TAUT_NATIVE_OFF };
        model *m = NULL;
        simulation *z = NULL;
        assert_int_equal(taut_model_read_file(context, paths[i], NULL, 0, &m), TAUT_OK);
        if (!m->contact_count && !X(simulation_create)(m, &options, &z) && z->reading &&
            z->s->n + z->s->c <= (is_long() ? 200 : 16))
            compare_frames(z, &all[compared++ % configurations]);
        X(simulation_destroy)(z);
        taut_model_free(m);
    }
    print_message("frames of %d models\n", compared);
    assert_true(compared >= 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_executors_agree, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(second_forms_agree, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(long_steps_agree, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(frames_agree, open_scratch, close_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
