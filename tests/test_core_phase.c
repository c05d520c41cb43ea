/* Systems on phase space, by the Dirac algorithm, under dirac:SCHEME: against solutions known otherwise. */
#include "support.h"

#define EPS ((double)REAL_EPSILON)

static taut_context *context;
static model *m; /* as loaded; a simulation of it may have its own */
static char message[TAUT_ERROR_TEXT];

static simulation *open_as(const char *text, engine_options options)
{
    simulation *z = NULL;
    context = taut_context_create(NULL);
    assert_non_null(context);
    int status = taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    snprintf(message, sizeof message, "%s", status ? taut_error_text(context) : "");
    return z;
}

static simulation *open_with(const char *text, const char *method)
{
    simulation *z = open_as(text, (engine_options){ .method = method });
    if (!z) fail_msg("%s", message);
    return z;
}

static void close_all(simulation *z)
{
    if (z) X(simulation_destroy)(z);
    taut_model_free(m);
    taut_context_destroy(context);
}

static real column(simulation *z, const char *name)
{
    real values[100];
    char here[200];
    assert_int_equal(X(simulation_frame)(z, values), TAUT_OK);
    for (size_t i = 0; i < X(simulation_column_count)(z); i++) {
        X(simulation_column_name)(z, i, here, sizeof here);
        if (strcmp(here, name) == 0) return values[i];
    }
    fail_msg("no column %s", name);
    return 0;
}

/* q2 = q1^2, q1 = cos t (models/papers/dirac-second-class.lua); velocities are q' of the bracket, observables are in
   them. */
static const char second_class[] = "local q1, q2 = coordinate 'q1', coordinate 'q2'\n"
                                   "lagrangian(q1.dot^2/2 - q1^2/2 - (q2 - q1^2)^2/2)\n"
                                   "observe('speed', q2.dot); start { q1 = 1, q2 = 1 }";

static void known_solution(void **state)
{
    (void)state;
    simulation *z = open_with(second_class, "dirac:gauss,s=5");
    do_steps(z, 10, (real)1 / 10);
    /* order 10: h^10 times a derivative of cos over 10! (stages)^2 is below 1e-19; in double round-off of ten steps */
    real tolerance = QUAD ? (real)1e-17 : (real)1e-14;
    assert_at_most(REAL(fabs)(column(z, "q1") - REAL(cos)(1)), tolerance);
    assert_at_most(REAL(fabs)(column(z, "q2") - REAL(cos)(1) * REAL(cos)(1)), tolerance);
    assert_at_most(REAL(fabs)(column(z, "q1.dot") + REAL(sin)(1)), tolerance);
    assert_at_most(REAL(fabs)(column(z, "q2.dot") + REAL(sin)(2)), 3 * tolerance);
    assert_at_most(REAL(fabs)(column(z, "speed") + REAL(sin)(2)), 3 * tolerance);
    assert_at_most(REAL(fabs)(column(z, "energy") - (real)0.5), tolerance); /* H_c = cos^2/2 + sin^2/2 */
    assert_at_most(column(z, "constraint"), 20 * EPS); /* quadratic: kept by Gauss */
    close_all(z);
}

/* The pendulum with its multiplier as a coordinate: four generations. The solution has the period (4/sqrt 6) K(m =
   2/3), by the arithmetic-geometric mean: independent of any integration. */
static const char tension[] = "local x, y, l = coordinate 'x', coordinate 'y', coordinate 'l'\n"
                              "lagrangian(x.dot^2/2 + y.dot^2/2 - y + l*(x^2 + y^2 - 1)/2)\n"
                              "start { x = 1, y = 0, l = free(0), ['y.dot'] = -2 }";

static real period(void)
{
    real a = 1, b = REAL(sqrt)((real)1 / 3);
    for (int i = 0; i < 8; i++) {
        real mean = (a + b) / 2;
        b = REAL(sqrt)(a * b);
        a = mean;
    }
    return 4 / REAL(sqrt)(6) * (REAL(acos)(-1) / (2 * a));
}

