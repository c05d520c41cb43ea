#include "ensemble/statistics.h"

#include <stdlib.h>

int taut_statistics_create(taut_context *context, size_t cells, statistics *s)
{
    *s = (statistics){ .context = context, .count = cells };
    if (cells && !(s->cells = taut_mem_new(context, cells, sizeof *s->cells))) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

void taut_statistics_clear(statistics *s)
{
    if (s->cells) taut_mem_free(s->context, s->cells);
    *s = (statistics){ 0 };
}

/* x^2 = high + low exactly (Dekker), unless it underflows. */
static void add_square(statistics_cell *c, double x)
{
    const double high = x * x;
    if (!(high - high == 0)) {
        c->overflow = 1;
        return;
    }
    exact_add(&c->squares, high);
    if (x > 0x1p480 || x < -0x1p480) return; /* splitting would overflow; one rounding of a huge number */
    const double split = x * 134217729.0, top = split - (split - x), rest = x - top;
    exact_add(&c->squares, ((top * top - high) + 2 * top * rest) + rest * rest);
}

void taut_statistics_add(statistics *s, const double *values)
{
    for (size_t i = 0; i < s->count; i++) {
        statistics_cell *c = &s->cells[i];
        const double x = values[i];
        if (!(x - x == 0)) continue;
        if (!c->count || x < c->lowest) c->lowest = x;
        if (!c->count || x > c->highest) c->highest = x;
        c->count++;
        exact_add(&c->sum, x);
        add_square(c, x);
    }
}

static void join_cell(statistics_cell *c, const statistics_cell *o)
{
    if (!o->count) return;
    if (!c->count || o->lowest < c->lowest) c->lowest = o->lowest;
    if (!c->count || o->highest > c->highest) c->highest = o->highest;
    c->count += o->count;
    c->overflow |= o->overflow;
    exact_join(&c->sum, &o->sum);
    exact_join(&c->squares, &o->squares);
}

void taut_statistics_join(statistics *s, const statistics *other)
{
    for (size_t i = 0; i < s->count && i < other->count; i++) join_cell(&s->cells[i], &other->cells[i]);
}

double taut_statistics_mean(const statistics_cell *c)
{
    return c->count ? (double)(exact_value(&c->sum) / (wide)c->count) : NAN;
}

double taut_statistics_deviation(const statistics_cell *c)
{
    if (c->count < 2 || c->overflow) return NAN;
    if (c->lowest == c->highest) return 0;
    const wide n = (wide)c->count, sum = exact_value(&c->sum);
    const wide variance = (exact_value(&c->squares) - sum * (sum / n)) / (n - 1);
    return variance > 0 ? __builtin_sqrt((double)variance) : 0;
}

/* ---- bytes ---- */

/* A sum: the number of its first word, how many words and (bit 32) the sign, the words of its size; 8 bytes each, the
   lowest first. */
enum { CELL_MOST = 4 + 2 * (2 + EXACT_WORDS) };

static unsigned char *put(unsigned char *to, uint64_t x)
{
    for (int i = 0; i < 8; i++) *to++ = (unsigned char)(x >> (8 * i));
    return to;
}

static unsigned char *put_sum(unsigned char *to, const exact_sum *sum)
{
    exact_sum s = *sum;
    const int negative = exact_size(&s);
    int first = 0, end = EXACT_WORDS;
    while (end > 0 && !s.word[end - 1]) end--;
    while (first < end && !s.word[first]) first++;
    to = put(put(to, (uint64_t)first), (uint64_t)(end - first) | (uint64_t)negative << 32);
    for (int i = first; i < end; i++) to = put(to, (uint64_t)s.word[i]);
    return to;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

int taut_statistics_pack(const statistics *s, unsigned char **bytes, size_t *size)
{
    unsigned char *to = *bytes = taut_mem_new(s->context, mem_product(s->count, CELL_MOST) + 1, 8);
    if (!to) return TAUT_OUT_OF_MEMORY;
    to = put(to, s->count);
    for (size_t i = 0; i < s->count; i++) {
        const statistics_cell *c = &s->cells[i];
        to = put(put(put(put(to, c->count), (uint64_t)c->overflow), bits_of(c->lowest)), bits_of(c->highest));
        to = put_sum(put_sum(to, &c->sum), &c->squares);
    }
    *size = (size_t)(to - *bytes);
    return TAUT_OK;
}

typedef struct {
    const unsigned char *at, *end;
    int bad;
} source;

static uint64_t get(source *z)
{
    uint64_t x = 0;
    if (z->end - z->at < 8) {
        z->bad = 1;
        return 0;
    }
    for (int i = 0; i < 8; i++) x |= (uint64_t)*z->at++ << (8 * i);
    return x;
}

static double get_double(source *z)
{
    const uint64_t bits = get(z);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void get_sum(source *z, exact_sum *s)
{
    const uint64_t first = get(z), tagged = get(z), count = tagged & 0xffffffff;
    *s = (exact_sum){ 0 };
    if (first > EXACT_WORDS || count > EXACT_WORDS - first) {
        z->bad = 1;
        return;
    }
    for (uint64_t i = 0; i < count; i++) s->word[first + i] = (int64_t)get(z) * (tagged >> 32 ? -1 : 1);
}

int taut_statistics_unpack(statistics *s, const unsigned char *bytes, size_t size)
{
    source z = { bytes, bytes + size, 0 };
    if (get(&z) != s->count) z.bad = 1;
    for (size_t i = 0; !z.bad && i < s->count; i++) {
        statistics_cell c = { 0 };
        c.count = get(&z);
        c.overflow = get(&z) != 0;
        c.lowest = get_double(&z);
        c.highest = get_double(&z);
        get_sum(&z, &c.sum);
        get_sum(&z, &c.squares);
        if (!z.bad) join_cell(&s->cells[i], &c);
    }
    return z.bad || z.at != z.end ? taut_fail(s->context, TAUT_CANNOT_READ, "the sums of the statistics are damaged")
                                  : TAUT_OK;
}

/* ---- order ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t taut_statistics_sort(double *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] - values[i] == 0) values[kept++] = values[i];
    if (kept) qsort(values, kept, sizeof *values, by_size);
    return kept;
}

double taut_statistics_quantile(const double *sorted, size_t count, double p)
{
    if (!count) return NAN;
    const double place = p * (double)(count - 1);
    const size_t low = (size_t)place;
    if (low + 1 >= count) return sorted[count - 1];
    return sorted[low] + (place - (double)low) * (sorted[low + 1] - sorted[low]);
}
