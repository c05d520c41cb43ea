/* Derivatives of random expressions against extrapolated finite differences. */
#include <string.h>

#include "support_random_expr.h"

enum { EXPRESSIONS = 300 };

/* Central differences D(h) = f' + c2 h^2 + c4 h^4 + ... at h, h/2, ..., extrapolated over LEVELS steps. With R the
   distance of the nearest singularity, the rest is about prod h_i^2 / R^(2 LEVELS), the round-off about epsilon |f| /
   h_last. Quad: 2^-182 / R^14, that is 1e-21 for R = 1/1000; round-off 1e-34 * 2^16 = 1e-29.
   Long double: 2^-76 / R^8, that is 1e-13 for R = 1/20; round-off 1e-19 * 2^11 = 2e-16.
   The generated expressions are gentler; the tolerance, relative to 1 + |derivative|, leaves them some orders. */
#ifdef TAUT_HAVE_QUAD
enum { LEVELS = 7 };
static const double first_step = 0x1p-10;
static const wide tolerance = 1e-22;
#else
enum { LEVELS = 4 };
static const double first_step = 0x1p-8;
static const wide tolerance = 1e-11;
#endif

typedef struct {
    wide x[VARIABLES], u[VARIABLES]; /* a point and a direction */
} point;

static int seen[OP_COUNT];

static int setup_random(void **state)
{
    random_state = 7;
    return setup(state);
}

static wide lookup_at(void *user, op o, kind k, uint32_t index)
{
    const point *at = user;
    if (o == OP_PARAMETER) return (wide)0.75 + index;
    return k == KIND_DIRECTION_U ? at->u[index] : at->x[index];
}

static wide value_at(expr e, const point *at) { return value_by(lookup_at, at, e); }

static void random_point(point *at)
{
    for (int i = 0; i < VARIABLES; i++) at->x[i] = uniform(-1, 1), at->u[i] = uniform(-1, 1);
}

static void count_operations(expr f)
{
    expr *list;
    size_t count;
    assert_int_equal(taut_expr_reachable(g, &f, 1, &list, &count), TAUT_OK);
    for (size_t i = 0; i < count; i++) seen[taut_graph_node(g, list[i])->op]++;
    taut_expr_list_free(g, list);
}

/* ---- finite differences ---- */

static wide central(expr f, const point *at, const wide *direction, wide h)
{
    point plus = *at, minus = *at;
    for (int i = 0; i < VARIABLES; i++) plus.x[i] += h * direction[i], minus.x[i] -= h * direction[i];
    return (value_at(f, &plus) - value_at(f, &minus)) / (2 * h);
}

/* Richardson: with h halved, T[k] = T[k-1] + (T[k-1] - T[k-1 at 2h]) / (4^k - 1). */
static wide difference(expr f, const point *at, const wide *direction)
{
    wide row[LEVELS], h = first_step;
    for (int i = 0; i < LEVELS; i++, h /= 2) {
        wide best = central(f, at, direction, h), power = 1;
        for (int k = 0; k < i; k++) {
            wide coarse = row[k];
            row[k] = best;
            power *= 4;
            best += (best - coarse) / (power - 1);
        }
        row[i] = best;
    }
    return row[LEVELS - 1];
}

static wide worst;

static void assert_derivative(expr derivative, expr f, const point *at, const wide *direction)
{
    wide exact = value_at(derivative, at), approximate = difference(f, at, direction);
    wide error = WIDE(fabs)(exact - approximate) / (1 + WIDE(fabs)(exact));
    if (error > worst) worst = error;
    if (!(error <= tolerance)) fail_msg("derivative %.17g, difference %.17g", (double)exact, (double)approximate);
}

/* f, its gradient, Hessian and the derivatives of Hessian entries along u: each against differences of the one
   before. */
static void check_derivatives(expr f)
{
    point at;
    expr x[VARIABLES], u[VARIABLES], gradient[VARIABLES], hessian[VARIABLES][VARIABLES];
    random_point(&at);
    for (int i = 0; i < VARIABLES; i++) x[i] = variable(i), u[i] = taut_expr_variable(g, KIND_DIRECTION_U, (uint32_t)i);
    assert_int_equal(taut_expr_gradient(g, f, x, VARIABLES, gradient), TAUT_OK);
    for (int i = 0; i < VARIABLES; i++) {
        wide unit[VARIABLES] = { 0 };
        unit[i] = 1;
        assert_derivative(gradient[i], f, &at, unit);
        assert_int_equal(taut_expr_gradient(g, gradient[i], x, VARIABLES, hessian[i]), TAUT_OK);
        assert_derivative(hessian[i][i], gradient[i], &at, unit);
        int j = (i + 1) % VARIABLES;
        assert_derivative(taut_expr_directional(g, hessian[i][j], x, u, VARIABLES), hessian[i][j], &at, at.u);
    }
    assert_derivative(taut_expr_directional(g, f, x, u, VARIABLES), f, &at, at.u);
    for (int i = 0; i < VARIABLES; i++) {
        int j = (i + 1) % VARIABLES;
        wide unit[VARIABLES] = { 0 };
        unit[j] = 1;
        assert_derivative(hessian[i][j], gradient[i], &at, unit);
        assert_derivative(hessian[j][i], gradient[i], &at, unit); /* symmetric */
    }
}

static void derivatives_of_random_expressions(void **state)
{
    (void)state;
    memset(seen, 0, sizeof seen);
    worst = 0;
    for (int i = 0; i < EXPRESSIONS; i++) {
        expr f = random_expression(1 + i % 4);
        count_operations(f);
        check_derivatives(f);
    }
    for (op o = OP_NEG; o < OP_COUNT; o++)
        if (!seen[o]) fail_msg("the generator never made %s", taut_op_name(o));
    print_message("worst error %.1e\n", (double)worst);
}

