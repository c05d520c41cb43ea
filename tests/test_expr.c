/* Building expressions: hash-consing, simplification, folding. */
#include "support_expr.h"

static void randomise(void)
{
    for (int i = 0; i < 3; i++) variables[i] = uniform(0.5, 2);
    for (int i = 0; i < 2; i++) parameters[i] = uniform(0.5, 2);
}

static int setup_random(void **state)
{
    random_state = 1;
    randomise();
    return setup(state);
}

static expr x(void) { return taut_expr_variable(g, KIND_Q, 0); }
static expr y(void) { return taut_expr_variable(g, KIND_Q, 1); }
static expr z(void) { return taut_expr_variable(g, KIND_W, 2); }
static expr p(void) { return taut_expr_parameter(g, 0); }
static expr q(void) { return taut_expr_parameter(g, 1); }
static expr neg(expr a) { return taut_expr_neg(g, a); }

static void assert_shape(expr e, op o, expr a, expr b)
{
    const node *n = taut_graph_node(g, e);
    assert_int_not_equal(e, 0);
    assert_int_equal(n->op, o);
    assert_int_equal(n->a, a);
    assert_int_equal(n->b, b);
}

/* ---- hash-consing ---- */

static void equal_expressions_are_one_node(void **state)
{
    (void)state;
    assert_int_equal(x(), x());
    assert_int_not_equal(x(), y());
    assert_int_not_equal(taut_expr_variable(g, KIND_Q, 2), z());
    assert_int_not_equal(taut_expr_variable(g, KIND_Q, 0), p());
    assert_int_equal(number((wide)0.5), number((wide)0.5));
    assert_int_equal(number(0), number(-(wide)0.0));
    expr e = taut_expr_unary(g, OP_SIN, add(mul(x(), y()), p()));
    uint32_t count = taut_graph_count(g);
    assert_int_equal(taut_expr_unary(g, OP_SIN, add(mul(x(), y()), p())), e);
    assert_int_equal(taut_graph_count(g), count);
}

static void numbers_that_agree_in_double_are_distinct(void **state)
{
    (void)state;
    expr third = quotient(number(1), number(3)), rounded = number((wide)(1.0 / 3.0));
    assert_int_not_equal(third, rounded);
    assert_int_equal(quotient(number(1), number(3)), third);
}

static void nodes_survive_growth(void **state)
{
    (void)state;
    enum { COUNT = 20000 }; /* the nodes start with some 400 places, the table with 256 */
    static expr built[COUNT];
    for (int i = 0; i < COUNT; i++) built[i] = mul(number(i + 2), powi(taut_expr_variable(g, KIND_Q, (uint32_t)i), 2));
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(mul(number(i + 2), powi(taut_expr_variable(g, KIND_Q, (uint32_t)i), 2)), built[i]);
        assert_true(taut_graph_node(g, built[i])->a < built[i] && taut_graph_node(g, built[i])->b < built[i]);
    }
}

/* An operand with very many users, newer than what it is combined with; then all of them again. */
static void many_users_of_one_operand(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static expr products[COUNT], sums[COUNT], powers[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) taut_expr_variable(g, KIND_W, i);
    expr last = taut_expr_variable(g, KIND_Q, 0);
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            expr other = taut_expr_variable(g, KIND_W, i);
            expr product = again ? mul(last, other) : mul(other, last);
            expr made[3] = { product, add(other, last), powi(last, (int)i + 2) };
            if (again) assert_int_equal(made[0], products[i]);
            if (again) assert_int_equal(made[1], sums[i]);
            if (again) assert_int_equal(made[2], powers[i]);
            products[i] = made[0], sums[i] = made[1], powers[i] = made[2];
        }
    }
    for (uint32_t i = 1; i < COUNT; i++) {
        assert_true(products[i] > products[i - 1] && sums[i] > sums[i - 1] && powers[i] > powers[i - 1]);
    }
}

