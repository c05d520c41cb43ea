/* The number meant by a double is the value of its shortest decimal form, however it is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/wide.h"

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17; /* xorshift, Marsaglia 2003 */
    return *state;
}

static void check(double value)
{
    char text[40];
    wide meant;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    assert_int_equal(taut_wide_parse(text, &meant), 0);
    if (taut_wide_from_double(value) != meant) fail_msg("%a, %s", value, text);
}

static void shortest_decimal_forms(void **unused)
{
    uint64_t state = 88172645463325252u;
    (void)unused;
    const long count = getenv("TAUT_TEST_LONG") ? 20000000 : 100000;
    for (long i = 0; i < count; i++) {
        const double u = (double)(next(&state) >> 11) * 0x1p-53;
        char few[40];
        uint64_t bits = next(&state);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (any - any == 0) check(any);
        check(u), check(-20 * u), check(1e6 * u), check(1e-4 * u);
        snprintf(few, sizeof few, "%.*g", (int)(bits % 17) + 1, 1000 * (u - 0.5)); /* of few digits */
        check(strtod(few, NULL));
    }
    for (int k = -40; k < 60; k++) /* where the distance to the neighbours changes, and where digits are carried */
        for (int step = -3; step <= 3; step++) {
            double two = ldexp(1, k), ten = k < 17 && k > -12 ? pow(10, k) : 1;
            for (int i = 0; i < abs(step); i++)
                two = nextafter(two, step < 0 ? 0 : INFINITY), ten = nextafter(ten, step < 0 ? 0 : INFINITY);
            check(two), check(-two), check(ten);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(shortest_decimal_forms) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
