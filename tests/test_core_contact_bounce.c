/* A ball that bounces to rest; impacts of several contacts; states that go on where they were. */
#include "support_contact.h"

/* t_k = t1 (1 + 2 (e + ... + e^k)), t1 = sqrt(2 z0/g); impulse m (1 + e) e^k g t1; rest at t1 (1 + e)/(1 - e). The flight is a parabola, of
   which RATTLE makes no error: what is left are roundings, a few at each impact, and each is amplified by none after it. */
static void ball_bounces_as_in_the_closed_form(void **state)
{
    (void)state;
    simulation *z = open_contact("bouncing-ball", NULL, "rattle", 0, NULL);
    record *r = listen(z);
    real g = (real)981 / 100, e = (real)9 / 10, t1 = REAL(sqrt)(2 / g), t = t1, flight = 2 * t1;
    real energy = simulation_energy(z);
    for (int n = 0; n < 900; n++) {
        do_steps(z, 1, (real)1 / 100);
        real now = simulation_energy(z);
        assert_at_most(now - energy, ROUND(40)); /* of an energy of 9.81 */
        assert_at_most(-z->x.q[0], ROUND(1));    /* no penetration */
        energy = now;
    }
    for (long k = 0; k < 60; k++) {
        long i = nth(r, EVENT_IMPACT, k);
        assert_at_most(REAL(fabs)(r->at[i].t - t), ROUND(200));
        assert_at_most(REAL(fabs)(r->at[i].impulse - (1 + e) * REAL(pow)(e, k) * g * t1), ROUND(200));
        flight *= e;
        t += flight;
    }
    /* It rests when a jump would be lower than 16 roundings of the gap, each 16 eps times a thousandth of the largest start value (and what
       it falls in a step, nothing by then): v = sqrt(2 g 256 eps/1000). Then 2 v/(g (1 - e)) at most are missing of the infinitely
       many jumps. */
    real v = REAL(sqrt)(2 * g * 256 * REAL_EPSILON / 1000), limit = t1 * (1 + e) / (1 - e);
    long last = nth(r, EVENT_REST, 0);
    assert_at_most(r->at[last].t - limit, ROUND(200));
    assert_at_most(limit - r->at[last].t, 2 * v / (g * (1 - e)) * (real)1.2 + ROUND(200));
    assert_int_equal(last, r->count - 1); /* nothing happens after it */
    assert_int_equal(simulation_multipliers(z), TAUT_OK);
    assert_at_most(REAL(fabs)(z->lambda[0] - g), ROUND(20));
    free(r);
    close_model(z);
}

/* The step at which a run is looked at does not matter, nor who ran before: a state is all that a step knows. */
static void steps_depend_on_the_state_alone(void **state)
{
    (void)state;
    static const struct { const char *name; double h; long before, after; } cases[] = {
        { "bouncing-ball", 0.05, 150, 30 }, { "block-incline", 0.01, 20, 40 }, { "table-edge", 0.01, 70, 30 },
    };
    for (int k = 0; k < 3; k++) {
        simulation *a = open_contact(cases[k].name, NULL, "rattle", 0, NULL), *b = open_contact(cases[k].name, NULL, "rattle", 0, NULL);
        do_steps(a, cases[k].before, (real)cases[k].h);
        state_copy(&a->x, &b->x); /* b has seen none of the phases that a went through */
        do_steps(a, cases[k].after, (real)cases[k].h);
        do_steps(b, cases[k].after, (real)cases[k].h);
        assert_memory_equal(a->x.q, b->x.q, a->s->n * sizeof(real));
        assert_memory_equal(a->x.p, b->x.p, a->s->n * sizeof(real));
        assert_memory_equal(a->x.extra, b->x.extra, a->x.extra_count * sizeof(real));
        close_model(a);
        close_model(b);
    }
}

/* Two balls that hit two walls at once, with restitutions of their own: each contact has its own. */
static void simultaneous_impacts_have_their_own_restitution(void **state)
{
    (void)state;
    static const char text[] = "local a, b = coordinate 'a', coordinate 'b'; lagrangian((a.dot^2 + 3*b.dot^2)/2)\n"
                               "contact('p', a, {restitution = 0.5}); contact('q', b, {restitution = 0.25})\n"
                               "start { a = 1, b = 2, ['a.dot'] = -2, ['b.dot'] = -4 }";
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    record *r = listen(z);
    do_steps(z, 10, (real)0.0625);
    assert_int_equal(r->count, 2);
    assert_at_most(REAL(fabs)(z->x.w[0] - 1), ROUND(8));
    assert_at_most(REAL(fabs)(z->x.w[1] - 1), ROUND(8));
    assert_at_most(REAL(fabs)(r->at[0].impulse - 3), ROUND(16));
    assert_at_most(REAL(fabs)(r->at[1].impulse - 15), ROUND(64));
    free(r);
    close_model(z);
}

/* A block on four legs at the corners of a rigid frame on the ground: one more contact than can be told apart. It falls flat, and rests. */
static void redundant_contacts_rest(void **state)
{
    (void)state;
    static const char text[] =
        "local m, g = 1, 9.81\n"
        "local z, u, w = coordinate 'z', coordinate 'u', coordinate 'w'\n" /* height, two tilts */
        "lagrangian(m/2*z.dot^2 + (u.dot^2 + w.dot^2)/20 - m*g*z)\n"
        "contact('a', z + u + w); contact('b', z + u - w); contact('c', z - u + w); contact('d', z - u - w)\n"
        "start { z = 1, u = 0, w = 0 }";
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    record *r = listen(z);
    do_steps(z, 100, (real)1 / 100);
    assert_int_equal(simulation_multipliers(z), TAUT_OK);
    real sum = z->lambda[0] + z->lambda[1] + z->lambda[2] + z->lambda[3];
    assert_at_most(REAL(fabs)(sum - (real)981 / 100), ROUND(100));
    assert_at_most(largest_of(z->x.q, 3), ROUND(16));
    assert_at_most(largest_of(z->x.w, 3), ROUND(64));
    free(r);
    close_model(z);
}

/* All within one step, from the ground and from above it. A coordinate that is large, and has nothing to do with it, makes the zeros of the gap as coarse as its
   rounding. v0^2 = 1 + 2 g y; the k-th flight takes 2 e^k v0/g. */
static void many_impacts_in_a_step(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++)
        for (int k = 0; k < 40; k++) {
            char text[400];
            real height = (real)k / 20000, v = REAL(sqrt)(1 + 20 * height), t = (v - 1) / 10, end = (real)17 / 100;
            snprintf(text, sizeof text, "local a = point('a', 2) lagrangian(norm2(a.dot)/2 - 10*a.y) contact('floor', a.y, {restitution = 0.5})\n"
                                        "start { a = {%d, %d/20000}, ['a.dot'] = {0, -1} }", far ? 1000 : 0, k);
            simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
            long impacts = 0;
            for (real u = v; t < end; impacts++) u /= 2, t += u / 5, v = u;
            do_steps(z, 1, end);
            assert_int_equal(z->event_counts[EVENT_IMPACT], impacts);
            assert_at_most(REAL(fabs)(simulation_energy(z) - v * v / 2), far ? ROUND(10000) : ROUND(100));
            close_model(z);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_bounces_as_in_the_closed_form), cmocka_unit_test(many_impacts_in_a_step), cmocka_unit_test(steps_depend_on_the_state_alone),
        cmocka_unit_test(simultaneous_impacts_have_their_own_restitution), cmocka_unit_test(redundant_contacts_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
