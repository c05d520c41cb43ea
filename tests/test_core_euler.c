/* The symplectic Euler methods against the tables of docs/reference/jay-simeon.md (an independent prototype): alpha =
   1/2, errors at t = 1 in the 2-norm, h = 0.1/2^k; and RATTLE for the same class. */
#include "support_jay_simeon.h"

/* ---- the tables ---- */

static const struct {
    const char *model, *method;
    int k;
    double y, z;
} table[] = {
    { PROBLEM_1, "euler", 0, 3.82352077, 4.47180003 },
    { PROBLEM_1, "euler:natural", 0, 2.95654231, 4.76627092 },
    { PROBLEM_1, "euler", 3, 0.230128316, 0.260385553 },
    { PROBLEM_1, "euler:natural", 3, 0.638483169, 1.49787101 },
    { PROBLEM_1, "euler", 6, 2.73133780e-2, 3.08544514e-2 },
    { PROBLEM_1, "euler:natural", 6, 0.451156868, 1.23767231 },
    { PROBLEM_2, "euler", 0, 0.446408340, 0.295412569 },
    { PROBLEM_2, "euler:natural", 0, 0.447750513, 0.300857251 },
    { PROBLEM_1, "euler:conjugate", 6, 1.92906739e-2, 2.27452608e-2 },
    { PROBLEM_2, "euler:conjugate", 6, 6.07140686e-3, 5.19379876e-3 },
};

/* All nine digits, in either precision: rounding along 640 steps is below 1e-12. */
static void the_tables(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        errors e = errors_at_1(table[i].model, table[i].method, 10L << table[i].k);
        assert_digits(e.y, table[i].y, 9);
        assert_digits(e.z, table[i].z, 9);
    }
}

/* Order 1 of all that are consistent, between h = 0.1/2^5 and 0.1/2^6: the deviation is some h. */
static void order_is_1(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "euler",           "euler:conjugate",
                                           "euler:adjoint",   "euler:conjugate,adjoint",
                                           "euler:alpha=0.3", "euler:adjoint,alpha=1" };
    static const char *const models[] = { PROBLEM_1, PROBLEM_2 };
    for (size_t i = 0; i < 2 * sizeof methods / sizeof *methods; i++) {
        errors a = errors_at_1(models[i % 2], methods[i / 2], 320), b = errors_at_1(models[i % 2], methods[i / 2], 640);
        assert_between(log2(a.y / b.y), 0.95, 1.05);
        assert_between(log2(a.z / b.z), 0.95, 1.05);
    }
}

/* ---- where 'natural' goes ---- */

#define LEVELS 7

/* The limit h -> 0 of the state at t = 1, by extrapolation in powers of h: what the directly computed errors show only
   for very small steps. */
static void limit_at_1(const char *model, const char *method, long steps, real *x)
{
    real t[LEVELS][4];
    for (int k = 0; k < LEVELS; k++) {
        simulation *z = open_with(model, method);
        do_steps(z, steps << k, 1 / (real)(steps << k));
        for (int i = 0; i < 2; i++) t[k][i] = z->x.q[i], t[k][2 + i] = z->x.p[i];
        close_model(z);
    }
    for (int column = 1; column < LEVELS; column++)
        for (int k = LEVELS - 1; k >= column; k--)
            for (int i = 0; i < 4; i++) t[k][i] += (t[k][i] - t[k - 1][i]) / (((long)1 << column) - 1);
    memcpy(x, t[LEVELS - 1], sizeof t[0]);
}

/* The solution of the inconsistent system of section 3.4. Extrapolation from 40 .. 2560 steps is good to 1e-11. Eight
   digits: the prototype prints 5.70342389e-3 where two precisions and longer extrapolations agree on 5.703423883e-3. */
