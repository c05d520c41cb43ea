/* Machine code that Taut writes itself gives the bits of the interpreter: random tapes with all operations, and steps
 * of all models and methods. */
#include <unistd.h>
#include <dirent.h>

#include "lower/emit.h"
#include "lower/machine.h"
#include "lower/wasm.h"
#include "step/stepper.h"
#include "support.h"
#include "support_tape.h"

enum { INPUTS = 40, LENGTH = 600, TAPES = 300, STEPS = 60, MODELS_MOST = 100 };

static int is_expected(void)
{
    void *pages = taut_native_pages("\xc3", 1); /* the system may forbid it */
    taut_native_pages_end(pages, 1);
#if defined(__x86_64__) && defined(__linux__) && !defined(TAUT_NO_NATIVE)
    return pages && __builtin_cpu_supports("fma");
#elif defined(__AARCH64EL__) && defined(__linux__) && !defined(TAUT_NO_NATIVE)
    return pages != NULL;
#else
    return 0;
#endif
}

/* ---- random tapes ---- */

static int is_same(double a, double b) { return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0; }

/* The second tape reads what the first one computes; both are run by the interpreter, by that for processors without
   fused multiply-add, and as machine code. */
static void random_tapes(void **unused)
{
    (void)unused;
    static program_instruction code[2][LENGTH + 1];
    enum { REGISTERS = INPUTS + 4 * LENGTH + PROGRAM_WORK };
    static double interpreted[REGISTERS], machine[REGISTERS], anywhere[REGISTERS];
    static uint32_t outputs[LENGTH];
    simulation *z = open_model("pendulum");
    uint64_t seed = 1;
    if (!is_expected()) skip();
    for (int k = 0; k < TAPES; k++) {
        program p = { .s = z->s, .context = z->s->context, .register_count = INPUTS + 2 * LENGTH, .state_first = 10,
                      .state_count = INPUTS - 20, .outputs = outputs, .output_count = LENGTH };
        for (uint32_t i = 0; i < LENGTH; i++) outputs[i] = INPUTS + LENGTH + i;
        draw_tape(&seed, &p.setup, code[0], INPUTS, LENGTH);
        draw_tape(&seed, &p.results, code[1], INPUTS + LENGTH, LENGTH);
        for (int i = 0; i < INPUTS; i++) interpreted[i] = machine[i] = draw_input(&seed, i);
        memcpy(anywhere, interpreted, INPUTS * sizeof *anywhere);
        assert_int_equal(X(step_flow_create)(&p, 0, &p.flow), TAUT_OK);
        assert_true(p.flow.register_count + PROGRAM_WORK <= REGISTERS);
        double *const all[] = { interpreted, machine, anywhere };
        for (int i = 0; i < 3; i++)
            memcpy(all[i] + p.flow.literal_first, p.flow.literals, p.flow.literal_count * sizeof(double));
        X(program_run)(p.setup.code, interpreted), X(program_run)(p.flow.code, interpreted);
        X(program_run_anywhere)(p.setup.code, anywhere), X(program_run_anywhere)(p.flow.code, anywhere);
        assert_int_equal(X(machine_create)(&p, 1, &(int){ 0 }), TAUT_OK);
        assert_non_null(p.pages);
        assert_true(p.set_up && p.step);
        double block[INPUTS - 20];
        memcpy(block, machine + p.state_first, sizeof block);
        memset(machine + p.state_first, 0, sizeof block); /* read where it is */
        p.set_up(machine, block), p.step(machine, block);
        for (uint32_t i = INPUTS; i < INPUTS + 2 * LENGTH; i++)
            if (!is_same(interpreted[i], anywhere[i]))
                fail_msg("tape %d, operation %u: %a, not %a anywhere", k,
                         code[i >= INPUTS + LENGTH][(i - INPUTS) % LENGTH].op, interpreted[i], anywhere[i]);
        for (uint32_t i = 0; i < LENGTH; i++)
            if (!is_same(interpreted[INPUTS + LENGTH + i], machine[p.flow.report_first + i]))
                fail_msg("tape %d, instruction %u (operation %u): %a, not %a", k, i, code[1][i].op,
                         machine[p.flow.report_first + i], interpreted[INPUTS + LENGTH + i]);
        taut_native_pages_end(p.pages, p.pages_size);
        X(step_flow_clear)(p.context, &p.flow);
    }
    close_model(z);
}

