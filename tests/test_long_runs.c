/* What is kept wanders as a sum of rounding errors does, as the square root of the steps, and not as the steps:
   `make long-runs` measures it over 10^8 of them. */
#include "support.h"
#include "support_library.h"

static const struct {
    const char *method;
    int keeps_energy;
} methods[] = { { "rattle", 0 }, { "em", 1 }, { "galerkin:LLL,m=3", 0 } };

static void errors_wander(void **state)
{
    (void)state;
    enum { EVERY = 100 };
    const long steps = getenv("TAUT_TEST_LONG") ? 100000000 : SANITIZED ? 20000 : 200000;
    const double h = 0.0078125; /* times are exact */
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        taut_context *context = taut_context_create(NULL);
        taut_model *m = NULL;
        taut_simulation *z = NULL;
        taut_options options = { .size = sizeof options, .method = methods[i].method };
        assert_int_equal(taut_model_load_file(context, MODELS "/double-spherical-pendulum.lua", NULL, 0, &m), TAUT_OK);
        assert_int_equal(taut_simulation_create(context, m, &options, &z), TAUT_OK);
        const size_t columns[] = { (size_t)column_of(z, "angular_momentum.z"), (size_t)column_of(z, "energy") };
        double rows[2 * 102], first[2] = { 0 }, away[2] = { 0 };
        for (long done = 0; done < steps; done += 100 * EVERY) {
            taut_run run = { .size = sizeof run, .h = h, .until = h * (double)(done + 100 * EVERY), .every = EVERY,
                             .columns = columns, .column_count = 2, .rows = rows, .row_capacity = 102 };
            if (taut_advance(z, &run)) fail_msg("%s: %s", methods[i].method, taut_error_text(context));
            if (!done) memcpy(first, rows, sizeof first);
            for (size_t r = 0; r < run.row_count; r++)
                for (int k = 0; k < 2; k++) away[k] = fmax(away[k], fabs(rows[2 * r + (size_t)k] - first[k]));
        }
        const double limit = DBL_EPSILON * sqrt((double)steps);
        for (int k = 0; k < 1 + methods[i].keeps_energy; k++)
            if (!(away[k] <= limit * fabs(first[k])))
                fail_msg("%s: %s changed by %.1e in %ld steps, limit %.1e", methods[i].method,
                         k ? "the energy" : "the momentum", away[k] / fabs(first[k]), steps, limit);
        taut_simulation_release(z);
        taut_model_release(m);
        taut_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errors_wander) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
