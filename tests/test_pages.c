/* Large blocks while a model is loaded: they are kept for each other, grow and shrink with what they hold, and nothing
   is left of them afterwards. */
#include "base/pages.h"

#include "base/budget.h"
#include "support_core.h"

enum { MIB = 1 << 20 };

/* NULL where there are none: other systems, sanitizers. */
static page_store *open_store(void)
{
    page_store *p = taut_pages_create();
    if (!p) skip();
    taut_pages_keep(p, 1);
    return p;
}

static unsigned char *take(page_store *p, size_t size, int expected_zero)
{
    int is_zero = -1;
    unsigned char *block = taut_pages_take(p, size, &is_zero);
    assert_non_null(block);
    assert_int_equal(is_zero, expected_zero);
    assert_true(taut_pages_size(p, block) >= size);
    for (size_t i = 0; is_zero && i < size; i += 997) assert_int_equal(block[i], 0);
    memset(block, 7, size);
    return block;
}

static void what_is_freed_is_used_again(void **state)
{
    (void)state;
    page_store *p = open_store();
    unsigned char *a = take(p, 3 * MIB, 1);
    taut_pages_free(p, a);
    assert_true(taut_pages_size(p, a) == 0);
    /* the beginning of it, and then the rest */
    assert_ptr_equal(take(p, MIB, 0), a);
    assert_ptr_equal(take(p, 2 * MIB, 0), a + MIB);
    unsigned char *b = take(p, MIB, 1);
    /* neighbours become one again */
    taut_pages_free(p, a + MIB);
    taut_pages_free(p, a);
    assert_ptr_equal(take(p, 3 * MIB, 0), a);
    taut_pages_free(p, a);
    taut_pages_give_back(p);
    unsigned char *c = take(p, 3 * MIB, 1);
    taut_pages_free(p, b);
    taut_pages_free(p, c);
    taut_pages_destroy(p);
}

static void blocks_grow_and_shrink(void **state)
{
    (void)state;
    page_store *p = open_store();
    unsigned char *a = take(p, MIB, 1), *b = take(p, MIB, 1);
    a = taut_pages_resize(p, a, 16 * MIB);
    assert_non_null(a);
    assert_true(taut_pages_size(p, a) == (size_t)16 * MIB);
    for (size_t i = 0; i < MIB; i += 13) assert_int_equal(a[i], 7);
    for (size_t i = MIB; i < (size_t)16 * MIB; i += PAGES_UNIT) assert_int_equal(a[i], 0);
    assert_ptr_equal(taut_pages_resize(p, a, 2 * MIB), a);
    /* its end serves another */
    assert_ptr_equal(take(p, MIB, 0), a + 2 * MIB);
    assert_null(taut_pages_resize(p, a, (size_t)PTRDIFF_MAX));
    assert_true(taut_pages_size(p, a) == (size_t)2 * MIB);
    taut_pages_free(p, a + 2 * MIB);
    taut_pages_free(p, a);
    taut_pages_free(p, b);
    taut_pages_destroy(p);
}

static void what_is_no_block_is_left_alone(void **state)
{
    (void)state;
    page_store *p = open_store();
    int is_zero;
    unsigned char *a = take(p, MIB, 1);
    assert_null(taut_pages_take(p, PAGES_LARGE - 1, &is_zero));
    assert_true(taut_pages_size(p, a + 1) == 0 && taut_pages_size(p, a + PAGES_UNIT) == 0);
    assert_true(taut_pages_size(p, NULL) == 0 && taut_pages_size(NULL, a) == 0);
    taut_pages_keep(p, 0); /* none can be taken; those there are stay */
    assert_null(taut_pages_take(p, MIB, &is_zero));
    assert_true(taut_pages_size(p, a) == MIB);
    a = taut_pages_resize(p, a, 2 * MIB);
    assert_int_equal(a[MIB - 1], 7);
    taut_pages_free(p, a);
    taut_pages_destroy(p);
}

/* More blocks than the store can list. */
static void too_many_blocks_are_refused(void **state)
{
    (void)state;
    enum { MANY = 1100 };
    static void *blocks[MANY];
    page_store *p = open_store();
    int is_zero, count = 0;
    while (count < MANY && (blocks[count] = taut_pages_take(p, PAGES_LARGE, &is_zero))) count++;
    assert_in_range(count, 100, MANY - 1);
    for (int i = 0; i < count; i += 2) taut_pages_free(p, blocks[i]);
    assert_non_null(blocks[0] = taut_pages_take(p, PAGES_LARGE, &is_zero));
    taut_pages_free(p, blocks[0]);
    for (int i = 1; i < count; i += 2) taut_pages_free(p, blocks[i]);
    taut_pages_destroy(p);
}

/* Through the context: contents, zeros and the count of bytes are as with malloc, inside a load and across its end. */
static void memory_of_a_context(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    const long long before = atomic_load(&taut_context_budget(context)->bytes);
    int *early = taut_mem_resize(context, NULL, MIB, sizeof *early);
    early[0] = 1, early[MIB - 1] = 2;
    taut_budget_begin(context, "a test");
    int *list = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 3 * MIB; i++) {
        assert_int_equal(taut_mem_grow(context, &list, &capacity, (size_t)i + 1, sizeof *list), TAUT_OK);
        list[i] = i;
    }
    early = taut_mem_resize(context, early, 2 * MIB, sizeof *early);
    assert_true(early[0] == 1 && early[MIB - 1] == 2);
    unsigned char *dirty = taut_mem_new(context, 5 * MIB, 1);
    memset(dirty, 9, 5 * MIB);
    taut_mem_free(context, dirty);
    unsigned char *clean = taut_mem_new(context, 4 * MIB, 1);
    for (int i = 0; i < 4 * MIB; i++) assert_int_equal(clean[i], 0);
    taut_mem_trim(context, &list, &capacity, 1000, sizeof *list); /* small: malloc has it again */
    for (int i = 0; i < 1000; i++) assert_int_equal(list[i], i);
    taut_budget_end(context);
    clean = taut_mem_resize(context, clean, 6 * MIB, 1);
    for (int i = 0; i < 4 * MIB; i++) assert_int_equal(clean[i], 0);
    taut_mem_free(context, early);
    taut_mem_free(context, list);
    taut_mem_free(context, clean);
    assert_true(atomic_load(&taut_context_budget(context)->bytes) == before);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_freed_is_used_again),
        cmocka_unit_test(blocks_grow_and_shrink),
        cmocka_unit_test(what_is_no_block_is_left_alone),
        cmocka_unit_test(too_many_blocks_are_refused),
        cmocka_unit_test(memory_of_a_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
