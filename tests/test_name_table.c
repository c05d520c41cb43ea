/* Tables of names: every name is found again, whatever names have in common. */
#include "model/name_table.h"

#include "support_core.h"

enum { COUNT = 20000 };

typedef struct {
    const char *name;
    int more;
} thing;

/* One name of each series; digits at the end make neighbours. */
static const char *const series[] = { "a%d", "bar%d", "p%d0", "x%d00", "q%d_", "%d",
                                      "a_rather_long_name_of_no_use_%d" };

static void every_name_is_found(void **state)
{
    (void)state;
    static char texts[COUNT][48];
    taut_context *context = taut_context_create(NULL);
    for (size_t k = 0; k < sizeof series / sizeof *series; k++) {
        thing *things = NULL;
        size_t capacity = 0;
        name_table t = NAMES_OF(things);
        uint32_t index;
        assert_false(taut_names_find(&t, "a1", &index));
        for (int i = 0; i < COUNT; i++) {
            snprintf(texts[i], sizeof texts[i], series[k], i);
            assert_int_equal(taut_mem_grow(context, &things, &capacity, (size_t)i + 1, sizeof *things), TAUT_OK);
            things[i] = (thing){ texts[i], 0 };
            assert_false(taut_names_find(&t, texts[i], &index));
            assert_int_equal(taut_names_add(context, &t, (size_t)i), TAUT_OK);
        }
        for (int i = 0; i < COUNT; i++) {
            assert_true(taut_names_find(&t, texts[i], &index));
            assert_int_equal(index, i);
        }
        assert_false(taut_names_find(&t, "", &index) || taut_names_find(&t, "none", &index));
        taut_names_free(context, &t);
        assert_false(taut_names_find(&t, texts[0], &index));
        taut_mem_free(context, things);
    }
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_name_is_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
