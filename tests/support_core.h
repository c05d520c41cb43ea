/* What the tests of the middle layers share: a context, models from text, random numbers, places, comparison. A test
   that includes this includes cmocka.h after it (cmocka has a macro `fail`). */
#ifndef TAUT_TESTS_SUPPORT_CORE_H
#define TAUT_TESTS_SUPPORT_CORE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static taut_context *context;

static inline int set_up(void **state)
{
    (void)state;
    context = taut_context_create(NULL);
    return context ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    taut_context_destroy(context);
    return 0;
}

/* xorshift: the same numbers everywhere */
typedef struct {
    uint64_t seed;
} generator;

static inline uint32_t random_below(generator *r, uint32_t bound)
{
    r->seed ^= r->seed << 13, r->seed ^= r->seed >> 7, r->seed ^= r->seed << 17;
    return (uint32_t)((r->seed >> 20) % bound);
}

/* In (-1, 1), with some twenty bits: exact in every precision, so that a value means the same number in double, quad
   and wide. */
static inline double random_number(generator *r) { return ((double)random_below(r, 1u << 20) + 0.5) / (1 << 19) - 1; }

#include <cmocka.h>

static inline model *load(const char *text)
{
    model *m = NULL;
    int status = taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m);
    if (status) print_error("%s\n%s\n", taut_error_text(context), text);
    assert_int_equal(status, TAUT_OK);
    return m;
}

static inline model *load_file(const char *path, definition *definitions, size_t count)
{
    model *m = NULL;
    int status = taut_model_read_file(context, path, definitions, count, &m);
    if (status) print_error("%s\n", taut_error_text(context));
    assert_int_equal(status, TAUT_OK);
    return m;
}

/* |x - y| <= tolerance, or say what, and both. */
static inline void near_at(wide x, wide y, wide tolerance, const char *what, long index, const char *file, int line)
{
    wide d = x - y;
    if (d <= tolerance && -d <= tolerance) return;
    char a[64], b[64];
    taut_wide_format(a, sizeof a, x, WIDE_DIGITS);
    taut_wide_format(b, sizeof b, y, WIDE_DIGITS);
    print_error("%s [%ld]: %s, not %s (off by %.3g, allowed %.3g)\n", what, index, a, b, (double)d, (double)tolerance);
    _fail(file, line);
}
#define assert_near(x, y, tolerance, what, index) near_at(x, y, tolerance, what, index, __FILE__, __LINE__)

#define assert_text_has(text, part)                                      \
    do {                                                                 \
        if (!strstr(text, part)) print_error("\"%s\" lacks \"%s\"\n", text, part); \
        assert_non_null(strstr(text, part));                             \
    } while (0)

#endif
