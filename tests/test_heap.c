/* The memory of the Lua state: blocks keep their contents, do not overlap, and all of it is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/heap.h"

#include <cmocka.h>

#include "support_allocator.h"

#define BLOCKS 300
#define LARGEST 700 /* well above what comes from the lists */

static uint32_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static void assert_filled(const unsigned char *block, size_t size, unsigned char with)
{
    for (size_t i = 0; i < size; i++) assert_int_equal(block[i], with);
}

/* Random sizes, asked for, changed and freed in random order; every block holds its own number in all bytes. */
static void exercise(heap *h, int steps)
{
    unsigned char *blocks[BLOCKS] = { NULL };
    size_t sizes[BLOCKS] = { 0 };
    random_state = 1;
    for (int step = 0; step < steps; step++) {
        uint32_t i = below(BLOCKS);
        size_t size = below(3) ? below(LARGEST) : 0, kept = size < sizes[i] ? size : sizes[i];
        unsigned char *block = taut_heap_resize(h, blocks[i], sizes[i], size);
        if (size && !block) { /* no memory: the old block stays */
            if (blocks[i]) assert_filled(blocks[i], sizes[i], (unsigned char)i);
            continue;
        }
        blocks[i] = size ? block : NULL;
        sizes[i] = size;
        if (!size) continue;
        assert_int_equal((uintptr_t)block % HEAP_STEP, 0);
        assert_filled(block, kept, (unsigned char)i);
        memset(block, (unsigned char)i, size);
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (blocks[i]) assert_filled(blocks[i], sizes[i], (unsigned char)i);
        if (blocks[i]) assert_null(taut_heap_resize(h, blocks[i], sizes[i], 0));
    }
    taut_heap_clear(h);
}

static void blocks_keep_their_contents(void **state)
{
    (void)state;
    counter count = { 0, 0, 0, 0, 0 };
    taut_allocator allocator = { counted_resize, &count };
    taut_context *context = taut_context_create(&allocator);
    heap h = { .context = context };
    exercise(&h, 20000);
    assert_int_equal(count.live, 1); /* the context */
    taut_context_destroy(context);
    assert_int_equal(count.live, 0);
}

static void memory_may_run_out_at_any_moment(void **state)
{
    (void)state;
    for (long at = 1; at < 200; at++) {
        counter count = { 0, 1 + at, 5, 0, 0 }; /* the first is the context */
        taut_allocator allocator = { counted_resize, &count };
        taut_context *context = taut_context_create(&allocator);
        heap h = { .context = context };
        exercise(&h, 1000);
        assert_int_equal(count.failures, 5);
        taut_context_destroy(context);
        assert_int_equal(count.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_contents),
        cmocka_unit_test(memory_may_run_out_at_any_moment),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
