/* The flat workspace: objects join it, leave it, get their parts of one block, and are copied with it. */
#include "base/room.h"

#include "support_allocator.h"
#include "support_core.h"

typedef struct {
    size_t count;
    double *x;
    int *n;
    void *room;
    long followed;
    const void *leader;
} thing;

static void lay_out(void *self, room_layout *l)
{
    thing *z = self;
    z->x = room_take(l, z->count, sizeof *z->x);
    z->n = room_take(l, 3, sizeof *z->n);
}

static void other_lay_out(void *self, room_layout *l) { lay_out(self, l); }

static void follow(void *self, const void *from, const char *block, char *copy)
{
    thing *z = self;
    const thing *other = from;
    z->followed++;
    z->leader = other;
    assert_ptr_equal(copy + ((const char *)other->x - block), z->x);
}

static taut_context *counted(counter *c)
{
    const taut_allocator allocator = { counted_resize, c };
    taut_context *context = taut_context_create(&allocator);
    assert_non_null(context);
    return context;
}

/* Without an open workspace an object has a block of its own, at once. */
static void test_alone(void **unused)
{
    (void)unused;
    counter c = { 0 };
    taut_context *context = counted(&c);
    thing a = { .count = 5 };
    assert_int_equal(room_create(context, lay_out, &a, &a.room), TAUT_OK);
    assert_non_null(a.room);
    assert_non_null(a.x);
    room_free(context, &a.room);
    assert_null(a.room);
    taut_context_destroy(context);
    assert_int_equal(c.live, 0);
}

/* In one there is one allocation for all, zeroed and aligned, and none before it is placed. */
static void test_together(void **unused)
{
    (void)unused;
    counter c = { 0 };
    taut_context *context = counted(&c);
    thing all[20] = { { 0 } }, gone = { .count = 1000 };
    flat_workspace *w = NULL;
    assert_int_equal(taut_flat_begin(context, &w), TAUT_OK);
    assert_ptr_equal(taut_flat_opened(context), w);
    for (size_t i = 0; i < 20; i++) {
        all[i].count = i;
        assert_int_equal(room_create(context, lay_out, &all[i], &all[i].room), TAUT_OK);
        assert_null(all[i].room);
        assert_null(all[i].x);
        if (i == 7) assert_int_equal(room_create(context, lay_out, &gone, &gone.room), TAUT_OK);
    }
    room_free(context, &gone.room);
    long before = c.live;
    assert_int_equal(taut_flat_place(w), TAUT_OK);
    assert_int_equal(c.live, before + 1);
    assert_null(gone.x);
    assert_null(taut_flat_opened(context));
    const char *block = taut_flat_block(w), *end = block;
    assert_true(taut_flat_size(w) < 20 * (19 * sizeof(double) + 3 * FLAT_ALIGNMENT));
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal((uintptr_t)all[i].x % FLAT_ALIGNMENT, 0);
        assert_true((const char *)all[i].x >= end);
        for (size_t k = 0; k < i; k++) assert_true(all[i].x[k] == 0);
        end = (const char *)(all[i].n + 3);
        room_free(context, &all[i].room);
    }
    assert_true(end <= block + taut_flat_size(w));
    taut_flat_destroy(w);
    taut_context_destroy(context);
    assert_int_equal(c.live, 0);
}

