/* The summation of products.h, for whatever type NUMBER is where this is included. Terms are added in the order of the
   lists, whatever way they are kept. */
#include "base/loops.h"
#include "base/pool.h"
#include "linalg/products.h"

#ifndef NUMBER
#error "NUMBER must be defined"
#endif

enum { PRODUCTS_BLOCK = 64 };
/* Into the functions with WIDE_LOOPS around them, which say for which processor. */
#define PRODUCTS_INSIDE static inline __attribute__((always_inline))

/* sums[k] (+)= terms e .. e + 2 of `count` periods, from period k0 on */
#define PRODUCTS_TERM(n) a[n][k * as[n]] * b[n][k * bs[n]]
PRODUCTS_INSIDE void products_terms(const products_entry *e, int terms, int begin, ptrdiff_t k0, ptrdiff_t count,
                                    const NUMBER *x, const NUMBER *y, NUMBER *restrict sums)
{
    const NUMBER *restrict a[3], *restrict b[3];
    ptrdiff_t as[3], bs[3];
    for (int n = 0; n < terms; n++) {
        as[n] = e[n].a_step, bs[n] = e[n].b_step;
        a[n] = x + e[n].a + k0 * as[n], b[n] = y + e[n].b + k0 * bs[n];
    }
    /* numbers of points in space: three of them a period, one behind the other */
    const int points = terms == 3 && as[0] == 1 && as[1] == 1 && as[2] == 1 && bs[0] == 3 && bs[1] == 3 && bs[2] == 3
                       && b[1] == b[0] + 1 && b[2] == b[0] + 2;
    if (points) {
        const NUMBER *restrict a0 = a[0], *restrict a1 = a[1], *restrict a2 = a[2], *restrict c = b[0];
        if (begin)
            for (ptrdiff_t k = 0; k < count; k++)
                sums[k] = a0[k] * c[3 * k] + a1[k] * c[3 * k + 1] + a2[k] * c[3 * k + 2];
        else
            for (ptrdiff_t k = 0; k < count; k++)
                sums[k] = sums[k] + a0[k] * c[3 * k] + a1[k] * c[3 * k + 1] + a2[k] * c[3 * k + 2];
    } else if (terms == 3 && begin)
        for (ptrdiff_t k = 0; k < count; k++) sums[k] = PRODUCTS_TERM(0) + PRODUCTS_TERM(1) + PRODUCTS_TERM(2);
    else if (terms == 3)
        for (ptrdiff_t k = 0; k < count; k++)
            sums[k] = sums[k] + PRODUCTS_TERM(0) + PRODUCTS_TERM(1) + PRODUCTS_TERM(2);
    else if (terms == 2 && begin)
        for (ptrdiff_t k = 0; k < count; k++) sums[k] = PRODUCTS_TERM(0) + PRODUCTS_TERM(1);
    else if (terms == 2)
        for (ptrdiff_t k = 0; k < count; k++) sums[k] = sums[k] + PRODUCTS_TERM(0) + PRODUCTS_TERM(1);
    else if (begin)
        for (ptrdiff_t k = 0; k < count; k++) sums[k] = PRODUCTS_TERM(0);
    else
        for (ptrdiff_t k = 0; k < count; k++) sums[k] += PRODUCTS_TERM(0);
}
#undef PRODUCTS_TERM

PRODUCTS_INSIDE void products_list(const products_piece *p, const products_entry *entries, int m, ptrdiff_t k0,
                                   ptrdiff_t count, const NUMBER *a, const NUMBER *b, NUMBER *restrict sums)
{
    int end = p->start[m + 1];
    if (p->start[m] == end)
        for (ptrdiff_t k = 0; k < count; k++) sums[k] = 0;
    for (int e = p->start[m], terms; e < end; e += terms) {
        terms = end - e >= 3 ? 3 : end - e;
        products_terms(entries + e, terms, e == p->start[m], k0, count, a, b, sums);
    }
}