static real error_after_period(const char *method, long steps)
{
    simulation *z = open_with(tension, method);
    assert_int_equal(z->s->c, 4);
    assert_true(REAL(fabs)(z->x.q[2] + 4) <= 8 * REAL_EPSILON); /* l = y - p^2 */
    state begin = save_state(z);
    do_steps(z, steps, period() / steps);
    real error = larger(distance(z->x.q, begin.q, 3), distance(z->x.p, begin.p, 3));
    X(state_clear)(z->s, &begin);
    close_all(z);
    return error;
}

static void orders(void **state)
{
    (void)state;
    static const struct { const char *method; int order; long steps; } cases[] = {
        { "dirac:rk4", 4, 200 }, { "dirac:midpoint", 2, 200 }, { "dirac:gauss", 4, 60 }, { "dirac:gauss,s=3", 6, 30 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        real coarse = error_after_period(cases[i].method, cases[i].steps),
             fine = error_after_period(cases[i].method, 2 * cases[i].steps);
        double order = log2((double)(coarse / fine));
        if (!(fine < (real)0.01)) fail_msg("%s is off by %g", cases[i].method, (double)fine);
        /* a nonlinear problem far from h = 0: a quarter of an order */
        assert_between(order, cases[i].order - 0.25, cases[i].order + 0.35);
    }
    assert_at_most(error_after_period("dirac:rkf45,tol=1e-9", 10),
                   1e-6); /* some hundred steps of 1e-9, amplified by the drift in phase */
}

/* p.l is linear, phi and psi are quadratic: first integrals that the Gauss methods keep. */
static void constraints_are_kept(void **state)
{
    (void)state;
    simulation *z = open_with(tension, "dirac:gauss");
    do_steps(z, 100, (real)1 / 20);
    const real *q = z->x.q, *p = z->x.p;
    assert_at_most(REAL(fabs)(q[0] * q[0] + q[1] * q[1] - 1), 100 * EPS);
    assert_at_most(REAL(fabs)(q[0] * p[0] + q[1] * p[1]), 200 * EPS);
    assert_at_most(REAL(fabs)(p[2]), 10 * EPS);
    close_all(z);
}

static const char partly[] = "local q1, q2, q3 = coordinate 'q1', coordinate 'q2', coordinate 'q3'\n"
                             "lagrangian((q1.dot - q3*q2)^2/2 + (q2.dot + q3*q1)^2/2 - (q1^2 + q2^2)^2/4)\n"
                             "gauge('rate', q3 - sin(time())*q1); start { q1 = 1, q2 = 0, q3 = 0, ['q1.dot'] = 1 }";

/* Newton's matrix of one stage with a = h = 1 is I - F': against central differences of F along the solutions. 1e-5 is
   a third of the digits of double; the error of the difference is its square, and more is lost to rounding. */
static void check_matrix(const char *text, uint32_t constraints)
{
    simulation *z = open_with(text, "dirac");
    void *f;
    const formulation_class *class = &X(formulation_bracket);
    const int n = (int)z->s->n, n2 = 2 * n;
    real one = 1, t = (real)0.3, step = (real)1e-5, at[6], up[6], down[6], r[6], x[6];
    assert_int_equal(z->s->c, constraints);
    assert_int_equal(class->create(z->s, &f), TAUT_OK);
    assert_int_equal(class->stages_create(f, 1, &one), TAUT_OK);
    /* off the manifold as well */
    for (int i = 0; i < n; i++) at[i] = z->x.q[i] + (real)0.1 * i, at[n + i] = z->x.p[i] + (real)0.2;
    assert_int_equal(class->stages_factor(f, 1, &t, at), TAUT_OK);
    for (int j = 0; j < n2; j++) {
        for (int i = 0; i < n2; i++) x[i] = i == j;
        assert_int_equal(class->stages_solve(f, x), TAUT_OK);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < n2; i++) r[i] = at[i] + (side ? -step : step) * x[i];
            assert_int_equal(class->evaluate(f, t, r, side ? down : up), TAUT_OK);
        }
        for (int i = 0; i < n2; i++) r[i] = x[i] - (up[i] - down[i]) / (2 * step);
        for (int i = 0; i < n2; i++)
            assert_at_most(REAL(fabs)(r[i] - (i == j)), 1e-7 * (1 + (double)largest_of(x, (uint32_t)n2)));
    }
    class->destroy(f);
    close_all(z);
}

