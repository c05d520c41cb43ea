/* The setting for native code on its way from the options of a simulation to the stepper: a method that is in no table
   asks for a function, as a lowered step does, and counts the steps at which it had it. */
#include "taut/taut.h"
#include "support.h"
#include "support_native.h"

#ifdef TAUT_NO_NATIVE
static void nothing_to_test(void **state)
{
    (void)state;
    skip();
}
#else

#define NEEDS_COMPILER \
    if (system("cc --version > /dev/null 2>&1")) skip()

#ifdef TAUT_REAL_QUAD
#define ENGINE taut_engine_quad
#else
#define ENGINE taut_engine_double
#endif

typedef struct {
    struct system *s;
    method rattle;
    native *native;
    long steps, native_steps;
} asking;

static asking *last; /* the one made last */
static char scratch_error[TAUT_ERROR_TEXT];

static void asking_destroy(void *self)
{
    asking *a = self;
    taut_native_end(a->native);
    X(method_destroy)(&a->rattle);
    taut_mem_free(a->s->context, a);
}

static int make(struct system *s, const method_spec *spec, real tolerance, int asks, void **self)
{
    static const char text[] = "double f(double x) { return x + 1; }";
    asking *a = taut_mem_new(s->context, 1, sizeof *a);
    assert_non_null(a);
    a->s = s;
    struct native_use *use = s->native;
    s->native = NULL; /* rattle must not ask as well */
    int status = X(method_create_with)(s, &X(method_rattle), spec, tolerance, &a->rattle);
    s->native = use;
    if (!status && asks) status = taut_native_request(s->native, s->context, text, strlen(text), "f", &a->native);
    *self = last = a;
    return status;
}

static int asking_create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    return make(s, spec, tolerance, 1, self);
}

static int silent_create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    return make(s, spec, tolerance, 0, self);
}

static int asking_step(void *self, state *x, real h)
{
    asking *a = self;
    function *f = a->native ? (function *)taut_native_take(a->s->native, a->native) : NULL;
    a->steps++;
    a->native_steps += f && f(1) == 2;
    return X(method_step)(&a->rattle, x, h);
}

static const newton_counts *asking_counts(const void *self)
{
    return X(method_counts)(&((const asking *)self)->rattle);
}

static const method_info info = { .name = "asking", .order = 2, .keeps = KEEPS_POSITION | KEEPS_VELOCITY };
static const method_code asking_code = { .create = asking_create, .step = asking_step, .counts = asking_counts,
                                         .destroy = asking_destroy };
static const method_code silent_code = { .create = silent_create, .step = asking_step, .counts = asking_counts,
                                         .destroy = asking_destroy };
static const struct method_class asking_class = { .info = &info, .code = &asking_code };
static const struct method_class silent_class = { .info = &info, .code = &silent_code };

static int open_as(const char *name, const struct method_class *class, int mode, simulation **z)
{
    char path[512];
    model *m = NULL;
    const engine_options options = { .native = mode };
    taut_context *own = taut_context_create(NULL);
    assert_non_null(own);
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, name);
    assert_int_equal(taut_model_read_file(own, path, NULL, 0, &m), TAUT_OK);
    int status = X(simulation_create_with)(m, &options, class, z);
    if (!status) return TAUT_OK;
    strcpy(scratch_error, taut_error_text(own));
    taut_model_free(m);
    taut_context_destroy(own);
    return status;
}

static void close_simulation(simulation *z)
{
    model *m = z->m;
    taut_context *own = m->context;
    X(simulation_destroy)(z);
    taut_model_free(m);
    taut_context_destroy(own);
}

static int open_cache(void **state)
{
    unsetenv("TAUT_CC");
    unsetenv("TAUT_NATIVE");
    return open_scratch(state) || setenv("XDG_CACHE_HOME", scratch, 1);
}

static void off_asks_for_nothing(void **state)
{
    (void)state;
    simulation *z;
    setenv("TAUT_NATIVE", "off", 1);
    static const int modes[] = { TAUT_NATIVE_OFF, TAUT_NATIVE_DEFAULT };
    for (int i = 0; i < 2; i++) {
        assert_int_equal(open_as("pendulum", &asking_class, modes[i], &z), TAUT_OK);
        assert_int_equal(X(simulation_step)(z, (real)0.01), TAUT_OK);
        assert_null(last->native);
        assert_int_equal(ENGINE.native(z)->asked, 0);
        close_simulation(z);
    }
    assert_int_equal(count_names(scratch, "taut"), 0);
}

