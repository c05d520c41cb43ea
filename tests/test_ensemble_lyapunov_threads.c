/* Finite-time Lyapunov exponents of members, where they are known. */
#include <math.h>

#include "ensemble/lyapunov.h"

#include "support.h"

enum { MEMBERS = 3, READS = 3 };

/* exponents[member][reading] of a model with a param k, which is 1, 4, 9. */
static void exponents_of(const char *text, const char *method, int threads, double exponents[MEMBERS][READS])
{
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    lyapunov *l = NULL;
    int status = taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m);
    if (status) fail_msg("%s", taut_error_text(context));
    const executor_vary vary = { VARY_PARAMETER, (uint32_t)taut_model_find_parameter(m, "k") };
    const executor_options options = { .method = method, .step = taut_wide_from_double(0.01), .threads = threads,
                                       .native = TAUT_NATIVE_OFF, .vary = &vary, .vary_count = 1 };
    const executor_leg legs[] = { { options.step, 0, 1 }, { options.step, 1000, 1 }, { options.step, 1000, 1 } };
    const double values[MEMBERS] = { 1, 4, 9 };
    status = taut_lyapunov_create(m, &options, &l);
    if (!status) status = taut_lyapunov_run(l, legs, READS, MEMBERS, values, exponents[0]);
    if (status) fail_msg("%s", taut_error_text(context));
    taut_lyapunov_destroy(l);
    taut_model_free(m);
    taut_context_destroy(context);
}

/* x'' = k x grows as exp(sqrt(k) t). What the vector was dies out as exp(-2 sqrt(k) t), so that its part in the mean is
   of the order of 1/t: that of a logarithm of about one. Then nothing is added any more, and the mean over twice the
   time is off by half of that. The method's own error is k^(3/2) h^2/24. */
static void a_saddle_has_its_exponent(void **state)
{
    (void)state;
    static const char text[] = "local k = param('k', 1)\nlocal x = coordinate 'x'\nlagrangian(x.dot^2/2 + k*x^2/2)\n"
                               "start { x = 0 }\n";
    double found[MEMBERS][READS], again[MEMBERS][READS];
    exponents_of(text, "rattle", 1, found);
    exponents_of(text, "rattle", 2, again);
    for (int i = 0; i < MEMBERS; i++) {
        const double exact = i + 1;
        assert_true(isnan(found[i][0])); /* no time has passed */
        assert_at_most(fabs(found[i][1] - exact), 0.12);
        assert_at_most(fabs(found[i][2] - exact), 0.06);
        /* between the two readings the growth is the exponent itself */
        const double late = (found[i][2] * 19.99 - found[i][1] * 9.99) / 10;
        assert_at_most(fabs(late - exact), 1e-3 * exact);
    }
    assert_memory_equal(found, again, sizeof found); /* whatever the threads (NaN has the same bits here) */
}

/* The same with a constraint: a spherical pendulum upside down, of length 2, under gravity 2 k. */
static void a_constraint_takes_nothing_away(void **state)
{
    (void)state;
    static const char text[] = "local k = param('k', 1)\nlocal a = point 'a'\nlagrangian(norm2(a.dot)/2 - 2*k*a.z)\n"
                               "constraint('rod', norm2(a) - 4)\nstart { a = {0, 0, 2} }\n";
    static const char *const methods[] = { "rattle", "lobatto:s=3", "em" };
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        double found[MEMBERS][READS];
        exponents_of(text, methods[k], 1, found);
        for (int i = 0; i < MEMBERS; i++) {
            const double exact = i + 1, late = (found[i][2] * 19.99 - found[i][1] * 9.99) / 10;
            assert_at_most(fabs(late - exact), 1e-3 * exact);
        }
    }
}

/* An oscillator has none: the vector turns. */
static void an_oscillator_has_none(void **state)
{
    (void)state;
    static const char text[] = "local k = param('k', 1)\nlocal x = coordinate 'x'\nlagrangian(x.dot^2/2 - k*x^2/2)\n"
                               "start { x = 1 }\n";
    double found[MEMBERS][READS];
    exponents_of(text, "rattle", 1, found);
    /* its length changes by a factor of 3 at the most, where sqrt(k) is 3 */
    for (int i = 0; i < MEMBERS; i++) assert_at_most(fabs(found[i][2]), 2 * log(3) / 20);
}

static void methods_without_a_tangent_are_refused(void **state)
{
    (void)state;
    static const char text[] = "local x = coordinate 'x'\nlagrangian(x.dot^2/2 - x^2/2)\nstart { x = 1 }\n";
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    lyapunov *l = NULL;
    assert_int_equal(taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m), TAUT_OK);
    const executor_options options = { .method = "naive:rk4", .step = taut_wide_from_double(0.01),
                                       .native = TAUT_NATIVE_OFF };
    assert_int_equal(taut_lyapunov_create(m, &options, &l), TAUT_UNSUPPORTED);
    assert_null(l);
    assert_true(strlen(taut_error_text(context)) > 10);
    taut_model_free(m);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saddle_has_its_exponent),
        cmocka_unit_test(a_constraint_takes_nothing_away),
        cmocka_unit_test(an_oscillator_has_none),
        cmocka_unit_test(methods_without_a_tangent_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