/* ---- steps ---- */

static simulation *open_with(const char *path, const char *method, int mode)
{
    model *m = NULL;
    simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    const engine_options options = { .method = method, .step = (wide)0.001, .native = mode };
    assert_non_null(context);
    int status = taut_model_read_file(context, path, NULL, 0, &m);
    if (!status && !m->contact_count) status = X(simulation_create)(m, &options, &z);
    if (z && !status && !z->derived) return z; /* otherwise its model would be another one than that which was read */
    X(simulation_destroy)(z);
    taut_model_free(m);
    taut_context_destroy(context);
    return NULL;
}

static program *program_of(const simulation *z)
{
    method_part parts[METHOD_PARTS];
    const char *why;
    return X(method_parts)(&z->method, parts, &why) > 0 ? parts[0].program : NULL;
}

/* Returns 1 where the step is lowered. */
static int compare(const char *path, const char *method)
{
    simulation *off = open_with(path, method, TAUT_NATIVE_OFF), *on = open_with(path, method, TAUT_NATIVE_AUTO);
    program *p = off ? program_of(off) : NULL;
    assert_true(!off == !on);
    if (p) {
        assert_null(p->pages);
        assert_int_equal(program_of(on)->pages != NULL, is_expected());
        assert_int_equal(on->native.asked, is_expected() ? 0 : 1); /* of a compiler */
        assert_int_equal(X(method_execution_of)(&off->method).code, CODE_INTERPRETED);
        if (is_expected()) assert_int_equal(X(method_execution_of)(&on->method).code, CODE_NATIVE);
        for (int i = 0; i < STEPS; i++) {
            int a = X(simulation_step)(off, 0.001), b = X(simulation_step)(on, 0.001);
            assert_int_equal(a, b);
            if (a) break;
        }
        if (memcmp(off->x.block, on->x.block, X(state_size)(&off->x) * sizeof(double)) != 0)
            fail_msg("%s, %s: other bits after %d steps", path, method, STEPS);
        assert_int_equal(p->space.left, program_of(on)->space.left);
        assert_int_equal(p->space.counts.iterations, program_of(on)->space.counts.iterations);
    }
    if (off) close_model(off), close_model(on);
    return p != NULL;
}

/* Linear equations whose first correction is of a lower order than the second: it is never the last one. */
static void linear_equations_with_a_rough_guess(void **unused)
{
    (void)unused;
    static const char text[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                               "lagrangian(3.5*x.dot^2 + y.dot^2*(2 + x^2) - y)\n"
                               "start { x = 0.6, y = 0.8, ['x.dot'] = 0.6 }\n";
    char path[] = "/tmp/test_machine.XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(file);
    const int compared = compare(path, "euler:adjoint");
    unlink(path);
    assert_true(compared);
}

static void steps_of_models(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "rattle", "lobatto:s=3", "galerkin", "del", "em", "euler", "euler:adjoint",
                                           "naive", "extended", "dirac" };
    int compared = 0;
    DIR *d = opendir(MODELS);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", MODELS, e->d_name);
        for (size_t k = 0; strstr(e->d_name, ".lua") && k < sizeof methods / sizeof *methods; k++)
            compared += compare(path, methods[k]);
    }
    closedir(d);
    print_message("%d pairs of models and methods\n", compared);
    assert_true(compared > 60);
}

/* Steps that are done at once, as whole functions with the rounds that are expected, and those of compositions, whose
   lengths change: the bits and the rounds of single steps by the interpreter. The lengths are such that one step takes
   a round more than the next. */
