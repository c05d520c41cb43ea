/* Gonzalez 1999, section 4: four particles on two bars, to the digits of docs/reference/gonzalez.md (an independent
   prototype in double). */
#include "support_keeps.h"
#include "support_method.h"

static const double unit = (double)REAL_EPSILON;

static int is_long(void)
{
    const char *asked = getenv("TAUT_TEST_LONG");
    return asked && *asked && *asked != '0';
}

/* Largest changes so far. */
typedef struct {
    real g, energy, linear, angular, rate[2];
} extremes;

typedef struct {
    real energy, momentum[6];
} kept_values;

static kept_values values_now(simulation *z)
{
    kept_values now = { .energy = X(simulation_energy)(z) };
    for (int i = 0; i < 6; i++) now.momentum[i] = momentum_of(z->s, &z->symmetries[i], z->x.q, z->x.p);
    return now;
}

static void look(simulation *z, const kept_values *first, extremes *most)
{
    real g, rate;
    kept_values now = values_now(z);
    X(simulation_residuals)(z, &g, &rate);
    most->g = larger(most->g, g);
    for (int k = 0; k < 2; k++) most->rate[k] = larger(most->rate[k], REAL(fabs)(z->g_rate[k]));
    most->energy = larger(most->energy, REAL(fabs)(now.energy - first->energy));
    for (int i = 0; i < 6; i++) {
        real *which = z->symmetries[i].type == SYMMETRY_TRANSLATION ? &most->linear : &most->angular;
        *which = larger(*which, REAL(fabs)(now.momentum[i] - first->momentum[i]));
    }
}

static void print_extremes(const char *what, const extremes *e)
{
    printf("%s: |g| %.1e  |dH| %.1e  |dL| %.1e  |dJ| %.1e\n", what, (double)e->g, (double)e->energy, (double)e->linear,
           (double)e->angular);
}

/* dt = 0.01 on [0,10]. The reference has 4e-16, 1.2e-14, 5e-15, 1e-14 in double, with Newton on |dq| < 1e-12. */
static void conservation(void **unused)
{
    (void)unused;
    simulation *z = open_with("four-particles", "em");
    assert_int_equal(z->symmetry_count, 6);
    kept_values first = values_now(z);
    assert_at_most(REAL(fabs)(first.energy - (real)20 / 17), 4 * unit);
    extremes most = { 0 };
    for (int n = 0; n < 1000; n++) {
        do_steps(z, 1, (real)taut_wide_from_double(0.01));
        look(z, &first, &most);
    }
    print_extremes("t = 10", &most);
    assert_at_most(most.g, 4 * unit); /* two ulps of coordinates up to 2.5 */
    assert_at_most(most.energy, 1.2e-14 / 2.2e-16 * unit);
    assert_at_most(most.linear, 5e-15 / 2.2e-16 * unit);
    assert_at_most(most.angular, 1e-14 / 2.2e-16 * unit);
    /* Fig. 3, seven digits */
    printf("velocity constraints %.6e %.6e\n", (double)most.rate[0], (double)most.rate[1]);
    assert_between(most.rate[0], 1.7278075e-5, 1.7278085e-5);
    assert_between(most.rate[1], 1.4179185e-5, 1.4179195e-5);
    close_model(z);
}

/* Growth over 10^6 steps: a walk, that is sqrt(steps) rounding errors. The particles move away from the origin with
   velocity 1/4, so that a rounding of the coordinates grows with the time; constraints, energy (through the forces
   of the bars) and angular momentum see it. */
static void growth(void **unused)
{
    (void)unused;
    long steps = is_long() ? 1000000 : QUAD || SANITIZED ? 2000 : 100000;
    simulation *z = open_with("four-particles", "em");
    kept_values first = values_now(z);
    extremes most = { 0 };
    for (long n = 1; n <= steps; n++) {
        do_steps(z, 1, (real)taut_wide_from_double(0.01));
        if (n % 100 == 0) look(z, &first, &most);
        if (n == 1000 || n == 10000 || n == 100000 || n == steps) {
            char text[40];
            snprintf(text, sizeof text, "%ld steps", n);
            print_extremes(text, &most);
        }
    }
    /* the figures are in docs/accuracy.md; a walk of one ulp a step is ten times what is seen */
    double size = 1 + (double)largest_of(z->x.q, 12), walk = unit * sqrt((double)steps);
    assert_at_most(most.g, 2 * unit * size);
    assert_at_most(most.energy, walk * size);
    assert_at_most(most.linear, walk);
    assert_at_most(most.angular, walk * size);
    close_model(z);
}

