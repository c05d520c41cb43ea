/* Gaps that close and open again within one step: at both ends of it nothing touches. Free flight, of which RATTLE
   makes no error: what is left are rounding errors of numbers of about 1, and some hundred of them in the time,
   because the flight meets the disc at an angle. */
#include "support_contact.h"

/* A particle that flies along y = offset at speed 1, from x = -from; a disc of radius 1 at the origin that reflects it;
   a wall behind, at x = wall. */
static simulation *throw_at_disc(double offset, double from, double wall)
{
    char text[500];
    snprintf(text, sizeof text,
             "local a = point('a', 2); lagrangian(norm2(a.dot)/2)\n"
             "contact('disc', norm(a) - 1, {restitution = 1}); contact('wall', %.17g - a.x, {restitution = 1})\n"
             "start { a = {%.17g, %.17g}, ['a.dot'] = {1, 0} }",
             wall, -from, offset);
    return open_contact(NULL, text, "rattle", 0, NULL);
}

/* Reflected at n = (-c, y), c = sqrt(1 - y^2): v = (1, 0) - 2 (v.n) n. */
static void check_reflection(simulation *z, const record *r, real offset, real from, real until)
{
    real c = REAL(sqrt)(1 - offset * offset), hit = from - c, vx = 1 - 2 * c * c, vy = 2 * c * offset;
    assert_int_equal(r->count, 1);
    assert_int_equal(r->at[0].kind, EVENT_IMPACT);
    assert_string_equal(r->at[0].contact, "disc");
    assert_at_most(REAL(fabs)(r->at[0].t - hit), ROUND(1000));
    assert_at_most(REAL(fabs)(r->at[0].impulse - 2 * c), ROUND(1000));
    assert_at_most(REAL(fabs)(z->x.q[0] + c - vx * (until - hit)), ROUND(2000));
    assert_at_most(REAL(fabs)(z->x.q[1] - offset - vy * (until - hit)), ROUND(2000));
}

/* Through the disc in one step, nearly its diameter or a short chord, from near and from afar: the step may be many
   times the disc. */
static void disc_is_not_passed_through(void **state)
{
    (void)state;
    static const double offsets[] = { 0.0625, -0.25, 0.5, 0.75, 0.9375 }, froms[] = { 1.5, 2, 4, 12 };
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++)
            for (int m = 0; m < 3; m++) { /* the middle of the chord in the middle of the step, before it, and behind */
                real until = (real)froms[k] * (m == 0 ? 2 : m == 1 ? 3 : (real)1.75);
                simulation *z = throw_at_disc(offsets[i], froms[k], 100);
                record *r = listen(z);
                do_steps(z, 1, until);
                check_reflection(z, r, (real)offsets[i], (real)froms[k], until);
                free(r);
                close_model(z);
            }
}

/* Past it: no event, and the step is one of free flight. */
static void near_miss_is_no_event(void **state)
{
    (void)state;
    static const double offsets[] = { 1.0009765625, 1.25, -2 };
    for (int i = 0; i < 3; i++) {
        simulation *z = throw_at_disc(offsets[i], 4, 100);
        record *r = listen(z);
        do_steps(z, 1, 8);
        assert_int_equal(r->count, 0);
        assert_at_most(REAL(fabs)(z->x.q[0] - 4), ROUND(8));
        assert_at_most(REAL(fabs)(z->x.q[1] - (real)offsets[i]), ROUND(8));
        free(r);
        close_model(z);
    }
}

/* The step would end beyond a wall behind the disc: that the wall is met must not hide the dip before it. */
static void dip_before_another_event(void **state)
{
    (void)state;
    simulation *z = throw_at_disc(0.5, 2, 2);
    record *r = listen(z);
    do_steps(z, 1, (real)4.5);
    check_reflection(z, r, (real)0.5, 2, (real)4.5);
    free(r);
    close_model(z);
}

/* Two discs in a row, the nearer one declared last: the first that is met counts. Head on it goes back as it came. */
static void first_of_two_dips(void **state)
{
    (void)state;
    static const char text[] =
        "local a = point('a', 2); lagrangian(norm2(a.dot)/2)\n"
        "contact('far', norm(a - {4, 0}) - 1, {restitution = 1}); contact('near', norm(a) - 1, {restitution = 1})\n"
        "start { a = {-2, 0.03125}, ['a.dot'] = {1, 0} }";
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    record *r = listen(z);
    real c = REAL(sqrt)(1 - (real)1 / 1024);
    do_steps(z, 1, 8);
    assert_int_equal(r->count, 1);
    assert_string_equal(r->at[0].contact, "near");
    assert_at_most(REAL(fabs)(r->at[0].t - (2 - c)), ROUND(100));
    assert_at_most(REAL(fabs)(z->x.q[0] + c - (1 - 2 * c * c) * (6 + c)), ROUND(1000));
    free(r);
    close_model(z);
}

