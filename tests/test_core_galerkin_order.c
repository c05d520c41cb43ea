/* The orders of the Galerkin integrators: Tables 1 and 3 of Man, Gao & Zhong 2020, in the state, on both of the paper's
 * problems and on models with forces, with moving constraints, with a singular mass matrix. */
#include "support_galerkin.h"

static int full_set(void) { return getenv("TAUT_TEST_LONG") != NULL; }

/* Largest error of q and p after `steps` steps of h. */
static real error_after(simulation *z, const state *start, const state *exact, long steps, real h)
{
    uint32_t n = z->s->n;
    X(state_copy)(start, &z->x);
    do_steps(z, steps, h);
    return larger(distance(z->x.q, exact->q, n), distance(z->x.p, exact->p, n));
}

/* The exact state at the end, by LGG, m = 9 (order 16). */
static state exact_state(simulation *z, const state *start, long steps, real h)
{
    X(state_copy)(start, &z->x);
    use_galerkin(z, "LGG", 9);
    do_steps(z, steps, h);
    return save_state(z);
}

/* Orders from h, h/2, h/4. Errors are C h^s (1 + D h^2): the second measurement deviates a quarter as much as the
   first, and 0.15 is what the steps below leave. */
static void check_orders(simulation *z, const char *model, const char *name, int m, const state *start,
                         const state *exact, long steps, real h)
{
    real e[3];
    use_galerkin(z, name, m);
    for (int k = 0; k < 3; k++) e[k] = error_after(z, start, exact, steps << k, h / (1 << k));
    double first = log2((double)(e[0] / e[1])), second = log2((double)(e[1] / e[2]));
    int order = declared_galerkin(z, name, m).order;
    printf("%-16s %s m=%d: order %2d, measured %6.3f %6.3f, last error %.1e\n", model, name, m, order, first, second,
           (double)e[2]);
    /* the last error may be nothing but round-off (m = 9): some hundred ulps of steps and of the reference */
    assert_between(e[2] > 1000 * REAL_EPSILON ? second : first, order - 0.15, order + 0.15);
}

/* T = 4, eta = 0.1, 0.05, 0.025 is the full set, with m up to 9; T = 1 and m up to 5 otherwise. In double the errors of
   the high orders are round-off. */
static void orders_of_the_paper(void **unused)
{
    (void)unused;
    static const char *const models[] = { "spring-pendulum", "triple-pendulum" };
    int longest = full_set(), most = QUAD ? (longest ? 9 : SANITIZED ? 3 : 5) : 3;
    long steps = longest ? 40 : 10;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        simulation *z = open_model(models[i]);
        state start = save_state(z);
        state exact = exact_state(z, &start, steps * (longest ? 8 : 4), (real)1 / (longest ? 80 : 40));
        for (int a = 0; a < ALGORITHMS; a++)
            for (int m = 2; m <= most; m++) {
                /* Up to three equidistant points are Lobatto's. */
                if (algorithms[a][0] == 'E' && m <= 3 && !longest) continue;
                check_orders(z, models[i], algorithms[a], m, &start, &exact, steps, (real)1 / 10);
            }
        X(state_clear)(z->s, &start);
        X(state_clear)(z->s, &exact);
        close_model(z);
    }
}

/* Forces, a moving pivot, a rotating hoop, quaternions (augmented mass matrix): the order does not depend on what the
   model has. */
static void orders_of_other_models(void **unused)
{
    (void)unused;
    static const struct {
        const char *model;
        double h;
    } problems[] = {
        { "damped-pendulum", 0.05 }, { "driven-pendulum", 0.001 }, { "bead-on-hoop", 0.02 }, { "rigid-body", 0.02 }
    };
    static const char *const names[] = { "LLL", "LGL", "LLG", "LGG" };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        simulation *z = open_model(problems[i].model);
        real h = taut_wide_from_double(problems[i].h);
        do_steps(z, 10, h); /* a state with momenta, also where the model starts at rest */
        state start = save_state(z);
        state exact = exact_state(z, &start, 16, h / 4);
        for (int a = 0; a < 4; a++) check_orders(z, problems[i].model, names[a], QUAD ? 3 : 2, &start, &exact, 4, h);
        X(state_clear)(z->s, &start);
        X(state_clear)(z->s, &exact);
        close_model(z);
    }
}

/* docs/reference/man-gao-zhong.md, 18 digits; m = 9 with 40 steps is exact to 20. */
static void spring_pendulum_at_4(void **unused)
{
    (void)unused;
    static const char *const digits[4] = { "-0.594213975301534602", "0", "-0.334720631042577444",
                                           "0.965744896070024460" };
    simulation *z = open_model("spring-pendulum");
    use_galerkin(z, "LGG", 9);
    do_steps(z, 40, (real)1 / 10);
    for (int i = 0; i < 4; i++) {
        wide reference;
        assert_int_equal(taut_wide_parse(digits[i], &reference), 0);
        assert_at_most(REAL(fabs)(z->x.q[i] - (real)reference), QUAD ? 1e-18 : 1e-14);
    }
    close_model(z);
}

/* The reference, claim 2: eta = 0.1, m = 6, T = 4: LLL 2.76e-15, LGG 7.15e-15. */
static void better_energy_is_not_a_better_trajectory(void **unused)
{
    (void)unused;
    if (!QUAD || SANITIZED) skip(); /* errors of 1e-15 */
    simulation *z = open_model("spring-pendulum");
    state start = save_state(z);
    state exact = exact_state(z, &start, 80, (real)1 / 20);
    double error[2];
    for (int i = 0; i < 2; i++) {
        use_galerkin(z, i ? "LGG" : "LLL", 6);
        error[i] = (double)error_after(z, &start, &exact, 40, (real)1 / 10);
    }
    printf("spring-pendulum, m=6, at t = 4: LLL %.3e, LGG %.3e\n", error[0], error[1]);
    assert_between(error[0], 2.755e-15, 2.765e-15);
    assert_between(error[1], 7.145e-15, 7.155e-15);
    X(state_clear)(z->s, &start);
    X(state_clear)(z->s, &exact);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_the_paper),
        cmocka_unit_test(orders_of_other_models),
        cmocka_unit_test(spring_pendulum_at_4),
        cmocka_unit_test(better_energy_is_not_a_better_trajectory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