/* The same particles with the velocity of their centre of mass, 1/4 along z, taken off. They stay where they are: g is
   a rounding for good, and what the energy has of one sign in a step, 0.01 ulps, is all that grows. */
static void growth_at_rest(void **unused)
{
    (void)unused;
    long steps = is_long() ? 1000000 : QUAD || SANITIZED ? 2000 : 100000;
    simulation *z = open_with("four-particles", "em");
    for (int i = 2; i < 12; i += 3) z->x.w[i] -= (real)0.25;
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, NULL);
    X(system_momentum)(z->s, &at, z->x.p);
    kept_values first = values_now(z);
    extremes most = { 0 };
    for (long n = 100; n <= steps; n += 100) {
        do_steps(z, 100, (real)taut_wide_from_double(0.01));
        look(z, &first, &most);
    }
    print_extremes("at rest", &most);
    double walk = unit * sqrt((double)steps);
    assert_at_most(most.g, 4 * unit);
    assert_at_most(most.energy, walk + 0.02 * unit * (double)steps);
    assert_at_most(most.linear, walk);
    assert_at_most(most.angular, walk);
    close_model(z);
}

/* g'_n + g'_(n+1) = de.dw/(2 L), e and w relative position and velocity across the step. */
static void rates_of_the_constraints(void **unused)
{
    (void)unused;
    simulation *z = open_with("four-particles", "em");
    for (int n = 0; n < 50; n++) {
        real g, rate, sum[2], e[2][3], w[2][3];
        X(simulation_residuals)(z, &g, &rate);
        for (int k = 0; k < 2; k++) {
            sum[k] = z->g_rate[k];
            for (int i = 0; i < 3; i++)
                e[k][i] = z->x.q[6 * k + i] - z->x.q[6 * k + 3 + i],
                w[k][i] = z->x.w[6 * k + i] - z->x.w[6 * k + 3 + i];
        }
        do_steps(z, 1, (real)taut_wide_from_double(0.01));
        X(simulation_residuals)(z, &g, &rate);
        for (int k = 0; k < 2; k++) {
            real product = 0;
            for (int i = 0; i < 3; i++)
                product += (z->x.q[6 * k + i] - z->x.q[6 * k + 3 + i] - e[k][i])
                           * (z->x.w[6 * k + i] - z->x.w[6 * k + 3 + i] - w[k][i]);
            /* a rounding of g, divided by the step of 0.01, is 100 ulps */
            assert_at_most(REAL(fabs)(sum[k] + z->g_rate[k] - product / 2), 400 * unit);
        }
    }
    close_model(z);
}

/* ---- Fig. 4 ---- */

static void run_to(const char *method, long steps, real until, real *q, real *p, real *lambda)
{
    simulation *z = open_with("four-particles", method);
    do_steps(z, steps, until / steps);
    memcpy(q, z->x.q, 12 * sizeof(real));
    memcpy(p, z->x.p, 12 * sizeof(real));
    memcpy(lambda, z->x.lambda, 2 * sizeof(real));
    close_model(z);
}

/* q4 at T = 0.1 against dt = 1e-5: six digits, but for the round-off of both, some ten ulps of q4. */
static void convergence(void **unused)
{
    (void)unused;
    static const struct { long steps; double error;
    } rows[] = {
        { 10, 1.974622e-5 },  { 20, 5.094250e-6 },  { 40, 1.283624e-6 },
        { 100, 2.058166e-7 }, { 200, 5.145495e-8 }, { 1000, 2.038645e-9 },
    };
    static const double reference[] = { 0.996038797621, 0.996270728742, 0.117262174425 };
    real exact[12], q[12], p[12], p_exact[12], lambda[2], until = (real)taut_wide_from_double(0.1), before = 0;
    if (QUAD && !is_long()) skip(); /* 10,000 steps in quad; double shows as much */
    run_to("em", 10000, until, exact, p_exact, lambda);
    for (int i = 0; i < 3; i++) assert_at_most(fabs((double)exact[9 + i] - reference[i]), 6e-13);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        real sum = 0, size = 0;
        run_to("em", rows[r].steps, until, q, p, lambda);
        for (int i = 9; i < 12; i++) sum += (q[i] - exact[i]) * (q[i] - exact[i]), size += exact[i] * exact[i];
        double error = (double)REAL(sqrt)(sum / size);
        real p_error = distance(p, p_exact, 12);
        printf("  dt %.1e  q4 %.6e (reference %.6e)  p %.3e\n", 0.1 / rows[r].steps, error, rows[r].error,
               (double)p_error);
        assert_at_most(fabs(error / rows[r].error - 1), 1e-6 + 1e-14 / rows[r].error);
        if (r == 1 || r == 2) assert_between(before / p_error, 3.8, 4.2); /* momenta are of order 2 as well */
        before = p_error;
    }
}

