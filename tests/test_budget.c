/* What loading may take: bytes and seconds, of the script, of the Dirac algorithm, of matrices; and that what was given
   back is counted. */
#include "base/budget.h"

#include "support_core.h"
#include "taut/taut.h"

static const char chain[] = "local last\n"
                            "for i = 1, %d do\n"
                            "  local a = point('a'..i, 2)\n"
                            "  lagrangian(norm2(a.dot)/2 - a.y)\n"
                            "  constraint('c'..i, norm2(a - (last or {0, 0})) - 1)\n"
                            "  start { [a] = {i, 0} }\n"
                            "  last = a\n"
                            "end\n";
/* every constraint is coupled with every other one */
static const char dense[] = "local a = point('a', 3)\n"
                            "lagrangian(norm2(a.dot)/2)\n"
                            "for i = 1, %d do constraint('c'..i, a.x*i + a.y*i^2) end\n"
                            "start { a = {0, 0, 0} }\n";
static const char endless[] = "local s = 0\nwhile true do s = s + 1 end\n%.0d";

/* Loads and sets up with these limits; the text of the error. */
static const char *attempt(taut_context *context, const char *format, int count, size_t bytes, double seconds)
{
    static char said[TAUT_ERROR_TEXT];
    char text[600];
    taut_model *m = NULL;
    taut_simulation *z = NULL;
    snprintf(text, sizeof text, format, count);
    taut_context_limit(context, bytes, seconds);
    int status = taut_model_load_text(context, "test.lua", text, strlen(text), NULL, 0, &m);
    if (!status) status = taut_simulation_create(context, m, NULL, &z);
    snprintf(said, sizeof said, "%s", status ? taut_error_text(context) : "");
    taut_simulation_release(z);
    taut_model_release(m);
    return said;
}

static void assert_says(const char *text, const char *expected)
{
    if (!strstr(text, expected)) fail_msg("'%s' is not in: %s", expected, text);
}

static void bytes_are_limited_and_counted(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    const long long before = atomic_load(&taut_context_budget(context)->bytes);
    assert_string_equal(attempt(context, chain, 300, 0, 0), "");
    assert_says(attempt(context, chain, 20000, (size_t)8 << 20, 0), "when the script asked for");
    assert_says(attempt(context, dense, 1200, (size_t)16 << 20, 0), "when the consistent start asked for");
    /* all of it was given back, so that the next one has as much */
    assert_true(atomic_load(&taut_context_budget(context)->bytes) == before);
    assert_string_equal(attempt(context, chain, 300, (size_t)64 << 20, 0), "");
    taut_context_destroy(context);
}

static void seconds_are_limited(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    assert_says(attempt(context, endless, 0, 0, 0.05), "the script ran for more than 0.05 seconds");
    assert_says(attempt(context, chain, 100000, 0, 0.01), "0.01 s");
    assert_says(attempt(context, dense, 1200, 0, 0.001), "0.001 s");
    assert_string_equal(attempt(context, chain, 10, 0, 0), "");
    taut_context_destroy(context);
}

/* Work that nothing interrupts is refused before it begins; outside of a load nothing is. */
static void long_work_is_refused(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    assert_int_equal(taut_budget_work(context, 1e15, "a matrix"), TAUT_OK);
    taut_budget_begin(context, "the start");
    assert_int_equal(taut_budget_work(context, 1e9, "a matrix"), TAUT_OK);
    assert_int_equal(taut_budget_work(context, 1e15, "a matrix"), TAUT_UNSUPPORTED);
    assert_says(taut_error_text(context), "a matrix takes some 1e+15 operations, for the start");
    taut_budget_end(context);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_limited_and_counted),
        cmocka_unit_test(seconds_are_limited),
        cmocka_unit_test(long_work_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
