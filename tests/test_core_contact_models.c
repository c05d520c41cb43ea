/* A chain that falls on the ground, a ball over an edge, Newton's cradle; the complementarity problems of contacts. */
#include "contact/lcp.h"

#include "support_contact.h"

/* The energy of a run with impacts: its lowest value so far, and how far it came above that, at the ends of steps and
   just after events. */
typedef struct {
    simulation *z;
    real lowest, growth;
} energies;

static void follow_energy(energies *e)
{
    real energy = X(simulation_energy)(e->z);
    e->growth = REAL(fmax)(e->growth, energy - e->lowest);
    e->lowest = REAL(fmin)(e->lowest, energy);
}

static int follow_event(void *user, const engine_event *event)
{
    (void)event;
    follow_energy(user);
    return TAUT_OK;
}

typedef struct {
    const char *method;
    int links;
    long steps_a_second;
    real until;
    const char *tilt;  /* "0": the chain falls as its own mirror image, and contacts change in pairs */
    const char *bend, *restitution, *height;
} falling;

static falling chain(const char *method, int links, long steps_a_second, real until, const char *tilt)
{
    return (
        falling){ .method = method, .links = links, .steps_a_second = steps_a_second, .until = until, .tilt = tilt };
}

/* Returns the largest growth of the energy. */
static real fall(falling how)
{
    char number[16];
    snprintf(number, sizeof number, "%d", how.links);
    const char *const settings[] = { "N",      number,
                                     "tilt",   how.tilt ? how.tilt : "0.1",
                                     "bend",   how.bend ? how.bend : "0.5",
                                     "e",      how.restitution ? how.restitution : "0.2",
                                     "height", how.height ? how.height : "0.5",
                                     NULL };
    simulation *z = open_contact("falling-chain", NULL, how.method, 0, settings);
    energies e = { z, X(simulation_energy)(z), 0 };
    real depth = 0;
    long iterations = 0;
    z->on_event = follow_event;
    z->on_event_user = &e;
    for (long n = 0; n < (long)(how.until * (real)how.steps_a_second); n++) {
        do_steps(z, 1, (real)1 / (real)how.steps_a_second);
        for (uint32_t i = 1; i < z->s->n; i += 2) depth = REAL(fmax)(depth, -z->x.q[i]);
        follow_energy(&e);
        assert_true(X(simulation_counts)(z).iterations >= iterations); /* also of phases that were thrown away */
        iterations = X(simulation_counts)(z).iterations;
    }
    assert_at_most(depth, ROUND(16)); /* of heights of about 1 */
    if (!how.bend) assert_true(z->event_counts[EVENT_IMPACT] > (how.until > 1 ? 20 : 5));
    if (how.until > 1 && !how.tilt) { /* it has come to rest on the ground */
        assert_at_most(e.lowest, (real)1e-6);
        assert_true(z->event_counts[EVENT_REST] >= 4);
    }
    close_model(z);
    return e.growth;
}

/* em keeps the energy between impacts, and impacts take some: it never grows, at the end of any step and after any
   event, by more than rounding errors (of 5 to begin with), though hundreds of contacts close and are let go. */
static void energy_of_chain_never_grows(void **state)
{
    (void)state;
    int few = SANITIZED || QUAD;
    real until = QUAD ? (real)0.48 : (real)1.2;
    for (int k = 0; k < 2; k++) {
        const char *method = k ? "em" : "em:project";
        assert_at_most(fall(chain(method, few ? 4 : 8, 1000, until, NULL)), ROUND(100));
        if (few) continue;
        assert_at_most(fall(chain(method, 6, 250, until, NULL)), ROUND(100));
        assert_at_most(fall(chain(method, 20, 250, until, NULL)), ROUND(100));
        assert_at_most(fall(chain(method, 6, 500, until, "0")), ROUND(100));
        assert_at_most(fall(chain(method, 10, 500, until, "0")), ROUND(100));
        assert_at_most(fall(chain(method, 12, 100, until, NULL)), ROUND(100)); /* links turn by a third of a radian in a
                                                                                  step */
    }
}