PRODUCTS_INSIDE void products_block(const products_piece *p, const products_entry *entries, ptrdiff_t k0,
                                    ptrdiff_t count, const NUMBER *a, const NUMBER *b, NUMBER *restrict to)
{
    NUMBER sums[3][PRODUCTS_BLOCK];
    if (p->period == 3) {
        for (int m = 0; m < 3; m++) products_list(p, entries, m, k0, count, a, b, sums[m]);
        for (ptrdiff_t k = 0; k < count; k++)
            to[3 * k] = sums[0][k], to[3 * k + 1] = sums[1][k], to[3 * k + 2] = sums[2][k];
        return;
    }
    if (p->period == 1) {
        products_list(p, entries, 0, k0, count, a, b, to);
        return;
    }
    for (int m = 0; m < p->period; m++) {
        products_list(p, entries, m, k0, count, a, b, sums[0]);
        for (ptrdiff_t k = 0; k < count; k++) to[m + k * p->period] = sums[0][k];
    }
}

/* Points of space between two bars of a chain: three lists of two products each, one step from period to period, with
   the same two numbers of b. */
static inline int products_are_points(const products_piece *p, const products_entry *entries)
{
    if (p->period != 3) return 0;
    const products_entry *first = entries + p->start[0];
    for (int m = 0; m < 3; m++) {
        const products_entry *e = entries + p->start[m];
        if (p->start[m + 1] - p->start[m] != 2) return 0;
        for (int n = 0; n < 2; n++)
            if (e[n].a_step != 1 || e[n].b_step != 1 || e[n].b != first[n].b) return 0;
    }
    return 1;
}

PRODUCTS_INSIDE void products_points(const products_piece *p, const products_entry *entries, ptrdiff_t k0,
                                     ptrdiff_t count, const NUMBER *a, const NUMBER *b, NUMBER *restrict to)
{
    const products_entry *x = entries + p->start[0], *y = entries + p->start[1], *z = entries + p->start[2];
    const NUMBER *restrict x0 = a + x[0].a + k0, *restrict x1 = a + x[1].a + k0;
    const NUMBER *restrict y0 = a + y[0].a + k0, *restrict y1 = a + y[1].a + k0;
    const NUMBER *restrict z0 = a + z[0].a + k0, *restrict z1 = a + z[1].a + k0;
    const NUMBER *restrict b0 = b + x[0].b + k0, *restrict b1 = b + x[1].b + k0;
    for (ptrdiff_t k = 0; k < count; k++) {
        const NUMBER first = b0[k], second = b1[k];
        to[3 * k] = x0[k] * first + x1[k] * second;
        to[3 * k + 1] = y0[k] * first + y1[k] * second;
        to[3 * k + 2] = z0[k] * first + z1[k] * second;
    }
}

/* The same where the second factor of a point is the first one of the next point with the other sign: a bar pulls both
   its ends. Half of a is read. */
PRODUCTS_INSIDE void products_opposite_points(const products_piece *p, const products_entry *entries, ptrdiff_t k0,
                                              ptrdiff_t count, const NUMBER *a, const NUMBER *b, NUMBER *restrict to)
{
    const products_entry *x = entries + p->start[0];
    const NUMBER *restrict x0 = a + x->a + k0, *restrict y0 = a + entries[p->start[1]].a + k0;
    const NUMBER *restrict z0 = a + entries[p->start[2]].a + k0;
    const NUMBER *restrict b0 = b + x[0].b + k0, *restrict b1 = b + x[1].b + k0;
    for (ptrdiff_t k = 0; k < count; k++) {
        const NUMBER first = b0[k], second = b1[k];
        to[3 * k] = x0[k] * first - x0[k + 1] * second;
        to[3 * k + 1] = y0[k] * first - y0[k + 1] * second;
        to[3 * k + 2] = z0[k] * first - z0[k + 1] * second;
    }
}

/* List m of period k. */
PRODUCTS_INSIDE NUMBER products_one(const products_piece *p, const products_entry *entries, ptrdiff_t k, int m,
                                    const NUMBER *a, const NUMBER *b)
{
    NUMBER sum = 0;
    int e = p->start[m], end = p->start[m + 1];
    if (e < end) /* as in products_terms: no zero before the first */
        sum = a[entries[e].a + k * entries[e].a_step] * b[entries[e].b + k * entries[e].b_step];
    for (e++; e < end; e++) sum += a[entries[e].a + k * entries[e].a_step] * b[entries[e].b + k * entries[e].b_step];
    return sum;
}

