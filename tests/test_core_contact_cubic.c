/* Jay & Simeon's mass on or above a cubic: orders of the event times and of the state after them. */
#include "support_contact.h"

enum { RUNS = 4 };

typedef struct {
    real impact, release, x[4]; /* when, and the state at the end */
} outcome;

/* friction: its coefficient, as text */
static outcome run(const char *method, int active_set, const char *friction, long steps)
{
    const char *const settings[] = { "drop", "0.5", "cf", friction, NULL };
    outcome o;
    simulation *z = open_contact("papers/cubic-surface", NULL, method, active_set, settings);
    record *r = listen(z);
    do_steps(z, steps, (real)6 / 5 / (real)steps);
    o.impact = r->at[nth(r, EVENT_REST, 0)].t;
    o.release = r->at[nth(r, EVENT_RELEASE, 0)].t;
    assert_int_equal(z->event_counts[EVENT_REST] + z->event_counts[EVENT_RELEASE], 2);
    memcpy(o.x, z->x.q, 2 * sizeof(real));
    memcpy(o.x + 2, z->x.w, 2 * sizeof(real));
    free(r);
    close_model(z);
    return o;
}

/* Errors with steps halved against a run with much smaller steps of `reference`. */
static void measure(const char *method, const char *friction, const outcome *exact, real *least, real *most)
{
    real before[3] = { 0, 0, 0 };
    *least = 99, *most = 0;
    for (int k = 0; k < RUNS; k++) {
        outcome o = run(method, 0, friction, 60L << k);
        real error[3] = { REAL(fabs)(o.impact - exact->impact), REAL(fabs)(o.release - exact->release),
                          distance(o.x, exact->x, 4) };
        /* the flight before the impact is a parabola: order 2 and up find the impact to round-off */
        for (int i = 1; i < 3 && k == RUNS - 1; i++) {
            real order = REAL(log2)(before[i] / error[i]);
            *least = REAL(fmin)(*least, order), *most = REAL(fmax)(*most, order);
        }
        assert_at_most(error[0], ROUND(100));
        memcpy(before, error, sizeof error);
    }
}

static void event_driven_steps_keep_order_2(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "compose:euler,order=2", "del" }; /* the second: adjoint o true */
    outcome exact = run("compose:rattle,order=4", 0, "0.1", 1000);
    for (int m = 0; m < 3; m++) {
        real least, most;
        measure(methods[m], "0.1", &exact, &least, &most);
        assert_between(least, 1.8, 2.3);
        assert_between(most, 1.8, 2.3);
    }
}

/* Event-driven steps are steps of the method itself: they keep more than order 2 if it has more. Without friction: the
   force psi^0.85 has no derivative where psi = 0, and no method has order 4 there. */
static void event_driven_steps_keep_order_4(void **state)
{
    (void)state;
    real least, most;
    if (!QUAD) skip(); /* errors of 1e-12 and below */
    outcome exact = run("compose:rattle,order=6", 0, "0", 800);
    measure("compose:rattle,order=4", "0", &exact, &least, &most);
    assert_between(least, 3.6, 4.6);
}

/* (4.2) as rates, which have no derivative where the multiplier is zero. Methods of order 1 end their first free step
   below the surface, and are put back onto it. */
static const char rates[] =
    "local y1, y2 = coordinate 'y1', coordinate 'y2' local z1, z2 = momentum(y1), momentum(y2)\n"
    "local psi = contact('g', y2 - 0.01*y1^3)\n"
    "local friction = 0.1*((1 + 9e-4*y1^4)*psi^2)^0.425/sqrt(z1^2 + z2^2)\n"
    "rate(y1, z1) rate(y2, z2) rate(z1, -0.03*y1^2*psi - friction*z1) rate(z2, -9.81 + psi - friction*z2)\n"
    "start { y1 = 10, y2 = 10, ['p.y1'] = -3.6, ['p.y2'] = -10.8, ['lambda.g'] = 1.7586 }";