static void natural_has_another_limit(void **unused)
{
    (void)unused;
    static const struct {
        const char *model;
        double y, z;
    } limits[] = { { PROBLEM_1, 0.425569638, 1.20222006 }, { PROBLEM_2, 3.00719560e-3, 5.70342389e-3 } };
    for (int i = 0; i < 2; i++) {
        real x[4];
        limit_at_1(limits[i].model, "euler:natural", 40, x);
        errors e = errors_of(limits[i].model, x, x + 2);
        printf("%s: limit of natural %.10g %.10g\n", limits[i].model, e.y, e.z);
        assert_digits(e.y, limits[i].y, 8);
        assert_digits(e.z, limits[i].z, 8);
        limit_at_1(limits[i].model, "euler", 40, x);
        e = errors_of(limits[i].model, x, x + 2);
        printf("%s: limit of true    %.3g %.3g\n", limits[i].model, e.y, e.z);
        assert_at_most(larger(e.y, e.z), 1e-9);
    }
}

/* The same on (4.2) without extrapolation, to three digits; only for small steps does the first-order error get out of
   the way. */
static void natural_on_the_cubic_directly(void **unused)
{
    (void)unused;
    if (QUAD || !getenv("TAUT_TEST_LONG")) skip();
    errors e = errors_at_1(PROBLEM_2, "euler:natural", 10L << 17);
    assert_between(e.y, 3.00719560e-3, 3.011e-3);
    assert_between(e.z, 5.70342389e-3, 5.709e-3);
}

/* ---- RATTLE for the same class ---- */

static void rattle_takes_r_at_the_ends(void **unused)
{
    (void)unused;
    errors e = errors_at_1(PROBLEM_1, "rattle", 320), coarse = errors_at_1(PROBLEM_1, "rattle", 160);
    assert_digits(e.y, 1.299719e-4, 7);
    assert_digits(e.z, 1.363501e-4, 7);
    assert_between(log2(coarse.y / e.y), 1.99, 2.01);
    assert_between(log2(coarse.z / e.z), 1.99, 2.01);
    /* The Lobatto pair with two stages takes r with the momentum between: another method, with figures of its own. */
    e = errors_at_1(PROBLEM_1, "lobatto:s=2", 320);
    assert_digits(e.y, 7.332524e-5, 7);
    assert_digits(e.z, 7.609152e-5, 7);
}

/* ---- which is whose adjoint ---- */

/* Distance to the start after a step with one method and a step back with the other. */
static real there_and_back(const char *model, const char *one, const char *other, real h)
{
    simulation *z = open_with(model, one);
    do_steps(z, 3, h);
    state start = save_state(z);
    do_steps(z, 1, h);
    use_method(z, other);
    do_steps(z, 1, -h);
    real far = larger(distance(z->x.q, start.q, z->s->n) / largest_of(start.q, z->s->n),
                      distance(z->x.p, start.p, z->s->n) / largest_of(start.p, z->s->n));
    X(state_clear)(z->s, &start);
    close_model(z);
    return far;
}

/* 200 ulps: multipliers are found to some eps / h. */
#define BACK (200 * REAL_EPSILON)

static void adjoints_undo(void **unused)
{
    (void)unused;
    static const char *const pairs[][2] = {
        { "euler", "euler:adjoint" },
        { "euler:natural", "euler:natural,adjoint" },
        { "euler:conjugate", "euler:conjugate,adjoint" },
        { "euler:alpha=0.3", "euler:alpha=0.3,adjoint" },
        { "euler:adjoint", "euler" },
        { "rattle", "rattle" },
    };
    static const char *const models[] = { PROBLEM_1,   PROBLEM_2,         "double-spherical-pendulum",
                                          "heavy-top", "triple-pendulum", "driven-pendulum" };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
            real far = there_and_back(models[k], pairs[i][0], pairs[i][1], (real)0.0078125);
            printf("%-26s %s and back by %s: %.1f eps\n", models[k], pairs[i][0], pairs[i][1],
                   (double)(far / REAL_EPSILON));
            assert_at_most(far, BACK);
        }
}