/* Lists from .. to - 1 of a piece that repeats, counted from its first one; out[0] is that of list `from`. */
PRODUCTS_INSIDE void products_repeated(const products_piece *p, const products_entry *entries, int from, int to,
                                       const NUMBER *a, const NUMBER *b, int opposite, NUMBER *out)
{
    int first = (from + p->period - 1) / p->period, end = to / p->period; /* whole periods */
    if (end < first) end = first;
    for (int r = from; r < to && r < first * p->period; r++)
        out[r - from] = products_one(p, entries, r / p->period, r % p->period, a, b);
    if (end > first && opposite)
        products_opposite_points(p, entries, first, end - first, a, b, out + (first * p->period - from));
    else if (end > first && products_are_points(p, entries))
        products_points(p, entries, first, end - first, a, b, out + (first * p->period - from));
    else
        for (int k = first; k < end; k += PRODUCTS_BLOCK)
            products_block(p, entries, k, end - k < PRODUCTS_BLOCK ? end - k : PRODUCTS_BLOCK, a, b,
                           out + (k * p->period - from));
    for (int r = end * p->period; r < to; r++)
        out[r - from] = products_one(p, entries, r / p->period, r % p->period, a, b);
}

/* out[r - from] = sum over e of a[i_e] b[j_e], for lists from .. to - 1 */
PRODUCTS_INSIDE void products_range(const products *p, int from, int to, const NUMBER *a, const NUMBER *b,
                                    const products_piece *opposite, NUMBER *out)
{
    for (size_t n = products_find(p, from); n < p->piece_count && p->pieces[n].first < to; n++) {
        const products_piece *piece = &p->pieces[n];
        int first = from > piece->first ? from - piece->first : 0, count = piece->period * piece->repeats;
        int end = to - piece->first < count ? to - piece->first : count;
        if (piece->repeats > 1) {
            products_repeated(piece, p->entries, first, end, a, b, piece == opposite,
                              out + (piece->first + first - from));
            continue;
        }
        for (int m = first; m < end; m++) {
            NUMBER sum = 0;
            for (int e = piece->start[m]; e < piece->start[m + 1]; e++)
                sum += a[p->entries[e].a] * b[p->entries[e].b];
            out[piece->first + m - from] = sum;
        }
    }
}

typedef struct {
    const products *p;
    const NUMBER *a, *b;
    NUMBER *out;
    int count; /* of lists, in pieces */
    const products_piece *opposite; /* one whose points are opposite in a (products_opposite.h); NULL: none is known */
} products_job;

/* Lists from .. to - 1; the sum of list `from` is out[0]. */
static WIDE_LOOPS void products_some(const products_job *j, int from, int to)
{
    products_range(j->p, from, to, j->a, j->b, j->opposite, j->out);
}

static void products_work(void *self, int index, int worker)
{
    products_job j = *(const products_job *)self;
    size_t count = (size_t)j.count, from = pool_begin(count, POOL_NUMBERS, index);
    (void)worker;
    j.out += from;
    products_some(&j, (int)from, (int)pool_begin(count, POOL_NUMBERS, index + 1));
}

/* out[r] = sum over e of a[i_e] b[j_e], for the first `count` lists */
static inline void products_sum_first(pool *by, const products *p, int count, const NUMBER *a, const NUMBER *b,
                                      NUMBER *out)
{
    const products_job j = { p, a, b, out, count, NULL };
    if (count <= POOL_NUMBERS)
        products_some(&j, 0, count);
    else
        taut_pool_run(by, pool_pieces((size_t)count, POOL_NUMBERS), products_work, (void *)&j);
}

/* The same for all. */
static inline void products_sum(pool *by, const products *p, const NUMBER *a, const NUMBER *b, NUMBER *out)
{
    products_sum_first(by, p, p->lists, a, b, out);
}
