/* The public interface: inputs, which are held over a step and set between steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support_allocator.h"
#include "support_fixture.h"

static const char CART[] = "local x, a = coordinate 'x', coordinate 'a'\n"
                           "local u, k = input('u', 0), param('k', 2)\n"
                           "lagrangian(x.dot^2 + x.dot*a.dot*cos(a) + a.dot^2/2 - 9.81*cos(a))\n"
                           "force(x, k*u)\n"
                           "observe('effort', u)\n"
                           "start { x = 0, a = 0.1 }\n";
/* The same with a number in place of the input. */
static const char CART_FIXED[] = "local x, a = coordinate 'x', coordinate 'a'\n"
                                 "local u, k = param('u', 0), param('k', 2)\n"
                                 "lagrangian(x.dot^2 + x.dot*a.dot*cos(a) + a.dot^2/2 - 9.81*cos(a))\n"
                                 "force(x, k*u)\n"
                                 "observe('effort', u)\n"
                                 "start { x = 0, a = 0.1 }\n";

/* A step with an input is that of a model with this number for a param, from the same state: bit by bit. */
static void an_input_is_a_number_for_a_step(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "em", "lobatto:s=3", "euler", "dirac:rk4", "galerkin:LGL,m=2" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        fixture f = open_text(CART, methods[i], "double");
        const double inputs[] = { 0, 1.5, -0.3, 0 };
        double q[2], w[2], frame[32], expected[32];
        OK(taut_step(f.z, 0.01));
        for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
            fixture g = open_text(CART_FIXED, methods[i], "double");
            OK(taut_set(g.z, TAUT_PARAM, (size_t)taut_find(g.z, TAUT_PARAM, "u"), 1, &inputs[k]));
            OK(taut_get(f.z, TAUT_POSITION, 0, 2, q, NULL));
            OK(taut_get(f.z, TAUT_VELOCITY, 0, 2, w, NULL));
            const double t = taut_time(f.z);
            OK(taut_set_state(f.z, t, q, TAUT_VELOCITY, w, TAUT_STRICT));
            OK(taut_set_state(g.z, t, q, TAUT_VELOCITY, w, TAUT_STRICT));
            OK(taut_set(f.z, TAUT_INPUT, 0, 1, &inputs[k]));
            OK(taut_step(f.z, 0.01));
            OK(taut_step(g.z, 0.01));
            OK(frame_of(f.z, frame));
            OK(frame_of(g.z, expected));
            const size_t count = columns_of(f.z);
            assert_int_equal(count, columns_of(g.z));
            for (size_t c = 0; c < count; c++)
                if (frame[c] != expected[c])
                    fail_msg("%s, u = %g: %s is %.17g, not %.17g", methods[i], inputs[k], taut_name(f.z, TAUT_ALL, c),
                             frame[c], expected[c]);
            close_fixture(&g);
        }
        close_fixture(&f);
    }
}

/* The same on a chain that is too long to be lowered: RATTLE keeps the force at the end of a step for the next one, and
   an input that is set in between changes it. */
static void an_input_of_a_long_chain(void **state)
{
    (void)state;
    static const char chain[] = "local N, u, p, last = 300, %s('u', 0), {}, origin\n"
                                "for i = 1, N do\n"
                                "  p[i] = point('p' .. i)\n"
                                "  lagrangian(norm2(p[i].dot)/2 - 9.81*p[i].z)\n"
                                "  constraint('rod' .. i, norm2(p[i] - last) - 1)\n"
                                "  start { ['p' .. i] = {i, 0, 0} }\n"
                                "  last = p[i]\n"
                                "end\n"
                                "force(p[N], {u, 0, u})\n";
    enum { SIZE = 900 };
    const double u[] = { 2, -1 };
    static double q[SIZE], v[SIZE], one[SIZE], two[SIZE];
    char text[600], fixed[600];
    snprintf(text, sizeof text, chain, "input");
    snprintf(fixed, sizeof fixed, chain, "param");
    fixture f = open_text(text, "rattle", "double"), g = open_text(fixed, "rattle", "double");
    for (int k = 0; k < 2; k++) {
        OK(taut_get(f.z, TAUT_POSITION, 0, SIZE, q, NULL));
        OK(taut_get(f.z, TAUT_VELOCITY, 0, SIZE, v, NULL));
        OK(taut_set(g.z, TAUT_PARAM, 0, 1, &u[k]));
        OK(taut_set_state(g.z, taut_time(f.z), q, TAUT_VELOCITY, v, TAUT_STRICT));
        OK(taut_set(f.z, TAUT_INPUT, 0, 1, &u[k])); /* before the state: its multipliers depend on it */
        OK(taut_set_state(f.z, taut_time(f.z), q, TAUT_VELOCITY, v, TAUT_STRICT));
        for (int i = 0; i < 2; i++) OK(taut_step(f.z, 0.001));
        for (int i = 0; i < 2; i++) OK(taut_step(g.z, 0.001));
        OK(taut_get(f.z, TAUT_MOMENTUM, 0, SIZE, one, NULL));
        OK(taut_get(g.z, TAUT_MOMENTUM, 0, SIZE, two, NULL));
        assert_memory_equal(one, two, sizeof one);
        OK(taut_set(f.z, TAUT_INPUT, 0, 1, &u[1 - k])); /* at a state whose force is known */
        OK(taut_step(f.z, 0.001));
    }
    close_fixture(&f);
    close_fixture(&g);
}