/* The step's multipliers against those of the exact flow: order 2 at the middle of the step, order 1 at its end. */
static void multipliers_belong_to_the_middle(void **unused)
{
    (void)unused;
    real at_middle[3], at_end[3], until = (real)taut_wide_from_double(0.2);
    for (int r = 0; r < 3; r++) {
        long steps = 20L << r;
        real h = until / steps;
        simulation *z = open_with("four-particles", "em"), *exact = open_with("four-particles", "em");
        do_steps(z, steps, h);
        assert_at_most(REAL(fabs)(*z->x.t_lambda - (until - h / 2)), 4 * unit);
        assert_int_equal(X(simulation_flow)(exact, until - h / 2, (real)1e-13), TAUT_OK);
        assert_int_equal(X(simulation_multipliers)(exact), TAUT_OK);
        at_middle[r] = distance(z->x.lambda, exact->lambda, 2);
        assert_int_equal(X(simulation_flow)(exact, until, (real)1e-13), TAUT_OK);
        assert_int_equal(X(simulation_multipliers)(exact), TAUT_OK);
        at_end[r] = distance(z->x.lambda, exact->lambda, 2);
        printf("  h %.2e  multipliers at t - h/2 %.3e, at t %.3e\n", (double)h, (double)at_middle[r],
               (double)at_end[r]);
        /* what frames report under lambda.NAME belongs to the state, and is of order 2 */
        assert_int_equal(X(simulation_multipliers)(z), TAUT_OK);
        assert_at_most(distance(z->lambda, exact->lambda, 2), 300 * h * h);
        close_model(z);
        close_model(exact);
    }
    for (int r = 0; r < 2; r++) {
        assert_between(at_middle[r] / at_middle[r + 1], 3.7, 4.3);
        assert_between(at_end[r] / at_end[r + 1], 1.8, 2.5);
    }
}

/* 100 steps of 0.01, momenta turned round, back: the reference has 7e-14 in q and 5e-13 in p. The error of p is a
   random walk: the rounding of g(q1), of size eps, comes divided by the step into the velocities. One walk may be twice
   as long as another, so that the mean of several with slightly different steps is compared. */
static void reversibility(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "em", "em:project" };
    enum { WALKS = 30 };
    for (int k = 0; k < 2; k++) {
        real q = 0, p = 0;
        for (int walk = 0; walk < WALKS; walk++) {
            simulation *z = open_with("four-particles", methods[k]);
            state start = save_state(z);
            real h = (real)taut_wide_from_double(0.01) * (1 + (real)(walk - WALKS / 2) / 300);
            do_steps(z, 100, h);
            turn_round(&z->x);
            do_steps(z, 100, h);
            turn_round(&z->x);
            q += distance(z->x.q, start.q, 12) / WALKS, p += distance(z->x.p, start.p, 12) / WALKS;
            X(state_clear)(z->s, &start);
            close_model(z);
        }
        printf("%s back: q %.1e, p %.1e\n", methods[k], (double)q, (double)p);
        assert_at_most(q, 7e-14 / 2.2e-16 * unit);
        assert_at_most(p, 5e-13 / 2.2e-16 * unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation),  cmocka_unit_test(growth), cmocka_unit_test(growth_at_rest),
        cmocka_unit_test(rates_of_the_constraints), cmocka_unit_test(convergence),
        cmocka_unit_test(multipliers_belong_to_the_middle), cmocka_unit_test(reversibility),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