/* S(h) = BASE*(h/2) BASE(h/2), and BASE may be an adjoint itself. */
static void compositions_take_the_adjoint_of_their_base(void **unused)
{
    (void)unused;
    static const char *const halves[][3] = {
        { "compose:euler,order=2", "euler", "euler:adjoint" },
        { "compose:euler:adjoint,order=2", "euler:adjoint", "euler" },
        { "compose:euler:adjoint,alpha=0.3,order=2", "euler:adjoint,alpha=0.3", "euler:alpha=0.3" },
    };
    const real h = (real)1 / 64;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        simulation *whole = open_with(PROBLEM_1, halves[i][0]), *parts = open_with(PROBLEM_1, halves[i][1]);
        do_steps(whole, 1, h);
        do_steps(parts, 1, h / 2);
        use_method(parts, halves[i][2]);
        do_steps(parts, 1, h / 2);
        assert_memory_equal(whole->x.q, parts->x.q, 2 * sizeof(real));
        assert_memory_equal(whole->x.p, parts->x.p, 2 * sizeof(real));
        close_model(whole);
        close_model(parts);
    }
}

/* (3.8) is the adjoint of (3.5) when r is linear in the multipliers, and is not when it is not. */
static void conjugate_is_the_adjoint_of_linear_forces_only(void **unused)
{
    (void)unused;
    assert_at_most(there_and_back("double-spherical-pendulum", "euler", "euler:conjugate", (real)0.0078125), BACK);
    real nonlinear = there_and_back(PROBLEM_1, "euler", "euler:conjugate", (real)0.0078125);
    printf("(3.5) and back by (3.8) on (4.1): %.2e\n", (double)nonlinear);
    assert_true(nonlinear > 1e-6); /* some h^2 */
    assert_true(there_and_back("double-spherical-pendulum", "euler", "euler", (real)0.0078125) > 1e-6);
}

/* (3.8) after (3.5) stays at order 1 on (4.1). */
static void conjugate_after_true_has_order_1(void **unused)
{
    (void)unused;
    errors e[2];
    for (int k = 0; k < 2; k++) {
        long steps = 640 << k;
        simulation *z = open_with(PROBLEM_1, "euler");
        method first = z->method, second;
        method_spec spec;
        assert_int_equal(X(method_parse)(z->m->context, "euler:conjugate", &spec), TAUT_OK);
        assert_int_equal(X(method_create)(z->s, &spec, 0, &second), TAUT_OK);
        for (long n = 0; n < steps; n++) {
            z->method = first;
            do_steps(z, 1, 1 / (2 * (real)steps));
            z->method = second;
            do_steps(z, 1, 1 / (2 * (real)steps));
        }
        z->method = first;
        X(method_destroy)(&second);
        e[k] = errors_of(PROBLEM_1, z->x.q, z->x.p);
        close_model(z);
    }
    printf("(3.8) after (3.5): %.3e %.3e, then %.3e %.3e\n", e[0].y, e[0].z, e[1].y, e[1].z);
    assert_between(log2(e[0].y / e[1].y), 0.9, 1.1);
    assert_between(log2(e[0].z / e[1].z), 0.9, 1.1);
}

/* ---- linear forces ---- */

static real apart(const char *model, const char *one, const char *other, real h, long steps)
{
    simulation *a = open_with(model, one), *b = open_with(model, other);
    do_steps(a, steps, h);
    do_steps(b, steps, h);
    real far = larger(distance(a->x.q, b->x.q, a->s->n) / largest_of(a->x.q, a->s->n),
                      distance(a->x.p, b->x.p, a->s->n) / largest_of(a->x.p, a->s->n));
    close_model(a);
    close_model(b);
    return far;
}

/* With r linear in the multipliers natural is true, and alpha scales the multipliers alone. */
static void one_method_when_forces_are_linear(void **unused)
{
    (void)unused;
    static const char *const others[] = { "euler:natural", "euler:natural,alpha=0.2", "euler:alpha=0.9",
                                          "euler:alpha=-3" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_at_most(apart("double-spherical-pendulum", "euler", others[i], (real)0.01, 20), 1000 * REAL_EPSILON);
        assert_true(apart(PROBLEM_1, "euler", others[i], (real)0.01, 20) > 1e-6);
    }
    assert_at_most(apart("triple-pendulum", "euler:adjoint", "euler:conjugate", (real)0.01, 20), 1000 * REAL_EPSILON);
}

