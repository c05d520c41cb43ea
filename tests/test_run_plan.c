/* The plan of a run (run/plan.h): how many steps, the last one, what is due after which, against counting one by one;
   and the loops that follow it, which end at the same time with the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/plan.h"
#include "support_fixture.h"

static run_plan plan(double begin, double until, double h)
{
    return taut_run_plan(taut_wide_from_double(begin), taut_wide_from_double(until), taut_wide_from_double(h));
}

static void check(double begin, double until, double h, long steps, int partial)
{
    const run_plan p = plan(begin, until, h);
    if (p.steps != steps || p.partial != partial)
        fail_msg("from %g to %g by %g: %ld steps, partial %d; not %ld, %d", begin, until, h, p.steps, p.partial, steps,
                 partial);
}

static void steps_to_the_end(void **unused)
{
    (void)unused;
    check(0, 1, 0.1, 10, 0);
    check(0, 1, 1. / 3, 3, 0);       /* 1/3 is meant */
    check(0, 1, 0.1000000001, 10, 0); /* 1e-9 of the number of steps is the edge */
    check(0, 1, 0.100000001, 10, 1); /* the last one is shorter by 9e-9 */
    check(0, 1, 0.099999999, 11, 1);
    check(0, 1, 0.3, 4, 1);
    check(0, 0.2, 0.3, 1, 1);
    check(0.3, 1, 0.1, 7, 0);
    check(1, 0, -0.1, 10, 0);
    check(1, 0, -0.3, 4, 1);
    check(1, 1, 0.1, 0, 0);
    check(1, 1 - 1e-12, 0.1, 0, 0);  /* a rounding error away */
    check(1, 1 + 1e-12, 0.1, 0, 0);
    check(0, 1, -0.1, -1, 0);
    check(0, 1, 0, -1, 0);
    check(0, 0, 0, -1, 0);
    check(0, INFINITY, 0.1, -1, 0);
    check(0, 1, INFINITY, -1, 0);
    check(0, 1, NAN, -1, 0);
    check(0, 1e300, 1e-300, -1, 0);
    const run_plan p = plan(0, 1, 0.3), q = plan(0, 1, 0.25);
    assert_int_equal(taut_run_plan_divides(&p), 0);
    assert_int_equal(taut_run_plan_divides(&q), 4);
}

/* Every walk ends after plan.steps steps, and what is due after each is what the numbers of the step say. */
static void what_is_due(void **unused)
{
    (void)unused;
    const double until[] = { 1, 1.05, 2.3 };
    for (int u = 0; u < 3; u++)
        for (long look = 0; look < 5; look++)
            for (long frame = 0; frame < 5; frame++)
                for (long most = 1; most < 40; most += 7) {
                    const run_plan p = plan(0, until[u], 0.1);
                    run_walk w = taut_run_walk(&p, 0, look, frame);
                    long n = 0, rows = 1;
                    while (w.done < p.steps) {
                        const run_leg leg = taut_run_next(&w, most);
                        assert_true(leg.steps >= 1 && leg.steps <= most);
                        for (long i = n + 1; i < n + leg.steps; i++)
                            assert_true((!look || i % look) && (!frame || i % frame) && i < p.steps);
                        n += leg.steps;
                        assert_int_equal(leg.shorter, p.partial && n == p.steps);
                        const int due = taut_run_done(&w, leg.steps), last = n == p.steps;
                        assert_int_equal((due & RUN_END) != 0, last);
                        assert_int_equal((due & RUN_LOOK) != 0, look && (last || n % look == 0));
                        assert_int_equal((due & RUN_FRAME) != 0, frame && (last || n % frame == 0));
                        rows += (due & RUN_FRAME) != 0;
                    }
                    assert_int_equal(n, p.steps);
                    if (frame) assert_int_equal(rows, taut_run_plan_rows(p.steps, frame));
                }
}

