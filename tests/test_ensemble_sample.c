/* Members of ensembles: random numbers by (seed, member, dimension), designs, laws, tables, and what is said of bad
   ones. */
#include <math.h>

#include "ensemble/counter.h"
#include "ensemble/normal.h"
#include "ensemble/sample.h"
#include "ensemble/sobol.h"

#include "support.h"

/* The known answers of Random123 (kat_vectors, philox4x32 10). */
static void philox_is_philox(void **state)
{
    (void)state;
    static const struct { uint32_t counter[4]; uint64_t key; uint32_t answer[4]; } known[] = {
        { { 0, 0, 0, 0 }, 0, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }, 0xffffffffffffffff,
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, 0x299f31d0a4093822,
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        counter_block x;
        memcpy(x.word, known[i].counter, sizeof x.word);
        x = counter_philox(x, known[i].key);
        assert_memory_equal(x.word, known[i].answer, sizeof x.word);
    }
}

static void permutations_are_permutations(void **state)
{
    (void)state;
    static const uint64_t counts[] = { 1, 2, 3, 5, 64, 100, 1000, 4097 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t dimension = 0; dimension < 3; dimension++) {
            unsigned char *seen = calloc(counts[i], 1);
            uint64_t fixed = 0;
            for (uint64_t k = 0; k < counts[i]; k++) {
                const uint64_t to = counter_permute(7, dimension, counts[i], k);
                assert_true(to < counts[i] && !seen[to]);
                seen[to] = 1;
                fixed += to == k;
            }
            if (counts[i] >= 64) assert_true(fixed < 10); /* one is expected of a random permutation */
            free(seen);
        }
}

/* 2^m points have one in each of 2^m intervals of every dimension, one in each box of area 2^-m of the first two. */
static void sobol_is_even(void **state)
{
    (void)state;
    enum { M = 8, N = 1 << M };
    static const uint32_t first[] = { 0, N, 5 * N };
    for (int scrambled = 0; scrambled < 2; scrambled++)
        for (size_t f = 0; f < 3; f++) {
            for (int d = 0; d < SOBOL_DIMENSIONS; d++) {
                int seen[N] = { 0 };
                for (uint32_t i = 0; i < N; i++) {
                    const double x = scrambled ? taut_sobol_scrambled(3, first[f] + i, d)
                                               : taut_sobol_point(first[f] + i, d) * 0x1p-32;
                    assert_true(x >= 0 && x < 1);
                    seen[(int)(x * N)]++;
                }
                for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
            }
            for (int split = 0; split <= M; split++) {
                int seen[N] = { 0 };
                for (uint32_t i = 0; i < N; i++) {
                    double x[2];
                    for (int d = 0; d < 2; d++)
                        x[d] = scrambled ? taut_sobol_scrambled(3, first[f] + i, d)
                                         : taut_sobol_point(first[f] + i, d) * 0x1p-32;
                    seen[((int)(x[0] * (1 << split)) << (M - split)) + (int)(x[1] * (1 << (M - split)))]++;
                }
                for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
            }
        }
    assert_true(taut_sobol_scrambled(3, 1, 0) != taut_sobol_scrambled(4, 1, 0));
}

/* The inverse of (1 + erf(x/sqrt 2))/2, to some units of the last place of p, magnified by its slope. */
static void normal_quantiles_are_right(void **state)
{
    (void)state;
    assert_true(normal_quantile(0.5) == 0);
    assert_at_most(fabs(normal_quantile(0.975) - 1.959963984540054), 1e-15 * 4);
    for (int i = 1; i < 1000; i++) {
        const double p = i < 500 ? pow(0.93, i) : (i - 499) / 501.0, x = normal_quantile(p);
        const double back = 0.5 * erfc(-x / sqrt(2));
        assert_at_most(fabs(back - p), p * (1 + x * x) * 1e-14);
    }
}

static sample *make(const char *const *texts, size_t count, const char *table, sample_design design, uint64_t members,
                    taut_context **context)
{
    sample *s = NULL;
    *context = taut_context_create(NULL);
    if (taut_sample_create(*context, texts, count, table, "members.csv", design, 42, members, &s))
        fail_msg("%s", taut_error_text(*context));
    return s;
}

