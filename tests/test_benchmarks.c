/* Problems with published or exact figures, as bodies and joints: problems of the IFToMM benchmark library (A02 and A04
   are in test_core_linkages.c), the heavy top in three ways. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support_columns.h"

static taut_context *context;

static int set_up(void **state)
{
    (void)state;
    context = taut_context_create(NULL);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    taut_context_destroy(context);
    return 0;
}

static taut_simulation *open_file(const char *path, const char *method, const char *name, double value)
{
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    const taut_options options = { .size = sizeof options, .method = method };
    const taut_setting setting = { .name = name, .number = value };
    if (taut_model_load_file(context, path, &setting, name ? 1 : 0, &model)) fail_msg("%s", taut_error_text(context));
    if (taut_simulation_create(context, model, &options, &z)) fail_msg("%s", taut_error_text(context));
    taut_model_release(model);
    return z;
}

/* sn(u, k) by descending Landen transformations (Abramowitz & Stegun 16.4). */
static double sn(double u, double k)
{
    double a[20] = { 1 }, c[20] = { k }, b = sqrt(1 - k * k);
    int n = 0;
    while (fabs(c[n]) > 1e-16 && n < 18) {
        a[n + 1] = (a[n] + b) / 2, c[n + 1] = (a[n] - b) / 2, b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--) phi = (phi + asin(c[n] * sin(phi) / a[n])) / 2;
    return sin(phi);
}

/* K(k) by the arithmetic-geometric mean. */
static double quarter_period(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 12; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b), a = mean;
    }
    return acos(-1.0) / 2 / a;
}

/* From rest at 90 degrees sin(theta/2) = k sn(K - sqrt(g/l) t) with k = sin(45 degrees), theta from below. */
static void a01_pendulum(void **unused)
{
    (void)unused;
    const double k = sqrt(0.5), theta = 2 * asin(k * sn(quarter_period(k) - sqrt(9.81) * 10, k));
    taut_simulation *z = open_file(MODELS "/benchmarks/a01-pendulum.lua", NULL, NULL, 0);
    assert_int_equal(taut_flow(z, 10, 1e-13), TAUT_OK);
    assert_column(z, "bob.x", -sin(theta), 1e-9);
    assert_column(z, "bob.y", -cos(theta), 1e-9);
    taut_simulation_release(z);
    /* the benchmark's own tolerance is an energy error of 5e-5 J, of which there are none with em */
    z = open_file(MODELS "/benchmarks/a01-pendulum.lua", "em", NULL, 0);
    const double before = value_of(z, "energy");
    assert_int_equal(run_to(z, 0.01, 10), TAUT_OK);
    assert_column(z, "energy", before, 1e-12);
    taut_simulation_release(z);
}

/* The Test Set for IVP Solvers, Andrews' squeezing mechanism: computed with tolerances of 1e-14 by its authors. The
   start, which is solved from the crank and the rod in line, is theirs as well. In quad precision the model has beta =
   15.81077119515370624 with lobatto:s=4 and h = 1e-5, so that ten digits of the published figure are sure. */
static void a03_squeezer(void **unused)
{
    (void)unused;
    static const struct { const char *name; double first, last; } angles[] = {
        { "beta", -0.0617138900142764496, 15.81077119629904 },  { "theta", 0, -15.75637105984298 },
        { "gamma", 0.455279819163070380, 0.04082224013073101 }, { "phi", 0.222668390165885885, -0.5347301163226948 },
        { "delta", 0.487364979543842550, 0.5244099658805304 },  { "omega", -0.222668390165885885, 0.5347301163226948 },
        { "epsilon", 1.23054744454982119, 1.048080741042263 },
    };
    taut_simulation *z = open_file(MODELS "/benchmarks/a03-squeezer.lua", "lobatto:s=4", NULL, 0);
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        assert_column(z, angles[i].name, angles[i].first, 1e-12);
    assert_int_equal(run_to(z, 1e-5, 0.03), TAUT_OK);
    assert_column(z, "beta", 15.81077119515370624, 1e-11);
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) assert_column(z, angles[i].name, angles[i].last, 2e-9);
    taut_simulation_release(z);
}

/* The library publishes a curve of s. Here against three coordinates by hand (tests/joints/governor.lua), with the same
   method: both have its error of order 4, 4e-9 with twice the step. */