static void lift(const char *method, long steps, real *x)
{
    simulation *z = open_contact(NULL, rates, method, 0, NULL);
    do_steps(z, steps, (real)6 / 5 / (real)steps);
    assert_int_equal(z->event_counts[EVENT_RELEASE], 1);
    memcpy(x, z->x.q, 2 * sizeof(real));
    memcpy(x + 2, z->x.p, 2 * sizeof(real));
    close_model(z);
}

static void euler_lifts_off(void **state)
{
    (void)state;
    static const char *const methods[] = { "euler", "euler:adjoint", "euler:conjugate", "euler:natural",
                                           "euler:natural,adjoint" };
    real exact[4], x[4];
    lift("lobatto:s=3", 120, exact);
    for (int m = 0; m < 5; m++) {
        real error[2];
        for (int k = 0; k < 2; k++) {
            lift(methods[m], 120L << k, x);
            error[k] = distance(x, exact, 4);
        }
        if (m < 3) assert_between(error[0] / error[1], 1.8, 2.2); /* natural converges to another motion */
    }
}

/* Events fall on whole steps: their times are right to a step only, and the state goes up and down with where in a step
   they fall; between the first and the last of four halvings the order shows. */
static void active_set_steps_have_order_1(void **state)
{
    (void)state;
    outcome exact = run("compose:rattle,order=4", 0, "0.1", 1000);
    real error[2];
    for (int k = 0; k < 2; k++) {
        long steps = k ? 3840 : 240;
        outcome o = run("euler", 1, "0.1", steps);
        error[k] = distance(o.x, exact.x, 4);
        /* in steps: the multiplier is wrong by O(h) too */
        assert_at_most(REAL(fabs)(o.impact - exact.impact) * (real)steps / (real)1.2, 2);
        assert_at_most(REAL(fabs)(o.release - exact.release) * (real)steps / (real)1.2, 2);
    }
    assert_between(REAL(log2)(error[0] / error[1]) / 4, 0.8, 1.25);
}

/* Two balls that fall one after the other: what meets is reported, and nothing else. */
static void active_set_steps_report_what_meets(void **state)
{
    (void)state;
    simulation *z = open_contact(NULL,
                                 "local y1, y2 = coordinate 'y1', coordinate 'y2'\n"
                                 "lagrangian((y1.dot^2 + y2.dot^2)/2 - y1 - y2); contact('c1', y1); contact('c2', y2)\n"
                                 "start { y1 = 0.02, y2 = 0.5 }",
                                 "euler", 1, NULL);
    record *r = listen(z);
    do_steps(z, 40, (real)1 / 100);
    assert_true(r->count > 0);
    for (long i = 0; i < r->count; i++) assert_string_equal(r->at[i].contact, "c1");
    const long before = r->count;
    do_steps(z, 80, (real)1 / 100);
    assert_true(r->count > before);
    for (long i = before; i < r->count; i++) assert_string_equal(r->at[i].contact, "c2");
    free(r);
    close_model(z);
}

/* They are those of one form of the Euler method. */
static void active_set_steps_are_of_one_method(void **state)
{
    (void)state;
    static const char *const others[] = { "euler:natural", "euler:conjugate", "euler:adjoint", "rattle" };
    char path[512];
    model *m = NULL;
    taut_context *context = taut_context_create(NULL);
    snprintf(path, sizeof path, "%s/papers/cubic-surface.lua", MODELS);
    assert_int_equal(taut_model_read_file(context, path, NULL, 0, &m), TAUT_OK);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        simulation *z = NULL;
        engine_options options = { .method = others[i], .active_set = 1 };
        assert_int_equal(X(simulation_create)(m, &options, &z), TAUT_UNSUPPORTED);
        assert_non_null(strstr(taut_error_text(context), "choose the method 'euler'"));
    }
    taut_model_free(m);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_driven_steps_keep_order_2), cmocka_unit_test(event_driven_steps_keep_order_4),
        cmocka_unit_test(euler_lifts_off),
        cmocka_unit_test(active_set_steps_have_order_1), cmocka_unit_test(active_set_steps_are_of_one_method),
        cmocka_unit_test(active_set_steps_report_what_meets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
