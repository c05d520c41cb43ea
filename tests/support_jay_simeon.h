/* The two test problems of Jay & Simeon: errors at t = 1 in the 2-norm, and comparison with printed figures. */
#ifndef TAUT_TESTS_SUPPORT_JAY_SIMEON_H
#define TAUT_TESTS_SUPPORT_JAY_SIMEON_H

#include "support_method.h"

#define PROBLEM_1 "papers/jay-simeon-4.1"
#define PROBLEM_2 "papers/jay-simeon-4.2"

typedef struct {
    double y, z;
} errors;

/* At t = 1: (4.1) has a closed form; (4.2) by the prototype from which the tables come. */
static inline void exact_solution(const char *model, real *y, real *z)
{
    static const char *const cubic[4] = { "0.47793426019385597", "1.0917029671546436e-3", "-16.632108191110831",
                                          "-0.11397376192433609" };
    if (strcmp(model, PROBLEM_1) == 0) {
        y[0] = z[0] = REAL(exp)(2);
        y[1] = z[1] = REAL(exp)(-1);
        return;
    }
    for (int i = 0; i < 4; i++) {
        wide value = 0;
        taut_wide_parse(cubic[i], &value);
        *(i < 2 ? &y[i] : &z[i - 2]) = (real)value;
    }
}

static inline double norm_of_difference(const real *x, const real *y)
{
    real a = x[0] - y[0], b = x[1] - y[1];
    return (double)REAL(sqrt)(a * a + b * b);
}

static inline errors errors_of(const char *model, const real *y, const real *z)
{
    real exact_y[2], exact_z[2];
    exact_solution(model, exact_y, exact_z);
    return (errors){ norm_of_difference(y, exact_y), norm_of_difference(z, exact_z) };
}

static inline errors errors_at_1(const char *model, const char *method, long steps)
{
    simulation *z = open_with(model, method);
    do_steps(z, steps, 1 / (real)steps);
    errors e = errors_of(model, z->x.q, z->x.p);
    printf("%s %-28s %6ld steps: %.9g %.9g\n", model, method, steps, e.y, e.z);
    close_model(z);
    return e;
}

/* A figure as printed: to half a unit of its last digit, with a little more for its own rounding. */
static inline void assert_digits(double value, double printed, int digits)
{
    double unit = pow(10, floor(log10(fabs(printed))) + 1 - digits);
    if (!(fabs(value - printed) <= 0.6 * unit)) fail_msg("%.12g is not %.*g", value, digits, printed);
}

#endif