/* After graph_settle everything is found again, and new expressions can be made. */
static void a_settled_graph_goes_on(void **state)
{
    (void)state;
    enum { COUNT = 60000 }; /* three nodes each: beyond the size from which a graph gives memory back */
    static expr built[COUNT];
    expr total = taut_expr_variable(g, KIND_W, 0), parameter = p(), half = number((wide)0.5);
    for (int round = 0; round < 2; round++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            expr e = mul(total, powi(taut_expr_variable(g, KIND_Q, i), 2));
            if (round) assert_int_equal(e, built[i]);
            built[i] = e;
        }
        count = taut_graph_count(g);
        taut_graph_settle(g);
        assert_int_equal(p(), parameter);
        assert_int_equal(number((wide)0.5), half);
        assert_int_equal(taut_graph_count(g), count);
    }
    uint32_t count = taut_graph_count(g);
    assert_int_equal(taut_expr_variable(g, KIND_Q, COUNT), count);
    assert_int_equal(mul(total, taut_expr_variable(g, KIND_Q, COUNT)), count + 1);
}

static void sums_and_products_commute(void **state)
{
    (void)state;
    expr e = add(x(), mul(y(), z()));
    assert_int_equal(add(mul(z(), y()), x()), e);
    assert_shape(e, OP_ADD, x(), mul(y(), z())); /* the order of the first writing is kept */
    assert_int_not_equal(sub(x(), y()), sub(y(), x()));
    assert_int_not_equal(quotient(x(), y()), quotient(y(), x()));
}

/* ---- structure of the important rules ---- */

static void zero_and_one_vanish(void **state)
{
    (void)state;
    expr zero = number(0), one = number(1), minus = number(-1);
    assert_int_equal(add(x(), zero), x());
    assert_int_equal(add(zero, x()), x());
    assert_int_equal(sub(x(), zero), x());
    assert_int_equal(sub(zero, x()), neg(x()));
    assert_int_equal(sub(x(), x()), zero);
    assert_int_equal(mul(x(), zero), zero);
    assert_int_equal(mul(zero, p()), zero);
    assert_int_equal(mul(x(), one), x());
    assert_int_equal(mul(one, p()), p());
    assert_int_equal(mul(x(), minus), neg(x()));
    assert_int_equal(quotient(x(), one), x());
    assert_int_equal(quotient(zero, x()), zero);
    assert_int_equal(quotient(x(), x()), one);
    assert_int_equal(quotient(x(), minus), neg(x()));
    assert_int_equal(powi(x(), 0), one);
    assert_int_equal(powi(x(), 1), x());
    assert_int_equal(taut_expr_pow(g, x(), one), x());
    assert_int_equal(taut_expr_pow(g, x(), zero), one);
}

static void signs_come_out(void **state)
{
    (void)state;
    assert_int_equal(neg(neg(x())), x());
    assert_int_equal(neg(sub(x(), y())), sub(y(), x()));
    assert_int_equal(add(x(), neg(y())), sub(x(), y()));
    assert_int_equal(add(neg(y()), x()), sub(x(), y()));
    assert_int_equal(add(neg(x()), neg(y())), neg(add(x(), y())));
    assert_int_equal(sub(neg(x()), y()), neg(add(x(), y())));
    assert_int_equal(sub(x(), neg(y())), add(x(), y()));
    assert_int_equal(mul(neg(x()), neg(y())), mul(x(), y()));
    assert_int_equal(mul(neg(x()), y()), neg(mul(x(), y())));
    assert_int_equal(quotient(neg(x()), y()), neg(quotient(x(), y())));
    assert_int_equal(powi(neg(x()), 2), powi(x(), 2));
    assert_int_equal(powi(neg(x()), -3), neg(powi(x(), -3)));
    assert_int_equal(neg(mul(number(3), x())), mul(number(-3), x()));
}

static void coefficients_go_to_the_front(void **state)
{
    (void)state;
    expr xy = mul(x(), y());
    assert_shape(mul(x(), number(3)), OP_MUL, number(3), x());
    assert_shape(mul(mul(number(2), x()), mul(y(), number(3))), OP_MUL, number(6), xy);
    assert_shape(mul(mul(p(), x()), y()), OP_MUL, p(), xy);
    assert_shape(mul(mul(p(), x()), mul(q(), y())), OP_MUL, mul(p(), q()), xy);
    assert_shape(quotient(x(), number(4)), OP_MUL, number((wide)0.25), x());
    assert_shape(quotient(number(2), x()), OP_MUL, number(2), quotient(number(1), x()));
    assert_shape(quotient(mul(p(), x()), mul(q(), y())), OP_MUL, quotient(p(), q()), quotient(x(), y()));
    assert_shape(powi(mul(number(2), x()), 3), OP_MUL, number(8), powi(x(), 3));
    assert_int_equal(mul(number((wide)0.5), mul(number(2), x())), x());
    assert_shape(add(x(), x()), OP_MUL, number(2), x());
}

