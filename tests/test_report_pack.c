/* Numbers of a page: whatever they are, a reader that does what report/pack.h says has their bits again; and what a
   page mostly has, motions, becomes small. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/pack.h"

#include "support_inflate.h"

/* ---- a reader ---- */

static int64_t integer_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double number_of(int64_t integer)
{
    double x;
    integer = integer < 0 ? integer ^ INT64_MAX : integer;
    memcpy(&x, &integer, sizeof x);
    return x;
}

static double binomial(size_t n, size_t k) { return k == 0 ? 1 : binomial(n - 1, k - 1) * (double)n / (double)k; }

static double prediction(const packed *p, size_t channel, const double *all, size_t rows, size_t i)
{
    const pack_code *code = &p->codes[channel];
    const double *x = all + channel * rows;
    double sum = 0;
    if (code->order < 0) {
        assert_true(code->like < channel);
        sum = code->times * all[code->like * rows + i] + code->plus;
    }
    const size_t n = code->order < 0 ? 0 : i < (size_t)code->order ? i : (size_t)code->order;
    for (size_t j = 1; j <= n; j++) {
        const double term = (j % 2 ? binomial(n, j) : -binomial(n, j)) * x[i - j];
        sum = j == 1 ? term : sum + term;
    }
    return isfinite(sum) ? sum : 0;
}

static void unpack(const packed *p, size_t rows, double *all)
{
    const size_t size = 8 * p->channel_count * rows;
    unsigned char *planes = malloc(size + 1);
    assert_int_equal(inflate(p->bytes, p->size, planes, size + 1), size);
    for (size_t c = 0; c < p->channel_count; c++)
        for (size_t i = 0; i < rows; i++) {
            uint64_t d = 0;
            for (size_t k = 8; k-- > 0;) d = d << 8 | planes[8 * c * rows + k * rows + i];
            const uint64_t step = d & 1 ? ~(d >> 1) : d >> 1;
            all[c * rows + i] = number_of((int64_t)((uint64_t)integer_of(prediction(p, c, all, rows, i)) + step));
        }
    free(planes);
}

/* ---- tables ---- */

static taut_context *context;

static int set_up(void **state)
{
    (void)state;
    return !(context = taut_context_create(NULL));
}

static int tear_down(void **state)
{
    (void)state;
    taut_context_destroy(context);
    return 0;
}

static const record_column names[] = { { "t", "time" }, { "q", "coordinate" }, { "q.dot", "velocity" },
                                       { "p.q", "momentum" }, { "energy", "energy" } };
enum { COLUMNS = 6, MOST = 5000 };
static double values[COLUMNS][3 * MOST], again[COLUMNS * 3 * MOST];

/* Packs the first columns, and checks that they come back. */
static size_t pack(size_t count, size_t rows, long bucket, packed *p)
{
    table_column columns[COLUMNS];
    for (size_t k = 0; k < COLUMNS; k++)
        columns[k] = (table_column){ .source = k == 5 ? 4 : k, .deviation = k == 5, .values = values[k] };
    const table t = { .context = context, .rows = rows, .bucket = bucket, .columns = columns, .column_count = count };
    assert_int_equal(taut_pack(context, &t, names, p), TAUT_OK);
    assert_int_equal(p->parts, bucket > 1 ? 3 : 1);
    unpack(p, rows, again);
    for (size_t k = 0; k < count; k++)
        assert_memory_equal(again + k * p->parts * rows, values[k], p->parts * rows * sizeof(double));
    return p->size;
}

static uint64_t random_state = 1;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return random_state;
}

static void any_numbers(void **state)
{
    (void)state;
    static const double awkward[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 5e-324, -5e-324,
                                      2.2250738585072014e-308,
                                      1.7976931348623157e308, -1.7976931348623157e308, 0x1p-1022, 0.1 };
    static const size_t rows[] = { 0, 1, 2, 17, 400, MOST };
    for (int kind = 0; kind < 3; kind++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            for (long bucket = 1; bucket <= 2; bucket++) {
                for (size_t k = 0; k < COLUMNS; k++)
                    for (size_t i = 0; i < 3 * MOST; i++) {
                        const uint64_t bits = random_bits();
                        if (kind == 0) values[k][i] = awkward[bits % (sizeof awkward / sizeof *awkward)];
                        else if (kind == 1) memcpy(&values[k][i], &bits, sizeof bits);
                        else values[k][i] = bits % 50 ? (double)i * 0.1 : awkward[bits / 64 % 14];
                    }
                packed p;
                pack(COLUMNS, rows[r], bucket, &p);
                taut_pack_clear(context, &p);
            }
}

/* q = sin t: an extrapolation of high order leaves rounding errors alone, of which 16 weights make some 2^13; a
   momentum is its velocity times the mass, but for the last bits; the deviation of a column is the column less its
   first value. */
static void motions(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        const double t = 0.01 * (double)i;
        values[0][i] = t, values[1][i] = sin(t), values[2][i] = cos(t);
        values[3][i] = 0.7 * cos(t) * (1 + 0x1p-52 * (double)(random_bits() % 3));
        values[4][i] = -3 + 1e-6 * cos(3 * t), values[5][i] = values[4][i] - values[4][0];
    }
    packed p;
    size_t sizes[COLUMNS + 1] = { 0 };
    for (size_t k = 1; k <= COLUMNS; k++) {
        sizes[k] = pack(k, MOST, 1, &p);
        if (k < COLUMNS) taut_pack_clear(context, &p);
    }
    assert_true(p.codes[1].order > 4 && p.codes[2].order > 4);
    assert_true(p.codes[3].order < 0 && p.codes[3].like == 2 && fabs(p.codes[3].times - 0.7) < 1e-15);
    assert_true(p.codes[5].order < 0 && p.codes[5].like == 4);
    assert_true(p.codes[5].times == 1 && p.codes[5].plus == -values[4][0]);
    assert_true(sizes[1] < 2 * MOST && sizes[2] - sizes[1] < 3 * MOST && sizes[3] - sizes[2] < 3 * MOST);
    assert_true(sizes[4] - sizes[3] < MOST);      /* some bits each */
    assert_true(sizes[6] - sizes[5] < 600);       /* 40,000 zeros: 156 matches of 258 bytes, of some bits each */
    taut_pack_clear(context, &p);
    /* rows that are single frames: least and greatest are the value */
    for (int part = 1; part < 3; part++) memcpy(values[1] + part * MOST, values[1], MOST * sizeof(double));
    memcpy(values[0], values[1], sizeof values[0]);
    assert_true(pack(1, MOST, 2, &p) < sizes[2] - sizes[1] + MOST / 10);
    assert_true(p.codes[1].order < 0 && p.codes[1].like == 0 && p.codes[2].order < 0 && p.codes[2].like == 0);
    taut_pack_clear(context, &p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(motions, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