static void a05_governor(void **unused)
{
    (void)unused;
    taut_simulation *z = open_file(MODELS "/benchmarks/a05-governor.lua", "lobatto", NULL, 0),
                    *exact = open_file(REFERENCES "/governor.lua", "lobatto", NULL, 0);
    assert_int_equal(run_to(z, 0.00025, 0.25), TAUT_OK);
    assert_int_equal(run_to(exact, 0.00025, 0.25), TAUT_OK);
    assert_column(z, "s", value_of(exact, "s"), 1e-8);
    assert_column(z, "bearing_angle", value_of(exact, "bearing_angle"), 1e-8);
    assert_column(z, "pin1_angle", value_of(exact, "a") - acos(-1.0) / 6, 1e-8);
    taut_simulation_release(z), taut_simulation_release(exact);
}

/* Euler's angles, a rotation about the pivot, a body with a spherical joint. */
static void heavy_top_three_ways(void **unused)
{
    (void)unused;
    taut_simulation *angles = open_file(REFERENCES "/spherical.lua", NULL, NULL, 0),
                    *rotation = open_file(MODELS "/heavy-top.lua", NULL, NULL, 0),
                    *body = open_file(MODELS "/joints/spherical.lua", NULL, NULL, 0);
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(taut_flow(angles, 0.1 * i, 1e-13), TAUT_OK);
        assert_int_equal(taut_flow(rotation, 0.1 * i, 1e-13), TAUT_OK);
        assert_int_equal(taut_flow(body, 0.1 * i, 1e-13), TAUT_OK);
        assert_column(rotation, "tilt", value_of(angles, "tilt"), 2e-9);
        assert_column(body, "tilt", value_of(angles, "tilt"), 2e-9);
        assert_column(rotation, "spin", 150, 1e-8);
        assert_column(body, "spin", 150, 1e-8);
    }
    taut_simulation_release(angles), taut_simulation_release(rotation), taut_simulation_release(body);
}

/* Legs of almost no weight do what the constraints of models/stewart-platform.lua do; legs with weight need more: their
   feet and the plate carry it. */
static void stewart_platform_with_legs(void **unused)
{
    (void)unused;
    taut_simulation *light = open_file(MODELS "/stewart-legs.lua", NULL, "leg", 1e-7),
                    *none = open_file(MODELS "/stewart-platform.lua", NULL, NULL, 0);
    assert_int_equal(run_to(light, 0.02, 1), TAUT_OK);
    assert_int_equal(run_to(none, 0.02, 1), TAUT_OK);
    assert_column(light, "tilt", value_of(none, "tilt"), 1e-12);
    for (int i = 1; i <= 6; i++) {
        char name[24], carried[24];
        snprintf(name, sizeof name, "force%d", i), snprintf(carried, sizeof carried, "on_plate%d", i);
        assert_column(light, name, value_of(none, name), 1e-5); /* 1e-7 kg at some g each */
        assert_column(light, carried, fabs(value_of(none, name)), 1e-5);
    }
    taut_simulation_release(light), taut_simulation_release(none);
}

/* Seen from the front the arms and the upright are a four-bar linkage: the upper ball joint is where a circle about the
   axis of its arm meets one about the lower ball joint. With a strong damper the corner comes to rest on the
   bump, with its weight on the tyre. */
static void suspension(void **unused)
{
    (void)unused;
    taut_simulation *z = open_file(MODELS "/suspension.lua", NULL, "c", 12000);
    const double R = hypot(0.05, 0.3);          /* from ball joint to ball joint */
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(run_to(z, 0.002, 0.05 * i), TAUT_OK);
        const double phi = value_of(z, "lower_hinge_angle"), y = 0.4 * cos(phi), x = 0.2 + 0.4 * sin(phi);
        const double dy = y - 0.05, dx = x - 0.5, D = hypot(dy, dx);
        const double a = (0.09 - R * R + D * D) / (2 * D), h = sqrt(0.09 - a * a);      /* from the arm's axis */
        const double uy = 0.05 + (a * dy - h * dx) / D, ux = 0.5 + (a * dx + h * dy) / D;
        assert_column(z, "kingpin", atan2(y - uy, ux - x), 1e-11);
    }
    assert_int_equal(run_to(z, 0.004, 6), TAUT_OK);
    assert_column(z, "wheel_load", 384 * 9.81, 1e-6);
    taut_simulation_release(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a01_pendulum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a03_squeezer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a05_governor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(heavy_top_three_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stewart_platform_with_legs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(suspension, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