static real next(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (real)(double)(*seed >> 40) / (1 << 23) - 1;
}

static const char *pick(uint64_t *seed, const char *const *list, int count)
{
    return list[(int)((next(seed) + 1) / 2 * (real)count) % count];
}

/* The same for chains, steps and grounds chosen at random: a few, or 500 with TAUT_TEST_LONG=1. Energies are up to
   25. */
static void energy_of_drawn_chains_never_grows(void **state)
{
    (void)state;
    static const char *const methods[] = { "em", "em:project" }, *const tilts[] = { "0", "0.1", "0.3", "-0.2", "0.7" },
                      *const bends[] = { "0", "0.2", "0.5", "1" }, *const restitutions[] = { "0", "0.2", "0.5", "0.8" };
    static const long steps[] = { 1000, 500, 250, 200, 100 };
    if (SANITIZED || QUAD) skip(); /* ten seconds in double */
    uint64_t seed = 362436069362436069ULL;
    int falls = getenv("TAUT_TEST_LONG") ? 500 : 20;
    real most = 0;
    for (int k = 0; k < falls; k++) {
        falling how = { pick(&seed, methods, 2),
                        2 + (int)((next(&seed) + 1) * (real)6.5),
                        steps[(int)((next(&seed) + 1) * (real)2.5) % 5],
                        (real)1.2,
                        pick(&seed, tilts, 5),
                        pick(&seed, bends, 4),
                        pick(&seed, restitutions, 4),
                        "1" };
        real growth = fall(how);
        most = REAL(fmax)(most, growth);
        if (growth > ROUND(3000))
            print_error("%s, %d links, %ld steps, tilt %s, bend %s, e %s: %.2g\n", how.method, how.links,
                        how.steps_a_second, how.tilt, how.bend, how.restitution, (double)growth);
        assert_at_most(growth, ROUND(3000));
    }
    printf("%d falls: the energy grew by at most %.2g\n", falls, (double)most);
}

/* A load that grows lifts a mass off a surface that curves up, like s^3: RATTLE, which follows the surface only as far
   as s^2, would end below it after any step. It is held for the rest of that step, its gap zero though it was let go,
   and is off by O(h^2) from there on. The steps are chosen so that it is let go in their middle. */
static void held_where_it_is_let_go(void **state)
{
    (void)state;
    static const char text[] = "local a = point('a', 2)\n"
                               "lagrangian(norm2(a.dot)/2 - a.y); force(a.y, 2*time())\n"
                               "contact('surface', a.y - a.x^3/6)\n"
                               "start { a = {0, 0}, ['a.dot'] = {1, 0} }";
    simulation *z = open_contact(NULL, text, "lobatto:s=3", 0, NULL);
    record *r = listen(z);
    do_steps(z, 600, (real)1 / 300);
    real release = r->at[nth(r, EVENT_RELEASE, 0)].t, y = z->x.q[1], error[3], step[3];
    free(r);
    close_model(z);
    for (int k = 0; k < 3; k++) {
        long before = 20 << k, steps;
        step[k] = release / ((real)before + (real)0.5);
        steps = (long)(2 / step[k]);
        z = open_contact(NULL, text, "rattle", 0, NULL);
        do_steps(z, before + 1, step[k]);
        assert_int_equal(z->event_counts[EVENT_RELEASE], 1);
        assert_at_most(REAL(fabs)(z->x.q[1] - z->x.q[0] * z->x.q[0] * z->x.q[0] / 6), ROUND(4));
        for (long n = before + 1; n < steps; n++) {
            do_steps(z, 1, step[k]);
            assert_true(z->x.q[1] - z->x.q[0] * z->x.q[0] * z->x.q[0] / 6 > (real)0.01 * step[k] * step[k] * step[k]);
        }
        do_steps(z, 1, 2 - (real)steps * step[k]);
        error[k] = z->x.q[1] - y;
        assert_int_equal(z->event_counts[EVENT_RELEASE], 1);
        assert_int_equal(z->event_counts[EVENT_IMPACT], 0);
        close_model(z);
    }
    for (int k = 0; k < 2; k++)
        assert_between(REAL(log)(error[k] / error[k + 1]) / REAL(log)(step[k] / step[k + 1]), 1.9, 2.1);
}