static void designs_have_their_laws(void **state)
{
    (void)state;
    enum { N = 4000 };
    static const char *const texts[] = { "u=uniform(-1,3)", "n=normal(5,2)", "l=loguniform(1,100)" };
    for (sample_design design = DESIGN_RANDOM; design < DESIGNS; design++) {
        taut_context *context;
        sample *s = make(texts, 3, NULL, design, N, &context);
        double sum[3] = { 0 }, square[3] = { 0 }, cross = 0, v[3];
        int seen[N] = { 0 };
        for (uint64_t k = 0; k < N; k++) {
            taut_sample_values(s, k, v);
            assert_true(v[0] > -1 && v[0] < 3 && v[2] > 1 && v[2] < 100);
            const double x[3] = { v[0], v[1], log(v[2]) };
            for (int i = 0; i < 3; i++) sum[i] += x[i], square[i] += x[i] * x[i];
            cross += (v[0] - 1) * (v[1] - 5);
            seen[(int)((v[0] + 1) / 4 * N)]++;
        }
        /* means and deviations of the laws; random ones within five standard errors, the others far closer */
        const double mean[3] = { 1, 5, log(100) / 2 }, sd[3] = { 4 / sqrt(12), 2, log(100) / sqrt(12) };
        for (int i = 0; i < 3; i++) {
            const double m = sum[i] / N, bound = design == DESIGN_RANDOM ? 5 * sd[i] / sqrt(N) : 0.01 * sd[i];
            assert_at_most(fabs(m - mean[i]), bound);
            assert_at_most(fabs(sqrt(square[i] / N - m * m) / sd[i] - 1), design == DESIGN_RANDOM ? 0.06 : 0.01);
        }
        assert_at_most(fabs(cross / N), 5 * sd[0] * sd[1] / sqrt(N));
        int empty = 0;
        for (int i = 0; i < N; i++) empty += !seen[i];
        if (design == DESIGN_LATIN) assert_int_equal(empty, 0); /* one in each of N intervals */
        if (design == DESIGN_RANDOM) assert_true(empty > N / 4);
        taut_sample_free(s);
        taut_context_destroy(context);
    }
}

/* Whatever else is asked for, and of however many members. */
/* The member that counter_permute sends to `place`, among 2^60: its network of Feistel, backwards. */
static uint64_t sent_to(uint64_t seed, uint32_t dimension, uint64_t place)
{
    const uint64_t mask = ((uint64_t)1 << 30) - 1;
    uint64_t left = place >> 30, right = place & mask;
    for (uint32_t round = 8; round-- > 0;) {
        const uint64_t before = right ^ (counter_bits(seed, left, dimension, 0x100u + round) & mask);
        right = left;
        left = before;
    }
    return left << 30 | right;
}

/* The last cell of 2^60 is narrower than the spacing of doubles below 1: its numbers are still below 1. And members
   beyond those that the hypercube was made for are random ones. */
static void hypercubes_end_below_one(void **state)
{
    (void)state;
    const char *const normal = "a=normal(0,1)", *const uniform = "a=uniform(0,1)";
    const uint64_t count = (uint64_t)1 << 60;
    taut_context *context = taut_context_create(NULL);
    sample *s, *random;
    double x, y;
    const uint64_t last = sent_to(5, 0, count - 1);
    assert_int_equal(counter_permute(5, 0, count, last), count - 1);
    assert_int_equal(taut_sample_create(context, &uniform, 1, NULL, NULL, DESIGN_LATIN, 5, count, &s), TAUT_OK);
    taut_sample_values(s, last, &x);
    assert_true(x == 1 - 0x1p-53);
    taut_sample_free(s);
    assert_int_equal(taut_sample_create(context, &normal, 1, NULL, NULL, DESIGN_LATIN, 5, count, &s), TAUT_OK);
    taut_sample_values(s, last, &x);
    assert_true(x > 8 && x < 10); /* the quantile of 1 - 2^-53 is 8.21 */
    taut_sample_free(s);
    assert_int_equal(taut_sample_create(context, &uniform, 1, NULL, NULL, DESIGN_LATIN, 5, 4, &s), TAUT_OK);
    assert_int_equal(taut_sample_create(context, &uniform, 1, NULL, NULL, DESIGN_RANDOM, 5, 4, &random), TAUT_OK);
    for (uint64_t member = 4; member < 7; member++) {
        taut_sample_values(s, member, &x);
        taut_sample_values(random, member, &y);
        assert_true(x == y);
    }
    taut_sample_free(random);
    taut_sample_free(s);
    taut_context_destroy(context);
}

