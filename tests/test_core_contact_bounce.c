/* A ball that bounces to rest; impacts of several contacts; states that go on where they were. */
#include "support_contact.h"

/* t_k = t1 (1 + 2 (e + ... + e^k)), t1 = sqrt(2 z0/g); impulse m (1 + e) e^k g t1; rest at t1 (1 + e)/(1 - e). The
   flight is a parabola, of which RATTLE makes no error: what is left are rounding errors, a few at each impact, and
   each is amplified by none after it. */
static void ball_bounces_as_in_the_closed_form(void **unused)
{
    (void)unused;
    simulation *z = open_contact("bouncing-ball", NULL, "rattle", 0, NULL);
    record *r = listen(z);
    real g = (real)981 / 100, e = (real)9 / 10, t1 = REAL(sqrt)(2 / g), t = t1, flight = 2 * t1;
    real energy = X(simulation_energy)(z);
    state clock = save_state(z);
    for (int n = 0; n < 900; n++) {
        do_steps(z, 1, (real)1 / 100);
        X(state_next_time)(&clock, (real)1 / 100, &clock.t, &clock.t_low); /* a step of many pieces takes the time of
                                                                              one */
        assert_true(z->x.t == clock.t && z->x.t_low == clock.t_low);
        real now = X(simulation_energy)(z);
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
    /* It rests when a jump would be lower than 16 ulps of the gap, each 16 eps times a thousandth of the largest
       start value (and what it falls in a step, nothing by then): v = sqrt(2 g 256 eps/1000). Then 2 v/(g (1 - e)) at
       most are missing of the infinitely many jumps. */
    real v = REAL(sqrt)(2 * g * 256 * REAL_EPSILON / 1000), limit = t1 * (1 + e) / (1 - e);
    long last = nth(r, EVENT_REST, 0);
    assert_at_most(r->at[last].t - limit, ROUND(200));
    assert_at_most(limit - r->at[last].t, 2 * v / (g * (1 - e)) * (real)1.2 + ROUND(200));
    assert_int_equal(last, r->count - 1); /* nothing happens after it */
    assert_int_equal(X(simulation_multipliers)(z), TAUT_OK);
    assert_at_most(REAL(fabs)(z->lambda[0] - g), ROUND(20));
    X(state_clear)(z->s, &clock);
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
        simulation *a = open_contact(cases[k].name, NULL, "rattle", 0, NULL),
                   *b = open_contact(cases[k].name, NULL, "rattle", 0, NULL);
        do_steps(a, cases[k].before, (real)cases[k].h);
        X(state_copy)(&a->x, &b->x); /* b has seen none of the phases that a went through */
        do_steps(a, cases[k].after, (real)cases[k].h);
        do_steps(b, cases[k].after, (real)cases[k].h);
        assert_memory_equal(a->x.q, b->x.q, a->s->n * sizeof(real));
        assert_memory_equal(a->x.p, b->x.p, a->s->n * sizeof(real));
        assert_memory_equal(a->x.extra, b->x.extra, a->x.extra_count * sizeof(real));
        close_model(a);
        close_model(b);
    }
}

static int momentum_is_velocity(void *user, const engine_event *event)
{
    const simulation *z = user;
    (void)event;
    assert_true(z->x.p[0] == z->x.w[0] && z->x.p_low[0] == 0); /* of a mass 1 */
    return TAUT_OK;
}

/* An impact leaves momenta that are those of its velocities, without a rest of the sum before it. */
static void impacts_begin_sums_anew(void **state)
{
    (void)state;
    simulation *z = open_contact("bouncing-ball", NULL, "rattle", 0, NULL);
    z->on_event = momentum_is_velocity;
    z->on_event_user = z;
    do_steps(z, 500, (real)1 / 100);
    assert_true(z->event_counts[EVENT_IMPACT] > 5);
    close_model(z);
}

/* Two balls that hit one between them, at once but not as fast; e = 1/2, equal masses. Sequential: the faster pair
   first (2, 0 -> 1/2, 3/2), then the other (3/2, -1 -> -3/8, 7/8), then the first again (1/2, -3/8 -> -5/32, 9/32); all
   numbers are exact. */
static void sequential_impacts_begin_with_the_fastest(void **state)
{
    (void)state;
    static const char text[] = "impact_law 'sequential'; local at = {}; for i = 1, 3 do at[i] = coordinate('x' .. i); "
                               "lagrangian(at[i].dot^2/2) end\n"
                               "contact('slow', at[3] - at[2] - 1, {restitution = 0.5}); contact('fast', at[2] - at[1] "
                               "- 1, {restitution = 0.5})\n"
                               "start { x1 = -2, x2 = 0, x3 = 1.5, ['x1.dot'] = 2, ['x3.dot'] = -1 }";
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    do_steps(z, 3, (real)1 / 4);
    assert_at_most(REAL(fabs)(z->x.w[0] + (real)5 / 32), ROUND(4));
    assert_at_most(REAL(fabs)(z->x.w[1] - (real)9 / 32), ROUND(4));
    assert_at_most(REAL(fabs)(z->x.w[2] - (real)7 / 8), ROUND(4));
    close_model(z);
}