/* Every operation on plain variables, so that no chain rule can hide a partial derivative. */
static void derivatives_of_single_operations(void **state)
{
    (void)state;
    for (op o = OP_NEG; o < OP_COUNT; o++) check_derivatives(apply(o, variable(0), variable(1)));
    expr e = taut_expr_pow(g, taut_expr_parameter(g, 1), variable(0)); /* 1.75^x */
    check_derivatives(e);
    check_derivatives(taut_expr_pow(g, taut_expr_add(g, number(3), variable(1)), taut_expr_parameter(g, 1)));
    check_derivatives(
        taut_expr_pow(g, taut_expr_add(g, number(3), variable(1)), taut_expr_add(g, number(3), variable(1))));
}

/* ---- the sides of the contract that differences do not see ---- */

static void gradient_of_what_does_not_vary_is_zero(void **state)
{
    (void)state;
    expr x[2] = { variable(0), variable(1) }, d[2];
    assert_int_equal(taut_expr_gradient(g, taut_expr_parameter(g, 0), x, 2, d), TAUT_OK);
    assert_true(taut_expr_is_number(g, d[0], 0) && taut_expr_is_number(g, d[1], 0));
    assert_int_equal(taut_expr_gradient(g, x[1], x, 2, d), TAUT_OK);
    assert_true(taut_expr_is_number(g, d[0], 0) && taut_expr_is_number(g, d[1], 1));
    assert_true(taut_expr_is_number(g, taut_expr_derivative(g, unary(OP_SIN, variable(2)), x[0]), 0));
    assert_true(taut_expr_is_number(g, taut_expr_directional(g, variable(2), x, x, 2), 0));
    assert_int_equal(taut_expr_directional(g, x[0], x, d, 2), d[0]);
}

static void gradient_of_none_is_a_failure(void **state)
{
    (void)state;
    expr x = variable(0), d;
    assert_int_not_equal(taut_expr_gradient(g, 0, &x, 1, &d), TAUT_OK);
    assert_int_equal(taut_expr_derivative(g, 0, x), 0);
    assert_int_equal(taut_expr_directional(g, 0, &x, &x, 1), 0);
}

/* Textbook forms come out simplified. */
static void derivatives_are_simplified(void **state)
{
    (void)state;
    expr x = variable(0), y = variable(1), square = taut_expr_powi(g, x, 2);
    assert_int_equal(taut_expr_derivative(g, square, x), taut_expr_mul(g, number(2), x));
    assert_int_equal(taut_expr_derivative(g, unary(OP_SIN, x), x), unary(OP_COS, x));
    assert_int_equal(taut_expr_derivative(g, taut_expr_mul(g, x, y), x), y);
    assert_int_equal(taut_expr_derivative(g, taut_expr_mul(g, number(3), taut_expr_sub(g, y, x)), x), number(-3));
    assert_int_equal(taut_expr_derivative(g, unary(OP_SQRT, x), x), taut_expr_div(g, number(0.5), unary(OP_SQRT, x)));
}

/* |x|, min and max at their kinks: the mean of both sides. */
static void kinks_take_the_mean(void **state)
{
    (void)state;
    point at = { { 0, 0, 0 }, { 0, 0, 0 } };
    expr x = variable(0), y = variable(1);
    assert_true(value_at(taut_expr_derivative(g, unary(OP_ABS, x), x), &at) == 0);
    assert_true(value_at(taut_expr_derivative(g, taut_expr_binary(g, OP_MIN, x, y), x), &at) == (wide)0.5);
    assert_true(value_at(taut_expr_derivative(g, taut_expr_binary(g, OP_MAX, x, y), y), &at) == (wide)0.5);
}

/* Forward and reverse mode agree to round-off: u . gradient = directional. */
static void both_modes_agree(void **state)
{
    (void)state;
    expr x[VARIABLES], u[VARIABLES], d[VARIABLES];
    for (int i = 0; i < VARIABLES; i++) x[i] = variable(i), u[i] = taut_expr_variable(g, KIND_DIRECTION_U, (uint32_t)i);
    for (int trial = 0; trial < EXPRESSIONS; trial++) {
        point at;
        random_point(&at);
        expr f = random_expression(4);
        assert_int_equal(taut_expr_gradient(g, f, x, VARIABLES, d), TAUT_OK);
        wide sum = 0, size = 1, forward = value_at(taut_expr_directional(g, f, x, u, VARIABLES), &at);
        for (int i = 0; i < VARIABLES; i++)
            sum += at.u[i] * value_at(d[i], &at), size += WIDE(fabs)(value_at(d[i], &at));
        /* Products of some ten factors, each rounded, and cancellation inside: 1e4 units. */
        assert_true(WIDE(fabs)(sum - forward) <= (wide)1e4 * epsilon * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(derivatives_of_single_operations, setup_random, teardown),
        cmocka_unit_test_setup_teardown(derivatives_of_random_expressions, setup_random, teardown),
        cmocka_unit_test_setup_teardown(gradient_of_what_does_not_vary_is_zero, setup_random, teardown),
        cmocka_unit_test_setup_teardown(gradient_of_none_is_a_failure, setup_random, teardown),
        cmocka_unit_test_setup_teardown(derivatives_are_simplified, setup_random, teardown),
        cmocka_unit_test_setup_teardown(kinks_take_the_mean, setup_random, teardown),
        cmocka_unit_test_setup_teardown(both_modes_agree, setup_random, teardown),
    };
    return cmocka_run_group_tests_name("expr: derivatives", tests, NULL, NULL);
}
