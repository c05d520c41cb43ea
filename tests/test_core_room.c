/* The arrays of an object in one block: base/room.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/room.h"

#include <cmocka.h> /* its fail() is a macro: last */

typedef struct {
    size_t letters, numbers;
    char *text;
    real *x, *nothing, *y;
    void *room;
} thing;

static void lay_out(void *self, room_layout *l)
{
    thing *z = self;
    z->text = room_take(l, z->letters, 1);
    z->x = room_reals(l, z->numbers);
    z->nothing = room_reals(l, 0);
    z->y = room_reals(l, z->numbers);
}

/* Zeroed, apart from each other and aligned, whatever the sizes before them are. */
static void test_placed(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    for (size_t letters = 0; letters < 40; letters++) {
        thing z = { .letters = letters, .numbers = 3 };
        assert_int_equal(room_create(context, lay_out, &z, &z.room), TAUT_OK);
        assert_int_equal((uintptr_t)z.x % _Alignof(real), 0);
        assert_int_equal((uintptr_t)z.y % _Alignof(real), 0);
        assert_true(z.text + letters <= (char *)z.x && z.x + 3 <= z.y);
        for (size_t i = 0; i < letters; i++) assert_int_equal(z.text[i], 0);
        for (int i = 0; i < 3; i++) assert_true(z.x[i] == 0 && z.y[i] == 0);
        memset(z.text, 1, letters);
        z.x[2] = 5, z.y[2] = 7; /* the last numbers of the block: the sanitizer looks */
        assert_true(z.x[0] == 0 && z.y[0] == 0);
        taut_mem_free(context, z.room);
    }
    taut_context_destroy(context);
}

/* Sizes whose bytes, or whose sum, no size_t holds are a failed allocation and no short block. */
static void test_too_large(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    const size_t counts[] = { SIZE_MAX / sizeof(real) + 1, SIZE_MAX / sizeof(real), PTRDIFF_MAX / sizeof(real),
                              PTRDIFF_MAX / sizeof(real) / 2 + 1 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        thing z = { .numbers = counts[i] };
        assert_int_equal(room_create(context, lay_out, &z, &z.room), TAUT_OUT_OF_MEMORY);
        assert_null(z.room);
    }
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_placed), cmocka_unit_test(test_too_large) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
