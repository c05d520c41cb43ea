/* The Lobatto IIIA-IIIB pair: its coefficients, and its order 2s - 2 in q and p on models of every kind. */
#include "method/tableau.h"
#include "support_method.h"

/* ---- coefficients ---- */

static real power(real x, int k) { return k == 0 ? 1 : x * power(x, k - 1); }

/* Largest defects of the simplifying assumptions (Hairer, Lubich & Wanner II.1.1 and IV.2.2): B(2s-2); C(s) and D(s-2)
   of IIIA; C(s-2) and D(s) of IIIB. */
static real assumptions(const lobatto_pair *t)
{
    int s = t->stages;
    real worst = 0;
    for (int k = 1; k <= 2 * s - 2; k++) {
        real sum = -1 / (real)k;
        for (int i = 0; i < s; i++) sum += t->b[i] * power(t->c[i], k - 1);
        worst = larger(worst, REAL(fabs)(sum));
    }
    for (int k = 1; k <= s; k++)
        for (int i = 0; i < s; i++) {
            real c_a = -power(t->c[i], k) / k, c_A = c_a, d_a = -t->b[i] / k * (1 - power(t->c[i], k)), d_A = d_a;
            for (int j = 0; j < s; j++) {
                c_a += t->a[i][j] * power(t->c[j], k - 1);
                c_A += t->A[i][j] * power(t->c[j], k - 1);
                d_a += t->b[j] * power(t->c[j], k - 1) * t->a[j][i];
                d_A += t->b[j] * power(t->c[j], k - 1) * t->A[j][i];
            }
            worst = larger(worst, larger(REAL(fabs)(c_a), REAL(fabs)(d_A)));
            if (k <= s - 2) worst = larger(worst, larger(REAL(fabs)(c_A), REAL(fabs)(d_a)));
        }
    return worst;
}

/* Sums of at most nine products of numbers up to 1, whose factors are themselves good to a few ulps: 20. */
static void coefficients_meet_their_conditions(void **unused)
{
    (void)unused;
    for (int s = 2; s <= STAGES_MOST; s++) {
        lobatto_pair t;
        real symplectic = 0;
        X(lobatto_pair_find)(s, &t);
        for (int i = 0; i < s; i++) {
            assert_true(t.a[0][i] == 0 && t.A[i][s - 1] == 0); /* exactly: the matrix has no entries there */
            assert_true(t.a[s - 1][i] == t.b[i] && t.A[i][0] == t.b[0]);
            for (int j = 0; j < s; j++)
                symplectic = larger(symplectic, REAL(fabs)(t.b[i] * t.A[i][j] + t.b[j] * t.a[j][i] - t.b[i] * t.b[j]));
        }
        printf("s = %d: assumptions %.1f eps, symplectic %.2f eps\n", s, (double)(assumptions(&t) / REAL_EPSILON),
               (double)(symplectic / REAL_EPSILON));
        assert_at_most(assumptions(&t), 20 * REAL_EPSILON);
        assert_at_most(symplectic, 2 * REAL_EPSILON);
    }
}

/* Hairer, Lubich & Wanner, table II.1.1 and IV.2.2: a_2j = 5/24 1/3 -1/24, and A = 1/6 (1 -1 0; 1 2 0; 1 5 0). */
static void three_stages_as_printed(void **unused)
{
    (void)unused;
    static const int A[3][3] = { { 1, -1, 0 }, { 1, 2, 0 }, { 1, 5, 0 } }, a[3] = { 5, 8, -1 };
    lobatto_pair t;
    X(lobatto_pair_find)(3, &t);
    for (int i = 0; i < 3; i++) {
        assert_at_most(REAL(fabs)(t.a[1][i] - (real)a[i] / 24), REAL_EPSILON);
        for (int j = 0; j < 3; j++) assert_at_most(REAL(fabs)(t.A[i][j] - (real)A[i][j] / 6), REAL_EPSILON);
    }
}