static void steps_at_once(void **unused)
{
    (void)unused;
    static const struct {
        const char *model, *method;
        double h;
    } cases[] = { { "double-spherical-pendulum", "rattle", 0.001 },
                  { "double-spherical-pendulum", "rattle", 0.009 },
                  { "double-spherical-pendulum", "em", 0.001 },
                  { "double-spherical-pendulum", "em", 0.05 },
                  { "double-spherical-pendulum", "rattle", 0.05 }, /* velocities with a second round now and then */
                  { "double-spherical-pendulum", "compose:rattle,order=8", 0.05 },
                  { "double-spherical-pendulum", "compose:rattle,order=8", 0.1 },
                  { "double-spherical-pendulum", "compose:em,order=6", 0.02 },
                  { "four-particles", "rattle", 0.01 },
                  { "four-particles", "compose:rattle,order=4", 0.02 },
                  { "triple-pendulum", "em", 0.01 },
                  { "driven-pendulum", "rattle", 0.01 },
                  { "spring-pendulum", "rattle", 0.02 },
                  { "double-spherical-pendulum", "naive", 0.01 },
                  { "double-spherical-pendulum", "extended", 0.01 },
                  { "driven-pendulum", "dirac", 0.01 } };
    long together = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[600];
        snprintf(path, sizeof path, MODELS "/%s.lua", cases[i].model);
        simulation *off = open_with(path, cases[i].method, TAUT_NATIVE_OFF),
                   *on = open_with(path, cases[i].method, TAUT_NATIVE_AUTO);
        assert_true(off && on);
        assert_int_equal(X(simulation_step)(on, cases[i].h), TAUT_OK);
        for (long left = 399, done; left > 0; left -= done) {
            assert_int_equal(X(simulation_steps)(on, left, &done), TAUT_OK);
            assert_in_range(done, 1, left);
            if (done > 1) together += done;
        }
        for (int k = 0; k < 400; k++) assert_int_equal(X(simulation_step)(off, cases[i].h), TAUT_OK);
        if (memcmp(off->x.block, on->x.block, X(state_size)(&off->x) * sizeof(double)) != 0 || off->x.t != on->x.t ||
            off->x.t_low != on->x.t_low)
            fail_msg("%s, %s: other bits", cases[i].model, cases[i].method);
        assert_int_equal(off->steps, on->steps);
        assert_int_equal(X(simulation_counts)(off).iterations, X(simulation_counts)(on).iterations);
        assert_int_equal(X(simulation_counts)(off).factorisations, X(simulation_counts)(on).factorisations);
        close_model(off), close_model(on);
    }
    print_message("%ld steps at once\n", together);
    if (is_expected()) assert_true(together > 1000);
}

/* A step whose results are no numbers is left to the general path, and the state stays as it was. */
static void states_stay_finite(void **unused)
{
    (void)unused;
    static const int modes[] = { TAUT_NATIVE_AUTO, TAUT_NATIVE_OFF };
    for (int i = 0; i < 2; i++) {
        model *m = NULL;
        simulation *z = NULL;
        state before;
        taut_context *context = taut_context_create(NULL);
        const engine_options options = { .method = "rattle", .step = (wide)0.001, .native = modes[i] };
        static const char text[] = "local x = coordinate 'x'\nlagrangian(x.dot^2/2)\n"
                                   "start { x = 1, ['x.dot'] = 1e150 }";
        assert_int_equal(taut_model_read_text(context, "text", text, sizeof text - 1, NULL, 0, &m), TAUT_OK);
        assert_int_equal(X(simulation_create)(m, &options, &z), TAUT_OK);
        assert_non_null(program_of(z));
        assert_int_equal(X(state_create)(z->s, &before), TAUT_OK);
        X(state_copy)(&z->x, &before);
        assert_int_equal(X(program_step)(program_of(z), &z->x, 1e200, NULL), PROGRAM_LEFT);
        assert_memory_equal(z->x.block, before.block, X(state_size)(&before) * sizeof(double));
        X(state_clear)(z->s, &before);
        close_model(z);
    }
}

/* ---- memory that runs out ---- */

typedef struct {
    long left, live; /* allocations until one fails; blocks */
} memory;

static void *counted_resize(void *user, void *block, size_t size)
{
    memory *m = user;
    if (size && m->left-- == 0) return NULL;
    m->live += !block && size ? 1 : block && !size ? -1 : 0;
    if (size) return realloc(block, size);
    free(block);
    return NULL;
}

static int write_module(const program *p)
{
    builder bytes = { .context = p->context };
    int status = X(program_wasm)(p, &p->flow, &bytes);
    taut_builder_clear(&bytes);
    return status;
}