/* Where the step begins with a force that the one before left behind. */
static void an_input_between_two_steps(void **state)
{
    (void)state;
    static const char heap[] = "local u = input('u', 0)\n"
                               "for i = 1, 500 do\n"
                               "  local x = coordinate('x' .. i)\n"
                               "  lagrangian(x.dot^2/2)\n"
                               "  force(x, u)\n"
                               "  start { ['x' .. i] = 0 }\n"
                               "end\n";
    fixture f = open_text(heap, "rattle", "double");
    const double push = 1, h = 0.5;
    double v;
    OK(taut_step(f.z, h));
    OK(taut_set(f.z, TAUT_INPUT, 0, 1, &push));
    OK(taut_step(f.z, h));
    OK(taut_get(f.z, TAUT_VELOCITY, 499, 1, &v, NULL));
    assert_true(v == h);
    close_fixture(&f);
}

static int wave(void *user, taut_simulation *z)
{
    const double u = sin(3 * taut_time(z));
    (void)user;
    return taut_set(z, TAUT_INPUT, 0, 1, &u);
}

/* Saved, restored, cloned: with their inputs. */
static void inputs_belong_to_a_simulation(void **state)
{
    (void)state;
    fixture f = open_text(CART, "rattle", "double");
    taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.5, .before = wave };
    taut_simulation *clone = NULL;
    char bytes[4096];
    size_t size;
    double u, other = 7, got;
    OK(taut_advance(f.z, &run));
    OK(taut_get(f.z, TAUT_INPUT, 0, 1, &u, NULL));
    assert_true(fabs(u - sin(3 * 0.49)) < 1e-12);
    OK(taut_get(f.z, TAUT_OBSERVABLE, 0, 1, &got, NULL));
    assert_true(got == u);
    OK(taut_save(f.z, bytes, sizeof bytes, &size));
    OK(taut_simulation_clone(f.z, f.context, &clone));
    OK(taut_set(clone, TAUT_INPUT, 0, 1, &other));
    OK(taut_get(f.z, TAUT_OBSERVABLE, 0, 1, &got, NULL));
    assert_true(got == u);
    OK(taut_get(clone, TAUT_OBSERVABLE, 0, 1, &got, NULL));
    assert_true(got == 7);
    OK(run_to(clone, 0.01, 1)); /* under another input */
    OK(run_to(f.z, 0.01, 1));
    OK(taut_restore(clone, bytes, size));
    OK(run_to(clone, 0.01, 1));
    same_frames(f.z, clone);
    OK(taut_restart(f.z));
    OK(taut_get(f.z, TAUT_INPUT, 0, 1, &u, NULL));
    assert_true(u == 0);
    fixture g = open_text(CART, "rattle", "double");
    OK(run_to(f.z, 0.01, 0.3));
    OK(run_to(g.z, 0.01, 0.3));
    same_frames(f.z, g.z);
    taut_simulation_release(clone);
    close_fixture(&f);
    close_fixture(&g);
}

/* Energy minus work stays: the work of an input is counted. And the tangent: x'' = u/m. */
static void inputs_do_work(void **state)
{
    (void)state;
    fixture f = open_text("local x, u = coordinate 'x', input('u', 0)\n"
                          "lagrangian(x.dot^2); force(x, u); start { x = 0 }", "rattle", "double");
    const double push = 3, h = 0.1, m = 2;
    double energy, work, a[4], b[2];
    OK(taut_linearise(f.z, h, a, b));
    const double expected_a[4] = { 1, h / m, 0, 1 }, expected_b[2] = { h * h / 2 / m, h };
    for (int i = 0; i < 4; i++) assert_true(fabs(a[i] - expected_a[i]) < 1e-10);
    for (int i = 0; i < 2; i++) assert_true(fabs(b[i] - expected_b[i]) < 1e-10);
    OK(taut_set(f.z, TAUT_INPUT, 0, 1, &push));
    const double none = NAN;
    assert_int_equal(taut_set(f.z, TAUT_INPUT, 0, 1, &none), TAUT_NOT_FINITE); /* it stays what it was */
    OK(run_to(f.z, h, 1));
    OK(taut_get(f.z, TAUT_ENERGY, 0, 1, &energy, NULL));
    OK(taut_get(f.z, TAUT_WORK, 0, 1, &work, NULL));
    assert_true(fabs(energy - push * push / (2 * m)) < 1e-12 && fabs(energy - work) < 1e-12);
    close_fixture(&f);
}