/* A ball of mass 1 at rest at a wall, hit by one of mass 10^8: with restitution 1 the light one goes to and fro pi
   10^4 times, all at one instant (G. Galperin 2003). After a thousand for each contact this is cut short by one plastic
   impact of all, in which everything comes to rest. What the wall then has had is the momentum of both. */
static void endless_impacts_are_cut_short(void **state)
{
    (void)state;
    static const char text[] = "impact_law 'sequential'; local a, b = coordinate 'a', coordinate 'b'\n"
                               "lagrangian((a.dot^2 + 1e8*b.dot^2)/2); local e = {restitution = 1}\n"
                               "contact('wall', a, e); contact('balls', b - a, e)\n"
                               "start { a = 0, b = 1, ['b.dot'] = -1 }";
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    record *r = listen(z);
    do_steps(z, 6, (real)1 / 4);
    /* two impulses of 10^8 meet in a mass of 1: ten ulps of them; and the condition of the impact,
       W = (1, -1; -1, 1 + 1e-8), is 4e8 */
    assert_at_most(REAL(fabs)(z->x.w[0]), ROUND(1e9));
    assert_at_most(REAL(fabs)(z->x.w[1]), ROUND(4e8));
    assert_string_equal(r->at[0].contact, "wall");
    assert_at_most(REAL(fabs)(r->at[0].impulse - (real)1e8), ROUND(4e8 * 1e8));
    free(r);
    close_model(z);
}

/* Between two walls for 10^6 times its way there and back: that is refused at the 100001st impact, and nothing is
   changed. It would be a few seconds of work, and a merged step instead of it leaves the ball at rest. */
static void a_step_of_too_many_impacts_is_refused(void **state)
{
    (void)state;
    static const char text[] = "local x = coordinate 'x'; lagrangian(x.dot^2/2); local e = {restitution = 1}\n"
                               "contact('left', x, e); contact('right', 1 - x, e)\n"
                               "start { x = 0.5, ['x.dot'] = 1 }";
    if (QUAD || SANITIZED) skip(); /* the same lines, slower */
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    do_steps(z, 1, 1000); /* 1000 impacts: an even number of them leads back */
    assert_at_most(REAL(fabs)(z->x.q[0] - (real)1 / 2), ROUND(1e6));
    assert_at_most(REAL(fabs)(z->x.w[0] - 1), ROUND(1e3));
    const real q = z->x.q[0], w = z->x.w[0];
    assert_int_equal(X(simulation_step)(z, 1000000), TAUT_NO_CONVERGENCE);
    assert_non_null(strstr(taut_error_text(z->m->context), "take a smaller step"));
    assert_true(z->x.q[0] == q && z->x.w[0] == w);
    close_model(z);
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

/* A block on four legs at the corners of a rigid frame on the ground: one more contact than can be distinguished. It
   falls flat, and rests. */
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
    assert_int_equal(X(simulation_multipliers)(z), TAUT_OK);
    real sum = z->lambda[0] + z->lambda[1] + z->lambda[2] + z->lambda[3];
    assert_at_most(REAL(fabs)(sum - (real)981 / 100), ROUND(100));
    assert_at_most(largest_of(z->x.q, 3), ROUND(16));
    assert_at_most(largest_of(z->x.w, 3), ROUND(64));
    free(r);
    close_model(z);
}

/* An inertia that couples the normal and the tangential velocity, M = (1, c; c, 1), and e = 1: Newton's and Coulomb's
   laws together would create energy. P0 and P1 (normal, tangential): the impulses of the plastic and of the elastic
   impact at u = (-1, ut), by hand from W = M^-1. Those that are taken lie between them where the energy is that before
   the impact: P'(u + W P/2) = 0. */