static void members_depend_on_seed_and_number_alone(void **state)
{
    (void)state;
    static const char *const texts[] = { "u=uniform(0,1)", "n=normal(0,1)", "g=grid(0,1,7)" };
    for (int k = 0; k < 2; k++) {
        const sample_design design = k ? DESIGN_SOBOL : DESIGN_RANDOM;
        taut_context *ca, *cb;
        sample *a = make(texts, 3, NULL, design, 100, &ca), *b = make(texts, 3, NULL, design, 100000, &cb);
        for (uint64_t m = 99; m < 100; m--) {
            double x[3], y[3], z[3];
            taut_sample_values(a, m, x);
            taut_sample_values(b, 70000 + m, z);
            taut_sample_values(b, m, y);
            assert_memory_equal(x, y, sizeof x);
        }
        taut_sample_free(a);
        taut_sample_free(b);
        taut_context_destroy(ca);
        taut_context_destroy(cb);
    }
}

static void grids_are_products(void **state)
{
    (void)state;
    static const char *const texts[] = { "a=grid(1,5,5)", "b=values(0.1,0.7)", "c=grid(0,0.3,4)" };
    taut_context *context;
    sample *s = make(texts, 3, NULL, DESIGN_RANDOM, 0, &context);
    assert_int_equal(s->members, 40);
    for (uint64_t k = 0; k < 40; k++) {
        double v[3];
        taut_sample_values(s, k, v);
        assert_true(v[0] == 1 + (double)(k / 8) && v[1] == (k / 4 % 2 ? 0.7 : 0.1));
        assert_at_most(fabs(v[2] - 0.1 * (double)(k % 4)), 1e-16);
        if (k % 4 == 3) assert_true(v[2] == 0.3);
    }
    taut_sample_free(s);
    taut_context_destroy(context);
}

/* Three grids of 2^20, 2^20 and 2^24 points are 2^64, which is 0 in 64 bits; two of 2^25 are the most there may be. */
static void grids_have_an_end(void **state)
{
    (void)state;
    static const char *const few[] = { "a=grid(0,1,33554432)", "b=grid(0,1,33554432)" };
    static const struct { const char *texts[4]; size_t count; } many[] = {
        { { "a=grid(0,1,1048576)", "b=grid(0,1,1048576)", "c=grid(0,1,16777216)" }, 3 },
        { { "a=grid(0,1,33554432)", "b=grid(0,1,33554432)", "c=values(1,2)" }, 3 },
        { { "a=grid(0,1,1000000000)", "b=grid(0,1,1000000000)", "c=grid(0,1,1000000000)", "d=values(1)" }, 4 },
    };
    taut_context *context;
    sample *s = make(few, 2, NULL, DESIGN_RANDOM, 0, &context);
    assert_true(s->members == (uint64_t)1 << 50);
    taut_sample_free(s);
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        assert_int_equal(taut_sample_create(context, many[i].texts, many[i].count, NULL, NULL, DESIGN_RANDOM, 1, 0, &s),
                         TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(context), "too many points"));
    }
    const sample_numbers numbers = { (const char *const[]){ "a", "b", "c", "d" }, 4, SIZE_MAX / 4 + 1, (double[]){ 1 } };
    assert_int_equal(taut_sample_create_with(context, NULL, 0, &numbers, DESIGN_RANDOM, 1, 0, &s), TAUT_BAD_USAGE);
    assert_non_null(strstr(taut_error_text(context), "cannot be in memory"));
    taut_context_destroy(context);
}

/* A size that overflows is more than any allocation. */
static void products_end(void **state)
{
    (void)state;
    assert_true(mem_product(3, 5) == 15 && mem_product(0, SIZE_MAX) == 0 && mem_product(SIZE_MAX, 0) == 0);
    assert_true(mem_product(SIZE_MAX / 2, 1) == PTRDIFF_MAX && mem_product(SIZE_MAX / 4, 3) == PTRDIFF_MAX);
    assert_true(mem_product(SIZE_MAX, SIZE_MAX) == PTRDIFF_MAX && mem_product((SIZE_MAX >> 1) + 1, 2) == PTRDIFF_MAX);
    taut_context *context = taut_context_create(NULL);
    assert_null(taut_mem_new(context, mem_product(SIZE_MAX / 2 + 1, 2) + 1, sizeof(double)));
    taut_context_destroy(context);
}

static void tables_are_read(void **state)
{
    (void)state;
    static const char *const texts[] = { "u=uniform(0,1)" };
    taut_context *context;
    sample *s = make(texts, 1, "m1, \"a.x\"\r\n1,2.5\r\n\n-3e-2, 4\n5,6", DESIGN_RANDOM, 0, &context);
    double v[3];
    assert_int_equal(s->members, 3);
    assert_int_equal(s->count, 3);
    assert_string_equal(s->varies[1].name, "a.x");
    taut_sample_values(s, 1, v);
    assert_true(v[0] == -0.03 && v[1] == 4 && v[2] > 0 && v[2] < 1);
    taut_sample_values(s, 2, v);
    assert_true(v[0] == 5 && v[1] == 6);
    taut_sample_free(s);
    taut_context_destroy(context);
}

