/* Every joint against a model without it: models/joints/NAME.lua has bodies and joints, tests/joints/NAME.lua the same
   motion in coordinates that need none, by hand. Every observable of the second is a column of the first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_library.h"

#include <cmocka.h>

static const char *const joints[] = { "fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical",
                                      "planar", "screw", "gear", "belt", "rolling", "wheel", "distance", "plane",
                                      "series" };
#define JOINTS (sizeof joints / sizeof *joints)

static taut_simulation *open_file(taut_context *context, const char *folder, const char *name, const char *method)
{
    char path[1024];
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_options options = { .size = sizeof options, .method = method };
    snprintf(path, sizeof path, "%s/%s.lua", folder, name);
    if (taut_model_load_file(context, path, NULL, 0, &model)) fail_msg("%s", taut_error_text(context));
    if (taut_simulation_create(context, model, &options, &z)) fail_msg("%s", taut_error_text(context));
    taut_model_release(model);
    return z;
}

/* Largest difference of the observables of `exact` from the columns of those names, relative to the larger of 1 and
   their size. */
static double difference(taut_simulation *z, taut_simulation *exact, const char *name, int is_told)
{
    double worst = 0;
    size_t count = taut_count(exact, TAUT_OBSERVABLE);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        double x, y;
        const char *column = taut_name(exact, TAUT_OBSERVABLE, i);
        long at = column_of(z, column);
        if (at < 0) fail_msg("%s has no column '%s'", name, column);
        assert_int_equal(taut_get(z, TAUT_ALL, (size_t)at, 1, &x, NULL), TAUT_OK);
        assert_int_equal(taut_get(exact, TAUT_OBSERVABLE, i, 1, &y, NULL), TAUT_OK);
        double d = fabs(x - y) / fmax(1, fabs(y));
        if (is_told) printf("%-12s %-18s %.12g, exact %.12g\n", name, column, x, y);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

static void every_joint_against_minimal_coordinates(void **unused)
{
    (void)unused;
    taut_context *context = taut_context_create(NULL);
    for (size_t i = 0; i < JOINTS; i++) {
        taut_simulation *z = open_file(context, MODELS "/joints", joints[i], NULL),
                        *exact = open_file(context, REFERENCES, joints[i], NULL);
        /* both by an extrapolation method with errors of some 1e-13 a step; a top that turns 12 times multiplies them
           by a thousand */
        assert_int_equal(taut_flow(z, 0.5, 1e-13), TAUT_OK);
        assert_int_equal(taut_flow(exact, 0.5, 1e-13), TAUT_OK);
        double worst = difference(z, exact, joints[i], 1);
        if (worst > 5e-9) fail_msg("%s: off by %.2e", joints[i], worst);
        taut_simulation_release(z), taut_simulation_release(exact);
    }
    taut_context_destroy(context);
}

/* All families step these models: errors of order 2 at h and h/2 over some tenths of a second, measured in the columns
   that are not reactions (those of em belong to the middle of the step). */
static void every_joint_under_every_method(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "rattle", "em", "lobatto", "galerkin", "del", "shake" };
    taut_context *context = taut_context_create(NULL);
    for (size_t i = 0; i < JOINTS; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            double error[2];
            taut_simulation *exact = open_file(context, MODELS "/joints", joints[i], NULL);
            size_t n = taut_count(exact, TAUT_POSITION);
            double *q = malloc(2 * n * sizeof *q);
            assert_non_null(q);
            assert_int_equal(taut_flow(exact, 0.125, 1e-12), TAUT_OK);
            assert_int_equal(taut_get(exact, TAUT_POSITION, 0, n, q, NULL), TAUT_OK);
            for (int half = 0; half < 2; half++) {
                taut_simulation *z = open_file(context, MODELS "/joints", joints[i], methods[k]);
                if (run_to(z, half ? 0.00048828125 : 0.0009765625, 0.125))
                    fail_msg("%s under %s: %s", joints[i], methods[k], taut_error_text(context));
                assert_int_equal(taut_get(z, TAUT_POSITION, 0, n, q + n, NULL), TAUT_OK);
                error[half] = 0;
                for (size_t c = 0; c < n; c++) error[half] = fmax(error[half], fabs(q[n + c] - q[c]));
                taut_simulation_release(z);
            }
            printf("%-12s %-9s %.2e %.2e\n", joints[i], methods[k], error[0], error[1]);
            /* the fastest, a top with 150 rad/s, turns by 0.15 in the longer step: 19 rad, each off by 0.15^2/12 */
            assert_true(error[0] < 4e-2);
            assert_true(error[1] < 5e-8 || error[0] / error[1] > 3.5); /* the top is known to some 2e-8 */
            free(q);
            taut_simulation_release(exact);
        }
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_against_minimal_coordinates),
        cmocka_unit_test(every_joint_under_every_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