static void on_has_it_from_the_first_step(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    simulation *z;
    for (int cached = 0; cached < 2; cached++) {
        assert_int_equal(open_as("pendulum", &asking_class, TAUT_NATIVE_ON, &z), TAUT_OK);
        for (int i = 0; i < 3; i++) assert_int_equal(X(simulation_step)(z, (real)0.01), TAUT_OK);
        const native_use *use = ENGINE.native(z);
        assert_int_equal(last->native_steps, 3);
        assert_true(use->asked == 1 && use->ready == 1 && use->cached == cached && use->failed == 0);
        close_simulation(z);
    }
}

static void on_fails_without(void **state)
{
    (void)state;
    simulation *z;
    setenv("TAUT_CC", script("badcc", "exit 4"), 1);
    assert_int_equal(open_as("pendulum", &asking_class, TAUT_NATIVE_ON, &z), TAUT_UNSUPPORTED);
    assert_non_null(strstr(scratch_error, "native code is not available: the compiler '"));
    assert_non_null(strstr(scratch_error, "exit status 4"));
    /* and where the method does not ask */
    assert_int_equal(open_as("pendulum", &silent_class, TAUT_NATIVE_ON, &z), TAUT_UNSUPPORTED);
    assert_non_null(strstr(scratch_error, "native code is not available: steps of method 'asking' are not compiled"));
}

/* The steps before it is there are as the steps after. */
static void auto_takes_it_when_it_is_there(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    simulation *z;
    setenv("TAUT_CC", script("slowcc", WAIT_FOR_GO "exec $real \"$@\""), 1);
    assert_int_equal(open_as("pendulum", &asking_class, TAUT_NATIVE_AUTO, &z), TAUT_OK);
    assert_int_equal(X(simulation_step)(z, (real)0.01), TAUT_OK);
    assert_int_equal(last->native_steps, 0);
    let_go();
    for (int i = 0; i < 2000 && !last->native_steps; i++) {
        assert_int_equal(X(simulation_step)(z, (real)0.01), TAUT_OK);
        sleep_ms(10);
    }
    assert_int_equal(last->native_steps, 1);
    assert_true(last->steps > 1 && ENGINE.native(z)->ready == 1);
    close_simulation(z);
}

static void auto_goes_on_without(void **state)
{
    (void)state;
    simulation *z;
    setenv("TAUT_CC", script("badcc", "exit 4"), 1);
    assert_int_equal(open_as("pendulum", &asking_class, TAUT_NATIVE_AUTO, &z), TAUT_OK);
    const native_use *use = ENGINE.native(z);
    for (int i = 0; i < 2000 && !use->failed; i++) {
        assert_int_equal(X(simulation_step)(z, (real)0.01), TAUT_OK);
        sleep_ms(10);
    }
    assert_true(use->failed == 1 && use->cause == NATIVE_CAUSE_COMPILER && strstr(use->reason, "exit status 4"));
    assert_int_equal(last->native_steps, 0);
    close_simulation(z);
}

/* The systems of all contact modes have the setting, a share in another thread has none. */
static void every_system_has_the_setting(void **state)
{
    (void)state;
    NEEDS_COMPILER;
    simulation *z;
    struct system *share;
    assert_int_equal(open_as("bouncing-ball", &asking_class, TAUT_NATIVE_ON, &z), TAUT_OK);
    assert_ptr_equal(z->s->native, &z->native);
    assert_ptr_equal(last->s->native, &z->native);
    assert_ptr_not_equal(last->s, z->s);
    assert_true(ENGINE.native(z)->asked == 2);
    assert_int_equal(X(system_share)(z->s, z->m->context, &share), TAUT_OK);
    assert_null(share->native);
    X(system_destroy)(share);
    close_simulation(z);
}

static void the_library_checks_its_option(void **state)
{
    (void)state;
    static const char text[] = "local x = coordinate 'x'; lagrangian(x.dot^2/2); start { x = 0 }";
    taut_model *m;
    taut_simulation *z;
    assert_int_equal(taut_model_load_text(context, "free", text, strlen(text), NULL, 0, &m), TAUT_OK);
    for (int mode = -1; mode <= 4; mode += 5) {
        const taut_options o = { .size = sizeof o, .native = mode };
        assert_int_equal(taut_simulation_create(context, m, &o, &z), TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(context), "TAUT_NATIVE_"));
    }
    const taut_options o = { .size = sizeof o, .native = TAUT_NATIVE_OFF };
    assert_int_equal(taut_simulation_create(context, m, &o, &z), TAUT_OK);
    taut_simulation_release(z);
    taut_model_release(m);
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_cache, close_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TAUT_NO_NATIVE
        cmocka_unit_test(nothing_to_test),
#else
        TEST(off_asks_for_nothing),
        TEST(on_has_it_from_the_first_step),
        TEST(on_fails_without),
        TEST(auto_takes_it_when_it_is_there),
        TEST(auto_goes_on_without),
        TEST(every_system_has_the_setting),
        TEST(the_library_checks_its_option),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