static void bad_ones_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *vary, *table;
        sample_design design;
        uint64_t members;
        const char *said;
    } bad[] = {
        { "a.x", NULL, DESIGN_RANDOM, 1, "write a name and a law" },
        { "=uniform(1,2)", NULL, DESIGN_RANDOM, 1, "write a name and a law" },
        { "a=(1,2)", NULL, DESIGN_RANDOM, 1, "write a name and a law" },
        { "a=gauss(1,2)", NULL, DESIGN_RANDOM, 1, "there is no 'gauss'" },
        { "a=uniform(1)", NULL, DESIGN_RANDOM, 1, "write a=uniform(LOW,HIGH)" },
        { "a=uniform(2,1)", NULL, DESIGN_RANDOM, 1, "lower bound comes first" },
        { "a=uniform(1,x)", NULL, DESIGN_RANDOM, 1, "numbers with commas" },
        { "a=uniform(1,inf)", NULL, DESIGN_RANDOM, 1, "numbers with commas" },
        { "a=uniform(1,2", NULL, DESIGN_RANDOM, 1, "numbers with commas" },
        { "a=uniform(1,2)3", NULL, DESIGN_RANDOM, 1, "nothing may follow" },
        { "a=normal(1,-2)", NULL, DESIGN_RANDOM, 1, "not negative" },
        { "a=normal(2,1e308)", NULL, DESIGN_RANDOM, 1, "too large" },
        { "a=uniform(-1e308,1e308)", NULL, DESIGN_RANDOM, 1, "too large" },
        { "a=grid(-1e308,1e308,5)", NULL, DESIGN_RANDOM, 0, "too large" },
        { "a=loguniform(0,2)", NULL, DESIGN_RANDOM, 1, "positive" },
        { "a=grid(1,2,0)", NULL, DESIGN_RANDOM, 0, "whole number of at least 1" },
        { "a=grid(1,2,2.5)", NULL, DESIGN_RANDOM, 0, "whole number of at least 1" },
        { "a=uniform(1,2)", NULL, DESIGN_LATIN, 0, "depends on the number of all members" },
        { "a=uniform(1,2)", "a\n1\n", DESIGN_RANDOM, 0, "'a' varies twice" },
        { "a=grid(1,2,3)", "b\n1\n", DESIGN_RANDOM, 0, "do not go together" },
        { NULL, "", DESIGN_RANDOM, 0, "members.csv:1: the first line names" },
        { NULL, "a,\n1,2", DESIGN_RANDOM, 0, "members.csv:1: the first line names" },
        { NULL, "a,b\n1,2\n3\n", DESIGN_RANDOM, 0, "members.csv:3: a line has 2 numbers" },
        { NULL, "a,b\n1,2\n3,4,5\n", DESIGN_RANDOM, 0, "members.csv:3: a line has 2 numbers" },
        { NULL, "a,b\n1,two\n", DESIGN_RANDOM, 0, "members.csv:2: 'two' is not a number" },
        { NULL, "a\n", DESIGN_RANDOM, 0, "members.csv has no members" },
        { NULL, "a\n1\n2\n", DESIGN_RANDOM, 3, "the table has 2 members, not 3" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        taut_context *context = taut_context_create(NULL);
        sample *s;
        const int status = taut_sample_create(context, &bad[i].vary, bad[i].vary != NULL, bad[i].table, "members.csv",
                                              bad[i].design, 1, bad[i].members, &s);
        assert_null(s);
        assert_int_equal(status, TAUT_BAD_USAGE);
        if (!strstr(taut_error_text(context), bad[i].said))
            fail_msg("'%s' is said, not '%s'", taut_error_text(context), bad[i].said);
        taut_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_is_philox),
        cmocka_unit_test(permutations_are_permutations),
        cmocka_unit_test(sobol_is_even),
        cmocka_unit_test(normal_quantiles_are_right),
        cmocka_unit_test(designs_have_their_laws),
        cmocka_unit_test(hypercubes_end_below_one),
        cmocka_unit_test(members_depend_on_seed_and_number_alone),
        cmocka_unit_test(grids_are_products),
        cmocka_unit_test(grids_have_an_end),
        cmocka_unit_test(products_end),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(bad_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
