/* galerkin:LLL with m points and the constrained Lobatto IIIA-IIIB pair with s = m stages: one scheme when the mass
   matrix is constant, two of the same order when it is not (docs/reference/man-gao-zhong.md, 3). */
#include "support_method.h"

static real difference(const simulation *a, const simulation *b)
{
    real most = 0;
    for (uint32_t i = 0; i < a->s->n; i++) {
        most = real_most(most, a->x.q[i] - b->x.q[i]);
        most = real_most(most, a->x.p[i] - b->x.p[i]);
    }
    return most;
}

/* How far the two are apart at time end, in steps of h. */
static real apart(const char *model, int m, real h, int steps)
{
    char lobatto[40], galerkin[40];
    snprintf(lobatto, sizeof lobatto, "lobatto:s=%d", m);
    snprintf(galerkin, sizeof galerkin, "galerkin:LLL,m=%d", m);
    simulation *a = open_with(model, lobatto), *b = open_with(model, galerkin);
    do_steps(a, steps, h);
    do_steps(b, steps, h);
    real result = difference(a, b);
    close_model(a);
    close_model(b);
    return result;
}

/* 20 steps: momenta of some 70 with multipliers that each solver finds to a few ulps; 1000 eps leaves a digit and
   a half for the growth of rounding errors along this chaotic motion, and is ten digits below the truncation error. */
static void one_scheme_with_constant_mass(void **unused)
{
    (void)unused;
    for (int m = 2; m <= 6; m++) {
        real far = apart("double-spherical-pendulum", m, (real)0.01, 20);
        printf("double spherical pendulum, m = %d: %.1f eps apart\n", m, (double)(far / REAL_EPSILON));
        assert_true(far <= 1000 * REAL_EPSILON);
    }
}

/* Two methods of order 2m-2 are apart by a difference of that order, which is not zero. */
static void two_schemes_when_mass_depends_on_position(void **unused)
{
    (void)unused;
    for (int m = 2; m <= (QUAD ? 5 : 3); m++) {
        real coarse = apart("triple-pendulum", m, (real)0.1, 10), fine = apart("triple-pendulum", m, (real)0.05, 20);
        double order = log2((double)(coarse / fine));
        printf("triple pendulum, m = %d: %.3e apart at h = 0.1, of order %.3f\n", m, (double)coarse, order);
        assert_true(order > 2 * m - 2 - 0.2 && order < 2 * m - 2 + 0.2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_scheme_with_constant_mass),
        cmocka_unit_test(two_schemes_when_mass_depends_on_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