/* A ball is lifted off the floor by an input, in mode sets that were made before. */
static void inputs_with_contacts(void **state)
{
    (void)state;
    fixture f = open_text("local y, u = coordinate 'y', input('u', 0); lagrangian(y.dot^2/2 - 10*y); force(y, u)\n"
                          "contact('floor', y); start { y = 0 }", "rattle", "double");
    const double lift = 12, none = 0;
    double y;
    OK(run_to(f.z, 0.1, 0.5));
    OK(taut_get(f.z, TAUT_POSITION, 0, 1, &y, NULL));
    assert_true(fabs(y) < 1e-12);
    OK(taut_set(f.z, TAUT_INPUT, 0, 1, &lift));
    OK(run_to(f.z, 0.1, 1.5));
    OK(taut_get(f.z, TAUT_POSITION, 0, 1, &y, NULL));
    assert_true(fabs(y - 1) < 1e-9); /* a second of acceleration 2 */
    OK(taut_set(f.z, TAUT_INPUT, 0, 1, &none));
    OK(run_to(f.z, 0.1, 1.9)); /* thrown up with velocity 2 from height 1, falls with 10 */
    OK(taut_get(f.z, TAUT_POSITION, 0, 1, &y, NULL));
    assert_true(fabs(y - (1 + 2 * 0.4 - 5 * 0.16)) < 1e-9);
    close_fixture(&f);
}

static void inputs_where_they_do_not_belong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "lagrangian(x.dot^2/2 - u*x); start { x = 0 }", "input 'u' stands in the Lagrangian" },
        { "lagrangian(x.dot^2/2); constraint('c', x - u); start { x = 0 }", "input 'u' stands in a constraint" },
        { "lagrangian(x.dot^2/2); start { x = u }", "input 'u' stands in a start value" },
        { "param('k', 2*u); lagrangian(x.dot^2/2); start { x = 0 }", "input 'u' stands in the value of a param" },
        { "lagrangian(x.dot^2/2); contact('c', x - u); start { x = 1 }", "input 'u' stands in a contact" },
        { "input('u', 1)", "the name 'u' is taken" },
        { "input('w')", "input 'w' needs a value" },
    };
    taut_context *context = taut_context_create(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        taut_model *model = NULL;
        snprintf(text, sizeof text, "local x, u = coordinate 'x', input('u', 0)\n%s", cases[i].text);
        assert_int_equal(taut_model_load_text(context, "test", text, strlen(text), NULL, 0, &model), TAUT_BAD_MODEL);
        if (!strstr(taut_error_text(context), cases[i].says)) fail_msg("%s", taut_error_text(context));
    }
    taut_context_destroy(context);
}

/* No step allocates, nor does reading or setting an input. */
static void steps_allocate_nothing(void **state)
{
    (void)state;
    counter c = { 0 };
    const taut_allocator allocator = { counted_resize, &c };
    fixture f = { taut_context_create(&allocator), NULL, NULL };
    OK(taut_model_load_text(f.context, "cart", CART, strlen(CART), NULL, 0, &f.model));
    OK(taut_simulation_create(f.context, f.model, NULL, &f.z));
    double rows[200], q[2], u = 0;
    const size_t columns[] = { 0, 1, 2 };
    taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.1, .columns = columns, .column_count = 3, .rows = rows,
                     .row_capacity = 60, .before = wave };
    OK(taut_advance(f.z, &run));
    const long before_it = c.calls;
    for (int i = 0; i < 20; i++) {
        u += 0.1;
        OK(taut_set(f.z, TAUT_INPUT, 0, 1, &u));
        OK(taut_step(f.z, 0.01));
        OK(taut_get(f.z, TAUT_POSITION, 0, 2, q, NULL));
        OK(taut_get(f.z, TAUT_VELOCITY, 0, 2, q, NULL));
    }
    run.until = 0.8;
    OK(taut_advance(f.z, &run));
    assert_int_equal(c.calls, before_it);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_is_a_number_for_a_step),
        cmocka_unit_test(an_input_of_a_long_chain),
        cmocka_unit_test(an_input_between_two_steps),
        cmocka_unit_test(inputs_belong_to_a_simulation),
        cmocka_unit_test(inputs_do_work),
        cmocka_unit_test(inputs_with_contacts),
        cmocka_unit_test(inputs_where_they_do_not_belong),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
