/* Statistics over members: sums without rounding errors, whatever the order and the parts. */
#include <math.h>

#include "ensemble/counter.h"
#include "ensemble/statistics.h"
#include "ensemble/summary.h"
#include "ensemble/sweep.h"

#include "support.h"

/* Numbers of all sizes, both signs. */
static double number(uint64_t i)
{
    const uint64_t bits = counter_bits(9, i, 0, 0);
    const double x = counter_uniform(bits) * (bits & 1 ? -1 : 1);
    return ldexp(x, (int)(bits >> 3 & 127) - 64);
}

static void sums_do_not_depend_on_the_order(void **state)
{
    (void)state;
    enum { N = 3000 };
    taut_context *context = taut_context_create(NULL);
    unsigned char *bytes[4];
    size_t sizes[4];
    for (int way = 0; way < 4; way++) {
        statistics s, part;
        assert_int_equal(taut_statistics_create(context, 2, &s), TAUT_OK);
        assert_int_equal(taut_statistics_create(context, 2, &part), TAUT_OK);
        for (uint64_t i = 0; i < N; i++) {
            const uint64_t k = way == 1 ? N - 1 - i : way == 2 ? counter_permute(1, 0, N, i) : i;
            const double values[2] = { number(k), k % 7 ? 1 + (double)k : (double)NAN };
            taut_statistics_add(way == 3 && i % 3 == 0 ? &part : &s, values);
        }
        if (way == 3) { /* one part through a file */
            unsigned char *packed;
            size_t size;
            assert_int_equal(taut_statistics_pack(&part, &packed, &size), TAUT_OK);
            assert_int_equal(taut_statistics_unpack(&s, packed, size), TAUT_OK);
            assert_int_equal(taut_statistics_unpack(&s, packed, size - 1), TAUT_CANNOT_READ);
            taut_mem_free(context, packed);
            taut_statistics_clear(&s);
            assert_int_equal(taut_statistics_create(context, 2, &s), TAUT_OK);
            for (uint64_t i = 0; i < N; i++) {
                const double values[2] = { number(i), i % 7 ? 1 + (double)i : (double)NAN };
                if (i % 3) taut_statistics_add(&s, values);
            }
            taut_statistics_join(&s, &part);
        }
        assert_int_equal(taut_statistics_pack(&s, &bytes[way], &sizes[way]), TAUT_OK);
        assert_int_equal(sizes[way], sizes[0]);
        assert_memory_equal(bytes[way], bytes[0], sizes[0]);
        assert_int_equal(s.cells[1].count, N - (N + 6) / 7);
        taut_statistics_clear(&s);
        taut_statistics_clear(&part);
    }
    for (int way = 0; way < 4; way++) taut_mem_free(context, bytes[way]);
    taut_context_destroy(context);
}

static void sums_are_exact(void **state)
{
    (void)state;
    static const double extreme[] = {
        DBL_MAX, 0x1p-1074, 1, -1, -DBL_MAX, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, -3, 0x1.8p-1022
    };
    exact_sum s = { 0 };
    for (size_t i = 0; i < sizeof extreme / sizeof *extreme; i++) exact_add(&s, extreme[i]);
    exact_add(&s, -0x1.8p-1022);
    exact_add(&s, 3);
    assert_true(exact_value(&s) == (wide)0x1p-1074);
    exact_add(&s, -0x1p-1074);
    exact_add(&s, -5.5);
    assert_true(exact_value(&s) == (wide)-5.5);
    for (int i = 0; i < EXACT_WORDS - 1; i++) assert_true(s.word[i] < (int64_t)1 << 33);
}

/* Deviations that are far smaller than the numbers, which a plain sum of squares loses. */
static void deviations_survive_cancellation(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    statistics s;
    assert_int_equal(taut_statistics_create(context, 1, &s), TAUT_OK);
    assert_true(isnan(taut_statistics_mean(&s.cells[0])));
    for (int i = 0; i < 5; i++) {
        const double x = 1e6 + ldexp(i - 2, -24); /* -2 -1 0 1 2: deviation sqrt(10/4) */
        taut_statistics_add(&s, &x);
    }
    assert_true(taut_statistics_mean(&s.cells[0]) == 1e6);
    /* (sd/mean)^2 is 1e-26: of the 34 digits of a wide number (or 19 of a long double) so many are left */
    if (WIDE_DIGITS >= 33)
        assert_at_most(fabs(taut_statistics_deviation(&s.cells[0]) / ldexp(sqrt(2.5), -24) - 1), 1e-6);
    taut_statistics_clear(&s);
    taut_context_destroy(context);
}

/* Over n - 1, whatever the precision of the sums. */
static void deviations_are_those_of_samples(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    statistics s;
    assert_int_equal(taut_statistics_create(context, 1, &s), TAUT_OK);
    for (int i = 1; i <= 4; i++) {
        const double x = i;
        taut_statistics_add(&s, &x);
        if (i == 1) assert_true(isnan(taut_statistics_deviation(&s.cells[0])));
    }
    assert_at_most(fabs(taut_statistics_deviation(&s.cells[0]) - sqrt(5.0 / 3)), 1e-15); /* (9 + 1 + 1 + 9)/4/3 */
    taut_statistics_clear(&s);
    taut_context_destroy(context);
}

/* The middles of 50 bins, and both ends of the range: the upper end is in the last bin, which has no next one. */
static void a_histogram_has_all_values(void **state)
{
    (void)state;
    enum { COUNT = SUMMARY_BINS + 2 };
    taut_context *context = taut_context_create(NULL);
    statistics s;
    summary made;
    double x[COUNT], same[3] = { 7, 7, 7 };
    assert_int_equal(taut_statistics_create(context, 1, &s), TAUT_OK);
    for (int i = 0; i < SUMMARY_BINS; i++) x[i] = i + 0.5;
    x[SUMMARY_BINS] = SUMMARY_BINS, x[SUMMARY_BINS + 1] = 0;
    for (int i = 0; i < COUNT; i++) taut_statistics_add(&s, &x[i]);
    taut_summary_make(STATS_ALL, &s.cells[0], x, COUNT, &made);
    assert_int_equal(made.bins, SUMMARY_BINS);
    assert_true(made.low == 0 && made.high == SUMMARY_BINS);
    for (size_t i = 0; i < made.bins; i++) assert_int_equal(made.counts[i], i == 0 || i + 1 == made.bins ? 2 : 1);
    taut_summary_make(STATS_ALL, &s.cells[0], same, 3, &made);
    assert_int_equal(made.bins, 1);
    assert_int_equal(made.counts[0], 3);
    taut_statistics_clear(&s);
    taut_context_destroy(context);
}

static void quantiles_are_those_of_numpy(void **state)
{
    (void)state;
    double x[] = { 4, (double)NAN, 1, 3, 2, (double)INFINITY };
    assert_int_equal(taut_statistics_sort(x, 6), 4);
    assert_true(taut_statistics_quantile(x, 4, 0.5) == 2.5);
    assert_true(taut_statistics_quantile(x, 4, 0.25) == 1.75); /* numpy.quantile([1, 2, 3, 4], 0.25) */
    assert_true(taut_statistics_quantile(x, 4, 0) == 1 && taut_statistics_quantile(x, 4, 1) == 4);
    assert_true(taut_statistics_quantile(x, 1, 0.3) == 1);
    assert_true(isnan(taut_statistics_quantile(x, 0, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_do_not_depend_on_the_order),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(deviations_survive_cancellation),
        cmocka_unit_test(deviations_are_those_of_samples),
        cmocka_unit_test(a_histogram_has_all_values),
        cmocka_unit_test(quantiles_are_those_of_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