static void powers_merge(void **state)
{
    (void)state;
    assert_shape(mul(x(), x()), OP_POWI, x(), 2);
    assert_shape(mul(mul(x(), x()), x()), OP_POWI, x(), 3);
    assert_shape(mul(powi(x(), -2), powi(x(), -3)), OP_POWI, x(), (uint32_t)-5);
    assert_int_equal(powi(x(), -1), quotient(number(1), x()));
    assert_int_equal(powi(taut_expr_unary(g, OP_SQRT, x()), 2), x());
    assert_shape(taut_expr_pow(g, x(), number(-7)), OP_POWI, x(), (uint32_t)-7);
    assert_shape(taut_expr_pow(g, x(), number((wide)0.5)), OP_SQRT, x(), 0);
    assert_shape(taut_expr_pow(g, x(), number((wide)1e30)), OP_POW, x(), number((wide)1e30));
    assert_shape(taut_expr_pow(g, x(), p()), OP_POW, x(), p());
    assert_int_equal(mul(quotient(number(1), x()), y()), quotient(y(), x()));
}

static void constants_fold_in_wide(void **state)
{
    (void)state;
    assert_true(taut_graph_constant(g, quotient(number(1), number(3))) == (wide)1 / 3);
    assert_true(taut_graph_constant(g, taut_expr_unary(g, OP_SQRT, number(2))) == WIDE(sqrt)(2));
    assert_true(taut_graph_constant(g, taut_expr_unary(g, OP_ACOS, number(-1))) == WIDE(acos)(-1));
    assert_true(taut_graph_constant(g, taut_expr_pow(g, number(2), quotient(number(1), number(3))))
                == WIDE(pow)(2, (wide)1 / 3));
    assert_true(taut_expr_is_number(g, taut_expr_binary(g, OP_MAX, number(2), number(3)), 3));
    assert_true(taut_expr_is_number(g, add(number(2), number(3)), 5));
    /* 0.1 and 0.2 as meant: their sum is 0.3 as meant, which is not so in double */
    wide sum = taut_graph_constant(g, add(number(taut_wide_from_double(0.1)), number(taut_wide_from_double(0.2))));
    assert_true(WIDE(fabs)(sum - taut_wide_from_double(0.3)) <= epsilon);
    assert_true(taut_expr_is_constant(g, mul(p(), quotient(q(), number(3)))));
    assert_false(taut_expr_is_constant(g, mul(p(), x())));
    assert_true(taut_expr_is_constant(g, taut_expr_variable(g, KIND_CONSTANT_SLOT, 0)));
}

/* What is not finite stays an operation, so that the evaluation can point at it. */
static void impossible_constants_are_not_folded(void **state)
{
    (void)state;
    assert_shape(quotient(number(1), number(0)), OP_DIV, number(1), number(0));
    assert_shape(quotient(number(0), number(0)), OP_DIV, number(0), number(0));
    assert_shape(quotient(x(), number(0)), OP_DIV, x(), number(0));
    assert_shape(powi(number(0), -2), OP_POWI, number(0), (uint32_t)-2);
    assert_shape(taut_expr_unary(g, OP_LOG, number(-1)), OP_LOG, number(-1), 0);
    expr third = quotient(number(1), number(3));
    assert_shape(taut_expr_pow(g, number(-8), third), OP_POW, number(-8), third);
}

/* ---- every rule by value ---- */

enum { POOL = 30 };

/* The shapes that rules look for, and some that they do not. */
static void fill_pool(expr *pool)
{
    expr one = number(1), third = quotient(one, number(3));
    expr shapes[POOL] = {
        number(0), one, number(-1), number(2), number(-3), third, number((wide)0.5),
        p(), q(), neg(p()), mul(p(), q()), quotient(one, q()), quotient(p(), q()), powi(p(), 2),
        x(), y(), neg(x()), add(x(), z()), sub(x(), y()), mul(number(-2), x()), mul(p(), y()), mul(x(), y()),
        mul(neg(q()), mul(x(), y())), powi(x(), 2), powi(x(), -2), quotient(one, x()), quotient(one, y()),
        quotient(y(), x()), taut_expr_unary(g, OP_SQRT, x()), taut_expr_unary(g, OP_SIN, y()),
    };
    for (int i = 0; i < POOL; i++) pool[i] = shapes[i];
}