/* Machine code, C in pieces, and a module of WebAssembly. */
static void memory_runs_out(void **unused)
{
    (void)unused;
    memory counted = { .left = -1 };
    const taut_allocator allocator = { counted_resize, &counted };
    taut_context *context = taut_context_create(&allocator);
    const engine_options options = { .method = "rattle", .step = (wide)0.001, .native = TAUT_NATIVE_OFF };
    model *m = NULL;
    simulation *z = NULL;
    assert_int_equal(taut_model_read_file(context, MODELS "/heavy-top.lua", NULL, 0, &m), TAUT_OK);
    assert_int_equal(X(simulation_create)(m, &options, &z), TAUT_OK);
    program *p = program_of(z);
    assert_non_null(p);
    const long live = counted.live;
    for (int made = 0, k = 0; made < 3; k++) {
        char *text = NULL;
        size_t length;
        counted.left = k;
        int status = made == 0   ? X(machine_create)(p, 1, &(int){ 0 })
                     : made == 1 ? X(program_emit)(p, "taut_step", &text, &length)
                                 : write_module(p);
        counted.left = -1;
        taut_mem_free(context, text);
        assert_int_equal(counted.live, live);
        assert_int_equal(p->pages != NULL, is_expected() && (made || !status));
        if (!status) assert_true(k > 3 || !is_expected());
        if (!status) made++, k = -1;
    }
    X(simulation_destroy)(z);
    taut_model_free(m);
    taut_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A compiler that the user names is asked all the same. */
static void named_compiler(void **unused)
{
    (void)unused;
    setenv("TAUT_CC", "/nonexistent/cc", 1);
    simulation *z = open_with(MODELS "/pendulum.lua", "rattle", TAUT_NATIVE_AUTO);
    assert_non_null(z);
    assert_int_equal(z->native.asked, 1);
    close_model(z);
    unsetenv("TAUT_CC");
}

/* Code is written where it saves more time than that takes; not known how many steps are asked for, all of it.
   Functions for whole steps save something between looks. 50 and 1,000 steps, 10^5 with looks after each or few: far
   from where the decision turns (at 193 steps, 350 looks, 6,800 steps without looks). No compiler is asked instead. */
static void few_steps(void **unused)
{
    (void)unused;
    static const struct { double steps, looks, frames; int tapes, whole, watched; } cases[] = {
        { 0, 0, 0, 1, 1, 1 },        { 1, 1, 0, 0, 0, 0 },
        { 50, 50, 0, 0, 0, 0 },      { 1000, 1000, 1000, 1, 0, 1 },
        { 1000, 10, 10, 1, 0, 0 },   { 1e5, 1e5, 0, 1, 0, 1 },
        { 1e5, 20000, 0, 1, 1, 1 },  { 1e5, 1, 0, 1, 1, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taut_context *context = taut_context_create(NULL);
        const engine_options options = { .method = "rattle", .native = TAUT_NATIVE_AUTO, .steps = cases[i].steps,
                                         .looks = cases[i].looks, .frames = cases[i].frames };
        model *m = NULL;
        simulation *z = NULL;
        assert_int_equal(taut_model_read_file(context, MODELS "/double-spherical-pendulum.lua", NULL, 0, &m), TAUT_OK);
        assert_int_equal(X(simulation_create)(m, &options, &z), TAUT_OK);
        const program *p = program_of(z);
        assert_int_equal(p->pages != NULL, cases[i].tapes && is_expected());
        assert_int_equal(p->whole[0].code != NULL, cases[i].whole && is_expected());
        assert_int_equal(X(reading_watched_program)(z->reading)->pages != NULL, cases[i].watched && is_expected());
        if (is_expected()) assert_int_equal(z->native.asked, 0);
        X(simulation_destroy)(z);
        taut_model_free(m);
        taut_context_destroy(context);
    }
}

/* A function for whole steps that did not fit is tried again after a while. */
static void pause_ends(void **unused)
{
    (void)unused;
    simulation *z = open_with(MODELS "/double-spherical-pendulum.lua", "rattle", TAUT_NATIVE_AUTO);
    program *p = program_of(z);
    do_steps(z, 3, (real)0.001);
    if (is_expected()) {
        assert_true(p->space.now->learnt.expected >= 0);
        p->space.now->learnt.misses = 1, p->space.now->learnt.pause = 2;
        do_steps(z, 3, (real)0.001);
        assert_int_equal(p->space.now->learnt.pause, 0);
        assert_int_equal(p->space.now->learnt.misses, 0); /* it was tried, and fitted */
    }
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tapes),
        cmocka_unit_test(linear_equations_with_a_rough_guess),
        cmocka_unit_test(steps_of_models),
        cmocka_unit_test(steps_at_once),
        cmocka_unit_test(states_stay_finite),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(named_compiler),
        cmocka_unit_test(few_steps),
        cmocka_unit_test(pause_ends),
    };
    unsetenv("TAUT_CC");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