static void strides(void **unused)
{
    (void)unused;
    for (long steps = 1; steps < 50; steps++)
        for (long most = 1; most < 60; most++) {
            const long every = taut_run_stride(steps, most);
            assert_true((steps + every - 1) / every <= most);
            assert_true(every == 1 || (steps + every - 2) / (every - 1) > most); /* the smallest */
        }
    assert_int_equal(taut_run_next_multiple(0, 3), 3);
    assert_int_equal(taut_run_next_multiple(3, 3), 6);
    assert_int_equal(taut_run_next_multiple(5, 3), 6);
    assert_int_equal(taut_run_next_multiple(5, 0), -1);
}

/* ---- the loops ---- */

static const char pendulum[] = "local a = point('a', 2)\n"
                               "lagrangian(norm2(a.dot)/2 - a.y)\n"
                               "constraint('rod', norm2(a) - 1)\n"
                               "start { a = {1, 0} }\n";
enum { ROWS = 20, COLUMNS = 4 };
static const char *const kept = "a.x,a.y,energy";

/* The rows of taut_advance, with a file or without. */
static void rows_of_advance(double h, double until, const char *file, double rows[ROWS][COLUMNS])
{
    fixture f = open_text(pendulum, "rattle", "double");
    const size_t columns[] = { 0, (size_t)column_of(f.z, "a.x"), (size_t)column_of(f.z, "a.y"),
                               (size_t)column_of(f.z, "energy") };
    taut_run run = { .size = sizeof run, .h = h, .until = until, .columns = columns, .column_count = COLUMNS,
                     .rows = rows[0], .row_capacity = ROWS, .file = file, .replace = 1 };
    OK(taut_advance(f.z, &run));
    close_fixture(&f);
}

static void last_row_of_members(double h, double until, double row[COLUMNS])
{
    fixture f = open_text(pendulum, "rattle", "double");
    static const char *const names[] = { "a.x" };
    const double value = 1;
    const taut_members_spec spec = { .size = sizeof spec, .h = h, .until = until, .names = names, .name_count = 1,
                                     .values = &value, .value_rows = 1, .keep = kept, .on = "interpreter" };
    taut_members_run_options run = { .size = sizeof run, .rows = row, .row_capacity = 1 };
    taut_members *m = NULL;
    OK(taut_members_create(f.z, &spec, &m));
    OK(taut_members_run(m, &run));
    taut_members_release(m);
    close_fixture(&f);
}

static void all_loops_end_alike(void **unused)
{
    (void)unused;
    const struct {
        double h, until, end;
        int whole;               /* steps of h alone lead to the end: taut_step gets there, too */
    } runs[] = { { 0.1, 1, 1, 1 }, { 0.1000000001, 1, 1.000000001, 1 }, { 0.07, 0.49, 0.49, 1 }, { 0.3, 1, 1, 0 } };
    char path[] = "/tmp/taut-plan-XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    for (int i = 0; i < 4; i++) {
        const double h = runs[i].h;
        const long steps = plan(0, runs[i].until, h).steps;
        double plain[ROWS][COLUMNS], filed[ROWS][COLUMNS], member[COLUMNS];
        rows_of_advance(h, runs[i].until, NULL, plain);
        rows_of_advance(h, runs[i].until, path, filed);
        last_row_of_members(h, runs[i].until, member);
        /* 4e-16: two ulps of times below 1 */
        if (!(fabs(plain[steps][0] - runs[i].end) <= 4e-16)) fail_msg("h = %g ends at %.17g", h, plain[steps][0]);
        assert_memory_equal(plain, filed, (size_t)(steps + 1) * sizeof *plain);
        assert_memory_equal(plain[steps], member, sizeof member);
        fixture f = open_text(pendulum, "rattle", "double");
        for (long k = 0; k < steps; k++) OK(taut_step(f.z, h));
        double t = taut_time(f.z);
        assert_int_equal(t == plain[steps][0], runs[i].whole);
        close_fixture(&f);
    }
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_to_the_end),
        cmocka_unit_test(what_is_due),
        cmocka_unit_test(strides),
        cmocka_unit_test(all_loops_end_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