/* ---- order ---- */

#define LARGEST 60
typedef struct {
    real q[LARGEST], p[LARGEST];
} sample;

static sample run_to(simulation *z, const state *start, int stages, real until, long steps)
{
    char text[32];
    sample x = { { 0 }, { 0 } };
    snprintf(text, sizeof text, "lobatto:s=%d", stages);
    use_method(z, text);
    X(state_copy)(start, &z->x);
    do_steps(z, steps, until / steps);
    memcpy(x.q, z->x.q, z->s->n * sizeof(real));
    memcpy(x.p, z->x.p, z->s->n * sizeof(real));
    return x;
}

typedef struct {
    double q, p;
} pair;

/* Errors at `until` with steps, 2 steps, .. against `reference`; the orders between the last two must be 2s - 2 within
   the tolerance. The errors of a symmetric method have even powers of h: the deviation falls fourfold with each
   halving. */
static void check_order(const char *name, simulation *z, const state *start, const sample *reference, int stages,
                        real until, long steps, int levels, double tolerance)
{
    uint32_t n = z->s->n;
    pair error[8], order = { 0, 0 };
    const newton_counts *counts = NULL;
    for (int k = 0; k < levels; k++) {
        sample x = run_to(z, start, stages, until, steps << k);
        error[k] = (pair){ (double)distance(x.q, reference->q, n), (double)distance(x.p, reference->p, n) };
        if (k) order = (pair){ log2(error[k - 1].q / error[k].q), log2(error[k - 1].p / error[k].p) };
    }
    counts = X(method_counts)(&z->method);
    printf("%-26s s = %d: order q %.3f p %.3f   last errors %.1e %.1e   %.1f iterations, %.1f matrices a step\n", name,
           stages, order.q, order.p, error[levels - 1].q, error[levels - 1].p,
           (double)counts->iterations / (double)(steps << (levels - 1)),
           (double)counts->factorisations / (double)(steps << (levels - 1)));
    assert_between(order.q, 2 * stages - 2 - tolerance, 2 * stages - 2 + tolerance);
    assert_between(order.p, 2 * stages - 2 - tolerance, 2 * stages - 2 + tolerance);
}

typedef struct {
    const char *name;
    double until;
    long steps[STAGES_MOST + 1]; /* coarsest number of steps for each number of stages: errors between 1e-3 and the
                                    round-off */
} problem;

static const problem main_problems[] = {
    { "triple-pendulum", 1, { 0, 0, 16, 10, 10, 6, 10, 10, 10, 10 } },
    { "double-spherical-pendulum", 0.5, { 0, 0, 16, 10, 10, 8, 10, 10, 10, 10 } },
};

/* s = 2..5 in double, 2..9 in quad. The reference: nine stages, with the finest of these steps; its error is h^16. */
static void order_is_2s_minus_2(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof main_problems / sizeof *main_problems; i++) {
        const problem *m = &main_problems[i];
        simulation *z = open_model(m->name);
        state start = save_state(z);
        real until = taut_wide_from_double(m->until);
        sample reference = run_to(z, &start, 9, until, QUAD ? 80 : 24);
        for (int s = 2; s <= (QUAD ? 9 : 5); s++)
            check_order(m->name, z, &start, &reference, s, until, m->steps[s], QUAD ? 3 : 2, QUAD ? 0.25 : 0.5);
        X(state_clear)(z->s, &start);
        close_model(z);
    }
}

/* Every kind of model: forces, time in L and in g, rotations, closed loops, Hamiltonians, rates. About 1/20 of the
   fastest period a step. The reference has seven stages (five in double) and the finest step. */