/* Under a method of order 1, whose error is larger than the gap that opens, it is lifted onto the surface: never below
   it, let go once, and right in the limit with order 1. */
static void lifted_by_a_method_of_order_1(void **state)
{
    (void)state;
    static const char text[] = "local a = point('a', 2)\n"
                               "lagrangian(norm2(a.dot)/2 - a.y); force(a.y, 2*time())\n"
                               "contact('surface', a.y - a.x^3/6)\n"
                               "start { a = {0, 0}, ['a.dot'] = {1, 0} }";
    simulation *z = open_contact(NULL, text, "lobatto:s=3", 0, NULL);
    do_steps(z, 600, (real)1 / 300);
    real y = z->x.q[1], error[2];
    close_model(z);
    for (int k = 0; k < 2; k++) {
        z = open_contact(NULL, text, "euler", 0, NULL);
        for (int n = 0; n < 200 << k; n++) {
            do_steps(z, 1, (real)1 / (100 << k));
            assert_at_most(z->x.q[0] * z->x.q[0] * z->x.q[0] / 6 - z->x.q[1], ROUND(16));
        }
        error[k] = z->x.q[1] - y;
        close_model(z);
    }
    assert_between(REAL(log2)(error[0] / error[1]), 0.8, 1.2);
}

/* Velocities of em, without `project`, are off the constraints. An impact, elastic as it may be, takes that part of
   them away first: with it the balance of the impact would not be that of the motion, and the energy (of 10) would
   grow. */
static void em_hits_a_wall(void **state)
{
    (void)state;
    static const char text[] = "local a, b = point('a', 2), point('b', 2)\n"
                               "lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2 - 9.81*(a.y + b.y))\n"
                               "constraint('upper', (norm2(a) - 1)/2); constraint('lower', (norm2(b - a) - 1)/2)\n"
                               "contact('wall', b.x + 0.3, {restitution = 1})\n"
                               "start { a = {1, 0}, b = {1, 1} }";
    simulation *z = open_contact(NULL, text, "em", 0, NULL);
    energies e = { z, X(simulation_energy)(z), 0 };
    z->on_event = follow_event;
    z->on_event_user = &e;
    for (int n = 0; n < 2000; n++) {
        do_steps(z, 1, (real)1 / 100);
        follow_energy(&e);
    }
    assert_true(z->event_counts[EVENT_IMPACT] > 10);
    assert_at_most(e.growth, ROUND(1000)); /* a rounding a step */
    close_model(z);
}

/* Under RATTLE too. In quad as far as to where substeps would be less than rounding errors; it comes to rest
   after ten thousand impacts there. */
static void chain_falls(void **state)
{
    (void)state;
    fall(chain("rattle", SANITIZED ? 4 : 8, 1000, QUAD ? (real)0.48 : (real)1.2, NULL));
}

/* Its energy oscillates by O(h^2) between impacts, and that is all that the growth is. */
static void chain_under_rattle_gains_by_its_error(void **state)
{
    (void)state;
    if (SANITIZED || QUAD) skip(); /* 6000 steps and their impacts */
    real coarse = fall(chain("rattle", 8, 1000, (real)1.2, NULL));
    real fine = fall(chain("rattle", 8, 4000, (real)1.2, NULL));
    assert_between(coarse / fine, 5, 60); /* 16, but the two are not the same motion after some impacts */
    assert_at_most(fine, 1e-4);
}

