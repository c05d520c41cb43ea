/* Which characters of a text are shown: those of strangers' names go to terminals, pages and models. */
#include "base/text.h"

#include <string.h>

#include "support.h"

/* The character as UTF-8. */
static int encode(long code, char *text)
{
    if (code < 0x80) return text[0] = (char)code, 1;
    if (code < 0x800) return text[0] = (char)(0xc0 | code >> 6), text[1] = (char)(0x80 | (code & 63)), 2;
    const int more = code < 0x10000 ? 2 : 3;
    text[0] = (char)((more == 2 ? 0xe0 : 0xf0) | code >> 6 * more);
    for (int i = 1; i <= more; i++) text[i] = (char)(0x80 | (code >> 6 * (more - i) & 63));
    return 1 + more;
}

/* By the Unicode standard: controls; marks of direction, zero width, embeddings and isolates, which change what stands
   around them; invisible operators; interlinear annotations; tags; what is no character. The list is written again here,
   so that no row of it can be lost. */
static int is_hidden(long c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x180e || (c >= 0x200b && c < 0x2010)
           || (c >= 0x2028 && c < 0x202f) || (c >= 0x2060 && c < 0x2070) || (c >= 0xd800 && c < 0xe000) || c == 0xfeff
           || (c >= 0xfff0 && c < 0xfffc) || c == 0xfffe || c == 0xffff || (c >= 0xe0000 && c < 0xe1000);
}

static void hidden_characters_are_found(void **state)
{
    (void)state;
    for (long code = 1; code <= 0x10ffff; code++) {
        char text[8] = "";
        int bytes = 0;
        const int size = encode(code, text), half = code >= 0xd800 && code < 0xe000;
        if (taut_text_visible(text, &bytes) != !is_hidden(code)) fail_msg("U+%04lX", code);
        if (bytes != (half ? 1 : size)) fail_msg("U+%04lX: %d bytes", code, bytes);
    }
}

static void wrong_bytes_are_not_shown(void **state)
{
    (void)state;
    static const char *const wrong[] = { "\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                                         "\xf5\x80\x80\x80", "\xe2\x82", "\xff" };
    int bytes;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(taut_text_visible(wrong[i], &bytes));
        assert_int_equal(bytes, 1);
    }
    assert_true(taut_text_all_visible("\xc3\xa4 a \xe2\x82\xac \xf0\x9f\x98\x80"));
    assert_false(taut_text_all_visible("a\xe2\x81\xa0z")); /* U+2060 */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hidden_characters_are_found),
                                        cmocka_unit_test(wrong_bytes_are_not_shown) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
