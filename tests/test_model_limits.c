/* Models are data from strangers: whatever a script does, loading ends, within bounded memory, with an error that says
   why; and when memory runs out at any moment, nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

#include <cmocka.h> /* last: it has a macro `fail` */

#include "support_allocator.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef struct {
    const char *text, *part;
} bad;

static void expect_all(const bad *cases, size_t count)
{
    taut_context *context = taut_context_create(NULL);
    for (size_t i = 0; i < count; i++) {
        model *m = (model *)1;
        int status = taut_model_read_text(context, "bad.lua", cases[i].text, strlen(cases[i].text), NULL, 0, &m);
        if (status != TAUT_BAD_MODEL || !strstr(taut_error_text(context), cases[i].part))
            fail_msg("script:\n%s\nstatus %d, said: %s\nexpected: %s", cases[i].text, status, taut_error_text(context),
                     cases[i].part);
        assert_null(m);
    }
    taut_context_destroy(context);
}

#define MEMORY ": the script needs more than 768 MiB of memory; "
#define ENDLESS ": the script ran more than 1e9 instructions without ending; look for an endless loop"

static void memory(void **state)
{
    (void)state;
    static const bad cases[] = {
        { "\nlocal s = ('x'):rep(1000000000)", "bad.lua:2" MEMORY },
        { "local s = 'x'\n\nwhile true do s = s .. s end", "bad.lua:3" MEMORY },
        { "local t = {}\nfor i = 1, 1e9 do\n t[i] = { i } end", "bad.lua:3" MEMORY },
        { "local s = ('x'):rep(1000000)\nlocal t = {}\nfor i = 1, 1e6 do t[i] = s .. i end", "bad.lua:3" MEMORY },
        { "local t = ('x'):rep(1e8 // 1 | 0)\nt = t:gsub('x', 'yyyyyyyyyyyyyyyy')", "bad.lua:2" MEMORY },
        /* a protected call does not catch it */
        { "\nwhile true do\n pcall(string.rep, 'x', 1000000000) end", "bad.lua:3" MEMORY },
        { "\nxpcall(string.rep,\n function() while true do end end, 'x', 1000000000)", MEMORY },
    };
    expect_all(cases, COUNT(cases));
}

static void instructions(void **state)
{
    (void)state;
    /* some seconds each: 1e9 is what they run */
    static const bad cases[] = {
        { "local i = 0\nwhile true do\n pcall(function() while true do i = i + 1 end end)\nend", "bad.lua:3" ENDLESS },
        { "local c <close> = setmetatable({}, { __close = function() while true do end end })\n"
          "while true do xpcall(function() while true do end end, function() while true do end end) end",
          "bad.lua:2" ENDLESS },
    };
    expect_all(cases, COUNT(cases));
}

/* Loops inside of C functions run no instructions; their work is counted beforehand. */
static void loops_in_c(void **state)
{
    (void)state;
    /* its length is 2^61: Lua looks for a border by doubling */
#define HOLES "local t = {1, 1, 1, 1, 1} t[9] = 1 for i = 3, 61 do t[1 << i] = 1 end assert(#t > 1 << 60)\n"
    static const bad cases[] = {
        { HOLES "table.insert(t, 1, 0)", "bad.lua:2" ENDLESS },
        { HOLES "table.remove(t, 1)", "bad.lua:2" ENDLESS },
        { HOLES "table.concat(t)", "bad.lua:2" ENDLESS },
        { HOLES "table.move(t, 1, 1 << 60, 2)", "bad.lua:2" ENDLESS },
        { HOLES "pcall(table.move, t, 1, 1 << 60, 2)", "bad.lua:2" ENDLESS },
        { HOLES "table.sort(t)", "bad.lua:2" ENDLESS },
        { "\ntable.concat({}, '', 1, 1 << 60)", "bad.lua:2" ENDLESS },
    };
    expect_all(cases, COUNT(cases));
}

/* ---- running out of memory ---- */

static const char medium[] =
    "title 'all of it'\n"
    "local g, m = param('g', 9.81), param('m', 2)\n"
    "local a, c, x, r = point 'a', point('c', 2), coordinate 'x', rotation 'r'\n"
    "lagrangian(m/2*norm2(a.dot) + x.dot^2 + norm2(r.omega) - m*g*a.z)\n"
    "lagrangian(norm2(r:apply{1, 2, x}).dot + sin(x*c.x).dot)\n"
    "local k = constraint('rod', norm2(a - {x, 0, 0}) - sqrt(2))\n"
    "force(a, cross(a, {k, g, 1}))\n"
    "observe('length', norm(a)) observe('second', dot(c, {1, 2}))\n"
    "local names = {} for i = 1, 20 do names['n' .. i] = i end\n"
    "for name, i in pairs(names) do local q = coordinate(name) lagrangian(q.dot^2/2) start { [q] = i*0.1 } end\n"
    "local ok = pcall(function() local t = {} for i = 1, 100 do t[i] = tostring(i*x) end error('x') end)\n"
    "assert(not ok)\n"
    "start { a = {1, 2, free(3)}, c = {4, 5}, [x] = sqrt(2)*g, r = {1, 0, 0, 0}, ['r.omega'] = {1, 2, 3} }\n"
    "solve_for(a.y, c.dot)\n"
    "draw { bar(origin, a), spring(a, c), ball(c, 0.1), a }\n"
    "print(a, k, option('N', 5))\n";

/* Returns 1 when the load came through. Whatever happens, nothing is left. */
static int load_with_failure(long fail_at, long fail_count)
{
    counter c = { 0 };
    taut_allocator allocator = { counted_resize, &c };
    taut_context *context = taut_context_create(&allocator);
    assert_non_null(context);
    c.calls = 0;
    c.fail_at = fail_at;
    c.fail_count = fail_count;
    model *m = (model *)1;
    int status = taut_model_read_text(context, "medium.lua", medium, sizeof medium - 1, NULL, 0, &m);
    int done = status == TAUT_OK;
    if (done) {
        assert_non_null(m);
        assert_int_equal(m->coordinate_count, 30);
        taut_model_free(m);
    } else {
        if (status != TAUT_OUT_OF_MEMORY)
            fail_msg("allocation %ld: status %d, %s", fail_at, status, taut_error_text(context));
        assert_null(m);
        assert_non_null(strstr(taut_error_text(context), "out of memory"));
    }
    c.fail_count = 0;
    taut_context_destroy(context);
    if (c.live) fail_msg("allocation %ld: %ld blocks left", fail_at, c.live);
    return done && c.calls < fail_at;
}

static void every_allocation_fails_in_turn(void **state)
{
    (void)state;
    long k = 1;
    /* from that moment on, all of them: an allocation that fails once is retried by Lua after a collection */
    while (!load_with_failure(k, 1000000000)) k++;
    assert_true(k > 500); /* the script does allocate */
    /* once only, so that what comes after a failure is reached too */
    for (long i = 1; i < k; i++) load_with_failure(i, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(instructions),
        cmocka_unit_test(loops_in_c),
        cmocka_unit_test(every_allocation_fails_in_turn),
    };
    return cmocka_run_group_tests_name("model limits", tests, NULL, NULL);
}
