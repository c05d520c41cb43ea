/* C files of models: what there is of them when memory runs out, and that the same model gives the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "compile/compile.h" /* before cmocka.h, which defines a macro fail */

#include <cmocka.h>

#include "support_allocator.h"

static const char text[] =
    "local m, l = param('m', 1), param('l', 2)\n"
    "local a = point('a', 2)\n"
    "lagrangian(m*norm2(a.dot)/2 - m*sin(l)*a.y); constraint('rod', norm2(a) - l^2)\n"
    "start { a = {2, 0} }";

static int write_it(counter *c, const compile_options *options, char *found, size_t size)
{
    const taut_allocator allocator = { counted_resize, c };
    model *m = NULL;
    compile_result r = { 0 };
    taut_context *own = taut_context_create(&allocator);
    if (!own) return TAUT_OUT_OF_MEMORY;
    int status = taut_model_read_text(own, "test.lua", text, strlen(text), NULL, 0, &m);
    if (!status) status = taut_compile(m, options, &r);
    if (status) assert_true(!r.source && !r.header);
    if (!status) assert_int_equal(strlen(r.source), r.source_length);
    if (!status) assert_true((size_t)snprintf(found, size, "%s%s", r.header, r.source) < size);
    taut_compile_clear(own, &r);
    taut_model_free(m);
    taut_context_destroy(own);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static char whole_text[200000], found[200000];
    static const char *const methods[] = { "rattle", "compose:euler,order=4" };
    for (int i = 0; i < 2; i++) {
        const compile_options options = { .method = methods[i], .step = (wide)0.01, .prefix = "it", .header = "it.h",
                                          .single = i };
        counter whole = { 0 };
        assert_int_equal(write_it(&whole, &options, whole_text, sizeof whole_text), TAUT_OK);
        assert_int_equal(whole.live, 0);
        assert_non_null(strstr(whole_text, "IT_PARAMETER_l"));
        for (long k = 1; k <= whole.calls; k += 1 + whole.calls / 300)
            for (int all = 0; all < 2; all++) {
                counter c = { .fail_at = k, .fail_count = all ? 1000000000 : 1 };
                int status = write_it(&c, &options, found, sizeof found);
                assert_int_equal(c.live, 0);
                if (status == TAUT_OK) /* what failed was not needed */
                    assert_string_equal(found, whole_text);
                else
                    assert_int_equal(status, TAUT_OUT_OF_MEMORY);
            }
    }
}

static void prefixes_are_identifiers(void **state)
{
    (void)state;
    static const char *const good[] = { "a", "robot_2", "A9" };
    static const char *const bad[] = { "", "2a", "_a", "a b", "a-b", "\xc3\xa4" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(taut_compile_prefix_serves(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(taut_compile_prefix_serves(bad[i]));
    assert_false(taut_compile_prefix_serves("a234567890123456789012345678901234567890x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(prefixes_are_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
