/* What loading may take: bytes and seconds, of the script, of the Dirac algorithm, of matrices; and that what was given
   back is counted. */
#include "base/budget.h"
#include "linalg/pattern.h"

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

/* A comparison is one instruction, and takes some 50 ms here: 300 of them are fewer instructions than the script runs
   between two looks at the clock without long strings. */
static const char comparisons[] = "local a = ('\\0'):rep(4000000)\n"
                                  "local b = a .. 'x'\n"
                                  "for i = 1, 300 do local c = a < b end\n"
                                  "local x = coordinate 'x'\n"
                                  "lagrangian(x.dot^2/2)\n"
                                  "start { x = 0 }\n%.0d";

static void long_strings_are_interrupted(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    assert_says(attempt(context, comparisons, 0, 0, 0.2), "the script ran for more than 0.2 seconds");
    taut_context_destroy(context);
}

/* The product of a full column and a full row: its entries are sorted for about a second, without asking for memory. */
static void products_are_interrupted(void **state)
{
    (void)state;
    enum { SIZE = 5000 };
    static int zeros[SIZE], count[SIZE];
    pattern *column = NULL, *row = NULL, *product = NULL;
    taut_context *context = taut_context_create(NULL);
    for (int i = 0; i < SIZE; i++) count[i] = SIZE - 1 - i;
    assert_int_equal(taut_pattern_create(context, SIZE, 1, count, zeros, SIZE, &column), TAUT_OK);
    assert_int_equal(taut_pattern_create(context, 1, SIZE, zeros, count, SIZE, &row), TAUT_OK);
    taut_context_limit(context, 0, 0.1);
    taut_budget_begin(context, "a product");
    assert_int_equal(taut_pattern_product(context, column, row, &product), TAUT_OUT_OF_MEMORY);
    assert_says(taut_error_text(context), "more than 0.1 s, the last of them for a product");
    assert_null(product);
    taut_budget_end(context);
    taut_pattern_destroy(context, column);
    taut_pattern_destroy(context, row);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_limited_and_counted),
        cmocka_unit_test(seconds_are_limited),
        cmocka_unit_test(long_work_is_refused),
        cmocka_unit_test(long_strings_are_interrupted),
        cmocka_unit_test(products_are_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
