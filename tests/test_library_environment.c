/* Hosts with floating-point traps, another rounding direction or without denormal numbers: calls work as in the default
   environment, to the bit, and leave the host's as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support_library.h"

#define TRAPS (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW)

static const char PENDULUM[] = "local g = param('g', 9.81)\nlocal a, u = point('a', 2), input('u', 0.1)\n"
                               "lagrangian(norm2(a.dot)/2 - g*a.y)\nconstraint('rod', norm2(a) - 0.1^2)\n"
                               "force(a.x, u)\nobserve('angle', atan2(a.x, -a.y))\nstart { a = {0.06, free(-0.1)} }\n";
/* x runs into the square root of a negative number */
static const char ROOT[] = "local x = coordinate 'x'\nlagrangian(x.dot^2/2 - sqrt(x))\n"
                           "start { x = 0.1, [x.dot] = -1 }\n";

static double traps_seen, rounding_seen;

static int hook(void *user, taut_simulation *z)
{
    double x;
    (void)user;
    traps_seen = fegetexcept();
    rounding_seen = fegetround();
    return taut_get(z, TAUT_POSITION, 0, 1, &x, NULL);
}

typedef struct {
    double frame[64], a[16], rows[100];
    char source[1000];
    int failed, root;
} result;

static int not_finite(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    (void)user, (void)hessian;
    volatile double zero = 0;
    *value = x[0] > -1000 ? zero / zero : 0; /* would trap */
    if (order > 0) gradient[0] = *value;
    return 0;
}

/* Everything that computes. */
static void use(const char *precision, result *r)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL, *root = NULL, *built = NULL, *called = NULL;
    taut_simulation *z = NULL, *other = NULL;
    taut_builder *b = NULL;
    taut_expr x;
    const taut_options options = { .size = sizeof options, .precision = precision };
    const taut_setting setting = { "g", NULL, 9.7 };
    static const char calls[] = "local x = coordinate 'x'\nlagrangian(x.dot^2/2 - call('f', x))\nstart { x = 1 }\n";
    memset(r, 0, sizeof *r);
    assert_int_equal(taut_model_load_text(context, "p", PENDULUM, strlen(PENDULUM), &setting, 1, &model), 0);
    assert_int_equal(taut_simulation_create(context, model, &options, &z), 0);
    taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.3, .every = 5, .rows = r->rows, .row_capacity = 100,
                     .columns = (size_t[]){ 1 }, .column_count = 1, .before = hook };
    assert_true(taut_run_rows(z, &run) == 7);
    assert_int_equal(taut_advance(z, &run), 0);
    assert_int_equal(taut_step(z, 0.007), 0);
    assert_int_equal(taut_kick(z, (double[]){ 0.001, 0.002 }), 0);
    assert_int_equal(taut_simulation_clone(z, context, &other), 0);
    assert_int_equal(taut_set(other, TAUT_INPUT, 0, 1, (double[]){ 0.3 }), 0);
    assert_int_equal(taut_step(other, 0.007), 0);
    assert_int_equal(frame_of(other, r->frame), 0);
    assert_int_equal(taut_linearise(other, 0.01, r->a, NULL), 0);
    assert_int_equal(taut_ensemble(z, &(taut_run){ .size = sizeof run, .h = 0.01, .until = 0.5, .every = 1000,
                                                   .columns = (size_t[]){ 1 }, .column_count = 1, .row_capacity = 2 },
                                   2, &(taut_vary){ TAUT_INPUT, 0 }, 1, (double[]){ 1, 2 }, 2, r->rows + 50, NULL), 0);
    assert_int_equal(taut_model_begin(context, "b", &b), 0);
    taut_group(b, TAUT_SCALAR, "x", 1, &x);
    const taut_expr v = taut_rate(b, x);
    taut_expr square;
    taut_apply(b, "*", 1, &v, &v, &square);
    taut_add(b, TAUT_ADD_LAGRANGIAN, NULL, 0, square);
    taut_start(b, x, taut_number(b, 0.1), 0);
    assert_int_equal(taut_model_finish(b, &built), 0);
    assert_int_equal(taut_model_source(built, r->source, sizeof r->source, NULL), 0);
    assert_int_equal(taut_model_load_text(context, "r", ROOT, strlen(ROOT), NULL, 0, &root), 0);
    taut_simulation_release(other);
    other = NULL;
    assert_int_equal(taut_simulation_create(context, root, &options, &other), 0);
    r->root = run_to(other, 0.01, 1);
    assert_true(r->root != 0);
    taut_simulation_release(other);
    other = NULL;
    assert_int_equal(taut_define(context, "f", 1, 1, not_finite, NULL), 0);
    assert_int_equal(taut_model_load_text(context, "c", calls, strlen(calls), NULL, 0, &called), 0);
    r->failed = taut_simulation_create(context, called, NULL, &other);
    assert_int_equal(r->failed, TAUT_NOT_FINITE);
    taut_model *models[] = { model, root, built, called };
    for (int i = 0; i < 4; i++) taut_model_release(models[i]);
    taut_simulation_release(z);
    taut_context_destroy(context);
}