static void matrix_is_the_derivative(void **state)
{
    (void)state;
    static const char text[] = "local x, y = coordinate 'x', coordinate 'y'; local t = time()\n"
                               "hamiltonian(momentum(x)^2/2*(1 + y^2) + momentum(y)^2/2 + x^2/2 + y^4/4 + x*y*sin(t))\n"
                               "constraint('a', momentum(y) - x*momentum(x) + t*x/3)\n"
                               "start { x = 1, y = free(0.3), ['p.x'] = 0.2, ['p.y'] = free(0) }";
    check_matrix(text, 2);
    check_matrix(partly, 3); /* one of them is first class */
}

/* Two vortices of strengths 1 and 3 at distance 2 turn about their centre with the rate (1 + 3)/(2 pi 2^2). */
static void vortices(void **state)
{
    (void)state;
    static const char text[] =
        "local x1, y1, x2, y2 = coordinate 'x1', coordinate 'y1', coordinate 'x2', coordinate 'y2'\n"
        "lagrangian(x1.dot*y1 + 3*x2.dot*y2 + 3/(4*pi)*log((x1 - x2)^2 + (y1 - y2)^2))\n"
        "start { x1 = 1.5, y1 = 0, x2 = -0.5, y2 = 0 }"; /* the centre is the origin */
    simulation *z = open_with(text, "dirac:gauss,s=6");
    real rate = 4 / (2 * REAL(acos)(-1) * 4);
    do_steps(z, 20, (real)1 / 2);
    real angle = 10 * rate; /* (x,y)' = (H_y, -H_x)/strength with H = -3 log(r^2)/(4 pi): counter-clockwise is x' = -y
                               rate */
    /* order 12 with h rate = 0.08: the diagonal Pade approximation leaves 20 (0.08)^13 6!^2/(12! 13!) = 2e-29 of the
       rotation; the stages, which are off the circle, some orders of magnitude more */
    real tolerance = QUAD ? (real)1e-20 : (real)1e-14;
    assert_at_most(REAL(fabs)(z->x.q[0] - (real)1.5 * REAL(cos)(angle)), tolerance);
    assert_at_most(REAL(fabs)(REAL(fabs)(z->x.q[1]) - (real)1.5 * REAL(sin)(angle)), tolerance);
    assert_at_most(REAL(fabs)(z->x.q[2] + (real)0.5 * REAL(cos)(angle)), tolerance);
    close_all(z);
}

/* (12) in a repulsive potential: without angular momentum r = cosh t, whatever the gauge. */
static void gauges_agree(void **state)
{
    (void)state;
    /* the last determines the multiplier, and not the angle that it starts with */
    static const char *const gauges[] = { "gauge('angle', q2)",
                                          "gauge('rate', q3 - 1); gauge('angle', q1*sin(time()) + q2*cos(time()))",
                                          "gauge('rate', q3 - sin(time()))" };
    const real q3[] = { 0, 1, REAL(sin)(1) }, turned[] = { 0, 1, 1 - REAL(cos)(1) }; /* the integral of q3 */
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "local q1, q2, q3 = coordinate 'q1', coordinate 'q2', coordinate 'q3'\n"
            "lagrangian((q1.dot - q3*q2)^2/2 + (q2.dot + q3*q1)^2/2 + (q1^2 + q2^2)/2); observe('r2', q1^2 + q2^2)\n"
            "observe('d2', (q1.dot - q3*q2)^2 + (q2.dot + q3*q1)^2); %s\n"
            "start { q1 = 1, q2 = 0, q3 = free(1), ['q2.dot'] = free(0) }",
            gauges[i]);
        simulation *z = open_with(text, "dirac:gauss,s=5");
        do_steps(z, 20, (real)1 / 20);
        /* order 10 of h = 1/20 */
        real r = REAL(cosh)(1), v = REAL(sinh)(1), tolerance = QUAD ? (real)1e-18 : (real)1e-13;
        assert_at_most(REAL(fabs)(column(z, "r2") - r * r), tolerance);
        assert_at_most(REAL(fabs)(column(z, "d2") - v * v), tolerance);
        assert_at_most(REAL(fabs)(column(z, "q3") - q3[i]), tolerance);
        assert_at_most(REAL(fabs)(column(z, "q1") - r * REAL(cos)(turned[i])), tolerance);
        assert_at_most(REAL(fabs)(column(z, "q2") + r * REAL(sin)(turned[i])), tolerance);
        close_all(z);
    }
}