static int is_finite(wide v) { return v - v == 0; }

/* A rule reorders a handful of rounding errors: 64 units of the operands' and the result's size are room enough. */
static void assert_value(expr e, op o, wide a, wide b, int exponent)
{
    wide expected = taut_op_apply(o, a, b, exponent), got = value_of(e);
    if (!is_finite(a) || !is_finite(b)) return;
    assert_int_equal(is_finite(got), is_finite(expected));
    if (!is_finite(expected)) return;
    wide size = WIDE(fabs)(expected);
    if (o == OP_ADD || o == OP_SUB) size += WIDE(fabs)(a) + WIDE(fabs)(b);
    if (WIDE(fabs)(got - expected) > 64 * epsilon * size)
        fail_msg("%s: %.17g, not %.17g", taut_op_name(o), (double)got, (double)expected);
}

static void check_pair(expr a, expr b)
{
    static const op two[] = { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_POW, OP_ATAN2, OP_MIN, OP_MAX };
    wide va = value_of(a), vb = value_of(b);
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        assert_value(taut_expr_binary(g, two[i], a, b), two[i], va, vb, 0);
    assert_int_equal(add(a, b), add(b, a));
    assert_int_equal(mul(a, b), mul(b, a));
}

static void check_single(expr a)
{
    wide v = value_of(a);
    assert_value(neg(a), OP_NEG, v, 0, 0);
    for (int n = -4; n <= 4; n++) assert_value(powi(a, n), OP_POWI, v, 0, n);
    for (op o = OP_SQRT; o <= OP_SIGN; o++)
        if (taut_op_arity(o) == 1) assert_value(taut_expr_unary(g, o, a), o, v, 0, 0);
}

static void no_rule_changes_a_value(void **state)
{
    (void)state;
    static const op two[] = { OP_ADD, OP_SUB, OP_MUL, OP_DIV };
    expr pool[POOL];
    fill_pool(pool);
    for (int i = 0; i < POOL; i++) {
        check_single(pool[i]);
        for (int j = 0; j < POOL; j++) check_pair(pool[i], pool[j]);
    }
    for (int trial = 0; trial < 4000; trial++) { /* pairs of pairs: rules that meet the results of rules */
        randomise();
        expr a = taut_expr_binary(g, two[below(4)], pool[below(POOL)], pool[below(POOL)]);
        expr b = taut_expr_binary(g, two[below(4)], pool[below(POOL)], pool[below(POOL)]);
        check_pair(a, below(3) ? b : powi(b, below(9) - 4));
        check_single(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_expressions_are_one_node, setup_random, teardown),
        cmocka_unit_test_setup_teardown(numbers_that_agree_in_double_are_distinct, setup_random, teardown),
        cmocka_unit_test_setup_teardown(nodes_survive_growth, setup_random, teardown),
        cmocka_unit_test_setup_teardown(many_users_of_one_operand, setup_random, teardown),
        cmocka_unit_test_setup_teardown(a_settled_graph_goes_on, setup_random, teardown),
        cmocka_unit_test_setup_teardown(sums_and_products_commute, setup_random, teardown),
        cmocka_unit_test_setup_teardown(zero_and_one_vanish, setup_random, teardown),
        cmocka_unit_test_setup_teardown(signs_come_out, setup_random, teardown),
        cmocka_unit_test_setup_teardown(coefficients_go_to_the_front, setup_random, teardown),
        cmocka_unit_test_setup_teardown(powers_merge, setup_random, teardown),
        cmocka_unit_test_setup_teardown(constants_fold_in_wide, setup_random, teardown),
        cmocka_unit_test_setup_teardown(impossible_constants_are_not_folded, setup_random, teardown),
        cmocka_unit_test_setup_teardown(no_rule_changes_a_value, setup_random, teardown),
    };
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