/* ---- what is said about natural ---- */

static void count_lines(void *user, const char *line)
{
    if (strstr(line, "inconsistent")) ++*(int *)user;
}

static void natural_is_declared_for_what_it_is(void **unused)
{
    (void)unused;
    static const struct {
        const char *model, *method;
        int order, warned;
    } cases[] = {
        { PROBLEM_1, "euler:natural", 0, 1 },
        { PROBLEM_2, "euler:natural", 0, 1 },
        { PROBLEM_1, "euler", 1, 0 },
        { "pendulum", "euler:natural", 1, 0 },
        { PROBLEM_1, "compose:euler:natural,order=4", 0, 1 },
        { PROBLEM_1, "compose:euler,order=4", 4, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        int lines = 0;
        model *m = NULL;
        simulation *z = NULL;
        taut_context *context = taut_context_create(NULL);
        taut_context_log(context, count_lines, &lines);
        snprintf(path, sizeof path, "%s/%s.lua", MODELS, cases[i].model);
        engine_options options = { .method = cases[i].method };
        assert_int_equal(taut_model_read_file(context, path, NULL, 0, &m), TAUT_OK);
        assert_int_equal(X(simulation_create)(m, &options, &z), TAUT_OK);
        assert_int_equal(z->declared.order, cases[i].order);
        assert_int_equal(lines, cases[i].warned);
        close_model(z);
    }
}

/* 0.1 in a method's text is the number of the precision that is nearest to 1/10; that nearest in double, written out,
   is the same in double and another number in quad, 5.6e-18 away. The momenta show it: by more than a million of their
   rounding errors, if less than by that difference where a symmetric composition cancels most of it. */
static void options_have_the_digits_of_the_precision(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "euler:alpha=%s", "euler:adjoint,alpha=%s",
                                           "compose:euler,alpha=%s,order=2" };
    real alpha;
    method_spec spec;
    taut_context *context = taut_context_create(NULL);
    assert_int_equal(X(method_parse)(context, "euler:alpha=0.1", &spec), TAUT_OK);
    assert_int_equal(X(method_real_option)(context, &spec, "alpha", (real)0.5, &alpha), TAUT_OK);
    assert_true(alpha == (real)1 / 10);
    taut_context_destroy(context);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        real p[2][2];
        for (int k = 0; k < 2; k++) {
            char method[120];
            snprintf(method, sizeof method, methods[i],
                     k ? "0.1000000000000000055511151231257827021181583404541015625" : "0.1");
            simulation *z = open_with(PROBLEM_1, method);
            do_steps(z, 10, (real)1 / 100);
            memcpy(p[k], z->x.p, sizeof p[k]);
            close_model(z);
        }
        if (QUAD) assert_between(distance(p[0], p[1], 2), 1e6 * REAL_EPSILON, 5.6e-18);
        else assert_memory_equal(p[0], p[1], sizeof p[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables),
        cmocka_unit_test(order_is_1),
        cmocka_unit_test(natural_has_another_limit),
        cmocka_unit_test(natural_on_the_cubic_directly),
        cmocka_unit_test(rattle_takes_r_at_the_ends),
        cmocka_unit_test(adjoints_undo),
        cmocka_unit_test(compositions_take_the_adjoint_of_their_base),
        cmocka_unit_test(conjugate_is_the_adjoint_of_linear_forces_only),
        cmocka_unit_test(conjugate_after_true_has_order_1),
        cmocka_unit_test(one_method_when_forces_are_linear),
        cmocka_unit_test(natural_is_declared_for_what_it_is),
        cmocka_unit_test(options_have_the_digits_of_the_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