/* Rolls to the end: cos = (10 + 7 k)/17, k = v^2/(g r); slides without friction: cos = (2 + k)/3. Order 2 in h. */
static void ball_leaves_the_edge(void **state)
{
    (void)state;
    real k = (real)0.09 / ((real)9.81 * (real)0.1);
    for (int rolls = 0; rolls < 2; rolls++) {
        const char *const settings[] = { "mu", rolls ? "1000" : "0", NULL };
        real expected = rolls ? (10 + 7 * k) / 17 : (2 + k) / 3, error[3];
        for (int fine = 0; fine < 3; fine++) {
            simulation *z = open_contact("table-edge", NULL, "rattle", 0, settings);
            record *r = listen(z);
            /* the corner, where the curvature of the surface jumps, is reached at t = 2/3, the end of a step: one that
               went over it would be of order 1 */
            do_steps(z, 150 << fine, (real)1 / (150 << fine));
            long i = nth(r, EVENT_RELEASE, 0);
            /* the angle: the centre is at r (sin, cos) */
            error[fine] = r->at[i].q[1] * 10 - expected;
            assert_int_equal(z->event_counts[EVENT_IMPACT], 0);
            free(r);
            close_model(z);
        }
        assert_between((error[0] - error[1]) / (error[1] - error[2]), 3.7, 4.3);
        /* without the error of order 2: it rolls until the normal force is a thousandth of the tangential one, not to
           the very end */
        assert_at_most(REAL(fabs)(error[2] + (error[2] - error[1]) / 3), rolls ? 2e-5 : 1e-7);
    }
}

/* One ball in, one ball out: the impact of the first goes through the row. Impulses are all m v, energy and momentum
   are kept to rounding errors of numbers of about 1. */
static void cradle_hands_over(void **state)
{
    (void)state;
    simulation *z = open_contact("newtons-cradle", NULL, "rattle", 0, NULL);
    record *r = listen(z);
    real speed = 0;
    for (int n = 0; n < 100 && !r->count; n++) do_steps(z, 1, (real)1 / 100);
    assert_int_equal(r->count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r->at[i].kind, EVENT_IMPACT);
        speed = r->at[0].impulse;
        assert_at_most(REAL(fabs)(r->at[i].impulse - speed), ROUND(32));
        assert_at_most(REAL(fabs)(r->at[i].v[2 * i]), ROUND(32)); /* balls 1 to 4 stand still */
    }
    /* sqrt(2 g l (1 - cos)), with RATTLE's error */
    real v = REAL(sqrt)(2 * (real)9.81 * (1 - REAL(cos)((real)0.5)));
    assert_at_most(REAL(fabs)(speed - v), (real)1e-3);
    /* there and back: the first ball comes in again with what it had, the others stand */
    do_steps(z, 300, (real)1 / 100);
    assert_int_equal(z->event_counts[EVENT_IMPACT] % 4, 0);
    assert_true(z->event_counts[EVENT_IMPACT] >= 12);
    assert_int_equal(z->event_counts[EVENT_IMPACT], r->count);
    for (long i = 0; i < r->count; i++) assert_at_most(REAL(fabs)(r->at[i].impulse - v), (real)1e-3);
    free(r);
    close_model(z);
}

/* Unequal balls, mass ratio^(1 - k), that touch. One after the other (sequential): v_k and v_N of
   models/unequal-cradle; ordered, so that no pair meets again. All at once: the others leave like one ball. Both keep
   energy and momentum. The speed before it is that of the first impulse, 2 m1 m2/(m1 + m2) v, or with all others for
   m2; under em it is that of the fall, but for O(h^4) that putting velocities onto the rods takes. */
