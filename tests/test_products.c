/* Sums of products: lists that repeat are found whatever they are like, and other numbers for their factors give the
   same lists. */
#include "linalg/products.h"

#include "support_core.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(other_numbers_give_the_same_lists) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