static void impact_creates_no_energy(void **state)
{
    (void)state;
    /* ut, mu, in halves and quarters; impulses over the third number; c = 3/5 */
    static const struct { int ut2, mu4, plastic[3], elastic[3]; } cases[] = {
        { 1, 1, { 7, 1, 10 }, { 128, 32, 85 } },   /* sticks; slips */
        { 1, 2, { 7, 1, 10 }, { 17, 7, 10 } },     /* sticks; sticks */
        { 2, 2, { 32, -16, 65 }, { 7, 1, 5 } },    /* slips; sticks */
    };
    real c = (real)3 / 5, W[3] = { (real)25 / 16, (real)-15 / 16, (real)25 / 16 };
    for (int k = 0; k < 6; k++) {
        char text[500];
        real P0[2], P1[2], D[2], P[2], ut = (real)cases[k / 2].ut2 / 2, u[2] = { -1, ut };
        for (int i = 0; i < 2; i++) {
            P0[i] = (real)cases[k / 2].plastic[i] / cases[k / 2].plastic[2];
            P1[i] = (real)cases[k / 2].elastic[i] / cases[k / 2].elastic[2];
            D[i] = P1[i] - P0[i];
        }
        /* in theta, P = P0 + theta D: (D'WD/2) theta^2 + D'(u + W P0) theta + P0'(u + W P0/2) = 0 */
        real WP[2] = { W[0] * P0[0] + W[1] * P0[1], W[1] * P0[0] + W[2] * P0[1] };
        real square = (W[0] * D[0] * D[0] + 2 * W[1] * D[0] * D[1] + W[2] * D[1] * D[1]) / 2;
        real linear = D[0] * (u[0] + WP[0]) + D[1] * (u[1] + WP[1]),
             constant = P0[0] * (u[0] + WP[0] / 2) + P0[1] * (u[1] + WP[1] / 2);
        real theta = (-linear + REAL(sqrt)(linear * linear - 4 * square * constant)) / (2 * square);
        assert_between(theta, 0.1, 0.99); /* or there would be nothing to limit */
        for (int i = 0; i < 2; i++) P[i] = P0[i] + theta * D[i];
        snprintf(
            text, sizeof text,
            "%slocal a = point('a', 2); lagrangian((a.x.dot^2 + 6/5*a.x.dot*a.y.dot + a.y.dot^2)/2)\n"
            "contact('floor', a.y, {friction = %d/4, restitution = 1}); start { a = {0, 1}, ['a.dot'] = {%d/2, -1} }",
            k % 2 ? "impact_law 'sequential'\n" : "", cases[k / 2].mu4, cases[k / 2].ut2);
        simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
        record *r = listen(z);
        real before = X(simulation_energy)(z);
        assert_at_most(REAL(fabs)(before - (ut * ut - 2 * c * ut + 1) / 2), ROUND(8));
        do_steps(z, 6, (real)1 / 4);
        assert_int_equal(r->count, 1);
        assert_at_most(REAL(fabs)(X(simulation_energy)(z) - before), ROUND(16));
        assert_at_most(REAL(fabs)(r->at[0].impulse - P[0]), ROUND(16));
        assert_at_most(REAL(fabs)(z->x.w[0] - u[1] - W[1] * P[0] - W[2] * P[1]), ROUND(32));
        assert_at_most(REAL(fabs)(z->x.w[1] - u[0] - W[0] * P[0] - W[1] * P[1]), ROUND(32));
        free(r);
        close_model(z);
    }
}

/* All within one step, from the ground and from above it. A coordinate that is large, and has nothing to do with it,
   makes the zeros of the gap as coarse as its rounding. v0^2 = 1 + 2 g y; the k-th flight takes 2 e^k v0/g. */
static void many_impacts_in_a_step(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++)
        for (int k = 0; k < 40; k++) {
            char text[400];
            real height = (real)k / 20000, v = REAL(sqrt)(1 + 20 * height), t = (v - 1) / 10, end = (real)17 / 100;
            snprintf(text, sizeof text,
                     "local a = point('a', 2) lagrangian(norm2(a.dot)/2 - 10*a.y) contact('floor', a.y, {restitution = "
                     "0.5})\n"
                     "start { a = {%d, %d/20000}, ['a.dot'] = {0, -1} }",
                     far ? 1000 : 0, k);
            simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
            long impacts = 0;
            for (real u = v; t < end; impacts++) u /= 2, t += u / 5, v = u;
            do_steps(z, 1, end);
            assert_int_equal(z->event_counts[EVENT_IMPACT], impacts);
            assert_at_most(REAL(fabs)(X(simulation_energy)(z) - v * v / 2), far ? ROUND(10000) : ROUND(100));
            close_model(z);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_bounces_as_in_the_closed_form),
        cmocka_unit_test(many_impacts_in_a_step),
        cmocka_unit_test(steps_depend_on_the_state_alone),
        cmocka_unit_test(simultaneous_impacts_have_their_own_restitution),
        cmocka_unit_test(redundant_contacts_rest),
        cmocka_unit_test(impact_creates_no_energy),
        cmocka_unit_test(impacts_begin_sums_anew),
        cmocka_unit_test(sequential_impacts_begin_with_the_fastest),
        cmocka_unit_test(endless_impacts_are_cut_short),
        cmocka_unit_test(a_step_of_too_many_impacts_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