static void unequal_cradle(void **state)
{
    (void)state;
    static const char *const ratios[] = { "2", "0.5", "1.25" };
    static const real ratio_of[] = { 2, (real)1 / 2, (real)5 / 4 };
    for (int k = 0; k < 6; k++) {
        int at_once = k % 2;
        real ratio = ratio_of[k / 2], pass = 2 * ratio / (1 + ratio), mass[4], others = 0, energy = 0, momentum = 0;
        const char *const settings[] = { "N", "4", "ratio", ratios[k / 2],
                                         "law", at_once ? "simultaneous" : "sequential", NULL };
        simulation *z = open_contact("unequal-cradle", NULL, "em", 0, settings);
        record *r = listen(z);
        for (int n = 0; n < 100 && !r->count; n++) do_steps(z, 1, (real)1 / 100);
        assert_int_equal(r->count, 3);
        for (int i = 0; i < 4; i++) mass[i] = i ? mass[i - 1] / ratio : 1;
        for (int i = 1; i < 4; i++) others += at_once || i == 1 ? mass[i] : 0;
        real v = r->at[0].impulse * (1 + others) / (2 * others);
        for (int i = 0; i < 4; i++) {
            real part = i == 3 ? 1 : (ratio - 1) / (ratio + 1), expected = v * part, is = r->at[0].v[2 * i];
            for (int n = 0; n < i; n++) expected *= pass;
            if (at_once) expected = v * (i ? 2 : 1 - others) / (1 + others);
            assert_at_most(REAL(fabs)(is - expected), ROUND(64) * v);
            energy += mass[i] * is * is;
            momentum += mass[i] * is;
        }
        assert_at_most(REAL(fabs)(energy - v * v), ROUND(64) * v * v);
        assert_at_most(REAL(fabs)(momentum - v), ROUND(64) * v);
        assert_at_most(REAL(fabs)(v - REAL(sqrt)(2 * (real)9.81L * (1 - REAL(cos)((real)0.5)))), (real)1e-9);
        free(r);
        close_model(z);
    }
}

/* Three equal balls that touch, hit by a fourth, all at once: the complementarity problem with Newton's law has every
   ball move. */
static void simultaneous_cradle_is_another_law(void **state)
{
    (void)state;
    static const char text[] =
        "local at = {}; for i = 1, 3 do at[i] = coordinate('x' .. i); lagrangian(at[i].dot^2/2) end\n"
        "contact('p', at[2] - at[1] - 1, {restitution = 1}); contact('q', at[3] - at[2] - 1, {restitution = 1})\n"
        "start { x1 = -1.5, x2 = 0, x3 = 1, ['x1.dot'] = 1 }";
    simulation *z = open_contact(NULL, text, "rattle", 0, NULL);
    do_steps(z, 10, (real)1 / 10);
    /* u_p+ = 1, u_q+ = 0, momentum 1: v = -1/3, 2/3, 2/3; energy (1 + 4 + 4)/9 = 1, as before */
    assert_at_most(REAL(fabs)(z->x.w[0] + (real)1 / 3), ROUND(8));
    assert_at_most(REAL(fabs)(z->x.w[1] - (real)2 / 3), ROUND(8));
    assert_at_most(REAL(fabs)(z->x.w[2] - (real)2 / 3), ROUND(8));
    close_model(z);
}

/* ---- complementarity ---- */

enum { CONTACTS = 4, ROWS = 3 * CONTACTS, COORDINATES = 7 }; /* W of rank 7 only */

/* u = W P + b: the conditions of X(cone_solve), with random positive semidefinite W and b in its range (friction in one
   or two dimensions). */
