/* Step tables: Newton's matrix is the derivative of the residual, for every method that is a table and every form of
 * model; what a table says is what is solved. */
#include "support_method.h"

/* Every function of tables occurs in one of these: forces of all kinds, moving constraints, embedded points, both
   forms, rates. */
static const char forced[] = "local a, s = point('a', 2), coordinate 's'\n"
                             "lagrangian((1 + s^2/4)*norm2(a.dot)/2 + s.dot^2/2 + a.x*s.dot - 9.81*a.y - cos(s)*a.x)\n"
                             "local l = constraint('rod', norm2(a) - 4 - s^2/10)\n"
                             "force(s, -s.dot/5 + sin(time())/3 - a.x*s) force(a, {-a.dot.x/7, a.dot.y*s/9})\n"
                             "start { a = {free(1.2), -1.5}, s = 0.3, ['a.dot'] = {free(0.1), 0.2}, ['s.dot'] = 0.4 }";
static const char multiplied[] =
    "local a, s = point('a', 2), coordinate 's'\n"
    "lagrangian(norm2(a.dot)/2 + s.dot^2/2 - 9.81*a.y - s^2)\n"
    "local l = constraint('rod', norm2(a) - 4)\n"
    "force(s, -l*s.dot/50 - l^2/90)\n"
    "start { a = {free(1.2), -1.5}, s = 0.3, ['a.dot'] = {free(0.1), 0.2}, ['s.dot'] = 0.4 }";
static const char moving[] = "local a = point('a', 2)\n"
                             "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                             "constraint('rod', (a.x - sin(time()))^2 + a.y^2 - 1)\n"
                             "start { a = {free(0.1), -0.9}, ['a.dot'] = {free(1), 0.2} }";
static const char hamiltonian[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                                  "local p, q = momentum(x), momentum(y)\n"
                                  "hamiltonian((p^2 + q^2)/(2 + x^2/5) + p*y/9 + x^2*y + exp(x*y/8))\n"
                                  "constraint('c', x^2 + y^2*x/9 - 1)\n"
                                  "start { x = free(0.9), y = 0.4, ['p.x'] = free(0.2), ['p.y'] = 0.7 }";

static const struct {
    const char *model, *method;
} cases[] = {
    { forced, "lobatto:s=2" },
    { forced, "lobatto:s=3" },
    { forced, "galerkin:LGL,m=3" },
    { forced, "galerkin:EGG,m=4" },
    { forced, "del" },
    { forced, "del:left" },
    { forced, "shake" },
    { forced, "euler" },
    { forced, "euler:conjugate" },
    { forced, "rattle" },
    { multiplied, "rattle" },
    { multiplied, "euler:alpha=0.3" },
    { multiplied, "del" },
    { multiplied, "galerkin:m=3" },
    { multiplied, "lobatto:s=3" },
    { moving, "lobatto:s=3" },
    { moving, "galerkin:LGG,m=3" },
    { moving, "del" },
    { moving, "euler:adjoint" },
    { hamiltonian, "lobatto:s=2" },
    { hamiltonian, "lobatto:s=4" },
    { hamiltonian, "euler" },
    { hamiltonian, "euler:natural,adjoint" },
};
static const struct {
    const char *model, *method;
} files[] = {
    { "papers/double-spherical-pendulum-chart", "del" },
    { "papers/jay-simeon-4.1", "euler" },
    { "papers/jay-simeon-4.1", "rattle" },
    { "rigid-body", "lobatto:s=3" },
    { "slider-crank", "rattle" },
    { "henon-heiles", "lobatto:s=3" },
};

/* matrix^-1 (r(x + d u) - r(x - d u))/(2d) = u. Differences of second order with d = eps^(1/3) have errors of eps^(2/3)
   times third derivatives, some 100 here, and multipliers come divided by h^2 = 1/400: 2e-6 in double. In quad the
   matrix, which is in double, is off by 1e-16 times its condition, some 1e6 at the most. A block that is missing or has
   a wrong factor shows as h or more. */
static void check_phase(simulation *z, stepper *r, int phase, real h, const char *what)
{
    real *x, d = REAL(pow)(REAL_EPSILON, (real)1 / 3), worst = 0, size = 0;
    newton_problem p = X(stepper_problem)(r, phase, &z->x, h, &x);
    if (!p.size) return;
    real *u = calloc((size_t)p.size, sizeof *u), *plus = calloc((size_t)p.size, sizeof *u),
         *minus = calloc((size_t)p.size, sizeof *u), *start = calloc((size_t)p.size, sizeof *u);
    memcpy(start, x, (size_t)p.size * sizeof *x);
    for (int i = 0; i < p.size; i++) u[i] = (real)((i * 37 % 19) - 9) / 9;
    if (p.factor) assert_int_equal(p.factor(p.self, x), TAUT_OK);
    for (int i = 0; i < p.size; i++) x[i] = start[i] + d * u[i];
    assert_int_equal(p.residual(p.self, x, plus), TAUT_OK);
    for (int i = 0; i < p.size; i++) x[i] = start[i] - d * u[i];
    assert_int_equal(p.residual(p.self, x, minus), TAUT_OK);
    memcpy(x, start, (size_t)p.size * sizeof *x);
    for (int i = 0; i < p.size; i++) plus[i] = (plus[i] - minus[i]) / (2 * d);
    assert_int_equal(p.solve(p.self, plus), TAUT_OK);
    for (int i = 0; i < p.size; i++) worst = real_most(worst, plus[i] - u[i]), size = real_most(size, u[i]);
    printf("%s, phase %d of %d unknowns: off by %.1e\n", what, phase, p.size, (double)(worst / size));
    assert_at_most(worst / size, QUAD ? 1e-9 : 1e-5);
    free(u), free(plus), free(minus), free(start);
}

static void check(simulation *z, const char *what)
{
    if (z->method.code) fail_msg("%s is not a table", what);
    for (int phase = 0; phase < X(stepper_phases)(z->method.self); phase++) {
        /* multipliers that are not those of the start, and unknowns of the earlier phases */
        do_steps(z, 1, (real)0.01);
        check_phase(z, z->method.self, phase, (real)0.05, what);
    }
}

static void matrix_is_the_derivative(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        simulation *z = open_text(cases[i].model);
        use_method(z, cases[i].method);
        check(z, cases[i].method);
        close_model(z);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        simulation *z = open_with(files[i].model, files[i].method);
        check(z, files[i].method);
        close_model(z);
    }
}

/* An end-of-step phase is the saddle-point problem that kkt.h knows, and is found to be one; a phase whose equations
   give its unknowns is not iterated: neither shows in the number of matrices. */
static void reductions_are_found(void **unused)
{
    (void)unused;
    simulation *z = open_with("papers/double-spherical-pendulum-chart", "del");
    long before = X(method_counts)(&z->method)->calls;
    do_steps(z, 10, (real)0.01);
    assert_int_equal(X(method_counts)(&z->method)->calls - before, 20); /* two iterations a step, though there are three
                                                                           phases */
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(matrix_is_the_derivative),
                                        cmocka_unit_test(reductions_are_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