static void same_everywhere(void **unused)
{
    static const struct { int traps, rounding; } hosts[] = {
        { TRAPS, FE_TONEAREST }, { 0, FE_UPWARD }, { 0, FE_TOWARDZERO }, { TRAPS, FE_DOWNWARD } };
    static const char *const precisions[] = { "double", "quad" };
    static result plain, here;
    (void)unused;
    for (int p = 0; p < 2; p++) {
#ifndef TAUT_HAVE_QUAD
        if (p) break;
#endif
        use(precisions[p], &plain);
        for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
            fesetround(hosts[i].rounding);
            feclearexcept(FE_ALL_EXCEPT);
            if (hosts[i].traps) feenableexcept(hosts[i].traps);
            use(precisions[p], &here);
            const int traps = fegetexcept(), rounding = fegetround();
            fedisableexcept(FE_ALL_EXCEPT);
            fesetround(FE_TONEAREST);
            assert_int_equal(traps, hosts[i].traps);
            assert_int_equal(rounding, hosts[i].rounding);
            assert_true(traps_seen == hosts[i].traps && rounding_seen == hosts[i].rounding); /* of the hook */
            assert_memory_equal(&plain, &here, sizeof plain);
        }
    }
}

#ifdef __x86_64__
static uint32_t control(void)
{
    uint32_t now;
    __asm__ __volatile__("stmxcsr %0" : "=m"(now));
    return now & ~0x3fu; /* without the flags */
}

static void without_denormals(void **unused)
{
    static result plain, here;
    uint32_t set = control() | 0x8040;
    (void)unused;
    use("double", &plain);
    __asm__ __volatile__("ldmxcsr %0" : : "m"(set));
    use("double", &here);
    const uint32_t after = control();
    set &= ~0x8040u;
    __asm__ __volatile__("ldmxcsr %0" : : "m"(set));
    assert_int_equal(after, set | 0x8040);
    assert_memory_equal(&plain, &here, sizeof plain);
}
#endif

static jmp_buf away;
static int leave(void *user, taut_simulation *z)
{
    (void)user, (void)z;
    longjmp(away, 1);
}

/* A hook that does not return leaves with the traps of the host, and the next calls are as safe as the first. */
static void left_by_longjmp(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    int traps = -1, status = -1;
    (void)unused;
    assert_int_equal(taut_model_load_text(context, "r", ROOT, strlen(ROOT), NULL, 0, &model), 0);
    assert_int_equal(taut_simulation_create(context, model, NULL, &z), 0);
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(TRAPS);
    if (!setjmp(away)) {
        taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.05, .after = leave };
        taut_advance(z, &run);
    }
    traps = fegetexcept();
    status = run_to(z, 0.01, 1);
    const int later = fegetexcept();
    fedisableexcept(FE_ALL_EXCEPT);
    assert_int_equal(traps, TRAPS);
    assert_int_equal(later, TRAPS);
    assert_true(status != 0);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_everywhere),
        cmocka_unit_test(left_by_longjmp),
#ifdef __x86_64__
        cmocka_unit_test(without_denormals),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