static void cone_problems_are_solved(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252ULL;
    taut_context *context = taut_context_create(NULL);
    for (int trial = 0; trial < 60; trial++) {
        real J[ROWS][COORDINATES], v[COORDINATES], W[ROWS * ROWS], b[ROWS], P[ROWS], u[ROWS];
        cone_contact c[CONTACTS];
        int rows = 0, tangents = trial % 3, contacts = tangents == 2 ? 2 : CONTACTS;
        for (int i = 0; i < contacts; i++) {
            c[i] = (cone_contact){ .first = rows, .tangents = tangents, .mu = tangents ? (real)0.4 : 0 };
            rows += 1 + tangents;
        }
        for (int k = 0; k < COORDINATES; k++) v[k] = next(&seed);
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < COORDINATES; k++) J[r][k] = next(&seed);
        for (int r = 0; r < rows; r++) {
            b[r] = 0;
            for (int k = 0; k < COORDINATES; k++) b[r] += J[r][k] * v[k];
            for (int s = 0; s < rows; s++) {
                W[r * rows + s] = 0;
                for (int k = 0; k < COORDINATES; k++) W[r * rows + s] += J[r][k] * J[s][k];
            }
        }
        assert_int_equal(X(cone_solve)(context, contacts, c, rows, W, b, P), TAUT_OK);
        real power = 0, tolerance = ROUND(1e5);
        for (int r = 0; r < rows; r++) {
            u[r] = b[r];
            for (int s = 0; s < rows; s++) u[r] += W[r * rows + s] * P[s];
            power += P[r] * (u[r] + b[r]) / 2;
        }
        assert_at_most(power, tolerance); /* a plastic impact creates no energy */
        for (int i = 0; i < contacts; i++) {
            int n = c[i].first;
            real most = c[i].mu * P[n], x = tangents ? P[n + 1] : 0, y = tangents == 2 ? P[n + 2] : 0;
            real ux = tangents ? u[n + 1] : 0, uy = tangents == 2 ? u[n + 2] : 0, speed = REAL(sqrt)(ux * ux + uy * uy);
            assert_at_most(-P[n], 0);
            assert_at_most(-u[n], tolerance);
            assert_at_most(REAL(fabs)(P[n] * u[n]), tolerance);
            assert_at_most(REAL(sqrt)(x * x + y * y) - most, tolerance);
            /* against the slip, and all of it where there is slip */
            assert_at_most(REAL(fabs)(x * ux + y * uy + most * speed), 10 * tolerance);
        }
    }
    taut_context_destroy(context);
}

/* Two ends of a rod on the ground, M = (1, 1/2; 1/2, 1), which are pulled upwards by more and more: F = 20 t - 1 and
   12 t - 1. In the first step after t = 1/12 both contacts pull. The one that pulls most is let go; the other then
   presses, with F_strong/2 - F_weak = 1/2 - 2 t, up to t = 1/4. To let go of the other one first would open both. */
static void active_set_lets_go_of_what_pulls_most(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        char text[400];
        snprintf(text, sizeof text,
                 "local y1, y2 = coordinate 'y1', coordinate 'y2'\n"
                 "lagrangian((y1.dot^2 + y2.dot^2 + y1.dot*y2.dot)/2)\n"
                 "force(y1, %d*time() - 1); force(y2, %d*time() - 1); contact('c1', y1); contact('c2', y2)\n"
                 "start { y1 = 0, y2 = 0 }",
                 strong ? 12 : 20, strong ? 20 : 12);
        simulation *z = open_contact(NULL, text, "euler", 1, NULL);
        record *r = listen(z);
        do_steps(z, 2, (real)1 / 10);
        assert_int_equal(r->count, 1);
        assert_int_equal(r->at[0].kind, EVENT_RELEASE);
        assert_string_equal(r->at[0].contact, strong ? "c2" : "c1");
        assert_true(contact_mode_of(&z->x, strong ? 0 : 1) == MODE_CLOSED);
        free(r);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_set_lets_go_of_what_pulls_most),
        cmocka_unit_test(energy_of_chain_never_grows),
        cmocka_unit_test(energy_of_drawn_chains_never_grows),
        cmocka_unit_test(held_where_it_is_let_go),
        cmocka_unit_test(lifted_by_a_method_of_order_1),
        cmocka_unit_test(em_hits_a_wall),
        cmocka_unit_test(chain_falls),
        cmocka_unit_test(chain_under_rattle_gains_by_its_error),
        cmocka_unit_test(ball_leaves_the_edge),
        cmocka_unit_test(cradle_hands_over), cmocka_unit_test(unequal_cradle),
        cmocka_unit_test(simultaneous_cradle_is_another_law),
        cmocka_unit_test(cone_problems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
