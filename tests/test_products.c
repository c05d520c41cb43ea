/* Sums of products: lists that repeat are found whatever they are like, and other numbers for their factors give the
   same lists. */
#include "linalg/products.h"

#include <math.h>

#include "support_core.h"
#define NUMBER double
#include "linalg/products_sum.h"
#include "linalg/products_opposite.h"

enum { LISTS = 400, MOST = 6, NUMBERS = 4096 };

typedef struct {
    int start[LISTS + 1], a[LISTS * MOST], b[LISTS * MOST];
} lists;

/* A chain: bars that join neighbours, the first one pinned; every `broken`th list is another one. */
static void fill(lists *l, int broken)
{
    int at = 0;
    for (int r = 0; r < LISTS; r++) {
        l->start[r] = at;
        const int length = r == 0 ? 3 : broken && r % broken == 0 ? 2 : MOST;
        for (int e = 0; e < length; e++, at++) {
            l->a[at] = r ? 3 + (r - 1) * MOST + e : e;
            l->b[at] = broken && r % broken == 0 ? (r * 37 + e * 11) % NUMBERS : 3 * r + e;
        }
    }
    l->start[LISTS] = at;
}

/* Writes the lists of p out again. */
static void expand(const products *p, lists *l)
{
    int at = 0, r = 0;
    for (size_t n = 0; n < p->piece_count; n++) {
        const products_piece *piece = &p->pieces[n];
        assert_int_equal(piece->first, r);
        for (int k = 0; k < piece->repeats; k++)
            for (int m = 0; m < piece->period; m++, r++) {
                l->start[r] = at;
                for (int e = piece->start[m]; e < piece->start[m + 1]; e++, at++) {
                    l->a[at] = p->entries[e].a + k * p->entries[e].a_step;
                    l->b[at] = p->entries[e].b + k * p->entries[e].b_step;
                }
            }
    }
    assert_int_equal(r, p->lists);
    l->start[r] = at;
}

static void assert_lists(const products *p, const lists *l, const int *a_to, const int *b_to)
{
    static lists found;
    expand(p, &found);
    assert_memory_equal(found.start, l->start, sizeof l->start);
    for (int e = 0; e < l->start[LISTS]; e++) {
        assert_int_equal(found.a[e], a_to ? a_to[l->a[e]] : l->a[e]);
        assert_int_equal(found.b[e], b_to ? b_to[l->b[e]] : l->b[e]);
    }
}

static void other_numbers_give_the_same_lists(void **state)
{
    (void)state;
    static lists l;
    static int order[LISTS * MOST], shuffled[NUMBERS];
    taut_context *context = taut_context_create(NULL);
    for (int broken = 0; broken < 60; broken = broken ? 2 * broken : 3) {
        products *p, *q;
        fill(&l, broken);
        assert_int_equal(taut_products_create(context, LISTS, l.start, l.a, l.b, &p), TAUT_OK);
        assert_lists(p, &l, NULL, NULL);
        assert_int_equal(taut_products_renumber(context, p, NULL, NULL, &q), TAUT_OK);
        assert_non_null(q);
        assert_lists(q, &l, NULL, NULL);
        taut_products_destroy(context, q);
        /* blocks of 64 change their places: pieces are cut where a block ends */
        for (int i = 0; i < LISTS * MOST; i++) order[i] = i < 1280 ? (i / 640 ? i - 640 : i + 640) : i;
        assert_int_equal(taut_products_renumber(context, p, order, NULL, &q), TAUT_OK);
        if (q) assert_lists(q, &l, order, NULL);
        assert_true(q || broken);
        taut_products_destroy(context, q);
        /* nothing repeats any more: refused, unless nothing did */
        for (int i = 0; i < NUMBERS; i++) shuffled[i] = (int)((unsigned)i * 1103515245u % 4093u);
        assert_int_equal(taut_products_renumber(context, p, NULL, shuffled, &q), TAUT_OK);
        if (q) assert_lists(q, &l, NULL, shuffled);
        assert_true(!q || broken);
        taut_products_destroy(context, q);
        taut_products_destroy(context, p);
    }
    taut_context_destroy(context);
}

enum { POINTS = 300, SECOND = 3 * POINTS }; /* where the second factors begin */

/* G' x of a chain: point k is between bars k and k + 1, the last one at the end of a bar. Factors are in streams. */
static products *list_points(taut_context *context)
{
    static int start[3 * POINTS + 1], a[6 * POINTS], b[6 * POINTS];
    int at = 0;
    products *p;
    for (int r = 0; r < 3 * POINTS; r++) {
        const int k = r / 3, m = r % 3;
        start[r] = at;
        a[at] = m * POINTS + k, b[at++] = k;
        if (k + 1 < POINTS) a[at] = SECOND + m * POINTS + k, b[at++] = k + 1;
    }
    start[3 * POINTS] = at;
    assert_int_equal(taut_products_create(context, 3 * POINTS, start, a, b, &p), TAUT_OK);
    return p;
}

/* Half of the factors give the same sums, and are taken only where the others are opposite to the last bit. */
static void a_bar_pulls_both_its_ends(void **state)
{
    (void)state;
    static double g[6 * POINTS], x[POINTS], all[3 * POINTS], half[3 * POINTS];
    taut_context *context = taut_context_create(NULL);
    products *p = list_points(context);
    for (int i = 0; i < SECOND; i++) g[i] = i % 7 ? sin(i) : 0;
    for (int i = 0; i < SECOND; i++) g[SECOND + i] = i + 1 < SECOND ? -g[i + 1] : 0;
    for (int k = 0; k < POINTS; k++) x[k] = cos(k);
    const products_piece *points = products_most_points(p, 6 * POINTS);
    assert_non_null(points);
    assert_true(products_are_opposite(p, points, g, 0, POINTS));
    const products_job one = { .p = p, .a = g, .b = x, .out = all };
    const products_job other = { .p = p, .a = g, .b = x, .out = half, .opposite = points };
    for (int from = 0; from < 3 * POINTS; from += 100) { /* which is not a multiple of three */
        products_job j = one, k = other;
        j.out += from, k.out += from;
        products_some(&j, from, from + 100), products_some(&k, from, from + 100);
    }
    assert_memory_equal(all, half, sizeof all);
    double *second = &g[SECOND + POINTS + 17]; /* meets x[18] */
    const double kept = *second;
    *second = nextafter(kept, 2);
    assert_false(products_are_opposite(p, points, g, 0, POINTS));
    assert_false(products_are_opposite(p, points, g, 18, 19));
    assert_true(products_are_opposite(p, points, g, 0, 18));
    assert_true(products_are_opposite(p, points, g, 19, POINTS));
    *second = kept;
    g[SECOND + 6] = 0; /* the first factor is 0 as well, not -0 */
    assert_false(products_are_opposite(p, points, g, 0, POINTS));
    taut_products_destroy(context, p);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(other_numbers_give_the_same_lists),
                                        cmocka_unit_test(a_bar_pulls_both_its_ends) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