static void order_on_every_kind_of_model(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double h;
        long steps;
    } models[] = {
        { "pendulum", 0.1, 8 },
        { "rigid-body", 0.02, 10 },
        { "slider-crank", 0.002, 10 },
        { "four-bar", 0.01, 10 },
        { "driven-pendulum", 0.001, 10 },
        { "heavy-top", 0.002, 10 },
        { "henon-heiles", 0.2, 10 },
        { "damped-pendulum", 0.05, 10 },
        { "bead-on-hoop", 0.02, 10 },
        { "spring-pendulum", 0.1, 10 },
        { "water", 0.001, 10 },
        { "chain-molecule", 0.05, 10 },
        { "papers/jay-simeon-4.1", 0.1, 10 },
        { "papers/jay-simeon-4.2", 0.1, 10 },
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        simulation *z = open_model(models[i].name);
        state start = save_state(z);
        real until = taut_wide_from_double(models[i].h) * models[i].steps;
        sample reference = run_to(z, &start, QUAD ? 7 : 5, until, 4 * models[i].steps);
        for (int s = 2; s <= (QUAD ? 4 : 3); s++)
            check_order(models[i].name, z, &start, &reference, s, until, models[i].steps, 3, 0.1);
        X(state_clear)(z->s, &start);
        close_model(z);
    }
}

/* ---- against what is known ---- */

/* Jay & Simeon (4.1) is nonlinear in the multiplier and has the solution y1 = z1 = exp(2t), y2 = z2 = exp(-t).
   Independent of the references above. */
static void jay_and_simeon_have_the_solution(void **unused)
{
    (void)unused;
    simulation *z = open_model("papers/jay-simeon-4.1");
    state start = save_state(z);
    double error[2];
    for (int k = 0; k < 2; k++) {
        sample x = run_to(z, &start, QUAD ? 7 : 4, 1, 8 << k);
        real exact[2] = { REAL(exp)(2), REAL(exp)(-1) };
        error[k] = (double)larger(distance(x.q, exact, 2), distance(x.p, exact, 2));
    }
    printf("Jay & Simeon (4.1) at t = 1: errors %.2e %.2e, order %.2f\n", error[0], error[1],
           log2(error[0] / error[1]));
    assert_between(log2(error[0] / error[1]), QUAD ? 11.5 : 5.5, QUAD ? 12.5 : 6.5);
    assert_at_most(error[1], QUAD ? 1e-13 : 1e-6);
    X(state_clear)(z->s, &start);
    close_model(z);
}

/* Positions at t = 30 by an independent program in quad (peers/ref.c; the 25 digits of peers/ref30.inc). In quad eight
   stages with h = 1/30 leave an error of method, 1e-19 (and 3e-17 with 1/20: order 14); in double six stages with 1/20
   leave what 30 time units of this motion make of the rounding errors. */
static void double_spherical_pendulum_at_30(void **unused)
{
    (void)unused;
    static const char *const reference[6] = { "-0.4634090609004144725960132", "-2.18296773674854943732742",
                                              "-3.319624060430685532619887",  "-1.761448452701559047105106",
                                              "-4.047959203483277758954526",  "-5.27842485845460951391239" };
    real exact[6];
    for (int i = 0; i < 6; i++) {
        wide value = 0;
        taut_wide_parse(reference[i], &value);
        exact[i] = (real)value;
    }
    simulation *z = open_model("double-spherical-pendulum");
    state start = save_state(z);
    sample x = run_to(z, &start, QUAD ? 8 : 6, 30, QUAD ? 900 : 600);
    printf("double spherical pendulum at t = 30: error %.2e\n", (double)distance(x.q, exact, 6));
    assert_at_most(distance(x.q, exact, 6), QUAD ? 1e-18 : 1e-11);
    X(state_clear)(z->s, &start);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients_meet_their_conditions),
        cmocka_unit_test(three_stages_as_printed),
        cmocka_unit_test(order_is_2s_minus_2),
        cmocka_unit_test(order_on_every_kind_of_model),
        cmocka_unit_test(jay_and_simeon_have_the_solution),
        cmocka_unit_test(double_spherical_pendulum_at_30),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