/* A ball that is thrown down and falls up: the gap is a parabola, as the cubic through its ends says. */
static void parabola_dips_below_a_floor(void **state)
{
    (void)state;
    static const char text[] =
        "local a = point('a', 2); lagrangian(norm2(a.dot)/2 + a.y)\n"
        "contact('floor', a.y, {restitution = 0.5}); start { a = {0, 1.5}, ['a.dot'] = {1, -2} }";
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    record *r = listen(z);
    do_steps(z, 1, 5);
    /* y = 3/2 - 2 t + t^2/2 is 0 at t = 1, with speed 1; then y = u/2 + u^2/2 */
    assert_int_equal(r->count, 1);
    assert_at_most(REAL(fabs)(r->at[0].t - 1), ROUND(64));
    assert_at_most(REAL(fabs)(z->x.q[1] - 10), ROUND(256));
    assert_at_most(REAL(fabs)(z->x.q[0] - 5), ROUND(16));
    free(r);
    close_model(z);
}

/* Into a hill between two valleys, 1 above both: the gap, a cubic along the way, is 1 with slopes -1/10 and 10 at its
   ends. It is not convex: its tangents there meet above zero. */
static void hill_is_hit(void **state)
{
    (void)state;
    static const char text[] = "local a = point('a', 2); lagrangian(norm2(a.dot)/2)\n"
                               "contact('hill', a.y - 10*(1 - a.x)*a.x^2 - a.x*(1 - a.x)^2/10, {restitution = 1})\n"
                               "start { a = {0, 1}, ['a.dot'] = {1, 0} }";
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    record *r = listen(z);
    do_steps(z, 1, 1);
    assert_int_equal(r->count, 1);
    real x = r->at[0].t; /* it has flown at speed 1, and the hill rises by 3 there */
    assert_between(x, 0.3, 0.5);
    assert_at_most(REAL(fabs)(1 - 10 * (1 - x) * x * x - x * (1 - x) * (1 - x) / 10), ROUND(100));
    assert_true(z->x.w[0] < 0);
    free(r);
    close_model(z);
}

/* ---- gaps with several zeros in a step; x = t until something is met ---- */

static void check_turns_back(const char *gaps, const char *contact, real at)
{
    char text[400];
    snprintf(text, sizeof text,
             "local x = coordinate 'x'; lagrangian(x.dot^2/2)\nlocal e = {restitution = 1}\n%s\n"
             "start { x = 0, ['x.dot'] = 1 }",
             gaps);
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    record *r = listen(z);
    do_steps(z, 1, 1);
    assert_true(r->count >= 1);
    assert_string_equal(r->at[0].contact, contact);
    assert_at_most(REAL(fabs)(r->at[0].t - at), ROUND(1000)); /* slopes of the gaps are 0.02 and more */
    assert_at_most(REAL(fabs)(r->at[0].v[0] + 1), ROUND(8));
    free(r);
    close_model(z);
}

/* A gap that begins at zero and opens, closes at 0.1, is open from 0.6 on and closes again just before the end, so
   that a secant leads there: a length at which the gap is below zero, met on the way down to where it has risen, bounds
   the search. */
static void first_zero_of_a_gap_that_opens(void **state)
{
    (void)state;
    check_turns_back("contact('c', x*(1/10 - x)*(6/10 - x)*(4999/5000 - x), e)", "c", (real)1 / 10);
}

/* The search finds the zero of the first gap at 0.9; that of the second at 0.3, where the first one is below zero: it
   has an earlier zero, at 0.2, and must be looked at again. (It falls there: no dip.) */
static void earlier_zero_of_another_gap(void **state)
{
    (void)state;
    check_turns_back("contact('first', (2/10 - x)*(5/10 - x)*(9/10 - x), e); contact('second', 3/10 - x, e)", "first",
                     (real)2 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_zero_of_a_gap_that_opens),
        cmocka_unit_test(earlier_zero_of_another_gap),
        cmocka_unit_test(disc_is_not_passed_through),  cmocka_unit_test(near_miss_is_no_event),
        cmocka_unit_test(dip_before_another_event),    cmocka_unit_test(first_of_two_dips),
        cmocka_unit_test(parabola_dips_below_a_floor), cmocka_unit_test(hill_is_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