/* An inner workspace does not disturb the outer one; suspended, there is none. */
static void test_nested(void **unused)
{
    (void)unused;
    counter c = { 0 };
    taut_context *context = counted(&c);
    thing outer = { .count = 2 }, inner = { .count = 3 }, once = { .count = 4 }, lost = { .count = 5 };
    flat_workspace *w = NULL, *v = NULL;
    assert_int_equal(taut_flat_begin(context, &w), TAUT_OK);
    assert_int_equal(taut_flat_begin(context, &v), TAUT_OK);
    assert_int_equal(room_create(context, lay_out, &inner, &inner.room), TAUT_OK);
    flat_workspace *open = taut_flat_suspend(context);
    assert_ptr_equal(open, v);
    assert_int_equal(room_create(context, lay_out, &once, &once.room), TAUT_OK);
    assert_non_null(once.x);
    taut_flat_resume(context, open);
    assert_int_equal(taut_flat_place(v), TAUT_OK);
    assert_ptr_equal(taut_flat_opened(context), w);
    assert_non_null(inner.x);
    assert_int_equal(room_create(context, lay_out, &outer, &outer.room), TAUT_OK);
    taut_flat_destroy(v);
    /* one that is given up while it is open */
    assert_int_equal(taut_flat_begin(context, &v), TAUT_OK);
    assert_int_equal(room_create(context, lay_out, &lost, &lost.room), TAUT_OK);
    taut_flat_destroy(v);
    assert_int_equal(taut_flat_place(w), TAUT_OK);
    assert_null(lost.x);
    assert_non_null(outer.x);
    room_free(context, &once.room);
    taut_flat_destroy(w);
    taut_context_destroy(context);
    assert_int_equal(c.live, 0);
}

static flat_workspace *pair(taut_context *context, thing *a, thing *b, room_list *list)
{
    flat_workspace *w = NULL;
    assert_int_equal(taut_flat_begin(context, &w), TAUT_OK);
    assert_int_equal(taut_flat_join(w, lay_out, follow, a, &a->room), TAUT_OK);
    assert_int_equal(room_create(context, list, b, &b->room), TAUT_OK);
    assert_int_equal(taut_flat_place(w), TAUT_OK);
    return w;
}

static void test_copy(void **unused)
{
    (void)unused;
    counter c = { 0 };
    taut_context *context = counted(&c);
    thing a[2] = { { .count = 3 }, { .count = 4 } }, b[2] = { { .count = 3 }, { .count = 4 } };
    thing larger[2] = { { .count = 3 }, { .count = 40 } }, others[2] = { { .count = 3 }, { .count = 4 } };
    flat_workspace *from = pair(context, &a[0], &a[1], lay_out), *to = pair(context, &b[0], &b[1], lay_out);
    flat_workspace *more = pair(context, &larger[0], &larger[1], lay_out);
    flat_workspace *unlike = pair(context, &others[0], &others[1], other_lay_out);
    for (int i = 0; i < 4; i++) a[1].x[i] = i + 0.5;
    a[0].n[2] = 7;
    assert_int_equal(taut_flat_copy(from, to), TAUT_OK);
    assert_memory_equal(a[1].x, b[1].x, 4 * sizeof(double));
    assert_int_equal(b[0].n[2], 7);
    assert_int_equal(b[0].followed, 1);
    assert_ptr_equal(b[0].leader, &a[0]);
    assert_int_equal(taut_flat_copy(from, more), TAUT_BAD_USAGE);
    assert_int_equal(taut_flat_copy(from, unlike), TAUT_BAD_USAGE);
    flat_workspace *all[] = { from, to, more, unlike };
    for (int i = 0; i < 4; i++) taut_flat_destroy(all[i]);
    taut_context_destroy(context);
    assert_int_equal(c.live, 0);
}

/* Sizes that cannot be counted are refused as any other that is too large. */
static void test_too_large(void **unused)
{
    (void)unused;
    counter c = { 0 };
    taut_context *context = counted(&c);
    thing huge[2] = { { .count = (size_t)PTRDIFF_MAX / 8 - 4 }, { .count = (size_t)PTRDIFF_MAX / 16 } };
    flat_workspace *w = NULL;
    assert_int_equal(taut_flat_begin(context, &w), TAUT_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(room_create(context, lay_out, &huge[i], &huge[i].room), TAUT_OK);
    assert_int_equal(taut_flat_place(w), TAUT_OUT_OF_MEMORY);
    assert_null(taut_flat_opened(context));
    taut_flat_destroy(w);
    taut_context_destroy(context);
    assert_int_equal(c.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone), cmocka_unit_test(test_together), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_copy),  cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
