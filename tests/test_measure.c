/* The calls of taut.h for measuring: frames with all digits, restart, the exact flow, counts, the symplectic form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "support_library.h"

#ifdef TAUT_HAVE_QUAD
#define WIDEST "quad"
#else
#define WIDEST "double"
#endif

typedef struct {
    taut_context *context;
    taut_model *model;
    taut_simulation *z;
} fixture;

static fixture open_pendulum(const char *method, const char *precision)
{
    fixture f = { taut_context_create(NULL), NULL, NULL };
    taut_options options = { .size = sizeof options };
    options.method = method;
    options.precision = precision;
    assert_non_null(f.context);
    int status = taut_model_load_file(f.context, MODELS "/pendulum.lua", NULL, 0, &f.model);
    if (!status) status = taut_simulation_create(f.context, f.model, &options, &f.z);
    if (status) fail_msg("%s", taut_error_text(f.context));
    return f;
}

static void close_fixture(fixture *f)
{
    taut_simulation_release(f->z);
    taut_model_release(f->model);
    taut_context_destroy(f->context);
}

static double column(taut_simulation *z, const double *frame, const char *name)
{
    long i = column_of(z, name);
    assert_true(i >= 0);
    return frame[i];
}

static void pairs_hold_all_digits(void **unused)
{
    (void)unused;
    double frame[64], high[64], low[64];
    fixture f = open_pendulum("rattle", WIDEST);
    assert_int_equal(run_to(f.z, 0.1, 1), TAUT_OK);
    assert_int_equal(frame_of(f.z, frame), TAUT_OK);
    assert_int_equal(taut_get(f.z, TAUT_ALL, 0, columns_of(f.z), high, low), TAUT_OK);
    size_t count = columns_of(f.z);
    assert_memory_equal(frame, high, count * sizeof *frame);
    double x = column(f.z, high, "a.x"), y = column(f.z, high, "a.y");
    double xl = column(f.z, low, "a.x"), yl = column(f.z, low, "a.y");
    /* x^2 + y^2 - 1 without a rounding that counts: products as p + e, and the larger square minus 1 is exact */
    double px = x * x, py = y * y, ex = fma(x, x, -px), ey = fma(y, y, -py);
    double g = (fmax(px, py) - 1) + fmin(px, py) + (ex + ey + 2 * (x * xl + y * yl));
    if (strcmp(WIDEST, "quad") == 0) {
        assert_true(xl != 0 && fabs(xl) <= 1.2e-16 && fabs(yl) <= 1.2e-16);
        assert_true(fabs(g) <= 1e-31); /* xl^2 and the rounding errors of the low parts: 1e-32 each */
    } else {
        assert_true(xl == 0 && yl == 0);
    }
    close_fixture(&f);
}

static void restart_is_the_start(void **unused)
{
    (void)unused;
    double before[64], after[64];
    fixture f = open_pendulum("lobatto:s=3", "double");
    size_t size = columns_of(f.z) * sizeof *before;
    assert_int_equal(frame_of(f.z, before), TAUT_OK);
    assert_int_equal(run_to(f.z, 0.1, 2), TAUT_OK);
    assert_int_equal(taut_restart(f.z), TAUT_OK);
    assert_true(taut_time(f.z) == 0);
    assert_int_equal(frame_of(f.z, after), TAUT_OK);
    assert_memory_equal(before, after, size);
    close_fixture(&f);
}

/* Back at the start after the period (4/sqrt 6) K(2/3), from the arithmetic-geometric mean: T = 4/sqrt(6) * pi/(2
   agm(1, sqrt(1/3))). */
static void flow_is_the_motion(void **unused)
{
    (void)unused;
    double frame[64], a = 1, b = sqrt(1.0 / 3);
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b), a = mean;
    }
    double period = 4 / sqrt(6) * acos(-1) / (2 * a);
    fixture f = open_pendulum("rattle", "double");
    assert_int_equal(taut_flow(f.z, period, 1e-13), TAUT_OK);
    assert_int_equal(frame_of(f.z, frame), TAUT_OK);
    /* 1e-13 in each of some tens of steps */
    assert_true(fabs(column(f.z, frame, "a.x") - 1) < 1e-11 && fabs(column(f.z, frame, "a.y")) < 1e-11);
    assert_true(fabs(column(f.z, frame, "a.y.dot") + 2) < 1e-11);
    assert_int_equal(taut_flow(f.z, 10, 0), TAUT_BAD_USAGE);
    assert_int_equal(taut_flow(f.z, INFINITY, 1e-10), TAUT_BAD_USAGE);
    assert_true(taut_time(f.z) == period); /* as it was */
    close_fixture(&f);
}

static void counts_are_those_of_the_steps(void **unused)
{
    (void)unused;
    fixture f = open_pendulum("rattle", "double");
    taut_work some = { .size = sizeof some };
    assert_int_equal(steps_of(f.z), 0);
    for (int i = 0; i < 7; i++) assert_int_equal(taut_step(f.z, 0.1), TAUT_OK);
    taut_counts(f.z, &some);
    assert_int_equal(some.steps, 7);
    assert_true(some.newton_iterations >= 7 && some.factorisations >= 7);
    close_fixture(&f);
}

static void symplectic_or_not(void **unused)
{
    (void)unused;
    double defect, uncertainty;
    int pairs;
    double before[64], after[64];
    fixture f = open_pendulum("rattle", WIDEST);
    assert_int_equal(frame_of(f.z, before), TAUT_OK);
    assert_int_equal(taut_symplectic_defect(f.z, 0.1, &defect, &uncertainty, &pairs), TAUT_OK);
    assert_true(pairs > 0 && defect <= 10 * uncertainty);
    assert_true(uncertainty < 1e-8); /* differences of order 8 */
    assert_int_equal(frame_of(f.z, after), TAUT_OK);
    assert_memory_equal(before, after, columns_of(f.z) * sizeof *before);
    close_fixture(&f);
    f = open_pendulum("galerkin:LGG,m=2", WIDEST); /* of order 2, and not symplectic: a defect of size h^3 */
    assert_int_equal(taut_symplectic_defect(f.z, 0.1, &defect, &uncertainty, &pairs), TAUT_OK);
    assert_true(defect > 1e-6 && defect > 1000 * uncertainty);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_hold_all_digits), cmocka_unit_test(restart_is_the_start),
        cmocka_unit_test(flow_is_the_motion),    cmocka_unit_test(counts_are_those_of_the_steps),
        cmocka_unit_test(symplectic_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