/* Constraints of the Hamiltonian on (q,p): y = x^2 for p_y, given with its partner. The reference is another integrator
   (flow.c). */
static void given_constraints(void **unused)
{
    (void)unused;
    static const char text[] =
        "local x, y = coordinate 'x', coordinate 'y'\n"
        "hamiltonian(momentum(x)^2/2 + momentum(y)^2/2 + x^2/2 + y^4/4); constraint('a', momentum(y) - x*momentum(x))\n"
        "start { x = 1, y = free(0.3), ['p.x'] = 0.2, ['p.y'] = free(0) }";
    simulation *z = open_with(text, "dirac:gauss,s=5");
    do_steps(z, 20, (real)1 / 20);
    state end = save_state(z);
    X(simulation_restart)(z);
    assert_int_equal(X(simulation_flow)(z, 1, QUAD ? (real)1e-20 : (real)1e-13), TAUT_OK);
    assert_at_most(larger(distance(z->x.q, end.q, 2), distance(z->x.p, end.p, 2)), 1e-11);
    X(state_clear)(z->s, &end);
    close_all(z);
}

static void starts(void **state)
{
    (void)state;
    static const char off[] =
        "local q1, q2 = coordinate 'q1', coordinate 'q2'; lagrangian(q1.dot^2/2 - q1^2/2 - (q2 - q1^2)^2/2)\n"
        "start { q1 = 1, q2 = 1.5 }";
    assert_null(open_as(off, (engine_options){ .method = "dirac" }));
    assert_non_null(strstr(message, "test.lua:1: the start is not on the constraints: chi2 = "));
    assert_non_null(strstr(message, "start mode 'project'"));
    close_all(NULL);
    simulation *z = open_as(off, (engine_options){ .method = "dirac", .start = START_PROJECT });
    assert_non_null(z);
    assert_at_most(REAL(fabs)(z->x.q[1] - z->x.q[0] * z->x.q[0]), 4 * EPS);
    assert_between(z->start.moved_q, 0.1, 0.5);
    close_all(z);
    /* as it is: chi are first integrals (18), so they stay what they are */
    z = open_as(off, (engine_options){ .method = "dirac:gauss", .start = START_AS_IS });
    assert_non_null(z);
    do_steps(z, 20, (real)1 / 20);
    assert_at_most(REAL(fabs)(z->x.q[1] - z->x.q[0] * z->x.q[0] - (real)0.5), 50 * EPS);
    close_all(z);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "shake", "lobatto", "del", "galerkin:LGG", "naive", "extended" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_null(open_as(second_class, (engine_options){ .method = methods[i] }));
        assert_non_null(strstr(message, "Lagrangian is singular"));
        assert_non_null(strstr(message, "use dirac:rk4"));
        close_all(NULL);
    }
    static const struct { const char *text, *message;
    } cases[] = {
        { "local q1 = coordinate 'q1'; lagrangian(q1.dot + q1); start { q1 = 1 }",
          "test.lua:1: the model is inconsistent: chi1 = p.q1 - 1" },
        { "local x, y = coordinate 'x', coordinate 'y'; lagrangian((x.dot - y)^2/2); start { x = 1, y = 1 }",
          "gauge freedom, which moves y; x" },
        { "local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 - y^2); force(x, -x); start { x = 1, y = "
          "0 }",
          "forces" },
        { "local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 - y^2); start_points({ x = 1, y = 0 }, { "
          "x = 1, y = 0 })",
          "start_points" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(open_as(cases[i].text, (engine_options){ .method = "dirac", .step = 1 }));
        if (!strstr(message, cases[i].message)) fail_msg("%s", message);
        close_all(NULL);
    }
    assert_null(open_as(second_class, (engine_options){ .method = "dirac:rk4,project=both" }));
    assert_non_null(strstr(message, "no projections"));
    close_all(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_solution), cmocka_unit_test(orders), cmocka_unit_test(constraints_are_kept),
        cmocka_unit_test(matrix_is_the_derivative), cmocka_unit_test(vortices), cmocka_unit_test(gauges_agree),
        cmocka_unit_test(given_constraints), cmocka_unit_test(starts), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
